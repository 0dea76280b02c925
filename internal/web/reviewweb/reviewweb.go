// Package reviewweb is the review desk in the browser: /office/review lists what waits for
// a person, and shows each item with its claims beside the passages.
//
// It promises that everything works without JavaScript, and with it by the keyboard alone;
// and that a decision leads to the next item, so that many can be decided in a row.
//
// Start with [Register]; static/review.js has the keys.
package reviewweb

import (
	"embed"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"pressroom/internal/auth"
	"pressroom/internal/errs"
	"pressroom/internal/front"
	"pressroom/internal/proof"
	"pressroom/internal/review"
	"pressroom/internal/story"
	"pressroom/internal/web"
)

//go:embed *.html locales static
var files embed.FS

const root = "/office/review"

type pages struct {
	site  *web.Site
	views *web.Templates
	board *review.Board
}

// Register puts the review desk on the site. Its errors are mistakes in the embedded files.
func Register(site *web.Site, board *review.Board) error {
	p := &pages{site: site, board: board}
	var err error
	if p.views, err = site.Templates(files); err != nil {
		return err
	}
	site.Nav(web.NavItem{Path: root, Key: "review.nav", Order: 5, Access: auth.Moderator, Office: true})
	route := func(pattern string, h web.Handler) {
		site.Route(front.Route{Pattern: pattern, Access: auth.Moderator, Desk: "review"}, h)
	}
	route("GET "+root, p.list)
	route("POST "+root, p.bulk)
	route("GET "+root+"/item", p.item)
	route("POST "+root+"/item", p.decide)
	route("POST "+root+"/check", p.check)
	return nil
}

type row struct {
	review.Item
	Link  string
	Value string // in a bulk decision
}

type listPage struct {
	Tabs  []web.Tab
	Rows  []row
	Queue string
}

func itemPath(queue, id string) string {
	return root + "/item?" + url.Values{"queue": {queue}, "id": {id}}.Encode()
}

func (p *pages) list(w http.ResponseWriter, r *http.Request) error { return p.renderList(w, r, nil) }

func (p *pages) renderList(w http.ResponseWriter, r *http.Request, problem error) error {
	queue := r.URL.Query().Get("queue")
	items, err := p.board.List(r.Context(), queue)
	if err != nil {
		return err
	}
	data := listPage{Queue: queue, Tabs: []web.Tab{{Title: p.site.T(r, "review.all"), Path: root, Current: queue == ""}}}
	for _, name := range p.board.Names() {
		data.Tabs = append(data.Tabs, web.Tab{Title: p.queueName(r, name), Path: root + "?queue=" + name, Current: queue == name})
	}
	for _, item := range items {
		data.Rows = append(data.Rows, row{item, itemPath(item.Queue, item.ID), strings.Join([]string{item.Queue, item.ID, item.Seen}, "\n")})
	}
	page := web.Page{Title: p.site.T(r, "review.title"), NoIndex: true, Private: true, Data: data}
	if problem != nil {
		page.Problem, page.Status = problem, web.StatusOf(problem)
	}
	return p.site.Render(w, r, p.views, "list", page)
}

func (p *pages) queueName(r *http.Request, name string) string {
	return p.site.Tor(r, "review.queue."+name, name)
}

// deciding reads what a form decides.
func deciding(r *http.Request) review.Decision {
	d := review.Decision{
		Verb: review.Verb(r.PostFormValue("decision")), By: auth.NameOf(r.Context()), Reason: r.PostFormValue("reason"), Seen: r.PostFormValue("seen"), Texts: map[string]string{},
	}
	if account := auth.From(r.Context()); account != nil {
		d.Person = account.ID
	}
	for name, values := range r.PostForm {
		if where, ok := strings.CutPrefix(name, "text:"); ok {
			d.Texts[where] = strings.ReplaceAll(values[0], "\r\n", "\n")
		}
	}
	return d
}

// bulk decides the same about several items.
func (p *pages) bulk(w http.ResponseWriter, r *http.Request) error {
	d := deciding(r)
	chosen := r.PostForm["item"]
	if len(chosen) == 0 {
		return p.renderList(w, r, errs.New(errs.Invalid, "Choose at least one item."))
	}
	for _, value := range chosen {
		parts := strings.SplitN(value, "\n", 3)
		if len(parts) != 3 {
			return p.renderList(w, r, errs.New(errs.Invalid, "Choose at least one item."))
		}
		d.Seen = parts[2]
		if err := p.board.Decide(r.Context(), parts[0], parts[1], d); err != nil {
			return p.renderList(w, r, err)
		}
	}
	p.site.Flash(w, r, web.Good, "review.decided")
	return p.site.Redirect(w, r, r.URL.RequestURI())
}

