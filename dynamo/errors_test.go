package dynamo_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/document"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// ignoreSerde passes over the unexported marker in the SDK's structs.
var ignoreSerde = cmpopts.IgnoreTypes(document.NoSerde{})

func TestConditionFailure(t *testing.T) {
	db, ctx := open(t), context.Background()
	createTable(t, db, "posts")
	put := &dynamodb.PutItemInput{
		TableName:                           aws.String("posts"),
		Item:                                item{"pk": s("a"), "sk": s("b"), "n": n("1")},
		ConditionExpression:                 aws.String("attribute_not_exists(pk)"),
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	}
	if _, err := db.PutItem(ctx, put); err != nil {
		t.Fatal(err)
	}
	_, err := db.PutItem(ctx, put)
	var failed *types.ConditionalCheckFailedException
	if !errors.As(err, &failed) {
		t.Fatalf("%v is no ConditionalCheckFailedException", err)
	}
	if diff := cmp.Diff(put.Item, failed.Item, ignoreSerde); diff != "" {
		t.Error(diff)
	}
	var response *awshttp.ResponseError
	if !errors.As(err, &response) || response.HTTPStatusCode() != 400 || len(response.ServiceRequestID()) != 52 {
		t.Errorf("%v has no response with status 400 and a request id", err)
	}
	if !strings.HasPrefix(err.Error(), "operation error DynamoDB: PutItem, https response error StatusCode: 400, RequestID: ") ||
		!strings.HasSuffix(err.Error(), ", ConditionalCheckFailedException: The conditional request failed") {
		t.Errorf("text %q", err)
	}
}

func TestTransactionCancelled(t *testing.T) {
	db, ctx := open(t), context.Background()
	createTable(t, db, "posts")
	there := item{"pk": s("a"), "sk": s("b")}
	if _, err := db.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String("posts"), Item: there}); err != nil {
		t.Fatal(err)
	}
	_, err := db.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
		{Put: &types.Put{TableName: aws.String("posts"), Item: item{"pk": s("c"), "sk": s("d")}}},
		{ConditionCheck: &types.ConditionCheck{
			TableName: aws.String("posts"), Key: there,
			ConditionExpression:                 aws.String("attribute_not_exists(pk)"),
			ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
		}},
	}})
	var cancelled *types.TransactionCanceledException
	if !errors.As(err, &cancelled) {
		t.Fatalf("%v is no TransactionCanceledException", err)
	}
	want := []types.CancellationReason{
		{Code: aws.String("None")},
		{Code: aws.String("ConditionalCheckFailed"), Message: aws.String("The conditional request failed"), Item: there},
	}
	if diff := cmp.Diff(want, cancelled.CancellationReasons, ignoreSerde); diff != "" {
		t.Error(diff)
	}
}

func TestErrorTypes(t *testing.T) {
	db, ctx := open(t), context.Background()
	createTable(t, db, "posts")
	key := item{"pk": s("a"), "sk": s("b")}

	_, err := db.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String("nothing"), Key: key})
	var missing *types.ResourceNotFoundException
	if !errors.As(err, &missing) {
		t.Errorf("no such table: %v", err)
	}

	_, err = db.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String("posts"), Key: item{"pk": s("a")}})
	var api smithy.APIError
	if !errors.As(err, &api) || api.ErrorCode() != "ValidationException" {
		t.Errorf("half a key: %v", err)
	}
	if _, ok := api.(*smithy.GenericAPIError); !ok {
		t.Errorf("ValidationException is a %T", api)
	}

	_, err = db.GetItem(ctx, nil)
	var params smithy.InvalidParamsError
	if !errors.As(err, &params) || params.Len() != 2 {
		t.Errorf("no input: %v", err)
	}

	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	_, err = db.GetItem(cancelled, &dynamodb.GetItemInput{TableName: aws.String("posts"), Key: key})
	var gone *smithy.CanceledError
	if !errors.Is(err, context.Canceled) || !errors.As(err, &gone) {
		t.Errorf("cancelled: %v", err)
	}
}
