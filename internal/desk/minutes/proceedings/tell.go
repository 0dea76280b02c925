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

// Tell tells what a record states. The terms are those of a lexicon: words that may be
// keywords and are explained.
func (p *Proceedings) Tell(terms []Term) Told {
	w := &teller{p: p}
	t := Told{Title: w.title(), Description: w.description(), Participants: p.People}
	w.summary(&t)
	w.keyPoints(&t)
	w.course(&t)
	w.speeches(&t)
	w.plain(&t)
	t.Keywords = w.keywords(terms)
	t.Terms = w.terms(&t, terms)
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

// rank is how much an item's outcome weighs; 0 if it says nothing to readers.
func rank(it *Item) int {
	if it.Outcome == "" {
		return 0
	}
	switch {
	case it.Kind == "other" && it.Outcome == Passed:
		return 60
	case it.Outcome == Elected && strings.Contains(it.Name, "内閣総理大臣"):
		return 100
	case it.Kind == "resolution" && strings.Contains(it.Name, "不信任"):
		return 95
	case it.Kind == "budget":
		return 90
	case it.Kind == "bill" && it.Outcome == Agreed && !strings.HasSuffix(it.Name, "起草の件"):
		return 74
	case it.Kind == "bill":
		return 80
	case it.Kind == "approval":
		return 75
	case it.Kind == "resolution":
		return 70
	case it.Kind == "petition":
		return 50
	case it.Kind == "election" && len(it.Persons) > 0:
		return 45
	case it.Kind == "personnel" && it.Outcome == Agreed && strings.Contains(it.Name, "任命"):
		return 60
	case it.Kind == "report" && it.Outcome == Approved:
		return 72
	case it.Kind == "personnel":
		return 30
	case it.Kind == "report" || it.Kind == "investigation":
		return 20
	}
	return 10
}

// main are the decided items of the highest rank, in order.
func (w *teller) main() []*Item {
	best := 0
	for i := range w.p.Items {
		best = max(best, rank(&w.p.Items[i]))
	}
	if best == 0 {
		return nil
	}
	var out []*Item
	for i := range w.p.Items {
		if it := &w.p.Items[i]; rank(it) == best {
			out = append(out, it)
		}
	}
	return out
}

// verb says what was decided, in a headline and in a sentence.
func verb(it *Item) (head, sentence string) {
	switch it.Outcome {
	case Passed:
		switch {
		case it.Amended && it.Proposed:
			return "修正議決すべきものと決定", "修正議決すべきものと決定した"
		case it.Amended:
			return "修正議決", "修正議決した"
		case it.Proposed:
			return "可決すべきものと決定", "可決すべきものと決定した"
		}
		return "可決", "可決した"
	case Rejected:
		switch {
		case it.Kind == "petition":
			return "不採択", "不採択とした"
		case it.Proposed:
			return "否決すべきものと決定", "否決すべきものと決定した"
		}
		return "否決", "否決した"
	case Approved:
		if it.Proposed {
			return "承認すべきものと決定", "承認すべきものと決定した"
		}
		return "承認", "承認した"
	case NotApproved:
		return "承認せず", "承認しないことを決めた"
	case Adopted:
		return "採択", "採択した"
	case Withdrawn:
		return "撤回を許可", "撤回することを許可した"
	case Continued:
		return "継続審査に", "継続することを決めた"
	case ReferredTo:
		return "付託", "付託した"
	}
	return "決定", "決定した"
}

// approval is the verb in the record's own word: 承認, 承諾 or 同意.
func (w *teller) verb(it *Item) (string, string) {
	head, sentence := verb(it)
	if it.Outcome == Approved || it.Outcome == NotApproved {
		for _, word := range []string{"承諾", "同意", "認定", "是認"} {
			if said := w.p.Text(it.Decision); strings.Contains(said, word) {
				head, sentence = strings.Replace(head, "承認", word, 1), strings.Replace(sentence, "承認", word, 1)
				break
			}
		}
	}
	if it.Outcome == Agreed && strings.Contains(w.p.Text(it.Decision), "同意") {
		return "同意", "同意した"
	}
	return head, sentence
}

// how says how it was decided: 賛成204・反対25, 起立多数.
func how(v *Vote) string {
	switch {
	case v == nil:
		return ""
	case v.Method == "ballot" || v.Total > 0 && v.Result == "majority":
		return "" // an election
	case v.Result == "numbers" && len(v.Counts) == 0:
		return fmt.Sprintf("賛成%d・反対%d", v.For, v.Against)
	case v.Result == "numbers":
		return ""
	case v.Method == "no_objection":
		return "異議なし"
	}
	ways := map[string]string{"standing": "起立", "hands": "挙手"}
	many := map[string]string{"unanimous": "全会一致", "majority": "賛成多数", "minority": "賛成少数"}
	if way := ways[v.Method]; way != "" && v.Result != "unanimous" {
		return way + strings.TrimPrefix(many[v.Result], "賛成")
	}
	return many[v.Result]
}

// by is how in a sentence: 起立多数で, 異議なく.
func by(v *Vote) string {
	switch h := how(v); h {
	case "":
		return ""
	case "異議なし":
		return "異議なく"
	default:
		return strings.ReplaceAll(h, "・", "、") + "で"
	}
}

// maxTitle is how many characters a headline has at most, about.
const maxTitle = 60

func (w *teller) title() string {
	if w.p.Dissolved != nil {
		return w.p.meeting.House + "を解散"
	}
	items := w.main()
	if items != nil && rank(items[0]) >= 45 {
		if t := w.decided(items); t != "" {
			return t
		}
	}
	if t := w.undecided(); t != "" {
		return t
	}
	if items != nil {
		if t := w.decided(items); t != "" {
			return t
		}
	}
	if topic := w.topic(); topic != nil {
		return short(topic.Name) + "を議題に" + w.where() + "を開会"
	}
	return w.where() + "を開会"
}

// decided is the headline of what was decided.
func (w *teller) decided(items []*Item) string {
	first := items[0]
	if first.Outcome == Elected || first.Outcome == Appointed {
		return w.chosen(first)
	}
	head, _ := w.verb(first)
	var same []*Item
	for _, it := range items {
		if h, _ := w.verb(it); h == head {
			same = append(same, it)
		}
	}
	name := short(first.Name)
	tail := how(first.Vote)
	for _, it := range same {
		if how(it.Vote) != tail {
			tail = ""
		}
	}
	switch {
	case len(same) == 2 && utf8.RuneCountInString(name+short(same[1].Name)) < maxTitle-15:
		name += "と" + short(same[1].Name)
	case len(same) > 1:
		name += "など" + strconv.Itoa(len(same)) + "件"
	}
	object := "を"
	if head == "撤回を許可" {
		object = "の"
	}
	if head == "同意" {
		object = "に"
	}
	title := name + object + head
	if first.Outcome == Continued {
		title = name + "の継続を決定"
	}
	if tail != "" && tail != "異議なし" {
		title += "　" + tail
	}
	return title
}

// chosen is the headline of an election or an appointment.
func (w *teller) chosen(it *Item) string {
	if len(it.Persons) == 0 {
		return ""
	}
	office := officeOf(it.Name)
	if office == "" {
		return ""
	}
	name := it.Persons[0] + "氏"
	if n := len(it.Persons); n > 1 {
		name += "ら" + strconv.Itoa(n) + "人"
	}
	word := "を選任"
	said := w.p.Text(it.Decision)
	switch {
	case strings.Contains(it.Name, "内閣総理大臣"), strings.Contains(said, "指名"):
		word = "を指名"
	case strings.Contains(said, "当選"):
		word = "が当選"
	}
	return office + "に" + name + word
}

// officeOf is the office that an election is for.
func officeOf(name string) string {
	for _, o := range []string{"内閣総理大臣", "副議長", "議長"} {
		if strings.HasPrefix(name, o) {
			return o
		}
	}
	for _, o := range []string{"理事", "幹事", "委員長", "会長"} {
		if strings.HasPrefix(name, o) || strings.HasPrefix(name, "特別"+o) {
			return o
		}
	}
	for _, end := range []string{"の選挙", "の選任", "選任の件", "の互選", "互選"} {
		if o, ok := strings.CutSuffix(name, end); ok && !strings.Contains(o, "及び") {
			return o
		}
	}
	return ""
}

// short is a long name in its usual short form: 「…の一部を改正する法律案」 is 「…改正案」.
func short(name string) string {
	if utf8.RuneCountInString(name) <= 38 {
		return name
	}
	for _, end := range []string{"の一部を改正する等の法律案", "の一部を改正する法律案"} {
		if s, ok := strings.CutSuffix(name, end); ok {
			return s + "改正案"
		}
	}
	return name
}

// undecided is the headline of a meeting that decided nothing of weight: what was
// asked, explained or heard; "" if nothing was.
func (w *teller) undecided() string {
	p := w.p
	askers := w.askers(-1)
	topic := w.topic()
	switch {
	case topic != nil && len(askers) > 0 && slices.Contains(topic.Stages, Explained) && weighty(topic.Kind):
		return short(topic.Name) + "の趣旨説明、" + strconv.Itoa(len(askers)) + "人が質疑"
	case topic != nil && len(p.Witnesses) > 1 && len(askers) > 0:
		return short(topic.Name) + "、参考人" + strconv.Itoa(len(p.Witnesses)) + "人から聴取"
	case topic != nil && len(askers) > 0 && strings.HasSuffix(topic.Name, "質疑"):
		return strings.TrimSuffix(topic.Name, "に対する質疑") + "に対し" + strconv.Itoa(len(askers)) + "人が質疑"
	case topic != nil && len(askers) > 0:
		return short(topic.Name) + "、" + strconv.Itoa(len(askers)) + "人が質疑"
	case len(askers) > 0:
		return w.where() + "で" + strconv.Itoa(len(askers)) + "人が質疑"
	case topic != nil && slices.Contains(topic.Stages, Explained) && weighty(topic.Kind):
		return short(topic.Name) + "の趣旨説明を聴取"
	case topic != nil && strings.HasSuffix(topic.Name, "演説"):
		return topic.Name + "を聴取"
	case len(p.Witnesses) > 1:
		return w.where() + "が参考人" + strconv.Itoa(len(p.Witnesses)) + "人から聴取"
	}
	for _, t := range p.Turns {
		if t.Kind == "address" {
			return w.person(p.speech[t.Order].Speaker) + "が所信を表明"
		}
	}
	return ""
}

// topic is the item that the meeting was about: the weightiest, or the one most was
// asked on.
func (w *teller) topic() *Item {
	count := map[int]int{}
	for _, e := range w.p.Exchanges {
		count[e.Item]++
	}
	best, most := -1, -1
	for i := range w.p.Items {
		it := &w.p.Items[i]
		n := count[i] * 10
		if weighty(it.Kind) && (slices.Contains(it.Stages, Explained) || slices.Contains(it.Stages, Questioned)) {
			n += 10000
		}
		switch it.Kind {
		case "investigation", "report":
			n += 5
		case "other", "personnel", "election":
			if n == 0 {
				continue
			}
		}
		if n > most {
			best, most = i, n
		}
	}
	if best < 0 {
		return nil
	}
	return &w.p.Items[best]
}

// askers are those who asked and were answered, on one item or (-1) on any.
func (w *teller) askers(item int) []string {
	var out []string
	for _, e := range w.p.Exchanges {
		if (item < 0 || e.Item == item) && !slices.Contains(out, e.Asker) {
			out = append(out, e.Asker)
		}
	}
	return out
}

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
	how := by(it.Vote)
	if how != "" {
		how += "、"
		if utf8.RuneCountInString(it.Name) < 40 {
			how = strings.TrimSuffix(how, "、")
		}
	}
	return it.Name + object + how + sentence + "。"
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
		if o := w.p.Opening; o != nil {
			say(w.where()+"が開かれた。", o.Passage.Order)
		} else if len(w.p.Turns) > 0 {
			say(w.where()+"の記録である。", w.p.Turns[0].Order)
		}
	}
	t.Summary = Cited{uniq(orders), strings.Join(text, "")}
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

