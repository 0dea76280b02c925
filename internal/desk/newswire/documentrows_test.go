package newswire

import (
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"pressroom/llm"
	"pressroom/llm/builtin"
	"pressroom/llm/llmtest"
	"pressroom/model"
	"pressroom/model/modeltest"
)

func placed(index string, pk, sk model.Template) model.IndexKey {
	return model.IndexKey{Index: index, PK: pk, SK: sk}
}

// document is the newswire's. It names no projections; that the queries show enough is
// tried below.
var document = modeltest.Document{
	Tables: []modeltest.DocumentTable{{
		Name: "summanow", Env: "SUMMANOW_TABLE", PK: "PK", SK: "SK", TTL: true,
		Indexes: []modeltest.DocumentIndex{
			{Name: "GSI1", PK: "GSI1PK", SK: "GSI1SK"}, {Name: "GSI2", PK: "GSI2PK", SK: "GSI2SK"}, {Name: "GSI3", PK: "GSI3PK", SK: "GSI3SK"},
			{Name: "GSI4", PK: "GSI4PK", SK: "GSI4SK"}, {Name: "GSI5", PK: "GSI5PK", SK: "GSI5SK"},
		},
		Entities: []modeltest.DocumentEntity{
			{Name: "Site", PK: "SITE#{siteId}", SK: "METADATA", Places: []model.IndexKey{placed("GSI1", "CATEGORY#{category}", "{name}")},
				Fields: []string{"siteId", "name", "category", "baseUrl", "crawlWindows", "allowedPaths", "requestIntervalMs", "timezone", "createdAt", "updatedAt"}},
			{Name: "Article", PK: "SITE#{siteId}", SK: "ARTICLE#{publishedAt}#{articleId}",
				Places: []model.IndexKey{placed("GSI2", "ARTICLE#{articleId}", "METADATA"), placed("GSI3", "STATUS#{status}", "{publishedAt}")},
				Fields: []string{"articleId", "siteId", "title", "url", "canonicalHash", "publishedAt", "fetchedAt", "author", "bodyPlain", "wordCount", "topics", "status", "summaryId", "lastSummaryAttemptAt", "s3SnapshotKey"},
				// Optional in the document; then what comes with its summary and its snapshot.
				Optional: []string{"author", "topics", "summaryId", "lastSummaryAttemptAt", "s3SnapshotKey"}},
			{Name: "Summary", PK: "ARTICLE#{articleId}", SK: "SUMMARY#v{number}",
				Fields:   []string{"summaryId", "articleId", "modelProvider", "modelId", "promptTemplateId", "summaryText", "confidence", "generatedAt", "tokenUsage", "disclaimer", "s3PromptKey", "s3ResponseKey"},
				Optional: []string{"s3PromptKey", "s3ResponseKey"}},
			{Name: "CrawlRun", PK: "SITE#{siteId}", SK: "CRAWL#{startedAt}",
				Places: []model.IndexKey{placed("GSI4", "RUN#{runId}", "METADATA"), placed("GSI5", "STATUS#{status}", "{startedAt}")},
				// ttl: "crawl run logs retained 90 days in DynamoDB".
				Fields: []string{"runId", "siteId", "triggerType", "startedAt", "completedAt", "status", "processedCount", "newArticles", "failedArticles", "errorSummary", "lambdaRequestId", "s3LogKey", "ttl"},
				// While it runs, when nothing failed, without Lambda, before the log is stored.
				Optional: []string{"completedAt", "errorSummary", "lambdaRequestId", "s3LogKey"}},
			{Name: "Retry", PK: "RETRY#{failureType}", SK: "ARTICLE#{articleId}",
				Fields: []string{"articleId", "failureType", "nextRetryAt", "attemptCount", "lastError", "createdAt", "ttl"}},
		},
	}},
	Objects: map[string]string{
		"Snapshot": "raw-html/{siteId}/{yyyymmdd}/{articleId}.html.gz", "Prompt": "prompts/{articleId}/{timestamp}-prompt.json",
		"Response": "responses/{articleId}/{timestamp}-response.json", "Log": "logs/{runId}.ndjson",
	},
	Differs: map[string]string{
		"the latest of a site, the feed, the retries by time": "| `RETRY#` in the order of `nextRetryAt`, the global feed, the latest of a site | the document's queries cannot give them",
		"CrawlRun.status running":                             "`running`",
	},
}

