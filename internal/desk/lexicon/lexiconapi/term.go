package lexiconapi

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"time"

	"pressroom/internal/api"
	"pressroom/internal/auth"
	"pressroom/internal/desk/lexicon"
	"pressroom/internal/errs"
)

func (s *service) terms(a *api.API) {
	api.Get(a, "/lexicon/terms", auth.Everyone, api.Op{
		ID: "listTerms", Summary: "Terms: all, under a label, or looked up",
		Doc: "At most one of q, tag, region, category, initial and origin. q finds a term by its name or a variant, whatever its case, width or hyphens; it counts as a search.",
	}, s.listTerms)
	api.Get(a, "/lexicon/terms/{slug}", auth.Everyone, api.Op{ID: "getTerm", Summary: "A term with its trend and related terms"}, s.term)
	api.Get(a, "/lexicon/facets/{facet}", auth.Everyone, api.Op{ID: "listFacet", Summary: "The tags, regions, categories or initials of all terms, with their counts", Share: time.Second}, s.facet)
	api.Get(a, "/lexicon/trending", auth.Everyone, api.Op{ID: "listTrending", Summary: "Terms used most, over all or in a category", Share: time.Second}, s.trending)

	refusals := []errs.Kind{errs.Duplicate}
	api.Post(a, "/lexicon/terms", auth.Moderator, api.Op{ID: "createTerm", Summary: "Write a term", Fails: refusals}, s.createTerm)
	api.Put(a, "/lexicon/terms/{slug}", auth.Moderator, api.Op{
		ID: "editTerm", Summary: "Replace what a term holds", Fails: refusals,
		Doc: "The term may be written another way as long as its slug stays.",
	}, s.editTerm)
	api.Delete(a, "/lexicon/terms/{slug}", auth.Moderator, api.Op{ID: "deleteTerm", Summary: "Remove a term"}, s.deleteTerm)
	api.Get(a, "/lexicon/quiz-pools/{category}", auth.Moderator, api.Op{ID: "getQuizPool", Summary: "The wrong answers of a category"}, s.pool)
	api.Put(a, "/lexicon/quiz-pools/{category}", auth.Moderator, api.Op{ID: "putQuizPool", Summary: "Replace the wrong answers of a category"}, s.putPool)
}

type listTerms struct {
	api.Page
	Q        string `query:"q" max:"1000" doc:"a term or a variant"`
	Tag      string `query:"tag" max:"128"`
	Region   string `query:"region" max:"128"`
	Category string `query:"category" max:"128"`
	Initial  string `query:"initial" max:"16" doc:"a first letter; katakana counts as hiragana"`
	Young    bool   `query:"young" doc:"leaves out terms that are not for young readers; a page may have fewer then"`
	Origin   string `query:"origin" enum:"lexicon,submission" doc:"where terms come from; lexicon if nothing is asked for"`
}

// filter returns the one thing that is asked for.
func (in *listTerms) filter() (name, value string, err error) {
	asked := []struct{ name, value string }{
		{"q", in.Q}, {lexicon.ByTag, in.Tag}, {lexicon.ByRegion, in.Region},
		{lexicon.ByCategory, in.Category}, {lexicon.ByInitial, in.Initial}, {"origin", in.Origin},
	}
	for _, f := range asked {
		if f.value == "" {
			continue
		}
		if name != "" {
			return "", "", errs.Validation(errs.Field{Name: f.name, Message: "cannot be asked for together with " + name})
		}
		name, value = f.name, f.value
	}
	if name == "" {
		return "origin", lexicon.OriginLexicon, nil
	}
	return name, value, nil
}

func (s *service) listTerms(ctx context.Context, in *listTerms) (*api.List[lexicon.Listing], error) {
	found, err := s.someTerms(ctx, in)
	if err != nil || !in.Young {
		return found, err
	}
	book, err := s.desk.Book(ctx)
	if err == nil {
		found.Items = book.ForYoung(found.Items)
	}
	return found, err
}

func (s *service) someTerms(ctx context.Context, in *listTerms) (*api.List[lexicon.Listing], error) {
	name, value, err := in.filter()
	if err != nil {
		return nil, err
	}
	switch name {
	case "q":
		found, err := s.desk.Lookup(ctx, value)
		if err != nil {
			return nil, err
		}
		return api.ListOf(found, "", listing), nil
	case "origin":
		all, err := s.desk.Terms(ctx, value, page(in.Page))
		if err != nil {
			return nil, err
		}
		return api.ListOf(all.Items, all.Next, listing), nil
	}
	return list(s.desk.Browse(ctx, name, value, page(in.Page)))
}

func listing(t lexicon.Term) lexicon.Listing {
	return lexicon.Listing{Slug: t.Slug, Term: t.Term, Gloss: t.Gloss, Glosses: t.Glosses, Language: t.Language}
}

// Entry is a term with what is known around it.
type Entry struct {
	lexicon.Term
	Trend   *lexicon.Trend    `json:"trend" doc:"null if nobody used the term lately"`
	Related []lexicon.Listing `json:"related"`
}

// Tag is the term's version and a sum of the rest.
func (e *Entry) Tag() string {
	sum := fnv.New64a()
	_ = json.NewEncoder(sum).Encode([]any{e.Trend, e.Related}) // plain data, to a hash
	return fmt.Sprintf("%d-%x", e.Version, sum.Sum64())
}

func (s *service) term(ctx context.Context, in *bySlug) (*Entry, error) {
	e, err := s.desk.Entry(ctx, in.Slug)
	if err != nil {
		return nil, err
	}
	return &Entry{e.Term, e.Trend, e.Related}, nil
}

// Facets are the values of a facet.
type Facets struct {
	Items []lexicon.Facet `json:"items"`
}

