package hansard

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"pressroom/internal/desk/minutes/assembly"
	"pressroom/internal/desk/minutes/proceedings"
)

// count is the figures of a division, as far as they have been read; -1 is none yet.
type count struct {
	yes, no, other int
	named          proceedings.Names
}

func (c *count) whole() bool { return c != nil && c.yes >= 0 && c.no >= 0 }

func (c *count) vote() *proceedings.Vote {
	return &proceedings.Vote{Method: "recorded", Result: "numbers", For: c.yes, Against: c.no, Total: c.yes + c.no + c.other}
}

// names are who voted how, if the record names as many as it counts.
func (c *count) names() *proceedings.Names {
	if len(c.named.For) != c.yes || len(c.named.Against) != c.no || c.yes+c.no == 0 {
		return nil
	}
	return &c.named
}

// maxLine is the longest line, in bytes, that may have a form.
const maxLine = 2000

// line reads one line of the clerk, or one paragraph of a speech.
func (r *reader) line(text string) {
	if len(text) > maxLine {
		return
	}
	clerk := r.speech == nil
	chair := !clerk && r.speech.Role == assembly.Chair
	if clerk {
		text = unbracket(text)
	}
	if clerk && r.times(text) {
		return
	}
	if (clerk || chair) && r.counts(text) {
		return
	}
	if r.stated != "" && r.count.whole() {
		r.flush()
	}
	if clerk || chair {
		for _, n := range numbered.FindAllString(text, -1) {
			if !slices.Contains(r.actNumbers, n) {
				r.actNumbers = append(r.actNumbers, n)
			}
		}
	}
	if !clerk && !chair && strings.Contains(text, " divided") && tally.MatchString(text) { // some copies put the clerk's line there
		r.counts(text)
		return
	}
	if r.outcome(text, clerk, chair) {
		return
	}
	if clerk && r.section == "assent" {
		r.assent(text)
		return
	}
	if r.follows(text) || r.puts(text, clerk, chair) {
		return
	}
	if !clerk && !chair {
		r.stands(text)
	}
}

func unbracket(text string) string {
	if strings.HasPrefix(text, "(") && strings.HasSuffix(text, ")") || strings.HasPrefix(text, "[") && strings.HasSuffix(text, "]") {
		return text[1 : len(text)-1]
	}
	return text
}

// times reads when the sitting began and ended.
func (r *reader) times(text string) bool {
	switch {
	case r.s.Opening == nil && opens.MatchString(text):
		m := opens.FindStringSubmatch(text)
		r.s.Opening = &proceedings.Moment{Time: m[1], Passage: r.at}
	case alone.MatchString(text):
		r.clock = text
		return true
	case r.clock != "" && r.s.Opening == nil && r.order == 0 && strings.HasPrefix(strings.ToLower(text), "prayers"):
		r.s.Opening = &proceedings.Moment{Time: r.clock, Passage: r.at}
	case closes.MatchString(text):
		m := closes.FindStringSubmatch(text)
		kind := strings.ToLower(m[1])
		if kind == "rose" {
			kind = "adjourned"
		}
		r.ended(m[2], kind)
	case irish.MatchString(text):
		r.ended(irish.FindStringSubmatch(text)[1], "adjourned")
	case usEnd.MatchString(text):
		r.ended(usEnd.FindStringSubmatch(text)[1], "adjourned")
	case ends.MatchString(text):
		r.ended(r.clock, "adjourned")
	default:
		r.clock = ""
		return false
	}
	r.clock = ""
	return true
}

func (r *reader) ended(time, kind string) {
	r.s.Closing = &proceedings.Moment{Time: time, Kind: kind, Passage: r.at}
}

func figure(s string) int {
	n, err := strconv.Atoi(strings.ReplaceAll(s, ",", ""))
	if err != nil {
		return -1
	}
	return n
}

