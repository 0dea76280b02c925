package auth

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"pressroom/internal/errs"
)

// at returns the browser at another process, which shares the store.
func (b *browser) at(a *Auth) *browser {
	other := *b
	other.h = &house{Auth: a}
	return &other
}

func (h *house) process(t testing.TB, secret string) *Auth {
	t.Helper()
	a, err := New(h.db, &Options{Password: cheap, Now: h.clock, Secret: []byte(secret)})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

const deviceSecret = "0123456789abcdef"

// Ten addresses guess one account's password for ten minutes, at two processes.
// Its owner signs in from a known device every time; the guessers get hardly any
// look at the password; the owner's new device is told how long to wait.
func TestOwnerSignsInWhileOthersGuess(t *testing.T) {
	h := open(t, Options{Secret: []byte(deviceSecret)})
	processes := []*Auth{h.Auth, h.process(t, deviceSecret)}
	h.add(t, "mika", Author)
	known := h.browser(t)
	if _, err := known.signIn("mika", secretWord); err != nil {
		t.Fatal(err)
	}
	looks := 0
	for second := range 600 {
		for i := range 10 {
			b := h.browser(t).at(processes[i%2])
			b.addr = fmt.Sprintf("198.51.100.%d:1", i+1)
			switch _, err := b.signIn("mika", fmt.Sprint("guess ", second, i)); {
			case errors.Is(err, errs.Unauthenticated):
				looks++
			case !errors.Is(err, errs.RateLimited):
				t.Fatal(err)
			}
		}
		if second%10 == 0 {
			delete(known.cookies, "pressroom") // the session; the device stays
			if _, err := known.at(processes[second/10%2]).signIn("mika", secretWord); err != nil {
				t.Fatalf("after %d seconds the owner is kept out: %v", second, err)
			}
		}
		h.pass(time.Second)
	}
	// 6 guesses, then one after 1, 2, 4 … 256 seconds.
	if looks > perName.free+1+10 {
		t.Errorf("%d guesses were looked at", looks)
	}
	fresh := h.browser(t)
	fresh.addr = "203.0.113.9:1"
	_, err := fresh.signIn("mika", secretWord)
	is(t, "the owner's new device", err, errs.RateLimited)
	after, ok := errs.RetryAfter(err)
	if !ok || after > perName.longest {
		t.Errorf("told to wait %s", after)
	}
	h.pass(after)
	_, err = fresh.signIn("mika", secretWord)
	is(t, "the owner's new device after the wait", err, nil)
}

// lockName guesses until the name has to wait.
func (h *house) lockName(t testing.TB, name string) {
	t.Helper()
	for i := range perName.free + 1 {
		b := h.browser(t)
		b.addr = fmt.Sprintf("198.51.100.%d:1", i+1)
		_, err := b.signIn(name, "wrong password")
		if !errors.Is(err, errs.Unauthenticated) && !errors.Is(err, errs.RateLimited) {
			t.Fatal(err)
		}
	}
}

func (b *browser) device() (name, value string) {
	for name, value := range b.cookies {
		if strings.Contains(name, deviceCookie) {
			return name, value
		}
	}
	b.t.Fatal("the browser has no device")
	return "", ""
}

func TestDeviceCookie(t *testing.T) {
	for _, secure := range []bool{false, true} {
		h := open(t, Options{})
		h.add(t, "mika", Reader)
		b := h.browser(t)
		b.secure = secure
		w := httptest.NewRecorder()
		if _, err := h.SignIn(w, b.request(), Credentials{Name: "mika", Password: secretWord}); err != nil {
			t.Fatal(err)
		}
		c := w.Result().Cookies()[1]
		prefix := map[bool]string{false: "pressroom-device-", true: "__Host-pressroom-device-"}[secure]
		if !strings.HasPrefix(c.Name, prefix) || c.Secure != secure || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/" || c.Domain != "" ||
			c.MaxAge != int(deviceLife.Seconds()) || strings.Contains(c.Name+c.Value, "mika") {
			t.Errorf("%+v", c)
		}
	}
}

// A device cookie that is not the account's own, or not any more, gets nobody past
// the guessers.
func TestWorthlessDevices(t *testing.T) {
	type scene struct {
		*house
		mika, known *browser // the owner's device, and the one that tries
		id          string
	}
	for name, spoil := range map[string]func(t *testing.T, s *scene){
		"the account's own": func(*testing.T, *scene) {},
		"another account's": func(t *testing.T, s *scene) {
			s.add(t, "nina", Reader)
			other := s.browser(t)
			if _, err := other.signIn("nina", secretWord); err != nil {
				t.Fatal(err)
			}
			_, value := other.device()
			name, _ := s.mika.device()
			s.known.cookies = map[string]string{name: value}
		},
		"with another account's id": func(t *testing.T, s *scene) {
			nina := s.add(t, "nina", Reader)
			name, value := s.mika.device()
			s.known.cookies[name] = nina.ID + value[idLen:]
		},
		"forged": func(_ *testing.T, s *scene) {
			name, value := s.mika.device()
			parts := strings.Split(value, ".")
			parts[2] = "A" + parts[2][1:] + "A" // a budget of its own
			s.known.cookies[name] = strings.Join(parts, ".")
		},
		"of another secret": func(t *testing.T, s *scene) {
			s.known = s.known.at(s.process(t, "another secret word"))
			s.known.cookies = map[string]string{}
			name, value := s.mika.device()
			s.known.cookies[name] = value
			s.known.cookies[s.known.h.deviceCookieOf("mika")] = value
		},
		"longer than it lasts": func(t *testing.T, s *scene) {
			name, value := s.mika.device()
			parts := strings.Split(value, ".")
			parts[1] = "zzzzzzz"
			s.known.cookies[name] = strings.Join(parts, ".")
		},
		"ended": func(_ *testing.T, s *scene) { s.pass(deviceLife) },
		"of before a new password": func(t *testing.T, s *scene) {
			is(t, "set", s.SetPassword(t.Context(), s.id, secretWord), nil)
		},
		"of before signing out everywhere": func(t *testing.T, s *scene) {
			is(t, "revoke", s.RevokeSessions(t.Context(), s.id), nil)
		},
		"of before a lock-out": func(t *testing.T, s *scene) {
			is(t, "disable", s.SetDisabled(t.Context(), s.id, true), nil)
			is(t, "enable", s.SetDisabled(t.Context(), s.id, false), nil)
		},
		"of a deleted account": func(t *testing.T, s *scene) {
			is(t, "delete", s.Delete(t.Context(), s.id), nil)
			s.add(t, "mika", Reader)
		},
		"broken": func(_ *testing.T, s *scene) {
			name, value := s.mika.device()
			s.known.cookies[name] = strings.ReplaceAll(value, ".", "!")
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := open(t, Options{Secret: []byte(deviceSecret)})
			s := &scene{house: h, id: h.add(t, "mika", Reader).ID, mika: h.browser(t), known: h.browser(t)}
			if _, err := s.mika.signIn("mika", secretWord); err != nil {
				t.Fatal(err)
			}
			cookie, value := s.mika.device()
			s.known.cookies[cookie] = value
			h.pass(time.Minute)
			spoil(t, s)
			h.lockName(t, "mika")
			_, err := s.known.signIn("mika", secretWord)
			if name == "the account's own" {
				is(t, name, err, nil)
			} else {
				is(t, name, err, errs.RateLimited)
			}
		})
	}
}

