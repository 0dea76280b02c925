package newswire

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"pressroom/internal/errs"
	"pressroom/internal/rights"
	"pressroom/model"
)

// DocumentID is the name of an article in a search index: where it stands in the
// table. By it an article is read as it is now, which an index by the article's id
// may not know yet.
type DocumentID string

func documentID(site, published, article string) DocumentID {
	return DocumentID(site + "/" + published + "/" + article)
}

// DocumentID returns the article's name in a search index.
func (a *Article) DocumentID() DocumentID { return documentID(a.SiteID, a.PublishedAt, a.ArticleID) }

func (id DocumentID) key() (model.Values, bool) {
	parts := strings.SplitN(string(id), "/", 3)
	if len(parts) != 3 || parts[0] == "" || parts[1] == "" || parts[2] == "" {
		return nil, false
	}
	return model.Values{"siteId": parts[0], "publishedAt": parts[1], "articleId": parts[2]}, true
}

// Document is what a search index holds of an article.
type Document struct {
	Article
	Lead string // what readers may see: the present summary, or how the text begins
}

// Document returns what an index should hold of an article, as it is now;
// errs.NotFound says that it should hold nothing. The text, to be found by and not
// to be shown, is as much as the table has of it.
func (d *Desk) Document(ctx context.Context, id DocumentID) (Document, error) {
	key, ok := id.key()
	if !ok {
		return Document{}, fmt.Errorf("document %q: %w", id, errs.NotFound)
	}
	a, err := d.articles.Get(ctx, key)
	if err != nil {
		return Document{}, told(err, "document %s", id)
	}
	docs, err := d.documents(ctx, []Article{a})
	if err == nil && len(docs) == 0 {
		err = fmt.Errorf("document %s is not to be found: %w", id, errs.NotFound)
	}
	if err != nil {
		return Document{}, err
	}
	return docs[0], nil
}

// documents are what an index should hold of articles, without those that are not to
// be found.
func (d *Desk) documents(ctx context.Context, articles []Article) ([]Document, error) {
	shown, err := d.Show(ctx, articles, rights.Readers)
	if err != nil {
		return nil, err
	}
	text := make(map[string]string, len(articles))
	for i := range articles {
		text[articles[i].ArticleID] = articles[i].BodyPlain
	}
	var all []Document
	for _, s := range shown {
		if s.Decision.May(rights.Search) {
			s.Article.BodyPlain = text[s.Article.ArticleID]
			all = append(all, Document{s.Article, s.Lead()})
		}
	}
	return all, nil
}

// Documents yields the documents of all articles, the newest first, to build an
// index. After an error nothing follows.
func (d *Desk) Documents(ctx context.Context) iter.Seq2[Document, error] {
	return func(yield func(Document, error) bool) {
		for o := (PageOptions{Limit: 100}); ; {
			page, err := d.Feed(ctx, o)
			if err != nil {
				yield(Document{}, err)
				return
			}
			docs, err := d.documents(ctx, page.Items)
			if err != nil {
				yield(Document{}, err)
				return
			}
			for _, doc := range docs {
				if !yield(doc, nil) {
					return
				}
			}
			if o.Cursor = page.Next; o.Cursor == "" {
				return
			}
		}
	}
}

// GetDocuments returns the articles behind names in an index, as they are now, by
// these names. Those that are gone, or not to be found any more, are not in it.
func (d *Desk) GetDocuments(ctx context.Context, ids []DocumentID) (map[DocumentID]Article, error) {
	var keys []model.Values
	for _, id := range ids {
		if key, ok := id.key(); ok {
			keys = append(keys, key)
		}
	}
	found := map[DocumentID]Article{}
	if len(keys) == 0 {
		return found, nil
	}
	articles, err := d.articles.BatchGet(ctx, keys)
	if err == nil {
		articles, err = d.that(ctx, articles, rights.Keep, rights.Search)
	}
	if err != nil {
		return nil, told(err, "get documents")
	}
	for i := range articles {
		found[articles[i].DocumentID()] = articles[i]
	}
	return found, nil
}

// ChangedArticle returns the article that an item of the table belongs to, for
// whoever follows the table's stream: the article itself. A summary changes with
// its article.
func (d *Desk) ChangedArticle(keys model.Raw) (id DocumentID, ok bool) {
	found, ok := Schema.Tables[0].Identify(keys)
	if !ok || found.Entity.Name != "Article" {
		return "", false
	}
	v := found.Values
	return documentID(v["siteId"], v["publishedAt"], v["articleId"]), true
}
