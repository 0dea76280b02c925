// Package web is the shell in which every page of Pressroom stands: masthead and
// navigation, Japanese and English, light and dark, forms, errors, feeds, assets.
//
// It promises that a page works without JavaScript, that nothing is loaded from
// elsewhere or inline (the Content-Security-Policy forbids both), that what is
// shown to one reader is not cached for another, and that a handler which returns
// an error has answered nothing: the shell shows the error page of its kind.
//
// A desk's pages are a package below this one. It embeds its templates and its
// words, and mounts itself on the site:
//
//	//go:embed *.html locales static
//	var files embed.FS
//
//	func Mount(site *web.Site, desk *blog.Desk) error {
//		views, err := site.Templates(files)
//		if err != nil {
//			return err
//		}
//		p := &pages{site, views, desk}
//		site.Nav(web.NavItem{Path: "/blog", Key: "blog.nav", Order: 30})
//		site.Front(web.FrontSection{Desk: "blog", Key: "blog.nav", Path: "/blog", Order: 30})
//		site.Get("/blog/{$}", auth.Everyone, p.list)
//		site.Post("/blog/posts", auth.Author, p.create)
//		return nil
//	}
//
//	func (p *pages) list(w http.ResponseWriter, r *http.Request) error {
//		posts, err := p.desk.ListPublished(r.Context(), r.FormValue("cursor"))
//		if err != nil {
//			return err
//		}
//		return p.site.Render(w, r, p.views, "list", web.Page{
//			Title: p.site.T(r, "blog.title"),
//			Feeds: []web.FeedLink{{Path: "/blog/feed", Title: p.site.T(r, "blog.title")}},
//			Block: "posts", // all that htmx gets
//			Data:  posts,
//		})
//	}
//
// Each list.html of the package is one page; its dot is a [View], so that
// {{.Data}} is what the handler gave. Files that begin with _ are shared by all
// pages of the package. Words are in locales/en.json and locales/ja.json, flat
// objects whose keys begin with the desk's name; {{t "blog.title"}} reads one. A
// key that a template names and a language lacks fails Templates. Style sheets and
// scripts in static/ are linked on the package's pages, under hashed names.
//
// Package webtest opens a site on the real stores in memory and reads its pages
// through selectors. Components (field, pager, crumbs, story, empty, notice …) are in
// component.html; /styleguide shows them all, in demo mode.
//
// Start reading with [Site] and [Site.Render], then template.go and locale.go; each
// page of the shell has a Go file and an HTML file of the same name.
package web

import (
	"context"
	"embed"
	"errors"
	"html/template"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"pressroom/internal/auth"
	"pressroom/internal/front"
	"pressroom/internal/kept"
	"pressroom/internal/story"
	"pressroom/internal/thread"
)

//go:embed *.html locales static
var files embed.FS

// Options configure a site. The zero value is usable, without sign-in.
type Options struct {
	// Auth answers for accounts; nil leaves out sign-in, set-up, account and
	// users.
	Auth *auth.Auth
	// Name is the paper's name while nobody has set one; "Pressroom" by default.
	Name string
	// Base is the public address, such as https://news.example, for canonical
	// links and feeds. By default it is taken from each request.
	Base string
	// Demo adds /styleguide and says in the masthead that this is a demo.
	Demo bool
	// Version is shown in the colophon.
	Version string
	// Location is the time zone of dates on pages while nobody has set one; UTC by
	// default.
	Location *time.Location
	// Log receives what readers are not told; by default nothing.
	Log *slog.Logger
	// Now is the clock; time.Now by default.
	Now func() time.Time
	// Stories is what the desks publish; nil for nothing.
	Stories *story.Stories
	// Threads says which stories belong together; nil if nobody does.
	Threads *thread.Threads
	// Track tells what was read for a page, so that it can be kept; nil keeps none.
	Track kept.Track
	// Missing is called for a key that a language lacks and that only showed
	// when a page was rendered. By default it is logged.
	Missing func(lang, key string)
}

