package minutes

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"pressroom/internal/desk/minutes/assembly"
	"pressroom/internal/desk/minutes/hansard"
	"pressroom/internal/desk/minutes/proceedings"
	"pressroom/model"
)

// AgendaItem is an item of a meeting's agenda, or a heading within one.
type AgendaItem struct {
	Title string `json:"title"`
	Level int    `json:"level"`
	// Order is of the first speech under it; -1 if there is none.
	Order int `json:"order"`
}

// Division is a vote that was taken, with who voted how.
type Division struct {
	Title     string      `json:"title"`
	Item      string      `json:"item,omitempty" doc:"the item of the agenda under which it was taken"`
	Outcome   string      `json:"outcome,omitempty" doc:"passed, rejected, withdrawn, or the record's own word"`
	Counts    []Tally     `json:"counts"`
	Parties   []PartyVote `json:"parties,omitempty"`
	Positions []Position  `json:"positions,omitempty"`
	// Order is of the speech before it; -1 if there is none.
	Order int    `json:"order"`
	URL   string `json:"url,omitempty"`
}

// Tally is how many voted for an option: aye, no, abstain, both, absent, or the record's
// own word. Value is -1 if the record gives no figure.
type Tally struct {
	Option string `json:"option"`
	Value  int    `json:"value"`
}

// PartyVote is how the members of a party voted, as far as the record names them.
type PartyVote struct {
	Party  string  `json:"party"`
	Counts []Tally `json:"counts"`
}

// Position is how one member voted.
type Position struct {
	Name   string `json:"name"`
	Party  string `json:"party,omitempty"`
	Option string `json:"option"`
}

// japanese tells whether the record is one whose forms the proceedings read.
func (m Meeting) japanese() bool { return m.Language == "" || strings.HasPrefix(m.Language, "ja") }

func (m Meeting) english() bool { return m.Language == "en" || strings.HasPrefix(m.Language, "en-") }

// structuredRecord is the archived record of a meeting of another assembly.
func (d *Desk) structuredRecord(ctx context.Context, t *Task) (*record, error) {
	at, err := place(d.objects.prompts, "RawMeeting", model.Values{"issueID": t.ID()})
	if err != nil {
		return nil, err
	}
	data, err := d.objects.read(ctx, at)
	if err != nil {
		return nil, err
	}
	var m assembly.Meeting
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, fmt.Errorf("record of %s: %w", t.ID(), err)
	}
	rec := newRecord(speechesIn(&m))
	rec.of = &m
	return rec, nil
}

// produceFromRecord tells a meeting of another assembly without a model: by the forms of
// its record in Japanese, by its structure and few certain forms in English, and by its
// structure alone in other languages.
func (d *Desk) produceFromRecord(ctx context.Context, t *Task) (Result, *record, error) {
	rec, err := d.structuredRecord(ctx, t)
	if err != nil {
		return Result{}, nil, err
	}
	var result Result
	if t.Meeting.japanese() {
		result = told(t.Meeting, rec.speeches)
	}
	if result.Title == "" || result.Summary.IsZero() {
		result, rec.outline = tellStructure(t.Meeting, rec.of), true
	}
	provider := d.info().Provider
	result.GeneratedBy = &Origin{Provider: provider, Model: TellerModel, PromptVersion: t.PromptVersion, Extractive: true}
	if found := rec.check(&result); len(found) > 0 {
		text, _ := encode(result)
		return Result{}, nil, &falseIn{text: string(text), FalseAnswer: &FalseAnswer{found}}
	}
	return result, rec, d.share(ctx, t, &result)
}

// structured adds to an article what only the structure of its record says.
func (r *record) structured(t *Task, article *Article, asset *Asset) {
	s := read(t.Meeting, r.of)
	asset.Agenda, asset.Votes = s.agenda, s.votes
	if len(article.Issues) == 0 {
		article.Issues = s.issues(t.Meeting)
	}
	seen := map[string]bool{}
	for _, p := range article.Progress {
		seen[keyText(p.Item)] = true
	}
	for _, p := range s.progress {
		if !seen[keyText(p.Item)] && len(article.Progress) < maxItems {
			seen[keyText(p.Item)] = true
			article.Progress = append(article.Progress, p)
		}
	}
	if !slices.ContainsFunc(article.Categories, func(c string) bool { return c != "" }) {
		article.Categories = labels{cmp.Or(t.Meeting.Name, t.Meeting.House)}
	}
}

