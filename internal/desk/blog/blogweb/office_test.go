package blogweb_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"pressroom/internal/auth"
	"pressroom/internal/desk/blog"
	"pressroom/internal/front/fronttest"
)

// Without the script: write, arrange, save, publish, conflict, archive, delete.
func TestEditorAsForm(t *testing.T) {
	r := open(t)
	page := r.Get(t, auth.Author, "/office/blog/new").Want(http.StatusOK)
	if page.Count(".blocks > li") != 1 || page.Attr("#author", "value") != "author" {
		t.Fatalf("a new post has %d blocks", page.Count(".blocks > li"))
	}
	c := content("A <i>title</i>", []string{"one", "two, with a comma"}, "first", "second")
	f := form("add:code", "0", c)
	f.Set("tags", `one, "two, with a comma"`)
	page = r.Post(t, auth.Author, "/office/blog/posts", f).Want(http.StatusOK)
	if page.Count(".blocks > li") != 3 || page.Attr("#title", "value") != c.Title {
		t.Fatal("adding a block loses what was typed")
	}
	f.Set("do", "up:1")
	page = r.Post(t, auth.Author, "/office/blog/posts", f).Want(http.StatusOK)
	if got := page.Text(".blocks textarea"); got != "secondfirst" && got != "second first" {
		t.Errorf("moved up: %q", got)
	}
	for do, want := range map[string]int{"copy:0": 3, "drop:1": 1, "down:0": 2, "up:0": 2, "down:1": 2} {
		f.Set("do", do)
		if got := r.Post(t, auth.Author, "/office/blog/posts", f).Want(http.StatusOK).Count(".blocks > li"); got != want {
			t.Errorf("%s leaves %d blocks, want %d", do, got, want)
		}
	}
	if shown := r.Post(t, auth.Author, "/office/blog/preview", f).Want(http.StatusOK); shown.Text(".art") != "first second" {
		t.Errorf("the preview without the script shows %q", shown.Text(".art"))
	}
	f.Set("do", "save")
	f.Set("summary", "")
	edit := r.Post(t, auth.Author, "/office/blog/posts", f).Want(http.StatusSeeOther).Header.Get("Location")
	page = r.Get(t, auth.Author, edit).Want(http.StatusOK)
	if page.Attr("#title", "value") != c.Title || page.Text("#summary") != "first" || page.Attr("#tags", "value") != f.Get("tags") {
		t.Errorf("saved: %q %q %q", page.Attr("#title", "value"), page.Text("#summary"), page.Attr("#tags", "value"))
	}
	version := page.Attr("[name=version]", "value")
	id := edit[strings.LastIndex(edit, "/")+1:]
	r.Get(t, auth.Everyone, "/blog/posts/"+id).Want(http.StatusNotFound)

	f.Set("version", version)
	f.Set("do", "publish")
	r.Post(t, auth.Author, edit, f).Want(http.StatusSeeOther)
	r.Get(t, auth.Everyone, "/blog/posts/"+id).Want(http.StatusOK)

	// Someone who began before another saved is told, and nothing is lost.
	theirs := c
	theirs.Title = "The first editor's title"
	now, err := r.desk.Version(t.Context(), id)
	if err == nil {
		_, err = r.desk.Save(t.Context(), id, now, theirs)
	}
	if err != nil {
		t.Fatal(err)
	}
	f.Set("title", "A second editor's title")
	page = r.Post(t, auth.Author, edit, f).Want(http.StatusPreconditionFailed)
	if page.Attr("#title", "value") != "A second editor's title" || page.Count("#stale[hidden]") != 0 {
		t.Error("a conflict is not told, or the text is lost")
	}
	f.Set("do", "overwrite")
	r.Post(t, auth.Author, edit, f).Want(http.StatusSeeOther)
	if got := r.Get(t, auth.Everyone, "/blog/posts/"+id).Text("h1"); got != "A second editor's title" {
		t.Errorf("overwritten: %q", got)
	}
	page = r.Get(t, auth.Author, edit)
	f.Set("version", page.Attr("[name=version]", "value"))
	f.Set("do", "archive")
	r.Post(t, auth.Author, edit, f).Want(http.StatusSeeOther)
	r.Get(t, auth.Everyone, "/blog/posts/"+id).Want(http.StatusNotFound)
	f.Set("title", "")
	f.Set("b.type", "nonsense")
	page = r.Post(t, auth.Author, edit, f).Want(http.StatusUnprocessableEntity)
	if page.Count("#trouble [role=alert] li") < 2 {
		t.Errorf("wrong input: %q", page.Text("#trouble"))
	}
	r.Post(t, auth.Author, edit+"/delete", nil).Want(http.StatusSeeOther)
	r.Get(t, auth.Author, edit).Want(http.StatusNotFound)
}