// counts reads the figures of a division; true if the line has some, or heads them.
func (r *reader) counts(text string) bool {
	for _, form := range []*regexp.Regexp{tally, roll} {
		if m := form.FindStringSubmatch(text); m != nil {
			r.count = &count{yes: figure(m[1]), no: figure(m[2])}
			if m[3] != "" {
				r.count.other = figure(m[3])
			}
			r.side = "counted"
			return true
		}
	}
	if divided.MatchString(text) {
		r.count, r.side = &count{yes: -1, no: -1}, ""
		return true
	}
	if m := sideHead.FindStringSubmatch(text); m != nil {
		if r.count == nil || r.side == "counted" {
			r.count = &count{yes: -1, no: -1}
		}
		r.side = strings.ToLower(m[1])
		return true
	}
	if m := sideTotal.FindStringSubmatch(text); m != nil && r.count != nil {
		r.sided(r.side, figure(m[1]), "")
		return true
	}
	if m := oneSide.FindStringSubmatch(text); m != nil {
		if r.count == nil {
			r.count = &count{yes: -1, no: -1}
		}
		r.sided(strings.ToLower(m[1]), figure(m[2]), m[3])
		return true
	}
	return false
}

func (r *reader) sided(side string, n int, names string) {
	var list []string
	if names != "" {
		for name := range strings.SplitSeq(strings.TrimSuffix(names, "."), ",") {
			list = append(list, strings.TrimSpace(name))
		}
	}
	switch strings.ReplaceAll(side, " ", "-") {
	case "ayes", "yeas", "contents", "tá", "for":
		r.count.yes, r.count.named.For = n, list
	case "noes", "nays", "not-contents", "níl", "against":
		r.count.no, r.count.named.Against = n, list
	case "abstain", "abstained", "abstention", "abstentions", "present":
		r.count.other = n
	}
}

// division takes a vote that the record has as such.
func (r *reader) division(v *assembly.Vote) {
	c := &count{yes: -1, no: -1}
	for _, n := range v.Counts {
		switch n.Option {
		case assembly.Aye:
			c.yes = n.Value
		case assembly.No:
			c.no = n.Value
		case assembly.Abstain:
			c.other = max(n.Value, 0)
		}
	}
	for _, p := range v.Positions {
		switch {
		case p.Teller || p.Name == "":
		case p.Option == assembly.Aye:
			c.named.For = append(c.named.For, p.Name)
		case p.Option == assembly.No:
			c.named.Against = append(c.named.Against, p.Name)
		}
	}
	if !c.whole() {
		return
	}
	r.at = proceedings.Passage{Order: cmp.Or(r.order, r.first)}
	r.count, r.side = c, "counted"
	word := strings.ToLower(strings.TrimPrefix(v.Outcome, "#"))
	if word == "" {
		return
	}
	if r.q.kind == "" && r.main.kind == "" && r.bill == "" && r.title != "" {
		r.q = question{kind: "motion", item: r.add(r.title, "resolution", r.number), amend: -1}
	}
	switch {
	case lostWord.MatchString(word):
		r.decide(false, false)
	case wonWord.MatchString(word):
		r.decide(true, false)
	}
}

var (
	wonWord  = re(`^(?:pass|agreed|carried|adopted|approved|accepted)`)
	lostWord = re(`^(?:lost|reject|negativ|fail|defeat|not[_ -]?(?:agreed|carried|adopted|approved))`)
)

// flush ends a division whose result was stated before its figures, or was not stated at all.
func (r *reader) flush() {
	stated := r.stated
	r.stated = ""
	switch {
	case stated != "":
		r.decide(stated == "won", false)
	case r.count.whole() && r.q.item >= 0 && r.q.kind != "procedure":
		it := &r.s.Items[r.q.item]
		it.Vote, it.Named, it.Decision = r.count.vote(), r.count.names(), r.at
		r.reached(r.q.item, proceedings.Voted)
		r.s.decisions = append(r.s.decisions, decision{item: r.q.item, amend: -1, kind: r.q.kind, stage: r.q.stage, vote: it.Vote, at: r.at})
	}
	r.count, r.side = nil, ""
}

