package wire

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"pressroom/blob/fault"
)

// A postPolicy bounds what a browser may upload with a form; see "Creating a
// POST policy" in the Amazon S3 API Reference.
type postPolicy struct {
	expires    time.Time
	conditions []postCondition
	min, max   int64 // content-length-range; max is -1 if there is none
}

type postCondition struct {
	op    string // "eq" or "starts-with"
	field string // in lower case, without "$"
	value string
	text  string // as the answer quotes it
	plain bool   // the field was written without "$"
}

func badPolicy(format string, args ...any) error {
	return fault.InvalidPolicy.Say("Invalid Policy: "+format, args...)
}

// parsePostPolicy reads the base64 text of a form's policy field.
func parsePostPolicy(encoded string) (*postPolicy, error) {
	doc, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return nil, badPolicy("invalid Base64 encoding.")
	}
	if len(doc) == 0 {
		return nil, badPolicy("Expecting '{' but found End-of-Input")
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(doc, &fields) != nil {
		return nil, badPolicy("Invalid JSON.")
	}
	for name := range fields {
		if name != "expiration" && name != "conditions" {
			return nil, badPolicy("Unexpected: %q", name)
		}
	}
	p := &postPolicy{max: -1}
	if err := p.readExpiration(fields["expiration"]); err != nil {
		return nil, err
	}
	return p, p.readConditions(fields["conditions"])
}

func (p *postPolicy) readExpiration(raw json.RawMessage) error {
	if raw == nil {
		return badPolicy("Policy missing expiration.")
	}
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return badPolicy("Invalid JSON.")
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return badPolicy("Invalid 'expiration' value: '%s'", text)
	}
	p.expires = t
	return nil
}

func (p *postPolicy) readConditions(raw json.RawMessage) error {
	if raw == nil {
		return badPolicy("Policy missing conditions.")
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return badPolicy("Invalid 'conditions' value: must be a List.")
	}
	for _, c := range list {
		var err error
		switch c = bytes.TrimSpace(c); {
		case bytes.HasPrefix(c, []byte("{")):
			err = p.readSimple(c)
		case bytes.HasPrefix(c, []byte("[")):
			err = p.readTest(c)
		default:
			err = badPolicy("Invalid condition test: must be a List or Object.")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// readSimple reads {"field": "value"}.
func (p *postPolicy) readSimple(raw json.RawMessage) error {
	var m map[string]any
	if json.Unmarshal(raw, &m) != nil {
		return badPolicy("Invalid JSON.")
	}
	if len(m) != 1 {
		return badPolicy("Invalid Simple-Condition: Simple-Conditions must have exactly one property specified.")
	}
	for field, v := range m {
		value, ok := v.(string)
		if !ok {
			return badPolicy("Invalid Simple-Condition: value must be a string.")
		}
		p.conditions = append(p.conditions, postCondition{
			op: "eq", field: strings.ToLower(field), value: value,
			text: fmt.Sprintf(`["eq", "$%s", "%s"]`, field, value),
		})
	}
	return nil
}

// readTest reads ["eq", "$field", "value"] and its like.
func (p *postPolicy) readTest(raw json.RawMessage) error {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return badPolicy("Invalid JSON.")
	}
	if len(list) == 0 {
		return badPolicy("Invalid Condition: missing operation identifier.")
	}
	var op string
	if json.Unmarshal(list[0], &op) != nil {
		return badPolicy("Invalid JSON.")
	}
	switch op = strings.ToLower(op); op {
	case "eq", "starts-with", "content-length-range":
	default:
		return badPolicy("Invalid Condition: unknown operation '%s'.", op)
	}
	if len(list) != 3 {
		return badPolicy("Invalid %s: wrong number of arguments.", op)
	}
	if op == "content-length-range" {
		if json.Unmarshal(list[1], &p.min) != nil || json.Unmarshal(list[2], &p.max) != nil {
			return badPolicy("Invalid JSON.")
		}
		return nil
	}
	var field, value string
	if json.Unmarshal(list[1], &field) != nil || json.Unmarshal(list[2], &value) != nil {
		return badPolicy("Invalid JSON.")
	}
	name, dollar := strings.CutPrefix(field, "$")
	p.conditions = append(p.conditions, postCondition{
		op: op, field: strings.ToLower(name), value: value, plain: !dollar,
		text: fmt.Sprintf(`["%s","%s","%s"]`, op, field, value),
	})
	return nil
}

// exempt are fields that need no condition.
func exempt(field string) bool {
	switch field {
	case "policy", "x-amz-signature", "file", "awsaccesskeyid", "signature":
		return true
	}
	return strings.HasPrefix(field, "x-ignore-")
}

// check compares a form with the policy. order is the form's fields in the
// order in which they came.
func (p *postPolicy) check(form map[string]string, order []string, now time.Time) error {
	if !p.expires.After(now) {
		return policyExpired()
	}
	covered := make(map[string]bool)
	for _, c := range p.conditions {
		covered[c.field] = true
		if c.plain || !c.holds(form[c.field]) {
			return fault.AccessDenied.Say("Invalid according to Policy: Policy Condition failed: %s", c.text)
		}
	}
	for _, field := range append(order, "bucket") {
		if !covered[field] && !exempt(field) {
			return fault.AccessDenied.Say("Invalid according to Policy: Extra input fields: %s", field)
		}
	}
	return nil
}

func policyExpired() error {
	return fault.AccessDenied.Say("Invalid according to Policy: Policy expired.")
}

func (c postCondition) holds(value string) bool {
	if c.op == "eq" {
		return value == c.value
	}
	if c.field != "content-type" {
		return strings.HasPrefix(value, c.value)
	}
	for _, part := range strings.Split(value, ",") {
		if !strings.HasPrefix(strings.TrimSpace(part), c.value) {
			return false
		}
	}
	return true
}
