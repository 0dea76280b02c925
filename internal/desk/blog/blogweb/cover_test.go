package blogweb_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pressroom/internal/auth"
	"pressroom/internal/desk/blog"
	"pressroom/internal/web/webtest"
)

// uploaded puts a picture into the library and returns the reference to it.
func (r *room) uploaded(t testing.TB, width, height int) string {
	t.Helper()
	var media struct{ Ref string }
	reply := r.uploadForm(t, auth.Author, "cover.png", picture(t, width, height), true).Want(http.StatusCreated)
	if err := json.Unmarshal([]byte(reply.Body), &media); err != nil {
		t.Fatal(err)
	}
	return media.Ref
}

// A cover is shown with its sizes, cut around its focal point, and described.
func TestCover(t *testing.T) {
	r := open(t)
	ref := r.uploaded(t, 1000, 1400)
	id := strings.TrimPrefix(ref, "media:")
	c := content("With a cover", nil, "text")
	c.Thumbnail, c.ThumbnailAlt, c.ThumbnailFocus = ref, "The tower <at> dusk", " 31  68 "
	p := r.put(t, c, blog.Published)
	if p.ThumbnailFocus != "31 68" {
		t.Errorf("the focal point is kept as %q", p.ThumbnailFocus)
	}
	page := r.Get(t, auth.Everyone, "/blog/posts/"+p.ID).Want(http.StatusOK)
	for name, want := range map[string]string{
		"src": "/blog/media/" + id + "/w960", "alt": "The tower <at> dusk", "class": "fx-30 fy-70", "width": "1000", "height": "1400",
		"srcset": fmt.Sprintf("/blog/media/%[1]s/full 1000w, /blog/media/%[1]s/w320 320w, /blog/media/%[1]s/w640 640w, /blog/media/%[1]s/w960 960w", id),
	} {
		if got := page.Attr(".cover img", name); got != want {
			t.Errorf("%s of the cover is %q, want %q", name, got, want)
		}
	}
	list := r.Get(t, auth.Everyone, "/blog").Want(http.StatusOK)
	if got := list.Attr(".story img", "class"); got != "fx-30 fy-70" {
		t.Errorf("the card's classes are %q", got)
	}
	for part := range strings.SplitSeq(list.Attr(".story img", "srcset"), ", ") {
		address, _, _ := strings.Cut(part, " ")
		r.Get(t, auth.Everyone, address).Want(http.StatusOK)
	}

	// A preview link shows it to whoever has the link, before anybody else sees it.
	draft := r.put(t, c, blog.Draft)
	token, _, err := r.desk.PreviewToken(t.Context(), draft.ID, 0)
	if err != nil {
		t.Fatal(err)
	}
	preview := r.Get(t, auth.Everyone, "/blog/preview/"+token).Want(http.StatusOK)
	if got := preview.Attr(".cover img", "srcset"); strings.Count(got, "preview=") != 4 {
		t.Errorf("the preview's sizes are %q", got)
	}

	// A body that shows the picture itself does not show it twice.
	c.Blocks = append(c.Blocks, blog.Block{Type: blog.Image, Layout: blog.Full, Content: ref, Alt: "The tower"})
	if page := r.Get(t, auth.Everyone, "/blog/posts/"+r.put(t, c, blog.Published).ID); page.Count(".cover") != 0 || page.Count(".art img") != 1 {
		t.Error("the picture is shown twice")
	}
	// A picture elsewhere has one size.
	c.Blocks, c.Thumbnail, c.ThumbnailFocus = c.Blocks[:1], "https://example.org/a.jpg", ""
	page = r.Get(t, auth.Everyone, "/blog/posts/"+r.put(t, c, blog.Published).ID)
	if page.Attr(".cover img", "src") != "https://example.org/a.jpg" || page.Attr(".cover img", "srcset") != "" || page.Attr(".cover img", "class") != "" {
		t.Error("a cover on another site is not shown as it is")
	}
}

func TestCoverFocusIsChecked(t *testing.T) {
	for _, text := range []string{"30", "30 101", "-1 5", "a b", "1 2 3", "30,70", "30.5 2"} {
		c := content("A", nil, "text")
		c.ThumbnailFocus = text
		if err := c.Validate(); err == nil {
			t.Errorf("%q is taken for a focal point", text)
		}
	}
}

