package llm

import "time"

// window remembers how much was let through in a span of time that slides. It
// hands out times ahead: who comes next is given the first moment at which it
// fits, after everybody before it. Sums are kept in slots of a six-hundredth of the
// span, counted to the slot's end, so that memory is bounded and the limit is
// never passed, in any span whatever its start.
type window struct {
	span     time.Duration
	requests int // Limit, 0 for none.
	tokens   int // Limit, 0 for none.
	slots    []slot
}

type slot struct {
	end      time.Time
	requests int
	tokens   int
}

func (w *window) width() time.Duration { return w.span / 600 }

// slotEnd rounds up to the end of the slot that holds t.
func (w *window) slotEnd(t time.Time) time.Time {
	end := t.Truncate(w.width())
	if end.Before(t) {
		end = end.Add(w.width())
	}
	return end
}

// earliest returns the first time from t on at which one more request of so many
// tokens fits. The request itself must be within the limits.
func (w *window) earliest(t time.Time, tokens int) time.Time {
	i, requests, used := len(w.slots), 0, 0
	// The newest slots that fit beside the request may be inside the span; the one
	// before them must have left it.
	for i > 0 {
		s := w.slots[i-1]
		if w.requests > 0 && requests+s.requests+1 > w.requests || w.tokens > 0 && used+s.tokens+tokens > w.tokens {
			break
		}
		requests, used = requests+s.requests, used+s.tokens
		i--
	}
	if i > 0 {
		if free := w.slots[i-1].end.Add(w.span); free.After(t) {
			return free
		}
	}
	return t
}

// add counts a request at t, which is not before that of any slot but the last.
func (w *window) add(t time.Time, tokens int) {
	end := w.slotEnd(t)
	for i := range w.slots {
		if w.slots[i].end.Equal(end) {
			w.slots[i].requests++
			w.slots[i].tokens += tokens
			return
		}
	}
	w.slots = append(w.slots, slot{end: end, requests: 1, tokens: tokens})
}

// change corrects what was counted at t, if it is still remembered.
func (w *window) change(t time.Time, requests, tokens int) {
	end := w.slotEnd(t)
	for i := range w.slots {
		if s := &w.slots[i]; s.end.Equal(end) {
			s.requests += requests
			s.tokens = max(0, s.tokens+tokens)
		}
	}
	// A slot ahead of time that is empty again would keep later slots out of order.
	for n := len(w.slots); n > 0 && w.slots[n-1].requests <= 0; n-- {
		w.slots = w.slots[:n-1]
	}
}

// forget drops the slots that can no longer matter.
func (w *window) forget(now time.Time) {
	i := 0
	for i < len(w.slots) && !w.slots[i].end.Add(w.span).After(now) {
		i++
	}
	w.slots = append(w.slots[:0], w.slots[i:]...)
}

// last returns the time until which calls are handed out.
func (w *window) last() time.Time {
	for i := len(w.slots) - 1; i >= 0; i-- {
		if w.slots[i].requests > 0 {
			return w.slots[i].end.Add(-w.width())
		}
	}
	return time.Time{}
}
