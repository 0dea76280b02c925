package proceedings

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// speech is a speech made ready for reading.
type speech struct {
	Speech
	text
	head  bool
	label string // what the record calls its speaker, such as 委員長（鈴木一郎君）
	role  string // of it, what the speaker is here: 委員長, 国務大臣, 君
	body  int    // where its words begin in the flat text
	parts []sentence
	chair bool
}

// marks begin a label.
const marks = "○〇◯◎●"

var (
	bracketed = regexp.MustCompile(`^([^（）。、]{1,40})（([^（）]{1,24}?)(君|さん|氏)?）`)
	honorific = regexp.MustCompile(`^(?:君|さん|氏)`)
	roleWords = regexp.MustCompile(`^(?:（[^（）]{1,6}）)?((?:小)?委員長代理|(?:小)?委員長|議長|副議長|会長代理|会長|主査代理|主査|座長|委員|議員|内閣総理大臣臨時代理|内閣総理大臣|国務大臣|[\p{Han}ァ-ヶー・]{0,16}?(?:副大臣|大臣政務官|大臣|官房副長官|政務官)|政府特別補佐人|政府参考人|政府委員|説明員|参考人|公述人|証人|意見陳述者|最高裁判所長官代理者|会計検査院[\p{Han}]{0,10}?長|事務総長|事務次長|国立国会図書館長|法制局長|[\p{Han}]{0,10}?(?:専門員|部長|局長|課長)|君|さん|氏)`)
)

// open reads a speech's label and cuts its words into sentences.
func (r *reader) open(raw *Speech) *speech {
	s := &speech{Speech: *raw, text: flatten(raw.Text)}
	s.Speaker = squeeze(raw.Speaker)
	s.head = s.Speaker == r.f.Head
	if s.head {
		return s
	}
	mark, n := utf8.DecodeRuneInString(s.flat)
	if n > 0 && strings.ContainsRune(marks, mark) {
		s.readLabel(s.flat[n:], n)
	}
	if s.role == "" {
		s.role = squeeze(raw.Position)
	}
	s.chair = r.f.Chairs.MatchString(s.role) || s.role == "" && r.f.Chairs.MatchString(squeeze(raw.Role))
	s.parts = s.sentences(s.body)
	return s
}

func (s *speech) readLabel(rest string, skip int) {
	take := func(n int, role string) {
		s.label, s.role, s.body = rest[:n], role, skip+n
	}
	if m := bracketed.FindStringSubmatch(rest); m != nil && (m[3] != "" && (s.Speaker == "" || nameFits(m[2], s.Speaker)) || m[2] == s.Speaker && m[2] != "") {
		take(len(m[0]), m[1])
		return
	}
	if s.Speaker != "" {
		if after, ok := strings.CutPrefix(rest, s.Speaker); ok {
			role := "君"
			n := len(s.Speaker)
			if m := honorific.FindString(after); m != "" {
				n += len(m)
			} else if m := roleWords.FindStringSubmatch(after); m != nil {
				role, n = m[1], n+len(m[0])
			}
			take(n, role)
			return
		}
		for end := len(s.Speaker); end > 0; {
			_, n := utf8.DecodeLastRuneInString(s.Speaker[:end])
			end -= n
			if after, ok := strings.CutPrefix(rest, s.Speaker[:end]); ok && end > 0 {
				if m := roleWords.FindStringSubmatch(after); m != nil {
					take(end+len(m[0]), m[1])
					return
				}
			}
		}
	}
	// The label of a name in other characters ends at the first space.
	if len(s.cuts) > 1 && s.cuts[1].flat > skip && s.cuts[1].flat < 120 {
		n := s.cuts[1].flat - skip
		role := ""
		if m := roleWords.FindStringSubmatch(trimName(rest[:n])); m != nil {
			role = m[1]
		}
		take(n, role)
	}
}

// trimName leaves of a label the end that may be a role.
func trimName(label string) string {
	for i := range label {
		if m := roleWords.FindString(label[i:]); m != "" && i+len(m) == len(label) {
			return label[i:]
		}
	}
	return ""
}

// nameFits tells whether a name in a label is that of the speaker.
func nameFits(label, speaker string) bool {
	return label == speaker || strings.Contains(label, speaker) || strings.Contains(speaker, label) ||
		utf8.RuneCountInString(label) > 1 && []rune(label)[0] == []rune(speaker)[0]
}

func (s *speech) str(x sentence) string { return s.flat[x.from:x.to] }

func (s *speech) passage(x sentence) Passage { return s.span(s.Order, x.from, x.to) }

// calls returns who a chair's sentence calls to speak: 「財務大臣加藤勝信君。」.
func calls(x string) string {
	for _, end := range []string{"君。", "さん。", "氏。"} {
		if name, ok := strings.CutSuffix(x, end); ok && !strings.ContainsAny(name, "、「」") && utf8.RuneCountInString(name) < 40 {
			return name
		}
	}
	return ""
}
