package ops

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"pressroom/internal/errs"
	"pressroom/model"
)

func formatFloat(f float64) string { return strconv.FormatFloat(f, 'f', 1, 64) }

// noScans are tables that refuse what a list must not do.
type noScans struct{ model.DB }

func (noScans) Scan(context.Context, *dynamodb.ScanInput, ...func(*dynamodb.Options)) (*dynamodb.ScanOutput, error) {
	return nil, errors.New("a list scans")
}

func TestBrowser(t *testing.T) {
	db := openTables(t, Schema)
	s := newScheduler(t, db, "one", Job{Name: "tick", Run: func(context.Context, *Progress) error { return nil }})
	for i := range 7 {
		if err := s.Record(t.Context(), Action{Who: "ann", What: "retry", Subject: "task", Why: fmt.Sprint(i)}); err != nil {
			t.Fatal(err)
		}
	}
	b := NewBrowser(noScans{db}, BrowserOptions{CursorKey: cursorKey, Hide: func(_, _, field string) bool { return field == "who" }}, Schema)
	tables := b.Tables()
	if len(tables) != 1 || len(tables[0].Entities) != 7 || len(tables[0].Questions) != 10 {
		t.Errorf("tables: %+v", tables)
	}
	var got []string
	cursor := ""
	for pages := 1; ; pages++ {
		page, err := b.Ask(t.Context(), "Operations", "ActionsOn", Values{"subject": "task"}, PageOptions{Limit: 3, Cursor: cursor})
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range page.Items {
			if row.Entity != "Action" || len(row.Keys) != 2 || row.Keys[1].Values["subject"] != "task" {
				t.Errorf("row: %+v", row)
			}
			for _, f := range row.Fields {
				if f.Name == "why" {
					got = append(got, f.Text)
				}
				if f.Name == "who" && (f.Text != mask || !f.Hidden) {
					t.Errorf("the hidden field shows %q", f.Text)
				}
			}
		}
		if cursor = page.Next; cursor == "" {
			if pages != 3 {
				t.Errorf("seven rows in pages of three are %d pages", pages)
			}
			break
		}
	}
	if diff := cmp.Diff([]string{"6", "5", "4", "3", "2", "1", "0"}, got); diff != "" {
		t.Error(diff)
	}
	for _, tt := range []struct {
		table, question string
		args            Values
		cursor          string
		want            error
		field           string
	}{
		{"Operations", "Nothing", nil, "", errs.NotFound, ""},
		{"Nothing", "Actions", nil, "", errs.NotFound, ""},
		{"Operations", "ClaimJob", nil, "", errs.NotFound, ""},
		{"Operations", "ActionsOn", nil, "", errs.Invalid, "subject"},
		{"Operations", "Actions", Values{"x": "1"}, "", errs.Invalid, "x"},
		{"Operations", "Actions", nil, "forged", errs.Malformed, "cursor"},
	} {
		_, err := b.Ask(t.Context(), tt.table, tt.question, tt.args, PageOptions{Cursor: tt.cursor})
		if !errors.Is(err, tt.want) || tt.field != "" && errs.Fields(err)[0].Name != tt.field {
			t.Errorf("%+v: %v", tt, err)
		}
	}
	if page, err := b.Ask(t.Context(), "Operations", "GetJob", Values{"job": "nothing"}, PageOptions{}); err != nil || len(page.Items) != 0 {
		t.Errorf("a job that is not there: %+v, %v", page, err)
	}
	if err := s.Pause(t.Context(), "tick", "ann", ""); err != nil {
		t.Fatal(err)
	}
	row, err := b.Item(t.Context(), "Operations", "Job", Values{"job": "tick"})
	if err != nil || row.Entity != "Job" {
		t.Errorf("the job: %+v, %v", row, err)
	}
	if _, err := b.Item(t.Context(), "Operations", "Job", Values{"job": "other"}); !errors.Is(err, errs.NotFound) {
		t.Errorf("another job: %v", err)
	}
}

func TestSecretsAreHidden(t *testing.T) {
	for field, hidden := range map[string]bool{"password": true, "api_token": true, "Secret": true, "title": false, "hash": false, "name": false} {
		if got := isSecret("", "", field); got != hidden {
			t.Errorf("%s: %v", field, got)
		}
	}
}

// Every item that does not fit the schema is found, and no other.
func TestSchemaChecker(t *testing.T) {
	db := openTables(t, Schema)
	s := newScheduler(t, db, "one", Job{Name: "tick", Run: func(context.Context, *Progress) error { return nil }})
	if err := s.RunNow(t.Context(), "tick", "ann", ""); err != nil {
		t.Fatal(err)
	}
	if ran, err := s.try(t.Context(), s.jobs[0]); !ran || err != nil {
		t.Fatal(ran, err)
	}
	found := func() []string {
		var all []string
		err := Check(t.Context(), func(f Finding) { all = append(all, f.String()) },
			NamedChecker{"items", SchemaChecker(db, Schema)},
			NamedChecker{"broken", CheckFunc(func(context.Context, func(Finding)) error { return errors.New("away") })})
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	if got := found(); len(got) != 1 || got[0] != "broken: the check could not be made to its end: away" {
		t.Errorf("a sound table: %q", got)
	}
	text := func(v string) types.AttributeValue { return &types.AttributeValueMemberS{Value: v} }
	number := func(v string) types.AttributeValue { return &types.AttributeValueMemberN{Value: v} }
	for _, item := range []model.Raw{
		{"pk": text("NOBODY"), "sk": text("KNOWS")},
		{"pk": text("JOB#a"), "sk": text("STATE"), "job": text("a"), "paused": text("yes"), "failures": number("0"), "version": number("1")},
		{"pk": text("JOB#b"), "sk": text("STATE"), "job": text("other"), "paused": &types.AttributeValueMemberBOOL{}, "failures": number("0"), "version": number("1")},
		{"pk": text("JOB#c"), "sk": text("RUN#1"), "job": text("c"), "run": text("1"), "state": text("odd"), "owner": text("o"), "started": text("2026-11-15T00:00:00.000Z"),
			"done": number("0"), "total": number("0"), "ttl": number("1"), "version": number("1")},
	} {
		if _, err := db.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("Operations"), Item: item}); err != nil {
			t.Fatal(err)
		}
	}
	got := strings.Join(found(), "\n")
	for _, want := range []string{
		"items Operations pk=NOBODY sk=KNOWS: no entity of the schema has such a key",
		"pk=JOB#a sk=STATE: Job: paused is of type S, not BOOL",
		`pk=JOB#b sk=STATE: Job: pk is "JOB#b", its fields make it "JOB#other"`,
		`pk=JOB#c sk=RUN#1: Run: state is "odd", none of running, done, failed, lost`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not among\n%s", want, got)
		}
	}
	if n := strings.Count(got, "\n"); n != 4 {
		t.Errorf("it found too much:\n%s", got)
	}
}
