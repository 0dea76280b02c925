package proceedings

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// The lengths of sentences worth taking, in characters.
const (
	minSentence = 14
	maxSentence = 180
	maxPoints   = 3
)

var (
	// leans begins a sentence that means nothing without the one before it.
	leans  = regexp.MustCompile(`^(?:その|それ|これ|この(?:よう|ため|点|中)|そう|こう|ここ|ただ|しかし|だが|なぜなら|また|なお|そして|一方|さらに|更に|したがって|従って|加えて|例えば|以上|先ほど|同じ|同様|だから|つまり|すなわち|あと|で、|では|ですから|ですので|そこで|いずれ|こちら|あれ|どちら|前者|後者|むしろ|具体的に|あわせて|併せて|御指摘|委員|議員|今の|もちろん|もっとも|ところが|けれども)`)
	firm   = regexp.MustCompile(`考えて|考えます|まいります|いたします|方針|決定|検討|実施|予定|取り組|対応|必要|しません|できません|ございません|ありません|べき|認識|承知|進め|行う|行い|確保|見直|支援|重要`)
	asking = regexp.MustCompile(`(?:でしょうか|ますか|ですか|ませんか|のか|いかが|伺い(?:ます|たい)|お尋ね(?:し|いた|を)|お聞きし|見解を|答弁を(?:求|お願)|説明を(?:求|お願)|お答えください)[^。]{0,16}[。？]$`)
	aims   = regexp.MustCompile(`(?:しようとするもの|するもの|こととするもの|図るもの|内容とするもの|求めるもの)(?:で(?:す|あります|ございます))?。$`)
	about  = regexp.MustCompile(`^(?:まず、|次に、|続いて、|最後に、|また、)?(?:本(?:法律)?案|この法律案|本(?:議定書|条約|協定|件|決議案|予算|請願)|この(?:議定書|条約|協定|法案)|法律案|本法案)`)
)

// purpose is the sentence that says what an item is for, from the speech that
// explained it. A speech about several items must name this one.
func (w *teller) purpose(it *Item) (string, bool) {
	s := w.p.speech[it.explained]
	if s == nil {
		return "", false
	}
	several := 0
	for i := range w.p.Items {
		if weighty(w.p.Items[i].Kind) && w.p.Items[i].explained == it.explained {
			several++
		}
	}
	for _, x := range s.parts {
		t := s.str(x)
		n := utf8.RuneCountInString(t)
		if x.kind != 's' || n > 260 || !aims.MatchString(t) || w.stale(s, t) {
			continue
		}
		if strings.Contains(t, it.base+"は") || strings.Contains(t, it.base+"につ") || several == 1 && about.MatchString(t) {
			return t, true
		}
	}
	return "", false
}

// usable tells whether a sentence can stand by itself.
func (w *teller) usable(t string) bool {
	n := utf8.RuneCountInString(t)
	return n >= minSentence && n <= maxSentence && !leans.MatchString(t) && !w.p.forms.Greeting.MatchString(t) && strings.HasSuffix(t, "。") && !strings.ContainsAny(t, "○〔〕")
}

// decisive is the sentence of an answer that says most: what will be done or is
// thought, about what was asked.
func (w *teller) decisive(s *speech, question string) (string, int) {
	best, most := "", 0
	n := len(s.parts)
	for i, x := range s.parts {
		t := s.str(x)
		if x.kind != 's' || !w.usable(t) || asking.MatchString(t) || w.stale(s, t) {
			continue
		}
		score := 2*len(firm.FindAllString(t, 3)) + 2*i/max(n, 1)
		if utf8.RuneCountInString(t) > 110 {
			score -= 3
		}
		for _, noun := range nouns(t) {
			if strings.Contains(question, noun) {
				score += 2
			}
		}
		if score > most {
			best, most = t, score
		}
	}
	return best, most
}

// told is an exchange with the sentence that decides it.
type told struct {
	Exchange
	said  string
	score int
}

// best are the exchanges whose answers say most, one for each who asked, in order.
func (w *teller) best(most int) []told {
	byAsker := map[string]told{}
	var askers []string
	for _, e := range w.p.Exchanges {
		q, a := w.p.speech[e.Asked[0]], w.p.speech[e.Answered[0]]
		said, score := w.decisive(a, q.flat[q.body:])
		if said == "" {
			continue
		}
		old, ok := byAsker[e.Asker]
		if !ok {
			askers = append(askers, e.Asker)
		}
		if !ok || score > old.score {
			byAsker[e.Asker] = told{e, said, score}
		}
	}
	var all []told
	for _, a := range askers {
		all = append(all, byAsker[a])
	}
	if len(all) > most {
		byScore := slices.Clone(all)
		slices.SortStableFunc(byScore, func(a, b told) int { return b.score - a.score })
		least := byScore[most-1].score
		var kept []told
		for _, t := range all {
			if t.score >= least && len(kept) < most {
				kept = append(kept, t)
			}
		}
		all = kept
	}
	return all
}

var sectionTitles = map[string]string{
	"question": "質問", "answer": "答弁", "explanation": "趣旨説明", "report": "報告", "debate": "討論", "statement": "発言", "address": "所信", "speech": "発言", "motion": "動議",
}

// speeches picks the points of each speech that is more than procedure.
func (w *teller) speeches(t *Told) {
	asked := map[int]int{}
	for _, e := range w.p.Exchanges {
		asked[e.Answered[0]] = e.Asked[0]
	}
	for _, turn := range w.p.Turns {
		s := w.p.speech[turn.Order]
		if s == nil || s.head || turn.Kind == "procedure" || turn.Kind == "motion" {
			continue
		}
		b := Bullets{Order: turn.Order, Title: sectionTitles[turn.Kind]}
		for _, quote := range w.points(s, turn, asked) {
			if w.once(quote) {
				plain, _ := plainly(quote)
				b.Points = append(b.Points, Point{quote, plain})
			}
		}
		if len(b.Points) > 0 {
			t.Speeches = append(t.Speeches, b)
		}
	}
}

// points are the sentences of a speech that say most, in order.
func (w *teller) points(s *speech, turn Turn, asked map[int]int) []string {
	if turn.Kind == "answer" {
		question := ""
		if q := w.p.speech[asked[turn.Order]]; q != nil {
			question = q.flat[q.body:]
		}
		if said, _ := w.decisive(s, question); said != "" {
			return []string{said}
		}
		return nil
	}
	type candidate struct {
		at, score int
		text      string
	}
	var all []candidate
	for i, x := range s.parts {
		t := s.str(x)
		if x.kind != 's' || !w.usable(t) || w.stale(s, t) {
			continue
		}
		score := len(firm.FindAllString(t, 3))
		switch turn.Kind {
		case "question":
			if !asking.MatchString(t) {
				continue
			}
			score += 5 + len(nouns(t))
		case "debate":
			if w.p.forms.Stance.MatchString(t) {
				score += 10
			}
		case "explanation", "report":
			if aims.MatchString(t) {
				score += 10
			}
		}
		if score > 0 {
			all = append(all, candidate{i, score, t})
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return b.score - a.score })
	if len(all) > maxPoints {
		all = all[:maxPoints]
	}
	slices.SortFunc(all, func(a, b candidate) int { return a.at - b.at })
	var out []string
	for _, c := range all {
		out = append(out, c.text)
	}
	return out
}
