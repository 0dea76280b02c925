package text

import (
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ikawaha/kagome/v2/tokenizer"
)

// IsKana tells of a text that is written in kana alone, which may be the reading of
// something that others write in kanji.
func IsKana(s string) bool {
	for _, r := range s {
		if script(r) == unicode.Han {
			return false
		}
	}
	return s != ""
}

// hiragana writes katakana as hiragana.
func hiragana(r rune) rune {
	if r >= 'ァ' && r <= 'ヶ' {
		return r - ('ァ' - 'ぁ')
	}
	return r
}

func katakana(r rune) rune {
	if r >= 'ぁ' && r <= 'ゖ' {
		return r + ('ァ' - 'ぁ')
	}
	return r
}

// The bounds of a word in kana whose other spellings are looked for: a shorter one is read
// like too many words.
const (
	leastKana    = 3
	maxHomonyms  = 8
	mostKana     = 12
	maxKanaFound = 4000 // places in the dictionary
)

// homonyms returns the words of the dictionary that have a kanji and are read so. Without a
// dictionary in memory there are none yet.
func homonyms(kana string) []string {
	n := utf8.RuneCountInString(kana)
	a := dictionary.loaded.Load()
	if a == nil || n < leastKana || n > mostKana {
		return nil
	}
	want := strings.Map(katakana, kana)
	var out []string
	for at, found := 0, 0; len(out) < maxHomonyms && found < maxKanaFound; found++ {
		i := strings.Index(a.readings.text[at:], want)
		if i < 0 {
			break
		}
		begin := at + i
		at = begin + utf8.RuneLen('ア')
		id := sort.Search(len(a.readings.ends), func(id int) bool { return int(a.readings.ends[id]) > begin })
		if base := a.forms.of(id); a.readings.of(id) == want && !IsKana(base) && !slices.Contains(out, base) {
			out = append(out, base)
		}
	}
	return out
}

// Sounds returns how the Japanese of a text is read, as groups of three sounds that compare:
// hiragana without the signs that make them soft or hard, for 川 is read かわ alone and
// がわ in the name of a river. Words that the dictionary cannot read are gaps. It loads the
// dictionary, and waits for it.
func Sounds(s string) ([]Token, error) {
	if !IsJapanese(s) {
		return nil, nil
	}
	a, err := load()
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	f := Fold(s)
	for i := 0; i < len(f.Runes); {
		j := i + 1
		for j < len(f.Runes) && j-i < longestPiece && (classOf(f.Runes[j]) == cjk) == (classOf(f.Runes[i]) == cjk) {
			j++
		}
		if classOf(f.Runes[i]) != cjk {
			b.WriteByte(' ')
		} else {
			for _, t := range a.Analyze(string(f.Runes[i:j]), tokenizer.Normal) {
				b.WriteString(a.sound(&t))
			}
		}
		i = j
	}
	return soundTerms(b.String()), nil
}

// soundTerms are the groups of three sounds in a text in kana.
func soundTerms(kana string) []Token {
	var out []Token
	for _, run := range strings.Fields(Sound(kana)) {
		runes := []rune(run)
		for i := 0; i+3 <= len(runes); i++ {
			out = append(out, Token{Text: string(runes[i : i+3])})
		}
	}
	return out
}

// ReadingOf returns how a name is read, as far as the dictionary knows; "" if it does not know
// all of it. It loads the dictionary, and waits for it.
func ReadingOf(name string) (string, error) {
	if !IsJapanese(name) {
		return "", nil
	}
	a, err := load()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, t := range a.Analyze(string(Fold(name).Runes), tokenizer.Normal) {
		b.WriteString(a.sound(&t))
	}
	if strings.Contains(b.String(), " ") {
		return "", nil
	}
	return b.String(), nil
}

// sound is how a word is read; a gap if nobody knows.
func (a *analyser) sound(t *tokenizer.Token) string {
	if t.Class == tokenizer.KNOWN {
		if r := a.readings.of(t.ID); r != "" {
			return r
		}
	}
	if IsKana(t.Surface) {
		return t.Surface
	}
	return " "
}

// plainSounds takes the signs off kana that make them soft or hard, and makes small ones
// large.
var plainSounds = func() map[rune]rune {
	out := map[rune]rune{'ー': -1, 'っ': 'つ', 'ゃ': 'や', 'ゅ': 'ゆ', 'ょ': 'よ', 'ぁ': 'あ', 'ぃ': 'い', 'ぅ': 'う', 'ぇ': 'え', 'ぉ': 'お'}
	for _, pair := range []string{"がか", "ぎき", "ぐく", "げけ", "ごこ", "ざさ", "じし", "ずす", "ぜせ", "ぞそ", "だた", "ぢし", "づす", "でて", "どと",
		"ばは", "びひ", "ぶふ", "べへ", "ぼほ", "ぱは", "ぴひ", "ぷふ", "ぺへ", "ぽほ"} {
		r := []rune(pair)
		out[r[0]] = r[1]
	}
	return out
}()

