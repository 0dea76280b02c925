package blogweb_test

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"pressroom/internal/auth"
	"pressroom/internal/desk/blog"
	"pressroom/internal/desk/blog/transfer"
	"pressroom/internal/web/webtest"
)

const exported = `<?xml version="1.0" encoding="UTF-8"?><rss xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:wp="http://wordpress.org/export/1.2/"><channel>
<wp:base_blog_url>https://old.example</wp:base_blog_url>
<item><title>Brought along</title><link>https://old.example/2020/05/brought/</link><content:encoded><![CDATA[Text & <script>alert(1)</script>more.]]></content:encoded><wp:post_id>1</wp:post_id><wp:post_date_gmt>2020-05-06 07:08:09</wp:post_date_gmt><wp:status>publish</wp:status><wp:post_type>post</wp:post_type></item>
<item><title>A menu</title><wp:post_id>2</wp:post_id><wp:post_type>nav_menu_item</wp:post_type></item>
</channel></rss>`

// work does what the newsroom's job does.
func (r *room) work(t testing.TB) {
	t.Helper()
	im := &transfer.Importer{Desk: r.desk, Now: r.Now}
	if err := im.Work(t.Context(), func(int) {}); err != nil {
		t.Fatal(err)
	}
}

// A file is uploaded, previewed, imported, imported again, and its old addresses lead to
// its posts.
func TestImportBrowser(t *testing.T) {
	r := open(t)
	b := webtest.OpenBrowser(t, r.Site)
	r.signIn(t, b, "op", auth.Operator)
	for _, lang := range []string{"en", "ja"} {
		b.Go("/office/import?lang=" + lang)
		b.Axe("imports-" + lang)
		b.Shot("imports-" + lang)
		webtest.Eval[bool](b, fmt.Sprintf(`(() => {
			const d = new DataTransfer();
			d.items.add(new File([%q], "old.xml", {type: "text/xml"}));
			document.querySelector("#file").files = d.files;
			document.querySelector("#format").value = "wordpress";
			return true;
		})()`, exported))
		b.Follow("main form.card button[type=submit]")
		if state := webtest.Eval[string](b, `document.querySelector("[data-state]").dataset.state`); state != blog.ImportWaiting {
			t.Fatalf("after the upload the state is %q", state)
		}
		if n := len(posts(t, r)); lang == "en" && n != 0 {
			t.Fatalf("an upload made %d posts", n)
		}
		r.work(t)
		arrives(t, b, blog.ImportPreviewed)
		if got := b.Text("#progress"); !strings.Contains(got, "Brought along") || !strings.Contains(got, "script") || !strings.Contains(got, "nav_menu_item") {
			t.Errorf("the preview says %q", got)
		}
		if n := len(posts(t, r)); lang == "en" && n != 0 {
			t.Fatalf("a preview made %d posts", n)
		}
		b.Axe("import-" + lang)
		b.Shot("import-" + lang)
		b.Follow("#progress form button[type=submit]")
		r.work(t)
		arrives(t, b, blog.ImportDone)
		want := map[string]string{"en": "made", "ja": "same"}[lang]
		if got := b.Text("[data-count=" + want + "]"); got != "1" {
			t.Errorf("%s: %s of 1 posts are %s", lang, got, want)
		}
	}
	all := posts(t, r)
	if len(all) != 1 {
		t.Fatalf("there are %d posts", len(all))
	}
	for _, old := range []string{"/2020/05/brought/", "/2020/05/brought"} {
		if got := r.Get(t, auth.Everyone, old).Want(http.StatusMovedPermanently).Header.Get("Location"); got != "/blog/posts/"+all[0].ID {
			t.Errorf("%s leads to %s", old, got)
		}
	}
	if _, err := r.desk.Unpublish(t.Context(), all[0].ID, blog.AnyVersion); err != nil {
		t.Fatal(err)
	}
	r.Get(t, auth.Everyone, "/2020/05/brought/").Want(http.StatusNotFound)
}

func arrives(t testing.TB, b *webtest.Browser, state string) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
		if got := webtest.Eval[string](b, `document.querySelector("[data-state]")?.dataset.state ?? ""`); got == state {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the page never says %s: %q", state, b.Text("#progress"))
		}
	}
}

func posts(t testing.TB, r *room) []blog.Card {
	t.Helper()
	page, err := r.desk.List(t.Context(), blog.PageOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return page.Items
}

// What is wrong with an upload is said beside the field, and with the file on its page.
func TestImportProblems(t *testing.T) {
	r := open(t)
	r.Get(t, auth.Author, "/office/import").Want(http.StatusForbidden)
	page := r.uploadTo(t, auth.Operator, "/office/import", map[string]string{"format": "nonsense", "base": "gopher://x"}, "", nil).Want(http.StatusUnprocessableEntity)
	if page.Count("[aria-invalid=true]") < 2 {
		t.Errorf("%s", page.Text("main"))
	}
	to := r.uploadTo(t, auth.Operator, "/office/import", map[string]string{"format": "ghost"}, "x.json", []byte("{")).Want(http.StatusSeeOther).Header.Get("Location")
	r.work(t)
	if page = r.Get(t, auth.Operator, to).Want(http.StatusOK); page.Attr("[data-state]", "data-state") != blog.ImportFailed || page.Text("[role=alert]") == "" {
		t.Errorf("%s", page.Text("main"))
	}
	r.Get(t, auth.Operator, "/office/import/01J00000000000000000000000").Want(http.StatusNotFound)
}

// uploadTo sends a form with a file, if it has a name.
func (r *room) uploadTo(t testing.TB, role auth.Role, path string, fields map[string]string, name string, file []byte) *webtest.Reply {
	t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for name, value := range fields {
		if err := w.WriteField(name, value); err != nil {
			t.Fatal(err)
		}
	}
	if name != "" {
		part, err := w.CreateFormFile("file", name)
		if err == nil {
			_, err = part.Write(file)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, &body)
	req.Header.Set("Content-Type", w.FormDataContentType())
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	return r.Do(t, role, req)
}
