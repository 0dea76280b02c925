package proof

import (
	"hash/fnv"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Lies makes false sentences of a true one, of every class that the sentence has a handle for. The same sentence always
// gives the same lies.
func Lies(s *Sample, t TrueSentence) []Lie {
	m := &mutator{s: s, t: t}
	for _, make := range []func(){m.number, m.unit, m.date, m.name, m.office, m.speaker, m.negate, m.state, m.decide, m.turn, m.misquote, m.unconditional, m.merge, m.bill, m.stage} {
		make()
	}
	return m.lies
}

type mutator struct {
	s    *Sample
	t    TrueSentence
	lies []Lie
}

func (m *mutator) add(class Class, text string, orders ...int) {
	if text != m.t.Text && !slices.ContainsFunc(m.s.Sentences, func(o TrueSentence) bool { return o.Text == text }) {
		m.lies = append(m.lies, Lie{Class: class, Text: text, Orders: orders})
	}
}

func (m *mutator) pick(list []string) string {
	h := fnv.New32a()
	h.Write([]byte(m.t.Text))
	return list[int(h.Sum32()%uint32(len(list)))]
}

// record is all that the passages say, so that a change is never true by chance.
func (m *mutator) record() string {
	var b strings.Builder
	for _, p := range m.s.Passages {
		b.WriteString(bare(p.Speaker + p.Party + p.Office + p.Role + p.Text + "\n"))
	}
	return b.String()
}

// swap replaces the first of the words that occurs by another.
func (m *mutator) swap(class Class, table string) {
	for line := range strings.Lines(table) {
		from, to, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " > ")
		if !ok {
			continue
		}
		from, to = strings.TrimSpace(from), strings.TrimSpace(to)
		at := strings.Index(m.t.Text, from)
		if m.s.Lang == "en" { // whole words
			at = -1
			if found := regexp.MustCompile(`(?:^|[^A-Za-z])(` + regexp.QuoteMeta(from) + `)(?:$|[^A-Za-z])`).FindStringSubmatchIndex(m.t.Text); found != nil {
				at = found[2]
			}
		}
		if at >= 0 {
			m.add(class, strings.Replace(m.t.Text[:at]+to+m.t.Text[at+len(from):], "  ", " ", 1))
			return
		}
	}
}

// swapAfterFigure is swap for words that follow a figure.
func (m *mutator) swapAfterFigure(class Class, table string) {
	for line := range strings.Lines(table) {
		from, to, ok := strings.Cut(strings.TrimSpace(line), " > ")
		at := regexp.MustCompile(`[0-9〇一二三四五六七八九十百千万億]` + regexp.QuoteMeta(from)).FindStringIndex(m.t.Text)
		if ok && at != nil {
			m.add(class, m.t.Text[:at[1]-len(from)]+to+m.t.Text[at[1]:])
			return
		}
	}
}

var digitsOf = regexp.MustCompile(`[0-9]+`)

func (m *mutator) number() {
	l := read(m.t.Text, NewRecord(m.s.Date, "", nil).day)
	for _, line := range l {
		for _, q := range line.quantities {
			runes := []rune(m.t.Text)
			part := string(runes[q.span.from:q.span.to])
			at := digitsOf.FindStringIndex(part)
			if at == nil {
				for _, r := range part {
					if d, ok := kanjiDigit[r]; ok && d > 0 {
						other := []rune("一二三四五六七八九")[int(d+2)%9]
						m.add(Number, string(runes[:q.span.from])+strings.Replace(part, string(r), string(other), 1)+string(runes[q.span.to:]))
						break
					}
				}
				continue
			}
			n, err := strconv.Atoi(part[at[0]:at[1]])
			if err != nil {
				continue
			}
			for _, other := range []int{n + 3, n + 11, n*2 + 1} {
				text := strconv.Itoa(other)
				if v := float64(other); !m.hasFigure(v) {
					m.add(Number, string(runes[:q.span.from])+part[:at[0]]+text+part[at[1]:]+string(runes[q.span.to:]))
					break
				}
			}
		}
	}
}

