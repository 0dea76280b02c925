package partiql_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pressroom/dynamo/attr"
	"pressroom/dynamo/partiql"
	"pressroom/guard/guardtest"
)

// wheres makes random WHERE clauses about the key and one other attribute.
type wheres struct{ *rand.Rand }

func (w wheres) pick(list ...string) string { return list[w.IntN(len(list))] }

func (w wheres) key() string { return "'" + w.pick("a", "b", "c", "ab", "abc", "é", "z") + "'" }

func (w wheres) keys() string {
	list := make([]string, 1+w.IntN(3))
	for i := range list {
		list[i] = w.key()
	}
	return "[" + strings.Join(list, ", ") + "]"
}

func (w wheres) leaf() string {
	name := w.pick("pk", "pk", "sk", "sk", "sk", "v")
	switch w.IntN(9) {
	case 0, 1, 2:
		return name + " = " + w.key()
	case 3:
		return name + " " + w.pick("<", "<=", ">", ">=", "<>") + " " + w.key()
	case 4:
		return w.key() + " " + w.pick("<", "<=", ">", ">=", "=") + " " + name
	case 5:
		return name + " IN " + w.keys()
	case 6:
		low, high := w.key(), w.key()
		return name + " BETWEEN " + min(low, high) + " AND " + max(low, high)
	case 7:
		return "begins_with(" + name + ", " + w.key() + ")"
	}
	return w.pick("attribute_exists(v)", "v IS MISSING", "NOT sk = 'a'", "size(sk) > 1")
}

func (w wheres) clause(depth int) string {
	if depth == 0 || w.IntN(4) == 0 {
		return w.leaf()
	}
	switch w.IntN(8) {
	case 0:
		return "NOT (" + w.clause(depth-1) + ")"
	case 1, 2, 3:
		return "(" + w.clause(depth-1) + " OR " + w.clause(depth-1) + ")"
	}
	return w.clause(depth-1) + " AND " + w.clause(depth-1)
}

// statement is a whole clause: anything, or something about a partition, or alternatives.
func (w wheres) statement() string {
	branch := func() string {
		return w.pick("pk = "+w.key(), "pk IN "+w.keys()) + " AND " + w.clause(1)
	}
	switch w.IntN(3) {
	case 0:
		return w.clause(3)
	case 1:
		return branch()
	}
	return branch() + " OR " + branch()
}

// filled is a table with all combinations of some keys.
func filled(t testing.TB) *memory {
	m := &memory{schema: both}
	for _, pk := range []string{"a", "b", "ab"} {
		for i, sk := range []string{"a", "ab", "abc", "abd", "b", "c", "é", "z"} {
			item := fmt.Sprintf("{'pk': '%s', 'sk': '%s'", pk, sk)
			if i%2 == 0 {
				item += ", 'v': '" + sk + "'"
			}
			if _, err := m.execute("INSERT INTO t VALUE "+item+"}", nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	return m
}

// However a SELECT reads, it finds what a look at every item finds, each item once; and
// with ORDER BY, in that order.
func TestPlanFindsTheSameAsScan(t *testing.T) {
	m := filled(t)
	w := wheres{rand.New(rand.NewPCG(1, 2))}
	kinds := map[string]int{}
	for range guardtest.Few(2000) {
		statement := "SELECT * FROM t WHERE " + w.statement()
		b := bound(t, statement)
		if b == nil {
			kinds["refused"]++
			continue
		}
		plan, err := b.Plan(m.schema)
		if err != nil {
			kinds["refused"]++
			continue
		}
		kinds[fmt.Sprintf("scan %t keyed %t", plan.Scan, plan.Keyed)]++
		var want []attr.Item
		for _, it := range m.items {
			if b.Condition().Match(it) {
				want = append(want, it)
			}
		}
		got, err := m.execute(statement, nil)
		if err != nil {
			t.Fatal(err)
		}
		if want, got := sortedText(want), sortedText(got); !slices.Equal(want, got) {
			t.Fatalf("%s (-all +read):\n%s", statement, cmp.Diff(want, got))
		}
		checkDescending(t, m, statement)
	}
	for _, kind := range []string{"scan true keyed false", "scan false keyed true", "scan false keyed false", "refused"} {
		if kinds[kind] < guardtest.Few(50) {
			t.Errorf("%d statements are of the kind %q", kinds[kind], kind)
		}
	}
}

func bound(t *testing.T, statement string) *partiql.Bound {
	st, err := partiql.Parse(statement)
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	b, err := st.Bind(nil)
	if err != nil {
		return nil
	}
	return b
}

func sortedText(items []attr.Item) []string {
	list := make([]string, len(items))
	for i, it := range items {
		list[i] = string(attr.AppendItemJSON(nil, it))
	}
	slices.Sort(list)
	return list
}

// checkDescending checks ORDER BY pk DESC, sk DESC where it is allowed and not a scan.
func checkDescending(t *testing.T, m *memory, statement string) {
	statement += " ORDER BY pk DESC, sk DESC"
	b := bound(t, statement)
	plan, err := b.Plan(m.schema)
	if err != nil || plan.Scan {
		return
	}
	got, err := m.execute(statement, nil)
	if err != nil {
		t.Fatal(err)
	}
	keys := make([]string, len(got))
	for i, it := range got {
		keys[i] = string(keyBytes(it, m.schema))
	}
	if !slices.IsSortedFunc(keys, func(a, b string) int { return strings.Compare(b, a) }) {
		t.Fatalf("%s: not in order:\n%s", statement, text(got))
	}
}
