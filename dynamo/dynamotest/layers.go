package dynamotest

const (
	invalid   = "ValidationException: "
	listed    = invalid + "1 validation error detected: "
	overflow  = "Number overflow. Attempting to store a number with magnitude larger than supported range"
	underflow = "Number underflow. Attempting to store a number with magnitude smaller than supported range"
	notNumber = "The parameter cannot be converted to a numeric value"
)

// faulty sends a value that is refused to all operations, which word it in one
// of two ways, and some as one of a list.
func faulty(s *suite, value, older, newer string) {
	for _, q := range []struct{ operation, input string }{
		{"PutItem", `{Item: {id: "f"}, ConditionExpression: "v = :v", ExpressionAttributeValues: {:v: %s}}`},
		{"PutItem", `{Item: {id: "f"}, Expected: {v: {Value: %s}}}`},
		{"UpdateItem", `{Key: {id: "f"}, UpdateExpression: "SET v = :v", ExpressionAttributeValues: {:v: %s}}`},
		{"UpdateItem", `{Key: {id: "f"}, AttributeUpdates: {v: {Value: %s}}}`},
		{"UpdateItem", `{Key: {id: %s}}`},
		{"DeleteItem", `{Key: {id: "f"}, ConditionExpression: "v = :v", ExpressionAttributeValues: {:v: %s}}`},
		{"DeleteItem", `{Key: {id: %s}}`},
	} {
		s.refuse(listed+newer, q.operation, q.input, value)
	}
	for _, q := range []struct{ operation, input string }{
		{"GetItem", `{Key: {id: %s}}`},
		{"BatchGetItem", `{RequestItems: {Items: {Keys: [{id: %s}]}}}`},
		{"Query", `{KeyConditionExpression: "id = :v", ExpressionAttributeValues: {:v: %s}}`},
		{"Query", `{KeyConditionExpression: "id = :i", FilterExpression: "v = :v", ExpressionAttributeValues: {:i: "f", :v: %s}}`},
		{"Query", `{KeyConditions: {id: {ComparisonOperator: EQ, AttributeValueList: ["f"]}}, QueryFilter: {v: {ComparisonOperator: EQ, AttributeValueList: [%s]}}}`},
		{"Query", `{KeyConditionExpression: "id = :i", ExpressionAttributeValues: {:i: "f"}, ExclusiveStartKey: {id: %s}}`},
	} {
		s.refuse(invalid+newer, q.operation, q.input, value)
	}
	for _, q := range []struct{ operation, input string }{
		{"BatchWriteItem", `{RequestItems: {Items: [{PutRequest: {Item: {id: "f", v: %s}}}]}}`},
		{"BatchWriteItem", `{RequestItems: {Items: [{DeleteRequest: {Key: {id: %s}}}]}}`},
		{"TransactWriteItems", `{TransactItems: [{Put: {Item: {id: "f", v: %s}}}]}`},
		{"TransactWriteItems", `{TransactItems: [{Delete: {Key: {id: %s}}}]}`},
		{"TransactGetItems", `{TransactItems: [{Get: {Key: {id: %s}}}]}`},
		{"Scan", `{ScanFilter: {v: {ComparisonOperator: EQ, AttributeValueList: [%s]}}}`},
		{"ExecuteStatement", "{Statement: `SELECT * FROM \"Items\" WHERE id = ?`, Parameters: [%s]}"},
	} {
		s.refuse(invalid+older, q.operation, q.input, value)
	}
	named := invalid + "ExpressionAttributeValues contains invalid value: " + older + " for key :v"
	s.refuse(named, "Scan", `{FilterExpression: "v = :v", ExpressionAttributeValues: {:v: %s}}`, value)
	s.refuse(named, "TransactWriteItems", `{TransactItems: [{Update: {Key: {id: "f"}, UpdateExpression: "SET v = :v", ExpressionAttributeValues: {:v: %s}}}]}`, value)
}

