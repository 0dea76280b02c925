package newswire

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pressroom/internal/errs"
	"pressroom/internal/rights"
	"pressroom/llm"
	"pressroom/llm/builtin"
	"pressroom/llm/llmtest"
	"pressroom/model"
)

// newsdesk is a desk with articles of one site, and a model.
func newsdesk(t *testing.T, provider llm.Provider, pages map[string]any) (*Desk, *stores, *world) {
	t.Helper()
	w := newWorld(t)
	var links []string
	for p := range pages {
		links = append(links, p)
	}
	pages["/"] = list(links...)
	w.host("site.example", pages)
	s := newStores(t)
	d := s.desk(t, w, func(o *Options) { o.Model = provider })
	addSite(t, d, "site", "site.example", nil)
	crawlNow(t, d, "site")
	return d, s, w
}

func reply(text string, orders ...int) llmtest.Reply {
	body, _ := json.Marshal(map[string]any{"summary": text, "based_on_orders": orders})
	return llmtest.Reply{Text: string(body)}
}

func only(t *testing.T, d *Desk, path string) Article {
	t.Helper()
	a, ok := articlesOf(t, d, "site")[path]
	if !ok {
		t.Fatalf("no article at %s", path)
	}
	return a
}

func TestSummarise(t *testing.T) {
	provider := llmtest.NewScripted(func(int, *llm.Request) llmtest.Reply {
		return reply("# The council of A voted\n\nIt agreed on a **budget** for [roads](http://x) and <script>schools</script>.", 1, 2)
	})
	d, _, _ := newsdesk(t, llm.New(provider, llm.Options{}), map[string]any{"/a": newsPage("A", "2026-11-10T09:00:00Z"), "/tiny": `<meta property="og:type" content="article"><article><h1>Tiny</h1><p>The harbour is closed today because of the strong wind.</p></article>`})
	if tiny := only(t, d, "/tiny"); tiny.Status != SummaryFailed || tiny.Note != tooShort {
		t.Errorf("a short text is %s: %s", tiny.Status, tiny.Note)
	}
	n, err := d.Summarise(t.Context(), 10)
	if n != 1 || err != nil {
		t.Fatal(n, err)
	}
	a := only(t, d, "/a")
	read, err := d.ReadArticle(t.Context(), a.ArticleID, rights.Staff)
	if err != nil || read.Summary == nil || read.Article.Status != Summarized {
		t.Fatalf("%+v, %v", read, err)
	}
	s := read.Summary
	if s.SummaryText != "The council of A voted\n\nIt agreed on a budget for roads and schools." || s.Number != 1 || s.Disclaimer != DisclaimerGenerated || s.ModelProvider != "scripted" || s.TokenUsage.Input == 0 {
		t.Errorf("%+v", s)
	}
	if s.Confidence < 0.9 || s.Confidence > 1 || s.Reasons.Overlap < 0.9 {
		t.Errorf("confidence %v of %+v", s.Confidence, s.Reasons)
	}
	for _, key := range []string{s.S3PromptKey, s.S3ResponseKey} {
		body, err := d.get(t.Context(), key)
		if err != nil || !json.Valid(body) {
			t.Errorf("%s: %s, %v", key, body, err)
		}
	}
	if !strings.HasPrefix(s.S3PromptKey, "prompts/"+a.ArticleID+"/") || !strings.HasSuffix(s.S3ResponseKey, "-response.json") {
		t.Errorf("%s, %s", s.S3PromptKey, s.S3ResponseKey)
	}
	// The same text, prompt and model: nothing is asked again.
	if err := d.SummariseArticle(t.Context(), a.ArticleID); err != nil || provider.Count() != 1 {
		t.Errorf("asked %d times, %v", provider.Count(), err)
	}
	if err := d.Requeue(t.Context(), FailedSummary, a.ArticleID); err != nil {
		t.Fatal(err)
	}
	if n, err := d.Summarise(t.Context(), 10); n != 1 || err != nil || provider.Count() != 1 {
		t.Errorf("%d, %v, asked %d times", n, err, provider.Count())
	}
	if Disclaimer(s.Disclaimer, "ja") == Disclaimer(s.Disclaimer, "de") || Disclaimer("x", "en") != "" {
		t.Error("disclaimers")
	}
}

