package lexicon

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pressroom/internal/errs"
	"pressroom/llm"
	"pressroom/llm/builtin"
	"pressroom/llm/llmtest"
)

func actions(t *testing.T, f *fixture, id string) []string {
	t.Helper()
	page, err := f.Audit(t.Context(), id, PageOptions{})
	want(t, err, nil)
	var all []string
	for _, a := range page.Items {
		all = append(all, a.Action+" by "+a.Actor)
	}
	return all
}

func TestModeration(t *testing.T) {
	f := open(t, nil, Options{})
	ctx := t.Context()
	ann := f.user("ann", Premium)
	s := f.propose(ann, "Rizz")
	report, err := f.Validate(ctx, 10)
	if want(t, err, nil); report.Judged != 1 {
		t.Errorf("report %+v", report)
	}
	_, err = f.EditSubmission(ctx, "mod", s.ID, Edit{Term: "rizz", Meaning: "charm"}, "spelling")
	want(t, err, nil)
	_, err = f.EditSubmission(ctx, "mod", s.ID, Edit{Term: "fizz"}, "")
	want(t, err, errs.Invalid)
	_, err = f.EditSubmission(ctx, "mod", s.ID, Edit{Meaning: "charm"}, "")
	want(t, err, errs.Invalid)
	got, err := f.Approve(ctx, "mod", s.ID, Approval{Reason: "good", Tags: []string{"charm"}, Categories: []string{"people"}})
	want(t, err, nil)
	if got.Status != AdminApproved || got.ReviewedBy != "mod" || got.ApprovalType != "admin" || got.Reason != "good" || got.ReviewedAt == "" {
		t.Errorf("approved: %+v", got)
	}
	term, err := f.Term(ctx, "rizz")
	want(t, err, nil)
	if term.Gloss != "charm" || term.Origin != OriginSubmission || term.SubmissionID != s.ID || !slices.Equal(term.Tags, []string{"charm"}) {
		t.Errorf("the term is %+v", term)
	}
	_, err = f.Reject(ctx, "other", s.ID, "no")
	want(t, err, errs.Conflict)
	got, err = f.Undo(ctx, "other", s.ID, "too early")
	if want(t, err, nil); got.Status != Validated || got.ReviewedBy != "" {
		t.Errorf("undone: %+v", got)
	}
	_, err = f.Term(ctx, "rizz")
	want(t, err, errs.NotFound)
	found, err := f.Lookup(ctx, "rizz")
	if want(t, err, nil); len(found) != 0 {
		t.Error("an undone term is found")
	}
	_, err = f.Undo(ctx, "other", s.ID, "")
	want(t, err, errs.Conflict)
	_, err = f.Reject(ctx, "other", s.ID, " ")
	want(t, err, errs.Invalid)
	got, err = f.Reject(ctx, "other", s.ID, "nobody says so")
	if want(t, err, nil); got.Status != AdminRejected || got.TTL == 0 || got.Reason != "nobody says so" {
		t.Errorf("rejected: %+v", got)
	}
	wantSteps := []string{"rejected by other", "undone by other", "approved by mod", "edited by mod", "validated by validator", "submitted by ann"}
	if diff := cmp.Diff(wantSteps, actions(t, f, s.ID)); diff != "" {
		t.Error(diff)
	}
	mine, err := f.SubmissionsOf(ctx, ann, PageOptions{})
	if want(t, err, nil); len(mine.Items) != 1 || mine.Items[0].Reason != "nobody says so" {
		t.Errorf("the submitter sees %+v", mine.Items)
	}
}

