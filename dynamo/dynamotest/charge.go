package dynamotest

import "strings"

// updateCharged finds, for updates of each form, how much they may write: the
// largest item, less what the service adds for the update and its parts. The
// item is small in most of them.
func updateCharged(s *suite) {
	const (
		update, set = 3, 19 // an update, and one SET
		written     = update + set + len("b")
	)
	at := func(steps ...string) int { return 1 + len(steps)*14 + len(strings.Join(steps, "")) }
	for _, c := range []struct {
		item, clause, values string
		charge               int
	}{
		{``, ``, ``, 0},
		{`, kept: "kept"`, ``, ``, 0},
		{``, `, c = :c`, `, :c: "12345"`, set + len("c12345")},
		{`, abc: "12345"`, `, c = abc`, ``, set + len("c") + at("abc")},
		{`, m: {z: "12345"}`, `, c = m.z`, ``, set + len("c") + at("m", "z")},
		{`, l: ["1", "2", "3"]`, `, l[10] = :c`, `, :c: "12345"`, set + len("l") + 4 + len("10") + len("12345")},
		{`, m: {}`, `, m.part = :c`, `, :c: "12345"`, set + len("m") + 4 + len("part") + len("12345")},
		{`, l: ["1"]`, `, l = list_append(l, :c)`, `, :c: ["12345"]`, set + len("l") + 37 + at("l") + 3 + 1 + 5},
		{`, c: "1"`, `, c = if_not_exists(c, :c)`, `, :c: {k: "12345"}`, set + len("c") + 39 + at("c") + 3 + 1 + 1 + 5},
		{`, n: 12345678901234567890`, `, n = n + :c`, `, :c: 1`, set + len("n") + 34 + at("n") + 2},
		{`, n: 1`, `, n = n - :c`, `, :c: 1`, set + len("n") + 37 + at("n") + 2},
		{`, n: 1`, ` ADD n :c`, `, :c: 1`, 19 + len("n") + 2},
		{`, set: <"first">`, ` ADD #s :c`, `, :c: <"12345">`, 19 + len("set") + 5},
		{`, gone: "12345"`, ` REMOVE gone`, ``, 1 + len("gone")},
		{`, l: ["1", "2"]`, ` REMOVE l[1]`, ``, 1 + len("l") + 4 + len("1")},
		{`, set: <"12345", "1">`, ` DELETE #s :c`, `, :c: <"12345">`, 1 + len("set")},
	} {
		names := ""
		if strings.Contains(c.clause, "#s") {
			names = `, ExpressionAttributeNames: {#s: set}`
		}
		room := maxItem - written - c.charge
		q := `{Key: {id: "u"}, UpdateExpression: "SET b = :b` + c.clause + `"` + names + `, ExpressionAttributeValues: {:b: "x"*%d` + c.values + `}}`
		s.accept("PutItem", `{Item: {id: "u"`+c.item+`}}`)
		s.accept("UpdateItem", q, room)
		s.accept("PutItem", `{Item: {id: "u"`+c.item+`}}`)
		s.refuse(tooGrown, "UpdateItem", q, room+1)
	}

	// The item is measured as well, and alone by the older parameter.
	const bytes = maxItem - len("id") - len("b")
	key := strings.Repeat("k", 100)
	update100 := `{Key: {id: "` + key + `"}, UpdateExpression: "SET b = :b", ExpressionAttributeValues: {:b: "x"*%d}}`
	s.accept("UpdateItem", update100, bytes-len(key))
	s.refuse(tooGrown, "UpdateItem", update100, bytes-len(key)+1)
	legacy := `{Key: {id: "u"}, AttributeUpdates: {b: {Value: "x"*%d}}}`
	s.accept("PutItem", `{Item: {id: "u"}}`)
	s.accept("UpdateItem", legacy, bytes-len("u"))
	s.refuse(tooGrown, "UpdateItem", legacy, bytes-len("u")+1)

	// The charge comes before the condition.
	s.accept("PutItem", `{Item: {id: "u", c: "1"}}`)
	s.refuse(tooGrown, "UpdateItem", `{Key: {id: "u"}, UpdateExpression: "SET c = if_not_exists(c, :c)", ConditionExpression: "c = :n", ExpressionAttributeValues: {:c: "x"*%d, :n: 1}}`, maxItem)
}
