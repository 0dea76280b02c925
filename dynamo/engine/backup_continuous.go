package engine

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// DescribeContinuousBackups tells whether a table can be restored to a moment
// of the past, and to which.
func (e *Engine) DescribeContinuousBackups(ctx context.Context, in *dynamodb.DescribeContinuousBackupsInput) (*dynamodb.DescribeContinuousBackupsOutput, error) {
	if err := e.enter(ctx); err != nil {
		return nil, err
	}
	defer e.store.Leave()
	if err := checkTableName(in.TableName); err != nil {
		return nil, err
	}
	t, err := e.recoverable(*in.TableName)
	if err != nil {
		return nil, err
	}
	return &dynamodb.DescribeContinuousBackupsOutput{ContinuousBackupsDescription: e.describeRecovery(t)}, nil
}

// recoverable finds a table for an operation on backups, which have an error
// of their own for one that is not there.
func (e *Engine) recoverable(nameOrARN string) (*table, error) {
	name, err := e.tableName(nameOrARN)
	if err != nil {
		return nil, err
	}
	if t := e.catalog.get(name); t != nil {
		return t, nil
	}
	return nil, newError(TableNotFound, "Table not found: %s", name)
}

// describeRecovery describes the recovery of a table. Backups on demand can
// be made of every table, so that continuous backups are always enabled.
func (e *Engine) describeRecovery(t *table) *types.ContinuousBackupsDescription {
	r := t.shape.Load().def.Recovery
	d := &types.PointInTimeRecoveryDescription{PointInTimeRecoveryStatus: types.PointInTimeRecoveryStatusDisabled}
	if r.Enabled {
		now := e.now()
		d.PointInTimeRecoveryStatus = types.PointInTimeRecoveryStatusEnabled
		d.EarliestRestorableDateTime, d.LatestRestorableDateTime = aws.Time(r.earliest(now)), aws.Time(second(now))
		d.RecoveryPeriodInDays = aws.Int32(r.Days)
	}
	return &types.ContinuousBackupsDescription{ContinuousBackupsStatus: types.ContinuousBackupsStatusEnabled, PointInTimeRecoveryDescription: d}
}

// A table is restored to the end of a second: with all that was written in
// it, and nothing that was written later.

func second(t time.Time) time.Time { return t.UTC().Truncate(time.Second) }

// earliest returns the first second that the log reaches back to.
func (r recoveryDef) earliest(now time.Time) time.Time {
	oldest := now.AddDate(0, 0, -int(r.Days))
	if oldest.Before(r.Since) {
		oldest = r.Since
	}
	return second(oldest)
}

// UpdateContinuousBackups turns point-in-time recovery on or off, or changes
// how far it reaches back.
func (e *Engine) UpdateContinuousBackups(ctx context.Context, in *dynamodb.UpdateContinuousBackupsInput) (*dynamodb.UpdateContinuousBackupsOutput, error) {
	if err := e.enter(ctx); err != nil {
		return nil, err
	}
	defer e.store.Leave()
	if err := validateRecovery(in); err != nil {
		return nil, err
	}
	t, err := e.recoverable(*in.TableName)
	if err != nil {
		return nil, err
	}
	spec := in.PointInTimeRecoverySpecification
	err = e.alter(t, func(def *tableDef) error {
		def.Recovery.change(*spec.PointInTimeRecoveryEnabled, spec.RecoveryPeriodInDays, e.now())
		return nil
	}, nil)
	if err != nil {
		return nil, err
	}
	return &dynamodb.UpdateContinuousBackupsOutput{ContinuousBackupsDescription: e.describeRecovery(t)}, nil
}

func validateRecovery(in *dynamodb.UpdateContinuousBackupsInput) error {
	if err := checkTableName(in.TableName); err != nil {
		return err
	}
	const at = "pointInTimeRecoverySpecification"
	var c checks
	s := in.PointInTimeRecoverySpecification
	if s == nil {
		c.present(at, false)
		return c.err()
	}
	c.present(at+".pointInTimeRecoveryEnabled", s.PointInTimeRecoveryEnabled != nil)
	c.atLeast(at+".recoveryPeriodInDays", s.RecoveryPeriodInDays, 1)
	c.atMost(at+".recoveryPeriodInDays", s.RecoveryPeriodInDays, maxRecoveryDays)
	if err := c.err(); err != nil {
		return err
	}
	if s.RecoveryPeriodInDays != nil && !*s.PointInTimeRecoveryEnabled {
		return invalid("Invalid Request: Cannot specify RecoveryPeriodInDays when disabling point-in-time recovery.")
	}
	return nil
}

// change turns recovery on or off. What a shorter period has let go does not
// come back with a longer one.
func (r *recoveryDef) change(on bool, days *int32, now time.Time) {
	if !on {
		*r = recoveryDef{}
		return
	}
	if r.Enabled {
		r.Since = r.earliest(now)
	} else {
		r.Since = now.UTC()
	}
	r.Enabled, r.Days = true, maxRecoveryDays
	if days != nil {
		r.Days = *days
	}
}
