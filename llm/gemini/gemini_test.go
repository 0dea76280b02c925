package gemini

import (
	"testing"

	"pressroom/llm/llmtest"
)

var (
	target      = llmtest.NewTarget("GEMINI_API_KEY", "gemini-2.5-flash-lite")
	newProvider = llmtest.Via(New)
)

func TestConformance(t *testing.T) { llmtest.Run(t, llmtest.Gemini(), newProvider) }

func TestLive(t *testing.T) { target.Run(t, newProvider) }

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

func FuzzAnswer(f *testing.F) {
	llmtest.FuzzAnswer(f, New("m", Options{}),
		`{"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"STOP"}],"modelVersion":"m"}`,
		`{"candidates":[{"content":{"parts":[]},"finishReason":"STOP"}]}`,
		`{"promptFeedback":{"blockReason":"SAFETY"}}`,
		`{"candidates":[{"finishReason":"MALFORMED_FUNCTION_CALL"}]}`)
}

func FuzzFailure(f *testing.F) {
	llmtest.FuzzFailure(f, New("m", Options{}),
		`{"error":{"message":"m","details":[{"retryDelay":"34s"}]}}`,
		`{"error":{"details":[{"retryDelay":"-1h"},{"reason":"API_KEY_INVALID"}]}}`)
}
