package cli

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/alecthomas/kong"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"pressroom/internal/api"
	"pressroom/internal/auth"
	"pressroom/internal/desk"
	"pressroom/internal/desk/blog/blogdesk"
	"pressroom/internal/desk/lexicon/lexicondesk"
	"pressroom/internal/desk/minutes/minutesdesk"
	"pressroom/internal/desk/newswire/newswiredesk"
	"pressroom/internal/follow"
	"pressroom/internal/ops"
	"pressroom/internal/review"
	"pressroom/internal/rights/erase"
	"pressroom/internal/story"
	"pressroom/internal/web"
	"pressroom/model"
)

// desks are the desks of the newsroom. This list is all that the program knows of
// them; everything else is in their declarations.
var desks = []*desk.Desk{
	&minutesdesk.Desk,
	&newswiredesk.Desk,
	&blogdesk.Desk,
	&lexicondesk.Desk,
}

// deskNames returns the names of the desks for which keep is true.
func deskNames(keep func(*desk.Desk) bool) []string {
	var names []string
	for _, d := range desks {
		if keep(d) {
			names = append(names, d.Name())
		}
	}
	return names
}

func every(*desk.Desk) bool         { return true }
func asksModels(d *desk.Desk) bool  { return d.Models }
func asksOutside(d *desk.Desk) bool { return d.Outside }

// deskSettings are each desk's own settings, in the order of desks.
type deskSettings struct{ kong.Plugins }

func newDeskSettings() deskSettings {
	var s deskSettings
	for _, d := range desks {
		s.Plugins = append(s.Plugins, ownSettings(d))
	}
	return s
}

// ownSettings returns a desk's settings, still without values.
func ownSettings(d *desk.Desk) any {
	if d.Settings == nil {
		return new(struct{})
	}
	return d.Settings()
}

// settingsOfDesk returns a desk's own settings.
func settingsOfDesk[T any](s deskSettings) *T {
	for _, own := range s.Plugins {
		if found, ok := own.(*T); ok {
			return found
		}
	}
	return new(T)
}

// zone is the time zone of pages while the paper has none of its own.
func (s deskSettings) zone() (*time.Location, error) {
	return desk.Zone("--blog-time-zone", settingsOfDesk[blogdesk.Settings](s).BlogTimeZone)
}

// wiring is what the newsroom's parts are built with.
type wiring struct {
	set      serverSettings
	demo     bool
	tables   model.DB
	objects  *s3.Client
	pages    *web.Site
	api      *api.API
	auth     *auth.Auth
	ops      *operations
	log      *slog.Logger
	store    *store
	stories  *story.Stories
	erasures *erase.Erasures
	finding  *finding
	site     *site
	board    review.Board
	matcher  *follow.Matcher                                              // nil if nobody can follow
	kept     map[string]func(context.Context, *auth.Account) (any, error) // what desks keep about an account, by desk
}

// background runs something beside the requests until the store is closed, which
// waits for it.
func (w *wiring) background(name string, run func(context.Context)) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		run(ctx)
	}()
	w.store.halts = append(w.store.halts, cancel)
	w.store.add(name, func() error {
		<-ended
		return nil
	})
}

// mountDesks builds every desk, between what all of them stand on and what looks at
// all of them. The demo comes first: desks are built with what it says about the
// world outside.
func (s *site) mountDesks(ctx context.Context, set serverSettings, demo bool, st *store, pages *web.Site, json *api.API, log *slog.Logger) error {
	w := &wiring{
		set: set, demo: demo, tables: st.db, objects: st.client,
		pages: pages, api: json, auth: s.auth, ops: s.ops, log: log, store: st, stories: s.stories, site: s,
		kept: map[string]func(context.Context, *auth.Account) (any, error){},
	}
	for _, mount := range []func(context.Context, *wiring) error{mountDemo, mountIndex, mountErasures, mountAll, mountReview, mountStories, mountOperations, mountSteps, mountRequests, mountSearch, mountFollows, mountThreads} {
		if err := mount(ctx, w); err != nil {
			return err
		}
	}
	if !demo { // which begins its jobs once its content is there
		w.background("jobs", func(ctx context.Context) {
			_ = s.ops.scheduler.Run(ctx) // it always returns nil, when ctx ends
		})
	}
	return nil
}

// mountAll opens the desks and hands each of their parts to whom it concerns.
func mountAll(ctx context.Context, w *wiring) error {
	for i, d := range desks {
		if err := w.mount(ctx, d, w.set.deskSettings.Plugins[i]); err != nil {
			return err
		}
	}
	return nil
}

