package newswire

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"pressroom/internal/errs"
	"pressroom/internal/rights"
	"pressroom/internal/rights/erase"
	"pressroom/internal/story"
	"pressroom/model"
)

// Traces is how the desk forgets an article, a page, a site or a name.
func (d *Desk) Traces() *erase.Traces {
	return &erase.Traces{
		Desk: Schema.Name, Shelf: d.Shelf(), Tables: []string{d.table}, Buckets: []string{d.bucket.Name},
		Take: d.take, Key: func(string) string { return "" }, ID: d.storyOf, OwnerOf: path.Base, Known: d.addressOf,
		Page: d.storiesOfPage, Site: d.storiesOfSite, Leave: d.leaveSite, Address: addressOf,
		Shun: d.shun, Scrub: d.scrub, Owner: ownerOf, Object: objectOf, Dropped: d.dropped,
	}
}

// take removes an article with all that is its. It is out of sight with the first
// write, and the article itself goes last, so that what was cut off can be repeated.
func (d *Desk) take(ctx context.Context, id string) error {
	key, ok := keyOf(id)
	if !ok {
		return nil
	}
	a, err := d.articles.Get(ctx, key)
	if errors.Is(err, model.ErrNotFound) {
		return nil
	}
	if err != nil {
		return told(err, "erase article %s", id)
	}
	if err := d.blank(ctx, &a); err != nil {
		return told(err, "erase article %s", id)
	}
	if err := d.removeBeside(ctx, &a); err != nil {
		return told(err, "erase what is of article %s", id)
	}
	gone := &urlGuard{URLHash: a.URLHash, place: a.place(), Erased: true}
	pieces := []model.Piece{d.articles.DeletePiece(a.key()), d.hashes.DeletePiece(model.Values{"canonicalHash": orElse(a.CanonicalHash, "none")}), d.urls.PutPiece(gone)}
	return told(model.Transact(ctx, d.db, pieces...), "erase article %s", id)
}

// blank takes the words out of an article, and hides it.
func (d *Desk) blank(ctx context.Context, a *Article) error {
	a.Title, a.Author, a.BodyPlain, a.Note, a.Picture = "", "", "", "It is being erased.", nil
	a.Said = []rights.Said{{Signal: rights.NoIndex, Where: rights.InErasure, Since: stamp(d.now())}}
	return story.Transact(ctx, d.db, []model.Piece{d.articles.PutPiece(a)}, func() ([]model.Piece, error) {
		return d.opt.Stories.Withdraw(ctx, story.Ref{Desk: Schema.Name, ID: a.StoryID()}, "")
	})
}

// removeBeside removes what belongs to an article: summaries, versions, places in
// lists, what is to be tried again, and objects. That runs met it stays: they name its
// id alone.
func (d *Desk) removeBeside(ctx context.Context, a *Article) error {
	own := model.Values{"articleId": a.ArticleID}
	days := []string{a.FetchedAt}
	for s, err := range d.summaries.All(ctx, "GetSummary", own) {
		if err != nil {
			return err
		}
		if s.RequestKey != "" {
			if err := d.removeAnswer(ctx, s.RequestKey, a.ArticleID); err != nil {
				return err
			}
		}
		if err := d.summaries.Delete(ctx, model.Values{"articleId": a.ArticleID, "number": strconv.Itoa(s.Number)}); err != nil {
			return err
		}
	}
	for v, err := range d.versions.All(ctx, "VersionsOf", own) {
		if err != nil {
			return err
		}
		days = append(days, v.FetchedAt)
		if err := d.removeObject(ctx, snapshotOf(a, v.FetchedAt)); err != nil {
			return err
		}
		if err := d.versions.Delete(ctx, model.Values{"articleId": a.ArticleID, "fetchedAt": v.FetchedAt}); err != nil {
			return err
		}
	}
	for _, topic := range a.Topics {
		if err := d.topics.Delete(ctx, model.Values{"topic": topic, "publishedAt": a.PublishedAt, "articleId": a.ArticleID}); err != nil {
			return err
		}
	}
	for _, kind := range failures {
		if err := d.retries.Delete(ctx, model.Values{"failureType": kind, "articleId": a.ArticleID}); err != nil {
			return err
		}
	}
	if err := d.pages.Delete(ctx, model.Values{"siteId": a.SiteID, "urlHash": a.URLHash}); err != nil {
		return err
	}
	keys := []string{a.S3SnapshotKey, a.S3BodyKey, "bodies/" + a.ArticleID + ".txt.gz"}
	for _, day := range days {
		keys = append(keys, snapshotOf(a, day))
	}
	for _, key := range keys {
		if err := d.removeObject(ctx, key); err != nil {
			return err
		}
	}
	return errors.Join(d.removeObjects(ctx, "prompts/"+a.ArticleID+"/"), d.removeObjects(ctx, "responses/"+a.ArticleID+"/"), d.removeObjects(ctx, "pictures/"+a.ArticleID+"/"))
}

