package cli

import (
	"context"

	"pressroom/internal/api/threadapi"
	"pressroom/internal/follow"
	"pressroom/internal/gold"
	"pressroom/internal/story"
	"pressroom/internal/thread"
	"pressroom/internal/thread/score"
	"pressroom/internal/web/threadweb"
	"pressroom/model"
)

// threads returns which stories belong together.
func (n tableNames) threads(db model.DB, stories *story.Stories) (*thread.Threads, error) {
	return thread.New(db, stories, &thread.Options{Table: n.table(thread.Schema)})
}

// mountThreads puts threads on the pages and into the JSON, and has one process find them
// as stories come. Those who follow a thread hear of what comes into it.
func mountThreads(_ context.Context, w *wiring) error {
	threads := w.site.threads
	if w.set.Run.has(workerDuty) {
		f := thread.NewFollower(threads, w.finding.shelves...)
		if w.matcher != nil {
			f.Told = w.matcher.Threaded
		}
		w.background("threads", func(ctx context.Context) {
			again(ctx, w.log, "finding threads", func(ctx context.Context) error { return w.stories.Follow(ctx, f.Consumer()) })
		})
	}
	threadapi.Register(w.api, threads)
	return threadweb.Register(w.pages, threads, w.finding.load)
}

// threadLabel is what a subject that is followed is called: a thread by its name.
func (w *wiring) threadLabel(ctx context.Context, s follow.Subject) (string, error) {
	if s.Kind != follow.Thread {
		return s.Name, nil
	}
	v, err := w.site.threads.Get(ctx, s.Name)
	if err != nil {
		return "", err
	}
	return v.Name, nil
}

const threadsHelp = `Puts the stories of the folder into threads by rules, in an order of its own, and compares
them with threads.jsonl and singletons.jsonl, and printings of one report with duplicates.jsonl. It
prints what was right, wrong and missed, in pairs of stories; the shares of threads are
B-cubed. Stories that are right in several threads do not count. A bar is the least that a
measure must reach: --bar threads=0.9 --bar near-duplicates=0.97. The exit status is 1 if one
does not.`

// scoreThreads scores the rules for threads.
func scoreThreads(dir string) (*gold.Table, error) {
	set, err := score.Load(dir)
	if err != nil {
		return nil, err
	}
	return set.Score(set.Index(0), nil), nil
}
