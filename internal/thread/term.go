package thread

import (
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"

	porterstemmer "github.com/blevesearch/go-porterstemmer"
	"golang.org/x/text/unicode/norm"
)

// Kind says what a term is.
type Kind uint8

// Kinds of terms.
const (
	Word   Kind = iota // a word's stem, two kanji
	Name               // a word with a capital, a word in katakana
	Phrase             // several words that stand together: a full name, a compound
	Number
	Day
	Title // what stands in quotation marks
	Bill
	Sound  // a name as it sounds in either language
	Serial // the count of an event: 第3局, 31st edition
	Result // of a match or a vote: 2–1
	kinds
)

// Term is something that stories can share.
type Term struct {
	Kind Kind
	Text string
}

// place is where in a story a term stands.
type place uint8

const (
	body  place = 1 << iota
	lead        // the summary
	head        // the title
	whole       // it is not cut out of something longer
)

// terms are what a story says, each once, with the places where it stands.
type terms struct {
	of    map[Term]place
	begin time.Time // the day that days in words are counted from
}

func (t *terms) add(k Kind, text string, at place) { t.of[Term{k, text}] |= at }

// termsOf returns what a story can share with others.
func termsOf(s *Story) map[Term]place {
	t := &terms{of: map[Term]place{}, begin: s.Published}
	t.read(s.Title, head)
	t.read(s.Summary, lead)
	t.read(s.Text, body)
	for _, p := range s.People {
		t.read("・"+p+"。", body)
	}
	for _, b := range s.Bills {
		t.read(b, body)
		if name := billName(b); name != "" {
			t.add(Bill, name, lead)
		}
	}
	for _, topic := range s.Topics {
		t.read("・"+topic+"。", body)
	}
	return t.of
}

// read adds the terms of a text.
func (t *terms) read(text string, at place) {
	text = normal(text)
	t.bills(text, at)
	t.quoted(text, at)
	text = t.numbers(text, at)
	t.latin(text, at)
	t.japanese(text, at)
}

var bill = regexp.MustCompile(`((?:[A-Z][\pL'-]+ (?:of |and |the |for )*){1,5}(?:Bill|Act))\b|([\p{Han}\p{Katakana}ー]{3,}?法)(?:改正)?案?`)

// bills adds the bills that a text names.
func (t *terms) bills(text string, at place) {
	for _, m := range bill.FindAllString(text, -1) {
		if name := billName(m); name != "" {
			t.add(Bill, name, at)
		}
	}
}

// billName is a bill's or act's name without what changes on its way.
func billName(s string) string {
	s = norm.NFKC.String(s)
	if i := strings.IndexAny(s, "("); i > 0 {
		s = s[:i]
	}
	s = strings.ToLower(strings.TrimSpace(s))
	for _, end := range []string{" bill", " act", "改正案", "改正法案", "法案", "法"} {
		if cut, ok := strings.CutSuffix(s, end); ok {
			s = strings.TrimPrefix(cut, "the ")
			break
		}
	}
	if len(s) < 4 {
		return ""
	}
	return s
}

var quotes = regexp.MustCompile(`「([^「」]{2,40})」|『([^『』]{2,40})』|“([^“”]{4,80})”`)

func (t *terms) quoted(text string, at place) {
	for _, m := range quotes.FindAllStringSubmatch(text, -1) {
		words := strings.TrimRight(strings.ToLower(m[1]+m[2]+m[3]), ".,!?。、")
		t.add(Title, words, at)
	}
}

const small = " a an the and or but nor of to in on at by for from with without into onto over under after before since until about against between through during is are was were be been being has have had do does did will would can could may might must shall should not no it its he she they them his her their him we our us you your i me my this that these those there here who whom whose which what when where why how as if than then so such more most less least very too also only just even still yet again all any each every both some few many much other another own same one two three first second last next new year years month months week weeks day days time times said says say told tell mr mrs ms dr per cent percent out up down off back now while because although though however ago later early late monday tuesday wednesday thursday friday saturday sunday january february march april june july august september october november december people report reports reported according "

func frequent(w string) bool { return strings.Contains(small, " "+w+" ") }

var latinWord = regexp.MustCompile(`[A-Za-zÀ-ÿ][A-Za-zÀ-ÿ'-]*|[.!?:;\n。]|\S`)

// latin adds the words in Latin letters.
func (t *terms) latin(text string, at place) {
	begins, before := true, ""
	for _, w := range latinWord.FindAllString(text, -1) {
		if !unicode.IsLetter([]rune(w)[0]) || len(w) == 0 || !isLatin(w) {
			begins = begins && !strings.ContainsAny(w, ",;-") || strings.ContainsAny(w, ".!?:\n。“\"「")
			before = ""
			continue
		}
		plain := strings.TrimSuffix(strings.Trim(w, "'-"), "'s")
		lower := strings.ToLower(plain)
		capital := plain != "" && unicode.IsUpper([]rune(plain)[0])
		if len(plain) < 2 || frequent(lower) {
			begins, before = false, ""
			continue
		}
		t.add(Word, stem(lower), at)
		if capital && (!begins || before != "") {
			t.add(Name, lower, at|whole)
			if s := soundOf(lower); s != "" {
				t.add(Sound, s, at)
			}
		}
		if capital {
			if before != "" {
				t.add(Phrase, before+" "+lower, at|whole)
			}
			before = lower
		} else {
			before = ""
		}
		begins = false
	}
}

