package text

import (
	"html"
	"strings"
	"testing"
)

func TestMark(t *testing.T) {
	if _, err := Bases("読む"); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ text, query, want string }{
		{"京都を訪れた人", "訪れる", "京都を<mark>訪れ</mark>た人"},
		{"とてもエモい写真", "エモい", "とても<mark>エモい</mark>写真"},
		{"<b>Votes</b> & voting", "vote", "&lt;b&gt;<mark>Votes</mark>&lt;/b&gt; &amp; <mark>voting</mark>"},
		{"東京と京都", `"東京都"`, "東京と京都"},
		{"ＡＩと税", "ai 税", "<mark>ＡＩ</mark>と<mark>税</mark>"},
		{"山に登った。本を見た。寝た。", "見る", "山に登った。本を<mark>見</mark>た。寝た。"},
		{"会に参加した", "する", "会に参加<mark>し</mark>た"},
		{"<script>", "-script", "&lt;script&gt;"},
	} {
		if got := Mark(tc.text, Parse(tc.query)); got != tc.want {
			t.Errorf("Mark(%q, %q) = %q, want %q", tc.text, tc.query, got, tc.want)
		}
	}
}

// TestMayInflect checks that what is not read with the dictionary has nothing to
// mark.
func TestMayInflect(t *testing.T) {
	if _, err := Bases("読む"); err != nil {
		t.Fatal(err)
	}
	texts := "参加した。彼が来た。きた人。よかった。美しくない。行った。書いて。愛した。応じない。持ってきた。ございます。くださった。食べられた"
	for _, verb := range []string{"する", "来る", "くる", "よい", "いい", "美しい", "行く", "書く", "愛する", "応じる", "応ずる", "持ってくる", "くださる", "食べる", "ある"} {
		units := Parse(verb)
		for _, s := range strings.Split(texts, "。") {
			bases, _ := TryBases(s)
			for _, u := range units {
				if found := inflected(bases, u); len(found) > 0 && !mayInflect(s, units) {
					t.Errorf("%s has %s", s, verb)
				}
			}
		}
	}
}

func TestExcerpt(t *testing.T) {
	long := strings.Repeat("前の文です。", 100) + "ここでエモい話をする。" + strings.Repeat("後の文です。", 100)
	got := Excerpt(long, Parse("エモい"), 40)
	if !strings.Contains(got, "エモい") || len([]rune(got)) > 46 || !strings.HasPrefix(got, "… ") || !strings.HasSuffix(got, " …") {
		t.Errorf("excerpt %q", got)
	}
	if got := Excerpt("short", Parse("nothing"), 40); got != "short" {
		t.Errorf("excerpt %q, want the text", got)
	}
}

// FuzzMark checks that marks change nothing but add themselves, and that no
// markup of the text survives.
func FuzzMark(f *testing.F) {
	f.Add("<b>Votes</b> 京都を訪れた", "vote 訪れる")
	f.Add("が\xff", "が \xff")
	f.Fuzz(func(t *testing.T, s, q string) {
		marked := Mark(s, Parse(q))
		plain := strings.NewReplacer("<mark>", "", "</mark>", "").Replace(marked)
		if plain != html.EscapeString(s) {
			t.Fatalf("Mark(%q, %q) = %q", s, q, marked)
		}
		Excerpt(s, Parse(q), 20)
	})
}
