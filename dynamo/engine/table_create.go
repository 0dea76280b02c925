package engine

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// CreateTable creates a table. The answer says CREATING, as in the service;
// the table can be used as soon as the answer is there.
func (e *Engine) CreateTable(ctx context.Context, in *dynamodb.CreateTableInput) (*dynamodb.CreateTableOutput, error) {
	if err := e.enter(ctx); err != nil {
		return nil, err
	}
	defer e.store.Leave()
	if err := validateCreate(in); err != nil {
		return nil, err
	}
	name, err := e.tableName(*in.TableName)
	if err != nil {
		return nil, err
	}
	e.catalog.mu.Lock()
	defer e.catalog.mu.Unlock()
	if err := e.nameIsFree(name); err != nil {
		return nil, err
	}
	def := e.define(in, name)
	t, err := e.addTable(def)
	if err != nil {
		return nil, err
	}
	e.catalog.put(t)
	d := e.describe(t)
	creating(d, in)
	return &dynamodb.CreateTableOutput{TableDescription: d}, nil
}

// nameIsFree refuses a name that a table has or will have. The caller holds
// the catalog's lock.
func (e *Engine) nameIsFree(name string) error {
	if e.catalog.either(name) != nil {
		return newError(InUse, "Table already exists: %s", name)
	}
	return nil
}

// addTable stores the definition of a new table under the next id. The caller
// holds the catalog's lock and decides who may see the table.
func (e *Engine) addTable(def *tableDef) (*table, error) {
	def.ID = e.catalog.nextID
	b := e.db.NewBatch()
	defer func() { _ = b.Close() }()
	if err := stageDef(b, def); err != nil {
		return nil, err
	}
	if err := e.commit(b); err != nil {
		return nil, err
	}
	e.catalog.nextID++
	t := &table{id: def.ID, name: aws.ToString(def.Desc.TableName)}
	t.shape.Store(compile(def, nil))
	t.seq.atLeast(def.lastSequence())
	return t, nil
}

// define makes the definition that a request asks for. The caller holds the
// catalog's lock.
func (e *Engine) define(in *dynamodb.CreateTableInput, name string) *tableDef {
	now := e.moment()
	mode := in.BillingMode
	if mode == "" {
		mode = types.BillingModeProvisioned
	}
	def := &tableDef{Indexes: map[string]indexID{}, NextIndex: baseIndex + 1, Tags: slices.Clone(in.Tags)}
	d := &def.Desc
	d.TableName, d.TableArn, d.TableId = aws.String(name), aws.String(e.tableARN(name)), aws.String(newUUID())
	d.TableStatus, d.CreationDateTime = types.TableStatusActive, aws.Time(now)
	d.AttributeDefinitions = sortedDefinitions(in.AttributeDefinitions)
	d.KeySchema = in.KeySchema
	d.DeletionProtectionEnabled = aws.Bool(aws.ToBool(in.DeletionProtectionEnabled))
	d.SSEDescription = e.encryption(in.SSESpecification)
	if in.TableClass == types.TableClassStandardInfrequentAccess {
		d.TableClassSummary = &types.TableClassSummary{TableClass: in.TableClass}
	}
	if mode == types.BillingModePayPerRequest {
		d.BillingModeSummary = &types.BillingModeSummary{BillingMode: mode, LastUpdateToPayPerRequestDateTime: aws.Time(now)}
	}
	d.ProvisionedThroughput = provisioned(in.ProvisionedThroughput)
	d.OnDemandThroughput = onDemand(in.OnDemandThroughput)
	d.WarmThroughput = warmTable(warm(in.WarmThroughput, d.ProvisionedThroughput, mode))
	for _, x := range localSpecs(in.LocalSecondaryIndexes) {
		e.addLocal(def, x)
	}
	for _, x := range globalSpecs(in.GlobalSecondaryIndexes) {
		e.addGlobal(def, x, mode, types.IndexStatusActive)
	}
	if in.ResourcePolicy != nil {
		def.Policies = map[string]policyDef{"": {*in.ResourcePolicy, strconv.FormatInt(now.UnixMilli(), 10)}}
	}
	if s := in.StreamSpecification; s != nil && aws.ToBool(s.StreamEnabled) {
		e.openStream(def, s.StreamViewType, 0, e.catalog.takenLabel(name))
	}
	return def
}

