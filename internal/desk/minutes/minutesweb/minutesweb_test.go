package minutesweb_test

import (
	"context"
	"fmt"
	"html/template"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/google/go-cmp/cmp"

	"pressroom/blob"
	"pressroom/internal/auth"
	"pressroom/internal/desk/minutes"
	"pressroom/internal/desk/minutes/diet"
	"pressroom/internal/desk/minutes/minutestest"
	"pressroom/internal/desk/minutes/minutesweb"
	"pressroom/internal/front/fronttest"
	"pressroom/internal/web"
	"pressroom/internal/web/webtest"
	"pressroom/llm"
	"pressroom/model/deploy"
)

// paper is a site with the minutes desk in it.
type paper struct {
	*webtest.Site
	t    *testing.T
	desk *minutes.Desk
	did  []string // what operators did

	library http.Handler
}

// replace puts another version of a meeting into the library, and collects it.
func (p *paper) replace(m diet.Meeting) {
	p.t.Helper()
	p.library = minutestest.Library(m)
	_, err := p.desk.Collect(p.t.Context(), "2026-10-01", "2026-11-30", nil)
	check(p.t, err)
	_, err = p.desk.Work(p.t.Context(), minutes.WorkOptions{Once: true})
	check(p.t, err)
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// open returns a site on which these meetings were collected and worked off.
func open(t *testing.T, writer llm.Provider, meetings ...diet.Meeting) *paper {
	t.Helper()
	p := &paper{Site: webtest.Open(t, minutes.Schema), t: t}
	quiet := slog.New(slog.DiscardHandler)
	store, err := blob.Open("objects", &blob.Options{FS: vfs.NewMem(), SweepEvery: -1, Log: quiet, Reserve: -1})
	check(t, err)
	t.Cleanup(func() { check(t, store.Close()) })
	objects := blob.Client(store)
	check(t, deploy.Apply(t.Context(), deploy.Store{Tables: p.DB, Objects: objects}, nil, minutes.Schema))
	p.library = minutestest.Library(meetings...)
	library := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { p.library.ServeHTTP(w, r) }))
	t.Cleanup(library.Close)
	p.desk, err = minutes.New(p.DB, objects, llm.Validated(writer), &minutes.Options{
		Stories:   p.Stories.Stories,
		SourceURL: library.URL, Pause: -1, Log: quiet, Now: func() time.Time { return webtest.Now },
	})
	check(t, err)
	check(t, minutesweb.Register(p.Site.Site, p.desk, &minutesweb.Options{
		Record: func(_ context.Context, what, id, why string) error {
			p.did = append(p.did, strings.Join([]string{what, id, why}, " "))
			return nil
		},
	}))
	if len(meetings) > 0 {
		_, err = p.desk.Collect(t.Context(), "2026-10-01", "2026-11-30", nil)
		check(t, err)
		_, err = p.desk.Work(t.Context(), minutes.WorkOptions{Once: true})
		check(t, err)
	}
	return p
}

func (p *paper) get(path string) *webtest.Reply {
	p.t.Helper()
	return p.Site.Get(p.t, auth.Everyone, path)
}

// sittings are meetings in two months, of both houses.
func sittings(n int) []diet.Meeting {
	var out []diet.Meeting
	for i := range n {
		date := fmt.Sprintf("2026-11-%02d", i%28+1)
		if i%4 == 3 {
			date = fmt.Sprintf("2026-10-%02d", i%28+1)
		}
		out = append(out, minutestest.Sitting(i, date))
	}
	return out
}

