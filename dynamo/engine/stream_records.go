package engine

import (
	"context"
	"encoding/hex"
	"hash/fnv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/cockroachdb/pebble/v2"

	"pressroom/dynamo/attr"
)

const (
	maxRecords     = 1000
	maxRecordBytes = 1 << 20
)

// RecordsAnswer is the answer to GetRecords.
type RecordsAnswer struct {
	Records []Record
	// NextShardIterator is nil when the shard is closed and read to its end.
	NextShardIterator *string
}

// Record is a record of a stream.
type Record struct {
	EventID   string
	EventName string // INSERT, MODIFY or REMOVE
	// Keys are the item's key attributes. New and Old are the item after and
	// before; nil if there was none or the view does not have it.
	Keys, New, Old attr.Item
	Sequence       string
	Size           int64 // of keys and images, in bytes
	Time           time.Time
	// Expired says that TTL removed the item, which the service signs with
	// its own principal.
	Expired bool
	View    types.StreamViewType
}

// GetRecords returns the records that follow an iterator, at most 1,000 and
// 1 MB. Only what is on disk, and everything before it too, is returned.
func (e *Engine) GetRecords(ctx context.Context, in *dynamodbstreams.GetRecordsInput) (*RecordsAnswer, error) {
	if err := e.enter(ctx); err != nil {
		return nil, err
	}
	defer e.store.Leave()
	var c checks
	c.present("shardIterator", in.ShardIterator != nil)
	if in.ShardIterator != nil {
		c.length("shardIterator", *in.ShardIterator, 1, 2048)
	}
	c.atLeast("limit", in.Limit, 1)
	c.atMost("limit", in.Limit, maxRecords)
	if err := c.err(); err != nil {
		return nil, err
	}
	i, ok := parseIterator(*in.ShardIterator)
	if !ok {
		return nil, invalid("Invalid ShardIterator")
	}
	s, err := e.findStream(i.arn)
	if err != nil {
		return nil, err
	}
	now := e.now()
	if now.Sub(i.issued) > iteratorLife {
		return nil, newError(ExpiredIterator, "The shard iterator has expired and can no longer be used to retrieve stream records. A shard iterator expires 15 minutes after it is retrieved using the GetShardIterator action.")
	}
	limit := maxRecords
	if in.Limit != nil {
		limit = int(*in.Limit)
	}
	if tracked(ctx) {
		// A number that is on its way hides those after it, which may be answered.
		note(ctx, tableSlot(s.t.id))
		if err := s.t.seq.settle(ctx); err != nil {
			return nil, err
		}
	}
	out, err := e.records(s, i, limit, now)
	if err != nil {
		return nil, err
	}
	// A write that failed ends its number too: what it wrote may never have been.
	return out, e.store.GoOn()
}

// records reads a page of the stream.
func (e *Engine) records(s *stream, i iterator, limit int, now time.Time) (*RecordsAnswer, error) {
	horizon := s.horizon(now)
	switch {
	case i.place == atHorizon:
		i.next = horizon
	case i.place == atRecord && i.next < horizon:
		return nil, trimmed()
	}
	end := s.end()
	it, err := e.db.NewIter(changeBounds(s.t.id, i.next, end))
	if err != nil {
		return nil, e.unreadable(err)
	}
	defer func() { _ = it.Close() }()
	out := &RecordsAnswer{Records: []Record{}}
	next, err := s.fill(out, it, limit)
	if err != nil {
		return nil, e.unreadable(err)
	}
	i.issued = now
	switch {
	case next != 0:
		i.next, i.place = next, atRecord
	case s.To != 0 && end >= s.To:
		return out, nil
	default:
		i.place = atTip
		if n := len(out.Records); n > 0 {
			last, _ := parseSequence(out.Records[n-1].Sequence)
			i.next = last + 1
		}
	}
	out.NextShardIterator = aws.String(i.String())
	return out, nil
}

// fill adds records until the page is full and returns the number of the
// first that found no room, 0 if there is none.
func (s *stream) fill(out *RecordsAnswer, it *pebble.Iterator, limit int) (next uint64, err error) {
	size := int64(0)
	for ok := it.First(); ok; ok = it.Next() {
		seq := sequenceOf(it.Key())
		if len(out.Records) == limit {
			return seq, nil
		}
		c, err := parseChangeRecord(seq, it.Value())
		if err != nil {
			return 0, err
		}
		r := s.record(c)
		if size += r.Size; size > maxRecordBytes && len(out.Records) > 0 {
			return seq, nil
		}
		out.Records = append(out.Records, r)
	}
	return 0, it.Error()
}

// record makes a stream's record of a change; it owns its memory.
func (s *stream) record(c changeRecord) Record {
	r := Record{EventName: "MODIFY", Sequence: sequenceText(c.Seq), Time: sequenceTime(c.Seq).Truncate(time.Second), Expired: c.Expired, View: s.View}
	some := c.New
	switch {
	case c.Old == nil:
		r.EventName = "INSERT"
	case c.New == nil:
		r.EventName, some = "REMOVE", c.Old
	}
	h := fnv.New128a()
	_, _ = h.Write([]byte(s.source + r.Sequence))
	r.EventID = hex.EncodeToString(h.Sum(nil))
	r.Keys = s.t.shape.Load().keyOf(some, nil)
	if s.View == types.StreamViewTypeNewImage || s.View == types.StreamViewTypeNewAndOldImages {
		r.New = cloneItem(c.New)
	}
	if s.View == types.StreamViewTypeOldImage || s.View == types.StreamViewTypeNewAndOldImages {
		r.Old = cloneItem(c.Old)
	}
	r.Size = int64(r.Keys.Size() + sizeOf(r.New) + sizeOf(r.Old))
	return r
}