func (m *mutator) hasFigure(v float64) bool {
	for _, p := range m.s.Passages {
		for _, l := range read(p.Text, NewRecord(m.s.Date, "", nil).day) {
			for _, q := range l.quantities {
				if q.low == v || q.high == v {
					return true
				}
			}
		}
	}
	return false
}

func (m *mutator) unit() {
	if m.s.Lang == "ja" {
		m.swapAfterFigure(Unit, "億円 > 万円\n万円 > 億円\n万人 > 億人\nポイント > %\n% > ポイント\n％ > ポイント\n割 > %\n世帯 > 人\n校 > 人\n件 > 人\nか所 > 件\n人 > 世帯\n票 > %\nか月 > 年間\n年間 > か月\n時間 > 日間\n人以上 > 人以下\n円 > ドル\n")
	} else {
		m.swap(Unit, "billion > million\nmillion > billion\npercentage points > per cent\nper cent > percentage points\nweeks > years\nmonths > years\ndays > weeks\nyears > months\nhours > days\nminutes > hours\nmiles > metres\nat least > at most\nmore than > fewer than\n")
	}
	if m.s.Lang == "en" {
		for _, pair := range [][2]string{{"%", " percentage points"}, {"£", "$"}, {",000", ",000,000"}} {
			if strings.Contains(m.t.Text, pair[0]) {
				m.add(Unit, strings.Replace(m.t.Text, pair[0], pair[1], 1))
				break
			}
		}
	}
	// A range cut to one end.
	for _, re := range []string{`([0-9]+)(?:から|〜|～)([0-9]+)`, `between ([0-9.,]+) and ([0-9.,]+)`, `([0-9][0-9.,]*) to ([0-9][0-9.,]*)( per cent|%| million| weeks| years)`} {
		if at := regexp.MustCompile(re).FindStringSubmatchIndex(m.t.Text); at != nil {
			rest := m.t.Text[at[1]:]
			if len(at) > 6 {
				rest = m.t.Text[at[6]:]
			}
			m.add(Unit, m.t.Text[:at[0]]+m.t.Text[at[2]:at[3]]+rest)
			return
		}
	}
}

func (m *mutator) date() {
	if m.s.Lang == "ja" {
		re := regexp.MustCompile(`([0-9]{4})年|(令和[0-9一二三四五六七八九十]+)年|([0-9]{1,2})月|([0-9]{1,2})日`)
		if at := re.FindStringSubmatchIndex(m.t.Text); at != nil {
			for g := 1; g <= 4; g++ {
				if at[2*g] < 0 {
					continue
				}
				old := m.t.Text[at[2*g]:at[2*g+1]]
				n, err := strconv.Atoi(old)
				fresh := strconv.Itoa(n + 1)
				switch {
				case err != nil:
					fresh = "令和三"
				case g == 3:
					fresh = strconv.Itoa((n+4)%12 + 1)
				case g == 4:
					fresh = strconv.Itoa((n+9)%28 + 1)
				case n > 1000:
					fresh = strconv.Itoa(n + 2)
				}
				m.add(Date, m.t.Text[:at[2*g]]+fresh+m.t.Text[at[2*g+1]:])
				return
			}
		}
		m.swap(Date, "一昨年 > 昨年\n再来年 > 来年\n昨年 > 今年\n来年 > 昨年\n今年 > 昨年\n先月 > 来月\n来月 > 先月\n今月 > 来月\n昨日 > 先週\n翌日 > 翌年\n先週 > 先月\n来週 > 来月\n今週 > 来週\n年度 > 年\n月曜 > 木曜\n春 > 秋\n秋 > 春\n夏 > 冬\n")
		return
	}
	months := []string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"}
	for i, name := range months {
		if strings.Contains(m.t.Text, name) && name != "May" {
			m.add(Date, strings.Replace(m.t.Text, name, months[(i+5)%12], 1))
			return
		}
	}
	if at := regexp.MustCompile(`\b20[0-9]{2}\b`).FindStringIndex(m.t.Text); at != nil {
		n, _ := strconv.Atoi(m.t.Text[at[0]:at[1]])
		m.add(Date, m.t.Text[:at[0]]+strconv.Itoa(n+2)+m.t.Text[at[1]:])
		return
	}
	m.swap(Date, "last week > next month\nlast year > this year\nlast month > next week\nnext year > last year\nnext month > last year\nnext week > last week\nyesterday > last month\ntomorrow > next year\nMonday > Thursday\nTuesday > Friday\nWednesday > Saturday\nThursday > Monday\nFriday > Tuesday\nthis year > next year\nthis week > last month\n")
}

