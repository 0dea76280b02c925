package newswire

import (
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"pressroom/llm"
	"pressroom/llm/llmtest"
	"pressroom/model/modeltest"
)

// exhibit is a desk with a crawled site: two articles, one with a summary, a long
// text and a topic, one whose summary failed and is to be tried again.
type exhibit struct {
	*Desk
	modeltest.Damage
	long, other Article
	run         CrawlRun
	stores      *stores
}

func openExhibit(t *testing.T) *exhibit {
	t.Helper()
	provider := llmtest.NewScripted(func(_ int, req *llm.Request) llmtest.Reply {
		if strings.Contains(req.Messages[0].Text, `"Other"`) {
			return llmtest.Reply{Fault: llmtest.Refuse, Text: "no"}
		}
		return reply("The council voted on its agenda.", 1)
	})
	long := strings.Replace(newsPage("Long", "2026-11-10T09:00:00Z"), "</article>", "<p>"+strings.Repeat("The council went on and on about the harbour. ", 300)+"</p></article>", 1)
	d, s, _ := newsdesk(t, llm.New(provider, llm.Options{}), map[string]any{"/long": long, "/other": newsPage("Other", "2026-11-11T09:00:00Z")})
	if n, err := d.Summarise(t.Context(), 10); n != 2 || err != nil {
		t.Fatal(n, err)
	}
	e := &exhibit{Desk: d, stores: s}
	s.untold = true
	e.Damage = modeltest.Damage{T: t, DB: d.db, Table: &Schema.Tables[0]}
	if _, err := d.SetTopics(t.Context(), only(t, d, "/long").ArticleID, 0, []string{"harbour"}); err != nil {
		t.Fatal(err)
	}
	e.long, e.other = only(t, d, "/long"), only(t, d, "/other")
	runs, err := d.RunsOfSite(t.Context(), "site", PageOptions{})
	if err != nil || len(runs.Items) != 1 {
		t.Fatal(runs, err)
	}
	e.run = runs.Items[0]
	return e
}

func (e *exhibit) at(a *Article) []string {
	return []string{"SITE#site", "ARTICLE#" + a.PublishedAt + "#" + a.ArticleID}
}

func (e *exhibit) runAt() []string { return []string{"SITE#site", "CRAWL#" + e.run.StartedAt} }

func (e *exhibit) drop(t *testing.T, key string) {
	t.Helper()
	if key == "" {
		t.Fatal("there is no such object")
	}
	if _, err := e.objects.DeleteObject(t.Context(), &s3.DeleteObjectInput{Bucket: &e.bucket.Name, Key: &key}); err != nil {
		t.Fatal(err)
	}
}

func TestCheckFindsNothing(t *testing.T) {
	e := openExhibit(t)
	if v, ok := e.Get("SITE#site", "METADATA")["crawlWindows"].(*types.AttributeValueMemberL); !ok || len(v.Value) != 0 {
		t.Errorf("a site without windows has no list of them: %v", v)
	}
	modeltest.WantSound(t, e.Check)
	e.stores.clock.forward(91 * 24 * time.Hour) // runs and retries are expired and not yet removed
	e.Damage.Delete(e.runAt()...)
	modeltest.WantSound(t, e.Check)
}