func (o *Options) withDefaults() Options {
	var all Options
	if o != nil {
		all = *o
	}
	if all.Name == "" {
		all.Name = "Pressroom"
	}
	all.Base = strings.TrimSuffix(all.Base, "/")
	if all.Location == nil {
		all.Location = time.UTC
	}
	if all.Log == nil {
		all.Log = slog.New(slog.DiscardHandler)
	}
	if all.Now == nil {
		all.Now = time.Now
	}
	if all.Missing == nil {
		all.Missing = func(lang, key string) { all.Log.Error("text missing", "lang", lang, "key", key) }
	}
	return all
}

// Handler answers a request or returns why it does not. With an error, it has
// written nothing.
type Handler func(w http.ResponseWriter, r *http.Request) error

// Explainer marks words of a text that the glossary knows. It is given safe HTML
// and returns safe HTML, built with [TermLink]; what it cannot do it leaves alone.
type Explainer interface {
	Explain(ctx context.Context, lang string, html template.HTML) template.HTML
}

// Site is the pages' shell. Everything is registered before the first request;
// after that, its methods may be called from many goroutines.
type Site struct {
	o         Options
	mux       *front.Mux
	words     catalog
	assets    *assets
	base      map[string]*template.Template // by language: layout and components
	shell     *Templates
	nav       []NavItem
	front     []FrontSection
	moved     []func(ctx context.Context, path string) (string, error)
	trending  *Words  // nil without a glossary
	search    *Search // nil without search
	follow    string  // the path of the form that follows something; "" without
	readers   *Readers
	sitemaps  []Sitemap
	outline   outline
	explainer Explainer
	packed    packed
	look      atomic.Pointer[look]
	steps     []Step
	find      Finder // nil without search
	papers    *kept.Store[story.Paper]
	kept      *kept.Store[*keptPage]
}

// New returns a site that registers its routes on mux, beginning with the shell's
// own pages. It fails only if the embedded files contradict themselves.
func New(mux *front.Mux, o *Options) (*Site, error) {
	s := &Site{o: o.withDefaults(), mux: mux, words: catalog{}, assets: newAssets()}
	s.look.Store(s.lookOf(story.Paper{}))
	s.papers = kept.New[story.Paper](kept.Options{Track: s.o.Track, For: lookFor, Now: s.o.Now})
	s.kept = kept.New[*keptPage](kept.Options{Track: s.o.Track, For: keptFor, Most: keptMax, Now: s.o.Now})
	if err := s.load(); err != nil {
		return nil, err
	}
	s.routes()
	return s, nil
}

// load reads the embedded files.
func (s *Site) load() error {
	err := s.assets.bundle(files, "site.css", "static/*.css")
	err = errors.Join(err, s.assets.bundle(files, "site.js", "static/site.js"))
	err = errors.Join(err, s.assets.bundle(files, "htmx.js", "static/htmx.min.js"))
	err = errors.Join(err, s.assets.bundle(files, "icon.svg", "static/icon.svg"))
	err = errors.Join(err, s.words.add(files))
	if err != nil {
		return err
	}
	s.base, err = s.parseBase()
	if err != nil {
		return err
	}
	s.shell, err = s.templates(files, nil)
	return err
}

// Explain makes e mark the words that it knows in all texts that pages pass
// through [View.Explain].
func (s *Site) Explain(e Explainer) { s.explainer = e }

// Get registers a page. The pattern is a path of http.ServeMux, such as
// "/blog/{id}"; access is the least role that may see it. HEAD is answered too.
func (s *Site) Get(pattern string, access auth.Role, h Handler) {
	s.Handle(http.MethodGet+" "+pattern, access, h)
}

// Post registers what a form does. Requests from other sites never reach it.
func (s *Site) Post(pattern string, access auth.Role, h Handler) {
	s.Handle(http.MethodPost+" "+pattern, access, h)
}

// Handle registers a handler for a method and a path, "PUT /blog/{id}".
func (s *Site) Handle(pattern string, access auth.Role, h Handler) {
	s.Route(front.Route{Pattern: pattern, Access: access}, h)
}

// Route registers a handler with everything that the door can be told about a
// route, such as a larger body. The route's Handler and Fail are set here.
func (s *Site) Route(route front.Route, h Handler) {
	route.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.refresh(r.Context())
		if err := h(w, r); err != nil {
			s.Fail(w, r, err)
		}
	})
	route.Fail = s.Fail
	s.mux.Handle(route)
}
