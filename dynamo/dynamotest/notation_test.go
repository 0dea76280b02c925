package dynamotest

import (
	"reflect"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func noReferences(string) (reflect.Value, error) { return reflect.Value{}, nil }

var anyMember = cmp.Exporter(func(reflect.Type) bool { return true })

func TestNotation(t *testing.T) {
	var got dynamodb.UpdateItemInput
	err := read(`{TableName: Some.Table-1, Key: {id: "a\n", "two words": 1}, ReturnValues: ALL_NEW,
		ExpressionAttributeNames: {#n: "name"},
		ExpressionAttributeValues: {:v: [1, -2.5e3, "x"*3, true, null, {a: {}}], :b: b"\x00\xff", :n: N"abc",
			:ss: <"b", "a">, :ns: <1, 2>, :bs: <b"">, :e: SS<>}}`, &got, noReferences)
	if err != nil {
		t.Fatal(err)
	}
	str := func(s string) *types.AttributeValueMemberS { return &types.AttributeValueMemberS{Value: s} }
	num := func(s string) *types.AttributeValueMemberN { return &types.AttributeValueMemberN{Value: s} }
	name := "Some.Table-1"
	want := dynamodb.UpdateItemInput{
		TableName: &name, Key: item{"id": str("a\n"), "two words": num("1")}, ReturnValues: types.ReturnValueAllNew,
		ExpressionAttributeNames: map[string]string{"#n": "name"},
		ExpressionAttributeValues: item{
			":v": &types.AttributeValueMemberL{Value: []types.AttributeValue{
				num("1"), num("-2.5e3"), str("xxx"), &types.AttributeValueMemberBOOL{Value: true}, &types.AttributeValueMemberNULL{Value: true},
				&types.AttributeValueMemberM{Value: item{"a": &types.AttributeValueMemberM{Value: item{}}}},
			}},
			":b":  &types.AttributeValueMemberB{Value: []byte{0, 0xff}},
			":n":  num("abc"),
			":ss": &types.AttributeValueMemberSS{Value: []string{"b", "a"}},
			":ns": &types.AttributeValueMemberNS{Value: []string{"1", "2"}},
			":bs": &types.AttributeValueMemberBS{Value: [][]byte{{}}},
			":e":  &types.AttributeValueMemberSS{Value: []string{}},
		},
	}
	if diff := cmp.Diff(want, got, anyMember, cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
}

func TestNotationFaults(t *testing.T) {
	for _, text := range []string{
		``, `{`, `{Key}`, `{Key: }`, `{Key: {a: }}`, `{Nothing: 1}`, `{Key: {a: word}}`, `{Key: {a: "x}}`, `{Key: {a: <>}}`, `{Key: {a: <[1]>}}`,
		`{Key: {a: 1} b: 2}`, `{} more`, `{ReturnValues: }`, `[]`, `{ResultMetadata: {}}`,
	} {
		var in dynamodb.GetItemInput
		if err := read(text, &in, noReferences); err == nil {
			t.Errorf("%s is read as %+v", text, in)
		}
	}
}

// FuzzNotation reads any text as an item and, if it is one, what it is
// written as.
func FuzzNotation(f *testing.F) {
	for _, seed := range []string{`{a: 1}`, `{"a b": "x\u00e9", c: [true, null, <1, 2>]}`, `{m: {n: {}}}`, `{b: b"\xff", s: "x"*5, n: N"1"}`, `{s: <"a">, t: <b"a">}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if i := strings.IndexByte(text, '*'); i >= 0 && len(text)-i > 4 {
			t.Skip("very long strings prove nothing")
		}
		var once, twice item
		if read(text, &once, noReferences) != nil {
			return
		}
		written := mapString(once)
		if err := read(written, &twice, noReferences); err != nil {
			t.Fatalf("%q is written as %s: %v", text, written, err)
		}
		if again := mapString(twice); again != written {
			t.Errorf("%s is read back as %s", written, again)
		}
	})
}
