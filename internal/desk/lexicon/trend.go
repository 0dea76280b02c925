package lexicon

import (
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"time"

	"pressroom/model"
)

// Trend is how much a term is used.
type Trend struct {
	Slug         string   `dynamodbav:"slug" json:"slug"`
	Term         string   `dynamodbav:"term" json:"term"`
	Definition   string   `dynamodbav:"definition" json:"definition"`
	Category     string   `dynamodbav:"category" json:"category"`
	Score        float64  `dynamodbav:"popularity_score" json:"popularity_score"`
	Searches     int      `dynamodbav:"search_count" json:"search_count"`
	Translations int      `dynamodbav:"translation_count" json:"translation_count"`
	Votes        int      `dynamodbav:"vote_count" json:"vote_count"`
	FirstSeen    Stamp    `dynamodbav:"first_seen" json:"first_seen"`
	LastUpdated  Stamp    `dynamodbav:"last_updated" json:"last_updated"`
	Active       bool     `dynamodbav:"is_active_flag" json:"is_active"`
	Example      string   `dynamodbav:"example_usage,omitempty" json:"example_usage,omitempty"`
	Origin       string   `dynamodbav:"origin,omitempty" json:"origin,omitempty"`
	Related      []string `dynamodbav:"related_terms,omitempty" json:"related_terms,omitempty"`
	ScoredDay    string   `dynamodbav:"scored_day,omitempty" json:"-"`
	TTL          int64    `dynamodbav:"ttl" json:"-"`
}

// TrendRow is what the indexes of trends have of a term.
type TrendRow struct {
	Slug       string  `dynamodbav:"slug" json:"slug"`
	Term       string  `dynamodbav:"term" json:"term"`
	Definition string  `dynamodbav:"definition" json:"definition"`
	Category   string  `dynamodbav:"category" json:"category"`
	Score      float64 `dynamodbav:"popularity_score" json:"popularity_score"`
}

type categoryTrend struct {
	TrendRow
	Active bool `dynamodbav:"is_active_flag"`
}

type trendRun struct {
	Day    string `dynamodbav:"day"`
	DoneAt Stamp  `dynamodbav:"done_at"`
	TTL    int64  `dynamodbav:"ttl"`
}

const (
	halfLife     = 7.0 // days
	faded        = 0.5 // below it a term is in no list
	trendKept    = 90 * 24 * time.Hour
	trendDays    = 7 // how many missed days a run makes up for
	trendsAtOnce = 100
	// settling is how long after its end a day is counted: by then all processes
	// have written what they counted in memory.
	settling = 6 * flushEvery
)

// Trending lists the terms used most, over all categories.
func (d *Desk) Trending(ctx context.Context, p PageOptions) (Page[TrendRow], error) {
	return list(ctx, d.views.trending, nil, p, model.Window{})
}

// TrendingIn lists the terms of a category used most.
func (d *Desk) TrendingIn(ctx context.Context, category string, p PageOptions) (Page[TrendRow], error) {
	if category = label(category); category == "" || len(category) > idMax {
		return Page[TrendRow]{}, invalid("category", "must be 1 to %d bytes", idMax)
	}
	page, err := list(ctx, d.views.ofCategory, model.Values{"category": category}, p, model.Window{})
	out := Page[TrendRow]{Next: page.Next}
	for _, t := range page.Items {
		if !t.Active {
			// Terms that faded have no score, so only such follow.
			out.Next = ""
			break
		}
		out.Items = append(out.Items, t.TrendRow)
	}
	return out, err
}

// RunTrends is the daily job: it brings the uses of all days that are over into
// the scores, which halve every seven days. It may run at any time, as often as
// one likes and in several processes; each day is counted once. It returns how
// many days it counted.
func (d *Desk) RunTrends(ctx context.Context) (int, error) {
	if err := d.FlushCounts(ctx); err != nil {
		return 0, err
	}
	done := 0
	today := d.o.Now().Add(-settling).In(d.o.Zone)
	for ago := trendDays; ago >= 1; ago-- {
		day := today.AddDate(0, 0, -ago).Format(time.DateOnly)
		_, err := d.trendRuns.Get(ctx, model.Values{"day": day})
		if err == nil {
			continue
		}
		if !errors.Is(err, model.ErrNotFound) {
			return done, failure(err)
		}
		if err := d.scoreDay(ctx, day); err != nil {
			return done, err
		}
		run := trendRun{Day: day, DoneAt: d.now(), TTL: d.o.Now().Add(tallyKept).Unix()}
		if err := d.trendRuns.Put(ctx, &run); err != nil {
			return done, failure(err)
		}
		done++
	}
	return done, nil
}

