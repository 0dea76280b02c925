package minutes

import (
	"context"
	"fmt"
	"slices"

	"pressroom/internal/proof"
	"pressroom/model"
)

// proved is an answer of which every sentence that is left was held against the record. Only such
// an answer is published.
type proved struct {
	Result
	edited bool // a person changed it
}

// prove holds every sentence of an answer against the record, whoever wrote it. What the record
// contradicts is cut. What it does not prove is cut too, or sends the answer to review, as the
// options say; where a person has reviewed it, it stays. What is cut is kept as the task's draft,
// with reasons, for those who work here. An answer of which nothing is left goes to review in any
// case.
func (d *Desk) prove(ctx context.Context, t *Task, rec *record, a Result, reviewed bool) (proved, error) {
	if rec.outline {
		return proved{Result: a}, nil // made of the record's fields, by this program
	}
	text, err := encode(a)
	if err != nil {
		return proved{}, err
	}
	said, err := proof.ReadAnswer(text)
	if err != nil {
		return proved{}, err
	}
	claims, err := rec.proof(t.Meeting).CheckAnswer(ctx, said)
	if err != nil {
		return proved{}, err
	}
	worst := proof.Supported
	if reviewed {
		worst = proof.NotFound
	}
	found := findings(proof.Worse(claims, worst))
	left := a.cut(proof.ByPlace(claims), worst)
	if len(found) > 0 && (d.o.ReviewUnproved && !reviewed || left.empty()) {
		return proved{}, &falseIn{text: string(text), FalseAnswer: &FalseAnswer{found}}
	}
	return proved{Result: left}, d.noteCut(ctx, t, found, string(text))
}

// proof is the record in the form of those who prove.
func (r *record) proof(m Meeting) *proof.Record {
	passages := make([]proof.Passage, len(r.speeches))
	for i, s := range r.speeches {
		if s.Speaker == header {
			s.Speaker = ""
		}
		passages[i] = proof.Passage{Order: s.Order, Speaker: s.Speaker, Party: s.Group, Office: s.Position, Role: s.Role, Text: s.Text}
	}
	return proof.NewRecord(m.Date, m.House+m.Name, passages)
}

func findings(claims []proof.Claim) []Finding {
	var out []Finding
	for _, c := range claims {
		out = append(out, Finding{c.Where, fmt.Sprintf("%s, %s: %s (%s)", c.Verdict, c.Class, c.Reason.En, c.Sentence)})
	}
	return out
}

// noteCut keeps what was cut from an answer that is published, and forgets what was cut from the
// last.
func (d *Desk) noteCut(ctx context.Context, t *Task, found []Finding, answer string) error {
	at, err := place(d.objects.prompts, "ReviewDraft", model.Values{"issueID": t.ID()})
	if err != nil {
		return err
	}
	if len(found) == 0 {
		return d.objects.delete(ctx, at)
	}
	d.o.Log.Info("sentences were cut", "meeting", t.ID(), "sentences", len(found))
	return d.objects.put(ctx, at, Draft{IssueID: t.ID(), Findings: found, Answer: answer, At: d.now()})
}

// cut returns the answer with only the sentences that are no worse than a verdict. A point goes
// with its quote and detail, a speech with its speaker, a word with its explanation.
func (r Result) cut(v proof.Verdicts, worst proof.Verdict) Result {
	text := func(where, text string) string { return v.Text(where, text, worst) }
	r.Title, r.Description = text("title", r.Title), text("description", r.Description)
	r.KeyPoints = kept(r.KeyPoints, func(i int, p string) (string, bool) {
		p = text(fmt.Sprintf("key_points[%d]", i), p)
		return p, p != ""
	})
	r.Summary.Summary = text("summary.summary", r.Summary.Summary)
	r.SoftSummary.Summary = text("soft_language_summary.summary", r.SoftSummary.Summary)
	r.MiddleSummary = kept(r.MiddleSummary, func(i int, c Cited) (Cited, bool) {
		c.Summary = text(fmt.Sprintf("middle_summary[%d].summary", i), c.Summary)
		return c, c.Summary != ""
	})
	r.Dialogs = kept(r.Dialogs, func(i int, one Dialog) (Dialog, bool) {
		where := fmt.Sprintf("dialogs[%d]", i)
		one.Reaction, one.SoftLanguage = text(where+".reaction", one.Reaction), text(where+".soft_language", one.SoftLanguage)
		one.Sections = kept(one.Sections, func(j int, s Section) (Section, bool) {
			s = s.cut(fmt.Sprintf("%s.summary_sections[%d]", where, j), v, worst)
			return s, len(s.Bullets) > 0
		})
		return one, v.Keeps(where+".speaker", worst)
	})
	r.Participants = kept(r.Participants, func(i int, p Participant) (Participant, bool) {
		where := fmt.Sprintf("participants[%d]", i)
		p.Summary = text(where+".summary", p.Summary)
		return p, v.Keeps(where, worst)
	})
	r.Terms = kept(r.Terms, func(i int, t Term) (Term, bool) { return t, v.Keeps(fmt.Sprintf("terms[%d]", i), worst) })
	return r
}

func (s Section) cut(where string, v proof.Verdicts, worst proof.Verdict) Section {
	s.Title = v.Text(where+".title", s.Title, worst)
	s.Bullets = kept(s.Bullets, func(i int, b Bullet) (Bullet, bool) {
		at := fmt.Sprintf("%s.bullets[%d]", where, i)
		b.Point, b.Detail = v.Text(at+".point", b.Point, worst), v.Text(at+".detail", b.Detail, worst)
		return b, b.Point != "" && v.Keeps(at+".quote", worst)
	})
	return s
}

// kept changes the elements of a list, and leaves out those that are not to be kept.
func kept[T any](list []T, change func(i int, one T) (T, bool)) []T {
	var out []T
	for i, one := range list {
		if one, ok := change(i, one); ok {
			out = append(out, one)
		}
	}
	return out
}

// empty tells whether an answer says nothing of its meeting.
func (r *Result) empty() bool {
	points := func(one Dialog) bool {
		return slices.ContainsFunc(one.Sections, func(s Section) bool { return len(s.Bullets) > 0 })
	}
	return r.Summary.Summary == "" && len(r.KeyPoints) == 0 && len(r.MiddleSummary) == 0 && !slices.ContainsFunc(r.Dialogs, points)
}
