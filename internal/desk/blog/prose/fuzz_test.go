package prose

import (
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// FuzzText wants no Markdown to end in anything that runs.
func FuzzText(f *testing.F) {
	for _, seed := range []string{"# a\n\n[x](javascript:y)", "<script>x</script>", "![a](media:A)", "```go\nx\n```", "|a|\n|-|\n|b|", "- [ ] x", "あ\nい"} {
		f.Add(seed)
	}
	for _, seed := range hostile {
		f.Add(seed(400))
	}
	f.Fuzz(func(t *testing.T, source string) {
		if !utf8.ValidString(source) {
			return
		}
		root, err := html.Parse(strings.NewReader(NewWriter(t.Context(), pictures).Text(source)))
		if err != nil {
			t.Fatal(err)
		}
		for n := range root.Descendants() {
			if n.Type != html.ElementNode {
				continue
			}
			switch n.Data {
			case "script", "style", "iframe", "object", "embed", "form", "svg", "math", "base", "link", "meta":
				t.Fatalf("%s from %q", n.Data, source)
			}
			for _, a := range n.Attr {
				value := strings.ToLower(strings.TrimSpace(a.Val))
				if strings.HasPrefix(a.Key, "on") || a.Key == "style" || strings.HasPrefix(value, "javascript:") && (a.Key == "href" || a.Key == "src") {
					t.Fatalf("%s=%q from %q", a.Key, a.Val, source)
				}
			}
		}
		Plain(source)
	})
}

func BenchmarkText(b *testing.B) {
	source := strings.Repeat("Some *words* with a [link](https://example.org) and 日本語の文章。\n\n", 15)
	b.SetBytes(int64(len(source)))
	for b.Loop() {
		NewWriter(b.Context(), pictures).Text(source)
	}
}
