package deliver

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"pressroom/internal/errs"
	"pressroom/internal/story"
	"pressroom/model"
	"pressroom/model/modeltest"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// post is a channel that remembers what it took, by the ids of the messages.
type post struct {
	mu     sync.Mutex
	taken  map[string][]string // by recipient, texts
	ids    map[string]int
	answer func(m *Message) error // nil takes everything
}

func newPost() *post { return &post{taken: map[string][]string{}, ids: map[string]int{}} }

func (p *post) Send(_ context.Context, m *Message) error {
	if p.answer != nil {
		if err := p.answer(m); err != nil {
			return err
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.taken[m.To] = append(p.taken[m.To], m.Text)
	p.ids[m.ID]++
	return nil
}

func (p *post) got(to string) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.taken[to])
}

// room is a ledger with one channel, mail, whose letters say what happened to a story.
type room struct {
	*Ledger
	db    model.DB
	clock *modeltest.Clock
	post  *post
}

func plainly(_ context.Context, d *Delivery) (*Message, error) {
	return &Message{To: d.Recipient + "@example.org", Text: fmt.Sprintf("%s %s %d", d.What, d.Ref.ID, d.Revision)}, nil
}

var noon = time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)

func newRoom(t testing.TB, change func(*Options)) *room {
	t.Helper()
	r := &room{db: modeltest.OpenStores(t, nil, Schema).Tables, clock: modeltest.NewClock(noon), post: newPost()}
	r.Ledger = r.another(t, change)
	return r
}

// another is a ledger of another process on the same table.
func (r *room) another(t testing.TB, change func(*Options)) *Ledger {
	t.Helper()
	o := Options{Channels: map[string]Channel{"mail": {Sender: r.post}}, Compose: plainly, Now: r.clock.Now, Poll: 10 * time.Millisecond, Turn: time.Hour}
	if change != nil {
		change(&o)
	}
	l, err := New(r.db, &o)
	must(t, err)
	return l
}

func tell(recipient, id string, revision int) Delivery {
	return Delivery{Ref: story.Ref{Desk: "toys", ID: id}, Recipient: recipient, Channel: "mail", Revision: revision, What: story.Published}
}

func (r *room) get(t *testing.T, d Delivery) Delivery {
	t.Helper()
	now, err := r.Get(t.Context(), &d)
	must(t, err)
	return now
}

func TestOnce(t *testing.T) {
	r := newRoom(t, nil)
	first, second := tell("ann", "1", 1), tell("ben", "1", 1)
	added, err := r.Add(t.Context(), first, first, second)
	if must(t, err); added != 2 {
		t.Errorf("added %d of two", added)
	}
	must(t, r.Drain(t.Context()))
	added, err = r.Add(t.Context(), second, tell("ann", "1", 2), first)
	if must(t, err); added != 1 {
		t.Errorf("added %d, and one was new", added)
	}
	must(t, r.Drain(t.Context()))
	must(t, r.Drain(t.Context()))
	if diff := cmp.Diff(map[string][]string{"ann@example.org": {"published 1 1", "published 1 2"}, "ben@example.org": {"published 1 1"}}, r.post.taken); diff != "" {
		t.Error(diff)
	}
	if d := r.get(t, first); d.State != Sent || d.SentAt == "" || d.Attempts != 1 || d.Doubtful != 0 || d.Due != "" {
		t.Errorf("the ledger says %+v", d)
	}
	if _, err := r.Add(t.Context(), Delivery{Recipient: "ann"}); err == nil {
		t.Error("a delivery of nothing was written down")
	}
}

