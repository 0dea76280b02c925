// Package remote is what the providers that speak JSON over HTTP have in common: one
// POST, a bounded answer, and a failure told in the terms of package llm. A
// service adds its [Protocol]: how it is asked, and how its answers read.
//
// It promises that a call ends within its timeout, that an answer takes no more
// memory than its bound, that no redirect is followed (which could carry a key to
// another host), and that no error contains one of the caller's secrets.
//
// Start with [New]; post.go has the call, failure.go the table from status to kind.
package remote

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"pressroom/llm"
)

// Defaults for options that do not say.
const (
	// DefaultTimeout is long, because answers are not streamed.
	DefaultTimeout = 3 * time.Minute
	// DefaultMaxBody is far above what any model answers.
	DefaultMaxBody = 16 << 20
)

// Options configure a provider. The zero value asks the service at its own address,
// without a key.
type Options struct {
	// Key is the service's key. It is sent in a header, never in the address.
	Key string
	// BaseURL is where the service is, up to what all its addresses have in common;
	// "" means the service's own.
	BaseURL string
	// Name is the provider's name in prices, records and errors, for a server that
	// speaks the protocol of another, such as "ollama"; "" means the protocol's.
	Name string
	// ContextTokens is the model's context, if known.
	ContextTokens int
	// HTTP is used without its redirects; nil means a client of its own.
	HTTP *http.Client
	// Timeout bounds a call from its start to the last byte; 0 means DefaultTimeout.
	Timeout time.Duration
	// MaxBody bounds an answer in bytes; 0 means DefaultMaxBody.
	MaxBody int64
}

// Protocol is what a service has of its own.
type Protocol struct {
	// Name is the provider's name, unless the options have one.
	Name string
	// BaseURL is the service's own address, and Path what is asked below it.
	BaseURL, Path string
	// Authorize puts the credentials into the header of a request.
	Authorize func(ctx context.Context, header http.Header) error
	// Ask begins a call. The function that it returns gives the body to send, first
	// for nil, then for the error of each attempt: the same question in plainer
	// terms, or nil if there are none.
	Ask func(req *llm.Request) func(failed error) any
	// Read reads an answer; its error is that the body is not of the protocol.
	Read func(req *llm.Request, body []byte) (Reading, error)
	// Explain reads the failure that a body reports, in the service's own format: it
	// refines e, which has the kind that the status stands for.
	Explain func(e *llm.Error, body []byte)
}

// Provider asks one model by a protocol. It implements llm.Provider.
type Provider struct {
	protocol Protocol
	info     llm.Info
	url      string
	secrets  []string
	client   http.Client
	timeout  time.Duration
	maxBody  int64
}

// New returns a provider for a model.
func New(model string, p Protocol, o Options) *Provider {
	base := or(o.BaseURL, p.BaseURL)
	out := &Provider{
		protocol: p,
		info:     llm.Info{Provider: or(o.Name, p.Name), Model: model, ContextTokens: o.ContextTokens},
		url:      strings.TrimRight(base, "/") + p.Path,
		secrets:  []string{o.Key},
		timeout:  or(o.Timeout, DefaultTimeout),
		maxBody:  or(o.MaxBody, DefaultMaxBody),
	}
	if u, err := url.Parse(base); err == nil && u.User != nil {
		password, _ := u.User.Password()
		out.secrets = append(out.secrets, password)
	}
	if o.HTTP != nil {
		out.client = *o.HTTP
	}
	out.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return out
}

func or[T comparable](value, instead T) T {
	var zero T
	if value == zero {
		return instead
	}
	return value
}

// Info implements llm.Provider.
func (p *Provider) Info() llm.Info { return p.info }

// Generate implements llm.Provider.
func (p *Provider) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	if err := req.Validate(); err != nil {
		return nil, err
	}
	header := http.Header{}
	if err := p.protocol.Authorize(ctx, header); err != nil {
		return nil, p.fail(llm.Unauthenticated, "no credentials", err)
	}
	start := time.Now()
	ask := p.protocol.Ask(req)
	for body := ask(nil); ; {
		answer, err := p.post(ctx, header, body)
		if err == nil {
			return p.Answer(req, answer, start)
		}
		if body = ask(err); body == nil {
			return nil, err
		}
	}
}

// Answer reads the answer to a request that was sent at a time.
func (p *Provider) Answer(req *llm.Request, body []byte, sent time.Time) (*llm.Response, error) {
	r, err := p.protocol.Read(req, body)
	if err != nil {
		return nil, p.fail(llm.Malformed, "the answer is not JSON of this protocol", err)
	}
	return r.Response(p.info, sent, p.secrets...)
}

// Reading is what an answer says.
type Reading struct {
	Text   string
	Model  string     // the model that answered; "" means the one that was asked
	Finish llm.Finish // "" means llm.Stop
	Usage  llm.Usage
	// Kind and Message say why this is no answer; "" if it is one.
	Kind    llm.Kind
	Message string
}

// Failed is the reading with a reason why it is no answer.
func (r Reading) Failed(kind llm.Kind, message string) Reading {
	r.Kind, r.Message = kind, message
	return r
}

// Response makes it the response of a provider, or the provider's error.
func (r Reading) Response(from llm.Info, sent time.Time, secrets ...string) (*llm.Response, error) {
	if r.Kind == "" && r.Text == "" {
		r = r.Failed(llm.Malformed, "no text")
	}
	if r.Kind != "" {
		return nil, &llm.Error{
			Kind: r.Kind, Provider: from.Provider, Model: from.Model, Message: Clean(r.Message, secrets...), Text: r.Text, Usage: r.Usage,
		}
	}
	return &llm.Response{
		Text: r.Text, Provider: from.Provider, Model: or(r.Model, from.Model), Finish: or(r.Finish, llm.Stop), Usage: r.Usage,
		Latency: time.Since(sent),
	}, nil
}
