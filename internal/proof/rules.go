package proof

import (
	"math"
	"regexp"
	"slices"
	"strings"
)

// Check returns the claims of a sentence with their verdicts. A sentence that cites nothing is held against the whole
// record.
func (r *Record) Check(s Sentence) []Claim {
	c := &checker{record: r, sentence: s}
	missing := false
	for _, o := range s.Orders {
		if src, ok := r.sources[o]; !ok {
			missing = true
		} else if !slices.Contains(c.cited, src) {
			c.cited = append(c.cited, src)
		}
	}
	if len(s.Orders) == 0 {
		for _, src := range r.sources {
			c.cited = append(c.cited, src)
		}
	}
	slices.SortFunc(c.cited, func(a, b *source) int { return a.Order - b.Order })
	if missing || len(c.cited) == 0 {
		c.add(Statement, s.Text, NotFound, because("no_passage"), nil)
		return c.claims
	}
	c.prepare()
	if s.Verbatim {
		c.quote(s.Text)
		return c.claims
	}
	for _, l := range read(s.Text, r.day) {
		c.line(l)
	}
	return c.claims
}

// Overall is the strictest of the claims' verdicts.
func Overall(claims []Claim) Verdict {
	v := Supported
	for _, c := range claims {
		v = Stricter(v, c.Verdict)
	}
	return v
}

// checker checks one sentence.
type checker struct {
	record   *Record
	sentence Sentence
	cited    []*source
	all      []*line // of all cited passages
	lines    []*line // those of them that the sentence may be from
	hay      string  // all that is cited, with who speaks, folded and without white space
	hayWords map[string]bool
	before   string // the passages before those that are cited, as hay
	claims   []Claim

	l        *line // the sentence that is being checked
	quoted   []span
	mentions []mention
}

func (c *checker) add(class Class, text string, v Verdict, why Reason, at *Place) {
	orders := c.sentence.Orders
	if orders == nil {
		orders = []int{}
	}
	c.claims = append(c.claims, Claim{Where: c.sentence.Where, Sentence: c.sentence.Text, Text: text, Class: class, Verdict: v, Reason: why, Orders: orders, Passage: at})
}

func (c *checker) prepare() {
	var hay strings.Builder
	c.hayWords = map[string]bool{}
	for _, src := range c.cited {
		for _, part := range []string{src.Speaker, src.Party, src.Office, src.Role} {
			hay.WriteString(bare(part) + "\n")
			for _, w := range enWord.FindAllString(string(fold(part)), -1) {
				c.hayWords[stem(w)] = true
			}
		}
		hay.WriteString(src.bare + "\n")
		c.all = append(c.all, src.read().lines...)
	}
	c.lines = c.all
	hay.WriteString(bare(c.record.meeting))
	for _, w := range enWord.FindAllString(c.record.meeting, -1) {
		c.hayWords[stem(w)] = true
	}
	for _, l := range c.all {
		for i := range l.words {
			c.hayWords[l.words[i].base] = true
		}
	}
	c.hay = hay.String()
	c.before = c.context()
}

// contextSpan is how many passages before the cited ones tell what they speak of: a question, an item of the agenda.
const contextSpan = 6

func (c *checker) context() string {
	var out strings.Builder
	first := c.cited[0].Order
	reach := first - contextSpan
	if c.cited[0].Speaker == "" { // a page is read from its top
		reach = math.MinInt
	}
	for o, src := range c.record.sources {
		if o < first && o >= reach {
			out.WriteString(src.bare + "\n")
		}
	}
	return out.String()
}

// item tells whether the passages before, up to the last that puts a matter on the agenda, name a bill.
func (c *checker) item(text string) bool {
	first := c.cited[0].Order
	for o := first - 1; o >= first-40; o-- {
		src, ok := c.record.sources[o]
		if !ok {
			continue
		}
		if strings.Contains(src.bare, bare(text)) || piecesIn(text, src.bare) {
			return true
		}
		if strings.Contains(src.bare, "議題といたします") || strings.Contains(src.bare, "議題とします") || strings.Contains(src.bare, "日程第") {
			return false
		}
	}
	return false
}

// at is a part of a passage as a Place.
func at(l *line, s span) *Place {
	runes := []rune(l.source.Text)
	return &Place{Order: l.source.Order, From: s.from, To: min(s.to, len(runes)), Text: string(runes[s.from:min(s.to, len(runes))])}
}

func (c *checker) line(l *line) {
	c.l = l
	c.narrow()
	c.quotes()
	c.mentions = c.record.mentions(l, c.cited)
	c.dates()
	c.numbers()
	c.offices()
	c.names()
	c.statements()
}

