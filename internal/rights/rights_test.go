package rights

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// told makes a text of n words that stand nowhere else.
func told(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "word%04d ", i)
		if i%12 == 11 {
			b.WriteString("stop. ")
		}
	}
	return b.String()
}

const diet = "港の朝市が、来月から駅前の古い倉庫で再開します。市は五月に屋根の修理を終え、電気と水道も新しくしました。" +
	"出店するのは魚屋や八百屋など二十四軒で、毎週土曜の朝六時に始まります。組合の代表は「三年待った。ようやく灯がともる」と話しました。" +
	"倉庫は大正のはじめに建てられ、取り壊しも検討されていました。市民の署名が九千を超え、議会は全会一致で保存を決めています。"

func TestCap(t *testing.T) {
	for n, want := range map[int]int{0: 0, 9: 0, 300: 30, 1999: 199, 2000: 200, 100_000: 200} {
		if got := Cap(n); got != want {
			t.Errorf("Cap(%d) = %d, want %d", n, got, want)
		}
	}
}

func TestShow(t *testing.T) {
	long := told(400)
	english := "The council of the harbour town agreed on Monday to close the old bridge for a year. " + told(60)
	for _, c := range []struct {
		name string
		work Work
		want View
	}{
		{"nothing", Work{}, View{}},
		{"an excerpt ends with a phrase", Work{Text: strings.Repeat(diet, 2)}, View{Excerpt: "港の朝市が、来月から駅前の古い倉庫で再開します。…"}},
		{"an excerpt of a short text", Work{Text: diet}, View{}},
		{"an excerpt ends with a word", Work{Text: english}, View{Excerpt: "The council of the harbour town agreed on Monday to close the old…"}},
		{"an excerpt does not end inside a quotation", Work{Text: "市長は二十日の会見で、川にかかる古い橋について「あすから通行を止めて調べる、冬まで待てない」と述べた。" + diet + diet[:len(diet)/2]}, View{Excerpt: "市長は二十日の会見で、川にかかる古い橋について…"}},
		{"an excerpt is on one line", Work{Text: "First lines\n\nand then  more of them. " + long}, View{Excerpt: "First lines and then more of them. " + long[:strings.Index(long, "word0012")-1] + " …"}},
		{
			"a summary that copies is cut", Work{Text: strings.Repeat(diet, 2), Summary: diet, Extractive: true},
			View{Summary: "港の朝市が、来月から駅前の古い倉庫で再開します。…", Cut: true},
		},
		{"a summary that copies little stays", Work{Text: long, Summary: "word0001 word0002 word0003.", Extractive: true}, View{Summary: "word0001 word0002 word0003."}},
		{"own words stay", Work{Text: diet, Summary: "修理された倉庫に、土曜の市場が戻ります。店は二十四軒です。"}, View{Summary: "修理された倉庫に、土曜の市場が戻ります。店は二十四軒です。"}},
		{
			"of own words the copied run counts", Work{Text: diet, Summary: "土曜の市場が戻ります。市は五月に屋根の修理を終え電気と水道も新しくしました。「三年待った、ようやく灯がともる」と話しました。"},
			View{Summary: "土曜の市場が戻ります。市は五月に屋根の修理を終え電…", Cut: true},
		},
	} {
		if got := Show(c.work, Readers); got != c.want {
			t.Errorf("%s:\n got %+v\nwant %+v", c.name, got, c.want)
		}
		if got := Show(c.work, Staff); got.Text != c.work.Text || got.Summary != c.work.Summary || got.Cut {
			t.Errorf("%s: staff see %+v", c.name, got)
		}
	}
}

func TestCopied(t *testing.T) {
	text := "The mayor said on Tuesday that the ferry would sail again before the summer begins. " + diet
	for _, c := range []struct{ summary, want string }{
		{"According to her, the ferry would sail again before the winter.", ""}, // seven words
		{"She said THE FERRY would sail; again, before the summer – at last.", "THE FERRY would sail; again, before the summer"},
		{"議会は保存を決め、倉庫は残ります。", ""},
		{"そして倉庫は大正のはじめに建てられ取り壊しも検討されていました", "倉庫は大正のはじめに建てられ取り壊しも検討されていました"},
	} {
		var got []string
		for _, run := range copied(c.summary, text) {
			got = append(got, c.summary[run.from:run.to])
		}
		if strings.Join(got, "|") != c.want {
			t.Errorf("of %q is copied %q, want %q", c.summary, got, c.want)
		}
	}
}

// Whatever a text and a summary are, readers are shown no more of the text than
// its cap, and always the same.
func FuzzShow(f *testing.F) {
	f.Add(diet, diet, true)
	f.Add(told(50), told(30), false)
	f.Add("ab. cd, ef", "「。」", true)
	f.Add("\xff\xfe", "あ\xff", true)
	f.Fuzz(func(t *testing.T, text, summary string, extractive bool) {
		w := Work{Text: text, Summary: summary, Extractive: extractive}
		v := Show(w, Readers)
		if v.Text != "" || v != Show(w, Readers) || v.Summary != "" && v.Excerpt != "" {
			t.Fatalf("%+v", v)
		}
		lead := strings.TrimSuffix(strings.TrimSuffix(v.Lead(), "…"), " ")
		if extractive || summary == "" {
			if n, most := utf8.RuneCountInString(lead), Cap(utf8.RuneCountInString(text)); n > most {
				t.Errorf("%d characters are shown of %d", n, most)
			}
		}
		if summary != "" && !strings.HasPrefix(summary, lead) {
			t.Errorf("%q is shown of %q", lead, summary)
		}
		for _, run := range copied(summary, text) {
			if run.from >= run.to || run.to > len(summary) {
				t.Errorf("run %v of %d", run, len(summary))
			}
		}
	})
}

func BenchmarkShow(b *testing.B) {
	w := Work{Text: strings.Repeat(diet, 50), Summary: strings.Repeat("修理された倉庫に、土曜の市場が戻ります。", 10)}
	for b.Loop() {
		Show(w, Readers)
	}
}
