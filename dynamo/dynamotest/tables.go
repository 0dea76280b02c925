package dynamotest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// tableSpec is a table as scripts declare it. Its name is the script's; the
// target sees another, see suite.real.
type tableSpec struct {
	name  string
	input *dynamodb.CreateTableInput // nil for a table that a case makes itself
}

// declares reports a line that declares a table or a part of one.
func declares(line string) bool {
	word, _, _ := strings.Cut(line, " ")
	return slices.Contains([]string{"table", "name", "lsi", "gsi", "stream", "provisioned"}, word)
}

func (s *script) declare(line string) error {
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "name":
		s.tables = append(s.tables, &tableSpec{name: strings.TrimSpace(rest)})
		return nil
	case "table":
		spec, err := newTableSpec(rest)
		if err != nil {
			return err
		}
		s.tables = append(s.tables, spec)
		return nil
	}
	if len(s.tables) == 0 {
		return fmt.Errorf("%s before any table", word)
	}
	return s.tables[len(s.tables)-1].add(word, rest)
}

// newTableSpec reads "Name pk:S / sk:N".
func newTableSpec(text string) (*tableSpec, error) {
	name, keys, _ := strings.Cut(strings.TrimSpace(text), " ")
	spec := &tableSpec{name: name, input: &dynamodb.CreateTableInput{BillingMode: types.BillingModePayPerRequest}}
	var err error
	spec.input.KeySchema, _, err = spec.keys(strings.Fields(keys))
	return spec, err
}

// add reads a line that follows a table's own.
func (spec *tableSpec) add(word, text string) error {
	f := strings.Fields(text)
	in := spec.input
	switch word {
	case "stream":
		in.StreamSpecification = &types.StreamSpecification{StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewType(f[0])}
		return nil
	case "provisioned":
		in.BillingMode = types.BillingModeProvisioned
		in.ProvisionedThroughput = &types.ProvisionedThroughput{ReadCapacityUnits: aws.Int64(5), WriteCapacityUnits: aws.Int64(5)}
		return nil
	}
	if len(f) < 3 {
		return fmt.Errorf("an index has a name, keys and a projection: %q", text)
	}
	keys, rest, err := spec.keys(f[1:])
	if err != nil {
		return err
	}
	if len(rest) == 0 {
		return fmt.Errorf("an index needs a projection: %q", text)
	}
	projection := &types.Projection{ProjectionType: types.ProjectionType(rest[0])}
	if len(rest) > 1 {
		projection.NonKeyAttributes = strings.Split(rest[1], ",")
	}
	if word == "lsi" {
		in.LocalSecondaryIndexes = append(in.LocalSecondaryIndexes, types.LocalSecondaryIndex{IndexName: &f[0], KeySchema: keys, Projection: projection})
	} else {
		// On a provisioned table, an index has the throughput of its table.
		in.GlobalSecondaryIndexes = append(in.GlobalSecondaryIndexes, types.GlobalSecondaryIndex{
			IndexName: &f[0], KeySchema: keys, Projection: projection, ProvisionedThroughput: in.ProvisionedThroughput,
		})
	}
	return nil
}

// keys reads "a:S b:N / c:S" and returns the words that follow it.
func (spec *tableSpec) keys(words []string) (schema []types.KeySchemaElement, rest []string, err error) {
	kind := types.KeyTypeHash
	for i, w := range words {
		if w == "/" {
			kind = types.KeyTypeRange
			continue
		}
		name, typ, ok := strings.Cut(w, ":")
		if !ok {
			return schema, words[i:], nil
		}
		if len(typ) != 1 || !strings.Contains("SNB", typ) {
			return nil, nil, fmt.Errorf("a key has type S, N or B: %q", w)
		}
		schema = append(schema, types.KeySchemaElement{AttributeName: &name, KeyType: kind})
		spec.define(name, types.ScalarAttributeType(typ))
	}
	return schema, nil, nil
}

// define adds an attribute's type once.
func (spec *tableSpec) define(name string, typ types.ScalarAttributeType) {
	for _, d := range spec.input.AttributeDefinitions {
		if *d.AttributeName == name {
			return
		}
	}
	spec.input.AttributeDefinitions = append(spec.input.AttributeDefinitions, types.AttributeDefinition{AttributeName: &name, AttributeType: typ})
}
