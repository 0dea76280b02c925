package minutes

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"time"

	"pressroom/internal/errs"
	"pressroom/model"
)

// Filter says which articles a list is to have: those for which everything that is
// set holds. The zero value is all articles.
type Filter struct {
	Assembly  string // the code; "" is the Diet
	Category  string
	Person    string
	Keyword   string
	ImageKind string
	Session   string
	House     string
	Meeting   string
	Issue     string // an issueID, a bill or an agenda item
	Month     string // YYYY-MM
	From      string // YYYY-MM-DD, included
	Until     string // YYYY-MM-DD, included
}

// PageOptions say which page of a list is wanted.
type PageOptions struct {
	Limit  int    // 1 to 100; 0 means 20
	Cursor string // "" means the first page
}

const (
	defaultLimit = 20
	maxLimit     = 100
)

// Articles returns a page of the articles that pass the filter, the newest first.
// Only the index items of the filters are read, and of those only the stretches
// where all can agree; a page costs about the same however many articles there are.
//
// What is wrong with the filter is an errs.Invalid that names the field; a cursor
// of another list is errs.Malformed.
func (d *Desk) Articles(ctx context.Context, f Filter, o PageOptions) (model.Page[Light], error) {
	var page model.Page[Light]
	limit, err := f.check(o)
	if err != nil {
		return page, err
	}
	values := f.values()
	switch {
	case len(values) == 0 && f.Month != "" && f.From == "" && f.Until == "":
		return d.articlePage(ctx, "ArticlesOfMonth", inAssembly(f.Assembly, model.Values{"date": f.Month}), model.PageOptions{Limit: limit, Cursor: o.Cursor})
	case len(values) == 0:
		return d.articlePage(ctx, "LatestArticles", inAssembly(f.Assembly, model.Values{}), model.PageOptions{Limit: limit, Cursor: o.Cursor, Window: f.window()})
	}
	scope, err := json.Marshal(f.normal())
	if err != nil {
		return page, err
	}
	from := position{}
	if o.Cursor != "" {
		if from, err = d.cursors.open(o.Cursor, string(scope)); err != nil {
			return page, known(err, "list of articles")
		}
	}
	for light, err := range d.join(ctx, values, f.window(), from) {
		if err != nil {
			return page, fmt.Errorf("list articles: %w", err)
		}
		if len(page.Items) == limit {
			last := page.Items[limit-1]
			page.Next = d.cursors.seal(position{last.Date, last.ID}, string(scope))
			break
		}
		page.Items = append(page.Items, light)
	}
	return page, nil
}

// articlePage is a page of a list of article items themselves.
func (d *Desk) articlePage(ctx context.Context, pattern string, args model.Values, o model.PageOptions) (model.Page[Light], error) {
	out := model.Page[Light]{}
	page, err := d.articles.Page(ctx, pattern, args, o)
	if err != nil {
		return out, known(err, "list of articles")
	}
	for _, a := range page.Items {
		out.Items = append(out.Items, a.Light())
	}
	out.Next = page.Next
	return out, nil
}

// condition is one list that an article must be in.
type condition struct {
	kind     Kind
	value    string // as in the key
	assembly string
}

// values returns the lists that the filter names, those first that are likely to be
// short.
func (f Filter) values() []condition {
	var out []condition
	for _, c := range []condition{
		{ByIssue, keyText(f.Issue), f.Assembly}, {ByPerson, keyText(f.Person), f.Assembly}, {ByKeyword, keywordText(f.Keyword), f.Assembly}, {ByMeeting, keyText(f.Meeting), f.Assembly},
		{ByCategory, keyText(f.Category), f.Assembly}, {BySession, keyText(f.Session), f.Assembly}, {ByHouse, keyText(f.House), f.Assembly}, {ByImageKind, keyText(f.ImageKind), f.Assembly},
	} {
		if c.value != "" {
			out = append(out, c)
		}
	}
	return out
}

