package dynamotest

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
)

var streamCases = []testCase{
	{"records show what the view type says", nil, streamViews},
	{"records come in the order of the changes", nil, streamOrder},
	{"a write that changes nothing leaves no record", nil, streamSilence},
	{"transactions and batches leave a record per item", nil, streamBatches},
	{"a record says where it comes from", nil, streamOrigin},
	{"an iterator starts at a number, after it, at the end", nil, streamStarts},
	{"an iterator starts at a moment", []string{"clock"}, streamMoment},
	{"records come in pages", nil, streamPages},
	{"a stream has one shard", []string{"embedded"}, streamShard},
	{"an iterator lives 15 minutes", []string{"clock"}, iteratorAge},
	{"records live 24 hours", []string{"clock"}, recordAge},
	{"a stream that was turned off can be read to its end", []string{"embedded"}, streamClosed},
	{"the streams of a table are listed", []string{"embedded"}, streamList},
}

// stream is the stream of a table.
func (s *suite) stream(table string) string {
	s.T.Helper()
	out := do[dynamodb.DescribeTableOutput](s, "DescribeTable", `{TableName: %s}`, table)
	return aws.ToString(out.Table.LatestStreamArn)
}

// shards are the shards of a stream.
func (s *suite) shards(arn string) []streamtypes.Shard {
	s.T.Helper()
	return do[dynamodbstreams.DescribeStreamOutput](s, "DescribeStream", `{StreamArn: %q}`, arn).StreamDescription.Shards
}

// iterators returns an iterator for each shard.
func (s *suite) iterators(arn, kind string) []string {
	s.T.Helper()
	var list []string
	for _, shard := range s.shards(arn) {
		out := do[dynamodbstreams.GetShardIteratorOutput](s, "GetShardIterator", `{StreamArn: %q, ShardId: %q, ShardIteratorType: %s}`, arn, *shard.ShardId, kind)
		list = append(list, *out.ShardIterator)
	}
	return list
}

// reader reads the changes of a table from now on.
type reader struct {
	s         *suite
	iterators []string
}

func (s *suite) read(table string) *reader {
	s.T.Helper()
	return &reader{s, s.iterators(s.stream(table), "LATEST")}
}

// next reads until there are n records, or the target has no more.
func (r *reader) next(n int) []streamtypes.Record {
	r.s.T.Helper()
	var all []streamtypes.Record
	for range 40 {
		for i, iterator := range r.iterators {
			if iterator == "" {
				continue
			}
			out := do[dynamodbstreams.GetRecordsOutput](r.s, "GetRecords", `{ShardIterator: %q}`, iterator)
			all = append(all, out.Records...)
			r.iterators[i] = aws.ToString(out.NextShardIterator)
		}
		if len(all) >= n {
			return all
		}
		r.s.pause()
	}
	r.s.T.Fatalf("%d records, want %d", len(all), n)
	return nil
}

// recordText writes a record without what differs from day to day.
func recordText(r streamtypes.Record) string {
	text := string(r.EventName) + " " + imageText(r.Dynamodb.Keys)
	if r.Dynamodb.OldImage != nil {
		text += " from " + imageText(r.Dynamodb.OldImage)
	}
	if r.Dynamodb.NewImage != nil {
		text += " to " + imageText(r.Dynamodb.NewImage)
	}
	return text
}

// imageText writes an image in the notation.
func imageText(image map[string]streamtypes.AttributeValue) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(image)) {
		value := ""
		switch v := image[name].(type) {
		case *streamtypes.AttributeValueMemberS:
			value = fmt.Sprintf("%q", v.Value)
		case *streamtypes.AttributeValueMemberN:
			value = v.Value
		default:
			value = fmt.Sprintf("%v", reflect.ValueOf(v).Elem().Field(0))
		}
		list = append(list, name+": "+value)
	}
	return "{" + strings.Join(list, ", ") + "}"
}

func recordTexts(list []streamtypes.Record) []string {
	texts := make([]string, len(list))
	for i, r := range list {
		texts[i] = recordText(r)
	}
	return texts
}

func (s *suite) wantRecords(got []streamtypes.Record, want ...string) {
	s.T.Helper()
	if texts := recordTexts(got); !slices.Equal(texts, want) {
		s.T.Errorf("records:\ngot  %s\nwant %s", strings.Join(texts, "\n     "), strings.Join(want, "\n     "))
	}
}

