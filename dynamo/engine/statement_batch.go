package engine

import (
	"context"
	"fmt"

	"pressroom/dynamo/partiql"
)

// maxBatchStatements is how many statements a batch may have.
const maxBatchStatements = 25

// BatchExecuteStatement runs up to 25 statements, all reads or all writes,
// each for itself: one that fails does not keep the others from being done.
func (e *Engine) BatchExecuteStatement(ctx context.Context, r *BatchExecuteStatement) (*BatchStatementAnswer, error) {
	if err := e.enter(ctx); err != nil {
		return nil, err
	}
	defer e.store.Leave()
	if err := r.validate(); err != nil {
		return nil, err
	}
	list := make([]*batchStatement, len(r.Statements))
	for i := range r.Statements {
		list[i] = e.prepareBatch(&r.Statements[i], CapacityLevel(r.ReturnConsumedCapacity))
	}
	if err := checkBatch(list); err != nil {
		return nil, err
	}
	out := new(BatchStatementAnswer)
	for _, s := range list {
		if s.err == nil {
			s.run(ctx, e)
		}
		out.Responses = append(out.Responses, s.response())
	}
	out.Capacity = batchCapacity(list)
	return out, nil
}

func (r *BatchExecuteStatement) validate() error {
	var c checks
	c.capacity(r.ReturnConsumedCapacity)
	checkStatements(&c, "statements", r.Statements, maxBatchStatements)
	return c.err()
}

func checkStatements(c *checks, at string, list []Statement, most int) {
	switch {
	case list == nil:
		c.present(at, false)
	case len(list) == 0:
		c.add("'[]'", at, "Member must have length greater than or equal to 1")
	case len(list) > most:
		c.add(fmt.Sprintf("'[%d statements]'", len(list)), at, fmt.Sprintf("Member must have length less than or equal to %d", most))
	}
	for i := range list {
		list[i].check(c, fmt.Sprintf("%s.%d.member.", at, i+1))
	}
}

// batchStatement is one statement of a batch on its way.
type batchStatement struct {
	s     *Statement
	bound *partiql.Bound
	t     *table
	key   []byte // of the row that it is about
	get   *GetItem
	level CapacityLevel
	out   StatementResponse
	cap   *Capacity
	err   error
}

// prepareBatch fits a statement to its table; its refusal is its own.
func (e *Engine) prepareBatch(s *Statement, level CapacityLevel) *batchStatement {
	b := &batchStatement{s: s, level: level}
	if b.err = s.Invalid.Err; b.err != nil {
		return b
	}
	if b.bound, b.t, b.err = e.bind(s, false); b.err != nil {
		return b
	}
	if b.bound.Kind == partiql.Select {
		b.get, b.key, b.err = lookup(b.bound, b.t, s, partiql.ErrBatchKey)
		return b
	}
	// The service takes ReturnValuesOnConditionCheckFailure in a batch, but answers
	// with no item.
	s.ReturnOnFailure = ""
	var p *statementWrite
	if p, b.err = prepareWrite(b.bound, b.t, s, new(write)); b.err == nil {
		b.key = p.rowKey
	}
	return b
}

// lookup makes a GetItem of a SELECT that names a whole key and nothing else.
func lookup(b *partiql.Bound, t *table, s *Statement, otherwise error) (*GetItem, []byte, error) {
	if b.Index != "" {
		return nil, nil, otherwise
	}
	shape := t.shape.Load()
	key, ok, err := b.Lookup(shape.key)
	if err != nil {
		return nil, nil, err
	}
	if !ok {
		return nil, nil, otherwise
	}
	row, err := t.checkKey(shape, key)
	if err != nil {
		return nil, nil, err
	}
	return &GetItem{TableName: &t.name, Key: key, ConsistentRead: s.ConsistentRead}, row, nil
}

// checkBatch refuses batches that mix reads and writes or name an item twice.
func checkBatch(list []*batchStatement) error {
	reads, writes := 0, 0
	seen := map[string]bool{}
	for _, b := range list {
		if b.bound == nil {
			continue
		}
		if b.bound.Kind.Write() {
			writes++
		} else {
			reads++
		}
		if b.key == nil {
			continue
		}
		if seen[string(b.key)] {
			return partiql.ErrBatchDuplicate
		}
		seen[string(b.key)] = true
	}
	if reads > 0 && writes > 0 {
		return partiql.ErrBatchMixed
	}
	return nil
}

func (b *batchStatement) run(ctx context.Context, e *Engine) {
	b.out.Table = b.t.name
	if b.get != nil {
		b.get.ReturnConsumedCapacity = string(b.level)
		var got *GetAnswer
		if got, b.err = e.getItem(ctx, b.get); b.err == nil {
			b.cap = got.Capacity
			if got.Item != nil {
				b.out.Item = b.bound.Project(got.Item)
			}
		}
		return
	}
	var w *write
	if w, b.err = e.writeStatement(b.bound, b.t, b.s, b.level); b.err == nil {
		b.out.Item, b.cap = w.out.Attributes, w.out.Capacity
	}
}

func (b *batchStatement) response() StatementResponse {
	if b.err == nil {
		return b.out
	}
	own, ok := AsError(b.err)
	if !ok {
		own = internalError("%v", b.err)
	}
	b.out.Err, b.out.Code = own, reasonCode(own.Type)
	if own.Type == NotFound {
		b.out.Code = "ResourceNotFound"
	}
	return b.out
}

// batchCapacity sums what the statements consumed, by table.
func batchCapacity(list []*batchStatement) []*Capacity {
	var out []*Capacity
	at := map[string]*Capacity{}
	for _, b := range list {
		if b.cap == nil {
			continue
		}
		c := at[b.cap.Table]
		if c == nil {
			c = &Capacity{Table: b.cap.Table}
			at[c.Table] = c
			out = append(out, c)
		}
		c.add(b.cap)
	}
	return out
}