// structure is what a record says besides what was said.
type structure struct {
	agenda   []AgendaItem
	votes    []Division
	progress []Progress
	sections []section
	speakers int
}

// section is an item of the agenda with those who spoke under it.
type section struct {
	title    string
	orders   []int
	speakers []string // each once, with the party
}

// read finds the structure of a record.
func read(m Meeting, of *assembly.Meeting) *structure {
	s := &structure{}
	order := -1
	people := map[string]bool{}
	var open []int // the indexes in agenda of the items that wait for their first speech
	item := ""
	for _, part := range of.Parts {
		switch {
		case part.Item != nil:
			title := plain(assembly.Squeeze(part.Item.Title), 300)
			if title == "" {
				continue
			}
			level := max(part.Item.Level, 1)
			s.agenda = append(s.agenda, AgendaItem{title, level, -1})
			open = append(open, len(s.agenda)-1)
			if item = title; level == 1 || len(s.sections) == 0 {
				s.sections = append(s.sections, section{title: title})
			}
		case part.Speech != nil:
			order = part.Speech.Order
			for _, i := range open {
				s.agenda[i].Order = order
			}
			open = nil
			s.spoken(part.Speech, people)
		case part.Vote != nil:
			s.vote(item, part.Vote, order)
		}
	}
	s.speakers = len(people)
	if m.english() { // one of several votes under a heading may be on an amendment
		forms := hansard.Read(of)
		s.progress = slices.DeleteFunc(s.progress, func(p Progress) bool {
			n := 0
			for _, d := range s.votes {
				if d.Item == p.Item {
					n++
				}
			}
			return n > 1 || forms.Doubtful(p.Item)
		})
	}
	return s
}

// spoken notes who spoke under the present item.
func (s *structure) spoken(speech *assembly.Speech, people map[string]bool) {
	if len(s.sections) == 0 {
		s.sections = append(s.sections, section{})
	}
	at := &s.sections[len(s.sections)-1]
	if len(at.orders) < 200 {
		at.orders = append(at.orders, speech.Order)
	}
	if speech.Name == "" || speech.Role == assembly.Chair {
		return
	}
	people[cmp.Or(speech.Person, speech.Name)] = true
	name := speech.Name
	if speech.Party != "" {
		name += " (" + speech.Party + ")"
	}
	if !slices.Contains(at.speakers, name) {
		at.speakers = append(at.speakers, name)
	}
}

// stated adds what was stated of an item. A later statement on it counts more than an
// earlier one, and keeps the vote that led to it.
func (s *structure) stated(p Progress) {
	i := slices.IndexFunc(s.progress, func(o Progress) bool { return o.Item == p.Item })
	if i < 0 {
		s.progress = append(s.progress, p)
		return
	}
	old := s.progress[i]
	if p.Vote == nil {
		p.Vote = old.Vote
	}
	p.Outcome = cmp.Or(p.Outcome, old.Outcome)
	s.progress[i] = p
}

var billForm = regexp.MustCompile(`\bBill\b|法律案|法案|条例`)

// kindIn is what an item is that was decided on.
func kindIn(item string) string {
	if billForm.MatchString(item) {
		return "bill"
	}
	return "resolution"
}

