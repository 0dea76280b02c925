package cli

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/google/go-cmp/cmp"

	"pressroom/internal/auth"
	"pressroom/internal/desk/lexicon"
	"pressroom/internal/desk/lexicon/lexicondesk"
	"pressroom/model"
)

// The limits of the tiers are settings, and by default those of the desk.
func TestLexiconTiers(t *testing.T) {
	set := settingsOfDesk[lexicondesk.Settings](testSettings(t).deskSettings)
	tiers := map[string]lexicon.Limits{lexicon.Guest: lexicon.Limits(set.LexiconGuest), lexicon.Free: lexicon.Limits(set.LexiconFree), lexicon.Premium: lexicon.Limits(set.LexiconPremium)}
	if diff := cmp.Diff(lexicon.DefaultTiers(), tiers); diff != "" {
		t.Errorf("by default:\n%s", diff)
	}
	const free = "translations=3,characters=20,history=true,submissions=1,quiz-questions=5"
	rows, _ := settingsOf(t, []string{"PRESSROOM_LEXICON_FREE=" + free})
	if got := rows["lexicon-free"]; got.Value != free || got.Source != "environment" {
		t.Errorf("shown as %+v", got)
	}
}

// An operator removes an account through the API: of all that its owner did at the
// lexicon, and of the account itself, no table has a trace.
func TestDeletedAccountLeavesNothing(t *testing.T) {
	set, st := openTestStore(t)
	s, err := openSite(t.Context(), set, false, st, quiet)
	if err != nil {
		t.Fatal(err)
	}
	eve, bob, ann := newCaller(t, s, "eve", auth.Operator), newCaller(t, s, "bob", auth.Reader), newCaller(t, s, "ann", auth.Reader)
	desk, err := lexicon.New(st.tables, nil, &lexicon.Options{Stories: s.stories, Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := desk.Init(t.Context(), lexicon.ImportOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []*asker{bob, ann} {
		c.ask(200, "GET", "/lexicon/users/me", "")
		eve.ask(200, "PATCH", "/lexicon/users/"+c.id, `{"tier":"premium"}`, "If-Match", "*")
	}
	bob.ask(201, "POST", "/lexicon/submissions", `{"slang_term":"zorp","meaning":"good","example_usage":"so zorp"}`)
	made := ann.ask(201, "POST", "/lexicon/submissions", `{"slang_term":"blarg","meaning":"bad","example_usage":"so blarg"}`)
	var proposal struct {
		ID string `json:"submission_id"`
	}
	if err := json.Unmarshal(made, &proposal); err != nil || proposal.ID == "" {
		t.Fatalf("%s, %v", made, err)
	}
	path := "/lexicon/submissions/" + proposal.ID
	eve.ask(200, "POST", path+"/decisions", `{"action":"approve"}`)
	eve.ask(200, "POST", path+"/decisions", `{"action":"undo","reason":"hasty"}`)
	bob.ask(200, "PUT", path+"/vote", "")
	bob.ask(200, "POST", "/lexicon/translations", `{"text":"He has rizz"}`)
	bob.ask(201, "POST", "/lexicon/quizzes", `{"questions":1}`)

	if len(traces(t, st.tables, bob.id)) < 6 {
		t.Fatalf("bob has only %v", traces(t, st.tables, bob.id))
	}
	eve.ask(204, "DELETE", "/users/"+bob.id, "", "If-Match", "*")
	if left := traces(t, st.tables, bob.id); len(left) > 0 {
		t.Errorf("of bob there is still %v", left)
	}
	bob.ask(401, "GET", "/lexicon/users/me", "")
	var after struct {
		Upvotes int `json:"upvotes"`
	}
	if err := json.Unmarshal(ann.ask(200, "GET", path, ""), &after); err != nil || after.Upvotes != 0 {
		t.Errorf("ann's proposal has %d votes, %v", after.Upvotes, err)
	}
}

// asker asks the API of a site with a token of its own.
type asker struct {
	t         *testing.T
	s         *site
	id, token string
}

func newCaller(t *testing.T, s *site, name string, role auth.Role) *asker {
	t.Helper()
	account, err := s.auth.Add(t.Context(), auth.NewAccount{Name: name, Password: "correct horse battery", Role: role})
	if err != nil {
		t.Fatal(err)
	}
	token, _, err := s.auth.AddToken(t.Context(), account.ID, auth.NewToken{Name: "test", Scopes: []auth.Scope{"read", "write", "admin"}})
	if err != nil {
		t.Fatal(err)
	}
	return &asker{t, s, account.ID, token}
}

func (c *asker) ask(status int, method, path, body string, headers ...string) []byte {
	c.t.Helper()
	r := httptest.NewRequest(method, "/api/v1"+path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+c.token)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	c.s.mux.ServeHTTP(w, r)
	if w.Code != status {
		c.t.Fatalf("%s %s: %d, want %d: %s", method, path, w.Code, status, w.Body)
	}
	return w.Body.Bytes()
}

// traces are the items of all tables in which a text stands.
func traces(t *testing.T, db model.DB, text string) []string {
	t.Helper()
	tables, err := db.ListTables(t.Context(), &dynamodb.ListTablesInput{})
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, table := range tables.TableNames {
		out, err := db.Scan(t.Context(), &dynamodb.ScanInput{TableName: &table})
		if err != nil || out.LastEvaluatedKey != nil {
			t.Fatalf("scan %s: %v", table, err)
		}
		for _, item := range out.Items {
			var plain map[string]any
			if err := attributevalue.UnmarshalMap(item, &plain); err != nil {
				t.Fatal(err)
			}
			if s := fmt.Sprint(plain); strings.Contains(s, text) {
				found = append(found, table+": "+s)
			}
		}
	}
	return found
}
