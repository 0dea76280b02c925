package council

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/width"

	"pressroom/internal/desk/minutes/assembly"
)

// A line that begins a speech. The name may stand in brackets after an office, or
// the office after the name.
var (
	circleMark  = regexp.MustCompile(`^[○◯〇◎●◆◇][\s\x{3000}]*([^\s\x{3000}（(「。、]{1,30})[\s\x{3000}]*[（(][\s\x{3000}]*([^（()）]{1,40}?)[\s\x{3000}]*[)）][\s\x{3000}]*`)
	circlePlain = regexp.MustCompile(`^[○◯〇◎●◆◇][\s\x{3000}]*([^\s\x{3000}（(「。、]{1,24})(?:[\s\x{3000}]+|$)`)
	bracketMark = regexp.MustCompile(`^【[\s\x{3000}]*([^】]{1,40}?)[\s\x{3000}]*】[\s\x{3000}]*`)
	colonAfter  = regexp.MustCompile(`^[\s\x{3000}]*[:：][\s\x{3000}]*`)
	itemMark    = regexp.MustCompile(`^(?:△[\s\x{3000}]*|(?:追加)?日程第[\s\x{3000}]*[0-9０-９一二三四五六七八九十]+[\s\x{3000}]*)`)
	wholeNote   = regexp.MustCompile(`^[\s\x{3000}]*(?:[（(〔［\[].*[)）〕］\]]|[\s\x{3000}―─━—－‐\-=＝◇○・*＊…]{3,})[\s\x{3000}]*$`)
	innerNote   = regexp.MustCompile(`[（(〔](拍手|笑声|笑い|発言する者[^（()）]{0,20}|[^（()）]{0,40}と呼ぶ者[^（()）]{0,20}|挙手[^（()）]{0,10}|起立[^（()）]{0,10}|賛成者[^（()）]{0,10})[)）〕]`)
	circleInner = regexp.MustCompile(`^[○◯〇◎●◆◇][\s\x{3000}]*[（(][\s\x{3000}]*([^（()）]{1,40}?)[\s\x{3000}]*[)）][\s\x{3000}]*`)
	labelMark   = regexp.MustCompile(`^([^\s\x{3000}（(「。、]{1,20})[（(]([^（()）]{1,20})[)）][\s\x{3000}]+`)
	honorific   = regexp.MustCompile(`(君|さん|氏|様|殿|女史|議員|委員)$`)
	heading     = regexp.MustCompile(`^(出席|欠席|遅刻|早退|説明|職務|事務局職員|会議|議事|付議|付託|本日|日程|開議|開会|散会|閉会|会期|署名|議案|報告|上程|追加|諸般)`)
	closing     = regexp.MustCompile(`^(?:午前|午後|正午).{0,20}(?:開議|開会|散会|休憩|再開|閉会|延会)$`)
	seat        = regexp.MustCompile(`^[0-9０-９一二三四五六七八九十]+番$`)
)

// line takes a line of running text.
func (r *reader) line(l *line) {
	text := tidy(l.text)
	was := *l
	*l = line{}
	if text == "" {
		return
	}
	if s, rest, ok := r.opens(was, text); ok {
		r.Speech(s)
		r.say(rest)
		return
	}
	switch {
	case itemMark.MatchString(text) && len([]rune(text)) < 200:
		r.item(strings.TrimSpace(strings.TrimPrefix(text, "△")), 1)
	case wholeNote.MatchString(text) || closing.MatchString(text):
		r.Note(assembly.Note{Kind: "note", Text: trimNote(text)}, 0)
	case r.Open() == nil:
		r.Note(assembly.Note{Kind: "head", Text: text}, 0)
	default:
		r.say(text)
	}
}

