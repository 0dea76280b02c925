package engine

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/cockroachdb/pebble/v2/vfs"

	"pressroom/atrest"
	"pressroom/guard/guardtest"
)

// TestFlippedBit flips one bit at a time in every file of a directory. Opening,
// reading or Verify notices it, or all that is stored is as it was.
func TestFlippedBit(t *testing.T) {
	guardtest.Flips[*Engine]{
		Dir: "db",
		Open: func(fs vfs.FS, keys *atrest.Keys) (*Engine, error) {
			o := quietOptions(fs)
			o.Keys = keys
			return Open("db", o)
		},
		Fill: fillForFlips,
		Verify: func(e *Engine) (found []string, err error) {
			err = e.Verify(context.Background(), func(p Problem) { found = append(found, p.String()) })
			return found, err
		},
		Dump: dump,
	}.Run(t, guardtest.Few(240))
}

// fillForFlips makes something of everything.
func fillForFlips(t *testing.T, e *Engine) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(createCrashTable(e))
	put := func(n int) {
		t.Helper()
		_, err := e.PutItem(context.Background(), &PutItem{TableName: aws.String(crashTable), Item: itemOf(
			"pk", str(fmt.Sprint("p", n%7)), "sk", num(n), "n", num(-n), "text", str(strings.Repeat(fmt.Sprint("text ", n), 20)))})
		must(err)
	}
	for n := range 60 {
		put(n)
	}
	must(e.db.Flush())
	_, err := e.UpdateContinuousBackups(context.Background(), &dynamodb.UpdateContinuousBackupsInput{
		TableName: aws.String(crashTable), PointInTimeRecoverySpecification: &types.PointInTimeRecoverySpecification{PointInTimeRecoveryEnabled: aws.Bool(true)}})
	must(err)
	_, err = e.CreateBackup(context.Background(), &dynamodb.CreateBackupInput{TableName: aws.String(crashTable), BackupName: aws.String("saved")})
	must(err)
	must(compactAll(e))
	for n := 50; n < 90; n++ {
		put(n)
	}
	must(e.db.Flush())
	for w := range 3 {
		for n := range 4 {
			must(writeNext(e, w, n+1))
		}
	}
	for n := 85; n < 120; n++ {
		put(n)
	}
}

// dump reads all that is stored.
func dump(e *Engine) (map[string]string, error) {
	it, err := e.db.NewIter(nil)
	if err != nil {
		return nil, err
	}
	all := map[string]string{}
	for ok := it.First(); ok; ok = it.Next() {
		all[string(it.Key())] = string(it.Value())
	}
	return all, it.Close()
}
