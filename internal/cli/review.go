package cli

import (
	"context"

	"pressroom/internal/api/reviewapi"
	"pressroom/internal/ops"
	"pressroom/internal/review"
	"pressroom/internal/story"
	"pressroom/internal/web/reviewweb"
)

// mountReview puts the review desk behind the door. It comes after the desks, which have
// said by then what waits.
func mountReview(_ context.Context, w *wiring) error {
	w.board.Stories, w.board.Record = w.stories, w.onRecord
	w.ops.dashboard.Add(ops.NamedSource{Name: "reports", Source: ops.SourceFunc(func(ctx context.Context) (ops.Readings, error) {
		page, err := w.stories.Reports(ctx, "", review.MaxListed)
		q := ops.Queue{Name: "reader reports", Items: map[string]int{"waiting": len(page.Items)}, Most: review.MaxListed, Patience: review.Patience, Path: "/office/review?queue=" + review.Reports}
		if len(page.Items) > 0 {
			q.Oldest = story.Time(page.Items[0].Since)
		}
		return ops.Readings{Queues: []ops.Queue{q}}, err
	})})
	reviewapi.Register(w.api, &w.board)
	return reviewweb.Register(w.pages, &w.board)
}
