package lexicon

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"pressroom/internal/errs"
	"pressroom/internal/story"
	"pressroom/model"
)

// Limits on the parts of a term. A change of all of them fits into one
// transaction.
const (
	maxGloss      = 500
	maxExample    = 300
	maxVariants   = 12
	maxExamples   = 10
	maxTags       = 8
	maxRegions    = 5
	maxCategories = 4
	maxSources    = 10
	generalGroup  = "general"
)

type spelling struct {
	Name   string `dynamodbav:"name"`
	Spells string `dynamodbav:"spells"`
}

type variant struct {
	Name string `dynamodbav:"name"`
	Slug string `dynamodbav:"slug"`
}

type edition struct {
	Changes int `dynamodbav:"changes"`
}

// slugOf returns the term that a name item leads to.
func slugOf(item model.Item) (string, error) {
	if item.Entity.Name == "Spelling" {
		var s spelling
		err := item.As(&s)
		return s.Spells, err
	}
	var v variant
	err := item.As(&v)
	return v.Slug, err
}

// normalise checks a term and brings it into the form in which it is stored. It
// fills what follows from the rest: the slug, the quiz's fields, labels.
func (p *problems) normalise(t *Term) {
	n, problem := spell(t.Term)
	if problem != "" {
		p.add("term", "%s", problem)
	}
	if t.Version == 0 || skeletonOf(t.Slug) != n.skeleton {
		t.Slug = n.slug // other programs may have made one in another way, which stays
	}
	t.Term = n.text
	t.Gloss = p.text("gloss", t.Gloss, maxGloss, true)
	t.Glosses = p.byLanguage("glosses", t.Glosses, maxGloss)
	t.Plain = p.byLanguage("plain", t.Plain, maxTerm)
	t.Variants = p.variants(t.Variants, n)
	t.Examples = p.texts("examples", t.Examples, maxExamples, maxExample)
	t.Sources = p.texts("sources", t.Sources, maxSources, maxGloss)
	t.Tags = p.labels("tags", t.Tags, maxTags)
	t.Regions = p.labels("regions", t.Regions, maxRegions)
	t.Categories = p.labels("categories", t.Categories, maxCategories)
	t.FirstAttested = p.text("first_attested", t.FirstAttested, 16, false)
	t.AttestationNote = p.text("attestation_note", t.AttestationNote, maxGloss, false)
	t.Pos = p.text("pos", t.Pos, maxTerm, false)
	t.Status = p.text("status", t.Status, maxTerm, false)
	t.AgeRating = p.text("age_rating", t.AgeRating, maxTerm, false)
	t.ContentFlags = p.texts("content_flags", t.ContentFlags, maxTags, maxTerm)
	t.FirstSeen = p.text("first_seen", t.FirstSeen, maxTerm, false)
	t.LastSeen = p.text("last_seen", t.LastSeen, maxTerm, false)
	t.FirstAttestedConfidence = p.text("first_attested_confidence", t.FirstAttestedConfidence, maxTerm, false)
	if t.Language != "" && !slices.Contains(languages, t.Language) {
		p.add("language", "must be en or ja")
	}
	p.share("confidence", t.Confidence)
	p.share("momentum", t.Momentum)
	t.setQuiz()
}

// setQuiz derives the quiz's fields. A term that is in no quiz has none, and so
// is in none of the quiz's indexes.
func (t *Term) setQuiz() {
	t.QuizDifficulty, t.QuizCategory, t.QuizScore = "", "", nil
	if !t.QuizEligible {
		return
	}
	score := math.Round(t.Confidence*t.Momentum*10000) / 10000
	t.QuizScore = &score
	t.QuizCategory = t.category()
	switch {
	case score >= 0.85:
		t.QuizDifficulty = Beginner
	case score >= 0.65:
		t.QuizDifficulty = Intermediate
	default:
		t.QuizDifficulty = Advanced
	}
}

