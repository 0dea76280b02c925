package model

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Template is a key as a design document writes it: literal text and variables
// in braces, in segments separated by "#".
//
//	SITE#{siteId}                       a value
//	BLOCK#{order:05}                    a whole number, zero-padded to five digits
//	Y#{date:YYYY}#M#{date:MM}           parts of an ISO 8601 time
//	ACTIVE#{is_active_flag:True|False}  a boolean, in these words
//	PERSON#@{assembly?}#{name}          a segment that is there if it has a value
//	{createdAt}                         the value alone, as it is
//
// A segment holds at most one variable. Inside a segment the separator is
// escaped: "#" in a value is written "%23", and a "%" that would read as an
// escape ("%23", "%25") is written "%25". All other text stays as it is. So a
// rendered key has exactly the segments of its template, and no value can take
// on the shape of another key. A template that is one variable and nothing else
// is that value, unescaped. Values are never empty. At most one segment is
// optional, neither the first nor in a sort key: the number of segments tells
// whether it is there.
//
// Rendering and parsing are inverse: what Render writes, Parse reads back, and
// what Parse accepts, Render writes again.
type Template string

// Values are the variables of a template by name, as text: numbers in decimal,
// booleans as "true" and "false".
type Values map[string]string

// segment is the text between two "#".
type segment struct {
	before, after string // literal text around the variable
	name          string // the variable; "" if there is none
	optional      bool
	format        format
}

// compiled is a template that was read.
type compiled struct {
	text     Template
	segments []segment
	raw      bool      // one variable and nothing else
	whole    []string  // the variables that are more than a part of a time
	optional string    // the variable of the optional segment; "" if there is none
	short    *compiled // the template without it; nil if there is none
}

var templates sync.Map // Template to *compiled

// compile reads a template, once.
func compile(t Template) (*compiled, error) {
	if c, ok := templates.Load(t); ok {
		return c.(*compiled), nil
	}
	c, err := parseTemplate(t)
	if err != nil {
		return nil, fmt.Errorf("template %q: %w", string(t), err)
	}
	templates.Store(t, c)
	return c, nil
}

func parseTemplate(t Template) (*compiled, error) {
	if t == "" {
		return nil, fmt.Errorf("is empty")
	}
	c := &compiled{text: t}
	var rest []string
	for i, text := range strings.Split(string(t), "#") {
		s, err := parseSegment(text)
		if err != nil {
			return nil, err
		}
		c.segments = append(c.segments, s)
		switch {
		case !s.optional:
			rest = append(rest, text)
		case i == 0 || c.optional != "" || s.format.kind != plain:
			return nil, fmt.Errorf("has {%s?}, which is the first segment, the second optional one, or of a format", s.name)
		default:
			c.optional = s.name
		}
	}
	if c.optional != "" {
		var err error
		if c.short, err = parseTemplate(Template(strings.Join(rest, "#"))); err != nil {
			return nil, err
		}
	}
	for _, s := range c.segments {
		if s.name != "" && !s.optional && s.format.kind != timePart && !slices.Contains(c.whole, s.name) {
			c.whole = append(c.whole, s.name)
		}
	}
	s := c.segments[0]
	c.raw = len(c.segments) == 1 && s.name != "" && s.before == "" && s.after == "" && s.format.kind == plain
	return c, nil
}

func parseSegment(text string) (segment, error) {
	if text == "" {
		return segment{}, fmt.Errorf("has an empty segment")
	}
	before, rest, found := strings.Cut(text, "{")
	if !found {
		return segment{before: text}, checkLiteral(text)
	}
	inside, after, found := strings.Cut(rest, "}")
	if !found {
		return segment{}, fmt.Errorf("has a brace without its pair")
	}
	name, spec, hasSpec := strings.Cut(inside, ":")
	name, optional := strings.CutSuffix(name, "?")
	if !validName(name) {
		return segment{}, fmt.Errorf("has a variable called %q", name)
	}
	f, err := parseFormat(spec, hasSpec)
	if err != nil {
		return segment{}, err
	}
	if err := checkLiteral(before + after); err != nil {
		return segment{}, err
	}
	return segment{before: before, after: after, name: name, optional: optional, format: f}, nil
}

