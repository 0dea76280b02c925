package page

import (
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/unicode"

	"pressroom/internal/rights"
)

var (
	at  = &url.URL{Scheme: "https", Host: "news.example", Path: "/news/2026/11/13/a"}
	now = time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
)

func read(t *testing.T, body, contentType string) *Page {
	t.Helper()
	tokyo, err := time.LoadLocation("Asia/Tokyo")
	if err != nil {
		t.Fatal(err)
	}
	return Read([]byte(body), at, Options{ContentType: contentType, Location: tokyo, Now: now})
}

const paragraph = "The city council has voted for a network of bicycle lanes, which will connect all districts with the centre by the end of next year. "

const article = `<!doctype html><html lang="en"><head><title>Lanes | Example News</title>
<meta property="og:type" content="article"><meta property="og:title" content="City votes for lanes">
<meta property="article:published_time" content="2026-11-14T18:30:00"><meta name="author" content="Ann Author">
<link rel="canonical" href="/news/lanes"><link rel="alternate" type="application/rss+xml" href="/feed.xml">
<script>var x = "<p>not this</p>";</script></head><body>
<nav><a href="/">Home</a> <a href="/news/b?x=1#part">B</a> <a href="/news/b?x=1">B again</a> <a rel="nofollow" href="/login">Login</a> <a href="javascript:x()">x</a> <a href="mailto:a@b">m</a></nav>
<article><h1>City votes for lanes</h1><p>` + paragraph + paragraph + `</p><p>Second ` + paragraph + paragraph + `</p><p>Third ` + paragraph + `</p></article>
<footer>Copyright of everything.</footer></body></html>`

func TestArticle(t *testing.T) {
	p := read(t, article, "text/html; charset=utf-8")
	got := *p
	want := Page{
		Encoding: "utf-8", Title: "City votes for lanes", Canonical: "https://news.example/news/lanes", Author: "Ann Author", Language: "en",
		Published: time.Date(2026, 11, 14, 9, 30, 0, 0, time.UTC), // in Tokyo's zone
		Links:     []string{"https://news.example/", "https://news.example/news/b?x=1"},
		Feeds:     []string{"https://news.example/feed.xml"},
	}
	if diff := cmp.Diff(want, got, cmp.FilterPath(func(p cmp.Path) bool {
		switch p.String() {
		case "URL", "text", "base", "kind", "hints", "loc", "now", "seen", "heading":
			return true
		}
		return false
	}, cmp.Ignore())); diff != "" {
		t.Error(diff)
	}
	text := p.Text(false)
	if !strings.Contains(text, "\n\nSecond The city") || strings.Contains(text, "Copyright") || strings.Contains(text, "not this") || strings.Contains(text, "Home") {
		t.Errorf("text: %q", text)
	}
}

// What a page marks as its body is taken without what stands beside the text.
func TestMarkedBody(t *testing.T) {
	long := strings.Repeat(paragraph, 3)
	for name, row := range map[string]struct{ body, want string }{
		"article":     {`<article><h1>T</h1><div class="share">Share this</div><p>` + long + `</p><aside><p>Aside</p></aside><div class="story_related"><p>Related</p></div><div><h2>Then</h2><p>More.</p></div></article>`, strings.TrimSpace(long) + "\n\nThen\n\nMore."},
		"articleBody": {`<article><p>Not this</p></article><article><div itemprop="articleBody"><p>` + long + `</p></div></article>`, strings.TrimSpace(long)},
		"several":     {`<article><p>` + long + `</p></article><article><p>` + long + `</p></article>`, ""},
		"links":       {`<article>` + strings.Repeat(`<li><a href="/x">`+paragraph+`</a></li>`, 5) + `</article>`, ""},
		"no blocks":   {`<article>` + long + `</article>`, ""},
	} {
		if got := read(t, row.body, "").markedText(); got != row.want {
			t.Errorf("%s: %q, want %q", name, got, row.want)
		}
	}
}

func TestLists(t *testing.T) {
	var links strings.Builder
	for range 50 {
		links.WriteString(`<div class="teaser"><h2><a href="/news/x">A headline that is long enough to look like a sentence of its own</a></h2></div>`)
	}
	for name, body := range map[string]string{
		"headlines": "<html><body><h1>News</h1>" + links.String() + "</body></html>",
		"empty":     "",
		"short":     "<p>Hello.</p>",
		"home":      `<meta property="og:type" content="website"><body>` + links.String(),
	} {
		if text := read(t, body, "").Text(false); text != "" {
			t.Errorf("%s is an article: %q", name, text)
		}
	}
}

func TestMetadata(t *testing.T) {
	ld := `<script type="application/ld+json">{"@graph":[{"@type":"WebPage"},{"@type":["NewsArticle"],"headline":"From LD","datePublished":"2026-11-12T10:00:00+09:00","dateModified":"2026-11-13","author":[{"name":"Ann"},{"name":"Ben"}]}]}</script><title>x</title>`
	p := read(t, ld, "")
	if p.Title != "From LD" || p.Author != "Ann, Ben" || !p.Published.Equal(time.Date(2026, 11, 12, 1, 0, 0, 0, time.UTC)) || !p.SaysArticle() {
		t.Errorf("%+v", p)
	}
	if p := read(t, "<p>x", ""); !p.Published.Equal(time.Date(2026, 11, 12, 15, 0, 0, 0, time.UTC)) {
		t.Errorf("the path's date is %v", p.Published)
	}
	if p := read(t, `<meta name="date" content="9999-01-01"><time datetime="nonsense">x</time><time>2026年11月10日</time>`, ""); !p.Published.Equal(time.Date(2026, 11, 9, 15, 0, 0, 0, time.UTC)) {
		t.Errorf("after bad dates it is %v", p.Published)
	}
	if p := read(t, `<meta name="robots" content="noindex, nofollow">`, ""); len(p.Said) != 2 || p.Said[0].Signal != rights.NoIndex || p.Said[1].Signal != rights.NoFollow {
		t.Error("robots meta is not seen")
	}
	if p := read(t, `<base href="https://other.example/x/"><a href="y">`, ""); len(p.Links) != 1 || p.Links[0] != "https://other.example/x/y" {
		t.Errorf("links %v", p.Links)
	}
}

