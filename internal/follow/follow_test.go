package follow

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pressroom/dynamo"
	"pressroom/internal/deliver"
	"pressroom/internal/errs"
	"pressroom/internal/search/text"
	"pressroom/internal/story"
	"pressroom/internal/story/storytest"
	"pressroom/model"
	"pressroom/model/deploy"
	"pressroom/model/modeltest"
)

// post takes letters and webhooks.
type post struct {
	mu    sync.Mutex
	taken []*deliver.Message
}

func (p *post) Send(_ context.Context, m *deliver.Message) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.taken = append(p.taken, m)
	return nil
}

// subjects returns what was taken since the last call, by whom and sorted.
func (p *post) subjects() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []string
	for _, m := range p.taken {
		all = append(all, m.To+" "+m.Subject)
	}
	p.taken = nil
	slices.Sort(all)
	return all
}

// newsroom is a desk, those who follow it, and the post.
type newsroom struct {
	*Follows
	t       *testing.T
	stories *storytest.Stories
	desk    *storytest.Desk
	ledger  *deliver.Ledger
	matcher *Matcher
	post    *post
	clock   *modeltest.Clock
}

var noon = time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC) // a Monday

func open(t *testing.T) *newsroom {
	t.Helper()
	s := storytest.Open(t)
	must(t, deploy.Apply(t.Context(), deploy.Store{Tables: s.DB}, nil, Schema, deliver.Schema))
	n := &newsroom{t: t, stories: s, desk: s.Desk("toys"), post: &post{}, clock: modeltest.NewClock(noon)}
	var err error
	n.Follows, err = New(s.DB, &Options{Now: n.clock.Now})
	must(t, err)
	c := &Composer{Follows: n.Follows, Stories: s.Stories, Ledger: func() *deliver.Ledger { return n.ledger }, Name: "Newsroom", Base: "https://news.example"}
	n.ledger, err = deliver.New(s.DB, &deliver.Options{
		Channels: map[string]deliver.Channel{"mail": {Sender: n.post}, "webhook": {Sender: n.post}, "push": {Sender: service{}}}, Compose: c.Compose, Ended: n.Ended, Now: n.clock.Now, Turn: time.Hour,
	})
	must(t, err)
	n.matcher = &Matcher{Follows: n.Follows, Ledger: n.ledger, Stories: s.Stories, Load: func(ctx context.Context, ref story.Ref) (story.Text, error) { return n.desk.Load(ctx, ref.ID) }}
	return n
}

// reader is somebody whose address is confirmed, and who is told at once.
func (n *newsroom) reader(name string, subjects ...Subject) Reader {
	n.t.Helper()
	ctx := n.t.Context()
	var r Reader
	for _, s := range subjects {
		token, err := n.Request(ctx, Ask{Address: name + "@example.org", From: name, Subject: s, Language: "en"})
		must(n.t, err)
		r, err = n.Confirm(ctx, token)
		must(n.t, err)
	}
	r, err := n.Change(ctx, r.ID, func(r *Reader) error { r.Pace = AtOnce; return nil })
	must(n.t, err)
	return r
}

// told lets everything happen that is due, and returns what was sent.
func (n *newsroom) told() []string {
	n.t.Helper()
	ctx := n.t.Context()
	must(n.t, n.stories.RelayOnce(ctx))
	must(n.t, n.stories.CatchUp(ctx, n.matcher.Consumer()))
	must(n.t, n.ledger.Drain(ctx))
	return n.post.subjects()
}

func (n *newsroom) want(want ...string) {
	n.t.Helper()
	if diff := cmp.Diff(want, n.told()); diff != "" {
		n.t.Error(diff)
	}
}

func toy(id, title string, people ...string) story.Text {
	return story.Text{Body: "the body of " + title, Story: story.Story{Ref: story.Ref{ID: id}, Title: title, Language: "en", People: people, Topics: []string{"Toys"}}}
}

