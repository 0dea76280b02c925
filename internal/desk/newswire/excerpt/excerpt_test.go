package excerpt

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSplit(t *testing.T) {
	for text, want := range map[string][]string{
		"市は27日、計画を発表した。「驚いた。すぐ調べる」と市長は述べた。":                            {"市は27日、計画を発表した。", "「驚いた。すぐ調べる」と市長は述べた。"},
		"The fire, at 4 St. Bride’s Road, cost £4.8m. It was put out.": {"The fire, at 4 St. Bride’s Road, cost £4.8m.", "It was put out."},
		"“One. Two,” she said. “Three?” he asked. “Four.” All left.":   {"“One. Two,” she said.", "“Three?” he asked.", "“Four.”", "All left."},
		`Mr. J. Hall said "No. Never." and left. He is 40.`:            {`Mr. J. Hall said "No. Never." and left.`, "He is 40."},
		"増減は3.5％（前年は2.1％。速報値）だった。":                                     {"増減は3.5％（前年は2.1％。速報値）だった。"},
	} {
		if diff := cmp.Diff(want, split(text)); diff != "" {
			t.Errorf("%s\n%s", text, diff)
		}
	}
}

const ferry = `The county has bought two ferries for the crossing to Aldsey, which will carry 400 people each.

Half of it comes from the county’s fund. Ms Orla Finch said: “We waited. It was long.”

Photo: one of the ferries at the quay.

Tickets for Aldsey will cost £3.`

func TestMake(t *testing.T) {
	for _, c := range []struct {
		name, title, text string
		has, hasNot       []string
	}{
		{"a reference without what it means", "Tickets to Aldsey will cost £3", ferry, []string{"Tickets for Aldsey will cost £3."}, []string{"Half of it", "Photo", "It was long"}},
		{"figures of the headline", "新しい橋、総工費は48億円", "県は10日、新しい橋の計画を発表した。\n\n橋は長さ300メートルで、川の両岸の町を結ぶ道路の一部となる計画だという説明があった。\n\n県によると、総工費は48億円を見込む。\n\nこれに対し、町民は反対している。", []string{"県は10日、", "総工費は48億円"}, []string{"これに対し"}},
		{"the same twice", "Bridge closed", "The old bridge at Saltby was closed on Friday night.\n\nSaltby’s old bridge was closed on Friday night.\n\nThe county will inspect the old bridge at Saltby in May and in June.", []string{"The old bridge at Saltby was closed"}, []string{"Saltby’s old"}},
		{"nothing but a heading", "見出し", "関連記事\n\n短い行", nil, nil},
	} {
		got := Make(c.title, c.text).Text()
		for _, s := range c.has {
			if !strings.Contains(got, s) {
				t.Errorf("%s: %q is not in %q", c.name, s, got)
			}
		}
		for _, s := range c.hasNot {
			if strings.Contains(got, s) {
				t.Errorf("%s: %q is in %q", c.name, s, got)
			}
		}
	}
}

// A sentence that turns on another stands directly behind it, or not at all.
func TestReferences(t *testing.T) {
	known := words("Harbour wall to cost £4m")
	for _, s := range []string{
		"But the harbour wall stays.", "It will cost £4m to build the harbour wall.", "The council bought its wall in 1987 and never sold.",
		"“We waited for a very long time,” she said.", "Two have been on the market since 2023.", "Both walls were built by Thea Lind in 1951.",
	} {
		if !hangsEnglish(&sentence{text: s, opens: true}, known) {
			t.Errorf("%q stands alone", s)
		}
	}
	for _, s := range []string{"The harbour wall was built in 1951 by Thea Lind.", "Councillor Yusra Bell said she would vote for the wall in May."} {
		if hangsEnglish(&sentence{text: s, opens: true}, known) {
			t.Errorf("%q hangs", s)
		}
	}
	for _, s := range []string{"一方、市は計画を見直す方針を示している。", "同館は来年3月に閉まることが決まっている。", "来年3月に閉館することを決めたと説明している。", "佐久間さんは計画に反対する考えを示している。", "市はこれを受けて計画を見直す方針だ。"} {
		if !hangsJapanese(s, words("図書館の閉館を決定")) {
			t.Errorf("%q stands alone", s)
		}
	}
	if s := "若葉市教育委員会は5日、図書館の閉館を決めた。"; hangsJapanese(s, words("図書館の閉館を決定")) {
		t.Errorf("%q hangs", s)
	}
}

func TestKeywords(t *testing.T) {
	e := Make("Tolland Ferries buys two ships for Aldsey", "Tolland Ferries has bought two ships. Chief executive Mona Reyes said on Monday that Aldsey would see them in May. Mona Reyes joined in 2020.")
	for _, want := range []string{"Tolland Ferries", "Mona Reyes", "Aldsey"} {
		if !slices.Contains(e.Keywords, want) {
			t.Errorf("%q is not in %q", want, e.Keywords)
		}
	}
	if slices.Contains(e.Keywords, "Monday") {
		t.Errorf("%q", e.Keywords)
	}
	e = Make("若葉市立図書館、3月に閉館", "若葉市教育委員会は若葉市立図書館を3月に閉める。12ヘクタールの敷地は若葉市立図書館の跡地として残す。")
	if !slices.Contains(e.Keywords, "若葉市立図書館") || slices.Contains(e.Keywords, "クタール") {
		t.Errorf("%q", e.Keywords)
	}
}

func FuzzMake(f *testing.F) {
	f.Add("Title", ferry)
	f.Add("題", "「。」。！？\n\n“")
	f.Fuzz(func(t *testing.T, title, text string) {
		for _, s := range Make(title, text).Sentences {
			if !strings.Contains(text, s) {
				t.Errorf("%q is not in the text", s)
			}
		}
	})
}
