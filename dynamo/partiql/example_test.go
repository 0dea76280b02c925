package partiql_test

import (
	"fmt"

	"pressroom/dynamo/attr"
	"pressroom/dynamo/expr"
	"pressroom/dynamo/partiql"
)

// A SELECT, from its text to the ranges of keys that it reads.
func Example() {
	st, err := partiql.Parse(`SELECT title FROM "posts" WHERE author = ? AND day >= '2026-11-01' AND likes > 10`)
	if err != nil {
		fmt.Println(err)
		return
	}
	b, err := st.Bind([]attr.Value{attr.NewString("ana")})
	if err != nil {
		fmt.Println(err)
		return
	}
	plan, err := b.Plan(expr.KeySchema{
		Partition: []expr.KeyAttribute{{Name: "author", Kind: attr.String}},
		Sort:      []expr.KeyAttribute{{Name: "day", Kind: attr.String}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range plan.Ranges {
		fmt.Println(st.Kind, st.Table, r.Partition[0].Text(), r.Values[0].Text())
	}
	fmt.Println("filter on", plan.FilterAttributes, "answer with", b.Columns())
	// Output:
	// SELECT posts ana 2026-11-01
	// filter on [likes] answer with [title]
}