// category is the one that quizzes and trends count the term to.
func (t *Term) category() string {
	if len(t.Categories) == 0 {
		return generalGroup
	}
	return t.Categories[0]
}

func (p *problems) byLanguage(field string, texts map[string]string, most int) map[string]string {
	if len(texts) == 0 {
		return nil
	}
	clean := map[string]string{}
	for lang, text := range texts {
		if !slices.Contains(languages, lang) {
			p.add(field, "has the language %.10q; there are en and ja", lang)
			continue
		}
		if text = p.text(field+"."+lang, text, most, false); text != "" {
			clean[lang] = text
		}
	}
	return clean
}

// variants are terms themselves, each once and none the term itself.
func (p *problems) variants(values []string, main name) []string {
	clean := []string{}
	if len(values) > maxVariants {
		p.add("variants", "must have at most %d entries", maxVariants)
		return clean
	}
	seen := map[string]bool{main.slug: true}
	for _, v := range values {
		n, problem := spell(v)
		if problem != "" {
			p.add("variants", "%.40q %s", v, problem)
			continue
		}
		if !seen[n.slug] {
			seen[n.slug] = true
			clean = append(clean, n.text)
		}
	}
	return clean
}

// SaveTerm writes a term, new or over the version that was read, with its names
// and its places in all lists, all or nothing. It fills the slug, the quiz's
// fields and the time. Errors are Invalid, Duplicate if another term looks the
// same, and Stale.
func (d *Desk) SaveTerm(ctx context.Context, t *Term) error {
	if t.Origin == "" {
		t.Origin = OriginLexicon
	}
	var p problems
	p.normalise(t)
	if err := p.err(); err != nil {
		return err
	}
	if err := d.write(ctx, t); err != nil {
		return err
	}
	return d.termsChanged(ctx)
}

// write saves a normalised term, again if others were faster in telling of it.
func (d *Desk) write(ctx context.Context, t *Term) error {
	for try := 1; ; try++ {
		pieces, err := d.termPieces(ctx, t)
		if err != nil {
			return err
		}
		err = d.transact(ctx, pieces...)
		if !errors.Is(err, story.ErrChanged) || try == conflictTries {
			return termFailure(err, t.Term, 0)
		}
	}
}

// termFailure says what kept a term's pieces, which begin at a position of the
// transaction, from being written.
func termFailure(err error, term string, first int) error {
	switch {
	case err == nil:
		return nil
	case failedPiece(err, first) && errors.Is(err, model.ErrExists):
		return errs.Wrap(err, errs.Duplicate, "The lexicon has “%s” already.", term)
	case failedPiece(err, first):
		return errs.Wrap(err, errs.Stale, "Someone else changed “%s” in the meantime. Load it again and repeat your change.", term)
	case failedPiece(err, first+1):
		return errs.Wrap(err, errs.Duplicate, "The lexicon has a term that looks the same as “%s”.", term)
	}
	return failure(err)
}

// termPieces returns what writes a normalised term: first the term itself, then
// its spelling, then the rest, and what it tells.
func (d *Desk) termPieces(ctx context.Context, t *Term) ([]model.Piece, error) {
	var old Term
	if t.Version != 0 {
		var err error
		if old, err = d.Term(ctx, t.Slug); err != nil {
			return nil, err
		}
	}
	t.LastUpdated = d.now()
	main := spelling{Name: skeletonOf(t.Slug), Spells: t.Slug}
	ours := expression.AttributeNotExists(expression.Name("PK")).Or(expression.Name("spells").Equal(expression.Value(t.Slug)))
	pieces := []model.Piece{d.terms.PutPiece(t), d.spellings.PutPiece(&main, ours)}
	names := t.names()
	for _, name := range names {
		pieces = append(pieces, d.variants.PutPiece(&variant{Name: name, Slug: t.Slug}))
	}
	for _, name := range old.names() {
		if !slices.Contains(names, name) {
			pieces = append(pieces, d.variants.DeletePiece(model.Values{"name": name, "slug": t.Slug}))
		}
	}
	places := t.listings()
	for i := range places {
		pieces = append(pieces, d.listings.PutPiece(&places[i]))
	}
	for _, l := range old.listings() {
		if !slices.ContainsFunc(places, l.samePlace) {
			pieces = append(pieces, d.listings.DeletePiece(l.key()))
		}
	}
	told, err := d.o.Stories.Publish(ctx, t.text().Story, "")
	return append(pieces, told...), err
}

