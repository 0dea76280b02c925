package blogweb_test

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"pressroom/internal/auth"
	"pressroom/internal/desk/blog"
	"pressroom/internal/errs"
	"pressroom/internal/web/webtest"
)

const secret = "correct horse battery"

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("it never came to be that %s", what)
		}
	}
}

// signIn makes an account of the role and signs its browser in.
func (r *room) signIn(t *testing.T, b *webtest.Browser, name string, role auth.Role) {
	t.Helper()
	if _, err := r.Auth.Add(t.Context(), auth.NewAccount{Name: name, Password: secret, Role: role}); err != nil {
		t.Fatal(err)
	}
	b.Go("/sign-in")
	b.Type("#name", name)
	b.Type("#password", secret)
	b.Follow("main button[type=submit]")
}

// state waits for what the editor says about itself.
func state(t *testing.T, b *webtest.Browser, want string) {
	t.Helper()
	defer func() {
		if t.Failed() {
			t.Logf("the editor says %q %q", b.Text("[data-state]"), b.Text("#trouble"))
		}
	}()
	eventually(t, "the editor says "+want, func() bool { return b.Text("[data-state]") == want })
}

// shown reports whether something can be seen.
func shown(b *webtest.Browser, selector string) bool {
	return webtest.Eval[bool](b, fmt.Sprintf(`document.querySelector(%q)?.checkVisibility() ?? false`, selector))
}

// blockAt is the selector of a part of a block, counted from 1.
func blockAt(n int, part string) string {
	return fmt.Sprintf(`.blocks > li:nth-child(%d) [name="b.%s"]`, n, part)
}

// choose picks an option as a person does.
func choose(b *webtest.Browser, selector, value string) {
	webtest.Eval[bool](b, fmt.Sprintf(`(() => { const s = document.querySelector(%q); s.value = %q; s.dispatchEvent(new Event("input", {bubbles: true})); s.dispatchEvent(new Event("change", {bubbles: true})); return true; })()`, selector, value))
}

// order is the first word of each block.
func order(b *webtest.Browser) string {
	return webtest.Eval[string](b, `[...document.querySelectorAll('[data-blocks] [name="b.content"]')].map(e => e.value.split(/\s/)[0]).join(" ")`)
}

// drawImage is an expression for a file with a picture.
const drawImage = `(async () => {
	const canvas = new OffscreenCanvas(1200, 700);
	const pen = canvas.getContext("2d");
	const sky = pen.createLinearGradient(0, 0, 0, 700);
	sky.addColorStop(0, "#31506e"); sky.addColorStop(0.6, "#c98f6b"); sky.addColorStop(1, "#2b2b2b");
	pen.fillStyle = sky; pen.fillRect(0, 0, 1200, 700);
	pen.fillStyle = "#1b1b1b";
	for (let i = 0; i < 14; i++) pen.fillRect(i * 90, 430 - (i * 37 % 120), 62, 400);
	return new File([await canvas.convertToBlob()], "harbour.png", {type: "image/png"});
})()`

