package proof

import (
	"regexp"
	"slices"
	"strings"
)

// segment is a part of a sentence that is about what one speaker says.
type segment struct {
	part
	all    []int     // all its words
	people []*person // who says it; nil if the sentence does not tell
	who    string
	topic  map[int]bool // words that only say what it is about: …について
	asks   bool
}

func (c *checker) lex() *lexicon {
	if c.l.lang == "ja" {
		return japaneseLexicon()
	}
	return englishLexicon()
}

// segments cuts the sentence where another speaker begins.
func (c *checker) segments() []segment {
	var starts []int // words
	var subjects []mention
	var also []*person // who is said to say it too
	for _, m := range c.mentions {
		if !m.subject || len(m.people) == 0 || !c.speaks(m) {
			continue
		}
		if len(subjects) > 0 && slices.Equal(subjects[len(subjects)-1].people, m.people) {
			continue
		}
		if joint := c.joined(m); joint != nil {
			also = append(also, joint.people[0])
		}
		for i := range c.l.words {
			if c.l.words[i].span.from >= m.span.from {
				starts = append(starts, i)
				subjects = append(subjects, m)
				break
			}
		}
	}
	var out []segment
	if len(starts) == 0 {
		s := segment{}
		if c.sentence.Speaker != "" {
			if p := c.record.find(c.sentence.Speaker); p != nil {
				s.people, s.who = []*person{p}, p.full
			}
		}
		c.fill(&s, 0, len(c.l.words))
		return append(out, s)
	}
	for k := range starts {
		from, to := starts[k], len(c.l.words)
		if k == 0 {
			from = c.afterOther(subjects[0])
		}
		if k+1 < len(starts) {
			to = starts[k+1]
		}
		s := segment{people: subjects[k].people, who: subjects[k].people[0].full}
		c.fill(&s, from, to)
		out = append(out, s)
	}
	for _, p := range also {
		s := out[0]
		s.people, s.who = []*person{p}, p.full
		out = append(out, s)
	}
	return out
}

// joined finds whoever is named with the subject: AとBは, A and B said.
func (c *checker) joined(m mention) *mention {
	for i := range c.mentions {
		o := &c.mentions[i]
		if o.span.to > m.span.from || len(o.people) == 0 || !c.speaks(*o) {
			continue
		}
		between := strings.TrimSpace(c.l.string(span{o.span.to, m.span.from}))
		if between == "と" || between == "、" || between == "and" || between == "・" || between == "" && strings.HasSuffix(o.text, "と") {
			return o
		}
	}
	return nil
}

// What stands before a speaker who was asked it: 問われた水野氏は, Asked …, Ms Calder.
var (
	jaAskedFirst = regexp.MustCompile(`(?:問われた|聞かれた|求められた|迫られた|ただされた|指摘された|問われ、|問われると、?|受け、?|対し、?)$`)
	enAskedFirst = regexp.MustCompile(`^(?:Asked|Pressed|Challenged|Questioned|Urged|Told|Responding)\b.*,\s*(?:the )?$`)
)

// afterOther is where the words of the first speaker begin: behind another who is named before, as in
// 再開を提案した岩崎氏に、和田大臣は….
func (c *checker) afterOther(first mention) int {
	from := 0
	if other := c.l.string(span{c.l.span.from, first.span.from}); enAskedFirst.MatchString(other) || jaAskedFirst.MatchString(other) {
		for i := range c.l.words {
			if c.l.words[i].span.to <= first.span.from {
				from = i + 1
			}
		}
		return from
	}
	for _, m := range c.mentions {
		if m.span.to > first.span.from || m.subject || len(m.people) == 0 || c.l.lang != "ja" || c.joined(first) != nil {
			continue
		}
		rest := c.l.string(span{m.span.to, first.span.from})
		if strings.HasPrefix(rest, "に") || strings.HasPrefix(rest, "へ") {
			for i := range c.l.words {
				if c.l.words[i].span.to <= first.span.from {
					from = i + 1
				}
			}
		}
	}
	return from
}

// speaks tells whether a mention is of somebody who speaks in what is cited.
func (c *checker) speaks(m mention) bool {
	for _, src := range c.sources {
		for _, p := range m.people {
			if p.spoke[src.Order] {
				return true
			}
		}
	}
	return false
}

