package proof

import (
	"regexp"
	"strings"
	"time"
	"unicode"
)

// irregular has the forms of verbs and nouns that no ending explains.
var irregular = pairs(`said:say told:tell fell:fall fallen:fall rose:rise risen:rise grew:grow grown:grow gave:give given:give took:take taken:take made:make
went:go gone:go came:come began:begin begun:begin bought:buy brought:bring built:build chose:choose chosen:choose cut:cut did:do done:do drew:draw drove:drive
felt:feel fought:fight found:find got:get held:hold heard:hear kept:keep knew:know known:know laid:lay led:lead left:leave lent:lend lost:lose meant:mean met:meet paid:pay
put:put read:read ran:run saw:see seen:see sold:sell sent:send set:set shut:shut sat:sit spoke:speak spoken:speak spent:spend stood:stand struck:strike
taught:teach thought:think threw:throw understood:understand won:win wrote:write written:write broke:break broken:break became:become hit:hit hurt:hurt lit:light shrank:shrink
sank:sink stolen:steal stole:steal sought:seek withdrew:withdraw withdrawn:withdraw overturned:overturn children:child people:people women:woman men:man wives:wife lives:life halves:half
undertook:undertake forbade:forbid forbidden:forbid beat:beat beaten:beat bid:bid burnt:burn caught:catch dealt:deal dug:dig eaten:eat ate:eat flew:fly flown:fly froze:freeze frozen:freeze hid:hide
hidden:hide rang:ring rode:ride shook:shake shot:shoot shown:show sprang:spring stuck:stick swept:sweep swore:swear wore:wear worn:wear wound:wind bound:bind fed:feed fled:flee slid:slide
published:publish proposed:propose closed:close raised:raise used:use based:base cities:city bodies:body ayes:aye noes:noe decision:decide decisions:decide approval:approve approvals:approve closure:close
refusal:refuse proposal:propose proposals:propose reduction:reduce reductions:reduce introduction:introduce expansion:expand opposition:oppose rejection:reject growth:grow payment:pay payments:pay funding:fund
publication:publish agreement:agree consultation:consult intention:intend inspection:inspect objection:object failure:fail loss:loss losses:loss`)

func pairs(text string) map[string]string {
	m := map[string]string{}
	for _, p := range strings.Fields(text) {
		from, to, _ := strings.Cut(p, ":")
		m[from] = to
	}
	return m
}

// stem gives the forms of a word one form.
func stem(w string) string {
	w = strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(w), "'s"), "'")
	if to, ok := irregular[w]; ok {
		w = to
	}
	n := len(w)
	switch {
	case n > 4 && strings.HasSuffix(w, "ies"):
		return w[:n-3] + "y"
	case n > 4 && (strings.HasSuffix(w, "sses") || strings.HasSuffix(w, "shes") || strings.HasSuffix(w, "ches") || strings.HasSuffix(w, "xes")):
		w = w[:n-2]
	case n > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us") && !strings.HasSuffix(w, "is"):
		w = w[:n-1]
	}
	n = len(w)
	switch {
	case n > 5 && strings.HasSuffix(w, "ied"):
		return w[:n-3] + "y"
	case n > 5 && strings.HasSuffix(w, "ing"):
		w = undouble(w[:n-3])
	case n > 4 && strings.HasSuffix(w, "ed") && w != "need" && w != "speed" && w != "exceed" && w != "proceed" && w != "agreed":
		w = undouble(w[:n-2])
	case w == "agreed":
		return w[:n-2] // as agree loses its last letter below
	}
	n = len(w)
	if n > 3 && strings.HasSuffix(w, "e") {
		w = w[:n-1]
	}
	if n > 5 && strings.HasSuffix(w, "ly") {
		w = w[:n-2]
	}
	return w
}

func undouble(w string) string {
	n := len(w)
	if n > 3 && w[n-1] == w[n-2] && w[n-1] != 'l' && w[n-1] != 's' && w[n-1] != 'e' {
		return w[:n-1]
	}
	return w
}

