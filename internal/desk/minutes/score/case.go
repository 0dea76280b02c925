package score

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"pressroom/internal/desk/minutes/proceedings"
)

// bill tells whether a kind of item is a bill or the like.
func bill(kind string) bool { return kind == "bill" || kind == "budget" || kind == "approval" }

// Add scores what was read from a record and told of it.
func (t *Table) Add(c Case, p *proceedings.Proceedings, told proceedings.Told) {
	t.Cases++
	t.items(c, p)
	t.talk(c, p)
	t.order(c, p)
	t.texts(c, told)
}

func (t *Table) items(c Case, p *proceedings.Proceedings) {
	var want, have facts
	var optional facts
	for _, g := range c.Gold.Items {
		if g.Optional {
			optional.add(&g.Item)
		} else {
			want.add(&g.Item)
		}
	}
	for i := range p.Items {
		have.add(&p.Items[i])
	}
	t.Compare(c.Name, "items", have.items, want.items, optional.items...)
	t.Compare(c.Name, "bills", have.bills, want.bills, optional.bills...)
	t.Compare(c.Name, "stages", have.stages, want.stages, optional.stages...)
	t.Compare(c.Name, "outcomes", have.outcomes, want.outcomes, optional.outcomes...)
	t.Compare(c.Name, "votes", have.votes, want.votes, optional.votes...)
}

// facts is what a list of items says, as texts that can be compared.
type facts struct{ items, bills, stages, outcomes, votes []string }

func (f *facts) add(it *proceedings.Item) {
	name := bare(it.Name)
	f.items = append(f.items, name)
	if bill(it.Kind) {
		f.bills = append(f.bills, name)
		for _, s := range it.Stages {
			f.stages = append(f.stages, key(name, s))
		}
	}
	if it.Outcome != "" {
		f.outcomes = append(f.outcomes, key(name, it.Outcome))
	}
	if v := it.Vote; v != nil {
		f.votes = append(f.votes, key(name, vote(v)))
	}
}

// vote is a vote as text; the votes of single candidates do not count.
func vote(v *proceedings.Vote) string {
	if v.Total > 0 && v.Result == "majority" { // an election
		return fmt.Sprint(v.Method, " majority of ", v.Total)
	}
	return fmt.Sprint(v.Method, " ", v.Result, " ", v.For, "-", v.Against, " of ", v.Total)
}

// votes is the same of one that there may not be.
func votes(v *proceedings.Vote) string {
	if v == nil {
		return ""
	}
	return vote(v)
}

func (t *Table) talk(c Case, p *proceedings.Proceedings) {
	var found, want []string
	for _, g := range c.Gold.Questions {
		want = append(want, key(bare(g.Asker), bare(g.Answerer), g.Answered))
	}
	for _, e := range p.Exchanges {
		k := key(bare(e.Asker), bare(e.Answerer), e.Answered)
		for _, g := range c.Gold.Questions { // the last of the turns asked is among those found
			if key(bare(g.Asker), bare(g.Answerer), g.Answered) == k && len(g.Asked) > 0 && !slices.Contains(e.Asked, g.Asked[len(g.Asked)-1]) {
				k = key(bare(e.Asker), bare(e.Answerer), e.Answered, "asked at", e.Asked)
			}
		}
		found = append(found, k)
	}
	t.Compare(c.Name, "questions", found, want)

	found, want = nil, nil
	for _, g := range c.Gold.Debate {
		want = append(want, key(g.Order, bare(g.Speaker), bare(g.Item), g.Stance))
	}
	for _, d := range p.Debate {
		stance := "against"
		if d.For {
			stance = "for"
		}
		found = append(found, key(d.Passage.Order, bare(d.Speaker), bare(d.Item), stance))
	}
	t.Compare(c.Name, "debate", found, want)

	found, want = nil, nil
	for _, g := range c.Gold.Witnesses {
		want = append(want, key(g.Order, bare(g.Name)))
	}
	for _, w := range p.Statements() {
		found = append(found, key(w.Order, bare(w.Name)))
	}
	t.Compare(c.Name, "witnesses", found, want)

	found, want = nil, nil
	for _, g := range c.Gold.Corrections {
		want = append(want, key(g.Order, bare(g.Wrong), bare(g.Right)))
	}
	for _, x := range p.Corrections {
		found = append(found, key(x.Passage.Order, bare(x.Wrong), bare(x.Right)))
	}
	t.Compare(c.Name, "corrections", found, want)
}

