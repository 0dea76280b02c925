package search

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"pressroom/internal/search/text"
	"pressroom/internal/story"
)

// Why a page leads, besides text.Reading and text.Synonym.
const (
	Office     = "office"
	Correction = "correction"
)

// limitWords are words before others that mean a desk or a language.
type limitWords struct{ words, kind, value string }

var languageWords = []limitWords{{"英語", "language", "en"}, {"日本語", "language", "ja"}}

// Words makes words at the beginning of a query mean a desk.
func (s *Service) Words(desk string, words ...string) {
	for _, w := range words {
		s.words = append(s.words, limitWords{w, "desk", desk})
	}
}

// limits takes the words out of a query that are filters, and sets those. A filter that the
// query has already stays as it is.
func (s *Service) limits(ctx context.Context, q *Query) ([]Limit, error) {
	var out []Limit
	if l, ok := when(q.Text, s.now()); ok && q.From.IsZero() && q.To.IsZero() {
		q.Text, q.From, q.To = l.Without, l.From, l.To
		out = append(out, l)
	}
	for _, w := range s.words {
		rest, ok := cutWords(q.Text, w.words)
		if !ok || rest == "" {
			continue
		}
		l := Limit{Kind: w.kind, Words: w.words, Value: w.value, Without: rest}
		switch {
		case w.kind == "desk" && q.Desks == nil && slices.Contains(s.desks, w.value):
			q.Desks = []string{w.value}
		case w.kind == "language" && q.Languages == nil:
			q.Languages = []string{w.value}
		default:
			continue
		}
		q.Text = rest
		out = append(out, l)
		break
	}
	l, ok, err := s.source(ctx, q)
	if ok {
		q.Text, q.Sources = l.Without, []string{l.Value}
		out = append(out, l)
	}
	return out, err
}

// cutWords takes words off the beginning of a query.
func cutWords(query, words string) (rest string, ok bool) {
	n := len(words)
	if len(query) < n || !strings.EqualFold(query[:n], words) {
		return "", false
	}
	rest = strings.TrimLeft(query[n:], " 　")
	return rest, rest == "" || len(rest) < len(query)-n
}

// maxSpan is how many words of a query are looked at for names.
const maxSpan = 6

// source reads the first words of a query as a source, if they are one and others follow;
// where words have made a filter already, they may be all.
func (s *Service) source(ctx context.Context, q *Query) (Limit, bool, error) {
	words := strings.Fields(q.Text)
	if q.Sources != nil || strings.ContainsAny(q.Text, `"“”「」『』-`) {
		return Limit{}, false, nil
	}
	most := min(len(words)-1, maxSpan)
	if q.Desks != nil {
		most = min(len(words), maxSpan)
	}
	for n := most; n > 0; n-- {
		first := strings.Join(words[:n], " ")
		form := text.Form(first)
		if utf8.RuneCountInString(form) < 3 {
			continue
		}
		for _, how := range []Nearness{Whole, Begins} {
			found, err := s.index.Names(ctx, []string{form}, how, q.Level)
			if err != nil {
				return Limit{}, false, err
			}
			if found, err = s.seen(ctx, found); err != nil {
				return Limit{}, false, err
			}
			sources := slices.DeleteFunc(found, func(f Named) bool {
				return f.Kind != ofSource || how == Begins && (!wholeWords(f.Name.Name, first) || 2*len(form) < len(f.Form))
			})
			if len(sources) == 1 {
				return Limit{Kind: ofSource, Words: first, Value: sources[0].Name.Name, Without: strings.Join(words[n:], " ")}, true, nil
			}
		}
	}
	return Limit{}, false, nil
}

// wholeWords tells whether a name begins with words.
func wholeWords(name, words string) bool {
	rest, ok := cutWords(name, words)
	return ok && rest != ""
}

// seen leaves the names that a story names which can be seen now.
func (s *Service) seen(ctx context.Context, found []Named) ([]Named, error) {
	if len(found) == 0 {
		return nil, nil
	}
	keys := make([]Key, len(found))
	for i := range found {
		keys[i] = found[i].Key
	}
	cards, err := s.cards(ctx, keys)
	return slices.DeleteFunc(found, func(f Named) bool {
		card, ok := cards[f.Key]
		return !ok || card.Revision != f.Revision
	}), err
}

// maxLeads is how many pages lead; what more names have is too vague.
const maxLeads = 4

