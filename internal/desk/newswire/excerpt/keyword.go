package excerpt

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxKeywords is how many keywords a text has at most.
const maxKeywords = 6

// keywords are the names and terms of the text that its headline has or that stand in it
// again and again, the headline's first.
func (t *text) keywords() []string {
	var all strings.Builder
	for _, s := range t.sentences {
		all.WriteString(s.text + "\n")
	}
	body := all.String()
	var found []string
	if t.japanese {
		found = japaneseTerms(t.title, body)
	} else {
		found = englishTerms(t.title, body)
	}
	var out []string
	for _, k := range found {
		if len(out) < maxKeywords && !slices.ContainsFunc(out, func(o string) bool { return strings.Contains(o, k) || strings.Contains(k, o) }) {
			out = append(out, k)
		}
	}
	return out
}

// term is a candidate.
type term struct {
	text  string
	count int
	title bool
}

func ranked(terms map[string]*term) []string {
	var list []*term
	for _, t := range terms {
		list = append(list, t)
	}
	slices.SortFunc(list, func(a, b *term) int {
		score := func(t *term) int {
			n := t.count * utf8.RuneCountInString(t.text)
			if t.title {
				n *= 4
			}
			return n
		}
		return cmp.Or(score(b)-score(a), strings.Compare(a.text, b.text))
	})
	out := make([]string, len(list))
	for i, t := range list {
		out[i] = t.text
	}
	return out
}

var (
	// compound is a name of several words.
	compound = regexp.MustCompile(`\p{Lu}[\pL’'-]+(?: (?:of|of the|de|van|&))?(?: \p{Lu}[\pL’'-]+)+`)
	// rank is what people are called by, and no part of their names.
	rank   = regexp.MustCompile(`^(?:(?:Mr|Mrs|Ms|Dr|Prof|Professor|Sir|Dame|Lord|Lady|Judge|Justice|Councillor|Sergeant|Inspector|Constable|Superintendent|Captain|Chief|President|Minister|Mayor|Reverend|Very|Rev|Detective|Group|Director|Chair)\.? )+`)
	single = regexp.MustCompile(`[\pL,;’”] (\p{Lu}\p{Ll}{3,})\b`)
	dates  = regexp.MustCompile(`^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day$|^(?:January|February|March|April|May|June|July|August|September|October|November|December|Christmas|Easter)$`)
	// noun is a word that an article stands before.
	noun = regexp.MustCompile(`\b(?:[Tt]he|[Aa]n?) (\p{Ll}[\pL-]{3,})\b`)
)

// englishTerms are names of several words inside sentences, and nouns of the headline.
func englishTerms(title, body string) []string {
	terms := map[string]*term{}
	for line := range strings.Lines(body) {
		for _, at := range compound.FindAllStringIndex(line, -1) {
			text := line[at[0]:at[1]]
			if at[0] == 0 { // the first word of a sentence is always in capitals
				first, rest, _ := strings.Cut(text, " ")
				if !strings.Contains(title, first) && strings.Count(body, text) < 2 {
					text = rest
				}
			}
			text = rank.ReplaceAllString(strings.TrimSuffix(strings.TrimSuffix(text, "’s"), "'s"), "")
			if first, _ := utf8.DecodeRuneInString(text); !strings.Contains(text, " ") || !unicode.IsUpper(first) {
				continue
			}
			if terms[text] == nil {
				terms[text] = &term{text: text, count: strings.Count(body, text), title: strings.Contains(title, text)}
			}
		}
	}
	for _, m := range single.FindAllStringSubmatch(body, -1) {
		part := func(t string) bool { return strings.Contains(" "+t+" ", " "+m[1]+" ") }
		if w := m[1]; terms[w] == nil && !slices.ContainsFunc(slices.Collect(maps.Keys(terms)), part) && !dates.MatchString(w) && !rank.MatchString(w+" ") && strings.Contains(title, w) {
			terms[w] = &term{text: w, count: strings.Count(body, w), title: true}
		}
	}
	for _, m := range noun.FindAllStringSubmatch(body, -1) {
		w := m[1]
		if terms[w] == nil && !common[stem(w)] && strings.Contains(strings.ToLower(title), w) {
			if n := strings.Count(strings.ToLower(body), w); n >= 4 {
				terms[w] = &term{text: w, count: n, title: true}
			}
		}
	}
	return ranked(terms)
}

var plainWords = regexp.MustCompile(`^(?:\p{Han}[^\p{Han}]|.*(?:[\d０-９]|[一二三四五六七八九十百千万億]+(?:人|年|月|日|時|分|件|回|円|歳|票|個|台|校|社|カ所)).*|今回|今後|以上|以下|昨年|今年|来年|同日|現在|午前|午後|必要|問題|場合|対応|実施|検討|説明|発表|開始|予定|結果|状況|理由|内容|影響|利用|可能|全員|一部|地元|市民|住民|男性|女性|子ども|関係者|担当者|代表|方針|計画|見込|見通|取組|全体)$`)

// japaneseTerms are compounds between particles that the headline has, or that stand in the
// text several times.
func japaneseTerms(title, body string) []string {
	terms := map[string]*term{}
	for _, w := range runs(body) {
		n := utf8.RuneCountInString(w)
		in := strings.Contains(title, w)
		count := strings.Count(body, w)
		if terms[w] != nil || n > 14 || plainWords.MatchString(w) || !(in && n >= 3) && !(count >= 2 && n >= 4) {
			continue
		}
		terms[w] = &term{text: w, count: count, title: in}
	}
	return ranked(terms)
}

// runs are the runs of kanji, katakana and letters of a text that a particle or a mark ends.
func runs(body string) []string {
	var out []string
	start, figure := -1, false // a figure's unit is no term
	for i, r := range body {
		inside := unicode.Is(unicode.Han, r) || unicode.Is(unicode.Katakana, r) || r == 'ー' || r == '々' || r == 'ヶ' || r == '・'
		switch {
		case inside && start < 0 && !figure:
			start = i
		case !inside && start >= 0:
			if strings.ContainsRune("はがをにのともやでへ、。「」『』（）\n", r) {
				out = append(out, strings.Trim(body[start:i], "・"))
			}
			start = -1
		}
		figure = unicode.IsDigit(r) || figure && inside
	}
	return out
}
