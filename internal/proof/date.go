package proof

import (
	"regexp"
	"strings"
	"time"
	"unicode/utf8"
)

// moment is a day, or a longer time, that a text names. Its zero parts are not said: "March" has a month alone.
type moment struct {
	year, month, day int
	fiscal           bool // the year is one of accounts, from April
	weekday          int  // 1 is Monday
	week             int  // the days since 1970 of a week's Monday; 0 if no week is meant
	season           string
	ahead            int  // of a weekday: -1 last Monday, +1 next Monday
	bare             bool // only the day is said; its month is the record's or the next
	span             span
}

var eras = map[string]int{"令和": 2018, "平成": 1988, "昭和": 1925, "大正": 1911, "明治": 1867}

const jaSmall = `(?:[0-9]{1,2}|[〇一二三四五六七八九十]{1,4}|元)`

var (
	jaDate = regexp.MustCompile(
		`(?:(?P<era>令和|平成|昭和|大正|明治)(?P<ey>` + jaSmall + `)年|(?P<y>[12][0-9]{3}|[一二][〇一二三四五六七八九]{3}|[一二]千(?:[〇一二三四五六七八九]?百)?(?:[〇一二三四五六七八九]?十)?[〇一二三四五六七八九]?)年|(?P<ry>一昨年|おととし|昨年|去年|前年|今年|本年|年内|来年|再来年|同年|翌年))?` +
			`(?P<fy>度)?(?:の)?` +
			`(?:(?P<m>` + jaSmall + `)月(?:分)?|(?P<rm>先々月|先月|今月|本月|月内|来月|再来月|同月|翌月)(?:の)?)?` +
			`(?:(?P<d>` + jaSmall + `)日|(?P<rd>一昨日|おととい|昨日|きのう|昨夜|昨晩|昨夕|本日|今日|きょう|今朝|今夜|今晩|明日|あす|あした|明後日|あさって|元日|元旦))?` +
			`(?:(?P<rw>先週|今週|来週|再来週|先々週)(?:の)?)?(?:[（(]?(?P<wd>[月火水木金土日])曜日?[)）]?)?(?:の)?(?:(?P<rs>昨|今|来)?(?P<season>[春夏秋冬]))?`)
	relYear  = map[string]int{"一昨年": -2, "おととし": -2, "昨年": -1, "去年": -1, "前年": -1, "今年": 0, "本年": 0, "年内": 0, "来年": 1, "再来年": 2, "昨": -1, "今": 0, "来": 1}
	relMonth = map[string]int{"先々月": -2, "先月": -1, "今月": 0, "本月": 0, "月内": 0, "来月": 1, "再来月": 2}
	relDay   = map[string]int{"一昨日": -2, "おととい": -2, "昨日": -1, "きのう": -1, "昨夜": -1, "昨晩": -1, "昨夕": -1, "本日": 0, "今日": 0, "きょう": 0, "今朝": 0, "今夜": 0, "今晩": 0, "明日": 1, "あす": 1, "あした": 1, "明後日": 2, "あさって": 2}
	relWeek  = map[string]int{"先々週": -2, "先週": -1, "今週": 0, "来週": 1, "再来週": 2}
	weekdays = map[string]int{"月": 1, "火": 2, "水": 3, "木": 4, "金": 5, "土": 6, "日": 7}
)

// jaMonths are months of which only the last is called one: 7〜9月.
var jaMonths = regexp.MustCompile(`([0-9]{1,2}|[一二三四五六七八九十]{1,2})月?(?:〜|-|から)([0-9]{1,2}|[一二三四五六七八九十]{1,2})月`)

// japaneseDates finds the days, months and years of a text. ref is the record's day; relative words are counted
// from it.
func japaneseDates(text []rune, ref time.Time) []moment {
	s := string(text)
	at := runeOffsets(s)
	var found []moment
	for _, m := range jaMonths.FindAllStringSubmatchIndex(s, -1) {
		if v, _, _, ok := figureOf(s[m[2]:m[3]]); ok && v <= 12 && !strings.HasPrefix(s[m[3]:], "月") {
			found = append(found, moment{month: int(v), span: span{at[m[2]], at[m[3]]}})
		}
	}
	for pos := 0; pos < len(s); {
		if !beginsDate(text, at[pos]) {
			pos += size(s[pos:])
			continue
		}
		m := jaDate.FindStringSubmatchIndex(s[pos:min(len(s), pos+longestDate)])
		if m == nil || m[0] == m[1] { // nothing here: on to the next character
			pos += size(s[pos:])
			continue
		}
		for i := range m {
			if m[i] >= 0 {
				m[i] += pos
			}
		}
		group := func(name string) string {
			i := jaDate.SubexpIndex(name)
			if m[2*i] < 0 {
				return ""
			}
			return s[m[2*i]:m[2*i+1]]
		}
		d, ok := jaMoment(group, ref)
		if ok && strings.HasPrefix(s[m[1]:], "間") { // 三日間 is no day
			ok = false
		}
		if ok && group("d") != "" && group("m") == "" && group("rm") == "" && strings.HasPrefix(s[m[1]:], "以") {
			ok = false // 十日以内
		}
		if !ok {
			pos = m[0] + size(s[m[0]:])
			continue
		}
		d.span = span{at[m[0]], at[m[1]]}
		found = append(found, d)
		pos = m[1]
	}
	return found
}

