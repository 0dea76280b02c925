package auth

import (
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"testing"
	"time"

	"pressroom/internal/errs"
)

func TestLockoutOfName(t *testing.T) {
	h := open(t, Options{})
	h.add(t, "mika", Reader)
	for _, name := range []string{"mika", "nobody"} { // an unknown name behaves alike
		for i := range perName.free + 1 {
			b := h.browser(t)
			b.addr = fmt.Sprintf("198.51.100.%d:1", i+1)
			_, err := b.signIn(name, "wrong password")
			is(t, fmt.Sprint(name, i), err, errs.Unauthenticated)
		}
		b := h.browser(t)
		for n := range 12 {
			_, err := b.signIn(name, secretWord) // even the right one waits
			is(t, fmt.Sprint(name, " waits ", n), err, errs.RateLimited)
			after, _ := errs.RetryAfter(err)
			if want := min(time.Second<<n, perName.longest); after != want {
				t.Fatalf("%s: the wait after %d more is %s, want %s", name, n, after, want)
			}
			h.pass(after)
			b.addr = fmt.Sprintf("203.0.113.%d:1", n+1)
			_, err = b.signIn(name, "wrong password")
			is(t, fmt.Sprint(name, " after the wait ", n), err, errs.Unauthenticated)
		}
	}
	h.pass(perName.longest)
	b := h.browser(t)
	if _, err := b.signIn("mika", secretWord); err != nil {
		t.Fatal(err)
	}
	_, err := b.signIn("mika", "wrong password")
	is(t, "counted from the beginning", err, errs.Unauthenticated)
	_, err = b.signIn("mika", "wrong password")
	is(t, "counted from the beginning", err, errs.Unauthenticated)
}

func TestLockoutOfAddress(t *testing.T) {
	h := open(t, Options{})
	h.add(t, "mika", Reader)
	b := h.browser(t)
	b.addr = "[2001:db8::1]:5"
	for i := range perAddress.free + 1 {
		_, err := b.signIn(fmt.Sprint("name", i), "wrong password")
		is(t, fmt.Sprint("try ", i), err, errs.Unauthenticated)
	}
	_, err := b.signIn("mika", secretWord)
	is(t, "the address", err, errs.RateLimited)
	b.addr = "[2001:db8::ffff:1]:5"
	_, err = b.signIn("mika", secretWord)
	is(t, "another address of the network", err, errs.RateLimited)
	b.addr = "[2001:db8:0:1::1]:5"
	_, err = b.signIn("mika", secretWord)
	is(t, "another network", err, nil)
	// Signing in with an account of one's own does not clear the address.
	h.pass(time.Second)
	b.addr = "[2001:db8::1]:5"
	_, err = b.signIn("mika", secretWord)
	is(t, "after the wait", err, nil)
	_, err = b.signIn("other", "wrong password")
	if err == nil {
		t.Error("let in")
	}
	_, err = b.signIn("another", "wrong password")
	is(t, "the next guess", err, errs.RateLimited)
	h.pass(forgetAfter + time.Second)
	for i := range perAddress.free {
		_, err := b.signIn(fmt.Sprint("later", i), "wrong password")
		is(t, "a day later", err, errs.Unauthenticated)
	}
}

// A crowd of guesses at one moment gets no more looks at the password than
// guesses one after another.
func TestGuessesAtOnce(t *testing.T) {
	h := open(t, Options{Hashing: 4})
	h.add(t, "mika", Reader)
	var wg sync.WaitGroup
	var mu sync.Mutex
	looks := 0
	for i := range 60 {
		wg.Go(func() {
			b := h.browser(t)
			b.addr = netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 1, byte(i)}), 1).String()
			_, err := b.signIn("mika", "wrong password")
			switch {
			case errors.Is(err, errs.Unauthenticated):
				mu.Lock()
				looks++
				mu.Unlock()
			case !errors.Is(err, errs.RateLimited):
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if looks > perName.free+1 {
		t.Errorf("%d of 60 guesses were looked at", looks)
	}
}

func TestWait(t *testing.T) {
	for n, want := range map[int]time.Duration{1: time.Second, 2: 2 * time.Second, 10: 512 * time.Second, 11: perName.longest, 20: perName.longest, 64: perName.longest, 1000: perName.longest} {
		if got := perName.wait(n); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
}
