package engine

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// invalidParameter is how DynamoDB words most refusals of a definition.
func invalidParameter(format string, args ...any) *Error {
	return invalid("One or more parameter values were invalid: "+format, args...)
}

// validateCreate checks a CreateTable in DynamoDB's order: the name alone,
// the shape of the rest, billing, keys and their definitions, indexes, and
// then what is optional.
func validateCreate(in *dynamodb.CreateTableInput) error {
	if err := checkTableName(in.TableName); err != nil {
		return err
	}
	if err := checkCreateShape(in); err != nil {
		return err
	}
	if err := checkUnsupported(in); err != nil {
		return err
	}
	if err := checkBilling(in.BillingMode, in.ProvisionedThroughput); err != nil {
		return err
	}
	specs := append(localSpecs(in.LocalSecondaryIndexes), globalSpecs(in.GlobalSecondaryIndexes)...)
	if err := checkSchema(in, specs); err != nil {
		return err
	}
	if err := checkIndexes(in.KeySchema, specs, in.BillingMode); err != nil {
		return err
	}
	if err := checkOnDemand(in.OnDemandThroughput, in.BillingMode, ""); err != nil {
		return err
	}
	if err := checkWarm(in.WarmThroughput, in.ProvisionedThroughput, in.BillingMode, ""); err != nil {
		return err
	}
	if err := checkCreateStream(in.StreamSpecification); err != nil {
		return err
	}
	if err := checkEncryption(in.SSESpecification); err != nil {
		return err
	}
	if err := checkTableClass(in.TableClass); err != nil {
		return err
	}
	return checkTags(in.Tags, nil)
}

// checkTableName refuses the name of a table, for which an ARN may stand, in
// an operation on the table itself.
func checkTableName(name *string) error {
	if name == nil {
		return invalid("The parameter 'TableName' is required but was not present in the request")
	}
	var c checks
	c.nameOrARN("tableName", name)
	return c.err()
}

// nameOrARN checks a name for which the table's ARN may stand.
func (c *checks) nameOrARN(at string, name *string) {
	if name == nil || !strings.HasPrefix(*name, "arn:") {
		c.name(at, name)
		return
	}
	if a, ok := parseARN(*name); !ok || a.kind != "" {
		c.add(quote(*name), at, "Member must satisfy regular expression pattern: (arn:aws[a-z-]*:dynamodb:[a-z0-9-]*:[0-9]*:table/)?"+namePattern)
	}
}

// name checks a name that is given to something.
func (c *checks) name(at string, name *string) {
	if name == nil {
		c.present(at, false)
		return
	}
	if !validName(*name) {
		c.add(quote(*name), at, "Member must satisfy regular expression pattern: "+namePattern)
	}
	c.length(at, *name, 3, 255)
}

func (c *checks) length(at, value string, least, most int) {
	if len(value) < least {
		c.add(quote(value), at, fmt.Sprintf("Member must have length greater than or equal to %d", least))
	}
	if len(value) > most {
		c.add(quote(value), at, fmt.Sprintf("Member must have length less than or equal to %d", most))
	}
}

// attribute checks the name of an attribute.
func (c *checks) attribute(at string, name *string) {
	c.present(at, name != nil)
	if name != nil {
		c.length(at, *name, 1, 255)
	}
}

func checkCreateShape(in *dynamodb.CreateTableInput) error {
	var c checks
	c.present("attributeDefinitions", in.AttributeDefinitions != nil)
	c.definitions(in.AttributeDefinitions)
	c.enum("billingMode", string(in.BillingMode), "PROVISIONED", "PAY_PER_REQUEST")
	c.throughput("provisionedThroughput", in.ProvisionedThroughput)
	c.keySchema("keySchema", in.KeySchema, 2)
	for i, g := range in.GlobalSecondaryIndexes {
		at := fmt.Sprintf("globalSecondaryIndexes.%d.member", i+1)
		c.name(at+".indexName", g.IndexName)
		c.throughput(at+".provisionedThroughput", g.ProvisionedThroughput)
		c.keySchema(at+".keySchema", g.KeySchema, 0)
		c.projection(at+".projection", g.Projection)
	}
	for i, l := range in.LocalSecondaryIndexes {
		at := fmt.Sprintf("localSecondaryIndexes.%d.member", i+1)
		c.name(at+".indexName", l.IndexName)
		c.keySchema(at+".keySchema", l.KeySchema, 2)
		c.projection(at+".projection", l.Projection)
	}
	c.stream(in.StreamSpecification)
	c.encryption("sSESpecification", in.SSESpecification)
	c.tags(in.Tags)
	return c.err()
}

