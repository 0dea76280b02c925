package lexicon

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/google/go-cmp/cmp"

	"pressroom/internal/errs"
	"pressroom/model"
)

// watched notes which tables and indexes are read, and refuses to scan.
type watched struct {
	model.DB
	mu   sync.Mutex
	read []string
}

func (w *watched) note(operation string, table, index *string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := operation + " " + aws.ToString(table)
	if index != nil {
		text = operation + " " + *index
	}
	if !slices.Contains(w.read, text) {
		w.read = append(w.read, text)
	}
}

func (w *watched) take() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	read := w.read
	w.read = nil
	return read
}

func (w *watched) Query(ctx context.Context, in *dynamodb.QueryInput, o ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	w.note("Query", in.TableName, in.IndexName)
	return w.DB.Query(ctx, in, o...)
}

func (w *watched) GetItem(ctx context.Context, in *dynamodb.GetItemInput, o ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	w.note("Get", in.TableName, nil)
	return w.DB.GetItem(ctx, in, o...)
}

func (w *watched) BatchGetItem(ctx context.Context, in *dynamodb.BatchGetItemInput, o ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error) {
	for table := range in.RequestItems {
		w.note("BatchGet", &table, nil)
	}
	return w.DB.BatchGetItem(ctx, in, o...)
}

func (w *watched) Scan(context.Context, *dynamodb.ScanInput, ...func(*dynamodb.Options)) (*dynamodb.ScanOutput, error) {
	panic("a list scans")
}

// Every access pattern of the design is read by its index, and what the pages show
// of it is there.
func TestPatternsByIndex(t *testing.T) {
	f := open(t, nil, Options{})
	ctx := t.Context()
	quizTerms(f)
	ann, bob := f.user("ann", Premium), f.user("bob", Premium)
	pending := f.propose(ann, "skibidi")
	_, err := f.Validate(ctx, 1)
	want(t, err, nil)
	f.propose(bob, "gyatt")
	_, err = f.Vote(ctx, bob, pending.ID)
	want(t, err, nil)
	translated, err := f.Translate(ctx, ann, TranslateRequest{Text: "word0"})
	want(t, err, nil)
	quiz, err := f.StartQuiz(ctx, ann, QuizRequest{})
	want(t, err, nil)
	_, err = f.Ask(ctx, ann, quiz.ID)
	want(t, err, nil)
	_, err = f.Lookup(ctx, "word0")
	want(t, err, nil)
	f.clock.advance(day)
	_, err = f.RunTrends(ctx)
	want(t, err, nil)

	w := &watched{DB: f.store}
	d, err := New(w, nil, &f.o)
	want(t, err, nil)
	one := PageOptions{Limit: 1}
	tests := []struct {
		name string
		read []string
		ask  func() (any, error)
	}{
		{"submissions by status", []string{"Query SubmissionsStatusIndex"}, func() (any, error) { return first(d.Submissions(ctx, Validated, one)) }},
		{"submissions by user", []string{"Query SubmissionsByUserIndex", "BatchGet SubmissionsTable"}, func() (any, error) { return first(d.SubmissionsOf(ctx, ann, one)) }},
		{"submission by id", []string{"Query SubmissionsByIdIndex", "Get SubmissionsTable"}, func() (any, error) { return d.Submission(ctx, pending.ID) }},
		{"to be validated", []string{"Query ValidationStatusIndex", "BatchGet SubmissionsTable"}, func() (any, error) {
			for s, err := range d.submissions.All(ctx, "SubmissionsToValidate", model.Values{"llm_validation_status": pendingValidation}) {
				return s, err
			}
			return nil, errs.NotFound
		}},
		{"queue", []string{"Query SubmissionsQueueIndex", "BatchGet SubmissionsTable"}, func() (any, error) { return first(d.Queue(ctx, one)) }},
		{"votes of a user", []string{"Query SubmissionsVotesByUserIndex"}, func() (any, error) { return first(d.VotesOf(ctx, bob, one)) }},
		{"audit", []string{"Query SubmissionsByIdIndex", "Get SubmissionsTable", "Query SubmissionsTable"}, func() (any, error) { return first(d.Audit(ctx, pending.ID, one)) }},
		{"export by source", []string{"Query LexiconSourceIndex", "BatchGet LexiconTable"}, func() (any, error) { return first(d.Terms(ctx, OriginLexicon, one)) }},
		{"quiz by difficulty", []string{"Query LexiconQuizDifficultyIndex"}, func() (any, error) { return first(d.QuizTerms(ctx, Beginner, "", one)) }},
		{"quiz by category", []string{"Query LexiconQuizCategoryIndex"}, func() (any, error) { return first(d.QuizTerms(ctx, "", "people", one)) }},
		{"term", []string{"Get LexiconTable"}, func() (any, error) { return d.Term(ctx, "word0") }},
		{"browse", []string{"Query LexiconTable"}, func() (any, error) { return first(d.Browse(ctx, ByCategory, "people", one)) }},
		{"trending", []string{"Query TrendingActiveIndex"}, func() (any, error) { return first(d.Trending(ctx, one)) }},
		{"trending of a category", []string{"Query TrendingCategoryIndex"}, func() (any, error) { return first(d.TrendingIn(ctx, "people", one)) }},
		{"profile", []string{"Get UsersTable"}, func() (any, error) { return d.User(ctx, ann) }},
		{"quiz session", []string{"Get UsersTable"}, func() (any, error) { return d.Quiz(ctx, ann, quiz.ID) }},
		{"users of a tier", []string{"Query UsersTierIndex"}, func() (any, error) { return first(d.UsersByTier(ctx, Premium, one)) }},
		{"translations of a user", []string{"Query TranslationsTable"}, func() (any, error) { return first(d.History(ctx, ann, one)) }},
		{"one translation", []string{"Get TranslationsTable"}, func() (any, error) { return d.Translation(ctx, ann, translated.ID) }},
		{"translations of a model", []string{"Query TranslationsByCreatedAtIndex"}, func() (any, error) { return first(d.TranslationsByModel(ctx, Builtin, one)) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w.take()
			got, err := tt.ask()
			want(t, err, nil)
			read := w.take()
			if diff := cmp.Diff(tt.read, read); diff != "" {
				t.Error(diff)
			}
			lacks(t, got)
		})
	}
}

