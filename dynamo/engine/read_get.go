package engine

import (
	"context"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"pressroom/dynamo/attr"
	"pressroom/dynamo/expr"
)

// GetItem reads one item.
func (e *Engine) GetItem(ctx context.Context, r *GetItem) (*GetAnswer, error) {
	if err := e.enter(ctx); err != nil {
		return nil, err
	}
	defer e.store.Leave()
	return e.getItem(ctx, r)
}

func (e *Engine) getItem(ctx context.Context, r *GetItem) (*GetAnswer, error) {
	out := new(GetAnswer)
	err := e.viewItem(ctx, r, func(it attr.Item, capacity *Capacity) error {
		out.Item, out.Capacity = cloneItem(it), capacity
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// ViewItem reads one item and shows it, or nil, to view without copying it:
// it is valid only during the call.
func (e *Engine) ViewItem(ctx context.Context, r *GetItem, view func(attr.Item, *Capacity) error) error {
	if err := e.enter(ctx); err != nil {
		return err
	}
	defer e.store.Leave()
	return e.viewItem(ctx, r, view)
}

func (e *Engine) viewItem(ctx context.Context, r *GetItem, view func(attr.Item, *Capacity) error) error {
	projection, err := r.validate(newer)
	if err != nil {
		return err
	}
	t, err := e.table(*r.TableName)
	if err != nil {
		return err
	}
	key, err := r.fit(t, projection)
	if err != nil {
		return err
	}
	note(ctx, partitionSlot(key))
	found, err := e.read(e.db, key)
	if err != nil {
		return err
	}
	defer found.close()
	var capacity *Capacity
	if CapacityLevel(r.ReturnConsumedCapacity).wanted() {
		capacity = &Capacity{Table: t.name}
		capacity.readBase(readUnits(found.size, r.ConsistentRead, false))
	}
	return view(project(projection, found.item), capacity)
}

func project(p *expr.Projection, it attr.Item) attr.Item {
	if it == nil || p == nil {
		return it
	}
	out := p.Apply(it)
	if out == nil {
		out = attr.Item{} // there, with none of the attributes
	}
	return out
}

func (c *Capacity) readBase(units float64) {
	c.Base.Read += units
	c.Read += units
}

func (r *GetItem) fit(t *table, p *expr.Projection) ([]byte, error) {
	s := t.shape.Load()
	key, err := t.checkKey(s, r.Key)
	if err != nil {
		return nil, err
	}
	return key, s.checkScalars(p.Nested())
}

// checkScalars refuses looking inside attributes that are keys, of the table
// or of any index.
func (s *shape) checkScalars(nested []string) error {
	for _, name := range nested {
		of := "Key"
		if !isKey(s.key, name) {
			if !slices.ContainsFunc(s.indexes, func(ix *index) bool { return isKey(ix.key, name) }) {
				continue
			}
			of = "IndexKey"
		}
		return invalid("Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: %s: %s", of, name)
	}
	return nil
}

func (r *GetItem) validate(l layer) (*expr.Projection, error) {
	var c checks
	c.capacity(r.ReturnConsumedCapacity)
	c.tableName(r.TableName)
	c.present("key", r.Key != nil || r.Invalid.Err != nil)
	c.attributesToGet(r.AttributesToGet)
	if err := c.err(); err != nil {
		return nil, err
	}
	return r.prepare(l.value(r.Invalid.Err))
}

// prepare parses the projection of a read that has no other expression.
func (p *Projected) prepare(value error) (*expr.Projection, error) {
	given := expr.Parameters{
		Expressions: []expr.Parameter{{Name: "ProjectionExpression", Given: p.ProjectionExpression != nil}},
		Legacy:      []expr.Parameter{{Name: "AttributesToGet", Given: p.AttributesToGet != nil}},
		Names:       p.Placeholders.Names != nil,
	}
	if err := given.Check(); err != nil {
		return nil, err
	}
	if value != nil {
		return nil, value
	}
	if p.AttributesToGet != nil {
		return expr.FromAttributesToGet(p.AttributesToGet)
	}
	if p.ProjectionExpression == nil {
		return nil, nil
	}
	env, err := expr.NewEnv(p.Placeholders)
	if err != nil {
		return nil, err
	}
	projection, err := expr.ParseProjection(*p.ProjectionExpression, env)
	if err != nil {
		return nil, err
	}
	return projection, env.CheckUsed()
}

// snapshot returns a view of one moment.
func (e *Engine) snapshot() *pebble.Snapshot { return e.db.NewSnapshot() }
