package feed_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pressroom/internal/web/feed"
)

var day = time.Date(2026, 11, 15, 18, 30, 0, 0, time.FixedZone("JST", 9*3600))

func sample() feed.Feed {
	return feed.Feed{
		Title: "Pressroom & <Co>", Description: "短い記事", Lang: "ja", Home: "https://news.example/", Self: "https://news.example/feed.atom",
		Items: []feed.Item{
			{URL: "https://news.example/a?b=1&c=2", Title: `A "quoted" <title>`, Summary: "a & b\x00\x08", HTML: "<p>one &amp; two</p>", Authors: []string{"編集部", "佐藤 & Co"}, Published: day, Tags: []string{"国会"}, External: "https://example.org/src"},
			{ID: "tag:news.example,2026:b", URL: "https://news.example/b", Title: "B", Published: day.Add(-time.Hour), Updated: day.Add(time.Hour)},
		},
	}
}

// The elements that RFC 4287 requires, read with a parser that knows nothing of
// the writer.
func TestAtom(t *testing.T) {
	var buf bytes.Buffer
	if err := feed.WriteAtom(&buf, sample()); err != nil {
		t.Fatal(err)
	}
	type link struct {
		Rel  string `xml:"rel,attr"`
		Href string `xml:"href,attr"`
	}
	var got struct {
		XMLName xml.Name
		Lang    string `xml:"http://www.w3.org/XML/1998/namespace lang,attr"`
		ID      string `xml:"http://www.w3.org/2005/Atom id"`
		Title   string `xml:"http://www.w3.org/2005/Atom title"`
		Updated string `xml:"http://www.w3.org/2005/Atom updated"`
		Author  string `xml:"http://www.w3.org/2005/Atom author>name"`
		Links   []link `xml:"http://www.w3.org/2005/Atom link"`
		Entries []struct {
			ID        string `xml:"id"`
			Title     string `xml:"title"`
			Updated   string `xml:"updated"`
			Published string `xml:"published"`
			Summary   string `xml:"summary"`
			Links     []link `xml:"link"`
			Content   struct {
				Type string `xml:"type,attr"`
				Text string `xml:",chardata"`
			} `xml:"content"`
		} `xml:"http://www.w3.org/2005/Atom entry"`
	}
	if err := xml.Unmarshal(buf.Bytes(), &got); err != nil {
		t.Fatalf("%v\n%s", err, &buf)
	}
	if got.XMLName.Space != "http://www.w3.org/2005/Atom" || got.Lang != "ja" || got.ID != "https://news.example/feed.atom" || got.Title != "Pressroom & <Co>" || got.Author == "" {
		t.Errorf("feed is %+v", got)
	}
	if got.Updated != "2026-11-15T10:30:00Z" {
		t.Errorf("updated %s, want the newest item's", got.Updated)
	}
	want := []link{{"self", "https://news.example/feed.atom"}, {"alternate", "https://news.example/"}}
	if diff := cmp.Diff(want, got.Links); diff != "" {
		t.Error(diff)
	}
	first := got.Entries[0]
	if first.ID != "https://news.example/a?b=1&c=2" || first.Title != `A "quoted" <title>` || first.Summary != "a & b" || first.Content.Type != "html" || first.Content.Text != "<p>one &amp; two</p>" {
		t.Errorf("entry is %+v", first)
	}
	if first.Updated != "2026-11-15T09:30:00Z" || first.Published != first.Updated || first.Links[1] != (link{"via", "https://example.org/src"}) {
		t.Errorf("entry is %+v", first)
	}
	if got.Entries[1].ID != "tag:news.example,2026:b" {
		t.Errorf("id is %s", got.Entries[1].ID)
	}
}

