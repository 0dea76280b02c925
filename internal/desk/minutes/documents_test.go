package minutes

import (
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"pressroom/internal/errs"
	"pressroom/internal/story"
	"pressroom/internal/story/storytest"
	"pressroom/llm"
	"pressroom/model"
	"pressroom/model/modeltest"
)

// row is an item as a document writes it down.
type row map[string]any

// shared is a desk on stores that other programs write to as well.
type shared struct {
	*Desk
	stores *modeltest.Stores
	all    *story.Stories
}

// ways are how a program reaches the stores.
var ways = []string{"in process", "over HTTP"}

// openShared returns such a desk.
func openShared(t *testing.T, provider llm.Provider, o Options) *shared {
	return openSharedBy(t, ways[0], provider, o)
}

// openSharedBy returns such a desk, which reaches its stores in one of the ways.
func openSharedBy(t *testing.T, way string, provider llm.Provider, o Options) *shared {
	t.Helper()
	if way != ways[0] && modeltest.Foreign() {
		t.Skip("other servers are reached over HTTP in any case")
	}
	stores := modeltest.OpenStores(t, &modeltest.StoreOptions{HTTP: way != ways[0], Streams: true}, Schema, story.Schema)
	all, err := story.New(stores.Tables, nil)
	noErr(t, err)
	o.Stories, o.Log, o.Pause = all, slog.New(slog.DiscardHandler), -1
	d, err := New(stores.Tables, stores.Objects, provider, &o)
	noErr(t, err)
	return &shared{d, stores, all}
}

func (s *shared) adopt(t testing.TB) {
	t.Helper()
	storytest.Adopt(t, s.stores, s.all, s.Shelf())
}

// sound wants nothing to be wrong.
func (s *shared) sound(t testing.TB) {
	t.Helper()
	modeltest.WantSound(t, s.Check)
}

// literal asks a document's own question: an index, or "" for the table, and its
// partition.
func (s *shared) literal(t testing.TB, table int, index, name, value string, descending bool) []model.Raw {
	t.Helper()
	in := &dynamodb.QueryInput{TableName: &s.schema.Tables[table].Name, ScanIndexForward: aws.Bool(!descending),
		KeyConditionExpression: aws.String("#k = :k"), ExpressionAttributeNames: map[string]string{"#k": name},
		ExpressionAttributeValues: model.Raw{":k": &types.AttributeValueMemberS{Value: value}}}
	if index != "" {
		in.IndexName = &index
	}
	out, err := s.db.Query(t.Context(), in)
	noErr(t, err)
	return out.Items
}

func textIn(item model.Raw, name string) string {
	switch v := item[name].(type) {
	case *types.AttributeValueMemberS:
		return v.Value
	case *types.AttributeValueMemberN:
		return v.Value
	}
	return ""
}

func texts(items []model.Raw, name string) string {
	var all []string
	for _, item := range items {
		all = append(all, textIn(item, name))
	}
	return strings.Join(all, " ")
}

// documentArticle is an article of document 000 with its thin index items: the keys,
// the type and the fields that the document lists, and nothing else.
func documentArticle(id, iso, person, keyword string) (row, []row) {
	month := iso[:7]
	head := row{
		"PK": "A#" + id, "SK": "META", "type": "ARTICLE", "asset_url": "https://assets.example/" + id + "/asset.json",
		"GSI1PK": "ARTICLE", "GSI1SK": iso, "GSI2PK": "Y#" + month[:4] + "#M#" + month[5:], "GSI2SK": iso,
		"title": "題 " + id, "date": iso, "month": month, "imageKind": "会議録", "session": 218, "nameOfHouse": "衆議院", "nameOfMeeting": "科学技術委員会",
		"categories": []string{"科学"}, "description": "説明", "participants": []row{{"name": person, "summary": "発言した"}},
		"keywords": []row{{"keyword": keyword, "priority": "high"}}, "terms": []row{{"term": "補助率", "definition": "割合"}},
	}
	thin := func(pk string) row {
		return row{
			"PK": pk, "SK": "Y#" + month[:4] + "#M#" + month[5:] + "#D#" + iso + "#A#" + id, "type": "THIN_INDEX", "kind": "INDEX", "articleId": id,
			"title": "題 " + id, "date": iso, "month": month, "imageKind": "会議録", "session": 218, "nameOfHouse": "衆議院", "nameOfMeeting": "科学技術委員会",
		}
	}
	return head, []row{
		thin("CATEGORY#科学"), thin("PERSON#" + person), thin("KEYWORD#" + keyword), thin("IMAGEKIND#会議録"), thin("SESSION#0218"),
		thin("HOUSE#衆議院"), thin("MEETING#科学技術委員会"), thin("ISSUE#" + id),
	}
}

