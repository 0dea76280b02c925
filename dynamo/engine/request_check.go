package engine

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// checks collects the faults of a request's shape. DynamoDB reports them
// together, before it looks at anything else: "2 validation errors detected:
// Value 'x' at 'select' failed to satisfy constraint: ...; Value ...".
type checks struct{ faults []string }

// maxFaults is how many faults are reported at most.
const maxFaults = 10

func (c *checks) add(value, at, constraint string) {
	if len(c.faults) < maxFaults {
		c.faults = append(c.faults, fmt.Sprintf("Value %s at '%s' failed to satisfy constraint: %s", value, at, constraint))
	}
}

func (c *checks) err() error {
	switch len(c.faults) {
	case 0:
		return nil
	case 1:
		return invalid("1 validation error detected: %s", c.faults[0])
	}
	return invalid("%d validation errors detected: %s", len(c.faults), strings.Join(c.faults, "; "))
}

func quote(s string) string { return "'" + s + "'" }

// present faults an absent member.
func (c *checks) present(at string, is bool) {
	if !is {
		c.add("null", at, "Member must not be null")
	}
}

// Blank stands for the empty string where the set of values is fixed, since the
// empty string stands for absent.
const Blank = "\x00"

// enum faults a value outside the set.
func (c *checks) enum(at, value string, set ...string) {
	if value != "" && !slices.Contains(set, value) {
		c.add(quote(strings.TrimSuffix(value, Blank)), at, "Member must satisfy enum value set: ["+strings.Join(set, ", ")+"]")
	}
}

func (c *checks) atLeast(at string, value *int32, least int32) {
	if value != nil && *value < least {
		c.add(quote(strconv.Itoa(int(*value))), at, fmt.Sprintf("Member must have value greater than or equal to %d", least))
	}
}

func (c *checks) atMost(at string, value *int32, most int32) {
	if value != nil && *value > most {
		c.add(quote(strconv.Itoa(int(*value))), at, fmt.Sprintf("Member must have value less than or equal to %d", most))
	}
}

// The sets of the parameters that many operations share, in the order in
// which DynamoDB lists them.

func (c *checks) capacity(value string) {
	c.enum("returnConsumedCapacity", value, "INDEXES", "TOTAL", "NONE")
}

func (c *checks) collections(value string) {
	c.enum("returnItemCollectionMetrics", value, "SIZE", "NONE")
}

func (c *checks) returnValues(value string) {
	c.enum("returnValues", value, "ALL_NEW", "UPDATED_OLD", "ALL_OLD", "NONE", "UPDATED_NEW")
}

func (c *checks) onFailure(value string) {
	c.enum("returnValuesOnConditionCheckFailure", value, "ALL_OLD", "NONE")
}

func (c *checks) logical(value string) { c.enum("conditionalOperator", value, "OR", "AND") }

func (c *checks) selects(value string) {
	c.enum("select", value, "SPECIFIC_ATTRIBUTES", "COUNT", "ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES")
}

const namePattern = "[a-zA-Z0-9_.-]+"

func validName(s string) bool {
	for i := range len(s) {
		ch := s[i]
		if !('a' <= ch && ch <= 'z' || 'A' <= ch && ch <= 'Z' || '0' <= ch && ch <= '9' || ch == '_' || ch == '.' || ch == '-') {
			return false
		}
	}
	return s != ""
}

// tableName checks a name for which an ARN may stand.
func (c *checks) tableName(name *string) { c.tableNameAt("tableName", name) }

// unnamed refuses an empty table name ahead of the faults of other members, as
// the newer validation does.
func (l layer) unnamed(name *string) error {
	if l != listed || name == nil || *name != "" {
		return nil
	}
	var c checks
	c.tableName(name)
	return c.err()
}

func (c *checks) tableNameAt(at string, name *string) {
	switch {
	case name == nil:
		c.present(at, false)
	case *name == "":
		c.add("''", at, "Member must have length greater than or equal to 1")
	case strings.HasPrefix(*name, "arn:") && len(*name) <= 1024:
	case len(*name) > 255:
		c.add(quote(*name), at, "Member must have length less than or equal to 255")
	case !validName(*name):
		c.add(quote(*name), at, "Member must satisfy regular expression pattern: "+namePattern)
	}
}

// mapKeys is what the names of tables in a batch must satisfy.
const mapKeys = "Map keys must satisfy constraint: [Member must have length less than or equal to 255, " +
	"Member must have length greater than or equal to 3, Member must satisfy regular expression pattern: " + namePattern + "]"

// validTable reports a name that a table in a batch may have, or an ARN.
func validTable(name string) bool {
	return strings.HasPrefix(name, "arn:") && len(name) <= 1024 || len(name) >= 3 && len(name) <= 255 && validName(name)
}

func (c *checks) indexName(name *string) {
	if name == nil {
		return
	}
	if !validName(*name) {
		c.add(quote(*name), "indexName", "Member must satisfy regular expression pattern: "+namePattern)
	}
	if len(*name) < 3 {
		c.add(quote(*name), "indexName", "Member must have length greater than or equal to 3")
	}
	if len(*name) > 255 {
		c.add(quote(*name), "indexName", "Member must have length less than or equal to 255")
	}
}

func (c *checks) attributesToGet(names []string) {
	if names != nil && len(names) == 0 {
		c.add("'[]'", "attributesToGet", "Member must have length greater than or equal to 1")
	}
	if len(names) > 255 {
		c.add(quote("["+strings.Join(names, ", ")+"]"), "attributesToGet", "Member must have length less than or equal to 255")
	}
}

// comparisons checks the operators of a filter or of key conditions.
func (c *checks) comparison(at, attribute, operator string) {
	at = at + "." + attribute + ".member.comparisonOperator"
	c.present(at, operator != "")
	c.enum(at, operator, "IN", "NULL", "BETWEEN", "LT", "NOT_CONTAINS", "EQ", "GT", "NOT_NULL", "NE", "LE", "BEGINS_WITH", "GE", "CONTAINS")
}
