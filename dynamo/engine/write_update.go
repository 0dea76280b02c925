package engine

import (
	"context"

	"pressroom/dynamo/attr"
	"pressroom/dynamo/expr"
)

// UpdateItem changes the item with the key, or makes one of it.
func (e *Engine) UpdateItem(ctx context.Context, r *UpdateItem) (*WriteAnswer, error) {
	return e.writeItem(ctx, r.TableName, &r.Conditional, r.layer(r.Invalid.Err), r.validate, r.fit, r.decide)
}

func (r *UpdateItem) fit(t *table, p *prepared) ([]byte, error) {
	s := t.shape.Load()
	for _, name := range p.update.Attributes() {
		if isKey(s.key, name) {
			return nil, invalid("One or more parameter values were invalid: Cannot update attribute %s. This attribute is part of the key", name)
		}
	}
	key, err := t.checkKey(s, r.Key)
	if err != nil {
		return nil, err
	}
	if err := checkIndexUpdate(s, p.update); err != nil {
		return nil, err
	}
	if err := p.checkPaths(s); err != nil {
		return nil, err
	}
	if p.charge > MaxItemSize {
		return nil, errGrown
	}
	return key, nil
}

func (r *UpdateItem) decide(s *shape, p *prepared, old attr.Item, w *write) (attr.Item, error) {
	if err := p.met(old); err != nil {
		return nil, err
	}
	from := old
	if from == nil {
		from = r.Key
	}
	if old == nil && p.update != nil && !p.update.Creates() {
		w.note(nil, nil)
		return nil, nil
	}
	if p.update == nil {
		w.note(old, from)
		return from, w.updated(old, from, nil)
	}
	next, touched, err := p.update.Apply(from)
	if err != nil {
		return nil, err
	}
	if err := checkUpdated(s, next, old, p.update); err != nil {
		return nil, err
	}
	w.note(old, next)
	return next, w.updated(old, next, &touched)
}

var errGrown = invalid("Item size to update has exceeded the maximum allowed size")

// checkUpdated refuses an item that the table cannot hold, though each part
// of the update was in order.
func checkUpdated(s *shape, next, old attr.Item, u *expr.Update) error {
	if err := checkIndexKeys(s, next, old, u); err != nil {
		return err
	}
	if next.Size() > MaxItemSize {
		return errGrown
	}
	return attr.CheckNesting(next)
}

func (r *UpdateItem) validate(l layer) (*prepared, error) {
	if err := l.unnamed(r.TableName); err != nil && r.Key != nil {
		return nil, err
	}
	var c checks
	c.capacity(r.ReturnConsumedCapacity)
	c.tableName(r.TableName)
	c.collections(r.ReturnCollections)
	c.returnValues(r.ReturnValues)
	c.logical(r.ConditionalOperator)
	c.present("key", r.Key != nil || r.Invalid.Err != nil)
	r.checkExpected(&c)
	for _, u := range r.AttributeUpdates {
		c.enum("attributeUpdates."+u.Attribute+".member.action", u.Action, "ADD", "DELETE", "PUT")
	}
	c.onFailure(r.ReturnOnFailure)
	if err := c.err(); err != nil {
		return nil, err
	}
	if err := r.parameters(r.UpdateExpression, r.AttributeUpdates, true).Check(); err != nil {
		return nil, err
	}
	p, err := r.prepareKeyed(l, r.Invalid.Err, r.UpdateExpression, r.AttributeUpdates)
	if err == nil && r.UpdateExpression != nil && l != older {
		p.charge = p.update.Charge() // a transaction does not ask
	}
	return p, err
}
