package blogweb_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/google/go-cmp/cmp"

	"pressroom/internal/auth"
	"pressroom/internal/desk/blog"
	"pressroom/internal/web/webtest"
)

const largeBlocks = 2000

// largePost has the number of each block in it; most are text, and some stand in
// pairs.
func largePost() blog.Content {
	c := content("Large", nil)
	for i := range largeBlocks {
		b := blog.Block{Type: blog.Text, Layout: blog.Full, Content: fmt.Sprintf("Words of block %d.\n\nThey are *few*, </textarea> & \"enough\".", i+1)}
		switch i % 20 {
		case 3:
			b.Type, b.Language, b.Caption = blog.Code, "go", fmt.Sprint("Listing ", i)
		case 7:
			b.Type, b.Caption = blog.Quote, "Somebody"
		case 11, 12:
			b.Layout = []blog.Layout{blog.HalfLeft, blog.HalfRight}[i%20-11]
		}
		c.Blocks = append(c.Blocks, b)
	}
	return c
}

// fields reads the form of a page as a browser without the script sends it.
func fields(page *webtest.Reply, do string) url.Values {
	f := url.Values{"do": {do}}
	page.Doc.Find("#editor [name]").Not("template [name]").Each(func(_ int, e *goquery.Selection) {
		name, _ := e.Attr("name")
		value, _ := e.Attr("value")
		switch goquery.NodeName(e) {
		case "button":
			return
		case "textarea":
			value = strings.TrimPrefix(e.Text(), "\n")
		case "select":
			value, _ = e.Find("[selected]").Attr("value")
		}
		f.Add(name, value)
	})
	return f
}

// Without the script, a large post is sent back whole from the form that shows its
// beginning, and from the one that shows all of it.
func TestLargePostAsForm(t *testing.T) {
	r := open(t)
	p := r.put(t, largePost(), blog.Draft)
	path := "/office/blog/posts/" + p.ID
	saved := func(what string, want blog.Content) {
		t.Helper()
		now, err := r.desk.Get(t.Context(), p.ID)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want.Blocks, now.Blocks); diff != "" {
			t.Fatalf("%s: %.2000s", what, diff)
		}
		p = now
	}
	page := r.Get(t, auth.Author, path).Want(http.StatusOK)
	if got := page.Count(".blocks > li"); got == 0 || got > 20 || page.Count("[name=rest]") != 1 {
		t.Fatalf("the page begins with %d blocks", got)
	}
	want := p.Content
	want.Blocks = slices.Clone(p.Blocks)
	f := fields(page, "save")
	f["b.content"][0], want.Blocks[0].Content = "The first", "The first"
	if next := r.Post(t, auth.Author, path, f).Want(http.StatusSeeOther).Header.Get("Location"); next != path {
		t.Errorf("goes on at %s", next)
	}
	saved("from the beginning", want)

	f = fields(r.Get(t, auth.Author, path), "all")
	f.Set("title", "Typed before")
	page = r.Post(t, auth.Author, path, f).Want(http.StatusOK)
	if got := page.Count(".blocks > li"); got != largeBlocks || page.Count("[name=rest]") != 0 || page.Attr("#title", "value") != "Typed before" {
		t.Fatalf("%d blocks are shown, the title is %q", got, page.Attr("#title", "value"))
	}
	f = fields(page, "save")
	f["b.content"][1499], want.Blocks[1499].Content = "Changed", "Changed"
	next := r.Post(t, auth.Author, path, f).Want(http.StatusSeeOther).Header.Get("Location")
	saved("from all", want)
	if got := r.Get(t, auth.Author, next).Count(".blocks > li"); got != largeBlocks {
		t.Errorf("after saving all, %s shows %d", next, got)
	}
	// A block is moved from the beginning over its edge.
	page = r.Get(t, auth.Author, path)
	last := page.Count(".blocks > li") - 1
	page = r.Post(t, auth.Author, path, fields(page, fmt.Sprint("down:", last))).Want(http.StatusOK)
	r.Post(t, auth.Author, path, fields(page, "save")).Want(http.StatusSeeOther)
	want.Blocks[last], want.Blocks[last+1] = want.Blocks[last+1], want.Blocks[last]
	saved("moved", want)

	f.Set("rest", "[{")
	r.Post(t, auth.Author, path, f).Want(http.StatusBadRequest)
	saved("refused", want)
}

// The script sends a large post whole, and is shown a stretch of it.
func TestLargePostAsScript(t *testing.T) {
	r := open(t)
	c := largePost()
	p := r.put(t, c, blog.Draft)
	path := "/office/blog/posts/" + p.ID
	var rest []blog.Block
	page := r.Get(t, auth.Author, path)
	if err := json.Unmarshal([]byte(page.Doc.Find("[name=rest]").Text()), &rest); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(c.Blocks[page.Count(".blocks > li"):], rest); diff != "" {
		t.Fatalf("the rest differs: %.2000s", diff)
	}
	c.Blocks[1999].Content = "changed"
	draft := map[string]any{"version": p.Version, "title": c.Title, "summary": c.Summary, "blocks": c.Blocks}
	r.sendJSON(t, auth.Author, path, draft).Want(http.StatusOK)
	if got, err := r.desk.Get(t.Context(), p.ID); err != nil || !cmp.Equal(c.Blocks, got.Blocks) {
		t.Errorf("%d blocks, %v", len(got.Blocks), err)
	}
	for from, header := range map[int]int{0: 1, 1: 1, 41: 0} {
		draft["from"], draft["blocks"] = from, c.Blocks[40:100]
		if got := r.sendJSON(t, auth.Author, "/office/blog/preview", draft).Want(http.StatusOK); got.Count("header") != header || got.Count(".cell") != 60 {
			t.Errorf("from %d: %d headers, %d cells", from, got.Count("header"), got.Count(".cell"))
		}
	}
}

