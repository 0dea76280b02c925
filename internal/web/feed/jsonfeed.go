package feed

import (
	"encoding/json"
	"io"
)

type jsonFeed struct {
	Version     string     `json:"version"`
	Title       string     `json:"title"`
	Home        string     `json:"home_page_url,omitempty"`
	Self        string     `json:"feed_url,omitempty"`
	Description string     `json:"description,omitempty"`
	Next        string     `json:"next_url,omitempty"`
	Lang        string     `json:"language,omitempty"`
	Items       []jsonItem `json:"items"`
}

type jsonItem struct {
	ID        string       `json:"id"`
	URL       string       `json:"url,omitempty"`
	External  string       `json:"external_url,omitempty"`
	Title     string       `json:"title,omitempty"`
	HTML      string       `json:"content_html,omitempty"`
	Text      *string      `json:"content_text,omitempty"`
	Summary   string       `json:"summary,omitempty"`
	Image     string       `json:"image,omitempty"`
	Published string       `json:"date_published,omitempty"`
	Modified  string       `json:"date_modified,omitempty"`
	Authors   []jsonAuthor `json:"authors,omitempty"`
	Tags      []string     `json:"tags,omitempty"`
	Lang      string       `json:"language,omitempty"`
}

type jsonAuthor struct {
	Name string `json:"name"`
}

// WriteJSON writes the feed as JSON Feed 1.1.
func WriteJSON(w io.Writer, f Feed) error {
	doc := jsonFeed{
		Version: "https://jsonfeed.org/version/1.1", Title: f.Title, Home: f.Home, Self: f.Self,
		Description: f.Description, Next: f.Next, Lang: f.Lang, Items: []jsonItem{},
	}
	for _, item := range f.Items {
		doc.Items = append(doc.Items, jsonOf(item))
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", " ")
	return enc.Encode(doc)
}

// jsonOf gives every item a content, which the format requires: the HTML if
// there is any, else the summary as text.
func jsonOf(item Item) jsonItem {
	out := jsonItem{
		ID: item.id(), URL: item.URL, External: item.External, Title: item.Title, HTML: item.HTML,
		Summary: item.Summary, Image: item.Image, Tags: item.Tags, Lang: item.Lang,
	}
	if item.HTML == "" {
		out.Text = &item.Summary
	}
	if !item.Published.IsZero() {
		out.Published = moment(item.Published)
	}
	if t := item.updated(); !t.IsZero() {
		out.Modified = moment(t)
	}
	for _, name := range item.Authors {
		out.Authors = append(out.Authors, jsonAuthor{name})
	}
	return out
}
