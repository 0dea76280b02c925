package blog_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pressroom/internal/desk/blog"
	"pressroom/internal/errs"
)

func TestMonthsAreOfTheZone(t *testing.T) {
	tokyo := time.FixedZone("JST", 9*60*60)
	r := openRoom(t, func(o *blog.Options) { o.Zone = tokyo })
	ctx := t.Context()
	for title, at := range map[string]time.Time{
		"October":  time.Date(2026, 10, 31, 14, 59, 59, 999e6, time.UTC), // 23:59 in Tokyo
		"November": time.Date(2026, 10, 31, 15, 0, 0, 0, time.UTC),       // midnight in Tokyo
	} {
		c := content(title, 1)
		c.PublishedAt = at
		r.publish(t, c)
	}
	for month, want := range map[string]string{"2026-10": "October", "2026-11": "November", "2026-09": ""} {
		if page := must(r.Public().ByMonth(ctx, month, blog.PageOptions{}))(t); titles(page.Items) != want {
			t.Errorf("%s: %q, want %q", month, titles(page.Items), want)
		}
	}
	want := []blog.Count{{Name: "2026-11", Count: 1}, {Name: "2026-10", Count: 1}}
	if diff := cmp.Diff(want, must(r.Public().Months(ctx, blog.PageOptions{}))(t).Items); diff != "" {
		t.Error(diff)
	}
	for _, month := range []string{"", "2026", "2026-13", "x", "2026-11-01"} {
		_, err := r.Public().ByMonth(ctx, month, blog.PageOptions{})
		check(t, err, errs.Invalid)
	}
	// In another zone both are of October, once they are counted again.
	utc := r.open(t, r.db)
	check(t, utc.Recount(ctx), nil)
	want = []blog.Count{{Name: "2026-10", Count: 2}}
	if diff := cmp.Diff(want, must(utc.Public().Months(ctx, blog.PageOptions{}))(t).Items); diff != "" {
		t.Error(diff)
	}
}

func TestNeighbours(t *testing.T) {
	r := openRoom(t)
	ctx := t.Context()
	at := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	var posts []blog.Post
	for i := range 6 { // two of each moment
		c := content(fmt.Sprint("P", i), 1)
		c.PublishedAt = at.AddDate(0, 0, i/2)
		posts = append(posts, r.publish(t, c))
		must(r.Create(ctx, content("Draft", 1)))(t)
	}
	title := func(c *blog.Card) string {
		if c == nil {
			return "-"
		}
		return c.Title
	}
	for i, p := range posts {
		older, newer, err := r.Public().Neighbours(ctx, p.ID)
		check(t, err, nil)
		wantOlder, wantNewer := "-", "-"
		if i > 0 {
			wantOlder = posts[i-1].Title
		}
		if i < len(posts)-1 {
			wantNewer = posts[i+1].Title
		}
		if title(older) != wantOlder || title(newer) != wantNewer {
			t.Errorf("%s stands between %s and %s, want %s and %s", p.Title, title(older), title(newer), wantOlder, wantNewer)
		}
	}
	must(r.Archive(ctx, posts[2].ID, blog.AnyVersion))(t)
	older, _, err := r.Public().Neighbours(ctx, posts[3].ID)
	check(t, err, nil)
	if title(older) != "P1" {
		t.Errorf("after archiving P2, before P3 stands %s", title(older))
	}
	_, _, err = r.Public().Neighbours(ctx, posts[2].ID)
	check(t, err, errs.NotFound)
}

func TestCursors(t *testing.T) {
	r := openRoom(t)
	ctx := t.Context()
	for i := range 5 {
		r.publish(t, content(fmt.Sprint("P", i), 1, "a", "b"))
	}
	first := must(r.Public().ByTag(ctx, "a", blog.PageOptions{Limit: 2}))(t)
	if titles(first.Items) != "P4 P3" || first.Next == "" {
		t.Fatalf("first page: %s", titles(first.Items))
	}
	next := must(r.Public().ByTag(ctx, "a", blog.PageOptions{Limit: 2, Cursor: first.Next}))(t)
	if titles(next.Items) != "P2 P1" {
		t.Errorf("second page: %s", titles(next.Items))
	}
	type list = func(cursor string) error
	lists := map[string]list{
		"other tag": func(c string) error { return second(r.Public().ByTag(ctx, "b", blog.PageOptions{Cursor: c})) },
		"latest":    func(c string) error { return second(r.Public().Latest(ctx, blog.PageOptions{Cursor: c})) },
		"month":     func(c string) error { return second(r.Public().ByMonth(ctx, "2026-11", blog.PageOptions{Cursor: c})) },
		"tags":      func(c string) error { return second(r.Public().Tags(ctx, blog.PageOptions{Cursor: c})) },
		"months":    func(c string) error { return second(r.Public().Months(ctx, blog.PageOptions{Cursor: c})) },
		"all":       func(c string) error { return second(r.List(ctx, blog.PageOptions{Cursor: c})) },
		"drafts":    func(c string) error { return second(r.ListByStatus(ctx, blog.Draft, blog.PageOptions{Cursor: c})) },
		"archived":  func(c string) error { return second(r.ListByStatus(ctx, blog.Archived, blog.PageOptions{Cursor: c})) },
		"any tag":   func(c string) error { return second(r.ListByTag(ctx, "a", blog.PageOptions{Cursor: c})) },
		"library":   func(c string) error { return second(r.Library(ctx, blog.PageOptions{Cursor: c})) },
		"unused":    func(c string) error { return second(r.Unused(ctx, blog.PageOptions{Cursor: c})) },
		"inbox":     func(c string) error { return second(r.Inbox(ctx, blog.PageOptions{Cursor: c})) },
	}
	for name, list := range lists {
		for _, cursor := range []string{first.Next, "x", "!", first.Next + "A"} {
			err := list(cursor)
			check(t, err, errs.Malformed)
			if fields(err) != "cursor" {
				t.Errorf("%s: fields %q", name, fields(err))
			}
		}
	}
	if page := must(r.List(ctx, blog.PageOptions{Limit: 1000}))(t); len(page.Items) != 5 {
		t.Errorf("%d posts", len(page.Items))
	}
}

