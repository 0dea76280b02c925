package lexicon

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"pressroom/llm"
	"pressroom/llm/llmtest"
	"pressroom/model"
	"pressroom/model/modeltest"
)

// document is the lexicon's: its tables in its order.
var document = modeltest.Document{
	Tables: []modeltest.DocumentTable{
		{Name: "SubmissionsTable", Env: "SUBMISSIONS_TABLE", PK: "PK", SK: "SK", TTL: true,
			Indexes: []modeltest.DocumentIndex{
				{Name: "SubmissionsStatusIndex", PK: "status", SK: "created_at", Projection: model.Include, Include: []string{"submission_id", "user_id", "slang_term", "context"}},
				{Name: "SubmissionsByUserIndex", PK: "user_id", SK: "created_at", Projection: model.KeysOnly},
				{Name: "SubmissionsByIdIndex", PK: "submission_id", Projection: model.All},
				{Name: "ValidationStatusIndex", PK: "llm_validation_status", Projection: model.Include, Include: []string{"submission_id", "user_id", "slang_term"}},
			},
			Entities: []modeltest.DocumentEntity{{Name: "Submission", PK: "TERM#{slug}", SK: "SUBMISSION#{submission_id}",
				Fields: []string{"submission_id", "user_id", "slang_term", "meaning", "example_usage", "context", "status", "created_at", "reviewed_at", "approval_type",
					"reviewed_by", "llm_validation_status", "llm_validation_result", "upvotes", "upvoted_by", "ttl"},
				// Until it is judged, voted for, decided; ttl is optional in the document.
				Optional: []string{"reviewed_at", "approval_type", "reviewed_by", "llm_validation_result", "upvoted_by", "ttl"}}}},
		{Name: "LexiconTable", Env: "LEXICON_TABLE", PK: "PK", SK: "SK",
			Indexes: []modeltest.DocumentIndex{
				{Name: "LexiconSourceIndex", PK: "source", SK: "term", Projection: model.KeysOnly},
				{Name: "LexiconQuizDifficultyIndex", PK: "quiz_difficulty", SK: "quiz_score", Projection: model.Include, Include: []string{"term", "gloss", "examples", "tags"}},
				{Name: "LexiconQuizCategoryIndex", PK: "quiz_category", SK: "quiz_score", Projection: model.Include, Include: []string{"term", "gloss", "examples", "tags"}},
			},
			Entities: []modeltest.DocumentEntity{
				{Name: "Term", PK: "TERM#{slug}", SK: "METADATA#lexicon",
					Fields: []string{"gloss", "variants", "examples", "tags", "regions", "sources", "first_attested", "attestation_note", "is_quiz_eligible", "quiz_difficulty",
						"quiz_category", "quiz_score", "confidence", "momentum", "last_updated", "source", "term"},
					// What nobody attested, and what is in no quiz.
					Optional: []string{"first_attested", "attestation_note", "quiz_difficulty", "quiz_category", "quiz_score"}},
				// "Curated pools for each quiz category"; the ruling has the keys.
				{Name: "QuizPool", PK: "QUIZPOOL#{category}", SK: "CATEGORY#{category}", Fields: []string{"wrong_answers", "last_updated"}},
			}},
		{Name: "TrendingTable", Env: "TRENDING_TABLE", PK: "PK", SK: "SK", TTL: true,
			Indexes: []modeltest.DocumentIndex{
				{Name: "TrendingActiveIndex", PK: "is_active", SK: "popularity_score", Projection: model.Include, Include: []string{"term", "category", "definition"}},
				{Name: "TrendingCategoryIndex", PK: "category", SK: "popularity_score", Projection: model.Include, Include: []string{"term", "definition", "is_active"}},
			},
			Entities: []modeltest.DocumentEntity{{Name: "Trend", PK: "TERM#{slug}", SK: "METADATA#trending",
				Fields: []string{"term", "definition", "category", "popularity_score", "search_count", "translation_count", "first_seen", "last_updated", "is_active",
					"example_usage", "origin", "related_terms", "ttl"},
				// Where the term has none.
				Optional: []string{"example_usage", "origin", "related_terms"}}}},
		{Name: "UsersTable", Env: "USERS_TABLE", PK: "PK", SK: "SK", TTL: true,
			Indexes: []modeltest.DocumentIndex{{Name: "UsersTierIndex", PK: "tier", SK: "updated_at", Projection: model.KeysOnly}},
			Entities: []modeltest.DocumentEntity{
				{Name: "Profile", PK: "USER#{user_id}", SK: "PROFILE", Fields: []string{"email", "tier", "status", "created_at", "updated_at"}},
				{Name: "Usage", PK: "USER#{user_id}", SK: "USAGE#LIMITS", Fields: []string{"daily_used", "reset_daily_at", "tier"}},
				{Name: "QuizDay", PK: "USER#{user_id}", SK: "QUIZ_DAILY#{day}", Fields: []string{"quiz_count", "total_score", "total_possible", "ttl"},
					Optional: []string{"total_score", "total_possible", "ttl"}}, // before an answer; per item
				{Name: "QuizSession", PK: "USER#{user_id}", SK: "QUIZ_SESSION#{session_id}", Fields: []string{"session_status", "total_score", "total_possible", "ttl"}},
			}},
		{Name: "TranslationsTable", Env: "TRANSLATIONS_TABLE", PK: "PK", SK: "SK", TTL: true,
			// "Future index (optional)": it names no projection.
			Indexes: []modeltest.DocumentIndex{{Name: "TranslationsByCreatedAtIndex", PK: "model_used", SK: "created_at"}},
			Entities: []modeltest.DocumentEntity{{Name: "Translation", PK: "USER#{user_id}", SK: "TRANSLATION#{translation_id}",
				Fields:   []string{"translation_id", "original_text", "translated_text", "direction", "confidence_score", "model_used", "created_at", "ttl"},
				Optional: []string{"ttl"}}}},
	},
	Differs: map[string]string{
		"Trend.is_active": "`is_active` is `ACTIVE#True` or `ACTIVE#False`",
		"Term.source":     "`source` is `SOURCE#lexicon` or `SOURCE#submission`",
	},
}

