package text_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"pressroom/internal/search/text"
)

func TestAnalyse(t *testing.T) {
	got, err := text.Analyse("水野大臣が行えば、")
	if err != nil {
		t.Fatal(err)
	}
	want := []text.Word{
		{Text: "水野", Base: "水野", Class: "名詞", Sub: "固有名詞", Kind: "人名", Start: 0, End: 2},
		{Text: "大臣", Base: "大臣", Class: "名詞", Sub: "一般", Kind: "*", Start: 2, End: 4},
		{Text: "が", Base: "が", Class: "助詞", Sub: "格助詞", Kind: "一般", Start: 4, End: 5},
		{Text: "行え", Base: "行う", Class: "動詞", Sub: "自立", Kind: "*", Start: 5, End: 7},
		{Text: "ば", Base: "ば", Class: "助詞", Sub: "接続助詞", Kind: "*", Start: 7, End: 8},
		{Text: "、", Base: "、", Class: "記号", Sub: "読点", Kind: "*", Start: 8, End: 9},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
