package proof

import (
	"slices"
	"strings"
)

var (
	enOffices = set("speaker minister secretary chancellor mayor leader chair chairman chairwoman chairperson president director spokesman spokeswoman spokesperson chief professor governor commissioner treasurer head manager inspector superintendent ombudsman principal headteacher premier taoiseach officer executive whip convener provost sheriff judge")
	enMember  = set("mp mps councillor cllr member senator backbencher mr mrs ms miss dr sir dame lord lady baroness hon msp td peer")
	enRankMod = set("former deputy shadow acting vice junior assistant ex-minister interim prime first")
)

func (r *Record) mentionsEnglish(l *line, cited []*source) []mention {
	var out []mention
	taken := make([]bool, len(l.words)+1)
	low := func(i int) string {
		if i < 0 || i >= len(l.words) {
			return ""
		}
		return strings.ToLower(strings.TrimSuffix(l.words[i].text, "'s"))
	}
	for _, p := range r.people {
		if p.japanese {
			continue
		}
		full := strings.Fields(strings.ToLower(p.full))
		family := strings.ToLower(p.family())
		for i := range l.words {
			if taken[i] || low(i) != family || !isUpper(l.words[i].text) {
				continue
			}
			from := i
			if n := len(full); n > 1 && i >= n-1 && low(i-n+1) == full[0] {
				from = i - n + 1
			}
			m := mention{named: true, people: r.called(p.family()), span: span{l.words[from].span.from, l.words[i].span.to}}
			for j := from; j <= i; j++ {
				taken[j] = true
			}
			m.title = titleBefore(l, from, low)
			if low(i+1) == "," && (low(i+2) == "the" || enOffices[low(i+2)] || enOffices[low(i+3)] || enRankMod[low(i+2)]) {
				m.title = strings.TrimSpace(m.title + " " + phrase(l, i+2, low))
			}
			if low(i+1) == "(" {
				for j := i + 2; j < len(l.words) && low(j) != ")"; j++ {
					m.party += l.words[j].text + " "
				}
				m.party = strings.TrimSpace(m.party)
			}
			if low(i+1) == "of" && low(i+2) == "the" && isUpper(textAt(l, i+3)) {
				m.party = strings.TrimSpace(phrase(l, i+3, low))
				if words := strings.Fields(m.party); len(words) > 3 {
					m.party = strings.Join(words[:3], " ")
				}
			}
			m.subject = isSubject(l, from, i, low)
			m.text = l.string(m.span)
			out = append(out, m)
		}
	}
	for i := range l.words { // an office without a name
		if taken[i] || !enOffices[low(i)] || low(i) == "head" || low(i) == "chief" && enOffices[low(i+1)] {
			continue
		}
		from := i
		for from > 0 && i-from < 4 && (l.words[from-1].kind != function || enRankMod[low(from-1)]) && !isPunct(low(from-1)) && low(from-1) != "and" && !englishLexicon().say[l.words[from-1].base] && !englishLexicon().ask[l.words[from-1].base] {
			from--
		}
		if low(from-1) != "the" && from != 0 && !isUpper(l.words[i].text) {
			continue
		}
		to := i
		if (low(i+1) == "for" || low(i+1) == "of") && i+2 < len(l.words) && (isUpper(l.words[i+2].text) || low(i+2) == "the") {
			to = i + 2
			for to+1 < len(l.words) && (isUpper(l.words[to+1].text) || low(to+1) == "and" && isUpper(textAt(l, to+2))) {
				to++
			}
		}
		if taken[from] || to+1 < len(taken) && taken[to+1] && !isPunct(low(to+1)) {
			continue
		}
		m := mention{span: span{l.words[from].span.from, l.words[to].span.to}, subject: isSubject(l, from, to, low)}
		m.text = l.string(m.span)
		m.title = m.text
		for _, src := range cited {
			if p := src.person; p != nil && p.holdsEnglish(m.title) == yes && len(p.offices) > 0 && !slices.Contains(m.people, p) {
				m.people = append(m.people, p)
			}
		}
		out = append(out, m)
	}
	slices.SortFunc(out, func(a, b mention) int { return a.span.from - b.span.from })
	return out
}

func textAt(l *line, i int) string {
	if i < 0 || i >= len(l.words) {
		return ""
	}
	return l.words[i].text
}

func isUpper(s string) bool { return s != "" && s[0] >= 'A' && s[0] <= 'Z' }

func isPunct(s string) bool {
	return s == "," || s == "." || s == ";" || s == ":" || s == "\"" || s == "(" || s == ")" || s == "-" || s == ""
}