func TestLists(t *testing.T) {
	p := open(t, &minutestest.Writer{}, sittings(26)...)
	tests := []struct {
		path string
		n    int
	}{
		{"/minutes", 20},
		{"/minutes/months/2026-10", 6},
		{"/minutes/categories/国土交通", 20},
		{"/minutes/houses/参議院", 13},
		{"/minutes/meetings/予算委員会", 9},
		{"/minutes/keywords/自転車", 20},
		{"/minutes/sessions/219", 20},
		{"/minutes/sessions/1", 0},
		{"/minutes/kinds/会議録", 20},
		{"/minutes/people/田中花子", 20},
		{"/minutes?house=参議院&month=2026-10", 6},
		{"/minutes?person=田中花子&meeting=本会議&from=2026-11-10&until=2026-11-20", 2},
		{"/minutes?keyword=通学路&category=国土交通&house=衆議院&session=219&kind=会議録&until=2026-10-31", 0},
	}
	for _, tt := range tests {
		r := p.get(tt.path).Want(200)
		if n := r.Count("article.story"); n != tt.n {
			t.Errorf("%s shows %d articles, want %d", tt.path, n, tt.n)
		}
		if tt.n == 0 && r.Count(".empty a") != 1 {
			t.Errorf("%s is empty and says nothing", tt.path)
		}
		// Each list has its feed, with the same articles.
		link := r.Attr("link[type='application/feed+json']", "href")
		feed := p.get(link).Want(200)
		if n := strings.Count(feed.Body, `"url"`); n != tt.n {
			t.Errorf("the feed of %s, %s, has %d articles, want %d", tt.path, link, n, tt.n)
		}
		p.get(r.Attr("link[type='application/atom+xml']", "href")).Want(200)
	}
	// The rest is behind the pager, and nothing twice.
	first := p.get("/minutes")
	next := p.get(first.Attr(".pager a[rel=next]", "href")).Want(200)
	if n := next.Count("article.story"); n != 6 {
		t.Errorf("the second page has %d articles", n)
	}
	p.get("/minutes?cursor=nonsense").Want(400)
	wrong := p.get("/minutes?month=November&session=x").Want(422)
	if wrong.Count(".field .wrong") != 2 || wrong.Attr("#month", "value") != "November" {
		t.Errorf("what is wrong with the filter: %s", wrong.Text("aside"))
	}
	form := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/minutes?category=&house=参議院&from=&lang=ja", nil)
	if got := p.Do(t, auth.Everyone, form).Want(303).Header.Get("Location"); got != "/minutes?house=%E5%8F%82%E8%AD%B0%E9%99%A2&lang=ja" {
		t.Errorf("the form leads to %s", got)
	}
	form.Header.Set("HX-Request", "true")
	if part := p.Do(t, auth.Everyone, form).Want(200); part.Count("article.story") != 13 || part.Count("main") != 0 || part.Header.Get("HX-Push-Url") == "" {
		t.Errorf("htmx gets %s", part.Body)
	}
	if got := p.get("/minutes?category=国土交通").Attr("link[rel=canonical]", "href"); !strings.HasSuffix(got, "/minutes/categories/%E5%9B%BD%E5%9C%9F%E4%BA%A4%E9%80%9A") {
		t.Errorf("a list of one filter has the address %s", got)
	}
	if p.get("/minutes?category=国土交通&house=参議院").Count(".chips a") != 3 {
		t.Error("two filters are not shown as such")
	}
	if first.Text(".minutes-months") != "November 2026October 2026" {
		t.Errorf("months: %s", first.Text(".minutes-months"))
	}
	if p.get("/").Count(".lead .story") == 0 {
		t.Error("the front page has no minutes")
	}
	if m := p.Mapped(t); strings.Count(m, "/minutes/articles/") != 26 {
		t.Errorf("sitemap: %.500s", m)
	}
	for _, path := range []string{"/minutes/people", "/minutes/issues", "/minutes?lang=ja", "/minutes/people/高橋三郎?lang=ja"} {
		p.get(path).Want(200)
	}
}