func (s *shared) put(t testing.TB, table int, rows ...row) {
	t.Helper()
	for _, r := range rows {
		putRaw(t, s.Desk, table, r)
	}
}

const documentID = "121805261X00320250919"

// An article that another program wrote to the letter is read, listed, found, replaced
// and deleted like one of ours; its index items appear under the desk's own form of
// names, and what another program keeps in them stays.
func TestDocumentArticle(t *testing.T) {
	t.Parallel()
	for name, adopt := range map[string]func(*shared, *testing.T){
		"stream": func(s *shared, t *testing.T) { s.adopt(t) },
		"migrate": func(s *shared, t *testing.T) {
			if n := storytest.Migrate(t, s.stores, s.Shelf()); n != 9 {
				t.Errorf("%d items adopted, of 9", n)
			}
		},
	} {
		for way, iso := range map[string]string{ways[0]: "2025-09-19", ways[1]: "2025-09-19T00:00:00.000Z"} {
			t.Run(name+" "+way+" "+iso, func(t *testing.T) {
				s := openSharedBy(t, way, llm.Validated(honest()), Options{})
				ctx := t.Context()
				s.adopt(t) // begins before others write
				head, thins := documentArticle(documentID, iso, "山田　太郎", "ＰＦＩ")
				s.put(t, 1, head)
				s.put(t, 1, thins...)
				noErr(t, s.objects.put(ctx, url(s.objects.assets.Name, documentID+"/asset.json"), row{
					"summary": "要約だけ", "soft_language_summary": row{"summary": "やさしく", "based_on_orders": []int{1}}, "middle_summary": []row{}, "dialogs": []row{{"order": 1, "speaker": "山田太郎", "original_text": "発言", "summary_sections": []row{{"title": "節", "bullets": []string{"点"}}}}},
				}))
				// By its id and the document's own keys it answers at once.
				full, err := s.GetFull(ctx, documentID)
				noErr(t, err)
				if full.Title != "題 "+documentID || full.Keywords[0] != "ＰＦＩ" || full.Participants[0].Name != "山田　太郎" || full.Asset.Summary.Summary != "要約だけ" || len(full.Asset.Dialogs) != 1 {
					t.Errorf("%s", asJSON(full))
				}
				s.sound(t)
				adopt(s, t)
				s.adopt(t)
				for what, f := range map[string]Filter{
					"person": {Person: "山田 太郎"}, "keyword": {Keyword: "pfi"}, "category": {Category: "科学"}, "session": {Session: "218"}, "house": {House: "衆議院"},
					"meeting": {Meeting: "科学技術委員会"}, "issue": {Issue: documentID}, "kind": {ImageKind: "会議録"}, "month": {Month: "2025-09"},
					"all": {}, "two": {Person: "山田太郎", Keyword: "PFI"}, "days": {From: "2025-09-19", Until: "2025-09-19", House: "衆議院"},
				} {
					if what == "two" {
						f.Person = "山田 太郎"
					}
					page, err := s.Articles(ctx, f, PageOptions{})
					noErr(t, err)
					if len(page.Items) != 1 || page.Items[0].ID != documentID || page.Items[0].Description != "説明" {
						t.Errorf("listed by %s: %s", what, asJSON(page))
					}
				}
				if kind := texts(s.literal(t, 1, "", "PK", "PERSON#山田　太郎", false), "kind"); kind != "INDEX" {
					t.Errorf("its own item lost what another program keeps there: %q", kind)
				}
				heads, err := s.all.Get(ctx, story.Ref{Desk: "minutes", ID: documentID})
				noErr(t, err)
				if len(heads) != 1 || heads[0].Title != "題 "+documentID {
					t.Errorf("its card: %+v", heads)
				}
				s.sound(t)

				// Its task replaces it, and removes all that it was listed under.
				producer{contract: "001"}.write(t, s.Desk, printedMeeting(3, 4))
				if r := work(t, s.Desk); r.Completed != 1 {
					t.Fatalf("%+v", r)
				}
				s.adopt(t)
				a, err := s.GetArticle(ctx, documentID)
				noErr(t, err)
				if a.Version != 1 || a.Title == full.Title {
					t.Errorf("it was not replaced: %+v", a)
				}
				if left := s.literal(t, 1, "", "PK", "KEYWORD#pfi", false); len(left) != 1 || textIn(left[0], "date") != "2025-09-19" {
					t.Errorf("left of the old one: %v", texts(left, "SK"))
				}
				s.sound(t)
				storytest.Told(t, s.all, s.Shelf())
			})
		}
	}
}