// From a follow to the letter, its correction, its withdrawal and the end.
func TestFollow(t *testing.T) {
	n := open(t)
	ctx := t.Context()
	ann := n.reader("ann", Subject{Kind: Person, Name: "Ｙａｍａｄａ  Taro"}, Subject{Kind: Topic, Name: "toys"})
	n.reader("ben", Subject{Kind: Committee, Name: "予算委員会"})
	n.reader("eve", Subject{Kind: Person, Name: "Somebody else"})
	must(t, n.Follow(ctx, ann.ID, Subject{}, "boats", &Search{Text: `"paper boat" -plane`, Desks: []string{"toys"}}))
	n.desk.Put(t, toy("1", "A car", "yamada taro"))
	n.want("ann@example.org New: A car") // once, though two of her subjects fit
	n.want()
	with := toy("2", "A train")
	with.Topics, with.Subjects = nil, []story.Subject{{Kind: Committee, Name: "予算委員会"}}
	n.desk.Put(t, with)
	n.want("ben@example.org New: A train")
	boat := toy("3", "A paper boat")
	boat.Topics = nil
	n.desk.Put(t, boat)
	n.want("ann@example.org New: A paper boat")
	// A change is news to those alone who have not heard of the story.
	boat.Subjects = with.Subjects
	n.desk.Put(t, boat)
	n.want("ben@example.org Updated: A paper boat")
	// A correction goes to those who got it; it is what the letter says.
	boat.Title = "A tin boat"
	pieces, err := n.stories.Correct(ctx, withDesk(boat), story.Word{By: "an editor", Reason: "wrong"})
	must(t, err)
	must(t, model.Transact(ctx, n.stories.DB, pieces...))
	n.want("ann@example.org Correction: A tin boat", "ben@example.org Correction: A tin boat")
	old := toy("4", "An old car", "yamada taro")
	old.Published = "2020-01-01T00:00:00.000Z"
	n.desk.Put(t, old)
	n.want() // history is no news
	must(t, n.Leave(ctx, ann.ID))
	n.desk.TakeBack(t, "3")
	n.want("ben@example.org Withdrawn: A paper boat") // as it was called when he first got it
	if _, err := n.Reader(ctx, ann.ID); !errors.Is(err, errs.NotFound) {
		t.Errorf("she has left: %v", err)
	}
	n.reader("ann", Subject{Kind: Topic, Name: "other"}) // and can come back
}

