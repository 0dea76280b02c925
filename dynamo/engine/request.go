package engine

import (
	"pressroom/dynamo/attr"
	"pressroom/dynamo/expr"
)

// The requests and answers of the operations that carry attribute values.
// They mirror the SDK's inputs and outputs field by field, with values in
// stored form. Pointers and nil maps tell an absent parameter from an empty
// one, since DynamoDB does.

// Invalid is the first attribute value of a request that was refused while
// being taken in. It is kept and reported when its turn comes in DynamoDB's
// order of validation.
type Invalid struct{ Err error }

// Note keeps err if it is the first.
func (i *Invalid) Note(err error) {
	if i.Err == nil {
		i.Err = err
	}
}

// Conditional is what the conditional writes have in common.
type Conditional struct {
	ConditionExpression *string
	Placeholders        expr.Placeholders
	Expected            []expr.Expectation // nil if absent
	ConditionalOperator string

	ReturnValues           string
	ReturnConsumedCapacity string
	ReturnCollections      string // ReturnItemCollectionMetrics
	ReturnOnFailure        string // ReturnValuesOnConditionCheckFailure
}

// PutItem is a request to put an item.
type PutItem struct {
	TableName *string
	Item      attr.Item // nil if absent
	Invalid   Invalid
	Conditional
}

// Keyed is what the conditional writes have in common that name their item by
// its key.
type Keyed struct {
	TableName *string
	Key       attr.Item // nil if absent
	Invalid   Invalid
	Conditional
}

// DeleteItem is a request to delete an item.
type DeleteItem struct{ Keyed }

// UpdateItem is a request to change an item.
type UpdateItem struct {
	Keyed
	UpdateExpression *string
	AttributeUpdates []expr.AttributeUpdate // nil if absent
}

// WriteAnswer is the answer to the three writes above.
type WriteAnswer struct {
	Attributes  attr.Item // nil if none
	Capacity    *Capacity
	Collections *Collection
}

// Collection is the ItemCollectionMetrics of a table with local indexes.
type Collection struct {
	Key  attr.Item // the partition key
	Low  float64   // estimate in GB, lower bound
	High float64
}

// Projected is what the reads have in common.
type Projected struct {
	ProjectionExpression *string
	AttributesToGet      []string // nil if absent
	Placeholders         expr.Placeholders
}

// GetItem is a request to read an item.
type GetItem struct {
	TableName      *string
	Key            attr.Item // nil if absent
	Invalid        Invalid
	ConsistentRead bool
	Projected
	ReturnConsumedCapacity string
}

// GetAnswer is the answer to GetItem.
type GetAnswer struct {
	// Item is nil if there is none.
	Item     attr.Item
	Capacity *Capacity
}

// Paged is what Query and Scan have in common. Emit receives the items one by
// one; an item is valid only during the call. With Select COUNT it is not
// called.
type Paged struct {
	TableName           *string
	IndexName           *string
	Select              string
	ConsistentRead      bool
	Limit               *int32
	ExclusiveStartKey   attr.Item // nil if absent
	Invalid             Invalid   // of ExclusiveStartKey
	FilterExpression    *string
	Filter              []expr.LegacyCondition // QueryFilter or ScanFilter, nil if absent
	ConditionalOperator string
	Projected
	ReturnConsumedCapacity string

	Emit func(attr.Item) error
}

// Query is a request for a page of a partition.
type Query struct {
	Paged
	ScanIndexForward       *bool
	KeyConditionExpression *string
	KeyConditions          []expr.LegacyCondition // nil if absent
}

// Scan is a request for a page of a table or index.
type Scan struct {
	Paged
	Segment, TotalSegments *int32
}

// PageAnswer is the answer to Query and Scan.
type PageAnswer struct {
	Count, ScannedCount int
	// LastKey is nil on the last page.
	LastKey  attr.Item
	Capacity *Capacity
}

// BatchGet is a request to read up to 100 items. Tables are in the order of
// the request as far as it has one.
type BatchGet struct {
	Tables                 []BatchGetTable // nil if RequestItems is absent
	ReturnConsumedCapacity string
	// Emit receives each item found with its table as the request named it.
	Emit func(table string, it attr.Item) error
}

