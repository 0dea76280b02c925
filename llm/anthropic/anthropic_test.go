package anthropic

import (
	"testing"

	"pressroom/llm"
	"pressroom/llm/llmtest"
)

var (
	target      = llmtest.NewTarget("ANTHROPIC_API_KEY", "claude-haiku-4-5")
	newProvider = llmtest.Via(New)
)

func TestConformance(t *testing.T) { llmtest.Run(t, llmtest.Anthropic(), newProvider) }

func TestLive(t *testing.T) { target.Run(t, newProvider) }

// A model that refuses a temperature is asked without one from then on; a model
// that takes one gets at most 1.
func TestTemperature(t *testing.T) {
	server := llmtest.NewServer(t, llmtest.Anthropic())
	p := newProvider(t, server.Endpoint())
	server.Play(llmtest.Answer("a"), llmtest.Reply{Fault: llmtest.Unsupported, Param: "temperature"}, llmtest.Answer("b"), llmtest.Answer("c"))
	hot := 1.5
	for range 3 {
		if _, err := p.Generate(t.Context(), &llm.Request{Messages: []llm.Message{{Role: llm.User, Text: "x"}}, Temperature: &hot}); err != nil {
			t.Fatal(err)
		}
	}
	asked := server.Asked()
	if len(asked) != 4 || *asked[0].Temperature != 1 || asked[2].Temperature != nil || asked[3].Temperature != nil {
		t.Errorf("asked %+v", asked)
	}
}

// Two calls that are refused at the same time both go on without one.
func TestTemperatureTogether(t *testing.T) {
	warm := 0.5
	req := &llm.Request{Messages: []llm.Message{{Role: llm.User, Text: "x"}}, Temperature: &warm}
	c := &claude{}
	first, second := c.ask(req), c.ask(req)
	first(nil)
	second(nil)
	refused := &llm.Error{Kind: llm.BadRequest, Message: "temperature is not supported"}
	for _, ask := range []func(error) any{first, second} {
		if b, ok := ask(refused).(body); !ok || b.Temperature != nil {
			t.Errorf("it goes on with %+v", b)
		}
		if b := ask(refused); b != nil {
			t.Errorf("there is nothing left to leave out, and it goes on with %+v", b)
		}
	}
}

func TestExplain(t *testing.T) {
	p := New("m", Options{})
	for body, want := range map[string]llm.Kind{
		`{"error":{"type":"permission_error","message":"x"}}`:                               llm.Unauthenticated,
		`{"error":{"type":"timeout_error","message":"x"}}`:                                  llm.Timeout,
		`{"error":{"type":"request_too_large","message":"x"}}`:                              llm.TooLong,
		`{"error":{"type":"invalid_request_error","message":"max_tokens: Field required"}}`: llm.BadRequest,
		`not JSON`: llm.BadRequest,
	} {
		if e := p.Failure(400, nil, []byte(body)); e.Kind != want {
			t.Errorf("%s: %s, want %s", body, e.Kind, want)
		}
	}
}

func FuzzAnswer(f *testing.F) {
	llmtest.FuzzAnswer(f, New("m", Options{}),
		`{"model":"m","content":[{"type":"text","text":"a"}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}}`,
		`{"stop_reason":"refusal"}`,
		`{"stop_reason":"pause_turn"}`)
}

func FuzzFailure(f *testing.F) {
	llmtest.FuzzFailure(f, New("m", Options{}), `{"error":{"type":"rate_limit_error","message":"m"}}`, `{"error":"text"}`)
}
