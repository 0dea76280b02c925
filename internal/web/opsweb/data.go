package opsweb

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"pressroom/internal/errs"
	"pressroom/internal/ops"
	"pressroom/internal/web"
)

func tablePath(name string) string { return root + "/data/" + url.PathEscape(name) }

// dataPage is all tables.
type dataPage struct {
	Tabs   []web.Tab
	Tables []ops.BrowserTable
}

func (p *pages) showData(w http.ResponseWriter, r *http.Request) error {
	data := dataPage{Tabs: p.tabs(r, "data"), Tables: p.Browser.Tables()}
	return p.render(w, r, "data", p.site.T(r, "ops.tab.data"), "", data)
}

// tablePage is a table with what can be asked of it.
type tablePage struct {
	Tabs     []web.Tab
	Table    ops.BrowserTable
	Path     string
	Sections []dataSection
}

// dataSection is the questions that the table, or one of its indexes, answers.
type dataSection struct {
	Index     string // "" for the table itself
	Purpose   string
	Questions []ops.Question
}

func (p *pages) table(name string) (ops.BrowserTable, error) {
	tables := p.Browser.Tables()
	i := slices.IndexFunc(tables, func(t ops.BrowserTable) bool { return t.Name == name })
	if i < 0 {
		return ops.BrowserTable{}, errs.New(errs.NotFound, "There is no such table.")
	}
	return tables[i], nil
}

func (p *pages) showTable(w http.ResponseWriter, r *http.Request) error {
	t, err := p.table(r.PathValue("table"))
	if err != nil {
		return err
	}
	data := tablePage{Tabs: p.tabs(r, "data"), Table: t, Path: tablePath(t.Name), Sections: []dataSection{{}}}
	for _, x := range t.Indexes {
		data.Sections = append(data.Sections, dataSection{Index: x.Name, Purpose: x.Purpose})
	}
	for i := range data.Sections {
		for _, q := range t.Questions {
			if q.Index == data.Sections[i].Index {
				data.Sections[i].Questions = append(data.Sections[i].Questions, q)
			}
		}
	}
	return p.render(w, r, "table", t.Name, "", data)
}

// answerPage is a page of an answer, and the form that it is asked with.
type answerPage struct {
	Tabs     []web.Tab
	Table    ops.BrowserTable
	Path     string        // of the table
	Question *ops.Question // or
	Entity   *ops.BrowserEntity
	Asked    bool
	Args     []argument
	From, To string
	Rows     []ops.Row
	Next     string
}

// argument is an input of the form.
type argument struct {
	Name, Input, Value, Wrong string
	Choices                   []web.Choice
}

func (p *pages) showAnswer(w http.ResponseWriter, r *http.Request) error {
	t, err := p.table(r.PathValue("table"))
	if err != nil {
		return err
	}
	i := slices.IndexFunc(t.Questions, func(q ops.Question) bool { return q.Name == r.PathValue("question") })
	if i < 0 {
		return errs.New(errs.NotFound, "There is no such question.")
	}
	q := t.Questions[i]
	query := r.URL.Query()
	data := &answerPage{Tabs: p.tabs(r, "data"), Table: t, Path: tablePath(t.Name), Question: &q, From: query.Get("from"), To: query.Get("to")}
	data.Asked = data.arguments(query, q.By, q.Values)
	if !data.Asked {
		return p.render(w, r, "answer", q.Name, "", data)
	}
	o := ops.PageOptions{Limit: pageSize, Cursor: query.Get("cursor"), Window: ops.Window{From: data.From, To: data.To}}
	page, err := p.Browser.Ask(r.Context(), t.Name, q.Name, data.values(), o)
	if err == nil {
		data.Rows, data.Next = page.Items, page.Next
	}
	return p.answer(w, r, q.Name, data, err)
}

func (p *pages) showItem(w http.ResponseWriter, r *http.Request) error {
	t, err := p.table(r.PathValue("table"))
	if err != nil {
		return err
	}
	i := slices.IndexFunc(t.Entities, func(e ops.BrowserEntity) bool { return e.Name == r.PathValue("entity") })
	if i < 0 {
		return errs.New(errs.NotFound, "There is no such entity.")
	}
	e := t.Entities[i]
	data := &answerPage{Tabs: p.tabs(r, "data"), Table: t, Path: tablePath(t.Name), Entity: &e}
	if data.Asked = data.arguments(r.URL.Query(), e.By, nil); !data.Asked {
		return p.render(w, r, "answer", e.Name, "", data)
	}
	row, err := p.Browser.Item(r.Context(), t.Name, e.Name, data.values())
	switch {
	case err == nil:
		data.Rows = []ops.Row{row}
	case errors.Is(err, errs.NotFound):
		err = nil
	}
	return p.answer(w, r, e.Name, data, err)
}

// answer shows rows, or what was wrong with the question.
func (p *pages) answer(w http.ResponseWriter, r *http.Request, title string, data *answerPage, err error) error {
	status := http.StatusOK
	if err != nil {
		if kind := errs.KindOf(err); kind != errs.Invalid && kind != errs.Malformed {
			return err
		}
		data.Asked, status = false, web.StatusOf(err)
		for _, f := range errs.Fields(err) {
			for i := range data.Args {
				if data.Args[i].Name == f.Name {
					data.Args[i].Wrong = f.Message
				}
			}
		}
	}
	return p.site.Render(w, r, p.views, "answer", web.Page{Title: title, NoIndex: true, Private: true, Status: status, Problem: err, Data: data})
}

// argumentPrefix keeps the names of arguments apart from those of the list.
const argumentPrefix = "arg."

// arguments makes the form's inputs, and reports whether it was sent.
func (d *answerPage) arguments(query url.Values, names []string, values map[string][]string) (sent bool) {
	sent = len(names) == 0 || query.Has("ask")
	for _, name := range names {
		arg := argument{Name: name, Input: argumentPrefix + name, Value: strings.TrimSpace(query.Get(argumentPrefix + name))}
		sent = sent || arg.Value != ""
		for _, v := range values[name] {
			arg.Choices = append(arg.Choices, web.Choice{Value: v, Label: v})
		}
		d.Args = append(d.Args, arg)
	}
	return sent
}

func (d *answerPage) values() ops.Values {
	values := ops.Values{}
	for _, a := range d.Args {
		if a.Value != "" {
			values[a.Name] = a.Value
		}
	}
	return values
}
