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

// Follow lets pages offer to follow what they are about, by the form at a path.
func (s *Site) Follow(path string) { s.follow = path }

// Readers says what readers can do for their accounts by themselves.
type Readers struct {
	Register bool // make one
	Reset    bool // set a new password when the old one is forgotten
	Passkeys bool // sign in with a passkey
	Follows  bool // see what they follow
}

// Readers lets the shell link to the pages of readers' own accounts.
func (s *Site) Readers(r Readers) { s.readers = &r }

// FollowPath is where the form is that follows something; "" if there is none.
func (v *View) FollowPath() string { return v.site.follow }

// FollowLink is the form for what an encoded query says.
func (v *View) FollowLink(query string) string { return v.site.follow + "?" + query }
