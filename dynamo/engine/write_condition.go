package engine

import (
	"pressroom/dynamo/attr"
	"pressroom/dynamo/expr"
)

// prepared is a conditional write whose expressions have been parsed.
type prepared struct {
	condition *expr.Condition
	update    *expr.Update
	charge    int  // of the update, if it counts towards the item's size
	onFailure bool // answer a failed condition with the item
}

// prepare parses the expressions of a conditional write, in the words of l.
// updateSource and updates are UpdateItem's; the others give none.
func (c *Conditional) prepare(l layer, updateSource *string, updates []expr.AttributeUpdate) (*prepared, error) {
	p := &prepared{onFailure: c.ReturnOnFailure == "ALL_OLD"}
	var err error
	if updates != nil {
		rewordAll(l, updates, faultOfUpdate)
		if p.update, err = expr.FromAttributeUpdates(updates); err != nil {
			return nil, l.word(err)
		}
	}
	if c.Expected != nil || c.ConditionalOperator != "" {
		rewordAll(l, c.Expected, faultOfExpected)
		if p.condition, err = expr.FromExpected(c.Expected, c.ConditionalOperator); err != nil {
			return nil, l.word(err)
		}
	}
	if updateSource == nil && c.ConditionExpression == nil {
		return p, nil
	}
	l.reword(&c.Placeholders)
	env, err := expr.NewEnv(c.Placeholders)
	if err != nil {
		return nil, l.word(err)
	}
	if updateSource != nil {
		if p.update, err = expr.ParseUpdate(*updateSource, env); err != nil {
			if ofSections(err) {
				err = l.word(err)
			}
			return nil, err
		}
	}
	if c.ConditionExpression != nil {
		if p.condition, err = expr.ParseCondition(expr.ConditionExpression, *c.ConditionExpression, env); err != nil {
			return nil, l.word(err)
		}
	}
	if updateSource != nil {
		l = older
	}
	return p, l.word(env.CheckUsed())
}

// prepareKeyed is prepare for a request with a key, whose fault is given. A
// transaction looks at the expressions of an action before its key.
func (c *Conditional) prepareKeyed(l layer, key error, updateSource *string, updates []expr.AttributeUpdate) (*prepared, error) {
	if key != nil && l != older {
		return nil, l.value(key)
	}
	p, err := c.prepare(l, updateSource, updates)
	if err == nil && key != nil {
		err = key
	}
	return p, err
}

func (c *Conditional) parameters(updateSource *string, updates []expr.AttributeUpdate, update bool) expr.Parameters {
	p := expr.Parameters{Names: c.Placeholders.Names != nil, Values: c.Placeholders.Values != nil}
	if update {
		p.Expressions = append(p.Expressions, expr.Parameter{Name: "UpdateExpression", Given: updateSource != nil})
		p.Legacy = append(p.Legacy, expr.Parameter{Name: "AttributeUpdates", Given: updates != nil})
	}
	p.Expressions = append(p.Expressions, expr.Parameter{Name: "ConditionExpression", Given: c.ConditionExpression != nil})
	p.Legacy = append(p.Legacy,
		expr.Parameter{Name: "Expected", Given: c.Expected != nil},
		expr.Parameter{Name: "ConditionalOperator", Given: c.ConditionalOperator != ""})
	return p
}

// checkPaths refuses looking inside a key attribute, which is a scalar.
func (p *prepared) checkPaths(s *shape) error {
	if err := s.checkScalars(p.condition.Nested()); err != nil {
		return err
	}
	return s.checkScalars(p.update.Nested())
}

// met returns the error of a condition that the item does not meet.
func (p *prepared) met(old attr.Item) error {
	if p.condition == nil || p.condition.Match(old) {
		return nil
	}
	err := newError(ConditionFailed, "The conditional request failed")
	if p.onFailure && old != nil {
		err.Item = old.Clone()
	}
	return err
}
