package engine

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"

	"pressroom/dynamo/attr"
	"pressroom/dynamo/expr"
)

// TransactGet reads up to 100 items as they are at one moment.
func (e *Engine) TransactGet(ctx context.Context, r *TransactGet) (*TransactGetAnswer, error) {
	if err := e.enter(ctx); err != nil {
		return nil, err
	}
	defer e.store.Leave()
	return e.transactGet(ctx, r)
}

func (e *Engine) transactGet(ctx context.Context, r *TransactGet) (*TransactGetAnswer, error) {
	projections, err := r.validate()
	if err != nil {
		return nil, err
	}
	gets, err := r.fit(e, projections)
	if err != nil {
		return nil, err
	}
	for _, g := range gets {
		note(ctx, partitionSlot(g.key))
	}
	snap := e.snapshot()
	defer func() { _ = snap.Close() }()
	out := &TransactGetAnswer{Items: make([]attr.Item, len(gets))}
	total := 0
	for i, g := range gets {
		found, err := e.read(snap, g.key)
		if err != nil {
			return nil, err
		}
		// Unlike in GetItem, an item with none of the attributes is none.
		out.Items[i] = nonEmpty(project(projections[i], found.item))
		g.size = found.size
		total += found.size
		found.close()
	}
	if total > maxTransaction {
		return nil, invalid("Transaction payload size cannot exceed 4MB. Payload Size: %d", total)
	}
	if CapacityLevel(r.ReturnConsumedCapacity).wanted() {
		out.Capacity = readCapacities(gets)
	}
	return out, nil
}

// snapshotGet is one item of a TransactGet.
type snapshotGet struct {
	action
	size int
}

func (r *TransactGet) fit(e *Engine, projections []*expr.Projection) ([]*snapshotGet, error) {
	gets := make([]*snapshotGet, len(r.Gets))
	seen := map[string]bool{}
	refused := false
	for i, g := range r.Gets {
		t, err := e.table(aws.ToString(g.TableName))
		if err != nil {
			return nil, err
		}
		gets[i] = &snapshotGet{action: action{change: change{t: t}}}
		if gets[i].key, gets[i].err = g.fit(t, projections[i]); gets[i].err != nil {
			if err := upfront(gets[i].err); err != nil {
				return nil, err
			}
			refused = true
			continue
		}
		if seen[string(gets[i].key)] {
			return nil, invalid("Transaction request cannot include multiple operations on one item")
		}
		seen[string(gets[i].key)] = true
	}
	if refused {
		actions := make([]*action, len(gets))
		for i, g := range gets {
			actions[i] = &g.action
		}
		return nil, cancelled(actions)
	}
	return gets, nil
}

func readCapacities(gets []*snapshotGet) []*Capacity {
	var list []*Capacity
	at := map[*table]*Capacity{}
	for _, g := range gets {
		c := at[g.t]
		if c == nil {
			c = &Capacity{Table: g.t.name}
			at[g.t] = c
			list = append(list, c)
		}
		c.readBase(readUnits(g.size, true, true))
	}
	return list
}

func (r *TransactGet) validate() ([]*expr.Projection, error) {
	var c checks
	c.capacity(r.ReturnConsumedCapacity)
	checkActions(&c, len(r.Gets), r.Gets != nil)
	for i, g := range r.Gets {
		if g != nil {
			c.tableNameAt(fmt.Sprintf("transactItems.%d.member.get.tableName", i+1), g.TableName)
		}
	}
	if err := c.err(); err != nil {
		return nil, err
	}
	projections := make([]*expr.Projection, len(r.Gets))
	for i, g := range r.Gets {
		if g == nil {
			return nil, invalid("1 validation error detected: Value null at 'transactItems.%d.member.get' failed to satisfy constraint: Member must not be null", i+1)
		}
		var err error
		if projections[i], err = g.validate(older); err != nil {
			return nil, err
		}
	}
	return projections, nil
}
