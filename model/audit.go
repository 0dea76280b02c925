package model

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"pressroom/dynamo"
)

// Walk reads every item of the table, page by page, for whoever must see all of
// it. It is for checks: what serves people asks by its patterns. An item that
// cannot be understood comes without an Entity, as it is stored. A table that is
// not there has no items. An error of visit ends the walk.
func (t *Table) Walk(ctx context.Context, db dynamo.API, visit func(Item) error) error {
	in := &dynamodb.ScanInput{TableName: &t.Name}
	for {
		out, err := db.Scan(ctx, in)
		var missing *types.ResourceNotFoundException
		if errors.As(err, &missing) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read table %s: %w", t.Name, err)
		}
		for _, raw := range out.Items {
			if err := visit(t.understood(raw)); err != nil {
				return err
			}
		}
		if out.LastEvaluatedKey == nil {
			return nil
		}
		in.ExclusiveStartKey = out.LastEvaluatedKey
	}
}

// understood says what an item is, and completes it as a Repo does.
func (t *Table) understood(raw Raw) Item {
	e, _, ok := t.entityOf(raw)
	foreign := Foreign(raw)
	if ok {
		t.versioned(e, raw)
	}
	if !ok || t.complete(e, raw, true) != nil {
		return Item{Raw: raw}
	}
	return Item{Entity: e, Raw: raw, foreign: foreign}
}

// Promise says what is wrong with an item in words, nothing if it is as it must be.
// It may read what the item belongs to. Its error is one of the store.
type Promise func(ctx context.Context, item Item) (faults []string, err error)

// PromiseOf is a promise about items as values of T.
func PromiseOf[T any](kept func(ctx context.Context, v *T) ([]string, error)) Promise {
	return func(ctx context.Context, item Item) ([]string, error) {
		var v T
		if err := item.As(&v); err != nil {
			return []string{"it cannot be read: " + err.Error()}, nil
		}
		return kept(ctx, &v)
	}
}

// Untaken is what is said of an item instead of its faults if another program wrote it
// and nobody has added to it yet: it is not damaged.
const Untaken = "another program wrote it, and it was not taken over yet"

// auditPauses are the waits before a fault is looked at again. What belongs
// together changes in one transaction, but is read in several steps.
var auditPauses = []time.Duration{5 * time.Millisecond, 20 * time.Millisecond, 80 * time.Millisecond, 300 * time.Millisecond}

// Audit walks the table and looks at each item by the promise of its entity,
// by name. Every fault is reported with the place of the item; of an item that another
// program wrote and nobody took over it is said just that ([Untaken]). Entities without a
// promise, and items that are of none, are passed over. It may run beside everything
// else.
func (t *Table) Audit(ctx context.Context, db dynamo.API, promises map[string]Promise, report func(where, what string)) error {
	return t.Walk(ctx, db, func(item Item) error {
		if item.Entity == nil {
			return nil
		}
		kept, ok := promises[item.Entity.Name]
		if !ok && item.Entity.Name == "SavePart" {
			kept, ok = func(context.Context, Item) ([]string, error) { return nil, nil }, true
		}
		if !ok {
			return nil
		}
		kept = t.forSaves(db, kept)
		faults, err := kept(ctx, item)
		if err == nil && len(faults) > 0 {
			faults, err = t.stillWrong(ctx, db, item, kept)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", t.Where(item.Raw), err)
		}
		if item.foreign && item.Entity.Added == "" && len(faults) > 0 { // nobody else writes what we added
			faults = []string{Untaken}
		}
		for _, what := range faults {
			report(t.Where(item.Raw), item.Entity.Name+": "+what)
		}
		return nil
	})
}

// forSaves makes a promise look at an item as readers see it, and says so if the
// save that has the item cannot be ended, because its first part is gone.
func (t *Table) forSaves(db dynamo.API, kept Promise) Promise {
	return func(ctx context.Context, item Item) ([]string, error) {
		saveID, held := textOf(item.Raw[SaveAttribute])
		part, ok := t.Entity("SavePart")
		isPart := ok && item.Entity.Name == part.Name
		if !ok || !held || item.Entity.Head == "" && !isPart {
			return kept(ctx, item)
		}
		key, err := t.Key(part, Values{"saveId": saveID, "part": "0"})
		if err != nil {
			return nil, err
		}
		first, err := t.batchGet(ctx, db, []Raw{key}, true)
		if err != nil || len(first) == 0 {
			return []string{"it waits for save " + saveID + ", whose first part is gone"}, err
		}
		settled, err := t.settled(ctx, db, item.Raw)
		if err != nil || settled == nil {
			return nil, err
		}
		return kept(ctx, t.understood(maps.Clone(settled)))
	}
}

// stillWrong looks at an item again. A fault is believed if the item was the same
// before and after; one that changes all the time is none.
func (t *Table) stillWrong(ctx context.Context, db dynamo.API, item Item, kept Promise) ([]string, error) {
	key := only(item.Raw, t.KeyNames())
	get := func() (Raw, error) {
		out, err := db.GetItem(ctx, &dynamodb.GetItemInput{TableName: &t.Name, Key: key, ConsistentRead: aws.Bool(true)})
		if err != nil {
			return nil, err
		}
		return out.Item, nil
	}
	for _, pause := range auditPauses {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pause):
		}
		before, err := get()
		if err != nil || before == nil {
			return nil, err
		}
		now := t.understood(maps.Clone(before))
		if now.Entity == nil {
			return nil, nil
		}
		faults, err := kept(ctx, now)
		if err != nil || len(faults) == 0 {
			return nil, err
		}
		after, err := get()
		if err != nil || reflect.DeepEqual(before, after) {
			return faults, err
		}
	}
	return nil, nil
}

// Where names the place of an item for people: the table and the values of its
// key.
func (t *Table) Where(item Raw) string {
	var b strings.Builder
	b.WriteString(t.Name)
	for _, name := range t.KeyNames() {
		text, ok := textOf(item[name])
		if raw, isBytes := item[name].(*types.AttributeValueMemberB); isBytes {
			text, ok = fmt.Sprintf("%x", raw.Value), true
		}
		if !ok {
			text = "?"
		}
		fmt.Fprintf(&b, " %s=%s", name, text)
	}
	return b.String()
}
