package opsweb_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pressroom/internal/auth"
	"pressroom/internal/errs"
	"pressroom/internal/ops"
	"pressroom/internal/web/opsweb"
	"pressroom/internal/web/webtest"
)

var cursorKey = []byte("0123456789abcdef0123456789abcdef")

// room is a site with the operators' pages, on tables in memory.
type room struct {
	*webtest.Site
	sched  *ops.Scheduler
	ledger *ops.Ledger
	// What the desks and the stores tell, and what is wrong with them.
	told    atomic.Pointer[ops.Readings]
	broken  atomic.Pointer[error]
	fails   atomic.Bool
	again   atomic.Int32
	worked  atomic.Int32
	release chan struct{} // lets a run of "newswire-crawl" end
}

func (r *room) tell(readings ops.Readings) { r.told.Store(&readings) }

func open(t *testing.T) *room {
	t.Helper()
	r := &room{Site: webtest.Open(t, ops.Schema), release: make(chan struct{}, 10)}
	r.tell(ops.Readings{})
	quiet := slog.New(slog.DiscardHandler)
	var err error
	if r.sched, err = ops.New(r.DB, &ops.Options{Owner: "press-1", CursorKey: cursorKey, Look: 20 * time.Millisecond, Log: quiet}); err != nil {
		t.Fatal(err)
	}
	if r.ledger, err = ops.NewLedger(r.DB, &ops.LedgerOptions{CursorKey: cursorKey}); err != nil {
		t.Fatal(err)
	}
	err = r.sched.Add(
		ops.Job{Name: "newswire-crawl", Doc: "Begins crawls.", Run: func(ctx context.Context, p *ops.Progress) error {
			p.Of(4)
			p.Add(3)
			p.Count("begun", 3)
			if r.fails.Load() {
				return errors.New("the site <b>harbour</b> does not answer")
			}
			select {
			case <-r.release:
			case <-ctx.Done():
			}
			r.worked.Add(1)
			return ctx.Err()
		}},
		ops.Job{Name: "made-up", Doc: "Does nothing.", Cron: "30 4 * * *", Zone: "Asia/Tokyo", Run: func(context.Context, *ops.Progress) error { return nil }})
	if err != nil {
		t.Fatal(err)
	}
	desks := ops.SourceFunc(func(context.Context) (ops.Readings, error) {
		if broken := r.broken.Load(); broken != nil {
			return ops.Readings{}, *broken
		}
		return *r.told.Load(), nil
	})
	dashboard := ops.NewDashboard(nil, ops.NamedSource{Name: "jobs", Source: r.sched.Source(), Fresh: time.Nanosecond},
		ops.NamedSource{Name: "desks", Source: desks, Fresh: time.Nanosecond}, ops.NamedSource{Name: "tables", Source: ops.TableSizes(r.DB, ops.Schema), Fresh: time.Nanosecond})
	err = opsweb.Register(r.Site.Site, opsweb.Options{
		Scheduler: r.sched, Dashboard: dashboard, Ledger: r.ledger, Desks: []string{"minutes", "newswire"},
		Browser: ops.NewBrowser(r.DB, ops.BrowserOptions{CursorKey: cursorKey}, ops.Schema),
		Requeue: map[string]func(context.Context) (int, error){"minutes tasks": func(context.Context) (int, error) { return int(r.again.Add(2)), nil }},
		Ready: func(context.Context) []opsweb.Part {
			return []opsweb.Part{{Name: "tables"}, {Name: "disk"}}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// work runs the jobs until the test ends.
func (r *room) work(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { defer close(ended); _ = r.sched.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-ended })
}

// eventually waits for something that takes a moment; only a broken program makes it
// wait long.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); !holds(); time.Sleep(25 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("it never happens that %s", what)
		}
	}
}

const home = "/office/operations"

// Nobody but an operator sees or does anything here.
func TestOnlyOperators(t *testing.T) {
	r := open(t)
	for _, path := range []string{"", "/jobs/made-up", "/runs", "/models", "/storage", "/data", "/data/Operations", "/data/Operations/ask/Actions", "/data/Operations/item/Job", "/audit"} {
		r.Get(t, auth.Operator, home+path).Want(http.StatusOK)
		for _, role := range []auth.Role{auth.Everyone, auth.Reader, auth.Author, auth.Moderator} {
			if got := r.Get(t, role, home+path); got.StatusCode == http.StatusOK {
				t.Errorf("%v sees %s", role, path)
			}
		}
	}
	for _, path := range []string{"/jobs/made-up/run", "/jobs/made-up/pause", "/queues/minutes%20tasks/requeue"} {
		if got := r.Post(t, auth.Moderator, home+path, nil); got.StatusCode < 400 && !strings.HasPrefix(got.Header.Get("Location"), "/sign-in") {
			t.Errorf("a moderator may do %s: %d", path, got.StatusCode)
		}
	}
	page, err := r.sched.Actions(t.Context(), "", ops.PageOptions{})
	if err != nil || len(page.Items) != 0 || r.again.Load() != 0 {
		t.Errorf("something was done: %v, %v", page.Items, err)
	}
}

