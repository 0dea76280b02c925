package minutes

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"pressroom/internal/story"
)

// An article's story carries the names of who spoke and of the bills, each with its page: the
// pages of two assemblies are two, also of people of one name.
func TestStoryNamesPeopleAndBills(t *testing.T) {
	a := Article{House: "衆議院", Participants: []Participant{{Name: "久遠寺 剛", Yomi: "くおんじつよし", Group: "市民の風", Position: "文部科学大臣"}, {Name: "波多野航"}}, Issues: []string{"図書館法案"}}
	for code, at := range map[string]string{"": "/minutes", "gb": "/assemblies/gb"} {
		a.Assembly = code
		want := []story.Name{
			{Kind: story.Person, Name: "久遠寺 剛", Path: at + "/people/%E4%B9%85%E9%81%A0%E5%AF%BA%20%E5%89%9B", Reading: "くおんじつよし", Offices: []string{"文部科学大臣"}, Note: "市民の風"},
			{Kind: story.Person, Name: "波多野航", Path: at + "/people/%E6%B3%A2%E5%A4%9A%E9%87%8E%E8%88%AA"},
			{Kind: story.Bill, Name: "図書館法案", Path: at + "/issues/%E5%9B%B3%E6%9B%B8%E9%A4%A8%E6%B3%95%E6%A1%88", Note: "衆議院"},
		}
		if diff := cmp.Diff(want, a.names()); diff != "" {
			t.Error(diff)
		}
	}
}
