package lexicon

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"pressroom/internal/errs"
	"pressroom/internal/story/storytest"
	"pressroom/model"
	"pressroom/model/modeltest"
)

// row is an item as a document writes it down.
type row map[string]any

// documentRows are items of the document's entities, with the attributes that it lists
// and no others, by table.
func documentRows() map[string][]row {
	return map[string][]row{
		"LexiconTable": {{
			"PK": "TERM#no_cap", "SK": "METADATA#lexicon", "term": "no cap", "gloss": "for real", "variants": []string{"nocap"}, "examples": []string{"No cap."},
			"tags": []string{"Truth Telling"}, "regions": []string{"US"}, "sources": row{"reddit": 12, "tiktok": 40}, "first_attested": "2017", "attestation_note": "Atlanta",
			"is_quiz_eligible": true, "quiz_difficulty": "beginner", "quiz_category": "approval", "quiz_score": 0.9, "confidence": 0.9, "momentum": 0.8,
			"last_updated": "2026-11-01T00:00:00Z", "source": "lexicon",
		}},
		"SubmissionsTable": {{
			"PK": "TERM#mid", "SK": "SUBMISSION#s1", "submission_id": "s1", "user_id": "u1", "slang_term": "mid", "meaning": "mediocre", "example_usage": "It was mid.",
			"context": "films", "status": "pending", "created_at": "2026-11-01T00:00:00Z", "llm_validation_status": "pending_validation", "upvotes": 0,
		}, {
			"PK": "TERM#slay", "SK": "SUBMISSION#s2", "submission_id": "s2", "user_id": "u1", "slang_term": "slay", "meaning": "to do well", "example_usage": "You slay.",
			"context": "praise", "status": "validated", "created_at": "2026-11-02T00:00:00Z", "llm_validation_status": "validated",
			"llm_validation_result": row{"is_valid": true, "confidence": 0.8}, "upvotes": 2, "upvoted_by": []string{"u2", "u3"},
		}},
		"UsersTable": {
			{"PK": "USER#u1", "SK": "PROFILE", "email": "u1@example.com", "tier": "premium", "status": "active", "created_at": "2026-11-01T00:00:00Z", "updated_at": "2026-11-01T00:00:00Z"},
			{"PK": "USER#u1", "SK": "USAGE#LIMITS", "daily_used": 1, "reset_daily_at": "2026-11-02T00:00:00Z", "tier": "premium"},
			{"PK": "USER#u1", "SK": "QUIZ_DAILY#2026-11-14", "quiz_count": 3, "total_score": 22.5, "total_possible": 30},
			{"PK": "USER#u1", "SK": "QUIZ_SESSION#q-1", "session_status": "active", "quiz_count": 1, "total_score": 9.5, "total_possible": 10, "ttl": 4102444800},
			{"PK": "USER#u2", "SK": "PROFILE", "email": "u2@example.com", "tier": "free", "status": "active", "created_at": "2026-11-01T00:00:00Z", "updated_at": "2026-11-01T00:00:00Z"},
		},
		"TranslationsTable": {{
			"PK": "USER#u1", "SK": "TRANSLATION#t1", "translation_id": "t1", "original_text": "no cap", "translated_text": "for real", "direction": "genz_to_english",
			"confidence_score": 0.9, "model_used": "m", "created_at": "2026-11-01T00:00:00Z",
		}},
		"TrendingTable": {{
			"PK": "TERM#no_cap", "SK": "METADATA#trending", "term": "no cap", "definition": "for real", "category": "approval", "popularity_score": 9.5, "search_count": 3,
			"translation_count": 2, "first_seen": "2026-11-01T00:00:00Z", "last_updated": "2026-11-14T00:00:00Z", "is_active": "ACTIVE#True", "ttl": 4102444800,
		}},
	}
}

// Items written to the letter of the document go through their whole life.
func TestDocumentItems(t *testing.T) {
	modeltest.EachWay(t, func(t *testing.T, o *modeltest.StoreOptions) {
		for name, adopt := range map[string]func(*testing.T, *fixture){
			"stream":  func(t *testing.T, f *fixture) { storytest.Adopt(t, f.stores, f.o.Stories, f.Shelf()) },
			"migrate": func(t *testing.T, f *fixture) { storytest.Migrate(t, f.stores, f.Shelf()) },
		} {
			t.Run(name, func(t *testing.T) { documentItems(t, openOn(t, o, nil, Options{}), adopt) })
		}
	})
}