// The schema is the document's, row by row; what is not says so.
func TestDocumentSchema(t *testing.T) {
	modeltest.WantDocument(t, &document, Schema, "../../../docs/design/lexicon.md")
}

// ask asks a table, or an index of it, as the document does.
func (f *fixture) ask(table, index, name, value string, descending bool) []model.Raw {
	f.t.Helper()
	in := &dynamodb.QueryInput{
		TableName: &table, ScanIndexForward: aws.Bool(!descending), KeyConditionExpression: aws.String("#k = :k"),
		ExpressionAttributeNames: map[string]string{"#k": name}, ExpressionAttributeValues: model.Raw{":k": &types.AttributeValueMemberS{Value: value}},
	}
	if index != "" {
		in.IndexName = &index
	}
	out, err := f.db.Query(f.t.Context(), in)
	want(f.t, err, nil)
	return out.Items
}

// A program that knows the document alone finds in what the desk wrote all that the
// document lists, and its queries answer, word for word.
func TestDocumentQueries(t *testing.T) {
	modeltest.EachWay(t, documentQueries)
}

func documentQueries(t *testing.T, o *modeltest.StoreOptions) {
	f := openOn(t, o, llmtest.NewScripted(func(int, *llm.Request) llmtest.Reply { return judgement(true, 0.7, 5) }), Options{})
	ctx := t.Context()
	ann, ben := f.user("ann", Premium), f.user("ben", Premium)
	for i, name := range []string{"no cap", "bussin", "mid", "rizz", "slay"} {
		f.term(Term{Term: name, Language: "en", Gloss: "the meaning of " + name, Examples: []string{name + "!"}, Tags: []string{"talk"}, Categories: []string{"approval"},
			Regions: []string{"US"}, Sources: []string{"web"}, FirstAttested: "2017", AttestationNote: "seen", Confidence: 0.9, Momentum: 0.96 - float64(i)/100, QuizEligible: true})
	}
	want(t, f.PutQuizPool(ctx, QuizPool{Category: "approval", WrongAnswers: []string{"one", "two", "three", "four"}}), nil)
	s := f.propose(ann, "delulu")
	if r, err := f.Validate(ctx, 1); err != nil {
		t.Fatal(r, err)
	}
	waiting := f.propose(ann, "zaza")
	_, err := f.Vote(ctx, ben, s.ID)
	want(t, err, nil)
	quiz, err := f.StartQuiz(ctx, ann, QuizRequest{Category: "approval", Questions: 2})
	want(t, err, nil)
	_, err = f.Ask(ctx, ann, quiz.ID)
	want(t, err, nil)
	_, err = f.Answer(ctx, ann, quiz.ID, 1, 0)
	want(t, err, nil)
	f.CountSearch("no-cap")
	want(t, f.FlushCounts(ctx), nil)
	f.clock.advance(24 * time.Hour)
	if n, err := f.RunTrends(ctx); n == 0 || err != nil {
		t.Fatalf("%d trends, %v", n, err)
	}
	plain, err := New(f.store, nil, &Options{Now: f.clock.now, Stories: f.o.Stories, Log: f.o.Log})
	want(t, err, nil)
	translated, err := plain.Translate(ctx, ann, TranslateRequest{Text: "no cap"})
	want(t, err, nil)

	find := func(what string, items []model.Raw, n int, entity string) []model.Raw {
		t.Helper()
		if len(items) != n {
			t.Fatalf("%s: %d items, want %d", what, len(items), n)
		}
		for _, item := range items {
			if entity != "" {
				document.WantWritten(t, entity, item)
			}
		}
		return items
	}
	has := func(what string, item model.Raw, names ...string) {
		t.Helper()
		for _, name := range names {
			if item[name] == nil {
				t.Errorf("%s shows no %s", what, name)
			}
		}
	}
	get := func(table, pk, sk string) []model.Raw {
		t.Helper()
		out, err := f.db.GetItem(ctx, &dynamodb.GetItemInput{TableName: &table, Key: model.Raw{"PK": &types.AttributeValueMemberS{Value: pk}, "SK": &types.AttributeValueMemberS{Value: sk}}})
		want(t, err, nil)
		if out.Item == nil {
			return nil
		}
		return []model.Raw{out.Item}
	}
	text := func(item model.Raw, name string) string {
		if v, ok := item[name].(*types.AttributeValueMemberS); ok {
			return v.Value
		}
		return ""
	}

	// SubmissionsRepository
	const table = "SubmissionsTable"
	has("by status", find("by status", f.ask(table, "SubmissionsStatusIndex", "status", Validated, false), 1, "")[0], "submission_id", "user_id", "slang_term", "context", "created_at")
	find("by status", f.ask(table, "SubmissionsStatusIndex", "status", Pending, false), 1, "")
	mine := find("by user", f.ask(table, "SubmissionsByUserIndex", "user_id", ann, false), 2, "")
	if text(mine[0], "created_at") > text(mine[1], "created_at") {
		t.Error("a user's submissions are not in the order of time")
	}
	judged := find("by id", f.ask(table, "SubmissionsByIdIndex", "submission_id", s.ID, false), 1, "Submission")[0]
	has("judged and voted for", judged, "llm_validation_result", "upvoted_by")
	has("to validate", find("to validate", f.ask(table, "ValidationStatusIndex", "llm_validation_status", "pending_validation", false), 1, "")[0], "submission_id", "user_id", "slang_term")
	for _, id := range []string{s.ID, waiting.ID} {
		_, err := f.Approve(ctx, "moderator", id, Approval{})
		want(t, err, nil)
	}
	has("decided", f.ask(table, "SubmissionsByIdIndex", "submission_id", s.ID, false)[0], "reviewed_at", "approval_type", "reviewed_by")

	// LexiconRepository
	bySource := find("by source", f.ask("LexiconTable", "LexiconSourceIndex", "source", "SOURCE#lexicon", false), 5, "")
	if text(bySource[0], "term") != "bussin" || text(bySource[4], "term") != "slay" {
		t.Errorf("by source the terms are %v", bySource)
	}
	find("by source", f.ask("LexiconTable", "LexiconSourceIndex", "source", "SOURCE#submission", false), 2, "")
	beginner := find("by difficulty", f.ask("LexiconTable", "LexiconQuizDifficultyIndex", "quiz_difficulty", "beginner", true), 2, "")
	has("by difficulty", beginner[0], "term", "gloss", "examples", "tags", "quiz_score")
	if text(beginner[0], "term") != "no cap" {
		t.Errorf("the best for beginners is %s", text(beginner[0], "term"))
	}
	has("by category", find("by category", f.ask("LexiconTable", "LexiconQuizCategoryIndex", "quiz_category", "approval", true), 5, "")[0], "term", "gloss", "examples", "tags", "quiz_score")
	has("a term in quizzes", find("a term", get("LexiconTable", "TERM#no-cap", "METADATA#lexicon"), 1, "Term")[0], "first_attested", "attestation_note", "quiz_difficulty", "quiz_category", "quiz_score")
	find("a pool", get("LexiconTable", "QUIZPOOL#approval", "CATEGORY#approval"), 1, "QuizPool")

	// TrendingRepository
	has("trending", find("trending", f.ask("TrendingTable", "TrendingActiveIndex", "is_active", "ACTIVE#True", true), 1, "")[0], "term", "category", "definition", "popularity_score")
	has("in a category", find("in a category", f.ask("TrendingTable", "TrendingCategoryIndex", "category", "approval", true), 1, "")[0], "term", "definition", "is_active")
	find("a trend", get("TrendingTable", "TERM#no-cap", "METADATA#trending"), 1, "Trend")

	// UserRepository
	find("a profile", get("UsersTable", "USER#"+ann, "PROFILE"), 1, "Profile")
	find("limits", get("UsersTable", "USER#"+ann, "USAGE#LIMITS"), 1, "Usage")
	find("a quiz", get("UsersTable", "USER#"+ann, "QUIZ_SESSION#"+quiz.ID), 1, "QuizSession")
	find("by tier", f.ask("UsersTable", "UsersTierIndex", "tier", Premium, false), 2, "")
	days := 0
	for _, item := range f.ask("UsersTable", "", "PK", "USER#"+ann, false) {
		if len(text(item, "SK")) == len("QUIZ_DAILY#2026-11-15") && text(item, "SK")[:11] == "QUIZ_DAILY#" {
			document.WantWritten(t, "QuizDay", item)
			has("a day with answers", item, "total_score", "total_possible")
			days++
		}
	}
	if days != 1 {
		t.Errorf("%d days with quizzes", days)
	}

	// TranslationRepository
	find("translations", f.ask("TranslationsTable", "", "PK", "USER#"+ann, false), 1, "Translation")
	find("a translation", get("TranslationsTable", "USER#"+ann, "TRANSLATION#"+translated.ID), 1, "Translation")
	model := text(f.ask("TranslationsTable", "", "PK", "USER#"+ann, false)[0], "model_used")
	find("by model", f.ask("TranslationsTable", "TranslationsByCreatedAtIndex", "model_used", model, false), 1, "")
}
