package newswire

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"pressroom/internal/desk/newswire/page"
	"pressroom/internal/rights"
	"pressroom/internal/story"
	"pressroom/model"
)

// minText is the least characters that a summary is worth while for.
const minText = 200

// tooShort is what an article says that gets no summary.
const tooShort = "The text is too short for a summary."

// keep archives the page and writes the article: a new one, or what has changed
// of a known one. All of it happens together with the page being done, so that
// after a crash it either happened or happens again.
func (c *crawl) keep(ctx context.Context, p pageItem, u *url.URL, doc *page.Page, text string, said []rights.Said, a *answerTo) error {
	article := c.article(p, u, doc, text)
	marks, err := c.desk.opt.Erased.Before(ctx, article.PublishedAt)
	if err != nil {
		return err
	}
	if marks.In(article.URL) {
		return c.finish(ctx, p, a)
	}
	if marks.In(article.Title+"\n"+article.Author+"\n"+text) || marks.In(string(a.body)) {
		text = marks.Redact(text)
		p.Title, p.Author = marks.Redact(p.Title), marks.Redact(p.Author)
		doc.Title, doc.Author = marks.Redact(doc.Title), marks.Redact(doc.Author)
		doc.Picture = "" // it may show who is not to be told of
		article = c.article(p, u, doc, text)
		said = append(slices.Clip(said), rights.Said{Signal: rights.NoArchive, Where: rights.InErasure})
	}
	article.Said, _ = rights.Renew(nil, said, article.FetchedAt)
	c.desk.settle(&article, c.site.Basis)
	s := &snapshot{from: a, text: text, cut: article.BodyPlain != text}
	if p.FetchedAt == "" && article.URLHash == p.URLHash {
		// Nobody has fetched the address before, so it is most likely new.
		err := c.keepNew(ctx, p, &article, s)
		if !errors.Is(err, model.ErrExists) {
			return err
		}
	}
	for range 3 { // someone else may keep the same article at this moment
		guard, err := c.desk.urls.Get(ctx, model.Values{"urlHash": article.URLHash})
		switch {
		case errors.Is(err, model.ErrNotFound):
			err = c.keepNew(ctx, p, &article, s)
			if errors.Is(err, model.ErrExists) {
				continue
			}
			return err
		case err != nil:
			return told(err, "look up %s", article.URL)
		case guard.Erased:
			c.unarchive(ctx, &article)
			p.Title, p.Author = "", ""
			return c.finish(ctx, p, a)
		}
		if p.FetchedAt == "" && guard.ArticleID != article.ArticleID {
			c.unarchive(ctx, &article)
		}
		err = c.keepKnown(ctx, p, guard.place, article, s)
		if errors.Is(err, model.ErrNotFound) {
			if err := c.desk.unguard(ctx, guard.place, &article); err != nil {
				return told(err, "look up %s", article.URL)
			}
		}
		if errors.Is(err, model.ErrStale) || errors.Is(err, model.ErrNotFound) {
			continue
		}
		return err
	}
	return c.failed(ctx, p, failure{event: "keep", detail: "the article was changed by others again and again", again: true})
}

// article makes an article of a page.
func (c *crawl) article(p pageItem, u *url.URL, doc *page.Page, text string) Article {
	now := c.desk.now()
	address := p.URL
	if own := Canonical(doc.Canonical); own != "" {
		// A page may only speak for its own site.
		if at, err := url.Parse(own); err == nil {
			if ok, _ := c.scope.holds(at); ok {
				address = own
			}
		}
	}
	published := doc.Published
	if listed := timeOf(p.PublishedAt); published.IsZero() && !listed.IsZero() {
		published = listed
	}
	if published.IsZero() {
		published = now
	}
	title := orElse(orElse(doc.Title, p.Title), address)
	a := Article{
		ArticleID: p.ArticleID, SiteID: c.site.SiteID, Category: c.site.Category, Title: title, URL: address,
		PublishedAt: stamp(published), FetchedAt: stamp(now), Author: orElse(doc.Author, p.Author),
		BodyPlain: page.Cut(text, bodyChars), WordCount: page.Words(text),
		CanonicalHash: sum(address, title), URLHash: sum(address), BodyHash: sum(text), Status: Pending,
	}
	if doc.Picture != "" && len(doc.Picture) <= urlMax {
		a.Picture = &Picture{URL: doc.Picture, Text: doc.PictureText}
	}
	if len(text) < utf8.UTFMax*minText && utf8.RuneCountInString(text) < minText {
		a.Status, a.Note = SummaryFailed, tooShort
	}
	return a
}

// snapshot is a page as it was fetched, and its text, on their way into the bucket.
type snapshot struct {
	from *answerTo
	text string
	cut  bool // the table does not hold the whole text

	page, body []byte // zipped
}

// pack zips the snapshot, once. The answer's body and seat are free after it.
func (s *snapshot) pack() (err error) {
	if s.page != nil {
		return nil
	}
	if s.cut {
		if s.body, err = zip([]byte(s.text)); err != nil {
			return err
		}
	}
	s.page, err = zip(s.from.body)
	s.from.release()
	return err
}

