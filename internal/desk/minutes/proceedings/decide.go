package proceedings

import (
	"regexp"
	"slices"
	"strings"
)

var (
	therefore = regexp.MustCompile(`よって、|よって|右の結果|結果、|以上の結果|ただいま御報告いたしましたとおり|認め|それでは|つきましては|委員長は|会長は|議長は`)
	minister  = regexp.MustCompile(`([^、。はを「」]{2,14})(?:君|さん)を、?(?:[^。]{0,40}、)?(?:本院において)?内閣総理大臣に指名`)
	chosen    = regexp.MustCompile(`([^、。は「」]{2,14}?)(?:君|さん)が、?(?:[^。、]{0,12}に)?(?:御)?当選|(?:委員長|会長|議長|小委員長)に(?:は、?)?(?:私、)?([^、。「」君]{2,14}?)(?:君|さん)?が(?:選任|互選|当選)|(?:委員長|会長|小委員長)に([^、。「」君]{2,14}?)(?:君|さん)を(?:選任|指名|推薦)`)
	oneName   = regexp.MustCompile(`([\p{Han}\p{Hiragana}\p{Katakana}ー々ヶヵ]{2,14}?)(?:君|さん)`)
	titles    = regexp.MustCompile(`^(?:.*(?:委員長は|会長は|議長は|理事に|幹事に|委員に|委員長に|後任の|、|として|議員に|よって|それでは))`)
)

// decide reads what a result means; true if the sentence says so.
func (r *reader) decide(s *speech, x sentence) bool {
	t := s.str(x)
	if !therefore.MatchString(t) && !strings.Contains(t, "決") && !strings.Contains(t, "指名") && !strings.Contains(t, "同意") {
		return false
	}
	outcome := Outcome("")
	for _, d := range r.f.Outcomes {
		if d.At.MatchString(t) {
			outcome = d.Outcome
			break
		}
	}
	if outcome == "" {
		return false
	}
	v, a, at := r.won, r.of, s.passage(x)
	lost := v.Result == "minority"
	switch {
	case a.rider >= 0:
		r.decideRider(a.rider, outcome, v, at)
		return true
	case a.amendment >= 0 || strings.Contains(t, "修正案は") && !strings.Contains(t, "修正議決"):
		i := a.amendment
		if named := r.amendmentIn(t); strings.Contains(t, "提出の修正案") && named >= 0 {
			i = named
		}
		if i >= 0 && (outcome == Passed || outcome == Rejected) && lost == (outcome == Rejected) {
			am := &r.p.Amendments[i]
			am.Outcome, am.Vote = outcome, v
			am.Passages = append(am.Passages, at)
		}
		return true
	case a.motion && outcome != Elected && outcome != Appointed:
		return outcome != Agreed || !strings.Contains(t, "動議") // whoever is named comes next
	}
	if strings.Contains(t, "動議は") {
		return true
	}
	items := a.items
	if named := r.mentioned(t); len(named) > 0 {
		items = named
	}
	if outcome == Elected || outcome == Appointed {
		if items = r.electoral(items, t, outcome); len(items) == 0 {
			r.appoint(t, at)
			return true
		}
	}
	if lost && outcome != Rejected && outcome != NotApproved || !lost && v.Result != "numbers" && v.Method != "no_objection" && outcome == Rejected && !strings.Contains(t, "否決すべき") {
		return true // it does not add up, and nothing is said of it
	}
	if !r.counts(t, items) {
		return true
	}
	for _, i := range items {
		it := &r.p.Items[i]
		outcome := r.meant(it, outcome, a, t)
		if weighty(it.Kind) && !fitting(it, outcome, t) {
			continue
		}
		if it.Outcome != "" && len(r.mentioned(t)) == 0 {
			continue // decided before: this is about something else
		}
		it.Outcome, it.Vote, it.Decision = outcome, v, at
		it.Proposed = r.f.Proposed.MatchString(t)
		it.Amended = strings.Contains(t, "修正議決") || strings.Contains(t, "修正可決")
		it.add(Voted)
		r.last = append(r.last, i)
		it.Passages = append(it.Passages, at)
		if outcome == Elected || outcome == Appointed {
			it.Persons = persons(t, outcome)
			if v.Result == "numbers" {
				v.Result = "majority"
			}
			if len(v.Counts) > 0 && len(it.Persons) == 1 {
				for _, c := range v.Counts {
					if c.Name == it.Persons[0] {
						v.Won = c.Votes
					}
				}
			}
		}
	}
	return true
}

// meant is what an outcome is for an item: to go on with it, or, for a petition, what the
// question to the house said of it.
func (r *reader) meant(it *Item, o Outcome, a *ask, t string) Outcome {
	if o != Agreed {
		return o
	}
	if goesOn.MatchString(it.Name) {
		return Continued
	}
	if it.Kind == "petition" {
		at := strings.LastIndex(a.said, it.base)
		if at < 0 {
			return o
		}
		rest := a.said[at+len(it.base):]
		if end := strings.IndexAny(rest, "、。"); end > 0 {
			rest = rest[:end]
		}
		if strings.Contains(rest, "不採択") {
			return Rejected
		}
		if strings.Contains(rest, "採択") {
			return Adopted
		}
		return ""
	}
	return o
}

var goesOn = regexp.MustCompile(`^(?:継続(?:調査|審査)|閉会中(?:審査|調査))`)

