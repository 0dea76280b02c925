package llmtest

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pressroom/llm"
)

// Offline holds a provider that needs no server to what can be tested without one:
// valid requests are answered, structured ones with JSON of the schema, the same
// request with the same answer; bad ones are refused; a caller who has gone gets
// the context's error.
func Offline(t *testing.T, p llm.Provider) {
	t.Run("text", func(t *testing.T) {
		req := passages()
		first := mustGenerate(t, p, req)
		second := mustGenerate(t, p, req)
		if first.Text == "" || first.Usage.Input == 0 || first.Usage.Output == 0 || first.Finish != llm.Stop {
			t.Errorf("got %+v", first)
		}
		if diff := cmp.Diff(first.Text, second.Text); diff != "" {
			t.Errorf("the second answer differs: %s", diff)
		}
	})
	t.Run("structured", func(t *testing.T) {
		req := passages()
		req.Schema = summarySchema
		resp := mustGenerate(t, p, req)
		if err := req.Schema.Validate([]byte(resp.Text)); err != nil {
			t.Errorf("%v\n%s", err, resp.Text)
		}
	})
	t.Run("bad request", func(t *testing.T) {
		if _, err := p.Generate(t.Context(), &llm.Request{}); !errors.Is(err, llm.BadRequest) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("cancelled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := p.Generate(ctx, passages()); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
}

// Live asks a real endpoint for a text and for JSON of a schema, within a few
// hundred tokens.
func Live(t *testing.T, p llm.Provider) {
	p = llm.New(p, llm.Options{})
	t.Run("text", func(t *testing.T) {
		resp := mustGenerate(t, p, ask("Which planet do people live on?"))
		t.Logf("%+v", resp)
		if resp.Text == "" || resp.Usage.Input == 0 || resp.Usage.Output == 0 {
			t.Errorf("got %+v", resp)
		}
	})
	t.Run("structured", func(t *testing.T) {
		req := passages()
		req.Schema = summarySchema
		resp := mustGenerate(t, p, req)
		t.Logf("%+v", resp)
	})
	t.Run("cut off", func(t *testing.T) {
		req := ask("Recite the alphabet, then count to one thousand in words.")
		req.MaxOutputTokens = 16
		if _, err := p.Generate(t.Context(), req); !errors.Is(err, llm.CutOff) {
			t.Errorf("got %v", err)
		}
	})
}

func mustGenerate(t *testing.T, p llm.Provider, req *llm.Request) *llm.Response {
	t.Helper()
	resp, err := p.Generate(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

// passages is a request about a short debate.
func passages() *llm.Request {
	return &llm.Request{
		System:   "Summarise the source passages.",
		Messages: []llm.Message{{Role: llm.User, Text: "Say in one sentence what was decided, and cite the orders it is based on."}},
		Passages: []llm.Passage{
			{Order: 1, Speaker: "Chair", Text: "The committee is in session. We consider the bill on bicycle lanes."},
			{Order: 2, Speaker: "Ms. Sato", Text: "The bill would build forty kilometres of bicycle lanes. The cost of the bicycle lanes is two billion yen."},
			{Order: 3, Speaker: "Chair", Text: "There are no objections. The bill on bicycle lanes is approved."},
		},
		MaxOutputTokens: 1000,
	}
}

var summarySchema = llm.MustSchema("summary", []byte(`{
	"type": "object",
	"properties": {
		"based_on_orders": {"type": "array", "items": {"type": "integer"}, "minItems": 1},
		"summary": {"type": "string", "minLength": 1}
	},
	"required": ["based_on_orders", "summary"],
	"additionalProperties": false
}`))
