package expr

import "pressroom/dynamo/attr"

// Projection is a parsed ProjectionExpression or AttributesToGet. It is immutable
// and safe for concurrent use. The nil Projection keeps everything.
type Projection struct {
	paths []Path // as given
	spots []spot
}

// ParseProjection parses a ProjectionExpression.
func ParseProjection(src string, env *Env) (*Projection, error) {
	t, err := parsed(ProjectionExpression, src)
	if err != nil {
		return nil, err
	}
	b := newBinder(t, env)
	list, sorted, err := b.targets(len(t.paths), func(i int) int32 { return t.paths[i] })
	if err != nil {
		return nil, err
	}
	return &Projection{list, sorted}, nil
}

// targets binds the n paths that a projection or an update names, and refuses
// those that overlap or conflict. The service takes them from the last to the
// first and reports what it meets first.
func (b *binder) targets(n int, at func(int) int32) ([]Path, []spot, error) {
	paths := make([]Path, n)
	for i := n - 1; i >= 0; i-- {
		p, err := b.path(at(i))
		if err != nil {
			if fault := overlapFault(paths[i+1:]); fault != "" {
				err = b.invalid(fault)
			}
			return nil, nil, err
		}
		paths[i] = p
	}
	sorted, ok := spots(paths)
	if !ok {
		return nil, nil, b.invalid(overlapFault(paths))
	}
	return paths, sorted, nil
}

// NewProjection builds a projection from parts, refusing paths that overlap or
// conflict as ParseProjection does.
func NewProjection(paths ...Path) (*Projection, error) {
	sorted, ok := spots(paths)
	if !ok {
		return nil, ProjectionExpression.invalid(overlapFault(paths))
	}
	return &Projection{paths, sorted}, nil
}

// Apply returns the part of the item that the projection names: of a list, the
// chosen elements in their order, without gaps. It is nil if there is nothing of
// it. The result has memory of its own, unless the projection is nil.
func (p *Projection) Apply(item attr.Item) attr.Item {
	if p == nil {
		return item
	}
	return pickItem(nil, item, p.spots, 0)
}

// pickItem appends what the spots, which share the steps before depth, name of a
// map's content. It is nil if that is nothing.
func pickItem(dst []byte, item attr.Item, list []spot, depth int) []byte {
	var b attr.Builder
	kept := false
	for len(list) > 0 {
		n := together(list, depth)
		name := list[0].path[depth].Name
		if v, ok := item.Get(name); ok {
			if v = pick(v, list[:n], depth+1); v != nil {
				b.Set(name, v)
				kept = true
			}
		}
		list = list[n:]
	}
	if !kept {
		return nil
	}
	return b.AppendItem(dst)
}

// pick keeps of a value what the spots name; nil if that is nothing.
func pick(v attr.Value, list []spot, depth int) attr.Value {
	if len(list[0].path) == depth {
		return v
	}
	byIndex := list[0].path[depth].isIndex()
	switch {
	case v.Kind() == attr.Map && !byIndex:
		return pickItem([]byte{byte(attr.Map)}, v.Item(), list, depth)
	case v.Kind() == attr.List && byIndex:
		return pickElements(v, list, depth)
	}
	return nil
}

func pickElements(v attr.Value, list []spot, depth int) attr.Value {
	var kept attr.Value
	for len(list) > 0 {
		n := together(list, depth)
		if e, ok := v.Index(list[0].path[depth].Index); ok {
			if e = pick(e, list[:n], depth+1); e != nil {
				if kept == nil {
					kept = attr.Value{byte(attr.List)}
				}
				kept = appendElement(kept, e)
			}
		}
		list = list[n:]
	}
	return kept
}

// Attributes are the top-level attributes that the projection names, each once,
// in the order of their appearance.
func (p *Projection) Attributes() []string {
	if p == nil {
		return nil
	}
	return tops(p.paths, false)
}

// Nested are those of Attributes inside which the projection looks.
func (p *Projection) Nested() []string {
	if p == nil {
		return nil
	}
	return tops(p.paths, true)
}
