package blogweb

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"

	"pressroom/internal/auth"
	"pressroom/internal/desk/blog"
	"pressroom/internal/errs"
	"pressroom/internal/web"
)

// errAsk is an author who publishes where an editor should.
var errAsk = errs.New(errs.Conflict, "An editor publishes posts here. Save it, and ask for a review.")

// mayPublish reports whether whoever asks publishes without being asked.
func (p *pages) mayPublish(r *http.Request) bool {
	account := auth.From(r.Context())
	return !p.ask || account != nil && account.Role.Allows(auth.Moderator)
}

// around reads what stands around a post in the editor.
func (p *pages) around(r *http.Request, e *editorPage) error {
	e.Ask = !p.mayPublish(r)
	if e.ID == "" {
		return nil
	}
	ctx := r.Context()
	var err error
	if e.Plan, err = p.desk.PlanOf(ctx, e.ID); err != nil {
		return err
	}
	if e.Times == (planTimes{}) {
		e.Times = timesOf(e.Plan, p.site.Location())
	}
	proposal, there, err := p.desk.Proposed(ctx, e.ID)
	if there {
		e.Proposal = &proposal
	}
	if err != nil {
		return err
	}
	comments, err := p.desk.Comments(ctx, e.ID, blog.PageOptions{Limit: blog.MaxLimit})
	for _, c := range comments.Items {
		if c.Done == "" {
			e.Open++
		}
	}
	return err
}

// beat is what an editor's script says now and then.
type beat struct {
	Tab  string `json:"tab"`
	Gone bool   `json:"gone"`
}

// beaten is what it hears.
type beaten struct {
	Others  []string `json:"others"` // who else has the post open
	Version int      `json:"version"`
	By      string   `json:"by"` // who saved it
	Every   int      `json:"every"`
}

// here notes that somebody has a post open, and tells who else has, and who saved it.
func (p *pages) here(w http.ResponseWriter, r *http.Request) error {
	account := auth.From(r.Context())
	var b beat
	if err := json.NewDecoder(r.Body).Decode(&b); err != nil || account == nil {
		return errs.New(errs.Malformed, "The form could not be read.")
	}
	id, who := r.PathValue("id"), blog.Present{Person: account.ID, Tab: b.Tab, Name: account.Name}
	if b.Gone {
		if err := p.desk.Gone(r.Context(), id, who); err != nil {
			return err
		}
		return answerJSON(w, http.StatusOK, beaten{Others: []string{}})
	}
	others, err := p.desk.Here(r.Context(), id, who)
	if err != nil {
		return err
	}
	answer := beaten{Others: []string{}, Every: int(blog.PresenceBeat / time.Second)}
	for _, o := range others {
		name := o.Name
		if o.Person == account.ID {
			name = p.site.T(r, "blog.here.you")
		}
		if !slices.Contains(answer.Others, name) {
			answer.Others = append(answer.Others, name)
		}
	}
	if answer.Version, answer.By, err = p.desk.LastSave(r.Context(), id); err != nil {
		return err
	}
	if answer.By == "" {
		answer.By = p.site.T(r, "blog.someone")
	}
	return answerJSON(w, http.StatusOK, answer)
}

// planTimes are the times of a plan as the form has them.
type planTimes struct{ Publish, Withdraw string }

func timesOf(plan blog.Plan, zone *time.Location) planTimes {
	show := func(t time.Time) string {
		if t.IsZero() {
			return ""
		}
		return t.In(zone).Format(localTime)
	}
	return planTimes{show(plan.PublishAt), show(plan.WithdrawAt)}
}

// setPlan plans the publication and withdrawal of a post, or calls it off.
func (p *pages) setPlan(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("id")
	times := planTimes{r.PostFormValue("publish_at"), r.PostFormValue("withdraw_at")}
	if r.PostFormValue("do") == "cancel" {
		times = planTimes{}
	}
	err := p.plan(r, id, times)
	if err == nil {
		word := "blog.plan.done"
		if times == (planTimes{}) {
			word = "blog.plan.cancelled"
		}
		p.site.Flash(w, r, web.Good, word)
		return p.site.Redirect(w, r, editPath(id))
	}
	if kind := errs.KindOf(err); kind != errs.Invalid && kind != errs.Conflict {
		return err
	}
	post, getErr := p.desk.Get(r.Context(), id)
	if getErr != nil {
		return getErr
	}
	return p.showEditor(w, r, editorPage{ID: post.ID, Status: post.Status, draft: draftOf(post, p.site.Location()), Times: times}, err)
}

