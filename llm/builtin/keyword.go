package builtin

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// keywords returns the n words that the scope is most about, in the form in which
// the text has them: runs of kanji or katakana, and English words by their stem.
func (s scope) keywords(n int) []string {
	type candidate struct {
		text  string
		key   string
		count int
		first int
	}
	found := map[string]*candidate{}
	var all []*candidate
	for _, sentence := range s.sentences {
		for _, text := range terms(sentence.text) {
			key := termKey(text)
			c := found[key]
			if c == nil {
				c = &candidate{text: text, key: key, first: len(all)}
				found[key], all = c, append(all, c)
			}
			c.count++
		}
	}
	score := func(c *candidate) float64 {
		return float64(c.count) * math.Log(2+float64(width(c.text))/2)
	}
	slices.SortFunc(all, func(a, b *candidate) int {
		return cmp.Or(cmp.Compare(score(b), score(a)), cmp.Compare(a.first, b.first))
	})
	out := []string{}
	for _, c := range all {
		if len(out) == n {
			break
		}
		// A part of a word that is there already adds nothing.
		if !slices.ContainsFunc(out, func(w string) bool { return strings.Contains(w, c.text) || strings.Contains(c.text, w) }) {
			out = append(out, c.text)
		}
	}
	return out
}

func termKey(text string) string {
	if r, _ := utf8.DecodeRuneInString(text); isCJK(r) {
		return text
	}
	return stem(strings.ToLower(text))
}

// terms returns the words of a sentence that can be keywords, as they stand there.
func terms(text string) []string {
	var out []string
	kind, start := 0, 0
	flush := func(end int) {
		if t := text[start:end]; kind > 0 && isTerm(t, kind) {
			out = append(out, t)
		}
	}
	for i, r := range text {
		if k := termKind(r); k != kind {
			flush(i)
			kind, start = k, i
		}
	}
	flush(len(text))
	return out
}

// The kinds of characters that keywords are made of.
const (
	kanji = iota + 1
	katakana
	latin
)

func termKind(r rune) int {
	switch {
	case unicode.Is(unicode.Han, r):
		return kanji
	case unicode.Is(unicode.Katakana, r) || r == 'ー':
		return katakana
	case r < 0x250 && unicode.IsLetter(r):
		return latin
	}
	return 0
}

func isTerm(t string, kind int) bool {
	n := utf8.RuneCountInString(t)
	switch kind {
	case kanji:
		return n >= 2 && n <= 12 && !commonKanji[t]
	case katakana:
		return n >= 2 && n <= 20
	}
	return n >= 4 && !stopwords[strings.ToLower(t)]
}

// commonKanji are words of every debate.
var commonKanji = set(`今回 今後 以上 以下 質問 質疑 答弁 委員 委員長 議長 大臣 総理 理事 皆様 皆さん 自分 場合 状況 問題 必要 重要
対応 実施 検討 説明 御説明 意見 御意見 趣旨 提案 理由 内容 概要 議題 会議 本日 現在 午前 午後 開会 散会 休憩 起立 異議 御異議 採決 総員
賛成 一部 関係 方々 我々 私共 先生 政府 年度 平成 令和 昭和 今日 昨日 一番 一つ 二つ 今年 昨年 来年 全体 部分 意味 結果 予定 以前 以外 以来`)
