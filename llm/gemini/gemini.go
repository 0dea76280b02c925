// Package gemini is the llm.Provider for Google's Gemini API, by its method
// generateContent. The schema is sent as generationConfig.responseJsonSchema.
//
// It promises what [wire.Caller] does: a bounded answer in bounded time, no key in
// errors. Start with [New]; answer.go reads what comes back.
package gemini

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"

	"pressroom/llm"
	"pressroom/llm/wire"
)

// DefaultBaseURL is Google's own service.
const DefaultBaseURL = "https://generativelanguage.googleapis.com/v1beta"

// Options configure a provider.
type Options struct {
	// Key is sent as x-goog-api-key, never in the address.
	Key string
	// BaseURL is what stands before /models; "" means DefaultBaseURL.
	BaseURL string
	// ContextTokens is the model's context, if known.
	ContextTokens int
	// HTTP, Timeout and MaxBody are as in wire.Caller.
	HTTP    *http.Client
	Timeout time.Duration
	MaxBody int64
}

// Provider asks one Gemini model.
type Provider struct {
	info   llm.Info
	url    string
	key    string
	caller wire.Caller
}

// New returns a provider for a model, such as "gemini-2.5-flash".
func New(model string, o Options) *Provider {
	if o.BaseURL == "" {
		o.BaseURL = DefaultBaseURL
	}
	return &Provider{
		info: llm.Info{Provider: "gemini", Model: model, ContextTokens: o.ContextTokens},
		url:  strings.TrimRight(o.BaseURL, "/") + "/models/" + url.PathEscape(model) + ":generateContent",
		key:  o.Key,
		caller: wire.Caller{
			Provider: "gemini", Model: model, HTTP: o.HTTP, Timeout: o.Timeout, MaxBody: o.MaxBody,
			Secrets: []string{o.Key}, Explain: explain,
		},
	}
}

// Info implements llm.Provider.
func (p *Provider) Info() llm.Info { return p.info }

// Generate implements llm.Provider.
func (p *Provider) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	if err := req.Validate(); err != nil {
		return nil, err
	}
	start := time.Now()
	header := http.Header{}
	header.Set("x-goog-api-key", p.key)
	var out answer
	if err := p.caller.Post(ctx, p.url, header, newBody(req), &out); err != nil {
		return nil, err
	}
	resp, err := p.response(&out)
	if err != nil {
		return nil, err
	}
	resp.Latency = time.Since(start)
	return resp, nil
}

type part struct {
	Text    string `json:"text"`
	Thought bool   `json:"thought,omitempty"`
}

type content struct {
	Role  string `json:"role,omitempty"`
	Parts []part `json:"parts"`
}

type body struct {
	SystemInstruction *content  `json:"systemInstruction,omitempty"`
	Contents          []content `json:"contents"`
	GenerationConfig  config    `json:"generationConfig"`
}

type config struct {
	MaxOutputTokens    int             `json:"maxOutputTokens"`
	Temperature        *float64        `json:"temperature,omitempty"`
	Seed               *int64          `json:"seed,omitempty"`
	ResponseMIMEType   string          `json:"responseMimeType,omitempty"`
	ResponseJSONSchema json.RawMessage `json:"responseJsonSchema,omitempty"`
}

func newBody(req *llm.Request) body {
	b := body{GenerationConfig: config{MaxOutputTokens: req.MaxOutput(), Temperature: req.Temperature, Seed: seed32(req.Seed)}}
	if req.System != "" {
		b.SystemInstruction = &content{Parts: []part{{Text: req.System}}}
	}
	for _, m := range req.Conversation() {
		role := "user"
		if m.Role == llm.Assistant {
			role = "model"
		}
		b.Contents = append(b.Contents, content{Role: role, Parts: []part{{Text: m.Text}}})
	}
	if req.Schema != nil {
		b.GenerationConfig.ResponseMIMEType = "application/json"
		b.GenerationConfig.ResponseJSONSchema = req.Schema.JSON()
	}
	return b
}

// seed32 folds a seed into the 32 bits that the API takes.
func seed32(seed *int64) *int64 {
	if seed == nil {
		return nil
	}
	folded := int64(int32(*seed ^ *seed>>32))
	if *seed == int64(int32(*seed)) {
		folded = *seed
	}
	return &folded
}
