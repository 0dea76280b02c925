// Package robots reads robots.txt as RFC 9309 says, with the lines that sites add to
// it: crawl-delay, sitemap, and those that say how pages may be used.
//
// It promises that any bytes parse to something, that of several rules the
// longest decides, and that between equally long ones allow does. Start with
// [Answered], [Parse] and [Rules.For].
package robots

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// MaxBytes is how much of a file is read; the RFC asks for at least 500 KiB.
const MaxBytes = 500 << 10

// maxDelay bounds a crawl-delay: a site that asks for more wants no visit that
// fits into any window, and is told so by the rules instead.
const maxDelay = 5 * time.Minute

// Rules is a robots.txt.
type Rules struct {
	groups   []group
	usage    []Usage  // before any group
	Sitemaps []string // the addresses in sitemap lines, as they were written
}

type group struct {
	agents []string // lower case
	rules  []rule
	usage  []Usage
	delay  time.Duration
}

// Usage is a line that says how pages may be used once they are fetched.
type Usage struct {
	Name  string // content-usage, content-signal or license
	Path  string // the pages it is about, a pattern; "" for all
	Value string // as it was written
}

type rule struct {
	pattern string
	allow   bool
}

// AllowAll has no rules; it is what a missing file means.
func AllowAll() *Rules { return &Rules{} }

// DenyAll forbids everything; it is what an unreachable file means.
func DenyAll() *Rules {
	return &Rules{groups: []group{{agents: []string{"*"}, rules: []rule{{pattern: "/"}}}}}
}

// Answered returns the rules that an answer to the request for robots.txt means,
// after redirects were followed (RFC 9309, 2.3.1): a file that is not there, or at
// the end of too many redirects, allows everything; one that cannot be had at the
// moment forbids everything, with an error that says so. That too many requests are
// a refusal of the moment is stricter than the RFC.
func Answered(status int, body []byte) (*Rules, error) {
	switch {
	case status >= 200 && status < 300:
		return Parse(body), nil
	case status == 429 || status >= 500 || status < 200:
		return DenyAll(), fmt.Errorf("robots.txt cannot be reached: status %d", status)
	}
	return AllowAll(), nil
}

// Parse reads a file. Lines that make no sense are skipped. Of a file that is too
// long, the line that is cut off counts unless it allows.
func Parse(text []byte) *Rules {
	if len(text) > MaxBytes {
		text = text[:MaxBytes]
		last := text[bytes.LastIndexAny(text, "\r\n")+1:]
		if bytes.HasPrefix(bytes.ToLower(bytes.TrimSpace(last)), []byte("allow")) {
			text = text[:len(text)-len(last)]
		}
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	p := parser{rules: &Rules{}}
	for _, line := range strings.FieldsFunc(string(text), func(r rune) bool { return r == '\n' || r == '\r' }) {
		line, _, _ = strings.Cut(line, "#")
		name, value, ok := strings.Cut(line, ":")
		if ok {
			p.line(strings.ToLower(strings.TrimSpace(name)), strings.TrimSpace(value))
		}
	}
	return p.rules
}

type parser struct {
	rules  *Rules
	naming bool // the last line named an agent, so the next one may add another
}

func (p *parser) line(name, value string) {
	r := p.rules
	switch name {
	case "user-agent":
		if !p.naming {
			r.groups = append(r.groups, group{})
		}
		p.naming = true
		g := &r.groups[len(r.groups)-1]
		g.agents = append(g.agents, token(value))
		return
	case "sitemap": // of no group, and does not end one
		if value != "" {
			r.Sitemaps = append(r.Sitemaps, value)
		}
		return
	case "allow", "disallow", "crawl-delay":
	case "content-usage", "content-signal", "license":
		p.naming = false
		r.addUsage(name, value)
		return
	default:
		return
	}
	p.naming = false
	if len(r.groups) == 0 {
		return // a rule before any agent is nobody's
	}
	g := &r.groups[len(r.groups)-1]
	switch {
	case name == "crawl-delay":
		if seconds, err := strconv.ParseFloat(value, 64); err == nil && seconds > 0 {
			g.delay = time.Duration(min(seconds, maxDelay.Seconds()) * float64(time.Second))
		}
	case strings.HasPrefix(value, "/") || strings.HasPrefix(value, "*"):
		g.rules = append(g.rules, rule{pattern: normal(value), allow: name == "allow"})
	}
}

// addUsage adds a line to the last group. Before any group it is about everyone.
func (r *Rules) addUsage(name, value string) {
	if value == "" {
		return
	}
	u := Usage{Name: name, Value: value}
	if name != "license" && strings.HasPrefix(value, "/") {
		end := strings.IndexAny(value, " \t")
		if end < 0 {
			end = len(value)
		}
		u.Path, u.Value = value[:end], strings.TrimSpace(value[end:])
	}
	if last := len(r.groups) - 1; last >= 0 {
		r.groups[last].usage = append(r.groups[last].usage, u)
		return
	}
	r.usage = append(r.usage, u)
}

// token is the product token in a line, or "*".
func token(value string) string {
	if strings.HasPrefix(value, "*") {
		return "*"
	}
	end := strings.IndexFunc(value, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r != '-' && r != '_'
	})
	if end >= 0 {
		value = value[:end]
	}
	return strings.ToLower(value)
}

