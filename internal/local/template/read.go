package template

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// read turns either notation into maps, lists and scalars, with functions in their
// long form: {"Fn::Sub": …}.
func read(data []byte) (map[string]any, error) {
	var root any
	if trimmed := bytes.TrimSpace(data); bytes.HasPrefix(trimmed, []byte("{")) {
		d := json.NewDecoder(bytes.NewReader(trimmed))
		d.UseNumber()
		if err := d.Decode(&root); err != nil {
			return nil, err
		}
	} else {
		var node yaml.Node
		if err := yaml.Unmarshal(data, &node); err != nil {
			return nil, err
		}
		var err error
		if root, err = fromYAML(&node, 0); err != nil {
			return nil, err
		}
	}
	m, ok := root.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("a template is a map")
	}
	return m, nil
}

// deepest is how deep a template may be nested.
const deepest = 100

func fromYAML(n *yaml.Node, depth int) (any, error) {
	if depth > deepest {
		return nil, fmt.Errorf("line %d is nested too deeply", n.Line)
	}
	if name, ok := strings.CutPrefix(n.Tag, "!"); ok && !strings.HasPrefix(name, "!") && name != "" {
		plain := *n
		plain.Tag = ""
		value, err := fromYAML(&plain, depth+1)
		if err != nil {
			return nil, err
		}
		if name != "Ref" && name != "Condition" {
			name = "Fn::" + name
		}
		return map[string]any{name: value}, nil
	}
	switch n.Kind {
	case yaml.DocumentNode:
		if len(n.Content) != 1 {
			return nil, fmt.Errorf("the file is empty")
		}
		return fromYAML(n.Content[0], depth+1)
	case yaml.MappingNode:
		m := map[string]any{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			value, err := fromYAML(n.Content[i+1], depth+1)
			if err != nil {
				return nil, err
			}
			m[n.Content[i].Value] = value
		}
		return m, nil
	case yaml.SequenceNode:
		list := []any{}
		for _, c := range n.Content {
			value, err := fromYAML(c, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, value)
		}
		return list, nil
	case yaml.AliasNode:
		return nil, fmt.Errorf("line %d: CloudFormation knows no aliases", n.Line)
	}
	switch n.Tag {
	case "!!bool":
		return strings.EqualFold(n.Value, "true"), nil
	case "!!int", "!!float":
		return json.Number(n.Value), nil
	case "!!null":
		return nil, nil
	}
	return n.Value, nil // dates too: a policy's Version looks like one
}