// normal is the filter in the form of keys: what two filters with the same list
// have in common.
func (f Filter) normal() []string {
	out := []string{f.window().From, f.window().To}
	if f.Assembly != "" {
		out = append(out, "@"+f.Assembly)
	}
	for _, c := range f.values() {
		out = append(out, string(c.kind), c.value)
	}
	return out
}

// window is the range of dates that month, from and until leave.
func (f Filter) window() model.Window {
	w := model.Window{From: f.From, To: f.Until}
	if f.Month == "" {
		return w
	}
	// Months and days compare as text: "2026-11" is before all of its days.
	w.From = max(w.From, f.Month)
	if w.To == "" || w.To > f.Month+"-31" {
		w.To = f.Month + "-31"
	}
	return w
}

var monthForm = regexp.MustCompile(`^\d{4}-(0[1-9]|1[0-2])$`)

// check returns the limit of a page, or what is wrong.
func (f Filter) check(o PageOptions) (int, error) {
	var wrong []errs.Field
	add := func(name, message string) { wrong = append(wrong, errs.Field{Name: name, Message: message}) }
	if o.Limit < 0 || o.Limit > maxLimit {
		add("limit", fmt.Sprintf("must be between 1 and %d", maxLimit))
	}
	if f.Month != "" && !monthForm.MatchString(f.Month) {
		add("month", "must be a month as in 2026-11")
	}
	for _, date := range []struct{ name, value string }{{"from", f.From}, {"until", f.Until}} {
		if date.value != "" && !validDate(date.value) {
			add(date.name, "must be a date as in 2026-11-15")
		}
	}
	if f.Session != "" {
		if n, err := strconv.Atoi(keyText(f.Session)); err != nil || n < 0 {
			add("session", "must be a number")
		}
	}
	if w := f.window(); len(wrong) == 0 && w.From != "" && w.To != "" && w.From > w.To {
		add("until", "is before the beginning")
	}
	if len(wrong) > 0 {
		return 0, errs.Validation(wrong...)
	}
	if o.Limit == 0 {
		return defaultLimit, nil
	}
	return o.Limit, nil
}

func validDate(text string) bool {
	_, err := time.Parse(time.DateOnly, text)
	return err == nil
}

// join yields the articles that are in all lists, the newest first, from behind a
// position on. The lists are in the same order, so each is moved on to where the
// others are: by reading on if that is near, by a new query if it is not.
func (d *Desk) join(ctx context.Context, lists []condition, w model.Window, from position) iter.Seq2[Light, error] {
	return func(yield func(Light, error) bool) {
		if from.Date != "" {
			w.To = from.Date
		}
		readers := make([]*reader, len(lists))
		for i, c := range lists {
			readers[i] = d.newReader(ctx, c, w)
		}
		defer func() {
			for _, r := range readers {
				r.stop()
			}
		}()
		// target is the newest place at which the next article can be.
		target := from
		reached := from.Date == "" // whether the target itself may be the next article
		for {
			agreed := 0
			var found Light
			for _, r := range readers {
				light, ok, err := r.seek(target, reached)
				if err != nil {
					yield(Light{}, err)
					return
				}
				if !ok {
					return
				}
				at := position{light.Date, light.ID}
				if agreed > 0 && at != target {
					target, reached, agreed = at, true, -1
					break
				}
				target, reached = at, true
				if agreed == 0 {
					found = light
				}
				agreed++
			}
			if agreed < len(readers) {
				continue
			}
			if len(readers) > 1 {
				found.Label = ""
			}
			if !yield(found, nil) {
				return
			}
			reached = false
		}
	}
}

// reader goes through one list of index items, the newest first.
type reader struct {
	d      *Desk
	ctx    context.Context
	list   condition
	window model.Window
	next   func() (Light, error, bool)
	cancel func()
	head   *Light // read and not consumed
}

