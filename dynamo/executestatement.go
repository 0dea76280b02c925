package dynamo

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"pressroom/dynamo/engine"
)

// ExecuteStatement runs one PartiQL statement.
func (db *DB) ExecuteStatement(ctx context.Context, in *dynamodb.ExecuteStatementInput, _ ...func(*dynamodb.Options)) (*dynamodb.ExecuteStatementOutput, error) {
	if in == nil {
		in = &dynamodb.ExecuteStatementInput{}
	}
	if in.Statement == nil {
		return nil, sound(ctx, (*dynamodb.Client).ExecuteStatement, in)
	}
	found := newItems("")
	a, err := db.engine.ExecuteStatement(ctx, &engine.ExecuteStatement{
		Statement:              statement(in.Statement, in.Parameters, in.ConsistentRead, in.ReturnValuesOnConditionCheckFailure),
		NextToken:              in.NextToken,
		Limit:                  in.Limit,
		ReturnConsumedCapacity: string(in.ReturnConsumedCapacity),
		Emit:                   found.add,
	})
	if err != nil {
		return nil, fail("ExecuteStatement", err)
	}
	return &dynamodb.ExecuteStatementOutput{
		Items:            found.list,
		LastEvaluatedKey: itemToSDK(a.LastKey),
		NextToken:        a.NextToken,
		ConsumedCapacity: consumed(a.Capacity, string(in.ReturnConsumedCapacity)),
		ResultMetadata:   metadata(),
	}, nil
}

func statement(text *string, parameters []types.AttributeValue, consistent *bool, onFailure types.ReturnValuesOnConditionCheckFailure) engine.Statement {
	s := engine.Statement{Statement: text, ReturnOnFailure: string(onFailure), ConsistentRead: aws.ToBool(consistent)}
	s.Parameters = valuesFromSDK(parameters, &s.Invalid.Err)
	return s
}

// BatchExecuteStatement runs up to 25 PartiQL statements, each for itself.
func (db *DB) BatchExecuteStatement(ctx context.Context, in *dynamodb.BatchExecuteStatementInput, _ ...func(*dynamodb.Options)) (*dynamodb.BatchExecuteStatementOutput, error) {
	if in == nil {
		in = &dynamodb.BatchExecuteStatementInput{}
	}
	r := engine.BatchExecuteStatement{ReturnConsumedCapacity: string(in.ReturnConsumedCapacity)}
	unsound := in.Statements == nil
	for _, s := range in.Statements {
		unsound = unsound || s.Statement == nil
		r.Statements = append(r.Statements, statement(s.Statement, s.Parameters, s.ConsistentRead, s.ReturnValuesOnConditionCheckFailure))
	}
	if unsound {
		return nil, sound(ctx, (*dynamodb.Client).BatchExecuteStatement, in)
	}
	if r.Statements == nil {
		r.Statements = []engine.Statement{}
	}
	a, err := db.engine.BatchExecuteStatement(ctx, &r)
	if err != nil {
		return nil, fail("BatchExecuteStatement", err)
	}
	out := &dynamodb.BatchExecuteStatementOutput{
		ConsumedCapacity: consumedList(a.Capacity, r.ReturnConsumedCapacity, consumed),
		ResultMetadata:   metadata(),
	}
	for _, r := range a.Responses {
		out.Responses = append(out.Responses, statementResponse(r))
	}
	return out, nil
}

func statementResponse(r engine.StatementResponse) types.BatchStatementResponse {
	out := types.BatchStatementResponse{Item: itemToSDK(r.Item)}
	if r.Table != "" {
		out.TableName = &r.Table
	}
	if r.Err != nil {
		out.Error = &types.BatchStatementError{
			Code:    types.BatchStatementErrorCodeEnum(r.Code),
			Message: &r.Err.Message,
			Item:    itemToSDK(r.Err.Item),
		}
	}
	return out
}

// ExecuteTransaction runs up to 100 PartiQL statements together.
func (db *DB) ExecuteTransaction(ctx context.Context, in *dynamodb.ExecuteTransactionInput, _ ...func(*dynamodb.Options)) (*dynamodb.ExecuteTransactionOutput, error) {
	if in == nil {
		in = &dynamodb.ExecuteTransactionInput{}
	}
	r := engine.ExecuteTransaction{
		ClientRequestToken:     in.ClientRequestToken,
		ReturnConsumedCapacity: string(in.ReturnConsumedCapacity),
	}
	unsound := in.TransactStatements == nil
	for _, s := range in.TransactStatements {
		unsound = unsound || s.Statement == nil
		r.Statements = append(r.Statements, statement(s.Statement, s.Parameters, nil, s.ReturnValuesOnConditionCheckFailure))
	}
	if unsound {
		return nil, sound(ctx, (*dynamodb.Client).ExecuteTransaction, in)
	}
	if r.Statements == nil {
		r.Statements = []engine.Statement{}
	}
	a, err := db.engine.ExecuteTransaction(ctx, &r)
	if err != nil {
		return nil, fail("ExecuteTransaction", err)
	}
	return (*dynamodb.ExecuteTransactionOutput)(gotten(a.Items, a.Capacity, r.ReturnConsumedCapacity)), nil
}
