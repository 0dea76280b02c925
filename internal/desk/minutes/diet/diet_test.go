package diet

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestParse(t *testing.T) {
	tests := []struct {
		name, body string
		want       Page
		fault      error
	}{
		{"nothing", `{"numberOfRecords":0,"numberOfReturn":0,"startRecord":1,"nextRecordPosition":null}`, Page{}, nil},
		{"a single record as an object, numbers as strings",
			`{"numberOfRecords":"1","nextRecordPosition":"","meetingRecord":{"issueID":"121","session":"219","date":"2026-11-02","speechRecord":{"speechOrder":"3","speaker":"甲","speech":"乙"}}}`,
			Page{Total: 1, Meetings: []Meeting{{IssueID: "121", Session: 219, Date: "2026-11-02", Speeches: []Speech{{Order: 3, Speaker: "甲", Text: "乙"}}}}}, nil},
		{"a list", `{"numberOfRecords":12,"nextRecordPosition":3,"meetingRecord":[{"issueID":121},{"issueID":"122","speechRecord":null}]}`,
			Page{Total: 12, Next: 3, Meetings: []Meeting{{IssueID: "121"}, {IssueID: "122"}}}, nil},
		{"what cannot be read", `{"numberOfRecords":1,"meetingRecord":[{"issueID":{"a":1},"session":"第二回","speechRecord":["x",{"speech":7}]}]}`,
			Page{Total: 1, Meetings: []Meeting{{Speeches: []Speech{{Order: 1, Text: "7"}}, Problems: []string{
				"issueID is no text", `session: "\"第二回\"" is no whole number`, "speech 0 is no JSON object", "speech 1 has no usable speechOrder; its position counts",
			}}}}, nil},
		{"cut", `{"numberOfRecords":12,"meetingRecord":[{"issueID":"1`, Page{}, ErrTruncated},
		{"empty", ``, Page{}, ErrTruncated},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Parse([]byte(tt.body))
			if !errors.Is(err, tt.fault) {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got, cmpopts.IgnoreFields(Meeting{}, "Raw")); diff != "" {
				t.Error(diff)
			}
		})
	}
	var refused *Error
	if _, err := Parse([]byte(`{"message":"検索条件の入力に誤りがあります。","details":["19011"]}`)); !errors.As(err, &refused) || !strings.Contains(refused.Message, "19011") {
		t.Errorf("a refusal: %v", err)
	}
	if _, err := Parse([]byte(`<html>`)); err == nil || errors.Is(err, ErrTruncated) {
		t.Errorf("a page: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"numberOfRecords":"1","nextRecordPosition":"","meetingRecord":{"issueID":"121","session":"219","speechRecord":{"speechOrder":"3","speech":"乙"}}}`))
	f.Add([]byte(`{"numberOfRecords":1e9,"meetingRecord":[[],null,7,"x"]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		page, err := Parse(body)
		if err != nil {
			return
		}
		for _, m := range page.Meetings {
			if !json.Valid(m.Raw) {
				t.Errorf("raw %q", m.Raw)
			}
			if again := ParseMeeting(m.Raw); !cmp.Equal(m, again, cmpopts.SortSlices(strings.Compare)) {
				t.Errorf("read again:\n%s", cmp.Diff(m, again))
			}
		}
	})
}

// answering is a transport that a function answers for.
type answering func(n int) (status int, header, body string)

func (a answering) client(calls *[]time.Time) *http.Client {
	return &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		*calls = append(*calls, time.Now())
		status, header, body := a(len(*calls))
		if status == 0 {
			return nil, io.ErrUnexpectedEOF
		}
		resp := &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), Request: r}
		if header != "" {
			resp.Header.Set("Retry-After", header)
		}
		return resp, nil
	})}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestPausesAndRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls []time.Time
		script := answering(func(n int) (int, string, string) {
			switch n {
			case 2:
				return http.StatusServiceUnavailable, "60", "busy"
			case 3:
				return 0, "", ""
			}
			return http.StatusOK, "", `{"numberOfRecords":0}`
		})
		c := &Client{HTTP: script.client(&calls)}
		for range 3 {
			if _, err := c.Page(t.Context(), Query{From: "2026-11-01", Until: "2026-11-02", Start: 1, Records: 10}); err != nil {
				t.Fatal(err)
			}
		}
		var pauses []time.Duration
		for i := 1; i < len(calls); i++ {
			pauses = append(pauses, calls[i].Sub(calls[i-1]))
		}
		// The usual pause; the server's minute and a doubled pause; doubled again; the usual.
		if diff := cmp.Diff([]time.Duration{3 * time.Second, 66 * time.Second, 12 * time.Second, 3 * time.Second}, pauses); diff != "" {
			t.Error(diff)
		}
	})
}

func TestGivesUp(t *testing.T) {
	for status, want := range map[int]int{http.StatusBadGateway: 4, http.StatusTooManyRequests: 4, http.StatusBadRequest: 1, http.StatusNotFound: 1} {
		var calls []time.Time
		c := &Client{Pause: -1, HTTP: answering(func(int) (int, string, string) { return status, "", `{"message":"no"}` }).client(&calls)}
		_, err := c.Page(t.Context(), Query{})
		var refused *Error
		if !errors.As(err, &refused) || refused.Status != status || len(calls) != want {
			t.Errorf("%d: %v after %d calls", status, err, len(calls))
		}
	}
}

// A page that is not what it says it is counts as truncated.
func TestIncompletePages(t *testing.T) {
	record := `{"issueID":"1"}`
	for name, body := range map[string]string{
		"ends too early":     `{"numberOfRecords":5,"nextRecordPosition":null,"meetingRecord":[` + record + `]}`,
		"leaves a gap":       `{"numberOfRecords":5,"nextRecordPosition":4,"meetingRecord":[` + record + `]}`,
		"does not go on":     `{"numberOfRecords":5,"nextRecordPosition":1,"meetingRecord":[` + record + `]}`,
		"has nothing":        `{"numberOfRecords":5,"nextRecordPosition":null}`,
		"is longer than all": `{"numberOfRecords":0,"x":"` + strings.Repeat("x", 5000) + `"}`,
	} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, body) }))
		c := &Client{BaseURL: srv.URL, Pause: -1, MaxBytes: 4000}
		if _, err := c.Page(t.Context(), Query{Start: 1, Records: 10}); !errors.Is(err, ErrTruncated) {
			t.Errorf("%s: %v", name, err)
		}
		srv.Close()
	}
}