var (
	jaOtherNames = []string{"黒木", "篠原", "長谷川", "小山田", "荒井", "東条"}
	enOtherNames = []string{"Whitfield", "Pemberton", "Hargreaves", "Sinclair", "Langford", "Osborne"}
	jaOtherPlace = []string{"大崎", "松原", "北浜", "富岡", "桜木", "高津"}
)

func (m *mutator) name() {
	r := NewRecord(m.s.Date, m.s.Meeting, m.s.Passages)
	for _, l := range read(m.t.Text, r.day) {
		for _, w := range l.words {
			if w.kind != name || len([]rune(w.text)) < 2 || m.s.Lang == "en" && (enPlainNames[strings.ToLower(w.text)] || enOffices[strings.ToLower(w.text)] || enTitles[strings.ToLower(w.text)]) {
				continue
			}
			if !strings.Contains(m.record(), bare(w.text)) {
				continue
			}
			pool := enOtherNames
			if m.s.Lang == "ja" {
				pool = jaOtherNames
				if !r.isPerson(w.text) {
					pool = jaOtherPlace
				}
			}
			other := m.pick(pool)
			if strings.Contains(m.record(), bare(other)) {
				continue
			}
			m.add(Name, strings.ReplaceAll(m.t.Text, w.text, other))
			return
		}
	}
}

func (r *Record) isPerson(text string) bool {
	return slices.ContainsFunc(r.people, func(p *person) bool { return strings.Contains(p.full, text) })
}

func (m *mutator) office() {
	for _, p := range m.s.Passages {
		if p.Party == "" || !strings.Contains(m.t.Text, p.Party) {
			continue
		}
		other := "新風の会"
		if m.s.Lang == "en" {
			other = "Reform Alliance"
		}
		for _, q := range m.s.Passages {
			if q.Party != "" && q.Party != p.Party {
				other = q.Party
			}
		}
		m.add(Office, strings.Replace(m.t.Text, p.Party, other, 1))
		break
	}
	if m.s.Lang == "ja" {
		m.swap(Office, "文科相 > 国交相\n厚労相 > 環境相\n国交相 > 財務相\n財務相 > 外務相\n農水相 > 厚労相\n環境相 > 総務相\n総務相 > 法務相\n副大臣 > 大臣\n政務官 > 副大臣\n副市長 > 市長\n大臣 > 副大臣\n委員長 > 議長\n議長 > 委員長\n市長 > 副市長\n教育長 > 市長\n局長 > 課長\n部長 > 局長\n課長 > 部長\n町長 > 副町長\n知事 > 副知事\n参考人 > 大臣\n首相 > 官房長官\n")
		return
	}
	if strings.Contains(m.t.Text, "hadow") {
		return
	}
	m.swap(Office, "Minister for Schools > Minister for Health\nschools minister > health minister\nSecretary of State > Minister of State\nhealth secretary > transport secretary\ntransport secretary > health secretary\nMinister for Transport > Minister for Housing\ndeputy leader > leader\ncouncil leader > mayor\nmayor > deputy mayor\nMayor > Deputy Mayor\nchair > deputy chair\ndirector > deputy director\nMinister > Shadow Minister\nminister > shadow minister\nchief executive > chairman\nspokeswoman > director\nspokesman > director\n")
}

