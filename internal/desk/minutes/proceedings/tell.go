package proceedings

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Told is a meeting in words: the parts of an article.
type Told struct {
	Title        string
	Description  string
	KeyPoints    []string
	Summary      Cited
	Plain        Cited // in plain words; empty where rules cannot do it
	Course       []Cited
	Speeches     []Bullets
	Participants []Person
	Terms        []Term
	Keywords     []string
}

// Cited is text with the orders of the speeches that it rests on.
type Cited struct {
	Orders []int
	Text   string
}

// Bullets are the points of one speech.
type Bullets struct {
	Order int
	Title string
	// Points are sentences of the speech, and the same in plain words where rules can
	// say them.
	Points []Point
	Plain  string
}

// Point is a sentence of a speech; Plain is the same in plain words, or "".
type Point struct{ Quote, Plain string }

// Term is a word and what it means.
type Term struct{ Term, Definition string }

// Tell tells what a record states.
func (p *Proceedings) Tell() Told {
	w := &teller{p: p}
	t := Told{Title: w.title(), Description: w.description(), Participants: p.People}
	w.summary(&t)
	w.keyPoints(&t)
	w.course(&t)
	w.speeches(&t)
	w.plain(&t)
	t.Keywords = w.keywords()
	t.Terms = w.terms(&t)
	return t
}

// teller makes the texts. It says each sentence once.
type teller struct {
	p    *Proceedings
	said map[string]bool
}

// once tells whether a sentence was not said before.
func (w *teller) once(s string) bool {
	if w.said == nil {
		w.said = map[string]bool{}
	}
	if s == "" || w.said[s] {
		return false
	}
	w.said[s] = true
	return true
}

// maxTitle is how many characters a headline has at most, about.
const maxTitle = 60

func (w *teller) where() string { return w.p.meeting.House + w.p.meeting.Name }

// day is the meeting's date in words.
func (w *teller) day() string {
	var y, m, d int
	if n, _ := fmt.Sscanf(w.p.meeting.Date, "%d-%d-%d", &y, &m, &d); n != 3 {
		return ""
	}
	return fmt.Sprintf("%d年%d月%d日", y, m, d)
}

func (w *teller) description() string {
	var did []string
	if n := w.decidedCount(); n > 0 {
		did = append(did, strconv.Itoa(n)+"件を決め")
	}
	if a := w.askers(-1); len(a) > 0 {
		did = append(did, strconv.Itoa(len(a))+"人が質疑に立った")
	}
	text := w.where()
	if d := w.day(); d != "" {
		text += "は" + d
	} else {
		text += "は"
	}
	topic := w.topic()
	switch {
	case len(did) == 2:
		text += "、" + did[0] + "、" + did[1]
	case len(did) == 1 && strings.HasSuffix(did[0], "決め"):
		text += "、" + did[0] + "た"
	case len(did) == 1:
		text += "、" + did[0]
	default:
		text += "に開かれた"
	}
	text += "。"
	if topic != nil {
		text += "主な議題は" + topic.Name + "。"
	}
	return text
}

func (w *teller) decidedCount() int {
	n := 0
	for i := range w.p.Items {
		if w.p.Items[i].Outcome != "" {
			n++
		}
	}
	return n
}

// outcome is the sentence that says what was decided on an item.
func (w *teller) outcome(it *Item) string {
	if it.Outcome == Elected || it.Outcome == Appointed {
		if t := w.chosen(it); t != "" {
			s := t + "した。"
			if strings.Contains(it.Name, "内閣総理大臣") && it.Vote != nil && it.Vote.Won > 0 {
				s = strings.TrimSuffix(s, "した。") + "した（投票総数" + strconv.Itoa(it.Vote.Total) + "のうち" + strconv.Itoa(it.Vote.Won) + "）。"
			}
			return s
		}
		return it.Name + "を" + by(it.Vote) + "決めた。"
	}
	_, sentence := w.verb(it)
	object := "を"
	if sentence == "同意した" {
		object = "に"
	}
	if utf8.RuneCountInString(it.Name) >= 40 {
		object += "、"
	}
	return it.Name + object + by(it.Vote) + sentence + "。"
}

