package api

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"pressroom/internal/auth"
	"pressroom/internal/errs"
)

const (
	specPath = "/api/openapi.json"
	docsPath = "/api/docs"
)

// m is a JSON object of the specification. Its members are written in the order of
// their names, so that the document is the same each time.
type m = map[string]any

// specification returns the document as a value.
func (a *API) specification() m {
	paths := m{}
	for _, o := range a.ops {
		path := documentPath(o.path)
		item, ok := paths[path].(m)
		if !ok {
			item = m{}
			paths[path] = item
		}
		item[strings.ToLower(o.method)] = o.specification()
	}
	problem := a.problemShape()
	schemas := m{}
	for name, sh := range a.shapes.named {
		schemas[name] = sh.definition()
	}
	return m{
		"openapi": "3.1.0",
		"info": m{
			"title": "Pressroom", "version": a.o.Version, "license": m{"name": "see LICENSE"},
			"description": "Everything that Pressroom publishes and keeps, as JSON. Conventions for lists, edits, repeated requests and errors are explained at " + docsPath + ".",
		},
		"servers": []any{m{"url": "/"}},
		"tags":    a.tags(),
		"paths":   paths,
		"components": m{
			"schemas":   schemas,
			"responses": m{"Problem": m{"description": "What went wrong, as RFC 9457 has it", "content": m{"application/problem+json": m{"schema": problem.reference()}}}},
			"securitySchemes": m{
				"token":   m{"type": "http", "scheme": "bearer", "description": "a token made at /api/v1/tokens or on the account's page"},
				"session": m{"type": "apiKey", "in": "cookie", "name": "pressroom", "description": "the cookie of a browser that is signed in; over TLS it is called __Host-pressroom"},
			},
		},
	}
}

// documentPath is a path as OpenAPI writes it: {key...} is {key} there.
func documentPath(path string) string {
	return strings.ReplaceAll(strings.TrimSuffix(path, "{$}"), "...}", "}")
}

func (a *API) tags() []any {
	seen := map[string]bool{}
	for _, o := range a.ops {
		for _, tag := range o.Tags {
			seen[tag] = true
		}
	}
	var tags []any
	for _, name := range slices.Sorted(maps.Keys(seen)) {
		tags = append(tags, m{"name": name})
	}
	return tags
}

func (o *operation) specification() m {
	spec := m{"operationId": o.ID, "summary": o.Summary, "tags": o.Tags, "responses": o.responses()}
	if o.Doc != "" {
		spec["description"] = o.Doc
	}
	if params := o.parameters(); len(params) > 0 {
		spec["parameters"] = params
	}
	if o.in.body != nil {
		spec["requestBody"] = m{"required": true, "content": m{"application/json": m{"schema": o.in.shape.schema()}}}
	}
	if o.in.upload != nil {
		content := m{}
		for _, typ := range o.Takes {
			content[typ] = m{"schema": m{"type": "string", "contentMediaType": typ}}
		}
		spec["requestBody"] = m{"required": true, "content": content}
	}
	spec["x-access"] = o.access.String()
	spec["security"] = []any{m{"token": []any{}}, m{"session": []any{}}}
	if o.access == auth.Everyone {
		spec["security"] = []any{m{}, m{"token": []any{}}, m{"session": []any{}}}
	}
	return spec
}

func (o *operation) parameters() []any {
	var list []any
	for _, p := range o.in.params {
		schema := p.shape.schema()
		if p.preset != "" {
			schema["default"] = presetOf(p.shape, p.preset)
		}
		doc := m{"name": p.name, "in": p.in, "required": p.required || o.in.edit && p.name == "If-Match", "schema": schema}
		if p.shape.rules.doc != "" {
			doc["description"] = p.shape.rules.doc
			delete(schema, "description")
		}
		list = append(list, doc)
	}
	if o.method == http.MethodPost {
		list = append(list, m{
			"name": "Idempotency-Key", "in": "header", "required": false, "schema": m{"type": "string", "minLength": 1, "maxLength": maxKey},
			"description": "a name of your choice for this request; sent again within 24 hours it gives the first answer instead of being done twice",
		})
	}
	if o.method == http.MethodGet {
		list = append(list, m{"name": "If-None-Match", "in": "header", "required": false, "schema": m{"type": "string"}, "description": "the ETag of an answer you have; 304 if it is still right"})
	}
	return list
}

// presetOf writes a default in the type of its parameter.
func presetOf(sh *shape, preset string) any {
	switch sh.kind {
	case integer, number:
		if n, err := strconv.ParseFloat(preset, 64); err == nil {
			return n
		}
	case boolean:
		return preset == "true"
	}
	return preset
}

func (o *operation) responses() m {
	good := m{"description": http.StatusText(o.out.status), "headers": o.headers()}
	if o.out.shape != nil {
		good["content"] = m{"application/json": m{"schema": o.out.shape.schema()}}
	}
	all := m{strconv.Itoa(o.out.status): good}
	if o.method == http.MethodGet && o.out.shape != nil {
		all["304"] = m{"description": "you have it: the ETag is the one of If-None-Match"}
	}
	for _, kind := range o.failures() {
		all[strconv.Itoa(kind.Status())] = m{"$ref": "#/components/responses/Problem"}
	}
	return all
}

// failures are the kinds that the operation can be answered with.
func (o *operation) failures() []errs.Kind {
	kinds := append([]errs.Kind{errs.Malformed, errs.Invalid, errs.RateLimited, errs.Internal, errs.Unavailable, errs.Timeout, errs.Unauthenticated, errs.Forbidden}, o.Fails...)
	if len(placeholders(o.path)) > 0 || o.Hidden {
		kinds = append(kinds, errs.NotFound)
	}
	if o.in.body != nil || o.in.upload != nil {
		kinds = append(kinds, errs.TooLarge, errs.MediaType)
	}
	if o.in.edit {
		kinds = append(kinds, errs.Stale, errs.Unversioned)
	}
	if o.method == http.MethodPost {
		kinds = append(kinds, errs.Conflict)
	}
	return kinds
}

func (o *operation) headers() m {
	text := func(doc string) m { return m{"description": doc, "schema": m{"type": "string"}} }
	headers := m{"X-Request-Id": text("under which the operator finds the request")}
	if o.method == http.MethodGet && o.out.shape != nil {
		headers["ETag"] = text("the version of the answer")
	}
	if o.out.list {
		headers["Link"] = text("the next page, if there is one")
	}
	if o.out.located {
		headers["Location"] = text("where it is")
	}
	return headers
}
