package engine

import (
	"bytes"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"pressroom/dynamo/attr"
)

func describeStream(t testing.TB, e *Engine, arn string) *streamtypes.StreamDescription {
	t.Helper()
	out, err := e.DescribeStream(ctx, &dynamodbstreams.DescribeStreamInput{StreamArn: aws.String(arn)})
	if err != nil {
		t.Fatal(err)
	}
	return out.StreamDescription
}

func shardIterator(e *Engine, d *streamtypes.StreamDescription, kind, sequence string) (*string, error) {
	in := &dynamodbstreams.GetShardIteratorInput{StreamArn: d.StreamArn, ShardId: d.Shards[0].ShardId, ShardIteratorType: streamtypes.ShardIteratorType(kind)}
	if sequence != "" {
		in.SequenceNumber = aws.String(sequence)
	}
	out, err := e.GetShardIterator(ctx, in)
	if err != nil {
		return nil, err
	}
	return out.ShardIterator, nil
}

// drain reads from a place until nothing follows.
func drain(t testing.TB, e *Engine, arn, kind, sequence string, limit *int32) (all []Record, next *string) {
	t.Helper()
	next, err := shardIterator(e, describeStream(t, e, arn), kind, sequence)
	if err != nil {
		t.Fatal(err)
	}
	for next != nil {
		out, err := e.GetRecords(ctx, &dynamodbstreams.GetRecordsInput{ShardIterator: next, Limit: limit})
		if err != nil {
			t.Fatal(err)
		}
		all, next = append(all, out.Records...), out.NextShardIterator
		if len(out.Records) == 0 {
			return all, next
		}
	}
	return all, nil
}

func streamTable(t testing.TB, e *Engine, name, view string) string {
	t.Helper()
	in := rangeTable(name)
	in.StreamSpecification = streamOn(view)
	return *create(t, e, in).LatestStreamArn
}

func TestStreamViews(t *testing.T) {
	old, next := item("pk", "a", "sk", 1, "x", "old"), item("pk", "a", "sk", 1, "x", "new")
	key := item("pk", "a", "sk", 1)
	for _, view := range []string{"KEYS_ONLY", "NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES"} {
		t.Run(view, func(t *testing.T) {
			c := newClock()
			e := openStore(t, nil, c)
			arn := streamTable(t, e, "table", view)
			at := c.now()
			put(t, e, "table", old)
			put(t, e, "table", old) // changes nothing
			put(t, e, "table", next)
			remove(t, e, "table", key)
			remove(t, e, "table", key) // changes nothing
			got, _ := drain(t, e, arn, "TRIM_HORIZON", "", nil)
			show := func(it attr.Item, is bool) attr.Item {
				if !is {
					return nil
				}
				return it
			}
			news, olds := strings.Contains(view, "NEW"), strings.Contains(view, "OLD")
			want := []Record{
				{EventName: "INSERT", New: show(old, news)},
				{EventName: "MODIFY", Old: show(old, olds), New: show(next, news)},
				{EventName: "REMOVE", Old: show(next, olds)},
			}
			if len(got) != len(want) {
				t.Fatalf("got %d records, want %d", len(got), len(want))
			}
			ids := map[string]bool{}
			for i, w := range want {
				w.Keys, w.View, w.Time = key, types.StreamViewType(view), at
				w.Size = int64(key.Size() + sizeOf(w.Old) + sizeOf(w.New))
				w.EventID, w.Sequence = got[i].EventID, got[i].Sequence
				if diff := cmp.Diff(w, got[i]); diff != "" {
					t.Errorf("record %d (-want +got):\n%s", i, diff)
				}
				ids[got[i].EventID] = true
				if i > 0 && got[i].Sequence <= got[i-1].Sequence {
					t.Errorf("sequence %s does not follow %s", got[i].Sequence, got[i-1].Sequence)
				}
			}
			if len(ids) != len(want) {
				t.Errorf("the event ids are not different: %v", ids)
			}
		})
	}
}

