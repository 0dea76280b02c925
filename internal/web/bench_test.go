package web_test

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"

	"pressroom/internal/story"
	"pressroom/internal/web"
	"pressroom/internal/web/webtest"
	"pressroom/model"
)

// BenchmarkHome is the front page with three desks of seven stories, through the
// door, compressed.
func BenchmarkHome(b *testing.B) {
	s := webtest.Open(b)
	for i := range 3 {
		name := "desk" + strconv.Itoa(i)
		s.Front(web.FrontSection{Desk: name, Key: "styleguide.kicker.1", Order: i})
		d := s.Stories.Desk(name)
		for n := range 7 {
			d.Put(b, story.Text{Story: story.Story{
				Ref: story.Ref{ID: strconv.Itoa(n)}, Title: "Lower house committee weighs rules " + strconv.Itoa(n), Section: "Parliament",
				Summary:   "Members asked who would bear the cost of redistribution, and heard that smaller shops would be exempt.",
				Published: model.FormatTime(webtest.Now), Source: story.Source{Name: "Minutes", URL: "https://example.org/"},
			}})
		}
	}
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			r.Header.Set("Accept-Encoding", "gzip")
			w := httptest.NewRecorder()
			s.Mux.ServeHTTP(w, r)
			if w.Code != http.StatusOK {
				b.Fatal(w.Code)
			}
		}
	})
}
