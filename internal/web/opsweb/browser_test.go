package opsweb_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pressroom/internal/auth"
	"pressroom/internal/ops"
	"pressroom/internal/web/webtest"
)

const secret = "correct horse battery staple"

// signIn makes an operator and signs the browser in.
func signIn(t *testing.T, r *room, b *webtest.Browser) {
	t.Helper()
	if _, err := r.Auth.Add(t.Context(), auth.NewAccount{Name: "ann", Password: secret, Role: auth.Operator}); err != nil {
		t.Fatal(err)
	}
	b.Go("/sign-in?return=" + home)
	b.Type("#name", "ann")
	b.Type("#password", secret)
	b.Follow("main button[type=submit]")
	if b.Path() != home {
		t.Fatalf("sign-in leads to %s", b.Path())
	}
}

// busy is a newsroom in which some things are wrong.
func busy() ops.Readings {
	now := time.Now()
	return ops.Readings{
		Queues: []ops.Queue{
			{Name: "minutes tasks", Items: map[string]int{"waiting": 42, "running": 2, "retrying": 3, "failed": 2}, Oldest: now.Add(-4 * time.Hour), Path: "/office/minutes"},
			{Name: "minutes review", Items: map[string]int{"waiting": 1}, Oldest: now.Add(-20 * time.Minute), Path: "/office/minutes"},
			{Name: "newswire summaries", Items: map[string]int{"waiting": 1000}, Oldest: now.Add(-9 * time.Minute), Most: 1000, Path: "/office/newswire/backlog"},
			{Name: "newswire fetches", Items: map[string]int{"retrying": 7}, Path: "/office/newswire/retries"},
			{Name: "lexicon moderation", Items: map[string]int{"waiting": 3}, Oldest: now.Add(-26 * time.Hour), Patience: 72 * time.Hour},
		},
		Failures: []ops.Failure{
			{Queue: "minutes tasks", Reason: "overloaded", Count: 2, Last: now.Add(-time.Hour), Example: "openai gpt-5: overloaded: the engine is currently overloaded, please try again later", Path: "/office/minutes"},
		},
		Spending: []ops.Spending{
			{Name: "minutes", Calls: 812, FailedCalls: 9, InputTokens: 17_052_000, OutputTokens: 730_800, Dollars: 4.11, Committed: 4.32, Budget: 5},
			{Name: "newswire", Calls: 1204, InputTokens: 963_200, OutputTokens: 108_360, Dollars: 0.2141, Committed: 0.22, Budget: 2},
			{Name: "lexicon", Calls: 31, InputTokens: 22_000, OutputTokens: 1_900, Dollars: 0.0312},
			{Name: ops.AllDesks, Calls: 2047, FailedCalls: 9, InputTokens: 18_037_200, OutputTokens: 841_060, Dollars: 4.3553, Committed: 4.6, Budget: 20},
		},
		Buckets:  []ops.BucketSize{{Bucket: "politopics-prompts", Objects: 10_412, Bytes: 812_000_000}, {Bucket: "blog-media", Objects: 81, Bytes: 32_000_000}},
		Disks:    []ops.Disk{{Name: "tables", Used: 1_200_000_000, Free: 81_000_000_000}, {Name: "objects", Used: -1, Free: 81_000_000_000}},
		Capacity: []ops.Capacity{{Table: "Operations", Read: 1234, Written: 567.5, ReadRate: 3.2, WriteRate: 1.25}, {Table: "Operations", Index: "StateIndex", Read: 2, Written: 80, ReadRate: 0, WriteRate: 0.004}},
		Works: []ops.Work{
			{Name: "newswire crawl", Subject: "harbour", State: ops.Running, Started: now.Add(-70 * time.Second), Done: 12, Total: 40, Path: "/office/newswire/runs/1"},
			{Name: "newswire crawl", Subject: "港湾局", State: ops.Failed, Started: now.Add(-2 * time.Hour), Ended: now.Add(-2*time.Hour + 3*time.Second), Note: "robots.txt: 503 Service Unavailable", Path: "/office/newswire/runs/2"},
		},
	}
}

