package prose

import (
	"bytes"
	"html"
	"slices"
	"strings"

	"github.com/alecthomas/chroma/v2"
	chromahtml "github.com/alecthomas/chroma/v2/formatters/html"
	"github.com/alecthomas/chroma/v2/lexers"
)

// How many bytes are coloured; more is shown plain, because lexers take their
// time.
const (
	maxHighlight = 64 << 10
	// maxWhole is for lexers that cannot be stopped in the middle: they read a text to
	// its end before they give a token of it.
	maxWhole = 4 << 10
)

var formatter = chromahtml.New(chromahtml.WithClasses(true), chromahtml.PreventSurroundingPre(true))

// colourless is a style without colours: the pages' style sheet has them.
var colourless = chroma.MustNewStyle("colourless", chroma.StyleEntries{})

// highlighted writes code with classes for colours. Code that would take too long is
// shown without.
func (b *budget) highlighted(source, language string) string {
	if lexer := lexerOf(language, len(source)); lexer != nil {
		if coloured, ok := b.colour(lexer, source); ok {
			return `<pre class="chroma"><code class="language-` + className(lexer.Config().Name) + `">` + coloured + `</code></pre>`
		}
	}
	return `<pre class="chroma"><code>` + html.EscapeString(source) + `</code></pre>`
}

// colour asks the lexer for one token after the other, for as long as there is time
// and someone waits.
func (b *budget) colour(lexer chroma.Lexer, source string) (coloured string, ok bool) {
	if b.code <= 0 || b.ctx.Err() != nil {
		return "", false
	}
	defer func() {
		if recover() != nil { // lexers panic when their rules do not fit together
			coloured, ok = "", false
		}
	}()
	next, err := lexer.Tokenise(nil, source) // which compiles its rules, once
	if err != nil {
		return "", false
	}
	var tokens []chroma.Token
	begin := b.now()
	for token := next(); token != chroma.EOF; token = next() {
		tokens = append(tokens, token)
		if b.now().Sub(begin) > b.code || b.ctx.Err() != nil {
			b.code = 0
			return "", false
		}
	}
	b.code -= b.now().Sub(begin)
	all, err := chroma.Coalesce(listed{lexer, tokens}).Tokenise(nil, "")
	var out bytes.Buffer
	if err == nil {
		err = formatter.Format(&out, colourless, all)
	}
	return out.String(), err == nil
}

// listed is a lexer that is done.
type listed struct {
	chroma.Lexer
	tokens []chroma.Token
}

func (l listed) Tokenise(*chroma.TokeniseOptions, string) (chroma.Iterator, error) {
	return chroma.Literator(l.tokens...), nil
}

// nesting are the lexers that hand parts of a text, whatever their language, to
// another lexer.
var nesting = []string{"Arturo", "Cassandra CQL", "Gemtext", "Markless", "markdown", "Materialize SQL dialect", "Org Mode", "PostgreSQL SQL dialect"}

// lexerOf finds the lexer for so much text of a language; nil if it is shown plain.
func lexerOf(language string, size int) chroma.Lexer {
	if language == "" || len(language) > 40 || size > maxHighlight {
		return nil
	}
	lexer := lexers.Get(language)
	if lexer == nil || lexer == lexers.Fallback {
		return nil
	}
	if _, steps := lexer.(*chroma.RegexLexer); size > maxWhole && (!steps || slices.Contains(nesting, lexer.Config().Name)) {
		return nil
	}
	return lexer
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
