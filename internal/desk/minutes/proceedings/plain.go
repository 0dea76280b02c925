package proceedings

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// endings are formal ends of sentences and what they are in plain style; the first that
// fits counts.
var endings = []struct{ formal, plain string }{
	{"させていただきます。", "する。"}, {"させていただきました。", "した。"},
	{"のではないでしょうか。", "のではないか。"}, {"のでしょうか。", "のか。"}, {"いかがでしょうか。", "どうか。"}, {"でしょうか。", "だろうか。"},
	{"ところでございます。", "ところだ。"}, {"ものでございます。", "ものだ。"}, {"ことでございます。", "ことだ。"}, {"でございます。", "である。"},
	{"ところであります。", "ところだ。"}, {"であります。", "である。"},
	{"ておりません。", "ていない。"}, {"ております。", "ている。"}, {"でおります。", "でいる。"},
	{"ていません。", "ていない。"}, {"ています。", "ている。"}, {"てまいります。", "ていく。"}, {"ていきます。", "ていく。"},
	{"と考えます。", "と考える。"}, {"と思います。", "と思う。"}, {"と存じます。", "と思う。"},
	{"いたしました。", "した。"}, {"いたします。", "する。"}, {"しました。", "した。"}, {"しません。", "しない。"}, {"します。", "する。"},
	{"されました。", "された。"}, {"されます。", "される。"}, {"なりました。", "なった。"}, {"なります。", "なる。"},
	{"できません。", "できない。"}, {"できます。", "できる。"}, {"ございません。", "ない。"}, {"ございます。", "ある。"},
	{"ありません。", "ない。"}, {"あります。", "ある。"}, {"ありました。", "あった。"},
	{"のです。", "のだ。"}, {"んです。", "のだ。"}, {"ものです。", "ものだ。"}, {"ことです。", "ことだ。"}, {"ところです。", "ところだ。"}, {"べきです。", "べきだ。"}, {"ないです。", "ない。"}, {"たいです。", "たい。"},
	{"でした。", "だった。"},
}

// within are formal words inside of sentences.
var within = strings.NewReplacer(
	"ておりまして、", "ていて、", "でございまして、", "であり、", "でありまして、", "であり、", "いたしまして、", "して、", "しまして、", "して、",
	"ておりますが、", "ているが、", "でございますが、", "であるが、", "でありますが、", "であるが、", "と思いますが、", "と思うが、", "いたしますとともに、", "するとともに、", "しますとともに、", "するとともに、",
	"につきましては、", "については、", "におきましては、", "では、", "におきまして、", "で、", "によりまして、", "によって、", "に当たりましては、", "に当たっては、", "といたしましては、", "としては、", "といたしまして、", "として、",
	"御指摘", "指摘", "御説明", "説明", "御質問", "質問", "御意見", "意見", "御議論", "議論", "御理解", "理解", "御提案", "提案", "御審議", "審議",
)

var formalLeft = regexp.MustCompile(`ます|です|ございま|まして|ました|ません|いただ|申し上げ|賜`)

// plainly says a formal sentence in plain style; false if the rules cannot.
func plainly(s string) (string, bool) {
	out := within.Replace(s)
	for _, e := range endings {
		if head, ok := strings.CutSuffix(out, e.formal); ok {
			if e.formal == "いたします。" && (strings.HasSuffix(head, "お願い") || strings.HasSuffix(head, "お答え")) {
				return "", false
			}
			out = head + e.plain
			if formalLeft.MatchString(out) || out == s {
				return "", false
			}
			return out, true
		}
	}
	return "", false
}

// plainOutcome says what was decided on an item in plain words; "" if rules cannot.
func plainOutcome(it *Item) string {
	if !weighty(it.Kind) || it.Vote == nil || it.Amended {
		return ""
	}
	what := ""
	switch {
	case it.Outcome == Passed && it.Proposed:
		what = "委員会は「" + it.Name + "」を可決したほうがよいと決めた。"
	case it.Outcome == Passed:
		what = "「" + it.Name + "」を認めた。"
	case it.Outcome == Rejected && !it.Proposed:
		what = "「" + it.Name + "」を認めなかった。"
	default:
		return ""
	}
	how := ""
	switch v := it.Vote; {
	case v.Result == "numbers" && len(v.Counts) == 0:
		how = "賛成は" + strconv.Itoa(v.For) + "票、反対は" + strconv.Itoa(v.Against) + "票だった。"
	case v.Method == "no_objection":
		how = "反対の声はなかった。"
	case v.Result == "unanimous":
		how = "採決に加わった全員が賛成した。"
	case v.Method == "standing" && v.Result == "majority":
		how = "立って賛成を示した人が多かった。"
	case v.Method == "hands" && v.Result == "majority":
		how = "手を挙げて賛成を示した人が多かった。"
	case v.Result == "minority":
		how = "賛成した人は少なかった。"
	}
	return what + how
}

// plain is the summary in plain words: the outcomes and the purpose, where rules can
// say them.
func (w *teller) plain(t *Told) {
	var text []string
	var orders []int
	for _, it := range w.main() {
		if s := plainOutcome(it); s != "" && len(text) < 3 {
			text = append(text, s)
			orders = append(orders, it.Decision.Order)
			if purpose, ok := w.purpose(it); ok && utf8.RuneCountInString(purpose) < 120 {
				if p, ok := plainly(purpose); ok {
					text = append(text, p)
					orders = append(orders, it.explained)
				}
			}
		}
	}
	t.Plain = Cited{uniq(orders), strings.Join(text, "")}
}
