package deliver

import (
	"context"
	"crypto/rand"
	"errors"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"pressroom/model"
)

// partition is who works on a part of the recipients. The owner counts the beat up
// while it is alive. No time is stored: a clock that is wrong, or jumps, can neither
// take a partition from its owner nor keep it from others.
type partition struct {
	Part  string `dynamodbav:"part"`
	Owner string `dynamodbav:"owner"`
	Beat  int64  `dynamodbav:"beat"`
}

// watched is what this process saw of others' partitions, by its own steady clock.
type watched struct {
	mu sync.Mutex
	at map[string]sight
}

type sight struct {
	owner string
	beat  int64
	since time.Time
}

// still reports whether the partition has looked the same for so long.
func (w *watched) still(p *partition, lease time.Duration) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if s, ok := w.at[p.Part]; ok && s.owner == p.Owner && s.beat == p.Beat {
		return time.Since(s.since) >= lease
	}
	w.at[p.Part] = sight{p.Owner, p.Beat, time.Now()}
	return false
}

// hold does the work as the one process that has the part. It reports false if another
// has it. The work's context ends when the part is lost.
func (l *Ledger) hold(ctx context.Context, part string, work func(context.Context) error) (bool, error) {
	key := model.Values{"part": part}
	p, err := l.partitions.Get(ctx, key)
	if err != nil && !errors.Is(err, model.ErrNotFound) {
		return false, err
	}
	p.Part = part
	if p.Owner != "" && !l.watched.still(&p, l.o.Lease) {
		return false, nil
	}
	taken := time.Now()
	owner, beat := expression.Name("owner"), expression.Name("beat")
	free := owner.AttributeNotExists()
	if p.Owner != "" {
		free = owner.Equal(expression.Value(p.Owner)).And(beat.Equal(expression.Value(p.Beat)))
	}
	me := rand.Text() // another each time: nobody is taken for who it was before
	next := expression.Add(beat, expression.Value(1))
	_, err = l.partitions.Upsert(ctx, key, next.Set(owner, expression.Value(me)), free)
	if errors.Is(err, model.ErrCondition) || errors.Is(err, model.ErrNotFound) {
		return false, nil // another was faster
	}
	if err != nil {
		return false, err
	}
	mine := owner.Equal(expression.Value(me))
	h := model.Holding{For: l.o.Lease, Left: l.o.Lease - time.Since(taken), Extend: func(ctx context.Context) error {
		_, err := l.partitions.Update(ctx, key, expression.Add(beat, expression.Value(1)), mine)
		return err
	}}
	err = model.Hold(ctx, h, work)
	// Others need not wait. If it cannot be said, they wait for the lease to run out.
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), l.o.Lease)
	defer cancel()
	_, ended := l.partitions.Update(ending, key, expression.Remove(owner), mine)
	if errors.Is(ended, model.ErrCondition) {
		ended = nil
	}
	return true, errors.Join(err, ended)
}
