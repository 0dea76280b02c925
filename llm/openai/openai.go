// Package openai is the llm.Provider for OpenAI's chat completions and for servers
// that speak the same protocol: Ollama, vLLM, llama.cpp and others.
//
// Servers differ in what they accept. The provider asks in the strictest way it
// knows, and when a server refuses a parameter by name it asks again without it and
// remembers: response_format json_schema, then json_object, then the schema in
// words; max_completion_tokens or max_tokens; temperature and seed, which some
// models do not take. That the answer is JSON of the schema is for [llm.Validated]
// to check, whichever way was used.
//
// Start with [New]; chat.go has the protocol, adapt.go what is learned.
package openai

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"pressroom/llm"
	"pressroom/llm/wire"
)

// DefaultBaseURL is OpenAI's own service.
const DefaultBaseURL = "https://api.openai.com/v1"

// Options configure a provider. The zero value asks OpenAI without a key.
type Options struct {
	// Key is sent as a bearer token; "" sends none, as local servers want it.
	Key string
	// BaseURL is what stands before /chat/completions; "" means DefaultBaseURL.
	// Ollama's is http://localhost:11434/v1.
	BaseURL string
	// Name is the provider's name in prices, records and errors: "ollama", "vllm",
	// "llamacpp". "" means "openai".
	Name string
	// ContextTokens is the model's context, if known.
	ContextTokens int
	// HTTP, Timeout and MaxBody are as in wire.Caller.
	HTTP    *http.Client
	Timeout time.Duration
	MaxBody int64
}

// New returns a provider for a model.
func New(model string, o Options) *Provider {
	if o.BaseURL == "" {
		o.BaseURL = DefaultBaseURL
	}
	if o.Name == "" {
		o.Name = "openai"
	}
	return NewChat(Chat{
		Info: llm.Info{Provider: o.Name, Model: model, ContextTokens: o.ContextTokens},
		// Servers of others know the older name, and some ignore the newer one.
		MaxTokens: o.BaseURL != DefaultBaseURL,
		URL:       strings.TrimRight(o.BaseURL, "/") + "/chat/completions",
		Secrets:   secrets(o.Key, o.BaseURL),
		HTTP:      o.HTTP, Timeout: o.Timeout, MaxBody: o.MaxBody,
		Authorize: func(_ context.Context, header http.Header) error {
			if o.Key != "" {
				header.Set("Authorization", "Bearer "+o.Key)
			}
			return nil
		},
	})
}

// secrets are the key and a password in the address.
func secrets(key, address string) []string {
	out := []string{key}
	if u, err := url.Parse(address); err == nil && u.User != nil {
		password, _ := u.User.Password()
		out = append(out, password)
	}
	return out
}

// Chat is a chat completions endpoint, for services that speak the protocol at
// other addresses and with other keys, such as Azure's.
type Chat struct {
	Info llm.Info
	// SendModel is the model to name in the request; "" means Info.Model.
	SendModel string
	// MaxTokens sends the bound on output as max_tokens, in place of
	// max_completion_tokens, until the server refuses that.
	MaxTokens bool
	// URL is the whole address.
	URL string
	// Authorize puts credentials into the header of each request.
	Authorize func(ctx context.Context, header http.Header) error
	Secrets   []string
	HTTP      *http.Client
	Timeout   time.Duration
	MaxBody   int64
}

// NewChat returns a provider for an endpoint.
func NewChat(c Chat) *Provider {
	if c.SendModel == "" {
		c.SendModel = c.Info.Model
	}
	p := &Provider{chat: c, caller: wire.Caller{
		Provider: c.Info.Provider, Model: c.Info.Model, HTTP: c.HTTP, Timeout: c.Timeout, MaxBody: c.MaxBody, Secrets: c.Secrets,
	}}
	p.caller.Explain = explain
	p.manners.Store(&manners{maxTokens: c.MaxTokens})
	return p
}
