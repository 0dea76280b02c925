package token_test

import (
	"fmt"

	"pressroom/dynamo/token"
)

func ExampleReader() {
	r := token.NewReader([]byte(`{"TableName":"posts","Limit":10,"Extra":[1,2]}`))
	if err := r.BeginObject(); err != nil {
		fmt.Println(err)
		return
	}
	for {
		name, more, err := r.Name()
		if !more {
			fmt.Println("done", err)
			return
		}
		switch {
		case r.Null(): // as if absent
		case name == "TableName":
			table, _ := r.String()
			fmt.Println("table", table)
		case name == "Limit":
			limit, _ := r.Int()
			fmt.Println("limit", limit)
		default:
			_ = r.Skip()
		}
	}
	// Output:
	// table posts
	// limit 10
	// done <nil>
}

func ExampleReader_String() {
	_, err := token.NewReader([]byte(`23`)).String()
	fmt.Println(err)
	// Output: NUMBER_VALUE cannot be converted to String
}
