package ops

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"pressroom/internal/errs"
	"pressroom/model"
)

// Money is an amount in billionths of a US dollar.
type Money int64

// Dollars returns the amount in dollars, for people and charts; sums are made in
// Money.
func (m Money) Dollars() float64 { return float64(m) / 1e9 }

// Call is one call of a language model, or one that was refused.
type Call struct {
	Desk      string `dynamodbav:"desk"`
	Day       string `dynamodbav:"day"`
	ID        string `dynamodbav:"call"`
	At        string `dynamodbav:"at"`
	Task      string `dynamodbav:"task,omitempty"`    // the piece of work that it was a part of
	Purpose   string `dynamodbav:"purpose,omitempty"` // "reduce"
	Prompt    string `dynamodbav:"prompt,omitempty"`  // the version of the prompt
	Provider  string `dynamodbav:"provider"`
	Model     string `dynamodbav:"model"`
	Request   string `dynamodbav:"request,omitempty"` // the request's content address
	Repair    bool   `dynamodbav:"repair"`            // asked again because the first answer broke the schema
	Input     int64  `dynamodbav:"input"`             // tokens
	Cached    int64  `dynamodbav:"cached"`            // of these
	Output    int64  `dynamodbav:"output"`
	Estimated bool   `dynamodbav:"estimated"` // the tokens are our count
	Cost      Money  `dynamodbav:"cost"`
	Millis    int64  `dynamodbav:"millis"`            // how long it took
	Failure   string `dynamodbav:"failure,omitempty"` // its kind; "" if there was an answer
	Error     string `dynamodbav:"error,omitempty"`
	TTL       int64  `dynamodbav:"ttl"`
}

// Spend is what the calls of a desk add up to on a day.
type Spend struct {
	Month  string `dynamodbav:"month"`
	Day    string `dynamodbav:"day"`
	Desk   string `dynamodbav:"desk"`
	Calls  int64  `dynamodbav:"calls"`
	Failed int64  `dynamodbav:"failed"`
	Input  int64  `dynamodbav:"input"`
	Cached int64  `dynamodbav:"cached"`
	Output int64  `dynamodbav:"output"`
	Cost   Money  `dynamodbav:"cost"`
	Millis int64  `dynamodbav:"millis"`
	TTL    int64  `dynamodbav:"ttl"`
}

func (s *Spend) add(c *Call) {
	s.Calls++
	if c.Failure != "" {
		s.Failed++
	}
	s.Input, s.Cached, s.Output = s.Input+c.Input, s.Cached+c.Cached, s.Output+c.Output
	s.Cost, s.Millis = s.Cost+c.Cost, s.Millis+c.Millis
}

func (s *Spend) key() model.Values {
	return model.Values{"month": s.Month, "day": s.Day, "desk": s.Desk}
}

// LedgerOptions adjust a Ledger. The zero value, and nil, are usable.
type LedgerOptions struct {
	// Table is the name of the table; "Operations" if empty.
	Table string
	// Zone is where a day ends; UTC if nil.
	Zone *time.Location
	// Keep is how long single calls stay on record; 90 days if zero. What they
	// add up to stays 400 days.
	Keep time.Duration
	// CursorKey is as in Options. Random if nil.
	CursorKey []byte
	// Now is the clock; time.Now if nil.
	Now func() time.Time
}

const spendKept = 400 * 24 * time.Hour

// Ledger keeps every call of a language model, what the calls cost, and what is
// spent or reserved of budgets. It is shared by all processes on a table: a budget
// holds over all of them, and a call is on record when Record returns. It may be
// used from many goroutines.
type Ledger struct {
	db       model.DB
	o        LedgerOptions
	ids      model.IDs
	calls    *model.Repo[Call]
	spends   *model.Repo[Spend]
	accounts *model.Repo[account]
	holds    *model.Repo[hold]

	mu      sync.Mutex
	waiting []*entry
	writing chan struct{} // held by whoever writes calls
	booking chan struct{} // held by whoever changes accounts
}

// entry is a call that waits to be written.
type entry struct {
	call Call
	done chan struct{} // closed when it is written, or was not
	err  error
}

