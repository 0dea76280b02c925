package minutes

import (
	"context"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"pressroom/internal/rights/erase"
	"pressroom/internal/story"
	"pressroom/model"
)

// Traces is how the desk forgets an article or a name. Index items, tasks and objects
// have the meeting's id in their keys.
func (d *Desk) Traces() *erase.Traces {
	return &erase.Traces{
		Desk: Schema.Name, Shelf: d.Shelf(), Tables: []string{d.articles.Table(), d.tasks.Table()},
		Buckets: []string{d.objects.prompts.Name, d.objects.assets.Name},
		Take:    d.takeAway, Owner: ownerOf, Object: objectOf,
	}
}

// takeAway removes an article from sight, and the answers that models gave: they are
// kept by what was asked, and nobody can tell which are about it.
func (d *Desk) takeAway(ctx context.Context, id string) error {
	err := story.Transact(ctx, d.db, []model.Piece{d.articles.DeletePiece(model.Values{"id": id})}, func() ([]model.Piece, error) {
		return d.o.Stories.Withdraw(ctx, story.Ref{Desk: Schema.Name, ID: id}, "")
	})
	if err != nil {
		return err
	}
	pages := s3.NewListObjectsV2Paginator(d.objects.client, &s3.ListObjectsV2Input{Bucket: &d.objects.prompts.Name, Prefix: aws.String("answers/")})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return err
		}
		for _, o := range page.Contents {
			if err := d.objects.delete(ctx, url(d.objects.prompts.Name, aws.ToString(o.Key))); err != nil {
				return err
			}
		}
	}
	return nil
}

// ownerOf is the article that an item is of.
func ownerOf(_ string, item model.Raw) string {
	id, _ := changedArticle(item)
	return id
}

// objectOf is the article that an object is of.
func objectOf(_, key string) (owner string, whole bool) {
	kind, rest, _ := strings.Cut(key, "/")
	switch kind {
	case "articles":
		owner, _, _ = strings.Cut(rest, "/")
	case "prompts", "results", "raw", "review":
		owner = strings.TrimSuffix(strings.TrimPrefix(rest, "reduce/"), ".json")
		owner, _, _ = strings.Cut(owner, "_")
	}
	return owner, false
}