// vote takes a vote that the record has as such.
func (s *structure) vote(item string, v *assembly.Vote, order int) {
	d := Division{Title: plain(assembly.Squeeze(v.Title), 500), Item: item, Outcome: outcomeOf(v.Outcome), Order: order, URL: cut(v.URL, urlMax)}
	if d.Title == "" {
		d.Title = cmp.Or(item, v.Number)
	}
	counted := map[string]int{}
	parties := map[string]map[string]int{}
	for _, p := range v.Positions {
		counted[p.Option]++
		d.Positions = append(d.Positions, Position{p.Name, p.Party, p.Option})
		if parties[p.Party] == nil {
			parties[p.Party] = map[string]int{}
		}
		parties[p.Party][p.Option]++
	}
	for _, c := range v.Counts {
		d.Counts = append(d.Counts, Tally{c.Option, c.Value})
	}
	if len(d.Counts) == 0 {
		d.Counts = tallies(counted)
	}
	for party, counts := range parties {
		if party != "" {
			d.Parties = append(d.Parties, PartyVote{party, tallies(counts)})
		}
	}
	slices.SortFunc(d.Parties, func(a, b PartyVote) int {
		return cmp.Or(cmp.Compare(total(b.Counts), total(a.Counts)), cmp.Compare(a.Party, b.Party))
	})
	s.votes = append(s.votes, d)
	p := Progress{Item: cmp.Or(item, d.Title), Stage: string(proceedings.Voted), Order: max(order, 0), Kind: kindIn(cmp.Or(item, d.Title))}
	if d.Outcome == string(proceedings.Passed) || d.Outcome == string(proceedings.Rejected) || d.Outcome == string(proceedings.Withdrawn) {
		p.Outcome = d.Outcome
	}
	ayes, noes := d.Of(assembly.Aye), d.Of(assembly.No)
	if ayes >= 0 && noes >= 0 && ayes+noes > 0 {
		p.Vote = &Vote{Method: "recorded", Result: "numbers", For: ayes, Against: noes, Total: ayes + noes + max(d.Of(assembly.Abstain), 0)}
	}
	if p.Item != "" && (p.Vote != nil || p.Outcome != "") {
		s.stated(p)
	}
}

// Of returns how many voted for an option; -1 if the record does not say.
func (d *Division) Of(option string) int {
	for _, c := range d.Counts {
		if c.Option == option {
			return c.Value
		}
	}
	return -1
}

// options is the order in which options are shown; others follow by name.
var options = []string{assembly.Aye, assembly.No, assembly.Abstain, assembly.Both, assembly.Absent}

func tallies(counts map[string]int) []Tally {
	var out []Tally
	for option, n := range counts {
		out = append(out, Tally{option, n})
	}
	rank := func(t Tally) int {
		if i := slices.Index(options, t.Option); i >= 0 {
			return i
		}
		return len(options)
	}
	slices.SortFunc(out, func(a, b Tally) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.Option, b.Option))
	})
	return out
}

func total(counts []Tally) int {
	n := 0
	for _, c := range counts {
		n += max(c.Value, 0)
	}
	return n
}

var (
	passedWord   = regexp.MustCompile(`(?i)^#?(pass|agreed|carried|adopted|approved|accepted|aprobad|sprejet|可決|承認|採択)`)
	rejectedWord = regexp.MustCompile(`(?i)^#?(lost|reject|negativ|fail|defeat|not[_ -]?(agreed|carried|adopted|approved)|rechaz|zavrnjen|否決)`)
)

// outcomeOf is what a format's word for the end of a vote says; a word that is not known
// is left as it is.
func outcomeOf(word string) string {
	word = strings.TrimSpace(word)
	switch {
	case rejectedWord.MatchString(word):
		return string(proceedings.Rejected)
	case passedWord.MatchString(word):
		return string(proceedings.Passed)
	case strings.EqualFold(strings.TrimPrefix(word, "#"), "withdrawn"):
		return string(proceedings.Withdrawn)
	}
	return plain(strings.TrimPrefix(word, "#"), 60)
}

// foremost puts the items first that were decided on, and then those that were spoken on
// most: they make the title.
func (s *structure) foremost(titles []string) []string {
	weight := map[string]int{}
	for _, sec := range s.sections {
		weight[sec.title] += len(sec.orders)
	}
	for _, p := range s.progress {
		if weight[p.Item] > 0 {
			weight[p.Item] += 1000
		}
	}
	out := slices.Clone(titles)
	slices.SortStableFunc(out, func(a, b string) int { return weight[b] - weight[a] })
	return out
}

// issues are the items that have a life beyond the meeting: those that were decided on,
// and bills; where the language's forms are not known, all items of the agenda.
func (s *structure) issues(m Meeting) []string {
	out := []string{}
	add := func(name string) {
		if name != "" && !slices.Contains(out, name) && len(out) < maxIssues {
			out = append(out, name)
		}
	}
	for _, p := range s.progress {
		add(p.Item)
	}
	for i, a := range s.agenda {
		heads := i+1 < len(s.agenda) && s.agenda[i+1].Order == a.Order // of another item
		if !m.english() && a.Level == 1 && a.Order >= 0 && !heads || kindIn(a.Title) == "bill" {
			add(a.Title)
		}
	}
	return out
}

// tally is the figures of a vote, as in "301–207".
func tally(v *assembly.Vote) string {
	var parts []string
	for _, c := range v.Counts {
		if c.Value >= 0 {
			parts = append(parts, strconv.Itoa(c.Value))
		}
	}
	return strings.Join(parts, "–")
}