func TestStreamIterators(t *testing.T) {
	c := newClock()
	e := openStore(t, nil, c)
	arn := streamTable(t, e, "table", "NEW_IMAGE")
	d := describeStream(t, e, arn)
	if id := *d.Shards[0].ShardId; len(id) < 28 || len(id) > 65 {
		t.Errorf("shard id %q has %d characters", id, len(id))
	}
	if r := d.Shards[0].SequenceNumberRange; len(*r.StartingSequenceNumber) < 21 || r.EndingSequenceNumber != nil {
		t.Errorf("the shard has %+v", r)
	}
	// The numbers that DescribeStream gives can be used before there are records.
	for _, kind := range []string{"AT_SEQUENCE_NUMBER", "AFTER_SEQUENCE_NUMBER"} {
		if _, err := shardIterator(e, d, kind, *d.Shards[0].SequenceNumberRange.StartingSequenceNumber); err != nil {
			t.Error(err)
		}
	}
	latest, err := shardIterator(e, d, "LATEST", "")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		put(t, e, "table", item("pk", "a", "sk", i))
	}
	out, err := e.GetRecords(ctx, &dynamodbstreams.GetRecordsInput{ShardIterator: latest})
	if err != nil || len(out.Records) != 5 {
		t.Fatalf("after the latest: %v, %v", out, err)
	}
	all, _ := drain(t, e, arn, "TRIM_HORIZON", "", aws.Int32(2))
	if len(all) != 5 {
		t.Fatalf("got %d records, want 5", len(all))
	}
	count := func(kind, sequence string) int {
		got, _ := drain(t, e, arn, kind, sequence, aws.Int32(2))
		return len(got)
	}
	for i, r := range all {
		if at, after := count("AT_SEQUENCE_NUMBER", r.Sequence), count("AFTER_SEQUENCE_NUMBER", r.Sequence); at != 5-i || after != 4-i {
			t.Errorf("from record %d: at %d, after %d", i, at, after)
		}
	}
	if n := count("LATEST", ""); n != 0 {
		t.Errorf("after the latest: %d", n)
	}
	// A page that is empty gives an iterator that goes on.
	_, next := drain(t, e, arn, "TRIM_HORIZON", "", nil)
	put(t, e, "table", item("pk", "b", "sk", 1))
	if out, err = e.GetRecords(ctx, &dynamodbstreams.GetRecordsInput{ShardIterator: next}); err != nil || len(out.Records) != 1 {
		t.Errorf("going on: %v, %v", out, err)
	}
	c.move(15*time.Minute + time.Second)
	_, err = e.GetRecords(ctx, &dynamodbstreams.GetRecordsInput{ShardIterator: next})
	refused(t, err, ExpiredIterator, "The shard iterator has expired and can no longer be used to retrieve stream records. A shard iterator expires 15 minutes after it is retrieved using the GetShardIterator action.")
}

