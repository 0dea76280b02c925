// Package newswire is the desk of news and press-release sites: it crawls them
// inside their windows, keeps what they published, summarises it, and tries again
// what failed.
//
// It promises:
//
//   - No article is kept twice, and none that was found is lost, also if the
//     process is killed at any moment: the frontier of a crawl is in the table.
//   - A site is asked only for what its robots.txt and its allowed paths let
//     through, and a host is never asked sooner than its interval after the last
//     answer, by however many processes.
//   - No text is summarised twice with the same prompt and model.
//   - What comes from outside is data: plain text without control characters.
//
// schema.go declares the data: read it first, then desk.go, site.go and article.go
// for the nouns, and crawl.go, frontier.go, turn.go, process.go, keep.go,
// summarise.go and retry.go for the flows, in the order in which a page becomes an
// article with a summary. signals.go reads what sites say about the use of their
// pages. Packages when, page and feed below read what sites publish.
package newswire

import "pressroom/model"

// Schema is the desk's table and bucket.
var Schema = model.Schema{
	Name:    "newswire",
	Tables:  []model.Table{table},
	Buckets: []model.Bucket{artifacts},
}

const (
	idMax   = 128
	nameMax = 800
	urlMax  = 2048
	keyMax  = 1024
	noteMax = 4 << 10

	topicsMax = 20 // of an article
	topicMax  = 50 // characters
)

var (
	categories = []string{"press_release", "news"}
	failures   = []string{"fetch", "summary"}
	runStates  = []string{"running", "success", "partial", "failed"}
	outcomes   = []string{"new", "updated", "unchanged", "failed"}
	pageKinds  = []string{"feed", "sitemap", "links", "article"}

	// watched is what a list of the backlog shows of an article: all but its text.
	watched = []string{"articleId", "siteId", "title", "url", "publishedAt", "fetchedAt", "author", "wordCount", "topics", "status", "summaryId", "lastSummaryAttemptAt", "s3SnapshotKey"}

	// pointer is what a guard says about the article that it stands for.
	pointer = []model.Field{
		{Name: "articleId", Size: 26, Max: idMax},
		{Name: "siteId", Size: 12, Max: idMax},
		{Name: "publishedAt", Kind: model.Time},
	}
)

func gsi(n, purpose, added string) model.Index {
	return model.Index{Name: "GSI" + n, PK: model.Key{Name: "GSI" + n + "PK"}, SK: model.Key{Name: "GSI" + n + "SK"}, Projection: model.All, Purpose: purpose, Added: added}
}

// keys is an index of articles of our own. It holds their keys only: with the text in
// each of them, an article would be written, and paid for, five times.
func keys(n, purpose, added string) model.Index {
	x := gsi(n, purpose, added)
	x.Projection = model.KeysOnly
	return x
}