// speaker puts the words into another's mouth.
func (m *mutator) speaker() {
	r := NewRecord(m.s.Date, m.s.Meeting, m.s.Passages)
	for _, p := range r.people {
		if !strings.Contains(m.t.Text, p.family()) || p.family() == "" {
			continue
		}
		for _, q := range r.people {
			if q == p || q.family() == p.family() || strings.Contains(m.t.Text, q.family()) || q.family() == "" {
				continue
			}
			text := strings.ReplaceAll(m.t.Text, p.full, q.full)
			text = strings.ReplaceAll(text, p.family(), q.family())
			orders := slices.Clone(m.t.Orders)
			for _, o := range q.orders {
				if !slices.Contains(orders, o) {
					orders = append(orders, o)
				}
			}
			m.add(Speaker, text, orders...)
			return
		}
	}
}

func (m *mutator) negate() {
	if m.s.Lang == "ja" {
		m.swap(Polarity, "しないと > すると\n考えはないと > 考えだと\nことはないと > ことがあると\nできないと > できると\nいないと > いると\nなかった > た\nしない > する\n適切ではないと > 適切だと\nではないと > であると\nにはならない > になる\nを否定 > を肯定\nを拒否 > を受け入れ\nると述べ > らないと述べ\nすると答 > しないと答\nすると説明 > しないと説明\nすると述 > しないと述\nしていると > していないと\nしたと > しなかったと\nがあると > がないと\nであると > ではないと\nだと > ではないと\nした。 > しなかった。\nされた。 > されなかった。\nされている > されていない\nした > しなかった\nする。 > しない。\nになる > にならない\nである > ではない\nを除き > を含め\n")
		return
	}
	m.swap(Polarity, " will not  >  will \n would not  >  would \n did not  >  did \n does not  >  does \n has not  >  has \n had not  >  had \n is not  >  is \n was not  >  was \n are not  >  are \n could not  >  could \n cannot  >  can \n no  >  a \nrefused to  > agreed to \nrejected  > accepted \nruled out  > confirmed \nnever  > always \n will  >  will not \n would  >  would not \n has  >  has not \n had  >  had not \n was  >  was not \n were  >  were not \n is  >  is not \n are  >  are not \n can  >  cannot \n could  >  could not \n")
}

func (m *mutator) state() {
	if m.s.Lang == "ja" {
		for _, w := range []string{"何", "どこ", "いつ", "なぜ", "どう", "幾つ", "誰"} {
			if strings.Contains(m.t.Text, w) {
				return // a question that no statement can be made of
			}
		}
		m.swap(Question, "義務づけるべきではないかと質問した > 義務づけることになったと述べた\nのではないかと質問した > のだと述べた\nのかと質問した > と述べた\nのかをただした > と述べた\nかと質問した > と述べた\nのかと尋ねた > と述べた\nかと尋ねた > と述べた\nのかただした > と述べた\nかとただした > と述べた\nかを尋ねた > と説明した\nかを質問した > と説明した\nかと問うた > と述べた\nかどうかを尋ねた > と述べた\nのかを問うた > と述べた\n")
		return
	}
	if at := regexp.MustCompile(`asked (?:the [a-z ]+? |(?:Mr|Ms|Mrs|Dr) [A-Z][a-z]+ )?(?:whether|if) `).FindStringIndex(m.t.Text); at != nil {
		m.add(Question, m.t.Text[:at[0]]+"said that "+m.t.Text[at[1]:])
	}
}

func (m *mutator) decide() {
	if m.s.Lang == "ja" {
		m.swap(Plan, "を検討すると > を決定したと\nを検討していると > を実施したと\nを検討する > を決定した\nする方針を示した > したと述べた\nする方針 > したこと\nする考えを示した > したと述べた\nする予定だと > したと\nする予定だ。 > した。\nを目指すと > を達成したと\nを目標に > を達成し\nするよう求めた > することが決まった\nすべきだと > したと\nを求めた > が決まった\nを提案した > が決まった\nしたいと > したと\nする見通し > した\nする計画 > した\nを要望した > が実現した\n")
		return
	}
	if strings.Contains(m.t.Text, "asked") || strings.Contains(m.t.Text, "no plans") {
		return
	}
	m.swap(Plan, "is considering  > has decided on \nare considering  > have decided on \nwould consider  > had approved \nwill consider  > has approved \nplans to publish > has published\nwill publish > has published\nwould publish > had published\nplans to open > has opened\nwill open > has opened\nwould open > had opened\nintends to introduce > has introduced\nwould introduce > had introduced\nwill introduce > has introduced\nproposed  > carried out \nurged the government to  > said the government had agreed to \nhopes to  > has managed to \naims to  > has managed to \nplans to  > has already managed to \nintends to  > has already managed to \nwould be  > had been \nwill be  > has been \nshould be  > has been \n")
}

