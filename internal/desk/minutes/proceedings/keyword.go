package proceedings

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxKeywords is how many keywords a meeting has at most.
const maxKeywords = 12

var (
	lawOf = regexp.MustCompile(`^(.{2,30}?法)(?:等)?の一部を改正する`)
	// filler is no keyword: what every meeting speaks of, and what is only said.
	filler  = regexp.MustCompile(`^(?:御|お|我々|皆|私|各|本|両|同|今|昨|先|次|前|以|何|第|全|当|約|数|大変|非常|必要|重要|問題|質問|答弁|議論|説明|委員|大臣|政府|総理|国会|議員|会派|法案|法律|予算案|制度|状況|検討|対応|対策|実施|取組|関係|理解|認識|指摘|意味|場合|部分|内容|方針|具体|一方|結果|状態|段階|可能|確認|発言|意見|基本|現在|現状|課題|影響|様々|自分|国民|日本|我が国|時間|年度|年間|参考人|政務官|副大臣|局長|総裁|理事|審議官|拍手|異議|起立|賛成|反対|採決|討論|質疑|会議|散会|休憩|開会|委員長|議長|会長|委員会|令和|平成|昭和|一部|改正|規定|措置|趣旨|提案|理由|審査|報告|本日|午前|午後|資料|配付|先生|皆様|方々|観点|方向|立場|考え|形|点|中|上|間|場|話|者|人|国)`)
	endsBad = regexp.MustCompile(`(?:的|等|化|性|中|上|下|内|外|間|後|前|時|際|者|方|側|別|毎|以上|以下|申|致|頂|参|伺|存|答弁|質問|委員|議員|大臣|君|氏|円|年|月|日|人|名|件|回|号|条|項|割|倍|％|番)$`)
	numeric = regexp.MustCompile(`[〇一二三四五六七八九十百千万億兆0-9０-９]`)
)

// keywords are names: the items, the laws that they change, and what is spoken of most.
func (w *teller) keywords() []string {
	var out []string
	add := func(k string) {
		if n := utf8.RuneCountInString(k); len(out) < maxKeywords && n >= 2 && n <= 60 && !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	for _, it := range w.byRank() {
		if weighty(it.Kind) {
			add(it.Name)
			if m := lawOf.FindStringSubmatch(it.Name); m != nil && !strings.Contains(m[1], "及び") {
				add(m[1])
			}
		}
	}
	for i := range w.p.Items {
		if it := &w.p.Items[i]; it.Kind == "investigation" || it.Kind == "election" && len(it.Persons) > 0 {
			add(it.base)
		}
	}
	for _, k := range w.frequent() {
		if len(out) >= maxKeywords-2 {
			break
		}
		if !slices.ContainsFunc(out, func(o string) bool { return strings.Contains(o, k) || strings.Contains(k, o) }) {
			add(k)
		}
	}
	return out
}

// frequent are the compounds that several people say several times, most said first.
func (w *teller) frequent() []string {
	type word struct {
		text     string
		count    int
		speakers []string
	}
	found := map[string]*word{}
	var all []*word
	names := map[string]bool{}
	for _, p := range w.p.People {
		names[p.Name] = true
	}
	for _, turn := range w.p.Turns {
		s := w.p.speech[turn.Order]
		if s == nil || s.head || turn.Kind == "procedure" || turn.Kind == "motion" {
			continue
		}
		for _, n := range nouns(s.flat[s.body:]) {
			c := found[n]
			if c == nil {
				c = &word{text: n}
				found[n], all = c, append(all, c)
			}
			c.count++
			if !slices.Contains(c.speakers, s.Speaker) {
				c.speakers = append(c.speakers, s.Speaker)
			}
		}
	}
	all = slices.DeleteFunc(all, func(c *word) bool {
		return c.count < 3 || len(c.speakers) < 2 || names[c.text] || slices.ContainsFunc(w.p.People, func(p Person) bool {
			return strings.HasPrefix(p.Name, c.text) || strings.Contains(p.Office, c.text) || strings.Contains(p.Group, c.text)
		})
	})
	slices.SortStableFunc(all, func(a, b *word) int {
		return b.count*len(b.speakers)*utf8.RuneCountInString(b.text) - a.count*len(a.speakers)*utf8.RuneCountInString(a.text)
	})
	var out []string
	for _, c := range all {
		out = append(out, c.text)
	}
	return out
}

// after is what follows a whole noun: a particle or a mark, never the rest of a verb.
const after = "はがをにのともやでへ、。」），．・"

// nouns are the compounds of a text: runs of kanji or katakana of four characters and
// more, between particles.
func nouns(t string) []string {
	var out []string
	start := -1
	flush := func(end int) {
		if start < 0 {
			return
		}
		word := t[start:end]
		next, _ := utf8.DecodeRuneInString(t[end:])
		start = -1
		if n := utf8.RuneCountInString(word); n < 4 || n > 14 || !strings.ContainsRune(after, next) || filler.MatchString(word) || endsBad.MatchString(word) || numeric.MatchString(word) {
			return
		}
		if strings.HasPrefix(t[end:], "でき") || strings.HasPrefix(t[end:], "はかる") {
			return
		}
		out = append(out, word)
	}
	for i, r := range t {
		if unicode.Is(unicode.Han, r) || unicode.Is(unicode.Katakana, r) || r == 'ー' || r == '々' || r == 'ヶ' || r >= 'Ａ' && r <= 'Ｚ' || r >= 'A' && r <= 'Z' {
			if start < 0 {
				start = i
			}
			continue
		}
		flush(i)
	}
	flush(len(t))
	return out
}

// glossary explains the words of parliament that the texts use.
var glossary = []Term{
	{"附帯決議", "法律案などを可決するときに、運用についての希望や注意を示すために付ける決議。"},
	{"修正議決", "もとの案の一部を直して可決すること。"},
	{"起立多数", "立って賛成を示した人が過半数であること。"},
	{"挙手多数", "手を挙げて賛成を示した人が過半数であること。"},
	{"全会一致", "出席して採決に加わった全員が賛成したこと。"},
	{"趣旨説明", "提出した人が、その案の目的や内容を説明すること。"},
	{"政府参考人", "委員会の求めで説明や答弁をする行政機関の職員。"},
	{"参考人", "議会が意見を聴くために招いた人。"},
	{"可決すべきものと決定", "委員会が、本会議で可決するのがよいと決めること。"},
	{"継続審査", "会期が終わったあとも審査を続けること。"},
	{"記名投票", "議員が名前を示して賛否を投じる採決の方法。"},
}

// maxTerms is how many words are explained.
const maxTerms = 8

// terms are the words of the texts that are explained: the parliament's own.
func (w *teller) terms(t *Told) []Term {
	text := t.Title + t.Summary.Text + strings.Join(t.KeyPoints, "")
	var out []Term
	for _, g := range glossary {
		if len(out) < maxTerms && g.Definition != "" && strings.Contains(text, g.Term) && !slices.ContainsFunc(out, func(o Term) bool { return o.Term == g.Term }) {
			out = append(out, g)
		}
	}
	return out
}
