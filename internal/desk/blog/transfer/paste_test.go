package transfer

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pressroom/internal/desk/blog"
)

// What word processors, pages and Markdown put on the clipboard becomes blocks.
func TestPasted(t *testing.T) {
	text := func(s string) blog.Block { return blog.Block{Type: blog.Text, Layout: blog.Full, Content: s} }
	for name, test := range map[string]struct {
		page, text string
		want       []blog.Block
	}{
		"Markdown": {"", "# Head\n\nWords.\n\n```go\nx := 1\n```\n\n> Said.\n\nEnd.", []blog.Block{
			text("# Head\n\nWords."), {Type: blog.Code, Layout: blog.Full, Content: "x := 1", Language: "go"}, {Type: blog.Quote, Layout: blog.Full, Content: "Said."}, text("End."),
		}},
		"a page": {`<meta charset="utf-8"><h2>Head</h2><p>Some <a href="https://example.org/">link</a>.</p><img src="https://example.org/a.png" alt="A"><ul><li>one</li><li>two</li></ul>`, "ignored", []blog.Block{
			text("## Head\n\nSome [link](https://example.org/)."), {Type: blog.Image, Layout: blog.Full, Content: "https://example.org/a.png", Alt: "A"}, text("- one\n- two"),
		}},
		"Google Docs": {`<meta charset="utf-8"><b style="font-weight:normal;" id="docs-internal-guid-1"><h1 dir="ltr"><span style="font-weight:400">Title</span></h1><p dir="ltr"><span style="font-weight:400">Plain and </span><span style="font-weight:700">bold</span><span style="font-style:italic"> slanted</span></p></b>`, "", []blog.Block{
			text("# Title\n\nPlain and **bold** *slanted*"),
		}},
		"Word": {`<html xmlns:o="urn:schemas-microsoft-com:office:office"><head><style>p.MsoNormal {margin:0}</style></head><body lang=EN-US><!--StartFragment--><p class=MsoTitle>Minutes<o:p></o:p></p><p class=MsoNormal>Who came:<o:p></o:p></p><p class=MsoListParagraphCxSpFirst style='mso-list:l0 level1 lfo1'><![if !supportLists]><span style='mso-list:Ignore'>·<span>&nbsp; </span></span><![endif]>Ann<o:p></o:p></p>
<p class=MsoListParagraphCxSpLast style='mso-list:l0 level1 lfo1'><span style='mso-list:Ignore'>·</span>Bo</p><p class=MsoNormal><img src="file:///C:/Users/a.png"></p><!--EndFragment--></body></html>`, "", []blog.Block{
			text("# Minutes\n\nWho came:\n\n- Ann\n- Bo"),
		}},
		"nothing": {"<p> </p>", "", nil},
	} {
		got := Pasted(test.page, test.text)
		if len(got) == 0 {
			got = nil
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// Hostile clipboards leave nothing that runs, and do not stop the desk.
func TestPastedHostile(t *testing.T) {
	for _, page := range []string{
		`<script>alert(1)</script><p onclick="alert(1)">words</p>`, `<img src="javascript:alert(1)"><p>words</p>`, `<img src="data:image/svg+xml,<svg onload=alert(1)>"><p>words</p>`,
		`<iframe src="javascript:alert(1)"></iframe><p>words</p>`, `<svg onload=alert(1)></svg><p>words</p>`, `<p><a href="javascript:alert(1)">words</a></p>`,
		`<form action="https://evil.example"><input name=p></form><p>words</p>`, strings.Repeat("<div>", 400) + "words",
		`<p class=MsoListParagraph><ul data-word=list></ul></p><p class=MsoListParagraph>words`,
	} {
		blocks := Pasted(page, "")
		c := blog.Content{Facts: blog.Facts{Title: "a", Summary: "b"}, Blocks: blocks}
		if err := c.Validate(); err != nil {
			t.Errorf("%.60s: %v", page, err)
		}
		if all := c.Text(); !strings.Contains(all, "words") || strings.Contains(all, "alert") {
			t.Errorf("%.60s is %q", page, all)
		}
	}
}

func FuzzPasted(f *testing.F) {
	f.Add(`<b style="font-weight:normal"><p class=MsoListParagraph>a</p></b>`, "")
	f.Add("", "```\ncode\n> quote")
	f.Fuzz(func(t *testing.T, page, text string) {
		c := blog.Content{Facts: blog.Facts{Title: "a", Summary: "b"}, Blocks: Pasted(page, text)}
		if err := c.Validate(); err != nil {
			t.Errorf("%q, %q: %v", page, text, err)
		}
	})
}
