package proof

import (
	"regexp"
	"slices"
	"strings"
)

// ---- offices and parties

func (c *checker) offices() {
	if c.l.lang == "ja" {
		c.titles()
	}
	for _, m := range c.mentions {
		if c.inQuote(m.span) {
			continue
		}
		if m.title != "" {
			c.office(m)
		}
		if m.party != "" && len(m.people) > 0 {
			c.party(m)
		}
	}
}

// titles checks the offices that a Japanese sentence names beside no speaker.
func (c *checker) titles() {
	s := string(c.l.text[c.l.span.from:c.l.span.to])
	offsets := runeOffsets(s)
	for _, m := range jaRankAlone.FindAllStringIndex(s, -1) {
		where := span{c.l.span.from + offsets[m[0]], c.l.span.from + offsets[m[1]]}
		text := s[m[0]:m[1]]
		if c.inMentionOf(where) || c.inQuote(where) {
			continue
		}
		if !strings.Contains(c.hay, text) && !strings.Contains(c.before, text) && !slices.ContainsFunc(c.record.people, func(p *person) bool { return p.holds(text) == yes && len(p.offices) > 0 }) {
			c.add(Office, text, NotFound, because("office_absent", text, text), nil)
		}
	}
}

var jaRankAlone = func() *regexp.Regexp {
	re := regexp.MustCompile(jaRanks)
	re.Longest()
	return re
}()

func (c *checker) office(m mention) {
	holds := func(p *person) answer {
		if p.japanese {
			return p.holds(m.title)
		}
		return p.holdsEnglish(m.title)
	}
	best, who := no, (*person)(nil)
	for _, p := range m.people {
		if a := holds(p); who == nil || a > best {
			best, who = a, p
		}
	}
	title := m.title
	switch {
	case who == nil:
		// Nobody who speaks has it: the text may speak of whoever does.
		if c.titleInText(title) || c.heldByOther(title, nil) {
			c.add(Office, title, Supported, because("found"), nil)
		} else {
			c.add(Office, title, NotFound, because("office_absent", title, title), nil)
		}
	case best == yes:
		c.add(Office, title, Supported, because("found"), nil)
	case best == unknown && c.heldByOther(title, who):
		c.add(Office, title, Contradicted, because("office_other", who.full, strings.Join(append(slices.Clone(who.offices), who.parties...), ", "), title), nil)
	case c.titleInText(title) && (best == unknown || strings.Contains(c.hay, bare(who.family+title)) || strings.Contains(c.hay, bare(title+who.family)) || strings.Contains(c.hay, bare(title+who.full))):
		c.add(Office, title, Supported, because("found"), nil)
	case best == unknown:
		c.add(Office, title, NotFound, because("office_absent", who.full, title), nil)
	default:
		c.add(Office, title, Contradicted, because("office_other", who.full, strings.Join(append(slices.Clone(who.offices), who.parties...), ", "), title), nil)
	}
}

// heldByOther tells whether somebody else has an office in the record.
func (c *checker) heldByOther(title string, who *person) bool {
	return slices.ContainsFunc(c.record.people, func(p *person) bool {
		return p != who && len(p.offices) > 0 && (p.japanese && p.holds(title) == yes || !p.japanese && p.holdsEnglish(title) == yes)
	})
}

// titleInText tells whether the words of an office stand in the passages.
func (c *checker) titleInText(title string) bool {
	if language(title) == "ja" {
		return strings.Contains(c.hay, bare(title)) || c.pieces(title)
	}
	for _, w := range strings.Fields(strings.ToLower(title)) {
		w = strings.TrimSuffix(w, "'s")
		if englishLexicon().stop[w] || enMember[w] {
			continue
		}
		if !c.hayWords[stem(w)] && !same(englishLexicon(), stem(w), c.hayWords) && !strings.Contains(c.before, w) {
			return false
		}
	}
	return true
}

