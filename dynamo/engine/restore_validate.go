package engine

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

func invalidRequest(format string, args ...any) *Error {
	return invalid("Invalid Request: "+format, args...)
}

// validatePointInTime checks a request and returns the name of the source.
func (e *Engine) validatePointInTime(in *dynamodb.RestoreTableToPointInTimeInput) (source string, err error) {
	var c checks
	c.nameOrARN("targetTableName", in.TargetTableName)
	if in.SourceTableName != nil {
		c.nameOrARN("sourceTableName", in.SourceTableName)
	}
	c.overrides(in.BillingModeOverride, in.ProvisionedThroughputOverride, in.GlobalSecondaryIndexOverride, in.LocalSecondaryIndexOverride, in.SSESpecificationOverride)
	if err := c.err(); err != nil {
		return "", err
	}
	switch latest := aws.ToBool(in.UseLatestRestorableTime); {
	case in.VectorIndexOverride != nil:
		return "", unsupported("Vector indexes")
	case in.SourceTableName != nil && in.SourceTableArn != nil:
		return "", invalidRequest("Must provide exactly one of: sourceTableArn, sourceTableName")
	case in.SourceTableName == nil && in.SourceTableArn == nil:
		return "", invalid("The parameter 'TableName' is required but was not present in the request")
	case latest && in.RestoreDateTime != nil:
		return "", invalidRequest("Both RestoreDateTime and UseLatestRestorableTime cannot be set for point-in-time restore request. Please specify either RestoreDateTime time or UseLatestRestorableTime")
	case !latest && in.RestoreDateTime == nil:
		return "", invalidRequest("Either one of RestoreDateTime or UseLatestRestorableTime must be specified, but not both")
	case in.SourceTableName != nil:
		return *in.SourceTableName, nil
	}
	a, ok := parseARN(*in.SourceTableArn)
	switch {
	case !ok || a.kind != "":
		return "", invalidRequest("sourceTableArn is not a valid ARN")
	case !e.owns(a):
		return "", invalid("This action is only supported by accounts that match the resource owner’s account.")
	}
	return a.table, nil
}

func validateFromBackup(in *dynamodb.RestoreTableFromBackupInput) error {
	var c checks
	c.nameOrARN("targetTableName", in.TargetTableName)
	c.streamARN("backupArn", in.BackupArn)
	c.overrides(in.BillingModeOverride, in.ProvisionedThroughputOverride, in.GlobalSecondaryIndexOverride, in.LocalSecondaryIndexOverride, in.SSESpecificationOverride)
	if err := c.err(); err != nil {
		return err
	}
	if in.VectorIndexOverride != nil {
		return unsupported("Vector indexes")
	}
	return nil
}

func (c *checks) overrides(mode types.BillingMode, units *types.ProvisionedThroughput, global []types.GlobalSecondaryIndex, local []types.LocalSecondaryIndex, sse *types.SSESpecification) {
	c.enum("billingModeOverride", string(mode), "PROVISIONED", "PAY_PER_REQUEST")
	c.throughput("provisionedThroughputOverride", units)
	for i, g := range global {
		at := fmt.Sprintf("globalSecondaryIndexOverride.%d.member", i+1)
		c.name(at+".indexName", g.IndexName)
		c.throughput(at+".provisionedThroughput", g.ProvisionedThroughput)
		c.keySchema(at+".keySchema", g.KeySchema, 0)
		c.projection(at+".projection", g.Projection)
	}
	for i, l := range local {
		at := fmt.Sprintf("localSecondaryIndexOverride.%d.member", i+1)
		c.name(at+".indexName", l.IndexName)
		c.keySchema(at+".keySchema", l.KeySchema, 2)
		c.projection(at+".projection", l.Projection)
	}
	c.encryption("sSESpecificationOverride", sse)
}

// overrides are what a restored table shall have otherwise than its source.
// For the indexes nil is as in the source, and an empty list is none.
type overrides struct {
	mode       types.BillingMode
	units      *types.ProvisionedThroughput
	onDemand   *types.OnDemandThroughput
	local      []types.LocalSecondaryIndex
	global     []types.GlobalSecondaryIndex
	encryption *types.SSESpecification
}

// table returns the request that would create the restored table. Of the
// source it has keys, indexes, billing and encryption; not its streams, TTL,
// recovery, tags, class or protection, as in the service.
func (o *overrides) table(d *types.TableDescription) (*dynamodb.CreateTableInput, error) {
	in := &dynamodb.CreateTableInput{KeySchema: d.KeySchema, SSESpecification: o.encryption}
	if in.SSESpecification == nil && d.SSEDescription != nil {
		in.SSESpecification = &types.SSESpecification{Enabled: aws.Bool(true), SSEType: types.SSETypeKms, KMSMasterKeyId: d.SSEDescription.KMSMasterKeyArn}
	}
	if err := checkEncryption(in.SSESpecification); err != nil {
		return nil, err
	}
	if err := o.billing(in, d); err != nil {
		return nil, err
	}
	if err := o.indexes(in, d); err != nil {
		return nil, err
	}
	used := keyNames(in.KeySchema)
	for _, x := range append(localSpecs(in.LocalSecondaryIndexes), globalSpecs(in.GlobalSecondaryIndexes)...) {
		used = append(used, keyNames(x.key)...)
	}
	for _, a := range d.AttributeDefinitions {
		if slices.Contains(used, aws.ToString(a.AttributeName)) {
			in.AttributeDefinitions = append(in.AttributeDefinitions, a)
		}
	}
	return in, nil
}

