package partiql_test

import (
	"testing"

	"pressroom/dynamo/attr"
	"pressroom/dynamo/partiql"
)

// BenchmarkSelect reads, binds and plans a keyed SELECT.
func BenchmarkSelect(b *testing.B) {
	parameters := []attr.Value{attr.NewString("a"), attr.NewString("b")}
	b.ReportAllocs()
	for b.Loop() {
		st, err := partiql.Parse(`SELECT pk, v.w FROM "table" WHERE pk = ? AND begins_with(sk, ?) AND v > 10`)
		if err != nil {
			b.Fatal(err)
		}
		bound, err := st.Bind(parameters)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := bound.Plan(both); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkInsert reads and binds an INSERT.
func BenchmarkInsert(b *testing.B) {
	parameters := []attr.Value{attr.NewString("a"), attr.NewString("b")}
	b.ReportAllocs()
	for b.Loop() {
		st, err := partiql.Parse(`INSERT INTO "table" VALUE {'pk': ?, 'sk': ?, 'n': 12.5, 'l': [1, 2, {'a': <<'x', 'y'>>}]}`)
		if err != nil {
			b.Fatal(err)
		}
		bound, err := st.Bind(parameters)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := bound.Target(both); err != nil {
			b.Fatal(err)
		}
	}
}
