package dynamotest

import (
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

var valueCases = []testCase{
	{"numbers are normalised", nil, numbersNormalised},
	{"numbers have 38 digits and a range", nil, numbersBounded},
	{"numbers are equal by value", nil, numbersEqual},
	{"number sets are equal by value", nil, numberSetsEqual},
	{"an exponent is read in two ways", nil, exponentsRead},
	{"a set with a member twice is refused in two ways", nil, setsRefused},
	{"nesting ends at 32 levels", nil, nestingBounded},
	{"what is nested too deeply has its turn among other faults", nil, nestingOrder},
	{"an item has 409600 bytes at most", nil, itemBytes},
	{"an update is charged for what it writes, not for the item", nil, updateCharged},
	{"a number costs half a byte a digit", nil, numberBytes},
	{"every type is counted", nil, typeBytes},
	{"keys have 2048 and 1024 bytes at most", nil, keyBytes},
	{"index keys have the same bounds", nil, indexKeyBytes},
}

// numbersNormalised writes numbers in many ways and reads them in one.
func numbersNormalised(s *suite) {
	for given, want := range map[string]string{
		"1.0": "1", "-0": "0", "0.0": "0", "00012": "12", "+5": "5", "1e3": "1000", "1E3": "1000", "12.3400": "12.34",
		"0042.1200": "42.12", ".5": "0.5", "5.": "5", "-.5": "-0.5", "1.5e2": "150", "100e-2": "1", "0e125": "0",
		"12345678901234567890123456789012345678": "12345678901234567890123456789012345678",
		"1E125":                                  "1" + strings.Repeat("0", 125),
		"-1E125":                                 "-1" + strings.Repeat("0", 125),
		"1E-5":                                   "0.00001",
		"0.000000000001":                         "0.000000000001",
	} {
		s.accept("PutItem", `{Item: {id: "num", n: N%q, l: [N%q], ns: <N%q>}}`, given, given, given)
		got := do[dynamodb.GetItemOutput](s, "GetItem", `{Key: {id: "num"}, ConsistentRead: true}`)
		s.equal(given, text(got.Item["n"]), want)
		s.equal(given+" in a list", attributeText(got.Item["l"]), "["+want+"]")
		s.equal(given+" in a set", attributeText(got.Item["ns"]), "<"+want+">")
	}
}

func numbersBounded(s *suite) {
	const (
		digits = "Attempting to store more than 38 significant digits in a Number"
	)
	for _, ok := range []string{"9.9999999999999999999999999999999999999E+125", "-9.9999999999999999999999999999999999999E+125", "1E-130", "-1E-130"} {
		s.accept("PutItem", `{Item: {id: "range", n: N%q}}`, ok)
	}
	for given, want := range map[string]string{
		"1E126": overflow, "-1E126": overflow, "1e99999999999": overflow, "0e126": overflow,
		"1E-131": underflow, "1e-99999999999": underflow, "0e-131": underflow,
		"123456789012345678901234567890123456789": digits, "1.00000000000000000000000000000000000001": digits,
		"abc": notNumber + ": abc", "1.2.3": notNumber + ": 1.2.3", "0x10": notNumber + ": 0x10", "NaN": notNumber + ": NaN",
		"Infinity": notNumber + ": Infinity", "1e": notNumber + ": 1e", " 1": notNumber + ":  1", "": notNumber,
	} {
		s.refuse(listed+want, "PutItem", `{Item: {id: "range", n: N%q}}`, given)
		s.refuse(listed+want, "PutItem", `{Item: {id: "range", m: {l: [N%q]}}}`, given)
		s.refuse(invalid+want, "GetItem", `{TableName: Numbers, Key: {n: N%q}}`, given)
	}
}

// numbersEqual finds an item by another spelling of its key.
func numbersEqual(s *suite) {
	s.accept("PutItem", `{TableName: Numbers, Item: {n: 1.50, a: "first"}}`)
	s.accept("PutItem", `{TableName: Numbers, Item: {n: 15E-1, a: "second"}}`)
	got := do[dynamodb.GetItemOutput](s, "GetItem", `{TableName: Numbers, Key: {n: 1.5}, ConsistentRead: true}`)
	s.equal("the item", mapString(got.Item), `{a: "second", n: 1.5}`)
	s.refuse("ValidationException: Provided list of item keys contains duplicates", "BatchGetItem", `{RequestItems: {Numbers: {Keys: [{n: 1}, {n: 1.0}]}}}`)
}

func numberSetsEqual(s *suite) {
	s.accept("PutItem", `{Item: {id: "sets", ns: <1.0, 2>}}`)
	s.accept("UpdateItem", `{Key: {id: "sets"}, UpdateExpression: "ADD ns :v", ExpressionAttributeValues: {:v: <1, 2.00, 3>}}`)
	s.accept("UpdateItem", `{Key: {id: "sets"}, UpdateExpression: "DELETE ns :v", ExpressionAttributeValues: {:v: <20e-1>}}`)
	got := do[dynamodb.GetItemOutput](s, "GetItem", `{Key: {id: "sets"}, ConsistentRead: true}`)
	s.equal("the set", attributeText(got.Item["ns"]), "<1, 3>")
	s.refuse("ValidationException: ", "PutItem", `{Item: {id: "sets", ns: <1, 1.0>}}`)
}

// nested is a value inside so many maps, or lists if brackets is "[]".
func nested(depth int, brackets string) string {
	open, end := "{n: ", "}"
	if brackets == "[]" {
		open, end = "[", "]"
	}
	return strings.Repeat(open, depth) + `"leaf"` + strings.Repeat(end, depth)
}

func nestingBounded(s *suite) {
	const tooDeep = "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit"
	for _, brackets := range []string{"{}", "[]"} {
		s.accept("PutItem", `{Item: {id: "deep", d: %s}}`, nested(31, brackets))
		s.refuse(listed+tooDeep, "PutItem", `{Item: {id: "deep", d: %s}}`, nested(32, brackets))
		s.accept("BatchWriteItem", `{RequestItems: {Items: [{PutRequest: {Item: {id: "deep", d: %s}}}]}}`, nested(31, brackets))
		s.refuse(invalid+tooDeep, "BatchWriteItem", `{RequestItems: {Items: [{PutRequest: {Item: {id: "deep", d: %s}}}]}}`, nested(32, brackets))
		s.accept("TransactWriteItems", `{TransactItems: [{Put: {Item: {id: "deep", d: %s}}}]}`, nested(31, brackets))
		s.refuse(invalid+tooDeep, "TransactWriteItems", `{TransactItems: [{Put: {Item: {id: "deep", d: %s}}}]}`, nested(32, brackets))
	}
	s.accept("UpdateItem", `{Key: {id: "deep"}, UpdateExpression: "SET d = :v", ExpressionAttributeValues: {:v: %s}}`, nested(31, "{}"))
}

// padded is an item of so many bytes: its id, its attribute p, and rest.
func padded(id string, total int, rest string, restBytes int) string {
	pad := total - len("id") - len(id) - len("p") - restBytes
	return `{id: "` + id + `", p: "x"*` + itoa(pad) + rest + `}`
}

const (
	maxItem  = 409600
	tooLarge = "ValidationException: Item size has exceeded the maximum allowed size"
	tooGrown = "ValidationException: Item size to update has exceeded the maximum allowed size"
)

// itemBytes meets the bound on every way that writes.
func itemBytes(s *suite) {
	at, over := padded("size", maxItem, "", 0), padded("size", maxItem+1, "", 0)
	s.accept("PutItem", `{Item: %s}`, at)
	s.refuse(tooLarge, "PutItem", `{Item: %s}`, over)
	s.accept("BatchWriteItem", `{RequestItems: {Items: [{PutRequest: {Item: %s}}]}}`, at)
	s.refuse(tooLarge, "BatchWriteItem", `{RequestItems: {Items: [{PutRequest: {Item: %s}}]}}`, over)
	s.accept("TransactWriteItems", `{TransactItems: [{Put: {Item: %s}}]}`, at)
	s.refuse(tooLarge, "TransactWriteItems", `{TransactItems: [{Put: {Item: %s}}]}`, over)

	pad := maxItem - len("id") - len("size") - len("p")
	update := `{TransactItems: [{Update: {Key: {id: "size"}, UpdateExpression: "SET p = :v", ExpressionAttributeValues: {:v: "x"*%d}}}]}`
	s.accept("TransactWriteItems", update, pad)
	s.refuse("TransactionCanceledException", "TransactWriteItems", update, pad+1)
	s.accept("DeleteItem", `{Key: {id: "size"}}`)
	s.accept("ExecuteStatement", "{Statement: `INSERT INTO \"Items\" VALUE {'id': 'size', 'p': ?}`, Parameters: [\"x\"*%d]}", pad)
	s.refuse(tooGrown, "ExecuteStatement", "{Statement: `UPDATE \"Items\" SET p = ? WHERE id = 'size'`, Parameters: [\"x\"*%d]}", pad+1)
	s.refuse(tooGrown, "UpdateItem", `{Key: {id: "size"}, UpdateExpression: "SET p = :v", ExpressionAttributeValues: {:v: "x"*%d}}`, pad+1)
}

// numberBytes sizes numbers by what else fits into an item beside them.
func numberBytes(s *suite) {
	for number, bytes := range map[string]int{
		"0": 1, "1": 2, "12": 2, "123": 3, "1234": 3, "-1": 3, "-12": 3, "100": 2, "1E125": 2, "0.1": 2, "1.5": 3, "3.14159": 5, "123456": 4,
		"12345678901234567890123456789012345678": 20,
	} {
		s.accept("PutItem", `{Item: %s}`, padded("bytes", maxItem, ", n: "+number, len("n")+bytes))
		s.refuse(tooLarge, "PutItem", `{Item: %s}`, padded("bytes", maxItem+1, ", n: "+number, len("n")+bytes))
	}
}

// typeBytes sizes values of the other types.
func typeBytes(s *suite) {
	for value, bytes := range map[string]int{
		`"häß"`: 5, `b"\x00\x01"`: 2, "true": 1, "null": 1, `<"a", "bb">`: 3, `<1, 22>`: 4, `<b"a">`: 1,
		`[]`: 3, `{}`: 3, `["a", "b"]`: 3 + 2 + 2, `{k: "v"}`: 3 + 1 + 2, `[[1]]`: 3 + 1 + 3 + 1 + 2,
	} {
		s.accept("PutItem", `{Item: %s}`, padded("bytes", maxItem, ", v: "+value, len("v")+bytes))
		s.refuse(tooLarge, "PutItem", `{Item: %s}`, padded("bytes", maxItem+1, ", v: "+value, len("v")+bytes))
	}
}

func keyBytes(s *suite) {
	const (
		hash  = "ValidationException: One or more parameter values were invalid: Size of hashkey has exceeded the maximum size limit of2048 bytes"
		sort_ = "ValidationException: One or more parameter values were invalid: Aggregated size of all range keys has exceeded the size limit of 1024 bytes"
	)
	s.accept("PutItem", `{TableName: Pairs, Item: {h: "x"*2048, r: "x"*1024}}`)
	s.accept("GetItem", `{TableName: Pairs, Key: {h: "x"*2048, r: "x"*1024}}`)
	s.refuse(hash, "PutItem", `{TableName: Pairs, Item: {h: "x"*2049, r: "x"}}`)
	s.refuse(sort_, "PutItem", `{TableName: Pairs, Item: {h: "x", r: "x"*1025}}`)
	s.refuse(hash, "GetItem", `{TableName: Pairs, Key: {h: "x"*2049, r: "x"}}`)
	s.refuse(sort_, "DeleteItem", `{TableName: Pairs, Key: {h: "x", r: "x"*1025}}`)
}

func indexKeyBytes(s *suite) {
	s.accept("PutItem", `{TableName: Pairs, Item: {h: "i", r: "i", a: "x"*2048, b: "x"*1024}}`)
	s.refuse("ValidationException: One or more parameter values were invalid: Size of hashkey", "PutItem", `{TableName: Pairs, Item: {h: "i", r: "i", a: "x"*2049, b: "x"}}`)
	s.refuse("ValidationException: One or more parameter values were invalid: Aggregated size of all range keys", "PutItem", `{TableName: Pairs, Item: {h: "i", r: "i", a: "x", b: "x"*1025}}`)
}
