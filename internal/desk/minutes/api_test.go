package minutes

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"

	"pressroom/internal/desk/minutes/diet"
)

// library is a minutes API with all the quirks of the real one.
type library struct {
	t        testing.TB
	meetings []diet.Meeting

	mu     sync.Mutex
	calls  int
	broken map[string]int // faults that were played, by name
	under  int            // calls under way
}

func newLibrary(t testing.TB, meetings ...diet.Meeting) (*library, string) {
	l := &library{t: t, meetings: meetings, broken: map[string]int{}}
	srv := httptest.NewServer(l)
	t.Cleanup(srv.Close)
	return l, srv.URL
}

// once tells whether a fault is to be played: the first so many times.
func (l *library) once(name string, times int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.broken[name]++
	return l.broken[name] <= times
}

func (l *library) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	l.calls++
	l.under++
	if l.under > 1 {
		l.t.Error("two calls at once")
	}
	l.mu.Unlock()
	defer func() {
		l.mu.Lock()
		l.under--
		l.mu.Unlock()
	}()
	q := r.URL.Query()
	start, _ := strconv.Atoi(q.Get("startRecord"))
	most, _ := strconv.Atoi(q.Get("maximumRecords"))
	if r.URL.Path != "/api/meeting" || q.Get("recordPacking") != "json" || start < 1 || most < 1 || most > 10 {
		l.t.Errorf("bad request %s", r.URL)
	}
	var found []diet.Meeting
	for _, m := range l.meetings {
		if m.Date >= q.Get("from") && m.Date <= q.Get("until") || m.Date == "someday" && q.Get("until") >= "2026-10-31" && q.Get("from") <= "2026-10-31" {
			found = append(found, m)
		}
	}
	from := min(start-1, len(found))
	to := min(from+most, len(found))
	switch {
	case from == 20 && l.once("busy", 2):
		http.Error(w, `{"message":"ただいま混雑しています"}`, http.StatusServiceUnavailable)
		return
	case from == 10 && to-from > 2 && l.once("cut", 2):
		body := answerOf(found[from:to], len(found), start, to)
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		_, _ = w.Write(body[:len(body)/2])
		return
	case from == 30 && l.once("short", 1):
		_, _ = w.Write(answerOf(found[from:from+1], len(found), start, len(found)))
		return
	}
	_, _ = w.Write(answerOf(found[from:to], len(found), start, to))
}

// answerOf writes a page: numbers as strings on every other page, and a single
// record as an object.
func answerOf(meetings []diet.Meeting, total, start, to int) []byte {
	number := func(n int) any {
		if start%20 == 1 {
			return strconv.Itoa(n)
		}
		return n
	}
	answer := map[string]any{"numberOfRecords": number(total), "numberOfReturn": number(len(meetings)), "startRecord": number(start), "nextRecordPosition": nil}
	if to < total {
		answer["nextRecordPosition"] = number(to + 1)
	}
	var records []json.RawMessage
	for _, m := range meetings {
		records = append(records, m.Raw)
	}
	switch len(records) {
	case 0:
	case 1:
		answer["meetingRecord"] = records[0]
	default:
		answer["meetingRecord"] = records
	}
	body, err := json.Marshal(answer)
	if err != nil {
		panic(err)
	}
	return body
}

// fakeDate is the i-th day from the 1st of October 2026 on.
func fakeDate(i int) string {
	if i < 31 {
		return fmt.Sprintf("2026-10-%02d", i+1)
	}
	return fmt.Sprintf("2026-11-%02d", i-30)
}
