package transfer

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"

	"pressroom/internal/desk/blog"
	"pressroom/internal/errs"
	"pressroom/internal/outbound"
)

// Importer brings posts into a blog.
type Importer struct {
	Desk *blog.Desk
	// Client fetches pictures that are addresses; nil leaves them where they are.
	Client *outbound.Client
	// Now is the clock; time.Now if nil.
	Now func() time.Time
}

// Options say what to import.
type Options struct {
	Format string // one of [Formats]
	File   string // a file, a folder or a zip archive
	// Name is what the file is called, where the format has no name of the site in it;
	// the last part of File if empty.
	Name string
	// Base is the address at which the site was, where the file does not say so.
	Base string
	// Preview says what would happen, and changes nothing.
	Preview bool
	// Overwrite takes the file's word also over what was changed here since the last
	// import.
	Overwrite bool
	// Progress is told after each thing how many are done; it may be called from many
	// goroutines, one at a time. Nil for nobody.
	Progress func(done int)
}

// What becomes of a thing.
const (
	Made    = "made"
	Changed = "changed"
	Same    = "same"     // it is here just so
	Kept    = "kept"     // it was changed here since, and is not overwritten
	LeftOut = "left out" // it has no place here
	Failed  = "failed"
)

// Entry is what became of one thing.
type Entry struct {
	Kind    string   `json:"kind"`
	Title   string   `json:"title"`
	Key     string   `json:"key"`
	ID      string   `json:"id,omitempty"`
	What    string   `json:"what"`
	Why     string   `json:"why,omitempty"`
	Losses  []string `json:"losses,omitempty"`
	Old     []string `json:"old_paths,omitempty"`
	Status  string   `json:"status,omitempty"`
	Date    string   `json:"date,omitempty"`
	Author  string   `json:"author,omitempty"`
	Tags    []string `json:"tags,omitempty"`
	order   int
	address string
}

// Report is what came of an import, or would come of it.
type Report struct {
	Format  string  `json:"format"`
	Preview bool    `json:"preview"`
	Counts  Counts  `json:"counts"`
	Entries []Entry `json:"entries"`
}

// Counts are the sums of a report.
type Counts struct {
	Posts     int `json:"posts"` // in the file, whatever became of them
	Pages     int `json:"pages"`
	Media     int `json:"media"` // pictures, each once
	Tags      int `json:"tags"`
	Authors   int `json:"authors"`
	Redirects int `json:"redirects"`

	Made    int `json:"made"`
	Changed int `json:"changed"`
	Same    int `json:"same"`
	Kept    int `json:"kept"`
	LeftOut int `json:"left_out"`
	Failed  int `json:"failed"`

	MediaMade   int `json:"media_made"`
	MediaSame   int `json:"media_same"`
	MediaFailed int `json:"media_failed"`
	Lossy       int `json:"with_losses"` // posts and pages of which something is lost
}

// importers is how many posts are brought in at once.
const importers = 8

// batch is how many things are looked up at once.
const batch = 64

// Run imports a file, or says what that would do. What is wrong with the file is
// errs.Invalid, and the report then has what came before that. It may be cut off at any
// point and begun again.
func (im *Importer) Run(ctx context.Context, o Options) (*Report, error) {
	report := &Report{Format: o.Format, Preview: o.Preview, Entries: []Entry{}}
	var base *url.URL
	if o.Base != "" {
		var err error
		if base, err = url.Parse(o.Base); err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
			return report, errs.Validation(errs.Field{Name: "base", Message: "must be a web address that begins with https:// or http://"})
		}
	}
	t, err := openTree(o.File)
	if err != nil {
		return report, err
	}
	defer func() { _ = t.close() }() // it was only read
	if o.Name == "" {
		o.Name = filepath.Base(filepath.Clean(o.File))
	}
	var src source
	switch o.Format {
	case "ghost":
		src, err = openGhost(t, base)
	case "wordpress":
		src, err = openWordPress(t, base)
	case "markdown":
		src, err = openMarkdown(t, strings.TrimSuffix(o.Name, ".zip"), base)
	default:
		err = errs.Validation(errs.Field{Name: "format", Message: fmt.Sprintf("must be one of %v", Formats)})
	}
	if err != nil {
		return report, err
	}
	now := time.Now
	if im.Now != nil {
		now = im.Now
	}
	r := &running{
		Importer: im, o: o, report: report, now: now().UTC(), base: src.base(), media: &shelf{im: im, tree: t, base: src.base(), preview: o.Preview},
		tags: map[string]bool{}, authors: map[string]bool{},
	}
	err = r.all(ctx, src)
	slices.SortFunc(report.Entries, func(a, b Entry) int { return a.order - b.order })
	r.sum()
	return report, err
}