func (m *mutator) turn() {
	if m.s.Lang == "ja" {
		m.swap(Outcome, "否決 > 可決\n可決 > 否決\n反対多数 > 賛成多数\n賛成多数 > 反対少数\n全会一致で > 賛成少数で\n賛成討論 > 反対討論\n反対討論 > 賛成討論\nに賛成 > に反対\nに反対 > に賛成\n承認 > 不承認\n増加 > 減少\n減少 > 増加\n上昇 > 下落\n下落 > 上昇\n増え > 減っ\n減っ > 増え\n上回 > 下回\n下回 > 上回\n引き上げ > 引き下げ\n引き下げ > 引き上げ\n拡大 > 縮小\n黒字 > 赤字\n赤字 > 黒字\n勝利 > 敗北\n当選 > 落選\n改善 > 悪化\n成立 > 廃案\n継続 > 廃止\n")
		return
	}
	m.swap(Outcome, "rejected > passed\nwas passed > was rejected\npassed > rejected\napproved > rejected\nvoted against > voted for\nvoted for > voted against\nin favour of > against\nopposed > supported\nsupported > opposed\nrose > fell\nfell > rose\nincreased > decreased\nhigher > lower\nlower > higher\nraised > cut\nincrease > decrease\nfallen > risen\nrisen > fallen\nwon > lost\ndefeated > carried\ncarried > defeated\nagreed to > rejected\nimproved > worsened\nup by > down by\ndown by > up by\n")
}

func (m *mutator) misquote() {
	for _, at := range quotation.FindAllStringSubmatchIndex(strings.Map(foldRune, m.t.Text), -1) {
		folded := strings.Map(foldRune, m.t.Text)
		for g := 1; g <= 4; g++ {
			if at[2*g] < 0 {
				continue
			}
			inner := folded[at[2*g]:at[2*g+1]]
			var fresh string
			if m.s.Lang == "ja" {
				fresh = strings.NewReplacer("ない", "ある", "ます", "ました", "です", "でした", "べき", "ほうがよい", "と", "も", "が", "も", "を", "も").Replace(inner)
				if fresh == inner {
					fresh = "全く" + inner
				}
			} else {
				words := strings.Fields(inner)
				if len(words) < 2 {
					fresh = inner + " indeed"
				} else {
					words[len(words)/2] = "really"
					fresh = strings.Join(words, " ")
				}
			}
			m.add(Quote, folded[:at[2*g]]+fresh+folded[at[2*g+1]:])
			return
		}
	}
}

var (
	jaConditional = regexp.MustCompile(`[^、。は]*(?:れば|えれば|たら|なら|ならば|場合は|場合には|場合に|限り|を条件に|を前提に|した上で|したうえで|を除き|けば|せば|てば|めば)、?`)
	enConditional = regexp.MustCompile(`,? (?:but only )?(?:only if|if|unless|provided|once|only when|subject to|on condition that|only after|as long as)\b(?:[^,.]|[.,][0-9])*`)
	enCondFirst   = regexp.MustCompile(`^(?:If|Unless|Provided|Once|Subject to)[^,]*, `)
)

