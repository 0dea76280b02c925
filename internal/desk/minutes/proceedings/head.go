package proceedings

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// The marks of lists in heads.
var (
	listMark = regexp.MustCompile(`^(?:[○〇◯●・]|一、)`)
	dayMark  = regexp.MustCompile(`^第(` + num + `)`)
	dayRef   = regexp.MustCompile(`^日程第(` + num + `)(?:(から|ないし|乃至|及び|、)(?:日程)?第(` + num + `)(?:まで)?)?`)
	dayStart = regexp.MustCompile(`(?:開議|本会議|件|案|指定|選挙|指名|選任|）)[―─━…]*(第` + num + `)`)
	asListed = regexp.MustCompile(`(?:以下|その他)?、?議事日程のとおり$`)
	numbered = regexp.MustCompile(`^(?:[○〇◯●・]+|一、|一(?:[\s　])+|` + num + `[、．.])`)
	originIn = regexp.MustCompile(`提出|送付|回付|閣法|衆法|参法|^[閣衆参]第|国会|発議|継続|予備審査|号外|^第` + num + `号(?:外` + num + `件)?$|^(?:承認|承諾|条約|決議)第` + num + `号$`)
	numberIn = regexp.MustCompile(`((?:閣法|衆法|参法|閣|衆|参|承認|承諾|条約|予算|議案)?第` + num + `号)`)
	mover    = regexp.MustCompile(`([^（）、]{2,30}?(?:君|さん)(?:外` + num + `名)?)(?:提出|発議)`)
	purpose  = regexp.MustCompile(`の趣旨説明$|（趣旨説明）$|の趣旨の説明$`)
)

// head reads the record's head: when the meeting began, and what it dealt with.
func (r *reader) head() {
	for _, s := range r.all {
		if !s.head {
			continue
		}
		r.p.Turns = append(r.p.Turns, Turn{Order: s.Order, Kind: "head", Item: -1})
		r.headTime(s)
		day := r.list(s, r.f.Day)
		agenda := r.list(s, r.f.Agenda)
		byNumber := map[int]entry{}
		for _, e := range day {
			if m := dayMark.FindStringSubmatch(e.text); m != nil {
				n, _ := number(m[1])
				e.text = e.text[len(m[0]):]
				byNumber[n] = e
			}
		}
		for _, e := range agenda {
			r.agendaEntry(s, e, day, byNumber)
		}
	}
}

// entry is one line of a list, and where it stands in the flat text.
type entry struct {
	text     string
	from, to int
}

// headTime reads when the meeting really began: the order of the day only says when
// it was to begin.
func (r *reader) headTime(s *speech) {
	skip := 0
	if at := r.f.Day.FindStringIndex(s.flat); at != nil {
		before := s.flat[:at[0]]
		if m := r.f.OpenTime.FindStringSubmatchIndex(before); m != nil {
			r.begin = &Moment{Time: before[m[2]:m[3]], Passage: s.span(s.Order, m[0], m[1])}
			return
		}
		if end := r.f.Agenda.FindStringIndex(s.flat[at[1]:]); end != nil {
			skip = at[1] + end[1]
		}
	}
	if m := r.f.OpenTime.FindStringSubmatchIndex(s.flat[skip:]); m != nil {
		r.begin = &Moment{Time: s.flat[skip+m[2] : skip+m[3]], Passage: s.span(s.Order, skip+m[0], skip+m[1])}
	}
}

// list returns the entries of the list that a heading begins, the last one of its
// kind.
func (r *reader) list(s *speech, heading *regexp.Regexp) []entry {
	all := heading.FindAllStringIndex(s.flat, -1)
	var at []int
	for _, one := range all {
		if !strings.HasPrefix(s.flat[one[1]:], "のとおり") {
			at = one
		}
	}
	if at == nil {
		return nil
	}
	from, to := at[1], len(s.flat)
	for i := from; i < to; {
		_, n := utf8.DecodeRuneInString(s.flat[i:])
		if strings.HasPrefix(s.flat[i:], "〔") {
			to = i
			break
		}
		if end := rule(s.flat[i:]); end > 0 && heading == r.f.Agenda {
			to = i
			break
		}
		i += n
	}
	switch heading {
	case r.f.Agenda:
		if m := r.f.OpenTime.FindStringIndex(s.flat[from:to]); m != nil {
			to = from + m[0]
		}
	case r.f.Day: // some have rules between the number, the date and the list
		if m := r.f.Agenda.FindStringIndex(s.flat[from:to]); m != nil {
			to = from + m[0]
		}
	}
	entries := r.f.entries(s, from, to)
	for i := range entries {
		entries[i].unruled()
	}
	return entries
}

// unruled takes from an entry the rule at its end, and what stands after it.
func (e *entry) unruled() {
	for i := range e.text {
		if rule(e.text[i:]) > 0 {
			e.text, e.to = e.text[:i], e.from+i
			return
		}
	}
}