// What another program changes or deletes, lists follow.
func TestDocumentArticleChanges(t *testing.T) {
	t.Parallel()
	s := openShared(t, nil, Options{})
	ctx := t.Context()
	s.adopt(t)
	head, thins := documentArticle(documentID, "2025-09-19", "山田　太郎", "ＰＦＩ")
	s.put(t, 1, head)
	s.put(t, 1, thins...)
	s.adopt(t)
	listed := func(f Filter) int {
		t.Helper()
		page, err := s.Articles(ctx, f, PageOptions{})
		noErr(t, err)
		return len(page.Items)
	}
	head["participants"], head["title"] = []row{{"name": "佐藤花子"}}, "新しい題"
	s.put(t, 1, head)
	s.adopt(t)
	if n, m := listed(Filter{Person: "佐藤花子"}), listed(Filter{Person: "山田 太郎"}); n != 1 || m != 0 {
		t.Errorf("listed %d times under the new name, %d under the old", n, m)
	}
	page, err := s.Articles(ctx, Filter{House: "衆議院"}, PageOptions{})
	noErr(t, err)
	if page.Items[0].Title != "新しい題" {
		t.Errorf("the list says %q", page.Items[0].Title)
	}
	_, err = s.db.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: &s.schema.Tables[1].Name, Key: model.Raw{
		"PK": &types.AttributeValueMemberS{Value: "A#" + documentID}, "SK": &types.AttributeValueMemberS{Value: "META"}}})
	noErr(t, err)
	s.adopt(t)
	for _, f := range []Filter{{}, {House: "衆議院"}, {Keyword: "PFI"}, {Person: "佐藤花子"}} {
		if n := listed(f); n != 0 {
			t.Errorf("%+v lists it after it was deleted", f)
		}
	}
	// Several changes that are heard of at once leave nothing behind either.
	s.put(t, 1, head)
	s.put(t, 1, thins...)
	s.adopt(t)
	head["participants"] = []row{{"name": "鈴木一郎"}}
	s.put(t, 1, head)
	head["participants"] = []row{{"name": "高橋三郎"}}
	s.put(t, 1, head)
	s.adopt(t)
	if n, m, o := listed(Filter{Person: "佐藤花子"}), listed(Filter{Person: "鈴木一郎"}), listed(Filter{Person: "高橋三郎"}); n != 0 || m != 0 || o != 1 {
		t.Errorf("listed %d, %d, %d times", n, m, o)
	}
	storytest.Told(t, s.all, s.Shelf())
}

// Tasks of either document get what the desk finds them by, and the marks of consumers
// that know the documents alone are taken over.
func TestDocumentTask(t *testing.T) {
	t.Parallel()
	for name, adopt := range map[string]func(*shared, *testing.T){
		"stream": func(s *shared, t *testing.T) { s.adopt(t) },
		"migrate": func(s *shared, t *testing.T) {
			storytest.Migrate(t, s.stores, s.Shelf())
		},
	} {
		for of, p := range map[string]producer{"000": {contract: "000", session: 218, key: strings.Repeat("cd", 32)}, "001": {contract: "001"}, "001 chunked": {contract: "001", chunked: true}} {
			t.Run(name+" "+of, func(t *testing.T) {
				s := openSharedBy(t, map[string]string{"stream": ways[0], "migrate": ways[1]}[name], llm.Validated(honest()), Options{})
				ctx := t.Context()
				s.adopt(t)
				m := printedMeeting(3, 4)
				key := p.write(t, s.Desk, m)
				adopt(s, t)
				task, err := s.GetTask(ctx, m.IssueID)
				noErr(t, err)
				if task.PK != key || task.Awaiting != awaitingArticle {
					t.Errorf("%+v", task)
				}
				// A consumer of the document writes results and marks the task's own key.
				s.consumeAsDocumented(t, &task, key)
				adopt(s, t)
				s.wantArticle(t, m.IssueID)
				s.sound(t)
				mode := map[string]string{"000": "single_chunk", "001": "direct"}[p.contract]
				if item := s.raw(t, key); !p.chunked && textIn(item, "processingMode") != mode {
					t.Errorf("another producer's mode became %q", textIn(item, "processingMode"))
				}
			})
		}
	}
}

