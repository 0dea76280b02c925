package minutes

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"pressroom/internal/desk/minutes/diet"
)

// An article says what its meeting did with each item, and so does the timeline of the item.
func TestProgress(t *testing.T) {
	speeches := []diet.Speech{
		{Order: 0, Speaker: header, Text: "本日の会議に付した案件\n○図書館連携法案（内閣提出）\n○港湾法案（内閣提出）"},
		{Order: 1, Speaker: "高瀬進", Text: "○議長（高瀬進君）　これより会議を開きます。図書館連携法案を議題といたします。本案の賛否について、投票ボタンをお押し願います。"},
		{Order: 2, Speaker: "高瀬進", Text: "○議長（高瀬進君）　投票の結果を報告いたします。投票総数二百二十九、賛成二百四、反対二十五。よって、本案は可決されました。"},
		{Order: 3, Speaker: "高瀬進", Text: "○議長（高瀬進君）　次に、港湾法案を議題といたします。提出者の趣旨説明を求めます。国土交通大臣百瀬陸君。"},
		{Order: 4, Speaker: "百瀬陸", Position: "国土交通大臣", Text: "○国務大臣（百瀬陸君）　港湾法案の趣旨を御説明いたします。港の記録を公開するものであります。"},
		{Order: 5, Speaker: "高瀬進", Text: "○議長（高瀬進君）　本日はこれにて散会いたします。　午前十時散会"},
	}
	m := Meeting{House: "参議院", Name: "本会議", Date: "2026-11-02"}
	a := Article{ID: "x", Date: m.Date, Issues: []string{"図書館連携法案", "港湾法案"}, Progress: newRecord(speeches).progress(m)}
	want := []Progress{
		{Item: "図書館連携法案", Kind: "bill", Stage: "voted", Outcome: "passed", Order: 2, Vote: &Vote{Method: "buttons", Result: "numbers", For: 204, Against: 25, Total: 229}},
		{Item: "港湾法案", Kind: "bill", Stage: "explained", Order: 3},
	}
	if diff := cmp.Diff(want, a.Progress); diff != "" {
		t.Error(diff)
	}
	for _, e := range a.entries() {
		got := a.thin(e).Progress
		switch {
		case e.Kind == ByIssue && e.label != a.ID && (got == nil || got.Item != e.label):
			t.Errorf("the timeline of %s says %+v", e.label, got)
		case (e.Kind != ByIssue || e.label == a.ID) && got != nil:
			t.Errorf("the list %s %s says %+v", e.Kind, e.label, got)
		}
	}
}