// BatchGetTable is what BatchGet asks of one table.
type BatchGetTable struct {
	TableName      string
	Keys           []attr.Item // nil if absent
	Invalid        Invalid
	ConsistentRead bool
	Projected
}

// BatchGetAnswer is the answer to BatchGet.
type BatchGetAnswer struct {
	// Unprocessed are the keys for which the answer of 16 MB had no room.
	Unprocessed []BatchGetTable
	Capacity    []*Capacity
}

// BatchWrite is a request to put and delete up to 25 items.
type BatchWrite struct {
	Tables                 []BatchWriteTable // nil if RequestItems is absent
	ReturnConsumedCapacity string
	ReturnCollections      string
}

// BatchWriteTable is what BatchWrite does to one table.
type BatchWriteTable struct {
	TableName string
	Writes    []BatchWriteItem // nil if absent
}

// BatchWriteItem is a put (Item) or a delete (Key).
type BatchWriteItem struct {
	Item, Key attr.Item // one of them is not nil
	Both      bool      // both were given, which is refused
	Invalid   Invalid
}

// BatchWriteAnswer is the answer to BatchWrite, which always does all.
type BatchWriteAnswer struct {
	Capacity    []*Capacity
	Collections map[string][]*Collection
}

// TransactWrite is a request to change up to 100 items together.
type TransactWrite struct {
	Actions                []TransactAction // nil if absent
	ClientRequestToken     *string
	ReturnConsumedCapacity string
	ReturnCollections      string
}

// TransactAction is one action; exactly one of the four is not nil.
type TransactAction struct {
	Put    *PutItem
	Update *UpdateItem
	Delete *DeleteItem
	Check  *ConditionCheck
	// Given counts how many the request had, to refuse other than one.
	Given int
}

// ConditionCheck lets a transaction happen only if an item, which it leaves
// as it is, meets a condition.
type ConditionCheck struct{ Keyed }

// TransactWriteAnswer is the answer to TransactWrite.
type TransactWriteAnswer struct {
	Capacity    []*Capacity
	Collections map[string][]*Collection
}

// TransactGet is a request to read up to 100 items of one moment.
type TransactGet struct {
	Gets                   []*GetItem // nil if absent; an element is nil if it has no Get
	ReturnConsumedCapacity string
}

// TransactGetAnswer is the answer to TransactGet.
type TransactGetAnswer struct {
	Items    []attr.Item // in the order of the request, nil where there is none
	Capacity []*Capacity
}

// Statement is one PartiQL statement of a batch or transaction.
type Statement struct {
	Statement       *string
	Parameters      []attr.Value // nil if absent
	Invalid         Invalid      // of Parameters
	ConsistentRead  bool
	ReturnOnFailure string // ReturnValuesOnConditionCheckFailure
}

// ExecuteStatement is a request to run one statement. Emit receives what a
// SELECT finds or a RETURNING clause asks for; an item is valid only during
// the call.
type ExecuteStatement struct {
	Statement
	NextToken              *string
	Limit                  *int32
	ReturnConsumedCapacity string

	Emit func(attr.Item) error
}

// StatementAnswer is the answer to ExecuteStatement.
type StatementAnswer struct {
	LastKey   attr.Item // nil on the last page
	NextToken *string
	Capacity  *Capacity
}

// BatchExecuteStatement is a request to run up to 25 statements, each for
// itself.
type BatchExecuteStatement struct {
	Statements             []Statement // nil if absent
	ReturnConsumedCapacity string
}

// BatchStatementAnswer is the answer to BatchExecuteStatement.
type BatchStatementAnswer struct {
	Responses []StatementResponse
	Capacity  []*Capacity
}

// StatementResponse is what became of one statement of a batch.
type StatementResponse struct {
	Table string
	Item  attr.Item // nil if none
	// Err says why the statement failed; Code is its short form, such as
	// ConditionalCheckFailed.
	Err  *Error
	Code string
}

// ExecuteTransaction is a request to run up to 100 statements together.
type ExecuteTransaction struct {
	Statements             []Statement // nil if absent
	ClientRequestToken     *string
	ReturnConsumedCapacity string
}

// ExecuteTransactionAnswer is the answer to ExecuteTransaction. A transaction
// that reads has an item, or nil, for each statement; one that writes none.
type ExecuteTransactionAnswer struct {
	Items    []attr.Item
	Capacity []*Capacity
}
