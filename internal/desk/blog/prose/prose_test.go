package prose

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func pictures(ref string) (Picture, bool) {
	switch ref {
	case "media:A":
		return Picture{Src: "/m/A/full", SrcSet: "/m/A/w320 320w, /m/A/full 800w", Width: 800, Height: 600}, true
	case "https://example.org/a.png":
		return Picture{Src: ref}, true
	}
	return Picture{}, false
}

func TestText(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"paragraphs", "a\n\nb", "<p>a</p>\n<p>b</p>\n"},
		{"east asian lines join", "これは\n本です", "<p>これは本です</p>\n"},
		{"english lines keep a space", "one\ntwo", "<p>one\ntwo</p>\n"},
		{"emphasis", "*a* **b** ~~c~~ `d`", "<p><em>a</em> <strong>b</strong> <del>c</del> <code>d</code></p>\n"},
		{"link", "[a](https://example.org)", `<p><a href="https://example.org" rel="noreferrer">a</a></p>` + "\n"},
		{"relative link", "[a](/blog/x)", `<p><a href="/blog/x" rel="noreferrer">a</a></p>` + "\n"},
		{"bare link", "see https://example.org.", `<p>see <a href="https://example.org" rel="noreferrer">https://example.org</a>.</p>` + "\n"},
		{"script link", "[a](javascript:x)", "<p>a</p>\n"},
		{"raw html", "a <b>c</b> <script>x</script>", "<p>a c x</p>\n"},
		{"heading", "# Go へ", `<h2 id="s-go-へ">Go へ</h2>` + "\n"},
		{"deep heading", "###### x", `<h6 id="s-x">x</h6>` + "\n"},
		{"picture", "![two & one](media:A)", `<p><img src="/m/A/full" srcset="/m/A/w320 320w, /m/A/full 800w" sizes="(min-width: 60em) 50em, 100vw" width="800" height="600" alt="two &amp; one" loading="lazy" decoding="async" referrerpolicy="no-referrer"></p>` + "\n"},
		{"unknown picture", "![alt](media:B)", "<p>alt</p>\n"},
		{"table", "|a|b|\n|:-|-:|\n|c|d|", "<table>\n<thead>\n<tr>\n<th align=\"left\">a</th>\n<th align=\"right\">b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td align=\"left\">c</td>\n<td align=\"right\">d</td>\n</tr>\n</tbody>\n</table>\n"},
		{"tasks", "- [x] a", "<ul>\n<li><input checked=\"\" disabled=\"\" type=\"checkbox\"> a</li>\n</ul>\n"},
		{"numbers", "3. a", "<ol start=\"3\">\n<li>a</li>\n</ol>\n"},
		{"plain fence", "```\na < b\n```", `<pre class="chroma"><code>a &lt; b` + "\n</code></pre>"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, NewWriter(t.Context(), pictures).Text(tt.in)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestHeadingsAreUnique(t *testing.T) {
	w := NewWriter(t.Context(), pictures)
	w.Text("# A\n\n## A\n\n# a 2")
	w.Text("# A\n\n# `b` *c*\n\n# !!!\n\n# ???")
	var ids []string
	seen := map[string]bool{}
	for _, h := range w.Headings() {
		if seen[h.ID] {
			t.Errorf("%s stands twice", h.ID)
		}
		seen[h.ID] = true
		ids = append(ids, h.ID)
	}
	if diff := cmp.Diff("s-a s-a-2 s-a-2-2 s-a-3 s-b-c s s-2", strings.Join(ids, " ")); diff != "" {
		t.Error(diff)
	}
	if h := w.Headings()[4]; h.Level != 2 || h.Text != "b c" {
		t.Errorf("heading %+v", h)
	}
}

func TestCode(t *testing.T) {
	got := NewWriter(t.Context(), pictures).Code("func main() {}\n", "go", "An <example>")
	for _, want := range []string{`<pre class="chroma"><code class="language-go">`, `<span class="kd">func</span>`, `<figcaption>An &lt;example&gt;</figcaption>`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
	if strings.Contains(got, "style=") {
		t.Errorf("inline styles: %s", got)
	}
	for _, language := range []string{"", "klingon", strings.Repeat("x", 100)} {
		if got := NewWriter(t.Context(), pictures).Code("<a>", language, ""); got != `<figure class="code"><pre class="chroma"><code>&lt;a&gt;</code></pre></figure>` {
			t.Errorf("%q: %s", language, got)
		}
	}
}

func TestQuoteImage(t *testing.T) {
	w := NewWriter(t.Context(), pictures)
	if got := w.Quote("*a*", "B & C"); got != "<figure class=\"quote\"><blockquote><p><em>a</em></p>\n</blockquote><figcaption>B &amp; C</figcaption></figure>" {
		t.Error(got)
	}
	if got := w.Image("https://example.org/a.png", `"x"`, ""); got != `<figure class="image"><img src="https://example.org/a.png" alt="&#34;x&#34;" loading="lazy" decoding="async" referrerpolicy="no-referrer"></figure>` {
		t.Error(got)
	}
	if got := w.Image("media:B", "alt", "c"); got != `<figure class="image missing"><p>alt</p><figcaption>c</figcaption></figure>` {
		t.Error(got)
	}
}

func TestPlayers(t *testing.T) {
	youtube, vimeo, nico := "https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ", "https://player.vimeo.com/video/76979871?dnt=1", "https://embed.nicovideo.jp/watch/sm9"
	tests := map[string]string{
		"https://www.youtube.com/watch?v=dQw4w9WgXcQ&t=3":      youtube,
		"https://youtube.com/watch?v=dQw4w9WgXcQ":              youtube,
		"https://m.youtube.com/watch?v=dQw4w9WgXcQ":            youtube,
		"https://youtu.be/dQw4w9WgXcQ?si=x":                    youtube,
		"https://www.youtube.com/shorts/dQw4w9WgXcQ":           youtube,
		"https://www.youtube.com/embed/dQw4w9WgXcQ":            youtube,
		"https://vimeo.com/76979871":                           vimeo,
		"https://player.vimeo.com/video/76979871":              vimeo,
		"https://www.nicovideo.jp/watch/sm9":                   nico,
		"https://nico.ms/sm9":                                  nico,
		"https://www.youtube.com/watch?v=short":                "",
		"https://www.youtube.com/watch?v=\"><script>":          "",
		"https://www.youtube.com/playlist?list=x":              "",
		"https://youtube.com.evil.example/watch?v=dQw4w9WgXcQ": "",
		"https://evil.example/youtu.be/dQw4w9WgXcQ":            "",
		"javascript:alert(1)//youtu.be/dQw4w9WgXcQ":            "",
		"https://youtu.be":                                     "",
		"https://vimeo.com/":                                   "",
		"https://example.org/a.mp4":                            "",
		"%zz":                                                  "",
	}
	for address, want := range tests {
		p, ok := PlayerOf(address)
		if p.Embed != want || ok != (want != "") {
			t.Errorf("%s: %q, want %q", address, p.Embed, want)
		}
	}
	got := NewWriter(t.Context(), pictures).Video("https://youtu.be/dQw4w9WgXcQ", "")
	if !strings.Contains(got, `data-embed="`+youtube+`"`) || strings.Contains(got, "<iframe") {
		t.Error(got)
	}
	for _, p := range []string{youtube, vimeo, nico} {
		known := false
		for _, host := range EmbedHosts {
			known = known || strings.HasPrefix(p, host+"/")
		}
		if !known {
			t.Errorf("%s is of no host for a policy", p)
		}
	}
	if got := NewWriter(t.Context(), pictures).Video("javascript:alert(1)", ""); strings.Contains(got, "javascript") {
		t.Error(got)
	}
}

func TestPlain(t *testing.T) {
	got := Plain("# Title\n\nSome *words* and [a link](https://example.org/secret).\nNext line.\n\n- one\n- two\n\n|a|b|\n|-|-|\n|c|d|\n\n<div>raw</div>\n\n![picture](x.png) `code`\n\n```go\nfunc x()\n```")
	want := "Title\nSome words and a link. Next line.\none\ntwo\na\nb\nc\nd\npicture code\nfunc x()"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestMinutes(t *testing.T) {
	tests := []struct {
		text   string
		images int
		want   int
	}{
		{"", 0, 1},
		{strings.Repeat("word ", 220), 0, 1},
		{strings.Repeat("word ", 225), 0, 2},
		{strings.Repeat("it's well-known ", 1100), 0, 10},
		{strings.Repeat("漢字かなカナ、", 500), 0, 6},
		{strings.Repeat("あ", 500), 6, 2},
		{strings.Repeat("日本 word ", 220), 0, 2},
	}
	for _, tt := range tests {
		if got := Minutes(tt.text, tt.images); got != tt.want {
			t.Errorf("%.20q… with %d images: %d minutes, want %d", tt.text, tt.images, got, tt.want)
		}
	}
}

func TestShorten(t *testing.T) {
	tests := []struct {
		in   string
		most int
		want string
	}{
		{"short", 10, "short"},
		{" a \n b ", 10, "a b"},
		{"One sentence. Another one here.", 20, "One sentence."},
		{"一つ目の文です。二つ目の文です。", 10, "一つ目の文です。"},
		{"words without any end at all", 15, "words without…"},
		{strings.Repeat("x", 30), 10, "xxxxxxxxx…"},
		{"Version 1.2 is out now for everybody", 14, "Version 1.2…"},
	}
	for _, tt := range tests {
		if got := Shorten(tt.in, tt.most); got != tt.want {
			t.Errorf("Shorten(%q, %d) = %q, want %q", tt.in, tt.most, got, tt.want)
		}
	}
}