// opens tells whether a line begins a speech, whose, and what is said in it.
func (r *reader) opens(l line, text string) (assembly.Speech, string, bool) {
	may := func(mark string) bool { return r.Mark == "" || r.Mark == mark }
	if may("circle") {
		if m := circleMark.FindStringSubmatch(text); m != nil && !heading.MatchString(m[1]) &&
			(roleOf(m[1]) != "" || honorific.MatchString(m[2]) || r.Mark == "circle") {
			return speaker(m[1], m[2]), text[len(m[0]):], true
		}
		if m := circleInner.FindStringSubmatch(text); m != nil && roleOf(m[1]) != "" {
			return spoken(m[1]), text[len(m[0]):], true
		}
		if m := circlePlain.FindStringSubmatch(text); m != nil && !heading.MatchString(m[1]) && (roleOf(m[1]) != "" || r.Mark == "circle") {
			return spoken(m[1]), text[len(m[0]):], true
		}
	}
	if r.Mark == "label" {
		if m := labelMark.FindStringSubmatch(text); m != nil && roleOf(m[1]) != "" {
			return speaker(m[1], m[2]), text[len(m[0]):], true
		}
	}
	if may("bracket") {
		if m := bracketMark.FindStringSubmatch(text); m != nil && (spoken(m[1]).Role != "" || r.Mark == "bracket" || honorific.MatchString(m[1])) {
			return spoken(m[1]), text[len(m[0]):], true
		}
	}
	if may("bold") && l.bold && l.name != "" {
		rest := strings.TrimPrefix(text, l.name)
		colon := colonAfter.FindString(rest)
		name := strings.TrimRight(l.name, ":： ")
		if colon != "" || name != l.name || roleOf(name) != "" || r.Mark == "bold" || honorific.MatchString(name) {
			if rest != "" || r.Mark == "bold" || colon != "" || name != l.name {
				return spoken(name), rest[len(colon):], true
			}
		}
	}
	return assembly.Speech{}, "", false
}

// speaker is somebody with an office and a name.
func speaker(office, name string) assembly.Speech {
	s := assembly.Speech{Name: nameOf(name), Office: office, Role: roleOf(office)}
	s.Attrs = s.Attrs.Put("label", office+"（"+name+"）")
	return s
}

var wideGap = regexp.MustCompile(`([^\x00-\x7f])[\s\x{3000}]+([^\x00-\x7f])`)

// nameOf returns a name without what is said out of courtesy, and without the spaces
// that align a Japanese one.
func nameOf(s string) string {
	s = strings.TrimSpace(s)
	if short := honorific.ReplaceAllString(s, ""); short != "" {
		s = short
	}
	for wideGap.MatchString(s) {
		s = wideGap.ReplaceAllString(s, "$1$2")
	}
	return strings.TrimSpace(s)
}

var inBrackets = regexp.MustCompile(`^(.+?)[\s\x{3000}]*[（(][\s\x{3000}]*(.+?)[\s\x{3000}]*[)）]$`)

// spoken is somebody whose label is not taken apart by a mark: 山田議長, 議長（山田君）.
func spoken(label string) assembly.Speech {
	label = strings.TrimRight(strings.TrimLeft(assembly.Squeeze(label), "○◯〇◎●◆◇"), ":： ")
	if m := inBrackets.FindStringSubmatch(label); m != nil {
		if roleOf(m[1]) != "" {
			return speaker(m[1], m[2])
		}
		if roleOf(m[2]) != "" {
			return speaker(m[2], m[1])
		}
	}
	s := assembly.Speech{Name: nameOf(label), Role: roleOf(label)}
	s.Attrs = s.Attrs.Put("label", label)
	for _, o := range offices {
		if name := strings.TrimSuffix(label, o.word); name != label {
			s.Office = o.word
			if name != "" {
				s.Name = nameOf(name)
			}
			break
		}
	}
	return s
}

// offices are the words at the end of a label, longer ones first.
var offices = []struct {
	word string
	role assembly.Role
}{
	{"副委員長", assembly.Chair}, {"委員長", assembly.Chair}, {"副議長", assembly.Chair}, {"臨時議長", assembly.Chair}, {"仮議長", assembly.Chair},
	{"議長", assembly.Chair}, {"分科会長", assembly.Chair}, {"座長", assembly.Chair}, {"会長", assembly.Chair},
	{"副市長", assembly.Government}, {"市長", assembly.Government}, {"副知事", assembly.Government}, {"知事", assembly.Government},
	{"副町長", assembly.Government}, {"町長", assembly.Government}, {"副村長", assembly.Government}, {"村長", assembly.Government},
	{"副区長", assembly.Government}, {"区長", assembly.Government}, {"教育長", assembly.Government}, {"事務局長", assembly.Government},
	{"局長", assembly.Government}, {"部長", assembly.Government}, {"課長", assembly.Government}, {"室長", assembly.Government}, {"次長", assembly.Government},
	{"理事", assembly.Government}, {"管理者", assembly.Government}, {"監査委員", assembly.Government}, {"参事", assembly.Government},
	{"参考人", assembly.Guest}, {"公述人", assembly.Guest}, {"請願者", assembly.Guest},
	{"委員", assembly.Member}, {"議員", assembly.Member},
}

