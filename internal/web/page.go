package web

import (
	"context"
	"html/template"
	"math"
	"net/http"
	"net/url"
	"strings"
	"time"

	"pressroom/internal/auth"
	"pressroom/internal/errs"
)

// Page is what a handler says about the page that it renders.
type Page struct {
	// Title is the page's name, without the paper's; empty on the front page.
	Title string
	// Description is one or two sentences for search engines and link previews.
	Description string
	// Canonical is the path under which the page is best known; the request's
	// own path, without its query, by default.
	Canonical string
	// Feeds are offered to feed readers.
	Feeds []FeedLink
	// Kind is the OpenGraph type; "website" by default.
	Kind string
	// Image is the path or address of a picture for link previews; the card of
	// the story by default.
	Image string
	// Status is the HTTP status; 200 by default.
	Status int
	// Translations are the paths of what the page says in several languages, its own
	// among them; without them the page is the same in every language but for the words
	// around it.
	Translations []Alternate
	// Private keeps the page out of every cache, as for drafts. Pages of those
	// who are signed in are always private.
	Private bool
	// NoIndex keeps the page out of search engines.
	NoIndex bool
	// Block names the template that htmx gets instead of the whole page.
	Block string
	// Problem is what was wrong with the form that the page shows again; set it
	// together with Status from [StatusOf].
	Problem error
	// Standing is how the story of the page came about; nil for a page of none.
	Standing *Standing
	// Data is the page's own.
	Data any
}

// FeedLink is a list that has a feed: Path + ".atom" and Path + ".json", with the
// Query of a filter if there is one.
type FeedLink struct{ Path, Title, Query string }

// URL is where the feed is in the format with that ending.
func (f FeedLink) URL(ending string) string {
	if f.Query == "" {
		return f.Path + ending
	}
	return f.Path + ending + "?" + f.Query
}

// View is the dot of every template: the page, and what the shell knows about
// the reader.
type View struct {
	Page
	Lang    string
	Theme   string // light, dark or auto
	Account *auth.Account
	Flash   *flash
	Name    string // the paper's
	Demo    bool
	Version string
	Home    bool   // it is the front page
	Path    string // of the request

	site   *Site
	r      *http.Request
	linked []string
}

func (s *Site) view(r *http.Request, page Page, t *Templates) *View {
	if page.Image == "" && page.Standing != nil {
		page.Image = cardPath(page.Standing.Story.Ref)
	}
	return &View{
		Page: page, Lang: s.Lang(r), Theme: themeOf(r), Account: auth.From(r.Context()),
		Name: s.Name(), Demo: s.o.Demo, Version: s.o.Version, Home: r.URL.Path == "/", Path: r.URL.Path,
		site: s, r: r, linked: t.linked,
	}
}

// Context is the request's, for methods that need one.
func (v *View) Context() context.Context { return v.r.Context() }

// Query returns a parameter of the request's address.
func (v *View) Query(name string) string { return v.r.URL.Query().Get(name) }

// Can reports whether the reader has at least the role of that name.
func (v *View) Can(role string) (bool, error) {
	least, err := auth.ParseRole(role)
	return err == nil && auth.RoleOf(v.r.Context()).Allows(least), err
}

// SignsIn reports whether this site has accounts.
func (v *View) SignsIn() bool { return v.site.o.Auth != nil }

// Passwords reports whether people sign in here with a password.
func (v *View) Passwords() bool { return v.site.o.Auth != nil && v.site.o.Auth.Passwords() }

// Readers are the pages with which readers keep their own accounts; nil if there are
// none.
func (v *View) Readers() *Readers { return v.site.readers }

// ReturnPath is where forms of the shell lead back to.
func (v *View) ReturnPath() string {
	if v.r.Method == http.MethodGet && v.Status < 400 {
		return v.r.URL.RequestURI()
	}
	return "/"
}

// Problem returns what is wrong with a field of the form, in the reader's
// language; "" if nothing is.
func (v *View) Problem(field string) string {
	if v.Page.Problem == nil {
		return ""
	}
	for _, f := range errs.Fields(v.Page.Problem) {
		if f.Name == field {
			return v.site.say(v.Lang, f.Message)
		}
	}
	return ""
}

