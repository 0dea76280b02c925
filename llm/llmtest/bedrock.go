package llmtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"pressroom/llm"
)

// Bedrock is the dialect of the Converse operation. The key is the access key id
// of a request's signature; the signature itself is not checked.
func Bedrock() Dialect { return bedrock{} }

type bedrock struct{}

func (bedrock) Name() string { return "bedrock" }

func (bedrock) Base() string { return "" }

// Can: Bedrock has no refusal beside its filters, and no account that runs empty.
func (bedrock) Can(f Fault) bool { return f != Refuse && f != NoCredit && f != FilterInput }

// exception is an error body, whose type goes into a header.
type exception struct {
	Type    string `json:"-"`
	Message string `json:"message"`
}

type converseText struct {
	Text string `json:"text"`
}

func (bedrock) Read(r *http.Request, body []byte) (Asked, error) {
	if err := post(r, "/model/"+Model+"/converse"); err != nil {
		return Asked{}, err
	}
	signature := r.Header.Get("Authorization")
	if !strings.HasPrefix(signature, "AWS4-HMAC-SHA256 ") || !strings.Contains(signature, "/bedrock/aws4_request") {
		return Asked{}, fmt.Errorf("the request is not signed for bedrock: %q", signature)
	}
	if !strings.Contains(signature, "Credential="+Key+"/") {
		return Asked{}, ErrKey
	}
	var b struct {
		System   []converseText `json:"system"`
		Messages []struct {
			Role    string         `json:"role"`
			Content []converseText `json:"content"`
		} `json:"messages"`
		InferenceConfig struct {
			MaxTokens   int      `json:"maxTokens"`
			Temperature *float64 `json:"temperature"`
		} `json:"inferenceConfig"`
		OutputConfig struct {
			TextFormat struct {
				Type      string `json:"type"`
				Structure struct {
					JSONSchema struct {
						Name   string `json:"name"`
						Schema string `json:"schema"`
					} `json:"jsonSchema"`
				} `json:"structure"`
			} `json:"textFormat"`
		} `json:"outputConfig"`
	}
	if err := strict(body, &b); err != nil {
		return Asked{}, err
	}
	format := b.OutputConfig.TextFormat
	asked := Asked{Model: Model, MaxOutput: b.InferenceConfig.MaxTokens, Temperature: b.InferenceConfig.Temperature, Format: format.Type}
	if format.Type != "" {
		asked.Schema = json.RawMessage(format.Structure.JSONSchema.Schema)
		if format.Type != "json_schema" || !json.Valid(asked.Schema) {
			return asked, fmt.Errorf("a text format of type %q with schema %q", format.Type, asked.Schema)
		}
	}
	for _, s := range b.System {
		asked.System += s.Text
	}
	for _, m := range b.Messages {
		text := ""
		for _, c := range m.Content {
			text += c.Text
		}
		asked.Messages = append(asked.Messages, llm.Message{Role: llm.Role(m.Role), Text: text})
	}
	return asked, nil
}

func (bedrock) Success(r Reply) any {
	content := []any{object{"reasoningContent": object{"reasoningText": object{"text": "Let me think."}}}, object{"text": r.Text}}
	stop := "end_turn"
	switch r.Fault {
	case Empty:
		content = []any{}
	case Filter:
		stop, content = "content_filtered", []any{}
	case Truncate:
		stop = "max_tokens"
	}
	usage := r.usage()
	return object{
		"output":     object{"message": object{"role": "assistant", "content": content}},
		"stopReason": stop,
		"usage": object{
			"inputTokens": usage.Input - usage.CachedInput, "outputTokens": usage.Output,
			"totalTokens": usage.Input + usage.Output, "cacheReadInputTokens": usage.CachedInput,
		},
		"metrics": object{"latencyMs": 5},
	}
}

func (bedrock) Failure(r Reply) (int, any, bool) {
	switch r.Fault {
	case BadKey:
		return 403, exception{"UnrecognizedClientException", r.message("The security token included in the request is invalid.")}, true
	case RateLimit, NoCredit:
		return 429, exception{"ThrottlingException", r.message("Too many requests, please wait before trying again.")}, true
	case TooLong:
		return 400, exception{"ValidationException", r.message("The model returned the following errors: Input is too long for requested model.")}, true
	case Unsupported:
		return 400, exception{"ValidationException", r.message("The model doesn't support the " + r.Param + " field.")}, true
	case Fail:
		kind := "InternalServerException"
		if r.Status == 503 {
			kind = "ServiceUnavailableException"
		}
		return r.Status, exception{kind, r.message("Unable to process your request.")}, true
	}
	return 0, nil, false
}
