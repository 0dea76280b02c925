package proof

import (
	"strings"
	"time"

	"pressroom/internal/search/text"
)

// lightJapanese are verbs that say nothing by themselves.
var lightJapanese = set("する なる ある いる おる いたす 致す まいる 参る くる 来る いく 行く くださる 下さる いただく 頂く やる ござる せる れる られる させる 行う おこなう つく 付く 関する 対する よる 基づく ついて つける 付ける とる 取る もつ いう 言う 申す 申し上げる おく みる しまう もらう できる 出来る なさる 思う 存じる 考える 伴う おける")

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

func (l *line) readJapanese(ref time.Time) {
	lex := japaneseLexicon()
	sentence := string(l.text[l.span.from:l.span.to])
	words, err := text.Analyse(sentence)
	if err != nil { // the dictionary is part of the program
		words = nil
	}
	figures := make([]bool, l.span.to-l.span.from+1) // characters that may be figures
	l.words = make([]word, len(words))
	for i, w := range words {
		out := word{text: w.Text, base: w.Base, span: span{l.span.from + w.Start, l.span.from + w.End}, force: noForce}
		out.groups, out.axes = lex.groups[w.Base], lex.axes[w.Base]
		switch {
		case w.Class == "名詞" && w.Sub == "数":
			out.kind = figure
		case w.Class == "名詞" && w.Sub == "固有名詞":
			out.kind = name
			if eras[w.Base] != 0 || w.Base == "日本" {
				out.kind = function
			}
		case w.Class == "名詞" && w.Sub != "非自立" && w.Sub != "代名詞" && (w.Sub != "接尾" || w.Kind == "地域"), w.Class == "動詞" && w.Sub == "自立" && !lightJapanese[w.Base],
			w.Class == "形容詞" && w.Sub == "自立" && w.Base != "ない" && w.Base != "よい" && w.Base != "いい", w.Class == "副詞" && out.groups != nil:
			out.kind = content
			if len([]rune(w.Text)) == 1 && !isKanji([]rune(w.Text)[0]) {
				out.kind = function
			}
			out.generic = genericJapanese[w.Base]
		}
		if i > 0 && (words[i-1].Text == "最も" || words[i-1].Text == "もっとも" || words[i-1].Text == "一番") {
			out.axes = nil // 最も多い理由 goes neither up nor down
		}
		if (w.Text == "増" || w.Text == "減") && w.Class == "名詞" {
			out.kind = content
		}
		out.pred = out.kind == content && (w.Class == "動詞" || w.Class == "形容詞" || w.Sub == "サ変接続" || w.Sub == "形容動詞語幹" || out.axes != nil)
		if w.Class == "名詞" && i+1 < len(words) && out.pred {
			next := words[i+1]
			switch {
			case next.Class == "名詞" && next.Sub != "非自立" && next.Sub != "数" && next.Sub != "副詞可能" || next.Text == "の" || next.Text == "や" || next.Text == "・" || next.Text == "へ" && i+2 < len(words) && words[i+2].Text != "。" || strings.HasPrefix(next.Text, "について") || strings.HasPrefix(next.Text, "に関") || strings.HasPrefix(next.Text, "に対") || next.Text == "における" || next.Text == "に係る":
				out.pred = out.axes != nil && next.Text == "の" // 反対の立場
			}
		}
		out.arg = w.Class == "名詞" && argument(words, i)
		if w.Class == "名詞" && w.Sub == "数" || countWord(w.Text) {
			for j := out.span.from; j < out.span.to; j++ {
				figures[j-l.span.from] = true
			}
		}
		l.words[i] = out
	}
	l.moments = japaneseDates(l.text[l.span.from:l.span.to], ref)
	inDate := make([]bool, l.span.to-l.span.from+1)
	for i := range l.moments {
		s := &l.moments[i].span
		s.from, s.to = s.from+l.span.from, s.to+l.span.from
		for j := s.from; j < s.to; j++ {
			inDate[j-l.span.from] = true
		}
	}
	l.quantities = japaneseNumbers(l.text[l.span.from:l.span.to], func(i int) bool {
		return inDate[i] || !figures[i] && !isDigit(l.text[l.span.from+i])
	})
	for i := range l.quantities {
		q := &l.quantities[i]
		q.span.from, q.span.to, q.start, q.end = q.span.from+l.span.from, q.span.to+l.span.from, q.start+l.span.from, q.end+l.span.from
	}
	for i := range l.words { // words of dates and figures are compared as such
		w := &l.words[i]
		if inDate[w.span.from-l.span.from] {
			w.kind = function
		}
		for _, q := range l.quantities {
			if w.span.from >= q.start && w.span.to <= q.end && w.kind != figure {
				w.kind = function
			}
		}
	}
	l.clausesJapanese(words)
	l.featuresJapanese(words)
}

