package newswire

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pressroom/dynamo"
	"pressroom/internal/errs"
	"pressroom/model"
	"pressroom/model/deploy"
	"pressroom/model/modeltest"
)

var (
	articleCount = flag.Int("articles", 2000, "compare lists among 1,000 articles with those among so many")
	archiveDir   = flag.String("archive", "", "write the many articles into this directory, keep them, and go on with those that are there")
	archiveTime  = flag.Duration("fill", 24*time.Hour, "write articles no longer than this, and compare with those that there are then")
)

// tolerance is how much slower a list among many articles may be. A few thousand are
// too few to tell, and only show that the proof works.
const tolerance = 1.5

// archiveOf is a desk on disk with many articles.
type archiveOf struct {
	desk     *Desk
	articles *model.Repo[Article] // as it is, but without versions, to write many at once
	n        int                  // articles when it is full
	filled   int                  // articles that there are
}

// These do not depend on how many articles there are.
const (
	scaleSites  = 20
	scaleTopics = 10
	scaleMonths = 24
)

func (a *archiveOf) site(i int) string    { return fmt.Sprintf("site%02d", i%scaleSites) }
func (a *archiveOf) topic(i int) string   { return fmt.Sprintf("topic %d", i/scaleSites%scaleTopics) }
func (a *archiveOf) article(i int) string { return fmt.Sprintf("01SCALE%019d", i) }
func (a *archiveOf) run(i int) string     { return fmt.Sprintf("01RUN%021d", i/scalePart) }

// published spreads the articles evenly over the months.
func (a *archiveOf) published(i int) string {
	const span = scaleMonths * 30 * 24 * time.Hour
	begin := time.Date(2026, 11, 15, 0, 0, 0, 0, time.UTC).Add(-span)
	return stamp(begin.Add(time.Duration(i) * (span / time.Duration(a.n))))
}

// newArchive fills a directory and opens it again: as after a restart, nothing is in
// memory only because it was just written.
func newArchive(t *testing.T, dir string, n int) archiveOf {
	t.Helper()
	a := archiveOf{n: n}
	closeDB := a.open(t, dir)
	for i := range scaleSites {
		err := a.desk.CreateSite(t.Context(), &Site{SiteID: a.site(i), Name: a.site(i), Category: categories[i%2], BaseURL: "http://" + a.site(i) + ".example/"})
		if err != nil && !errors.Is(err, errs.Duplicate) {
			t.Fatal(err)
		}
	}
	a.fillAll(t)
	if err := closeDB(); err != nil {
		t.Fatal(err)
	}
	closeDB = a.open(t, dir)
	t.Cleanup(func() {
		if err := closeDB(); err != nil {
			t.Error(err)
		}
	})
	return a
}

func (a *archiveOf) open(t *testing.T, dir string) (closeDB func() error) {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	db, err := dynamo.Open(dir, &dynamo.Options{Logger: log})
	if err != nil {
		t.Fatal(err)
	}
	// The log of changes is left out: no list reads it, and it is as large as the rest.
	table := Schema.Tables[0]
	table.Stream, table.RecoveryDays = "", 0
	if err := deploy.Apply(t.Context(), deploy.Store{Tables: db}, nil, model.Schema{Name: Schema.Name, Tables: []model.Table{table}}); err != nil {
		t.Fatal(err)
	}
	if a.desk, err = New(db, nil, &Options{Log: log}); err != nil {
		t.Fatal(err)
	}
	table.Entities = slices.Clone(table.Entities)
	for i := range table.Entities {
		table.Entities[i].Version = ""
	}
	if a.articles, err = model.NewRepo[Article](db, &table, "Article", nil); err != nil {
		t.Fatal(err)
	}
	return func() error { a.desk.Close(); return db.Close() }
}

// scalePart is how many articles are written at once, and are of one run.
const scalePart = 500

// fillAll writes articles until there are all of them, or the time is up.
func (a *archiveOf) fillAll(t *testing.T) {
	t.Helper()
	parts := make(chan int)
	var writers sync.WaitGroup
	var mu sync.Mutex
	var failed error
	for range 8 {
		writers.Go(func() {
			for from := range parts {
				err := a.fill(t.Context(), from, min(from+scalePart, a.n))
				mu.Lock()
				failed = errors.Join(failed, err)
				mu.Unlock()
			}
		})
	}
	for end := time.Now().Add(*archiveTime); a.filled < a.n && time.Now().Before(end); a.filled += min(scalePart, a.n-a.filled) {
		parts <- a.filled
		if a.filled > 0 && a.filled%100_000 == 0 {
			t.Logf("%d articles", a.filled)
		}
	}
	close(parts)
	writers.Wait()
	if failed != nil {
		t.Fatal(failed)
	}
}

var scaleBody = strings.Repeat("The council met about the budget of the harbour. ", 10)

