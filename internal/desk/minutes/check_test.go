package minutes

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pressroom/internal/desk/minutes/diet"
	"pressroom/internal/errs"
	"pressroom/llm"
	"pressroom/llm/llmtest"
)

// spoil changes a truthful answer.
func spoil(text string, change func(answer map[string]any)) string {
	var answer map[string]any
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		panic(err)
	}
	change(answer)
	out, err := json.Marshal(answer)
	if err != nil {
		panic(err)
	}
	return string(out)
}

func dialog(answer map[string]any, i int) map[string]any {
	return answer["dialogs"].([]any)[i].(map[string]any)
}

func bullet(answer map[string]any, i int) map[string]any {
	return dialog(answer, i)["summary_sections"].([]any)[0].(map[string]any)["bullets"].([]any)[0].(map[string]any)
}

// planted are answers that say what the record does not.
var planted = map[string]struct {
	change func(answer map[string]any)
	reason string
}{
	"a false quote":           {func(a map[string]any) { bullet(a, 2)["quote"] = "増税を断行いたします" }, "does not contain"},
	"another speaker's words": {func(a map[string]any) { bullet(a, 2)["quote"] = bullet(a, 3)["quote"] }, "does not contain"},
	"a quote with a word changed": {func(a map[string]any) {
		bullet(a, 2)["quote"] = strings.Replace(bullet(a, 2)["quote"].(string), "自転車道", "高速道", 1)
	}, "does not contain"},
	"a wrong speaker":              {func(a map[string]any) { dialog(a, 2)["speaker"] = "高橋三郎" }, "the speaker of order 2"},
	"a speaker whom nobody knows":  {func(a map[string]any) { dialog(a, 2)["speaker"] = "架空太郎" }, "the speaker of order 2"},
	"a dialog of a missing order":  {func(a map[string]any) { dialog(a, 2)["order"] = 99 }, "no speech with order 99"},
	"a section of a missing order": {func(a map[string]any) { cite(a, "middle_summary")["based_on_orders"] = []any{1, 77} }, "no speech with order 77"},
	"a section without an order":   {func(a map[string]any) { cite(a, "middle_summary")["based_on_orders"] = []any{} }, "names no speech"},
	"a negative order":             {func(a map[string]any) { cite(a, "middle_summary")["based_on_orders"] = []any{-1} }, "no speech with order -1"},
	"a participant who was absent": {func(a map[string]any) {
		a["participants"] = append(a["participants"].([]any), map[string]any{"name": "欠席四郎", "summary": ""})
	}, "nobody in the record"},
}

func cite(answer map[string]any, name string) map[string]any {
	return answer[name].([]any)[0].(map[string]any)
}

// What the record does not say is asked again, and then stopped: nothing is
// published, and whoever reviews sees why.
func TestPlantedFalsehoods(t *testing.T) {
	t.Parallel()
	for name, plant := range planted {
		for mode, tokens := range map[string]int{SingleChunk: 24000, Chunked: 4000} {
			t.Run(name+" "+mode, func(t *testing.T) {
				t.Parallel()
				var repairs []string
				liar := llmtest.NewScripted(func(_ int, req *llm.Request) llmtest.Reply {
					text := truthful(req)
					hasIt := len(req.Passages) > 3 && req.Passages[2].Order == 2
					if (req.Schema.Name() == "minutes_direct" || req.Schema.Name() == "minutes_chunk") && hasIt {
						text = spoil(text, plant.change)
						if len(req.Messages) > 1 {
							repairs = append(repairs, req.Messages[len(req.Messages)-1].Text)
						}
					}
					return llmtest.Reply{Text: text}
				})
				d := newDesk(t, llm.Validated(liar), Options{PromptTokens: tokens, Parallel: 1})
				m := sample(1, "2026-11-02", 12, 6)
				take(t, d, m)
				if r := work(t, d); r.Review != 1 {
					t.Fatalf("%+v", r)
				}
				if len(repairs) != 1 || !strings.Contains(repairs[0], plant.reason) {
					t.Errorf("asked again with %q", repairs)
				}
				checkRows(t, d)
				page, err := d.Tasks(t.Context(), Review, 10, "")
				noErr(t, err)
				if len(page.Items) != 1 || !strings.Contains(page.Items[0].LastError, plant.reason) {
					t.Errorf("in review: %+v", page.Items)
				}
				draft, err := d.GetDraft(t.Context(), m.IssueID)
				noErr(t, err)
				if len(draft.Findings) == 0 || (draft.Chunk != "") != (mode == Chunked) || draft.Answer == "" {
					t.Errorf("draft: %s", asJSON(draft))
				}
				// An editor publishes what is true.
				noErr(t, d.PublishReviewed(t.Context(), m.IssueID, "mika"))
				work(t, d)
				full, err := d.GetFull(t.Context(), m.IssueID)
				noErr(t, err)
				if text := asJSON(full); strings.Contains(text, "増税を断行") || strings.Contains(text, "架空太郎") || strings.Contains(text, "欠席四郎") || strings.Contains(text, "高速道") {
					t.Errorf("published: %s", text)
				}
				if full.Asset.Dialogs[2].Speaker != m.Speeches[2].Speaker || len(full.Asset.Dialogs) != 12 {
					t.Errorf("dialogs: %s", asJSON(full.Asset.Dialogs))
				}
			})
		}
	}
}