func streamViews(s *suite) {
	for table, want := range map[string][]string{
		"New":  {`INSERT {id: "v"} to {a: 1, id: "v"}`, `MODIFY {id: "v"} to {a: 2, id: "v"}`, `REMOVE {id: "v"}`},
		"Old":  {`INSERT {id: "v"}`, `MODIFY {id: "v"} from {a: 1, id: "v"}`, `REMOVE {id: "v"} from {a: 2, id: "v"}`},
		"Keys": {`INSERT {id: "v"}`, `MODIFY {id: "v"}`, `REMOVE {id: "v"}`},
		"Both": {
			`INSERT {id: "v", n: 1} to {a: 1, id: "v", n: 1}`,
			`MODIFY {id: "v", n: 1} from {a: 1, id: "v", n: 1} to {a: 2, id: "v", n: 1}`,
			`REMOVE {id: "v", n: 1} from {a: 2, id: "v", n: 1}`,
		},
	} {
		key := `id: "v"`
		if table == "Both" {
			key += ", n: 1"
		}
		r := s.read(table)
		s.accept("PutItem", `{TableName: %s, Item: {%s, a: 1}}`, table, key)
		s.accept("UpdateItem", `{TableName: %s, Key: {%s}, UpdateExpression: "SET a = :a", ExpressionAttributeValues: {:a: 2}}`, table, key)
		s.accept("DeleteItem", `{TableName: %s, Key: {%s}}`, table, key)
		s.wantRecords(r.next(3), want...)
	}
}

func streamOrder(s *suite) {
	r := s.read("New")
	for i := range 10 {
		s.accept("PutItem", `{TableName: New, Item: {id: "order", i: %d}}`, i)
	}
	records := r.next(10)
	for i, rec := range records {
		if got := imageText(rec.Dynamodb.NewImage); got != fmt.Sprintf(`{i: %d, id: "order"}`, i) {
			s.T.Errorf("record %d is %s", i, got)
		}
		if i > 0 && !greater(*rec.Dynamodb.SequenceNumber, *records[i-1].Dynamodb.SequenceNumber) {
			s.T.Errorf("sequence numbers do not grow: %s", *rec.Dynamodb.SequenceNumber)
		}
	}
}

// greater compares numbers of any length.
func greater(a, b string) bool { return len(a) > len(b) || len(a) == len(b) && a > b }

func streamSilence(s *suite) {
	s.accept("PutItem", `{TableName: New, Item: {id: "same", a: 1}}`)
	r := s.read("New")
	s.accept("PutItem", `{TableName: New, Item: {id: "same", a: 1}}`)
	s.accept("UpdateItem", `{TableName: New, Key: {id: "same"}, UpdateExpression: "SET a = :a", ExpressionAttributeValues: {:a: 1.0}}`)
	s.accept("DeleteItem", `{TableName: New, Key: {id: "absent"}}`)
	_, _ = s.ask("PutItem", `{TableName: New, Item: {id: "same", a: 2}, ConditionExpression: "a = :two", ExpressionAttributeValues: {:two: 2}}`)
	s.accept("PutItem", `{TableName: New, Item: {id: "end"}}`)
	s.wantRecords(r.next(1), `INSERT {id: "end"} to {id: "end"}`)
	s.accept("DeleteItem", `{TableName: New, Key: {id: "end"}}`)
}

func streamBatches(s *suite) {
	r := s.read("Keys")
	s.accept("BatchWriteItem", `{RequestItems: {Keys: [{PutRequest: {Item: {id: "b1"}}}, {PutRequest: {Item: {id: "b2"}}}]}}`)
	s.accept("TransactWriteItems", `{TransactItems: [{Put: {TableName: Keys, Item: {id: "t1"}}}, {Delete: {TableName: Keys, Key: {id: "b1"}}}, {ConditionCheck: {TableName: Keys, Key: {id: "b2"}, ConditionExpression: "attribute_exists(id)"}}]}`)
	s.accept("ExecuteStatement", "{Statement: `INSERT INTO \"Keys\" VALUE {'id': 'p1'}`}")
	got := recordTexts(r.next(5))
	slices.Sort(got)
	s.equal("records", got, []string{`INSERT {id: "b1"}`, `INSERT {id: "b2"}`, `INSERT {id: "p1"}`, `INSERT {id: "t1"}`, `REMOVE {id: "b1"}`})
	for _, id := range []string{"b2", "t1", "p1"} {
		s.accept("DeleteItem", `{TableName: Keys, Key: {id: %q}}`, id)
	}
}