// A newsletter reaches each who wants newsletters and follows its segment once, as its
// stories are then; also if the process that mails it died on the way.
func TestNewsletter(t *testing.T) {
	n := open(t)
	ctx := t.Context()
	news, toys := Subject{Kind: Newsletter, Name: Newsletter}, Subject{Kind: Committee, Name: "Toys"}
	n.reader("ann", news, toys)
	n.reader("ben", news)
	n.reader("eve", toys)
	left := n.reader("leo", news, toys)
	for _, id := range []string{"1", "2", "3"} {
		text := toy(id, "Story "+id)
		text.Published = "2020-01-01T00:00:00.000Z" // of which nobody is told otherwise
		n.desk.Put(t, text)
	}
	n.want()
	if _, err := n.NewLetter(ctx, Letter{Title: " "}); !errors.Is(err, errs.Invalid) {
		t.Errorf("without a title: %v", err)
	}
	l, err := n.NewLetter(ctx, Letter{Title: "The week", Intro: "Hello\n\nreaders", Segment: []Subject{toys}})
	must(t, err)
	if _, err := n.Schedule(ctx, l.ID, "ed", noon); !errors.Is(err, errs.Invalid) {
		t.Errorf("without stories: %v", err)
	}
	_, err = n.ChangeLetter(ctx, l.ID, func(l *Letter) error { l.Stories = []string{"toys/2", "toys/1", "toys/3"}; return nil })
	must(t, err)
	_, err = n.Schedule(ctx, l.ID, "ed", noon.Add(time.Hour))
	must(t, err)
	mailed := func() int {
		t.Helper()
		count, err := n.Mail(ctx, n.ledger, n.stories.Stories)
		must(t, err)
		return count
	}
	if mailed() != 0 {
		t.Error("it went before its time")
	}
	n.clock.Advance(time.Hour)
	// A process dies after it wrote one delivery down.
	ann, err := n.Addressed(ctx, "ann@example.org")
	must(t, err)
	_, err = n.ledger.Add(ctx, deliver.Delivery{Ref: l.Ref(), Recipient: ann.ID, Channel: "mail", Revision: 1, What: story.Published})
	must(t, err)
	must(t, n.ledger.Drain(ctx))
	n.desk.TakeBack(t, "1")
	if mailed() != 1 || mailed() != 0 {
		t.Error("it did not go, or twice")
	}
	must(t, n.Unfollow(ctx, left.ID, news))
	must(t, n.ledger.Drain(ctx))
	if got := n.post.subjects(); len(got) != 1 || got[0] != "ann@example.org The week" {
		t.Errorf("sent %q", got)
	}
	if _, err := n.ChangeLetter(ctx, l.ID, func(*Letter) error { return nil }); !errors.Is(err, errs.Conflict) {
		t.Errorf("changed after it went: %v", err)
	}
	c := &Composer{Follows: n.Follows, Stories: n.stories.Stories, Name: "Newsroom", Base: "https://news.example"}
	m, err := c.Sample(ctx, &l, "ed@example.org", "ja")
	var unwanted *deliver.Unwanted
	if !errors.As(err, &unwanted) { // l is as it was before it had stories
		t.Errorf("a sample without stories: %+v %v", m, err)
	}
	l, err = n.Letter(ctx, l.ID)
	must(t, err)
	m, err = c.Sample(ctx, &l, "ed@example.org", "ja")
	must(t, err)
	if !strings.HasPrefix(m.Text, "Hello\n\nreaders\n\nStory 2\n") || strings.Contains(m.Text+m.HTML, "Story 1") || !strings.Contains(m.HTML, "<p>readers</p>") {
		t.Errorf("the sample is %q\n%s", m.Text, m.HTML)
	}
}

// Who got a story in a newsletter alone is told of its correction and its withdrawal, once,
// and nobody else is: not who wants newsletters but was not sent this one, nor who was sent
// what it says since the correction.
func TestNewsletterCorrected(t *testing.T) {
	n := open(t)
	ctx := t.Context()
	news, toys := Subject{Kind: Newsletter, Name: Newsletter}, Subject{Kind: Committee, Name: "Toys"}
	n.reader("ann", news, toys)
	both := n.reader("ben", news, toys)
	n.reader("eve", news)
	car, train := toy("1", "A car"), toy("2", "A train")
	car.Topics, train.Topics = nil, nil
	n.desk.Put(t, car)
	n.desk.Put(t, train)
	must(t, n.Follow(ctx, both.ID, Subject{Kind: Person, Name: "Yamada"}, "", nil))
	n.want()
	send := func(title string, segment ...Subject) {
		t.Helper()
		l, err := n.NewLetter(ctx, Letter{Title: title, Segment: segment, Stories: []string{"toys/1", "toys/2"}})
		must(t, err)
		_, err = n.Schedule(ctx, l.ID, "ed", n.clock.Now())
		must(t, err)
		_, err = n.Mail(ctx, n.ledger, n.stories.Stories)
		must(t, err)
	}
	correct := func(text story.Text) {
		t.Helper()
		pieces, err := n.stories.Correct(ctx, withDesk(text), story.Word{By: "an editor", Reason: "wrong"})
		must(t, err)
		must(t, model.Transact(ctx, n.stories.DB, pieces...))
	}
	send("First", toys)
	// Nobody has got it yet: it will say what is right.
	car.Title = "A van"
	correct(car)
	must(t, n.stories.RelayOnce(ctx))
	must(t, n.stories.CatchUp(ctx, n.matcher.Consumer()))
	n.want("ann@example.org First", "ben@example.org First")
	car.Title, car.People = "A bus", []string{"Yamada"} // whom one of them follows
	correct(car)
	n.want("ann@example.org Correction: A bus", "ben@example.org Correction: A bus")
	// The same event again does nothing.
	entries, _, err := n.stories.Since(ctx, 0)
	must(t, err)
	entries = entries[len(entries)-1:]
	must(t, n.matcher.Handle(ctx, entries))
	n.want()
	send("Second")
	n.want("ann@example.org Second", "ben@example.org Second", "eve@example.org Second")
	must(t, n.matcher.Handle(ctx, entries)) // which the second letter has
	n.want()
	n.desk.TakeBack(t, "1")
	n.want("ann@example.org Withdrawn: A car", "ben@example.org Withdrawn: A car", "eve@example.org Withdrawn: A bus")
	send("Third")
	n.want("ann@example.org Third", "ben@example.org Third", "eve@example.org Third")
	n.desk.Put(t, car)
	n.told()
	late := n.reader("leo", news)
	correct(car)
	for _, to := range n.told() {
		if strings.HasPrefix(to, "leo@") {
			t.Errorf("%s was sent nothing of it, and is told: %s", late.ID, to)
		}
	}
}

