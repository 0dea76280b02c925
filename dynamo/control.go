package dynamo

import (
	"context"
	"reflect"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go/middleware"

	"pressroom/dynamo/engine"
)

// control runs an operation without attribute values, which takes and returns
// the SDK's own structs all the way down. They are rare enough to be checked
// by the SDK every time.
func control[I, Out any](
	ctx context.Context, db *DB, operation string, in *I,
	check method[*dynamodb.Client, I, Out, dynamodb.Options],
	run func(*engine.Engine, context.Context, *I) (*Out, error),
) (*Out, error) {
	if in == nil {
		in = new(I)
	}
	if err := sound(ctx, check, in); err != nil {
		return nil, err
	}
	out, err := run(db.engine, ctx, in)
	if err != nil {
		return nil, fail(operation, err)
	}
	setMetadata(out)
	return out, nil
}

// setMetadata gives an output its request id.
func setMetadata(out any) {
	m := reflect.ValueOf(out).Elem().FieldByName("ResultMetadata").Addr().Interface().(*middleware.Metadata)
	*m = metadata()
}
