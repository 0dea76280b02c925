package minutes

import (
	"context"
	"errors"
	"slices"
	"strconv"

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
	label string
}

// The items of each kind, which differ in the name of their value alone.
type (
	byCategory struct {
		Value string `dynamodbav:"category"`
		thinItem
	}
	byPerson struct {
		Value string `dynamodbav:"person"`
		thinItem
	}
	byKeyword struct {
		Value string `dynamodbav:"keyword"`
		thinItem
	}
	byImageKind struct {
		Value string `dynamodbav:"kind"`
		thinItem
	}
	bySession struct {
		Value string `dynamodbav:"sessionKey"`
		thinItem
	}
	byHouse struct {
		Value string `dynamodbav:"house"`
		thinItem
	}
	byMeeting struct {
		Value string `dynamodbav:"meeting"`
		thinItem
	}
	byIssue struct {
		Value string `dynamodbav:"issue"`
		thinItem
	}
)

// thinStore reads and writes the index items of one kind.
type thinStore interface {
	entity() string
	get(ctx context.Context, e entry, id string) (thinItem, error)
	read(item model.Item) (entry, thinItem, error)
	becomes(e entry, item thinItem) model.Change
	goes(e entry, id string) model.Change
	view() *model.View[thinItem]
	args(value string) model.Values
}

// thinRepo is a thinStore over items of type T.
type thinRepo[T any] struct {
	repo *model.Repo[T]
	list *model.View[thinItem]
	of   string // the entity
	name string // of the value
	item func(value string, t thinItem) *T
}

func (r *thinRepo[T]) key(e entry, id string) model.Values {
	return model.Values{r.name: e.Value, "date": e.Date, "id": id}
}

func (r *thinRepo[T]) becomes(e entry, item thinItem) model.Change {
	return r.repo.Becomes(r.item(e.Value, item))
}

func (r *thinRepo[T]) goes(e entry, id string) model.Change { return r.repo.Goes(r.key(e, id)) }

func (r *thinRepo[T]) view() *model.View[thinItem] { return r.list }

func (r *thinRepo[T]) args(value string) model.Values { return model.Values{r.name: value} }

func openThin[T any](db model.DB, t *model.Table, entity, pattern, name string, o *model.Options, item func(string, thinItem) *T) (thinStore, error) {
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
	add(ByCategory)(openThin(db, t, "ByCategory", "ArticlesByCategory", "category", o, func(v string, t thinItem) *byCategory { return &byCategory{v, t} }))
	add(ByPerson)(openThin(db, t, "ByPerson", "ArticlesByPerson", "person", o, func(v string, t thinItem) *byPerson { return &byPerson{v, t} }))
	add(ByKeyword)(openThin(db, t, "ByKeyword", "ArticlesByKeyword", "keyword", o, func(v string, t thinItem) *byKeyword { return &byKeyword{v, t} }))
	add(ByImageKind)(openThin(db, t, "ByImageKind", "ArticlesByImageKind", "kind", o, func(v string, t thinItem) *byImageKind { return &byImageKind{v, t} }))
	add(BySession)(openThin(db, t, "BySession", "ArticlesBySession", "sessionKey", o, func(v string, t thinItem) *bySession { return &bySession{v, t} }))
	add(ByHouse)(openThin(db, t, "ByHouse", "ArticlesByHouse", "house", o, func(v string, t thinItem) *byHouse { return &byHouse{v, t} }))
	add(ByMeeting)(openThin(db, t, "ByMeeting", "ArticlesByMeeting", "meeting", o, func(v string, t thinItem) *byMeeting { return &byMeeting{v, t} }))
	add(ByIssue)(openThin(db, t, "ByIssue", "ArticlesByIssue", "issue", o, func(v string, t thinItem) *byIssue { return &byIssue{v, t} }))
	return out, errors.Join(all...)
}

// Limits on the index items of one article; see the schema.
const (
	maxCategories = 20
	maxPersons    = 400
	maxKeywords   = 100
	maxIssues     = 199
)

// entries returns the index items that an article has, each once. They follow from
// the article alone, so that a replaced one says itself what must go.
func (a *Article) entries() []entry {
	var out []entry
	seen := map[[2]string]bool{}
	add := func(k Kind, most int, normal func(string) string, labels ...string) {
		n := 0
		for _, label := range labels {
			value := normal(label)
			id := [2]string{string(k), value}
			if value == "" || seen[id] || n == most {
				continue
			}
			seen[id] = true
			n++
			out = append(out, entry{Kind: k, Value: value, Date: a.Date, label: label})
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
	add(BySession, 1, keyText, strconv.Itoa(a.Session))
	add(ByHouse, 1, keyText, a.House)
	add(ByMeeting, 1, keyText, a.Meeting)
	add(ByIssue, maxIssues+1, keyText, append([]string{a.ID}, a.Issues...)...)
	return out
}

// thin is the article's item for an entry.
func (a *Article) thin(e entry) thinItem {
	light := a.Light()
	light.Label = e.label
	return thinItem{Type: thinType, Light: light}
}

// bare is an item of any kind without its value.
func (t *thinItem) bare() thinItem { return *t }

// same reports whether two entries are the same item.
func (e entry) same(o entry) bool { return o.Kind == e.Kind && o.Value == e.Value && o.Date == e.Date }

// minus returns the entries that are in a and not in b.
func minus(a, b []entry) []entry {
	return slices.DeleteFunc(slices.Clone(a), func(e entry) bool { return slices.ContainsFunc(b, e.same) })
}