func isLatin(w string) bool {
	for _, r := range w {
		if r > 0x250 {
			return false
		}
	}
	return true
}

func stem(w string) string {
	for i := range len(w) {
		if w[i] < 'a' || w[i] > 'z' {
			return w
		}
	}
	if len(w) < 3 {
		return w
	}
	return porterstemmer.StemString(w)
}

// japanese adds pairs of kanji, runs of kanji and words in katakana. It needs no dictionary: names
// of people and places are what no dictionary has.
func (t *terms) japanese(text string, at place) {
	runes := []rune(text)
	for i := 0; i < len(runes); {
		script := scriptOf(runes[i])
		j := i + 1
		for j < len(runes) && scriptOf(runes[j]) == script {
			j++
		}
		run := runes[i:j]
		switch {
		case script == kanji:
			for k := 0; k+1 < len(run); k++ {
				t.add(Word, string(run[k:k+2]), at)
			}
			if len(run) >= 3 && len(run) <= 8 {
				t.add(Phrase, string(run), at|whole)
			}
			for k := 0; k+3 < len(run) && len(run) > 4; k++ {
				t.add(Phrase, string(run[k:k+4]), at)
			}
		case script == katakana && len(run) >= 2:
			t.add(Name, string(run), at|whole)
			if s := soundOf(string(run)); s != "" {
				t.add(Sound, s, at)
			}
		}
		i = j
	}
}

const (
	other = iota
	kanji
	katakana
)

func scriptOf(r rune) int {
	switch {
	case r >= 0x4e00 && r <= 0x9fff, r == '々', r == 'ヶ':
		return kanji
	case r >= 0x30a1 && r <= 0x30fa, r == 'ー':
		return katakana
	}
	return other
}

var (
	middleDot  = regexp.MustCompile(`(\d)・(\d)`)
	large      = regexp.MustCompile(`(?:[\d,]+(?:\.\d+)?(?:千?[万億兆]|千))+`)
	largePart  = regexp.MustCompile(`([\d,]+(?:\.\d+)?)(千?[万億兆]|千)`)
	scale      = map[rune]float64{'千': 1e3, '万': 1e4, '億': 1e8, '兆': 1e12}
	serial     = regexp.MustCompile(`第?(\d+)(回|局|戦|節|次|号|期|会合|試合)`)
	serialEN   = regexp.MustCompile(`(?i)\b(\d+(?:th|st|nd|rd)|first|second|third|fourth|fifth) (edition|round|leg|test|match|game|stage|festival|anniversary|replay)\b`)
	numberWord = regexp.MustCompile(`(?i)\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)\b`)
	wordNumber = map[string]int{
		"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
		"thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20,
		"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
	}
	figure  = regexp.MustCompile(`(\d{1,3}(?:,\d{3})+|\d+)(\.\d+)?(?:(?:[:–―対-]| to )(\d+))?(?::(\d+))?( ?(?:thousand|million|billion|trillion|bn|m|k)\b|)( ?(?:th|st|nd|rd|am|pm|a\.m\.|p\.m\.)\b|[年月日時分])?`)
	kanjiN  = regexp.MustCompile(`[〇一二三四五六七八九十百千]{2,}|第[一二三四五六七八九十]`)
	dayEN   = regexp.MustCompile(`\b(\d{1,2}) (January|February|March|April|May|June|July|August|September|October|November|December)\b(?: (\d{4}))?`)
	monthEN = regexp.MustCompile(`\b(January|February|March|April|May|June|July|August|September|October|November|December) (\d{1,2})\b`)
	weekday = regexp.MustCompile(`\b(Sunday|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday)\b`)
	dayJA   = regexp.MustCompile(`(?:(\d{4})年)?(?:(\d{1,2})月)?(\d{1,2})日`)
)

