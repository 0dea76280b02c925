package demo

import (
	"context"
	"encoding/json"

	"pressroom/llm"
)

// mistaken is a model that errs: it says of each speech that somebody made it who was not
// there. The demo shows with it what becomes of such an answer. Nothing of it is
// published.
type mistaken struct {
	llm.Provider
	name string
}

// mistakenModel says what it is.
const mistakenModel = "false-on-purpose"

// Info implements llm.Provider.
func (m *mistaken) Info() llm.Info { return llm.Info{Provider: "demo", Model: mistakenModel} }

// Generate implements llm.Provider.
func (m *mistaken) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	resp, err := m.Provider.Generate(ctx, req)
	if err != nil || req.Schema == nil {
		return resp, err
	}
	var answer map[string]any
	if err := resp.Decode(&answer); err != nil {
		return nil, err
	}
	dialogs, _ := answer["dialogs"].([]any)
	for _, one := range dialogs {
		if dialog, ok := one.(map[string]any); ok {
			dialog["speaker"] = m.name
		}
	}
	text, err := json.Marshal(answer)
	resp.Provider, resp.Model, resp.Extractive, resp.Text = "demo", mistakenModel, false, string(text)
	return resp, err
}
