package blogweb

import (
	"cmp"
	"encoding/json"
	"errors"
	"html/template"
	"net/http"
	"strconv"
	"strings"
	"time"

	"pressroom/internal/auth"
	"pressroom/internal/desk/blog"
	"pressroom/internal/errs"
	"pressroom/internal/web"
)

// editorPage is a post with everything that the editor shows around it.
type editorPage struct {
	draft
	ID       string // "" for a new post
	Status   blog.Status
	Stale    bool           // someone else saved it since
	Unsaved  *blog.Autosave // what this editor typed and did not save
	Link     string         // a preview link that was just made
	LinkEnds time.Time
	Kinds    []blog.Kind
	Written  template.HTML // the blocks, or the first of many
	Rest     template.HTML // the others
	More     int           // how many these are
	Blank    template.HTML // one for the script
	Account  string        // under which the browser keeps unsaved text
	Plan     blog.Plan
	Times    planTimes // as the form has them
	Proposal *blog.Proposal
	Open     int  // comments that are not settled
	Ask      bool // whoever is here asks an editor to publish
	ZoneName string
}

// Key is the post's name where unsaved work is kept.
func (e editorPage) Key() string {
	if e.ID == "" {
		return unsavedNew
	}
	return e.ID
}

// NoAlt reports whether the cover lacks a description.
func (e editorPage) NoAlt() bool {
	return len(blog.Content{Facts: e.Facts}.Undescribed()) > 0
}

// formFact is a fact in the form.
type formFact struct {
	blog.Fact
	Text string
}

// Input is what the fact is typed into.
func (f formFact) Input() string {
	if f.Kind == "text" {
		return "textarea"
	}
	return "text"
}

// Form are the facts that the form shows first, or the others.
func (e editorPage) Form(first bool) (facts []formFact) {
	for fact, text := range e.All {
		if fact.Is("first") == first {
			facts = append(facts, formFact{fact, *text})
		}
	}
	return facts
}

// unsavedNew is the key of a post that does not exist yet.
const unsavedNew = "new"

// Action is where the form is sent.
func (e editorPage) Action() string {
	if e.ID == "" {
		return "/office/blog/posts"
	}
	return editPath(e.ID)
}

// pickWidth is how wide pictures in the editor and the library are.
const pickWidth = 320

func (p *pages) newPost(w http.ResponseWriter, r *http.Request) error {
	account := auth.From(r.Context())
	e := editorPage{Status: blog.Draft}
	if account != nil {
		e.Author = account.Name
	}
	e.Blocks = []blog.Block{{Type: blog.Text, Layout: blog.Full}}
	return p.openEditor(w, r, e)
}

