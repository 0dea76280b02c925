package model_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"pressroom/dynamo"
	"pressroom/model"
	"pressroom/model/deploy"
)

type book struct {
	ID      string `dynamodbav:"id"`
	Title   string `dynamodbav:"title"`
	State   string `dynamodbav:"state"`
	At      string `dynamodbav:"at"`
	Kind    string `dynamodbav:"kind"`
	Rank    int    `dynamodbav:"rank"`
	ISBN    string `dynamodbav:"isbn"`
	Version int    `dynamodbav:"version"`
	Good    *bool  `dynamodbav:"good"`
}

type page struct {
	ID     string `dynamodbav:"id"`
	Number int    `dynamodbav:"number"`
	Text   string `dynamodbav:"text"`
}

type lock struct {
	Name string `dynamodbav:"name"`
}

var options = &model.Options{CursorKey: []byte("0123456789abcdef0123456789abcdef")}

type library struct {
	db    *dynamo.DB
	table *model.Table
	books *model.Repo[book]
	pages *model.Repo[page]
	locks *model.Repo[lock]
}

func openLibrary(t testing.TB) *library {
	t.Helper()
	db, err := dynamo.OpenMemory(nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	s := model.Shelf()
	s.Buckets = nil
	if err := deploy.Apply(t.Context(), deploy.Store{Tables: db}, nil, s); err != nil {
		t.Fatal(err)
	}
	l := &library{db: db, table: &s.Tables[0]}
	l.books = must(model.NewRepo[book](db, l.table, "Book", options))
	l.pages = must(model.NewRepo[page](db, l.table, "Page", options))
	l.locks = must(model.NewRepo[lock](db, l.table, "Lock", nil))
	return l
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func check(t testing.TB, err, want error) {
	t.Helper()
	if !errors.Is(err, want) || want == nil && err != nil {
		t.Fatalf("error %v, want %v", err, want)
	}
}

func b1() *book {
	return &book{ID: "b1", Title: "One", State: "out", At: "2026-11-01T00:00:00.000Z", Kind: "novel", Rank: 3}
}

func id(name string) model.Values { return model.Values{"id": name} }

func TestPutGetDelete(t *testing.T) {
	l := openLibrary(t)
	ctx := t.Context()
	_, err := l.books.Get(ctx, id("b1"))
	check(t, err, model.ErrNotFound)
	b := b1()
	check(t, l.books.Put(ctx, b), nil)
	if b.Version != 1 {
		t.Errorf("the version is %d after a first put", b.Version)
	}
	got, err := l.books.Get(ctx, id("b1"))
	check(t, err, nil)
	if diff := cmp.Diff(*b, got); diff != "" {
		t.Error(diff)
	}
	check(t, l.books.Put(ctx, b1()), model.ErrExists)
	stale := got
	b.Title = "Two"
	check(t, l.books.Put(ctx, b), nil)
	check(t, l.books.Put(ctx, &stale), model.ErrStale)
	check(t, l.books.Create(ctx, b1()), model.ErrExists)
	check(t, l.books.Delete(ctx, id("b1"), expression.Name("title").Equal(expression.Value("One"))), model.ErrCondition)
	check(t, l.books.Delete(ctx, id("b1")), nil)
	check(t, l.books.Delete(ctx, id("b1")), nil)
	_, err = l.books.Get(ctx, id("b1"))
	check(t, err, model.ErrNotFound)
}

func TestStoredForm(t *testing.T) {
	l := openLibrary(t)
	check(t, l.pages.Put(t.Context(), &page{ID: "a#b", Number: 7, Text: "t"}), nil)
	out, err := l.db.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: &l.table.Name, Key: model.Raw{
		"PK": &types.AttributeValueMemberS{Value: "BOOK#a%23b"}, "SK": &types.AttributeValueMemberS{Value: "PAGE#0007"}}})
	check(t, err, nil)
	var names []string
	for name := range out.Item {
		names = append(names, name)
	}
	slices.Sort(names)
	// What the key alone holds is not stored a second time.
	if diff := cmp.Diff([]string{"PK", "SK", "schemaVersion", "text"}, names); diff != "" {
		t.Error(diff)
	}
	got, err := l.pages.Get(t.Context(), model.Values{"id": "a#b", "number": "7"})
	check(t, err, nil)
	if diff := cmp.Diff(page{ID: "a#b", Number: 7, Text: "t"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestUpdate(t *testing.T) {
	l := openLibrary(t)
	ctx := t.Context()
	title := expression.Set(expression.Name("title"), expression.Value("New"))
	_, err := l.books.Update(ctx, id("b1"), title)
	check(t, err, model.ErrNotFound)
	check(t, l.books.Put(ctx, b1()), nil)
	got, err := l.books.Update(ctx, id("b1"), title)
	check(t, err, nil)
	if got.Title != "New" || got.Version != 2 || got.State != "out" {
		t.Errorf("updated to %+v", got)
	}
	_, err = l.books.Update(ctx, id("b1"), title, expression.Name("title").Equal(expression.Value("Old")))
	check(t, err, model.ErrCondition)
	for name, u := range map[string]expression.UpdateBuilder{
		"state":   expression.Set(expression.Name("state"), expression.Value("in")),
		"rank":    expression.Add(expression.Name("rank"), expression.Value(1)),
		"isbn":    expression.Remove(expression.Name("isbn")),
		"GPK":     expression.Remove(expression.Name("GPK")),
		"version": expression.Set(expression.Name("title"), expression.Value("x")).Set(expression.Name("version"), expression.Value(1)),
	} {
		if _, err := l.books.Update(ctx, id("b1"), u); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("an update of %s: %v", name, err)
		}
	}
	// A member of a map may be called as a key's field is, and a key's field may be read.
	_, err = l.books.Update(ctx, id("b1"), expression.Set(expression.Name("good"), expression.Name("state")))
	if err == nil || strings.Contains(err.Error(), "keys are written") {
		t.Errorf("reading a key's field: %v", err) // it fails only because a text is no boolean
	}
}

func TestUpsert(t *testing.T) {
	l := openLibrary(t)
	ctx := t.Context()
	if _, err := l.books.Upsert(ctx, id("b1"), expression.Set(expression.Name("title"), expression.Value("x"))); err == nil {
		t.Error("an entity with index keys is upserted")
	}
	key := model.Values{"id": "b1", "number": "1"}
	for _, text := range []string{"first", "second"} {
		got, err := l.pages.Upsert(ctx, key, expression.Set(expression.Name("text"), expression.Value(text)))
		check(t, err, nil)
		if diff := cmp.Diff(page{ID: "b1", Number: 1, Text: text}, got); diff != "" {
			t.Error(diff)
		}
	}
}

func TestModifyConcurrently(t *testing.T) {
	l := openLibrary(t)
	ctx := t.Context()
	check(t, l.books.Put(ctx, b1()), nil)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 5 {
				_, err := l.books.Modify(ctx, id("b1"), func(b *book) error { b.Rank++; return nil })
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	got, err := l.books.Get(ctx, id("b1"))
	check(t, err, nil)
	if got.Rank != 3+20 || got.Version != 21 {
		t.Errorf("after 20 changes: rank %d, version %d", got.Rank, got.Version)
	}
	own := errors.New("own")
	_, err = l.books.Modify(ctx, id("b1"), func(*book) error { return own })
	check(t, err, own)
	if _, err := l.books.Modify(ctx, id("b1"), func(b *book) error { b.ID = "b2"; return nil }); err == nil {
		t.Error("a modified key is written")
	}
	if _, err := l.pages.Modify(ctx, model.Values{"id": "b1", "number": "1"}, func(*page) error { return nil }); err == nil {
		t.Error("an entity without a version is modified")
	}
}

func TestBatches(t *testing.T) {
	l := openLibrary(t)
	ctx := t.Context()
	var all []page
	var keys []model.Values
	for n := range 130 {
		all = append(all, page{ID: "b1", Number: n, Text: strconv.Itoa(n)})
		keys = append(keys, model.Values{"id": "b1", "number": strconv.Itoa(n)})
	}
	check(t, l.pages.BatchPut(ctx, all), nil)
	slices.Reverse(keys)
	got, err := l.pages.BatchGet(ctx, append(keys, keys[0], model.Values{"id": "none", "number": "1"}))
	check(t, err, nil)
	slices.Reverse(got)
	if diff := cmp.Diff(all, got); diff != "" {
		t.Error(diff)
	}
	check(t, l.pages.BatchDelete(ctx, keys[:129]), nil)
	left, err := l.pages.BatchGet(ctx, keys)
	check(t, err, nil)
	if len(left) != 1 || left[0].Number != 0 {
		t.Errorf("left: %v", left)
	}
	if err := l.books.BatchPut(ctx, []book{*b1()}); err == nil {
		t.Error("a batch writes over versions")
	}
}

// halfDeaf leaves half of each batch unprocessed.
type halfDeaf struct{ dynamo.API }

func (h halfDeaf) BatchWriteItem(ctx context.Context, in *dynamodb.BatchWriteItemInput, o ...func(*dynamodb.Options)) (*dynamodb.BatchWriteItemOutput, error) {
	left := map[string][]types.WriteRequest{}
	for name, all := range in.RequestItems {
		n := (len(all) + 1) / 2
		if rest := all[n:]; len(rest) > 0 {
			left[name] = rest
		}
		in = &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{name: all[:n]}}
	}
	out, err := h.API.BatchWriteItem(ctx, in, o...)
	if err == nil {
		out.UnprocessedItems = left
	}
	return out, err
}

func (h halfDeaf) BatchGetItem(ctx context.Context, in *dynamodb.BatchGetItemInput, o ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error) {
	left := map[string]types.KeysAndAttributes{}
	for name, all := range in.RequestItems {
		n := (len(all.Keys) + 1) / 2
		if rest := all.Keys[n:]; len(rest) > 0 {
			left[name] = types.KeysAndAttributes{Keys: rest}
		}
		in = &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{name: {Keys: all.Keys[:n]}}}
	}
	out, err := h.API.BatchGetItem(ctx, in, o...)
	if err == nil {
		out.UnprocessedKeys = left
	}
	return out, err
}

func TestUnprocessed(t *testing.T) {
	l := openLibrary(t)
	pages := must(model.NewRepo[page](halfDeaf{l.db}, l.table, "Page", nil))
	var all []page
	var keys []model.Values
	for n := range 30 {
		all = append(all, page{ID: "b1", Number: n, Text: "t"})
		keys = append(keys, model.Values{"id": "b1", "number": strconv.Itoa(n)})
	}
	check(t, pages.BatchPut(t.Context(), all), nil)
	got, err := pages.BatchGet(t.Context(), keys)
	check(t, err, nil)
	if diff := cmp.Diff(all, got); diff != "" {
		t.Error(diff)
	}
}

func TestTransact(t *testing.T) {
	l := openLibrary(t)
	ctx := t.Context()
	b := b1()
	check(t, model.Transact(ctx, l.db, l.books.CreatePiece(b), l.locks.CreatePiece(&lock{"l"}), l.pages.PutPiece(&page{ID: "b1", Number: 1, Text: "t"})), nil)
	if b.Version != 1 {
		t.Errorf("version %d", b.Version)
	}
	other := &book{ID: "b2", Title: "T", State: "in", At: "x", Kind: "k"}
	err := model.Transact(ctx, l.db, l.books.CreatePiece(other), l.locks.CreatePiece(&lock{"l"}))
	check(t, err, model.ErrExists)
	var failed *model.TransactionError
	if !errors.As(err, &failed) || !slices.Equal(failed.Pieces, []int{1}) || other.Version != 0 {
		t.Errorf("%v, version %d", err, other.Version)
	}
	_, err = l.books.Get(ctx, id("b2"))
	check(t, err, model.ErrNotFound)

	stale := *b
	check(t, l.books.Put(ctx, b), nil)
	check(t, model.Transact(ctx, l.db, l.books.PutPiece(&stale)), model.ErrStale)
	mine := errors.New("what the caller calls it")
	check(t, model.Transact(ctx, l.db, l.books.PutPiece(&stale).Means(mine)), mine)
	check(t, model.Transact(ctx, l.db, l.books.CheckPiece(id("none")), l.locks.DeletePiece(model.Values{"name": "l"})), model.ErrCondition)
	check(t, model.Transact(ctx, l.db,
		l.books.UpdatePiece(id("b1"), expression.Set(expression.Name("title"), expression.Value("T2")), expression.Name("version").Equal(expression.Value(2))),
		l.locks.DeletePiece(model.Values{"name": "l"})), nil)
	got, err := l.books.Get(ctx, id("b1"))
	check(t, err, nil)
	if got.Title != "T2" || got.Version != 3 {
		t.Errorf("%+v", got)
	}
	check(t, l.locks.Create(ctx, &lock{"l"}), nil)
	if err := model.Transact(ctx, l.db, l.books.PutPiece(&book{})); err == nil {
		t.Error("a piece without a key is written")
	}
	if err := model.Transact(ctx, l.db, make([]model.Piece, 101)...); err == nil {
		t.Error("101 pieces are written")
	}
}

func fillBooks(t testing.TB, l *library) {
	t.Helper()
	for n := range 8 {
		state := []string{"out", "in"}[n%2]
		b := &book{ID: fmt.Sprint("b", n), Title: fmt.Sprint("T", n), State: state, At: fmt.Sprintf("2026-%02d-01T00:00:00.000Z", n+1), Kind: "novel", Rank: n, ISBN: fmt.Sprint("978-", n)}
		check(t, l.books.Put(t.Context(), b), nil)
	}
}

// outBook is what the index of states holds of a book.
type outBook struct {
	ID    string `dynamodbav:"id"`
	Title string `dynamodbav:"title"`
	At    string `dynamodbav:"at"`
	State string `dynamodbav:"state"`
}

func TestViewRefusesWhatItLacks(t *testing.T) {
	l := openLibrary(t)
	must(model.NewView[outBook](l.db, l.table, "Out", nil))
	must(l.books.View("Ranked")) // fetched, so whole
	for name, err := range map[string]error{
		"projection":       second(model.NewView[book](l.db, l.table, "Out", nil)),
		"keys only":        second(l.books.View("RankedKeys")),
		"several entities": second(l.books.View("Whole")),
		"unknown":          second(l.books.View("None")),
		"other entity":     second(l.books.View("Pages")),
		"no struct":        second(model.NewView[int](l.db, l.table, "Out", nil)),
		"short key":        second(model.NewView[outBook](l.db, l.table, "Out", &model.Options{CursorKey: []byte("short")})),
		"type":             second(model.NewRepo[outBook](l.db, l.table, "Book", nil)),
		"no field": second(model.NewRepo[struct {
			Name  string `dynamodbav:"name"`
			Other string
		}](l.db, l.table, "Lock", nil)),
	} {
		if err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func ids[V any](t *testing.T, v *model.View[V], args model.Values, w model.Window, name func(V) string) string {
	t.Helper()
	var all []string
	for value, err := range v.All(t.Context(), args, w) {
		check(t, err, nil)
		all = append(all, name(value))
	}
	return strings.Join(all, " ")
}

func TestViews(t *testing.T) {
	l := openLibrary(t)
	fillBooks(t, l)
	for n := range 12 {
		check(t, l.pages.Put(t.Context(), &page{ID: "b1", Number: n, Text: "t"}), nil)
	}
	out := must(model.NewView[outBook](l.db, l.table, "Out", options))
	bookID := func(b book) string { return b.ID }
	outID := func(b outBook) string { return b.ID + b.State }
	for _, tt := range []struct{ got, want string }{
		{ids(t, out, nil, model.Window{}, outID), "b6out b4out b2out b0out"},
		{ids(t, out, nil, model.Window{From: "2026-03"}, outID), "b6out b4out b2out"},
		{ids(t, out, nil, model.Window{To: "2026-05"}, outID), "b4out b2out b0out"},
		{ids(t, out, nil, model.Window{From: "2026-03", To: "2026-06"}, outID), "b4out b2out"},
		{ids(t, must(l.books.View("Ranked")), model.Values{"kind": "novel"}, model.Window{}, bookID), "b7 b6 b5 b4 b3 b2 b1 b0"},
		{ids(t, must(l.books.View("Ranked")), model.Values{"kind": "novel"}, model.Window{From: "2", To: "4"}, bookID), "b4 b3 b2"},
		{ids(t, must(l.books.View("ByISBN")), model.Values{"isbn": "978-3"}, model.Window{}, bookID), "b3"},
		{ids(t, must(l.books.View("GetBook")), id("b5"), model.Window{}, bookID), "b5"},
		{ids(t, must(l.books.View("GetBook")), id("b9"), model.Window{}, bookID), ""},
		{ids(t, must(l.pages.View("Pages")), id("b1"), model.Window{From: "3", To: "5"}, func(p page) string { return p.ID + "/" + strconv.Itoa(p.Number) }), "b1/3 b1/4 b1/5"},
		{ids(t, must(model.NewView[model.Item](l.db, l.table, "Whole", nil)), id("b1"), model.Window{}, func(i model.Item) string {
			var p page
			if err := i.As(&p); err != nil {
				t.Error(err)
			}
			return i.Entity.Name + strconv.Itoa(p.Number)
		}), "Book0 Page0 Page1 Page2 Page3 Page4 Page5 Page6 Page7 Page8 Page9 Page10 Page11"},
	} {
		if tt.got != tt.want {
			t.Errorf("got %q, want %q", tt.got, tt.want)
		}
	}
	one, err := must(l.books.View("ByISBN")).One(t.Context(), model.Values{"isbn": "978-2"})
	check(t, err, nil)
	if one.ID != "b2" {
		t.Error(one)
	}
	_, err = must(l.books.View("ByISBN")).One(t.Context(), model.Values{"isbn": "none"})
	check(t, err, model.ErrNotFound)
	_, err = must(l.books.View("GetBook")).One(t.Context(), id("none"))
	check(t, err, model.ErrNotFound)
}

func TestItemsDoNotPretend(t *testing.T) {
	l := openLibrary(t)
	fillBooks(t, l)
	item, err := must(model.NewView[model.Item](l.db, l.table, "RankedKeys", nil)).One(t.Context(), model.Values{"kind": "novel"})
	check(t, err, nil)
	var keys struct {
		ID   string `dynamodbav:"id"`
		Rank int    `dynamodbav:"rank"`
	}
	if err := item.As(&keys); err != nil || keys.ID != "b0" || item.Raw["title"] != nil {
		t.Errorf("%+v, %v", keys, err)
	}
	if err := item.As(&book{}); err == nil {
		t.Error("an entry of keys is decoded into a whole book")
	}
	if err := item.As(book{}); err == nil {
		t.Error("an item is decoded into no pointer")
	}
}

func TestViewArguments(t *testing.T) {
	l := openLibrary(t)
	for name, run := range map[string]func() error{
		"missing": func() error { return first(must(l.books.View("Ranked")).All(t.Context(), nil, model.Window{})) },
		"empty":   func() error { return first(l.books.All(t.Context(), "Ranked", model.Values{"kind": ""})) },
		"unknown": func() error { return first(l.books.All(t.Context(), "Ranked", model.Values{"kind": "x", "rank": "1"})) },
		"fixed": func() error {
			return first(must(model.NewView[outBook](l.db, l.table, "Out", nil)).All(t.Context(), model.Values{"state": "in"}, model.Window{}))
		},
		"no bounds": func() error {
			return first(must(l.books.View("ByISBN")).All(t.Context(), model.Values{"isbn": "1"}, model.Window{From: "1"}))
		},
		"ends early": func() error {
			return first(must(l.pages.View("Pages")).All(t.Context(), id("b"), model.Window{From: "2", To: "1"}))
		},
		"no number": func() error {
			return first(must(l.pages.View("Pages")).All(t.Context(), id("b"), model.Window{From: "x"}))
		},
		"page of a get": func() error { return second(l.books.Page(t.Context(), "GetBook", id("b"), model.PageOptions{})) },
		"page without key": func() error {
			return second(must(model.NewView[outBook](l.db, l.table, "Out", nil)).Page(t.Context(), nil, model.PageOptions{}))
		},
		"pattern": func() error { return first(l.books.All(t.Context(), "None", nil)) },
	} {
		if err := run(); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func first[V any](seq func(func(V, error) bool)) error {
	for _, err := range seq {
		return err
	}
	return nil
}

func TestPages(t *testing.T) {
	l := openLibrary(t)
	fillBooks(t, l)
	ctx := t.Context()
	for _, limit := range []int{0, 1, 2, 4, 7, 8, 9} {
		var all []string
		o := model.PageOptions{Limit: limit}
		want := limit
		if limit == 0 {
			want = 3 // the pattern's own
		}
		for {
			p, err := l.books.Page(ctx, "Ranked", model.Values{"kind": "novel"}, o)
			check(t, err, nil)
			if len(p.Items) > want || len(p.Items) == 0 || p.Next != "" && len(p.Items) != want {
				t.Errorf("limit %d: a page of %d, next %q", limit, len(p.Items), p.Next)
			}
			for _, b := range p.Items {
				all = append(all, b.ID)
			}
			if o.Cursor = p.Next; p.Next == "" {
				break
			}
		}
		if got := strings.Join(all, " "); got != "b7 b6 b5 b4 b3 b2 b1 b0" {
			t.Errorf("limit %d: %s", limit, got)
		}
	}
	p, err := l.books.Page(ctx, "Ranked", model.Values{"kind": "none"}, model.PageOptions{})
	check(t, err, nil)
	if len(p.Items) != 0 || p.Next != "" {
		t.Errorf("an empty list: %+v", p)
	}
}

func TestCursors(t *testing.T) {
	l := openLibrary(t)
	fillBooks(t, l)
	ctx := t.Context()
	novels := model.Values{"kind": "novel"}
	p, err := l.books.Page(ctx, "Ranked", novels, model.PageOptions{})
	check(t, err, nil)
	again, err := l.books.Page(ctx, "Ranked", novels, model.PageOptions{})
	check(t, err, nil)
	if p.Next == "" || p.Next != again.Next {
		t.Errorf("the same place has the cursors %q and %q", p.Next, again.Next)
	}
	if strings.Contains(p.Next, "novel") || strings.Contains(p.Next, "b5") {
		t.Error("the cursor shows keys")
	}
	refused := func(name, pattern string, args model.Values, cursor string, w model.Window, repo *model.Repo[book]) {
		t.Helper()
		_, err := repo.Page(ctx, pattern, args, model.PageOptions{Cursor: cursor, Window: w})
		if !errors.Is(err, model.ErrCursor) {
			t.Errorf("%s: %v", name, err)
		}
	}
	refused("other arguments", "Ranked", model.Values{"kind": "other"}, p.Next, model.Window{}, l.books)
	refused("other pattern", "ByISBN", model.Values{"isbn": "novel"}, p.Next, model.Window{}, l.books)
	refused("other window", "Ranked", novels, p.Next, model.Window{From: "1"}, l.books)
	refused("no cursor", "Ranked", novels, "x", model.Window{}, l.books)
	refused("no base64", "Ranked", novels, "???", model.Window{}, l.books)
	other := must(model.NewRepo[book](l.db, l.table, "Book", &model.Options{CursorKey: []byte("another key of sixteen bytes")}))
	refused("other key", "Ranked", novels, p.Next, model.Window{}, other)
	for i := range len(p.Next) {
		changed := []byte(p.Next)
		changed[i] ^= 1
		refused("changed", "Ranked", novels, string(changed), model.Window{}, l.books)
	}
	refused("cut", "Ranked", novels, p.Next[:len(p.Next)-4], model.Window{}, l.books)
}

func FuzzCursor(f *testing.F) {
	db, err := dynamo.OpenMemory(nil)
	if err != nil {
		f.Fatal(err)
	}
	s := model.Shelf()
	s.Buckets = nil
	if err := deploy.Apply(f.Context(), deploy.Store{Tables: db}, nil, s); err != nil {
		f.Fatal(err)
	}
	books := must(model.NewRepo[book](db, &s.Tables[0], "Book", options))
	f.Add("abc")
	f.Add(strings.Repeat("A", 80))
	f.Fuzz(func(t *testing.T, cursor string) {
		_, err := books.Page(context.Background(), "Ranked", model.Values{"kind": "k"}, model.PageOptions{Cursor: cursor})
		if cursor != "" && !errors.Is(err, model.ErrCursor) {
			t.Fatalf("%q: %v", cursor, err)
		}
	})
}

// TestUpgradeOnRead writes an item as an older program did.
func TestUpgradeOnRead(t *testing.T) {
	l := openLibrary(t)
	table := *l.table
	table.Entities = slices.Clone(table.Entities)
	table.Entities[0].Upgrades = []model.Upgrade{{Touches: []string{"title"}, Do: model.ReplaceValue("title", "One", "Uno")}}
	check(t, l.books.Put(t.Context(), b1()), nil)
	books := must(model.NewRepo[book](l.db, &table, "Book", options))
	got, err := books.Get(t.Context(), id("b1"))
	check(t, err, nil)
	if got.Title != "Uno" {
		t.Errorf("read as %q", got.Title)
	}
	if _, err := model.NewView[outBook](l.db, &table, "Out", nil); err == nil {
		t.Error("a projection shows what only whole items can be upgraded to")
	}
	check(t, books.Put(t.Context(), &got), nil)
	if _, err := l.books.Get(t.Context(), id("b1")); err == nil {
		t.Error("an older program reads a newer item")
	}
}

func TestForeignItems(t *testing.T) {
	l := openLibrary(t)
	put := func(item model.Raw) {
		t.Helper()
		_, err := l.db.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &l.table.Name, Item: item})
		check(t, err, nil)
	}
	put(model.Raw{"PK": &types.AttributeValueMemberS{Value: "BOOK#b1"}, "SK": &types.AttributeValueMemberS{Value: "PAGE#x"}})
	if err := first(l.pages.All(t.Context(), "Pages", id("b1"))); err == nil {
		t.Error("an item of no entity is shown, or hidden")
	}
}

func TestFetchedItemsHaveToBeThere(t *testing.T) {
	l := openLibrary(t)
	fillBooks(t, l)
	moved := must(model.NewRepo[book](movingDB{l.db, l.table}, l.table, "Book", options))
	p, err := moved.Page(t.Context(), "Ranked", model.Values{"kind": "novel"}, model.PageOptions{Limit: 8})
	check(t, err, nil)
	var all []string
	for _, b := range p.Items {
		all = append(all, b.ID)
	}
	if got := strings.Join(all, " "); got != "b7 b6 b4 b2 b1 b0" {
		t.Error(got)
	}
}

// movingDB changes one item and deletes another between an index's answer and the
// reading of what is behind it.
type movingDB struct {
	dynamo.API
	table *model.Table
}

func (m movingDB) BatchGetItem(ctx context.Context, in *dynamodb.BatchGetItemInput, o ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error) {
	key := func(id string) model.Raw {
		return model.Raw{"PK": &types.AttributeValueMemberS{Value: "BOOK#" + id}, "SK": &types.AttributeValueMemberS{Value: "META"}}
	}
	if _, err := m.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: &m.table.Name, Key: key("b5")}); err != nil {
		return nil, err
	}
	if _, err := m.UpdateItem(ctx, &dynamodb.UpdateItemInput{TableName: &m.table.Name, Key: key("b3"), UpdateExpression: aws.String("SET kind = :k"),
		ExpressionAttributeValues: model.Raw{":k": &types.AttributeValueMemberS{Value: "poem"}}}); err != nil {
		return nil, err
	}
	return m.API.BatchGetItem(ctx, in, o...)
}

func ExampleRepo() {
	ctx := context.Background()
	db := must(dynamo.OpenMemory(nil))
	defer db.Close()
	s := model.Shelf()
	s.Buckets = nil
	if err := deploy.Apply(ctx, deploy.Store{Tables: db}, nil, s); err != nil {
		panic(err)
	}
	pages := must(model.NewRepo[page](db, &s.Tables[0], "Page", nil))
	for n := range 3 {
		if err := pages.Create(ctx, &page{ID: "faust", Number: n + 1, Text: "…"}); err != nil {
			panic(err)
		}
	}
	for p, err := range pages.All(ctx, "Pages", model.Values{"id": "faust"}) {
		if err != nil {
			panic(err)
		}
		fmt.Println(p.ID, p.Number)
	}
	// Output:
	// faust 1
	// faust 2
	// faust 3
}

// BenchmarkPage reads a page of eight whole items by an index.
func BenchmarkPage(b *testing.B) {
	l := openLibrary(b)
	fillBooks(b, l)
	b.ReportAllocs()
	for b.Loop() {
		p, err := l.books.Page(b.Context(), "Ranked", model.Values{"kind": "novel"}, model.PageOptions{Limit: 8})
		if err != nil || len(p.Items) != 8 {
			b.Fatal(len(p.Items), err)
		}
	}
}

// busyDB refuses writes of an item as Amazon's DynamoDB does while a transaction is at
// it, as often as busy says.
type busyDB struct {
	dynamo.API
	busy int
}

func (b *busyDB) refuse() error {
	if b.busy--; b.busy >= 0 {
		return &types.TransactionConflictException{}
	}
	return nil
}

func (b *busyDB) PutItem(ctx context.Context, in *dynamodb.PutItemInput, o ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error) {
	if err := b.refuse(); err != nil {
		return nil, err
	}
	return b.API.PutItem(ctx, in, o...)
}

func (b *busyDB) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, o ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	if err := b.refuse(); err != nil {
		return nil, err
	}
	return b.API.UpdateItem(ctx, in, o...)
}

func (b *busyDB) DeleteItem(ctx context.Context, in *dynamodb.DeleteItemInput, o ...func(*dynamodb.Options)) (*dynamodb.DeleteItemOutput, error) {
	if err := b.refuse(); err != nil {
		return nil, err
	}
	return b.API.DeleteItem(ctx, in, o...)
}

func TestWritesBesideTransactions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := openLibrary(t)
		busy := &busyDB{API: l.db}
		books := must(model.NewRepo[book](busy, l.table, "Book", nil))
		for _, write := range []func() error{
			func() error { return books.Create(t.Context(), b1()) },
			func() error {
				_, err := books.Update(t.Context(), id("b1"), expression.Set(expression.Name("title"), expression.Value("T2")))
				return err
			},
			func() error { return books.Delete(t.Context(), id("b1")) },
		} {
			busy.busy = 1000
			check(t, write(), model.ErrConflict)
			busy.busy = 3
			check(t, write(), nil)
		}
	})
}
