package builtin

import (
	"encoding/json"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// array returns a list for a property, within its bounds.
func (f *filler) array(s *jsonschema.Schema, p place) (any, bool) {
	items := s.Items
	if items == nil {
		items = &jsonschema.Schema{Type: "string"}
	}
	if p.depth > maxDepth {
		return []any{}, false
	}
	p.most = f.sentences + 1
	if s.MaxItems != nil {
		p.most = min(p.most, *s.MaxItems)
	}
	list, known := f.list(f.resolve(items), p)
	if s.UniqueItems {
		list = unique(list)
	}
	if s.MaxItems != nil && len(list) > *s.MaxItems {
		list = list[:*s.MaxItems]
	}
	if s.MinItems != nil {
		for len(list) < *s.MinItems {
			v, _ := f.value(items, place{name: "text", depth: p.depth + 1, scope: p.scope})
			list = append(list, v)
		}
	}
	if list == nil {
		list = []any{}
	}
	return list, known
}

// list decides by the property's name and the form of its items what they are.
func (f *filler) list(items *jsonschema.Schema, p place) ([]any, bool) {
	inner := p.at("")
	isObject := slices.Contains(typesOf(items), "object")
	switch {
	case is(orderListNames, p.name) && !isObject:
		return f.orders(p), true
	case is(speakerListNames, p.name):
		var out []any
		for _, speaker := range p.scope.speakers() {
			inner.name, inner.speaker = "name", speaker
			v, _ := f.value(items, inner)
			out = append(out, v)
		}
		return out, len(out) > 0
	case is(termListNames, p.name):
		var out []any
		for _, gloss := range f.doc.applied {
			inner.name, inner.gloss = "term", &gloss
			v, _ := f.value(items, inner)
			out = append(out, v)
		}
		return out, len(out) > 0
	case len(items.Enum) > 0:
		v, known := f.choose(items.Enum, p)
		if !known {
			return nil, false
		}
		return []any{v}, true
	case is(keywordNames, p.name) && !isObject:
		return anys(p.scope.keywords(8)), true
	case is(categoryNames, p.name) && !isObject:
		return nil, false
	case isObject:
		return f.objects(items, p)
	case is(pointListNames, p.name) || is(textNames, p.name) || p.name == "":
		var out []any
		for _, s := range p.scope.best(p.most) {
			inner.name, inner.pick = "point", []*sentence{s}
			v, _ := f.value(items, inner)
			out = append(out, v)
		}
		return out, len(out) > 0
	}
	return nil, false
}

// objects returns one object per passage if they have an order, per group of
// passages if they are middle summaries, per sentence if they cite or quote, else
// one about the whole scope.
func (f *filler) objects(items *jsonschema.Schema, p place) ([]any, bool) {
	var out []any
	add := func(inner place) {
		inner.name, inner.depth = p.name, p.depth+1
		v, _ := f.value(items, inner)
		out = append(out, v)
	}
	switch {
	case has(items, orderNames) && p.pick == nil:
		for i := p.scope.from; i < p.scope.to; i++ {
			add(place{scope: p.scope.part(i, i+1)})
		}
	case is(groupNames, p.name) && has(items, orderListNames):
		for _, g := range groups(p.scope) {
			add(place{scope: g})
		}
	case has(items, quoteNames) || has(items, orderListNames) || has(items, pointNames):
		best := p.scope.best(p.most)
		for _, s := range best {
			add(place{scope: p.scope, pick: []*sentence{s}, beside: best})
		}
	case len(p.scope.sentences) > 0 && (has(items, titleNames) || has(items, textNames)):
		add(place{scope: p.scope, pick: p.pick})
	}
	return out, len(out) > 0
}

// groups cuts a scope into up to six runs of passages, of at least four each.
func groups(s scope) []scope {
	n := s.to - s.from
	count := min(6, max(1, n/4))
	var out []scope
	for i := range count {
		out = append(out, s.part(s.from+i*n/count, s.from+(i+1)*n/count))
	}
	return out
}

func (f *filler) orders(p place) []any {
	pick := p.pick
	if pick == nil {
		pick = p.scope.best(f.sentences)
	}
	return anys(orders(pick))
}

func anys[T any](list []T) []any {
	var out []any
	for _, v := range list {
		out = append(out, v)
	}
	return out
}

func unique(list []any) []any {
	seen := map[string]bool{}
	return slices.DeleteFunc(list, func(v any) bool {
		key, err := json.Marshal(v)
		again := err == nil && seen[string(key)]
		seen[string(key)] = true
		return again
	})
}
