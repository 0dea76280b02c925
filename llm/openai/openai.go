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

	"pressroom/llm/remote"
)

// DefaultBaseURL is OpenAI's own service; what stands before /chat/completions.
// Ollama's is http://localhost:11434/v1.
const DefaultBaseURL = "https://api.openai.com/v1"

// Options configure a provider. Without a key none is sent, as local servers want
// it.
type Options = remote.Options

// New returns a provider for a model.
func New(model string, o Options) *remote.Provider {
	return NewChat(model, Chat{
		Name: "openai", BaseURL: DefaultBaseURL, Path: "/chat/completions",
		// Servers of others know the older name, and some ignore the newer one.
		MaxTokens: o.BaseURL != "" && o.BaseURL != DefaultBaseURL,
		Authorize: func(_ context.Context, header http.Header) error {
			if o.Key != "" {
				header.Set("Authorization", "Bearer "+o.Key)
			}
			return nil
		},
	}, o)
}

// Chat is a service that speaks the protocol at an address and with keys of its
// own, such as Azure's. The fields are as in remote.Protocol, but for two.
type Chat struct {
	Name, BaseURL, Path string
	Authorize           func(ctx context.Context, header http.Header) error
	// SendModel is the model to name in the request; "" means the provider's.
	SendModel string
	// MaxTokens sends the bound on output as max_tokens, in place of
	// max_completion_tokens, until the server refuses that.
	MaxTokens bool
}

// NewChat returns a provider for a model of the service.
func NewChat(model string, c Chat, o Options) *remote.Provider {
	s := &server{model: model, sendModel: c.SendModel}
	if s.sendModel == "" {
		s.sendModel = model
	}
	s.manners.Store(&manners{maxTokens: c.MaxTokens})
	return remote.New(model, remote.Protocol{
		Name: c.Name, BaseURL: c.BaseURL, Path: c.Path, Authorize: c.Authorize,
		Ask: s.ask, Read: s.read, Explain: explain,
	}, o)
}