// manyLines is how many lines of passages are looked at closely. A sentence that cites a whole meeting is held against the
// lines that share most with it.
const manyLines = 300

func (c *checker) narrow() {
	if c.lines = c.all; len(c.all) <= manyLines {
		return
	}
	want := map[string]bool{}
	for i := range c.l.words {
		if w := &c.l.words[i]; w.kind == content || w.kind == name || w.kind == figure {
			want[w.base] = true
		}
	}
	type scored struct{ at, score int }
	list := make([]scored, len(c.all))
	for i, l := range c.all {
		list[i].at = i
		for j := range l.words {
			if want[l.words[j].base] {
				list[i].score += 2
			}
		}
		list[i].score += len(l.quantities) + len(l.moments)
	}
	slices.SortStableFunc(list, func(a, b scored) int { return b.score - a.score })
	list = list[:manyLines]
	slices.SortFunc(list, func(a, b scored) int { return a.at - b.at })
	c.lines = make([]*line, len(list))
	for i, s := range list {
		c.lines[i] = c.all[s.at]
	}
}

func (c *checker) inQuote(s span) bool {
	for _, q := range c.quoted {
		if s.from >= q.from && s.to <= q.to {
			return true
		}
	}
	return false
}

// ---- quotes

var quotation = regexp.MustCompile(`「([^「」]*(?:「[^「」]*」[^「」]*)*)」|『([^『』]+)』|"([^"]+)"|(?:^|[\s(])'([^']+(?:'[a-z]+[^']*)*)'`)

func (c *checker) quotes() {
	c.quoted = nil
	s := string(c.l.text[c.l.span.from:c.l.span.to])
	offsets := runeOffsets(s)
	for _, m := range quotation.FindAllStringSubmatchIndex(s, -1) {
		for g := 1; g <= 4; g++ {
			if m[2*g] < 0 {
				continue
			}
			where := span{c.l.span.from + offsets[m[2*g]], c.l.span.from + offsets[m[2*g+1]]}
			if c.quote(c.l.string(where)) {
				c.quoted = append(c.quoted, where)
			}
		}
	}
}

// quote checks words that are said to be another's. It reports whether they are.
func (c *checker) quote(text string) bool {
	whole := true
	var where *Place
	for _, part := range regexp.MustCompile(`…+|\.\.\.+|・・・+|\[[^\]]*\]|[(][^()]*[)]|\s*——\s*`).Split(text, -1) {
		part = strings.Trim(bare(part), "。、,.;:!?")
		if part == "" {
			continue
		}
		found := false
		for _, src := range c.cited {
			if i := strings.Index(src.bare, part); i >= 0 {
				found = true
				if where == nil {
					where = src.place(len([]rune(src.bare[:i])), len([]rune(part)))
				}
				break
			}
		}
		if !found && !strings.Contains(c.hay, part) {
			whole = false
		}
	}
	if whole {
		c.add(Quote, text, Supported, because("found"), where)
	} else {
		c.add(Quote, text, Contradicted, because("quote"), nil)
	}
	return whole
}

// place finds a part of the bare text in the text itself.
func (s *source) place(from, n int) *Place {
	runes := []rune(s.Text)
	start, end, k := -1, len(runes), 0
	for i, r := range runes {
		if foldRune(r) == ' ' {
			continue
		}
		if k == from {
			start = i
		}
		k++
		if k == from+n {
			end = i + 1
			break
		}
	}
	if start < 0 {
		return nil
	}
	return &Place{Order: s.Order, From: start, To: end, Text: string(runes[start:end])}
}

// ---- dates

func (c *checker) dates() {
	for _, d := range c.l.moments {
		if c.inQuote(d.span) {
			continue
		}
		text := c.l.string(d.span)
		if p, l := c.findDate(d); l != nil {
			if other := c.misdated(d); other != nil {
				c.add(Date, text, Contradicted, because("date_other", text, other.Text), other)
				continue
			}
			c.add(Date, text, Supported, because("found"), at(l, p.span))
			continue
		} else if c.ownDay(d) || (d.fiscal && c.namesBudget(d) || d.weekday != 0 && d.day == 0 && d.week == 0) && c.datedBefore(d) {
			c.add(Date, text, Supported, because("found"), nil)
			continue
		}
		var other *Place
		for _, l := range c.lines {
			for _, p := range l.moments {
				if other == nil && comparable(d, p) {
					other = at(l, p.span)
				}
			}
		}
		if other != nil {
			c.add(Date, text, Contradicted, because("date_other", text, other.Text), other)
		} else {
			c.add(Date, text, NotFound, because("date_absent", text), nil)
		}
	}
}