// leads returns the pages that a query names, and the synonyms of its words.
func (s *Service) leads(ctx context.Context, q *Query) ([]Lead, []text.Synonyms, error) {
	words := strings.Fields(strings.NewReplacer(`"`, " ", "“", " ", "”", " ", "「", " ", "」", " ", "『", " ", "』", " ", "　", " ").Replace(q.Text))
	if len(words) == 0 || len(words) > 2*maxSpan || slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, "-") }) {
		return nil, nil, nil
	}
	n := &naming{service: s, q: q, words: words}
	for _, try := range []func(context.Context) ([]Lead, error){n.whole, n.office, n.part, n.beginning, n.title} {
		leads, err := try(ctx)
		if err != nil || len(leads) > 0 {
			return leads, n.synonyms, err
		}
	}
	return nil, n.synonyms, nil
}

// naming looks for names in the words of a query.
type naming struct {
	service  *Service
	q        *Query
	words    []string
	synonyms []text.Synonyms
}

// find returns names that can be seen, each once.
func (n *naming) find(ctx context.Context, how Nearness, forms ...string) ([]Named, error) {
	found, err := n.service.index.Names(ctx, forms, how, n.q.Level)
	if err != nil {
		return nil, err
	}
	if found, err = n.service.seen(ctx, found); err != nil {
		return nil, err
	}
	met := map[[2]string]bool{}
	return slices.DeleteFunc(found, func(f Named) bool {
		id := [2]string{f.Kind, f.Path}
		twice := met[id]
		met[id] = true
		return twice || f.Kind == ofSource
	}), nil
}

// turned are the words with the last one first.
func turned(words []string) []string {
	last := len(words) - 1
	return append([]string{words[last]}, words[:last]...)
}

// formsOf are the forms of words that may be a name.
func formsOf(words []string) []string {
	orders := [][]string{words}
	if len(words) > 1 {
		orders = append(orders, turned(words))
	}
	var out []string
	for _, o := range orders {
		out = append(out, text.Form(strings.Join(o, " ")))
	}
	for _, o := range orders {
		if sound := text.Latin(strings.Join(o, " ")); len(sound) > 2 {
			out = append(out, soundMark+sound)
		}
	}
	return out
}

// leadsOf are leads, if there are not too many of them.
func leadsOf(found []Named) []Lead {
	if len(found) > maxLeads {
		return nil
	}
	var out []Lead
	for _, f := range found {
		out = append(out, Lead{Named: f, Why: whyNamed(&f)})
	}
	return out
}

// whyNamed is how a name was found.
func whyNamed(f *Named) string {
	switch {
	case strings.HasPrefix(f.Form, officeMark):
		return Office
	case strings.HasPrefix(f.Form, soundMark):
		return text.Reading
	}
	if len(f.Aliases) > 0 && slices.ContainsFunc(f.Aliases, func(a string) bool { return isForm(a, f.Form) }) {
		return text.Synonym
	}
	return ""
}

func isForm(name, form string) bool { return text.Form(name) == form || text.Written(name) == form }

// whole finds what all words are the name of.
func (n *naming) whole(ctx context.Context) ([]Lead, error) {
	found, err := n.find(ctx, Whole, formsOf(n.words)...)
	n.means(n.words, found)
	own := slices.DeleteFunc(slices.Clone(found), func(f Named) bool { return whyNamed(&f) != "" })
	if len(own) > 0 { // another's alias is second
		found = append(own, slices.DeleteFunc(found, func(f Named) bool { return whyNamed(&f) == "" })...)
	}
	return leadsOf(found), err
}

// means notes the synonyms of words that are a term.
func (n *naming) means(words []string, found []Named) {
	for i := range found {
		f := &found[i]
		if f.Kind != story.Term || strings.HasPrefix(f.Form, soundMark) {
			continue
		}
		same := text.Synonyms{Words: strings.Join(words, " ")}
		for _, other := range append([]string{f.Name.Name}, f.Aliases...) {
			if !isForm(other, f.Form) {
				same.Or = append(same.Or, other)
			}
		}
		if same.Or != nil {
			n.synonyms = append(n.synonyms, same)
		}
	}
}

// office finds who holds an office.
func (n *naming) office(ctx context.Context) ([]Lead, error) {
	found, err := n.find(ctx, Whole, officeMark+text.Form(strings.Join(n.words, " ")))
	return leadsOf(found), err
}

// about is what is told of a name.
func about(f *Named) string {
	return text.Form(strings.Join(append([]string{f.Note}, f.Offices...), " "))
}

