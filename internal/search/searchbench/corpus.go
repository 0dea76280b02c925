// Package searchbench measures a search index on a made-up newsroom of any size.
// The same size always gives the same documents: words are as unequal as in real
// text (Zipf's law), Japanese and English, of four desks and ten years.
//
// Start with Run; corpus.go makes the documents.
package searchbench

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"pressroom/internal/search"
)

// corpus makes documents out of words.
type corpus struct {
	now      time.Time
	japanese []string // the frequent ones first
	english  []string
}

const vocabulary = 30_000

// letters are kanji that words are made of.
const letters = "国会議員政府予算法案税金経済社会保障教育環境防衛外交地方自治選挙投票改正審査委員総理大臣財務厚生労働農林水産" +
	"業交通建設科学技術情報通信研究開発企業市場価格上昇下落増加減少計画実施協力支援対策問題課題調査報告発表会見" +
	"新聞記事写真映像文化芸術音楽映画小説作家歴史伝統祭料理旅行温泉海山川空天気台風地震災害復興病院医師看護薬治療" +
	"健康運動野球選手試合優勝記録大学学生教授授業試験言語辞書若者流行動画配信友達家族子供親結婚生活仕事給料休日"

var (
	particles = []string{"は", "が", "を", "に", "で", "と", "の", "も", "から", "まで"}
	verbs     = []string{"訪れた", "決めた", "話している", "考えられる", "増やした", "始まりました", "終わった", "調べる", "求められた", "進めている"}
	syllables = []string{"ka", "ro", "ti", "men", "ster", "pol", "ban", "dor", "li", "sun", "ver", "gra", "net", "mo", "pri", "tor", "al", "con", "ex", "ju"}
	frequent  = []string{"the", "of", "and", "to", "in", "a", "for", "on", "with", "that", "government", "budget", "votes", "parliament", "minister", "election", "market", "report"}
	usual     = []string{"国会", "予算", "法案", "政府", "選挙", "首相", "経済", "東京", "消費税", "委員会"}
	desks     = []string{"wire", "wire", "wire", "record", "journal", "glossary"}
	kinds     = map[string]string{"wire": "article", "record": "debate", "journal": "post", "glossary": "term"}
)

func newCorpus(now time.Time) *corpus {
	r := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same words every time
	c := &corpus{now: now, japanese: usual, english: frequent}
	all := []rune(letters)
	for len(c.japanese) < vocabulary {
		w := string([]rune{all[r.IntN(len(all))], all[r.IntN(len(all))]})
		c.japanese = append(c.japanese, w)
	}
	for len(c.english) < vocabulary {
		var b strings.Builder
		for range 2 + r.IntN(3) {
			b.WriteString(syllables[r.IntN(len(syllables))])
		}
		c.english = append(c.english, b.String())
	}
	return c
}

// people is how many are named.
const people = 10_000

// person is the i-th of them.
func person(i int) search.Name {
	const letters = "山川田中村木林森石橋松竹梅原野井上藤高本"
	runes := []rune(letters)
	name := string([]rune{runes[i%20], runes[i/20%20], runes[i/400%20], runes[i/8000%20]})
	return search.Name{Kind: "person", Name: name, Path: fmt.Sprintf("/people/%d", i), Reading: "やまかわたろう", Offices: []string{"衆議院議員"}}
}

// document makes the i-th document.
func (c *corpus) document(i int) search.Document {
	r := rand.New(rand.NewPCG(uint64(i), 7)) //nolint:gosec // the same document every time
	z := rand.NewZipf(r, 1.1, 5, vocabulary-1)
	desk := desks[r.IntN(len(desks))]
	age := r.Float64()
	d := search.Document{
		Key:  search.Key{Desk: desk, ID: strconv.Itoa(i)},
		Kind: kinds[desk], Language: "ja", URL: fmt.Sprintf("/%s/%d", desk, i),
		Date: c.now.Add(-time.Duration(age * age * float64(10*365*24*time.Hour))),
		Tags: []string{c.japanese[z.Uint64()], c.english[z.Uint64()]},
	}
	write := c.sentence
	if r.IntN(3) == 0 {
		d.Language, write = "en", c.prose
	}
	if r.IntN(50) == 0 {
		d.Level = search.Level(1 + r.IntN(4))
	}
	d.Names = []search.Name{person(r.IntN(people))}
	d.Title = write(r, z, 4)
	d.Summary = write(r, z, 10)
	var body []string
	for range 4 + r.IntN(5) {
		body = append(body, write(r, z, 6+r.IntN(8)))
	}
	d.Body = strings.Join(body, "\n")
	return d
}

func (c *corpus) sentence(r *rand.Rand, z *rand.Zipf, words int) string {
	var b strings.Builder
	for range words {
		b.WriteString(c.japanese[z.Uint64()])
		b.WriteString(particles[r.IntN(len(particles))])
	}
	b.WriteString(verbs[r.IntN(len(verbs))])
	b.WriteString("。")
	return b.String()
}

func (c *corpus) prose(_ *rand.Rand, z *rand.Zipf, words int) string {
	var b strings.Builder
	for i := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(c.english[z.Uint64()])
	}
	b.WriteByte('.')
	return b.String()
}
