package gemini

import (
	"encoding/json"
	"flag"
	"os"
	"testing"

	"pressroom/llm"
	"pressroom/llm/llmtest"
)

var (
	endpoint = flag.String("endpoint", "", "ask the service at this base `URL`, with the key in GEMINI_API_KEY")
	model    = flag.String("model", "gemini-2.5-flash-lite", "the `model` to ask at -endpoint")
)

func newProvider(_ *testing.T, e llmtest.Endpoint) llm.Provider {
	return New(e.Model, Options{Key: e.Key, BaseURL: e.URL, HTTP: e.HTTP, Timeout: e.Timeout, MaxBody: 1 << 20})
}

func TestConformance(t *testing.T) { llmtest.Run(t, llmtest.Gemini(), newProvider) }

func TestLive(t *testing.T) {
	if *endpoint == "" {
		t.Skip("no -endpoint")
	}
	llmtest.Live(t, newProvider(t, llmtest.Endpoint{URL: *endpoint, Key: os.Getenv("GEMINI_API_KEY"), Model: *model}))
}

func TestSeed32(t *testing.T) {
	for seed, same := range map[int64]bool{0: true, 42: true, -1: true, 1 << 40: false, 1<<31 - 1: true, -1 << 31: true} {
		got := *seed32(&seed)
		if got != int64(int32(got)) || (got == seed) != same {
			t.Errorf("%d became %d", seed, got)
		}
	}
	if seed32(nil) != nil {
		t.Error("a seed from nowhere")
	}
}

func FuzzResponse(f *testing.F) {
	f.Add(`{"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"STOP"}],"modelVersion":"m"}`)
	f.Add(`{"promptFeedback":{"blockReason":"SAFETY"}}`)
	f.Add(`{"candidates":[{"finishReason":"MALFORMED_FUNCTION_CALL"}]}`)
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

func FuzzExplain(f *testing.F) {
	f.Add(429, `{"error":{"message":"m","details":[{"retryDelay":"34s"}]}}`)
	f.Add(400, `{"error":{"details":[{"retryDelay":"-1h"},{"reason":"API_KEY_INVALID"}]}}`)
	p := New("m", Options{})
	f.Fuzz(func(t *testing.T, status int, body string) {
		if e := p.caller.Failure(status, nil, []byte(body)); e.Kind == "" || e.RetryAfter < 0 {
			t.Errorf("%+v", e)
		}
	})
}
