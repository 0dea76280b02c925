package engine

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"pressroom/dynamo/attr"
)

// tokenLife is how long a ClientRequestToken is remembered.
const tokenLife = 10 * time.Minute

// TransactWrite makes up to 100 changes together, or none of them.
// Transactions that meet wait for each other; none is cancelled for that.
func (e *Engine) TransactWrite(ctx context.Context, r *TransactWrite) (*TransactWriteAnswer, error) {
	if err := e.enter(ctx); err != nil {
		return nil, err
	}
	defer e.store.Leave()
	actions, err := r.plan(e)
	if err != nil {
		return nil, err
	}
	token := requestToken{token: r.ClientRequestToken, digest: r.fingerprint}
	if err := e.mutateAll(actions, token.key(), token.check(e)); err != nil {
		if errors.Is(err, errRefused) {
			return nil, cancelled(actions)
		}
		return nil, err
	}
	out := new(TransactWriteAnswer)
	if out.Capacity, err = token.capacities(e, actions); err != nil {
		return nil, err
	}
	if r.ReturnCollections == "SIZE" {
		out.Collections = e.collections(actions)
	}
	return out, nil
}

// plan validates the request whole and makes an action of each of its parts.
func (r *TransactWrite) plan(e *Engine) ([]*action, error) {
	if err := r.validate(); err != nil {
		return nil, err
	}
	actions := make([]*action, len(r.Actions))
	for i := range r.Actions {
		a, err := r.Actions[i].prepare(CapacityLevel(r.ReturnConsumedCapacity))
		if err != nil {
			return nil, err
		}
		actions[i] = a
	}
	refused, size := false, 0
	seen := map[string]bool{}
	for i, a := range actions {
		if err := r.Actions[i].fit(e, a); err != nil {
			return nil, err
		}
		if a.err != nil {
			if refused { // the service tells of the first alone
				a.err = nil
			}
			refused = true
			continue
		}
		if seen[string(a.key)] {
			return nil, invalid("Transaction request cannot include multiple operations on one item")
		}
		seen[string(a.key)] = true
		size += r.Actions[i].size()
	}
	if refused {
		return nil, cancelled(actions)
	}
	if size > maxTransaction {
		return nil, invalid("Transaction payload size cannot exceed 4MB. Payload Size: %d", size)
	}
	return actions, nil
}

const maxTransaction = 4 << 20

func (r *TransactWrite) validate() error {
	var c checks
	checkRequestToken(&c, r.ClientRequestToken)
	c.capacity(r.ReturnConsumedCapacity)
	c.collections(r.ReturnCollections)
	checkActions(&c, len(r.Actions), r.Actions != nil)
	for i := range r.Actions {
		r.Actions[i].checkShape(&c, i)
	}
	if err := c.err(); err != nil {
		return err
	}
	for _, a := range r.Actions {
		switch {
		case a.Given == 0:
			return invalid("Invalid Request: TransactWriteRequest should contain Delete or Put or Update request")
		case a.Given > 1:
			return invalid("TransactItems can only contain one of Check, Put, Update or Delete")
		}
	}
	return nil
}

// checkShape checks what an action must have, whose place in the list is
// told.
func (a *TransactAction) checkShape(c *checks, i int) {
	at := fmt.Sprintf("transactItems.%d.member.", i+1)
	if p := a.Put; p != nil {
		c.tableNameAt(at+"put.tableName", p.TableName)
		c.present(at+"put.item", p.Item != nil || p.Invalid.Err != nil)
	}
	if u := a.Update; u != nil {
		c.tableNameAt(at+"update.tableName", u.TableName)
		c.present(at+"update.key", u.Key != nil || u.Invalid.Err != nil)
		c.present(at+"update.updateExpression", u.UpdateExpression != nil)
	}
	if d := a.Delete; d != nil {
		c.tableNameAt(at+"delete.tableName", d.TableName)
		c.present(at+"delete.key", d.Key != nil || d.Invalid.Err != nil)
	}
	if k := a.Check; k != nil {
		c.tableNameAt(at+"conditionCheck.tableName", k.TableName)
		c.present(at+"conditionCheck.key", k.Key != nil || k.Invalid.Err != nil)
		c.present(at+"conditionCheck.conditionExpression", k.ConditionExpression != nil)
	}
}

