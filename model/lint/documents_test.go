package lint

import "pressroom/model"

// The documents that the desks come from, as they are written: what they leave
// out is left out, and what contradicts itself is left to contradict itself.

func text(names ...string) []model.Field {
	var fields []model.Field
	for _, name := range names {
		fields = append(fields, model.Field{Name: name})
	}
	return fields
}

func with(fields []model.Field, more ...model.Field) []model.Field { return append(fields, more...) }

func key(name string) model.Key { return model.Key{Name: name} }

const tasksTable = "PoliTopics-llm-tasks"

// minutesDesign is the database design of the minutes.
var minutesDesign = model.Schema{
	Name: "design",
	Tables: []model.Table{
		{
			Name: tasksTable, PK: key("pk"),
			Indexes: []model.Index{{Name: "StatusIndex", PK: key("status"), SK: key("createdAt"), Projection: model.All}},
			Entities: []model.Entity{{
				Name: "Task", PK: "{pk}", Keys: []model.IndexKey{{Index: "StatusIndex", PK: "{status}", SK: "{createdAt}"}},
				Fields: with(text("llm", "llmModel", "prompt_version", "prompt_url", "result_url"),
					model.Field{Name: "pk", From: "hash of session + house + issueID"},
					model.Field{Name: "status", Values: []string{"pending", "completed"}},
					model.Field{Name: "retryAttempts", Kind: model.Number},
					model.Field{Name: "createdAt", Kind: model.Time}, model.Field{Name: "updatedAt", Kind: model.Time},
					model.Field{Name: "processingMode", Values: []string{"single_chunk", "chunked"}},
					model.Field{Name: "meeting", Kind: model.Map}, model.Field{Name: "chunks", Kind: model.List}),
			}},
		},
		{
			Name: "PoliTopics-articles", PK: key("PK"), SK: key("SK"),
			Indexes: []model.Index{
				{Name: "GSI1", PK: key("GSI1PK"), SK: key("GSI1SK"), Projection: model.All},
				{Name: "GSI2", PK: key("GSI2PK"), SK: key("GSI2SK"), Projection: model.All},
			},
			Entities: []model.Entity{
				{Name: "Article", PK: "A#{id}", SK: "META",
					Keys: []model.IndexKey{{Index: "GSI1", PK: "ARTICLE", SK: "{date}"}, {Index: "GSI2", PK: "Y#{date:YYYY}#M#{date:MM}", SK: "{date}"}},
					Fields: with(text("type", "asset_url", "id", "title", "month", "imageKind", "session", "nameOfHouse", "nameOfMeeting", "description"),
						model.Field{Name: "date", Kind: model.Date}, model.Field{Name: "categories", Kind: model.List},
						model.Field{Name: "participants", Kind: model.List}, model.Field{Name: "keywords", Kind: model.List}, model.Field{Name: "terms", Kind: model.List})},
				// The issueID names one printed issue, and with it one article.
				{Name: "ByIssue", PK: "ISSUE#{issueID}", SK: "Y#{date:YYYY}#M#{date:MM}#D#{date}#A#{id}", Identity: []string{"issueID"},
					Fields: with(text("issueID", "id", "title"), model.Field{Name: "date", Kind: model.Date})},
			},
			Patterns: []model.Pattern{
				{Name: "IssueTimeline", Op: model.Query, Yields: []string{"ByIssue"}, By: []string{"issueID"}, Order: "date", Limit: 50},
				{Name: "Publish", Op: model.Put, Writes: []model.Write{{Entity: "Article", Max: 1}, {Entity: "ByIssue", Max: 400}}},
			},
		},
	},
}