func TestEmpty(t *testing.T) {
	p := open(t, &minutestest.Writer{})
	p.get("/minutes").Want(200)
	if r := p.Site.Get(t, auth.Operator, "/minutes").Want(200); r.Attr(".empty a", "href") != "/office/assemblies" {
		t.Error("an operator is not told what to do next")
	}
	p.get("/minutes/articles/none").Want(404)
	p.get("/minutes/people/nobody").Want(404)
	p.get("/minutes/issues/nothing").Want(404)
	p.get("/minutes/people").Want(200)
	p.Site.Get(t, auth.Operator, "/office/minutes").Want(200)
	p.Site.Get(t, auth.Operator, "/office/minutes?status=lost").Want(404)
	p.Site.Get(t, auth.Operator, "/office/minutes/tasks/none").Want(404)
}

// Every citation leads to what it cites, and every quote to its own words.
func TestArticle(t *testing.T) {
	m := minutestest.Sitting(1, "2026-11-02")
	p := open(t, &minutestest.Writer{}, m)
	r := p.get("/minutes/articles/" + m.IssueID).Want(200)
	if r.Count("#summary, #plainly, #course, #dialog") != 4 || r.Count(".speech") != len(m.Speeches) {
		t.Fatalf("parts are missing: %s", r.Text("main"))
	}
	quotes := 0
	r.Doc.Find("article a[href^='#']").Each(func(_ int, a *goquery.Selection) {
		href, _ := a.Attr("href")
		target := r.Doc.Find("[id='" + href[1:] + "']")
		if target.Length() != 1 {
			t.Errorf("%s leads nowhere", href)
		}
		if a.HasClass("quote") {
			quotes++
			if !strings.Contains(target.Text(), a.Text()) || target.Closest("details .record").Length() != 1 {
				t.Errorf("%s leads to %q, not to %q", href, target.Text(), a.Text())
			}
		}
	})
	if quotes < 6 {
		t.Errorf("%d quotes", quotes)
	}
	for i, s := range m.Speeches {
		got := strings.TrimSpace(r.Doc.Find(fmt.Sprintf("#s-%d .record", i)).Text())
		if got != strings.TrimSpace(s.Text) {
			t.Errorf("record of speech %d: %s", i, cmp.Diff(s.Text, got))
		}
	}
	if r.Text("#s-2 .who") != "田中花子" || r.Attr("#s-2 a.who", "href") != "/minutes/people/"+url.PathEscape("田中花子") {
		t.Errorf("statement 2 is of %s", r.Text("#s-2 h3"))
	}
	for _, want := range []string{"writer-1", minutes.PromptVersion} {
		if !strings.Contains(r.Text("aside .facing"), want) {
			t.Errorf("the origin does not name %s: %s", want, r.Text("aside .facing"))
		}
	}
	if strings.Contains(r.Text("aside .facing"), "$") {
		t.Error("readers see the cost")
	}
	if r.Count(".term dfn.gloss") != 2 || r.Text("#word-1 dt") != "自転車ネットワーク計画" {
		t.Errorf("terms in place: %d", r.Count(".term dfn.gloss"))
	}
	if r.Attr("meta[property='og:type']", "content") != "article" || r.Count("link[rel=alternate][hreflang=ja]") != 1 {
		t.Error("what others need to know about the page is missing")
	}
	// The same page again costs nothing.
	again := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/minutes/articles/"+m.IssueID, nil)
	again.Header.Set("If-None-Match", r.Header.Get("ETag"))
	p.Do(t, auth.Everyone, again).Want(304)

	speech := p.get("/minutes/articles/" + m.IssueID + "/speeches/3").Want(200)
	if speech.Count(".record mark") == 0 || speech.Text("h1") != "高橋三郎" {
		t.Errorf("a speech by itself: %s", speech.Text("main"))
	}
	p.get("/minutes/articles/" + m.IssueID + "/speeches/99").Want(404)
	p.get("/minutes/articles/" + m.IssueID + "/speeches/3?part=2").Want(404)

	bill := p.get("/minutes/issues/" + url.PathEscape(minutestest.Bill)).Want(200)
	if bill.Count(".timeline li") != 1 || bill.Text("h1") != minutestest.Bill {
		t.Errorf("the bill: %s", bill.Text("main"))
	}
	person := p.get("/minutes/people/高橋三郎").Want(200)
	if !strings.Contains(person.Text("main"), "国土交通大臣") || !strings.Contains(person.Text(".said"), "補助率について発言した") {
		t.Errorf("the person: %s", person.Text("main"))
	}
}

