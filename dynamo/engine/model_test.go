package engine

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/cockroachdb/pebble/v2/vfs"

	"pressroom/dynamo/attr"
	"pressroom/dynamo/expr"
	"pressroom/guard/guardtest"
)

var (
	modelOps  = flag.Int("model.ops", guardtest.Few(20_000), "random operations of TestModel")
	modelSeed = flag.Uint64("model.seed", 0, "seed of TestModel; 0 takes a new one")
)

// TestModel runs random operations on the engine and on a plain map and
// compares every answer. Restarts, index changes and expiry are among them.
func TestModel(t *testing.T) {
	seed := *modelSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("-model.seed=%d", seed)
	m := newModel(t, seed)
	for i := range *modelOps {
		m.step()
		if i%2000 == 1999 {
			m.verify()
		}
	}
	m.verify()
	if err := m.e.Close(); err != nil {
		t.Fatal(err)
	}
}

const modelTable = "model-table"

type model struct {
	t     *testing.T
	rng   *rand.Rand
	fs    *vfs.MemFS
	now   time.Time
	e     *Engine
	items map[string]attr.Item
	gsi   bool // whether the index that comes and goes is there
}

func newModel(t *testing.T, seed uint64) *model {
	m := &model{t: t, rng: rand.New(rand.NewPCG(seed, 1)), fs: vfs.NewMem(), now: time.Unix(1_800_000_000, 0), items: map[string]attr.Item{}}
	m.open()
	_, err := m.e.CreateTable(context.Background(), &dynamodb.CreateTableInput{
		TableName:   aws.String(modelTable),
		BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{
			{AttributeName: aws.String("pk"), AttributeType: types.ScalarAttributeTypeS},
			{AttributeName: aws.String("sk"), AttributeType: types.ScalarAttributeTypeN},
			{AttributeName: aws.String("g"), AttributeType: types.ScalarAttributeTypeS},
			{AttributeName: aws.String("n"), AttributeType: types.ScalarAttributeTypeN},
		},
		KeySchema: keySchemaOf("pk", "sk"),
		GlobalSecondaryIndexes: []types.GlobalSecondaryIndex{
			{IndexName: aws.String("by-g"), KeySchema: keySchemaOf("g", "n"), Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll}},
			{IndexName: aws.String("keys"), KeySchema: keySchemaOf("g", ""), Projection: &types.Projection{ProjectionType: types.ProjectionTypeKeysOnly}},
		},
		LocalSecondaryIndexes: []types.LocalSecondaryIndex{
			{IndexName: aws.String("local"), KeySchema: keySchemaOf("pk", "n"), Projection: &types.Projection{ProjectionType: types.ProjectionTypeInclude, NonKeyAttributes: []string{"v"}}},
		},
		StreamSpecification: &types.StreamSpecification{StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeNewAndOldImages},
	})
	m.must(err)
	_, err = m.e.UpdateTimeToLive(context.Background(), &dynamodb.UpdateTimeToLiveInput{
		TableName:               aws.String(modelTable),
		TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: aws.String("exp"), Enabled: aws.Bool(true)},
	})
	m.must(err)
	return m
}

func keySchemaOf(hash, sort string) []types.KeySchemaElement {
	k := []types.KeySchemaElement{{AttributeName: aws.String(hash), KeyType: types.KeyTypeHash}}
	if sort != "" {
		k = append(k, types.KeySchemaElement{AttributeName: aws.String(sort), KeyType: types.KeyTypeRange})
	}
	return k
}

func (m *model) open() {
	m.t.Helper()
	e, err := Open("db", &Options{FS: m.fs, Now: func() time.Time { return m.now }, SweepEvery: -1, Logger: slog.New(slog.DiscardHandler)})
	m.must(err)
	m.e = e
}

func (m *model) must(err error) {
	m.t.Helper()
	if err != nil {
		m.t.Fatal(err)
	}
}

func (m *model) step() {
	m.now = m.now.Add(time.Duration(m.rng.IntN(500)) * time.Millisecond)
	switch n := m.rng.IntN(1000); {
	case n < 250:
		m.put()
	case n < 400:
		m.update()
	case n < 500:
		m.delete()
	case n < 560:
		m.transact()
	case n < 600:
		m.batch()
	case n < 750:
		m.query()
	case n < 880:
		m.queryIndex()
	case n < 930:
		m.get()
	case n < 970:
		m.scan()
	case n < 990:
		m.expire()
	case n < 995:
		m.changeIndex()
	default:
		m.restart()
	}
}

