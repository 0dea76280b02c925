package proof

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// quantity is a figure with its unit. A range has two ends; otherwise both are equal.
type quantity struct {
	low, high  float64
	unit       string // in one form for all ways to write it; "" if it has none
	bound      int    // +1 "at least", -1 "at most"
	approx     bool   // "about"
	digits     int    // how many digits of it are given
	scaled     bool   // written with a word for its magnitude: 3.8万, 3.8 million
	span       span
	start, end int // as span, the unit and the words around it included
}

func (q quantity) isRange() bool { return q.low != q.high }

// span is a part of a text, in characters.
type span struct{ from, to int }

const (
	unitPercent = "%"
	unitPoint   = "pt"
	unitTimes   = "times"
	unitHour    = "o'clock"
)

// kanjiDigit has the digits of Japanese figures.
var kanjiDigit = map[rune]float64{
	'〇': 0, '零': 0, '一': 1, '二': 2, '三': 3, '四': 4, '五': 5, '六': 6, '七': 7, '八': 8, '九': 9, '壱': 1, '弐': 2, '参': 3,
}

var (
	smallPower = map[rune]float64{'十': 10, '百': 100, '千': 1000}
	largePower = map[rune]float64{'万': 1e4, '億': 1e8, '兆': 1e12}
)

// figureOf reads a figure as it is written in Japanese or in digits: 204, 二百四, 二〇四, 3.8万, 三・五,
// 1億2千万.
func figureOf(text string) (value float64, digits int, scaled, ok bool) {
	var total, section, current float64
	var any, inDigits bool
	runes := []rune(text)
	for i := 0; i < len(runes); {
		r := runes[i]
		switch {
		case r >= '0' && r <= '9':
			j := i
			for j < len(runes) && (runes[j] >= '0' && runes[j] <= '9' || (runes[j] == ',' || runes[j] == '.') && j+1 < len(runes) && runes[j+1] >= '0' && runes[j+1] <= '9') {
				j++
			}
			plain := strings.ReplaceAll(string(runes[i:j]), ",", "")
			v, err := strconv.ParseFloat(plain, 64)
			if err != nil {
				return 0, 0, false, false
			}
			current, any = v, true
			digits += significant(plain)
			i = j
			continue
		case smallPower[r] > 0:
			if current == 0 {
				current = 1
			}
			section += current * smallPower[r]
			current, any, inDigits = 0, true, false
			digits++
		case largePower[r] > 0:
			section += current
			if section == 0 {
				section = 1
			}
			total += section * largePower[r]
			section, current, any, inDigits = 0, 0, true, false
			scaled = true
		case r == '・' || r == '.' || r == '．':
			v, n, good := fraction(runes[i+1:])
			if !good {
				return 0, 0, false, false
			}
			current += v
			digits += n
			i += n
		default:
			d, known := kanjiDigit[r]
			if !known {
				return 0, 0, false, false
			}
			if inDigits {
				current = current*10 + d
			} else {
				current = d
			}
			any, inDigits = true, true
			digits++
		}
		i++
	}
	return total + section + current, digits, scaled, any
}

func fraction(runes []rune) (v float64, n int, ok bool) {
	scale := 0.1
	for _, r := range runes {
		d, known := kanjiDigit[r]
		if r >= '0' && r <= '9' {
			d, known = float64(r-'0'), true
		}
		if !known {
			break
		}
		v += d * scale
		scale /= 10
		n++
	}
	return math.Round(v*1e9) / 1e9, n, n > 0
}

// significant counts the digits of a figure without the zeros at its end.
func significant(plain string) int {
	if strings.Contains(plain, ".") {
		return len(strings.ReplaceAll(strings.TrimLeft(plain, "0."), ".", ""))
	}
	return max(1, len(strings.TrimRight(strings.TrimLeft(plain, "0"), "0")))
}

