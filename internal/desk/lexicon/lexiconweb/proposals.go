package lexiconweb

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"pressroom/internal/auth"
	"pressroom/internal/desk/lexicon"
	"pressroom/internal/errs"
	"pressroom/internal/web"
)

// proposalView is a proposal as whoever looks may see it.
type proposalView struct {
	lexicon.Submission
	Mine  bool
	Voted bool
	All   bool // its author or a moderator looks, who may read why it was decided so
	Tone  web.Tone
	Path  string
	Entry string // the term's page, once it is one
}

// tones are how the states of a proposal are meant.
var tones = map[string]web.Tone{
	lexicon.Pending: web.Note, lexicon.Validated: web.Warn, lexicon.AutoApproved: web.Good, lexicon.AdminApproved: web.Good,
	lexicon.Rejected: web.Bad, lexicon.AdminRejected: web.Bad,
}

// viewOf returns what a reader sees of a proposal; NotFound if nothing.
func (p *pages) viewOf(ctx context.Context, userID string, s lexicon.Submission) (proposalView, error) {
	v := proposalView{Submission: s, Mine: s.UserID == userID, Tone: tones[s.Status], Path: "/lexicon/proposals/" + s.ID}
	v.All = v.Mine || auth.RoleOf(ctx).Allows(auth.Moderator)
	if !v.All && s.Status != lexicon.Validated && !s.Approved() {
		return v, errs.NotFound
	}
	if s.Approved() {
		v.Entry = termPath(s.Slug)
	}
	v.Voted = slices.Contains(s.UpvotedBy, userID)
	if !v.Voted && len(s.UpvotedBy) < s.Upvotes { // not all voters are named
		var err error
		if v.Voted, err = p.desk.Voted(ctx, userID, &s); err != nil {
			return v, err
		}
	}
	return v, nil
}

// proposalsPage is a list of proposals.
type proposalsPage struct {
	Mine      bool
	Proposals []*proposalView
	Next      string
	Limits    lexicon.Limits
}

// proposals is the list to vote on.
func (p *pages) proposals(w http.ResponseWriter, r *http.Request) error {
	return p.proposalList(w, r, false, func(string) (lexicon.Page[lexicon.Submission], error) {
		return p.desk.Queue(r.Context(), pageOf(r))
	})
}

// mine is a reader's own proposals, with what became of them and why.
func (p *pages) mine(w http.ResponseWriter, r *http.Request) error {
	return p.proposalList(w, r, true, func(userID string) (lexicon.Page[lexicon.Submission], error) {
		return p.desk.SubmissionsOf(r.Context(), userID, pageOf(r))
	})
}

func (p *pages) proposalList(w http.ResponseWriter, r *http.Request, mine bool, load func(userID string) (lexicon.Page[lexicon.Submission], error)) error {
	m, err := p.member(r)
	if err != nil {
		return err
	}
	list, err := load(m.UserID)
	if err != nil {
		return err
	}
	data := &proposalsPage{Mine: mine, Next: list.Next, Limits: p.desk.Limits(m.Tier)}
	for _, s := range list.Items {
		v, err := p.viewOf(r.Context(), m.UserID, s)
		if errors.Is(err, errs.NotFound) {
			continue // decided since the list was read
		}
		if err != nil {
			return err
		}
		data.Proposals = append(data.Proposals, &v)
	}
	key := "lexicon.proposals.title"
	if mine {
		key = "lexicon.mine.title"
	}
	return p.site.Render(w, r, p.views, "proposals", web.Page{Title: p.site.T(r, key), NoIndex: true, Private: true, Data: data})
}
