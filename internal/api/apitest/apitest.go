// Package apitest opens an API for tests: the real door over the real tables and
// objects, in memory. Requests are sent as one of the roles.
//
// It promises that answers to keyed requests are kept, as in the program, and that
// nothing is rate-limited. Start with [Open].
package apitest

import (
	"encoding/json"
	"errors"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/cockroachdb/pebble/v2/vfs"

	"pressroom/blob"
	"pressroom/dynamo"
	"pressroom/internal/api"
	"pressroom/internal/auth"
	"pressroom/internal/front"
	"pressroom/internal/front/fronttest"
	"pressroom/internal/ops/replay"
	"pressroom/model"
	"pressroom/model/deploy"
)

// House is an API in memory, and who asks it: nobody in particular at first.
type House struct {
	API     *api.API
	Mux     *front.Mux
	DB      *dynamo.DB
	Objects *s3.Client
	Log     *slog.Logger // says nothing

	t    testing.TB
	base string
	as   *auth.Account
}

// Open returns a house on the stores of the schemas, for operations that are
// registered with its API. Paths are below base, such as /api/v1/blog. It is closed
// when the test ends.
func Open(t testing.TB, base string, schemas ...model.Schema) *House {
	t.Helper()
	h := &House{t: t, base: base, Log: slog.New(slog.DiscardHandler)}
	var err error
	h.DB, err = dynamo.OpenMemory(nil)
	Check(t, err)
	store, err := blob.Open("objects", &blob.Options{FS: vfs.NewMem(), SweepEvery: -1, Log: h.Log, Reserve: -1})
	Check(t, err)
	t.Cleanup(func() { Check(t, errors.Join(store.Close(), h.DB.Close())) })
	h.Objects = blob.Client(store)
	Check(t, deploy.Apply(t.Context(), deploy.Store{Tables: h.DB, Objects: h.Objects}, nil, append(schemas, replay.Schema)...))
	replays, err := replay.New(h.DB, nil)
	Check(t, err)
	unlimited := front.Rate{PerSecond: -1}
	h.Mux = front.New(&front.Options{Timeout: time.Hour, Log: h.Log, PerAddress: unlimited, PerAccount: unlimited})
	h.API = api.New(h.Mux, &api.Options{Log: h.Log, Replays: replays})
	return h
}

// As returns the house as an account asks it.
func (h *House) As(account *auth.Account) *House {
	as := *h
	as.as = account
	return &as
}

// Role returns the house as somebody of a role asks it, who is named after the
// role.
func (h *House) Role(r auth.Role) *House {
	return h.As(&auth.Account{ID: "id-" + r.String(), Name: r.String(), Role: r})
}

// Send sends a request to a path below the base, or to a whole one; headers are
// "Name: value".
func (h *House) Send(method, path, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, h.whole(path), strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		r.Header.Set(name, value)
	}
	if h.as != nil {
		r = r.WithContext(auth.With(r.Context(), h.as))
	}
	w := httptest.NewRecorder()
	h.Mux.ServeHTTP(w, r)
	return w
}

func (h *House) whole(path string) string {
	if strings.HasPrefix(path, "/api/") {
		return path
	}
	return h.base + path
}

// Ask sends a request and wants the status.
func (h *House) Ask(status int, method, path, body string, headers ...string) *httptest.ResponseRecorder {
	h.t.Helper()
	w := h.Send(method, path, body, headers...)
	if w.Code != status {
		h.t.Fatalf("%s %s: %d, want %d: %s", method, path, w.Code, status, w.Body)
	}
	return w
}

// Doors checks who may come in. For each role it is given the operations that need
// it, as "GET /posts|POST /posts"; all others are the API's own, if they are not
// below the base.
func (h *House) Doors(roles map[auth.Role]string) {
	h.t.Helper()
	table := map[string]auth.Role{}
	for _, r := range h.Mux.Routes() {
		if _, path, _ := strings.Cut(r.Pattern, " "); !strings.HasPrefix(path, h.base+"/") {
			table[r.Pattern] = r.Access
		}
	}
	for role, operations := range roles {
		for operation := range strings.SplitSeq(operations, "|") {
			method, path, _ := strings.Cut(operation, " ")
			table[method+" "+h.whole(path)] = role
		}
	}
	fronttest.Matrix(h.t, h.Mux, table)
}

// Read reads the body of an answer.
func Read[T any](t testing.TB, w *httptest.ResponseRecorder) T {
	t.Helper()
	var v T
	Check(t, json.Unmarshal(w.Body.Bytes(), &v))
	return v
}

// Check ends the test with an error.
func Check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
