package model

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Update changes attributes of the item with these key values and returns it as
// it then is. It answers ErrNotFound if there is none, ErrCondition if a
// condition does not hold. Fields from which keys are written cannot be changed
// so, because the keys would not follow: use Modify. A version is counted up.
func (r *Repo[T]) Update(ctx context.Context, key Values, update expression.UpdateBuilder, conditions ...expression.ConditionBuilder) (T, error) {
	var v T
	c, err := r.update1(key, update, append(slices.Clip(conditions), r.present()))
	if err != nil {
		return v, r.wrap("update", key, err)
	}
	err = r.update(ctx, "update", key, c, &v)
	return v, err
}

// Upsert is Update for an item that may not be there yet; it is then made of
// what the update sets. Only entities that are in no index can be made so.
func (r *Repo[T]) Upsert(ctx context.Context, key Values, update expression.UpdateBuilder, conditions ...expression.ConditionBuilder) (T, error) {
	var v T
	if len(r.entity.Keys) > 0 {
		return v, r.wrap("upsert", key, errors.New("it is in an index, whose keys an update does not write"))
	}
	c, err := r.update1(key, update, conditions)
	if err != nil {
		return v, r.wrap("upsert", key, err)
	}
	c.add("SET", "#schema = if_not_exists(#schema, :schema)", "#schema", SchemaVersionAttribute, ":schema", r.entity.SchemaVersion())
	err = r.update(ctx, "upsert", key, c, &v)
	return v, err
}

// change is an update that is ready.
type change struct {
	key       Raw
	update    string
	condition *string
	names     map[string]string
	values    Raw
}

func (r *core) update(ctx context.Context, op string, key Values, c change, into any) error {
	var out *dynamodb.UpdateItemOutput
	err := alone(ctx, func() (err error) {
		out, err = r.db.UpdateItem(ctx, &dynamodb.UpdateItemInput{
			TableName: &r.table.Name, Key: c.key, UpdateExpression: &c.update, ConditionExpression: c.condition,
			ExpressionAttributeNames: c.names, ExpressionAttributeValues: c.values,
			ReturnValues: types.ReturnValueAllNew, ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
		})
		return err
	})
	if item, failed := conditionFailed(err); failed {
		err = ErrCondition
		if item == nil {
			err = ErrNotFound
		}
	}
	if err != nil {
		return r.wrap(op, key, err)
	}
	return r.table.decode(r.entity, out.Attributes, true, into)
}

// update1 prepares an update. What it adds of its own goes into the text: the
// SDK's builders share what they hold, and the caller may use its own again.
func (r *core) update1(key Values, update expression.UpdateBuilder, conditions []expression.ConditionBuilder) (change, error) {
	k, err := r.table.Key(r.entity, key)
	if err != nil {
		return change{}, err
	}
	builder := expression.NewBuilder().WithUpdate(update)
	if len(conditions) > 0 {
		builder = builder.WithCondition(all(conditions))
	}
	expr, err := builder.Build()
	if err != nil {
		return change{}, err
	}
	c := change{key: k, update: *expr.Update(), condition: expr.Condition(), names: expr.Names(), values: expr.Values()}
	bound := r.bound()
	for _, name := range targets(c.update, c.names) {
		if slices.Contains(bound, name) {
			return change{}, fmt.Errorf("keys are written from %s, which an update cannot change", name)
		}
	}
	if r.entity.Version != "" {
		c.add("ADD", "#version :version", "#version", r.entity.Version, ":version", 1)
	}
	return c, nil
}

// add puts a clause into the update, beside those of its kind.
func (c *change) add(kind, clause, name, attribute, placeholder string, value int) {
	lines := strings.SplitAfter(c.update, "\n")
	i := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, kind+" ") })
	if i >= 0 {
		lines[i] = kind + " " + clause + ", " + strings.TrimPrefix(lines[i], kind+" ")
	} else {
		lines = append(lines, kind+" "+clause+"\n")
	}
	c.update = strings.Join(lines, "")
	c.names[name] = attribute
	if c.values == nil {
		c.values = Raw{}
	}
	c.values[placeholder] = number(value)
}

// bound returns the attributes that are keys or make keys.
func (r *core) bound() []string {
	e := r.entity
	names := slices.Concat(r.table.KeyNames(), e.PK.allVars(), e.SK.allVars(), nonEmpty(e.Version))
	for _, x := range r.table.Indexes {
		names = append(names, x.KeyNames()...)
	}
	for _, k := range e.Keys {
		names = slices.Concat(names, k.PK.allVars(), k.SK.allVars())
		if k.When != nil {
			names = append(names, k.When.Field)
		}
	}
	return names
}

var (
	setTarget   = regexp.MustCompile(`(#\d+)(?:\.#\d+|\[\d+\])* = `)
	otherTarget = regexp.MustCompile(`(?:^|[ ,])(#\d+)`)
)

// targets returns the top-level attributes that an update expression, as the
// SDK builds it, writes to.
func targets(update string, names map[string]string) []string {
	var found []string
	for line := range strings.Lines(update) {
		pattern := otherTarget
		if strings.HasPrefix(line, "SET ") {
			pattern = setTarget
		}
		for _, m := range pattern.FindAllStringSubmatch(line, -1) {
			found = append(found, names[m[1]])
		}
	}
	return found
}

// modifyTries is how often Modify reads again before it gives up.
const modifyTries = 10

// Modify reads the item with these key values, lets change change it, and writes
// it with its keys, all again if someone else was faster. The entity must have a
// version. An error of change is returned as it is, and nothing is written.
func (r *Repo[T]) Modify(ctx context.Context, key Values, change func(*T) error) (T, error) {
	var v T
	if r.entity.Version == "" {
		return v, r.wrap("modify", key, errNoVersion)
	}
	for try := 1; ; try++ {
		v, err := r.Get(ctx, key)
		if err != nil {
			return v, err
		}
		if err := change(&v); err != nil {
			return v, err
		}
		// Over another key it would be a second item.
		if err := r.sameKey(key, &v); err != nil {
			return v, err
		}
		err = r.Put(ctx, &v)
		if err == nil || !errors.Is(err, ErrStale) || try == modifyTries {
			return v, err
		}
		if err := pause(ctx, try); err != nil {
			return v, err
		}
	}
}

func (r *core) sameKey(key Values, v any) error {
	item, err := r.table.encode(r.entity, v)
	if err != nil {
		return err
	}
	before, err := r.table.Key(r.entity, key)
	if err != nil {
		return err
	}
	for name, value := range before {
		if was, _ := textOf(value); was != valuesOf(item)[name] {
			return r.wrap("modify", key, fmt.Errorf("its key %s cannot change", name))
		}
	}
	return nil
}

// pause waits before another try, longer each time, and never the same time as
// others who wait.
func pause(ctx context.Context, try int) error {
	return Sleep(ctx, jitter(min(time.Duration(1<<try)*5*time.Millisecond, 2*time.Second)))
}
