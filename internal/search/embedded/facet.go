package embedded

import (
	"cmp"
	"slices"

	"pressroom/internal/search"
)

const (
	// facetSample is among how many of the best documents tags are counted.
	facetSample = 1000
	maxFacet    = 20
)

// facets counts the results by field.
func (r *request) facets(list []candidate) error {
	for _, f := range []struct {
		field  string
		filter int
		out    *[]search.Count
	}{
		{fieldDesk, filterDesk, &r.out.Facets.Desks},
		{fieldKind, filterKind, &r.out.Facets.Kinds},
		{fieldLanguage, filterLanguage, &r.out.Facets.Languages},
	} {
		counts := map[string]int{}
		for _, found := range r.found {
			if err := found.count(f.field, f.filter, counts); err != nil {
				return err
			}
		}
		*f.out = sorted(counts)
	}
	best := map[*seg][]uint32{}
	for i := range min(len(list), facetSample) {
		best[list[i].seg] = append(best[list[i].seg], list[i].doc)
	}
	tags := map[string]int{}
	for s, docs := range best {
		if err := s.countTags(docs, tags); err != nil {
			return err
		}
	}
	r.out.Facets.Tags = sorted(tags)
	return nil
}

// count adds what a field of few values has in one segment.
func (f *found) count(field string, filter int, counts map[string]int) error {
	docs := f.under(filter)
	if docs.IsEmpty() {
		return nil
	}
	values, err := f.all(field)
	if err != nil {
		return err
	}
	for _, v := range values {
		b, err := f.with(field, v)
		if err != nil {
			return err
		}
		if n := docs.AndCardinality(b); n > 0 {
			counts[v] += int(n) //nolint:gosec // a count of documents
		}
	}
	return nil
}

func sorted(counts map[string]int) []search.Count {
	var out []search.Count
	for v, n := range counts {
		out = append(out, search.Count{Value: v, Count: n})
	}
	slices.SortFunc(out, func(a, b search.Count) int { return cmp.Or(b.Count-a.Count, cmp.Compare(a.Value, b.Value)) })
	return out[:min(len(out), maxFacet)]
}