// raw is a task as the table has it.
func (s *shared) raw(t testing.TB, pk string) model.Raw {
	t.Helper()
	out, err := s.db.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: &s.schema.Tables[0].Name, Key: model.Raw{"pk": &types.AttributeValueMemberS{Value: pk}}, ConsistentRead: aws.Bool(true)})
	noErr(t, err)
	return out.Item
}

// consumeAsDocumented does what document 001 says to a task, and marks a key, which may
// not be the task's.
func (s *shared) consumeAsDocumented(t testing.TB, task *Task, mark string) {
	t.Helper()
	ctx := t.Context()
	ask := func(f form, at string) Result {
		body, err := s.load(ctx, at)
		noErr(t, err)
		var r Result
		if body.Mode == "chunked" {
			body.Speeches = printedMeeting(3, 4).Speeches
		}
		noErr(t, json.Unmarshal([]byte(truthful(s.request(f, body, task))), &r))
		return r
	}
	for _, c := range task.Chunks {
		noErr(t, s.objects.put(ctx, c.ResultURL, ask(chunk, c.PromptURL)))
	}
	f := direct
	if len(task.Chunks) > 0 {
		f = reduce
	}
	noErr(t, s.objects.put(ctx, task.ResultURL, ask(f, task.PromptURL)))
	_, err := s.db.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &s.schema.Tables[0].Name, Key: model.Raw{"pk": &types.AttributeValueMemberS{Value: mark}},
		UpdateExpression: aws.String("SET #s = :c, updatedAt = :n"), ExpressionAttributeNames: map[string]string{"#s": "status"},
		ExpressionAttributeValues: model.Raw{":c": &types.AttributeValueMemberS{Value: "completed"}, ":n": &types.AttributeValueMemberS{Value: "2025-11-02"}},
	})
	noErr(t, err)
}

// wantArticle wants the next work to publish a completed task's article, without asking.
func (s *shared) wantArticle(t testing.TB, id string) {
	t.Helper()
	if r := work(t, s.Desk); r.Adopted != 1 || r.Completed != 0 {
		t.Errorf("%+v", r)
	}
	a, err := s.GetArticle(t.Context(), id)
	noErr(t, err)
	if a.Session != 218 || a.House != "衆議院" || a.Date != "2025-09-19" {
		t.Errorf("%s", asJSON(a))
	}
}

// A mark on a key that is not there is applied to the task it means, and removed.
func TestMarkWithoutTask(t *testing.T) {
	t.Parallel()
	for name, tokens := range map[string]int{"single": 24000, "chunked": 4000} {
		for how, adopt := range map[string]func(*shared, *testing.T){
			"stream": func(s *shared, t *testing.T) { s.adopt(t) }, "migrate": func(s *shared, t *testing.T) { storytest.Migrate(t, s.stores, s.Shelf()) },
		} {
			t.Run(name+" "+how, func(t *testing.T) {
				s := openShared(t, llm.Validated(honest()), Options{PromptTokens: tokens})
				s.adopt(t)
				m := printedMeeting(3, map[string]int{"single": 4, "chunked": 24}[name])
				m.Raw = rawOf(m)
				take(t, s.Desk, m)
				task, err := s.GetTask(t.Context(), m.IssueID)
				noErr(t, err)
				if (len(task.Chunks) > 0) != (name == "chunked") {
					t.Fatalf("%d chunks", len(task.Chunks))
				}
				s.consumeAsDocumented(t, &task, m.IssueID)
				if got, err := s.GetTask(t.Context(), m.IssueID); err != nil || got.PK != task.PK || got.Status != Pending {
					t.Errorf("the mark is taken for a task: %+v, %v", got, err)
				}
				adopt(s, t)
				if item := s.raw(t, m.IssueID); item != nil {
					t.Errorf("the mark is still there: %v", item)
				}
				s.wantArticle(t, m.IssueID)
				s.sound(t)
			})
		}
	}
}

