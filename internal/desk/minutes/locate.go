package minutes

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

// locator finds quotes in the text of a speech, whatever the spaces, line breaks and
// widths of characters are. A speech may have megabytes and hundreds of quotes: what
// is prepared is prepared once.
type locator struct {
	text   string
	flat   string // the text as bare makes it
	pieces []flatPiece
	known  map[string]string
}

// flatPiece is where a piece of the flat text begins, and where in the text it came
// from.
type flatPiece struct{ flat, text int }

func newLocator(text string) *locator {
	return &locator{text: strings.ToValidUTF8(text, ""), known: map[string]string{}}
}

// find returns the quote in the very characters of the speech.
func (l *locator) find(quote string) (string, bool) {
	quote = unquoted(quote)
	found, ok := l.known[quote]
	if !ok {
		found = l.search(quote)
		l.known[quote] = found
	}
	return found, found != ""
}

func (l *locator) search(quote string) string {
	if quote == "" {
		return ""
	}
	if i := strings.Index(l.text, quote); i >= 0 {
		return l.text[i : i+len(quote)]
	}
	if l.pieces == nil {
		l.flatten()
	}
	i := strings.Index(l.flat, quote)
	if i < 0 {
		return ""
	}
	return strings.TrimSpace(l.text[l.before(i):l.behind(i+len(quote))])
}

func (l *locator) flatten() {
	var flat strings.Builder
	var it norm.Iter
	it.InitString(norm.NFKC, l.text)
	for !it.Done() {
		from := it.Pos()
		if piece := bare(string(it.Next())); piece != "" {
			l.pieces = append(l.pieces, flatPiece{flat.Len(), from})
			flat.WriteString(piece)
		}
	}
	l.pieces = append(l.pieces, flatPiece{flat.Len(), len(l.text)})
	l.flat = flat.String()
}

// before is where in the text the piece begins that a place of the flat text is in.
func (l *locator) before(at int) int {
	low, high := 0, len(l.pieces)-1
	for low < high {
		if middle := (low + high + 1) / 2; l.pieces[middle].flat <= at {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return l.pieces[low].text
}

// behind is where in the text the first piece begins that is not before a place of
// the flat text.
func (l *locator) behind(at int) int {
	low, high := 0, len(l.pieces)-1
	for low < high {
		if middle := (low + high) / 2; l.pieces[middle].flat >= at {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return l.pieces[low].text
}
