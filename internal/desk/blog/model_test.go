package blog_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"pressroom/internal/desk/blog"
	"pressroom/internal/errs"
)

var contextBackground = context.Background()

// TestModel does random things to a desk and to a plain map, and wants every list
// and every post to be the same after each.
func TestModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := openRoom(t)
		m := &plain{r: r, posts: map[string]blog.Post{}}
		rt.Repeat(map[string]func(*rapid.T){
			"create": m.create, "save": m.save, "stale": m.stale, "status": m.status, "delete": m.delete, "": m.check,
		})
	})
}

// plain is the desk as a map.
type plain struct {
	r     *room
	posts map[string]blog.Post
}

func drawContent(t *rapid.T) blog.Content {
	n := rapid.SampledFrom([]int{0, 1, 2, 3, 40, 60, 130}).Draw(t, "blocks")
	tags := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "B", "日本", "x#y", "100%", "a b"}), 0, 4, rapid.ID).Draw(t, "tags")
	c := content(rapid.StringMatching(`[A-Z][a-z]{1,8}`).Draw(t, "title"), n, tags...)
	if n > 0 {
		c.Blocks[n/2].Layout = rapid.SampledFrom([]blog.Layout{blog.Full, blog.HalfLeft, blog.HalfRight}).Draw(t, "layout")
		c.Blocks[0].Caption = rapid.SampledFrom([]string{"", "cap"}).Draw(t, "caption")
	}
	if rapid.Bool().Draw(t, "dated") {
		c.PublishedAt = time.Date(2026, time.Month(rapid.IntRange(1, 10).Draw(t, "month")), 3, 0, 0, 0, 0, time.UTC)
	}
	return c
}

func (m *plain) pick(t *rapid.T) blog.Post {
	if len(m.posts) == 0 {
		t.Skip("no posts")
	}
	return m.posts[rapid.SampledFrom(slices.Sorted(maps.Keys(m.posts))).Draw(t, "post")]
}

func (m *plain) create(t *rapid.T) {
	p, err := m.r.Create(contextBackground, drawContent(t))
	if err != nil {
		t.Fatal(err)
	}
	m.posts[p.ID] = p
}

