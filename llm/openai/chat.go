package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"

	"pressroom/llm"
	"pressroom/llm/remote"
)

// server is a model of a service, and the manners that the service is known to take.
type server struct {
	model, sendModel string
	manners          atomic.Pointer[manners]
}

// ask leaves out what the server refuses.
func (s *server) ask(req *llm.Request) func(error) any {
	learned := s.manners.Load()
	m := *learned
	return func(failed error) any {
		if failed != nil {
			lasting, ok := m.adapt(failed, req)
			if !ok {
				return nil
			}
			plainer := m
			// Who loses this race learns again with the next call.
			if lasting && s.manners.CompareAndSwap(learned, &plainer) {
				learned = &plainer
			}
		}
		return s.body(req, m)
	}
}

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type body struct {
	Model               string          `json:"model"`
	Messages            []message       `json:"messages"`
	MaxCompletionTokens int             `json:"max_completion_tokens,omitempty"`
	MaxTokens           int             `json:"max_tokens,omitempty"`
	Temperature         *float64        `json:"temperature,omitempty"`
	Seed                *int64          `json:"seed,omitempty"`
	ResponseFormat      *responseFormat `json:"response_format,omitempty"`
}

type responseFormat struct {
	Type       string      `json:"type"`
	JSONSchema *jsonSchema `json:"json_schema,omitempty"`
}

type jsonSchema struct {
	Name   string          `json:"name"`
	Schema json.RawMessage `json:"schema"`
	Strict bool            `json:"strict"`
}

// body writes the request in the manners that the server is known to take.
func (s *server) body(req *llm.Request, m manners) body {
	b := body{Model: s.sendModel}
	system := req.System
	if req.Schema != nil {
		switch m.format {
		case asSchema:
			b.ResponseFormat = &responseFormat{Type: "json_schema", JSONSchema: &jsonSchema{
				Name: req.Schema.Name(), Schema: req.Schema.JSON(), Strict: req.Schema.Strict(),
			}}
		case asObject:
			b.ResponseFormat = &responseFormat{Type: "json_object"}
			fallthrough
		case asWords:
			system = strings.TrimSpace(system + "\n\n" + llm.SchemaInstruction(req.Schema))
		}
	}
	if system != "" {
		b.Messages = append(b.Messages, message{"system", system})
	}
	for _, turn := range req.Conversation() {
		b.Messages = append(b.Messages, message{string(turn.Role), turn.Text})
	}
	if m.maxTokens {
		b.MaxTokens = req.MaxOutput()
	} else {
		b.MaxCompletionTokens = req.MaxOutput()
	}
	if !m.noTemperature {
		b.Temperature = req.Temperature
	}
	if !m.noSeed {
		b.Seed = req.Seed
	}
	return b
}

