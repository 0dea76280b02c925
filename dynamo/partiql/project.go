package partiql

import (
	"strconv"

	"pressroom/dynamo/attr"
	"pressroom/dynamo/expr"
)

// column is one column of a SELECT: a path, and the name that its value has in the answer.
type column struct {
	name string
	path expr.Path
}

// columns are the columns of a SELECT, none for *.
func (b *binder) columns(s *selection) ([]column, error) {
	if err := checkProjection(s); err != nil {
		return nil, err
	}
	list := make([]column, len(s.columns))
	paths := make([]expr.Path, len(s.columns))
	seen := map[string]bool{}
	for i, n := range s.columns {
		path, err := pathOf(n)
		if err != nil {
			return nil, err
		}
		list[i], paths[i] = column{columnName(path), path}, path
	}
	for _, c := range list {
		if seen[c.name] {
			return nil, refuse("Duplicate identifiers in select clause: %s", c.name)
		}
		seen[c.name] = true
	}
	return list, checkPaths(paths)
}

// checkProjection refuses forms of the select list that the service has not.
func checkProjection(s *selection) error {
	switch {
	case s.value:
		return refuse("Select projection doesn't support value or pivot keywords")
	case s.distinct:
		return refuse("Unsupported token in expression: DISTINCT")
	case s.aliased:
		return refuse("Aliasing is not supported")
	case s.nested:
		return refuse("Changing item's hierarchy while reading isn't supported")
	}
	return nil
}

// columnName is the last name of a path, with the list indexes after it.
func columnName(path expr.Path) string {
	last := len(path) - 1
	for path[last].Index >= 0 {
		last--
	}
	name := path[last].Name
	for _, step := range path[last+1:] {
		name += "[" + strconv.Itoa(step.Index) + "]"
	}
	return name
}

// Columns are the attributes that a SELECT names, each once, in the order of the
// statement; nil for SELECT *.
func (b *Bound) Columns() []string {
	var list []string
	seen := map[string]bool{}
	for _, c := range b.columns {
		if name := c.path[0].Name; !seen[name] {
			seen[name] = true
			list = append(list, name)
		}
	}
	return list
}

// Project is what a SELECT answers with for an item: the item itself for SELECT *, else
// the values of its columns, each under the last name of its path. A column that the item
// has not is left out. The result may alias the item.
func (b *Bound) Project(item attr.Item) attr.Item {
	if len(b.columns) == 0 {
		return item
	}
	var builder attr.Builder
	for _, c := range b.columns {
		if v, ok := valueAt(item, c.path); ok {
			builder.Set(c.name, v)
		}
	}
	return builder.Item()
}

// valueAt is the value at a path of an item.
func valueAt(item attr.Item, path expr.Path) (attr.Value, bool) {
	v, ok := item.Get(path[0].Name)
	for _, step := range path[1:] {
		switch {
		case !ok:
			return nil, false
		case step.Index >= 0:
			if v.Kind() != attr.List {
				return nil, false
			}
			v, ok = v.Index(step.Index)
		case v.Kind() == attr.Map:
			v, ok = v.Item().Get(step.Name)
		default:
			return nil, false
		}
	}
	return v, ok
}
