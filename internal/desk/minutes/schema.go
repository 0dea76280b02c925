// Package minutes is the desk of parliament's minutes: it collects meetings, cuts
// them into tasks for a language model, consumes the tasks, and publishes
// articles that can be listed by category, person, keyword and issue.
//
// It promises that no task is lost or done twice at once, that no answer is paid for
// twice, that nothing is published which the record does not bear out, and that an
// article changes whole.
//
// schema.go declares the data: read it first, then minutes.go for the desk and its
// options, task.go and queue.go for the queue, collect.go, pack.go and prompt.go for
// how meetings become tasks, consume.go, check.go and publish.go for how tasks become
// articles, save.go for how those change whole, and list.go for how they are read.
package minutes

import "pressroom/model"

// Schema is the desk's tables and buckets.
var Schema = model.Schema{
	Name:    "minutes",
	Tables:  []model.Table{tasks, articles},
	Buckets: []model.Bucket{prompts, assets},
}

const (
	idMax   = 128
	textMax = 4 * 500
	nameMax = 800
	urlMax  = 1100
)

var tasks = model.Table{
	Name: "PoliTopics-llm-tasks", Env: "LLM_TASK_TABLE", Purpose: "tasks for the language model",
	PK:           model.Key{Name: "pk"},
	RecoveryDays: 35, Encrypted: true, Stream: "NEW_AND_OLD_IMAGES",
	Indexes: []model.Index{
		{Name: "StatusIndex", PK: model.Key{Name: "status"}, SK: model.Key{Name: "createdAt"}, Projection: model.All,
			Purpose: "take pending tasks in the order of their creation"},
		{Name: "IssueIndex", PK: model.Key{Name: "issueID"}, Projection: model.KeysOnly,
			Purpose: "from a meeting to its task", Added: "the key is a hash, and consumers know the issueID"},
		{Name: "AwaitingIndex", PK: model.Key{Name: "awaiting"}, SK: model.Key{Name: "status"}, Projection: model.KeysOnly,
			Purpose: "completed tasks whose article is not published yet", Added: "a foreign consumer completes a task and knows nothing of articles"},
	},
	Entities: []model.Entity{
		{Name: "Task", Doc: "one meeting to be summarised", PK: "{pk}", Peak: 20,
			Keys: []model.IndexKey{
				{Index: "StatusIndex", PK: "{status}", SK: "{createdAt}"},
				{Index: "IssueIndex", PK: "{issueID}"},
				{Index: "AwaitingIndex", PK: "{awaiting}", SK: "{status}"},
			},
			Fields: []model.Field{
				{Name: "pk", From: "lower-case hex SHA-256 of session=…|house=…|issueID=…, or in older tasks the issueID", Size: 64, Max: idMax},
				{Name: "status", Values: []string{"pending", "completed", "failed", "review"}, Max: idMax},
				{Name: "llm", Size: 6, Max: idMax},
				{Name: "llmModel", Size: 14, Max: idMax},
				{Name: "retryAttempts", Kind: model.Number},
				{Name: "createdAt", Kind: model.Time, Optional: true},
				{Name: "updatedAt", Kind: model.Time},
				{Name: "processingMode", Values: []string{"single_chunk", "chunked", "direct"}},
				{Name: "prompt_version", Optional: true, Size: 4, Max: idMax},
				{Name: "prompt_url", Size: 70, Max: urlMax},
				{Name: "result_url", Size: 70, Max: urlMax},
				{Name: "meeting", Kind: model.Map, Size: 200, Max: 8 << 10},
				{Name: "chunks", Kind: model.List, Optional: true, Size: 2000, Max: 320 << 10},
				{Name: "issueID", Optional: true, Size: 21, Max: idMax, Added: true},
				{Name: "leaseOwner", Optional: true, Size: 26, Max: idMax, Added: true},
				{Name: "leaseUntil", Kind: model.Time, Optional: true, Added: true},
				{Name: "nextAttemptAt", Kind: model.Time, Optional: true, Added: true},
				{Name: "lastError", Optional: true, Size: 100, Max: 4 << 10, Added: true},
				{Name: "failureKind", Optional: true, Size: 12, Max: idMax, Added: true},
				{Name: "awaiting", Optional: true, Values: []string{awaitingArticle, awaitingOperator}, Added: true},
			},
			Upgrades: []model.Upgrade{
				// Readers understand direct; who wrote it looks for it.
				{Why: "direct was called single_chunk for a while", Do: func(model.Raw) error { return nil }},
				{Why: "the issueID stands at the top, for IssueIndex", Touches: []string{"issueID"}, Do: topIssueID},
			}},
	},
	Patterns: []model.Pattern{
		{Name: "NextPending", Ref: "getNextPending", Who: "worker", Asks: "pending tasks, the oldest first",
			Op: model.Query, Index: "StatusIndex", Yields: []string{"Task"}, Given: model.Values{"status": "pending"}, Order: "createdAt", Limit: 20,
			Work: &model.Work{Lease: "leaseUntil", State: "status", Ends: "failed"}},
		{Name: "GetTask", Ref: "getTask", Who: "worker", Asks: "the task of a meeting, by its issueID",
			Op: model.Query, Index: "IssueIndex", Yields: []string{"Task"}, By: []string{"issueID"}, Limit: 1, Fetch: true},
		{Name: "GetTaskByKey", Ref: "getTask", Who: "worker", Asks: "a task by its key, which in older tasks is the issueID",
			Op: model.Get, Yields: []string{"Task"}, By: []string{"pk"}, Strong: true},
		{Name: "MarkChunkReady", Ref: "markChunkReady", Who: "worker", Asks: "a chunk is done",
			Op: model.Put, Writes: []model.Write{{Entity: "Task", Max: 1}}},
		{Name: "MarkTaskSucceeded", Ref: "markTaskSucceeded", Who: "worker", Asks: "a task is done",
			Op: model.Put, Writes: []model.Write{{Entity: "Task", Max: 1}}},
		{Name: "FailedTasks", Who: "operator", Asks: "tasks that were given up, the oldest first",
			Op: model.Query, Index: "StatusIndex", Yields: []string{"Task"}, Given: model.Values{"status": "failed"}, Order: "createdAt", Limit: 20,
			Added: "a task that never succeeds must come to an end, and someone must see it"},
		{Name: "ReviewTasks", Who: "operator", Asks: "tasks whose answer did not stand up to the record, the oldest first",
			Op: model.Query, Index: "StatusIndex", Yields: []string{"Task"}, Given: model.Values{"status": "review"}, Order: "createdAt", Limit: 20,
			Added: "what a model gets wrong twice is for a person to decide"},
		{Name: "CompletedTasks", Who: "operator", Asks: "tasks that are done, the oldest first",
			Op: model.Query, Index: "StatusIndex", Yields: []string{"Task"}, Given: model.Values{"status": "completed"}, Order: "createdAt", Limit: 20,
			Added: "an operator looks at what was done, too"},
		{Name: "OtherTasks", Who: "operator", Asks: "tasks in states that nobody here knows, by state",
			Op: model.Query, Index: "AwaitingIndex", Yields: []string{"Task"}, Given: model.Values{"awaiting": awaitingOperator}, Order: "status", Limit: 20, Fetch: true,
			Added: "another program's states are shown as what they are"},
		{Name: "AwaitingArticles", Who: "worker", Asks: "tasks that a foreign consumer completed, to publish their articles",
			Op: model.Query, Index: "AwaitingIndex", Yields: []string{"Task"}, Given: model.Values{"awaiting": "article", "status": "completed"}, Begins: "{status}", Limit: 20, Fetch: true,
			Added: "a foreign consumer completes a task and knows nothing of articles"},
	},
}

