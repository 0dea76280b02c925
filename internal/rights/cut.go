package rights

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// quota returns how far a text may be shown, in bytes, if at most so many characters
// of its runs may be. The runs are in order and do not overlap.
func quota(runs []span, text string, most int) int {
	for _, run := range runs {
		for i := range text[run.from:run.to] {
			if most == 0 {
				return run.from + i
			}
			most--
		}
	}
	return len(text)
}

// leastShown is the shortest beginning of a text that tells anything, in characters.
const leastShown = 20

// shorten cuts a text to at most so many bytes: at the end of a sentence, else of a
// phrase, else of a word, with an ellipsis. Of an end in the first half it makes no
// use, and a beginning that tells nothing is left out: "". It does not cut inside
// quotation marks, unless nearly all of the beginning is inside them.
func shorten(text string, most int) string {
	if most >= len(text) {
		return text
	}
	sentence, phrase, word := ends(text, most)
	if open := quotation(text, most); open > most/3 && utf8.RuneCountInString(text[:open]) >= leastShown {
		sentence, phrase, word = ends(text, open)
		most = open
	}
	var short string
	switch {
	case sentence > most/2:
		short = text[:sentence]
		if last, _ := utf8.DecodeLastRuneInString(short); last < utf8.RuneSelf {
			short += " "
		}
	case phrase > most/2:
		short = text[:phrase]
	default:
		short = text[:word]
	}
	if utf8.RuneCountInString(short) < leastShown {
		return ""
	}
	return short + "…"
}

// ends returns the last ends of a sentence, a phrase and a word within so many bytes
// of a text; 0 for one that is not there. Marks that close what was opened belong to
// what they end.
func ends(text string, most int) (sentence, phrase, word int) {
	var before, stop rune // the letter before, and the full stop before that is not begun after
	for i, r := range text {
		if i > most {
			break
		}
		if stop != 0 && !strings.ContainsRune(closing, r) {
			if stop >= utf8.RuneSelf || unicode.IsSpace(r) {
				sentence = i
			}
			stop = 0
		}
		if strings.ContainsRune("。！？.!?", r) {
			stop = r
		}
		if strings.ContainsRune("、，；：", r) || strings.ContainsRune(",;:", r) && i+1 < len(text) && text[i+1] == ' ' {
			phrase = i
		}
		if before != 0 && !unicode.IsSpace(before) && (isUnspaced(r) || isUnspaced(before) || unicode.IsSpace(r)) {
			word = i
		}
		before = r
	}
	return sentence, phrase, word
}

// quotation returns where a quotation begins that goes on beyond so many bytes of a text;
// 0 if none does.
func quotation(text string, most int) int {
	var open []int
	for i, r := range text {
		if i >= most {
			break
		}
		switch {
		case strings.ContainsRune("「『“", r):
			open = append(open, i)
		case strings.ContainsRune("」』”", r) && len(open) > 0:
			open = open[:len(open)-1]
		}
	}
	if len(open) == 0 {
		return 0
	}
	return open[0]
}

const closing = "」』）】)\"”’"