// A state that nobody here knows is shown as what it is, and left alone.
func TestUnknownStatus(t *testing.T) {
	t.Parallel()
	s := openShared(t, llm.Validated(honest()), Options{})
	ctx := t.Context()
	s.adopt(t)
	m := printedMeeting(3, 4)
	key := producer{contract: "001", status: "ingested"}.write(t, s.Desk, m)
	s.adopt(t)
	page, err := s.Tasks(ctx, Other, 10, "")
	noErr(t, err)
	if len(page.Items) != 1 || page.Items[0].Status != "ingested" {
		t.Fatalf("%+v", page.Items)
	}
	counts, err := s.Counts(ctx, 10)
	noErr(t, err)
	if counts[Other] != 1 {
		t.Errorf("%v", counts)
	}
	if r := work(t, s.Desk); r != (WorkReport{}) {
		t.Errorf("it was worked on: %+v", r)
	}
	s.sound(t)
	if item := s.raw(t, key); textIn(item, "status") != "ingested" {
		t.Errorf("%v", item)
	}
	// Its program goes on.
	s.put(t, 0, row{"pk": "x"}) // another item of no meaning
	producer{contract: "001"}.write(t, s.Desk, m)
	s.adopt(t)
	if r := work(t, s.Desk); r.Completed != 1 {
		t.Errorf("%+v", r)
	}
	if page, err := s.Tasks(ctx, Other, 10, ""); err != nil || len(page.Items) != 0 {
		t.Errorf("%+v, %v", page.Items, err)
	}
}

// Either document's consumers find what they look up.
func TestTaskContract(t *testing.T) {
	t.Parallel()
	for contract, want := range map[string][2]string{"": {taskKey(Meeting{IssueID: documentID, Session: 218, House: "衆議院"}), "single_chunk"}, "000": {taskKey(Meeting{IssueID: documentID, Session: 218, House: "衆議院"}), "single_chunk"}, "001": {documentID, "direct"}} {
		t.Run(contract, func(t *testing.T) {
			s := openShared(t, llm.Validated(honest()), Options{TaskContract: contract})
			m := printedMeeting(3, 4)
			m.Raw = rawOf(m)
			take(t, s.Desk, m)
			item := s.raw(t, want[0])
			if textIn(item, "processingMode") != want[1] || !strings.HasSuffix(textIn(item, "prompt_url"), "_direct.json") {
				t.Errorf("%v", item)
			}
			if r := take(t, s.Desk, m); r.Unchanged != 1 {
				t.Errorf("taken again: %+v", r)
			}
			other, err := New(s.db, s.stores.Objects, s.provider, &Options{TaskContract: map[string]string{"001": "000"}[contract], Stories: s.all, Pause: -1, Log: slog.New(slog.DiscardHandler)})
			noErr(t, err)
			if r := take(t, other, m); r.Unchanged != 1 {
				t.Errorf("taken under the other contract: %+v", r)
			}
			if r := work(t, s.Desk); r.Completed != 1 {
				t.Errorf("%+v", r)
			}
			s.sound(t)
		})
	}
}

