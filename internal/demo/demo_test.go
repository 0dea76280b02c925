package demo

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/google/go-cmp/cmp"

	"pressroom/blob"
	"pressroom/dynamo"
	"pressroom/internal/auth"
	"pressroom/internal/desk/blog"
	"pressroom/internal/desk/lexicon"
	"pressroom/internal/desk/minutes"
	"pressroom/internal/desk/newswire"
	"pressroom/model"
	"pressroom/model/deploy"
)

// room is a newsroom in memory, with a demo in it.
type room struct {
	*Demo
	db    *dynamo.DB
	clock time.Duration // how far ahead the time is
}

// now is coarse: on a fast machine many things happen at one time.
func (r *room) now() time.Time { return time.Now().Truncate(50 * time.Millisecond).Add(r.clock) }

func openRoom(t testing.TB, dir string) *room {
	t.Helper()
	r := &room{}
	var err error
	// What has expired by its date may go at any moment; the tests compare moments.
	if r.db, err = dynamo.OpenMemory(&dynamo.Options{SweepEvery: -1}); err != nil {
		t.Fatal(err)
	}
	objects, err := blob.Open("objects", &blob.Options{FS: vfs.NewMem(), SweepEvery: -1, Reserve: -1, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	schemas, err := model.Merge(minutes.Schema, newswire.Schema, blog.Schema, lexicon.Schema, auth.Schema)
	if err != nil {
		t.Fatal(err)
	}
	if err := deploy.Apply(t.Context(), deploy.Store{Tables: r.db, Objects: blob.Client(objects)}, nil, schemas...); err != nil {
		t.Fatal(err)
	}
	accounts, err := auth.New(r.db, &auth.Options{Password: auth.PasswordCost{Memory: 64, Time: 1, Threads: 1}})
	if err != nil {
		t.Fatal(err)
	}
	mark, err := Open(dir, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	outside, err := OpenOutside(t.Context(), mark, r.now)
	if err != nil {
		t.Fatal(err)
	}
	stage := Stage{Tables: r.db, Objects: blob.Client(objects), Auth: accounts, Now: r.now, Log: slog.New(slog.DiscardHandler)}
	if r.Demo, err = New(stage, mark, outside); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		r.Close()
		for _, err := range []error{outside.Close(), objects.Close(), r.db.Close()} {
			if err != nil {
				t.Error(err)
			}
		}
	})
	return r
}

func (r *room) load(t testing.TB) {
	t.Helper()
	if err := r.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// must returns the value of a call that cannot fail.
func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// Everything is there after one loading; each desk's part is a test of its own on
// the same room.
func TestLoad(t *testing.T) {
	r := openRoom(t, t.TempDir())
	r.load(t)
	for name, test := range map[string]func(*testing.T, *room){
		"accounts": testAccounts, "explained": testExplained, "minutes": testMinutes, "assemblies": testAssemblies, "newswire": testNewswire, "blog": testBlog, "lexicon": testLexicon, "links": testLinks,
	} {
		t.Run(name, func(t *testing.T) { test(t, r) })
	}
	t.Run("again", func(t *testing.T) { testAgain(t, r) })
	t.Run("moving", func(t *testing.T) { testMoving(t, r) })
}

func testAccounts(t *testing.T, r *room) {
	for _, a := range must(r.mark.Accounts())(t) {
		account := must(r.stage.Auth.Named(t.Context(), a.Name))(t)
		if account.Role != a.Role || len(a.Password) < 15 {
			t.Errorf("%s is %v with the password %q", a.Name, account.Role, a.Password)
		}
	}
}

const debate = "922105124X00420260004"

// ofAssemblies is how many meetings the other assemblies have, one each.
const ofAssemblies = 3

// Three parliaments of three traditions have an article each, with what its record says.
func testAssemblies(t *testing.T, r *room) {
	ctx := t.Context()
	said := map[string]string{"xk-keys": "Lighthouse Repair Bill", "xs-sundre": "Bru over Storsundet", "xm-minamo": "橋りょう条例"}
	for code, want := range said {
		page := must(r.minutes.Articles(ctx, minutes.Filter{Assembly: code}, minutes.PageOptions{}))(t)
		if len(page.Items) != 1 || !strings.Contains(page.Items[0].Title, want) {
			t.Errorf("%s: %+v", code, page.Items)
		}
	}
	votes := must(r.minutes.In("xk-keys").Votes(ctx, minutes.PageOptions{}))(t)
	if len(votes.Items) != 1 || len(votes.Items[0].Votes) != 1 || len(votes.Items[0].Votes[0].Parties) != 2 {
		t.Errorf("votes of the Skerries: %+v", votes.Items)
	}
}

func testMinutes(t *testing.T, r *room) {
	ctx := t.Context()
	counts := must(r.minutes.Counts(ctx, 100))(t)
	want := map[minutes.Status]int{minutes.Completed: 7 + ofAssemblies, minutes.Pending: leftPending, minutes.Failed: 1, minutes.Review: 1, minutes.Other: 0}
	if diff := cmp.Diff(want, counts); diff != "" {
		t.Error(diff)
	}
	for _, m := range r.outside.meetings {
		task, err := r.minutes.GetTask(ctx, m.IssueID)
		if chunked := err == nil && task.ProcessingMode == minutes.Chunked; chunked != (m.IssueID == debate) {
			t.Errorf("%s is chunked: %v", m.name, chunked)
		}
	}
	full := must(r.minutes.GetFull(ctx, debate))(t)
	if len(full.Asset.Dialogs) < 30 || len(full.Asset.Summary.BasedOnOrders) < 5 || !strings.Contains(full.Title, "図書館") {
		t.Errorf("the debate: %d dialogs, %s", len(full.Asset.Dialogs), full.Title)
	}
	bullets := 0
	for _, d := range full.Asset.Dialogs {
		for _, s := range d.Sections {
			for _, b := range s.Bullets {
				bullets++
				if !strings.Contains(d.OriginalText, b.Quote) {
					t.Errorf("speech %d does not contain %q", d.Order, b.Quote)
				}
			}
		}
	}
	if bullets < 20 {
		t.Errorf("%d points with quotes", bullets)
	}
	testMade(t, r)
	for bill, least := range map[string]int{"地域図書館連携推進法案": 4, "流域防災情報公開法案": 2} {
		if page := must(r.minutes.Timeline(ctx, bill, minutes.PageOptions{}))(t); len(page.Items) < least {
			t.Errorf("%s has %d entries", bill, len(page.Items))
		}
	}
}

// What the newsroom says that it made, it made: every article comes from the rules, every
// summary is an excerpt, and every translation is the lexicon's.
func testMade(t *testing.T, r *room) {
	t.Helper()
	ctx := t.Context()
	list := must(r.minutes.Articles(ctx, minutes.Filter{}, minutes.PageOptions{Limit: 50}))(t)
	for _, light := range list.Items {
		full := must(r.minutes.GetFull(ctx, light.ID))(t)
		if by := full.Asset.GeneratedBy; !by.Extractive || by.Model != minutes.TellerModel || by.Calls != 0 {
			t.Errorf("%s is by %+v", full.Title, by)
		}
		if m := must(r.minutes.GetTask(ctx, light.ID))(t); m.Status != minutes.Completed {
			t.Errorf("%s is %s", full.Title, m.Status)
		}
	}
	news := must(r.newswire.Feed(ctx, newswire.PageOptions{Limit: 100}))(t)
	for _, a := range news.Items {
		for _, s := range must(r.newswire.Summaries(ctx, a.ArticleID))(t) {
			if !s.Extractive || s.ModelID != newswire.ExcerptModel {
				t.Errorf("%s has a summary by %s/%s", a.Title, s.ModelProvider, s.ModelID)
			}
		}
	}
	desk := must(r.lexiconAt(r.now))(t)
	for _, state := range []string{lexicon.Validated, lexicon.AdminApproved, lexicon.AdminRejected} {
		for _, row := range must(desk.Submissions(ctx, state, lexicon.PageOptions{}))(t).Items {
			s := must(desk.Submission(ctx, row.ID))(t)
			if s.Judgement != nil && !s.Judgement.ByHand {
				t.Errorf("a model judged %s: %+v", s.Term, s.Judgement)
			}
		}
	}
}

func testNewswire(t *testing.T, r *room) {
	ctx := t.Context()
	status := map[string]string{}
	for _, s := range r.outside.sites {
		runs := must(r.newswire.RunsOfSite(ctx, s.ID, model.PageOptions{Limit: 10}))(t)
		want := 1
		if s.Down {
			want = 2 // also last month
		}
		if len(runs.Items) != want {
			t.Fatalf("%s has %d runs", s.ID, len(runs.Items))
		}
		status[s.ID] = runs.Items[0].Status
	}
	want := map[string]string{
		"minato-shimbun": newswire.Partial, "harbor-herald": newswire.Success, "kawasemi-press": newswire.Success,
		"northline-release": newswire.Success, "old-town-gazette": newswire.Failed, "mori-tech": newswire.Success,
	}
	if diff := cmp.Diff(want, status); diff != "" {
		t.Error(diff)
	}
	feed := must(r.newswire.Feed(ctx, model.PageOptions{Limit: 100}))(t)
	titles, states := map[string]bool{}, map[string]int{}
	for _, a := range feed.Items {
		titles[a.Title] = true
		states[a.Status]++
		if short := len([]rune(a.BodyPlain)) < 150; short != (a.Title == "Ferry notice") || short != (a.Status == newswire.SummaryFailed) {
			t.Errorf("%s is %s with %d characters", a.Title, a.Status, len([]rune(a.BodyPlain)))
		}
	}
	if states[newswire.Pending] != leftUnread || states[newswire.SummaryFailed] != 1 {
		t.Errorf("the articles are %v", states)
	}
	key := "exports/crawl-runs/" + r.now().UTC().AddDate(0, 0, -r.now().UTC().Day()).Format("2006-01") + ".ndjson.gz"
	export, err := r.stage.Objects.GetObject(ctx, &s3.GetObjectInput{Bucket: &newswire.Schema.Buckets[0].Name, Key: &key})
	if err != nil {
		t.Fatal(err)
	}
	unzipped := must(gzip.NewReader(export.Body))(t)
	if runs := string(must(io.ReadAll(unzipped))(t)); !strings.Contains(runs, `"siteId":"old-town-gazette"`) || !strings.Contains(runs, `"status":"failed"`) {
		t.Errorf("exported are %s", runs)
	}
	for _, s := range r.outside.sites {
		for _, one := range s.stories {
			expected := one.after == 0 && one.get("broken") == ""
			if titles[one.Title()] != expected {
				t.Errorf("%s: %q is there: %v", s.ID, one.Title(), !expected)
			}
		}
	}
	retries := must(r.newswire.Retries(ctx, newswire.FailedFetch, model.PageOptions{Limit: 10}))(t)
	if len(retries.Items) == 0 {
		t.Error("there is nothing to try again")
	}
}

func testBlog(t *testing.T, r *room) {
	ctx := t.Context()
	all := blog.PageOptions{Limit: 100}
	for state, want := range map[blog.Status]int{blog.Published: 9, blog.Draft: 2, blog.Archived: 1} {
		if page := must(r.blog.ListByStatus(ctx, state, all))(t); len(page.Items) != want {
			t.Errorf("%d posts are %s", len(page.Items), state)
		}
	}
	kinds, layouts := map[blog.Kind]int{}, map[blog.Layout]int{}
	for _, card := range must(r.blog.List(ctx, all))(t).Items {
		post := must(r.blog.Get(ctx, card.ID))(t)
		for _, b := range post.Blocks {
			kinds[b.Type]++
			layouts[b.Layout]++
		}
	}
	if kinds[blog.Code] < 2 || kinds[blog.Quote] < 5 || kinds[blog.Image] < 5 || layouts[blog.HalfLeft] < 4 || layouts[blog.HalfLeft] != layouts[blog.HalfRight] {
		t.Errorf("blocks: %v, %v", kinds, layouts)
	}
	if n := len(must(r.blog.Inbox(ctx, all))(t).Items); n != 1 {
		t.Errorf("%d letters", n)
	}
	if _, err := blog.New(r.stage.Tables, r.stage.Objects, &blog.Options{Profile: Profile()}); err != nil {
		t.Error(err)
	}
}

// The lexicon explains words in the newsroom's own posts and news.
func testExplained(t *testing.T, r *room) {
	ctx := t.Context()
	book := must(must(r.lexiconAt(r.now))(t).Book(ctx))(t)
	posts, news := 0, 0
	for _, card := range must(r.blog.Public().Latest(ctx, blog.PageOptions{Limit: 100}))(t).Items {
		a := must(r.blog.Public().Post(ctx, card.ID))(t)
		for _, row := range a.Rows {
			for _, cell := range row.Cells {
				posts += len(book.ExplainText(withoutLinks.ReplaceAllString(string(cell.HTML), "")))
			}
		}
	}
	for _, a := range must(r.newswire.Feed(ctx, newswire.PageOptions{Limit: 100}))(t).Items {
		for _, s := range must(r.newswire.Summaries(ctx, a.ArticleID))(t) {
			news += len(book.ExplainText(s.SummaryText))
		}
	}
	if posts < 2 || news < 2 {
		t.Errorf("%d terms are explained in posts, %d in news", posts, news)
	}
}

// withoutLinks finds what is not explained.
var withoutLinks = regexp.MustCompile(`(?s)<a .*?</a>|<[^>]*>`)

func testLexicon(t *testing.T, r *room) {
	ctx := t.Context()
	desk := must(r.lexiconAt(r.now))(t)
	for state, want := range map[string]int{
		lexicon.Pending: 1, lexicon.Validated: 5, lexicon.AdminApproved: 1, lexicon.AdminRejected: 1,
		lexicon.AutoApproved: 1, lexicon.Rejected: 1, // by another program
	} {
		if page := must(desk.Submissions(ctx, state, lexicon.PageOptions{}))(t); len(page.Items) != want {
			t.Errorf("%d proposals are %s", len(page.Items), state)
		}
	}
	queue := must(desk.Queue(ctx, lexicon.PageOptions{}))(t)
	if len(queue.Items) == 0 || queue.Items[0].Upvotes < 20 {
		t.Errorf("the queue: %+v", queue.Items)
	}
	if trends := must(desk.Trending(ctx, lexicon.PageOptions{}))(t); len(trends.Items) < 10 || trends.Items[0].Term != "タイパ" {
		t.Errorf("trends: %+v", trends.Items)
	}
	reader := must(r.accountID(ctx, "reader"))(t)
	if history := must(desk.History(ctx, reader, lexicon.PageOptions{}))(t); len(history.Items) != 5 {
		t.Errorf("%d translations", len(history.Items))
	}
	quizzes := must(desk.Quizzes(ctx, reader, lexicon.PageOptions{}))(t)
	if len(quizzes.Items) != 1 || quizzes.Items[0].Status != lexicon.QuizActive || quizzes.Items[0].Answered != halfDone || quizzes.Items[0].Questions != 2*halfDone {
		t.Errorf("quizzes: %+v", quizzes.Items)
	}
}

var (
	markdownLink = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	htmlLink     = regexp.MustCompile(`href="([^"]+)"`)
)

// Every link of a post leads to something that the demo has, and so does every
// link of a site.
func testLinks(t *testing.T, r *room) {
	n := 0
	for _, card := range must(r.blog.List(t.Context(), blog.PageOptions{Limit: 100}))(t).Items {
		for _, b := range must(r.blog.Get(t.Context(), card.ID))(t).Blocks {
			for _, link := range markdownLink.FindAllStringSubmatch(b.Content, -1) {
				n++
				if err := r.resolve(t.Context(), link[1]); err != nil {
					t.Errorf("%s: %s: %v", card.Title, link[1], err)
				}
			}
		}
	}
	if n < 12 {
		t.Errorf("only %d links", n)
	}
	for _, s := range r.outside.sites {
		if s.Down {
			continue
		}
		for _, link := range htmlLink.FindAllStringSubmatch(fetch(t, r.outside.URL(s.ID), http.StatusOK), -1) {
			want := http.StatusOK
			if strings.Contains(link[1], "broken") {
				want = http.StatusInternalServerError
			}
			fetch(t, strings.TrimSuffix(r.outside.URL(s.ID), "/")+link[1], want)
		}
	}
	full := must(r.minutes.GetFull(t.Context(), debate))(t)
	if page := fetch(t, full.Asset.SourceURL, http.StatusOK); !strings.Contains(page, full.Asset.Dialogs[4].OriginalText) {
		t.Error("the record's page has not what was said")
	}
}

func fetch(t *testing.T, address string, want int) string {
	t.Helper()
	resp, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != want {
		t.Errorf("%s: status %d, %v", address, resp.StatusCode, err)
	}
	return string(body)
}

// resolve looks up what a path of the newsroom shows.
func (r *room) resolve(ctx context.Context, link string) error {
	path, err := url.PathUnescape(link)
	if err != nil {
		return err
	}
	folder, name := path[:strings.LastIndexByte(path, '/')+1], path[strings.LastIndexByte(path, '/')+1:]
	switch folder {
	case "/minutes/articles/":
		_, err = r.minutes.GetArticle(ctx, name)
	case "/minutes/issues/":
		var page model.Page[minutes.Light]
		if page, err = r.minutes.Timeline(ctx, name, minutes.PageOptions{}); err == nil && len(page.Items) == 0 {
			return io.ErrUnexpectedEOF
		}
	case "/newswire/sites/":
		_, err = r.newswire.GetSite(ctx, name)
	case "/blog/posts/":
		_, err = r.blog.Public().Post(ctx, name)
	case "/lexicon/terms/":
		var desk *lexicon.Desk
		if desk, err = r.lexiconAt(r.now); err == nil {
			_, err = desk.Term(ctx, name)
		}
	default:
		if !slices.Contains([]string{"/lexicon", "/blog/contact"}, path) {
			return http.ErrNotSupported
		}
	}
	return err
}

// items counts and digests all that is stored.
func (r *room) items(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	tables := must(r.db.ListTables(t.Context(), &dynamodb.ListTablesInput{}))(t)
	for _, table := range tables.TableNames {
		pages := dynamodb.NewScanPaginator(r.db, &dynamodb.ScanInput{TableName: aws.String(table)})
		for pages.HasMorePages() {
			for _, item := range must(pages.NextPage(t.Context()))(t).Items {
				text := must(json.Marshal(item))(t)
				all[table+" "+string(text)] = ""
			}
		}
	}
	return all
}

// A second loading changes nothing, also if the first one forgot that it was done.
func testAgain(t *testing.T, r *room) {
	before := r.items(t)
	r.load(t)
	if diff := cmp.Diff(before, r.items(t)); diff != "" {
		t.Errorf("loading again: %s", diff)
	}
	if err := r.mark.change(func(d *markData) {
		d.Done = slices.DeleteFunc(d.Done, func(part string) bool { return part == "meetings" || part == "sites" })
	}); err != nil {
		t.Fatal(err)
	}
	counts := len(before)
	if err := r.loadAccounts(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, load := range []func(context.Context) error{r.loadPosts, r.loadTerms, r.loadProposals} {
		if err := load(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if after := len(r.items(t)); after != counts {
		t.Errorf("%d items became %d", counts, after)
	}
}

// What is to come appears as time goes by, and the jobs find it.
func testMoving(t *testing.T, r *room) {
	r.clock = 12 * time.Minute
	ctx := t.Context()
	if err := r.Collect(ctx); err != nil {
		t.Fatal(err)
	}
	if n := must(r.minutes.Counts(ctx, 100))(t)[minutes.Pending]; n != leftPending+2 {
		t.Errorf("%d tasks are pending", n)
	}
	for range leftPending + 3 {
		if err := r.Work(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if n := must(r.minutes.Counts(ctx, 100))(t)[minutes.Completed]; n != 11+ofAssemblies {
		t.Errorf("%d tasks are completed", n)
	}
	for range r.outside.sites {
		if err := r.Crawl(ctx); err != nil {
			t.Fatal(err)
		}
	}
	later := 0
	for _, a := range must(r.newswire.Feed(ctx, model.PageOptions{Limit: 100}))(t).Items {
		if strings.Contains(a.URL, "/later-") {
			later++
		}
	}
	if later != 3 {
		t.Errorf("%d later articles were found", later)
	}
}

func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		openRoom(b, b.TempDir()).load(b)
	}
}
