package engine

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/google/go-cmp/cmp"
)

func recoveryRequest(table string, on bool, days int32) *dynamodb.UpdateContinuousBackupsInput {
	spec := &types.PointInTimeRecoverySpecification{PointInTimeRecoveryEnabled: aws.Bool(on)}
	if days != 0 {
		spec.RecoveryPeriodInDays = aws.Int32(days)
	}
	return &dynamodb.UpdateContinuousBackupsInput{TableName: aws.String(table), PointInTimeRecoverySpecification: spec}
}

// recovery turns recovery on or off; days of 0 are the default.
func recovery(t testing.TB, e *Engine, table string, on bool, days int32) *types.PointInTimeRecoveryDescription {
	t.Helper()
	out, err := e.UpdateContinuousBackups(ctx, recoveryRequest(table, on, days))
	if err != nil {
		t.Fatal(err)
	}
	return out.ContinuousBackupsDescription.PointInTimeRecoveryDescription
}

func recoveryOf(t testing.TB, e *Engine, table string) *types.PointInTimeRecoveryDescription {
	t.Helper()
	out, err := e.DescribeContinuousBackups(ctx, &dynamodb.DescribeContinuousBackupsInput{TableName: aws.String(table)})
	if err != nil {
		t.Fatal(err)
	}
	if s := out.ContinuousBackupsDescription.ContinuousBackupsStatus; s != types.ContinuousBackupsStatusEnabled {
		t.Errorf("continuous backups are %s", s)
	}
	return out.ContinuousBackupsDescription.PointInTimeRecoveryDescription
}

func TestContinuousBackups(t *testing.T) {
	fs, c := vfs.NewMem(), newClock()
	e := openStore(t, fs, c)
	create(t, e, simpleTable("table"))
	check := func(got *types.PointInTimeRecoveryDescription, earliest, latest time.Time, days int32) {
		t.Helper()
		want := &types.PointInTimeRecoveryDescription{
			PointInTimeRecoveryStatus:  types.PointInTimeRecoveryStatusEnabled,
			EarliestRestorableDateTime: &earliest, LatestRestorableDateTime: &latest, RecoveryPeriodInDays: &days,
		}
		if diff := cmp.Diff(want, got, ignoreHidden); diff != "" {
			t.Errorf("recovery (-want +got):\n%s", diff)
		}
	}
	off := &types.PointInTimeRecoveryDescription{PointInTimeRecoveryStatus: types.PointInTimeRecoveryStatusDisabled}
	if diff := cmp.Diff(off, recoveryOf(t, e, "table"), ignoreHidden); diff != "" {
		t.Errorf("recovery of a new table (-want +got):\n%s", diff)
	}

	c.move(1500 * time.Millisecond)
	on := c.now().Truncate(time.Second)
	check(recovery(t, e, "table", true, 0), on, on, 35)
	c.move(48*time.Hour + 700*time.Millisecond)
	check(recoveryOf(t, e, "table"), on, on.Add(48*time.Hour+time.Second), 35)

	// A shorter period gives up what is older, and a longer one does not
	// bring it back.
	check(recovery(t, e, "table", true, 1), on.Add(24*time.Hour+time.Second), on.Add(48*time.Hour+time.Second), 1)
	shortened := c.now().Add(-24 * time.Hour).Truncate(time.Second)
	c.move(time.Hour)
	check(recovery(t, e, "table", true, 35), shortened.Add(time.Hour), c.now().Truncate(time.Second), 35)

	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	e = openStore(t, fs, c)
	check(recoveryOf(t, e, "table"), shortened.Add(time.Hour), c.now().Truncate(time.Second), 35)

	// Turned off and on again, it begins anew.
	if diff := cmp.Diff(off, recovery(t, e, "table", false, 0), ignoreHidden); diff != "" {
		t.Errorf("recovery turned off (-want +got):\n%s", diff)
	}
	again := c.now().Truncate(time.Second)
	check(recovery(t, e, aws.ToString(describe(t, e, "table").TableArn), true, 7), again, again, 7)
	c.move(10 * 24 * time.Hour)
	check(recoveryOf(t, e, "table"), again.AddDate(0, 0, 3), again.AddDate(0, 0, 10), 7)
}

func TestContinuousBackupsRefuse(t *testing.T) {
	e := openStore(t, nil, newClock())
	create(t, e, simpleTable("table"))
	const at = " at 'pointInTimeRecoverySpecification"
	const must = "' failed to satisfy constraint: Member must "
	for _, tt := range []struct {
		in         *dynamodb.UpdateContinuousBackupsInput
		kind, want string
	}{
		{recoveryRequest("nope", true, 0), TableNotFound, "Table not found: nope"},
		{&dynamodb.UpdateContinuousBackupsInput{TableName: aws.String("table")}, Validation,
			"1 validation error detected: Value null" + at + must + "not be null"},
		{&dynamodb.UpdateContinuousBackupsInput{TableName: aws.String("table"), PointInTimeRecoverySpecification: &types.PointInTimeRecoverySpecification{}}, Validation,
			"1 validation error detected: Value null" + at + ".pointInTimeRecoveryEnabled" + must + "not be null"},
		{recoveryRequest("table", true, -1), Validation,
			"1 validation error detected: Value '-1'" + at + ".recoveryPeriodInDays" + must + "have value greater than or equal to 1"},
		{recoveryRequest("table", true, 36), Validation,
			"1 validation error detected: Value '36'" + at + ".recoveryPeriodInDays" + must + "have value less than or equal to 35"},
		{recoveryRequest("table", false, 7), Validation,
			"Invalid Request: Cannot specify RecoveryPeriodInDays when disabling point-in-time recovery."},
	} {
		_, err := e.UpdateContinuousBackups(ctx, tt.in)
		refused(t, err, tt.kind, tt.want)
	}
	_, err := e.DescribeContinuousBackups(ctx, &dynamodb.DescribeContinuousBackupsInput{TableName: aws.String("nope")})
	refused(t, err, TableNotFound, "Table not found: nope")
	if s := recoveryOf(t, e, "table").PointInTimeRecoveryStatus; s != types.PointInTimeRecoveryStatusDisabled {
		t.Errorf("recovery is %s", s)
	}
}
