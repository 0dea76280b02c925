// Package gemini is the llm.Provider for Google's Gemini API, by its method
// generateContent. The schema is sent as generationConfig.responseJsonSchema.
//
// It promises what package remote does: a bounded answer in bounded time, no key in
// errors. Start with [New]; answer.go reads what comes back.
package gemini

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"

	"pressroom/llm"
	"pressroom/llm/remote"
)

// DefaultBaseURL is Google's own service; what stands before /models.
const DefaultBaseURL = "https://generativelanguage.googleapis.com/v1beta"

// Options configure a provider.
type Options = remote.Options

// New returns a provider for a model, such as "gemini-2.5-flash".
func New(model string, o Options) *remote.Provider {
	return remote.New(model, remote.Protocol{
		Name: "gemini", BaseURL: DefaultBaseURL, Path: "/models/" + url.PathEscape(model) + ":generateContent",
		Authorize: func(_ context.Context, header http.Header) error {
			header.Set("x-goog-api-key", o.Key)
			return nil
		},
		Ask: ask, Read: read, Explain: explain,
	}, o)
}

type part struct {
	Text    string `json:"text"`
	Thought bool   `json:"thought,omitempty"`
}

type content struct {
	Role  string `json:"role,omitempty"`
	Parts []part `json:"parts"`
}

type body struct {
	SystemInstruction *content  `json:"systemInstruction,omitempty"`
	Contents          []content `json:"contents"`
	GenerationConfig  config    `json:"generationConfig"`
}

type config struct {
	MaxOutputTokens    int             `json:"maxOutputTokens"`
	Temperature        *float64        `json:"temperature,omitempty"`
	Seed               *int64          `json:"seed,omitempty"`
	ResponseMIMEType   string          `json:"responseMimeType,omitempty"`
	ResponseJSONSchema json.RawMessage `json:"responseJsonSchema,omitempty"`
}

func ask(req *llm.Request) func(error) any {
	return func(failed error) any {
		if failed != nil {
			return nil
		}
		return newBody(req)
	}
}

func newBody(req *llm.Request) body {
	b := body{GenerationConfig: config{MaxOutputTokens: req.MaxOutput(), Temperature: req.Temperature, Seed: seed32(req.Seed)}}
	if req.System != "" {
		b.SystemInstruction = &content{Parts: []part{{Text: req.System}}}
	}
	for _, m := range req.Conversation() {
		role := "user"
		if m.Role == llm.Assistant {
			role = "model"
		}
		b.Contents = append(b.Contents, content{Role: role, Parts: []part{{Text: m.Text}}})
	}
	if req.Schema != nil {
		b.GenerationConfig.ResponseMIMEType = "application/json"
		b.GenerationConfig.ResponseJSONSchema = req.Schema.JSON()
	}
	return b
}

// seed32 folds a seed into the 32 bits that the API takes.
func seed32(seed *int64) *int64 {
	if seed == nil {
		return nil
	}
	folded := int64(int32(*seed ^ *seed>>32))
	if *seed == int64(int32(*seed)) {
		folded = *seed
	}
	return &folded
}
