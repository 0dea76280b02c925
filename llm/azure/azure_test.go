package azure_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"pressroom/llm"
	"pressroom/llm/azure"
	"pressroom/llm/llmtest"
)

var target = llmtest.NewTarget("AZURE_OPENAI_API_KEY", "gpt-5-nano")

func newProvider(_ *testing.T, e llmtest.Endpoint) llm.Provider {
	return azure.New(e.URL, e.Model, azure.Options{Key: e.Key, HTTP: e.HTTP, Timeout: e.Timeout, MaxBody: 1 << 20})
}

func TestConformance(t *testing.T) { llmtest.Run(t, llmtest.Azure(), newProvider) }

func TestLive(t *testing.T) { target.Run(t, newProvider) }

func TestToken(t *testing.T) {
	var header http.Header
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header = r.Header.Clone()
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	defer server.Close()
	req := &llm.Request{Messages: []llm.Message{{Role: llm.User, Text: "x"}}}
	p := azure.New(server.URL, "d", azure.Options{Key: "unused", Token: func(context.Context) (string, error) { return "t1", nil }})
	if _, err := p.Generate(t.Context(), req); !errors.Is(err, llm.Overloaded) {
		t.Fatal(err)
	}
	if header.Get("Authorization") != "Bearer t1" || header.Get("api-key") != "" {
		t.Errorf("sent %v", header)
	}
	p = azure.New(server.URL, "d", azure.Options{Token: func(context.Context) (string, error) { return "", errors.New("no identity") }})
	if _, err := p.Generate(t.Context(), req); !errors.Is(err, llm.Unauthenticated) {
		t.Errorf("got %v", err)
	}
}

// Prices and counts go by the model, not by the deployment's name.
func TestModelBehindDeployment(t *testing.T) {
	p := azure.New("https://example.openai.azure.com", "my-deployment", azure.Options{Model: "gpt-4o"})
	if got := p.Info(); got.Model != "gpt-4o" || got.Provider != "azure" {
		t.Errorf("got %+v", got)
	}
}
