package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// validateUpdate checks what can be checked of an UpdateTable without the
// table, in DynamoDB's order.
func validateUpdate(in *dynamodb.UpdateTableInput) error {
	if err := checkTableName(in.TableName); err != nil {
		return err
	}
	if err := checkUpdateShape(in); err != nil {
		return err
	}
	if err := checkUpdateSupported(in); err != nil {
		return err
	}
	if !changesSomething(in) {
		return invalid("At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates, SSESpecification, ReplicaUpdates, MultiAccountReplicaReady, ReplicaTransitRoleArn, MultiRegionConsistency, DeletionProtectionEnabled, OnDemandThroughput, WarmThroughput or TableClass is required")
	}
	if err := checkTableClass(in.TableClass); err != nil {
		return err
	}
	if err := checkIndexUpdates(in); err != nil {
		return err
	}
	if err := checkOneConcern(in); err != nil {
		return err
	}
	if err := checkEncryption(in.SSESpecification); err != nil {
		return err
	}
	if err := checkUpdateStream(in.StreamSpecification); err != nil {
		return err
	}
	return checkUpdateBilling(in)
}

func checkUpdateShape(in *dynamodb.UpdateTableInput) error {
	var c checks
	c.definitions(in.AttributeDefinitions)
	c.enum("billingMode", string(in.BillingMode), "PROVISIONED", "PAY_PER_REQUEST")
	c.throughput("provisionedThroughput", in.ProvisionedThroughput)
	for i, u := range in.GlobalSecondaryIndexUpdates {
		at := fmt.Sprintf("globalSecondaryIndexUpdates.%d.member", i+1)
		if u.Update != nil {
			c.name(at+".update.indexName", u.Update.IndexName)
			c.throughput(at+".update.provisionedThroughput", u.Update.ProvisionedThroughput)
			c.present(at+".update.provisionedThroughput", u.Update.ProvisionedThroughput != nil || u.Update.OnDemandThroughput != nil || u.Update.WarmThroughput != nil)
		}
		if u.Create != nil {
			c.name(at+".create.indexName", u.Create.IndexName)
			c.throughput(at+".create.provisionedThroughput", u.Create.ProvisionedThroughput)
			c.keySchema(at+".create.keySchema", u.Create.KeySchema, 0)
			c.projection(at+".create.projection", u.Create.Projection)
		}
		if u.Delete != nil {
			c.name(at+".delete.indexName", u.Delete.IndexName)
		}
	}
	c.stream(in.StreamSpecification)
	c.encryption("sSESpecification", in.SSESpecification)
	return c.err()
}

func checkUpdateSupported(in *dynamodb.UpdateTableInput) error {
	switch {
	case in.VectorIndexUpdates != nil:
		return unsupported("Vector indexes")
	case in.ReplicaUpdates != nil, in.GlobalTableWitnessUpdates != nil, in.MultiRegionConsistency != "",
		in.GlobalTableSettingsReplicationMode != "", in.DisassociationProtectionEnabled != nil:
		return unsupported("Global tables")
	}
	return nil
}

func changesSomething(in *dynamodb.UpdateTableInput) bool {
	return len(in.GlobalSecondaryIndexUpdates) > 0 || changesTable(in)
}

// changesTable reports whether the request changes more than indexes.
func changesTable(in *dynamodb.UpdateTableInput) bool {
	return in.ProvisionedThroughput != nil || in.BillingMode != "" || in.StreamSpecification != nil ||
		in.SSESpecification != nil || in.DeletionProtectionEnabled != nil || in.OnDemandThroughput != nil ||
		in.WarmThroughput != nil || in.TableClass != ""
}

func checkIndexUpdates(in *dynamodb.UpdateTableInput) error {
	if in.GlobalSecondaryIndexUpdates != nil && len(in.GlobalSecondaryIndexUpdates) == 0 {
		return invalidParameter("List of GlobalSecondaryIndexUpdates is empty")
	}
	var names []string
	for _, u := range in.GlobalSecondaryIndexUpdates {
		name, given := updatedIndex(u)
		switch {
		case given == 0:
			return invalidParameter("One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, GlobalSecondaryIndexUpdate.Delete must not be null")
		case given > 1:
			return invalidParameter("Only one global secondary index action is allowed per GlobalSecondaryIndexUpdate object")
		case slices.Contains(names, name):
			return invalidParameter("Only one global secondary index update per index is allowed simultaneously. Index: %s", name)
		}
		names = append(names, name)
		if u.Create != nil {
			if err := checkCreatedIndex(createdSpec(u.Create), in.AttributeDefinitions); err != nil {
				return err
			}
		}
	}
	return nil
}

// updatedIndex returns the name of the index and how many actions an update
// has for it.
func updatedIndex(u types.GlobalSecondaryIndexUpdate) (name string, given int) {
	if u.Update != nil {
		name, given = aws.ToString(u.Update.IndexName), given+1
	}
	if u.Create != nil {
		name, given = aws.ToString(u.Create.IndexName), given+1
	}
	if u.Delete != nil {
		name, given = aws.ToString(u.Delete.IndexName), given+1
	}
	return name, given
}

