package lexicon

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"pressroom/internal/errs"
	"pressroom/model"
)

// Term is an entry of the lexicon.
type Term struct {
	Slug            string   `dynamodbav:"slug" json:"slug"`
	Term            string   `dynamodbav:"term" json:"term"`
	Gloss           string   `dynamodbav:"gloss" json:"gloss"`
	Variants        []string `dynamodbav:"variants" json:"variants"`
	Examples        []string `dynamodbav:"examples" json:"examples"`
	Tags            []string `dynamodbav:"tags" json:"tags"`
	Regions         []string `dynamodbav:"regions" json:"regions"`
	Sources         Sources  `dynamodbav:"sources" json:"sources"`
	FirstAttested   string   `dynamodbav:"first_attested,omitempty" json:"first_attested,omitempty"`
	AttestationNote string   `dynamodbav:"attestation_note,omitempty" json:"attestation_note,omitempty"`
	QuizEligible    bool     `dynamodbav:"is_quiz_eligible" json:"is_quiz_eligible"`
	QuizDifficulty  string   `dynamodbav:"quiz_difficulty,omitempty" json:"quiz_difficulty,omitempty"`
	QuizCategory    string   `dynamodbav:"quiz_category,omitempty" json:"quiz_category,omitempty"`
	QuizScore       *float64 `dynamodbav:"quiz_score,omitempty" json:"quiz_score,omitempty"`
	Confidence      float64  `dynamodbav:"confidence" json:"confidence"`
	Momentum        float64  `dynamodbav:"momentum" json:"momentum"`
	LastUpdated     Stamp    `dynamodbav:"last_updated" json:"last_updated"`
	Categories      []string `dynamodbav:"categories" json:"categories"`
	// Origin is "lexicon" for imported terms and "submission" for the
	// community's; then SubmissionID is the submission.
	Origin       string `dynamodbav:"origin" json:"origin"`
	SubmissionID string `dynamodbav:"submission_id,omitempty" json:"submission_id,omitempty"`
	// Language is the term's own, "en" or "ja"; "" if nobody said.
	Language string `dynamodbav:"language,omitempty" json:"language,omitempty"`
	// Glosses are the gloss by language, where there are several; Gloss is one
	// of them. See GlossIn.
	Glosses map[string]string `dynamodbav:"glosses,omitempty" json:"glosses,omitempty"`
	// Plain are words that can stand in the term's place, by language.
	Plain map[string]string `dynamodbav:"plain,omitempty" json:"plain,omitempty"`
	// PlainWord is true for a term that is an ordinary word as well: it is not
	// explained in the middle of articles.
	PlainWord bool `dynamodbav:"plain_word,omitempty" json:"plain_word,omitempty"`

	// What files tell besides, in their own words.
	Pos                     string             `dynamodbav:"pos,omitempty" json:"pos,omitempty"` // part of speech
	Status                  string             `dynamodbav:"status,omitempty" json:"status,omitempty"`
	AgeRating               string             `dynamodbav:"age_rating,omitempty" json:"age_rating,omitempty"`
	ContentFlags            []string           `dynamodbav:"content_flags,omitempty" json:"content_flags,omitempty"`
	FirstSeen               string             `dynamodbav:"first_seen,omitempty" json:"first_seen,omitempty"`
	LastSeen                string             `dynamodbav:"last_seen,omitempty" json:"last_seen,omitempty"`
	FirstAttestedConfidence string             `dynamodbav:"first_attested_confidence,omitempty" json:"first_attested_confidence,omitempty"`
	SourceCounts            map[string]float64 `dynamodbav:"source_counts,omitempty" json:"source_counts,omitempty"`
	// Imported are the items of a file that the term was made of, word for word.
	Imported []string `dynamodbav:"imported,omitempty" json:"-"`
	Version  int      `dynamodbav:"version" json:"version"`
}

// GlossIn returns the gloss in a language, or the one there is.
func (t *Term) GlossIn(lang string) string { return glossIn(t.Glosses, t.Gloss, lang) }

func glossIn(glosses map[string]string, gloss, lang string) string {
	if text := glosses[lang]; text != "" {
		return text
	}
	return gloss
}

// Listing is a term in a list.
type Listing struct {
	Facet    string            `dynamodbav:"facet" json:"-"`
	Value    string            `dynamodbav:"value" json:"-"`
	Slug     string            `dynamodbav:"slug" json:"slug"`
	Term     string            `dynamodbav:"term" json:"term"`
	Gloss    string            `dynamodbav:"gloss" json:"gloss"`
	Glosses  map[string]string `dynamodbav:"glosses,omitempty" json:"glosses,omitempty"`
	Language string            `dynamodbav:"language,omitempty" json:"language,omitempty"`
}

