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
	RecoveryDays: 35, Encrypted: true,
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
				{Name: "status", Values: []string{"pending", "completed", "failed", "review"}},
				{Name: "llm", Size: 6, Max: idMax},
				{Name: "llmModel", Size: 14, Max: idMax},
				{Name: "retryAttempts", Kind: model.Number},
				{Name: "createdAt", Kind: model.Time},
				{Name: "updatedAt", Kind: model.Time},
				{Name: "processingMode", Values: []string{"single_chunk", "chunked"}},
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
				{Name: "awaiting", Optional: true, Values: []string{"article"}, Added: true},
			},
			Upgrades: []model.Upgrade{
				{Why: "direct is now called single_chunk", Touches: []string{"processingMode"}, Do: model.ReplaceValue("processingMode", "direct", "single_chunk")},
				{Why: "the issueID stands at the top, for IssueIndex", Touches: []string{"issueID"}, Do: model.CopyFrom("issueID", "meeting", "issueID")},
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
		{Name: "saveId", Optional: true, Size: 26, Max: 64, Added: true},
		{Name: "next", Kind: model.Map, Optional: true, Size: 600, Max: 64 << 10, Added: true},
	}
}

const thinSK = "Y#{date:YYYY}#M#{date:MM}#D#{date}#A#{id}"

// thin is an index item: an article under one value of one of its fields. The
// value is normalised and stands in the key alone.
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
	p := thinList("ArticlesByIssue", "ByIssue", "articles on an issue, the newest first", "issue")
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
				{Index: "ArticleByDate", PK: "ARTICLE", SK: "{date}"},
				{Index: "MonthDateIndex", PK: "Y#{date:YYYY}#M#{date:MM}", SK: "{date}"},
			},
			Fields: []model.Field{
				{Name: "type", Values: []string{"ARTICLE"}},
				{Name: "asset_url", Size: 70, Max: urlMax},
				{Name: "id", From: "the meeting's issueID", Size: 21, Max: idMax},
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
				{Name: "publishedAt", Kind: model.Time, Optional: true, Added: true},
				{Name: "updatedAt", Kind: model.Time, Optional: true, Added: true},
				{Name: "version", Kind: model.Number, Added: true},
				{Name: "saveId", Optional: true, Size: 26, Max: 64, Added: true},
			}},
		thin("ByCategory", "an article in a category", "CATEGORY#{category}"),
		thin("ByPerson", "an article with a person", "PERSON#{person}"),
		thin("ByKeyword", "an article with a keyword", "KEYWORD#{keyword}"),
		thin("ByImageKind", "an article with a kind of image", "IMAGEKIND#{kind}"),
		thin("BySession", "an article of a session", "SESSION#{sessionKey}"),
		thin("ByHouse", "an article of a house", "HOUSE#{house}"),
		thin("ByMeeting", "an article of a meeting's name", "MEETING#{meeting}"),
		thin("ByIssue", "an article on an issue: the issueID, and each bill or agenda item", "ISSUE#{issue}"),
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
		thinList("ArticlesByCategory", "ByCategory", "articles in a category, the newest first", "category"),
		thinList("ArticlesByPerson", "ByPerson", "articles with a person, the newest first", "person"),
		thinList("ArticlesByKeyword", "ByKeyword", "articles with a keyword, the newest first", "keyword"),
		thinList("ArticlesByImageKind", "ByImageKind", "articles with a kind of image, the newest first", "kind"),
		thinList("ArticlesBySession", "BySession", "articles of a session, the newest first", "sessionKey"),
		thinList("ArticlesByHouse", "ByHouse", "articles of a house, the newest first", "house"),
		thinList("ArticlesByMeeting", "ByMeeting", "articles of a meeting's name, the newest first", "meeting"),
		{Name: "IssueTimeline", Ref: "uses", Who: "reader", Asks: "what happened to an issue across meetings, from its beginning",
			Op: model.Query, Yields: []string{"ByIssue"}, By: []string{"issue"}, Order: "date", Range: "date", Limit: 50},
		articlesByIssue,
		{Name: "PublishArticle", Ref: "main and thin index items", Who: "worker", Asks: "an article and its index items, new or replaced",
			Op: model.Put, Writes: []model.Write{
				{Entity: "Article", Max: 1}, {Entity: "ByCategory", Max: 20}, {Entity: "ByPerson", Max: 400}, {Entity: "ByKeyword", Max: 100},
				{Entity: "ByImageKind", Max: 2}, {Entity: "BySession", Max: 2}, {Entity: "ByHouse", Max: 2}, {Entity: "ByMeeting", Max: 2}, {Entity: "ByIssue", Max: 200},
			},
			Staged: "index items get their next form beside the present one, under the save's id; the article's own write commits, and a reader who meets such an item asks the article which form counts"},
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
