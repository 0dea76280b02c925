package openai_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pressroom/llm"
	"pressroom/llm/llmtest"
	"pressroom/llm/openai"
)

var (
	target      = llmtest.NewTarget("OPENAI_API_KEY", "gpt-5-nano")
	newProvider = llmtest.Via(openai.New)
)

func TestConformance(t *testing.T) { llmtest.Run(t, llmtest.OpenAI(), newProvider) }

func TestLive(t *testing.T) { target.Run(t, newProvider) }

var anything = llm.MustSchema("anything", []byte(`{"type": "object"}`))

// A server that knows less is asked with less, and remembered.
func TestFallback(t *testing.T) {
	server := llmtest.NewServer(t, llmtest.OpenAI())
	p := newProvider(t, server.Endpoint())
	server.Play(
		llmtest.Reply{Fault: llmtest.Unsupported, Param: "response_format"},
		llmtest.Reply{Fault: llmtest.Unsupported, Param: "response_format.type"},
		llmtest.Reply{Fault: llmtest.Unsupported, Param: "temperature"},
		llmtest.Reply{Fault: llmtest.Unsupported, Param: "seed"},
		llmtest.Answer("{}"), llmtest.Answer("{}"),
	)
	cold, seed := 0.0, int64(1)
	req := &llm.Request{Messages: []llm.Message{{Role: llm.User, Text: "x"}}, Schema: anything, Temperature: &cold, Seed: &seed}
	for range 2 {
		if _, err := p.Generate(t.Context(), req); err != nil {
			t.Fatal(err)
		}
	}
	var formats []string
	for _, asked := range server.Asked() {
		formats = append(formats, asked.Format)
	}
	if diff := cmp.Diff([]string{"json_schema", "json_object", "", "", "", ""}, formats); diff != "" {
		t.Error(diff)
	}
	last := server.Asked()[5]
	if last.Temperature != nil || last.Seed != nil || last.System != llm.SchemaInstruction(anything) {
		t.Errorf("the sixth request was %+v", last)
	}
}

// A schema that the service does not like is this request's matter alone.
func TestBadSchemaIsNotRemembered(t *testing.T) {
	server := llmtest.NewServer(t, llmtest.OpenAI())
	p := newProvider(t, server.Endpoint())
	server.Play(
		llmtest.Reply{Fault: llmtest.Unsupported, Param: "response_format", Message: "Invalid schema for response_format 'anything'"},
		llmtest.Answer("{}"), llmtest.Answer("{}"),
	)
	for range 2 {
		if _, err := p.Generate(t.Context(), &llm.Request{Messages: []llm.Message{{Role: llm.User, Text: "x"}}, Schema: anything}); err != nil {
			t.Fatal(err)
		}
	}
	asked := server.Asked()
	if asked[1].Format != "json_object" || asked[2].Format != "json_schema" {
		t.Errorf("asked as %q, then %q", asked[1].Format, asked[2].Format)
	}
}

// A bound that is too high for the model is an error, not a reason to change names.
func TestBadValueIsTold(t *testing.T) {
	server := llmtest.NewServer(t, llmtest.OpenAI())
	server.Play(llmtest.Reply{Fault: llmtest.Unsupported, Param: "max_tokens", Message: "max_tokens is too large: 99999."})
	_, err := newProvider(t, server.Endpoint()).Generate(t.Context(), &llm.Request{Messages: []llm.Message{{Role: llm.User, Text: "x"}}})
	if llm.KindOf(err) != llm.BadRequest {
		t.Errorf("got %v", err)
	}
}

// Local servers think aloud, and do not all count.
func TestThoughtsAreDropped(t *testing.T) {
	server := llmtest.NewServer(t, llmtest.OpenAI())
	server.Play(llmtest.Answer("<think>\nHm, {\"a\": 1}?\n</think>\n\nYes."))
	p := openai.New(llmtest.Model, openai.Options{Key: llmtest.Key, Name: "ollama", BaseURL: server.Endpoint().URL, Timeout: time.Minute})
	resp, err := p.Generate(t.Context(), &llm.Request{Messages: []llm.Message{{Role: llm.User, Text: "x"}}})
	if err != nil || resp.Text != "Yes." || resp.Provider != "ollama" {
		t.Errorf("got %+v, %v", resp, err)
	}
}
