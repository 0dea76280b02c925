package builtin_test

import (
	"context"
	"fmt"

	"pressroom/llm"
	"pressroom/llm/builtin"
)

// A quote is an exact part of the passage whose order stands beside it.
func Example() {
	resp, err := builtin.New().Generate(context.Background(), &llm.Request{
		Passages: []llm.Passage{
			{Order: 1, Speaker: "委員長", Text: "これより会議を開きます。"},
			{Order: 2, Speaker: "大臣", Text: "お答えいたします。自転車道の整備に二千億円を充てます。"},
		},
		Schema: llm.MustSchema("statements", []byte(`{"type": "array", "maxItems": 1, "items": {
			"type": "object",
			"properties": {"based_on_orders": {"type": "array", "items": {"type": "integer"}}, "quote": {"type": "string"}, "speaker": {"type": "string"}},
			"required": ["based_on_orders", "quote", "speaker"]}}`)),
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(resp.Model, resp.Text)
	// Output: extractive-1 [{"based_on_orders":[2],"quote":"自転車道の整備に二千億円を充てます。","speaker":"大臣"}]
}