func num(n int) attr.Value {
	v, err := attr.NewNumber(strconv.Itoa(n))
	if err != nil {
		panic(err)
	}
	return v
}

func str(s string) attr.Value { return attr.NewString(s) }

func itemOf(pairs ...any) attr.Item {
	var b attr.Builder
	for i := 0; i < len(pairs); i += 2 {
		b.Set(pairs[i].(string), pairs[i+1].(attr.Value))
	}
	return b.Item()
}

func (m *model) randomKey() (pk string, sk int) {
	return "p" + strconv.Itoa(m.rng.IntN(8)), m.rng.IntN(25) - 5
}

func (m *model) randomItem() attr.Item {
	pk, sk := m.randomKey()
	var b attr.Builder
	b.Set("pk", str(pk))
	b.Set("sk", num(sk))
	if m.rng.IntN(3) > 0 {
		b.Set("g", str("g"+strconv.Itoa(m.rng.IntN(4))))
	}
	if m.rng.IntN(3) > 0 {
		b.Set("n", num(m.rng.IntN(6)))
	}
	if m.rng.IntN(2) > 0 {
		b.Set("v", str(fmt.Sprint("v", m.rng.IntN(1000))))
	}
	if m.rng.IntN(8) == 0 {
		b.Set("exp", num(int(m.now.Unix())+m.rng.IntN(60)))
	}
	if m.rng.IntN(20) == 0 {
		b.Set("big", str(string(bytes.Repeat([]byte("x"), m.rng.IntN(2000)))))
	}
	return b.Item()
}

func keyItem(it attr.Item) attr.Item { return pick(it, []string{"pk", "sk"}) }

func (m *model) set(key string, it attr.Item) {
	if it == nil {
		delete(m.items, key)
		return
	}
	m.items[key] = it
}

func (m *model) put() {
	it := m.randomItem()
	key := string(keyItem(it))
	r := &PutItem{TableName: aws.String(modelTable), Item: it}
	r.ReturnValues = "ALL_OLD"
	ifAbsent := m.rng.IntN(4) == 0
	if ifAbsent {
		r.ConditionExpression = aws.String("attribute_not_exists(pk)")
	}
	out, err := m.e.PutItem(context.Background(), r)
	if m.refused(err, ifAbsent && m.items[key] != nil) {
		return
	}
	m.same("old item", out.Attributes, m.items[key])
	m.set(key, it)
}

// refused checks that the condition failed exactly when it should have.
func (m *model) refused(err error, want bool) bool {
	m.t.Helper()
	var own *Error
	failed := errors.As(err, &own) && own.Type == ConditionFailed
	if failed != want || err != nil && !failed {
		m.t.Fatalf("condition failed %v (%v), want %v", failed, err, want)
	}
	return failed
}

func (m *model) same(what string, got, want attr.Item) {
	m.t.Helper()
	if !bytes.Equal(got, want) {
		m.t.Fatalf("%s:\n got %s\nwant %s", what, attr.AppendItemJSON(nil, got), attr.AppendItemJSON(nil, want))
	}
}

