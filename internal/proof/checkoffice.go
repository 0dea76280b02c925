package proof

import (
	"regexp"
	"slices"
	"strings"
)

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
		if !c.hay.has(text) && !c.before.has(text) && !slices.ContainsFunc(c.record.people, func(p *person) bool { return p.holds(text) == yes && len(p.offices) > 0 }) {
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
	case best == unknown && c.heldByOther(title, who) && !c.record.introduced(title, who):
		c.add(Office, title, Contradicted, because("office_other", who.full, strings.Join(append(slices.Clone(who.offices), who.parties...), ", "), title), nil)
	case c.record.introduced(title, who), c.titleInText(title) && (best == unknown || c.hay.has(bare(who.family()+title)) || c.hay.has(bare(title+who.family())) || c.hay.has(bare(title+who.full))):
		c.add(Office, title, Supported, because("found"), nil)
	case best == unknown:
		c.add(Office, title, NotFound, because("office_absent", who.full, title), nil)
	default:
		verdict := NotFound // somebody can have an office that the record does not give
		if who.otherwise(title) || c.heldByOther(title, who) {
			verdict = Contradicted
		}
		c.add(Office, title, verdict, because("office_other", who.full, strings.Join(append(slices.Clone(who.offices), who.parties...), ", "), title), nil)
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
		return c.hay.has(bare(title)) || c.pieces(title)
	}
	for _, w := range strings.Fields(strings.ToLower(title)) {
		w = strings.TrimSuffix(w, "'s")
		if englishLexicon().stop[w] || enMember[w] {
			continue
		}
		if !c.words()[stem(w)] && !same(englishLexicon(), stem(w), c.words()) && !c.before.has(w) {
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
	if c.record.introduced(m.party, m.people[0]) {
		c.add(Office, m.party, Supported, because("found"), nil)
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
	case c.hay.has(bare(m.party)):
		c.add(Office, m.party, Supported, because("found"), nil)
	default:
		c.add(Office, m.party, NotFound, because("office_absent", who.full, m.party), nil)
	}
}
