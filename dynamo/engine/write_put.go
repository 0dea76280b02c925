package engine

import (
	"context"

	"pressroom/dynamo/attr"
)

// PutItem puts an item in the place of the one with its key, if any.
func (e *Engine) PutItem(ctx context.Context, r *PutItem) (*WriteAnswer, error) {
	if err := e.enter(ctx); err != nil {
		return nil, err
	}
	defer e.store.Leave()
	p, err := r.validate(r.layer(r.Invalid.Err))
	if err != nil {
		return nil, err
	}
	t, err := e.table(*r.TableName)
	if err != nil {
		return nil, err
	}
	key, err := r.fit(t, p)
	if err != nil {
		return nil, err
	}
	w := e.newWrite(t, &r.Conditional)
	err = e.mutate(t, key, func(s *shape, old attr.Item) (attr.Item, error) {
		return r.decide(s, p, old, w)
	}, w.cost)
	if err != nil {
		return nil, err
	}
	return w.answer(e, key), nil
}

// fit checks the item against the table and returns its row's key.
func (r *PutItem) fit(t *table, p *prepared) ([]byte, error) {
	s := t.shape.Load()
	if err := t.checkItem(s, r.Item); err != nil {
		return nil, err
	}
	if err := p.checkPaths(s); err != nil {
		return nil, err
	}
	return t.rowKey(make([]byte, 0, 96), s, r.Item), nil
}

func (r *PutItem) decide(s *shape, p *prepared, old attr.Item, w *write) (attr.Item, error) {
	// An index may have come since fit looked.
	if err := checkIndexKeys(s, r.Item, nil); err != nil {
		return nil, err
	}
	if err := p.met(old); err != nil {
		return nil, err
	}
	w.note(old, r.Item)
	if w.returns == "ALL_OLD" && old != nil {
		w.out.Attributes = old.Clone()
	}
	return r.Item, nil
}