// service is a push service that has forgotten the browsers whose address says so.
type service struct{}

func (service) Send(_ context.Context, m *deliver.Message) error {
	if strings.HasSuffix(m.To, "/gone") {
		return &deliver.Refusal{Reason: "410 Gone", Final: true, Dead: true}
	}
	return nil
}

// A browser that its push service has forgotten is gone from the reader's list, and others
// stay; also if the process died before it was taken from the list.
func TestEndedBrowser(t *testing.T) {
	n := open(t)
	ann := n.reader("ann", Subject{Kind: Topic, Name: "toys"})
	browsers := func() (all []string) {
		t.Helper()
		found, err := n.Browsers(t.Context(), ann.ID)
		must(t, err)
		for _, b := range found {
			all = append(all, b.Endpoint)
		}
		return all
	}
	const gone, here = "https://push.example/gone", "https://push.example/here"
	for _, at := range []string{gone, here} {
		must(t, n.AddBrowser(t.Context(), ann.ID, at, []byte("keys"), "a browser"))
	}
	n.desk.Put(t, toy("1", "A car"))
	n.told()
	if diff := cmp.Diff([]string{here}, browsers()); diff != "" {
		t.Error(diff)
	}
	must(t, n.AddBrowser(t.Context(), ann.ID, gone, []byte("keys"), "a browser"))
	n.desk.Put(t, toy("2", "A train"))
	n.told()
	r, err := n.Reader(t.Context(), ann.ID)
	must(t, err)
	if diff := cmp.Diff([]string{here}, browsers()); diff != "" || len(r.Ways) != 2 {
		t.Errorf("suppressed, it stays in the list: %s %v", diff, r.Ways)
	}
	must(t, n.Leave(t.Context(), ann.ID))
	must(t, n.Ended(t.Context(), &deliver.Delivery{Recipient: ann.ID, Channel: "push:1"}))
}

// Whatever kind of subject is followed, a story that is about it is told of.
func TestKinds(t *testing.T) {
	for _, kind := range Kinds {
		if kind == Saved || kind == Thread { // which are not on a card
			continue
		}
		t.Run(kind, func(t *testing.T) {
			n := open(t)
			n.reader("ann", Subject{Kind: kind, Name: "@gb  Ｂudget"})
			n.reader("eve", Subject{Kind: kind, Name: "budget"})
			text := toy("1", "A car")
			text.Subjects = []story.Subject{{Kind: kind, Name: "@gb Budget"}}
			n.desk.Put(t, text)
			n.want("ann@example.org New: A car")
		})
	}
}

// Letters are the paper's, by the name that it has when they are written.
func TestLetterNamesPaper(t *testing.T) {
	n := open(t)
	n.reader("ann", Subject{Kind: Topic, Name: "toys"})
	must(t, n.stories.SetPaper(t.Context(), &story.Paper{Name: "The Harbour Post"}, nil))
	n.desk.Put(t, toy("1", "A car"))
	must(t, n.stories.RelayOnce(t.Context()))
	must(t, n.stories.CatchUp(t.Context(), n.matcher.Consumer()))
	must(t, n.ledger.Drain(t.Context()))
	if len(n.post.taken) != 1 || !strings.Contains(n.post.taken[0].HTML, ">The Harbour Post</h1>") {
		t.Errorf("the letter is %+v", n.post.taken)
	}
}

