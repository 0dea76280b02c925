package blog_test

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"pressroom/internal/desk/blog"
	"pressroom/internal/errs"
	"pressroom/internal/rights/erase"
	"pressroom/internal/story"
	"pressroom/internal/story/storytest"
	"pressroom/model"
	"pressroom/model/modeltest"
)

// clock is a clock that only goes on when told, or by a millisecond each time it
// is asked.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(time.Millisecond)
	return c.now
}

func (c *clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// room is a desk on stores of its own.
type room struct {
	*blog.Desk
	stores  *modeltest.Stores
	db      model.DB
	objects *s3.Client
	clock   *clock
	untold  bool // items are changed behind the desk's back, so that cards differ in the end

	mu      sync.Mutex
	changes []string
}

func (r *room) note(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.changes = append(r.changes, id)
}

func openRoom(t testing.TB, change ...func(*blog.Options)) *room {
	t.Helper()
	return openRoomOn(t, nil, change...)
}

// openRoomOn returns a room on stores with options.
func openRoomOn(t testing.TB, o *modeltest.StoreOptions, change ...func(*blog.Options)) *room {
	t.Helper()
	stores := modeltest.OpenStores(t, o, blog.Schema, story.Schema, erase.Schema)
	r := &room{stores: stores, db: stores.Tables, objects: stores.Objects, clock: newClock()}
	r.Desk = r.open(t, r.db, change...)
	t.Cleanup(func() {
		if r.untold {
			return
		}
		stories, err := story.New(r.db, nil)
		if err != nil {
			t.Fatal(err)
		}
		storytest.Told(t, stories, r.Shelf())
	})
	return r
}

// open returns a desk on the room's stores, through db.
func (r *room) open(t testing.TB, db model.DB, change ...func(*blog.Options)) *blog.Desk {
	t.Helper()
	o := &blog.Options{
		Now: r.clock.Now, Secret: []byte("0123456789abcdef"), Log: slog.New(slog.DiscardHandler),
		OnChange: r.note,
	}
	for _, c := range change {
		c(o)
	}
	stories, err := story.New(db, nil)
	if err != nil {
		t.Fatal(err)
	}
	o.Stories = stories
	d, err := blog.New(db, r.objects, o)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func check(t testing.TB, err, want error) {
	t.Helper()
	if !errors.Is(err, want) || want == nil && err != nil {
		t.Fatalf("error %v, want %v", err, want)
	}
}

func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// content makes a post of n text blocks.
func content(title string, n int, tags ...string) blog.Content {
	c := blog.Content{Facts: blog.Facts{Title: title, Summary: "About " + title, Author: "Ann"}, Tags: tags, Blocks: []blog.Block{}}
	if tags == nil {
		c.Tags = []string{}
	}
	for i := range n {
		c.Blocks = append(c.Blocks, blog.Block{Type: blog.Text, Layout: blog.Full, Content: fmt.Sprintf("%s, block %d.", title, i)})
	}
	return c
}

// publish creates and publishes a post.
func (r *room) publish(t testing.TB, c blog.Content) blog.Post {
	t.Helper()
	p := must(r.Create(t.Context(), c))(t)
	return must(r.Publish(t.Context(), p.ID, p.Version))(t)
}

func titles(cards []blog.Card) string {
	var all []string
	for _, c := range cards {
		all = append(all, c.Title)
	}
	return strings.Join(all, " ")
}

func fields(err error) string {
	var all []string
	for _, f := range errs.Fields(err) {
		all = append(all, f.Name)
	}
	return strings.Join(all, " ")
}
