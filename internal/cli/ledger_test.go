package cli

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pressroom/dynamo"
	"pressroom/internal/ops"
	"pressroom/llm"
	"pressroom/llm/builtin"
	"pressroom/llm/llmtest"
	"pressroom/model/deploy"
)

// newBooks opens the ledger on tables in memory; each of the returned is another
// process's.
func newBooks(t *testing.T, n int) []books {
	t.Helper()
	db, err := dynamo.OpenMemory(&dynamo.Options{SweepEvery: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if err := deploy.Apply(t.Context(), deploy.Store{Tables: db}, nil, ops.Schema); err != nil {
		t.Fatal(err)
	}
	all := make([]books, n)
	for i := range all {
		ledger, err := ops.NewLedger(db, nil)
		if err != nil {
			t.Fatal(err)
		}
		all[i] = books{ledger, quiet}
	}
	return all
}

func TestBooks(t *testing.T) {
	kept := newBooks(t, 1)[0]
	llmtest.Ledger(t, func(*testing.T) llm.Ledger { return kept })
}

// priced is a model that answers, at a price.
type priced struct {
	calls int
	err   error
}

func (p *priced) Info() llm.Info { return llm.Info{Provider: "openai", Model: "gpt-4o"} }

func (p *priced) Generate(context.Context, *llm.Request) (*llm.Response, error) {
	p.calls++
	if p.err != nil {
		return nil, p.err
	}
	return &llm.Response{Text: "yes", Provider: "openai", Model: "gpt-4o-2024-08-06", Finish: llm.Stop, Usage: llm.Usage{Input: 1000, CachedInput: 10, Output: 100}}, nil
}

// Every call is on record with all that is known of it, and the day's budget of a
// desk holds over processes: what one spent, the other does not have.
func TestCallsAreKept(t *testing.T) {
	all := newBooks(t, 2)
	set := llmSettings{LLMBudgetDesk: []string{"minutes=0.01"}}
	budgets, err := set.budgets()
	if err != nil {
		t.Fatal(err)
	}
	request := func(desk string) *llm.Request {
		return &llm.Request{
			Messages: []llm.Message{{Role: llm.User, Text: "Is it?"}}, MaxOutputTokens: 500,
			Labels: llm.Labels{Desk: desk, Run: "12155", Purpose: "chunk", PromptVersion: "v3"},
		}
	}
	var models []llm.Provider
	inner := &priced{}
	for _, kept := range all {
		models = append(models, llm.New(inner, llm.Options{Budgets: budgets, Ledger: kept, Recorder: kept, Retry: llm.Retry{Attempts: 1}}))
	}
	answered, refused := 0, 0
	for i := range 8 {
		_, err := models[i%2].Generate(t.Context(), request("minutes"))
		switch {
		case err == nil:
			answered++
		case errors.Is(err, llm.BudgetExceeded):
			refused++
		default:
			t.Fatal(err)
		}
	}
	if answered == 0 || refused == 0 || inner.calls != answered {
		t.Fatalf("%d answered, %d refused, %d sent", answered, refused, inner.calls)
	}
	if _, err := models[0].Generate(t.Context(), request("newswire")); err != nil {
		t.Errorf("another desk has no budget: %v", err)
	}
	inner.err = &llm.Error{Kind: llm.Overloaded, Provider: "openai", Message: "later"}
	if _, err := models[1].Generate(t.Context(), request("newswire")); err == nil {
		t.Error("it is overloaded")
	}

	ledger := all[1].ledger
	page, err := ledger.Calls(t.Context(), "minutes", ledger.Today(), ops.PageOptions{Limit: 100})
	if err != nil || len(page.Items) != 8 {
		t.Fatalf("%d calls are on record, %v", len(page.Items), err)
	}
	first := page.Items[7]
	if first.Cost <= 0 || first.Request == "" || first.At == "" {
		t.Errorf("the first call: %+v", first)
	}
	first.ID, first.At, first.Day, first.Request, first.Cost, first.Millis, first.TTL = "", "", "", "", 0, 0, 0
	want := ops.Call{Desk: "minutes", Task: "12155", Purpose: "chunk", Prompt: "v3", Provider: "openai", Model: "gpt-4o-2024-08-06", Input: 1000, Cached: 10, Output: 100}
	if diff := cmp.Diff(want, first); diff != "" {
		t.Errorf("the first call (-want +got):\n%s", diff)
	}
	failed, err := ledger.FailedCalls(t.Context(), "newswire", ops.PageOptions{})
	if err != nil || len(failed.Items) != 1 || failed.Items[0].Failure != "overloaded" || !strings.Contains(failed.Items[0].Error, "later") {
		t.Errorf("failed calls: %+v, %v", failed.Items, err)
	}
	budgets.Day = llm.Dollar
	r, err := spending(ledger, budgets).Read(t.Context())
	if err != nil || len(r.Spending) != 4 {
		t.Fatalf("spending: %+v, %v", r.Spending, err)
	}
	desk, day := r.Spending[0], r.Spending[3]
	if desk.Name != "minutes" || desk.Calls != 8 || desk.FailedCalls != int64(refused) || desk.Budget != 0.01 || desk.Committed <= 0 || desk.Committed > 0.01 || desk.Share() > 1 {
		t.Errorf("minutes: %+v", desk)
	}
	if day.Name != ops.AllDesks || day.Calls != 10 || day.Budget != 1 || !day.Until.After(time.Now()) {
		t.Errorf("all desks: %+v", day)
	}
}

// A model that costs nothing is on record too.
func TestBuiltinIsKept(t *testing.T) {
	kept := newBooks(t, 1)[0]
	model := llm.New(builtin.New(), llm.Options{Ledger: kept, Recorder: kept})
	if _, err := model.Generate(t.Context(), &llm.Request{Passages: []llm.Passage{{Order: 1, Text: "The harbour stays open. The ferry does not."}}, Labels: llm.Labels{Desk: "newswire"}}); err != nil {
		t.Fatal(err)
	}
	spent, err := kept.ledger.Spent(t.Context(), 1)
	if err != nil || len(spent) != 1 || spent[0].Calls != 1 || spent[0].Cost != 0 {
		t.Errorf("spent: %+v, %v", spent, err)
	}
}

func TestDeskBudgets(t *testing.T) {
	for _, bad := range []string{"minutes", "minutes=much", "=2", "minutes=-1"} {
		if _, err := (llmSettings{LLMBudgetDesk: []string{bad}}).budgets(); err == nil {
			t.Errorf("%q is a budget", bad)
		}
	}
	b, err := llmSettings{LLMBudgetDay: 3, LLMBudgetRun: 0.5, LLMBudgetDesk: []string{"minutes=2.50", "blog=1"}}.budgets()
	if err != nil || b.Day != 3*llm.Dollar || b.Run != llm.Dollars(0.5) || b.Desk["minutes"] != llm.Dollars(2.5) || b.Desk["blog"] != llm.Dollar {
		t.Errorf("budgets: %+v, %v", b, err)
	}
}
