package lexiconweb

import (
	"net/http"

	"pressroom/internal/desk/lexicon"
	"pressroom/internal/web"
)

// states are the lists of moderators besides the queue, which has what is
// validated in the order of its worth.
var states = []string{lexicon.Pending, lexicon.Rejected, lexicon.AdminRejected, lexicon.AutoApproved, lexicon.AdminApproved}

// moderationPage is a list of proposals for moderators.
type moderationPage struct {
	State string // "" for the queue
	Tabs  []web.Tab
	Items []moderated
	Next  string
}

// moderated is a proposal with the names of those who had to do with it.
type moderated struct {
	lexicon.Submission
	By   string
	Tone web.Tone
	Path string
}

func (p *pages) moderation(w http.ResponseWriter, r *http.Request) error {
	state := r.URL.Query().Get("state")
	list, err := p.inState(r, state)
	if err != nil {
		return err
	}
	data := &moderationPage{State: state, Next: list.Next}
	data.Tabs = append(data.Tabs, web.Tab{Title: p.site.T(r, "lexicon.moderation.queue"), Path: "/lexicon/moderation", Current: state == ""})
	for _, s := range states {
		data.Tabs = append(data.Tabs, web.Tab{Title: p.site.T(r, "lexicon.state."+s), Path: "/lexicon/moderation?state=" + s, Current: state == s})
	}
	name := p.namer(r.Context())
	for _, s := range list.Items {
		by, err := name(s.UserID)
		if err != nil {
			return err
		}
		data.Items = append(data.Items, moderated{s, by, tones[s.Status], "/lexicon/moderation/" + s.ID})
	}
	return p.site.Render(w, r, p.views, "moderation", web.Page{
		Title: p.site.T(r, "lexicon.moderation.title"), NoIndex: true, Private: true, Data: data,
	})
}

func (p *pages) inState(r *http.Request, state string) (lexicon.Page[lexicon.Submission], error) {
	if state == "" {
		return p.desk.Queue(r.Context(), pageOf(r))
	}
	rows, err := p.desk.Submissions(r.Context(), state, pageOf(r))
	if err != nil {
		return lexicon.Page[lexicon.Submission]{}, err
	}
	all, err := p.desk.Whole(r.Context(), rows.Items)
	return lexicon.Page[lexicon.Submission]{Items: all, Next: rows.Next}, err
}
