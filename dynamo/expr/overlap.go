package expr

// overlapFault is the service's message about paths that overlap or conflict, ""
// if none do. It mirrors how the service finds them: it takes the paths from the
// last to the first into a tree of hash tables, and shows the path that did not
// fit together with the first one that it meets on a walk of the table where
// that happened, which need not be the one in the way.
func overlapFault(paths []Path) string {
	root := &branch{}
	for i := len(paths) - 1; i >= 0; i-- {
		at, what := root.insert(paths[i])
		if at == nil {
			continue
		}
		return "Two document paths " + what + " with each other; must remove or rewrite one of these paths; " +
			"path one: " + paths[i].String() + ", path two: " + at.firstLeaf().String()
	}
	return ""
}

// branch is a place in the tree of paths; path is set where a path ends.
type branch struct {
	step     Step
	path     Path
	children []*branch
}

// insert adds a path, or tells where it did not fit.
func (b *branch) insert(p Path) (at *branch, what string) {
	for i, s := range p {
		if len(b.children) > 0 && b.children[0].step.isIndex() != s.isIndex() {
			return b, "conflict"
		}
		child := b.child(s)
		last := i == len(p)-1
		switch {
		case child == nil:
			child = &branch{step: s}
			b.children = append(b.children, child)
		case last || child.path != nil:
			return b, "overlap"
		}
		if last {
			child.path = p
		}
		b = child
	}
	return nil, ""
}

func (b *branch) child(s Step) *branch {
	for _, c := range b.children {
		if c.step == s {
			return c
		}
	}
	return nil
}

// stepHash is added to the hash of a name, or to an index, to make the hash of a
// step. It is observed.
const stepHash = 0xFDF81

// firstLeaf is the first path under b, which has children.
func (b *branch) firstLeaf() Path {
	for b.path == nil {
		best := b.children[0]
		for _, c := range b.children[1:] {
			if c.slot(len(b.children)) < best.slot(len(b.children)) {
				best = c
			}
		}
		b = best
	}
	return b.path
}

func (b *branch) slot(siblings int) uint32 {
	if b.step.isIndex() {
		return slot(stepHash+uint32(b.step.Index), siblings)
	}
	return slot(stepHash+hashCode(b.step.Name), siblings)
}
