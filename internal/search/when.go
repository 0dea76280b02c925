package search

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"
)

// Words that are a time. A Japanese one stands at the beginning of a word of the query, and
// nothing but の or に follows it there; numbers may be of any width.
var (
	japaneseDay = regexp.MustCompile(`(?:^|[\s　])(昨日|きのう|今日|きょう|本日|一昨日|おととい|今週|先週|先々週|今月|先月|先々月|今年|去年|昨年|一昨年|おととし|` +
		`(?:(?:(\d{4})年|(令和|平成)(元|\d{1,2})年)(?:(\d{1,2})月(?:(\d{1,2})日)?)?|(\d{1,2})月(?:(\d{1,2})日)?))(?:の|に)?(?:[\s　]|$)`)
	months     = `(january|february|march|april|may|june|july|august|september|october|november|december)`
	englishDay = regexp.MustCompile(`(?i)(?:^|\s)(?:on |from )?(yesterday|today|(?:this|last) (?:week|month|year)|(two|three|four|\d{1,2}) (days|weeks|months) ago|` +
		`in ` + months + `(?: (\d{4}))?|` + months + ` (\d{4})|(\d{1,2}) ` + months + `(?: (\d{4}))?|` + months + ` (\d{1,2})(?:,? (\d{4}))?|` +
		`(?:in )?((?:19|20)\d\d))(?:\s|$)`)
	isoDay = regexp.MustCompile(`(?:^|\s)(\d{4})-(\d{2})-(\d{2})(?:\s|$)`)
)

// when reads the time in a query: the words of it, its first and last day, and the query
// without them. What stands in quotation marks is no time.
func when(query string, now time.Time) (l Limit, ok bool) {
	if strings.ContainsAny(query, `"“”「」『』`) {
		return l, false
	}
	query = norm.NFKC.String(query)
	for _, read := range []struct {
		words *regexp.Regexp
		span  func(m []string, now time.Time) (from, to time.Time)
	}{{japaneseDay, japaneseSpan}, {englishDay, englishSpan}, {isoDay, isoSpan}} {
		at := read.words.FindStringSubmatchIndex(query)
		if at == nil {
			continue
		}
		m := make([]string, len(at)/2)
		for i := range m {
			if at[2*i] >= 0 {
				m[i] = query[at[2*i]:at[2*i+1]]
			}
		}
		from, to := read.span(m, now)
		if from.IsZero() {
			continue
		}
		rest := strings.Join(strings.Fields(query[:at[0]]+" "+query[at[1]:]), " ")
		return Limit{Kind: "date", Words: strings.TrimSpace(m[0]), From: from, To: to, Without: rest}, true
	}
	return l, false
}

// spans are times that count from now: how many of a unit before it, and the unit.
var spans = map[string]struct {
	before int
	unit   string
}{
	"昨日": {1, "day"}, "きのう": {1, "day"}, "今日": {0, "day"}, "きょう": {0, "day"}, "本日": {0, "day"}, "一昨日": {2, "day"}, "おととい": {2, "day"},
	"今週": {0, "week"}, "先週": {1, "week"}, "先々週": {2, "week"}, "今月": {0, "month"}, "先月": {1, "month"}, "先々月": {2, "month"},
	"今年": {0, "year"}, "去年": {1, "year"}, "昨年": {1, "year"}, "一昨年": {2, "year"}, "おととし": {2, "year"},
	"yesterday": {1, "day"}, "today": {0, "day"}, "this week": {0, "week"}, "last week": {1, "week"}, "this month": {0, "month"}, "last month": {1, "month"},
	"this year": {0, "year"}, "last year": {1, "year"},
}

// span is a unit of time so many before now: weeks begin on Monday.
func span(before int, unit string, now time.Time) (from, to time.Time) {
	y, m, d := now.Date()
	day := func(y int, m time.Month, d int) time.Time { return time.Date(y, m, d, 0, 0, 0, 0, now.Location()) }
	switch unit {
	case "week":
		d -= (int(now.Weekday())+6)%7 + 7*before
		return day(y, m, d), day(y, m, d+6)
	case "month":
		return day(y, m-time.Month(before), 1), day(y, m-time.Month(before)+1, 0)
	case "year":
		return day(y-before, 1, 1), day(y-before, 12, 31)
	}
	return day(y, m, d-before), day(y, m, d-before)
}

// date is a year, a month of it or a day of that; zero for none. Without a year it is the
// last one of the name.
func date(year, month, day int, now time.Time) (from, to time.Time) {
	if year == 0 {
		year = now.Year()
		if begin := time.Date(year, time.Month(month), max(day, 1), 0, 0, 0, 0, now.Location()); begin.After(now) {
			year--
		}
	}
	first, last := time.Month(month), time.Month(month)
	if month == 0 {
		first, last = 1, 12
	}
	from = time.Date(year, first, max(day, 1), 0, 0, 0, 0, now.Location())
	to = time.Date(year, last+1, 0, 0, 0, 0, 0, now.Location())
	if day > 0 {
		to = from
	}
	if from.Month() != first { // the 31st of a shorter month, the 13th month
		return time.Time{}, time.Time{}
	}
	return from, to
}

func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}

func japaneseSpan(m []string, now time.Time) (from, to time.Time) {
	if s, ok := spans[m[1]]; ok {
		return span(s.before, s.unit, now)
	}
	year, month, day := number(m[2]), number(m[5])+number(m[7]), number(m[6])+number(m[8])
	if m[3] != "" {
		year = max(number(m[4]), 1) + map[string]int{"令和": 2018, "平成": 1988}[m[3]]
	}
	if m[7] != "" && month == 0 {
		return from, to
	}
	return date(year, month, day, now)
}

func englishSpan(m []string, now time.Time) (from, to time.Time) {
	words := strings.ToLower(m[1])
	if s, ok := spans[words]; ok {
		return span(s.before, s.unit, now)
	}
	if m[2] != "" {
		n := number(m[2])
		if named, ok := map[string]int{"two": 2, "three": 3, "four": 4}[strings.ToLower(m[2])]; ok {
			n = named
		}
		return span(n, strings.TrimSuffix(strings.ToLower(m[3]), "s"), now)
	}
	year := number(m[5] + m[7] + m[10] + m[13] + m[14])
	month := 0
	if name := strings.ToLower(m[4] + m[6] + m[9] + m[11]); name != "" {
		for i := time.January; i <= time.December; i++ {
			if strings.ToLower(i.String()) == name {
				month = int(i)
			}
		}
	}
	return date(year, month, number(m[8]+m[12]), now)
}

func isoSpan(m []string, now time.Time) (from, to time.Time) {
	if number(m[2]) == 0 {
		return from, to
	}
	return date(number(m[1]), number(m[2]), number(m[3]), now)
}
