// Package blogweb is the blog in the browser: what readers see under /blog, and
// where authors and operators work under /office/blog.
//
// It promises that pages for readers ask the readers' view of the desk alone
// (blog.Public), so that nothing unpublished can stand on them; that every page
// works without JavaScript; and that the editor loses nothing that was typed,
// whatever happens to the browser, the network or the post.
//
// Start with [Register]; each page has a Go file and an HTML file of the same
// name, those of the office below office/. The editor is editor.go and draft.go
// here, and office/static/editor.js in the browser.
package blogweb

import (
	"context"
	"embed"
	"errors"
	"io/fs"
	"net/http"
	"net/url"
	"strings"
	"time"

	"pressroom/internal/auth"
	"pressroom/internal/desk/blog"
	"pressroom/internal/front"
	"pressroom/internal/web"
)

//go:embed *.html locales static
var readerFiles embed.FS

//go:embed all:office
var officeFiles embed.FS

// Options adjust the pages. The zero value, and nil, are usable.
type Options struct {
	// Search answers the search page; nil looks through the posts themselves,
	// the newest first.
	Search Searcher
	// Now is the clock; time.Now by default.
	Now func() time.Time
	// Approval says that authors ask an editor to publish: only who may decide at the
	// review desk publishes.
	Approval bool
}

// pages are the blog's pages.
type pages struct {
	site   *web.Site
	views  *web.Templates // for readers
	office *web.Templates // for those who write
	desk   *blog.Desk
	public *blog.Public
	search Searcher
	now    func() time.Time
	ask    bool // authors ask before they publish
}

// Limits of what is sent to the editor.
const (
	maxPost   = 48 << 20
	maxPaste  = 16 << 20
	maxUpload = blog.MaxUpload + 1<<20
)

// contacting limits those who fill in the contact form; the desk counts letters
// besides.
var contacting = front.Rate{PerSecond: 0.2, Burst: 10}

// searching limits what costs many reads.
var searching = front.Rate{PerSecond: 2, Burst: 20}

// Register puts the blog's pages on the site: in the navigation, on the front
// page, in the sitemap and under their paths. Its errors are mistakes in the
// embedded files.
func Register(site *web.Site, desk *blog.Desk, o *Options) error {
	p := &pages{site: site, desk: desk, public: desk.Public(), now: time.Now}
	if o != nil && o.Now != nil {
		p.now = o.Now
	}
	if o != nil {
		p.search, p.ask = o.Search, o.Approval
	}
	if p.search == nil {
		p.search = scan{p.public}
	}
	var err error
	if p.views, err = site.Templates(readerFiles); err != nil {
		return err
	}
	sub, err := fs.Sub(officeFiles, "office")
	if err != nil {
		return err
	}
	if p.office, err = site.Templates(sub); err != nil {
		return err
	}
	p.readers()
	p.staff()
	return nil
}

func (p *pages) readers() {
	p.site.Nav(web.NavItem{Path: "/blog", Key: "blog.nav", Order: 30})
	p.site.Front(web.FrontSection{Desk: blog.Schema.Name, Key: "blog.nav", Path: "/blog", Order: 30, Lists: p.lists})

	get := func(pattern string, h web.Handler) { p.site.Get(pattern, auth.Everyone, h) }
	get("/blog", p.showLatest)
	get("/blog/feed.atom", p.feedLatest)
	get("/blog/feed.json", p.feedLatest)
	get("/blog/posts/{id}", p.showPost)
	get("/blog/tags", p.showTags)
	get("/blog/tags/{tag}", p.showTag)
	get("/blog/tags/{tag}/feed.atom", p.feedTag)
	get("/blog/tags/{tag}/feed.json", p.feedTag)
	get("/blog/series/{series}", p.showSeries)
	get("/blog/series/{series}/feed.atom", p.feedSeries)
	get("/blog/series/{series}/feed.json", p.feedSeries)
	get("/blog/archive", p.showArchive)
	get("/blog/archive/{month}", p.showMonth)
	get("/blog/archive/{month}/feed.atom", p.feedMonth)
	get("/blog/archive/{month}/feed.json", p.feedMonth)
	get("/blog/about", p.showAbout)
	get("/blog/preview/{token}", p.showPreview)
	get("/blog/media/{id}/{name}", p.serveMedia)
	get("/blog/contact", p.showContact)
	p.site.Route(front.Route{Pattern: "POST /blog/contact", Rate: contacting}, p.sendLetter)
	p.site.Route(front.Route{Pattern: "GET /blog/search", Rate: searching}, p.showSearch)
}

