package wire_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestShapes puts a value of the wrong type at many places of the requests.
// The texts are those of the service's deserialiser.
func TestShapes(t *testing.T) {
	e := serve(t, nil)
	const (
		service = "com.amazonaws.dynamodb.v20120810."
		strct   = "Start of structure or map found where not expected"
		field   = "Unexpected field type"
		element = "Unexpected value type in payload"
		cast    = "class sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl cannot be cast to class java.lang.Class " +
			"(sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl and java.lang.Class are in module java.base of loader 'bootstrap')"
	)
	scalars := func(text string) map[string]string {
		return map[string]string{`"23"`: text, `true`: text, `23`: text, `-2147483648`: text, `34.56`: text}
	}
	with := func(m map[string]string, value, text string) map[string]string {
		m[value] = text
		return m
	}
	structure := func(scalar, class string) map[string]string {
		return with(scalars(scalar), `[]`, "Unrecognized collection type class "+service+class)
	}
	mapOf := func(class string) map[string]string {
		return with(scalars(field), `[]`, "Unrecognized collection type java.util.Map<java.lang.String, "+class+">")
	}
	boolean := map[string]string{
		`"23"`: "Unexpected token received from parser", `23`: "NUMBER_VALUE cannot be converted to Boolean",
		`34.56`: "DECIMAL_VALUE cannot be converted to Boolean", `[]`: "Unrecognized collection type class java.lang.Boolean", `{}`: strct,
	}
	str := map[string]string{
		`true`: "TRUE_VALUE cannot be converted to String", `false`: "FALSE_VALUE cannot be converted to String",
		`23`: "NUMBER_VALUE cannot be converted to String", `34.56`: "DECIMAL_VALUE cannot be converted to String",
		`[]`: "Unrecognized collection type class java.lang.String", `{}`: strct,
	}
	number := func(class string) map[string]string {
		return map[string]string{
			`"23"`: "STRING_VALUE cannot be converted to " + class, `true`: "TRUE_VALUE cannot be converted to " + class,
			`false`: "FALSE_VALUE cannot be converted to " + class, `[]`: "Unrecognized collection type class java.lang." + class, `{}`: strct,
		}
	}
	list := with(scalars(field), `{}`, strct)
	tests := []struct {
		operation, at string
		want          map[string]string
	}{
		{"GetItem", "TableName", str},
		{"GetItem", "Key", mapOf(service + "AttributeValue")},
		{"GetItem", "Key.a", structure(element, "AttributeValue")},
		{"GetItem", "Key.a.S", str},
		{"GetItem", "Key.a.L.0", structure(element, "AttributeValue")},
		{"GetItem", "ConsistentRead", boolean},
		{"GetItem", "AttributesToGet", list},
		{"GetItem", "AttributesToGet.0", str},
		{"GetItem", "ExpressionAttributeNames", mapOf("java.lang.String")},
		{"GetItem", "ExpressionAttributeNames.#a", str},
		{"PutItem", "Expected", mapOf(service + "ExpectedAttributeValue")},
		{"PutItem", "Expected.a", structure(element, "ExpectedAttributeValue")},
		{"PutItem", "Expected.a.Exists", boolean},
		{"PutItem", "Expected.a.Value", structure(field, "AttributeValue")},
		{"PutItem", "Expected.a.AttributeValueList", list},
		{"PutItem", "Expected.a.AttributeValueList.0", structure(element, "AttributeValue")},
		{"PutItem", "ExpressionAttributeValues", mapOf(service + "AttributeValue")},
		{"UpdateItem", "AttributeUpdates", mapOf(service + "AttributeValueUpdate")},
		{"UpdateItem", "AttributeUpdates.a.Value", structure(field, "AttributeValue")},
		{"Query", "Limit", number("Integer")},
		{"Query", "KeyConditions", mapOf(service + "Condition")},
		{"Query", "QueryFilter.a", structure(element, "Condition")},
		{"Query", "ScanIndexForward", boolean},
		{"Scan", "Segment", number("Integer")},
		{"BatchGetItem", "RequestItems", mapOf(service + "KeysAndAttributes")},
		{"BatchGetItem", "RequestItems.a", structure(element, "KeysAndAttributes")},
		{"BatchGetItem", "RequestItems.a.Keys", list},
		{"BatchGetItem", "RequestItems.a.Keys.0", with(scalars(cast), `[]`, "Unrecognized collection type java.util.Map<java.lang.String, "+service+"AttributeValue>")},
		{"BatchWriteItem", "RequestItems", mapOf("java.util.List<" + service + "WriteRequest>")},
		{"BatchWriteItem", "RequestItems.a", with(scalars(cast), `{}`, strct)},
		{"BatchWriteItem", "RequestItems.a.0", structure(element, "WriteRequest")},
		{"BatchWriteItem", "RequestItems.a.0.PutRequest", structure(field, "PutRequest")},
		{"BatchWriteItem", "RequestItems.a.0.DeleteRequest.Key", mapOf(service + "AttributeValue")},
		{"TransactWriteItems", "TransactItems", list},
		{"TransactWriteItems", "TransactItems.0", structure(element, "TransactWriteItem")},
		{"TransactWriteItems", "TransactItems.0.Update.Key", mapOf(service + "AttributeValue")},
		{"TransactGetItems", "TransactItems.0.Get", structure(field, "Get")},
		{"CreateTable", "AttributeDefinitions", list},
		{"CreateTable", "AttributeDefinitions.0", structure(element, "AttributeDefinition")},
		{"CreateTable", "AttributeDefinitions.0.AttributeName", str},
		{"CreateTable", "AttributeDefinitions.0.AttributeType", str},
		{"CreateTable", "ProvisionedThroughput", structure(field, "ProvisionedThroughput")},
		{"CreateTable", "ProvisionedThroughput.ReadCapacityUnits", number("Long")},
		{"CreateTable", "GlobalSecondaryIndexes.0.Projection.NonKeyAttributes", list},
		{"CreateTable", "GlobalSecondaryIndexes.0.Projection.NonKeyAttributes.0", str},
		{"UpdateTable", "GlobalSecondaryIndexUpdates.0.Create.KeySchema.0", structure(element, "KeySchemaElement")},
		{"UpdateTimeToLive", "TimeToLiveSpecification.Enabled", boolean},
		{"ListTables", "Limit", number("Integer")},
		{"ExecuteStatement", "Parameters", list},
		{"ExecuteStatement", "Parameters.0", structure(element, "AttributeValue")},
		{"GetRecords", "Limit", number("Integer")},
	}
	for _, tt := range tests {
		for value, want := range tt.want {
			body := nest(strings.Split(tt.at, "."), value)
			got := e.call(tt.operation, body)
			wanted := `{"__type":"com.amazon.coral.service#SerializationException","Message":` + quoted(want) + `}`
			if got.status != 400 || got.body != wanted {
				t.Errorf("%s %s:\ngot  %d %s\nwant 400 %s", tt.operation, body, got.status, got.body, wanted)
			}
		}
	}
}