func (t *Table) order(c Case, p *proceedings.Proceedings) {
	var found, want []string
	for _, g := range c.Gold.Amendments {
		want = append(want, key(g.Order, bare(g.To), bare(g.By), g.Outcome, votes(g.Vote)))
	}
	for _, a := range p.Amendments {
		found = append(found, key(a.Order, bare(a.To), bare(a.By), a.Outcome, votes(a.Vote)))
	}
	t.Compare(c.Name, "amendments", found, want)

	found, want = nil, nil
	for _, g := range c.Gold.Resolutions {
		want = append(want, key(g.Order, bare(g.Item), g.Outcome))
	}
	for _, r := range p.Resolutions {
		if r.Outcome != "" {
			found = append(found, key(r.Passages[len(r.Passages)-1].Order, bare(r.Item), r.Outcome))
		}
	}
	t.Compare(c.Name, "resolutions", found, want)

	found, want = nil, nil
	if g := c.Gold.Opening; g != nil {
		want = append(want, key(g.Order, g.Time))
	}
	if o := p.Opening; o != nil {
		found = append(found, key(o.Passage.Order, o.Time))
	}
	t.Compare(c.Name, "opening", found, want)
	found, want = nil, nil
	if g := c.Gold.Closing; g != nil {
		want = append(want, key(g.Order, g.Time, g.Kind))
	}
	if o := p.Closing; o != nil {
		found = append(found, key(o.Passage.Order, o.Time, o.Kind))
	}
	t.Compare(c.Name, "closing", found, want)

	t.Compare(c.Name, "procedural", numbers(p.Procedural()), numbers(c.Gold.Procedural))
	found, want = nil, nil
	for _, g := range c.Gold.People {
		want = append(want, key(bare(g.Name), bare(g.Group), bare(g.Office)))
	}
	for _, o := range p.People {
		found = append(found, key(bare(o.Name), bare(o.Group), bare(o.Office)))
	}
	t.Compare(c.Name, "people", found, want)
}

func numbers(list []int) []string {
	var out []string
	for _, n := range list {
		out = append(out, fmt.Sprint(n))
	}
	return out
}

var (
	attendance = regexp.MustCompile(`出席|(?:君[、　]?.{2,8}){2}君`)
	greeting   = regexp.MustCompile(`ありがとう|よろしくお願い|おはよう|会議を開きます|開会いたします|一言御挨拶|申し上げます`)
	document   = regexp.MustCompile(`会議録|議事録|^令和.{1,8}年.{0,12}$|第.{1,6}号$`)
)

func (t *Table) texts(c Case, told proceedings.Told) {
	title := bare(told.Title)
	var found []string
	for _, must := range c.Gold.Headline.Must {
		if holds(title, must) {
			found = append(found, must)
		}
	}
	t.Compare(c.Name, "headline", found, c.Gold.Headline.Must)
	kind := "a headline"
	switch {
	case attendance.MatchString(title):
		kind = "an attendance list: " + title
	case greeting.MatchString(title):
		kind = "a greeting: " + title
	case document.MatchString(title) || slices.ContainsFunc(c.Gold.Items, func(g struct {
		proceedings.Item
		Optional bool
	}) bool {
		return bare(g.Name) == title
	}):
		kind = "a title: " + title
	}
	t.Compare(c.Name, "headline kind", []string{kind}, []string{"a headline"})

	found = nil
	for _, k := range told.Keywords {
		found = append(found, strings.ToLower(bare(k)))
	}
	var accepted, want []string
	for _, k := range c.Gold.Keywords {
		accepted = append(accepted, strings.ToLower(bare(k)))
	}
	for _, k := range found { // an editor's list is what may be found, not what must be
		if slices.Contains(accepted, k) {
			want = append(want, k)
		}
	}
	t.Compare(c.Name, "keywords", found, want)
	t.repetition(c, told)
}

// holds tells whether a text has one of the alternatives.
func holds(text, must string) bool {
	return slices.ContainsFunc(strings.Split(must, "|"), func(one string) bool { return strings.Contains(text, bare(one)) })
}

var sentence = regexp.MustCompile(`(?s).+?(?:。|\. |$)`)

// repetition counts sentences that are said twice.
func (t *Table) repetition(c Case, told proceedings.Told) {
	var found, want []string
	say := func(text string) {
		for _, s := range sentence.FindAllString(text, -1) {
			if strings.TrimSpace(s) == "" {
				continue
			}
			if slices.Contains(found, s) {
				s = "again: " + s
			} else {
				want = append(want, s)
			}
			found = append(found, s)
		}
	}
	say(told.Description)
	say(told.Summary.Text)
	for _, k := range told.KeyPoints {
		say(k)
	}
	for _, c := range told.Course {
		say(c.Text)
	}
	t.Compare(c.Name, "repetition", found, want)
}
