package story

import (
	"strings"
	"unicode"
)

// languageSample is how many letters of a text are looked at.
const languageSample = 600

// english are words that hardly an English text is without, and that other
// languages in the same letters do not have, or seldom.
var english = map[string]bool{
	"the": true, "of": true, "and": true, "to": true, "is": true, "was": true, "for": true, "with": true, "that": true, "by": true,
	"are": true, "be": true, "at": true, "this": true, "from": true, "it": true, "its": true, "who": true, "how": true, "when": true,
	"what": true, "not": true, "has": true, "have": true, "you": true, "or": true, "which": true, "as": true, "than": true, "after": true,
}

// LanguageOf returns the language of texts as far as the paper tells languages
// apart: "ja", "en", or "" for what is neither or cannot be told.
func LanguageOf(texts ...string) string {
	japanese, letters, seen := 0, 0, 0
	words, known := 0, 0
	var word strings.Builder
	end := func() {
		if word.Len() > 0 {
			words++
			if english[word.String()] {
				known++
			}
			word.Reset()
		}
	}
	for _, text := range texts {
		for _, r := range text {
			if seen++; seen > languageSample {
				break
			}
			switch {
			case unicode.In(r, unicode.Hiragana, unicode.Katakana, unicode.Han):
				japanese++
				end()
			case unicode.IsLetter(r):
				letters++
				word.WriteRune(unicode.ToLower(r))
			default:
				end()
			}
		}
		end()
	}
	switch {
	// A character of Japanese says about as much as three letters.
	case japanese > 0 && 3*japanese >= letters:
		return "ja"
	case words > 0 && known > 0 && 12*known >= words:
		return "en"
	}
	return ""
}
