package newswire

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"pressroom/internal/errs"
	"pressroom/model"
)

// siteFunc answers with a status, and with a page if that is 200.
func siteFunc(state *int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(*state)
		if *state == http.StatusOK {
			_, _ = io.WriteString(w, body)
		}
	}
}

// walk follows a list to its end and returns the titles.
func walk(t *testing.T, limit int, page func(model.PageOptions) (model.Page[Article], error)) []string {
	t.Helper()
	var titles []string
	o := model.PageOptions{Limit: limit}
	for {
		p, err := page(o)
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Items) > limit {
			t.Fatalf("a page of %d", len(p.Items))
		}
		for _, a := range p.Items {
			titles = append(titles, a.Title)
		}
		if p.Next == "" {
			return titles
		}
		o.Cursor = p.Next
	}
}

func TestReading(t *testing.T) {
	pages := map[string]any{}
	var want []string // the newest first
	for i := range 9 {
		at := time.Date(2026, 10, 28, 12, 0, 0, 0, time.UTC).AddDate(0, -i*2/3*2, -i)
		title := fmt.Sprintf("Story %d", i)
		pages[fmt.Sprintf("/%d", i)] = newsPage(title, at.Format(time.RFC3339))
		want = append(want, title)
	}
	d, _, _ := newsdesk(t, nil, pages)
	ctx := t.Context()
	same := func(what string, got []string) {
		t.Helper()
		if strings.Join(got, ",") != strings.Join(want, ",") {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	for limit := 1; limit <= 10; limit++ {
		same("feed", walk(t, limit, func(o model.PageOptions) (model.Page[Article], error) { return d.Feed(ctx, o) }))
		same("category", walk(t, limit, func(o model.PageOptions) (model.Page[Article], error) { return d.ByCategory(ctx, "news", o) }))
		same("site", walk(t, limit, func(o model.PageOptions) (model.Page[Article], error) { return d.Latest(ctx, "site", o) }))
	}
	all := articlesOf(t, d, "site")
	for _, a := range all {
		if _, err := d.SetTopics(ctx, a.ArticleID, 0, []string{" City  Hall ", "ｃｉｔｙ hall", "all"}); err != nil {
			t.Fatal(err)
		}
	}
	same("topic", walk(t, 4, func(o model.PageOptions) (model.Page[Article], error) { return d.ByTopic(ctx, "CITY HALL", o) }))
	first := all["/0"]
	now, err := d.SetTopics(ctx, first.ArticleID, 2, []string{"all"})
	if err != nil || len(now.Topics) != 1 || now.Version != 3 {
		t.Errorf("%+v, %v", now, err)
	}
	if _, err := d.SetTopics(ctx, first.ArticleID, 2, nil); errs.KindOf(err) != errs.Stale {
		t.Errorf("an edit of an old version: %v", err)
	}
	want = want[1:]
	same("topic without the first", walk(t, 4, func(o model.PageOptions) (model.Page[Article], error) { return d.ByTopic(ctx, "city hall", o) }))
	if _, err := d.SetTopics(ctx, first.ArticleID, 0, []string{""}); errs.KindOf(err) != errs.Invalid {
		t.Errorf("an empty topic: %v", err)
	}
	checkBad(t, d)
	html, err := d.Snapshot(ctx, &first)
	if err != nil || string(html) != pages["/0"] {
		t.Errorf("the snapshot is %q, %v", html, err)
	}
}

func checkBad(t *testing.T, d *Desk) {
	t.Helper()
	ctx := t.Context()
	for _, cursor := range []string{"x", "2026-10.x", "2026-10", "9999.x"} {
		_, err := d.Feed(ctx, model.PageOptions{Cursor: cursor})
		if err != nil && errs.KindOf(err) != errs.Malformed {
			t.Errorf("%s: %v", cursor, err)
		}
		if err == nil && cursor != "2026-10" { // a bare month is its beginning
			t.Errorf("%s is a cursor", cursor)
		}
	}
	if _, err := d.Latest(ctx, "site", model.PageOptions{Cursor: "zzz"}); errs.KindOf(err) != errs.Malformed || errs.Fields(err)[0].Name != "cursor" {
		t.Errorf("%v", err)
	}
	if _, err := d.ByCategory(ctx, "gossip", model.PageOptions{}); errs.KindOf(err) != errs.Invalid {
		t.Errorf("%v", err)
	}
	if _, err := d.GetArticle(ctx, "nobody"); errs.KindOf(err) != errs.NotFound {
		t.Errorf("%v", err)
	}
	if _, err := d.GetRun(ctx, "nobody"); errs.KindOf(err) != errs.NotFound {
		t.Errorf("%v", err)
	}
	if _, err := d.RunLog(ctx, "nobody"); errs.KindOf(err) != errs.NotFound {
		t.Errorf("%v", err)
	}
}

// A long text is whole, although the table holds only its beginning.
func TestLongBody(t *testing.T) {
	var b strings.Builder
	for i := range 400 {
		fmt.Fprintf(&b, "<p>Paragraph %d says that the council voted on the budget, which is large.</p>", i)
	}
	d, _, _ := newsdesk(t, nil, map[string]any{"/a": `<meta property="og:type" content="article"><title>Long</title><article>` + b.String() + `</article>`})
	a := only(t, d, "/a")
	body, err := d.Body(t.Context(), &a)
	if err != nil || !strings.Contains(body, "Paragraph 399 says") {
		t.Errorf("%d bytes, %v", len(body), err)
	}
	if n := len([]rune(a.BodyPlain)); n > 10000 || n < 9000 || !strings.HasSuffix(a.BodyPlain, "large.") {
		t.Errorf("the table holds %d characters, ending with %q", n, a.BodyPlain[len(a.BodyPlain)-20:])
	}
	if a.WordCount != 400*13 {
		t.Errorf("%d words", a.WordCount)
	}
}

func TestExport(t *testing.T) {
	d, s, _ := newsdesk(t, nil, map[string]any{"/a": newsPage("A", "2026-11-10T09:00:00Z")})
	ctx := t.Context()
	began := s.clock.now().UTC()
	s.clock.forward(32 * 24 * time.Hour)
	keys, err := d.ExportDue(ctx)
	if err != nil || len(keys) != 2 {
		t.Fatal(keys, err)
	}
	zipped, err := d.get(ctx, "exports/crawl-runs/"+began.Format("2006-01")+".ndjson.gz")
	if err != nil {
		t.Fatal(err)
	}
	text, err := unzip(zipped)
	if err != nil {
		t.Fatal(err)
	}
	var run CrawlRun
	if err := json.Unmarshal(text, &run); err != nil || run.Status != Success || run.NewArticles != 1 {
		t.Errorf("%s, %v", text, err)
	}
	if again, err := d.ExportDue(ctx); err != nil || len(again) != 0 {
		t.Errorf("exported again: %v, %v", again, err)
	}
	if _, err := d.ExportRuns(ctx, "last month"); errs.KindOf(err) != errs.Invalid {
		t.Errorf("%v", err)
	}
}

// TestLifecycle looks at what the bucket does with pages after 30 days.
func TestLifecycle(t *testing.T) {
	d, s, _ := newsdesk(t, nil, map[string]any{"/a": newsPage("A", "2026-11-10T09:00:00Z")})
	s.Embedded(t, "another store's clock cannot be moved")
	rules, err := d.objects.GetBucketLifecycleConfiguration(t.Context(), &s3.GetBucketLifecycleConfigurationInput{Bucket: &d.bucket.Name})
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, r := range rules.Rules {
		if aws.ToString(r.ID) == "raw-html-to-cold" && len(r.Transitions) == 1 {
			found = aws.ToInt32(r.Transitions[0].Days) == 30 && r.Transitions[0].StorageClass == types.TransitionStorageClassGlacier
		}
	}
	if !found {
		t.Errorf("rules %+v", rules.Rules)
	}
	// Pages are small, and small objects move only if the bucket is told so.
	_, err = d.objects.PutBucketLifecycleConfiguration(t.Context(), &s3.PutBucketLifecycleConfigurationInput{
		Bucket: &d.bucket.Name, LifecycleConfiguration: &types.BucketLifecycleConfiguration{Rules: rules.Rules},
		TransitionDefaultMinimumObjectSize: types.TransitionDefaultMinimumObjectSizeVariesByStorageClass,
	})
	if err != nil {
		t.Fatal(err)
	}
	a := only(t, d, "/a")
	s.clock.forward(29 * 24 * time.Hour)
	if _, err := s.Blobs.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if html, err := d.Snapshot(t.Context(), &a); err != nil || len(html) == 0 {
		t.Errorf("before 30 days: %d bytes, %v", len(html), err)
	}
	s.clock.forward(3 * 24 * time.Hour)
	if _, err := s.Blobs.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Snapshot(t.Context(), &a); err == nil || errs.KindOf(err) != errs.Conflict {
		t.Errorf("after 30 days: %v", err)
	}
}