func (d *Division) tally() string {
	var parts []string
	for _, c := range d.Counts {
		if c.Value >= 0 {
			parts = append(parts, strconv.Itoa(c.Value))
		}
	}
	return strings.Join(parts, "–")
}

// Bounds on what is told.
const (
	toldItems    = 12
	toldSpeakers = 6
)

// tellStructure tells what a record's structure says: the agenda, who spoke, the votes.
// In English it makes sentences; in a language whose forms are not known it strings the
// record's own words together, and adds none.
func tellStructure(m Meeting, of *assembly.Meeting) Result {
	s := read(m, of)
	w := words[m.english()]
	var titles []string
	var orders []int
	first := func(list []int) []int {
		if len(list) > 20 {
			return list[:20]
		}
		return list
	}
	out := Result{Date: m.Date}
	for _, sec := range s.sections {
		if len(sec.orders) > 0 {
			orders = append(orders, sec.orders[0])
		}
		if sec.title == "" || slices.Contains(titles, sec.title) || len(sec.orders) == 0 && len(of.Speeches()) > 0 {
			continue // it is none, was there, or heads another
		}
		titles = append(titles, sec.title)
		if len(sec.orders) > 0 && len(sec.speakers) > 0 {
			out.MiddleSummary = append(out.MiddleSummary, Cited{first(sec.orders), w.spoke(sec.title, sec.speakers)})
		}
	}
	if len(orders) == 0 { // a record of votes alone
		orders = []int{0}
	}
	orders = first(orders)
	out.Title = cut(w.title(s.foremost(titles)), 300)
	if out.Title == "" {
		out.Title = cmp.Or(plain(of.Title, 300), strings.TrimSpace(m.House+" "+m.Name+" "+m.Date))
	}
	var lines []string
	if text := w.agenda(titles); text != "" {
		lines = append(lines, text)
	}
	if text := w.speakers(s); text != "" {
		lines = append(lines, text)
	}
	placed := placedVotes(m, of)
	for i := range s.votes {
		text := w.vote(&s.votes[i])
		if text == "" || placed[[2]int{s.votes[i].Of(assembly.Aye), s.votes[i].Of(assembly.No)}] {
			continue
		}
		out.KeyPoints = append(out.KeyPoints, text)
		if i < toldItems {
			lines = append(lines, text)
		}
		if o := s.votes[i].Order; o >= 0 && !slices.Contains(orders, o) && len(orders) < 60 {
			orders = append(orders, o)
		}
	}
	for _, p := range s.progress {
		if p.Outcome != "" && !slices.ContainsFunc(s.votes, func(d Division) bool { return d.Item == p.Item }) {
			if text := w.decided(p); text != "" {
				lines = append(lines, text)
				out.KeyPoints = append(out.KeyPoints, text)
				if !slices.Contains(orders, p.Order) {
					orders = append(orders, p.Order)
				}
			}
		}
	}
	if m.english() {
		lines, orders = out.tellForms(m, of, lines, orders)
	}
	if len(lines) == 0 {
		lines = []string{out.Title}
	}
	slices.Sort(orders)
	out.Description = cut(cmp.Or(out.Description, strings.Join(lines, w.between)), 1000)
	out.Summary = Cited{orders, strings.Join(lines, w.between)}
	return out
}

// placedVotes are the figures of which the forms of a record say what they are on: they are told
// with that.
func placedVotes(m Meeting, of *assembly.Meeting) map[[2]int]bool {
	out := map[[2]int]bool{}
	if !m.english() {
		return out
	}
	read := hansard.Read(of)
	add := func(v *proceedings.Vote) {
		if v != nil {
			out[[2]int{v.For, v.Against}] = true
		}
	}
	for i := range read.Items {
		add(read.Items[i].Vote)
	}
	for i := range read.Amendments {
		add(read.Amendments[i].Vote)
	}
	return out
}