func withDesk(text story.Text) story.Story {
	text.Desk, text.Kind, text.Path, text.Published = "toys", "post", "/toys/posts/"+text.ID, model.FormatTime(storytest.Date)
	return text.Story
}

func TestDigests(t *testing.T) {
	n := open(t)
	ctx := t.Context()
	r := n.reader("ann", Subject{Kind: Topic, Name: "toys"})
	_, err := n.Change(ctx, r.ID, func(r *Reader) error { r.Pace, r.Zone, r.Language = Daily, "Asia/Tokyo", "ja"; return nil })
	must(t, err)
	n.desk.Put(t, toy("1", "A car"))
	n.desk.Put(t, toy("2", "A train"))
	n.desk.Put(t, toy("3", "A boat"))
	n.want()
	n.desk.TakeBack(t, "2")
	n.want()
	n.clock.Advance(10 * time.Hour) // 07:00 in Tokyo
	n.want("ann@example.org フォロー中の話題の記事 2件")
	// What was never sent is not taken back from anybody.
	n.desk.TakeBack(t, "1")
	n.want("ann@example.org 取り下げ: A car")
	n.desk.Put(t, toy("2", "A train"))
	n.want() // it waits for the next digest
	n.desk.TakeBack(t, "2")
	n.want()
	n.desk.Put(t, toy("4", "A plane"))
	n.want()
	n.clock.Advance(24 * time.Hour)
	n.want("ann@example.org フォロー中の話題の記事 1件")
	sent, err := n.ledger.Recent(ctx, r.ID, 3)
	must(t, err)
	if len(sent) != 3 || sent[0].Recipient != r.ID || sent[0].Created < sent[2].Created {
		t.Errorf("the reader sees %+v", sent)
	}
}

// Digests come at seven by the reader's clock, on days with a clock change too.
func TestDigestTimes(t *testing.T) {
	for _, c := range []struct {
		pace  Pace
		zone  string
		after string
		id    string
		due   string
	}{
		{Daily, "", "2026-11-16T06:59:59Z", "daily-2026-11-16", "2026-11-16T07:00:00Z"},
		{Daily, "", "2026-11-16T07:00:00Z", "daily-2026-11-17", "2026-11-17T07:00:00Z"},
		{Daily, "Asia/Tokyo", "2026-11-15T21:59:00Z", "daily-2026-11-16", "2026-11-15T22:00:00Z"},
		{Daily, "Asia/Tokyo", "2026-11-15T22:00:00Z", "daily-2026-11-17", "2026-11-16T22:00:00Z"},
		{Weekly, "Asia/Tokyo", "2026-11-15T22:00:00Z", "weekly-2026-11-23", "2026-11-22T22:00:00Z"},
		{Weekly, "", "2026-11-16T00:00:00Z", "weekly-2026-11-16", "2026-11-16T07:00:00Z"},
		{Daily, "America/New_York", "2026-03-08T01:00:00Z", "daily-2026-03-08", "2026-03-08T11:00:00Z"}, // the clock goes forward
		{Daily, "America/New_York", "2026-11-01T04:30:00Z", "daily-2026-11-01", "2026-11-01T12:00:00Z"}, // and back
	} {
		r := Reader{Pace: c.pace, Zone: c.zone}
		after, err := time.Parse(time.RFC3339, c.after)
		must(t, err)
		if id, due := r.digest(after); id != c.id || due.UTC().Format(time.RFC3339) != c.due {
			t.Errorf("%s %s after %s: %s at %s", c.pace, c.zone, c.after, id, due.UTC())
		}
	}
}

