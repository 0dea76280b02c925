package minutes

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"pressroom/internal/story"
	"pressroom/model"
)

// saving is how an article is saved; zero as a machine does.
type saving struct {
	// over says why the article that is there must not be replaced; nil for no reason.
	over func(old *Article) error
	// tell returns what the story becomes; nil for what is published.
	tell func(context.Context, story.Story) ([]model.Piece, error)
}

// save writes an article and its index items in place of what is there. Readers see
// them change together, however many they are: see [model.Saver].
func (d *Desk) save(ctx context.Context, a *Article, how saving) error {
	err := d.saver.Retry(ctx, a.ID, func() error {
		old, err := d.articles.Get(ctx, a.key())
		if err != nil && !errors.Is(err, model.ErrNotFound) {
			return fmt.Errorf("save article: %w", err)
		}
		if how.over != nil {
			if err := how.over(&old); err != nil {
				return err
			}
		}
		return overtaken(d.saveOver(ctx, a, &old, how.tell))
	})
	return known(err, "save of article %s", a.ID)
}

// overtaken makes a save that someone was faster than one to be tried again.
func overtaken(err error) error {
	if errors.Is(err, model.ErrStale) || errors.Is(err, model.ErrExists) || errors.Is(err, story.ErrChanged) {
		return errors.Join(model.ErrSaving, err)
	}
	return err
}

// saveOver saves over the version that was read; old is zero if there was none.
func (d *Desk) saveOver(ctx context.Context, a, old *Article, tell func(context.Context, story.Story) ([]model.Piece, error)) error {
	if tell == nil {
		tell = func(ctx context.Context, st story.Story) ([]model.Piece, error) {
			return d.o.Stories.Publish(ctx, st, "")
		}
	}
	entries := a.entries()
	var present []entry
	if old.ID != "" {
		present = old.entries()
		if old.foreign() { // some write the session with four digits
			present = append(present, entry{Kind: BySession, Value: fmt.Sprintf("%04d", old.Session), Date: old.Date})
		}
	}
	var changes []model.Change
	for _, e := range entries {
		changes = append(changes, d.thins[e.Kind].becomes(e, a.thin(e)))
	}
	for _, e := range minus(present, entries) {
		changes = append(changes, d.thins[e.Kind].goes(e, a.ID))
	}
	next := *a
	next.Version = old.Version
	err := d.saver.Save(ctx, a.ID, old.SaveID, d.ids.New(), changes, func(saveID string, also []model.Piece) error {
		next.SaveID = saveID
		told, err := tell(ctx, next.card())
		if err != nil {
			return err
		}
		return model.Transact(ctx, d.db, slices.Concat([]model.Piece{d.articles.PutPiece(&next)}, also, told)...)
	})
	if err == nil {
		*a = next
	}
	return err
}

// RecoverReport says what Recover found.
type RecoverReport = model.Recovered

// Recover ends saves that a crash interrupted, if they are older than the options'
// SaveAge.
func (d *Desk) Recover(ctx context.Context) (RecoverReport, error) { return d.saver.Recover(ctx) }

// listItems upgrades a part of a save that an earlier version left: it listed what
// the items are about instead of their keys.
func listItems(part model.Raw) error {
	old, ok := part["keys"].(*types.AttributeValueMemberL)
	if !ok {
		return nil
	}
	var about []struct {
		Kind  string `dynamodbav:"kind"`
		Value string `dynamodbav:"value"`
		Date  string `dynamodbav:"date"`
	}
	var id string
	if err := errors.Join(attributevalue.Unmarshal(old, &about), attributevalue.Unmarshal(part["id"], &id)); err != nil {
		return fmt.Errorf("items of a save: %w", err)
	}
	items := make([][]string, len(about))
	for i, e := range about {
		pk, err := model.Template(strings.ToUpper(e.Kind) + "#{value}").Render(model.Values{"value": e.Value})
		if err != nil {
			return err
		}
		sk, err := model.Template(thinSK).Render(model.Values{"date": e.Date, "id": id})
		if err != nil {
			return err
		}
		items[i] = []string{pk, sk}
	}
	list, err := attributevalue.Marshal(items)
	part["items"] = list
	delete(part, "keys")
	return err
}
