package excerpt

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	opening = "「『（【〈《〔(“"
	closing = "」』）】〉》〕)”"
)

// split cuts a paragraph into sentences. A sentence does not end inside quotation marks or
// brackets, after an abbreviation, in a number, or before its speaker is named.
func split(paragraph string) []string {
	var out []string
	start, depth, quoted := 0, 0, false
	add := func(end int) {
		if s := strings.TrimSpace(paragraph[start:end]); s != "" {
			out = append(out, s)
		}
		start = end
	}
	for i := 0; i < len(paragraph); {
		r, size := utf8.DecodeRuneInString(paragraph[i:])
		i += size
		switch {
		case strings.ContainsRune(opening, r):
			depth++
		case strings.ContainsRune(closing, r):
			depth = max(0, depth-1)
		case r == '"':
			quoted = !quoted
		}
		if depth == 0 && !quoted && ends(paragraph[start:i], r) && begins(paragraph[i:], r) {
			add(i)
		}
	}
	add(len(paragraph))
	return out
}

// ends tells whether a text that ends with r can be a sentence.
func ends(text string, r rune) bool {
	switch r {
	case '。', '！', '？', '!', '?':
		return true
	case '.':
		return !abbreviated(text)
	case '」', '』', '”', '"', ')', '）':
		before, _ := utf8.DecodeLastRuneInString(text[:len(text)-utf8.RuneLen(r)])
		return r < utf8.RuneSelf && before == '.' || r == '”' && strings.ContainsRune(".!?", before)
	}
	return false
}

// begins tells whether a sentence can begin after one that ended with r.
func begins(rest string, r rune) bool {
	if rest == "" {
		return true
	}
	next, size := utf8.DecodeRuneInString(rest)
	if strings.ContainsRune(closing+"。！？!?.\"", next) {
		return false
	}
	if r >= utf8.RuneSelf && r != '”' {
		return next != 'と' // 「…」 aside, a cry that is told: えっ！と
	}
	if !unicode.IsSpace(next) {
		return false
	}
	for unicode.IsSpace(next) && size > 0 {
		rest = rest[size:]
		next, size = utf8.DecodeRuneInString(rest)
	}
	return !unicode.IsLower(next)
}

var abbreviation = regexp.MustCompile(`(?i)(?:^|[\s(“"‘])(?:mr|mrs|ms|dr|prof|st|no|nos|vs|hon|rep|sen|gov|gen|capt|sgt|col|lt|rev|jr|sr|e\.g|i\.e|cf|fig|art|sec|approx|etc|inc|ltd|co|corp|ave|rd|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|a\.m|p\.m|(?:\pL\.)*\pL)\.$`)

// abbreviated tells whether a text ends with an abbreviation or an initial.
func abbreviated(text string) bool {
	return abbreviation.MatchString(text[max(0, len(text)-16):])
}

func isQuestion(s string) bool {
	return strings.HasSuffix(s, "?") || strings.HasSuffix(s, "？") || strings.HasSuffix(s, "か。")
}

// isSentence tells whether a paragraph ends as sentences do.
func isSentence(paragraph string) bool {
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(paragraph, "\"'”’」』）)"))
	return strings.ContainsRune(".!?…。．！？", last)
}

// words are what a sentence is about: words without their endings, figures, and of
// Japanese the pairs of characters.
func words(s string) map[string]bool {
	out := map[string]bool{}
	var word strings.Builder
	var last rune
	flush := func() {
		if w := stem(strings.Trim(word.String(), ".,")); w != "" && !common[w] {
			out[w] = true
		}
		word.Reset()
	}
	for i, r := range s {
		switch {
		case wide(r) && (unicode.Is(unicode.Han, r) || unicode.Is(unicode.Katakana, r) || r == 'ー' || r == '々'):
			if word.Len() > 0 {
				word.WriteRune(r) // 5強
			}
			flush()
			if last != 0 {
				out[string([]rune{last, r})] = true
			}
			last = r
			continue
		case r >= '０' && r <= '９':
			word.WriteRune(r - '０' + '0')
		case unicode.IsLetter(r) && !wide(r) || unicode.IsDigit(r):
			word.WriteRune(unicode.ToLower(r))
		case (r == '.' || r == ',') && word.Len() > 0 && i+1 < len(s) && s[i+1] >= '0' && s[i+1] <= '9':
			word.WriteRune(r) // 38.5, 1,200
		default:
			flush()
		}
		last = 0
	}
	flush()
	return out
}

// common words say nothing about a text.
var common = func() map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(`a about abov after again all also am an and any are as at be been befor behind below between both but by can could did do
does down dur each few for from get got had ha have he her here him his how i if in into is it its just last like made make many may more most much
must my new next no nor not now of off on onc one only or other our out over own per said same say she should sinc so some still such than that the their
them then there thes they thi those through to too two under until up us use very wa we were what when where which while who why will with without would you your`) {
		out[w] = true
	}
	return out
}()

// stem takes the commonest English endings off.
func stem(w string) string {
	if len(w) < 4 {
		return w
	}
	for _, ending := range []string{"ions", "ion", "ies", "ing", "ied", "ed", "es", "s", "y", "e"} {
		if base, ok := strings.CutSuffix(w, ending); ok && len(base) >= 3 {
			if n := len(base); n > 3 && base[n-1] == base[n-2] && base[n-1] != 's' && base[n-1] != 'l' {
				base = base[:n-1]
			}
			return base
		}
	}
	return w
}

// wide tells whether words in this script have no spaces between them.
func wide(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || r == 'ー' || r >= 0x3000 && r <= 0x303f || r >= 0xff00 && r <= 0xffef
}

func isJapanese(s string) bool {
	for _, r := range s {
		if r >= 0x3041 && r <= 0x30fe {
			return true
		}
	}
	return false
}

// columns is a text's width: two for a character of a wide script.
func columns(s string) int {
	n := 0
	for _, r := range s {
		n++
		if wide(r) {
			n++
		}
	}
	return n
}