// minutesConsumer is the specification for consumers of the same tasks.
var minutesConsumer = model.Schema{
	Name: "consumer",
	Tables: []model.Table{{
		Name: tasksTable, PK: key("pk"),
		Indexes: []model.Index{{Name: "StatusIndex", PK: key("status"), SK: key("createdAt"), Projection: model.All}},
		Entities: []model.Entity{{
			Name: "Task", PK: "{pk}", Keys: []model.IndexKey{{Index: "StatusIndex", PK: "{status}", SK: "{createdAt}"}},
			Fields: with(text("llm", "llmModel", "prompt_url", "result_url"),
				model.Field{Name: "pk", From: "issueID"},
				model.Field{Name: "status", Values: []string{"pending", "completed"}},
				model.Field{Name: "retryAttempts", Kind: model.Number},
				model.Field{Name: "createdAt", Kind: model.Time}, model.Field{Name: "updatedAt", Kind: model.Time},
				model.Field{Name: "processingMode", Values: []string{"direct", "chunked"}},
				model.Field{Name: "meeting", Kind: model.Map}, model.Field{Name: "chunks", Kind: model.List}),
		}},
		Patterns: []model.Pattern{
			{Name: "getNextPending", Op: model.Query, Index: "StatusIndex", Yields: []string{"Task"}, By: []string{"status"}, Order: "createdAt", Limit: 20, Work: &model.Work{}},
			{Name: "getTask", Op: model.Get, Yields: []string{"Task"}, By: []string{"issueID"}},
		},
	}},
	Buckets: []model.Bucket{{Name: "politopics-prompts", Objects: []model.Object{
		{Name: "ChunkPrompt", Key: "prompts/{issueID}_{indices}.json", Vars: []model.Field{{Name: "issueID", Max: 32}, {Name: "indices"}}},
		{Name: "ReduceResult", Key: "results/{issueID}_reduce.json", Vars: []model.Field{{Name: "issueID", Max: 32}}},
	}}},
}

var newswireDraft = model.Schema{
	Name: "newswire",
	Tables: []model.Table{{
		Name: "summanow", PK: key("PK"), SK: key("SK"),
		Indexes: []model.Index{
			{Name: "GSI1", PK: key("GSI1PK"), SK: key("GSI1SK"), Projection: model.All},
			{Name: "GSI2", PK: key("GSI2PK"), SK: key("GSI2SK"), Projection: model.All},
			{Name: "GSI3", PK: key("GSI3PK"), SK: key("GSI3SK"), Projection: model.All},
			{Name: "GSI4", PK: key("GSI4PK"), SK: key("GSI4SK"), Projection: model.All},
			{Name: "GSI5", PK: key("GSI5PK"), SK: key("GSI5SK"), Projection: model.All},
		},
		Entities: []model.Entity{
			{Name: "Site", PK: "SITE#{siteId}", SK: "METADATA", Keys: []model.IndexKey{{Index: "GSI1", PK: "CATEGORY#{category}", SK: "{name}"}},
				Fields: with(text("siteId", "name", "baseUrl", "timezone", "createdAt", "updatedAt"),
					model.Field{Name: "category", Values: []string{"press_release", "news"}},
					model.Field{Name: "crawlWindows", Kind: model.List}, model.Field{Name: "allowedPaths", Kind: model.List}, model.Field{Name: "requestIntervalMs", Kind: model.Number})},
			{Name: "Article", PK: "SITE#{siteId}", SK: "ARTICLE#{publishedAt}#{articleId}", Identity: []string{"articleId"},
				Keys: []model.IndexKey{{Index: "GSI2", PK: "ARTICLE#{articleId}", SK: "METADATA"}, {Index: "GSI3", PK: "STATUS#{status}", SK: "{publishedAt}"}},
				Fields: with(text("articleId", "siteId", "title", "url", "author", "summaryId", "s3SnapshotKey"),
					model.Field{Name: "canonicalHash", From: "sha256 of URL + title for dedupe", Unique: true},
					model.Field{Name: "publishedAt", Kind: model.Time}, model.Field{Name: "fetchedAt", Kind: model.Time}, model.Field{Name: "lastSummaryAttemptAt", Kind: model.Time},
					model.Field{Name: "bodyPlain", Max: 40000}, model.Field{Name: "wordCount", Kind: model.Number}, model.Field{Name: "topics", Kind: model.List},
					model.Field{Name: "status", Values: []string{"summarized", "pending_summary", "summary_failed"}})},
			{Name: "Summary", PK: "ARTICLE#{articleId}", SK: "SUMMARY#v1", Fields: text("summaryId", "articleId", "modelProvider", "modelId", "summaryText")},
			{Name: "CrawlRun", PK: "SITE#{siteId}", SK: "CRAWL#{startedAt}", Identity: []string{"runId"},
				Keys: []model.IndexKey{{Index: "GSI4", PK: "RUN#{runId}", SK: "METADATA"}, {Index: "GSI5", PK: "STATUS#{status}", SK: "{startedAt}"}},
				Fields: with(text("runId", "siteId", "errorSummary"), model.Field{Name: "startedAt", Kind: model.Time},
					model.Field{Name: "status", Values: []string{"success", "partial", "failed"}})},
			{Name: "RetryQueue", PK: "RETRY#{failureType}", SK: "ARTICLE#{articleId}",
				Fields: with(text("articleId", "lastError"), model.Field{Name: "failureType", Values: []string{"fetch", "summary"}},
					model.Field{Name: "nextRetryAt", Kind: model.Time}, model.Field{Name: "attemptCount", Kind: model.Number}, model.Field{Name: "createdAt", Kind: model.Time})},
		},
		Patterns: []model.Pattern{
			{Name: "LatestArticles", Op: model.Query, Yields: []string{"Article"}, By: []string{"siteId"}, Desc: true, Limit: 20},
			{Name: "GlobalFeed", Op: model.Query, Index: "GSI2", Yields: []string{"Article"}, Desc: true, Order: "publishedAt", Limit: 20},
			{Name: "ArticleDetails", Op: model.Query, Index: "GSI2", Yields: []string{"Article"}, By: []string{"articleId"}, Limit: 1},
			{Name: "Summary", Op: model.Query, Yields: []string{"Summary"}, By: []string{"articleId"}, Limit: 1},
			{Name: "CrawlRuns", Op: model.Query, Yields: []string{"CrawlRun"}, By: []string{"siteId"}, Begins: "CRAWL#", Limit: 20},
			{Name: "RetryBacklog", Op: model.Query, Yields: []string{"RetryQueue"}, By: []string{"failureType"}, Order: "nextRetryAt", Limit: 20},
		},
	}},
}