func (m *plain) save(t *rapid.T) {
	p, c := m.pick(t), drawContent(t)
	got, err := m.r.Save(contextBackground, p.ID, p.Version, c)
	if p.Status == blog.Published && len(c.Blocks) == 0 {
		if !errors.Is(err, errs.Invalid) {
			t.Fatalf("emptying a published post: %v", err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if c.PublishedAt.IsZero() {
		c.PublishedAt = p.PublishedAt
	}
	c.Slug = slugAfter(t, p, got)
	p.Content, p.Version, p.UpdatedAt = c, p.Version+1, got.UpdatedAt
	m.posts[p.ID] = p
}

// slugAfter is the address of a post after a change: the one that it had, or one made
// from its title when it is published without one or under another title.
func slugAfter(t *rapid.T, was, is blog.Post) string {
	switch {
	case was.Slug != "" && was.Title == is.Title:
		return was.Slug
	case is.Status != blog.Published:
		return ""
	case !strings.HasPrefix(is.Slug, blog.Slug(is.Title)):
		t.Fatalf("%q has the address %q", is.Title, is.Slug)
	}
	return is.Slug
}

func (m *plain) stale(t *rapid.T) {
	p := m.pick(t)
	if _, err := m.r.Save(contextBackground, p.ID, p.Version-1, content("Stale", 1)); !errors.Is(err, errs.Stale) {
		t.Fatalf("a stale save: %v", err)
	}
}

func (m *plain) status(t *rapid.T) {
	p := m.pick(t)
	s := rapid.SampledFrom([]blog.Status{blog.Draft, blog.Published, blog.Archived}).Draw(t, "status")
	got, err := m.r.SetStatus(contextBackground, p.ID, p.Version, s)
	if s == blog.Published && len(p.Blocks) == 0 {
		if !errors.Is(err, errs.Invalid) {
			t.Fatalf("publishing nothing: %v", err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if p.Status != s {
		p.Slug = slugAfter(t, p, got)
		p.Status, p.Version, p.UpdatedAt = s, p.Version+1, got.UpdatedAt
		if s == blog.Published && p.PublishedAt.IsZero() {
			p.PublishedAt = got.UpdatedAt
		}
	}
	m.posts[p.ID] = p
}

func (m *plain) delete(t *rapid.T) {
	p := m.pick(t)
	if err := m.r.Delete(contextBackground, p.ID, p.Version); err != nil {
		t.Fatal(err)
	}
	delete(m.posts, p.ID)
}

func (m *plain) check(t *rapid.T) {
	published := func(p blog.Post) bool { return p.Status == blog.Published }
	byDate := func(a, b blog.Post) int {
		return cmp.Or(b.PublishedAt.Compare(a.PublishedAt), cmp.Compare(b.ID, a.ID))
	}
	byID := func(a, b blog.Post) int { return cmp.Compare(b.ID, a.ID) }
	public := m.r.Public()
	for id, want := range m.posts {
		got, err := m.r.Get(contextBackground, id)
		if err != nil || !gocmp.Equal(want, got) {
			t.Fatalf("%v %s", err, gocmp.Diff(want, got))
		}
		if _, err := public.Post(contextBackground, id); published(want) != (err == nil) {
			t.Fatalf("a %s post to readers: %v", want.Status, err)
		}
	}
	m.same(t, "latest", m.want(published, byDate), public.Latest)
	m.same(t, "all", m.want(nil, func(a, b blog.Post) int { return cmp.Or(b.UpdatedAt.Compare(a.UpdatedAt), cmp.Compare(b.ID, a.ID)) }), m.r.List)
	for _, s := range []blog.Status{blog.Draft, blog.Published, blog.Archived} {
		m.same(t, string(s), m.want(func(p blog.Post) bool { return p.Status == s }, byID),
			func(ctx context.Context, o blog.PageOptions) (blog.Page[blog.Card], error) {
				return m.r.ListByStatus(ctx, s, o)
			})
	}
	var tags []string
	for _, tag := range []string{"100%", "B", "a", "a b", "x#y", "日本"} {
		has := func(p blog.Post) bool { return slices.Contains(p.Tags, tag) }
		m.same(t, "tag "+tag, m.want(has, byID), func(ctx context.Context, o blog.PageOptions) (blog.Page[blog.Card], error) {
			return m.r.ListByTag(ctx, tag, o)
		})
		shown := m.want(func(p blog.Post) bool { return has(p) && published(p) }, byDate)
		m.same(t, "published tag "+tag, shown, func(ctx context.Context, o blog.PageOptions) (blog.Page[blog.Card], error) {
			return public.ByTag(ctx, tag, o)
		})
		if len(shown) > 0 {
			tags = append(tags, fmt.Sprint(tag, len(shown)))
		}
	}
	m.counts(t, tags, public.Tags)
	months := map[string]int{}
	for _, p := range m.want(published, byDate) {
		months[p.PublishedAt.Format("2006-01")]++
	}
	var names []string
	for name, n := range months {
		names = append(names, fmt.Sprint(name, n))
		page, err := public.ByMonth(contextBackground, name, blog.PageOptions{Limit: 100})
		if err != nil || len(page.Items) != n {
			t.Fatalf("month %s: %d posts, want %d: %v", name, len(page.Items), n, err)
		}
	}
	m.counts(t, names, public.Months)
}

func (m *plain) want(keep func(blog.Post) bool, order func(a, b blog.Post) int) []blog.Post {
	var all []blog.Post
	for _, p := range m.posts {
		if keep == nil || keep(p) {
			all = append(all, p)
		}
	}
	slices.SortFunc(all, order)
	return all
}

// same walks a list in pages of two and compares it.
func (m *plain) same(t *rapid.T, name string, want []blog.Post, list func(context.Context, blog.PageOptions) (blog.Page[blog.Card], error)) {
	var is, should []string
	for _, p := range want {
		should = append(should, p.Title+"/"+p.ID+"/"+string(p.Status))
	}
	for o := (blog.PageOptions{Limit: 2}); ; {
		page, err := list(contextBackground, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range page.Items {
			is = append(is, c.Title+"/"+c.ID+"/"+string(c.Status))
		}
		if o.Cursor = page.Next; o.Cursor == "" {
			break
		}
	}
	if diff := gocmp.Diff(strings.Join(should, "\n"), strings.Join(is, "\n")); diff != "" {
		t.Fatalf("list %s: %s", name, diff)
	}
}

func (m *plain) counts(t *rapid.T, want []string, list func(context.Context, blog.PageOptions) (blog.Page[blog.Count], error)) {
	page, err := list(contextBackground, blog.PageOptions{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	var is []string
	for _, c := range page.Items {
		is = append(is, fmt.Sprint(c.Name, c.Count))
	}
	slices.Sort(is)
	slices.Sort(want)
	if !slices.Equal(is, want) {
		t.Fatalf("counts %v, want %v", is, want)
	}
}
