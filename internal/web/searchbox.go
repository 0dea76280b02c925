package web

import "net/url"

// Search says where the paper is searched.
type Search struct {
	// Path is of the page with results; it takes the words as q.
	Path string
	// Suggest is what completes words while they are typed, as a part of a page.
	Suggest string
}

// Search puts a search box into the masthead of every page.
func (s *Site) Search(to Search) { s.search = &to }

// SearchFeed is the feed of a search of one desk, if the paper can be searched.
func (s *Site) SearchFeed(desk, words, title string) []FeedLink {
	if s.search == nil || words == "" {
		return nil
	}
	return []FeedLink{{Path: s.search.Path + "/feed", Query: url.Values{"desk": {desk}, "q": {words}}.Encode(), Title: title}}
}

// SearchBox is where the box of the masthead leads; nil if there is none, or if the
// page itself is the search.
func (v *View) SearchBox() *Search {
	if v.site.search == nil || v.Path == v.site.search.Path {
		return nil
	}
	return v.site.search
}

// Desks are the desks of the paper in the page's language, for forms.
func (v *View) Desks() []Desk { return v.site.Desks(v.Lang) }