// Two articles with one text cost one answer, also for many desks at once.
func TestNeverTwice(t *testing.T) {
	bubble(t, func(t *testing.T) {
		provider := llmtest.NewScripted(func(int, *llm.Request) llmtest.Reply {
			r := reply("The council voted on a budget for roads, schools and the harbour.", 1)
			r.Delay = 30 * time.Millisecond
			return r
		})
		same := newsPage("Same", "2026-11-10T09:00:00Z")
		d, s, w := newsdesk(t, provider, map[string]any{"/a": same, "/b": same})
		others := []*Desk{d, s.desk(t, w, func(o *Options) { o.Model = provider }), s.desk(t, w, func(o *Options) { o.Model = provider })}
		var all sync.WaitGroup
		for _, o := range others {
			all.Go(func() {
				for range 20 {
					if _, err := o.Summarise(t.Context(), 10); err != nil {
						t.Error(err)
					}
					time.Sleep(5 * time.Millisecond)
				}
			})
		}
		all.Wait()
		if provider.Count() != 1 {
			t.Errorf("asked %d times", provider.Count())
		}
		for path, a := range articlesOf(t, d, "site") {
			found, err := d.Summaries(t.Context(), a.ArticleID)
			if err != nil || len(found) != 1 || a.Status != Summarized || found[0].SummaryID != a.SummaryID {
				t.Errorf("%s: %s, %v, %v", path, a.Status, found, err)
			}
		}
		// A changed text is another question, and another version.
		w.host("site.example", map[string]any{"/": list("/a"), "/a": newsPage("Different", time.Now().UTC().Format(time.RFC3339))})
		s.clock.forward(time.Minute)
		page, err := d.pages.Get(t.Context(), model.Values{"siteId": "site", "urlHash": sum("http://site.example/a")})
		if err != nil {
			t.Fatal(err)
		}
		page.PublishedAt = "" // as young as its last visit
		if err := d.pages.Put(t.Context(), &page); err != nil {
			t.Fatal(err)
		}
		crawlNow(t, d, "site")
		if a := only(t, d, "/a"); a.Status != Pending {
			t.Fatalf("after the change: %+v", a)
		}
		if _, err := d.Summarise(t.Context(), 10); err != nil {
			t.Fatal(err)
		}
		a := only(t, d, "/a")
		found, err := d.Summaries(t.Context(), a.ArticleID)
		if err != nil || len(found) != 2 || found[1].Number != 2 || a.SummaryID != found[1].SummaryID {
			t.Errorf("%+v, %v", found, err)
		}
	})
}

