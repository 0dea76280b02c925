package minutes

import (
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"pressroom/llm"
	"pressroom/model"
)

// documented are the rows of the two documents, transcribed: what a table or an index
// keys on, what an entity lists, what an object's key looks like.
var documented = struct {
	taskFields, chunkFields, meetingFields, articleFields []string
	indexes                                               []documentedIndex
	thinKeys                                              []string
	objects                                               map[string]string
	assetFields                                           []string
}{
	// 000 "Main attributes", and 001 "1.1 Item schema", which lists no other.
	taskFields: []string{"pk", "status", "llm", "llmModel", "retryAttempts", "createdAt", "updatedAt", "processingMode", "prompt_version", "prompt_url", "result_url", "meeting", "chunks"},
	// 001 "ChunkItem structure", and what 000 has beside it.
	chunkFields: []string{"id", "prompt_key", "prompt_url", "result_url", "status", "based_on_orders"},
	// 000: issueID, house, meeting name, date, session, speech count; named as in 001.
	meetingFields: []string{"issueID", "nameOfMeeting", "nameOfHouse", "date", "numberOfSpeeches", "session"},
	// 000 "Main item".
	articleFields: []string{"PK", "SK", "type", "asset_url", "GSI1PK", "GSI1SK", "GSI2PK", "GSI2SK", "title", "date", "month", "imageKind", "session",
		"nameOfHouse", "nameOfMeeting", "categories", "description", "participants", "keywords", "terms"},
	indexes: []documentedIndex{
		{0, "StatusIndex", "status", "createdAt"},
		{1, "ArticleByDate", "GSI1PK", "GSI1SK"},
		{1, "MonthDateIndex", "GSI2PK", "GSI2SK"},
	},
	// 000 "Thin index items".
	thinKeys: []string{"CATEGORY#", "PERSON#", "KEYWORD#", "IMAGEKIND#", "SESSION#", "HOUSE#", "MEETING#", "ISSUE#"},
	// 001 "2. S3 Artifacts".
	objects: map[string]string{
		"ChunkPrompt": "prompts/{issueID}_{indices}.json", "DirectReducePrompt": "prompts/reduce/{issueID}_direct.json", "ChunkedReducePrompt": "prompts/reduce/{issueID}.json",
		"ChunkResult": "results/{issueID}_{indices}_result.json", "ReduceResult": "results/{issueID}_reduce.json",
	},
	// 000 "R2 usage".
	assetFields: []string{"summary", "soft_language_summary", "middle_summary", "dialogs"},
}

type documentedIndex struct {
	table        int
	name, pk, sk string
}