// A speech of megabytes has pages of its own, on which its quotes are found.
func TestLongSpeech(t *testing.T) {
	m := minutestest.Sitting(1, "2026-11-02")
	var text strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&text, "第%d項について申し上げますと、自転車道の整備はなお道半ばであります。", i)
	}
	m.Speeches[2].Text = "○田中花子君　" + text.String()
	p := open(t, &minutestest.Writer{}, m)
	task, err := p.desk.GetTask(t.Context(), m.IssueID)
	check(t, err)
	if task.Status != minutes.Completed {
		t.Fatalf("the task is %s: %s", task.Status, task.LastError)
	}
	r := p.get("/minutes/articles/" + m.IssueID).Want(200)
	if len(r.Body) > 6<<20 || r.Count("#s-2 .record") != 0 {
		t.Errorf("the page has %d bytes", len(r.Body))
	}
	links := r.Doc.Find("#s-2 a.quote")
	if links.Length() == 0 {
		t.Fatal("the long speech is not quoted")
	}
	last := links.Last()
	href, _ := last.Attr("href")
	path, id, _ := strings.Cut(href, "#")
	if !strings.Contains(path, "part=") {
		t.Errorf("the last quote is at %s", href)
	}
	if mark := p.get(path).Want(200).Doc.Find("[id='" + id + "']"); !strings.Contains(mark.Text(), last.Text()) {
		t.Errorf("%s has %q, not %q", href, mark.Text(), last.Text())
	}
}

// The parts of a speech are the speech.
func TestParts(t *testing.T) {
	m := minutestest.Sitting(1, "2026-11-02")
	m.Speeches[2].Text = "○田中花子君　" + strings.Repeat("同じことを何度でも申し上げますが自転車道であります。", 3000)
	p := open(t, &minutestest.Writer{}, m)
	var whole strings.Builder
	first := p.get("/minutes/articles/" + m.IssueID + "/speeches/2").Want(200)
	n := first.Doc.Find(".tabs").First().Find("a").Length()
	if n < 2 {
		t.Fatalf("%d parts", n)
	}
	for part := 1; part <= n; part++ {
		whole.WriteString(p.get(fmt.Sprintf("/minutes/articles/%s/speeches/2?part=%d", m.IssueID, part)).Want(200).Doc.Find(".record").Text())
	}
	if whole.String() != m.Speeches[2].Text {
		t.Errorf("the parts have %d bytes, the speech %d", whole.Len(), len(m.Speeches[2].Text))
	}
}