// TestSummaryRetries lets a model fail in every way until it does not.
func TestSummaryRetries(t *testing.T) {
	fail := true
	provider := llmtest.NewScripted(func(int, *llm.Request) llmtest.Reply {
		if fail {
			return llmtest.Reply{Fault: llmtest.Fail, Status: 503, RetryAfter: 3 * time.Minute}
		}
		return reply("The council voted on a budget for roads, schools and the harbour.", 1)
	})
	d, s, _ := newsdesk(t, provider, map[string]any{"/a": newsPage("A", "2026-11-10T09:00:00Z")})
	ctx := t.Context()
	id := only(t, d, "/a").ArticleID
	for attempt := 1; attempt <= maxAttempts; attempt++ {
		if n, err := d.Summarise(ctx, 10); n != 1 || err != nil {
			t.Fatalf("attempt %d: %d, %v", attempt, n, err)
		}
		if n, err := d.Summarise(ctx, 10); n != 0 || err != nil {
			t.Fatalf("after attempt %d, before its time: %d, %v", attempt, n, err)
		}
		r, err := d.retries.Get(ctx, retryKey(FailedSummary, id))
		if err != nil || r.AttemptCount != attempt || !strings.Contains(r.LastError, "503") || r.SiteID != "site" {
			t.Fatalf("%+v, %v", r, err)
		}
		wait := timeOf(r.NextRetryAt).Sub(s.clock.now())
		if wait < 179*time.Second || attempt < maxAttempts && wait > 6*time.Hour+time.Minute {
			t.Errorf("attempt %d is followed after %v", attempt, wait)
		}
		if attempt < maxAttempts {
			s.clock.forward(wait + time.Second)
		}
	}
	backlog, err := d.RetryBacklog(ctx, FailedSummary, model.PageOptions{})
	if err != nil || len(backlog.Items) != 1 || backlog.Items[0].State != GivenUp {
		t.Errorf("%+v, %v", backlog, err)
	}
	s.clock.forward(6 * 24 * time.Hour)
	if n, err := d.Summarise(ctx, 10); n != 0 || err != nil {
		t.Errorf("a retry that was given up: %d, %v", n, err)
	}
	failed, err := d.Backlog(ctx, SummaryFailed, model.PageOptions{})
	if err != nil || len(failed.Items) != 1 {
		t.Errorf("%+v, %v", failed, err)
	}
	fail = false
	if err := d.Requeue(ctx, FailedSummary, id); err != nil {
		t.Fatal(err)
	}
	if n, err := d.Summarise(ctx, 10); n != 1 || err != nil {
		t.Errorf("after requeueing: %d, %v", n, err)
	}
	if a := only(t, d, "/a"); a.Status != Summarized || a.Note != "" {
		t.Errorf("%+v", a)
	}
	if left, err := d.Retries(ctx, FailedSummary, model.PageOptions{}); err != nil || len(left.Items) != 0 {
		t.Errorf("%+v, %v", left, err)
	}
}

func TestSummaryFaults(t *testing.T) {
	for _, row := range []struct {
		reply  llmtest.Reply
		state  string // of the retry; "" for none
		status string
		kind   errs.Kind
	}{
		{llmtest.Reply{Fault: llmtest.Refuse, Text: "no"}, GivenUp, SummaryFailed, 0},
		{llmtest.Reply{Fault: llmtest.Garbage}, Waiting, SummaryFailed, 0},
		{reply("A text that cites what is not there.", 99), Waiting, SummaryFailed, 0},
		{llmtest.Reply{Fault: llmtest.NoCredit}, "", Pending, errs.Budget},
		{llmtest.Reply{Fault: llmtest.BadKey}, "", Pending, errs.Unavailable},
	} {
		provider := llmtest.NewScripted(func(int, *llm.Request) llmtest.Reply { return row.reply })
		d, _, _ := newsdesk(t, provider, map[string]any{"/a": newsPage("A", "2026-11-10T09:00:00Z")})
		_, err := d.Summarise(t.Context(), 10)
		if row.kind == 0 && err != nil || row.kind != 0 && (err == nil || errs.KindOf(err) != row.kind) {
			t.Errorf("%v: %v", row.reply, err)
		}
		a := only(t, d, "/a")
		r, err := d.retries.Get(t.Context(), retryKey(FailedSummary, a.ArticleID))
		if a.Status != row.status || row.state == "" != errors.Is(err, model.ErrNotFound) || r.State != row.state {
			t.Errorf("%v: %s, %+v, %v", row.reply, a.Status, r, err)
		}
		if row.kind != 0 { // nothing keeps it from being asked again
			if answer, err := d.claimAnswer(t.Context(), llm.Key(provider.Info(), request(a.Title, a.BodyPlain)), a.ArticleID); answer != nil || err != nil {
				t.Errorf("%v: the question is taken: %v, %v", row.reply, answer, err)
			}
		}
	}
}

