package engine

import (
	"context"

	"pressroom/dynamo/attr"
)

// DeleteItem deletes the item with the key, if there is one.
func (e *Engine) DeleteItem(ctx context.Context, r *DeleteItem) (*WriteAnswer, error) {
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
	err = e.mutate(t, key, func(_ *shape, old attr.Item) (attr.Item, error) {
		return nil, r.decide(p, old, w)
	}, w.cost)
	if err != nil {
		return nil, err
	}
	return w.answer(e, key), nil
}

func (r *DeleteItem) fit(t *table, p *prepared) ([]byte, error) {
	s := t.shape.Load()
	key, err := t.checkKey(s, r.Key)
	if err != nil {
		return nil, err
	}
	return key, p.checkPaths(s)
}

func (r *DeleteItem) decide(p *prepared, old attr.Item, w *write) error {
	if err := p.met(old); err != nil {
		return err
	}
	w.note(old, nil)
	if w.returns == "ALL_OLD" && old != nil {
		w.out.Attributes = old.Clone()
	}
	return nil
}

func (r *DeleteItem) validate(l layer) (*prepared, error) {
	if err := l.unnamed(r.TableName); err != nil && r.Key != nil {
		return nil, err
	}
	var c checks
	c.capacity(r.ReturnConsumedCapacity)
	c.tableName(r.TableName)
	c.present("key", r.Key != nil || r.Invalid.Err != nil)
	c.logical(r.ConditionalOperator)
	r.checkExpected(&c)
	c.returnValues(r.ReturnValues)
	c.collections(r.ReturnCollections)
	c.onFailure(r.ReturnOnFailure)
	if err := c.err(); err != nil {
		return nil, err
	}
	if r.ReturnValues != "" && r.ReturnValues != "ALL_OLD" && r.ReturnValues != "NONE" {
		return nil, l.word(invalid("ReturnValues can only be ALL_OLD or NONE"))
	}
	given := r.parameters(nil, nil, false)
	given.Brief = l == listed
	if err := given.Check(); err != nil {
		return nil, l.word(err)
	}
	return r.prepareKeyed(l, r.Invalid.Err, nil, nil)
}
