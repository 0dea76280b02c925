package cli

import (
	"context"
	"log/slog"
	"time"

	"pressroom/internal/api/proofapi"
	"pressroom/internal/api/searchapi"
	"pressroom/internal/api/storyapi"
	"pressroom/internal/errs"
	"pressroom/internal/ops"
	"pressroom/internal/search"
	"pressroom/internal/search/embedded"
	"pressroom/internal/search/opensearch"
	"pressroom/internal/story"
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
	stories *story.Stories
	shelves []*story.Shelf
	feed    *search.Feed // that brings changes into the index; nil before there is one
}

// current brings into the index what has changed, and reports whether it could.
func (f *finding) current(ctx context.Context) bool { return f.feed != nil && f.feed.Current(ctx) }

// over is search over desks.
func (f *finding) over(shelves ...*story.Shelf) *search.Service {
	names := make([]string, len(shelves))
	for i, shelf := range shelves {
		names[i] = shelf.Desk
	}
	service := search.NewService(f.index, f.stories, names...)
	for _, shelf := range shelves {
		service.Words(shelf.Desk, shelf.Words...)
	}
	service.Follow(f.current)
	return service
}

// add puts a desk into the index and returns search over that desk alone.
func (f *finding) add(shelf *story.Shelf) *search.Service {
	f.shelves = append(f.shelves, shelf)
	return f.over(shelf)
}

// mountIndex opens the index, before the desks that are in it.
func mountIndex(ctx context.Context, w *wiring) error {
	index, err := w.openIndex(ctx)
	if err != nil {
		return err
	}
	w.finding = &finding{index: index, stories: w.stories}
	if own, ok := index.(*embedded.Index); ok {
		verify := own.Verify
		w.store.verifyIndex.Store(&verify)
	}
	w.store.add("search index", index.Close)
	return nil
}

func (w *wiring) openIndex(ctx context.Context) (search.Index, error) {
	return w.set.openIndex(ctx, w.set.searchDir(w.set.storeSettings, w.store), w.log)
}

// searchDir is where the index of a store is kept; "" for in memory: a directory
// that nobody locked may be another process's.
func (s *searchSettings) searchDir(set storeSettings, st *store) string {
	if st.remote() {
		return ""
	}
	return searchDirOf(set)
}

// openIndex opens the index that all processes share, or one of its own.
func (s *searchSettings) openIndex(ctx context.Context, dir string, log *slog.Logger) (search.Index, error) {
	if !s.shared() {
		return embedded.Open(dir, &embedded.Options{Log: log})
	}
	index, err := opensearch.Open(ctx, s.SearchURL, &opensearch.Options{
		Prefix: s.SearchPrefix, User: s.SearchUser, Password: s.SearchPassword.Reveal(), Log: log,
	})
	if err != nil {
		return nil, errs.Wrap(err, errs.Unavailable, "cannot reach the search cluster of --search-url: %v", err)
	}
	return index, nil
}

// mountSearch puts search over all desks on the pages and into the JSON, and keeps
// the index equal to the tables.
func mountSearch(_ context.Context, w *wiring) error {
	f := w.finding
	service := f.over(f.shelves...)
	service.Clock(w.pages.Now)
	if err := searchweb.Register(w.pages, service); err != nil {
		return err
	}
	searchapi.Register(w.api, service)
	proofapi.Register(w.api)
	storyapi.Register(w.api, f.stories, f.shelves...)
	feed := search.NewFeed(f.index, f.stories, f.shelves, &search.FeedOptions{Log: w.log, Shared: w.set.shared(), Track: w.store.track()})
	rebuild := feed.BuildNow
	w.store.rebuild.Store(&rebuild)
	if w.set.shared() || w.set.Run.has(webDuty) {
		w.ops.dashboard.Add(ops.NamedSource{Name: "search", Source: searchSource(feed), Fresh: time.Second})
	}
	if !w.set.shared() {
		if w.set.Run.has(webDuty) { // others do not search
			w.background("search feed", feed.Run)
			f.feed = feed
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
			told := 0
			n, err := feed.BuildNow(ctx, func(documents int) {
				p.Add(documents - told)
				told = documents
			})
			if err == nil {
				p.Count("documents", n)
			}
			return err
		},
	}
}

// searchSource tells of the index, and how far it is behind the tables.
func searchSource(feed *search.Feed) ops.Source {
	return ops.SourceFunc(func(ctx context.Context) (ops.Readings, error) {
		s, err := feed.State(ctx)
		if err != nil {
			return ops.Readings{}, err
		}
		x := ops.SearchIndex{
			Documents: s.Documents, Bytes: s.Bytes, Built: s.Built, Checked: s.Checked, Behind: s.Lag,
			Building: s.Rebuilding, Done: s.Rebuilt, Path: "/office/operations/jobs/search-rebuild",
		}
		if s.Err != nil {
			x.Problem = s.Err.Error()
		}
		return ops.Readings{Indexes: []ops.SearchIndex{x}}, nil
	})
}
