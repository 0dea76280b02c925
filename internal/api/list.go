package api

import "net/http"

// Page is embedded in the input of a list.
type Page struct {
	Limit  int    `query:"limit" min:"1" max:"100" default:"20" doc:"how many items the page has at most"`
	Cursor string `query:"cursor" max:"4096" doc:"next_cursor of the page before; without it the list begins"`
}

// List is a page of a list.
type List[T any] struct {
	Items      []T    `json:"items"`
	NextCursor string `json:"next_cursor" empty:"null" doc:"where the next page begins; null at the end"`
}

// ListOf returns a page whose items are made from a desk's own.
func ListOf[From, To any](items []From, next string, shown func(From) To) *List[To] {
	list := &List[To]{Items: make([]To, len(items)), NextCursor: next}
	for i, item := range items {
		list.Items[i] = shown(item)
	}
	return list
}

// linked is an answer that another may follow.
type linked interface{ next() string }

func (l *List[T]) next() string { return l.NextCursor }

// nextLink is the Link header to the next page: the same request with another
// cursor.
func nextLink(r *http.Request, cursor string) string {
	query := r.URL.Query()
	query.Set("cursor", cursor)
	return "<" + r.URL.EscapedPath() + "?" + query.Encode() + `>; rel="next"`
}
