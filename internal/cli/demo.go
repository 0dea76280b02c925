package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"pressroom/internal/demo"
	"pressroom/internal/desk/blog"
	"pressroom/internal/desk/blog/blogdesk"
	"pressroom/internal/desk/minutes/minutesdesk"
	"pressroom/internal/desk/newswire/newswiredesk"
	"pressroom/internal/errs"
	"pressroom/internal/local"
	"pressroom/internal/ops"
	"pressroom/llm"
	"pressroom/model"
)

// demoCmd runs the newsroom on a directory of its own, with content to look at.
type demoCmd struct {
	serverSettings
	Reset bool `setting:"-" help:"Remove what the demo made in its directory, and end."`
	Yes   bool `setting:"-" help:"With --reset, remove posts that you wrote in the demo too."`
}

// Help is the text under the command's usage line.
func (demoCmd) Help() string {
	return `It is the same program as serve, with its own data directory, content of all desks, and a
small world outside on this machine that the desks collect from. Everything in it is made up.
Ctrl-C ends it; the directory stays, and the next demo goes on with it. --reset removes it, and
leaves what else is in the directory alone; if you wrote posts in the demo, it asks for --yes.`
}

// Run serves until the run is interrupted, after telling where to look. The
// directory is taken for the demo before anything is stored in it.
func (c *demoCmd) Run(r *run) error {
	if c.Reset {
		return c.reset(r)
	}
	if c.remote() {
		return errs.New(errs.Usage, "the demo keeps its data in a directory, not with --store aws; to look around there, use serve")
	}
	mark, err := demo.Open(c.Data, time.Now())
	if err != nil {
		return err
	}
	accounts, err := mark.Accounts()
	if err != nil {
		return err
	}
	announce := func(a addresses) { fmt.Fprint(r.Stdout, c.welcome(a, accounts)) }
	return newsroom{settings: c.serverSettings, demo: true, announce: announce}.run(r)
}

// welcome says where everything is and how to sign in.
func (c *demoCmd) welcome(a addresses, accounts []demo.Account) string {
	var b strings.Builder
	fmt.Fprintf(&b, `Pressroom is running, with content that comes in over the next seconds.

  pages   %[1]s/
  JSON    %[1]s/api/docs
  health  %[1]s/healthz
  ready   %[1]s/readyz
  AWS     %[3]s (DynamoDB and S3, any credentials)
  data    %[2]s

Sign in at %[1]s/sign-in as

`, a.pages, c.Data, a.aws)
	for _, account := range accounts {
		fmt.Fprintf(&b, "  %-9s  %-34s  %s%s  (%s)\n", account.Name, account.Password, a.pages, account.Path, account.For)
	}
	fmt.Fprintf(&b, "\nThese accounts are the demo's alone. Ctrl-C stops it; \"pressroom demo --reset\" removes it.\n")
	return b.String()
}

// reset removes what the demo made, if nobody has it open.
func (c *demoCmd) reset(r *run) error {
	made, err := demo.Made(c.Data)
	if errors.Is(err, errs.NotFound) {
		fmt.Fprintf(r.Stdout, "there is no %s; nothing was removed\n", c.Data)
		return nil
	}
	if err != nil {
		return err
	}
	if made {
		if err := c.spare(r); err != nil {
			return err
		}
	}
	others, err := demo.Reset(c.Data)
	if err != nil {
		return err
	}
	if len(others) > 0 {
		fmt.Fprintf(r.Stdout, "the demo's data in %s are removed; this was not the demo's and stays: %s\n", c.Data, strings.Join(others, ", "))
		return nil
	}
	fmt.Fprintf(r.Stdout, "%s is removed\n", c.Data)
	return nil
}

// spare keeps a reset from a directory that somebody has open, and from posts that
// somebody wrote in the demo, unless that was said to be meant.
func (c *demoCmd) spare(r *run) error {
	if c.Yes {
		dir, err := local.OpenDir(c.Data)
		if err != nil {
			return err
		}
		return dir.Close()
	}
	posts, err := c.ownPosts(r.ctx, r.logger(c.commonSettings))
	switch {
	case errors.Is(err, local.ErrHeld):
		return err
	case err != nil:
		return errs.Wrap(err, errs.Unavailable, "cannot look for what was written in the demo: %v; \"pressroom demo --reset --yes\" removes it unseen", err)
	case len(posts) > 0:
		return errs.New(errs.Conflict, "these posts in the demo are not its own, and would be lost: %s; copy what you want to keep, or add --yes", someOf(posts))
	}
	return nil
}

