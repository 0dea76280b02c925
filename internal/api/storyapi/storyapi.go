// Package storyapi is what all desks publish in JSON, one form for all of them:
// GET /api/v1/stories, a story with its passages, and one passage. Agents read through
// it.
//
// It promises that each passage comes with a citation: where its words stand, whose they
// are, and a digest by which anyone sees whether they are still the same. Agents
// get title and address alone of a story whose source wants no machines. Start with
// [Register].
package storyapi

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	"pressroom/internal/api"
	"pressroom/internal/auth"
	"pressroom/internal/errs"
	"pressroom/internal/story"
)

// maxPage is how many characters the passages of one answer have, if there is more than
// one of them.
const maxPage = 40_000

type service struct {
	stories *story.Stories
	shelves map[string]*story.Shelf
	desks   []string
}

// Register puts the stories of some desks on the API.
func Register(a *api.API, stories *story.Stories, shelves ...*story.Shelf) {
	s := &service{stories: stories, shelves: map[string]*story.Shelf{}}
	for _, shelf := range shelves {
		s.shelves[shelf.Desk], s.desks = shelf, append(s.desks, shelf.Desk)
	}
	choices := map[string][]string{"desk": s.desks}
	api.Get(a, "/stories", auth.Everyone, api.Op{
		ID: "listStories", Tool: "list_stories", Summary: "What all desks published, the newest first", Choices: choices,
	}, s.list)
	api.Get(a, "/corrections", auth.Everyone, api.Op{
		ID: "listCorrections", Summary: "What people corrected or withdrew, the newest first",
	}, s.corrections)
	api.Get(a, "/stories/{desk}/{id}", auth.Everyone, api.Op{
		ID: "getStory", Tool: "read_story", Summary: "A story with the passages of its text, each with its citation",
		Doc:     "A long text comes in pages: go on with next_cursor. The passage called summary is what the newsroom tells of it, or an excerpt; the others are the text itself.",
		Choices: choices, Fails: []errs.Kind{errs.Gone},
	}, s.get)
	api.Get(a, "/stories/{desk}/{id}/passages/{passage}", auth.Everyone, api.Op{
		ID: "getPassage", Tool: "read_passage", Summary: "One passage of a story, as it is now: to look a citation up",
		Choices: choices,
	}, s.passage)
}

// Story is the card of a story.
type Story struct {
	Desk      string         `json:"desk"`
	ID        string         `json:"id" doc:"its id at its desk"`
	Kind      string         `json:"kind" doc:"what it is for its desk: article, post, term"`
	Title     string         `json:"title"`
	Language  string         `json:"language" doc:"ja, en, or empty if it cannot be told"`
	Section   string         `json:"section,omitempty"`
	Path      string         `json:"path" doc:"its page on this site"`
	Published string         `json:"published" format:"date-time"`
	Updated   string         `json:"updated,omitempty"`
	People    []string       `json:"people,omitempty"`
	Topics    []string       `json:"topics,omitempty"`
	Author    string         `json:"author,omitempty" doc:"the person who wrote it"`
	Model     string         `json:"model,omitempty" doc:"the language model or program that wrote it; empty if a person did"`
	Reviewer  string         `json:"reviewer,omitempty"`
	Origin    Origin         `json:"provenance"`
	Withheld  bool           `json:"withheld,omitempty" doc:"its source lets no agent have more than title and address"`
	Summary   string         `json:"summary,omitempty"`
	Citation  story.Citation `json:"citation" doc:"of the summary"`
}

// Origin is how a story came about.
type Origin struct {
	story.Provenance
	Digital string `json:"digitalSourceType,omitempty" doc:"how the text came about, in the IPTC's terms; missing for what a person wrote"`
}

// Correction is what a person corrected or withdrew.
type Correction struct {
	Desk     string `json:"desk"`
	ID       string `json:"id" doc:"of the story at its desk"`
	What     string `json:"what" enum:"corrected,withdrawn,published" doc:"published is what was withdrawn before, and came back"`
	Revision int    `json:"revision" doc:"of the story, that came of it"`
	At       string `json:"at" format:"date-time"`
	By       string `json:"by"`
	Reason   string `json:"reason,omitempty" doc:"missing if the story was withdrawn since"`
	Title    string `json:"title,omitempty" doc:"of the story as it is now; missing if it is gone"`
	Path     string `json:"path,omitempty" doc:"its page on this site; missing if it is gone"`
}

func correctionOf(n story.Note, st *story.Story) Correction {
	c := Correction{Desk: n.Desk, ID: n.ID, What: string(n.What), Revision: n.Revision, At: n.At, By: n.By, Reason: n.Reason}
	if st != nil {
		c.Title, c.Path = st.Title, st.Path
	}
	return c
}

func (s *service) corrections(ctx context.Context, in *struct{ api.Page }) (*api.List[Correction], error) {
	page, err := s.stories.Corrections(ctx, in.Cursor, in.Limit)
	if errors.Is(err, story.ErrCursor) {
		return nil, errs.Validation(errs.Field{Name: "cursor", Message: "must be the next_cursor of a page of this list"})
	}
	if err != nil {
		return nil, err
	}
	return api.ListOf(page.Items, page.Next, func(n story.Noted) Correction { return correctionOf(n.Note, n.Story) }), nil
}

// Passage is a part of a story's text.
type Passage struct {
	ID       string         `json:"id"`
	Speaker  string         `json:"speaker,omitempty"`
	Text     string         `json:"text"`
	Citation story.Citation `json:"citation"`
}

