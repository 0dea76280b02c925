package newswire

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"pressroom/internal/errs"
	"pressroom/internal/story"
	"pressroom/internal/story/storytest"
	"pressroom/llm"
	"pressroom/llm/builtin"
	"pressroom/model"
	"pressroom/model/modeltest"
)

// row is an item as a document writes it down.
type row map[string]any

// documentRows are one item of each entity, with the attributes that the document lists
// and no others.
func documentRows() []row {
	body := strings.Repeat("The council agreed on a budget for the harbour after a debate of three hours. ", 8)
	article := func(id, published, state string, more row) row {
		r := row{
			"PK": "SITE#paper", "SK": "ARTICLE#" + published + "#" + id, "articleId": id, "siteId": "paper", "title": "Council " + id,
			"url": "http://paper.example/" + id + "?utm_source=feed", "canonicalHash": "hash of " + id, "publishedAt": published, "fetchedAt": "2026-11-10T10:00:00Z",
			"bodyPlain": body + id, "wordCount": 112, "status": state,
			"GSI2PK": "ARTICLE#" + id, "GSI2SK": "METADATA", "GSI3PK": "STATUS#" + state, "GSI3SK": published,
		}
		for name, value := range more {
			r[name] = value
		}
		return r
	}
	return []row{
		{"PK": "SITE#paper", "SK": "METADATA", "siteId": "paper", "name": "The Paper", "category": "news", "baseUrl": "http://paper.example/",
			"crawlWindows": []row{{"start": "06:30", "end": "07:15"}}, "allowedPaths": []string{"/"}, "requestIntervalMs": 10, "timezone": "Asia/Tokyo",
			"createdAt": "2026-11-01T00:00:00Z", "updatedAt": "2026-11-01T00:00:00Z", "GSI1PK": "CATEGORY#news", "GSI1SK": "The Paper"},
		article("a1", "2026-11-09T09:00:00Z", "pending_summary", row{"author": "A. Reporter", "topics": []string{"harbour"}}),
		article("a2", "2026-10-09T09:00:00Z", "summarized", row{"summaryId": "s2", "lastSummaryAttemptAt": "2026-11-10T10:00:00Z"}),
		article("a3", "2026-11-08T09:00:00Z", "summary_failed", nil),
		{"PK": "ARTICLE#a2", "SK": "SUMMARY#v1", "summaryId": "s2", "articleId": "a2", "modelProvider": "openai", "modelId": "gpt-4o-mini", "promptTemplateId": "p1",
			"summaryText": "The council agreed.", "confidence": 0.9, "generatedAt": "2026-11-10T10:00:00Z", "tokenUsage": row{"input": 10, "output": 5}, "disclaimer": "generated"},
		{"PK": "SITE#paper", "SK": "CRAWL#2026-11-10T09:59:00Z", "runId": "r1", "siteId": "paper", "triggerType": "schedule", "startedAt": "2026-11-10T09:59:00Z",
			"completedAt": "2026-11-10T10:05:00Z", "status": "partial", "processedCount": 3, "newArticles": 3, "failedArticles": 1, "errorSummary": "one page failed",
			"GSI4PK": "RUN#r1", "GSI4SK": "METADATA", "GSI5PK": "STATUS#partial", "GSI5SK": "2026-11-10T09:59:00Z"},
		{"PK": "RETRY#summary", "SK": "ARTICLE#a3", "articleId": "a3", "failureType": "summary", "nextRetryAt": "2026-11-10T10:01:00Z", "attemptCount": 1,
			"lastError": "timeout", "createdAt": "2026-11-10T10:00:00Z"},
		{"PK": "RETRY#fetch", "SK": "ARTICLE#a2", "articleId": "a2", "failureType": "fetch", "nextRetryAt": "2026-11-10T10:01:00Z", "attemptCount": 1,
			"lastError": "timeout", "createdAt": "2026-11-10T10:00:00Z"},
	}
}