// numbers adds numbers and days, and returns the text without them.
func (t *terms) numbers(text string, at place) string {
	text = kanjiN.ReplaceAllStringFunc(text, fromKanji)
	text = middleDot.ReplaceAllString(text, "$1.$2")
	text = large.ReplaceAllStringFunc(text, func(s string) string {
		total := 0.0
		for _, m := range largePart.FindAllStringSubmatch(s, -1) {
			v, _ := strconv.ParseFloat(strings.ReplaceAll(m[1], ",", ""), 64)
			for _, r := range m[2] {
				v *= scale[r]
			}
			total += v
		}
		t.add(Number, strconv.FormatFloat(total, 'f', -1, 64), at)
		return "、"
	})
	for _, m := range serial.FindAllStringSubmatch(text, -1) {
		t.add(Serial, m[2]+" "+m[1], at)
	}
	for _, m := range serialEN.FindAllStringSubmatch(text, -1) {
		t.add(Serial, m[2]+" "+m[1], at)
	}
	for _, w := range numberWord.FindAllString(text, -1) {
		if n, ok := wordNumber[strings.ToLower(w)]; ok {
			t.add(Number, strconv.Itoa(n), at)
		}
	}
	text = dayEN.ReplaceAllStringFunc(text, func(s string) string {
		m := dayEN.FindStringSubmatch(s)
		t.day(m[3], monthOf(m[2]), m[1], at)
		return " "
	})
	text = monthEN.ReplaceAllStringFunc(text, func(s string) string {
		m := monthEN.FindStringSubmatch(s)
		t.day("", monthOf(m[1]), m[2], at)
		return " "
	})
	for _, w := range weekday.FindAllString(text, -1) {
		for back := range 7 {
			if d := t.begin.AddDate(0, 0, -back); d.Weekday().String() == w {
				t.add(Day, d.Format(time.DateOnly), at)
			}
		}
	}
	text = dayJA.ReplaceAllStringFunc(text, func(s string) string {
		m := dayJA.FindStringSubmatch(s)
		month, _ := strconv.Atoi(m[2])
		t.day(m[1], month, m[3], at)
		return "、"
	})
	return figure.ReplaceAllStringFunc(text, func(s string) string {
		m := figure.FindStringSubmatch(s)
		switch strings.TrimSpace(m[6]) {
		case "年", "月", "時", "分", "am", "pm", "a.m.", "p.m.":
			return "、"
		}
		if m[3] != "" { // a score, a time
			joined := m[1] + "-" + m[3]
			if m[4] == "" && m[2] == "" {
				t.add(Result, joined, at)
			}
			if m[4] != "" {
				joined += "-" + m[4]
			}
			t.add(Number, joined, at)
			if m[4] == "" {
				t.add(Number, m[1], at)
				t.add(Number, m[3], at)
			}
			return "、"
		}
		v, err := strconv.ParseFloat(strings.ReplaceAll(m[1], ",", "")+m[2], 64)
		if err != nil {
			return "、"
		}
		switch strings.TrimSpace(m[5]) {
		case "thousand", "k":
			v *= 1e3
		case "million", "m":
			v *= 1e6
		case "billion", "bn":
			v *= 1e9
		case "trillion":
			v *= 1e12
		}
		t.add(Number, strconv.FormatFloat(v, 'f', -1, 64), at)
		return "、"
	})
}

func monthOf(name string) int {
	for m := time.January; m <= time.December; m++ {
		if m.String() == name {
			return int(m)
		}
	}
	return 0
}

// day adds a day, in the year that brings it nearest to the story.
func (t *terms) day(year string, month int, day string, at place) {
	d, _ := strconv.Atoi(day)
	y, _ := strconv.Atoi(year)
	if d < 1 || d > 31 {
		return
	}
	var best time.Time
	try := func(y int, m time.Month) {
		c := time.Date(y, m, d, 12, 0, 0, 0, t.begin.Location())
		if best.IsZero() || c.Sub(t.begin).Abs() < best.Sub(t.begin).Abs() {
			best = c
		}
	}
	switch {
	case month == 0: // 21日: the last one, unless it is tomorrow
		for _, back := range []int{0, 1} {
			first := time.Date(t.begin.Year(), t.begin.Month()-time.Month(back), 1, 12, 0, 0, 0, t.begin.Location())
			c := first.AddDate(0, 0, d-1)
			if c.Sub(t.begin) < 36*time.Hour || back == 1 {
				best = c
				break
			}
		}
	case y > 0:
		try(y, time.Month(month))
	default:
		for y := t.begin.Year() - 1; y <= t.begin.Year()+1; y++ {
			try(y, time.Month(month))
		}
	}
	t.add(Day, best.Format(time.DateOnly), at)
}

var kanjiDigit = map[rune]int{'〇': 0, '一': 1, '二': 2, '三': 3, '四': 4, '五': 5, '六': 6, '七': 7, '八': 8, '九': 9}

// fromKanji writes 二四 and 二十四 as 24.
func fromKanji(s string) string {
	first := ""
	if cut, ok := strings.CutPrefix(s, "第"); ok {
		first, s = "第", cut
	}
	total, digit, seen := 0, 0, false
	for _, r := range s {
		unit := map[rune]int{'十': 10, '百': 100, '千': 1000}[r]
		if unit > 0 {
			if !seen {
				digit = 1
			}
			total, digit, seen = total+digit*unit, 0, false
			continue
		}
		if seen {
			digit *= 10
		}
		digit, seen = digit+kanjiDigit[r], true
	}
	return first + strconv.Itoa(total+digit)
}
