package transfer

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"pressroom/internal/desk/blog"
	"pressroom/internal/errs"
)

// sound reports what is wrong with what a parser made of any input: it ends, and what it
// makes can be saved, or says why it is left out.
func sound(t *testing.T, items func(func(*Item, error) bool)) {
	t.Helper()
	for i, err := range items {
		if err != nil {
			return
		}
		if i.Skip != "" || i.Kind == Media {
			continue
		}
		i.fit(time.Date(2026, 11, 15, 0, 0, 0, 0, time.UTC))
		for n := range i.Given.Blocks {
			b := &i.Given.Blocks[n]
			if b.Type == blog.Image { // taken into the library before it is saved
				b.Content = "https://old.example/a.png"
			}
		}
		i.Given.Thumbnail = ""
		if err := i.Given.Validate(); err != nil && !strings.HasPrefix(i.Key, "pressroom/") {
			t.Errorf("%s: %v", i.Key, err)
		}
	}
}

// fuzzFile writes what a fuzz test reads, and hands it over. What looks like an archive and is
// none is told as such, before anything is read.
func fuzzFile(t *testing.T, text []byte, read func(*tree)) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
	tr, err := openTree(name)
	if err != nil {
		if errs.KindOf(err) == errs.Internal {
			t.Errorf("an archive that is none is our fault: %v", err)
		}
		return
	}
	defer func() { _ = tr.close() }()
	read(tr)
}

func FuzzWordPress(f *testing.F) {
	f.Add([]byte("PK\x03\x04 and no more"))
	f.Add([]byte("\x1f\x8b and no more"))
	f.Add([]byte(`<rss><channel><wp:author><wp:author_login>a</wp:author_login></wp:author><item><title>T &amp; U</title><content:encoded xmlns:content="c"><![CDATA[a

[caption]<img src="x.png"> c[/caption] <!-- wp:embed /--> [gallery ids="1"]]]></content:encoded><wp:post_id>1</wp:post_id><wp:status>publish</wp:status></item></channel></rss>`))
	f.Fuzz(func(t *testing.T, text []byte) {
		fuzzFile(t, text, func(tr *tree) {
			if w, err := openWordPress(tr, nil); err == nil {
				sound(t, w.items(t.Context()))
			}
		})
	})
}

func FuzzGhost(f *testing.F) {
	f.Add([]byte(`{"db":[{"data":{"posts":[{"id":1,"title":"T","status":"published","mobiledoc":"{\"cards\":[[\"html\",{\"html\":\"<b>x\"}]],\"markups\":[],\"sections\":[[10,0],[1,\"p\",[[0,[],0,\"a\"]]]]}"},{"id":"2","lexical":"{\"root\":{\"children\":[{\"type\":\"paragraph\",\"children\":[{\"type\":\"text\",\"text\":\"x\",\"format\":3}]},{\"type\":\"image\",\"src\":\"/a.png\"}]}}"}],"tags":[{"id":1,"name":"t"}]}}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		fuzzFile(t, text, func(tr *tree) {
			if g, err := openGhost(tr, nil); err == nil {
				sound(t, g.items(t.Context()))
			}
		})
	})
}

func FuzzMarkdown(f *testing.F) {
	f.Add([]byte("---\ntitle: T\ndate: 2020-01-01\ntags: [a, b]\n---\n# H\n\n> q\n\n```go\nx\n```\n\n![a](b.png)\n\n<div>\n<p>x</div>\n\n[a]: https://x.example\n{{< figure src=\"a\" >}}"))
	f.Add([]byte("+++\ntitle = 'T'\n+++\nx\n"))
	f.Add([]byte("---\npressroom: {id: 01J00000000000000000000000, blocks: abc}\n---\n<!-- abc {\"type\":\"text\"} -->\nx\n\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		tr := &tree{FS: fstest.MapFS{"a.md": {Data: text}, "b.html": {Data: text}}, close: func() error { return nil }}
		d, err := openMarkdown(tr, "site", nil)
		if err == nil {
			sound(t, d.items(context.Background()))
		}
	})
}

func FuzzHTML(f *testing.F) {
	f.Add("<p>a <b>b</b><img src=x></p><ul><li>x<ul><li>y</ul></ul><table><tr><td>a|b</table><pre>x</pre>")
	f.Fuzz(func(t *testing.T, text string) {
		for _, breaks := range []bool{true, false} {
			b := &builder{breaks: breaks}
			b.html(text)
			i := &Item{Kind: Post}
			i.take(b)
			sound(t, func(yield func(*Item, error) bool) { yield(i, nil) })
		}
	})
}