// exchangeOrders are the first orders of who asked and who answered.
func (w *teller) exchangeOrders() []int {
	seen := map[string]bool{}
	var out []int
	for _, e := range w.p.Exchanges {
		if !seen["q"+e.Asker] {
			seen["q"+e.Asker] = true
			out = append(out, e.Asked...)
		}
		if !seen["a"+e.Answerer] {
			seen["a"+e.Answerer] = true
			out = append(out, e.Answered...)
		}
	}
	return out
}

func (w *teller) answerers() []string {
	var out []string
	for _, e := range w.p.Exchanges {
		if !slices.Contains(out, e.Answerer) {
			out = append(out, e.Answerer)
		}
	}
	return out
}

// kind is what a speech is in the meeting.
func (w *teller) kind(order int) string {
	for _, t := range w.p.Turns {
		if t.Order == order {
			return t.Kind
		}
	}
	return ""
}

// listed names people: the first three with office or group, the others by number.
func (w *teller) listed(names []string) string {
	var out []string
	for i, n := range names {
		if i == 3 && len(names) > 4 {
			break
		}
		out = append(out, w.person(n))
	}
	s := strings.Join(out, "、")
	if more := len(names) - len(out); more > 0 {
		s += "ら" + strconv.Itoa(len(names)) + "人"
	}
	return s
}