// The schema has every row of the documents, under its name, and marks what is not
// theirs.
func TestSchemaIsTheDocuments(t *testing.T) {
	for i, want := range []struct{ name, env, pk, sk string }{{"PoliTopics-llm-tasks", "LLM_TASK_TABLE", "pk", ""}, {"PoliTopics-articles", "ARTICLE_TABLE_NAME", "PK", "SK"}} {
		if got := Schema.Tables[i]; got.Name != want.name || got.Env != want.env || got.PK.Name != want.pk || got.SK.Name != want.sk {
			t.Errorf("table %d is %s (%s) on %s, %s", i, got.Name, got.Env, got.PK.Name, got.SK.Name)
		}
	}
	if Schema.Buckets[0].Name != "politopics-prompts" || Schema.Buckets[0].Env != "PROMPT_BUCKET_NAME" || Schema.Buckets[1].Env != "ARTICLE_ASSET_BUCKET_NAME" {
		t.Errorf("buckets %+v", Schema.Buckets)
	}
	for _, x := range documented.indexes {
		got, ok := Schema.Tables[x.table].Index(x.name)
		if !ok || got.PK.Name != x.pk || got.SK.Name != x.sk || got.Projection != model.All || got.Added != "" {
			t.Errorf("index %s: %+v", x.name, got)
		}
	}
	for i := range Schema.Tables {
		for _, x := range Schema.Tables[i].Indexes {
			if x.Added == "" && !slices.ContainsFunc(documented.indexes, func(d documentedIndex) bool { return d.name == x.Name }) {
				t.Errorf("index %s is no document's, and does not say why it is there", x.Name)
			}
		}
	}
	task, _ := Schema.Tables[0].Entity("Task")
	article, _ := Schema.Tables[1].Entity("Article")
	sameFields(t, task, documented.taskFields)
	// The keys are templates, and the id is in one of them.
	keys := []string{"PK", "SK", "GSI1PK", "GSI1SK", "GSI2PK", "GSI2SK"}
	sameFields(t, article, append(slices.DeleteFunc(slices.Clone(documented.articleFields), func(name string) bool { return slices.Contains(keys, name) }), "id"))
	// Items of the Diet have no assembly, and so not the segment with its code.
	diet := func(key model.Template) string { return strings.ReplaceAll(string(key), "#@{assembly?}", "") }
	if article.PK != "A#{id}" || article.SK != "META" || diet(article.Keys[0].PK) != "ARTICLE" || article.Keys[0].SK != "{date}" || diet(article.Keys[1].PK) != "Y#{date:YYYY}#M#{date:MM}" || article.Keys[1].SK != "{date}" {
		t.Errorf("the article's keys: %s, %s, %+v", article.PK, article.SK, article.Keys)
	}
	for _, pk := range documented.thinKeys {
		if !slices.ContainsFunc(Schema.Tables[1].Entities, func(e model.Entity) bool {
			return strings.HasPrefix(diet(e.PK), pk+"{") && e.SK == "Y#{date:YYYY}#M#{date:MM}#D#{date}#A#{id}"
		}) {
			t.Errorf("no index items under %s", pk)
		}
	}
	for kind, key := range documented.objects {
		if o, ok := Schema.Buckets[0].Object(kind); !ok || string(o.Key) != key || o.Added != "" {
			t.Errorf("object %s: %+v", kind, o)
		}
	}
}

// sameFields wants an entity to have exactly these fields of a document's own.
func sameFields(t *testing.T, e *model.Entity, want []string) {
	t.Helper()
	var got []string
	for _, f := range e.Fields {
		if !f.Added {
			got = append(got, f.Name)
		}
	}
	slices.Sort(got)
	want = slices.Sorted(slices.Values(want))
	if !slices.Equal(got, want) {
		t.Errorf("%s has of the document's own\n%v\nnot\n%v", e.Name, got, want)
	}
}

// What this desk writes has every attribute that the documents list, and answers every
// query that they name, word for word.
func TestDocumentedQueries(t *testing.T) {
	t.Parallel()
	for _, way := range ways {
		t.Run(way, func(t *testing.T) {
			documentedQueries(t, openSharedBy(t, way, llm.Validated(honest()), Options{PromptTokens: 4000}))
		})
	}
}

