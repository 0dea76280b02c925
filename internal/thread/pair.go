package thread

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// doc is a story as it is compared.
type doc struct {
	id           string
	desk, source string
	japanese     bool
	published    time.Time
	order        string // its place in lists
	mark         uint32 // stands for what it says
	terms        []use  // by id
	text         []sentence
	alone        bool     // a round-up, or a meeting on several bills
	entry        string   // the term, of a glossary entry
	quotes       []string // what it quotes
	gone         bool
}

// use is a term in a story.
type use struct {
	id   uint32
	kind Kind
	at   place
}

// evidence is what two stories have in common.
type evidence struct {
	sums         [kinds]float64 // what is shared, by kind
	clash        [kinds]bool    // both have some of a kind, and none in common
	words, names float64        // the cosine of words; of names, titles and bills
	heads, leads float64        // the cosine of titles; of titles and summaries
	most, least  float64        // how much of one's title the other has
	only         float64        // what hardly any other story has
	rarest       float64        // the rarest name that they share
	days         float64        // between them
	source, desk bool           // the same
	language     int            // which weights fit: both English, both Japanese, one of each
	alone        bool           // one of them stands alone
	shared       []uint32
}

// score is above 0 if two stories rather belong together.
func (e *evidence) score() float64 {
	if e.alone {
		return -most
	}
	sum := 0.0
	for i, f := range e.features() {
		sum += f * weights[i][e.language]
	}
	return max(-most, min(most, sum+bias))
}

// features are what the rule weighs, in the order of weights.
func (e *evidence) features() [features]float64 {
	s, log := &e.sums, math.Log1p
	return [features]float64{
		1, e.words, e.names, e.heads, e.leads, e.most, e.least, log(e.only),
		log(s[Word]), log(s[Name]), log(s[Phrase]), log(s[Number]), log(s[Day]), s[Title], s[Bill], is(e.clash[Bill]),
		log(e.days), is(e.days > 120), is(e.source && e.days < 0.7), is(e.desk), log(s[Sound]),
		is(e.clash[Number]), is(e.clash[Day]), is(e.clash[Serial]), is(e.clash[Result]), is(e.days > 45), e.rarest,
	}
}

func is(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// angle is a cosine under way: what two share, and what each has.
type angle struct {
	shared float64
	each   [2]float64
}

func (a angle) cos() float64 {
	if a.shared == 0 {
		return 0
	}
	return a.shared / math.Sqrt(a.each[0]*a.each[1])
}

// compare finds what two stories share.
func (x *Index) compare(a, b *doc) evidence {
	e := evidence{
		days: a.published.Sub(b.published).Abs().Hours() / 24, source: a.source == b.source, desk: a.desk == b.desk,
		alone: a.alone || b.alone || a.entry != "" && !slices.Contains(b.quotes, a.entry) || b.entry != "" && !slices.Contains(a.quotes, b.entry),
	}
	switch {
	case a.japanese != b.japanese:
		e.language = 2
	case a.japanese:
		e.language = 1
	}
	var words, names, heads, leads angle
	var has [2][kinds]bool
	var title, kept [2]float64
	for side, d := range []*doc{a, b} {
		for _, u := range d.terms {
			has[side][u.kind] = true
			w := x.weight(u.id)
			switch u.kind {
			case Word:
				words.each[side] += w * w
				if u.at&head > 0 {
					heads.each[side] += w * w
					title[side] += w
				}
				if u.at&(head|lead) > 0 {
					leads.each[side] += w * w
				}
			case Name, Phrase, Title, Bill:
				names.each[side] += w * w
			}
		}
	}
	for i, j := 0, 0; i < len(a.terms) && j < len(b.terms); {
		u, v := a.terms[i], b.terms[j]
		if u.id != v.id {
			i, j = i+int(is(u.id < v.id)), j+int(is(u.id > v.id))
			continue
		}
		i, j = i+1, j+1
		w := x.weight(u.id)
		e.sums[u.kind] += w
		e.shared = append(e.shared, u.id)
		if n := x.terms[u.id].count; u.kind < Sound && u.kind != Day && n > 1 {
			e.only += w / float64(n-1)
		}
		switch u.kind {
		case Word:
			words.shared += w * w
			if u.at&v.at&head > 0 {
				heads.shared += w * w
			}
			if u.at&(head|lead) > 0 && v.at&(head|lead) > 0 {
				leads.shared += w * w
			}
			kept[0] += w * is(u.at&head > 0)
			kept[1] += w * is(v.at&head > 0)
		case Name, Phrase, Bill:
			e.rarest = max(e.rarest, w)
			names.shared += w * w
		case Title:
			names.shared += w * w
		}
	}
	e.words, e.names, e.heads, e.leads = words.cos(), names.cos(), heads.cos(), leads.cos()
	p, q := kept[0]/max(title[0], 1e-9), kept[1]/max(title[1], 1e-9)
	e.most, e.least = max(p, q), min(p, q)
	for k := range kinds {
		e.clash[k] = has[0][k] && has[1][k] && e.sums[k] == 0
	}
	if e.language != 2 {
		e.sums[Sound] = 0 // the names themselves are compared
	}
	return e
}

// weight is how much a term tells, from 0 to 1: the rarer, the more.
func (x *Index) weight(id uint32) float64 {
	t := &x.terms[id]
	w := 1 - math.Log(float64(max(1, t.count)))/x.log
	if t.term.Kind == Number {
		w *= min(1, float64(len(t.term.Text))/3)
	}
	return max(w, 0)
}

// Why returns what two stories share, the most telling first.
func (x *Index) Why(a, b string) []Term {
	i, found := x.numbers[a]
	j, too := x.numbers[b]
	if !found || !too {
		return nil
	}
	shared := x.compare(x.docs[i], x.docs[j]).shared
	slices.SortFunc(shared, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(x.weight(b), x.weight(a)), cmp.Compare(x.terms[b].term.Kind, x.terms[a].term.Kind), cmp.Compare(x.terms[a].term.Text, x.terms[b].term.Text))
	})
	out := make([]Term, len(shared))
	for i, id := range shared {
		out[i] = x.terms[id].term
	}
	return out
}
