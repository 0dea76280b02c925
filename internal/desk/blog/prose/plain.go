package prose

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"
)

// Plain returns the words of Markdown without its signs: paragraphs on lines of
// their own, raw HTML and addresses left out. Text that would take too long keeps
// its signs.
func Plain(source string) string {
	src := []byte(source)
	doc, ok := newBudget(context.Background()).parse(src, nil)
	if !ok {
		return squeeze(source)
	}
	return plainOf(doc, src)
}

// plainOf collects the text below a node.
func plainOf(n ast.Node, src []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			if n.Type() == ast.TypeBlock || n.Kind() == extast.KindTableCell {
				b.WriteByte('\n')
			}
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			b.Write(util.UnescapePunctuations(n.Value(src)))
			if n.SoftLineBreak() || n.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(n.Value)
		case *ast.AutoLink:
			b.Write(n.Label(src))
		case *ast.CodeBlock, *ast.FencedCodeBlock:
			b.Write(n.Lines().Value(src))
		case *ast.RawHTML, *ast.HTMLBlock:
			return ast.WalkSkipChildren, nil
		}
		return ast.WalkContinue, nil
	})
	return squeeze(b.String())
}

// squeeze takes out empty lines and space around lines.
func squeeze(s string) string {
	var lines []string
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// isWord reports whether a name may hold the character.
func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) }

// Reading speeds, of grown-up readers on a screen.
const (
	wordsPerMinute      = 220 // of languages with spaces
	charactersPerMinute = 500 // of Japanese and Chinese
)

// Minutes returns how long it takes to read so much text, with so many images,
// at least one minute.
func Minutes(s string, images int) int {
	words, characters := count(s)
	seconds := words*60/wordsPerMinute + characters*60/charactersPerMinute + images*10
	return max(1, (seconds+59)/60)
}

// count counts the characters of scripts without spaces, and the words of others.
func count(s string) (words, characters int) {
	inWord := false
	for _, r := range s {
		switch {
		case r < utf8.RuneSelf && (r|0x20 >= 'a' && r|0x20 <= 'z' || r >= '0' && r <= '9'):
			if !inWord {
				words++
			}
			inWord = true
		case r > utf8.RuneSelf && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai):
			characters++
			inWord = false
		case isWord(r):
			if !inWord {
				words++
			}
			inWord = true
		case r != '\'' && r != '’' && r != '-':
			inWord = false
		}
	}
	return words, characters
}

// Shorten cuts text to at most so many characters, at the end of a sentence or of
// a word if there is one in its second half, with an ellipsis if that was no end
// of a sentence.
func Shorten(s string, most int) string {
	s = strings.Join(strings.Fields(s), " ")
	runes := []rune(s)
	if len(runes) <= most {
		return s
	}
	for i := most - 1; i >= most/2; i-- {
		ends := strings.ContainsRune("。！？", runes[i])
		if strings.ContainsRune(".!?", runes[i]) && runes[i+1] == ' ' {
			ends = true
		}
		if ends {
			return string(runes[:i+1])
		}
	}
	cut := most - 1
	for i := cut; i >= most/2; i-- {
		if runes[i] == ' ' {
			cut = i
			break
		}
	}
	return string(runes[:cut]) + "…"
}
