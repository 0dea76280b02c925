package engine

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/cockroachdb/pebble/v2"
)

// UpdateTable changes a table. The answer shows the change under way, with
// the values from before where the service shows them; it is done when the
// answer is there, except that an index added to a table with items is filled
// in the background.
func (e *Engine) UpdateTable(ctx context.Context, in *dynamodb.UpdateTableInput) (*dynamodb.UpdateTableOutput, error) {
	if err := e.enter(ctx); err != nil {
		return nil, err
	}
	defer e.store.Leave()
	if err := validateUpdate(in); err != nil {
		return nil, err
	}
	t, err := e.describedTable(*in.TableName)
	if err != nil {
		return nil, err
	}
	u := &tableUpdate{e: e, t: t, in: in, now: e.moment()}
	e.catalog.mu.Lock()
	u.taken = e.catalog.takenLabel(t.name)
	e.catalog.mu.Unlock()
	if err := e.alter(t, u.apply, u.stage); err != nil {
		return nil, err
	}
	if u.fill != "" {
		e.startBackfill(t, u.fill)
	}
	return &dynamodb.UpdateTableOutput{TableDescription: u.answer()}, nil
}

// tableUpdate is an UpdateTable on its way.
type tableUpdate struct {
	e   *Engine
	t   *table
	in  *dynamodb.UpdateTableInput
	now time.Time

	taken   string    // the last label of a stream that has the table's name
	old     *tableDef // as it was
	def     *tableDef // as it becomes
	fill    string    // the index to be filled
	dropped []indexID // whose entries go
}

func (u *tableUpdate) apply(def *tableDef) error {
	u.old, u.def = u.t.shape.Load().def, def
	for _, step := range []func() error{u.billing, u.indexes, u.stream, u.encryption, u.onDemand, u.warm} {
		if err := step(); err != nil {
			return err
		}
	}
	u.rest()
	return nil
}

func (u *tableUpdate) stage(b *pebble.Batch) error {
	for _, id := range u.dropped {
		prefix := appendRowPrefix(nil, u.t.id, id)
		if err := b.DeleteRange(prefix, prefixEnd(prefix), nil); err != nil {
			return err
		}
	}
	return nil
}

// mode returns the billing mode of a definition.
func (d *tableDef) mode() types.BillingMode {
	if s := d.Desc.BillingModeSummary; s != nil {
		return s.BillingMode
	}
	return types.BillingModeProvisioned
}

func (u *tableUpdate) billing() error {
	in, d := u.in, &u.def.Desc
	mode := u.def.mode()
	if in.BillingMode != "" {
		mode = in.BillingMode
	}
	if mode == types.BillingModePayPerRequest && in.ProvisionedThroughput != nil {
		return invalidParameter("Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST")
	}
	switched := mode != u.def.mode()
	if switched {
		u.switchMode(mode)
	}
	units := in.ProvisionedThroughput
	if units == nil {
		return nil
	}
	if !switched && sameUnits(d.ProvisionedThroughput, units) {
		return unchanged("", d.ProvisionedThroughput, units)
	}
	changeUnits(d.ProvisionedThroughput, units, u.now)
	raiseWarm(&d.WarmThroughput.ReadUnitsPerSecond, &d.WarmThroughput.WriteUnitsPerSecond, d.ProvisionedThroughput, mode)
	return nil
}

// switchMode changes the billing mode of the table and of its indexes. What
// was bounded on demand is not any more.
func (u *tableUpdate) switchMode(mode types.BillingMode) {
	d := &u.def.Desc
	if d.BillingModeSummary == nil {
		d.BillingModeSummary = &types.BillingModeSummary{}
	}
	d.BillingModeSummary.BillingMode = mode
	d.OnDemandThroughput = nil
	if mode == types.BillingModePayPerRequest {
		d.BillingModeSummary.LastUpdateToPayPerRequestDateTime = aws.Time(u.now)
		d.ProvisionedThroughput.ReadCapacityUnits, d.ProvisionedThroughput.WriteCapacityUnits = aws.Int64(0), aws.Int64(0)
		raiseWarm(&d.WarmThroughput.ReadUnitsPerSecond, &d.WarmThroughput.WriteUnitsPerSecond, d.ProvisionedThroughput, mode)
	}
	for i := range d.GlobalSecondaryIndexes {
		g := &d.GlobalSecondaryIndexes[i]
		g.OnDemandThroughput = nil
		if mode == types.BillingModePayPerRequest {
			g.ProvisionedThroughput.ReadCapacityUnits, g.ProvisionedThroughput.WriteCapacityUnits = aws.Int64(0), aws.Int64(0)
			raiseWarm(&g.WarmThroughput.ReadUnitsPerSecond, &g.WarmThroughput.WriteUnitsPerSecond, g.ProvisionedThroughput, mode)
		}
	}
}

