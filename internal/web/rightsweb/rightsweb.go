// Package rightsweb is what people and sites ask of the newsroom about themselves, in
// the browser: a form for everyone under /rights, and the operators' queue under
// /office/rights.
//
// It promises that opening a link changes nothing, since programs that look at mail open
// links too: a button does. Every page works without JavaScript. Start with [Register].
package rightsweb

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"net/http"
	"net/url"
	"time"

	"pressroom/internal/auth"
	"pressroom/internal/errs"
	"pressroom/internal/front"
	"pressroom/internal/rights/erase"
	"pressroom/internal/rights/request"
	"pressroom/internal/web"
	"pressroom/model"
)

//go:embed *.html locales
var files embed.FS

// Options are what the pages show.
type Options struct {
	Requests *request.Requests
	Erasures *erase.Erasures
	// Record puts an operator's action on the trail before it is done.
	Record func(ctx context.Context, what, subject, why string) error
	Now    func() time.Time
}

type pages struct {
	site  *web.Site
	views *web.Templates
	Options
}

const (
	form   = "/rights"
	office = "/office/rights"
)

// Register puts the pages on the site. Its errors are mistakes in the embedded files.
func Register(site *web.Site, o Options) error {
	views, err := site.Templates(files)
	if err != nil {
		return err
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	p := &pages{site, views, o}
	site.Nav(web.NavItem{Path: form, Key: "rights.title", Foot: true})
	site.Nav(web.NavItem{Path: office, Key: "rights.nav", Order: 6, Access: auth.Operator, Office: true})
	site.Get(form, auth.Everyone, p.showForm)
	site.Post(form, auth.Everyone, p.ask)
	site.Get(form+"/confirm", auth.Everyone, p.showConfirm)
	site.Post(form+"/confirm", auth.Everyone, p.confirm)
	site.Get(office, auth.Operator, p.showQueue)
	site.Get(office+"/erasures", auth.Operator, p.showErasures)
	site.Post(office+"/erasures", auth.Operator, p.erase)
	site.Get(office+"/requests/{id}", auth.Operator, p.showRequest)
	site.Post(office+"/requests/{id}/{action}", auth.Operator, p.act)
	site.Post(office+"/requests/{id}/export", auth.Operator, p.export)
	return nil
}

// formPage is the form, with what was typed.
type formPage struct {
	request.New
	Kinds []web.Choice
}

func (p *pages) kinds(r *http.Request) []web.Choice {
	var all []web.Choice
	for _, k := range request.Kinds {
		all = append(all, web.Choice{Value: string(k), Label: p.site.T(r, "rights.kind."+string(k))})
	}
	return all
}

func (p *pages) showForm(w http.ResponseWriter, r *http.Request) error {
	n := request.New{Kind: request.Kind(r.URL.Query().Get("kind")), About: r.URL.Query().Get("about")}
	return p.formPage(w, r, n, nil)
}

func (p *pages) formPage(w http.ResponseWriter, r *http.Request, n request.New, problem error) error {
	page := web.Page{Title: p.site.T(r, "rights.title"), Description: p.site.T(r, "rights.lead"), Problem: problem, Data: formPage{n, p.kinds(r)}}
	if problem != nil {
		page.Status = web.StatusOf(problem)
	}
	return p.site.Render(w, r, p.views, "form", page)
}

// takenPage says what comes next.
type takenPage struct {
	Request request.Request
	Mails   bool
	Domain  string
	Code    string
	File    string
}

func (p *pages) ask(w http.ResponseWriter, r *http.Request) error {
	n := request.New{
		Kind: request.Kind(r.PostFormValue("kind")), Name: r.PostFormValue("name"), Email: r.PostFormValue("email"), About: r.PostFormValue("about"),
		Text: r.PostFormValue("text"), Website: r.PostFormValue("website"), Language: p.site.Lang(r),
	}
	one, err := p.Requests.Ask(r.Context(), front.ClientAddr(r.Context()).String(), n)
	if err != nil {
		switch errs.KindOf(err) {
		case errs.Invalid, errs.RateLimited, errs.Unavailable:
			return p.formPage(w, r, n, err) // what was typed stays
		}
		return err
	}
	data := takenPage{Request: one, Mails: p.Requests.Mails(), Domain: one.Domain(), Code: p.Requests.Code(&one), File: "https://" + one.Domain() + request.FilePath}
	return p.site.Render(w, r, p.views, "taken", web.Page{Title: p.site.T(r, "rights.taken"), NoIndex: true, Private: true, Data: data})
}

func (p *pages) showConfirm(w http.ResponseWriter, r *http.Request) error {
	data := struct{ Link string }{r.URL.Query().Get("link")}
	return p.site.Render(w, r, p.views, "confirm", web.Page{Title: p.site.T(r, "rights.confirm"), NoIndex: true, Private: true, Data: data})
}

func (p *pages) confirm(w http.ResponseWriter, r *http.Request) error {
	one, err := p.Requests.Confirm(r.Context(), r.PostFormValue("link"))
	if err != nil {
		return err
	}
	p.site.Flash(w, r, web.Good, "rights.confirmed", one.Due[:10])
	return p.site.Redirect(w, r, form)
}

func (p *pages) tabs(r *http.Request, current string) []web.Tab {
	var tabs []web.Tab
	for _, t := range []struct{ name, path string }{
		{request.Open, office}, {request.Unproven, office + "?state=" + request.Unproven}, {request.Decided, office + "?state=" + request.Decided}, {"erasures", office + "/erasures"},
	} {
		tabs = append(tabs, web.Tab{Title: p.site.T(r, "rights.tab."+t.name), Path: t.path, Current: t.name == current})
	}
	return tabs
}

func (p *pages) office(w http.ResponseWriter, r *http.Request, name, title string, problem error, data any) error {
	page := web.Page{Title: title, NoIndex: true, Private: true, Problem: problem, Data: data}
	if problem != nil {
		page.Status = web.StatusOf(problem)
	}
	return p.site.Render(w, r, p.views, name, page)
}

// row is a request in the queue.
type row struct {
	request.Request
	Path string
	Late bool // or nearly
}

// near is how long before its end a request needs a look.
const near = 3 * 24 * time.Hour

func (p *pages) showQueue(w http.ResponseWriter, r *http.Request) error {
	state := r.URL.Query().Get("state")
	if state == "" {
		state = request.Open
	}
	page, err := p.Requests.List(r.Context(), state, model.PageOptions{Limit: 50, Cursor: r.URL.Query().Get("cursor")})
	if err != nil {
		return err
	}
	data := struct {
		Tabs []web.Tab
		Rows []row
		Next string
	}{Tabs: p.tabs(r, state), Next: page.Next}
	for _, one := range page.Items {
		late := one.State == request.Open && one.Due < model.FormatTime(p.Now().Add(near))
		data.Rows = append(data.Rows, row{one, office + "/requests/" + url.PathEscape(one.ID), late})
	}
	return p.office(w, r, "queue", p.site.T(r, "rights.nav"), nil, data)
}

// requestPage is a request, and what can be done about it.
type requestPage struct {
	Tabs     []web.Tab
	Request  request.Request
	Domain   string
	Code     string
	Letter   string // about the decision
	Mails    bool
	Subjects []web.Choice
	Guess    string // what is most likely to be erased
	Reasons  string
}

func (p *pages) subjects(r *http.Request) []web.Choice {
	all := []web.Choice{{Value: "", Label: p.site.T(r, "rights.erase.nothing")}}
	for _, k := range []erase.Kind{erase.Story, erase.Page, erase.Site, erase.Person} {
		all = append(all, web.Choice{Value: string(k), Label: p.site.T(r, "rights.erase."+string(k))})
	}
	return all
}

func (p *pages) showRequest(w http.ResponseWriter, r *http.Request) error {
	return p.requestPage(w, r, nil)
}

func (p *pages) requestPage(w http.ResponseWriter, r *http.Request, problem error) error {
	one, err := p.Requests.Get(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	data := requestPage{
		Tabs: p.tabs(r, one.State), Request: one, Domain: one.Domain(), Code: p.Requests.Code(&one), Mails: p.Requests.Mails(),
		Subjects: p.subjects(r), Guess: one.About, Reasons: r.PostFormValue("reasons"),
	}
	if one.State == request.Decided {
		if data.Letter, err = p.Requests.Answer(r.Context(), &one); err != nil {
			return err
		}
	}
	return p.office(w, r, "request", p.site.T(r, "rights.kind."+string(one.Kind)), problem, data)
}

func (p *pages) act(w http.ResponseWriter, r *http.Request) error {
	ctx, id, reasons := r.Context(), r.PathValue("id"), r.PostFormValue("reasons")
	action := r.PathValue("action")
	err := p.Record(ctx, action, "request "+id, reasons)
	if err != nil {
		return err
	}
	switch action {
	case "judge":
		_, err = p.Requests.Judge(ctx, id, who(r), reasons)
	case "prove":
		_, err = p.Requests.ProveDomain(ctx, id)
	case "grant", "refuse":
		d := request.Decision{Granted: action == "grant", Reasons: reasons}
		if kind := r.PostFormValue("erase"); kind != "" {
			d.Erase = erase.Subject{Kind: erase.Kind(kind), Text: r.PostFormValue("what")}
		}
		_, err = p.Requests.Decide(ctx, id, who(r), d)
	default:
		return errs.NotFound
	}
	if errors.Is(err, errs.Invalid) || errors.Is(err, errs.Conflict) {
		return p.requestPage(w, r, err)
	}
	if err != nil {
		return err
	}
	p.site.Flash(w, r, web.Good, "rights.done")
	return p.site.Redirect(w, r, office+"/requests/"+url.PathEscape(id))
}

// export sends all that is held about what is named.
func (p *pages) export(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("id")
	if _, err := p.Requests.Get(r.Context(), id); err != nil {
		return err
	}
	if err := p.Record(r.Context(), "export", "request "+id, r.PostFormValue("erase")); err != nil {
		return err
	}
	var archive bytes.Buffer
	err := p.Erasures.Export(r.Context(), erase.Subject{Kind: erase.Kind(r.PostFormValue("erase")), Text: r.PostFormValue("what")}, &archive)
	if err != nil && errs.KindOf(err) == errs.Invalid {
		return p.requestPage(w, r, err)
	}
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/x-tar")
	w.Header().Set("Content-Disposition", `attachment; filename="request.tar"`)
	w.Header().Set("Cache-Control", "private, no-store")
	_, err = w.Write(archive.Bytes())
	return err
}

func who(r *http.Request) string {
	if account := auth.From(r.Context()); account != nil && account.Name != "" {
		return account.Name
	}
	return "unknown"
}

// erasuresPage is what was erased, and a form to erase.
type erasuresPage struct {
	Tabs       []web.Tab
	Erasures   []erase.Erasure
	Subjects   []web.Choice
	Kind, What string
	Why        string
}

// maxShown is how many erasures are shown.
const maxShown = 200

func (p *pages) showErasures(w http.ResponseWriter, r *http.Request) error {
	return p.erasuresPage(w, r, nil)
}

func (p *pages) erasuresPage(w http.ResponseWriter, r *http.Request, problem error) error {
	data := erasuresPage{Tabs: p.tabs(r, "erasures"), Subjects: p.subjects(r)[1:], Kind: r.PostFormValue("erase"), What: r.PostFormValue("what"), Why: r.PostFormValue("why")}
	for one, err := range p.Erasures.All(r.Context()) {
		if err != nil {
			return err
		}
		if data.Erasures = append(data.Erasures, one); len(data.Erasures) == maxShown {
			break
		}
	}
	return p.office(w, r, "erasures", p.site.T(r, "rights.tab.erasures"), problem, data)
}

func (p *pages) erase(w http.ResponseWriter, r *http.Request) error {
	kind, why := erase.Kind(r.PostFormValue("erase")), r.PostFormValue("why")
	if why == "" {
		return p.erasuresPage(w, r, errs.Validation(errs.Field{Name: "why", Message: "is missing"}))
	}
	if err := p.Record(r.Context(), "erase", string(kind), why); err != nil {
		return err
	}
	_, err := p.Erasures.Begin(r.Context(), erase.Subject{Kind: kind, Text: r.PostFormValue("what")}, who(r), why)
	if err != nil && errs.KindOf(err) == errs.Invalid {
		return p.erasuresPage(w, r, err)
	}
	if err != nil {
		return err
	}
	p.site.Flash(w, r, web.Good, "rights.done")
	return p.site.Redirect(w, r, office+"/erasures")
}
