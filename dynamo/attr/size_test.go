package attr

import (
	"strings"
	"testing"

	"pressroom/dynamo/token"
)

// TestSize has sizes as measured at the item limit: the most that fits beside the value.
func TestSize(t *testing.T) {
	nines := strings.Repeat("9", 38)
	for in, want := range map[string]int{
		`{"S":""}`: 0, `{"S":"abc"}`: 3, `{"S":"日本"}`: 6, `{"NULL":true}`: 1, `{"BOOL":true}`: 1,
		`{"B":"AQI="}`: 2, `{"SS":["a","bb"]}`: 3, `{"NS":["1","22"]}`: 4, `{"BS":["AQ=="]}`: 1,
		`{"L":[]}`: 3, `{"M":{}}`: 3, `{"L":[{"S":"a"}]}`: 5, `{"L":[{"S":"a"},{"N":"1"}]}`: 8, `{"M":{"k":{"S":"a"}}}`: 6,
		`{"L":[{"L":[]}]}`: 7,
		`{"N":"0"}`:        1, `{"N":"1"}`: 2, `{"N":"-1"}`: 3, `{"N":"10"}`: 2, `{"N":"11"}`: 2, `{"N":"100"}`: 2,
		`{"N":"123"}`: 3, `{"N":"1234"}`: 3, `{"N":"0.1"}`: 2, `{"N":"0.12"}`: 2, `{"N":"0.01"}`: 2, `{"N":"0.012"}`: 3,
		`{"N":"1.2"}`: 3, `{"N":"12.3"}`: 3, `{"N":"-12.34"}`: 4,
		`{"N":"` + nines + `"}`: 20, `{"N":"-` + nines + `"}`: 21, `{"N":"0.` + nines + `"}`: 20, `{"N":"-9.` + nines[1:] + `"}`: 21,
		`{"N":"1e125"}`: 2, `{"N":"1e-130"}`: 2,
	} {
		v, err := ParseJSON(token.NewReader([]byte(in)))
		if err != nil {
			t.Fatal(err)
		}
		if got := Size(v); got != want {
			t.Errorf("%s: %d, want %d", in, got, want)
		}
		b := NewBuilder(nil)
		b.Set("name", v)
		b.Set("日", NewNull())
		if got := b.Item().Size(); got != 4+want+3+1 {
			t.Errorf("item with %s: %d, want %d", in, got, 4+want+3+1)
		}
	}
	if Size(nil) != 0 || Item(nil).Size() != 0 {
		t.Error("nothing has a size")
	}
}

func TestCheckNesting(t *testing.T) {
	for levels, ok := range map[int]bool{1: true, 31: true, 32: true, 33: false, 100: false} {
		for kind, wrap := range map[string]func(Value) Value{
			"list": func(v Value) Value { return NewList(NewNull(), v) },
			"map":  func(v Value) Value { return NewMap(Item(nil).appendEntry("n", v)) },
		} {
			v := NewString("leaf")
			for range levels - 1 {
				v = wrap(v)
			}
			it := Item(nil).appendEntry("a", v)
			if err := CheckNesting(it); (err == nil) != ok {
				t.Errorf("%d levels of %s: %v", levels, kind, err)
			}
			if err := CheckItem(it); (err == nil) != ok {
				t.Errorf("%d levels of %s: %v", levels, kind, err)
			}
		}
	}
}