func (c *checker) fill(s *segment, from, to int) {
	lex := c.lex()
	s.l = c.l
	s.topic = map[int]bool{}
	for i := from; i < to; i++ {
		w := &c.l.words[i]
		s.all = append(s.all, i)
		if w.asked || lex.ask[w.base] {
			s.asks = true
		}
		if t := w.text; strings.HasPrefix(t, "について") || strings.HasPrefix(t, "に関") || strings.HasPrefix(t, "に対") || t == "めぐり" || t == "めぐる" || t == "めぐって" || t == "巡り" || t == "巡る" {
			for j := from; j < i; j++ {
				s.topic[j] = true
			}
		}
		if w.kind != content && w.kind != name || c.inMentionOf(w.span) || c.isMatter(w.span) {
			continue
		}
		s.words = append(s.words, i)
	}
	if len(s.all) == 0 {
		return
	}
	for _, q := range c.l.quantities {
		if c.within(s, q.span) && !c.isMatter(q.span) {
			s.quantities = append(s.quantities, q)
		}
	}
	for _, d := range c.l.moments {
		if c.within(s, d.span) && !c.isMatter(d.span) {
			s.moments = append(s.moments, d)
		}
	}
}

func (c *checker) within(s *segment, sp span) bool {
	from, to := c.l.words[s.all[0]].span.from, c.l.words[s.all[len(s.all)-1]].span.to
	return sp.from >= from && sp.to <= to
}

func (c *checker) text(s *segment) string {
	return c.l.string(span{c.l.words[s.all[0]].span.from, c.l.words[s.all[len(s.all)-1]].span.to})
}

// jaSilent finds sentences on what somebody did not say, which no passage can show.
var jaSilent = regexp.MustCompile(`(?:質問|話|説明|主張|指摘|答弁)しなかった。?$`)

func (c *checker) statements() {
	if text := c.l.string(c.l.span); jaSilent.MatchString(text) {
		c.add(Polarity, text, NotFound, because("polarity_unclear"), nil)
	}
	for _, s := range c.segments() {
		if len(s.all) > 0 {
			c.segment(&s)
		}
	}
	for _, m := range c.mentions {
		if m.subject && m.named && len(m.people) > 0 && !c.speaks(m) && !c.hay.has(bare(m.people[0].family())) {
			c.add(Speaker, m.text, NotFound, because("speaker_absent", m.people[0].full), nil)
		}
	}
}

// of returns the lines of those who are said to speak, or all.
func (c *checker) of(people []*person) (own, others []*line) {
	for _, l := range c.lines {
		mine := len(people) == 0
		for _, p := range people {
			if p.spoke[l.source.Order] {
				mine = true
			}
		}
		if mine {
			own = append(own, l)
		} else {
			others = append(others, l)
		}
	}
	return own, others
}

func (c *checker) segment(s *segment) {
	own, others := c.of(s.people)
	mine := align(&s.part, own)
	if len(s.people) > 0 {
		if s.people[0].asks() && c.asksAndReplies(s) {
			c.add(Merged, c.text(s), NotFound, because("speaker_both", s.who), nil)
		}
		if len(others) > 0 && !c.speaker(s, own, others) || len(others) == 0 && !c.alone(s, own) {
			return
		}
	}
	if !c.covered(s, mine) {
		return
	}
	c.predicates(s, mine)
	c.conditions(s, mine)
}

// sameSpeech is the share of a clause that another must have said, while the one who is named has not more than the rest.
const sameSpeech = 0.7

// margin is how much better another's words must fit before they are taken for the source.
const margin = 1.0

