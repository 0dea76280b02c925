package engine

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/cockroachdb/pebble/v2"
)

// DeleteTable deletes a table. The answer says DELETING, as in the service;
// the table is gone when the answer is there. Its streams can be read for
// another day, and if it had point-in-time recovery, its last state is kept
// as a system backup for 35 days.
func (e *Engine) DeleteTable(ctx context.Context, in *dynamodb.DeleteTableInput) (*dynamodb.DeleteTableOutput, error) {
	if err := e.enter(ctx); err != nil {
		return nil, err
	}
	defer e.store.Leave()
	if err := checkTableName(in.TableName); err != nil {
		return nil, err
	}
	name, err := e.tableName(*in.TableName)
	if err != nil {
		return nil, err
	}
	e.catalog.mu.Lock()
	defer e.catalog.mu.Unlock()
	t := e.catalog.get(name)
	switch {
	case t == nil && e.catalog.restoring[name] != nil:
		return nil, stillInUse("Table is being created: %s", name)
	case t == nil:
		return nil, tableNotFound(name)
	}
	d, err := e.deleteTable(t)
	if err != nil {
		return nil, err
	}
	return &dynamodb.DeleteTableOutput{TableDescription: d}, nil
}

func stillInUse(format string, args ...any) error {
	return newError(InUse, "Attempt to change a resource which is still in use: "+format, args...)
}

// deleteTable removes the table; the caller holds the catalog's lock.
func (e *Engine) deleteTable(t *table) (*types.TableDescription, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	d := e.describe(t)
	if aws.ToBool(d.DeletionProtectionEnabled) {
		return nil, invalid("Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection first.")
	}
	for _, g := range d.GlobalSecondaryIndexes {
		if g.IndexStatus != types.IndexStatusActive {
			return nil, stillInUse("Cannot delete table while indexes are being created, updated, or deleted.")
		}
	}
	rest := t.shape.Load().def.clone()
	e.closeStream(rest, t.seq.issued())
	rest.dropStreams(e.now())
	rest.Deleted = e.moment()
	b := e.db.NewBatch()
	defer func() { _ = b.Close() }()
	kept, err := e.stageDelete(b, t, rest, d)
	if err != nil {
		return nil, err
	}
	if err := e.remove(b); err != nil {
		return nil, err
	}
	t.gone = true
	e.catalog.remove(t)
	if kept != nil {
		e.backups.put(kept)
	}
	if len(rest.Streams) > 0 {
		t.shape.Store(compile(rest, nil))
		e.catalog.deleted[t.id] = t
	}
	return deleting(d), nil
}

// stageDelete removes what the table has stored, except for what its streams
// and its system backup, which it returns, still need.
func (e *Engine) stageDelete(b *pebble.Batch, t *table, rest *tableDef, d *types.TableDescription) (*backupDef, error) {
	drop := func(prefix []byte) error { return b.DeleteRange(prefix, prefixEnd(prefix), nil) }
	var kept *backupDef
	if rest.Recovery.Enabled {
		kept = e.systemBackup(t, d)
		if err := stageBackup(b, kept); err != nil {
			return nil, err
		}
		if err := b.DeleteRange(appendRowPrefix(nil, t.id, baseIndex+1), prefixEnd(appendTable(nil, spaceRow, t.id)), nil); err != nil {
			return nil, err
		}
	} else if err := drop(appendTable(nil, spaceRow, t.id)); err != nil {
		return nil, err
	}
	if err := drop(appendTable(nil, spaceExpiry, t.id)); err != nil {
		return nil, err
	}
	if len(rest.Streams) > 0 {
		return kept, stageDef(b, rest)
	}
	if err := drop(appendTable(nil, spaceChange, t.id)); err != nil {
		return nil, err
	}
	return kept, b.Delete(catalogKey(t.id), nil)
}

// deleting makes of a description the answer to DeleteTable, which says
// nothing any more of keys and indexes.
func deleting(d *types.TableDescription) *types.TableDescription {
	d.TableStatus = types.TableStatusDeleting
	d.CreationDateTime, d.KeySchema, d.AttributeDefinitions = nil, nil, nil
	d.LocalSecondaryIndexes, d.GlobalSecondaryIndexes = nil, nil
	return d
}

// forgetDeleted removes what is left of tables whose streams cannot be read
// any more.
func (e *Engine) forgetDeleted() error {
	now := e.now()
	e.catalog.mu.Lock()
	defer e.catalog.mu.Unlock()
	for id, t := range e.catalog.deleted {
		if now.Before(t.shape.Load().def.Deleted.Add(streamRetention)) {
			continue
		}
		b := e.db.NewBatch()
		prefix := appendTable(nil, spaceChange, id)
		err := b.DeleteRange(prefix, prefixEnd(prefix), nil)
		if err == nil {
			err = b.Delete(catalogKey(id), nil)
		}
		if err == nil {
			err = e.write(b, true)
		}
		_ = b.Close()
		if err != nil {
			return err
		}
		delete(e.catalog.deleted, id)
	}
	return nil
}
