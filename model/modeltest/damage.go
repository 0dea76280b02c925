package modeltest

import (
	"context"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"pressroom/dynamo"
	"pressroom/model"
)

// Damage changes a table behind the back of whoever owns it, for tests of what
// finds such damage. Keys are given as they are stored.
type Damage struct {
	T     testing.TB
	DB    dynamo.API
	Table *model.Table
}

func (d Damage) key(key []string) model.Raw {
	raw := model.Raw{}
	for i, name := range d.Table.KeyNames() {
		raw[name] = &types.AttributeValueMemberS{Value: key[i]}
	}
	return raw
}

func (d Damage) must(err error) {
	d.T.Helper()
	if err != nil {
		d.T.Fatalf("damage table %s: %v", d.Table.Name, err)
	}
}

// Get returns an item, which must be there.
func (d Damage) Get(key ...string) model.Raw {
	d.T.Helper()
	out, err := d.DB.GetItem(context.Background(), &dynamodb.GetItemInput{TableName: &d.Table.Name, Key: d.key(key), ConsistentRead: aws.Bool(true)})
	d.must(err)
	if out.Item == nil {
		d.T.Fatalf("table %s has nothing under %q", d.Table.Name, key)
	}
	return out.Item
}

// Delete removes an item, which must be there.
func (d Damage) Delete(key ...string) {
	d.T.Helper()
	d.Get(key...)
	_, err := d.DB.DeleteItem(context.Background(), &dynamodb.DeleteItemInput{TableName: &d.Table.Name, Key: d.key(key)})
	d.must(err)
}

// Set changes an attribute of an item, which must be there; nil removes it.
func (d Damage) Set(name string, value any, key ...string) {
	d.T.Helper()
	item := d.Get(key...)
	delete(item, name)
	if value != nil {
		v, err := attributevalue.Marshal(value)
		d.must(err)
		item[name] = v
	}
	d.put(item)
}

// Copy puts what is under a key under another one as well. It does not look at
// the rest: keys of indexes stay those of the original.
func (d Damage) Copy(from, to []string) {
	d.T.Helper()
	item := d.Get(from...)
	for name, value := range d.key(to) {
		item[name] = value
	}
	d.put(item)
}

// Put writes an item of plain values.
func (d Damage) Put(values map[string]any) {
	d.T.Helper()
	item, err := attributevalue.MarshalMap(values)
	d.must(err)
	d.put(item)
}

func (d Damage) put(item model.Raw) {
	d.T.Helper()
	_, err := d.DB.PutItem(context.Background(), &dynamodb.PutItemInput{TableName: &d.Table.Name, Item: item})
	d.must(err)
}

// Check is a desk's check of its own data.
type Check func(ctx context.Context, report func(where, what string)) error

// Findings runs a check to its end and returns what it reports.
func Findings(t testing.TB, check Check) []string {
	t.Helper()
	var all []string
	if err := check(t.Context(), func(where, what string) { all = append(all, where+": "+what) }); err != nil {
		t.Fatal(err)
	}
	return all
}

// WantFinding fails the test if the check does not report something with all of
// the words.
func WantFinding(t testing.TB, check Check, words ...string) {
	t.Helper()
	found := Findings(t, check)
	for _, f := range found {
		missing := false
		for _, w := range words {
			missing = missing || !strings.Contains(f, w)
		}
		if !missing {
			return
		}
	}
	t.Errorf("no finding with %q among %q", words, found)
}

// WantSound fails the test if the check reports anything.
func WantSound(t testing.TB, check Check) {
	t.Helper()
	for _, f := range Findings(t, check) {
		t.Errorf("finding: %s", f)
	}
}