func streamOrigin(s *suite) {
	r := s.read("New")
	begin := time.Now()
	s.accept("PutItem", `{TableName: New, Item: {id: "origin", a: "text"}}`)
	rec := r.next(1)[0]
	s.equal("source and version", *rec.EventSource+" "+*rec.EventVersion, "aws:dynamodb 1.1")
	s.equal("the view", rec.Dynamodb.StreamViewType, streamtypes.StreamViewTypeNewImage)
	s.equal("the size", *rec.Dynamodb.SizeBytes, len("id")+len("origin")+len("id")+len("origin")+len("a")+len("text"))
	if len(*rec.EventID) != 32 || *rec.AwsRegion == "" || rec.UserIdentity != nil || len(*rec.Dynamodb.SequenceNumber) < 21 {
		s.T.Errorf("id %q, region %q, identity %v, number %q", *rec.EventID, *rec.AwsRegion, rec.UserIdentity, *rec.Dynamodb.SequenceNumber)
	}
	at := rec.Dynamodb.ApproximateCreationDateTime
	if s.Advance == nil && (at.Before(begin.Add(-time.Minute)) || at.After(begin.Add(time.Minute))) {
		s.T.Errorf("a record of %v was made at %v", begin, at)
	}
	s.accept("DeleteItem", `{TableName: New, Key: {id: "origin"}}`)
}

func streamStarts(s *suite) {
	r := s.read("Keys")
	for i := range 3 {
		s.accept("PutItem", `{TableName: Keys, Item: {id: "start%d"}}`, i)
	}
	records := r.next(3)
	arn := s.stream("Keys")
	shards := s.shards(arn)
	if len(shards) != 1 {
		s.T.Skip("the records are in several shards")
	}
	from := func(kind string, rec streamtypes.Record) []streamtypes.Record {
		out := do[dynamodbstreams.GetShardIteratorOutput](s, "GetShardIterator", `{StreamArn: %q, ShardId: %q, ShardIteratorType: %s, SequenceNumber: %q}`, arn, *shards[0].ShardId, kind, *rec.Dynamodb.SequenceNumber)
		return (&reader{s, []string{*out.ShardIterator}}).next(1)
	}
	s.wantRecords(from("AT_SEQUENCE_NUMBER", records[1]), `INSERT {id: "start1"}`, `INSERT {id: "start2"}`)
	s.wantRecords(from("AFTER_SEQUENCE_NUMBER", records[1]), `INSERT {id: "start2"}`)
	horizon := &reader{s, s.iterators(arn, "TRIM_HORIZON")}
	all := recordTexts(horizon.next(3))
	s.equal("the last from the horizon", all[len(all)-3:], []string{`INSERT {id: "start0"}`, `INSERT {id: "start1"}`, `INSERT {id: "start2"}`})
	for i := range 3 {
		s.accept("DeleteItem", `{TableName: Keys, Key: {id: "start%d"}}`, i)
	}
}

func streamMoment(s *suite) {
	r := s.read("Both")
	s.accept("PutItem", `{TableName: Both, Item: {id: "moment", n: 1}}`)
	s.Advance(s.T, time.Minute)
	s.accept("PutItem", `{TableName: Both, Item: {id: "moment", n: 2}}`)
	records := r.next(2)
	arn := s.stream("Both")
	shard := *s.shards(arn)[0].ShardId
	start := func(at time.Time) *dynamodbstreams.GetShardIteratorInput {
		return &dynamodbstreams.GetShardIteratorInput{StreamArn: &arn, ShardId: &shard, ShardIteratorType: streamtypes.ShardIteratorTypeAtTimestamp, Timestamp: &at}
	}
	out, err := s.Streams.GetShardIterator(s.ctx(), start(*records[1].Dynamodb.ApproximateCreationDateTime))
	if err != nil {
		s.T.Fatal(err)
	}
	s.wantRecords((&reader{s, []string{*out.ShardIterator}}).next(1), `INSERT {id: "moment", n: 2} to {id: "moment", n: 2}`)
	long, err := s.Streams.GetShardIterator(s.ctx(), start(time.Now().AddDate(-1, 0, 0)))
	if err != nil {
		s.T.Fatal(err)
	}
	if all := (&reader{s, []string{*long.ShardIterator}}).next(2); len(all) < 2 {
		s.T.Errorf("from long ago: %d records", len(all))
	}
	if _, err := s.Streams.GetShardIterator(s.ctx(), start(time.Now().AddDate(1, 0, 0))); !strings.HasPrefix(refusedText(err), "ValidationException") {
		s.T.Errorf("from next year: %v", err)
	}
	s.refuse("ValidationException", "GetShardIterator", `{StreamArn: %q, ShardId: %q, ShardIteratorType: AT_TIMESTAMP}`, arn, shard)
}

