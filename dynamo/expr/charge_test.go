package expr

import (
	"testing"

	"pressroom/dynamo/attr"
)

// TestCharge adds up what the parts of updates cost.
func TestCharge(t *testing.T) {
	values := map[string]attr.Value{":text": attr.NewString("12345"), ":one": attr.NewInt(1)}
	for src, want := range map[string]int{
		"REMOVE a":                        3 + 1 + 1,
		"REMOVE a.bc[10]":                 3 + 1 + (1 + 4 + 2 + 4 + 2),
		"SET a = :text":                   3 + 19 + 1 + 5,
		"SET a.bc = :text":                3 + 19 + (1 + 4 + 2) + 5,
		"SET a = bcd":                     3 + 19 + 1 + (1 + 14 + 3),
		"SET a = b.c[7]":                  3 + 19 + 1 + (1 + 14 + 1 + 14 + 1 + 14 + 1),
		"SET a = a + :one":                3 + 19 + 1 + 34 + (1 + 14 + 1) + 2,
		"SET a = a - :one":                3 + 19 + 1 + 37 + (1 + 14 + 1) + 2,
		"SET a = if_not_exists(b, :text)": 3 + 19 + 1 + 39 + (1 + 14 + 1) + 5,
		"SET a = list_append(b, c)":       3 + 19 + 1 + 37 + 2*(1+14+1),
		"SET a = :text, b = :text":        3 + 2*(19+1+5),
		"ADD a :one":                      3 + 19 + 1 + 2,
		"SET a = :text REMOVE bc":         3 + (19 + 1 + 5) + (1 + 2),
	} {
		env, err := NewEnv(Placeholders{Values: values})
		if err != nil {
			t.Fatal(err)
		}
		u, err := ParseUpdate(src, env)
		if err != nil {
			t.Fatal(src, err)
		}
		if got := u.Charge(); got != want {
			t.Errorf("%s: %d, want %d", src, got, want)
		}
	}
}
