package engine

import (
	"context"
	"slices"
	"strconv"

	"pressroom/dynamo/attr"
	"pressroom/dynamo/expr"
)

// maxBatchAnswer is how many bytes BatchGet answers; further keys come back
// unprocessed.
const maxBatchAnswer = 16 << 20

// BatchGet reads up to 100 items of any number of tables.
func (e *Engine) BatchGet(ctx context.Context, r *BatchGet) (*BatchGetAnswer, error) {
	if err := e.enter(ctx); err != nil {
		return nil, err
	}
	defer e.store.Leave()
	projections, err := r.validate()
	if err != nil {
		return nil, err
	}
	plans, err := r.plan(e, projections)
	if err != nil {
		return nil, err
	}
	out := new(BatchGetAnswer)
	left := maxBatchAnswer
	for _, p := range plans {
		if err := p.run(ctx, e, r, out, &left); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// getPlan is what is to be read from one table.
type getPlan struct {
	t          *table
	request    *BatchGetTable
	projection *expr.Projection
	keys       [][]byte
}

// plan resolves tables and keys, all of them before anything is read.
func (r *BatchGet) plan(e *Engine, projections []*expr.Projection) ([]getPlan, error) {
	plans := make([]getPlan, 0, len(r.Tables))
	for i := range r.Tables {
		b := &r.Tables[i]
		t, err := e.table(b.TableName)
		if err != nil {
			return nil, err
		}
		p := getPlan{t: t, request: b, projection: projections[i]}
		for _, k := range b.Keys {
			key, err := t.checkKey(t.shape.Load(), k)
			if err != nil {
				return nil, err
			}
			p.keys = append(p.keys, key)
		}
		if err := t.shape.Load().checkScalars(p.projection.Nested()); err != nil {
			return nil, err
		}
		plans = append(plans, p)
	}
	return plans, nil
}

func (p *getPlan) run(ctx context.Context, e *Engine, r *BatchGet, out *BatchGetAnswer, left *int) error {
	var units float64
	for i, key := range p.keys {
		if *left <= 0 {
			rest := *p.request
			rest.Keys = rest.Keys[i:]
			out.Unprocessed = append(out.Unprocessed, rest)
			break
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		note(ctx, partitionSlot(key))
		size, err := p.readOne(e, key, r.Emit)
		if err != nil {
			return err
		}
		*left -= size
		units += readUnits(size, p.request.ConsistentRead, false)
	}
	if CapacityLevel(r.ReturnConsumedCapacity).wanted() {
		c := &Capacity{Table: p.t.name}
		c.readBase(units)
		out.Capacity = append(out.Capacity, c)
	}
	return nil
}

func (p *getPlan) readOne(e *Engine, key []byte, emit func(string, attr.Item) error) (int, error) {
	found, err := e.read(e.db, key)
	if err != nil || found.item == nil {
		return 0, err
	}
	defer found.close()
	return found.size, emit(p.request.TableName, project(p.projection, found.item))
}

func (r *BatchGet) validate() ([]*expr.Projection, error) {
	var c checks
	if bad := slices.ContainsFunc(r.Tables, func(b BatchGetTable) bool { return !validTable(b.TableName) }); bad {
		c.add(quote(describeGets(r.Tables)), "requestItems", mapKeys)
	}
	c.capacity(r.ReturnConsumedCapacity)
	if err := c.err(); err != nil {
		return nil, err
	}
	if len(r.Tables) == 0 {
		return nil, invalid("The requestItems parameter is required for BatchGetItem")
	}
	for _, b := range r.Tables {
		at := "requestItems." + b.TableName + ".member."
		c.present(at+"keys", b.Keys != nil || b.Invalid.Err != nil)
		c.attributesToGet(b.AttributesToGet)
	}
	if err := c.err(); err != nil {
		return nil, err
	}
	return r.prepare()
}

// describeGets echoes a request's tables and keys as the service does.
func describeGets(tables []BatchGetTable) string {
	text := []byte{'{'}
	for i, t := range tables {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(strconv.AppendQuote(text, t.TableName), `:{"Keys":[`...)
		for j, key := range t.Keys {
			if j > 0 {
				text = append(text, ',')
			}
			text = attr.AppendItemJSON(text, key)
		}
		text = append(text, "]}"...)
	}
	return string(append(text, '}'))
}

// mixed reports that some tables have the older form of projection and others
// the newer, which together are refused.
func (r *BatchGet) mixed() bool {
	older, newer := false, false
	for i := range r.Tables {
		older = older || r.Tables[i].AttributesToGet != nil
		newer = newer || r.Tables[i].ProjectionExpression != nil
	}
	return older && newer
}

// duplicates reports whether two keys are the same; their stored form is one
// for each key.
func duplicates(keys []attr.Item) bool {
	seen := make(map[string]bool, len(keys))
	for _, k := range keys {
		if seen[string(k)] {
			return true
		}
		seen[string(k)] = true
	}
	return false
}

func (r *BatchGet) prepare() ([]*expr.Projection, error) {
	if r.mixed() {
		return nil, invalid("Can not use both expression and non-expression parameters in the same request: Non-expression parameters: {AttributesToGet} Expression parameters: {ProjectionExpression}")
	}
	var projections []*expr.Projection
	total := 0
	for i := range r.Tables {
		b := &r.Tables[i]
		switch {
		case len(b.Keys) == 0 && b.Invalid.Err == nil:
			return nil, invalid("1 validation error detected: Value at 'RequestItems.%s.member.Keys' failed to satisfy constraint: Member must have length greater than or equal to 1", b.TableName)
		case len(b.Keys) > 100:
			return nil, invalid("1 validation error detected: Value at 'RequestItems.%s.member.Keys' failed to satisfy constraint: Member must have length less than or equal to 100", b.TableName)
		}
		p, err := b.Projected.prepare(newer.value(b.Invalid.Err))
		if err != nil {
			return nil, err
		}
		projections = append(projections, p)
		if duplicates(b.Keys) {
			return nil, invalid("Provided list of item keys contains duplicates")
		}
		if total += len(b.Keys); total > 100 {
			return nil, invalid("Too many items requested for the BatchGetItem call")
		}
	}
	return projections, nil
}
