package engine

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/cockroachdb/pebble/v2"
)

// A backup is a copy of a table's rows, without its indexes, as they were at
// one moment. The rows of a deleted table become its system backup where they
// are.

// backupDef is what the store keeps of a backup.
type backupDef struct {
	// ID sorts by the time at which the backup was made.
	ID string
	// Table is the table that the rows are still stored under, 0 if they
	// have been copied.
	Table tableID `json:",omitzero"`
	Desc  types.BackupDescription
	// Source is the table as it was, to be restored from.
	Source types.TableDescription
}

// backups holds the backups by id.
type backups struct {
	mu   sync.Mutex
	all  map[string]*backupDef // each is replaced, never changed
	busy map[string]string     // the ids of those being restored, and into which table
}

func (s *backups) put(b *backupDef) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all[b.ID] = b
}

// freeID returns an id of about that time that no backup has.
func (s *backups) freeID(at time.Time, suffix uint32) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		id := fmt.Sprintf("%014d-%08x", at.UnixMilli(), suffix)
		if s.all[id] == nil {
			return id
		}
		at = at.Add(time.Millisecond)
	}
}

// prefix returns what the keys of the rows begin with. What follows it is the
// same as in a table.
func (b *backupDef) prefix() []byte {
	if b.Table != 0 {
		return appendRowPrefix(nil, b.Table, baseIndex)
	}
	return append([]byte{spaceSaved}, b.ID...)
}

func backupKey(id string) []byte { return append([]byte{spaceBackup}, id...) }

func stageBackup(b *pebble.Batch, def *backupDef) error {
	raw, err := json.Marshal(def)
	if err != nil {
		return fmt.Errorf("encode backup %s: %w", def.ID, err)
	}
	return b.Set(backupKey(def.ID), raw, nil)
}

// loadBackups reads the backups. One that was not finished was never
// answered, and goes.
func (e *Engine) loadBackups() error {
	e.backups.all, e.backups.busy = map[string]*backupDef{}, map[string]string{}
	prefix := []byte{spaceBackup}
	it, err := e.db.NewIter(&pebble.IterOptions{LowerBound: prefix, UpperBound: prefixEnd(prefix)})
	if err != nil {
		return fmt.Errorf("read backups: %w", err)
	}
	var unfinished []*backupDef
	for ok := it.First(); ok; ok = it.Next() {
		def := new(backupDef)
		if err := json.Unmarshal(it.Value(), def); err != nil {
			_ = it.Close()
			return fmt.Errorf("read backups: %w", err)
		}
		e.catalog.nextID = max(e.catalog.nextID, def.Table+1)
		if def.Desc.BackupDetails.BackupStatus != types.BackupStatusAvailable {
			unfinished = append(unfinished, def)
			continue
		}
		e.backups.all[def.ID] = def
	}
	if err := it.Close(); err != nil {
		return fmt.Errorf("read backups: %w", err)
	}
	if e.readOnly {
		return nil
	}
	for _, def := range unfinished {
		if err := e.dropBackup(def); err != nil {
			return fmt.Errorf("remove unfinished backup: %w", err)
		}
	}
	return nil
}

// dropBackup removes a backup and its rows from the store.
func (e *Engine) dropBackup(def *backupDef) error {
	b := e.db.NewBatch()
	defer func() { _ = b.Close() }()
	prefix := def.prefix()
	if err := b.DeleteRange(prefix, prefixEnd(prefix), nil); err != nil {
		return err
	}
	if err := b.Delete(backupKey(def.ID), nil); err != nil {
		return err
	}
	return e.remove(b)
}

// newBackup describes a backup of a table as it is described now. The suffix
// is the end of its id.
func (e *Engine) newBackup(t *table, d *types.TableDescription, name string, kind types.BackupType, suffix uint32) *backupDef {
	now := e.moment()
	def := &backupDef{ID: e.backups.freeID(now, suffix), Source: *d}
	def.Desc = types.BackupDescription{
		BackupDetails: &types.BackupDetails{
			BackupArn: aws.String(aws.ToString(d.TableArn) + "/backup/" + def.ID), BackupName: aws.String(name),
			BackupCreationDateTime: aws.Time(now), BackupStatus: types.BackupStatusCreating, BackupType: kind,
			BackupSizeBytes: d.TableSizeBytes,
		},
		SourceTableDetails:        sourceDetails(d),
		SourceTableFeatureDetails: sourceFeatures(d, t.shape.Load().def.TTL),
	}
	return def
}

func sourceDetails(d *types.TableDescription) *types.SourceTableDetails {
	mode := types.BillingModeProvisioned
	if d.BillingModeSummary != nil {
		mode = d.BillingModeSummary.BillingMode
	}
	return &types.SourceTableDetails{
		TableName: d.TableName, TableId: d.TableId, TableArn: d.TableArn, TableCreationDateTime: d.CreationDateTime,
		TableSizeBytes: d.TableSizeBytes, ItemCount: d.ItemCount, KeySchema: d.KeySchema,
		BillingMode: mode, ProvisionedThroughput: unitsOf(d.ProvisionedThroughput), OnDemandThroughput: d.OnDemandThroughput,
	}
}