// What is wrong stands at the top, the worst first; what is not is not there.
func TestVerdict(t *testing.T) {
	r := open(t)
	got := r.Get(t, auth.Operator, home).Want(http.StatusOK)
	if got.Text("#verdict") != "All is well" || got.Count(".ops-verdict.good") != 1 || got.Count(".ops-parts .good") != 2 {
		t.Errorf("with nothing wrong: %s", got.Text(".ops-verdict"))
	}
	now := time.Now()
	r.tell(ops.Readings{
		Queues: []ops.Queue{
			{Name: "minutes tasks", Items: map[string]int{"waiting": 1200, "failed": 3}, Oldest: now.Add(-3 * time.Hour), Path: "/office/minutes"},
			{Name: "newswire summaries", Items: map[string]int{"waiting": 1000}, Oldest: now.Add(-time.Minute), Most: 1000},
		},
		Spending: []ops.Spending{{Name: "minutes", Committed: 0.85, Dollars: 0.5, Budget: 1}, {Name: "newswire", Committed: 2, Budget: 2}, {Name: "lexicon", Dollars: 9}},
		Disks:    []ops.Disk{{Name: "tables", Used: 5_000_000, Free: 100 << 20}, {Name: "objects", Used: -1, Free: -1, Damages: 2}},
		Failures: []ops.Failure{{Queue: "minutes tasks", Reason: "overloaded", Count: 3, Example: "openai <i>gpt</i>: overloaded"}},
		Works:    []ops.Work{{Name: "newswire crawl", Subject: "harbour", State: ops.Running, Started: now, Done: 1, Total: 4}},
	})
	if err := r.sched.Pause(t.Context(), "made-up", "ann", ""); err != nil {
		t.Fatal(err)
	}
	got = r.Get(t, auth.Operator, home).Want(http.StatusOK)
	want := []string{
		"Broken newswire: the day’s budget of $2.00 is spent; calls are refused",
		"Broken The disk of the tables has only 105 MB left",
		"Broken Data of the objects are damaged on disk; run “pressroom check” to see what, and restore from a backup",
		"Look Job made-up is paused",
		"Look minutes tasks: 3 failed, waiting for somebody",
		"Look minutes tasks: the oldest has waited 3 h",
		"Look minutes: 85 % of the day’s budget of $1.00 is gone",
	}
	text := got.Text(".ops-verdict")
	if got.Text("#verdict") != "7 things need a look" || got.Count(".ops-verdict.bad") != 1 {
		t.Errorf("the verdict is %s", text)
	}
	at := -1
	for _, line := range want {
		i := strings.Index(text, line)
		if i < 0 || i < at {
			t.Errorf("%q is not there, or not in its place, in %s", line, text)
		}
		at = i
	}
	for selector, part := range map[string]string{
		"#h-queues ~ .scroll": "1,000+", "#h-failures ~ .scroll": "openai <i>gpt</i>: overloaded", "#h-works ~ .scroll": "newswire crawl: harbour Running", ".ops-figures": "Waiting2,200",
	} {
		if !strings.Contains(got.Text(selector), part) {
			t.Errorf("%s shows %s, not %s", selector, got.Text(selector), part)
		}
	}
	if ja := r.Get(t, auth.Operator, home+"?lang=ja"); ja.Text("#verdict") != "確認が必要なものが7件あります" {
		t.Errorf("in Japanese: %s", ja.Text("#verdict"))
	}
	broken := errors.New("the table is away")
	r.broken.Store(&broken)
	if got := r.Get(t, auth.Operator, home); !strings.Contains(got.Text(".ops-verdict"), "desks does not tell its numbersread desks: the table is away") {
		t.Errorf("a source is silent: %s", got.Text(".ops-verdict"))
	}
}