func first[V any](p Page[V], err error) (any, error) {
	if err != nil {
		return nil, err
	}
	if len(p.Items) == 0 {
		return nil, errs.NotFound
	}
	return p.Items[0], nil
}

// maybe are fields that need not be there.
var maybe = []string{"Pos", "AgeRating", "ContentFlags", "FirstSeen", "LastSeen", "Status", "FirstAttestedConfidence", "SourceCounts", "Imported",
	"ReviewedAt", "ApprovalType", "ReviewedBy", "Reason", "Judgement", "Upvotes", "UpvotedBy", "TTL", "DecidedFrom", "Attempts",
	"NextAttempt", "LeaseOwner", "LeaseUntil", "LastError", "FirstAttested", "AttestationNote", "SubmissionID", "Language", "Glosses", "Plain", "PlainWord",
	"Difficulty", "Category", "Answered", "Score", "Possible", "Changes", "From", "To", "Current",
}

// lacks fails for fields of an answer that are empty.
func lacks(t *testing.T, got any) {
	t.Helper()
	v := reflect.ValueOf(got)
	if v.Kind() != reflect.Struct {
		return
	}
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		empty := v.Field(i).IsZero() && !(v.Field(i).Kind() == reflect.Slice && !v.Field(i).IsNil())
		if empty && !slices.Contains(maybe, name) {
			t.Errorf("%T has no %s: %+v", got, name, got)
		}
	}
}

// Trends, quizzes, translations and rejected submissions, with all that hangs on
// them, go by the store's clock.
func TestTimeToLive(t *testing.T) {
	if endpointOf() != "" {
		t.Skip("another store's clock cannot be moved")
	}
	f := open(t, nil, Options{})
	ctx := t.Context()
	quizTerms(f)
	ann, bob := f.user("ann", Premium), f.user("bob", Free)
	s := f.propose(ann, "skibidi")
	_, err := f.Vote(ctx, bob, s.ID)
	want(t, err, nil)
	_, err = f.Reject(ctx, "mod", s.ID, "no")
	want(t, err, nil)
	_, err = f.Translate(ctx, ann, TranslateRequest{Text: "word0"})
	want(t, err, nil)
	_, err = f.StartQuiz(ctx, ann, QuizRequest{})
	want(t, err, nil)
	f.clock.advance(day)
	_, err = f.RunTrends(ctx)
	want(t, err, nil)
	count := func(table string) int {
		out, err := f.store.Scan(ctx, &dynamodb.ScanInput{TableName: &table})
		want(t, err, nil)
		return len(out.Items)
	}
	profiles := 2
	sessions := count("UsersTable")
	for _, tt := range []struct {
		table string
		after time.Duration
		is    int
	}{
		{"UsersTable", 2 * day, sessions - 1},
		{"TrendingTable", 90 * day, 0},
		{"SubmissionsTable", 100 * day, 0},
		{"TranslationsTable", 200 * day, 0},
	} {
		before := count(tt.table)
		if before <= tt.is {
			t.Errorf("%s has %d items at first", tt.table, before)
		}
		f.clock.advance(tt.after)
		deadline := time.Now().Add(5 * time.Minute)
		for count(tt.table) != tt.is {
			if time.Now().After(deadline) {
				t.Fatalf("%s still has %d items, want %d", tt.table, count(tt.table), tt.is)
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
	if n := count("UsersTable"); n < profiles {
		t.Errorf("%d items of users are left", n)
	}
}

// An undone rejection keeps its votes, when those of one that stands expire.
func TestUndoneRejectionStays(t *testing.T) {
	if endpointOf() != "" {
		t.Skip("another store's clock cannot be moved")
	}
	f := open(t, nil, Options{})
	ctx := t.Context()
	ann := f.user("ann", Premium)
	s, stands := f.propose(ann, "skibidi"), f.propose(ann, "yeet")
	for i := range 3 {
		_, err := f.Vote(ctx, f.user(fmt.Sprint("v", i), Free), s.ID)
		want(t, err, nil)
	}
	for _, id := range []string{s.ID, stands.ID} {
		_, err := f.Reject(ctx, "mod", id, "no")
		want(t, err, nil)
	}
	_, err := f.Undo(ctx, "mod", s.ID, "sorry")
	want(t, err, nil)
	table := "SubmissionsTable"
	count := func() int {
		out, err := f.store.Scan(ctx, &dynamodb.ScanInput{TableName: &table})
		want(t, err, nil)
		return len(out.Items)
	}
	all := count()
	f.clock.advance(400 * day)
	for deadline := time.Now().Add(5 * time.Minute); count() == all; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("nothing expires")
		}
	}
	_, err = f.Vote(ctx, "v0", s.ID)
	want(t, err, errs.Duplicate)
}