var (
	blogProjection = []string{"title", "status", "createdAt", "summary", "thumbnail"}
	blogStates     = model.Field{Name: "status", Values: []string{"draft", "published", "archived"}}
)

var blogDesign = model.Schema{
	Name: "blog",
	Tables: []model.Table{{
		Name: "blog", PK: key("pk"), SK: key("sk"),
		// "PK: sk of the base table, SK: pk of the base table".
		Indexes: []model.Index{{Name: "GSI1", PK: key("sk"), SK: key("pk"), Projection: model.Include, Include: blogProjection}},
		Entities: []model.Entity{
			{Name: "Post", PK: "POST#{id}", SK: "METADATA", Fields: with(text("id", "title", "createdAt", "updatedAt", "thumbnail", "summary"), blogStates)},
			{Name: "Status", PK: "POST#{id}", SK: "STATUS#{status}", Keys: []model.IndexKey{{Index: "GSI1", PK: "STATUS#{status}", SK: "POST#{id}"}},
				Fields: with(text("id", "title", "createdAt", "summary", "thumbnail"), blogStates)},
			{Name: "ContentBlock", PK: "POST#{id}", SK: "BLOCK#{order:05}",
				Fields: with(text("id", "type", "layout"), model.Field{Name: "order", Kind: model.Number}, model.Field{Name: "content", Max: 500 << 10})},
			{Name: "Tag", PK: "POST#{id}", SK: "TAG#{tagName}", Keys: []model.IndexKey{{Index: "GSI1", PK: "TAG#{tagName}", SK: "POST#{id}"}},
				Fields: text("id", "tagName")},
		},
		Patterns: []model.Pattern{
			{Name: "LatestPublished", Op: model.Query, Index: "GSI1", Yields: []string{"Status"}, By: []string{"status"}, Desc: true, Order: "createdAt", Limit: 20, Shows: blogProjection},
			{Name: "PublishedByTag", Op: model.Query, Index: "GSI1", Yields: []string{"Tag"}, By: []string{"tagName"}, Desc: true, Order: "createdAt", Limit: 20, Shows: blogProjection},
			{Name: "PostByID", Op: model.Query, Yields: []string{"Post", "Status", "ContentBlock", "Tag"}, By: []string{"id"}, Limit: 100},
			{Name: "SavePost", Op: model.Put, Writes: []model.Write{{Entity: "Post", Max: 1}, {Entity: "Status", Max: 1}, {Entity: "Tag", Max: 10}, {Entity: "ContentBlock", Max: 99999}}},
		},
	}},
}

