package minutes

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"pressroom/internal/rights/erase"
	"pressroom/model"
)

// Kind is one of the eight ways to find articles: the field of an article that a
// list is about.
type Kind string

// The kinds of lists.
const (
	ByCategory  Kind = "category"
	ByPerson    Kind = "person"
	ByKeyword   Kind = "keyword"
	ByImageKind Kind = "imageKind"
	BySession   Kind = "session"
	ByHouse     Kind = "house"
	ByMeeting   Kind = "meeting"
	ByIssue     Kind = "issue"
)

// Kinds lists all kinds.
var Kinds = []Kind{ByCategory, ByPerson, ByKeyword, ByImageKind, BySession, ByHouse, ByMeeting, ByIssue}

// thinItem is an index item without the value that it is under.
type thinItem struct {
	Type string `dynamodbav:"type"`
	Light
}

const thinType = "THIN_INDEX"

// entry is one index item of an article.
type entry struct {
	Kind  Kind
	Value string // as in the key
	Date  string
	// Assembly is the code of the article's assembly; "" for the Diet.
	Assembly string
	label    string
	// literal is an item under the name as it is written, beside the one that the desk's
	// own lists read: readers of the table know no other.
	literal bool
}

// The items of each kind, which differ in the name of their value alone.
type (
	byCategory struct {
		Value    string `dynamodbav:"categoryKey"`
		Assembly string `dynamodbav:"assembly,omitempty"`
		thinItem
	}
	byPerson struct {
		Value    string `dynamodbav:"personKey"`
		Assembly string `dynamodbav:"assembly,omitempty"`
		thinItem
	}
	byKeyword struct {
		Value    string `dynamodbav:"keywordKey"`
		Assembly string `dynamodbav:"assembly,omitempty"`
		thinItem
	}
	byImageKind struct {
		Value    string `dynamodbav:"kindKey"`
		Assembly string `dynamodbav:"assembly,omitempty"`
		thinItem
	}
	bySession struct {
		Value    string `dynamodbav:"sessionKey"`
		Assembly string `dynamodbav:"assembly,omitempty"`
		thinItem
	}
	byHouse struct {
		Value    string `dynamodbav:"houseKey"`
		Assembly string `dynamodbav:"assembly,omitempty"`
		thinItem
	}
	byMeeting struct {
		Value    string `dynamodbav:"meetingKey"`
		Assembly string `dynamodbav:"assembly,omitempty"`
		thinItem
	}
	byIssue struct {
		Value    string `dynamodbav:"issueKey"`
		Assembly string `dynamodbav:"assembly,omitempty"`
		thinItem
	}
)

// thinStore reads and writes the index items of one kind.
type thinStore interface {
	entity() string
	get(ctx context.Context, e entry, id string) (thinItem, error)
	all(ctx context.Context, of []entry, id string) (map[string]thinItem, error) // by value
	at(e entry, id string) model.Values
	read(item model.Item) (entry, thinItem, error)
	becomes(e entry, item thinItem) model.Change
	goes(e entry, id string) model.Change
	view() *model.View[thinItem]
	args(assembly, value string) model.Values
}

// thinRepo is a thinStore over items of type T.
type thinRepo[T any] struct {
	repo *model.Repo[T]
	list *model.View[thinItem]
	of   string // the entity
	name string // of the value
	item func(value, assembly string, t thinItem) *T
}

func (r *thinRepo[T]) at(e entry, id string) model.Values {
	v := r.args(e.Assembly, e.Value)
	v["date"], v["id"] = e.Date, id
	return v
}

func (r *thinRepo[T]) becomes(e entry, item thinItem) model.Change {
	return r.repo.Becomes(r.item(e.Value, e.Assembly, item))
}

func (r *thinRepo[T]) goes(e entry, id string) model.Change { return r.repo.Goes(r.at(e, id)) }

func (r *thinRepo[T]) all(ctx context.Context, of []entry, id string) (map[string]thinItem, error) {
	keys := make([]model.Values, len(of))
	for i, e := range of {
		keys[i] = r.at(e, id)
	}
	found, err := r.repo.BatchGet(ctx, keys)
	out := map[string]thinItem{}
	for i := range found {
		item := any(&found[i]).(interface{ under() (string, thinItem) })
		value, thin := item.under()
		out[value] = thin
	}
	return out, err
}

func (r *thinRepo[T]) view() *model.View[thinItem] { return r.list }

func (r *thinRepo[T]) args(assembly, value string) model.Values {
	return inAssembly(assembly, model.Values{r.name: value})
}

// inAssembly adds an assembly's code to what a key is made of. The Diet's keys have none.
func inAssembly(code string, v model.Values) model.Values {
	if code != "" {
		v["assembly"] = code
	}
	return v
}

func openThin[T any](db model.DB, t *model.Table, entity, pattern, name string, o *model.Options, item func(value, assembly string, t thinItem) *T) (thinStore, error) {
	repo, err := model.NewRepo[T](db, t, entity, o)
	if err != nil {
		return nil, err
	}
	list, err := model.NewView[thinItem](db, t, pattern, o)
	return &thinRepo[T]{repo, list, entity, name, item}, err
}

