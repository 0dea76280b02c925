package api

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"pressroom/internal/auth"
	"pressroom/internal/errs"
)

// Tool is an operation as agents call it.
type Tool struct {
	Name    string
	Summary string
	Doc     string
	Input   map[string]any // the JSON Schema of its arguments
	op      *operation
}

// Tools returns the operations that are tools, in the order of their names.
func (a *API) Tools() []Tool { return slices.Clone(a.tools) }

func (a *API) addTool(o *operation) {
	if o.method != http.MethodGet || o.access != auth.Everyone {
		panic("api: " + o.ID + ": only what everyone may read can be a tool")
	}
	properties, required := m{}, []string{}
	for _, p := range o.in.params {
		schema := p.shape.schema()
		if p.preset != "" {
			schema["default"] = presetOf(p.shape, p.preset)
		}
		if p.shape.rules.doc != "" {
			schema["description"] = p.shape.rules.doc
		}
		properties[p.name] = schema
		if p.required || p.in == "path" {
			required = append(required, p.name)
		}
	}
	input := m{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
	a.tools = append(a.tools, Tool{Name: o.Tool, Summary: o.Summary, Doc: o.Doc, Input: input, op: o})
	slices.SortFunc(a.tools, func(x, y Tool) int { return strings.Compare(x.Name, y.Name) })
}

// Request returns the request that calls the tool. An argument that it does not have is
// errs.Validation; whether the others will do, the operation says.
func (t *Tool) Request(ctx context.Context, arguments map[string]any) (*http.Request, error) {
	path, query := t.op.path, url.Values{}
	for name, value := range arguments {
		text, err := plain(value)
		if err != nil {
			return nil, errs.Validation(errs.Field{Name: name, Message: err.Error()})
		}
		at := slices.IndexFunc(t.op.in.params, func(p param) bool { return p.name == name })
		switch {
		case at < 0:
			return nil, errs.Validation(errs.Field{Name: name, Message: "is no argument of " + t.Name})
		case text == "": // as if it were not there
		case t.op.in.params[at].in == "path":
			path = strings.Replace(path, "{"+name+"}", url.PathEscape(text), 1)
		default:
			query.Set(name, text)
		}
	}
	if left := placeholders(path); len(left) > 0 {
		return nil, errs.Validation(errs.Field{Name: left[0], Message: "is required"})
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return http.NewRequestWithContext(context.WithValue(ctx, agentKey{}, true), http.MethodGet, path, http.NoBody)
}

type agentKey struct{}

// ForAgent reports whether an operation is asked by a tool's call: for a program that
// acts for others.
func ForAgent(ctx context.Context) bool { return ctx.Value(agentKey{}) != nil }

// plain writes an argument as a part of an address.
func plain(value any) (string, error) {
	switch v := value.(type) {
	case nil:
		return "", nil
	case string:
		return v, nil
	case bool:
		return strconv.FormatBool(v), nil
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), nil
	}
	return "", errors.New("must be a text, a number or true or false")
}
