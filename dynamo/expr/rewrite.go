package expr

import (
	"encoding/binary"

	"pressroom/dynamo/attr"
)

// Containers along the path of a change are written anew; what lies beside the
// path is copied as bytes.

// rewriteItem appends a map's content with the changes of the spots, which share
// the steps before depth.
func rewriteItem(dst []byte, item attr.Item, changes []change, list []spot, depth int) ([]byte, error) {
	var b attr.Builder
	b.Reset(item)
	for len(list) > 0 {
		n := together(list, depth)
		name := list[0].path[depth].Name
		c, err := changeOf(list[:n], changes, depth+1, item)
		switch {
		case err != nil:
			return nil, err
		case c.keep:
		case c.value == nil:
			b.Delete(name)
		default:
			b.Set(name, c.value)
		}
		list = list[n:]
	}
	return b.AppendItem(dst), nil
}

// changeOf is what becomes of the attribute of item that the spots share.
func changeOf(list []spot, changes []change, depth int, item attr.Item) (change, error) {
	if len(list[0].path) == depth {
		return changes[list[0].index], nil
	}
	v, _ := item.Get(list[0].path[depth-1].Name)
	v, err := rewrite(v, changes, list, depth)
	return change{value: v}, err
}

// rewrite is a list or map with the changes of the spots, all of which lie inside
// it.
func rewrite(v attr.Value, changes []change, list []spot, depth int) (attr.Value, error) {
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
func rewriteList(v attr.Value, changes []change, list []spot, depth int) (attr.Value, error) {
	out := append(make(attr.Value, 0, len(v)+64), byte(attr.List))
	i := 0
	for e := range v.Elements() {
		if len(list) > 0 && list[0].path[depth].Index == i {
			n := together(list, depth)
			c, err := changeOfElement(list[:n], changes, depth+1, e)
			if err != nil {
				return nil, err
			}
			e, list = c.value, list[n:]
		}
		if e != nil {
			out = appendElement(out, e)
		}
		i++
	}
	for len(list) > 0 {
		n := together(list, depth)
		c, err := changeOfElement(list[:n], changes, depth+1, nil)
		if err != nil {
			return nil, err
		}
		if c.value != nil {
			out = appendElement(out, c.value)
		}
		list = list[n:]
	}
	return out, nil
}

// changeOfElement is what becomes of an element of a list, nil if it is past the
// end. An element that is kept is its own value.
func changeOfElement(list []spot, changes []change, depth int, e attr.Value) (change, error) {
	if len(list[0].path) == depth {
		c := changes[list[0].index]
		if c.keep {
			c.value = e
		}
		return c, nil
	}
	v, err := rewrite(e, changes, list, depth)
	return change{value: v}, err
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
