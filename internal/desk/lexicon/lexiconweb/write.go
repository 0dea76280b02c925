package lexiconweb

import (
	"net/http"
	"strconv"
	"strings"

	"pressroom/internal/desk/lexicon"
	"pressroom/internal/errs"
	"pressroom/internal/web"
)

// writePage is the form of a term, for moderators.
type writePage struct {
	Slug    string // "" for a new one
	Path    string // where the form goes
	Version string // of the term that the form was filled with
	Term    *lexicon.Term
	Fields  map[string]string // lists, as they are typed
}

func (p *pages) showWrite(w http.ResponseWriter, r *http.Request) error {
	t := lexicon.Term{Term: r.URL.Query().Get("term"), Confidence: 0.8, Momentum: 0.5, QuizEligible: true, Language: p.site.Lang(r)}
	if slug := r.PathValue("slug"); slug != "" {
		var err error
		if t, err = p.desk.Term(r.Context(), slug); err != nil {
			return err
		}
	}
	return p.writeForm(w, r, &t, nil)
}

func (p *pages) writeForm(w http.ResponseWriter, r *http.Request, t *lexicon.Term, problem error) error {
	data := &writePage{Slug: r.PathValue("slug"), Path: "/lexicon/write", Version: strconv.Itoa(t.Version), Term: t, Fields: map[string]string{
		"variants": strings.Join(t.Variants, ", "), "tags": strings.Join(t.Tags, ", "), "categories": strings.Join(t.Categories, ", "),
		"regions": strings.Join(t.Regions, ", "), "sources": strings.Join(t.Sources, ", "), "examples": strings.Join(t.Examples, "\n"),
		"confidence": strconv.FormatFloat(t.Confidence, 'g', -1, 64), "momentum": strconv.FormatFloat(t.Momentum, 'g', -1, 64),
	}}
	title := p.site.T(r, "lexicon.write.new")
	if data.Slug != "" {
		data.Path, title = termPath(data.Slug)+"/edit", p.site.T(r, "lexicon.write.edit", data.Slug)
	}
	page := web.Page{Title: title, NoIndex: true, Private: true, Problem: problem, Data: data}
	if problem != nil {
		page.Status = web.StatusOf(problem)
	}
	return p.site.Render(w, r, p.views, "write", page)
}

func (p *pages) write(w http.ResponseWriter, r *http.Request) error {
	var t lexicon.Term
	slug := r.PathValue("slug")
	if slug != "" {
		var err error
		if t, err = p.desk.Term(r.Context(), slug); err != nil {
			return err
		}
	}
	err := readTerm(r, &t)
	if err == nil {
		err = p.saveTerm(r, slug, &t)
	}
	if err != nil {
		if formError(err) {
			return p.writeForm(w, r, &t, err)
		}
		return err
	}
	p.site.Flash(w, r, web.Good, "lexicon.write.done", t.Term)
	return p.site.Redirect(w, r, termPath(t.Slug))
}

// saveTerm writes the term over the version that the form was filled with.
func (p *pages) saveTerm(r *http.Request, slug string, t *lexicon.Term) error {
	if slug != "" {
		if r.PostFormValue("version") != strconv.Itoa(t.Version) {
			return errs.Stale
		}
		if !lexicon.Spells(t.Term, slug) {
			return errs.Validation(errs.Field{Name: "term", Message: "would be another term; write that one and remove this one"})
		}
	}
	return p.desk.SaveTerm(r.Context(), t)
}

// readTerm reads the form over a term.
func readTerm(r *http.Request, t *lexicon.Term) error {
	t.Term, t.Gloss, t.Language = r.PostFormValue("term"), r.PostFormValue("gloss"), r.PostFormValue("language")
	t.Variants, t.Tags, t.Categories = words(r.PostFormValue("variants")), words(r.PostFormValue("tags")), words(r.PostFormValue("categories"))
	t.Regions, t.Sources = words(r.PostFormValue("regions")), words(r.PostFormValue("sources"))
	t.Examples = nil
	for line := range strings.Lines(r.PostFormValue("examples")) {
		if line = strings.TrimSpace(line); line != "" {
			t.Examples = append(t.Examples, line)
		}
	}
	t.Glosses = byLanguage(r, "gloss_")
	t.Plain = byLanguage(r, "plain_")
	t.FirstAttested, t.AttestationNote = r.PostFormValue("first_attested"), r.PostFormValue("attestation_note")
	t.PlainWord, t.QuizEligible = r.PostFormValue("plain_word") == "true", r.PostFormValue("is_quiz_eligible") == "true"
	var problems []errs.Field
	for name, into := range map[string]*float64{"confidence": &t.Confidence, "momentum": &t.Momentum} {
		v, err := strconv.ParseFloat(r.PostFormValue(name), 64)
		if err != nil {
			problems = append(problems, errs.Field{Name: name, Message: "must be from 0 to 1"})
			continue
		}
		*into = v
	}
	if len(problems) > 0 {
		return errs.Validation(problems...)
	}
	return nil
}

// byLanguage reads fields that are there once for each language.
func byLanguage(r *http.Request, prefix string) map[string]string {
	texts := map[string]string{}
	for _, lang := range web.Languages {
		if text := strings.TrimSpace(r.PostFormValue(prefix + lang)); text != "" {
			texts[lang] = text
		}
	}
	return texts
}

func (p *pages) deleteTerm(w http.ResponseWriter, r *http.Request) error {
	t, err := p.desk.Term(r.Context(), r.PathValue("slug"))
	if err != nil {
		return err
	}
	if err := p.desk.DeleteTerm(r.Context(), t.Slug); err != nil {
		return err
	}
	p.site.Flash(w, r, web.Good, "lexicon.write.deleted", t.Term)
	return p.site.Redirect(w, r, "/lexicon")
}