// Readers get a long article in parts, with every block in its order.
func TestLargePostIsRead(t *testing.T) {
	r := open(t)
	page := r.Get(t, auth.Everyone, "/blog/posts/"+r.put(t, largePost(), blog.Published).ID).Want(http.StatusOK)
	cells := page.Doc.Find(".art > .art-part > .art-row > .cell")
	if parts := page.Count(".art-part"); cells.Length() != largeBlocks || parts < 50 || parts > 500 || page.Count(".art > :not(.art-part)") != 0 {
		t.Fatalf("%d blocks in %d parts", cells.Length(), parts)
	}
	cells.Each(func(i int, e *goquery.Selection) {
		if want := fmt.Sprintf("Words of block %d.", i+1); !strings.Contains(e.Text(), want) {
			t.Fatalf("block %d is %q", i+1, e.Text())
		}
	})
	if page := r.Get(t, auth.Everyone, "/blog/posts/"+r.put(t, content("Short", nil, "a", "b"), blog.Published).ID); page.Count(".art-part") != 0 || page.Count(".art > .art-row") != 2 {
		t.Error("a short post stands in parts")
	}
}

// largeEditor is the editor of a large post in a browser, beside what the post should
// become.
type largeEditor struct {
	*webtest.Browser
	t    *testing.T
	r    *room
	id   string
	want []blog.Block
}

// reach scrolls to where a block is, and waits for its fields.
func (e *largeEditor) reach(n int) string {
	e.t.Helper()
	area := fmt.Sprintf(`[id="blocks[%d].content"]`, n-1)
	eventually(e.t, fmt.Sprintf("block %d has fields", n), func() bool {
		return webtest.Eval[bool](e.Browser, fmt.Sprintf(`(() => {
			const area = document.querySelector(%q);
			const shelf = [...document.querySelectorAll(".shelf")].find((each) => each.textContent.includes("block %d."));
			(area ?? shelf)?.scrollIntoView({block: "center"});
			return !!area;
		})()`, area, n))
	})
	return area
}

func (e *largeEditor) press(selector, init string) {
	webtest.Eval[bool](e.Browser, fmt.Sprintf(`document.querySelector(%q).dispatchEvent(new KeyboardEvent("keydown", {bubbles: true, cancelable: true, %s})) || true`, selector, init))
}

// saves presses the button and compares what the desk has.
func (e *largeEditor) saves(what string) {
	e.t.Helper()
	e.press("#title", `key: "s", ctrlKey: true`)
	state(e.t, e.Browser, "Saved")
	now, err := e.r.desk.Get(e.t.Context(), e.id)
	if err != nil {
		e.t.Fatal(err)
	}
	if diff := cmp.Diff(e.want, now.Blocks); diff != "" {
		e.t.Fatalf("%s: %.2000s", what, diff)
	}
}

// A post of 2,000 blocks is edited anywhere although few of them have fields: by
// scrolling, by keys, across the edges of what has fields; it is saved, kept and
// brought back whole.
func TestBrowserLargePost(t *testing.T) {
	r := open(t)
	e := &largeEditor{Browser: webtest.OpenBrowser(t, r.Site), t: t, r: r}
	p := r.put(t, largePost(), blog.Draft)
	e.id, e.want = p.ID, slices.Clone(p.Blocks)
	r.signIn(t, e.Browser, "ann", auth.Author)
	path := "/office/blog/posts/" + p.ID
	e.Go(path)
	built := func() int {
		return webtest.Eval[int](e.Browser, `document.querySelectorAll(".blocks > .block").length`)
	}
	if n := built(); n < 4 || n > 60 {
		t.Fatalf("%d blocks have fields at the beginning", n)
	}
	if shown(e.Browser, "[data-rest-note]") {
		t.Error("the script's editor says that blocks are missing")
	}
	e.Axe("large post")
	e.saves("nothing changed")

	// Written by scrolling there; moved by keys over its neighbour.
	area := e.reach(1500)
	e.Type(area, "Typed. ")
	e.want[1499].Content = typed(e, area)
	if !strings.Contains(e.want[1499].Content, "Typed. ") {
		t.Fatalf("block 1,500 is %q", e.want[1499].Content)
	}
	e.press(area, `key: "ArrowUp", altKey: true`)
	e.want[1498], e.want[1499] = e.want[1499], e.want[1498]
	eventually(t, "the preview follows", func() bool {
		return strings.Contains(e.Text(".edit-read"), "Typed.") && strings.Contains(e.Text(".edit-read"), "of 2000")
	})
	if n := built(); n > 200 {
		t.Errorf("%d blocks have fields for the sake of one", n)
	}
	e.Axe("large post, in the middle")
	e.saves("block 1,500")

	e.edges()
	e.saves("at the edges")
	e.remembered(path)
	e.conflict()
}

