package llmtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"pressroom/llm"
)

// Gemini is the dialect of generateContent.
func Gemini() Dialect { return gemini{} }

type gemini struct{}

func (gemini) Name() string { return "gemini" }

func (gemini) Base() string { return "/v1beta" }

// Can: a Gemini model that declines does so in its answer's text.
func (gemini) Can(f Fault) bool { return f != Refuse && f != NoCredit }

type geminiContent struct {
	Role  string `json:"role"`
	Parts []struct {
		Text string `json:"text"`
	} `json:"parts"`
}

func (c geminiContent) text() string {
	text := ""
	for _, part := range c.Parts {
		text += part.Text
	}
	return text
}

func (gemini) Read(r *http.Request, body []byte) (Asked, error) {
	if err := post(r, "/v1beta/models/"+Model+":generateContent"); err != nil {
		return Asked{}, err
	}
	if r.URL.RawQuery != "" {
		return Asked{}, errors.New("a query, in which keys are logged")
	}
	if r.Header.Get("x-goog-api-key") != Key {
		return Asked{}, ErrKey
	}
	var b struct {
		SystemInstruction *geminiContent  `json:"systemInstruction"`
		Contents          []geminiContent `json:"contents"`
		GenerationConfig  struct {
			MaxOutputTokens    int             `json:"maxOutputTokens"`
			Temperature        *float64        `json:"temperature"`
			Seed               *int64          `json:"seed"`
			ResponseMIMEType   string          `json:"responseMimeType"`
			ResponseJSONSchema json.RawMessage `json:"responseJsonSchema"`
		} `json:"generationConfig"`
	}
	if err := strict(body, &b); err != nil {
		return Asked{}, err
	}
	config := b.GenerationConfig
	asked := Asked{
		Model: Model, MaxOutput: config.MaxOutputTokens, Temperature: config.Temperature, Seed: config.Seed,
		Schema: config.ResponseJSONSchema, Format: config.ResponseMIMEType,
	}
	if (asked.Schema != nil) != (asked.Format == "application/json") {
		return asked, fmt.Errorf("a schema goes with responseMimeType application/json, not %q", asked.Format)
	}
	if b.SystemInstruction != nil {
		asked.System = b.SystemInstruction.text()
	}
	for _, c := range b.Contents {
		role, ok := map[string]llm.Role{"user": llm.User, "model": llm.Assistant}[c.Role]
		if !ok {
			return asked, fmt.Errorf("a content of role %q", c.Role)
		}
		asked.Messages = append(asked.Messages, llm.Message{Role: role, Text: c.text()})
	}
	return asked, nil
}

func (gemini) Success(r Reply) any {
	usage := r.usage()
	finish := "STOP"
	parts := []any{object{"text": "Let me think.", "thought": true}, object{"text": r.Text}}
	out := object{
		"modelVersion": Model + "-001", "responseId": "x",
		"usageMetadata": object{
			"promptTokenCount": usage.Input, "cachedContentTokenCount": usage.CachedInput,
			"candidatesTokenCount": usage.Output - usage.Output/2, "thoughtsTokenCount": usage.Output / 2, "totalTokenCount": usage.Input + usage.Output,
		},
	}
	switch r.Fault {
	case Empty:
		return out
	case FilterInput:
		out["promptFeedback"] = object{"blockReason": "PROHIBITED_CONTENT"}
		return out
	case Filter:
		finish, parts = "SAFETY", nil
	case Truncate:
		finish = "MAX_TOKENS"
	}
	out["candidates"] = []any{object{"content": object{"role": "model", "parts": parts}, "finishReason": finish, "index": 0}}
	return out
}

func (gemini) Failure(r Reply) (int, any, bool) {
	fail := func(status int, name, message string, details ...any) (int, any, bool) {
		return status, object{"error": object{"code": status, "message": message, "status": name, "details": details}}, true
	}
	switch r.Fault {
	case BadKey:
		return fail(400, "INVALID_ARGUMENT", r.message("API key not valid. Please pass a valid API key."),
			object{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID", "domain": "googleapis.com"})
	case RateLimit, NoCredit:
		var details []any
		if r.RetryAfter > 0 {
			details = append(details, object{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": fmt.Sprintf("%ds", r.RetryAfter/time.Second)})
		}
		return fail(429, "RESOURCE_EXHAUSTED", r.message("You exceeded your current quota."), details...)
	case TooLong:
		return fail(400, "INVALID_ARGUMENT", r.message("The input token count (1200000) exceeds the maximum number of tokens allowed (1048575)."))
	case Unsupported:
		return fail(400, "INVALID_ARGUMENT", r.message("Invalid JSON payload received. Unknown name \""+r.Param+"\""))
	case Fail:
		return fail(r.Status, "UNAVAILABLE", r.message("The model is overloaded. Please try again later."))
	}
	return 0, nil, false
}