// NewLedger returns the ledger of the tables in db.
func NewLedger(db model.DB, o *LedgerOptions) (*Ledger, error) {
	l := &Ledger{db: db, writing: make(chan struct{}, 1), booking: make(chan struct{}, 1)}
	if o != nil {
		l.o = *o
	}
	if l.o.Zone == nil {
		l.o.Zone = time.UTC
	}
	if l.o.Keep == 0 {
		l.o.Keep = 90 * 24 * time.Hour
	}
	if l.o.CursorKey == nil {
		l.o.CursorKey = randomKey()
	}
	if l.o.Now == nil {
		l.o.Now = time.Now
	}
	l.ids.Now = l.o.Now
	t := table
	if l.o.Table != "" {
		t.Name = l.o.Table
	}
	lists := &model.Options{CursorKey: l.o.CursorKey}
	var err error
	if l.calls, err = model.NewRepo[Call](db, &t, "Call", lists); err != nil {
		return nil, err
	}
	if l.spends, err = model.NewRepo[Spend](db, &t, "Spend", lists); err != nil {
		return nil, err
	}
	if l.accounts, err = model.NewRepo[account](db, &t, "Account", nil); err != nil {
		return nil, err
	}
	l.holds, err = model.NewRepo[hold](db, &t, "Hold", nil)
	return l, err
}

// Record puts a call that began at that time on record, and adds it to what its
// desk spent that day, together or not at all. Calls that come while others are
// being written are written with each other, in one transaction. Desk, Provider
// and Model are required; id, time and day are set here, and texts that are too
// long are cut.
func (l *Ledger) Record(ctx context.Context, began time.Time, c Call) error {
	l.complete(&c, began)
	e := &entry{call: c, done: make(chan struct{})}
	l.mu.Lock()
	l.waiting = append(l.waiting, e)
	l.mu.Unlock()
	for {
		select {
		case <-e.done:
			return e.err
		case l.writing <- struct{}{}:
			l.writeWaiting(ctx)
			<-l.writing
		}
	}
}

func (l *Ledger) complete(c *Call, began time.Time) {
	c.ID, c.At = l.ids.New(), model.FormatTime(began)
	c.Day = began.In(l.o.Zone).Format(time.DateOnly)
	c.TTL = began.Add(l.o.Keep).Unix()
	for _, f := range []struct {
		text *string
		max  int
	}{{&c.Desk, nameMax}, {&c.Task, whoMax}, {&c.Purpose, nameMax}, {&c.Prompt, nameMax}, {&c.Provider, nameMax},
		{&c.Model, whoMax}, {&c.Request, whoMax}, {&c.Failure, nameMax}, {&c.Error, textMax}} {
		*f.text = cutText(*f.text, f.max)
	}
	if c.Desk == "" {
		c.Desk = "none" // a key is never empty
	}
}

// writeWaiting writes as many of the calls that wait as one transaction takes.
func (l *Ledger) writeWaiting(ctx context.Context) {
	l.mu.Lock()
	n := min(len(l.waiting), callBatch)
	batch := slices.Clone(l.waiting[:n])
	sums := addUp(batch)
	if len(sums) > spendBatch {
		batch = batch[:spendBatch] // as many desks and days at most
		sums = addUp(batch)
	}
	l.waiting = slices.Delete(l.waiting, 0, len(batch))
	l.mu.Unlock()
	if len(batch) == 0 {
		return
	}
	err := l.write(ctx, batch, sums)
	for _, e := range batch {
		e.err = err
		close(e.done)
	}
}

// addUp returns what calls add up to, by day and desk.
func addUp(batch []*entry) []*Spend {
	var sums []*Spend
	for _, e := range batch {
		c := &e.call
		i := slices.IndexFunc(sums, func(s *Spend) bool { return s.Day == c.Day && s.Desk == c.Desk })
		if i < 0 {
			i = len(sums)
			sums = append(sums, &Spend{Month: c.Day[:len("2006-01")], Day: c.Day, Desk: c.Desk})
		}
		sums[i].add(c)
	}
	return sums
}

// ledgerTries is how often a write is tried that meets others, or finds nothing to
// add to.
const ledgerTries = 20

