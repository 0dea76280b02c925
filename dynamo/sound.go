package dynamo

import (
	"context"
	"errors"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/aws/smithy-go/middleware"
)

// The SDK's client refuses an input without its required members before it
// sends anything (smithy.InvalidParamsError). A DB refuses the same inputs
// with the same error by asking such a client, whose request is stopped when
// it has passed that check. That takes microseconds: the item operations
// first look for themselves whether something required is missing, and ask
// only then.

// errSound stops a request that the client would send.
var errSound = errors.New("the input is sound")

type stop struct{}

func (stop) ID() string { return "StopBeforeSending" }

func (stop) HandleInitialize(context.Context, middleware.InitializeInput, middleware.InitializeHandler) (middleware.InitializeOutput, middleware.Metadata, error) {
	return middleware.InitializeOutput{}, middleware.Metadata{}, errSound
}

func stopBeforeSending(s *middleware.Stack) error {
	return s.Initialize.Add(stop{}, middleware.After)
}

var checkers = struct {
	items   func() *dynamodb.Client
	streams func() *dynamodbstreams.Client
}{
	items: sync.OnceValue(func() *dynamodb.Client {
		return dynamodb.New(dynamodb.Options{
			Region:      "us-east-1",
			Credentials: aws.AnonymousCredentials{},
			APIOptions:  []func(*middleware.Stack) error{stopBeforeSending},
		})
	}),
	streams: sync.OnceValue(func() *dynamodbstreams.Client {
		return dynamodbstreams.New(dynamodbstreams.Options{
			Region:      "us-east-1",
			Credentials: aws.AnonymousCredentials{},
			APIOptions:  []func(*middleware.Stack) error{stopBeforeSending},
		})
	}),
}

// method is an operation of a client C whose options are O.
type method[C, I, Out, O any] func(C, context.Context, *I, ...func(*O)) (*Out, error)

// sound returns the client's error for an input that it would not send.
func sound[I, Out any](ctx context.Context, m method[*dynamodb.Client, I, Out, dynamodb.Options], in *I) error {
	return ask(ctx, checkers.items(), m, in)
}

func ask[C, I, Out, O any](ctx context.Context, client C, m method[C, I, Out, O], in *I) error {
	copied := *in // the client fills in tokens
	if _, err := m(client, ctx, &copied); !errors.Is(err, errSound) {
		return err
	}
	return nil
}