// checkLiteral refuses text that could be taken for a variable or an escape.
func checkLiteral(text string) error {
	if strings.ContainsAny(text, "{}%") {
		return fmt.Errorf("has %q in literal text; a segment holds one variable, and no percent sign", text)
	}
	return nil
}

func validName(name string) bool {
	for i, r := range name {
		letter := r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return name != ""
}

// Check reports what is wrong with the template, if anything.
func (t Template) Check() error {
	_, err := compile(t)
	return err
}

// Vars returns the names of the variables, in order, each once, without the
// optional one. A template that does not pass Check has none.
func (t Template) Vars() []string {
	c, err := compile(t)
	if err != nil {
		return nil
	}
	var names []string
	for _, s := range c.segments {
		if s.name != "" && !s.optional && !slices.Contains(names, s.name) {
			names = append(names, s.name)
		}
	}
	return names
}

// Optional returns the name of the variable whose segment may be missing; "" if
// there is none.
func (t Template) Optional() string {
	c, err := compile(t)
	if err != nil {
		return ""
	}
	return c.optional
}

// allVars is Vars with the optional one.
func (t Template) allVars() []string { return append(t.Vars(), nonEmpty(t.Optional())...) }

// Render writes the key for the values. Values that the template does not name
// are ignored; one that is missing, empty or not of its format is an error.
func (t Template) Render(v Values) (string, error) {
	c, err := compile(t)
	if err != nil {
		return "", err
	}
	key, whole, err := c.render(v)
	if err == nil && !whole {
		err = fmt.Errorf("no value for %s", c.missing(v))
	}
	if err != nil {
		return "", fmt.Errorf("key %s: %w", t, err)
	}
	return key, nil
}

// Prefix writes the key up to the first variable without a value, which is the
// longest text that all keys with these values begin with. whole tells whether
// that was the end.
func (t Template) Prefix(v Values) (prefix string, whole bool, err error) {
	c, err := compile(t)
	if err != nil {
		return "", false, err
	}
	prefix, whole, err = c.render(v)
	if err != nil {
		return "", false, fmt.Errorf("key %s: %w", t, err)
	}
	return prefix, whole, nil
}

func (c *compiled) render(v Values) (key string, whole bool, err error) {
	if c.short != nil && v[c.optional] == "" {
		return c.short.render(v)
	}
	var b strings.Builder
	for i, s := range c.segments {
		if i > 0 {
			b.WriteByte('#')
		}
		b.WriteString(s.before)
		if s.name == "" {
			continue
		}
		value, ok := v[s.name]
		if !ok {
			return b.String(), false, nil
		}
		text, err := s.format.write(value)
		if err != nil {
			return "", false, fmt.Errorf("%s: %w", s.name, err)
		}
		if !c.raw {
			text = escape(text)
		}
		b.WriteString(text)
		b.WriteString(s.after)
	}
	return b.String(), true, nil
}

func (c *compiled) missing(v Values) string {
	for _, s := range c.segments {
		if _, ok := v[s.name]; s.name != "" && !ok {
			return s.name
		}
	}
	return ""
}

// Parse reads the values back from a key. A time of which the key holds parts
// alone comes back as the beginning that they make up ("2026-11"). It is an
// error if the key is none of this template's.
func (t Template) Parse(key string) (Values, error) {
	if err := t.Check(); err != nil {
		return nil, err
	}
	v, ok := t.parse(key)
	if !ok {
		return nil, fmt.Errorf("%q is no key of the form %s", key, t)
	}
	return v, nil
}

// parse is Parse without its words; a template that does not pass Check has no
// keys.
func (t Template) parse(key string) (Values, bool) {
	c, err := compile(t)
	if err != nil {
		return nil, false
	}
	return c.parse(key)
}

// fits reports whether the key could be one of the template.
func (t Template) fits(key string) bool {
	c, err := compile(t)
	return err == nil && c.fits(key)
}

// fits reports whether the key has the segments, the literal text and the
// formats of the template. One that does not cannot be parsed; it costs little
// to find out.
func (c *compiled) fits(key string) bool {
	if c.short != nil && c.short.fits(key) {
		return true
	}
	if c.raw {
		return key != ""
	}
	for i, s := range c.segments {
		text, rest, more := strings.Cut(key, "#")
		if !s.fits(text) || more != (i < len(c.segments)-1) {
			return false
		}
		key = rest
	}
	return true
}

func (s segment) fits(text string) bool {
	text, ok := s.strip(text)
	if !ok || s.name == "" || s.format.kind == timePart {
		return ok
	}
	if strings.IndexByte(text, '%') >= 0 {
		text = unescape(text)
	}
	_, ok = s.format.read(text)
	return ok
}

func (c *compiled) parse(key string) (Values, bool) {
	if !c.fits(key) {
		return nil, false
	}
	if c.short != nil && strings.Count(key, "#") < len(c.segments)-1 {
		return c.short.parse(key)
	}
	texts := []string{key}
	if !c.raw {
		texts = strings.Split(key, "#")
	}
	v := Values{}
	var pieces map[string]string
	for i, s := range c.segments {
		text, ok := s.strip(texts[i])
		switch {
		case !ok:
			return nil, false
		case s.name == "":
			continue
		case !c.raw:
			text = unescape(text)
		}
		if s.format.kind == timePart {
			if pieces == nil {
				pieces = map[string]string{}
			}
			pieces[s.name] = s.format.join(pieces[s.name], text)
			continue
		}
		value, ok := s.format.read(text)
		if old, twice := v[s.name]; !ok || twice && old != value {
			return nil, false
		}
		v[s.name] = value
	}
	for name, piece := range pieces {
		if _, whole := v[name]; !whole {
			v[name] = piece
		}
	}
	// Writing it again settles all that is left: parts that contradict the
	// whole, needless escapes, numbers of another width.
	again, whole, err := c.render(v)
	return v, err == nil && whole && again == key
}

// strip removes the literal text around the variable.
func (s segment) strip(text string) (string, bool) {
	if s.name == "" {
		return "", text == s.before
	}
	text, ok := strings.CutPrefix(text, s.before)
	if !ok {
		return "", false
	}
	text, ok = strings.CutSuffix(text, s.after)
	return text, ok && text != ""
}

// Overlaps reports whether some key could be of both templates.
func (t Template) Overlaps(other Template) bool {
	a, errA := compile(t)
	b, errB := compile(other)
	if errA != nil || errB != nil {
		return true
	}
	return a.overlaps(b)
}

func (c *compiled) overlaps(other *compiled) bool {
	if c.short != nil && c.short.overlaps(other) || other.short != nil && c.overlaps(other.short) {
		return true
	}
	a, b := c, other
	if a.raw || b.raw {
		return true
	}
	if len(a.segments) != len(b.segments) {
		return false
	}
	for i := range a.segments {
		if !a.segments[i].overlaps(b.segments[i]) {
			return false
		}
	}
	return true
}

func (s segment) overlaps(other segment) bool {
	switch {
	case s.name == "" && other.name == "":
		return s.before == other.before
	case s.name == "":
		return other.couldBe(s.before)
	case other.name == "":
		return s.couldBe(other.before)
	}
	return (strings.HasPrefix(s.before, other.before) || strings.HasPrefix(other.before, s.before)) &&
		(strings.HasSuffix(s.after, other.after) || strings.HasSuffix(other.after, s.after))
}

// couldBe reports whether a segment with a variable can be this literal text.
func (s segment) couldBe(literal string) bool {
	text, ok := s.strip(literal)
	if !ok {
		return false
	}
	_, ok = s.format.read(text)
	return ok
}

const (
	escapedHash    = "%23"
	escapedPercent = "%25"
)

func escape(value string) string {
	if !strings.ContainsAny(value, "#%") {
		return value
	}
	var b strings.Builder
	for i := range len(value) {
		rest := value[i:]
		switch {
		case rest[0] == '#':
			b.WriteString(escapedHash)
		case strings.HasPrefix(rest, escapedHash), strings.HasPrefix(rest, escapedPercent):
			b.WriteString(escapedPercent)
		default:
			b.WriteByte(rest[0])
		}
	}
	return b.String()
}

var unescaper = strings.NewReplacer(escapedHash, "#", escapedPercent, "%")

func unescape(text string) string { return unescaper.Replace(text) }