// typed is what stands in a field.
func typed(e *largeEditor, selector string) string {
	return webtest.Eval[string](e.Browser, fmt.Sprintf(`document.querySelector(%q).value`, selector))
}

// edges moves, copies and deletes blocks beside such as have no fields, and enters
// those by the focus.
func (e *largeEditor) edges() {
	e.t.Helper()
	// The last block before a shelf, counted from 0.
	edge := func() int {
		return webtest.Eval[int](e.Browser, `(() => {
			const block = [...document.querySelectorAll(".block:has(+ .shelf)")].at(-1);
			return Number(/\d+/.exec(block.querySelector("[name='b.content']").id)[0]);
		})()`)
	}
	area := func(i int) string { return fmt.Sprintf(`[id="blocks[%d].content"]`, i) }
	i := edge()
	e.press(area(i), `key: "ArrowDown", altKey: true`)
	e.want[i], e.want[i+1] = e.want[i+1], e.want[i]
	i = edge()
	e.press(area(i), `key: "D", ctrlKey: true, shiftKey: true`)
	e.want = slices.Insert(e.want, i+1, e.want[i])
	i = edge()
	drop := fmt.Sprintf(`.block:has(%s) [data-do=drop]`, area(i))
	e.Click(drop)
	e.Click("[data-undo] button")
	e.Click(drop)
	e.want = slices.Delete(e.want, i, i+1)
	// Back from below, the focus comes into the last block.
	got := webtest.Eval[string](e.Browser, `(() => { document.querySelector("[data-add]").focus(); document.querySelector(".shelf:last-child").focus(); return document.activeElement.id; })()`)
	if want := fmt.Sprintf("blocks[%d].content", len(e.want)-1); got != want {
		e.t.Errorf("the focus is in %s, want %s", got, want)
	}
	e.Type(area(len(e.want)-1), "The end. ")
	e.want[len(e.want)-1].Content = typed(e, area(len(e.want)-1))
}

// remembered reloads the page with unsaved changes: the browser brings them back, and
// the server has kept them; a mistake in a block without fields is shown in it.
func (e *largeEditor) remembered(path string) {
	e.t.Helper()
	area := e.reach(700)
	e.Type(area, "Kept. ")
	kept := slices.Clone(e.want)
	kept[699].Content = typed(e, area)
	eventually(e.t, "the server keeps what is not saved", func() bool {
		got, err := e.r.desk.GetAutosave(e.t.Context(), e.id, e.account())
		return err == nil && cmp.Equal(kept, got.Content.Blocks)
	})
	e.want = kept
	code := e.reach(904)
	choose(e.Browser, code, "")
	e.Go("/blog")
	e.Go(path)
	if !shown(e.Browser, "#restored") || webtest.Eval[bool](e.Browser, fmt.Sprintf(`!!document.querySelector(%q)`, code)) {
		e.t.Fatal("unsaved changes are not brought back, or with all fields")
	}
	e.press("#title", `key: "s", ctrlKey: true`)
	eventually(e.t, "the mistake is told", func() bool { return strings.Contains(e.Text("#trouble"), "Block 904") })
	if !webtest.Eval[bool](e.Browser, fmt.Sprintf(`document.querySelector(%q)?.getAttribute("aria-invalid") === "true"`, code)) {
		e.t.Error("the empty block is not marked")
	}
	e.Axe("a mistake in a large post")
	choose(e.Browser, code, e.want[903].Content)
	e.saves("brought back")
}

func (e *largeEditor) account() string {
	return webtest.Eval[string](e.Browser, `document.querySelector("#editor").dataset.account`)
}

// conflict saves the post elsewhere: the editor is told, and keeps what it has.
func (e *largeEditor) conflict() {
	e.t.Helper()
	now, err := e.r.desk.Get(e.t.Context(), e.id)
	if err != nil {
		e.t.Fatal(err)
	}
	theirs := now.Content
	theirs.Blocks = theirs.Blocks[:1000]
	if _, err := e.r.desk.Save(e.t.Context(), e.id, now.Version, theirs); err != nil {
		e.t.Fatal(err)
	}
	area := e.reach(1200)
	e.Type(area, "Ours. ")
	e.want[1199].Content = typed(e, area)
	e.press("#title", `key: "s", ctrlKey: true`)
	eventually(e.t, "the conflict is told", func() bool { return shown(e.Browser, "#clash") })
	if now, err := e.r.desk.Get(e.t.Context(), e.id); err != nil || len(now.Blocks) != 1000 {
		e.t.Errorf("theirs has %d blocks: %v", len(now.Blocks), err)
	}
	e.Click(`#clash [value="overwrite"]`)
	state(e.t, e.Browser, "Saved")
	e.saves("after the conflict")
}