// same tells whether a figure is another, written more roughly at most.
func (q quantity) same(p quantity) bool {
	return q.isRange() == p.isRange() && q.near(q.low, p.low, p.digits) && q.near(q.high, p.high, p.digits)
}

func (q quantity) near(s, p float64, digits int) bool {
	if math.Abs(s-p) <= 1e-6*math.Max(1, math.Abs(p)) {
		return true
	}
	if p == 0 || s == 0 || s < 0 != (p < 0) {
		return false
	}
	if q.digits >= max(digits, 2) {
		return false // it is not rounder than what it would stand for
	}
	if q.approx || q.bound != 0 {
		if math.Abs(s-p)/math.Abs(p) > 0.06 {
			return false
		}
	} else if !q.scaled || q.digits < 2 || math.Abs(s-p)/math.Abs(p) > 0.01 {
		return false
	}
	power := math.Pow(10, math.Floor(math.Log10(math.Abs(s)))-float64(max(q.digits, 1)-1))
	rounded, cut := math.Round(p/power)*power, math.Floor(p/power)*power
	return math.Abs(rounded-s) < power*1e-6 || math.Abs(cut-s) < power*1e-6 || (q.approx || q.bound != 0) && math.Abs(s-p)/math.Abs(p) <= 0.06
}

// agree tells whether units can be of one thing. A bare number can be of anything that is counted.
func agree(a, b string) bool {
	if a == b {
		return true
	}
	if a == "つ" {
		a = ""
	} else if b == "つ" {
		b = ""
	}
	if a != "" && b != "" {
		return false
	}
	unit := a + b
	switch unit {
	case unitPercent, unitPoint, unitTimes, unitHour, "円", "usd", "eur", "gbp", "第":
		return false
	}
	return true
}

// ---- Japanese

const jaFigure = `(?:[0-9][0-9,]*(?:\.[0-9]+)?|[〇零一二三四五六七八九十百千](?:[〇零一二三四五六七八九十百千]|・[〇一二三四五六七八九])*)(?:[万億兆](?:[0-9][0-9,]*(?:\.[0-9]+)?|[一二三四五六七八九十百千][〇一二三四五六七八九十百千]*)?)*[百千]?[万億兆]?`

// jaUnits are the words that follow figures, and what they are counted as.
var jaUnits = unitTable(`
% パーセント ％ =%
ポイント =pt
円
ドル =usd
ユーロ =eur
ポンド =gbp
倍 =times
人目 番目 回目 件目 校目 年目 か所目 =第
人 名 =人
票
件 案 議案 =件
校
世帯
戸 棟 軒 =戸
台
社
店 店舗 =店
館
冊
回 度 =回
年間 カ年 か年 箇年 ヵ年 =年
カ月間 か月間 箇月間 ヶ月間 ヵ月間 カ月 か月 箇月 ヶ月 ヵ月 =か月
週間
日間 =日
時間
分間 分 =分
秒間 秒 =秒
キロメートル キロ km =km
キログラム kg =kg
センチメートル センチ cm =cm
ミリメートル ミリ mm =mm
メートル =m
平方キロメートル 平方キロ =km2
平方メートル =m2
トン
ヘクタール
キロワット時
キロワット
リットル
歳 才 =歳
カ所 か所 箇所 ヶ所 ヵ所 =か所
カ国 か国 箇国 ヶ国 ヵ国 =か国
種類
点
本
個
枚
匹
頭
隻
議席 席 =席
段階
位
番
床
便
団体
自治体
事業
施設
市町村
都道府県
市
町
村
区
県
項目
つ
条
項
号
問
組
両
基
学級
クラス
教室
路線
駅
着
杯
株
床
代
期
年
月
日
時
`)

func unitTable(text string) map[string]string {
	table := map[string]string{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		words, canonical, ok := strings.Cut(line, "=")
		for _, w := range strings.Fields(words) {
			if !ok {
				canonical = w
			}
			table[w] = canonical
		}
	}
	return table
}