// hostile is what a meeting, or a model, may try to smuggle into a page.
var hostile = []string{
	`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `' onmouseover='alert(1)`, `javascript:alert(1)`, `</details></article><h1>x</h1>`,
	`<hr>`, `{{.Data}}`, `<!--`, `]]>`, "\u202eevil", `<a href="javascript:x">y</a>`,
}

func TestHostileTexts(t *testing.T) {
	all := strings.Join(hostile, " ")
	m := minutestest.Sitting(1, "2026-11-02")
	m.URL, m.Name, m.House, m.Issue = "javascript:alert(1)", all, `<b>院</b>`, all
	for i := range m.Speeches[1:] {
		s := &m.Speeches[i+1]
		s.Speaker, s.Group, s.Position, s.Yomi, s.URL = s.Speaker+`<i>"'`, all, all, all, "javascript:alert(1)"
		s.Text += "\n" + all + "であります、と申し上げておきます。"
	}
	p := open(t, &minutestest.Writer{Change: func(passages string, answer map[string]any) {
		for _, key := range []string{"title", "description", "category"} {
			answer[key] = all
		}
		answer["keywords"], answer["key_points"] = hostile, hostile
		answer["terms"] = []any{map[string]any{"term": "<script>alert(1)</script>", "definition": all}}
		for _, d := range answer["dialogs"].([]any) {
			d.(map[string]any)["reaction"], d.(map[string]any)["soft_language"] = all, all
		}
		summary := answer["summary"].(map[string]any)
		summary["summary"] = all
	}}, m)
	article, err := p.desk.GetArticle(t.Context(), m.IssueID)
	check(t, err)
	paths := []string{"/minutes", "/minutes/articles/" + m.IssueID, "/minutes/articles/" + m.IssueID + "/speeches/2", "/minutes/people", "/minutes/issues", "/"}
	for _, k := range article.Keywords {
		paths = append(paths, "/minutes/keywords/"+url.PathEscape(k))
	}
	for _, person := range article.Participants {
		paths = append(paths, "/minutes/people/"+url.PathEscape(person.Name))
	}
	for _, q := range hostile {
		paths = append(paths, "/minutes?category="+url.QueryEscape(q), "/minutes?month="+url.QueryEscape(q), "/minutes/feed.atom?keyword="+url.QueryEscape(q))
	}
	office := []string{"/office/minutes?status=completed", "/office/minutes/shares", "/office/minutes/shares?month=2026-11&assembly=%3Cb%3E", "/office/minutes/tasks/" + m.IssueID}
	for _, path := range slices.Concat(paths, office) {
		r := p.Site.Get(t, auth.Operator, path)
		if r.StatusCode >= 500 {
			t.Errorf("%s: %d", path, r.StatusCode)
		}
		if n := r.Count("script:not([src]):not([type='application/ld+json']), [onerror], [onmouseover], main img, main b, main i, main iframe, main hr, [href^='javascript:']"); n != 0 {
			t.Errorf("%s lets %d hostile elements through", path, n)
		}
	}
	if got := p.get("/minutes/articles/" + m.IssueID).Doc.Find("#s-2 .record").Text(); strings.TrimSpace(got) != strings.TrimSpace(m.Speeches[2].Text) {
		t.Errorf("the record is not as it was: %s", cmp.Diff(m.Speeches[2].Text, got))
	}
}

// lying makes a false answer about the second meeting.
func lying() *minutestest.Writer {
	return &minutestest.Writer{Change: func(passages string, answer map[string]any) {
		if !strings.Contains(passages, "2026-11-02") {
			return
		}
		dialog := answer["dialogs"].([]any)[0].(map[string]any)
		bullet := dialog["summary_sections"].([]any)[0].(map[string]any)["bullets"].([]any)[0].(map[string]any)
		bullet["quote"] = "極秘の捏造された発言であります。"
	}}
}

