package minutesweb_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"pressroom/internal/desk/minutes/diet"
	"pressroom/internal/desk/minutes/score"
	"pressroom/internal/web/webtest"
	"pressroom/llm/builtin"
)

// golden are records of the gold set, as if of these days.
func golden(t *testing.T, names ...string) []diet.Meeting {
	t.Helper()
	cases, err := score.Load("../proceedings/testdata/gold")
	check(t, err)
	var out []diet.Meeting
	for _, c := range cases {
		if slices.Contains(names, c.Name) {
			m := c.Record
			m.Date = fmt.Sprintf("2026-11-%02d", len(out)+2)
			out = append(out, m)
		}
	}
	if len(out) != len(names) {
		t.Fatalf("%d of %d records", len(out), len(names))
	}
	return out
}

// The outcome and the vote stand first, as a chart that says its numbers; no sentence stands
// on the page twice; procedure is folded.
func TestOutcomes(t *testing.T) {
	m := golden(t, "san-plenary-buttons")[0]
	p := open(t, builtin.New(), m)
	for lang, want := range map[string][3]string{"ja": {"賛成204、反対25", "可決", "いまの段階："}, "en": {"204 for, 25 against", "Passed", "Where it stands:"}} {
		r := p.get("/minutes/articles/" + m.IssueID + "?lang=" + lang).Want(200)
		first := r.Doc.Find(".minutes-body > *").First()
		if first.Find("#outcomes").Length() != 1 || first.Find(".vote svg[role=img]").AttrOr("aria-label", "") != want[0] || !strings.Contains(first.Text(), want[1]) {
			t.Errorf("%s: the page begins with %s", lang, first.Text())
		}
		bill := first.Find("li a").First()
		issue := p.get(bill.AttrOr("href", "") + "?lang=" + lang).Want(200)
		if got := issue.Text(".stands"); !strings.Contains(got, want[2]) || !strings.Contains(got, want[1]) {
			t.Errorf("%s: the timeline says %q", lang, got)
		}
		if issue.Count(".minutes-timeline .vote svg") != 1 {
			t.Errorf("%s: the timeline has no vote", lang)
		}
		if r.Count("details.procedure .speech.bare") < 2 || r.Count("details.procedure[open]") != 0 {
			t.Errorf("%s: procedure is not folded", lang)
		}
	}
	r := p.get("/minutes/articles/" + m.IssueID + "?lang=ja")
	seen := map[string]bool{}
	r.Doc.Find(".record").Remove() // the record itself is behind each statement
	r.Doc.Find(".minutes-body .telling, .minutes-body blockquote").Each(func(_ int, one *goquery.Selection) {
		one.Find(".cites, .quote.bare, dfn").Remove()
		for _, s := range strings.SplitAfter(strings.TrimSpace(one.Text()), "。") {
			if s = strings.Join(strings.Fields(s), ""); len(s) > 30 && seen[s] {
				t.Errorf("%q stands on the page twice", s)
			}
			seen[s] = true
		}
	})
}

// A later version of a record corrects the article in the open, and once.
func TestCorrected(t *testing.T) {
	m := golden(t, "san-plenary-buttons")[0]
	list := []diet.Meeting{m}
	p := open(t, builtin.New(), list...)
	if r := p.get("/minutes/articles/" + m.IssueID); r.Count(".corrected") != 0 {
		t.Errorf("nothing was corrected: %s", r.Text(".corrected"))
	}
	m.Speeches = slices.Clone(m.Speeches)
	for i := range m.Speeches {
		m.Speeches[i].Text = strings.Replace(m.Speeches[i].Text, "二百四", "二百三", 1)
		m.Speeches[i].Text = strings.Replace(m.Speeches[i].Text, "二十五", "二十六", 1)
	}
	p.replace(m)
	r := p.get("/minutes/articles/" + m.IssueID + "?lang=ja").Want(200)
	if got := r.Text(".corrected"); r.Count(".corrected li") != 1 || !strings.Contains(got, "賛成204、反対25") || !strings.Contains(got, "賛成203、反対26") {
		t.Errorf("corrected: %s", got)
	}
	p.replace(m)
	if r := p.get("/minutes/articles/" + m.IssueID); r.Count(".corrected li") != 1 {
		t.Errorf("looked at again: %s", r.Text(".corrected"))
	}
}

// A misprint that another record lists is shown on the article of the record that it names.
func TestErrataShown(t *testing.T) {
	m := golden(t, "san-plenary-buttons")[0]
	m.IssueID, m.Issue = "121715254X00320260520", "第三号"
	other := m
	other.IssueID, other.Issue = "121715254X00520260527", "第五号"
	other.Speeches = slices.Clone(m.Speeches)
	last := &other.Speeches[len(other.Speeches)-1]
	last.Text += "\r\n　　　　第三号中正誤\r\nページ　段　行　誤　正\r\n二　一　五　司書教論　司書教諭\r\n"
	p := open(t, builtin.New(), m, other)
	for lang, want := range map[string]string{"ja": "本会議第5号の正誤: 司書教論 司書教諭", "en": "errata in 本会議第5号: 司書教論 司書教諭"} {
		r := p.get("/minutes/articles/" + m.IssueID + "?lang=" + lang).Want(200)
		if got := r.Text(".corrected li"); r.Count(".corrected li") != 1 || !strings.Contains(got, want) {
			t.Errorf("%s: %s", lang, got)
		}
	}
	if r := p.get("/minutes/articles/" + other.IssueID); r.Count(".corrected li") != 0 {
		t.Errorf("the record that lists it: %s", r.Text(".corrected"))
	}
}

// screens is how many windows a reader scrolls before the speeches.
const screens = 3

// However long a meeting was, its speeches begin within three screens, on a phone too.
func TestBrowserScreens(t *testing.T) {
	list := golden(t, "san-plenary-buttons", "shu-budget-long", "shu-committee-amend")
	p := open(t, builtin.New(), list...)
	b := webtest.OpenBrowser(t, p.Site)
	for _, size := range []struct {
		name, lang string
		set        func()
	}{{"desk", "en", b.Desktop}, {"phone", "ja", b.Phone}} { // the language that takes more room on the smaller one
		size.set()
		for i := range list {
			b.Go("/minutes/articles/" + list[i].IssueID + "?lang=" + size.lang)
			before := webtest.Eval[float64](b, "(document.querySelector('#dialog').getBoundingClientRect().top + scrollY) / innerHeight")
			if before > screens {
				t.Errorf("%s, %s: %.2f screens before the speeches", list[i].IssueID, size.name, before)
			}
			t.Logf("%s, %s: %.2f screens before the speeches", list[i].IssueID, size.name, before)
		}
		b.Go("/minutes/articles/" + list[0].IssueID + "?lang=" + size.lang)
		b.Axe("told, " + size.name)
		b.Shot("minutes-told-" + size.name)
	}
}