// removeAnswer removes an answer that refers to an article's summary.
func (d *Desk) removeAnswer(ctx context.Context, request, article string) error {
	key := model.Values{"requestKey": request}
	known, err := d.answers.Get(ctx, key)
	if errors.Is(err, model.ErrNotFound) || err == nil && known.ArticleID != article {
		return nil
	}
	if err != nil {
		return err
	}
	return d.answers.Delete(ctx, key)
}

// snapshotOf is where an article was archived on a day.
func snapshotOf(a *Article, fetched string) string {
	if len(fetched) < len("2006-01-02") {
		return ""
	}
	return path.Join("raw-html", a.SiteID, strings.ReplaceAll(fetched[:10], "-", ""), a.ArticleID+".html.gz")
}

func (d *Desk) removeObject(ctx context.Context, key string) error {
	if key == "" {
		return nil
	}
	_, err := d.objects.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &d.bucket.Name, Key: &key})
	return err
}

func (d *Desk) removeObjects(ctx context.Context, prefix string) error {
	pages := s3.NewListObjectsV2Paginator(d.objects, &s3.ListObjectsV2Input{Bucket: &d.bucket.Name, Prefix: &prefix})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return err
		}
		for _, o := range page.Contents {
			if err := d.removeObject(ctx, aws.ToString(o.Key)); err != nil {
				return err
			}
		}
	}
	return nil
}

// storyOf is the story of an article's id, "" if there is none.
func (d *Desk) storyOf(ctx context.Context, article string) (string, error) {
	a, err := d.GetArticle(ctx, article)
	if errors.Is(err, errs.NotFound) {
		return "", nil
	}
	return a.StoryID(), err
}

// addressOf is the address of a story's page, "" if there is none.
func (d *Desk) addressOf(ctx context.Context, id string) (string, error) {
	key, ok := keyOf(id)
	if !ok {
		return "", errs.New(errs.Invalid, "%q is no article", id)
	}
	a, err := d.articles.Get(ctx, key)
	if errors.Is(err, model.ErrNotFound) {
		return "", nil
	}
	return a.URL, err
}

// addressOf reads the address of a page, or of a site with or without a scheme.
func addressOf(text string) (hash, host string, err error) {
	if !strings.Contains(text, "://") {
		text = "https://" + text
	}
	address := Canonical(text)
	if address == "" {
		return "", "", fmt.Errorf("%q: %w", text, errs.Invalid)
	}
	u, err := url.Parse(address)
	if err != nil {
		return "", "", err
	}
	return sum(address), bare(u.Host), nil
}

// storiesOfPage yields the article of an address.
func (d *Desk) storiesOfPage(ctx context.Context, hash string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		guard, err := d.urls.Get(ctx, model.Values{"urlHash": hash})
		switch {
		case errors.Is(err, model.ErrNotFound):
		case err != nil || !guard.Erased:
			yield(storyID(guard.SiteID, guard.PublishedAt, guard.ArticleID), err)
		}
	}
}

// shun sees to it that a page which nobody has fetched is not kept either.
func (d *Desk) shun(ctx context.Context, hash string) error {
	guard := &urlGuard{URLHash: hash, place: place{"erased", "erased", stamp(d.now())}, Erased: true}
	if err := d.urls.Create(ctx, guard); !errors.Is(err, model.ErrExists) {
		return err
	}
	return nil
}

// sitesAt are the sites of a host.
func (d *Desk) sitesAt(ctx context.Context, host string) ([]Site, error) {
	all, err := d.Sites(ctx, "")
	return slices.DeleteFunc(all, func(s Site) bool { return s.scope().host != host }), err
}

func (d *Desk) storiesOfSite(ctx context.Context, host string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		sites, err := d.sitesAt(ctx, host)
		if err != nil {
			yield("", err)
			return
		}
		for _, s := range sites {
			for a, err := range d.articles.All(ctx, "LatestOfSite", siteKey(s.SiteID)) {
				if !yield(a.StoryID(), err) || err != nil {
					return
				}
			}
		}
	}
}

// leaveSite removes the runs over a host's sites, their logs, and the sites.
func (d *Desk) leaveSite(ctx context.Context, host string) error {
	sites, err := d.sitesAt(ctx, host)
	if err != nil {
		return err
	}
	for _, s := range sites {
		if _, err := d.PauseSite(ctx, s.SiteID, true); err != nil {
			return err
		}
		if err := d.removeObjects(ctx, "raw-html/"+s.SiteID+"/"); err != nil {
			return err
		}
		for r, err := range d.runs.All(ctx, "RunsOfSite", siteKey(s.SiteID)) {
			if err != nil {
				return err
			}
			if r.Status == Running {
				continue
			}
			for m, err := range d.met.All(ctx, "ArticlesOfRun", model.Values{"runId": r.RunID}) {
				if err == nil {
					err = d.met.Delete(ctx, m.key())
				}
				if err != nil {
					return err
				}
			}
			if err := errors.Join(d.removeObject(ctx, r.S3LogKey), d.runs.Delete(ctx, model.Values{"siteId": r.SiteID, "startedAt": r.StartedAt})); err != nil {
				return err
			}
		}
		if err := d.DeleteSite(ctx, s.SiteID); err != nil {
			return err
		}
	}
	return nil
}