// Nobody follows, or leaves, for another.
func TestStrangers(t *testing.T) {
	n := open(t)
	ctx := t.Context()
	ask := Ask{Address: "Ann@Example.org", From: "192.0.2.1", Subject: Subject{Kind: Topic, Name: "toys"}}
	token, err := n.Request(ctx, ask)
	must(t, err)
	n.desk.Put(t, toy("1", "A car"))
	n.want() // nothing before it is confirmed
	for _, guess := range []string{"", token[:len(token)-1], strings.ToLower(token), hashOf(token)} {
		if _, err := n.Confirm(ctx, guess); !errors.Is(err, errs.NotFound) {
			t.Errorf("guessed %q: %v", guess, err)
		}
	}
	r, err := n.Confirm(ctx, token)
	if must(t, err); r.Address != "ann@example.org" {
		t.Errorf("confirmed %q", r.Address)
	}
	if _, err := n.Confirm(ctx, token); !errors.Is(err, errs.NotFound) {
		t.Errorf("confirmed twice: %v", err)
	}
	late, err := n.Request(ctx, ask)
	must(t, err)
	n.clock.Advance(patience)
	if _, err := n.Confirm(ctx, late); !errors.Is(err, errs.NotFound) {
		t.Errorf("confirmed after two days: %v", err)
	}
	other := n.reader("eve", Subject{Kind: Topic, Name: "toys"})
	swapped := strings.Split(r.Link(ForLeaving), ".")[0] + "." + strings.Split(other.Link(ForLeaving), ".")[1]
	for _, link := range []string{"", ".", swapped, r.Link(ForManaging), r.Link(ForLeaving) + "x", strings.Split(r.Link(ForLeaving), ".")[0] + "."} {
		if _, err := n.Linked(ctx, link, ForLeaving); !errors.Is(err, errs.NotFound) {
			t.Errorf("the link %q leads in: %v", link, err)
		}
	}
	if same, err := n.Linked(ctx, r.Link(ForLeaving), ForLeaving); err != nil || same.ID != r.ID {
		t.Errorf("her own link: %v", err)
	}
	for _, bad := range []string{"", "ann", "ann@", "a@b.example, c@d.example", "Ann <a@b.example>", "a@b.example\r\nBcc: c@d.example", `"a b"@c.example`, strings.Repeat("a", 250) + "@b.example"} {
		if _, err := n.Request(ctx, Ask{Address: bad, Subject: ask.Subject}); !errors.Is(err, errs.Invalid) {
			t.Errorf("the address %q: %v", bad, err)
		}
	}
}

// A flood stops, by whom it is asked for and to whom it goes.
func TestFloods(t *testing.T) {
	n := open(t)
	ctx := t.Context()
	asked := func(address, from string) error {
		_, err := n.Request(ctx, Ask{Address: address, From: from, Subject: Subject{Kind: Topic, Name: "toys"}})
		return err
	}
	for i := range perAddress {
		must(t, asked("ann@example.org", fmt.Sprint(i)))
	}
	if err := asked("ANN@example.org", "x"); !errors.Is(err, errs.RateLimited) {
		t.Errorf("one letter more to an address: %v", err)
	}
	refused := 0
	var mu sync.Mutex
	var all sync.WaitGroup
	for i := range 2 * perCaller {
		all.Go(func() {
			if err := asked(fmt.Sprintf("reader-%d@example.org", i), "192.0.2.7"); errors.Is(err, errs.RateLimited) {
				mu.Lock()
				refused++
				mu.Unlock()
			} else if err != nil {
				t.Error(err)
			}
		})
	}
	if all.Wait(); refused != perCaller {
		t.Errorf("%d of %d were refused", refused, 2*perCaller)
	}
	n.clock.Advance(time.Hour)
	must(t, asked("ann@example.org", "192.0.2.7"))
}

