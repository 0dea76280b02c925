package followweb

import (
	"crypto/rand"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"

	"pressroom/internal/auth"
	"pressroom/internal/deliver"
	"pressroom/internal/errs"
	"pressroom/internal/follow"
	"pressroom/internal/front"
	"pressroom/internal/story"
	"pressroom/internal/web"
)

const (
	letterRoot   = "/newsletters"
	letterOffice = "/office/newsletters"
	lettersShown = 50 // on a page
	offered      = 40 // stories that an editor chooses from, besides those that are chosen
)

// newsletters puts on the site those that were sent, and where editors make them.
func (p *pages) newsletters() {
	p.site.Nav(web.NavItem{Path: letterRoot, Key: "letters.nav", Foot: true})
	p.site.Nav(web.NavItem{Path: letterOffice, Key: "letters.office", Order: 9, Access: auth.Moderator, Office: true})
	p.site.Get(letterRoot, auth.Everyone, p.listLetters)
	p.site.Get(letterRoot+"/{id}", auth.Everyone, p.showLetter)
	for pattern, h := range map[string]web.Handler{
		"GET " + letterOffice: p.officeLetters, "POST " + letterOffice: p.newLetter,
		"GET " + letterOffice + "/{id}/preview": p.previewLetter,
		"GET " + letterOffice + "/{id}":         p.editLetter, "POST " + letterOffice + "/{id}": p.changeLetter,
	} {
		p.site.Route(front.Route{Pattern: pattern, Access: auth.Moderator, Desk: "newsletters"}, h)
	}
}

func (p *pages) listLetters(w http.ResponseWriter, r *http.Request) error {
	all, err := p.Follows.Letters(r.Context(), follow.Mailed, lettersShown)
	if err != nil {
		return err
	}
	return p.site.Render(w, r, p.views, "letters", web.Page{Title: p.site.T(r, "letters.title"), Description: p.site.T(r, "letters.lead"), Data: all})
}

// letterPage is a newsletter on the web. Its stories are as they are now: of one that was
// withdrawn nothing is left.
type letterPage struct {
	follow.Letter
	Paragraphs []string
	Stories    []web.Story
	Gone       int
}

