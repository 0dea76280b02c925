// Package anthropic is the llm.Provider for Anthropic's Messages API. The schema is
// sent as output_config.format, without the keywords that constrained decoding does
// not know; [llm.Validated] checks the whole schema.
//
// It promises what package remote does: a bounded answer in bounded time, no key in
// errors. Start with [New]; answer.go reads what comes back.
package anthropic

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync/atomic"

	"pressroom/llm"
	"pressroom/llm/remote"
)

// DefaultBaseURL is Anthropic's own service; what stands before /v1/messages.
const DefaultBaseURL = "https://api.anthropic.com"

// Version is the anthropic-version that is sent.
const Version = "2023-06-01"

// Options configure a provider.
type Options = remote.Options

// New returns a provider for a model, such as "claude-haiku-4-5". The API takes no
// seed and a temperature of at most 1; a higher one is sent as 1.
func New(model string, o Options) *remote.Provider {
	c := &claude{model: model}
	return remote.New(model, remote.Protocol{
		Name: "anthropic", BaseURL: DefaultBaseURL, Path: "/v1/messages",
		Authorize: func(_ context.Context, header http.Header) error {
			header.Set("x-api-key", o.Key)
			header.Set("anthropic-version", Version)
			return nil
		},
		Ask: c.ask, Read: read, Explain: explain,
	}, o)
}

// claude is a model, and what is known of it.
type claude struct {
	model string
	// noTemperature is learned: some models refuse one.
	noTemperature atomic.Bool
}

// ask leaves the temperature out once the model has refused one.
func (c *claude) ask(req *llm.Request) func(error) any {
	var b body
	return func(failed error) any {
		if failed != nil {
			if b.Temperature == nil || llm.KindOf(failed) != llm.BadRequest || !strings.Contains(failed.Error(), "temperature") {
				return nil
			}
			c.noTemperature.Store(true)
		}
		b = c.body(req)
		return b
	}
}

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type body struct {
	Model        string        `json:"model"`
	MaxTokens    int           `json:"max_tokens"`
	System       string        `json:"system,omitempty"`
	Messages     []message     `json:"messages"`
	Temperature  *float64      `json:"temperature,omitempty"`
	OutputConfig *outputConfig `json:"output_config,omitempty"`
}

type outputConfig struct {
	Format outputFormat `json:"format"`
}

type outputFormat struct {
	Type   string          `json:"type"`
	Schema json.RawMessage `json:"schema"`
}

func (c *claude) body(req *llm.Request) body {
	b := body{Model: c.model, MaxTokens: req.MaxOutput(), System: req.System}
	for _, m := range req.Conversation() {
		b.Messages = append(b.Messages, message{string(m.Role), m.Text})
	}
	if req.Temperature != nil && !c.noTemperature.Load() {
		temperature := min(*req.Temperature, 1)
		b.Temperature = &temperature
	}
	if req.Schema != nil {
		b.OutputConfig = &outputConfig{outputFormat{Type: "json_schema", Schema: req.Schema.Loosened()}}
	}
	return b
}