func TestStreamRefuses(t *testing.T) {
	e := openStore(t, nil, newClock())
	arn := streamTable(t, e, "table", "NEW_IMAGE")
	put(t, e, "table", item("pk", "a", "sk", 1))
	d := describeStream(t, e, arn)
	first := *d.Shards[0].SequenceNumberRange.StartingSequenceNumber
	missing := "arn:aws:dynamodb:us-east-1:000000000000:table/nope/stream/2026-11-15T09:30:00.000"
	garbage := strings.Repeat("x", 50)
	iterator := func(change func(*dynamodbstreams.GetShardIteratorInput)) func() error {
		return func() error {
			in := &dynamodbstreams.GetShardIteratorInput{StreamArn: d.StreamArn, ShardId: d.Shards[0].ShardId, ShardIteratorType: "LATEST"}
			change(in)
			_, err := e.GetShardIterator(ctx, in)
			return err
		}
	}
	records := func(in *dynamodbstreams.GetRecordsInput) func() error {
		return func() error { _, err := e.GetRecords(ctx, in); return err }
	}
	good, err := shardIterator(e, d, "LATEST", "")
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name       string
		do         func() error
		kind, want string
	}{
		{"describe garbage", func() error {
			_, err := e.DescribeStream(ctx, &dynamodbstreams.DescribeStreamInput{StreamArn: aws.String(garbage)})
			return err
		}, Validation, "Invalid StreamArn: " + garbage},
		{"describe short", func() error {
			_, err := e.DescribeStream(ctx, &dynamodbstreams.DescribeStreamInput{StreamArn: aws.String("x")})
			return err
		}, Validation, "1 validation error detected: Value 'x' at 'streamArn' failed to satisfy constraint: Member must have length greater than or equal to 37"},
		{"describe missing", func() error {
			_, err := e.DescribeStream(ctx, &dynamodbstreams.DescribeStreamInput{StreamArn: aws.String(missing)})
			return err
		}, NotFound, "Requested resource not found: Stream: " + missing + " not found"},
		{"list nothing", func() error {
			_, err := e.ListStreams(ctx, &dynamodbstreams.ListStreamsInput{Limit: aws.Int32(0)})
			return err
		}, Validation, "1 validation error detected: Value '0' at 'limit' failed to satisfy constraint: Member must have value greater than or equal to 1"},
		{"list after garbage", func() error {
			_, err := e.ListStreams(ctx, &dynamodbstreams.ListStreamsInput{ExclusiveStartStreamArn: aws.String(garbage)})
			return err
		}, Validation, "Invalid StreamArn: " + garbage},
		{"unknown type", iterator(func(in *dynamodbstreams.GetShardIteratorInput) { in.ShardIteratorType = "bulle" }), Validation,
			"1 validation error detected: Value 'bulle' at 'shardIteratorType' failed to satisfy constraint: Member must satisfy enum value set: [TRIM_HORIZON, LATEST, AT_SEQUENCE_NUMBER, AFTER_SEQUENCE_NUMBER, AT_TIMESTAMP]"},
		{"number missing", iterator(func(in *dynamodbstreams.GetShardIteratorInput) { in.ShardIteratorType = "AT_SEQUENCE_NUMBER" }), Validation,
			"SequenceNumber must be specified when ShardIteratorType is AT_SEQUENCE_NUMBER"},
		{"number too many", iterator(func(in *dynamodbstreams.GetShardIteratorInput) { in.SequenceNumber = aws.String(first) }), Validation,
			"SequenceNumber cannot be specified when ShardIteratorType is LATEST"},
		{"number of garbage", iterator(func(in *dynamodbstreams.GetShardIteratorInput) {
			in.ShardIteratorType, in.SequenceNumber = "AT_SEQUENCE_NUMBER", aws.String(strings.Repeat("z", 21))
		}), Validation, "Invalid SequenceNumber: " + strings.Repeat("z", 21)},
		{"another shard", iterator(func(in *dynamodbstreams.GetShardIteratorInput) { in.ShardId = aws.String(garbage) }), NotFound,
			"Requested resource not found: Shard: " + garbage + " in Stream: " + arn + " not found"},
		{"another stream", iterator(func(in *dynamodbstreams.GetShardIteratorInput) { in.StreamArn = aws.String(missing) }), NotFound,
			"Requested resource not found: Stream: " + missing + " not found"},
		{"records of garbage", records(&dynamodbstreams.GetRecordsInput{ShardIterator: aws.String(garbage)}), Validation, "Invalid ShardIterator"},
		{"records of a forgery", records(&dynamodbstreams.GetRecordsInput{ShardIterator: aws.String(strings.Replace(*good, "A", "B", 1))}), Validation, "Invalid ShardIterator"},
		{"too many records", records(&dynamodbstreams.GetRecordsInput{ShardIterator: good, Limit: aws.Int32(1001)}), Validation,
			"1 validation error detected: Value '1001' at 'limit' failed to satisfy constraint: Member must have value less than or equal to 1000"},
		{"no iterator", records(&dynamodbstreams.GetRecordsInput{}), Validation,
			"1 validation error detected: Value null at 'shardIterator' failed to satisfy constraint: Member must not be null"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { refused(t, tt.do(), tt.kind, tt.want) })
	}
}