// running is an import under way.
type running struct {
	*Importer
	o      Options
	now    time.Time
	base   *url.URL
	media  *shelf
	report *Report

	mu            sync.Mutex
	done          int
	tags, authors map[string]bool
	failure       error
}

// all brings in the things of a source, some at once.
func (r *running) all(ctx context.Context, src source) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	work := make(chan []numbered)
	var group sync.WaitGroup
	for range importers {
		group.Go(func() {
			for items := range work {
				if err := r.some(ctx, items); err != nil {
					r.fail(err)
					cancel()
				}
			}
		})
	}
	var reading error
	var next []numbered
	size, n := 0, 0
	hand := func() {
		if len(next) > 0 && ctx.Err() == nil {
			select {
			case work <- next:
			case <-ctx.Done():
			}
		}
		next, size = nil, 0
	}
	for i, err := range src.items(ctx) {
		if err != nil {
			reading = err
			break
		}
		next = append(next, numbered{i, n})
		n++
		for _, b := range i.Given.Blocks {
			size += len(b.Content)
		}
		// Few large posts at a time, so that they do not fill the memory.
		if len(next) == batch/importers || size > 4<<20 {
			hand()
		}
		if ctx.Err() != nil {
			break
		}
	}
	hand()
	close(work)
	group.Wait()
	if r.failure != nil {
		return r.failure
	}
	if reading != nil {
		return reading
	}
	return ctx.Err()
}

type numbered struct {
	*Item
	order int
}

func (r *running) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failure == nil {
		r.failure = err
	}
}

// some brings in a few things.
func (r *running) some(ctx context.Context, items []numbered) error {
	keys := make([]string, len(items))
	for n, i := range items {
		keys[n] = hash("import", i.Key)
	}
	known, err := r.Desk.Imported(ctx, keys)
	if err != nil {
		return err
	}
	for n, i := range items {
		if err := ctx.Err(); err != nil {
			return err
		}
		e := Entry{Kind: i.Kind, Title: i.Given.Title, Key: i.Key, order: i.order, address: i.Address}
		if err := r.one(ctx, i.Item, known[keys[n]], keys[n], &e); err != nil {
			return fmt.Errorf("import %s: %w", i.Key, err)
		}
		r.note(i.Item, e)
	}
	return nil
}

func (r *running) note(i *Item, e Entry) {
	if e.Title == "" {
		e.Title = i.Name
	}
	e.Losses = i.Losses
	r.mu.Lock()
	defer r.mu.Unlock()
	if e.Kind == Post || e.Kind == Page {
		for _, t := range i.Given.Tags {
			r.tags[t] = true
		}
		for _, name := range i.Given.Authors() {
			r.authors[name] = true
		}
	}
	r.report.Entries = append(r.report.Entries, e)
	r.done++
	if r.o.Progress != nil {
		r.o.Progress(r.done)
	}
}

// one brings in one thing. An error ends the import; what is wrong with the thing itself
// is in the entry.
func (r *running) one(ctx context.Context, i *Item, was blog.Imported, key string, e *Entry) error {
	if i.Skip != "" {
		e.What, e.Why = LeftOut, i.Skip
		return nil
	}
	if i.Kind == Media {
		return r.attachment(ctx, i, e)
	}
	digest, dated := digestOf(i), i.Given.CreatedAt
	i.fit(r.now)
	g := &i.Given
	e.Title, e.Status, e.Author, e.Tags = g.Title, string(g.Status), g.Author, g.Tags
	if !g.PublishedAt.IsZero() {
		e.Date = g.PublishedAt.UTC().Format(time.RFC3339)
	}
	for _, old := range i.Old {
		if p := oldPath(r.base, old); p != "" && !slices.Contains(e.Old, p) {
			e.Old = append(e.Old, p)
		}
	}
	if was.ID != "" {
		g.ID = was.ID
	} else if g.ID == "" { // an export of Pressroom says it
		g.ID = ulidOf(dated, i.Key)
	}
	e.ID = g.ID
	if was.Digest == digest {
		version, err := r.Desk.Version(ctx, g.ID)
		if err != nil && !errors.Is(err, errs.NotFound) {
			return err
		}
		if err == nil && version == was.Version {
			r.media.count(ctx, g)
			e.What = Same
			return nil
		}
	}
	there, err := r.Desk.Get(ctx, g.ID)
	exists := err == nil
	if err != nil && !errors.Is(err, errs.NotFound) {
		return err
	}
	whole, err := r.media.take(ctx, i)
	if err != nil {
		return err
	}
	return r.write(ctx, i, e, there, exists, was, blog.Imported{Key: key, ID: g.ID, Digest: digest}, whole)
}

