package newswire

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"pressroom/internal/errs"
	"pressroom/model"
)

// What follows from the rest of an item that another program wrote: see
// [model.Entity].Missing.

func missingOfArticle(item model.Raw) {
	if item["urlHash"] == nil {
		item["urlHash"] = &types.AttributeValueMemberS{Value: urlHash(textIn(item, "url"))}
	}
}

func missingOfRun(item model.Raw) { expire(item, "startedAt", runDays) }

func missingOfRetry(item model.Raw) {
	if item["state"] == nil {
		item["state"] = &types.AttributeValueMemberS{Value: Waiting}
	}
	expire(item, "createdAt", retryDays)
}

// expire sets the time to live, so many days after a time.
func expire(item model.Raw, from string, days int) {
	if at := timeOf(textIn(item, from)); item["ttl"] == nil && !at.IsZero() {
		item["ttl"] = &types.AttributeValueMemberN{Value: strconv.FormatInt(at.AddDate(0, 0, days).Unix(), 10)}
	}
}

func textIn(item model.Raw, name string) string {
	text, _ := item[name].(*types.AttributeValueMemberS)
	if text == nil {
		return ""
	}
	return text.Value
}

// urlHash is the hash of an address in its one form, or of what is no address.
func urlHash(address string) string { return sum(orElse(Canonical(address), address)) }

// ours reports whether this program fetched the article. Another one tells less of
// what it did.
func (a *Article) ours() bool { return a.BodyHash != "" }

// Adopt takes over an article as another program left it: what its site is tells its
// category, guards keep it from being fetched a second time, and lists by month and
// topic have it. An article that has all that is not touched.
func (d *Desk) Adopt(ctx context.Context, id string) error {
	key, ok := keyOf(id)
	if !ok {
		return nil
	}
	for range 5 {
		a, err := d.articles.Get(ctx, key)
		if errors.Is(err, model.ErrNotFound) {
			return nil
		}
		if err == nil {
			err = d.adopt(ctx, &a)
		}
		if !errors.Is(err, model.ErrStale) && !errors.Is(err, model.ErrExists) {
			return told(err, "adopt article %s", id)
		}
	}
	return nil // others change it all the time, and are heard of
}

func (d *Desk) adopt(ctx context.Context, a *Article) error {
	pieces, err := d.missingTopics(ctx, a)
	if err != nil {
		return err
	}
	if !a.ours() {
		more, err := d.missingBeside(ctx, a)
		if err != nil {
			return err
		}
		pieces = append(pieces, more...)
	}
	if len(pieces) == 0 {
		return nil
	}
	return model.Transact(ctx, d.db, pieces...)
}

// missingTopics lists an article under topics that it is not listed under.
func (d *Desk) missingTopics(ctx context.Context, a *Article) ([]model.Piece, error) {
	if len(a.Topics) == 0 {
		return nil, nil
	}
	var keys []model.Values
	for _, t := range a.Topics[:min(len(a.Topics), topicsMax)] {
		if t != "" {
			keys = append(keys, model.Values{"topic": t, "publishedAt": a.PublishedAt, "articleId": a.ArticleID})
		}
	}
	found, err := d.topics.BatchGet(ctx, keys)
	if err != nil {
		return nil, err
	}
	there := map[string]bool{}
	for _, t := range found {
		there[t.Topic] = true
	}
	var pieces []model.Piece
	for _, k := range keys {
		if t := k["topic"]; !there[t] {
			there[t] = true
			pieces = append(pieces, d.topics.PutPiece(&topicArticle{t, a.place()}))
		}
	}
	return pieces, nil
}

// missingBeside adds a category, months and guards.
func (d *Desk) missingBeside(ctx context.Context, a *Article) ([]model.Piece, error) {
	var pieces []model.Piece
	site, err := d.GetSite(ctx, a.SiteID)
	if err != nil && !errors.Is(err, errs.NotFound) {
		return nil, err
	}
	if a.Category == "" && site.Category != "" {
		a.Category = site.Category
		pieces = append(pieces, d.articles.AdoptPiece(a))
	}
	if len(a.PublishedAt) < len("2006-01") {
		return nil, nil
	}
	for _, list := range []string{allSites, a.Category} {
		if list == "" {
			continue
		}
		if err := d.addMonth(ctx, list, a.PublishedAt); err != nil {
			return nil, err
		}
	}
	if a.CanonicalHash != "" {
		_, err := d.hashes.Get(ctx, model.Values{"canonicalHash": a.CanonicalHash})
		if errors.Is(err, model.ErrNotFound) {
			pieces = append(pieces, d.hashes.CreatePiece(&hashGuard{a.CanonicalHash, a.place()}))
		} else if err != nil {
			return nil, err
		}
	}
	_, err = d.urls.Get(ctx, model.Values{"urlHash": a.URLHash})
	if errors.Is(err, model.ErrNotFound) {
		return append(pieces, d.urls.CreatePiece(&urlGuard{URLHash: a.URLHash, place: a.place()})), nil
	}
	return pieces, err
}

// unguard removes the guards of an article that is gone, which another program
// deleted, so that it can be kept again.
func (d *Desk) unguard(ctx context.Context, at place, a *Article) error {
	if hash, err := d.hashes.Get(ctx, model.Values{"canonicalHash": a.CanonicalHash}); err == nil && hash.place == at {
		if err := d.hashes.Delete(ctx, model.Values{"canonicalHash": a.CanonicalHash}); err != nil {
			return err
		}
	}
	if url, err := d.urls.Get(ctx, model.Values{"urlHash": a.URLHash}); err == nil && url.place == at {
		return d.urls.Delete(ctx, model.Values{"urlHash": a.URLHash})
	}
	return nil
}

// locate fills what a retry of another program does not say: where the article is.
func (d *Desk) locate(ctx context.Context, r *Retry) error {
	if r.SiteID != "" {
		return nil
	}
	a, err := d.GetArticle(ctx, r.ArticleID)
	if errors.Is(err, errs.NotFound) {
		return nil // nobody here knows what it is of; it is left alone
	}
	if err != nil {
		return fmt.Errorf("locate retry of %s: %w", r.ArticleID, err)
	}
	r.SiteID, r.URL = a.SiteID, orElse(Canonical(a.URL), a.URL)
	return nil
}
