package proof

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

func (c *checker) names() {
	if c.l.lang == "ja" {
		c.namesJapanese()
	} else {
		c.namesEnglish()
	}
}

var (
	jaBill   = regexp.MustCompile(`[\p{Han}\p{Katakana}ー・]*(?:法律案|法案|条例案|予算案|改正案|決議案|条例|議案|基本法|特別措置法|推進法|支援法|保護法|法)`)
	jaProper = set("市 町 村 区 県 駅 川 港 橋 線 社 党 会 省 庁 局 課 センター 大学 病院 協会 組合 機構 財団 学校 小学校 中学校 高校 公園 空港 島 山 湖 通り 団地 委員会 審議会 研究所 事業 計画 条例 ホール 図書館 協定 条約 鉄道 銀行 新聞 署 支部 連盟 連合 会議 プラン 制度")
)

func (c *checker) namesJapanese() {
	l := c.l
	said := map[string]bool{}
	report := func(class Class, text, reason string) {
		if !said[text] {
			said[text] = true
			c.add(class, text, NotFound, because(reason, text), nil)
		}
	}
	for i := range l.words {
		w := &l.words[i]
		if c.inQuote(w.span) || w.kind != name || len([]rune(w.text)) < 2 && !katakana(w.text) {
			continue
		}
		if c.hay.has(bare(w.text)) {
			if !said[w.text] {
				said[w.text] = true
				c.add(Name, w.text, Supported, because("found"), nil)
			}
			continue
		}
		if long, ok := jaAlias[w.text]; ok && c.hay.has(long) || c.inContext(w) {
			continue
		}
		if c.sources[0].Speaker == "" && i+1 < len(l.words) && (l.words[i+1].text == "氏" || l.words[i+1].text == "さん") {
			report(Speaker, w.text, "name_absent")
			continue
		}
		if c.officeShort(w) || c.before.has(bare(w.text)) && !c.record.isPerson(w.text) {
			continue
		}
		report(Name, w.text, "name_absent")
	}
	c.topicJapanese(report)
	// Compounds that end like the name of a place, a body or a law.
	for i := 0; i < len(l.words); i++ {
		if !l.compound(i) {
			continue
		}
		from := i
		for i+1 < len(l.words) && l.compound(i+1) && l.words[i+1].span.from == l.words[i].span.to {
			i++
		}
		text := l.string(span{l.words[from].span.from, l.words[i].span.to})
		last := l.words[i].text
		if from < i && l.words[from].kind == content && !l.words[from].generic && !jaGroups[l.words[from].base] && len([]rune(l.words[from].text)) >= 2 && !c.inQuote(l.words[from].span) && !c.inMentionOf(l.words[from].span) &&
			!c.foundWord(&l.words[from]) && c.compounded(l.string(span{l.words[from].span.to, l.words[i].span.to})) {
			report(Name, text, "name_absent") // 給食費 where the passage has 医療費
			continue
		}
		if from == i && !jaBill.MatchString(text) || c.inQuote(l.words[from].span) || c.inMentionOf(l.words[from].span) {
			continue
		}
		bill := strings.HasSuffix(text, "法案") || strings.HasSuffix(text, "法律案") || strings.HasSuffix(text, "条例案") || strings.HasSuffix(text, "法") || strings.HasSuffix(text, "条例") || strings.HasSuffix(text, "予算案") || strings.HasSuffix(text, "予算") || strings.HasSuffix(text, "改正案") || strings.HasSuffix(text, "決議案")
		if !bill && !jaProper[last] {
			continue
		}
		class := Name
		if bill {
			class = Bill
		}
		if c.hay.has(bare(text)) || bill && (c.pieces(text) || c.item(text)) || !bill && c.before.has(bare(text)) {
			c.add(class, text, Supported, because("found"), nil)
			continue
		}
		for j := from; j <= i; j++ {
			w := &l.words[j]
			if jaProper[w.text] || jaBillWord[w.text] || c.hay.has(bare(w.text)) || c.known(w) || c.pieces(w.text) || bill && c.kin(w) || !bill && c.before.has(bare(w.text)) {
				continue
			}
			if bill {
				report(Bill, text, "bill_absent")
			} else {
				report(Name, text, "name_absent")
			}
			break
		}
	}
	c.stagesJapanese(report)
}

// quotedText tells whether words stand in a quotation of the sentence.
func (c *checker) quotedText(text string) bool {
	for _, q := range slices.Concat(c.quoted, c.matters) {
		if strings.Contains(c.l.string(q), text) {
			return true
		}
	}
	return false
}

