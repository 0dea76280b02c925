package engine

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/cockroachdb/pebble/v2"
)

// tableDef is what the catalog keeps of a table: its description as
// DescribeTable answers it, and what that does not say.
type tableDef struct {
	ID   tableID
	Desc types.TableDescription
	// Indexes gives each index its id; ids are not used again.
	Indexes   map[string]indexID
	NextIndex indexID
	TTL       ttlDef
	Recovery  recoveryDef
	Tags      []types.Tag `json:",omitempty"`
	// Policies are those of the table (under "") and of its streams, by label.
	Policies map[string]policyDef `json:",omitempty"`
	// Insights are wanted of the table (under "") and of its indexes.
	Insights map[string]insightsDef `json:",omitempty"`
	// Streams are the enabled stream and those before it that may still be
	// read, oldest first.
	Streams []streamDef `json:",omitempty"`
	// Counts are the row counts at the last orderly Close.
	Counts map[string][2]int64 `json:",omitempty"`
	// Restore says what the table is being filled from, until it is.
	Restore *restoreDef `json:",omitempty"`
	// Deleted is when the table was deleted. Its definition stays as long as
	// its last stream may be read.
	Deleted time.Time `json:",omitzero"`
}

type ttlDef struct {
	Enabled   bool
	Attribute string
	// Filling says that items from before are still being entered.
	Filling bool `json:",omitempty"`
}

type recoveryDef struct {
	Enabled bool
	// Since is the moment from which the change log is whole.
	Since time.Time
	Days  int32
}

type streamDef struct {
	Label string
	View  types.StreamViewType
	// From and To bound the sequence numbers; To is 0 while enabled.
	From, To        uint64
	Created, Closed time.Time
	Tags            []types.Tag `json:",omitempty"`
}

func (d *tableDef) stream() *streamDef {
	if n := len(d.Streams); n > 0 && d.Streams[n-1].To == 0 {
		return &d.Streams[n-1]
	}
	return nil
}

// clone returns a copy that can be altered without the original noticing.
func (d *tableDef) clone() *tableDef {
	raw, err := json.Marshal(d)
	if err != nil {
		panic(fmt.Sprintf("engine: definition of %s does not marshal: %v", aws.ToString(d.Desc.TableName), err))
	}
	var out tableDef
	if err := json.Unmarshal(raw, &out); err != nil {
		panic(fmt.Sprintf("engine: definition of %s does not unmarshal: %v", aws.ToString(d.Desc.TableName), err))
	}
	return &out
}

// catalog holds the open tables by name. Look-ups take no lock.
type catalog struct {
	mu     sync.Mutex // held while tables are added or removed
	tables atomic.Pointer[map[string]*table]

	// Guarded by mu: the id of the next table; the tables that a restore is
	// filling, whose names are taken although nobody can use them yet; the
	// tables that are gone except for a stream that may still be read.
	nextID    tableID
	restoring map[string]*table
	deleted   map[tableID]*table
}

func (c *catalog) get(name string) *table { return (*c.tables.Load())[name] }

// names returns the table names in order.
func (c *catalog) names() []string { return slices.Sorted(maps.Keys(*c.tables.Load())) }

func (c *catalog) put(t *table) {
	next := maps.Clone(*c.tables.Load())
	next[t.name] = t
	c.tables.Store(&next)
}

func (c *catalog) remove(t *table) {
	next := maps.Clone(*c.tables.Load())
	delete(next, t.name)
	c.tables.Store(&next)
}

// table finds a table by name or ARN for an operation on its items.
func (e *Engine) table(nameOrARN string) (*table, error) {
	name, err := e.tableName(nameOrARN)
	if err != nil {
		return nil, err
	}
	if t := e.catalog.get(name); t != nil {
		return t, nil
	}
	return nil, errNotFound
}

var errNotFound = newError(NotFound, "Requested resource not found")

// describedTable finds a table for an operation on the table, whose error
// names it.
func (e *Engine) describedTable(nameOrARN string) (*table, error) {
	name, err := e.tableName(nameOrARN)
	if err != nil {
		return nil, err
	}
	if t := e.catalog.get(name); t != nil {
		return t, nil
	}
	e.catalog.mu.Lock()
	defer e.catalog.mu.Unlock()
	switch t := e.catalog.get(name); {
	case t != nil:
		return t, nil
	case e.catalog.restoring[name] != nil:
		return nil, stillInUse("Table is being created: %s", name)
	}
	return nil, tableNotFound(name)
}

