package disk

import (
	"bytes"

	"github.com/cockroachdb/pebble/v2"
)

// comparer orders rows as bytes, and tells Pebble which part of a row is the
// key of an object: then Bloom filters answer for whole keys, and most puts of
// a new key, which have to look whether there is an old one, read no block.
var comparer = func() *pebble.Comparer {
	c := *pebble.DefaultComparer
	c.Name = "pressroom.blob.1"
	c.Split = splitKey
	c.ComparePointSuffixes = bytes.Compare
	c.CompareRangeSuffixes = bytes.Compare
	// Made-up separators could end within an escape; the rows themselves do.
	c.Separator = func(dst, a, _ []byte) []byte { return append(dst, a...) }
	c.Successor = func(dst, a []byte) []byte { return append(dst, a...) }
	c.ImmediateSuccessor = nextKey
	return &c
}()

// nextKey returns the smallest whole key after a whole key.
func nextKey(dst, row []byte) []byte {
	dst = append(dst, row...)
	if keyed(row) && row[len(row)-1] == endOfKey {
		dst[len(dst)-1] = afterKey
		return dst
	}
	return append(dst, 0)
}

// keyed reports whether a row has something behind an object's key.
func keyed(row []byte) bool {
	return len(row) > keyStart && (row[0] == spaceObject || row[0] == spaceUpload || row[0] == spaceRestore)
}

// splitKey returns how much of a row is its object's key: up to the end of key
// in the spaces that have versions or uploads behind it, all of it elsewhere.
func splitKey(row []byte) int {
	if !keyed(row) {
		return len(row)
	}
	for i := keyStart; i+1 < len(row); i++ {
		if row[i] != escape {
			continue
		}
		if row[i+1] != escapedNo {
			return i + 2
		}
		i++
	}
	return len(row)
}

// keyStart is where the key begins, after the space and the bucket.
const keyStart = 1 + 8