// topicJapanese checks that the passages speak of what the sentence is about: the nouns before its first は.
func (c *checker) topicJapanese(report func(Class, string, string)) {
	l := c.l
	for i := range l.words {
		w := &l.words[i]
		if w.text == "」" || w.text == "が" || w.text == "で" {
			return
		}
		if w.text != "は" && w.text != "、" || i == 0 {
			continue
		}
		any := false // one word of the compound is known
		for j := i - 1; j >= 0 && l.words[j].kind != function; j-- {
			t := &l.words[j]
			any = any || jaGroups[t.base] || c.hay.has(bare(t.text)) || c.before.has(bare(t.text)) || c.kin(t)
		}
		head, first := &l.words[i-1], i-1
		for first > 0 && l.words[first-1].kind != function {
			first--
		}
		if any && first < i-1 && l.words[first].kind == content && !jaGroups[l.words[first].base] && !c.foundWord(&l.words[first]) && c.compounded(l.string(span{l.words[first].span.to, head.span.to})) {
			report(Name, l.string(span{l.words[first].span.from, head.span.to}), "name_absent") // 松原電機 for 東和電機
			return
		}
		if any && (head.kind != content || head.generic || jaGroups[head.base] || head.pred || c.inMentionOf(head.span) || c.inQuote(head.span) || c.foundWord(head) || len([]rune(head.text)) < 2) {
			return
		}
		for j := i - 1; j >= 0 && l.words[j].kind != function; j-- {
			t := &l.words[j]
			if t.kind != content || t.generic || t.pred || c.inMentionOf(t.span) || c.inQuote(t.span) || jaGroups[t.base] {
				continue
			}
			if c.hay.has(bare(t.text)) || c.before.has(bare(t.text)) || c.known(t) || c.kin(t) {
				continue
			}
			report(Name, t.text, "name_absent")
		}
		return
	}
}

func (c *checker) foundWord(w *word) bool {
	return c.hay.has(bare(w.text)) || c.before.has(bare(w.text)) || c.kin(w) || c.pieces(w.text)
}

// compounded tells whether the passages have a word as the end of a longer one.
func (c *checker) compounded(text string) bool {
	for _, hay := range []stack{c.hay, c.before} {
		in, at := hay.find(bare(text))
		if in == nil || at == 0 {
			continue
		}
		if last, _ := utf8.DecodeLastRuneInString(in.text[:at]); isKanji(last) || katakana(string(last)) {
			return true
		}
	}
	return false
}

// jaGroups are who a sentence may be about without being named in the passages.
var jaGroups = set("議題 政府 国 市 県 町 村 区 都 府 道 同社 同市 与党 野党 両者 質問者 答弁者 議会 国会 当局 側 担当者 関係者 会社 企業 住民 市民 法案 議案 委員会 本会議 会議 団体 男性 女性 代表 社長 首相 大臣 団体 利用者 対象 内容 金額 額 数 者 率 割合 費用 理由 原因 目的")

// kin tells whether a cited passage has a word that shares its meaning in part.
func (c *checker) kin(w *word) bool {
	for _, l := range c.lines {
		for i := range l.words {
			if s, _ := match(w, &l.words[i]); s >= kindred {
				return true
			}
		}
	}
	return false
}

// jaAlias are short forms of names.
var jaAlias = map[string]string{"衆院": "衆議院", "参院": "参議院"}

var jaBillWord = set("新 新年度 年度 当初 法案 法律案 条例案 法律 法 条例 案 改正 改正案 一部 予算案 予算 議案 決議案 の 決議")

// known tells whether a cited passage has a word, or one that stands for it, with the same meaning.
func (c *checker) known(w *word) bool {
	for _, l := range c.lines {
		for i := range l.words {
			if s, opposed := match(w, &l.words[i]); s >= synonym && !opposed {
				return true
			}
		}
	}
	return false
}

// pieces tells whether all characters of a short form stand in the passages near each other.
func (c *checker) pieces(text string) bool { return c.hay.pieces(text) }

// compound tells of words that can be part of a compound name.
func (l *line) compound(i int) bool {
	w := &l.words[i]
	if w.kind == figure || w.text == "" {
		return false
	}
	r := []rune(w.text)
	for _, x := range r {
		if !isKanji(x) && !katakana(string(x)) && x != '々' {
			return false
		}
	}
	return w.kind != function || jaProper[w.text] || jaBillWord[w.text] || len(r) > 0 && isKanji(r[0]) && len(r) <= 2 && !jaPlain[w.text]
}

var jaPlain = set("等 的 後 前 中 内 外 上 下 間 者 方 側 年 月 日 人 名 件 回 約 計 各 両 同 本 当")

func (c *checker) inMentionOf(s span) bool {
	for _, m := range c.mentions {
		if s.from >= m.span.from && s.from < m.span.to {
			return true
		}
	}
	return false
}

// officeShort tells whether a word is part of an office that was checked as such.
func (c *checker) officeShort(w *word) bool {
	for _, p := range c.record.people {
		for _, o := range p.offices {
			if subsequence(w.text, o) && c.inMentionOf(w.span) {
				return true
			}
		}
	}
	return false
}
