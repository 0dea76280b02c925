package engine

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

func TestParseARN(t *testing.T) {
	const table = "arn:aws:dynamodb:eu-west-1:000000000000:table/Music"
	for s, want := range map[string]arn{
		table:                            {"eu-west-1", "000000000000", "Music", "", ""},
		table + "/index/by-year":         {"eu-west-1", "000000000000", "Music", "index", "by-year"},
		table + "/stream/2026-11-15T09:": {"eu-west-1", "000000000000", "Music", "stream", "2026-11-15T09:"},
		table + "/backup/017-0a":         {"eu-west-1", "000000000000", "Music", "backup", "017-0a"},
	} {
		if got, ok := parseARN(s); !ok || got != want {
			t.Errorf("parseARN(%q) = %+v, %v", s, got, ok)
		}
	}
	for _, s := range []string{"", "Music", "arn:aws:dynamodb", "arn:aws:s3:r:a:table/Music", "arn:aws:dynamodb:r:a:global-table/Music", "arn:aws:dynamodb:r:a:table/", "arn:aws:dynamodb:r:a:table/x!y"} {
		if got, ok := parseARN(s); ok {
			t.Errorf("parseARN(%q) = %+v", s, got)
		}
	}
}

// An ARN names a table of one account and region; that of nobody stands for the
// store's own.
func TestForeignARN(t *testing.T) {
	e := openStore(t, nil, newClock())
	create(t, e, simpleTable("table"))
	remove := func(arn string) error {
		_, err := e.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: aws.String(arn)})
		return err
	}
	const other = "arn:aws:dynamodb:us-east-1:999999999999:table/table"
	refused(t, remove(other), AccessDenied, "User: arn:aws:iam::000000000001:root is not authorized to access the resource: "+other+" because no resource-based policy allows it")
	refused(t, remove("arn:aws:dynamodb:eu-west-1:000000000001:table/table"), NotFound, "Requested resource not found")
	if err := remove("arn:aws:dynamodb:us-east-1:000000000000:table/table"); err != nil {
		t.Error(err)
	}
}
