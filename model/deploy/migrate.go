package deploy

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"pressroom/dynamo"
	"pressroom/model"
)

// Migration is one table's walk to the present schema version. It also writes
// index keys that items lack because another program wrote them, or an older
// schema. It may run while others read and write: an item that changes under its
// hands is looked at again.
type Migration struct {
	DB    dynamo.API
	Table *model.Table
	// DryRun counts what would change and changes nothing.
	DryRun bool
	// From is where to go on; the zero value is the beginning.
	From Position
	// PageSize is how many items are looked at between two reports. Default
	// 100.
	PageSize int
	// Report is called after each page, with what was done so far and where to go
	// on after an interruption. An error of it ends the migration. May be nil.
	Report func(Progress) error
}

// Position is a place in a table's walk: the last key that was done, as text by
// attribute. Nil is the beginning.
type Position map[string]string

// Progress counts items.
type Progress struct {
	Table   string   `json:"table"`
	About   int64    `json:"about"`   // items in the table, as it last counted them
	Seen    int      `json:"seen"`    // looked at
	Changed int      `json:"changed"` // brought up to date, or in a dry run to be brought
	Unknown int      `json:"unknown"` // of no entity, left alone
	Failed  []string `json:"failed,omitempty"`
	Next    Position `json:"next,omitempty"` // nil when all is done
}

// maxFailed is how many failures are kept as text.
const maxFailed = 100

// Migrate walks the table. Items that cannot be brought up to date are listed in
// Failed and left as they are; they are no error.
func (m *Migration) Migrate(ctx context.Context) (Progress, error) {
	p := Progress{Table: m.Table.Name}
	described, err := m.DB.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &m.Table.Name})
	if err != nil {
		return p, fmt.Errorf("migrate %s: %w", m.Table.Name, err)
	}
	p.About = aws.ToInt64(described.Table.ItemCount)
	from, err := m.key(m.From)
	if err != nil {
		return p, err
	}
	size := m.PageSize
	if size <= 0 {
		size = 100
	}
	for {
		out, err := m.DB.Scan(ctx, &dynamodb.ScanInput{TableName: &m.Table.Name, ConsistentRead: aws.Bool(true), Limit: aws.Int32(int32(size)), ExclusiveStartKey: from})
		if err != nil {
			return p, fmt.Errorf("migrate %s: %w", m.Table.Name, err)
		}
		for _, item := range out.Items {
			if err := m.item(ctx, item, &p); err != nil {
				return p, fmt.Errorf("migrate %s: %w", m.Table.Name, err)
			}
		}
		from = out.LastEvaluatedKey
		p.Next = m.position(from)
		if m.Report != nil {
			if err := m.Report(p); err != nil {
				return p, err
			}
		}
		if from == nil {
			return p, nil
		}
	}
}

// key turns a position into a start key.
func (m *Migration) key(at Position) (model.Raw, error) {
	if at == nil {
		return nil, nil
	}
	key := model.Raw{}
	for _, k := range []model.Key{m.Table.PK, m.Table.SK} {
		if k.Name == "" {
			continue
		}
		text, ok := at[k.Name]
		if !ok {
			return nil, fmt.Errorf("migrate %s: the position has no %s", m.Table.Name, k.Name)
		}
		key[k.Name] = scalar(k.Kind, text)
	}
	return key, nil
}

func (m *Migration) position(key model.Raw) Position {
	if key == nil {
		return nil
	}
	at := Position{}
	for name, value := range key {
		switch v := value.(type) {
		case *types.AttributeValueMemberS:
			at[name] = v.Value
		case *types.AttributeValueMemberN:
			at[name] = v.Value
		}
	}
	return at
}

func scalar(k model.Kind, text string) types.AttributeValue {
	if k.DynamoDB() == "N" {
		return &types.AttributeValueMemberN{Value: text}
	}
	return &types.AttributeValueMemberS{Value: text}
}

// itemTries is how often an item that changes meanwhile is looked at again.
const itemTries = 5

func (m *Migration) item(ctx context.Context, item model.Raw, p *Progress) error {
	p.Seen++
	for try := 1; item != nil; try++ {
		renewed, e, err := m.Table.Renew(item)
		if errors.Is(err, model.ErrUnknown) {
			p.Unknown++
			return nil
		}
		if err != nil {
			p.fail(m.Table, item, err)
			return nil
		}
		changed := differences(item, renewed)
		if len(changed) == 0 {
			return nil
		}
		if m.DryRun {
			p.Changed++
			return nil
		}
		again, err := m.write(ctx, item, renewed, e, changed)
		if err != nil {
			return err
		}
		if again == nil {
			p.Changed++
			return nil
		}
		if try == itemTries {
			p.fail(m.Table, item, errors.New("it changes faster than it can be migrated"))
			return nil
		}
		item = *again
	}
	return nil // it was deleted meanwhile
}

func (p *Progress) fail(t *model.Table, item model.Raw, err error) {
	if len(p.Failed) < maxFailed {
		m := Migration{Table: t}
		key := model.Raw{}
		for _, name := range t.KeyNames() {
			key[name] = item[name]
		}
		p.Failed = append(p.Failed, fmt.Sprintf("%v: %v", map[string]string(m.position(key)), err))
	}
}

// differences returns the attributes that are not the same, sorted.
func differences(a, b model.Raw) []string {
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

// write changes what differs, if nothing that it was computed from has changed
// since. Otherwise it returns the item as it is now, nil if it is gone.
func (m *Migration) write(ctx context.Context, item, renewed model.Raw, e *model.Entity, changed []string) (*model.Raw, error) {
	var update expression.UpdateBuilder
	for _, name := range changed {
		// Attribute names are taken as they are, dots included.
		if value, ok := renewed[name]; ok {
			update = update.Set(expression.NameNoDotSplit(name), expression.Value(value))
		} else {
			update = update.Remove(expression.NameNoDotSplit(name))
		}
	}
	condition := expression.AttributeExists(expression.Name(m.Table.PK.Name))
	for _, name := range inputs(e, changed) {
		condition = condition.And(unchanged(item, name))
	}
	expr, err := expression.NewBuilder().WithUpdate(update).WithCondition(condition).Build()
	if err != nil {
		return nil, err
	}
	key := model.Raw{}
	for _, name := range m.Table.KeyNames() {
		key[name] = item[name]
	}
	_, err = m.DB.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &m.Table.Name, Key: key, UpdateExpression: expr.Update(), ConditionExpression: expr.Condition(),
		ExpressionAttributeNames: expr.Names(), ExpressionAttributeValues: expr.Values(),
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	})
	var failed *types.ConditionalCheckFailedException
	if errors.As(err, &failed) {
		return &failed.Item, nil
	}
	return nil, err
}

// inputs returns what the renewed item was computed from: what changes, and
// what keys are written from.
func inputs(e *model.Entity, changed []string) []string {
	names := slices.Clone(changed)
	for _, k := range e.Keys {
		names = slices.Concat(names, k.PK.Vars(), k.SK.Vars())
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

func unchanged(item model.Raw, name string) expression.ConditionBuilder {
	if value, ok := item[name]; ok {
		return expression.NameNoDotSplit(name).Equal(expression.Value(value))
	}
	return expression.AttributeNotExists(expression.NameNoDotSplit(name))
}
