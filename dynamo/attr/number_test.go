package attr

import (
	"bytes"
	"errors"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func mustNumber(t testing.TB, text string) Value {
	t.Helper()
	v, err := NewNumber(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func TestNumberText(t *testing.T) {
	nines := strings.Repeat("9", 38)
	for in, want := range map[string]string{
		"0": "0", "-0": "0", "+0.0": "0", "0e125": "0", "0e-130": "0", "0.000e-130": "0", "000": "0", ".0": "0",
		"+5": "5", "+1.5": "1.5", "+1e2": "100", "1e+2": "100", "1.5E+3": "1500", "+.5": "0.5", ".5": "0.5",
		"5.": "5", "1.e5": "100000", "00042": "42", "+1e-2": "0.01", "1.23E10": "12300000000",
		"1.0": "1", "3.1400": "3.14", "100": "100", "-12.340": "-12.34", "0.00120": "0.0012",
		"12345678901234567890123456789012345678":  "12345678901234567890123456789012345678",
		"1E-130":                                  "0." + strings.Repeat("0", 129) + "1",
		"1.1E-130":                                "0." + strings.Repeat("0", 129) + "11",
		"-9.9E125":                                "-99" + strings.Repeat("0", 124),
		nines + "e88":                             nines + strings.Repeat("0", 88),
		nines + strings.Repeat("0", 88):           nines + strings.Repeat("0", 88),
		strings.Repeat("0", 500) + "1":            "1",
		"1" + strings.Repeat("0", 125):            "1" + strings.Repeat("0", 125),
		"0." + strings.Repeat("0", 200) + "1e200": "0.1",
		"1e0000000000000000000000001":             "10",
	} {
		v := mustNumber(t, in)
		if got := v.Number(); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
		if got := numberTextLen(v[1:]); got != len(want) {
			t.Errorf("%s: length %d, want %d", in, got, len(want))
		}
	}
}

func TestNumberRefused(t *testing.T) {
	const notNumeric = "The parameter cannot be converted to a numeric value"
	cases := map[string]string{
		"": notNumeric,
		"123456789012345678901234567890123456789": "Attempting to store more than 38 significant digits in a Number",
		"1." + strings.Repeat("0", 37) + "1":      "Attempting to store more than 38 significant digits in a Number",
		"1E126":                                   "Number overflow. Attempting to store a number with magnitude larger than supported range",
		"-1e126":                                  "Number overflow. Attempting to store a number with magnitude larger than supported range",
		"11e125":                                  "Number overflow. Attempting to store a number with magnitude larger than supported range",
		"0e126":                                   "Number overflow. Attempting to store a number with magnitude larger than supported range",
		"1" + strings.Repeat("0", 1000):           "Number overflow. Attempting to store a number with magnitude larger than supported range",
		"1E-131":                                  "Number underflow. Attempting to store a number with magnitude smaller than supported range",
		"-0.9e-130":                               "Number underflow. Attempting to store a number with magnitude smaller than supported range",
		"0e-131":                                  "Number underflow. Attempting to store a number with magnitude smaller than supported range",
	}
	for _, s := range []string{
		"abc", "+e2", "e2", "+1+2", "1+2", "+1.2.3", "1.2.3", "++5", "+-5", "-+5", "+", "-", "1e", "1e+", "1e-", ".", "-.",
		"1.2e3.4", "0x5", "NaN", "Infinity", "-Infinity", "1_000", " 5", "5 ", "1 5", "1e 5", "1,5", "١", "1e5e", "5\x00",
		"1e9223372036854775808", "1e-99999999999999999999",
	} {
		cases[s] = notNumeric + ": " + s
	}
	for in, want := range cases {
		v, err := NewNumber(in)
		var e *InvalidError
		if v != nil || !errors.As(err, &e) || e.Message != want {
			t.Errorf("%.50q: %v, %v, want %s", in, v, err, want)
		}
	}
}

// TestNumberRefusedTwice has numbers that the two ways of reading refuse with different
// words.
func TestNumberRefusedTwice(t *testing.T) {
	const notNumeric = "The parameter cannot be converted to a numeric value"
	cases := []struct{ in, older, newer string }{
		{"", notNumeric, notNumeric + ": "},
		{"1e2147483646", msgOverflow, ""},
		{"1e2147483647", msgUnderflow, msgOverflow},
		{"12e2147483647", msgUnderflow, msgOverflow},
		{"1.2e2147483646", msgOverflow, ""},
		{"1e2147483648", notNumeric + ": 1e2147483648", msgOverflow},
		{"-1E99999999999", notNumeric + ": -1E99999999999", msgOverflow},
		{"1e9223372036854775807", notNumeric + ": 1e9223372036854775807", msgOverflow},
		{"1e-2147483647", msgUnderflow, ""},
		{"1.5e-2147483647", notNumeric + ": 1.5e-2147483647", msgUnderflow},
		{"1e-2147483648", notNumeric + ": 1e-2147483648", msgUnderflow},
		{"1e-99999999999", notNumeric + ": 1e-99999999999", msgUnderflow},
	}
	for _, c := range cases {
		_, err := NewNumber(c.in)
		var e *InvalidError
		if !errors.As(err, &e) || e.Message != c.older || e.Newer != c.newer {
			t.Errorf("%q: %#v, want %s and %s", c.in, err, c.older, c.newer)
		}
	}
}

func TestNumberRoundTripAndOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := genNumber().Draw(t, "a"), genNumber().Draw(t, "b")
		x, err := NewNumber(a.scientific())
		if err != nil {
			t.Fatal(err)
		}
		if again, err := NewNumber(a.plain()); err != nil || !Equal(x, again) {
			t.Fatalf("%s and %s: %x, %x, %v", a.scientific(), a.plain(), x, again, err)
		}
		if again, err := NewNumber(x.Number()); err != nil || !Equal(x, again) {
			t.Fatalf("%s read again: %x, %x, %v", x.Number(), x, again, err)
		}
		if r, ok := new(big.Rat).SetString(x.Number()); !ok || r.Cmp(a.rat()) != 0 {
			t.Fatalf("%s answered as %s", a.scientific(), x.Number())
		}
		if err := CheckValue(x); err != nil {
			t.Fatal(err)
		}
		y, err := NewNumber(b.plain())
		if err != nil {
			t.Fatal(err)
		}
		want := a.rat().Cmp(b.rat())
		if got, ok := Compare(x, y); !ok || got != want {
			t.Fatalf("%s against %s: %d, want %d", x.Number(), y.Number(), got, want)
		}
		if got := bytes.Compare(AppendKey(nil, x), AppendKey(nil, y)); got != want {
			t.Fatalf("key bytes of %s against %s: %d, want %d", x.Number(), y.Number(), got, want)
		}
	})
}

