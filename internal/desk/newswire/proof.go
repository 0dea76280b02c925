package newswire

import (
	"context"
	"fmt"
	"strings"

	"pressroom/internal/proof"
	"pressroom/llm"
)

// cutSentence is a sentence of an answer that is not published, and why.
type cutSentence struct {
	Sentence string        `json:"sentence"`
	Verdict  proof.Verdict `json:"verdict"`
	Class    proof.Class   `json:"class"`
	Reason   string        `json:"reason"`
}

// prove holds every sentence of a summary against the passages that it cites and the headline,
// and returns what is proved and what is cut.
func prove(ctx context.Context, a *Article, passages []llm.Passage, summary string, orders []int) (string, []cutSentence, error) {
	const headline = 0 // passages begin with 1
	page := []proof.Passage{{Order: headline, Text: a.Title}}
	for _, p := range passages {
		page = append(page, proof.Passage{Order: p.Order, Text: p.Text})
	}
	record := proof.NewRecord(a.PublishedAt, "", page)
	claims, err := record.CheckAll(ctx, proof.Split("summary", summary, append([]int{headline}, orders...)))
	if err != nil {
		return "", nil, err
	}
	var cut []cutSentence
	for _, c := range proof.Worse(claims, proof.Supported) {
		cut = append(cut, cutSentence{c.Sentence, c.Verdict, c.Class, c.Reason.En})
	}
	return proof.ByPlace(claims).Text("summary", summary, proof.Supported), cut, nil
}

// unproved is the failure of a summary of which nothing is left, or of one that a person must look
// at first, as the options say. Nil if what is left may be published.
func (d *Desk) unproved(left string, cut []cutSentence, resp *llm.Response) error {
	e := &llm.Error{Kind: llm.InvalidOutput, Provider: resp.Provider, Model: resp.Model, Text: resp.Text, Message: "nothing of the summary is proved by the page"}
	switch {
	case len(cut) == 0:
		return nil
	case d.opt.ReviewUnproved:
		e.Kind, e.Message = llm.Filtered, "the page does not prove all of the summary, and somebody must look at it" // asking again is for them to decide
	case left != "":
		return nil
	}
	reasons := make([]string, len(cut))
	for i, c := range cut {
		reasons[i] = fmt.Sprintf("%s: %s (%s)", c.Verdict, c.Reason, c.Sentence)
	}
	e.Message += ": " + strings.Join(reasons, "; ")
	return e
}