func second[T any](_ T, err error) error { return err }

// secret is a word that stands in every field of every post that is not
// published, and nowhere else.
const secret = "hidden"

// TestDraftsAreSafe asks readers' methods everything they can be asked, with posts
// in every state and on every way there, and looks for the secret.
func TestDraftsAreSafe(t *testing.T) {
	r := openRoom(t)
	ctx := t.Context()
	shown := []blog.Post{r.publish(t, content("Open", 2, "open")), r.publish(t, content("Clear", 150, "open"))}
	dark := func(n int) blog.Content {
		c := content(secret, n, secret, "open")
		c.Summary, c.Author, c.Thumbnail = secret, secret, "https://example.org/"+secret+".jpg"
		for i := range c.Blocks {
			c.Blocks[i].Caption, c.Blocks[i].Alt = secret, secret
		}
		c.PublishedAt = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
		return c
	}
	var hidden []blog.Post
	for _, n := range []int{0, 3, 150} { // small, and through the journal
		draft := must(r.Create(ctx, dark(n)))(t)
		hidden = append(hidden, draft)
		if n == 0 {
			continue
		}
		archived := r.publish(t, dark(n))
		hidden = append(hidden, must(r.Archive(ctx, archived.ID, archived.Version))(t))
		back := r.publish(t, dark(n))
		must(r.Public().Post(ctx, back.ID))(t) // now a cache could hold it
		hidden = append(hidden, must(r.Unpublish(ctx, back.ID, back.Version))(t))
		gone := r.publish(t, dark(n))
		must(r.Public().Post(ctx, gone.ID))(t)
		check(t, r.Delete(ctx, gone.ID, gone.Version), nil)
		hidden = append(hidden, gone)
	}
	// A word that a published post had, and has no more.
	c := shown[0].Content
	c.Tags, c.Blocks = append(c.Tags, secret), append(c.Blocks, blog.Block{Type: blog.Text, Content: secret})
	p := must(r.Save(ctx, shown[0].ID, shown[0].Version, c))(t)
	must(r.Public().Post(ctx, p.ID))(t)
	must(r.Save(ctx, p.ID, p.Version, shown[0].Content))(t)
	// And what is typed but not saved.
	must(r.PutAutosave(ctx, blog.Autosave{PostID: p.ID, Editor: "ann", Version: p.Version, Content: dark(1)}))(t)

	for name, answer := range publicAnswers(t, r, append(hidden, shown...)) {
		if strings.Contains(answer, secret) {
			t.Errorf("%s tells: %.300s", name, answer)
		}
	}
	for _, p := range hidden {
		_, err := r.Public().Post(ctx, p.ID)
		check(t, err, errs.NotFound)
		_, err = r.Shelf().Load(ctx, p.ID)
		check(t, err, errs.NotFound)
		_, _, err = r.Public().Neighbours(ctx, p.ID)
		check(t, err, errs.NotFound)
	}
	// The test can fail: once published, each of these words is told.
	must(r.Publish(ctx, hidden[1].ID, blog.AnyVersion))(t)
	told := 0
	for _, answer := range publicAnswers(t, r, append(hidden, shown...)) {
		if strings.Contains(answer, secret) {
			told++
		}
	}
	if told < 7 {
		t.Errorf("a published word is told by %d answers only", told)
	}
}

// publicAnswers asks readers' methods about everything, and returns what they
// answer as JSON.
func publicAnswers(t *testing.T, r *room, posts []blog.Post) map[string]string {
	t.Helper()
	ctx, public := t.Context(), r.Public()
	answers := map[string]string{}
	add := func(name string, v any, err error) {
		text, jsonErr := json.Marshal(v)
		check(t, jsonErr, nil)
		answers[name] = string(text)
		if err != nil {
			answers[name] += err.Error() + errs.Message(err)
		}
	}
	o := blog.PageOptions{Limit: 100}
	latest, err := public.Latest(ctx, o)
	add("Latest", latest, err)
	tag, err := public.ByTag(ctx, "open", o)
	add("ByTag", tag, err)
	own, err := public.ByTag(ctx, secret, o)
	add("ByTag of a draft", own, err)
	month, err := public.ByMonth(ctx, "2020-01", o)
	add("ByMonth", month, err)
	tags, err := public.Tags(ctx, o)
	add("Tags", tags, err)
	months, err := public.Months(ctx, o)
	add("Months", months, err)
	add("About", public.About(), nil)
	for card, err := range public.All(ctx) {
		add("All "+card.ID, card, err)
	}
	for text, err := range r.Shelf().All(ctx) {
		add("Stories "+text.ID, text, err)
	}
	for _, p := range posts {
		a, err := public.Post(ctx, p.ID)
		add("Post "+p.ID, a, err)
		text, err := r.Shelf().Load(ctx, p.ID)
		add("Story "+p.ID, text, err)
		older, newer, err := public.Neighbours(ctx, p.ID)
		add("Neighbours "+p.ID, []any{older, newer}, err)
	}
	return answers
}
