package lexicon

import (
	"context"
	"errors"
	"hash/fnv"
	"strconv"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"pressroom/model"
)

// uses are how often a term was searched for, translated and voted for.
type uses struct{ searches, translations, votes int }

func (u uses) add(v uses) uses {
	return uses{u.searches + v.searches, u.translations + v.translations, u.votes + v.votes}
}

// weight is what uses are worth in a trend: what takes more trouble counts more.
func (u uses) weight() float64 {
	return float64(u.searches) + 2*float64(u.translations) + 3*float64(u.votes)
}

type useKey struct{ day, slug string }

// counter holds the uses that are not written yet. Counting is a map in memory, so
// that a popular term is no hot key; many uses are written at once, and spread
// over shards.
type counter struct {
	mu   sync.Mutex
	uses map[useKey]uses
}

func (d *Desk) count(slug string, u uses) {
	key := useKey{d.day(d.o.Now()), slug}
	d.counts.mu.Lock()
	d.counts.uses[key] = d.counts.uses[key].add(u)
	d.counts.mu.Unlock()
}

// CountSearch counts that someone searched for a term. It is written with the next
// FlushCounts; what a process that dies has not written is not counted.
func (d *Desk) CountSearch(slug string) { d.count(slug, uses{searches: 1}) }

func (d *Desk) countTranslation(applied []Applied) {
	seen := map[string]bool{}
	for _, a := range applied {
		if !seen[a.Slug] {
			seen[a.Slug] = true
			d.count(a.Slug, uses{translations: 1})
		}
	}
}

const (
	tallyShards = 16
	tallyKept   = 30 * 24 * time.Hour
)

type tally struct {
	Day          string `dynamodbav:"day"`
	Shard        string `dynamodbav:"shard"`
	Slug         string `dynamodbav:"slug"`
	Searches     int    `dynamodbav:"searches"`
	Translations int    `dynamodbav:"translations"`
	Votes        int    `dynamodbav:"votes"`
	TTL          int64  `dynamodbav:"ttl"`
}

// shardOf spreads the terms of a day over partitions.
func shardOf(slug string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(slug)) // never fails
	return strconv.Itoa(int(h.Sum32() % tallyShards))
}

// FlushCounts writes what was counted since the last time. What cannot be written
// is kept for the next time.
func (d *Desk) FlushCounts(ctx context.Context) error {
	d.counts.mu.Lock()
	counted := d.counts.uses
	d.counts.uses = map[useKey]uses{}
	d.counts.mu.Unlock()
	var failed []error
	for key, u := range counted {
		if err := d.writeCount(ctx, key, u); err != nil {
			failed = append(failed, err)
			d.counts.mu.Lock()
			d.counts.uses[key] = d.counts.uses[key].add(u)
			d.counts.mu.Unlock()
		}
	}
	if len(failed) > 0 {
		return failure(errors.Join(failed[:min(3, len(failed))]...))
	}
	return nil
}

func (d *Desk) writeCount(ctx context.Context, key useKey, u uses) error {
	update := expression.Set(expression.Name("ttl"), expression.Value(d.o.Now().Add(tallyKept).Unix())).
		Add(expression.Name("searches"), expression.Value(u.searches)).
		Add(expression.Name("translations"), expression.Value(u.translations)).
		Add(expression.Name("votes"), expression.Value(u.votes))
	_, err := d.tallies.Upsert(ctx, model.Values{"day": key.day, "shard": shardOf(key.slug), "slug": key.slug}, update)
	return err
}

// countsOf returns all uses of a day by term.
func (d *Desk) countsOf(ctx context.Context, day string) (map[string]uses, error) {
	all := map[string]uses{}
	for shard := range tallyShards {
		args := model.Values{"day": day, "shard": strconv.Itoa(shard)}
		for t, err := range d.tallies.All(ctx, "TallyOfDay", args) {
			if err != nil {
				return nil, failure(err)
			}
			all[t.Slug] = all[t.Slug].add(uses{t.Searches, t.Translations, t.Votes})
		}
	}
	return all, nil
}