var englishChair = regexp.MustCompile(`(?i)\b(chair|chairman|chairwoman|chairperson|speaker|president|mayor)\b`)
var englishRole = regexp.MustCompile(`(?i)\b(councill?or|alderman|member|cllr)\b`)

func roleOf(label string) assembly.Role {
	label = strings.TrimSpace(label)
	if seat.MatchString(label) {
		return assembly.Member
	}
	for _, o := range offices {
		if strings.HasSuffix(label, o.word) {
			return o.role
		}
	}
	switch {
	case englishChair.MatchString(label):
		return assembly.Chair
	case englishRole.MatchString(label):
		return assembly.Member
	}
	return ""
}

func trimNote(text string) string {
	return strings.TrimSpace(strings.Trim(strings.TrimSpace(text), "（()）〔〕［］[]"))
}

// say adds a paragraph of what was said; what the record puts in between is notes.
func (r *reader) say(text string) {
	text = tidy(text)
	if text != "" && wholeNote.MatchString(text) {
		r.Note(assembly.Note{Kind: "note", Text: trimNote(text)}, 0)
		return
	}
	var rest strings.Builder
	at := 0
	for _, m := range innerNote.FindAllStringSubmatchIndex(text, -1) {
		rest.WriteString(text[at:m[0]])
		r.Note(assembly.Note{Kind: "interruption", Text: text[m[2]:m[3]]}, rest.Len())
		at = m[1]
	}
	rest.WriteString(text[at:])
	r.Paragraph(assembly.Paragraph{Text: strings.TrimSpace(rest.String())})
}

var eras = map[string]int{"令和": 2018, "平成": 1988, "昭和": 1925, "大正": 1911, "明治": 1867}

var kanjiDigits = strings.NewReplacer("〇", "0", "一", "1", "二", "2", "三", "3", "四", "4", "五", "5", "六", "6", "七", "7", "八", "8", "九", "9")
var kanjiNumber = regexp.MustCompile(`[〇一二三四五六七八九十]+([年月日])`)

// Day finds the first day in a text, in years of an era or of the common one, and
// returns it as YYYY-MM-DD; "" if there is none.
func Day(text string) string {
	text = width.Fold.String(text)
	text = kanjiNumber.ReplaceAllStringFunc(text, func(s string) string {
		unit := []rune(s)
		number := string(unit[:len(unit)-1])
		return strconv.Itoa(kanji(number)) + string(unit[len(unit)-1])
	})
	year, rest := 0, []string(nil)
	if m := eraDay.FindStringSubmatch(text); m != nil {
		n := 1
		if m[2] != "元" {
			n, _ = strconv.Atoi(m[2])
		}
		year, rest = eras[m[1]]+n, m[3:]
	} else if m := plainDay.FindStringSubmatch(text); m != nil {
		year, _ = strconv.Atoi(m[1])
		rest = m[2:]
	} else {
		return ""
	}
	month, _ := strconv.Atoi(rest[0])
	day, _ := strconv.Atoi(rest[1])
	date := fmt.Sprintf("%04d-%02d-%02d", year, month, day)
	if _, err := time.Parse(time.DateOnly, date); err != nil {
		return ""
	}
	return date
}

// kanji reads a number below a hundred, or digits in a row.
func kanji(s string) int {
	tens, ones, has := strings.Cut(s, "十")
	if !has {
		n, _ := strconv.Atoi(kanjiDigits.Replace(s))
		return n
	}
	n := 1
	if tens != "" {
		n, _ = strconv.Atoi(kanjiDigits.Replace(tens))
	}
	last := 0
	if ones != "" {
		last, _ = strconv.Atoi(kanjiDigits.Replace(ones))
	}
	return 10*n + last
}
