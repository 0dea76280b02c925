package model

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"pressroom/dynamo"
)

// Repo reads and writes one entity of a table. T is a struct with dynamodbav
// tags that name fields of the entity; keys are written from the fields, and
// fields that only keys hold are read back from them. It may be used from many
// goroutines.
//
// If the entity has a version, Put writes only over the version that was read,
// and counts it up in the value that it was given. What the entity does not declare
// stays as it is. An item that another program wrote without a version is read with a
// negative one, which stands for all that the item says.
type Repo[T any] struct {
	core
	views sync.Map // *View[T] by pattern
}

// core is what a Repo does whatever its type is. It is compiled once, not once
// for each type: values come and go as pointers to structs.
type core struct {
	db     dynamo.API
	table  *Table
	entity *Entity
	secret []byte
}

// Table is the name of the table.
func (r *core) Table() string { return r.table.Name }

// Options adjust a Repo. The zero value, and nil, are usable.
type Options struct {
	// CursorKey makes the cursors of pages; at least 16 bytes, the same in all
	// processes that serve the same lists. Without it there are no cursors.
	CursorKey []byte
}

// NewRepo returns the repository of the table's entity. It is an error if T
// does not fit the entity.
func NewRepo[T any](db dynamo.API, t *Table, entity string, o *Options) (*Repo[T], error) {
	e, ok := t.Entity(entity)
	if !ok {
		return nil, fmt.Errorf("table %s has no entity %s", t.Name, entity)
	}
	if err := checkType(reflect.TypeFor[T](), e); err != nil {
		return nil, err
	}
	r := &Repo[T]{core: core{db: db, table: t, entity: e}}
	if o != nil {
		r.secret = o.CursorKey
	}
	return r, nil
}

// Get returns the item with these key values as of now, or ErrNotFound.
func (r *Repo[T]) Get(ctx context.Context, key Values) (T, error) {
	var v T
	err := r.get(ctx, key, &v)
	return v, err
}

func (r *core) get(ctx context.Context, key Values, into any) error {
	k, err := r.table.Key(r.entity, key)
	if err != nil {
		return r.wrap("get", key, err)
	}
	out, err := r.db.GetItem(ctx, &dynamodb.GetItemInput{TableName: &r.table.Name, Key: k, ConsistentRead: aws.Bool(true)})
	if err != nil {
		return r.wrap("get", key, err)
	}
	item, err := r.table.settled(ctx, r.db, out.Item)
	if err == nil && item == nil {
		err = ErrNotFound
	}
	if err != nil {
		return r.wrap("get", key, err)
	}
	return r.table.decode(r.entity, item, true, into)
}

// Put writes the value, over what is there. With conditions it does so only if
// all hold, and answers ErrCondition otherwise. A versioned entity is written
// only over the version in the value, a new one if that is 0; otherwise the
// answer is ErrStale, or ErrExists.
func (r *Repo[T]) Put(ctx context.Context, v *T, conditions ...expression.ConditionBuilder) error {
	return r.put(ctx, "put", v, conditions, r.put1)
}

// Create writes the value if its key is not there, and answers ErrExists
// otherwise.
func (r *Repo[T]) Create(ctx context.Context, v *T) error {
	return r.put(ctx, "create", v, nil, r.create1)
}

// write is a put that is ready: an item, its condition, and what a failure of
// the condition means.
type write struct {
	item       Raw
	conditions []expression.ConditionBuilder
	failed     error
	old        int    // the version that it is written over; 0 if none
	version    string // the version that it writes; "" if there is none
	adopts     bool   // it leaves what the writer of the item said
}

func (r *core) put(ctx context.Context, op string, v any, conditions []expression.ConditionBuilder, prepare func(any, []expression.ConditionBuilder) (write, error)) error {
	w, err := prepare(v, conditions)
	if err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	ready, err := r.ready(ctx, w)
	if err == nil {
		err = alone(ctx, func() error { return r.send(ctx, ready) })
	}
	if _, failed := conditionFailed(err); failed {
		err = w.failed
	}
	if err != nil {
		return r.wrap(op, valuesOf(w.item), err)
	}
	return r.setVersion(v, w.version)
}

// ready is the request that a write makes. Over what was read it is an update, which
// keeps what the entity does not declare.
func (r *core) ready(ctx context.Context, w write) (types.TransactWriteItem, error) {
	if w.old != 0 {
		update, err := r.replacing(ctx, w)
		return types.TransactWriteItem{Update: &update}, err
	}
	expr, err := build(w.conditions)
	return types.TransactWriteItem{Put: &types.Put{
		TableName: &r.table.Name, Item: w.item,
		ConditionExpression: expr.Condition(), ExpressionAttributeNames: expr.Names(), ExpressionAttributeValues: expr.Values(),
	}}, err
}

