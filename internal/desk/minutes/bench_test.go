package minutes

import (
	"fmt"
	"strings"
	"testing"

	"pressroom/internal/desk/minutes/diet"
	"pressroom/llm"
	"pressroom/llm/builtin"
)

// BenchmarkThousandSpeeches takes a meeting of 1,000 speeches from its record to its published
// article: read, told, held against the record, saved. It is to take less than 2 s, and 100 MB
// beside what the desk and its stores have before.
func BenchmarkThousandSpeeches(b *testing.B) {
	m := diet.Meeting{IssueID: "121905254X00120260512", ImageKind: "会議録", Session: 219, House: "衆議院", Name: "水産委員会", Issue: "第1号", Date: "2026-05-12"}
	say := func(speaker, group, position, role, text string) {
		m.Speeches = append(m.Speeches, diet.Speech{Order: len(m.Speeches), Speaker: speaker, Group: group, Position: position, Role: role, Text: text})
	}
	say("会議録情報", "", "", "", "本日の会議に付した案件\r\n　漁港の管理に関する件\r\n")
	say("風間洋子", "", "委員長", "", "○風間委員長　これより会議を開きます。\r\n　漁港の管理に関する件について調査を進めます。\r\n　質疑の申出がありますので、順次これを許します。北山冬子君。")
	for i := 0; len(m.Speeches) < 999; i++ {
		say("北山冬子", "自由の会", "", "", fmt.Sprintf("○北山委員　第%d漁港の照明の整備について、地元からは早く進めてほしいとの声が多く寄せられています。%s第%d漁港の工事の見通しを伺います。", i, strings.Repeat("漁業者の安全にかかわる問題であります。", 6), i))
		say("早川学", "", "水産庁長官", "政府参考人", fmt.Sprintf("○早川政府参考人　お答えいたします。第%d漁港の工事を令和%d年三月までに実施する方針でございます。%s", i, 9+i%5, strings.Repeat("関係者と協議を進めております。", 6)))
	}
	say("風間洋子", "", "委員長", "", "○風間委員長　本日は、これにて散会いたします。\r\n　　　　午後六時三分散会")
	m.Raw = rawOf(m)
	d := newExhibit(b, llm.Validated(builtin.New()), Options{Now: newClock().now})
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		m.IssueID = fmt.Sprintf("121905254X%03d20260512", i%1000)
		m.Raw = rawOf(m)
		var r CollectReport
		noErr(b, d.take(b.Context(), m, &r))
		if w := work(b, d); w.Completed != 1 {
			b.Fatalf("%+v", w)
		}
	}
}
