package proceedings

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// found is the name of an item in a text: where it stands, with its brackets.
type found struct{ from, to int }

var (
	strongEnd = regexp.MustCompile(`法律案|規則案|規程案|決議案|憲法改正原案|条例案`)
	weakEnd   = regexp.MustCompile(`法案|予算案|補正予算|暫定予算|予算|決算書|計算書|決算|調書|の件|する件|条約|協定|議定書|調査|請願`)
	listEnd   = regexp.MustCompile(`互選|の選挙|の選任|補欠選任|の指名|の指定|演説|に対する質疑|辞任`)
	listSure  = regexp.MustCompile(`^(?:の件|する件|互選|の選挙|の選任|補欠選任|の指名|の指定|演説|に対する質疑)$`)
	treaty    = regexp.MustCompile(`^(?:、|及び|並びに)`)
	textEnd   = regexp.MustCompile(strongEnd.String() + `|` + weakEnd.String())
	anyEnd    = regexp.MustCompile(textEnd.String() + `|` + listEnd.String())
	// several is a word for items, not the name of one.
	several = regexp.MustCompile(`^(?:及び|並びに|よって|に対|を|は)|(?:^|、)本(?:決議|法律|規則|規程|修正)?案$|(?:^|及び|並びに)(?:両|各|` + num + `)(?:法律|法)?案$`)
	// goes is what may follow a name in a sentence; on what shows that a name goes on.
	goes     = regexp.MustCompile(`^(?:、|。|及び|並びに|以上|を|の(?:両|各|` + num + `)?[案件](?:を|に|に|、|の)|の(?:採決|趣旨|両案|両件|各案|各件|` + num + `案|` + num + `件|議案)|について|につき|に対|に賛成|に反対|外` + num + `[案件]|日程第|令和|平成|昭和|は、|○|一、|$)`)
	on       = regexp.MustCompile(`^(?:に関する|起草|の起草|審査|等|の提出|の概要|の委員会|に係る|の審査|の施行|の一部|及び各省各庁)`)
	treaties = regexp.MustCompile(`^(?:条約|協定|議定書)$`)
	list     = regexp.MustCompile(`^(?:令和|平成|昭和|政府参考人|参考人|理事|日程第|国政調査|委員派遣|閉会中|継続|会期|委員会|小委員会|連合審査|公聴会|$)`)
)

// names finds names of items in a text. In a list they may follow one another with
// nothing between.
func (f *Forms) names(x string, listed bool) []found {
	var out []found
	for pos := 0; pos < len(x); {
		if m := f.Lead.FindString(x[pos:]); m != "" && !listed {
			pos += len(m)
		} else if m := dayRef.FindString(x[pos:]); m != "" {
			pos += len(m)
		}
		end := nameEnd(x, pos, listed)
		if end < 0 {
			break
		}
		to := behindBrackets(x, end)
		name := x[pos:end]
		if n := utf8.RuneCountInString(name); n >= 4 && n <= 200 && !strings.Contains(name, "一、") && f.kind(f.item(x[pos:to]).Name) != "" && !strings.ContainsAny(name, "。〔〕") && !several.MatchString(name) && !(listed && strings.Contains(name, "挨拶")) {
			out = append(out, found{pos, to})
		}
		pos = to
	}
	return out
}

func nameEnd(x string, pos int, listed bool) int {
	ends := textEnd
	if listed {
		ends = anyEnd
	}
	for _, at := range ends.FindAllStringIndex(x[pos:], -1) {
		end := pos + at[1]
		if at[1] < len("一二三四") {
			continue
		}
		rest := x[behindBrackets(x, end):]
		strong := strongEnd.MatchString(x[pos+at[0] : end])
		switch {
		case on.MatchString(rest):
		case treaties.MatchString(x[pos+at[0]:end]) && treaty.MatchString(rest):
		case !listed && goes.MatchString(rest), listed && list.MatchString(rest):
			return end
		case strong && !particle(rest), listed && listSure.MatchString(x[pos+at[0]:end]) && !particle(rest):
			return end
		}
	}
	return -1
}

// particle tells whether a text goes on with hiragana, so that what stands before it
// goes on as well.
func particle(rest string) bool {
	r, _ := utf8.DecodeRuneInString(rest)
	return unicode.Is(unicode.Hiragana, r)
}

// behindBrackets is where the brackets end that follow a place.
func behindBrackets(x string, at int) int {
	for strings.HasPrefix(x[at:], "（") {
		end := closing(x[at:], '（')
		if end == 0 {
			break
		}
		at += end
	}
	return at
}

// mentioned returns the items that a text names, in the order of the agenda. A name
// within a longer one does not count.
func (r *reader) mentioned(x string) []int {
	type hit struct{ item, from, to int }
	var hits []hit
	for i := range r.p.Items {
		base := strings.TrimSuffix(r.p.Items[i].base, "起草の件")
		if utf8.RuneCountInString(base) < 4 {
			continue
		}
		for at := 0; ; {
			n := strings.Index(x[at:], base)
			if n < 0 {
				break
			}
			hits = append(hits, hit{i, at + n, at + n + len(base)})
			at += n + len(base)
		}
	}
	var out []int
	for _, h := range hits {
		inside := slices.ContainsFunc(hits, func(o hit) bool {
			return o.from <= h.from && o.to >= h.to && o.to-o.from > h.to-h.from
		})
		if !inside && !slices.Contains(out, h.item) && (!on.MatchString(x[h.to:]) || strings.HasPrefix(x[h.to:], "起草")) && !longer(x, h.from) {
			out = append(out, h.item)
		}
	}
	slices.Sort(out)
	return out
}

// before is what may stand directly before a name.
var before = regexp.MustCompile(`(?:及び|並びに|日程第` + num + `|第` + num + `号?|提出|送付|回付|今回|本日|以上|今期|○)$`)

// longer tells whether the name at a place is only the end of a longer one, as in
// 「地方税法及び地方税法等の一部を改正する法律の一部を改正する法律案」.
func longer(x string, from int) bool {
	r, n := utf8.DecodeLastRuneInString(x[:from])
	if n == 0 || r == '、' || r == '。' || r == '）' || r == '」' || r == '「' || r == '案' || r == '算' || r == '件' {
		return false
	}
	if before.MatchString(x[:from]) {
		return false
	}
	return unicode.In(r, unicode.Han, unicode.Katakana)
}
