package web

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"pressroom/internal/auth"
	"pressroom/internal/errs"
	"pressroom/internal/front"
	"pressroom/internal/story"
)

// failure is what the error page shows.
type failure struct {
	Status    int
	Code      string // of the kind; the page's words are failure.<code>.title
	Message   string
	RequestID string
	Gone      *story.Note // what a person withdrew; nil for any other
}

// StatusOf returns the HTTP status that answers err.
func StatusOf(err error) int { return errs.KindOf(err).Status() }

// Fail answers an error as a page: those who must sign in are sent to do so and
// come back afterwards; all others read what happened and what to do next. It is
// the Fail of every route of the site, and fits front.Options.Fail.
func (s *Site) Fail(w http.ResponseWriter, r *http.Request, err error) {
	s.refresh(r.Context())
	kind := errs.KindOf(err)
	if kind == errs.Unauthenticated && auth.From(r.Context()) == nil && s.o.Auth != nil {
		s.askToSignIn(w, r)
		return
	}
	if kind == errs.NotFound && s.leadOn(w, r) {
		return
	}
	if kind.Status() >= 500 && kind != errs.Canceled {
		s.o.Log.ErrorContext(r.Context(), "page failed", "path", front.Path(r.Context()), "error", err, "request_id", front.RequestID(r.Context()))
	}
	f := failure{Status: kind.Status(), Code: kind.Code(), RequestID: front.RequestID(r.Context())}
	var gone *story.GoneError
	if errors.As(err, &gone) && kind == errs.Gone {
		f.Gone = &gone.Note
	}
	f.Message = s.say(s.Lang(r), errs.Message(err))
	clearBody(w.Header())
	page := Page{Title: s.T(r, "failure."+f.Code+".title"), Status: f.Status, NoIndex: true, Private: true, Problem: err, Block: "failure", Data: f}
	if problem := s.Render(w, r, s.shell, "failure", page); problem != nil {
		s.o.Log.ErrorContext(r.Context(), "error page failed", "error", problem)
		http.Error(w, errs.Message(err), f.Status)
	}
}

// Moved adds someone who knows where pages that are not here are now: fn returns the
// path, or "" if it does not know. It is asked for every page that is not found.
func (s *Site) Moved(fn func(ctx context.Context, path string) (string, error)) {
	s.moved = append(s.moved, fn)
}

// leadOn sends a reader to where a page is now, if somebody knows.
func (s *Site) leadOn(w http.ResponseWriter, r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	for _, fn := range s.moved {
		to, err := fn(r.Context(), r.URL.Path)
		if err != nil {
			s.o.Log.ErrorContext(r.Context(), "redirect failed", "error", err, "request_id", front.RequestID(r.Context()))
		}
		if to != "" && to != r.URL.Path {
			clearBody(w.Header())
			http.Redirect(w, r, to, http.StatusMovedPermanently)
			return true
		}
	}
	return false
}

// clearBody removes what a handler may have said about a body it did not send.
func clearBody(h http.Header) {
	for _, name := range []string{"Content-Type", "Content-Encoding", "Content-Length", "ETag", "Last-Modified", "Cache-Control"} {
		h.Del(name)
	}
}

// askToSignIn sends a browser to the sign-in page, which leads back to where it
// was; after a form, to the page that the form was on.
func (s *Site) askToSignIn(w http.ResponseWriter, r *http.Request) {
	back := r.URL.RequestURI()
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		back = refererPath(r)
	}
	target := "/sign-in?" + url.Values{"return": {auth.LocalPath(back)}}.Encode()
	w.Header().Set("Cache-Control", cachePrivate)
	if r.Header.Get("HX-Request") == "true" {
		w.Header().Set("HX-Redirect", target)
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	http.Redirect(w, r, target, http.StatusSeeOther)
}

// refererPath is the path of the page that sent the request, if it is ours.
func refererPath(r *http.Request) string {
	u, err := url.Parse(r.Referer())
	if err != nil || u.Host != r.Host {
		return "/"
	}
	return u.RequestURI()
}

// Redirect answers a form that worked: the browser gets the page at path, which
// must be one of this site.
func (s *Site) Redirect(w http.ResponseWriter, r *http.Request, path string) error {
	w.Header().Set("Cache-Control", cachePrivate)
	if isHTMX(r) {
		w.Header().Set("HX-Redirect", auth.LocalPath(path))
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	http.Redirect(w, r, auth.LocalPath(path), http.StatusSeeOther)
	return nil
}