func (s *stores) foreign(t testing.TB, rows ...row) {
	t.Helper()
	for _, r := range rows {
		item, err := attributevalue.MarshalMap(map[string]any(r))
		if err == nil {
			_, err = s.Tables.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("summanow"), Item: item})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// literal asks the table or an index as the document does, and returns an attribute of
// what it answers.
func (s *stores) literal(t testing.TB, index, pk, begins string, descending bool, attribute string) string {
	t.Helper()
	var all []string
	for _, item := range s.ask(t, index, pk, begins, descending) {
		var v map[string]any
		if err := attributevalue.UnmarshalMap(item, &v); err != nil {
			t.Fatal(err)
		}
		all = append(all, fmt.Sprint(v[attribute]))
	}
	return strings.Join(all, " ")
}

// ask asks the table or an index as the document does.
func (s *stores) ask(t testing.TB, index, pk, begins string, descending bool) []model.Raw {
	t.Helper()
	names := map[string]string{"#p": index + "PK"}
	values := row{":p": pk}
	condition := "#p = :p"
	if begins != "" {
		names["#s"], values[":s"] = index+"SK", begins
		condition += " AND begins_with(#s, :s)"
	}
	in := &dynamodb.QueryInput{TableName: aws.String("summanow"), KeyConditionExpression: &condition, ExpressionAttributeNames: names, ScanIndexForward: aws.Bool(!descending), Limit: aws.Int32(20)}
	if index != "" {
		in.IndexName = &index
	}
	var err error
	if in.ExpressionAttributeValues, err = attributevalue.MarshalMap(map[string]any(values)); err != nil {
		t.Fatal(err)
	}
	out, err := s.Tables.Query(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return out.Items
}

func ids(p Page[Article], err error) string {
	var all []string
	for _, a := range p.Items {
		all = append(all, a.ArticleID)
	}
	if err != nil {
		return err.Error()
	}
	return strings.Join(all, " ")
}

// findings are what is wrong, but for what nobody has taken over.
func findings(t testing.TB, d *Desk) string {
	t.Helper()
	var all []string
	if err := d.Check(t.Context(), func(where, what string) {
		if !strings.HasSuffix(what, model.Untaken) {
			all = append(all, where+": "+what)
		}
	}); err != nil {
		t.Fatal(err)
	}
	slices.Sort(all)
	return strings.Join(all, "\n")
}

// Items written to the letter of the document go through their whole life.
func TestDocumentItems(t *testing.T) {
	modeltest.EachWay(t, documentItems)
}

func documentItems(t *testing.T, o *modeltest.StoreOptions) {
	w := newWorld(t)
	w.host("paper.example", map[string]any{"/": list("/a1", "/a2"), "/a1": newsPage("Council a1", "2026-11-09T09:00:00Z"), "/a2": newsPage("Council a2", "2026-10-09T09:00:00Z")})
	s := newStoresOn(t, o)
	s.untold = true // in the end the site goes, and its articles' cards follow through the table's stream
	d := s.desk(t, w, func(o *Options) { o.Model = llm.New(builtin.New(), llm.Options{}) })
	stories, err := story.New(s.Tables, nil)
	if err != nil {
		t.Fatal(err)
	}
	adopt := func() {
		t.Helper()
		storytest.Adopt(t, s.Stores, stories, d.Shelf())
		if wrong := findings(t, d); wrong != "" {
			t.Errorf("after adoption:\n%s", wrong)
		}
	}
	adopt() // so that the streams are followed
	s.foreign(t, documentRows()...)
	ctx := t.Context()

	// Before anybody has added anything: by id, and by the document's own keys.
	if wrong := findings(t, d); wrong != "" {
		t.Errorf("before adoption:\n%s", wrong)
	}
	a, err := d.GetArticle(ctx, "a1")
	if err != nil || a.Title != "Council a1" || a.Version >= 0 {
		t.Fatalf("%+v, %v", a, err)
	}
	if got := ids(d.Latest(ctx, "paper", PageOptions{})); got != "a1 a3 a2" {
		t.Errorf("the latest are %s", got)
	}
	if got := ids(d.Backlog(ctx, Pending, PageOptions{})); got != "a1" {
		t.Errorf("the backlog is %s", got)
	}
	if _, err := d.SetTopics(ctx, "a1", a.Version-1, []string{"budget"}); !isKind(err, errs.Stale) {
		t.Errorf("over another version: %v", err)
	}

	adopt()
	for what, want := range map[string][2]string{
		"feed":     {ids(d.Feed(ctx, PageOptions{})), "a1 a3 a2"},
		"category": {ids(d.ByCategory(ctx, "news", PageOptions{})), "a1 a3 a2"},
		"topic":    {ids(d.ByTopic(ctx, "harbour", PageOptions{})), "a1"},
		// The document's access patterns, where a ruling has one, the ruling's.
		"1 latest of a site": {s.literal(t, "", "SITE#paper", "ARTICLE#", true, "articleId"), "a1 a3 a2"},
		"2 global feed":      {s.literal(t, "GSI6", "FEED#2026-11", "", true, "GSI6SK"), "2026-11-09T09:00:00Z#a1 2026-11-08T09:00:00Z#a3"},
		"3 article":          {s.literal(t, "GSI2", "ARTICLE#a1", "", false, "title"), "Council a1"},
		"4 summary":          {s.literal(t, "", "ARTICLE#a2", "", false, "summaryText"), "The council agreed."},
		"5 runs":             {s.literal(t, "", "SITE#paper", "CRAWL#", false, "runId"), "r1"},
		"6 retries":          {s.literal(t, "GSI7", "RETRY#summary", "", false, "articleId"), "a3"},
		"sites":              {s.literal(t, "GSI1", "CATEGORY#news", "", false, "siteId"), "paper"},
		"backlog":            {s.literal(t, "GSI3", "STATUS#pending_summary", "", false, "title"), "Council a1"},
		"run":                {s.literal(t, "GSI4", "RUN#r1", "", false, "errorSummary"), "one page failed"},
		"runs by state":      {s.literal(t, "GSI5", "STATUS#partial", "", false, "runId"), "r1"},
	} {
		if want[0] != want[1] {
			t.Errorf("%s: %q, want %q", what, want[0], want[1])
		}
	}

	// Who read it before can change it; then it is summarised, a retry too.
	if a, err = d.SetTopics(ctx, "a1", a.Version, []string{"budget"}); err != nil || a.Version != 1 {
		t.Fatalf("version %d, %v", a.Version, err)
	}
	s.clock.forward(time.Hour)
	if n, err := d.Summarise(ctx, 10); n != 2 || err != nil {
		t.Fatalf("%d summarised, %v", n, err)
	}
	for _, id := range []string{"a1", "a3"} {
		if a, err := d.GetArticle(ctx, id); err != nil || a.Status != Summarized {
			t.Errorf("%s is %s: %s, %v", id, a.Status, a.Note, err)
		}
	}
	if n, err := d.Summarise(ctx, 10); n != 0 || err != nil {
		t.Errorf("%d summarised again, %v", n, err)
	}

	// The site can be edited and crawled; no article is kept twice.
	site, err := d.GetSite(ctx, "paper")
	if err != nil {
		t.Fatal(err)
	}
	site.Name = "Paper"
	if err := d.UpdateSite(ctx, &site); err != nil {
		t.Fatal(err)
	}
	if n, err := d.RetryFetches(ctx, 10); n != 1 || err != nil {
		t.Errorf("%d fetched again, %v", n, err)
	}
	crawlNow(t, d, "paper")
	if got := articlesOf(t, d, "paper"); len(got) != 3 {
		t.Errorf("after a crawl there are %d articles", len(got))
	}
	adopt()

	// Its run is exported with ours, when its month is over.
	key, err := d.ExportRuns(ctx, "2026-11")
	if err != nil {
		t.Fatal(err)
	}
	if lines := s.unpacked(t, key); !strings.Contains(lines, `"runId":"r1"`) || !strings.Contains(lines, `"errorSummary":"one page failed"`) {
		t.Errorf("exported are\n%s", lines)
	}
	if err := d.DeleteSite(ctx, "paper"); err != nil {
		t.Fatal(err)
	}
	// "Article & Summary records retained indefinitely", also without their site.
	if left := s.literal(t, "", "SITE#paper", "", false, "SK"); strings.Contains(left, "METADATA") || strings.Count(left, "ARTICLE#") != 3 {
		t.Errorf("left of the site: %s", left)
	}
}

func isKind(err error, k errs.Kind) bool { return errs.KindOf(err) == k }

// A page of ten characters that a feed names is an article, without a summary, and says
// why.
func TestTinyArticle(t *testing.T) {
	w := newWorld(t)
	w.host("tiny.example", map[string]any{
		"/":         list("/feed.xml"),
		"/feed.xml": rss(item("http://tiny.example/1", "Closed", "Mon, 09 Nov 2026 09:00:00 GMT")),
		"/1":        `<!doctype html><html><head><title>Closed</title></head><body><article><h1>Closed</h1><p>No trains.</p></article></body></html>`,
	})
	s := newStores(t)
	d := s.desk(t, w, nil)
	addSite(t, d, "tiny", "tiny.example", func(s *Site) { s.FeedURLs = []string{"http://tiny.example/feed.xml"} })
	crawlNow(t, d, "tiny")
	a := articlesOf(t, d, "tiny")["/1"]
	if a.Status != SummaryFailed || a.Note != tooShort || a.BodyPlain != "No trains." {
		t.Errorf("it is %q: %q, %q", a.Status, a.Note, a.BodyPlain)
	}
}