var (
	enWord     = regexp.MustCompile(`[A-Za-zÀ-ÿ]+(?:['-][A-Za-zÀ-ÿ]+)*|[0-9][0-9,.]*|[^\sA-Za-z0-9]`)
	enPast     = set("said told fell rose grew gave took made went came began bought brought built chose did drew drove felt fought found got held heard kept knew led left lost meant met paid ran saw sold sent spoke spent stood struck taught thought threw won wrote broke became sought withdrew was were had put set cut hit shut")
	enModal    = set("will would shall should can could may might must to 'll cannot")
	enSubject  = set("he she they we i it who which never also not")
	enClause   = set("but while although though whereas because however which who")
	enAfterAnd = set("he she they it we i will would said asked told has have had is was were did does called warned added urged argued that whether if")
	enOpens    = set("does do did is are was were will would can could should has have may what why how when which who where shall must had isn't doesn't won't can't")
	enCond     = set("if unless provided providing once until assuming except excluding")
	enDeny     = set("not no never nobody nothing none neither nor cannot hardly")
	enBe       = set("is are was were be been being has have had get got")
)

func (l *line) readEnglish(ref time.Time) {
	lex := englishLexicon()
	s := string(l.text[l.span.from:l.span.to])
	at := runeOffsets(s)
	l.moments = englishDates(l.text[l.span.from:l.span.to], ref)
	inDate := make([]bool, l.span.to-l.span.from+1)
	for i := range l.moments {
		p := &l.moments[i].span
		p.from, p.to = p.from+l.span.from, p.to+l.span.from
		for j := p.from; j < p.to; j++ {
			inDate[j-l.span.from] = true
		}
	}
	l.quantities = englishNumbers(l.text[l.span.from:l.span.to], func(i int) bool { return inDate[i] })
	for i := range l.quantities {
		q := &l.quantities[i]
		q.span.from, q.span.to, q.start, q.end = q.span.from+l.span.from, q.span.to+l.span.from, q.start+l.span.from, q.end+l.span.from
	}
	first := true
	for _, m := range enWord.FindAllStringIndex(s, -1) {
		w := word{text: s[m[0]:m[1]], span: span{l.span.from + at[m[0]], l.span.from + at[m[1]]}, force: noForce}
		w.base = stem(w.text)
		r := rune(w.text[0])
		letters := unicode.IsLetter([]rune(w.text)[0])
		switch {
		case inDate[w.span.from-l.span.from]:
		case isDigit(r):
			w.kind = figure
		case !letters:
		case thrown(s[:m[1]]): // voted down, threw out
			w.kind, w.base = content, "reject"
		case directional(s, m[0], m[1]):
			w.kind = content
		case lex.stop[strings.ToLower(w.text)] || lex.stop[w.base] || strings.HasSuffix(strings.ToLower(w.text), "n't"):
		case unicode.IsUpper([]rune(w.text)[0]) && !first:
			w.kind = name
		default:
			w.kind = content
		}
		w.generic = w.kind == content && genericEnglish[w.base]
		for _, q := range l.quantities {
			if w.span.from >= q.start && w.span.to <= q.end && w.kind != figure {
				w.kind = function
			}
		}
		w.groups, w.axes = lex.groups[w.base], lex.axes[w.base]
		if letters || isDigit(r) {
			first = false
		}
		if (w.base == "end" || w.base == "start") && strings.HasPrefix(s[m[1]:], " of ") {
			w.kind, w.axes = function, nil
		}
		if w.text == "\"" || w.text == ":" {
			first = true // a quotation begins with a capital, as a sentence does
		}
		l.words = append(l.words, w)
	}
	l.clausesEnglish()
	l.featuresEnglish()
}

var (
	enDirection = regexp.MustCompile(`^(?i:up|down) (?:by|from|to|[0-9])|^(?i:more|fewer|less) than|^(?i:more|fewer|less)[ .,]`)
	enThrown    = regexp.MustCompile(`(?i)(?:voted|vote|turned|shot) down$|(?:threw|thrown|throw|kicked) out$`)
	enMoved     = regexp.MustCompile(`(?i)(?:come|came|go|goes|gone|went|going|is|was|were|been) $`)
	enCompared  = regexp.MustCompile(`^ than (?:at any|ever|in|expected|before|last|a year)`)
	enMeasured  = regexp.MustCompile(`(?i)(?:per cent|percent|%|points|[0-9]) $`)
)

