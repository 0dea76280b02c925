package council

import (
	"os"
	"strings"
	"testing"

	"pressroom/internal/desk/minutes/assembly"
	"pressroom/internal/desk/minutes/assembly/assemblytest"
)

// selected is the format of the page whose parts have classes.
var selected = Format{Selectors: Selectors{
	Record: "#log", Body: "h1", Date: ".when", Item: ".topic", Speech: ".talk", Speaker: ".who", Text: ".body", Note: ".stage, .aside", Drop: ".ad",
}}

func TestGolden(t *testing.T) {
	for name, f := range map[string]Format{"marks": {}, "selected": selected} {
		t.Run(name, func(t *testing.T) { assemblytest.GoldenOf(t, f, name) })
	}
}

func FuzzPage(f *testing.F)     { assemblytest.Fuzz(f, Format{}, "x.html") }
func FuzzSelected(f *testing.F) { assemblytest.Fuzz(f, selected, "x.html") }

func TestDay(t *testing.T) {
	for text, want := range map[string]string{
		"令和８年３月２日": "2026-03-02", "令和元年十二月三十一日": "2019-12-31", "平成二十三年三月十一日": "2011-03-11", "昭和22年5月20日": "1947-05-20",
		"二〇二六年三月二日": "2026-03-02", "2026/3/2 (Mon)": "2026-03-02", "Minutes of 2026-03-02": "2026-03-02", "令和8年13月2日": "", "": "", "三月二日": "",
	} {
		if got := Day(text); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func read(f Format, page string) (*assembly.Meeting, error) {
	for m, err := range f.Meetings(assembly.NewFile("2026-03-02.html", strings.NewReader(page))) {
		return m, err
	}
	return nil, nil
}

func TestFaults(t *testing.T) {
	for _, tt := range []struct {
		name string
		f    Format
		page string
		want string
	}{
		{"a selector that is none", Format{Selectors: Selectors{Speech: "div["}}, "<p>x", "2026-03-02.html: selector speech: "},
		{"an unknown mark", Format{Mark: "star"}, "<p>x", `2026-03-02.html: selector mark: "star" is not circle, bracket, bold or label`},
		{"no record", Format{Selectors: Selectors{Record: "#log"}}, "<p>x", `2026-03-02.html: nothing on the page matches the selector of the record, "#log"`},
		{"too long", Format{}, strings.Repeat("x", MaxPage+1), "2026-03-02.html: the page has more than 16 MB"},
		{"too deep", Format{}, strings.Repeat("<div>", 100_000), "2026-03-02.html: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if m, err := read(tt.f, tt.page); err == nil || m != nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("%v, %v; want %s", m, err, tt.want)
			}
		})
	}
}

// Every character of the record is somewhere in the result, but for the marks.
func TestNothingLost(t *testing.T) {
	page, err := os.ReadFile("testdata/marks/bracket.html")
	if err != nil {
		t.Fatal(err)
	}
	m, err := read(Format{}, string(page))
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, p := range m.Parts {
		switch {
		case p.Speech != nil:
			all.WriteString(p.Speech.Text())
			for _, n := range p.Speech.Notes {
				all.WriteString(n.Text)
			}
		case p.Note != nil:
			all.WriteString(p.Note.Text)
		}
	}
	for _, words := range []string{"開会します。", "それでは質問を許します。", "道路について二点伺います。", "参考", "お答えします。"} {
		if !strings.Contains(all.String(), words) {
			t.Errorf("%s is lost in %s", words, all.String())
		}
	}
}

// The ways in which councils write who speaks.
func TestMarks(t *testing.T) {
	for _, tt := range []struct{ mark, line, name, office string }{
		{"", "○議長（海野太郎君）　はい。", "海野太郎", "議長"},
		{"", "〇議長(海野 太郎君) はい。", "海野太郎", "議長"},
		{"", "◯議長（海野太郎議員）　はい。", "海野太郎", "議長"},
		{"", "○（海野太郎議長）　はい。", "海野太郎", "議長"},
		{"", "○（北野　実議員）　はい。", "北野実", "議員"},
		{"", "○海野太郎議長　はい。", "海野太郎", "議長"},
		{"", "◎丘本一郎市長　はい。", "丘本一郎", "市長"},
		{"", "◆２７番（谷口花議員）　はい。", "谷口花", "２７番"},
		{"", "◎総務部長（森下次郎君）　はい。", "森下次郎", "総務部長"},
		{"", "○上下水道事業管理者（丘　猛君）　はい。", "丘猛", "上下水道事業管理者"},
		{"", "【谷口議員】はい。", "谷口", "議員"},
		{"", "【議長（海野太郎君）】　はい。", "海野太郎", "議長"},
		{"circle", "○海野太郎　はい。", "海野太郎", ""},
		{"label", "町長（森下　次郎）　はい。", "森下次郎", "町長"},
		{"", "○出席議員（二十六人）", "", ""},
		{"", "○本日の会議に付した事件", "", ""},
		{"", "【参考】はい。", "", ""},
		{"", "町長（当時）　はい。", "", ""},
		{"bracket", "○議長（海野太郎君）　はい。", "", ""},
	} {
		m, err := read(Format{Mark: tt.mark}, "<body><p>"+tt.line+"</p></body>")
		if err != nil {
			t.Fatal(err)
		}
		var name, office string
		for _, s := range m.Speeches() {
			name, office = s.Name, s.Office
			if s.Text() != "はい。" {
				t.Errorf("%s: says %q", tt.line, s.Text())
			}
		}
		if name != tt.name || office != tt.office {
			t.Errorf("%s: %q, %q", tt.line, name, office)
		}
	}
}