func documentItems(t *testing.T, f *fixture, adopt func(*testing.T, *fixture)) {
	ctx := t.Context()
	storytest.Adopt(t, f.stores, f.o.Stories, f.Shelf()) // so that the streams are followed
	f.foreign()
	sound := func() {
		t.Helper()
		want(t, f.Check(ctx, func(where, what string) {
			if !strings.HasSuffix(what, model.Untaken) {
				t.Errorf("%s: %s", where, what)
			}
		}), nil)
	}
	sound()
	// By id, and by the document's own keys, before anybody has added anything.
	before, err := f.Term(ctx, "no_cap")
	if want(t, err, nil); before.Version >= 0 || strings.Join(before.Sources, " ") != "tiktok reddit" || before.Origin != OriginLexicon {
		t.Errorf("it is read as %+v", before)
	}
	s, err := f.Submission(ctx, "s1")
	if want(t, err, nil); s.Term != "mid" || s.Version >= 0 {
		t.Errorf("the submission is %+v", s)
	}
	if list, err := f.Submissions(ctx, Validated, PageOptions{}); err != nil || len(list.Items) != 1 {
		t.Errorf("validated are %+v, %v", list.Items, err)
	}
	adopt(t, f)
	sound()
	for _, name := range []string{"no cap", "NoCap", "no-cap"} {
		found, err := f.Lookup(ctx, name)
		if want(t, err, nil); len(found) != 1 || found[0].Slug != "no_cap" {
			t.Errorf("%s finds %+v", name, found)
		}
	}
	if list, err := f.Browse(ctx, ByTag, "truth telling", PageOptions{}); err != nil || len(list.Items) != 1 {
		t.Errorf("under its tag are %+v, %v", list.Items, err)
	}
	if list, err := f.Terms(ctx, OriginLexicon, PageOptions{}); err != nil || len(list.Items) != 1 {
		t.Errorf("the terms of the lexicon are %+v, %v", list.Items, err)
	}
	var file bytes.Buffer
	if n, err := f.Export(ctx, &file, OriginLexicon); n != 1 || err != nil || !strings.Contains(file.String(), `"no cap"`) || !strings.Contains(file.String(), `"tiktok": 40`) {
		t.Errorf("%d exported, %v: %s", n, err, &file)
	}
	// Who read it before can change it.
	before.Gloss = "truly"
	want(t, f.SaveTerm(ctx, &before), nil)
	if now, err := f.Term(ctx, "no_cap"); err != nil || now.Gloss != "truly" || now.Version != 1 || now.SourceCounts["tiktok"] != 40 {
		t.Errorf("it became %+v, %v", now, err)
	}
	if _, err := f.Term(ctx, "no-cap"); errs.KindOf(err) != errs.NotFound {
		t.Errorf("there is a second one: %v", err)
	}
	if list, err := f.Trending(ctx, PageOptions{}); err != nil || len(list.Items) != 1 {
		t.Errorf("trending are %+v, %v", list.Items, err)
	}

	// The moderators' queue has the submission, whose votes count once.
	if queue, err := f.Queue(ctx, PageOptions{}); err != nil || len(queue.Items) != 1 || queue.Items[0].ID != "s2" {
		t.Errorf("the queue is %+v, %v", queue.Items, err)
	}
	_, err = f.Vote(ctx, "u2", "s2")
	want(t, err, errs.Duplicate)
	f.user("u4", Free)
	if n, err := f.Vote(ctx, "u4", "s2"); n != 3 || err != nil {
		t.Errorf("%d votes, %v", n, err)
	}
	want(t, f.Unvote(ctx, "u2", "s2"), nil)
	if s, err = f.Submission(ctx, "s2"); err != nil || s.Upvotes != 2 {
		t.Errorf("%d votes, %v", s.Upvotes, err)
	}
	for _, id := range []string{"s1", "s2"} {
		if s, err = f.Approve(ctx, "moderator", id, Approval{}); err != nil || s.Status != AdminApproved {
			t.Errorf("approved: %+v, %v", s, err)
		}
	}
	if mid, err := f.Term(ctx, "mid"); err != nil || mid.Gloss != "mediocre" {
		t.Errorf("the term is %+v, %v", mid, err)
	}

	// A user, what is left of the day, quizzes, translations.
	if u, err := f.User(ctx, "u1"); err != nil || u.UserID != "u1" || u.Tier != Premium {
		t.Errorf("the user is %+v, %v", u, err)
	}
	if list, err := f.UsersByTier(ctx, Premium, PageOptions{}); err != nil || len(list.Items) != 1 || list.Items[0].UserID != "u1" {
		t.Errorf("premium are %+v, %v", list.Items, err)
	}
	if _, _, err := f.Usage(ctx, "u1"); err != nil {
		t.Error(err)
	}
	if days, err := f.QuizDays(ctx, "u1", PageOptions{}); err != nil || len(days.Items) != 1 {
		t.Errorf("days with quizzes are %+v, %v", days.Items, err)
	}
	if q, err := f.Quiz(ctx, "u1", "q-1"); err != nil || q.Status != QuizActive || q.Score != 9.5 {
		t.Errorf("the quiz is %+v, %v", q, err)
	}
	if all, err := f.Quizzes(ctx, "u1", PageOptions{}); err != nil || len(all.Items) != 1 {
		t.Errorf("quizzes are %+v, %v", all.Items, err)
	}
	if list, err := f.History(ctx, "u1", PageOptions{}); err != nil || len(list.Items) != 1 {
		t.Errorf("the history has %+v, %v", list.Items, err)
	}
	if tr, err := f.Translation(ctx, "u1", "t1"); err != nil || tr.Translated != "for real" {
		t.Errorf("the translation is %+v, %v", tr, err)
	}
	sound()
	want(t, f.DeleteTranslation(ctx, "u1", "t1"), nil)
	want(t, f.DeleteTerm(ctx, "no_cap"), nil)
	sound()
	want(t, f.DeleteAccount(ctx, "u1"), nil)
	for _, table := range []string{"UsersTable", "TranslationsTable"} {
		if left := f.ask(table, "", "PK", "USER#u1", false); len(left) > 0 {
			t.Errorf("left of the account in %s: %v", table, left)
		}
	}
	sound()
}