func thrown(s string) bool {
	tail := s[max(0, len(s)-len("turned down")):]
	return (strings.HasSuffix(tail, "down") || strings.HasSuffix(tail, "out")) && enThrown.MatchString(tail)
}

// directional tells of words that say which way a figure went, though they are otherwise too common to count.
func directional(s string, from, to int) bool {
	switch strings.ToLower(s[from:to]) {
	case "up", "down":
		return enDirection.MatchString(s[from:]) || enMoved.MatchString(s[:from])
	case "more", "fewer", "less":
		return enMeasured.MatchString(s[:from]) || enCompared.MatchString(s[to:])
	}
	return false
}

var enDeterminer = set("the a an its their his her our no some all each every that this")

var genericEnglish = func() map[string]bool {
	m := map[string]bool{}
	for w := range set("say said tell told state ask asked add added answer reply replied explain according question matter issue thing point way time part case fact view response statement claim note stress insist argue call urge warn announce confirm report describe mention also well make take get go come give put do need want like include including regard regarding concern relate relating respect current currently number member house committee speaker minister government council party today yesterday meeting debate session whether about minister's plan plans planned expect expected set due aim intend intended propose proposed proposal decide decision will new able still yet however meanwhile instead despite raise raised provide held hold seek sought mean saying work use used place set ensure particular particularly order kind sort lot etc later earlier earl") {
		m[stem(w)] = true
	}
	return m
}()

func (l *line) clausesEnglish() {
	clause := 0
	low := func(i int) string {
		if i < 0 || i >= len(l.words) {
			return ""
		}
		return strings.ToLower(l.words[i].text)
	}
	start := 0
	for i := range l.words {
		w := low(i)
		newClause := false
		switch {
		case w == ";" || w == ":":
			newClause = true
		case enClause[w] && i > start+1:
			newClause = true
		case low(i-1) == "," && (w == "and" || w == "or" || w == "so" || w == "with" || w == "after" || w == "if" || w == "unless" || w == "when" || w == "as" || w == "saying"):
			newClause = true
		case low(i-1) == "," && (w == "he" || w == "she" || w == "they" || w == "it" || w == "we"):
			newClause = true
		case w == "and" && enAfterAnd[low(i+1)]:
			newClause = true
		case w == "," && start < len(l.words) && (enCond[low(start)] || low(start) == "when" || low(start) == "after" || low(start) == "should"):
			newClause = true // "If …, …"
		case enCond[w] && i > start+1 && !(w == "provided" && low(i+1) != "that" && low(i+1) != "the"):
			newClause = true
		case (w == "after" || w == "before" || w == "when" || w == "only" && (low(i+1) == "if" || low(i+1) == "when" || low(i+1) == "after" || low(i+1) == "once")) && i > start+2:
			newClause = true
		}
		if newClause && i > start {
			clause++
			start = i
		}
		l.words[i].clause = clause
	}
	l.clauses = clause + 1
	// A clause that begins with a word of condition is one.
	begin := 0
	for i := 1; i <= len(l.words); i++ {
		if i < len(l.words) && l.words[i].clause == l.words[begin].clause {
			continue
		}
		first := begin
		for first < i-1 && (low(first) == "," || low(first) == "and" || low(first) == "but" || low(first) == "only" || low(first) == "\"") {
			first++
		}
		if w := low(first); enCond[w] && !(w == "if" && (low(first-1) == "know" || low(first-1) == "asked" || low(first-1) == "ask" || low(first-1) == "wondered" || low(first-1) == "see")) && !(w == "if" && low(first+1) == "i" && (low(first+2) == "may" || low(first+2) == "might")) && !(w == "if" && low(first-1) == "as") ||
			w == "when" && first == begin && l.clauses > 1 || w == "after" && l.clauses > 1 && !inDateWord(l, first+1) || w == "should" && first == 0 && !strings.HasSuffix(strings.TrimRight(string(l.text[l.span.from:l.span.to]), "\"' "), "?") {
			timed := w == "after" || w == "when" || w == "until" || w == "once"
			if w == "after" && l.pastIn(first+1, i) {
				begin = i
				continue // a cause
			}
			if !timed || l.ahead() && !(w == "until" && inDateWord(l, first+1)) {
				l.conditions = append(l.conditions, condition{first, i - 1, w})
			}
		}
		begin = i
	}
	for i := range l.words {
		switch w := low(i); {
		case w == "subject" && low(i+1) == "to", w == "depending" && low(i+1) == "on", w == "conditional" && low(i+1) == "on", w == "apart" && low(i+1) == "from", w == "other" && low(i+1) == "than", w == "as" && low(i+1) == "long", w == "condition" && low(i+1) == "that":
			to := i + 1
			for to+1 < len(l.words) && l.words[to+1].clause == l.words[i].clause && low(to+1) != "," {
				to++
			}
			l.conditions = append(l.conditions, condition{i, to, w})
		case w == "only" && i+2 < len(l.words) && low(i+1) != "if" && (low(i+1) == "for" || low(i+1) == "to" || low(i+1) == "in" || low(i+1) == "where"):
			to := min(i+4, len(l.words)-1)
			l.conditions = append(l.conditions, condition{i, to, w})
		}
	}
}