// light is what a list of articles shows.
func light() []model.Field {
	return []model.Field{
		{Name: "type", Values: []string{"THIN_INDEX"}},
		{Name: "id", Size: 21, Max: idMax},
		{Name: "articleId", Optional: true, Size: 21, Max: idMax},
		{Name: "label", Optional: true, Size: 12, Max: nameMax, Added: true},
		{Name: "title", Size: 80, Max: textMax},
		{Name: "date", Kind: model.Date},
		{Name: "month", Size: 7, Max: 7},
		{Name: "imageKind", Size: 6, Max: idMax},
		{Name: "session", Kind: model.Number},
		{Name: "nameOfHouse", Size: 9, Max: nameMax},
		{Name: "nameOfMeeting", Size: 18, Max: nameMax},
		{Name: "categories", Kind: model.List, Size: 30, Max: 20 * nameMax},
		{Name: "description", Size: 300, Max: 8 << 10},
		{Name: "progress", Kind: model.Map, Optional: true, Size: 60, Max: 1 << 10, Added: true},
		{Name: "asset_url", Optional: true, Size: 90, Max: urlMax},
		other,
		{Name: "saveId", Optional: true, Size: 26, Max: 64, Added: true},
		{Name: "next", Kind: model.Map, Optional: true, Size: 600, Max: 64 << 10, Added: true},
	}
}

// other is the code of an assembly that is not the Diet, whose keys carry none.
var other = model.Field{Name: "assembly", Optional: true, InKey: true, Size: 2, Max: 32, Added: true}