// A picture without a description is published, and said to have none.
func TestCoverUndescribed(t *testing.T) {
	r := open(t)
	c := content("Undescribed", nil, "text")
	c.Thumbnail = r.uploaded(t, 400, 300)
	p := r.put(t, c, blog.Draft)
	path := "/office/blog/posts/" + p.ID
	visible := func() bool { return r.Get(t, auth.Author, path).Count("[data-noalt]:not([hidden])") == 1 }
	if !visible() {
		t.Error("the editor does not say that the cover is not described")
	}
	script := map[string]any{"do": "publish", "version": p.Version, "title": c.Title, "summary": c.Summary, "thumbnail": c.Thumbnail, "blocks": append(slices.Clone(c.Blocks), blog.Block{Type: blog.Image, Content: c.Thumbnail})}
	var saved struct {
		Version     int
		Status      blog.Status
		Undescribed []string
	}
	if err := json.Unmarshal([]byte(r.sendJSON(t, auth.Author, path, script).Want(http.StatusOK).Body), &saved); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(saved.Undescribed, " "); saved.Status != blog.Published || got != "thumbnail_alt blocks[1].alt" {
		t.Errorf("published: %s, with %s", saved.Status, got)
	}
	// Without the script the next page says it.
	if _, err := r.desk.Unpublish(t.Context(), p.ID, saved.Version); err != nil {
		t.Fatal(err)
	}
	f := form("publish", strconv.Itoa(saved.Version+1), c)
	f.Set("thumbnail", c.Thumbnail)
	reply := r.Post(t, auth.Author, path, f).Want(http.StatusSeeOther)
	if cookie := reply.Header.Get("Set-Cookie"); !strings.Contains(cookie, "pressroom_flash") {
		t.Errorf("nothing is said: %q", cookie)
	}
	script["thumbnail_alt"], script["version"], script["do"], script["blocks"] = "A gradient", saved.Version+3, "save", c.Blocks
	r.sendJSON(t, auth.Author, path, script).Want(http.StatusOK)
	if visible() {
		t.Error("the cover is described, and the editor asks for it")
	}
}

// giveFile puts a picture into the input that the editor's buttons open.
func giveFile(b *webtest.Browser) {
	webtest.Eval[bool](b, drawImage+`.then((file) => { const data = new DataTransfer(); data.items.add(file); const input = document.querySelector("[data-file]"); input.files = data.files; input.dispatchEvent(new Event("change")); return true; })`)
}

// A cover is uploaded, clicked where it matters, described and published; the button that
// adds an image takes one, too.
func TestBrowserCover(t *testing.T) {
	r := open(t)
	b := webtest.OpenBrowser(t, r.Site)
	r.signIn(t, b, "ann", auth.Author)
	b.Go("/office/blog/new")
	b.Type("#title", "The harbour at dusk")
	b.Type(blockAt(1, "content"), "Ships lie still.")
	// The dialog of the system cannot be driven, and must not open.
	webtest.Eval[bool](b, `(HTMLInputElement.prototype.click = () => {}, true)`)
	b.Click("[data-thumb-choose]")
	giveFile(b)
	eventually(t, "the cover is shown", func() bool {
		return webtest.Eval[bool](b, `document.querySelector(".edit-cover img").naturalWidth > 0`)
	})
	if !shown(b, "[data-noalt]") {
		t.Error("nobody asks what the cover shows")
	}
	b.Shot("blog-editor-cover")
	webtest.Eval[bool](b, `(() => { const box = document.querySelector(".edit-cover img").getBoundingClientRect(); document.querySelector(".edit-cover figure").dispatchEvent(new MouseEvent("click", {bubbles: true, clientX: box.left + box.width * 0.2, clientY: box.top + box.height * 0.9})); return true; })()`)
	if got := webtest.Eval[string](b, `document.querySelector("#thumbnail_focus").value`); got != "20 90" {
		t.Errorf("the focal point is %q", got)
	}
	eventually(t, "the preview is cut around the focal point", func() bool {
		return webtest.Eval[string](b, `(() => { const image = document.querySelector(".edit-read .cover img"); return image ? getComputedStyle(image).objectPosition : ""; })()`) == "20% 90%"
	})
	b.Click(`[data-add="image"]`)
	b.Click(".blocks > li:nth-child(2) [data-choose]")
	giveFile(b)
	eventually(t, "the image is in its block", func() bool {
		return webtest.Eval[bool](b, `(document.querySelector(".blocks > li:nth-child(2) [data-picture] img")?.naturalWidth ?? 0) > 0`)
	})
	b.Type(blockAt(2, "alt"), "Ships")
	b.Click(`[name="do"][value="publish"]`)
	eventually(t, "it is published and the missing description is told", func() bool { return shown(b, "#undescribed") })
	if got := b.Text("#undescribed"); !strings.HasSuffix(got, ": 1.") {
		t.Errorf("it says %q", got)
	}
	b.Axe("the editor with a cover")
	b.Click("[data-noalt] a")
	b.Type("#thumbnail_alt", "The harbour, with cranes before an orange sky")
	b.Click("[data-save]")
	state(t, b, "Saved")
	if shown(b, "[data-noalt]") {
		t.Error("the cover is described, and the editor asks for it")
	}
	b.Go("/office/blog/new?lang=ja")
	b.Go("/blog")
	b.Shot("blog-list-cover")
	b.Follow(".story h2 a")
	if got := webtest.Eval[string](b, `getComputedStyle(document.querySelector(".cover img")).objectPosition`); got != "20% 90%" {
		t.Errorf("the page cuts the cover at %s", got)
	}
	b.Axe("a post with a cover")
	b.Shot("blog-post-cover")
	b.Phone()
	b.Shot("blog-post-cover-phone")
	if chosen := webtest.Eval[string](b, `document.querySelector(".cover img").currentSrc`); !strings.Contains(chosen, "/w") {
		t.Errorf("a phone loads %s", chosen)
	}
}
