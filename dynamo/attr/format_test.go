package attr

import (
	"encoding/hex"
	"testing"

	"pressroom/dynamo/token"
)

// TestStoredForm pins the bytes: what is on disk must be read by every later version.
func TestStoredForm(t *testing.T) {
	for in, want := range map[string]string{
		`{"NULL":true}`:                          "01",
		`{"BOOL":false}`:                         "0200",
		`{"BOOL":true}`:                          "0201",
		`{"N":"0"}`:                              "0301",
		`{"N":"1"}`:                              "03028220",
		`{"N":"-1"}`:                             "03007ddf",
		`{"N":"12"}`:                             "0302832300",
		`{"N":"-12.5"}`:                          "03007cdc9f",
		`{"N":"1E-130"}`:                         "03020020",
		`{"N":"9E125"}`:                          "0302ffa0",
		`{"S":"é"}`:                              "04c3a9",
		`{"S":""}`:                               "04",
		`{"B":"AP8="}`:                           "0500ff",
		`{"NS":["2","-1"]}`:                      "0603007ddf03028230",
		`{"SS":["b","","a"]}`:                    "070001610162",
		`{"BS":["/w==","AA=="]}`:                 "08010001ff",
		`{"L":[{"S":"a"},{"L":[]}]}`:             "090204610109",
		`{"M":{"b":{"NULL":true},"a":{"M":{}}}}`: "0a0161010a01620101",
	} {
		v, err := ParseJSON(token.NewReader([]byte(in)))
		if err != nil {
			t.Fatal(err)
		}
		if got := hex.EncodeToString(v); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
	long := NewList(NewBinary(make([]byte, 200)))
	if got := hex.EncodeToString(long[:5]); got != "09c9010500" {
		t.Errorf("a long element: %s", got)
	}
}

// TestKeyForm pins the bytes of keys.
func TestKeyForm(t *testing.T) {
	for _, c := range []struct {
		v      Value
		want   string
		prefix string
	}{
		{NewString("ab"), "61620001", "6162"},
		{NewString(""), "0001", ""},
		{NewBinary([]byte{0, 1, 0xff}), "00ff01ff0001", "00ff01ff"},
		{NewInt(0), "01", ""},
		{NewInt(70), "028380", ""},
		{NewInt(-70), "007c7f", ""},
	} {
		if got := hex.EncodeToString(AppendKey(nil, c.v)); got != c.want {
			t.Errorf("%x: %s, want %s", c.v, got, c.want)
		}
		if got := hex.EncodeToString(AppendKeyPrefix(nil, c.v)); got != c.prefix {
			t.Errorf("prefix of %x: %s, want %s", c.v, got, c.prefix)
		}
	}
}
