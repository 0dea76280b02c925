package feed

import (
	"bytes"
	"compress/gzip"
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var (
	at  = &url.URL{Scheme: "https", Host: "news.example", Path: "/feeds/all"}
	now = time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
)

func options(t *testing.T) Options {
	t.Helper()
	tokyo, err := time.LoadLocation("Asia/Tokyo")
	if err != nil {
		t.Fatal(err)
	}
	return Options{Location: tokyo, Now: now}
}

func day(d, h int) time.Time { return time.Date(2026, 11, d, h, 0, 0, 0, time.UTC) }

func TestFeeds(t *testing.T) {
	for name, row := range map[string]struct {
		body string
		want []Entry
	}{
		"rss": {`<?xml version="1.0"?><rss version="2.0"><channel><title>x</title>
<item><title>One &lt;b&gt;bold&lt;/b&gt;</title><link>/a/1#top</link><pubDate>Sat, 14 Nov 2026 09:00:00 GMT</pubDate><author>a@b.example (Ann)</author></item>
<item><title>Bad date</title><link>https://news.example/a/2</link><pubDate>soon</pubDate></item>
<item><title>No zone</title><link>https://news.example/a/3</link><pubDate>2026-11-14 09:00:00</pubDate></item>
<item><title>No link</title></item>
<item><title>Id as link</title><guid>https://news.example/a/4</guid></item>
<item><title>Script</title><link>javascript:alert(1)</link></item>
</channel></rss>`, []Entry{
			{URL: "https://news.example/a/1", Title: "One bold", Author: "Ann", Published: day(14, 9)},
			{URL: "https://news.example/a/2", Title: "Bad date"},
			{URL: "https://news.example/a/3", Title: "No zone", Published: day(14, 0)},
			{URL: "https://news.example/a/4", Title: "Id as link"},
		}},
		"atom": {`<feed xmlns="http://www.w3.org/2005/Atom"><title>x</title><entry><title>One</title><link href="https://news.example/1"/><published>2026-11-14T09:00:00Z</published><updated>2026-11-14T10:00:00Z</updated><author><name>Ann</name></author></entry></feed>`,
			[]Entry{{URL: "https://news.example/1", Title: "One", Author: "Ann", Published: day(14, 9), Updated: day(14, 10)}}},
		"json": {`{"version":"https://jsonfeed.org/version/1.1","title":"x","items":[{"id":"1","url":"https://news.example/1","title":"One","date_published":"2026-11-14T09:00:00Z"}]}`,
			[]Entry{{URL: "https://news.example/1", Title: "One", Published: day(14, 9)}}},
		"rss in shift_jis": {"<?xml version=\"1.0\" encoding=\"Shift_JIS\"?><rss version=\"2.0\"><channel><item><title>\x93\xfa\x96\x7b</title><link>/j</link></item></channel></rss>",
			[]Entry{{URL: "https://news.example/j", Title: "日本"}}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Read([]byte(row.body), at, options(t))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Error(diff)
			}
			if !Looks([]byte(row.body), "") {
				t.Error("does not look like a feed")
			}
		})
	}
	if _, err := Read([]byte("<html>no feed"), at, options(t)); err == nil {
		t.Error("a page is read as a feed")
	}
}

const urlset = `<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:news="http://www.google.com/schemas/sitemap-news/0.9">
<url><loc> https://news.example/a/1 </loc><lastmod>2026-11-14T10:00:00Z</lastmod><news:news><news:publication_date>2026-11-14T09:00:00Z</news:publication_date><news:title>One</news:title></news:news></url>
<url><loc>/a/2</loc><lastmod>whenever</lastmod></url><url><loc></loc></url></urlset>`

func readAll(t *testing.T, body []byte) (pages []Entry, maps []string, err error) {
	t.Helper()
	err = ReadSitemap(body, at, options(t), Sitemap{
		Page: func(e Entry) error { pages = append(pages, e); return nil },
		Map:  func(u string) error { maps = append(maps, u); return nil },
	})
	return pages, maps, err
}

func TestSitemaps(t *testing.T) {
	want := []Entry{
		{URL: "https://news.example/a/1", Title: "One", Published: day(14, 9), Updated: day(14, 10)},
		{URL: "https://news.example/a/2"},
	}
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	_, _ = w.Write([]byte(urlset))
	_ = w.Close()
	for _, body := range [][]byte{[]byte(urlset), zipped.Bytes()} {
		pages, maps, err := readAll(t, body)
		if diff := cmp.Diff(want, pages); diff != "" || maps != nil || err != nil {
			t.Error(diff, maps, err)
		}
	}
	pages, maps, err := readAll(t, []byte(`<sitemapindex><sitemap><loc>/s1.xml</loc></sitemap><sitemap><loc>https://news.example/s2.xml.gz</loc></sitemap></sitemapindex>`))
	if diff := cmp.Diff([]string{"https://news.example/s1.xml", "https://news.example/s2.xml.gz"}, maps); diff != "" || pages != nil || err != nil {
		t.Error(diff, pages, err)
	}
	pages, _, err = readAll(t, []byte("https://news.example/t/1\nhttps://news.example/t/2\n"))
	if len(pages) != 2 || err != nil {
		t.Error(pages, err)
	}
	if _, _, err := readAll(t, []byte("<html></html>")); err == nil {
		t.Error("a page is read as a sitemap")
	}
	stop := errors.New("enough")
	if err := ReadSitemap([]byte(urlset), at, options(t), Sitemap{Page: func(Entry) error { return stop }}); !errors.Is(err, stop) {
		t.Errorf("went on: %v", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(urlset))
	f.Add([]byte(`<rss><channel><item><link>/x</link></item></channel></rss>`))
	f.Add([]byte(`{"version":"https://jsonfeed.org/version/1.1","items":[{"url":"x"}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		entries, _ := Read(body, at, Options{Now: now})
		pages, _, _ := readAll(t, body)
		for _, e := range append(entries, pages...) {
			if !strings.HasPrefix(e.URL, "http") {
				t.Errorf("entry at %q", e.URL)
			}
		}
	})
}
