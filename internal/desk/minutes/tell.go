package minutes

import (
	"context"
	"slices"

	"pressroom/internal/desk/minutes/diet"
	"pressroom/internal/desk/minutes/proceedings"
)

// TellerModel is the model that articles name which are told by rules.
const TellerModel = "proceedings-1"

// rules tells whether records are told by rules: the provider is the one that only
// copies sentences, and a record's forms say more.
func (d *Desk) rules() bool { return d.provider.Info().Extractive }

// produceByRule tells a whole meeting from the forms of its record, however long it is:
// nothing is cut into chunks, and nothing can be cut off.
func (d *Desk) produceByRule(ctx context.Context, t *Task) (Result, *record, error) {
	rec, err := d.wholeRecord(ctx, t)
	if err != nil {
		return Result{}, nil, err
	}
	result := told(t.Meeting, rec.speeches)
	result.GeneratedBy = &Origin{
		Provider: d.provider.Info().Provider, Model: TellerModel, PromptVersion: t.PromptVersion, Extractive: true,
	}
	if found := rec.check(&result); len(found) > 0 {
		text, _ := encode(result)
		return Result{}, nil, &falseIn{text: string(text), FalseAnswer: &FalseAnswer{found}}
	}
	return result, rec, d.share(ctx, t, &result)
}

// share gives each chunk of a task its part of a result, as if it had been asked for by
// itself: whoever follows the contract finds chunks ready and their results.
func (d *Desk) share(ctx context.Context, t *Task, result *Result) error {
	for i, c := range t.Chunks {
		if c.Status == Ready {
			continue
		}
		orders, err := d.ordersOf(ctx, c)
		if err != nil {
			return err
		}
		part := Result{GeneratedBy: result.GeneratedBy}
		for _, dialog := range result.Dialogs {
			if slices.Contains(orders, dialog.Order) {
				part.Dialogs = append(part.Dialogs, dialog)
			}
		}
		if err := d.objects.put(ctx, c.ResultURL, part); err != nil {
			return err
		}
		if err := d.markReady(ctx, t, i); err != nil {
			return err
		}
	}
	return nil
}

// ordersOf are the orders of a chunk's own speeches, which not every producer lists.
func (d *Desk) ordersOf(ctx context.Context, c Chunk) ([]int, error) {
	if len(c.BasedOnOrders) > 0 {
		return c.BasedOnOrders, nil
	}
	body, err := d.load(ctx, c.PromptURL)
	if err != nil {
		return nil, err
	}
	var orders []int
	for _, s := range body.Speeches {
		orders = append(orders, s.Order)
	}
	return orders, nil
}

// Proceedings reads a meeting's record.
func Proceedings(m Meeting, speeches []diet.Speech) *proceedings.Proceedings {
	in := proceedings.Meeting{House: m.House, Name: m.Name, Date: m.Date}
	for _, s := range speeches {
		in.Speeches = append(in.Speeches, proceedings.Speech{
			Order: s.Order, Speaker: s.Speaker, Group: s.Group, Position: s.Position, Role: s.Role, Text: s.Text,
		})
	}
	return proceedings.Read(in, nil)
}

// told is a meeting told by rules, as an answer.
func told(m Meeting, speeches []diet.Speech) Result {
	t := Proceedings(m, speeches).Tell()
	out := Result{
		Title: t.Title, Description: t.Description, Date: m.Date, KeyPoints: t.KeyPoints,
		Summary: Cited{t.Summary.Orders, t.Summary.Text}, SoftSummary: Cited{t.Plain.Orders, t.Plain.Text},
		Keywords: t.Keywords,
	}
	for _, c := range t.Course {
		out.MiddleSummary = append(out.MiddleSummary, Cited{c.Orders, c.Text})
	}
	for _, term := range t.Terms {
		out.Terms = append(out.Terms, Term(term))
	}
	for _, s := range t.Speeches {
		section := Section{Title: s.Title}
		for _, p := range s.Points {
			point := p.Plain
			if point == "" {
				point = p.Quote
			}
			section.Bullets = append(section.Bullets, Bullet{Point: point, Quote: p.Quote})
		}
		out.Dialogs = append(out.Dialogs, Dialog{Order: s.Order, Sections: []Section{section}})
	}
	return out
}
