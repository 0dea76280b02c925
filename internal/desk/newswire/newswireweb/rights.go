package newswireweb

import (
	"net/http"

	"pressroom/internal/desk/newswire"
	"pressroom/internal/rights"
	"pressroom/internal/web"
)

// saidRow is something that a source says about the use of its pages.
type saidRow struct{ Quote, Where, Path, Since string }

func (p *pages) saidRows(r *http.Request, said []rights.Said) []saidRow {
	var rows []saidRow
	for _, s := range said {
		rows = append(rows, saidRow{s.Quote(), p.site.T(r, "rights.where."+string(s.Where)), s.Path, s.Since})
	}
	return rows
}

// ruleRow is something that can be done with an article, and whether it may be.
type ruleRow struct {
	Use     string
	Allowed bool
	Why     string
}

func (p *pages) ruleRows(r *http.Request, rulings []newswire.Ruling) []ruleRow {
	var rows []ruleRow
	for _, one := range rulings {
		row := ruleRow{Use: p.site.T(r, "rights.use."+string(one.Use)), Allowed: one.Allowed}
		if !one.Allowed || one.Because.Basis != rights.Quotation { // what everyone may do needs no reason
			row.Why = p.because(r, one.Because)
		}
		rows = append(rows, row)
	}
	return rows
}

// because is a reason in words.
func (p *pages) because(r *http.Request, why rights.Reason) string {
	where, quote := why.Args()
	if where == "" {
		return p.site.T(r, why.Key())
	}
	return p.site.T(r, why.Key(), p.site.T(r, where), quote)
}

// basisChoices are what operators choose from.
type basisChoices struct {
	Kinds, Licences []web.Choice
	Scopes          []web.Choice
}

func (p *pages) basisChoices(r *http.Request) basisChoices {
	all := basisChoices{Licences: []web.Choice{{Label: p.site.T(r, "newswire.basis.none")}}}
	for _, k := range rights.Kinds() {
		all.Kinds = append(all.Kinds, web.Choice{Value: string(k), Label: p.site.T(r, "rights.basis."+string(k))})
	}
	for _, l := range rights.Licences() {
		all.Licences = append(all.Licences, web.Choice{Value: l, Label: l})
	}
	for _, u := range rights.Scopes() {
		all.Scopes = append(all.Scopes, web.Choice{Value: string(u), Label: p.site.T(r, "rights.use."+string(u))})
	}
	return all
}

// readBasis reads the basis as it is typed.
func readBasis(r *http.Request) rights.Basis {
	b := rights.Basis{
		Kind: rights.Kind(r.PostFormValue("basis.kind")), Licence: r.PostFormValue("basis.licence"),
		From: r.PostFormValue("basis.from"), Until: r.PostFormValue("basis.until"),
	}
	for _, u := range rights.Scopes() {
		if r.PostFormValue("basis.scope."+string(u)) != "" {
			b.Scope = append(b.Scope, u)
		}
	}
	return b
}
