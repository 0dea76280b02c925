package blog_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"pressroom/internal/desk/blog"
)

// attacks are texts that have run script in one program or another.
var attacks = []string{
	`<script>alert(1)</script>`,
	`<SCRIPT SRC=//evil.example/x.js></SCRIPT>`,
	`<img src=x onerror=alert(1)>`,
	`<img src="x" onerror="alert(1)">`,
	`"><script>alert(1)</script>`,
	`'><img src=x onerror=alert(1)>`,
	`" onmouseover="alert(1)`,
	`' onfocus='alert(1)' autofocus='`,
	`<svg onload=alert(1)>`,
	`<svg><script>alert(1)</script></svg>`,
	`<svg><animate onbegin=alert(1) attributeName=x dur=1s>`,
	`<math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>`,
	`<iframe src="javascript:alert(1)"></iframe>`,
	`<iframe srcdoc="<script>alert(1)</script>"></iframe>`,
	`<object data="javascript:alert(1)"></object>`,
	`<embed src="data:text/html,<script>alert(1)</script>">`,
	`<form action="javascript:alert(1)"><button>x</button></form>`,
	`<a href="javascript:alert(1)">x</a>`,
	`<a href="jav&#x09;ascript:alert(1)">x</a>`,
	`<a href=" &#14; javascript:alert(1)">x</a>`,
	`<body onload=alert(1)>`,
	`<style>@import 'https://evil.example/x.css';</style>`,
	`<div style="background:url(javascript:alert(1))">x</div>`,
	`<link rel=stylesheet href=https://evil.example/x.css>`,
	`<meta http-equiv="refresh" content="0;url=javascript:alert(1)">`,
	`<base href="https://evil.example/">`,
	`<input onfocus=alert(1) autofocus>`,
	`<details open ontoggle=alert(1)>`,
	`<video><source onerror=alert(1)></video>`,
	`<template><script>alert(1)</script></template>`,
	`<noscript><p title="</noscript><img src=x onerror=alert(1)>">`,
	`<!--><img src=x onerror=alert(1)>-->`,
	`<![CDATA[<script>alert(1)</script>]]>`,
	`<x onclick=alert(1)>x</x>`,
	"<img src=`x` onerror=alert(1)>",
	`<<script>alert(1)//<</script>`,
	`<scr<script>ipt>alert(1)</scr</script>ipt>`,
	`&lt;script&gt;alert(1)&lt;/script&gt;`,
	`[x](javascript:alert(1))`,
	`[x](JaVaScRiPt:alert(1))`,
	`[x](javascript&colon;alert(1))`,
	`[x](&#x6A;avascript:alert(1))`,
	`[x](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)`,
	`[x](vbscript:msgbox(1))`,
	`[x]( javascript:alert(1) "title")`,
	`[x](https://example.org "\" onmouseover=\"alert(1)")`,
	`[x](<javascript:alert(1)>)`,
	"[x](java\tscript:alert(1))",
	`<javascript:alert(1)>`,
	`![x](javascript:alert(1))`,
	`![x](data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9YWxlcnQoMSk+)`,
	`![x" onerror="alert(1)](https://example.org/a.png)`,
	`![x](https://example.org/a.png"onerror="alert(1))`,
	`[r]: javascript:alert(1)` + "\n\n[r]",
	"```html\n<script>alert(1)</script>\n```",
	"```\"><script>alert(1)</script>\n x\n```",
	"```go onload=alert(1)\n</code></pre><script>alert(1)</script>\n```",
	"# <script>alert(1)</script>",
	"# x {#\" onload=alert(1)}",
	"# x {onclick=alert(1)}",
	"| <script>alert(1)</script> | b |\n|---|---|\n| <img src=x onerror=alert(1)> | [x](javascript:alert(1)) |",
	`- [ ] <input onfocus=alert(1) autofocus>`,
	`~~<script>alert(1)</script>~~`,
	`{{constructor.constructor('alert(1)')()}}`,
	"</title></textarea></style></script><script>alert(1)</script>",
	"\u2028<script>alert(1)</script>",
	`https://example.org/"onmouseover="alert(1)`,
	`www.example.org/"><script>alert(1)</script>`,
}

