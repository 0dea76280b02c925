package ops

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"pressroom/model"
)

// What a meter counts is what the store says that each operation took.
func TestMeter(t *testing.T) {
	db := openTables(t, Schema)
	now := time.Date(2026, 11, 15, 9, 30, 0, 0, time.UTC)
	m := NewMeter(db, func() time.Time { return now })
	text := func(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }
	item := func(sk string) model.Raw {
		return model.Raw{"pk": text("JOB#a"), "sk": text(sk), "GSI1PK": text("RUN#done"), "GSI1SK": text(sk), "body": text("x")}
	}
	key := model.Raw{"pk": text("JOB#a"), "sk": text("1")}
	name := aws.String("Operations")
	index := aws.String("StateIndex")
	must := func(_ any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	in := &dynamodb.PutItemInput{TableName: name, Item: item("1")}
	must(m.PutItem(t.Context(), in))
	if in.ReturnConsumedCapacity != "" {
		t.Error("the caller's input was changed")
	}
	must(m.BatchWriteItem(t.Context(), &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{"Operations": {{PutRequest: &types.PutRequest{Item: item("2")}}}}}))
	must(m.TransactWriteItems(t.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{{Put: &types.Put{TableName: name, Item: item("3")}}}}))
	must(m.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{TableName: name, Key: key, UpdateExpression: aws.String("SET note1 = :x"), ExpressionAttributeValues: model.Raw{":x": text("y")}}))
	must(m.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: name, Key: key, ConsistentRead: aws.Bool(true)}))
	must(m.BatchGetItem(t.Context(), &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{"Operations": {Keys: []map[string]types.AttributeValue{key}}}}))
	must(m.TransactGetItems(t.Context(), &dynamodb.TransactGetItemsInput{TransactItems: []types.TransactGetItem{{Get: &types.Get{TableName: name, Key: key}}}}))
	must(m.Query(t.Context(), &dynamodb.QueryInput{TableName: name, IndexName: index, KeyConditionExpression: aws.String("GSI1PK = :k"), ExpressionAttributeValues: model.Raw{":k": text("RUN#done")}}))
	must(m.Scan(t.Context(), &dynamodb.ScanInput{TableName: name, IndexName: index, ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal}))
	must(m.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: name, Key: key}))
	if _, err := m.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: aws.String("nothing"), Key: key}); err == nil {
		t.Error("there is no such table")
	}
	read := func() []Capacity {
		t.Helper()
		r, err := m.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return r.Capacity
	}
	// Writes: one each for put, batch, update and delete, two in the transaction.
	// Reads of the table: 1 consistent, 0.5 in the batch, 2 in the transaction, and
	// the 0.5 of the scan whose caller wanted no more than a total.
	want := []Capacity{
		{Table: "Operations", Read: 4, Written: 6, ReadRate: 4. / 60, WriteRate: 6. / 60},
		{Table: "Operations", Index: "StateIndex", Read: 0.5, Written: 6, ReadRate: 0.5 / 60, WriteRate: 6. / 60},
	}
	if diff := cmp.Diff(want, read()); diff != "" {
		t.Errorf("capacity (-want +got):\n%s", diff)
	}
	now = now.Add(90 * time.Second) // half of the last minute's is within sixty seconds
	if got := read()[0]; got.WriteRate != 3./60 || got.Written != 6 {
		t.Errorf("after a minute and a half: %+v", got)
	}
	now = now.Add(time.Minute)
	if got := read()[0]; got.WriteRate != 0 || got.Written != 6 {
		t.Errorf("after that: %+v", got)
	}
}
