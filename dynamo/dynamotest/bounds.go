package dynamotest

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

var boundCases = []testCase{
	{"a batch writes 25 items", nil, batchWrites},
	{"a batch reads 100 items", nil, batchReads},
	{"a batch answers 16 MB and leaves the rest", nil, batchUnprocessed},
	{"a transaction has 100 actions", nil, transactionActions},
	{"a transaction has 4 MB", nil, transactionBytes},
	{"statements come in 25 and 100", nil, statementCounts},
	{"an expression has 4096 bytes", nil, expressionBytes},
	{"IN takes 100 operands", nil, inOperands},
	{"a name has 65535 bytes", nil, nameBytes},
	{"a request token is good for ten minutes", []string{"clock"}, tokenAge},
	{"transactions that meet wait for each other", []string{"embedded"}, transactionsWait},
	{"concurrent updates all count", nil, updatesCount},
	{"a batch is written whole or not at all", []string{"embedded"}, batchWhole},
	{"throughput is told but not throttled", []string{"embedded"}, notThrottled},
}

// each joins what f makes of 0 to n-1.
func each(n int, f func(i int) string) string {
	list := make([]string, n)
	for i := range list {
		list[i] = f(i)
	}
	return strings.Join(list, ", ")
}

func batchWrites(s *suite) {
	put := func(i int) string { return fmt.Sprintf(`{PutRequest: {Item: {id: "w%d"}}}`, i) }
	s.accept("BatchWriteItem", `{RequestItems: {Items: [%s]}}`, each(25, put))
	s.refuse("ValidationException: 1 validation error detected: Value ", "BatchWriteItem", `{RequestItems: {Items: [%s]}}`, each(26, put))
	s.refuse("ValidationException: Too many items requested for the BatchWriteItem call", "BatchWriteItem", `{RequestItems: {Items: [%s], Other: [%s]}}`, each(13, put), each(13, put))
}

func batchReads(s *suite) {
	key := func(i int) string { return fmt.Sprintf(`{id: "r%d"}`, i) }
	s.accept("BatchGetItem", `{RequestItems: {Items: {Keys: [%s]}}}`, each(100, key))
	s.refuse("ValidationException: 1 validation error detected: Value at 'RequestItems.Items.member.Keys' failed to satisfy constraint: Member must have length less than or equal to 100",
		"BatchGetItem", `{RequestItems: {Items: {Keys: [%s]}}}`, each(101, key))
	s.refuse("ValidationException: Too many items requested for the BatchGetItem call", "BatchGetItem", `{RequestItems: {Items: {Keys: [%s]}, Other: {Keys: [%s]}}}`, each(60, key), each(60, key))
}

// batchUnprocessed reads 50 items of 380 KB, and then those that are left.
func batchUnprocessed(s *suite) {
	for i := range 50 {
		s.accept("PutItem", `{Item: {id: "big%d", p: "x"*380000}}`, i)
	}
	keys := each(50, func(i int) string { return fmt.Sprintf(`{id: "big%d"}`, i) })
	found := 0
	for range 5 {
		out := do[dynamodb.BatchGetItemOutput](s, "BatchGetItem", `{RequestItems: {Items: {Keys: [%s], ProjectionExpression: "id, p", ConsistentRead: true}}}`, keys)
		found += len(out.Responses[s.real("Items")])
		rest, more := out.UnprocessedKeys[s.real("Items")]
		if !more {
			break
		}
		if found == len(out.Responses[s.real("Items")]) && (len(rest.Keys) < 5 || rest.ProjectionExpression == nil || rest.ConsistentRead == nil) {
			s.T.Errorf("%d keys are left, with %v and %v", len(rest.Keys), rest.ProjectionExpression, rest.ConsistentRead)
		}
		keys = each(len(rest.Keys), func(i int) string { return mapString(rest.Keys[i]) })
	}
	s.equal("items found", found, 50)
}

func transactionActions(s *suite) {
	put := func(i int) string { return fmt.Sprintf(`{Put: {Item: {id: "t%d"}}}`, i) }
	get := func(i int) string { return fmt.Sprintf(`{Get: {Key: {id: "t%d"}}}`, i) }
	s.accept("TransactWriteItems", `{TransactItems: [%s]}`, each(100, put))
	s.accept("TransactGetItems", `{TransactItems: [%s]}`, each(100, get))
	for operation, action := range map[string]func(int) string{"TransactWriteItems": put, "TransactGetItems": get} {
		_, err := s.ask(operation, `{TransactItems: [%s]}`, each(101, action))
		if got := refusedText(err); !strings.HasSuffix(got, "failed to satisfy constraint: Member must have length less than or equal to 100") {
			s.T.Errorf("101 actions: %.300s", got)
		}
	}
}

