package blog_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"os/exec"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pressroom/dynamo/wire"
	"pressroom/internal/desk/blog"
	"pressroom/internal/errs"
	"pressroom/internal/story"
	"pressroom/model/modeltest"
)

var (
	planned  = flag.Int("plans", 24, "how many posts fall due in the test that kills processes")
	plannedW = flag.Duration("plans-within", 2*time.Second, "the time in which they fall due")
	plannedL = flag.Duration("plans-late", 0, "how late they may be published; 0 does not judge, because machines differ")
)

// published are the times at which a post was published, by its history.
func publications(t testing.TB, d *blog.Desk, id string) (times []time.Time) {
	t.Helper()
	for o := (blog.PageOptions{Limit: 100}); ; {
		page := must(d.Revisions(t.Context(), id, o))(t)
		for _, one := range page.Items {
			if one.What == blog.Act(blog.Published) {
				times = append(times, one.At)
			}
		}
		if o.Cursor = page.Next; o.Cursor == "" {
			return times
		}
	}
}

func TestPlan(t *testing.T) {
	r := openRoom(t, named)
	ctx := as(t, "Ann")
	p := must(r.Create(ctx, content("Later", 2)))(t)
	at := r.clock.Now().Add(time.Hour).Truncate(time.Minute)
	check(t, r.SetPlan(ctx, p.ID, blog.Plan{PublishAt: at, WithdrawAt: at.Add(time.Hour)}), nil)
	run := func(want int, status blog.Status) blog.Post {
		t.Helper()
		if n := must(r.RunPlans(t.Context()))(t); n != want {
			t.Errorf("%d plans were due, not %d", n, want)
		}
		got := must(r.Get(ctx, p.ID))(t)
		if got.Status != status {
			t.Fatalf("the post is %s, not %s", got.Status, status)
		}
		return got
	}
	r.clock.Advance(at.Sub(r.clock.Now()) - time.Second)
	run(0, blog.Draft)
	r.clock.Advance(time.Second)
	if got := run(1, blog.Published); !got.PublishedAt.Equal(at) || got.Slug != "later" {
		t.Errorf("published at %v as %q", got.PublishedAt, got.Slug)
	}
	run(0, blog.Published)
	if got := must(r.PlanOf(ctx, p.ID))(t); !got.PublishAt.IsZero() || !got.WithdrawAt.Equal(at.Add(time.Hour)) || got.By != "Ann" {
		t.Errorf("what is left of the plan is %+v", got)
	}
	if list := r.history(t, p.ID, 10); list[0].By != "Ann" || list[0].What != "published" {
		t.Errorf("told as %+v", list[0])
	}
	r.clock.Advance(time.Hour)
	run(1, blog.Archived)
	run(0, blog.Archived)
	if got := must(r.PlanOf(ctx, p.ID))(t); got != (blog.Plan{}) {
		t.Errorf("the plan is left: %+v", got)
	}

	// What cannot be planned.
	now := r.clock.Now()
	for want, plan := range map[string]blog.Plan{
		"publish_at":  {PublishAt: now.Add(-time.Minute)},
		"withdraw_at": {PublishAt: now.Add(time.Hour), WithdrawAt: now.Add(time.Minute)},
	} {
		if err := r.SetPlan(ctx, p.ID, plan); fields(err) != want {
			t.Errorf("%+v: %v", plan, err)
		}
	}
	empty := must(r.Create(ctx, content("Empty", 0)))(t)
	check(t, r.SetPlan(ctx, empty.ID, blog.Plan{PublishAt: now.Add(time.Hour)}), errs.Invalid)
	check(t, r.SetPlan(ctx, "none", blog.Plan{PublishAt: now.Add(time.Hour)}), errs.NotFound)

	// One that became empty says so, and is not tried for ever; one that is deleted takes
	// its plan with it; one that was called off stays.
	hollow, gone, off := must(r.Create(ctx, content("Hollow", 1)))(t), must(r.Create(ctx, content("Gone", 1)))(t), must(r.Create(ctx, content("Off", 1)))(t)
	for _, each := range []blog.Post{hollow, gone, off} {
		check(t, r.SetPlan(ctx, each.ID, blog.Plan{PublishAt: now.Add(time.Hour)}), nil)
	}
	must(r.Save(ctx, hollow.ID, hollow.Version, content("Hollow", 0)))(t)
	check(t, r.Delete(ctx, gone.ID, blog.AnyVersion), nil)
	check(t, r.SetPlan(ctx, off.ID, blog.Plan{}), nil)
	r.clock.Advance(2 * time.Hour)
	p = hollow
	run(1, blog.Draft)
	run(0, blog.Draft)
	if got := must(r.PlanOf(ctx, hollow.ID))(t); got.Problem == "" {
		t.Error("nobody is told that nothing was published")
	}
	r.sound(t)
}

// Of several processes at work at once, each post is published by one; whichever write
// one dies at, another goes on.
func TestPlanDeaths(t *testing.T) {
	for n := 0; ; n++ {
		r := openRoom(t)
		var ids []string
		for i := range 3 {
			p := must(r.Create(t.Context(), content(fmt.Sprint("Plan ", i), 2, "a")))(t)
			check(t, r.SetPlan(t.Context(), p.ID, blog.Plan{PublishAt: r.clock.Now().Add(time.Minute)}), nil)
			ids = append(ids, p.ID)
		}
		r.clock.Advance(2 * time.Minute)
		db := &mortal{DB: r.db, left: n}
		dying, other := r.open(t, db), r.open(t, r.db)
		var both sync.WaitGroup
		both.Go(func() {
			if _, err := dying.RunPlans(t.Context()); err != nil && !errors.Is(err, errDied) {
				t.Error(err)
			}
		})
		if n%2 == 0 {
			both.Go(func() { must(other.RunPlans(t.Context()))(t) })
		}
		both.Wait()
		must(other.RunPlans(t.Context()))(t)
		for _, id := range ids {
			if times := publications(t, other, id); len(times) != 1 {
				t.Fatalf("write %d: published %d times", n, len(times))
			}
		}
		r.sound(t)
		if !db.dead && n > 3 {
			return
		}
	}
}

