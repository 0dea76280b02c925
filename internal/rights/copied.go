package rights

import (
	"hash/maphash"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// span is a part of a text, in bytes.
type span struct{ from, to int }

// A run of a summary is copied if it stands in the text word for word: 8 words, or
// 20 characters of a script without spaces between words, or some of both. Shorter
// runs are the names and turns of phrase that any account of the same thing shares.
const (
	runWeight  = 40
	wordWeight = runWeight / 8
	charWeight = runWeight / 20
	seedUnits  = 8 // no run has fewer units
)

// unit is what is compared: a word, or a character of a script without spaces. Case,
// width, spaces and punctuation make no difference.
type unit struct {
	span
	hash   uint64
	weight int
}

var seed = maphash.MakeSeed()

// copied returns the runs of a summary that stand in a text. A run whose parts
// stand in different places of the text, overlapping, counts as well.
func copied(summary, text string) []span {
	ours, theirs := units(summary), units(text)
	known := map[uint64]bool{} // the seeds of ours, and whether theirs has them
	for i := range len(ours) - seedUnits + 1 {
		known[seedAt(ours, i)] = false
	}
	for i := range len(theirs) - seedUnits + 1 {
		key := seedAt(theirs, i)
		if _, ok := known[key]; ok {
			known[key] = true
		}
	}
	var runs []span
	for i := 0; i+seedUnits <= len(ours); i++ {
		if !known[seedAt(ours, i)] {
			continue
		}
		first := i
		for i+1+seedUnits <= len(ours) && known[seedAt(ours, i+1)] {
			i++
		}
		run, weight := ours[first:i+seedUnits], 0
		for _, u := range run {
			weight += u.weight
		}
		if weight >= runWeight {
			runs = join(runs, span{run[0].from, run[len(run)-1].to})
		}
	}
	return runs
}

// join appends a run, or lengthens the last one if the two overlap.
func join(runs []span, next span) []span {
	if last := len(runs) - 1; last >= 0 && next.from <= runs[last].to {
		runs[last].to = next.to
		return runs
	}
	return append(runs, next)
}

// seedAt is the name of the units from i on, as many as a seed has.
func seedAt(list []unit, i int) uint64 {
	var h uint64
	for _, u := range list[i : i+seedUnits] {
		h = h*0x9E3779B97F4A7C15 + u.hash // every place counts differently
	}
	return h
}

func units(text string) []unit {
	var list []unit
	word := -1 // where one began
	end := func(at int) {
		if word >= 0 {
			list = append(list, newUnit(text, span{word, at}, wordWeight))
			word = -1
		}
	}
	for i, r := range text {
		switch {
		case isUnspaced(r):
			end(i)
			list = append(list, newUnit(text, span{i, i + utf8.RuneLen(r)}, charWeight))
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			if word < 0 {
				word = i
			}
		default:
			end(i)
		}
	}
	end(len(text))
	return list
}

func newUnit(text string, at span, weight int) unit {
	part := text[at.from:at.to]
	if !norm.NFKC.IsNormalString(part) {
		part = norm.NFKC.String(part)
	}
	return unit{at, maphash.String(seed, strings.ToLower(part)), weight}
}

// isUnspaced reports whether a letter is of a script without spaces between words.
func isUnspaced(r rune) bool {
	switch {
	case r < 0x0e00:
		return false
	case r >= 0x3041 && r <= 0x3096, r >= 0x4e00 && r <= 0x9fff: // most of Japanese
		return true
	}
	return r == 'ー' || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}
