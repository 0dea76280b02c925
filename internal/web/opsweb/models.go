package opsweb

import (
	"net/http"
	"net/url"
	"slices"

	"pressroom/internal/ops"
	"pressroom/internal/web"
)

// modelsPage is what language models were asked and cost.
type modelsPage struct {
	Tabs       []web.Tab
	Days       []dayRow
	Desks      []string
	Desk, Day  string
	Title      string // of the desk
	FailedOnly bool
	Filters    []web.Tab
	Calls      []callRow
	Next       string
	Spending   []spendingRow
}

// dayRow is a day with what each desk spent.
type dayRow struct {
	Day   string
	Desks []dayCell
	Calls int64
	Sum   string
}

type dayCell struct {
	Path, Spent string
	Calls       int64
	Failed      int64
	Tokens      int64
}

type callRow struct {
	ops.Call
	Took, Price string
}

// shownDays is how many days are on the page.
const shownDays = 14

func (p *pages) showModels(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	data := &modelsPage{Tabs: p.tabs(r, "models"), Desks: p.Desks, Desk: query.Get("desk"), Day: query.Get("day"), FailedOnly: query.Get("failed") != ""}
	spent, err := p.Ledger.Spent(r.Context(), shownDays)
	if err != nil {
		return err
	}
	data.Days = days(spent, p.Desks)
	if data.Desk == "" && len(p.Desks) > 0 {
		data.Desk = p.Desks[0]
	}
	if data.Day == "" {
		data.Day = p.Ledger.Today()
	}
	data.Title = p.deskName(r, data.Desk)
	if err := p.calls(r, data); err != nil {
		return err
	}
	for _, desk := range p.Desks {
		data.Filters = append(data.Filters, web.Tab{Title: p.deskName(r, desk), Path: callsPath(desk, data.Day, false), Current: desk == data.Desk && !data.FailedOnly})
	}
	data.Filters = append(data.Filters, web.Tab{Title: p.site.T(r, "ops.calls.failed"), Path: callsPath(data.Desk, data.Day, true), Current: data.FailedOnly})
	var all overviewPage
	p.money(r, p.Dashboard.Read(r.Context()), &all)
	data.Spending = all.Spending
	return p.render(w, r, "models", p.site.T(r, "ops.tab.models"), "", data)
}

func callsPath(desk, day string, failed bool) string {
	query := url.Values{"desk": {desk}, "day": {day}}
	if failed {
		query.Set("failed", "1")
	}
	return root + "/models?" + query.Encode() + "#calls"
}

func (p *pages) calls(r *http.Request, data *modelsPage) error {
	var found ops.Page[ops.Call]
	var err error
	switch {
	case data.Desk == "":
		return nil
	case data.FailedOnly:
		found, err = p.Ledger.FailedCalls(r.Context(), data.Desk, pageOf(r))
	default:
		found, err = p.Ledger.Calls(r.Context(), data.Desk, data.Day, pageOf(r))
	}
	if err != nil {
		return err
	}
	data.Next = found.Next
	for _, c := range found.Items {
		data.Calls = append(data.Calls, callRow{c, p.span(r, millis(c.Millis)), dollars(c.Cost.Dollars())})
	}
	return nil
}

// days puts what was spent into rows, the newest first, with a cell for each desk.
func days(spent []ops.Spend, desks []string) []dayRow {
	var rows []dayRow
	var sum ops.Money
	for _, s := range spent {
		if len(rows) == 0 || rows[len(rows)-1].Day != s.Day {
			rows = append(rows, dayRow{Day: s.Day, Desks: make([]dayCell, len(desks))})
			sum = 0
		}
		row := &rows[len(rows)-1]
		sum += s.Cost
		row.Sum = dollars(sum.Dollars())
		row.Calls += s.Calls
		if i := slices.Index(desks, s.Desk); i >= 0 {
			row.Desks[i] = dayCell{callsPath(s.Desk, s.Day, false), dollars(s.Cost.Dollars()), s.Calls, s.Failed, s.Input + s.Output}
		}
	}
	slices.Reverse(rows)
	return rows
}
