package dynamo

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
	"github.com/aws/smithy-go"

	"pressroom/dynamo/attr"
	"pressroom/dynamo/engine"
)

// Streams is DynamoDB Streams of a DB, with the method set of the SDK's
// *dynamodbstreams.Client.
type Streams struct{ db *DB }

// Streams returns the streams of the database's tables.
func (db *DB) Streams() *Streams { return &Streams{db} }

// ListStreams lists the streams of one table or all, a page at a time.
func (s *Streams) ListStreams(ctx context.Context, in *dynamodbstreams.ListStreamsInput, _ ...func(*dynamodbstreams.Options)) (*dynamodbstreams.ListStreamsOutput, error) {
	return stream(ctx, s, "ListStreams", in, (*dynamodbstreams.Client).ListStreams, (*engine.Engine).ListStreams)
}

// DescribeStream tells what a stream is and which shards it has.
func (s *Streams) DescribeStream(ctx context.Context, in *dynamodbstreams.DescribeStreamInput, _ ...func(*dynamodbstreams.Options)) (*dynamodbstreams.DescribeStreamOutput, error) {
	return stream(ctx, s, "DescribeStream", in, (*dynamodbstreams.Client).DescribeStream, (*engine.Engine).DescribeStream)
}

// GetShardIterator returns a place in a shard, from which GetRecords reads.
func (s *Streams) GetShardIterator(ctx context.Context, in *dynamodbstreams.GetShardIteratorInput, _ ...func(*dynamodbstreams.Options)) (*dynamodbstreams.GetShardIteratorOutput, error) {
	return stream(ctx, s, "GetShardIterator", in, (*dynamodbstreams.Client).GetShardIterator, (*engine.Engine).GetShardIterator)
}

// GetRecords reads the changes that follow a place in a shard.
func (s *Streams) GetRecords(ctx context.Context, in *dynamodbstreams.GetRecordsInput, _ ...func(*dynamodbstreams.Options)) (*dynamodbstreams.GetRecordsOutput, error) {
	return stream(ctx, s, "GetRecords", in, (*dynamodbstreams.Client).GetRecords, s.records)
}

// stream is control for the operations of streams.
func stream[I, Out any](
	ctx context.Context, s *Streams, operation string, in *I,
	check method[*dynamodbstreams.Client, I, Out, dynamodbstreams.Options],
	run func(*engine.Engine, context.Context, *I) (*Out, error),
) (*Out, error) {
	if in == nil {
		in = new(I)
	}
	if err := ask(ctx, checkers.streams(), check, in); err != nil {
		return nil, err
	}
	out, err := run(s.db.engine, ctx, in)
	if err != nil {
		return nil, &smithy.OperationError{ServiceID: dynamodbstreams.ServiceID, OperationName: operation, Err: cause(err, streamException)}
	}
	setMetadata(out)
	return out, nil
}

// streamException is exception in the types of the streams' package.
func streamException(e *engine.Error) error {
	message := &e.Message
	switch e.Type {
	case engine.NotFound:
		return &types.ResourceNotFoundException{Message: message}
	case engine.LimitExceeded:
		return &types.LimitExceededException{Message: message}
	case engine.ExpiredIterator:
		return &types.ExpiredIteratorException{Message: message}
	case engine.TrimmedData:
		return &types.TrimmedDataAccessException{Message: message}
	case engine.Internal:
		return &types.InternalServerError{Message: message}
	}
	return &smithy.GenericAPIError{Code: e.Type, Message: e.Message}
}

func (s *Streams) records(e *engine.Engine, ctx context.Context, in *dynamodbstreams.GetRecordsInput) (*dynamodbstreams.GetRecordsOutput, error) {
	a, err := e.GetRecords(ctx, in)
	if err != nil {
		return nil, err
	}
	out := &dynamodbstreams.GetRecordsOutput{
		NextShardIterator: a.NextShardIterator,
		Records:           make([]types.Record, len(a.Records)),
	}
	for i := range a.Records {
		out.Records[i] = record(&a.Records[i], s.db.region)
	}
	return out, nil
}

func record(r *engine.Record, region string) types.Record {
	at := r.Time.Truncate(time.Second).UTC() // as much as the service tells
	out := types.Record{
		AwsRegion:    &region,
		EventID:      &r.EventID,
		EventName:    types.OperationType(r.EventName),
		EventSource:  aws.String("aws:dynamodb"),
		EventVersion: aws.String("1.1"),
		Dynamodb: &types.StreamRecord{
			ApproximateCreationDateTime: &at,
			Keys:                        attr.ItemToStreams(r.Keys),
			SequenceNumber:              &r.Sequence,
			SizeBytes:                   &r.Size,
			StreamViewType:              types.StreamViewType(r.View),
		},
	}
	if r.New != nil {
		out.Dynamodb.NewImage = attr.ItemToStreams(r.New)
	}
	if r.Old != nil {
		out.Dynamodb.OldImage = attr.ItemToStreams(r.Old)
	}
	if r.Expired { // how DynamoDB signs what time to live removed
		out.UserIdentity = &types.Identity{PrincipalId: aws.String("dynamodb.amazonaws.com"), Type: aws.String("Service")}
	}
	return out
}