// fill writes the articles from one number to another, and all that crawls and
// summaries leave with them.
func (a *archiveOf) fill(ctx context.Context, from, to int) error {
	d := a.desk
	// The retry is written last.
	if _, err := d.retries.Get(ctx, retryKey(FailedFetch, a.article(from))); err == nil {
		return a.addMonths(ctx, from, to)
	}
	var articles []Article
	var hashes []hashGuard
	var urls []urlGuard
	var topics []topicArticle
	var summaries []Summary
	var met []RunArticle
	for i := from; i < to; i++ {
		x := Article{
			ArticleID: a.article(i), SiteID: a.site(i), Category: categories[i%scaleSites%2], Title: fmt.Sprintf("Article %d", i),
			URL: fmt.Sprintf("http://%s.example/news/%d", a.site(i), i), PublishedAt: a.published(i), FetchedAt: a.published(i),
			BodyPlain: scaleBody, WordCount: 90, Topics: []string{a.topic(i)}, Status: Summarized, SummaryID: "s-" + a.article(i), Version: 1,
		}
		if i%10 == 0 {
			x.Status, x.SummaryID = Pending, ""
		}
		x.CanonicalHash, x.URLHash = sum(x.URL, x.Title), sum(x.URL)
		articles = append(articles, x)
		hashes = append(hashes, hashGuard{x.CanonicalHash, x.place()})
		urls = append(urls, urlGuard{URLHash: x.URLHash, place: x.place()})
		topics = append(topics, topicArticle{a.topic(i), x.place()})
		met = append(met, RunArticle{RunID: a.run(i), Outcome: "new", TTL: time.Now().AddDate(1, 0, 0).Unix(), ArticleID: x.ArticleID, SiteID: x.SiteID, PublishedAt: x.PublishedAt})
		if x.SummaryID != "" {
			summaries = append(summaries, Summary{
				SummaryID: x.SummaryID, ArticleID: x.ArticleID, ModelProvider: "builtin", ModelID: "m", PromptTemplateID: template,
				SummaryText: "The council met.", GeneratedAt: x.PublishedAt, Disclaimer: DisclaimerExtractive, Number: 1,
			})
		}
	}
	run := CrawlRun{
		RunID: a.run(from), SiteID: a.site(from / scalePart), TriggerType: Manual, StartedAt: a.published(from), CompletedAt: a.published(from), Status: Success,
		NewArticles: to - from, ProcessedCount: to - from, TTL: time.Now().AddDate(1, 0, 0).Unix(),
	}
	retry := Retry{
		ArticleID: a.article(from), FailureType: FailedFetch, NextRetryAt: a.published(from), AttemptCount: 1, LastError: "status 500",
		CreatedAt: a.published(from), TTL: run.TTL, State: Waiting,
	}
	return errors.Join(
		a.articles.BatchPut(ctx, articles), d.hashes.BatchPut(ctx, hashes), d.urls.BatchPut(ctx, urls), d.topics.BatchPut(ctx, topics),
		d.summaries.BatchPut(ctx, summaries), d.met.BatchPut(ctx, met), a.addMonths(ctx, from, to), d.runs.Put(ctx, &run), d.retries.Put(ctx, &retry),
	)
}

func (a *archiveOf) addMonths(ctx context.Context, from, to int) error {
	for i := from; i < to; i++ {
		for _, list := range []string{allSites, categories[0], categories[1]} {
			if err := a.desk.addMonth(ctx, list, a.published(i)); err != nil {
				return err
			}
		}
	}
	return nil
}

// scaleQuestion is an access pattern: it asks about the i-th article and returns how
// many items came.
type scaleQuestion struct {
	name string
	want int // at least
	ask  func(ctx context.Context, a archiveOf, i int) (int, error)
}

func count[T any](p Page[T], err error) (int, error) { return len(p.Items), err }

func one[T any](_ T, err error) (int, error) {
	if err != nil {
		return 0, err
	}
	return 1, nil
}

