package web

import (
	"context"
	"net/http"
	"sync"
	"time"

	"pressroom/internal/auth"
)

// keptFor is how old a page may be that is answered without asking the desks:
// less than anyone notices, and enough that a crowd costs one rendering a second.
const keptFor = time.Second

// keptMax is how many such pages there are at most, in all languages and themes.
const keptMax = 256

// keptPage is a public page as it was rendered.
type keptPage struct {
	body []byte
	lang string
	at   time.Time
}

// kept are the pages of the last moment. Only what is the same for everyone who
// is signed out is ever in it.
type kept struct {
	mu    sync.Mutex
	pages map[string]*keptPage
	round int // of pages; another one begins with [Site.Forget]
}

type keepKey struct{}

// Kept answers with h, and for readers who are signed out with what h rendered
// up to a second ago. It is for pages that many ask for at once, and whose content
// depends on address, language and theme alone.
func (s *Site) Kept(h Handler) Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if _, err := r.Cookie(flashCookie); err == nil || auth.From(r.Context()) != nil || isHTMX(r) {
			return h(w, r)
		}
		key := s.Lang(r) + " " + themeOf(r) + " " + s.Absolute(r, r.URL.RequestURI())
		now := s.o.Now()
		page, round := s.kept.get(key, now)
		if page != nil {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.Header().Set("Content-Language", page.lang)
			return s.answer(w, r, http.StatusOK, false, page.body)
		}
		fresh := &keptPage{at: now}
		err := h(w, r.WithContext(context.WithValue(r.Context(), keepKey{}, fresh)))
		if err == nil && fresh.body != nil {
			s.kept.put(key, fresh, round)
		}
		return err
	}
}

// keep notes a page that was rendered for everyone, if someone asked for that.
func keep(r *http.Request, lang string, body []byte) {
	if page, ok := r.Context().Value(keepKey{}).(*keptPage); ok {
		page.body, page.lang = append([]byte(nil), body...), lang
	}
}

// Forget lets every page be rendered anew. A desk calls it when something was
// taken back that must not be shown a moment longer.
func (s *Site) Forget() {
	s.kept.mu.Lock()
	defer s.kept.mu.Unlock()
	s.kept.pages = nil
	s.kept.round++
}

// get returns the page, if it is young enough, and the round for put.
func (k *kept) get(key string, now time.Time) (*keptPage, int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	page := k.pages[key]
	if page == nil || now.Sub(page.at) >= keptFor || now.Before(page.at) {
		return nil, k.round
	}
	return page, k.round
}

// put keeps a page, unless all were forgotten while it was rendered.
func (k *kept) put(key string, page *keptPage, round int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if round != k.round {
		return
	}
	if k.pages == nil || len(k.pages) >= keptMax {
		k.pages = make(map[string]*keptPage)
	}
	k.pages[key] = page
}
