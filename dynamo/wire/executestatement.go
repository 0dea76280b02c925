package wire

import "pressroom/dynamo/engine"

func executeStatement(c *call) error {
	q := engine.ExecuteStatement{Emit: c.addItem}
	err := c.input("ExecuteStatementInput", func(name string) error {
		switch name {
		case "NextToken":
			return c.text(&q.NextToken)
		case "Limit":
			return c.integer(&q.Limit)
		case "ReturnConsumedCapacity":
			return c.word(&q.ReturnConsumedCapacity)
		}
		return c.statement(name, &q.Statement)
	})
	if err != nil {
		return err
	}
	c.openPage("")
	a, err := c.h.db.Load().ExecuteStatement(c.ctx, &q)
	if err != nil {
		return err
	}
	c.out = append(c.out, ']')
	c.itemMember("LastEvaluatedKey", a.LastKey)
	if a.NextToken != nil {
		c.key("NextToken")
		c.string(*a.NextToken)
	}
	c.consumed(a.Capacity, q.ReturnConsumedCapacity)
	c.out = append(c.out, '}')
	return nil
}

// statement reads what statements have in common wherever they stand.
func (c *call) statement(name string, s *engine.Statement) error {
	switch name {
	case "Statement":
		return c.text(&s.Statement)
	case "Parameters":
		return c.valueList(&s.Parameters, &s.Invalid.Err)
	case "ConsistentRead":
		return c.flag(&s.ConsistentRead)
	case "ReturnValuesOnConditionCheckFailure":
		return c.word(&s.ReturnOnFailure)
	}
	return c.in.Skip()
}

// statements reads the list of a batch or transaction.
func (c *call) statements(class string, into *[]engine.Statement) error {
	list := []engine.Statement{}
	err := c.elements(func() error {
		if err := c.in.BeginMember(class); err != nil {
			return err
		}
		var s engine.Statement
		if err := c.members(func(name string) error { return c.statement(name, &s) }); err != nil {
			return err
		}
		list = append(list, s)
		return nil
	})
	*into = list
	return err
}

func batchExecuteStatement(c *call) error {
	var q engine.BatchExecuteStatement
	err := c.input("BatchExecuteStatementInput", func(name string) error {
		switch name {
		case "Statements":
			return c.statements("BatchStatementRequest", &q.Statements)
		case "ReturnConsumedCapacity":
			return c.word(&q.ReturnConsumedCapacity)
		}
		return c.in.Skip()
	})
	if err != nil {
		return err
	}
	a, err := c.h.db.Load().BatchExecuteStatement(c.ctx, &q)
	if err != nil {
		return err
	}
	c.raw(`{"Responses":[`)
	for i := range a.Responses {
		c.comma('[')
		c.statementResponse(&a.Responses[i])
	}
	c.out = append(c.out, ']')
	c.consumedList(a.Capacity, detailOf(q.ReturnConsumedCapacity, false))
	c.out = append(c.out, '}')
	return nil
}

func (c *call) statementResponse(r *engine.StatementResponse) {
	c.out = append(c.out, '{')
	c.itemMember("Item", r.Item)
	if r.Table != "" {
		c.key("TableName")
		c.string(r.Table)
	}
	if r.Err != nil {
		c.key("Error")
		c.raw(`{"Code":`)
		c.string(r.Code)
		c.key("Message")
		c.string(r.Err.Message)
		c.itemMember("Item", r.Err.Item)
		c.out = append(c.out, '}')
	}
	c.out = append(c.out, '}')
}

func executeTransaction(c *call) error {
	var q engine.ExecuteTransaction
	err := c.input("ExecuteTransactionInput", func(name string) error {
		switch name {
		case "TransactStatements":
			return c.statements("ParameterizedStatement", &q.Statements)
		case "ClientRequestToken":
			return c.text(&q.ClientRequestToken)
		case "ReturnConsumedCapacity":
			return c.word(&q.ReturnConsumedCapacity)
		}
		return c.in.Skip()
	})
	if err != nil {
		return err
	}
	a, err := c.h.db.Load().ExecuteTransaction(c.ctx, &q)
	if err != nil {
		return err
	}
	c.gotten(a.Items, a.Capacity, q.ReturnConsumedCapacity)
	return nil
}
