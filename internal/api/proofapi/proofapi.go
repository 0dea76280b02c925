// Package proofapi is proof in JSON: POST /api/v1/proof/checks holds a text against the record that it is about.
//
// It promises to keep nothing of what is sent, to ask no language model, and to give up when the operation's time is over.
// Start with [Register].
package proofapi

import (
	"context"
	"encoding/json"
	"time"

	"pressroom/internal/api"
	"pressroom/internal/auth"
	"pressroom/internal/errs"
	"pressroom/internal/front"
	"pressroom/internal/proof"
)

// What one address may ask for, and what one check may cost.
var checking = front.Rate{PerSecond: 0.5, Burst: 10}

const (
	maxBody      = 4 << 20
	maxTime      = 20 * time.Second
	maxSentences = 2000
)

// Register puts proof on the API.
func Register(a *api.API) {
	api.Post(a, "/proof/checks", auth.Everyone, api.Op{
		ID: "checkText", Summary: "Check a text, claim by claim, against the record that it cites",
		Rate: checking, AtOnce: 2, MaxBody: maxBody, Timeout: maxTime,
		Doc: `Every sentence of the answer is taken apart into claims: figures, units, times, names, offices and parties, who says it,
what is denied, asked, planned or decided, quotations, conditions, bills and stages. Each is supported, not found or
contradicted by the passages that the sentence cites; what cites nothing is held against the whole record. The rules are
fixed and no language model is asked. Nothing of what is sent is kept.`,
	}, check)
}

// Check is a text and the record that it is about.
type Check struct {
	Record json.RawMessage `json:"record" doc:"one meeting in the form of the National Diet Library's minutes API (a meetingRecord with its speechRecord), or {date, meeting, passages: [{order, speaker, party, office, role, text}]}"`
	Answer json.RawMessage `json:"answer" doc:"a result: title, description, key_points, summary, soft_language_summary, middle_summary, dialogs, participants; other members are left alone"`
}

// Report is what a check found.
type Report struct {
	Verdict proof.Verdict `json:"verdict" enum:"supported,not_found,contradicted" doc:"the strictest of all"`
	Claims  []proof.Claim `json:"claims"`
}

func check(ctx context.Context, in *struct{ Body Check }) (*Report, error) {
	record, err := proof.ReadRecord(in.Body.Record)
	if err != nil {
		return nil, err
	}
	answer, err := proof.ReadAnswer(in.Body.Answer)
	if err != nil {
		return nil, err
	}
	if len(answer.Sentences()) > maxSentences {
		return nil, errs.Validation(errs.Field{Name: "answer", Message: "has more than 2000 sentences"})
	}
	claims, err := record.CheckAnswer(ctx, answer)
	if err != nil {
		return nil, err
	}
	if claims == nil {
		claims = []proof.Claim{}
	}
	return &Report{proof.Overall(claims), claims}, nil
}
