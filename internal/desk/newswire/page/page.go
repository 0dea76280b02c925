// Package page reads HTML pages of news sites: in any encoding, what links they
// have, what they say about themselves, and, if they are articles, the text.
//
// It promises that any bytes can be read, that text comes out as plain text
// without control characters, and that a date without a zone is in the site's
// zone. Start with [Read]; encoding.go finds the encoding, scan.go the tags,
// article.go tells articles from lists, body.go takes the text out of what a page
// marks as its body, text.go counts and cuts it.
package page

import (
	"net/url"
	"strings"
	"time"

	"golang.org/x/net/html/atom"

	"pressroom/internal/desk/newswire/when"
	"pressroom/internal/rights"
)

// Limits on what is taken from one page.
const (
	maxLinks = 2000
	maxTitle = 500 // characters
	maxName  = 200
)

// agent is the name by which meta elements speak to the crawler alone.
const agent = "pressroombot"

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
	Links       []string      // absolute, without fragments, in their order, each once
	Feeds       []string      // the feeds that it announces
	Said        []rights.Said // about its use, in meta elements
	Licences    []string      // the RSL licences that it names
	Picture     string        // the address of the picture that stands for it; "" for none
	PictureText string        // what that shows

	text    []byte // in UTF-8
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

// Read reads a page that was found at an address. Any bytes can be read. The page
// holds on to the body.
func Read(body []byte, at *url.URL, o Options) *Page {
	p := &Page{URL: at, base: at, loc: o.Location, now: o.Now, seen: map[string]bool{}}
	if p.loc == nil {
		p.loc = time.UTC
	}
	if p.now.IsZero() {
		p.now = time.Now()
	}
	p.text, p.Encoding = Decode(body, o.ContentType)
	p.scan()
	p.settle()
	return p
}

// scan reads the page once, in order, and takes what it finds.
func (p *Page) scan() {
	s := scanner{src: p.text}
	drawing := 0 // how many drawings deep: their titles are not the page's
	for t := s.next(); t != nil; t = s.next() {
		switch {
		case t.kind == textToken:
			continue
		case t.name == atom.Svg && t.kind == endToken:
			drawing = max(0, drawing-1)
		case t.name == atom.Svg && !t.empty:
			drawing++
		case t.kind == startToken && drawing == 0:
			p.element(&s, t)
		}
		if drawing > 0 {
			s.inside = 0 // in a drawing, they are elements like others
		}
	}
}

func (p *Page) element(s *scanner, t *token) {
	if p.hints.body.at == 0 && t.is("itemprop", "articleBody") {
		p.hints.body = mark{t.name, s.pos}
	}
	switch t.name {
	case atom.Html:
		p.Language = first(p.Language, t.attr("lang"))
	case atom.Base:
		if href := t.attr("href"); href != "" {
			if u, err := p.URL.Parse(href); err == nil {
				p.base = u
			}
		}
	case atom.Title:
		if p.Title == "" {
			p.Title = s.textUntil(t.name)
		}
	case atom.H1:
		if p.heading == "" {
			p.heading = s.textUntil(t.name)
		}
	case atom.Meta:
		p.meta(strings.ToLower(first(t.attr("property"), t.attr("name"), t.attr("itemprop"))), t.attr("content"))
	case atom.Link:
		p.link(t)
	case atom.A, atom.Area:
		if !strings.Contains(strings.ToLower(t.attr("rel")), "nofollow") {
			p.addLink(t.attr("href"))
		}
	case atom.Time:
		p.hints.addTime(s, t)
	case atom.Script:
		if strings.EqualFold(strings.TrimSpace(t.attr("type")), "application/ld+json") {
			if t := s.content(); t != nil {
				p.hints.linkedData(t.raw)
			}
		}
	case atom.Article:
		p.hints.articles++
		if p.hints.article.at == 0 {
			p.hints.article = mark{t.name, s.pos}
		}
	}
}

func (p *Page) meta(name, content string) {
	content = strings.TrimSpace(content)
	if content == "" {
		return
	}
	switch name {
	case "robots", agent, "tdm-reservation":
		p.Said = append(p.Said, rights.Meta(name, content, agent)...)
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
	case "og:image", "og:image:url", "twitter:image":
		p.Picture = first(p.Picture, p.absolute(content))
	case "og:image:alt", "twitter:image:alt":
		p.PictureText = first(p.PictureText, cutRunes(clean(content), maxTitle))
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

func (p *Page) link(t *token) {
	href := t.attr("href")
	for rel := range strings.FieldsSeq(strings.ToLower(t.attr("rel"))) {
		switch rel {
		case "canonical":
			if p.Canonical == "" {
				p.Canonical = p.absolute(href)
			}
		case "alternate":
			switch strings.ToLower(t.attr("type")) {
			case "application/rss+xml", "application/atom+xml", "application/feed+json":
				if u := p.absolute(href); u != "" {
					p.Feeds = append(p.Feeds, u)
				}
			}
		case "next", "prev":
			p.addLink(href)
		case "license":
			if u := p.absolute(href); u != "" && strings.EqualFold(strings.TrimSpace(t.attr("type")), "application/rsl+xml") {
				p.Licences = append(p.Licences, u)
			}
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

func first(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}
