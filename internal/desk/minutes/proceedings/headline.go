package proceedings

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

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
		if it.Kind == "other" { // it is about what goes on, and does not go on itself
			return "決定", "決定した"
		}
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
	if first.Outcome == Continued && first.Kind != "other" {
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
	said := w.p.Text(it.Decision)
	office := officeOf(it.Name)
	if stated := officeIn(said, it.Persons[0]); stated != "" && len(it.Persons) == 1 {
		office = stated
	}
	if office == "" {
		return ""
	}
	name := it.Persons[0] + "氏"
	if n := len(it.Persons); n > 1 {
		name += "ら" + strconv.Itoa(n) + "人"
	}
	word := "を選任"
	switch {
	case strings.Contains(it.Name, "内閣総理大臣"), strings.Contains(said, "指名"):
		word = "を指名"
	case strings.Contains(said, "当選"):
		word = "が当選"
	}
	return office + "に" + name + word
}

// officeIn is the office that a sentence gives somebody, as it says it: 「環境委員長に…君を指名」.
func officeIn(said, person string) string {
	head, _, ok := strings.Cut(said, "に"+person)
	if !ok {
		return ""
	}
	from := len(head)
	for from > 0 {
		r, n := utf8.DecodeLastRuneInString(head[:from])
		if !unicode.In(r, unicode.Han, unicode.Katakana) && r != 'ー' && r != '・' {
			break
		}
		from -= n
	}
	if office := head[from:]; strings.HasSuffix(office, "長") {
		return office
	}
	return ""
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
