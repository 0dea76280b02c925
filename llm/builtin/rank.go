package builtin

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxRanked bounds the sentences that are compared with each other, since that
// takes the square of their number. Of longer texts only the most typical are.
const maxRanked = 400

// sentence is a sentence of a passage. Text is an exact part of the passage's.
type sentence struct {
	text    string
	passage int // Index of the passage.
	order   int
	index   int // Number in the document.
	first   bool
	vector  []weight
	score   float64
}

// weight is one feature of a sentence. Vectors are sorted by feature and have
// length one.
type weight struct {
	feature int
	value   float64
}

// vectorize gives each sentence its tf-idf vector. Sums are made in a fixed order,
// so that the last bits of a score are the same every time.
func vectorize(sentences []*sentence) {
	ids := map[string]int{}
	var documents []int // How many sentences have the feature.
	counts := make([]map[int]int, len(sentences))
	for i, s := range sentences {
		counts[i] = map[int]int{}
		for _, f := range features(s.text) {
			id, ok := ids[f]
			if !ok {
				id = len(documents)
				ids[f] = id
				documents = append(documents, 0)
			}
			if counts[i][id]++; counts[i][id] == 1 {
				documents[id]++
			}
		}
	}
	for i, s := range sentences {
		for id, n := range counts[i] {
			idf := math.Log(1 + float64(len(sentences))/float64(documents[id]))
			s.vector = append(s.vector, weight{id, (1 + math.Log(float64(n))) * idf})
		}
		slices.SortFunc(s.vector, func(a, b weight) int { return cmp.Compare(a.feature, b.feature) })
		normalize(s.vector)
	}
}

func normalize(v []weight) {
	sum := 0.0
	for _, w := range v {
		sum += w.value * w.value
	}
	if sum == 0 {
		return
	}
	length := math.Sqrt(sum)
	for i := range v {
		v[i].value /= length
	}
}

// similarity is the cosine of two vectors.
func similarity(a, b []weight) float64 {
	sum := 0.0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i].feature < b[j].feature:
			i++
		case a[i].feature > b[j].feature:
			j++
		default:
			sum += a[i].value * b[j].value
			i, j = i+1, j+1
		}
	}
	return sum
}

// rank gives each sentence its score: how much it is like sentences that are
// themselves like many others, times how fit it is to be quoted.
func rank(sentences []*sentence) {
	chosen := typical(sentences)
	for i, r := range centrality(chosen) {
		chosen[i].score = r * fitness(chosen[i])
	}
}

// typical returns the sentences nearest to the middle of all, in order, at most
// maxRanked. The others get a score below those, by the same nearness, so that a
// part of the text that has none of the most typical ones still has a best one.
func typical(sentences []*sentence) []*sentence {
	if len(sentences) <= maxRanked {
		return sentences
	}
	middle := map[int]float64{}
	for _, s := range sentences {
		for _, w := range s.vector {
			middle[w.feature] += w.value
		}
	}
	top := 0.0
	for _, s := range sentences {
		for _, w := range s.vector {
			s.score += w.value * middle[w.feature]
		}
		s.score *= fitness(s)
		top = max(top, s.score)
	}
	out := slices.Clone(sentences)
	slices.SortStableFunc(out, func(a, b *sentence) int { return cmp.Compare(b.score, a.score) })
	for _, s := range sentences {
		s.score *= 0.01 / max(top, 1e-9)
	}
	out = out[:maxRanked]
	slices.SortFunc(out, func(a, b *sentence) int { return cmp.Compare(a.index, b.index) })
	return out
}

