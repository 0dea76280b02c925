package dynamotest

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

var pagingCases = []testCase{
	{"pages of a query add up, in both directions", nil, queryPages},
	{"pages of a scan add up", nil, scanPages},
	{"segments share a table without overlap", nil, scanSegments},
	{"a start key is of its segment", nil, segmentStart},
	{"a page ends at 1 MB, before the filter", nil, largePages},
	{"a page goes on after an item that was deleted", nil, deletedStart},
}

const songs = 60

// fillSongs puts items whose index keys are often the same, once.
func fillSongs(s *suite) {
	s.T.Helper()
	if out := do[dynamodb.ScanOutput](s, "Scan", `{Limit: 1}`); out.Count > 0 {
		return
	}
	for i := range songs {
		artist := []string{"A", "B"}[i%2]
		s.accept("PutItem", `{Item: {artist: %q, song: %d, year: %d, label: %q, genre: "all"}}`, artist, (i*37)%songs, 2000+i%3, []string{"L", "M"}[i%5%2])
	}
	s.eventually("all songs are in the index", func() bool {
		return do[dynamodb.ScanOutput](s, "Scan", `{IndexName: byGenre, Select: COUNT}`).Count == songs
	})
}

// queries are the partitions to walk: the table's, and those of indexes.
var queries = []struct{ index, key, value string }{
	{"", "artist", "A"},
	{"byYear", "artist", "B"},
	{"byLabel", "label", "L"},
	{"byLabel", "label", "M"},
	{"byGenre", "genre", "all"},
}

func queryPages(s *suite) {
	fillSongs(s)
	for _, q := range queries {
		in := &dynamodb.QueryInput{
			TableName: s.table("Songs"), KeyConditionExpression: aws.String("#k = :v"),
			ExpressionAttributeNames:  map[string]string{"#k": q.key},
			ExpressionAttributeValues: item{":v": &types.AttributeValueMemberS{Value: q.value}},
		}
		if q.index != "" {
			in.IndexName = &q.index
		}
		forward := s.query(in, 0)
		if !s.ordered(forward, q.index) {
			s.T.Errorf("%v: out of order", q)
		}
		backward := slices.Clone(forward)
		slices.Reverse(backward)
		for _, limit := range []int32{1, 2, 3, 7, int32(len(forward)), int32(len(forward)) + 1} {
			in.ScanIndexForward = nil
			s.sameItems(fmt.Sprintf("%v by %d", q, limit), s.query(in, limit), forward)
			in.ScanIndexForward = aws.Bool(false)
			s.sameItems(fmt.Sprintf("%v backwards by %d", q, limit), s.query(in, limit), backward)
		}
	}
}

// query reads all pages.
func (s *suite) query(in *dynamodb.QueryInput, limit int32) []item {
	s.T.Helper()
	page := *in
	if limit > 0 {
		page.Limit = &limit
	}
	var all []item
	for {
		out, err := s.API.Query(s.ctx(), &page)
		if err != nil {
			s.T.Fatal(err)
		}
		all = append(all, out.Items...)
		if limit > 0 && out.ScannedCount == limit && out.LastEvaluatedKey == nil {
			s.T.Error("a page that ended at its limit has no LastEvaluatedKey")
		}
		if page.ExclusiveStartKey = out.LastEvaluatedKey; page.ExclusiveStartKey == nil || len(all) > songs {
			return all
		}
	}
}

// ordered reports whether items come in the order of their sort key, and of
// the local index's table key where that is the same. Amazon does not promise
// in which order the items of one global index key come.
func (s *suite) ordered(items []item, index string) bool {
	return slices.IsSortedFunc(items, func(a, b item) int {
		if index == "byGenre" {
			return 0
		}
		if index != "" {
			if c := compareNumbers(a["year"], b["year"]); c != 0 || index == "byLabel" {
				return c
			}
		}
		return compareNumbers(a["song"], b["song"])
	})
}

func compareNumbers(a, b types.AttributeValue) int { return atoi(text(a)) - atoi(text(b)) }

func (s *suite) sameItems(what string, got, want []item) {
	s.T.Helper()
	if !reflect.DeepEqual(got, want) {
		s.T.Errorf("%s: got %v, want %v", what, column(got, "song"), column(want, "song"))
	}
}