var table = model.Table{
	Name: "summanow", Env: "SUMMANOW_TABLE", Purpose: "sites, articles, summaries, runs and retries",
	PK: model.Key{Name: "PK"}, SK: model.Key{Name: "SK"},
	TTL: "ttl", RecoveryDays: 35, Encrypted: true, Stream: "NEW_AND_OLD_IMAGES",
	Tags: map[string]string{"project": "summanow"},
	Indexes: []model.Index{
		gsi("1", "sites by category and name", ""),
		gsi("2", "an article by its id", ""),
		{Name: "GSI3", PK: model.Key{Name: "GSI3PK"}, SK: model.Key{Name: "GSI3SK"}, Projection: model.Include, Include: watched, Purpose: "articles by state, to watch the backlog"},
		gsi("4", "a run by its id", ""),
		gsi("5", "runs by state", ""),
		keys("6", "articles of all sites by date", "GSI2 holds one article in a partition, which makes no feed"),
		gsi("7", "retries by the time they are due", "the table sorts retries by article"),
		keys("8", "articles of a category by date", "a reader asks for a category of all its sites at once"),
		gsi("9", "pages that wait to be fetched", "a killed crawl goes on where it was"),
	},
	Entities: []model.Entity{
		{Name: "Site", Doc: "a site to crawl", PK: "SITE#{siteId}", SK: "METADATA", Version: "version", Peak: 5,
			Keys: []model.IndexKey{{Index: "GSI1", PK: "CATEGORY#{category}", SK: "{name}"}},
			Fields: []model.Field{
				{Name: "siteId", Size: 12, Max: idMax},
				{Name: "name", Size: 20, Max: nameMax},
				{Name: "category", Values: categories},
				{Name: "baseUrl", Size: 40, Max: urlMax},
				{Name: "crawlWindows", Kind: model.List, Size: 100, Max: 8 << 10},
				{Name: "allowedPaths", Kind: model.List, Size: 40, Max: 32 << 10},
				{Name: "requestIntervalMs", Kind: model.Number},
				{Name: "timezone", Size: 10, Max: 64},
				{Name: "createdAt", Kind: model.Time},
				{Name: "updatedAt", Kind: model.Time},
				{Name: "feedUrls", Kind: model.List, Optional: true, Size: 60, Max: 32 << 10, Added: true},
				{Name: "paused", Kind: model.Bool, Optional: true, Added: true},
				{Name: "basis", Kind: model.Map, Optional: true, Size: 20, Max: 1 << 10, Added: true},
				{Name: "version", Kind: model.Number, Added: true},
			}},
		{Name: "Article", Doc: "what a site published", PK: "SITE#{siteId}", SK: "ARTICLE#{publishedAt}#{articleId}", Identity: []string{"articleId"}, Version: "version", Missing: missingOfArticle, Peak: 20,
			Keys: []model.IndexKey{
				{Index: "GSI2", PK: "ARTICLE#{articleId}", SK: "METADATA"},
				{Index: "GSI3", PK: "STATUS#{status}", SK: "{publishedAt}"},
				{Index: "GSI6", PK: "FEED#{publishedAt:YYYY-MM}", SK: "{publishedAt}#{articleId}"},
				{Index: "GSI8", PK: "CATEGORY#{category}#{publishedAt:YYYY-MM}", SK: "{publishedAt}#{articleId}"},
			},
			Fields: []model.Field{
				{Name: "articleId", Size: 26, Max: idMax},
				{Name: "siteId", Size: 12, Max: idMax},
				{Name: "title", Size: 80, Max: 4 * 500},
				{Name: "url", Size: 80, Max: urlMax},
				{Name: "canonicalHash", From: "SHA-256 of URL and title", Unique: true, Size: 64, Max: 64},
				{Name: "publishedAt", Kind: model.Time},
				{Name: "fetchedAt", Kind: model.Time},
				{Name: "author", Optional: true, Size: 20, Max: nameMax},
				{Name: "bodyPlain", Size: 4000, Max: 4 * 10000},
				{Name: "wordCount", Kind: model.Number},
				{Name: "topics", Kind: model.List, Optional: true, Size: 30, Max: 16 << 10},
				{Name: "status", Values: []string{"summarized", "pending_summary", "summary_failed"}},
				{Name: "summaryId", Optional: true, Size: 26, Max: idMax},
				{Name: "lastSummaryAttemptAt", Kind: model.Time, Optional: true},
				{Name: "s3SnapshotKey", Optional: true, Size: 70, Max: keyMax},
				{Name: "urlHash", From: "SHA-256 of the canonical URL", Unique: true, Size: 64, Max: 64, Added: true},
				{Name: "category", Optional: true, Values: categories, Added: true},
				{Name: "bodyHash", From: "SHA-256 of the whole text", Optional: true, Size: 64, Max: 64, Added: true},
				{Name: "s3BodyKey", Optional: true, Size: 40, Max: keyMax, Added: true},
				{Name: "updatedAt", Kind: model.Time, Optional: true, Added: true},
				{Name: "note", Optional: true, Size: 40, Max: noteMax, Added: true},
				{Name: "said", Kind: model.List, Optional: true, Size: 60, Max: 32 << 10, Added: true},
				{Name: "picture", Kind: model.Map, Optional: true, Size: 300, Max: 8 << 10, Added: true},
				{Name: "withdrawn", Kind: model.Map, Optional: true, Size: 100, Max: noteMax, Added: true},
				{Name: "version", Kind: model.Number, Added: true},
			}},
		{Name: "Summary", Doc: "a summary of an article", PK: "ARTICLE#{articleId}", SK: "SUMMARY#v{number}", Peak: 20,
			Fields: []model.Field{
				{Name: "summaryId", Size: 26, Max: idMax},
				{Name: "articleId", Size: 26, Max: idMax},
				{Name: "modelProvider", Size: 8, Max: idMax},
				{Name: "modelId", Size: 12, Max: idMax},
				{Name: "promptTemplateId", Size: 12, Max: idMax},
				{Name: "summaryText", Size: 900, Max: 32 << 10},
				{Name: "confidence", Kind: model.Number},
				{Name: "generatedAt", Kind: model.Time},
				{Name: "tokenUsage", Kind: model.Map, Size: 30, Max: 1 << 10},
				{Name: "disclaimer", Size: 12, Max: idMax},
				{Name: "s3PromptKey", Optional: true, Size: 80, Max: keyMax},
				{Name: "s3ResponseKey", Optional: true, Size: 80, Max: keyMax},
				{Name: "number", Kind: model.Number, InKey: true, Added: true},
				{Name: "requestKey", Optional: true, From: "SHA-256 of what the model was asked", Size: 64, Max: 64, Added: true},
				{Name: "extractive", Kind: model.Bool, Optional: true, Added: true},
				{Name: "keywords", Kind: model.List, Optional: true, Size: 80, Max: 1 << 10, Added: true},
				{Name: "reasons", Kind: model.Map, Optional: true, Size: 40, Max: 1 << 10, Added: true},
				{Name: "editedBy", Optional: true, Size: 12, Max: nameMax, Added: true},
				{Name: "editedAt", Kind: model.Time, Optional: true, Added: true},
				{Name: "editedOf", From: "bodyHash of the article", Optional: true, Size: 64, Max: 64, Added: true},
			}},
		{Name: "Version", Doc: "an article before its source changed it", PK: "ARTICLE#{articleId}", SK: "VERSION#{fetchedAt}", Peak: 5,
			Fields: []model.Field{
				{Name: "articleId", Size: 26, Max: idMax},
				{Name: "fetchedAt", Kind: model.Time},
				{Name: "replacedAt", Kind: model.Time},
				{Name: "title", Size: 80, Max: 4 * 500},
				{Name: "bodyPlain", Size: 4000, Max: 4 * 10000},
				{Name: "bodyHash", From: "SHA-256 of the whole text", Optional: true, Size: 64, Max: 64},
			},
			Added: "what a source took back or corrected can be told"},
		{Name: "CrawlRun", Doc: "one run over a site", PK: "SITE#{siteId}", SK: "CRAWL#{startedAt}", Identity: []string{"runId"}, Expires: "90 days", Missing: missingOfRun, Peak: 5,
			Keys: []model.IndexKey{
				{Index: "GSI4", PK: "RUN#{runId}", SK: "METADATA"},
				{Index: "GSI5", PK: "STATUS#{status}", SK: "{startedAt}"},
			},
			Fields: []model.Field{
				{Name: "runId", Size: 26, Max: idMax},
				{Name: "siteId", Size: 12, Max: idMax},
				{Name: "triggerType", Values: []string{"schedule", "manual"}},
				{Name: "startedAt", Kind: model.Time},
				{Name: "completedAt", Kind: model.Time, Optional: true},
				{Name: "status", Values: runStates},
				{Name: "processedCount", Kind: model.Number},
				{Name: "newArticles", Kind: model.Number},
				{Name: "failedArticles", Kind: model.Number},
				{Name: "errorSummary", Optional: true, Size: 80, Max: noteMax},
				{Name: "lambdaRequestId", Optional: true, Size: 36, Max: idMax},
				{Name: "s3LogKey", Optional: true, Size: 40, Max: keyMax},
				{Name: "ttl", Kind: model.Epoch},
				{Name: "updatedArticles", Kind: model.Number, Optional: true, Added: true},
				{Name: "requests", Kind: model.Number, Optional: true, Added: true},
				{Name: "endsAt", Kind: model.Time, Optional: true, Added: true},
				{Name: "pagesQueued", Kind: model.Number, Optional: true, Added: true},
				{Name: "pagesDone", Kind: model.Number, Optional: true, Added: true},
			}},
		{Name: "Retry", Doc: "something to try again", PK: "RETRY#{failureType}", SK: "ARTICLE#{articleId}", Expires: "7 days, or when resolved", Missing: missingOfRetry, Peak: 20,
			Keys: []model.IndexKey{{Index: "GSI7", PK: "RETRY#{failureType}", SK: "{nextRetryAt}"}},
			Fields: []model.Field{
				{Name: "articleId", Size: 26, Max: idMax},
				{Name: "failureType", Values: failures},
				{Name: "nextRetryAt", Kind: model.Time},
				{Name: "attemptCount", Kind: model.Number},
				{Name: "lastError", Size: 100, Max: noteMax},
				{Name: "createdAt", Kind: model.Time},
				{Name: "ttl", Kind: model.Epoch},
				{Name: "failureKind", Optional: true, Size: 12, Max: idMax, Added: true},
				{Name: "siteId", Optional: true, Size: 12, Max: idMax, Added: true},
				{Name: "url", Optional: true, Size: 80, Max: urlMax, Added: true},
				{Name: "leaseOwner", Optional: true, Size: 26, Max: idMax, Added: true},
				{Name: "leaseUntil", Kind: model.Time, Optional: true, Added: true},
				{Name: "state", Values: []string{"waiting", "given_up"}, Added: true},
			}},
		{Name: "HashGuard", Doc: "keeps canonicalHash unique", PK: "HASH#{canonicalHash}", SK: "ARTICLE", Guards: "canonicalHash", Peak: 20,
			Fields: append([]model.Field{{Name: "canonicalHash", Size: 64, Max: 64}}, pointer...),
			Added:  "nothing else makes it unique"},
		{Name: "URLGuard", Doc: "keeps the canonical URL unique", PK: "URL#{urlHash}", SK: "ARTICLE", Guards: "urlHash", Peak: 20,
			Fields: append([]model.Field{{Name: "urlHash", Size: 64, Max: 64}, {Name: "erased", Kind: model.Bool, Optional: true}}, pointer...),
			Added:  "a known URL with a new title is the same article, and an erased one is not kept again"},
		{Name: "RunArticle", Doc: "an article that a run met", PK: "RUN#{runId}", SK: "ARTICLE#{articleId}", Expires: "90 days, with its run", Peak: 50,
			Fields: append([]model.Field{{Name: "runId", Size: 26, Max: idMax}, {Name: "ttl", Kind: model.Epoch}, {Name: "outcome", Values: outcomes}}, pointer...),
			Added:  "articles and runs are related n to m"},
		{Name: "Page", Doc: "what is known of an address of a site", PK: "FRONTIER#{siteId}", SK: "URL#{urlHash}", Peak: 50,
			Keys: []model.IndexKey{{Index: "GSI9", PK: "QUEUE#{siteId}", SK: "{place}", When: &model.Condition{Field: "state", In: []string{"queued"}}}},
			Fields: []model.Field{
				{Name: "siteId", Size: 12, Max: idMax},
				{Name: "urlHash", From: "SHA-256 of the canonical URL", Size: 64, Max: 64},
				{Name: "url", Size: 80, Max: urlMax},
				{Name: "articleId", Size: 26, Max: idMax},
				{Name: "kind", Values: pageKinds},
				{Name: "state", Values: []string{"queued", "done"}},
				{Name: "place", From: "depth and time of queueing", Size: 30, Max: 64},
				{Name: "depth", Kind: model.Number},
				{Name: "hops", Kind: model.Number, Optional: true},
				{Name: "runId", Size: 26, Max: idMax},
				{Name: "etag", Optional: true, Size: 30, Max: 1 << 10},
				{Name: "lastModified", Optional: true, Size: 30, Max: 128},
				{Name: "fetchedAt", Kind: model.Time, Optional: true},
				{Name: "publishedAt", Kind: model.Time, Optional: true},
				{Name: "title", Optional: true, Size: 80, Max: 4 * 500},
				{Name: "author", Optional: true, Size: 20, Max: nameMax},
				{Name: "kept", Kind: model.Bool, Optional: true},
				{Name: "failures", Kind: model.Number, Optional: true},
			},
			Added: "a crawl is as durable as what it finds, and asks for what has changed only"},
		{Name: "Lease", Doc: "who crawls a site", PK: "SITE#{siteId}", SK: "LEASE", Peak: 1,
			Fields: []model.Field{
				{Name: "siteId", Size: 12, Max: idMax},
				{Name: "leaseOwner", Size: 26, Max: idMax},
				{Name: "leaseUntil", Kind: model.Time},
			},
			Added: "one process at a time crawls a site"},
		{Name: "Signals", Doc: "what a site says about the use of its pages", PK: "SITE#{siteId}", SK: "SIGNALS", Peak: 1,
			Fields: []model.Field{
				{Name: "siteId", Size: 12, Max: idMax},
				{Name: "said", Kind: model.List, Optional: true, Size: 300, Max: 64 << 10},
				{Name: "readAt", Kind: model.Time, Optional: true},
				{Name: "print", From: "SHA-256 of what the articles are in line with", Size: 64, Max: 64},
				{Name: "ended", Optional: true, Size: 10, Max: 10},
			},
			Added: "what others may do is asked daily, and is no edit of the site"},
		{Name: "Host", Doc: "whose turn it is to ask a host", PK: "HOST#{host}", SK: "TURN", Expires: "a day after its last turn", Peak: 100,
			Fields: []model.Field{
				{Name: "host", Size: 20, Max: 300},
				{Name: "leaseOwner", Optional: true, Size: 26, Max: idMax},
				{Name: "leaseUntil", Kind: model.Time, Optional: true},
				{Name: "lastAt", Kind: model.Time, Optional: true},
				{Name: "nextAt", Kind: model.Time, Optional: true},
				{Name: "ttl", Kind: model.Epoch},
			},
			Added: "the interval between requests holds across processes"},
		{Name: "Answer", Doc: "what a model answered to a request", PK: "ANSWER#{requestKey}", SK: "ANSWER", Peak: 20,
			Fields: []model.Field{
				{Name: "requestKey", Size: 64, Max: 64},
				{Name: "articleId", Size: 26, Max: idMax},
				{Name: "leaseOwner", Optional: true, Size: 26, Max: idMax},
				{Name: "leaseUntil", Kind: model.Time, Optional: true},
				{Name: "number", Kind: model.Number, Optional: true},
			},
			Added: "the same text is not summarised twice"},
		{Name: "TopicArticle", Doc: "an article with a topic", PK: "TOPIC#{topic}", SK: "ARTICLE#{publishedAt}#{articleId}", Peak: 5,
			Fields: append([]model.Field{{Name: "topic", Size: 10, Max: 4 * topicMax}}, pointer...),
			Added:  "articles are listed by topic"},
		{Name: "Month", Doc: "a month in which a list has articles", PK: "MONTHS#{list}", SK: "{month}", Peak: 1,
			Fields: []model.Field{
				{Name: "list", Size: 8, Max: idMax},
				{Name: "month", Size: 7, Max: 7},
			},
			Added: "who walks back month by month must know where to stop"},
	},
	Patterns: []model.Pattern{
		{Name: "LatestOfSite", Ref: "1", Who: "reader", Asks: "the latest articles of a site",
			Op: model.Query, Yields: []string{"Article"}, By: []string{"siteId"}, Begins: "ARTICLE#", Desc: true, Order: "publishedAt", Range: "publishedAt", Limit: 20},
		{Name: "GlobalFeed", Ref: "2", Who: "reader", Asks: "the latest articles of all sites, month by month",
			Op: model.Query, Index: "GSI6", Yields: []string{"Article"}, By: []string{"publishedAt"}, Desc: true, Order: "publishedAt", Limit: 20, Fetch: true},
		{Name: "GetArticle", Ref: "3", Who: "reader", Asks: "an article by its id",
			Op: model.Query, Index: "GSI2", Yields: []string{"Article"}, By: []string{"articleId"}, Limit: 1, Fetch: true},
		{Name: "GetSummary", Ref: "4", Who: "reader", Asks: "the summaries of an article",
			Op: model.Query, Yields: []string{"Summary"}, By: []string{"articleId"}, Begins: "SUMMARY#", Limit: 20},
		{Name: "RunsOfSite", Ref: "5", Who: "operator", Asks: "the runs over a site, the newest first",
			Op: model.Query, Yields: []string{"CrawlRun"}, By: []string{"siteId"}, Begins: "CRAWL#", Desc: true, Order: "startedAt", Range: "startedAt", Limit: 20},
		{Name: "RetryBacklog", Ref: "6", Who: "worker", Asks: "what to try again, the first due first",
			Op: model.Query, Index: "GSI7", Yields: []string{"Retry"}, By: []string{"failureType"}, Order: "nextRetryAt", Range: "nextRetryAt", Limit: 20,
			Work: &model.Work{Lease: "leaseUntil", State: "state", Ends: "given_up"}},

		{Name: "SitesByCategory", Ref: "GSI1", Who: "operator", Asks: "the sites of a category by name",
			Op: model.Query, Index: "GSI1", Yields: []string{"Site"}, By: []string{"category"}, Order: "name", Limit: 50},
		{Name: "Backlog", Ref: "GSI3", Who: "operator", Asks: "articles in a state, the oldest first",
			Op: model.Query, Index: "GSI3", Yields: []string{"Article"}, By: []string{"status"}, Order: "publishedAt", Limit: 20, Fetch: true},
		{Name: "GetRun", Ref: "GSI4", Who: "operator", Asks: "a run by its id",
			Op: model.Query, Index: "GSI4", Yields: []string{"CrawlRun"}, By: []string{"runId"}, Limit: 1},
		{Name: "RunsByStatus", Ref: "GSI5", Who: "operator", Asks: "runs in a state, the newest first",
			Op: model.Query, Index: "GSI5", Yields: []string{"CrawlRun"}, By: []string{"status"}, Desc: true, Order: "startedAt", Range: "startedAt", Limit: 20},

		{Name: "GetSite", Who: "worker", Asks: "a site by its id",
			Op: model.Get, Yields: []string{"Site"}, By: []string{"siteId"}, Added: "a crawl begins with its site"},
		{Name: "VersionsOf", Who: "editor", Asks: "what an article was before, the latest first",
			Op: model.Query, Yields: []string{"Version"}, By: []string{"articleId"}, Begins: "VERSION#", Desc: true, Order: "fetchedAt", Range: "fetchedAt", Limit: 50,
			Added: "what a source took back or corrected can be told"},
		{Name: "GetSignals", Who: "worker", Asks: "what a site said last about the use of its pages",
			Op: model.Get, Yields: []string{"Signals"}, By: []string{"siteId"}, Added: "it is asked daily"},
		{Name: "SameContent", Who: "worker", Asks: "the article with this URL and title, if it is known",
			Op: model.Get, Yields: []string{"HashGuard"}, By: []string{"canonicalHash"}, Strong: true, Added: "articles are kept once"},
		{Name: "SameURL", Who: "worker", Asks: "the article with this URL, if it is known",
			Op: model.Get, Yields: []string{"URLGuard"}, By: []string{"urlHash"}, Strong: true, Added: "articles are kept once"},
		{Name: "ArticlesOfRun", Who: "operator", Asks: "the articles that a run met",
			Op: model.Query, Yields: []string{"RunArticle"}, By: []string{"runId"}, Begins: "ARTICLE#", Limit: 50, Added: "articles and runs are related n to m"},
		{Name: "CategoryFeed", Who: "reader", Asks: "the latest articles of a category, month by month",
			Op: model.Query, Index: "GSI8", Yields: []string{"Article"}, By: []string{"category", "publishedAt"}, Desc: true, Order: "publishedAt", Limit: 20, Fetch: true,
			Added: "readers choose a category"},
		{Name: "ArticlesOfTopic", Who: "reader", Asks: "the latest articles with a topic",
			Op: model.Query, Yields: []string{"TopicArticle"}, By: []string{"topic"}, Begins: "ARTICLE#", Desc: true, Order: "publishedAt", Range: "publishedAt", Limit: 20,
			Added: "readers choose a topic"},
		{Name: "Months", Who: "reader", Asks: "the months in which a list has articles, the newest first",
			Op: model.Query, Yields: []string{"Month"}, By: []string{"list"}, Desc: true, Order: "month", Range: "month", Limit: 24,
			Added: "who walks back month by month must know where to stop"},
		{Name: "Queue", Who: "worker", Asks: "the pages of a site that wait to be fetched",
			Op: model.Query, Index: "GSI9", Yields: []string{"Page"}, By: []string{"siteId"}, Order: "place", Range: "place", Limit: 200,
			Added: "a killed crawl goes on where it was"},
		{Name: "PagesOfSite", Who: "worker", Asks: "all that is known of a site's addresses",
			Op: model.Query, Yields: []string{"Page"}, By: []string{"siteId"}, Begins: "URL#", Limit: 200,
			Added: "it goes with its site"},
		{Name: "RetriesByArticle", Who: "operator", Asks: "all retries of a kind",
			Op: model.Query, Yields: []string{"Retry"}, By: []string{"failureType"}, Begins: "ARTICLE#", Limit: 20,
			Added: "operators look at what is given up, too"},
		{Name: "GetAnswer", Who: "worker", Asks: "whether a request was answered before",
			Op: model.Get, Yields: []string{"Answer"}, By: []string{"requestKey"}, Strong: true, Added: "the same text is not summarised twice"},
		{Name: "KeepArticle", Who: "worker", Asks: "a new article, once",
			Op: model.Put, Writes: []model.Write{{Entity: "Article", Max: 1}, {Entity: "HashGuard", Max: 2}, {Entity: "URLGuard", Max: 1}, {Entity: "RunArticle", Max: 1}, {Entity: "Page", Max: 1}, {Entity: "Retry", Max: 1}},
			Added: "articles are kept once"},
		{Name: "ChangeArticle", Who: "worker", Asks: "what has changed of a known article, and what it was",
			Op: model.Put, Writes: []model.Write{{Entity: "Article", Max: 1}, {Entity: "Version", Max: 1}, {Entity: "HashGuard", Max: 2}, {Entity: "RunArticle", Max: 1}, {Entity: "Page", Max: 1}, {Entity: "Retry", Max: 1}},
			Added: "what a source took back or corrected can be told"},
		{Name: "SetTopics", Who: "editor", Asks: "other topics for an article",
			Op: model.Put, Writes: []model.Write{{Entity: "Article", Max: 1}, {Entity: "TopicArticle", Max: 2 * topicsMax}},
			Added: "articles are listed by topic"},
		{Name: "KeepSummary", Who: "worker", Asks: "a summary, and the article that it is of",
			Op: model.Put, Writes: []model.Write{{Entity: "Summary", Max: 1}, {Entity: "Article", Max: 1}, {Entity: "Retry", Max: 1}, {Entity: "Answer", Max: 1}},
			Added: "an article names its present summary"},
	},
}

