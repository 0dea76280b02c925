package llmtest_test

import (
	"context"
	"fmt"

	"pressroom/llm"
	"pressroom/llm/llmtest"
)

// A model that is wrong at first, for the test of who asks it.
func ExampleNewScripted() {
	schema := llm.MustSchema("count", []byte(`{"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}`))
	model := llmtest.NewScripted(func(n int, _ *llm.Request) llmtest.Reply {
		if n == 1 {
			return llmtest.Answer(`{"n": "three"}`)
		}
		return llmtest.Answer(`{"n": 3}`)
	})
	resp, err := llm.Validated(model).Generate(context.Background(), &llm.Request{
		Messages: []llm.Message{{Role: llm.User, Text: "How many?"}},
		Schema:   schema,
	})
	fmt.Println(resp.Text, resp.Repaired, model.Count(), err)
	// Output: {"n": 3} true 2 <nil>
}
