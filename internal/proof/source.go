package proof

import (
	"regexp"
	"slices"
	"sort"
	"strings"
	"sync"
	"unicode"
)

// source is a passage, read when it is first asked about.
type source struct {
	Passage
	record   *Record
	person   *person
	label    string    // ○水野国務大臣
	hay      *haystack // the text without white space, folded
	who      *haystack // who speaks, likewise
	read     func() *reading
	runes    func() *runes
	opens    func() bool // it puts a matter on the agenda
	votes    func() bool // something is put to the vote in it
	initials func() string
}

// reading is a passage taken apart.
type reading struct{ lines []*line }

// runes are the characters of a passage, and where those of its bare text stand.
type runes struct {
	text   []rune
	at     []int32 // by character of the bare text, its place in the text
	starts []int32 // by character of the bare text, its first byte there
}

// jaFormula finds what only puts a matter to the vote, in the words of what may be decided.
var jaFormula = regexp.MustCompile(`賛成の(?:諸君|方|者|皆さん)の(?:起立|挙手|御起立)|異議(?:ありませんか|ございませんか|はありませんか)`)

func isFormula(s string) bool {
	return (strings.Contains(s, "賛成の") || strings.Contains(s, "異議")) && jaFormula.MatchString(s)
}

// jaVoted finds passages in which something is put to the vote.
var jaVoted = regexp.MustCompile(`起立(?:多数|少数|総員|を求)|挙手を願|多数と認め|少数と認め|投票(?:の結果|総数)|異議(?:なし|ない)と認め|よって、`)

func (s *source) prepare() {
	if rest, ok := strings.CutPrefix(strings.TrimSpace(s.Text), "○"); ok {
		if end := strings.IndexAny(rest, "　 \n"); end > 0 && end < 100 {
			s.label = string(fold(rest[:end]))
		}
	}
	s.hay = &haystack{text: bare(s.Text), sources: []*source{s}, starts: []int{0}}
	s.who = &haystack{text: strings.Join([]string{bare(s.Speaker), bare(s.Party), bare(s.Office), bare(s.Role)}, "\n")}
	s.read, s.runes = sync.OnceValue(s.readLines), sync.OnceValue(s.readRunes)
	s.opens = sync.OnceValue(func() bool {
		return strings.Contains(s.hay.text, "議題といたします") || strings.Contains(s.hay.text, "議題とします") || strings.Contains(s.hay.text, "日程第")
	})
	s.votes = sync.OnceValue(func() bool { return jaVoted.MatchString(s.hay.text) })
	s.initials = sync.OnceValue(s.readInitials)
}

func (s *source) readLines() *reading {
	text := s.Text
	if s.label != "" { // who speaks is no part of what is said; places stay what they are
		at := strings.Index(text, "○")
		end := at + strings.IndexAny(text[at:], "　 \n")
		text = strings.Repeat(" ", len([]rune(text[:end]))) + text[end:]
	}
	lines := slices.DeleteFunc(read(text, s.record.day), func(l *line) bool { return isFormula(l.string(l.span)) })
	for _, l := range lines {
		l.source = s
	}
	s.record.number(lines)
	return &reading{lines}
}

func (s *source) readRunes() *runes {
	out := &runes{text: []rune(s.Text)}
	for i, r := range out.text {
		if foldRune(r) != ' ' {
			out.at = append(out.at, int32(i)) //nolint:gosec // a passage of 2 GB is none
		}
	}
	for i := range s.hay.text {
		out.starts = append(out.starts, int32(i)) //nolint:gosec // likewise
	}
	return out
}

// place is the place of n bytes of the bare text.
func (s *source) place(from, n int) *Place {
	runes := s.runes()
	char := func(byte int) int {
		return sort.Search(len(runes.starts), func(i int) bool { return int(runes.starts[i]) >= byte })
	}
	return s.part(span{int(runes.at[char(from)]), int(runes.at[char(from+n)-1]) + 1})
}

// part is a part of the text as a Place.
func (s *source) part(at span) *Place {
	text := s.runes().text
	to := min(at.to, len(text))
	return &Place{Order: s.Order, From: at.from, To: to, Text: string(text[at.from:to])}
}

// bare removes white space and folds, so that copies with other line breaks compare equal.
func bare(s string) string {
	runes := fold(s)
	out := runes[:0]
	for _, r := range runes {
		if r != ' ' {
			out = append(out, unicode.ToLower(r))
		}
	}
	return string(out)
}

// readInitials are the first letters of the words with a capital, for names that are cut to them.
func (s *source) readInitials() string {
	var out strings.Builder
	for _, w := range strings.FieldsFunc(s.Text+" "+s.Party+" "+s.Office, func(r rune) bool { return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z') }) {
		if isUpper(w) {
			out.WriteByte(w[0])
		}
	}
	return out.String()
}
