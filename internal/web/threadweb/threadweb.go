// Package threadweb is threads in the browser: /threads lists what goes on, /threads/{id}
// tells one matter from the first story to the last and says why they are together, and
// /office/threads is where editors split, merge and name.
//
// It promises that a page shows stories as they are now, and nothing of those that are no
// longer to be seen.
//
// Start with [Register]; office.go has what editors do.
package threadweb

import (
	"context"
	"embed"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"pressroom/internal/auth"
	"pressroom/internal/errs"
	"pressroom/internal/front"
	"pressroom/internal/story"
	"pressroom/internal/thread"
	"pressroom/internal/web"
)

//go:embed *.html locales static
var files embed.FS

const root, office = "/threads", "/office/threads"

type pages struct {
	site    *web.Site
	views   *web.Templates
	threads *thread.Threads
	load    func(context.Context, story.Ref) (story.Text, error)
}

// Register puts threads on the site. Load returns the text of a story from its desk. Its
// errors are mistakes in the embedded files.
func Register(site *web.Site, threads *thread.Threads, load func(context.Context, story.Ref) (story.Text, error)) error {
	p := &pages{site: site, threads: threads, load: load}
	var err error
	if p.views, err = site.Templates(files); err != nil {
		return err
	}
	site.Nav(web.NavItem{Path: root, Key: "thread.nav", Order: 5})
	site.Get(root, auth.Everyone, site.Kept(p.list))
	site.Get(root+"/feed.atom", auth.Everyone, p.listFeed)
	site.Get(root+"/feed.json", auth.Everyone, p.listFeed)
	site.Get(root+"/{id}", auth.Everyone, site.Kept(p.show))
	site.Get(root+"/{id}/feed.atom", auth.Everyone, p.feed)
	site.Get(root+"/{id}/feed.json", auth.Everyone, p.feed)
	site.Nav(web.NavItem{Path: office, Key: "thread.office.nav", Order: 7, Access: auth.Moderator, Office: true})
	for pattern, h := range map[string]web.Handler{
		"GET " + office: p.officeList, "POST " + office: p.mergeChosen, "POST " + office + "/undo": p.undo,
		"GET " + office + "/{id}": p.officeOne, "POST " + office + "/{id}": p.decide,
	} {
		site.Route(front.Route{Pattern: pattern, Access: auth.Moderator, Desk: "threads"}, h)
	}
	return nil
}

// listed is how many threads a page has.
const listed = 20

// row is a thread in a list.
type row struct {
	*thread.View
	Path  string
	Lang  string
	Desks []string
	Last  web.Story // the last report
}

type listPage struct {
	Rows []row
	Next string
}

func (p *pages) rows(r *http.Request) (listPage, error) {
	page, err := p.threads.List(r.Context(), r.URL.Query().Get("cursor"), listed)
	if errors.Is(err, story.ErrCursor) {
		err = errs.Wrap(err, errs.Malformed, "The cursor cannot be read. Begin with the first page.")
	}
	if err != nil {
		return listPage{}, err
	}
	lang := p.site.Lang(r)
	data := listPage{Next: page.Next}
	for _, v := range page.Items {
		one := row{View: v, Path: web.ThreadPath(v.ID), Lang: other(lang, v.Lang), Last: p.site.Found(lang, &v.Items[len(v.Items)-1].Story)}
		for i := range v.Items {
			if name := p.site.Found(lang, &v.Items[i].Story).Desk; name != "" && !slices.Contains(one.Desks, name) {
				one.Desks = append(one.Desks, name)
			}
		}
		data.Rows = append(data.Rows, one)
	}
	return data, nil
}

// other is a language if it is not the page's.
func other(page, lang string) string {
	if lang == page {
		return ""
	}
	return lang
}

func (p *pages) list(w http.ResponseWriter, r *http.Request) error {
	data, err := p.rows(r)
	if err != nil {
		return err
	}
	title := p.site.T(r, "thread.title")
	return p.site.Render(w, r, p.views, "list", web.Page{
		Title: title, Description: p.site.T(r, "thread.lead"), Feeds: []web.FeedLink{{Path: root + "/feed", Title: title}}, Data: data,
		NoIndex: r.URL.Query().Get("cursor") != "",
	})
}

// listFeed is the last story of each thread.
func (p *pages) listFeed(w http.ResponseWriter, r *http.Request) error {
	data, err := p.rows(r)
	if err != nil {
		return err
	}
	f := web.StoryFeed{Title: p.site.T(r, "thread.title"), Description: p.site.T(r, "thread.lead"), Home: root, Next: data.Next}
	for _, one := range data.Rows {
		f.Stories = append(f.Stories, one.Items[len(one.Items)-1].Story)
	}
	return p.site.ServeFeed(w, r, f)
}

// showPage is what the page of a thread shows.
type showPage struct {
	*thread.View
	Lang    string
	Reports []report
	Why     []reason
	Feed    web.FeedLink
	Office  string // where editors change it; "" for others
}

// report is a story on the timeline.
type report struct {
	web.Story
	Shares   []string
	Passages []passage
}

// passage is a part of a debate that tells of the matter.
type passage struct{ Speaker, Text, Path, Lang string }

// reason is what stories share, of one kind.
type reason struct {
	Key   string // of the kind's name
	Texts []string
}