// pastIn tells whether words tell what has happened.
func (l *line) pastIn(from, to int) bool {
	for i := from; i < to; i++ {
		if w := strings.ToLower(l.words[i].text); enPast[w] || strings.HasSuffix(w, "ed") && len(w) > 4 {
			return true
		}
	}
	return false
}

// ahead tells whether the line speaks of what is to come: only then does "after …" set a condition.
func (l *line) ahead() bool {
	for i := range l.words {
		switch strings.ToLower(l.words[i].text) {
		case "will", "would", "shall", "should", "may", "could", "can", "must", "won't", "wouldn't", "withheld", "intend", "plan", "plans":
			return true
		}
	}
	return false
}

func inDateWord(l *line, i int) bool {
	if i >= len(l.words) {
		return false
	}
	for _, m := range l.moments {
		if l.words[i].span.from >= m.span.from && l.words[i].span.to <= m.span.to {
			return true
		}
	}
	return false
}

func (l *line) featuresEnglish() {
	lex := englishLexicon()
	text := strings.TrimRight(string(l.text[l.span.from:l.span.to]), "\"' )")
	l.question = strings.HasSuffix(text, "?")
	low := func(i int) string {
		if i < 0 || i >= len(l.words) {
			return ""
		}
		return strings.ToLower(l.words[i].text)
	}
	askedFrom := len(l.words)
	if l.question {
		askedFrom = 0
		begin := 0
		for i := 0; i <= len(l.words); i++ {
			if i < len(l.words) && (i == 0 || l.words[i].clause == l.words[begin].clause && low(i-1) != ",") && i != 0 {
				continue
			}
			if i < len(l.words) && (enOpens[low(i)] || (low(i) == "and" || low(i) == "so" || low(i) == "but") && enOpens[low(i+1)]) {
				askedFrom = i
				break
			}
			if i < len(l.words) {
				begin = i
			}
		}
	}
	clause := -1
	negated, mark, asked := false, noForce, false
	sinceMark := 0
	clauseMark := make([]force, l.clauses)
	for i := range clauseMark {
		clauseMark[i] = noForce
	}
	for i := range l.words {
		w := &l.words[i]
		lw := low(i)
		if w.clause != clause {
			clause, negated, mark = w.clause, false, noForce
			if lw != "that" && lw != "whether" && !(lw == "and" && (low(i+1) == "whether" || low(i+1) == "if" || low(i+1) == "why" || low(i+1) == "what" || low(i+1) == "when" || low(i+1) == "how")) && lw != "if" {
				asked = false
			}
		}
		w.negated, w.asked = negated, asked || i >= askedFrom
		w.pred = w.kind == content && (w.axes != nil || strings.HasSuffix(lw, "ed") && len(lw) > 4 || strings.HasSuffix(lw, "ing") && len(lw) > 5 || enPast[lw] || enModal[low(i-1)] || enSubject[low(i-1)] ||
			strings.HasSuffix(low(i-1), "n't") || enBe[low(i-1)] || (enModal[low(i-2)] || enBe[low(i-2)]) && (enBe[low(i-1)] || low(i-1) == "not" || low(i-1) == "never" || strings.HasSuffix(low(i-1), "ly") || low(i-1) == "also" || low(i-1) == "only") ||
			(enModal[low(i-3)] || enBe[low(i-3)]) && enDeny[low(i-2)] && enBe[low(i-1)] || irregular[lw] != "" || strings.HasSuffix(lw, "s") && i > 0 && l.words[i-1].kind != function && !strings.HasSuffix(low(i-1), "s") && enDeterminer[low(i+1)])
		w.force = mark
		if mark == noForce {
			w.force = said
			if w.pred && lw != "provided" && lw != "based" && lw != "united" && lw != "limited" && lw != "bound" && (enPast[lw] || strings.HasSuffix(lw, "ed") || irregular[lw] != "" && lw != "cut" && lw != "put" && lw != "set") && !enModal[low(i-1)] && !enModal[low(i-2)] && !(low(i-1) == "are" || low(i-1) == "is" || low(i-1) == "be" || low(i-1) == "being") {
				w.force = happened
			}
		}
		sinceMark++
		if enDeny[lw] && !(lw == "not" && (low(i+1) == "only" || l.question && (low(i-1) == "it" || low(i-1) == "he" || low(i-1) == "she" || low(i-1) == "they" || low(i-1) == "we" || low(i-1) == "i"))) && !(lw == "no" && (low(i+1) == "fewer" || low(i+1) == "more" || low(i+1) == "less" || low(i+1) == "longer")) || strings.HasSuffix(lw, "n't") || lw == "no" && low(i+1) == "longer" {
			negated = !negated
			l.denies = append(l.denies, i)
			if (lw == "no" || lw == "nothing" || lw == "nobody" || lw == "none") && i > 0 && l.words[i-1].pred {
				l.words[i-1].negated = !l.words[i-1].negated // "made no decision"
			}
		} else if lex.negator[w.base] && w.kind != function && !enDeny[lw] {
			negated = !negated
			l.denies = append(l.denies, i)
		} else if (lw == "rule" || lw == "ruled" || lw == "rules" || lw == "ruling") && (low(i+1) == "out" || low(i+2) == "out") {
			negated = !negated
			l.denies = append(l.denies, i)
		}
		if lex.ask[w.base] && lw != "whether" && indirect(low, i) {
			asked = true
		}
		if f, ok := lex.forces[lw]; ok || forceOf(lex, w.base, &f) {
			if f == wished && (lw == "may" && inDateWord(l, i)) {
				continue
			}
			if f < mark {
				mark, sinceMark = f, 0
			}
			if f < clauseMark[w.clause] {
				clauseMark[w.clause] = f
			}
		}
	}
	// A mark that follows its subject governs it too: "a ban is being considered".
	for i := range l.words {
		w := &l.words[i]
		if m := clauseMark[w.clause]; m < w.force && w.force != happened {
			w.force = m
		}
	}
	l.marks = make([]force, l.clauses)
	for i := range l.marks {
		l.marks[i] = clauseMark[i]
	}
	for i := range l.words {
		if w := l.words[i]; w.pred && clauseMark[w.clause] == noForce && w.force != noForce && !lex.say[w.base] {
			if l.marks[w.clause] == noForce || w.force > l.marks[w.clause] {
				l.marks[w.clause] = w.force
			}
		}
	}
}

// indirect tells whether a verb of asking is followed by a question, not by a request.
func indirect(low func(int) string, i int) bool {
	for j := i + 1; j <= i+6; j++ {
		switch low(j) {
		case "whether", "if", "why", "what", "how", "when", "who", "where", "which", "about":
			return true
		case "to", ".", ";":
			return false
		}
	}
	return false
}

func forceOf(lex *lexicon, base string, f *force) bool {
	v, ok := lex.forces[base]
	*f = v
	return ok
}
