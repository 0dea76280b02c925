package ops

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"pressroom/model"
)

// Capacity is what reading and writing a table, or one of its indexes, took, in
// DynamoDB's units, as this process asked for it.
type Capacity struct {
	Table string
	Index string // "" for the table itself
	// Read and Written are since the process began.
	Read, Written float64
	// ReadRate and WriteRate are units a second over the last minute.
	ReadRate, WriteRate float64
}

// Meter is tables that count the capacity which is consumed through it. It is the
// store itself to whoever uses it, with the same answers and errors.
type Meter struct {
	model.DB
	now func() time.Time

	mu    sync.Mutex
	cells map[cellKey]*cell
}

type cellKey struct{ table, index string }

// cell counts one table or index. This minute and the one before make a rate that
// slides.
type cell struct {
	read, written counter
}

type counter struct {
	total        float64
	minute       int64
	present, was float64
}

func (c *counter) add(n float64, now time.Time) {
	c.turn(now)
	c.total += n
	c.present += n
}

// turn begins a new minute, if one has.
func (c *counter) turn(now time.Time) {
	minute := now.Unix() / 60
	switch minute - c.minute {
	case 0:
		return
	case 1:
		c.was = c.present
	default:
		c.was = 0
	}
	c.minute, c.present = minute, 0
}

// rate is units a second: this minute so far, and of the last one the part that is
// within sixty seconds.
func (c *counter) rate(now time.Time) float64 {
	c.turn(now)
	left := 1 - float64(now.UnixNano()%int64(time.Minute))/float64(time.Minute)
	return (c.present + c.was*left) / 60
}

// NewMeter returns db with a meter. A nil now is time.Now.
func NewMeter(db model.DB, now func() time.Time) *Meter {
	if now == nil {
		now = time.Now
	}
	return &Meter{DB: db, now: now, cells: map[cellKey]*cell{}}
}

// Read makes a Meter a Source, by table and index.
func (m *Meter) Read(context.Context) (Readings, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.now()
	var r Readings
	for k, c := range m.cells {
		r.Capacity = append(r.Capacity, Capacity{Table: k.table, Index: k.index,
			Read: c.read.total, Written: c.written.total, ReadRate: c.read.rate(now), WriteRate: c.written.rate(now)})
	}
	slices.SortFunc(r.Capacity, func(a, b Capacity) int {
		return strings.Compare(a.Table+"\x00"+a.Index, b.Table+"\x00"+b.Index)
	})
	return r, nil
}

// count adds what an answer says that it took. Only transactions say themselves
// what was reading and what was writing.
func (m *Meter) count(writes bool, all ...types.ConsumedCapacity) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.now()
	for _, c := range all {
		table := tableOf(aws.ToString(c.TableName))
		if c.Table == nil {
			m.add(table, "", writes, types.Capacity{CapacityUnits: c.CapacityUnits}, now)
			continue
		}
		m.add(table, "", writes, *c.Table, now)
		for _, part := range []map[string]types.Capacity{c.GlobalSecondaryIndexes, c.LocalSecondaryIndexes} {
			for index, units := range part {
				m.add(table, index, writes, units, now)
			}
		}
	}
}

func (m *Meter) add(table, index string, writes bool, c types.Capacity, now time.Time) {
	read, written := aws.ToFloat64(c.ReadCapacityUnits), aws.ToFloat64(c.WriteCapacityUnits)
	if units := aws.ToFloat64(c.CapacityUnits); read == 0 && written == 0 {
		if writes {
			written = units
		} else {
			read = units
		}
	}
	if read == 0 && written == 0 {
		return
	}
	k := cellKey{table, index}
	if m.cells[k] == nil {
		m.cells[k] = &cell{}
	}
	m.cells[k].read.add(read, now)
	m.cells[k].written.add(written, now)
}

// tableOf returns the name of a table that may be given by its ARN.
func tableOf(name string) string {
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		return name[i+1:]
	}
	return name
}

// detailed asks for what the caller did not: capacity by index. What the caller
// asked for stays.
func detailed(asked types.ReturnConsumedCapacity) types.ReturnConsumedCapacity {
	if asked == "" || asked == types.ReturnConsumedCapacityNone {
		return types.ReturnConsumedCapacityIndexes
	}
	return asked
}

// one is the capacity of a single answer.
func one(c *types.ConsumedCapacity) []types.ConsumedCapacity {
	if c == nil {
		return nil
	}
	return []types.ConsumedCapacity{*c}
}

// The operations on items, each with the same input but for the capacity it asks
// for. The caller's input is not changed.

