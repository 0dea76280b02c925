package story

import (
	"crypto/sha256"
	"encoding/hex"
)

// Passage is a part of a story's text that can be cited.
type Passage struct {
	ID      string // names it within the story
	Path    string // of the page, and the place there, where its words stand
	Speaker string // who says it; "" if the story itself does
	Text    string // plain
}

// SummaryPassage is the id of the passage that every story has: its summary.
const SummaryPassage = "summary"

// Cited returns what of a story can be cited: its summary, then its text.
func (t *Text) Cited() []Passage {
	own := Passage{ID: SummaryPassage, Path: t.Path, Text: t.Summary}
	return append([]Passage{own}, t.Passages...)
}

// Citation says where words stand, so that anyone can look them up and see whether they
// are still the same.
type Citation struct {
	Address  string `json:"address" doc:"the page, and the place there, where the words stand"`
	Desk     string `json:"desk"`
	Story    string `json:"story" doc:"its id at its desk"`
	Passage  string `json:"passage" doc:"its id within the story"`
	SHA256   string `json:"sha256" doc:"of the passage's text in UTF-8, in hexadecimal"`
	Revision int    `json:"revision" doc:"of the story when it was read"`
	Date     string `json:"date" doc:"when the story was published"`
	Source   string `json:"source,omitempty" doc:"who said it first; empty for the newsroom's own"`
	URL      string `json:"url,omitempty" doc:"where the source has it"`
	Basis    string `json:"basis,omitempty" doc:"why it may be shown"`
	Licence  string `json:"licence,omitempty"`
}

// Cite returns the citation of a passage of the story.
func (st *Story) Cite(p Passage) Citation {
	sum := sha256.Sum256([]byte(p.Text))
	return Citation{
		Address: p.Path, Desk: st.Desk, Story: st.ID, Passage: p.ID, SHA256: hex.EncodeToString(sum[:]), Revision: st.Revision,
		Date: st.Published, Source: st.Source.Name, URL: st.Source.URL, Basis: st.Source.Basis, Licence: st.Source.Licence,
	}
}