func scanPages(s *suite) {
	fillSongs(s)
	for _, index := range []string{"", "byYear", "byLabel"} {
		in := &dynamodb.ScanInput{TableName: s.table("Songs")}
		if index != "" {
			in.IndexName = &index
		}
		whole := s.scan(in, 0)
		if len(whole) != songs {
			s.T.Errorf("a scan of %q finds %d items of %d", index, len(whole), songs)
		}
		for _, limit := range []int32{1, 7, songs, songs + 1} {
			s.sameItems(fmt.Sprintf("%q by %d", index, limit), s.scan(in, limit), whole)
		}
	}
}

// scan reads all pages.
func (s *suite) scan(in *dynamodb.ScanInput, limit int32) []item {
	s.T.Helper()
	page := *in
	if limit > 0 {
		page.Limit = &limit
	}
	var all []item
	for {
		out, err := s.API.Scan(s.ctx(), &page)
		if err != nil {
			s.T.Fatal(err)
		}
		all = append(all, out.Items...)
		if page.ExclusiveStartKey = out.LastEvaluatedKey; page.ExclusiveStartKey == nil || len(all) > songs {
			return all
		}
	}
}

func scanSegments(s *suite) {
	fillSongs(s)
	for _, total := range []int32{1, 2, 5, 100} {
		for _, limit := range []int32{0, 3} {
			found := map[string]bool{}
			n := 0
			for segment := range total {
				in := &dynamodb.ScanInput{TableName: s.table("Songs"), Segment: &segment, TotalSegments: &total}
				for _, it := range s.scan(in, limit) {
					found[text(it["artist"])+text(it["song"])] = true
					n++
				}
			}
			s.equal(fmt.Sprintf("%d segments by %d: items, different ones", total, limit), []int{n, len(found)}, []int{songs, songs})
		}
	}
}

// segmentStart wants a start key in the segment that it belongs to.
func segmentStart(s *suite) {
	fillSongs(s)
	refusals := 0
	for _, segment := range []int{0, 1, 2, 3} {
		_, err := s.ask("Scan", `{Segment: %d, TotalSegments: 4, ExclusiveStartKey: {artist: "A", song: 0}}`, segment)
		if err != nil {
			refusals++
			s.refuse("ValidationException: The provided starting key is invalid", "Scan", `{Segment: %d, TotalSegments: 4, ExclusiveStartKey: {artist: "A", song: 0}}`, segment)
		}
	}
	s.equal("segments that refuse the key", refusals, 3)
}

func largePages(s *suite) {
	for i := range 12 {
		s.accept("PutItem", `{TableName: Large, Item: {id: "l", n: %d, p: "x"*100000}}`, i)
	}
	first := do[dynamodb.QueryOutput](s, "Query", `{TableName: Large, KeyConditionExpression: "id = :i", FilterExpression: "p = :none", ExpressionAttributeValues: {:i: "l", :none: "none"}, ReturnConsumedCapacity: TOTAL}`)
	if n := first.ScannedCount; n < 10 || n > 11 || first.Count != 0 || first.LastEvaluatedKey == nil {
		s.T.Errorf("first page: %d of %d items, last key %v", first.Count, n, first.LastEvaluatedKey)
	}
	if u := *first.ConsumedCapacity.CapacityUnits; u < 122 || u > 135 {
		s.T.Errorf("1 MB costs %v units", u)
	}
	scan := do[dynamodb.ScanOutput](s, "Scan", `{TableName: Large, Select: COUNT}`)
	s.equal("items of a scan's page", scan.Count, first.ScannedCount)
	all := s.scan(&dynamodb.ScanInput{TableName: s.table("Large")}, 0)
	s.equal("items of all pages", len(all), 12)
}

func deletedStart(s *suite) {
	for i := range 4 {
		s.accept("PutItem", `{TableName: Large, Item: {id: "gone", n: %d}}`, i)
	}
	query := `{TableName: Large, KeyConditionExpression: "id = :i", ExpressionAttributeValues: {:i: "gone"}, ConsistentRead: true, Limit: 2`
	first := do[dynamodb.QueryOutput](s, "Query", query+`}`)
	s.accept("DeleteItem", `{TableName: Large, Key: {id: "gone", n: 1}}`)
	rest := do[dynamodb.QueryOutput](s, "Query", query+`, ExclusiveStartKey: `+mapString(first.LastEvaluatedKey)+`}`)
	s.equal("the next page", column(rest.Items, "n"), []string{"2", "3"})
}
