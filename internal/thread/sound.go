package thread

import "strings"

var kanaSound = map[rune]string{
	'カ': "k", 'キ': "k", 'ク': "k", 'ケ': "k", 'コ': "k", 'ガ': "g", 'ギ': "g", 'グ': "g", 'ゲ': "g", 'ゴ': "g",
	'サ': "s", 'シ': "s", 'ス': "s", 'セ': "s", 'ソ': "s", 'ザ': "z", 'ジ': "j", 'ズ': "z", 'ゼ': "z", 'ゾ': "z",
	'タ': "t", 'チ': "c", 'ツ': "t", 'テ': "t", 'ト': "t", 'ダ': "d", 'ヂ': "j", 'ヅ': "z", 'デ': "d", 'ド': "d",
	'ナ': "n", 'ニ': "n", 'ヌ': "n", 'ネ': "n", 'ノ': "n", 'ン': "n",
	'ハ': "h", 'ヒ': "h", 'フ': "f", 'ヘ': "h", 'ホ': "h", 'バ': "b", 'ビ': "b", 'ブ': "b", 'ベ': "b", 'ボ': "b",
	'パ': "p", 'ピ': "p", 'プ': "p", 'ペ': "p", 'ポ': "p",
	'マ': "m", 'ミ': "m", 'ム': "m", 'メ': "m", 'モ': "m",
	'ラ': "r", 'リ': "r", 'ル': "r", 'レ': "r", 'ロ': "r", 'ヴ': "b",
}

var latinSound = strings.NewReplacer("sch", "s", "tch", "c", "th", "s", "sh", "s", "ch", "c", "ck", "k", "ph", "f", "gh", "", "qu", "k", "x", "ks",
	"ce", "s", "ci", "s", "cy", "s", "dge", "j", "c", "k", "q", "k", "l", "r", "v", "b", "w", "", "y", "", "h", "h",
	"a", "", "e", "", "i", "", "o", "", "u", "", "ø", "", "å", "", "ä", "", "ö", "", "ü", "", "é", "", "'", "", "-", "", "j", "j")

// soundOf is the consonants of a name as both languages have them: スンド and Sund are snd.
// Names with fewer than three tell nothing, and give "".
func soundOf(name string) string {
	var b strings.Builder
	if isLatin(name) {
		b.WriteString(latinSound.Replace(name))
	} else {
		for _, r := range name {
			b.WriteString(kanaSound[r])
		}
	}
	// A Latin r before a consonant is not heard, and double letters are one.
	in := b.String()
	out := make([]byte, 0, len(in))
	for i := range len(in) {
		if n := len(out); n > 0 && out[n-1] == in[i] {
			continue
		}
		out = append(out, in[i])
	}
	s := strings.ReplaceAll(string(out), "mp", "np")
	s = strings.ReplaceAll(s, "mb", "nb")
	if len(s) < 3 {
		return ""
	}
	return s
}