func longestFirst(table map[string]string) string {
	words := make([]string, 0, len(table))
	for w := range table {
		words = append(words, regexp.QuoteMeta(w))
	}
	slices.SortFunc(words, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	return strings.Join(words, "|")
}

var jaNumber = regexp.MustCompile(
	`(?P<before>第|約|およそ|おおよそ|おおむね|ほぼ|概ね|最大で?|最高|上限|最低でも|最低|少なくとも|上限は|午前|午後|マイナス|延べ|計|合計)?` +
		`(?:(?P<den>` + jaFigure + `)分の(?P<num>` + jaFigure + `)|(?P<a>` + jaFigure + `)(?:(?P<ua>` + longestFirst(jaUnits) + `|割)?(?:から|〜|～|~|ないし|-|―|ー)(?P<b>` + jaFigure + `))?)` +
		`(?P<wari>割(?:(?P<bu>[一二三四五六七八九0-9])分)?)?(?P<unit>` + longestFirst(jaUnits) + `)?` +
		`(?P<half>半)?(?P<after>以上|以下|未満|以内|以降|超|を超え|を上回|を下回|余り|余|あまり|強|弱|近く|前後|程度|ほど|足らず|まで|にも|台|に満たな|に届かな|に達しな|を割)?`)

// jaFigureStart are the characters that a figure begins with, and jaLongestBefore is the length of the longest word before it.
// mostFigure is how far, in bytes, most figures reach with what is around them: of a short text the expression is much faster.
const (
	mostFigure      = 90
	jaFigureStart   = "0123456789〇零一二三四五六七八九十百千"
	jaLongestBefore = 5
)

// japaneseNumbers finds the figures of a text. Characters that masked reports belong to words that are no
// figures.
func japaneseNumbers(text []rune, masked func(i int) bool) []quantity {
	s := string(text)
	at := runeOffsets(s)
	var found []quantity
	group := func(m []int, name string) string {
		i := jaNumber.SubexpIndex(name)
		if m[2*i] < 0 {
			return ""
		}
		return s[m[2*i]:m[2*i+1]]
	}
	for pos := 0; pos < len(s); {
		next := strings.IndexAny(s[pos:], jaFigureStart)
		if next < 0 {
			break
		}
		first := pos + next // every figure begins so
		_, size := utf8.DecodeRuneInString(s[first:])
		if masked(at[first]) {
			pos = first + size
			continue
		}
		pos = max(pos, len(string(text[:max(0, at[first]-jaLongestBefore)])))
		m := jaNumber.FindStringSubmatchIndex(s[pos:min(len(s), pos+mostFigure)])
		if m[1] == mostFigure { // a long one, after all
			m = jaNumber.FindStringSubmatchIndex(s[pos:])
		}
		for i := range m {
			if m[i] >= 0 {
				m[i] += pos
			}
		}
		from, to := m[0], m[1]
		pos = to
		if b := jaNumber.SubexpIndex("b"); m[2*b] >= 0 && !jaRange(s, m, group) {
			// 6人から2人に: two figures, each by itself
			for _, name := range []string{"b", "wari", "bu", "unit", "half", "after"} {
				i := jaNumber.SubexpIndex(name)
				m[2*i], m[2*i+1] = -1, -1
			}
			u := jaNumber.SubexpIndex("ua")
			to = m[2*jaNumber.SubexpIndex("a")+1]
			if m[2*u] >= 0 {
				i := jaNumber.SubexpIndex("unit")
				if s[m[2*u]:m[2*u+1]] == "割" {
					i = jaNumber.SubexpIndex("wari")
				}
				m[2*i], m[2*i+1] = m[2*u], m[2*u+1]
				to = m[2*u+1]
			}
			pos = to
		}
		q, ok := jaQuantity(func(name string) string { return group(m, name) })
		if !ok {
			continue
		}
		q.span, q.start, q.end = span{at[first], at[to]}, at[from], at[to]
		if q.unit == "" && q.low == q.high && q.digits == 1 && !isDigit(text[at[first]]) && text[at[first]] != '〇' && to-first == len("一") {
			continue // a single numeral without a unit is part of a word
		}
		found = append(found, q)
	}
	return found
}

// jaRange tells a range from a change: 六千から七千人, but not 六人から二人に.
func jaRange(s string, m []int, group func([]int, string) string) bool {
	low, _, _, ok1 := figureOf(group(m, "a"))
	high, _, scaled, ok2 := figureOf(group(m, "b"))
	if scaled && low < 10000 {
		low *= 10000
	}
	rest := s[m[1]:]
	return ok1 && ok2 && low < high && (group(m, "after") != "" || !strings.HasPrefix(rest, "に") && !strings.HasPrefix(rest, "へ"))
}

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

func jaQuantity(group func(string) string) (quantity, bool) {
	var q quantity
	var ok bool
	if den := group("den"); den != "" {
		d, _, _, ok1 := figureOf(den)
		n, _, _, ok2 := figureOf(group("num"))
		if !ok1 || !ok2 || d == 0 {
			return q, false
		}
		q.low, q.unit, q.digits = 100*n/d, unitPercent, 2
		q.high = q.low
	} else {
		if q.low, q.digits, q.scaled, ok = figureOf(group("a")); !ok {
			return q, false
		}
		q.high = q.low
		q.unit = jaUnits[group("unit")]
		if b := group("b"); b != "" {
			high, _, scaled, ok := figureOf(b)
			if !ok {
				return q, false
			}
			q.high = high
			if scaled && !q.scaled && q.low < 10000 && high >= 10000 { // 三〜五万
				q.low *= math.Pow(10, 4*math.Floor(math.Log10(high)/4))
			}
			if q.low > q.high {
				q.low, q.high = q.high, q.low
			}
		}
		if group("half") == "半" && q.unit != "" {
			q.low, q.high = q.low+0.5, q.high+0.5
		}
	}
	if group("wari") != "" {
		if q.unit != "" && q.unit != unitPercent {
			return q, false
		}
		q.low, q.high, q.unit = q.low*10, q.high*10, unitPercent
		if bu := group("bu"); bu != "" {
			v, _, _, _ := figureOf(bu)
			q.low, q.high = q.low+v, q.high+v
		}
	}
	switch strings.TrimSuffix(group("before"), "で") {
	case "第":
		q.unit = "第"
	case "約", "およそ", "おおよそ", "おおむね", "ほぼ", "概ね":
		q.approx = true
	case "最大", "最高", "上限", "上限は":
		q.bound = -1
	case "最低でも", "最低", "少なくとも":
		q.bound = 1
	case "午後":
		if q.unit == "時" && q.low < 12 {
			q.low, q.high = q.low+12, q.high+12
		}
	case "マイナス":
		q.low, q.high = -q.high, -q.low
	}
	if q.unit == "時" {
		q.unit = unitHour
	}
	switch group("after") {
	case "以上", "超", "を超え", "を上回", "余り", "余", "あまり", "強":
		q.bound = 1
	case "以下", "未満", "以内", "を下回", "足らず", "に満たな", "に届かな", "に達しな", "を割":
		q.bound = -1
	case "弱", "近く", "前後", "程度", "ほど", "台":
		q.approx = true
	}
	return q, true
}

// runeOffsets maps byte offsets of a string to character offsets.
func runeOffsets(s string) []int {
	at := make([]int, len(s)+1)
	n := 0
	for i := range s {
		at[i] = n
		n++
	}
	at[len(s)] = n
	return at
}

// ---- English

var enSmall = map[string]float64{
	"zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
	"eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19,
	"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}

var enPower = map[string]float64{
	"hundred": 100, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "k": 1e3, "m": 1e6, "mn": 1e6, "bn": 1e9, "tn": 1e12, "dozen": 12,
}

const (
	enWordDigit = `(?:zero|one|two|thirteen|thirty|three|fourteen|forty|four|fifteen|fifty|five|sixteen|sixty|six|seventeen|seventy|seven|eighteen|eighty|eight|nineteen|ninety|nine|ten|eleven|twelve|twenty)\b`
	enWords     = enWordDigit + `(?:[ -]` + enWordDigit + `)?(?:[ -]hundred(?: and ` + enWordDigit + `(?:[ -]` + enWordDigit + `)?)?)?`
	enFigure    = `(?:[0-9]+(?:,[0-9]{3})+(?:\.[0-9]+)?|[0-9]+(?:\.[0-9]+)?|` + enWords + `|an? (?:hundred|thousand|million|billion|dozen|half|third|quarter)|half a (?:million|billion|dozen)|(?:half|dozen))`
	enPowers    = `(?:[ -]?(?:hundred|thousand|million|billion|trillion|dozen)|(?:k|m|mn|bn|tn)\b)`
	enFraction  = `[ -](?:halves|half|thirds?|quarters?|fifths?|sixths?|tenths?)`
)

var enNumber = regexp.MustCompile(`(?i)(?P<before>\b(?:at least|no fewer than|no less than|a minimum of|minimum|more than|over|above|upwards of|exceeding|in excess of|greater than|at most|up to|no more than|not more than|a maximum of|less than|fewer than|under|below|within|nearly|almost|about|around|some|roughly|approximately|close to|just over|just under|an estimated|minus) )?` +
	`(?P<range>between |from )?(?P<sign>[£$€])?\b(?P<a>` + enFigure + `)(?P<pa>` + enPowers + `)?(?P<frac>` + enFraction + `\b)?` +
	`(?:(?P<sep> ?[-–—] ?| to | and | or )(?P<sign2>[£$€])?(?P<b>` + enFigure + `)(?P<pb>` + enPowers + `)?)?` +
	`(?P<unit> ?%|[ -]?(?:per cent|percent)\b|[ -]percentage points?\b| points?\b| ?p\.?m\.?\b| ?a\.?m\.?\b| ?(?:km|kg|mph|miles?|metres?|tonnes?|hectares?|acres?)\b|-fold\b| times\b|(?:st|nd|rd|th)\b)?` +
	`(?P<after> or more| or less| or so| at least| at most| or fewer)?`)

var enUnits = map[string]string{
	"%": unitPercent, "per cent": unitPercent, "percent": unitPercent, "percentage point": unitPoint, "percentage points": unitPoint, "point": unitPoint, "points": unitPoint,
	"pm": "pm", "p.m.": "pm", "p.m": "pm", "am": unitHour, "a.m.": unitHour, "a.m": unitHour, "mile": "mile", "miles": "mile", "metre": "m", "metres": "m", "km": "km", "kg": "kg", "mph": "mph",
	"tonne": "tonne", "tonnes": "tonne", "hectare": "ha", "hectares": "ha", "acre": "acre", "acres": "acre", "fold": unitTimes, "times": unitTimes,
	"st": "第", "nd": "第", "rd": "第", "th": "第",
}

// enNouns are nouns whose figure is never of another noun.
var enCounted = map[string]string{
	"day": "日", "week": "週間", "month": "か月", "year": "年", "hour": "時間", "minute": "分", "second": "秒",
	"pound": "gbp", "dollar": "usd", "euro": "eur", "yen": "円", "vote": "票", "seat": "席",
}

var enShare = regexp.MustCompile(`(?i)\b(one|two|three|four|five|six|seven|[1-9]) (?:in|out of) (two|three|four|five|six|seven|eight|nine|ten|20|twenty|[2-9]|10)\b`)

func englishNumbers(text []rune, masked func(i int) bool) []quantity {
	s := string(text)
	at := runeOffsets(s)
	var found []quantity
	for _, m := range enShare.FindAllStringSubmatchIndex(s, -1) { // two in five
		n, ok1 := enValue(s[m[2]:m[3]], "")
		of, ok2 := enValue(s[m[4]:m[5]], "")
		if !ok1 || !ok2 || n >= of {
			continue
		}
		from, to := at[m[0]], at[m[1]]
		found = append(found, quantity{low: 100 * n / of, high: 100 * n / of, unit: unitPercent, digits: 2, span: span{from, to}, start: from, end: to})
		before := masked
		masked = func(i int) bool { return i >= from && i < to || before(i) }
	}
	for pos := 0; pos < len(s); {
		m := enNumber.FindStringSubmatchIndex(s[pos:])
		if m == nil {
			break
		}
		for i := range m {
			if m[i] >= 0 {
				m[i] += pos
			}
		}
		group := func(name string) string {
			i := enNumber.SubexpIndex(name)
			if m[2*i] < 0 {
				return ""
			}
			return strings.ToLower(s[m[2*i]:m[2*i+1]])
		}
		first := m[2*enNumber.SubexpIndex("a")]
		// A list "three and five" is no range, nor is a vote "204 to 25".
		if group("b") != "" && (!isRange(group) || strings.HasSuffix(s[:m[0]], "by ") && farApart(group) || strings.TrimSpace(group("range")) == "from") {
			cut := m[2*enNumber.SubexpIndex("sep")]
			for _, name := range []string{"sep", "sign2", "b", "pb", "unit", "after"} {
				i := enNumber.SubexpIndex(name)
				m[2*i], m[2*i+1] = -1, -1
			}
			m[1] = cut
		}
		pos = m[1]
		q, ok := enQuantity(group)
		if !ok || masked(at[first]) || first > 0 && (s[first-1] == '.' || s[first-1] == '-' && first > 1 && s[first-2] >= 'A' && !strings.HasSuffix(strings.ToLower(s[:first-1]), "under") && !strings.HasSuffix(strings.ToLower(s[:first-1]), "over")) {
			continue
		}
		q.span, q.start, q.end = span{at[first], at[m[1]]}, at[m[0]], at[m[1]]
		word := nextWord(s[m[1]:])
		if low := strings.ToLower(s[:first]); strings.HasSuffix(low, "under-") {
			q.bound = -1
		} else if strings.HasSuffix(low, "over-") {
			q.bound = 1
		}
		if q.unit == "" {
			if unit, known := enCounted[strings.TrimSuffix(word, "s")]; known {
				q.unit = unit
			}
		}
		a := group("a")
		if a == "half" && strings.HasPrefix(s[m[1]:], "-") {
			continue // half-year
		}
		if (a == "one" || a == "half" && q.unit == "" || a == "second") && q.unit == "" && !q.isRange() && group("frac") == "" && group("pa") == "" {
			if a == "one" {
				continue // mostly a pronoun
			}
			q.unit = unitPercent
			q.low, q.high = 50, 50
		}
		found = append(found, q)
	}
	return found
}

func nextWord(s string) string {
	s = strings.TrimLeft(s, " -")
	end := strings.IndexFunc(s, func(r rune) bool { return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z') })
	if end < 0 {
		end = len(s)
	}
	return strings.ToLower(s[:end])
}

func isRange(group func(string) string) bool {
	sep := strings.TrimSpace(group("sep"))
	low, ok1 := enValue(group("a"), group("pa"))
	high, ok2 := enValue(group("b"), group("pb"))
	if !ok1 || !ok2 {
		return false
	}
	if group("pa") == "" && group("pb") != "" {
		low *= high / max(1, mantissa(group("b")))
	}
	switch sep {
	case "and":
		return strings.TrimSpace(group("range")) == "between"
	case "or":
		return high == low+1
	}
	return low < high
}

// farApart tells "by 2,300 to 51,000" from "by 2 to 3 per cent".
func farApart(group func(string) string) bool {
	low, _ := enValue(group("a"), group("pa"))
	high, _ := enValue(group("b"), group("pb"))
	return low > 0 && high/low > 3
}

func mantissa(text string) float64 {
	v, _ := enValue(text, "")
	return v
}

func enValue(text, power string) (float64, bool) {
	text = strings.ToLower(strings.TrimSpace(text))
	factor := 1.0
	if p := strings.Trim(power, " -"); p != "" {
		factor = enPower[strings.ToLower(p)]
	}
	if v, err := strconv.ParseFloat(strings.ReplaceAll(text, ",", ""), 64); err == nil {
		return v * factor, true
	}
	if rest, ok := strings.CutPrefix(text, "half a "); ok {
		return 0.5 * enPower[rest] * factor, true
	}
	if text == "half" {
		return 0.5 * factor, true
	}
	if rest, ok := strings.CutPrefix(strings.TrimPrefix(text, "an "), "a "); ok || strings.HasPrefix(text, "an ") {
		switch rest {
		case "half":
			return 0.5, true
		case "third":
			return 1.0 / 3, true
		case "quarter":
			return 0.25, true
		}
		return enPower[rest] * factor, enPower[rest] > 0
	}
	if text == "dozen" {
		return 12 * factor, true
	}
	var total float64
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == '-' }) {
		switch v, ok := enSmall[w]; {
		case ok:
			total += v
		case w == "hundred":
			total *= 100
		case w != "and":
			return 0, false
		}
	}
	return total * factor, true
}

var enFractions = map[string]float64{"half": 2, "halve": 2, "third": 3, "quarter": 4, "fifth": 5, "sixth": 6, "tenth": 10}

func enQuantity(group func(string) string) (quantity, bool) {
	var q quantity
	a := group("a")
	v, ok := enValue(a, group("pa"))
	if !ok {
		return q, false
	}
	q.low, q.high, q.scaled = v, v, group("pa") != "" && group("pa") != "hundred"
	q.digits = significant(strings.ReplaceAll(a, ",", ""))
	if a[0] < '0' || a[0] > '9' {
		q.digits = 2
	}
	switch {
	case group("frac") != "":
		part := enFractions[strings.TrimSuffix(strings.Trim(group("frac"), " -"), "s")]
		if part == 0 {
			return q, false
		}
		q.low = 100 * v / part
		q.high, q.unit, q.digits = q.low, unitPercent, 1
	case strings.HasSuffix(a, "a half") || strings.HasSuffix(a, "a third") || strings.HasSuffix(a, "a quarter"):
		q.low, q.high, q.unit, q.digits = 100*v, 100*v, unitPercent, 1
	}
	if b := group("b"); b != "" {
		high, ok := enValue(b, group("pb"))
		if !ok {
			return q, false
		}
		q.high = high
		if group("pa") == "" && group("pb") != "" {
			q.low *= enPower[strings.Trim(group("pb"), " -")]
			q.scaled = true
		}
	}
	if unit := strings.Trim(group("unit"), " -"); unit != "" {
		q.unit = enUnits[unit]
		if q.unit == "pm" {
			q.unit = unitHour
			if q.low < 12 {
				q.low, q.high = q.low+12, q.high+12
			}
		}
	}
	switch group("sign") {
	case "£":
		q.unit = "gbp"
	case "$":
		q.unit = "usd"
	case "€":
		q.unit = "eur"
	}
	switch strings.TrimSpace(group("before")) {
	case "at least", "no fewer than", "no less than", "a minimum of", "minimum", "more than", "over", "above", "upwards of", "exceeding", "in excess of", "greater than", "just over":
		q.bound = 1
	case "at most", "up to", "no more than", "not more than", "a maximum of", "less than", "fewer than", "under", "below", "within", "just under":
		q.bound = -1
	case "nearly", "almost", "about", "around", "some", "roughly", "approximately", "close to", "an estimated":
		q.approx = true
	case "minus":
		q.low, q.high = -q.high, -q.low
	}
	switch strings.TrimSpace(group("after")) {
	case "or more", "at least":
		q.bound = 1
	case "or less", "or fewer", "at most":
		q.bound = -1
	case "or so":
		q.approx = true
	}
	return q, true
}
