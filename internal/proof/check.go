package proof

import (
	"regexp"
	"slices"
)

// Check returns the claims of a sentence with their verdicts. A sentence that cites nothing is held against the whole
// record.
func (r *Record) Check(s Sentence) []Claim {
	c := &checker{record: r, sentence: s}
	missing := false
	var cited []*source
	for _, o := range s.Orders {
		if src, ok := r.sources[o]; !ok {
			missing = true
		} else if !slices.Contains(cited, src) {
			cited = append(cited, src)
		}
	}
	if len(s.Orders) == 0 {
		cited = r.all()
	}
	slices.SortFunc(cited, func(a, b *source) int { return a.Order - b.Order })
	if missing || len(cited) == 0 {
		c.add(Statement, s.Text, NotFound, because("no_passage"), nil)
		return c.claims
	}
	c.citing = r.cite(cited, r.head != nil && jaSitting.MatchString(s.Text))
	if s.Verbatim {
		c.quote(s.Text, false)
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
	*citing
	record   *Record
	sentence Sentence
	lines    []*line // those of all that is cited that the sentence may be from
	others   []*line // those that are not cited
	claims   []Claim

	l        *line // the sentence that is being checked
	quoted   []span
	matters  []span // what the record puts on its agenda under these words
	mentions []mention
}

func (c *checker) add(class Class, text string, v Verdict, why Reason, at *Place) {
	orders := c.sentence.Orders
	if orders == nil {
		orders = []int{}
	}
	c.claims = append(c.claims, Claim{Where: c.sentence.Where, Sentence: c.sentence.Text, Text: text, Class: class, Verdict: v, Reason: why, Orders: orders, Passage: at})
}

// jaHeldOn finds sentences that only tell that there was a meeting, or its day.
var jaHeldOn = regexp.MustCompile(`^([^0-9]+?)(?:は[0-9年月日]+に開かれた|を開会|を開いた|が開かれた|の記録である)$`)

// jaSitting finds sentences on when a sitting began and ended, which only the head of a record tells.
var jaSitting = regexp.MustCompile(`開会|開議|散会|閉会|休憩|再開`)

// at is a part of a passage as a Place.
func at(l *line, s span) *Place { return l.source.part(s) }

func (c *checker) line(l *line) {
	c.l = l
	if own := c.copied(l); own != nil {
		c.add(Statement, l.string(l.span), Supported, because("found"), at(own, own.span))
		return
	}
	if forms := c.lex().formulas[l.bare]; forms != nil {
		verdict, why := NotFound, because("outcome_absent", l.string(l.span))
		if slices.ContainsFunc(forms, func(f string) bool { return c.hay.has(f) }) {
			verdict, why = Supported, because("found")
		}
		c.add(Outcome, l.string(l.span), verdict, why, nil)
		return
	}
	if m := jaHeldOn.FindStringSubmatch(l.bare); m != nil && m[1] == bare(c.record.meeting) && !slices.ContainsFunc(l.moments, func(d moment) bool { return !c.ownDay(d) }) {
		c.add(Statement, l.string(l.span), Supported, because("found"), nil)
		return
	}
	if c.lines = c.narrow(l); len(c.lines) > fewLines {
		c.record.remember(l)
	}
	c.matters, c.others = nil, nil
	c.quotes()
	c.findMatters()
	c.mentions = c.record.mentions(l, c.sources)
	c.dates()
	c.numbers()
	c.offices()
	c.names()
	c.statements()
}

// copied finds the whole sentence of a passage that a sentence is a copy of.
func (c *checker) copied(l *line) *line {
	for _, own := range c.copies()[l.bare] {
		if c.sentence.Speaker == "" || own.source.speakerIs(c.sentence.Speaker) {
			return own
		}
	}
	return nil
}

// inQuote tells whether a part of the sentence is quoted or the name of a matter: it is compared as it is, and its words
// claim nothing.
func (c *checker) inQuote(s span) bool {
	in := func(q span) bool { return s.from >= q.from && s.to <= q.to }
	return slices.ContainsFunc(c.quoted, in) || c.isMatter(s)
}

func (c *checker) isMatter(s span) bool {
	return slices.ContainsFunc(c.matters, func(q span) bool { return s.from >= q.from && s.to <= q.to })
}

// verbatim tells whether a word of the sentence stands in the passages as it is, with what is around it.
func (c *checker) verbatim(w *word) bool {
	before, after := 6, 8
	if c.l.lang == "en" {
		before, after = 16, 24
	}
	if w.span.to+after > c.l.span.to {
		return false
	}
	return c.hay.has(bare(string(c.l.text[max(c.l.span.from, w.span.from-before) : w.span.to+after])))
}