// An operator sees what is wrong, runs a job, finds it on the trail, and looks at
// a table by a pattern, all in a real browser.
func TestBrowserOperator(t *testing.T) {
	r := open(t)
	r.work(t)
	b := webtest.OpenBrowser(t, r.Site)
	signIn(t, r, b)
	if got := b.Text("#verdict"); got != "All is well" {
		t.Errorf("the verdict is %q", got)
	}
	b.Axe("overview, well")
	b.Shot("ops-well-desktop")
	b.Phone()
	b.Axe("overview, well, on a phone")
	b.Shot("ops-well-phone")
	b.Desktop()

	// What happens shows without a reload.
	webtest.Eval[string](b, "document.body.dataset.same = 'page'")
	r.tell(busy())
	eventually(t, "the page says by itself that something is wrong", func() bool { return strings.Contains(b.Text("#verdict"), "things need a look") })
	if webtest.Eval[string](b, "document.body.dataset.same || ''") != "page" {
		t.Error("the page was loaded again")
	}

	b.Follow("#run-newswire-crawl")
	if b.Path() != home || !strings.Contains(b.Text("main"), "newswire-crawl begins in a moment.") {
		t.Fatalf("run now leads to %s: %s", b.Path(), b.Text("main"))
	}
	eventually(t, "the page shows by itself that the job runs", func() bool { return strings.Contains(b.Text("#h-jobs ~ .scroll"), "Running") })
	b.Axe("overview, with trouble")
	b.Shot("ops-trouble-desktop")
	r.release <- struct{}{}
	eventually(t, "the page shows by itself that the job is done", func() bool { return strings.Contains(b.Text("#h-jobs ~ .scroll"), "Fine") })

	b.Go(home + "/audit")
	if got := b.Text("tbody tr"); !strings.Contains(got, "ann") || !strings.Contains(got, "Run now") || !strings.Contains(got, "job newswire-crawl") {
		t.Errorf("the trail: %s", got)
	}
	b.Axe("audit")
	b.Shot("ops-audit-desktop")

	b.Go(home + "/data")
	b.Axe("data")
	b.Shot("ops-data-desktop")
	b.Follow(".ops-table a")
	b.Axe("table")
	b.Shot("ops-table-desktop")
	b.Follow("a[href$='/ask/ActionsOn']")
	b.Type("#subject", "job newswire-crawl")
	b.Follow("main form button[type=submit]")
	if got := b.Text(".ops-item summary"); !strings.Contains(got, "Action") || !strings.Contains(got, "ACTIONS") {
		t.Errorf("the browser shows %q", b.Text("main"))
	}
	b.Axe("answer")
	b.Shot("ops-answer-desktop")
	b.Phone()
	b.Axe("answer on a phone")
	b.Shot("ops-answer-phone")
}

// Every page, on both screens, in both languages and both themes.
func TestBrowserLooks(t *testing.T) {
	r := open(t)
	r.fails.Store(true)
	r.work(t)
	for i := range 3 {
		if err := r.sched.RunNow(t.Context(), "newswire-crawl", "ann", "look again"); err != nil {
			t.Fatal(err)
		}
		eventually(t, "it fails", func() bool {
			jobs, err := r.sched.Jobs(t.Context())
			return err == nil && jobs[1].Failures == i+1
		})
	}
	r.spend(t)
	r.tell(busy())
	b := webtest.OpenBrowser(t, r.Site)
	signIn(t, r, b)
	for name, path := range map[string]string{
		"overview": "", "job": "/jobs/newswire-crawl", "runs": "/runs", "models": "/models", "storage": "/storage", "audit": "/audit", "item": "/data/Operations/item/Job?arg.job=newswire-crawl",
	} {
		for _, view := range []struct {
			screen      func()
			size        string
			lang, theme string
		}{{b.Phone, "phone", "en", "light"}, {b.Phone, "phone", "ja", "dark"}, {b.Desktop, "desktop", "en", "dark"}, {b.Desktop, "desktop", "ja", "light"}} {
			view.screen()
			mark := "?"
			if strings.Contains(path, "?") {
				mark = "&"
			}
			b.Go(home + path + mark + "lang=" + view.lang)
			webtest.Eval[string](b, "document.documentElement.dataset.theme = '"+view.theme+"'")
			full := fmt.Sprintf("ops-%s-%s-%s-%s", name, view.size, view.lang, view.theme)
			b.Axe(full)
			b.Shot(full)
		}
	}
}
