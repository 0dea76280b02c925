package web_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"

	"pressroom/internal/web"
	"pressroom/internal/web/webtest"
)

// BenchmarkHome is the front page with three desks of seven stories, through the
// door, compressed.
func BenchmarkHome(b *testing.B) {
	s := webtest.Open(b)
	for i := range 3 {
		s.Front(web.FrontSection{Desk: "desk" + strconv.Itoa(i), Key: "styleguide.kicker.1", Order: i, Load: func(context.Context, string, string, int) ([]web.Story, string, error) {
			var stories []web.Story
			for n := range 7 {
				stories = append(stories, web.Story{
					Title: "Lower house committee weighs rules " + strconv.Itoa(n), Path: "/desk/" + strconv.Itoa(n), Kicker: "Parliament",
					Summary: "Members asked who would bear the cost of redistribution, and heard that smaller shops would be exempt.",
					Date:    webtest.Now, Source: "Minutes", SourceURL: "https://example.org/",
				})
			}
			return stories, "", nil
		}})
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