func (c *checks) definitions(defs []types.AttributeDefinition) {
	for i, d := range defs {
		at := fmt.Sprintf("attributeDefinitions.%d.member", i+1)
		c.attribute(at+".attributeName", d.AttributeName)
		c.present(at+".attributeType", d.AttributeType != "")
		c.enum(at+".attributeType", string(d.AttributeType), "B", "N", "S")
	}
}

// keySchema checks a key of at most most elements; 0 is no bound.
func (c *checks) keySchema(at string, key []types.KeySchemaElement, most int) {
	switch {
	case key == nil:
		c.present(at, false)
	case len(key) == 0:
		c.add("'[]'", at, "Member must have length greater than or equal to 1")
	case most > 0 && len(key) > most:
		c.add(quote(keyText(key)), at, fmt.Sprintf("Member must have length less than or equal to %d", most))
	}
	for i, k := range key {
		at := fmt.Sprintf("%s.%d.member", at, i+1)
		c.attribute(at+".attributeName", k.AttributeName)
		c.present(at+".keyType", k.KeyType != "")
		c.enum(at+".keyType", string(k.KeyType), "HASH", "RANGE")
	}
}

// keyText shows a key as DynamoDB does in its messages.
func keyText(key []types.KeySchemaElement) string {
	parts := make([]string, len(key))
	for i, k := range key {
		parts[i] = fmt.Sprintf("KeySchemaElement(attributeName=%s, keyType=%s)", aws.ToString(k.AttributeName), k.KeyType)
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// maxNonKey is how many attributes an index may name in its projection;
// maxNonKeyAll is how many all indexes of a table may name together.
const (
	maxNonKey    = 20
	maxNonKeyAll = 100
)

func (c *checks) projection(at string, p *types.Projection) {
	if p == nil {
		c.present(at, false)
		return
	}
	c.enum(at+".projectionType", string(p.ProjectionType), "ALL", "INCLUDE", "KEYS_ONLY")
	at += ".nonKeyAttributes"
	if p.NonKeyAttributes != nil && len(p.NonKeyAttributes) == 0 {
		c.add("'[]'", at, "Member must have length greater than or equal to 1")
	}
	if len(p.NonKeyAttributes) > maxNonKey {
		c.add(quote("["+strings.Join(p.NonKeyAttributes, ", ")+"]"), at, fmt.Sprintf("Member must have length less than or equal to %d", maxNonKey))
	}
	for i, name := range p.NonKeyAttributes {
		c.length(fmt.Sprintf("%s.%d.member", at, i+1), name, 1, 255)
	}
}

func (c *checks) throughput(at string, p *types.ProvisionedThroughput) {
	if p != nil {
		c.units(at+".writeCapacityUnits", p.WriteCapacityUnits)
		c.units(at+".readCapacityUnits", p.ReadCapacityUnits)
	}
}

func (c *checks) units(at string, v *int64) {
	c.present(at, v != nil)
	if v != nil && *v < 1 {
		c.add(quote(strconv.FormatInt(*v, 10)), at, "Member must have value greater than or equal to 1")
	}
}

func (c *checks) stream(s *types.StreamSpecification) {
	if s != nil {
		c.present("streamSpecification.streamEnabled", s.StreamEnabled != nil)
		c.enum("streamSpecification.streamViewType", string(s.StreamViewType), "NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES", "KEYS_ONLY")
	}
}

func (c *checks) encryption(at string, s *types.SSESpecification) {
	if s != nil {
		c.enum(at+".sSEType", string(s.SSEType), "AES256", "KMS")
	}
}

// checkUnsupported refuses what would be left undone if it were accepted.
func checkUnsupported(in *dynamodb.CreateTableInput) error {
	switch {
	case in.VectorIndexes != nil:
		return unsupported("Vector indexes")
	case in.GlobalTableSourceArn != nil, in.GlobalTableSettingsReplicationMode != "":
		return unsupported("Global tables")
	case in.ResourcePolicy != nil:
		return checkPolicy(*in.ResourcePolicy)
	}
	return nil
}

func unsupported(what string) error {
	return invalidParameter("%s are not supported by this store", what)
}

func checkCreateStream(s *types.StreamSpecification) error {
	switch {
	case s == nil:
		return nil
	case aws.ToBool(s.StreamEnabled) && s.StreamViewType == "":
		return invalidParameter("Table is being created with a stream enabled, UpdateViewType is required")
	case !aws.ToBool(s.StreamEnabled) && s.StreamViewType != "":
		return invalidParameter("Table is being created with a stream disabled, UpdateViewType should not be specified")
	}
	return nil
}

func checkTableClass(class types.TableClass) error {
	if class == "" || slices.Contains(class.Values(), class) {
		return nil
	}
	return invalid("Invalid table-class parameter provided. Please try again with a valid table-class value: [STANDARD, STANDARD_INFREQUENT_ACCESS].")
}

// checkSchema fits the keys of the table and its indexes and the attribute
// definitions to each other.
func checkSchema(in *dynamodb.CreateTableInput, specs []indexSpec) error {
	defs, key := attributeNames(in.AttributeDefinitions), keyNames(in.KeySchema)
	if name, ok := duplicate(defs); ok {
		return invalid("Attribute Name is duplicated: %s", name)
	}
	if len(key) > len(defs) {
		return invalid("Invalid KeySchema: Some index key attribute have no definition")
	}
	if err := checkDefined(key, defs); err != nil {
		return err
	}
	if err := checkPair(in.KeySchema); err != nil {
		return err
	}
	if in.LocalSecondaryIndexes == nil && in.GlobalSecondaryIndexes == nil {
		if len(key) != len(defs) {
			return invalidParameter("Number of attributes in KeySchema does not exactly match number of attributes defined in AttributeDefinitions")
		}
		return nil
	}
	switch {
	case in.LocalSecondaryIndexes != nil && len(in.LocalSecondaryIndexes) == 0:
		return invalidParameter("List of LocalSecondaryIndexes is empty")
	case in.GlobalSecondaryIndexes != nil && len(in.GlobalSecondaryIndexes) == 0:
		return invalidParameter("List of GlobalSecondaryIndexes is empty")
	case in.LocalSecondaryIndexes != nil && len(key) < 2:
		return invalidParameter("Table KeySchema does not have a range key, which is required when specifying a LocalSecondaryIndex")
	}
	used := slices.Clone(key)
	for _, x := range specs {
		names := keyNames(x.key)
		if err := checkDefined(names, defs); err != nil {
			return err
		}
		if _, twice := duplicate(names); twice && !x.local {
			return errSameName // ahead of definitions that are not used
		}
		used = append(used, names...)
	}
	slices.Sort(used)
	used = slices.Compact(used)
	if len(used) != len(defs) {
		return invalidParameter("Some AttributeDefinitions are not used. AttributeDefinitions: %s, keys used: %s", listText(defs), listText(used))
	}
	return nil
}

func checkDefined(names, defs []string) error {
	for _, name := range names {
		if !slices.Contains(defs, name) {
			return invalidParameter("Some index key attributes are not defined in AttributeDefinitions. Keys: %s, AttributeDefinitions: %s", listText(names), listText(defs))
		}
	}
	return nil
}

// checkPair checks the key of a table or of a local index: one partition
// attribute, then perhaps one sort attribute.
func checkPair(key []types.KeySchemaElement) error {
	if len(key) == 2 && aws.ToString(key[0].AttributeName) == aws.ToString(key[1].AttributeName) {
		return invalid("Both the Hash Key and the Range Key element in the KeySchema have the same name")
	}
	if key[0].KeyType != types.KeyTypeHash {
		return invalid("Invalid KeySchema: The first KeySchemaElement is not a HASH key type")
	}
	if len(key) == 2 && key[1].KeyType != types.KeyTypeRange {
		return invalid("Invalid KeySchema: The second KeySchemaElement is not a RANGE key type")
	}
	return nil
}

func attributeNames(defs []types.AttributeDefinition) []string {
	names := make([]string, len(defs))
	for i, d := range defs {
		names[i] = aws.ToString(d.AttributeName)
	}
	return names
}

func keyNames(key []types.KeySchemaElement) []string {
	names := make([]string, len(key))
	for i, k := range key {
		names[i] = aws.ToString(k.AttributeName)
	}
	return names
}

func duplicate(names []string) (string, bool) {
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return name, true
		}
	}
	return "", false
}

func listText(names []string) string { return "[" + strings.Join(names, ", ") + "]" }
