package api

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"testing"
	"time"

	"pressroom/dynamo"
	"pressroom/internal/auth"
	"pressroom/internal/errs"
	"pressroom/internal/front"
	"pressroom/model"
	"pressroom/model/deploy"
)

// TestServeLoad is no test: with PRESSROOM_LOAD set it serves posts, kept on disk,
// until its standard input ends. The load test of .ci asks it from another
// process. Its first line of output is the list's address.
func TestServeLoad(t *testing.T) {
	if os.Getenv("PRESSROOM_LOAD") == "" {
		t.Skip("PRESSROOM_LOAD is not set")
	}
	h := openLoad(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	srv := &http.Server{Handler: h, ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = srv.Serve(listener) }()
	fmt.Printf("http://%s%s\n", listener.Addr(), loadList)
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		t.Error(err)
	}
	if err := srv.Close(); err != nil {
		t.Error(err)
	}
}

const (
	loadList  = "/api/v1/desk/posts?limit=20"
	loadFront = "/api/v1/desk/front?limit=20"
)

// loadPost has the fields that the other side's records have.
type loadPost struct {
	ID      string `dynamodbav:"id" json:"id"`
	Title   string `dynamodbav:"title" json:"title"`
	Summary string `dynamodbav:"summary" json:"summary"`
	State   string `dynamodbav:"state" json:"state"`
	Version int    `dynamodbav:"version" json:"version"`
	Created string `dynamodbav:"created" json:"created_at"`
	Updated string `dynamodbav:"updated" json:"updated_at"`
}

// loadTable is a desk's usual table: items by id, and by state and time in an
// index.
var loadTable = model.Table{
	Name: "posts", PK: model.Key{Name: "pk"}, RecoveryDays: 35,
	Indexes: []model.Index{{Name: "ByState", PK: model.Key{Name: "GSI1PK"}, SK: model.Key{Name: "GSI1SK"}, Projection: model.All}},
	Entities: []model.Entity{{
		Name: "Post", PK: "POST#{id}", Keys: []model.IndexKey{{Index: "ByState", PK: "STATE#{state}", SK: "{created}#{id}"}},
		Fields: []model.Field{
			{Name: "id"}, {Name: "title"}, {Name: "summary"}, {Name: "state"}, {Name: "version", Kind: model.Number},
			{Name: "created", Kind: model.Time}, {Name: "updated", Kind: model.Time},
		},
	}},
	Patterns: []model.Pattern{{Name: "Published", Op: model.Query, Index: "ByState", Yields: []string{"Post"}, By: []string{"state"}, Desc: true, Order: "created", Limit: 20}},
}

// openLoad returns an API, behind the whole door, over 500 posts on disk.
func openLoad(t testing.TB) http.Handler {
	t.Helper()
	ctx := context.Background()
	db, err := dynamo.Open(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	schema := model.Schema{Name: "desk", Tables: []model.Table{loadTable}}
	if err := deploy.Apply(ctx, deploy.Store{Tables: db}, nil, schema, auth.Schema); err != nil {
		t.Fatal(err)
	}
	options := &model.Options{CursorKey: []byte("0123456789abcdef")}
	repo, err := model.NewRepo[loadPost](db, &schema.Tables[0], "Post", options)
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)
	for i := range 500 {
		at := model.FormatTime(begin.Add(time.Duration(i) * time.Minute))
		p := loadPost{
			ID: fmt.Sprintf("post%011d", i), Title: fmt.Sprintf("Post %d of the newsroom", i), State: "published", Version: i, Created: at, Updated: at,
			Summary: "A short, plain account of what was said, with the source one click away, so that everyone can look for themselves.",
		}
		if err := repo.Put(ctx, &p); err != nil {
			t.Fatal(err)
		}
	}
	view, err := model.NewView[loadPost](db, &schema.Tables[0], "Published", options)
	if err != nil {
		t.Fatal(err)
	}
	accounts, err := auth.New(db, nil)
	if err != nil {
		t.Fatal(err)
	}
	unlimited := front.Rate{PerSecond: -1}
	quiet := slog.New(slog.DiscardHandler)
	mux := front.New(&front.Options{Authenticate: accounts.Authenticate, Log: quiet, PerAddress: unlimited, PerAccount: unlimited})
	a := New(mux, &Options{Auth: accounts, Log: quiet, Track: db.Track})
	list := func(ctx context.Context, in *struct{ Page }) (*List[loadPost], error) {
		page, err := view.Page(ctx, model.Values{"state": "published"}, model.PageOptions{Limit: in.Limit, Cursor: in.Cursor})
		if err != nil {
			return nil, errs.Wrap(err, errs.Malformed, "The list cannot be read.")
		}
		return &List[loadPost]{Items: page.Items, NextCursor: page.Next}, nil
	}
	Get(a, "/desk/posts", auth.Everyone, Op{ID: "listPosts", Summary: "Posts, the newest first"}, list)
	Get(a, "/desk/front", auth.Everyone, Op{ID: "listFront", Summary: "The same, shared for a second", Share: time.Second}, list)
	return mux
}
