package minutes

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

// locate finds a quote in the text of a speech, whatever the spaces, line breaks and
// widths of characters are, and returns the words as the speech has them.
func locate(text, quote string) (string, bool) {
	quote = unquoted(quote)
	if quote == "" {
		return "", false
	}
	text = strings.ToValidUTF8(text, "")
	if i := strings.Index(text, quote); i >= 0 {
		return text[i : i+len(quote)], true
	}
	var flat strings.Builder
	var starts, ends []int // for each byte of flat, the piece of text that it came from
	var it norm.Iter
	it.InitString(norm.NFKC, text)
	for !it.Done() {
		from := it.Pos()
		piece := bare(string(it.Next()))
		flat.WriteString(piece)
		for range len(piece) {
			starts, ends = append(starts, from), append(ends, it.Pos())
		}
	}
	i := strings.Index(flat.String(), quote)
	if i < 0 {
		return "", false
	}
	return strings.TrimSpace(text[starts[i]:ends[i+len(quote)-1]]), true
}
