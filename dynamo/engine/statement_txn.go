package engine

import (
	"context"
	"crypto/sha256"
	"errors"

	"pressroom/dynamo/partiql"
)

// ExecuteTransaction runs up to 100 statements together: all reads, of one
// moment, or all writes, of which all happen or none.
func (e *Engine) ExecuteTransaction(ctx context.Context, r *ExecuteTransaction) (*ExecuteTransactionAnswer, error) {
	if err := e.enter(ctx); err != nil {
		return nil, err
	}
	defer e.store.Leave()
	bound, tables, err := e.bindTransaction(r)
	if err != nil {
		return nil, err
	}
	if bound[0].Kind.Write() {
		return e.transactStatements(r, bound, tables)
	}
	return e.readStatements(ctx, r, bound, tables)
}

// bindTransaction validates the statements and refuses mixed transactions.
func (e *Engine) bindTransaction(r *ExecuteTransaction) ([]*partiql.Bound, []*table, error) {
	var c checks
	c.capacity(r.ReturnConsumedCapacity)
	checkStatements(&c, "transactStatements", r.Statements, 100)
	checkRequestToken(&c, r.ClientRequestToken)
	if err := c.err(); err != nil {
		return nil, nil, err
	}
	bound := make([]*partiql.Bound, len(r.Statements))
	tables := make([]*table, len(r.Statements))
	writes := 0
	for i := range r.Statements {
		if err := r.Statements[i].Invalid.Err; err != nil {
			return nil, nil, err
		}
		var err error
		if bound[i], tables[i], err = e.bind(&r.Statements[i], true); err != nil {
			return nil, nil, inTransaction(err, i)
		}
		if bound[i].Kind.Write() {
			writes++
		}
	}
	if writes > 0 && writes < len(bound) {
		return nil, nil, partiql.ErrTransactionMixed
	}
	return bound, tables, nil
}

// inTransaction words a statement's refusal as its transaction's.
func inTransaction(err error, i int) error {
	if own, ok := asStatementError(err); ok {
		return own.InTransaction(i)
	}
	return err
}

func (e *Engine) transactStatements(r *ExecuteTransaction, bound []*partiql.Bound, tables []*table) (*ExecuteTransactionAnswer, error) {
	actions := make([]*action, len(bound))
	seen := map[string]bool{}
	for i, b := range bound {
		switch {
		case b.Returning != partiql.ReturnNothing:
			return nil, partiql.ErrTransactionReturning.InTransaction(i)
		case b.Kind == partiql.Exists && b.Index != "":
			return nil, partiql.ErrTransactionExists.InTransaction(i)
		}
		a := &action{change: change{t: tables[i]}}
		if CapacityLevel(r.ReturnConsumedCapacity).wanted() {
			a.cost = &writeCost{transaction: true}
		}
		p, err := prepareWrite(b, tables[i], &r.Statements[i], &write{cost: a.cost})
		if err != nil {
			return nil, inTransaction(err, i)
		}
		if seen[string(p.rowKey)] {
			return nil, partiql.ErrTransactionDuplicate
		}
		seen[string(p.rowKey)] = true
		a.key, a.decide = p.rowKey, p.decide
		actions[i] = a
	}
	token := requestToken{token: r.ClientRequestToken, digest: r.digest}
	if err := e.mutateAll(actions, token.key(), token.check(e)); err != nil {
		if errors.Is(err, errRefused) {
			return nil, cancelled(actions)
		}
		return nil, err
	}
	spent, err := token.capacities(e, actions)
	return &ExecuteTransactionAnswer{Capacity: spent}, err
}

func (r *ExecuteTransaction) digest() []byte {
	h := digest{sha256.New()}
	for i := range r.Statements {
		h.statement(&r.Statements[i])
	}
	return h.Sum(nil)
}

func (e *Engine) readStatements(ctx context.Context, r *ExecuteTransaction, bound []*partiql.Bound, tables []*table) (*ExecuteTransactionAnswer, error) {
	get := &TransactGet{ReturnConsumedCapacity: r.ReturnConsumedCapacity}
	for i, b := range bound {
		if b.Index != "" {
			return nil, partiql.ErrTransactionIndex.InTransaction(i)
		}
		g, _, err := lookup(b, tables[i], &r.Statements[i], partiql.ErrTransactionKey)
		if err != nil {
			return nil, inTransaction(err, i)
		}
		get.Gets = append(get.Gets, g)
	}
	got, err := e.transactGet(ctx, get)
	if err != nil {
		return nil, err
	}
	out := &ExecuteTransactionAnswer{Items: got.Items, Capacity: got.Capacity}
	for i, it := range out.Items {
		if it != nil {
			out.Items[i] = bound[i].Project(it)
		}
	}
	return out, nil
}