// nest wraps a JSON text in the objects and lists of a path.
func nest(path []string, value string) string {
	for i := len(path) - 1; i >= 0; i-- {
		if path[i] == "0" {
			value = "[" + value + "]"
		} else {
			value = "{" + quoted(path[i]) + ":" + value + "}"
		}
	}
	return value
}

func quoted(text string) string {
	out, _ := json.Marshal(text)
	return strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(out))
}

// TestNulls holds that a null is an absent member everywhere, and that members
// nobody knows are passed over.
func TestNulls(t *testing.T) {
	e := serve(t, nil)
	e.must("CreateTable", simpleTable, nil)
	e.must("PutItem", `{"TableName":"posts","Item":{"pk":{"S":"a","N":null},"x":{"L":[{"S":"b"}]}},"Expected":null,"ReturnValues":null,"Unknown":{"a":[1,2,{}]}}`, nil)
	e.must("Query", `{"TableName":"posts","Limit":null,"KeyConditionExpression":"pk = :a","ExpressionAttributeValues":{":a":{"S":"a"}},"ExpressionAttributeNames":null}`, nil)
	e.must("ListTables", `{"Limit":null,"Unknown":"x"}`, nil)
}

const simpleTable = `{"TableName":"posts","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],` +
	`"KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}]}`