func TestEncodings(t *testing.T) {
	const text = "日本の首都は東京です。カタカナとひらがなの文章。"
	for _, row := range []struct {
		name     string
		encoding encoding.Encoding
		header   string
		before   string
		want     string
	}{
		{"utf-8", encoding.Nop, "", "", "utf-8"},
		{"shift_jis by header", japanese.ShiftJIS, "text/html; charset=Shift_JIS", "", "shift_jis"},
		{"shift_jis by meta", japanese.ShiftJIS, "text/html", `<meta charset="sjis">`, "shift_jis"},
		{"shift_jis, said late", japanese.ShiftJIS, "", strings.Repeat(" ", 3000) + `<meta charset="Shift_JIS">`, "shift_jis"},
		{"shift_jis, not said", japanese.ShiftJIS, "", "", "shift_jis"},
		{"shift_jis, said utf-8", japanese.ShiftJIS, "text/html; charset=utf-8", "", "shift_jis"},
		{"euc-jp by header", japanese.EUCJP, "text/html; charset=EUC-JP", "", "euc-jp"},
		{"euc-jp by meta", japanese.EUCJP, "", `<meta http-equiv="Content-Type" content="text/html; charset=x-euc-jp">`, "euc-jp"},
		{"euc-jp, not said", japanese.EUCJP, "text/html", "", "euc-jp"},
		{"iso-2022-jp, not said", japanese.ISO2022JP, "", "", "iso-2022-jp"},
		{"utf-16 by mark", unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), "", "", "utf-16le"},
	} {
		t.Run(row.name, func(t *testing.T) {
			body, err := row.encoding.NewEncoder().String("<html><head>" + row.before + "</head><title>" + text + "</title>")
			if err != nil {
				t.Fatal(err)
			}
			if p := read(t, body, row.header); p.Title != text || p.Encoding != row.want {
				t.Errorf("%q in %s, want %s", p.Title, p.Encoding, row.want)
			}
		})
	}
	latin, err := charmap.Windows1252.NewEncoder().String("<title>Übermäßig – café</title>")
	if err != nil {
		t.Fatal(err)
	}
	if p := read(t, latin, ""); p.Title != "Übermäßig – café" {
		t.Errorf("latin: %q in %s", p.Title, p.Encoding)
	}
}

func TestWords(t *testing.T) {
	for text, want := range map[string]int{
		"":                          0,
		"Hello, world.":             2,
		"Don't follow-up 3.14 now.": 4,
		"1,000 U.S. dollars":        3,
		"東京は日本の首都です。":               10,
		"サーバー":                      4,
		"2026年11月 Go言語":             7,
		"안녕하세요 세계":                  2,
		"naïve café":                2,
		"— … 。":                     0,
	} {
		if got := Words(text); got != want {
			t.Errorf("%q has %d words, want %d", text, got, want)
		}
	}
}

func TestCut(t *testing.T) {
	for _, row := range []struct {
		text string
		n    int
		want string
	}{
		{"Short.", 10, "Short."},
		{"One two. Three four five.", 12, "One two."},
		{"一つ目の文。二つ目の文です。", 8, "一つ目の文。"},
		{"word word word word", 12, "word word"},
		{"ながいながいながい", 5, "ながいなが"},
	} {
		if got := Cut(row.text, row.n); got != row.want {
			t.Errorf("%q at %d: %q, want %q", row.text, row.n, got, row.want)
		}
	}
}

func TestClean(t *testing.T) {
	for text, want := range map[string]string{
		" a \n b\tc ":         "a b c",
		"日本\n  語":             "日本語",
		"日本 語":                "日本 語",
		"a\u202eb\x00c\u200b": "abc",
		"\xff":                "\ufffd",
	} {
		if got := clean(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := Line("a <b>b</b> &amp; c<script>d</script>"); got != "a b & c" {
		t.Errorf("%q", got)
	}
}

func TestDeep(t *testing.T) {
	if text := read(t, strings.Repeat("<div>", 20000)+strings.Repeat(paragraph, 20), "").Text(true); text != "" {
		t.Error("a page that no browser shows is an article")
	}
	_ = read(t, strings.Repeat("<div>", 400)+"x", "").Text(true)
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(article), "text/html")
	f.Add([]byte("<title>\x93\xfa\x96\x7b"), "text/html; charset=shift_jis")
	f.Fuzz(func(t *testing.T, body []byte, contentType string) {
		p := Read(body, at, Options{ContentType: contentType, Now: now})
		for _, text := range []string{p.Title, p.Author, p.Text(true)} {
			if !utf8.ValidString(text) || strings.ContainsAny(text, "\x00\x1b\u202e") {
				t.Errorf("%q", text)
			}
		}
		for _, link := range p.Links {
			if u, err := url.Parse(link); err != nil || u.Host == "" {
				t.Errorf("link %q", link)
			}
		}
	})
}

func BenchmarkArticle(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if Read([]byte(article), at, Options{Now: now}).Text(false) == "" {
			b.Fatal("no text")
		}
	}
}
