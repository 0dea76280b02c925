package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/cockroachdb/pebble/v2"
)

// A restore fills a new table in the background: with the rows of a backup,
// or with those that the source has now and the changes after the moment
// undone, newest first. Until it is whole the table's name is taken, its
// description says CREATING, and nobody can use it. A crash on the way leaves
// the definition with what it is restored from, and opening the store begins
// the work again.

// restoreDef says what a table is being restored from.
type restoreDef struct {
	// Backup is the id of a backup, or empty.
	Backup string `json:",omitempty"`
	// Source is the table to be restored to a moment; Until is the last
	// change that the restored table has seen.
	Source tableID `json:",omitzero"`
	Until  uint64  `json:",omitzero"`
	// Import is the job that fills the table, or empty.
	Import string `json:",omitempty"`
}

// RestoreTableToPointInTime makes a new table of what a table was at the end
// of a second.
func (e *Engine) RestoreTableToPointInTime(ctx context.Context, in *dynamodb.RestoreTableToPointInTimeInput) (*dynamodb.RestoreTableToPointInTimeOutput, error) {
	if err := e.enter(ctx); err != nil {
		return nil, err
	}
	defer e.store.Leave()
	source, err := e.validatePointInTime(in)
	if err != nil {
		return nil, err
	}
	t, err := e.recoverable(source)
	if err != nil {
		return nil, err
	}
	until, at, err := e.restorePoint(t, in)
	if err != nil {
		return nil, err
	}
	d := e.describe(t)
	o := overrides{
		mode: in.BillingModeOverride, units: in.ProvisionedThroughputOverride, onDemand: in.OnDemandThroughputOverride,
		local: in.LocalSecondaryIndexOverride, global: in.GlobalSecondaryIndexOverride, encryption: in.SSESpecificationOverride,
	}
	create, err := o.table(d)
	if err != nil {
		return nil, err
	}
	name, err := e.tableName(*in.TargetTableName)
	if err != nil {
		return nil, err
	}
	summary := &types.RestoreSummary{RestoreDateTime: aws.Time(at), RestoreInProgress: aws.Bool(true), SourceTableArn: d.TableArn}
	out, err := e.startRestore(create, name, summary, func(def *restoreDef) (*restoreSource, error) {
		src, err := e.sourceNow(t)
		if err == nil {
			def.Source, def.Until = t.id, min(until, src.issued)
			src.until = def.Until
		}
		return src, err
	})
	if err != nil {
		return nil, err
	}
	return &dynamodb.RestoreTableToPointInTimeOutput{TableDescription: out}, nil
}

// restorePoint returns the last number that belongs to the moment that the
// request asks for, and the moment.
func (e *Engine) restorePoint(t *table, in *dynamodb.RestoreTableToPointInTimeInput) (until uint64, at time.Time, err error) {
	r := t.shape.Load().def.Recovery
	if !r.Enabled {
		return 0, at, newError(RecoveryUnavailable, "Point in time recovery is not enabled for table '%s'", t.name)
	}
	now := e.now()
	if in.RestoreDateTime == nil {
		return math.MaxUint64, second(now), nil
	}
	at = second(*in.RestoreDateTime)
	earliest, latest := r.earliest(now), second(now)
	if at.Before(earliest) || at.After(latest) {
		return 0, at, newError(InvalidRestoreTime, "RestoreDateTime '%s' must be within EarliestRestorableDateTime '%s' and LatestRestorableDateTime '%s'",
			at.Format(time.RFC3339), earliest.Format(time.RFC3339), latest.Format(time.RFC3339))
	}
	return uint64(at.Add(time.Second).UnixMicro()) - 1, at, nil
}

