package engine

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Whoever sees a restored table ACTIVE may delete the backup that it came from at
// once: the backup is let go of before the table shows, not a moment after.
func TestRestoreLetsGoOfItsBackup(t *testing.T) {
	e := openStore(t, nil, newClock())
	create(t, e, simpleTable("table"))
	put(t, e, "table", item("pk", "a"))
	arn := backUp(t, e, "table", "name")
	id := arn[strings.LastIndex(arn, "/")+1:]
	b, err := e.findBackup(&arn)
	if err != nil {
		t.Fatal(err)
	}
	like, err := new(overrides).table(&b.Source)
	if err != nil {
		t.Fatal(err)
	}
	var released, late atomic.Bool
	summary := &types.RestoreSummary{RestoreDateTime: aws.Time(e.now()), RestoreInProgress: aws.Bool(true), SourceBackupArn: &arn}
	_, err = e.startRestore(like, "target", summary, func(def *restoreDef) (*restoreSource, error) {
		def.Backup = id
		src, err := e.backupSource(id, "target")
		if err != nil {
			return nil, err
		}
		done := src.done
		src.done = func() {
			late.Store(e.catalog.get("target") != nil)
			done()
			released.Store(true)
		}
		return src, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	active(t, e, "target")
	if !released.Load() || late.Load() {
		t.Errorf("the table is ACTIVE: its backup was let go of %t, after the table showed %t", released.Load(), late.Load())
	}
	if _, err := e.DeleteBackup(ctx, &dynamodb.DeleteBackupInput{BackupArn: &arn}); err != nil {
		t.Errorf("delete the backup of an ACTIVE table: %v", err)
	}
}