func (m *mutator) unconditional() {
	if m.s.Lang == "ja" {
		if at := jaConditional.FindStringIndex(m.t.Text); at != nil && at[1]-at[0] > 12 {
			m.add(Condition, m.t.Text[:at[0]]+m.t.Text[at[1]:])
		}
		return
	}
	if at := enCondFirst.FindStringIndex(m.t.Text); at != nil {
		rest := m.t.Text[at[1]:]
		m.add(Condition, strings.ToUpper(rest[:1])+rest[1:])
		return
	}
	if at := enConditional.FindStringIndex(m.t.Text); at != nil && !strings.Contains(m.t.Text[:at[0]], "asked") {
		m.add(Condition, m.t.Text[:at[0]]+m.t.Text[at[1]:])
	}
}

// merge gives another's words to the speaker of this sentence.
func (m *mutator) merge() {
	r := NewRecord(m.s.Date, m.s.Meeting, m.s.Passages)
	cut := func(t TrueSentence) (head, rest string, who *person) {
		for _, p := range r.people {
			i := strings.Index(t.Text, p.family())
			if i < 0 || p.family() == "" || i > 40 {
				continue
			}
			if m.s.Lang == "ja" {
				if j := strings.Index(t.Text[i:], "は"); j > 0 && j < 60 {
					j += i + len("は")
					return t.Text[:j], strings.TrimPrefix(t.Text[j:], "、"), p
				}
				continue
			}
			for _, verb := range []string{" said ", " asked ", " told ", " argued ", " warned ", " urged ", " confirmed ", " replied ", " called "} {
				if j := strings.Index(t.Text[i:], verb); j > 0 && j < 60 {
					return t.Text[:i+j], t.Text[i+j:], p
				}
			}
		}
		return "", "", nil
	}
	head, rest, who := cut(m.t)
	if who == nil {
		return
	}
	for _, o := range m.s.Sentences {
		_, more, other := cut(o)
		if other == nil || other == who || o.Text == m.t.Text {
			continue
		}
		orders := slices.Clone(m.t.Orders)
		for _, x := range o.Orders {
			if !slices.Contains(orders, x) {
				orders = append(orders, x)
			}
		}
		if slices.ContainsFunc(o.Orders, func(x int) bool { return slices.Contains(who.orders, x) }) || strings.Contains(more, who.family()) || strings.Contains(rest, other.family()) {
			continue
		}
		if m.s.Lang == "ja" {
			m.add(Merged, head+"、"+strings.TrimRight(rest, "。")+"とし、"+more, orders...)
		} else {
			m.add(Merged, head+strings.TrimRight(rest, ".")+" and"+more, orders...)
		}
		return
	}
}

func (m *mutator) bill() {
	if m.s.Lang == "ja" {
		for _, text := range jaBill.FindAllString(m.t.Text, -1) {
			if runes := []rune(text); len(runes) >= 5 && strings.HasSuffix(text, "案") {
				other := m.pick([]string{"水道事業法案", "電波利用料法案", "森林経営条例案", "港湾運送法案"})
				m.add(Bill, strings.Replace(m.t.Text, text, other, 1))
				return
			}
		}
		return
	}
	if at := regexp.MustCompile(`(?:[A-SU-Z][a-z]+ )+(?:\([A-Z][A-Za-z ]+\) )?Bill`).FindString(m.t.Text); at != "" && at != "The Bill" {
		m.add(Bill, strings.Replace(m.t.Text, at, m.pick([]string{"Water Supply Bill", "Harbour Licensing Bill", "Forestry Bill", "Data Protection Bill"}), 1))
	}
}

func (m *mutator) stage() {
	if m.s.Lang == "ja" {
		m.swap(Stage, "付託 > 採決\n趣旨説明 > 討論\n本会議 > 委員会\n委員会で > 本会議で\n可決 > 施行\n採決 > 付託\n討論 > 趣旨説明\n質疑 > 採決\n継続審査 > 成立\n施行 > 公布\n")
		return
	}
	m.swap(Stage, "second reading > third reading\nSecond Reading > Third Reading\nthird reading > second reading\ncommittee stage > report stage\nreport stage > committee stage\nfirst reading > royal assent\ncome into force > receive royal assent\nreferred to > passed by\n")
}