func (r *core) send(ctx context.Context, w types.TransactWriteItem) error {
	if u := w.Update; u != nil {
		_, err := r.db.UpdateItem(ctx, &dynamodb.UpdateItemInput{
			TableName: u.TableName, Key: u.Key, UpdateExpression: u.UpdateExpression,
			ConditionExpression: u.ConditionExpression, ExpressionAttributeNames: u.ExpressionAttributeNames, ExpressionAttributeValues: u.ExpressionAttributeValues,
		})
		return err
	}
	p := w.Put
	_, err := r.db.PutItem(ctx, &dynamodb.PutItemInput{
		TableName: p.TableName, Item: p.Item,
		ConditionExpression: p.ConditionExpression, ExpressionAttributeNames: p.ExpressionAttributeNames, ExpressionAttributeValues: p.ExpressionAttributeValues,
	})
	return err
}

// put1 prepares a put, with the version's condition if there is a version.
func (r *core) put1(v any, conditions []expression.ConditionBuilder) (write, error) {
	item, err := r.table.encode(r.entity, v)
	if err != nil {
		return write{}, err
	}
	w := write{item: item, failed: ErrCondition, conditions: conditions}
	if r.entity.Version == "" {
		return w, nil
	}
	if w.old, err = versionOf(item, r.entity.Version); err != nil {
		return write{}, err
	}
	w.failed = ErrStale
	if w.old == 0 {
		w.conditions = append(slices.Clip(conditions), r.absent())
		w.failed = ErrExists
	}
	w.bump(item, r.entity.Version, max(w.old, 0))
	return w, nil
}

func (r *core) create1(v any, _ []expression.ConditionBuilder) (write, error) {
	item, err := r.table.encode(r.entity, v)
	if err != nil {
		return write{}, err
	}
	w := write{item: item, failed: ErrExists, conditions: []expression.ConditionBuilder{r.absent()}}
	if r.entity.Version != "" {
		w.bump(item, r.entity.Version, 0)
	}
	return w, nil
}

func (w *write) bump(item Raw, name string, old int) {
	w.version = strconv.Itoa(old + 1)
	item[name] = number(old + 1)
}

func versionOf(item Raw, name string) (int, error) {
	n, ok := item[name].(*types.AttributeValueMemberN)
	if !ok {
		return 0, nil
	}
	version, err := strconv.Atoi(n.Value)
	if err != nil {
		return 0, fmt.Errorf("%s %q is no version", name, n.Value)
	}
	return version, nil
}

// setVersion tells the value which version it now is.
func (r *core) setVersion(v any, version string) error {
	if version == "" {
		return nil
	}
	return attributevalue.UnmarshalMap(Raw{r.entity.Version: &types.AttributeValueMemberN{Value: version}}, v)
}

// Delete removes the item with these key values. That there is none is no error,
// unless a condition says otherwise.
func (r *core) Delete(ctx context.Context, key Values, conditions ...expression.ConditionBuilder) error {
	k, err := r.table.Key(r.entity, key)
	if err != nil {
		return r.wrap("delete", key, err)
	}
	expr, err := build(conditions)
	if err != nil {
		return r.wrap("delete", key, err)
	}
	err = alone(ctx, func() error {
		_, err := r.db.DeleteItem(ctx, &dynamodb.DeleteItemInput{
			TableName: &r.table.Name, Key: k,
			ConditionExpression: expr.Condition(), ExpressionAttributeNames: expr.Names(), ExpressionAttributeValues: expr.Values(),
		})
		return err
	})
	if _, failed := conditionFailed(err); failed {
		err = ErrCondition
	}
	return r.wrap("delete", key, err)
}

func (r *core) absent() expression.ConditionBuilder {
	return expression.AttributeNotExists(expression.Name(r.table.PK.Name))
}

func (r *core) present() expression.ConditionBuilder {
	return expression.AttributeExists(expression.Name(r.table.PK.Name))
}

// build joins conditions; without any the expression is empty.
func build(conditions []expression.ConditionBuilder) (expression.Expression, error) {
	if len(conditions) == 0 {
		return expression.Expression{}, nil
	}
	return expression.NewBuilder().WithCondition(all(conditions)).Build()
}

func all(conditions []expression.ConditionBuilder) expression.ConditionBuilder {
	joined := conditions[0]
	for _, c := range conditions[1:] {
		joined = joined.And(c)
	}
	return joined
}

// wrap says what was done to what; nil stays nil.
func (r *core) wrap(op string, key Values, err error) error {
	if err == nil {
		return nil
	}
	name := r.entity.Name
	if pk, e := r.entity.PK.Render(key); e == nil {
		name += " " + pk
		if sk, e := r.entity.SK.Render(key); e == nil {
			name += " " + sk
		}
	}
	return fmt.Errorf("%s %s: %w", op, name, err)
}

var errNoVersion = errors.New("the entity has no version")

func number(n int) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.Itoa(n)}
}

// typed is the attribute value of a field's text.
func typed(k Kind, text string) types.AttributeValue {
	switch k.DynamoDB() {
	case "N":
		return &types.AttributeValueMemberN{Value: text}
	case "BOOL":
		return &types.AttributeValueMemberBOOL{Value: text == "true"}
	}
	return &types.AttributeValueMemberS{Value: text}
}

// isNothing reports whether a value says the same as its absence.
func isNothing(value types.AttributeValue) bool {
	switch v := value.(type) {
	case *types.AttributeValueMemberNULL:
		return true
	case *types.AttributeValueMemberS:
		return v.Value == ""
	case *types.AttributeValueMemberSS:
		return len(v.Value) == 0
	}
	return false
}
