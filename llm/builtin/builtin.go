// Package builtin is the llm.Provider that needs no key and no network. It is
// extractive: it understands nothing and writes nothing. It finds the sentences of
// the request's passages that say most of what the others say, in Japanese and in
// English, and answers with them word for word.
//
// It promises:
//
//   - The same request gets the same answer.
//   - To a request with a schema it answers JSON that satisfies it. Fields that are
//     known by their names (summary, quote, based_on_orders, speaker, keywords and
//     so on; the lists are in names.go) are filled from the passages: a quote is an
//     exact part of the passage whose order stands beside it. Fields that would
//     need judgement are left out, empty or at their minimum.
//   - It says what it is: the model's name is extractive-1, and Extractive is set in
//     Info and in each response.
//   - With a glossary and a purpose of translation it replaces the glossary's terms
//     by their meanings, and changes nothing else.
//
// The instructions in a request's messages are not read, so neither can those in a
// passage be followed.
//
// Start with [Provider.Generate]; then sentence.go, rank.go and fill.go, in the
// order in which text flows.
package builtin

import (
	"context"
	"time"

	"pressroom/llm"
)

// Model is the model's name in responses and records.
const Model = "extractive-1"

// Provider is the extractive provider. The zero value works.
type Provider struct{}

// New returns the provider.
func New() *Provider { return &Provider{} }

// Info implements llm.Provider.
func (*Provider) Info() llm.Info {
	return llm.Info{Provider: "builtin", Model: Model, Extractive: true}
}

// Generate implements llm.Provider. It fails with InvalidOutput if the schema asks
// for what the passages do not have, and with CutOff if even the shortest answer is
// longer than the bound.
func (p *Provider) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	if err := req.Validate(); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	start := time.Now()
	doc := newDocument(req)
	usage := llm.Usage{Input: llm.CountInput(Model, req), Estimated: true}
	var text string
	// Answers get shorter until one fits the bound.
	for sentences := 4; sentences >= 1; sentences /= 2 {
		var err error
		if text, err = answer(req, doc, sentences); err != nil {
			return nil, &llm.Error{Kind: llm.InvalidOutput, Provider: "builtin", Model: Model, Message: "the passages do not have what the schema asks for", Text: text, Usage: usage, Err: err}
		}
		if usage.Output = llm.Estimate.Count(text); usage.Output <= req.MaxOutput() {
			return &llm.Response{
				Text: text, Provider: "builtin", Model: Model, Finish: llm.Stop, Usage: usage,
				Latency: time.Since(start), Extractive: true,
			}, nil
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return nil, &llm.Error{Kind: llm.CutOff, Provider: "builtin", Model: Model, Message: "the shortest answer is longer than its bound", Text: text, Usage: usage}
}

// answer is the text for a request without a schema, and JSON for one with.
func answer(req *llm.Request, doc *document, sentences int) (string, error) {
	if req.Schema != nil {
		return fillSchema(req, doc, sentences)
	}
	if doc.translated != "" {
		return doc.translated, nil
	}
	text := join(doc.all.best(sentences))
	if text == "" {
		text = doc.text()
	}
	return text, nil
}
