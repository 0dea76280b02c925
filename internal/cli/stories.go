package cli

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"pressroom/internal/ops"
	"pressroom/internal/story"
	"pressroom/model"
)

// stories returns what the desks publish.
func (n tableNames) stories(db model.DB) (*story.Stories, error) {
	return story.New(db, &story.Options{Table: n.table(story.Schema)})
}

// relayPatience is how long an event may wait for the relay before somebody should
// look.
const relayPatience = time.Minute

// mountStories moves what happens to stories into the log, adopts what other programs
// write, and tells operators if either stops.
func mountStories(_ context.Context, w *wiring) error {
	w.background("relay of stories", func(ctx context.Context) { again(ctx, w.log, "the relay of stories", w.stories.Relay) })
	if w.set.Run.has(webDuty) || w.set.Run.has(workerDuty) {
		adopter := &story.Adopter{Stories: w.stories, Streams: w.store.streams, Shelves: w.finding.shelves, Track: w.store.track(), Log: w.log}
		w.site.adopted = adopter.Current
		w.background("adoption of stories", func(ctx context.Context) { again(ctx, w.log, "the adoption of stories", adopter.Run) })
	}
	w.ops.dashboard.Add(ops.NamedSource{Name: "stories", Source: relaySource(w.stories), Fresh: time.Second})
	w.store.checks = append(w.store.checks, check{name: "relay of stories", minor: true, run: func(ctx context.Context) error {
		lag, err := w.stories.Lag(ctx)
		if err == nil && lag > relayPatience {
			err = fmt.Errorf("an event has waited for %s", lag.Round(time.Second))
		}
		return err
	}})
	return nil
}

// again runs something that should never end, and begins it again if it does, ever more
// slowly.
func again(ctx context.Context, log *slog.Logger, what string, run func(context.Context) error) {
	for wait := time.Second; ; wait = min(2*wait, time.Minute) {
		began := time.Now()
		err := run(ctx)
		if ctx.Err() != nil {
			return
		}
		if time.Since(began) > time.Minute {
			wait = time.Second
		}
		log.Error(what+" stopped and is begun again", "error", err, "in", wait)
		if model.Sleep(ctx, wait) != nil {
			return
		}
	}
}

// relaySource tells how many events wait for the relay, and since when.
func relaySource(stories *story.Stories) ops.Source {
	return ops.SourceFunc(func(ctx context.Context) (ops.Readings, error) {
		waiting, oldest, err := stories.Backlog(ctx, relayCounted)
		q := ops.Queue{Name: "story relay", Items: map[string]int{"waiting": waiting}, Oldest: oldest, Most: relayCounted, Patience: relayPatience}
		return ops.Readings{Queues: []ops.Queue{q}}, err
	})
}

// relayCounted is how many events are counted.
const relayCounted = 1000
