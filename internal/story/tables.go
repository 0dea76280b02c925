package story

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"pressroom/model"
)

// errGap tells that changes are gone that nobody has read.
var errGap = errors.New("changes are no longer in the stream")

// places say how far the streams of tables were read: by shard the last change, or
// one of these.
type places map[string]string

const (
	fromStart = "start"  // none yet
	atEnd     = "end"    // all, and there will be no more
	sinceMark = "since:" // all until a time
)

// overlap is how much earlier than its time a since place is read: clocks differ, and
// a change twice does no harm.
const overlap = 2 * time.Minute

// relist is how often streams are asked for new shards.
const relist = 10 * time.Second

// tables are the streams of some tables, and how far they were read.
type tables struct {
	db      model.DB
	streams model.Streams
	names   []string
	now     func() time.Time

	parts  []*part
	listed time.Time
}

// part is a shard of a table's stream, and how far it was read.
type part struct {
	table, arn, id string
	parent         string
	place          string
	iterator       *string
}

// name is the shard's key among places.
func (s *part) name() string { return s.arn + "/" + s.id }

// changes yields what the streams have after the places, each shard's in order, one
// page of each shard. It moves the places on as it goes. A change that is no longer
// there is errGap.
func (t *tables) changes(ctx context.Context, at places) iter.Seq2[change, error] {
	return func(yield func(change, error) bool) {
		if err := t.list(ctx, at); err != nil {
			yield(change{}, err)
			return
		}
		for _, s := range t.parts {
			if s.place == atEnd || !t.parentDone(s) {
				continue
			}
			records, place, err := t.read(ctx, s)
			if err != nil {
				yield(change{}, err)
				return
			}
			for _, r := range records {
				if !yield(change{s.table, r}, nil) {
					return
				}
			}
			s.place, at[s.name()] = place, place
			if place == atEnd {
				t.listed = time.Time{}
			}
		}
	}
}

// change is what happened to an item of a table.
type change struct {
	table string
	types.Record
}

// begin returns the places of all shards at this moment.
func (t *tables) begin(ctx context.Context) (places, error) {
	now := sinceMark + t.now().UTC().Format(time.RFC3339Nano)
	list, err := t.all(ctx)
	at := places{}
	for _, s := range list {
		at[s.name()] = now
	}
	t.listed = time.Time{}
	return at, err
}

// list finds the shards, the new ones too, and gives them their places. A place whose
// shard is gone before it was read to its end, or none of a stream at all, is a gap.
func (t *tables) list(ctx context.Context, at places) error {
	now := t.now()
	if !t.listed.IsZero() && now.Sub(t.listed) < relist {
		return nil
	}
	list, err := t.all(ctx)
	if err != nil {
		return err
	}
	known, there, open := map[string]bool{}, map[string]bool{}, map[string]*string{}
	for name := range at {
		known[name[:strings.LastIndex(name, "/")+1]] = true
	}
	for _, s := range t.parts {
		open[s.name()] = s.iterator
	}
	for _, s := range list {
		if !known[s.arn+"/"] {
			return fmt.Errorf("%w: nothing was read of the stream of %s", errGap, s.table)
		}
		there[s.name()] = true
		if s.place = at[s.name()]; s.place == "" {
			s.place = fromStart
		}
		s.iterator = open[s.name()]
	}
	for name, place := range at {
		if !there[name] && place != atEnd {
			return fmt.Errorf("%w: shard %s is gone", errGap, name)
		}
	}
	maps.DeleteFunc(at, func(name, _ string) bool { return !there[name] })
	t.parts, t.listed = list, now
	return nil
}

// all lists the shards of the tables' current streams, in a fixed order.
func (t *tables) all(ctx context.Context) ([]*part, error) {
	var out []*part
	for _, table := range t.names {
		d, err := t.db.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &table})
		if err != nil {
			return nil, fmt.Errorf("describe table %s: %w", table, err)
		}
		arn := d.Table.LatestStreamArn
		if arn == nil {
			return nil, fmt.Errorf("table %s has no stream; make it with \"pressroom schema apply\"", table)
		}
		in := &dynamodbstreams.DescribeStreamInput{StreamArn: arn}
		for {
			d, err := t.streams.DescribeStream(ctx, in)
			if err != nil {
				return nil, fmt.Errorf("describe stream of %s: %w", table, err)
			}
			for _, s := range d.StreamDescription.Shards {
				n := &part{table: table, arn: *arn, id: *s.ShardId}
				if s.ParentShardId != nil {
					n.parent = *s.ParentShardId
				}
				out = append(out, n)
			}
			if in.ExclusiveStartShardId = d.StreamDescription.LastEvaluatedShardId; in.ExclusiveStartShardId == nil {
				break
			}
		}
	}
	slices.SortFunc(out, func(a, b *part) int { return strings.Compare(a.name(), b.name()) })
	return out, nil
}

// parentDone keeps the order of changes where a shard was split.
func (t *tables) parentDone(s *part) bool {
	for _, p := range t.parts {
		if p.arn == s.arn && p.id == s.parent {
			return p.place == atEnd
		}
	}
	return true
}

// read returns the next changes of a shard and the place after them.
func (t *tables) read(ctx context.Context, s *part) (records []types.Record, place string, err error) {
	if s.iterator == nil {
		if err := t.seek(ctx, s); err != nil {
			return nil, "", err
		}
	}
	out, err := t.streams.GetRecords(ctx, &dynamodbstreams.GetRecordsInput{ShardIterator: s.iterator})
	var expired *types.ExpiredIteratorException
	if errors.As(err, &expired) {
		s.iterator = nil
		return nil, s.place, nil
	}
	if err != nil {
		return nil, "", gap(fmt.Errorf("read stream of %s: %w", s.table, err))
	}
	place = s.place
	if n := len(out.Records); n > 0 {
		place = *out.Records[n-1].Dynamodb.SequenceNumber
	}
	if s.iterator = out.NextShardIterator; s.iterator == nil {
		place = atEnd
	}
	return since(out.Records, s.place), place, nil
}

// seek sets the shard's iterator after its place.
func (t *tables) seek(ctx context.Context, s *part) error {
	in := &dynamodbstreams.GetShardIteratorInput{StreamArn: &s.arn, ShardId: &s.id, ShardIteratorType: types.ShardIteratorTypeTrimHorizon}
	if s.place != fromStart && !strings.HasPrefix(s.place, sinceMark) {
		in.ShardIteratorType, in.SequenceNumber = types.ShardIteratorTypeAfterSequenceNumber, &s.place
	}
	out, err := t.streams.GetShardIterator(ctx, in)
	if err != nil {
		return gap(fmt.Errorf("find the place in the stream of %s: %w", s.table, err))
	}
	s.iterator = out.ShardIterator
	return nil
}

// since leaves out changes from before a since place.
func since(records []types.Record, place string) []types.Record {
	mark, ok := strings.CutPrefix(place, sinceMark)
	if !ok {
		return records
	}
	begun, err := time.Parse(time.RFC3339Nano, mark)
	if err != nil {
		return records // too many do no harm
	}
	return slices.DeleteFunc(records, func(r types.Record) bool {
		at := r.Dynamodb.ApproximateCreationDateTime
		return at != nil && at.Before(begun.Add(-overlap))
	})
}

// gap recognises the errors for changes, or a stream, that are gone.
func gap(err error) error {
	var trimmed *types.TrimmedDataAccessException
	var gone *types.ResourceNotFoundException
	if errors.As(err, &trimmed) || errors.As(err, &gone) {
		return fmt.Errorf("%w: %w", errGap, err)
	}
	return err
}