func (p *pages) plan(r *http.Request, id string, times planTimes) error {
	var plan blog.Plan
	var wrong []errs.Field
	for name, at := range map[string]struct {
		text string
		into *time.Time
	}{"publish_at": {times.Publish, &plan.PublishAt}, "withdraw_at": {times.Withdraw, &plan.WithdrawAt}} {
		if at.text == "" {
			continue
		}
		var err error
		if *at.into, err = time.ParseInLocation(localTime, at.text, p.site.Location()); err != nil {
			wrong = append(wrong, errs.Field{Name: name, Message: "is not a date and a time"})
		}
	}
	if len(wrong) > 0 {
		return errs.Validation(wrong...)
	}
	if !plan.PublishAt.IsZero() && !p.mayPublish(r) {
		return errAsk
	}
	return p.desk.SetPlan(r.Context(), id, plan)
}

// reviewPage is a post with what was said of it.
type reviewPage struct {
	Post     blog.Post
	Proposal *blog.Proposal
	Blocks   []said
	Others   []blog.Comment // of the post, or of blocks that have changed
	Ask      bool
}

// said is a block with what was said of it.
type said struct {
	blog.Block
	Number   int
	Comments []blog.Comment
}

// Path is the post's own.
func (p reviewPage) Path() string { return editPath(p.Post.ID) }

func (p *pages) showReview(w http.ResponseWriter, r *http.Request) error {
	return p.reviewPage(w, r, nil)
}

func (p *pages) reviewPage(w http.ResponseWriter, r *http.Request, problem error) error {
	ctx := r.Context()
	post, err := p.desk.Get(ctx, r.PathValue("id"))
	if err != nil {
		return err
	}
	data := reviewPage{Post: post, Ask: !p.mayPublish(r)}
	proposal, there, err := p.desk.Proposed(ctx, post.ID)
	if there {
		data.Proposal = &proposal
	}
	if err != nil {
		return err
	}
	for i, b := range post.Blocks {
		data.Blocks = append(data.Blocks, said{Block: b, Number: i + 1})
	}
	for o := (blog.PageOptions{Limit: blog.MaxLimit}); ; {
		page, err := p.desk.Comments(ctx, post.ID, o)
		if err != nil {
			return err
		}
		for _, c := range page.Items {
			if c.Block > 0 {
				data.Blocks[c.Block-1].Comments = append(data.Blocks[c.Block-1].Comments, c)
			} else {
				data.Others = append(data.Others, c)
			}
		}
		if o.Cursor = page.Next; o.Cursor == "" {
			break
		}
	}
	page := web.Page{Title: p.site.T(r, "blog.review.title", post.Title), NoIndex: true, Private: true, Problem: problem, Data: data}
	if problem != nil {
		page.Status = web.StatusOf(problem)
	}
	return p.site.Render(w, r, p.office, "review", page)
}

// propose asks an editor to publish a post, or no longer does.
func (p *pages) propose(w http.ResponseWriter, r *http.Request) error {
	id, word := r.PathValue("id"), "blog.review.asked"
	var err error
	if r.PostFormValue("do") == "back" {
		word = "blog.review.taken"
		err = p.desk.Decline(r.Context(), id, r.PostFormValue("note"))
	} else {
		err = p.desk.Propose(r.Context(), id, r.PostFormValue("note"))
	}
	return p.said(w, r, word, err)
}

func (p *pages) comment(w http.ResponseWriter, r *http.Request) error {
	block, err := strconv.Atoi(r.PostFormValue("block"))
	if err != nil {
		return errs.Wrap(err, errs.Malformed, "The form could not be read.")
	}
	_, err = p.desk.AddComment(r.Context(), r.PathValue("id"), block, r.PostFormValue("text"))
	return p.said(w, r, "blog.comment.added", err)
}

func (p *pages) settleComment(w http.ResponseWriter, r *http.Request) error {
	return p.said(w, r, "blog.comment.settled", p.desk.SettleComment(r.Context(), r.PathValue("id"), r.PathValue("comment")))
}

// said goes back to the review with a word, or with what is wrong.
func (p *pages) said(w http.ResponseWriter, r *http.Request, word string, err error) error {
	if errors.Is(err, errs.Invalid) || errors.Is(err, errs.Conflict) {
		return p.reviewPage(w, r, err)
	}
	if err != nil {
		return err
	}
	p.site.Flash(w, r, web.Good, word)
	return p.site.Redirect(w, r, editPath(r.PathValue("id"))+"/review")
}