// archive writes the page as it was fetched, if the source lets us, and the whole text
// if the table does not hold it.
func (c *crawl) archive(ctx context.Context, article *Article, s *snapshot) error {
	err := s.pack()
	if err != nil {
		return err
	}
	if err := c.copyPicture(ctx, article); err != nil {
		return err
	}
	article.S3SnapshotKey = ""
	if rights.Decide(c.site.Basis, article.Said, c.desk.now()).May(rights.Copy) {
		err = c.archivePage(ctx, article, s)
	}
	if err != nil || !s.cut {
		article.S3BodyKey = ""
		return err
	}
	article.S3BodyKey, err = c.desk.put(ctx, object{
		kind: "Body", vars: model.Values{"articleId": article.ArticleID}, body: s.body, mime: "application/gzip", source: article.URL,
	})
	return err
}

// archivePage writes the page as it was fetched.
func (c *crawl) archivePage(ctx context.Context, article *Article, s *snapshot) (err error) {
	day := strings.ReplaceAll(article.FetchedAt[:10], "-", "")
	article.S3SnapshotKey, err = c.desk.put(ctx, object{
		kind: "Snapshot", vars: model.Values{"siteId": article.SiteID, "yyyymmdd": day, "articleId": article.ArticleID},
		body: s.page, mime: "application/gzip", source: article.URL,
	})
	return err
}

// unarchive takes away what was archived for an article that is kept under
// another id.
func (c *crawl) unarchive(ctx context.Context, article *Article) {
	for _, key := range append(article.Picture.keys(), article.S3SnapshotKey, article.S3BodyKey) {
		if key == "" {
			continue
		}
		if _, err := c.desk.objects.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &c.desk.bucket.Name, Key: &key}); err != nil && ctx.Err() == nil {
			c.desk.opt.Log.Warn("newswire: an object that nothing refers to was left", "key", key, "error", err)
		}
	}
	article.S3SnapshotKey, article.S3BodyKey, article.Picture = "", "", nil
}

// keepNew writes an article with its guards; ErrExists if there is one already.
func (c *crawl) keepNew(ctx context.Context, p pageItem, article *Article, s *snapshot) error {
	d := c.desk
	if err := c.archive(ctx, article, s); err != nil {
		return err
	}
	for _, list := range []string{allSites, article.Category} {
		if err := d.addMonth(ctx, list, article.PublishedAt); err != nil {
			return err
		}
	}
	page := c.done(p, s.from)
	page.Kept, page.PublishedAt = true, article.PublishedAt
	pieces := []model.Piece{
		d.articles.CreatePiece(article),
		d.hashes.CreatePiece(&hashGuard{article.CanonicalHash, article.place()}),
		d.urls.CreatePiece(&urlGuard{URLHash: article.URLHash, place: article.place()}),
	}
	if err := c.commit(ctx, page, article.place(), "new", pieces, func() ([]model.Piece, error) { return d.tell(ctx, article, nil) }); err != nil {
		return err
	}
	c.log.info("new article", LogLine{URL: article.URL, Detail: article.Title})
	return nil
}

// keepKnown compares an article with the one that is there, and writes what is
// new about it.
func (c *crawl) keepKnown(ctx context.Context, p pageItem, at place, found Article, s *snapshot) error {
	d := c.desk
	old, err := d.articles.Get(ctx, at.key())
	if err != nil {
		return err
	}
	page := c.done(p, s.from)
	page.Kept, page.PublishedAt = true, old.PublishedAt
	if old.SiteID != c.site.SiteID {
		c.log.info("kept by another site", LogLine{URL: found.URL, Detail: old.SiteID})
		return c.finish(ctx, page, s.from)
	}
	said, resaid := rights.Renew(old.Said, found.Said, found.FetchedAt)
	repainted := found.Picture.source() != old.Picture.source() && rights.Decide(c.site.Basis, said, d.now()).May(rights.Picture)
	if old.Title == found.Title && old.BodyHash == found.BodyHash && !resaid && !repainted {
		return c.commit(ctx, page, at, "unchanged", nil, nil)
	}
	updated := old
	updated.Said = said
	if !old.ours() { // from here on it is, with its address in the one form
		updated.URL, updated.URLHash = found.URL, found.URLHash
	}
	if old.Title != found.Title || old.BodyHash != found.BodyHash {
		updated.UpdatedAt = found.FetchedAt
	}
	updated.Title, updated.CanonicalHash, updated.FetchedAt = found.Title, found.CanonicalHash, found.FetchedAt
	updated.Author = orElse(found.Author, old.Author)
	if old.BodyHash != found.BodyHash {
		updated.BodyPlain, updated.WordCount, updated.BodyHash = found.BodyPlain, found.WordCount, found.BodyHash
		updated.Status, updated.Note = found.Status, found.Note
	}
	if repainted {
		updated.Picture = found.Picture
	}
	d.settle(&updated, c.site.Basis)
	if err := c.archive(ctx, &updated, s); err != nil {
		return err
	}
	pieces := []model.Piece{d.articles.PutPiece(&updated)}
	if updated.UpdatedAt == found.FetchedAt && rights.Decide(c.site.Basis, old.Said, d.now()).May(rights.Copy) {
		pieces = append(pieces, d.versions.PutPiece(versionOf(&old, found.FetchedAt)))
	}
	if updated.CanonicalHash != old.CanonicalHash {
		pieces = append(pieces,
			d.hashes.DeletePiece(model.Values{"canonicalHash": old.CanonicalHash}),
			d.hashes.CreatePiece(&hashGuard{updated.CanonicalHash, updated.place()}))
	}
	if err := c.commit(ctx, page, at, "updated", pieces, func() ([]model.Piece, error) { return d.tellAs(ctx, &updated) }); err != nil {
		return err
	}
	if updated.S3SnapshotKey == "" {
		c.unarchive(ctx, &Article{S3SnapshotKey: old.S3SnapshotKey})
	}
	if err := d.removeCopies(ctx, old.Picture, updated.Picture); err != nil {
		return err
	}
	c.log.info("updated article", LogLine{URL: updated.URL, Detail: updated.Title})
	return nil
}

