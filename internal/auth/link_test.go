package auth

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"pressroom/internal/errs"
)

var elsewhere = netip.MustParseAddr("192.0.2.7")

// read is what the owner of the mailbox sees of a letter.
func (h *house) read(t testing.TB, l *Letter) *Letter {
	t.Helper()
	got, err := h.Letter(t.Context(), l.ID)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func (h *house) join(t testing.TB, name, address string) *Account {
	t.Helper()
	l, err := h.AskJoin(t.Context(), netip.AddrFrom4([4]byte{10, 1, byte(len(name)), byte(len(address))}), address, "ja")
	if err != nil {
		t.Fatal(err)
	}
	a, err := h.Join(t.Context(), elsewhere, h.read(t, l).Token, NewAccount{Name: name, Password: secretWord}, false)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func (h *house) sound(t *testing.T) {
	t.Helper()
	if err := h.Check(t.Context(), func(where, what string) { t.Errorf("%s: %s", where, what) }); err != nil {
		t.Error(err)
	}
}

// An account by letters: joined, signed in to by name and by address, its password reset,
// its address moved; each link works once.
func TestLinks(t *testing.T) {
	h := open(t, Options{})
	ctx := t.Context()
	ann := h.join(t, "ann", "Ann@Example.org")
	if ann.Email != "ann@example.org" || !ann.Confirmed || ann.Role != Reader || ann.Language != "ja" {
		t.Fatalf("joined as %+v", ann)
	}
	for _, name := range []string{"ann", "ANN@example.org"} {
		if _, err := h.browser(t).signIn(name, secretWord); err != nil {
			t.Errorf("sign in as %s: %v", name, err)
		}
	}
	h.pass(time.Minute)
	first, err := h.AskReset(ctx, elsewhere, "ann@example.org", "en")
	if err != nil {
		t.Fatal(err)
	}
	second, err := h.AskReset(ctx, elsewhere, "ann@example.org", "en")
	if err != nil {
		t.Fatal(err)
	}
	token, other := h.read(t, first).Token, h.read(t, second).Token
	h.pass(time.Minute)
	const fresh = "another long secret"
	if _, err := h.Reset(ctx, token, "short"); !errors.Is(err, errs.Invalid) {
		t.Errorf("a short password: %v", err)
	}
	if _, err := h.Reset(ctx, token, fresh); err != nil {
		t.Fatal(err)
	}
	for _, again := range []string{token, other} { // used; and asked for before the password was changed
		if _, err := h.Reset(ctx, again, "a third long secret"); !errors.Is(err, errs.NotFound) {
			t.Errorf("used again: %v", err)
		}
	}
	if _, err := h.browser(t).signIn("ann@example.org", fresh); err != nil {
		t.Errorf("the new password: %v", err)
	}
	h.pass(time.Minute)
	letters, err := h.AskMove(ctx, elsewhere, ann.ID, "new@example.org", "en")
	if err != nil || len(letters) != 2 || letters[0].Purpose != ToMove || letters[1].Purpose != Moving || letters[1].Address != "ann@example.org" {
		t.Fatalf("letters: %+v, %v", letters, err)
	}
	move := h.read(t, letters[0]).Token
	bob := h.join(t, "bob", "bob@example.org")
	if _, _, err := h.Move(ctx, bob.ID, move); !errors.Is(err, errs.NotFound) {
		t.Errorf("another took the address: %v", err)
	}
	old, told, err := h.Move(ctx, ann.ID, move)
	if err != nil || old != "ann@example.org" || told.Purpose != Moved || told.Address != old {
		t.Fatalf("moved from %q, %+v: %v", old, told, err)
	}
	if _, _, err := h.Move(ctx, ann.ID, move); !errors.Is(err, errs.NotFound) {
		t.Errorf("moved twice: %v", err)
	}
	if _, err := h.browser(t).signIn("ann@example.org", fresh); !errors.Is(err, errs.Unauthenticated) {
		t.Errorf("the former address signs in: %v", err)
	}
	h.sound(t)
	if err := h.SetEmail(ctx, ann.ID, ""); err != nil {
		t.Fatal(err)
	}
	if err := h.Delete(ctx, bob.ID); err != nil {
		t.Fatal(err)
	}
	h.sound(t)
	h.join(t, "carl", "bob@example.org") // what was given up can be had
	h.sound(t)
}

// Links are worth nothing when they are guessed, too old, for something else, or used by
// many at once.
func TestLinkAbuse(t *testing.T) {
	h := open(t, Options{})
	ctx := t.Context()
	l, err := h.AskJoin(ctx, elsewhere, "ann@example.org", "en")
	if err != nil {
		t.Fatal(err)
	}
	token := h.read(t, l).Token
	someone := NewAccount{Name: "ann", Password: secretWord}
	flip := map[bool]string{true: "B", false: "A"}[token[0] == 'A']
	for _, guess := range []string{"", l.ID, token[:42], token + "A", flip + token[1:], hashOf(token), strings.Repeat("A", 43)} {
		if _, err := h.Join(ctx, elsewhere, guess, someone, false); !errors.Is(err, errs.NotFound) {
			t.Errorf("%q opens: %v", guess, err)
		}
	}
	if _, err := h.Reset(ctx, token, secretWord); !errors.Is(err, errs.NotFound) {
		t.Errorf("a link to join resets: %v", err)
	}
	if _, err := h.process(t, "another secret of sixteen").Letter(ctx, l.ID); !errors.Is(err, errs.NotFound) {
		t.Errorf("whoever reads the tables makes the link: %v", err)
	}
	for name, field := range map[string]string{"x@example.org": "name", "": "name"} {
		if _, err := h.Join(ctx, elsewhere, token, NewAccount{Name: name, Password: secretWord}, false); len(errs.Fields(err)) != 1 || errs.Fields(err)[0].Name != field {
			t.Errorf("the name %q: %v", name, err)
		}
	}
	var all sync.WaitGroup
	var mu sync.Mutex
	made := 0
	for i := range 8 {
		all.Go(func() {
			_, err := h.Join(context.WithoutCancel(ctx), elsewhere, token, NewAccount{Name: "ann" + string(rune('a'+i)), Password: secretWord}, false)
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				made++
			}
		})
	}
	all.Wait()
	if made != 1 {
		t.Errorf("%d accounts by one link", made)
	}
	late, err := h.AskJoin(ctx, elsewhere, "late@example.org", "en")
	if err != nil {
		t.Fatal(err)
	}
	token = h.read(t, late).Token
	h.pass(ToJoin.life())
	if _, err := h.Join(ctx, elsewhere, token, someone, false); !errors.Is(err, errs.NotFound) {
		t.Errorf("an old link: %v", err)
	}
	if _, err := h.Letter(ctx, late.ID); !errors.Is(err, errs.NotFound) {
		t.Errorf("an old letter is sent: %v", err)
	}
	for _, bad := range []string{"", "x", "a@b\r\nBcc: c@d.example", "a@b.example, c@d.example", "<a@b.example>", `"a b"@c.example`, "A <a@b.example>", strings.Repeat("a", 250) + "@b.example"} {
		if _, err := h.AskJoin(ctx, elsewhere, bad, "en"); !errors.Is(err, errs.Invalid) {
			t.Errorf("%q is an address: %v", bad, err)
		}
	}
	h.sound(t)
}

// counting counts what is asked of the store.
type counting struct {
	*flaky
	reads, writes int
}

func (c *counting) GetItem(ctx context.Context, in *dynamodb.GetItemInput, o ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	c.reads++
	return c.flaky.GetItem(ctx, in, o...)
}

func (c *counting) PutItem(ctx context.Context, in *dynamodb.PutItemInput, o ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error) {
	c.writes++
	return c.flaky.PutItem(ctx, in, o...)
}

// Neither what is answered nor what is done tells whether an address has an account.
func TestEnumeration(t *testing.T) {
	h := open(t, Options{})
	h.join(t, "ann", "ann@example.org")
	if _, err := h.AskJoin(t.Context(), elsewhere, "nobody@example.org", "en"); err != nil { // as often as for ann
		t.Fatal(err)
	}
	c := &counting{flaky: h.db}
	a, err := New(c, &Options{Password: cheap, Now: h.clock})
	if err != nil {
		t.Fatal(err)
	}
	for name, ask := range map[string]func(context.Context, netip.Addr, string, string) (*Letter, error){"join": a.AskJoin, "reset": a.AskReset} {
		work := map[string][2]int{}
		for i, address := range []string{"ann@example.org", "nobody@example.org"} {
			c.reads, c.writes = 0, 0
			if _, err := ask(t.Context(), netip.AddrFrom4([4]byte{10, 0, byte(len(name)), byte(i)}), address, "en"); err != nil {
				t.Fatalf("%s of %s: %v", name, address, err)
			}
			work[address] = [2]int{c.reads, c.writes}
		}
		if work["ann@example.org"] != work["nobody@example.org"] || work["ann@example.org"][1] == 0 {
			t.Errorf("%s takes %v", name, work)
		}
	}
}

// Letters are limited by where they go to and by who asks for them, over all processes,
// and the limits are the same for addresses that are known and for others.
func TestFloods(t *testing.T) {
	h := open(t, Options{})
	h.join(t, "ann", "ann@example.org")
	ctx := t.Context()
	for _, address := range []string{"ann@example.org", "nobody@example.org"} {
		sent := 0
		for i := range 100 { // a botnet
			from := netip.AddrFrom4([4]byte{10, 9, byte(len(address)), byte(i)})
			_, err := h.AskReset(ctx, from, address, "en")
			switch {
			case err == nil:
				sent++
			case !errors.Is(err, errs.RateLimited):
				t.Fatal(err)
			}
		}
		if want := lettersTo.free + 1; sent > want || sent < want-1 {
			t.Errorf("%d letters to %s", sent, address)
		}
	}
	sent := 0
	for i := range 200 { // one network, many addresses
		from := netip.MustParseAddr("2001:db8::1").Next()
		if _, err := h.AskJoin(ctx, from, "a"+string(rune('a'+i%26))+string(rune('a'+i/26))+"@example.net", "en"); err == nil {
			sent++
		}
	}
	if sent != lettersFrom.free+1 {
		t.Errorf("%d letters for one network", sent)
	}
	h.pass(24 * time.Hour)
	if _, err := h.AskReset(ctx, elsewhere, "ann@example.org", "en"); err != nil {
		t.Errorf("the next day: %v", err)
	}
	// Whoever tries names with a confirmed address is slowed down too.
	l, err := h.AskJoin(ctx, elsewhere, "eve@example.org", "en")
	if err != nil {
		t.Fatal(err)
	}
	token := h.read(t, l).Token
	for range namesFrom.free + 1 {
		if _, err := h.Join(ctx, elsewhere, token, NewAccount{Name: "ann", Password: secretWord}, false); !errors.Is(err, errs.Invalid) {
			t.Fatal(err)
		}
	}
	if _, err := h.Join(ctx, elsewhere, token, NewAccount{Name: "ann", Password: secretWord}, false); !errors.Is(err, errs.RateLimited) {
		t.Errorf("one name after the other: %v", err)
	}
}

// An account that waits is let in by an operator, who is heard of it.
func TestApproval(t *testing.T) {
	h := open(t, Options{})
	var told []string
	h.OnApprove(func(_ context.Context, a *Account) error { told = append(told, a.Name); return nil })
	l, err := h.AskJoin(t.Context(), elsewhere, "ann@example.org", "en")
	if err != nil {
		t.Fatal(err)
	}
	ann, err := h.Join(t.Context(), elsewhere, h.read(t, l).Token, NewAccount{Name: "ann", Password: secretWord}, true)
	if err != nil || !ann.Waiting || !ann.Disabled {
		t.Fatalf("%+v, %v", ann, err)
	}
	if _, err := h.browser(t).signIn("ann", secretWord); !errors.Is(err, errs.Unauthenticated) {
		t.Errorf("signed in while waiting: %v", err)
	}
	for range 2 {
		if err := h.SetDisabled(t.Context(), ann.ID, false); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := h.browser(t).signIn("ann", secretWord); err != nil || len(told) != 1 {
		t.Errorf("let in: %v, told %v", err, told)
	}
}
