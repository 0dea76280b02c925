package lexicon

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pressroom/internal/errs"
	"pressroom/llm"
	"pressroom/llm/builtin"
	"pressroom/llm/llmtest"
)

func slang(f *fixture) {
	f.term(Term{Term: "no cap", Language: "en", Gloss: "without a lie", Plain: map[string]string{"en": "no lie", "ja": "マジで"}})
	f.term(Term{Term: "bussin", Language: "en", Variants: []string{"bussing"}, Gloss: "very tasty; also very good"})
	f.term(Term{Term: "エモい", Language: "ja", Gloss: "moving", Glosses: map[string]string{"ja": "心にしみる、感動的な"}, Plain: map[string]string{"ja": "心にしみる"}})
	f.term(Term{Term: "推し活", Language: "ja", Gloss: "supporting a favourite", Plain: map[string]string{"ja": "応援活動"}})
}

func TestBuiltinTranslation(t *testing.T) {
	for name, provider := range map[string]llm.Provider{"none": nil, "builtin": builtin.New()} {
		t.Run(name, func(t *testing.T) {
			f := open(t, provider, Options{})
			slang(f)
			ann := f.user("ann", Premium)
			tests := []struct {
				request TranslateRequest
				want    string
				terms   []string
			}{
				{TranslateRequest{Text: "No cap, this is BUSSIN!"}, "No cap (no lie), this is BUSSIN (very tasty)!", []string{"No cap", "BUSSIN"}},
				{TranslateRequest{Text: "bussing food no  cap"}, "bussing (very tasty) food no  cap (no lie)", []string{"bussing", "no  cap"}},
				{TranslateRequest{Text: "昨日の推し活がエモい"}, "昨日の推し活（応援活動）がエモい（心にしみる）", []string{"推し活", "エモい"}},
				{TranslateRequest{Text: "no cap", Language: "ja"}, "no cap (マジで)", []string{"no cap"}},
				{TranslateRequest{Text: "That was no lie", Direction: ToSlang}, "That was no lie (no cap)", []string{"no cap"}},
				{TranslateRequest{Text: "夕日が心にしみる", Direction: ToSlang}, "夕日が心にしみる（エモい）", []string{"エモい"}},
				{TranslateRequest{Text: "bussin, bussin"}, "bussin (very tasty), bussin", []string{"bussin"}},
				{TranslateRequest{Text: "captain no capes"}, "captain no capes", nil},
			}
			for _, tt := range tests {
				got, err := f.Translate(t.Context(), ann, tt.request)
				want(t, err, nil)
				if got.Translated != tt.want || got.Changed != (tt.terms != nil) || got.Kept != got.Changed || got.Model != Builtin {
					t.Errorf("%q became %+v, want %q", tt.request.Text, got, tt.want)
				}
				var terms []string
				text := got.Original
				if tt.request.Direction == ToSlang {
					text = got.Translated
				}
				for _, a := range got.Applied {
					terms = append(terms, text[a.Start:a.End])
				}
				if diff := cmp.Diff(tt.terms, terms); diff != "" {
					t.Errorf("%q: %s", tt.request.Text, diff)
				}
				if got.Changed && (got.Confidence <= 0 || got.Confidence >= 1) {
					t.Errorf("%q: confidence %v", tt.request.Text, got.Confidence)
				}
			}
		})
	}
}