// What the script sends and is answered.
func TestEditorAsScript(t *testing.T) {
	r := open(t)
	draft := map[string]any{"title": "T", "summary": "S", "tags": "a, b", "blocks": []blog.Block{{Type: blog.Text, Content: "x **y**"}}}
	var saved struct {
		ID, Edit string
		Version  int
		Status   string
	}
	if err := json.Unmarshal([]byte(r.sendJSON(t, auth.Author, "/office/blog/posts", draft).Want(http.StatusOK).Body), &saved); err != nil || saved.ID == "" {
		t.Fatal(err, saved)
	}
	draft["version"], draft["do"] = saved.Version, "publish"
	r.sendJSON(t, auth.Author, saved.Edit, draft).Want(http.StatusOK)
	// Whoever began before that loses nothing: what both changed is put together, and
	// where they changed the same both are shown.
	draft["summary"] = "Ours"
	r.sendJSON(t, auth.Author, saved.Edit, draft).Want(http.StatusOK)
	draft["summary"] = "Theirs"
	clash := r.sendJSON(t, auth.Author, saved.Edit, draft).Want(http.StatusPreconditionFailed)
	if !strings.Contains(clash.Body, `"clashes":[{"name":"summary","at":0,"mine":"Theirs","theirs":"Ours"}]`) {
		t.Errorf("a conflict is answered with %s", clash.Body)
	}
	if got := r.sendJSON(t, auth.Author, "/office/blog/preview", draft).Want(http.StatusOK); got.Text("strong") != "y" || got.Header.Get("Cache-Control") != "private, no-store" {
		t.Errorf("preview %s", got.Body)
	}
	draft["title"] = strings.Repeat("long", 100)
	wrong := r.sendJSON(t, auth.Author, saved.Edit, draft)
	if wrong.StatusCode != http.StatusUnprocessableEntity || wrong.Attr("[role=alert] li a", "href") != "#title" {
		t.Errorf("%d %s", wrong.StatusCode, wrong.Body)
	}
	r.sendJSON(t, auth.Author, "/office/blog/posts", "no object").Want(http.StatusBadRequest)

	// Unsaved work is offered to its editor, and to nobody else.
	draft["title"] = "Typed and not saved"
	r.sendJSON(t, auth.Author, "/office/blog/unsaved/"+saved.ID, draft).Want(http.StatusOK)
	if r.Get(t, auth.Author, saved.Edit).Count("#unsaved") != 1 || r.Get(t, auth.Operator, saved.Edit).Count("#unsaved") != 0 {
		t.Error("unsaved work is not offered to its editor alone")
	}
	if got := r.Get(t, auth.Author, saved.Edit+"?unsaved=1").Attr("#title", "value"); got != "Typed and not saved" {
		t.Errorf("unsaved work opens as %q", got)
	}
	r.Post(t, auth.Author, "/office/blog/unsaved/"+saved.ID+"/discard", nil).Want(http.StatusSeeOther)
	if r.Get(t, auth.Author, saved.Edit).Count("#unsaved") != 0 {
		t.Error("discarded work is still offered")
	}
}