// ownerOf is the article that an item is of.
func ownerOf(_ string, item model.Raw) string {
	found, ok := Schema.Tables[0].Identify(item)
	if !ok {
		return ""
	}
	switch found.Entity.Name {
	case "Article", "Summary", "Version":
		return found.Values["articleId"]
	}
	return ""
}

// objectOf is the article that an object is of. A page as it was fetched goes whole.
func objectOf(_, key string) (owner string, whole bool) {
	kind, rest, _ := strings.Cut(key, "/")
	switch kind {
	case "raw-html":
		return strings.TrimSuffix(path.Base(rest), ".html.gz"), true
	case "bodies":
		return strings.TrimSuffix(rest, ".txt.gz"), false
	case "prompts", "responses", "pictures":
		owner, _, _ = strings.Cut(rest, "/")
	}
	return owner, false
}

// dropped notes at an article that its archived page goes.
func (d *Desk) dropped(ctx context.Context, _, key string) error {
	owner, _ := objectOf("", key)
	id, err := d.storyOf(ctx, owner)
	if err != nil || id == "" {
		return err
	}
	at, _ := keyOf(id)
	_, err = d.articles.Modify(ctx, at, func(a *Article) error {
		if a.S3SnapshotKey == key {
			a.unarchived(stamp(d.now()))
		}
		return nil
	})
	if errors.Is(err, model.ErrNotFound) {
		return nil
	}
	return err
}

// unarchived says that an article has no archived page, because something of it was
// erased.
func (a *Article) unarchived(at string) {
	a.S3SnapshotKey = ""
	if !slices.ContainsFunc(a.Said, func(s rights.Said) bool { return s.Where == rights.InErasure }) {
		a.Said = append(a.Said, rights.Said{Signal: rights.NoArchive, Where: rights.InErasure, Since: at})
	}
}

// scrub redacts an article with its guards. An address that tells what is erased goes,
// with what is of it.
func (d *Desk) scrub(ctx context.Context, _ string, item model.Raw, marks *erase.Marks) (bool, error) {
	found, ok := Schema.Tables[0].Identify(item)
	if !ok {
		return false, nil
	}
	address, _ := item["url"].(*types.AttributeValueMemberS)
	telling := address != nil && marks.In(address.Value)
	switch found.Entity.Name {
	case "Article":
		id := storyID(found.Values["siteId"], found.Values["publishedAt"], found.Values["articleId"])
		if telling {
			return true, d.take(ctx, id)
		}
		return true, d.scrubArticle(ctx, id, marks)
	case "Page":
		if telling {
			return true, d.pages.Delete(ctx, model.Values{"siteId": found.Values["siteId"], "urlHash": found.Values["urlHash"]})
		}
	case "Retry":
		if telling {
			return true, d.retries.Delete(ctx, model.Values{"failureType": found.Values["failureType"], "articleId": found.Values["articleId"]})
		}
	}
	return false, nil
}

func (d *Desk) scrubArticle(ctx context.Context, id string, marks *erase.Marks) error {
	key, _ := keyOf(id)
	old, err := d.articles.Get(ctx, key)
	if errors.Is(err, model.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	a := old
	a.Title, a.Author, a.BodyPlain, a.Note = marks.Redact(old.Title), marks.Redact(old.Author), marks.Redact(old.BodyPlain), marks.Redact(old.Note)
	a.Topics = slices.DeleteFunc(slices.Clone(old.Topics), marks.In)
	for i := range a.Said {
		a.Said[i].Value, a.Said[i].Path = marks.Redact(a.Said[i].Value), marks.Redact(a.Said[i].Path)
	}
	if p := old.Picture; p != nil && marks.In(p.URL+"\n"+p.Text) { // it shows what is erased
		a.Picture = nil
	}
	pieces := []model.Piece{}
	if a.BodyPlain != old.BodyPlain && a.ours() {
		a.BodyHash = sum(a.BodyPlain)
	}
	if a.ours() && a.Title != old.Title {
		a.CanonicalHash = sum(a.URL, a.Title)
		pieces = append(pieces, d.hashes.DeletePiece(model.Values{"canonicalHash": old.CanonicalHash}), d.hashes.PutPiece(&hashGuard{a.CanonicalHash, a.place()}))
	}
	for _, topic := range old.Topics {
		if !slices.Contains(a.Topics, topic) {
			pieces = append(pieces, d.topics.DeletePiece(model.Values{"topic": topic, "publishedAt": a.PublishedAt, "articleId": a.ArticleID}))
		}
	}
	snapshot := a.S3SnapshotKey
	if a.ours() {
		a.unarchived(stamp(d.now()))
	}
	err = model.Transact(ctx, d.db, append(pieces, d.articles.PutPiece(&a))...)
	if errors.Is(err, model.ErrStale) {
		return nil // the next pass meets it again
	}
	if err != nil {
		return err
	}
	return errors.Join(d.removeObject(ctx, snapshot), d.removeCopies(ctx, old.Picture, a.Picture))
}
