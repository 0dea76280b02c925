package builtin

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxSentence bounds a sentence in bytes, for text that has no ends of sentences.
const maxSentence = 1500

// span is a sentence as a part of its text.
type span struct{ start, end int }

// split returns the sentences of a text in order, without white space around them.
// It does not end a sentence inside brackets, after an abbreviation or in a number.
func split(text string) []span {
	s := splitter{text: text}
	return s.split()
}

// splitter cuts a text into sentences. It looks ahead and back from marks and line
// breaks, and must not look at the same stretch again and again.
type splitter struct {
	text   string
	looked int // bytes looked at ahead, back, or again
}

func (s *splitter) split() []span {
	var out []span
	text := s.text
	start, depth := 0, 0
	add := func(end int) {
		if part, ok := trim(text, start, end); ok {
			out = append(out, part)
		}
		start, depth = end, 0
	}
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		next := i + size
		switch {
		case isOpening(r):
			depth++
		case isClosing(r):
			depth = max(0, depth-1)
		case r == '\n':
			if s.breaksLine(i, next) {
				add(next)
			}
		case isEnd(r) && depth == 0:
			end, ok := s.sentenceEnd(r, i, next)
			if next = end; ok {
				add(end)
			}
		}
		if next-start >= maxSentence {
			s.looked += 2 * (next - start)
			add(softCut(text, start, next))
			next = start
		}
		i = next
	}
	add(len(text))
	return out
}

func trim(text string, start, end int) (span, bool) {
	part := text[start:end]
	start += len(part) - len(strings.TrimLeftFunc(part, unicode.IsSpace))
	end -= len(part) - len(strings.TrimRightFunc(part, unicode.IsSpace))
	return span{start, end}, start < end
}

func isEnd(r rune) bool     { return strings.ContainsRune("。．！？.!?｡", r) }
func isOpening(r rune) bool { return strings.ContainsRune("「『（【〈《〔(", r) }
func isClosing(r rune) bool { return strings.ContainsRune("」』）】〉》〕)", r) }
func isQuote(r rune) bool   { return strings.ContainsRune("”’\"'", r) || isClosing(r) }

// sentenceEnd tells whether the mark r at i ends a sentence, and where that ends:
// further marks and closing quotes belong to it.
func (s *splitter) sentenceEnd(r rune, i, next int) (int, bool) {
	text, end := s.text, next
	for end < len(text) {
		c, size := utf8.DecodeRuneInString(text[end:])
		if !isEnd(c) && !isQuote(c) {
			break
		}
		end += size
	}
	s.looked += end - next
	if following, _ := utf8.DecodeRuneInString(text[end:]); r >= utf8.RuneSelf {
		return end, r != '．' || !unicode.IsDigit(following)
	}
	after, size := utf8.DecodeRuneInString(text[end:])
	if size == 0 {
		return end, true
	}
	if !unicode.IsSpace(after) {
		// Without a space only another script begins a sentence.
		return end, isCJK(after) && r != '.'
	}
	if r != '.' {
		return end, true
	}
	rest := strings.TrimLeftFunc(text[end:], unicode.IsSpace)
	s.looked += len(text) - end - len(rest)
	following, _ := utf8.DecodeRuneInString(rest)
	return end, !unicode.IsLower(following) && !isAbbreviation(text[:i])
}

// abbreviations end with a period that ends no sentence.
var abbreviations = map[string]bool{
	"mr": true, "mrs": true, "ms": true, "dr": true, "prof": true, "st": true, "no": true, "vs": true, "hon": true, "rep": true,
	"sen": true, "gov": true, "gen": true, "e.g": true, "i.e": true, "cf": true, "fig": true, "art": true, "sec": true, "approx": true,
	"jan": true, "feb": true, "mar": true, "apr": true, "jun": true, "jul": true, "aug": true, "sep": true, "sept": true, "oct": true, "nov": true, "dec": true,
}

// initials are letters with periods between them, as in U.S or e.g.
var initials = regexp.MustCompile(`^(?:\pL\.)+\pL$`)

// isAbbreviation tells whether the text ends with an abbreviation or an initial. It
// looks back no further than an abbreviation is long.
func isAbbreviation(text string) bool {
	text = text[max(0, len(text)-24):]
	word := text[strings.LastIndexFunc(text, func(r rune) bool { return r != '.' && !unicode.IsLetter(r) })+1:]
	letters := []rune(word)
	return len(letters) == 1 && unicode.IsUpper(letters[0]) || abbreviations[strings.ToLower(word)] || initials.MatchString(word)
}

// breaksLine tells whether the line break at i is also the end of a sentence: an
// empty line, or a line break in a script that has no spaces to put it in.
func (s *splitter) breaksLine(i, next int) bool {
	text := s.text
	rest := strings.TrimLeft(text[next:], " \t\r")
	s.looked += len(text) - next - len(rest)
	if rest == "" || rest[0] == '\n' {
		return true
	}
	line := strings.TrimRight(text[:i], " \t\r")
	s.looked += i - len(line)
	before, _ := utf8.DecodeLastRuneInString(line)
	after, _ := utf8.DecodeRuneInString(rest)
	return isCJK(before) || isCJK(after) || before == ':' || strings.ContainsRune("-*•・○●◯■□　", after)
}

// softCut returns where to cut text that has no end of a sentence: after the last
// comma or space, else at the bound.
func softCut(text string, start, bound int) int {
	part := text[start:bound]
	if i := strings.LastIndexAny(part, "、，,;； \n　"); i > len(part)/2 {
		_, size := utf8.DecodeRuneInString(part[i:])
		return start + i + size
	}
	return bound
}

// isCJK tells whether words in this script are not separated by spaces.
func isCJK(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || r == 'ー' || r >= 0x3000 && r <= 0x303f || r >= 0xff00 && r <= 0xffef
}
