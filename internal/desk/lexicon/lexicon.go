package lexicon

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"math/big"

	"time"

	"pressroom/internal/errs"
	"pressroom/internal/kept"
	"pressroom/internal/story"
	"pressroom/llm"
	"pressroom/model"
)

// Desk is the lexicon. Its methods may be called from any number of goroutines
// and from any number of processes on the same tables.
type Desk struct {
	db       model.DB
	provider llm.Provider
	o        Options
	ids      *model.IDs
	owner    string // this process, in leases
	log      *slog.Logger

	submissions *model.Repo[Submission]
	votes       *model.Repo[vote]
	audits      *model.Repo[Audit]
	recents     *model.Repo[recent]
	terms       *model.Repo[Term]
	spellings   *model.Repo[spelling]
	variants    *model.Repo[variant]
	listings    *model.Repo[Listing]
	editions    *model.Repo[edition]
	pools       *model.Repo[QuizPool]
	trends      *model.Repo[Trend]
	tallies     *model.Repo[tally]
	trendRuns   *model.Repo[trendRun]
	profiles    *model.Repo[Profile]
	usages      *model.Repo[Usage]
	submitted   *model.Repo[submitted]
	quizDays    *model.Repo[QuizDay]
	sessions    *model.Repo[session]
	history     *model.Repo[Translation]
	views       views

	book   bookCache
	counts counter
}

// Options adjust a Desk. The zero value, and nil, are usable.
type Options struct {
	// Schema has the names of the tables; nil means Schema, the defaults.
	Schema *model.Schema
	// CursorKey makes the cursors of lists; at least 16 bytes, the same in all
	// processes. Default random: cursors then end with the process.
	CursorKey []byte
	// Stories is where the desk tells what it publishes; nil means nowhere.
	Stories *story.Stories
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// Zone is where the day of limits, statistics and trends ends; nil means UTC.
	Zone *time.Location
	// Tiers are the limits of each tier; nil means DefaultTiers. Without limits for
	// Guest, nothing is tried without an account.
	Tiers map[string]Limits
	// GuestModel is how many translations a day the language model makes for all
	// guests together; the lexicon's own words serve the others. Default none.
	GuestModel int
	// Track tells whether the terms in memory are those of the tables, whoever wrote
	// them; nil for a store that cannot tell.
	Track kept.Track
	// Refresh is how old the terms in memory may be when another process changed
	// them and the store cannot tell. Default 15 s.
	Refresh time.Duration
	// ModelTimeout bounds one answer of the language model. Default 60 s.
	ModelTimeout time.Duration
	// ValidationAttempts is how often a submission is put to the model before
	// a moderator gets it unjudged. Default 6.
	ValidationAttempts int
	// RejectedDays is how long rejected submissions are kept. Default 180.
	RejectedDays int
	// TermPath is where the pages of terms are. Default "/lexicon/terms/".
	TermPath string
	// MaxExplained is how many terms Explain marks in one text. Default 30.
	MaxExplained int
	// Log is told of what happens in the background; nil means slog.Default.
	Log *slog.Logger
}

func (o *Options) withDefaults() (Options, error) {
	var out Options
	if o != nil {
		out = *o
	}
	setDefault(&out.Zone, time.UTC)
	setDefault(&out.Refresh, 15*time.Second)
	setDefault(&out.ModelTimeout, time.Minute)
	setDefault(&out.ValidationAttempts, 6)
	setDefault(&out.RejectedDays, 180)
	setDefault(&out.TermPath, "/lexicon/terms/")
	setDefault(&out.MaxExplained, 30)
	if out.Now == nil {
		out.Now = time.Now
	}
	if out.Log == nil {
		out.Log = slog.Default()
	}
	if out.Schema == nil {
		out.Schema = &Schema
	}
	if out.Tiers == nil {
		out.Tiers = DefaultTiers()
	}
	for _, tier := range tiers {
		if _, ok := out.Tiers[tier]; !ok {
			return out, fmt.Errorf("no limits for the tier %s", tier)
		}
	}
	if out.CursorKey == nil {
		out.CursorKey = make([]byte, 32)
		_, _ = rand.Read(out.CursorKey) // never fails, see crypto/rand
	}
	return out, nil
}

func setDefault[T comparable](v *T, value T) {
	var zero T
	if *v == zero {
		*v = value
	}
}