// ownPosts are the titles of the posts that the demo did not write.
func (c *demoCmd) ownPosts(ctx context.Context, log *slog.Logger) (titles []string, err error) {
	mark, err := demo.Open(c.Data, time.Now())
	if err != nil {
		return nil, err
	}
	st, err := openStore(c.storeSettings, endpointSettings{}, log)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	schema := blog.Schema.Named(c.names().of)
	if there, err := st.anyTable(ctx, []model.Schema{schema}); err != nil || !there {
		return nil, err // it ended before it had made anything
	}
	posts, err := blog.New(st.db, st.client, &blog.Options{Schema: &schema})
	if err != nil {
		return nil, err
	}
	for o := (blog.PageOptions{Limit: blog.MaxLimit}); ; {
		page, err := posts.List(ctx, o)
		if err != nil {
			return nil, err
		}
		for _, p := range page.Items {
			if !mark.Wrote(p.ID) {
				titles = append(titles, strconv.Quote(p.Title))
			}
		}
		if o.Cursor = page.Next; o.Cursor == "" {
			return titles, nil
		}
	}
}

// mountDemo serves the demo's world, brings its content in while pages are served
// already, and lets its jobs go on from there. It does nothing in a directory that
// was not taken for a demo.
func mountDemo(ctx context.Context, w *wiring) error {
	if !w.demo {
		return nil
	}
	if made, err := demo.Made(w.set.Data); !made {
		return unlessMissing(err)
	}
	mark, err := demo.Open(w.set.Data, time.Now())
	if err != nil {
		return err
	}
	outside, err := demo.OpenOutside(ctx, mark, nil)
	if err != nil {
		return err
	}
	w.store.add("demo's world", outside.Close)
	w.set.inDemo(outside)
	keep := func(p llm.Provider) llm.Provider {
		return llm.Recorded(llm.Priced(p, nil), books{w.ops.ledger, w.log}, nil)
	}
	show, err := demo.New(demo.Stage{Tables: w.tables, Objects: w.objects, Stories: w.stories, Auth: w.auth, Schema: w.schema, Keep: keep, Log: w.log}, mark, outside)
	if err != nil {
		return err
	}
	w.store.add("demo", func() error { show.Close(); return nil })
	if err := w.ops.scheduler.Add(demoJobs(show)...); err != nil {
		return err
	}
	w.background("demo's content", func(ctx context.Context) {
		if err := show.Load(ctx); err != nil {
			if ctx.Err() == nil {
				w.log.Error("the demo's content is not complete; the next start goes on with it", "error", err)
			}
			return
		}
		debug.FreeOSMemory() // what loading took, and showing does not
		w.log.Info("the demo's content is complete")
		_ = w.ops.scheduler.Run(ctx) // it always returns nil, when ctx ends
	})
	return nil
}

func unlessMissing(err error) error {
	if errors.Is(err, errs.NotFound) {
		return nil
	}
	return err
}

// inDemo makes the desks look at the demo's world and at nothing else.
func (s *serverSettings) inDemo(outside *demo.Outside) {
	record := settingsOfDesk[minutesdesk.Settings](s.deskSettings)
	record.MinutesURL, record.MinutesPause = outside.Library(), 0
	settingsOfDesk[newswiredesk.Settings](s.deskSettings).CrawlAllow = outside.Hosts()
	posts := settingsOfDesk[blogdesk.Settings](s.deskSettings)
	if posts.BlogProfileName != "" {
		return
	}
	p := demo.Profile()
	posts.BlogProfileName, posts.BlogProfileRole, posts.BlogProfileBio = p.Name, p.Role, p.Bio
	for _, link := range p.Links {
		posts.BlogProfileLinks = append(posts.BlogProfileLinks, link.Label+"="+link.URL)
	}
}

// demoJobs are what the desks do by themselves, at intervals that one can watch.
func demoJobs(show *demo.Demo) []ops.Job {
	job := func(name, doc string, every time.Duration, work func(context.Context) error) ops.Job {
		return ops.Job{Name: name, Doc: doc, Every: every, Run: func(ctx context.Context, p *ops.Progress) error {
			err := work(ctx)
			if err == nil {
				p.Add(1)
			}
			return err
		}}
	}
	return []ops.Job{
		job("minutes-collect", "Asks the demo's library for meetings that appeared lately.", 30*time.Second, show.Collect),
		job("minutes-consume", "Works on one meeting that waits.", 20*time.Second, show.Work),
		job("newswire-crawl", "Crawls one of the demo's sites, the next in turn, tries again what failed, and summarises what is new.", 20*time.Second, show.Crawl),
	}
}