type itemPage struct {
	review.Item
	Name       string // of the queue
	Verdicts   verdicts
	Previous   string
	Next       string
	Place, All int
	Reason     string
	Mine       bool
}

// verdicts are the claims of some texts, the worst first.
type verdicts struct {
	Claims    []claim
	Supported int
}

type claim struct {
	proof.Claim
	Why, Where string
	Tone       web.Tone
}

func (p *pages) verdicts(r *http.Request, claims []proof.Claim) verdicts {
	var v verdicts
	for _, c := range claims {
		where, _, _ := strings.Cut(c.Where, "#")
		one := claim{Claim: c, Why: c.Reason.En, Where: where, Tone: web.Good}
		if p.site.Lang(r) == "ja" {
			one.Why = c.Reason.Ja
		}
		switch c.Verdict {
		case proof.Supported:
			v.Supported++
			continue
		case proof.NotFound:
			one.Tone = web.Warn
		default:
			one.Tone = web.Bad
		}
		v.Claims = append(v.Claims, one)
	}
	slices.SortStableFunc(v.Claims, func(a, b claim) int { return strings.Compare(string(a.Verdict), string(b.Verdict)) })
	return v
}

func (p *pages) item(w http.ResponseWriter, r *http.Request) error { return p.renderItem(w, r, nil) }

func (p *pages) renderItem(w http.ResponseWriter, r *http.Request, problem error) error {
	queue, id := r.FormValue("queue"), r.FormValue("id")
	item, err := p.board.Get(r.Context(), queue, id)
	if err != nil {
		return err
	}
	data := itemPage{Item: item, Name: p.queueName(r, queue), Verdicts: p.verdicts(r, item.Claims), Mine: item.Taken == auth.NameOf(r.Context())}
	if queue != review.Published {
		all, err := p.board.List(r.Context(), "")
		if err != nil {
			return err
		}
		data.All = len(all)
		if at := slices.IndexFunc(all, func(i review.Item) bool { return i.Queue == queue && i.ID == id }); at >= 0 {
			data.Place = at + 1
			if at > 0 {
				data.Previous = itemPath(all[at-1].Queue, all[at-1].ID)
			}
			if at+1 < len(all) {
				data.Next = itemPath(all[at+1].Queue, all[at+1].ID)
			} else if at > 0 {
				data.Next = itemPath(all[0].Queue, all[0].ID)
			}
		}
	}
	page := web.Page{Title: item.Title, NoIndex: true, Private: true}
	if problem != nil {
		d := deciding(r)
		data.Reason = d.Reason
		for i := range data.Texts {
			if text, ok := d.Texts[data.Texts[i].Where]; ok {
				data.Texts[i].Text = text
			}
		}
		page.Problem, page.Status = problem, web.StatusOf(problem)
	}
	page.Data = data
	return p.site.Render(w, r, p.views, "item", page)
}

// decide carries out a decision, and goes on to the next item.
func (p *pages) decide(w http.ResponseWriter, r *http.Request) error {
	queue, id, d := r.PostFormValue("queue"), r.PostFormValue("id"), deciding(r)
	if err := p.board.Decide(r.Context(), queue, id, d); err != nil {
		switch errs.KindOf(err) {
		case errs.Invalid, errs.Conflict, errs.Stale:
			return p.renderItem(w, r, err)
		}
		return err
	}
	p.site.Flash(w, r, web.Good, "review.decided")
	next := r.PostFormValue("next")
	switch {
	case d.Verb == review.Take || d.Verb == review.Release:
		next = itemPath(queue, id)
	case queue == review.Published && d.Verb != review.Withdraw:
		next = itemPath(queue, id)
	case !strings.HasPrefix(next, root+"/"):
		next = root
	}
	return p.site.Redirect(w, r, next)
}

// check holds texts against their passages while they are typed.
func (p *pages) check(w http.ResponseWriter, r *http.Request) error {
	d := deciding(r)
	claims, err := p.board.Check(r.Context(), r.PostFormValue("queue"), r.PostFormValue("id"), d.Texts)
	if err != nil {
		return err
	}
	return p.site.Render(w, r, p.views, "claims", web.Page{Title: p.site.T(r, "review.claims"), NoIndex: true, Private: true, Block: "claims", Data: struct {
		Verdicts verdicts
		Checked  bool
	}{p.verdicts(r, claims), true}})
}

// EditPath is the page on which people change a published story.
func EditPath(ref story.Ref) string { return itemPath(review.Published, ref.String()) }
