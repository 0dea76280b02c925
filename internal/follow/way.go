package follow

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"pressroom/internal/deliver"
	"pressroom/internal/errs"
	"pressroom/model"
)

// Pushed is the kind of the channels by which browsers are told; each browser of a reader
// is a channel of its own, "push:" and the browser's id.
const Pushed = "push"

// Browser is a browser in which a reader is told, by its maker's push service.
type Browser struct {
	Reader   string `dynamodbav:"reader" json:"-"`
	ID       string `dynamodbav:"browser" json:"id"`
	Endpoint string `dynamodbav:"endpoint" json:"endpoint"`
	Keys     []byte `dynamodbav:"keys" json:"-"` // see the channel
	Agent    string `dynamodbav:"agent" json:"agent"`
	Since    string `dynamodbav:"since" json:"since"`
}

// mostBrowsers is how many browsers a reader has; another one takes the place of the
// oldest.
const mostBrowsers = 10

// AddBrowser lets a reader be told in a browser; doing so twice is no harm.
func (f *Follows) AddBrowser(ctx context.Context, reader, endpoint string, keys []byte, agent string) error {
	u, err := url.Parse(endpoint)
	if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil || len(endpoint) > urlMax {
		return errs.Validation(errs.Field{Name: "endpoint", Message: "is not the address of a push service"})
	}
	sum := sha256.Sum256([]byte(endpoint))
	b := Browser{Reader: reader, ID: hex.EncodeToString(sum[:8]), Endpoint: endpoint, Keys: keys, Agent: agent[:min(len(agent), agentMax)], Since: model.FormatTime(f.now())}
	all, err := f.Browsers(ctx, reader)
	if err != nil {
		return err
	}
	slices.SortFunc(all, func(a, b Browser) int { return strings.Compare(a.Since, b.Since) })
	for len(all) >= mostBrowsers && !slices.ContainsFunc(all, func(has Browser) bool { return has.ID == b.ID }) {
		if err := f.RemoveBrowser(ctx, reader, all[0].ID); err != nil {
			return err
		}
		all = all[1:]
	}
	if err := f.browsers.Put(ctx, &b); err != nil {
		return err
	}
	_, err = f.Change(ctx, reader, func(r *Reader) error { r.with(Pushed + ":" + b.ID); return nil })
	return err
}

// RemoveBrowser ends what AddBrowser began; that there is none is no error.
func (f *Follows) RemoveBrowser(ctx context.Context, reader, id string) error {
	_, err := f.Change(ctx, reader, func(r *Reader) error { r.without(Pushed + ":" + id); return nil })
	if err != nil {
		return err
	}
	return f.browsers.Delete(ctx, model.Values{"reader": reader, "browser": id})
}

// Ended forgets a browser whose push service says that it is gone; it is
// [deliver.Options.Ended]. Other ways stay, so that their owners see them and can correct
// them.
func (f *Follows) Ended(ctx context.Context, d *deliver.Delivery) error {
	kind, id, _ := strings.Cut(d.Channel, ":")
	if kind != Pushed {
		return nil
	}
	err := f.RemoveBrowser(ctx, d.Recipient, id)
	if errors.Is(err, errs.NotFound) {
		return nil // the reader has left
	}
	return err
}

// Browsers returns the browsers in which a reader is told.
func (f *Follows) Browsers(ctx context.Context, reader string) ([]Browser, error) {
	var all []Browser
	for b, err := range f.browsers.All(ctx, "BrowsersOf", model.Values{"reader": reader}) {
		if err != nil {
			return nil, err
		}
		all = append(all, b)
	}
	return all, nil
}

// NewFeed gives a reader a private feed under a new address; one that there was before is
// no longer good. EndFeed takes it away.
func (f *Follows) NewFeed(ctx context.Context, reader string) (Reader, error) {
	return f.Change(ctx, reader, func(r *Reader) error {
		r.Feed = rand.Text()
		r.with(deliver.Feed)
		return nil
	})
}

// EndFeed makes the address of a reader's private feed worthless.
func (f *Follows) EndFeed(ctx context.Context, reader string) error {
	_, err := f.Change(ctx, reader, func(r *Reader) error {
		r.Feed = ""
		r.without(deliver.Feed)
		return nil
	})
	return err
}

// FeedLink is the secret of the address of a reader's private feed; "" if there is none.
func (r *Reader) FeedLink() string {
	if r.Feed == "" {
		return ""
	}
	return r.Link("feed " + r.Feed)
}

// Fed returns the reader whose private feed has a link, or [errs.NotFound].
func (f *Follows) Fed(ctx context.Context, link string) (Reader, error) {
	id, ok := linkedTo(link)
	if !ok {
		return Reader{}, fmt.Errorf("a private feed: %w", errs.NotFound)
	}
	r, err := f.Reader(ctx, id)
	if err != nil {
		return Reader{}, err
	}
	if r.Feed == "" {
		return Reader{}, fmt.Errorf("a private feed: %w", errs.NotFound)
	}
	return f.Linked(ctx, link, "feed "+r.Feed)
}

func (r *Reader) with(way string) {
	if !slices.Contains(r.Ways, way) {
		r.Ways = append(slices.Clone(r.Ways), way)
	}
}

func (r *Reader) without(way string) {
	r.Ways = slices.DeleteFunc(slices.Clone(r.Ways), func(w string) bool { return w == way })
}

// address returns where a message to a reader goes by a channel, and what it is signed or
// encrypted with; "" if the reader has no such address.
func (f *Follows) address(ctx context.Context, r *Reader, channel string) (to string, secret []byte, err error) {
	kind, id, _ := strings.Cut(channel, ":")
	switch kind {
	case "mail":
		return r.Address, r.Secret, nil
	case Pushed:
		b, err := f.browsers.Get(ctx, model.Values{"reader": r.ID, "browser": id})
		if errors.Is(err, model.ErrNotFound) {
			return "", nil, nil
		}
		return b.Endpoint, b.Keys, err
	}
	return r.Hook, r.Secret, nil
}
