package embedded

import (
	"context"
	"encoding/json"
	"errors"
	"html/template"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"pressroom/internal/search"
	"pressroom/internal/search/text"
)

// limits bound what a search does beyond bitmaps.
type limits struct {
	// candidates is how many documents are scored.
	candidates int
	// effort is what it may take to look at all documents for terms that follow
	// each other, in readings of some 15 ns; beyond, only what is shown is looked at.
	effort int
}

var defaultLimits = limits{candidates: 4000, effort: 600_000}

// excerptSize is in letters.
const excerptSize = 160

// Search finds a page of documents.
func (x *Index) Search(ctx context.Context, q search.Query) (*search.Results, error) {
	if err := q.Check(); err != nil {
		return nil, err
	}
	after, err := q.OpenCursor()
	if err != nil {
		return nil, err
	}
	r := &request{limits: x.limits, ctx: ctx, q: &q, units: text.Parse(q.Text, q.Synonyms...), after: after, asOf: x.now()}
	if after != nil {
		r.asOf = after.AsOf
	}
	err = x.use(func(g *generation) (err error) {
		if r.view, err = g.view(q.Level); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, r.close()) }()
		return r.run()
	})
	if err != nil {
		return nil, err
	}
	return &r.out, nil
}

// request is one search.
type request struct {
	*view
	limits
	ctx   context.Context //nolint:containedctx // a request lives as long as its call
	q     *search.Query
	units []text.Unit
	after *search.Position
	asOf  time.Time
	found []*found
	out   search.Results
}

func (r *request) run() error {
	if err := r.match((*seg).match); err != nil {
		return err
	}
	if r.out.Total == 0 && len(r.units) > 0 {
		if err := r.correct(); err != nil {
			return err
		}
		r.out.Relaxed = true
		if err := r.match((*seg).relax); err != nil {
			return err
		}
		r.out.Relaxed = r.out.Total > 0
	}
	list, more, err := r.candidates()
	if err != nil {
		return err
	}
	if err := r.facets(list); err != nil {
		return err
	}
	return r.page(list, more)
}

// match finds what fits in every segment, and counts it.
func (r *request) match(how func(*seg, *search.Query, []text.Unit) (*found, error)) error {
	r.found, r.out.Total, r.out.AtMost = nil, 0, false
	effort := 0
	for _, s := range r.segs {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		f, err := how(s, r.q, r.units)
		if err != nil {
			return err
		}
		n, err := f.effort()
		if err != nil {
			return err
		}
		effort += n
		r.found = append(r.found, f)
	}
	for _, f := range r.found {
		if effort <= r.effort {
			if err := f.verify(f.base); err != nil {
				return err
			}
			f.checks = nil
		}
		r.out.AtMost = r.out.AtMost || len(f.checks) > 0
		r.out.Total += int(f.hits.GetCardinality()) //nolint:gosec // a count of documents
	}
	return nil
}

// hits returns what fits, by segment.
func (r *request) hits() []*roaring.Bitmap {
	out := make([]*roaring.Bitmap, len(r.found))
	for i, f := range r.found {
		out[i] = f.hits
	}
	return out
}

// candidates returns the documents that the page is made of, in order. More
// tells that there are further ones which come after all of them.
func (r *request) candidates() (list []candidate, more bool, err error) {
	if r.q.Sort == search.Newest && r.out.Total > r.limits.candidates {
		return r.recent()
	}
	sets := r.hits()
	if r.out.Total > r.limits.candidates {
		if sets, err = r.best(sets); err != nil {
			return nil, false, err
		}
	}
	list, err = r.list(sets)
	return list, false, err
}

// recent returns the newest from the cursor on, enough for a page: how many of
// the cursor's day were shown, or do not fit after all, is only known afterwards.
func (r *request) recent() (list []candidate, more bool, err error) {
	var until time.Time
	if r.after != nil {
		until = r.after.Date
	}
	for n := r.q.Limit + 1; ; n *= 4 {
		sets, more, err := r.newest(r.hits(), n, until)
		if err != nil {
			return nil, false, err
		}
		if list, err = r.list(sets); err != nil {
			return nil, false, err
		}
		if list, err = r.confirm(list); err != nil {
			return nil, false, err
		}
		start, err := r.start(list)
		if err != nil {
			return nil, false, err
		}
		if !more || len(list)-start > r.q.Limit {
			return list, more, nil
		}
	}
}

// best chooses whom to score of too many: those that have it all in their
// titles, the newest first, and then the newest of the others.
func (r *request) best(hits []*roaring.Bitmap) ([]*roaring.Bitmap, error) {
	titles := make([]*roaring.Bitmap, len(hits))
	for i, s := range r.segs {
		t, err := s.wholeInTitle(r.units)
		if err != nil {
			return nil, err
		}
		titles[i] = roaring.And(hits[i], t)
	}
	first, _, err := r.newest(titles, r.limits.candidates/2, time.Time{})
	if err != nil {
		return nil, err
	}
	second, _, err := r.newest(hits, r.limits.candidates/2, time.Time{})
	if err != nil {
		return nil, err
	}
	for i := range first {
		first[i].Or(second[i])
	}
	return first, nil
}

