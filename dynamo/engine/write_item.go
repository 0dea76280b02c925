package engine

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"

	"pressroom/dynamo/attr"
)

// itemWrite is a write of one item, on its own or in a transaction: PutItem,
// DeleteItem, UpdateItem or ConditionCheck, which changes nothing.
type itemWrite interface {
	tableName() string
	// validate checks what can be checked without the table, in the words of l.
	validate(l layer) (*prepared, error)
	// fit checks the request against the table and returns its row's key.
	fit(t *table, p *prepared) ([]byte, error)
	// decide is the write's [decision]; it fills in w what is to be answered.
	decide(s *shape, p *prepared, old attr.Item, w *write) (attr.Item, error)
}

// writeItem makes a write on its own by the methods of its itemWrite. They come
// one by one since a request in an interface would have to be on the heap.
func (e *Engine) writeItem(
	ctx context.Context, tableName *string, c *Conditional, l layer,
	validate func(layer) (*prepared, error),
	fit func(*table, *prepared) ([]byte, error),
	decide func(*shape, *prepared, attr.Item, *write) (attr.Item, error),
) (*WriteAnswer, error) {
	if err := e.enter(ctx); err != nil {
		return nil, err
	}
	defer e.store.Leave()
	p, err := validate(l)
	if err != nil {
		return nil, err
	}
	t, err := e.table(*tableName)
	if err != nil {
		return nil, err
	}
	key, err := fit(t, p)
	if err != nil {
		return nil, err
	}
	w := e.newWrite(t, c)
	err = e.mutate(t, key, func(s *shape, old attr.Item) (attr.Item, error) {
		return decide(s, p, old, w)
	}, w.cost)
	if err != nil {
		return nil, err
	}
	return w.answer(e, key), nil
}

func (k *Keyed) tableName() string { return aws.ToString(k.TableName) }

func (k *Keyed) fit(t *table, p *prepared) ([]byte, error) {
	s := t.shape.Load()
	key, err := t.checkKey(s, k.Key)
	if err != nil {
		return nil, err
	}
	return key, p.checkPaths(s)
}