// comparable tells of times that are said in the same way, so that one can stand in the other's place.
func comparable(a, b moment) bool {
	return (a.day != 0) == (b.day != 0) && (a.month != 0) == (b.month != 0) && (a.week != 0) == (b.week != 0) && (a.weekday != 0) == (b.weekday != 0)
}

func (c *checker) findDate(d moment) (moment, *line) {
	for _, l := range c.lines {
		for _, p := range l.moments {
			if d.within(p, c.record.day) {
				return p, l
			}
		}
	}
	return moment{}, nil
}

// misdated finds the time that the passages give for what the sentence says of a time, if it is another: the clauses
// with the sentence's own time say nothing of it.
func (c *checker) misdated(d moment) *Place {
	p := part{l: c.l}
	clause := c.l.clauseAt(d.span.from)
	for _, i := range c.l.contents() {
		if c.l.words[i].clause == clause && !c.inMentionOf(c.l.words[i].span) {
			p.words = append(p.words, i)
		}
	}
	for _, q := range c.l.quantities {
		if c.l.clauseAt(q.span.from) == clause {
			p.quantities = append(p.quantities, q)
		}
	}
	own, best := 0.0, 0.0
	var other *Place
	for _, l := range c.lines {
		for _, m := range l.moments {
			score := p.inClause(l, l.clauseAt(m.span.from))
			switch {
			case d.within(m, c.record.day):
				own = max(own, score)
			case slices.ContainsFunc(c.l.moments, func(x moment) bool { return x.within(m, c.record.day) }):
			case comparable(d, m) && score > best:
				best, other = score, at(l, m.span)
			}
		}
	}
	if best >= own+2 && best >= 2*own && best >= 0.6*p.most() {
		return other
	}
	return nil
}

// ownDay tells whether a time is the record's own day.
func (c *checker) ownDay(d moment) bool {
	day := c.record.day
	if day.IsZero() || d.fiscal {
		return false
	}
	own := moment{year: day.Year(), month: int(day.Month()), day: day.Day()}
	if d.day == 0 && d.weekday == 0 && d.week == 0 {
		return false // "this year" is not what the record's day alone says
	}
	return d.within(own, day)
}

// namesBudget tells whether a year is part of a budget's name: 令和八年度一般会計予算.
func (c *checker) namesBudget(d moment) bool {
	rest := string(c.l.text[d.span.to:min(c.l.span.to, d.span.to+16)])
	return strings.Contains(rest, "予算") || strings.Contains(rest, "会計") || strings.Contains(rest, "決算") || strings.Contains(strings.ToLower(rest), "budget")
}

// datedBefore looks for a time in the passages before: 令和八年度 is often part of a budget's name.
func (c *checker) datedBefore(d moment) bool {
	for o := c.cited[0].Order - 1; o >= c.cited[0].Order-contextSpan; o-- {
		if src, ok := c.record.sources[o]; ok {
			for _, l := range src.read().lines {
				for _, p := range l.moments {
					if d.within(p, c.record.day) {
						return true
					}
				}
			}
		}
	}
	return false
}

// ---- numbers

func (c *checker) numbers() {
	c.changes()
	if text := strings.ToLower(c.l.string(c.l.span)); c.l.lang == "en" && regexp.MustCompile(`\b(?:a|per|every|each) (?:month|week)\b`).MatchString(text) && !c.hayWords["month"] && !c.hayWords["week"] && c.hayWords["year"] {
		c.add(Unit, text, NotFound, because("number_absent", "month"), nil)
	}
	if c.l.lang == "ja" { // a month's or a year's
		text := c.l.string(c.l.span)
		monthly := strings.Contains(text, "毎月") || strings.Contains(text, "月額")
		if monthly && !strings.Contains(c.hay, "毎月") && !strings.Contains(c.hay, "月") && strings.Contains(c.hay, "年") {
			c.add(Unit, "毎月", NotFound, because("number_absent", "毎月"), nil)
		}
	}
	for i, q := range c.l.quantities {
		if c.inQuote(q.span) || q.unit == "第" && c.inMention(q.span) {
			continue
		}
		c.number(i, q)
	}
}

// change is a figure that became another.
type change struct{ from, to quantity }

