package lexicon

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxTerm is how many characters a term may have.
const maxTerm = 60

// name is how a term is written, in three forms.
type name struct {
	text     string // to be shown: NFKC, without space around it
	slug     string // in keys and addresses: lower-case, spaces to "-"
	skeleton string // what looks the same has the same
}

// Slug returns the form of a term that names it in keys and addresses: NFKC,
// lower-case, spaces to "-". It is an Invalid error if the text is no term.
func Slug(term string) (string, error) {
	n, problem := spell(term)
	if problem != "" {
		return "", invalid("term", "%s", problem)
	}
	return n.slug, nil
}

// Spells reports whether a term that looks so is the one under a slug, whoever made the
// slug and by which rules.
func Spells(term, slug string) bool {
	n, problem := spell(term)
	return problem == "" && n.skeleton == skeletonOf(slug)
}

// spell reads a term, or says what is wrong with it. Width and compatible forms
// are folded; what cannot be seen, or looks like letters of another script, is
// refused.
func spell(term string) (n name, problem string) {
	if !utf8.ValidString(term) {
		return n, "is not valid text"
	}
	if len(term) > 8*maxTerm*utf8.UTFMax {
		return n, "is far too long"
	}
	text := strings.Map(dropSelectors, norm.NFKC.String(term))
	text = strings.Join(strings.Fields(text), " ")
	switch count := utf8.RuneCountInString(text); {
	case count == 0:
		return n, "must not be empty"
	case count > maxTerm:
		return n, "must be at most 60 characters"
	}
	for _, r := range text {
		if problem := checkRune(r); problem != "" {
			return n, problem
		}
	}
	if !strings.ContainsFunc(text, isSubstance) {
		return n, "must have a letter, a digit or a picture"
	}
	slug := strings.ReplaceAll(strings.ToLower(text), " ", "-")
	return name{text, slug, skeletonOf(slug)}, ""
}

// dropSelectors takes out what only chooses between a letter's pictures.
func dropSelectors(r rune) rune {
	if r == '\uFE0E' || r == '\uFE0F' {
		return -1
	}
	return r
}

// isSubstance tells letters, digits and pictures from punctuation.
func isSubstance(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.So, r)
}

// checkRune says why a rune, after NFKC, cannot be in a term; "" if it can. What
// stands in keys of partitions and parts of addresses is among the rest.
func checkRune(r rune) string {
	switch {
	case r == ' ':
		return ""
	case unicode.IsControl(r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Zs, r), unicode.Is(unicode.Co, r), r == '\u2800', r == '\u115F', r == '\u1160', r == '\u3164':
		return "has an invisible character"
	case unicode.IsMark(r):
		return "has a mark that belongs to no letter"
	case unicode.IsLetter(r):
		if !isKnownLetter(r) {
			return "has letters that are neither Latin nor Japanese"
		}
	case strings.ContainsRune("<>{}[]\\|^`\"", r):
		return "has signs that belong to no word"
	case !unicode.IsPrint(r):
		return "has a character that cannot be shown"
	}
	return ""
}

// isKnownLetter limits Latin to what people type: its phonetic and historic
// letters are there to be taken for others.
func isKnownLetter(r rune) bool {
	switch {
	case r == 'ı' || r == 'ȷ' || r == 'ĸ':
		return false
	case unicode.Is(unicode.Latin, r):
		return r <= 0x17F || r >= 0x1E00 && r <= 0x1EFF || r >= 0x1CD && r <= 0x1DC || r == 'ƒ'
	}
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || r == 'ー' || r == '々' || r == '〆' || r == 'ª' || r == 'º'
}

// lookalikes fold, within what checkRune lets through, what readers cannot tell
// apart: digits and Latin letters, kanji and kana.
var lookalikes = map[rune]rune{
	'0': 'o', '1': 'l', 'ø': 'o',
	'力': 'カ', '口': 'ロ', '工': 'エ', '夕': 'タ', '二': 'ニ', '八': 'ハ', '卜': 'ト', '才': 'オ', '千': 'チ',
	'一': 'ー', '―': 'ー', '〇': 'o', 'へ': 'ヘ', 'べ': 'ベ', 'ぺ': 'ペ', 'り': 'リ',
}

// skeletonOf returns a form that is the same for all spellings that look the
// same, or differ in hyphens, apostrophes and dots alone.
func skeletonOf(slug string) string {
	folded := strings.Map(func(r rune) rune {
		if to, ok := lookalikes[r]; ok {
			return to
		}
		switch r {
		case '-', '\'', '’', '‘', '.', '・', '‐', '–', '—', '_':
			return -1
		}
		return r
	}, slug)
	if folded == "" {
		return slug
	}
	return folded
}
