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
	"pressroom/internal/front"
	"pressroom/model/deploy"
)

// TestServeLoad is no test: with PRESSROOM_LOAD set it serves accounts, kept on
// disk and listed by an operator with a token, until its standard input ends. The
// load test of .ci asks it from another process. Its first line of output is the
// list's address and the header that opens it.
func TestServeLoad(t *testing.T) {
	if os.Getenv("PRESSROOM_LOAD") == "" {
		t.Skip("PRESSROOM_LOAD is not set")
	}
	h, bearer := openLoad(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	srv := &http.Server{Handler: h, ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = srv.Serve(listener) }()
	fmt.Printf("http://%s/api/v1/users?limit=20,Authorization: Bearer %s\n", listener.Addr(), bearer)
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		t.Error(err)
	}
	if err := srv.Close(); err != nil {
		t.Error(err)
	}
}

// openLoad returns an API over 500 accounts on disk, and an operator's token.
func openLoad(t testing.TB) (http.Handler, string) {
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
	if err := deploy.Apply(ctx, deploy.Store{Tables: db}, nil, auth.Schema); err != nil {
		t.Fatal(err)
	}
	accounts, err := auth.New(db, &auth.Options{Password: auth.PasswordCost{Memory: 8, Time: 1, Threads: 1}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 500 {
		if _, err := accounts.Add(ctx, auth.NewAccount{Name: fmt.Sprintf("reader%03d", i), Email: fmt.Sprintf("reader%03d@example.org", i), Role: auth.Reader, Password: "correct horse battery"}); err != nil {
			t.Fatal(err)
		}
	}
	operator, err := accounts.Add(ctx, auth.NewAccount{Name: "operator", Password: "correct horse battery", Role: auth.Operator})
	if err != nil {
		t.Fatal(err)
	}
	secret, _, err := accounts.AddToken(ctx, operator.ID, auth.NewToken{Name: "load", Scopes: []auth.Scope{"admin"}})
	if err != nil {
		t.Fatal(err)
	}
	unlimited := front.Rate{PerSecond: -1}
	quiet := slog.New(slog.DiscardHandler)
	mux := front.New(&front.Options{Authenticate: accounts.Authenticate, Log: quiet, PerAddress: unlimited, PerAccount: unlimited})
	New(mux, &Options{Auth: accounts, Log: quiet})
	return mux, secret
}
