// Package score holds the threads that the rules find against those that a careful reader
// found. docs/eval.md says how such answers are made.
//
// It promises that a story which is right in several threads is not counted, and that the
// order of the files says nothing: stories come in an order of their own. Start with [Load] and
// [Set.Score].
package score

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pressroom/internal/gold"
	"pressroom/internal/thread"
)

// Measures of the table.
const (
	Duplicates = "near duplicates"
	Threads    = "threads"
)

// Set is a gold set.
type Set struct {
	Stories []thread.Story
	thread  map[string]string // of each story; its own id if it stands alone
	either  map[string]bool   // stories that are right in several
	pairs   map[pair]bool     // of near-duplicates
}

type pair [2]string

func pairOf(a, b string) pair { return pair{min(a, b), max(a, b)} }

// Load reads a gold set from a folder.
func Load(dir string) (*Set, error) {
	s := &Set{thread: map[string]string{}, either: map[string]bool{}, pairs: map[pair]bool{}}
	files, err := filepath.Glob(filepath.Join(dir, "stories-*.jsonl"))
	if err == nil && len(files) == 0 {
		err = errors.New("there is no stories-*.jsonl")
	}
	read := func(file string, each func(*answer)) {
		if err == nil {
			err = lines(filepath.Join(dir, file), each)
		}
	}
	for _, f := range files {
		if err == nil {
			err = lines(f, func(st *thread.Story) {
				st.Entry = st.Desk == "lexicon"
				s.Stories = append(s.Stories, *st)
			})
		}
	}
	read("threads.jsonl", func(a *answer) {
		for _, id := range a.Stories {
			s.thread[id] = a.Thread
		}
	})
	read("singletons.jsonl", func(a *answer) { s.thread[a.Story], s.either[a.Story] = a.Story, len(a.May) > 0 })
	read("duplicates.jsonl", func(a *answer) {
		for i, id := range a.Stories {
			for _, other := range a.Stories[:i] {
				s.pairs[pairOf(id, other)] = true
			}
		}
	})
	return s, err
}

// answer is a line of the files of answers.
type answer struct {
	Thread, Story string
	Stories, May  []string
}

// lines reads a file of one JSON object a line.
func lines[T any](file string, each func(*T)) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	n := 0
	for line := range bytes.Lines(data) {
		n++
		v := new(T)
		if err := json.Unmarshal(line, v); err != nil {
			return fmt.Errorf("%s, line %d: %w", file, n, err)
		}
		each(v)
	}
	return nil
}

// Index takes the stories in, in an order that the seed chooses.
func (s *Set) Index(seed uint64) *thread.Index {
	stories := slices.Clone(s.Stories)
	rand.New(rand.NewPCG(seed, 1)).Shuffle(len(stories), func(i, j int) { stories[i], stories[j] = stories[j], stories[i] }) //nolint:gosec // an order, no secret
	x := thread.NewIndex()
	for i := range stories {
		x.Add(&stories[i])
	}
	return x
}

// Score compares an index with the answers, for the threads that keep picks; nil is all.
// The row of threads counts pairs of stories; its shares are B-cubed.
func (s *Set) Score(x *thread.Index, keep func(thread string) bool) *gold.Table {
	counts := func(id string) bool { return !s.either[id] && (keep == nil || keep(s.thread[id])) }
	found := x.Threads()
	t := gold.NewTable(Duplicates, Threads)
	right, wrong := map[pair]bool{}, map[pair]bool{}
	var precision, recall float64
	size := map[string]int{}
	for id, name := range s.thread {
		if !s.either[id] {
			size[name]++
		}
	}
	for _, ids := range found {
		for _, group := range x.Printings(ids) {
			s.duplicates(t, group, counts)
		}
		ids = slices.DeleteFunc(ids, func(id string) bool { return s.either[id] })
		for _, a := range ids {
			if !counts(a) {
				continue
			}
			t.Cases++
			same := 0
			for _, b := range ids {
				if s.thread[a] == s.thread[b] {
					same++
					right[pairOf(a, b)] = a != b || right[pairOf(a, b)]
				} else if p := pairOf(a, b); !wrong[p] {
					wrong[p] = true
					t.Faults = append(t.Faults, gold.Fault{Case: s.thread[a], Measure: Threads, What: fmt.Sprintf("%s with %s of %s", a, b, s.thread[b])})
				}
			}
			precision += float64(same) / float64(len(ids))
			recall += float64(same) / float64(size[s.thread[a]])
		}
	}
	s.missed(t, found, right, counts)
	t.Finish()
	row := t.Row(Threads)
	row.Precision, row.Recall = precision/float64(t.Cases), recall/float64(t.Cases)
	row.F1 = 2 * row.Precision * row.Recall / (row.Precision + row.Recall)
	row.Wrong = len(wrong)
	return t
}

// duplicates counts the pairs of a group that was found.
func (s *Set) duplicates(t *gold.Table, group []string, counts func(string) bool) {
	row := t.Row(Duplicates)
	for i, a := range group {
		for _, b := range group[:i] {
			switch {
			case !counts(a):
			case s.pairs[pairOf(a, b)]:
				row.Right++
			default:
				row.Wrong++
				t.Faults = append(t.Faults, gold.Fault{Case: s.thread[a], Measure: Duplicates, What: a + " and " + b})
			}
		}
	}
}

// missed counts what was not found.
func (s *Set) missed(t *gold.Table, found [][]string, right map[pair]bool, counts func(string) bool) {
	in := map[string]int{}
	for i, ids := range found {
		for _, id := range ids {
			in[id] = i
		}
	}
	asked := 0
	for p := range s.pairs {
		if counts(p[0]) {
			asked++
		}
	}
	t.Row(Duplicates).Missed = asked - t.Row(Duplicates).Right
	row := t.Row(Threads)
	members := map[string][]string{}
	for id, name := range s.thread {
		if counts(id) {
			members[name] = append(members[name], id)
		}
	}
	for name, ids := range members {
		slices.Sort(ids)
		for i, a := range ids {
			for _, b := range ids[:i] {
				if right[pairOf(a, b)] {
					row.Right++
					continue
				}
				row.Missed++
				t.Faults = append(t.Faults, gold.Fault{Case: name, Measure: Threads, Missed: true, What: a + " with " + b})
			}
		}
	}
	slices.SortFunc(t.Faults, func(a, b gold.Fault) int { return strings.Compare(a.Case+a.What, b.Case+b.What) })
}
