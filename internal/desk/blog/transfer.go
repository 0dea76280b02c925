package blog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"pressroom/internal/errs"
	"pressroom/internal/rights/erase"
	"pressroom/model"
)

// Given is a post from elsewhere, with the id, the dates and the state that it has
// there.
type Given struct {
	ID string
	Content
	Status    Status
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Take saves a post from elsewhere as it is given, in one step. Version 0 creates
// it; any other is the one that it replaces, and answers errs.Stale if that is not the
// present one. A post that was erased is errs.Gone, and names that were do not come back.
func (d *Desk) Take(ctx context.Context, g Given, version int) (Post, error) {
	gone, err := d.opt.Erased.Gone(ctx, Schema.Name+"/"+g.ID)
	if err != nil {
		return Post{}, err
	}
	if gone {
		return Post{}, errs.New(errs.Gone, "it was erased here, and is not taken again")
	}
	marks, err := d.opt.Erased.Before(ctx, model.FormatTime(g.CreatedAt))
	if err != nil {
		return Post{}, err
	}
	c := g.normal()
	c.redact(marks)
	if err := c.check(d.now()); err != nil {
		return Post{}, err
	}
	if g.Status == Published && len(c.Blocks) == 0 {
		return Post{}, errs.Validation(needsBlock)
	}
	if !mediaID.MatchString(g.ID) {
		return Post{}, errs.Validation(errs.Field{Name: "id", Message: "must be a ULID"})
	}
	next := &stored{item: postItem{ID: g.ID, CreatedAt: model.FormatTime(g.CreatedAt), UpdatedAt: model.FormatTime(g.UpdatedAt)}}
	var old *stored
	if version != 0 {
		was, err := d.settled(ctx, g.ID)
		if err != nil {
			return Post{}, err
		}
		if was.item.Version != version {
			return Post{}, stale(g.ID)
		}
		old, next = &was, &stored{item: was.item}
		next.item.UpdatedAt = d.stamp()
	}
	next.item.Status = g.Status
	next.take(d.addressed(c))
	if g.Status == Published && next.item.PublishedAt == "" {
		next.item.PublishedAt = next.item.CreatedAt
	}
	if err := d.replace(ctx, old, next); err != nil {
		return Post{}, fmt.Errorf("take post %s: %w", g.ID, err)
	}
	return next.item.post(next.blocks)
}

// redact takes marked words out of the content.
func (c *Content) redact(marks *erase.Marks) {
	for fact, text := range c.Facts.All {
		switch {
		case !marks.In(*text):
		case fact.Kind == "slug" || fact.Kind == "picture":
			*text = ""
		default:
			*text = marks.Redact(*text)
		}
	}
	c.Tags = slices.DeleteFunc(slices.Clone(c.Tags), marks.In)
	c.Blocks = slices.Clone(c.Blocks)
	for i := range c.Blocks {
		b := &c.Blocks[i]
		b.Content, b.Alt, b.Caption = marks.Redact(b.Content), marks.Redact(b.Alt), marks.Redact(b.Caption)
	}
}

// Same reports whether a post has the content that is given.
func (d *Desk) Same(p Post, c Content) bool {
	c = d.addressed(c.normal())
	if c.Slug == "" {
		c.Slug = p.Slug // it was made here
	}
	return p.Facts == c.Facts && slices.Equal(p.Tags, c.Tags) && slices.Equal(p.Blocks, c.Blocks) &&
		(c.PublishedAt.IsZero() || c.PublishedAt.Truncate(time.Millisecond).Equal(p.PublishedAt))
}

// TakeMedia is [Desk.AddMedia] under an id that the caller knows, so that doing it
// again doubles nothing.
func (d *Desk) TakeMedia(ctx context.Context, id string, n NewMedia, file []byte) (Media, error) {
	n, err := n.normal()
	if err != nil {
		return Media{}, err
	}
	if !mediaID.MatchString(id) {
		return Media{}, noMedia(id)
	}
	return d.keepMedia(ctx, mediaItem{MediaID: id, CreatedAt: d.stamp(), Name: n.Name, Alt: n.Alt, Uploader: n.Uploader}, file)
}

// Imported says which post a thing of another system became.
type Imported struct {
	Key     string `dynamodbav:"importKey"` // what the other system calls it, hashed
	ID      string `dynamodbav:"id"`
	Digest  string `dynamodbav:"digest"` // of what was given; "" if something of it is still to be had
	Version int    `dynamodbav:"version"`
}

// Imported returns what some keys became, for those that are known.
func (d *Desk) Imported(ctx context.Context, keys []string) (map[string]Imported, error) {
	values := make([]model.Values, len(keys))
	for i, k := range keys {
		values[i] = model.Values{"importKey": k}
	}
	found, err := d.imported.BatchGet(ctx, values)
	byKey := make(map[string]Imported, len(found))
	for _, f := range found {
		byKey[f.Key] = f
	}
	return byKey, err
}

// NoteImported remembers what a key became.
func (d *Desk) NoteImported(ctx context.Context, i Imported) error { return d.imported.Put(ctx, &i) }

// redirectItem is a path at which a post was read elsewhere.
type redirectItem struct {
	Path string `dynamodbav:"path"`
	ID   string `dynamodbav:"id"`
}

// redirectMax is how many bytes a path may have.
const redirectMax = 1000

// OldPath returns a path in the form that redirects are kept under: unescaped, without
// a slash at its end. It is "" for what cannot have one.
func OldPath(path string) string {
	u, err := url.Parse(path)
	if err != nil {
		return ""
	}
	p := "/" + strings.Trim(u.Path, "/")
	if p == "/" || len(p) > redirectMax || strings.ContainsFunc(p, forbidden) {
		return ""
	}
	return p
}

// Redirect leads readers of an old path to a post. It reports false if the path leads
// to another post already.
func (d *Desk) Redirect(ctx context.Context, old, id string) (bool, error) {
	path := OldPath(old)
	if path == "" {
		return false, errs.Validation(errs.Field{Name: "path", Message: "cannot be redirected"})
	}
	err := d.redirects.Create(ctx, &redirectItem{path, id})
	if !errors.Is(err, model.ErrExists) {
		return err == nil, err
	}
	there, err := d.redirects.Get(ctx, model.Values{"path": path})
	return err == nil && there.ID == id, err
}

// Redirected returns the published post that an old path leads to, or errs.NotFound.
func (p *Public) Redirected(ctx context.Context, old string) (string, error) {
	none := fmt.Errorf("path %.64q: %w", old, errs.NotFound)
	path := OldPath(old)
	if path == "" {
		return "", none
	}
	there, err := p.d.redirects.Get(ctx, model.Values{"path": path})
	if err == nil {
		var item postItem
		if item, err = p.d.posts.Get(ctx, key(there.ID)); err == nil && item.Status != Published {
			err = none
		}
	}
	if errors.Is(err, model.ErrNotFound) {
		err = none
	}
	return there.ID, err
}

// The states of an import that was uploaded.
const (
	ImportWaiting   = "waiting"   // to be previewed
	ImportPreviewed = "previewed" // somebody is to look at it
	ImportWanted    = "wanted"    // it was looked at, and is done or being done
	ImportDone      = "done"
	ImportFailed    = "failed"
)

// Import is a file that somebody uploaded, and what came of it.
type Import struct {
	ID        string `dynamodbav:"importId"`
	CreatedAt string `dynamodbav:"createdAt"`
	Name      string `dynamodbav:"name"` // of the file
	Format    string `dynamodbav:"format"`
	Base      string `dynamodbav:"base"` // the old site's address
	Overwrite bool   `dynamodbav:"overwrite"`
	State     string `dynamodbav:"state"`
	By        string `dynamodbav:"by"`
	Seen      int    `dynamodbav:"seen"` // things of the file, so far
	Problem   string `dynamodbav:"problem"`
	Version   int    `dynamodbav:"version"`
}

// AddImport keeps an uploaded file of so many bytes for [Desk.OpenImport].
func (d *Desk) AddImport(ctx context.Context, i *Import, file io.Reader, size int64) error {
	i.ID, i.CreatedAt, i.State = d.ids.New(), d.stamp(), ImportWaiting
	key, err := d.objectKey("Import", model.Values{"id": i.ID, "name": "file"})
	if err != nil {
		return err
	}
	if _, err := d.objects.PutObject(ctx, &s3.PutObjectInput{Bucket: &d.bucket.Name, Key: &key, Body: file, ContentLength: &size}); err != nil {
		return fmt.Errorf("keep import: %w", err)
	}
	return d.imports.Create(ctx, i)
}

// GetImport returns an uploaded import, or errs.NotFound.
func (d *Desk) GetImport(ctx context.Context, id string) (Import, error) {
	none := fmt.Errorf("import %.64q: %w", id, errs.NotFound)
	if !mediaID.MatchString(id) {
		return Import{}, none
	}
	i, err := d.imports.Get(ctx, model.Values{"importId": id})
	if errors.Is(err, model.ErrNotFound) {
		err = none
	}
	return i, err
}

// SaveImport saves what changed of an import; errs.Stale if another did so before.
func (d *Desk) SaveImport(ctx context.Context, i *Import) error {
	err := d.imports.Put(ctx, i)
	if errors.Is(err, model.ErrStale) {
		err = fmt.Errorf("import %s: %w", i.ID, errs.Stale)
	}
	return err
}

// Imports lists the uploaded imports, the newest first.
func (d *Desk) Imports(ctx context.Context, o PageOptions) (Page[Import], error) {
	page, err := d.views.imports.Page(ctx, nil, o.page())
	return page, listError(err)
}

// OpenImport opens an object of an import: "file" or "report".
func (d *Desk) OpenImport(ctx context.Context, id, name string) (io.ReadCloser, error) {
	key, err := d.objectKey("Import", model.Values{"id": id, "name": name})
	if err != nil {
		return nil, err
	}
	out, err := d.objects.GetObject(ctx, &s3.GetObjectInput{Bucket: &d.bucket.Name, Key: &key})
	if isMissing(err) {
		return nil, errs.New(errs.NotFound, "The file is not kept any more. Upload it again.")
	}
	if err != nil {
		return nil, fmt.Errorf("open import: %w", err)
	}
	return out.Body, nil
}

// KeepReport keeps what came of an import.
func (d *Desk) KeepReport(ctx context.Context, id string, report io.ReadSeeker) error {
	key, err := d.objectKey("Import", model.Values{"id": id, "name": "report"})
	if err == nil {
		_, err = d.objects.PutObject(ctx, &s3.PutObjectInput{Bucket: &d.bucket.Name, Key: &key, Body: report})
	}
	return err
}