// checkActions bounds the number of actions of a transaction.
func checkActions(c *checks, n int, given bool) {
	switch {
	case !given:
		c.present("transactItems", false)
	case n == 0:
		c.add("'[]'", "transactItems", "Member must have length greater than or equal to 1")
	case n > 100:
		c.add("'["+strings.TrimSuffix(strings.Repeat("TransactItem, ", n), ", ")+"]'", "transactItems", "Member must have length less than or equal to 100")
	}
}

var errTokenMismatch = newError(TokenMismatch, "Specified idempotent token was used with different request parameters within the idempotency window")

// requestToken makes a transaction idempotent. digest is of what the request
// means.
type requestToken struct {
	token  *string
	digest func() []byte
	// again is set when the request turns out to have been done before.
	again bool
}

func checkRequestToken(c *checks, token *string) {
	switch {
	case token == nil:
	case len(*token) < 1:
		c.add("''", "clientRequestToken", "Member must have length greater than or equal to 1")
	case len(*token) > 36:
		c.add(quote(*token), "clientRequestToken", "Member must have length less than or equal to 36")
	}
}

// key is where the token is stored; nil without one.
func (q *requestToken) key() []byte {
	if q.token == nil {
		return nil
	}
	return append([]byte{spaceToken}, *q.token...)
}

// check looks, under the token's lock, whether the request has been done
// already, and remembers it with the change itself if not.
func (q *requestToken) check(e *Engine) func(*pebble.Batch) (done bool, err error) {
	if q.token == nil {
		return nil
	}
	key, sum := q.key(), q.digest()
	return func(b *pebble.Batch) (bool, error) {
		value, closer, err := e.db.Get(key)
		if err == nil {
			defer func() { _ = closer.Close() }()
			if int64(binary.BigEndian.Uint64(value)) >= e.now().Unix() {
				if !bytes.Equal(value[8:], sum) {
					return false, errTokenMismatch
				}
				q.again = true
				return true, nil
			}
		} else if !errors.Is(err, pebble.ErrNotFound) {
			return false, e.unreadable(err)
		}
		entry := binary.BigEndian.AppendUint64(nil, uint64(e.now().Add(tokenLife).Unix()))
		return false, b.Set(key, append(entry, sum...), nil)
	}
}

// capacities tells what the request consumed: what it wrote or, having been
// done before, what reading its items costs.
func (q *requestToken) capacities(e *Engine, actions []*action) ([]*Capacity, error) {
	if !q.again {
		return capacities(actions), nil
	}
	var gets []*snapshotGet
	for _, a := range actions {
		if a.cost == nil {
			return nil, nil
		}
		found, err := e.read(e.db, a.key)
		if err != nil {
			return nil, err
		}
		gets = append(gets, &snapshotGet{action: action{change: change{t: a.t}}, size: found.size})
		found.close()
	}
	return readCapacities(gets), nil
}

// cancelled words the refusals of a transaction's actions.
func cancelled(actions []*action) *Error {
	codes := make([]string, len(actions))
	out := &Error{Type: TransactionCancelled}
	for i, a := range actions {
		reason := Reason{Code: "None"}
		if own, ok := AsError(a.err); a.err != nil && ok {
			reason = Reason{Code: reasonCode(own.Type), Message: own.Message, Item: own.Item}
		} else if a.err != nil {
			reason = Reason{Code: "InternalServerError", Message: a.err.Error()}
		}
		codes[i] = reason.Code
		out.Reasons = append(out.Reasons, reason)
	}
	out.Message = "Transaction cancelled, please refer cancellation reasons for specific reasons [" + strings.Join(codes, ", ") + "]"
	return out
}

func reasonCode(kind string) string {
	switch kind {
	case ConditionFailed:
		return "ConditionalCheckFailed"
	case Validation:
		return "ValidationError"
	case DuplicateItem:
		return "DuplicateItem"
	}
	return strings.TrimSuffix(kind, "Exception")
}

// size is what the action adds to the transaction's size.
func (a *TransactAction) size() int {
	switch {
	case a.Put != nil:
		return a.Put.Item.Size()
	case a.Update != nil:
		n := a.Update.Key.Size()
		for _, v := range a.Update.Placeholders.Values {
			n += attr.Size(v)
		}
		return n
	}
	return 0
}
