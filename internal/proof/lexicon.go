package proof

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed lexicon/ja.txt
var japaneseWords string

//go:embed lexicon/en.txt
var englishWords string

// force is how firmly something is said to be so.
type force int8

const (
	wished   force = iota // demanded, proposed, examined, possible
	planned               // intended, expected, aimed at
	said                  // told without a mark: it may be either
	decided               // agreed or resolved
	happened              // past
	noForce  force = 9
)

// lexicon is what the rules know of a language's words. All words are in the form that its analyser gives: the
// dictionary form in Japanese, the stem in English.
type lexicon struct {
	groups  map[string][]int // words that may stand for each other
	axes    map[string][]axis
	forces  map[string]force // marks that say how firm something is
	hints   map[string]force // those that do so only in what is checked
	say     map[string]bool
	ask     map[string]bool
	demand  map[string]bool
	act     map[string]bool
	negator map[string]bool
	lacking map[string]bool // words that deny without saying no
	cond    map[string]bool
	stage   map[string]bool
	stop    map[string]bool
	// formulas are sentences that tell how a vote went in plain words, with the words of a record of which one must be there.
	formulas map[string][]string
}

// axis is a pair of opposites, and the side of it that a word is on.
type axis struct {
	id       int
	negative bool
	result   bool // that the passages speak of it at all is part of the claim
}

var (
	japaneseLexicon = sync.OnceValue(func() *lexicon { return readLexicon(japaneseWords, func(w string) string { return w }) })
	englishLexicon  = sync.OnceValue(func() *lexicon { return readLexicon(englishWords, stem) })
)

func readLexicon(text string, form func(string) string) *lexicon {
	l := &lexicon{
		groups: map[string][]int{}, axes: map[string][]axis{}, forces: map[string]force{}, hints: map[string]force{},
		say: map[string]bool{}, ask: map[string]bool{}, demand: map[string]bool{}, act: map[string]bool{}, negator: map[string]bool{}, lacking: map[string]bool{}, cond: map[string]bool{}, stage: map[string]bool{}, stop: map[string]bool{}, formulas: map[string][]string{},
	}
	section, n := "", 0
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "# "); ok {
			section = name
			continue
		}
		if line == "" {
			continue
		}
		n++
		switch section {
		case "axis":
			name, words, _ := strings.Cut(line, ":")
			positive, negative, _ := strings.Cut(words, "|")
			for i, side := range []string{positive, negative} {
				for _, w := range strings.Fields(side) {
					w = form(w)
					if !hasAxis(l.axes[w], n) {
						l.axes[w] = append(l.axes[w], axis{n, i == 1, name[0] == '*'})
					}
				}
			}
		case "formula":
			sentence, forms, _ := strings.Cut(line, "=")
			l.formulas[strings.TrimSpace(sentence)] = strings.Fields(forms)
		case "same":
			for _, w := range strings.Fields(line) {
				l.groups[form(w)] = append(l.groups[form(w)], n)
			}
		default:
			for _, w := range strings.Fields(line) {
				l.add(section, form(w))
			}
		}
	}
	return l
}

func hasAxis(list []axis, id int) bool {
	for _, a := range list {
		if a.id == id {
			return true
		}
	}
	return false
}

func (l *lexicon) add(section, w string) {
	switch section {
	case "say":
		l.say[w] = true
	case "ask":
		l.ask[w] = true
	case "demand":
		l.demand[w] = true
		l.forces[w] = wished
	case "consider":
		l.forces[w] = wished
	case "plan":
		if _, known := l.forces[w]; !known {
			l.forces[w] = planned
		}
	case "hint":
		l.hints[w] = planned
	case "decided":
		if _, known := l.forces[w]; !known {
			l.forces[w] = decided
		}
	case "act":
		l.act[w] = true
	case "lacking":
		l.lacking[w] = true
	case "negator":
		l.negator[w] = true
	case "condition":
		l.cond[w] = true
	case "stage":
		l.stage[w] = true
	case "stop":
		l.stop[w] = true
	}
}