// argument tells of a noun that a verb of its own follows, which carries what is denied: 廃止が決まる, 影響が出る.
func argument(in []text.Word, i int) bool {
	if i+2 >= len(in) {
		return false
	}
	switch in[i+1].Text {
	case "が", "を", "は", "も", "に", "へ", "と":
	default:
		return false
	}
	j := i + 2
	for j < len(in) && in[j].Class == "副詞" {
		j++
	}
	return j < len(in) && (in[j].Class == "動詞" && in[j].Sub == "自立" && !lightJapanese[in[j].Base] || in[j].Sub == "サ変接続")
}

// genericJapanese are words that any summary may add.
var genericJapanese = set("こと もの ため 等 など 的 化 者 方 点 面 中 上 下 内 間 際 旨 件 様 さん 氏 君 議員 委員 今回 今日 同 本 当 各 両 ほか 他 それぞれ とも 一方 うち 場 形 形式 状況 状態 内容 分野 部分 程度 具体 全体 自身 自体 姿 思い 趣旨 立場 観点 ところ わけ 声 話 点 答え 答弁 質問 質疑 説明 発言 意見 見解 考え 認識 意向 方針 姿勢 見通し 可能性 必要 必要性 重要 重要性 課題 問題 取り組み 取組 対応 対策 実施 関係 とおり 以上 以下 先 予定 案 議論 強調 指摘 主張 要望 要請 要求 表明 言及 回答 報告 確認 理解 認める 示す 述べる 答える 話す 語る 求める 訴える 尋ねる 問う ただす 伝える 触れる 挙げる 受ける 含める 踏まえる 向ける 進める 図る 続ける 明らか いわく 明言 断言 述懐 つもり 一つ 一環 全て すべて さらに また 同時 現状 現在 今後 これまで 結果 理由 疑問 懸念 期待 狙い 目的 感じ る 取り上げる 主 議題")

func countWord(s string) bool {
	r := []rune(s)
	if len(r) < 2 {
		return false
	}
	last := r[len(r)-1]
	if last != '人' && last != 'つ' && last != '割' && last != '倍' && last != '回' && last != '年' && last != '月' && last != '日' && last != '度' {
		return false
	}
	for _, c := range r[:len(r)-1] {
		if _, ok := kanjiDigit[c]; !ok && smallPower[c] == 0 {
			return false
		}
	}
	return s != "一度" && s != "一日" && s != "一人" && s != "一つ" && s != "一年"
}

// clausesJapanese numbers the clauses of the line, and notes those that are conditions.
func (l *line) clausesJapanese(in []text.Word) {
	clause, start := 0, 0
	end := func(i int) {
		for j := start; j <= i && j < len(l.words); j++ {
			l.words[j].clause = clause
		}
		clause++
		start = i + 1
	}
	for i, w := range in {
		next := func(n int) text.Word {
			if i+n < len(in) {
				return in[i+n]
			}
			return text.Word{}
		}
		prev := text.Word{}
		if i > 0 {
			prev = in[i-1]
		}
		switch {
		case w.Sub == "接続助詞" && (w.Text == "が" || strings.HasPrefix(w.Text, "けれど") || w.Text == "ものの" || w.Text == "ので" || w.Text == "から" || w.Text == "し" || w.Text == "つつ" || w.Text == "のに" || strings.HasPrefix(w.Text, "ながら")):
			end(i)
		case w.Sub == "接続助詞" && w.Text == "ば" && !obligation(in, i), w.Text == "たら" && w.Class == "助動詞", w.Text == "なら" && w.Class == "助動詞", w.Text == "ならば", w.Text == "だったら":
			l.condition(start, i, w.Text)
			end(i)
		case w.Text == "場合" && prev.Text != "この" && prev.Text != "その" && next(1).Text != "も" && !(next(1).Text == "に" && next(2).Text == "よって"), w.Text == "限り" && prev.Class != "名詞" && prev.Text != "の" && prev.Text != "できる", w.Text == "次第" && (prev.Class == "動詞" || prev.Class == "名詞") && prev.Text != "の":
			if i-start >= 2 {
				l.condition(start, i, w.Text)
				end(i)
			}
		case (w.Text == "条件" || w.Text == "前提") && (next(1).Text == "に" || next(1).Text == "として" || next(1).Text == "と" || next(1).Text == "で"):
			l.condition(start, i, w.Text)
			end(i)
		case (w.Text == "上" || w.Text == "うえ") && next(1).Text == "で" && prev.Text == "た":
			l.condition(start, i, w.Text)
			end(i)
		case (w.Text == "後" || w.Text == "のち" || w.Text == "あと") && prev.Text == "た", w.Text == "まで" && (prev.Class == "動詞" || prev.Class == "助動詞") && next(1).Text != "も":
			l.condition(start, i, w.Text)
			end(i)
		case w.Base == "除く" && (prev.Text == "を" || prev.Text == "は"), w.Text == "以外", (w.Text == "に限り" || w.Text == "に限って" || w.Text == "限っ" || w.Text == "限り" && prev.Text == "に" || w.Text == "限る" && prev.Text == "に" || w.Text == "限定"), w.Text == "のみ" && next(1).Text != "なら", w.Text == "だけ" && next(1).Text != "で" && next(1).Text != "に" && next(1).Text != "の":
			l.condition(max(start, i-4), i, w.Text)
		case w.Text == "、" && prev.Text == "で" && i >= 2 && in[i-2].Class == "名詞" && i-start > 4:
			end(i)
		case w.Text == "、" && (prev.Class == "動詞" || prev.Class == "助動詞" || prev.Class == "形容詞" || prev.Sub == "接続助詞"), w.Text == "、" && prev.Sub == "サ変接続" && i >= 2 && (in[i-2].Text == "を" || in[i-2].Text == "は" || in[i-2].Text == "が" || in[i-2].Text == "に"):
			end(i)
		}
	}
	end(len(in) - 1)
	l.clauses = clause
}

