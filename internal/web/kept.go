package web

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"pressroom/internal/auth"
	"pressroom/internal/kept"
)

// keptFor is how old a page may be that is answered without asking the desks. It
// is gone before that if something was written that it shows; the time is for
// dates, which pages write by the clock.
const keptFor = time.Second

// keptMax is how many such pages there are at most, in all languages and themes.
const keptMax = 256

// Keeping is how a desk keeps what it makes of the tables beside its pages, no longer
// than so long.
func (s *Site) Keeping(most time.Duration) kept.Options {
	return kept.Options{Track: s.o.Track, For: most, Now: s.o.Now}
}

// keptPage is a public page as it was rendered.
type keptPage struct {
	body []byte
	lang string
}

type keepKey struct{}

// Kept answers with h, and for readers who are signed out with what h rendered
// up to a second ago, if all that it read is still so. It is for pages that many
// ask for at once, and whose content depends on address, language and theme alone.
func (s *Site) Kept(h Handler) Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if _, err := r.Cookie(flashCookie); err == nil || auth.From(r.Context()) != nil || isHTMX(r) {
			return h(w, r)
		}
		key := strconv.Itoa(s.look.Load().Version) + " " + s.Lang(r) + " " + themeOf(r) + " " + s.Absolute(r, r.URL.RequestURI())
		var failed error
		page, mine, ok, err := s.kept.Get(r.Context(), key, func(ctx context.Context) (*keptPage, bool) {
			page := &keptPage{}
			failed = h(w, r.WithContext(context.WithValue(ctx, keepKey{}, page)))
			return page, failed == nil && page.body != nil
		})
		switch {
		case err != nil:
			return err
		case mine:
			return failed
		case !ok:
			return h(w, r)
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Language", page.lang)
		return s.answer(w, r, http.StatusOK, false, page.body)
	}
}

// keep notes a page that was rendered for everyone, if someone asked for that.
func keep(r *http.Request, lang string, body []byte) {
	if page, ok := r.Context().Value(keepKey{}).(*keptPage); ok {
		page.body, page.lang = append([]byte(nil), body...), lang
	}
}
