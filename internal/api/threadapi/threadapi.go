// Package threadapi is threads in JSON: GET /api/v1/threads lists them, or finds that of a
// story, and GET /api/v1/threads/{id} tells one from the first story to the last, with what
// its stories share. Agents read through it.
//
// It promises that every story comes with its citation, and that an agent gets no more of
// it than anywhere else. Start with [Register].
package threadapi

import (
	"context"
	"errors"
	"fmt"

	"pressroom/internal/api"
	"pressroom/internal/api/storyapi"
	"pressroom/internal/auth"
	"pressroom/internal/errs"
	"pressroom/internal/story"
	"pressroom/internal/thread"
)

type service struct{ threads *thread.Threads }

// Register puts threads on the API.
func Register(a *api.API, threads *thread.Threads) {
	s := &service{threads}
	api.Get(a, "/threads", auth.Everyone, api.Op{
		ID: "listThreads", Tool: "list_threads", Summary: "Threads of stories that tell of one matter, those with the newest stories first",
		Doc: "With desk and story, only the thread of that story; none if it stands alone.",
	}, s.list)
	api.Get(a, "/threads/{id}", auth.Everyone, api.Op{
		ID: "getThread", Tool: "read_thread", Summary: "A thread: its stories of all desks from the first to the last, each with its citation, and what they share",
		Doc: "A story with same_as is another printing of that one. The id is another than was asked for if the thread became part of that one.",
	}, s.get)
}

// Thread is a thread without its stories.
type Thread struct {
	ID     string `json:"id"`
	Name   string `json:"name" doc:"an editor's, the bill's, or the headline of its first story"`
	Path   string `json:"path" doc:"its page on this site"`
	Count  int    `json:"count" doc:"of its stories"`
	Latest string `json:"latest" format:"date-time" doc:"when its last story was listed"`
}

// Full is a thread with its stories.
type Full struct {
	Thread
	Shared  []Shared `json:"shared" doc:"what at least two stories share, the most telling first: why they are together"`
	Stories []Story  `json:"stories" doc:"the first one first"`
}

// Shared is something that stories share.
type Shared struct {
	Kind    string   `json:"kind" enum:"bill,name,title,number"`
	Text    string   `json:"text"`
	Stories []string `json:"stories" doc:"those that say it, as desk/id"`
}

// Story is a story of a thread.
type Story struct {
	storyapi.Story
	SameAs string `json:"same_as,omitempty" doc:"the story, as desk/id, whose report it prints"`
}

func threadOf(v *thread.View) Thread {
	return Thread{ID: v.ID, Name: v.Name, Path: "/threads/" + v.ID, Count: len(v.Items), Latest: v.Last()}
}

type listInput struct {
	Desk   string `query:"desk" max:"64" doc:"with story: its desk"`
	Story  string `query:"story" max:"256" doc:"with desk: the id of a story there"`
	Limit  int    `query:"limit" min:"1" max:"100" default:"20"`
	Cursor string `query:"cursor" max:"1000" doc:"next_cursor of the page before"`
}

func (s *service) list(ctx context.Context, in *listInput) (*api.List[Thread], error) {
	out := &api.List[Thread]{Items: []Thread{}}
	if in.Desk != "" || in.Story != "" {
		v, err := s.threads.OfStory(ctx, story.Ref{Desk: in.Desk, ID: in.Story})
		if v != nil {
			out.Items = append(out.Items, threadOf(v))
		}
		return out, err
	}
	page, err := s.threads.List(ctx, in.Cursor, in.Limit)
	if errors.Is(err, story.ErrCursor) {
		return nil, errs.Validation(errs.Field{Name: "cursor", Message: "must be the next_cursor of a page"})
	}
	for _, v := range page.Items {
		out.Items = append(out.Items, threadOf(v))
	}
	out.NextCursor = page.Next
	return out, err
}

// kinds are the kinds of what is shared.
var kinds = map[thread.Kind]string{thread.Bill: "bill", thread.Name: "name", thread.Phrase: "name", thread.Title: "title", thread.Number: "number"}

func (s *service) get(ctx context.Context, in *struct {
	ID string `path:"id" max:"64"`
}) (*Full, error) {
	v, err := s.threads.Get(ctx, in.ID)
	if err != nil {
		return nil, fmt.Errorf("get thread: %w", err)
	}
	out := &Full{Thread: threadOf(v), Shared: []Shared{}, Stories: []Story{}}
	for i := range v.Items {
		one := Story{Story: storyapi.Shown(ctx, v.Items[i].Story)}
		if of := v.Items[i].Of; of != (story.Ref{}) {
			one.SameAs = of.String()
		}
		out.Stories = append(out.Stories, one)
	}
	for _, sh := range v.Shared {
		one := Shared{Kind: kinds[sh.Kind], Text: sh.Text}
		for _, i := range sh.In {
			// What is shared are words of the text, which its source may withhold.
			if !out.Stories[i].Withheld {
				one.Stories = append(one.Stories, v.Items[i].Ref.String())
			}
		}
		if len(one.Stories) > 1 {
			out.Shared = append(out.Shared, one)
		}
	}
	return out, nil
}