// condition notes the words of a condition, unless they say nothing.
func (l *line) condition(from, to int, mark string) {
	n := 0
	for i := from; i <= to; i++ {
		switch l.words[i].kind {
		case content, name, figure:
			n++
		}
		if t := l.words[i].base; t == "よろしい" || t == "異議" || t == "申し上げる" || t == "例えば" || t == "よる" && mark == "ば" || t == "言う" || t == "いう" && mark == "ば" {
			return
		}
	}
	if n > 0 {
		l.conditions = append(l.conditions, condition{from, to, mark})
	}
}

// obligation tells of ば in なければならない.
func obligation(in []text.Word, i int) bool {
	if i == 0 || i+1 >= len(in) || in[i-1].Text != "なけれ" && in[i-1].Text != "ね" {
		return false
	}
	next := in[i+1].Base
	return next == "なる" || next == "いける" || next == "いけない"
}

// featuresJapanese says of each word whether it is denied, asked, and how firm it is. What stands to the right of a
// word in its clause governs it.
func (l *line) featuresJapanese(in []text.Word) {
	lex := japaneseLexicon()
	n := len(in)
	last := -1
	for i := n - 1; i >= 0; i-- {
		if in[i].Text != "。" && in[i].Text != "?" && in[i].Text != " " && in[i].Text != "!" && in[i].Text != "」" {
			last = i
			break
		}
	}
	l.question = last >= 0 && in[last].Text == "か" && in[last].Class == "助詞"
	for i := range in { // asked for in words
		if b := in[i].Base; (b == "伺う" || b == "うかがう" || b == "尋ねる" || b == "お尋ね" || b == "質問" || b == "聞く" || b == "聞かせる" || b == "ただす") && i >= last-6 && !past(in, i) {
			l.question = true
		}
	}
	negated, asked, mark := false, false, noForce
	var outer *struct {
		negated, asked bool
		mark           force
	} // what governs the noun that a clause belongs to, while the clause is read
	clause := -1
	for i := n - 1; i >= 0; i-- {
		w := &l.words[i]
		if outer != nil && (in[i].Text == "は" || in[i].Text == "、" || w.clause != clause) {
			negated, asked, mark, outer = outer.negated, outer.asked, outer.mark, nil
		}
		if w.clause != clause {
			clause, negated, mark = w.clause, false, noForce
			asked = false
			if l.question && (clause == l.clauses-1) {
				asked = true
			}
		}
		w.negated, w.asked, w.force = negated, asked, mark
		if past(in, i) {
			w.force = happened
		} else if mark == noForce {
			w.force = said
		}
		if denial(in, i) {
			l.denies = append(l.denies, i)
			if adverbial(in, i) { // 異議なく denies the word before it alone
				if i > 0 {
					l.words[i-1].negated = !l.words[i-1].negated
				}
			} else {
				negated = !negated
			}
		}
		if outer == nil && (in[i].Class == "動詞" || in[i].Class == "形容詞" || w.pred) && adnominal(in, i) { // what follows its noun does not govern it
			outer = &struct {
				negated, asked bool
				mark           force
			}{negated, asked, mark}
			negated, asked, mark = ownDenial(in, i), false, noForce
			w.negated, w.asked, w.force = negated, false, said
			if past(in, i) {
				w.force = happened
			}
		}
		before := i - 1
		for before > 0 && in[before].Class == "副詞" {
			before--
		}
		if in[i].Text == "と" && in[i].Class == "助詞" && i+1 < n && in[i+1].Class != "記号" && !lightJapanese[in[i+1].Base] && in[i+1].Text != "は" {
			negated = false // what follows a quotation does not deny what is in it
		}
		if lex.negator[in[i].Base] && w.kind != function && outer != nil && (in[i].Sub == "形容動詞語幹" || in[i].Class == "形容詞") {
			outer.negated = !outer.negated // 慎重な検討が必要
		}
		if lex.negator[in[i].Base] && w.kind != function && before >= 0 && (governs(in[before].Text) || in[before].Text == "は" && before > 0 && (l.words[before-1].pred || in[before-1].Text == "こと" || in[before-1].Sub == "サ変接続") || in[i].Sub == "形容動詞語幹" || in[i].Class == "形容詞") {
			negated = !negated
			l.denies = append(l.denies, i)
		}
		if prefix := in[i].Text; in[i].Class == "接頭詞" && (prefix == "不" || prefix == "無" || prefix == "非" || prefix == "未") && i+1 < n {
			l.words[i+1].negated = !l.words[i+1].negated
		}
		if in[i].Text == "か" && in[i].Class == "助詞" && i+1 < n && (in[i+1].Text == "と" || in[i+1].Text == "どうか" || in[i+1].Text == "否か" || in[i+1].Text == "を" || in[i+1].Text == "について" || in[i+1].Text == "、") {
			asked = true
		}
		if lex.ask[in[i].Base] && in[i].Class != "助詞" {
			asked = true
		}
		if in[i].Base == "案" && i+2 < n && in[i+1].Text == "を" && (in[i+2].Base == "示す" || in[i+2].Base == "提示" || in[i+2].Base == "公表" || in[i+2].Base == "まとめる") {
			mark = min(mark, wished) // 統合する案を示した
		}
		if f, ok := lex.forces[in[i].Base]; ok && !(in[i].Class == "助詞") && strongMark(in, i) {
			if f < mark {
				mark = f
			}
		}
	}
	l.marks = make([]force, l.clauses)
	for i := range l.marks {
		l.marks[i] = noForce
	}
	for i := range l.words { // the firmness of a clause is that of its last predicate
		if w := l.words[i]; w.pred || w.force == happened && w.kind != function {
			l.marks[w.clause] = w.force
		}
	}
}