// Problems returns all fields that are wrong, with translated messages.
func (v *View) Problems() []errs.Field {
	if v.Page.Problem == nil {
		return nil
	}
	fields := errs.Fields(v.Page.Problem)
	out := make([]errs.Field, len(fields))
	for i, f := range fields {
		out[i] = errs.Field{Name: f.Name, Message: v.site.say(v.Lang, f.Message)}
	}
	return out
}

// Trouble is the sentence that says what was wrong with a form as a whole.
func (v *View) Trouble() string {
	if v.Page.Problem == nil {
		return ""
	}
	return v.site.say(v.Lang, errs.Message(v.Page.Problem))
}

// Wait is the sentence that says when to try again what was refused for now; "" if
// it was not, or nobody knows.
func (v *View) Wait() string {
	after, ok := errs.RetryAfter(v.Page.Problem)
	switch {
	case !ok:
		return ""
	case after <= time.Second:
		return v.site.text(v.Lang, "failure.wait.second")
	case after <= 100*time.Second:
		return v.site.text(v.Lang, "failure.wait.seconds", math.Ceil(after.Seconds()))
	}
	return v.site.text(v.Lang, "failure.wait.minutes", math.Ceil(after.Minutes()))
}

// Explain marks the words that the glossary knows.
func (v *View) Explain(text template.HTML) template.HTML {
	if v.site.explainer == nil {
		return text
	}
	return v.site.explainer.Explain(v.r.Context(), v.Lang, text)
}

// Pager is the way through a list that comes in pages.
type Pager struct{ First, Next string }

// Pager returns the links for a list whose next page begins at the cursor; no
// Next without one, and no First on the first page.
func (v *View) Pager(cursor string) Pager {
	var p Pager
	query := v.r.URL.Query()
	if query.Get("cursor") != "" {
		p.First = v.with("cursor", "")
	}
	if cursor != "" {
		p.Next = v.with("cursor", cursor)
	}
	return p
}

// With returns the request's path and query with one parameter changed, or
// removed if the value is empty; the list begins anew.
func (v *View) With(name, value string) string {
	query := v.r.URL.Query()
	query.Del("cursor")
	return change(v.r.URL.Path, query, name, value)
}

func (v *View) with(name, value string) string {
	return change(v.r.URL.Path, v.r.URL.Query(), name, value)
}

func change(path string, query url.Values, name, value string) string {
	if value == "" {
		query.Del(name)
	} else {
		query.Set(name, value)
	}
	if len(query) == 0 {
		return path
	}
	return path + "?" + query.Encode()
}

// Absolute returns a path of ours as others must write it.
func (v *View) Absolute(path string) string { return v.site.Absolute(v.r, path) }

// Absolute returns the public address of a path; what is an address already
// stays as it is.
func (s *Site) Absolute(r *http.Request, path string) string {
	if !strings.HasPrefix(path, "/") {
		return path
	}
	if s.o.Base != "" {
		return s.o.Base + path
	}
	scheme := "http://"
	if auth.Secure(r) {
		scheme = "https://"
	}
	return scheme + r.Host + path
}

// CanonicalURL is the page's best address.
func (v *View) CanonicalURL() string {
	if v.Canonical != "" {
		return v.Absolute(v.Canonical)
	}
	return v.Absolute(v.r.URL.EscapedPath())
}

// Alternate is the page in another language.
type Alternate struct{ Lang, URL string }

// Alternates lists the page in every language.
func (v *View) Alternates() []Alternate {
	if v.Translations != nil {
		all := make([]Alternate, len(v.Translations))
		for i, t := range v.Translations {
			all[i] = Alternate{t.Lang, v.Absolute(t.URL)}
		}
		return all
	}
	base := v.CanonicalURL()
	mark := "?"
	if strings.Contains(base, "?") {
		mark = "&"
	}
	var all []Alternate
	for _, lang := range v.Shown() {
		all = append(all, Alternate{lang, base + mark + "lang=" + lang})
	}
	return all
}

// Styles and Scripts are the addresses of what the page links.
func (v *View) Styles() ([]string, error) { return v.links("site.css", ".css") }

// Scripts is like Styles.
func (v *View) Scripts() ([]string, error) { return v.links("site.js", ".js") }

func (v *View) links(first, ext string) ([]string, error) {
	names := []string{first}
	for _, name := range v.linked {
		if strings.HasSuffix(name, ext) {
			names = append(names, name)
		}
	}
	for i, name := range names {
		link, err := v.site.assets.url(name)
		if err != nil {
			return nil, err
		}
		names[i] = link
	}
	return names, nil
}