func (p *pages) editPost(w http.ResponseWriter, r *http.Request) error {
	post, err := p.desk.Get(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	return p.openEditor(w, r, editorPage{ID: post.ID, Status: post.Status, draft: draftOf(post, p.site.Location())})
}

// openEditor shows a post as it is saved, or with the unsaved work on it if the
// address asks for that.
func (p *pages) openEditor(w http.ResponseWriter, r *http.Request, e editorPage) error {
	if account := auth.From(r.Context()); account != nil {
		kept, err := p.desk.GetAutosave(r.Context(), e.ID, account.ID)
		switch {
		case errors.Is(err, errs.NotFound):
		case err != nil:
			return err
		case r.URL.Query().Get("unsaved") != "":
			e.draft = draftOf(blog.Post{Content: kept.Content, Version: kept.Version}, p.site.Location())
		default:
			e.Unsaved = &kept
		}
	}
	return p.showEditor(w, r, e, nil)
}

var (
	kinds   = []blog.Kind{blog.Text, blog.Image, blog.Code, blog.Quote, blog.Video}
	layouts = []blog.Layout{blog.Full, blog.HalfLeft, blog.HalfRight}
)

// showAll is the query that asks for the fields of all blocks, however many.
const showAll = "?all=1"

// write writes the form's blocks. One that was sent without the script is shown with
// all of them, because whoever sent it may have no script.
func (e *editorPage) write(w *blockWriter, r *http.Request) (err error) {
	first := e.Blocks
	if len(first) > wholeBlocks && r.Method == http.MethodGet && r.URL.Query().Get("all") == "" {
		first = first[:firstBlocks]
		e.More = len(e.Blocks) - len(first)
		if e.Rest, err = w.rest(e.Blocks[firstBlocks:]); err != nil {
			return err
		}
	}
	e.Kinds, e.Written, e.Blank = kinds, w.all(first), w.blank()
	return nil
}

func (p *pages) showEditor(w http.ResponseWriter, r *http.Request, e editorPage, problem error) error {
	if err := e.write(p.newBlockWriter(r), r); err != nil {
		return err
	}
	if account := auth.From(r.Context()); account != nil {
		e.Account = account.ID
	}
	e.ZoneName = p.site.Location().String()
	if err := p.around(r, &e); err != nil {
		return err
	}
	page := web.Page{Title: p.site.T(r, "blog.editor.new"), NoIndex: true, Private: true, Problem: problem, Block: "trouble", Data: e}
	if e.ID != "" {
		page.Title = p.site.T(r, "blog.editor.title", e.Title)
	}
	if problem != nil {
		page.Status = web.StatusOf(problem)
	}
	allowPictures(w)
	return p.site.Render(w, r, p.office, "editor", page)
}

// savePost does what the editor's buttons say: it saves, and then publishes,
// unpublishes or archives; or, without the script, it moves a block and shows the
// form again.
func (p *pages) savePost(w http.ResponseWriter, r *http.Request) error {
	d, err := readDraft(r)
	if err != nil {
		return err
	}
	e := editorPage{ID: r.PathValue("id"), Status: blog.Draft, draft: d}
	var now blog.Post
	if e.ID != "" {
		if now, err = p.desk.Get(r.Context(), e.ID); err != nil {
			return err
		}
		e.Status = now.Status
	}
	if e.arrange() {
		return p.showEditor(w, r, e, nil)
	}
	post, with, err := p.keep(r, e, now)
	if err != nil {
		return p.refuse(w, r, e, err)
	}
	if account := auth.From(r.Context()); account != nil {
		if err := p.desk.DropAutosave(r.Context(), e.ID, account.ID); err != nil {
			return err
		}
	}
	var undescribed []string
	if d.Do == "publish" {
		undescribed = post.Undescribed()
	}
	if d.script {
		s := p.savedOf(post, with)
		s.Undescribed = undescribed
		return answerJSON(w, http.StatusOK, s)
	}
	if undescribed != nil {
		p.site.Flash(w, r, web.Warn, "blog.undescribed", strconv.Itoa(len(undescribed)))
	} else if with != nil {
		p.site.Flash(w, r, web.Good, "blog.merged", p.names(r, with))
	} else {
		p.site.Flash(w, r, web.Good, "blog.done."+stateKey(d.Do))
	}
	next := editPath(post.ID)
	if d.whole && len(post.Blocks) > wholeBlocks {
		next += showAll
	}
	return p.site.Redirect(w, r, next)
}

// refuse shows the form again, with what was typed and what is wrong.
func (p *pages) refuse(w http.ResponseWriter, r *http.Request, e editorPage, err error) error {
	var clash *blog.ClashError
	if e.script && errors.As(err, &clash) {
		return answerJSON(w, http.StatusPreconditionFailed, p.clashOf(r, clash))
	}
	switch errs.KindOf(err) {
	case errs.Invalid, errs.TooLarge, errs.Conflict:
	case errs.Stale:
		e.Stale = true
	default:
		return err
	}
	return p.showEditor(w, r, e, err)
}

// keep saves the draft and moves the post into the state that the button asks
// for. With "overwrite" the editor has seen that someone else saved.
func (p *pages) keep(r *http.Request, e editorPage, now blog.Post) (post blog.Post, with []string, err error) {
	content, err := e.content(p.site.Location())
	if err != nil {
		return blog.Post{}, nil, err
	}
	if e.Do == "publish" && !p.mayPublish(r) {
		return blog.Post{}, nil, errAsk
	}
	keepSeconds(&content, now.PublishedAt)
	if strings.TrimSpace(content.Summary) == "" {
		content.Summary = opening(content).Summarise()
	}
	version := e.Version
	if e.Do == "overwrite" {
		version = now.Version
	}
	ctx := r.Context()
	if e.ID == "" {
		post, err := p.desk.Create(ctx, content)
		if err == nil && e.Do == "publish" {
			post, err = p.desk.Publish(ctx, post.ID, post.Version)
		}
		return post, nil, err
	}
	// What goes out of sight goes first, so that readers do not see the last
	// changes on the way.
	if hidden, ok := hides[e.Do]; ok {
		if err := content.Validate(); err != nil {
			return blog.Post{}, nil, err
		}
		post, err := p.desk.SetStatus(ctx, e.ID, version, hidden)
		if err != nil {
			return post, nil, err
		}
		version = post.Version
	}
	post, with, err = p.desk.SaveMerged(ctx, e.ID, version, content)
	if err == nil && e.Do == "publish" {
		post, err = p.desk.Publish(ctx, post.ID, post.Version)
	}
	return post, with, err
}

// opening is the first paragraph of a post, which sums up better than its first
// lines with headings and captions between them; all of it if there is none.
func opening(c blog.Content) blog.Content {
	for _, b := range c.Blocks {
		if b.Type != blog.Text {
			continue
		}
		for paragraph := range strings.SplitSeq(strings.ReplaceAll(b.Content, "\r\n", "\n"), "\n\n") {
			first := blog.Content{Blocks: []blog.Block{{Type: blog.Text, Content: paragraph}}}
			if !strings.HasPrefix(strings.TrimSpace(paragraph), "#") && first.Text() != "" {
				return first
			}
		}
	}
	return c
}

// hides are the buttons that take a post from readers.
var hides = map[string]blog.Status{"unpublish": blog.Draft, "archive": blog.Archived}

// stateKey names what a button did, for the words about it.
func stateKey(do string) string {
	switch do {
	case "publish", "unpublish", "archive":
		return do
	}
	return "save"
}

// saved is what the script is told after a save.
type saved struct {
	ID        string      `json:"id"`
	Version   int         `json:"version"`
	Status    blog.Status `json:"status"`
	UpdatedAt time.Time   `json:"updated_at"`
	Summary   string      `json:"summary"`
	Published string      `json:"published_at"`
	Edit      string      `json:"edit"` // path of the editor
	Read      string      `json:"read"` // path for readers
	Slug      string      `json:"slug"`
	// Undescribed are the pictures without a description, if the post was just published.
	Undescribed []string `json:"undescribed,omitempty"`
	Merged      *merged  `json:"merged,omitempty"` // if others saved meanwhile
}

// merged is a draft that two people wrote.
type merged struct {
	With []string `json:"with"`
	draft
}

func (p *pages) savedOf(post blog.Post, with []string) saved {
	d := draftOf(post, p.site.Location())
	s := saved{
		ID: post.ID, Version: post.Version, Status: post.Status, UpdatedAt: post.UpdatedAt,
		Summary: post.Summary, Published: d.Published, Edit: editPath(post.ID), Read: postPath(cmp.Or(post.Slug, post.ID)), Slug: post.Slug,
	}
	if with != nil {
		s.Merged = &merged{with, d}
	}
	return s
}

// clashing is what the script is told if two people changed the same.
type clashing struct {
	By      string       `json:"by"`
	Version int          `json:"version"`
	Merged  draft        `json:"merged"`
	Clashes []blog.Clash `json:"clashes"`
}

func (p *pages) clashOf(r *http.Request, e *blog.ClashError) clashing {
	by := e.By
	if by == "" {
		by = p.site.T(r, "blog.someone")
	}
	return clashing{by, e.Version, draftOf(blog.Post{Content: e.Merged, Version: e.Version}, p.site.Location()), e.Clashes}
}

// names lists people, as far as they are known.
func (p *pages) names(r *http.Request, with []string) string {
	shown := make([]string, len(with))
	for i, name := range with {
		if shown[i] = name; name == "" {
			shown[i] = p.site.T(r, "blog.someone")
		}
	}
	return strings.Join(shown, ", ")
}

func answerJSON(w http.ResponseWriter, status int, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "private, no-store")
	w.WriteHeader(status)
	_, _ = w.Write(data)
	return nil
}

