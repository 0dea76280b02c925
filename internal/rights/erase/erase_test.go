package erase

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/cockroachdb/pebble/v2/vfs"

	"pressroom/blob"
	"pressroom/dynamo"
	"pressroom/internal/errs"
	"pressroom/internal/story"
	"pressroom/model"
	"pressroom/model/deploy"
	"pressroom/model/modeltest"
)

func TestSchema(t *testing.T) { modeltest.Run(t, Schema, "../../../docs/design/rights.md") }

// notes is a desk: an item and an object for each of its stories.
var notes = model.Schema{Name: "notes",
	Tables: []model.Table{{
		Name: "Notes", Env: "NOTES_TABLE", Purpose: "notes", PK: model.Key{Name: "pk"}, SK: model.Key{Name: "sk"}, RecoveryDays: 35, Encrypted: true, Stream: "NEW_AND_OLD_IMAGES",
		Entities: []model.Entity{
			{Name: "Note", Doc: "a note", PK: "NOTE#{id}", SK: "NOTE", Version: "version", Peak: 1, Fields: []model.Field{
				{Name: "id", Size: 8, Max: 64}, {Name: "text", Size: 40, Max: 1024}, {Name: "people", Kind: model.List, Optional: true, Max: 1024}, {Name: "version", Kind: model.Number}}},
			{Name: "By", Doc: "a note about somebody", PK: "PERSON#{who}", SK: "NOTE#{id}", Peak: 1, Fields: []model.Field{{Name: "who", Size: 8, Max: 64}, {Name: "id", Size: 8, Max: 64}}},
		},
		Patterns: []model.Pattern{
			{Name: "GetNote", Who: "reader", Asks: "a note", Op: model.Get, Yields: []string{"Note"}, By: []string{"id"}, Strong: true},
			{Name: "GetBy", Who: "reader", Asks: "whether a note is about somebody", Op: model.Get, Yields: []string{"By"}, By: []string{"who", "id"}, Strong: true},
		},
	}},
	Buckets: []model.Bucket{{Name: "notes", Env: "NOTES_BUCKET", Purpose: "notes", Objects: []model.Object{{Name: "Note", Key: "notes/{id}", Vars: []model.Field{{Name: "id", Max: 64}}, Holds: "a note"}}}},
}

type note struct {
	ID      string   `dynamodbav:"id"`
	Text    string   `dynamodbav:"text"`
	People  []string `dynamodbav:"people"`
	Version int      `dynamodbav:"version"`
}

type by struct {
	Who string `dynamodbav:"who"`
	ID  string `dynamodbav:"id"`
}

// room is a store with the desk.
type room struct {
	t        testing.TB
	db       *dynamo.DB
	faulty   *faulty
	objects  *s3.Client
	stories  *story.Stories
	erasures *Erasures
	notes    *model.Repo[note]
	bys      *model.Repo[by]
	register string
	now      time.Time
}

// faulty is a store whose process dies: from some write on, none is answered.
type faulty struct {
	*dynamo.DB
	mu   sync.Mutex
	left int    // writes; below zero for any number
	die  func() // what happens then; nil if the caller hears errDied
}

var errDied = errors.New("the process died")

func (f *faulty) write() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.left == 0 {
		if f.die != nil {
			f.die()
		}
		return errDied
	}
	f.left--
	return nil
}

func (f *faulty) PutItem(ctx context.Context, in *dynamodb.PutItemInput, o ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error) {
	if err := f.write(); err != nil {
		return nil, err
	}
	return f.DB.PutItem(ctx, in, o...)
}

func (f *faulty) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, o ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	if err := f.write(); err != nil {
		return nil, err
	}
	return f.DB.UpdateItem(ctx, in, o...)
}

func (f *faulty) DeleteItem(ctx context.Context, in *dynamodb.DeleteItemInput, o ...func(*dynamodb.Options)) (*dynamodb.DeleteItemOutput, error) {
	if err := f.write(); err != nil {
		return nil, err
	}
	return f.DB.DeleteItem(ctx, in, o...)
}

func (f *faulty) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, o ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	if err := f.write(); err != nil {
		return nil, err
	}
	return f.DB.TransactWriteItems(ctx, in, o...)
}