// Sound is a text in kana in the form in which sounds compare.
func Sound(kana string) string {
	return strings.Map(func(r rune) rune {
		r = hiragana(r)
		if plain, ok := plainSounds[r]; ok {
			return plain
		}
		return r
	}, kana)
}

// kanaLetters are the Latin letters of kana, as Hepburn writes them.
var kanaLetters = func() map[string]string {
	out := map[string]string{"っ": "", "ん": "n", "ー": "", "を": "o", "ゔ": "v", "ゃ": "ya", "ゅ": "yu", "ょ": "yo", "ぁ": "a", "ぃ": "i", "ぅ": "u", "ぇ": "e", "ぉ": "o"}
	rows := map[string]string{
		"": "あいうえお", "k": "かきくけこ", "s": "さしすせそ", "t": "たちつてと", "n": "なにぬねの", "h": "はひふへほ", "m": "まみむめも", "r": "らりるれろ",
		"g": "がぎぐげご", "z": "ざじずぜぞ", "d": "だぢづでど", "b": "ばびぶべぼ", "p": "ぱぴぷぺぽ",
	}
	for consonant, row := range rows {
		for i, r := range []rune(row) {
			out[string(r)] = consonant + string("aiueo"[i])
		}
	}
	for kana, letters := range map[string]string{"し": "shi", "ち": "chi", "つ": "tsu", "ふ": "fu", "じ": "ji", "ぢ": "ji", "づ": "zu", "や": "ya", "ゆ": "yu", "よ": "yo", "わ": "wa"} {
		out[kana] = letters
	}
	for first, consonant := range map[string]string{"き": "ky", "ぎ": "gy", "し": "sh", "じ": "j", "ち": "ch", "ぢ": "j", "に": "ny", "ひ": "hy", "び": "by", "ぴ": "py", "み": "my", "り": "ry"} {
		for small, vowel := range map[string]string{"ゃ": "a", "ゅ": "u", "ょ": "o"} {
			out[first+small] = consonant + vowel
		}
	}
	for kana, letters := range map[string]string{"ふぁ": "fa", "ふぃ": "fi", "ふぇ": "fe", "ふぉ": "fo", "てぃ": "ti", "でぃ": "di", "しぇ": "she", "じぇ": "je", "ちぇ": "che"} {
		out[kana] = letters
	}
	return out
}()

// long are vowels that some write long and others do not.
var long = strings.NewReplacer("ou", "o", "oo", "o", "oh", "o", "uu", "u", "ō", "o", "ū", "u", "â", "a", "ô", "o", "û", "u")

// Latin is a reading in Latin letters, with long vowels short and nothing between words, so
// that every way to write it compares: さんこうにん, sankounin and San Kōnin are sankonin. It
// is "" for a text with letters that cannot be read so.
func Latin(s string) string {
	runes := Fold(s).Runes
	var b strings.Builder
	doubled := false
	add := func(letters string) {
		if doubled && letters != "" {
			b.WriteByte(letters[0])
		}
		doubled = false
		b.WriteString(letters)
	}
	for i := 0; i < len(runes); i++ {
		r := hiragana(runes[i])
		switch {
		case r == 'っ':
			doubled = true
		case r < 0x80 || r == 'ō' || r == 'ū':
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				add(string(r))
			}
		default:
			if i+1 < len(runes) {
				if two, ok := kanaLetters[string([]rune{r, hiragana(runes[i+1])})]; ok {
					add(two)
					i++
					continue
				}
			}
			one, ok := kanaLetters[string(r)]
			if !ok && classOf(r) == cjk {
				return ""
			}
			add(one)
		}
	}
	return long.Replace(b.String())
}

// Form is a name in the form in which names compare: folded, words cut to their stems,
// without what stands between them, and with the numbers of bills in digits.
func Form(name string) string { return form(name, stem) }

// Written is Form without cutting words: what a name with a slip is compared with.
func Written(name string) string { return form(name, func(w string) string { return w }) }

func form(name string, cut func(string) string) string {
	runes := Fold(name).Runes
	var out strings.Builder
	var number bool
	for i := 0; i < len(runes); {
		c := classOf(runes[i])
		j := i + 1
		for c == word && j < len(runes) && joins(runes, j, c) {
			j++
		}
		digit := strings.IndexRune("〇一二三四五六七八九", runes[i])
		switch {
		case number && digit >= 0:
			out.WriteByte("0123456789"[digit/len("〇")])
		case c == word:
			number = false
			out.WriteString(cut(string(runes[i:j])))
		case c == cjk:
			number = runes[i] == '第'
			out.WriteRune(runes[i])
		}
		i = j
	}
	return out.String()
}