func (d *Desk) newReader(ctx context.Context, c condition, w model.Window) *reader {
	r := &reader{d: d, ctx: ctx, list: c, window: w}
	r.open()
	return r
}

func (r *reader) open() {
	r.next, r.cancel = iter.Pull2(r.d.listOf(r.ctx, r.list, r.window))
	r.head = nil
}

func (r *reader) stop() { r.cancel() }

// nearby is how many items are read on before a new query is made instead.
const nearby = 20

// seek returns the first item at the position (if that may be) or behind it; an
// empty position is before everything.
func (r *reader) seek(p position, at bool) (Light, bool, error) {
	for n := 0; ; n++ {
		if r.head == nil {
			light, err, ok := r.next()
			if err != nil || !ok {
				return Light{}, false, err
			}
			r.head = &light
		}
		if p.Date == "" || p.after(r.head) || at && r.head.Date == p.Date && r.head.ID == p.ID {
			return *r.head, true, nil
		}
		far := n == nearby && r.head.Date > p.Date
		r.head = nil
		if far {
			r.stop()
			r.window.To = p.Date
			r.open()
		}
	}
}

// listOf yields a list of index items, the newest first.
func (d *Desk) listOf(ctx context.Context, c condition, w model.Window) iter.Seq2[Light, error] {
	return func(yield func(Light, error) bool) {
		s := d.thins[c.kind]
		for item, err := range s.view().All(ctx, s.args(c.assembly, c.value), w) {
			if !yield(item.Light, err) || err != nil {
				return
			}
		}
	}
}

// Timeline returns a page of what happened to an issue (a meeting's issueID, a bill,
// an agenda item) across meetings and houses, from its beginning.
func (a Assembly) Timeline(ctx context.Context, issue string, o PageOptions) (model.Page[Light], error) {
	d := a.desk
	var out model.Page[Light]
	limit, err := Filter{}.check(o)
	if err != nil {
		return out, err
	}
	value := keyText(issue)
	if value == "" {
		return out, errs.Validation(errs.Field{Name: "issue", Message: "is empty"})
	}
	page, err := d.timeline.Page(ctx, inAssembly(a.Code, model.Values{"issueKey": value}), model.PageOptions{Limit: limit, Cursor: o.Cursor})
	if err != nil {
		return out, known(err, "timeline of %s", issue)
	}
	out.Next = page.Next
	for _, item := range page.Items {
		out.Items = append(out.Items, item.Light)
	}
	return out, nil
}

// Facet is a value under which articles are found, and how many of the articles
// that were looked at have it.
type Facet struct {
	Value string
	Count int
}

// facetSample is how many of the latest articles Facets looks at.
const facetSample = 200

// Facets returns what the latest articles can be filtered by, the most frequent
// first: categories, persons, keywords, houses, meetings and issues.
func (a Assembly) Facets(ctx context.Context) (map[Kind][]Facet, error) {
	counts := map[Kind]map[string]*Facet{}
	n := 0
	for a, err := range a.All(ctx) {
		if err != nil {
			return nil, fmt.Errorf("facets: %w", err)
		}
		for _, e := range a.entries() {
			if e.literal || e.Kind == ByIssue && e.label == a.ID {
				continue
			}
			if counts[e.Kind] == nil {
				counts[e.Kind] = map[string]*Facet{}
			}
			f, ok := counts[e.Kind][e.Value]
			if !ok {
				f = &Facet{Value: e.label}
				counts[e.Kind][e.Value] = f
			}
			f.Count++
		}
		if n++; n == facetSample {
			break
		}
	}
	out := map[Kind][]Facet{}
	for kind, byValue := range counts {
		for _, f := range byValue {
			out[kind] = append(out[kind], *f)
		}
		slices.SortFunc(out[kind], func(a, b Facet) int {
			if a.Count != b.Count {
				return b.Count - a.Count
			}
			if a.Value < b.Value {
				return -1
			}
			return 1
		})
	}
	return out, nil
}