var (
	articleID = model.Field{Name: "articleId", Max: idMax}
	timestamp = model.Field{Name: "timestamp", Max: 24}
)

var artifacts = model.Bucket{
	Name: "summanow-artifacts", Env: "SUMMANOW_BUCKET", Purpose: "snapshots, prompts, answers, logs",
	Tags: map[string]string{"project": "summanow"}, Metadata: []string{"source-url", "sha256"},
	Objects: []model.Object{
		{Name: "Snapshot", Key: "raw-html/{siteId}/{yyyymmdd}/{articleId}.html.gz", Vars: []model.Field{{Name: "siteId", Max: idMax}, {Name: "yyyymmdd", Max: 8}, articleID}, Holds: "the page as it was fetched"},
		{Name: "Prompt", Key: "prompts/{articleId}/{timestamp}-prompt.json", Vars: []model.Field{articleID, timestamp}, Holds: "what the model was asked"},
		{Name: "Response", Key: "responses/{articleId}/{timestamp}-response.json", Vars: []model.Field{articleID, timestamp}, Holds: "what the model answered"},
		{Name: "Log", Key: "logs/{runId}.ndjson", Vars: []model.Field{{Name: "runId", Max: idMax}}, Holds: "a run's log"},
		{Name: "Body", Key: "bodies/{articleId}.txt.gz", Vars: []model.Field{articleID}, Holds: "the body's whole text", Added: "the table keeps its first 10,000 characters"},
		{Name: "Picture", Key: "pictures/{articleId}/{name}", Vars: []model.Field{articleID, {Name: "name", Max: 16}}, Holds: "a copy of the article's picture", Added: "where the source lets us, pictures are shown from here"},
		{Name: "RunExport", Key: "exports/crawl-runs/{month}.ndjson.gz", Vars: []model.Field{{Name: "month", Max: 7}}, Holds: "a month's runs", Added: "runs expire after 90 days"},
	},
	Lifecycle: []model.Rule{
		{ID: "raw-html-to-cold", Prefix: "raw-html/", ColdAfter: 30, Class: "GLACIER"},
		{ID: "unfinished-uploads", AbortAfter: 7, Added: "unfinished uploads cost and show nowhere"},
	},
}
