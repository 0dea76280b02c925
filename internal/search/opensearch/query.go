package opensearch

import (
	"context"
	"html"
	"html/template"
	"net/http"
	"slices"
	"strings"
	"time"

	"pressroom/internal/errs"
	"pressroom/internal/search"
	"pressroom/internal/search/text"
)

// The marks that the cluster puts around what fits. They are letters that no
// text has, and become tags after all else was escaped.
const (
	markOn, markOff = "\ue000", "\ue001"
)

type answer struct {
	Hits struct {
		Total struct {
			Value int `json:"value"`
		} `json:"total"`
		Hits []struct {
			Score     float64             `json:"_score"`
			Source    document            `json:"_source"`
			Highlight map[string][]string `json:"highlight"`
		} `json:"hits"`
	} `json:"hits"`
	Aggregations map[string]struct {
		Values struct {
			Buckets []struct {
				Key   string `json:"key"`
				Count int    `json:"doc_count"`
			} `json:"buckets"`
		} `json:"values"`
	} `json:"aggregations"`
}

// Search finds a page of documents.
func (x *Index) Search(ctx context.Context, q search.Query) (*search.Results, error) {
	if err := q.Check(); err != nil {
		return nil, err
	}
	after, err := q.OpenCursor()
	if err != nil {
		return nil, err
	}
	asOf := x.o.Now().UTC().Truncate(time.Second)
	if after != nil {
		asOf = after.AsOf
	}
	var a answer
	if err := x.call(ctx, http.MethodPost, "/"+x.readable(q.Level)+"/_search", request(&q, after, asOf), &a); err != nil {
		if errs.KindOf(err) == errs.NotFound {
			return nil, errs.Wrap(err, errs.Unavailable, "The search index is being made. Try again shortly.")
		}
		return nil, err
	}
	return results(&q, &a, asOf)
}

// readable names the indexes that a level may read.
func (x *Index) readable(level search.Level) string {
	if level <= search.Public {
		return x.current.public
	}
	return x.current.both()
}

// request is the body of a search.
func request(q *search.Query, after *search.Position, asOf time.Time) object {
	sort := []object{{"_score": "desc"}, {"date": "desc"}, {"key": "asc"}}
	if q.Sort == search.Newest {
		sort = sort[1:]
	}
	body := object{
		"size": q.Limit, "sort": sort, "track_scores": true, "track_total_hits": true,
		"query": fresh(words(q), asOf), "post_filter": object{"bool": object{"filter": fieldFilters(q, "")}},
		"aggs":      aggregations(q),
		"highlight": highlight(),
		"_source":   object{"excludes": []string{"body", "hidden", "names", "forms"}},
	}
	if after != nil {
		place := []any{after.Score, after.Date.UnixMilli(), after.ID}
		if q.Sort == search.Newest {
			place = place[1:]
		}
		body["search_after"] = place
	}
	return body
}

// words asks for the units, and for what holds for every hit and every count.
func words(q *search.Query) object {
	must, not := []object{}, []object{}
	for _, u := range text.Parse(q.Text, q.Synonyms...) {
		if u.Not {
			not = append(not, matching(&u, true))
		} else {
			must = append(must, matching(&u, u.Loose == nil && u.Also == nil && strings.Contains(q.Text, `"`)))
		}
	}
	filter := []object{visible(q.Level)}
	if len(q.Sources) > 0 {
		filter = append(filter, object{"terms": object{"source": q.Sources}})
	}
	for _, t := range q.Tags {
		filter = append(filter, object{"term": object{"tags": t}})
	}
	if r := days(q); len(r) > 0 {
		filter = append(filter, object{"range": object{"date": r}})
	}
	return object{"bool": object{"must": must, "must_not": not, "filter": filter}}
}

// visible is what somebody of a level may see.
func visible(level search.Level) object {
	return object{"range": object{"level": object{"lte": int(max(level, search.Public))}}}
}

