package engine

import (
	"context"
	"errors"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/cockroachdb/pebble/v2/vfs"

	"pressroom/dynamo/attr"
	"pressroom/dynamo/expr"
)

const linearKeys = 3

// cells is the state: the value of each key, 0 for no item.
type cells [linearKeys]int

// linearOp is one call and its answer. Single-item operations touch one
// key, transactions all of them.
type linearOp struct {
	kind   string
	key    int
	values cells
	expect int
	ok     bool  // the condition held
	got    cells // what a read saw
}

// linearModel says what a single copy of the cells would answer. Items and
// transactions share one state, so that a history which it accepts is both
// linearizable and serialisable.
var linearModel = porcupine.Model{
	Init: func() any { return cells{} },
	Step: func(state, input, _ any) (bool, any) {
		s, op := state.(cells), input.(*linearOp)
		switch op.kind {
		case "get":
			return s[op.key] == op.got[op.key], s
		case "put":
			s[op.key] = op.values[op.key]
			return true, s
		case "delete":
			s[op.key] = 0
			return true, s
		case "swap":
			if (s[op.key] == op.expect) != op.ok {
				return false, s
			}
			if op.ok {
				s[op.key] = op.values[op.key]
			}
			return true, s
		case "read all":
			return s == op.got, s
		case "write all":
			if (s[op.key] == op.expect) != op.ok {
				return false, s
			}
			if op.ok {
				s = op.values
			}
			return true, s
		}
		return false, s
	},
}

// TestLinearizable checks concurrent histories of single operations and
// transactions against one copy of the data.
func TestLinearizable(t *testing.T) {
	for range 6 {
		e, err := Open("db", quietOptions(vfs.NewMem()))
		if err != nil {
			t.Fatal(err)
		}
		_, err = e.CreateTable(context.Background(), &dynamodb.CreateTableInput{
			TableName: aws.String(modelTable), BillingMode: types.BillingModePayPerRequest,
			AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("pk"), AttributeType: types.ScalarAttributeTypeS}},
			KeySchema:            keySchemaOf("pk", ""),
		})
		if err != nil {
			t.Fatal(err)
		}
		history := linearHistory(t, e)
		if !porcupine.CheckOperations(linearModel, history) {
			t.Fatalf("a history of %d operations is not that of a single copy", len(history))
		}
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func linearHistory(t *testing.T, e *Engine) []porcupine.Operation {
	var (
		wg      sync.WaitGroup
		mu      sync.Mutex
		history []porcupine.Operation
	)
	for client := range 8 {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(rand.Uint64(), uint64(client)))
			for i := range 60 {
				op := randomLinearOp(rng, client*1000+i+1)
				start := time.Now().UnixNano()
				if err := op.run(e); err != nil {
					t.Error(err)
					return
				}
				end := time.Now().UnixNano()
				mu.Lock()
				history = append(history, porcupine.Operation{ClientId: client, Input: op, Call: start, Return: end})
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return history
}

func randomLinearOp(rng *rand.Rand, unique int) *linearOp {
	kinds := []string{"get", "get", "put", "delete", "swap", "swap", "read all", "write all"}
	op := &linearOp{kind: kinds[rng.IntN(len(kinds))], key: rng.IntN(linearKeys)}
	for k := range op.values {
		op.values[k] = unique*10 + k
	}
	if rng.IntN(2) == 0 {
		op.expect = 0
	} else {
		op.expect = (rng.IntN(8)*1000+rng.IntN(60)+1)*10 + op.key
	}
	return op
}

func linearKey(k int) attr.Item { return itemOf("pk", str("k"+strconv.Itoa(k))) }

func linearItem(k, v int) attr.Item { return itemOf("pk", str("k"+strconv.Itoa(k)), "v", num(v)) }

func linearValue(it attr.Item) int {
	v, ok := it.Get("v")
	if !ok {
		return 0
	}
	n, err := strconv.Atoi(v.Number())
	if err != nil {
		panic(err)
	}
	return n
}

// condition is "the key holds expect".
func (op *linearOp) condition(c *Conditional) {
	if op.expect == 0 {
		c.ConditionExpression = aws.String("attribute_not_exists(pk)")
		return
	}
	c.ConditionExpression = aws.String("v = :e")
	c.Placeholders = expr.Placeholders{Values: map[string]attr.Value{":e": num(op.expect)}}
}

func (op *linearOp) run(e *Engine) error {
	ctx, name := context.Background(), aws.String(modelTable)
	switch op.kind {
	case "get":
		out, err := e.GetItem(ctx, &GetItem{TableName: name, Key: linearKey(op.key), ConsistentRead: true})
		if err == nil {
			op.got[op.key] = linearValue(out.Item)
		}
		return err
	case "put":
		_, err := e.PutItem(ctx, &PutItem{TableName: name, Item: linearItem(op.key, op.values[op.key])})
		return err
	case "delete":
		_, err := e.DeleteItem(ctx, &DeleteItem{Keyed: Keyed{TableName: name, Key: linearKey(op.key)}})
		return err
	case "swap":
		r := &PutItem{TableName: name, Item: linearItem(op.key, op.values[op.key])}
		op.condition(&r.Conditional)
		_, err := e.PutItem(ctx, r)
		return op.held(err)
	case "read all":
		r := new(TransactGet)
		for k := range linearKeys {
			r.Gets = append(r.Gets, &GetItem{TableName: name, Key: linearKey(k)})
		}
		out, err := e.TransactGet(ctx, r)
		if err != nil {
			return err
		}
		for k := range linearKeys {
			op.got[k] = linearValue(out.Items[k])
		}
		return nil
	}
	r := new(TransactWrite)
	for k := range linearKeys {
		put := &PutItem{TableName: name, Item: linearItem(k, op.values[k])}
		if k == op.key {
			op.condition(&put.Conditional)
		}
		r.Actions = append(r.Actions, TransactAction{Put: put, Given: 1})
	}
	_, err := e.TransactWrite(ctx, r)
	return op.held(err)
}

// held notes whether the condition held and passes on any other error.
func (op *linearOp) held(err error) error {
	var own *Error
	if errors.As(err, &own) && (own.Type == ConditionFailed || own.Type == TransactionCancelled) {
		return nil
	}
	op.ok = err == nil
	return err
}
