package llmtest

import (
	"flag"
	"os"
	"testing"
	"time"

	"pressroom/llm"
	"pressroom/llm/remote"
)

// Target is a real service that a provider's tests can be pointed at by flags.
type Target struct {
	key             string
	endpoint, model *string
}

// NewTarget declares the flags -endpoint and -model. The key is in an environment
// variable.
func NewTarget(key, model string) *Target {
	return &Target{
		key:      key,
		endpoint: flag.String("endpoint", "", "ask the service at this `URL`, with the key in "+key),
		model:    flag.String("model", model, "the `model` to ask at -endpoint"),
	}
}

// Run asks the service, if there is one.
func (s *Target) Run(t *testing.T, newProvider NewProvider) {
	if *s.endpoint == "" {
		t.Skip("no -endpoint")
	}
	Live(t, newProvider(t, Endpoint{URL: *s.endpoint, Key: os.Getenv(s.key), Model: *s.model}))
}

// Via makes a provider by the constructor of a package.
func Via(construct func(model string, o remote.Options) *remote.Provider) NewProvider {
	return func(_ *testing.T, e Endpoint) llm.Provider {
		return construct(e.Model, remote.Options{Key: e.Key, BaseURL: e.URL + "/", HTTP: e.HTTP, Timeout: e.Timeout, MaxBody: 1 << 20})
	}
}

// FuzzAnswer holds a provider to it that any answer with status 200 is a text or an
// error.
func FuzzAnswer(f *testing.F, p *remote.Provider, answers ...string) {
	for _, body := range answers {
		f.Add(body)
	}
	req := &llm.Request{Messages: []llm.Message{{Role: llm.User, Text: "x"}}}
	f.Fuzz(func(t *testing.T, body string) {
		resp, err := p.Answer(req, []byte(body), time.Now())
		if err == nil && (resp.Text == "" || resp.Model == "" || resp.Finish == "") || err != nil && llm.KindOf(err) == "" {
			t.Errorf("%+v, %v", resp, err)
		}
	})
}

// FuzzFailure holds a provider to it that any failure has a kind.
func FuzzFailure(f *testing.F, p *remote.Provider, failures ...string) {
	for _, body := range failures {
		for _, status := range []int{400, 429, 500} {
			f.Add(status, body)
		}
	}
	f.Fuzz(func(t *testing.T, status int, body string) {
		if e := p.Failure(status, nil, []byte(body)); e.Kind == "" || e.RetryAfter < 0 {
			t.Errorf("%+v", e)
		}
	})
}