// commit writes the pieces together with what the run met, the page's end and what
// there is to tell, and counts.
func (c *crawl) commit(ctx context.Context, p pageItem, at place, outcome string, pieces []model.Piece, tell func() ([]model.Piece, error)) error {
	d := c.desk
	if p.Failures > 0 {
		pieces = append(pieces, d.retries.DeletePiece(model.Values{"failureType": "fetch", "articleId": p.ArticleID}))
		p.Failures = 0
	}
	first, err := c.firstMeeting(ctx, at, outcome)
	if err != nil {
		return err
	}
	if first != nil {
		pieces = append(pieces, d.met.PutPiece(first))
	}
	pieces = append(pieces, d.pages.PutPiece(&p))
	if err := story.Transact(ctx, d.db, pieces, tell); err != nil {
		return err
	}
	if first != nil {
		c.met(outcome)
	}
	return nil
}

// firstMeeting returns what to write about a run's meeting with an article; nil
// if they met before, or there is no run.
func (c *crawl) firstMeeting(ctx context.Context, at place, outcome string) (*RunArticle, error) {
	if c.run.RunID == "" {
		return nil, nil
	}
	m := &RunArticle{RunID: c.run.RunID, TTL: c.run.TTL, Outcome: outcome, ArticleID: at.ArticleID, SiteID: at.SiteID, PublishedAt: at.PublishedAt}
	if outcome == "new" {
		return m, nil // nobody can have met it
	}
	_, err := c.desk.met.Get(ctx, m.key())
	if errors.Is(err, model.ErrNotFound) {
		return m, nil
	}
	return nil, told(err, "look up article of run %s", c.run.RunID)
}

// unchanged notes that the run met an article that is as it was.
func (c *crawl) unchanged(ctx context.Context, p pageItem, a *answerTo) error {
	at := place{p.ArticleID, p.SiteID, p.PublishedAt}
	if guard, err := c.desk.urls.Get(ctx, model.Values{"urlHash": p.URLHash}); err == nil {
		at = guard.place
	} else if !errors.Is(err, model.ErrNotFound) {
		return told(err, "look up %s", p.URL)
	}
	return c.commit(ctx, c.done(p, a), at, "unchanged", nil, nil)
}

// noteGone says at an article that its source is gone.
func (c *crawl) noteGone(ctx context.Context, p pageItem, status int) error {
	guard, err := c.desk.urls.Get(ctx, model.Values{"urlHash": p.URLHash})
	if errors.Is(err, model.ErrNotFound) {
		return nil
	}
	if err != nil {
		return told(err, "look up %s", p.URL)
	}
	_, err = c.desk.articles.Modify(ctx, guard.key(), func(a *Article) error {
		a.Note = fmt.Sprintf("The source answered %d on %s.", status, stamp(c.desk.now())[:10])
		return nil
	})
	if errors.Is(err, model.ErrNotFound) {
		return nil
	}
	return told(err, "note at article %s", guard.ArticleID)
}

// allSites is the list of months of the feed over all sites.
const allSites = "all"

// month is a month in which a list has articles.
type month struct {
	List  string `dynamodbav:"list"`
	Month string `dynamodbav:"month"`
}

// addMonth makes sure that who walks back through a list finds the month. It is
// written before the article, and does no harm without it.
func (d *Desk) addMonth(ctx context.Context, list, published string) error {
	m := month{List: list, Month: published[:7]}
	if _, ok := d.known.Load(m); ok {
		return nil
	}
	if err := d.months.Put(ctx, &m); err != nil {
		return told(err, "note month %s", m.Month)
	}
	d.known.Store(m, time.Time{})
	return nil
}