// The search index says what is in it, how far it is behind and when it was made;
// that it is late, or is not fed, stands at the top.
func TestSearchIndex(t *testing.T) {
	r := open(t)
	now := time.Now()
	x := ops.SearchIndex{Documents: 12345, Bytes: 2_500_000, Built: now.Add(-3 * time.Hour), Checked: now, Path: home + "/jobs/search-rebuild"}
	show := func(x ops.SearchIndex) *webtest.Reply {
		t.Helper()
		r.tell(ops.Readings{Indexes: []ops.SearchIndex{x}})
		return r.Get(t, auth.Operator, home).Want(http.StatusOK)
	}
	got := show(x)
	for _, want := range []string{"Documents12,345", "Behind what is published0", "Last made as a whole3 h ago", "Size2.50 MB"} {
		if !strings.Contains(got.Text("#h-search ~ dl"), want) {
			t.Errorf("%s lacks %s", got.Text("#h-search ~ dl"), want)
		}
	}
	if got.Text("#verdict") != "All is well" || got.Attr("#h-search ~ p a", "href") != x.Path {
		t.Errorf("it leads to %s, and the verdict is %s", got.Attr("#h-search ~ p a", "href"), got.Text("#verdict"))
	}
	x.Building, x.Done = true, 77
	if text := show(x).Text("#h-search ~ p"); !strings.Contains(text, "77 documents so far") {
		t.Errorf("while it is made: %s", text)
	}
	x.Building, x.Behind = false, 5*time.Minute
	if text := show(x).Text(".ops-verdict"); !strings.Contains(text, "Look Search: what was published 5 min ago is not found yet") {
		t.Errorf("late: %s", text)
	}
	x.Problem = "the table is away"
	if text := show(x).Text(".ops-verdict"); !strings.Contains(text, "Look The search index does not get what is published") || !strings.Contains(text, x.Problem) {
		t.Errorf("not fed: %s", text)
	}
	got = show(ops.SearchIndex{Documents: 1, Path: x.Path})
	if text := got.Text("#h-search ~ dl"); !strings.Contains(text, "Behind what is published–") || !strings.Contains(text, "Last made as a whole–") {
		t.Errorf("fed elsewhere, never made here: %s", text)
	}
}

// htmx gets the part that renews itself, and nothing else.
func TestLivePart(t *testing.T) {
	r := open(t)
	for _, path := range []string{"", "/storage", "/jobs/made-up"} {
		req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, home+path, nil)
		req.Header.Set("HX-Request", "true")
		got := r.Do(t, auth.Operator, req).Want(http.StatusOK)
		if strings.Contains(got.Body, "<html") || got.Attr("#live", "hx-get") != home+path || got.Attr("#live", "hx-swap") != "outerHTML" {
			t.Errorf("%s: %.200s", path, got.Body)
		}
	}
}