// Group is what the file says to one crawler.
type Group struct {
	rules []rule
	// Usage are the lines that say how pages may be used.
	Usage []Usage
	// Delay is the crawl-delay, at most five minutes; 0 if there is none.
	Delay time.Duration
}

// For returns the rules for a crawler, by its product token: all groups that name
// it together, otherwise all that name "*".
func (r *Rules) For(agent string) Group {
	agent = token(agent)
	g, ok := r.merge(agent)
	if !ok {
		g, _ = r.merge("*")
	}
	g.Usage = append(g.Usage, r.usage...)
	return g
}

func (r *Rules) merge(agent string) (Group, bool) {
	var merged Group
	found := false
	for _, g := range r.groups {
		for _, a := range g.agents {
			if a == agent {
				found = true
				merged.rules = append(merged.rules, g.rules...)
				merged.Usage = append(merged.Usage, g.usage...)
				merged.Delay = max(merged.Delay, g.delay)
				break
			}
		}
	}
	return merged, found
}

// Allowed reports whether a path, with its query, may be fetched, and which rule
// says so; "" if none does.
func (g Group) Allowed(path string) (ok bool, because string) {
	if path == "" {
		path = "/"
	}
	if path == "/robots.txt" {
		return true, ""
	}
	path = normal(path)
	ok, longest := true, -1
	for _, r := range g.rules {
		if len(r.pattern) < longest || len(r.pattern) == longest && !r.allow || !matches(r.pattern, path) {
			continue
		}
		ok, longest = r.allow, len(r.pattern)
		because = "disallow: " + r.pattern
		if r.allow {
			because = "allow: " + r.pattern
		}
	}
	return ok, because
}

// Match reports whether a path, with its query, begins as a pattern of a file says,
// and how long the pattern is: of several the longest decides.
func Match(pattern, path string) (length int, ok bool) {
	pattern = normal(pattern)
	return len(pattern), matches(pattern, normal(path))
}

// Print is the same for groups that allow and forbid the same, line by line.
func (g Group) Print() string {
	var b strings.Builder
	for _, r := range g.rules {
		fmt.Fprintf(&b, "%t %s\n", r.allow, r.pattern)
	}
	return b.String()
}

// matches tells whether the path begins as the pattern says; "*" stands for any
// text, "$" at the end for the end.
func matches(pattern, path string) bool {
	anchored := strings.HasSuffix(pattern, "$")
	pattern = strings.TrimSuffix(pattern, "$")
	parts := strings.Split(pattern, "*")
	if !strings.HasPrefix(path, parts[0]) {
		return false
	}
	rest := path[len(parts[0]):]
	if len(parts) == 1 {
		return !anchored || rest == ""
	}
	last := parts[len(parts)-1]
	for _, part := range parts[1 : len(parts)-1] {
		i := strings.Index(rest, part)
		if i < 0 {
			return false
		}
		rest = rest[i+len(part):]
	}
	if anchored {
		return strings.HasSuffix(rest, last)
	}
	return strings.Contains(rest, last)
}

const hex = "0123456789ABCDEF"

// normal writes a path so that equal ones are equal byte by byte: what is not
// ASCII is percent-encoded, what need not be encoded is not, hex is upper case.
func normal(path string) string {
	var b strings.Builder
	for i := 0; i < len(path); i++ {
		c := path[i]
		switch {
		case c == '%' && i+2 < len(path) && unhex(path[i+1]) >= 0 && unhex(path[i+2]) >= 0:
			d := byte(unhex(path[i+1])<<4 | unhex(path[i+2]))
			if unreserved(d) {
				b.WriteByte(d)
			} else {
				b.WriteString("%" + strings.ToUpper(path[i+1:i+3]))
			}
			i += 2
		case c >= 0x80 || c <= ' ':
			b.Write([]byte{'%', hex[c>>4], hex[c&15]})
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

func unhex(c byte) int {
	if c >= 'a' && c <= 'f' {
		c -= 'a' - 'A'
	}
	return strings.IndexByte(hex, c)
}

func unreserved(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~", c) >= 0
}