func transactionBytes(s *suite) {
	put := func(i int) string { return fmt.Sprintf(`{Put: {Item: {id: "m%d", p: "x"*400000}}}`, i) }
	s.accept("TransactWriteItems", `{TransactItems: [%s]}`, each(10, put))
	s.refuse("ValidationException", "TransactWriteItems", `{TransactItems: [%s]}`, each(11, put))
}

func statementCounts(s *suite) {
	read := func(i int) string { return fmt.Sprintf("{Statement: `SELECT * FROM \"Items\" WHERE id = 's%d'`}", i) }
	s.accept("BatchExecuteStatement", `{Statements: [%s]}`, each(25, read))
	s.refuse("ValidationException: 1 validation error detected: Value ", "BatchExecuteStatement", `{Statements: [%s]}`, each(26, read))
	s.accept("ExecuteTransaction", `{TransactStatements: [%s]}`, each(100, read))
	s.refuse("ValidationException: 1 validation error detected: Value ", "ExecuteTransaction", `{TransactStatements: [%s]}`, each(101, read))
}

func expressionBytes(s *suite) {
	// a = :v OR a = :v OR ..., and spaces up to the size.
	condition := func(size int) string {
		text := "a = :v" + strings.Repeat(" OR a = :v", 100)
		return text + strings.Repeat(" ", size-len(text))
	}
	const tooLong = "Expression size has exceeded the maximum allowed size"
	s.accept("PutItem", `{Item: {id: "x", a: 1}}`)
	s.accept("PutItem", `{Item: {id: "x", a: 1}, ConditionExpression: %q, ExpressionAttributeValues: {:v: 1}}`, condition(4096))
	s.refuse(listed+"Invalid ConditionExpression: "+tooLong, "PutItem", `{Item: {id: "x"}, ConditionExpression: %q, ExpressionAttributeValues: {:v: 1}}`, condition(4097))
	s.refuse("ValidationException: Invalid FilterExpression: "+tooLong, "Scan", `{FilterExpression: %q, ExpressionAttributeValues: {:v: 1}}`, condition(4097))
	s.refuse("ValidationException: Invalid UpdateExpression: "+tooLong, "UpdateItem", `{Key: {id: "x"}, UpdateExpression: %q, ExpressionAttributeValues: {:v: 1}}`, "SET a = :v"+strings.Repeat(" ", 4096))
	s.refuse("ValidationException: Invalid ProjectionExpression: "+tooLong, "GetItem", `{Key: {id: "x"}, ProjectionExpression: %q}`, "a"+strings.Repeat(" ", 4096))
	s.refuse("ValidationException: Invalid KeyConditionExpression: "+tooLong, "Query", `{KeyConditionExpression: %q, ExpressionAttributeValues: {:v: "x"}}`, "id = :v"+strings.Repeat(" ", 4096))
}

func inOperands(s *suite) {
	in := func(n int) string {
		return `FilterExpression: "a IN (` + each(n, func(int) string { return ":v" }) + `)", ExpressionAttributeValues: {:v: 1}, Select: COUNT`
	}
	s.accept("Scan", `{%s}`, in(100))
	s.refuse("ValidationException: Invalid FilterExpression: ", "Scan", `{%s}`, in(101))
}

func tokenAge(s *suite) {
	add := `{TransactItems: [{Update: {Key: {id: "age"}, UpdateExpression: "ADD n :n", ExpressionAttributeValues: {:n: %d}}}], ClientRequestToken: "dynamotest-age"}`
	s.accept("TransactWriteItems", add, 1)
	s.Advance(s.T, 9*time.Minute)
	s.accept("TransactWriteItems", add, 1)
	s.refuse("IdempotentParameterMismatchException", "TransactWriteItems", add, 2)
	s.Advance(s.T, 2*time.Minute)
	s.accept("TransactWriteItems", add, 2)
	got := do[dynamodb.GetItemOutput](s, "GetItem", `{Key: {id: "age"}}`)
	s.equal("the sum", text(got.Item["n"]), "3")
}

// together runs n calls at once and returns their errors.
func together(n int, call func(i int) error) []error {
	errs := make([]error, n)
	var wait sync.WaitGroup
	for i := range n {
		wait.Go(func() { errs[i] = call(i) })
	}
	wait.Wait()
	return errs
}

