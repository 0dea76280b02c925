package attr

import (
	"slices"
	"strings"
)

// Builder makes items: it starts from one, or from nothing, takes changes, and writes the
// result in one go. What is not changed is copied as bytes. The zero Builder starts from
// nothing; a Builder can be used again after Reset.
type Builder struct {
	base  Item
	edits []edit // sorted by name, no name twice
}

// edit sets an attribute, or deletes it when value is nil.
type edit struct {
	name  string
	value Value
}

// NewBuilder returns a builder that starts from base, which it reads until Item is called
// for the last time.
func NewBuilder(base Item) *Builder { return &Builder{base: base} }

// Reset drops all changes and starts from base.
func (b *Builder) Reset(base Item) {
	clear(b.edits)
	b.base, b.edits = base, b.edits[:0]
}

// Set gives the attribute a value, in place of the one it had. Name and value are read when
// Item is called.
func (b *Builder) Set(name string, v Value) { b.put(edit{name, v}) }

// Delete takes the attribute away, if it is there.
func (b *Builder) Delete(name string) { b.put(edit{name: name}) }

func (b *Builder) put(e edit) {
	n := len(b.edits)
	if n == 0 || b.edits[n-1].name < e.name {
		b.edits = append(b.edits, e)
		return
	}
	i, found := slices.BinarySearchFunc(b.edits, e.name, func(e edit, name string) int {
		return strings.Compare(e.name, name)
	})
	if found {
		b.edits[i] = e
		return
	}
	b.edits = slices.Insert(b.edits, i, e)
}

// Get is the attribute as it stands with the changes so far; false if there is none.
func (b *Builder) Get(name string) (Value, bool) {
	for _, e := range b.edits {
		if e.name == name {
			return e.value, e.value != nil
		}
	}
	return b.base.Get(name)
}

// Item writes the item into memory of its own. The builder can be changed further.
func (b *Builder) Item() Item { return b.AppendItem(nil) }

// AppendItem appends the item's bytes to dst.
func (b *Builder) AppendItem(dst []byte) []byte {
	size := len(b.base)
	for _, e := range b.edits {
		size += len(e.name) + len(e.value) + 2*prefixLen(len(e.name)+len(e.value))
	}
	out, base := Item(slices.Grow(dst, size)), b.base
	for _, e := range b.edits {
		n := base.below(e.name)
		out, base = append(out, base[:n]...), base[n:].without(e.name)
		if e.value != nil {
			out = out.appendEntry(e.name, e.value)
		}
	}
	return append(out, base...)
}

// below is the length of the attributes whose names sort before name.
func (it Item) below(name string) int {
	rest := it
	for len(rest) > 0 {
		n, _, next, ok := rest.cutEntry()
		if !ok || string(n) >= name {
			break
		}
		rest = next
	}
	return len(it) - len(rest)
}

// without is the item less its first attribute, if that has the name.
func (it Item) without(name string) Item {
	if len(it) == 0 {
		return it
	}
	if n, _, rest, ok := it.cutEntry(); ok && string(n) == name {
		return rest
	}
	return it
}
