package engine

import (
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Throughput is kept and answered as the service does, so that programs that
// manage it work. Nothing is ever throttled.

const (
	// maxUnits is the largest number of units that a request may name.
	maxUnits = 1_000_000_000_000
	// The warm throughput of every on-demand table and index.
	warmReads, warmWrites = 12000, 4000
)

func checkBilling(mode types.BillingMode, units *types.ProvisionedThroughput) error {
	switch {
	case mode == types.BillingModePayPerRequest && units != nil:
		return invalidParameter("Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST")
	case mode != types.BillingModePayPerRequest && units == nil:
		return invalidParameter("ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED")
	}
	return checkUnits(units)
}

func checkUnits(units *types.ProvisionedThroughput) error {
	if units == nil {
		return nil
	}
	if n := aws.ToInt64(units.ReadCapacityUnits); n > maxUnits {
		return invalid("Given value %d for ReadCapacityUnits is out of bounds", n)
	}
	if n := aws.ToInt64(units.WriteCapacityUnits); n > maxUnits {
		return invalid("Given value %d for WriteCapacityUnits is out of bounds", n)
	}
	return nil
}

// checkOnDemand checks the bounds of on-demand use at creation, of the table
// or of the named index.
func checkOnDemand(o *types.OnDemandThroughput, mode types.BillingMode, index string) error {
	if o == nil {
		return nil
	}
	of, at := "", "table"
	if index != "" {
		of, at = " for index: "+index, "index : "+index
	}
	for _, m := range onDemandMembers(o) {
		if m.value != nil && mode != types.BillingModePayPerRequest {
			return invalidParameter("%s for OnDemandThroughput%s cannot be specified when table BillingMode is PROVISIONED.", m.name, of)
		}
	}
	for _, m := range onDemandMembers(o) {
		if m.value != nil && *m.value < 1 {
			return invalidParameter("Requested %s for OnDemandThroughput for %s is outside of valid range", m.name, at)
		}
	}
	return nil
}

type member struct {
	name  string
	value *int64
}

func onDemandMembers(o *types.OnDemandThroughput) [2]member {
	return [2]member{{"MaxReadRequestUnits", o.MaxReadRequestUnits}, {"MaxWriteRequestUnits", o.MaxWriteRequestUnits}}
}

// checkWarm refuses a warm throughput below the one that a new table, or the
// named index, has anyway.
func checkWarm(w *types.WarmThroughput, units *types.ProvisionedThroughput, mode types.BillingMode, index string) error {
	if w == nil {
		return nil
	}
	at := warmOwner(index)
	if mode == types.BillingModePayPerRequest {
		if w.ReadUnitsPerSecond != nil && *w.ReadUnitsPerSecond < warmReads {
			return invalidParameter("Requested ReadUnitsPerSecond for WarmThroughput for %s is lower than initial throughput for OnDemand", at)
		}
		if w.WriteUnitsPerSecond != nil && *w.WriteUnitsPerSecond < warmWrites {
			return invalidParameter("Requested WriteUnitsPerSecond for WarmThroughput for %s is lower than initial throughput for OnDemand", at)
		}
		return nil
	}
	if units == nil {
		return nil
	}
	if w.ReadUnitsPerSecond != nil && *w.ReadUnitsPerSecond < *units.ReadCapacityUnits {
		return invalidParameter("Requested ReadUnitsPerSecond for WarmThroughput for %s is lower than ReadCapacityUnits of ProvisionedThroughput", at)
	}
	if w.WriteUnitsPerSecond != nil && *w.WriteUnitsPerSecond < *units.WriteCapacityUnits {
		return invalidParameter("Requested WriteUnitsPerSecond for WarmThroughput for %s is lower than WriteCapacityUnits of ProvisionedThroughput", at)
	}
	return nil
}

func warmOwner(index string) string {
	if index == "" {
		return "table"
	}
	return "index " + index
}

// provisioned describes new throughput; nil, as on demand, is zero.
func provisioned(units *types.ProvisionedThroughput) *types.ProvisionedThroughputDescription {
	d := &types.ProvisionedThroughputDescription{
		NumberOfDecreasesToday: aws.Int64(0), ReadCapacityUnits: aws.Int64(0), WriteCapacityUnits: aws.Int64(0),
	}
	if units != nil {
		d.ReadCapacityUnits, d.WriteCapacityUnits = units.ReadCapacityUnits, units.WriteCapacityUnits
	}
	return d
}

// onDemand returns the bounds as they are kept, nil if there are none.
func onDemand(o *types.OnDemandThroughput) *types.OnDemandThroughput {
	if o == nil || o.MaxReadRequestUnits == nil && o.MaxWriteRequestUnits == nil {
		return nil
	}
	return o
}

// warm returns what is warm: what was asked for, and at least what the
// billing mode gives.
func warm(asked *types.WarmThroughput, units *types.ProvisionedThroughputDescription, mode types.BillingMode) (reads, writes int64) {
	reads, writes = aws.ToInt64(units.ReadCapacityUnits), aws.ToInt64(units.WriteCapacityUnits)
	if mode == types.BillingModePayPerRequest {
		reads, writes = warmReads, warmWrites
	}
	if asked != nil {
		reads, writes = max(reads, aws.ToInt64(asked.ReadUnitsPerSecond)), max(writes, aws.ToInt64(asked.WriteUnitsPerSecond))
	}
	return reads, writes
}

func warmTable(reads, writes int64) *types.TableWarmThroughputDescription {
	return &types.TableWarmThroughputDescription{ReadUnitsPerSecond: &reads, WriteUnitsPerSecond: &writes, Status: types.TableStatusActive}
}

func warmIndex(reads, writes int64) *types.GlobalSecondaryIndexWarmThroughputDescription {
	return &types.GlobalSecondaryIndexWarmThroughputDescription{ReadUnitsPerSecond: &reads, WriteUnitsPerSecond: &writes, Status: types.IndexStatusActive}
}

// changeUnits sets new throughput and notes when it rose or fell.
func changeUnits(d *types.ProvisionedThroughputDescription, units *types.ProvisionedThroughput, now time.Time) {
	rose := *units.ReadCapacityUnits > *d.ReadCapacityUnits || *units.WriteCapacityUnits > *d.WriteCapacityUnits
	fell := *units.ReadCapacityUnits < *d.ReadCapacityUnits || *units.WriteCapacityUnits < *d.WriteCapacityUnits
	if rose {
		d.LastIncreaseDateTime = &now
	}
	if fell {
		d.NumberOfDecreasesToday = aws.Int64(decreasesOn(d, now) + 1)
		d.LastDecreaseDateTime = &now
	}
	d.ReadCapacityUnits, d.WriteCapacityUnits = units.ReadCapacityUnits, units.WriteCapacityUnits
}

// decreasesOn returns how often the throughput has been lowered on the day.
func decreasesOn(d *types.ProvisionedThroughputDescription, now time.Time) int64 {
	const day = 24 * time.Hour
	if d.LastDecreaseDateTime == nil || !d.LastDecreaseDateTime.UTC().Truncate(day).Equal(now.UTC().Truncate(day)) {
		return 0
	}
	return aws.ToInt64(d.NumberOfDecreasesToday)
}