// A job is paused, resumed and run, each on record with who and why.
func TestJobActions(t *testing.T) {
	r := open(t)
	r.work(t)
	do := func(job, action, why, flash string) {
		t.Helper()
		got := r.Post(t, auth.Operator, home+"/jobs/"+job+"/"+action, url.Values{"why": {why}, "from": {"job"}}).Want(http.StatusSeeOther)
		if got.Header.Get("Location") != home+"/jobs/"+job {
			t.Errorf("%s leads to %s", action, got.Header.Get("Location"))
		}
		next := httptest.NewRequestWithContext(t.Context(), http.MethodGet, home+"/jobs/"+job, nil)
		for _, c := range got.Cookies() {
			next.AddCookie(c)
		}
		if page := r.Do(t, auth.Operator, next); !strings.Contains(page.Text("body"), flash) {
			t.Errorf("after %s there is no %q in %s", action, flash, page.Text("main"))
		}
	}
	do("made-up", "pause", "too loud", "made-up is paused.")
	do("made-up", "pause", "", "made-up was paused already.")
	do("made-up", "resume", "", "made-up goes on.")
	do("newswire-crawl", "run", "look <now>", "newswire-crawl begins in a moment.")
	eventually(t, "the job runs", func() bool {
		return strings.Contains(r.Get(t, auth.Operator, home+"/jobs/newswire-crawl").Text("#live"), "Running")
	})
	do("newswire-crawl", "run", "", "newswire-crawl is running already.")
	r.release <- struct{}{}
	eventually(t, "the run is done", func() bool {
		text := r.Get(t, auth.Operator, home+"/jobs/newswire-crawl").Text("#live")
		return strings.Contains(text, "Done") && strings.Contains(text, "begun 3") && strings.Contains(text, "asked for by operator")
	})
	if r.worked.Load() != 1 {
		t.Errorf("it ran %d times", r.worked.Load())
	}
	trail := r.Get(t, auth.Operator, home+"/audit").Want(http.StatusOK)
	for i, want := range []string{"operatorRun nowjob newswire-crawllook <now>", "operatorResumejob made-up", "operatorPausejob made-uptoo loud"} {
		if got := trail.Text(fmt.Sprintf("tbody tr:nth-child(%d)", i+1)); !strings.HasSuffix(got, want) {
			t.Errorf("line %d of the trail: %s", i, got)
		}
	}
	if got := r.Get(t, auth.Operator, home+"/audit?subject=job+made-up"); got.Count("tbody tr") != 2 {
		t.Errorf("the trail of one job has %d lines", got.Count("tbody tr"))
	}
	r.fails.Store(true)
	do("newswire-crawl", "run", "", "newswire-crawl begins in a moment.")
	eventually(t, "the failure is shown with its reason", func() bool {
		return strings.Contains(r.Get(t, auth.Operator, home).Text(".ops-verdict"), "Job newswire-crawl failedthe site <b>harbour</b> does not answer")
	})
	if got := r.Get(t, auth.Operator, home+"/runs"); got.Count("tbody tr") != 1 || !strings.Contains(got.Text("tbody"), "harbour") {
		t.Errorf("failed runs: %s", got.Text("main"))
	}
	r.Post(t, auth.Operator, home+"/jobs/made-up/explode", nil).Want(http.StatusNotFound)
	r.Post(t, auth.Operator, home+"/jobs/nobody/run", nil).Want(http.StatusNotFound)
	r.Get(t, auth.Operator, home+"/jobs/nobody").Want(http.StatusNotFound)
	r.Get(t, auth.Operator, home+"/runs?state=strange").Want(http.StatusUnprocessableEntity)
}

// What failed is put back by the queue's own means, on record first.
func TestRequeue(t *testing.T) {
	r := open(t)
	r.tell(ops.Readings{Queues: []ops.Queue{{Name: "minutes tasks", Items: map[string]int{"failed": 2}}, {Name: "blog inbox", Items: map[string]int{"failed": 1}}}})
	page := r.Get(t, auth.Operator, home)
	if page.Count("form[action$='/requeue']") != 1 {
		t.Fatalf("%d queues can be put back", page.Count("form[action$='/requeue']"))
	}
	r.Post(t, auth.Operator, page.Attr("form[action$='/requeue']", "action"), nil).Want(http.StatusSeeOther)
	if r.again.Load() != 2 {
		t.Error("nothing was put back")
	}
	trail, err := r.sched.Actions(t.Context(), "queue minutes tasks", ops.PageOptions{})
	if err != nil || len(trail.Items) != 1 || trail.Items[0].Who != "operator" || trail.Items[0].What != "requeue" {
		t.Errorf("the trail: %+v, %v", trail.Items, err)
	}
	r.Post(t, auth.Operator, home+"/queues/blog%20inbox/requeue", nil).Want(http.StatusNotFound)
}