func (s *service) facet(ctx context.Context, in *struct {
	Facet string `path:"facet" enum:"tag,region,category,initial"`
}) (*Facets, error) {
	book, err := s.desk.Book(ctx)
	if err != nil {
		return nil, err
	}
	return &Facets{append([]lexicon.Facet{}, book.Facets(in.Facet)...)}, nil
}

func (s *service) trending(ctx context.Context, in *struct {
	api.Page
	Category string `query:"category" max:"128"`
}) (*api.List[lexicon.TrendRow], error) {
	if in.Category != "" {
		return list(s.desk.TrendingIn(ctx, in.Category, page(in.Page)))
	}
	return list(s.desk.Trending(ctx, page(in.Page)))
}

// TermInput is what a moderator writes about a term.
type TermInput struct {
	Term            string            `json:"term" doc:"1 to 60 characters, Latin or Japanese"`
	Gloss           string            `json:"gloss" doc:"what it means, in one sentence"`
	Glosses         map[string]string `json:"glosses,omitempty" doc:"the meaning by language, en and ja"`
	Plain           map[string]string `json:"plain,omitempty" doc:"words that can stand in its place, by language"`
	PlainWord       bool              `json:"plain_word,omitempty" doc:"it is an ordinary word too, and not explained in articles"`
	Language        string            `json:"language,omitempty" enum:"en,ja"`
	Variants        []string          `json:"variants,omitempty"`
	Examples        []string          `json:"examples,omitempty"`
	Tags            []string          `json:"tags,omitempty"`
	Categories      []string          `json:"categories,omitempty"`
	Regions         []string          `json:"regions,omitempty"`
	Sources         []string          `json:"sources,omitempty"`
	FirstAttested   string            `json:"first_attested,omitempty" max:"32"`
	AttestationNote string            `json:"attestation_note,omitempty"`
	QuizEligible    bool              `json:"is_quiz_eligible,omitempty"`
	Confidence      float64           `json:"confidence" min:"0" max:"1"`
	Momentum        float64           `json:"momentum" min:"0" max:"1"`
	Pos             string            `json:"pos,omitempty" doc:"part of speech; what is not sent of this and the next two stays"`
	AgeRating       string            `json:"age_rating,omitempty"`
	ContentFlags    []string          `json:"content_flags,omitempty"`
}

// into writes the input over a term.
func (i *TermInput) into(t *lexicon.Term) {
	t.Term, t.Gloss, t.Glosses, t.Plain, t.PlainWord, t.Language = i.Term, i.Gloss, i.Glosses, i.Plain, i.PlainWord, i.Language
	t.Variants, t.Examples, t.Tags, t.Categories = i.Variants, i.Examples, i.Tags, i.Categories
	t.Regions, t.Sources, t.FirstAttested, t.AttestationNote = i.Regions, i.Sources, i.FirstAttested, i.AttestationNote
	t.QuizEligible, t.Confidence, t.Momentum = i.QuizEligible, i.Confidence, i.Momentum
	if i.Pos != "" {
		t.Pos = i.Pos
	}
	if i.AgeRating != "" {
		t.AgeRating = i.AgeRating
	}
	if i.ContentFlags != nil {
		t.ContentFlags = i.ContentFlags
	}
}

func (s *service) createTerm(ctx context.Context, in *struct{ Body TermInput }) (*api.Created[Entry], error) {
	var t lexicon.Term
	in.Body.into(&t)
	if err := s.desk.SaveTerm(ctx, &t); err != nil {
		return nil, err
	}
	e, err := s.term(ctx, &bySlug{t.Slug})
	if err != nil {
		return nil, err
	}
	return &api.Created[Entry]{Location: "/lexicon/terms/" + t.Slug, Body: *e}, nil
}

type editTerm struct {
	api.Edit
	bySlug
	Body TermInput
}

func (s *service) editTerm(ctx context.Context, in *editTerm) (*Entry, error) {
	e, err := s.term(ctx, &in.bySlug)
	if err != nil {
		return nil, err
	}
	if err := in.Match(e.Tag()); err != nil {
		return nil, err
	}
	if !lexicon.Spells(in.Body.Term, in.Slug) {
		return nil, errs.Validation(errs.Field{Name: "term", Message: "would be another term; write that one and remove this one"})
	}
	t := e.Term
	in.Body.into(&t)
	if err := s.desk.SaveTerm(ctx, &t); err != nil {
		return nil, err
	}
	return s.term(ctx, &in.bySlug)
}

func (s *service) deleteTerm(ctx context.Context, in *struct {
	api.Edit
	bySlug
}) (*api.None, error) {
	e, err := s.term(ctx, &in.bySlug)
	if err != nil {
		return nil, err
	}
	if err := in.Match(e.Tag()); err != nil {
		return nil, err
	}
	return &api.None{}, s.desk.DeleteTerm(ctx, in.Slug)
}

type byCategory struct {
	Category string `path:"category" min:"1" max:"128" doc:"with @ja behind it, its answers in Japanese"`
}

func (s *service) pool(ctx context.Context, in *byCategory) (*lexicon.QuizPool, error) {
	pool, err := s.desk.QuizPool(ctx, in.Category)
	if err != nil {
		return nil, err
	}
	return &pool, nil
}

// PoolInput are wrong answers.
type PoolInput struct {
	WrongAnswers []string `json:"wrong_answers" min:"1" max:"100"`
}

func (s *service) putPool(ctx context.Context, in *struct {
	byCategory
	Body PoolInput
}) (*lexicon.QuizPool, error) {
	if err := s.desk.PutQuizPool(ctx, lexicon.QuizPool{Category: in.Category, WrongAnswers: in.Body.WrongAnswers}); err != nil {
		return nil, err
	}
	return s.pool(ctx, &in.byCategory)
}
