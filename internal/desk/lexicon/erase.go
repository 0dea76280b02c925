package lexicon

import (
	"context"
	"errors"

	"pressroom/internal/errs"
	"pressroom/internal/rights/erase"
	"pressroom/model"
)

// Traces is how the desk forgets a term or a name. What users have of their own is not
// a term's, whatever it is called.
func (d *Desk) Traces() *erase.Traces {
	var own []string
	for i := range d.o.Schema.Tables {
		switch t := &d.o.Schema.Tables[i]; t.Env {
		case terms.Env, submissions.Env, trending.Env:
			own = append(own, t.Name)
		}
	}
	return &erase.Traces{
		Desk: Schema.Name, Shelf: d.Shelf(), Tables: own,
		Take: func(ctx context.Context, slug string) error {
			if err := d.DeleteTerm(ctx, slug); !errors.Is(err, errs.NotFound) {
				return err
			}
			return nil
		},
		Owner: func(_ string, item model.Raw) string {
			slug, _ := changedTerm(item)
			return slug
		},
		After: d.termsChanged,
	}
}
