package proof

import (
	"slices"
	"strings"
)

var jaStages = []string{"本会議", "委員会", "趣旨説明", "継続審査", "附帯決議", "閉会中審査", "公聴会", "両院協議会", "一般質問", "代表質問", "閣議決定", "施行", "公布", "付託"}

// jaSteps are stages that each matter of a record reaches by itself: the words must stand where the sentence is from.
var jaSteps = set("採決 施行 公布 付託 成立 撤回")

// stagesJapanese checks what the sentence says of how far a matter has come.
func (c *checker) stagesJapanese(report func(class Class, text, reason string)) {
	l := c.l
	var from *origin
	where := func() *origin {
		if from == nil {
			from = c.origin()
		}
		return from
	}
	for i := range l.words {
		w := &l.words[i]
		if !japaneseLexicon().stage[w.text] || c.inQuote(w.span) || w.text == "議題" {
			continue
		}
		in := &origin{c.sources, c.lines, c.hay}
		if jaSteps[w.text] {
			in = where()
		}
		var ok bool
		switch {
		case w.text == "成立":
			ok = in.hay.has("成立")
		case w.text == "採決" && slices.ContainsFunc(in.sources, func(src *source) bool { return src.votes() }):
			ok = true
		case w.pred:
			ok = happens(w, in.lines) || in.hay.has(w.text+"に") || in.hay.has(w.text+"を") || in.hay.has(w.text+"は") || in.hay.has(w.text+"が")
		default:
			ok = in.hay.has(bare(w.text)) || c.known(w)
		}
		if ok {
			c.add(Stage, w.text, Supported, because("found"), nil)
		} else {
			report(Stage, w.text, "stage_absent")
		}
	}
	text := l.string(l.span)
	if body, other := "本会議", "委員会"; strings.Contains(text, body) != strings.Contains(text, other) && !strings.HasPrefix(l.bare, bare(c.record.meeting)) { // which of the two bodies
		if strings.Contains(text, other) {
			body, other = other, body
		}
		if mine := align(&part{l: l, words: l.contents()}, c.lines); mine.top() >= 0 {
			top := mine.lines[mine.top()]
			if from := top.string(top.span); strings.Contains(from, other) && !strings.Contains(from, body) {
				report(Stage, body, "stage_absent")
			}
		}
	}
	if strings.Contains(text, "本会議で") && strings.Contains(text, "すべきもの") && !slices.ContainsFunc(where().sources, func(src *source) bool { return src.hay.has("本会議") }) {
		report(Stage, "本会議", "stage_absent") // only a committee says what ought to be passed
	}
	for _, stage := range jaStages {
		if strings.Contains(text, stage) && !c.quotedText(stage) && !where().hay.has(stage) && !(len(stage) > len("本会議") && where().hay.pieces(stage)) {
			report(Stage, stage, "stage_absent")
		}
	}
}

// happens tells whether a line says a word as something that is done, not just in passing.
func happens(w *word, lines []*line) bool {
	for _, l := range lines {
		for i := range l.words {
			if v := &l.words[i]; v.pred || v.axes != nil || w.base != v.base {
				if s, opposed := match(w, v); s >= synonym && (!opposed || w.axes != nil) {
					return true
				}
			}
		}
	}
	return false
}

// origin is where a sentence is from.
type origin struct {
	sources []*source
	lines   []*line
	hay     stack
}

// fewSources is how many passages a sentence cites that says where it is from.
const fewSources = 3

// origin returns the passages that say most of what the sentence says, with the head of the record; all that are cited if
// they are few.
func (c *checker) origin() *origin {
	if len(c.sources) <= fewSources {
		return &origin{c.sources, c.lines, c.hay}
	}
	mine := align(&part{l: c.l, words: c.l.contents(), quantities: c.l.quantities, moments: c.l.moments}, c.lines)
	least := max(0.75*mine.topScore(), mine.topScore()-slack)
	out := &origin{hay: stack{{text: bare(c.record.meeting)}}}
	add := func(src *source) {
		if !slices.Contains(out.sources, src) {
			out.sources = append(out.sources, src)
			out.hay = append(out.hay, src.who, src.hay)
		}
	}
	for i, l := range mine.lines {
		if mine.total[i] > 0 && mine.near(i) >= least {
			add(l.source)
		}
	}
	if c.record.head != nil {
		add(c.record.head)
	}
	for _, l := range c.lines {
		if slices.Contains(out.sources, l.source) {
			out.lines = append(out.lines, l)
		}
	}
	return out
}