// wholeInTitle returns what has all units in its title.
func (s *seg) wholeInTitle(units []text.Unit) (*roaring.Bitmap, error) {
	var all []*roaring.Bitmap
	for i := range units {
		if units[i].Not {
			continue
		}
		var terms []string
		for _, t := range units[i].Terms {
			terms = append(terms, t.Text)
		}
		b, err := s.withAll(fieldTitle, terms)
		if err != nil {
			return nil, err
		}
		all = append(all, b)
	}
	if all == nil {
		return roaring.New(), nil
	}
	return intersect(all), nil
}

// list makes candidates of sets of documents, scored and in order.
func (r *request) list(sets []*roaring.Bitmap) ([]candidate, error) {
	list, err := r.dated(sets)
	if err != nil {
		return nil, err
	}
	if r.q.Sort == search.Relevance {
		if err := r.score(sets, list, scoring(r.units)); err != nil {
			return nil, err
		}
		for i := range list {
			list[i].score *= freshness(list[i].date, r.asOf)
		}
	}
	return list, rank(list)
}

// confirm leaves the candidates that stand their checks.
func (r *request) confirm(list []candidate) ([]candidate, error) {
	if !r.out.AtMost {
		return list, nil
	}
	sets := map[*seg]*roaring.Bitmap{}
	for i := range list {
		c := &list[i]
		if sets[c.seg] == nil {
			sets[c.seg] = roaring.New()
		}
		sets[c.seg].Add(c.doc)
	}
	for _, f := range r.found {
		if sets[f.seg] == nil {
			continue
		}
		bad, err := f.failing(sets[f.seg])
		if err != nil {
			return nil, err
		}
		sets[f.seg] = bad
	}
	var good []candidate
	for i := range list {
		if c := &list[i]; !sets[c.seg].Contains(c.doc) {
			good = append(good, *c)
		}
	}
	return good, nil
}

// page fills in the hits after the cursor. It looks at no more candidates than it
// takes to fill it, and one more, which tells that there is another page.
func (r *request) page(list []candidate, more bool) error {
	start, err := r.start(list)
	if err != nil {
		return err
	}
	var good []candidate
	for step := r.q.Limit + 1; start < len(list) && len(good) <= r.q.Limit; step *= 4 {
		end := min(start+step, len(list))
		next, err := r.confirm(list[start:end])
		if err != nil {
			return err
		}
		good, start = append(good, next...), end
	}
	further := more || len(good) > r.q.Limit
	good = good[:min(len(good), r.q.Limit)]
	for i := range good {
		h, err := r.hit(&good[i])
		if err != nil {
			return err
		}
		r.out.Hits = append(r.out.Hits, h)
	}
	if !further || len(good) == 0 {
		return nil
	}
	last := &good[len(good)-1]
	id, err := last.key()
	if err != nil {
		return err
	}
	r.out.Next, err = r.q.SealCursor(search.Position{
		Score: last.score, Date: time.UnixMilli(last.date).UTC(), ID: id, AsOf: r.asOf,
	})
	return err
}

// start returns the first candidate after the cursor.
func (r *request) start(list []candidate) (int, error) {
	if r.after == nil {
		return 0, nil
	}
	shown := &candidate{score: r.after.Score, date: r.after.Date.UnixMilli(), id: r.after.ID}
	for i := range list {
		c, err := compare(shown, &list[i])
		if err != nil {
			return 0, err
		}
		if c < 0 {
			return i, nil
		}
	}
	return len(list), nil
}

func (r *request) hit(c *candidate) (search.Hit, error) {
	d, err := c.seg.shown(c.doc)
	if err != nil {
		return search.Hit{}, err
	}
	why, err := c.seg.why(c.doc, r.units)
	if err != nil {
		return search.Hit{}, err
	}
	body := d.Summary
	if d.Body != "" {
		body += "\n" + d.Body
	}
	return search.Hit{
		Key: search.Key{Desk: d.Desk, ID: d.ID}, Kind: d.Kind, Language: d.Language, Title: d.Title, Tags: d.Tags,
		Date: time.UnixMilli(c.date).UTC(), URL: d.URL, Revision: d.Revision, Score: c.score, Why: why,
		TitleHTML:   template.HTML(text.Mark(d.Title, r.units)),                                  //nolint:gosec // Mark escapes
		ExcerptHTML: template.HTML(text.Mark(text.Excerpt(body, r.units, excerptSize), r.units)), //nolint:gosec // likewise
	}, nil
}

// shown reads what is kept of a document.
func (s *seg) shown(doc uint32) (*shown, error) {
	var d shown
	var bad error
	err := s.VisitStoredFields(uint64(doc), func(field string, _ byte, value []byte, _ []uint64) bool {
		if field == fieldShown {
			bad = json.Unmarshal(value, &d)
			return false
		}
		return true
	})
	return &d, errors.Join(err, bad)
}
