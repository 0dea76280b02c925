package gemini

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"pressroom/llm"
	"pressroom/llm/remote"
)

// answer is a GenerateContentResponse, as far as it is read.
type answer struct {
	Candidates []struct {
		Content      content `json:"content"`
		FinishReason string  `json:"finishReason"`
	} `json:"candidates"`
	PromptFeedback struct {
		BlockReason string `json:"blockReason"`
	} `json:"promptFeedback"`
	UsageMetadata struct {
		PromptTokenCount        int `json:"promptTokenCount"`
		CandidatesTokenCount    int `json:"candidatesTokenCount"`
		ThoughtsTokenCount      int `json:"thoughtsTokenCount"`
		CachedContentTokenCount int `json:"cachedContentTokenCount"`
	} `json:"usageMetadata"`
	ModelVersion string `json:"modelVersion"`
}

func read(_ *llm.Request, body []byte) (remote.Reading, error) {
	var out answer
	if err := json.Unmarshal(body, &out); err != nil {
		return remote.Reading{}, err
	}
	u := out.UsageMetadata
	r := remote.Reading{
		Model: out.ModelVersion,
		Usage: llm.Usage{Input: u.PromptTokenCount, CachedInput: u.CachedContentTokenCount, Output: u.CandidatesTokenCount + u.ThoughtsTokenCount},
	}
	if out.PromptFeedback.BlockReason != "" {
		return r.Failed(llm.Filtered, "the prompt was blocked: "+out.PromptFeedback.BlockReason), nil
	}
	if len(out.Candidates) == 0 {
		return r.Failed(llm.Malformed, "no candidates"), nil
	}
	candidate := out.Candidates[0]
	for _, part := range candidate.Content.Parts {
		if !part.Thought {
			r.Text += part.Text
		}
	}
	switch reason := candidate.FinishReason; reason {
	case "STOP":
		return r, nil
	case "MAX_TOKENS":
		return r.Failed(llm.CutOff, "the answer is longer than its bound"), nil
	case "SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY":
		return r.Failed(llm.Filtered, "the answer was stopped: "+reason), nil
	default:
		return r.Failed(llm.Malformed, "finish reason "+reason), nil
	}
}

// explain reads a google.rpc.Status.
func explain(e *llm.Error, data []byte) {
	var f struct {
		Error struct {
			Message string `json:"message"`
			Status  string `json:"status"`
			Details []struct {
				Reason     string `json:"reason"`
				RetryDelay string `json:"retryDelay"`
			} `json:"details"`
		} `json:"error"`
	}
	if json.Unmarshal(data, &f) != nil {
		return
	}
	e.Message = f.Error.Message
	for _, detail := range f.Error.Details {
		if detail.Reason == "API_KEY_INVALID" {
			e.Kind = llm.Unauthenticated
		}
		if d, err := time.ParseDuration(detail.RetryDelay); err == nil && e.RetryAfter == 0 && d > 0 {
			e.RetryAfter = min(d, 24*time.Hour)
		}
	}
	if e.Status == http.StatusBadRequest && e.Kind == llm.BadRequest && remote.IsTooLong(f.Error.Message) {
		e.Kind = llm.TooLong
	}
	if e.Kind == llm.BadRequest && strings.Contains(f.Error.Message, "API key not valid") {
		e.Kind = llm.Unauthenticated
	}
}
