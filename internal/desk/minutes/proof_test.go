package minutes

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pressroom/guard/guardtest"
	"pressroom/internal/desk/minutes/diet"
	"pressroom/internal/errs"
	"pressroom/internal/proof"
	"pressroom/llm"
	"pressroom/llm/llmtest"
)

// What is told by rules is proved: nothing that the record contradicts, and hardly a sentence that is cut.
func TestToldIsProved(t *testing.T) {
	files, err := filepath.Glob("proceedings/testdata/gold/*.record.json")
	if err != nil || len(files) < 30 {
		t.Fatal(len(files), err)
	}
	sentences, unproved := 0, 0
	for i, f := range files {
		if i%(100/guardtest.Few(100)) != 0 {
			continue
		}
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		m := diet.ParseMeeting(data)
		meeting := Meeting{House: m.House, Name: m.Name, Date: m.Date}
		rec := newRecord(m.Speeches)
		text, err := encode(told(meeting, rec.speeches))
		noErr(t, err)
		a, err := proof.ReadAnswer(text)
		noErr(t, err)
		claims, err := rec.proof(meeting).CheckAnswer(t.Context(), a)
		noErr(t, err)
		sentences += len(proof.ByPlace(claims))
		for _, c := range proof.Worse(claims, proof.Supported) {
			unproved++
			t.Logf("%s, %s: %s %s %s (%s)", strings.TrimSuffix(filepath.Base(f), ".record.json"), c.Where, c.Verdict, c.Class, c.Sentence, c.Reason.En)
			if c.Verdict == proof.Contradicted {
				t.Error("the record contradicts it")
			}
		}
	}
	if unproved*100 > 3*sentences {
		t.Errorf("%d of %d sentences are not proved", unproved, sentences)
	}
}

// lied is a provider that changes its truthful answer.
func lied(change func(answer map[string]any)) llm.Provider {
	return llm.Validated(llmtest.NewScripted(func(_ int, req *llm.Request) llmtest.Reply {
		return llmtest.Reply{Text: spoil(truthful(req), change)}
	}))
}

// Nothing that the record contradicts or does not prove is published; what was cut is kept for those who work here.
func TestUnprovedIsCut(t *testing.T) {
	t.Parallel()
	const lie = "自転車道の整備に9000億円を要すると述べた。"
	d := newDesk(t, lied(func(a map[string]any) {
		a["title"], a["description"] = lie, lie
		a["key_points"] = []string{lie, "自転車道の整備に費用を要する。"}
		a["soft_language_summary"].(map[string]any)["summary"] = lie
		one := a["dialogs"].([]any)[1].(map[string]any)
		one["reaction"], one["soft_language"] = lie, lie
		bullet(a, 1)["detail"] = lie
	}), Options{})
	m := sample(1, "2026-11-02", 6, 3)
	take(t, d, m)
	if r := work(t, d); r.Completed != 1 {
		t.Fatalf("%+v", r)
	}
	full, err := d.GetFull(t.Context(), m.IssueID)
	noErr(t, err)
	if text := asJSON(full); strings.Contains(text, "9000") {
		t.Errorf("the lie is in %s", text)
	}
	if full.Title != "参議院 予算委員会 第1号" || len(full.Asset.KeyPoints) != 1 || full.Asset.Summary.Summary == "" {
		t.Errorf("%+v", full.Article)
	}
	draft, err := d.GetDraft(t.Context(), m.IssueID)
	noErr(t, err)
	if len(draft.Findings) != 7 || draft.Findings[0].Where != "title" || !strings.Contains(draft.Findings[0].Problem, "9000") || !strings.Contains(draft.Answer, "9000") {
		t.Errorf("%+v", draft)
	}
}

// With reviewers, what is not proved waits for them, and what they pass is published; what the record contradicts is not.
func TestUnprovedWaits(t *testing.T) {
	t.Parallel()
	const unproved, wrong = "市長も喜んでいる。", "第1号の2番目の発言の0文目として、自転車道の整備に9000億円を要すると申し上げます。"
	d := newDesk(t, lied(func(a map[string]any) { a["key_points"] = []string{unproved, wrong} }), Options{ReviewUnproved: true})
	m := sample(1, "2026-11-02", 6, 1)
	take(t, d, m)
	if r := work(t, d); r.Review != 1 {
		t.Fatalf("%+v", r)
	}
	if _, err := d.GetArticle(t.Context(), m.IssueID); !errors.Is(err, errs.NotFound) {
		t.Fatalf("published: %v", err)
	}
	noErr(t, d.PublishReviewed(t.Context(), m.IssueID, "mika"))
	full, err := d.GetFull(t.Context(), m.IssueID)
	noErr(t, err)
	if diff := cmp.Diff([]string{unproved}, full.Asset.KeyPoints); diff != "" {
		t.Error(diff)
	}
}

// An answer of which nothing is proved is not published.
func TestNothingProved(t *testing.T) {
	t.Parallel()
	const lie = "市長は辞任した。"
	d := newDesk(t, lied(func(a map[string]any) {
		a["key_points"], a["middle_summary"], a["dialogs"] = []string{lie}, []any{}, []any{}
		a["summary"].(map[string]any)["summary"] = lie
	}), Options{})
	m := sample(1, "2026-11-02", 4, 1)
	take(t, d, m)
	if r := work(t, d); r.Review != 1 {
		t.Fatalf("%+v", r)
	}
	task, err := d.GetTask(t.Context(), m.IssueID)
	noErr(t, err)
	if task.Status != Review || !strings.Contains(task.LastError, lie) {
		t.Errorf("%s: %s", task.Status, task.LastError)
	}
}

// What a reviewer changes before it is published is marked as changed by them, and what they publish as it is, is not.
func TestPublishEdited(t *testing.T) {
	t.Parallel()
	const unproved, better = "市長も喜んでいる。", "自転車道の整備に費用を要する。"
	d := newDesk(t, lied(func(a map[string]any) { a["key_points"] = []string{unproved} }), Options{ReviewUnproved: true})
	for i, texts := range []map[string]string{{"key_points[0]": better}, {"key_points[0]": unproved}} {
		m := sample(i+1, "2026-11-02", 6, 1)
		take(t, d, m)
		if r := work(t, d); r.Review != 1 {
			t.Fatalf("%+v", r)
		}
		noErr(t, d.PublishEdited(t.Context(), m.IssueID, texts, "mika"))
		full, err := d.GetFull(t.Context(), m.IssueID)
		noErr(t, err)
		if p := full.Provenance; p.Reviewer != "mika" || p.Edited != (i == 0) || len(full.Asset.KeyPoints) != 1 || full.Asset.KeyPoints[0] != texts["key_points[0]"] {
			t.Errorf("%v: %+v, %q", texts, p, full.Asset.KeyPoints)
		}
	}
}