func documentedQueries(t *testing.T, s *shared) {
	t.Helper()
	ctx := t.Context()
	small, large := printedMeeting(3, 4), printedMeeting(4, 24)
	small.Raw, large.Raw = rawOf(small), rawOf(large)
	take(t, s.Desk, small, large)

	// 001, 6: getNextPending queries StatusIndex, the oldest first.
	pending := s.literal(t, 0, "StatusIndex", "status", "pending", false)
	if len(pending) != 2 || textIn(pending[0], "createdAt") > textIn(pending[1], "createdAt") {
		t.Fatalf("pending: %v", texts(pending, "pk"))
	}
	for _, item := range pending {
		mode := textIn(item, "processingMode")
		for _, name := range documented.taskFields {
			if item[name] == nil && (name != "chunks" || mode == "chunked") {
				t.Errorf("a %s task has no %s", mode, name)
			}
		}
		meeting, _ := item["meeting"].(*types.AttributeValueMemberM)
		for _, name := range documented.meetingFields {
			if meeting == nil || meeting.Value[name] == nil {
				t.Errorf("its meeting has no %s", name)
			}
		}
		if chunks, ok := item["chunks"].(*types.AttributeValueMemberL); ok {
			for _, c := range chunks.Value {
				for _, name := range documented.chunkFields {
					if c.(*types.AttributeValueMemberM).Value[name] == nil {
						t.Errorf("a chunk has no %s", name)
					}
				}
			}
		}
		for _, name := range []string{"prompt_url", "result_url"} {
			if !strings.HasPrefix(textIn(item, name), "s3://politopics-prompts/") && !strings.HasPrefix(textIn(item, name), "s3://"+s.objects.prompts.Name+"/") {
				t.Errorf("%s is %s", name, textIn(item, name))
			}
		}
		// 000: the primary key finds it.
		if found := s.raw(t, textIn(item, "pk")); textIn(found, "pk") != textIn(item, "pk") {
			t.Errorf("by its key: %v", found)
		}
	}
	if r := work(t, s.Desk); r.Completed != 2 {
		t.Fatalf("%+v", r)
	}
	if done := s.literal(t, 0, "StatusIndex", "status", "completed", false); len(done) != 2 {
		t.Errorf("completed: %v", texts(done, "pk"))
	}

	// 000: the main item, by date, by month.
	out, err := s.db.GetItem(ctx, &dynamodb.GetItemInput{TableName: &s.schema.Tables[1].Name, Key: model.Raw{
		"PK": &types.AttributeValueMemberS{Value: "A#" + small.IssueID}, "SK": &types.AttributeValueMemberS{Value: "META"}}})
	noErr(t, err)
	for name, items := range map[string][]model.Raw{
		"main": {out.Item}, "GSI1": s.literal(t, 1, "ArticleByDate", "GSI1PK", "ARTICLE", true), "GSI2": s.literal(t, 1, "MonthDateIndex", "GSI2PK", "Y#2025#M#09", true),
	} {
		if len(items) == 0 || name != "main" && len(items) != 2 {
			t.Errorf("%s: %d items", name, len(items))
		}
		for _, item := range items {
			for _, field := range documented.articleFields {
				if item[field] == nil {
					t.Errorf("%s: an article has no %s", name, field)
				}
			}
			if !strings.HasPrefix(textIn(item, "asset_url"), "http") || textIn(item, "type") != "ARTICLE" || textIn(item, "GSI1SK") != "2025-09-19" {
				t.Errorf("%s: %s %s %s", name, textIn(item, "asset_url"), textIn(item, "type"), textIn(item, "GSI1SK"))
			}
		}
	}
	// 000: each thin index item, the newest first, and a range of its sort key.
	for _, pk := range []string{"CATEGORY#国土交通", "PERSON#田中花子", "KEYWORD#自転車", "IMAGEKIND#会議録", "SESSION#218", "HOUSE#衆議院", "MEETING#科学技術委員会", "ISSUE#" + small.IssueID} {
		found, err := s.db.Query(ctx, &dynamodb.QueryInput{TableName: &s.schema.Tables[1].Name, ScanIndexForward: aws.Bool(false),
			KeyConditionExpression: aws.String("PK = :p AND begins_with(SK, :m)"), ExpressionAttributeValues: model.Raw{
				":p": &types.AttributeValueMemberS{Value: pk}, ":m": &types.AttributeValueMemberS{Value: "Y#2025#M#09#D#2025-09-19"}}})
		noErr(t, err)
		want := 2
		if strings.HasPrefix(pk, "ISSUE#") {
			want = 1
		}
		if len(found.Items) != want {
			t.Errorf("%s: %v", pk, texts(found.Items, "SK"))
		}
		for _, item := range found.Items {
			id := textIn(item, "articleId")
			if textIn(item, "type") != "THIN_INDEX" || textIn(item, "SK") != "Y#2025#M#09#D#2025-09-19#A#"+id || textIn(item, "title") == "" {
				t.Errorf("%s: %v", pk, item)
			}
		}
	}
}