// A thousand moderators decide at once, in two ways; one decision holds.
func TestModeratorsTogether(t *testing.T) {
	f := open(t, nil, Options{})
	ctx := t.Context()
	s := f.propose(f.user("ann", Premium), "rizz")
	_, err := f.Validate(ctx, 10)
	want(t, err, nil)
	for i := range 20 {
		f.user(fmt.Sprint("voter", i), Free)
	}
	n := together(t, crowd+20, []errs.Kind{errs.Conflict, errs.Duplicate}, func(i int) error {
		var err error
		switch {
		case i >= crowd: // votes come in between
			if _, err = f.Vote(ctx, fmt.Sprint("voter", i-crowd), s.ID); err == nil {
				err = errs.Duplicate
			}
		case i%2 == 0:
			_, err = f.Approve(ctx, fmt.Sprint("mod", i), s.ID, Approval{})
		default:
			_, err = f.Reject(ctx, fmt.Sprint("mod", i), s.ID, "no")
		}
		return err
	})
	if n != 1 {
		t.Errorf("%d decisions", n)
	}
	got, err := f.Submission(ctx, s.ID)
	want(t, err, nil)
	_, err = f.Term(ctx, "rizz")
	if got.Approved() != (err == nil) {
		t.Errorf("it is %s, and the term: %v", got.Status, err)
	}
	if steps := actions(t, f, s.ID); len(steps) != 3 {
		t.Errorf("steps %v", steps)
	}
}

func TestApproveWhatIsThere(t *testing.T) {
	f := open(t, nil, Options{})
	ctx := t.Context()
	s := f.propose(f.user("ann", Premium), "rizz")
	f.term(Term{Term: "rizz"})
	_, err := f.Approve(ctx, "mod", s.ID, Approval{})
	want(t, err, errs.Duplicate)
	got, err := f.Submission(ctx, s.ID)
	if want(t, err, nil); got.Status != Pending {
		t.Errorf("it is %s", got.Status)
	}
}

func TestUndoOfChangedTerm(t *testing.T) {
	f := open(t, nil, Options{})
	ctx := t.Context()
	s := f.propose(f.user("ann", Premium), "rizz")
	_, err := f.Approve(ctx, "mod", s.ID, Approval{})
	want(t, err, nil)
	term, err := f.Term(ctx, "rizz")
	want(t, err, nil)
	term.Gloss = "edited"
	want(t, f.SaveTerm(ctx, &term), nil)
	_, err = f.Undo(ctx, "mod", s.ID, "")
	want(t, err, errs.Conflict)
}

func judgement(valid bool, confidence, usage float64) llmtest.Reply {
	return llmtest.Reply{Text: fmt.Sprintf(`{"is_valid": %t, "confidence": %v, "usage_score": %v, "reason": "because", "category": "People", "tags": ["charm"]}`, valid, confidence, usage)}
}

func TestValidation(t *testing.T) {
	tests := []struct {
		name             string
		reply            llmtest.Reply
		status, verdict  string
		inLexicon, again bool
	}{
		{"sure", judgement(true, 0.85, 7), AutoApproved, "auto_approved", true, false},
		{"not sure", judgement(true, 0.84, 9), Validated, "validated", false, false},
		{"not used", judgement(true, 0.99, 6.9), Validated, "validated", false, false},
		{"invalid", judgement(false, 0.9, 9), Rejected, "rejected", false, false},
		{"refused", llmtest.Reply{Fault: llmtest.Refuse}, Validated, "validated", false, false},
		{"nonsense", llmtest.Reply{Text: `{"is_valid": "yes"}`}, Validated, "validated", false, false},
		{"script as reason", llmtest.Reply{Text: `{"is_valid": false, "confidence": 1, "usage_score": 0, "reason": "<script>", "category": "<b>", "tags": []}`}, Rejected, "rejected", false, false},
		{"overloaded", llmtest.Reply{Fault: llmtest.Fail, Status: 503}, Pending, "pending_validation", false, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := open(t, llmtest.NewScripted(func(int, *llm.Request) llmtest.Reply { return tt.reply }), Options{})
			ctx := t.Context()
			s := f.propose(f.user("ann", Premium), "rizz")
			report, err := f.Validate(ctx, 10)
			if want(t, err, nil); (report.Delayed == 1) != tt.again {
				t.Errorf("report %+v", report)
			}
			got, err := f.Submission(ctx, s.ID)
			want(t, err, nil)
			if got.Status != tt.status || got.Validation != tt.verdict {
				t.Errorf("it is %s, %s", got.Status, got.Validation)
			}
			if !tt.again && (got.Judgement == nil || got.Reason == "" || markup.MatchString(got.Reason)) {
				t.Errorf("reason %q, judgement %+v", got.Reason, got.Judgement)
			}
			if tt.status == Rejected && got.TTL == 0 {
				t.Error("a rejected submission stays for ever")
			}
			if _, err = f.Term(ctx, "rizz"); (err == nil) != tt.inLexicon {
				t.Errorf("in the lexicon: %v", err)
			}
		})
	}
}

