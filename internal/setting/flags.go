package setting

import (
	"encoding"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
	"unicode"

	"pressroom/internal/errs"
)

// Flags is the command line of a program without subcommands. It reads the tags that
// kong reads and imports nothing: kong calls methods by their names, which makes the
// linker keep every method of the SDK, half again of a small program.
type Flags struct {
	program, about string
	all            []*flag
}

type flag struct {
	Key
	short, help, placeholder, fallback string
	plain                              bool // no setting: the command line alone has it
	value                              reflect.Value
}

// NewFlags takes the flags from the fields of a struct, which Parse fills. Variables
// stand in defaults as ${name}.
func NewFlags(program, about string, settings any, variables map[string]string) *Flags {
	f := &Flags{program: program, about: about}
	f.add(reflect.ValueOf(settings).Elem(), variables)
	return f
}

func (f *Flags) add(v reflect.Value, variables map[string]string) {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		if field.Anonymous {
			f.add(v.Field(i), variables)
			continue
		}
		tag := field.Tag
		one := &flag{
			Key:   Key{Name: tag.Get("name"), Seed: tag.Get("seed"), Secret: field.Type == reflect.TypeFor[Secret]()},
			short: tag.Get("short"), help: tag.Get("help"), placeholder: tag.Get("placeholder"), fallback: tag.Get("default"),
			plain: tag.Get("setting") == "-", value: v.Field(i),
		}
		if one.Name == "" {
			one.Name = dashed(field.Name)
		}
		for name, value := range variables {
			one.fallback = strings.ReplaceAll(one.fallback, "${"+name+"}", value)
		}
		f.all = append(f.all, one)
	}
}

// dashed is the flag of a field: KeyFile is --key-file.
func dashed(name string) string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// Keys are the settings among the flags.
func (f *Flags) Keys() []Key {
	var keys []Key
	for _, one := range f.all {
		if !one.plain {
			keys = append(keys, one.Key)
		}
	}
	return keys
}

// Parse fills the struct from the arguments, then from the sources, then with the
// defaults.
func (f *Flags) Parse(args []string, src *Sources) error {
	given := map[*flag]bool{}
	for len(args) > 0 {
		rest, err := f.take(args, given)
		if err != nil {
			return errs.New(errs.Usage, "%s", SeeHelp(err.Error(), f.program))
		}
		args = rest
	}
	path := ""
	for one := range given {
		if one.Name == "config" {
			path = one.value.String()
		}
	}
	if err := src.ReadFile(path); err != nil {
		return err
	}
	for _, one := range f.all {
		if given[one] {
			continue
		}
		if err := one.find(src); err != nil {
			return err
		}
	}
	return nil
}

// SeeHelp ends a sentence with where to read more.
func SeeHelp(sentence, command string) string {
	join := "; see"
	if strings.HasSuffix(sentence, "?") {
		join = " See"
	}
	return fmt.Sprintf("%s%s \"%s --help\"", sentence, join, command)
}

// take reads the flag that the arguments begin with and returns the rest.
func (f *Flags) take(args []string, given map[*flag]bool) ([]string, error) {
	word, rest := args[0], args[1:]
	name, value, inline := strings.Cut(word, "=")
	one := f.named(name)
	switch {
	case one == nil && strings.HasPrefix(word, "-"):
		return nil, errors.New("unknown flag " + name + f.near(name))
	case one == nil:
		return nil, errors.New("unexpected argument " + word)
	case inline:
	case one.value.Kind() == reflect.Bool:
		value = "true"
	case len(rest) == 0:
		return nil, errors.New(name + ": expected a value")
	default:
		value, rest = rest[0], rest[1:]
	}
	given[one] = true
	if err := one.set(value); err != nil {
		return nil, fmt.Errorf("--%s: %w", one.Name, err)
	}
	return rest, nil
}

func (f *Flags) named(name string) *flag {
	for _, one := range f.all {
		if name == "--"+one.Name || one.short != "" && name == "-"+one.short {
			return one
		}
	}
	return nil
}

func (f *Flags) near(name string) string {
	var names []string
	for _, one := range f.all {
		names = append(names, "--"+one.Name)
	}
	if near, ok := Nearest(name, names); ok {
		return ", did you mean " + near + "?"
	}
	return ""
}

// find takes the value from the sources or the default.
func (one *flag) find(src *Sources) error {
	value, from := one.fallback, Origin{}
	if !one.plain {
		found, where, err := src.Find(one.Key)
		if err != nil {
			return err
		}
		if from = where; from.Source != "" {
			value = found
		}
	}
	if value == "" {
		return nil
	}
	if err := one.set(value); err != nil {
		return &Error{from.Place, err}
	}
	return nil
}

// set parses a value. Of a list, each value adds to what is there.
func (one *flag) set(value string) error {
	if text, ok := one.value.Addr().Interface().(encoding.TextUnmarshaler); ok {
		return text.UnmarshalText([]byte(value))
	}
	switch one.value.Kind() {
	case reflect.Bool:
		b, err := strconv.ParseBool(value)
		if err != nil {
			return fmt.Errorf("%q is neither true nor false", value)
		}
		one.value.SetBool(b)
	case reflect.Slice:
		for part := range strings.SplitSeq(value, ",") {
			one.value.Set(reflect.Append(one.value, reflect.ValueOf(part)))
		}
	default:
		one.value.SetString(value)
	}
	return nil
}

// helpWidth is the width of a line of the help.
const helpWidth = 100

// Usage shows all flags, with their variables.
func (f *Flags) Usage(w io.Writer) {
	fmt.Fprintf(w, "Usage: %s [flags]\n\n%s\n\nFlags:\n", f.program, f.about)
	for _, one := range f.all {
		left := "      --" + one.Name
		if one.short != "" {
			left = "  -" + one.short + ", --" + one.Name
		}
		switch {
		case one.placeholder != "":
			left += "=" + one.placeholder
		case one.fallback != "":
			left += "=" + strconv.Quote(one.fallback)
		}
		help := one.help
		if !one.plain {
			help += " ($" + one.Env()[0] + ")"
		}
		const column = 36
		fmt.Fprint(w, left)
		at := len(left)
		if at > column-2 {
			fmt.Fprintln(w)
			at = 0
		}
		for word := range strings.FieldsSeq(help) {
			if at > column && at+1+len(word) > helpWidth {
				fmt.Fprintln(w)
				at = 0
			}
			pad := max(1, column-at)
			fmt.Fprint(w, strings.Repeat(" ", pad), word)
			at += pad + len(word)
		}
		fmt.Fprintln(w)
	}
}

// Report tells the user how the run of a program ended, in one sentence, and returns
// the exit status.
func (f *Flags) Report(w io.Writer, err error) int {
	var bad *Error
	var known *errs.Error
	switch {
	case err == nil:
		return 0
	case errors.As(err, &bad):
		fmt.Fprintf(w, "%s: %s\n", f.program, bad)
		return errs.Usage.Exit()
	case errors.As(err, &known) && known.Message != "":
		fmt.Fprintf(w, "%s: %s\n", f.program, known.Message)
		return errs.KindOf(err).Exit()
	}
	fmt.Fprintf(w, "%s: %s\n", f.program, err)
	return errs.KindOf(err).Exit()
}
