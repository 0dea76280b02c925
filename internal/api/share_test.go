package api

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pressroom/dynamo"
	"pressroom/internal/auth"
	"pressroom/internal/front"
)

type counted struct {
	N int `json:"n"`
}

func TestShare(t *testing.T) {
	quiet := slog.New(slog.DiscardHandler)
	unlimited := front.Rate{PerSecond: -1}
	h := &house{mux: front.New(&front.Options{Log: quiet, PerAddress: unlimited, PerAccount: unlimited})}
	var clock atomic.Int64
	db, err := dynamo.OpenMemory(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	a := New(h.mux, &Options{Log: quiet, Track: db.Track, Now: func() time.Time { return time.UnixMilli(clock.Load()) }})
	var made atomic.Int64
	gate := make(chan struct{})
	Get(a, "/shelf/count", auth.Everyone, Op{ID: "count", Summary: "How often it was made", Share: time.Second},
		func(_ context.Context, in *struct {
			Fail bool `query:"fail"`
			Wait bool `query:"wait"`
			Key  int  `query:"key"`
		}) (*counted, error) {
			n := int(made.Add(1))
			if in.Wait {
				<-gate
			}
			if in.Fail {
				return nil, errors.New("no")
			}
			return &counted{n}, nil
		})
	get := func(query string) string { return h.ask("GET", "/api/v1/shelf/count"+query, "").Body.String() }
	expect := func(what, got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("%s: %s, want %s", what, got, want)
		}
	}
	expect("first", get(""), `{"n":1}`)
	expect("at once", get(""), `{"n":1}`)
	expect("another address", get("?key=1"), `{"n":2}`)
	h.as = &auth.Account{ID: "ann", Role: auth.Reader}
	expect("signed in", get(""), `{"n":3}`)
	h.as = nil
	clock.Add(999)
	expect("just in time", get(""), `{"n":1}`)
	tag := h.ask("GET", "/api/v1/shelf/count", "").Header().Get("ETag")
	if w := h.ask("GET", "/api/v1/shelf/count", "", "If-None-Match: "+tag); w.Code != 304 {
		t.Errorf("a shared answer that one has: %d", w.Code)
	}
	clock.Add(1)
	expect("later", get(""), `{"n":4}`)
	for range 2 {
		if w := h.ask("GET", "/api/v1/shelf/count?fail=true", ""); w.Code != 500 {
			t.Errorf("a failure: %d", w.Code)
		}
	}
	if n := made.Load(); n != 6 {
		t.Errorf("made %d times, want 6: failures are not shared", n)
	}
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() { expect("a crowd", get("?wait=true"), `{"n":7}`) })
	}
	for made.Load() < 7 {
		time.Sleep(time.Millisecond)
	}
	close(gate)
	all.Wait()
	for i := range 2 * maxShared {
		get("?key=" + strconv.Itoa(i))
	}
	for _, o := range a.ops {
		if o.shared != nil && o.shared.Len() > maxShared {
			t.Errorf("%d answers are kept", o.shared.Len())
		}
	}
}
