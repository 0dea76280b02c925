package minutes

import (
	"fmt"
	"strings"
	"testing"

	"pressroom/internal/desk/minutes/diet"
	"pressroom/llm"
	"pressroom/llm/builtin"
)

// debated is a long meeting with a vote at its end.
func debated(speeches int) diet.Meeting {
	m := sample(2, "2026-11-09", 2, 1)
	m.Name, m.House = "国土交通委員会", "衆議院"
	m.Speeches[0].Text = "令和八年十一月九日\n　　　　午前九時開議\n本日の会議に付した案件\n　自転車道整備法案（内閣提出第五号）\n　　　　　――――◇―――――\n"
	say := func(speaker, group, text string) {
		n := len(m.Speeches)
		m.Speeches = append(m.Speeches, diet.Speech{ID: fmt.Sprintf("%s_%03d", m.IssueID, n), Order: n, Speaker: speaker, Group: group, Text: text})
	}
	m.Speeches = m.Speeches[:1]
	say("川口昇", "", "○川口委員長　これより会議を開きます。\n　内閣提出、自転車道整備法案を議題といたします。\n　質疑の申出がありますので、順次これを許します。鈴木一郎君。")
	for len(m.Speeches) < speeches-2 {
		n := len(m.Speeches)
		say("鈴木一郎", "自転車の会", fmt.Sprintf("○鈴木（一）委員　第%d区間の自転車道の整備費はどのように確保するのか、大臣の見解を伺います。", n)+strings.Repeat("長い歴史があります。", 60))
		say("大野進", "", fmt.Sprintf("○大野国務大臣　第%d区間の自転車道の整備費につきましては、来年度予算で確保する方針であります。", n)+strings.Repeat("長い歴史があります。", 60))
	}
	say("川口昇", "", "○川口委員長　これにて質疑は終局いたしました。\n　これより採決に入ります。\n　本案に賛成の諸君の起立を求めます。\n　　　　〔賛成者起立〕")
	say("川口昇", "", "○川口委員長　起立多数。よって、本案は原案のとおり可決すべきものと決しました。\n　本日は、これにて散会いたします。\n　　　　午後五時散会")
	m.Raw = rawOf(m)
	return m
}

func TestToldByRule(t *testing.T) {
	t.Parallel()
	// The bounds are such that the provider itself could not answer.
	d := newDesk(t, llm.Validated(builtin.New()), Options{PromptTokens: 4000, OutputTokens: 200})
	m := debated(120)
	take(t, d, m)
	task, err := d.GetTask(t.Context(), m.IssueID)
	noErr(t, err)
	if len(task.Chunks) < 3 {
		t.Fatalf("%d chunks", len(task.Chunks))
	}
	if r := work(t, d); r.Completed != 1 {
		t.Fatalf("%+v", r)
	}
	full, err := d.GetFull(t.Context(), m.IssueID)
	noErr(t, err)
	if want := "自転車道整備法案を可決すべきものと決定　起立多数"; full.Title != want {
		t.Errorf("title %q, want %q", full.Title, want)
	}
	if want := "自転車道整備法案を起立多数で可決すべきものと決定した。"; !strings.HasPrefix(full.Asset.Summary.Summary, want) {
		t.Errorf("summary %q", full.Asset.Summary.Summary)
	}
	if by := full.Asset.GeneratedBy; by.Model != TellerModel || !by.Extractive || by.Calls != 0 {
		t.Errorf("by %+v", by)
	}
	if len(full.Asset.Dialogs) != len(m.Speeches) || len(full.Asset.Dialogs[3].Sections) != 1 || len(full.Asset.Dialogs[1].Sections) != 0 {
		t.Errorf("%d dialogs, %+v, %+v", len(full.Asset.Dialogs), full.Asset.Dialogs[3].Sections, full.Asset.Dialogs[1].Sections)
	}
	noErr(t, d.Check(t.Context(), func(where, what string) { t.Errorf("check: %s: %s", where, what) }))
}

func TestToldStandsUpToTheRecord(t *testing.T) {
	t.Parallel()
	for _, m := range []diet.Meeting{debated(40), sample(1, "2026-11-02", 12, 6), {House: "衆議院", Name: "本会議"}} {
		rec := newRecord(m.Speeches)
		result := told(Meeting{House: m.House, Name: m.Name, Date: m.Date}, rec.speeches)
		if found := rec.check(&result); len(found) > 0 {
			t.Errorf("%s: %v", m.IssueID, found)
		}
	}
}