// entries cuts a list. It goes by the marks of its entries if it has them, by lines if
// it has more than one, and otherwise by how names end.
func (f *Forms) entries(s *speech, from, to int) []entry {
	section := s.flat[from:to]
	marked := listMark.FindString(section)
	if marked != "" {
		var out []entry
		for _, e := range splitMarked(section, from, marked) {
			out = append(out, f.unmarked(s, e)...)
		}
		return out
	}
	var lines []entry
	start := from
	for _, c := range s.cuts {
		if c.flat > from && c.flat < to && strings.Contains(s.Text[s.raw(c.flat-1):c.raw], "\n") {
			lines = append(lines, entry{s.flat[start:c.flat], start, c.flat})
			start = c.flat
		}
	}
	lines = append(lines, entry{s.flat[start:to], start, to})
	if len(lines) == 1 {
		if all := dayStart.FindAllStringSubmatchIndex(section, -1); all != nil { // the order of the day
			var out []entry
			for i, m := range all {
				end := len(section)
				if i+1 < len(all) {
					end = all[i+1][2]
				}
				out = append(out, entry{section[m[2]:end], from + m[2], from + end})
			}
			return out
		}
		names := f.names(section, true)
		if len(names) <= 1 && f.item(section).Kind != "" || asListed.MatchString(section) {
			return lines
		}
		var out []entry
		for _, n := range names {
			out = append(out, entry{section[n.from:n.to], from + n.from, from + n.to})
		}
		return out
	}
	var out []entry
	for _, l := range lines {
		last := len(out) - 1
		if last >= 0 && dayMark.MatchString(out[last].text) && !dayMark.MatchString(l.text) && !strings.HasPrefix(l.text, "一") && f.kind(trimItem(out[last].text)) == "" {
			out[last].text += l.text
			out[last].to = l.to
			continue
		}
		out = append(out, l)
	}
	return out
}

// unmarked parts an entry from one without a mark on the line below it: both are whole
// items then, which a line that only goes on is not.
func (f *Forms) unmarked(s *speech, e entry) []entry {
	for _, c := range s.cuts {
		if c.flat <= e.from || c.flat >= e.to || !strings.Contains(s.Text[s.raw(c.flat-1):c.raw], "\n") {
			continue
		}
		first, rest := s.flat[e.from:c.flat], s.flat[c.flat:e.to]
		if f.item(first).Kind != "" && f.item(rest).Kind != "" && !strings.HasPrefix(rest, "（") {
			return append([]entry{{first, e.from, c.flat}}, f.unmarked(s, entry{rest, c.flat, e.to})...)
		}
	}
	return []entry{e}
}

func splitMarked(section string, from int, mark string) []entry {
	var out []entry
	for i := 0; i < len(section); {
		next := strings.Index(section[i+len(mark):], mark)
		end := len(section)
		if next >= 0 {
			end = i + len(mark) + next
		}
		out = append(out, entry{section[i+len(mark) : end], from + i + len(mark), from + end})
		i = end
	}
	return out
}

// agendaEntry makes items of an entry of the agenda, which may refer to the order of
// the day.
func (r *reader) agendaEntry(s *speech, e entry, day []entry, byNumber map[int]entry) {
	if at := asListed.FindStringIndex(e.text); at != nil {
		if at[0] > 0 { // after what was added to it
			r.agendaEntry(s, entry{e.text[:at[0]], e.from, e.from + at[0]}, day, byNumber)
		}
		for n := 1; n <= len(day); n++ {
			if one, ok := byNumber[n]; ok && !r.hasDay(n) {
				r.addItem(one.text, n, s.span(s.Order, one.from, one.to), s.span(s.Order, e.from, e.to))
			}
		}
		if len(byNumber) == 0 {
			for _, one := range day {
				r.addItem(one.text, 0, s.span(s.Order, one.from, one.to), s.span(s.Order, e.from, e.to))
			}
		}
		return
	}
	m := dayRef.FindStringSubmatch(e.text)
	if m == nil {
		r.addItem(e.text, 0, s.span(s.Order, e.from, e.to))
		return
	}
	first, _ := number(m[1])
	last := first
	if m[3] != "" {
		last, _ = number(m[3])
	}
	if rest := e.text[len(m[0]):]; rest != "" {
		r.addItem(rest, first, s.span(s.Order, e.from, e.to))
		return
	}
	for n := first; n <= last && n-first < 100; n++ {
		if one, ok := byNumber[n]; ok {
			r.addItem(one.text, n, s.span(s.Order, one.from, one.to), s.span(s.Order, e.from, e.to))
		}
	}
}

func (r *reader) hasDay(n int) bool {
	for i := range r.p.Items {
		if r.p.Items[i].day == n {
			return true
		}
	}
	return false
}

