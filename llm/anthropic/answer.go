package anthropic

import (
	"encoding/json"
	"net/http"

	"pressroom/llm"
	"pressroom/llm/wire"
)

// answer is a Message, as far as it is read.
type answer struct {
	Model   string `json:"model"`
	Content []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"content"`
	StopReason string `json:"stop_reason"`
	Usage      struct {
		InputTokens              int `json:"input_tokens"`
		OutputTokens             int `json:"output_tokens"`
		CacheReadInputTokens     int `json:"cache_read_input_tokens"`
		CacheCreationInputTokens int `json:"cache_creation_input_tokens"`
	} `json:"usage"`
}

func (p *Provider) response(out *answer) (*llm.Response, error) {
	u := out.Usage
	// The API counts cached input beside the rest; ours contains it.
	usage := llm.Usage{
		Input:       u.InputTokens + u.CacheReadInputTokens + u.CacheCreationInputTokens,
		CachedInput: u.CacheReadInputTokens,
		Output:      u.OutputTokens,
	}
	text := ""
	for _, block := range out.Content {
		if block.Type == "text" {
			text += block.Text
		}
	}
	fail := func(kind llm.Kind, message string) error {
		return &llm.Error{Kind: kind, Provider: "anthropic", Model: p.info.Model, Message: wire.Clean(message, p.key), Text: text, Usage: usage}
	}
	finish := llm.Stop
	switch reason := out.StopReason; reason {
	case "end_turn":
	case "stop_sequence":
		finish = llm.StopSequence
	case "max_tokens":
		return nil, fail(llm.CutOff, "the answer is longer than its bound")
	case "refusal":
		return nil, fail(llm.Refused, "the model declined")
	case "model_context_window_exceeded":
		return nil, fail(llm.TooLong, "input and answer are longer than the context")
	default:
		return nil, fail(llm.Malformed, "stop reason "+reason)
	}
	if text == "" {
		return nil, fail(llm.Malformed, "no text")
	}
	model := out.Model
	if model == "" {
		model = p.info.Model
	}
	return &llm.Response{Text: text, Provider: "anthropic", Model: model, Finish: finish, Usage: usage}, nil
}

// explain reads an error object. Types say what the status may not.
func explain(e *llm.Error, data []byte) {
	var f struct {
		Error struct {
			Type    string `json:"type"`
			Message string `json:"message"`
		} `json:"error"`
	}
	if json.Unmarshal(data, &f) != nil {
		return
	}
	e.Message = f.Error.Message
	switch f.Error.Type {
	case "rate_limit_error":
		e.Kind = llm.RateLimited
	case "overloaded_error", "api_error":
		e.Kind = llm.Overloaded
	case "authentication_error", "permission_error":
		e.Kind = llm.Unauthenticated
	case "billing_error":
		e.Kind = llm.BudgetExceeded
	case "request_too_large":
		e.Kind = llm.TooLong
	case "timeout_error":
		e.Kind = llm.Timeout
	}
	if e.Status == http.StatusBadRequest && wire.IsTooLong(f.Error.Message) {
		e.Kind = llm.TooLong
	}
}