// tellForms puts what the forms of a record in English state before its structure.
func (r *Result) tellForms(m Meeting, of *assembly.Meeting, lines []string, orders []int) ([]string, []int) {
	read := hansard.Read(of)
	read.Where = cmp.Or(m.Name, m.House, read.Where)
	t := read.Tell()
	r.Title = cut(cmp.Or(t.Title, r.Title), 300)
	r.KeyPoints = append(t.KeyPoints, r.KeyPoints...)
	r.Keywords = t.Keywords
	for _, c := range t.Course {
		at := len(r.MiddleSummary)
		if strings.HasPrefix(c.Text, "The sitting opened") {
			at = 0
		}
		r.MiddleSummary = slices.Insert(r.MiddleSummary, at, Cited{c.Orders, c.Text})
	}
	if t.Summary.Text == "" {
		return lines, orders
	}
	r.Description = t.Description
	orders = append(orders, t.Summary.Orders...)
	slices.Sort(orders)
	return append([]string{t.Summary.Text}, lines...), slices.Compact(orders)
}

// wording is how structure is told.
type wording struct {
	between  string
	title    func(titles []string) string
	agenda   func(titles []string) string
	speakers func(s *structure) string
	spoke    func(title string, speakers []string) string
	vote     func(d *Division) string
	decided  func(p Progress) string
}

// words are by whether the record is in English.
var words = map[bool]wording{
	true: {
		between: " ",
		title: func(titles []string) string {
			switch {
			case len(titles) <= 2:
				return strings.Join(titles, " and ")
			case len(titles) == 3:
				return titles[0] + ", " + titles[1] + " and " + titles[2]
			}
			return fmt.Sprintf("%s, %s and %d more items", titles[0], titles[1], len(titles)-2)
		},
		agenda: func(titles []string) string {
			switch n := len(titles); {
			case n == 0:
				return ""
			case n == 1:
				return "The agenda had one item: " + stop(titles[0])
			case n > toldItems:
				return fmt.Sprintf("The agenda had %d items, among them %s", n, stop(strings.Join(titles[:toldItems], "; ")))
			}
			return fmt.Sprintf("The agenda had %d items: %s", len(titles), stop(strings.Join(titles, "; ")))
		},
		speakers: func(s *structure) string {
			switch s.speakers {
			case 0:
				return ""
			case 1:
				return "One person spoke besides the chair."
			}
			return fmt.Sprintf("%d people spoke besides the chair.", s.speakers)
		},
		spoke: func(title string, speakers []string) string {
			verb := " spoke on "
			if n := len(speakers); n > toldSpeakers {
				return fmt.Sprintf("%s and %d more%s%s", strings.Join(speakers[:toldSpeakers], ", "), n-toldSpeakers, verb, stop(title))
			}
			if n := len(speakers); n > 1 {
				return strings.Join(speakers[:n-1], ", ") + " and " + speakers[n-1] + verb + stop(title)
			}
			return speakers[0] + verb + stop(title)
		},
		vote: func(d *Division) string {
			var counts []string
			for _, c := range d.Counts {
				if c.Value >= 0 {
					counts = append(counts, fmt.Sprintf("%s %d", c.Option, c.Value))
				}
			}
			text := "Vote on " + strings.TrimRight(d.Title, ".")
			if d.Title == d.Item { // which names no question
				text = "Division under " + strings.TrimRight(d.Item, ".")
			}
			if len(counts) > 0 {
				text += ": " + strings.Join(counts, ", ")
			}
			if d.Outcome != "" {
				text += " (" + d.Outcome + ")"
			}
			return stop(text)
		},
		decided: func(p Progress) string {
			return stop(strings.TrimRight(p.Item, ".") + ": " + p.Outcome)
		},
	},
	false: {
		between:  "\n",
		title:    func(titles []string) string { return strings.Join(titles[:min(3, len(titles))], " · ") },
		agenda:   func(titles []string) string { return strings.Join(titles[:min(toldItems, len(titles))], " · ") },
		speakers: func(*structure) string { return "" },
		spoke: func(title string, speakers []string) string {
			text := title + " — " + strings.Join(speakers[:min(toldSpeakers, len(speakers))], ", ")
			if n := len(speakers) - toldSpeakers; n > 0 {
				text += fmt.Sprintf(", +%d", n)
			}
			return text
		},
		vote: func(d *Division) string {
			return strings.TrimSpace(d.Title + " " + d.tally())
		},
		decided: func(Progress) string { return "" },
	},
}

// stop ends a sentence.
func stop(text string) string {
	if strings.HasSuffix(text, ".") || strings.HasSuffix(text, "?") || strings.HasSuffix(text, "!") {
		return text
	}
	return text + "."
}