// The same goes for what a foreign consumer wrote.
func TestForeignResults(t *testing.T) {
	d := newDesk(t, llm.Validated(honest()), Options{PromptTokens: 4000})
	ctx := t.Context()
	good, bad, lost := sample(1, "2026-11-02", 2, 2), sample(2, "2026-11-02", 12, 6), sample(3, "2026-11-02", 2, 2)
	take(t, d, good, bad, lost)
	foreign := func(id string, change func(map[string]any)) {
		task, err := d.GetTask(ctx, id)
		noErr(t, err)
		for _, c := range task.Chunks {
			body, err := d.load(ctx, c.PromptURL)
			noErr(t, err)
			noErr(t, d.objects.put(ctx, c.ResultURL, json.RawMessage(spoil(truthful(d.request(chunk, body, &task)), change))))
			noErr(t, d.MarkChunkReady(ctx, id, c.ID))
		}
		frame := `{"title":"題","category":["環境","外交"],"description":"","summary":{"based_on_orders":[0],"summary":"地方自治に関する件"}}`
		noErr(t, d.objects.put(ctx, task.ResultURL, json.RawMessage(frame)))
		noErr(t, d.MarkTaskSucceeded(ctx, id))
	}
	foreign(good.IssueID, func(map[string]any) {})
	foreign(bad.IssueID, func(a map[string]any) { bullet(a, 1)["quote"] = "言わなかったこと" })
	noErr(t, d.MarkTaskSucceeded(ctx, lost.IssueID)) // without a result
	report, err := d.Adopt(ctx)
	noErr(t, err)
	if diff := cmp.Diff(AdoptReport{Published: 1, Review: 1, Failed: 1}, report); diff != "" {
		t.Error(diff)
	}
	a, err := d.GetArticle(ctx, good.IssueID)
	noErr(t, err)
	if diff := cmp.Diff(labels{"環境", "外交"}, a.Categories); diff != "" {
		t.Error(diff)
	}
	if _, err := d.GetArticle(ctx, bad.IssueID); !errors.Is(err, errs.NotFound) {
		t.Errorf("the false one: %v", err)
	}
	again, err := d.Adopt(ctx)
	noErr(t, err)
	if again != (AdoptReport{}) {
		t.Errorf("a second time: %+v", again)
	}
	checkRows(t, d, a)
}

func TestSpeakersAndQuotes(t *testing.T) {
	rec := newRecord([]diet.Speech{{Order: 3, Speaker: "鈴木　一郎", Position: "内閣総理大臣", Text: "○鈴木内閣総理大臣　お答えします。\n　ＡＩの 予算は、一〇〇億円です。"}})
	for speaker, ok := range map[string]bool{
		"鈴木一郎": true, "鈴木 一郎": true, "鈴木一郎君": true, "鈴木一郎内閣総理大臣": true, "鈴木内閣総理大臣": true, "○鈴木内閣総理大臣": true,
		"鈴木": false, "鈴木次郎": false, "田中一郎": false, "内閣総理大臣": false,
	} {
		found := rec.check(&Result{Dialogs: []Dialog{{Order: 3, Speaker: speaker}}})
		if (len(found) == 0) != ok {
			t.Errorf("speaker %q: %v", speaker, found)
		}
	}
	for quote, want := range map[string]string{
		"AIの予算は、":       "ＡＩの 予算は、",
		"「お答えします。」":     "お答えします。",
		"お答えします。ＡＩの予算は": "お答えします。\n　ＡＩの 予算は",
		"一〇〇億円":         "一〇〇億円",
		"二〇〇億円":         "",
		"":              "",
		"お答えします。…一〇〇億円です。":  "",
		"AIの予算は、一〇〇億円です。以上": "",
	} {
		got, ok := newLocator(rec.speeches[0].Text).find(quote)
		if got != want || ok != (want != "") {
			t.Errorf("quote %q is located as %q", quote, got)
		}
	}
}

func FuzzLocate(f *testing.F) {
	f.Add("○鈴木　ＡＩの 予算は、一〇〇億円です。", "AIの予算")
	f.Add("ｶﾞ\u3099e\u0301x", "ガ")
	f.Fuzz(func(t *testing.T, text, quote string) {
		got, ok := newLocator(text).find(quote)
		if ok && !strings.Contains(strings.ToValidUTF8(text, ""), got) {
			t.Errorf("%q is not in %q", got, text)
		}
		if ok && !strings.Contains(bare(got), unquoted(quote)) {
			t.Errorf("%q does not hold %q", got, quote)
		}
	})
}
