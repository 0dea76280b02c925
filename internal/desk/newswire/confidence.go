package newswire

import (
	"math"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"pressroom/internal/desk/newswire/page"
	"pressroom/llm"
)

// Reasons are the heuristics behind a summary's confidence, each 0 to 1. They
// measure how far a summary stays with its source, not whether it is true.
type Reasons struct {
	// Overlap is the share of the summary's words that the article has.
	Overlap float64 `dynamodbav:"overlap" json:"overlap"`
	// Length is 1 for a summary of 40 to 1,000 characters that is at most
	// half as long as the article, and less the further it is from that.
	Length float64 `dynamodbav:"length" json:"length"`
	// Citations is the share of the summary's words that the passages it
	// names have.
	Citations float64 `dynamodbav:"citations" json:"citations"`
}

// Confidence weighs the heuristics: half overlap, three tenths citations, two
// tenths length, in steps of a hundredth.
func (r Reasons) Confidence() float64 {
	return math.Round((0.5*r.Overlap+0.3*r.Citations+0.2*r.Length)*100) / 100
}

func reasons(summary, title, text string, passages []llm.Passage, orders []int) Reasons {
	said := terms(summary)
	var cited strings.Builder
	for _, p := range passages {
		for _, o := range orders {
			if o == p.Order {
				cited.WriteString(p.Text + "\n")
				break
			}
		}
	}
	return Reasons{
		Overlap:   round(share(said, terms(text+"\n"+title))),
		Citations: round(share(said, terms(cited.String()))),
		Length:    round(fit(utf8.RuneCountInString(summary), utf8.RuneCountInString(text))),
	}
}

func round(x float64) float64 { return math.Round(x*1000) / 1000 }

func share(said, source map[string]bool) float64 {
	if len(said) == 0 {
		return 0
	}
	n := 0
	for t := range said {
		if source[t] {
			n++
		}
	}
	return float64(n) / float64(len(said))
}

func fit(summary, text int) float64 {
	if summary == 0 || text == 0 {
		return 0
	}
	most := min(1000, max(text/2, 80))
	switch {
	case summary < 40:
		return float64(summary) / 40
	case summary > most:
		return float64(most) / float64(summary)
	}
	return 1
}

// terms are the words of a text in lower case; of Japanese, the pairs of
// characters.
func terms(text string) map[string]bool {
	set := map[string]bool{}
	word := []rune{}
	var last rune
	flush := func() {
		if len(word) > 1 || len(word) == 1 && unicode.IsDigit(word[0]) {
			set[string(word)] = true
		}
		word = word[:0]
	}
	for _, r := range text {
		wide := page.IsWide(r) && (unicode.IsLetter(r) || r == 'ー')
		switch {
		case wide:
			flush()
			if last != 0 {
				set[string([]rune{last, r})] = true
			}
			last = r
			continue
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			word = append(word, unicode.ToLower(r))
		default:
			flush()
		}
		last = 0
	}
	flush()
	return set
}

var (
	markedLink = regexp.MustCompile(`!?\[([^\]]*)\]\([^)]*\)`)
	tag        = regexp.MustCompile(`<[^<>]*>`)
	lineMark   = regexp.MustCompile(`(?m)^[ \t]*(?:#{1,6}[ \t]+|>[ \t]?|[-*+][ \t]+|\d+[.)][ \t]+|={3,}[ \t]*$|-{3,}[ \t]*$)`)
	emphasis   = strings.NewReplacer("`", "", "**", "", "__", "", "~~", "")
)

// safe makes a summary of one or two paragraphs of plain text that is the same
// read as Markdown: no markup, links, lists or control characters.
func safe(text string) string {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	text = markedLink.ReplaceAllString(text, "$1")
	for tag.MatchString(text) { // what is left may be a tag again
		text = tag.ReplaceAllString(text, "")
	}
	text = lineMark.ReplaceAllString(text, "")
	text = emphasis.Replace(text)
	text = strings.NewReplacer("<", "‹", ">", "›", "[", "(", "]", ")", "*", "", "\\", "").Replace(text)
	var paragraphs []string
	for part := range strings.SplitSeq(text, "\n\n") {
		if line := page.Clean(part); line != "" {
			paragraphs = append(paragraphs, line)
		}
	}
	if len(paragraphs) > 2 {
		paragraphs = []string{paragraphs[0], strings.Join(paragraphs[1:], " ")}
	}
	return page.Cut(strings.Join(paragraphs, "\n\n"), maxSummary)
}
