package web

import (
	"html/template"
	"strconv"
	"strings"

	"pressroom/internal/auth"
)

// TermLink is a word with its explanation: a link to the glossary's entry, and the
// gloss beside it, shown on hover, on focus and on tap. The number must differ
// between all terms of a page, because ids are made of it.
func TermLink(number int, word, path, gloss string) template.HTML {
	id := "term-" + strconv.Itoa(number)
	var b strings.Builder
	b.WriteString(`<span class="term"><a href="`)
	template.HTMLEscape(&b, []byte(auth.LocalPath(path)))
	b.WriteString(`" aria-describedby="` + id + `">`)
	template.HTMLEscape(&b, []byte(word))
	b.WriteString(`</a><span class="gloss" role="tooltip" id="` + id + `">`)
	template.HTMLEscape(&b, []byte(gloss))
	b.WriteString(`</span></span>`)
	return template.HTML(b.String())
}
