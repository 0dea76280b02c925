package engine

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"

	"pressroom/dynamo/attr"
	"pressroom/dynamo/expr"
)

// prepare validates the action without its table. Its fault, if any, is the
// whole request's.
func (a *TransactAction) prepare(level CapacityLevel) (*action, error) {
	out := new(action)
	if level.wanted() {
		out.cost = &writeCost{transaction: true}
	}
	r, w := a.write(), &write{cost: out.cost}
	p, err := r.validate(older)
	out.prepared = p
	out.decide = func(s *shape, old attr.Item) (attr.Item, error) { return r.decide(s, p, old, w) }
	return out, err
}

// write is the one action that is given.
func (a *TransactAction) write() itemWrite {
	switch {
	case a.Put != nil:
		return a.Put
	case a.Delete != nil:
		return a.Delete
	case a.Update != nil:
		return a.Update
	}
	return a.Check
}

func (c *ConditionCheck) decide(_ *shape, p *prepared, old attr.Item, w *write) (attr.Item, error) {
	w.note(old, old)
	return old, p.met(old)
}

func (c *ConditionCheck) validate(l layer) (*prepared, error) {
	var k checks
	k.tableName(c.TableName)
	k.present("key", c.Key != nil || c.Invalid.Err != nil)
	k.present("conditionExpression", c.ConditionExpression != nil)
	k.onFailure(c.ReturnOnFailure)
	if err := k.err(); err != nil {
		return nil, err
	}
	if err := c.parameters(nil, nil, false).Check(); err != nil {
		return nil, err
	}
	return c.prepareKeyed(l, c.Invalid.Err, nil, nil)
}

// fit resolves the action's table and key. A table that is not there or an
// empty key fails the request; a key that does not fit cancels the
// transaction.
func (a *TransactAction) fit(e *Engine, out *action) error {
	r := a.write()
	t, err := e.table(r.tableName())
	if err != nil {
		return err
	}
	out.t = t
	out.key, out.err = r.fit(t, out.prepared)
	return upfront(out.err)
}

// upfront returns an action's fault that is the whole transaction's.
func upfront(err error) error {
	if own, ok := AsError(err); ok && own.upfront {
		return own
	}
	return nil
}

// fingerprint is a digest of what the request means: two requests that
// differ in the order of their JSON alone have the same.
func (r *TransactWrite) fingerprint() []byte {
	h := digest{sha256.New()}
	for _, a := range r.Actions {
		h.text(a.write().tableName())
		switch {
		case a.Put != nil:
			h.part('P', a.Put.Item)
			h.conditional(&a.Put.Conditional)
		case a.Delete != nil:
			h.part('D', a.Delete.Key)
			h.conditional(&a.Delete.Conditional)
		case a.Update != nil:
			h.part('U', a.Update.Key)
			h.text(aws.ToString(a.Update.UpdateExpression))
			h.conditional(&a.Update.Conditional)
		default:
			h.part('C', a.Check.Key)
			h.conditional(&a.Check.Conditional)
		}
	}
	return h.Sum(nil)
}

// digest hashes parts so that their borders count.
type digest struct{ hash.Hash }

func (d digest) part(kind byte, b []byte) {
	d.Write(binary.AppendUvarint([]byte{kind}, uint64(len(b))))
	d.Write(b)
}

func (d digest) text(s string) { d.part('t', []byte(s)) }

func (d digest) conditional(c *Conditional) {
	d.text(aws.ToString(c.ConditionExpression))
	d.text(c.ReturnOnFailure)
	d.placeholders(&c.Placeholders)
}

func (d digest) placeholders(p *expr.Placeholders) {
	for _, k := range slices.Sorted(maps.Keys(p.Names)) {
		d.text(k)
		d.text(p.Names[k])
	}
	for _, k := range slices.Sorted(maps.Keys(p.Values)) {
		d.text(k)
		d.part('v', p.Values[k])
	}
}
