package blog_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pressroom/internal/desk/blog"
	"pressroom/internal/errs"
)

func TestLifeOfAPost(t *testing.T) {
	r := openRoom(t)
	ctx := t.Context()
	public := r.Public()

	p := must(r.Create(ctx, content("One", 3, "go", "日本")))(t)
	if p.Version != 1 || p.Status != blog.Draft || !p.PublishedAt.IsZero() {
		t.Errorf("created: %+v", p)
	}
	got := must(r.Get(ctx, p.ID))(t)
	if diff := cmp.Diff(p, got); diff != "" {
		t.Error(diff)
	}
	_, err := public.Post(ctx, p.ID)
	check(t, err, errs.NotFound)

	published := must(r.Publish(ctx, p.ID, p.Version))(t)
	if published.Version != 2 || published.PublishedAt.IsZero() {
		t.Errorf("published: %+v", published)
	}
	a := must(public.Post(ctx, p.ID))(t)
	if a.Title != "One" || len(a.Rows) != 3 || a.Minutes != 1 {
		t.Errorf("article: %+v", a)
	}

	edited := published.Content
	edited.Title, edited.Tags, edited.Blocks = "Two", []string{"go"}, edited.Blocks[:2]
	saved := must(r.Save(ctx, p.ID, published.Version, edited))(t)
	if a := must(public.Post(ctx, p.ID))(t); a.Title != "Two" || len(a.Rows) != 2 {
		t.Errorf("after the edit: %q with %d rows", a.Title, len(a.Rows))
	}
	if page := must(public.ByTag(ctx, "日本", blog.PageOptions{}))(t); len(page.Items) != 0 {
		t.Errorf("the removed tag lists %s", titles(page.Items))
	}

	draft := must(r.Unpublish(ctx, p.ID, saved.Version))(t)
	_, err = public.Post(ctx, p.ID)
	check(t, err, errs.NotFound)
	again := must(r.Publish(ctx, p.ID, draft.Version))(t)
	if !again.PublishedAt.Equal(published.PublishedAt) {
		t.Errorf("published again, the date went from %v to %v", published.PublishedAt, again.PublishedAt)
	}
	archived := must(r.Archive(ctx, p.ID, blog.AnyVersion))(t)
	if page := must(r.ListByStatus(ctx, blog.Archived, blog.PageOptions{}))(t); titles(page.Items) != "Two" {
		t.Errorf("archived: %s", titles(page.Items))
	}
	check(t, r.Delete(ctx, p.ID, archived.Version-1), errs.Stale)
	check(t, r.Delete(ctx, p.ID, archived.Version), nil)
	_, err = r.Get(ctx, p.ID)
	check(t, err, errs.NotFound)
	check(t, r.Delete(ctx, p.ID, blog.AnyVersion), errs.NotFound)
	if page := must(r.List(ctx, blog.PageOptions{}))(t); len(page.Items) != 0 {
		t.Errorf("after deletion: %s", titles(page.Items))
	}
	// Publishing, editing, unpublishing, publishing again, archiving.
	if len(r.changes) != 5 {
		t.Errorf("listeners heard of %d changes", len(r.changes))
	}
}

func TestStale(t *testing.T) {
	r := openRoom(t)
	ctx := t.Context()
	p := must(r.Create(ctx, content("One", 2)))(t)
	must(r.Save(ctx, p.ID, p.Version, content("Mine", 2)))(t)
	_, err := r.Save(ctx, p.ID, p.Version, content("Yours", 2))
	check(t, err, errs.Stale)
	_, err = r.Publish(ctx, p.ID, p.Version)
	check(t, err, errs.Stale)
	_, err = r.Save(ctx, p.ID, 7, content("Future", 2))
	check(t, err, errs.Stale)
	if got := must(r.Get(ctx, p.ID))(t); got.Title != "Mine" || got.Version != 2 {
		t.Errorf("got %q, version %d", got.Title, got.Version)
	}
}