// What is in review is the operators' alone, until they decide.
func TestReview(t *testing.T) {
	good, bad := minutestest.Sitting(1, "2026-11-01"), minutestest.Sitting(2, "2026-11-02")
	p := open(t, lying(), good, bad)
	task, err := p.desk.GetTask(t.Context(), bad.IssueID)
	check(t, err)
	if task.Status != minutes.Review {
		t.Fatalf("the task is %s: %s", task.Status, task.LastError)
	}
	for _, route := range p.Mux.Routes() {
		if route.Method() != http.MethodGet || route.Access != auth.Everyone {
			continue
		}
		path := strings.NewReplacer("{value}", url.PathEscape("国土交通"), "{id}", bad.IssueID, "{order}", "2", "{$}", "").Replace(route.Path())
		for _, role := range []auth.Role{auth.Everyone, auth.Reader, auth.Author, auth.Moderator} {
			if r := p.Site.Get(t, role, path); strings.Contains(r.Body, "捏造") || strings.Contains(r.Body, bad.IssueID) && r.StatusCode < 400 && !strings.HasPrefix(path, "/sign-in") {
				t.Errorf("%s shows %s what is in review", path, role)
			}
		}
	}
	queue := p.Site.Get(t, auth.Operator, "/office/minutes").Want(200)
	if queue.Count("tbody tr") != 1 || !strings.Contains(queue.Text("tbody .reason"), "does not contain") || queue.Header.Get("Cache-Control") != "private, no-store" {
		t.Fatalf("the queue: %s", queue.Text("main"))
	}
	path := queue.Attr("tbody a", "href")
	page := p.Site.Get(t, auth.Operator, path).Want(200)
	if page.Count(".findings li") != 1 || !strings.Contains(page.Text("pre"), "捏造") || page.Count("button[name=decision]") != 3 {
		t.Fatalf("the review: %s", page.Text("main"))
	}
	decide := func(decision, seen string) *webtest.Reply {
		return p.Post(t, auth.Operator, path, url.Values{"decision": {decision}, "seen": {seen}, "why": {"checked"}})
	}
	decide("publish", "long ago").Want(409)
	decide("nonsense", page.Attr("input[name=seen]", "value")).Want(422)
	p.did = nil
	decide("publish", page.Attr("input[name=seen]", "value")).Want(303)
	if diff := cmp.Diff([]string{"publish " + bad.IssueID + " checked"}, p.did); diff != "" {
		t.Error(diff)
	}
	r := p.get("/minutes/articles/" + bad.IssueID).Want(200)
	if strings.Contains(r.Body, "捏造") || r.Count("#s-3 a.quote") == 0 {
		t.Error("what is published is not what stood up to the record")
	}
	if page := p.Site.Get(t, auth.Operator, path).Want(200); page.Count("button[name=decision]") != 1 || page.Attr("aside a.button", "href") != "/minutes/articles/"+bad.IssueID {
		t.Errorf("afterwards: %s", page.Text("main"))
	}
}

// A meeting that cannot be used is on record, and can be tried again.
func TestFailed(t *testing.T) {
	m := minutestest.Sitting(1, "2026-11-01")
	m.Speeches = nil
	p := open(t, &minutestest.Writer{}, m)
	queue := p.Site.Get(t, auth.Operator, "/office/minutes").Want(200)
	if queue.Attr(".tabs [aria-current]", "href") != "/office/minutes?status=failed" || queue.Count("tbody tr") != 1 {
		t.Fatalf("the queue: %s", queue.Text("main"))
	}
	page := p.Site.Get(t, auth.Operator, "/office/minutes/tasks/"+m.IssueID).Want(200)
	if page.Text(".notice .reason") == "" {
		t.Error("no reason")
	}
	p.get("/minutes/articles/" + m.IssueID).Want(404)
	r := p.Post(t, auth.Operator, "/office/minutes/tasks/"+m.IssueID, url.Values{"decision": {"retry"}, "seen": {page.Attr("input[name=seen]", "value")}})
	if r.StatusCode >= 500 {
		t.Errorf("trying again: %d %s", r.StatusCode, r.Text("main"))
	}
}

// Programs of any site fetch the asset of a published article, and of nothing else.
func TestAsset(t *testing.T) {
	m := minutestest.Sitting(1, "2026-11-01")
	p := open(t, &minutestest.Writer{}, m)
	a, err := p.desk.GetArticle(t.Context(), m.IssueID)
	check(t, err)
	at, err := url.Parse(a.AssetURL)
	check(t, err)
	r := p.get(at.Path).Want(200)
	if r.Header.Get("Access-Control-Allow-Origin") != "*" || !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") || !strings.Contains(r.Body, `"soft_language_summary"`) {
		t.Errorf("%v %.200s", r.Header, r.Body)
	}
	p.get(strings.Replace(at.Path, m.IssueID, "121800000X00120250101", 1)).Want(404)
	p.get(minutes.AssetPath + "/raw/" + m.IssueID + ".json").Want(404)
}

