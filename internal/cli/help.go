package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/alecthomas/kong"

	"pressroom/internal/errs"
	"pressroom/internal/setting"
)

// errHelp ends a parse whose purpose was to show the help.
var errHelp = errors.New("help was shown")

// helpFlag shows the help of whatever was named before it and ends the run. It
// stands in for kong's own flag, which would end the process.
type helpFlag bool

// BeforeReset is kong's hook for a flag that was given.
func (helpFlag) BeforeReset(ctx *kong.Context) error {
	if err := ctx.PrintUsage(false); err != nil {
		return err
	}
	return errHelp
}

// IgnoreDefault tells kong not to look further once help is asked for.
func (helpFlag) IgnoreDefault() {}

// showEndpoint shows the settings of the endpoint in the help of the command that
// is nothing else.
func showEndpoint(k *kong.Kong) error {
	for _, command := range k.Model.Children {
		for _, flag := range command.Flags {
			if command.Name == "local" {
				flag.Hidden = false
			}
		}
	}
	return nil
}

// helpText is a flag's line in the help: what it says, and its variable.
func helpText(value *kong.Value) string {
	if value.Flag == nil || !isSetting(value.Flag) {
		return value.Help
	}
	return fmt.Sprintf("%s ($%s)", value.Help, keyOf(value.Flag).Env()[0])
}

// report tells the user how the run ended, in one sentence, and returns the exit
// status.
func report(p Process, err error) int {
	if err == nil || errors.Is(err, errHelp) {
		return 0
	}
	sentence, code := explain(err)
	fmt.Fprintf(p.Stderr, "pressroom: %s\n", sentence)
	return code
}

// explain turns an error into the sentence to print and the exit status.
func explain(err error) (string, int) {
	var bad *setting.Error
	var parse *kong.ParseError
	var known *errs.Error
	switch {
	case errors.As(err, &bad):
		return bad.Error(), errs.Usage.Exit()
	case errors.As(err, &parse):
		return explainParse(parse), errs.Usage.Exit()
	case errors.As(err, &known) && known.Message != "":
		return known.Message, errs.KindOf(err).Exit()
	}
	return err.Error(), errs.KindOf(err).Exit()
}

// explainParse puts a command line's mistake in words, with the way out.
func explainParse(err *kong.ParseError) string {
	commands := commandNames(err.Context.Model)
	node := err.Context.Selected()
	if node != nil {
		return seeHelp(err.Error(), node.Path()+" ")
	}
	word := unparsed(err.Context)
	switch {
	case word == "":
		return seeHelp("name a command: "+orList(commands), "")
	case strings.HasPrefix(word, "-"):
		return seeHelp(err.Error()+"; flags come after the command", "")
	}
	if near, ok := setting.Nearest(word, commands); ok {
		return seeHelp(fmt.Sprintf("unknown command %q, did you mean %q?", word, near), "")
	}
	return seeHelp(fmt.Sprintf("unknown command %q, did you mean %s?", word, orList(commands)), "")
}

// seeHelp ends a sentence with where to read more.
func seeHelp(sentence, command string) string {
	return setting.SeeHelp(sentence, strings.TrimSpace("pressroom "+command))
}

// unparsed returns the argument at which parsing stopped, "" at the end.
func unparsed(ctx *kong.Context) string {
	rest := ctx.Path[len(ctx.Path)-1].Remainder()
	if len(rest) == 0 {
		return ""
	}
	return rest[0]
}

func commandNames(app *kong.Application) []string {
	var names []string
	for _, node := range app.Children {
		if !node.Hidden {
			names = append(names, node.Name)
		}
	}
	return names
}

// orList joins words as English does: a, b or c.
func orList(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