// matching asks for a unit: as it is written, or also in its dictionary forms, and for what
// may stand in its place.
func matching(u *text.Unit, exact bool) object {
	unit := u.Text
	phrase := func(text string, fields ...string) object {
		return object{"multi_match": object{"query": text, "type": "phrase", "fields": fields}}
	}
	grams := phrase(unit, "title^3", "summary", "body", "hidden")
	if exact {
		return grams
	}
	should := []object{grams, {"term": object{"tags": unit}}}
	for _, other := range u.Also {
		if other.Sound {
			should = append(should, phrase(other.Text, "title.sounds^3", "summary.sounds"))
		} else {
			should = append(should, phrase(other.Text, "title^3", "summary", "body", "hidden"))
		}
	}
	bases := object{"multi_match": object{
		"query": unit, "type": "cross_fields", "operator": "and", "analyzer": "bases",
		"fields": []string{"title.bases^3", "summary.bases", "body.bases", "hidden.bases"},
	}}
	return object{"bool": object{"should": append(should, bases), "minimum_should_match": 1}}
}

func days(q *search.Query) object {
	r := object{}
	if !q.From.IsZero() {
		r["gte"] = q.From.UTC().Format(dateFormat)
	}
	if !q.To.IsZero() {
		r["lt"] = q.To.Add(search.Day).UTC().Format(dateFormat)
	}
	return r
}

// fresh multiplies scores with 2 for what is new and 1 for what is old, halved
// every sixty days, as the embedded index does.
func fresh(query object, asOf time.Time) object {
	return object{"function_score": object{
		"query": query, "score_mode": "sum", "boost_mode": "multiply",
		"functions": []object{
			{"weight": 1},
			{"exp": object{"date": object{"origin": asOf.UTC().Format(dateFormat), "scale": "60d", "decay": 0.5}}},
		},
	}}
}

// fieldFilters are the filters that facets are counted without, but one.
func fieldFilters(q *search.Query, except string) []object {
	out := []object{}
	for _, f := range []struct {
		field  string
		values []string
	}{{"desk", q.Desks}, {"kind", q.Kinds}, {"language", q.Languages}} {
		if len(f.values) > 0 && f.field != except {
			out = append(out, object{"terms": object{f.field: f.values}})
		}
	}
	return out
}

func aggregations(q *search.Query) object {
	out := object{}
	for _, field := range []string{"desk", "kind", "language", "tags"} {
		out[field] = object{
			"filter": object{"bool": object{"filter": fieldFilters(q, field)}},
			"aggs":   object{"values": object{"terms": object{"field": field, "size": 20}}},
		}
	}
	return out
}

func highlight() object {
	field := func(n int) object {
		return object{"number_of_fragments": n, "fragment_size": 160, "no_match_size": 160}
	}
	return object{
		"pre_tags": []string{markOn}, "post_tags": []string{markOff}, "require_field_match": false,
		"fields": object{"title": field(0), "title.bases": field(0), "body": field(1), "body.bases": field(1), "summary": field(1), "summary.bases": field(1)},
	}
}

func results(q *search.Query, a *answer, asOf time.Time) (*search.Results, error) {
	out := &search.Results{Total: a.Hits.Total.Value}
	for i := range a.Hits.Hits {
		h := &a.Hits.Hits[i]
		date, err := h.Source.date()
		if err != nil {
			return nil, err
		}
		s := &h.Source
		out.Hits = append(out.Hits, search.Hit{
			Key: search.Key{Desk: s.Desk, ID: s.ID}, Kind: s.Kind, Language: s.Language, Title: s.Title, Tags: s.Tags,
			Date: date, URL: s.URL, Revision: s.Revision, Score: h.Score,
			TitleHTML:   shown(h.Highlight, s.Title, "title", "title.bases"),
			ExcerptHTML: shown(h.Highlight, s.Summary, "body", "body.bases", "summary", "summary.bases"),
		})
	}
	for field, to := range map[string]*[]search.Count{
		"desk": &out.Facets.Desks, "kind": &out.Facets.Kinds, "language": &out.Facets.Languages, "tags": &out.Facets.Tags,
	} {
		for _, b := range a.Aggregations[field].Values.Buckets {
			*to = append(*to, search.Count{Value: b.Key, Count: b.Count})
		}
	}
	if n := len(out.Hits); n == q.Limit {
		last := &out.Hits[n-1]
		next, err := q.SealCursor(search.Position{Score: last.Score, Date: last.Date, ID: last.String(), AsOf: asOf})
		if err != nil {
			return nil, err
		}
		out.Next = next
	}
	return out, nil
}