// person is a name with group or office.
func (w *teller) person(name string) string {
	for _, p := range w.p.People {
		if p.Name == name {
			switch {
			case p.Office != "" && p.Office != "委員長":
				return name + "氏（" + p.Office + "）"
			case p.Group != "":
				return name + "氏（" + p.Group + "）"
			}
		}
	}
	return name + "氏"
}

// debate says who spoke for and against an item.
func (w *teller) debate(item string) (string, []int) {
	var yes, no []string
	var orders []int
	for _, d := range w.p.Debate {
		if d.Item != item {
			continue
		}
		list := &no
		if d.For {
			list = &yes
		}
		if !slices.Contains(*list, d.Speaker) {
			*list = append(*list, d.Speaker)
			orders = append(orders, d.Passage.Order)
		}
	}
	both := slices.ContainsFunc(yes, func(n string) bool { return slices.Contains(no, n) })
	switch {
	case both || len(yes)+len(no) == 0:
		return "", nil
	case len(no) == 0:
		return "討論では" + w.listed(yes) + "が賛成した。", orders
	case len(yes) == 0:
		return "討論では" + w.listed(no) + "が反対した。", orders
	}
	return "討論では" + w.listed(yes) + "が賛成し、" + w.listed(no) + "が反対した。", orders
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
		add(w.person(w.p.speech[c.Passage.Order].Speaker) + "が「" + c.Wrong + "」を「" + c.Right + "」に訂正した。")
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

// course is the meeting from beginning to end.
func (w *teller) course(t *Told) {
	type step struct {
		order int
		cited Cited
	}
	var steps []step
	add := func(at int, s string, orders ...int) {
		if at >= 0 && w.once(s) {
			steps = append(steps, step{at, Cited{uniq(orders), s}})
		}
	}
	if o := w.p.Opening; o != nil {
		s := "開会した。"
		if o.Time != "" {
			s = o.Time + "に開会した。"
		}
		add(o.Passage.Order, s, o.Passage.Order)
	}
	w.courseOfItems(add)
	for _, x := range w.p.Witnesses {
		verb := "が参考人などとして答えた。"
		if w.kind(x.Order) == "statement" {
			verb = "が意見を述べた。"
		}
		add(x.Order, w.person(x.Name)+verb, x.Order)
	}
	if c := w.p.Closing; c != nil {
		s := c.Kind + "した。"
		if c.Time != "" {
			s = c.Time + "に" + s
		}
		add(c.Passage.Order, s, c.Passage.Order)
	}
	slices.SortStableFunc(steps, func(a, b step) int { return a.order - b.order })
	for _, s := range steps {
		t.Course = append(t.Course, s.cited)
	}
}

// courseOfItems tells what happened to the items. Those that it happened to at once
// are told together.
func (w *teller) courseOfItems(add func(at int, s string, orders ...int)) {
	all := w.p.Items
	for i := range all {
		it := &all[i]
		explained := func(o *Item) int {
			if weighty(o.Kind) || o.Kind == "report" {
				return o.explained
			}
			return -1
		}
		if at := explained(it); at >= 0 {
			verb := "の趣旨を説明した。"
			if slices.Contains(it.Stages, Reported) {
				verb = "について報告した。"
			}
			if name := together(all, i, explained); name != "" {
				add(at, w.person(w.p.speech[at].Speaker)+"が"+name+verb, at)
			}
		}
		w.courseOfTalk(i, add)
		decided := func(o *Item) int {
			if o.Outcome != "" && rank(o) >= 20 {
				return o.Decision.Order
			}
			return -1
		}
		if at := decided(it); at >= 0 {
			if name := together(all, i, decided); name != "" {
				verb := "を採決した。"
				if it.Kind == "election" || it.Kind == "personnel" {
					verb = "を行った。"
				}
				add(at, name+verb, at)
			}
		}
	}
}

// together names an item with those that have the same order; "" if one before it has.
func together(all []Item, i int, order func(*Item) int) string {
	n := 0
	for j := range all {
		if order(&all[j]) == order(&all[i]) {
			if n++; j < i {
				return ""
			}
		}
	}
	if n > 1 {
		return all[i].Name + "など" + strconv.Itoa(n) + "件"
	}
	return all[i].Name
}

// courseOfTalk tells who asked on an item and who spoke for and against it.
func (w *teller) courseOfTalk(i int, add func(at int, s string, orders ...int)) {
	it := &w.p.Items[i]
	var orders []int
	for _, e := range w.p.Exchanges {
		if e.Item == i {
			orders = append(orders, e.Asked[0])
		}
	}
	if len(orders) > 0 {
		add(orders[0], it.Name+"について"+strconv.Itoa(len(w.askers(i)))+"人が質問した。", orders...)
	}
	var yes, no int
	orders = nil
	for _, d := range w.p.Debate {
		if d.Item == it.Name {
			orders = append(orders, d.Passage.Order)
			if d.For {
				yes++
			} else {
				no++
			}
		}
	}
	if len(orders) > 0 {
		add(orders[0], fmt.Sprintf("%sの討論で%d人が賛成、%d人が反対を述べた。", it.Name, yes, no), orders...)
	}
}
