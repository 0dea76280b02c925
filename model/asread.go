package model

import (
	"context"
	"errors"
	"hash/fnv"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// A version is an addition of ours, which items of other programs lack. Such an item
// has a version all the same when it is read: a negative number made of all that it
// says. Whoever writes over that version looks at the item once more, and writes only
// if it still says the same.

// versioned gives a whole item without a version the number that stands for it. It
// must be called before anything else is added to the item.
func (t *Table) versioned(e *Entity, item Raw) {
	if e.Version != "" && item[e.Version] == nil {
		item[e.Version] = number(t.print(e, item))
	}
}

// print is a negative number made of what an item says. Keys and additions of ours do
// not count: they come later, by our own hand.
func (t *Table) print(e *Entity, item Raw) int {
	h := fnv.New64a()
	for _, name := range slices.Sorted(maps.Keys(item)) {
		if t.says(e, name) {
			h.Write([]byte(name))
			h.Write([]byte{0})
			hashValue(h, item[name])
		}
	}
	return -1 - int(h.Sum64()>>16) // a browser's numbers have 53 bits
}

// says reports whether an attribute is the writer's own: no key and nothing that the
// key says already, no addition.
func (t *Table) says(e *Entity, name string) bool {
	if f, ok := e.Field(name); ok {
		return !f.Added && name != e.Version && !slices.Contains(t.fromKeys(nil, e), name)
	}
	return name != SchemaVersionAttribute && !slices.Contains(t.keyAttributes(), name)
}

// keyAttributes are the keys of the table and of its indexes.
func (t *Table) keyAttributes() []string {
	names := slices.Clone(t.KeyNames())
	for _, x := range t.Indexes {
		names = append(names, x.KeyNames()...)
	}
	return names
}

type hasher interface{ Write([]byte) (int, error) }

// hashValue writes a value so that values which differ are written differently.
func hashValue(h hasher, value types.AttributeValue) {
	text := func(kind byte, s string) {
		_, _ = h.Write([]byte{kind, byte(len(s) >> 24), byte(len(s) >> 16), byte(len(s) >> 8), byte(len(s))})
		_, _ = h.Write([]byte(s)) // a hash does not fail
	}
	set := func(kind byte, members []string) {
		text(kind, "")
		for _, s := range slices.Sorted(slices.Values(members)) {
			text(kind, s)
		}
		text(0, "")
	}
	switch v := value.(type) {
	case *types.AttributeValueMemberS:
		text('S', v.Value)
	case *types.AttributeValueMemberN:
		text('N', v.Value)
	case *types.AttributeValueMemberB:
		text('B', string(v.Value))
	case *types.AttributeValueMemberBOOL:
		text('b', map[bool]string{true: "1"}[v.Value])
	case *types.AttributeValueMemberSS:
		set('s', v.Value)
	case *types.AttributeValueMemberNS:
		set('n', v.Value)
	case *types.AttributeValueMemberL:
		text('L', "")
		for _, member := range v.Value {
			hashValue(h, member)
		}
		text(0, "")
	case *types.AttributeValueMemberM:
		text('M', "")
		for _, name := range slices.Sorted(maps.Keys(v.Value)) {
			text('k', name)
			hashValue(h, v.Value[name])
		}
		text(0, "")
	default:
		text('0', "")
	}
}

// asRead returns the condition that the item with this key is as it was when it had
// the version: of ours that it has it still, of another program's that it says the
// same. One that is another by now is ErrStale.
func (r *core) asRead(ctx context.Context, key Raw, version int) (expression.ConditionBuilder, error) {
	if version > 0 {
		return expression.Name(r.entity.Version).Equal(expression.Value(version)), nil
	}
	out, err := r.db.GetItem(ctx, &dynamodb.GetItemInput{TableName: &r.table.Name, Key: only(key, r.table.KeyNames()), ConsistentRead: aws.Bool(true)})
	if err != nil {
		return expression.ConditionBuilder{}, err
	}
	if out.Item == nil || out.Item[r.entity.Version] != nil || r.table.print(r.entity, out.Item) != version {
		return expression.ConditionBuilder{}, ErrStale
	}
	same := expression.AttributeNotExists(expression.Name(r.entity.Version)).And(r.present())
	for _, name := range slices.Sorted(maps.Keys(out.Item)) {
		if r.table.says(r.entity, name) {
			same = same.And(expression.NameNoDotSplit(name).Equal(expression.Value(out.Item[name])))
		}
	}
	for _, f := range r.entity.Fields {
		if out.Item[f.Name] == nil && r.table.says(r.entity, f.Name) {
			same = same.And(expression.NameNoDotSplit(f.Name).AttributeNotExists())
		}
	}
	return same, nil
}

// over is the update that makes an item of what is there. What its entity does not
// declare stays; if it only adopts the item, whatever the writer said stays.
func (r *core) over(item Raw, adopts bool) expression.UpdateBuilder {
	var update expression.UpdateBuilder
	keys := r.table.KeyNames()
	fixed := func(name string) bool {
		return slices.Contains(keys, name) || adopts && (r.table.says(r.entity, name) || name == r.entity.Version)
	}
	for _, name := range slices.Sorted(maps.Keys(item)) {
		if !fixed(name) {
			update = update.Set(expression.NameNoDotSplit(name), expression.Value(item[name]))
		}
	}
	known := r.table.keyAttributes()
	for _, f := range r.entity.Fields {
		known = append(known, f.Name)
	}
	slices.Sort(known)
	for _, name := range slices.Compact(known) {
		if item[name] == nil && !fixed(name) {
			update = update.Remove(expression.NameNoDotSplit(name))
		}
	}
	return update
}

// replacing is the write of an item over the version that was read.
func (r *core) replacing(ctx context.Context, w write) (types.Update, error) {
	same, err := r.asRead(ctx, w.item, w.old)
	if err != nil {
		return types.Update{}, err
	}
	expr, err := expression.NewBuilder().WithUpdate(r.over(w.item, w.adopts)).WithCondition(all(append(slices.Clip(w.conditions), same))).Build()
	return types.Update{
		TableName: &r.table.Name, Key: only(w.item, r.table.KeyNames()), UpdateExpression: expr.Update(),
		ConditionExpression: expr.Condition(), ExpressionAttributeNames: expr.Names(), ExpressionAttributeValues: expr.Values(),
	}, err
}

// AdoptPiece writes what this program adds to an item that another one wrote, if it is
// as it was read. It stays an item without a version, so that whoever has it open can
// still save it. An item of ours is written as PutPiece does.
func (r *Repo[T]) AdoptPiece(v *T, conditions ...expression.ConditionBuilder) Piece {
	w, err := r.put1(v, conditions)
	if w.adopts = w.old < 0; w.adopts {
		delete(w.item, r.entity.Version)
		w.version = ""
	}
	return r.putPiece("adopt", v, w, err)
}

// RemovePiece deletes the item of a value, if it is as it was read: ErrStale.
func (r *Repo[T]) RemovePiece(v *T, conditions ...expression.ConditionBuilder) Piece {
	item, err := r.table.encode(r.entity, v)
	old := 0
	if err == nil {
		old, err = versionOf(item, r.entity.Version)
	}
	if err == nil && (r.entity.Version == "" || old == 0) {
		err = errors.New("it was not read, or has no version")
	}
	return Piece{what: "delete " + r.entity.Name, failed: ErrStale, err: err, late: func(ctx context.Context) (types.TransactWriteItem, error) {
		same, err := r.asRead(ctx, item, old)
		if err != nil {
			return types.TransactWriteItem{}, err
		}
		expr, err := build(append(slices.Clip(conditions), same))
		return types.TransactWriteItem{Delete: &types.Delete{
			TableName: &r.table.Name, Key: only(item, r.table.KeyNames()),
			ConditionExpression: expr.Condition(), ExpressionAttributeNames: expr.Names(), ExpressionAttributeValues: expr.Values(),
		}}, err
	}}
}
