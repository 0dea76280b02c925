package minutesweb_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pressroom/internal/auth"
	"pressroom/internal/desk/minutes"
	"pressroom/internal/web/webtest"
	"pressroom/llm/builtin"
)

const islandDeclaration = `code = "xi"
name = { en = "Island Parliament", ja = "島嶼議会" }
place = "GB"
zone = "Europe/London"
languages = ["en"]
homepage = "https://island.example/"
licence = { name = "Public domain", url = "https://island.example/licence", attribution = "Clerk of the Island" }
[[house]]
id = "debate"
name = { en = "House of Keys", ja = "鍵議院" }
[[source]]
format = "parlparse"
folder = "."
`

const islandRecord = `<?xml version="1.0" encoding="UTF-8"?>
<publicwhip>
<major-heading id="i/debate/2026-03-02.1">Lighthouse Repair Bill</major-heading>
<speech id="i/debate/2026-03-02.2" speakerid="m/1" speakername="Ada Reef"><p>I beg to move &lt;b&gt;this&lt;/b&gt;.</p></speech>
<speech id="i/debate/2026-03-02.3" speakerid="m/2" speakername="鈴木一郎"><p>No.</p></speech>
<division id="i/division/2026-03-02.4" divdate="2026-03-02" divnumber="1" time="16:00:00">
<divisioncount ayes="2" noes="1" tellerayes="0" tellernoes="0"/>
<mplist vote="aye"><mpname id="m/1" vote="aye">Ada Reef</mpname><mpname id="m/3" vote="aye">Cy Spit</mpname></mplist>
<mplist vote="no"><mpname id="m/2" vote="no">鈴木一郎</mpname></mplist>
</division>
</publicwhip>`

// islands is a site with the Diet and one more assembly on it.
func islands(t *testing.T) *paper {
	t.Helper()
	p := open(t, builtin.New(), sittings(3)...)
	dir := t.TempDir()
	check(t, os.WriteFile(filepath.Join(dir, "debates2026-03-02.xml"), []byte(islandRecord), 0o600))
	one, err := minutes.Declare("xi.toml", []byte(islandDeclaration), dir)
	check(t, err)
	_, err = p.desk.AddAssembly(t.Context(), one)
	check(t, err)
	r, err := p.desk.CollectAssembly(t.Context(), "xi", nil)
	check(t, err)
	if r.New != 1 {
		t.Fatalf("%+v", r)
	}
	_, err = p.desk.Work(t.Context(), minutes.WorkOptions{Once: true})
	check(t, err)
	return p
}