// TestXSS puts every attack into every field of every kind of block, saves what
// may be saved, renders all of it, and looks at the result as a browser would.
func TestXSS(t *testing.T) {
	r := openRoom(t)
	ctx := t.Context()
	saved := 0
	for _, attack := range attacks {
		var c blog.Content
		for _, kind := range []blog.Kind{blog.Text, blog.Quote, blog.Code, blog.Image, blog.Video} {
			c.Blocks = append(c.Blocks,
				blog.Block{Type: kind, Content: attack, Alt: attack, Caption: attack, Language: attack},
				blog.Block{Type: kind, Content: "https://example.org/" + attack, Alt: attack, Caption: attack, Language: "html"})
		}
		c.Title, c.Summary, c.Author, c.Tags, c.Thumbnail = attack, attack, attack, []string{attack}, attack
		a, err := r.Render(ctx, c)
		check(t, err, nil)
		harmless(t, attack, a)

		// What passes the checks, as it comes back from the store.
		kept := content("Title", 0)
		kept.Summary = attack
		for _, b := range c.Blocks {
			b.Language = "html" // an attack is no language
			if (blog.Content{Facts: blog.Facts{Title: "x", Summary: "x"}, Blocks: []blog.Block{b}}).Validate() == nil {
				kept.Blocks = append(kept.Blocks, b)
			}
		}
		if (blog.Content{Facts: blog.Facts{Title: attack, Summary: "x"}}).Validate() == nil {
			kept.Title = attack
		}
		if len(kept.Blocks) == 0 {
			t.Errorf("nothing of %q can be saved", attack)
			continue
		}
		p := r.publish(t, kept)
		a, err = r.Public().Post(ctx, p.ID)
		check(t, err, nil)
		harmless(t, attack, a)
		saved += len(kept.Blocks)
	}
	if saved < 5*len(attacks) {
		t.Errorf("only %d blocks could be saved", saved)
	}
}

func harmless(t *testing.T, attack string, a *blog.Article) {
	t.Helper()
	for _, row := range a.Rows {
		for _, cell := range row.Cells {
			if bad := dangers(string(cell.HTML)); bad != "" {
				t.Errorf("%q in a %s block: %s\n%s", attack, cell.Type, bad, cell.HTML)
			}
		}
	}
	for _, address := range []string{a.Thumbnail, a.Image} {
		if address != "" && !safeAddress(address) {
			t.Errorf("%q as address: %q", attack, address)
		}
	}
}

// elements are all that an article may hold.
var elements = map[string]bool{}

func init() {
	for name := range strings.FieldsSeq("p br hr em strong del code pre span blockquote ul ol li table thead tbody tr th td h2 h3 h4 h5 h6 a img input figure figcaption html head body") {
		elements[name] = true
	}
}

// dangers parses HTML as a browser does and says what in it could do harm.
func dangers(text string) string {
	root, err := html.Parse(strings.NewReader(text))
	if err != nil {
		return err.Error()
	}
	for n := range root.Descendants() {
		if n.Type == html.CommentNode {
			return "a comment"
		}
		if n.Type != html.ElementNode {
			continue
		}
		if !elements[n.Data] || n.Namespace != "" {
			return "element " + n.Data
		}
		for _, a := range n.Attr {
			switch name := strings.ToLower(a.Key); {
			case strings.HasPrefix(name, "on"), name == "style", name == "srcdoc", name == "formaction":
				return fmt.Sprintf("attribute %s=%q", a.Key, a.Val)
			case name == "href" || name == "src" || name == "data-embed":
				if !safeAddress(a.Val) {
					return fmt.Sprintf("address %s=%q", a.Key, a.Val)
				}
			case name == "id" && !strings.HasPrefix(a.Val, "s"):
				return fmt.Sprintf("name %q", a.Val)
			}
		}
	}
	return ""
}

func safeAddress(s string) bool {
	u, err := url.Parse(strings.TrimSpace(s))
	return err == nil && (u.Scheme == "https" || u.Scheme == "http" || u.Scheme == "mailto" || u.Scheme == "")
}

// The judge itself must find what is dangerous.
func TestDangersAreFound(t *testing.T) {
	found := 0
	for _, attack := range attacks {
		if dangers(attack) != "" {
			found++
		}
	}
	if found < 35 {
		t.Errorf("only %d of %d attacks are seen as such", found, len(attacks))
	}
	if bad := dangers(`<p>a <em>b</em> <a href="https://example.org">c</a></p>`); bad != "" {
		t.Errorf("harmless text: %s", bad)
	}
}