func openRoom(t testing.TB) *room {
	t.Helper()
	now := time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)
	db, err := dynamo.OpenMemory(&dynamo.Options{Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	store, err := blob.Open("objects", &blob.Options{FS: vfs.NewMem(), SweepEvery: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(db.Close(), store.Close()); err != nil {
			t.Error(err)
		}
	})
	return newRoom(t, db, store, filepath.Join(t.TempDir(), RegisterName), now)
}

// newRoom puts the desk into a store.
func newRoom(t testing.TB, db *dynamo.DB, store *blob.Store, register string, now time.Time) *room {
	t.Helper()
	r := &room{t: t, db: db, objects: blob.Client(store), faulty: &faulty{DB: db, left: -1}, register: register, now: now}
	var err error
	ctx := context.Background()
	r.check(deploy.Apply(ctx, deploy.Store{Tables: r.db, Objects: r.objects}, nil, notes, story.Schema, Schema))
	r.stories, err = story.New(r.faulty, nil)
	r.check(err)
	r.notes, err = model.NewRepo[note](r.faulty, &notes.Tables[0], "Note", nil)
	r.check(err)
	r.bys, err = model.NewRepo[by](r.db, &notes.Tables[0], "By", nil)
	r.check(err)
	r.erasures = r.open()
	return r
}

func (r *room) check(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

// open is what a process has that was begun now.
func (r *room) open() *Erasures {
	r.t.Helper()
	e, err := New(r.faulty, Options{
		Objects: r.objects, Stories: r.stories, Schemas: []model.Schema{notes, story.Schema, Schema}, Registers: []string{r.register}, Now: func() time.Time { return r.now },
	})
	r.check(err)
	shelf := &story.Shelf{Desk: "notes", Load: func(ctx context.Context, id string) (story.Text, error) {
		n, err := r.notes.Get(ctx, model.Values{"id": id})
		if errors.Is(err, model.ErrNotFound) {
			err = errs.NotFound
		}
		return story.Text{Story: r.card(&n), Body: n.Text}, err
	}}
	e.Add(&Traces{
		Desk: "notes", Shelf: shelf, Tables: []string{"Notes"}, Buckets: []string{"notes"},
		Take: func(ctx context.Context, id string) error {
			return story.Transact(ctx, r.faulty, []model.Piece{r.notes.DeletePiece(model.Values{"id": id})}, func() ([]model.Piece, error) {
				return r.stories.Withdraw(ctx, story.Ref{Desk: "notes", ID: id}, "")
			})
		},
		Owner: func(_ string, item model.Raw) string {
			found, ok := notes.Tables[0].Identify(item)
			if !ok || found.Entity.Name != "Note" {
				return ""
			}
			return found.Values["id"]
		},
		Object: func(_, key string) (string, bool) {
			id, _, _ := strings.Cut(strings.TrimPrefix(key, "notes/"), "-")
			return id, false
		},
	})
	return e
}

func (r *room) card(n *note) story.Story {
	return story.Story{Ref: story.Ref{Desk: "notes", ID: n.ID}, Kind: "note", Path: "/notes/" + n.ID, Title: n.Text, People: n.People, Published: "2026-11-15T09:00:00.000Z"}
}

func (r *room) publish(id, text string, people ...string) {
	r.t.Helper()
	ctx := context.Background()
	n := &note{ID: id, Text: text, People: people}
	r.check(story.Transact(ctx, r.db, []model.Piece{r.notes.PutPiece(n)}, func() ([]model.Piece, error) { return r.stories.Publish(ctx, r.card(n), "") }))
	for _, who := range people {
		r.check(r.bys.Put(ctx, &by{who, id}))
	}
	for form, body := range map[string][]byte{"json": []byte(fmt.Sprintf(`{"text":%+q,"n":12345678901234567890}`, text)), "text": []byte(text + "\n"), "zipped": zipped([]byte(text))} {
		key := "notes/" + id
		if form != "json" {
			key += "-" + form
		}
		_, err := r.objects.PutObject(ctx, &s3.PutObjectInput{Bucket: aws.String("notes"), Key: &key, Body: bytes.NewReader(body), Metadata: map[string]string{"sha256": "old", "kept": "yes"}, Tagging: aws.String("project=x")})
		r.check(err)
	}
}

// raw is everything that is stored, with what is zipped unzipped.
func (r *room) raw() string {
	r.t.Helper()
	var b strings.Builder
	r.each(func(text string) { b.WriteString(text) })
	return b.String()
}

// each calls see with every item and every object, as raw does.
func (r *room) each(see func(text string)) {
	r.t.Helper()
	ctx := context.Background()
	for _, schema := range []model.Schema{notes, story.Schema, Schema} {
		for _, t := range schema.Tables {
			pages := dynamodb.NewScanPaginator(r.db, &dynamodb.ScanInput{TableName: &t.Name})
			for pages.HasMorePages() {
				out, err := pages.NextPage(ctx)
				r.check(err)
				for _, item := range out.Items {
					var b strings.Builder
					dump(&b, &types.AttributeValueMemberM{Value: item})
					see(b.String())
				}
			}
		}
	}
	pages := s3.NewListObjectsV2Paginator(r.objects, &s3.ListObjectsV2Input{Bucket: aws.String("notes")})
	for pages.HasMorePages() {
		list, err := pages.NextPage(ctx)
		r.check(err)
		for _, o := range list.Contents {
			out, err := r.objects.GetObject(ctx, &s3.GetObjectInput{Bucket: aws.String("notes"), Key: o.Key})
			r.check(err)
			body, err := io.ReadAll(out.Body)
			r.check(err)
			if clear := unzipped(body); clear != nil {
				body = clear
			}
			see(fmt.Sprintf("%s: %s %v\n", *o.Key, body, out.Metadata))
		}
	}
}

func dump(b *strings.Builder, v types.AttributeValue) {
	switch v := v.(type) {
	case *types.AttributeValueMemberM:
		for name, member := range v.Value {
			b.WriteString(name + "=")
			dump(b, member)
		}
	case *types.AttributeValueMemberL:
		for _, member := range v.Value {
			dump(b, member)
		}
	case *types.AttributeValueMemberS:
		b.WriteString(v.Value + "\n")
	default:
		fmt.Fprintf(b, "%v\n", v)
	}
}

const name = "山田太郎"

func (r *room) plant() {
	r.publish("1", "昨日、山田 太郎氏は述べた。", name, "鈴木花子")
	r.publish("2", "予算が成立した。", "鈴木花子")
	r.publish("3", name)
}

func (r *room) wantGone() {
	r.t.Helper()
	raw := r.raw()
	for _, trace := range []string{"山田", "太郎", `\u5c71`} {
		if strings.Contains(raw, trace) {
			r.t.Fatalf("%s is left:\n%s", trace, raw)
		}
	}
	for _, kept := range []string{"鈴木花子", "予算が成立した。", "昨日、〔削除〕氏は述べた。", "12345678901234567890", "kept:yes"} {
		if !strings.Contains(raw, kept) {
			r.t.Fatalf("%s is lost:\n%s", kept, raw)
		}
	}
}

func TestPerson(t *testing.T) {
	r := openRoom(t)
	r.plant()
	ctx := t.Context()
	before, err := r.stories.Get(ctx, story.Ref{Desk: "notes", ID: "1"})
	r.check(err)
	one, err := r.erasures.Begin(ctx, Subject{Person, "山田　太郎"}, "ann", "asked")
	r.check(err)
	if one.Recovery != "2026-12-20T09:00:00.000Z" || one.Backups != "2027-01-24T09:00:00.000Z" || one.State != Scrubbing {
		t.Errorf("the receipt is %+v", one)
	}
	r.check(r.erasures.Run(ctx, nil))
	r.wantGone()
	after, err := r.stories.Get(ctx, story.Ref{Desk: "notes", ID: "1"})
	r.check(err)
	if after[0].Revision <= before[0].Revision || strings.Join(after[0].People, " ") != "鈴木花子" {
		t.Errorf("nobody was told: %+v", after[0])
	}
	if one, err = r.erasures.Get(ctx, one.ID); err != nil || one.State != Done || one.Changed < 8 {
		t.Errorf("%+v, %v", one, err)
	}
	// The register is enough to do it again, and has no name in it.
	text, err := os.ReadFile(r.register)
	r.check(err)
	if strings.Contains(string(text), "山田") {
		t.Errorf("the register tells: %s", text)
	}
	other := openRoom(t)
	other.plant()
	entries, err := ReadRegister(r.register)
	r.check(err)
	_, err = other.erasures.Apply(ctx, entries, nil)
	r.check(err)
	r.check(other.erasures.Adopt(ctx, entries))
	other.wantGone()
	if one, err := other.erasures.Get(ctx, one.ID); err != nil || one.State != Done {
		t.Errorf("after a restore: %+v, %v", one, err)
	}
	// What was published before is redacted when it comes again, and what is new is not.
	marks, err := r.erasures.Before(ctx, "2026-11-15T08:00:00.000Z")
	if err != nil || !marks.In(name) {
		t.Errorf("it may come again: %v", err)
	}
	if marks, err := r.erasures.Before(ctx, "2026-11-16T08:00:00.000Z"); err != nil || marks.In(name) {
		t.Errorf("news is redacted: %v", err)
	}
}

var many = flag.Int("stories", 60, "how many stories TestMany and TestKill erase a name from")

// fill publishes many stories with the name in them.
func (r *room) fill(n int) {
	r.t.Helper()
	ctx := context.Background()
	var all sync.WaitGroup
	next := make(chan int)
	for range 16 {
		all.Go(func() {
			for i := range next {
				text := fmt.Sprintf("第%d号。昨日、山田 太郎氏は述べた。%s", i, strings.Repeat("予算が成立した。", 100))
				n := &note{ID: fmt.Sprint(i), Text: text[:min(len(text), 900)], People: []string{name}}
				err := story.Transact(ctx, r.db, []model.Piece{r.notes.PutPiece(n)}, func() ([]model.Piece, error) { return r.stories.Publish(ctx, r.card(n), "") })
				if err == nil {
					_, err = r.objects.PutObject(ctx, &s3.PutObjectInput{Bucket: aws.String("notes"), Key: aws.String("notes/" + n.ID), Body: bytes.NewReader(zipped([]byte(text)))})
				}
				if err != nil {
					r.t.Error(err)
				}
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	all.Wait()
}

// A name in many stories is gone from all, and how long that took is told.
func TestMany(t *testing.T) {
	r := openRoom(t)
	ctx := t.Context()
	r.fill(*many)
	_, err := r.erasures.Begin(ctx, Subject{Person, name}, "ann", "asked")
	r.check(err)
	began := time.Now()
	r.check(r.erasures.Run(ctx, nil))
	t.Logf("%d stories in %s", *many, time.Since(began).Round(time.Millisecond))
	x := new(bytes.Buffer)
	r.check(r.erasures.Export(ctx, Subject{Person, name}, x))
	if text := x.String(); strings.Contains(text, "notes/") || strings.Contains(text, "Notes") {
		t.Errorf("it is still held: %.500s", text)
	}
}

func TestStory(t *testing.T) {
	r := openRoom(t)
	r.plant()
	ctx := t.Context()
	_, err := r.erasures.Begin(ctx, Subject{Story, "notes/1"}, "ann", "asked")
	r.check(err)
	if there, err := r.stories.Get(ctx, story.Ref{Desk: "notes", ID: "1"}); err != nil || len(there) != 0 {
		t.Errorf("it is still seen: %+v, %v", there, err)
	}
	r.check(r.erasures.Run(ctx, nil))
	raw := r.raw()
	if strings.Contains(raw, "昨日") || !strings.Contains(raw, "予算") || !strings.Contains(raw, name) {
		t.Errorf("%s", raw)
	}
	if gone, err := r.erasures.Gone(ctx, "notes/1"); err != nil || !gone {
		t.Errorf("it may come again: %v", err)
	}
	for _, wrong := range []Subject{{Story, "notes"}, {Story, "other/1"}, {Site, "x.example"}, {"", "x"}, {Person, "a"}} {
		if _, err := r.erasures.Begin(ctx, wrong, "ann", ""); !errors.Is(err, errs.Invalid) {
			t.Errorf("%+v: %v", wrong, err)
		}
	}
}

// Whichever write is the last before the process dies, the next one ends it.
func TestKilled(t *testing.T) {
	for _, what := range []Subject{{Person, name}, {Story, "notes/3"}} {
		for writes := 0; ; writes++ {
			r := openRoom(t)
			r.plant()
			ctx := t.Context()
			r.faulty.left = writes
			_, err := r.erasures.Begin(ctx, what, "ann", "asked")
			if err == nil {
				err = r.erasures.Run(ctx, nil)
			}
			if err != nil && !errors.Is(err, errDied) {
				t.Fatal(err)
			}
			r.faulty.left = -1
			recorded := 0
			next := r.open()
			for one, err := range next.All(ctx) {
				r.check(err)
				if recorded++; one.State == Done && what.Kind == Person {
					r.wantGone()
				}
			}
			if recorded == 0 {
				continue // whoever asked was told so, and asks again
			}
			r.check(next.Run(ctx, nil))
			if what.Kind == Person {
				r.wantGone()
			} else if raw := r.raw(); strings.Contains(raw, "notes/3") && strings.Contains(raw, "/notes/3:") {
				t.Fatalf("after %d writes: %s", writes, raw)
			}
			if entries, err := ReadRegister(r.register); err != nil || len(entries) != 1 {
				t.Fatalf("after %d writes the register has %v, %v", writes, entries, err)
			}
			if err == nil {
				break
			}
		}
	}
}

func TestRegister(t *testing.T) {
	path := filepath.Join(t.TempDir(), RegisterName)
	if _, err := ReadRegister(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no register: %v", err)
	}
	m := mark(t, name)
	for _, e := range []Entry{{ID: "1", Kind: Person, Mark: &m}, {ID: "2", Kind: Site, Site: "a.example"}, {ID: "2", Kind: Site, Site: "a.example"}} {
		if err := MergeRegister(path, []Entry{e}); err != nil {
			t.Fatal(err)
		}
	}
	all, err := ReadRegister(path)
	if err != nil || len(all) != 2 || !all[0].Mark.Same(name) || all[1].Site != "a.example" {
		t.Errorf("%+v, %v", all, err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for cut := range len(text) - 1 {
		if err := os.WriteFile(path, text[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadRegister(path); !errors.Is(err, errs.Invalid) {
			t.Fatalf("cut at %d of %d: %v", cut, len(text), err)
		}
	}
}

func TestVeil(t *testing.T) {
	r := openRoom(t)
	r.plant()
	answers := map[string][2]string{
		"/plain":  {"text/html", "<p>昨日、山田太郎氏</p>"},
		"/split":  {"text/html", "<p><mark>山田</mark>太郎氏</p>"},
		"/json":   {"application/json", `{"name":"\u5c71\u7530\u592a\u90ce"}`},
		"/other":  {"text/html", "<p>鈴木花子</p>"},
		"/image":  {"image/png", "山田太郎"},
		"/stream": {"text/event-stream", "data: 山田太郎\n\n"},
	}
	h := r.erasures.Veil(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.Header.Get("If-None-Match") != "" {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		a := answers[req.URL.Path]
		w.Header().Set("Content-Type", a[0])
		w.Header().Set("ETag", `"x"`)
		_, _ = io.WriteString(w, a[1])
		_ = http.NewResponseController(w).Flush()
	}))
	ask := func(path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		req := httptest.NewRequest("GET", path, nil)
		req.Header.Set("If-None-Match", `"x"`)
		h.ServeHTTP(w, req)
		return w
	}
	if w := ask("/plain"); w.Code != http.StatusNotModified {
		t.Errorf("before, it answers %d", w.Code)
	}
	_, err := r.erasures.Begin(t.Context(), Subject{Person, name}, "ann", "")
	r.check(err)
	for path, want := range map[string]string{"/plain": "<p>昨日、〔削除〕氏</p>", "/other": "<p>鈴木花子</p>", "/image": "山田太郎", "/stream": "data: 〔削除〕\n\n"} {
		if w := ask(path); w.Code != 200 || w.Body.String() != want || path == "/plain" && w.Header().Get("ETag") != "" {
			t.Errorf("%s: %d %s %v", path, w.Code, w.Body, w.Header())
		}
	}
	for _, path := range []string{"/split", "/json"} {
		if w := ask(path); w.Code != http.StatusServiceUnavailable || strings.Contains(w.Body.String(), "5c71") || strings.Contains(w.Body.String(), "太郎") {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
	r.check(r.erasures.Run(t.Context(), nil))
	if w := ask("/plain"); w.Code != http.StatusNotModified {
		t.Errorf("after, it answers %d", w.Code)
	}
}