const thinSK = "Y#{date:YYYY}#M#{date:MM}#D#{date}#A#{id}"

// thin is an index item: an article under one value of one of its fields. The
// value stands in the key alone, under a name that no other program's attribute has.
func thin(name, doc string, pk model.Template) model.Entity {
	key := model.Field{Name: pk.Vars()[0], InKey: true, Size: 12, Max: nameMax}
	return model.Entity{Name: name, Doc: doc, PK: pk, SK: thinSK, Head: "Article", Peak: 50, Fields: append([]model.Field{key}, light()...)}
}

// thinList is the list that such items make.
func thinList(name, entity, asks, by string) model.Pattern {
	return model.Pattern{Name: name, Ref: "thin index items", Who: "reader", Asks: asks,
		Op: model.Query, Yields: []string{entity}, By: []string{by}, Desc: true, Order: "date", Range: "date", Limit: 20}
}

var articlesByIssue = func() model.Pattern {
	p := thinList("ArticlesByIssue", "ByIssue", "articles on an issue, the newest first", "issueKey")
	p.Added = "an issue is combined with other filters, and those lists begin with the newest"
	return p
}()

const whole = "an article changes together with its index items"

var articles = model.Table{
	Name: "PoliTopics-articles", Env: "ARTICLE_TABLE_NAME", Purpose: "articles and thin index items",
	PK: model.Key{Name: "PK"}, SK: model.Key{Name: "SK"},
	RecoveryDays: 35, Encrypted: true, Stream: "NEW_AND_OLD_IMAGES",
	Indexes: []model.Index{
		{Name: "ArticleByDate", PK: model.Key{Name: "GSI1PK"}, SK: model.Key{Name: "GSI1SK"}, Projection: model.All, Purpose: "all articles by date"},
		{Name: "MonthDateIndex", PK: model.Key{Name: "GSI2PK"}, SK: model.Key{Name: "GSI2SK"}, Projection: model.All, Purpose: "the articles of a month by date"},
	},
	Entities: []model.Entity{
		{Name: "Article", Doc: "what a meeting dealt with", PK: "A#{id}", SK: "META", Version: "version", Peak: 5,
			Keys: []model.IndexKey{
				{Index: "ArticleByDate", PK: "ARTICLE#@{assembly?}", SK: "{date}"},
				{Index: "MonthDateIndex", PK: "Y#{date:YYYY}#M#{date:MM}#@{assembly?}", SK: "{date}"},
			},
			Fields: []model.Field{
				{Name: "type", Values: []string{"ARTICLE"}},
				{Name: "asset_url", Size: 70, Max: urlMax},
				{Name: "id", From: "the meeting's issueID; in other assemblies than the Diet @code:id", Size: 21, Max: idMax},
				{Name: "title", Size: 80, Max: textMax},
				{Name: "date", Kind: model.Date},
				{Name: "month", Size: 7, Max: 7},
				{Name: "imageKind", Size: 6, Max: idMax},
				{Name: "session", Kind: model.Number},
				{Name: "nameOfHouse", Size: 9, Max: nameMax},
				{Name: "nameOfMeeting", Size: 18, Max: nameMax},
				{Name: "categories", Kind: model.List, Size: 30, Max: 20 * nameMax},
				{Name: "description", Size: 300, Max: 8 << 10},
				{Name: "participants", Kind: model.List, Size: 600, Max: 100 << 10},
				{Name: "keywords", Kind: model.List, Size: 200, Max: 40 << 10},
				{Name: "terms", Kind: model.List, Size: 800, Max: 80 << 10},
				{Name: "issues", Kind: model.List, Optional: true, Size: 100, Max: 40 << 10, Added: true},
				{Name: "progress", Kind: model.List, Optional: true, Size: 200, Max: 60 << 10, Added: true},
				{Name: "shares", Kind: model.List, Optional: true, Size: 500, Max: sharesMax, Added: true},
				{Name: "publishedAt", Kind: model.Time, Optional: true, Added: true},
				{Name: "updatedAt", Kind: model.Time, Optional: true, Added: true},
				{Name: "provenance", Kind: model.Map, Optional: true, Size: 120, Max: 2 << 10, Added: true},
				{Name: "version", Kind: model.Number, Added: true},
				{Name: "assembly", Optional: true, Size: 2, Max: 32, Added: true},
				{Name: "language", Optional: true, Size: 2, Max: 35, Added: true},
				{Name: "saveId", Optional: true, Size: 26, Max: 64, Added: true},
			}},
		thin("ByCategory", "an article in a category", "CATEGORY#@{assembly?}#{categoryKey}"),
		thin("ByPerson", "an article with a person", "PERSON#@{assembly?}#{personKey}"),
		thin("ByKeyword", "an article with a keyword", "KEYWORD#@{assembly?}#{keywordKey}"),
		thin("ByImageKind", "an article with a kind of image", "IMAGEKIND#@{assembly?}#{kindKey}"),
		thin("BySession", "an article of a session", "SESSION#@{assembly?}#{sessionKey}"),
		thin("ByHouse", "an article of a house", "HOUSE#@{assembly?}#{houseKey}"),
		thin("ByMeeting", "an article of a meeting's name", "MEETING#@{assembly?}#{meetingKey}"),
		thin("ByIssue", "an article on an issue: the issueID, and each bill or agenda item", "ISSUE#@{assembly?}#{issueKey}"),
		{Name: "Assembly", Doc: "an assembly other than the Diet, that an operator added", PK: "ASSEMBLIES", SK: "@{code}", Version: "version", Peak: 1,
			Fields: []model.Field{
				{Name: "code", Size: 2, Max: 32},
				{Name: "declaration", Size: 1500, Max: 256 << 10},
				{Name: "origin", Values: []string{FromBuiltIn, FromFolder, FromTables}},
				{Name: "base", Optional: true, Size: 40, Max: 4 << 10},
				{Name: "addedAt", Kind: model.Time},
				{Name: "collectedAt", Kind: model.Time, Optional: true},
				{Name: "report", Kind: model.Map, Optional: true, Size: 200, Max: 40 << 10},
				{Name: "version", Kind: model.Number},
			},
			Added: "assemblies are data"},
		{Name: "SavePart", Doc: "index items of a save that is not finished", PK: "SAVE#{saveId}", SK: "PART#{part:05}", Peak: 5,
			Keys:     []model.IndexKey{{Index: "ArticleByDate", PK: "SAVES", SK: "{createdAt}#{saveId}", When: &model.Condition{Field: "part", In: []string{"0"}}}},
			Fields:   model.SavePartFields(idMax),
			Upgrades: []model.Upgrade{{Why: "items are listed by their keys", Touches: []string{"items"}, Do: listItems}},
			Added:    whole},
	},
	Patterns: []model.Pattern{
		{Name: "GetArticle", Ref: "main item", Who: "reader", Asks: "an article",
			Op: model.Get, Yields: []string{"Article"}, By: []string{"id"}},
		{Name: "LatestArticles", Ref: "GSI1", Who: "reader", Asks: "the latest articles, the newest first",
			Op: model.Query, Index: "ArticleByDate", Yields: []string{"Article"}, Desc: true, Order: "date", Range: "date", Limit: 20},
		{Name: "ArticlesOfMonth", Ref: "GSI2", Who: "reader", Asks: "the articles of a month, the newest first",
			Op: model.Query, Index: "MonthDateIndex", Yields: []string{"Article"}, By: []string{"date"}, Desc: true, Order: "date", Limit: 20},
		thinList("ArticlesByCategory", "ByCategory", "articles in a category, the newest first", "categoryKey"),
		thinList("ArticlesByPerson", "ByPerson", "articles with a person, the newest first", "personKey"),
		thinList("ArticlesByKeyword", "ByKeyword", "articles with a keyword, the newest first", "keywordKey"),
		thinList("ArticlesByImageKind", "ByImageKind", "articles with a kind of image, the newest first", "kindKey"),
		thinList("ArticlesBySession", "BySession", "articles of a session, the newest first", "sessionKey"),
		thinList("ArticlesByHouse", "ByHouse", "articles of a house, the newest first", "houseKey"),
		thinList("ArticlesByMeeting", "ByMeeting", "articles of a meeting's name, the newest first", "meetingKey"),
		{Name: "IssueTimeline", Ref: "uses", Who: "reader", Asks: "what happened to an issue across meetings, from its beginning",
			Op: model.Query, Yields: []string{"ByIssue"}, By: []string{"issueKey"}, Order: "date", Range: "date", Limit: 50},
		articlesByIssue,
		{Name: "PublishArticle", Ref: "main and thin index items", Who: "worker", Asks: "an article and its index items, new or replaced",
			Op: model.Put, Writes: []model.Write{
				{Entity: "Article", Max: 1}, {Entity: "ByCategory", Max: 40}, {Entity: "ByPerson", Max: 800}, {Entity: "ByKeyword", Max: 200},
				{Entity: "ByImageKind", Max: 2}, {Entity: "BySession", Max: 2}, {Entity: "ByHouse", Max: 2}, {Entity: "ByMeeting", Max: 2}, {Entity: "ByIssue", Max: 400},
			},
			Staged: "index items get their next form beside the present one, under the save's id; the article's own write commits, and a reader who meets such an item asks the article which form counts"},
		{Name: "GetAssembly", Who: "reader", Asks: "an assembly", Op: model.Get, Yields: []string{"Assembly"}, By: []string{"code"}, Strong: true, Added: "assemblies are data"},
		{Name: "Assemblies", Who: "reader", Asks: "all assemblies other than the Diet, by code",
			Op: model.Query, Yields: []string{"Assembly"}, Order: "code", Limit: 100, Added: "assemblies are data"},
		{Name: "PartsOfSave", Who: "worker", Asks: "the index items of a save, to finish it",
			Op: model.Query, Yields: []string{"SavePart"}, By: []string{"saveId"}, Begins: "PART#", Order: "part", Limit: 100, Strong: true, Added: whole},
		{Name: "UnfinishedSaves", Who: "operator", Asks: "saves that a crash interrupted, the oldest first",
			Op: model.Query, Index: "ArticleByDate", Yields: []string{"SavePart"}, Order: "createdAt", Limit: 20, Added: whole},
	},
}

