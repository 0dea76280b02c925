package search

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
)

// errGap tells that changes are gone that the index does not have.
var errGap = errors.New("changes are no longer in the stream")

// A checkpoint is the last change of a shard that the index has, or one of these.
const (
	fromStart = "start"  // none yet
	atEnd     = "end"    // all, and there will be no more
	sinceMark = "since:" // all until a time, before which the index was begun
)

// overlap is how much earlier than its time a since checkpoint is read: clocks
// differ, and a change twice does no harm.
const overlap = 2 * time.Minute

// shard is a part of a table's stream, and how far it was read.
type shard struct {
	table, arn, id string
	parent         string
	position       string // see checkpoint
	iterator       *string
}

// name is the shard's key among checkpoints.
func (s *shard) name() string { return s.arn + "/" + s.id }

// streams returns the tables' current streams by table. A table without one
// cannot be followed.
func (f *Feed) streamNames(ctx context.Context) (map[string]string, error) {
	out := map[string]string{}
	for _, src := range f.sources {
		for _, table := range src.Tables() {
			if out[table] != "" {
				continue
			}
			d, err := f.db.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &table})
			if err != nil {
				return nil, fmt.Errorf("describe table %s: %w", table, err)
			}
			if d.Table.LatestStreamArn == nil {
				return nil, fmt.Errorf("table %s has no stream", table)
			}
			out[table] = *d.Table.LatestStreamArn
		}
	}
	return out, nil
}

// shards lists all shards of the streams, in a fixed order.
func (f *Feed) shards(ctx context.Context) ([]*shard, error) {
	names, err := f.streamNames(ctx)
	if err != nil {
		return nil, err
	}
	var out []*shard
	for table, arn := range names {
		in := &dynamodbstreams.DescribeStreamInput{StreamArn: &arn}
		for {
			d, err := f.streams.DescribeStream(ctx, in)
			if err != nil {
				return nil, fmt.Errorf("describe stream of %s: %w", table, err)
			}
			for _, s := range d.StreamDescription.Shards {
				n := &shard{table: table, arn: arn, id: *s.ShardId}
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
	slices.SortFunc(out, func(a, b *shard) int { return strings.Compare(a.name(), b.name()) })
	return out, nil
}

// resume gives shards the positions of checkpoints. A shard that is new begins
// at its start. A checkpoint whose shard is gone before it was read to its end,
// or none of a stream at all, is a gap.
func resume(list []*shard, points Checkpoints) error {
	known, there := map[string]bool{}, map[string]bool{}
	for name := range points {
		known[name[:strings.LastIndex(name, "/")+1]] = true
	}
	for _, s := range list {
		there[s.name()] = true
		if !known[s.arn+"/"] {
			return fmt.Errorf("%w: nothing was read of the stream of %s", errGap, s.table)
		}
		if s.position = points[s.name()]; s.position == "" {
			s.position = fromStart
		}
	}
	for name, p := range points {
		if !there[name] && p != atEnd && name != builtMark && name != PlaceMark {
			return fmt.Errorf("%w: shard %s is gone", errGap, name)
		}
	}
	return nil
}

// wholePage is below what a page has at least that ends before the stream does: a
// megabyte, less the largest change.
const wholePage = 150_000

// read returns the next changes of a shard and the position after them. Idle tells
// that the stream had nothing more for now, whole that it has no more than these.
func (f *Feed) read(ctx context.Context, s *shard) (records []types.Record, position string, idle, whole bool, err error) {
	if s.iterator == nil {
		if err := f.seek(ctx, s); err != nil {
			return nil, "", false, false, err
		}
	}
	limit := int32(f.batch) //nolint:gosec // at most a thousand
	out, err := f.streams.GetRecords(ctx, &dynamodbstreams.GetRecordsInput{ShardIterator: s.iterator, Limit: &limit})
	var expired *types.ExpiredIteratorException
	if errors.As(err, &expired) {
		s.iterator = nil
		return nil, s.position, false, false, nil
	}
	if err != nil {
		return nil, "", false, false, gap(fmt.Errorf("read stream of %s: %w", s.table, err))
	}
	position = s.position
	if n := len(out.Records); n > 0 {
		position = *out.Records[n-1].Dynamodb.SequenceNumber
	}
	size := int64(0)
	for _, r := range out.Records {
		size += aws.ToInt64(r.Dynamodb.SizeBytes)
	}
	whole = len(out.Records) < f.batch && size < wholePage
	records = f.since(out.Records, s.position)
	s.iterator = out.NextShardIterator
	if s.iterator == nil {
		position = atEnd
	}
	return records, position, len(out.Records) == 0, whole, nil
}

// seek places the shard's iterator after its position.
func (f *Feed) seek(ctx context.Context, s *shard) error {
	in := &dynamodbstreams.GetShardIteratorInput{StreamArn: &s.arn, ShardId: &s.id, ShardIteratorType: types.ShardIteratorTypeTrimHorizon}
	if s.position != fromStart && !strings.HasPrefix(s.position, sinceMark) {
		in.ShardIteratorType, in.SequenceNumber = types.ShardIteratorTypeAfterSequenceNumber, &s.position
	}
	out, err := f.streams.GetShardIterator(ctx, in)
	if err != nil {
		return gap(fmt.Errorf("find the place in the stream of %s: %w", s.table, err))
	}
	s.iterator = out.ShardIterator
	return nil
}

// since leaves out changes from before a since checkpoint.
func (f *Feed) since(records []types.Record, position string) []types.Record {
	mark, ok := strings.CutPrefix(position, sinceMark)
	if !ok {
		return records
	}
	begun, err := time.Parse(time.RFC3339Nano, mark)
	if err != nil {
		return records // too many are no harm
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