func (c *checker) party(m mention) {
	if language(m.party) == "ja" && jaTitle.MatchString(m.party) && m.title == "" {
		m.title, m.party = m.party, ""
		c.office(m)
		return
	}
	if m.party == "同" || regexp.MustCompile(`^[0-9]+歳?$`).MatchString(m.party) {
		return
	}
	for _, p := range m.people {
		for _, party := range p.parties {
			if sameParty(m.party, party) {
				c.add(Office, m.party, Supported, because("found"), nil)
				return
			}
		}
		if !p.japanese && p.holdsEnglish(m.party) == yes {
			c.add(Office, m.party, Supported, because("found"), nil)
			return
		}
	}
	who := m.people[0]
	switch {
	case len(who.parties) > 0:
		c.add(Office, m.party, Contradicted, because("party_other", who.full, strings.Join(who.parties, ", "), m.party), nil)
	case slices.ContainsFunc(c.record.people, func(p *person) bool {
		return !slices.Contains(m.people, p) && slices.ContainsFunc(p.parties, func(party string) bool { return sameParty(m.party, party) })
	}):
		c.add(Office, m.party, Contradicted, because("party_other", who.full, strings.Join(who.offices, ", "), m.party), nil)
	case strings.Contains(c.hay, bare(m.party)):
		c.add(Office, m.party, Supported, because("found"), nil)
	default:
		c.add(Office, m.party, NotFound, because("office_absent", who.full, m.party), nil)
	}
}

