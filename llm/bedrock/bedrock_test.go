package bedrock_test

import (
	"errors"
	"os"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"

	"pressroom/llm"
	"pressroom/llm/bedrock"
	"pressroom/llm/llmtest"
)

var target = llmtest.NewTarget("AWS_ACCESS_KEY_ID", "amazon.nova-micro-v1:0")

func config(key, secret, token string) aws.Config {
	return aws.Config{Region: "us-east-1", Credentials: aws.CredentialsProviderFunc(fixed{key, secret, token}.Retrieve)}
}

func newProvider(_ *testing.T, e llmtest.Endpoint) llm.Provider {
	return bedrock.New(config(e.Key, "secret-9876543210", ""), e.Model, bedrock.Options{Endpoint: e.URL, HTTP: e.HTTP, Timeout: e.Timeout, MaxBody: 1 << 20})
}

func TestConformance(t *testing.T) { llmtest.Run(t, llmtest.Bedrock(), newProvider) }

// The other two credentials are in their usual variables.
func TestLive(t *testing.T) {
	target.Run(t, func(_ *testing.T, e llmtest.Endpoint) llm.Provider {
		return bedrock.New(config(e.Key, os.Getenv("AWS_SECRET_ACCESS_KEY"), os.Getenv("AWS_SESSION_TOKEN")), e.Model, bedrock.Options{Endpoint: e.URL})
	})
}

// A model that takes no schema is told in words, from then on.
func TestSchemaInWords(t *testing.T) {
	server := llmtest.NewServer(t, llmtest.Bedrock())
	p := newProvider(t, server.Endpoint())
	server.Play(llmtest.Reply{Fault: llmtest.Unsupported, Param: "outputConfig.textFormat"}, llmtest.Answer("{}"), llmtest.Answer("{}"))
	schema := llm.MustSchema("anything", []byte(`{"type": "object"}`))
	for range 2 {
		if _, err := p.Generate(t.Context(), &llm.Request{Messages: []llm.Message{{Role: llm.User, Text: "x"}}, Schema: schema}); err != nil {
			t.Fatal(err)
		}
	}
	asked := server.Asked()
	if len(asked) != 3 || asked[0].Schema == nil || asked[1].Schema != nil || asked[2].System != llm.SchemaInstruction(schema) {
		t.Errorf("asked %+v", asked)
	}
}

func TestNoCredentials(t *testing.T) {
	server := llmtest.NewServer(t, llmtest.Bedrock())
	cfg := aws.Config{Region: "us-east-1", Credentials: aws.CredentialsProviderFunc(fixed{}.Retrieve)}
	p := bedrock.New(cfg, llmtest.Model, bedrock.Options{Endpoint: server.Endpoint().URL})
	if _, err := p.Generate(t.Context(), &llm.Request{Messages: []llm.Message{{Role: llm.User, Text: "x"}}}); !errors.Is(err, llm.Unauthenticated) {
		t.Errorf("got %v", err)
	}
}