// size is the length of the first character.
func size(s string) int {
	_, n := utf8.DecodeRuneInString(s)
	return n
}

// longestDate is longer than any day, in bytes.
const longestDate = 120

// beginsDate tells whether a day, a month or a year can begin at a character.
func beginsDate(text []rune, i int) bool {
	next := func(n int) rune {
		if i+n < len(text) {
			return text[i+n]
		}
		return 0
	}
	switch r := text[i]; r {
	case '月': // 月内
		return next(1) == '曜' || next(1) == '内'
	case '火', '水', '木', '金', '土', '日':
		return next(1) == '曜'
	case '(', '（':
		return next(2) == '曜'
	case '度', 'の':
		return strings.ContainsRune(jaDateStart, next(1)) || r == '度' && next(1) == 'の' || next(2) == '曜'
	default:
		return strings.ContainsRune(jaDateStart, r)
	}
}

// jaDateStart are the characters that the names of days, months and years begin with.
const jaDateStart = "0123456789〇一二三四五六七八九十元令平昭大明おきあ昨去前今本年来再同翌先月春夏秋冬"

func jaMoment(group func(string) string, ref time.Time) (moment, bool) {
	var d moment
	small := func(name string) int {
		t := group(name)
		if t == "元" {
			return 1
		}
		v, _, _, ok := figureOf(t)
		if !ok {
			return 0
		}
		return int(v)
	}
	rel := group("ry")
	switch {
	case group("era") != "":
		d.year = eras[group("era")] + small("ey")
	case group("y") != "":
		d.year = small("y")
	case rel == "同年" || rel == "翌年":
	case rel != "" && !ref.IsZero():
		d.year = ref.Year() + relYear[rel]
	}
	if rs := group("rs"); rs != "" && !ref.IsZero() {
		d.year = ref.Year() + relYear[rs]
	}
	if group("fy") != "" {
		if rel != "" && ref.Month() < time.April && !ref.IsZero() {
			d.year--
		}
		if d.year == 0 {
			return d, false
		}
		d.fiscal = true
	}
	if group("m") != "" {
		d.month = small("m")
	} else if r := group("rm"); r != "" && !ref.IsZero() {
		if n, known := relMonth[r]; known {
			t := time.Date(ref.Year(), ref.Month()+time.Month(n), 1, 0, 0, 0, 0, time.UTC)
			d.year, d.month = t.Year(), int(t.Month())
		}
	}
	if group("d") != "" {
		d.day = small("d")
		if group("d") == "元" { // 元日
			d.month = 1
		}
		if d.month == 0 && !ref.IsZero() {
			d.year, d.month, d.bare = ref.Year(), int(ref.Month()), true
		}
	} else if r := group("rd"); r == "元日" || r == "元旦" {
		d.month, d.day = 1, 1
	} else if r != "" && !ref.IsZero() {
		t := ref.AddDate(0, 0, relDay[r])
		d.year, d.month, d.day = t.Year(), int(t.Month()), t.Day()
	}
	d.season = group("season")
	if d.season != "" && d.year == 0 {
		return d, false
	}
	if w := group("wd"); w != "" {
		d.weekday = weekdays[w]
	}
	if w := group("rw"); w != "" && !ref.IsZero() {
		d.week = mondayOf(ref) + 7*relWeek[w]
	}
	if d.month > 12 || d.day > 31 || d.month < 0 {
		return d, false
	}
	return d, d.year != 0 || d.month != 0 || d.day != 0 || d.weekday != 0 || d.week != 0
}

func mondayOf(t time.Time) int {
	return int(t.Unix()/86400) - (int(t.Weekday())+6)%7
}

var enMonths = map[string]int{
	"january": 1, "february": 2, "march": 3, "april": 4, "may": 5, "june": 6, "july": 7, "august": 8, "september": 9, "october": 10, "november": 11, "december": 12,
	"jan": 1, "feb": 2, "mar": 3, "apr": 4, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "sept": 9, "oct": 10, "nov": 11, "dec": 12,
}

