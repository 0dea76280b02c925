package wire

import (
	"context"
	"math"

	"pressroom/dynamo/attr"
	"pressroom/dynamo/engine"
	"pressroom/dynamo/expr"
	"pressroom/dynamo/token"
)

// call is one request while it is being served: the JSON to read, and the
// JSON of the answer.
type call struct {
	h    *handler
	ctx  context.Context
	host string // that the caller has asked for
	in   *token.Reader
	out  []byte
}

// begin makes a call ready for its input. Only the buffer of the answer is
// used again by other calls: the engine may hold on to parts of a request.
func (c *call) begin(h *handler, ctx context.Context, host string) {
	c.h, c.ctx, c.host, c.out = h, ctx, host, c.out[:0]
}

// maxKept is the largest answer whose buffer is kept for later calls.
const maxKept = 1 << 20

func (c *call) end() {
	c.h, c.ctx, c.in = nil, nil, nil
	if cap(c.out) > maxKept {
		c.out = make([]byte, 0, 4096)
	}
}

// input reads the body, a structure, and hands each of its members to member
// by name.
func (c *call) input(class string, member func(name string) error) error {
	if err := c.in.BeginStruct(class); err != nil {
		return err
	}
	if err := c.members(member); err != nil {
		return err
	}
	return c.in.Done()
}

// members walks the members of the structure just begun. A null is an absent
// member to DynamoDB.
func (c *call) members(member func(name string) error) error {
	for {
		name, more, err := c.in.Name()
		if !more {
			return err
		}
		if c.in.Null() {
			continue
		}
		if err := member(name); err != nil {
			return err
		}
	}
}

// elements walks a list.
func (c *call) elements(element func() error) error {
	if err := c.in.BeginArray(); err != nil {
		return err
	}
	for {
		more, err := c.in.Element()
		if !more {
			return err
		}
		if err := element(); err != nil {
			return err
		}
	}
}

func (c *call) text(into **string) error {
	s, err := c.in.String()
	if err != nil {
		return err
	}
	*into = &s
	return nil
}

// word reads a member of a fixed set. One that is given and empty is outside of
// it, not absent.
func (c *call) word(into *string) (err error) {
	if *into, err = c.in.String(); *into == "" {
		*into = engine.Blank
	}
	return err
}

func (c *call) flag(into *bool) (err error) {
	*into, err = c.in.Bool()
	return err
}

func (c *call) optionalFlag(into **bool) error {
	b, err := c.in.Bool()
	if err != nil {
		return err
	}
	*into = &b
	return nil
}

// integer reads a number of 32 bits; what is beyond is the nearest within.
func (c *call) integer(into **int32) error {
	n, err := c.in.Int()
	if err != nil {
		return err
	}
	v := int32(min(max(n, math.MinInt32), math.MaxInt32))
	*into = &v
	return nil
}

func (c *call) texts(into *[]string) error {
	list := []string{}
	err := c.elements(func() error {
		s, err := c.in.String()
		list = append(list, s)
		return err
	})
	*into = list
	return err
}

// item reads a map of attribute values. One that DynamoDB does not accept is
// noted, for the engine to report in its turn.
func (c *call) item(into *attr.Item, invalid *engine.Invalid) error {
	it, err := attr.ParseItemJSON(c.in)
	if err != nil {
		if c.in.Err() != nil {
			return err
		}
		invalid.Note(err)
		it = attr.Item{}
	}
	*into = it
	return nil
}

// parameterized is what the service says of a scalar where its deserialiser
// expects a generic type.
const parameterized = "class sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl cannot be cast to class java.lang.Class " +
	"(sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl and java.lang.Class are in module java.base of loader 'bootstrap')"

// generic refuses a scalar where a list or map inside another is due.
func (c *call) generic() error {
	switch c.in.Kind() {
	case token.String, token.Number, token.True, token.False:
		return c.in.Fail(parameterized)
	}
	return nil
}

// value reads an attribute value that is a field of a structure, field true,
// or else an element of a list. The first fault is kept in *invalid.
func (c *call) value(into *attr.Value, field bool, invalid *error) error {
	parse := attr.ParseJSON
	if field {
		parse = attr.ParseFieldJSON
	}
	v, err := parse(c.in)
	if err != nil {
		if c.in.Err() != nil {
			return err
		}
		if *invalid == nil {
			*invalid = err
		}
		v = attr.NewNull()
	}
	*into = v
	return nil
}

func (c *call) valueList(into *[]attr.Value, invalid *error) error {
	list := []attr.Value{}
	err := c.elements(func() error {
		var v attr.Value
		if err := c.value(&v, false, invalid); err != nil {
			return err
		}
		list = append(list, v)
		return nil
	})
	*into = list
	return err
}

// names reads ExpressionAttributeNames.
func (c *call) names(p *expr.Placeholders) error {
	if err := c.in.BeginMap("java.lang.String"); err != nil {
		return err
	}
	p.Names = map[string]string{}
	return c.members(func(key string) (err error) {
		p.Names[key], err = c.in.String()
		return err
	})
}

// values reads ExpressionAttributeValues.
func (c *call) values(p *expr.Placeholders) error {
	if err := c.in.BeginMap("AttributeValue"); err != nil {
		return err
	}
	p.Values = map[string]attr.Value{}
	for {
		key, more, err := c.in.Name()
		if !more {
			return err
		}
		var v attr.Value
		var invalid error
		if err := c.value(&v, false, &invalid); err != nil {
			return err
		}
		if invalid != nil && p.Invalid == nil {
			p.Invalid, p.InvalidKey = invalid, key
		}
		p.Values[key] = v
	}
}