var (
	issueID = model.Field{Name: "issueID", Max: idMax}
	indices = model.Field{Name: "indices", Max: 200}
)

var unfinished = []model.Rule{{ID: "unfinished-uploads", AbortAfter: 7, Added: "unfinished uploads cost and show nowhere"}}

var prompts = model.Bucket{
	Name: "politopics-prompts", Env: "PROMPT_BUCKET_NAME", Purpose: "prompts and results of the language model", Lifecycle: unfinished,
	Objects: []model.Object{
		{Name: "ChunkPrompt", Key: "prompts/{issueID}_{indices}.json", Vars: []model.Field{issueID, indices}, Holds: "prompt, speeches, speechIds, indices"},
		{Name: "DirectReducePrompt", Key: "prompts/reduce/{issueID}_direct.json", Vars: []model.Field{issueID}, Holds: "mode direct, templates, meeting, range"},
		{Name: "ChunkedReducePrompt", Key: "prompts/reduce/{issueID}.json", Vars: []model.Field{issueID}, Holds: "mode chunked, chunks, chunkResultUrls"},
		{Name: "ChunkResult", Key: "results/{issueID}_{indices}_result.json", Vars: []model.Field{issueID, indices}, Holds: "the model's answer to a chunk"},
		{Name: "ReduceResult", Key: "results/{issueID}_reduce.json", Vars: []model.Field{issueID}, Holds: "the model's answer to the whole"},
		{Name: "RawMeeting", Key: "raw/{issueID}.json", Vars: []model.Field{issueID}, Holds: "the meeting as the source gave it", Added: "what was collected is archived"},
		{Name: "Answer", Key: "answers/{key}.json", Vars: []model.Field{{Name: "key", Max: 64}}, Holds: "an answer by the SHA-256 of all that led to it", Added: "an unchanged prompt is never paid for twice"},
		{Name: "ReviewDraft", Key: "review/{issueID}.json", Vars: []model.Field{issueID}, Holds: "an answer that did not stand up to the record, and why", Added: "whoever reviews must see what was answered"},
		{Name: "SourceFile", Key: "sources/{code}/{source}/{file}", Vars: []model.Field{{Name: "code", Max: 32}, {Name: "source", Max: 4}, {Name: "file", Max: 400}},
			Holds: "a file of an assembly's source, as its server gave it", Added: "a server is asked again only for what changed"},
		{Name: "SourceState", Key: "sources/{code}/{source}.json", Vars: []model.Field{{Name: "code", Max: 32}, {Name: "source", Max: 4}},
			Holds: "which files a source has, and when each was asked for", Added: "a server is asked again only for what changed"},
		{Name: "CollectState", Key: "collect/{range}.json", Vars: []model.Field{{Name: "range", Max: 64}}, Holds: "how far a collection came", Added: "a collection that was interrupted goes on where it was"},
	},
}

var assets = model.Bucket{
	Name: "politopics-articles", Env: "ARTICLE_ASSET_BUCKET_NAME", Purpose: "the heavy parts of articles", Lifecycle: unfinished,
	Objects: []model.Object{
		{Name: "Asset", Key: "articles/{id}/{version}/asset.json", Vars: []model.Field{{Name: "id", Max: idMax}, {Name: "version", Max: 64}},
			Holds: "summary, soft_language_summary, middle_summary, dialogs", Added: "the document names the file alone"},
	},
}
