package dynamotest

import (
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

var listTableCases = []testCase{
	{"tables are listed by name and in pages", nil, tablePages},
	{"a page has 1 to 100 names", nil, tablePageBounds},
	{"a table counts its items at once", []string{"embedded"}, tableCounts},
}

func tablePages(s *suite) {
	var names []string
	in := &dynamodb.ListTablesInput{Limit: aws.Int32(2)}
	for {
		out, err := s.API.ListTables(s.ctx(), in)
		if err != nil {
			s.T.Fatal(err)
		}
		if len(out.TableNames) > 2 {
			s.T.Errorf("%d names of 2", len(out.TableNames))
		}
		names = append(names, out.TableNames...)
		if in.ExclusiveStartTableName = out.LastEvaluatedTableName; in.ExclusiveStartTableName == nil {
			break
		}
	}
	if !slices.IsSorted(names) {
		s.T.Errorf("names are not in order: %v", names)
	}
	own := slices.DeleteFunc(names, func(n string) bool { return !strings.HasPrefix(n, s.prefix) })
	s.equal("own tables", own, []string{s.real("A"), s.real("B"), s.real("C")})
	after := do[dynamodb.ListTablesOutput](s, "ListTables", `{ExclusiveStartTableName: %q, Limit: 1}`, s.real("A")+"A")
	s.equal("after a name that is no table's", after.TableNames, []string{s.real("B")})
}

func tablePageBounds(s *suite) {
	s.refuse("ValidationException: 1 validation error detected: Value '0' at 'limit' failed to satisfy constraint: Member must have value greater than or equal to 1", "ListTables", `{Limit: 0}`)
	s.refuse("ValidationException: 1 validation error detected: Value '101' at 'limit' failed to satisfy constraint: Member must have value less than or equal to 100", "ListTables", `{Limit: 101}`)
}

// tableCounts reads what Amazon updates every six hours.
func tableCounts(s *suite) {
	s.accept("PutItem", `{TableName: A, Item: {id: "1", tag: "t"}}`)
	s.accept("PutItem", `{TableName: A, Item: {id: "2"}}`)
	s.accept("PutItem", `{TableName: A, Item: {id: "2", x: "yz"}}`)
	d := do[dynamodb.DescribeTableOutput](s, "DescribeTable", `{TableName: A}`).Table
	s.equal("items and bytes", []int64{*d.ItemCount, *d.TableSizeBytes}, []int64{2, 7 + 6})
	g := d.GlobalSecondaryIndexes[0]
	s.equal("the index's items and bytes", []int64{*g.ItemCount, *g.IndexSizeBytes}, []int64{1, 7})
	s.accept("DeleteItem", `{TableName: A, Key: {id: "1"}}`)
	s.equal("items after a delete", *do[dynamodb.DescribeTableOutput](s, "DescribeTable", `{TableName: A}`).Table.ItemCount, 1)
}
