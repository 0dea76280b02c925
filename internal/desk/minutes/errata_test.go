package minutes

import (
	"fmt"
	"strings"
	"testing"

	"pressroom/internal/desk/minutes/diet"
	"pressroom/llm"
	"pressroom/llm/builtin"
)

// fishing is a meeting of a committee whose record has a number; more stands behind its end.
func fishing(n int, date, kind, more string) diet.Meeting {
	m := diet.Meeting{
		IssueID: fmt.Sprintf("121905254X%03d%s", n, strings.ReplaceAll(date, "-", "")), ImageKind: kind, Session: 219, House: "衆議院", Name: "水産委員会",
		Issue: fmt.Sprintf("第%d号", n), Date: date,
		Speeches: []diet.Speech{
			{Order: 0, Speaker: "会議録情報", Text: "本日の会議に付した案件\r\n　漁港の管理に関する件\r\n"},
			{Order: 1, Speaker: "風間洋子", Position: "委員長", Text: "○風間委員長　これより会議を開きます。\r\n　漁港の管理に関する件について調査を進めます。\r\n　質疑の申出がありますので、これを許します。北山冬子君。"},
			{Order: 2, Speaker: "北山冬子", Group: "自由の会", Text: "○北山委員　大浜港の工事の見通しを伺います。"},
			{Order: 3, Speaker: "早川学", Position: "水産庁長官", Role: "政府参考人", Text: "○早川政府参考人　大浜港の工事を来年三月までに実施する方針でございます。"},
			{Order: 4, Speaker: "風間洋子", Position: "委員長", Text: "○風間委員長　本日は、これにて散会いたします。\r\n　　　　午後零時三分散会\r\n" + more},
		},
	}
	m.Raw = rawOf(m)
	return m
}

func toldIn(f Full) string {
	text := f.Title + f.Description + f.Asset.Summary.Summary + strings.Join(f.Asset.KeyPoints, "")
	for _, c := range f.Asset.MiddleSummary {
		text += c.Summary
	}
	for _, d := range f.Asset.Dialogs {
		for _, s := range d.Sections {
			for _, b := range s.Bullets {
				text += b.Point + b.Quote
			}
		}
	}
	return text
}

const misprint = "　　　　水産委員会議録第三号中正誤\r\nページ　段　行　誤　正\r\n三　二　一四　大浜港　小浜港\r\n"

// A table of misprints in a later record, or in a supplement, corrects the article of the record
// that it names: in the open, once, and for good.
func TestErrataCorrectAnotherArticle(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"会議録", "追録"} {
		clock := newClock()
		d := newDesk(t, llm.Validated(builtin.New()), Options{Now: clock.now})
		third, fourth := fishing(3, "2026-05-12", "会議録", ""), fishing(4, "2026-05-14", "会議録", "")
		take(t, d, third, fourth)
		work(t, d)
		if full, err := d.GetFull(t.Context(), third.IssueID); err != nil || !strings.Contains(toldIn(full), "大浜港") {
			t.Fatalf("%v: %s", err, toldIn(full))
		}
		for range 2 { // once, however often it is read
			r := take(t, d, fishing(5, "2026-05-19", kind, misprint))
			if got := r.Supplements == 1; got != (kind == "追録") {
				t.Errorf("%s: %+v", kind, r)
			}
			work(t, d)
		}
		check := func() {
			t.Helper()
			full, err := d.GetFull(t.Context(), third.IssueID)
			noErr(t, err)
			c := full.Asset.Corrections
			if len(c) != 1 || c[0].Wrong != "大浜港" || c[0].Right != "小浜港" || c[0].By != "121905254X00520260519" || c[0].Item != "水産委員会第5号" || c[0].At == "" {
				t.Errorf("%s: corrections %+v", kind, c)
			}
			if strings.Contains(toldIn(full), "大浜港") {
				t.Errorf("%s: the misprint is told: %s", kind, toldIn(full))
			}
			if d := full.Asset.Dialogs; !strings.Contains(d[len(d)-2].OriginalText, "大浜港") {
				t.Errorf("%s: the record itself was changed", kind)
			}
		}
		check()
		third.URL = "https://kokkai.example/3" // a later version of the record, with the same misprint
		third.Raw = rawOf(third)
		take(t, d, third)
		work(t, d)
		check()
		if other, err := d.GetFull(t.Context(), fourth.IssueID); err != nil || len(other.Asset.Corrections) > 0 {
			t.Errorf("%s: another record was corrected: %v %+v", kind, err, other.Asset.Corrections)
		}
		_, err := d.GetFull(t.Context(), "121905254X00520260519")
		if (err == nil) != (kind == "会議録") {
			t.Errorf("%s: its own article: %v", kind, err)
		}
	}
}

// It does not matter which of the two records is told first.
func TestErrataReadFirst(t *testing.T) {
	t.Parallel()
	d := newDesk(t, llm.Validated(builtin.New()), Options{Now: newClock().now})
	take(t, d, fishing(5, "2026-05-19", "会議録", misprint))
	work(t, d)
	third, second := fishing(3, "2026-05-12", "会議録", ""), fishing(2, "2026-05-08", "会議録", "")
	take(t, d, third, second)
	work(t, d)
	full, err := d.GetFull(t.Context(), third.IssueID)
	noErr(t, err)
	if c := full.Asset.Corrections; len(c) != 1 || c[0].By != "121905254X00520260519" || strings.Contains(toldIn(full), "大浜港") {
		t.Errorf("%+v: %s", c, toldIn(full))
	}
	if other, err := d.GetFull(t.Context(), second.IssueID); err != nil || len(other.Asset.Corrections) > 0 {
		t.Errorf("another record was corrected: %v %+v", err, other.Asset.Corrections)
	}
}

// A misprint of one sign or of a number is noted; what else has it is not its.
func TestErrataOfASign(t *testing.T) {
	t.Parallel()
	for _, wrong := range []string{"三", "港", "三月", "一二、三四五"} {
		f := Full{Article: Article{Title: "三月に港を一二、三四五", Description: "三月の港"}}
		f.Asset.Corrections = []Correction{{Wrong: wrong, Right: "四"}}
		f.Asset.KeyPoints = []string{"三月に港"}
		if f.correct(); f.Title != "三月に港を一二、三四五" || f.Description != "三月の港" || len(f.Asset.KeyPoints) != 1 {
			t.Errorf("%s: %q %q %q", wrong, f.Title, f.Description, f.Asset.KeyPoints)
		}
	}
}

// What is not the record of a meeting makes neither an article nor a task.
func TestSupplementsAreNoMeetings(t *testing.T) {
	t.Parallel()
	d := newDesk(t, llm.Validated(builtin.New()), Options{Now: newClock().now})
	for i, kind := range []string{"目次", "索引", "附録", "追録"} {
		if r := take(t, d, fishing(i+1, "2026-05-12", kind, "")); r.Supplements != 1 || r.New != 0 {
			t.Errorf("%s: %+v", kind, r)
		}
	}
	if r := work(t, d); r.Completed != 0 {
		t.Errorf("%+v", r)
	}
	// A supplement under the id of its record leaves the record alone.
	m := fishing(3, "2026-05-12", "会議録", "")
	take(t, d, m)
	take(t, d, fishing(3, "2026-05-12", "追録", ""))
	if r := work(t, d); r.Completed != 1 {
		t.Errorf("%+v", r)
	}
	if full, err := d.GetFull(t.Context(), m.IssueID); err != nil || full.ImageKind != "会議録" {
		t.Errorf("%v %s", err, full.ImageKind)
	}
}