// moment is the store's time as descriptions show it, to the millisecond.
func (e *Engine) moment() time.Time { return e.now().UTC().Truncate(time.Millisecond) }

func (e *Engine) indexARN(d *types.TableDescription, index string) *string {
	return aws.String(aws.ToString(d.TableArn) + "/index/" + index)
}

func (d *tableDef) addIndexID(name string) {
	d.Indexes[name] = d.NextIndex
	d.NextIndex++
}

func (e *Engine) addLocal(def *tableDef, x indexSpec) {
	def.addIndexID(x.name)
	def.Desc.LocalSecondaryIndexes = append(def.Desc.LocalSecondaryIndexes, types.LocalSecondaryIndexDescription{
		IndexName: aws.String(x.name), IndexArn: e.indexARN(&def.Desc, x.name), KeySchema: x.key, Projection: sortedProjection(x.projection),
	})
}

func (e *Engine) addGlobal(def *tableDef, x indexSpec, mode types.BillingMode, status types.IndexStatus) {
	def.addIndexID(x.name)
	g := types.GlobalSecondaryIndexDescription{
		IndexName: aws.String(x.name), IndexArn: e.indexARN(&def.Desc, x.name), IndexStatus: status,
		KeySchema: x.key, Projection: sortedProjection(x.projection),
		ProvisionedThroughput: provisioned(x.units), OnDemandThroughput: onDemand(x.onDemand),
	}
	g.WarmThroughput = warmIndex(warm(x.warm, g.ProvisionedThroughput, mode))
	if status == types.IndexStatusCreating {
		g.Backfilling = aws.Bool(true)
	}
	def.Desc.GlobalSecondaryIndexes = append(def.Desc.GlobalSecondaryIndexes, g)
}

// DynamoDB answers attribute definitions and projections in order of name,
// whatever order they came in.

func sortedDefinitions(defs []types.AttributeDefinition) []types.AttributeDefinition {
	defs = slices.Clone(defs)
	slices.SortFunc(defs, func(a, b types.AttributeDefinition) int {
		return strings.Compare(aws.ToString(a.AttributeName), aws.ToString(b.AttributeName))
	})
	return defs
}

func sortedProjection(p *types.Projection) *types.Projection {
	return &types.Projection{ProjectionType: p.ProjectionType, NonKeyAttributes: slices.Sorted(slices.Values(p.NonKeyAttributes))}
}

// creating makes of a description the answer to CreateTable, which tells less
// than DescribeTable does a moment later.
func creating(d *types.TableDescription, in *dynamodb.CreateTableInput) {
	d.TableStatus = types.TableStatusCreating
	if in.DeletionProtectionEnabled == nil {
		d.DeletionProtectionEnabled = nil
	}
	if in.WarmThroughput == nil {
		d.WarmThroughput = nil
	}
	if d.BillingModeSummary != nil {
		d.BillingModeSummary = &types.BillingModeSummary{BillingMode: d.BillingModeSummary.BillingMode}
	}
	for i := range d.GlobalSecondaryIndexes {
		g := &d.GlobalSecondaryIndexes[i]
		g.IndexStatus, g.WarmThroughput = types.IndexStatusCreating, nil
	}
}

// newUUID returns a random UUID, version 4.
func newUUID() string {
	var u [16]byte
	_, _ = rand.Read(u[:]) // never fails
	u[6], u[8] = u[6]&0x0f|0x40, u[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:])
}
