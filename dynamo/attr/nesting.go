package attr

// MaxNesting is how many levels a document may have: an attribute's own value is the
// first, an element of a list or map is one level below the list or map. A list or map on
// the last level is refused even when it is empty.
const MaxNesting = 32

// fits tells whether a list or map may lie inside depth others.
func fits(depth int) bool { return depth < MaxNesting-1 }

// CheckNesting refuses an item with a document deeper than MaxNesting, which an update can
// build from parts that are not too deep themselves.
func CheckNesting(it Item) error {
	if !fitsItem(it, 0) {
		return invalid(msgNesting)
	}
	return nil
}

func fitsItem(it Item, depth int) bool {
	for len(it) > 0 {
		_, v, rest, ok := it.cutEntry()
		if !ok {
			break
		}
		if !fitsValue(v, depth) {
			return false
		}
		it = rest
	}
	return true
}

func fitsValue(v Value, depth int) bool {
	switch v.Kind() {
	case Map:
		return fits(depth) && fitsItem(v.Item(), depth+1)
	case List:
		return fits(depth) && fitsList(v[1:], depth+1)
	}
	return true
}

func fitsList(rest []byte, depth int) bool {
	for len(rest) > 0 {
		part, next, ok := cut(rest)
		if !ok {
			break
		}
		if !fitsValue(part, depth) {
			return false
		}
		rest = next
	}
	return true
}
