package cli

import (
	"context"
	"path/filepath"
	"time"

	"pressroom/internal/api/searchapi"
	"pressroom/internal/errs"
	"pressroom/internal/ops"
	"pressroom/internal/search"
	"pressroom/internal/search/embedded"
	"pressroom/internal/search/opensearch"
	"pressroom/internal/web/searchweb"
)

// searchSettings say where the search index is.
type searchSettings struct {
	SearchURL      string `name:"search-url" hidden:"" placeholder:"URL" help:"Search in this OpenSearch cluster, which all processes share; by default each has an index of its own in its data directory, or in memory if the data are encrypted or elsewhere."`
	SearchPrefix   string `name:"search-prefix" hidden:"" default:"pressroom" help:"What the names of the cluster's indexes begin with."`
	SearchUser     string `name:"search-user" hidden:"" help:"Our name at the cluster, if it wants one."`
	SearchPassword Secret `name:"search-password" hidden:"" help:"Our password there."`
}

// shared reports whether the index is one for all processes.
func (s *searchSettings) shared() bool { return s.SearchURL != "" }

// finding is the search index, and the desks that are in it.
type finding struct {
	index   search.Index
	sources []search.Source
}

// add puts a desk into the index and returns search over that desk alone.
func (f *finding) add(source search.Source) *search.Service {
	f.sources = append(f.sources, source)
	return search.NewService(f.index, source)
}

// mountIndex opens the index, before the desks that are in it.
func mountIndex(ctx context.Context, w *wiring) error {
	index, err := w.openIndex(ctx)
	if err != nil {
		return err
	}
	w.finding = &finding{index: index}
	w.store.add("search index", index.Close)
	return nil
}

func (w *wiring) openIndex(ctx context.Context) (search.Index, error) {
	set := &w.set.searchSettings
	if set.shared() {
		index, err := opensearch.Open(ctx, set.SearchURL, &opensearch.Options{
			Prefix: set.SearchPrefix, User: set.SearchUser, Password: set.SearchPassword.Reveal(), Log: w.log,
		})
		if err != nil {
			return nil, errs.Wrap(err, errs.Unavailable, "cannot reach the search cluster of --search-url: %v", err)
		}
		return index, nil
	}
	dir := filepath.Join(w.set.Data, "search")
	if w.set.KeyFile != "" || w.store.remote() {
		// What is encrypted must not stand beside itself in plain text, and a
		// directory that nobody locked may be another process's.
		dir = ""
	}
	return embedded.Open(dir, &embedded.Options{Log: w.log})
}

// mountSearch puts search over all desks on the pages and into the JSON, and keeps
// the index equal to the tables.
func mountSearch(_ context.Context, w *wiring) error {
	f := w.finding
	service := search.NewService(f.index, f.sources...)
	if err := searchweb.Register(w.pages, service); err != nil {
		return err
	}
	searchapi.Register(w.api, service)
	feed := search.NewFeed(f.index, w.tables, w.store.streams, f.sources, &search.FeedOptions{Log: w.log})
	if !w.set.shared() {
		if w.set.Run.has(webDuty) { // others do not search
			w.background("search feed", feed.Run)
		}
		return w.ops.scheduler.Add(rebuildJob(feed))
	}
	return w.ops.scheduler.Add(rebuildJob(feed), feedJob(feed))
}

// feedJob feeds an index that processes share: one at a time does, as long as it
// lives.
func feedJob(feed *search.Feed) ops.Job {
	return ops.Job{
		Name: "search-feed", Doc: "Brings what the desks change into the search index that all processes share.", Every: time.Second,
		Run: func(ctx context.Context, _ *ops.Progress) error {
			feed.Run(ctx)
			return nil
		},
	}
}

// rebuildJob makes the index again when an operator asks for it.
func rebuildJob(feed *search.Feed) ops.Job {
	return ops.Job{
		Name: "search-rebuild", Doc: "Makes the search index again from all documents; it can be searched meanwhile.",
		Run: func(ctx context.Context, p *ops.Progress) error {
			if feed.Status().Rebuilding {
				return errs.New(errs.Conflict, "The search index is being built already.")
			}
			if err := feed.BuildNow(ctx); err != nil {
				return err
			}
			n := feed.Status().Rebuilt
			p.Add(n)
			p.Count("documents", n)
			return nil
		},
	}
}