func TestRetries(t *testing.T) {
	r := newRoom(t, func(o *Options) { o.Tries = 4 })
	r.post.answer = func(*Message) error { return errors.New("451 come back\r\nlater") }
	d := tell("ann", "1", 1)
	_, err := r.Add(t.Context(), d)
	must(t, err)
	for attempt := 1; attempt <= 4; attempt++ {
		must(t, r.Drain(t.Context()))
		must(t, r.Drain(t.Context())) // which is too early
		now := r.get(t, d)
		if now.Attempts != attempt || now.Reason != "451 come back later" {
			t.Fatalf("attempt %d: %+v", attempt, now)
		}
		if due, _ := model.ParseTime(now.Due); now.State == Waiting && due.Sub(r.clock.Now()) < time.Minute/2<<(attempt-1) {
			t.Errorf("attempt %d is followed by one after %s", attempt, due.Sub(r.clock.Now()))
		}
		r.clock.Advance(time.Minute << (attempt - 1))
	}
	if now := r.get(t, d); now.State != Failed {
		t.Fatalf("not given up: %+v", now)
	}
	given, err := r.GivenUp(t.Context(), 10)
	if must(t, err); len(given) != 1 {
		t.Fatalf("%d were given up", len(given))
	}
	r.post.answer = nil
	if n, err := r.ReplayAll(t.Context(), "another"); n != 0 || err != nil {
		t.Errorf("replayed %d: %v", n, err)
	}
	if n, err := r.ReplayAll(t.Context(), given[0].ID()); n != 1 || err != nil {
		t.Errorf("replayed %d: %v", n, err)
	}
	must(t, r.Drain(t.Context()))
	if now := r.get(t, d); now.State != Sent || len(r.post.got("ann@example.org")) != 1 {
		t.Errorf("replayed: %+v", now)
	}
	if err := r.Replay(t.Context(), &d); !errors.Is(err, errs.Conflict) {
		t.Errorf("what was sent is replayed: %v", err)
	}
}

// An address that is dead gets nothing more, in whatever case it is written.
func TestSuppression(t *testing.T) {
	r := newRoom(t, func(o *Options) {
		o.Compose = func(ctx context.Context, d *Delivery) (*Message, error) {
			m, err := plainly(ctx, d)
			if d.Revision == 2 {
				m.To = strings.ToUpper(m.To)
			}
			return m, err
		}
	})
	r.post.answer = func(*Message) error { return &Refusal{Reason: "550 no such user", Dead: true} }
	_, err := r.Add(t.Context(), tell("ann", "1", 1))
	must(t, err)
	must(t, r.Drain(t.Context()))
	if d := r.get(t, tell("ann", "1", 1)); d.State != Failed || d.Attempts != 1 {
		t.Errorf("after a dead address: %+v", d)
	}
	r.post.answer = nil
	_, err = r.Add(t.Context(), tell("ann", "1", 2), tell("ben", "1", 2))
	must(t, err)
	must(t, r.Drain(t.Context()))
	if d := r.get(t, tell("ann", "1", 2)); d.State != Dropped || !strings.Contains(d.Reason, "no such user") {
		t.Errorf("to a suppressed address: %+v", d)
	}
	if r.get(t, tell("ben", "1", 2)).State != Sent {
		t.Error("another address is suppressed too")
	}
	for s, err := range r.Suppressions(t.Context(), "mail") {
		if must(t, err); s.Target != "ann@example.org" {
			t.Errorf("suppressed: %+v", s)
		}
	}
	must(t, r.Unsuppress(t.Context(), "mail", "Ann@example.org"))
	_, err = r.Add(t.Context(), tell("ann", "1", 3))
	must(t, err)
	must(t, r.Drain(t.Context()))
	if r.get(t, tell("ann", "1", 3)).State != Sent {
		t.Error("still suppressed")
	}
}