var lexiconSchema = model.Schema{
	Name: "lexicon",
	Tables: []model.Table{
		{
			Name: "SubmissionsTable", PK: key("PK"), SK: key("SK"),
			Indexes: []model.Index{{Name: "SubmissionsByUserIndex", PK: key("user_id"), SK: key("created_at"), Projection: model.KeysOnly}},
			Entities: []model.Entity{{Name: "Submission", PK: "TERM#{slug}", SK: "SUBMISSION#{submission_id}",
				Keys: []model.IndexKey{{Index: "SubmissionsByUserIndex", PK: "{user_id}", SK: "{created_at}"}},
				Fields: with(text("slug", "submission_id", "user_id", "slang_term", "meaning", "created_at"),
					model.Field{Name: "upvotes", Kind: model.Number}, model.Field{Name: "upvoted_by", Kind: model.List})}},
			Patterns: []model.Pattern{
				{Name: "QueryByUser", Op: model.Query, Index: "SubmissionsByUserIndex", Yields: []string{"Submission"}, By: []string{"user_id"}, Limit: 20, Shows: []string{"slang_term", "meaning"}},
			},
		},
		{
			Name: "LexiconTable", PK: key("PK"), SK: key("SK"),
			Indexes: []model.Index{{Name: "LexiconSourceIndex", PK: key("source"), SK: key("term"), Projection: model.KeysOnly}},
			Entities: []model.Entity{{Name: "Term", PK: "TERM#{slug}", SK: "METADATA#lexicon",
				Keys:   []model.IndexKey{{Index: "LexiconSourceIndex", PK: "{source}", SK: "{term}"}},
				Fields: with(text("slug", "term", "gloss"), model.Field{Name: "sources", Kind: model.List, Max: 1000})}},
			Patterns: []model.Pattern{
				{Name: "ExportBySource", Op: model.Query, Index: "LexiconSourceIndex", Yields: []string{"Term"}, By: []string{"source"}, Order: "term", Limit: 100, Fetch: true},
			},
		},
		{
			Name: "TrendingTable", PK: key("PK"), SK: key("SK"),
			Indexes: []model.Index{{Name: "TrendingActiveIndex", PK: key("is_active"), SK: model.Key{Name: "popularity_score", Kind: model.Number}, Projection: model.Include, Include: []string{"term", "category", "definition"}}},
			Entities: []model.Entity{{Name: "Trend", PK: "TERM#{slug}", SK: "METADATA#trending", Peak: 3000,
				Keys:   []model.IndexKey{{Index: "TrendingActiveIndex", PK: "{is_active}", SK: "{popularity_score}"}},
				Fields: with(text("slug", "term", "definition", "category"), model.Field{Name: "is_active", Kind: model.Bool}, model.Field{Name: "popularity_score", Kind: model.Number})}},
			Patterns: []model.Pattern{
				{Name: "GlobalTrending", Op: model.Query, Index: "TrendingActiveIndex", Yields: []string{"Trend"}, By: []string{"is_active"}, Desc: true, Order: "popularity_score", Limit: 20, Shows: []string{"term", "category", "definition"}},
			},
		},
	},
}
