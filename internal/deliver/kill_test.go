package deliver_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/mail"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"pressroom/dynamo/wire"
	"pressroom/internal/deliver"
	"pressroom/internal/deliver/channel"
	letter "pressroom/internal/mail"
	"pressroom/internal/outbound"
	"pressroom/internal/story"
	"pressroom/model/modeltest"
)

var (
	deliveries = flag.Int("deliveries", 1200, "how many deliveries the test sends that kills processes")
	kills      = flag.Int("kills", 12, "how many processes it kills")
)

const processes = 4

// killedEnv tells a process that is killed where everything is.
const killedEnv = "PRESSROOM_TEST_DELIVER"

type outside struct{ Store, SMTP, HTTP string }

func TestMain(m *testing.M) {
	if where := os.Getenv(killedEnv); where != "" {
		var o outside
		err := json.Unmarshal([]byte(where), &o)
		if err == nil {
			err = o.sendUntilKilled()
		}
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func (o *outside) open() (*deliver.Ledger, error) {
	stores, named, _, err := modeltest.Place{Tables: o.Store, Name: "killed"}.Open(deliver.Schema)
	if err != nil {
		return nil, err
	}
	client, err := outbound.New(&outbound.Options{Allow: []string{"127.0.0.0/8"}, MaxRedirects: -1, MaxConns: 64})
	if err != nil {
		return nil, err
	}
	host := strings.TrimPrefix(o.HTTP, "http://")
	return deliver.New(stores.Tables, &deliver.Options{
		Table: named.Tables[0].Name, Lease: 2 * time.Second, Poll: 50 * time.Millisecond, Turn: time.Second, Parallel: 16,
		Channels: map[string]deliver.Channel{
			"mail":    {Sender: &channel.Mail{Line: &letter.Line{Server: &letter.Server{Addr: o.SMTP}}, From: mail.Address{Address: "news@example.org"}}},
			"webhook": {Sender: &channel.Hook{Client: client}},
			"chat":    {Sender: &channel.Hook{Client: client, Chat: true}},
		},
		Compose: func(_ context.Context, d *deliver.Delivery) (*deliver.Message, error) {
			to := d.Recipient + "@example.org"
			if d.Channel != "mail" {
				to = "http://" + host + "/" + d.Recipient
			}
			return &deliver.Message{To: to, Subject: d.Ref.ID, Text: "x", Payload: []byte("{}"), Secret: []byte("s")}, nil
		},
	})
}

func (o *outside) sendUntilKilled() error {
	l, err := o.open()
	if err != nil {
		return err
	}
	for { // as the newsroom does, after an error of the store too
		if err := l.Run(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, "begun again:", err)
		}
	}
}

// world is those who are sent something. They note what they took, and kill a process
// after so many.
type world struct {
	mu    sync.Mutex
	taken map[string]int
	left  int
	kill  func()
}

func (w *world) take(id string) {
	w.mu.Lock()
	w.taken[id]++
	w.left--
	now := w.left == 0
	w.mu.Unlock()
	if now {
		w.kill() // in the middle of sends: nobody has heard of this one yet
	}
}

func (w *world) Mail(string, *smtp.MailOptions) error { return nil }
func (w *world) Rcpt(string, *smtp.RcptOptions) error { return nil }
func (w *world) Reset()                               {}
func (w *world) Logout() error                        { return nil }

func (w *world) Data(r io.Reader) error {
	m, err := mail.ReadMessage(r)
	if err != nil {
		return err
	}
	id, _, _ := strings.Cut(strings.Trim(m.Header.Get("Message-Id"), "<>"), "@")
	w.take(id)
	return nil
}

func (w *world) ServeHTTP(_ http.ResponseWriter, r *http.Request) { w.take(r.Header.Get("Webhook-Id")) }

// Four processes send over all channels from one store, and are killed in the middle of
// their sends. Nothing is lost. Whatever was sent twice is doubtful in the ledger, and no
// kill makes more doubles than the process had sends under way.
func TestKill(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	ctx := t.Context()
	store := httptest.NewServer(wire.New(modeltest.OpenStores(t, nil).DB, nil))
	t.Cleanup(store.Close)
	w := &world{taken: map[string]int{}}
	hooks := httptest.NewServer(w)
	t.Cleanup(hooks.Close)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	office := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return w, nil }))
	office.Domain, office.ErrorLog = "here", log.New(io.Discard, "", 0)
	go func() { _ = office.Serve(listener) }()
	t.Cleanup(func() { _ = office.Close() })
	o := outside{Store: store.URL, SMTP: listener.Addr().String(), HTTP: hooks.URL}
	l, err := o.open()
	must(t, err)

	var mu sync.Mutex
	running, killed, over := map[int]*exec.Cmd{}, 0, false
	next := func() int { return 1 + *deliveries/(*kills+1) }
	w.left = next()
	w.kill = func() {
		mu.Lock()
		defer mu.Unlock()
		if killed == *kills || over {
			return
		}
		killed++
		for _, cmd := range running { // any one
			_ = cmd.Process.Kill()
			break
		}
		w.mu.Lock()
		w.left = next()
		w.mu.Unlock()
	}
	where, err := json.Marshal(o)
	must(t, err)
	var all sync.WaitGroup
	for n := range processes {
		all.Go(func() {
			for {
				cmd := exec.Command(os.Args[0], "-test.run=^$")
				cmd.Env = append(os.Environ(), killedEnv+"="+string(where))
				cmd.Stderr = os.Stderr
				mu.Lock()
				if over {
					mu.Unlock()
					return
				}
				err := cmd.Start()
				running[n] = cmd
				mu.Unlock()
				if err != nil {
					t.Error(err)
					return
				}
				var exit *exec.ExitError
				if err := cmd.Wait(); !errors.As(err, &exit) || exit.Exited() {
					t.Errorf("a process was not killed: %v", err)
				}
				mu.Lock()
				delete(running, n)
				mu.Unlock()
			}
		})
	}
	stop := func() {
		mu.Lock()
		over = true
		for _, cmd := range running {
			_ = cmd.Process.Kill()
		}
		mu.Unlock()
		all.Wait()
	}
	defer stop()

	// What is to be sent comes in while they work.
	began := time.Now()
	ways := []string{"mail", "webhook", "chat"}
	want := map[string]deliver.Delivery{}
	for added := 0; added < *deliveries; {
		var batch []deliver.Delivery
		for range min(500, *deliveries-added) {
			d := deliver.Delivery{Ref: story.Ref{Desk: "toys", ID: fmt.Sprint(added / 5000)}, Recipient: fmt.Sprint("reader-", added), Channel: ways[rand.IntN(len(ways))], Revision: 1, What: story.Published}
			want[d.ID()] = d
			batch = append(batch, d)
			added++
		}
		_, err := l.Add(ctx, batch...)
		must(t, err)
	}
	for begun := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		waiting, failed, _, err := l.Backlog(ctx, 1)
		must(t, err)
		if waiting == 0 {
			if failed != 0 {
				t.Error("some were given up")
			}
			break
		}
		if time.Since(begun) > time.Hour || t.Failed() {
			t.Fatal("the processes do not come to an end")
		}
	}
	took := time.Since(began)
	stop()

	w.mu.Lock()
	defer w.mu.Unlock()
	lost, doubles, doubtful := 0, 0, 0
	for id, d := range want {
		now, err := l.Get(ctx, &d)
		must(t, err)
		doubtful += now.Doubtful
		doubles += max(0, w.taken[id]-1)
		switch {
		case w.taken[id] == 0:
			lost++
		case w.taken[id] > 1+now.Doubtful:
			t.Errorf("%s was sent %d times, and the ledger says %+v", id, w.taken[id], now)
		case now.State != deliver.Sent:
			t.Errorf("%s ends as %+v", id, now)
		}
	}
	if lost > 0 || len(w.taken) != len(want) || doubles > killed*16 {
		t.Errorf("%d lost, %d sent, %d doubles after %d kills", lost, len(w.taken), doubles, killed)
	}
	if killed != *kills {
		t.Errorf("only %d processes were killed", killed)
	}
	t.Logf("%d deliveries by %d processes in %s, %d killed: %d lost, %d doubles, %d doubtful in the ledger", len(want), processes, took.Round(time.Second), killed, lost, doubles, doubtful)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