// RestoreTableFromBackup makes a new table of a backup.
func (e *Engine) RestoreTableFromBackup(ctx context.Context, in *dynamodb.RestoreTableFromBackupInput) (*dynamodb.RestoreTableFromBackupOutput, error) {
	if err := e.enter(ctx); err != nil {
		return nil, err
	}
	defer e.store.Leave()
	if err := validateFromBackup(in); err != nil {
		return nil, err
	}
	b, err := e.findBackup(in.BackupArn)
	if err != nil {
		return nil, err
	}
	o := overrides{
		mode: in.BillingModeOverride, units: in.ProvisionedThroughputOverride, onDemand: in.OnDemandThroughputOverride,
		local: in.LocalSecondaryIndexOverride, global: in.GlobalSecondaryIndexOverride, encryption: in.SSESpecificationOverride,
	}
	create, err := o.table(&b.Source)
	if err != nil {
		return nil, err
	}
	details := b.Desc.BackupDetails
	summary := &types.RestoreSummary{
		RestoreDateTime: details.BackupCreationDateTime, RestoreInProgress: aws.Bool(true),
		SourceBackupArn: details.BackupArn, SourceTableArn: b.Source.TableArn,
	}
	name, err := e.tableName(*in.TargetTableName)
	if err != nil {
		return nil, err
	}
	out, err := e.startRestore(create, name, summary, func(def *restoreDef) (*restoreSource, error) {
		def.Backup = b.ID
		return e.backupSource(b.ID, name)
	})
	if err != nil {
		return nil, err
	}
	return &dynamodb.RestoreTableFromBackupOutput{TableDescription: out}, nil
}

// startRestore enters the table and begins to fill it from what open gives.
func (e *Engine) startRestore(create *dynamodb.CreateTableInput, name string, summary *types.RestoreSummary, open func(*restoreDef) (*restoreSource, error)) (*types.TableDescription, error) {
	e.catalog.mu.Lock()
	defer e.catalog.mu.Unlock()
	if e.catalog.get(name) != nil {
		return nil, newError(TableExists, "Table already exists: %s", name)
	}
	if busy := e.catalog.restoring[name]; busy != nil {
		from := ""
		if s := busy.shape.Load().def.Desc.RestoreSummary; s != nil {
			from = aws.ToString(s.SourceBackupArn)
		}
		return nil, newError(TableInUse, "Table: %s is already being restored from backup: %s", name, from)
	}
	def := e.define(create, name)
	def.Restore = new(restoreDef)
	src, err := open(def.Restore)
	if err != nil {
		return nil, err
	}
	def.Desc.TableStatus, def.Desc.RestoreSummary = types.TableStatusCreating, summary
	for i := range def.Desc.GlobalSecondaryIndexes {
		def.Desc.GlobalSecondaryIndexes[i].IndexStatus = types.IndexStatusCreating
	}
	t, err := e.addTable(def)
	if err != nil {
		src.close()
		return nil, err
	}
	e.catalog.restoring[name] = t
	e.runRestore(t, src)
	return e.describe(t), nil
}

// resumeRestores begins again with the restores that were under way when the
// store was closed. Those whose source is gone are given up.
func (e *Engine) resumeRestores() {
	e.catalog.mu.Lock()
	tables := slices.Collect(maps.Values(e.catalog.restoring))
	e.catalog.mu.Unlock()
	for _, t := range tables {
		if t.shape.Load().def.Restore.Import != "" {
			continue // its job goes on with it
		}
		src, err := e.reopenSource(t)
		if err != nil {
			e.opts.Logger.Error("a table cannot be restored any more", "table", t.name, "err", err)
			e.dropRestore(t)
			continue
		}
		e.runRestore(t, src)
	}
}

func (e *Engine) reopenSource(t *table) (*restoreSource, error) {
	def := t.shape.Load().def.Restore
	if def.Backup != "" {
		return e.backupSource(def.Backup, t.name)
	}
	for _, source := range *e.catalog.tables.Load() {
		if source.id != def.Source {
			continue
		}
		r := source.shape.Load().def.Recovery
		if !r.Enabled || sequenceTime(def.Until).Before(r.earliest(e.now())) {
			return nil, errors.New("the change log of its source does not reach back far enough")
		}
		src, err := e.sourceNow(source)
		if err == nil {
			src.until = def.Until
		}
		return src, err
	}
	return nil, errors.New("its source has been deleted")
}

// runRestore fills the table in the background and then opens it to all.
func (e *Engine) runRestore(t *table, src *restoreSource) {
	e.background(func() {
		defer src.close()
		err := e.fillTable(t, src)
		if err == nil {
			err = e.openRestored(t, src)
		}
		switch {
		case err == nil, errors.Is(err, errStopped):
		case e.store.GoOn() != nil || e.closed.Load():
			// Opening the store again begins again.
		default:
			e.opts.Logger.Error("restore a table", "table", t.name, "err", err)
			e.dropRestore(t)
		}
	})
}

