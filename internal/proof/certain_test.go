package proof

import "testing"

// committee is a record with a head, as the Diet's have one.
func committee() *Record {
	return NewRecord("2026-04-16", "参議院法務委員会", []Passage{
		{Order: 0, Text: "令和八年四月十六日（木曜日）\n　　　午前十時二分開会\n　　　政府参考人\n　　　　　　　法務省矯正局長　　　阿久根　豊君\n　　　本日の会議に付した案件\n○刑事施設の改築の促進に関する法律の一部を改正する法律案"},
		{Order: 1, Speaker: "宮前多恵", Text: "○委員長（宮前多恵君）　ただいまから法務委員会を開会いたします。刑事施設の改築の促進に関する法律の一部を改正する法律案を議題といたします。"},
		{Order: 2, Speaker: "足立川淳", Party: "共生民主・地域の会", Text: "○足立川淳君　老朽化した施設は全国に幾つありますか。昨年は一部の施設で断水が起きました。"},
		{Order: 3, Speaker: "阿久根豊", Office: "政府参考人", Text: "○政府参考人（阿久根豊君）　三十一か所でございます。断水は二日間で復旧いたしました。"},
		{Order: 4, Speaker: "蓮沼透", Party: "改新の風", Text: "○蓮沼透君　改築の費用は何年で賄うのですか。契約の上で公表の定めがなかったことは反省すべき点です。"},
		{Order: 5, Speaker: "宮前多恵", Text: "○委員長（宮前多恵君）　本案に賛成の方の挙手を願います。\n　　　〔賛成者挙手〕"},
		{Order: 6, Speaker: "宮前多恵", Text: "○委員長（宮前多恵君）　多数と認めます。よって、本案は多数をもって可決すべきものと決定いたしました。\n　　　　─────────────\n　　　〔休憩後は会議を開くに至らなかった〕"},
	})
}

// What the rules only guess is not found; a contradiction needs the same thing with another value.
func TestContradictionIsCertain(t *testing.T) {
	tests := []struct {
		record *Record
		orders []int
		text   string
		want   Verdict
	}{
		// The same thing, another value.
		{committee(), []int{3}, "断水は五日間で復旧した。", Contradicted},
		{committee(), []int{6}, "本案は多数をもって否決すべきものと決定した。", Contradicted},
		{committee(), []int{3}, "阿久根氏は「断水は三日間で復旧いたしました」と述べた。", Contradicted},
		{meeting(), []int{3}, "水野国交相は、直ちに義務づけることは考えていないと述べた。", Contradicted},
		{hansard(), []int{2}, "Spending rose by 7 per cent to £3.2 million.", Contradicted},
		// Another figure, day, office or title that the passage may have nothing to do with.
		{committee(), []int{3}, "足立川氏の質問に、復旧には5年かかると答えた。", NotFound},
		{committee(), []int{3}, "政府参考人は、昨年12月の断水について答えた。", NotFound},
		{committee(), []int{3}, "阿久根氏（会計課長）は、断水は二日間で復旧したと述べた。", NotFound},
		{committee(), []int{3}, "「水の安全保障」を巡り、断水は二日間で復旧したと説明した。", NotFound},
		{hansard(), []int{2}, "The education secretary Ruth Calder said spending rose by 4 per cent.", NotFound},
		{hansard(), []int{2}, "Ms Calder said the pilot would take 12 weeks.", NotFound},
		// What the head, the agenda and the list of those present tell.
		{committee(), []int{1}, "午前十時二分に開会した。", Supported},
		{committee(), []int{1}, "午前十一時二分に開会した。", NotFound},
		{committee(), []int{3}, "阿久根豊氏（法務省矯正局長）が答えた。", Supported},
		{committee(), []int{2, 4}, "刑事施設の改築の促進に関する法律の一部を改正する法律案について2人が質問した。", Supported},
		{committee(), []int{2, 4}, "刑事施設の改築の促進に関する法律の一部を改正する法律案について5人が質問した。", NotFound},
		{committee(), []int{6}, "刑事施設の改築の促進に関する法律の一部を改正する法律案を挙手多数で可決すべきものと決定した。", Supported},
		{committee(), []int{6}, "委員会は「刑事施設の改築の促進に関する法律の一部を改正する法律案」を可決したほうがよいと決めた。", Supported},
		{committee(), []int{6}, "刑事施設の改築の促進に関する法律の一部を改正する法律案を採決した。", Supported},
		// What nobody said, which no passage can show.
		{committee(), []int{2}, "足立川氏は、老朽化した施設は全国に幾つあるかと質問しなかった。", NotFound},
		// A figure with a limit.
		{committee(), []int{3}, "断水は二十日に満たない期間で復旧した。", NotFound},
		// What stands there word for word.
		{committee(), []int{4}, "契約の上で公表の定めがなかったことは反省すべき点だ。", Supported},
	}
	for _, tt := range tests {
		claims := tt.record.Check(Sentence{Text: tt.text, Orders: tt.orders})
		if got := Overall(claims); got != tt.want {
			t.Errorf("%s: %s, want %s: %+v", tt.text, got, tt.want, unsupported(claims))
		}
	}
}
