// Package robots reads robots.txt as RFC 9309 says, with the crawl-delay and the
// sitemap lines that sites add to it.
//
// It promises that any bytes parse to something, that of several rules the
// longest decides, and that between equally long ones allow does. Start with
// [Parse] and [Rules.For].
package robots

import (
	"bytes"
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
	Sitemaps []string // the addresses in sitemap lines, as they were written
}

type group struct {
	agents []string // lower case
	rules  []rule
	delay  time.Duration
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

// Parse reads a file. Lines that make no sense are skipped.
func Parse(text []byte) *Rules {
	text = bytes.TrimPrefix(text[:min(len(text), MaxBytes)], []byte("\ufeff"))
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
	// Delay is the crawl-delay, at most five minutes; 0 if there is none.
	Delay time.Duration
}

// For returns the rules for a crawler, by its product token: all groups that name
// it together, otherwise all that name "*".
func (r *Rules) For(agent string) Group {
	agent = token(agent)
	if g, ok := r.merge(agent); ok {
		return g
	}
	g, _ := r.merge("*")
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
