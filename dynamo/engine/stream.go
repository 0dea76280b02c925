package engine

import (
	"context"
	"fmt"
	"hash/crc32"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
	"github.com/cockroachdb/pebble/v2"
)

// A stream is a view of its table's change log: the records between the
// numbers at which it was enabled and disabled, not older than a day, with
// the images that it was enabled for. It has one shard.

// stream is a stream with the table that it belongs, or belonged, to.
type stream struct {
	t *table
	streamDef
	arn string
	// source is the arn in nobody's account, of which the ids of records are made: they
	// stay the same whatever the account is called.
	source string
}

// openStream adds a stream that begins after the number last, and returns the
// number that it begins with. Its label is greater than taken and than that
// of the stream before.
func (e *Engine) openStream(def *tableDef, view types.StreamViewType, last uint64, taken string) uint64 {
	now := e.moment()
	from := max(last+1, def.lastSequence()+1, uint64(max(now.UnixMicro(), 1)))
	label := streamLabel(now)
	for label <= max(taken, aws.ToString(def.Desc.LatestStreamLabel)) {
		now = now.Add(time.Millisecond)
		label = streamLabel(now)
	}
	def.dropStreams(now)
	def.Streams = append(def.Streams, streamDef{Label: label, View: view, From: from, Created: now})
	d := &def.Desc
	d.StreamSpecification = &types.StreamSpecification{StreamEnabled: aws.Bool(true), StreamViewType: view}
	d.LatestStreamLabel, d.LatestStreamArn = aws.String(label), aws.String(aws.ToString(d.TableArn)+"/stream/"+label)
	return from
}

// takenLabel returns the greatest label that a stream of a deleted table of
// that name has: its ARN is in use. The caller holds the catalog's lock.
func (c *catalog) takenLabel(name string) string {
	taken := ""
	for _, t := range c.deleted {
		if t.name == name {
			taken = max(taken, aws.ToString(t.shape.Load().def.Desc.LatestStreamLabel))
		}
	}
	return taken
}

func streamLabel(at time.Time) string { return at.Format("2006-01-02T15:04:05.000") }

// closeStream ends the enabled stream, if there is one, with the number last.
// It can be read for another day.
func (e *Engine) closeStream(def *tableDef, last uint64) {
	if st := def.stream(); st != nil {
		st.To, st.Closed = max(last, st.From), e.moment()
		def.Desc.StreamSpecification = nil
	}
}

// dropStreams forgets the streams that nobody can read any more.
func (d *tableDef) dropStreams(now time.Time) {
	d.Streams = slices.DeleteFunc(d.Streams, func(st streamDef) bool { return !st.readable(now) })
}

func (st *streamDef) readable(now time.Time) bool {
	return st.To == 0 || now.Before(st.Closed.Add(streamRetention))
}

// shard returns the id of the stream's only shard.
func (s *stream) shard() string {
	return fmt.Sprintf("shardId-%020d-%08x", s.Created.UnixMilli(), crc32.ChecksumIEEE([]byte(s.arn)))
}

// horizon is the number before which records are trimmed.
func (s *stream) horizon(now time.Time) uint64 {
	return max(s.From, uint64(max(now.Add(-streamRetention).UnixMicro(), 0)))
}

// end is the number up to which, inclusive, the stream can be read now.
func (s *stream) end() uint64 {
	settled := s.t.seq.settled()
	if s.To != 0 {
		return min(s.To, settled)
	}
	return settled
}

// first returns the number with which the shard begins: that of its oldest
// record or, if it has none, of the next one.
func (s *stream) first(e *Engine) (uint64, error) {
	horizon, end := s.horizon(e.now()), s.end()
	it, err := e.db.NewIter(changeBounds(s.t.id, horizon, end))
	if err != nil {
		return 0, e.unreadable(err)
	}
	first := max(s.From, end+1)
	if it.First() {
		first = sequenceOf(it.Key())
	}
	if s.To != 0 {
		first = min(first, s.To)
	}
	if err := it.Close(); err != nil {
		return 0, e.unreadable(err)
	}
	return first, nil
}

// tip returns the number after that of the newest record. It may be less than
// the next that is issued: a write that changes nothing takes a number and
// leaves no record, and that number may be issued again after a restart.
func (s *stream) tip(e *Engine) (uint64, error) {
	it, err := e.db.NewIter(changeBounds(s.t.id, s.From, s.end()))
	if err != nil {
		return 0, e.unreadable(err)
	}
	next := s.From
	if it.Last() {
		next = sequenceOf(it.Key()) + 1
	}
	if err := it.Close(); err != nil {
		return 0, e.unreadable(err)
	}
	return next, nil
}

// changeBounds are those of the records from first to last.
func changeBounds(t tableID, first, last uint64) *pebble.IterOptions {
	return &pebble.IterOptions{LowerBound: appendChange(nil, t, first), UpperBound: appendChange(nil, t, max(first, last+1))}
}

// streamed returns the tables that may have streams, deleted ones included;
// those of one name if it is given.
func (e *Engine) streamed(name string) []*table {
	var tables []*table
	if name == "" {
		tables = slices.AppendSeq(tables, maps.Values(*e.catalog.tables.Load()))
	} else if t := e.catalog.get(name); t != nil {
		tables = append(tables, t)
	}
	e.catalog.mu.Lock()
	defer e.catalog.mu.Unlock()
	for _, t := range e.catalog.deleted {
		if name == "" || t.name == name {
			tables = append(tables, t)
		}
	}
	return tables
}

