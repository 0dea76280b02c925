package attr_test

import (
	"bytes"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"pressroom/dynamo/attr"
	"pressroom/dynamo/token"
)

func ExampleParseItemJSON() {
	body := []byte(`{"pk":{"S":"POST#1"},"views":{"N":"1.50e1"},"tags":{"SS":["go","aws"]}}`)
	item, err := attr.ParseItemJSON(token.NewReader(body))
	if err != nil {
		fmt.Println(err)
		return
	}
	views, _ := item.Get("views")
	fmt.Println(views.Kind(), views.Number())
	fmt.Println(item.Size(), "bytes as DynamoDB counts")
	fmt.Println(string(attr.AppendItemJSON(nil, item)))
	// Output:
	// N 15
	// 24 bytes as DynamoDB counts
	// {"pk":{"S":"POST#1"},"tags":{"SS":["aws","go"]},"views":{"N":"15"}}
}

func ExampleItemFromSDK() {
	_, err := attr.ItemFromSDK(map[string]types.AttributeValue{
		"pk":    &types.AttributeValueMemberS{Value: "POST#1"},
		"votes": &types.AttributeValueMemberNS{Value: []string{"1", "1.0"}},
	})
	fmt.Println(err)
	// Output: Input collection contains duplicates
}

func ExampleBuilder() {
	b := attr.NewBuilder(nil)
	b.Set("title", attr.NewString("Hello"))
	b.Set("views", attr.NewInt(41))
	old := b.Item()

	views, _ := old.Get("views")
	more, _ := attr.Add(views, attr.NewInt(1))
	b.Reset(old)
	b.Set("views", more)
	b.Delete("title")
	fmt.Println(string(attr.AppendItemJSON(nil, b.Item())))
	// Output: {"views":{"N":"42"}}
}

func ExampleAppendKey() {
	low := attr.AppendKey(nil, attr.NewInt(-20))
	high := attr.AppendKey(nil, attr.NewInt(3))
	fmt.Println(bytes.Compare(low, high))

	v, rest, err := attr.DecodeKey(attr.Number, append(low, "and more"...))
	fmt.Println(v.Number(), string(rest), err)
	// Output:
	// -1
	// -20 and more <nil>
}
