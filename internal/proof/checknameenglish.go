package proof

import (
	"regexp"
	"slices"
	"strings"
)

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
		case c.words()[stem(low)] || c.words()[low+"s"] || c.words()[strings.TrimSuffix(low, "s")] || demonyms[low] != "" && c.hay.has(demonyms[low]) || c.hay.has(low) && len(low) > 3 || c.acronym(w.text):
			c.add(Name, w.text, Supported, because("found"), nil)
		case strings.Contains(low, "-") && c.parts(low):
		case enPlainNames[low] || enMonths[low] > 0 || enWeekdays[w.text] > 0 || enTitles[low] || enOffices[low]:
		case c.anyPrefix(low):
		case c.before.has(low) && !c.record.isPerson(w.text), c.inContext(w):
		default:
			c.add(Name, w.text, NotFound, because("name_absent", w.text), nil)
		}
	}
	text := strings.ToLower(l.string(l.span))
	for _, m := range enStages.FindAllString(text, -1) {
		if c.hay.has(bare(m)) || c.stageWords(m) {
			c.add(Stage, m, Supported, because("found"), nil)
		} else {
			c.add(Stage, m, NotFound, because("stage_absent", m), nil)
		}
	}
}

func (c *checker) parts(low string) bool {
	for _, p := range strings.Split(low, "-") {
		if !c.words()[stem(p)] && len(p) > 2 {
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
				return slices.ContainsFunc(p.orders, func(o int) bool { return o < c.sources[0].Order && o >= c.sources[0].Order-contextSpan })
			})
		}
	}
	return false
}

// demonyms are names that say the same of a country and its people.
var demonyms = func() map[string]string {
	m := map[string]string{}
	for _, p := range strings.Fields("welsh:wales scottish:scotland scots:scotland english:england irish:ireland french:france german:germany dutch:netherlands spanish:spain japanese:japan chinese:china american:unitedstates british:britain danish:denmark swedish:sweden italian:italy") {
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
		if !c.words()[stem(w)] {
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
	for k := range c.words() {
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
	return slices.ContainsFunc(c.sources, func(src *source) bool { return strings.Contains(src.initials(), text) })
}

// opensWithName tells whether the first word of a sentence is a name: another name or a verb of saying follows.
func (c *checker) opensWithName(i int) bool {
	l := c.l
	w := &l.words[i]
	if w.kind != content || c.words()[w.base] || i+1 >= len(l.words) {
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
