package newswire

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"pressroom/internal/errs"
	"pressroom/internal/story"
	"pressroom/model"
)

// GetArticle returns an article by its id, or errs.NotFound.
func (d *Desk) GetArticle(ctx context.Context, id string) (Article, error) {
	if id == "" {
		return Article{}, fmt.Errorf("get article: %w", errs.NotFound)
	}
	v, err := d.articles.View("GetArticle")
	if err != nil {
		return Article{}, err
	}
	a, err := v.One(ctx, model.Values{"articleId": id})
	return a, told(err, "get article %s", id)
}

// Body returns the whole text of an article.
func (d *Desk) Body(ctx context.Context, a *Article) (string, error) {
	if a.S3BodyKey == "" {
		return a.BodyPlain, nil
	}
	zipped, err := d.get(ctx, a.S3BodyKey)
	if err != nil {
		return "", err
	}
	text, err := unzip(zipped)
	if err != nil {
		return "", fmt.Errorf("unzip %s: %w", a.S3BodyKey, err)
	}
	return string(text), nil
}

// Snapshot returns the page of an article as it was fetched. After 30 days it is
// in the cold class, and errs.Conflict until somebody restores it from there.
func (d *Desk) Snapshot(ctx context.Context, a *Article) ([]byte, error) {
	if a.S3SnapshotKey == "" {
		return nil, fmt.Errorf("snapshot of %s: %w", a.ArticleID, errs.NotFound)
	}
	zipped, err := d.get(ctx, a.S3SnapshotKey)
	if isMissing(err) {
		return nil, fmt.Errorf("snapshot of %s: %w", a.ArticleID, errs.NotFound)
	}
	if isCoded(err, "InvalidObjectState") {
		return nil, errs.Wrap(err, errs.Conflict, "The page is in the archive; it can be read after it was restored from there.")
	}
	if err != nil {
		return nil, err
	}
	return unzip(zipped)
}

// Latest is a page of a site's articles, the newest first.
func (d *Desk) Latest(ctx context.Context, site string, o model.PageOptions) (model.Page[Article], error) {
	p, err := d.articles.Page(ctx, "LatestOfSite", siteKey(site), o)
	return p, told(err, "list articles of %s", site)
}

// Backlog is a page of the articles in a state, the oldest first.
func (d *Desk) Backlog(ctx context.Context, status string, o model.PageOptions) (model.Page[Article], error) {
	if err := oneOf("status", status, []string{Summarized, Pending, SummaryFailed}); err != nil {
		return model.Page[Article]{}, err
	}
	p, err := d.articles.Page(ctx, "Backlog", model.Values{"status": status}, o)
	return p, told(err, "list %s articles", status)
}

// Feed is a page of the articles of all sites, the newest first.
func (d *Desk) Feed(ctx context.Context, o model.PageOptions) (model.Page[Article], error) {
	return d.monthly(ctx, allSites, "GlobalFeed", model.Values{}, o)
}

// ByCategory is a page of the articles of all sites of a category, the newest
// first.
func (d *Desk) ByCategory(ctx context.Context, category string, o model.PageOptions) (model.Page[Article], error) {
	if err := oneOf("category", category, categories); err != nil {
		return model.Page[Article]{}, err
	}
	return d.monthly(ctx, category, "CategoryFeed", model.Values{"category": category}, o)
}

// defaultLimit is the length of a page if the caller does not say.
const defaultLimit = 20

var monthForm = regexp.MustCompile(`^\d{4}-\d{2}$`)