// centrality is the stationary distribution of a walk from sentence to similar
// sentence (LexRank), scaled so that the mean is one.
func centrality(sentences []*sentence) []float64 {
	const damping, rounds = 0.85, 30
	n := len(sentences)
	edges := make([][]weight, n) // To whom, and how much.
	total := make([]float64, n)
	for i := range n {
		for j := range i {
			if s := similarity(sentences[i].vector, sentences[j].vector); s > 0.02 {
				edges[i], edges[j] = append(edges[i], weight{j, s}), append(edges[j], weight{i, s})
				total[i], total[j] = total[i]+s, total[j]+s
			}
		}
	}
	score := make([]float64, n)
	for i := range score {
		score[i] = 1
	}
	for range rounds {
		next := make([]float64, n)
		for i := range next {
			next[i] = 1 - damping
		}
		for i, list := range edges {
			for _, e := range list {
				next[e.feature] += damping * score[i] * e.value / total[i]
			}
		}
		score = next
	}
	return score
}

// fitness is lower for sentences that are too short to say anything, too long to
// be read, questions, formulas of procedure or politeness, or remarks of the record
// in brackets; a little higher for the first of a passage.
func fitness(s *sentence) float64 {
	f := 1.0
	switch length := width(s.text); {
	case length < 16:
		f = 0.2
	case length < 30:
		f = 0.7
	case length > 400:
		f = 0.3
	case length > 240:
		f = 0.6
	}
	if strings.HasSuffix(s.text, "?") || strings.HasSuffix(s.text, "？") || strings.HasSuffix(s.text, "か。") {
		f *= 0.8
	}
	if isFormula(s.text) {
		f *= 0.2
	}
	if strings.HasPrefix(s.text, "〔") || strings.HasPrefix(s.text, "（") {
		f *= 0.1
	}
	if s.first {
		f *= 1.1
	}
	return f
}

// formulas are what is said in every meeting, whatever it is about.
var formulas = strings.Fields(`議題といたします 御説明申し上げます 聴取いたします お願い申し上げます お願いいたします 起立を求めます 会議を開きます
採決に入ります お答えいたします お答え申し上げます 質問いたします 質問します 伺います ありがとうございま 終わります 発言を許します 散会いたします
異議ありませんか 休憩いたします 討論に入ります 次に移ります よろしくお願い thank_you good_morning good_afternoon ladies_and_gentlemen
i_yield in_session meet_again the_next_question no_further_questions`)

// isFormula tells whether a sentence is short and ends, or in English begins, as
// formulas do.
func isFormula(text string) bool {
	if width(text) > 100 {
		return false
	}
	text = strings.ToLower(strings.TrimRight(text, "。．."))
	for _, f := range formulas {
		if strings.HasSuffix(text, f) || strings.Contains(text, strings.ReplaceAll(f, "_", " ")) && strings.Contains(f, "_") {
			return true
		}
	}
	return strings.Contains(text, "ありがとうございま")
}

// width is a text's length in columns: two for a character of a wide script.
func width(text string) int {
	wide := 0
	for _, r := range text {
		if isCJK(r) {
			wide++
		}
	}
	return utf8.RuneCountInString(text) + wide
}

// diverse returns the n best sentences, each chosen for its score and for being
// unlike those chosen before it (maximal marginal relevance), in order of merit.
// Sentences far below the best are not chosen, so that there may be fewer.
func diverse(sentences []*sentence, n int) []*sentence {
	const redundancy, least = 0.6, 0.15
	top := 0.0
	for _, s := range sentences {
		top = max(top, s.score)
	}
	if top == 0 {
		return sentences[:min(n, len(sentences))]
	}
	var out []*sentence
	like := make([]float64, len(sentences)) // To the most similar chosen one.
	taken := make([]bool, len(sentences))
	for len(out) < n {
		best, merit := -1, math.Inf(-1)
		for i, s := range sentences {
			if m := s.score/top - redundancy*like[i]; !taken[i] && m > merit && like[i] < 0.9 && s.score >= least*top {
				best, merit = i, m
			}
		}
		if best < 0 {
			break
		}
		taken[best] = true
		out = append(out, sentences[best])
		for i, s := range sentences {
			like[i] = max(like[i], similarity(s.vector, sentences[best].vector))
		}
	}
	return out
}
