package blog_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/go-cmp/cmp"

	"pressroom/blob"
	"pressroom/internal/desk/blog"
	"pressroom/internal/errs"
)

func photo(t testing.TB, w, h int) []byte {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for i := range img.Pix {
		img.Pix[i] = byte(i * 7)
	}
	var b bytes.Buffer
	check(t, jpeg.Encode(&b, img, nil), nil)
	return b.Bytes()
}

func (r *room) addPhoto(t testing.TB, w, h int) blog.Media {
	t.Helper()
	return must(r.AddMedia(t.Context(), blog.NewMedia{Name: `C:\Photos\家 族.jpg`, Alt: "A family", Uploader: "ann"}, bytes.NewReader(photo(t, w, h))))(t)
}

func imageBlock(m blog.Media) blog.Block {
	return blog.Block{Type: blog.Image, Layout: blog.Full, Content: m.Ref, Alt: "x"}
}

func TestAddMedia(t *testing.T) {
	r := openRoom(t)
	ctx := t.Context()
	m := r.addPhoto(t, 1000, 500)
	if m.Name != "家 族.jpg" || m.ContentType != "image/jpeg" || m.Width != 1000 || len(m.Sizes) != 4 || m.Ref != "media:"+m.ID {
		t.Errorf("%+v", m)
	}
	if diff := cmp.Diff(m, must(r.GetMedia(ctx, m.ID))(t)); diff != "" {
		t.Error(diff)
	}
	for name, width := range map[string]int{"full": 1000, "w320": 320, "w640": 640, "w960": 960, "w1440": 1000} {
		o := must(r.OpenMedia(ctx, m.ID, name))(t)
		c, err := jpeg.DecodeConfig(o.Body)
		check(t, err, nil)
		check(t, o.Body.Close(), nil)
		if c.Width != width || o.ContentType != "image/jpeg" || o.ETag == "" || o.Size == 0 {
			t.Errorf("%s: %d wide, %+v", name, c.Width, o)
		}
	}
	for _, id := range []string{"", "x", "../../x", m.ID + "x", "01ARZ3NDEKTSV4RRFFQ69G5FAV"} {
		_, err := r.OpenMedia(ctx, id, "full")
		check(t, err, errs.NotFound)
		_, err = r.GetMedia(ctx, id)
		check(t, err, errs.NotFound)
	}
	for _, name := range []string{"", "x", "../full", "w1", "fulls"} {
		_, err := r.OpenMedia(ctx, m.ID, name)
		check(t, err, errs.NotFound)
	}
	changed := must(r.SetAlt(ctx, m.ID, " Another "))(t)
	if changed.Alt != "Another" || len(changed.Sizes) != 4 {
		t.Errorf("%+v", changed)
	}
	if cleared := must(r.SetAlt(ctx, m.ID, ""))(t); cleared.Alt != "" {
		t.Errorf("%+v", cleared)
	}
}