func TestWebhook(t *testing.T) {
	n := open(t)
	r := n.reader("ann", Subject{Kind: Topic, Name: "toys"})
	_, err := n.Change(t.Context(), r.ID, func(r *Reader) error {
		r.Ways, r.Hook = []string{"webhook"}, "https://hooks.example/in"
		return nil
	})
	must(t, err)
	n.desk.Put(t, toy("1", "A <b>car</b>"))
	must(t, n.stories.RelayOnce(t.Context()))
	must(t, n.stories.CatchUp(t.Context(), n.matcher.Consumer()))
	must(t, n.ledger.Drain(t.Context()))
	if len(n.post.taken) != 1 {
		t.Fatalf("%d webhooks", len(n.post.taken))
	}
	m := n.post.taken[0]
	var payload struct {
		Type    string
		Stories []struct{ Title, URL string }
	}
	must(t, json.Unmarshal(m.Payload, &payload))
	if payload.Type != "story.published" || payload.Stories[0].Title != "A <b>car</b>" || payload.Stories[0].URL != "https://news.example/toys/posts/1" || m.To != "https://hooks.example/in" || len(m.Secret) == 0 {
		t.Errorf("%+v %+v", m, payload)
	}
	if strings.Contains(m.HTML, "<b>") || !strings.Contains(m.HTML, "A &lt;b&gt;car&lt;/b&gt;") {
		t.Errorf("markup of a title is in the letter: %s", m.HTML)
	}
}

// The preview has what would have been sent, and nothing else.
func TestPreview(t *testing.T) {
	n := open(t)
	n.matcher.Desks = []string{"toys"}
	r := n.reader("ann", Subject{Kind: Person, Name: "Yamada"})
	must(t, n.Follow(t.Context(), r.ID, Subject{}, "", &Search{Text: "boat"}))
	n.desk.Put(t, toy("1", "A car", "yamada"))
	n.desk.Put(t, toy("2", "A boat"))
	n.desk.Put(t, toy("3", "A train"))
	old := toy("4", "An old car", "yamada")
	old.Published = "2026-01-01T00:00:00.000Z"
	n.desk.Put(t, old)
	found, err := n.matcher.Preview(t.Context(), r.ID, noon.AddDate(0, 0, -7))
	must(t, err)
	var titles []string
	for _, card := range found {
		titles = append(titles, card.Title)
	}
	slices.Sort(titles)
	if diff := cmp.Diff([]string{"A boat", "A car"}, titles); diff != "" {
		t.Error(diff)
	}
}

func TestLimits(t *testing.T) {
	n := open(t)
	r := n.reader("ann", Subject{Kind: Topic, Name: "toys"})
	for _, s := range []Subject{{Kind: "nonsense", Name: "x"}, {Kind: Topic, Name: " "}, {Kind: Topic, Name: strings.Repeat("x", 401)}, {Kind: Saved, Name: "x"}} {
		if err := n.Follow(t.Context(), r.ID, s, "", nil); !errors.Is(err, errs.Invalid) {
			t.Errorf("%+v: %v", s, err)
		}
	}
	if err := n.Follow(t.Context(), r.ID, Subject{}, "", &Search{Text: "!!"}); !errors.Is(err, errs.Invalid) {
		t.Errorf("a search for nothing: %v", err)
	}
	for _, change := range []func(*Reader){func(r *Reader) { r.Zone = "Mars" }, func(r *Reader) { r.Zone = "Local" }, func(r *Reader) { r.Pace = "hourly" }} {
		if _, err := n.Change(t.Context(), r.ID, func(r *Reader) error { change(r); return nil }); !errors.Is(err, errs.Invalid) {
			t.Error(err)
		}
	}
	now, err := n.Change(t.Context(), r.ID, func(r *Reader) error { r.Address, r.ID = "eve@example.org", "eve"; return nil })
	if must(t, err); now.Address != "ann@example.org" {
		t.Error("an address changed without being confirmed")
	}
}

var follows = flag.Int("follows", 20_000, "how many follows BenchmarkMatch has; one in a hundred is a saved search")

