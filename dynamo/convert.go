package dynamo

import (
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"pressroom/dynamo/attr"
	"pressroom/dynamo/engine"
	"pressroom/dynamo/expr"
)

// The parts that the inputs of several operations share, from the SDK's types
// to the engine's. Go's maps have no order; where the engine wants one, it is
// that of the names, so that the same input has the same answer.

// itemFromSDK takes a map of values. A value that DynamoDB does not accept is
// noted, for the engine to report when its turn comes.
func itemFromSDK(m map[string]types.AttributeValue, invalid *engine.Invalid) attr.Item {
	if m == nil {
		return nil
	}
	it, err := attr.ItemFromSDK(m)
	if err != nil {
		invalid.Note(err)
	}
	if it == nil {
		it = attr.Item{} // given, if empty
	}
	return it
}

func placeholders(names map[string]string, values map[string]types.AttributeValue) expr.Placeholders {
	p := expr.Placeholders{Names: names}
	if values == nil {
		return p
	}
	p.Values = make(map[string]attr.Value, len(values))
	for key, av := range values {
		v, err := attr.FromSDK(av)
		if err != nil {
			if p.Invalid == nil || key < p.InvalidKey {
				p.Invalid, p.InvalidKey = err, key
			}
			v = attr.NewNull()
		}
		p.Values[key] = v
	}
	return p
}

// conditional takes the condition of a write, which the actions of a transaction
// have too.
func conditional(expression *string, names map[string]string, values map[string]types.AttributeValue, onFailure types.ReturnValuesOnConditionCheckFailure) engine.Conditional {
	return engine.Conditional{
		ConditionExpression: expression,
		Placeholders:        placeholders(names, values),
		ReturnOnFailure:     string(onFailure),
	}
}

// expecting takes the older form of a condition.
func expecting(c *engine.Conditional, expected map[string]types.ExpectedAttributeValue, operator types.ConditionalOperator) {
	c.Expected = expectations(expected)
	c.ConditionalOperator = string(operator)
}

// returning takes what a write is to answer.
func returning(c *engine.Conditional, values types.ReturnValue, capacity types.ReturnConsumedCapacity, collections types.ReturnItemCollectionMetrics) {
	c.ReturnValues = string(values)
	c.ReturnConsumedCapacity = string(capacity)
	c.ReturnCollections = string(collections)
}

// keyed takes the table and key of a write.
func keyed(table *string, key map[string]types.AttributeValue, c engine.Conditional) engine.Keyed {
	k := engine.Keyed{TableName: table, Conditional: c}
	k.Key = itemFromSDK(key, &k.Invalid)
	return k
}

// projected takes what a read is to answer of an item. values, which its other
// expressions use, may be nil.
func projected(expression *string, attributes []string, names map[string]string, values map[string]types.AttributeValue) engine.Projected {
	return engine.Projected{
		ProjectionExpression: expression,
		AttributesToGet:      attributes,
		Placeholders:         placeholders(names, values),
	}
}

// sorted walks a map in the order of its names.
func sorted[V any](m map[string]V, visit func(string, V)) {
	for _, name := range slices.Sorted(maps.Keys(m)) {
		visit(name, m[name])
	}
}

func valuesFromSDK(list []types.AttributeValue, invalid *error) []attr.Value {
	if list == nil {
		return nil
	}
	out := make([]attr.Value, len(list))
	for i, av := range list {
		out[i] = valueFromSDK(av, invalid)
	}
	return out
}

// valueFromSDK keeps the first error in *invalid.
func valueFromSDK(av types.AttributeValue, invalid *error) attr.Value {
	v, err := attr.FromSDK(av)
	if err == nil {
		return v
	}
	if *invalid == nil {
		*invalid = err
	}
	return attr.NewNull()
}

func expectations(m map[string]types.ExpectedAttributeValue) []expr.Expectation {
	if m == nil {
		return nil
	}
	out := make([]expr.Expectation, 0, len(m))
	sorted(m, func(name string, e types.ExpectedAttributeValue) {
		x := expr.Expectation{
			Attribute: name,
			Exists:    e.Exists,
			Operator:  string(e.ComparisonOperator),
			HasValues: e.AttributeValueList != nil,
		}
		if e.Value != nil {
			x.Value = valueFromSDK(e.Value, &x.Invalid)
		}
		x.Values = valuesFromSDK(e.AttributeValueList, &x.Invalid)
		out = append(out, x)
	})
	return out
}

func conditions(m map[string]types.Condition) []expr.LegacyCondition {
	if m == nil {
		return nil
	}
	out := make([]expr.LegacyCondition, 0, len(m))
	sorted(m, func(name string, c types.Condition) {
		x := expr.LegacyCondition{Attribute: name, Operator: string(c.ComparisonOperator)}
		x.Values = valuesFromSDK(c.AttributeValueList, &x.Invalid)
		out = append(out, x)
	})
	return out
}

// incomplete reports a condition that the SDK's client does not send.
func incomplete(m map[string]types.Condition) bool {
	for _, c := range m {
		if c.ComparisonOperator == "" {
			return true
		}
	}
	return false
}

func updates(m map[string]types.AttributeValueUpdate) []expr.AttributeUpdate {
	if m == nil {
		return nil
	}
	out := make([]expr.AttributeUpdate, 0, len(m))
	sorted(m, func(name string, u types.AttributeValueUpdate) {
		x := expr.AttributeUpdate{Attribute: name, Action: string(u.Action)}
		if u.Value != nil {
			x.Value = valueFromSDK(u.Value, &x.Invalid)
		}
		out = append(out, x)
	})
	return out
}
