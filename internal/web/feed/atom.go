package feed

import (
	"encoding/xml"
	"io"
	"strings"
	"unicode/utf8"
)

type atomFeed struct {
	XMLName  xml.Name    `xml:"http://www.w3.org/2005/Atom feed"`
	Lang     string      `xml:"xml:lang,attr,omitempty"`
	ID       string      `xml:"id"`
	Title    string      `xml:"title"`
	Subtitle string      `xml:"subtitle,omitempty"`
	Updated  string      `xml:"updated"`
	Author   *atomAuthor `xml:"author"`
	Links    []atomLink  `xml:"link"`
	Entries  []atomEntry `xml:"entry"`
}

type atomEntry struct {
	Lang       string         `xml:"xml:lang,attr,omitempty"`
	ID         string         `xml:"id"`
	Title      string         `xml:"title"`
	Published  string         `xml:"published,omitempty"`
	Updated    string         `xml:"updated"`
	Authors    []atomAuthor   `xml:"author"`
	Links      []atomLink     `xml:"link"`
	Categories []atomCategory `xml:"category"`
	Summary    string         `xml:"summary,omitempty"`
	Content    *atomContent   `xml:"content"`
}

type atomAuthor struct {
	Name string `xml:"name"`
}

type atomLink struct {
	Rel  string `xml:"rel,attr,omitempty"`
	Type string `xml:"type,attr,omitempty"`
	Href string `xml:"href,attr"`
}

type atomCategory struct {
	Term string `xml:"term,attr"`
}

type atomContent struct {
	Type string `xml:"type,attr"`
	Text string `xml:",chardata"`
}

// WriteAtom writes the feed as Atom.
func WriteAtom(w io.Writer, f Feed) error {
	doc := atomFeed{
		Lang: f.Lang, ID: clean(f.Self), Title: clean(f.Title), Subtitle: clean(f.Description), Updated: moment(f.updated()),
		Author: &atomAuthor{clean(f.Title)},
		Links:  []atomLink{{"self", "application/atom+xml", clean(f.Self)}, {"alternate", "text/html", clean(f.Home)}},
	}
	if f.Next != "" {
		doc.Links = append(doc.Links, atomLink{"next", "application/atom+xml", clean(f.Next)})
	}
	for _, item := range f.Items {
		doc.Entries = append(doc.Entries, atomOf(item))
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", " ")
	if err := enc.Encode(doc); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func atomOf(item Item) atomEntry {
	e := atomEntry{
		Lang: item.Lang, ID: clean(item.id()), Title: clean(item.Title), Updated: moment(item.updated()), Summary: clean(item.Summary),
		Links: []atomLink{{"alternate", "text/html", clean(item.URL)}},
	}
	if !item.Published.IsZero() {
		e.Published = moment(item.Published)
	}
	for _, name := range item.Authors {
		e.Authors = append(e.Authors, atomAuthor{clean(name)})
	}
	if item.External != "" {
		e.Links = append(e.Links, atomLink{"via", "", clean(item.External)})
	}
	if item.Image != "" {
		e.Links = append(e.Links, atomLink{"enclosure", "", clean(item.Image)})
	}
	for _, tag := range item.Tags {
		e.Categories = append(e.Categories, atomCategory{clean(tag)})
	}
	if item.HTML != "" {
		e.Content = &atomContent{"html", clean(item.HTML)}
	}
	return e
}

// clean drops what XML 1.0 has no way to write. The encoder would put a
// replacement character in its place, which readers then see.
func clean(text string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c == '\t', c == '\n', c == '\r':
			return c
		case c < ' ', c == utf8.RuneError, c == 0xFFFE, c == 0xFFFF:
			return -1
		}
		return c
	}, text)
}
