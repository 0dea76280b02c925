package story

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"pressroom/model"
)

// Page is a part of a list of stories.
type Page = model.Page[Story]

// ErrCursor is a cursor that [Stories.List] did not write.
var ErrCursor = model.ErrCursor

// Time reads a time as stories have it; zero if there is none.
func Time(text string) time.Time {
	t, err := model.ParseTime(text)
	if err != nil {
		return time.Time{}
	}
	return t
}

// DefaultLimit is how many stories a page has if nothing is said.
const DefaultLimit = 20

// Get returns the cards of stories as they are now, in the order of the refs. Those
// that are not visible are left out.
func (s *Stories) Get(ctx context.Context, refs ...Ref) ([]Story, error) {
	keys := make([]model.Values, len(refs))
	for i, ref := range refs {
		keys[i] = ref.key()
	}
	heads, err := s.heads.BatchGet(ctx, keys)
	if err != nil {
		return nil, err
	}
	stories := make([]Story, 0, len(heads))
	for _, h := range heads {
		if h.Withdrawn == "" {
			stories = append(stories, h.Story)
		}
	}
	return stories, nil
}

// All yields the cards of all visible stories of a desk, in no order that means
// anything. Every story that was visible before the first one is read, and stays so,
// is among them.
func (s *Stories) All(ctx context.Context, desk string) iter.Seq2[Story, error] {
	return func(yield func(Story, error) bool) {
		for shard := range shards {
			for h, err := range s.heads.All(ctx, "Heads", model.Values{"desk": desk, "shard": strconv.Itoa(shard)}) {
				if err == nil && h.Withdrawn != "" {
					continue
				}
				if !yield(h.Story, err) || err != nil {
					return
				}
			}
		}
	}
}

// Listing says which stories are wanted.
type Listing struct {
	Desks    []string
	Language string // of the stories; any if empty
	// OfDay is how many stories of a desk one day (in UTC) has at most. The newest are
	// taken: who publishes by the hundred does not fill the list.
	OfDay map[string]int
	After string // the cursor of the page before; "" for the first page
	Limit int    // 0 means [DefaultLimit]
}

// readAtMost is how many stories are read for one that is listed. A language that is
// rare gives a short page rather than a slow one.
const readAtMost = 8

// List returns a page of stories, newest first, and the cursor of the page that
// follows. A cursor that it did not write is [ErrCursor]. The cards are read
// again as they are now; a new one may be missing for the moment that the index is
// behind.
func (s *Stories) List(ctx context.Context, l Listing) (Page, error) {
	if l.Limit <= 0 {
		l.Limit = DefaultLimit
	}
	var page Page
	from, err := openPlace(l.After)
	if err != nil {
		return page, err
	}
	var some []listed // whose cards are not read yet
	read := 0
	for one, err := range s.merged(ctx, &l, from) {
		if err != nil {
			return page, err
		}
		// One more than the page has, to know whether another one follows.
		if some = append(some, one); len(page.Items)+len(some) <= l.Limit {
			continue
		}
		shown, err := s.shown(ctx, l.Language, some)
		if err != nil {
			return page, err
		}
		page.Items, read, some = append(page.Items, shown...), read+len(some), nil
		switch {
		case len(page.Items) > l.Limit:
			page.Items = page.Items[:l.Limit]
			last := &page.Items[l.Limit-1]
			page.Next = listed{Ref: last.Ref, Order: last.order()}.seal()
			return page, nil
		case read >= readAtMost*l.Limit:
			page.Next = one.seal()
			return page, nil
		}
	}
	shown, err := s.shown(ctx, l.Language, some)
	page.Items = append(page.Items, shown...)
	return page, err
}

// monthForm is how the order of a list begins: what To and From go by.
const monthForm = "2006-01"

// Months yields the months in which a desk has stories, as 2026-11, the last one first.
func (s *Stories) Months(ctx context.Context, desk string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for to := ""; ; {
			last, err := s.lastMonth(ctx, desk, to)
			if last.IsZero() && err == nil || !yield(last.Format(monthForm), err) || err != nil {
				return
			}
			to = last.AddDate(0, -1, 0).Format(monthForm)
		}
	}
}

// lastMonth is the last month up to one, "" for any, in which a desk has a story; zero
// if there is none.
func (s *Stories) lastMonth(ctx context.Context, desk, to string) (time.Time, error) {
	for one, err := range s.newest.All(ctx, model.Values{"desk": desk}, model.Window{To: to}) {
		if err != nil {
			return time.Time{}, err
		}
		return time.Parse(monthForm, one.Order[:len(monthForm)])
	}
	return time.Time{}, nil
}