const (
	monthWord   = `(?:January|February|March|April|May|June|July|August|September|October|November|December|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)`
	weekdayWord = `(?:Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)`
)

var enDate = regexp.MustCompile(
	`\b(?:(?:the )?(?P<d1>[0-3]?[0-9])(?:st|nd|rd|th)?(?: of)? (?P<m1>` + monthWord + `)\b\.?,?(?: (?P<y1>[12][0-9]{3}))?` +
		`|(?P<m2>` + monthWord + `)\.? (?P<d2>[0-3]?[0-9])(?:st|nd|rd|th)?\b(?:,? (?P<y2>[12][0-9]{3}))?` +
		`|(?P<m3>` + monthWord + `)\.?,? (?P<y3>[12][0-9]{3})` +
		`|(?:(?P<rm>[Ll]ast|[Tt]his|[Nn]ext) )?(?P<m4>January|February|March|April|May|June|July|August|September|October|November|December)\b` +
		`|(?P<fy>(?:financial|fiscal) year )?(?P<y4>(?:19|20)[0-9]{2})(?P<fy2>[-/–][0-9]{2})?\b(?:s\b)?` +
		`|(?P<r>[Ll]ast|[Tt]his|[Nn]ext|[Tt]he previous|[Tt]he following|[Cc]oming|[Pp]ast) (?:(?P<fin>financial|fiscal) )?(?P<ru>week|month|year|spring|summer|autumn|winter|` + weekdayWord + `)\b` +
		`|(?P<rd>[Yy]esterday|[Tt]oday|[Tt]omorrow|[Tt]onight|[Ll]ast night|[Tt]his (?:morning|afternoon|evening)|[Tt]omorrow)` +
		`|(?P<wd>` + weekdayWord + `)\b` +
		`|(?P<season>spring|summer|autumn|winter)(?: of)? (?P<y5>(?:19|20)[0-9]{2})|in the (?P<season2>spring|summer|autumn|winter)\b|(?P<ago>a year (?:earlier|ago|before)\b))`)

var enWeekdays = map[string]int{"Monday": 1, "Tuesday": 2, "Wednesday": 3, "Thursday": 4, "Friday": 5, "Saturday": 6, "Sunday": 7}

func englishDates(text []rune, ref time.Time) []moment {
	s := string(text)
	at := runeOffsets(s)
	var found []moment
	for pos := 0; pos < len(s); {
		m := enDate.FindStringSubmatchIndex(s[pos:])
		if m == nil {
			break
		}
		for i := range m {
			if m[i] >= 0 {
				m[i] += pos
			}
		}
		pos = m[1]
		group := func(name string) string {
			i := enDate.SubexpIndex(name)
			if m[2*i] < 0 {
				return ""
			}
			return s[m[2*i]:m[2*i+1]]
		}
		d, ok := enMoment(group, ref)
		if group("m4") == "May" && (m[1] < len(s) && nextIsVerb(s[m[1]:]) || m[0] == 0 && group("rm") == "") {
			continue // the verb
		}
		if group("m4") == "March" && m[0] > 0 && strings.HasSuffix(s[:m[0]], "a ") {
			continue
		}
		if ok {
			d.span = span{at[m[0]], at[m[1]]}
			found = append(found, d)
		}
	}
	return found
}

func nextIsVerb(rest string) bool {
	w := nextWord(rest)
	return w == "i" || w == "we" || w == "be" || w == "have" || w == "not" || w == "the"
}

