package expr

import (
	"bytes"
	"cmp"
	"reflect"
	"slices"
	"strings"
	"unicode/utf16"

	"pressroom/dynamo/attr"
)

// A second implementation of the language, over plain Go values and without any
// care for speed, to hold the first one against. Values are nil, bool, int64,
// string, bin, numSet, strSet, list and dict.
type (
	bin    string
	numSet []int64  // sorted, no duplicates
	strSet []string // sorted, no duplicates
	list   []any
	dict   map[string]any
)

// stored is a plain value in stored form.
func stored(v any) attr.Value {
	switch v := v.(type) {
	case nil:
		return attr.NewNull()
	case bool:
		return attr.NewBool(v)
	case int64:
		return attr.NewInt(v)
	case string:
		return attr.NewString(v)
	case bin:
		return attr.NewBinary([]byte(v))
	case numSet:
		return storedSet(attr.NumberSet, v)
	case strSet:
		return storedSet(attr.StringSet, v)
	case list:
		elements := make([]attr.Value, len(v))
		for i, e := range v {
			elements[i] = stored(e)
		}
		return attr.NewList(elements...)
	case dict:
		return attr.NewMap(storedItem(v))
	}
	panic("no stored form")
}

func storedSet[T any](kind attr.Kind, members []T) attr.Value {
	values := make([]attr.Value, len(members))
	for i, m := range members {
		values[i] = stored(any(m))
	}
	set, err := attr.NewSet(kind, values)
	if err != nil {
		panic(err)
	}
	return set
}

func storedItem(d dict) attr.Item {
	var b attr.Builder
	for name, v := range d {
		b.Set(name, stored(v))
	}
	return b.Item()
}

// missing stands for what is not there.
type missing struct{}

// lookup is the value at a path.
func lookup(d dict, p Path) any {
	var v any = d
	for _, s := range p {
		v = child(v, s)
	}
	return v
}

func child(v any, s Step) any {
	switch v := v.(type) {
	case dict:
		if e, ok := v[s.Name]; ok && s.Index < 0 {
			return e
		}
	case list:
		if s.Index >= 0 && s.Index < len(v) {
			return v[s.Index]
		}
	}
	return missing{}
}

func naiveSize(v any) any {
	switch v := v.(type) {
	case string:
		return int64(len(utf16.Encode([]rune(v))))
	case bin:
		return int64(len(v))
	case numSet, strSet, list, dict:
		return int64(reflect.ValueOf(v).Len())
	}
	return missing{}
}

func naiveCompare(op Comparison, a, b any) bool {
	same := a != missing{} && reflect.DeepEqual(a, b)
	switch op {
	case Equal:
		return same
	case NotEqual:
		return !same
	}
	c := 0
	switch x := a.(type) {
	case int64:
		y, ok := b.(int64)
		if !ok {
			return false
		}
		c = cmp.Compare(x, y)
	case string:
		y, ok := b.(string)
		if !ok {
			return false
		}
		c = strings.Compare(x, y)
	case bin:
		y, ok := b.(bin)
		if !ok {
			return false
		}
		c = bytes.Compare([]byte(x), []byte(y))
	default:
		return false
	}
	return op == Less && c < 0 || op == LessEqual && c <= 0 || op == Greater && c > 0 || op == GreaterEqual && c >= 0
}

func naiveContains(a, b any) bool {
	switch a := a.(type) {
	case string:
		s, ok := b.(string)
		return ok && strings.Contains(a, s)
	case bin:
		s, ok := b.(bin)
		return ok && strings.Contains(string(a), string(s))
	case numSet:
		n, ok := b.(int64)
		return ok && slices.Contains(a, n)
	case strSet:
		s, ok := b.(string)
		return ok && slices.Contains(a, s)
	case list:
		return slices.ContainsFunc(a, func(e any) bool { return reflect.DeepEqual(e, b) })
	}
	return false
}

func naiveBeginsWith(a, b any) bool {
	switch a := a.(type) {
	case string:
		s, ok := b.(string)
		return ok && strings.HasPrefix(a, s)
	case bin:
		s, ok := b.(bin)
		return ok && strings.HasPrefix(string(a), string(s))
	}
	return false
}

// clone is a deep copy.
func clone(v any) any {
	switch v := v.(type) {
	case list:
		c := make(list, len(v))
		for i, e := range v {
			c[i] = clone(e)
		}
		return c
	case dict:
		c := dict{}
		for name, e := range v {
			c[name] = clone(e)
		}
		return c
	}
	return v
}

// naiveChange is one change of an update, worked out already.
type naiveChange struct {
	path  Path
	value any // missing{} removes
	none  bool
}

// naiveApply makes the changes one after the other: first those in place, then
// the appends in the order of their indexes, then the removals from lists from
// the back, so that indexes mean the old positions.
func naiveApply(d dict, changes []naiveChange) (dict, bool) {
	slices.SortStableFunc(changes, func(a, b naiveChange) int { return slices.CompareFunc(a.path, b.path, Step.compare) })
	// Every place that holds the end of a path must be there before anything changes.
	for _, c := range changes {
		last := c.path[len(c.path)-1]
		holder := lookup(d, c.path[:len(c.path)-1])
		if _, ok := holder.(dict); !(ok && last.Index < 0) {
			if _, ok := holder.(list); !(ok && last.Index >= 0) {
				return nil, false
			}
		}
	}
	for _, c := range changes {
		if !c.none && c.value != (missing{}) {
			d = naiveSet(d, c.path, c.value).(dict)
		}
	}
	for _, c := range slices.Backward(changes) {
		if !c.none && c.value == (missing{}) {
			d = naiveRemove(d, c.path).(dict)
		}
	}
	return d, true
}

func naiveSet(v any, p Path, to any) any {
	if len(p) == 0 {
		return to
	}
	switch v := v.(type) {
	case dict:
		v[p[0].Name] = naiveSet(child(v, p[0]), p[1:], to)
		return v
	case list:
		if p[0].Index >= len(v) {
			return append(v, to)
		}
		v[p[0].Index] = naiveSet(v[p[0].Index], p[1:], to)
		return v
	}
	return v
}

func naiveRemove(v any, p Path) any {
	switch v := v.(type) {
	case dict:
		if len(p) == 1 {
			delete(v, p[0].Name)
		} else {
			v[p[0].Name] = naiveRemove(v[p[0].Name], p[1:])
		}
		return v
	case list:
		i := p[0].Index
		switch {
		case i >= len(v):
		case len(p) == 1:
			return slices.Delete(v, i, i+1)
		default:
			v[i] = naiveRemove(v[i], p[1:])
		}
		return v
	}
	return v
}
