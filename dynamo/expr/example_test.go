package expr_test

import (
	"fmt"

	"pressroom/dynamo/attr"
	"pressroom/dynamo/expr"
)

func Example() {
	// What a conditional UpdateItem brings.
	env, err := expr.NewEnv(expr.Placeholders{
		Names:  map[string]string{"#s": "status"},
		Values: map[string]attr.Value{":open": attr.NewString("open"), ":one": attr.NewInt(1)},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	update, err := expr.ParseUpdate("SET votes = if_not_exists(votes, :one) + :one", env)
	if err != nil {
		fmt.Println(err)
		return
	}
	condition, err := expr.ParseCondition(expr.ConditionExpression, "#s = :open", env)
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := env.CheckUsed(); err != nil {
		fmt.Println(err)
		return
	}

	var b attr.Builder
	b.Set("id", attr.NewString("p1"))
	b.Set("status", attr.NewString("open"))
	item := b.Item()
	if !condition.Match(item) {
		fmt.Println("The conditional request failed")
		return
	}
	item, touched, err := update.Apply(item)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s\n", attr.AppendItemJSON(nil, item))
	fmt.Printf("%s\n", attr.AppendItemJSON(nil, touched.New()))
	// Output:
	// {"id":{"S":"p1"},"status":{"S":"open"},"votes":{"N":"2"}}
	// {"votes":{"N":"2"}}
}

func ExampleParseCondition_refused() {
	_, err := expr.ParseCondition(expr.FilterExpression, "name = :n", nil)
	fmt.Println(err)
	// Output:
	// Invalid FilterExpression: Attribute name is a reserved keyword; reserved keyword: name
}

func ExampleKeyCondition_Fit() {
	env, err := expr.NewEnv(expr.Placeholders{Values: map[string]attr.Value{":u": attr.NewString("u1"), ":t": attr.NewInt(2026)}})
	if err != nil {
		fmt.Println(err)
		return
	}
	key, err := expr.ParseKeyCondition("author = :u AND :t <= published", env)
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := key.Fit(expr.KeySchema{
		Partition: []expr.KeyAttribute{{Name: "author", Kind: attr.String}},
		Sort:      []expr.KeyAttribute{{Name: "published", Kind: attr.Number}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Partition[0].Text(), r.Op == expr.KeyGreaterEqual, r.Values[0].Number())
	// Output:
	// u1 true 2026
}
