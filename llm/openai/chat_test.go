package openai

import (
	"encoding/json"
	"testing"

	"pressroom/llm"
	"pressroom/llm/llmtest"
)

// Bodies of errors as servers of this protocol send them.
func TestExplain(t *testing.T) {
	tests := []struct {
		name    string
		status  int
		body    string
		kind    llm.Kind
		message string
	}{
		{"openai", 400, `{"error":{"message":"Too many.","type":"invalid_request_error","param":null,"code":"context_length_exceeded"}}`, llm.TooLong, "Too many."},
		{"ollama", 404, `{"error":"model \"x\" not found, try pulling it first"}`, llm.BadRequest, `model "x" not found, try pulling it first`},
		{"vllm", 400, `{"object":"error","message":"This model's maximum context length is 4096 tokens.","type":"BadRequestError","param":null,"code":400}`, llm.TooLong, "This model's maximum context length is 4096 tokens."},
		{"llama.cpp", 400, `{"error":{"code":400,"message":"the request exceeds","type":"exceed_context_size_error","n_ctx":4096}}`, llm.TooLong, "the request exceeds"},
		{"llama.cpp loading", 503, `{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`, llm.Overloaded, "Loading model"},
		{"azure filter", 400, `{"error":{"message":"Filtered.","code":"content_filter","status":400,"innererror":{"code":"ResponsibleAIPolicyViolation"}}}`, llm.Filtered, "Filtered."},
		{"tokens per minute", 429, `{"error":{"message":"Request too large: too many tokens per min","type":"tokens","code":"rate_limit_exceeded"}}`, llm.RateLimited, "Request too large: too many tokens per min"},
		{"nothing", 500, ``, llm.Overloaded, ""},
		{"not an object", 500, `[1]`, llm.Overloaded, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := New("m", Options{})
			e := p.Failure(test.status, nil, []byte(test.body))
			if e.Kind != test.kind || e.Message != test.message {
				t.Errorf("%s: %q; want %s: %q", e.Kind, e.Message, test.kind, test.message)
			}
		})
	}
}

func TestContentForms(t *testing.T) {
	for form, want := range map[string]string{`"a"`: "a", `null`: "", `[{"type":"text","text":"a"},{"type":"text","text":"b"}]`: "ab"} {
		var c content
		if err := json.Unmarshal([]byte(form), &c); err != nil || string(c) != want {
			t.Errorf("%s: %q, %v", form, c, err)
		}
	}
}

func FuzzAnswer(f *testing.F) {
	llmtest.FuzzAnswer(f, New("m", Options{}),
		`{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1}}`,
		`{"choices":[{"message":{"content":""},"finish_reason":"stop"}]}`,
		`{"choices":[{"message":{"content":[{"text":"a"}],"refusal":"no"}}]}`,
		`{"choices":[{"message":{"content":"<think>a</think>"},"finish_reason":"length"}]}`)
}

func FuzzFailure(f *testing.F) {
	llmtest.FuzzFailure(f, New("m", Options{}), `{"error":{"message":"m","code":"context_length_exceeded"}}`, `{"error":"text"}`)
}