// Every page of an assembly is there, in both languages, marks the language of the
// record beside its own, and has nothing of the Diet's; nor has the Diet anything of it.
func TestAssemblyPages(t *testing.T) {
	p := islands(t)
	for lang, name := range map[string]string{"en": "Island Parliament", "ja": "島嶼議会"} {
		index := p.get("/assemblies?lang=" + lang).Want(200)
		if got := index.Text(".assemblies"); !strings.Contains(got, name) || index.Count(`.assemblies a[href="/minutes"]`) != 1 {
			t.Errorf("index: %s", got)
		}
		front := p.get("/assemblies/xi?lang=" + lang).Want(200)
		if got := front.Text("main"); front.Text("h1") != name || front.Count(".minutes-stories .story") != 1 || !strings.Contains(got, "Clerk of the Island") || strings.Contains(got, "参議院") {
			t.Errorf("front in %s: %s", lang, got)
		}
		article := p.get("/minutes/articles/@xi:debates2026-03-02?lang=" + lang).Want(200)
		if article.Count(`article[lang="en"]`) != 1 || article.Count(".division .vote svg") != 1 || article.Count(`.division a[href="/assemblies/xi/people/Cy%20Spit"]`) != 1 {
			t.Errorf("article in %s: %s", lang, article.Text(".division"))
		}
		if article.Count(`a[href^="/minutes/people/"], a[href^="/minutes/issues/"]`) != 0 {
			t.Error("the article leads to people or bills of the Diet")
		}
		if got := p.get("/assemblies/xi/calendar?lang=" + lang).Want(200).Text(".calendar"); !strings.Contains(got, "Lighthouse Repair Bill") {
			t.Errorf("calendar: %s", got)
		}
		if got := p.get("/assemblies/xi/members?lang=" + lang).Want(200).Text("main"); !strings.Contains(got, "Ada Reef") || strings.Contains(got, "田中花子") {
			t.Errorf("members: %s", got)
		}
		if votes := p.get("/assemblies/xi/votes?lang=" + lang).Want(200); votes.Count(".division") != 1 || votes.Text(".division .vote .fine") == "" {
			t.Errorf("votes: %s", votes.Text("main"))
		}
		if bill := p.get("/assemblies/xi/issues/Lighthouse%20Repair%20Bill?lang=" + lang).Want(200); bill.Count(".minutes-timeline .vote") != 1 {
			t.Errorf("bill: %s", bill.Text("main"))
		}
	}
	if person := p.get("/assemblies/xi/people/Cy%20Spit?lang=en").Want(200); !strings.Contains(person.Text(".voted"), "For") {
		t.Errorf("one who only voted: %s", person.Text("main"))
	}
	// The same name in two assemblies is two people.
	if person := p.get("/assemblies/xi/people/鈴木一郎").Want(200); person.Count(".minutes-stories > .story") != 1 {
		t.Errorf("of the island: %s", person.Text("main"))
	}
	if list := p.get("/minutes"); strings.Contains(list.Text("main"), "Lighthouse") {
		t.Error("the Diet lists another assembly's meeting")
	}
	for _, path := range []string{"/assemblies/xi/feed.atom", "/assemblies/xi/people/Ada%20Reef/feed.json"} {
		if got := p.get(path).Want(200).Body; !strings.Contains(got, "Lighthouse Repair Bill") {
			t.Errorf("%s: %s", path, got)
		}
	}
	for _, path := range []string{"/assemblies/none", "/assemblies/none/votes", "/assemblies/gb-commons", "/assemblies/xi/calendar?month=x", "/assemblies/xi/people/田中花子"} {
		p.get(path).Want(404)
	}
}

// The pages hold on a phone and before a checker of accessibility.
func TestBrowserAssembly(t *testing.T) {
	p := islands(t)
	b := webtest.OpenBrowser(t, p.Site)
	for _, page := range []struct{ name, path string }{
		{"index", "/assemblies"}, {"front", "/assemblies/xi?lang=ja"}, {"votes", "/assemblies/xi/votes"}, {"members", "/assemblies/xi/members?lang=ja"},
		{"calendar", "/assemblies/xi/calendar"}, {"person", "/assemblies/xi/people/Ada%20Reef"}, {"article", "/minutes/articles/@xi:debates2026-03-02"},
	} {
		b.Phone()
		b.Go(page.path)
		b.Axe("assembly " + page.name)
		if wide := webtest.Eval[bool](b, "document.documentElement.scrollWidth > innerWidth"); wide {
			t.Errorf("%s is wider than a phone", page.name)
		}
		b.Shot("assembly-" + page.name + "-phone")
	}
}

// An operator sees what would come before anything is kept, and switches it on.
func TestDeclareOnPage(t *testing.T) {
	p := open(t, builtin.New())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/debates2026-03-02.xml" {
			http.NotFound(w, r)
			return
		}
		fmt.Fprint(w, islandRecord)
	}))
	defer server.Close()
	text := strings.Replace(islandDeclaration, `folder = "."`, `address = "`+server.URL+`/debates2026-03-02.xml"`, 1)
	post := func(values url.Values) *webtest.Reply { return p.Post(t, auth.Operator, "/office/assemblies", values) }

	r := post(url.Values{"declaration": {text}, "do": {"preview"}}).Want(200)
	if got := r.Text(".figures"); !strings.Contains(got, "Meetings1") && !strings.Contains(got, "Meetings 1") {
		t.Errorf("preview: %s", got)
	}
	p.get("/assemblies/xi").Want(404)
	post(url.Values{"declaration": {text}, "do": {"add"}}).Want(303)
	p.get("/assemblies/xi").Want(200)
	if p.Site.Get(t, auth.Operator, "/office/assemblies").Want(200).Count("tbody tr") < 30 || len(p.did) != 1 {
		t.Errorf("on record: %v", p.did)
	}
	for _, wrong := range []string{"code = 1", islandDeclaration} {
		post(url.Values{"declaration": {wrong}, "do": {"add"}}).Want(422)
	}
	post(url.Values{"code": {"si"}, "do": {"add"}}).Want(303)
	p.get("/assemblies/si").Want(200)
}