func unitsOf(p *types.ProvisionedThroughputDescription) *types.ProvisionedThroughput {
	return &types.ProvisionedThroughput{ReadCapacityUnits: p.ReadCapacityUnits, WriteCapacityUnits: p.WriteCapacityUnits}
}

func sourceFeatures(d *types.TableDescription, ttl ttlDef) *types.SourceTableFeatureDetails {
	f := &types.SourceTableFeatureDetails{SSEDescription: d.SSEDescription, StreamDescription: d.StreamSpecification}
	if ttl.Enabled {
		f.TimeToLiveDescription = ttl.describe()
	}
	for _, l := range d.LocalSecondaryIndexes {
		f.LocalSecondaryIndexes = append(f.LocalSecondaryIndexes, types.LocalSecondaryIndexInfo{IndexName: l.IndexName, KeySchema: l.KeySchema, Projection: l.Projection})
	}
	for _, g := range d.GlobalSecondaryIndexes {
		f.GlobalSecondaryIndexes = append(f.GlobalSecondaryIndexes, types.GlobalSecondaryIndexInfo{
			IndexName: g.IndexName, KeySchema: g.KeySchema, Projection: g.Projection,
			ProvisionedThroughput: unitsOf(g.ProvisionedThroughput), OnDemandThroughput: g.OnDemandThroughput,
		})
	}
	return f
}

// systemBackup makes the backup that a deleted table with recovery leaves.
func (e *Engine) systemBackup(t *table, d *types.TableDescription) *backupDef {
	def := e.newBackup(t, d, t.name+"$DeletedTableBackup", types.BackupTypeSystem, 0)
	def.Table = t.id
	details := def.Desc.BackupDetails
	details.BackupStatus = types.BackupStatusAvailable
	details.BackupExpiryDateTime = aws.Time(details.BackupCreationDateTime.AddDate(0, 0, maxRecoveryDays))
	return def
}

// CreateBackup copies the table as it is at this moment, and answers when the
// copy is on disk, although it says CREATING as the service does.
func (e *Engine) CreateBackup(ctx context.Context, in *dynamodb.CreateBackupInput) (*dynamodb.CreateBackupOutput, error) {
	if err := e.enter(ctx); err != nil {
		return nil, err
	}
	defer e.store.Leave()
	if err := checkTableName(in.TableName); err != nil {
		return nil, err
	}
	var c checks
	c.name("backupName", in.BackupName)
	if err := c.err(); err != nil {
		return nil, err
	}
	t, err := e.recoverable(*in.TableName)
	if err != nil {
		return nil, err
	}
	snap := e.snapshot()
	defer func() { _ = snap.Close() }()
	def := e.newBackup(t, e.describe(t), *in.BackupName, types.BackupTypeUser, randomSuffix())
	e.backups.put(def)
	made, err := e.saveRows(ctx, snap, t, def)
	if err != nil {
		e.forgetBackup(def)
		return nil, err
	}
	e.backups.put(made)
	d := made.describe().BackupDetails
	d.BackupStatus = types.BackupStatusCreating
	return &dynamodb.CreateBackupOutput{BackupDetails: d}, nil
}

func randomSuffix() uint32 {
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails
	return max(1, binary.BigEndian.Uint32(b[:]))
}

// saveRows copies the table's rows of the snapshot and returns the backup as
// it is then. The backup is entered first, so that a crash leaves no rows that
// nobody knows of.
func (e *Engine) saveRows(ctx context.Context, snap *pebble.Snapshot, t *table, def *backupDef) (*backupDef, error) {
	if err := e.enterBackup(def); err != nil {
		return nil, err
	}
	w := e.newBulk()
	defer w.close()
	prefix := def.prefix()
	items, bytes := int64(0), int64(0)
	err := e.eachStored(ctx, snap, appendRowPrefix(nil, t.id, baseIndex), func(key, value []byte) error {
		size, _, _ := splitRow(value)
		items, bytes = items+1, bytes+int64(size)
		return w.set(append(prefix[:len(prefix):len(prefix)], key...), value)
	})
	if err == nil {
		err = w.flush()
	}
	if err != nil {
		return nil, err
	}
	made := *def
	made.Desc.BackupDetails, made.Desc.SourceTableDetails = clonePointer(def.Desc.BackupDetails), clonePointer(def.Desc.SourceTableDetails)
	details, source := made.Desc.BackupDetails, made.Desc.SourceTableDetails
	details.BackupStatus, details.BackupSizeBytes = types.BackupStatusAvailable, aws.Int64(bytes)
	source.ItemCount, source.TableSizeBytes = aws.Int64(items), aws.Int64(bytes)
	return &made, e.enterBackup(&made)
}

func (e *Engine) enterBackup(def *backupDef) error {
	b := e.db.NewBatch()
	defer func() { _ = b.Close() }()
	if err := stageBackup(b, def); err != nil {
		return err
	}
	return e.commit(b)
}

// forgetBackup removes a backup that could not be made.
func (e *Engine) forgetBackup(def *backupDef) {
	e.backups.mu.Lock()
	delete(e.backups.all, def.ID)
	e.backups.mu.Unlock()
	if err := e.dropBackup(def); err != nil {
		e.opts.Logger.Error("remove unfinished backup", "backup", def.ID, "err", err)
	}
}
