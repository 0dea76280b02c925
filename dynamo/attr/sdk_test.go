package attr

import (
	"errors"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// sameSDK compares values of the SDK, sets as sets.
var sameSDK = cmp.Options{
	cmpopts.IgnoreUnexported(
		types.AttributeValueMemberS{}, types.AttributeValueMemberN{}, types.AttributeValueMemberB{}, types.AttributeValueMemberBOOL{}, types.AttributeValueMemberNULL{},
		types.AttributeValueMemberSS{}, types.AttributeValueMemberNS{}, types.AttributeValueMemberBS{}, types.AttributeValueMemberL{}, types.AttributeValueMemberM{},
	),
	cmpopts.SortSlices(func(a, b string) bool { return a < b }),
	cmpopts.SortSlices(func(a, b []byte) bool { return string(a) < string(b) }),
}

func TestSDKRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := genItem(3).Draw(t, "item")
		it, err := ItemFromSDK(want)
		if err != nil {
			t.Fatal(err)
		}
		if err := CheckItem(it); err != nil {
			t.Fatal(err)
		}
		got := ItemToSDK(it)
		if diff := cmp.Diff(want, got, sameSDK); diff != "" {
			t.Fatal(diff)
		}
		for name, av := range want {
			v, err := FromSDK(av)
			if err != nil {
				t.Fatal(err)
			}
			if stored, ok := it.Get(name); !ok || !Equal(v, stored) {
				t.Fatalf("%q is %x in the item and %x alone", name, stored, v)
			}
			if diff := cmp.Diff(av, ToSDK(v), sameSDK); diff != "" {
				t.Fatal(diff)
			}
		}
		// What was handed out stays when the stored bytes go.
		clear(it)
		if diff := cmp.Diff(want, got, sameSDK); diff != "" {
			t.Fatal("the result shares the item's memory", diff)
		}
	})
}

func TestBinariesCanBeChanged(t *testing.T) {
	it, err := ItemFromSDK(map[string]types.AttributeValue{
		"a": &types.AttributeValueMemberB{Value: []byte("aaa")},
		"b": &types.AttributeValueMemberS{Value: "bbb"},
	})
	if err != nil {
		t.Fatal(err)
	}
	m := ItemToSDK(it)
	b := m["a"].(*types.AttributeValueMemberB)
	_ = append(b.Value, "zzzzzzz"...)
	copy(b.Value, "xxx")
	if s := m["b"].(*types.AttributeValueMemberS); s.Value != "bbb" {
		t.Errorf("another attribute changed to %q", s.Value)
	}
	if v, _ := it.Get("a"); string(v.Bytes()) != "aaa" {
		t.Error("the item changed")
	}
}

func TestSDKRefused(t *testing.T) {
	deep := func(n int, av types.AttributeValue) types.AttributeValue {
		for i := range n {
			if i%2 == 0 {
				av = &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{"n": av}}
			} else {
				av = &types.AttributeValueMemberL{Value: []types.AttributeValue{av}}
			}
		}
		return av
	}
	text := &types.AttributeValueMemberS{Value: "x"}
	const empty = "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"
	const invalid = "One or more parameter values were invalid: "
	for name, c := range map[string]struct {
		av   types.AttributeValue
		want string
	}{
		"nil":                {nil, empty},
		"unknown":            {&types.UnknownUnionMember{Tag: "X"}, empty},
		"nil S":              {(*types.AttributeValueMemberS)(nil), empty},
		"nil N":              {(*types.AttributeValueMemberN)(nil), empty},
		"nil B":              {(*types.AttributeValueMemberB)(nil), empty},
		"nil BOOL":           {(*types.AttributeValueMemberBOOL)(nil), empty},
		"nil NULL":           {(*types.AttributeValueMemberNULL)(nil), empty},
		"nil SS":             {(*types.AttributeValueMemberSS)(nil), empty},
		"nil NS":             {(*types.AttributeValueMemberNS)(nil), empty},
		"nil BS":             {(*types.AttributeValueMemberBS)(nil), empty},
		"nil L":              {(*types.AttributeValueMemberL)(nil), empty},
		"nil M":              {(*types.AttributeValueMemberM)(nil), empty},
		"nil in list":        {&types.AttributeValueMemberL{Value: []types.AttributeValue{nil}}, empty},
		"false null":         {&types.AttributeValueMemberNULL{}, invalid + "Null attribute value types must have the value of true"},
		"empty SS":           {&types.AttributeValueMemberSS{}, invalid + "An string set  may not be empty"},
		"empty NS":           {&types.AttributeValueMemberNS{}, invalid + "An number set  may not be empty"},
		"empty BS":           {&types.AttributeValueMemberBS{}, invalid + "Binary sets should not be empty"},
		"twins SS":           {&types.AttributeValueMemberSS{Value: []string{"a", "a"}}, invalid + "Input collection [a, a] contains duplicates."},
		"twins NS":           {&types.AttributeValueMemberNS{Value: []string{"1", "1.0"}}, "Input collection contains duplicates"},
		"bad NS":             {&types.AttributeValueMemberNS{Value: []string{"1", "x"}}, "The parameter cannot be converted to a numeric value: x"},
		"bad N":              {&types.AttributeValueMemberN{Value: "x"}, "The parameter cannot be converted to a numeric value: x"},
		"empty N":            {&types.AttributeValueMemberN{}, "The parameter cannot be converted to a numeric value"},
		"empty name":         {&types.AttributeValueMemberM{Value: map[string]types.AttributeValue{"": text}}, "Empty attribute name"},
		"long name":          {&types.AttributeValueMemberM{Value: map[string]types.AttributeValue{strings.Repeat("x", 65536): text}}, "Attribute name is too large, must be less than 65536 bytes"},
		"32 levels":          {deep(31, text), ""},
		"33 levels":          {deep(32, text), "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit"},
		"an empty last map":  {deep(31, &types.AttributeValueMemberM{}), "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit"},
		"an empty last list": {deep(31, &types.AttributeValueMemberL{}), "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit"},
		"empty B":            {&types.AttributeValueMemberB{}, ""},
	} {
		_, err := FromSDK(c.av)
		var e *InvalidError
		if c.want == "" && err != nil || c.want != "" && (!errors.As(err, &e) || e.Message != c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		_, err = ItemFromSDK(map[string]types.AttributeValue{"z": text, "a": c.av, "m": &types.AttributeValueMemberN{Value: "later"}})
		if c.want != "" && (err == nil || err.Error() != c.want) {
			t.Errorf("%s in an item: %v, want %q", name, err, c.want)
		}
	}
}

