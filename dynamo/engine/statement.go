package engine

import (
	"context"
	"errors"
	"strconv"

	"pressroom/dynamo/attr"
	"pressroom/dynamo/expr"
	"pressroom/dynamo/partiql"
)

// ExecuteStatement runs one PartiQL statement.
func (e *Engine) ExecuteStatement(ctx context.Context, r *ExecuteStatement) (*StatementAnswer, error) {
	if err := e.enter(ctx); err != nil {
		return nil, err
	}
	defer e.store.Leave()
	if err := r.validate(); err != nil {
		return nil, err
	}
	b, t, err := e.bind(&r.Statement, false)
	if err != nil {
		return nil, err
	}
	if b.Kind == partiql.Select {
		return e.selectItems(ctx, r, b, t)
	}
	w, err := e.writeStatement(b, t, &r.Statement, CapacityLevel(r.ReturnConsumedCapacity))
	if err != nil {
		return nil, err
	}
	if w.out.Attributes != nil && r.Emit != nil {
		if err := r.Emit(w.out.Attributes); err != nil {
			return nil, err
		}
	}
	return &StatementAnswer{Capacity: w.out.Capacity}, nil
}

func (r *ExecuteStatement) validate() error {
	var c checks
	r.Statement.check(&c, "")
	c.atLeast("limit", r.Limit, 1)
	c.capacity(r.ReturnConsumedCapacity)
	if err := c.err(); err != nil {
		return err
	}
	return r.Invalid.Err
}

// check checks a statement's shape; at is the path of its place in a list.
func (s *Statement) check(c *checks, at string) {
	switch {
	case s.Statement == nil:
		c.present(at+"statement", false)
	case *s.Statement == "":
		c.add("''", at+"statement", "Member must have length greater than or equal to 1")
	case len(*s.Statement) > partiql.MaxStatement:
		c.add(quote(*s.Statement), at+"statement", "Member must have length less than or equal to "+strconv.Itoa(partiql.MaxStatement))
	}
	if s.Parameters != nil && len(s.Parameters) == 0 && s.Invalid.Err == nil {
		c.add("'[]'", at+"parameters", "Member must have length greater than or equal to 1")
	}
	c.enum(at+"returnValuesOnConditionCheckFailure", s.ReturnOnFailure, "ALL_OLD", "NONE")
}

// bind parses a statement and finds its table. That the table is missing is
// said only when the statement itself is in order.
func (e *Engine) bind(s *Statement, transaction bool) (*partiql.Bound, *table, error) {
	st, err := partiql.Parse(*s.Statement)
	if err != nil {
		return nil, nil, err
	}
	if st.Kind == partiql.Exists && !transaction {
		return nil, nil, partiql.ErrExists
	}
	t, missing := e.table(st.Table)
	if t != nil && st.Index != "" {
		if ix := t.shape.Load().index(st.Index); ix != nil && (len(ix.key.Partition) > 1 || len(ix.key.Sort) > 1) {
			return nil, nil, partiql.ErrMultiAttribute
		}
	}
	b, err := st.Bind(s.Parameters)
	if err != nil {
		return nil, nil, err
	}
	return b, t, missing
}

// statementWrite is an INSERT, UPDATE, DELETE or EXISTS, ready to be made.
type statementWrite struct {
	bound  *partiql.Bound
	target *partiql.Target
	rowKey []byte
	// onFailure answers a failed condition with the item.
	onFailure bool
	w         *write
}

// prepareWrite fits a writing statement to its table.
func prepareWrite(b *partiql.Bound, t *table, s *Statement, w *write) (*statementWrite, error) {
	shape := t.shape.Load()
	target, err := b.Target(shape.key)
	if err != nil {
		return nil, err
	}
	if b.Kind == partiql.Insert {
		if b.Item.Size() > MaxItemSize {
			return nil, invalid("Item size has exceeded the maximum allowed size")
		}
		if err := t.checkItem(shape, b.Item); err != nil {
			return nil, err
		}
	}
	key, err := t.checkKey(shape, target.Key)
	if err != nil {
		return nil, err
	}
	return &statementWrite{bound: b, target: target, rowKey: key, onFailure: s.ReturnOnFailure == "ALL_OLD", w: w}, nil
}

// writeStatement makes one writing statement's change.
func (e *Engine) writeStatement(b *partiql.Bound, t *table, s *Statement, level CapacityLevel) (*write, error) {
	w := e.newWrite(t, &Conditional{ReturnConsumedCapacity: string(level)})
	p, err := prepareWrite(b, t, s, w)
	if err != nil {
		return nil, err
	}
	if err := e.mutate(t, p.rowKey, p.decide, w.cost); err != nil {
		return nil, err
	}
	w.answer(e, p.rowKey)
	return w, nil
}

// decide makes the statement's change of the item that is there.
func (p *statementWrite) decide(s *shape, old attr.Item) (attr.Item, error) {
	switch p.bound.Kind {
	case partiql.Insert:
		return p.insert(s, old)
	case partiql.Update:
		return p.update(s, old)
	case partiql.Delete:
		return p.remove(old)
	}
	p.w.note(old, old)
	return old, p.condition(old)
}

func (p *statementWrite) insert(s *shape, old attr.Item) (attr.Item, error) {
	if old != nil {
		err := newError(DuplicateItem, "Duplicate primary key exists in table")
		if p.onFailure {
			err.Item = old.Clone()
		}
		return nil, err
	}
	p.w.note(nil, p.bound.Item)
	return p.bound.Item, checkIndexKeys(s, p.bound.Item, nil, nil)
}

// condition refuses an item that is not there or does not match.
func (p *statementWrite) condition(old attr.Item) error {
	if old != nil && (p.target.Condition == nil || p.target.Condition.Match(old)) {
		return nil
	}
	err := newError(ConditionFailed, "The conditional request failed")
	if p.onFailure && old != nil {
		err.Item = old.Clone()
	}
	return err
}

func (p *statementWrite) update(s *shape, old attr.Item) (attr.Item, error) {
	if err := p.condition(old); err != nil {
		return nil, err
	}
	next, touched, err := p.bound.Update.Apply(old)
	if err != nil {
		return nil, err
	}
	if err := checkUpdated(s, next, old, nil); err != nil {
		return nil, err
	}
	p.w.note(old, next)
	p.w.out.Attributes = returned(p.bound.Returning, old, next, touched)
	return next, nil
}

func returned(r partiql.Returning, old, next attr.Item, touched expr.Touched) attr.Item {
	switch r {
	case partiql.ReturnAllOld:
		return cloneItem(old)
	case partiql.ReturnAllNew:
		return cloneItem(next)
	case partiql.ReturnModifiedOld:
		return nonEmpty(touched.Old())
	case partiql.ReturnModifiedNew:
		return nonEmpty(touched.New())
	}
	return nil
}

// remove deletes the item; one that is not there is no failure.
func (p *statementWrite) remove(old attr.Item) (attr.Item, error) {
	if old == nil {
		p.w.note(nil, nil)
		return nil, nil
	}
	if err := p.condition(old); err != nil {
		return nil, err
	}
	p.w.note(old, nil)
	if p.bound.Returning == partiql.ReturnAllOld {
		p.w.out.Attributes = old.Clone()
	}
	return nil, nil
}

// asStatementError returns the refusal in err's chain that is partiql's own.
func asStatementError(err error) (*partiql.Error, bool) {
	var own *partiql.Error
	return own, errors.As(err, &own)
}