// shown returns the first highlight that has a mark, escaped, or the text.
func shown(found map[string][]string, otherwise string, fields ...string) template.HTML {
	best := otherwise
	for _, f := range fields {
		if list := found[f]; len(list) > 0 && strings.Contains(list[0], markOn) {
			best = list[0]
			break
		}
	}
	safe := html.EscapeString(best)
	return template.HTML(strings.NewReplacer(markOn, "<mark>", markOff, "</mark>").Replace(safe)) //nolint:gosec // escaped above
}

// Suggest completes what is being typed.
func (x *Index) Suggest(ctx context.Context, prefix string, level search.Level, limit int) ([]search.Suggestion, error) {
	if strings.TrimSpace(prefix) == "" || limit < 1 {
		return nil, nil
	}
	body := object{
		"size": limit, "_source": object{"excludes": []string{"body", "hidden", "summary", "names", "forms"}}, "sort": []object{{"date": "desc"}, {"key": "asc"}},
		"query": object{"bool": object{
			"must":   []object{{"match": object{"title.start": strings.TrimSpace(prefix)}}},
			"filter": []object{visible(level)},
		}},
	}
	var a answer
	if err := x.call(ctx, http.MethodPost, "/"+x.readable(level)+"/_search", body, &a); err != nil {
		return nil, err
	}
	var out []search.Suggestion
	for i := range a.Hits.Hits {
		s := &a.Hits.Hits[i].Source
		out = append(out, search.Suggestion{Key: search.Key{Desk: s.Desk, ID: s.ID}, Kind: s.Kind, Title: s.Title, URL: s.URL, Revision: s.Revision})
	}
	return out, nil
}

// namesIn is how many of the newest documents names are taken from.
const namesIn = 100

// Names returns the names with one of the forms: those of the newest documents first.
func (x *Index) Names(ctx context.Context, forms []string, how search.Nearness, level search.Level) ([]search.Named, error) {
	var should []object
	forms = slices.DeleteFunc(slices.Clone(forms), func(f string) bool { return f == "" })
	for _, form := range forms {
		switch how {
		case search.Whole:
			should = append(should, object{"term": object{"forms": form}})
		case search.Begins:
			should = append(should, object{"prefix": object{"forms": form}})
		default:
			should = append(should, object{"fuzzy": object{"forms": object{"value": form, "fuzziness": search.Slips(form), "prefix_length": 1}}})
		}
	}
	if should == nil {
		return nil, nil
	}
	body := object{
		"size": namesIn, "_source": []string{"desk", "id", "revision", "date", "names"}, "sort": []object{{"date": "desc"}, {"key": "asc"}},
		"query": object{"bool": object{"should": should, "minimum_should_match": 1, "filter": []object{visible(level)}}},
	}
	var a answer
	if err := x.call(ctx, http.MethodPost, "/"+x.readable(level)+"/_search", body, &a); err != nil {
		return nil, err
	}
	var out []search.Named
	for _, form := range forms {
		met := map[[2]string]bool{}
		for i := range a.Hits.Hits {
			s := &a.Hits.Hits[i].Source
			date, err := s.date()
			if err != nil {
				return nil, err
			}
			for k := range s.Names {
				n := &s.Names[k]
				id := [2]string{n.Kind, n.Path}
				if own, ok := search.HasForm(n, form, how); ok && !met[id] {
					met[id] = true
					out = append(out, search.Named{Name: *n, Key: search.Key{Desk: s.Desk, ID: s.ID}, Revision: s.Revision, Form: own, Date: date})
				}
			}
		}
	}
	if how == search.Near {
		slices.SortStableFunc(out, func(a, b search.Named) int {
			return search.Distance(forms[0], a.Form) - search.Distance(forms[0], b.Form)
		})
	}
	return out, nil
}
