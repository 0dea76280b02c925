package engine

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/google/go-cmp/cmp"

	"pressroom/dynamo/attr"
)

func ttlRequest(table string, on bool, attribute string) *dynamodb.UpdateTimeToLiveInput {
	return &dynamodb.UpdateTimeToLiveInput{
		TableName:               aws.String(table),
		TimeToLiveSpecification: &types.TimeToLiveSpecification{Enabled: aws.Bool(on), AttributeName: aws.String(attribute)},
	}
}

func timeToLive(t testing.TB, e *Engine, table string, on bool, attribute string) {
	t.Helper()
	in := ttlRequest(table, on, attribute)
	out, err := e.UpdateTimeToLive(ctx, in)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(in.TimeToLiveSpecification, out.TimeToLiveSpecification, ignoreHidden); diff != "" {
		t.Errorf("UpdateTimeToLive (-want +got):\n%s", diff)
	}
}

func ttlOf(t testing.TB, e *Engine, table string) *types.TimeToLiveDescription {
	t.Helper()
	out, err := e.DescribeTimeToLive(ctx, &dynamodb.DescribeTimeToLiveInput{TableName: aws.String(table)})
	if err != nil {
		t.Fatal(err)
	}
	return out.TimeToLiveDescription
}

func TestTimeToLive(t *testing.T) {
	e := openStore(t, nil, newClock())
	create(t, e, simpleTable("table"))
	off := &types.TimeToLiveDescription{TimeToLiveStatus: types.TimeToLiveStatusDisabled}
	if diff := cmp.Diff(off, ttlOf(t, e, "table"), ignoreHidden); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	_, err := e.UpdateTimeToLive(ctx, ttlRequest("table", false, "ttl"))
	refused(t, err, Validation, "TimeToLive is already disabled")
	timeToLive(t, e, "table", true, "ttl")
	on := &types.TimeToLiveDescription{TimeToLiveStatus: types.TimeToLiveStatusEnabled, AttributeName: aws.String("ttl")}
	if diff := cmp.Diff(on, ttlOf(t, e, "table"), ignoreHidden); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	_, err = e.UpdateTimeToLive(ctx, ttlRequest("table", true, "ttl"))
	refused(t, err, Validation, "TimeToLive is already enabled")
	for _, on := range []bool{true, false} {
		_, err = e.UpdateTimeToLive(ctx, ttlRequest("table", on, "other"))
		refused(t, err, Validation, "TimeToLive is active on a different AttributeName: current AttributeName is ttl")
	}
	timeToLive(t, e, "table", false, "ttl")
	if diff := cmp.Diff(off, ttlOf(t, e, "table"), ignoreHidden); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTimeToLiveRefuses(t *testing.T) {
	e := openStore(t, nil, newClock())
	create(t, e, simpleTable("table"))
	long := strings.Repeat("x", 256)
	const at = "' at 'timeToLiveSpecification.attributeName' failed to satisfy constraint: Member must have length "
	for _, tt := range []struct {
		in         *dynamodb.UpdateTimeToLiveInput
		kind, want string
	}{
		{ttlRequest("nope", true, "ttl"), NotFound, "Requested resource not found: Table: nope not found"},
		{ttlRequest("table", true, ""), Validation, "1 validation error detected: Value '" + at + "greater than or equal to 1"},
		{ttlRequest("table", true, long), Validation, "1 validation error detected: Value '" + long + at + "less than or equal to 255"},
		{&dynamodb.UpdateTimeToLiveInput{TableName: aws.String("table")}, Validation,
			"1 validation error detected: Value null at 'timeToLiveSpecification' failed to satisfy constraint: Member must not be null"},
		{&dynamodb.UpdateTimeToLiveInput{TableName: aws.String("table"), TimeToLiveSpecification: &types.TimeToLiveSpecification{}}, Validation,
			"2 validation errors detected: Value null at 'timeToLiveSpecification.attributeName' failed to satisfy constraint: Member must not be null; Value null at 'timeToLiveSpecification.enabled' failed to satisfy constraint: Member must not be null"},
	} {
		_, err := e.UpdateTimeToLive(ctx, tt.in)
		refused(t, err, tt.kind, tt.want)
	}
	_, err := e.DescribeTimeToLive(ctx, &dynamodb.DescribeTimeToLiveInput{TableName: aws.String("nope")})
	refused(t, err, NotFound, "Requested resource not found: Table: nope not found")
}

// Items expire whether they came before or after TTL was turned on, and only
// those whose time has come.
func TestTimeToLiveExpires(t *testing.T) {
	fs, c := vfs.NewMem(), newClock()
	e := openStore(t, fs, c)
	create(t, e, simpleTable("table"))
	now := int(c.now().Unix())
	for i := range 1200 { // more than a sweep collects at a time
		put(t, e, "table", item("pk", "old"+strconv.Itoa(i), "ttl", now-60))
	}
	timeToLive(t, e, "table", true, "ttl")
	put(t, e, "table", item("pk", "bare"))
	put(t, e, "table", item("pk", "text", "ttl", strconv.Itoa(now-60)))
	put(t, e, "table", item("pk", "ancient", "ttl", now-6*365*24*3600))
	put(t, e, "table", item("pk", "now", "ttl", now))
	put(t, e, "table", item("pk", "soon", "ttl", now+60))
	put(t, e, "table", item("pk", "moved", "ttl", now-60))
	put(t, e, "table", item("pk", "moved", "ttl", now+3600))
	eventually(t, "the expiry of old items", func() bool { return !e.catalog.get("table").shape.Load().def.TTL.Filling })
	verified(t, e)
	left := func() int {
		t.Helper()
		if err := e.Sweep(); err != nil {
			t.Fatal(err)
		}
		verified(t, e)
		return len(scan(t, e, "table", ""))
	}
	if n := left(); n != 6 {
		t.Errorf("%d items are left, want 6", n)
	}
	c.move(time.Second)
	if n := left(); n != 5 {
		t.Errorf("a second later %d items are left, want 5", n)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	e = openStore(t, fs, c)
	c.move(time.Minute)
	if n := left(); n != 4 {
		t.Errorf("a minute later %d items are left, want 4", n)
	}
	// Turned off, nothing expires; turned on by another attribute, by that.
	timeToLive(t, e, "table", false, "ttl")
	c.move(24 * time.Hour)
	if n := left(); n != 4 {
		t.Errorf("without TTL %d items are left, want 4", n)
	}
	put(t, e, "table", item("pk", "other", "expires", now))
	timeToLive(t, e, "table", true, "expires")
	eventually(t, "the expiry of old items", func() bool { return !e.catalog.get("table").shape.Load().def.TTL.Filling })
	if n := left(); n != 4 {
		t.Errorf("by the other attribute %d items are left, want 4", n)
	}
}

// An entry that its item does not have is removed, and nothing else.
func TestSweepDropsStaleEntries(t *testing.T) {
	c := newClock()
	e := openStore(t, nil, c)
	create(t, e, simpleTable("table"))
	timeToLive(t, e, "table", true, "ttl")
	put(t, e, "table", item("pk", "a", "ttl", int(c.now().Unix())+60))
	tab := e.catalog.get("table")
	for _, pk := range []string{"a", "gone"} {
		key := tab.rowKey(nil, tab.shape.Load(), item("pk", pk))
		if err := e.db.Set(appendExpiry(nil, tab.id, c.now().Unix()-5, baseKeyOf(key)), nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Sweep(); err != nil {
		t.Fatal(err)
	}
	if n := len(scan(t, e, "table", "")); n != 1 {
		t.Errorf("%d items are left, want 1", n)
	}
	verified(t, e)
}

func TestExpiryOf(t *testing.T) {
	for text, want := range map[string]int64{"0": 0, "1763199000": 1763199000, "1.9": 1, "1763199000.5": 1763199000, "-1": -1, "1E+20": -1, "1E-20": 0} {
		second, ok := expiryOf(numberItem(t, text), "ttl")
		if ok != (want >= 0) || ok && second != want {
			t.Errorf("%s expires at %d, %v, want %d", text, second, ok, want)
		}
	}
	if _, ok := expiryOf(item("ttl", "text"), "ttl"); ok {
		t.Error("a text expires")
	}
}

func numberItem(t *testing.T, text string) attr.Item {
	t.Helper()
	n, err := attr.NewNumber(text)
	if err != nil {
		t.Fatal(err)
	}
	var b attr.Builder
	b.Set("ttl", n)
	return b.Item()
}