// completion is the answer, as far as it is read.
type completion struct {
	Model   string `json:"model"`
	Choices []struct {
		Message struct {
			Content content `json:"content"`
			Refusal string  `json:"refusal"`
		} `json:"message"`
		FinishReason string `json:"finish_reason"`
	} `json:"choices"`
	Usage *struct {
		PromptTokens        int `json:"prompt_tokens"`
		CompletionTokens    int `json:"completion_tokens"`
		PromptTokensDetails struct {
			CachedTokens int `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
	} `json:"usage"`
}

// content is a string, null, or a list of parts with text.
type content string

// UnmarshalJSON reads all three forms.
func (c *content) UnmarshalJSON(data []byte) error {
	if bytes.HasPrefix(data, []byte("[")) {
		var parts []struct {
			Text string `json:"text"`
		}
		if err := json.Unmarshal(data, &parts); err != nil {
			return err
		}
		for _, part := range parts {
			*c += content(part.Text)
		}
		return nil
	}
	var s *string
	if err := json.Unmarshal(data, &s); err != nil {
		return err
	}
	if s != nil {
		*c = content(*s)
	}
	return nil
}

func (s *server) read(req *llm.Request, body []byte) (remote.Reading, error) {
	var out completion
	if err := json.Unmarshal(body, &out); err != nil {
		return remote.Reading{}, err
	}
	r := remote.Reading{Model: out.Model}
	if len(out.Choices) == 0 {
		return r.Failed(llm.Malformed, "no choices"), nil
	}
	choice := out.Choices[0]
	r.Text = withoutThoughts(string(choice.Message.Content))
	r.Usage = s.usage(req, &out, r.Text)
	switch {
	case choice.Message.Refusal != "":
		return r.Failed(llm.Refused, choice.Message.Refusal), nil
	case choice.FinishReason == "content_filter":
		return r.Failed(llm.Filtered, "the answer was stopped"), nil
	case choice.FinishReason == "length":
		return r.Failed(llm.CutOff, "the answer is longer than its bound"), nil
	}
	return r, nil
}

// usage is the server's count, or ours if it does not say.
func (s *server) usage(req *llm.Request, out *completion, text string) llm.Usage {
	if u := out.Usage; u != nil && (u.PromptTokens > 0 || u.CompletionTokens > 0) {
		return llm.Usage{Input: u.PromptTokens, CachedInput: u.PromptTokensDetails.CachedTokens, Output: u.CompletionTokens}
	}
	return llm.Usage{Input: llm.CountInput(s.model, req), Output: llm.CounterFor(s.model).Count(text), Estimated: true}
}

// withoutThoughts drops the thinking that local servers leave in front of the
// answer.
func withoutThoughts(text string) string {
	trimmed := strings.TrimSpace(text)
	if strings.HasPrefix(trimmed, "<think>") {
		if _, answer, ok := strings.Cut(trimmed, "</think>"); ok {
			return strings.TrimSpace(answer)
		}
	}
	return text
}

// failure is the error body. OpenAI sends an object, Ollama and others at times a
// string, and vLLM at times the fields without the object.
type failure struct {
	Error   json.RawMessage `json:"error"`
	Message string          `json:"message"`
}

type failureDetail struct {
	Message string          `json:"message"`
	Type    string          `json:"type"`
	Param   string          `json:"param"`
	Code    json.RawMessage `json:"code"` // A string, or a number at some servers.
}

// param is the parameter that a server says it does not take. It is the cause of
// an llm.Error.
type param string

func (p param) Error() string { return "parameter " + string(p) }

// explain reads the failure and decides its kind by the code, else by words.
func explain(e *llm.Error, data []byte) {
	var f failure
	if json.Unmarshal(data, &f) != nil {
		return
	}
	detail := failureDetail{Message: f.Message}
	if len(f.Error) > 0 && json.Unmarshal(f.Error, &detail) != nil {
		_ = json.Unmarshal(f.Error, &detail.Message)
	}
	e.Message = detail.Message
	code := strings.Trim(string(detail.Code), `"`)
	switch {
	case code == "insufficient_quota" || detail.Type == "insufficient_quota":
		e.Kind = llm.BudgetExceeded
	case code == "content_filter" || code == "content_policy_violation" || strings.Contains(string(data), "ResponsibleAIPolicyViolation"):
		e.Kind = llm.Filtered
	case code == "context_length_exceeded" || detail.Type == "exceed_context_size_error" || remote.IsTooLong(detail.Message):
		if e.Status != http.StatusTooManyRequests {
			e.Kind = llm.TooLong
		}
	case e.Kind == llm.BadRequest && detail.Param != "":
		e.Err = param(detail.Param)
	}
}

// refused returns the parameter that the error says is not taken, by name, else the
// first of the known ones that the message has; and whether it is never taken, or
// only not with this value.
func refused(err error) (name string, never bool) {
	var e *llm.Error
	if !errors.As(err, &e) || e.Kind != llm.BadRequest {
		return "", false
	}
	message := strings.ToLower(e.Message)
	for _, words := range []string{"unsupported", "not supported", "not support", "unrecognized", "unknown", "unexpected", "not permitted", "not allowed"} {
		never = never || strings.Contains(message, words)
	}
	var named param
	if errors.As(err, &named) {
		return string(named), never
	}
	for _, known := range []string{"response_format", "json_schema", "json_object", "grammar", "max_completion_tokens", "max_tokens", "temperature", "seed"} {
		if strings.Contains(message, known) {
			return known, never
		}
	}
	return "", false
}