// Whoever follows the plans publishes at the time, also when the process that had begun
// is gone without a word.
func TestFollowPlans(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := openRoom(t)
		clocked := func(o *blog.Options) { o.Now = time.Now }
		d := r.open(t, r.db, clocked)
		p := must(d.Create(t.Context(), content("Timed", 1)))(t)
		at := time.Now().Add(10 * time.Minute).Truncate(time.Second)
		check(t, d.SetPlan(t.Context(), p.ID, blog.Plan{PublishAt: at}), nil)
		ctx, stop := context.WithCancel(t.Context())
		var all sync.WaitGroup
		for range 3 {
			one := r.open(t, r.db, clocked)
			all.Go(func() { one.FollowPlans(ctx) })
		}
		time.Sleep(time.Until(at) - time.Millisecond)
		synctest.Wait()
		if got := must(d.Get(ctx, p.ID))(t); got.Status != blog.Draft {
			t.Error("it is published early")
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if got := must(d.Get(ctx, p.ID))(t); got.Status != blog.Published {
			t.Error("it is not published")
		}
		stop()
		all.Wait()
	})
}

// planRole tells a process that is killed that it follows the plans.
const planRole = "PRESSROOM_TEST_PLANS"

// planDesk is a desk at a place, whose stories are in a table beside.
func planDesk(at modeltest.Place) (*blog.Desk, error) {
	name := at.Name
	tables := blog.Schema
	tables.Buckets = nil
	stores, named, _, err := at.Open(tables)
	if err != nil {
		return nil, err
	}
	named.Buckets = blog.Schema.Buckets
	at.Name = name + "-stories"
	if _, _, _, err = at.Open(story.Schema); err != nil {
		return nil, err
	}
	stories, err := story.New(stores.Tables, &story.Options{Table: at.Name})
	if err != nil {
		return nil, err
	}
	return blog.New(stores.Tables, stores.Objects, &blog.Options{Schema: &named, Stories: stories})
}

func followUntilKilled(at modeltest.Place) error {
	d, err := planDesk(at)
	if err != nil {
		return err
	}
	d.FollowPlans(context.Background())
	return nil
}

// Posts fall due while three processes follow the plans and are killed one after the
// other: each is published once and none early. .ci/schedule does it with 1,000.
func TestPlanKills(t *testing.T) {
	if testing.Short() || modeltest.Foreign() {
		t.Skip("starts processes on a store of its own")
	}
	server := httptest.NewServer(wire.New(modeltest.OpenStores(t, nil).DB, nil))
	t.Cleanup(server.Close)
	at := modeltest.Place{Tables: server.URL, Objects: server.URL, Name: "killed"}
	d, err := planDesk(at)
	check(t, err, nil)
	begin := time.Now().Add(2*time.Second + time.Duration(*planned)*10*time.Millisecond)
	due := map[string]time.Time{}
	for i := range *planned {
		p := must(d.Create(t.Context(), content(fmt.Sprint("Post ", i), 2, fmt.Sprint("tag ", i%5))))(t)
		when := begin.Add(*plannedW * time.Duration(i) / time.Duration(*planned)).Truncate(time.Millisecond)
		check(t, d.SetPlan(t.Context(), p.ID, blog.Plan{PublishAt: when}), nil)
		due[p.ID] = when
	}
	here, err := json.Marshal(at)
	check(t, err, nil)
	ctx, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	var mu sync.Mutex
	killed, alive := 0, 0
	for range 3 {
		all.Go(func() {
			for ctx.Err() == nil {
				cmd := exec.Command(os.Args[0], "-test.run=^$")
				cmd.Env = append(os.Environ(), planRole+"="+string(here))
				cmd.Stderr = os.Stderr
				if err := cmd.Start(); err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				alive++
				mu.Unlock()
				for {
					select {
					case <-ctx.Done():
					case <-time.After(time.Duration(500+rand.IntN(3000)) * time.Millisecond):
					}
					mu.Lock()
					last := alive == 1 && ctx.Err() == nil // one process lives
					if !last {
						alive--
						killed++
					}
					mu.Unlock()
					if !last {
						break
					}
				}
				_ = cmd.Process.Kill()
				_ = cmd.Wait()
			}
		})
	}
	for deadline := time.Now().Add(10 * time.Minute); ; time.Sleep(100 * time.Millisecond) {
		left := 0
		for id := range due {
			if plan := must(d.PlanOf(t.Context(), id))(t); plan != (blog.Plan{}) {
				left++
				break
			}
		}
		if left == 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the plans are never carried out")
		}
	}
	stop()
	all.Wait()
	latest := time.Duration(0)
	for id, when := range due {
		times := publications(t, d, id)
		if len(times) != 1 {
			t.Errorf("post %s was published %d times", id, len(times))
			continue
		}
		late := times[0].Sub(when)
		if late < 0 {
			t.Errorf("post %s was published %v early", id, -late)
		}
		latest = max(latest, late)
	}
	t.Logf("%d posts, %d processes killed, the last %v late", len(due), killed, latest)
	if *plannedL > 0 && latest > *plannedL {
		t.Errorf("a post was published %v late", latest)
	}
}
