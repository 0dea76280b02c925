package policy

import (
	"encoding/json"
	"net/netip"
	"strconv"
	"strings"
	"time"
)

// A Request is what conditions are about: the values of a key such as
// aws:SourceIp in lower case, and false if the request has none.
type Request func(key string) ([]string, bool)

// condition is one operator on one key: it holds if one of the values does, or
// with a negated operator if none does.
type condition struct {
	test     func(have, want string) bool
	negated  bool
	ifExists bool
	isNull   bool
	key      string
	values   []string
}

// keys are the condition keys that requests here have.
var keys = map[string]bool{
	"aws:currenttime": true, "aws:epochtime": true, "aws:referer": true, "aws:securetransport": true, "aws:sourceip": true,
	"aws:useragent": true, "s3:authtype": true, "s3:delimiter": true, "s3:max-keys": true, "s3:prefix": true,
	"s3:signatureversion": true, "s3:versionid": true, "s3:x-amz-acl": true, "s3:x-amz-content-sha256": true,
	"s3:x-amz-server-side-encryption": true, "s3:x-amz-storage-class": true,
}

// operators are the tests of one value, by name in lower case.
var operators = map[string]func(have, want string) bool{
	"stringequals":             func(have, want string) bool { return have == want },
	"stringequalsignorecase":   strings.EqualFold,
	"stringlike":               func(have, want string) bool { return match(want, have) },
	"numericequals":            numeric(func(c int) bool { return c == 0 }),
	"numericlessthan":          numeric(func(c int) bool { return c < 0 }),
	"numericlessthanequals":    numeric(func(c int) bool { return c <= 0 }),
	"numericgreaterthan":       numeric(func(c int) bool { return c > 0 }),
	"numericgreaterthanequals": numeric(func(c int) bool { return c >= 0 }),
	"dateequals":               date(func(c int) bool { return c == 0 }),
	"datelessthan":             date(func(c int) bool { return c < 0 }),
	"datelessthanequals":       date(func(c int) bool { return c <= 0 }),
	"dategreaterthan":          date(func(c int) bool { return c > 0 }),
	"dategreaterthanequals":    date(func(c int) bool { return c >= 0 }),
	"bool":                     strings.EqualFold,
	"ipaddress":                within,
}

// negations are the operators that hold where others do not.
var negations = map[string]string{
	"stringnotequals": "stringequals", "stringnotequalsignorecase": "stringequalsignorecase", "stringnotlike": "stringlike",
	"numericnotequals": "numericequals", "datenotequals": "dateequals", "notipaddress": "ipaddress",
}

func numeric(holds func(int) bool) func(have, want string) bool {
	return func(have, want string) bool {
		a, err1 := strconv.ParseFloat(have, 64)
		b, err2 := strconv.ParseFloat(want, 64)
		if err1 != nil || err2 != nil {
			return false
		}
		switch {
		case a < b:
			return holds(-1)
		case a > b:
			return holds(1)
		}
		return holds(0)
	}
}

func date(holds func(int) bool) func(have, want string) bool {
	return func(have, want string) bool {
		a, ok1 := moment(have)
		b, ok2 := moment(want)
		return ok1 && ok2 && holds(a.Compare(b))
	}
}

// moment reads a date as policies write it: ISO 8601, or seconds.
func moment(s string) (time.Time, bool) {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04Z07:00", "2006-01-02"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, true
		}
	}
	n, err := strconv.ParseInt(s, 10, 64)
	return time.Unix(n, 0), err == nil
}

// within reports whether an address is in a network, or is that address.
func within(have, want string) bool {
	addr, err := netip.ParseAddr(have)
	if err != nil {
		return false
	}
	if p, err := netip.ParsePrefix(want); err == nil {
		return p.Contains(addr.Unmap())
	}
	one, err := netip.ParseAddr(want)
	return err == nil && one == addr.Unmap()
}

// readConditions reads the Condition of a statement. What cannot be judged here is
// refused.
func readConditions(raw json.RawMessage) ([]condition, error) {
	if raw == nil {
		return nil, nil
	}
	var byOperator map[string]map[string]scalars
	if err := json.Unmarshal(raw, &byOperator); err != nil {
		return nil, malformed("Policy has invalid condition")
	}
	var list []condition
	for name, byKey := range byOperator {
		for key, values := range byKey {
			c, err := newCondition(strings.ToLower(name), strings.ToLower(key), values)
			if err != nil {
				return nil, err
			}
			list = append(list, c)
		}
	}
	return list, nil
}

func newCondition(operator, key string, values []string) (condition, error) {
	c := condition{key: key, values: values}
	operator, c.ifExists = strings.CutSuffix(operator, "ifexists")
	if operator == "null" {
		c.isNull = true
	} else if positive, ok := negations[operator]; ok {
		operator, c.negated = positive, true
	}
	c.test = operators[operator]
	switch {
	case c.test == nil && !c.isNull:
		return c, unsupported("the condition operator " + strconv.Quote(operator))
	case !keys[key]:
		return c, unsupported("the condition key " + strconv.Quote(key))
	case len(values) == 0:
		return c, malformed("Policy has invalid condition")
	}
	return c, nil
}

// holds judges the condition of a request.
func (c *condition) holds(r Request) bool {
	have, given := r(c.key)
	if c.isNull {
		return strings.EqualFold(c.values[0], "true") != given
	}
	if !given {
		return c.ifExists || c.negated
	}
	for _, h := range have {
		for _, want := range c.values {
			if c.test(h, want) {
				return !c.negated
			}
		}
	}
	return c.negated
}

// scalars is a string, number or boolean, or a list of them.
type scalars []string

func (t *scalars) UnmarshalJSON(b []byte) error {
	var list []any
	if json.Unmarshal(b, &list) != nil {
		var one any
		if err := json.Unmarshal(b, &one); err != nil {
			return err
		}
		list = []any{one}
	}
	for _, v := range list {
		switch v := v.(type) {
		case string:
			*t = append(*t, v)
		case bool:
			*t = append(*t, strconv.FormatBool(v))
		case float64:
			*t = append(*t, strconv.FormatFloat(v, 'f', -1, 64))
		default:
			return malformed("Policy has invalid condition")
		}
	}
	return nil
}