// tableName returns the name in an ARN such as
// arn:aws:dynamodb:us-east-1:000000000001:table/Music, or the name itself. What
// belongs to another account is refused, and what is in another region is not
// found.
func (e *Engine) tableName(nameOrARN string) (string, error) {
	if !strings.HasPrefix(nameOrARN, "arn:") {
		return nameOrARN, nil
	}
	a, ok := parseARN(nameOrARN)
	switch {
	case !ok:
		return nameOrARN, nil
	case !e.owns(a):
		return "", newError(AccessDenied, "User: arn:aws:iam::%s:root is not authorized to access the resource: %s because no resource-based policy allows it", e.opts.Account, nameOrARN)
	case a.region != e.opts.Region:
		return "", errNotFound
	}
	return a.table, nil
}

// owns reports whether what is named is the store's. Programs that were written
// for other stand-ins name the account that is nobody's.
func (e *Engine) owns(a arn) bool { return a.account == e.opts.Account || a.account == nobody }

// nobody is an account that the service never gives out.
const nobody = "000000000000"

func (e *Engine) tableARN(name string) string {
	return fmt.Sprintf("arn:aws:dynamodb:%s:%s:table/%s", e.opts.Region, e.opts.Account, name)
}

func catalogKey(id tableID) []byte { return appendTable(nil, spaceCatalog, id) }

// stageDef adds the definition to a batch.
func stageDef(b *pebble.Batch, def *tableDef) error {
	raw, err := json.Marshal(def)
	if err != nil {
		return fmt.Errorf("encode definition of %s: %w", aws.ToString(def.Desc.TableName), err)
	}
	return b.Set(catalogKey(def.ID), raw, nil)
}

// alter replaces the table's definition by what change makes of a copy of
// it. It waits for the writes under way, so that everything written after it
// follows the new shape. stage may add to the batch that stores the
// definition.
func (e *Engine) alter(t *table, change func(*tableDef) error, stage func(*pebble.Batch) error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.gone {
		return newError(NotFound, "Requested resource not found: Table: %s not found", t.name)
	}
	before := t.shape.Load()
	def := before.def.clone()
	if err := change(def); err != nil {
		return err
	}
	b := e.db.NewBatch()
	defer func() { _ = b.Close() }()
	if err := stageDef(b, def); err != nil {
		return err
	}
	if stage != nil {
		if err := stage(b); err != nil {
			return err
		}
	}
	if err := e.commit(b); err != nil {
		return err
	}
	t.shape.Store(compile(def, before))
	return nil
}

// loadCatalog reads the tables. Those that were known are looked up until all are
// read: nobody finds a table gone because the store is being opened again.
func (e *Engine) loadCatalog() error {
	e.catalog.nextID = 1
	e.catalog.restoring, e.catalog.deleted = map[string]*table{}, map[tableID]*table{}
	tables := map[string]*table{}
	prefix := []byte{spaceCatalog}
	it, err := e.db.NewIter(&pebble.IterOptions{LowerBound: prefix, UpperBound: prefixEnd(prefix)})
	if err != nil {
		return fmt.Errorf("read catalog: %w", err)
	}
	for ok := it.First(); ok; ok = it.Next() {
		def := new(tableDef)
		if err := json.Unmarshal(it.Value(), def); err != nil {
			_ = it.Close()
			return fmt.Errorf("read catalog: %w", err)
		}
		t := &table{id: def.ID, name: aws.ToString(def.Desc.TableName)}
		t.shape.Store(compile(def, nil))
		if err := e.loadSequence(t); err != nil {
			_ = it.Close()
			return err
		}
		switch {
		case !def.Deleted.IsZero():
			e.catalog.deleted[t.id] = t
		case def.Restore != nil:
			e.catalog.restoring[t.name] = t
		default:
			tables[t.name] = t
		}
		e.catalog.nextID = max(e.catalog.nextID, def.ID+1)
	}
	if err := it.Close(); err != nil {
		return err
	}
	e.catalog.tables.Store(&tables)
	return nil
}