// write makes, changes or leaves a post, and remembers it.
func (r *running) write(ctx context.Context, i *Item, e *Entry, there blog.Post, exists bool, was, now blog.Imported, whole bool) error {
	g := i.Given
	version := 0
	switch {
	case !exists:
		e.What = Made
	case there.Status == g.Status && r.Desk.Same(there, g.Content):
		e.What = Same
	case there.Version != was.Version && (was.Version != 0 || there.Version > 1 || fixedID(i)) && !r.o.Overwrite:
		e.What, e.Why = Kept, "it was changed here since the last import"
		return nil
	default:
		e.What, version = Changed, there.Version
	}
	if r.o.Preview {
		if err := g.Validate(); err != nil {
			e.What, e.Why = Failed, problem(err)
		}
		return nil
	}
	now.Version = there.Version
	if e.What != Same {
		post, err := r.Desk.Take(ctx, g, version)
		switch {
		case errors.Is(err, errs.Invalid), errors.Is(err, errs.TooLarge):
			e.What, e.Why = Failed, problem(err)
			return nil
		case errors.Is(err, errs.Stale):
			e.What, e.Why = Kept, "it is being changed here"
			return nil
		case errors.Is(err, errs.Gone):
			e.What, e.Why = LeftOut, problem(err)
			return nil
		case err != nil:
			return err
		}
		now.Version = post.Version
	}
	for _, old := range e.Old {
		ok, err := r.Desk.Redirect(ctx, old, g.ID)
		if err != nil {
			return err
		}
		if !ok {
			i.lose("%s leads to another post", old)
		}
	}
	if !whole {
		now.Digest = "" // the next import tries again
	}
	return r.Desk.NoteImported(ctx, now)
}

// fixedID reports whether a file names the post that it means.
func fixedID(i *Item) bool { return i.Key == "pressroom/"+i.Given.ID }

// attachment takes a picture of the file into the library, whether a post shows it or
// not.
func (r *running) attachment(ctx context.Context, i *Item, e *Entry) error {
	got, err := r.media.get(ctx, i.Address, i.Alt)
	if err != nil {
		return err
	}
	e.ID, e.What, e.Why = got.id, got.what, got.why
	return nil
}

// problem is what is wrong with a thing, in a line.
func problem(err error) string {
	if e, ok := errors.AsType[*errs.Error](err); ok && len(e.Fields) > 0 {
		return e.Fields[0].Name + " " + e.Fields[0].Message
	}
	return cutName(err.Error())
}

func (r *running) sum() {
	c := &r.report.Counts
	old := map[string]bool{}
	for _, e := range r.report.Entries {
		switch e.Kind {
		case Post:
			c.Posts++
		case Page:
			c.Pages++
		}
		if e.Kind == Media && e.What != LeftOut {
			continue // counted below
		}
		for what, n := range map[string]*int{Made: &c.Made, Changed: &c.Changed, Same: &c.Same, Kept: &c.Kept, LeftOut: &c.LeftOut, Failed: &c.Failed} {
			if e.What == what {
				*n++
			}
		}
		if len(e.Losses) > 0 {
			c.Lossy++
		}
		for _, p := range e.Old {
			old[p] = true
		}
	}
	c.Tags, c.Authors, c.Redirects = len(r.tags), len(r.authors), len(old)
	c.Media, c.MediaMade, c.MediaSame, c.MediaFailed = r.media.counts()
}

func hash(parts ...string) string {
	text, _ := json.Marshal(parts)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// ulidOf is the id of a thing, for ever the same, in the order of time.
func ulidOf(at time.Time, key string) string {
	sum := sha256.Sum256([]byte(key))
	var id ulid.ULID
	_ = id.SetTime(min(uint64(max(at.UnixMilli(), 0)), ulid.MaxTime()))
	_ = id.SetEntropy(sum[:10])
	return id.String()
}

// digestOf is of all that a file says of a post.
func digestOf(i *Item) string {
	g := i.Given
	dates := fmt.Sprint(g.CreatedAt.UnixMilli(), g.UpdatedAt.UnixMilli(), g.PublishedAt.UnixMilli())
	g.CreatedAt, g.UpdatedAt, g.PublishedAt = time.Time{}, time.Time{}, time.Time{}
	text, _ := json.Marshal(g) // of texts
	return hash(string(text), dates, fmt.Sprint(i.Kind, i.Old))
}