// A model that fails is asked again, later and later, and in the end a moderator is.
func TestValidationRetries(t *testing.T) {
	model := llmtest.NewScripted(func(int, *llm.Request) llmtest.Reply {
		return llmtest.Reply{Fault: llmtest.RateLimit, RetryAfter: 10 * time.Minute}
	})
	f := open(t, model, Options{ValidationAttempts: 3})
	ctx := t.Context()
	s := f.propose(f.user("ann", Premium), "rizz")
	for range 200 {
		_, err := f.Validate(ctx, 10)
		want(t, err, nil)
		f.clock.advance(time.Minute)
	}
	if model.Count() != 3 {
		t.Errorf("the model was asked %d times", model.Count())
	}
	got, err := f.Submission(ctx, s.ID)
	if want(t, err, nil); got.Status != Validated || !got.Judgement.ByHand || got.LastError == "" {
		t.Errorf("it is %+v", got)
	}
}

// A process that dies with a submission leaves it to another, but not for ever.
func TestValidationLease(t *testing.T) {
	f := open(t, llmtest.NewScripted(func(int, *llm.Request) llmtest.Reply { return judgement(true, 0.9, 9) }), Options{ValidationAttempts: 2})
	ctx := t.Context()
	s := f.propose(f.user("ann", Premium), "rizz")
	for range 2 {
		_, ok, err := f.claim(ctx, &s) // and then it dies
		if want(t, err, nil); !ok {
			t.Fatal("not claimed")
		}
		if _, ok, err = f.claim(ctx, &s); err != nil || ok {
			t.Fatalf("claimed twice, %v", err)
		}
		report, err := f.Validate(ctx, 10)
		if want(t, err, nil); report.Judged != 0 {
			t.Error("judged in spite of the lease")
		}
		f.clock.advance(validationLease + time.Second)
	}
	_, err := f.Validate(ctx, 10)
	want(t, err, nil)
	got, err := f.Submission(ctx, s.ID)
	if want(t, err, nil); got.Status != Validated || !got.Judgement.ByHand {
		t.Errorf("it is %+v", got)
	}
}

// Many processes validate at once; each submission is judged once.
func TestValidatorsTogether(t *testing.T) {
	model := llmtest.NewScripted(func(int, *llm.Request) llmtest.Reply { return judgement(true, 0.9, 9) })
	f := open(t, model, Options{})
	ann := f.user("ann", Premium)
	for i := range 10 {
		f.propose(ann, fmt.Sprint("term ", i))
	}
	together(t, 20, nil, func(int) error {
		_, err := f.Validate(t.Context(), 10)
		return err
	})
	if model.Count() != 10 {
		t.Errorf("the model was asked %d times", model.Count())
	}
	page, err := f.Terms(t.Context(), OriginSubmission, PageOptions{})
	if want(t, err, nil); len(page.Items) != 10 {
		t.Errorf("%d terms", len(page.Items))
	}
}

func TestAutoApprovalOfWhatIsThere(t *testing.T) {
	f := open(t, llmtest.NewScripted(func(int, *llm.Request) llmtest.Reply { return judgement(true, 0.9, 9) }), Options{})
	ctx := t.Context()
	s := f.propose(f.user("ann", Premium), "rizz")
	f.term(Term{Term: "rizz"})
	_, err := f.Validate(ctx, 10)
	want(t, err, nil)
	got, err := f.Submission(ctx, s.ID)
	if want(t, err, nil); got.Status != Validated {
		t.Errorf("it is %s: %s", got.Status, got.Reason)
	}
}

func TestValidationOffline(t *testing.T) {
	f := open(t, builtin.New(), Options{})
	s := f.propose(f.user("ann", Premium), "rizz")
	_, err := f.Validate(t.Context(), 10)
	want(t, err, nil)
	got, err := f.Submission(t.Context(), s.ID)
	if want(t, err, nil); got.Status != Validated || !got.Judgement.ByHand {
		t.Errorf("it is %+v", got)
	}
}
