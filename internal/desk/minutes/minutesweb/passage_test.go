package minutesweb

import (
	"fmt"
	"html/template"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pressroom/internal/desk/minutes"
)

func TestPassages(t *testing.T) {
	const text = "一二三四五六七八九十"
	tests := []struct {
		name   string
		quotes []string
		want   string
		where  []int
	}{
		{"none", nil, text, []int{}},
		{"apart", []string{"七八", "二三"}, `一<mark id="p-4-1">二三</mark>四五六<mark id="p-4-2">七八</mark>九十`, []int{1, 0}},
		{"overlapping", []string{"二三四", "四五", "九"}, `一<mark id="p-4-1">二三四五</mark>六七八<mark id="p-4-2">九</mark>十`, []int{0, 0, 1}},
		{"touching", []string{"二三", "四五"}, `一<mark id="p-4-1">二三</mark><mark id="p-4-2">四五</mark>六七八九十`, []int{0, 1}},
		{"within", []string{"三", "二三四"}, `一<mark id="p-4-1">二三四</mark>五六七八九十`, []int{0, 0}},
		{"twice the same", []string{"三", "三"}, `一二<mark id="p-4-1">三</mark>四五六七八九十`, []int{0, 0}},
		{"whole", []string{text}, `<mark id="p-4-1">` + text + `</mark>`, []int{0}},
		{"backwards", []string{"九十", "一", "五"}, `<mark id="p-4-1">一</mark>二三四<mark id="p-4-2">五</mark>六七八<mark id="p-4-3">九十</mark>`, []int{2, 0, 1}},
		{"missing", []string{"百", ""}, text, []int{-1, -1}},
	}
	for _, tt := range tests {
		found, where := passages(4, text, tt.quotes)
		if diff := cmp.Diff(tt.where, where); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
		if got := string(marked(text, 0, len(text), found)); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestPartsNeverCutPassages(t *testing.T) {
	sentence := strings.Repeat("道", 500) + "。"
	text := strings.Repeat(sentence, 200)
	at := strings.Index(text[partSize-700:], "道") + partSize - 700
	long := passage{from: at, to: at + 3*400}
	ends := parts(text, []passage{long})
	from := 0
	for i, end := range ends {
		if end <= from || end < long.to && long.from < end {
			t.Errorf("part %d is from %d to %d, the passage from %d to %d", i, from, end, long.from, long.to)
		}
		from = end
	}
	if from != len(text) {
		t.Errorf("the parts end at %d of %d", from, len(text))
	}
	huge := passage{from: 10, to: partSize * 2}
	if ends := parts(text, []passage{huge}); ends[0] != 10 && ends[0] != huge.to {
		t.Errorf("a passage longer than a part is cut at %v", ends)
	}
}

func TestTermsInPlace(t *testing.T) {
	x := newTexts([]minutes.Term{{Term: "補助", Definition: "a"}, {Term: "補助率", Definition: "b"}, {Term: "PFI", Definition: "c"}})
	places := make([]template.HTML, 3)
	x.put(&places[0], "補助率<b> of a PFIs & PFI")
	x.put(&places[1], "補助と補助率")
	x.put(&places[2], "")
	for i, want := range []string{"b c", "a", ""} {
		var got []string
		for _, part := range strings.Split(string(places[i]), `role="tooltip"`)[1:] {
			_, rest, _ := strings.Cut(part, ">")
			definition, _, _ := strings.Cut(rest, "<")
			got = append(got, definition)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("text %d explains %v, want %s: %s", i, got, want, places[i])
		}
	}
	if !strings.Contains(string(places[0]), "&lt;b&gt; of a PFIs &amp; <span") {
		t.Errorf("%s", places[0])
	}
}

func TestOpening(t *testing.T) {
	for text, want := range map[string]string{
		"○鈴木委員長　これより会議を開きます。": "これより会議を開きます。",
		"":       "",
		"○ひとつづき": "○ひとつづき",
		"a\n b":  "a b",
	} {
		if got := opening(text); got != want {
			t.Errorf("%q opens with %q, want %q", text, got, want)
		}
	}
	if got := []rune(opening(strings.Repeat("道", 500))); len(got) != 61 {
		t.Errorf("%d characters", len(got))
	}
}

// A speech of 5 MB with a quote in every sentence.
func BenchmarkPassages(b *testing.B) {
	var text strings.Builder
	var quotes []string
	for i := range 50_000 {
		quote := fmt.Sprintf("第%d項は、自転車道の整備にかかわるものであります。", i)
		text.WriteString(quote)
		quotes = append(quotes, quote)
	}
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		found, _ := passages(1, text.String(), quotes)
		if ends := parts(text.String(), found); len(found) != len(quotes) || len(ends) < 40 {
			b.Fatalf("%d passages in %d parts", len(found), len(ends))
		}
	}
}
