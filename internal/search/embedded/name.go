package embedded

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/blevesearch/bleve/v2/index/scorch"

	"pressroom/internal/search"
)

// formEnd stands in the terms of fieldNames between a form, the kind of a name and its path.
const formEnd = "\x00"

// maxNames bounds the names that are looked at for one form in a segment, and maxNear the
// forms that are near.
const (
	maxNames = 32
	maxNear  = 16
)

// nameTerms are the terms of a name: its forms, and which name each of them is a form of.
func nameTerms(names []search.Name) (forms, terms []string) {
	for i := range names {
		for _, form := range search.Forms(&names[i]) {
			forms = append(forms, form)
			terms = append(terms, form+formEnd+names[i].Kind+formEnd+names[i].Path)
		}
	}
	return unique(forms), unique(terms)
}

func unique(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}

// Names returns the names with one of the forms that somebody of a level may see: those of
// the first form first, and of each the names of the newest documents first.
func (x *Index) Names(ctx context.Context, forms []string, how search.Nearness, level search.Level) ([]search.Named, error) {
	var out []search.Named
	err := x.use(func(g *generation) (err error) {
		v, err := g.view(level)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, v.close()) }()
		for _, form := range forms {
			if form == "" {
				continue
			}
			like := []string{form}
			if how == search.Near {
				if like, err = v.near(form); err != nil {
					return err
				}
			}
			for _, f := range like {
				some, err := v.names(ctx, f, how, level)
				if err != nil {
					return err
				}
				out = append(out, some...)
			}
		}
		return nil
	})
	return out, err
}

// near returns the forms that differ in a letter or two.
func (v *view) near(form string) ([]string, error) {
	n := utf8.RuneCountInString(form)
	var out []string
	if search.Slips(form) == 0 {
		return nil, nil
	}
	for _, reader := range v.readers {
		snap, ok := reader.(*scorch.IndexSnapshot)
		if !ok {
			continue
		}
		first := 1 // letter that must be right
		if form[0] < 0x80 {
			first = 2
		}
		d, err := snap.FieldDictFuzzy(fieldForms, form, search.Slips(form), string([]rune(form)[:min(first, n)]))
		if err != nil {
			return nil, err
		}
		for e, err := d.Next(); e != nil || err != nil; e, err = d.Next() {
			if err != nil {
				return nil, errors.Join(err, d.Close())
			}
			if len(out) < maxNear && !slices.Contains(out, e.Term) {
				out = append(out, e.Term)
			}
		}
		if err := d.Close(); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(out, func(a, b string) int {
		return cmp.Or(search.Distance(form, a)-search.Distance(form, b), cmp.Compare(a, b))
	})
	return out, nil
}

// names returns the names with a form.
func (v *view) names(ctx context.Context, form string, how search.Nearness, level search.Level) ([]search.Named, error) {
	to := form + "\x01"
	from := form + formEnd
	if how == search.Begins {
		from, to = form, form+"\U0010FFFF"
	}
	found := map[string][]*roaring.Bitmap{} // by kind and path, in each segment
	forms := map[string]string{}
	for i, s := range v.segs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		visible, err := s.visible(level)
		if err != nil {
			return nil, err
		}
		var terms []string
		if err := s.terms(fieldNames, from, to, func(t string) bool {
			terms = append(terms, t)
			return len(terms) < maxNames
		}); err != nil {
			return nil, err
		}
		for _, t := range terms {
			docs, err := s.with(fieldNames, t)
			if err != nil {
				return nil, err
			}
			own, name, _ := strings.Cut(t, formEnd)
			if found[name] == nil {
				found[name], forms[name] = empty(len(v.segs)), own
			}
			found[name][i] = roaring.Or(found[name][i], roaring.And(docs, visible))
		}
	}
	var out []search.Named
	for name, docs := range found {
		n, err := v.named(docs, name)
		if err != nil {
			return nil, err
		}
		if n != nil {
			n.Form = forms[name]
			out = append(out, *n)
		}
	}
	slices.SortFunc(out, func(a, b search.Named) int {
		return cmp.Or(b.Date.Compare(a.Date), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Path, b.Path))
	})
	return out, nil
}

// named reads a name out of the newest of some documents; nil if there are none.
func (v *view) named(docs []*roaring.Bitmap, name string) (*search.Named, error) {
	sets, _, err := v.newest(docs, 1, time.Time{})
	if err != nil {
		return nil, err
	}
	list, err := v.dated(sets)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	if err := rank(list); err != nil {
		return nil, err
	}
	n, err := list[0].seg.named(list[0].doc, name)
	n.Date = time.UnixMilli(list[0].date).UTC()
	return n, err
}

// named reads a name of a document, by its kind and path.
func (s *seg) named(doc uint32, name string) (*search.Named, error) {
	d, err := s.shown(doc)
	if err != nil {
		return nil, err
	}
	out := &search.Named{Key: search.Key{Desk: d.Desk, ID: d.ID}, Revision: d.Revision}
	var bad error
	err = s.VisitStoredFields(uint64(doc), func(field string, _ byte, value []byte, _ []uint64) bool {
		if field != fieldNamed {
			return true
		}
		var all []search.Name
		bad = json.Unmarshal(value, &all)
		for i := range all {
			if all[i].Kind+formEnd+all[i].Path == name {
				out.Name = all[i]
			}
		}
		return false
	})
	return out, errors.Join(err, bad)
}