// summary says what was decided on the items of weight, what they are for, and who
// asked and debated.
func (w *teller) summary(t *Told) {
	var text []string
	var orders []int
	say := func(s string, at ...int) {
		if w.once(s) {
			text = append(text, s)
			orders = append(orders, at...)
		}
	}
	n := 0
	for i := range w.p.Items {
		if it := &w.p.Items[i]; rank(it) >= 45 && n < 3 {
			n++
			say(w.outcome(it), it.Decision.Order)
		}
	}
	topic := w.topic()
	if m := w.main(); m != nil && weighty(m[0].Kind) {
		topic = m[0]
	}
	if topic != nil && weighty(topic.Kind) && topic.explained >= 0 {
		if s, ok := w.purpose(topic); ok {
			say(s, topic.explained)
		}
	}
	if topic != nil && len(text) == 0 {
		if at := orderOf(topic.Passages); at >= 0 {
			say(topic.Name+"を取り上げた。", at)
		}
	}
	if a := w.askers(-1); len(a) > 0 {
		say(w.listed(a)+"が質問し、"+w.listed(w.answerers())+"が答えた。", w.exchangeOrders()...)
	}
	if topic != nil {
		if s, at := w.debate(topic.Name); s != "" {
			say(s, at...)
		}
	}
	if len(text) == 0 {
		for i, it := range w.main() {
			if i < 3 {
				say(w.outcome(it), it.Decision.Order)
			}
		}
	}
	if len(text) == 0 {
		if o := w.p.Opening; o != nil {
			say(w.where()+"が開かれた。", o.Passage.Order)
		} else if len(w.p.Turns) > 0 {
			say(w.where()+"の記録である。", w.p.Turns[0].Order)
		}
	}
	t.Summary = Cited{uniq(orders), strings.Join(text, "")}
}

// stale tells whether a sentence of a speech says what was set right or taken back after it.
func (w *teller) stale(s *speech, t string) bool {
	for _, c := range w.p.Corrections {
		if c.Of == "" && s.Order < c.Passage.Order && strings.Contains(t, squeeze(c.Wrong)) && (c.Printed || w.p.speech[c.Passage.Order].Speaker == s.Speaker) {
			return true
		}
	}
	for _, x := range w.p.Retractions {
		if x.Speaker == s.Speaker && s.Order < x.Passage.Order && (x.Words == "" || strings.Contains(t, x.Words)) {
			return true
		}
	}
	return false
}

func orderOf(all []Passage) int {
	if len(all) == 0 {
		return -1
	}
	return all[len(all)-1].Order
}

func uniq(orders []int) []int {
	slices.Sort(orders)
	return slices.Compact(orders)
}

// keyPoints are the other outcomes, amendments, resolutions, corrections, and the
// answers that say most.
func (w *teller) keyPoints(t *Told) {
	add := func(s string) {
		if len(t.KeyPoints) < maxKeyPoints && w.once(s) {
			t.KeyPoints = append(t.KeyPoints, s)
		}
	}
	order := w.byRank()
	for _, it := range order {
		if it.Outcome != "" && rank(it) > 10 {
			add(w.outcome(it))
		}
	}
	for i := range w.p.Amendments {
		a := &w.p.Amendments[i]
		s := w.person(a.By) + "が" + a.To + "の修正案を説明した。"
		switch {
		case a.To == "":
			continue
		case a.Outcome == Passed:
			s = a.To + "に対する" + w.person(a.By) + "の修正案を" + by(a.Vote) + "可決した。"
		case a.Outcome == Rejected:
			s = a.To + "に対する" + w.person(a.By) + "の修正案を" + by(a.Vote) + "否決した。"
		}
		add(s)
	}
	for i := range w.p.Resolutions {
		if res := &w.p.Resolutions[i]; res.Item != "" && res.Outcome == Passed {
			add(res.Item + "に附帯決議を付けることを" + by(res.Vote) + "決めた。")
		} else if res.Item != "" && res.Outcome == Rejected {
			add(res.Item + "に附帯決議を付ける動議を否決した。")
		}
	}
	for _, a := range w.p.Appointments {
		name := a.Persons[0] + "氏"
		if n := len(a.Persons); n > 1 {
			name += "ら" + strconv.Itoa(n) + "人"
		}
		add(a.Office + "に" + name + "を指名した。")
	}
	for _, it := range order {
		if it.Outcome != "" && rank(it) == 10 {
			add(w.outcome(it))
		}
	}
	for _, c := range w.p.Corrections {
		who := w.person(w.p.speech[c.Passage.Order].Speaker) + "が"
		if c.Printed {
			who = "正誤で"
		}
		if c.Of != "" {
			who += "会議録" + c.Of + "の"
		}
		add(who + "「" + c.Wrong + "」を「" + c.Right + "」に訂正した。")
	}
	for _, x := range w.p.Retractions {
		what := "発言"
		if x.Words != "" {
			what = "「" + x.Words + "」との発言"
		}
		add(w.person(x.Speaker) + "が" + what + "を取り消した。")
	}
	for _, e := range w.best(maxAnswers) {
		add(w.person(e.Asker) + "の質問に、" + w.person(e.Answerer) + "は「" + strings.TrimSuffix(e.said, "。") + "」と答えた。")
	}
}

const (
	maxKeyPoints = 30
	maxAnswers   = 6
)

func (w *teller) byRank() []*Item {
	var out []*Item
	for i := range w.p.Items {
		out = append(out, &w.p.Items[i])
	}
	slices.SortStableFunc(out, func(a, b *Item) int { return rank(b) - rank(a) })
	return out
}