// Exactly those who got a story are told of its correction: also those of whom nobody
// knows whether they did, and those who had it in a digest.
func TestTell(t *testing.T) {
	ctx := t.Context()
	r := newRoom(t, func(o *Options) { o.Tries = 1 })
	r.post.answer = func(m *Message) error {
		switch m.To {
		case "failed@example.org":
			return errors.New("no")
		case "left@example.org":
			return &Unwanted{"the reader has left"}
		}
		return nil
	}
	_, err := r.Add(ctx, tell("got", "1", 1), tell("failed", "1", 1), tell("left", "1", 1), tell("other", "2", 1),
		Delivery{Ref: story.Ref{Desk: "toys", ID: "1"}, Recipient: "reads", Channel: Feed, Revision: 1, What: story.Published})
	must(t, err)
	for _, who := range []string{"digested", "omitted"} {
		ok, err := r.Gather(ctx, tell(who, "1", 1), "daily-1", noon)
		if must(t, err); !ok {
			t.Fatal("was not gathered")
		}
	}
	_, err = r.Gather(ctx, tell("gathered", "1", 1), "daily-2", noon.Add(time.Hour))
	must(t, err)
	omitted := tell("omitted", "1", 1)
	must(t, r.Drop(ctx, &omitted, "withdrawn"))
	must(t, r.Drain(ctx))
	_, err = r.Add(ctx, tell("waits", "1", 1))
	must(t, err)
	doubtful := tell("doubtful", "1", 1)
	_, err = r.Add(ctx, doubtful)
	must(t, err)
	d := r.get(t, doubtful)
	d.State = Sending
	must(t, r.deliveries.Put(ctx, &d))

	told, err := r.Tell(ctx, story.Event{Ref: story.Ref{Desk: "toys", ID: "1"}, Revision: 2, What: story.Corrected})
	must(t, err)
	var who []string
	for d, err := range r.About(ctx, story.Ref{Desk: "toys", ID: "1"}) {
		must(t, err)
		if d.Revision == 2 && d.What == story.Corrected {
			who = append(who, d.Recipient)
		}
	}
	slices.Sort(who)
	if diff := cmp.Diff([]string{"digested", "doubtful", "got", "reads"}, who); diff != "" || told != 4 {
		t.Errorf("%d were told: %s", told, diff)
	}
	// Once: whether the event is told again, or a withdrawal of what is known as such.
	must(t, r.Drain(ctx))
	e := story.Event{Ref: story.Ref{Desk: "toys", ID: "1"}, Revision: 3, What: story.Withdrawn}
	for range 2 {
		_, err = r.Tell(ctx, e)
		must(t, err)
	}
	must(t, r.Drain(ctx))
	e.Revision++
	again, err := r.Tell(ctx, e)
	if must(t, err); again != 0 {
		t.Errorf("%d are told again that it is gone", again)
	}
	if got := r.post.got("got@example.org"); !slices.Equal(got, []string{"published 1 1", "corrected 1 2", "withdrawn 1 3"}) {
		t.Errorf("got %q", got)
	}
}

func TestDigest(t *testing.T) {
	ctx := t.Context()
	r := newRoom(t, nil)
	var sent []string
	r.o.Compose = func(_ context.Context, d *Delivery) (*Message, error) {
		sent = d.Stories
		return &Message{To: d.Recipient}, nil
	}
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			if ok, err := r.Gather(ctx, tell("ann", fmt.Sprint(i%10), 1), "daily-1", noon.Add(time.Hour)); err != nil || ok && i > 100 {
				t.Error(err)
			}
		})
	}
	all.Wait()
	must(t, r.Drain(ctx))
	if len(r.post.taken) != 0 {
		t.Error("a digest went before its time")
	}
	r.clock.Advance(time.Hour)
	must(t, r.Drain(ctx))
	if n := len(r.post.got("ann")); n != 1 || len(sent) != 10 {
		t.Errorf("%d digests, the last of %d stories", n, len(sent))
	}
	if _, err := r.Gather(ctx, tell("ann", "late", 1), "daily-1", noon); !errors.Is(err, ErrClosed) {
		t.Errorf("a digest that was sent takes a story: %v", err)
	}
	if _, err := r.Get(ctx, &Delivery{Ref: story.Ref{Desk: "toys", ID: "late"}, Recipient: "ann", Channel: "mail", Revision: 1}); !errors.Is(err, model.ErrNotFound) {
		t.Errorf("and it is written down: %v", err)
	}
}