// outcome reads what came of a question; true if the line says so. In a member's speech only
// the clerk's own words count.
func (r *reader) outcome(text string, clerk, chair bool) bool {
	if m := bodySays.FindStringSubmatch(text); clerk && m != nil {
		if by := motionBy.FindStringSubmatch(text); by != nil {
			r.q, r.main = none, none // a motion told in one line; what it was for is in its own words
			return true
		}
		won := strings.EqualFold(m[1], "carried") || strings.EqualFold(m[1], "passed")
		switch {
		case m[3] != "":
			r.count = &count{yes: figure(m[3]), no: figure(m[4])}
			r.decide(won, false)
		case strings.Contains(text, "following vote"):
			r.stated = map[bool]string{true: "won", false: "lost"}[won]
		default:
			r.decide(won, false)
		}
		return true
	}
	text = strings.TrimPrefix(text, "On Question, ")
	switch {
	case quoted.MatchString(text):
		m := quoted.FindStringSubmatch(text)
		r.put(m[1], nil)
		r.decide(strings.EqualFold(m[2], "agreed to"), false)
	case agreed.MatchString(text):
		r.decide(true, false)
	case negatived.MatchString(text):
		r.decide(false, false)
	case withdrawn.MatchString(text):
		r.withdraw()
	case amendment.MatchString(text):
		r.amendmentSays(amendment.FindStringSubmatch(text))
	case clerk && made.MatchString(text):
		m := made.FindStringSubmatch(text)
		if to := r.amended(); to != "" {
			r.s.Amendments = append(r.s.Amendments, proceedings.Amendment{To: to, Name: "Amendment " + m[1], By: m[2], Order: r.at.Order, Outcome: proceedings.Passed, Passages: []proceedings.Passage{r.at}})
			r.s.decisions = append(r.s.decisions, decision{item: -1, amend: len(r.s.Amendments) - 1, outcome: proceedings.Passed, at: r.at})
			r.kind("decision")
		}
	case readTime.MatchString(text):
		m := readTime.FindStringSubmatch(text)
		r.wasRead(readingOf(m[1]), m[2])
	case introduced.MatchString(text):
		r.wasRead(FirstReading, "")
	case passed.MatchString(text):
		m := passed.FindStringSubmatch(text)
		r.wasPassed(text, m[2]+m[3] != "", "")
	case engrossed.MatchString(text):
		m := engrossed.FindStringSubmatch(text)
		r.wasPassed(m[1], m[2] != "", ThirdReading)
	case confirmed.MatchString(text):
		r.decide(strings.EqualFold(confirmed.FindStringSubmatch(text)[1], "confirmed"), false)
	case resolved.MatchString(text):
		r.wasResolved(resolved.FindStringSubmatch(text))
	case reported.MatchString(text):
		if i := r.theBill(); i >= 0 {
			r.reached(i, proceedings.Reported)
		}
	case received.MatchString(text):
		r.q = none
	case consider.MatchString(text):
		if r.bill != "" {
			r.enter(Report, "report stage")
		}
	case clerk && european.MatchString(text):
		r.european(european.FindStringSubmatch(text))
	case clerk && deferred.MatchString(text):
		if q := r.q; q.item >= 0 {
			r.reached(q.item, Deferred)
			r.s.decisions = append(r.s.decisions, decision{item: q.item, amend: -1, stage: Deferred, at: r.at})
		}
		r.q, r.main, r.count = none, none, nil
	case clerk && stopped.MatchString(text):
		r.q, r.main, r.count = none, none, nil
	case clerk && whichWas.MatchString(text):
		m := whichWas.FindStringSubmatch(text)
		if strings.EqualFold(m[1], "motion") {
			r.q = r.main
		}
		r.stated = map[bool]string{true: "won", false: "lost"}[strings.EqualFold(m[2], "agreed to")]
		r.kind("decision")
	case chair && ruled.MatchString(text):
		r.ruled(ruled.FindStringSubmatch(text))
	case chair && declared.MatchString(text):
		m := declared.FindStringSubmatch(text)
		r.decide(strings.EqualFold(m[2], "carried"), false)
		r.kind("decision")
		if stands.MatchString(text) {
			if i := r.theBill(); i >= 0 {
				r.reached(i, proceedings.Referred)
			}
		}
	case chair && chairSays.MatchString(text):
		m := chairSays.FindStringSubmatch(text)
		word := strings.ToLower(m[2])
		r.decide(word != "not agreed to" && word != "rejected", strings.Contains(strings.ToLower(text), "three-fifths") || strings.Contains(strings.ToLower(text), "two-thirds"))
	default:
		return false
	}
	return true
}

