package expr

import (
	"encoding/binary"

	"pressroom/dynamo/attr"
)

// Containers along the path of a change are written anew; what lies beside the
// path is copied as bytes.

// rewriteItem appends a map's content with the changes of the spots, which share
// the steps before depth.
func rewriteItem(dst []byte, item attr.Item, changes []attr.Value, list []spot, depth int) ([]byte, error) {
	var b attr.Builder
	b.Reset(item)
	for len(list) > 0 {
		n := together(list, depth)
		name := list[0].path[depth].Name
		v, err := rewriteAttribute(item, changes, list[:n], depth)
		switch {
		case err != nil:
			return nil, err
		case v == nil:
			b.Delete(name)
		default:
			b.Set(name, v)
		}
		list = list[n:]
	}
	return b.AppendItem(dst), nil
}

// rewriteAttribute is what the attribute that the spots share at depth becomes,
// nil for nothing.
func rewriteAttribute(item attr.Item, changes []attr.Value, list []spot, depth int) (attr.Value, error) {
	if len(list[0].path) == depth+1 {
		return changes[list[0].index], nil
	}
	v, _ := item.Get(list[0].path[depth].Name)
	return rewrite(v, changes, list, depth+1)
}

// rewrite is a list or map with the changes of the spots, all of which lie inside
// it at depth.
func rewrite(v attr.Value, changes []attr.Value, list []spot, depth int) (attr.Value, error) {
	byIndex := list[0].path[depth].isIndex()
	switch {
	case v.Kind() == attr.List && byIndex:
		return rewriteList(v, changes, list, depth)
	case v.Kind() == attr.Map && !byIndex:
		return rewriteItem(append(make([]byte, 0, len(v)+64), byte(attr.Map)), v.Item(), changes, list, depth)
	}
	return nil, errTarget
}

// rewriteList keeps the elements in their order, and appends those set past the
// end in the order of their indexes.
func rewriteList(v attr.Value, changes []attr.Value, list []spot, depth int) (attr.Value, error) {
	out := append(make(attr.Value, 0, len(v)+64), byte(attr.List))
	i := 0
	for e := range v.Elements() {
		if len(list) > 0 && list[0].path[depth].Index == i {
			n := together(list, depth)
			var err error
			if e, err = rewriteElement(e, changes, list[:n], depth); err != nil {
				return nil, err
			}
			list = list[n:]
		}
		if e != nil {
			out = appendElement(out, e)
		}
		i++
	}
	for len(list) > 0 {
		n := together(list, depth)
		e, err := rewriteElement(nil, changes, list[:n], depth)
		if err != nil {
			return nil, err
		}
		if e != nil {
			out = appendElement(out, e)
		}
		list = list[n:]
	}
	return out, nil
}

// rewriteElement is what an element of a list (nil past its end) becomes, nil for
// nothing.
func rewriteElement(e attr.Value, changes []attr.Value, list []spot, depth int) (attr.Value, error) {
	if len(list[0].path) == depth+1 {
		return changes[list[0].index], nil
	}
	return rewrite(e, changes, list, depth+1)
}

// appendElement appends an element to a list, which is its elements in a row, each
// after its length.
func appendElement(list, e attr.Value) attr.Value {
	return append(binary.AppendUvarint(list, uint64(len(e))), e...)
}

// concat is one list after the other.
func concat(a, b attr.Value) attr.Value {
	v := make(attr.Value, 0, len(a)+len(b))
	return append(append(v, a...), b.Payload()...)
}