// BenchmarkMatch matches stories against many follows. What is reported:
//
//	go test ./internal/follow -run NONE -bench Match -benchtime 1000x -follows 1000000
func BenchmarkMatch(b *testing.B) {
	db, err := dynamo.OpenMemory(nil)
	must(b, err)
	b.Cleanup(func() { must(b, db.Close()) })
	must(b, deploy.Apply(b.Context(), deploy.Store{Tables: db}, nil, Schema))
	f, err := New(db, nil)
	must(b, err)
	must(b, text.Load(b.Context()))
	r := rand.New(rand.NewPCG(3, 4))
	// Few subjects have many followers, and many have few.
	zipf := rand.NewZipf(r, 1.1, 20, 50_000)
	word := func() string { return fmt.Sprintf("word%d", zipf.Uint64()) }
	var batch []Follow
	flush := func() {
		must(b, f.follows.BatchPut(context.Background(), batch))
		batch = batch[:0]
	}
	since := model.FormatTime(noon)
	searches := map[string]stored{}
	for i := range *follows {
		one := Follow{Reader: fmt.Sprintf("reader-%07d", i/3), Since: since, Subject: Subject{Kind: []string{Person, Topic, Bill, Site}[i%4], Name: word()}}
		if i%100 == 99 {
			s := Search{Text: word() + " " + word() + []string{"", ` "東京 予算"`, " -" + word(), " 消費税"}[i/100%4]}
			one.Subject = Subject{Kind: Saved, Name: s.ID()}
			searches[s.ID()] = stored{Search: s, Name: s.ID(), Shard: s.ID()[:1]}
		}
		if batch = append(batch, one); len(batch) == 1000 { // no reader follows one kind twice
			flush()
		}
	}
	flush()
	must(b, f.searches.BatchPut(context.Background(), slices.Collect(maps.Values(searches))))
	must(b, f.shelf.Put(context.Background(), &generation{"all", int64(len(searches))}))
	next := func() *story.Text {
		st := &story.Text{}
		st.People, st.Topics = []string{word(), word()}, []string{word(), word(), word()}
		st.Subjects = []Subject{{Kind: Bill, Name: word()}, {Kind: Site, Name: word()}}
		var body strings.Builder
		for range 800 {
			body.WriteString(word() + " ")
		}
		st.Title, st.Body = word(), body.String()+"東京の予算と消費税について訪れた人が話した。"
		return st
	}
	_, err = f.Match(context.Background(), next()) // reads the searches
	must(b, err)
	matched := 0
	tried := f.perc.tried
	for b.Loop() {
		who, err := f.Match(context.Background(), next())
		must(b, err)
		matched += len(who)
	}
	b.ReportMetric(float64(matched)/float64(b.N), "readers/story")
	b.ReportMetric(float64(f.perc.tried-tried)/float64(b.N), "searches-tried/story")
}

// Who follows a thread hears of what comes into it, once, under whichever id they know it.
func TestThreaded(t *testing.T) {
	n := open(t)
	ctx := t.Context()
	n.reader("ann", Subject{Kind: Thread, Name: "01M7J86AV61PYJQF3YQD0PZ4GB"}, Subject{Kind: Topic, Name: "toys"})
	n.reader("ben", Subject{Kind: Thread, Name: "01M7J86AVBX2B5WVDVKVC4KGRD"})
	n.reader("eve", Subject{Kind: Thread, Name: "01M7J86AX9K2XEN912G6DMRWTW"})
	n.desk.Put(t, toy("1", "A car"))
	n.want("ann@example.org New: A car")
	ref := story.Ref{Desk: "toys", ID: "1"}
	for range 2 {
		must(t, n.matcher.Threaded(ctx, ref, []string{"01M7J86AV61PYJQF3YQD0PZ4GB", "01M7J86AVBX2B5WVDVKVC4KGRD"}))
	}
	n.want("ben@example.org New: A car") // ann knows it
	n.desk.TakeBack(t, "1")
	must(t, n.matcher.Threaded(ctx, ref, []string{"01M7J86AX9K2XEN912G6DMRWTW"}))
	for _, sent := range n.told() {
		if strings.HasPrefix(sent, "eve") {
			t.Errorf("told of what was withdrawn: %s", sent)
		}
	}
	old := toy("2", "An old car")
	old.Topics, old.Published = nil, "2020-01-01T00:00:00.000Z"
	n.desk.Put(t, old)
	must(t, n.matcher.Threaded(ctx, story.Ref{Desk: "toys", ID: "2"}, []string{"01M7J86AX9K2XEN912G6DMRWTW"}))
	n.want()
}
