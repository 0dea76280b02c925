package expr

import "strings"

// Parameter is one request parameter and whether the request has it.
type Parameter struct {
	Name  string
	Given bool
}

// Parameters says which expressions and which older parameters a request has,
// each list in the order in which the operation declares them.
type Parameters struct {
	Expressions []Parameter // all that the operation knows, given or not
	Legacy      []Parameter // all that the operation knows, given or not
	Names       bool        // ExpressionAttributeNames is given
	Values      bool        // ExpressionAttributeValues is given
	Brief       bool        // the operation does not say which expressions it misses
}

// Check refuses expressions together with older parameters, and placeholders
// without an expression that could use them.
func (p Parameters) Check() error {
	expressions := given(p.Expressions)
	if legacy := given(p.Legacy); len(expressions) > 0 && len(legacy) > 0 {
		return &Error{"Can not use both expression and non-expression parameters in the same request: " +
			"Non-expression parameters: {" + strings.Join(legacy, ", ") + "} " +
			"Expression parameters: {" + strings.Join(expressions, ", ") + "}"}
	}
	if p.Names && len(expressions) == 0 {
		return &Error{"ExpressionAttributeNames can only be specified when using expressions"}
	}
	if p.Values {
		return p.checkValues()
	}
	return nil
}

// checkValues wants one of the expressions that can have values.
func (p Parameters) checkValues() error {
	var absent []string
	for _, x := range p.Expressions {
		switch {
		case x.Name == ProjectionExpression.String():
		case x.Given:
			return nil
		default:
			absent = append(absent, x.Name)
		}
	}
	if p.Brief {
		return &Error{"ExpressionAttributeValues can only be specified when using expressions"}
	}
	verb := " is null"
	if len(absent) > 1 {
		verb = " are null"
	}
	return &Error{"ExpressionAttributeValues can only be specified when using expressions: " + strings.Join(absent, " and ") + verb}
}

// given are the names of the parameters that a request has.
func given(list []Parameter) []string {
	var names []string
	for _, x := range list {
		if x.Given {
			names = append(names, x.Name)
		}
	}
	return names
}