// Without a language model there is an excerpt, by the rules for news, with keywords.
func TestBuiltin(t *testing.T) {
	body := `<meta property="og:type" content="article"><title>予算</title><article><h1>市議会が予算案を可決</h1>` + strings.Repeat("<p>市議会は十四日、来年度の予算案を賛成多数で可決した。道路の整備に二億円、学校の改修に三億円を充てる。</p><p>市長は「市民の暮らしを守る予算だ」と述べた。反対した議員は、港の工事費が高すぎると批判している。</p>", 3) + "</article>"
	d, _, _ := newsdesk(t, llm.New(builtin.New(), llm.Options{}), map[string]any{"/a": body})
	if _, err := d.Summarise(t.Context(), 10); err != nil {
		t.Fatal(err)
	}
	read, err := d.ReadArticle(t.Context(), only(t, d, "/a").ArticleID, rights.Staff)
	if err != nil || read.Summary == nil {
		t.Fatalf("%+v, %v", read.Article, err)
	}
	if s := read.Summary; !s.Extractive || s.Disclaimer != DisclaimerExtractive || s.ModelID != ExcerptModel || s.Reasons.Overlap < 0.95 || s.Reasons.Citations < 0.95 {
		t.Errorf("%+v", s)
	}
	if s := read.Summary; strings.Count(s.SummaryText, "市議会は十四日") != 1 || !slices.Contains(s.Keywords, "市議会") {
		t.Errorf("%q, %q", s.SummaryText, s.Keywords)
	}
}

// What quotes must not run the headline, or one between paragraphs, into a sentence.
func TestHeadlinesAreNoSentences(t *testing.T) {
	const title = "Council passes the budget"
	body := `<meta property="og:type" content="article"><article><h1>` + title + `</h1><h2>What was decided</h2>` +
		`<p>The council passed the budget for the coming year on Tuesday by a large majority.</p>` +
		`<h2>Who was against it</h2><p>Members from the harbour district voted against the budget, as it pays for no new pier.</p>` +
		`<p>The budget gives two million to roads and three million to the schools of the city.</p></article>`
	d, _, _ := newsdesk(t, llm.New(builtin.New(), llm.Options{}), map[string]any{"/a": body})
	if _, err := d.Summarise(t.Context(), 10); err != nil {
		t.Fatal(err)
	}
	read, err := d.ReadArticle(t.Context(), only(t, d, "/a").ArticleID, rights.Staff)
	if err != nil || read.Summary == nil {
		t.Fatalf("%+v, %v", read.Article, err)
	}
	s := read.Summary
	if !strings.HasPrefix(s.SummaryText, "The council passed") || strings.Contains(s.SummaryText, title) || strings.Contains(s.SummaryText, "Who was") {
		t.Errorf("%q", s.SummaryText)
	}
	prompt, err := d.get(t.Context(), s.S3PromptKey)
	if err != nil {
		t.Fatal(err)
	}
	var asked struct {
		Messages []llm.Message
		Passages []llm.Passage
	}
	if err := json.Unmarshal(prompt, &asked); err != nil {
		t.Fatal(err)
	}
	if len(asked.Messages) != 1 || !strings.Contains(asked.Messages[0].Text, title) {
		t.Errorf("the model is not told the title: %+v", asked.Messages)
	}
	for i, p := range asked.Passages {
		if p.Order != i+1 || strings.Contains(p.Text, title) {
			t.Errorf("passage %d: %+v", i, p)
		}
	}
}

func TestPassages(t *testing.T) {
	long := strings.Repeat("The council met. ", 60)
	for _, c := range []struct {
		text string
		want []string
	}{
		{"One.\n\nTwo.", []string{"One.\n\nTwo."}},
		{"Headline\n\nOne.\n\nAnother\n\n「二つ目。」\n\nThe end", []string{"One.\n\n「二つ目。」\n\nThe end"}},
		{"The items are:\n\nroads\n\nschools\n\nThat is all.", []string{"The items are:\n\nroads\n\nschools\n\nThat is all."}},
		{long + "\n\n" + long, []string{long, long}},
		{"No sentence at all", []string{"No sentence at all"}},
	} {
		if diff := cmp.Diff(c.want, passages(c.text)); diff != "" {
			t.Errorf("%.40q: %s", c.text, diff)
		}
	}
}

