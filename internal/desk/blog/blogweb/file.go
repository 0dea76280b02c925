package blogweb

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"

	"pressroom/internal/auth"
	"pressroom/internal/desk/blog"
	"pressroom/internal/errs"
)

// serveMedia answers with a picture. What is under an address never changes.
func (p *pages) serveMedia(w http.ResponseWriter, r *http.Request) error {
	object, everyones, err := p.openMedia(r)
	if err != nil {
		return err
	}
	defer func() { _ = object.Body.Close() }()
	h := w.Header()
	h.Set("Content-Type", object.ContentType)
	h.Set("ETag", object.ETag)
	// A browser keeps what it has seen. What serves many asks again soon whether the post
	// is still published.
	h.Set("Cache-Control", "public, max-age=31536000, s-maxage=60, immutable")
	if !everyones {
		h.Set("Cache-Control", "private, no-store")
	}
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

// openMedia opens an image, and reports whether everyone may see it: those of published
// posts. Staff see all, and whoever has a preview link those of its post.
func (p *pages) openMedia(r *http.Request) (object *blog.Object, everyones bool, err error) {
	ctx, id, name := r.Context(), r.PathValue("id"), r.PathValue("name")
	object, err = p.public.OpenMedia(ctx, id, name)
	if err == nil || !errors.Is(err, errs.NotFound) {
		return object, true, err
	}
	if auth.RoleOf(ctx).Allows(auth.Author) {
		object, err = p.desk.OpenMedia(ctx, id, name)
	} else if token := r.URL.Query().Get(previewParameter); token != "" {
		object, err = p.desk.PreviewMedia(ctx, token, id, name)
	}
	return object, false, err
}

// previewParameter of an image's address holds the token of a preview link.
const previewParameter = "preview"

// libraryImage finds the addresses of images of the library in safe HTML.
var libraryImage = regexp.MustCompile(mediaPath + `[0-9A-HJKMNP-TV-Z]{26}/(full|w[0-9]+)\b`)

// previewing lets the images of a body, or of a srcset, load for whoever has the token.
func previewing(text, token string) string {
	return libraryImage.ReplaceAllString(text, "$0?"+previewParameter+"="+url.QueryEscape(token))
}
