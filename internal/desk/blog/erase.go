package blog

import (
	"context"
	"errors"
	"strings"

	"pressroom/internal/errs"
	"pressroom/internal/rights/erase"
	"pressroom/model"
)

// Traces is how the desk forgets a post or a name.
func (d *Desk) Traces() *erase.Traces {
	return &erase.Traces{
		Desk: Schema.Name, Shelf: d.Shelf(), Tables: []string{d.table.Name}, Buckets: []string{d.bucket.Name},
		Take: func(ctx context.Context, id string) error {
			if err := d.Delete(ctx, id, AnyVersion); !errors.Is(err, errs.NotFound) {
				return err
			}
			return nil
		},
		Owner: func(_ string, item model.Raw) string {
			id, _ := d.changedPost(item)
			return id
		},
		Object: func(_, key string) (string, bool) {
			rest, ok := strings.CutPrefix(key, "autosaves/")
			if !ok {
				return "", false
			}
			id, _, _ := strings.Cut(rest, "/")
			return id, false
		},
	}
}