func TestModelTranslation(t *testing.T) {
	reply := llmtest.Reply{Text: `{"translation": "Honestly, this is delicious.\u202e", "confidence": 0.92}`}
	var asked *llm.Request
	f := open(t, llmtest.NewScripted(func(_ int, r *llm.Request) llmtest.Reply { asked = r; return reply }), Options{})
	slang(f)
	ctx := t.Context()
	ann := f.user("ann", Premium)
	got, err := f.Translate(ctx, ann, TranslateRequest{Text: "no cap this is bussin"})
	want(t, err, nil)
	if got.Translated != "Honestly, this is delicious." || got.Confidence != 0.92 || got.Model != llmtest.Model || len(got.Applied) != 2 || !got.Kept {
		t.Errorf("translated %+v", got)
	}
	if len(asked.Glossary) != 2 || asked.Passages[0].Text != "no cap this is bussin" || strings.Contains(asked.System, "bussin") {
		t.Errorf("asked %+v", asked)
	}
	for _, tt := range []struct {
		reply llmtest.Reply
		kind  errs.Kind
	}{
		{llmtest.Reply{Fault: llmtest.Fail, Status: 500}, errs.Unavailable},
		{llmtest.Reply{Fault: llmtest.NoCredit}, errs.Budget},
		{llmtest.Reply{Fault: llmtest.Refuse}, errs.Conflict},
		{llmtest.Reply{Text: `{"translation": ""}`}, errs.Unavailable},
		{llmtest.Reply{Text: `not json`}, errs.Unavailable},
	} {
		reply = tt.reply
		_, err := f.Translate(ctx, ann, TranslateRequest{Text: "no cap"})
		want(t, err, tt.kind)
	}
	reply = llmtest.Reply{Text: `{"translation": "same", "confidence": 1}`}
	same, err := f.Translate(ctx, ann, TranslateRequest{Text: "same"})
	if want(t, err, nil); same.Changed {
		t.Error("nothing changed, and it says so")
	}
	u, _, err := f.Usage(ctx, ann)
	if want(t, err, nil); u.Used != 1 {
		t.Errorf("%d translations were charged, want 1", u.Used)
	}
	page, err := f.TranslationsByModel(ctx, llmtest.Model, PageOptions{})
	if want(t, err, nil); len(page.Items) != 1 || page.Items[0].UserID != ann || page.Items[0].ID != got.ID {
		t.Errorf("by model: %+v", page.Items)
	}
}

func TestTranslationErrors(t *testing.T) {
	f := open(t, nil, Options{})
	bob := f.user("bob", Free)
	tests := []struct {
		request TranslateRequest
		want    []string
	}{
		{TranslateRequest{}, []string{"text"}},
		{TranslateRequest{Text: strings.Repeat("語", 51)}, []string{"text"}},
		{TranslateRequest{Text: strings.Repeat("x", 1<<20)}, []string{"text"}},
		{TranslateRequest{Text: "a\x00"}, []string{"text"}},
		{TranslateRequest{Text: "a\xff"}, []string{"text"}},
		{TranslateRequest{Text: "x", Direction: "sideways", Language: "de"}, []string{"direction", "language"}},
		{TranslateRequest{Text: strings.Repeat("語", 50)}, nil},
		{TranslateRequest{Text: "two\nlines"}, nil},
	}
	for _, tt := range tests {
		_, err := f.Translate(t.Context(), bob, tt.request)
		if diff := cmp.Diff(tt.want, fields(err)); diff != "" {
			t.Errorf("%.20q: %s", tt.request.Text, diff)
		}
	}
}

func TestHistory(t *testing.T) {
	f := open(t, nil, Options{})
	slang(f)
	ctx := t.Context()
	ann, bob, free := f.user("ann", Premium), f.user("bob", Premium), f.user("eve", Free)
	var ids []string
	for _, text := range []string{"bussin one", "bussin two", "bussin three"} {
		got, err := f.Translate(ctx, ann, TranslateRequest{Text: text})
		want(t, err, nil)
		ids = append(ids, got.ID)
	}
	got, err := f.Translate(ctx, free, TranslateRequest{Text: "bussin"})
	if want(t, err, nil); got.Kept || got.ID != "" {
		t.Errorf("the free tier keeps %+v", got)
	}
	page, err := f.History(ctx, ann, PageOptions{Limit: 2})
	want(t, err, nil)
	if len(page.Items) != 2 || page.Items[0].ID != ids[2] || page.Next == "" || len(page.Items[0].Applied) != 1 {
		t.Errorf("history %+v", page)
	}
	_, err = f.Translation(ctx, bob, ids[0])
	want(t, err, errs.NotFound)
	want(t, f.DeleteTranslation(ctx, bob, ids[0]), nil)
	one, err := f.Translation(ctx, ann, ids[0])
	if want(t, err, nil); one.Original != "bussin one" {
		t.Errorf("translation %+v", one)
	}
	want(t, f.DeleteTranslation(ctx, ann, ids[0]), nil)
	_, err = f.Translation(ctx, ann, ids[0])
	want(t, err, errs.NotFound)
	want(t, f.DeleteTranslations(ctx, ann), nil)
	page, err = f.History(ctx, ann, PageOptions{})
	if want(t, err, nil); len(page.Items) != 0 {
		t.Errorf("%d are left", len(page.Items))
	}
}