func TestNoImage(t *testing.T) {
	r := openRoom(t)
	ctx := t.Context()
	_, err := r.AddMedia(ctx, blog.NewMedia{Name: "a.png"}, strings.NewReader("<svg onload=alert(1)>"))
	if check(t, err, errs.Invalid); fields(err) != "file" {
		t.Errorf("fields %q", fields(err))
	}
	_, err = r.AddMedia(ctx, blog.NewMedia{Name: "a.jpg"}, io.MultiReader(bytes.NewReader(photo(t, 10, 10)), bytes.NewReader(make([]byte, blog.MaxUpload))))
	check(t, err, errs.TooLarge)
	_, err = r.AddMedia(ctx, blog.NewMedia{Name: "a\x00.jpg", Alt: strings.Repeat("x", 501)}, bytes.NewReader(photo(t, 10, 10)))
	if check(t, err, errs.Invalid); fields(err) != "name alt" {
		t.Errorf("fields %q", fields(err))
	}
	if left := r.items(t); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestImagesInPosts(t *testing.T) {
	r := openRoom(t)
	ctx := t.Context()
	shown, small := r.addPhoto(t, 1000, 500), r.addPhoto(t, 100, 50)
	c := content("Post", 1)
	c.Thumbnail = shown.Ref
	c.Blocks = append(c.Blocks, imageBlock(shown), blog.Block{Type: blog.Text, Content: "![small](" + small.Ref + ")"})
	p := r.publish(t, c)
	a := must(r.Public().Post(ctx, p.ID))(t)
	html := string(a.Rows[1].Cells[0].HTML)
	for _, want := range []string{`src="/blog/media/` + shown.ID + `/full"`, `/w320 320w`, `/full 1000w`, `width="1000" height="500"`} {
		if !strings.Contains(html, want) {
			t.Errorf("no %s in %s", want, html)
		}
	}
	if html := string(a.Rows[2].Cells[0].HTML); !strings.Contains(html, small.ID+`/full"`) || strings.Contains(html, "srcset") {
		t.Errorf("in text: %s", html)
	}
	if a.Thumbnail != "/blog/media/"+shown.ID+"/w640" || a.Image != "/blog/media/"+shown.ID+"/w1440" {
		t.Errorf("thumbnail %s, image %s", a.Thumbnail, a.Image)
	}
	if page := must(r.Public().Latest(ctx, blog.PageOptions{}))(t); page.Items[0].Thumbnail != a.Thumbnail {
		t.Errorf("in the list: %s", page.Items[0].Thumbnail)
	}
}

func TestUses(t *testing.T) {
	r := openRoom(t)
	ctx := t.Context()
	a, b, free := r.addPhoto(t, 50, 50), r.addPhoto(t, 50, 50), r.addPhoto(t, 50, 50)
	c := content("Post", 1)
	c.Thumbnail = a.Ref
	c.Blocks = append(c.Blocks, imageBlock(b))
	p := must(r.Create(ctx, c))(t)
	used := func(m blog.Media) string { return titles(must(r.UsedBy(ctx, m.ID))(t)) }
	unused := func() string {
		var ids []string
		for _, m := range must(r.Unused(ctx, blog.PageOptions{}))(t).Items {
			ids = append(ids, m.ID)
		}
		return strings.Join(ids, " ")
	}
	if used(a) != "Post" || used(b) != "Post" || used(free) != "" || unused() != free.ID {
		t.Errorf("used: %q %q %q, unused %s", used(a), used(b), used(free), unused())
	}
	check(t, r.DeleteMedia(ctx, a.ID), errs.Conflict)
	must(r.GetMedia(ctx, a.ID))(t) // it is still there

	// A code block only talks of an image.
	c.Thumbnail, c.Blocks = "", []blog.Block{{Type: blog.Code, Content: a.Ref}, imageBlock(b)}
	p = must(r.Save(ctx, p.ID, p.Version, c))(t)
	if used(a) != "" || used(b) != "Post" {
		t.Errorf("after the edit: %q %q", used(a), used(b))
	}
	check(t, r.DeleteMedia(ctx, a.ID), nil)
	_, err := r.GetMedia(ctx, a.ID)
	check(t, err, errs.NotFound)
	_, err = r.OpenMedia(ctx, a.ID, "full")
	check(t, err, errs.NotFound)
	check(t, r.DeleteMedia(ctx, a.ID), errs.NotFound)

	// A save that fails is no use, and none can name what is gone.
	_, err = r.Save(ctx, p.ID, p.Version-1, blog.Content{Facts: blog.Facts{Title: "x", Summary: "x", Thumbnail: free.Ref}})
	check(t, err, errs.Stale)
	c.Thumbnail = a.Ref
	_, err = r.Save(ctx, p.ID, p.Version, c)
	if check(t, err, errs.Invalid); fields(err) != "thumbnail" {
		t.Errorf("fields %q", fields(err))
	}
	if unused() != free.ID {
		t.Errorf("unused: %s", unused())
	}
	check(t, r.Delete(ctx, p.ID, p.Version), nil)
	if used(b) != "" {
		t.Errorf("a deleted post uses an image")
	}
	check(t, r.DeleteMedia(ctx, b.ID), nil)
	check(t, r.DeleteMedia(ctx, free.ID), nil)
	if left := r.items(t); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestLibraryPages(t *testing.T) {
	r := openRoom(t)
	ctx := t.Context()
	var ids []string
	for range 5 {
		ids = append([]string{r.addPhoto(t, 10, 10).ID}, ids...)
	}
	for name, list := range map[string]func(blog.PageOptions) (blog.Page[blog.Media], error){
		"library": func(o blog.PageOptions) (blog.Page[blog.Media], error) { return r.Library(ctx, o) },
		"unused":  func(o blog.PageOptions) (blog.Page[blog.Media], error) { return r.Unused(ctx, o) },
	} {
		var got []string
		for o := (blog.PageOptions{Limit: 2}); ; {
			page := must(list(o))(t)
			for _, m := range page.Items {
				got = append(got, m.ID)
			}
			if o.Cursor = page.Next; o.Cursor == "" {
				break
			}
		}
		if diff := cmp.Diff(ids, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestPresignedUpload sends an image over HTTP to the store, as a browser would.
func TestPresignedUpload(t *testing.T) {
	r := openRoom(t)
	ctx := t.Context()
	desk := r.Desk
	if store := r.stores.Blobs; store != nil { // another server is reached over HTTP as it is
		server := httptest.NewServer(store.Handler())
		t.Cleanup(server.Close)
		desk = r.open(t, r.db, func(o *blog.Options) {
			o.Presign = blob.Client(store, func(o *s3.Options) { o.BaseEndpoint = aws.String(server.URL) })
		})
	}
	file := photo(t, 700, 300)
	upload := must(desk.BeginUpload(ctx, blog.NewMedia{Name: "a.jpg"}, int64(len(file))))(t)
	_, err := desk.FinishUpload(ctx, upload.ID)
	check(t, err, errs.Conflict)
	_, err = desk.GetMedia(ctx, upload.ID)
	check(t, err, errs.NotFound)
	if page := must(desk.Library(ctx, blog.PageOptions{}))(t); len(page.Items) != 0 {
		t.Errorf("the library shows %d uploads that did not come", len(page.Items))
	}
	send(t, upload, file)
	m := must(desk.FinishUpload(ctx, upload.ID))(t)
	if m.ID != upload.ID || m.Width != 700 || len(m.Sizes) != 3 {
		t.Errorf("%+v", m)
	}
	if again := must(desk.FinishUpload(ctx, upload.ID))(t); !cmp.Equal(again, m) {
		t.Error(cmp.Diff(m, again))
	}

	script := []byte("<script>alert(1)</script>")
	upload = must(desk.BeginUpload(ctx, blog.NewMedia{Name: "a.jpg"}, int64(len(script))))(t)
	send(t, upload, script)
	_, err = desk.FinishUpload(ctx, upload.ID)
	check(t, err, errs.Invalid)
	_, err = desk.FinishUpload(ctx, upload.ID)
	check(t, err, errs.NotFound)
	out, err := r.objects.ListObjectsV2(ctx, &s3.ListObjectsV2Input{Bucket: aws.String("blog-media"), Prefix: aws.String("uploads/")})
	check(t, err, nil)
	if len(out.Contents) != 0 {
		t.Errorf("%d uploads are left", len(out.Contents))
	}
	for _, size := range []int64{0, -1, blog.MaxUpload + 1} {
		_, err := desk.BeginUpload(ctx, blog.NewMedia{Name: "a.jpg"}, size)
		if check(t, err, errs.Invalid); fields(err) != "size" {
			t.Errorf("fields %q", fields(err))
		}
	}
}

func send(t *testing.T, u blog.Upload, body []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), u.Method, u.URL, bytes.NewReader(body))
	check(t, err, nil)
	for name, value := range u.Headers {
		req.Header.Set(name, value)
	}
	res, err := http.DefaultClient.Do(req)
	check(t, err, nil)
	text, _ := io.ReadAll(res.Body)
	check(t, res.Body.Close(), nil)
	if res.StatusCode != http.StatusOK {
		t.Fatal(fmt.Sprint(res.Status, string(text)))
	}
}

func TestTransparentImage(t *testing.T) {
	r := openRoom(t)
	img := image.NewNRGBA(image.Rect(0, 0, 400, 400))
	img.SetNRGBA(1, 1, color.NRGBA{1, 2, 3, 4})
	var b bytes.Buffer
	check(t, png.Encode(&b, img), nil)
	m := must(r.AddMedia(t.Context(), blog.NewMedia{}, &b))(t)
	if m.ContentType != "image/png" || m.Name != "image" {
		t.Errorf("%+v", m)
	}
}

// Of a save that shows an image and a deletion of that image at the same time, at
// most one succeeds.
func TestDeletionMeetsSave(t *testing.T) {
	r := openRoom(t, func(o *blog.Options) { o.OnChange = nil })
	ctx := t.Context()
	p := must(r.Create(ctx, content("Post", 1)))(t)
	file := photo(t, 10, 10)
	saves, deletions := 0, 0
	for range 40 {
		m := must(r.AddMedia(ctx, blog.NewMedia{Name: "a.jpg"}, bytes.NewReader(file)))(t)
		c := content("Post", 1)
		c.Blocks = append(c.Blocks, imageBlock(m))
		var saved, deleted error
		var wg sync.WaitGroup
		wg.Go(func() { _, saved = r.Save(ctx, p.ID, p.Version, c) })
		wg.Go(func() { deleted = r.DeleteMedia(ctx, m.ID) })
		wg.Wait()
		if saved != nil {
			check(t, saved, errs.Invalid)
		} else {
			saves++
			p.Version++
		}
		if deleted != nil {
			check(t, deleted, errs.Conflict)
		} else {
			deletions++
		}
		if saved == nil && deleted == nil {
			t.Fatal("a post shows an image that is gone")
		}
	}
	t.Logf("%d saves, %d deletions", saves, deletions)
}

// Readers get the images that published posts show, and no others, whoever wrote the
// posts.
func TestImagesOfReaders(t *testing.T) {
	r := openRoom(t)
	ctx := t.Context()
	m, avatar := r.addPhoto(t, 50, 50), r.addPhoto(t, 50, 50)
	c := content("Post", 1)
	c.Blocks = append(c.Blocks, imageBlock(m))
	seen := func(what string, want bool) {
		t.Helper()
		o, err := r.Public().OpenMedia(ctx, m.ID, "w320")
		if want {
			check(t, err, nil)
			check(t, o.Body.Close(), nil)
			return
		}
		if check(t, err, errs.NotFound); t.Failed() {
			t.Fatalf("%s: readers see it", what)
		}
	}
	seen("nowhere", false)
	p := must(r.Create(ctx, c))(t)
	seen("in a draft", false)
	p = must(r.Publish(ctx, p.ID, p.Version))(t)
	seen("published", true)
	p = must(r.Archive(ctx, p.ID, p.Version))(t)
	seen("archived", false)
	p = must(r.Publish(ctx, p.ID, p.Version))(t)
	c.Blocks = c.Blocks[:1]
	p = must(r.Save(ctx, p.ID, p.Version, c))(t)
	seen("taken out", false)
	draft := content("Draft", 1)
	draft.Thumbnail = m.Ref
	d := must(r.Create(ctx, draft))(t)
	seen("in a draft beside a published post that had it", false)

	// Another program shows it, in a post that never did, under its address.
	p = r.publish(t, content("Other", 1))
	r.adopt(t)
	r.foreign(t, row{"pk": "POST#" + p.ID, "sk": "BLOCK#00001", "type": "image", "layout": "full", "content": "https://news.example/blog/media/" + m.ID + "/full"})
	r.adopt(t)
	seen("in another program's block", true)
	check(t, r.DeleteMedia(ctx, m.ID), errs.Conflict)
	check(t, r.Delete(ctx, p.ID, blog.AnyVersion), nil)
	seen("deleted", false)

	// A preview link opens the images of its own post alone.
	token, _, err := r.PreviewToken(ctx, d.ID, 0)
	check(t, err, nil)
	o := must(r.PreviewMedia(ctx, token, m.ID, "full"))(t)
	check(t, o.Body.Close(), nil)
	for _, wrong := range [][2]string{{token, avatar.ID}, {token + "x", m.ID}, {"", m.ID}} {
		_, err = r.PreviewMedia(ctx, wrong[0], wrong[1], "full")
		check(t, err, errs.NotFound)
	}

	// The profile is everyone's.
	_, err = r.Public().OpenMedia(ctx, avatar.ID, "full")
	check(t, err, errs.NotFound)
	about := r.open(t, r.db, func(o *blog.Options) { o.Profile.Avatar = avatar.Ref })
	o = must(about.Public().OpenMedia(ctx, avatar.ID, "full"))(t)
	check(t, o.Body.Close(), nil)
}
