package proceedings

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// corrected is a committee's meeting whose last speeches are given.
func corrected(more ...Speech) *Proceedings {
	m := Meeting{House: "衆議院", Name: "水産委員会", Date: "2026-05-12", Speeches: []Speech{
		{Order: 0, Speaker: "会議録情報", Text: "本日の会議に付した案件\r\n　漁港照明法案（内閣提出第三号）\r\n　干潟保全法案（内閣提出第四号）\r\n　　　　　――――◇―――――"},
		{Order: 1, Speaker: "風間洋子", Position: "委員長", Text: "○風間委員長　これより会議を開きます。\r\n　漁港照明法案及び干潟保全法案の両案を一括して議題といたします。\r\n　これより質疑に入ります。北山冬子君。"},
		{Order: 2, Speaker: "北山冬子", Group: "自由の会", Text: "○北山委員　漁港の照明は全国に何基ありますか。数を伺います。"},
		{Order: 3, Speaker: "早川学", Position: "水産庁長官", Role: "政府参考人", Text: "○早川政府参考人　漁港の照明は全国に三千二百基を確保しております。\r\n　維持の費用は国が負担する方針でございます。"},
		{Order: 4, Speaker: "風間洋子", Position: "委員長", Text: "○風間委員長　これにて両案に対する質疑は終局いたしました。\r\n　これより採決に入ります。\r\n　まず、漁港照明法案について採決いたします。\r\n　本案に賛成の諸君の起立を求めます。\r\n　　　　〔賛成者起立〕"},
		{Order: 5, Speaker: "風間洋子", Position: "委員長", Text: "○風間委員長　起立多数。よって、本案は原案のとおり可決すべきものと決しました。\r\n　次に、干潟保全法案について採決いたします。\r\n　本案に賛成の諸君の起立を求めます。\r\n　　　　〔賛成者起立〕"},
		{Order: 6, Speaker: "風間洋子", Position: "委員長", Text: "○風間委員長　起立多数。よって、本案は原案のとおり可決すべきものと決しました。"},
	}}
	m.Speeches = append(m.Speeches, more...)
	return Read(m, nil)
}

func all(t Told) string {
	text := t.Title + t.Description + strings.Join(t.KeyPoints, "") + t.Summary.Text
	for _, c := range t.Course {
		text += c.Text
	}
	for _, s := range t.Speeches {
		for _, p := range s.Points {
			text += p.Quote
		}
	}
	return text
}

// What a record sets right is not told in its wrong form.
func TestCorrectedFigure(t *testing.T) {
	t.Parallel()
	if told := all(corrected().Tell()); !strings.Contains(told, "三千二百基") {
		t.Fatalf("the figure is not told at all: %s", told)
	}
	p := corrected(Speech{Order: 7, Speaker: "早川学", Position: "水産庁長官", Role: "政府参考人", Text: "○早川政府参考人　先ほど「三千二百基」と申し上げましたが、「二千三百基」の誤りでございました。訂正させていただきます。"})
	want := []Correction{{Wrong: "三千二百基", Right: "二千三百基"}}
	if diff := cmp.Diff(want, p.Corrections, cmpopts.IgnoreFields(Correction{}, "Passage")); diff != "" {
		t.Error(diff)
	}
	told := all(p.Tell())
	if !strings.Contains(told, "早川学氏（水産庁長官）が「三千二百基」を「二千三百基」に訂正した。") || strings.Contains(told, "三千二百基を確保") {
		t.Errorf("told: %s", told)
	}
}

// What a speaker takes back is not quoted, and that it was taken back is told.
func TestRetraction(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		said  string
		words string
		told  bool
	}{
		"with words":    {"先ほどの「全国に三千二百基」との発言は取り消させていただきます。", "全国に三千二百基", true},
		"without words": {"先ほどの私の発言を取り消します。", "", true},
		"asked for":     {"先ほどの発言を取り消していただけますか。", "", false},
		"of a motion":   {"提出者の発言により、この動議を撤回いたします。", "", false},
		"demanded":      {"その発言は撤回すべきであります。", "", false},
	} {
		p := corrected(Speech{Order: 7, Speaker: "早川学", Position: "水産庁長官", Role: "政府参考人", Text: "○早川政府参考人　" + c.said})
		if got := len(p.Retractions) == 1; got != c.told || got && p.Retractions[0].Words != c.words {
			t.Errorf("%s: %+v", name, p.Retractions)
		}
		told := all(p.Tell())
		if strings.Contains(told, "取り消した。") != c.told || strings.Contains(told, "三千二百基を確保") == c.told {
			t.Errorf("%s: %s", name, told)
		}
	}
}