// openRestored makes a table that has been filled an ordinary one.
func (e *Engine) openRestored(t *table, src *restoreSource) error {
	e.catalog.mu.Lock()
	defer e.catalog.mu.Unlock()
	err := e.alter(t, func(def *tableDef) error {
		def.Restore, def.Desc.RestoreSummary = nil, nil
		def.Desc.TableStatus = types.TableStatusActive
		for i := range def.Desc.GlobalSecondaryIndexes {
			def.Desc.GlobalSecondaryIndexes[i].IndexStatus = types.IndexStatusActive
		}
		return nil
	}, nil)
	if err != nil {
		return err
	}
	// Whoever sees the table ACTIVE may delete the backup that it came from.
	src.close()
	delete(e.catalog.restoring, t.name)
	e.catalog.put(t)
	return nil
}

// dropRestore removes a table that cannot be filled.
func (e *Engine) dropRestore(t *table) {
	b := e.db.NewBatch()
	defer func() { _ = b.Close() }()
	prefix := appendTable(nil, spaceRow, t.id)
	err := b.DeleteRange(prefix, prefixEnd(prefix), nil)
	if err == nil {
		err = b.Delete(catalogKey(t.id), nil)
	}
	if err == nil {
		err = e.remove(b)
	}
	if err != nil {
		e.opts.Logger.Error("remove a table that cannot be restored", "table", t.name, "err", err)
		return
	}
	e.catalog.mu.Lock()
	defer e.catalog.mu.Unlock()
	delete(e.catalog.restoring, t.name)
}

// restoreSource is where a restore reads from.
type restoreSource struct {
	rows   pebble.Reader
	prefix []byte // of the rows
	// log, if set, holds the changes of the table, of which those after
	// until are undone; issued is the last of them.
	log           *pebble.Snapshot
	table         tableID
	until, issued uint64
	done          func()
}

// close lets go of the source; a second call does nothing.
func (s *restoreSource) close() {
	if s.done != nil {
		s.done()
		s.done = nil
	}
}

// sourceNow returns the table as it is at this moment, with its log.
func (e *Engine) sourceNow(t *table) (*restoreSource, error) {
	// Every number that has been issued belongs to a write that the snapshot
	// shows: writes hold the lock until their batch is applied.
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.gone {
		return nil, newError(TableNotFound, "Table not found: %s", t.name)
	}
	snap := e.snapshot()
	return &restoreSource{
		rows: snap, log: snap, prefix: appendRowPrefix(nil, t.id, baseIndex), table: t.id, issued: t.seq.issued(),
		done: func() { _ = snap.Close() },
	}, nil
}

// backupSource returns the rows of a backup, which nobody else can restore
// from or delete until the source is closed.
func (e *Engine) backupSource(id, target string) (*restoreSource, error) {
	s := &e.backups
	s.mu.Lock()
	defer s.mu.Unlock()
	def := s.all[id]
	if def == nil {
		return nil, newError(BackupNotFound, "Backup not found: %s", id)
	}
	arn := aws.ToString(def.Desc.BackupDetails.BackupArn)
	if _, busy := s.busy[id]; busy {
		return nil, newError(BackupInUse, "Backup is being used to restore another table: %s", arn)
	}
	s.busy[id] = target
	return &restoreSource{rows: e.db, prefix: def.prefix(), done: func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.busy, id)
	}}, nil
}

// fillTable copies the rows, undoes the changes after the moment, and makes
// the index entries. It begins by removing what an earlier attempt has left.
func (e *Engine) fillTable(t *table, src *restoreSource) error {
	w := e.newBulk()
	w.patient = true
	defer w.close()
	all := appendTable(nil, spaceRow, t.id)
	if err := w.b.DeleteRange(all, prefixEnd(all), nil); err != nil {
		return err
	}
	to := appendRowPrefix(nil, t.id, baseIndex)
	err := e.eachStored(context.Background(), src.rows, src.prefix, func(key, value []byte) error {
		return w.set(append(to[:len(to):len(to)], key...), value)
	})
	if err != nil {
		return fmt.Errorf("copy rows: %w", err)
	}
	if src.log != nil {
		if err := e.undo(w, t, src); err != nil {
			return fmt.Errorf("undo changes: %w", err)
		}
	}
	if err := w.flush(); err != nil {
		return err
	}
	return e.enterRows(w, t)
}
