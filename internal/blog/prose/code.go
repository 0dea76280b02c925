package prose

import (
	"bytes"
	"html"
	"strings"
	"sync"

	"github.com/alecthomas/chroma/v2"
	chromahtml "github.com/alecthomas/chroma/v2/formatters/html"
	"github.com/alecthomas/chroma/v2/lexers"
	"github.com/alecthomas/chroma/v2/styles"
)

// maxHighlight is how many bytes are coloured; more is shown plain, because
// lexers take their time.
const maxHighlight = 64 << 10

var formatter = chromahtml.New(chromahtml.WithClasses(true), chromahtml.PreventSurroundingPre(true))

// highlighted writes code with classes for colours; see [CSS].
func highlighted(source, language string) string {
	lexer := lexerOf(language)
	if lexer == nil || len(source) > maxHighlight {
		return `<pre class="chroma"><code>` + html.EscapeString(source) + `</code></pre>`
	}
	tokens, err := lexer.Tokenise(nil, source)
	var b bytes.Buffer
	if err == nil {
		err = formatter.Format(&b, styles.Fallback, tokens)
	}
	if err != nil { // the lexer gave up: the text is still worth showing
		return `<pre class="chroma"><code>` + html.EscapeString(source) + `</code></pre>`
	}
	return `<pre class="chroma"><code class="language-` + className(lexer.Config().Name) + `">` + b.String() + `</code></pre>`
}

func lexerOf(language string) chroma.Lexer {
	if language == "" || len(language) > 40 {
		return nil
	}
	lexer := lexers.Get(language)
	if lexer == nil || lexer == lexers.Fallback {
		return nil
	}
	return chroma.Coalesce(lexer)
}

// className makes a language's name fit to be part of a class.
func className(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '-'
	}, name)
}

// CSS returns the style sheet of the colours of code, light and dark.
var CSS = sync.OnceValue(func() string {
	var b strings.Builder
	// A strings.Builder takes everything.
	_ = formatter.WriteCSS(&b, styles.Get("github"))
	b.WriteString("@media (prefers-color-scheme: dark) {\n")
	_ = formatter.WriteCSS(&b, styles.Get("github-dark"))
	b.WriteString("}\n")
	return b.String()
})