// TestBadUTF8 does what the SDK's client does when it writes JSON.
func TestBadUTF8(t *testing.T) {
	it, err := ItemFromSDK(map[string]types.AttributeValue{
		"a\xff": &types.AttributeValueMemberS{Value: "x\xff\xfey"},
		"a\xfe": &types.AttributeValueMemberS{Value: "x\xff\xfey"},
		"b":     &types.AttributeValueMemberSS{Value: []string{"\xc3\x28"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"a` + "\ufffd" + `":{"S":"x` + "\ufffd\ufffd" + `y"},"b":{"SS":["` + "\ufffd(" + `"]}}`
	if got := string(AppendItemJSON(nil, it)); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestItemToStreams(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		it, err := ItemFromSDK(genItem(2).Draw(t, "item"))
		if err != nil {
			t.Fatal(err)
		}
		back, err := ItemFromSDK(fromStreams(ItemToStreams(it)))
		if err != nil || !cmp.Equal(it, back) {
			t.Fatalf("%x, %x, %v", it, back, err)
		}
	})
}

// fromStreams is the way back, for the test.
func fromStreams(m map[string]streamtypes.AttributeValue) map[string]types.AttributeValue {
	out := map[string]types.AttributeValue{}
	for name, av := range m {
		out[name] = fromStream(av)
	}
	return out
}

func fromStream(av streamtypes.AttributeValue) types.AttributeValue {
	switch av := av.(type) {
	case *streamtypes.AttributeValueMemberNULL:
		return &types.AttributeValueMemberNULL{Value: av.Value}
	case *streamtypes.AttributeValueMemberBOOL:
		return &types.AttributeValueMemberBOOL{Value: av.Value}
	case *streamtypes.AttributeValueMemberN:
		return &types.AttributeValueMemberN{Value: av.Value}
	case *streamtypes.AttributeValueMemberS:
		return &types.AttributeValueMemberS{Value: av.Value}
	case *streamtypes.AttributeValueMemberB:
		return &types.AttributeValueMemberB{Value: av.Value}
	case *streamtypes.AttributeValueMemberNS:
		return &types.AttributeValueMemberNS{Value: av.Value}
	case *streamtypes.AttributeValueMemberSS:
		return &types.AttributeValueMemberSS{Value: av.Value}
	case *streamtypes.AttributeValueMemberBS:
		return &types.AttributeValueMemberBS{Value: av.Value}
	case *streamtypes.AttributeValueMemberL:
		list := []types.AttributeValue{}
		for _, e := range av.Value {
			list = append(list, fromStream(e))
		}
		return &types.AttributeValueMemberL{Value: list}
	case *streamtypes.AttributeValueMemberM:
		return &types.AttributeValueMemberM{Value: fromStreams(av.Value)}
	}
	return nil
}