func TestOffice(t *testing.T) {
	r := open(t)
	if got := r.Get(t, auth.Author, "/office/blog").Attr(".empty a", "href"); got != "/office/blog/new" {
		t.Errorf("an empty office leads to %q", got)
	}
	draft := r.put(t, content("A draft", []string{"x"}, "text"), blog.Draft)
	empty := r.put(t, content("Empty", nil), blog.Draft)
	r.put(t, content("Old", nil, "text"), blog.Archived)
	for query, want := range map[string]int{"": 3, "?status=draft": 2, "?status=archived": 1, "?status=published": 0, "?tag=x": 1} {
		if got := r.Get(t, auth.Author, "/office/blog"+query).Want(http.StatusOK).Count("tbody tr"); got != want {
			t.Errorf("%s shows %d, want %d", query, got, want)
		}
	}
	r.Get(t, auth.Author, "/office/blog?status=nonsense").Want(http.StatusUnprocessableEntity)
	r.Post(t, auth.Author, "/office/blog/bulk", url.Values{"action": {"publish"}, "return": {"/office/blog"}}).Want(http.StatusSeeOther)
	page := r.Post(t, auth.Author, "/office/blog/bulk", url.Values{"action": {"publish"}, "id": {draft.ID, empty.ID}}).Want(http.StatusConflict)
	if !strings.Contains(page.Text("[role=alert]"), empty.ID) || strings.Contains(page.Text("[role=alert]"), draft.ID) {
		t.Errorf("refused: %q", page.Text("[role=alert]"))
	}
	r.Get(t, auth.Everyone, "/blog/posts/"+draft.ID).Want(http.StatusOK)
	r.Post(t, auth.Author, "/office/blog/bulk", url.Values{"action": {"delete"}, "id": {empty.ID}, "return": {"/office/blog"}}).Want(http.StatusSeeOther)
	r.Get(t, auth.Author, "/office/blog/posts/"+empty.ID).Want(http.StatusNotFound)
	copied := r.Post(t, auth.Author, "/office/blog/posts/"+draft.ID+"/copy", nil).Want(http.StatusSeeOther).Header.Get("Location")
	if r.Get(t, auth.Author, copied).Attr("#editor", "data-status") != "draft" {
		t.Error("a copy of a published post is no draft")
	}
}

func TestLibrary(t *testing.T) {
	r := open(t)
	r.uploadForm(t, auth.Author, "x.png", []byte("no picture"), false).Want(http.StatusUnprocessableEntity)
	var m blog.Media
	reply := r.uploadForm(t, auth.Author, "gradient.png", picture(t, 800, 600), true).Want(http.StatusCreated)
	if err := json.Unmarshal([]byte(reply.Body), &m); err != nil || m.Ref == "" {
		t.Fatal(err, reply.Body)
	}
	r.Get(t, auth.Everyone, m.URL).Want(http.StatusNotFound)
	r.Get(t, auth.Reader, m.URL).Want(http.StatusNotFound)
	image := r.Get(t, auth.Author, m.URL).Want(http.StatusOK)
	if !strings.HasPrefix(image.Header.Get("Content-Type"), "image/") || image.Header.Get("Cache-Control") != "private, no-store" {
		t.Errorf("the image is a %s, %s", image.Header.Get("Content-Type"), image.Header.Get("Cache-Control"))
	}
	r.Get(t, auth.Everyone, "/blog/media/"+m.ID+"/..%2fsecret").Want(http.StatusNotFound)
	if got := r.Get(t, auth.Author, "/office/blog/media?show=unused").Count(".pictures li"); got != 1 {
		t.Errorf("%d unused", got)
	}
	c := content("With a picture", nil)
	c.Blocks = []blog.Block{{Type: blog.Image, Layout: blog.Full, Content: m.Ref, Alt: "A gradient"}}
	p := r.put(t, c, blog.Draft)
	token, _, err := r.desk.PreviewToken(t.Context(), p.ID, 0)
	if err != nil {
		t.Fatal(err)
	}
	preview := r.Get(t, auth.Everyone, "/blog/preview/"+token).Want(http.StatusOK)
	r.Get(t, auth.Everyone, preview.Attr(".art img", "src")).Want(http.StatusOK)
	for _, one := range strings.Split(preview.Attr(".art img", "srcset"), ", ") {
		address, _, _ := strings.Cut(one, " ")
		r.Get(t, auth.Everyone, address).Want(http.StatusOK)
	}
	r.Get(t, auth.Everyone, m.URL).Want(http.StatusNotFound)
	p, err = r.desk.Publish(t.Context(), p.ID, p.Version)
	if err != nil {
		t.Fatal(err)
	}
	if kept := r.Get(t, auth.Everyone, m.URL).Want(http.StatusOK).Header.Get("Cache-Control"); !strings.Contains(kept, "public") || !strings.Contains(kept, "immutable") {
		t.Errorf("a published image is %s", kept)
	}
	page := r.Get(t, auth.Everyone, "/blog/posts/"+p.ID)
	if page.Attr(".art img", "alt") != "A gradient" || !strings.Contains(page.Attr(".art img", "srcset"), "320w") {
		t.Errorf("the post shows %s", page.Attr(".art img", "srcset"))
	}
	if got := page.Attr(`meta[property="og:image"]`, "content"); !strings.HasPrefix(got, "http://example.com/blog/media/"+m.ID) {
		t.Errorf("elsewhere it shows %s", got)
	}
	if feed := r.Get(t, auth.Everyone, "/blog/feed.json").Body; strings.Contains(feed, `src=\"/blog`) || !strings.Contains(feed, "http://example.com/blog/media/"+m.ID) {
		t.Errorf("the feed has %s", feed)
	}
	path := "/office/blog/media/" + m.ID
	if got := r.Get(t, auth.Author, path).Text("aside ul a"); got != "With a picture" {
		t.Errorf("used in %q", got)
	}
	r.Post(t, auth.Author, path+"/delete", nil).Want(http.StatusConflict)
	r.Post(t, auth.Author, path, url.Values{"alt": {"Another"}}).Want(http.StatusSeeOther)
	if got := r.Get(t, auth.Author, path).Text("textarea"); got != "Another" {
		t.Errorf("described as %q", got)
	}
}