// fitting tells whether bills and the like have such an outcome.
func fitting(it *Item, o Outcome, t string) bool {
	kind := it.Kind
	switch o {
	case Passed, Rejected, Withdrawn, ReferredTo, Continued:
		return true
	case Approved, NotApproved:
		return kind == "approval" || kind == "petition" || kind == "budget"
	case "":
		return kind == "petition" // it was put aside
	case Adopted:
		return kind == "petition" || kind == "resolution"
	case Agreed:
		return kind == "resolution" || strings.HasSuffix(it.Name, "起草の件") || strings.Contains(t, "修正に同意")
	}
	return false
}

// counts tells whether a sentence speaks of as many items as it decides.
func (r *reader) counts(t string, items []int) bool {
	if len(r.mentioned(t)) > 0 {
		return true
	}
	switch {
	case strings.Contains(t, "両案") || strings.Contains(t, "両件") || strings.Contains(t, "両法律案"):
		return len(items) == 2
	case strings.Contains(t, "本案は") || strings.Contains(t, "本法律案は") || strings.Contains(t, "本件は"):
		return len(items) == 1
	}
	if m := manyOf.FindStringSubmatch(t); m != nil {
		n, _ := number(m[1])
		return n == len(items)
	}
	return true
}

var manyOf = regexp.MustCompile(`(?:^|[、。])(?:以上)?([二三四五六七八九十]+)(?:法律|法)?[案件]は`)

// electoral leaves of the items those that someone can be elected or appointed to; if
// there are none, the first of the record that waits for it.
func (r *reader) electoral(items []int, t string, o Outcome) []int {
	can := func(i int) bool {
		k := r.p.Items[i].Kind
		return k == "election" || k == "personnel"
	}
	var out []int
	for _, i := range items {
		if can(i) {
			out = append(out, i)
		}
	}
	if len(out) > 0 {
		return out
	}
	for i := range r.p.Items {
		it := &r.p.Items[i]
		if !can(i) || it.Outcome != "" {
			continue
		}
		for _, office := range []string{"内閣総理大臣", "委員長", "会長", "議長", "理事", "幹事"} {
			if strings.Contains(it.Name, office) && strings.Contains(t, office) {
				return []int{i}
			}
		}
	}
	return nil
}

var offices = regexp.MustCompile(`(理事|幹事|小委員長|小委員)(?:に|として)`)

// appoint notes who was appointed to an office that no item of the agenda is about.
func (r *reader) appoint(t string, at Passage) {
	if m := offices.FindStringSubmatch(t); m != nil {
		if p := persons(t, Appointed); len(p) > 0 {
			r.p.Appointments = append(r.p.Appointments, Appointment{m[1], p, at})
		}
	}
}

// persons are those whom a sentence says elected or appointed.
func persons(t string, o Outcome) []string {
	if m := minister.FindStringSubmatch(t); m != nil {
		return []string{bareName(m[1])}
	}
	if m := chosen.FindStringSubmatch(t); m != nil && o == Elected {
		for _, g := range m[1:] {
			if g != "" {
				return []string{bareName(g)}
			}
		}
	}
	var out []string
	for _, m := range oneName.FindAllStringSubmatch(t, -1) {
		if name := bareName(m[1]); name != "" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// bareName takes from a name what stands before it.
func bareName(name string) string {
	name = titles.ReplaceAllString(name, "")
	for _, lead := range []string{"及び", "並びに", "本院は", "右の結果"} {
		name = strings.TrimPrefix(name, lead)
	}
	if n := len([]rune(name)); n < 2 || n > 10 {
		return ""
	}
	return name
}

func (r *reader) decideRider(i int, o Outcome, v *Vote, at Passage) {
	res := &r.p.Resolutions[i]
	res.Outcome, res.Vote = Passed, v
	if o == Rejected || v.Result == "minority" {
		res.Outcome = Rejected
	}
	res.Passages = append(res.Passages, at)
	r.rider = -1
	r.phase = ""
}

// named reads lists of voters: 「…を可とする議員の氏名」.
func (r *reader) named(s *speech, x sentence) {
	t := s.str(x)
	isFor, against := r.f.NamedFor.FindStringIndex(t), r.f.NamedAgainst.FindStringIndex(t)
	if isFor == nil && against == nil {
		return
	}
	var it *Item
	for i := range r.p.Items {
		if d := r.p.Items[i].Decision; d.Order == s.Order && d.To > 0 {
			it = &r.p.Items[i]
		}
	}
	if it == nil {
		return
	}
	if it.Named == nil {
		it.Named = &Names{}
	}
	if isFor != nil {
		end := len(t)
		if against != nil && against[0] > isFor[1] {
			end = against[0]
		}
		it.Named.For = append(it.Named.For, voters(t[isFor[1]:end])...)
	}
	if against != nil {
		it.Named.Against = append(it.Named.Against, voters(t[against[1]:])...)
	}
}

var headcount = regexp.MustCompile(`^（?` + num + `名?）?`)

func voters(t string) []string {
	t = headcount.ReplaceAllString(t, "")
	var out []string
	for _, name := range strings.Split(t, "君") {
		if n := len([]rune(name)); n >= 2 && n <= 12 && !strings.ContainsAny(name, "、。（）") {
			out = append(out, name)
		}
	}
	return out
}