// names are the spellings of the variants, each once.
func (t *Term) names() []string {
	var names []string
	for _, v := range t.Variants {
		n, problem := spell(v)
		if problem == "" && n.skeleton != skeletonOf(t.Slug) && !slices.Contains(names, n.skeleton) {
			names = append(names, n.skeleton)
		}
	}
	return names
}

// listings are the term's places in the lists; none for no term.
func (t *Term) listings() []Listing {
	if t.Slug == "" {
		return nil
	}
	var all []Listing
	under := func(facet string, values ...string) {
		for _, v := range values {
			if v = label(v); v == "" || len(v) > idMax {
				continue // another program's
			}
			all = append(all, Listing{Facet: facet, Value: v, Slug: t.Slug, Term: t.Term, Gloss: t.Gloss, Glosses: t.Glosses, Language: t.Language})
		}
	}
	under(ByTag, t.Tags...)
	under(ByRegion, t.Regions...)
	under(ByCategory, t.Categories...)
	under(ByInitial, initial(t.Slug))
	return all
}

func (l Listing) samePlace(other Listing) bool {
	return l.Facet == other.Facet && l.Value == other.Value
}

func (l Listing) key() model.Values {
	return model.Values{"facet": l.Facet, "value": l.Value, "slug": l.Slug}
}

// initial is the letter under which a term is found in an index of letters:
// without accents, katakana as hiragana; all digits, and all signs, are one.
func initial(slug string) string {
	r, _ := utf8.DecodeRuneInString(slug)
	switch {
	case r >= 'ァ' && r <= 'ヶ':
		r -= 'ァ' - 'ぁ'
	case unicode.IsDigit(r):
		return "0-9"
	case !unicode.IsLetter(r):
		return "symbols"
	}
	return strings.ToLower(string(r))
}

// removePieces returns what removes a term, provided that it has the version
// that was read: first the term itself.
func (d *Desk) removePieces(ctx context.Context, t *Term) ([]model.Piece, error) {
	pieces := []model.Piece{
		d.terms.RemovePiece(t),
		d.spellings.DeletePiece(model.Values{"name": skeletonOf(t.Slug)}),
	}
	for _, name := range t.names() {
		pieces = append(pieces, d.variants.DeletePiece(model.Values{"name": name, "slug": t.Slug}))
	}
	for _, l := range t.listings() {
		pieces = append(pieces, d.listings.DeletePiece(l.key()))
	}
	told, err := d.o.Stories.Withdraw(ctx, story.Ref{Desk: Schema.Name, ID: t.Slug}, "")
	return append(pieces, told...), err
}

// DeleteTerm removes a term, its names and its places in all lists, all or
// nothing.
func (d *Desk) DeleteTerm(ctx context.Context, slug string) error {
	t, err := d.Term(ctx, slug)
	if err != nil {
		return err
	}
	pieces, err := d.removePieces(ctx, &t)
	if err == nil {
		err = d.transact(ctx, pieces...)
	}
	if err != nil {
		return failure(err)
	}
	return d.termsChanged(ctx)
}

// termsChanged tells all processes that their terms in memory are old.
func (d *Desk) termsChanged(ctx context.Context) error {
	_, err := d.editions.Upsert(ctx, model.Values{}, expression.Add(expression.Name("changes"), expression.Value(1)))
	d.book.forget()
	return failure(err)
}
