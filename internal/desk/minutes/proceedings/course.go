package proceedings

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

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