// GlossIn returns the gloss in a language, or the one there is.
func (l *Listing) GlossIn(lang string) string { return glossIn(l.Glosses, l.Gloss, lang) }

// The facets by which terms are browsed.
const (
	ByTag      = "tag"
	ByRegion   = "region"
	ByCategory = "category"
	ByInitial  = "initial" // the first letter; katakana counts as hiragana
)

// Term returns a term by its slug, or NotFound.
func (d *Desk) Term(ctx context.Context, slug string) (Term, error) {
	if slug == "" {
		return Term{}, fmt.Errorf("get term: %w", errs.NotFound)
	}
	t, err := d.terms.Get(ctx, model.Values{"slug": slug})
	return t, failure(err)
}

// Entry is what the page of a term shows.
type Entry struct {
	Term    Term
	Trend   *Trend // nil if nobody used the term lately
	Related []Listing
}

// Entry returns a term with its trend and related terms, or NotFound.
func (d *Desk) Entry(ctx context.Context, slug string) (Entry, error) {
	t, err := d.Term(ctx, slug)
	if err != nil {
		return Entry{}, err
	}
	e := Entry{Term: t}
	trend, err := d.trends.Get(ctx, model.Values{"slug": slug})
	switch {
	case err == nil:
		e.Trend = &trend
	case !errors.Is(err, model.ErrNotFound):
		return Entry{}, failure(err)
	}
	b, err := d.Book(ctx)
	if err != nil {
		return Entry{}, err
	}
	e.Related = b.Related(t, 8)
	return e, nil
}

// Lookup returns the terms that are written so, or have such a variant: the term
// of that very name first. Case, width, hyphens and letters that look the same
// make no difference. What it finds counts as searched for.
func (d *Desk) Lookup(ctx context.Context, text string) ([]Term, error) {
	n, problem := spell(text)
	if problem != "" {
		return nil, invalid("q", "%s", problem)
	}
	slugs, err := d.named(ctx, n.skeleton)
	if err != nil {
		return nil, err
	}
	keys := make([]model.Values, len(slugs))
	for i, slug := range slugs {
		keys[i] = model.Values{"slug": slug}
	}
	found, err := d.terms.BatchGet(ctx, keys)
	if err != nil {
		return nil, failure(err)
	}
	slices.SortStableFunc(found, func(a, b Term) int {
		return boolOrder(a.Slug == n.slug, b.Slug == n.slug)
	})
	for _, t := range found {
		d.CountSearch(t.Slug)
	}
	return found, nil
}

// boolOrder sorts true first.
func boolOrder(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// named returns the slugs of the terms with a spelling, the main one's first.
func (d *Desk) named(ctx context.Context, skeleton string) ([]string, error) {
	var slugs []string
	for item, err := range d.views.byName.All(ctx, model.Values{"name": skeleton}, model.Window{}) {
		if err != nil {
			return nil, failure(err)
		}
		slug, err := slugOf(item)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(slugs, slug) {
			slugs = append(slugs, slug)
		}
	}
	return slugs, nil
}

// Browse lists the terms under a facet's value, by slug: a tag, a region, a
// category or an initial. Values are compared as labels: "Gaming Talk" is
// "gaming-talk".
func (d *Desk) Browse(ctx context.Context, facet, value string, p PageOptions) (Page[Listing], error) {
	if !slices.Contains(facets, facet) {
		return Page[Listing]{}, invalid("facet", "must be tag, region, category or initial")
	}
	if value = label(value); value == "" || len(value) > idMax {
		return Page[Listing]{}, invalid("value", "must be 1 to %d bytes", idMax)
	}
	return listOf(ctx, d.listings, "Browse", model.Values{"facet": facet, "value": value}, p)
}

// Terms lists all terms of an origin, "lexicon" or "submission", by term.
func (d *Desk) Terms(ctx context.Context, origin string, p PageOptions) (Page[Term], error) {
	if origin != OriginLexicon && origin != OriginSubmission {
		return Page[Term]{}, invalid("origin", "must be lexicon or submission")
	}
	return listOf(ctx, d.terms, "ExportBySource", model.Values{"origin": origin}, p)
}

// The origins of terms.
const (
	OriginLexicon    = "lexicon"
	OriginSubmission = "submission"
)

// Empty reports whether there is no term at all, which a system that was not
// initialised says instead of showing empty lists.
func (d *Desk) Empty(ctx context.Context) (bool, error) {
	for _, origin := range []string{OriginLexicon, OriginSubmission} {
		page, err := d.Terms(ctx, origin, PageOptions{Limit: 1})
		if err != nil || len(page.Items) > 0 {
			return false, err
		}
	}
	return true, nil
}