// transactionsWait lets transactions meet that Amazon would cancel with
// TransactionConflict.
func transactionsWait(s *suite) {
	errs := together(40, func(i int) error {
		_, err := s.ask("TransactWriteItems", `{TransactItems: [{Update: {Key: {id: "meet"}, UpdateExpression: "ADD n :one", ExpressionAttributeValues: {:one: 1}}}, {Put: {Item: {id: "meet%d"}}}]}`, i)
		return err
	})
	if err := errors.Join(errs...); err != nil {
		s.T.Fatal(err)
	}
	got := do[dynamodb.GetItemOutput](s, "GetItem", `{Key: {id: "meet"}}`)
	s.equal("the sum", text(got.Item["n"]), "40")
}

func updatesCount(s *suite) {
	errs := together(40, func(int) error {
		_, err := s.ask("UpdateItem", `{Key: {id: "count"}, UpdateExpression: "SET n = if_not_exists(n, :zero) + :one", ExpressionAttributeValues: {:zero: 0, :one: 1}}`)
		return err
	})
	if err := errors.Join(errs...); err != nil {
		s.T.Fatal(err)
	}
	got := do[dynamodb.GetItemOutput](s, "GetItem", `{Key: {id: "count"}, ConsistentRead: true}`)
	s.equal("the sum", text(got.Item["n"]), "40")
	errs = together(20, func(int) error {
		_, err := s.ask("PutItem", `{Item: {id: "once"}, ConditionExpression: "attribute_not_exists(id)"}`)
		return err
	})
	winners := 0
	for _, err := range errs {
		var failed *types.ConditionalCheckFailedException
		switch {
		case err == nil:
			winners++
		case !errors.As(err, &failed):
			s.T.Error(err)
		}
	}
	s.equal("winners", winners, 1)
}

// batchWhole reads what a batch writes, while it does: all or none of it.
func batchWhole(s *suite) {
	keys := each(10, func(i int) string { return fmt.Sprintf(`{Get: {Key: {id: "b%d"}}}`, i) })
	errs := together(2, func(i int) error {
		for round := range 30 {
			if i == 0 {
				if _, err := s.ask("BatchWriteItem", `{RequestItems: {Items: [%s]}}`, each(10, func(j int) string {
					return fmt.Sprintf(`{PutRequest: {Item: {id: "b%d", round: %d}}}`, j, round)
				})); err != nil {
					return err
				}
				continue
			}
			out, err := s.ask("TransactGetItems", `{TransactItems: [%s]}`, keys)
			if err != nil {
				return err
			}
			rounds := map[string]bool{}
			for _, r := range out.(*dynamodb.TransactGetItemsOutput).Responses {
				rounds[mapString(item{"round": r.Item["round"]})] = true
			}
			if len(rounds) != 1 {
				return fmt.Errorf("half a batch: %v", rounds)
			}
		}
		return nil
	})
	if err := errors.Join(errs...); err != nil {
		s.T.Error(err)
	}
}

// notThrottled spends far more than the five units a second that the table
// has been given, and is told so.
func notThrottled(s *suite) {
	spent := 0.0
	for i := range 20 {
		out := do[dynamodb.PutItemOutput](s, "PutItem", `{TableName: Slow, Item: {id: "x%d", p: "x"*100000}, ReturnConsumedCapacity: TOTAL}`, i)
		spent += *out.ConsumedCapacity.CapacityUnits
	}
	s.equal("units", spent, 20*98)
}

// nameBytes has the longest name that an attribute may have, and one more byte,
// in every place where one is given.
func nameBytes(s *suite) {
	const fault = "Attribute name is too large, must be less than 65536 bytes"
	long, longer := strings.Repeat("n", 65535), strings.Repeat("n", 65536)
	s.accept("UpdateItem", `{Key: {id: "named"}, AttributeUpdates: {%s: {Action: PUT, Value: 1}}}`, long)
	s.accept("GetItem", `{Key: {id: "named"}, AttributesToGet: [%s]}`, long)
	s.accept("UpdateItem", `{Key: {id: "named"}, Expected: {%s: {Value: 1}}}`, long)
	s.refuse(listed+fault, "UpdateItem", `{Key: {id: "named"}, AttributeUpdates: {%s: {Action: PUT, Value: 1}}}`, longer)
	s.refuse(listed+fault, "UpdateItem", `{Key: {id: "named"}, Expected: {%s: {Exists: false}}}`, longer)
	s.refuse(listed+fault, "PutItem", `{Item: {id: "named", %s: 1}}`, longer)
	s.refuse(invalid+fault, "GetItem", `{Key: {id: "named"}, AttributesToGet: [%s]}`, longer)
	s.refuse(invalid+fault, "Scan", `{ScanFilter: {%s: {ComparisonOperator: NULL}}}`, longer)
	s.refuse(invalid+"ExpressionAttributeNames contains invalid value: "+fault, "GetItem", `{Key: {id: "named"}, ProjectionExpression: "#n", ExpressionAttributeNames: {#n: %s}}`, longer)
}