// decide notes what came of the question that was put. Figures that say otherwise are
// dropped with it, unless more than a majority was needed.
func (r *reader) decide(won, more bool) {
	q, c := r.q, r.count
	if q.kind == "" {
		q = r.main
	}
	r.q, r.count, r.side, r.stated = none, nil, "", ""
	if !c.whole() {
		c = nil
	}
	if c != nil && (won && c.yes <= c.no || !won && c.yes > c.no && !more) {
		r.main = none
		return
	}
	if q.kind == "amendment" {
		r.amendmentDone(q.amend, map[bool]proceedings.Outcome{true: proceedings.Passed, false: proceedings.Rejected}[won], c)
		return
	}
	if q.item < 0 {
		return
	}
	r.main = none
	yes, no := proceedings.Agreed, proceedings.Rejected
	switch q.kind {
	case "pass":
		yes = proceedings.Passed
	case "approve", "confirm":
		yes, no = proceedings.Approved, proceedings.NotApproved
	case "adopt":
		yes = proceedings.Adopted
	case "refer":
		if won {
			r.reached(q.item, proceedings.Referred)
			if r.s.Items[q.item].Outcome != "" {
				r.kind("decision")
				return
			}
		}
		yes = proceedings.ReferredTo
	case "consider":
		if won {
			r.kind("decision")
			return // that it goes on is no decision on it
		}
	}
	outcome := no
	if won {
		outcome = yes
	}
	if q.kind == "reading" && q.stage == FirstReading && won {
		outcome = ""
	}
	r.settle(q, outcome, c)
}

// settle notes a decision on an item.
func (r *reader) settle(q question, outcome proceedings.Outcome, c *count) {
	it := &r.s.Items[q.item]
	it.Outcome, it.Decision, it.Vote, it.Named = outcome, r.at, nil, nil
	it.Passages = append(it.Passages, r.at)
	if q.kind == "reading" || q.kind == "pass" {
		r.reached(q.item, q.stage)
	}
	it.Stages = slices.DeleteFunc(it.Stages, func(s proceedings.Stage) bool { return s == proceedings.Voted })
	switch {
	case c != nil:
		it.Vote, it.Named = c.vote(), c.names()
	case r.consent && q.kind == "motion":
		it.Vote = &proceedings.Vote{Method: "no_objection", Result: "unanimous"}
	}
	if it.Vote != nil {
		r.reached(q.item, proceedings.Voted)
	}
	r.consent = false
	r.s.decisions = append(r.s.decisions, decision{item: q.item, amend: -1, kind: q.kind, stage: q.stage, outcome: outcome, vote: it.Vote, at: r.at})
	r.kind("decision")
}

func (r *reader) withdraw() {
	q := r.q
	if q.kind == "" {
		q = r.main
	}
	if q.item < 0 && r.bill == "" && r.title != "" {
		q = question{kind: "motion", item: r.add(r.title, "resolution", r.number), amend: -1}
	}
	r.q, r.main, r.count = none, none, nil
	if q.item >= 0 {
		r.settle(q, proceedings.Withdrawn, nil)
	}
}

// amendmentSays reads a line on an amendment, which it may name by its number.
func (r *reader) amendmentSays(m []string) {
	outcome := proceedings.Rejected
	switch strings.ToLower(m[3]) {
	case "agreed", "agreed to", "carried", "adopted":
		outcome = proceedings.Passed
	case "withdrawn":
		outcome = proceedings.Withdrawn
	}
	number := strings.TrimSpace(m[2])
	at := r.q.amend
	if number != "" {
		at = -1
	}
	for i := range r.s.Amendments {
		a := &r.s.Amendments[i]
		switch {
		case a.Outcome != "":
		case number != "" && strings.EqualFold(a.Name, m[1]+" "+number):
			at = i
		case number == "" && r.q.kind != "amendment" && a.To == r.amended():
			at = i
		}
	}
	c := r.count
	if !c.whole() {
		c = nil
	}
	r.q, r.count, r.side, r.stated = none, nil, "", ""
	if at >= 0 && (c == nil || (outcome == proceedings.Passed) == (c.yes > c.no)) {
		r.amendmentDone(at, outcome, c)
	}
}

