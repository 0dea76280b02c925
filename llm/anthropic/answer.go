package anthropic

import (
	"encoding/json"
	"net/http"

	"pressroom/llm"
	"pressroom/llm/remote"
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

func read(_ *llm.Request, body []byte) (remote.Reading, error) {
	var out answer
	if err := json.Unmarshal(body, &out); err != nil {
		return remote.Reading{}, err
	}
	u := out.Usage
	// The API counts cached input beside the rest; ours contains it.
	r := remote.Reading{Model: out.Model, Usage: llm.Usage{
		Input:       u.InputTokens + u.CacheReadInputTokens + u.CacheCreationInputTokens,
		CachedInput: u.CacheReadInputTokens,
		Output:      u.OutputTokens,
	}}
	for _, block := range out.Content {
		if block.Type == "text" {
			r.Text += block.Text
		}
	}
	switch reason := out.StopReason; reason {
	case "end_turn":
		return r, nil
	case "stop_sequence":
		r.Finish = llm.StopSequence
		return r, nil
	case "max_tokens":
		return r.Failed(llm.CutOff, "the answer is longer than its bound"), nil
	case "refusal":
		return r.Failed(llm.Refused, "the model declined"), nil
	case "model_context_window_exceeded":
		return r.Failed(llm.TooLong, "input and answer are longer than the context"), nil
	default:
		return r.Failed(llm.Malformed, "stop reason "+reason), nil
	}
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
	if e.Status == http.StatusBadRequest && remote.IsTooLong(f.Error.Message) {
		e.Kind = llm.TooLong
	}
}
