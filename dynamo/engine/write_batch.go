package engine

import (
	"context"

	"pressroom/dynamo/attr"
)

// BatchWrite puts and deletes up to 25 items. They share one batch and one
// sync, so that, other than DynamoDB promises, all of them are written or
// none.
func (e *Engine) BatchWrite(ctx context.Context, r *BatchWrite) (*BatchWriteAnswer, error) {
	if err := e.enter(ctx); err != nil {
		return nil, err
	}
	defer e.store.Leave()
	if err := r.validate(); err != nil {
		return nil, err
	}
	actions, err := r.plan(e)
	if err != nil {
		return nil, err
	}
	if err := e.mutateAll(actions, nil, nil); err != nil {
		return nil, firstRefusal(actions, err)
	}
	return r.answer(e, actions), nil
}

// firstRefusal returns the refusal of the first action that has one.
func firstRefusal(actions []*action, err error) error {
	for _, a := range actions {
		if a.err != nil {
			return a.err
		}
	}
	return err
}

func (r *BatchWrite) plan(e *Engine) ([]*action, error) {
	var actions []*action
	for _, b := range r.Tables {
		t, err := e.table(b.TableName)
		if err != nil {
			return nil, err
		}
		seen := make(map[string]bool, len(b.Writes))
		for i := range b.Writes {
			a, err := b.Writes[i].action(t, CapacityLevel(r.ReturnConsumedCapacity))
			if err != nil {
				return nil, err
			}
			if seen[string(a.key)] {
				return nil, invalid("Provided list of item keys contains duplicates")
			}
			seen[string(a.key)] = true
			actions = append(actions, a)
		}
	}
	return actions, nil
}

func (w *BatchWriteItem) action(t *table, level CapacityLevel) (*action, error) {
	a := &action{change: change{t: t}}
	if level.wanted() {
		a.cost = &writeCost{}
	}
	s := t.shape.Load()
	if w.Item == nil {
		key, err := t.checkKey(s, w.Key)
		if err != nil {
			return nil, err
		}
		a.key = key
		a.decide = func(_ *shape, old attr.Item) (attr.Item, error) {
			a.cost.item(sizeOf(old), 0)
			return nil, nil
		}
		return a, nil
	}
	if !s.keyed(w.Item) { // words of its own, which differ from PutItem's
		return nil, errKeySchema
	}
	if err := t.checkItem(s, w.Item); err != nil {
		return nil, err
	}
	a.key = t.rowKey(nil, s, w.Item)
	a.decide = func(s *shape, old attr.Item) (attr.Item, error) {
		a.cost.item(sizeOf(old), sizeOf(w.Item))
		return w.Item, checkIndexKeys(s, w.Item, nil, nil)
	}
	return a, nil
}

func (r *BatchWrite) answer(e *Engine, actions []*action) *BatchWriteAnswer {
	out := &BatchWriteAnswer{Capacity: capacities(actions)}
	if r.ReturnCollections == "SIZE" {
		out.Collections = e.collections(actions)
	}
	return out
}

// capacities sums the costs of the actions by table, in order of appearance.
func capacities(actions []*action) []*Capacity {
	var list []*Capacity
	at := map[*table]*Capacity{}
	for _, a := range actions {
		if a.cost == nil {
			continue
		}
		c := at[a.t]
		if c == nil {
			c = &Capacity{Table: a.t.name}
			at[a.t] = c
			list = append(list, c)
		}
		a.cost.addTo(c)
	}
	return list
}

// collections returns the metrics of each item collection that was touched.
func (e *Engine) collections(actions []*action) map[string][]*Collection {
	out := map[string][]*Collection{}
	seen := map[string]bool{}
	for _, a := range actions {
		c := e.collection(a.t, a.key)
		if c == nil || seen[a.t.name+string(c.Key)] {
			continue
		}
		seen[a.t.name+string(c.Key)] = true
		out[a.t.name] = append(out[a.t.name], c)
	}
	return out
}

func (r *BatchWrite) validate() error {
	var c checks
	c.capacity(r.ReturnConsumedCapacity)
	c.collections(r.ReturnCollections)
	if err := c.err(); err != nil {
		return err
	}
	if len(r.Tables) == 0 {
		return invalid("The requestItems parameter is required for BatchWriteItem")
	}
	total := 0
	for _, b := range r.Tables {
		if !validTable(b.TableName) {
			c.add("'{"+b.TableName+"=["+describeWrites(b.Writes)+"]}'", "requestItems", mapKeys)
		}
		if n := len(b.Writes); n < 1 || n > 25 {
			c.add("'{"+b.TableName+"=["+describeWrites(b.Writes)+"]}'", "requestItems",
				"Map value must satisfy constraint: [Member must have length less than or equal to 25, Member must have length greater than or equal to 1]")
		}
		total += len(b.Writes)
	}
	if err := c.err(); err != nil {
		return err
	}
	if total > 25 {
		return invalid("Too many items requested for the BatchWriteItem call")
	}
	return r.validateItems()
}

func (r *BatchWrite) validateItems() error {
	for _, b := range r.Tables {
		for i := range b.Writes {
			w := &b.Writes[i]
			if w.Invalid.Err != nil {
				return w.Invalid.Err
			}
			if w.Both || w.Item == nil && w.Key == nil {
				return invalid("Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes")
			}
			if w.Item != nil && w.Item.Size() > MaxItemSize {
				return invalid("Item size has exceeded the maximum allowed size")
			}
		}
	}
	return nil
}

// describeWrites stands in for the dump of the request that the service
// echoes, whose form its clients do not rely on.
func describeWrites(writes []BatchWriteItem) string {
	var text []byte
	for i := range writes {
		if i > 0 {
			text = append(text, ", "...)
		}
		if w := &writes[i]; w.Item != nil {
			text = append(text, "WriteRequest(putRequest=PutRequest(item="...)
			text = append(describeItem(text, w.Item), "))"...)
		} else {
			text = append(text, "WriteRequest(deleteRequest=DeleteRequest(key="...)
			text = append(describeItem(text, w.Key), "))"...)
		}
	}
	return string(text)
}

func describeItem(text []byte, it attr.Item) []byte {
	text = append(text, '{')
	first := true
	for name, v := range it.All() {
		if !first {
			text = append(text, ", "...)
		}
		first = false
		text = attr.AppendJSON(append(append(text, name...), '='), v)
	}
	return append(text, '}')
}
