package newswire

import (
	"context"
	"encoding/json"
	"strings"

	"pressroom/internal/desk/newswire/excerpt"
	"pressroom/llm"
)

// ExcerptModel is the model that excerpts name which are made by rules.
const ExcerptModel = "excerpt-1"

// writer is who writes summaries: the language model, or the rules for news where the
// provider is the one that only copies sentences.
func (d *Desk) writer() llm.Info {
	info := d.opt.Model.Info()
	if info.Extractive {
		info.Model = ExcerptModel
	}
	return info
}

// write asks the language model, or makes an excerpt, which comes with keywords.
func (d *Desk) write(ctx context.Context, a *Article, req *llm.Request, text string) (*llm.Response, []string, error) {
	info := d.writer()
	if !info.Extractive {
		resp, err := d.opt.Model.Generate(ctx, req)
		return resp, nil, err
	}
	e := excerpt.Make(a.Title, text)
	if len(e.Sentences) == 0 {
		return nil, nil, &llm.Error{Kind: llm.BadRequest, Provider: info.Provider, Model: info.Model, Message: "the text has no sentence that can be quoted"}
	}
	answer, err := json.Marshal(modelAnswer{Summary: e.Text(), Orders: ordersOf(e.Sentences, req.Passages)})
	return &llm.Response{Text: string(answer), Provider: info.Provider, Model: info.Model, Finish: llm.Stop, Extractive: true}, e.Keywords, err
}

// ordersOf are the passages that sentences come from.
func ordersOf(sentences []string, passages []llm.Passage) []int {
	var orders []int
	for _, p := range passages {
		for _, s := range sentences {
			if strings.Contains(p.Text, s) {
				orders = append(orders, p.Order)
				break
			}
		}
	}
	return orders
}