// OfMonth yields the stories of a desk in a month, newest first.
func (s *Stories) OfMonth(ctx context.Context, desk, month string) iter.Seq2[Story, error] {
	return func(yield func(Story, error) bool) {
		var some []listed
		flush := func() bool {
			shown, err := s.shown(ctx, "", some)
			some = some[:0]
			if err != nil {
				yield(Story{}, err)
				return false
			}
			for _, st := range shown {
				if !yield(st, nil) {
					return false
				}
			}
			return true
		}
		for one, err := range s.newest.All(ctx, model.Values{"desk": desk}, model.Window{From: month, To: month}) {
			if err != nil {
				yield(Story{}, err)
				return
			}
			if some = append(some, one); len(some) == perRead && !flush() {
				return
			}
		}
		flush()
	}
}

// shown reads the cards behind entries of the index, those in a language or all. One
// that has moved in the list since is left out: it is at its other place, or comes
// there soon.
func (s *Stories) shown(ctx context.Context, language string, entries []listed) ([]Story, error) {
	if len(entries) == 0 {
		return nil, nil
	}
	refs := make([]Ref, len(entries))
	for i, entry := range entries {
		refs[i] = entry.Ref
	}
	found, err := s.Get(ctx, refs...)
	cards := map[listed]Story{}
	for _, st := range found {
		cards[listed{st.Ref, st.order()}] = st
	}
	var stories []Story
	for _, entry := range entries {
		if st, ok := cards[entry]; ok && (language == "" || st.Language == language) {
			stories = append(stories, st)
		}
	}
	return stories, err
}

// listed is a story as the index has it, and its place in a list of several desks.
type listed struct {
	Ref
	Order string `dynamodbav:"order"`
}

// compare sorts the newest first, and those of one moment by id, then by desk.
func (l listed) compare(other listed) int {
	return cmp.Or(strings.Compare(other.Order, l.Order), strings.Compare(l.Desk, other.Desk))
}

func (l listed) seal() string {
	return base64.RawURLEncoding.EncodeToString([]byte(l.Desk + "#" + l.Order))
}

func openPlace(text string) (listed, error) {
	if text == "" {
		return listed{}, nil
	}
	plain, err := base64.RawURLEncoding.DecodeString(text)
	desk, order, ok := strings.Cut(string(plain), "#")
	if err != nil || !ok || order == "" {
		return listed{}, fmt.Errorf("list stories: %w", model.ErrCursor)
	}
	return listed{Ref: Ref{Desk: desk}, Order: order}, nil
}

// queue is what the index still has of one desk.
type queue struct {
	first listed
	next  func() (listed, error, bool)
	stop  func()
	day   string // of the last one that was met, and how many it has
	met   int
}

// merged yields what the index has of the desks after a place, in one order.
func (s *Stories) merged(ctx context.Context, l *Listing, from listed) iter.Seq2[listed, error] {
	return func(yield func(listed, error) bool) {
		var queues []*queue
		defer func() {
			for _, q := range queues {
				q.stop()
			}
		}()
		for _, desk := range slices.Compact(slices.Sorted(slices.Values(l.Desks))) {
			q := &queue{stop: func() {}}
			queues = append(queues, q)
			to := from.Order
			if l.OfDay[desk] > 0 && to != "" {
				to = dayOf(to) // what that day has shown is counted again
			}
			s.pull(ctx, q, desk, to)
			ok, err := s.advance(ctx, q, desk, l.OfDay[desk], from)
			if err != nil {
				yield(listed{}, err)
				return
			}
			if !ok {
				queues = queues[:len(queues)-1]
				q.stop()
			}
		}
		for len(queues) > 0 {
			i := 0
			for j := range queues {
				if queues[j].first.compare(queues[i].first) < 0 {
					i = j
				}
			}
			q := queues[i]
			if !yield(q.first, nil) {
				return
			}
			ok, err := s.advance(ctx, q, q.first.Desk, l.OfDay[q.first.Desk], from)
			if err != nil {
				yield(listed{}, err)
				return
			}
			if !ok {
				q.stop()
				queues = slices.Delete(queues, i, i+1)
			}
		}
	}
}

func dayOf(order string) string { return order[:min(len(order), len(time.DateOnly))] }

// pull begins to read what a desk has up to a place.
func (s *Stories) pull(ctx context.Context, q *queue, desk, to string) {
	q.stop()
	q.next, q.stop = iter.Pull2(s.newest.All(ctx, model.Values{"desk": desk}, model.Window{To: to}))
}

// advance reads the next one of a desk that is after the place, and among the first of
// its day; most is 0 for any.
func (s *Stories) advance(ctx context.Context, q *queue, desk string, most int, from listed) (bool, error) {
	for {
		one, err, ok := q.next()
		if !ok || err != nil {
			return false, err
		}
		if day := dayOf(one.Order); day != q.day {
			q.day, q.met = day, 0
		}
		if q.met++; most > 0 && q.met > most {
			day, err := time.Parse(time.DateOnly, q.day)
			if err != nil {
				return false, err
			}
			s.pull(ctx, q, desk, day.AddDate(0, 0, -1).Format(time.DateOnly))
			continue
		}
		if q.first = one; from.Order == "" || from.compare(one) < 0 {
			return true, nil
		}
	}
}