// A chair that sets the result of a vote right changes that vote; if it may be one of two, or
// contradicts what was declared, nothing is told of it.
func TestCorrectedVote(t *testing.T) {
	t.Parallel()
	chair := func(text string) Speech {
		return Speech{Order: 7, Speaker: "風間洋子", Position: "委員長", Text: "○風間委員長　" + text}
	}
	results := func(p *Proceedings) (out []string) {
		for _, it := range p.Items {
			r := string(it.Outcome)
			if it.Vote != nil {
				r += " " + it.Vote.Result
			}
			out = append(out, r)
		}
		return out
	}
	for name, c := range map[string]struct {
		said string
		want []string
	}{
		"one by name":   {"先ほどの漁港照明法案の採決について、起立多数と申し上げましたが、起立総員の誤りでございます。訂正いたします。", []string{"passed unanimous", "passed majority"}},
		"one of two":    {"先ほど起立多数と申し上げましたが、起立総員の誤りでございます。訂正いたします。", []string{"", ""}},
		"other outcome": {"先ほどの漁港照明法案の採決について、起立多数と申し上げましたが、起立少数の誤りでございます。訂正いたします。", []string{"", "passed majority"}},
		"of a figure":   {"先ほど出席者を二十人と申し上げましたが、二十一人の誤りでございます。訂正いたします。", []string{"passed majority", "passed majority"}},
	} {
		if diff := cmp.Diff(c.want, results(corrected(chair(c.said)))); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// A table of misprints is nobody's speech, and says which record it corrects.
func TestErrata(t *testing.T) {
	t.Parallel()
	end := "○風間委員長　本日は、これにて散会いたします。\r\n　　　　午後零時三分散会\r\n"
	for name, c := range map[string]struct {
		table string
		want  []Correction
	}{
		"own":         {"　　　　正　　　誤\r\nページ　段　行　誤　正\r\n三　二　一四　三千二百基　二千三百基\r\n", []Correction{{Wrong: "三千二百基", Right: "二千三百基", Printed: true}}},
		"of another":  {"　　　　水産委員会議録第三号中正誤\r\nページ　段　行　誤　正\r\n三　二　一四　大浜港　小浜港\r\n", []Correction{{Wrong: "大浜港", Right: "小浜港", Printed: true, Of: "第三号"}}},
		"of two":      {"　　　　正誤\r\n第三号中\r\n頁　段　行　誤　正\r\n三　二　末　大浜港　小浜港\r\n第四号中\r\n一　一　二　干瀉　干潟\r\n", []Correction{{Wrong: "大浜港", Right: "小浜港", Printed: true, Of: "第三号"}, {Wrong: "干瀉", Right: "干潟", Printed: true, Of: "第四号"}}},
		"no columns":  {"　　　　第三号中正誤\r\n大浜港は小浜港の誤りにつき訂正する\r\n", nil},
		"a ditto":     {"　　　　第三号中正誤\r\n三　二　一四　〃　小浜港\r\n", nil},
		"many fields": {"　　　　第三号中正誤\r\n三　二　一四　大　浜　港　小　浜　港\r\n", nil},
	} {
		p := corrected(Speech{Order: 7, Speaker: "風間洋子", Position: "委員長", Text: end + c.table})
		if diff := cmp.Diff(c.want, p.Corrections, cmpopts.IgnoreFields(Correction{}, "Passage")); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		told := all(p.Tell())
		if strings.Contains(told, "風間洋子氏が「") {
			t.Errorf("%s: the chair is said to have corrected a misprint: %s", name, told)
		}
		if name == "own" && strings.Contains(told, "三千二百基を確保") {
			t.Errorf("a misprint is told: %s", told)
		}
	}
}

// A chair that corrects the record of another meeting says nothing of this one.
func TestCorrectionOfAnotherRecord(t *testing.T) {
	t.Parallel()
	p := corrected(Speech{Order: 7, Speaker: "風間洋子", Position: "委員長", Text: "○風間委員長　会議録第三号中、「起立多数」とあるのは「起立総員」の誤りにつき、訂正いたします。"})
	want := []Correction{{Wrong: "起立多数", Right: "起立総員", Of: "第三号"}}
	if diff := cmp.Diff(want, p.Corrections, cmpopts.IgnoreFields(Correction{}, "Passage")); diff != "" {
		t.Error(diff)
	}
	if p.Items[0].Vote == nil || p.Items[0].Vote.Result != "majority" {
		t.Errorf("this meeting's vote became %+v", p.Items[0].Vote)
	}
}
