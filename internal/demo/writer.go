package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"pressroom/internal/desk/minutes"
	"pressroom/llm"
)

// writer is the model that the demo's meetings are told by: the builtin one, whose
// answers get what the meeting's file has written (title, summary, reactions). Like
// every model's, its answers are held against the record. Of one meeting it tells
// something false, so that there is something to review.
type writer struct {
	llm.Provider
	meetings map[string]*meeting
}

func newWriter(base llm.Provider, meetings []meeting) *writer {
	w := &writer{Provider: base, meetings: map[string]*meeting{}}
	for i := range meetings {
		w.meetings[meetings[i].IssueID] = &meetings[i]
	}
	return w
}

// writtenModel says in every article that a person wrote this.
const writtenModel = "written-for-the-demo"

// Info implements llm.Provider.
func (w *writer) Info() llm.Info { return llm.Info{Provider: "demo", Model: writtenModel} }

// Generate implements llm.Provider.
func (w *writer) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	resp, err := w.Provider.Generate(ctx, req)
	if err != nil {
		return nil, err
	}
	resp.Provider, resp.Model = "demo", writtenModel
	m := w.meetings[req.Labels.Run]
	if m == nil || req.Schema == nil {
		return resp, nil
	}
	var answer map[string]any
	if err := resp.Decode(&answer); err != nil {
		return nil, fmt.Errorf("the demo's writer: %w", err)
	}
	if err := m.improve(answer, req); err != nil {
		return nil, err
	}
	resp.Extractive = false // what stands out in it is written
	text, err := json.Marshal(answer)
	if err != nil {
		return nil, err
	}
	resp.Text = string(text)
	return resp, nil
}

// tidy takes out of an answer what the builtin model cannot know: that the list of
// those present is no part of what was said, and what one person spoke for.
func (m *meeting) tidy(answer, written map[string]any) {
	steps, _ := answer["middle_summary"].([]any)
	switch course, _ := written["middle_summary"].([]*minutes.Cited); {
	case steps == nil: // it has none, or the written ones already
	case course != nil:
		answer["middle_summary"] = m.within(course, answer)
	case len(steps) > 1:
		answer["middle_summary"] = slices.DeleteFunc(steps, func(step any) bool {
			of, _ := step.(map[string]any)
			orders, _ := of["based_on_orders"].([]any)
			return slices.Contains(orders, any(float64(0)))
		})
	}
	if _, ok := answer["participants"]; ok {
		answer["participants"] = []any{}
	}
}

// within is what of the course happened in the speeches that an answer is about,
// which may be a part of the meeting. Parts overlap: what two of them have is told
// in the one that asked first.
func (m *meeting) within(course []*minutes.Cited, answer map[string]any) []minutes.Cited {
	var orders []int
	dialogs, _ := answer["dialogs"].([]any)
	for _, one := range dialogs {
		dialog, _ := one.(map[string]any)
		if order, ok := dialog["order"].(float64); ok {
			orders = append(orders, int(order))
		}
	}
	steps := []minutes.Cited{}
	for i, step := range course {
		if !slices.Contains(orders, step.BasedOnOrders[0]) {
			continue
		}
		if first, _ := m.told.LoadOrStore(i, slices.Min(orders)); first == slices.Min(orders) {
			own := slices.DeleteFunc(slices.Clone(step.BasedOnOrders), func(n int) bool { return !slices.Contains(orders, n) })
			steps = append(steps, minutes.Cited{BasedOnOrders: own, Summary: step.Summary})
		}
	}
	return steps
}

// improve puts what is written into an answer, where it has such fields.
func (m *meeting) improve(answer map[string]any, req *llm.Request) error {
	written, err := m.written()
	if err != nil {
		return err
	}
	if _, frame := answer["title"]; frame {
		properties := req.Schema.Tree().Properties
		for field, value := range written {
			if properties[field] != nil {
				answer[field] = value
			}
		}
	}
	m.tidy(answer, written)
	dialogs, _ := answer["dialogs"].([]any)
	for _, one := range dialogs {
		dialog, ok := one.(map[string]any)
		if !ok {
			continue
		}
		order, _ := dialog["order"].(float64)
		n := m.notes[int(order)]
		if n.reaction != "" {
			dialog["reaction"] = n.reaction
		}
		if n.soft != "" {
			dialog["soft_language"] = n.soft
		}
		if m.get("false") != "" && n.soft != "" {
			dialog["speaker"] = m.get("false")
		}
	}
	return nil
}