func enMoment(group func(string) string, ref time.Time) (moment, bool) {
	var d moment
	first := func(names ...string) string {
		for _, n := range names {
			if g := group(n); g != "" {
				return g
			}
		}
		return ""
	}
	num := func(t string) int {
		v, _, _, _ := figureOf(t)
		return int(v)
	}
	d.month = enMonths[strings.ToLower(first("m1", "m2", "m3", "m4"))]
	d.day = num(first("d1", "d2"))
	d.year = num(first("y1", "y2", "y3", "y4", "y5"))
	d.season = first("season", "season2")
	if group("ago") != "" {
		if ref.IsZero() {
			return d, false
		}
		d.year = ref.Year() - 1
	}
	d.fiscal = group("fy") != "" || group("fy2") != ""
	if rm := strings.ToLower(group("rm")); rm != "" && !ref.IsZero() {
		d.year = ref.Year()
		switch {
		case rm == "last" && d.month >= int(ref.Month()):
			d.year--
		case rm == "next" && d.month <= int(ref.Month()):
			d.year++
		}
	}
	if r := strings.ToLower(group("r")); r != "" {
		if ref.IsZero() {
			return d, false
		}
		n := 0
		switch r {
		case "last", "the previous", "past":
			n = -1
		case "next", "the following", "coming":
			n = 1
		}
		if r == "the previous" || r == "the following" {
			return d, false // from a day that the text names elsewhere
		}
		switch unit := group("ru"); unit {
		case "week":
			d.week = mondayOf(ref) + 7*n
		case "month":
			t := time.Date(ref.Year(), ref.Month()+time.Month(n), 1, 0, 0, 0, 0, time.UTC)
			d.year, d.month = t.Year(), int(t.Month())
		case "year":
			d.year, d.fiscal = ref.Year()+n, group("fin") != ""
		case "spring", "summer", "autumn", "winter":
			d.year, d.season = ref.Year()+n, unit
			if n == 0 {
				d.year = ref.Year()
			}
		default:
			d.weekday = enWeekdays[unit]
			if n == 0 {
				d.week = mondayOf(ref)
			} else {
				d.ahead = n
			}
		}
	}
	if r := strings.ToLower(group("rd")); r != "" {
		if ref.IsZero() {
			return d, false
		}
		n := 0
		switch r {
		case "yesterday", "last night":
			n = -1
		case "tomorrow":
			n = 1
		}
		t := ref.AddDate(0, 0, n)
		d.year, d.month, d.day = t.Year(), int(t.Month()), t.Day()
	}
	if w := group("wd"); w != "" {
		d.weekday = enWeekdays[w]
	}
	return d, d.month <= 12 && d.day <= 31
}

// within tells whether what s says of a time holds of p: p is the same or more exact.
func (s moment) within(p moment, ref time.Time) bool {
	if p.bare && s.day == p.day && s.month == p.month%12+1 {
		return true
	}
	if s.ahead*p.ahead < 0 {
		return false
	}
	if s.fiscal != p.fiscal {
		if s.year != 0 && p.year != 0 || s.fiscal {
			return s.fiscal && p.fiscal || s.fiscal && p.year != 0 && p.month != 0 && fiscalOf(p) == s.year
		}
	}
	if s.year != 0 && p.year == 0 && s.day != 0 && (p.weekday != 0 || p.week != 0) && p.day == 0 {
		// "Monday" is held against the day below
	} else if s.year != 0 && p.year == 0 {
		// The text leaves the year to the reader: the nearest before or after.
		if ref.IsZero() || s.month == 0 && (s.season == "" || s.year != ref.Year()) || s.year < ref.Year()-1 || s.year > ref.Year()+1 {
			return false
		}
	} else if s.year != 0 && p.year != 0 && s.year != p.year {
		return false
	}
	if s.month != 0 && s.month != p.month && !(p.month == 0 && (p.week != 0 || p.weekday != 0 && s.day != 0)) {
		return false
	}
	if s.day != 0 && s.day != p.day {
		return p.day == 0 && p.weekday != 0 && ref != time.Time{} && closeWeekday(s, p, ref)
	}
	if s.season != "" && s.season != p.season && !inSeason(s.season, p.month) {
		return false
	}
	if s.weekday != 0 && s.weekday != p.weekday {
		if p.day == 0 || p.year == 0 || weekdayOf(p) != s.weekday || distance(p, ref) > 8 {
			return false
		}
	}
	if s.week != 0 && s.week != p.week {
		if p.day == 0 || p.year == 0 || mondayOf(dayOf(p)) != s.week {
			return p.weekday != 0 && p.week == 0 && p.day == 0 // "Monday" may be of that week
		}
	}
	return true
}

func inSeason(season string, month int) bool {
	switch season {
	case "春", "spring":
		return month >= 3 && month <= 5
	case "夏", "summer":
		return month >= 6 && month <= 8
	case "秋", "autumn":
		return month >= 9 && month <= 11
	}
	return month == 12 || month == 1 || month == 2
}

func closeWeekday(s, p moment, ref time.Time) bool {
	if s.year == 0 {
		s.year = ref.Year()
	}
	return weekdayOf(s) == p.weekday && distance(s, ref) <= 8
}

func fiscalOf(p moment) int {
	if p.month < 4 {
		return p.year - 1
	}
	return p.year
}

func dayOf(p moment) time.Time {
	return time.Date(p.year, time.Month(p.month), p.day, 0, 0, 0, 0, time.UTC)
}

func weekdayOf(p moment) int { return (int(dayOf(p).Weekday())+6)%7 + 1 }

func distance(p moment, ref time.Time) int {
	d := int(dayOf(p).Sub(ref).Hours() / 24)
	if d < 0 {
		return -d
	}
	return d
}
