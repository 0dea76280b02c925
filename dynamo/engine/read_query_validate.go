package engine

import (
	"strings"

	"pressroom/dynamo/expr"
)

// readExpressions are the parsed expressions of a Query or Scan.
type readExpressions struct {
	key        *expr.KeyCondition
	filter     *expr.Condition
	projection *expr.Projection
}

func (r *Query) validate() (*readExpressions, error) {
	if err := r.checkShape(); err != nil {
		return nil, err
	}
	given := expr.Parameters{
		Expressions: []expr.Parameter{
			{Name: "ProjectionExpression", Given: r.ProjectionExpression != nil},
			{Name: "FilterExpression", Given: r.FilterExpression != nil},
			{Name: "KeyConditionExpression", Given: r.KeyConditionExpression != nil},
		},
		Legacy: []expr.Parameter{
			{Name: "AttributesToGet", Given: r.AttributesToGet != nil},
			{Name: "QueryFilter", Given: r.Filter != nil},
			{Name: "ConditionalOperator", Given: r.ConditionalOperator != ""},
			// KeyConditions may stand beside other expressions.
			{Name: "KeyConditions", Given: r.KeyConditions != nil && r.KeyConditionExpression != nil},
		},
		Names:  r.Placeholders.Names != nil,
		Values: r.Placeholders.Values != nil,
	}
	if err := given.Check(); err != nil {
		return nil, err
	}
	newer.reword(&r.Placeholders)
	rewordAll(newer, r.Filter, faultOfCondition)
	rewordAll(newer, r.KeyConditions, faultOfCondition)
	q := new(readExpressions)
	if err := q.legacy(r.Filter, r.ConditionalOperator, r.AttributesToGet); err != nil {
		return nil, err
	}
	if err := startKeyError(newer.value(r.Invalid.Err)); err != nil {
		return nil, err
	}
	if r.KeyConditions == nil && r.KeyConditionExpression == nil {
		return nil, invalid("Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.")
	}
	if err := q.parse(r.KeyConditionExpression, r.FilterExpression, &r.Projected); err != nil {
		return nil, err
	}
	if r.KeyConditions != nil {
		var err error
		if q.key, err = expr.FromKeyConditions(r.KeyConditions); err != nil {
			return nil, err
		}
	}
	return q, listed.word(checkSelect(r.Select, r.IndexName, &r.Projected))
}

func (r *Query) checkShape() error {
	if err := checkOperator(r.ConditionalOperator); err != nil {
		return err
	}
	var c checks
	c.selects(r.Select)
	c.indexName(r.IndexName)
	c.capacity(r.ReturnConsumedCapacity)
	for _, f := range r.Filter {
		c.comparison("queryFilter", f.Attribute, f.Operator)
	}
	c.tableName(r.TableName)
	c.attributesToGet(r.AttributesToGet)
	for _, k := range r.KeyConditions {
		c.comparison("keyConditions", k.Attribute, k.Operator)
	}
	if err := c.err(); err != nil {
		return err
	}
	if r.Limit != nil && *r.Limit < 1 {
		return invalid("1 validation error detected: Value at 'Limit' failed to satisfy constraint: Member must have value greater than or equal to 1")
	}
	return nil
}

// checkOperator refuses a ConditionalOperator ahead of all else, in words that
// name another set than the one that is accepted.
func checkOperator(operator string) error {
	switch operator {
	case "", "AND", "OR":
		return nil
	}
	return invalid("Failed to satisfy constraint: Member must satisfy enum value set: [ALL, OR]")
}

// legacy takes the older forms of filter and projection.
func (q *readExpressions) legacy(filter []expr.LegacyCondition, operator string, names []string) (err error) {
	if filter != nil || operator != "" {
		if q.filter, err = expr.FromFilter(filter, operator); err != nil {
			return err
		}
	}
	if names != nil {
		q.projection, err = expr.FromAttributesToGet(names)
	}
	return err
}

// parse parses the expressions of a read and refuses placeholders that none
// of them uses.
func (q *readExpressions) parse(key, filter *string, p *Projected) error {
	if key == nil && filter == nil && p.ProjectionExpression == nil {
		return nil
	}
	env, err := expr.NewEnv(p.Placeholders)
	if err != nil {
		return err
	}
	if filter != nil && *filter == "" { // an empty one is refused ahead of the key condition
		_, err := expr.ParseCondition(expr.FilterExpression, "", env)
		return err
	}
	if key != nil {
		if q.key, err = expr.ParseKeyCondition(*key, env); err != nil {
			return err
		}
	}
	if filter != nil {
		if q.filter, err = expr.ParseCondition(expr.FilterExpression, *filter, env); err != nil {
			return err
		}
	}
	if p.ProjectionExpression != nil {
		if q.projection, err = expr.ParseProjection(*p.ProjectionExpression, env); err != nil {
			return err
		}
	}
	return env.CheckUsed()
}

// startKeyError words the fault of an attribute value in ExclusiveStartKey,
// some of which DynamoDB introduces and some not.
func startKeyError(err error) error {
	own, ok := AsError(err)
	if err == nil || !ok {
		return err
	}
	for _, bare := range []string{"contains duplicates", "number set", "numeric value", "significant digits", "number with magnitude"} {
		if strings.Contains(own.Message, bare) {
			return own
		}
	}
	return invalid("The provided starting key is invalid: %s", own.Message)
}

// checkSelect refuses a Select that does not go with the projection.
func checkSelect(selects string, index *string, p *Projected) error {
	param := ""
	switch {
	case p.ProjectionExpression != nil:
		param = "ProjectionExpression"
	case p.AttributesToGet != nil:
		param = "AttributesToGet"
	}
	switch {
	case param != "" && selects != "" && selects != "SPECIFIC_ATTRIBUTES":
		if selects == "COUNT" {
			return invalid("Cannot specify the %s when choosing to get only the Count", param)
		}
		return invalid("Cannot specify the %s when choosing to get %s", param, selects)
	case param == "" && selects == "SPECIFIC_ATTRIBUTES":
		return invalid("Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES")
	case selects == "ALL_PROJECTED_ATTRIBUTES" && index == nil:
		return invalid("ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName")
	}
	return nil
}