var scaleQuestions = []scaleQuestion{
	{"LatestOfSite", 20, func(ctx context.Context, a archiveOf, i int) (int, error) {
		return count(a.desk.Latest(ctx, a.site(i), PageOptions{}))
	}},
	{"LatestOfSite, in the middle", 20, func(ctx context.Context, a archiveOf, i int) (int, error) {
		return count(a.desk.Latest(ctx, a.site(i), PageOptions{Window: model.Window{To: a.published(a.filled/2 + i%(a.filled/4))}}))
	}},
	{"GlobalFeed", 20, func(ctx context.Context, a archiveOf, _ int) (int, error) {
		return count(a.desk.Feed(ctx, PageOptions{}))
	}},
	{"CategoryFeed", 20, func(ctx context.Context, a archiveOf, i int) (int, error) {
		return count(a.desk.ByCategory(ctx, categories[i%2], PageOptions{}))
	}},
	{"ArticlesOfTopic", 20, func(ctx context.Context, a archiveOf, i int) (int, error) {
		return count(a.desk.ByTopic(ctx, a.topic(i), PageOptions{}))
	}},
	{"Backlog", 20, func(ctx context.Context, a archiveOf, _ int) (int, error) {
		return count(a.desk.Backlog(ctx, Pending, PageOptions{}))
	}},
	{"GetArticle", 1, func(ctx context.Context, a archiveOf, i int) (int, error) {
		return one(a.desk.GetArticle(ctx, a.article(i)))
	}},
	{"GetSummary", 1, func(ctx context.Context, a archiveOf, i int) (int, error) {
		s, err := a.desk.Summaries(ctx, a.article(i/10*10+1))
		return len(s), err
	}},
	{"SameContent", 1, func(ctx context.Context, a archiveOf, i int) (int, error) {
		url := fmt.Sprintf("http://%s.example/news/%d", a.site(i), i)
		return one(a.desk.hashes.Get(ctx, model.Values{"canonicalHash": sum(url, fmt.Sprintf("Article %d", i))}))
	}},
	{"SameURL", 1, func(ctx context.Context, a archiveOf, i int) (int, error) {
		return one(a.desk.urls.Get(ctx, model.Values{"urlHash": sum(fmt.Sprintf("http://%s.example/news/%d", a.site(i), i))}))
	}},
	{"RunsOfSite", 0, func(ctx context.Context, a archiveOf, _ int) (int, error) {
		return count(a.desk.RunsOfSite(ctx, a.site(0), PageOptions{Limit: 1}))
	}},
	{"GetRun", 1, func(ctx context.Context, a archiveOf, i int) (int, error) { return one(a.desk.GetRun(ctx, a.run(i))) }},
	{"RunsByStatus", 1, func(ctx context.Context, a archiveOf, _ int) (int, error) {
		return count(a.desk.RunsByStatus(ctx, Success, PageOptions{Limit: 1}))
	}},
	{"ArticlesOfRun", 50, func(ctx context.Context, a archiveOf, i int) (int, error) {
		return count(a.desk.ArticlesOfRun(ctx, a.run(i), PageOptions{}))
	}},
	{"RetryBacklog", 1, func(ctx context.Context, a archiveOf, _ int) (int, error) {
		return count(a.desk.RetryBacklog(ctx, FailedFetch, PageOptions{Limit: 1}))
	}},
}

// TestScale asks every question of readers and operators among 1,000 articles and
// among many, in turns. Readers ask about what is new far more often than about what
// is old, and so does the test: of ten articles that are asked for, nine are among the
// newest thousand. What holds is what a newsroom does that has been up for a minute.
func TestScale(t *testing.T) {
	if modeltest.Foreign() {
		t.Skip("only on the embedded stores: their speed is what is measured")
	}
	dir := *archiveDir
	if dir == "" {
		dir = t.TempDir()
	}
	few, many := newArchive(t, t.TempDir(), 1000), newArchive(t, dir, *articleCount)
	for _, q := range scaleQuestions {
		rounds := 30
		if many.filled >= 100_000 {
			rounds = 1000
		}
		// The first time reads from disk what the second finds in memory: the newest
		// thousand of many are on a thousand pages of the disk, those of one thousand on a
		// few.
		first := compare(t, &q, few, many, rounds)
		then := compare(t, &q, few, many, rounds)
		t.Logf("%-28s %8v among %d, %8v among %d: %.2f; at first %.2f", q.name, then[0], few.filled, then[1], many.filled, ratio(then), ratio(first))
		if rounds >= 1000 && ratio(then) > tolerance {
			t.Errorf("%s is %.2f times as slow among %d articles", q.name, ratio(then), many.filled)
		}
	}
}

func ratio(took [2]time.Duration) float64 { return float64(took[1]) / float64(took[0]) }

// compare asks a question about few and about many, in turns.
func compare(t *testing.T, q *scaleQuestion, few, many archiveOf, rounds int) [2]time.Duration {
	t.Helper()
	var took [2][]time.Duration
	for n := range rounds {
		for k, a := range []archiveOf{few, many} {
			i := a.filled - 1 - rand.N(1000)
			if n%10 == 0 {
				i = rand.N(a.filled)
			}
			begun := time.Now()
			got, err := q.ask(t.Context(), a, i)
			took[k] = append(took[k], time.Since(begun))
			if err != nil || got < q.want {
				t.Fatalf("%s among %d: %d items, %v", q.name, a.filled, got, err)
			}
		}
	}
	return [2]time.Duration{quick(took[0]), quick(took[1])}
}

// quick is what the quickest quarter took at most: the slower ones waited for a
// processor.
func quick(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[len(times)/4].Round(100 * time.Nanosecond)
}
