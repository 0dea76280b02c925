package llm_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"pressroom/llm"
	"pressroom/llm/builtin"
	"pressroom/llm/llmtest"
)

// A provider in all its wrappers, asked for JSON that fits a Go type.
func ExampleNew() {
	type verdict struct {
		Summary string `json:"summary"`
		Orders  []int  `json:"based_on_orders"`
	}
	schema, err := llm.SchemaFor[verdict]("verdict")
	if err != nil {
		panic(err)
	}
	provider := llm.New(builtin.New(), llm.Options{
		Limits:  llm.Limits{RequestsPerMinute: 60, Concurrent: 4},
		Budgets: llm.Budgets{Day: 5 * llm.Dollar, Desk: map[string]llm.USD{"minutes": 2 * llm.Dollar}},
		Recorder: llm.RecorderFunc(func(_ context.Context, c llm.Call) {
			fmt.Println("recorded:", c.Labels.Desk, c.Model, c.Cost)
		}),
	})
	resp, err := provider.Generate(context.Background(), &llm.Request{
		System:   "Say what was decided.",
		Passages: []llm.Passage{{Order: 4, Speaker: "Chair", Text: "Good morning. The bill on bicycle lanes is approved by all members."}},
		Schema:   schema,
		Labels:   llm.Labels{Desk: "minutes", Run: "r1", Purpose: "reduce", PromptVersion: "v1"},
	})
	if err != nil {
		panic(err)
	}
	var v verdict
	if err := resp.Decode(&v); err != nil {
		panic(err)
	}
	fmt.Println(v.Summary, v.Orders, resp.Extractive)
	// Output:
	// recorded: minutes extractive-1 $0.00
	// The bill on bicycle lanes is approved by all members. [4] true
}

// What a queue does with an error: try again later, or give up.
func ExampleKindOf() {
	provider := llmtest.NewScripted(func(int, *llm.Request) llmtest.Reply {
		return llmtest.Reply{Fault: llmtest.RateLimit, RetryAfter: 30 * time.Second}
	})
	_, err := provider.Generate(context.Background(), &llm.Request{Messages: []llm.Message{{Role: llm.User, Text: "Hello?"}}})
	switch kind := llm.KindOf(err); {
	case errors.Is(err, llm.BudgetExceeded):
		fmt.Println("stop for today")
	case kind.Retryable():
		fmt.Println("again in", llm.RetryAfter(err))
	default:
		fmt.Println("send to review:", err)
	}
	// Output: again in 30s
}

// Answers are kept by key, so that an unchanged prompt is not paid for twice.
func ExampleKey() {
	req := &llm.Request{Messages: []llm.Message{{Role: llm.User, Text: "Summarise."}}, Passages: []llm.Passage{{Order: 1, Text: "…"}}}
	again := *req
	again.Labels.Run = "another run"
	info := builtin.New().Info()
	fmt.Println(llm.Key(info, req) == llm.Key(info, &again))
	again.Passages = []llm.Passage{{Order: 1, Text: "changed"}}
	fmt.Println(llm.Key(info, req) == llm.Key(info, &again))
	// Output:
	// true
	// false
}

// Prompts are cut by counting.
func ExampleCountInput() {
	req := &llm.Request{Messages: []llm.Message{{Role: llm.User, Text: "要約してください。"}}}
	fmt.Println(llm.CounterFor("gpt-4o").Name, llm.CountInput("gpt-4o", req) < llm.CountInput("gemini-2.5-flash", req))
	// Output: o200k_base true
}