func TestJSON(t *testing.T) {
	var buf bytes.Buffer
	if err := feed.WriteJSON(&buf, sample()); err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(buf.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got["version"] != "https://jsonfeed.org/version/1.1" || got["title"] != "Pressroom & <Co>" || got["language"] != "ja" {
		t.Errorf("feed is %v", got)
	}
	items := got["items"].([]any)
	first, second := items[0].(map[string]any), items[1].(map[string]any)
	if first["content_html"] != "<p>one &amp; two</p>" || first["date_published"] != "2026-11-15T09:30:00Z" || first["external_url"] != "https://example.org/src" {
		t.Errorf("item is %v", first)
	}
	// An item must have a content, even an empty one.
	if text, ok := second["content_text"]; !ok || text != "" {
		t.Errorf("item is %v", second)
	}
	buf.Reset()
	if err := feed.WriteJSON(&buf, feed.Feed{Title: "empty"}); err != nil || !strings.Contains(buf.String(), `"items": []`) {
		t.Errorf("%v %s", err, &buf)
	}
}

func TestServe(t *testing.T) {
	ask := func(path string, header ...string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodGet, path, nil)
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		w := httptest.NewRecorder()
		if err := feed.Serve(w, r, sample()); err != nil {
			t.Fatal(err)
		}
		return w
	}
	atom, jsn := ask("/feed.atom"), ask("/feed.json")
	if !strings.HasPrefix(atom.Header().Get("Content-Type"), "application/atom+xml") || !strings.HasPrefix(jsn.Header().Get("Content-Type"), "application/feed+json") {
		t.Errorf("types %v, %v", atom.Header(), jsn.Header())
	}
	if atom.Header().Get("Last-Modified") != "Sun, 15 Nov 2026 10:30:00 GMT" {
		t.Errorf("headers %v", atom.Header())
	}
	if w := ask("/feed.atom", "If-None-Match", atom.Header().Get("ETag")); w.Code != http.StatusNotModified || w.Body.Len() != 0 {
		t.Errorf("known tag answers %d", w.Code)
	}
	if w := ask("/feed.atom", "If-None-Match", `"other"`); w.Code != http.StatusOK {
		t.Errorf("unknown tag answers %d", w.Code)
	}
	if w := ask("/feed.atom", "If-Modified-Since", "Sun, 15 Nov 2026 10:30:00 GMT"); w.Code != http.StatusNotModified {
		t.Errorf("known time answers %d", w.Code)
	}
}

func TestSitemap(t *testing.T) {
	type set struct {
		XMLName xml.Name
		URLs    []struct {
			Loc     string `xml:"loc"`
			Lastmod string `xml:"lastmod"`
		} `xml:",any"`
	}
	for name, begin := range map[string]func(io.Writer) *feed.Sitemap{"urlset": feed.NewSitemap, "sitemapindex": feed.NewSitemapIndex} {
		var buf bytes.Buffer
		out := begin(&buf)
		for _, u := range []feed.URL{{Loc: "https://news.example/?a=1&b=2", Changed: day}, {Loc: "https://news.example/記事\x00"}, {Loc: "https://news.example/" + strings.Repeat("x", feed.LocMax)}} {
			if !out.Add(u) {
				t.Errorf("%s is full", name)
			}
		}
		if err := out.Close(); err != nil {
			t.Fatal(err)
		}
		var got set
		if err := xml.Unmarshal(buf.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		if got.XMLName != (xml.Name{Space: "http://www.sitemaps.org/schemas/sitemap/0.9", Local: name}) || len(got.URLs) != 2 || got.URLs[0].Loc != "https://news.example/?a=1&b=2" || got.URLs[0].Lastmod != "2026-11-15T09:30:00Z" || got.URLs[1].Lastmod != "" {
			t.Errorf("%s is %+v", name, got)
		}
	}
}

// The longest addresses, as many as there may be, stay below the protocol's 50 MB.
func TestSitemapLimits(t *testing.T) {
	size := counter(0)
	out := feed.NewSitemap(&size)
	loc := "https://news.example/" + strings.Repeat("x", feed.LocMax-21)
	added := 1
	for out.Add(feed.URL{Loc: loc, Changed: day}) {
		added++
	}
	out.Add(feed.URL{Loc: loc})
	if err := out.Close(); err != nil || added != feed.SitemapMax || added > 50_000 || size > 50<<20 {
		t.Errorf("%d addresses, %d bytes, %v", added, size, err)
	}
	if out := feed.NewSitemap(&size); !out.Add(feed.URL{Loc: strings.ReplaceAll(loc, "x", "&")}) || out.Close() != nil || size > 50<<20 {
		t.Errorf("an address that is too long once it is escaped: %d bytes", size)
	}
}

// counter counts bytes.
type counter int

func (c *counter) Write(p []byte) (int, error) { *c += counter(len(p)); return len(p), nil }

// Whatever a text contains, the document can be parsed.
func FuzzAtom(f *testing.F) {
	f.Add("a", "b]]>c")
	f.Add("\xff\xfe", "\ufffe<!--")
	f.Fuzz(func(t *testing.T, title, summary string) {
		var buf bytes.Buffer
		if err := feed.WriteAtom(&buf, feed.Feed{Title: title, Items: []feed.Item{{Title: title, Summary: summary, HTML: summary, URL: title}}}); err != nil {
			t.Fatal(err)
		}
		d := xml.NewDecoder(&buf)
		for {
			if _, err := d.Token(); err == io.EOF {
				return
			} else if err != nil {
				t.Fatal(err)
			}
		}
	})
}