// raiseWarm lifts the warm throughput to what the billing mode gives: it
// never falls.
func raiseWarm(reads, writes **int64, units *types.ProvisionedThroughputDescription, mode types.BillingMode) {
	r, w := warm(nil, units, mode)
	*reads, *writes = aws.Int64(max(r, aws.ToInt64(*reads))), aws.Int64(max(w, aws.ToInt64(*writes)))
}

func (u *tableUpdate) stream() error {
	s := u.in.StreamSpecification
	if s == nil {
		return nil
	}
	on := aws.ToBool(s.StreamEnabled)
	switch open := u.def.stream() != nil; {
	case on && open:
		return invalid("Table already has an enabled stream: TableName: %s", u.t.name)
	case !on && !open:
		return invalid("Table has no stream to disable: TableName: %s", u.t.name)
	case on:
		u.t.seq.atLeast(u.e.openStream(u.def, s.StreamViewType, u.t.seq.issued(), u.taken) - 1)
	default:
		u.e.closeStream(u.def, u.t.seq.issued())
	}
	return nil
}

func (u *tableUpdate) encryption() error {
	s, d := u.in.SSESpecification, &u.def.Desc
	if s == nil {
		return nil
	}
	next := u.e.encryption(s)
	switch {
	case next == nil && d.SSEDescription == nil:
		return invalidParameter("Table is already encrypted by default")
	case next != nil && d.SSEDescription != nil && s.KMSMasterKeyId != nil && *s.KMSMasterKeyId == aws.ToString(d.SSEDescription.KMSMasterKeyArn):
		return invalidParameter("Table is already encrypted with given KMSMasterKeyId. Use KMSMasterKeyId parameter if you want to change Master Key")
	}
	d.SSEDescription = next
	return nil
}

func (u *tableUpdate) onDemand() error {
	o, d := u.in.OnDemandThroughput, &u.def.Desc
	if o == nil {
		return nil
	}
	var err error
	d.OnDemandThroughput, err = mergeOnDemand(d.OnDemandThroughput, o, u.def.mode(), "")
	return err
}

// mergeOnDemand sets the bounds that a request gives, of the table or of the
// named index, and lifts those for which it gives -1.
func mergeOnDemand(have, want *types.OnDemandThroughput, mode types.BillingMode, index string) (*types.OnDemandThroughput, error) {
	of, at := "", "table"
	if index != "" {
		of, at = " for index : "+index, "index : "+index
	}
	for _, m := range onDemandMembers(want) {
		if m.value != nil && mode != types.BillingModePayPerRequest {
			return nil, invalidParameter("%s for OnDemandThroughput%s cannot be specified when the table BillingMode is PROVISIONED", m.name, of)
		}
	}
	for _, m := range onDemandMembers(want) {
		if m.value != nil && (*m.value == 0 || *m.value < -1) {
			return nil, invalidParameter("Requested %s for OnDemandThroughput for %s is outside of valid range", m.name, at)
		}
	}
	merged := &types.OnDemandThroughput{}
	if have != nil {
		*merged = *have
	}
	set := func(to **int64, v *int64) {
		switch {
		case v == nil:
		case *v == -1:
			*to = nil
		default:
			*to = v
		}
	}
	set(&merged.MaxReadRequestUnits, want.MaxReadRequestUnits)
	set(&merged.MaxWriteRequestUnits, want.MaxWriteRequestUnits)
	return onDemand(merged), nil
}

func (u *tableUpdate) warm() error {
	w, d := u.in.WarmThroughput, u.def.Desc.WarmThroughput
	if w == nil {
		return nil
	}
	return mergeWarm(&d.ReadUnitsPerSecond, &d.WriteUnitsPerSecond, w, "")
}

func mergeWarm(reads, writes **int64, w *types.WarmThroughput, index string) error {
	at := warmOwner(index)
	if w.ReadUnitsPerSecond != nil && *w.ReadUnitsPerSecond < aws.ToInt64(*reads) {
		return invalidParameter("Requested ReadUnitsPerSecond for WarmThroughput for %s is lower than current WarmThroughput, decreasing WarmThroughput is not supported", at)
	}
	if w.WriteUnitsPerSecond != nil && *w.WriteUnitsPerSecond < aws.ToInt64(*writes) {
		return invalidParameter("Requested WriteUnitsPerSecond for WarmThroughput for %s is lower than current WarmThroughput, decreasing WarmThroughput is not supported", at)
	}
	if w.ReadUnitsPerSecond != nil {
		*reads = w.ReadUnitsPerSecond
	}
	if w.WriteUnitsPerSecond != nil {
		*writes = w.WriteUnitsPerSecond
	}
	return nil
}

// rest makes the changes that cannot be refused.
func (u *tableUpdate) rest() {
	d := &u.def.Desc
	if u.in.DeletionProtectionEnabled != nil {
		d.DeletionProtectionEnabled = u.in.DeletionProtectionEnabled
	}
	if class := u.in.TableClass; class != "" && (d.TableClassSummary != nil || class != types.TableClassStandard) {
		d.TableClassSummary = &types.TableClassSummary{TableClass: class, LastUpdateDateTime: aws.Time(u.now)}
	}
}