func (p *pages) staff() {
	p.site.Nav(web.NavItem{Path: "/office/blog", Key: "blog.office.nav", Order: 30, Access: auth.Author, Office: true})

	route := func(pattern string, access auth.Role, size int64, h web.Handler) {
		p.site.Route(front.Route{Pattern: pattern, Access: access, Desk: "blog", MaxBody: size}, h)
	}
	route("GET /office/blog", auth.Author, 0, p.showPosts)
	route("POST /office/blog/bulk", auth.Author, 0, p.bulk)
	route("GET /office/blog/new", auth.Author, 0, p.newPost)
	route("POST /office/blog/posts", auth.Author, maxPost, p.savePost)
	route("GET /office/blog/posts/{id}", auth.Author, 0, p.editPost)
	route("POST /office/blog/posts/{id}", auth.Author, maxPost, p.savePost)
	route("POST /office/blog/posts/{id}/copy", auth.Author, 0, p.copyPost)
	route("POST /office/blog/posts/{id}/delete", auth.Author, 0, p.deletePost)
	route("POST /office/blog/posts/{id}/link", auth.Author, 0, p.makeLink)
	route("POST /office/blog/posts/{id}/here", auth.Author, 0, p.here)
	route("POST /office/blog/posts/{id}/plan", auth.Author, 0, p.setPlan)
	route("GET /office/blog/posts/{id}/review", auth.Author, 0, p.showReview)
	route("POST /office/blog/posts/{id}/review", auth.Author, 0, p.propose)
	route("POST /office/blog/posts/{id}/comments", auth.Author, 0, p.comment)
	route("POST /office/blog/posts/{id}/comments/{comment}/done", auth.Author, 0, p.settleComment)
	route("GET /office/blog/posts/{id}/revisions", auth.Author, 0, p.showRevisions)
	route("GET /office/blog/posts/{id}/revisions/{revision}", auth.Author, 0, p.showRevision)
	route("POST /office/blog/posts/{id}/revisions/{revision}/restore", auth.Author, 0, p.restore)
	p.site.Route(front.Route{
		Pattern: "POST /office/blog/preview", Access: auth.Author, Desk: "blog", MaxBody: maxPost, AtOnce: blog.RenderingsAtOnce,
	}, p.renderDraft)
	p.site.Route(front.Route{
		Pattern: "POST /office/blog/paste", Access: auth.Author, Desk: "blog", MaxBody: maxPaste, AtOnce: blog.RenderingsAtOnce,
	}, p.paste)
	route("POST /office/blog/unsaved/{id}", auth.Author, maxPost, p.keepUnsaved)
	route("POST /office/blog/unsaved/{id}/discard", auth.Author, 0, p.dropUnsaved)
	route("GET /office/blog/media", auth.Author, 0, p.showLibrary)
	route("POST /office/blog/media", auth.Author, maxUpload, p.upload)
	route("GET /office/blog/media/{id}", auth.Author, 0, p.showMedia)
	route("POST /office/blog/media/{id}", auth.Author, 0, p.describeMedia)
	route("POST /office/blog/media/{id}/delete", auth.Author, 0, p.deleteMedia)
	p.site.Moved(p.moved)
	route("GET /office/import", auth.Operator, 0, p.showImports)
	p.site.Route(front.Route{Pattern: "POST /office/import", Access: auth.Operator, Desk: "blog", MaxBody: maxImport, Timeout: importTime, AtOnce: 1}, p.takeImport)
	route("GET /office/import/{id}", auth.Operator, 0, p.showImport)
	route("POST /office/import/{id}", auth.Operator, 0, p.startImport)
	route("GET /office/blog/inbox", auth.Operator, 0, p.showInbox)
	route("POST /office/blog/inbox/{id}/delete", auth.Operator, 0, p.deleteLetter)
}

// errEnough ends a walk whose caller has seen enough.
var errEnough = errors.New("enough")

// lists are the pages that are no post.
func (p *pages) lists(ctx context.Context, yield func(string) bool) error {
	for _, path := range []string{"/blog/about", "/blog/archive", "/blog/tags", "/blog/contact"} {
		if !yield(path) {
			return nil
		}
	}
	return enough(p.eachCount(ctx, p.public.Tags, func(c blog.Count) error {
		if !yield(tagPath(c.Name)) {
			return errEnough
		}
		return nil
	}))
}

// enough is the error of a walk, without the one by which its caller ended it.
func enough(err error) error {
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// eachCount walks a list of counts to its end.
func (p *pages) eachCount(ctx context.Context, list func(context.Context, blog.PageOptions) (blog.Page[blog.Count], error), fn func(blog.Count) error) error {
	for cursor := ""; ; {
		page, err := list(ctx, blog.PageOptions{Limit: blog.MaxLimit, Cursor: cursor})
		if err != nil {
			return err
		}
		for _, c := range page.Items {
			if err := fn(c); err != nil {
				return err
			}
		}
		if cursor = page.Next; cursor == "" {
			return nil
		}
	}
}

func postPath(id string) string { return "/blog/posts/" + url.PathEscape(id) }

func tagPath(tag string) string { return "/blog/tags/" + url.PathEscape(tag) }

func seriesPath(name string) string { return "/blog/series/" + url.PathEscape(name) }

func monthPath(month string) string { return "/blog/archive/" + url.PathEscape(month) }

func editPath(id string) string { return "/office/blog/posts/" + url.PathEscape(id) }

// storyOf is a post as lists show it.
func storyOf(c blog.Card) web.Story {
	return web.Story{Title: c.Title, Path: postPath(c.ID), Summary: c.Summary, Date: c.PublishedAt, Image: c.Thumbnail}
}

// policy is the Content-Security-Policy of pages that show posts: pictures may
// be on other sites, and videos play in frames of the hosts that are known.
var policy = "default-src 'self'; img-src 'self' https: http:; frame-src " + strings.Join(blog.EmbedHosts(), " ") +
	"; base-uri 'none'; object-src 'none'; form-action 'self'; frame-ancestors 'none'"

func allowPictures(w http.ResponseWriter) { w.Header().Set("Content-Security-Policy", policy) }