// openThins opens the stores of all kinds.
func openThins(db model.DB, t *model.Table, o *model.Options) (map[Kind]thinStore, error) {
	var all []error
	out := map[Kind]thinStore{}
	add := func(k Kind) func(thinStore, error) {
		return func(s thinStore, err error) { out[k], all = s, append(all, err) }
	}
	add(ByCategory)(openThin(db, t, "ByCategory", "ArticlesByCategory", "categoryKey", o, func(v, in string, t thinItem) *byCategory { return &byCategory{v, in, t} }))
	add(ByPerson)(openThin(db, t, "ByPerson", "ArticlesByPerson", "personKey", o, func(v, in string, t thinItem) *byPerson { return &byPerson{v, in, t} }))
	add(ByKeyword)(openThin(db, t, "ByKeyword", "ArticlesByKeyword", "keywordKey", o, func(v, in string, t thinItem) *byKeyword { return &byKeyword{v, in, t} }))
	add(ByImageKind)(openThin(db, t, "ByImageKind", "ArticlesByImageKind", "kindKey", o, func(v, in string, t thinItem) *byImageKind { return &byImageKind{v, in, t} }))
	add(BySession)(openThin(db, t, "BySession", "ArticlesBySession", "sessionKey", o, func(v, in string, t thinItem) *bySession { return &bySession{v, in, t} }))
	add(ByHouse)(openThin(db, t, "ByHouse", "ArticlesByHouse", "houseKey", o, func(v, in string, t thinItem) *byHouse { return &byHouse{v, in, t} }))
	add(ByMeeting)(openThin(db, t, "ByMeeting", "ArticlesByMeeting", "meetingKey", o, func(v, in string, t thinItem) *byMeeting { return &byMeeting{v, in, t} }))
	add(ByIssue)(openThin(db, t, "ByIssue", "ArticlesByIssue", "issueKey", o, func(v, in string, t thinItem) *byIssue { return &byIssue{v, in, t} }))
	return out, errors.Join(all...)
}

// Limits on the index items of one article; see the schema.
const (
	maxCategories = 20
	maxPersons    = 400
	maxKeywords   = 100
	maxIssues     = 199
)

// entries returns the index items that an article has, each once: under the form of
// each name that lists go by, and under the name as it is written where that differs.
// They follow from the article alone, so that a replaced one says itself what must go.
func (a *Article) entries() []entry {
	var out []entry
	seen := map[[2]string]bool{}
	put := func(e entry) bool {
		id := [2]string{string(e.Kind), e.Value}
		if e.Value == "" || len(e.Value) > nameMax || seen[id] || erase.Signed(e.label) {
			return false
		}
		seen[id] = true
		e.Assembly = a.Assembly
		out = append(out, e)
		return true
	}
	add := func(k Kind, most int, normal func(string) string, labels ...string) {
		var written []entry
		for _, label := range labels {
			if len(written) == most {
				break
			}
			if put(entry{Kind: k, Value: normal(label), Date: a.Date, label: label}) {
				written = append(written, entry{Kind: k, Value: label, Date: a.Date, label: label, literal: true})
			}
		}
		for _, e := range written {
			put(e)
		}
	}
	var persons []string
	for _, p := range a.Participants {
		persons = append(persons, p.Name)
	}
	add(ByCategory, maxCategories, keyText, a.Categories...)
	add(ByPerson, maxPersons, keyText, persons...)
	add(ByKeyword, maxKeywords, keywordText, a.Keywords...)
	add(ByImageKind, 1, keyText, a.ImageKind)
	if a.Assembly == "" || a.Session > 0 { // others need not count their sessions
		add(BySession, 1, keyText, strconv.Itoa(a.Session))
	}
	add(ByHouse, 1, keyText, a.House)
	add(ByMeeting, 1, keyText, a.Meeting)
	add(ByIssue, maxIssues+1, keyText, append([]string{a.ID}, a.Issues...)...)
	return out
}

// thin is the article's item for an entry.
func (a *Article) thin(e entry) thinItem {
	light := a.Light()
	light.Label = e.label
	if e.Kind == ByIssue {
		light.Progress = a.progressOf(e.label)
	}
	return thinItem{Type: thinType, Light: light}
}

func (b *byCategory) under() (string, thinItem) { return b.Value, b.thinItem }

func (b *byPerson) under() (string, thinItem) { return b.Value, b.thinItem }

func (b *byKeyword) under() (string, thinItem) { return b.Value, b.thinItem }

func (b *byImageKind) under() (string, thinItem) { return b.Value, b.thinItem }

func (b *bySession) under() (string, thinItem) { return b.Value, b.thinItem }

func (b *byHouse) under() (string, thinItem) { return b.Value, b.thinItem }

func (b *byMeeting) under() (string, thinItem) { return b.Value, b.thinItem }

func (b *byIssue) under() (string, thinItem) { return b.Value, b.thinItem }

// bare is an item of any kind without its value.
func (t *thinItem) bare() thinItem { return *t }

// same reports whether two entries are the same item.
func (e entry) same(o entry) bool {
	return o.Kind == e.Kind && o.Value == e.Value && o.Date == e.Date && o.Assembly == e.Assembly
}

// minus returns the entries that are in a and not in b.
func minus(a, b []entry) []entry {
	return slices.DeleteFunc(slices.Clone(a), func(e entry) bool { return slices.ContainsFunc(b, e.same) })
}
