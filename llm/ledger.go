package llm

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// Account is a sum of money that a budget watches, and its limit.
type Account struct {
	// Name identifies it, such as "day/2026-11-15".
	Name string
	// Limit is the most that may be committed.
	Limit USD
	// Expires is when nobody will ask for the account any more.
	Expires time.Time
}

// Reservation is money set aside for one call, on all accounts that the call
// counts to.
type Reservation struct {
	// ID is unique to the call. A ledger that hears of the same reservation, or of
	// the same settlement, twice must count it once.
	ID       string
	Amount   USD
	Accounts []Account
}

// Ledger keeps what is committed on accounts. One number per account is enough: a
// reservation adds its amount, its settlement adds the difference to what was
// really spent. A reservation that is never settled, because the process died,
// stays counted: a budget is rather spent too little than too much.
//
// Ledgers that are shared by processes must be atomic across them.
type Ledger interface {
	// Reserve adds the amount to all accounts, or to none: if on one of them the
	// committed sum would pass the limit, the error is an *Exhausted for it.
	Reserve(ctx context.Context, r Reservation) error
	// Settle replaces the reserved amount by the actual one, without a condition.
	Settle(ctx context.Context, r Reservation, actual USD) error
	// Committed returns what is committed on an account, 0 for one it never heard of.
	Committed(ctx context.Context, account string) (USD, error)
}

// Exhausted is the refusal of a reservation.
type Exhausted struct {
	Account   string
	Limit     USD
	Committed USD
	Amount    USD
}

// Error names the account and the numbers.
func (e *Exhausted) Error() string {
	return fmt.Sprintf("%s: %s of %s are spent or reserved, the call may cost %s", e.Account, e.Committed, e.Limit, e.Amount)
}

// NewMemoryLedger returns a ledger for one process, which forgets at its end. Nil
// means time.Now.
func NewMemoryLedger(now func() time.Time) *MemoryLedger {
	if now == nil {
		now = time.Now
	}
	return &MemoryLedger{now: now, sums: map[string]*sum{}, open: map[string]bool{}}
}

// MemoryLedger is a Ledger in memory.
type MemoryLedger struct {
	now  func() time.Time
	mu   sync.Mutex
	sums map[string]*sum
	open map[string]bool // Reservations that are not settled.
}

type sum struct {
	committed USD
	expires   time.Time
}

// Reserve implements Ledger.
func (l *MemoryLedger) Reserve(_ context.Context, r Reservation) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open[r.ID] {
		return nil
	}
	for _, a := range r.Accounts {
		if c := l.committed(a.Name); c+r.Amount > a.Limit {
			return &Exhausted{Account: a.Name, Limit: a.Limit, Committed: c, Amount: r.Amount}
		}
	}
	l.forget()
	for _, a := range r.Accounts {
		if l.sums[a.Name] == nil {
			l.sums[a.Name] = &sum{expires: a.Expires}
		}
		l.sums[a.Name].committed += r.Amount
	}
	l.open[r.ID] = true
	return nil
}

// Settle implements Ledger.
func (l *MemoryLedger) Settle(_ context.Context, r Reservation, actual USD) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.open[r.ID] {
		return nil
	}
	delete(l.open, r.ID)
	for _, a := range r.Accounts {
		if s := l.sums[a.Name]; s != nil {
			s.committed += actual - r.Amount
		}
	}
	return nil
}

// Committed implements Ledger.
func (l *MemoryLedger) Committed(_ context.Context, account string) (USD, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.committed(account), nil
}

func (l *MemoryLedger) committed(account string) USD {
	if s := l.sums[account]; s != nil {
		return s.committed
	}
	return 0
}

// forget drops expired accounts, so that a long-lived process does not keep every
// run it ever had.
func (l *MemoryLedger) forget() {
	now := l.now()
	for name, s := range l.sums {
		if !s.expires.IsZero() && now.After(s.expires) {
			delete(l.sums, name)
		}
	}
}
