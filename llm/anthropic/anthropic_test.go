package anthropic

import (
	"encoding/json"
	"flag"
	"os"
	"testing"

	"pressroom/llm"
	"pressroom/llm/llmtest"
)

var (
	endpoint = flag.String("endpoint", "", "ask the service at this base `URL`, with the key in ANTHROPIC_API_KEY")
	model    = flag.String("model", "claude-haiku-4-5", "the `model` to ask at -endpoint")
)

func newProvider(_ *testing.T, e llmtest.Endpoint) llm.Provider {
	return New(e.Model, Options{Key: e.Key, BaseURL: e.URL, HTTP: e.HTTP, Timeout: e.Timeout, MaxBody: 1 << 20})
}

func TestConformance(t *testing.T) { llmtest.Run(t, llmtest.Anthropic(), newProvider) }

func TestLive(t *testing.T) {
	if *endpoint == "" {
		t.Skip("no -endpoint")
	}
	llmtest.Live(t, newProvider(t, llmtest.Endpoint{URL: *endpoint, Key: os.Getenv("ANTHROPIC_API_KEY"), Model: *model}))
}

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

func TestExplain(t *testing.T) {
	p := New("m", Options{})
	for body, want := range map[string]llm.Kind{
		`{"error":{"type":"permission_error","message":"x"}}`:                               llm.Unauthenticated,
		`{"error":{"type":"timeout_error","message":"x"}}`:                                  llm.Timeout,
		`{"error":{"type":"request_too_large","message":"x"}}`:                              llm.TooLong,
		`{"error":{"type":"invalid_request_error","message":"max_tokens: Field required"}}`: llm.BadRequest,
		`not JSON`: llm.BadRequest,
	} {
		if e := p.caller.Failure(400, nil, []byte(body)); e.Kind != want {
			t.Errorf("%s: %s, want %s", body, e.Kind, want)
		}
	}
}

func FuzzResponse(f *testing.F) {
	f.Add(`{"model":"m","content":[{"type":"text","text":"a"}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}}`)
	f.Add(`{"stop_reason":"refusal"}`)
	f.Add(`{"stop_reason":"pause_turn"}`)
	p := New("m", Options{})
	f.Fuzz(func(t *testing.T, body string) {
		var out answer
		if json.Unmarshal([]byte(body), &out) != nil {
			return
		}
		resp, err := p.response(&out)
		if err == nil && (resp.Text == "" || resp.Model == "") || err != nil && llm.KindOf(err) == "" {
			t.Errorf("%+v, %v", resp, err)
		}
	})
}
