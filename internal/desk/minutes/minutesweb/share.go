package minutesweb

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"

	"pressroom/internal/desk/minutes"
	"pressroom/internal/errs"
	"pressroom/internal/web"
)

// shareRow is somebody's share, or a party's, of what was said and of what is told. The parts
// are per cent.
type shareRow struct {
	Name, Group, Path string
	Speech, Text      int
}

// shareTable is shares of parties, or of people, that add up to all.
type shareTable struct {
	Key  string // of the names' heading
	Rows []shareRow
	Of   int // how many there are; Rows has the longest speakers
}

// shownShares is how many rows a table has at most.
const shownShares = 100

// shareTables are who spoke and who is told, by party and by person; nil if nobody spoke, or
// nothing is told.
func (p *pages) shareTables(r *http.Request, assembly string, people []minutes.Share) []shareTable {
	speech, text := 0, 0
	for _, s := range people {
		speech, text = speech+s.Speech, text+s.Text
	}
	if speech == 0 || text == 0 {
		return nil
	}
	table := func(key string, shares []minutes.Share, path func(string) string) shareTable {
		t := shareTable{Key: key, Of: len(shares)}
		for _, s := range shares[:min(len(shares), shownShares)] {
			row := shareRow{Name: s.Name, Group: s.Group, Speech: percent(s.Speech, speech), Text: percent(s.Text, text)}
			if row.Name == "" {
				row.Name = p.site.T(r, "minutes.shares.none")
			} else {
				row.Path = path(s.Name)
			}
			t.Rows = append(t.Rows, row)
		}
		return t
	}
	var out []shareTable
	if groups := minutes.GroupShares(people); len(groups) > 1 {
		out = append(out, table("minutes.shares.group", groups, func(string) string { return "" }))
	}
	return append(out, table("minutes.shares.person", people, func(name string) string { return pathOf(assembly, minutes.ByPerson, name) }))
}

func percent(part, all int) int { return (200*part + all) / (2 * all) }

// sharesPage is the shares of a month, and those of parties over the months before it.
type sharesPage struct {
	Month    string
	Articles int
	Tables   []shareTable
	Months   []web.Tab
	Places   []web.Tab
	Course   []shareCourse
	Heads    []string // the months of the courses
}

// shareCourse is a party's shares month by month; a month in which nothing was counted has none.
type shareCourse struct {
	Name  string
	Parts []*shareRow
}

// sharedMonths is how many months are compared.
const sharedMonths = 12

var monthForm = regexp.MustCompile(`^\d{4}-(0[1-9]|1[0-2])$`)

// showShares shows operators whom the articles tell of, and how much they spoke.
func (p *pages) showShares(w http.ResponseWriter, r *http.Request) error {
	code, month := r.URL.Query().Get("assembly"), r.URL.Query().Get("month")
	at, err := p.place(r, code)
	if err != nil {
		return err
	}
	in := p.desk.In(code)
	months, err := in.Months(r.Context(), sharedMonths)
	if err != nil {
		return err
	}
	data := sharesPage{Month: month}
	if month == "" && len(months) > 0 {
		data.Month = months[0]
	}
	if data.Month != "" && !monthForm.MatchString(data.Month) {
		return errs.New(errs.NotFound, "There is no such month.")
	}
	address := func(code, month string) string {
		q := url.Values{}
		for name, value := range map[string]string{"assembly": code, "month": month} {
			if value != "" {
				q.Set(name, value)
			}
		}
		return "/office/minutes/shares?" + q.Encode()
	}
	kept, err := p.desk.KeptAssemblies(r.Context())
	if err != nil {
		return err
	}
	if len(kept) > 0 {
		data.Places = append(data.Places, web.Tab{Title: p.site.T(r, "assemblies.diet"), Path: address("", ""), Current: code == ""})
		for _, one := range kept {
			data.Places = append(data.Places, web.Tab{Title: one.Name.In(p.site.Lang(r), "en"), Path: address(one.Code, ""), Current: code == one.Code})
		}
	}
	if !slices.Contains(months, data.Month) && data.Month != "" {
		months = append(months, data.Month)
	}
	rows := map[string]int{}
	for i, m := range months {
		people, articles, err := in.SharesOfMonth(r.Context(), m)
		if err != nil {
			return err
		}
		data.Months = append(data.Months, web.Tab{Title: m, Path: address(code, m), Current: m == data.Month})
		data.Heads = append(data.Heads, m)
		tables := p.shareTables(r, code, people)
		if m == data.Month {
			data.Articles, data.Tables = articles, tables
		}
		if len(tables) < 2 {
			continue
		}
		for _, one := range tables[0].Rows {
			n, ok := rows[one.Name]
			if !ok {
				n = len(data.Course)
				rows[one.Name] = n
				data.Course = append(data.Course, shareCourse{Name: one.Name, Parts: make([]*shareRow, len(months))})
			}
			data.Course[n].Parts[i] = &one
		}
	}
	return p.site.Render(w, r, p.views, "shares", web.Page{
		Title: p.site.T(r, "minutes.shares.title", at.Home), NoIndex: true, Private: true, Data: data,
	})
}
