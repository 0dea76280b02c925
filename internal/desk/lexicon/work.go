package lexicon

import (
	"context"
	"time"
)

// The times between two looks of the background work.
const (
	flushEvery    = 10 * time.Second
	validateEvery = 5 * time.Second
	trendsEvery   = 15 * time.Minute
	validateBatch = 10
)

// Run does the desk's work in the background until ctx ends: judges submissions,
// writes counts and brings days that are over into the trends. Any number of
// processes may run it. What fails is logged and tried again at the next look. At
// the end it writes what is still counted in memory.
func (d *Desk) Run(ctx context.Context) {
	flush, validate, trends := time.NewTicker(flushEvery), time.NewTicker(validateEvery), time.NewTicker(trendsEvery)
	defer flush.Stop()
	defer validate.Stop()
	defer trends.Stop()
	d.attempt(ctx, "trends", d.runTrends)
	for {
		select {
		case <-ctx.Done():
			d.lastCounts(ctx)
			return
		case <-flush.C:
			d.attempt(ctx, "counts", d.FlushCounts)
		case <-validate.C:
			d.attempt(ctx, "validation", d.runValidation)
		case <-trends.C:
			d.attempt(ctx, "trends", d.runTrends)
		}
	}
}

// KeepCounts writes what this process counts, again and again until ctx ends and
// once more then. It is for processes in which others do the rest of what Run does.
func (d *Desk) KeepCounts(ctx context.Context) {
	flush := time.NewTicker(flushEvery)
	defer flush.Stop()
	for {
		select {
		case <-ctx.Done():
			d.lastCounts(ctx)
			return
		case <-flush.C:
			d.attempt(ctx, "counts", d.FlushCounts)
		}
	}
}

// lastCounts writes what is still counted in memory, after the end of ctx.
func (d *Desk) lastCounts(ctx context.Context) {
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	d.attempt(end, "counts", d.FlushCounts)
}

func (d *Desk) runTrends(ctx context.Context) error {
	_, err := d.RunTrends(ctx)
	return err
}

func (d *Desk) runValidation(ctx context.Context) error {
	_, err := d.Validate(ctx, validateBatch)
	return err
}

func (d *Desk) attempt(ctx context.Context, what string, work func(context.Context) error) {
	if err := work(ctx); err != nil && ctx.Err() == nil {
		d.log.Warn("work in the background failed", "desk", "lexicon", "what", what, "error", err)
	}
}