// The schema is the document's, row by row; what is not says so.
func TestDocumentSchema(t *testing.T) {
	modeltest.WantDocument(t, &document, Schema, "../../../docs/design/newswire.md")
}

// unpacked returns what a compressed object holds.
func (s *stores) unpacked(t testing.TB, key string) string {
	t.Helper()
	out, err := s.Objects.GetObject(t.Context(), &s3.GetObjectInput{Bucket: aws.String("summanow-artifacts"), Key: &key})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = out.Body.Close() }()
	unzipped, err := gzip.NewReader(out.Body)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(unzipped)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A program that knows the document alone finds in what the desk wrote all that the
// document lists, and its queries answer, word for word.
func TestDocumentQueries(t *testing.T) {
	modeltest.EachWay(t, documentQueries)
}

func documentQueries(t *testing.T, o *modeltest.StoreOptions) {
	w := newWorld(t)
	failing := func(rw http.ResponseWriter, _ *http.Request) { http.Error(rw, "down", http.StatusInternalServerError) }
	w.host("paper.example", map[string]any{
		"/": list("/a1", "/a2", "/broken"), "/a1": newsPage("Budget", "2026-11-09T09:00:00Z"), "/a2": newsPage("Harbour", "2026-11-08T09:00:00Z"), "/broken": failing,
	})
	s := newStoresOn(t, o)
	down := llmtest.NewScripted(func(int, *llm.Request) llmtest.Reply { return llmtest.Reply{Fault: llmtest.Fail, Status: 503} })
	d := s.desk(t, w, func(o *Options) { o.Model = llm.New(builtin.New(), llm.Options{}) })
	addSite(t, d, "paper", "paper.example", nil)
	run := crawlNow(t, d, "paper")
	ctx := t.Context()
	all := articlesOf(t, d, "paper")
	first, second := all["/a1"], all["/a2"]
	if err := d.SummariseArticle(ctx, first.ArticleID); err != nil {
		t.Fatal(err)
	}
	if _, err := s.desk(t, w, func(o *Options) { o.Model = down }).Summarise(ctx, 10); err != nil {
		t.Fatal(err)
	}
	s.clock.forward(time.Second)

	one := func(what string, items []model.Raw) model.Raw {
		t.Helper()
		if len(items) != 1 {
			t.Fatalf("%s: %d items", what, len(items))
		}
		return items[0]
	}
	site := one("sites by category", s.ask(t, "GSI1", "CATEGORY#news", "", false))
	document.WantWritten(t, "Site", site)
	if got := textIn(site, "GSI1SK"); got != "PAPER" {
		t.Errorf("a site stands under %s", got)
	}
	// "Fetch latest articles per site", as the ruling asks it.
	latest := s.ask(t, "", "SITE#paper", "ARTICLE#", true)
	if len(latest) != 2 || textIn(latest[0], "articleId") != first.ArticleID || textIn(latest[1], "articleId") != second.ArticleID {
		t.Errorf("the latest are %v", latest)
	}
	for _, item := range latest {
		document.WantWritten(t, "Article", item)
	}
	for _, name := range []string{"s3SnapshotKey", "summaryId", "lastSummaryAttemptAt"} {
		if textIn(latest[0], name) == "" {
			t.Errorf("a summarised article has no %s", name)
		}
	}
	// "Fetch Article details", and what the backlog shows.
	document.WantWritten(t, "Article", one("an article", s.ask(t, "GSI2", "ARTICLE#"+first.ArticleID, "METADATA", false)))
	done := one("summarised", s.ask(t, "GSI3", "STATUS#summarized", "", false))
	waiting := one("not summarised", s.ask(t, "GSI3", "STATUS#summary_failed", "", false))
	if textIn(done, "title") != "Budget" || textIn(waiting, "title") != "Harbour" || textIn(waiting, "url") == "" || textIn(done, "GSI3SK") != textIn(latest[0], "publishedAt") {
		t.Errorf("the backlog shows %v, %v", done, waiting)
	}
	// "Fetch Summary: same PK as article."
	summary := one("a summary", s.ask(t, "", "ARTICLE#"+first.ArticleID, "SUMMARY#", false))
	document.WantWritten(t, "Summary", summary)
	if textIn(summary, "SK") != "SUMMARY#v1" || textIn(summary, "summaryId") != textIn(latest[0], "summaryId") {
		t.Errorf("the summary is %v", summary)
	}
	// "List crawl runs."
	for what, items := range map[string][]model.Raw{
		"runs": s.ask(t, "", "SITE#paper", "CRAWL#", false), "a run": s.ask(t, "GSI4", "RUN#"+run.RunID, "METADATA", false), "runs by state": s.ask(t, "GSI5", "STATUS#partial", "", false),
	} {
		item := one(what, items)
		document.WantWritten(t, "CrawlRun", item)
		if textIn(item, "completedAt") == "" || textIn(item, "errorSummary") == "" || textIn(item, "s3LogKey") != "logs/"+run.RunID+".ndjson" {
			t.Errorf("%s: %v", what, item)
		}
	}
	// "Retry backlog", by its partition, and in the order of time as the ruling asks it.
	for _, kind := range []string{"fetch", "summary"} {
		document.WantWritten(t, "Retry", one("retries of "+kind, s.ask(t, "", "RETRY#"+kind, "ARTICLE#", false)))
		document.WantWritten(t, "Retry", one("retries of "+kind+" by time", s.ask(t, "GSI7", "RETRY#"+kind, "", false)))
	}
	// "Fetch global feed", as the ruling asks it.
	if got := len(s.ask(t, "GSI6", "FEED#2026-11", "", true)); got != 2 {
		t.Errorf("the feed has %d articles", got)
	}
	// "S3 Objects": keys, the tag, the metadata.
	for _, key := range []string{textIn(latest[0], "s3SnapshotKey"), textIn(summary, "s3PromptKey"), textIn(summary, "s3ResponseKey"), "logs/" + run.RunID + ".ndjson"} {
		head, err := s.Objects.HeadObject(ctx, &s3.HeadObjectInput{Bucket: aws.String("summanow-artifacts"), Key: &key})
		if err != nil {
			t.Fatalf("%s: %v", key, err)
		}
		if head.Metadata["source-url"] == "" || len(head.Metadata["sha256"]) != 64 {
			t.Errorf("%s has the metadata %v", key, head.Metadata)
		}
		tags, err := s.Objects.GetObjectTagging(ctx, &s3.GetObjectTaggingInput{Bucket: aws.String("summanow-artifacts"), Key: &key})
		if err != nil || len(tags.TagSet) != 1 || aws.ToString(tags.TagSet[0].Key)+"="+aws.ToString(tags.TagSet[0].Value) != "project=summanow" {
			t.Errorf("%s has the tags %v, %v", key, tags, err)
		}
	}
	if want := "raw-html/paper/" + strings.ReplaceAll(first.FetchedAt[:10], "-", "") + "/" + first.ArticleID + ".html.gz"; textIn(latest[0], "s3SnapshotKey") != want {
		t.Errorf("the snapshot is at %s, not %s", textIn(latest[0], "s3SnapshotKey"), want)
	}
	if page := s.unpacked(t, textIn(latest[0], "s3SnapshotKey")); !strings.Contains(page, "<h1>Budget</h1>") {
		t.Error("the snapshot is not the page")
	}
}
