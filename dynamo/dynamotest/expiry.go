package dynamotest

import (
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

var expiryCases = []testCase{
	{"an expired item is there until it is swept", []string{"clock"}, expires},
	{"what is no time of the last five years stays", []string{"clock"}, expiresNot},
	{"an expired item leaves its indexes and a record of the service", []string{"clock"}, expiryRecord},
	{"nothing expires while time to live is off", []string{"clock"}, expiryOff},
}

// seconds is a moment as the attribute of time to live has it. The store's
// clock may have been moved already; tests ask it what time it is by writing.
func (s *suite) storeTime() time.Time {
	s.T.Helper()
	r := s.read("Clock")
	s.accept("PutItem", `{TableName: Clock, Item: {id: "now", n: %d}}`, time.Now().UnixNano())
	return *r.next(1)[0].Dynamodb.ApproximateCreationDateTime
}

func expires(s *suite) {
	now := s.storeTime()
	s.accept("PutItem", `{TableName: Sessions, Item: {id: "soon", expires: %d}}`, now.Add(time.Minute).Unix())
	s.accept("PutItem", `{TableName: Sessions, Item: {id: "later", expires: %d}}`, now.Add(time.Hour).Unix())
	s.accept("PutItem", `{TableName: Sessions, Item: {id: "past", expires: %d}}`, now.Add(-time.Hour).Unix())
	s.equal("before", s.ids("Sessions", "soon", "later", "past"), "[soon later past]")
	s.accept("UpdateItem", `{TableName: Sessions, Key: {id: "past"}, UpdateExpression: "SET a = :a", ExpressionAttributeValues: {:a: 1}}`)
	s.Advance(s.T, 2*time.Minute)
	s.equal("after two minutes", s.ids("Sessions", "soon", "later", "past"), "[later]")
	s.Advance(s.T, time.Hour)
	s.equal("after an hour", s.ids("Sessions", "soon", "later", "past"), "[]")
}

// ids are those of the ids that have an item.
func (s *suite) ids(table string, ids ...string) string {
	s.T.Helper()
	var found []string
	for _, id := range ids {
		if do[dynamodb.GetItemOutput](s, "GetItem", `{TableName: %s, Key: {id: %q}, ConsistentRead: true}`, table, id).Item != nil {
			found = append(found, id)
		}
	}
	return fmt.Sprint(found)
}

func expiresNot(s *suite) {
	now := s.storeTime()
	values := map[string]string{
		"text":     fmt.Sprintf("%q", fmt.Sprint(now.Unix())),
		"old":      fmt.Sprint(now.AddDate(-6, 0, 0).Unix()),
		"negative": "-5",
		"set":      fmt.Sprintf("<%d>", now.Unix()),
		"millis":   fmt.Sprint(now.UnixMilli()),
		"nested":   fmt.Sprintf("{expires: %d}", now.Unix()),
	}
	var ids []string
	for id, value := range values {
		s.accept("PutItem", `{TableName: Sessions, Item: {id: %q, expires: %s}}`, id, value)
		ids = append(ids, id)
	}
	s.accept("PutItem", `{TableName: Sessions, Item: {id: "none"}}`)
	s.accept("PutItem", `{TableName: Sessions, Item: {id: "fraction", expires: %d.5}}`, now.Unix())
	s.Advance(s.T, time.Hour)
	s.equal("what is there", s.ids("Sessions", append(ids, "none")...), fmt.Sprint(append(ids, "none")))
	s.equal("an expiry with a fraction", s.ids("Sessions", "fraction"), "[]")
}

func expiryRecord(s *suite) {
	s.accept("PutItem", `{TableName: Sessions, Item: {id: "rec", user: "u", expires: %d}}`, s.storeTime().Add(time.Minute).Unix())
	byUser := `{TableName: Sessions, IndexName: byUser, KeyConditionExpression: "#u = :u", ExpressionAttributeNames: {#u: "user"}, ExpressionAttributeValues: {:u: "u"}}`
	s.equal("entries before", do[dynamodb.QueryOutput](s, "Query", byUser).Count, 1)
	r := s.read("Sessions")
	s.Advance(s.T, 2*time.Minute)
	s.equal("entries after", do[dynamodb.QueryOutput](s, "Query", byUser).Count, 0)
	rec := r.next(1)[0]
	s.equal("the record", rec.EventName, "REMOVE")
	if id := rec.UserIdentity; id == nil || *id.PrincipalId != "dynamodb.amazonaws.com" || *id.Type != "Service" {
		s.T.Errorf("a sweep is recorded for %v", id)
	}
	if rec.Dynamodb.OldImage == nil {
		s.T.Error("a sweep is recorded without the old image")
	}
}

func expiryOff(s *suite) {
	s.accept("PutItem", `{TableName: Plain, Item: {id: "kept", expires: %d}}`, s.storeTime().Unix())
	s.Advance(s.T, time.Hour)
	s.equal("what is there", s.ids("Plain", "kept"), "[kept]")
}