func (p *pages) show(w http.ResponseWriter, r *http.Request) error {
	v, err := p.get(w, r, "")
	if v == nil {
		return err
	}
	lang := p.site.Lang(r)
	data := showPage{View: v, Lang: other(lang, v.Lang), Why: reasons(v.Shared), Feed: web.FeedLink{Path: web.ThreadPath(v.ID) + "/feed", Title: v.Name}}
	if auth.RoleOf(r.Context()).Allows(auth.Moderator) {
		data.Office = office + "/" + url.PathEscape(v.ID)
	}
	for _, told := range v.Reports() {
		one := report{Story: p.site.Found(lang, &told.Story)}
		one.Level = 2
		for i := range told.Also {
			also := p.site.Found(lang, &told.Also[i])
			name := also.Source
			if name == "" {
				name = also.Desk
			}
			one.Also = append(one.Also, web.Also{Name: name, Path: also.Path})
		}
		for _, s := range told.Shares {
			one.Shares = append(one.Shares, s.Text)
		}
		if one.Passages, err = p.passages(r.Context(), &told.Item, lang); err != nil {
			return err
		}
		data.Reports = append(data.Reports, one)
	}
	slices.Reverse(data.Reports) // the newest first, as everywhere
	return p.site.Render(w, r, p.views, "show", web.Page{
		Title: v.Name, Description: p.site.T(r, "thread.description", v.Name, len(v.Items)), Canonical: web.ThreadPath(v.ID),
		Feeds: []web.FeedLink{data.Feed}, Data: data, NoIndex: len(v.Items) < 2, Image: picture(v),
	})
}

// picture is the latest picture of a thread's reports; "" if none has one.
func picture(v *thread.View) string {
	for _, told := range slices.Backward(v.Items) {
		if told.Picture.Path != "" {
			return told.Picture.Path
		}
	}
	return ""
}

// get returns the thread that the address names. If that became part of another, it leads
// there, and returns none.
func (p *pages) get(w http.ResponseWriter, r *http.Request, ending string) (*thread.View, error) {
	id := r.PathValue("id")
	v, err := p.threads.Get(r.Context(), id)
	if errors.Is(err, errs.NotFound) {
		return nil, errs.Wrap(err, errs.NotFound, "There is no such thread.")
	}
	if err == nil && v.ID != id {
		return nil, p.site.Redirect(w, r, web.ThreadPath(v.ID)+ending)
	}
	return v, err
}

// kinds are the kinds of what stories share, as pages show them.
var kinds = []struct {
	key   string
	kinds []thread.Kind
}{
	{"bill", []thread.Kind{thread.Bill}},
	{"name", []thread.Kind{thread.Phrase, thread.Name}},
	{"title", []thread.Kind{thread.Title}},
	{"number", []thread.Kind{thread.Number}},
}

func reasons(shared []thread.Shared) []reason {
	var out []reason
	for _, k := range kinds {
		one := reason{Key: k.key}
		for _, s := range shared {
			if slices.Contains(k.kinds, s.Kind) && !slices.Contains(one.Texts, s.Text) {
				one.Texts = append(one.Texts, s.Text)
			}
		}
		if len(one.Texts) > 0 {
			out = append(out, one)
		}
	}
	return out
}

// passages of a story that are shown, and how long each is.
const (
	mostPassages  = 2
	passageLength = 160
)

// passages returns the parts of a debate that say most of what the story shares with
// others.
func (p *pages) passages(ctx context.Context, item *thread.Item, lang string) ([]passage, error) {
	if p.load == nil || len(item.People) == 0 || len(item.Shares) == 0 {
		return nil, nil
	}
	text, err := p.load(ctx, item.Ref)
	if errors.Is(err, errs.NotFound) || errors.Is(err, story.ErrUnreadable) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	type found struct {
		story.Passage
		says int
	}
	var all []found
	for _, one := range text.Passages {
		says, lower := 0, strings.ToLower(one.Text)
		for _, s := range item.Shares {
			if strings.Contains(lower, strings.ToLower(s.Text)) {
				says++
			}
		}
		if one.Speaker != "" && says > 0 {
			all = append(all, found{one, says})
		}
	}
	slices.SortStableFunc(all, func(a, b found) int { return b.says - a.says })
	var out []passage
	for _, one := range all[:min(len(all), mostPassages)] {
		words := []rune(strings.Join(strings.Fields(one.Text), " "))
		if len(words) > passageLength {
			words = append(words[:passageLength-1:passageLength-1], '…')
		}
		out = append(out, passage{one.Speaker, string(words), one.Path, other(lang, item.Language)})
	}
	return out, nil
}

func (p *pages) feed(w http.ResponseWriter, r *http.Request) error {
	v, err := p.get(w, r, r.URL.Path[strings.LastIndex(r.URL.Path, "/"):])
	if v == nil {
		return err
	}
	f := web.StoryFeed{Title: v.Name, Description: p.site.T(r, "thread.description", v.Name, len(v.Items)), Home: web.ThreadPath(v.ID)}
	for _, told := range v.Reports() {
		f.Stories = append(f.Stories, told.Story)
	}
	slices.Reverse(f.Stories)
	return p.site.ServeFeed(w, r, f)
}