// monthly walks a list back month by month, through those that have articles. The
// cursor is the month and the month's own cursor, which is sealed with it.
func (d *Desk) monthly(ctx context.Context, list, pattern string, args model.Values, o model.PageOptions) (model.Page[Article], error) {
	var page model.Page[Article]
	if o.Window != (model.Window{}) {
		return page, errs.Validation(errs.Field{Name: "window", Message: "is not possible in this list"})
	}
	limit := o.Limit
	if limit <= 0 {
		limit = defaultLimit
	}
	start, inner, _ := strings.Cut(o.Cursor, ".")
	if o.Cursor != "" && !monthForm.MatchString(start) {
		return page, told(model.ErrCursor, "list articles")
	}
	view, err := d.months.View("Months")
	if err != nil {
		return page, err
	}
	for m, err := range view.All(ctx, model.Values{"list": list}, model.Window{To: start}) {
		if err != nil {
			return page, told(err, "list months")
		}
		if len(page.Items) >= limit {
			page.Next = m.Month + "."
			return page, nil
		}
		in := model.Values{"publishedAt": m.Month + "-01T00:00:00.000Z"}
		for name, value := range args {
			in[name] = value
		}
		part := model.PageOptions{Limit: limit - len(page.Items)}
		if m.Month == start {
			part.Cursor = inner
		}
		found, err := d.articles.Page(ctx, pattern, in, part)
		if err != nil {
			return page, told(err, "list articles of %s", m.Month)
		}
		page.Items = append(page.Items, found.Items...)
		if found.Next != "" {
			page.Next = m.Month + "." + found.Next
			return page, nil
		}
	}
	return page, nil
}

// ByTopic is a page of the articles with a topic, the newest first.
func (d *Desk) ByTopic(ctx context.Context, topic string, o model.PageOptions) (model.Page[Article], error) {
	var page model.Page[Article]
	topic = normalTopic(topic)
	if topic == "" {
		return page, errs.Validation(errs.Field{Name: "topic", Message: "must not be empty"})
	}
	found, err := d.topics.Page(ctx, "ArticlesOfTopic", model.Values{"topic": topic}, o)
	if err != nil {
		return page, told(err, "list articles of topic %s", topic)
	}
	page.Next = found.Next
	keys := make([]model.Values, len(found.Items))
	for i, t := range found.Items {
		keys[i] = t.key()
	}
	page.Items, err = d.articles.BatchGet(ctx, keys)
	return page, told(err, "list articles of topic %s", topic)
}

// normalTopic is the one form of a topic: NFKC, lower case, one space for
// several.
func normalTopic(topic string) string {
	return strings.ToLower(strings.Join(strings.Fields(norm.NFKC.String(topic)), " "))
}

// SetTopics gives an article its topics, at most 20 of 1 to 50 characters, and
// returns it. version is the article's version that the editor saw; another one
// is errs.Stale, and 0 is any.
func (d *Desk) SetTopics(ctx context.Context, id string, version int, topics []string) (Article, error) {
	wanted, err := validTopics(topics)
	if err != nil {
		return Article{}, err
	}
	for {
		a, err := d.GetArticle(ctx, id)
		if err != nil {
			return a, err
		}
		if version != 0 && version != a.Version {
			return a, fmt.Errorf("set topics of %s: %w", id, errs.Stale)
		}
		pieces := d.topicPieces(&a, wanted)
		err = story.Transact(ctx, d.db, pieces, func() ([]model.Piece, error) { return d.tellAs(ctx, &a) })
		if errors.Is(err, model.ErrStale) && version == 0 {
			continue
		}
		return a, told(err, "set topics of %s", id)
	}
}

func validTopics(topics []string) ([]string, error) {
	var wanted []string
	for i, t := range topics {
		t = normalTopic(t)
		if n := utf8.RuneCountInString(t); n < 1 || n > topicMax || strings.ContainsFunc(t, func(r rune) bool { return r < ' ' }) {
			return nil, errs.Validation(errs.Field{Name: fmt.Sprintf("topics[%d]", i), Message: fmt.Sprintf("must have 1 to %d characters", topicMax)})
		}
		if !slices.Contains(wanted, t) {
			wanted = append(wanted, t)
		}
	}
	if len(wanted) > topicsMax {
		return nil, errs.Validation(errs.Field{Name: "topics", Message: fmt.Sprintf("must be at most %d", topicsMax)})
	}
	return wanted, nil
}

// topicPieces changes the article and its entries in the topics' lists together.
func (d *Desk) topicPieces(a *Article, wanted []string) []model.Piece {
	var pieces []model.Piece
	for _, old := range a.Topics {
		if !slices.Contains(wanted, old) {
			pieces = append(pieces, d.topics.DeletePiece(model.Values{"topic": old, "publishedAt": a.PublishedAt, "articleId": a.ArticleID}))
		}
	}
	for _, t := range wanted {
		if !slices.Contains(a.Topics, t) {
			pieces = append(pieces, d.topics.PutPiece(&topicArticle{t, a.place()}))
		}
	}
	a.Topics = wanted
	return append(pieces, d.articles.PutPiece(a))
}
