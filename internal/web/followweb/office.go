package followweb

import (
	"crypto/subtle"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"pressroom/internal/auth"
	"pressroom/internal/deliver"
	"pressroom/internal/deliver/bounce"
	"pressroom/internal/errs"
	"pressroom/internal/front"
	"pressroom/internal/web"
)

const (
	addresses = "/office/addresses"
	bounceMax = 5 << 20 // of a bounce with the whole letter in it
	shown     = 200     // addresses on a page
)

// office puts on the site where bounces are taken in, and where operators see the
// addresses that get nothing.
func (p *pages) office() {
	p.site.Nav(web.NavItem{Path: addresses, Key: "addresses.nav", Order: 8, Access: auth.Operator, Office: true})
	p.site.Route(front.Route{Pattern: "GET " + addresses, Access: auth.Operator, Desk: "addresses"}, p.suppressed)
	p.site.Route(front.Route{Pattern: "POST " + addresses + "/lift", Access: auth.Operator, Desk: "addresses"}, p.lift)
	p.site.Route(front.Route{Pattern: "POST /bounces/{token}", Access: auth.Everyone, MaxBody: bounceMax, Rate: front.Rate{PerSecond: 20, Burst: 200}}, p.bounce)
}

// bounce takes in a mail that came back, or a notification of Amazon SNS, from whoever has
// the token.
func (p *pages) bounce(w http.ResponseWriter, r *http.Request) error {
	if p.Bounces == nil || subtle.ConstantTimeCompare([]byte(r.PathValue("token")), []byte(p.BounceToken)) != 1 {
		return errs.NotFound
	}
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return errs.Wrap(err, errs.Malformed, "The request could not be read.")
	}
	var out bounce.Outcome
	if r.Header.Get("X-Amz-Sns-Message-Type") != "" {
		out, err = p.Bounces.Notice(r.Context(), raw)
	} else {
		out, err = p.Bounces.Mail(r.Context(), raw)
	}
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	return json.NewEncoder(w).Encode(out)
}

// officePage is the addresses that get nothing.
type officePage struct {
	Rows   []deliver.Suppression
	Bounce string // where bounces are taken in
	More   bool
}

func (p *pages) suppressed(w http.ResponseWriter, r *http.Request) error {
	data := officePage{}
	if p.Bounces != nil {
		data.Bounce = p.site.Absolute(r, "/bounces/"+p.BounceToken)
	}
	for _, channel := range deliver.Kinds {
		n := 0
		for s, err := range p.Ledger.Suppressions(r.Context(), channel) {
			if err != nil {
				return err
			}
			if n++; n > shown {
				data.More = true
				break
			}
			data.Rows = append(data.Rows, s)
		}
	}
	return p.site.Render(w, r, p.views, "addresses", web.Page{Title: p.site.T(r, "addresses.title"), NoIndex: true, Private: true, Data: data})
}

func (p *pages) lift(w http.ResponseWriter, r *http.Request) error {
	to := strings.TrimSpace(r.PostFormValue("address"))
	if err := p.Ledger.Unsuppress(r.Context(), r.PostFormValue("channel"), to); err != nil {
		return err
	}
	p.site.Flash(w, r, web.Good, "addresses.lifted")
	return p.site.Redirect(w, r, addresses)
}
