package llmtest

import (
	"encoding/json"
	"fmt"
	"net/http"

	"pressroom/llm"
)

// Anthropic is the dialect of the Messages API.
func Anthropic() Dialect { return anthropic{} }

type anthropic struct{}

func (anthropic) Name() string { return "anthropic" }

func (anthropic) Base() string { return "" }

// Can: Anthropic has no filter beside the model's refusal.
func (anthropic) Can(f Fault) bool { return f != Filter && f != FilterInput }

func (anthropic) Read(r *http.Request, body []byte) (Asked, error) {
	if err := post(r, "/v1/messages"); err != nil {
		return Asked{}, err
	}
	if r.Header.Get("anthropic-version") != "2023-06-01" {
		return Asked{}, fmt.Errorf("anthropic-version is %q", r.Header.Get("anthropic-version"))
	}
	if r.Header.Get("x-api-key") != Key {
		return Asked{}, ErrKey
	}
	var b struct {
		Model        string        `json:"model"`
		MaxTokens    int           `json:"max_tokens"`
		System       string        `json:"system"`
		Messages     []chatMessage `json:"messages"`
		Temperature  *float64      `json:"temperature"`
		OutputConfig struct {
			Format struct {
				Type   string          `json:"type"`
				Schema json.RawMessage `json:"schema"`
			} `json:"format"`
		} `json:"output_config"`
	}
	if err := strict(body, &b); err != nil {
		return Asked{}, err
	}
	format := b.OutputConfig.Format
	asked := Asked{Model: b.Model, System: b.System, MaxOutput: b.MaxTokens, Temperature: b.Temperature, Schema: format.Schema, Format: format.Type}
	if b.Temperature != nil && *b.Temperature > 1 {
		return asked, fmt.Errorf("temperature %v is over 1", *b.Temperature)
	}
	if (format.Schema != nil) != (format.Type == "json_schema") {
		return asked, fmt.Errorf("output_config.format of type %q", format.Type)
	}
	for _, m := range b.Messages {
		if m.Role != "user" && m.Role != "assistant" {
			return asked, fmt.Errorf("a message of role %q", m.Role)
		}
		asked.Messages = append(asked.Messages, llm.Message{Role: llm.Role(m.Role), Text: m.Content})
	}
	return asked, nil
}

func (anthropic) Success(r Reply) any {
	content := []any{object{"type": "thinking", "thinking": "Let me think.", "signature": "x"}, object{"type": "text", "text": r.Text}}
	stop := "end_turn"
	switch r.Fault {
	case Empty:
		content = []any{}
	case Refuse:
		stop, content = "refusal", []any{}
	case Truncate:
		stop = "max_tokens"
	}
	usage := r.usage()
	return object{
		"id": "msg_1", "type": "message", "role": "assistant", "model": Model + "-20260101", "content": content,
		"stop_reason": stop, "stop_sequence": nil,
		"usage": object{
			"input_tokens": usage.Input - usage.CachedInput, "output_tokens": usage.Output,
			"cache_read_input_tokens": usage.CachedInput, "cache_creation_input_tokens": 0,
		},
	}
}

func (anthropic) Failure(r Reply) (int, any, bool) {
	fail := func(status int, kind, message string) (int, any, bool) {
		return status, object{"type": "error", "error": object{"type": kind, "message": message}, "request_id": "req_1"}, true
	}
	switch r.Fault {
	case BadKey:
		return fail(401, "authentication_error", r.message("invalid x-api-key"))
	case RateLimit:
		return fail(429, "rate_limit_error", r.message("This request would exceed your organization's rate limit."))
	case NoCredit:
		return fail(402, "billing_error", r.message("Your credit balance is too low to access the API."))
	case TooLong:
		return fail(400, "invalid_request_error", r.message("prompt is too long: 210000 tokens > 200000 maximum"))
	case Unsupported:
		return fail(400, "invalid_request_error", r.message(r.Param+" is not supported for this model"))
	case Fail:
		kind := "api_error"
		if r.Status == 529 {
			kind = "overloaded_error"
		}
		return fail(r.Status, kind, r.message("Overloaded"))
	}
	return 0, nil, false
}
