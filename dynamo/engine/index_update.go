package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/cockroachdb/pebble/v2"
)

// indexes makes the changes of indexes that an UpdateTable asks for.
func (u *tableUpdate) indexes() error {
	created, deleted := indexesMoved(u.in)
	if created+deleted > 1 {
		return onlyOneIndex()
	}
	for _, x := range u.in.GlobalSecondaryIndexUpdates {
		var err error
		switch {
		case x.Update != nil:
			err = u.updateIndex(x.Update)
		case x.Create != nil:
			err = u.createIndex(createdSpec(x.Create))
		default:
			err = u.deleteIndex(aws.ToString(x.Delete.IndexName))
		}
		if err != nil {
			return err
		}
	}
	return u.indexUnits()
}

func onlyOneIndex() error {
	return newError(LimitExceeded, "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table")
}

// indexUnits refuses to leave an index without throughput when the table gets
// provisioned throughput.
func (u *tableUpdate) indexUnits() error {
	if u.def.mode() != types.BillingModeProvisioned || u.old.mode() == types.BillingModeProvisioned {
		return nil
	}
	var names []string
	for _, g := range u.def.Desc.GlobalSecondaryIndexes {
		if aws.ToInt64(g.ProvisionedThroughput.ReadCapacityUnits) == 0 {
			names = append(names, aws.ToString(g.IndexName))
		}
	}
	if len(names) > 0 {
		return invalidParameter("ProvisionedThroughput must be specified for index: %s", strings.Join(names, ","))
	}
	return nil
}

// global returns the description of a global index, or refuses what is asked
// to be done to an index that is local or not there.
func (u *tableUpdate) global(name, verb string) (*types.GlobalSecondaryIndexDescription, error) {
	d := &u.def.Desc
	for i := range d.GlobalSecondaryIndexes {
		if aws.ToString(d.GlobalSecondaryIndexes[i].IndexName) == name {
			return &d.GlobalSecondaryIndexes[i], nil
		}
	}
	if _, ok := u.def.Indexes[name]; ok {
		return nil, invalid("Cannot %s an index that is not a GlobalSecondaryIndex: %s", verb, name)
	}
	return nil, newError(NotFound, "Requested resource not found: Index %s for table %s", name, u.t.name)
}

func (u *tableUpdate) updateIndex(x *types.UpdateGlobalSecondaryIndexAction) error {
	name, units, mode := aws.ToString(x.IndexName), x.ProvisionedThroughput, u.def.mode()
	if checkUnits(units) != nil {
		return invalid("This operation cannot be performed with given input values. Please contact DynamoDB service team for more info: Action Blocked: IndexUpdate")
	}
	g, err := u.global(name, "update")
	if err != nil {
		return err
	}
	if units != nil {
		switch {
		case mode == types.BillingModePayPerRequest:
			return invalidParameter("The only Updates for index: %s when TableThroughputMode is PAY_PER_REQUEST can be to OnDemandThroughput, WarmThroughput", name)
		case sameUnits(g.ProvisionedThroughput, units):
			return unchanged(name, g.ProvisionedThroughput, units)
		}
		changeUnits(g.ProvisionedThroughput, units, u.now)
		raiseWarm(&g.WarmThroughput.ReadUnitsPerSecond, &g.WarmThroughput.WriteUnitsPerSecond, g.ProvisionedThroughput, mode)
	}
	if x.OnDemandThroughput != nil {
		if g.OnDemandThroughput, err = mergeOnDemand(g.OnDemandThroughput, x.OnDemandThroughput, mode, name); err != nil {
			return err
		}
	}
	if x.WarmThroughput != nil {
		return mergeWarm(&g.WarmThroughput.ReadUnitsPerSecond, &g.WarmThroughput.WriteUnitsPerSecond, x.WarmThroughput, name)
	}
	return nil
}

func (u *tableUpdate) createIndex(x indexSpec) error {
	d, mode := &u.def.Desc, u.def.mode()
	if _, ok := u.def.Indexes[x.name]; ok {
		return invalid("Attempting to create an index which already exists")
	}
	if err := u.onlyIndex(""); err != nil {
		return err
	}
	if len(d.GlobalSecondaryIndexes) >= maxGlobal {
		return newError(LimitExceeded, "Subscriber limit exceeded: Number of global secondary indexes exceeds per-table limit of %d", maxGlobal)
	}
	switch {
	case mode == types.BillingModePayPerRequest && x.units != nil:
		return invalidParameter("Neither ReadCapacityUnits nor WriteCapacityUnits can be specified for index: %s when BillingMode is PAY_PER_REQUEST", x.name)
	case mode == types.BillingModeProvisioned && x.units == nil:
		return invalidParameter("Both ReadCapacityUnits and WriteCapacityUnits must be specified for index: %s", x.name)
	}
	if err := x.checkGlobal(mode); err != nil {
		return err
	}
	if len(x.projection.NonKeyAttributes)+u.projected() > maxNonKeyAll {
		return tooManyProjected()
	}
	if err := u.defineKeys(x); err != nil {
		return err
	}
	status := types.IndexStatusActive
	if filled, err := u.hasRows(); err != nil {
		return err
	} else if filled {
		status, u.fill = types.IndexStatusCreating, x.name
	}
	u.e.addGlobal(u.def, x, mode, status)
	return nil
}

