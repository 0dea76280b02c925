// Package page reads HTML pages of news sites: in any encoding, what links they
// have, what they say about themselves, and, if they are articles, the text.
//
// It promises that any bytes can be read, that text comes out as plain text
// without control characters, and that a date without a zone is in the site's
// zone. Start with [Read]; encoding.go finds the encoding, article.go tells
// articles from lists and takes out their text, text.go counts and cuts it.
package page

import (
	"bytes"
	"fmt"
	"net/url"
	"strings"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"pressroom/internal/newswire/when"
)

// Limits on what is taken from one page.
const (
	maxLinks = 2000
	maxTitle = 500 // characters
	maxName  = 200
)

// Page is a page that was read.
type Page struct {
	URL         *url.URL // where it was found
	Encoding    string   // the name of its encoding
	Title       string
	Canonical   string // the address that it says it has; "" if it says none
	Description string
	Author      string
	Language    string
	SiteName    string
	Published   time.Time // zero if it does not say
	Modified    time.Time
	Links       []string // absolute, without fragments, in their order, each once
	Feeds       []string // the feeds that it announces
	NoIndex     bool     // it asks not to be kept
	NoFollow    bool     // it asks that its links are not followed

	doc     *html.Node
	base    *url.URL
	kind    string // what it says it is: og:type, or the type of its JSON-LD
	hints   hints
	loc     *time.Location
	now     time.Time
	seen    map[string]bool
	heading string
}

// Options say how a page is read.
type Options struct {
	// ContentType is the header of that name.
	ContentType string
	// Location is the zone of dates without one; nil means UTC.
	Location *time.Location
	// Now is the time before which dates must be; zero means time.Now.
	Now time.Time
}

// Read parses a page that was found at an address.
func Read(body []byte, at *url.URL, o Options) (*Page, error) {
	p := &Page{URL: at, base: at, loc: o.Location, now: o.Now, seen: map[string]bool{}}
	if p.loc == nil {
		p.loc = time.UTC
	}
	if p.now.IsZero() {
		p.now = time.Now()
	}
	text, name := Decode(body, o.ContentType)
	p.Encoding = name
	doc, err := html.Parse(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("parse page: %w", err)
	}
	p.doc = doc
	p.walk(doc)
	p.settle()
	return p, nil
}

// walk visits the document once, in order, and takes what it finds.
func (p *Page) walk(root *html.Node) {
	for n := range root.Descendants() {
		if n.Type == html.ElementNode {
			p.element(n)
		}
	}
}

func (p *Page) element(n *html.Node) {
	switch n.DataAtom {
	case atom.Html:
		p.Language = attr(n, "lang")
	case atom.Base:
		if u, err := p.URL.Parse(attr(n, "href")); err == nil && attr(n, "href") != "" {
			p.base = u
		}
	case atom.Title:
		if p.Title == "" && n.Namespace == "" {
			p.Title = textOf(n)
		}
	case atom.H1:
		if p.heading == "" {
			p.heading = textOf(n)
		}
	case atom.Meta:
		p.meta(strings.ToLower(first(attr(n, "property"), attr(n, "name"), attr(n, "itemprop"))), attr(n, "content"))
	case atom.Link:
		p.link(n)
	case atom.A, atom.Area:
		if !strings.Contains(strings.ToLower(attr(n, "rel")), "nofollow") {
			p.addLink(attr(n, "href"))
		}
	case atom.Time:
		p.hints.addTime(n)
	case atom.Script:
		if strings.EqualFold(strings.TrimSpace(attr(n, "type")), "application/ld+json") && n.FirstChild != nil {
			p.hints.linkedData(n.FirstChild.Data)
		}
	case atom.Article:
		p.hints.articles++
		if p.hints.article == nil {
			p.hints.article = n
		}
	}
	if p.hints.body == nil && strings.EqualFold(attr(n, "itemprop"), "articleBody") {
		p.hints.body = n
	}
}

func (p *Page) meta(name, content string) {
	content = strings.TrimSpace(content)
	if content == "" {
		return
	}
	switch name {
	case "robots", "pressroombot":
		p.Directives(content)
	case "description", "og:description":
		p.Description = first(p.Description, clean(content))
	case "og:title":
		p.hints.title = clean(content)
	case "og:type":
		p.kind = strings.ToLower(content)
	case "og:site_name":
		p.SiteName = clean(content)
	case "og:url":
		p.hints.ogURL = content
	case "author", "article:author", "dc.creator", "byl", "parsely-author":
		if !strings.HasPrefix(content, "http") {
			p.hints.author = first(p.hints.author, clean(content))
		}
	case "article:published_time", "datepublished", "date", "pubdate", "publishdate", "dc.date", "dc.date.issued", "dcterms.created", "parsely-pub-date", "cxenseparse:recs:publishtime":
		p.hints.published = append(p.hints.published, content)
	case "article:modified_time", "datemodified", "og:updated_time", "dcterms.modified":
		p.hints.modified = append(p.hints.modified, content)
	}
}

// Directives takes the words of a robots meta element or X-Robots-Tag header.
func (p *Page) Directives(words string) {
	for word := range strings.SplitSeq(strings.ToLower(words), ",") {
		switch strings.TrimSpace(word) {
		case "none":
			p.NoIndex, p.NoFollow = true, true
		case "noindex":
			p.NoIndex = true
		case "nofollow":
			p.NoFollow = true
		}
	}
}

func (p *Page) link(n *html.Node) {
	href := attr(n, "href")
	for rel := range strings.FieldsSeq(strings.ToLower(attr(n, "rel"))) {
		switch rel {
		case "canonical":
			if p.Canonical == "" {
				p.Canonical = p.absolute(href)
			}
		case "alternate":
			switch strings.ToLower(attr(n, "type")) {
			case "application/rss+xml", "application/atom+xml", "application/feed+json":
				if u := p.absolute(href); u != "" {
					p.Feeds = append(p.Feeds, u)
				}
			}
		case "next", "prev":
			p.addLink(href)
		}
	}
}

func (p *Page) addLink(href string) {
	if len(p.Links) >= maxLinks {
		return
	}
	if u := p.absolute(href); u != "" && !p.seen[u] {
		p.seen[u] = true
		p.Links = append(p.Links, u)
	}
}

// absolute resolves a reference; "" if it leads to no page.
func (p *Page) absolute(href string) string {
	href = strings.TrimSpace(href)
	if href == "" || href[0] == '#' {
		return ""
	}
	u, err := p.base.Parse(href)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return ""
	}
	u.Fragment = ""
	return u.String()
}

// settle chooses among what was found.
func (p *Page) settle() {
	h := &p.hints
	title := first(h.ldTitle, h.title, p.heading, p.Title)
	p.Title = cutRunes(clean(title), maxTitle)
	p.Author = cutRunes(first(h.ldAuthor, h.author), maxName)
	if p.Canonical == "" && h.ogURL != "" {
		p.Canonical = p.absolute(h.ogURL)
	}
	p.Published = p.date(h.ldPublished, h.published, h.pubTimes, h.times)
	p.Modified = p.date(h.ldModified, h.modified)
	if p.Published.IsZero() {
		p.Published = dateInPath(p.URL.Path, p.loc, p.now)
	}
}

// date returns the first text of these that is a date.
func (p *Page) date(lists ...[]string) time.Time {
	for _, list := range lists {
		for _, text := range list {
			if t, ok := when.Parse(text, p.loc, p.now); ok {
				return t
			}
		}
	}
	return time.Time{}
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func first(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}