func TestListStreams(t *testing.T) {
	e := openStore(t, nil, newClock())
	want := []string{streamTable(t, e, "aaa", "NEW_IMAGE"), streamTable(t, e, "bbb", "NEW_IMAGE"), streamTable(t, e, "ccc", "NEW_IMAGE")}
	create(t, e, simpleTable("bare"))
	list := func(in *dynamodbstreams.ListStreamsInput) (arns []string, last *string) {
		out, err := e.ListStreams(ctx, in)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range out.Streams {
			arns = append(arns, *s.StreamArn)
		}
		return arns, out.LastEvaluatedStreamArn
	}
	if got, last := list(&dynamodbstreams.ListStreamsInput{}); !cmp.Equal(got, want) || last != nil {
		t.Errorf("got %v", got)
	}
	if got, _ := list(&dynamodbstreams.ListStreamsInput{TableName: aws.String("bbb")}); !cmp.Equal(got, want[1:2]) {
		t.Errorf("got %v", got)
	}
	if got, _ := list(&dynamodbstreams.ListStreamsInput{TableName: aws.String("bare")}); len(got) != 0 {
		t.Errorf("got %v", got)
	}
	got, last := list(&dynamodbstreams.ListStreamsInput{Limit: aws.Int32(2)})
	rest, end := list(&dynamodbstreams.ListStreamsInput{Limit: aws.Int32(2), ExclusiveStartStreamArn: last})
	if !cmp.Equal(append(got, rest...), want) || end != nil {
		t.Errorf("in pages: %v, %v, then %v", got, rest, end)
	}
}

// A page ends at 1,000 records, and at 1 MB of them.
func TestStreamPages(t *testing.T) {
	e := openStore(t, nil, newClock())
	arn := streamTable(t, e, "table", "NEW_IMAGE")
	big := strings.Repeat("x", 300<<10)
	for i := range 8 {
		put(t, e, "table", item("pk", "big", "sk", i, "x", big))
	}
	sizes := pageSizes(t, e, arn, nil)
	if !cmp.Equal(sizes, []int{3, 3, 2}) {
		t.Errorf("pages of large records have %v", sizes)
	}
	arn = streamTable(t, e, "many", "KEYS_ONLY")
	for i := range 42 {
		var writes []BatchWriteItem
		for j := range 25 {
			writes = append(writes, BatchWriteItem{Item: item("pk", "a", "sk", i*25+j)})
		}
		if _, err := e.BatchWrite(ctx, &BatchWrite{Tables: []BatchWriteTable{{TableName: "many", Writes: writes}}}); err != nil {
			t.Fatal(err)
		}
	}
	if sizes = pageSizes(t, e, arn, nil); !cmp.Equal(sizes, []int{1000, 50}) {
		t.Errorf("pages of small records have %v", sizes)
	}
	if sizes = pageSizes(t, e, arn, aws.Int32(600)); !cmp.Equal(sizes, []int{600, 450}) {
		t.Errorf("pages of 600 have %v", sizes)
	}
}

func pageSizes(t *testing.T, e *Engine, arn string, limit *int32) (sizes []int) {
	t.Helper()
	next, err := shardIterator(e, describeStream(t, e, arn), "TRIM_HORIZON", "")
	if err != nil {
		t.Fatal(err)
	}
	for {
		out, err := e.GetRecords(ctx, &dynamodbstreams.GetRecordsInput{ShardIterator: next, Limit: limit})
		if err != nil {
			t.Fatal(err)
		}
		if len(out.Records) == 0 {
			return sizes
		}
		sizes, next = append(sizes, len(out.Records)), out.NextShardIterator
	}
}

