package searchbench

import (
	"math/rand/v2"

	"pressroom/internal/search"
)

// asked is a kind of query: each call makes another one.
type asked struct {
	name    string
	query   func(r *rand.Rand) search.Query
	suggest bool // the text is a prefix
	names   bool // the text is the beginning of a name
}

// kinds are the usual queries. Readers ask for what there is: words are drawn as
// they are written, down to the rare ones.
func (c *corpus) kinds() []asked {
	word := func(list []string) func(*rand.Rand) string {
		return func(r *rand.Rand) string { return list[rand.NewZipf(r, 1.1, 40, vocabulary-1).Uint64()] }
	}
	ja, en := word(c.japanese), word(c.english[len(frequent):])
	text := func(make func(r *rand.Rand) string) func(*rand.Rand) search.Query {
		return func(r *rand.Rand) search.Query { return search.Query{Text: make(r)} }
	}
	return []asked{
		{name: "Japanese word", query: text(ja)},
		{name: "Japanese, two words", query: text(func(r *rand.Rand) string { return ja(r) + " " + ja(r) })},
		{name: "Japanese, three words joined", query: text(func(r *rand.Rand) string { return ja(r) + "の" + ja(r) + "と" + ja(r) })},
		{name: "Japanese verb", query: text(func(r *rand.Rand) string {
			return []string{"訪れる", "決める", "増やす", "調べた"}[r.IntN(4)]
		})},
		{name: "Japanese reading", query: text(func(r *rand.Rand) string {
			return []string{"こっかい", "しょうひぜい", "としょかん", "こうえん", "かんきょう"}[r.IntN(5)]
		})},
		{name: "name", names: true, query: text(func(r *rand.Rand) string { return person(r.IntN(people)).Name[:6] })},
		{name: "Japanese letter", query: text(func(r *rand.Rand) string { return string([]rune(ja(r))[:1]) })},
		{name: "English word", query: text(en)},
		{name: "English, two words", query: text(func(r *rand.Rand) string { return en(r) + " " + en(r) })},
		{name: "the most frequent words", query: text(func(r *rand.Rand) string {
			return []string{"国会", "予算", "the", "government", "of", "消費税"}[r.IntN(6)]
		})},
		{name: "phrase", query: text(func(r *rand.Rand) string { return `"` + en(r) + " " + c.english[r.IntN(30)] + `"` })},
		{name: "without a word", query: text(func(r *rand.Rand) string { return ja(r) + " -" + ja(r) })},
		{name: "misspelt", query: text(func(r *rand.Rand) string { return "x" + en(r)[1:] + "q" })},
		{name: "word in a desk and year", query: func(r *rand.Rand) search.Query {
			return search.Query{Text: ja(r), Desks: []string{"journal"}, From: c.now.AddDate(-1, 0, 0), To: c.now, Level: 4}
		}},
		{name: "word, newest first", query: func(r *rand.Rand) search.Query { return search.Query{Text: ja(r), Sort: search.Newest} }},
		{name: "everything, newest first", query: func(*rand.Rand) search.Query { return search.Query{} }},
		{name: "a tag, newest first", query: func(r *rand.Rand) search.Query { return search.Query{Tags: []string{ja(r)}} }},
		{name: "suggestion", suggest: true, query: text(func(r *rand.Rand) string {
			w := []rune(ja(r))
			return string(w[:1+r.IntN(len(w))])
		})},
	}
}