// A process that ends in the middle of a send leaves the delivery to the next one, which
// sends it again under the same id and says so.
func TestInterrupted(t *testing.T) {
	r := newRoom(t, nil)
	d := tell("ann", "1", 1)
	_, err := r.Add(t.Context(), d)
	must(t, err)
	ctx, end := context.WithCancel(t.Context())
	r.post.answer = func(m *Message) error {
		r.post.mu.Lock()
		r.post.ids[m.ID]++ // it was taken, and nobody hears of it
		r.post.mu.Unlock()
		end()
		return ctx.Err()
	}
	_ = r.Drain(ctx)
	if now := r.get(t, d); now.State != Sending {
		t.Fatalf("in the middle: %+v", now)
	}
	r.post.answer = nil
	must(t, r.another(t, nil).Drain(t.Context()))
	if now := r.get(t, d); now.State != Sent || now.Doubtful != 1 || now.Attempts != 2 {
		t.Errorf("after that: %+v", now)
	}
	if r.post.ids[d.ID()] != 2 || len(r.post.ids) != 1 {
		t.Errorf("ids: %v", r.post.ids)
	}
}

// Several processes at once send everything once.
func TestTogether(t *testing.T) {
	r := newRoom(t, func(o *Options) { o.Now = nil })
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var running sync.WaitGroup
	for range 4 {
		l := r.another(t, func(o *Options) { o.Turn, o.Now = 20*time.Millisecond, nil })
		running.Go(func() {
			if err := l.Run(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	want := map[string]int{}
	for i := range 12 {
		var all []Delivery
		for n := range 25 {
			d := tell(fmt.Sprint("reader-", i*25+n), "1", 1)
			want[d.ID()] = 1
			all = append(all, d)
		}
		_, err := r.Add(ctx, all...)
		must(t, err)
	}
	for begun := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		waiting, failed, _, err := r.Backlog(ctx, 2000)
		must(t, err)
		if waiting+failed == 0 {
			break
		}
		if time.Since(begun) > 5*time.Minute {
			t.Fatal("the processes do not come to an end")
		}
	}
	cancel()
	running.Wait()
	if !maps.Equal(want, r.post.ids) {
		t.Errorf("%d messages, and %d were wanted", len(r.post.ids), len(want))
	}
}

// A partition goes over when its holder is gone, whatever the clocks say, and never
// before.
func TestHandover(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, nil)
		a, b := r.another(t, nil), r.another(t, nil)
		a.o.Now = func() time.Time { return noon.AddDate(1, 0, 0) }
		b.o.Now = func() time.Time { return noon.AddDate(-1, 0, 0) }
		take := func(l *Ledger) bool {
			ok, err := l.hold(t.Context(), "3", func(context.Context) error { return nil })
			must(t, err)
			return ok
		}
		began, end, ended := make(chan bool), make(chan bool), make(chan bool)
		go func() {
			defer close(ended)
			ok, err := a.hold(t.Context(), "3", func(context.Context) error {
				close(began)
				<-end
				return nil
			})
			if !ok || err != nil {
				t.Error(ok, err)
			}
		}()
		<-began
		for range 100 { // a holder that lives keeps it
			if time.Sleep(a.o.Lease / 2); take(b) {
				t.Fatal("taken from its holder")
			}
		}
		close(end)
		<-ended
		if !take(b) {
			t.Error("not free after it was given back")
		}
		// One that dies says nothing.
		must(t, r.partitions.Put(t.Context(), &partition{Part: "3", Owner: "dead", Beat: 77}))
		if take(b) {
			t.Error("taken at first sight")
		}
		if time.Sleep(b.o.Lease - time.Second); take(b) {
			t.Error("taken before the lease was over")
		}
		if time.Sleep(time.Second); !take(b) {
			t.Error("not taken from the dead")
		}
	})
}

