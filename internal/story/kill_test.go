package story

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"pressroom/dynamo/wire"
	"pressroom/model"
	"pressroom/model/modeltest"
)

var kills = flag.Int("kills", 15, "how many processes are killed in the test that kills them")

// killedRole tells a process that is killed what it is, and killedPlace where its
// store is.
const killedRole, killedPlace = "PRESSROOM_TEST_KILLED_ROLE", "PRESSROOM_TEST_KILLED_PLACE"

func TestMain(m *testing.M) {
	if role := os.Getenv(killedRole); role != "" {
		var at modeltest.Place
		err := json.Unmarshal([]byte(os.Getenv(killedPlace)), &at)
		if err == nil {
			err = workUntilKilled(role, at)
		}
		fmt.Fprintln(os.Stderr, role, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

var killedRefs = []Ref{{"a", "1"}, {"a", "2"}, {"a", "3"}, {"b", "1"}, {"b", "2"}, {"b", "3"}}

// processAt is a process at a place.
func processAt(at modeltest.Place) (*process, error) {
	name := at.Name
	at.Name = name + "-toys"
	stores, toyStore, _, err := at.Open(toySchema)
	if err != nil {
		return nil, err
	}
	toys, err := model.NewRepo[toy](stores.Tables, &toyStore.Tables[0], "Toy", nil)
	if err != nil {
		return nil, err
	}
	at.Name = name + "-stories"
	if _, _, _, err = at.Open(Schema); err != nil {
		return nil, err
	}
	s, err := New(stores.Tables, &Options{Table: at.Name, Lease: time.Second, Poll: 20 * time.Millisecond})
	return &process{s, toys}, err
}

// workUntilKilled is a process of the newsroom: a desk, the relay, or a consumer.
func workUntilKilled(role string, at modeltest.Place) error {
	ctx := context.Background()
	p, err := processAt(at)
	if err != nil {
		return err
	}
	switch role {
	case "relay":
		return p.Relay(ctx)
	case "desk":
		for {
			ref, title := killedRefs[rand.IntN(len(killedRefs))], fmt.Sprint("Title ", rand.IntN(1000))
			switch rand.IntN(6) {
			case 0:
				err = p.hide(ctx, ref)
			case 1:
				err = p.retract(ctx, ref)
			case 2:
				err = p.show(ctx, card(ref, title), p.correct)
			default:
				err = p.show(ctx, card(ref, title), p.Publish)
			}
			if err != nil && !errors.Is(err, ErrWithdrawn) {
				return err
			}
		}
	}
	return p.Follow(ctx, Consumer{Name: role, Handle: func(ctx context.Context, entries []Entry) error {
		body, err := json.Marshal(entries)
		if err != nil {
			return err
		}
		answer, err := http.Post(at.Tables+"/told", "application/json", bytes.NewReader(body))
		if err != nil {
			return err
		}
		return answer.Body.Close()
	}})
}

// place is where processes of one role live, one after the other: a store of their own
// address, which kills the process that is there with one of its writes.
type place struct {
	role  string
	store http.Handler
	told  func(role string, entries []Entry)

	mu    sync.Mutex
	left  int // writes until the process is killed
	after bool
	kill  func()
}

func (s *place) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/told" {
		var entries []Entry
		if err := json.NewDecoder(r.Body).Decode(&entries); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		s.told(s.role, entries)
		return
	}
	s.mu.Lock()
	if target := r.Header.Get("X-Amz-Target"); strings.HasSuffix(target, ".UpdateItem") || strings.HasSuffix(target, ".TransactWriteItems") {
		s.left--
	}
	killed, after, kill := s.left <= 0, s.after, s.kill
	s.mu.Unlock()
	if !killed {
		s.store.ServeHTTP(w, r)
		return
	}
	if after { // it happened, and nobody hears of it
		s.store.ServeHTTP(httptest.NewRecorder(), r)
	}
	kill()
	panic(http.ErrAbortHandler)
}

// Processes are killed in the middle of their writes, before these have happened or
// after: desks, relays and consumers. What they leave is whole, and the consumers have
// heard everything, in order.
func TestKill(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	at := modeltest.NewPlace(t)
	var store http.Handler
	if modeltest.Foreign() {
		url, err := url.Parse(at.Tables)
		must(t, err)
		store = httputil.NewSingleHostReverseProxy(url)
	} else {
		store = wire.New(modeltest.OpenStores(t, nil).DB, nil)
		server := httptest.NewServer(store)
		t.Cleanup(server.Close)
		at = modeltest.Place{Tables: server.URL, Name: "killed"}
	}
	p, err := processAt(at)
	must(t, err)
	var mu sync.Mutex
	seen, killed, over := map[string]int64{}, 0, false
	told := func(role string, entries []Entry) {
		mu.Lock()
		defer mu.Unlock()
		for _, e := range entries {
			if e.Sequence > seen[role]+1 {
				t.Errorf("%s is told of %d after %d", role, e.Sequence, seen[role])
			}
			seen[role] = max(seen[role], e.Sequence)
		}
	}
	// begin reports how many writes a process has to live; false if no more is started.
	begin := func(role string) (int, bool) {
		mu.Lock()
		defer mu.Unlock()
		if killed++; killed <= *kills {
			return 5 + rand.IntN(40), true
		}
		return 1 << 30, !over && role != "desk"
	}
	var running sync.WaitGroup
	var all []*place
	for _, role := range []string{"desk", "desk", "relay", "relay", "search", "search", "follow"} {
		s := &place{role: role, store: store, told: told, kill: func() {}}
		all = append(all, s)
		server := httptest.NewServer(s)
		t.Cleanup(server.Close)
		here, err := json.Marshal(modeltest.Place{Tables: server.URL, Name: at.Name})
		must(t, err)
		running.Go(func() {
			for {
				lives, ok := begin(role)
				if !ok {
					return
				}
				cmd := exec.Command(os.Args[0], "-test.run=^$")
				cmd.Env = append(os.Environ(), killedRole+"="+role, killedPlace+"="+string(here))
				cmd.Stderr = os.Stderr
				s.mu.Lock()
				s.left, s.after, s.kill = lives, rand.IntN(2) == 0, func() { _ = cmd.Process.Kill() }
				err := cmd.Start()
				s.mu.Unlock()
				if err != nil {
					t.Error(err)
					return
				}
				var exit *exec.ExitError
				if err := cmd.Wait(); !errors.As(err, &exit) || exit.Exited() {
					t.Errorf("a process was not killed: %v", err)
					return
				}
			}
		})
	}
	done := func() bool {
		end, err := p.End(t.Context())
		must(t, err)
		lag, err := p.Lag(t.Context())
		must(t, err)
		mu.Lock()
		defer mu.Unlock()
		over = killed == *kills+len(all) && lag == 0 && seen["search"] == end && seen["follow"] == end
		return over
	}
	for begun := time.Now(); !done(); time.Sleep(20 * time.Millisecond) {
		if time.Since(begun) > 10*time.Minute || t.Failed() {
			t.Error("the processes do not come to an end")
			break
		}
	}
	mu.Lock()
	over = true
	mu.Unlock()
	for _, s := range all {
		s.mu.Lock()
		s.left = 0
		s.mu.Unlock()
	}
	running.Wait()
	if waiting := p.audit(t, killedRefs); waiting != 0 {
		t.Errorf("%d events wait", waiting)
	}
	if t.Logf("%d processes, %d events", killed, seen["follow"]); seen["follow"] == 0 {
		t.Error("nothing happened")
	}
}