// GetItem reads, counted.
func (m *Meter) GetItem(ctx context.Context, in *dynamodb.GetItemInput, o ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	asked := *in
	asked.ReturnConsumedCapacity = detailed(in.ReturnConsumedCapacity)
	out, err := m.DB.GetItem(ctx, &asked, o...)
	if err == nil {
		m.count(false, one(out.ConsumedCapacity)...)
	}
	return out, err
}

// PutItem writes, counted.
func (m *Meter) PutItem(ctx context.Context, in *dynamodb.PutItemInput, o ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error) {
	asked := *in
	asked.ReturnConsumedCapacity = detailed(in.ReturnConsumedCapacity)
	out, err := m.DB.PutItem(ctx, &asked, o...)
	if err == nil {
		m.count(true, one(out.ConsumedCapacity)...)
	}
	return out, err
}

// UpdateItem writes, counted.
func (m *Meter) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, o ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	asked := *in
	asked.ReturnConsumedCapacity = detailed(in.ReturnConsumedCapacity)
	out, err := m.DB.UpdateItem(ctx, &asked, o...)
	if err == nil {
		m.count(true, one(out.ConsumedCapacity)...)
	}
	return out, err
}

// DeleteItem writes, counted.
func (m *Meter) DeleteItem(ctx context.Context, in *dynamodb.DeleteItemInput, o ...func(*dynamodb.Options)) (*dynamodb.DeleteItemOutput, error) {
	asked := *in
	asked.ReturnConsumedCapacity = detailed(in.ReturnConsumedCapacity)
	out, err := m.DB.DeleteItem(ctx, &asked, o...)
	if err == nil {
		m.count(true, one(out.ConsumedCapacity)...)
	}
	return out, err
}

// Query reads, counted.
func (m *Meter) Query(ctx context.Context, in *dynamodb.QueryInput, o ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	asked := *in
	asked.ReturnConsumedCapacity = detailed(in.ReturnConsumedCapacity)
	out, err := m.DB.Query(ctx, &asked, o...)
	if err == nil {
		m.count(false, one(out.ConsumedCapacity)...)
	}
	return out, err
}

// Scan reads, counted.
func (m *Meter) Scan(ctx context.Context, in *dynamodb.ScanInput, o ...func(*dynamodb.Options)) (*dynamodb.ScanOutput, error) {
	asked := *in
	asked.ReturnConsumedCapacity = detailed(in.ReturnConsumedCapacity)
	out, err := m.DB.Scan(ctx, &asked, o...)
	if err == nil {
		m.count(false, one(out.ConsumedCapacity)...)
	}
	return out, err
}

// BatchGetItem reads, counted.
func (m *Meter) BatchGetItem(ctx context.Context, in *dynamodb.BatchGetItemInput, o ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error) {
	asked := *in
	asked.ReturnConsumedCapacity = detailed(in.ReturnConsumedCapacity)
	out, err := m.DB.BatchGetItem(ctx, &asked, o...)
	if err == nil {
		m.count(false, out.ConsumedCapacity...)
	}
	return out, err
}

// BatchWriteItem writes, counted.
func (m *Meter) BatchWriteItem(ctx context.Context, in *dynamodb.BatchWriteItemInput, o ...func(*dynamodb.Options)) (*dynamodb.BatchWriteItemOutput, error) {
	asked := *in
	asked.ReturnConsumedCapacity = detailed(in.ReturnConsumedCapacity)
	out, err := m.DB.BatchWriteItem(ctx, &asked, o...)
	if err == nil {
		m.count(true, out.ConsumedCapacity...)
	}
	return out, err
}

// TransactGetItems reads, counted.
func (m *Meter) TransactGetItems(ctx context.Context, in *dynamodb.TransactGetItemsInput, o ...func(*dynamodb.Options)) (*dynamodb.TransactGetItemsOutput, error) {
	asked := *in
	asked.ReturnConsumedCapacity = detailed(in.ReturnConsumedCapacity)
	out, err := m.DB.TransactGetItems(ctx, &asked, o...)
	if err == nil {
		m.count(false, out.ConsumedCapacity...)
	}
	return out, err
}

// TransactWriteItems writes, counted.
func (m *Meter) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, o ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	asked := *in
	asked.ReturnConsumedCapacity = detailed(in.ReturnConsumedCapacity)
	out, err := m.DB.TransactWriteItems(ctx, &asked, o...)
	if err == nil {
		m.count(true, out.ConsumedCapacity...)
	}
	return out, err
}
