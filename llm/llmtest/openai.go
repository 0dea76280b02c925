package llmtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"pressroom/llm"
)

// OpenAI is the dialect of chat completions.
func OpenAI() Dialect { return chat{name: "openai", base: "/v1", path: "/v1/chat/completions"} }

// Azure is the dialect of Azure OpenAI, with a deployment called as the model.
func Azure() Dialect {
	return chat{name: "azure", path: "/openai/deployments/" + Model + "/chat/completions", azure: true}
}

type chat struct {
	name, base, path string
	azure            bool
}

func (c chat) Name() string { return c.name }

func (c chat) Base() string { return c.base }

func (c chat) Can(Fault) bool { return true }

// authorized checks the key where the service wants it, and the version.
func (c chat) authorized(r *http.Request) error {
	if !c.azure {
		if r.Header.Get("Authorization") != "Bearer "+Key {
			return ErrKey
		}
		return nil
	}
	if r.URL.Query().Get("api-version") == "" || len(r.URL.Query()) != 1 {
		return fmt.Errorf("the query is %q, not an api-version", r.URL.RawQuery)
	}
	if r.Header.Get("api-key") != Key || r.Header.Get("Authorization") != "" {
		return ErrKey
	}
	return nil
}

type chatMessage struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

func (c chat) Read(r *http.Request, body []byte) (Asked, error) {
	if err := post(r, c.path); err != nil {
		return Asked{}, err
	}
	if err := c.authorized(r); err != nil {
		return Asked{}, err
	}
	var b struct {
		Model               string        `json:"model"`
		Messages            []chatMessage `json:"messages"`
		MaxTokens           int           `json:"max_tokens"`
		MaxCompletionTokens int           `json:"max_completion_tokens"`
		Temperature         *float64      `json:"temperature"`
		Seed                *int64        `json:"seed"`
		ResponseFormat      struct {
			Type       string `json:"type"`
			JSONSchema *struct {
				Name   string          `json:"name"`
				Strict bool            `json:"strict"`
				Schema json.RawMessage `json:"schema"`
			} `json:"json_schema"`
		} `json:"response_format"`
	}
	if err := strict(body, &b); err != nil {
		return Asked{}, err
	}
	asked := Asked{Model: b.Model, MaxOutput: b.MaxTokens + b.MaxCompletionTokens, Temperature: b.Temperature, Seed: b.Seed, Format: b.ResponseFormat.Type}
	if b.MaxTokens > 0 && b.MaxCompletionTokens > 0 {
		return asked, errors.New("both max_tokens and max_completion_tokens")
	}
	switch format := b.ResponseFormat; {
	case format.Type == "json_schema" && format.JSONSchema != nil && format.JSONSchema.Name != "":
		asked.Schema = format.JSONSchema.Schema
	case format.Type == "json_object" && strings.Contains(strings.ToLower(string(body)), "json schema"), format.Type == "":
	default:
		return asked, fmt.Errorf("response_format %+v", format)
	}
	messages := b.Messages
	if len(messages) > 0 && messages[0].Role == "system" {
		asked.System, messages = messages[0].Content, messages[1:]
	}
	for _, m := range messages {
		if m.Role != "user" && m.Role != "assistant" {
			return asked, fmt.Errorf("a message of role %q", m.Role)
		}
		asked.Messages = append(asked.Messages, llm.Message{Role: llm.Role(m.Role), Text: m.Content})
	}
	return asked, nil
}

type object = map[string]any

func (c chat) Success(r Reply) any {
	message := object{"role": "assistant", "content": r.Text, "refusal": nil}
	finish := "stop"
	switch r.Fault {
	case Empty:
		return object{"id": "x", "object": "chat.completion", "model": Model, "choices": []any{}}
	case Refuse:
		message["content"], message["refusal"] = nil, r.message("I'm sorry, I can't help with that.")
	case Filter:
		finish = "content_filter"
	case Truncate:
		finish = "length"
	}
	usage := r.usage()
	return object{
		"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": Model + "-2026-01-01",
		"choices": []any{object{"index": 0, "message": message, "finish_reason": finish, "logprobs": nil}},
		"usage": object{
			"prompt_tokens": usage.Input, "completion_tokens": usage.Output, "total_tokens": usage.Input + usage.Output,
			"prompt_tokens_details": object{"cached_tokens": usage.CachedInput},
		},
	}
}

func (c chat) Failure(r Reply) (int, any, bool) {
	fail := func(status int, kind, code, param, message string) (int, any, bool) {
		detail := object{"message": message, "type": kind, "code": code, "param": nil}
		if param != "" {
			detail["param"] = param
		}
		return status, object{"error": detail}, true
	}
	switch r.Fault {
	case BadKey:
		return fail(401, "invalid_request_error", "invalid_api_key", "", r.message("Incorrect API key provided."))
	case RateLimit:
		return fail(429, "requests", "rate_limit_exceeded", "", r.message("Rate limit reached for requests"))
	case NoCredit:
		return fail(429, "insufficient_quota", "insufficient_quota", "", r.message("You exceeded your current quota, please check your plan and billing details."))
	case TooLong:
		return fail(400, "invalid_request_error", "context_length_exceeded", "messages", r.message("This model's maximum context length is 128000 tokens. However, your messages resulted in 300000 tokens."))
	case Unsupported:
		return fail(400, "invalid_request_error", "unsupported_parameter", r.Param, r.message("Unsupported parameter: '"+r.Param+"' is not supported with this model."))
	case FilterInput:
		return fail(400, "", "content_filter", "prompt", r.message("The response was filtered due to the prompt triggering content management policy."))
	case Fail:
		return fail(r.Status, "server_error", "", "", r.message("The server had an error while processing your request."))
	}
	return 0, nil, false
}