func (p *pages) showLetter(w http.ResponseWriter, r *http.Request) error {
	l, err := p.Follows.Letter(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	if l.State != follow.Mailed {
		return errs.NotFound
	}
	cards, err := p.Matcher.Stories.Get(r.Context(), l.Refs()...)
	if err != nil {
		return err
	}
	data := letterPage{Letter: l, Paragraphs: l.Paragraphs(), Gone: len(l.Stories) - len(cards)}
	for i := range cards {
		data.Stories = append(data.Stories, p.site.Found(p.site.Lang(r), &cards[i]))
	}
	return p.site.Render(w, r, p.views, "letter", web.Page{Title: l.Title, Data: data})
}

// officeLetters is what editors see of newsletters.
func (p *pages) officeLetters(w http.ResponseWriter, r *http.Request) error {
	return p.renderLetters(w, r, nil)
}

func (p *pages) renderLetters(w http.ResponseWriter, r *http.Request, problem error) error {
	var all []follow.Letter
	for _, state := range []follow.LetterState{follow.Draft, follow.Scheduled, follow.Mailing, follow.Mailed} {
		some, err := p.Follows.Letters(r.Context(), state, lettersShown)
		if err != nil {
			return err
		}
		all = append(all, some...)
	}
	page := web.Page{Title: p.site.T(r, "letters.office"), NoIndex: true, Private: true, Problem: problem, Data: all}
	if problem != nil {
		page.Status = web.StatusOf(problem)
	}
	return p.site.Render(w, r, p.views, "letteroffice", page)
}

func (p *pages) newLetter(w http.ResponseWriter, r *http.Request) error {
	l, err := p.Follows.NewLetter(r.Context(), follow.Letter{Title: r.PostFormValue("title"), By: auth.NameOf(r.Context())})
	if errors.Is(err, errs.Invalid) {
		return p.renderLetters(w, r, err)
	}
	if err != nil {
		return err
	}
	return p.site.Redirect(w, r, letterOffice+"/"+l.ID)
}

// editPage is a newsletter as its editor sees it.
type editPage struct {
	follow.Letter
	SegmentText string
	Offered     []offer
	Preview     string
	Zone        string // of the paper
	Due         string // by the paper's clock; "" if it is not scheduled
	Recipients  int
	Counts      []count
	Open        bool // it can be changed
}

type offer struct {
	Ref, Title, Lang string
	Chosen           bool
}

type count struct {
	State deliver.State
	N     int
}

func (p *pages) editLetter(w http.ResponseWriter, r *http.Request) error {
	l, err := p.Follows.Letter(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	return p.renderLetter(w, r, &l, nil)
}

func (p *pages) renderLetter(w http.ResponseWriter, r *http.Request, l *follow.Letter, problem error) error {
	data := editPage{Letter: *l, Open: l.State == follow.Draft || l.State == follow.Scheduled, Zone: p.site.Location().String()}
	if l.State == follow.Scheduled {
		data.Due = story.Time(l.At).In(p.site.Location()).Format(follow.LocalTime)
	}
	for _, s := range l.Segment {
		data.SegmentText += s.Kind + " " + s.Name + "\n"
	}
	chosen, err := p.Matcher.Stories.Get(r.Context(), l.Refs()...)
	if err != nil {
		return err
	}
	latest, err := p.Matcher.Stories.List(r.Context(), story.Listing{Desks: p.Matcher.Desks, Limit: offered})
	if err != nil {
		return err
	}
	for i, st := range slices.Concat(chosen, latest.Items) {
		o := offer{Ref: st.Ref.String(), Title: st.Title, Lang: st.Language, Chosen: i < len(chosen)}
		if !slices.ContainsFunc(data.Offered, func(has offer) bool { return has.Ref == o.Ref }) {
			data.Offered = append(data.Offered, o)
		}
	}
	to, err := p.Follows.Recipients(r.Context(), l)
	if err != nil {
		return err
	}
	data.Recipients = len(to)
	sample, err := p.Sample(r.Context(), l, "", p.site.Lang(r))
	var unwanted *deliver.Unwanted
	switch {
	case err == nil:
		data.Preview = sample.Text
	case !errors.As(err, &unwanted): // without stories there is nothing to see
		return err
	}
	if !data.Open {
		counts := map[deliver.State]int{}
		for d, err := range p.Ledger.About(r.Context(), l.Ref()) {
			if err != nil {
				return err
			}
			counts[d.State]++
		}
		for _, state := range []deliver.State{deliver.Sent, deliver.Waiting, deliver.Sending, deliver.Dropped, deliver.Failed} {
			data.Counts = append(data.Counts, count{state, counts[state]})
		}
	}
	page := web.Page{Title: l.Title, NoIndex: true, Private: true, Problem: problem, Data: data}
	if problem != nil {
		page.Status = web.StatusOf(problem)
	}
	return p.site.Render(w, r, p.views, "letteredit", page)
}

// framed is the Content-Security-Policy of a letter, which is shown in a frame of the page
// that it is edited on: its styles stand in it, and it does nothing.
const framed = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"

// previewLetter is a newsletter as a mail program shows it.
func (p *pages) previewLetter(w http.ResponseWriter, r *http.Request) error {
	l, err := p.Follows.Letter(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	m, err := p.Sample(r.Context(), &l, "", p.site.Lang(r))
	var unwanted *deliver.Unwanted
	if errors.As(err, &unwanted) {
		return errs.NotFound
	}
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", framed)
	h.Set("X-Frame-Options", "SAMEORIGIN")
	h.Set("Cache-Control", "private, no-store")
	_, err = io.WriteString(w, m.HTML)
	return err
}

// changeLetter saves what the form says, and then does what its button says.
func (p *pages) changeLetter(w http.ResponseWriter, r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		return errs.Wrap(err, errs.Malformed, "The form could not be read.")
	}
	id, do := r.PathValue("id"), r.PostFormValue("do")
	if do == "delete" {
		if err := p.Follows.DeleteLetter(r.Context(), id); err != nil {
			return err
		}
		p.site.Flash(w, r, web.Good, "letters.deleted")
		return p.site.Redirect(w, r, letterOffice)
	}
	tried := follow.Letter{ID: id, State: follow.Draft}
	l, err := p.Follows.ChangeLetter(r.Context(), id, func(l *follow.Letter) error {
		l.Title, l.Intro, l.By = r.PostFormValue("title"), r.PostFormValue("intro"), auth.NameOf(r.Context())
		l.Stories, l.Segment = r.PostForm["story"], segment(r.PostFormValue("segment"))
		tried = *l
		return nil
	})
	if errors.Is(err, errs.Invalid) {
		return p.renderLetter(w, r, &tried, err)
	}
	if err != nil {
		return err
	}
	words := []string{"letters.saved"}
	switch do {
	case "test":
		account := auth.From(r.Context())
		if account == nil || account.Email == "" || !account.Confirmed {
			return p.renderLetter(w, r, &l, errs.New(errs.Invalid, "Confirm your address first; the test goes there."))
		}
		m, err := p.Sample(r.Context(), &l, account.Email, p.site.Lang(r))
		var unwanted *deliver.Unwanted
		if errors.As(err, &unwanted) {
			return p.renderLetter(w, r, &l, errs.Validation(errs.Field{Name: "stories", Message: "are missing"}))
		}
		if err != nil {
			return err
		}
		m.ID = strings.ToLower(rand.Text())
		if err := p.Mail.Send(r.Context(), m); err != nil {
			return errs.Wrap(err, errs.Unavailable, "The mail server cannot be reached. Try again in a while.")
		}
		words = []string{"letters.tested", account.Email}
	case "schedule":
		at, err := follow.ParseTime(r.PostFormValue("at"), p.site.Location(), p.Now())
		if err != nil {
			return p.renderLetter(w, r, &l, err)
		}
		if _, err := p.Follows.Schedule(r.Context(), id, auth.NameOf(r.Context()), at); errors.Is(err, errs.Invalid) {
			return p.renderLetter(w, r, &l, err)
		} else if err != nil {
			return err
		}
		words = []string{"letters.scheduled"}
	}
	p.site.Flash(w, r, web.Good, words[0], words[1:]...)
	return p.site.Redirect(w, r, letterOffice+"/"+id)
}

// segment reads kinds and names, one a line.
func segment(text string) []follow.Subject {
	var all []follow.Subject
	for line := range strings.Lines(text) {
		kind, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		if kind != "" {
			all = append(all, follow.Subject{Kind: kind, Name: strings.TrimSpace(name)})
		}
	}
	return all
}