func (r *reader) amendmentDone(i int, outcome proceedings.Outcome, c *count) {
	if i < 0 {
		return
	}
	a := &r.s.Amendments[i]
	a.Outcome = outcome
	if c != nil && outcome != proceedings.Withdrawn {
		a.Vote = c.vote()
	}
	a.Passages = append(a.Passages, r.at)
	r.s.decisions = append(r.s.decisions, decision{item: -1, amend: i, outcome: outcome, vote: a.Vote, at: r.at})
	r.kind("decision")
}

// wasRead notes that the bill was read. The question before it, if there was one, has the
// vote.
func (r *reader) wasRead(stage proceedings.Stage, rest string) {
	i := r.theBill()
	if i < 0 {
		return
	}
	r.flush()
	r.reached(i, stage)
	it := &r.s.Items[i]
	rest = strings.ToLower(rest)
	if strings.Contains(rest, "referred to") || strings.Contains(rest, "committed to") {
		r.reached(i, proceedings.Referred)
	}
	if stage == FirstReading {
		r.s.decisions = append(r.s.decisions, decision{item: i, amend: -1, kind: "reading", stage: stage, at: r.at})
		return
	}
	outcome := proceedings.Agreed
	if strings.Contains(rest, "passed") {
		outcome = proceedings.Passed
	}
	if n := len(r.s.decisions); n > 0 && r.s.decisions[n-1].item == i && r.s.decisions[n-1].stage == stage {
		r.s.decisions[n-1].outcome, it.Outcome = outcome, outcome
		return
	}
	r.settle(question{kind: "reading", stage: stage, item: i, amend: -1}, outcome, nil)
}

func (r *reader) wasPassed(text string, amended bool, stage proceedings.Stage) {
	i := r.underAct(r.billIn(text))
	if i < 0 {
		return
	}
	c := r.count
	if !c.whole() {
		c = nil
	}
	r.q, r.main, r.count, r.side, r.stated = none, none, nil, "", ""
	if c != nil && c.yes <= c.no {
		return
	}
	r.s.Items[i].Amended = amended
	r.settle(question{kind: "pass", stage: stage, item: i, amend: -1}, proceedings.Passed, c)
}

// ruled notes what a chair states of the ordinance or resolution under the heading.
func (r *reader) ruled(m []string) {
	q := question{kind: "adopt", item: -1, amend: -1}
	switch {
	case strings.EqualFold(m[1], "resolution") && r.bill == "" && r.title != "":
		q.item = r.add(r.title, "resolution", r.number)
	case !strings.EqualFold(m[1], "resolution") && r.bill != "":
		q.item = r.theBill()
	}
	if strings.EqualFold(m[2], "passed") {
		q.kind = "pass"
	}
	if m[3] != "" && q.item >= 0 {
		r.reached(q.item, readingOf(m[3]))
	}
	r.q = q
	r.decide(strings.EqualFold(m[2], "passed") || strings.EqualFold(m[2], "adopted"), false)
}

func (r *reader) wasResolved(m []string) {
	if r.title == "" || r.bill != "" {
		return
	}
	won := !strings.HasPrefix(strings.ToLower(m[3]), "not") && !strings.EqualFold(m[3], "rejected")
	r.q = question{kind: "motion", item: r.add(r.title, "resolution", m[1]), amend: -1}
	r.decide(won, false)
}

