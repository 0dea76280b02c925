package engine

import (
	"context"

	"pressroom/dynamo/attr"
)

// DeleteItem deletes the item with the key, if there is one.
func (e *Engine) DeleteItem(ctx context.Context, r *DeleteItem) (*WriteAnswer, error) {
	return e.writeItem(ctx, r.TableName, &r.Conditional, r.layer(r.Invalid.Err), r.validate, r.fit, r.decide)
}

func (r *DeleteItem) decide(_ *shape, p *prepared, old attr.Item, w *write) (attr.Item, error) {
	if err := p.met(old); err != nil {
		return nil, err
	}
	w.note(old, nil)
	if w.returns == "ALL_OLD" && old != nil {
		w.out.Attributes = old.Clone()
	}
	return nil, nil
}

func (r *DeleteItem) validate(l layer) (*prepared, error) {
	if err := l.unnamed(r.TableName); err != nil && r.Key != nil {
		return nil, err
	}
	if err := r.checkShape(r.TableName, "key", r.Key != nil || r.Invalid.Err != nil); err != nil {
		return nil, err
	}
	if err := r.checkReturns(l); err != nil {
		return nil, err
	}
	given := r.parameters(nil, nil, false)
	given.Brief = l == listed
	if err := given.Check(); err != nil {
		return nil, l.word(err)
	}
	return r.prepareKeyed(l, r.Invalid.Err, nil, nil)
}
