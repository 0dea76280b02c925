package auth

import (
	"context"
	"errors"
	"strings"
	"testing"

	"pressroom/internal/errs"
)

func TestHash(t *testing.T) {
	h := newHasher(cheap, 1)
	ctx := t.Context()
	stored, err := h.hash(ctx, "パスワード and more")
	if err != nil || !strings.HasPrefix(stored, "$argon2id$v=19$m=8,t=1,p=1$") {
		t.Fatal(stored, err)
	}
	if again, _ := h.hash(ctx, "パスワード and more"); again == stored {
		t.Error("no salt")
	}
	for password, want := range map[string]bool{"パスワード and more": true, "パスワード and mor": false, "": false} {
		if ok, stale, err := h.matches(ctx, stored, password, false); ok != want || stale || err != nil {
			t.Errorf("%q: %t %t %v", password, ok, stale, err)
		}
	}
	dearer := newHasher(PasswordCost{Memory: 16, Time: 2, Threads: 1}, 1)
	if ok, stale, err := dearer.matches(ctx, stored, "パスワード and more", false); !ok || !stale || err != nil {
		t.Error(ok, stale, err)
	}
	if ok, _, err := h.matches(ctx, h.decoy, "", false); ok || err != nil {
		t.Error("the decoy has a password", err)
	}
}

func TestNormalForms(t *testing.T) {
	// One password typed on two keyboards: composed and decomposed.
	a, err1 := checkPassword("Pässwörter viele", "x")
	b, err2 := checkPassword("Pa\u0308sswo\u0308rter viele", "x")
	if err1 != nil || err2 != nil || a != b {
		t.Errorf("%q and %q, %v, %v", a, b, err1, err2)
	}
	if _, err := checkPassword("with a \x00 control", "x"); !errors.Is(err, errs.Invalid) {
		t.Error(err)
	}
	if _, err := checkPassword("not utf-8 \xff\xfe here", "x"); !errors.Is(err, errs.Invalid) {
		t.Error(err)
	}
}

func TestRehashAtSignIn(t *testing.T) {
	h := open(t, Options{})
	a := h.add(t, "mika", Reader)
	before, _ := h.item(t.Context(), a.ID)
	h.hasher = newHasher(PasswordCost{Memory: 16, Time: 1, Threads: 1}, 1)
	b := h.browser(t)
	if _, err := b.signIn("mika", secretWord); err != nil {
		t.Fatal(err)
	}
	after, _ := h.item(t.Context(), a.ID)
	if before.Password == after.Password || !strings.Contains(after.Password, "m=16,") {
		t.Errorf("%s is now %s", before.Password, after.Password)
	}
	if b.who() == nil {
		t.Error("the session was lost")
	}
	if _, err := b.signIn("mika", secretWord); err != nil {
		t.Error(err)
	}
}

func TestHashingIsBounded(t *testing.T) {
	h := newHasher(cheap, 1)
	leave, err := h.enter(t.Context(), h.strangers)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, waitersPerSlot)
	for range waitersPerSlot {
		go func() { _, err := h.enter(ctx, h.strangers); ended <- err }()
	}
	for len(h.strangers) < waitersPerSlot { // until all are in the queue
		select {
		case err := <-ended:
			t.Fatal(err)
		default:
		}
	}
	_, _, err = h.matches(t.Context(), h.decoy, "one too many", false)
	is(t, "one too many", err, errs.Unavailable)
	if after, ok := errs.RetryAfter(err); !ok || after <= 0 {
		t.Error("it does not say when to come back")
	}
	cancel()
	for range waitersPerSlot {
		is(t, "who gave up", <-ended, context.Canceled)
	}
	leave()
	_, err = h.hash(t.Context(), "now there is room")
	is(t, "room", err, nil)
}

func FuzzDecode(f *testing.F) {
	f.Add(encode(cheap, make([]byte, 16), make([]byte, 32)))
	f.Add("$argon2id$v=19$m=4294967295,t=1,p=1$c2FsdHNhbHQ$a2V5a2V5a2V5a2V5a2V5a2V5")
	f.Add("$argon2i$v=19$m=8,t=1,p=1$$")
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		c, salt, key, err := decode(text)
		if err != nil {
			return
		}
		if c.check() != nil || encode(c, salt, key) != text {
			t.Errorf("%q reads as %+v", text, c)
		}
	})
}

func FuzzSplit(f *testing.F) {
	f.Add("01JD0000000000000000000000" + newSecret())
	f.Add("")
	f.Add(strings.Repeat("#", 69))
	f.Fuzz(func(t *testing.T, text string) {
		id, secret, ok := split(text)
		if ok && (id+secret != text || strings.ContainsAny(id, "#%") || len(id) != idLen) {
			t.Errorf("%q reads as %q, %q", text, id, secret)
		}
	})
}

func FuzzNormalName(f *testing.F) {
	for _, s := range []string{"mika", "ＭＩＫＡ", "みか", "a#b", "", "a\u0000", "ǅ", "a.b-c_d@e"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		name, err := normalName(text)
		if err != nil {
			return
		}
		again, err := normalName(name)
		if err != nil || again != name {
			t.Errorf("%q is %q and then %q, %v", text, name, again, err)
		}
	})
}

// BenchmarkSignIn is the cost of a password by default.
func BenchmarkSignIn(b *testing.B) {
	h := newHasher(DefaultPassword, 1)
	for b.Loop() {
		if _, err := h.hash(b.Context(), secretWord); err != nil {
			b.Fatal(err)
		}
	}
}
