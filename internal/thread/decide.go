package thread

import (
	"maps"
	"slices"
)

// Join puts two stories, and all that belongs to either, into one thread. It stays so,
// whatever comes, until [Index.Part] or [Index.Forget].
func (x *Index) Join(a, b string) { x.say(a, b, true) }

// Part puts two stories into two threads. It stays so, whatever comes, until [Index.Join] or
// [Index.Forget]. Either story may be unknown yet.
func (x *Index) Part(a, b string) { x.say(a, b, false) }

// Forget leaves two stories to the rules again.
func (x *Index) Forget(a, b string) {
	delete(x.said[a], b)
	delete(x.said[b], a)
	x.obey(a, b)
	x.settleIDs(a, b)
}

func (x *Index) say(a, b string, together bool) {
	if a == b {
		return
	}
	for _, p := range [][2]string{{a, b}, {b, a}} {
		if x.said[p[0]] == nil {
			x.said[p[0]] = map[string]bool{}
		}
		x.said[p[0]][p[1]] = together
	}
	x.obey(a, b)
	x.settleIDs(a, b)
}

// settleIDs puts what hangs together with some stories into threads anew.
func (x *Index) settleIDs(ids ...string) {
	for _, id := range ids {
		if n, ok := x.numbers[id]; ok {
			x.settle(n)
		}
	}
}

// obey writes what an editor said of two stories into their link.
func (x *Index) obey(a, b string) {
	n, known := x.numbers[a]
	m, too := x.numbers[b]
	if !known || !too {
		return
	}
	if x.linked(n, m) == nil {
		x.link(n, m, x.score(x.docs[n], x.docs[m]))
	}
	said := 0
	if together, ok := x.said[a][b]; ok {
		said = int(2*is(together) - 1)
	}
	x.linked(n, m).said, x.linked(m, n).said = said, said
}

// obeyed joins the groups that hold two stories which an editor put together, unless they
// also hold two that an editor put apart.
func (x *Index) obeyed(groups [][]int32) [][]int32 {
	if !slices.ContainsFunc(groups, func(g []int32) bool { return x.told(g, nil, 1) }) {
		return groups
	}
	for i := 0; i < len(groups); i++ {
		for j := len(groups) - 1; j > i; j-- {
			if x.told(groups[i], groups[j], 1) && !x.told(groups[i], groups[j], -1) {
				groups[i] = append(groups[i], groups[j]...)
				groups = slices.Delete(groups, j, j+1)
				j = len(groups) // what was joined may lead to others
			}
		}
	}
	return groups
}

// told tells whether an editor said this of a story of one group and one of the other; nil is
// any.
func (x *Index) told(a, b []int32, said int) bool {
	return slices.ContainsFunc(a, func(n int32) bool {
		return slices.ContainsFunc(x.links[n], func(l link) bool { return l.said == said && (b == nil || slices.Contains(b, l.to)) })
	})
}

// obeyOnly takes over all that editors said, in the place of what they said before.
func (x *Index) obeyOnly(said map[string]map[string]bool) {
	was := x.said
	x.said = said
	stories := map[string]bool{}
	for _, all := range []map[string]map[string]bool{was, said} {
		for a, others := range all {
			for b := range others {
				before, then := was[a][b]
				after, now := said[a][b]
				if a < b && (before != after || then != now) {
					x.obey(a, b)
					stories[a], stories[b] = true, true
				}
			}
		}
	}
	x.settleIDs(slices.Sorted(maps.Keys(stories))...)
}