// foreign writes the document's rows as a program does that knows it alone.
func (f *fixture) foreign() {
	f.t.Helper()
	for table, rows := range documentRows() {
		for _, r := range rows {
			item, err := attributevalue.MarshalMap(map[string]any(r))
			want(f.t, err, nil)
			_, err = f.db.PutItem(f.t.Context(), &dynamodb.PutItemInput{TableName: aws.String(table), Item: item})
			want(f.t, err, nil)
		}
	}
}

// Lists have what another program wrote within five seconds.
func TestDocumentItemsInTime(t *testing.T) {
	if modeltest.Foreign() {
		t.Skip("other servers are outside of any bubble")
	}
	synctest.Test(t, func(t *testing.T) {
		f := open(t, nil, Options{})
		storytest.Within(t, f.stores, f.o.Stories, f.Shelf(), 5*time.Second, f.foreign, func() bool {
			found, err := f.Lookup(t.Context(), "nocap")
			want(t, err, nil)
			queue, err := f.Queue(t.Context(), PageOptions{})
			want(t, err, nil)
			return len(found) == 1 && len(queue.Items) == 1
		})
	})
}

// What another program changes or deletes, lists and names follow.
func TestDocumentItemsChanged(t *testing.T) {
	modeltest.EachWay(t, func(t *testing.T, o *modeltest.StoreOptions) {
		f := openOn(t, o, nil, Options{})
		ctx := t.Context()
		adopt := func() {
			t.Helper()
			storytest.Adopt(t, f.stores, f.o.Stories, f.Shelf())
			for _, finding := range modeltest.Findings(t, f.Check) {
				if !strings.HasSuffix(finding, model.Untaken) {
					t.Error(finding)
				}
			}
		}
		adopt()
		f.foreign()
		adopt()
		key := model.Raw{"PK": &types.AttributeValueMemberS{Value: "TERM#no_cap"}, "SK": &types.AttributeValueMemberS{Value: "METADATA#lexicon"}}
		_, err := f.db.UpdateItem(ctx, &dynamodb.UpdateItemInput{TableName: aws.String("LexiconTable"), Key: key, UpdateExpression: aws.String("SET tags = :t, variants = :v"),
			ExpressionAttributeValues: model.Raw{":t": &types.AttributeValueMemberL{Value: []types.AttributeValue{&types.AttributeValueMemberS{Value: "honest"}}}, ":v": &types.AttributeValueMemberL{Value: []types.AttributeValue{&types.AttributeValueMemberS{Value: "fr fr"}}}}})
		want(t, err, nil)
		adopt()
		listed := func(tag string) int {
			t.Helper()
			list, err := f.Browse(ctx, ByTag, tag, PageOptions{})
			want(t, err, nil)
			return len(list.Items)
		}
		if n, m := listed("truth telling"), listed("honest"); n != 0 || m != 1 {
			t.Errorf("it is listed %d times under the old tag, %d under the new", n, m)
		}
		if found, err := f.Lookup(ctx, "fr fr"); err != nil || len(found) != 1 {
			t.Errorf("its new name finds %v, %v", found, err)
		}
		_, err = f.db.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: aws.String("LexiconTable"), Key: key})
		want(t, err, nil)
		for _, k := range [][2]string{{"TERM#mid", "SUBMISSION#s1"}, {"TERM#slay", "SUBMISSION#s2"}} {
			_, err = f.db.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: aws.String("SubmissionsTable"),
				Key: model.Raw{"PK": &types.AttributeValueMemberS{Value: k[0]}, "SK": &types.AttributeValueMemberS{Value: k[1]}}})
			want(t, err, nil)
		}
		adopt()
		if n := listed("honest"); n != 0 {
			t.Error("it is listed after it was deleted")
		}
		// Its name is free, and what the desk writes stays.
		f.term(Term{Term: "no cap", Tags: []string{"honest"}})
		adopt()
		if n := listed("honest"); n != 1 {
			t.Errorf("a new term is listed %d times", n)
		}
	})
}
