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

	"pressroom/model"
)

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

// List returns a page of the stories of some desks, newest first, and the cursor of the
// page that follows; "" is the first page. A limit of 0 means [DefaultLimit]. A cursor
// that List did not write is [model.ErrCursor]. The cards are read again as they are
// now; a new one may be missing for the moment that the index is behind.
func (s *Stories) List(ctx context.Context, desks []string, after string, limit int) (model.Page[Story], error) {
	if limit <= 0 {
		limit = DefaultLimit
	}
	var page model.Page[Story]
	from, err := openPlace(after)
	if err != nil {
		return page, err
	}
	var some []listed // whose cards are not read yet
	for one, err := range s.merged(ctx, desks, from) {
		if err != nil {
			return page, err
		}
		// One more than the page has, to know whether another one follows.
		if some = append(some, one); len(page.Items)+len(some) <= limit {
			continue
		}
		shown, err := s.shown(ctx, some)
		if err != nil {
			return page, err
		}
		page.Items, some = append(page.Items, shown...), nil
		if len(page.Items) > limit {
			page.Items = page.Items[:limit]
			last := &page.Items[limit-1]
			page.Next = listed{Ref: last.Ref, Order: last.order()}.seal()
			return page, nil
		}
	}
	shown, err := s.shown(ctx, some)
	page.Items = append(page.Items, shown...)
	return page, err
}

// shown reads the cards behind entries of the index. One that has moved in the list
// since is left out: it is at its other place, or comes there soon.
func (s *Stories) shown(ctx context.Context, entries []listed) ([]Story, error) {
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
		if st, ok := cards[entry]; ok {
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

// merged yields what the index has of the desks after a place, in one order.
func (s *Stories) merged(ctx context.Context, desks []string, from listed) iter.Seq2[listed, error] {
	return func(yield func(listed, error) bool) {
		type list struct {
			first listed
			next  func() (listed, error, bool)
		}
		var lists []list
		// advance reads the next one of a list that is after the place.
		advance := func(l *list) (bool, error) {
			for {
				one, err, ok := l.next()
				if !ok || err != nil {
					return false, err
				}
				if l.first = one; from.Order == "" || from.compare(one) < 0 {
					return true, nil
				}
			}
		}
		for _, desk := range slices.Compact(slices.Sorted(slices.Values(desks))) {
			next, stop := iter.Pull2(s.newest.All(ctx, model.Values{"desk": desk}, model.Window{To: from.Order}))
			defer stop()
			l := list{next: next}
			ok, err := advance(&l)
			if err != nil {
				yield(listed{}, err)
				return
			}
			if ok {
				lists = append(lists, l)
			}
		}
		for len(lists) > 0 {
			i := 0
			for j := range lists {
				if lists[j].first.compare(lists[i].first) < 0 {
					i = j
				}
			}
			if !yield(lists[i].first, nil) {
				return
			}
			ok, err := advance(&lists[i])
			if err != nil {
				yield(listed{}, err)
				return
			}
			if !ok {
				lists = slices.Delete(lists, i, i+1)
			}
		}
	}
}