// onlyIndex refuses to add or remove an index while another one than the
// named is being filled.
func (u *tableUpdate) onlyIndex(name string) error {
	for _, g := range u.def.Desc.GlobalSecondaryIndexes {
		if g.IndexStatus == types.IndexStatusCreating && aws.ToString(g.IndexName) != name {
			return onlyOneIndex()
		}
	}
	return nil
}

// projected counts the attributes that the indexes name in their projections.
func (u *tableUpdate) projected() int {
	n := 0
	for _, l := range u.def.Desc.LocalSecondaryIndexes {
		n += len(l.Projection.NonKeyAttributes)
	}
	for _, g := range u.def.Desc.GlobalSecondaryIndexes {
		n += len(g.Projection.NonKeyAttributes)
	}
	return n
}

// hasRows reports whether the table has any. The caller holds the table's
// lock, so that what is written later finds the index.
func (u *tableUpdate) hasRows() (bool, error) {
	prefix := appendRowPrefix(nil, u.t.id, baseIndex)
	it, err := u.e.db.NewIter(&pebble.IterOptions{LowerBound: prefix, UpperBound: prefixEnd(prefix)})
	if err != nil {
		return false, u.e.unreadable(err)
	}
	found := it.First()
	if err := it.Close(); err != nil {
		return false, u.e.unreadable(err)
	}
	return found, nil
}

// defineKeys takes over the definitions of the attributes that the index has
// as its key. Those that the request defines besides do not matter.
func (u *tableUpdate) defineKeys(x indexSpec) error {
	d := &u.def.Desc
	for _, def := range u.in.AttributeDefinitions {
		name := aws.ToString(def.AttributeName)
		if !slices.Contains(keyNames(x.key), name) {
			continue
		}
		at := slices.IndexFunc(d.AttributeDefinitions, func(a types.AttributeDefinition) bool { return aws.ToString(a.AttributeName) == name })
		switch {
		case at < 0:
			d.AttributeDefinitions = append(d.AttributeDefinitions, def)
		case d.AttributeDefinitions[at].AttributeType != def.AttributeType:
			return invalidParameter("Attributes cannot be redefined. Please check that your attribute has the same type as previously defined. Existing schema: %s New schema: %s",
				schemaText(u.keyWith(name), d.AttributeDefinitions), schemaText(x.key, u.in.AttributeDefinitions))
		}
	}
	d.AttributeDefinitions = sortedDefinitions(d.AttributeDefinitions)
	return nil
}

// keyWith returns the first key, of the table or of an index, that has the
// attribute.
func (u *tableUpdate) keyWith(name string) []types.KeySchemaElement {
	for _, key := range u.def.keys() {
		if slices.Contains(keyNames(key), name) {
			return key
		}
	}
	return nil
}

// keys returns the keys of the table and of its indexes.
func (d *tableDef) keys() [][]types.KeySchemaElement {
	keys := [][]types.KeySchemaElement{d.Desc.KeySchema}
	for _, l := range d.Desc.LocalSecondaryIndexes {
		keys = append(keys, l.KeySchema)
	}
	for _, g := range d.Desc.GlobalSecondaryIndexes {
		keys = append(keys, g.KeySchema)
	}
	return keys
}

func schemaText(key []types.KeySchemaElement, defs []types.AttributeDefinition) string {
	parts := make([]string, len(key))
	for i, k := range key {
		kind := types.ScalarAttributeType("")
		for _, def := range defs {
			if aws.ToString(def.AttributeName) == aws.ToString(k.AttributeName) {
				kind = def.AttributeType
			}
		}
		parts[i] = fmt.Sprintf("key{%s:%s:%s}", aws.ToString(k.AttributeName), kind, k.KeyType)
	}
	return "Schema:[SchemaElement: " + strings.Join(parts, ", ") + "]"
}