// addItem adds an item by its name as a list or a chair has it, and returns its
// index; -1 if it is none. An item that is there already is not added.
func (r *reader) addItem(name string, day int, at ...Passage) int {
	it := r.f.item(name)
	if it.Kind == "" {
		return -1
	}
	for i := range r.p.Items {
		old := &r.p.Items[i]
		if old.Name == it.Name && !differ(old.Number, it.Number) && !differ(old.Origin, it.Origin) {
			if old.day == 0 {
				old.day = day
			}
			return i
		}
	}
	it.day = day
	it.Passages = at
	r.p.Items = append(r.p.Items, it)
	return len(r.p.Items) - 1
}

// differ tells whether two things are both said and not the same.
func differ(a, b string) bool { return a != "" && b != "" && a != b }

// trimItem takes from a name what stands before and behind it.
func trimItem(name string) string {
	for {
		m := numbered.FindString(name)
		if m == "" {
			break
		}
		name = name[len(m):]
	}
	if m := dayMark.FindString(name); m != "" {
		name = name[len(m):]
	}
	return strings.Trim(name, "、。")
}

// item reads a name: what stands in brackets behind it says who brought it in, under
// which number.
func (f *Forms) item(name string) Item {
	it := Item{Stages: []Stage{TakenUp}, explained: -1}
	name = trimItem(name)
	if m := onBill.FindStringSubmatch(name); m != nil {
		if strings.Contains(m[2], "趣旨説明") {
			it.add(Explained)
		}
		name = m[1]
	}
	if m := purpose.FindString(name); m != "" {
		name = strings.TrimSuffix(name, m)
		it.add(Explained)
	}
	for strings.HasSuffix(name, "）") {
		open := opening(name)
		if open <= 0 {
			break
		}
		inside := name[open+len("（") : len(name)-len("）")]
		if inside == "趣旨説明" {
			it.add(Explained)
		} else if originIn.MatchString(inside) && !(strings.HasSuffix(name[:open], "予算") && numberOnly.MatchString(inside)) {
			if m := numberIn.FindString(inside); m != "" && it.Number == "" {
				it.Number = m
			}
			if o := originOf(inside); o != "" && (it.Origin == "" || it.Origin == "衆" && o == "内閣") {
				it.Origin = o
			}
		} else {
			break
		}
		name = name[:open]
	}
	if m := purpose.FindString(name); m != "" {
		name = strings.TrimSuffix(name, m)
		it.add(Explained)
	}
	it.Name = name
	it.Kind = f.kind(name)
	if open := opening(name); it.Kind == "investigation" && strings.HasSuffix(name, "）") && open > 0 {
		it.Name = name[:open] // what of it was looked into
	}
	it.base = name
	for strings.HasSuffix(it.base, "）") {
		open := opening(it.base)
		if open <= 0 {
			break
		}
		it.base = it.base[:open]
	}
	return it
}

// onBill is an item of order about a bill, which is the item then.
var onBill = regexp.MustCompile(`^(.+?(?:法律案|法案|予算|決議案)(?:（[^（）]*）)*)の(趣旨説明(?:及び|に対する)?.{0,8}|本院議決案.*|(?:参議院|衆議院)回付案.*)$`)

var numberOnly = regexp.MustCompile(`^[特機]?第` + num + `号$`)

func originOf(inside string) string {
	switch {
	case strings.Contains(inside, "内閣提出"), strings.Contains(inside, "閣法"), strings.HasPrefix(inside, "閣第"):
		return "内閣"
	case strings.Contains(inside, "委員長提出"):
		return "委員長"
	case strings.Contains(inside, "衆議院提出"), strings.HasPrefix(inside, "衆第"):
		return "衆"
	case strings.Contains(inside, "参議院提出"), strings.HasPrefix(inside, "参第"):
		return "参"
	}
	if m := mover.FindStringSubmatch(inside); m != nil {
		return m[1]
	}
	switch {
	case strings.Contains(inside, "衆法"):
		return "衆"
	case strings.Contains(inside, "参法"):
		return "参"
	case strings.Contains(inside, "議長発議"):
		return "議長"
	}
	return ""
}

// opening is where the bracket begins that a text ends with; -1 if none does.
func opening(s string) int {
	depth := 0
	for i := len(s); i > 0; {
		r, n := utf8.DecodeLastRuneInString(s[:i])
		i -= n
		switch r {
		case '）':
			depth++
		case '（':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// kind is the kind of item that a name is of; "" if it is none.
func (f *Forms) kind(name string) string {
	if utf8.RuneCountInString(name) < 4 || utf8.RuneCountInString(name) > 400 {
		return ""
	}
	for _, e := range f.Endings {
		if e.At.MatchString(name) {
			return e.Kind
		}
	}
	return ""
}

func (it *Item) add(s Stage) {
	for _, have := range it.Stages {
		if have == s {
			return
		}
	}
	it.Stages = append(it.Stages, s)
}
