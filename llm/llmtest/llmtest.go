// Package llmtest is the conformance suite of llm providers, and the scripted
// servers and providers that it and the desks' tests play against.
//
// [Run] holds a provider to its protocol and to the contract of llm.Provider, on a
// [Server] that checks each request strictly and answers as it is told, faults
// included. [Offline] does what can be done without a server; [Live] asks a real
// endpoint. A test of a desk takes [NewServer] with a real provider, or [Scripted]
// without HTTP, or wraps either in [Unreliable]. [Ledger] is the suite of ledgers.
//
// Start with suite.go for what is promised, reply.go for what a script can say.
package llmtest

import (
	"net/http"
	"testing"
	"time"

	"pressroom/llm"
)

// Endpoint is where a provider under test is to send its requests.
type Endpoint struct {
	URL   string
	Key   string
	Model string
	HTTP  *http.Client
	// Timeout is 0 for the provider's default.
	Timeout time.Duration
}

// NewProvider makes the provider under test.
type NewProvider func(t *testing.T, e Endpoint) llm.Provider

// Key is the key that scripted servers want, and Model the model they serve.
const (
	Key   = "test-key-0123456789"
	Model = "test-model-1"
)

// Run runs the whole suite on scripted servers of the dialect.
func Run(t *testing.T, d Dialect, newProvider NewProvider) {
	s := suite{dialect: d, newProvider: newProvider}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { test.run(t, s) })
	}
}

// suite is what the tests share.
type suite struct {
	dialect     Dialect
	newProvider NewProvider
}

// start returns a server that plays the replies and a provider that asks it.
func (s suite) start(t *testing.T, replies ...Reply) (*Server, llm.Provider) {
	t.Helper()
	server := NewServer(t, s.dialect)
	server.Play(replies...)
	return server, s.newProvider(t, server.Endpoint())
}

// ask is a small request.
func ask(text string) *llm.Request {
	return &llm.Request{
		System:          "Answer in one word.",
		Messages:        []llm.Message{{Role: llm.User, Text: text}},
		MaxOutputTokens: 64,
	}
}

// Person is the schema that structured tests ask for. minLength is a keyword that
// services do not hold their models to.
var personSchema = llm.MustSchema("person", []byte(`{
	"type": "object",
	"properties": {"name": {"type": "string", "minLength": 1}, "age": {"type": "integer"}},
	"required": ["name", "age"],
	"additionalProperties": false
}`))
