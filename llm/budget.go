package llm

import (
	"context"
	"crypto/rand"
	"errors"
	"sync"
	"time"
)

// Budgets are hard limits on what calls may cost. Zero means no limit.
type Budgets struct {
	// Run is the limit of each run of each desk.
	Run USD
	// Day is the limit of a calendar day, all desks together.
	Day USD
	// Desk is the limit of a calendar day for the desks named here.
	Desk map[string]USD
	// Location is where the day ends; nil means UTC.
	Location *time.Location
}

// runLife is how long after its last call a run may go on and still be the same.
const runLife = 35 * 24 * time.Hour

// Accounts returns what a call with these labels counts to at a time. Pages that
// show what is left of a budget ask the ledger for the same names.
func (b Budgets) Accounts(labels Labels, now time.Time) []Account {
	location := b.Location
	if location == nil {
		location = time.UTC
	}
	local := now.In(location)
	day := local.Format("2006-01-02")
	dayEnd := time.Date(local.Year(), local.Month(), local.Day()+2, 0, 0, 0, 0, location)
	var out []Account
	if b.Run > 0 && labels.Run != "" {
		out = append(out, Account{Name: "run/" + labels.Desk + "/" + labels.Run, Limit: b.Run, Expires: now.Add(runLife)})
	}
	if limit := b.Desk[labels.Desk]; limit > 0 {
		out = append(out, Account{Name: "desk/" + labels.Desk + "/" + day, Limit: limit, Expires: dayEnd})
	}
	if b.Day > 0 {
		out = append(out, Account{Name: "day/" + day, Limit: b.Day, Expires: dayEnd})
	}
	return out
}

// Budgeted returns a provider that sets aside the most a call can cost before the
// call, by CountInput and the bound on output, and settles what it did cost after
// it. A call for which the money is not there fails with BudgetExceeded and is not
// made. If it is only missing because of calls that this provider has under way,
// it waits for them, since they mostly cost less than was set aside.
//
// A call whose answer is missing (timeout, broken connection) is settled at its
// full reservation, because the service may have billed it. With a budget that
// applies, a model without a known price fails with Unpriced. Nil prices are the
// default ones, a nil ledger is a new one in memory, a nil now is time.Now.
func Budgeted(p Provider, b Budgets, ledger Ledger, prices *Prices, now func() time.Time) Provider {
	if prices == nil {
		prices = DefaultPrices()
	}
	if now == nil {
		now = time.Now
	}
	if ledger == nil {
		ledger = NewMemoryLedger(now)
	}
	return &budgeted{next: p, budgets: b, ledger: ledger, prices: prices, now: now,
		open: map[string]int{}, settled: make(chan struct{})}
}

type budgeted struct {
	next    Provider
	budgets Budgets
	ledger  Ledger
	prices  *Prices
	now     func() time.Time

	mu      sync.Mutex
	open    map[string]int // Reservations under way, by account.
	settled chan struct{}  // Closed and replaced at each settlement.
}

func (b *budgeted) Info() Info { return b.next.Info() }

func (b *budgeted) Generate(ctx context.Context, req *Request) (*Response, error) {
	info := b.next.Info()
	accounts := b.budgets.Accounts(req.Labels, b.now())
	if len(accounts) == 0 {
		return b.next.Generate(ctx, req)
	}
	price, ok := b.prices.Find(info.Provider, info.Model)
	if !ok {
		return nil, &Error{Kind: Unpriced, Provider: info.Provider, Model: info.Model, Message: "a budget is set; add the model to the price table"}
	}
	most := price.Cost(Usage{Input: countInput(ctx, info.Model, req), Output: req.maxOutput()})
	if most == 0 {
		return b.next.Generate(ctx, req)
	}
	r := Reservation{ID: rand.Text(), Amount: most, Accounts: accounts}
	if err := b.reserve(ctx, info, r); err != nil {
		return nil, err
	}
	actual := most // Also if the provider panics.
	defer func() { b.settle(ctx, r, actual) }()
	resp, err := b.next.Generate(ctx, req)
	actual = b.actual(price, most, resp, err)
	return resp, err
}

// actual is what a call is settled at.
func (b *budgeted) actual(price Price, most USD, resp *Response, err error) USD {
	if err == nil {
		return price.Cost(resp.Usage)
	}
	var e *Error
	switch {
	case errors.As(err, new(notSent)):
		return 0
	case !errors.As(err, &e):
		return most // The caller gave up; the model may have worked.
	case e.Unsent:
		return 0
	case e.Usage != Usage{}:
		return price.Cost(e.Usage)
	case e.Kind.mayBill():
		return most
	}
	return 0
}

func (b *budgeted) reserve(ctx context.Context, info Info, r Reservation) error {
	for {
		b.mu.Lock()
		settled := b.settled
		b.mu.Unlock()
		err := b.ledger.Reserve(ctx, r)
		if err == nil {
			b.count(r, 1)
			return nil
		}
		var full *Exhausted
		if !errors.As(err, &full) {
			return &Error{Kind: Overloaded, Provider: info.Provider, Model: info.Model, Message: "budget ledger", Err: err}
		}
		if full.Amount > full.Limit || !b.waits(full.Account, settled) {
			return &Error{Kind: BudgetExceeded, Provider: info.Provider, Model: info.Model, Budget: full.Account, Err: full}
		}
		select {
		case <-settled:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// waits tells whether a settlement on the account may still come, or has come
// since the channel was taken.
func (b *budgeted) waits(account string, settled chan struct{}) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.open[account] > 0 || settled != b.settled
}

func (b *budgeted) count(r Reservation, n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, a := range r.Accounts {
		if b.open[a.Name] += n; b.open[a.Name] == 0 {
			delete(b.open, a.Name)
		}
	}
}

// settle tells the ledger, also when the caller has gone. If that fails the
// reservation stays, which is on the safe side.
func (b *budgeted) settle(ctx context.Context, r Reservation, actual USD) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	_ = b.ledger.Settle(ctx, r, actual)
	b.count(r, -1)
	b.mu.Lock()
	defer b.mu.Unlock()
	close(b.settled)
	b.settled = make(chan struct{})
}