// New returns the desk on these tables. The provider judges submissions and
// translates; without one, or with one that only quotes, moderators judge alone
// and translations replace known terms by their meaning.
func New(db model.DB, provider llm.Provider, o *Options) (*Desk, error) {
	options, err := o.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("lexicon: %w", err)
	}
	d := &Desk{db: db, provider: provider, o: options, log: options.Log, ids: &model.IDs{Now: options.Now}}
	d.owner = d.ids.New()
	d.counts.uses = map[useKey]uses{}
	if err := d.open(); err != nil {
		return nil, fmt.Errorf("lexicon: %w", err)
	}
	return d, nil
}

// open makes the repositories.
func (d *Desk) open() error {
	var t [5]*model.Table
	for i, name := range []string{submissions.Env, terms.Env, trending.Env, users.Env, translations.Env} {
		for j := range d.o.Schema.Tables {
			if d.o.Schema.Tables[j].Env == name {
				t[i] = &d.o.Schema.Tables[j]
			}
		}
		if t[i] == nil {
			return fmt.Errorf("the schema has no table for %s", name)
		}
	}
	m := &model.Options{CursorKey: d.o.CursorKey}
	return errors.Join(
		repo(&d.submissions, d.db, t[0], "Submission", m), repo(&d.votes, d.db, t[0], "Vote", m),
		repo(&d.audits, d.db, t[0], "Audit", m), repo(&d.recents, d.db, t[0], "Recent", m),
		repo(&d.terms, d.db, t[1], "Term", m), repo(&d.spellings, d.db, t[1], "Spelling", m),
		repo(&d.variants, d.db, t[1], "Variant", m), repo(&d.listings, d.db, t[1], "Listing", m),
		repo(&d.editions, d.db, t[1], "Edition", m), repo(&d.pools, d.db, t[1], "QuizPool", m),
		repo(&d.trends, d.db, t[2], "Trend", m), repo(&d.tallies, d.db, t[2], "Tally", m), repo(&d.trendRuns, d.db, t[2], "TrendRun", m),
		repo(&d.profiles, d.db, t[3], "Profile", m), repo(&d.usages, d.db, t[3], "Usage", m),
		repo(&d.submitted, d.db, t[3], "Submitted", m),
		repo(&d.quizDays, d.db, t[3], "QuizDay", m), repo(&d.sessions, d.db, t[3], "QuizSession", m),
		repo(&d.history, d.db, t[4], "Translation", m),
		d.views.open(d.db, t, m),
	)
}

func repo[T any](into **model.Repo[T], db model.DB, t *model.Table, entity string, o *model.Options) error {
	var err error
	*into, err = model.NewRepo[T](db, t, entity, o)
	return err
}

// views are the lists that show less than whole items.
type views struct {
	byStatus   *model.View[SubmissionRow]
	queue      *model.View[QueueRow]
	byName     *model.View[model.Item]
	difficulty *model.View[QuizTerm]
	category   *model.View[QuizTerm]
	trending   *model.View[TrendRow]
	ofCategory *model.View[categoryTrend]
	byTier     *model.View[UserRow]
	everything *model.View[model.Item]
	byModel    *model.View[ModelRow]
	votesBy    *model.View[vote]
}

func (v *views) open(db model.DB, t [5]*model.Table, o *model.Options) error {
	return errors.Join(
		view(&v.byStatus, db, t[0], "SubmissionsByStatus", o), view(&v.queue, db, t[0], "ModerationQueue", o),
		view(&v.votesBy, db, t[0], "VotesByUser", o),
		view(&v.byName, db, t[1], "TermsByName", o),
		view(&v.difficulty, db, t[1], "QuizByDifficulty", o), view(&v.category, db, t[1], "QuizByCategory", o),
		view(&v.trending, db, t[2], "Trending", o), view(&v.ofCategory, db, t[2], "TrendingOfCategory", o),
		view(&v.byTier, db, t[3], "UsersByTier", o), view(&v.everything, db, t[3], "EverythingOfUser", o),
		view(&v.byModel, db, t[4], "TranslationsByModel", o),
	)
}

func view[V any](into **model.View[V], db model.DB, t *model.Table, pattern string, o *model.Options) error {
	var err error
	*into, err = model.NewView[V](db, t, pattern, o)
	return err
}

// Stamp is a moment as it is stored: ISO 8601, UTC, with milliseconds. Stamps
// compare as text.
type Stamp string

// Time returns the moment; the zero time for an empty stamp.
func (s Stamp) Time() time.Time {
	t, err := model.ParseTime(string(s))
	if err != nil {
		return time.Time{}
	}
	return t
}

func stampOf(t time.Time) Stamp { return Stamp(model.FormatTime(t)) }

