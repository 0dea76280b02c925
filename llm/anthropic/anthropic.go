// Package anthropic is the llm.Provider for Anthropic's Messages API. The schema is
// sent as output_config.format, without the keywords that constrained decoding does
// not know; [llm.Validated] checks the whole schema.
//
// It promises what [wire.Caller] does: a bounded answer in bounded time, no key in
// errors. Start with [New]; answer.go reads what comes back.
package anthropic

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"pressroom/llm"
	"pressroom/llm/wire"
)

// DefaultBaseURL is Anthropic's own service.
const DefaultBaseURL = "https://api.anthropic.com"

// Version is the anthropic-version that is sent.
const Version = "2023-06-01"

// Options configure a provider.
type Options struct {
	// Key is sent as x-api-key.
	Key string
	// BaseURL is what stands before /v1/messages; "" means DefaultBaseURL.
	BaseURL string
	// ContextTokens is the model's context, if known.
	ContextTokens int
	// HTTP, Timeout and MaxBody are as in wire.Caller.
	HTTP    *http.Client
	Timeout time.Duration
	MaxBody int64
}

// Provider asks one Claude model.
type Provider struct {
	info   llm.Info
	url    string
	key    string
	caller wire.Caller
	// noTemperature is learned: some models refuse one.
	noTemperature atomic.Bool
}

// New returns a provider for a model, such as "claude-haiku-4-5".
func New(model string, o Options) *Provider {
	if o.BaseURL == "" {
		o.BaseURL = DefaultBaseURL
	}
	return &Provider{
		info: llm.Info{Provider: "anthropic", Model: model, ContextTokens: o.ContextTokens},
		url:  strings.TrimRight(o.BaseURL, "/") + "/v1/messages",
		key:  o.Key,
		caller: wire.Caller{
			Provider: "anthropic", Model: model, HTTP: o.HTTP, Timeout: o.Timeout, MaxBody: o.MaxBody,
			Secrets: []string{o.Key}, Explain: explain,
		},
	}
}

// Info implements llm.Provider.
func (p *Provider) Info() llm.Info { return p.info }

// Generate implements llm.Provider. The API takes no seed and a temperature of at
// most 1; a higher one is sent as 1.
func (p *Provider) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	if err := req.Validate(); err != nil {
		return nil, err
	}
	start := time.Now()
	out, err := p.post(ctx, req)
	if err != nil {
		return nil, err
	}
	resp, err := p.response(out)
	if err != nil {
		return nil, err
	}
	resp.Latency = time.Since(start)
	return resp, nil
}

// post sends the request, without a temperature once the model has refused one.
func (p *Provider) post(ctx context.Context, req *llm.Request) (*answer, error) {
	header := http.Header{}
	header.Set("x-api-key", p.key)
	header.Set("anthropic-version", Version)
	for {
		b := p.body(req)
		out := new(answer)
		err := p.caller.Post(ctx, p.url, header, b, out)
		if err == nil {
			return out, nil
		}
		if b.Temperature == nil || llm.KindOf(err) != llm.BadRequest || !strings.Contains(err.Error(), "temperature") {
			return nil, err
		}
		p.noTemperature.Store(true)
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

func (p *Provider) body(req *llm.Request) body {
	b := body{Model: p.info.Model, MaxTokens: req.MaxOutput(), System: req.System}
	for _, m := range req.Conversation() {
		b.Messages = append(b.Messages, message{string(m.Role), m.Text})
	}
	if req.Temperature != nil && !p.noTemperature.Load() {
		temperature := min(*req.Temperature, 1)
		b.Temperature = &temperature
	}
	if req.Schema != nil {
		b.OutputConfig = &outputConfig{outputFormat{Type: "json_schema", Schema: req.Schema.Loosened()}}
	}
	return b
}
