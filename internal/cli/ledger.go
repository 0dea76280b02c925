package cli

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"pressroom/internal/errs"
	"pressroom/internal/ops"
	"pressroom/llm"
)

// books is the newsroom's ledger as the language models' wrappers want it: they
// know nothing of tables, and the ledger knows nothing of models.
type books struct {
	ledger *ops.Ledger
	log    *slog.Logger
}

// Reserve implements llm.Ledger.
func (b books) Reserve(ctx context.Context, r llm.Reservation) error {
	err := b.ledger.Reserve(ctx, r.ID, ops.Money(r.Amount), budgetsOf(r))
	var full *ops.Exhausted
	if errors.As(err, &full) {
		return &llm.Exhausted{Account: full.Account, Limit: llm.USD(full.Limit), Committed: llm.USD(full.Committed), Amount: llm.USD(full.Amount)}
	}
	return err
}

// Settle implements llm.Ledger. If it fails, the reservation stays counted, which
// an operator may want to know.
func (b books) Settle(ctx context.Context, r llm.Reservation, actual llm.USD) error {
	err := b.ledger.Settle(ctx, r.ID, ops.Money(r.Amount), ops.Money(actual), budgetsOf(r))
	if err != nil {
		b.log.Error("a reservation stays counted as spent", "amount", r.Amount, "spent", actual, "error", err)
	}
	return err
}

// Committed implements llm.Ledger.
func (b books) Committed(ctx context.Context, account string) (llm.USD, error) {
	amount, err := b.ledger.Committed(ctx, account)
	return llm.USD(amount), err
}

func budgetsOf(r llm.Reservation) []ops.Budget {
	out := make([]ops.Budget, len(r.Accounts))
	for i, a := range r.Accounts {
		out[i] = ops.Budget{Account: a.Name, Limit: ops.Money(a.Limit), Expires: a.Expires}
	}
	return out
}

// recordLimit is how long putting a call on record may take.
const recordLimit = 10 * time.Second

// Record implements llm.Recorder. What cannot be stored is in the log at least.
func (b books) Record(ctx context.Context, c llm.Call) {
	ctx, cancel := context.WithTimeout(ctx, recordLimit)
	defer cancel()
	call := ops.Call{
		Desk: c.Labels.Desk, Task: c.Labels.Run, Purpose: c.Labels.Purpose, Prompt: c.Labels.PromptVersion,
		Provider: c.Provider, Model: c.Model, Request: c.Key, Repair: c.Repair,
		Input: int64(c.Usage.Input), Cached: int64(c.Usage.CachedInput), Output: int64(c.Usage.Output), Estimated: c.Usage.Estimated,
		Cost: ops.Money(c.Cost), Millis: c.Latency.Milliseconds(), Failure: failureOf(c),
	}
	if c.Err != nil {
		call.Error = strings.Join(strings.Fields(c.Err.Error()), " ")
	}
	b.log.DebugContext(ctx, "language model asked", "desk", call.Desk, "run", call.Task, "purpose", call.Purpose,
		"prompt", call.Prompt, "model", call.Model, "input", call.Input, "output", call.Output, "cost", c.Cost, "took", c.Latency, "failure", call.Failure)
	if err := b.ledger.Record(ctx, c.Time, call); err != nil {
		b.log.Error("a call of the language model is not on record", "desk", call.Desk, "run", call.Task, "model", call.Model,
			"input", call.Input, "output", call.Output, "cost", c.Cost, "error", err)
	}
}

// failureOf names why there was no answer; "" if there was one.
func failureOf(c llm.Call) string {
	switch {
	case c.Err == nil:
		return ""
	case c.Kind != "":
		return string(c.Kind)
	case errors.Is(c.Err, context.Canceled) || errors.Is(c.Err, context.DeadlineExceeded):
		return "canceled"
	}
	return "other"
}

// budgets are the configured limits.
func (s llmSettings) budgets() (llm.Budgets, error) {
	b := llm.Budgets{Day: llm.Dollars(s.LLMBudgetDay), Run: llm.Dollars(s.LLMBudgetRun), Desk: map[string]llm.USD{}}
	for _, text := range s.LLMBudgetDesk {
		desk, amount, _ := strings.Cut(text, "=")
		dollars, err := strconv.ParseFloat(amount, 64)
		if err != nil || dollars < 0 || desk == "" {
			return b, errs.New(errs.Usage, "--llm-budget-desk: %q is not a desk and dollars, as minutes=2.50", text)
		}
		b.Desk[desk] = llm.Dollars(dollars)
	}
	return b, nil
}

// spending tells what the desks spent today, and what is left of their budgets.
func spending(ledger *ops.Ledger, b llm.Budgets) ops.Source {
	return ops.SourceFunc(func(ctx context.Context) (ops.Readings, error) {
		var r ops.Readings
		spent, err := ledger.Spent(ctx, 1)
		if err != nil {
			return r, err
		}
		now := time.Now()
		for _, desk := range deskNames(asksModels) {
			s := ops.Spending{Name: desk, Budget: b.Desk[desk].Float()}
			for _, day := range spent {
				if day.Desk == desk {
					s.Calls, s.FailedCalls, s.InputTokens, s.OutputTokens, s.Dollars = day.Calls, day.Failed, day.Input, day.Output, day.Cost.Dollars()
				}
			}
			s.Committed, s.Until, err = left(ctx, ledger, llm.Budgets{Desk: b.Desk, Location: b.Location}, desk, now)
			if err != nil {
				return r, err
			}
			r.Spending = append(r.Spending, s)
		}
		if b.Day == 0 {
			return r, nil
		}
		all := ops.Spending{Name: ops.AllDesks, Budget: b.Day.Float()}
		all.Committed, all.Until, err = left(ctx, ledger, llm.Budgets{Day: b.Day, Location: b.Location}, "", now)
		for _, day := range spent {
			all.Calls, all.FailedCalls = all.Calls+day.Calls, all.FailedCalls+day.Failed
			all.InputTokens, all.OutputTokens = all.InputTokens+day.Input, all.OutputTokens+day.Output
			all.Dollars += day.Cost.Dollars()
		}
		r.Spending = append(r.Spending, all)
		return r, err
	})
}

// left returns what is committed on the one budget of a day, and when that day
// ends.
func left(ctx context.Context, ledger *ops.Ledger, b llm.Budgets, desk string, now time.Time) (dollars float64, until time.Time, err error) {
	zone := b.Location
	if zone == nil {
		zone = time.UTC
	}
	local := now.In(zone)
	until = time.Date(local.Year(), local.Month(), local.Day()+1, 0, 0, 0, 0, zone)
	for _, a := range b.Accounts(llm.Labels{Desk: desk}, now) {
		amount, err := ledger.Committed(ctx, a.Name)
		return amount.Dollars(), until, err
	}
	return 0, until, nil
}

// model returns the language model that all desks of this process share: its limits
// and its circuit breaker are about the process, not about a desk.
func (w *wiring) model(ctx context.Context) (llm.Provider, error) {
	if w.ops.model != nil {
		return w.ops.model, nil
	}
	provider, err := w.set.provider(ctx, w.ops.ledger, w.log)
	w.ops.model = provider
	return provider, err
}
