package web

import (
	"net/http"
	"net/url"
	"path"
	"strconv"

	"pressroom/internal/auth"
	"pressroom/internal/story"
)

// Standing is how a story came about and what people corrected in it. A page that shows
// a story gives it to [Page], for the machine-readable part, and its templates show it
// with the components corrected and standing.
type Standing struct {
	story.Provenance
	Story  story.Story
	Notes  []story.Note // the first one first
	Report string       // path of the form that reports a mistake
	Edit   string       // path where moderators change a machine's text; "" for others
	Thread *ThreadLink  // that it is part of; nil if it stands alone
}

// Standing returns how a story stands now; nil if there is no card of it.
func (s *Site) Standing(r *http.Request, ref story.Ref) (*Standing, error) {
	if s.o.Stories == nil {
		return nil, nil
	}
	cards, err := s.o.Stories.Get(r.Context(), ref)
	if err != nil || len(cards) == 0 {
		return nil, err
	}
	notes, err := s.o.Stories.Notes(r.Context(), ref)
	if err != nil {
		return nil, err
	}
	st := &Standing{Provenance: cards[0].Provenance, Story: cards[0], Report: "/report?" + url.Values{"desk": {ref.Desk}, "id": {ref.ID}}.Encode()}
	if auth.RoleOf(r.Context()).Allows(auth.Moderator) && st.Model != "" {
		st.Edit = "/office/review/item?" + url.Values{"queue": {"published"}, "id": {ref.String()}}.Encode()
	}
	if st.Thread, err = s.threadOf(r.Context(), s.Lang(r), ref); err != nil {
		return nil, err
	}
	for _, n := range notes {
		if n.What != story.Withdrawn { // what came back says so itself
			st.Notes = append(st.Notes, n)
		}
	}
	return st, nil
}

// Meta is a meta element of a page.
type Meta struct{ Name, Content string }

// Meta says what the text was made by and who looked at it, for programs that read no
// linked data.
func (st *Standing) Meta() []Meta {
	var all []Meta
	add := func(name, content string) {
		if content != "" {
			all = append(all, Meta{name, content})
		}
	}
	add("pressroom:model", st.Model)
	add("pressroom:prompt", st.Prompt)
	add("pressroom:generated", st.Made)
	add("pressroom:reviewer", st.Reviewer)
	add("pressroom:reviewed", st.Reviewed)
	if st.Version > 0 {
		add("pressroom:reviewed-version", strconv.Itoa(st.Version))
	}
	return all
}

// digitalSources are schema.org's names of the IPTC's terms.
var digitalSources = map[string]string{
	"trainedAlgorithmicMedia":              "TrainedAlgorithmicMediaDigitalSource",
	"algorithmicMedia":                     "AlgorithmicMediaDigitalSource",
	"compositeWithTrainedAlgorithmicMedia": "CompositeWithTrainedAlgorithmicMediaDigitalSource",
}

// LinkedData is the story in schema.org's terms.
func (st *Standing) LinkedData(v *View) map[string]any {
	const schema = "https://schema.org/"
	c := &st.Story
	person := func(name string) map[string]any { return map[string]any{"@type": "Person", "name": name} }
	publisher := map[string]any{"@type": "NewsMediaOrganization", "name": v.Name, "correctionsPolicy": v.Absolute("/corrections")}
	if logo := v.Logo(); logo != nil {
		publisher["logo"] = v.Absolute(logo.Path)
	}
	ld := map[string]any{
		"@context": schema, "@type": "NewsArticle", "headline": c.Title, "description": c.SummaryIn(v.Lang), "mainEntityOfPage": v.CanonicalURL(),
		"datePublished": c.Published, "version": c.Revision,
		"publisher": publisher,
	}
	for key, value := range map[string]string{"dateModified": c.Updated, "inLanguage": c.Language, "isBasedOn": c.Source.URL, "license": c.Source.Licence} {
		if value != "" {
			ld[key] = value
		}
	}
	if c.Kind == "term" {
		ld["@type"], ld["name"] = "DefinedTerm", c.Title
	}
	switch {
	case st.Model != "":
		ld["creator"] = map[string]any{"@type": "SoftwareApplication", "name": st.Model, "softwareVersion": st.Prompt}
		ld["digitalSourceType"] = schema + digitalSources[path.Base(st.Digital())]
	case st.Author != "":
		ld["author"] = person(st.Author)
		if len(st.CoAuthors) > 0 {
			var all []any
			for _, name := range st.Authors() {
				all = append(all, person(name))
			}
			ld["author"] = all
		}
	}
	if st.Reviewer != "" {
		ld["editor"] = person(st.Reviewer)
	}
	var corrections []any
	for _, n := range st.Notes {
		corrections = append(corrections, map[string]any{"@type": "CorrectionComment", "text": n.Reason, "dateCreated": n.At, "author": person(n.By)})
	}
	if corrections != nil {
		ld["correction"] = corrections
	}
	return ld
}
