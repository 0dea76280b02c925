package text

import (
	"slices"
	"strings"
	"testing"
)

func TestHomonyms(t *testing.T) {
	if err := Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ kana, want string }{{"としょかん", "図書館"}, {"トショカン", "図書館"}, {"ほうあん", "法案"}} {
		if got := homonyms(tc.kana); !slices.Contains(got, tc.want) || slices.Contains(got, tc.kana) {
			t.Errorf("%s is read by %q, want %s", tc.kana, got, tc.want)
		}
	}
	for _, kana := range []string{"ほ", "ぬぬぬぬぬ", strings.Repeat("あ", mostKana+1)} {
		if got := homonyms(kana); got != nil {
			t.Errorf("%s is read by %q", kana, got)
		}
	}
}

func TestSounds(t *testing.T) {
	for _, tc := range []struct{ text, query string }{{"鳴瀬川が氾濫", "なるせがわ"}, {"図書館の本", "としょかん"}, {"マッコウクジラ死ぬ", "まっこうくじら"}} {
		got, err := Sounds(tc.text)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range soundTerms(tc.query) {
			if !slices.ContainsFunc(got, func(t Token) bool { return t.Text == want.Text }) {
				t.Errorf("%s does not sound like %s: no %s in %v", tc.text, tc.query, want.Text, got)
			}
		}
	}
}

func TestLatin(t *testing.T) {
	for _, tc := range []struct{ text, want string }{
		{"さんこうにん", "sankonin"}, {"sankounin", "sankonin"}, {"San Kōnin", "sankonin"}, {"りゅういきぼうさい", "ryuikibosai"}, {"Ryuiki Bosai", "ryuikibosai"},
		{"けんいち", "kenichi"}, {"Ken'ichi", "kenichi"}, {"こっかくひょうほん", "kokkakuhyohon"}, {"フードバンク", "fudobanku"}, {"としょかm", "toshokam"}, {"図書館", ""},
	} {
		if got := Latin(tc.text); got != tc.want {
			t.Errorf("%s is %q, want %q", tc.text, got, tc.want)
		}
	}
}

func TestForm(t *testing.T) {
	for _, tc := range []struct{ text, want string }{
		{"内閣提出第二四号", "内閣提出第24号"}, {"内閣提出第２４号", "内閣提出第24号"}, {"一ノ瀬巌", "一ノ瀬巌"}, {"Thorne, Cassia", "thorncassia"}, {"Burial Ground Bill", Form("burial grounds bill")},
		{"アストリッド・ホルム", "アストリッドホルム"}, {"第四〇号", "第40号"},
	} {
		if got := Form(tc.text); got != tc.want {
			t.Errorf("%s is %q, want %q", tc.text, got, tc.want)
		}
	}
}
