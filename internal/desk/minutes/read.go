package minutes

import (
	"context"
	"fmt"
	"iter"
	"time"

	"pressroom/internal/errs"
	"pressroom/model"
)

// Heading is the speaker of the minutes' own heading, who is nobody.
const Heading = header

// GetArticles returns the articles with these ids, without assets, in that order.
// Those that are not there are left out.
func (d *Desk) GetArticles(ctx context.Context, ids []string) ([]Article, error) {
	keys := make([]model.Values, len(ids))
	for i, id := range ids {
		keys[i] = model.Values{"id": id}
	}
	if len(keys) == 0 {
		return nil, nil
	}
	found, err := d.articles.BatchGet(ctx, keys)
	if err != nil {
		return nil, fmt.Errorf("articles: %w", err)
	}
	return found, nil
}

// All yields the articles of all assemblies: the Diet's, and then those of each other,
// the newest first.
func (d *Desk) All(ctx context.Context) iter.Seq2[Article, error] {
	return func(yield func(Article, error) bool) {
		codes := []string{""}
		for kept, err := range d.Kept(ctx) {
			if err != nil {
				yield(Article{}, err)
				return
			}
			codes = append(codes, kept.Code)
		}
		for _, code := range codes {
			for a, err := range d.In(code).All(ctx) {
				if !yield(a, err) || err != nil {
					return
				}
			}
		}
	}
}

// All yields the assembly's articles, the newest first.
func (a Assembly) All(ctx context.Context) iter.Seq2[Article, error] {
	return a.desk.articles.All(ctx, "LatestArticles", inAssembly(a.Code, model.Values{}))
}

// OfMonth yields the assembly's articles of a month (2026-11), the newest first.
func (a Assembly) OfMonth(ctx context.Context, month string) iter.Seq2[Article, error] {
	return a.desk.articles.All(ctx, "ArticlesOfMonth", inAssembly(a.Code, model.Values{"date": month}))
}

// Months returns up to most months that have articles, the last first. It costs one
// query a month.
func (a Assembly) Months(ctx context.Context, most int) ([]string, error) {
	var out []string
	f := Filter{Assembly: a.Code}
	for len(out) < most {
		page, err := a.desk.Articles(ctx, f, PageOptions{Limit: 1})
		if err != nil {
			return nil, fmt.Errorf("months: %w", err)
		}
		if len(page.Items) == 0 {
			return out, nil
		}
		month := page.Items[0].Date[:7]
		out = append(out, month)
		first, err := time.Parse("2006-01", month)
		if err != nil {
			return nil, fmt.Errorf("months: article %s: %w", page.Items[0].ID, err)
		}
		f.Until = first.AddDate(0, 0, -1).Format(time.DateOnly)
	}
	return out, nil
}

// Person is someone who spoke, with a page of the meetings in which they did.
type Person struct {
	// Name is the person's as the record has it; Yomi, Group and Position are of the
	// latest meeting on the page.
	Name, Yomi, Group, Position string
	Appearances                 []Appearance
	Next                        string // the cursor of the next page
}

// Appearance is a meeting in which a person spoke, and as whom.
type Appearance struct {
	Light
	As Participant `json:"as"`
}

// GetPerson returns a person with the meetings in which they spoke, the newest first,
// or errs.NotFound if there is none.
func (a Assembly) GetPerson(ctx context.Context, name string, o PageOptions) (Person, error) {
	if keyText(name) == "" {
		return Person{}, errs.New(errs.NotFound, "There is no person without a name.")
	}
	page, err := a.desk.Articles(ctx, Filter{Assembly: a.Code, Person: name}, o)
	if err != nil {
		return Person{}, err
	}
	if len(page.Items) == 0 && o.Cursor == "" {
		return Person{}, errs.New(errs.NotFound, "Nobody of this name spoke in a meeting that is published here.")
	}
	ids := make([]string, len(page.Items))
	for i, l := range page.Items {
		ids[i] = l.ID
	}
	articles, err := a.desk.GetArticles(ctx, ids)
	if err != nil {
		return Person{}, err
	}
	as := map[string]Participant{}
	for _, a := range articles {
		for _, p := range a.Participants {
			if keyText(p.Name) == keyText(name) {
				as[a.ID] = p
				break
			}
		}
	}
	out := Person{Name: name, Next: page.Next, Appearances: []Appearance{}}
	for i, l := range page.Items {
		p := as[l.ID]
		out.Appearances = append(out.Appearances, Appearance{l, p})
		if i == 0 && p.Name != "" {
			out.Name, out.Yomi, out.Group, out.Position = p.Name, p.Yomi, p.Group, p.Position
		}
	}
	return out, nil
}

// Decision is what an operator decides about a task that came to no good end.
type Decision string

// The decisions: ask again with what was finished; make the prompts again first;
// publish what of an answer in review stands up to the record.
const (
	DecideRetry   Decision = "retry"
	DecideRebuild Decision = "rebuild"
	DecidePublish Decision = "publish"
)

// Decide carries out a person's decision: see Requeue and PublishReviewed. One that there is
// not is errs.Invalid.
func (d *Desk) Decide(ctx context.Context, issueID string, decision Decision, by string) error {
	switch decision {
	case DecideRetry:
		return d.Requeue(ctx, issueID, false)
	case DecideRebuild:
		return d.Requeue(ctx, issueID, true)
	case DecidePublish:
		return d.PublishReviewed(ctx, issueID, by)
	}
	return errs.Validation(errs.Field{Name: "decision", Message: "must be retry, rebuild or publish"})
}