func (o *overrides) billing(in *dynamodb.CreateTableInput, d *types.TableDescription) error {
	was := (&tableDef{Desc: *d}).mode()
	in.BillingMode = cmp.Or(o.mode, was)
	paid := in.BillingMode == types.BillingModePayPerRequest
	switch {
	case o.units != nil && o.mode == types.BillingModePayPerRequest:
		return invalidRequest("Cannot override ProvisionedThroughput if BillingMode is overridden to PAY_PER_REQUEST")
	case o.units != nil && paid:
		return invalidRequest("Cannot override ProvisionedThroughput unless BillingMode is PROVISIONED")
	case o.units == nil && o.mode == types.BillingModeProvisioned:
		return invalidRequest("Must override ProvisionedThroughput if BillingMode is overridden to PROVISIONED")
	}
	if o.onDemand != nil {
		for _, m := range onDemandMembers(o.onDemand) {
			switch {
			case m.value != nil && !paid:
				return invalidRequest("Cannot override %s for OnDemandThroughput unless BillingModeOverride is PAY_PER_REQUEST", m.name)
			case m.value != nil && *m.value < 1:
				return invalidRequest("Requested %s for OnDemandThroughput is outside of valid range", m.name)
			}
		}
	}
	if paid {
		in.OnDemandThroughput = cmp.Or(o.onDemand, d.OnDemandThroughput)
		return nil
	}
	in.ProvisionedThroughput = o.units
	if o.units == nil {
		in.ProvisionedThroughput = unitsOf(d.ProvisionedThroughput)
	}
	return checkUnits(in.ProvisionedThroughput)
}

func (o *overrides) indexes(in *dynamodb.CreateTableInput, d *types.TableDescription) error {
	in.LocalSecondaryIndexes, in.GlobalSecondaryIndexes = o.local, o.global
	if o.local == nil {
		for _, l := range d.LocalSecondaryIndexes {
			in.LocalSecondaryIndexes = append(in.LocalSecondaryIndexes, types.LocalSecondaryIndex{IndexName: l.IndexName, KeySchema: l.KeySchema, Projection: l.Projection})
		}
	}
	if o.global == nil {
		for _, g := range d.GlobalSecondaryIndexes {
			x := types.GlobalSecondaryIndex{IndexName: g.IndexName, KeySchema: g.KeySchema, Projection: g.Projection, OnDemandThroughput: g.OnDemandThroughput}
			if in.BillingMode == types.BillingModeProvisioned && aws.ToInt64(g.ProvisionedThroughput.ReadCapacityUnits) > 0 {
				x.ProvisionedThroughput, x.OnDemandThroughput = unitsOf(g.ProvisionedThroughput), nil
			}
			in.GlobalSecondaryIndexes = append(in.GlobalSecondaryIndexes, x)
		}
	}
	for _, x := range append(localSpecs(in.LocalSecondaryIndexes), globalSpecs(in.GlobalSecondaryIndexes)...) {
		if err := x.checkRestored(in.BillingMode, d); err != nil {
			return err
		}
	}
	return nil
}

// checkRestored refuses an index that the source does not have, under
// whatever name, and throughput that does not fit the table's.
func (x *indexSpec) checkRestored(mode types.BillingMode, d *types.TableDescription) error {
	if !x.among(d) {
		return invalidRequest("Index %s does not match a secondary index that existed in the source table and cannot be created during the restore operation", x.name)
	}
	switch {
	case x.local:
		return nil
	case mode == types.BillingModeProvisioned && x.units == nil:
		return invalidRequest("Must specify provisioned throughput for index %s", x.name)
	case mode == types.BillingModePayPerRequest && x.units != nil:
		return invalidRequest("Cannot override ProvisionedThroughput if BillingMode is overridden to PAY_PER_REQUEST for index %s", x.name)
	}
	return checkUnits(x.units)
}

// among reports whether the table has an index with that key and projection.
func (x *indexSpec) among(d *types.TableDescription) bool {
	same := func(key []types.KeySchemaElement, p *types.Projection) bool {
		return keyText(x.key) == keyText(key) && x.projection.ProjectionType == p.ProjectionType &&
			slices.Equal(sortedProjection(x.projection).NonKeyAttributes, sortedProjection(p).NonKeyAttributes)
	}
	if x.local {
		return slices.ContainsFunc(d.LocalSecondaryIndexes, func(l types.LocalSecondaryIndexDescription) bool { return same(l.KeySchema, l.Projection) })
	}
	return slices.ContainsFunc(d.GlobalSecondaryIndexes, func(g types.GlobalSecondaryIndexDescription) bool { return same(g.KeySchema, g.Projection) })
}
