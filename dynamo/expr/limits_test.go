package expr

import (
	"strings"
	"testing"
	"unsafe"

	"pressroom/dynamo/attr"
)

func numberEnv(t testing.TB) *Env {
	env, err := NewEnv(Placeholders{Values: map[string]attr.Value{":v": attr.NewInt(1)}})
	if err != nil {
		t.Fatal(err)
	}
	return env
}

func TestLimits(t *testing.T) {
	terms := func(n int) string { return strings.Repeat("a=:v AND ", n-1) + "a=:v" }
	pad := func(n int) string { return "a = :v" + strings.Repeat(" ", n-len("a = :v")) }
	in := func(n int) string { return "a IN (" + strings.Repeat(":v,", n-1) + ":v)" }
	const tooMany = "The expression contains too many operators; operator count: 301"
	tests := []struct {
		name, src, want string
	}{
		{"empty", "", "The expression can not be empty;"},
		{"4096 bytes", pad(4096), ""},
		{"4097 bytes", pad(4097), "Expression size has exceeded the maximum allowed size; expression size: 4097"},
		{"299 operators", terms(150), ""},
		{"300 operators", "NOT " + terms(150), ""},
		{"301 operators", terms(151), tooMany},
		{"functions count", terms(149) + " AND size(a) = size(b)", tooMany},
		{"BETWEEN counts once", terms(149) + " AND a BETWEEN :v AND :v AND NOT a = :v", tooMany},
		{"NOT counts", strings.Repeat("NOT ", 300) + "a=:v", tooMany},
		{"operators are counted last", terms(151) + " AND a = a", "The first operand must be distinct from the remaining operands for this operator or function; operator: =, first operand: [a]"},
		{"100 in a list", in(100), ""},
		{"101 in a list", in(101), "The IN operator is provided with too many operands; number of operands: 101"},
	}
	for _, tt := range tests {
		want := tt.want
		if want != "" {
			want = "Invalid FilterExpression: " + want
		}
		_, err := ParseCondition(FilterExpression, tt.src, numberEnv(t))
		if got := message(t, err); got != want {
			t.Errorf("%s: got %q, want %q", tt.name, got, want)
		}
	}
}

func TestUpdateOperatorLimit(t *testing.T) {
	actions := func(n int) string {
		var parts []string
		for i := range n {
			parts = append(parts, "q"+string(rune('a'+i/26))+string(rune('a'+i%26))+"=b+c")
		}
		return "SET " + strings.Join(parts, ",")
	}
	if _, err := ParseUpdate(actions(300), nil); err != nil {
		t.Error(err)
	}
	_, err := ParseUpdate(actions(301), nil)
	if got, want := message(t, err), "Invalid UpdateExpression: The expression contains too many operators; operator count: 301"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Nesting is bounded by the length of the source; the parser must live with the
// deepest that fits.
func TestDeepNesting(t *testing.T) {
	for _, src := range []string{
		strings.Repeat("(", 4096),
		strings.Repeat("(", 2000) + "a=:v" + strings.Repeat(")", 2000),
		strings.Repeat("NOT ", 1023) + "a=",
		strings.Repeat("NOT(", 1000),
		strings.Repeat("size(", 800),
		strings.Repeat("a=:v AND(", 400),
		"a" + strings.Repeat("[0]", 1300),
		"a IN(" + strings.Repeat("(", 4000),
	} {
		if _, err := ParseCondition(ConditionExpression, src, numberEnv(t)); err == nil {
			t.Errorf("%.20s...: accepted", src)
		}
	}
}

func TestReservedWords(t *testing.T) {
	if n := len(reserved); n != 573 {
		t.Errorf("%d reserved words", n)
	}
	for word := range reserved {
		if len(word) > longestReserved {
			t.Errorf("%s is longer than the longest", word)
		}
		if !isReserved(word) || !isReserved(strings.ToLower(word)) || isReserved(word+"x") {
			t.Errorf("%s is not recognised", word)
		}
	}
	for _, word := range []string{"a", "pk", "id", "títle", "localtimestamps"} {
		if isReserved(word) {
			t.Errorf("%s is taken for a reserved word", word)
		}
	}
}

// Conditions run once per item that is read: they must not allocate.
func TestMatchDoesNotAllocate(t *testing.T) {
	item := fuzzItem()
	for _, src := range []string{
		"a = :n", "a <> :n AND b < :s", "m.n.z = :s", "l[2][0] BETWEEN :n AND :n", "a IN (:n, :s, m.k)", "attribute_exists(m.k)",
		"begins_with(b, :s) OR contains(b, :s)", "contains(ss, :s)", "contains(l, :s)", "size(m) > :n", "NOT attribute_type(a, :s)",
	} {
		env := fuzzEnv(t)
		find(env.values, ":s").to = attr.NewString("S")
		c, err := ParseCondition(FilterExpression, src, env)
		if err != nil {
			t.Fatal(err)
		}
		if n := testing.AllocsPerRun(100, func() { c.Match(item) }); n != 0 {
			t.Errorf("%s: %v allocations", src, n)
		}
	}
}

// Parsed expressions are shared: what one request put in for placeholders must not
// show in another.
func TestCacheIsIndependentOfPlaceholders(t *testing.T) {
	for i := range 3 {
		env, err := NewEnv(Placeholders{
			Names:  map[string]string{"#n": string(rune('a' + i))},
			Values: map[string]attr.Value{":v": attr.NewInt(int64(i))},
		})
		if err != nil {
			t.Fatal(err)
		}
		c, err := ParseCondition(ConditionExpression, "#n = :v", env)
		if err != nil {
			t.Fatal(err)
		}
		for j := range 3 {
			var b attr.Builder
			b.Set(string(rune('a'+j)), attr.NewInt(int64(i)))
			if got := c.Match(b.Item()); got != (i == j) {
				t.Errorf("request %d on attribute %d: %v", i, j, got)
			}
		}
	}
}

// A source may lie in a request's memory, which is used again: what is kept must be
// a copy.
func TestCacheCopiesSource(t *testing.T) {
	memory := []byte("attribute_exists(reused)")
	src := viewOf(memory)
	kept, err := parsed(ConditionExpression, src)
	if err != nil {
		t.Fatal(err)
	}
	copy(memory, "attribute_exists(broken)")
	if kept.src != "attribute_exists(reused)" || kept.steps[0].text != "reused" {
		t.Errorf("kept %s", kept.src)
	}
	if again, err := parsed(ConditionExpression, "attribute_exists(reused)"); err != nil || again != kept {
		t.Errorf("not kept: %v", err)
	}
}

// viewOf is a string over the bytes, as a reader of requests makes it.
func viewOf(b []byte) string { return unsafe.String(&b[0], len(b)) }