func (u *tableUpdate) deleteIndex(name string) error {
	if _, err := u.global(name, "delete"); err != nil {
		return err
	}
	if err := u.onlyIndex(name); err != nil {
		return err
	}
	d := &u.def.Desc
	d.GlobalSecondaryIndexes = slices.DeleteFunc(d.GlobalSecondaryIndexes, func(g types.GlobalSecondaryIndexDescription) bool {
		return aws.ToString(g.IndexName) == name
	})
	u.dropped = append(u.dropped, u.def.Indexes[name])
	delete(u.def.Indexes, name)
	u.def.dropDefinitions()
	return nil
}

// dropDefinitions forgets the definitions of attributes that are no key any
// more.
func (d *tableDef) dropDefinitions() {
	var used []string
	for _, key := range d.keys() {
		used = append(used, keyNames(key)...)
	}
	d.Desc.AttributeDefinitions = slices.DeleteFunc(d.Desc.AttributeDefinitions, func(a types.AttributeDefinition) bool {
		return !slices.Contains(used, aws.ToString(a.AttributeName))
	})
}

// answer describes the table as the service does while it makes the change.
func (u *tableUpdate) answer() *types.TableDescription {
	d, in, old := u.e.describe(u.t), u.in, &u.old.Desc
	if in.BillingMode != "" || in.ProvisionedThroughput != nil || in.StreamSpecification != nil || in.TableClass != "" {
		d.TableStatus = types.TableStatusUpdating
	}
	if in.ProvisionedThroughput != nil && u.def.mode() == u.old.mode() {
		showUnits(d.ProvisionedThroughput, old.ProvisionedThroughput)
	}
	if in.TableClass != "" {
		d.TableClassSummary = old.TableClassSummary
	}
	if in.SSESpecification != nil {
		if d.SSEDescription == nil {
			d.SSEDescription = clonePointer(old.SSEDescription)
		}
		d.SSEDescription.Status = types.SSEStatusUpdating
	}
	if in.WarmThroughput != nil {
		d.WarmThroughput = clonePointer(old.WarmThroughput)
		d.WarmThroughput.Status = types.TableStatusUpdating
	}
	if o := in.OnDemandThroughput; o != nil {
		d.OnDemandThroughput = &types.OnDemandThroughput{MaxReadRequestUnits: o.MaxReadRequestUnits, MaxWriteRequestUnits: o.MaxWriteRequestUnits}
		if was := u.old.Desc.OnDemandThroughput; was != nil {
			d.OnDemandThroughput.MaxReadRequestUnits = cmp.Or(o.MaxReadRequestUnits, was.MaxReadRequestUnits)
			d.OnDemandThroughput.MaxWriteRequestUnits = cmp.Or(o.MaxWriteRequestUnits, was.MaxWriteRequestUnits)
		}
	}
	for _, x := range in.GlobalSecondaryIndexUpdates {
		u.answerIndex(d, x)
	}
	return d
}

func (u *tableUpdate) answerIndex(d *types.TableDescription, x types.GlobalSecondaryIndexUpdate) {
	name, _ := updatedIndex(x)
	was := slices.IndexFunc(u.old.Desc.GlobalSecondaryIndexes, named(name))
	if x.Delete != nil {
		g := u.old.clone().Desc.GlobalSecondaryIndexes[was]
		g.IndexStatus, g.Backfilling = types.IndexStatusDeleting, nil
		d.GlobalSecondaryIndexes = slices.Insert(d.GlobalSecondaryIndexes, min(was, len(d.GlobalSecondaryIndexes)), g)
		d.TableStatus = types.TableStatusUpdating
		return
	}
	at := slices.IndexFunc(d.GlobalSecondaryIndexes, named(name))
	if at < 0 {
		return // gone again already
	}
	g := &d.GlobalSecondaryIndexes[at]
	if x.Create != nil {
		g.IndexStatus, g.Backfilling = types.IndexStatusCreating, aws.Bool(false)
		d.TableStatus = types.TableStatusUpdating
		return
	}
	g.IndexStatus = types.IndexStatusUpdating
	if x.Update.ProvisionedThroughput != nil && u.def.mode() == u.old.mode() {
		showUnits(g.ProvisionedThroughput, u.old.Desc.GlobalSecondaryIndexes[was].ProvisionedThroughput)
	}
}

func named(index string) func(types.GlobalSecondaryIndexDescription) bool {
	return func(g types.GlobalSecondaryIndexDescription) bool { return aws.ToString(g.IndexName) == index }
}

// showUnits shows the throughput from before a change, with the times from
// after it.
func showUnits(d, old *types.ProvisionedThroughputDescription) {
	d.ReadCapacityUnits, d.WriteCapacityUnits = old.ReadCapacityUnits, old.WriteCapacityUnits
	d.NumberOfDecreasesToday = old.NumberOfDecreasesToday
}

func clonePointer[T any](p *T) *T {
	v := *p
	return &v
}
