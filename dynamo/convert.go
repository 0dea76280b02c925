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

func projected(expression *string, attributes []string, names map[string]string) engine.Projected {
	return engine.Projected{
		ProjectionExpression: expression,
		AttributesToGet:      attributes,
		Placeholders:         expr.Placeholders{Names: names},
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
