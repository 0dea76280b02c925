package dynamo

import (
	"context"
	"errors"
	"net/http"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"pressroom/dynamo/attr"
	"pressroom/dynamo/engine"
	"pressroom/dynamo/internal/reqid"
)

// fail dresses an error of the engine as the SDK's client would return it:
// an OperationError around a ResponseError around the exception.
func fail(operation string, err error) error {
	return &smithy.OperationError{ServiceID: dynamodb.ServiceID, OperationName: operation, Err: cause(err, exception)}
}

func cause(err error, exception func(*engine.Error) error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return &smithy.CanceledError{Err: err}
	}
	refusal, ok := engine.AsError(err)
	if !ok {
		return err
	}
	status := http.StatusBadRequest
	if refusal.Type == engine.Internal {
		status = http.StatusInternalServerError
	}
	id := reqid.New()
	return &awshttp.ResponseError{
		ResponseError: &smithyhttp.ResponseError{
			Response: &smithyhttp.Response{Response: &http.Response{
				Status:     http.StatusText(status),
				StatusCode: status,
				Header:     http.Header{"X-Amzn-Requestid": {id}},
				Body:       http.NoBody,
			}},
			Err: exception(refusal),
		},
		RequestID: id,
	}
}

// exception is the SDK's type for a refusal. Exceptions without one of their
// own, ValidationException above all, are a smithy.GenericAPIError.
func exception(e *engine.Error) error {
	message := &e.Message
	switch e.Type {
	case engine.ConditionFailed:
		return &types.ConditionalCheckFailedException{Message: message, Item: itemToSDK(e.Item)}
	case engine.TransactionCancelled:
		return &types.TransactionCanceledException{Message: message, CancellationReasons: reasons(e.Reasons)}
	}
	if typed, ok := exceptions[e.Type]; ok {
		return typed(message)
	}
	return &smithy.GenericAPIError{Code: e.Type, Message: e.Message}
}

var exceptions = map[string]func(message *string) error{
	engine.NotFound:            func(m *string) error { return &types.ResourceNotFoundException{Message: m} },
	engine.InUse:               func(m *string) error { return &types.ResourceInUseException{Message: m} },
	engine.LimitExceeded:       func(m *string) error { return &types.LimitExceededException{Message: m} },
	engine.TokenMismatch:       func(m *string) error { return &types.IdempotentParameterMismatchException{Message: m} },
	engine.Internal:            func(m *string) error { return &types.InternalServerError{Message: m} },
	engine.TableNotFound:       func(m *string) error { return &types.TableNotFoundException{Message: m} },
	engine.TableExists:         func(m *string) error { return &types.TableAlreadyExistsException{Message: m} },
	engine.TableInUse:          func(m *string) error { return &types.TableInUseException{Message: m} },
	engine.BackupNotFound:      func(m *string) error { return &types.BackupNotFoundException{Message: m} },
	engine.BackupInUse:         func(m *string) error { return &types.BackupInUseException{Message: m} },
	engine.InvalidRestoreTime:  func(m *string) error { return &types.InvalidRestoreTimeException{Message: m} },
	engine.NoContinuousBackups: func(m *string) error { return &types.ContinuousBackupsUnavailableException{Message: m} },
	engine.RecoveryUnavailable: func(m *string) error { return &types.PointInTimeRecoveryUnavailableException{Message: m} },
	engine.PolicyNotFound:      func(m *string) error { return &types.PolicyNotFoundException{Message: m} },
	engine.GlobalTableNotFound: func(m *string) error { return &types.GlobalTableNotFoundException{Message: m} },
	engine.ExportNotFound:      func(m *string) error { return &types.ExportNotFoundException{Message: m} },
	engine.ExportConflict:      func(m *string) error { return &types.ExportConflictException{Message: m} },
	engine.InvalidExportTime:   func(m *string) error { return &types.InvalidExportTimeException{Message: m} },
	engine.ImportNotFound:      func(m *string) error { return &types.ImportNotFoundException{Message: m} },
	engine.ImportConflict:      func(m *string) error { return &types.ImportConflictException{Message: m} },
	engine.DuplicateItem:       func(m *string) error { return &types.DuplicateItemException{Message: m} },
}

func reasons(list []engine.Reason) []types.CancellationReason {
	out := make([]types.CancellationReason, len(list))
	for i := range list {
		r := &list[i]
		out[i] = types.CancellationReason{Code: &r.Code, Item: itemToSDK(r.Item)}
		if r.Message != "" {
			out[i].Message = &r.Message
		}
	}
	return out
}

// itemToSDK keeps an absent item absent.
func itemToSDK(it attr.Item) map[string]types.AttributeValue {
	if it == nil {
		return nil
	}
	return attr.ItemToSDK(it)
}