// speaker checks that those who are said to speak say it, and not others. It reports whether to go on.
func (c *checker) speaker(s *segment, own, others []*line) bool {
	asks := func(l *line) bool { return l.question }
	if c.asksAtEnd(s) && !slices.ContainsFunc(own, asks) && slices.ContainsFunc(others, asks) {
		c.add(Speaker, c.text(s), NotFound, because("speaker_asks", s.who), nil)
		return false
	}
	// Each clause by itself: one may be another's.
	wrong, right := 0.0, 0.0
	other, verdict := "", NotFound
	for _, p := range s.clauses() {
		mine, theirs := align(&p, own), align(&p, others)
		m, t := mine.topScore(), theirs.topScore()
		if t >= m+margin && m < 0.7*p.most() {
			wrong += t
			other = others[theirs.top()].source.Speaker
			if t >= sameSpeech*p.most() && m <= (1-sameSpeech)*p.most() {
				verdict = Contradicted
			}
		} else {
			right += m
		}
	}
	switch {
	case wrong > 0 && right <= wrong/2:
		c.add(Speaker, c.text(s), verdict, because("speaker_other", s.who, other), nil)
		return false
	case wrong > 0:
		c.add(Merged, c.text(s), verdict, because("merged", s.who, other), nil)
		return false
	}
	c.add(Speaker, s.who, Supported, because("found"), nil)
	return true
}

// alone checks a segment that cites nobody but those who are said to speak: a part of it can be another's all the same. The
// passages that are cited have nothing of that part, and another passage of the record has it. It reports whether to go on.
func (c *checker) alone(s *segment, own []*line) bool {
	if c.asksAtEnd(s) && !slices.ContainsFunc(own, func(l *line) bool { return l.question }) && slices.ContainsFunc(c.rest(), func(l *line) bool { return l.question }) {
		c.add(Speaker, c.text(s), NotFound, because("speaker_asks", s.who), nil)
		return false
	}
	for _, p := range s.clauses() {
		if p.size() < 2 {
			continue
		}
		if mine := align(&p, own); mine.topScore() > (1-sameSpeech)*p.most() {
			continue
		}
		theirs := align(&p, c.rest())
		top := theirs.top()
		if top < 0 || theirs.near(top) < sameSpeech*p.most() || p.strong(theirs.lines[top], -1) < 2 {
			continue
		}
		l := theirs.lines[top]
		c.add(Merged, c.text(s), NotFound, because("merged", s.who, l.source.Speaker), at(l, l.span))
		return false
	}
	return true
}

// rest returns the lines of the record that share most with the sentence and are not cited, of speakers who are not cited
// either.
func (c *checker) rest() []*line {
	if c.others == nil {
		whole := c.record.cite(c.record.all(), false)
		c.others = slices.DeleteFunc(slices.Clone(whole.narrow(c.l)), func(l *line) bool {
			return l.source.person == nil || slices.ContainsFunc(c.sources, func(src *source) bool { return src.person == l.source.person })
		})
	}
	return c.others
}

// clauses are the parts of a segment by clause, without words that only say what it is about. Small ones go with the
// one before.
func (s *segment) clauses() []part {
	var out []part
	last := -1
	add := func(clause int, grow func(p *part)) {
		if last != clause && (len(out) == 0 || out[len(out)-1].size() >= 2) {
			out = append(out, part{l: s.l})
		}
		last = clause
		grow(&out[len(out)-1])
	}
	for _, wi := range s.words {
		if !s.topic[wi] {
			add(s.l.words[wi].clause, func(p *part) { p.words = append(p.words, wi) })
		}
	}
	for _, q := range s.quantities {
		for i := range out {
			if len(out[i].words) > 0 && s.l.words[out[i].words[len(out[i].words)-1]].clause >= s.l.clauseAt(q.span.from) || i == len(out)-1 {
				out[i].quantities = append(out[i].quantities, q)
				break
			}
		}
	}
	for _, d := range s.moments {
		for i := range out {
			if len(out[i].words) > 0 && s.l.words[out[i].words[len(out[i].words)-1]].clause >= s.l.clauseAt(d.span.from) || i == len(out)-1 {
				out[i].moments = append(out[i].moments, d)
				break
			}
		}
	}
	return out
}

// asksAtEnd tells whether the segment itself is told as a question, not just speaks of one.
func (c *checker) asksAtEnd(s *segment) bool {
	if c.l.lang == "en" {
		return slices.ContainsFunc(s.all, func(i int) bool {
			switch c.l.words[i].base {
			case "ask", "question", "wonder", "inquir", "enquir", "query":
				return i > 0 && !c.inQuote(c.l.words[i].span) // Asked if it was so, she said
			}
			return false
		})
	}
	n := 0
	for i := len(s.all) - 1; i >= 0 && n < 8; i-- {
		w := c.l.words[s.all[i]]
		if c.lex().ask[w.base] {
			return true
		}
		if jaReplies[w.base] && w.force == happened {
			return false
		}
		n++
	}
	return false
}

