package rights

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pressroom/internal/rights/robots"
)

func TestLicenceLinks(t *testing.T) {
	got := LicenceLinks([]string{
		`</l.xml>; rel="license"; type="application/rsl+xml", <https://creativecommons.org/licenses/by/4.0/>; rel=license`,
		`</style.css>; rel=preload; title="a, b", <https://paper.example/m.xml>; type=application/rsl+xml; rel=license`,
		`broken; rel=license`,
	})
	if diff := cmp.Diff([]string{"/l.xml", "https://paper.example/m.xml"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestRobotsUsage(t *testing.T) {
	group := robots.Parse([]byte("License: https://paper.example/all.xml\nUser-agent: *\nContent-Usage: /a train-ai=n\nLicense: /ours.xml\nContent-Signal: search=no # really\nUser-agent: other\nLicense: /theirs.xml")).For(agent)
	said, licences := Robots(group)
	if diff := cmp.Diff([]Said{
		{Signal: ContentUsage, Value: "train-ai=n", Where: InRobots, Path: "/a"},
		{Signal: ContentSignal, Value: "search=no", Where: InRobots},
	}, said); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"/ours.xml", "https://paper.example/all.xml"}, licences); diff != "" {
		t.Error(diff)
	}
}

// What was said before is in force since then, and the order is always the same.
func TestRenew(t *testing.T) {
	before := []Said{{Signal: NoArchive, Where: InMeta, Since: "2026-01-01"}, {Signal: NoAI, Where: InMeta, Since: "2026-02-02"}}
	same, changed := Renew(before, []Said{{Signal: NoAI, Where: InMeta}, {Signal: NoArchive, Where: InMeta}, {Signal: NoAI, Where: InMeta}}, "2026-11-16")
	if diff := cmp.Diff(before, same); diff != "" || changed {
		t.Error(changed, diff)
	}
	other, changed := Renew(before, []Said{{Signal: NoAI, Where: InHeader}, {Signal: NoArchive, Where: InMeta}}, "2026-11-16")
	if diff := cmp.Diff([]Said{{Signal: NoArchive, Where: InMeta, Since: "2026-01-01"}, {Signal: NoAI, Where: InHeader, Since: "2026-11-16"}}, other); diff != "" || !changed {
		t.Error(changed, diff)
	}
	if gone, changed := Renew(before, nil, "2026-11-16"); len(gone) != 0 || !changed {
		t.Error(gone, changed)
	}
}

func TestBasisValidate(t *testing.T) {
	for _, c := range []struct {
		basis Basis
		wrong string
	}{
		{Basis{}, ""},
		{Basis{Kind: "friendship"}, "kind"},
		{Basis{Kind: OpenLicence}, "licence"},
		{Basis{Kind: OpenLicence, Licence: "CC-BY-NC-ND-3.0"}, ""},
		{Basis{Kind: Permission, Scope: []Use{Text}}, "from"},
		{Basis{Kind: Permission, From: "The Paper"}, "scope"},
		{Basis{Kind: Permission, From: "The Paper", Scope: []Use{Fetch}}, "scope"},
		{Basis{Kind: Permission, From: "The Paper", Scope: []Use{Text}, Until: "31.12."}, "until"},
		{Basis{Kind: Permission, From: "The Paper", Scope: []Use{Text}, Until: "2026-12-31"}, ""},
	} {
		wrong := c.basis.Validate()
		if _, ok := wrong[c.wrong]; len(wrong) > 1 || ok != (c.wrong != "") || len(wrong) == 1 && !ok {
			t.Errorf("%+v: %v, want %q", c.basis, wrong, c.wrong)
		}
	}
	quoted := Basis{Licence: "CC-BY-4.0", From: "The Paper", Until: "2026-12-31"}
	quoted.Validate()
	if diff := cmp.Diff(Basis{Kind: Quotation}, quoted); diff != "" {
		t.Error(diff)
	}
}

// What a source says decides what its readers see.
func TestShowSaid(t *testing.T) {
	text := strings.Repeat(diet, 10)
	own := "修理された倉庫に、土曜の市場が戻ります。店は二十四軒です。"
	begins := Show(Work{Text: text}, Readers).Excerpt
	if begins == "" {
		t.Fatal("there is no excerpt")
	}
	short := Show(Work{Text: text, Said: []Said{{Signal: MaxSnippet, Value: "30", Where: InMeta}}}, Readers).Excerpt
	if short == "" || len(short) >= len(begins) {
		t.Errorf("of 30 characters %q are shown", short)
	}
	for _, c := range []struct {
		name   string
		work   Work
		signal Signal
		to     Audience
		want   View
	}{
		{"a summary", Work{Summary: own}, "", Readers, View{Summary: own}},
		{"no machine", Work{Summary: own}, NoAI, Readers, View{Excerpt: begins}},
		{"no machine, for an agent", Work{Summary: own}, NoAI, Machines, View{}},
		{"an agent", Work{Summary: own}, "", Machines, View{Summary: own}},
		{"no snippet", Work{}, NoSnippet, Readers, View{}},
		{"no snippet, with a summary", Work{Summary: own}, NoSnippet, Readers, View{}},
		{"no index", Work{Summary: own}, NoIndex, Readers, View{Hidden: true}},
		{"no index, for an agent", Work{Summary: own}, NoIndex, Machines, View{Hidden: true}},
		{"no index, for staff", Work{Summary: own}, NoIndex, Staff, View{Summary: own, Text: text}},
		{"public domain", Work{Summary: diet, Extractive: true, Basis: Basis{Kind: PublicDomain}}, "", Readers, View{Summary: diet, Text: text}},
		{"public domain, no archive", Work{Summary: diet, Extractive: true, Basis: Basis{Kind: PublicDomain}}, NoArchive, Readers, View{Summary: diet}},
		{"no derivatives", Work{Summary: own, Basis: Basis{Kind: OpenLicence, Licence: "CC-BY-ND-4.0"}}, "", Readers, View{Summary: own, Text: text}},
	} {
		c.work.Text = text
		if c.signal != "" {
			c.work.Said = []Said{{Signal: c.signal, Where: InMeta}}
		}
		if got := Show(c.work, c.to); got != c.want {
			t.Errorf("%s:\n got %+v\nwant %+v", c.name, got, c.want)
		}
	}
	cut := Show(Work{Text: text, Summary: strings.Repeat(diet, 2), Extractive: true, Basis: Basis{Kind: OpenLicence, Licence: "CC-BY-ND-4.0"}}, Readers)
	if !cut.Cut || cut.Text == "" {
		t.Errorf("of a work that must stay as it is, parts are shown: %+v", cut)
	}
}

// Whatever is said can be read, and saying more never allows more.
func FuzzSaid(f *testing.F) {
	f.Add("noindex, max-snippet: 3", "search=n;a=(1 2), b", `[{"location":"/","tdm-reservation":1}]`, rsl("<permits type='usage'>all</permits>"), "/news")
	f.Add("bot: none, unavailable_after: Sat, 1", "(((", "{", "<rsl><content url='://*'/>", "%")
	now := time.Date(2026, 11, 16, 0, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, words, usage, file, licence, path string) {
		h := http.Header{"X-Robots-Tag": {words}, "Tdm-Reservation": {file}, "Content-Usage": {usage}, "Content-Signal": {usage}}
		var said []Said
		for _, more := range [][]Said{Header(h, agent), Directives(InMeta, agent, usage), ReadUsage(InRobots, path, usage), TDMFile([]byte(file)), ReadRSL([]byte(licence), "paper.example")} {
			before := Decide(Basis{}, said, now)
			said = append(said, more...)
			after := Decide(Basis{}, said, now)
			for _, u := range Uses() {
				if after.May(u) && !before.May(u) {
					t.Errorf("%v allows %s", more, u)
				}
			}
		}
		for _, s := range said {
			if len(s.Value) > maxValue+20 || len(s.Path) > maxValue && s.Where != InRobots {
				t.Errorf("%+v is too long to be kept", s)
			}
		}
		Apply(said, path)
	})
}

// What a crawler does for one page of a site that says something.
func BenchmarkHear(b *testing.B) {
	now := time.Date(2026, 11, 16, 0, 0, 0, 0, time.UTC)
	h := http.Header{"Content-Type": {"text/html"}, "X-Robots-Tag": {"max-snippet:160, noarchive"}, "Content-Usage": {"train-ai=n, search=y"}, "Link": {`</s.css>; rel=preload`}}
	site := append(TDMFile([]byte(`[{"location":"/a/","tdm-reservation":0},{"location":"/","tdm-reservation":1}]`)), ReadSignal(InRobots, "", "search=yes, ai-train=no")...)
	b.ReportAllocs()
	for b.Loop() {
		said := Apply(site, "/news/2026/11/16/story")
		said = append(said, Header(h, agent)...)
		said = append(said, Meta("robots", "index, follow, max-image-preview:large", agent)...)
		LicenceLinks(h["Link"])
		said, _ = Renew(nil, said, "2026-11-16T00:00:00.000Z")
		for range 3 { // whether to keep it, to copy it, to summarise it
			Decide(Basis{}, said, now)
		}
	}
}
