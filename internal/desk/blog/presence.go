package blog

import (
	"context"
	"fmt"
	"regexp"
	"time"

	"pressroom/internal/errs"
	"pressroom/model"
)

// Present is somebody who has a post open.
type Present struct {
	Person string `json:"-"` // an account's id
	Tab    string `json:"-"` // one of several windows
	Name   string `json:"name"`
}

type presenceItem struct {
	ID     string `dynamodbav:"id"`
	Person string `dynamodbav:"person"`
	Tab    string `dynamodbav:"tab"`
	Name   string `dynamodbav:"name"`
	At     string `dynamodbav:"at"`
	TTL    int64  `dynamodbav:"ttl"`
}

const (
	// PresenceBeat is how often an editor says that the post is still open.
	PresenceBeat = 15 * time.Second
	// presenceAge is how long somebody counts as present who is not heard of.
	presenceAge = 3 * PresenceBeat
)

var tabName = regexp.MustCompile(`^[A-Za-z0-9-]{1,36}$`)

// Here notes that somebody has a post open, and returns the others who have.
func (d *Desk) Here(ctx context.Context, id string, who Present) ([]Present, error) {
	if _, err := d.Version(ctx, id); err != nil {
		return nil, err
	}
	if who.Person == "" || !tabName.MatchString(who.Tab) {
		return nil, errs.Validation(errs.Field{Name: "tab", Message: "must be up to 36 letters, digits and hyphens"})
	}
	now := d.now()
	item := presenceItem{ID: id, Person: who.Person, Tab: who.Tab, Name: who.Name, At: model.FormatTime(now), TTL: now.Add(2 * presenceAge).Unix()}
	if err := d.presences.Put(ctx, &item); err != nil {
		return nil, fmt.Errorf("presence in post %s: %w", id, err)
	}
	others := []Present{}
	for p, err := range d.views.present.All(ctx, key(id), model.Window{}) {
		if err != nil {
			return nil, fmt.Errorf("presence in post %s: %w", id, err)
		}
		if p.At > model.FormatTime(now.Add(-presenceAge)) && (p.Person != who.Person || p.Tab != who.Tab) {
			others = append(others, Present{p.Person, p.Tab, p.Name})
		}
	}
	return others, nil
}

// Gone notes that somebody closed a post.
func (d *Desk) Gone(ctx context.Context, id string, who Present) error {
	if !plausible(id) || who.Person == "" || !tabName.MatchString(who.Tab) {
		return nil
	}
	return d.presences.Delete(ctx, model.Values{"id": id, "person": who.Person, "tab": who.Tab})
}

// LastSave returns the present version of a post, and who saved it, "" if nobody knows.
func (d *Desk) LastSave(ctx context.Context, id string) (version int, by string, err error) {
	if version, err = d.Version(ctx, id); err != nil {
		return 0, "", err
	}
	page, err := d.views.revisions.Page(ctx, key(id), model.PageOptions{Limit: 1})
	if err == nil && len(page.Items) > 0 && page.Items[0].Of == version {
		by = page.Items[0].By
	}
	return version, by, err
}