// changesOf finds them: 六人から二人に, from 22 per cent to 9, 1.3 per cent, down from 1.6.
func changesOf(l *line) []change {
	var out []change
	for i := 0; i+1 < len(l.quantities); i++ {
		a, b := l.quantities[i], l.quantities[i+1]
		if b.start <= a.end && b.start < a.end || b.start-a.end > 24 || a.isRange() || b.isRange() {
			continue
		}
		between := string(l.text[min(a.end, b.span.from):b.span.from])
		before := string(l.text[max(l.span.from, a.start-6):a.start])
		switch {
		case l.lang == "ja" && strings.Contains(between, "から"):
			out = append(out, change{a, b})
		case l.lang == "en" && strings.Contains(between, "from"):
			out = append(out, change{b, a})
		case l.lang == "en" && strings.Contains(before, "from") && strings.Contains(between+" ", "to "):
			out = append(out, change{a, b})
		}
	}
	return out
}

// changes checks that no change is told backwards.
func (c *checker) changes() {
	for _, s := range changesOf(c.l) {
		var turned *Place
		right := false
		for _, l := range c.lines {
			for _, p := range changesOf(l) {
				if s.from.same(p.from) && s.to.same(p.to) {
					right = true
				}
				if s.from.same(p.to) && s.to.same(p.from) {
					turned = at(l, l.span)
				}
			}
		}
		if turned != nil && !right {
			text := c.l.string(span{min(s.from.start, s.to.start), max(s.from.end, s.to.end)})
			c.add(Outcome, text, Contradicted, because("outcome", text, turned.Text), turned)
		}
	}
}

func (c *checker) inMention(s span) bool {
	for _, m := range c.mentions {
		if s.from >= m.span.from && s.to <= m.span.to {
			return true
		}
	}
	return false
}

type found struct {
	q quantity
	l *line
}

func (c *checker) number(i int, q quantity) {
	text := c.l.string(span{q.start, q.end})
	var same, unit, scale, inside, rest []found
	for _, l := range c.lines {
		for _, p := range l.quantities {
			f := found{p, l}
			switch {
			case q.same(p) && agree(q.unit, p.unit):
				same = append(same, f)
			case q.same(p):
				unit = append(unit, f)
			case agree(q.unit, p.unit) && p.isRange() && !q.isRange() && q.low >= p.low && q.low <= p.high:
				inside = append(inside, f)
			case agree(q.unit, p.unit) && tenfold(q.low, p.low):
				scale = append(scale, f)
			case q.unit == p.unit:
				rest = append(rest, f)
			}
		}
	}
	place := func(f found) *Place { return at(f.l, span{f.q.start, f.q.end}) }
	switch {
	case len(same) > 0:
		best := same[0]
		for _, f := range same { // one with the same bound, if there is one
			if f.q.bound == q.bound {
				best = f
				break
			}
		}
		times := 0 // 25 of 25, where the passage has 17 of 25
		for _, other := range c.l.quantities {
			if other.same(q) && other.unit == q.unit {
				times++
			}
		}
		if times > len(same) && times == 2 {
			c.add(Number, text, NotFound, because("number_absent", text), nil)
			return
		}
		if wrong, label := c.mislabelled(i, q, same); wrong {
			c.add(Number, text, Contradicted, because("number_label", text, label), place(best))
			return
		}
		switch {
		case q.bound*best.q.bound < 0:
			c.add(Unit, text, Contradicted, because("bound_other", text, place(best).Text), place(best))
		case q.bound == 0 && best.q.bound != 0 && !q.approx:
			c.add(Unit, text, NotFound, because("range_cut", text, place(best).Text), place(best))
		default:
			c.add(Number, text, Supported, because("found"), place(best))
		}
	case len(inside) > 0 && (q.bound < 0 && q.low == inside[0].q.high || q.bound > 0 && q.low == inside[0].q.low):
		c.add(Number, text, Supported, because("found"), place(inside[0]))
	case len(inside) > 0:
		c.add(Unit, text, Contradicted, because("range_cut", text, place(inside[0]).Text), place(inside[0]))
	case len(unit) > 0:
		verdict := Contradicted
		if q.unit == "" || unit[0].q.unit == "" || q.low < 10 && q.unit != unitPercent && q.unit != unitPoint {
			verdict = NotFound // a small figure can be of anything
		}
		c.add(Unit, text, verdict, because("unit_other", text, place(unit[0]).Text), place(unit[0]))
	case len(scale) > 0:
		c.add(Unit, text, Contradicted, because("unit_other", text, place(scale[0]).Text), place(scale[0]))
	case c.derived(q):
		c.add(Number, text, Supported, because("found"), nil)
	case len(rest) == 1 && rest[0].l == c.best(), (len(rest) > 0 && rest[0].l == c.best()) && q.unit != "" && !q.approx:
		c.add(Number, text, Contradicted, because("number_other", text, place(rest[0]).Text), place(rest[0]))
	default:
		if other, ok := c.labelled(i, q); ok {
			c.add(Number, text, Contradicted, because("number_other", text, place(other).Text), place(other))
			return
		}
		c.add(Number, text, NotFound, because("number_absent", text), nil)
	}
}