// Full is a story with a page of its passages.
type Full struct {
	Story
	Passages    []Passage    `json:"passages"`
	Corrections []Correction `json:"corrections" doc:"what people corrected in it, the first one first"`
	NextCursor  string       `json:"next_cursor" empty:"null" doc:"where the next page of passages begins; null at the end"`
}

type listInput struct {
	api.Page
	Desk     string `query:"desk"`
	Language string `query:"language" enum:"ja,en"`
}

func (s *service) list(ctx context.Context, in *listInput) (*api.List[Story], error) {
	l := story.Listing{Desks: s.desks, Language: in.Language, After: in.Cursor, Limit: in.Limit}
	if in.Desk != "" {
		l.Desks = []string{in.Desk}
	}
	page, err := s.stories.List(ctx, l)
	if errors.Is(err, story.ErrCursor) {
		return nil, errs.Validation(errs.Field{Name: "cursor", Message: "must be the next_cursor of a page of this list"})
	}
	if err != nil {
		return nil, err
	}
	return api.ListOf(page.Items, page.Next, func(st story.Story) Story { return Shown(ctx, st) }), nil
}

// withheld reports whether more than title and address of a story is not for the one
// who asks.
func withheld(ctx context.Context, st *story.Story) bool { return st.Unread && api.ForAgent(ctx) }

// Shown is the card of a story as whoever asks may have it.
func Shown(ctx context.Context, st story.Story) Story {
	out := Story{
		Desk: st.Desk, ID: st.ID, Kind: st.Kind, Title: st.Title, Language: st.Language, Section: st.Section, Path: st.Path,
		Published: st.Published, Updated: st.Updated, People: st.People, Topics: st.Topics,
		Author: st.Provenance.Author, Model: st.Provenance.Model, Reviewer: st.Provenance.Reviewer, Origin: Origin{st.Provenance, st.Provenance.Digital()}, Withheld: withheld(ctx, &st), Summary: st.Summary,
	}
	if out.Withheld {
		out.Summary, out.People, out.Topics = "", nil, nil
	}
	out.Citation = st.Cite(story.Passage{ID: story.SummaryPassage, Path: st.Path, Text: out.Summary})
	return out
}

type getInput struct {
	Desk   string `path:"desk"`
	ID     string `path:"id" doc:"its id at its desk, as lists and searches give it"`
	Limit  int    `query:"limit" min:"1" max:"100" default:"20" doc:"how many passages the page has at most"`
	Cursor string `query:"cursor" max:"20" doc:"next_cursor of the page before; without it the text begins"`
}

func (s *service) get(ctx context.Context, in *getInput) (*Full, error) {
	st, passages, err := s.read(ctx, story.Ref{Desk: in.Desk, ID: in.ID})
	if err != nil {
		return nil, err
	}
	begin := 0
	if in.Cursor != "" {
		if begin, err = strconv.Atoi(in.Cursor); err != nil || begin < 0 || begin > len(passages) {
			return nil, errs.Validation(errs.Field{Name: "cursor", Message: "must be the next_cursor of a page of this story"})
		}
	}
	out := &Full{Story: Shown(ctx, st), Passages: []Passage{}, Corrections: []Correction{}}
	notes, err := s.stories.Notes(ctx, st.Ref)
	if err != nil {
		return nil, err
	}
	for _, n := range notes {
		out.Corrections = append(out.Corrections, correctionOf(n, &st))
	}
	length := 0
	for i, p := range passages[begin:] {
		length += utf8.RuneCountInString(p.Text)
		if i == in.Limit || i > 0 && length > maxPage {
			out.NextCursor = strconv.Itoa(begin + i)
			break
		}
		out.Passages = append(out.Passages, Passage{ID: p.ID, Speaker: p.Speaker, Text: p.Text, Citation: st.Cite(p)})
	}
	return out, nil
}

type passageInput struct {
	Desk    string `path:"desk"`
	ID      string `path:"id" doc:"the story's id at its desk"`
	Passage string `path:"passage" doc:"its id within the story, as citations give it"`
}

func (s *service) passage(ctx context.Context, in *passageInput) (*Passage, error) {
	st, passages, err := s.read(ctx, story.Ref{Desk: in.Desk, ID: in.ID})
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(passages, func(p story.Passage) bool { return p.ID == in.Passage })
	if i < 0 {
		return nil, fmt.Errorf("passage %s of %s/%s: %w", in.Passage, in.Desk, in.ID, errs.NotFound)
	}
	p := passages[i]
	return &Passage{ID: p.ID, Speaker: p.Speaker, Text: p.Text, Citation: st.Cite(p)}, nil
}

// read returns a story as it is now, and what may be given of it.
func (s *service) read(ctx context.Context, ref story.Ref) (story.Story, []story.Passage, error) {
	shelf := s.shelves[ref.Desk]
	if shelf == nil {
		return story.Story{}, nil, fmt.Errorf("desk %q: %w", ref.Desk, errs.NotFound)
	}
	cards, err := s.stories.Get(ctx, ref)
	if err != nil {
		return story.Story{}, nil, err
	}
	if len(cards) == 0 {
		return story.Story{}, nil, s.stories.Missing(ctx, ref, fmt.Errorf("story %s: %w", ref, errs.NotFound))
	}
	if withheld(ctx, &cards[0]) {
		return cards[0], nil, nil
	}
	text, err := shelf.Load(ctx, ref.ID)
	if err != nil {
		return story.Story{}, nil, err
	}
	text.Revision = cards[0].Revision
	return text.Story, text.Cited(), nil
}
