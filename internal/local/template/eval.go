package template

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// eval computes the functions of one template.
type eval struct {
	o                               Options
	conditions, mappings, resources map[string]any
	values                          map[string]any    // of parameters
	names                           map[string]string // of tables and buckets, as far as they are computed
	depth                           int
}

// noValue is what a property has that is to be left out.
type noValue struct{}

// value computes what is in v.
func (e *eval) value(v any) (any, error) {
	if e.depth++; e.depth > deepest {
		return nil, errors.New("functions are nested too deeply")
	}
	defer func() { e.depth-- }()
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 1 {
			for name, arg := range v {
				if name == "Ref" || strings.HasPrefix(name, "Fn::") {
					out, err := e.call(name, arg)
					if err != nil {
						return nil, fmt.Errorf("%s: %w", name, err)
					}
					return out, nil
				}
			}
		}
		m := map[string]any{}
		for name, inner := range v {
			out, err := e.value(inner)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			if _, gone := out.(noValue); !gone {
				m[name] = out
			}
		}
		return m, nil
	case []any:
		list := []any{}
		for _, inner := range v {
			out, err := e.value(inner)
			if err != nil {
				return nil, err
			}
			if _, gone := out.(noValue); !gone {
				list = append(list, out)
			}
		}
		return list, nil
	}
	return v, nil
}

func (e *eval) call(name string, arg any) (any, error) {
	switch name {
	case "Ref":
		return e.ref(text(arg))
	case "Fn::If":
		return e.choose(arg)
	case "Fn::Sub":
		return e.substitute(arg)
	}
	arg, err := e.value(arg)
	if err != nil {
		return nil, err
	}
	list, _ := arg.([]any)
	switch {
	case name == "Fn::GetAtt":
		return e.attribute(arg)
	case name == "Fn::Base64":
		return base64.StdEncoding.EncodeToString([]byte(text(arg))), nil
	case name == "Fn::Join" && len(list) == 2:
		parts, ok := list[1].([]any)
		if !ok {
			return nil, errors.New("its second argument is not a list")
		}
		var words []string
		for _, p := range parts {
			words = append(words, text(p))
		}
		return strings.Join(words, text(list[0])), nil
	case name == "Fn::Split" && len(list) == 2:
		parts := []any{}
		for p := range strings.SplitSeq(text(list[1]), text(list[0])) {
			parts = append(parts, p)
		}
		return parts, nil
	case name == "Fn::Select" && len(list) == 2:
		of, _ := list[1].([]any)
		i, err := strconv.Atoi(text(list[0]))
		if err != nil || i < 0 || i >= len(of) {
			return nil, fmt.Errorf("there is no element %s of %d", text(list[0]), len(of))
		}
		return of[i], nil
	case name == "Fn::FindInMap" && len(list) >= 3:
		if out, ok := section(section(e.mappings, text(list[0])), text(list[1]))[text(list[2])]; ok {
			return out, nil
		}
		return nil, fmt.Errorf("there is no %s, %s, %s in the mappings", text(list[0]), text(list[1]), text(list[2]))
	}
	return nil, errors.New("cannot be computed here")
}

func (e *eval) ref(name string) (any, error) {
	if name == "AWS::NoValue" {
		return noValue{}, nil
	}
	if v, ok := e.values[name]; ok {
		return v, nil
	}
	if e.ours(name) {
		return e.nameOf(name)
	}
	if _, ok := e.resources[name]; ok {
		return e.o.Stack + "-" + name, nil // nothing here makes it; a name is as good as any
	}
	return nil, fmt.Errorf("%s has no value: give the parameter one", name)
}

func (e *eval) attribute(arg any) (any, error) {
	id, attribute, _ := strings.Cut(text(arg), ".")
	if list, ok := arg.([]any); ok && len(list) == 2 {
		id, attribute = text(list[0]), text(list[1])
	}
	if _, ok := e.resources[id]; !ok {
		return nil, fmt.Errorf("there is no resource %s", id)
	}
	if e.ours(id) && attribute == "Arn" {
		return e.arnOf(id)
	}
	if e.ours(id) {
		return nil, fmt.Errorf("%s of %s cannot be known before it is made", attribute, id)
	}
	return "arn:aws:local:" + e.o.Region + ":" + e.o.Account + ":" + id + "/" + attribute, nil
}

// substitute computes ${Name}, ${Name.Attribute} and ${!literal}.
func (e *eval) substitute(arg any) (any, error) {
	own := map[string]any{}
	pattern, ok := arg.(string)
	if list, isList := arg.([]any); isList && len(list) == 2 {
		pattern, ok = list[0].(string)
		own, _ = list[1].(map[string]any)
	}
	if !ok {
		return nil, errors.New("wants a text, or a text and a map")
	}
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(pattern, "${")
		b.WriteString(before)
		if !found {
			return b.String(), nil
		}
		name, after, closed := strings.Cut(rest, "}")
		if !closed {
			return nil, errors.New("a ${ has no }")
		}
		pattern = after
		if literal, ok := strings.CutPrefix(name, "!"); ok {
			b.WriteString("${" + literal + "}")
			continue
		}
		var out any
		var err error
		if inner, ok := own[name]; ok {
			out, err = e.value(inner)
		} else if strings.Contains(name, ".") {
			out, err = e.attribute(name)
		} else {
			out, err = e.ref(name)
		}
		if err != nil {
			return nil, err
		}
		b.WriteString(text(out))
	}
}

func (e *eval) choose(arg any) (any, error) {
	list, ok := arg.([]any)
	if !ok || len(list) != 3 {
		return nil, errors.New("wants a condition and two values")
	}
	holds, err := e.condition(text(list[0]))
	if err != nil {
		return nil, err
	}
	if holds {
		return e.value(list[1])
	}
	return e.value(list[2])
}

func (e *eval) condition(name string) (bool, error) {
	c, ok := e.conditions[name]
	if !ok {
		return false, fmt.Errorf("there is no condition %s", name)
	}
	return e.holds(c)
}

// holds judges Fn::Equals, And, Or, Not and Condition.
func (e *eval) holds(c any) (bool, error) {
	if e.depth++; e.depth > deepest {
		return false, errors.New("conditions are nested too deeply")
	}
	defer func() { e.depth-- }()
	m, ok := c.(map[string]any)
	if !ok || len(m) != 1 {
		return false, errors.New("a condition is one function")
	}
	for name, arg := range m {
		list, _ := arg.([]any)
		switch name {
		case "Condition":
			return e.condition(text(arg))
		case "Fn::Equals":
			both, err := e.value(list)
			if err != nil {
				return false, err
			}
			if list = both.([]any); len(list) != 2 {
				return false, errors.New("Fn::Equals wants two values")
			}
			return text(list[0]) == text(list[1]), nil
		case "Fn::And", "Fn::Or", "Fn::Not":
			for _, one := range list {
				is, err := e.holds(one)
				if err != nil {
					return false, err
				}
				if is != (name == "Fn::And") {
					return name == "Fn::Or", nil
				}
			}
			return name != "Fn::Or", nil
		}
		return false, fmt.Errorf("%s cannot be judged here", name)
	}
	return false, nil
}

// text is a scalar as text, "" for anything else.
func text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case json.Number:
		return v.String()
	}
	return ""
}
