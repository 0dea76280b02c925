package transfer

import (
	"encoding/json"
	"fmt"
	"html"
	"slices"
	"strings"
)

// mobiledoc adds a document of Ghost's editor before Lexical: version 0.3.
func (b *builder) mobiledoc(text string) error {
	var doc struct {
		Atoms    [][]json.RawMessage `json:"atoms"`
		Cards    [][]json.RawMessage `json:"cards"`
		Markups  [][]json.RawMessage `json:"markups"`
		Sections [][]json.RawMessage `json:"sections"`
	}
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		return err
	}
	m := mobile{builder: b, atoms: doc.Atoms}
	for _, raw := range doc.Markups {
		var tag string
		var attrs []string
		_ = part(raw, 0, &tag)
		_ = part(raw, 1, &attrs)
		m.markups = append(m.markups, m.markup(tag, attrs))
	}
	var flow strings.Builder
	for _, s := range doc.Sections {
		var kind int
		if err := part(s, 0, &kind); err != nil {
			return err
		}
		if kind != 10 {
			out, err := m.section(kind, s)
			if err != nil {
				return err
			}
			flow.WriteString(out)
			continue
		}
		b.html(flow.String())
		flow.Reset()
		var at int
		var name string
		var c card
		if err := part(s, 1, &at); err != nil || at < 0 || at >= len(doc.Cards) {
			return fmt.Errorf("a section names card %d of %d", at, len(doc.Cards))
		}
		if err := part(doc.Cards[at], 0, &name); err != nil {
			return err
		}
		if err := part(doc.Cards[at], 1, &c); err != nil {
			b.lose("the card %s cannot be read", cutName(name))
			continue
		}
		b.card(name, &c)
	}
	b.html(flow.String())
	return nil
}

// part reads one part of a tuple.
func part(tuple []json.RawMessage, at int, into any) error {
	if at >= len(tuple) {
		return fmt.Errorf("a tuple of %d parts has no part %d", len(tuple), at)
	}
	return json.Unmarshal(tuple[at], into)
}

type mobile struct {
	*builder
	atoms   [][]json.RawMessage
	markups []string // opening tags
}

var mobileTags = []string{"a", "b", "code", "em", "i", "s", "strong", "sub", "sup", "u"}

func (m *mobile) markup(tag string, attrs []string) string {
	tag = strings.ToLower(tag)
	if !slices.Contains(mobileTags, tag) {
		return "<span>"
	}
	for i := 0; tag == "a" && i+1 < len(attrs); i += 2 {
		if attrs[i] == "href" {
			return `<a href="` + html.EscapeString(attrs[i+1]) + `">`
		}
	}
	return "<" + tag + ">"
}

func (m *mobile) section(kind int, s []json.RawMessage) (string, error) {
	switch kind {
	case 1: // markup: a tag and markers
		var tag string
		var markers [][]json.RawMessage
		if err := part(s, 1, &tag); err != nil {
			return "", err
		}
		if err := part(s, 2, &markers); err != nil {
			return "", err
		}
		inner, err := m.markers(markers)
		if tag = strings.ToLower(tag); !slices.Contains([]string{"p", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "aside"}, tag) {
			tag = "p"
		}
		if tag == "aside" {
			tag = "blockquote"
		}
		return "<" + tag + ">" + inner + "</" + tag + ">", err
	case 2: // an image
		var src string
		err := part(s, 1, &src)
		return `<img src="` + html.EscapeString(src) + `">`, err
	case 3: // a list
		var tag string
		var items [][][]json.RawMessage
		if err := part(s, 1, &tag); err != nil {
			return "", err
		}
		if err := part(s, 2, &items); err != nil {
			return "", err
		}
		if tag != "ol" {
			tag = "ul"
		}
		var b strings.Builder
		for _, item := range items {
			inner, err := m.markers(item)
			if err != nil {
				return "", err
			}
			b.WriteString("<li>" + inner + "</li>")
		}
		return "<" + tag + ">" + b.String() + "</" + tag + ">", nil
	}
	return "", fmt.Errorf("a section of the kind %d", kind)
}

// markers are pieces of text, each with the markups that begin and the number of those
// that end with it.
func (m *mobile) markers(markers [][]json.RawMessage) (string, error) {
	var b strings.Builder
	var open []string
	for _, marker := range markers {
		var kind, ends int
		var begins []int
		for at, into := range []any{&kind, &begins, &ends} {
			if err := part(marker, at, into); err != nil {
				return "", err
			}
		}
		for _, at := range begins {
			if at < 0 || at >= len(m.markups) {
				return "", fmt.Errorf("a marker names markup %d of %d", at, len(m.markups))
			}
			b.WriteString(m.markups[at])
			name, _, _ := strings.Cut(strings.Trim(m.markups[at], "<>"), " ")
			open = append(open, name)
		}
		text, err := m.marked(kind, marker)
		if err != nil {
			return "", err
		}
		b.WriteString(text)
		for ; ends > 0 && len(open) > 0; ends-- {
			b.WriteString("</" + open[len(open)-1] + ">")
			open = open[:len(open)-1]
		}
	}
	return b.String(), nil
}

func (m *mobile) marked(kind int, marker []json.RawMessage) (string, error) {
	if kind == 0 {
		var text string
		err := part(marker, 3, &text)
		return html.EscapeString(text), err
	}
	var at int
	if err := part(marker, 3, &at); err != nil || at < 0 || at >= len(m.atoms) {
		return "", fmt.Errorf("a marker names an atom that is not there")
	}
	var name, text string
	_ = part(m.atoms[at], 0, &name)
	_ = part(m.atoms[at], 1, &text)
	if name == "soft-return" {
		return "<br>", nil
	}
	return html.EscapeString(text), nil
}