// ---- names, bills and stages

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
		if strings.Contains(c.hay, bare(w.text)) {
			if !said[w.text] {
				said[w.text] = true
				c.add(Name, w.text, Supported, because("found"), nil)
			}
			continue
		}
		if long, ok := jaAlias[w.text]; ok && strings.Contains(c.hay, long) || c.inContext(w) {
			continue
		}
		if c.cited[0].Speaker == "" && i+1 < len(l.words) && (l.words[i+1].text == "氏" || l.words[i+1].text == "さん") {
			report(Speaker, w.text, "name_absent")
			continue
		}
		if c.officeShort(w) || strings.Contains(c.before, bare(w.text)) && !c.record.isPerson(w.text) {
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
		if strings.Contains(c.hay, bare(text)) || bill && (c.pieces(text) || c.item(text)) || !bill && strings.Contains(c.before, bare(text)) {
			c.add(class, text, Supported, because("found"), nil)
			continue
		}
		for j := from; j <= i; j++ {
			w := &l.words[j]
			if jaProper[w.text] || jaBillWord[w.text] || strings.Contains(c.hay, bare(w.text)) || c.known(w) || c.pieces(w.text) || bill && c.kin(w) || !bill && strings.Contains(c.before, bare(w.text)) {
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
	for i := range l.words {
		w := &l.words[i]
		if !japaneseLexicon().stage[w.text] || c.inQuote(w.span) {
			continue
		}
		if w.text == "成立" && !strings.Contains(c.hay, "成立") {
			report(Stage, w.text, "stage_absent")
			continue
		}
		if w.pred && c.happens(w) || !w.pred && (strings.Contains(c.hay, bare(w.text)) || c.known(w)) {
			c.add(Stage, w.text, Supported, because("found"), nil)
		} else {
			report(Stage, w.text, "stage_absent")
		}
	}
	text := l.string(l.span)
	if top := align(&part{l: l, words: l.contents()}, c.lines); top.top() >= 0 { // which of the two bodies
		from := string(top.lines[top.top()].text[top.lines[top.top()].span.from:top.lines[top.top()].span.to])
		for _, body := range [][2]string{{"本会議", "委員会"}, {"委員会", "本会議"}} {
			if strings.Contains(text, body[0]) && !strings.Contains(text, body[1]) && strings.Contains(from, body[1]) && !strings.Contains(from, body[0]) {
				report(Stage, body[0], "stage_absent")
			}
		}
	}
	for _, stage := range jaStages {
		if strings.Contains(text, stage) && !c.quotedText(stage) && !strings.Contains(c.hay, stage) && !(len(stage) > len("本会議") && c.pieces(stage)) {
			report(Stage, stage, "stage_absent")
		}
	}
}

var jaStages = []string{"本会議", "委員会", "趣旨説明", "継続審査", "附帯決議", "閉会中審査", "公聴会", "両院協議会", "一般質問", "代表質問", "閣議決定", "施行", "公布", "付託"}

// quotedText tells whether words stand in a quotation of the sentence.
func (c *checker) quotedText(text string) bool {
	for _, q := range c.quoted {
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
			any = any || jaGroups[t.base] || strings.Contains(c.hay+c.before, bare(t.text)) || c.kin(t)
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
			if strings.Contains(c.hay, bare(t.text)) || strings.Contains(c.before, bare(t.text)) || c.known(t) || c.kin(t) {
				continue
			}
			report(Name, t.text, "name_absent")
		}
		return
	}
}

func (c *checker) foundWord(w *word) bool {
	return strings.Contains(c.hay, bare(w.text)) || strings.Contains(c.before, bare(w.text)) || c.kin(w) || c.pieces(w.text)
}

// compounded tells whether the passages have a word as the end of a longer one.
func (c *checker) compounded(text string) bool {
	for _, hay := range []string{c.hay, c.before} {
		i := strings.Index(hay, bare(text))
		if i <= 0 {
			continue
		}
		runes := []rune(hay[:i])
		if last := runes[len(runes)-1]; isKanji(last) || katakana(string(last)) {
			return true
		}
	}
	return false
}

// jaGroups are who a sentence may be about without being named in the passages.
var jaGroups = set("政府 国 市 県 町 村 区 都 府 道 同社 同市 与党 野党 両者 質問者 答弁者 議会 国会 当局 側 担当者 関係者 会社 企業 住民 市民 法案 議案 委員会 本会議 会議 団体 男性 女性 代表 社長 首相 大臣 団体 利用者 対象 内容 金額 額 数 者 率 割合 費用 理由 原因 目的")

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

// happens tells whether a passage says a word as something that is done, not just in passing.
func (c *checker) happens(w *word) bool {
	for _, l := range c.lines {
		for i := range l.words {
			if v := &l.words[i]; v.pred || v.axes != nil || w.base != v.base {
				if s, opposed := match(w, v); s >= synonym && (!opposed || w.axes != nil) {
					return true
				}
			}
		}
	}
	return c.lines != nil && strings.Contains(c.hay, w.text+"に") || strings.Contains(c.hay, w.text+"を") || strings.Contains(c.hay, w.text+"は") || strings.Contains(c.hay, w.text+"が")
}

// pieces tells whether all characters of a short form stand in the passages near each other.
func (c *checker) pieces(text string) bool { return piecesIn(text, c.hay) }

// mostPieces is how long a text may be in which short forms are looked for; in a longer one any would be found.
const mostPieces = 100_000

func piecesIn(text, in string) bool {
	text = bare(text)
	runes := []rune(text)
	if len(runes) < 2 || len(runes) > 14 {
		return false
	}
	if len(in) > mostPieces {
		return false
	}
	hay := []rune(in)
	for i, r := range hay {
		if r != runes[0] {
			continue
		}
		if subsequence(text, string(hay[i:min(len(hay), i+4*len(runes)+4)])) {
			return true
		}
	}
	return false
}

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

var enPlainNames = set("minister ministers secretary chancellor mp mps mr mrs ms dr sir lord lady house commons lords parliament government council councillor councillors committee bill act party member members opposition cabinet english british uk prime hon chair speaker leader mayor the department office bank north south east west central city town county national state public service first second third royal assent reading i president")

func (c *checker) namesEnglish() {
	l := c.l
	said := map[string]bool{}
	for i := range l.words {
		w := &l.words[i]
		low := strings.ToLower(strings.TrimSuffix(w.text, "'s"))
		isName := w.kind == name
		if i == 0 || w.kind == content && isUpper(w.text) { // a sentence begins with a capital: a name if what follows says so
			isName = isUpper(w.text) && w.kind == content && c.opensWithName(i)
		}
		if !isName || c.inQuote(w.span) || said[low] {
			continue
		}
		said[low] = true
		switch {
		case c.hayWords[stem(low)] || c.hayWords[low+"s"] || c.hayWords[strings.TrimSuffix(low, "s")] || demonyms[low] != "" && strings.Contains(c.hay, demonyms[low]) || strings.Contains(c.hay, low) && len(low) > 3 || c.acronym(w.text):
			c.add(Name, w.text, Supported, because("found"), nil)
		case strings.Contains(low, "-") && c.parts(low):
		case enPlainNames[low] || enMonths[low] > 0 || enWeekdays[w.text] > 0 || enTitles[low] || enOffices[low]:
		case c.anyPrefix(low):
		case strings.Contains(c.before, low) && !c.record.isPerson(w.text), c.inContext(w):
		default:
			c.add(Name, w.text, NotFound, because("name_absent", w.text), nil)
		}
	}
	text := strings.ToLower(l.string(l.span))
	for _, m := range enStages.FindAllString(text, -1) {
		if strings.Contains(c.hay, bare(m)) || c.stageWords(m) {
			c.add(Stage, m, Supported, because("found"), nil)
		} else {
			c.add(Stage, m, NotFound, because("stage_absent", m), nil)
		}
	}
}

func (c *checker) parts(low string) bool {
	for _, p := range strings.Split(low, "-") {
		if !c.hayWords[stem(p)] && len(p) > 2 {
			return false
		}
	}
	return true
}

// inContext tells of somebody who spoke before and is not the one that the sentence is about.
func (c *checker) inContext(w *word) bool {
	for _, m := range c.mentions {
		if w.span.from >= m.span.from && w.span.to <= m.span.to && !m.subject {
			return slices.ContainsFunc(m.people, func(p *person) bool {
				return slices.ContainsFunc(p.orders, func(o int) bool { return o < c.cited[0].Order && o >= c.cited[0].Order-contextSpan })
			})
		}
	}
	return false
}

// demonyms are names that say the same of a country and its people.
var demonyms = func() map[string]string {
	m := map[string]string{}
	for _, p := range strings.Fields("welsh:wales scottish:scotland scots:scotland english:england irish:ireland french:france german:germany dutch:netherlands spanish:spain japanese:japan chinese:china british:britain danish:denmark swedish:sweden italian:italy american:america") {
		people, land, _ := strings.Cut(p, ":")
		m[people], m[land] = land, people
	}
	return m
}()

var enStages = regexp.MustCompile(`\b(?:first|second|third) reading\b|\bcommittee stage\b|\breport stage\b|\broyal assent\b|\b(?:came|come|comes|entered|enter|coming|into) (?:into )?force\b|\bbecame law\b|\bbecome law\b|\bamended\b|\bin committee\b|\breferred to\b|\bsent to committee\b|\benacted\b|\bpublic consultation\b|\bin the lords\b|\bfull council\b|\bcabinet\b|\bplanning committee\b|\bhouse of lords\b|\bhouse of commons\b`)

func (c *checker) stageWords(m string) bool {
	for _, w := range strings.Fields(m) {
		if englishLexicon().stop[w] {
			continue
		}
		if !c.hayWords[stem(w)] {
			return false
		}
	}
	return true
}

func (c *checker) anyPrefix(low string) bool {
	if len(low) < 5 {
		return false
	}
	s := stem(low)
	for k := range c.hayWords {
		if n := commonPrefix(s, k); n >= 5 && n >= len(s)-3 && n >= len(k)-4 {
			return true
		}
	}
	return false
}

// acronym tells whether capitals stand for names of the passages.
func (c *checker) acronym(text string) bool {
	if len(text) < 2 || text != strings.ToUpper(text) {
		return false
	}
	for _, src := range c.cited {
		var initials strings.Builder
		for _, w := range strings.FieldsFunc(src.Text+" "+src.Party+" "+src.Office, func(r rune) bool { return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z') }) {
			if isUpper(w) {
				initials.WriteByte(w[0])
			}
		}
		if strings.Contains(initials.String(), text) {
			return true
		}
	}
	return false
}

// opensWithName tells whether the first word of a sentence is a name: another name or a verb of saying follows.
func (c *checker) opensWithName(i int) bool {
	l := c.l
	w := &l.words[i]
	if w.kind != content || c.hayWords[w.base] || i+1 >= len(l.words) {
		return false
	}
	next := &l.words[i+1]
	lex := englishLexicon()
	low := strings.ToLower(next.text)
	if strings.HasSuffix(w.text, "'s") && next.kind != name {
		return false
	}
	if next.kind == name && !enPlainNames[low] {
		return true
	}
	if strings.HasSuffix(w.text, "s") || strings.HasSuffix(w.text, "ing") || strings.HasSuffix(w.text, "ly") || strings.HasSuffix(w.text, "ed") {
		return false
	}
	return (lex.say[next.base] || lex.ask[next.base]) && (strings.HasSuffix(low, "ed") || low == "said" || low == "told")
}