// best is the line that says most of the sentence.
func (c *checker) best() *line {
	a := align(&part{l: c.l, words: c.l.contents()}, c.lines)
	if top := a.top(); top >= 0 {
		return a.lines[top]
	}
	return nil
}

var reckoned = regexp.MustCompile(`差|計|増|減|上回|下回|(?i)\b(?:lost|gained|more|fewer|total|majority|difference|between|margin|together|combined)\b`)

// derived tells whether a figure is the difference or the sum of two in one line, and the sentence says that it is one.
func (c *checker) derived(q quantity) bool {
	if q.isRange() || q.low < 10 || !reckoned.MatchString(c.l.string(c.l.span)) {
		return false
	}
	for _, l := range c.lines {
		for i, a := range l.quantities {
			for _, b := range l.quantities[i+1:] {
				if !agree(a.unit, b.unit) || !agree(q.unit, a.unit) && !agree(q.unit, b.unit) || a.isRange() || b.isRange() {
					continue
				}
				for _, v := range []float64{math.Abs(a.low - b.low), a.low + b.low} {
					if q.near(q.low, v, 9) {
						return true
					}
				}
			}
		}
	}
	return false
}

// labelled finds the figure that the passages give for what a figure of the sentence is of.
func (c *checker) labelled(i int, q quantity) (found, bool) {
	label := c.label(c.l, i)
	if label == nil {
		return found{}, false
	}
	for _, l := range c.lines {
		for j, p := range l.quantities {
			if other := c.label(l, j); other != nil && agree(q.unit, p.unit) {
				if s, opposed := match(label, other); s >= synonym && !opposed {
					return found{p, l}, true
				}
			}
		}
	}
	return found{}, false
}

func tenfold(a, b float64) bool {
	if a == 0 || b == 0 {
		return false
	}
	log := math.Log10(math.Abs(a / b))
	return math.Abs(log) > 0.5 && math.Abs(log-math.Round(log)) < 1e-6
}

// mislabelled tells whether a figure stands with a word that the passages give to another figure of its kind, and
// never to this one: 賛成25 where the passage has 反対二十五.
func (c *checker) mislabelled(i int, q quantity, same []found) (bool, string) {
	label := c.label(c.l, i)
	if label == nil || c.l.lang == "en" && label.axes == nil {
		return false, ""
	}
	elsewhere := false
	for _, f := range same {
		for j, p := range f.l.quantities {
			if p.span != f.q.span {
				continue
			}
			other := c.label(f.l, j)
			if other == nil {
				return false, ""
			}
			if s, opposed := match(label, other); s > 0 && !opposed {
				return false, ""
			}
		}
	}
	for _, l := range c.lines {
		for j, p := range l.quantities {
			if q.same(p) || !agree(q.unit, p.unit) {
				continue
			}
			if other := c.label(l, j); other != nil {
				if s, opposed := match(label, other); s >= synonym && !opposed {
					elsewhere = true
				}
			}
		}
	}
	if !elsewhere {
		return false, ""
	}
	for j, p := range same[0].l.quantities {
		if p.span == same[0].q.span {
			if w := c.label(same[0].l, j); w != nil {
				return true, w.text
			}
		}
	}
	return true, label.text
}

var jaNoLabel = set("当たり あたり 計 約 年額 月額 総額 合計 年間 最大 上限 当初 現在 全体 平均 増 減")

// label is the word that says what a figure is of: in Japanese the one before it, in English the one behind.
func (c *checker) label(l *line, i int) *word {
	q := l.quantities[i]
	if l.lang == "ja" {
		for j := len(l.words) - 1; j >= 0; j-- {
			w := &l.words[j]
			if w.span.to > q.start || w.kind == function && w.axes == nil {
				continue
			}
			if gap := string(l.text[w.span.to:q.start]); strings.Contains(gap, "の") || strings.Contains(gap, "を") || strings.Contains(gap, "に") || w.generic || jaNoLabel[w.base] {
				return nil
			}
			if q.start-w.span.to > 2 || i > 0 && l.quantities[i-1].span.from >= w.span.from || w.kind == figure {
				return nil
			}
			return w
		}
		return nil
	}
	for j := range l.words {
		w := &l.words[j]
		if w.span.from < q.end || w.kind == function && w.axes == nil {
			continue
		}
		if w.span.from-q.end > 12 || i+1 < len(l.quantities) && l.quantities[i+1].start <= w.span.from {
			return nil
		}
		return w
	}
	return nil
}