func TestNotFound(t *testing.T) {
	r := openRoom(t)
	ctx := t.Context()
	for _, id := range []string{"", "nobody", strings.Repeat("x", 129), strings.Repeat("x", 5000), "a#METADATA", "\x00", "日本"} {
		_, err := r.Get(ctx, id)
		check(t, err, errs.NotFound)
		_, err = r.Public().Post(ctx, id)
		check(t, err, errs.NotFound)
		_, _, err = r.Public().Neighbours(ctx, id)
		check(t, err, errs.NotFound)
		_, err = r.Save(ctx, id, 1, content("x", 1))
		check(t, err, errs.NotFound)
		_, err = r.Publish(ctx, id, 1)
		check(t, err, errs.NotFound)
		check(t, r.Delete(ctx, id, 1), errs.NotFound)
		_, err = r.Duplicate(ctx, id)
		check(t, err, errs.NotFound)
		_, _, err = r.PreviewToken(ctx, id, 0)
		check(t, err, errs.NotFound)
	}
}

func TestValidation(t *testing.T) {
	r := openRoom(t)
	long := func(n int) string { return strings.Repeat("あ", n) }
	block := func(b blog.Block) func(*blog.Content) {
		return func(c *blog.Content) { c.Blocks = append(c.Blocks, b) }
	}
	tests := []struct {
		name   string
		change func(*blog.Content)
		want   string // the fields; "" if it is right
	}{
		{"as it is", func(*blog.Content) {}, ""},
		{"no title", func(c *blog.Content) { c.Title = "  " }, "title"},
		{"longest title", func(c *blog.Content) { c.Title = long(200) }, ""},
		{"long title", func(c *blog.Content) { c.Title = long(201) }, "title"},
		{"two lines", func(c *blog.Content) { c.Title = "a\nb" }, "title"},
		{"turned title", func(c *blog.Content) { c.Title = "a\u202eb" }, "title"},
		{"broken title", func(c *blog.Content) { c.Title = "a\xff" }, "title"},
		{"control in title", func(c *blog.Content) { c.Title = "a\x00" }, "title"},
		{"no summary", func(c *blog.Content) { c.Summary = "" }, "summary"},
		{"longest summary", func(c *blog.Content) { c.Summary = long(500) }, ""},
		{"long summary", func(c *blog.Content) { c.Summary = long(501) }, "summary"},
		{"ten tags", func(c *blog.Content) { c.Tags = strings.Fields("a b c d e f g h i j") }, ""},
		{"eleven tags", func(c *blog.Content) { c.Tags = strings.Fields("a b c d e f g h i j k") }, "tags"},
		{"tag twice", func(c *blog.Content) { c.Tags = []string{"AWS", "go", "ａｗｓ"} }, "tags[2]"},
		{"empty tag", func(c *blog.Content) { c.Tags = []string{"a", " "} }, "tags[1]"},
		{"longest tag", func(c *blog.Content) { c.Tags = []string{long(50)} }, ""},
		{"long tag", func(c *blog.Content) { c.Tags = []string{long(51)} }, "tags[0]"},
		{"no blocks", func(c *blog.Content) { c.Blocks = nil }, ""},
		{"thumbnail", func(c *blog.Content) { c.Thumbnail = "https://example.org/a.jpg" }, ""},
		{"script thumbnail", func(c *blog.Content) { c.Thumbnail = "javascript:alert(1)" }, "thumbnail"},
		{"future", func(c *blog.Content) { c.PublishedAt = time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC) }, "published_at"},
		{"past", func(c *blog.Content) { c.PublishedAt = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC) }, ""},
		{"unknown type", block(blog.Block{Type: "html", Content: "x"}), "blocks[1].type"},
		{"unknown layout", block(blog.Block{Type: blog.Text, Content: "x", Layout: "third"}), "blocks[1].layout"},
		{"empty text", block(blog.Block{Type: blog.Text}), "blocks[1].content"},
		{"longest text", block(blog.Block{Type: blog.Text, Content: strings.Repeat("x", blog.MaxContent)}), ""},
		{"long text", block(blog.Block{Type: blog.Text, Content: strings.Repeat("x", blog.MaxContent+1)}), "blocks[1].content"},
		{"data image", block(blog.Block{Type: blog.Image, Content: "data:image/svg+xml,<svg onload=alert(1)>"}), "blocks[1].content"},
		{"image", block(blog.Block{Type: blog.Image, Content: "http://example.org/a.png"}), ""},
		{"no such image", block(blog.Block{Type: blog.Image, Content: "media:01ARZ3NDEKTSV4RRFFQ69G5FAV"}), "blocks[1].content"},
		{"bad reference", block(blog.Block{Type: blog.Image, Content: "media:../x"}), "blocks[1].content"},
		{"video", block(blog.Block{Type: blog.Video, Content: "https://youtu.be/dQw4w9WgXcQ"}), ""},
		{"script video", block(blog.Block{Type: blog.Video, Content: " JavaScript:alert(1)"}), "blocks[1].content"},
		{"password in address", block(blog.Block{Type: blog.Video, Content: "https://a:b@example.org/"}), "blocks[1].content"},
		{"language", block(blog.Block{Type: blog.Code, Content: "x", Language: "C++"}), ""},
		{"no language", block(blog.Block{Type: blog.Code, Content: "x", Language: `go" onload="`}), "blocks[1].language"},
		{"long alt and caption", block(blog.Block{Type: blog.Text, Content: "x", Alt: long(501), Caption: long(501)}), "blocks[1].alt blocks[1].caption"},
		{"everything", func(c *blog.Content) { *c = blog.Content{Blocks: []blog.Block{{}, {}}, Tags: []string{""}} }, "title summary tags[0] blocks[0].type blocks[1].type"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := content("Title", 1)
			tt.change(&c)
			p, err := r.Create(t.Context(), c)
			if got := fields(err); got != tt.want {
				t.Fatalf("wrong fields: %q, want %q (%v)", got, tt.want, err)
			}
			if tt.want != "" {
				check(t, err, errs.Invalid)
				return
			}
			check(t, err, nil)
			if got := must(r.Get(t.Context(), p.ID))(t); !cmp.Equal(got, p) {
				t.Error(cmp.Diff(p, got))
			}
		})
	}
}

