package minutes

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"unicode"
)

// Share is how much somebody, or all of a party, said in meetings, and how much of the texts
// about them tells it. Both are characters that are no space.
type Share struct {
	Name   string `dynamodbav:"name" json:"name"`
	Group  string `dynamodbav:"group,omitempty" json:"group,omitempty"`
	Speech int    `dynamodbav:"speech" json:"speech" doc:"characters that were said, procedure left out"`
	Text   int    `dynamodbav:"text" json:"text" doc:"characters of the text that rest on it"`
}

// shares compares what was said with what is told, the longest speaker first. Procedure counts
// on neither side. A text that rests on several speeches is told of each to the same part.
func (a *Asset) shares() []Share {
	var out []Share
	at := map[string]int{} // by name
	of := map[int]int{}    // by order
	for _, d := range a.Dialogs {
		if d.Speaker == "" || d.Speaker == Heading || slices.Contains(a.Procedural, d.Order) {
			continue
		}
		i, ok := at[d.Speaker]
		if !ok {
			i = len(out)
			at[d.Speaker] = i
			out = append(out, Share{Name: d.Speaker, Group: d.Group})
		}
		of[d.Order] = i
		if out[i].Group == "" {
			out[i].Group = d.Group
		}
		out[i].Speech += letters(d.OriginalText)
		for _, s := range d.Sections {
			for _, b := range s.Bullets {
				out[i].Text += letters(b.Point) + letters(b.Detail)
			}
		}
	}
	for _, c := range append([]Cited{a.Summary}, a.MiddleSummary...) {
		var speakers []int
		for _, order := range c.BasedOnOrders {
			if i, ok := of[order]; ok {
				speakers = append(speakers, i)
			}
		}
		for _, i := range speakers {
			out[i].Text += letters(c.Summary) / len(speakers)
		}
	}
	sortShares(out)
	room := sharesMax
	for i, s := range out {
		if room -= shareBytes + len(s.Name) + len(s.Group); room < 0 {
			return out[:i]
		}
	}
	return out
}

// An article keeps the shares of the longest speakers, as far as there is room for them.
const (
	sharesMax  = 40 << 10
	shareBytes = 60 // of one as it is stored, besides its names
)

func letters(text string) (n int) {
	for _, r := range text {
		if !unicode.IsSpace(r) {
			n++
		}
	}
	return n
}

func sortShares(s []Share) {
	slices.SortFunc(s, func(a, b Share) int { return cmp.Or(cmp.Compare(b.Speech, a.Speech), cmp.Compare(a.Name, b.Name)) })
}

// Shares are who said how much in the article's meeting, and how much of the article tells it.
func (f *Full) Shares() []Share { return f.Asset.shares() }

// GroupShares adds shares up by party. Those who have none are one share without a name.
func GroupShares(people []Share) []Share {
	return addUp(nil, people, func(s Share) Share { return Share{Name: s.Group, Speech: s.Speech, Text: s.Text} })
}

// addUp adds shares to others of the same name, as key makes them.
func addUp(all, more []Share, key func(Share) Share) []Share {
	at := map[string]int{}
	for i := range all {
		at[all[i].Name] = i
	}
	for _, s := range more {
		s = key(s)
		i, ok := at[s.Name]
		if !ok {
			at[s.Name] = len(all)
			all = append(all, s)
			continue
		}
		all[i].Speech += s.Speech
		all[i].Text += s.Text
		if s.Group != "" {
			all[i].Group = s.Group
		}
	}
	sortShares(all)
	return all
}

// SharesOfMonth adds up who said how much in the assembly's meetings of a month (2026-11), and
// how much of the articles tells it. It returns of how many articles; those whose shares were
// never counted, because another program or an earlier version wrote them, are left out.
func (a Assembly) SharesOfMonth(ctx context.Context, month string) (people []Share, articles int, err error) {
	for article, err := range a.OfMonth(ctx, month) {
		if err != nil {
			return nil, 0, fmt.Errorf("shares of %s: %w", month, err)
		}
		if len(article.Shares) > 0 {
			articles++
			people = addUp(people, article.Shares, func(s Share) Share { return s })
		}
	}
	return people, articles, nil
}