// The blog's own routes, each with its least role. The door proves the rest.
func TestAccess(t *testing.T) {
	r := open(t)
	table := map[string]auth.Role{}
	for _, route := range r.Mux.Routes() {
		path := route.Path()
		switch {
		case strings.HasPrefix(path, "/office/blog/inbox"):
			table[route.Pattern] = auth.Operator
		case strings.HasPrefix(path, "/office/blog"):
			table[route.Pattern] = auth.Author
		case strings.HasPrefix(path, "/office/import"):
			table[route.Pattern] = auth.Operator
		case strings.HasPrefix(path, "/office"):
			table[route.Pattern] = route.Access // the shell's own
		case strings.HasPrefix(path, "/account"):
			table[route.Pattern] = auth.Reader
		default:
			table[route.Pattern] = auth.Everyone
		}
	}
	fronttest.Matrix(t, r.Mux, table)
}

// Every fact of a post can be typed, with and without the script, in both languages, and
// comes back as it was typed.
func TestEveryFactIsInTheForm(t *testing.T) {
	r := open(t)
	p := r.put(t, content("First", nil, "text"), blog.Draft)
	path := "/office/blog/posts/" + p.ID
	form := url.Values{"do": {"save"}, "version": {strconv.Itoa(p.Version)}, "b.type": {"text"}, "b.layout": {"full"}, "b.content": {"text"}}
	script := map[string]any{"do": "save", "version": p.Version + 1, "blocks": p.Blocks}
	others := []blog.Post{r.put(t, content("Another", nil, "text"), blog.Draft), r.put(t, content("One more", nil, "text"), blog.Draft)}
	var facts blog.Facts
	for fact := range facts.All {
		page := r.Get(t, auth.Author, path)
		if got := page.Text("label[for=" + fact.Name + "]"); got == "" || strings.Contains(got, "blog.field") {
			t.Errorf("%s is called %q", fact.Name, got)
		}
		if got := r.Get(t, auth.Author, path+"?lang=ja").Text("label[for=" + fact.Name + "]"); got == "" || strings.Contains(got, "blog.field") {
			t.Errorf("%s is called %q", fact.Name, got)
		}
		value := "The " + fact.Name
		if fact.Kind == "slug" {
			value = "the-" + fact.Name
		}
		if fact.Kind == "picture" {
			value = "https://example.org/" + fact.Name
		}
		if fact.Kind == "focus" {
			value = "30 7"
		}
		form.Set(fact.Name, value)
		script[fact.Name] = value + "2"
		if fact.Kind == "post" {
			form.Set(fact.Name, others[0].ID)
			script[fact.Name] = others[1].ID
		}
	}
	typed := func(want func(name string) any) {
		t.Helper()
		post, err := r.desk.Get(t.Context(), p.ID)
		if err != nil {
			t.Fatal(err)
		}
		for fact, text := range post.All {
			if *text != want(fact.Name) {
				t.Errorf("%s is %q", fact.Name, *text)
			}
		}
	}
	r.Post(t, auth.Author, path, form).Want(http.StatusSeeOther)
	typed(func(name string) any { return form.Get(name) })
	r.sendJSON(t, auth.Author, path, script).Want(http.StatusOK)
	typed(func(name string) any { return script[name] })
}
