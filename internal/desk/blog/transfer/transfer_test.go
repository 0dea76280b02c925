package transfer_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"image"
	"image/png"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pressroom/internal/desk/blog"
	"pressroom/internal/desk/blog/transfer"
	"pressroom/internal/errs"
	"pressroom/internal/outbound"
	"pressroom/internal/story"
	"pressroom/model/modeltest"
)

var now = time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)

func openDesk(t testing.TB) *blog.Desk {
	t.Helper()
	stores := modeltest.OpenStores(t, nil, blog.Schema, story.Schema)
	stories, err := story.New(stores.Tables, nil)
	if err != nil {
		t.Fatal(err)
	}
	d, err := blog.New(stores.Tables, stores.Objects, &blog.Options{
		Now: func() time.Time { return now }, Secret: []byte("0123456789abcdef"), Stories: stories, Log: slog.New(slog.DiscardHandler), PublicMedia: "https://news.example/blog/media/",
	})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func onePixel() []byte {
	var b bytes.Buffer
	_ = png.Encode(&b, image.NewGray(image.Rect(0, 0, 4, 3)))
	return b.Bytes()
}

func write(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func run(t testing.TB, d *blog.Desk, o transfer.Options) *transfer.Report {
	t.Helper()
	r, err := try(t.Context(), d, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func try(ctx context.Context, d *blog.Desk, o transfer.Options) (*transfer.Report, error) {
	im := &transfer.Importer{Desk: d, Now: func() time.Time { return now }}
	return im.Run(ctx, o)
}

// post returns the one post with a title.
func post(t testing.TB, d *blog.Desk, title string) blog.Post {
	t.Helper()
	page, err := d.List(t.Context(), blog.PageOptions{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range page.Items {
		if c.Title == title {
			p, err := d.Get(t.Context(), c.ID)
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
	}
	t.Fatalf("there is no post %q among %d", title, len(page.Items))
	return blog.Post{}
}

func count(t testing.TB, d *blog.Desk) int {
	t.Helper()
	n := 0
	for cursor := ""; ; {
		page, err := d.List(t.Context(), blog.PageOptions{Limit: 100, Cursor: cursor})
		if err != nil {
			t.Fatal(err)
		}
		n += len(page.Items)
		if cursor = page.Next; cursor == "" {
			return n
		}
	}
}

func wxr(items string) string {
	return `<?xml version="1.0" encoding="UTF-8" ?>
<rss version="2.0" xmlns:excerpt="http://wordpress.org/export/1.2/excerpt/" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:wp="http://wordpress.org/export/1.2/">
<channel><title>Old</title><link>https://old.example</link><wp:base_blog_url>https://old.example</wp:base_blog_url>
<wp:author><wp:author_login><![CDATA[ann]]></wp:author_login><wp:author_display_name><![CDATA[Ann Example]]></wp:author_display_name></wp:author>
` + items + `</channel></rss>`
}

func wxrPost(id int, title, body string, more ...string) string {
	return fmt.Sprintf(`<item><title><![CDATA[%s]]></title><link>https://old.example/2020/05/p%d/</link><dc:creator><![CDATA[ann]]></dc:creator>
<content:encoded><![CDATA[%s]]></content:encoded><excerpt:encoded><![CDATA[]]></excerpt:encoded><wp:post_id>%d</wp:post_id>
<wp:post_date_gmt><![CDATA[2020-05-06 07:08:09]]></wp:post_date_gmt><wp:status><![CDATA[publish]]></wp:status><wp:post_type><![CDATA[post]]></wp:post_type>
<category domain="category" nicename="news"><![CDATA[News]]></category><category domain="post_tag" nicename="a-b"><![CDATA[A &amp; B]]></category>%s</item>`, title, id, body, id, strings.Join(more, ""))
}

// A post keeps its date, author, tags, pictures and address; the same file again changes
// nothing, and a changed one is an edit, unless somebody edited it here.
func TestWordPress(t *testing.T) {
	d := openDesk(t)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "a.png") {
			_, _ = w.Write(onePixel())
			return
		}
		http.NotFound(w, r)
	}))
	defer site.Close()
	client, err := outbound.New(&outbound.Options{Allow: []string{strings.TrimPrefix(site.URL, "http://")}})
	if err != nil {
		t.Fatal(err)
	}
	body := "First line\nsecond line\n\nA <strong>bold</strong> word and [mystery x=\"1\"].\n\n" +
		`[caption id="x" width="3"]<img src="` + site.URL + `/wp-content/uploads/a-300x200.png" alt="A cat"> The cat[/caption]` + "\n\n" +
		"<blockquote>Said.<cite>Bob</cite></blockquote>\n\n<pre class=\"language-go\">if a &lt; b {\n}</pre>\n\nhttps://www.youtube.com/watch?v=dQw4w9WgXcQ\n\n<script>alert(1)</script>"
	items := wxrPost(7, "Hello &amp; welcome", body, `<wp:postmeta><wp:meta_key>_thumbnail_id</wp:meta_key><wp:meta_value><![CDATA[9]]></wp:meta_value></wp:postmeta>`,
		`<wp:postmeta><wp:meta_key>_wp_old_slug</wp:meta_key><wp:meta_value>older</wp:meta_value></wp:postmeta>`, `<wp:comment><wp:comment_id>1</wp:comment_id></wp:comment>`,
		`<category domain="author" nicename="cap-bea"><![CDATA[Bea]]></category>`) +
		strings.ReplaceAll(wxrPost(8, "Secret", "x"), "publish", "private") +
		strings.ReplaceAll(wxrPost(10, "About", "We."), "<![CDATA[post]]>", "<![CDATA[page]]>") +
		strings.ReplaceAll(wxrPost(11, "Menu", ""), "<![CDATA[post]]>", "<![CDATA[nav_menu_item]]>") +
		strings.ReplaceAll(wxrPost(9, "a", "", `<wp:attachment_url>`+site.URL+`/wp-content/uploads/a.png</wp:attachment_url>`,
			`<wp:postmeta><wp:meta_key>_wp_attachment_image_alt</wp:meta_key><wp:meta_value>A dot</wp:meta_value></wp:postmeta>`), "<![CDATA[post]]>", "<![CDATA[attachment]]>")
	file := write(t, "wxr.xml", wxr(items))
	im := &transfer.Importer{Desk: d, Client: client, Now: func() time.Time { return now }}
	o := transfer.Options{Format: "wordpress", File: file}

	o.Preview = true
	preview, err := im.Run(t.Context(), o)
	if err != nil || count(t, d) != 0 || preview.Counts.Made != 3 {
		t.Fatalf("a preview made %d of %+v: %v", count(t, d), preview.Counts, err)
	}
	o.Preview = false
	r, err := im.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	want := transfer.Counts{Posts: 2, Pages: 1, Media: 1, Tags: 3, Authors: 2, Redirects: 3, Made: 3, LeftOut: 1, MediaMade: 1, Lossy: 2}
	if diff := cmp.Diff(want, r.Counts); diff != "" {
		t.Error(diff)
	}
	for _, loss := range []string{"the shortcode [mystery] is kept as text", "a script element is left out", "1 comments are left out"} {
		if !slices.Contains(r.Entries[0].Losses, loss) {
			t.Errorf("%q is not among the losses %q", loss, r.Entries[0].Losses)
		}
	}
	p := post(t, d, "Hello & welcome")
	media := p.Thumbnail
	wantBlocks := []blog.Block{
		{Type: blog.Text, Layout: blog.Full, Content: "First line\\\nsecond line\n\nA **bold** word and \\[mystery x=\"1\"\\]."},
		{Type: blog.Image, Layout: blog.Full, Content: media, Alt: "A cat", Caption: "The cat"},
		{Type: blog.Quote, Layout: blog.Full, Content: "Said.", Caption: "Bob"},
		{Type: blog.Code, Layout: blog.Full, Content: "if a < b {\n}", Language: "go"},
		{Type: blog.Video, Layout: blog.Full, Content: "https://www.youtube.com/watch?v=dQw4w9WgXcQ"},
	}
	if diff := cmp.Diff(wantBlocks, p.Blocks); diff != "" {
		t.Error(diff)
	}
	if p.Author != "Ann Example" || p.CoAuthors != "Bea" || p.ThumbnailAlt != "A dot" || p.Status != blog.Published || !p.PublishedAt.Equal(time.Date(2020, 5, 6, 7, 8, 9, 0, time.UTC)) || !slices.Equal(p.Tags, []string{"News", "A & B"}) {
		t.Errorf("%q %s %s %q", p.Author, p.Status, p.PublishedAt, p.Tags)
	}
	if post(t, d, "Secret").Status != blog.Draft {
		t.Error("a private post is shown")
	}
	for _, old := range []string{"/2020/05/p7/", "/2020/05/older"} {
		if to, err := d.Public().Redirected(t.Context(), old); err != nil || to != p.ID {
			t.Errorf("%s leads to %q: %v", old, to, err)
		}
	}

	if r, err = im.Run(t.Context(), o); err != nil || r.Counts.Same != 3 || r.Counts.MediaSame != 1 || count(t, d) != 3 {
		t.Errorf("again: %+v, %d posts: %v", r.Counts, count(t, d), err)
	}
	o.File = write(t, "again.xml", wxr(strings.ReplaceAll(items, "bold", "brave")))
	if r, err = im.Run(t.Context(), o); err != nil || r.Counts.Changed != 1 || r.Counts.Same != 2 || count(t, d) != 3 {
		t.Errorf("changed: %+v: %v", r.Counts, err)
	}
	p = post(t, d, "Hello & welcome")
	if !strings.Contains(p.Blocks[0].Content, "**brave**") {
		t.Errorf("the edit is not there: %q", p.Blocks[0].Content)
	}
	c := p.Content
	c.Title = "Edited here"
	if _, err := d.Save(t.Context(), p.ID, p.Version, c); err != nil {
		t.Fatal(err)
	}
	o.File = file
	if r, err = im.Run(t.Context(), o); err != nil || r.Counts.Kept != 1 || post(t, d, "Edited here").Title == "" {
		t.Errorf("edited here: %+v: %v", r.Counts, err)
	}
	o.Overwrite = true
	if r, err = im.Run(t.Context(), o); err != nil || r.Counts.Changed != 1 || post(t, d, "Hello & welcome").Title == "" {
		t.Errorf("overwritten: %+v: %v", r.Counts, err)
	}
}

const ghostFile = `{"db":[{"meta":{"version":"5.1.0"},"data":{"posts":[
 {"id":"605ac141a2d5a6aa9e101e01","uuid":"u1","title":"Lexical","slug":"lexical","status":"published","visibility":"public","type":"post","published_at":"2021-02-03T04:05:06.000Z","created_at":"2021-02-01T00:00:00.000Z","feature_image":"__GHOST_URL__/content/images/a.png",
  "lexical":"{\"root\":{\"children\":[{\"type\":\"paragraph\",\"children\":[{\"type\":\"extended-text\",\"text\":\"Hi \",\"format\":0},{\"type\":\"extended-text\",\"text\":\"bold\",\"format\":1},{\"type\":\"link\",\"url\":\"https://x.example/\",\"children\":[{\"type\":\"text\",\"text\":\" link\",\"format\":0}]}]},{\"type\":\"extended-heading\",\"tag\":\"h2\",\"children\":[{\"type\":\"text\",\"text\":\"Head\"}]},{\"type\":\"image\",\"src\":\"__GHOST_URL__/content/images/a.png\",\"alt\":\"An A\",\"caption\":\"<b>Cap</b>\"},{\"type\":\"codeblock\",\"code\":\"x := 1\",\"language\":\"go\"},{\"type\":\"list\",\"listType\":\"number\",\"start\":3,\"children\":[{\"type\":\"listitem\",\"children\":[{\"type\":\"text\",\"text\":\"one\"}]}]},{\"type\":\"bookmark\",\"url\":\"https://b.example/\",\"metadata\":{\"title\":\"B\"}},{\"type\":\"signup\"},{\"type\":\"html\",\"html\":\"<p onclick=x>raw</p><script>1</script>\"}]}}"},
 {"id":"605ac141a2d5a6aa9e101e02","uuid":"u2","title":"Mobile","slug":"mobile","status":"draft","visibility":"public","page":1,"created_at":"2021-02-01T00:00:00.000Z",
  "mobiledoc":"{\"version\":\"0.3.1\",\"atoms\":[[\"soft-return\",\"\",{}]],\"cards\":[[\"markdown\",{\"markdown\":\"# Card\\n\\n> q\"}],[\"image\",{\"src\":\"/content/images/gone.png\",\"alt\":\"Gone\"}]],\"markups\":[[\"em\"],[\"a\",[\"href\",\"javascript:alert(1)\"]]],\"sections\":[[1,\"p\",[[0,[],0,\"A \"],[0,[0],1,\"b\"],[1,[],0,0],[0,[1],1,\"c\"]]],[10,0],[3,\"ul\",[[[0,[],0,\"item\"]]]],[10,1]]}"},
 {"id":"605ac141a2d5a6aa9e101e03","uuid":"u3","title":"Members","slug":"members","status":"published","visibility":"paid","html":"<p>paid</p>","created_at":"2021-02-01T00:00:00.000Z","published_at":"2021-02-03T04:05:06.000Z"}],
 "tags":[{"id":"t1","name":"News"},{"id":"t2","name":"#internal","visibility":"internal"}],
 "users":[{"id":"a1","name":"Ann"},{"id":"a2","name":"Bob"}],
 "posts_tags":[{"post_id":"605ac141a2d5a6aa9e101e01","tag_id":"t1"},{"post_id":"605ac141a2d5a6aa9e101e01","tag_id":"t2"}],
 "posts_meta":[{"post_id":"605ac141a2d5a6aa9e101e01","feature_image_alt":"A cover"}],
 "posts_authors":[{"post_id":"605ac141a2d5a6aa9e101e01","author_id":"a1"},{"post_id":"605ac141a2d5a6aa9e101e01","author_id":"a2"}]}}]}`

func zipped(t testing.TB, files map[string]string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, text := range files {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(w, text)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return write(t, "a.zip", b.String())
}

func TestGhost(t *testing.T) {
	d := openDesk(t)
	o := transfer.Options{Format: "ghost", File: zipped(t, map[string]string{"ghost.json": ghostFile, "content/images/a.png": string(onePixel())})}
	r := run(t, d, o)
	want := transfer.Counts{Posts: 2, Pages: 1, Media: 2, Tags: 2, Authors: 2, Redirects: 1, Made: 3, MediaMade: 1, MediaFailed: 1, Lossy: 3}
	if diff := cmp.Diff(want, r.Counts); diff != "" {
		t.Error(diff)
	}
	p := post(t, d, "Lexical")
	wantBlocks := []blog.Block{
		{Type: blog.Text, Layout: blog.Full, Content: "Hi **bold**[link](https://x.example/)\n\n## Head"},
		{Type: blog.Image, Layout: blog.Full, Content: p.Thumbnail, Alt: "An A", Caption: "Cap"},
		{Type: blog.Code, Layout: blog.Full, Content: "x := 1", Language: "go"},
		{Type: blog.Text, Layout: blog.Full, Content: "3. one\n\n[B](https://b.example/)\n\nraw"},
	}
	if diff := cmp.Diff(wantBlocks, p.Blocks); diff != "" {
		t.Error(diff)
	}
	if p.Author != "Ann" || p.CoAuthors != "Bob" || p.ThumbnailAlt != "A cover" || !slices.Equal(p.Tags, []string{"News"}) || p.Thumbnail == "" || !p.CreatedAt.Equal(time.Date(2021, 2, 1, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("%q %q %q %s", p.Author, p.Tags, p.Thumbnail, p.CreatedAt)
	}
	if to, err := d.Public().Redirected(t.Context(), "/lexical/"); err != nil || to != p.ID {
		t.Errorf("/lexical/ leads to %q: %v", to, err)
	}
	mobile := post(t, d, "Mobile")
	wantBlocks = []blog.Block{
		{Type: blog.Text, Layout: blog.Full, Content: "A *b*\\\nc\n\n# Card"},
		{Type: blog.Quote, Layout: blog.Full, Content: "q"},
		{Type: blog.Text, Layout: blog.Full, Content: "- item"},
		{Type: blog.Text, Layout: blog.Full, Content: "Gone"},
	}
	if diff := cmp.Diff(wantBlocks, mobile.Blocks); diff != "" {
		t.Error(diff)
	}
	if post(t, d, "Members").Status != blog.Draft {
		t.Error("what only members could read is shown to all")
	}
	if r = run(t, d, o); r.Counts.Same != 3 || count(t, d) != 3 {
		t.Errorf("again: %+v", r.Counts)
	}
}

func folder(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestMarkdown(t *testing.T) {
	d := openDesk(t)
	hugo := folder(t, map[string]string{
		"hugo.toml":                "baseURL = 'https://old.example/'\n",
		"content/posts/one.md":     "+++\ntitle = 'One'\ndate = 2020-01-02T03:04:05Z\ntags = ['a', 'b']\nauthor = ['Ann', 'Bob']\nseries = ['Tour']\nimage_alt = 'A point'\naliases = ['/older/']\nimage = '/pics/a.png'\n+++\nText with [ref][1] and ![in](a.png).\n\n```go\nx\n```\n\n{{< figure src=\"/pics/a.png\" alt=\"Alt\" caption=\"Cap\" >}}\n\n{{< unknown >}}\n\n[1]: https://x.example/\n",
		"content/posts/a.png":      string(onePixel()),
		"content/posts/b/index.md": "---\ntitle: Bundle\ndate: 2020-01-03\ndraft: true\n---\n> quote\n",
		"content/_index.md":        "---\ntitle: Home\n---\n",
		"content/about.md":         "---\ntitle: About\n---\nWe.\n",
		"content/none.md":          "No front matter.\n",
		"static/pics/a.png":        string(onePixel()),
		"themes/x/README.md":       "---\ntitle: Theme\n---\nx\n",
	})
	r := run(t, d, transfer.Options{Format: "markdown", File: hugo})
	want := transfer.Counts{Posts: 4, Pages: 1, Media: 2, Tags: 3, Authors: 2, Redirects: 3, Made: 3, LeftOut: 2, MediaMade: 2, Lossy: 2}
	if diff := cmp.Diff(want, r.Counts); diff != "" {
		t.Error(diff)
	}
	p := post(t, d, "One")
	if p.Author != "Ann" || p.CoAuthors != "Bob" || p.Series != "Tour" || p.ThumbnailAlt != "A point" {
		t.Errorf("%+v", p.Facts)
	}
	if len(p.Blocks) != 4 || p.Blocks[1] != (blog.Block{Type: blog.Code, Layout: blog.Full, Content: "x", Language: "go"}) || p.Blocks[2].Caption != "Cap" || p.Blocks[2].Content != p.Thumbnail ||
		!strings.Contains(p.Blocks[0].Content, "[1]: https://x.example/") || !strings.Contains(p.Blocks[0].Content, "![in](media:") || !strings.Contains(p.Blocks[3].Content, "unknown") {
		t.Errorf("%+v", p.Blocks)
	}
	for _, old := range []string{"/posts/one/", "/older", "/about"} {
		if _, err := d.Public().Redirected(t.Context(), old); err != nil {
			t.Errorf("%s: %v", old, err)
		}
	}
	jekyll := folder(t, map[string]string{
		"_config.yml":             "url: https://j.example\n",
		"_posts/2019-05-06-hi.md": "---\nlayout: post\ntitle: Hi\ntags: one two\ncategories: [x]\nredirect_from: /was/\n---\n{% highlight ruby %}\nputs 1\n{% endhighlight %}\n\nA {% mystery %}.\n",
		"_drafts/soon.md":         "---\nlayout: post\ntitle: Soon\n---\nText.\n",
		"_layouts/post.html":      "---\nlayout: base\n---\n<p>",
		"README.md":               "Read me.",
	})
	r = run(t, d, transfer.Options{Format: "markdown", File: jekyll})
	if r.Counts.Made != 2 || r.Counts.LeftOut != 1 || r.Counts.Redirects != 2 {
		t.Errorf("%+v", r.Counts)
	}
	p = post(t, d, "Hi")
	if p.Blocks[0].Type != blog.Code || p.Blocks[0].Language != "ruby" || !slices.Equal(p.Tags, []string{"one", "two", "x"}) || p.PublishedAt.Format(time.DateOnly) != "2019-05-06" {
		t.Errorf("%+v", p)
	}
	if _, err := d.Public().Redirected(t.Context(), "/x/2019/05/06/hi.html"); err != nil {
		t.Error(err)
	}
	if r = run(t, d, transfer.Options{Format: "markdown", File: jekyll}); r.Counts.Same != 2 {
		t.Errorf("again: %+v", r.Counts)
	}
}

// What is exported comes back as it was: here nothing changes, elsewhere it is the same.
func TestRoundTrip(t *testing.T) {
	d := openDesk(t)
	m, err := d.AddMedia(t.Context(), blog.NewMedia{Name: "a.png"}, bytes.NewReader(onePixel()))
	if err != nil {
		t.Fatal(err)
	}
	hard := blog.Content{
		Facts: blog.Facts{Title: `A "title": with # signs`, Summary: "Two\nlines", Author: "Ann, Esq.", Thumbnail: m.Ref}, Tags: []string{"a: b", "日本"},
		Blocks: []blog.Block{
			{Type: blog.Text, Content: "\n  # Head\n\n---\n<!-- x -->\ntext\n\n", Layout: blog.HalfLeft},
			{Type: blog.Text, Content: "![in](" + m.Ref + ")\n```\nopen", Layout: blog.HalfRight},
			{Type: blog.Image, Content: m.Ref, Alt: "a -- > ] b", Caption: "cap --> tion"},
			{Type: blog.Code, Content: "```\n<!-- y -->\n\n\tx\n", Language: "go", Caption: "c"},
			{Type: blog.Quote, Content: "one\n\n> two\nthree", Caption: "Who"},
			{Type: blog.Video, Content: "https://vimeo.com/1", Caption: "v"},
			{Type: blog.Text, Content: "last"},
		},
		PublishedAt: time.Date(2020, 1, 2, 3, 4, 5, 6e6, time.UTC),
	}
	first, err := d.Create(t.Context(), blog.Content{Facts: blog.Facts{Title: "原文", Summary: "S"}, Blocks: hard.Blocks[6:]})
	if err != nil {
		t.Fatal(err)
	}
	given := map[string]string{
		"co_authors": "Bob, 花子", "series": "Part: one", "translates": first.ID, "thumbnail_alt": "A # picture", "thumbnail_focus": "30 70", "slug": "another-address",
	}
	for fact, text := range hard.Facts.All { // one that is added later is missed here
		if *text == "" {
			*text = given[fact.Name]
		}
		if *text == "" {
			t.Errorf("%s is not tried", fact.Name)
		}
	}
	p, err := d.Create(t.Context(), hard)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Publish(t.Context(), p.ID, p.Version); err != nil {
		t.Fatal(err)
	}
	for i, s := range []blog.Status{blog.Draft, blog.Archived} {
		p, err := d.Create(t.Context(), blog.Content{Facts: blog.Facts{Title: fmt.Sprint("Plain ", i), Summary: "S"}})
		if err == nil {
			_, err = d.SetStatus(t.Context(), p.ID, p.Version, s)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, as := range []string{"markdown", "ghost"} {
		to := filepath.Join(t.TempDir(), "out.zip")
		e, err := transfer.Export(t.Context(), d, as, to)
		if err != nil || e.Posts != 4 || e.Media != 1 || len(e.Losses) > 0 {
			t.Fatal(as, e, err)
		}
		if r := run(t, d, transfer.Options{Format: as, File: to}); r.Counts.Same != 4 || r.Counts.Lossy != 0 {
			t.Errorf("%s, here: %+v %+v", as, r.Counts, r.Entries)
		}
		other := openDesk(t)
		if r := run(t, other, transfer.Options{Format: as, File: to}); r.Counts.Made != 4 || r.Counts.Lossy != 0 || r.Counts.MediaMade != 1 {
			t.Errorf("%s, elsewhere: %+v %+v", as, r.Counts, r.Entries)
		}
		page, err := d.List(t.Context(), blog.PageOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range page.Items {
			was, err := d.Get(t.Context(), c.ID)
			if err != nil {
				t.Fatal(err)
			}
			is, err := other.Get(t.Context(), c.ID)
			if err != nil {
				t.Fatal(err)
			}
			was.Version, is.Version = 0, 0
			if diff := cmp.Diff(was, is); diff != "" {
				t.Errorf("%s: %s", as, diff)
			}
		}
	}
}

// An import that was cut off goes on, and doubles nothing.
func TestCutOff(t *testing.T) {
	d := openDesk(t)
	var items strings.Builder
	for i := range 60 {
		items.WriteString(wxrPost(i+1, fmt.Sprint("Post ", i), `text <img src="data:image/png;base64,`+base64.StdEncoding.EncodeToString(onePixel())+`">`))
	}
	file := write(t, "wxr.xml", wxr(items.String()))
	for after := 5; ; after += 9 {
		ctx, cancel := context.WithCancel(t.Context())
		r, err := try(ctx, d, transfer.Options{Format: "wordpress", File: file, Progress: func(done int) {
			if done == after {
				cancel()
			}
		}})
		cancel()
		if err == nil {
			if r.Counts.Posts != 60 {
				t.Errorf("%+v", r.Counts)
			}
			break
		}
	}
	if n := count(t, d); n != 60 {
		t.Errorf("there are %d posts", n)
	}
	if page, err := d.Library(t.Context(), blog.PageOptions{}); err != nil || len(page.Items) != 1 {
		t.Errorf("there are %d pictures: %v", len(page.Items), err)
	}
	if r := run(t, d, transfer.Options{Format: "wordpress", File: file}); r.Counts.Same != 60 {
		t.Errorf("again: %+v", r.Counts)
	}
}

// Nothing in a file does harm.
func TestHostile(t *testing.T) {
	asked := 0
	client, err := outbound.New(&outbound.Options{Resolve: func(context.Context, string) ([]netip.Addr, error) {
		asked++
		return []netip.Addr{netip.MustParseAddr("10.0.0.1")}, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	fetching := func(t *testing.T, d *blog.Desk, body string) (*transfer.Report, blog.Post) {
		im := &transfer.Importer{Desk: d, Client: client, Now: func() time.Time { return now }}
		r, err := im.Run(t.Context(), transfer.Options{Format: "wordpress", File: write(t, "x.xml", wxr(wxrPost(1, "T", body)))})
		if err != nil {
			t.Fatal(err)
		}
		return r, post(t, d, "T")
	}
	t.Run("scripts", func(t *testing.T) {
		_, p := fetching(t, openDesk(t), `<p onclick="alert(1)">a</p><script>alert(1)</script><a href="javascript:alert(1)">l</a><a href=" jAvascript:alert(1)">m</a><svg onload="alert(1)"><script>1</script></svg><iframe src="javascript:alert(1)"></iframe><img src=x onerror=alert(1)>&lt;script&gt;alert(2)&lt;/script&gt;<style>@import "x"</style><form action="https://evil.example"><input name=p></form>`)
		article, err := openArticle(t, p)
		if err != nil {
			t.Fatal(err)
		}
		for _, bad := range []string{"<script", "href=\"javascript", "src=\"javascript", "onerror", "onclick", "<svg", "<style", "<form"} {
			if strings.Contains(strings.ToLower(article), bad) {
				t.Errorf("%s is in %s", bad, article)
			}
		}
	})
	t.Run("addresses inside", func(t *testing.T) {
		r, p := fetching(t, openDesk(t), `x <img src="http://127.0.0.1/a.png" alt="one"> <img src="http://169.254.169.254/latest/meta-data" alt="two"> <img src="http://inside.example/a.png" alt="three"> <img src="file:///etc/passwd" alt="four"> <img src="http://[::1]:8080/x.png" alt="five">`)
		for _, b := range p.Blocks {
			if b.Type == blog.Image {
				t.Errorf("%+v", b)
			}
		}
		if r.Counts.MediaMade != 0 || r.Counts.Lossy != 1 || asked == 0 {
			t.Errorf("%+v, %d names asked for", r.Counts, asked)
		}
	})
	t.Run("SVG", func(t *testing.T) {
		svg := base64.StdEncoding.EncodeToString([]byte(`<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`))
		r, p := fetching(t, openDesk(t), `x <img src="data:image/svg+xml;base64,`+svg+`"><img src="data:image/png;base64,`+svg+`" alt="w">`)
		if r.Counts.MediaMade != 0 || slices.ContainsFunc(p.Blocks, func(b blog.Block) bool { return b.Type == blog.Image }) {
			t.Errorf("%+v %+v", r.Counts, p.Blocks)
		}
	})
	t.Run("entities", func(t *testing.T) {
		var bomb strings.Builder
		bomb.WriteString(`<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY a0 "ha"><!ENTITY file SYSTEM "file:///etc/passwd">`)
		for i := range 20 {
			fmt.Fprintf(&bomb, `<!ENTITY a%d "%s">`, i+1, strings.Repeat(fmt.Sprintf("&a%d;", i), 10))
		}
		bomb.WriteString(`]>` + strings.TrimPrefix(strings.ReplaceAll(wxr(wxrPost(1, "T", "")), "<![CDATA[]]>", "&a20;&file;"), `<?xml version="1.0" encoding="UTF-8" ?>`))
		d := openDesk(t)
		if _, err := try(t.Context(), d, transfer.Options{Format: "wordpress", File: write(t, "x.xml", bomb.String())}); err != nil && !isInvalid(err) {
			t.Fatal(err)
		}
		if count(t, d) > 0 {
			for _, b := range post(t, d, "T").Blocks {
				if len(b.Content) > 1000 || strings.Contains(b.Content, "root:") {
					t.Errorf("%.200q", b.Content)
				}
			}
		}
	})
	t.Run("one piece without end", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "big.xml")
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(f, strings.TrimSuffix(wxr(""), "</channel></rss>")+"<item><title><![CDATA[")
		if err := f.Truncate(70 << 20); err != nil { // zeros, which are read as spaces
			t.Fatal(err)
		}
		_ = f.Close()
		if _, err := try(t.Context(), openDesk(t), transfer.Options{Format: "wordpress", File: path}); !isInvalid(err) {
			t.Errorf("%v", err)
		}
	})
	t.Run("zip bomb", func(t *testing.T) {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		w, err := z.Create("ghost.json")
		if err != nil {
			t.Fatal(err)
		}
		zeros := make([]byte, 1<<20)
		for range 100 {
			_, _ = w.Write(zeros)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := try(t.Context(), openDesk(t), transfer.Options{Format: "ghost", File: write(t, "b.zip", b.String())}); !isInvalid(err) || !strings.Contains(err.Error(), "bomb") {
			t.Errorf("%v", err)
		}
	})
	t.Run("paths", func(t *testing.T) {
		secret := write(t, "secret.png", string(onePixel()))
		file := zipped(t, map[string]string{
			"a.md":          "---\ntitle: T\ndate: 2020-01-01\n---\ntext ![a](../../../../../../../.." + secret + ") ![b](/.." + secret + ") ![c](..%2f..%2fx.png)\n\n![d](" + secret + ")\n",
			"../../evil.md": "---\ntitle: Evil\ndate: 2020-01-01\n---\nx\n", "/abs.md": "---\ntitle: Abs\n---\nx",
		})
		d := openDesk(t)
		r, err := try(t.Context(), d, transfer.Options{Format: "markdown", File: file})
		if err != nil && !isInvalid(err) {
			t.Fatal(err)
		}
		if r.Counts.MediaMade != 0 || r.Counts.Made > 3 { // names that lead out are those of files within
			t.Errorf("%+v", r.Counts)
		}
	})
	t.Run("links", func(t *testing.T) {
		secret := write(t, "secret.png", string(onePixel()))
		dir := folder(t, map[string]string{"a.md": "---\ntitle: T\ndate: 2020-01-01\n---\ntext\n\n![a](link.png)\n\n![b](dir/secret.png)\n"})
		for name, to := range map[string]string{"link.png": secret, "dir": filepath.Dir(secret), "evil.md": secret} {
			if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
				t.Skipf("SKIPPED: there are no symbolic links here: %v", err)
			}
		}
		d := openDesk(t)
		if r := run(t, d, transfer.Options{Format: "markdown", File: dir}); r.Counts.MediaMade != 0 || r.Counts.Made != 1 {
			t.Errorf("%+v %+v", r.Counts, r.Entries)
		}
	})
	t.Run("front matter", func(t *testing.T) {
		bomb := "a: &a [x,x,x,x,x,x,x,x,x,x]\n"
		for i := range 12 {
			bomb += fmt.Sprintf("%c: &%c [%s]\n", 'b'+i, 'b'+i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*%c,", 'a'+i), 10), ","))
		}
		dir := folder(t, map[string]string{"a.md": "---\n" + bomb + "---\nx", "b.md": "---\ntitle: [\n---\nx", "c.md": "---\ntitle: Good\n---\nx", "d.md": "+++\n" + strings.Repeat("a = 1\n", 60000) + "+++\nx"})
		if r := run(t, openDesk(t), transfer.Options{Format: "markdown", File: dir}); r.Counts.Made != 1 || r.Counts.LeftOut != 3 {
			t.Errorf("%+v %+v", r.Counts, r.Entries)
		}
	})
	t.Run("absurd sizes", func(t *testing.T) {
		deep := strings.Repeat("<div><b>", 3000) + "deep" // more than the parser nests
		r, p := fetching(t, openDesk(t), deep+strings.Repeat("<p>word</p>", 100_000)+`<pre>`+strings.Repeat("c", 300_000)+`</pre><img src="data:image/png;base64,`+strings.Repeat("A", 1000)+`">`)
		if r.Counts.Made != 1 || len(p.Blocks) == 0 {
			t.Errorf("%+v", r.Counts)
		}
		long := strings.Repeat("long ", 1000)
		_, p = fetching(t, openDesk(t), long+`<table><tr>`+strings.Repeat("<td>x</td>", 5000)+`</tr></table>`)
		if len(p.Summary) > 2000 {
			t.Error(p.Summary)
		}
	})
}

func isInvalid(err error) bool { return errs.KindOf(err) == errs.Invalid }

// openArticle returns what readers are shown of a post's text.
func openArticle(t testing.TB, p blog.Post) (string, error) {
	t.Helper()
	d := openDesk(t)
	a, err := d.Render(t.Context(), p.Content)
	if err != nil {
		return "", err
	}
	var shown strings.Builder
	for _, row := range a.Rows {
		for _, c := range row.Cells {
			shown.WriteString(strings.ReplaceAll(string(c.HTML), "&lt;script&gt;", ""))
		}
	}
	return shown.String(), nil
}

func BenchmarkImport(b *testing.B) {
	var items strings.Builder
	for i := range 500 {
		items.WriteString(wxrPost(i+1, fmt.Sprint("Post ", i), strings.Repeat("<p>Words of a post.</p>", 100)))
	}
	file := write(b, "wxr.xml", wxr(items.String()))
	for b.Loop() {
		run(b, openDesk(b), transfer.Options{Format: "wordpress", File: file})
	}
	b.ReportMetric(500*float64(b.N)/b.Elapsed().Seconds(), "posts/s")
}
