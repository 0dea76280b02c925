package web

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/zeebo/xxh3"

	"pressroom/internal/errs"
)

// How long and by whom pages may be kept. Browsers and shared caches always ask
// again, which costs a 304, so that a reader who changes the language or signs out
// never sees the page of before, and nobody sees what was taken back.
const (
	cachePublic  = "public, max-age=0, must-revalidate"
	cachePrivate = "private, no-store"
)

// vary is all that a page depends on besides its address.
const vary = "Accept-Encoding, Accept-Language, Cookie, HX-Request"

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// Render answers with a page: the template of that name, in the reader's language,
// inside the layout. If it returns an error, nothing was written.
func (s *Site) Render(w http.ResponseWriter, r *http.Request, t *Templates, name string, page Page) error {
	view := s.view(r, page, t)
	parsed := t.pages[view.Lang][name]
	if parsed == nil {
		return fmt.Errorf("render %s: no such page", name)
	}
	tmpl, err := parsed()
	if err != nil {
		return fmt.Errorf("render %s: %w", name, err)
	}
	partial := page.Block != "" && isHTMX(r)
	if !partial {
		view.Flash = s.takeFlash(w, r)
	}
	entry := "layout.html"
	if partial {
		entry = page.Block
	}
	buf := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(buf)
	buf.Reset()
	if err := tmpl.ExecuteTemplate(buf, entry, view); err != nil {
		return fmt.Errorf("render %s: %w", name, err)
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Language", view.Lang)
	if after, ok := errs.RetryAfter(page.Problem); ok {
		h.Set("Retry-After", strconv.Itoa(int(math.Ceil(after.Seconds()))))
	}
	status := page.Status
	if status == 0 {
		status = http.StatusOK
	}
	private := page.Private || view.Account != nil || view.Flash != nil || status != http.StatusOK
	if !private && !partial {
		keep(r, view.Lang, buf.Bytes())
	}
	return s.answer(w, r, status, private, buf.Bytes())
}

// answer sends a body that was made for this request: public ones with ETag and
// 304, all compressed if the client takes it.
func (s *Site) answer(w http.ResponseWriter, r *http.Request, status int, private bool, body []byte) error {
	h := w.Header()
	h.Set("Vary", vary)
	sum := xxh3.Hash128(body).Bytes()
	if private {
		h.Set("Cache-Control", cachePrivate)
	} else {
		h.Set("Cache-Control", cachePublic)
		// Weak, because the bytes differ by encoding.
		h.Set("ETag", `W/"`+hex.EncodeToString(sum[:])+`"`)
		if matches(r, h.Get("ETag")) {
			w.WriteHeader(http.StatusNotModified)
			return nil
		}
	}
	if len(body) > 512 && acceptsGzip(r) {
		h.Set("Content-Encoding", "gzip")
		body = s.packed.get(sum, body)
	}
	return send(w, r, status, body)
}

// send writes a whole body. That the client has gone is nobody's error.
func send(w http.ResponseWriter, r *http.Request, status int, body []byte) error {
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body)
	}
	return nil
}

// isHTMX reports whether htmx asks for a part of a page. What it asks to restore
// from history, or follows as an ordinary link, is a whole page.
func isHTMX(r *http.Request) bool {
	h := r.Header
	return h.Get("HX-Request") == "true" && h.Get("HX-Boosted") != "true" && h.Get("HX-History-Restore-Request") != "true"
}

// matches reports whether the client has this version, by weak comparison.
func matches(r *http.Request, etag string) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	etag = strings.TrimPrefix(etag, "W/")
	for known := range strings.SplitSeq(r.Header.Get("If-None-Match"), ",") {
		known = strings.TrimSpace(known)
		if known == "*" || strings.TrimPrefix(known, "W/") == etag {
			return true
		}
	}
	return false
}

// acceptsGzip reads Accept-Encoding as far as we need it.
func acceptsGzip(r *http.Request) bool {
	for coding := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		name, weight, _ := strings.Cut(coding, ";")
		if strings.TrimSpace(name) != "gzip" {
			continue
		}
		weight = strings.ReplaceAll(weight, " ", "")
		return !strings.HasPrefix(weight, "q=0") || strings.Trim(weight, "q=0.") != ""
	}
	return false
}

// packedMax is how many compressed pages are kept.
const packedMax = 256

// packed keeps the compressed form of recent bodies by their hash: most requests
// for a public page make the same bytes again.
type packed struct {
	mu    sync.Mutex
	known map[[16]byte][]byte
}

var packers = sync.Pool{New: func() any {
	w, _ := gzip.NewWriterLevel(nil, 3)
	return w
}}

// get returns body compressed. The result is shared and must not be changed.
func (p *packed) get(sum [16]byte, body []byte) []byte {
	p.mu.Lock()
	out, ok := p.known[sum]
	p.mu.Unlock()
	if ok {
		return out
	}
	var buf bytes.Buffer
	w := packers.Get().(*gzip.Writer)
	defer packers.Put(w)
	w.Reset(&buf)
	// Writing to a buffer cannot fail.
	_, _ = w.Write(body)
	_ = w.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.known == nil || len(p.known) >= packedMax {
		p.known = make(map[[16]byte][]byte, packedMax)
	}
	p.known[sum] = buf.Bytes()
	return buf.Bytes()
}
