package llm

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// Key returns the content address of a request to a provider: the hex SHA-256 of
// everything that influences the answer, which is the provider and its model,
// system, messages, passages, glossary, schema, bound, temperature and seed.
// Labels do not count, so that an unchanged prompt under another run or template
// version has the same key; nor does Check, which is code.
//
// Two requests with one key would get equally good answers, so that who keeps
// answers by key never pays twice. The key of a request may change when this
// package changes how it writes prompts.
func Key(info Info, req *Request) string {
	content := struct {
		Format      int
		Provider    string
		Model       string
		System      string
		Messages    []Message `json:",omitempty"`
		Passages    []Passage `json:",omitempty"`
		Glossary    []Gloss   `json:",omitempty"`
		SchemaName  string
		Schema      json.RawMessage
		MaxOutput   int
		Temperature *float64
		Seed        *int64
	}{
		Format: 1, Provider: info.Provider, Model: info.Model,
		System: req.System, Messages: req.Messages, Passages: req.Passages, Glossary: req.Glossary,
		MaxOutput: req.maxOutput(), Temperature: req.Temperature, Seed: req.Seed,
	}
	if req.Schema != nil {
		content.SchemaName, content.Schema = req.Schema.name, req.Schema.raw
	}
	hash := sha256.New()
	// Only a temperature that is not a number cannot be encoded; Validate refuses it.
	_ = json.NewEncoder(hash).Encode(content)
	return hex.EncodeToString(hash.Sum(nil))
}
