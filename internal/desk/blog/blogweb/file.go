package blogweb

import (
	"io"
	"net/http"
	"strconv"
)

// serveMedia answers with a picture. What is under an address never changes.
func (p *pages) serveMedia(w http.ResponseWriter, r *http.Request) error {
	object, err := p.public.OpenMedia(r.Context(), r.PathValue("id"), r.PathValue("name"))
	if err != nil {
		return err
	}
	defer func() { _ = object.Body.Close() }()
	h := w.Header()
	h.Set("Content-Type", object.ContentType)
	h.Set("ETag", object.ETag)
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	if r.Header.Get("If-None-Match") == object.ETag {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	h.Set("Content-Length", strconv.FormatInt(object.Size, 10))
	if r.Method == http.MethodHead {
		return nil
	}
	// Half a picture is cut off by its length; there is no other answer any more.
	_, _ = io.Copy(w, object.Body)
	return nil
}
