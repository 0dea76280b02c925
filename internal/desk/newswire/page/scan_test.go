package page

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// ours and theirs write down what a page consists of: tags, attributes and texts.
func ours(page string) []string {
	var all []string
	s := scanner{src: []byte(page)}
	for t := s.next(); t != nil; t = s.next() {
		switch t.kind {
		case textToken:
			all = addText(all, t.text())
		case startToken:
			line := "<" + lower(string(t.tag))
			for i, a := range t.attrs {
				if slices.ContainsFunc(t.attrs[:i], func(b attribute) bool { return lower(string(b.key)) == lower(string(a.key)) }) {
					continue // the first counts
				}
				line += " " + lower(string(a.key)) + "=" + unescape(a.value)
			}
			all = append(all, line)
		case endToken:
			all = append(all, "</"+lower(string(t.tag)))
		}
	}
	return all
}

func theirs(page string) []string {
	var all []string
	z := html.NewTokenizer(strings.NewReader(page))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return all
		case html.TextToken:
			all = addText(all, z.Token().Data)
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			line := "<" + t.Data
			for _, a := range t.Attr {
				line += " " + a.Key + "=" + a.Val
			}
			all = append(all, line)
		case html.EndTagToken:
			all = append(all, "</"+z.Token().Data)
		}
	}
}

// lower changes ASCII only, as the names of HTML do.
func lower(name string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}, name)
}

func addText(all []string, text string) []string {
	if n := len(all) - 1; n >= 0 && all[n] != "" && all[n][0] == '"' {
		all[n] += text
		return all
	}
	return append(all, `"`+text)
}

var scanned = []string{
	"", "x", "<", "</", "<a", "<a ", "<a b", "a < b <3 <b>x</b>", "<p>one<p class=x id='y z' hidden data-a=\"1&amp;2\">two",
	"<!doctype html><!-- <a href=x> --><!----><!--->x<!-- -- --!>y<!-- open", "<? php ?>x<!x>y</ z>w</>v",
	"<script>if (a</b/ && '<p>') {}</SCRIPT >after", "<style>p{}</style><title>a &lt; <b>b</title><textarea><p>&amp;</textarea>",
	"<br/><img src=x/><a href=/a/b/>x</a><p / class=x>", "<A HREF = \"X\" Href=y =z>x</A >", "<p a=\"open", "<script>open", "<noscript><p>x</noscript><iframe><p></iframe>",
	"<script><!-- w('<script>x</script>') --></script>y", "<script><!-- </script>x", "<script><!--><script>x</script>y</script>z", "<script><!--<script>-->x</script>y",
	"<script><!--<script>x</script>y</script>z", "<script><!--<scripts>x</script>y", "<script>a<!-", "<script></scripty></script", "&#0", "<p a='&#0'>",
	"<plaintext><p>x</plaintext>", "<table><tr><td>1<td>2</table>", "<p a='&copy;&#x41;&bogus;'>&eacute;&nbsp;&",
	article,
}

// A page is cut into the same tags and texts as by a tokenizer that follows the
// standard to the letter.
func TestScanner(t *testing.T) {
	for _, page := range scanned {
		if diff := cmp.Diff(theirs(page), ours(page)); diff != "" {
			t.Errorf("%q: %s", page, diff)
		}
	}
}

func FuzzScanner(f *testing.F) {
	for _, page := range scanned {
		f.Add(page)
	}
	f.Fuzz(func(t *testing.T, page string) {
		if !utf8.ValidString(page) || strings.ContainsAny(page, "\r\x00") {
			return // pages are decoded first
		}
		if diff := cmp.Diff(theirs(page), ours(page)); diff != "" {
			t.Errorf("%q: %s", page, diff)
		}
	})
}

// Tags that are left out, and tags too many, do not spoil the text.
func TestSloppyBody(t *testing.T) {
	long := strings.TrimSpace(strings.Repeat(paragraph, 3))
	for name, row := range map[string]struct{ body, want string }{
		"no end tags":   {"<p>" + long + "<p>Two<ul><li>a<li>b</ul><table><tr><td>c<td>d</table></article><p>not this", long + "\n\nTwo\n\na\n\nb\n\nc\n\nd"},
		"open bold":     {"<p><b>" + long + "</p><p>Two</p></b></article>", long + "\n\nTwo"},
		"stray ends":    {"</span></p><p>" + long + "</i></p><p>Two</p></article>", long + "\n\nTwo"},
		"never ends":    {"<p>" + long + "</p><p>Two", long + "\n\nTwo"},
		"drawing":       {"<svg/><svg><style/><title/><path d=''/></svg><p>" + long + "</p><p>Two</p></article>", long + "\n\nTwo"},
		"script":        {"<p>" + long + "<script>x = '<p>y</p>'</script></p><p>Tw<br>o</p></article>", long + "\n\nTw o"},
		"references":    {"<p>" + long + "</p><p>R&amp;D &lt;b&gt; caf&eacute;</p></article>", long + "\n\nR&D <b> café"},
		"custom":        {"<x-body><p>" + long + "</p></x-body><p>Two</p></article>", long + "\n\nTwo"},
		"in a division": {"<p>" + long + "</p></div></article><p>not this</p>", long},
		"skipped":       {"<p>" + long + "</p><figure><p>Photo</p></figure><form><p>Sign up</p></form><button><p>b</p></button><p>Two</p></article>", long + "\n\nTwo"},
		"ruby":          {"<p>" + long + "</p><p><ruby>東京<rp>(<rt>とうきょう<rp>)</ruby>です</p></article>", long + "\n\n東京です"},
	} {
		if got := read(t, "<div><article>"+row.body, "").markedText(); got != row.want {
			t.Errorf("%s: %q, want %q", name, got, row.want)
		}
	}
}

func TestTextUntil(t *testing.T) {
	s := scanner{src: []byte("<h1>A <a href=x>b</a> &amp; c</h1>d")}
	s.next()
	if got := s.textUntil(atom.H1); got != "A b & c" || s.next().text() != "A " {
		t.Errorf("%q", got)
	}
}
