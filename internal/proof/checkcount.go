package proof

import (
	"regexp"
	"slices"
	"strings"
)

var (
	jaCountAsk    = regexp.MustCompile(`^(?:人|名)(?:の議員|の委員)?が?(?:質問|質疑|ただし|尋ね)`)
	jaCountAnswer = regexp.MustCompile(`^(?:人|名)が(?:答え|答弁)`)
	jaCountStance = regexp.MustCompile(`^(?:人|名)が(賛成|反対)`)
	jaStance      = regexp.MustCompile(`(賛成|反対)(?:の(?:立場|討論|意)|し|いたし|する|です|、|討論)`)
	jaCountHeard  = regexp.MustCompile(`^(?:人|名)(?:から(?:意見を)?(?:聴|聞)|が意見)`)
)

// counted tells whether a figure is the number of those who speak in the passages.
func (c *checker) counted(q quantity) bool {
	if c.l.lang != "ja" || q.isRange() || q.low > 99 {
		return false
	}
	people, n := map[*person]bool{}, 0
	add := func(fits func(p *person, src *source) bool) {
		for _, src := range c.sources {
			if p := src.person; p != nil && fits(p, src) {
				people[p] = true
			}
		}
		n = len(people)
	}
	rest := string(c.l.text[q.span.from:c.l.span.to])
	rest = strings.TrimLeft(rest, "0123456789一二三四五六七八九十百")
	presides := func(p *person) bool {
		return slices.ContainsFunc(p.offices, func(o string) bool { return strings.HasSuffix(o, "委員長") || strings.HasSuffix(o, "議長") })
	}
	asks := func(src *source) bool {
		return slices.ContainsFunc(src.read().lines, func(l *line) bool { return l.question })
	}
	switch {
	case jaCountAsk.MatchString(rest):
		add(func(p *person, src *source) bool { return !presides(p) && p.asks() && asks(src) })
	case jaCountAnswer.MatchString(rest):
		add(func(p *person, src *source) bool { return !presides(p) && !p.asks() })
	case jaCountStance.MatchString(rest): // somebody can be for one bill and against another
		word, least := jaCountStance.FindStringSubmatch(rest)[1], 0
		add(func(p *person, src *source) bool {
			own, other := 0, 0
			for _, m := range jaStance.FindAllStringSubmatch(src.hay.text, -1) {
				if m[1] == word {
					own++
				} else {
					other++
				}
			}
			if own > 0 && other == 0 && !presides(p) {
				least++
			}
			return own > 0 && !presides(p)
		})
		return n >= int(q.low) && least <= int(q.low)
	case jaCountHeard.MatchString(rest):
		add(func(p *person, src *source) bool {
			return slices.ContainsFunc(p.offices, func(o string) bool { return strings.HasSuffix(o, "参考人") || strings.HasSuffix(o, "公述人") })
		})
	default:
		return false
	}
	return n == int(q.low)
}

var (
	jaTallied  = regexp.MustCompile(`^(?:件|案)(?:を(?:決|可決|是認|否決|採決|承認|採択|議決|審議|議題)|について(?:報告|質疑|説明)|の(?:趣旨|採決|審議|質疑))`)
	jaDecision = regexp.MustCompile(`(?:可決|否決|承認|採択|同意|議決|選任|指名|当選|許可|決定)(?:され|せられ|すべき|する|し|いた|を|と|に)[^。]{0,20}(?:ました|した)|決しました|決定(?:いた|し)|決しまし`)
)

// tallied tells whether a figure is the number of matters that the record decides or names: no more than there are.
func (c *checker) tallied(q quantity) bool {
	if c.l.lang != "ja" || q.isRange() || q.unit != "件" || !jaTallied.MatchString(strings.TrimLeft(string(c.l.text[q.span.from:c.l.span.to]), "0123456789一二三四五六七八九十")) {
		return false
	}
	return q.low >= 1 && int(q.low) <= c.record.tally()
}

// countMatters counts the matters that the record decides, or those that it names if they are more.
func (r *Record) countMatters() int {
	decided, named := 0, map[string]bool{}
	for _, src := range r.sources {
		decided += len(jaDecision.FindAllString(src.hay.text, -1))
		for _, piece := range strings.FieldsFunc(src.Text, func(r rune) bool { return strings.ContainsRune("、。　 \n\r（(○―─", r) }) {
			if piece = bare(piece); jaMatter.MatchString(piece) && len([]rune(piece)) >= leastMatter {
				named[piece] = true
			}
		}
	}
	return max(decided, len(named))
}