// renderDraft answers with the article that a draft would be.
func (p *pages) renderDraft(w http.ResponseWriter, r *http.Request) error {
	d, err := readDraft(r)
	if err != nil {
		return err
	}
	content, _ := d.content(p.site.Location()) // a date that is none yet does not keep it from being shown
	a, err := p.desk.Render(r.Context(), content)
	if err != nil {
		return err
	}
	allowPictures(w)
	return p.site.Render(w, r, p.office, "draft", web.Page{
		Title: content.Title, NoIndex: true, Private: true, Block: "draft", Data: draftPage{newPostPage(a, p.site.Lang(r)), d.From},
	})
}

// draftPage is a draft as readers would see it.
type draftPage struct {
	postPage
	From int // the number of its first block if it is a stretch of a long post
}

// keepUnsaved keeps what the script sends from time to time.
func (p *pages) keepUnsaved(w http.ResponseWriter, r *http.Request) error {
	d, err := readDraft(r)
	if err != nil {
		return err
	}
	content, _ := d.content(p.site.Location())
	kept, err := p.desk.PutAutosave(r.Context(), blog.Autosave{
		PostID: unsavedID(r), Editor: auth.From(r.Context()).ID, Version: d.Version, Content: content,
	})
	if err != nil {
		return err
	}
	return answerJSON(w, http.StatusOK, map[string]any{"saved_at": kept.SavedAt})
}

func unsavedID(r *http.Request) string {
	if id := r.PathValue("id"); id != unsavedNew {
		return id
	}
	return ""
}

func (p *pages) dropUnsaved(w http.ResponseWriter, r *http.Request) error {
	id := unsavedID(r)
	if err := p.desk.DropAutosave(r.Context(), id, auth.From(r.Context()).ID); err != nil {
		return err
	}
	if id == "" {
		return p.site.Redirect(w, r, "/office/blog/new")
	}
	return p.site.Redirect(w, r, editPath(id))
}

// makeLink makes a preview link and shows it.
func (p *pages) makeLink(w http.ResponseWriter, r *http.Request) error {
	post, err := p.desk.Get(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	token, expires, err := p.desk.PreviewToken(r.Context(), post.ID, 0)
	if err != nil {
		return err
	}
	link := p.site.Absolute(r, "/blog/preview/"+token)
	if r.Header.Get("HX-Request") == "true" {
		return answerJSON(w, http.StatusOK, map[string]any{"url": link, "expires_at": expires})
	}
	return p.showEditor(w, r, editorPage{ID: post.ID, Status: post.Status, draft: draftOf(post, p.site.Location()), Link: link, LinkEnds: expires}, nil)
}