func (m *model) update() {
	pk, sk := m.randomKey()
	k := itemOf("pk", str(pk), "sk", num(sk))
	old := m.items[string(k)]
	r := &UpdateItem{Keyed: Keyed{TableName: aws.String(modelTable), Key: k}}
	r.ReturnValues = "ALL_NEW"
	b := attr.NewBuilder(k)
	if old != nil {
		b = attr.NewBuilder(old)
	}
	switch m.rng.IntN(3) {
	case 0:
		r.UpdateExpression = aws.String("SET g = :g REMOVE v")
		g := str("g" + strconv.Itoa(m.rng.IntN(4)))
		r.Placeholders = expr.Placeholders{Values: map[string]attr.Value{":g": g}}
		b.Set("g", g)
		b.Delete("v")
	case 1:
		r.UpdateExpression = aws.String("ADD n :one")
		r.Placeholders = expr.Placeholders{Values: map[string]attr.Value{":one": num(1)}}
		n, ok := old.Get("n")
		if !ok {
			n = num(0)
		}
		sum, err := attr.Add(n, num(1))
		m.must(err)
		b.Set("n", sum)
	case 2:
		r.UpdateExpression = aws.String("REMOVE n, g, #e")
		r.Placeholders = expr.Placeholders{Names: map[string]string{"#e": "exp"}}
		b.Delete("n")
		b.Delete("g")
		b.Delete("exp")
	}
	onlyIf := m.rng.IntN(3) == 0
	if onlyIf {
		r.ConditionExpression = aws.String("attribute_exists(pk)")
	}
	out, err := m.e.UpdateItem(context.Background(), r)
	if m.refused(err, onlyIf && old == nil) {
		return
	}
	want := b.Item()
	if old == nil && strings.HasPrefix(*r.UpdateExpression, "REMOVE") {
		want = nil // an update that only removes makes no item
	}
	m.same("new item", out.Attributes, want)
	m.set(string(k), want)
}

func (m *model) delete() {
	pk, sk := m.randomKey()
	k := itemOf("pk", str(pk), "sk", num(sk))
	r := &DeleteItem{Keyed: Keyed{TableName: aws.String(modelTable), Key: k}}
	r.ReturnValues = "ALL_OLD"
	out, err := m.e.DeleteItem(context.Background(), r)
	m.must(err)
	m.same("deleted item", out.Attributes, m.items[string(k)])
	m.set(string(k), nil)
}

func (m *model) get() {
	pk, sk := m.randomKey()
	k := itemOf("pk", str(pk), "sk", num(sk))
	out, err := m.e.GetItem(context.Background(), &GetItem{TableName: aws.String(modelTable), Key: k})
	m.must(err)
	m.same("item", out.Item, m.items[string(k)])
}

// transact writes several items; one condition may cancel all of them.
func (m *model) transact() {
	r := new(TransactWrite)
	next := map[string]attr.Item{}
	cancel := false
	for range 2 + m.rng.IntN(4) {
		it := m.randomItem()
		k := keyItem(it)
		if _, twice := next[string(k)]; twice {
			continue
		}
		switch m.rng.IntN(4) {
		case 0:
			d := &DeleteItem{Keyed: Keyed{TableName: aws.String(modelTable), Key: k}}
			r.Actions = append(r.Actions, TransactAction{Delete: d, Given: 1})
			next[string(k)] = nil
		case 1:
			c := &ConditionCheck{Keyed: Keyed{TableName: aws.String(modelTable), Key: k}}
			c.ConditionExpression = aws.String("attribute_exists(pk)")
			r.Actions = append(r.Actions, TransactAction{Check: c, Given: 1})
			cancel = cancel || m.items[string(k)] == nil
			next[string(k)] = m.items[string(k)]
		default:
			r.Actions = append(r.Actions, TransactAction{Put: &PutItem{TableName: aws.String(modelTable), Item: it}, Given: 1})
			next[string(k)] = it
		}
	}
	_, err := m.e.TransactWrite(context.Background(), r)
	var own *Error
	if cancelled := errors.As(err, &own) && own.Type == TransactionCancelled; cancelled != cancel || err != nil && !cancelled {
		m.t.Fatalf("transaction: %v, want cancelled %v", err, cancel)
	}
	if !cancel {
		for k, it := range next {
			m.set(k, it)
		}
	}
}

func (m *model) batch() {
	b := BatchWriteTable{TableName: modelTable}
	next := map[string]attr.Item{}
	for range 1 + m.rng.IntN(25) {
		it := m.randomItem()
		k := keyItem(it)
		if _, twice := next[string(k)]; twice {
			continue
		}
		if m.rng.IntN(3) == 0 {
			b.Writes = append(b.Writes, BatchWriteItem{Key: k})
			next[string(k)] = nil
			continue
		}
		b.Writes = append(b.Writes, BatchWriteItem{Item: it})
		next[string(k)] = it
	}
	_, err := m.e.BatchWrite(context.Background(), &BatchWrite{Tables: []BatchWriteTable{b}})
	m.must(err)
	for k, it := range next {
		m.set(k, it)
	}
}

