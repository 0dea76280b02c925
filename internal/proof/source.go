package proof

import (
	"strings"
	"sync"
)

// source is a passage, read when it is first asked about.
type source struct {
	Passage
	record *Record
	label  string // ○水野国務大臣
	bare   string // the text without white space, folded
	read   func() *reading
}

// reading is a passage taken apart.
type reading struct {
	lines []*line
	index map[string][]place // where a word, or one that can stand for it, occurs
}

// place is a word of a line.
type place struct{ line, word int }

func (s *source) prepare() {
	if rest, ok := strings.CutPrefix(strings.TrimSpace(s.Text), "○"); ok {
		if end := strings.IndexAny(rest, "　 \n"); end > 0 && end < 100 {
			s.label = string(fold(rest[:end]))
		}
	}
	s.bare = bare(s.Text)
	s.read = sync.OnceValue(func() *reading {
		r := &reading{index: map[string][]place{}}
		text := s.Text
		if s.label != "" { // who speaks is no part of what is said; places stay what they are
			at := strings.Index(text, "○")
			end := at + strings.IndexAny(text[at:], "　 \n")
			text = strings.Repeat(" ", len([]rune(text[:end]))) + text[end:]
		}
		r.lines = read(text, s.record.day)
		for i, l := range r.lines {
			l.source = s
			for j := range l.words {
				for _, key := range keys(&l.words[j]) {
					r.index[key] = append(r.index[key], place{i, j})
				}
			}
		}
		return r
	})
}

// bare removes white space and folds, so that copies with other line breaks compare equal.
func bare(s string) string {
	runes := fold(s)
	out := runes[:0]
	for _, r := range runes {
		if r != ' ' {
			out = append(out, r)
		}
	}
	return strings.ToLower(string(out))
}

// keys are under what a word is found.
func keys(w *word) []string {
	if w.kind != content && w.kind != name && w.axes == nil && w.groups == nil {
		return nil
	}
	return []string{w.base}
}