func governs(particle string) bool {
	switch particle {
	case "に", "を", "には", "との", "とは", "へ":
		return true
	}
	return false
}

// adverbial tells of なく in 異議なく.
func adverbial(in []text.Word, i int) bool {
	return in[i].Text == "なく" && i > 0 && in[i-1].Class == "名詞" && i+1 < len(in) && in[i+1].Text != "、" && in[i+1].Base != "なる" && in[i+1].Text != "て"
}

// formalNouns are nouns that say nothing by themselves: what governs them governs the verb before.
var formalNouns = set("こと の もの 考え 予定 方針 つもり よう ため わけ はず ところ 意向 見込み 見通し 計画 必要 可能性 おそれ 恐れ 方向 とおり 旨 場合 際 上 うえ 後 限り 次第 意思 姿勢 考え方 立場 決意 べき 目標 段階 状況 余地 とき 時 ほう 方 気 見方 構想 案 つつ 予測 意見 必要性 用意 義務 規定 運び")

// endOf is the word behind a predicate and its own endings.
func endOf(in []text.Word, i int) int {
	j := i + 1
	for j < len(in) && (in[j].Class == "助動詞" || in[j].Class == "動詞" && (in[j].Sub == "非自立" || in[j].Sub == "接尾" || lightJapanese[in[j].Base]) || in[j].Text == "て" || in[j].Text == "で" && in[j].Sub == "接続助詞") {
		j++
	}
	return j
}

// adnominal tells whether a predicate belongs to the noun behind it: 支給する方法.
func adnominal(in []text.Word, i int) bool {
	j := endOf(in, i)
	if j == i+1 && in[i].Class == "名詞" || j >= len(in) {
		return false
	}
	if in[j].Class == "接頭詞" && j+1 < len(in) {
		j++
	}
	return in[j].Class == "名詞" && !formalNouns[in[j].Text] && in[j].Sub != "非自立"
}

