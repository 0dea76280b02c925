package attr

import (
	"testing"

	"pressroom/dynamo/token"
)

func TestJSONRoundTrip(t *testing.T) {
	src := `{"b":{"S":"x\ny"},"a":{"N":"-1.50"},"c":{"M":{"l":{"L":[{"NULL":true},{"BOOL":false},{"NS":["3","1"]}]}}},"d":{"B":"AQI="}}`
	it, err := ParseItemJSON(token.NewReader([]byte(src)))
	if err != nil {
		t.Fatal(err)
	}
	if err := CheckItem(it); err != nil {
		t.Fatal(err)
	}
	want := `{"a":{"N":"-1.5"},"b":{"S":"x\ny"},"c":{"M":{"l":{"L":[{"NULL":true},{"BOOL":false},{"NS":["1","3"]}]}}},"d":{"B":"AQI="}}`
	if got := string(AppendItemJSON(nil, it)); got != want {
		t.Fatalf("got  %s\nwant %s", got, want)
	}
}