var jaReplies = set("答える 答弁 回答 応じる")

// asksAndReplies tells of a Japanese segment in which the same person asks something and gives an answer: Aは…と質問したとし、…と答えた.
func (c *checker) asksAndReplies(s *segment) bool {
	asks, replies := false, false
	for k, i := range s.all {
		w := &c.l.words[i]
		if w.force != happened || c.l.lang != "ja" {
			continue
		}
		passive := k+1 < len(s.all) && (c.l.words[i+1].base == "れる" || c.l.words[i+1].base == "られる")
		asks = asks || c.lex().ask[w.base] && w.pred && !passive
		replies = replies || jaReplies[w.base]
	}
	return asks && replies
}

// leastCover is the share of a sentence's words that must be found.
const leastCover = 0.34

// covered checks that the passages speak of what the sentence speaks of.
func (c *checker) covered(s *segment, mine *alignment) bool {
	sum, n := 0.0, 0.0
	report := c.l.report()
	for k, wi := range s.words {
		w := &c.l.words[wi]
		if c.inQuote(w.span) || w.generic || jaGroups[w.base] || wi >= report {
			continue
		}
		n++
		v := mine.cover(k)
		if v == 0 && (c.hay.has(bare(w.text)) || c.words()[w.base] || c.l.lang == "ja" && c.pieces(w.text) || c.before.has(bare(w.text))) {
			v = kindred
		}
		sum += v
	}
	for k := len(s.words); k < s.size(); k++ { // figures and times say more than words
		n += atomWeight
		sum += mine.cover(k)
	}
	if len(c.quoted) > 0 && n <= 2 {
		n = 0 // the quotation says it all
	}
	if n == 0 && (len(s.people) > 0 || len(c.matters) > 0) && c.l.lang == "ja" && !slices.ContainsFunc(s.words, func(i int) bool { return c.l.words[i].negated }) { // only that somebody speaks, or that a matter is treated
		c.add(Statement, c.text(s), Supported, because("found"), nil)
		return false
	}
	if n > 0 && sum/n < leastCover {
		c.add(Statement, c.text(s), NotFound, because("statement"), nil)
		return false
	}
	var where *Place
	if top := mine.top(); top >= 0 {
		where = at(mine.lines[top], mine.lines[top].span)
	} else if s.size() > 0 && len(c.quoted) == 0 {
		c.add(Statement, c.text(s), NotFound, because("statement"), nil)
		return false
	}
	c.add(Statement, c.text(s), Supported, because("found"), where)
	return true
}

// candidate is a word of a passage that may be what a word of the sentence is from.
type candidate struct {
	l       *line
	v       *word
	score   float64
	opposed bool
	exact   bool
}

func (c *checker) candidates(w *word, s *segment, mine *alignment) []candidate {
	var out []candidate
	for i, l := range mine.lines {
		if mine.total[i] == 0 {
			continue
		}
		for j := range l.words {
			v := &l.words[j]
			if !v.pred && v.axes == nil && (w.base != v.base || c.l.lang == "ja") {
				continue
			}
			strength, opposed := match(w, v)
			if strength < synonym {
				continue
			}
			out = append(out, candidate{l, v, mine.near(i) + 0.6*s.inClause(l, v.clause) + strength, opposed, strength == exact})
		}
	}
	slices.SortStableFunc(out, func(a, b candidate) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		}
		return 0
	})
	// The word itself says more than one like it.
	if i := slices.IndexFunc(out, func(x candidate) bool { return x.exact }); i >= 0 && out[i].score >= out[0].score-1 {
		out = slices.DeleteFunc(out, func(x candidate) bool { return !x.exact })
	}
	return out
}

// slack is how much worse a passage may fit and still speak for the sentence.
const slack = 0.8

// reach is how far, in words, a word can be from what it denies.
const reach = 8