// exponentsRead has exponents that do not fit 32 bits, which the older way of
// reading a number has for them.
func exponentsRead(s *suite) {
	faulty(s, `N"1e2147483647"`, underflow, overflow)
	faulty(s, `N"1e2147483648"`, notNumber+": 1e2147483648", overflow)
	faulty(s, `N"-1e99999999999"`, notNumber+": -1e99999999999", overflow)
	faulty(s, `N"1e-2147483648"`, notNumber+": 1e-2147483648", underflow)
	faulty(s, `N"1e9223372036854775808"`, notNumber+": 1e9223372036854775808", notNumber+": 1e9223372036854775808")
	faulty(s, `N"abc"`, notNumber+": abc", notNumber+": abc")
	faulty(s, `N""`, notNumber, notNumber+":")
	faulty(s, `<1, N"1e2147483647">`, underflow, overflow)
	faulty(s, `[{n: N"1e2147483647"}]`, underflow, overflow)
}

func setsRefused(s *suite) {
	const parameter = "One or more parameter values were invalid: "
	faulty(s, `<"b", "a", "b">`, parameter+"Input collection [b, a, b] contains duplicates.", parameter+`Input collection ["a", "b", "b"] contains duplicates.`)
	faulty(s, `<"c", "b", "c", "a", "b">`, parameter+"Input collection [c, b, c, a, b] contains duplicates.", parameter+`Input collection ["b", "c", "c", "a", "b"] contains duplicates.`)
	faulty(s, `<b"\xff", b"\x00", b"\x00">`, parameter+"Input collection [/w==, AA==, AA==]of type BS contains duplicates.", parameter+`Input collection ["AA==","/w==","AA=="]of type BS contains duplicates.`)
	faulty(s, `<2, 1, 2>`, "Input collection contains duplicates", parameter+"Input collection contains duplicates.")
}

// nestingOrder has requests with a value that is nested too deeply and with
// another fault.
func nestingOrder(s *suite) {
	const (
		tooDeep = invalid + "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit"
		noName  = invalid + "Empty attribute name"
		syntax  = invalid + `Invalid ConditionExpression: Syntax error; token: "=", near: "= = b"`
		returns = "ReturnValues can only be ALL_OLD or NONE"
	)
	for _, depth := range []int{40, 100} {
		deep := nested(depth, "{}")
		transact := func(want, actions string) { s.refuse(want, "TransactWriteItems", `{TransactItems: [`+actions+`]}`) }
		// Names at the top of an item are looked at first, those inside it last.
		transact(noName, `{Put: {Item: {id: "d", "": 1, d: `+deep+`}}}`)
		transact(noName, `{Put: {Item: {d: `+deep+`, id: "d", "": 1}}}`)
		transact(tooDeep, `{Put: {Item: {id: "d", a: {"": 1}, d: `+deep+`}}}`)
		// One action comes after another.
		transact(tooDeep, `{Put: {Item: {id: "d", d: `+deep+`}}}, {Put: {Item: {id: "e", "": 1}}}`)
		transact(noName, `{Put: {Item: {id: "e", "": 1}}}, {Put: {Item: {id: "d", d: `+deep+`}}}`)
		transact(tooDeep, `{Delete: {Key: {id: `+deep+`}}}, {Put: {Item: {id: "e"}, ConditionExpression: "a = = b"}}`)
		// The expressions of an action come before its key.
		transact(syntax, `{Delete: {Key: {id: `+deep+`}, ConditionExpression: "a = = b"}}`)
		transact(syntax, `{ConditionCheck: {Key: {id: `+deep+`}, ConditionExpression: "a = = b"}}`)
	}
	// Far beyond the limit, even the words about other parameters are older.
	for _, value := range []string{`ConditionExpression: "d = :v", ExpressionAttributeValues: {:v: %s}`, `Expected: {d: {Value: %s}}`} {
		s.refuse(listed+returns, "DeleteItem", `{Key: {id: "d"}, ReturnValues: UPDATED_NEW, `+value+`}`, nested(40, "{}"))
		s.refuse(invalid+returns, "DeleteItem", `{Key: {id: "d"}, ReturnValues: UPDATED_NEW, `+value+`}`, nested(63, "{}"))
		s.refuse(invalid+returns, "DeleteItem", `{Key: {id: "d"}, ReturnValues: UPDATED_NEW, `+value+`}`, nested(100, "[]"))
	}
}
