package blog

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"time"

	"pressroom/internal/errs"
)

// How long a preview link works.
const (
	DefaultPreview = 7 * 24 * time.Hour
	MaxPreview     = 30 * 24 * time.Hour
)

// PreviewToken returns the secret part of a link that shows a post in whatever
// state to whoever has it, and when it ends. age 0 means [DefaultPreview]; more
// than [MaxPreview] is brought down to it. A post that is not there is
// errs.NotFound.
func (d *Desk) PreviewToken(ctx context.Context, id string, age time.Duration) (token string, expires time.Time, err error) {
	if _, err := d.Version(ctx, id); err != nil {
		return "", time.Time{}, err
	}
	if age <= 0 {
		age = DefaultPreview
	}
	expires = d.now().Add(min(age, MaxPreview)).UTC().Truncate(time.Second)
	claim := strconv.FormatInt(expires.Unix(), 36) + "." + id
	return base64.RawURLEncoding.EncodeToString([]byte(claim)) + "." + d.previewMAC(claim), expires, nil
}

func (d *Desk) previewMAC(claim string) string {
	h := hmac.New(sha256.New, d.keys.previews)
	h.Write([]byte(claim))
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}

// Preview returns the post behind a preview link as a page would show it, and
// when the link ends. A link that has ended, was changed, or whose post is gone
// is errs.NotFound. What it returns must not be kept by caches.
func (d *Desk) Preview(ctx context.Context, token string) (*Article, time.Time, error) {
	post, expires, err := d.previewed(ctx, token)
	if err != nil {
		return nil, expires, err
	}
	a, err := d.render(ctx, &post)
	return a, expires, err
}

// PreviewMedia opens an image that the post behind a preview link shows.
func (d *Desk) PreviewMedia(ctx context.Context, token, id, name string) (*Object, error) {
	post, _, err := d.previewed(ctx, token)
	if err != nil {
		return nil, err
	}
	s := stored{item: postItem{Facts: post.Facts}, blocks: post.Blocks}
	if s.refs()[id] == "" {
		return nil, noMedia(id)
	}
	return d.OpenMedia(ctx, id, name)
}

// previewed returns the post behind a preview link, and when the link ends.
func (d *Desk) previewed(ctx context.Context, token string) (Post, time.Time, error) {
	id, expires, ok := d.openPreview(token)
	if !ok {
		return Post{}, time.Time{}, fmt.Errorf("preview: %w", errs.NotFound)
	}
	if !d.now().Before(expires) {
		return Post{}, expires, errs.New(errs.NotFound, "This preview link has ended. Ask its sender for a new one.")
	}
	post, err := d.Get(ctx, id)
	return post, expires, err
}

func (d *Desk) openPreview(token string) (id string, expires time.Time, ok bool) {
	claim, mac, found := strings.Cut(token, ".")
	text, err := base64.RawURLEncoding.DecodeString(claim)
	if !found || err != nil || !hmac.Equal([]byte(mac), []byte(d.previewMAC(string(text)))) {
		return "", time.Time{}, false
	}
	until, id, found := strings.Cut(string(text), ".")
	seconds, err := strconv.ParseInt(until, 36, 64)
	return id, time.Unix(seconds, 0).UTC(), found && err == nil
}
