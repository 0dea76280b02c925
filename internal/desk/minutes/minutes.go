package minutes

import (
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"pressroom/internal/desk/minutes/diet"
	"pressroom/internal/rights/erase"
	"pressroom/internal/story"
	"pressroom/llm"
	"pressroom/model"
)

// Desk is the minutes desk on one store. It may be used from many goroutines, and
// by many processes on the same store.
type Desk struct {
	db       model.DB
	schema   model.Schema
	objects  *store
	provider llm.Provider
	source   *diet.Client
	o        Options
	ids      model.IDs

	tasks    *model.Repo[Task]
	articles *model.Repo[Article]
	thins    map[Kind]thinStore
	timeline *model.View[thinItem]
	kept     *model.Repo[Kept]
	saver    *model.Saver
	cursors  *cursors

	skip skip // what Claim need not look at for a while
}

// Options adjust a Desk. The zero value, and nil, are usable.
type Options struct {
	// Schema has the names of tables and buckets; nil means the package's own.
	Schema *model.Schema
	// CursorKey makes the cursors of pages: at least 16 bytes, the same in all
	// processes that serve the same lists. Nil means a key of this process alone.
	CursorKey []byte
	// Now is the clock; nil means time.Now. Waiting goes by the system's timers.
	Now func() time.Time
	// Log is told what an operator should know; nil means slog.Default.
	Log *slog.Logger

	// Stories is where the desk tells what it publishes; nil means nowhere.
	Stories *story.Stories

	// Erased is what must not come back; nil means nothing.
	Erased *erase.Erasures

	// AssetBase is the address under which readers fetch assets by their keys, http or
	// https; "" means the newsroom's own pages at localhost. It may change: see
	// [Desk.Readdress].
	AssetBase string

	// TaskContract says by which document tasks are written: "000" with hashed keys and
	// single_chunk, "001" with the issueID as key and direct. "" means 000.
	TaskContract string

	// HTTP reaches the minutes API; nil means http.DefaultClient.
	HTTP *http.Client
	// Assemblies is a folder of declarations of other assemblies; "" means none.
	Assemblies string
	// SourceHTTP reaches the servers that have the records of other assemblies, which
	// may be large files; nil means HTTP.
	SourceHTTP *http.Client
	// SourceURL is where the minutes API is; "" means the National Diet Library.
	SourceURL string
	// Pause is the time between calls of the API; 0 means 3 s, negative none.
	Pause time.Duration
	// WindowDays is how many days are asked for at once; 0 means 7.
	WindowDays int
	// Lookback is how many days back the daily collection looks; 0 means 45, since
	// minutes appear weeks after the meeting.
	Lookback int
	// Zone is where the day of the daily collection ends; nil means Japan's.
	Zone *time.Location

	// PromptTokens bounds the input of one prompt, instructions and context
	// included; 0 means 24,000.
	PromptTokens int
	// OutputTokens bounds an answer; 0 means 32,000. The builtin provider repeats
	// what it quotes, and wants as much as the input.
	OutputTokens int

	// ReviewUnproved sends answers to review that have a sentence which the record does
	// not prove; otherwise such sentences are cut. What the record contradicts is always
	// cut.
	ReviewUnproved bool

	// Owner names this process in leases; "" means host, process id and a number.
	Owner string
	// Lease is how long a task stays with a consumer that does not say that it
	// lives; 0 means 2 minutes.
	Lease time.Duration
	// MaxAttempts is how often a task is tried before it is failed; 0 means 5.
	MaxAttempts int
	// Backoff is the wait after a first failure; it doubles up to MaxBackoff. 0
	// means 30 s and 1 h.
	Backoff    time.Duration
	MaxBackoff time.Duration
	// Parallel is how many chunks of one task are asked for at once; 0 means 8.
	Parallel int
	// SaveAge is how old an unfinished save must be before somebody else finishes
	// or undoes it; 0 means 1 minute.
	SaveAge time.Duration
}

// New returns the desk on tables and buckets that were made by Schema. The provider
// may be nil for a desk that collects and reads but does not consume.
func New(db model.DB, objects *s3.Client, provider llm.Provider, o *Options) (*Desk, error) {
	d := &Desk{db: db, provider: provider, schema: Schema}
	if o != nil {
		d.o = *o
	}
	d.o.defaults()
	if d.o.Schema != nil {
		d.schema = *d.o.Schema
	}
	d.ids.Now = d.o.Now
	d.source = &diet.Client{HTTP: d.o.HTTP, BaseURL: d.o.SourceURL, Pause: d.o.Pause}
	if len(d.schema.Tables) != 2 || len(d.schema.Buckets) != 2 {
		return nil, errors.New("minutes: the schema is not the desk's own")
	}
	d.objects = &store{client: objects, prompts: &d.schema.Buckets[0], assets: &d.schema.Buckets[1]}
	d.cursors = &cursors{key: d.o.CursorKey}
	if err := d.repos(); err != nil {
		return nil, fmt.Errorf("minutes: %w", err)
	}
	return d, nil
}

func (d *Desk) repos() error {
	t, a := &d.schema.Tables[0], &d.schema.Tables[1]
	mo := &model.Options{CursorKey: d.o.CursorKey}
	var all [6]error
	d.tasks, all[0] = model.NewRepo[Task](d.db, t, "Task", mo)
	d.articles, all[1] = model.NewRepo[Article](d.db, a, "Article", mo)
	d.saver, all[2] = model.NewSaver(d.db, a, "Article", model.SaverOptions{Commit: 1 + story.MaxPieces, Age: d.o.SaveAge, Now: d.o.Now})
	d.thins, all[3] = openThins(d.db, a, mo)
	d.timeline, all[4] = model.NewView[thinItem](d.db, a, "IssueTimeline", mo)
	d.kept, all[5] = model.NewRepo[Kept](d.db, a, "Assembly", mo)
	return errors.Join(all[:]...)
}

func (o *Options) defaults() {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Zone == nil {
		o.Zone = time.FixedZone("JST", 9*60*60)
	}
	if o.Owner == "" {
		host, _ := os.Hostname() // a lease without a host's name is still unique
		o.Owner = fmt.Sprintf("%s-%d-%s", host, os.Getpid(), new(model.IDs).New()[16:])
	}
	if o.CursorKey == nil {
		o.CursorKey = make([]byte, 32)
		_, _ = rand.Read(o.CursorKey) // never fails, see crypto/rand
	}
	if o.AssetBase = strings.TrimRight(o.AssetBase, "/"); o.AssetBase == "" {
		o.AssetBase = defaultBase
	}
	o.WindowDays = or(o.WindowDays, 7)
	o.Lookback = or(o.Lookback, 45)
	o.PromptTokens = or(o.PromptTokens, 24_000)
	o.OutputTokens = or(o.OutputTokens, 32_000)
	o.Lease = or(o.Lease, 2*time.Minute)
	o.MaxAttempts = or(o.MaxAttempts, 5)
	o.Backoff = or(o.Backoff, 30*time.Second)
	o.MaxBackoff = or(o.MaxBackoff, time.Hour)
	o.Parallel = or(o.Parallel, 8)
	o.SaveAge = or(o.SaveAge, time.Minute)
}

func or[T int | time.Duration](v, otherwise T) T {
	if v <= 0 {
		return otherwise
	}
	return v
}

func (d *Desk) now() string { return model.FormatTime(d.o.Now()) }