// part finds what some of the words are the name of, if the others tell of it: an office, a
// party, a trade.
func (n *naming) part(ctx context.Context) ([]Lead, error) {
	for size := min(len(n.words)-1, maxSpan); size > 0; size-- {
		for _, at := range []int{0, len(n.words) - size} {
			name := n.words[at : at+size]
			rest := slices.Concat(n.words[:at], n.words[at+size:])
			found, err := n.find(ctx, Whole, formsOf(name)...)
			if err != nil {
				return nil, err
			}
			n.means(name, found)
			if leads := told(found, rest); len(leads) > 0 {
				return leads, nil
			}
			if size > 1 || utf8.RuneCountInString(name[0]) < 2 {
				continue
			}
			if found, err = n.find(ctx, Begins, text.Written(name[0])); err != nil {
				return nil, err
			}
			if leads := told(people(found), rest); len(leads) > 0 {
				return leads, nil
			}
		}
	}
	return nil, nil
}

func people(found []Named) []Named {
	return slices.DeleteFunc(found, func(f Named) bool { return f.Kind != story.Person })
}

// told leaves the names of which all words tell; among namesakes, the one of which they tell
// most.
func told(found []Named, words []string) []Lead {
	var out []Named
	for i := range found {
		own := about(&found[i])
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(own, text.Form(w)) }) {
			out = append(out, found[i])
		}
	}
	if len(out) > 0 || len(found) < 2 || len(found) > maxLeads {
		return leadsOf(out)
	}
	best, count := 0, 0
	for i := range found {
		n := 0
		for _, r := range text.Form(strings.Join(words, "")) {
			if r > 0x3000 && strings.ContainsRune(about(&found[i]), r) {
				n++
			}
		}
		if n == best {
			count++
		} else if n > best {
			best, count, out = n, 1, found[i:i+1]
		}
	}
	if best == 0 || count > 1 {
		return nil
	}
	return leadsOf(out)
}

// beginning finds whom or what all words are the beginning of: a family name, the first
// words of a bill.
func (n *naming) beginning(ctx context.Context) ([]Lead, error) {
	form, sound := text.Written(strings.Join(n.words, " ")), text.Latin(strings.Join(n.words, " "))
	var forms []string
	if utf8.RuneCountInString(form) >= 2 && form[0] >= 0x80 || len(form) >= 4 {
		forms = append(forms, form)
	}
	if len(sound) >= 5 {
		forms = append(forms, soundMark+sound)
	}
	found, err := n.find(ctx, Begins, forms...)
	return leadsOf(slices.DeleteFunc(found, func(f Named) bool {
		asked := form
		if strings.HasPrefix(f.Form, soundMark) {
			asked = sound
		}
		return f.Kind != story.Person && (f.Kind != story.Bill || 5*len(asked) < 2*len(strings.TrimPrefix(f.Form, soundMark)))
	})), err
}

// title finds somebody by the family name with an office behind it, as in 月岡館長.
func (n *naming) title(ctx context.Context) ([]Lead, error) {
	if len(n.words) > 1 || !text.IsJapanese(n.words[0]) {
		return nil, nil
	}
	letters := []rune(text.Form(n.words[0]))
	for size := min(len(letters)-2, 5); size > 1; size-- {
		found, err := n.find(ctx, Begins, string(letters[:size]))
		if err != nil {
			return nil, err
		}
		if leads := told(people(found), []string{string(letters[size:])}); len(leads) > 0 && strings.Contains(about(&leads[0].Named), string(letters[size:])) {
			return leads, nil
		}
	}
	return nil, nil
}

// correct finds names that the words are nearly. Numbers are never wrong by a digit.
func (s *Service) correct(ctx context.Context, q *Query) ([]Lead, string, error) {
	words := strings.Fields(q.Text)
	if len(words) == 0 || len(words) > maxSpan || strings.ContainsAny(q.Text, `"“”「」『』`) {
		return nil, "", nil
	}
	n := &naming{service: s, q: q, words: words}
	forms := []string{text.Written(q.Text)}
	if sound := text.Latin(q.Text); len(sound) > 4 {
		forms = append(forms, soundMark+sound)
	}
	found, err := n.find(ctx, Near, forms...)
	if err != nil {
		return nil, "", err
	}
	own := digits(q.Text)
	found = slices.DeleteFunc(found, func(f Named) bool { return digits(f.Form) != own })
	if len(found) == 0 {
		return nil, "", nil
	}
	var leads []Lead
	for _, own := range []bool{true, false} { // another's alias is second
		for _, f := range found {
			if f.Form == found[0].Form && (whyNamed(&f) == "") == own {
				leads = append(leads, Lead{Named: f, Why: Correction})
			}
		}
	}
	return leads, spelt(&found[0]), nil
}

// digits are the digits of a text.
func digits(s string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, text.Form(s))
}

// spelt is how the name is written that was found.
func spelt(f *Named) string {
	for _, name := range f.Aliases {
		if isForm(name, f.Form) {
			return name
		}
	}
	return f.Name.Name
}
