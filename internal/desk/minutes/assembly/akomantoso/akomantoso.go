// Package akomantoso reads debates in Akoma Ntoso 3.0 (OASIS LegalDocML), and in the
// earlier forms of it that parliaments still publish.
//
// It promises that every speech, question and answer is a speech, in order, also in
// sections that it does not know; that what is not spoken is a note; and that a vote
// is one that the document's analysis counts or its body lists, with those who voted.
//
// Start with [Format]; body.go reads the debate, meta.go what is known of it.
package akomantoso

import (
	"encoding/xml"
	"errors"
	"io"
	"iter"
	"path"
	"strings"

	"pressroom/internal/desk/minutes/assembly"
	"pressroom/internal/desk/minutes/assembly/xmldoc"
)

// Format reads Akoma Ntoso.
type Format struct{}

var _ assembly.Format = Format{}

// Takes tells whether the format reads a file.
func (Format) Takes(name string) bool {
	ending := path.Ext(name)
	return ending == ".xml" || ending == ".akn"
}

// Meetings yields the debate of a file.
func (Format) Meetings(file assembly.File) iter.Seq2[*assembly.Meeting, error] {
	return func(yield func(*assembly.Meeting, error) bool) {
		r, err := read(file, false)
		if err != nil {
			yield(nil, err)
			return
		}
		if !r.debate {
			return
		}
		m, err := r.Done()
		if err != nil {
			err = &assembly.FileError{File: file.Name, Err: err}
		}
		yield(m, err)
	}
}

// People reads whom the document refers to.
func (Format) People(file assembly.File, into *assembly.Register) error {
	r, err := read(file, true)
	if err != nil {
		return err
	}
	for _, ref := range r.refs {
		id := ref.id()
		if ref.name == "" || id == "" {
			continue
		}
		name := assembly.Name{Text: ref.name}
		switch ref.class {
		case "TLCPerson":
			p := into.Person(id)
			if len(p.Names) == 0 {
				p.Names = []assembly.Name{name}
				p.Attrs = p.Attrs.Put("href", ref.href)
				err = into.Take(300 + len(id) + len(ref.name))
			}
		case "TLCOrganization":
			o := into.Organisation(id)
			if len(o.Names) == 0 {
				o.Names = []assembly.Name{name}
				err = into.Take(300 + len(id) + len(ref.name))
			}
		}
		if err != nil {
			return &assembly.FileError{File: file.Name, Err: err}
		}
	}
	return nil
}

// reader reads one document.
type reader struct {
	*xmldoc.Decoder
	assembly.Builder
	debate bool
	refs   map[string]ref
	// votings are those of the analysis, by the id of what they stand at.
	votings map[string][]*assembly.Vote
	options map[string]bool // what they count
	waiting []assembly.Item // sections whose headings have not been read
	level   int
	days    map[string]string // the dates of the document, by where they stand
}

// read reads a document, or only its head.
func read(file assembly.File, head bool) (*reader, error) {
	in, err := file.Open()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	r := &reader{Decoder: xmldoc.New(file.Name, in), refs: map[string]ref{}, votings: map[string][]*assembly.Vote{}, options: map[string]bool{}, days: map[string]string{}}
	stem, _, _ := strings.Cut(path.Base(file.Name), ".")
	r.Meeting.ID = stem
	root := true
	for {
		token, err := r.Next()
		if errors.Is(err, io.EOF) {
			r.leftover()
			r.date()
			return r, nil
		}
		if err != nil {
			return nil, err
		}
		t, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if root && t.Name.Local != "akomaNtoso" {
			return nil, r.Errorf("<%s> is not the beginning of an Akoma Ntoso document", t.Name.Local)
		}
		root = false
		switch t.Name.Local {
		case "akomaNtoso":
		case "debate", "debateReport":
			if r.debate {
				return nil, r.Errorf("a second debate in one document")
			}
			r.debate = true
			r.Meeting.Attrs = xmldoc.Attrs(t, "schemaLocation")
		case "meta":
			err = r.meta(t)
		case "preface", "coverPage":
			err = r.preface(t)
		case "debateBody", "body", "mainBody":
			if head {
				return r, nil
			}
			err = r.section(t, nil)
		default:
			var n xmldoc.Node
			if n, err = r.Tree(t); err == nil && r.debate {
				r.Extra(n.Element())
			}
		}
		if err == nil && r.Err() != nil {
			err = r.Errorf("%w", r.Err())
		}
		if err != nil {
			return nil, err
		}
	}
}
