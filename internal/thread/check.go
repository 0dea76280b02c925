package thread

import (
	"context"
	"fmt"

	"pressroom/internal/story"
	"pressroom/model"
)

// Check reads the whole table and reports what does not fit together. A story that was
// withdrawn a moment ago, or whose thread is being written, may be reported until
// the follower has heard of it.
func (t *Threads) Check(ctx context.Context, report func(where, what string)) error {
	return t.table.Audit(ctx, t.db, map[string]model.Promise{
		"Thread": model.PromiseOf(t.checkThread),
		"Place":  model.PromiseOf(t.checkPlace),
	}, report)
}

func (t *Threads) checkThread(ctx context.Context, th *Thread) ([]string, error) {
	var faults []string
	if th.Into != "" {
		if len(th.Stories) > 0 {
			faults = append(faults, fmt.Sprintf("it became part of thread %s and has stories of its own", th.Into))
		}
		into, err := t.byID(ctx, []string{th.Into})
		if err == nil && into[th.Into] == nil {
			faults = append(faults, fmt.Sprintf("it became part of thread %s, which is not there", th.Into))
		}
		return faults, err
	}
	refs := make([]story.Ref, len(th.Stories))
	for i := range th.Stories {
		refs[i] = th.Stories[i].ref()
	}
	places, err := t.placesOf(ctx, refs)
	for _, ref := range refs {
		if err == nil && places[ref] != th.ID {
			faults = append(faults, fmt.Sprintf("it has the story %s, whose place is in thread %q", ref, places[ref]))
		}
	}
	for _, s := range th.Shared {
		for _, i := range s.In {
			if i < 0 || i >= len(th.Stories) {
				faults = append(faults, fmt.Sprintf("%q is shared by a story that it does not have", s.Text))
			}
		}
	}
	return faults, err
}

func (t *Threads) checkPlace(ctx context.Context, p *placed) ([]string, error) {
	threads, err := t.byID(ctx, []string{p.Thread})
	if err != nil {
		return nil, err
	}
	if th := threads[p.Thread]; th == nil || th.at(p.Ref.String()) < 0 {
		return []string{fmt.Sprintf("its thread %s does not have it", p.Thread)}, nil
	}
	return nil, nil
}
