package minutes

import (
	"context"
	"strings"

	"pressroom/internal/desk/minutes/diet"
	"pressroom/llm"
)

// reduce asks for the frame around the answers to chunks: title, summary and so on.
// If what the chunks say is itself too long for a prompt, it is first folded to
// less.
func (d *Desk) reduce(ctx context.Context, t *Task, body *payload, results []Result, rec *record) (Result, error) {
	body.Speeches = outline(results, rec)
	info := d.info()
	p, err := newPacker(info.Model, d.promptTokens(info), reduce, t.Meeting)
	if err != nil {
		return Result{}, err
	}
	var spent Origin
	for {
		prompts := p.pack(body.Speeches)
		if len(prompts) == 1 {
			break
		}
		folded, err := d.foldAll(ctx, t, prompts, rec, &spent)
		if err != nil {
			return Result{}, err
		}
		if p.total(folded) > p.total(body.Speeches)*9/10 {
			body.Speeches = p.clipped(folded) // it does not get shorter by asking
			break
		}
		body.Speeches = folded
	}
	answer, err := d.ask(ctx, d.request(reduce, body, t), rec)
	if err == nil {
		spent.add(answer.GeneratedBy)
		answer.GeneratedBy = &spent
	}
	return answer, err
}

// outline is what the chunks say, as passages under the first order that each rests
// on. Chunks that say nothing stand in with the beginnings of their speeches.
func outline(results []Result, rec *record) []diet.Speech {
	var out []diet.Speech
	for _, r := range results {
		for _, c := range r.MiddleSummary {
			if len(c.BasedOnOrders) > 0 && strings.TrimSpace(c.Summary) != "" {
				out = append(out, diet.Speech{Order: c.BasedOnOrders[0], Text: c.Summary})
			}
		}
		for _, dialog := range r.Dialogs {
			if len(r.MiddleSummary) == 0 && dialog.SoftLanguage != "" {
				out = append(out, diet.Speech{Order: dialog.Order, Speaker: dialog.Speaker, Text: dialog.SoftLanguage})
			}
		}
	}
	if len(out) > 0 {
		return out
	}
	for _, s := range rec.speeches {
		if first := sentences(s.Text); len(first) > 0 {
			out = append(out, diet.Speech{Order: s.Order, Speaker: s.Speaker, Text: cut(first[0], 600)})
		}
	}
	return out
}

// foldAll asks for fewer passages in place of many.
func (d *Desk) foldAll(ctx context.Context, t *Task, prompts []packed, rec *record, spent *Origin) ([]diet.Speech, error) {
	answers := make([]Result, len(prompts))
	err := d.parallel(ctx, len(prompts), func(ctx context.Context, i int) (err error) {
		req := &llm.Request{
			System: fold.prompt, Schema: fold.schema, Labels: d.labels(t, fold),
			Messages: []llm.Message{{Role: llm.User, Text: heading(t.Meeting, "")}},
		}
		for _, one := range prompts[i].own {
			req.Passages = append(req.Passages, llm.Passage{Order: one.speech.Order, Speaker: one.speech.Speaker, Text: one.speech.Text})
		}
		d.bound(req)
		answers[i], err = d.ask(ctx, req, rec)
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, a := range answers {
		spent.add(a.GeneratedBy)
	}
	return outline(answers, rec), nil
}

func (p *packer) total(speeches []diet.Speech) int {
	n := 0
	for _, s := range speeches {
		n += p.cost(s)
	}
	return n
}

// clipped shortens passages until all fit one prompt: each to its share, and if
// they are too many even so, the last ones go.
func (p *packer) clipped(speeches []diet.Speech) []diet.Speech {
	most := max(p.room/(2*passageTokens), 1)
	if len(speeches) > most {
		speeches = speeches[:most]
	}
	share := p.room / len(speeches)
	out := make([]diet.Speech, len(speeches))
	for i, s := range speeches {
		out[i] = p.clip(s, share, false)
	}
	return out
}
