package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
)

// world is what the program asks outside: a site that always has something new,
// and the API of a parliament.
type world struct {
	server    *httptest.Server
	url, host string
	stories   atomic.Int64
	most      int64 // stories that there ever are; 0 for no end
}

const meetings = 8

func newWorld() *world {
	w := &world{}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/meeting", w.minutes)
	mux.HandleFunc("GET /robots.txt", func(rw http.ResponseWriter, _ *http.Request) { fmt.Fprintln(rw, "User-agent: *\nAllow: /") })
	mux.HandleFunc("GET /site/{site}/{$}", w.list)
	mux.HandleFunc("GET /site/{site}/story/{n}", w.story)
	w.server = httptest.NewServer(mux)
	w.url, w.host = w.server.URL, strings.TrimPrefix(w.server.URL, "http://")
	return w
}

func (w *world) close() { w.server.Close() }

// list has five stories more each time, until there are as many as there may be.
func (w *world) list(rw http.ResponseWriter, r *http.Request) {
	last := w.stories.Add(5)
	if w.most > 0 {
		last = min(last, w.most)
	}
	rw.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprint(rw, "<!doctype html><title>Paper</title><h1>Headlines</h1>")
	for n := max(1, last-40); n <= last; n++ {
		fmt.Fprintf(rw, `<p><a href="/site/%s/story/%d">Story %d</a></p>`, r.PathValue("site"), n, n)
	}
}

func (w *world) story(rw http.ResponseWriter, r *http.Request) {
	n := r.PathValue("n")
	rw.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprintf(rw, `<!doctype html><html><head><title>Story %s</title><meta property="og:type" content="article"></head><body><article><h1>Story %s of %s</h1>`, n, n, r.PathValue("site"))
	for i := range 5 {
		fmt.Fprintf(rw, "<p>The council voted on item %d of story %s, and the members agreed on a budget for roads, schools and the harbour after a long debate.</p>", i, n)
	}
	fmt.Fprint(rw, "</article></body></html>")
}

// minutes answers all meetings at once.
func (w *world) minutes(rw http.ResponseWriter, _ *http.Request) {
	var all []any
	for n := range meetings {
		var speeches []any
		for i := range 10 {
			text := strings.Repeat(fmt.Sprintf("会議%dの%d番目の発言として、自転車道の整備に予算を要すると申し上げます。", n, i), 12)
			speeches = append(speeches, map[string]any{"speechID": fmt.Sprintf("%d_%d", n, i), "speechOrder": i, "speaker": []string{"鈴木一郎", "田中花子"}[i%2], "speech": text})
		}
		all = append(all, map[string]any{
			"issueID": issue(n), "imageKind": "会議録", "session": 219, "nameOfHouse": "衆議院", "nameOfMeeting": "予算委員会",
			"issue": fmt.Sprintf("第%d号", n), "date": "2026-11-02", "meetingURL": w.url, "speechRecord": speeches,
		})
	}
	rw.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(rw).Encode(map[string]any{"numberOfRecords": len(all), "numberOfReturn": len(all), "startRecord": 1, "nextRecordPosition": nil, "meetingRecord": all})
}

func issue(n int) string { return fmt.Sprintf("12190525%dX00%d", n, n) }