// spend records some calls.
func (r *room) spend(t *testing.T) {
	t.Helper()
	now := time.Now()
	for i := range 60 {
		c := ops.Call{Desk: "minutes", Task: "12155", Purpose: "chunk", Prompt: "v3", Provider: "openai", Model: "gpt-5", Input: 21000, Output: 900, Cost: 12_500_000, Millis: 2300}
		if i == 59 {
			c.Failure, c.Error, c.Cost = "rate limited", "openai gpt-5: 429 slow <down>", 0
		}
		if err := r.ledger.Record(t.Context(), now.Add(-time.Duration(i)*time.Millisecond-time.Duration(i%2)*25*time.Hour), c); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.ledger.Record(t.Context(), now, ops.Call{Desk: "newswire", Purpose: "summary", Prompt: "v1", Provider: "builtin", Model: "extractive-1", Input: 800, Output: 90, Estimated: true}); err != nil {
		t.Fatal(err)
	}
}

func TestModels(t *testing.T) {
	r := open(t)
	r.spend(t)
	got := r.Get(t, auth.Operator, home+"/models").Want(http.StatusOK)
	if rows := got.Count("#h-days ~ .scroll tbody tr"); rows < 2 || !strings.Contains(got.Text("#h-days ~ .scroll"), "30 calls, 1 failed") {
		t.Errorf("%d days: %s", rows, got.Text("#h-days ~ .scroll"))
	}
	if text := got.Text("#calls ~ .scroll tbody tr:first-child"); !strings.Contains(text, "chunk v312155 openaigpt-5 21,000 900 $0.0125 2.3 s Answered") {
		t.Errorf("a call: %s", text)
	}
	failed := r.Get(t, auth.Operator, home+"/models?desk=minutes&failed=1").Want(http.StatusOK)
	if failed.Count("#calls ~ .scroll tbody tr") != 1 || !strings.Contains(failed.Text("#calls ~ .scroll"), "Rate limitedopenai gpt-5: 429 slow <down>") {
		t.Errorf("failed calls: %s", failed.Text("#calls ~ .scroll"))
	}
	r.Get(t, auth.Operator, home+"/models?desk=minutes&day=never").Want(http.StatusUnprocessableEntity)
	r.Get(t, auth.Operator, home+"/models?desk=minutes&cursor=forged").Want(http.StatusBadRequest)
}

// Any table is shown by its patterns and its entities, a page at a time.
func TestData(t *testing.T) {
	r := open(t)
	for i := range 120 {
		if err := r.sched.Record(t.Context(), ops.Action{Who: "ann", What: "retry", Subject: "minutes task", Why: fmt.Sprintf("<script>%03d", i)}); err != nil {
			t.Fatal(err)
		}
	}
	if got := r.Get(t, auth.Operator, home+"/data"); got.Text(".ops-table") != "Operations" {
		t.Errorf("tables: %s", got.Text("main"))
	}
	table := r.Get(t, auth.Operator, home+"/data/Operations")
	if got := table.Text("main"); !strings.Contains(got, "Index StateIndex") || !strings.Contains(got, "ActionsOn what was done to something, newest first by subject · Action") || !strings.Contains(got, "JOB#{job}, RUN#{run}") {
		t.Errorf("the table: %s", got)
	}
	asked := home + "/data/Operations/ask/ActionsOn"
	if got := r.Get(t, auth.Operator, asked); got.Count("#subject") != 1 || got.Count(".ops-item") != 0 {
		t.Errorf("before it is asked: %s", got.Text("main"))
	}
	seen := map[string]bool{}
	path := asked + "?" + url.Values{"arg.subject": {"minutes task"}}.Encode()
	for pages := 0; path != "" && pages < 10; pages++ {
		got := r.Get(t, auth.Operator, path).Want(http.StatusOK)
		for _, s := range strings.Split(got.Body, "&lt;script&gt;")[1:] {
			seen[s[:3]] = true
		}
		path = got.Attr(".pager [rel=next]", "href")
	}
	if len(seen) != 120 {
		t.Errorf("%d of 120 items were shown", len(seen))
	}
	missing := r.Get(t, auth.Operator, asked+"?ask=1&arg.subject=").Want(http.StatusUnprocessableEntity)
	if missing.Text("#subject-error") == "" {
		t.Errorf("what is missing is not said: %s", missing.Text("main"))
	}
	if got := r.Get(t, auth.Operator, home+"/data/Operations/ask/RunsByState"); got.Count("#state option") != 4 || got.Count("#from") != 1 {
		t.Errorf("a list of values, and a range: %s", got.Text("form"))
	}
	if _, err := r.sched.Jobs(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := r.sched.Pause(t.Context(), "made-up", "ann", ""); err != nil {
		t.Fatal(err)
	}
	item := r.Get(t, auth.Operator, home+"/data/Operations/item/Job?arg.job=made-up").Want(http.StatusOK)
	if item.Count("details[open]") != 1 || !strings.Contains(item.Text(".ops-fields"), "pausedBOOLtrue") || strings.Contains(item.Text(".ops-fields"), "not in the design") {
		t.Errorf("the item: %s", item.Text("main"))
	}
	if got := r.Get(t, auth.Operator, home+"/data/Operations/item/Job?arg.job=nobody").Want(http.StatusOK); !strings.Contains(got.Text("main"), "Nothing is stored under that.") {
		t.Errorf("no item: %s", got.Text("main"))
	}
	for _, bad := range []string{"/data/Nothing", "/data/Operations/ask/Nothing", "/data/Operations/ask/Act", "/data/Operations/item/Nothing"} {
		if got := r.Get(t, auth.Operator, home+bad); errs.NotFound.Status() != got.StatusCode {
			t.Errorf("%s is %d", bad, got.StatusCode)
		}
	}
	r.Get(t, auth.Operator, asked+"?arg.subject=minutes+task&cursor=forged").Want(http.StatusBadRequest)
}