func TestPublishingWantsABlock(t *testing.T) {
	r := openRoom(t)
	ctx := t.Context()
	p := must(r.Create(ctx, content("Empty", 0)))(t)
	_, err := r.Publish(ctx, p.ID, p.Version)
	if check(t, err, errs.Invalid); fields(err) != "blocks" {
		t.Errorf("fields %q", fields(err))
	}
	full := r.publish(t, content("Full", 1))
	_, err = r.Save(ctx, full.ID, full.Version, content("Full", 0))
	if check(t, err, errs.Invalid); fields(err) != "blocks" {
		t.Errorf("fields %q", fields(err))
	}
	_, err = r.SetStatus(ctx, p.ID, p.Version, "secret")
	if check(t, err, errs.Invalid); fields(err) != "status" {
		t.Errorf("fields %q", fields(err))
	}
}

func TestDuplicate(t *testing.T) {
	r := openRoom(t)
	ctx := t.Context()
	p := r.publish(t, content(strings.Repeat("題", 200), 150, "a"))
	copied := must(r.Duplicate(ctx, p.ID))(t)
	if copied.Status != blog.Draft || !copied.PublishedAt.IsZero() || copied.ID == p.ID || !strings.HasSuffix(copied.Title, " (copy)") {
		t.Errorf("copied: %v %v %q", copied.Status, copied.PublishedAt, copied.Title)
	}
	if diff := cmp.Diff(p.Blocks, copied.Blocks); diff != "" {
		t.Error(diff)
	}
}

func TestBulk(t *testing.T) {
	r := openRoom(t)
	ctx := t.Context()
	var ids []string
	for i := range 3 {
		ids = append(ids, must(r.Create(ctx, content(fmt.Sprint("P", i), i)))(t).ID)
	}
	results := must(r.Bulk(ctx, blog.DoPublish, append(ids, "nobody")))(t)
	if len(results) != 4 {
		t.Fatalf("%d results", len(results))
	}
	check(t, results[0].Err, errs.Invalid) // it has no blocks
	check(t, results[1].Err, nil)
	check(t, results[2].Err, nil)
	check(t, results[3].Err, errs.NotFound)
	if page := must(r.Public().Latest(ctx, blog.PageOptions{}))(t); titles(page.Items) != "P2 P1" {
		t.Errorf("published: %s", titles(page.Items))
	}
	_, err := r.Bulk(ctx, "burn", nil)
	if check(t, err, errs.Invalid); fields(err) != "action ids" {
		t.Errorf("fields %q", fields(err))
	}
	must(r.Bulk(ctx, blog.DoDelete, ids))(t)
	if page := must(r.List(ctx, blog.PageOptions{}))(t); len(page.Items) != 0 {
		t.Errorf("left: %s", titles(page.Items))
	}
}
