package rights

import (
	"bytes"
	"encoding/xml"
	"net/url"
	"slices"
	"strings"
)

// UnreadLicence is a licence that was named and could not be read. Nobody knows what
// it allows.
const UnreadLicence = "unread"

// Unread records a licence that could not be read.
func Unread(where Where) Said { return Said{Signal: RSL, Value: UnreadLicence, Where: where} }

// rslDocument is as much of a licence as is understood.
type rslDocument struct {
	XMLName  xml.Name
	Contents []rslContent `xml:"content"`
}

type rslContent struct {
	URL      string       `xml:"url,attr"`
	Server   string       `xml:"server,attr"`
	Licenses []rslLicence `xml:"license"`
}

type rslLicence struct {
	Permits   []rslTerms `xml:"permits"`
	Prohibits []rslTerms `xml:"prohibits"`
	Payments  []struct {
		Type string `xml:"type,attr"`
	} `xml:"payment"`
}

type rslTerms struct {
	Type string `xml:"type,attr"`
	Text string `xml:",chardata"`
}

// rslUses are the categories that concern a newsroom, and the words that include
// them. Those of the drafts of 2025 are among them.
var rslUses = []struct {
	name  string
	words []string
}{
	{"all", []string{"all"}},
	{"search", []string{"search", "all"}},
	{"ai-input", []string{"ai-input", "ai-all", "ai", "all"}},
	{"ai-train", []string{"ai-train", "train-ai", "ai-all", "ai", "all"}},
}

// ReadRSL reads a licence of Really Simple Licensing 1.0: what it says about each
// category of use, for which pages of a host. A category is allowed if one of the
// licences of a page permits it without payment, server or condition; naming the
// source is none, as we always do. A broken licence is one that was not read; a page,
// which many servers send for any address, says nothing.
func ReadRSL(body []byte, host string) []Said {
	var doc rslDocument
	err := xml.NewDecoder(bytes.NewReader(body)).Decode(&doc)
	switch name := strings.ToLower(doc.XMLName.Local); {
	case name == "html" || err != nil && looksHTML(body):
		return nil
	case err != nil || name != "rsl" || len(doc.Contents) > maxRules:
		return []Said{Unread(InLicence)}
	}
	var said []Said
	for _, c := range doc.Contents {
		path, ok := rslPath(c.URL, host)
		if !ok {
			continue
		}
		for _, use := range rslUses {
			allowed := len(c.Licenses) == 0 && c.Server == ""
			for _, l := range c.Licenses {
				allowed = allowed || c.Server == "" && l.allows(use.words)
			}
			if use.name == "all" {
				allowed = !prohibited(c.Licenses)
			}
			answer := "=no"
			if allowed {
				answer = "=yes"
			}
			said = append(said, Said{Signal: RSL, Value: use.name + answer, Where: InLicence, Path: path})
		}
	}
	if !slices.ContainsFunc(said, func(s Said) bool { return s.Value == "all=no" }) {
		said = slices.DeleteFunc(said, func(s Said) bool { return s.Value == "all=yes" }) // as everywhere
	}
	return said
}

func looksHTML(body []byte) bool {
	head := strings.ToLower(string(body[:min(len(body), 500)]))
	return strings.Contains(head, "<!doctype html") || strings.Contains(head, "<html")
}

// rslPath is the pattern of the pages of a host that a licence is about; false if it
// is about another host.
func rslPath(address, host string) (path string, ok bool) {
	address = strings.TrimSpace(address)
	if strings.Contains(address, "://") {
		u, err := url.Parse(strings.NewReplacer("*", "%2A", "$", "%24").Replace(address))
		if err != nil {
			return "", true // nobody knows of what; towards less
		}
		if !strings.EqualFold(u.Host, host) {
			return "", false
		}
		address = strings.NewReplacer("%2A", "*", "%24", "$").Replace(u.EscapedPath())
	}
	if !strings.HasPrefix(address, "/") || len(address) > maxValue {
		return "", true
	}
	return address, true
}

// allows reports whether the licence permits a use that these words include.
func (l *rslLicence) allows(words []string) bool {
	for _, p := range l.Payments {
		if p.Type != "" && p.Type != "free" && p.Type != "attribution" {
			return false
		}
	}
	permitted, limited := false, false
	for _, t := range l.Permits {
		if t.Type != "usage" {
			return false // for some people or countries: nobody here knows whether for us
		}
		limited = true
		permitted = permitted || t.names(words)
	}
	for _, t := range l.Prohibits {
		if t.Type != "usage" || t.names(words) {
			return false
		}
	}
	return permitted || !limited
}

func (t *rslTerms) names(words []string) bool {
	return slices.ContainsFunc(strings.FieldsFunc(strings.ToLower(t.Text), func(r rune) bool { return r == ',' || r == ' ' || r == '\n' || r == '\t' }),
		func(word string) bool { return slices.Contains(words, word) })
}

// prohibited reports whether every licence prohibits all use.
func prohibited(licences []rslLicence) bool {
	for _, l := range licences {
		if !slices.ContainsFunc(l.Prohibits, func(t rslTerms) bool { return t.Type == "usage" && t.names([]string{"all"}) }) {
			return false
		}
	}
	return len(licences) > 0
}

// LicenceLinks returns the addresses in Link headers that name a licence of this
// kind: rel=license with type=application/rsl+xml.
func LicenceLinks(headers []string) []string {
	var found []string
	for _, line := range headers {
		for line != "" {
			from := strings.IndexByte(line, '<')
			to := strings.IndexByte(line, '>')
			if from < 0 || to < from {
				break
			}
			target, rest := line[from+1:to], line[to+1:]
			end := strings.Index(rest, ",")
			for end >= 0 && strings.Count(rest[:end], `"`)%2 == 1 { // within quotation marks
				next := strings.Index(rest[end+1:], ",")
				if next < 0 {
					end = -1
					break
				}
				end += 1 + next
			}
			attributes := rest
			if line = ""; end >= 0 {
				attributes, line = rest[:end], rest[end+1:]
			}
			lower := strings.ToLower(strings.ReplaceAll(attributes, " ", ""))
			if strings.Contains(lower, "application/rsl+xml") && (strings.Contains(lower, "rel=license") || strings.Contains(lower, `rel="license"`)) {
				found = append(found, target)
			}
		}
	}
	return found
}
