package model

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"pressroom/dynamo"
)

// ErrUnfit is wrapped by the error for an item that cannot be brought up to date.
var ErrUnfit = errors.New("the item cannot be brought up to date")

// refreshTries is how often an item that changes meanwhile is looked at again.
const refreshTries = 5

// Foreign reports whether an item is as another program wrote it, and nobody has added
// to it yet.
func Foreign(item Raw) bool { return item[SchemaVersionAttribute] == nil }

// Uncounted reports whether an item was changed by a program that does not count its
// changes, as this one does.
func (t *Table) Uncounted(old, now Raw) bool {
	e, _, ok := t.entityOf(now)
	if !ok || e.Version == "" || old[e.Version] == nil || !reflect.DeepEqual(old[e.Version], now[e.Version]) {
		return false
	}
	return slices.ContainsFunc(differences(old, now), func(name string) bool { return t.says(e, name) })
}

// RefreshOptions adjust a Refresh.
type RefreshOptions struct {
	DryRun bool // changes nothing, and tells what would change
	Count  bool // a change has to be counted that nobody has counted
}

// Refresh brings an item, as it was read, up to date in its table: to the present
// schema version, with the keys of all indexes that it belongs into and the additions
// that another program left out. It reports whether there was anything to change. An
// item that changes meanwhile is looked at again. One of no entity is ErrUnknown, one
// that cannot be brought up to date ErrUnfit.
func (t *Table) Refresh(ctx context.Context, db dynamo.API, item Raw, o RefreshOptions) (bool, error) {
	for try := 1; item != nil; try++ {
		renewed, e, err := t.Renew(item)
		if errors.Is(err, ErrUnknown) {
			return false, err
		}
		if err != nil {
			return false, fmt.Errorf("%w: %w", ErrUnfit, err)
		}
		if o.Count && e.Version != "" {
			n, err := versionOf(item, e.Version)
			if err != nil {
				return false, fmt.Errorf("%w: %w", ErrUnfit, err)
			}
			if n > 0 {
				renewed[e.Version] = number(n + 1)
			}
		}
		changed := differences(item, renewed)
		if len(changed) == 0 || o.DryRun {
			return len(changed) > 0, nil
		}
		now, done, err := t.refresh(ctx, db, item, renewed, e, changed)
		if done || err != nil {
			return done, err
		}
		if try == refreshTries {
			return false, fmt.Errorf("%w: it changes all the time", ErrUnfit)
		}
		item, o.Count = now, false // whoever changed it meanwhile has counted, or is heard of next
	}
	return false, nil // it was deleted meanwhile
}

// differences returns the attributes that are not the same, sorted.
func differences(a, b Raw) []string {
	names := map[string]bool{}
	for name := range a {
		names[name] = true
	}
	for name := range b {
		names[name] = true
	}
	maps.DeleteFunc(names, func(name string, _ bool) bool { return reflect.DeepEqual(a[name], b[name]) })
	return slices.Sorted(maps.Keys(names))
}

// refresh changes what differs, if nothing that it was computed from has changed
// since. Otherwise it returns the item as it is now, nil if it is gone.
func (t *Table) refresh(ctx context.Context, db dynamo.API, item, renewed Raw, e *Entity, changed []string) (now Raw, done bool, err error) {
	var update expression.UpdateBuilder
	for _, name := range changed {
		// Attribute names are taken as they are, dots included.
		if value, ok := renewed[name]; ok {
			update = update.Set(expression.NameNoDotSplit(name), expression.Value(value))
		} else {
			update = update.Remove(expression.NameNoDotSplit(name))
		}
	}
	condition := expression.AttributeExists(expression.Name(t.PK.Name))
	for _, name := range inputs(e, changed) {
		condition = condition.And(unchanged(item, name))
	}
	expr, err := expression.NewBuilder().WithUpdate(update).WithCondition(condition).Build()
	if err != nil {
		return nil, false, err
	}
	err = alone(ctx, func() error {
		_, err := db.UpdateItem(ctx, &dynamodb.UpdateItemInput{
			TableName: &t.Name, Key: only(item, t.KeyNames()), UpdateExpression: expr.Update(), ConditionExpression: expr.Condition(),
			ExpressionAttributeNames: expr.Names(), ExpressionAttributeValues: expr.Values(),
			ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
		})
		return err
	})
	if now, failed := conditionFailed(err); failed {
		return now, false, nil
	}
	return nil, err == nil, err
}

// inputs returns what the renewed item was computed from: what changes, and
// what keys are written from.
func inputs(e *Entity, changed []string) []string {
	names := slices.Clone(changed)
	for _, k := range e.Keys {
		names = slices.Concat(names, k.PK.allVars(), k.SK.allVars())
		if k.When != nil {
			names = append(names, k.When.Field)
		}
	}
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(name string) bool {
		f, ok := e.Field(name)
		return ok && f.InKey
	})
}

func unchanged(item Raw, name string) expression.ConditionBuilder {
	if value, ok := item[name]; ok {
		return expression.NameNoDotSplit(name).Equal(expression.Value(value))
	}
	return expression.AttributeNotExists(expression.NameNoDotSplit(name))
}