// Streams that follow each other, and a recovery that begins and ends in
// between, share one log and have each their own.
func TestStreamsShareTheLog(t *testing.T) {
	fs, c := vfs.NewMem(), newClock()
	e := openStore(t, fs, c)
	create(t, e, rangeTable("table"))
	n := 0
	write := func() {
		n++
		put(t, e, "table", item("pk", "a", "sk", n))
	}
	stream := func(s *types.StreamSpecification) string {
		return *update(t, e, &dynamodb.UpdateTableInput{TableName: aws.String("table"), StreamSpecification: s}).LatestStreamArn
	}
	recovery := func(on bool) {
		_, err := e.UpdateContinuousBackups(ctx, &dynamodb.UpdateContinuousBackupsInput{
			TableName: aws.String("table"), PointInTimeRecoverySpecification: &types.PointInTimeRecoverySpecification{PointInTimeRecoveryEnabled: aws.Bool(on)},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	seen := func(arn string) (numbers []string, next *string) {
		all, next := drain(t, e, arn, "TRIM_HORIZON", "", nil)
		for _, r := range all {
			v, _ := r.Keys.Get("sk")
			numbers = append(numbers, v.Number())
		}
		return numbers, next
	}
	write() // 1: nobody listens
	recovery(true)
	write() // 2: only recovery
	first := stream(streamOn("KEYS_ONLY"))
	write() // 3: both
	recovery(false)
	write() // 4: the first stream
	stream(streamOff)
	write() // 5: nobody
	second := stream(streamOn("NEW_IMAGE"))
	recovery(true)
	write() // 6: the second stream, and recovery
	if first == second {
		t.Fatalf("both streams are %s", first)
	}
	check := func() {
		t.Helper()
		got, next := seen(first)
		if !cmp.Equal(got, []string{"3", "4"}) || next != nil {
			t.Errorf("the first stream has %v, then %v", got, next)
		}
		if d := describeStream(t, e, first); d.StreamStatus != streamtypes.StreamStatusDisabled || d.Shards[0].SequenceNumberRange.EndingSequenceNumber == nil {
			t.Errorf("the first stream is %s, %+v", d.StreamStatus, d.Shards[0].SequenceNumberRange)
		}
		if got, next = seen(second); !cmp.Equal(got, []string{"6"}) || next == nil {
			t.Errorf("the second stream has %v, then %v", got, next)
		}
	}
	check()
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	e = openStore(t, fs, c)
	check()

	// A day after its end the first stream is forgotten; the log of recovery
	// stays, but the second stream shows a day of it at most.
	c.move(23 * time.Hour)
	write() // 7
	c.move(2 * time.Hour)
	if err := e.Sweep(); err != nil {
		t.Fatal(err)
	}
	_, err := e.DescribeStream(ctx, &dynamodbstreams.DescribeStreamInput{StreamArn: aws.String(first)})
	refused(t, err, NotFound, "Requested resource not found: Stream: "+first+" not found")
	if got, _ := seen(second); !cmp.Equal(got, []string{"7"}) {
		t.Errorf("a day later the second stream has %v", got)
	}
}

func TestStreamTrims(t *testing.T) {
	c := newClock()
	e := openStore(t, nil, c)
	arn := streamTable(t, e, "table", "KEYS_ONLY")
	put(t, e, "table", item("pk", "a", "sk", 1))
	put(t, e, "table", item("pk", "a", "sk", 2))
	all, _ := drain(t, e, arn, "TRIM_HORIZON", "", nil)
	old := all[1].Sequence
	c.move(24*time.Hour - time.Minute)
	d := describeStream(t, e, arn)
	stale, err := shardIterator(e, d, "AT_SEQUENCE_NUMBER", old)
	if err != nil {
		t.Fatal(err)
	}
	tip, err := shardIterator(e, d, "LATEST", "")
	if err != nil {
		t.Fatal(err)
	}
	c.move(2 * time.Minute)
	if err := e.Sweep(); err != nil {
		t.Fatal(err)
	}
	past := "The operation attempted to read past the oldest stream record in a shard."
	_, err = e.GetRecords(ctx, &dynamodbstreams.GetRecordsInput{ShardIterator: stale})
	refused(t, err, TrimmedData, past)
	_, err = shardIterator(e, d, "AT_SEQUENCE_NUMBER", old)
	refused(t, err, TrimmedData, past)
	// What nothing was missed by still works, however old the last record is.
	put(t, e, "table", item("pk", "a", "sk", 3))
	out, err := e.GetRecords(ctx, &dynamodbstreams.GetRecordsInput{ShardIterator: tip})
	if err != nil || len(out.Records) != 1 {
		t.Errorf("from the tip: %v, %v", out, err)
	}
	if all, _ = drain(t, e, arn, "TRIM_HORIZON", "", nil); len(all) != 1 {
		t.Errorf("from the horizon: %d records", len(all))
	}
	d = describeStream(t, e, arn)
	if got := *d.Shards[0].SequenceNumberRange.StartingSequenceNumber; got != all[0].Sequence {
		t.Errorf("the shard begins with %s, want %s", got, all[0].Sequence)
	}
	it, err := e.db.NewIter(changeBounds(e.catalog.get("table").id, 0, 1<<62))
	if err != nil {
		t.Fatal(err)
	}
	kept := 0
	for ok := it.First(); ok; ok = it.Next() {
		kept++
	}
	if err := it.Close(); err != nil || kept != 1 {
		t.Errorf("the log has %d records, %v", kept, err)
	}
}

func TestStreamOutlivesTable(t *testing.T) {
	fs, c := vfs.NewMem(), newClock()
	e := openStore(t, fs, c)
	arn := streamTable(t, e, "table", "OLD_IMAGE")
	put(t, e, "table", item("pk", "a", "sk", 1))
	if _, err := e.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: aws.String("table")}); err != nil {
		t.Fatal(err)
	}
	second := streamTable(t, e, "table", "NEW_IMAGE")
	check := func() {
		t.Helper()
		if d := describeStream(t, e, arn); d.StreamStatus != streamtypes.StreamStatusDisabled {
			t.Errorf("the stream is %s", d.StreamStatus)
		}
		if all, next := drain(t, e, arn, "TRIM_HORIZON", "", nil); len(all) != 1 || next != nil {
			t.Errorf("the stream has %d records, then %v", len(all), next)
		}
		if all, next := drain(t, e, second, "TRIM_HORIZON", "", nil); len(all) != 0 || next == nil {
			t.Errorf("the new table's stream has %d records, then %v", len(all), next)
		}
		out, err := e.ListStreams(ctx, &dynamodbstreams.ListStreamsInput{TableName: aws.String("table")})
		if err != nil || len(out.Streams) != 2 {
			t.Errorf("streams are %v, %v", out, err)
		}
	}
	check()
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	e = openStore(t, fs, c)
	check()
	c.move(25 * time.Hour)
	if err := e.Sweep(); err != nil {
		t.Fatal(err)
	}
	_, err := e.DescribeStream(ctx, &dynamodbstreams.DescribeStreamInput{StreamArn: aws.String(arn)})
	refused(t, err, NotFound, "Requested resource not found: Stream: "+arn+" not found")
	if len(e.catalog.deleted) != 0 {
		t.Error("the deleted table is still remembered")
	}
}

func TestStreamOfExpiry(t *testing.T) {
	c := newClock()
	e := openStore(t, nil, c)
	arn := streamTable(t, e, "table", "OLD_IMAGE")
	timeToLive(t, e, "table", true, "ttl")
	doomed := item("pk", "a", "sk", 1, "ttl", int(c.now().Unix())-10)
	put(t, e, "table", doomed)
	if err := e.Sweep(); err != nil {
		t.Fatal(err)
	}
	all, _ := drain(t, e, arn, "TRIM_HORIZON", "", nil)
	if len(all) != 2 || all[0].Expired || all[1].EventName != "REMOVE" || !all[1].Expired || !bytes.Equal(all[1].Old, doomed) {
		t.Errorf("got %+v", all)
	}
}

// Replaying a stream gives the table, whatever was done to it, in pages of
// any size and across restarts.
func TestStreamReplays(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		fs, c := vfs.NewMem(), newClock()
		e := openStore(t, fs, c)
		defer func() { _ = e.Close() }()
		arn := streamTable(t, e, "table", "NEW_AND_OLD_IMAGES")
		copied := map[string]string{}
		next, err := shardIterator(e, describeStream(t, e, arn), "TRIM_HORIZON", "")
		if err != nil {
			r.Fatal(err)
		}
		read := func(limit int32) {
			out, err := e.GetRecords(ctx, &dynamodbstreams.GetRecordsInput{ShardIterator: next, Limit: aws.Int32(limit)})
			if err != nil {
				r.Fatal(err)
			}
			for _, rec := range out.Records {
				replay(r, copied, rec)
			}
			next = out.NextShardIterator
		}
		for range rapid.IntRange(1, 60).Draw(r, "steps") {
			sk := rapid.IntRange(0, 5).Draw(r, "sk")
			switch rapid.IntRange(0, 9).Draw(r, "step") {
			case 0:
				remove(t, e, "table", item("pk", "a", "sk", sk))
			case 1:
				read(int32(rapid.IntRange(1, 4).Draw(r, "limit")))
			case 2:
				c.move(time.Duration(rapid.IntRange(0, 3e6).Draw(r, "µs")) * time.Microsecond)
			case 3:
				if err := e.Close(); err != nil {
					r.Fatal(err)
				}
				e = openStore(t, fs, c)
			case 4:
				transact(r, e, sk)
			default:
				put(t, e, "table", item("pk", "a", "sk", sk, "v", rapid.IntRange(0, 3).Draw(r, "v")))
			}
		}
		for range 100 {
			read(7)
		}
		want := map[string]string{}
		for it := range maps.Keys(scan(t, e, "table", "")) {
			want[it] = it
		}
		got := map[string]string{}
		for _, it := range copied {
			got[it] = it
		}
		if diff := cmp.Diff(want, got); diff != "" {
			r.Fatalf("the replayed stream differs from the table (-table +stream):\n%s", diff)
		}
	})
}

