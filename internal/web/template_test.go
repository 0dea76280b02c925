package web

import (
	"testing"
	"testing/fstest"
)

// A page has of the base what it calls, directly or through other parts, and nothing else.
func TestPageTakesWhatItCalls(t *testing.T) {
	s := &Site{}
	base, err := s.parseBase()
	if base == nil {
		t.Fatal(err) // the words that it says are missing are not looked for here
	}
	s.base = base
	fsys := fstest.MapFS{
		"_part.html": {Data: []byte(`{{define "part"}}{{template "story" .}}{{end}}`)},
		"plain.html": {Data: []byte(`<h1>plain</h1>{{define "notice"}}{{end}}`)},
	}
	for _, tt := range []struct {
		shared     []string
		has, lacks []string
	}{
		{nil, []string{"layout.html", "content"}, []string{"story", "byline", "pager", "field"}},
		{[]string{"_part.html"}, []string{"layout.html", "content", "part", "story", "byline"}, []string{"pager", "field"}},
	} {
		page, err := s.parsePage(fsys, "en", "plain.html", tt.shared)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range tt.has {
			if part := page.Lookup(name); part == nil || part.Tree == nil {
				t.Errorf("with %v there is no %s", tt.shared, name)
			}
		}
		for _, name := range tt.lacks {
			if page.Lookup(name) != nil {
				t.Errorf("with %v there is %s, which nobody calls", tt.shared, name)
			}
		}
	}
}
