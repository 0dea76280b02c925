package newswire

import (
	"strings"
	"testing"
)

const feeds = `<?xml version="1.0"?><opml version="2.0"><body><outline text="News">
<outline type="rss" text="One" xmlUrl="https://one.example/feed.xml" htmlUrl="https://www.one.example/about"/>
<outline type="rss" text="One too" xmlUrl="https://one.example/more.xml" htmlUrl="https://one.example/"/></outline>
<outline text="Script" xmlUrl="javascript:alert(1)"/><outline text="Two" xmlUrl="https://two.example/rss"/></body></opml>`

// A list is read by host, whatever is in it.
func TestReadOPML(t *testing.T) {
	sites, err := readOPML(strings.NewReader(feeds))
	if err != nil || len(sites) != 3 {
		t.Fatal(len(sites), err)
	}
	if one := sites[0]; one.SiteID != "one-example" || one.BaseURL != "https://www.one.example/" || len(one.Feeds) != 2 {
		t.Errorf("%+v", one)
	}
	if sites[1].What != "left out" || sites[2].SiteID != "two-example" {
		t.Errorf("%+v %+v", sites[1], sites[2])
	}
	for _, bad := range []string{"", "<html>", `<opml><outline xmlUrl="https://x.example/`} {
		if _, err := readOPML(strings.NewReader(bad)); err == nil {
			t.Errorf("%q is read", bad)
		}
	}
}

func FuzzOPML(f *testing.F) {
	f.Add(feeds)
	f.Fuzz(func(_ *testing.T, text string) { _, _ = readOPML(strings.NewReader(text)) })
}

// The same list again makes nothing, and a preview makes nothing at all.
func TestImportOPML(t *testing.T) {
	w := newWorld(t)
	d := newStores(t).desk(t, w, nil)
	for n, want := range []OPMLReport{{Preview: true, Made: 2, LeftOut: 2}, {Made: 2, LeftOut: 2}, {Same: 2, LeftOut: 2}} {
		inside := strings.ReplaceAll(feeds, "</body>", `<outline text="In" xmlUrl="http://169.254.169.254/feed"/></body>`)
		got, err := d.ImportOPML(t.Context(), strings.NewReader(inside), want.Preview)
		if err != nil || got.Made != want.Made || got.Same != want.Same || got.LeftOut != want.LeftOut {
			t.Errorf("%d: %+v: %v", n, got, err)
		}
	}
	more := strings.ReplaceAll(feeds, "two.example/rss", "two.example/atom")
	if got, err := d.ImportOPML(t.Context(), strings.NewReader(more), false); err != nil || got.Changed != 1 || got.Same != 1 {
		t.Errorf("%+v: %v", got, err)
	}
}