func (w *wiring) mount(ctx context.Context, d *desk.Desk, settings any) error {
	room, err := w.room(d, settings)
	if err != nil {
		return err
	}
	parts, err := d.Open(ctx, room)
	if err != nil {
		return err
	}
	if parts.Close != nil {
		w.store.add(d.Name(), func() error { parts.Close(); return nil })
	}
	own := w.finding.over()
	if parts.Traces != nil {
		w.erasures.Add(parts.Traces)
	}
	if parts.Shelf != nil {
		own = w.finding.add(parts.Shelf)
	}
	if parts.Pages != nil {
		if err := parts.Pages(w.pages, own); err != nil {
			return err
		}
	}
	if parts.JSON != nil {
		parts.JSON(w.api)
	}
	if parts.Watch != nil {
		w.ops.watch(d.Name(), parts.Watch, parts.Requeue)
	}
	w.board.Queues = append(w.board.Queues, parts.Review...)
	if parts.Editor != nil {
		w.board.Editors = append(w.board.Editors, parts.Editor)
	}
	if parts.Forget != nil {
		w.auth.OnDelete(parts.Forget)
	}
	if parts.Kept != nil {
		w.kept[d.Name()] = func(ctx context.Context, a *auth.Account) (any, error) { return parts.Kept(ctx, a.ID) }
	}
	if parts.Background != nil && (w.set.Run.has(webDuty) || w.set.Run.has(workerDuty)) {
		w.background(d.Name()+" in the background", parts.Background)
	}
	return w.ops.scheduler.Add(parts.Jobs...)
}

// room is what a desk that serves people is opened with.
func (w *wiring) room(d *desk.Desk, settings any) (*desk.Room, error) {
	key, err := w.set.key(d.Name())
	if err != nil {
		return nil, err
	}
	return &desk.Room{
		Settings: settings, Schema: w.schema(d.Schema), Tables: w.tables, Objects: w.objects, Stories: w.stories, Erased: w.erasures, Key: key, Log: w.log, Mail: w.set.mailServer(), Address: w.set.address(), Model: w.model,
		ReviewUnproved: w.set.LLMUnproved == "review", Accounts: w.auth, Presign: w.presigner(), Track: w.store.track(), Demo: w.demo, Record: w.onRecord,
	}, nil
}

// schema returns the schema of a desk with the names that are configured.
func (w *wiring) schema(s model.Schema) *model.Schema {
	named := s.Named(w.set.names().of)
	return &named
}

// onRecord puts an operator's action on the trail before it is done.
func (w *wiring) onRecord(ctx context.Context, what, subject, why string) error {
	who := "unknown"
	if account := auth.From(ctx); account != nil {
		who = account.Name
	}
	return w.ops.scheduler.Record(ctx, ops.Action{Who: who, What: what, Subject: subject, Why: why})
}

// askedAlone opens all desks for somebody who only asks them: nothing runs in the
// background, so that a directory can be looked at that nobody serves.
func askedAlone(ctx context.Context, db model.DB, objects *s3.Client, names tableNames, log *slog.Logger) ([]*desk.Parts, error) {
	stories, err := names.stories(db)
	if err != nil {
		return nil, err
	}
	all := make([]*desk.Parts, len(desks))
	for i, d := range desks {
		settings, err := defaults(d)
		if err != nil {
			return nil, err
		}
		schema := d.Schema.Named(names.of)
		if all[i], err = d.Open(ctx, &desk.Room{Settings: settings, Schema: &schema, Tables: db, Objects: objects, Stories: stories, Log: log}); err != nil {
			return nil, err
		}
		if closeDesk := all[i].Close; closeDesk != nil {
			closeDesk()
		}
	}
	return all, nil
}

// defaults returns a desk's settings as they are if nobody sets them.
func defaults(d *desk.Desk) (any, error) {
	own := ownSettings(d)
	if err := kong.ApplyDefaults(own); err != nil {
		return nil, fmt.Errorf("settings of %s: %w", d.Name(), err)
	}
	return own, nil
}

// schemas returns all schemas with the configured names, or those of the desks that
// only names; a table that several declare is in the first of them.
func (n tableNames) schemas(only ...string) ([]model.Schema, error) {
	var chosen []model.Schema
	for _, schema := range allSchemas() {
		if len(only) == 0 || slices.Contains(only, schema.Name) {
			chosen = append(chosen, schema.Named(n.of))
		}
	}
	merged, err := model.Merge(chosen...)
	if err != nil {
		return nil, fmt.Errorf("the schemas do not fit together: %w", err)
	}
	return merged, nil
}
