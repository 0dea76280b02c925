package engine

import (
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// indexSpec is what a request says of an index that it creates, whichever
// request and kind of index it is.
type indexSpec struct {
	name       string
	local      bool
	key        []types.KeySchemaElement
	projection *types.Projection
	units      *types.ProvisionedThroughput
	onDemand   *types.OnDemandThroughput
	warm       *types.WarmThroughput
}

const (
	maxLocal  = 5
	maxGlobal = 20
	// maxKeyParts is how many attributes each half of a global index's key
	// may have.
	maxKeyParts = 4
)

func localSpecs(list []types.LocalSecondaryIndex) []indexSpec {
	specs := make([]indexSpec, len(list))
	for i, l := range list {
		specs[i] = indexSpec{name: aws.ToString(l.IndexName), local: true, key: l.KeySchema, projection: l.Projection}
	}
	return specs
}

func globalSpecs(list []types.GlobalSecondaryIndex) []indexSpec {
	specs := make([]indexSpec, len(list))
	for i, g := range list {
		specs[i] = indexSpec{
			name: aws.ToString(g.IndexName), key: g.KeySchema, projection: g.Projection,
			units: g.ProvisionedThroughput, onDemand: g.OnDemandThroughput, warm: g.WarmThroughput,
		}
	}
	return specs
}

func createdSpec(a *types.CreateGlobalSecondaryIndexAction) indexSpec {
	return indexSpec{
		name: aws.ToString(a.IndexName), key: a.KeySchema, projection: a.Projection,
		units: a.ProvisionedThroughput, onDemand: a.OnDemandThroughput, warm: a.WarmThroughput,
	}
}

// checkIndexes checks the indexes of a new table, local ones first.
func checkIndexes(tableKey []types.KeySchemaElement, specs []indexSpec, mode types.BillingMode) error {
	var names []string
	local, global, nonKey := 0, 0, 0
	for _, x := range specs {
		check := x.checkGlobal
		if x.local {
			check = func(types.BillingMode) error { return x.checkLocal(tableKey) }
			local++
		} else {
			global++
		}
		if err := check(mode); err != nil {
			return err
		}
		if slices.Contains(names, x.name) {
			return invalidParameter("Duplicate index name: %s", x.name)
		}
		names = append(names, x.name)
		nonKey += len(x.projection.NonKeyAttributes)
	}
	switch {
	case local > maxLocal:
		return invalidParameter("Number of LocalSecondaryIndexes exceeds per-table limit of %d", maxLocal)
	case global > maxGlobal:
		return invalidParameter("GlobalSecondaryIndex count exceeds the per-table limit of %d", maxGlobal)
	case nonKey > maxNonKeyAll:
		return tooManyProjected()
	}
	return nil
}

func tooManyProjected() error {
	return invalidParameter("The number of NonKeyAttributes of all secondary indexes together exceeds the per-table limit of %d", maxNonKeyAll)
}

func (x *indexSpec) checkLocal(tableKey []types.KeySchemaElement) error {
	if err := checkPair(x.key); err != nil {
		return err
	}
	if len(x.key) != 2 {
		return invalidParameter("Index KeySchema does not have a range key for index: %s", x.name)
	}
	if hash, want := aws.ToString(x.key[0].AttributeName), aws.ToString(tableKey[0].AttributeName); hash != want {
		return invalidParameter("Index KeySchema does not have the same leading hash key as table KeySchema for index: %s. index hash key: %s, table hash key: %s", x.name, hash, want)
	}
	return checkProjection(x.projection)
}

func (x *indexSpec) checkGlobal(mode types.BillingMode) error {
	if err := checkParts(x.key); err != nil {
		return err
	}
	if err := checkProjection(x.projection); err != nil {
		return err
	}
	switch {
	case mode == types.BillingModePayPerRequest && x.units != nil:
		return invalidParameter("ProvisionedThroughput should not be specified for index: %s when BillingMode is PAY_PER_REQUEST", x.name)
	case mode != types.BillingModePayPerRequest && x.units == nil:
		return invalidParameter("ProvisionedThroughput is not specified for index: %s", x.name)
	}
	if err := checkUnits(x.units); err != nil {
		return err
	}
	if err := checkOnDemand(x.onDemand, mode, x.name); err != nil {
		return err
	}
	return checkWarm(x.warm, x.units, mode, x.name)
}

var errSameName = invalid("The KeySchema contains multiple key attributes with the same name")

// checkParts checks the key of a global index: up to four partition
// attributes, then up to four sort attributes.
func checkParts(key []types.KeySchemaElement) error {
	if _, ok := duplicate(keyNames(key)); ok {
		return errSameName
	}
	if key[0].KeyType != types.KeyTypeHash {
		return invalid("Invalid KeySchema: The first KeySchemaElement is not a HASH key type")
	}
	hash, sort := 0, 0
	for _, k := range key {
		switch {
		case k.KeyType == types.KeyTypeRange:
			sort++
		case sort > 0:
			return invalidParameter("All HASH key attributes must precede RANGE key attributes in the KeySchema")
		default:
			hash++
		}
	}
	if hash > maxKeyParts {
		return invalidParameter("The KeySchema exceeds the maximum allowed number of HASH key attributes")
	}
	if sort > maxKeyParts {
		return invalidParameter("The KeySchema exceeds the maximum allowed number of RANGE key attributes")
	}
	return nil
}

func checkProjection(p *types.Projection) error {
	switch kind := p.ProjectionType; {
	case kind == "":
		return invalidParameter("Unknown ProjectionType: null")
	case kind == types.ProjectionTypeInclude && p.NonKeyAttributes == nil:
		return invalidParameter("ProjectionType is INCLUDE, but NonKeyAttributes is not specified")
	case kind != types.ProjectionTypeInclude && p.NonKeyAttributes != nil:
		return invalidParameter("ProjectionType is %s, but NonKeyAttributes is specified", kind)
	}
	if name, ok := duplicate(p.NonKeyAttributes); ok {
		return invalidParameter("Duplicate element in NonKeyAttributes: %s", name)
	}
	return nil
}