// scoreDay brings one day into the scores: of the terms that were used, and of
// those in the lists, which fade.
func (d *Desk) scoreDay(ctx context.Context, day string) error {
	counts, err := d.countsOf(ctx, day)
	if err != nil {
		return err
	}
	for row, err := range d.views.trending.All(ctx, nil, model.Window{}) {
		if err != nil {
			return failure(err)
		}
		counts[row.Slug] = counts[row.Slug].add(uses{})
	}
	book, err := d.Book(ctx)
	if err != nil {
		return err
	}
	for slugs := range slices.Chunk(slices.Sorted(maps.Keys(counts)), trendsAtOnce) {
		if err := d.scoreTerms(ctx, book, day, slugs, counts); err != nil {
			return err
		}
	}
	return nil
}

// scoreTerms brings one day into the scores of these terms. Which terms there are
// is read from the table: the book may be older than a term, and a trend that goes
// with it does not come back.
func (d *Desk) scoreTerms(ctx context.Context, book *Book, day string, slugs []string, counts map[string]uses) error {
	keys := make([]model.Values, len(slugs))
	for i, slug := range slugs {
		keys[i] = model.Values{"slug": slug}
	}
	trends, err := d.trends.BatchGet(ctx, keys)
	if err != nil {
		return failure(err)
	}
	terms, err := d.terms.BatchGet(ctx, keys)
	if err != nil {
		return failure(err)
	}
	bySlug := map[string]Trend{}
	for _, t := range trends {
		bySlug[t.Slug] = t
	}
	var changed []Trend
	for _, term := range terms {
		trend, seen := bySlug[term.Slug]
		delete(bySlug, term.Slug)
		if seen && trend.ScoredDay >= day {
			continue
		}
		if !seen {
			trend.FirstSeen = d.now()
		}
		d.score(&trend, day, counts[term.Slug])
		trend.describe(&term, book)
		changed = append(changed, trend)
	}
	var gone []model.Values
	for slug := range bySlug {
		gone = append(gone, model.Values{"slug": slug})
	}
	return failure(errors.Join(d.trends.BatchPut(ctx, changed), d.trends.BatchDelete(ctx, gone)))
}

// score brings a day's uses into a trend.
func (d *Desk) score(t *Trend, day string, u uses) {
	if t.ScoredDay != "" {
		t.Score *= math.Exp2(-daysBetween(t.ScoredDay, day) / halfLife)
	}
	t.Score = math.Round((t.Score+u.weight())*1e6) / 1e6
	if t.Active = t.Score >= faded; !t.Active {
		t.Score = 0
	}
	t.Searches += u.searches
	t.Translations += u.translations
	t.Votes += u.votes
	t.ScoredDay, t.LastUpdated = day, d.now()
	t.TTL = d.o.Now().Add(trendKept).Unix()
}

func (t *Trend) describe(term *Term, book *Book) {
	t.Slug, t.Term, t.Definition, t.Category = term.Slug, term.Term, term.Gloss, term.category()
	t.Origin, t.Example, t.Related = term.AttestationNote, "", nil
	if len(term.Examples) > 0 {
		t.Example = term.Examples[0]
	}
	for _, r := range book.Related(*term, 5) {
		t.Related = append(t.Related, r.Slug)
	}
}

func daysBetween(from, to string) float64 {
	a, errA := time.Parse(time.DateOnly, from)
	b, errB := time.Parse(time.DateOnly, to)
	if errA != nil || errB != nil {
		return 0
	}
	return b.Sub(a).Hours() / 24
}