// A state of another program is shown as what it is, and nothing can be done to it.
func TestForeignState(t *testing.T) {
	p := open(t, &minutestest.Writer{})
	item := map[string]types.AttributeValue{}
	for name, text := range map[string]string{"pk": "121805261X00320250919", "status": "ingested", "createdAt": "2025-11-01T00:00:00Z", "updatedAt": "2025-11-01", "raw_url": "s3://politopics-prompts/raw/x.json", "awaiting": "operator"} {
		item[name] = &types.AttributeValueMemberS{Value: text}
	}
	_, err := p.DB.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &minutes.Schema.Tables[0].Name, Item: item})
	check(t, err)
	queue := p.Site.Get(t, auth.Operator, "/office/minutes?status=other").Want(200)
	if queue.Count("tbody tr") != 1 || !strings.Contains(queue.Text("tbody tr"), "ingested") {
		t.Fatalf("the queue: %s", queue.Text("main"))
	}
	page := p.Site.Get(t, auth.Operator, "/office/minutes/tasks/121805261X00320250919").Want(200)
	if page.Count("button[name=decision]") != 0 || !strings.Contains(page.Text("main"), "ingested") {
		t.Errorf("the task: %s", page.Text("main"))
	}
}

// Who may come in, written down a second time.
func TestDoors(t *testing.T) {
	p := open(t, &minutestest.Writer{})
	table := map[string]auth.Role{}
	for _, r := range p.Mux.Routes() {
		if !strings.Contains(r.Path(), "/minutes") {
			table[r.Pattern] = r.Access // the shell's own
		}
	}
	public := []string{"", "/feed.atom", "/feed.json", "/people", "/issues", "/articles/{id}", "/articles/{id}/speeches/{order}", "/assets/{key...}"}
	for _, folder := range []string{"categories", "houses", "meetings", "people", "keywords", "issues", "sessions", "kinds", "months"} {
		for _, end := range []string{"", "/feed.atom", "/feed.json"} {
			public = append(public, "/"+folder+"/{value}"+end)
		}
	}
	for _, path := range public {
		table["GET /minutes"+path] = auth.Everyone
	}
	for _, pattern := range []string{"GET /office/minutes", "GET /office/minutes/shares", "GET /office/minutes/tasks/{id}", "POST /office/minutes/tasks/{id}", "GET /office/assemblies", "POST /office/assemblies"} {
		table[pattern] = auth.Operator
	}
	fronttest.Matrix(t, p.Mux, table)
}

// glossary explains one word, wherever HTML lets it.
type glossary struct{ asked int }

func (g *glossary) Explain(_ context.Context, _ string, html template.HTML) template.HTML {
	g.asked++
	return template.HTML(strings.Replace(string(html), "通学路", string(web.TermLink(1, "通学路", "/lexicon/terms/x", "the way to school")), 1))
}

// The site's glossary is asked once for an article, and explains a word once.
func TestGlossary(t *testing.T) {
	m := minutestest.Sitting(1, "2026-11-02")
	p := open(t, &minutestest.Writer{}, m)
	g := &glossary{}
	p.Site.Site.Explain(g)
	r := p.get("/minutes/articles/" + m.IssueID).Want(200)
	if g.asked != 1 || r.Count(".term a[href='/lexicon/terms/x']") != 1 || r.Count("#summary + .telling .term a[href='/lexicon/terms/x']") != 1 {
		t.Errorf("asked %d times, explained %d times", g.asked, r.Count(".term a[href='/lexicon/terms/x']"))
	}
	if r.Count(".record .term") != 0 {
		t.Error("the record is not left as it was")
	}
}