func (r *reader) european(m []string) {
	if r.title == "" {
		return
	}
	outcome := map[string]proceedings.Outcome{"adopted": proceedings.Adopted, "approved": proceedings.Approved, "rejected": proceedings.Rejected}[strings.ToLower(m[1])]
	if strings.Contains(strings.ToLower(m[2]), "amendment") {
		return
	}
	r.settle(question{kind: "motion", item: r.add(r.title, "resolution", r.number), amend: -1}, outcome, nil)
	r.q, r.main, r.count = none, none, nil
}

var actName = re(`^(?:the )?([A-Z][\w’'(),& -]*? Act(?: \d{4})?)$`)

// assent reads the acts that were assented to.
func (r *reader) assent(text string) {
	var acts []string
	for part := range strings.SplitSeq(strings.TrimSuffix(text, "."), ", ") {
		m := actName.FindStringSubmatch(strings.TrimPrefix(strings.TrimSpace(part), "and "))
		if m == nil {
			return
		}
		acts = append(acts, m[1])
	}
	for _, act := range acts {
		i := r.add(act, "bill", "")
		r.reached(i, RoyalAssent)
		r.s.decisions = append(r.s.decisions, decision{item: i, amend: -1, stage: RoyalAssent, at: r.at})
	}
}

// follows reads the text of a motion that was announced in the line before.
func (r *reader) follows(text string) bool {
	expect, by := r.expect, r.expectBy
	r.expect, r.expectBy = "", nil
	if expect == "" {
		return false
	}
	low := strings.ToLower(strings.TrimLeft(text, `"“ `))
	if !strings.HasPrefix(low, "that ") && !strings.HasPrefix(low, "page ") && !strings.HasPrefix(low, "in page ") {
		return false
	}
	r.put(text, by)
	return true
}

// puts reads a line that moves something or puts it to the house.
func (r *reader) puts(text string, clerk, chair bool) bool {
	if m := movedBy.FindStringSubmatch(text); clerk && m != nil {
		r.mover = m[1]
		if strings.HasPrefix(r.clause, "Amendment") && r.amended() != "" {
			r.s.Amendments = append(r.s.Amendments, proceedings.Amendment{To: r.amended(), Name: r.clause, By: m[1], Order: -1, Passages: []proceedings.Passage{r.at}})
			r.q = question{kind: "amendment", item: -1, amend: len(r.s.Amendments) - 1}
		} else {
			r.expect = "put"
		}
		return true
	}
	if m := putByClerk.FindStringSubmatch(text); clerk && m != nil {
		switch {
		case m[1] != "":
			r.put(m[1], nil)
		case strings.HasPrefix(strings.ToLower(text), "main"), r.q.kind == "":
			r.q = r.main
			r.expect = "put"
		default:
			r.expect = "put"
		}
		return true
	}
	if m := calledOn.FindStringSubmatch(text); clerk && m != nil {
		r.put(m[1], nil)
		return true
	}
	if clerk || chair {
		if m := putByChair.FindStringSubmatch(text); m != nil {
			if m[1] == "" {
				r.expect = "put"
			} else {
				r.put(m[1], nil)
			}
			return true
		}
		return false
	}
	m := moves.FindStringSubmatch(text)
	switch {
	case m != nil && m[1] == "":
		r.expect, r.expectBy = "moved", r.speech
	case m != nil:
		r.put(m[1], r.speech)
		if r.q.kind == "procedure" && len(r.speech.Paragraphs) == 1 {
			r.kind("motion")
		}
	case consentTo.MatchString(text) && r.title != "" && r.bill == "":
		r.q = question{kind: "motion", item: r.add(r.title, "resolution", r.number), amend: -1}
		r.main, r.consent = r.q, true
	case strings.Contains(text, "I have an amendment at the desk"):
		r.put("an amendment", r.speech)
	default:
		return false
	}
	return true
}