func (m *model) expire() {
	m.now = m.now.Add(time.Duration(m.rng.IntN(30)) * time.Second)
	m.must(m.e.Sweep())
	for k, it := range m.items {
		if at, ok := expiryOf(it, "exp"); ok && at < m.now.Unix() {
			delete(m.items, k)
		}
	}
}

func (m *model) restart() {
	m.must(m.e.Close())
	m.open()
	got, err := m.e.DescribeTable(context.Background(), &dynamodb.DescribeTableInput{TableName: aws.String(modelTable)})
	m.must(err)
	if n := aws.ToInt64(got.Table.ItemCount); n != int64(len(m.items)) {
		m.t.Fatalf("ItemCount after restart %d, want %d", n, len(m.items))
	}
}

// changeIndex adds or removes an index and waits until that is done.
func (m *model) changeIndex() {
	in := &dynamodb.UpdateTableInput{TableName: aws.String(modelTable)}
	if m.gsi {
		in.GlobalSecondaryIndexUpdates = []types.GlobalSecondaryIndexUpdate{{Delete: &types.DeleteGlobalSecondaryIndexAction{IndexName: aws.String("late")}}}
	} else {
		in.AttributeDefinitions = []types.AttributeDefinition{{AttributeName: aws.String("v"), AttributeType: types.ScalarAttributeTypeS}, {AttributeName: aws.String("n"), AttributeType: types.ScalarAttributeTypeN}}
		in.GlobalSecondaryIndexUpdates = []types.GlobalSecondaryIndexUpdate{{Create: &types.CreateGlobalSecondaryIndexAction{
			IndexName: aws.String("late"), KeySchema: keySchemaOf("v", "n"), Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll},
		}}}
	}
	_, err := m.e.UpdateTable(context.Background(), in)
	m.must(err)
	m.gsi = !m.gsi
	eventually(m.t, "the index to be active", func() bool {
		ix := m.e.catalog.get(modelTable).shape.Load().index("late")
		return m.gsi == (ix != nil) && (ix == nil || ix.ready)
	})
}

func (m *model) verify() {
	m.t.Helper()
	m.must(m.e.Verify(context.Background(), func(p Problem) { m.t.Error(p) }))
	if m.t.Failed() {
		m.t.FailNow()
	}
	got := map[string]attr.Item{}
	m.pages(func(start attr.Item) (*PageAnswer, error) {
		return m.e.Scan(context.Background(), &Scan{Paged: Paged{TableName: aws.String(modelTable), ExclusiveStartKey: start, Emit: func(it attr.Item) error {
			got[string(keyItem(it))] = it.Clone()
			return nil
		}}})
	})
	if !maps.EqualFunc(got, m.items, func(a, b attr.Item) bool { return bytes.Equal(a, b) }) {
		m.t.Fatalf("the table has %d items, the model %d, or they differ", len(got), len(m.items))
	}
}

// pages calls read until there are no more.
func (m *model) pages(read func(start attr.Item) (*PageAnswer, error)) {
	m.t.Helper()
	var start attr.Item
	for {
		out, err := read(start)
		m.must(err)
		if out.LastKey == nil {
			return
		}
		start = out.LastKey
	}
}

func (m *model) scan() {
	total := int32(1 + m.rng.IntN(4))
	limit := int32(1 + m.rng.IntN(40))
	seen := map[string]bool{}
	for seg := range total {
		m.pages(func(start attr.Item) (*PageAnswer, error) {
			r := &Scan{Segment: aws.Int32(seg), TotalSegments: aws.Int32(total)}
			r.TableName, r.Limit, r.ExclusiveStartKey = aws.String(modelTable), &limit, start
			r.Emit = func(it attr.Item) error {
				k := string(keyItem(it))
				if seen[k] {
					m.t.Fatalf("scanned twice: %q", k)
				}
				seen[k] = true
				m.same("scanned item", it, m.items[k])
				return nil
			}
			return m.e.Scan(context.Background(), r)
		})
	}
	if len(seen) != len(m.items) {
		m.t.Fatalf("scanned %d items, want %d", len(seen), len(m.items))
	}
}