// The whole life of a post: written with an image, code, a quote and two columns,
// kept through a reload, previewed, published, read on both screens, edited,
// fought over, archived.
func TestBrowserLife(t *testing.T) {
	r := open(t)
	b := webtest.OpenBrowser(t, r.Site)
	r.signIn(t, b, "ann", auth.Author)
	b.Go("/office/blog")
	b.Axe("an empty office")
	b.Shot("blog-office-empty")
	b.Follow(".empty .button")

	b.Type("#title", "How we read the minutes so that you need not")
	b.Type(blockAt(1, "content"), "Every committee publishes what was said. **Nobody reads it all.**\n\n# What we do\n\nWe take each speech, keep its place, and write one line that points back.")
	b.Click(`[data-add="quote"]`)
	b.Type(blockAt(2, "content"), "A short account is not a small one, if its source stands beside it.")
	b.Type(blockAt(2, "caption"), "The editors")
	b.Click(`[data-add="code"]`)
	b.Type(blockAt(3, "language"), "go")
	b.Type(blockAt(3, "content"), "func cite(s Speech) string {\n  // The place never changes.\n  return fmt.Sprintf(\"%s#%d\", s.ID, s.Order)\n}")
	choose(b, blockAt(3, "layout"), "half_right")
	b.Click(`[data-add="text"]`)
	b.Type(blockAt(4, "content"), "Left of the code stands what it does: each sentence leads to *one* speech.")
	choose(b, blockAt(4, "layout"), "half_left")
	// By keyboard alone, the left half goes before the right one.
	b.Type(".blocks > li:nth-child(4) [data-grip]", kb.ArrowUp)
	if got := order(b); got != "Every A Left func" {
		t.Fatalf("after the arrow key: %s", got)
	}
	eventually(t, "the halves are previewed as columns", func() bool {
		return webtest.Eval[bool](b, `(() => { const [a, b] = document.querySelectorAll(".edit-read .art-row.pair .cell"); return !!b && b.getBoundingClientRect().left > a.getBoundingClientRect().right - 1; })()`)
	})
	if got := b.Text(".edit-read strong"); got != "Nobody reads it all." {
		t.Errorf("the preview has %q", got)
	}

	// An image is pasted into the text and becomes a block after it.
	webtest.Eval[bool](b, drawImage+`.then((file) => { const data = new DataTransfer(); data.items.add(file); document.querySelector(`+fmt.Sprintf("%q", blockAt(1, "content"))+`).dispatchEvent(new ClipboardEvent("paste", {clipboardData: data, bubbles: true, cancelable: true})); return true; })`)
	eventually(t, "the pasted image is a block", func() bool {
		return strings.HasPrefix(webtest.Eval[string](b, `document.querySelector(`+fmt.Sprintf("%q", blockAt(2, "content"))+`)?.value ?? ""`), "media:")
	})
	b.Type(blockAt(2, "alt"), "The harbour at dusk")
	b.Type(blockAt(2, "caption"), "Where the sessions are printed.")

	// Not saved yet, and still there after a reload.
	eventually(t, "the browser keeps a copy", func() bool {
		return webtest.Eval[bool](b, `Object.values(localStorage).some((text) => text.includes("Where the sessions are printed."))`)
	})
	b.Go("/office/blog/new")
	if got := order(b); !strings.HasPrefix(got, "Every media:") || !shown(b, "#restored") {
		t.Fatalf("after a reload: %s", got)
	}
	if got := webtest.Eval[string](b, `document.querySelector("#title").value`); !strings.HasPrefix(got, "How we read") {
		t.Errorf("the title after a reload is %q", got)
	}
	b.Click(".edit-facts summary")
	b.Type("#tags", "minutes, how it works")
	b.Click("[data-save]")
	state(t, b, "Saved")
	if !strings.HasPrefix(b.Path(), "/office/blog/posts/") {
		t.Fatalf("saved at %s", b.Path())
	}
	edit := b.Path()
	id := edit[strings.LastIndex(edit, "/")+1:]
	eventually(t, "the preview shows the picture", func() bool {
		return webtest.Eval[bool](b, `document.querySelector(".edit-read img")?.naturalWidth > 0`)
	})
	webtest.Eval[any](b, "scrollTo(0, 0)")
	b.Axe("editor")
	b.Shot("blog-editor-desktop")
	b.Click(`[data-view="write"]`)
	b.Shot("blog-editor-write-desktop")
	b.Click(`button[data-view="read"]`)
	b.Shot("blog-editor-preview-desktop")
	b.Click(`button[data-view="both"]`)
	b.Phone()
	b.Go(edit)
	b.Axe("editor on a phone")
	b.Shot("blog-editor-phone")
	b.Desktop()
	b.Go(edit)

	// A link that can be shared, for someone who is signed out.
	b.Click("[data-link] button")
	eventually(t, "there is a preview link", func() bool { return shown(b, "#link") })
	link, err := url.Parse(webtest.Eval[string](b, `document.querySelector("[data-link-url]").value`))
	if err != nil {
		t.Fatal(err)
	}
	r.Get(t, auth.Everyone, link.Path).Want(http.StatusOK)
	r.Get(t, auth.Everyone, "/blog/posts/"+id).Want(http.StatusNotFound)

	b.Click(`.edit-bar [value="publish"]`)
	eventually(t, "the post is published", func() bool { return b.Text("[data-badges]") == "published" })

	// A visitor reads it.
	r.put(t, content("A second post, for the way on", []string{"minutes"}, "text"), blog.Published)
	for _, screen := range []string{"phone", "desktop"} {
		if b.Desktop(); screen == "phone" {
			b.Phone()
		}
		b.Go("/blog/posts/" + id)
		side := webtest.Eval[bool](b, `(() => { const [a, b] = document.querySelectorAll(".art-row.pair .cell"); return b.getBoundingClientRect().left > a.getBoundingClientRect().right - 1; })()`)
		if side != (screen == "desktop") {
			t.Errorf("columns side by side on a %s: %t", screen, side)
		}
		webtest.Eval[bool](b, `(async () => { scrollTo(0, 1e6); await new Promise((ok) => setTimeout(ok, 300)); scrollTo(0, 0); await Promise.all([...document.images].map((i) => i.decode().catch(() => 0))); return true; })()`)
		b.Axe("post, " + screen)
		b.Shot("blog-post-" + screen)
	}

	// A second editor saves first; ours is told and loses nothing.
	b.Go(edit)
	now, err := r.desk.Get(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	theirs := now.Content
	theirs.Title = "The other editor's title"
	if _, err := r.desk.Save(t.Context(), id, now.Version, theirs); err != nil {
		t.Fatal(err)
	}
	if shown(b, "#clash") || shown(b, "#restored") {
		t.Error("a conflict or a copy is told of without reason")
	}
	b.Type("#title", kb.End+", told again")
	b.Click("[data-save]")
	eventually(t, "the conflict is told", func() bool { return shown(b, "#clash") })
	b.Axe("conflict")
	b.Shot("blog-editor-conflict")
	if got := webtest.Eval[string](b, `document.querySelector("#title").value`); !strings.HasSuffix(got, ", told again") {
		t.Errorf("our title is %q", got)
	}
	if got := r.Get(t, auth.Everyone, "/blog/posts/"+id).Text("h1"); got != theirs.Title {
		t.Errorf("readers see %q", got)
	}
	b.Click(`#clash [value="overwrite"]`)
	state(t, b, "Saved")
	if got := r.Get(t, auth.Everyone, "/blog/posts/"+id).Text("h1"); !strings.HasSuffix(got, ", told again") {
		t.Errorf("readers see %q", got)
	}

	b.Click(`.edit-more [value="archive"]`)
	eventually(t, "the post is archived", func() bool { return b.Text("[data-badges]") == "archived" })
	r.Get(t, auth.Everyone, "/blog/posts/"+id).Want(http.StatusNotFound)
}

// Blocks are moved by pointer and keys, copied, deleted and brought back; an image
// is dropped; the server keeps what is not saved.
func TestBrowserBlocks(t *testing.T) {
	r := open(t)
	b := webtest.OpenBrowser(t, r.Site)
	p := r.put(t, content("Blocks", nil, "one", "two", "three"), blog.Draft)
	r.signIn(t, b, "ann", auth.Author)
	edit := "/office/blog/posts/" + p.ID
	b.Go(edit)
	want := func(what, blocks string) {
		t.Helper()
		if got := order(b); got != blocks {
			t.Fatalf("%s: %s, want %s", what, got, blocks)
		}
	}
	press := func(selector, init string) {
		webtest.Eval[bool](b, fmt.Sprintf(`document.querySelector(%q).dispatchEvent(new KeyboardEvent("keydown", {bubbles: true, cancelable: true, %s})) || true`, selector, init))
	}
	b.Click(".blocks > li:nth-child(1) [data-do=down]")
	want("the button moves down", "two one three")
	press(blockAt(3, "content"), `key: "ArrowUp", altKey: true`)
	want("Alt and the arrow move up", "two three one")
	webtest.Eval[bool](b, `(() => {
		const blocks = document.querySelectorAll("[data-block]");
		const data = new DataTransfer();
		const fire = (target, type, more) => target.dispatchEvent(new DragEvent(type, {bubbles: true, cancelable: true, dataTransfer: data, ...more}));
		fire(blocks[2].querySelector("[data-grip]"), "dragstart");
		const box = blocks[0].getBoundingClientRect();
		fire(blocks[0], "dragover", {clientX: box.left + 5, clientY: box.top + 2});
		fire(blocks[0], "drop");
		fire(blocks[2].querySelector("[data-grip]"), "dragend");
		return true;
	})()`)
	want("dragging", "one two three")
	b.Click(".blocks > li:nth-child(2) [data-do=copy]")
	want("the button copies", "one two two three")
	press(blockAt(1, "content"), `key: "D", ctrlKey: true, shiftKey: true`)
	want("the keys copy", "one one two two three")
	b.Click(".blocks > li:nth-child(1) [data-do=drop]")
	want("the button deletes", "one two two three")
	b.Click("[data-undo] button")
	want("undo", "one one two two three")
	press(blockAt(5, "content"), `key: "Enter", ctrlKey: true`)
	if got := webtest.Eval[string](b, "document.activeElement.id"); got != "blocks[5].content" {
		t.Errorf("the new block is not where one types: %s", got)
	}
	webtest.Eval[bool](b, drawImage+`.then((file) => { const data = new DataTransfer(); data.items.add(file); document.querySelector("[data-block]").dispatchEvent(new DragEvent("drop", {dataTransfer: data, bubbles: true, cancelable: true})); return true; })`)
	eventually(t, "the dropped image is a block", func() bool { return strings.HasPrefix(order(b), "one media:") })
	// The picture for lists comes out of the library.
	b.Click(".edit-facts summary")
	b.Click("[data-thumb-library]")
	eventually(t, "the library is open", func() bool { return shown(b, "[data-pick] [data-ref]") })
	b.Axe("library in the editor")
	b.Shot("blog-editor-library")
	b.Click("[data-pick] [data-ref]")
	if got := webtest.Eval[string](b, `document.querySelector("#thumbnail").value`); !strings.HasPrefix(got, "media:") || shown(b, "[data-pick]") {
		t.Errorf("the picture for lists is %q", got)
	}
	// A block of code may not stay empty; the editor says which one is.
	choose(b, blockAt(7, "type"), "code")
	press(blockAt(1, "content"), `key: "s", ctrlKey: true`)
	eventually(t, "the mistake is told", func() bool { return strings.Contains(b.Text("#trouble"), "Block 7") })
	if webtest.Eval[int](b, `document.querySelectorAll('[data-block]:nth-child(7) [aria-invalid]').length`) != 1 {
		t.Error("the empty block is not marked")
	}
	b.Axe("mistake")
	b.Shot("blog-editor-mistake")
	eventually(t, "the server keeps what is not saved", func() bool {
		return strings.Contains(b.Text("[data-state]"), "a copy is kept") || func() bool {
			webtest.Eval[bool](b, `document.querySelector("#title").dispatchEvent(new Event("input", {bubbles: true}))`)
			time.Sleep(3 * time.Second)
			return false
		}()
	})
	// Another browser of the same editor is offered it.
	webtest.Eval[any](b, "localStorage.clear()")
	b.Go("/blog")
	webtest.Eval[any](b, "localStorage.clear()")
	b.Go(edit)
	want("as it was saved", "one two three")
	b.Follow("[data-unsaved-open]")
	if got := order(b); !strings.HasPrefix(got, "one media:") {
		t.Errorf("the copy from the server is %s", got)
	}
}

// What was done is undone and done again, also across a save; words are found and
// replaced in all of a long post; the length is counted towards a goal.
func TestBrowserTools(t *testing.T) {
	r := open(t)
	b := webtest.OpenBrowser(t, r.Site)
	texts := make([]string, 40)
	for i := range texts {
		texts[i] = fmt.Sprintf("block%d has a Harbour (1+1) and a harbour", i)
	}
	p := r.put(t, content("Harbour news", nil, texts...), blog.Draft)
	r.signIn(t, b, "ann", auth.Author)
	b.Go("/office/blog/posts/" + p.ID)
	value := func(selector string) string {
		return webtest.Eval[string](b, fmt.Sprintf("document.querySelector(%q).value", selector))
	}

	b.Click(".blocks > li:nth-child(1) [data-do=down]")
	b.Type("#title", "!")
	b.Click("[data-step=undo]")
	if got := value("#title"); got != "Harbour news" {
		t.Errorf("typing undone: %q", got)
	}
	b.Click("[data-step=undo]")
	if got := order(b); !strings.HasPrefix(got, "block0 block1 ") {
		t.Errorf("the move undone: %.40s", got)
	}
	b.Click("[data-step=redo]")
	if got := order(b); !strings.HasPrefix(got, "block1 block0 ") {
		t.Errorf("the move done again: %.40s", got)
	}
	b.Click("[data-save]")
	state(t, b, "Saved")
	b.Click("[data-step=undo]")
	eventually(t, "there is something to save", func() bool { return strings.HasPrefix(b.Text("[data-state]"), "Not saved yet") })
	b.Click("[data-save]")
	state(t, b, "Saved")
	stored := func() []blog.Block {
		got, err := r.desk.Get(t.Context(), p.ID)
		if err != nil {
			t.Fatal(err)
		}
		return got.Blocks
	}
	if got := stored(); !strings.HasPrefix(got[0].Content, "block0") {
		t.Errorf("undone across a save: %q", got[0].Content)
	}

	b.Click("[data-find-open]")
	b.Type("[data-find-what]", "harbour (1+1)")
	if got := b.Text("[data-find-count]"); got != "1 of 40" {
		t.Errorf("found: %q", got)
	}
	b.Click("[data-find-case]")
	if got := b.Text("[data-find-count]"); got != "0 of 0" {
		t.Errorf("found with case: %q", got)
	}
	b.Click("[data-find-case]")
	b.Type("[data-find-with]", "$& port")
	b.Click("[data-find-do=next]")
	b.Click("[data-find-do=one]")
	if got := value(blockAt(2, "content")); got != "block1 has a $& port and a harbour" {
		t.Errorf("one replaced: %q", got)
	}
	b.Axe("find and replace")
	b.Shot("blog-editor-find")
	b.Click("[data-find-do=all]")
	b.Click("[data-save]")
	state(t, b, "Saved")
	for i, block := range stored() {
		if want := fmt.Sprintf("block%d has a $& port and a harbour", i); block.Content != want {
			t.Errorf("block %d: %q", i, block.Content)
		}
	}
	b.Click("[data-find-do=close]")

	b.Type("[data-goal]", "400")
	eventually(t, "the length is told", func() bool { return b.Text("[data-length]") == "280 of 400 words" })
	b.Go("/office/blog/posts/" + p.ID)
	eventually(t, "the goal is kept", func() bool { return b.Text("[data-length]") == "280 of 400 words" })
}

// Every page is accessible and fits, on both screens, in both languages and themes.
func TestBrowserPages(t *testing.T) {
	r := open(t, func(o *blog.Options) {
		o.Profile.Bio = "We are three people and a printing press. We write about **how this paper is made**, what we got wrong, and what we learned.\n\n## Where we are\n\nIn a room above the harbour, most days."
	})
	b := webtest.OpenBrowser(t, r.Site)
	m, err := r.desk.AddMedia(t.Context(), blog.NewMedia{Name: "gradient.png", Alt: "A gradient"}, strings.NewReader(string(picture(t, 1600, 1000))))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.desk.AddMedia(t.Context(), blog.NewMedia{Name: "an unused picture with a long name.png"}, strings.NewReader(string(picture(t, 400, 700)))); err != nil {
		t.Fatal(err)
	}
	titles := []string{"How we read the minutes so that you need not", "議事録を読むということ", "Port authority opens its freight data", "What a correction looks like", "小さな印刷所の一年", "Why every line has a source"}
	var last blog.Post
	for i, title := range titles {
		c := content(title, []string{"newsroom", fmt.Sprint("topic ", i%3)}, "# First\n\nSome words with a [link](https://example.org) and `code`.\n\n| Bill | Stage |\n|---|---|\n| Food waste | Committee |", "# Second\n\n- one\n- two", "# Third\n\nMore words.")
		c.Summary = "Every sentence in a summary points to the speech that it rests on. Here is how that is checked, and what happens when it is not."
		if i%2 == 0 {
			c.Thumbnail = m.Ref
		}
		c.Blocks = append(c.Blocks, blog.Block{Type: blog.Code, Layout: blog.Full, Language: "go", Caption: "cite.go", Content: "// cite names the place of a speech.\nfunc cite(s Speech) string {\n\treturn fmt.Sprintf(\"%s#%d\", s.ID, 42)\n}"},
			blog.Block{Type: blog.Quote, Layout: blog.HalfLeft, Content: "A short account is not a small one.", Caption: "The editors"},
			blog.Block{Type: blog.Image, Layout: blog.HalfRight, Content: m.Ref, Alt: "A gradient", Caption: "A caption."},
			blog.Block{Type: blog.Video, Layout: blog.Full, Content: "https://youtu.be/dQw4w9WgXcQ", Caption: "The press at work"})
		last = r.put(t, c, blog.Published)
	}
	r.put(t, content("A draft about corrections", []string{"newsroom"}, "text"), blog.Draft)
	r.put(t, content("Last year's plans", nil, "text"), blog.Archived)
	if err := r.desk.Public().Send(t.Context(), "x", blog.NewMessage{Name: "Cy", Email: "cy@example.org", Subject: "A question about the harbour post", Body: "Dear editors,\n\nwhere can I find the data?\n\nCy"}); err != nil {
		t.Fatal(err)
	}
	look := func(name, path string) {
		for i, screen := range []string{"phone", "desktop"} {
			if b.Desktop(); screen == "phone" {
				b.Phone()
			}
			for j, lang := range []string{"en", "ja"} {
				theme := []string{"light", "dark"}[(i+j)%2]
				mark := map[bool]string{true: "&", false: "?"}[strings.Contains(path, "?")]
				b.Go(path + mark + "lang=" + lang)
				webtest.Eval[string](b, "document.documentElement.dataset.theme = '"+theme+"'")
				full := strings.Join([]string{"blog", name, screen, theme, lang}, "-")
				b.Axe(full)
				b.Shot(full)
			}
		}
	}
	look("list", "/blog")
	look("article", "/blog/posts/"+last.ID)
	look("tag", "/blog/tags/newsroom")
	look("tags", "/blog/tags")
	look("archive", "/blog/archive")
	look("about", "/blog/about")
	look("contact", "/blog/contact")
	look("search", "/blog/search?q=words")
	r.signIn(t, b, "ann", auth.Operator)
	look("office", "/office/blog")
	look("media", "/office/blog/media")
	look("image", "/office/blog/media/"+m.ID)
	look("inbox", "/office/blog/inbox")
	look("new", "/office/blog/new")
}

// Nothing runs of what attackers write, wherever it is shown.
func TestBrowserAttacks(t *testing.T) {
	r := open(t, func(o *blog.Options) {
		o.Profile = blog.Profile{Name: attacks[1], Role: attacks[3], Bio: strings.Join(attacks, "\n\n"), Links: []blog.Link{{Label: attacks[0], URL: "https://example.org/?" + url.QueryEscape(attacks[5])}}}
		o.Contact.PerVisitor, o.Contact.PerHour = 1000, 1000
	})
	b := webtest.OpenBrowser(t, r.Site)
	posts := r.attacked(t)
	for i, attack := range attacks {
		letter := blog.NewMessage{Name: attack, Email: "a@example.org", Subject: attack, Body: attack}
		if err := r.desk.Public().Send(t.Context(), fmt.Sprint("visitor ", i), letter); err != nil && !errors.Is(err, errs.Invalid) {
			t.Fatal(err)
		}
		name := strings.ReplaceAll(attack, "/", "") + ".png"
		if _, err := r.desk.AddMedia(t.Context(), blog.NewMedia{Name: name, Alt: attack}, bytes.NewReader(picture(t, 8+i, 8))); err != nil && !errors.Is(err, errs.Invalid) {
			t.Fatal(err)
		}
	}
	r.signIn(t, b, "ann", auth.Operator)
	// Beside what a page does by itself, everything on it is pointed at, gets the
	// focus and is opened; and no link leads to a script.
	const provoke = `(() => {
		for (const each of document.querySelectorAll("body *")) {
			for (const type of ["mouseover", "mouseenter", "focus", "toggle", "error", "load"]) each.dispatchEvent(new Event(type));
			if (each.matches("details")) each.open = true;
			for (const name of ["href", "src", "action", "formaction", "data-embed"]) {
				if (/^\s*(javascript|vbscript|data:text)/i.test(each.getAttribute(name) ?? "")) window.ran = each.outerHTML;
			}
		}
		return String(window.ran ?? (location.protocol === "javascript:" ? location.href : ""));
	})()`
	calm := func(path string) {
		t.Helper()
		b.Go(path)
		if ran := webtest.Eval[string](b, provoke); ran != "" {
			t.Errorf("%s runs an attack: %s", path, ran)
		}
	}
	for _, path := range []string{
		"/blog", "/blog/about", "/blog/contact", "/blog/tags", "/blog/archive", "/blog/archive/2026-10", "/blog/search?q=" + url.QueryEscape(attacks[1]),
		"/office/blog", "/office/blog/inbox", "/office/blog/media", "/office/blog/new",
	} {
		calm(path)
	}
	if webtest.Eval[int](b, `fetch("/office/blog/inbox").then((r) => r.text()).then((text) => text.split("window.ran").length)`) < 30 {
		t.Error("the attacks did not reach the inbox")
	}
	for _, p := range posts {
		calm("/blog/posts/" + p.ID)
		for _, tag := range p.Tags {
			calm("/blog/tags/" + url.PathEscape(tag))
		}
		calm("/office/blog/posts/" + p.ID)
		eventually(t, "the preview is there", func() bool { return webtest.Eval[bool](b, `!!document.querySelector(".edit-read article")`) })
		if webtest.Eval[bool](b, `new Promise((ok) => setTimeout(() => ok("ran" in window), 30))`) {
			t.Errorf("the editor's preview runs an attack of %s", p.Title)
		}
	}
}
