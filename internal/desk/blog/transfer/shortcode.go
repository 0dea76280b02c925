package transfer

import (
	"html"
	"regexp"
	"strings"
)

var (
	caption    = regexp.MustCompile(`(?is)\[caption\b([^\]]*)\](.*?)\[/caption\]`)
	codeShort  = regexp.MustCompile(`(?is)\[(code|sourcecode|php|html|css|javascript|python)\b([^\]]*)\](.*?)\[/(?:code|sourcecode|php|html|css|javascript|python)\]`)
	embedShort = regexp.MustCompile(`(?is)\[embed\b[^\]]*\]\s*(\S+?)\s*\[/embed\]`)
	playShort  = regexp.MustCompile(`(?is)\[(?:youtube|vimeo|video|audio|wpvideo)\b([^\]]*)\](?:\s*\[/(?:video|audio)\])?`)
	gallery    = regexp.MustCompile(`(?is)\[gallery\b([^\]]*)\]`)
	otherShort = regexp.MustCompile(`\[/?([a-z][a-z0-9_-]{2,40})(?:\s+[a-z_-]+=(?:"[^"]*"|'[^']*'|[^\s\]]+)[^\]]*|\s*/)?\]`)
	shortAttr  = regexp.MustCompile(`([a-z_-]+)=(?:"([^"]*)"|'([^']*)'|([^\s"'\]]+))`)
	someURL    = regexp.MustCompile(`https?://[^\s"'\]]+`)
	imageTag   = regexp.MustCompile(`(?is)<img\b[^>]*>`)
)

func shortAttrs(s string) map[string]string {
	found := map[string]string{}
	for _, m := range shortAttr.FindAllStringSubmatch(s, -1) {
		found[m[1]] = m[2] + m[3] + m[4]
	}
	return found
}

// body adds the content of a post of WordPress: HTML with comments of its editor, or
// HTML without paragraphs from before that; shortcodes in both.
func (w *wordpress) body(b *builder, content string) {
	b.breaks = !strings.Contains(content, "<!-- wp:")
	if len(content) > maxText {
		b.lose("its text was longer than %d MB; the rest is left out", maxText>>20)
		content = strings.ToValidUTF8(content[:maxText], "")
	}
	content = codeShort.ReplaceAllStringFunc(content, func(s string) string {
		m := codeShort.FindStringSubmatch(s)
		a := shortAttrs(m[2])
		language := a["language"] + a["lang"]
		if language == "" && m[1] != "code" && m[1] != "sourcecode" {
			language = m[1]
		}
		return `<pre class="language-` + html.EscapeString(language) + `">` + html.EscapeString(html.UnescapeString(m[3])) + "</pre>"
	})
	content = caption.ReplaceAllStringFunc(content, func(s string) string {
		m := caption.FindStringSubmatch(s)
		picture := imageTag.FindString(m[2])
		if picture == "" {
			return m[2]
		}
		words := shortAttrs(m[1])["caption"]
		if words == "" {
			words = imageTag.ReplaceAllString(m[2], "")
		}
		return "<figure>" + picture + "<figcaption>" + words + "</figcaption></figure>"
	})
	content = embedShort.ReplaceAllString(content, "<iframe src=\"$1\"></iframe>")
	content = playShort.ReplaceAllStringFunc(content, func(s string) string {
		if u := someURL.FindString(s); u != "" {
			return `<iframe src="` + html.EscapeString(u) + `"></iframe>`
		}
		return s
	})
	content = gallery.ReplaceAllStringFunc(content, func(s string) string {
		var pictures strings.Builder
		for id := range strings.SplitSeq(shortAttrs(gallery.FindStringSubmatch(s)[1])["ids"], ",") {
			if p := w.media[strings.TrimSpace(id)]; p.address != "" {
				pictures.WriteString(`<figure><img src="` + html.EscapeString(p.address) + `" alt="` + html.EscapeString(p.alt) + `"></figure>`)
			}
		}
		if pictures.Len() == 0 {
			b.lose("a gallery of all pictures of the post is left out")
		}
		return pictures.String()
	})
	for _, m := range otherShort.FindAllStringSubmatch(content, -1) {
		b.lose("the shortcode [%s] is kept as text", m[1])
	}
	b.html(content)
}