// titleBefore is the office in front of a name.
func titleBefore(l *line, at int, low func(int) string) string {
	if enMember[low(at-1)] && !enOffices[low(at-2)] && !enRankMod[low(at-2)] && !enMember[low(at-2)] { // Mr alone; what stands before it is no office
		return l.words[at-1].text
	}
	from, found := at, false
	for j := at - 1; j >= 0 && at-j <= 6; j-- {
		w := low(j)
		if isPunct(w) && w != "," || w == "," && j != at-1 || englishLexicon().say[l.words[j].base] || w == "and" && !found || w == "by" || w == "from" || w == "to" || w == "that" || w == "with" {
			break
		}
		if enOffices[w] || enMember[w] || enRankMod[w] {
			found = true
		}
		from = j
		if w == "the" {
			break
		}
	}
	if !found {
		return ""
	}
	return l.string(span{l.words[from].span.from, l.words[at-1].span.to})
}

// phrase is what follows up to the next sign.
func phrase(l *line, from int, low func(int) string) string {
	to := from
	for to < len(l.words) && to-from < 7 && !isPunct(low(to)) && !englishLexicon().say[l.words[to].base] && !englishLexicon().ask[l.words[to].base] {
		to++
	}
	if to == from {
		return ""
	}
	return l.string(span{l.words[from].span.from, l.words[to-1].span.to})
}

// isSubject tells whether the words from i to j are followed by a verb, or follow one that has its subject behind it.
func isSubject(l *line, i, j int, low func(int) string) bool {
	lex := englishLexicon()
	k := j + 1
	if low(k) == "(" {
		for k < len(l.words) && low(k) != ")" {
			k++
		}
		k++
	}
	if low(k) == "," { // , the Minister for Schools,
		for n := k + 1; n < len(l.words) && n < k+9; n++ {
			if low(n) == "," {
				k = n + 1
				if strings.HasSuffix(low(k), "s") {
					return true
				}
				break
			}
		}
	}
	for n := k; n < k+3 && n < len(l.words); n++ {
		w := low(n)
		if isPunct(w) || w == "and" {
			break
		}
		if lex.say[l.words[n].base] || lex.ask[l.words[n].base] || lex.demand[l.words[n].base] || enPast[w] || strings.HasSuffix(w, "ed") || enModal[w] || w == "is" || w == "has" || w == "does" || strings.HasSuffix(w, "n't") || w == "did" || w == "not" {
			return true
		}
	}
	if low(k) == "of" || low(k) == "from" || low(k) == "for" { // of the Green Group, said
		for n := k; n < k+8 && n < len(l.words) && !isPunct(low(n)); n++ {
			if lex.say[l.words[n].base] || lex.ask[l.words[n].base] || lex.demand[l.words[n].base] {
				return true
			}
		}
	}
	prev := i - 1
	for prev >= 0 && (low(prev) == "the" || enMember[low(prev)] || enOffices[low(prev)]) {
		prev--
	}
	return prev >= 0 && (lex.say[l.words[prev].base] || low(prev) == "to" && low(prev-1) == "according") && (i == 0 || low(prev) != "told" && low(prev) != "tell")
}

// holdsEnglish tells whether somebody has an office or a party in the record.
func (p *person) holdsEnglish(title string) answer {
	if strings.TrimSpace(title) == "" {
		return yes
	}
	known := map[string]bool{}
	for _, o := range append(slices.Clone(p.offices), p.parties...) {
		for _, w := range strings.FieldsFunc(strings.ToLower(o), func(r rune) bool { return r == ' ' || r == ',' || r == '(' || r == ')' || r == '-' }) {
			known[stem(w)] = true
		}
	}
	lex := englishLexicon()
	office, wrong := false, false
	hasOffice := len(p.offices) > 0
	for _, w := range strings.FieldsFunc(strings.ToLower(title), func(r rune) bool { return r == ' ' || r == ',' || r == '(' || r == ')' || r == '-' }) {
		w = strings.TrimSuffix(w, "'s")
		b := stem(w)
		switch {
		case w == "the" || w == "of" || w == "for" || w == "and" || w == "to" || w == "a" || w == "our" || enMember[w] || w == "party" || w == "right" || w == "honourable":
		case known[b]:
			office = office || enOffices[w]
		case enOffices[w]:
			if w == "minister" && !strings.Contains(strings.ToLower(title), "of state") && (known[stem("secretary")] || known[stem("chancellor")] || known[stem("minister")]) {
				office = true
			} else if same(lex, b, known) {
				office = true
			} else {
				wrong = true
			}
		case enRankMod[w]:
			wrong = true
		case same(lex, b, known):
		default:
			wrong = true
		}
	}
	for mod := range enRankMod { // "deputy" left out makes another office
		if known[mod] && office && !strings.Contains(strings.ToLower(title), mod) && mod != "first" {
			wrong = true
		}
	}
	switch {
	case !wrong:
		return yes
	case hasOffice || len(p.parties) > 0:
		return no
	}
	return unknown
}

func same(lex *lexicon, base string, known map[string]bool) bool {
	for k := range known {
		for _, g := range lex.groups[base] {
			if slices.Contains(lex.groups[k], g) {
				return true
			}
		}
		if n := commonPrefix(base, k); n >= 5 && n >= min(len(base), len(k))-1 {
			return true
		}
	}
	return false
}

func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
