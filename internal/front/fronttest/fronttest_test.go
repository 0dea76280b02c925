package fronttest

import (
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"pressroom/internal/auth"
	"pressroom/internal/errs"
	"pressroom/internal/front"
)

// listener hears what a proof complains about.
type listener struct {
	testing.TB
	heard []string
}

func (l *listener) Errorf(format string, args ...any) {
	l.heard = append(l.heard, fmt.Sprintf(format, args...))
}

func door(routes ...front.Route) *front.Mux {
	m := front.New(&front.Options{Log: slog.New(slog.DiscardHandler), TrustedOrigins: []string{"https://elsewhere.example"}})
	for _, r := range routes {
		r.Handler = http.NotFoundHandler()
		if r.Fail == nil {
			r.Fail = func(w http.ResponseWriter, _ *http.Request, err error) {
				w.WriteHeader(errs.KindOf(err).Status())
			}
		}
		m.Handle(r)
	}
	return m
}

// A proof that cannot fail proves nothing.
func TestMatrixComplains(t *testing.T) {
	wrong := func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusTeapot) }
	tests := []struct {
		name  string
		mux   *front.Mux
		table map[string]auth.Role
		want  string
	}{
		{"forgotten route", door(front.Route{Pattern: "GET /a"}), nil, "GET /a: the table does not say"},
		{"stale row", door(), map[string]auth.Role{"GET /a": auth.Reader}, "there is no such route"},
		{"too open", door(front.Route{Pattern: "GET /a", Access: auth.Author}), map[string]auth.Role{"GET /a": auth.Moderator}, "lets in author, and only moderator may"},
		{"too closed", door(front.Route{Pattern: "GET /a", Access: auth.Author}), map[string]auth.Role{"GET /a": auth.Reader}, "answers 403 to reader"},
		{"strange refusal", door(front.Route{Pattern: "GET /a", Access: auth.Author, Fail: wrong}), map[string]auth.Role{"GET /a": auth.Author}, "answers 418 to everyone"},
		{"cross-site", door(front.Route{Pattern: "POST /a", Access: auth.Author}), map[string]auth.Role{"POST /a": auth.Author}, "a request with Origin"},
		{"shadowed", door(front.Route{Pattern: "GET /{a}"}, front.Route{Pattern: "GET /x"}), map[string]auth.Role{"GET /{a}": 0, "GET /x": 0}, "GET /{a}: its path is taken by GET /x"},
	}
	for _, tt := range tests {
		l := &listener{TB: t}
		Matrix(l, tt.mux, tt.table)
		if !strings.Contains(strings.Join(l.heard, "\n"), tt.want) {
			t.Errorf("%s: heard %q", tt.name, l.heard)
		}
	}
}

func TestPath(t *testing.T) {
	for pattern, want := range map[string]string{"GET /": "/", "GET /{$}": "/", "GET /a/{b}/c/{d...}": "/a/x/c/x", "POST /a/{$}": "/a/"} {
		if got := Path(pattern); got != want {
			t.Errorf("%s: %s", pattern, got)
		}
	}
}