func TestReasons(t *testing.T) {
	text := strings.Repeat("The council voted on a budget for roads and schools. ", 10)
	passages := []llm.Passage{{Order: 1, Text: text}}
	good := reasons("The council voted on a budget for roads.", "Budget", text, passages, []int{1})
	strange := reasons("Purple elephants dance beneath moonlit pyramids every Tuesday.", "Budget", text, passages, []int{1})
	uncited := reasons("The council voted on a budget for roads.", "Budget", text, passages, nil)
	if good.Confidence() != 1 || strange.Confidence() > 0.3 || uncited.Confidence() != 0.7 {
		t.Errorf("%v %v %v", good, strange, uncited)
	}
	if long := reasons(text+text, "Budget", text, passages, []int{1}); long.Length > 0.5 {
		t.Errorf("a summary longer than its text: %+v", long)
	}
}

func TestSafe(t *testing.T) {
	for in, want := range map[string]string{
		"plain":                                 "plain",
		"# Title\n\n- point\n\n1. one":          "Title\n\npoint one",
		"[a](javascript:x) ![i](y) `c` **b**":   "a i c b",
		"<<b>script>alert(1)</script> x":        "alert(1) x",
		"a < b > c [d]":                         "a  c (d)",
		"> quote\r\nline":                       "quote line",
		"zero\x00\u202ewidth\u200b":             "zerowidth",
		strings.Repeat("あいう。", maxSummary/4+10): strings.Repeat("あいう。", maxSummary/4),
	} {
		if got := safe(in); got != want && !(strings.Contains(in, "a < b") && !strings.ContainsAny(got, "<>[]")) {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// TestFetchRetries lets a page fail and come back.
func TestFetchRetries(t *testing.T) {
	state := 500
	pages := map[string]any{}
	d, s, w := newsdesk(t, nil, pages)
	pages["/"] = list("/a", "/good")
	pages["/good"] = newsPage("Good", "2026-11-10T09:00:00Z")
	pages["/a"] = siteFunc(&state, newsPage("A", "2026-11-10T09:00:00Z"))
	ctx := t.Context()
	run := crawlNow(t, d, "site")
	if run.Status != Partial || run.FailedArticles != 1 || run.NewArticles != 1 || !strings.Contains(run.ErrorSummary, "status 500") {
		t.Fatalf("%+v", run)
	}
	list, err := d.Retries(ctx, FailedFetch, model.PageOptions{})
	if err != nil || len(list.Items) != 1 || list.Items[0].URL != "http://site.example/a" || list.Items[0].TTL != timeOf(list.Items[0].CreatedAt).AddDate(0, 0, 7).Unix() {
		t.Fatalf("%+v, %v", list, err)
	}
	if n, err := d.RetryFetches(ctx, 10); n != 0 || err != nil {
		t.Errorf("before its time: %d, %v", n, err)
	}
	s.clock.forward(2 * time.Minute)
	if n, err := d.RetryFetches(ctx, 10); n != 1 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	r, err := d.retries.Get(ctx, retryKey(FailedFetch, list.Items[0].ArticleID))
	if err != nil || r.AttemptCount != 2 {
		t.Errorf("after a second failure: %+v, %v", r, err)
	}
	state = 200
	if err := d.Requeue(ctx, FailedFetch, r.ArticleID); err != nil {
		t.Fatal(err)
	}
	if n, err := d.RetryFetches(ctx, 10); n != 1 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if a := only(t, d, "/a"); a.ArticleID != r.ArticleID {
		t.Errorf("it became %s, not %s", a.ArticleID, r.ArticleID)
	}
	if left, err := d.Retries(ctx, FailedFetch, model.PageOptions{}); err != nil || len(left.Items) != 0 {
		t.Errorf("%+v, %v", left, err)
	}
	if n := w.count("site.example", "/a"); n != 3 {
		t.Errorf("%d requests", n)
	}
	if err := d.Drop(ctx, FailedFetch, "nobody"); errs.KindOf(err) != errs.NotFound {
		t.Errorf("%v", err)
	}
	if err := d.Drop(ctx, "else", "nobody"); errs.KindOf(err) != errs.Invalid {
		t.Errorf("%v", err)
	}
}

func TestBackoff(t *testing.T) {
	for attempt := 1; attempt < 12; attempt++ {
		most := min(time.Minute<<(attempt-1), 6*time.Hour)
		for range 50 {
			if b := backoff(attempt); b < most/2 || b > most {
				t.Fatal(fmt.Sprint(attempt, b))
			}
		}
	}
}
