package llm

import "time"

// Options are the wrappers around a provider. The zero value validates, retries,
// prices and breaks the circuit, without limits, budgets or records.
type Options struct {
	// Limits default to none, except that a call never waits longer than MaxWait.
	Limits Limits
	// Retry and Breaker default to what their fields say.
	Retry   Retry
	Breaker Breaker
	// Prices default to DefaultPrices.
	Prices *Prices
	// Budgets default to none; Ledger to one in memory.
	Budgets Budgets
	Ledger  Ledger
	// Recorder is told of every call; nil for nobody.
	Recorder Recorder
	// Now is the clock of windows, days, pauses and records; nil means time.Now.
	// Waiting itself goes by the system's timers.
	Now func() time.Time
}

// New returns the provider in all its wrappers. From the outside in:
//
//   - Validated: each of its two questions goes through everything below.
//   - Retried: each attempt is recorded, paid and limited on its own.
//   - Recorded: sees the cost, and the calls that were refused.
//   - Budgeted: refuses before a call waits for its turn.
//   - Priced.
//   - Limited: waits here, with the money set aside.
//   - Protected: nearest to the provider, since only what reaches it says how it is.
func New(p Provider, o Options) Provider {
	p = Protected(p, o.Breaker, o.Now)
	p = Limited(p, o.Limits, o.Now)
	p = Priced(p, o.Prices)
	p = Budgeted(p, o.Budgets, o.Ledger, o.Prices, o.Now)
	if o.Recorder != nil {
		p = Recorded(p, o.Recorder, o.Now)
	}
	p = Retried(p, o.Retry)
	return Validated(p)
}
