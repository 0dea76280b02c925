package minutes

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What was said is compared with what is told: procedure and headings count on neither side, and
// a text that rests on several is told of each.
func TestShares(t *testing.T) {
	said := func(n int) string { return strings.Repeat("言 ", n) }
	point := func(n int) []Section {
		return []Section{{Bullets: []Bullet{{Point: strings.Repeat("点", n-1), Detail: "詳", Quote: "言わない"}}}}
	}
	a := Asset{
		Dialogs: []Dialog{
			{Order: 0, Speaker: Heading, OriginalText: said(1000)},
			{Order: 1, Speaker: "議長", OriginalText: said(500)},
			{Order: 2, Speaker: "甲", OriginalText: said(30), Sections: point(10)},
			{Order: 3, Speaker: "乙", Group: "緑", OriginalText: said(100)},
			{Order: 4, Speaker: "甲", Group: "赤", OriginalText: said(30), Sections: point(5)},
			{Order: 5, Speaker: "丙", OriginalText: said(10)},
		},
		Procedural:    []int{1},
		Summary:       Cited{BasedOnOrders: []int{2, 3, 1, 99}, Summary: "要 約です"}, // of two, four letters
		MiddleSummary: []Cited{{BasedOnOrders: []int{3}, Summary: "経過"}, {Summary: "だれの話でもない"}},
	}
	people := a.shares()
	if diff := cmp.Diff([]Share{{"乙", "緑", 100, 4}, {"甲", "赤", 60, 17}, {"丙", "", 10, 0}}, people); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]Share{{Name: "緑", Speech: 200, Text: 8}, {Name: "赤", Speech: 120, Text: 34}, {Speech: 20}}, GroupShares(append(people, people...))); diff != "" {
		t.Error(diff)
	}
	var crowd Asset
	for i := range 2000 {
		crowd.Dialogs = append(crowd.Dialogs, Dialog{Order: i, Speaker: fmt.Sprintf("%04d", i), OriginalText: said(i + 1)})
	}
	kept := crowd.shares()
	if size := len(asJSON(kept)); len(kept) < 500 || kept[0].Speech != 2000 || size > sharesMax {
		t.Errorf("%d shares in %d bytes are kept, the first is %+v", len(kept), size, kept[0])
	}
}