// streams returns the streams of the table, or of all, that can be read.
func (e *Engine) streams(name string) []*stream {
	var list []*stream
	now := e.now()
	for _, t := range e.streamed(name) {
		for _, st := range t.shape.Load().def.Streams {
			if st.readable(now) {
				name := e.tableARN(t.name) + "/stream/" + st.Label
				list = append(list, &stream{t: t, streamDef: st, arn: name, source: strings.Replace(name, ":"+e.opts.Account+":", ":"+nobody+":", 1)})
			}
		}
	}
	return list
}

// findStream returns the stream of that ARN.
func (e *Engine) findStream(s string) (*stream, error) {
	a, ok := parseARN(s)
	if !ok || a.kind != "stream" || a.id == "" {
		return nil, invalid("Invalid StreamArn: %s", s)
	}
	for _, st := range e.streams(a.table) {
		if st.Label == a.id && e.owns(a) && a.region == e.opts.Region {
			return st, nil
		}
	}
	return nil, newError(NotFound, "Requested resource not found: Stream: %s not found", s)
}

func (c *checks) streamARN(at string, s *string) {
	c.present(at, s != nil)
	if s != nil {
		c.length(at, *s, 37, 1024)
	}
}

// ListStreams returns a page of the streams, enabled or not, that can be read.
func (e *Engine) ListStreams(ctx context.Context, in *dynamodbstreams.ListStreamsInput) (*dynamodbstreams.ListStreamsOutput, error) {
	if err := e.enter(ctx); err != nil {
		return nil, err
	}
	defer e.store.Leave()
	var c checks
	if in.ExclusiveStartStreamArn != nil {
		c.streamARN("exclusiveStartStreamArn", in.ExclusiveStartStreamArn)
	}
	c.atLeast("limit", in.Limit, 1)
	c.atMost("limit", in.Limit, maxListed)
	if in.TableName != nil {
		c.nameOrARN("tableName", in.TableName)
	}
	if err := c.err(); err != nil {
		return nil, err
	}
	table, err := e.tableName(aws.ToString(in.TableName))
	if err != nil {
		return nil, err
	}
	list := e.streams(table)
	if after := in.ExclusiveStartStreamArn; after != nil {
		if a, ok := parseARN(*after); !ok || a.kind != "stream" {
			return nil, invalid("Invalid StreamArn: %s", *after)
		}
		list = slices.DeleteFunc(list, func(s *stream) bool { return s.arn <= *after })
	}
	slices.SortFunc(list, func(a, b *stream) int { return strings.Compare(a.arn, b.arn) })
	page, last := cut(list, in.Limit, func(s *stream) *string { return aws.String(s.arn) })
	out := &dynamodbstreams.ListStreamsOutput{LastEvaluatedStreamArn: last, Streams: []streamtypes.Stream{}}
	for _, s := range page {
		out.Streams = append(out.Streams, streamtypes.Stream{StreamArn: aws.String(s.arn), StreamLabel: aws.String(s.Label), TableName: aws.String(s.t.name)})
	}
	return out, nil
}

// DescribeStream describes a stream and its shard.
func (e *Engine) DescribeStream(ctx context.Context, in *dynamodbstreams.DescribeStreamInput) (*dynamodbstreams.DescribeStreamOutput, error) {
	if err := e.enter(ctx); err != nil {
		return nil, err
	}
	defer e.store.Leave()
	var c checks
	c.streamARN("streamArn", in.StreamArn)
	c.atLeast("limit", in.Limit, 1)
	c.atMost("limit", in.Limit, maxListed)
	if in.ExclusiveStartShardId != nil {
		c.length("exclusiveStartShardId", *in.ExclusiveStartShardId, 28, 65)
	}
	if f := in.ShardFilter; f != nil {
		c.present("shardFilter.type", f.Type != "")
		c.enum("shardFilter.type", string(f.Type), "CHILD_SHARDS")
		c.present("shardFilter.shardId", f.ShardId != nil)
		if f.ShardId != nil {
			c.length("shardFilter.shardId", *f.ShardId, 28, 65)
		}
	}
	if err := c.err(); err != nil {
		return nil, err
	}
	s, err := e.findStream(*in.StreamArn)
	if err != nil {
		return nil, err
	}
	first, err := s.first(e)
	if err != nil {
		return nil, err
	}
	d := &streamtypes.StreamDescription{
		StreamArn: aws.String(s.arn), StreamLabel: aws.String(s.Label), TableName: aws.String(s.t.name),
		CreationRequestDateTime: aws.Time(s.Created), StreamStatus: streamtypes.StreamStatusEnabled,
		StreamViewType: streamtypes.StreamViewType(s.View), KeySchema: streamKeys(s.t.shape.Load().def.Desc.KeySchema),
		Shards: []streamtypes.Shard{},
	}
	shard := streamtypes.Shard{
		ShardId:             aws.String(s.shard()),
		SequenceNumberRange: &streamtypes.SequenceNumberRange{StartingSequenceNumber: aws.String(sequenceText(first))},
	}
	if s.To != 0 {
		d.StreamStatus = streamtypes.StreamStatusDisabled
		shard.SequenceNumberRange.EndingSequenceNumber = aws.String(sequenceText(s.To))
	}
	// The one shard has no children to filter for.
	if in.ShardFilter == nil && (in.ExclusiveStartShardId == nil || *in.ExclusiveStartShardId < s.shard()) {
		d.Shards = append(d.Shards, shard)
	}
	return &dynamodbstreams.DescribeStreamOutput{StreamDescription: d}, nil
}

func streamKeys(key []types.KeySchemaElement) []streamtypes.KeySchemaElement {
	out := make([]streamtypes.KeySchemaElement, len(key))
	for i, k := range key {
		out[i] = streamtypes.KeySchemaElement{AttributeName: k.AttributeName, KeyType: streamtypes.KeyType(k.KeyType)}
	}
	return out
}
