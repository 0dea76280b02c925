package model_test

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"pressroom/model"
	"pressroom/model/deploy"
)

// While an index is made anew, its lists answer from the table: the same, in the same
// order and pages.
func TestWithoutIndex(t *testing.T) {
	l := openLibrary(t)
	fillBooks(t, l)
	read := func() []string {
		t.Helper()
		var all []string
		v := must(model.NewView[outBook](l.db, l.table, "Out", options))
		for o := (model.PageOptions{Limit: 2}); ; {
			page, err := v.Page(t.Context(), nil, o)
			check(t, err, nil)
			for _, b := range page.Items {
				all = append(all, b.ID)
			}
			if o.Cursor = page.Next; o.Cursor == "" {
				return all
			}
		}
	}
	want := read()
	pattern, _ := l.table.Pattern("Out")
	_, err := l.db.UpdateTable(t.Context(), &dynamodb.UpdateTableInput{TableName: &l.table.Name,
		GlobalSecondaryIndexUpdates: []types.GlobalSecondaryIndexUpdate{{Delete: &types.DeleteGlobalSecondaryIndexAction{IndexName: aws.String(pattern.Index)}}}})
	check(t, err, nil)
	if diff := cmp.Diff(want, read()); diff != "" || len(want) < 3 {
		t.Errorf("without its index a list of %s has %s", strings.Join(want, " "), diff)
	}
}

// An index with other attributes is made anew if that is said, and only then.
func TestReplaceIndex(t *testing.T) {
	l := openLibrary(t)
	fillBooks(t, l)
	s := model.Shelf()
	s.Buckets = nil
	pattern, _ := s.Tables[0].Pattern("Out")
	x, _ := s.Tables[0].Index(pattern.Index)
	x.Include = append(x.Include, "isbn")
	st := deploy.Store{Tables: l.db}
	plan := must(deploy.Prepare(t.Context(), st, s))
	if len(plan.Problems) != 1 || !strings.Contains(plan.Problems[0], "projects other attributes") {
		t.Fatalf("problems: %q", plan.Problems)
	}
	st.ReplaceIndexes = true
	check(t, deploy.Apply(t.Context(), st, nil, s), nil)
	if plan = must(deploy.Prepare(t.Context(), st, s)); len(plan.Steps)+len(plan.Problems) != 0 {
		t.Errorf("left to do: %+v", plan)
	}
}