// fitsNumber tells whether r is a number that can be stored, by arithmetic on r alone.
func fitsNumber(r *big.Rat) bool {
	if r.Sign() == 0 {
		return true
	}
	text := new(big.Rat).Abs(r).FloatString(200)
	digits := strings.Trim(strings.Replace(text, ".", "", 1), "0")
	limit := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(126), nil))
	tiny := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Exp(big.NewInt(10), big.NewInt(130), nil))
	abs := new(big.Rat).Abs(r)
	return len(digits) <= 38 && abs.Cmp(limit) < 0 && abs.Cmp(tiny) >= 0
}

func TestSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := genNumber().Draw(t, "a"), genNumber().Draw(t, "b")
		x, _ := NewNumber(a.plain())
		y, _ := NewNumber(b.plain())
		for name, c := range map[string]struct {
			run  func(a, b Value) (Value, error)
			want *big.Rat
		}{
			"+": {Add, new(big.Rat).Add(a.rat(), b.rat())},
			"-": {Sub, new(big.Rat).Sub(a.rat(), b.rat())},
		} {
			got, err := c.run(x, y)
			if (err == nil) != fitsNumber(c.want) {
				t.Fatalf("%s %s %s: %v, but the sum is %s", x.Number(), name, y.Number(), err, c.want.FloatString(140))
			}
			if err != nil {
				continue
			}
			if r, ok := new(big.Rat).SetString(got.Number()); !ok || r.Cmp(c.want) != 0 {
				t.Fatalf("%s %s %s = %s, want %s", x.Number(), name, y.Number(), got.Number(), c.want.FloatString(140))
			}
			if err := CheckValue(got); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestSumExamples(t *testing.T) {
	const overflow = "Number overflow. Attempting to store a number with magnitude larger than supported range"
	nines := strings.Repeat("9", 38)
	for _, c := range []struct{ a, b, want, message string }{
		{"1", "2", "3", ""},
		{"1", "-1", "0", ""},
		{"0.1", "0.2", "0.3", ""},
		{"99", "1", "100", ""},
		{"-100", "1", "-99", ""},
		{nines, "1", "1" + strings.Repeat("0", 38), ""},
		{"1", "10000000000000000000000", "10000000000000000000001", ""},
		{"0", "-7.5", "-7.5", ""},
		{"9.9e125", "9.9e125", "", overflow},
		{"-9e125", "-9e125", "", overflow},
		{"1e50", "1", "", overflow},
		{"1e125", "1e-130", "", overflow},
		{"1.1e-130", "-1e-130", "", "Number underflow. Attempting to store a number with magnitude smaller than supported range"},
	} {
		got, err := Add(mustNumber(t, c.a), mustNumber(t, c.b))
		if c.message != "" {
			if err == nil || err.Error() != c.message {
				t.Errorf("%s + %s: %v, %v", c.a, c.b, got.Number(), err)
			}
			continue
		}
		if err != nil || got.Number() != c.want {
			t.Errorf("%s + %s = %s, %v, want %s", c.a, c.b, got.Number(), err, c.want)
		}
	}
	if _, err := Add(NewString("1"), NewInt(1)); err == nil {
		t.Error("a string was added")
	}
}

func TestNewInt(t *testing.T) {
	for _, n := range []int64{0, 1, -1, 10, -9223372036854775808, 9223372036854775807} {
		if got := NewInt(n).Number(); got != big.NewInt(n).String() {
			t.Errorf("%d: %s", n, got)
		}
	}
}