func (d *Desk) now() Stamp { return stampOf(d.o.Now()) }

// day returns the calendar day of a moment in the desk's zone.
func (d *Desk) day(t time.Time) string { return t.In(d.o.Zone).Format(time.DateOnly) }

// midnight returns the end of the day of a moment in the desk's zone. Where a
// day has no midnight, because clocks go forward, it is the first moment after.
func (d *Desk) midnight(t time.Time) time.Time {
	y, m, day := t.In(d.o.Zone).Date()
	return time.Date(y, m, day+1, 0, 0, 0, 0, d.o.Zone)
}

// PageOptions says which part of a list is wanted.
type PageOptions struct {
	Limit  int    // the entries of the page, 1 to 100; 0 means 20
	Cursor string // where it begins; "" means at the beginning
}

// Page is a part of a list; Next is the cursor of the part that follows, "" if
// nothing does.
type Page[V any] = model.Page[V]

const (
	pageLimit = 20
	pageMax   = 100
)

func (p PageOptions) options(w model.Window) (model.PageOptions, error) {
	limit := p.Limit
	if limit == 0 {
		limit = pageLimit
	}
	if limit < 1 || limit > pageMax {
		return model.PageOptions{}, invalid("limit", "must be 1 to %d", pageMax)
	}
	return model.PageOptions{Limit: limit, Cursor: p.Cursor, Window: w}, nil
}

// list reads a page of a view.
func list[V any](ctx context.Context, v *model.View[V], args model.Values, p PageOptions, w model.Window) (Page[V], error) {
	o, err := p.options(w)
	if err != nil {
		return Page[V]{}, err
	}
	page, err := v.Page(ctx, args, o)
	return page, failure(err)
}

// listOf reads a page of whole items.
func listOf[T any](ctx context.Context, r *model.Repo[T], pattern string, args model.Values, p PageOptions) (Page[T], error) {
	v, err := r.View(pattern)
	if err != nil {
		return Page[T]{}, err
	}
	return list(ctx, v, args, p, model.Window{})
}

// failure gives an error of the store its kind. An error that has one keeps it.
func failure(err error) error {
	var named *errs.Error
	switch {
	case err == nil, errors.As(err, &named), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, model.ErrNotFound):
		return fmt.Errorf("%w: %w", errs.NotFound, err)
	case errors.Is(err, model.ErrCursor):
		return &errs.Error{Kind: errs.Malformed, Fields: []errs.Field{{Name: "cursor", Message: "is no cursor of this list"}}}
	case errors.Is(err, model.ErrStale), errors.Is(err, model.ErrConflict), errors.Is(err, model.ErrExists), errors.Is(err, model.ErrCondition), errors.Is(err, story.ErrChanged):
		return fmt.Errorf("%w: %w", errs.Conflict, err)
	}
	return errs.Wrap(err, errs.Unavailable, "The lexicon's tables do not answer. Try again shortly.")
}

func invalid(field, format string, args ...any) error {
	return errs.Validation(errs.Field{Name: field, Message: fmt.Sprintf(format, args...)})
}

// conflictTries is how often a transaction that keeps meeting others is tried
// again, beyond what model does.
const conflictTries = 40

// transact does all pieces or none. It outlasts contention: a thousand people may
// vote for one submission at once.
func (d *Desk) transact(ctx context.Context, pieces ...model.Piece) error {
	for try := 1; ; try++ {
		err := model.Transact(ctx, d.db, pieces...)
		if !errors.Is(err, model.ErrConflict) || try == conflictTries {
			return err
		}
		if err := pause(ctx, try); err != nil {
			return err
		}
	}
}

// pause waits a random while that grows with the tries.
func pause(ctx context.Context, try int) error {
	limit := min(time.Duration(try)*20*time.Millisecond, 500*time.Millisecond)
	timer := time.NewTimer(time.Duration(randomBelow(int(limit))))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// randomBelow returns a number that nobody can guess, from 0 up to n-1.
func randomBelow(n int) int {
	v, err := rand.Int(rand.Reader, big.NewInt(int64(n)))
	if err != nil {
		panic(err) // never, see crypto/rand
	}
	return int(v.Int64())
}

// failedPiece reports whether the piece at this position kept a transaction from
// happening.
func failedPiece(err error, position int) bool {
	var t *model.TransactionError
	if !errors.As(err, &t) {
		return false
	}
	for _, p := range t.Pieces {
		if p == position {
			return true
		}
	}
	return false
}