// Readers who know the document alone find an address that a browser can fetch, the id
// that they use, and names as they are written.
func TestWhatReadersOfTheTableFind(t *testing.T) {
	t.Parallel()
	s := openShared(t, llm.Validated(honest()), Options{AssetBase: "https://cdn.example/minutes/"})
	ctx := t.Context()
	m := printedMeeting(3, 4)
	m.Speeches[1].Speaker = "田中　花子"
	m.Raw = rawOf(m)
	take(t, s.Desk, m)
	if r := work(t, s.Desk); r.Completed != 1 {
		t.Fatalf("%+v", r)
	}
	a, err := s.GetArticle(ctx, documentID)
	noErr(t, err)
	key, ok := strings.CutPrefix(a.AssetURL, "https://cdn.example/minutes/articles/"+documentID+"/")
	if !ok {
		t.Fatalf("asset_url %s", a.AssetURL)
	}
	for _, pk := range []string{"PERSON#田中　花子", "PERSON#田中 花子", "KEYWORD#ＰＦＩ", "KEYWORD#pfi", "SESSION#218", "HOUSE#衆議院", "ISSUE#" + documentID, "MEETING#科学技術委員会", "IMAGEKIND#会議録", "CATEGORY#国土交通"} {
		found := s.literal(t, 1, "", "PK", pk, true)
		if len(found) != 1 || textIn(found[0], "articleId") != documentID || textIn(found[0], "id") != documentID || textIn(found[0], "asset_url") != a.AssetURL || textIn(found[0], "type") != "THIN_INDEX" {
			t.Errorf("%s: %v", pk, found)
		}
	}
	facets, err := s.Facets(ctx)
	noErr(t, err)
	for kind, list := range facets {
		for _, f := range list {
			if f.Count != 1 {
				t.Errorf("%s %s counts %d times", kind, f.Value, f.Count)
			}
		}
	}
	own := "articles/" + documentID + "/" + key
	data, err := s.Asset(ctx, own)
	noErr(t, err)
	var asset map[string]json.RawMessage
	noErr(t, json.Unmarshal(data, &asset))
	for _, field := range []string{"summary", "soft_language_summary", "middle_summary", "dialogs"} {
		if asset[field] == nil {
			t.Errorf("the asset has no %s", field)
		}
	}
	// Another base: items follow by themselves, and nothing is told as changed.
	moved, err := New(s.db, s.stores.Objects, s.provider, &Options{AssetBase: "https://new.example", Stories: s.all, Pause: -1, Log: slog.New(slog.DiscardHandler)})
	noErr(t, err)
	if n, err := moved.Readdress(ctx); n != 1 || err != nil {
		t.Errorf("%d articles got a new address: %v", n, err)
	}
	if n, err := moved.Readdress(ctx); n != 0 || err != nil {
		t.Errorf("%d articles again: %v", n, err)
	}
	// An address of an earlier version of this program is one of them.
	damage := modeltest.Damage{T: t, DB: s.db, Table: &s.schema.Tables[1]}
	damage.Set("asset_url", url(s.objects.assets.Name, own), "A#"+documentID, "META")
	if _, err := s.GetFull(ctx, documentID); err != nil {
		t.Error(err)
	}
	if n, err := moved.Readdress(ctx); n != 1 || err != nil {
		t.Errorf("%d articles of an earlier version: %v", n, err)
	}
	if got := textIn(s.literal(t, 1, "", "PK", "PERSON#田中　花子", false)[0], "asset_url"); got != "https://new.example/"+own {
		t.Errorf("the index item leads to %s", got)
	}
	if _, err := moved.GetFull(ctx, documentID); err != nil {
		t.Error(err)
	}
	heads, err := s.all.Get(ctx, story.Ref{Desk: "minutes", ID: documentID})
	noErr(t, err)
	if heads[0].Revision != 1 {
		t.Errorf("a new address is told as change %d", heads[0].Revision)
	}
	storytest.Told(t, s.all, s.Shelf())
	s.sound(t)
	// What is gone is not served.
	for _, bad := range []string{"articles/x/" + key, "raw/" + documentID + ".json", "articles/" + documentID + "/0/asset.json", "../x"} {
		if _, err := s.Asset(ctx, bad); errs.KindOf(err) != errs.NotFound {
			t.Errorf("%s: %v", bad, err)
		}
	}
	noErr(t, s.articles.Delete(ctx, model.Values{"id": documentID}))
	if _, err := s.Asset(ctx, own); errs.KindOf(err) != errs.NotFound {
		t.Errorf("the asset of a deleted article: %v", err)
	}
}

// An answer that a consumer paid for, stored and could not say so is not paid for again,
// unless it is the answer to another prompt.
func TestAnswerOfTheDead(t *testing.T) {
	t.Parallel()
	for name, p := range map[string]producer{"single": {contract: "001"}, "chunked": {contract: "001", chunked: true}} {
		t.Run(name, func(t *testing.T) {
			model := honest()
			s := openShared(t, llm.Validated(model), Options{})
			ctx := t.Context()
			m := printedMeeting(3, 4)
			p.write(t, s.Desk, m)
			task, err := s.GetTask(ctx, m.IssueID)
			noErr(t, err)
			store := func(f form, prompt, at string) {
				t.Helper()
				body, err := s.load(ctx, prompt)
				noErr(t, err)
				var r Result
				noErr(t, json.Unmarshal([]byte(truthful(s.request(f, body, &task))), &r))
				r.GeneratedBy = &Origin{Provider: "other", PromptSHA256: digest(body.stored)}
				noErr(t, s.objects.put(ctx, at, r))
			}
			asked := 0
			if p.chunked {
				for _, c := range task.Chunks {
					store(chunk, c.PromptURL, c.ResultURL)
				}
				asked = 1 // the whole
			} else {
				store(direct, task.PromptURL, task.ResultURL)
			}
			if r := work(t, s.Desk); r.Completed != 1 {
				t.Fatalf("%+v", r)
			}
			if n := model.Count(); n != asked {
				t.Errorf("asked %d times, not %d", n, asked)
			}
			// The same task again, with another prompt.
			m.Speeches[1].Text += "以上です。"
			p.write(t, s.Desk, m)
			if r := work(t, s.Desk); r.Completed != 1 {
				t.Fatalf("%+v", r)
			}
			if n := model.Count(); n == asked {
				t.Error("the answer to another prompt was taken")
			}
		})
	}
}