func TestCheckFinds(t *testing.T) {
	later := "2099-01-01T00:00:00.000Z"
	for _, tt := range []struct {
		name   string
		damage func(*testing.T, *exhibit)
		words  []string
	}{
		{"hash of another title", func(_ *testing.T, e *exhibit) { e.Set("title", "Longer", e.at(&e.long)...) }, []string{"canonicalHash is not that of its URL and title"}},
		{"hash of another URL", func(_ *testing.T, e *exhibit) { e.Set("urlHash", strings.Repeat("0", 64), e.at(&e.long)...) }, []string{"urlHash is not that of its URL"}},
		{"hash not guarded", func(_ *testing.T, e *exhibit) { e.Damage.Delete("HASH#"+e.long.CanonicalHash, "ARTICLE") }, []string{"nothing guards its canonicalHash"}},
		{"hash guarded for another", func(_ *testing.T, e *exhibit) {
			e.Set("articleId", "other", "HASH#"+e.long.CanonicalHash, "ARTICLE")
		}, []string{"canonicalHash is guarded for article other"}},
		{"URL not guarded", func(_ *testing.T, e *exhibit) { e.Damage.Delete("URL#"+e.long.URLHash, "ARTICLE") }, []string{"nothing guards its URL"}},
		{"URL guarded for another", func(_ *testing.T, e *exhibit) { e.Set("siteId", "other", "URL#"+e.long.URLHash, "ARTICLE") }, []string{"its URL is guarded for article"}},
		{"page not archived", func(_ *testing.T, e *exhibit) { e.Set("s3SnapshotKey", nil, e.at(&e.long)...) }, []string{"is not archived"}},
		{"archived page gone", func(t *testing.T, e *exhibit) { e.drop(t, e.long.S3SnapshotKey) }, []string{"archived page", "raw-html/site/", "is missing"}},
		{"text gone", func(t *testing.T, e *exhibit) { e.drop(t, e.long.S3BodyKey) }, []string{"whole text", "is missing"}},
		{"summary not named", func(_ *testing.T, e *exhibit) { e.Set("summaryId", nil, e.at(&e.long)...) }, []string{"names no summary"}},
		{"failure not explained", func(_ *testing.T, e *exhibit) { e.Set("note", nil, e.at(&e.other)...) }, []string{"nothing says why"}},
		{"summary gone", func(_ *testing.T, e *exhibit) { e.Damage.Delete("ARTICLE#"+e.long.ArticleID, "SUMMARY#v1") }, []string{"SITE#site", "its summary", "is missing"}},
		{"topic not listed", func(_ *testing.T, e *exhibit) { e.Damage.Delete("TOPIC#harbour", e.at(&e.long)[1]) }, []string{"not listed under the topic harbour"}},
		{"topic too many", func(_ *testing.T, e *exhibit) { e.Set("topics", []string{}, e.at(&e.long)...) }, []string{"TOPIC#harbour", "has not the topic harbour"}},
		{"month unknown", func(_ *testing.T, e *exhibit) { e.Damage.Delete("MONTHS#news", "2026-11") }, []string{"the list news does not know"}},
		{"article gone: summary", func(_ *testing.T, e *exhibit) { e.Damage.Delete(e.at(&e.long)...) }, []string{"SUMMARY#v1", "there is no article"}},
		{"article gone: hash", func(_ *testing.T, e *exhibit) { e.Damage.Delete(e.at(&e.long)...) }, []string{"PK=HASH#", "there is no article"}},
		{"article gone: URL", func(_ *testing.T, e *exhibit) { e.Damage.Delete(e.at(&e.long)...) }, []string{"PK=URL#", "there is no article"}},
		{"article gone: retry", func(_ *testing.T, e *exhibit) { e.Damage.Delete(e.at(&e.other)...) }, []string{"PK=RETRY#summary", "there is no article"}},
		{"prompt gone", func(t *testing.T, e *exhibit) { e.drop(t, e.summary(t).S3PromptKey) }, []string{"its prompt", "is missing"}},
		{"response gone", func(t *testing.T, e *exhibit) { e.drop(t, e.summary(t).S3ResponseKey) }, []string{"its response", "is missing"}},
		{"answer without summary", func(t *testing.T, e *exhibit) { e.Set("number", 7, "ANSWER#"+e.summary(t).RequestKey, "ANSWER") }, []string{"there is no summary 7"}},
		{"run ended and running", func(_ *testing.T, e *exhibit) { e.Set("status", "running", e.runAt()...) }, []string{"it is running and ended at"}},
		{"run left behind", func(_ *testing.T, e *exhibit) {
			e.Copy(e.runAt(), []string{"SITE#site", "CRAWL#" + later})
			e.Set("runId", "later", "SITE#site", "CRAWL#"+later)
			e.Set("status", "running", e.runAt()...)
		}, []string{"a later run later"}},
		{"run counts too many", func(_ *testing.T, e *exhibit) { e.Set("newArticles", 9, e.runAt()...) }, []string{"counts 9 new articles, and met 2"}},
		{"run's log gone", func(t *testing.T, e *exhibit) { e.drop(t, e.run.S3LogKey) }, []string{"its log", "is missing"}},
		{"run gone", func(_ *testing.T, e *exhibit) { e.Damage.Delete(e.runAt()...) }, []string{"PK=RUN#", "there is no run"}},
		{"retry half leased", func(_ *testing.T, e *exhibit) {
			e.Set("leaseOwner", "me", "RETRY#summary", "ARTICLE#"+e.other.ArticleID)
		}, []string{"half a lease"}},
		{"page of another URL", func(_ *testing.T, e *exhibit) { e.Set("url", "http://x/", "FRONTIER#site", "URL#"+e.long.URLHash) }, []string{"FRONTIER#site", "not that of its URL"}},
		{"site gone", func(_ *testing.T, e *exhibit) { e.Damage.Delete("SITE#site", "METADATA") }, []string{"FRONTIER#site", "there is no site"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := openExhibit(t)
			tt.damage(t, e)
			modeltest.WantFinding(t, e.Check, tt.words...)
		})
	}
}

func (e *exhibit) summary(t *testing.T) Summary {
	t.Helper()
	all, err := e.Summaries(t.Context(), e.long.ArticleID)
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	return all[0]
}
