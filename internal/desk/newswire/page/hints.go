package page

import (
	"encoding/json"
	"net/url"
	"regexp"
	"strings"
	"time"

	"golang.org/x/net/html/atom"

	"pressroom/internal/desk/newswire/when"
)

// hints is what a page says about itself in several places that may disagree.
type hints struct {
	title, author, ogURL      string
	published, modified       []string
	pubTimes, times           []string // of <time> elements
	ldType, ldTitle, ldAuthor string
	ldPublished, ldModified   []string
	articles                  int  // elements of that name
	article, body             mark // the first of them, and what is marked as its text
}

// mark is an element that was met.
type mark struct {
	name atom.Atom
	at   int // where its content begins; 0 if it was not met
}

// maxTimes is how many <time> elements are of interest: a list has many.
const maxTimes = 8

func (h *hints) addTime(s *scanner, t *token) {
	if len(h.times)+len(h.pubTimes) >= maxTimes {
		return
	}
	_, marked := t.find("pubdate")
	marked = marked || t.is("itemprop", "datePublished") || strings.Contains(t.attr("class"), "publish")
	text := t.attr("datetime")
	if text == "" {
		text = s.textUntil(atom.Time)
	}
	switch {
	case text == "":
	case marked:
		h.pubTimes = append(h.pubTimes, text)
	default:
		h.times = append(h.times, text)
	}
}

// articleTypes are the schema.org types of things with a text of their own.
var articleTypes = map[string]bool{
	"article": true, "newsarticle": true, "reportagenewsarticle": true, "analysisnewsarticle": true, "opinionnewsarticle": true,
	"blogposting": true, "liveblogposting": true, "techarticle": true, "report": true, "pressrelease": true, "advertisercontentarticle": true,
}

// linkedData takes the first article of a JSON-LD block.
func (h *hints) linkedData(text []byte) {
	var v any
	if h.ldType != "" || json.Unmarshal(text, &v) != nil {
		return
	}
	h.node(v, 0)
}

func (h *hints) node(v any, depth int) {
	if depth > 4 || h.ldType != "" {
		return
	}
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			h.node(e, depth+1)
		}
	case map[string]any:
		for _, t := range texts(v["@type"]) {
			if articleTypes[strings.ToLower(t)] {
				h.take(strings.ToLower(t), v)
				return
			}
		}
		h.node(v["@graph"], depth+1)
		h.node(v["mainEntity"], depth+1)
	}
}

func (h *hints) take(kind string, v map[string]any) {
	h.ldType = kind
	h.ldTitle = clean(strings.Join(texts(v["headline"]), " "))
	h.ldPublished = texts(v["datePublished"])
	h.ldModified = texts(v["dateModified"])
	h.ldAuthor = clean(strings.Join(peopleOf(v["author"]), ", "))
}

// texts returns the strings of a value that may be one or a list.
func texts(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		var all []string
		for _, e := range v {
			if s, ok := e.(string); ok {
				all = append(all, s)
			}
		}
		return all
	}
	return nil
}

func peopleOf(v any) []string {
	switch v := v.(type) {
	case map[string]any:
		return texts(v["name"])
	case []any:
		var all []string
		for _, e := range v {
			all = append(all, peopleOf(e)...)
		}
		return all
	}
	return texts(v)
}

var pathDate = regexp.MustCompile(`/((?:19|20)\d\d)[/-]?(\d\d)[/-]?(\d\d)(?:/|[-_.]|$)`)

// dateInPath reads the date that many sites write into their addresses.
func dateInPath(path string, loc *time.Location, now time.Time) time.Time {
	if unescaped, err := url.PathUnescape(path); err == nil {
		path = unescaped
	}
	m := pathDate.FindStringSubmatch(path)
	if m == nil {
		return time.Time{}
	}
	t, _ := when.Parse(m[1]+"-"+m[2]+"-"+m[3], loc, now)
	return t
}
