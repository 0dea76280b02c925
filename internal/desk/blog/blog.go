package blog

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"pressroom/internal/rights/erase"
	"pressroom/internal/story"
	"pressroom/model"
)

// Desk is where posts are written: what editors and operators do. What readers
// may see is behind [Desk.Public], and nowhere else. It may be used from many
// goroutines.
type Desk struct {
	db       model.DB
	objects  *s3.Client
	presign  *s3.PresignClient
	table    *model.Table
	bucket   *model.Bucket
	opt      Options
	now      func() time.Time
	ids      *model.IDs
	keys     keys
	articles *articleCache
	pictures chan struct{} // as many as are decoded at once
	renders  chan struct{} // as many articles as are rendered at once

	posts       *model.Repo[postItem]
	states      *model.Repo[cardItem]
	blocks      *model.Repo[blockItem]
	tags        *model.Repo[tagItem]
	parts       *model.Repo[model.SavePart]
	saver       *model.Saver
	counts      *model.Repo[countItem]
	memberships *model.Repo[countedItem]
	groups      *model.Repo[groupItem]
	media       *model.Repo[mediaItem]
	uses        *model.Repo[useItem]
	messages    *model.Repo[messageItem]
	rates       *model.Repo[rateItem]
	imports     *model.Repo[Import]
	imported    *model.Repo[Imported]
	redirects   *model.Repo[redirectItem]
	revisions   *model.Repo[revisionItem]
	bodies      *model.Repo[revisionPart]
	comments    *model.Repo[commentItem]
	plans       *model.Repo[planItem]
	duties      *model.Repo[dutyItem]
	addresses   *model.Repo[addressItem]
	presences   *model.Repo[presenceItem]
	proposals   *model.Repo[proposalItem]
	views       views
}

// Options adjust a Desk. The zero value, and nil, are usable in one process;
// several that serve one table want the same Secret.
type Options struct {
	// Now is the clock; nil means time.Now.
	Now func() time.Time

	// Schema names the table and the bucket; nil means the names in [Schema].
	Schema *model.Schema

	// Secret makes cursors and preview links, at least 16 bytes. Without it
	// the desk draws one, and both end with the process.
	Secret []byte

	// Zone is where a month of the archive begins and ends; nil means UTC.
	// After a change, [Desk.Recount] counts the months again.
	Zone *time.Location

	// MediaURL is the address under which [Desk.OpenMedia] is served; ""
	// means "/blog/media/". An image is then at MediaURL + id + "/" + name.
	MediaURL string

	// PublicMedia is where other programs fetch images, such as
	// "https://news.example/blog/media/": what posts have as the address of an image of
	// the library. "" means that nobody knows; posts then have a reference.
	PublicMedia string

	// Presign is a client whose endpoint browsers reach, for uploads that go
	// to the store itself; nil means the objects' own client.
	Presign *s3.Client

	// Erased is what must not come back; nil for nothing.
	Erased *erase.Erasures

	// Profile is who writes here.
	Profile Profile

	// Contact says where readers' messages go; the zero value keeps them in
	// the operators' inbox.
	Contact Contact

	// Stories is where the desk tells what it publishes; nil means nowhere.
	Stories *story.Stories

	// Who returns the name of whoever asks, for the history of posts; nil, and "",
	// mean that nobody knows.
	Who func(context.Context) string

	// OnChange is called after a change of what readers see of a post, in
	// the goroutine that made it: publishing, editing what is published,
	// unpublishing, deleting. Nil means nobody listens.
	OnChange func(id string)

	// Log receives what an operator should know; nil means slog.Default.
	Log *slog.Logger
}

// New returns the desk on its table and bucket, which must be there. The zero
// Options are used if o is nil.
func New(db model.DB, objects *s3.Client, o *Options) (*Desk, error) {
	if db == nil || objects == nil {
		return nil, errors.New("blog: no store")
	}
	d := &Desk{db: db, objects: objects, pictures: make(chan struct{}, picturesAtOnce), articles: newArticleCache()}
	d.renders = make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2))
	if o != nil {
		d.opt = *o
	}
	if err := d.defaults(); err != nil {
		return nil, fmt.Errorf("blog: %w", err)
	}
	if err := d.repositories(); err != nil {
		return nil, fmt.Errorf("blog: %w", err)
	}
	return d, nil
}

func (d *Desk) defaults() error {
	o := &d.opt
	schema := o.Schema
	if schema == nil {
		schema = &Schema
	}
	if len(schema.Tables) != 1 || len(schema.Buckets) != 1 {
		return errors.New("the schema has not one table and one bucket")
	}
	d.table, d.bucket = &schema.Tables[0], &schema.Buckets[0]
	if d.now = o.Now; d.now == nil {
		d.now = time.Now
	}
	d.ids = &model.IDs{Now: d.now}
	if o.Zone == nil {
		o.Zone = time.UTC
	}
	if o.MediaURL == "" {
		o.MediaURL = "/blog/media/"
	}
	if o.PublicMedia != "" && !strings.HasSuffix(o.PublicMedia, "/") {
		o.PublicMedia += "/"
	}
	if o.Presign == nil {
		o.Presign = d.objects
	}
	d.presign = s3.NewPresignClient(o.Presign)
	if o.Who == nil {
		o.Who = func(context.Context) string { return "" }
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if err := o.Profile.check(); err != nil {
		return err
	}
	if err := o.Contact.defaults(); err != nil {
		return err
	}
	var err error
	d.keys, err = newKeys(o.Secret)
	return err
}

func (d *Desk) repositories() error {
	o := &model.Options{CursorKey: d.keys.cursors}
	var saver error
	d.saver, saver = model.NewSaver(d.db, d.table, "Post", model.SaverOptions{Commit: headPieces, Now: d.now})
	return errors.Join(saver,
		repo(d, "Post", o, &d.posts), repo(d, "Status", o, &d.states), repo(d, "Block", o, &d.blocks),
		repo(d, "Tag", o, &d.tags), repo(d, "SavePart", o, &d.parts), repo(d, "Count", o, &d.counts), repo(d, "Counted", o, &d.memberships), repo(d, "Group", o, &d.groups),
		repo(d, "Media", o, &d.media), repo(d, "Use", o, &d.uses), repo(d, "Message", o, &d.messages),
		repo(d, "Rate", o, &d.rates), repo(d, "Revision", o, &d.revisions), repo(d, "RevisionPart", o, &d.bodies),
		repo(d, "Import", o, &d.imports), repo(d, "Imported", o, &d.imported), repo(d, "Redirect", o, &d.redirects),
		repo(d, "Comment", o, &d.comments), repo(d, "Plan", o, &d.plans), repo(d, "Duty", o, &d.duties), repo(d, "Address", o, &d.addresses),
		repo(d, "Presence", o, &d.presences), repo(d, "Proposal", o, &d.proposals), d.views.open(d, o),
	)
}

func repo[T any](d *Desk, entity string, o *model.Options, into **model.Repo[T]) error {
	r, err := model.NewRepo[T](d.db, d.table, entity, o)
	*into = r
	return err
}

// changed tells who listens that readers see something else of the post.
func (d *Desk) changed(id string) {
	if d.opt.OnChange != nil {
		d.opt.OnChange(id)
	}
}

// stamp is the present time as it is stored.
func (d *Desk) stamp() string { return model.FormatTime(d.now()) }