// query reads a partition by a random sort condition, direction and page
// size, and compares with the model's items sorted and cut the same way.
func (m *model) query() {
	pk, a := m.randomKey()
	_, b := m.randomKey()
	if a > b {
		a, b = b, a
	}
	conds := []struct {
		src  string
		keep func(n int) bool
	}{
		{"pk = :p", func(int) bool { return true }},
		{"pk = :p AND sk = :a", func(n int) bool { return n == a }},
		{"pk = :p AND sk < :a", func(n int) bool { return n < a }},
		{"pk = :p AND sk <= :a", func(n int) bool { return n <= a }},
		{"pk = :p AND sk > :a", func(n int) bool { return n > a }},
		{"pk = :p AND sk >= :a", func(n int) bool { return n >= a }},
		{"pk = :p AND sk BETWEEN :a AND :b", func(n int) bool { return a <= n && n <= b }},
	}
	i := m.rng.IntN(len(conds))
	values := map[string]attr.Value{":p": str(pk)}
	if i > 0 {
		values[":a"] = num(a)
	}
	if i == 6 {
		values[":b"] = num(b)
	}
	var want []attr.Item
	for _, it := range m.items {
		p, _ := it.Get("pk")
		s, _ := it.Get("sk")
		n, err := strconv.Atoi(s.Number())
		m.must(err)
		if p.Text() == pk && conds[i].keep(n) {
			want = append(want, it)
		}
	}
	m.compareQuery(nil, conds[i].src, values, want, []string{"sk"}, nil)
}

// queryIndex reads one of the indexes.
func (m *model) queryIndex() {
	type q struct {
		index, hash, sort string
		keep              []string
	}
	qs := []q{{"by-g", "g", "n", nil}, {"keys", "g", "", []string{"g", "pk", "sk"}}, {"local", "pk", "n", []string{"n", "pk", "sk", "v"}}}
	if m.gsi {
		qs = append(qs, q{"late", "v", "n", nil})
	}
	x := qs[m.rng.IntN(len(qs))]
	value := "g" + strconv.Itoa(m.rng.IntN(4))
	switch x.hash {
	case "pk":
		value, _ = m.randomKey()
	case "v":
		value = fmt.Sprint("v", m.rng.IntN(1000))
	}
	var want []attr.Item
	for _, it := range m.items {
		h, ok := it.Get(x.hash)
		if !ok || h.Text() != value {
			continue
		}
		if x.sort != "" {
			if _, ok := it.Get(x.sort); !ok {
				continue
			}
		}
		want = append(want, it)
	}
	order := []string{"pk", "sk"}
	if x.sort != "" {
		order = []string{x.sort, "pk", "sk"}
	}
	m.compareQuery(aws.String(x.index), x.hash+" = :h", map[string]attr.Value{":h": str(value)}, want, order, x.keep)
}

func (m *model) compareQuery(index *string, src string, values map[string]attr.Value, want []attr.Item, order, keep []string) {
	m.t.Helper()
	forward := m.rng.IntN(2) == 0
	slices.SortFunc(want, func(a, b attr.Item) int {
		for _, name := range order {
			x, _ := a.Get(name)
			y, _ := b.Get(name)
			if c := bytes.Compare(attr.AppendKey(nil, x), attr.AppendKey(nil, y)); c != 0 {
				return c
			}
		}
		return 0
	})
	if !forward {
		slices.Reverse(want)
	}
	limit := int32(1 + m.rng.IntN(20))
	n := 0
	m.pages(func(start attr.Item) (*PageAnswer, error) {
		r := &Query{KeyConditionExpression: &src, ScanIndexForward: &forward}
		r.TableName, r.IndexName, r.Limit, r.ExclusiveStartKey = aws.String(modelTable), index, &limit, start
		r.Placeholders = expr.Placeholders{Values: values}
		r.Emit = func(it attr.Item) error {
			if n >= len(want) {
				m.t.Fatalf("%s on %v: more than %d items", src, aws.ToString(index), len(want))
			}
			expected := want[n]
			if keep != nil {
				expected = pick(expected, keep)
			}
			m.same(fmt.Sprintf("%s on %q, item %d", src, aws.ToString(index), n), it, expected)
			n++
			return nil
		}
		return m.e.Query(context.Background(), r)
	})
	if n != len(want) {
		m.t.Fatalf("%s on %q: %d items, want %d", src, aws.ToString(index), n, len(want))
	}
}
