package remote

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pressroom/llm"
)

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	tests := []struct {
		name, value string
		want        time.Duration
	}{
		{"Retry-After", "7", 7 * time.Second},
		{"Retry-After", " 0.5 ", 500 * time.Millisecond},
		{"Retry-After", "Sun, 15 Nov 2026 12:01:00 GMT", time.Minute},
		{"Retry-After", "Sun, 15 Nov 2026 11:00:00 GMT", 0},
		{"Retry-After", "-3", 0},
		{"Retry-After", "NaN", 0},
		{"Retry-After", "1e300", maxRetryAfter},
		{"Retry-After", "soon", 0},
		{"Retry-After", "", 0},
		{"Retry-After-Ms", "1500", 1500 * time.Millisecond},
	}
	for _, test := range tests {
		header := http.Header{}
		header.Set(test.name, test.value)
		if got := RetryAfter(header, now); got != test.want {
			t.Errorf("%s: %s: %s, want %s", test.name, test.value, got, test.want)
		}
	}
}

func FuzzRetryAfter(f *testing.F) {
	f.Add("7")
	f.Add("Sun, 15 Nov 2026 12:01:00 GMT")
	f.Add("1e999")
	f.Fuzz(func(t *testing.T, value string) {
		for _, name := range []string{"Retry-After", "Retry-After-Ms"} {
			if d := RetryAfter(http.Header{name: {value}}, time.Unix(0, 0)); d < 0 || d > maxRetryAfter {
				t.Errorf("%s: %q: %s", name, value, d)
			}
		}
	})
}

func TestClean(t *testing.T) {
	tests := []struct{ message, want string }{
		{"Incorrect API key provided: sk-proj-abc***********xyz. See docs.", "Incorrect API key provided: [redacted] See docs."},
		{"bad hunter2secret here", "bad [redacted] here"},
		{"two\nlines\x00\t\x1b[31m", "two lines [31m"},
		{"AIzaSyA1234567890abcdef is invalid", "[redacted] is invalid"},
		{"keyword arguments", "keyword arguments"},
		{strings.Repeat("長", 600), strings.Repeat("長", 500) + "…"},
		{"\xff", ""},
	}
	for _, test := range tests {
		if got := Clean(test.message, "hunter2secret", "ab"); got != test.want {
			t.Errorf("%q: %q, want %q", test.message, got, test.want)
		}
	}
}

func FuzzClean(f *testing.F) {
	f.Add("Incorrect API key provided: sk-proj-abc")
	f.Fuzz(func(t *testing.T, message string) {
		got := Clean(message+"hunter2secret"+message, "hunter2secret")
		if strings.Contains(got, "hunter2secret") || strings.ContainsAny(got, "\n\r\x00") || !utf8.ValidString(got) {
			t.Errorf("%q", got)
		}
	})
}

// An answer over the bound is an error also where what was read of it is whole.
func TestMaxBody(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "{}"+strings.Repeat(" ", 100))
	}))
	defer server.Close()
	for limit, want := range map[int64]llm.Kind{102: "", 101: llm.Malformed} {
		p := New("m", Protocol{}, Options{BaseURL: server.URL, MaxBody: limit})
		if _, err := p.post(t.Context(), http.Header{}, struct{}{}); llm.KindOf(err) != want || want == "" && err != nil {
			t.Errorf("a bound of %d: %v", limit, err)
		}
	}
}

// The key and a password in the address are told to nobody.
func TestSecrets(t *testing.T) {
	repeat := Protocol{Explain: func(e *llm.Error, body []byte) { e.Message = string(body) }}
	p := New("m", repeat, Options{Key: "hunter2key", BaseURL: "https://me:hunter2password@example.org/"})
	if e := p.Failure(400, nil, []byte("hunter2key, hunter2password")); e.Message != "[redacted], [redacted]" {
		t.Errorf("it says %q", e.Message)
	}
}

func TestKindOfStatus(t *testing.T) {
	for status, want := range map[int]llm.Kind{
		302: llm.BadRequest, 400: llm.BadRequest, 401: llm.Unauthenticated, 402: llm.BudgetExceeded, 403: llm.Unauthenticated,
		404: llm.BadRequest, 408: llm.Timeout, 413: llm.TooLong, 429: llm.RateLimited, 500: llm.Overloaded, 502: llm.Overloaded,
		503: llm.Overloaded, 504: llm.Timeout, 529: llm.Overloaded,
	} {
		if got := kindOf(status); got != want {
			t.Errorf("%d: %s, want %s", status, got, want)
		}
	}
}