// What a process with a wrong clock put off until next year is not lost.
func TestClockJumps(t *testing.T) {
	r := newRoom(t, nil)
	wrong := r.another(t, func(o *Options) { o.Now = func() time.Time { return noon.AddDate(1, 0, 0) } })
	_, err := wrong.Add(t.Context(), tell("ann", "1", 1))
	must(t, err)
	r.post.answer = func(*Message) error { return errors.New("later") }
	_, err = r.Add(t.Context(), tell("ben", "1", 1))
	must(t, err)
	must(t, wrong.Drain(t.Context()))
	r.post.answer = nil
	must(t, r.Drain(t.Context()))
	for _, who := range []string{"ann", "ben"} {
		if d := r.get(t, tell(who, "1", 1)); d.State != Sent {
			t.Errorf("%+v", d)
		}
	}
	// What is due within days is left alone.
	next := tell("ann", "2", 1)
	next.Due = model.FormatTime(noon.AddDate(0, 0, 8))
	_, err = r.Add(t.Context(), next)
	must(t, err)
	must(t, r.Drain(t.Context()))
	if d := r.get(t, next); d.State != Waiting {
		t.Errorf("%+v", d)
	}
}

// A recipient that does not answer is asked once a turn, and keeps nobody else waiting.
func TestTrouble(t *testing.T) {
	r := newRoom(t, nil)
	asked := 0
	r.post.answer = func(m *Message) error {
		if m.To != "dead@example.org" {
			return nil
		}
		asked++
		return context.DeadlineExceeded
	}
	var all []Delivery
	for i := range 20 {
		all = append(all, tell("dead", fmt.Sprint(i), 1), tell("ann", fmt.Sprint(i), 1))
	}
	_, err := r.Add(t.Context(), all...)
	must(t, err)
	must(t, r.Drain(t.Context()))
	if n := len(r.post.got("ann@example.org")); asked != 1 || n != 20 {
		t.Errorf("asked %d times; %d to another", asked, n)
	}
	r.post.answer = nil
	r.clock.Advance(time.Hour)
	must(t, r.Drain(t.Context()))
	if n := len(r.post.got("dead@example.org")); n != 20 {
		t.Errorf("%d in the end", n)
	}
}

// The limit of a channel holds over all parts together.
func TestLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t, nil)
		var all []Delivery
		for i := range 320 {
			all = append(all, tell(fmt.Sprint("reader-", i), "1", 1))
		}
		_, err := r.Add(t.Context(), all...)
		must(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		l := r.another(t, func(o *Options) { o.Channels = map[string]Channel{"mail": {Sender: r.post, PerSecond: 16}} })
		ended := make(chan error)
		go func() { ended <- l.Run(ctx) }()
		time.Sleep(5*time.Second + time.Millisecond)
		r.post.mu.Lock()
		n := len(r.post.ids)
		r.post.mu.Unlock()
		if n > 16*6 || n < 16*3 {
			t.Errorf("%d in five seconds", n)
		}
		cancel()
		must(t, <-ended)
	})
}

// Whom a forgotten story was sent to stays on record; its title does not.
func TestForget(t *testing.T) {
	r := newRoom(t, nil)
	ctx := t.Context()
	for _, id := range []string{"robot", "other"} {
		for i := range 20 { // in many partitions
			d := tell(fmt.Sprint("reader", i), id, 1)
			d.Title = "A " + id
			_, err := r.Add(ctx, d)
			must(t, err)
		}
	}
	must(t, r.Forget(ctx, story.Ref{Desk: "toys", ID: "robot"}, "[erased]"))
	for id, want := range map[string]string{"robot": "[erased]", "other": "A other"} {
		n := 0
		for d, err := range r.About(ctx, story.Ref{Desk: "toys", ID: id}) {
			if must(t, err); d.Title != want || d.State != Waiting {
				t.Errorf("%s: %+v", id, d)
			}
			n++
		}
		if n != 20 {
			t.Errorf("%s was sent to %d", id, n)
		}
	}
}