// stands reads whether a member is for or against what is before the house.
func (r *reader) stands(text string) {
	m := stance.FindStringSubmatch(text)
	if m == nil || r.speech.Role == assembly.Chair || len(r.speech.Paragraphs) > 1 && !strings.HasPrefix(assembly.Squeeze(r.speech.Paragraphs[0].Text), text) {
		return
	}
	how, what := strings.ToLower(m[1]+m[3]+m[5]), m[2]+m[4]+m[6]
	item := -1
	switch strings.ToLower(what) {
	case "bill", "legislation":
		if i := r.main.item; i >= 0 && r.s.Items[i].Kind == "bill" {
			item = i
		}
	case "motion", "resolution":
		if i := r.main.item; i >= 0 && r.s.Items[i].Kind == "resolution" {
			item = i
		}
	default:
		item = slices.IndexFunc(r.s.Items, func(it proceedings.Item) bool { return it.Number == what })
	}
	if item < 0 {
		return
	}
	against := strings.Contains(how, "oppos") || how == "against"
	r.s.Debate = append(r.s.Debate, proceedings.Statement{Speaker: r.speech.Name, Group: r.speech.Party, Item: r.s.Items[item].Name, For: !against, Passage: r.at})
	r.kind("debate")
}

var (
	answerer = re(`(?i)minister|secretary|chancellor|attorney|advocate|taoiseach|tánaiste|commissioner|leader of the house|treasurer`)
	asked    = re(`^(?:Q?\d{1,3}\.? |To ask )`)
)

// role reads what a speech is: a question, an answer, a statement, a petition, a report.
func (r *reader) role(s *assembly.Speech) {
	r.spokenUnder = true
	if len(s.Paragraphs) == 0 {
		return
	}
	first := assembly.Squeeze(s.Paragraphs[0].Text)
	first = first[:min(len(first), maxLine)]
	r.at = proceedings.Passage{Order: s.Order, To: len(s.Paragraphs[0].Text)}
	for i := range r.s.Amendments { // the clerk named the mover before
		if a := &r.s.Amendments[i]; a.Order < 0 && a.Outcome == "" && a.By == s.Name {
			a.Order = s.Order
		}
	}
	switch {
	case pointOf.MatchString(first), seconds.MatchString(first) && len(s.Paragraphs) == 1:
		r.kind("procedure")
		return
	case s.Role == assembly.Chair:
		return
	}
	government := s.Role == assembly.Government || s.Role != assembly.Guest && answerer.MatchString(s.Office)
	witness := s.Role == assembly.Guest && r.s.of.Body != ""
	switch {
	case states.MatchString(first) && government && r.title != "":
		r.told("report", proceedings.Reported)
		r.section, r.asker = "statement", nil
		r.kind("statement")
		return
	case petitions.MatchString(first) && r.title != "":
		r.told("petition", Presented)
		return
	case presents.MatchString(first) && r.title != "" && r.bill == "":
		r.told("report", proceedings.Reported)
		return
	case asked.MatchString(first) && !government && !witness && r.bill == "":
		r.section = "questions"
	}
	if witness && !slices.ContainsFunc(r.s.Witnesses, func(w proceedings.Witness) bool { return w.Name == s.Name }) {
		r.s.Witnesses = append(r.s.Witnesses, proceedings.Witness{Name: s.Name, Office: s.Office, Order: s.Order})
		if r.asker == nil {
			r.kind("statement")
		}
	}
	if r.section != "questions" && r.section != "statement" && r.s.of.Body == "" {
		return
	}
	switch {
	case (government || witness || r.formal) && r.asker != nil && r.asker.Name != s.Name:
		r.s.Exchanges = append(r.s.Exchanges, proceedings.Exchange{Asker: r.asker.Name, Asked: []int{r.asker.Order}, Answerer: s.Name, Answered: []int{s.Order}, Item: -1})
		for i := range r.s.Turns {
			if r.s.Turns[i].Order == r.asker.Order {
				r.s.Turns[i].Kind = "question"
			}
		}
		r.kind("answer")
		r.asker = nil
	case !government && !witness && s.Role != assembly.Guest:
		r.asker, r.formal = s, asked.MatchString(first)
	}
}

// told notes something that was done by saying it.
func (r *reader) told(kind string, stage proceedings.Stage) {
	i := r.add(r.title, kind, "")
	if r.s.Items[i].Kind == kind {
		r.reached(i, stage)
		r.s.decisions = append(r.s.decisions, decision{item: i, amend: -1, kind: kind, stage: stage, at: r.at})
	}
}