// Each device has its own few attempts, which neither take from nor give to
// others.
func TestDevicesPayForThemselves(t *testing.T) {
	h := open(t, Options{})
	h.add(t, "mika", Reader)
	one, two := h.browser(t), h.browser(t)
	for _, b := range []*browser{one, two} {
		_, err := b.signIn("mika", secretWord)
		is(t, "sign in", err, nil)
	}
	for i := range perDevice.free + 1 {
		_, err := one.signIn("mika", "wrong password")
		is(t, fmt.Sprint("try ", i), err, errs.Unauthenticated)
	}
	_, err := one.signIn("mika", secretWord)
	is(t, "the device that tried too often", err, errs.RateLimited)
	_, err = two.signIn("mika", secretWord)
	is(t, "another device", err, nil)
	_, err = h.browser(t).signIn("mika", secretWord)
	is(t, "a new device", err, nil)
	// The owner's success gives guessers no new tries.
	h.lockName(t, "mika")
	_, err = two.signIn("mika", secretWord)
	is(t, "a known device", err, nil)
	_, err = h.browser(t).signIn("mika", "wrong password")
	is(t, "a guess after it", err, errs.RateLimited)
	h.pass(perName.longest)
	_, err = h.browser(t).signIn("mika", secretWord)
	is(t, "a new device after the wait", err, nil)
	_, err = h.browser(t).signIn("mika", "wrong password")
	is(t, "a guess after it", err, errs.Unauthenticated)
	_, err = h.browser(t).signIn("mika", "wrong password")
	is(t, "the guess after that", err, errs.RateLimited)
}

// Two people who share a browser are both known in it.
func TestSharedBrowser(t *testing.T) {
	h := open(t, Options{})
	b := h.browser(t)
	for _, name := range []string{"mika", "nina"} {
		h.add(t, name, Reader)
		_, err := b.signIn(name, secretWord)
		is(t, name, err, nil)
	}
	for _, name := range []string{"mika", "nina"} {
		h.lockName(t, name)
		_, err := b.signIn(name, secretWord)
		is(t, name+" while others guess", err, nil)
	}
}

// The owner can change the password while others guess; the browser stays known.
func TestChangePasswordWhileOthersGuess(t *testing.T) {
	h := open(t, Options{})
	a := h.add(t, "mika", Reader)
	b := h.browser(t)
	_, err := b.signIn("mika", secretWord)
	is(t, "sign in", err, nil)
	h.lockName(t, "mika")
	h.pass(time.Minute)
	w, r := httptest.NewRecorder(), b.request()
	is(t, "change", h.ChangePassword(w, r.WithContext(With(r.Context(), b.who())), a.ID, secretWord, "another long password"), nil)
	b.keep(w)
	h.lockName(t, "mika")
	_, err = b.signIn("mika", "another long password")
	is(t, "sign in after it", err, nil)
}

// Strangers who fill the waiting room leave room for others, and are not charged
// for a password that nobody looked at.
func TestCrowdOfStrangers(t *testing.T) {
	h := open(t, Options{Hashing: 1})
	h.add(t, "mika", Reader)
	known := h.browser(t)
	_, err := known.signIn("mika", secretWord)
	is(t, "sign in", err, nil)
	for range waitersPerSlot {
		h.hasher.strangers <- struct{}{}
	}
	for range 2 * perName.free {
		_, err = h.browser(t).signIn("mika", secretWord)
		is(t, "a stranger", err, errs.Unavailable)
		if _, ok := errs.RetryAfter(err); !ok {
			t.Error("a stranger is not told when to come back")
		}
	}
	_, err = known.signIn("mika", secretWord)
	is(t, "a known device", err, nil)
	<-h.hasher.strangers
	_, err = h.browser(t).signIn("mika", secretWord)
	is(t, "a stranger when there is room", err, nil)
}
