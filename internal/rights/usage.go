package rights

import (
	"strings"

	"pressroom/internal/rights/robots"
)

// ReadUsage reads a statement of preference (draft-ietf-aipref-vocab), which is a
// dictionary of structured fields (RFC 9651, 3.2). A label counts as n unless all it
// says is y; a statement that is no dictionary is recorded as it is, and stops what
// it could be about.
func ReadUsage(where Where, path, value string) []Said {
	members, ok := dictionary(value)
	if !ok {
		return []Said{{Signal: ContentUsage, Value: recorded(value), Where: where, Path: path}}
	}
	var said []Said
	for _, m := range members {
		answer := "n"
		if m.value == "y" {
			answer = "y"
		}
		said = append(said, Said{Signal: ContentUsage, Value: m.key + "=" + answer, Where: where, Path: path})
	}
	return strictest(said)
}

// ReadSignal reads a Content-Signal line: keys with yes or no, with commas between
// them. Anything but yes is no.
func ReadSignal(where Where, path, value string) []Said {
	var said []Said
	for part := range strings.SplitSeq(strings.ToLower(value), ",") {
		key, answer, ok := strings.Cut(part, "=")
		key, answer = strings.TrimSpace(key), strings.TrimSpace(answer)
		switch {
		case strings.TrimSpace(part) == "":
			continue
		case !ok || !isKey(key):
			said = append(said, Said{Signal: ContentSignal, Value: recorded(part), Where: where, Path: path})
			continue
		case answer != "yes":
			answer = "no"
		}
		said = append(said, Said{Signal: ContentSignal, Value: recorded(key) + "=" + answer, Where: where, Path: path})
	}
	return strictest(said)
}

// strictest leaves out what allows a category that is also refused in the same place.
func strictest(said []Said) []Said {
	refused := map[string]bool{}
	for _, s := range said {
		if !allows(s) {
			refused[s.subject()] = true
		}
	}
	var all []Said
	for _, s := range said {
		if !allows(s) || !refused[s.subject()] {
			all = append(all, s)
		}
	}
	return all
}

func allows(s Said) bool {
	return strings.HasSuffix(s.Value, "=y") || strings.HasSuffix(s.Value, "=yes")
}

// Robots reads what the group of a robots.txt says about the use of pages, and the
// addresses of the licences that it names.
func Robots(g robots.Group) (said []Said, licences []string) {
	for _, u := range g.Usage {
		if len(u.Path) > maxValue {
			u.Path = "" // towards less: it is about everything
		}
		switch u.Name {
		case "content-usage":
			said = append(said, ReadUsage(InRobots, u.Path, u.Value)...)
		case "content-signal":
			said = append(said, ReadSignal(InRobots, u.Path, u.Value)...)
		case "license":
			licences = append(licences, u.Value)
		}
	}
	if len(said) > maxRules {
		said = append(said[:maxRules], Said{Signal: ContentUsage, Value: "more than can be kept", Where: InRobots})
	}
	return said, licences
}

// member is a key of a dictionary with its value, if that is a token; otherwise "?".
type member struct{ key, value string }

// dictionary parses a dictionary of structured fields (RFC 9651, 4.2.2), as far as
// it must be understood: keys, and values that are tokens. Every member is returned,
// also those of one key.
func dictionary(text string) (members []member, ok bool) {
	p := &fields{text: strings.Trim(text, " ")}
	for p.text != "" {
		m := member{key: p.key(), value: "?"}
		if m.key == "" {
			return nil, false
		}
		if p.take("=") {
			if m.value, ok = p.item(); !ok {
				return nil, false
			}
		}
		if !p.parameters() {
			return nil, false
		}
		members = append(members, m)
		p.text = strings.TrimLeft(p.text, " \t")
		if p.text == "" {
			break
		}
		if !p.take(",") {
			return nil, false
		}
		if p.text = strings.TrimLeft(p.text, " \t"); p.text == "" {
			return nil, false // a comma at the end
		}
	}
	return members, len(members) > 0
}

// fields is what is left of a structured field.
type fields struct{ text string }

func (p *fields) take(prefix string) bool {
	rest, ok := strings.CutPrefix(p.text, prefix)
	p.text = rest
	return ok
}

// span takes the characters at the front that fit.
func (p *fields) span(fits func(c byte) bool) string {
	n := 0
	for n < len(p.text) && fits(p.text[n]) {
		n++
	}
	taken := p.text[:n]
	p.text = p.text[n:]
	return taken
}

func isLower(c byte) bool { return c >= 'a' && c <= 'z' }
func isDigit(c byte) bool { return c >= '0' && c <= '9' }
func isAlpha(c byte) bool { return isLower(c|0x20) && (c >= 'A') }

// key takes a key; "" if there is none.
func (p *fields) key() string {
	if p.text == "" || !isLower(p.text[0]) && p.text[0] != '*' {
		return ""
	}
	return p.span(isKeyByte)
}

func isKeyByte(c byte) bool {
	return isLower(c) || isDigit(c) || strings.IndexByte("_-.*", c) >= 0
}

func isKey(text string) bool {
	p := &fields{text: text}
	return p.key() != "" && p.text == ""
}

// item takes a bare item or an inner list. Its value is returned if it is a token.
func (p *fields) item() (value string, ok bool) {
	if p.text == "" {
		return "", false
	}
	switch c := p.text[0]; {
	case isAlpha(c) || c == '*':
		return p.span(func(c byte) bool {
			return isAlpha(c) || isDigit(c) || strings.IndexByte("!#$%&'*+-.^_`|~:/", c) >= 0
		}), true
	case c == '"':
		return "?", p.quoted()
	case c == '(':
		return "?", p.list()
	case isDigit(c) || c == '-' || c == '@':
		p.text = strings.TrimPrefix(p.text[1:], "-")
		p.span(func(c byte) bool { return isDigit(c) || c == '.' })
		return "?", true
	case c == '?':
		ok = strings.HasPrefix(p.text, "?0") || strings.HasPrefix(p.text, "?1")
		p.text = p.text[min(2, len(p.text)):]
		return "?", ok
	case c == ':':
		end := strings.IndexByte(p.text[1:], ':')
		if end < 0 {
			return "", false
		}
		p.text = p.text[end+2:]
		return "?", true
	}
	return "", false
}

// quoted takes a string.
func (p *fields) quoted() bool {
	for i := 1; i < len(p.text); i++ {
		switch p.text[i] {
		case '\\':
			i++
		case '"':
			p.text = p.text[i+1:]
			return true
		}
	}
	return false
}

// list takes an inner list.
func (p *fields) list() bool {
	p.text = p.text[1:]
	for {
		p.text = strings.TrimLeft(p.text, " ")
		if p.take(")") {
			return true
		}
		if strings.HasPrefix(p.text, "(") {
			return false
		}
		if _, ok := p.item(); !ok || !p.parameters() {
			return false
		}
		if !strings.HasPrefix(p.text, " ") && !strings.HasPrefix(p.text, ")") {
			return false
		}
	}
}

// parameters takes what stands behind semicolons.
func (p *fields) parameters() bool {
	for p.take(";") {
		p.text = strings.TrimLeft(p.text, " ")
		if p.key() == "" {
			return false
		}
		if p.take("=") {
			if strings.HasPrefix(p.text, "(") {
				return false
			}
			if _, ok := p.item(); !ok {
				return false
			}
		}
	}
	return true
}
