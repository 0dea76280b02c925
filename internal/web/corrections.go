package web

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"pressroom/internal/errs"
	"pressroom/internal/story"
	"pressroom/internal/web/feed"
)

// correctionsShown is how many corrections a page and a feed have.
const correctionsShown = 30

// correction is a person's change of a story, as lists show it.
type correction struct {
	story.Note
	Desk  string // its name
	Title string // "" if the story is gone
	Path  string
	Lang  string
	Tone  Tone
}

type corrections struct {
	Items []correction
	Next  string
}

func (s *Site) corrections(r *http.Request) (corrections, error) {
	page, err := s.o.Stories.Corrections(r.Context(), r.URL.Query().Get("cursor"), correctionsShown)
	if errors.Is(err, story.ErrCursor) {
		err = errs.Wrap(err, errs.Malformed, "The cursor cannot be read. Begin with the first page.")
	}
	if err != nil {
		return corrections{}, err
	}
	out := corrections{Next: page.Next}
	for _, n := range page.Items {
		c := correction{Note: n.Note, Desk: s.nameOf(s.Lang(r), n.Note.Desk), Tone: Note}
		switch n.What {
		case story.Withdrawn:
			c.Tone = Bad
		case story.Corrected:
			c.Tone = Warn
		}
		if n.Story != nil {
			c.Title, c.Path, c.Lang = n.Story.Title, n.Story.Path, n.Story.Language
		}
		out.Items = append(out.Items, c)
	}
	return out, nil
}

func (s *Site) showCorrections(w http.ResponseWriter, r *http.Request) error {
	data, err := s.corrections(r)
	if err != nil {
		return err
	}
	title := s.T(r, "corrections.title")
	return s.Render(w, r, s.shell, "corrections", Page{
		Title: title, Description: s.T(r, "corrections.lead"), Feeds: []FeedLink{{Path: "/corrections/feed", Title: title}}, Data: data,
	})
}

// feedCorrections is the list for those who follow it.
func (s *Site) feedCorrections(w http.ResponseWriter, r *http.Request) error {
	data, err := s.corrections(r)
	if err != nil {
		return err
	}
	self := func(cursor string) string {
		link := FeedLink{Path: r.URL.EscapedPath()}
		if cursor != "" {
			link.Query = url.Values{"cursor": {cursor}}.Encode()
		}
		return s.Absolute(r, link.URL(""))
	}
	out := feed.Feed{
		Title: s.Name() + " · " + s.T(r, "corrections.title"), Description: s.T(r, "corrections.lead"), Lang: s.Lang(r),
		Home: s.Absolute(r, "/corrections"), Self: self(r.URL.Query().Get("cursor")),
	}
	if data.Next != "" {
		out.Next = self(data.Next)
	}
	for _, c := range data.Items {
		title, link := c.Title, c.Path
		if title == "" {
			title, link = s.T(r, "corrections.was", c.Desk), "/corrections"
		}
		out.Items = append(out.Items, feed.Item{
			ID: s.Absolute(r, fmt.Sprintf("/corrections#%s-%s-%d", c.Note.Desk, url.PathEscape(c.ID), c.Revision)), URL: s.Absolute(r, link),
			Title: s.T(r, "corrections."+string(c.What)) + ": " + title, Summary: c.Reason, Authors: story.Labels([]string{c.By}), Published: story.Time(c.At), Lang: c.Lang,
		})
	}
	return feed.Serve(w, r, out)
}