func (l *Ledger) write(ctx context.Context, batch []*entry, sums []*Spend) error {
	for try := 1; ; try++ {
		var pieces []model.Piece
		for _, e := range batch {
			pieces = append(pieces, l.calls.CreatePiece(&e.call))
		}
		for _, s := range sums {
			pieces = append(pieces, l.spends.UpdatePiece(s.key(), s.update()))
		}
		err := model.Transact(ctx, l.db, pieces...)
		if err == nil {
			return nil
		}
		if try == ledgerTries || !errors.Is(err, model.ErrCondition) && !errors.Is(err, model.ErrConflict) {
			return fmt.Errorf("record %d calls of language models: %w", len(batch), err)
		}
		for _, s := range sums {
			if err := l.beginDay(ctx, s); err != nil {
				return err
			}
		}
	}
}

func (s *Spend) update() expression.UpdateBuilder {
	u := expression.UpdateBuilder{}
	for _, f := range []struct {
		name string
		n    int64
	}{{"calls", s.Calls}, {"failed", s.Failed}, {"input", s.Input}, {"cached", s.Cached}, {"output", s.Output}, {"cost", int64(s.Cost)}, {"millis", s.Millis}} {
		u = u.Add(expression.Name(f.name), expression.Value(f.n))
	}
	return u
}

// beginDay makes the sum of a day, if nobody has.
func (l *Ledger) beginDay(ctx context.Context, s *Spend) error {
	day, err := time.Parse(time.DateOnly, s.Day)
	if err != nil {
		return err
	}
	err = l.spends.Create(ctx, &Spend{Month: s.Month, Day: s.Day, Desk: s.Desk, TTL: day.Add(spendKept).Unix()})
	if errors.Is(err, model.ErrExists) {
		return nil
	}
	return err
}

// Calls lists the calls of a desk on a day ("2026-11-15"), newest first.
func (l *Ledger) Calls(ctx context.Context, desk, day string, o PageOptions) (Page[Call], error) {
	if _, err := time.Parse(time.DateOnly, day); err != nil {
		return Page[Call]{}, errs.Validation(errs.Field{Name: "day", Message: "must be a day such as 2026-11-15"})
	}
	if desk == "" {
		return Page[Call]{}, errs.Validation(errs.Field{Name: "desk", Message: "is required"})
	}
	page, err := l.calls.Page(ctx, "CallsOfDay", model.Values{"desk": desk, "day": day}, o)
	return page, listError(err)
}

// FailedCalls lists the calls of a desk that failed, newest first.
func (l *Ledger) FailedCalls(ctx context.Context, desk string, o PageOptions) (Page[Call], error) {
	if desk == "" {
		return Page[Call]{}, errs.Validation(errs.Field{Name: "desk", Message: "is required"})
	}
	page, err := l.calls.Page(ctx, "FailedCalls", model.Values{"desk": desk}, o)
	return page, listError(err)
}

// Today returns the present day of the ledger.
func (l *Ledger) Today() string { return l.o.Now().In(l.o.Zone).Format(time.DateOnly) }

// Spent returns what was spent on each of the last days, today the last, by day
// and desk. Days and desks without calls are not in it.
func (l *Ledger) Spent(ctx context.Context, days int) ([]Spend, error) {
	now := l.o.Now().In(l.o.Zone)
	first := now.AddDate(0, 0, 1-max(days, 1)).Format(time.DateOnly)
	today := now.Format(time.DateOnly)
	view, err := l.spends.View("SpendOfMonth")
	if err != nil {
		return nil, err
	}
	var all []Spend
	for _, month := range monthsFrom(first, today) {
		for s, err := range view.All(ctx, model.Values{"month": month}, model.Window{From: first, To: today}) {
			if err != nil {
				return nil, fmt.Errorf("read what was spent: %w", err)
			}
			all = append(all, s)
		}
	}
	return all, nil
}

// monthsFrom returns the months from one day to another.
func monthsFrom(first, last string) []string {
	at, err := time.Parse(time.DateOnly, first)
	if err != nil {
		return nil
	}
	at = time.Date(at.Year(), at.Month(), 1, 0, 0, 0, 0, time.UTC)
	var months []string
	for ; at.Format(time.DateOnly) <= last; at = at.AddDate(0, 1, 0) {
		months = append(months, at.Format("2006-01"))
	}
	return months
}