// checkCreatedIndex checks an index that is added to a table. Its attributes
// must be defined in the request, also those that the table has defined.
func checkCreatedIndex(x indexSpec, defs []types.AttributeDefinition) error {
	if defs == nil {
		return invalidParameter("AttributeDefinitions is not specified for index: %s", x.name)
	}
	names := attributeNames(defs)
	if name, ok := duplicate(names); ok {
		return invalid("Attribute Name is duplicated: %s", name)
	}
	if err := checkDefined(keyNames(x.key), names); err != nil {
		return err
	}
	if err := checkParts(x.key); err != nil {
		return err
	}
	return checkProjection(x.projection)
}

// checkOneConcern refuses changes that an UpdateTable cannot make together.
// Amazon's page "UpdateTable" says so of some; the service of the others.
func checkOneConcern(in *dynamodb.UpdateTableInput) error {
	concerns := 0
	for _, is := range []bool{
		in.ProvisionedThroughput != nil || in.BillingMode != "", in.StreamSpecification != nil, in.SSESpecification != nil,
		in.DeletionProtectionEnabled != nil, in.OnDemandThroughput != nil, in.WarmThroughput != nil, in.TableClass != "",
		len(in.GlobalSecondaryIndexUpdates) > 0,
	} {
		if is {
			concerns++
		}
	}
	if concerns < 2 {
		return nil
	}
	created, deleted := indexesMoved(in)
	units := in.ProvisionedThroughput != nil || in.BillingMode == types.BillingModeProvisioned
	switch {
	case in.SSESpecification != nil:
		return invalidParameter("Server-Side Encryption modification must be the only operation in the request")
	case in.TableClass != "":
		return invalidParameter("TableClass modification must be the only operation in the request")
	case in.DeletionProtectionEnabled != nil:
		return invalidParameter("DeletionProtection modification must be the only operation in the request")
	case in.WarmThroughput != nil && created > 0:
		return invalidParameter("Create global secondary index cannot be specified when updating WarmThroughput")
	case in.WarmThroughput != nil:
		return invalidParameter("WarmThroughput must be the only operation in the request")
	case in.OnDemandThroughput != nil && (concerns > 2 || in.BillingMode == ""):
		return invalidParameter("OnDemandThroughput can only be combined with BillingMode in an UpdateTable request")
	case in.StreamSpecification != nil && units:
		return invalidParameter("You cannot modify stream status while updating table IOPS")
	case created+deleted > 0 && in.ProvisionedThroughput != nil:
		return invalidParameter("You cannot create or delete index while updating table IOPS")
	case created+deleted > 0 && in.StreamSpecification != nil:
		return invalidParameter("You cannot create or delete index while changing stream status")
	}
	return nil
}

func indexesMoved(in *dynamodb.UpdateTableInput) (created, deleted int) {
	for _, u := range in.GlobalSecondaryIndexUpdates {
		if u.Create != nil {
			created++
		}
		if u.Delete != nil {
			deleted++
		}
	}
	return created, deleted
}

func checkUpdateStream(s *types.StreamSpecification) error {
	switch {
	case s == nil:
		return nil
	case aws.ToBool(s.StreamEnabled) && s.StreamViewType == "":
		return invalidParameter("If stream is being enabled then UpdateViewType is required")
	case !aws.ToBool(s.StreamEnabled) && s.StreamViewType != "":
		return invalidParameter("If stream is being disabled, then UpdateViewType must not be specified")
	}
	return nil
}

func checkUpdateBilling(in *dynamodb.UpdateTableInput) error {
	switch {
	case in.BillingMode == types.BillingModeProvisioned && in.ProvisionedThroughput == nil:
		return invalidParameter("ProvisionedThroughput must be specified when BillingMode is PROVISIONED")
	case in.BillingMode == types.BillingModePayPerRequest && in.ProvisionedThroughput != nil:
		return invalidParameter("Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST")
	}
	return checkUnits(in.ProvisionedThroughput)
}

// unchanged words the refusal of throughput that is there already, of the
// table or of the named index.
func unchanged(index string, have *types.ProvisionedThroughputDescription, want *types.ProvisionedThroughput) error {
	what, of := "table", "the table"
	if index != "" {
		what, of = "index "+index, "index "+index
	}
	var b strings.Builder
	fmt.Fprintf(&b, "The provisioned throughput for the %s will not change. The requested value equals the current value. ", what)
	fmt.Fprintf(&b, "Current ReadCapacityUnits provisioned for %s: %d. Requested ReadCapacityUnits: %d. ", of, *have.ReadCapacityUnits, *want.ReadCapacityUnits)
	fmt.Fprintf(&b, "Current WriteCapacityUnits provisioned for %s: %d. Requested WriteCapacityUnits: %d. ", of, *have.WriteCapacityUnits, *want.WriteCapacityUnits)
	b.WriteString("Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits.")
	return invalid("%s", b.String())
}

func sameUnits(have *types.ProvisionedThroughputDescription, want *types.ProvisionedThroughput) bool {
	return *have.ReadCapacityUnits == *want.ReadCapacityUnits && *have.WriteCapacityUnits == *want.WriteCapacityUnits
}