func ownDenial(in []text.Word, i int) bool {
	no := false
	for j := i + 1; j < endOf(in, i); j++ {
		if denial(in, j) {
			no = !no
		}
	}
	return no
}

// strongMark excludes words that are marks in one reading only.
func strongMark(in []text.Word, i int) bool {
	w := in[i]
	switch w.Base {
	case "う", "よう":
		return w.Class == "助動詞" && !(i > 0 && strings.HasPrefix(in[i-1].Text, "でしょ"))
	case "たい":
		return w.Class == "助動詞"
	case "まいる", "参る":
		return w.Sub == "非自立" || i > 0 && in[i-1].Text == "て"
	case "必要", "重要", "大切":
		return true
	case "べし", "べき":
		return i+1 >= len(in) || in[i+1].Text != "もの" // 可決すべきものと決した
	case "案", "要":
		return w.Sub != "接尾"
	}
	return true
}

// past tells whether the predicate at i stands in the past by itself: nothing but its own endings follows up to た.
func past(in []text.Word, i int) bool {
	for j := i + 1; j < len(in) && j <= i+6; j++ {
		w := in[j]
		switch {
		case w.Class == "助動詞" && w.Base == "た", w.Text == "だ" && w.Base == "だ" && in[j-1].Class == "動詞":
			if j+1 < len(in) {
				switch in[j+1].Text {
				case "場合", "方", "ほう", "ら", "上", "うえ", "後", "い": // したほうがよい, した上で
					return false
				}
			}
			return w.Text == "た" || w.Text == "だ"
		case w.Class == "助動詞" || w.Class == "動詞" && (w.Sub == "非自立" || w.Sub == "接尾" || lightJapanese[w.Base]):
		case w.Text == "て" || w.Text == "で" || w.Text == "を" && j == i+1 && in[i].Sub == "サ変接続" && j+1 < len(in) && (in[j+1].Base == "行う" || in[j+1].Base == "する" || in[j+1].Base == "終える"):
		default:
			return false
		}
	}
	return false
}

// denial tells whether the word at i denies what stands before it.
func denial(in []text.Word, i int) bool {
	w := in[i]
	next := func(n int) text.Word {
		if i+n < len(in) {
			return in[i+n]
		}
		return text.Word{}
	}
	prev := func(n int) text.Word {
		if i-n >= 0 {
			return in[i-n]
		}
		return text.Word{}
	}
	isNo := w.Base == "ない" && (w.Class == "助動詞" || w.Class == "形容詞") || w.Class == "助動詞" && (w.Base == "ぬ" || w.Base == "ん" || w.Text == "ず" || w.Base == "まい") ||
		w.Text == "なし" && w.Class != "動詞" || w.Base == "無い"
	if !isNo {
		return false
	}
	switch {
	case next(1).Text == "か" && next(1).Class == "助詞" && prev(1).Base != "の", // ではないか
		(next(1).Base == "です" || next(1).Text == "でしょ" || next(1).Text == "だろ") && (next(2).Text == "か" || next(3).Text == "か"):
		return false
	case prev(1).Text == "異議", prev(1).Base == "知れる" || prev(1).Base == "計り知れる" || prev(1).Base == "否める" || prev(1).Base == "余儀" || prev(1).Base == "限り":
		return false // 計り知れない影響
	case w.Text == "なく" && (prev(1).Text == "で" && (prev(2).Text == "だけ" || prev(2).Text == "のみ" || prev(2).Text == "ばかり") || prev(1).Text == "は" && prev(2).Text == "で" && (prev(3).Text == "だけ" || prev(3).Text == "のみ" || prev(3).Text == "ばかり")):
		return false // だけでなく
	case w.Text == "ず" && prev(1).Text == "なら" && prev(2).Text == "のみ":
		return false
	case prev(1).Base == "かねる" || prev(1).Text == "かね":
		return false // 損ないかねない
	case prev(1).Base == "しれる" || prev(1).Base == "過ぎる" || prev(1).Base == "すぎる" || prev(1).Base == "違い" || prev(1).Base == "ちがい" || prev(1).Base == "欠かす" || prev(1).Base == "欠かせる" || prev(2).Base == "欠かす" || prev(1).Text == "やむを得" || prev(1).Text == "仕方":
		return false
	case prev(1).Text == "ませ" && (prev(2).Base == "過ぎる" || prev(2).Base == "すぎる" || prev(2).Base == "しれる"):
		return false
	}
	for j := 1; j <= 8 && i-j >= 0; j++ { // しか … ない says that there is some
		if in[i-j].Text == "しか" {
			return false
		}
		if in[i-j].Text == "、" || in[i-j].Text == "。" {
			break
		}
	}
	return true
}
