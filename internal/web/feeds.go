package web

import (
	"net/http"
	"net/url"

	"pressroom/internal/story"
	"pressroom/internal/web/feed"
)

// StoryFeed is a list of stories for those who follow it.
type StoryFeed struct {
	Title, Description string
	Home               string // the page of the list
	Query              url.Values
	Next               string // the cursor of the page that follows; "" if none does
	Stories            []story.Story
	// HTML returns the whole text of a story, if the feed has it; nil for none.
	HTML func(*story.Story) (string, error)
}

// ServeFeed answers with a list of stories as Atom or JSON Feed, as the address asks.
// It is at the address of the request with the list's own query.
func (s *Site) ServeFeed(w http.ResponseWriter, r *http.Request, f StoryFeed) error {
	self := func(query url.Values) string {
		return s.Absolute(r, FeedLink{Path: r.URL.EscapedPath(), Query: query.Encode()}.URL(""))
	}
	query := url.Values{}
	for key, values := range f.Query {
		query[key] = values
	}
	out := feed.Feed{Title: f.Title, Description: f.Description, Lang: s.Lang(r), Home: s.Absolute(r, f.Home), Self: self(query)}
	if f.Next != "" {
		query.Set("cursor", f.Next)
		out.Next = self(query)
	}
	for i := range f.Stories {
		item := s.feedItem(r, &f.Stories[i])
		if f.HTML != nil {
			html, err := f.HTML(&f.Stories[i])
			if err != nil {
				return err
			}
			item.HTML = html
		}
		out.Items = append(out.Items, item)
	}
	return feed.Serve(w, r, out)
}

// feedItem is a story as feeds have it.
func (s *Site) feedItem(r *http.Request, st *story.Story) feed.Item {
	lang := s.Lang(r)
	c := s.card(lang, st)
	link := s.Absolute(r, st.Path)
	item := feed.Item{
		ID: link, URL: link, Title: st.Title, Summary: st.SummaryIn(lang), Published: story.Time(st.Published), Updated: story.Time(st.Updated),
		Authors: st.Provenance.Authors(), External: c.SourceURL, Lang: c.Lang, Tags: story.Labels([]string{s.nameOf(lang, st.Desk), c.Kicker}, st.Topics),
	}
	if item.Updated.IsZero() {
		item.Updated = item.Published
	}
	if c.Image != "" {
		item.Image = s.Absolute(r, c.Image)
	}
	if item.Authors == nil && c.Source != "" {
		item.Authors = []string{c.Source}
	}
	return item
}
