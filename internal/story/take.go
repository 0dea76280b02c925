package story

import (
	"context"
	"fmt"
	"time"

	"pressroom/model"
)

// taken says who sees to something that waits for a person.
type taken struct {
	Item string `dynamodbav:"item"`
	By   string `dynamodbav:"by"`
	At   string `dynamodbav:"at"`
	TTL  int64  `dynamodbav:"ttl"`
}

// takenFor is how long it is so: who goes home without a word does not keep others from
// it tomorrow.
const takenFor = 12 * time.Hour

// Take notes that a person sees to an item of review, whoever did before.
func (s *Stories) Take(ctx context.Context, item, by string) error {
	t := taken{Item: item, By: clip(by, nameMax), At: s.now(), TTL: s.o.Now().Add(takenFor).Unix()}
	if err := s.takes.Put(ctx, &t); err != nil {
		return fmt.Errorf("take %s: %w", item, err)
	}
	return nil
}

// Release ends that.
func (s *Stories) Release(ctx context.Context, item string) error {
	if err := s.takes.Delete(ctx, model.Values{"item": item}); err != nil {
		return fmt.Errorf("release %s: %w", item, err)
	}
	return nil
}

// Taken returns who sees to which items.
func (s *Stories) Taken(ctx context.Context) (map[string]string, error) {
	all := map[string]string{}
	for t, err := range s.takes.All(ctx, "Taken", nil) {
		if err != nil {
			return nil, fmt.Errorf("list what is taken: %w", err)
		}
		if s.o.Now().Unix() < t.TTL { // the store removes it a while later
			all[t.Item] = t.By
		}
	}
	return all, nil
}
