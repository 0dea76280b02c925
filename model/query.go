package model

import (
	"fmt"
	"maps"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// lastRune is above every text that a key can go on with.
const lastRune = "\U0010FFFF"

// query turns the pattern, its arguments and a window into a request without a
// limit.
func (v *view) query(args Values, w Window) (*dynamodb.QueryInput, error) {
	q, err := v.request(args, w)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", v.pattern.Name, err)
	}
	return q, nil
}

func (v *view) request(args Values, w Window) (*dynamodb.QueryInput, error) {
	p, t := v.pattern, v.table
	if p.Op != Query {
		return nil, fmt.Errorf("finds one item and makes no list")
	}
	values, err := v.values(args)
	if err != nil {
		return nil, err
	}
	pk, sk, err := t.KeyOf(p.Index)
	if err != nil {
		return nil, err
	}
	e, ok := t.Entity(p.Yields[0])
	if !ok {
		return nil, fmt.Errorf("no entity %s", p.Yields[0])
	}
	pkForm, skForm, err := t.Keys(p, e)
	if err != nil {
		return nil, err
	}
	text, err := pkForm.Render(values)
	if err != nil {
		return nil, err
	}
	value, err := keyValue(pk, text, maxPartitionKey)
	if err != nil {
		return nil, err
	}
	condition := expression.Key(pk.Name).Equal(expression.Value(value))
	sorted, bounded, err := v.sortCondition(sk, skForm, values, w)
	if err != nil {
		return nil, err
	}
	if bounded {
		condition = condition.And(sorted)
	}
	expr, err := expression.NewBuilder().WithKeyCondition(condition).Build()
	if err != nil {
		return nil, err
	}
	q := &dynamodb.QueryInput{
		TableName: &t.Name, KeyConditionExpression: expr.KeyCondition(),
		ExpressionAttributeNames: expr.Names(), ExpressionAttributeValues: expr.Values(),
		ScanIndexForward: aws.Bool(!p.Desc),
	}
	if p.Index != "" {
		q.IndexName = &p.Index
	}
	if p.Strong {
		q.ConsistentRead = aws.Bool(true)
	}
	return q, nil
}

// sortCondition is the condition on the sort key; false if there is none.
func (v *view) sortCondition(sk Key, form Template, values Values, w Window) (c expression.KeyConditionBuilder, bounded bool, err error) {
	begins, err := v.pattern.beginning(values)
	if err != nil {
		return c, false, err
	}
	key := expression.Key(sk.Name)
	if w == (Window{}) {
		if begins == "" {
			return c, false, nil
		}
		return key.BeginsWith(begins), true, nil
	}
	if v.pattern.Range == "" {
		return c, false, fmt.Errorf("takes no bounds")
	}
	lower, upper := begins, ""
	if begins != "" {
		upper = begins + lastRune
	}
	if w.From != "" {
		if lower, err = bound(form, values, v.pattern.Range, w.From); err != nil {
			return c, false, err
		}
	}
	if w.To != "" {
		if upper, err = bound(form, values, v.pattern.Range, w.To); err != nil {
			return c, false, err
		}
		if sk.Kind.DynamoDB() != "N" {
			upper += lastRune
		}
	}
	return between(key, sk, lower, upper)
}

func between(key expression.KeyBuilder, sk Key, lower, upper string) (c expression.KeyConditionBuilder, bounded bool, err error) {
	var low, high types.AttributeValue
	if lower != "" {
		if low, err = keyValue(sk, lower, maxSortKey); err != nil {
			return c, false, err
		}
	}
	if upper != "" {
		if high, err = keyValue(sk, upper, maxSortKey); err != nil {
			return c, false, err
		}
	}
	switch {
	case lower != "" && upper != "" && sk.Kind.DynamoDB() != "N" && lower > upper:
		return c, false, fmt.Errorf("the window ends before it begins")
	case lower == "":
		return key.LessThanEqual(expression.Value(high)), true, nil
	case upper == "":
		return key.GreaterThanEqual(expression.Value(low)), true, nil
	}
	return key.Between(expression.Value(low), expression.Value(high)), true, nil
}

// bound renders the sort key up to the first place where the variable stands as
// a whole, or to the first part of a time that the value does not reach.
func bound(form Template, values Values, name, value string) (string, error) {
	c, err := compile(form)
	if err != nil {
		return "", err
	}
	with := maps.Clone(values)
	with[name] = value
	var b strings.Builder
	for i, s := range c.segments {
		if i > 0 {
			b.WriteByte('#')
		}
		b.WriteString(s.before)
		if s.name == "" {
			continue
		}
		text, ok := with[s.name]
		if !ok {
			return "", fmt.Errorf("%s comes after %s, which has no value", name, s.name)
		}
		text, err := s.format.write(text)
		if err != nil && s.name == name && s.format.kind == timePart && isTimePrefix(value) {
			return b.String(), nil
		}
		if err != nil {
			return "", fmt.Errorf("%s: %w", s.name, err)
		}
		if !c.raw {
			text = escape(text)
		}
		b.WriteString(text)
		if s.name == name && s.format.kind != timePart {
			return b.String(), nil
		}
		b.WriteString(s.after)
	}
	return "", fmt.Errorf("the key does not hold %s", name)
}
