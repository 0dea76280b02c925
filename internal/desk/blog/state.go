package blog

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"pressroom/internal/errs"
)

// AnyVersion stands for the present version, whichever that is, where a state is
// changed or a post deleted.
const AnyVersion = 0

// anyTries is how often a change of whatever version is tried again.
const anyTries = 10

// fenced reports whether a change was refused though the version is still the
// one that the caller means, and so should be tried again.
func (d *Desk) fenced(ctx context.Context, id string, version int, err error) bool {
	if !errors.Is(err, errs.Stale) {
		return false
	}
	now, err := d.Version(ctx, id)
	return err == nil && (version == AnyVersion || version == now)
}

// SetStatus moves a post into another state and returns it. With a version it
// does so only if that is the present one, and answers errs.Stale otherwise. To
// publish a post without blocks is an errs.Validation. A state that the post is
// in already is no change.
func (d *Desk) SetStatus(ctx context.Context, id string, version int, s Status) (Post, error) {
	if !slices.Contains(states, string(s)) {
		return Post{}, errs.Validation(errs.Field{Name: "status", Message: "must be one of " + strings.Join(states, ", ")})
	}
	for try := 1; ; try++ {
		p, err := d.setStatus(ctx, id, version, s)
		if try == anyTries || !d.fenced(ctx, id, version, err) {
			return p, err
		}
	}
}

func (d *Desk) setStatus(ctx context.Context, id string, version int, s Status) (Post, error) {
	old, err := d.settled(ctx, id)
	if err != nil {
		return Post{}, err
	}
	if version != AnyVersion && old.item.Version != version {
		return Post{}, stale(id)
	}
	if s == Published && len(old.blocks) == 0 {
		return Post{}, errs.Validation(needsBlock)
	}
	if old.item.Status == s {
		return old.item.post(old.blocks)
	}
	next := old
	next.item.Status, next.act.what = s, Act(s)
	next.item.UpdatedAt = d.stamp()
	if s == Published && next.item.PublishedAt == "" {
		next.item.PublishedAt = next.item.UpdatedAt
	}
	if err := d.replace(ctx, &old, &next); err != nil {
		return Post{}, fmt.Errorf("set post %s %s: %w", id, s, err)
	}
	return next.item.post(next.blocks)
}

// Publish shows a post to readers; see [Desk.SetStatus].
func (d *Desk) Publish(ctx context.Context, id string, version int) (Post, error) {
	return d.SetStatus(ctx, id, version, Published)
}

// Unpublish makes a post a draft again; its date of publication is kept for the
// next time. See [Desk.SetStatus].
func (d *Desk) Unpublish(ctx context.Context, id string, version int) (Post, error) {
	return d.SetStatus(ctx, id, version, Draft)
}

// Archive puts a post away; see [Desk.SetStatus].
func (d *Desk) Archive(ctx context.Context, id string, version int) (Post, error) {
	return d.SetStatus(ctx, id, version, Archived)
}

// Delete removes a post with all that belongs to it, but for the images in the
// library. With a version it does so only if that is the present one, and
// answers errs.Stale otherwise. A post that is not there is errs.NotFound.
func (d *Desk) Delete(ctx context.Context, id string, version int) error {
	for try := 1; ; try++ {
		err := d.delete(ctx, id, version)
		if try == anyTries || !d.fenced(ctx, id, version, err) {
			return err
		}
	}
}

func (d *Desk) delete(ctx context.Context, id string, version int) error {
	old, err := d.settled(ctx, id)
	if err != nil {
		return err
	}
	if version != AnyVersion && old.item.Version != version {
		return stale(id)
	}
	if err := d.replace(ctx, &old, nil); err != nil {
		return fmt.Errorf("delete post %s: %w", id, err)
	}
	d.dropAutosaves(ctx, id)
	return nil
}

// Duplicate makes a draft with the content of a post and returns it. It has no
// date of publication, and its title says that it is a copy.
func (d *Desk) Duplicate(ctx context.Context, id string) (Post, error) {
	p, err := d.Get(ctx, id)
	if err != nil {
		return Post{}, err
	}
	c := p.Content
	c.Title = copyTitle(c.Title)
	c.PublishedAt, c.Slug = time.Time{}, ""
	return d.Create(ctx, c)
}

const copyMark = " (copy)"

// copyTitle marks a title as a copy's, within the limit.
func copyTitle(title string) string {
	most := slices.IndexFunc(allFacts, func(f Fact) bool { return f.Name == "title" })
	for utf8.RuneCountInString(title) > allFacts[most].Max-len(copyMark) {
		_, size := utf8.DecodeLastRuneInString(title)
		title = title[:len(title)-size]
	}
	return title + copyMark
}

// Action is what a bulk action does to each post.
type Action string

// The bulk actions.
const (
	DoPublish   Action = "publish"
	DoUnpublish Action = "unpublish"
	DoArchive   Action = "archive"
	DoDelete    Action = "delete"
)

// MaxBulk is how many posts one bulk action takes.
const MaxBulk = 100

// Result is what a bulk action did to one post; Err is nil if it succeeded.
type Result struct {
	ID  string
	Err error
}

// Bulk does the action to each post, whatever its version, in the order given. A
// post that fails does not keep the others; the error is about the request
// itself, or the caller's going away.
func (d *Desk) Bulk(ctx context.Context, a Action, ids []string) ([]Result, error) {
	do, ok := map[Action]func(id string) error{
		DoPublish:   func(id string) error { return second(d.Publish(ctx, id, AnyVersion)) },
		DoUnpublish: func(id string) error { return second(d.Unpublish(ctx, id, AnyVersion)) },
		DoArchive:   func(id string) error { return second(d.Archive(ctx, id, AnyVersion)) },
		DoDelete:    func(id string) error { return d.Delete(ctx, id, AnyVersion) },
	}[a]
	var p problems
	if !ok {
		p.add("action", "must be one of publish, unpublish, archive, delete")
	}
	if len(ids) == 0 || len(ids) > MaxBulk {
		p.add("ids", "must be 1 to %d", MaxBulk)
	}
	if err := p.err(); err != nil {
		return nil, err
	}
	results := make([]Result, 0, len(ids))
	for _, id := range ids {
		if err := ctx.Err(); err != nil {
			return results, err
		}
		results = append(results, Result{id, do(id)})
	}
	return results, nil
}

func second[T any](_ T, err error) error { return err }