// transact puts two items in one transaction.
func transact(r *rapid.T, e *Engine, sk int) {
	action := func(sk int) TransactAction {
		return TransactAction{Given: 1, Put: &PutItem{TableName: aws.String("table"), Item: item("pk", "a", "sk", sk, "v", rapid.IntRange(0, 3).Draw(r, "v"))}}
	}
	if _, err := e.TransactWrite(ctx, &TransactWrite{Actions: []TransactAction{action(sk), action(sk + 1)}}); err != nil {
		r.Fatal(err)
	}
}

// replay makes a record's change, after checking that it fits.
func replay(r *rapid.T, copied map[string]string, rec Record) {
	text := func(it attr.Item) string {
		if it == nil {
			return ""
		}
		return string(attr.AppendItemJSON(nil, it))
	}
	key := text(rec.Keys)
	if copied[key] != text(rec.Old) {
		r.Fatalf("%s of %s: the item was %s, the record says %s", rec.EventName, key, copied[key], text(rec.Old))
	}
	delete(copied, key)
	if rec.New != nil {
		copied[key] = text(rec.New)
	}
}

func TestSequenceText(t *testing.T) {
	last := ""
	for _, n := range []uint64{0, 1, 9, 10, 1763199000000000, 1<<64 - 1} {
		text := sequenceText(n)
		got, ok := parseSequence(text)
		if !ok || got != n || text <= last || len(text) < 21 || len(text) > 40 {
			t.Errorf("%d is %s, which is %d, %v", n, text, got, ok)
		}
		if _, err := strconv.Atoi(text[:10]); err != nil {
			t.Errorf("%s is no number", text)
		}
		last = text
	}
	for _, bad := range []string{"", "1", strings.Repeat("9", 21), "1" + strings.Repeat("9", 20), fmt.Sprintf("0%020d", 1)} {
		if n, ok := parseSequence(bad); ok {
			t.Errorf("%q is %d", bad, n)
		}
	}
}

func FuzzParseIterator(f *testing.F) {
	f.Add(iterator{arn: "arn:aws:dynamodb:us-east-1:000000000000:table/t/stream/l", next: 7, place: atTip, issued: time.UnixMilli(9)}.String())
	f.Add("|1|")
	f.Fuzz(func(t *testing.T, s string) {
		i, ok := parseIterator(s)
		if ok && i.String() != s {
			t.Errorf("%q was taken for %q", s, i.String())
		}
	})
}