func streamPages(s *suite) {
	iterators := s.iterators(s.stream("Old"), "LATEST")
	for i := range 7 {
		s.accept("PutItem", `{TableName: Old, Item: {id: "page%d"}}`, i)
	}
	var got []string
	for _, iterator := range iterators {
		for range 30 {
			out := do[dynamodbstreams.GetRecordsOutput](s, "GetRecords", `{ShardIterator: %q, Limit: 3}`, iterator)
			if len(out.Records) > 3 {
				s.T.Errorf("%d records of 3", len(out.Records))
			}
			got = append(got, recordTexts(out.Records)...)
			if iterator = aws.ToString(out.NextShardIterator); iterator == "" || len(got) == 7 {
				break
			}
			if len(out.Records) == 0 {
				s.pause()
			}
		}
	}
	s.equal("records", len(got), 7)
	s.refuse("ValidationException: 1 validation error detected: Value '0' at 'limit'", "GetRecords", `{ShardIterator: %q, Limit: 0}`, iterators[0])
	s.refuse("ValidationException: 1 validation error detected: Value '1001' at 'limit'", "GetRecords", `{ShardIterator: %q, Limit: 1001}`, iterators[0])
}

func streamShard(s *suite) {
	shards := s.shards(s.stream("Both"))
	if len(shards) != 1 || len(*shards[0].ShardId) < 28 || shards[0].SequenceNumberRange.EndingSequenceNumber != nil {
		s.T.Errorf("shards: %v", shards)
	}
	children := do[dynamodbstreams.DescribeStreamOutput](s, "DescribeStream", `{StreamArn: %q, ShardFilter: {Type: CHILD_SHARDS, ShardId: %q}}`, s.stream("Both"), *shards[0].ShardId)
	s.equal("children of the shard", len(children.StreamDescription.Shards), 0)
}

func iteratorAge(s *suite) {
	iterator := s.iterators(s.stream("Both"), "LATEST")[0]
	s.Advance(s.T, 14*time.Minute)
	out := do[dynamodbstreams.GetRecordsOutput](s, "GetRecords", `{ShardIterator: %q}`, iterator)
	s.Advance(s.T, 2*time.Minute)
	s.refuse("ExpiredIteratorException", "GetRecords", `{ShardIterator: %q}`, iterator)
	s.accept("GetRecords", `{ShardIterator: %q}`, *out.NextShardIterator)
}

func recordAge(s *suite) {
	r := s.read("Both")
	s.accept("PutItem", `{TableName: Both, Item: {id: "age", n: 1}}`)
	number := *r.next(1)[0].Dynamodb.SequenceNumber
	s.Advance(s.T, 25*time.Hour)
	s.accept("PutItem", `{TableName: Both, Item: {id: "age", n: 2}}`)
	arn := s.stream("Both")
	horizon := &reader{s, s.iterators(arn, "TRIM_HORIZON")}
	s.wantRecords(horizon.next(1), `INSERT {id: "age", n: 2} to {id: "age", n: 2}`)
	s.refuse("TrimmedDataAccessException", "GetShardIterator", `{StreamArn: %q, ShardId: %q, ShardIteratorType: AT_SEQUENCE_NUMBER, SequenceNumber: %q}`, arn, *s.shards(arn)[0].ShardId, number)
}

func streamClosed(s *suite) {
	r := s.read("Old")
	s.accept("PutItem", `{TableName: Old, Item: {id: "closed"}}`)
	arn := s.stream("Old")
	s.accept("UpdateTable", `{TableName: Old, StreamSpecification: {StreamEnabled: false}}`)
	s.accept("PutItem", `{TableName: Old, Item: {id: "unseen"}}`)
	s.wantRecords(r.next(1), `INSERT {id: "closed"}`)
	if r.iterators[0] != "" {
		out := do[dynamodbstreams.GetRecordsOutput](s, "GetRecords", `{ShardIterator: %q}`, r.iterators[0])
		if len(out.Records) != 0 || out.NextShardIterator != nil {
			s.T.Errorf("a closed shard goes on: %v", out)
		}
	}
	d := do[dynamodbstreams.DescribeStreamOutput](s, "DescribeStream", `{StreamArn: %q}`, arn).StreamDescription
	if d.StreamStatus != streamtypes.StreamStatusDisabled || d.Shards[0].SequenceNumberRange.EndingSequenceNumber == nil {
		s.T.Errorf("a closed stream is described as %s, %v", d.StreamStatus, d.Shards)
	}
	s.accept("UpdateTable", `{TableName: Old, StreamSpecification: {StreamEnabled: true, StreamViewType: OLD_IMAGE}}`)
	if now := s.stream("Old"); now == arn {
		s.T.Error("a stream that is turned on again has the old ARN")
	}
}

func streamList(s *suite) {
	out := do[dynamodbstreams.ListStreamsOutput](s, "ListStreams", `{Limit: 1}`)
	found := map[string]bool{}
	for range 20 {
		for _, st := range out.Streams {
			found[*st.TableName] = true
		}
		if out.LastEvaluatedStreamArn == nil {
			break
		}
		out = do[dynamodbstreams.ListStreamsOutput](s, "ListStreams", `{Limit: 1, ExclusiveStartStreamArn: %q}`, *out.LastEvaluatedStreamArn)
	}
	s.equal("tables with streams", len(found), 4)
}
