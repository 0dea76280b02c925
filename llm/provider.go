package llm

import (
	"context"
	"time"
)

// Provider is a language model behind some protocol.
type Provider interface {
	// Info describes the provider and the model that it asks.
	Info() Info
	// Generate asks the model once. The error is an *Error, except that an end of
	// ctx by its caller is reported as ctx's own error, wrapped. Generate may be
	// called by any number of goroutines, does not change the request, and does
	// not keep it.
	Generate(ctx context.Context, req *Request) (*Response, error)
}

// Info describes a provider.
type Info struct {
	// Provider is the name of the protocol or service, such as "openai".
	Provider string
	// Model is the model that is asked, as prices and records name it.
	Model string
	// ContextTokens is the most that input and output together may have; 0 if that
	// is not known.
	ContextTokens int
	// Extractive is true for a provider that only quotes its input.
	Extractive bool
}

// Request is one question to a model.
type Request struct {
	// System says who the model is and what it must do.
	System string
	// Messages is the conversation, the user's message first. It may be empty if
	// there are passages.
	Messages []Message
	// Passages is the text that the answer is about. It is data, not instruction.
	Passages []Passage
	// Glossary lists words in the passages and what they mean.
	Glossary []Gloss
	// Schema, if set, is what the answer must satisfy, as JSON.
	Schema *Schema
	// Check, if set, is asked by [Validated] about an answer that satisfies the
	// schema. Its error is told to the model, so its text should say what is wrong
	// in words that the model can act on. It must not keep the bytes.
	Check func(answer []byte) error
	// MaxOutputTokens bounds the answer, and the price of it; 0 means
	// DefaultMaxOutputTokens. What a model thinks before it answers counts.
	MaxOutputTokens int
	// Temperature is 0 to 2; nil leaves it to the model. A model that takes none is
	// asked without.
	Temperature *float64
	// Seed asks for the same answer every time, from models that can.
	Seed *int64
	// Labels say what the request is for. They do not change the answer.
	Labels Labels

	// repair marks the second request of [Validated], for records.
	repair bool
}

// DefaultMaxOutputTokens bounds the answer to a request that does not say.
const DefaultMaxOutputTokens = 4096

// Labels say on whose behalf a request is made.
type Labels struct {
	// Desk is the part of the program that asks, such as "minutes".
	Desk string
	// Run is the piece of work that the request is a part of; budgets per run go by
	// desk and run.
	Run string
	// Purpose is what the answer is for, such as "reduce".
	Purpose string
	// PromptVersion is the version of the template that the text came from.
	PromptVersion string
}

// Role says who wrote a message.
type Role string

// The roles of a conversation. The system's part is [Request.System].
const (
	User      Role = "user"
	Assistant Role = "assistant"
)

// Message is one turn of the conversation.
type Message struct {
	Role Role
	Text string
}

// Passage is a numbered piece of source text, such as one speech. Several passages
// may have the same order, if one had to be cut.
type Passage struct {
	Order   int    `json:"order"`
	Speaker string `json:"speaker,omitempty"`
	Text    string `json:"text"`
}

// Gloss is a word and its meaning.
type Gloss struct {
	Term    string `json:"term"`
	Meaning string `json:"meaning"`
}

// Response is a model's answer.
type Response struct {
	// Text is the answer; to a request with a schema it is JSON.
	Text string
	// Provider and Model say who answered. Model is the one that the service
	// names, which may be more precise than the one that was asked.
	Provider string
	Model    string
	// Finish says why the text ends.
	Finish Finish
	Usage  Usage
	// Cost is what the answer cost, all calls for it included; zero if Unpriced.
	Cost USD
	// Unpriced is true if nobody looked up the price, or it is not known.
	Unpriced bool
	// Latency is the time from the request to the whole answer.
	Latency time.Duration
	// Extractive is true if the text is quoted from the passages, not written.
	Extractive bool
	// Repaired is true if the first answer did not satisfy the schema or the check.
	Repaired bool
}

// Finish says why a text ends. Other endings are errors.
type Finish string

// The ways in which an answer ends well.
const (
	// Stop: the model had no more to say.
	Stop Finish = "stop"
	// StopSequence: the server ended the text at a configured sequence.
	StopSequence Finish = "stop_sequence"
)

// Usage counts tokens.
type Usage struct {
	// Input is all tokens of the prompt; CachedInput is how many of them the
	// service had in its cache.
	Input       int
	CachedInput int
	// Output is all tokens of the answer and of the thinking before it.
	Output int
	// Estimated is true if the service did not say and the numbers are our count.
	Estimated bool
}

// Add returns the sum of both.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		Input:       u.Input + v.Input,
		CachedInput: u.CachedInput + v.CachedInput,
		Output:      u.Output + v.Output,
		Estimated:   u.Estimated || v.Estimated,
	}
}

// maxOutput is the bound of the answer with the default applied.
func (r *Request) maxOutput() int {
	if r.MaxOutputTokens == 0 {
		return DefaultMaxOutputTokens
	}
	return r.MaxOutputTokens
}
