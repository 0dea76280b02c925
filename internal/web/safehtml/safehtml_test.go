package safehtml_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/net/html"

	"pressroom/internal/web/safehtml"
)

func TestSanitise(t *testing.T) {
	tests := []struct{ in, want string }{
		{`<p id="main" class="hush" style="x">a</p>`, `<p>a</p>`},
		{`<form action="/sign-out"><button>a</button></form>`, `a`},
		{`<iframe src="https://example.org"></iframe>b`, `b`},
		{`<a href="https://example.org" target="_blank">a</a>`, `<a href="https://example.org" rel="nofollow">a</a>`},
		{`<a href=" javascript:alert(1)">a</a>`, `a`},
		{`<svg><script>1</script></svg>`, ``},
		{`<ruby>漢<rt>かん</rt></ruby>`, `<ruby>漢<rt>かん</rt></ruby>`},
	}
	for _, tt := range tests {
		if got := string(safehtml.Sanitise(tt.in)); got != tt.want {
			t.Errorf("Sanitise(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestText(t *testing.T) {
	tests := []struct{ in, want string }{
		{"<p>a</p><p>b</p>", "a b"},
		{"日<b>本</b>語", "日本語"},
		{"a &lt; b &amp; c", "a < b & c"},
		{"<script>x</script> y", "y"},
	}
	for _, tt := range tests {
		if got := safehtml.Text(tt.in); got != tt.want {
			t.Errorf("Text(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestCut(t *testing.T) {
	got := string(safehtml.Sanitise(strings.Repeat("あ", safehtml.Max)))
	if len(got) > safehtml.Max || !utf8.ValidString(got) || len(got) < safehtml.Max-3 {
		t.Errorf("%d bytes, valid %v", len(got), utf8.ValidString(got))
	}
}

// What comes out has, to a browser's parser, no element and no attribute that
// acts.
func FuzzSafe(f *testing.F) {
	for _, seed := range []string{"<p>a", "[a](javascript:x)", "<a href='java\nscript:x'>", "<img src=x onerror=y>", "`<b>`", "<math><mtext></p><script>1", "&#60;script&#62;"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, out := range []string{string(safehtml.Sanitise(text))} {
			z := html.NewTokenizer(strings.NewReader(out))
			for z.Next() != html.ErrorToken {
				token := z.Token()
				switch token.Data {
				case "script", "style", "iframe", "object", "embed", "form", "input", "button", "svg", "math", "base", "link", "meta":
					if token.Type != html.TextToken {
						t.Fatalf("%q became %q", text, out)
					}
				}
				for _, a := range token.Attr {
					value := strings.ToLower(strings.TrimSpace(a.Val))
					if strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "id" || a.Key == "class" ||
						(a.Key == "href" || a.Key == "src") && (strings.HasPrefix(value, "javascript:") || strings.HasPrefix(value, "data:") || strings.HasPrefix(value, "vbscript:")) {
						t.Fatalf("%q became %q", text, out)
					}
				}
			}
		}
	})
}
