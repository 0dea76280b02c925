package auth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/google/go-cmp/cmp"

	"pressroom/dynamo"
	"pressroom/internal/errs"
	"pressroom/model"
	"pressroom/model/deploy"
)

// cheap hashes are for tests alone.
var cheap = PasswordCost{Memory: 8, Time: 1, Threads: 1}

// house is an Auth on tables in memory, with a clock that is moved by hand.
type house struct {
	*Auth
	db  *flaky
	mu  sync.Mutex
	now time.Time
}

func (h *house) pass(d time.Duration) { h.mu.Lock(); h.now = h.now.Add(d); h.mu.Unlock() }

func (h *house) clock() time.Time { h.mu.Lock(); defer h.mu.Unlock(); return h.now }

// flaky is a store that can be made to fail.
type flaky struct {
	model.DB
	down bool
}

var errDown = errors.New("the disk is gone")

func (f *flaky) GetItem(ctx context.Context, in *dynamodb.GetItemInput, o ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	if f.down {
		return nil, errDown
	}
	return f.DB.GetItem(ctx, in, o...)
}

func open(t testing.TB, o Options) *house {
	t.Helper()
	h := &house{now: time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)}
	// One clock for both: what expires by the world's clock would be swept away.
	db, err := dynamo.OpenMemory(&dynamo.Options{Now: h.clock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := deploy.Apply(t.Context(), deploy.Store{Tables: db}, nil, Schema); err != nil {
		t.Fatal(err)
	}
	h.db = &flaky{DB: db}
	if o.Password == (PasswordCost{}) {
		o.Password = cheap
	}
	o.Now = h.clock
	if h.Auth, err = New(h.db, &o); err != nil {
		t.Fatal(err)
	}
	return h
}

const secretWord = "correct horse battery"

func (h *house) add(t testing.TB, name string, role Role) *Account {
	t.Helper()
	a, err := h.Add(t.Context(), NewAccount{Name: name, Password: secretWord, Role: role})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// browser keeps cookies, as browsers do.
type browser struct {
	t       testing.TB
	h       *house
	cookies map[string]string
	addr    string
	secure  bool
}

func (h *house) browser(t testing.TB) *browser {
	return &browser{t: t, h: h, cookies: map[string]string{}, addr: "192.0.2.1:5"}
}

func (b *browser) request() *http.Request {
	r := httptest.NewRequestWithContext(b.t.Context(), "GET", "/", http.NoBody)
	r.RemoteAddr = b.addr
	r.Header.Set("User-Agent", "Netscape")
	if b.secure {
		p := PeerOf(r)
		p.Secure = true
		r = r.WithContext(WithPeer(r.Context(), &p))
	}
	for name, value := range b.cookies {
		r.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	return r
}

func (b *browser) keep(w *httptest.ResponseRecorder) {
	for _, c := range w.Result().Cookies() {
		if c.MaxAge < 0 {
			delete(b.cookies, c.Name)
			continue
		}
		b.cookies[c.Name] = c.Value
	}
}

func (b *browser) signIn(name, password string) (*Account, error) {
	w := httptest.NewRecorder()
	a, err := b.h.SignIn(w, b.request(), Credentials{Name: name, Password: password})
	b.keep(w)
	return a, err
}

// who is the account that a request of the browser comes as; nil is nobody.
func (b *browser) who() *Account {
	b.t.Helper()
	w := httptest.NewRecorder()
	a, err := b.h.Authenticate(w, b.request())
	if err != nil {
		b.t.Fatal(err)
	}
	b.keep(w)
	return a
}

// is fails the test if err is not of the kind; nil wants none.
func is(t testing.TB, what string, err, want error) {
	t.Helper()
	if want == nil && err != nil || want != nil && !errors.Is(err, want) {
		t.Errorf("%s: %v, want %v", what, err, want)
	}
}

func fieldsOf(err error) string {
	var names []string
	for _, f := range errs.Fields(err) {
		names = append(names, f.Name)
	}
	return strings.Join(names, " ")
}

func TestRoles(t *testing.T) {
	for i, r := range append([]Role{Everyone}, Roles()...) {
		back, err := ParseRole(r.String())
		if err != nil || back != r || int(r) != i {
			t.Errorf("%v reads as %v, %v", r, back, err)
		}
		for _, least := range Roles() {
			if r.Allows(least) != (r >= least) {
				t.Errorf("%v allows %v: %t", r, least, r.Allows(least))
			}
		}
	}
	for _, bad := range []Role{-1, 5} {
		if bad.Allows(Reader) || Operator.Allows(bad) || bad.Allows(bad) {
			t.Errorf("%v is a role", bad)
		}
	}
	var r Role
	if err := r.UnmarshalText([]byte("everyone")); err == nil {
		t.Error("an account can be everyone")
	}
	if err := r.UnmarshalText([]byte("author")); err != nil || r != Author {
		t.Errorf("%v, %v", r, err)
	}
	if RoleOf(t.Context()) != Everyone || RoleOf(With(t.Context(), &Account{Role: Author})) != Author {
		t.Error("the role of a context")
	}
}

func TestAddAccount(t *testing.T) {
	h := open(t, Options{})
	made, err := h.Add(t.Context(), NewAccount{Name: "Ｍika", Email: "mika@example.org", Password: secretWord, Role: Author})
	if err != nil {
		t.Fatal(err)
	}
	want := &Account{ID: made.ID, Name: "mika", Email: "mika@example.org", Role: Author, Local: true, Created: h.now}
	for _, get := range []func() (*Account, error){
		func() (*Account, error) { return made, nil },
		func() (*Account, error) { return h.Account(t.Context(), made.ID) },
		func() (*Account, error) { return h.Named(t.Context(), "MIKA") },
	} {
		got, err := get()
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%v %s", err, diff)
		}
	}
	_, err = h.Add(t.Context(), NewAccount{Name: "mIka", Password: secretWord, Role: Reader})
	is(t, "the same name", err, errs.Duplicate)
	_, err = h.Account(t.Context(), "nobody")
	is(t, "nobody", err, errs.NotFound)
	_, err = h.Named(t.Context(), "no body")
	is(t, "a name that cannot be", err, errs.NotFound)
	_, err = h.Account(t.Context(), "")
	is(t, "no id", err, errs.NotFound)
	for _, tt := range []struct {
		n      NewAccount
		fields string
	}{
		{NewAccount{}, "name role"},
		{NewAccount{Name: "a b", Email: "@", Password: "short", Role: 9}, "name email password role"},
		{NewAccount{Name: strings.Repeat("a", 65), Role: Reader}, "name"},
		{NewAccount{Name: "a", Email: "A <a@b.example>", Role: Reader}, "email"},
		{NewAccount{Name: "a", Password: strings.Repeat("x", 12), Role: Reader}, "password"},
		{NewAccount{Name: "longenoughname", Password: "LongEnoughName", Role: Reader}, "password"},
		{NewAccount{Name: "a", Password: strings.Repeat("ab", 200), Role: Reader}, "password"},
	} {
		_, err := h.Add(t.Context(), tt.n)
		is(t, fmt.Sprint(tt.n), err, errs.Invalid)
		if fieldsOf(err) != tt.fields {
			t.Errorf("%+v: %s", tt.n, fieldsOf(err))
		}
	}
}

func TestNameIsUniqueUnderConcurrency(t *testing.T) {
	h := open(t, Options{})
	var wg sync.WaitGroup
	results := make([]error, 40)
	for i := range results {
		wg.Go(func() { _, results[i] = h.Add(t.Context(), NewAccount{Name: "mika", Role: Reader}) })
	}
	wg.Wait()
	made := 0
	for _, err := range results {
		switch {
		case err == nil:
			made++
		case !errors.Is(err, errs.Duplicate):
			t.Error(err)
		}
	}
	if made != 1 {
		t.Errorf("%d accounts have one name", made)
	}
}

func TestAccountsList(t *testing.T) {
	h := open(t, Options{Secret: make([]byte, 32)})
	for i := range 7 {
		h.add(t, fmt.Sprintf("user-%d", 6-i), Reader)
	}
	var names []string
	l := List{Limit: 3}
	for {
		page, err := h.Accounts(t.Context(), l)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range page.Items {
			names = append(names, a.Name)
		}
		if l.Cursor = page.Next; l.Cursor == "" {
			break
		}
	}
	if got := strings.Join(names, " "); got != "user-0 user-1 user-2 user-3 user-4 user-5 user-6" {
		t.Error(got)
	}
	_, err := h.Accounts(t.Context(), List{Cursor: "forged"})
	is(t, "a forged cursor", err, errs.Malformed)
	if fieldsOf(err) != "cursor" {
		t.Error(err)
	}
	_, err = h.Accounts(t.Context(), List{Limit: 101})
	is(t, "too many", err, errs.Invalid)
}

func TestLastOperatorStays(t *testing.T) {
	h := open(t, Options{})
	ctx := t.Context()
	first := h.add(t, "first", Operator)
	is(t, "demote", h.SetRole(ctx, first.ID, Reader), errs.Conflict)
	is(t, "disable", h.SetDisabled(ctx, first.ID, true), errs.Conflict)
	is(t, "delete", h.Delete(ctx, first.ID), errs.Conflict)
	second := h.add(t, "second", Reader)
	is(t, "promote", h.SetRole(ctx, second.ID, Operator), nil)
	is(t, "disable one of two", h.SetDisabled(ctx, first.ID, true), nil)
	is(t, "demote the other", h.SetRole(ctx, second.ID, Reader), errs.Conflict)
	is(t, "enable", h.SetDisabled(ctx, first.ID, false), nil)

	// Of two who resign at once, one stays.
	for range 5 {
		var wg sync.WaitGroup
		for _, id := range []string{first.ID, second.ID} {
			wg.Go(func() {
				if err := h.SetRole(ctx, id, Author); err != nil && !errors.Is(err, errs.Conflict) {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		a, _ := h.Account(ctx, first.ID)
		b, _ := h.Account(ctx, second.ID)
		if (a.Role == Operator) == (b.Role == Operator) {
			t.Fatalf("they are %s and %s", a.Role, b.Role)
		}
		is(t, "again", errors.Join(h.SetRole(ctx, first.ID, Operator), h.SetRole(ctx, second.ID, Operator)), nil)
	}
	// Others keep things of an account too; one that cannot let go now is asked again.
	var left []string
	busy := errs.Unavailable
	h.OnDelete(func(_ context.Context, id string) error {
		if len(left) == 0 {
			left = append(left, "tried")
			return busy
		}
		left = append(left, id)
		return nil
	})
	is(t, "delete one of two", h.Delete(ctx, first.ID), errs.Unavailable)
	is(t, "delete it again", h.Delete(ctx, first.ID), errs.NotFound)
	if want := []string{"tried", first.ID}; !slices.Equal(left, want) {
		t.Errorf("others were told %v, want %v", left, want)
	}
	is(t, "delete the last", h.Delete(ctx, second.ID), errs.Conflict)
	h.add(t, "first", Reader) // the name is free again
	is(t, "a role that is none", h.SetRole(ctx, second.ID, Everyone), errs.Invalid)
	is(t, "an e-mail", h.SetEmail(ctx, second.ID, "second@example.org"), nil)
	is(t, "no e-mail", h.SetEmail(ctx, second.ID, "second"), errs.Invalid)
	if a, err := h.Account(ctx, second.ID); err != nil || a.Email != "second@example.org" {
		t.Error(a, err)
	}
}

func TestSetup(t *testing.T) {
	h := open(t, Options{})
	ctx := t.Context()
	one, needed, err := h.SetupToken(ctx)
	if err != nil || !needed {
		t.Fatal(needed, err)
	}
	other, _, err := h.SetupToken(ctx) // of a second process
	is(t, "a second link", err, nil)
	is(t, "the first link", h.CheckSetup(ctx, one), nil)
	is(t, "a guess", h.CheckSetup(ctx, newSecret()), errs.NotFound)
	is(t, "nothing", h.CheckSetup(ctx, ""), errs.NotFound)
	_, err = h.Setup(ctx, newSecret(), NewAccount{Name: "eve", Password: secretWord})
	is(t, "a guess", err, errs.NotFound)
	_, err = h.Setup(ctx, one, NewAccount{Name: "mika"})
	is(t, "no password", err, errs.Invalid)

	var wg sync.WaitGroup
	results := make([]error, 10)
	for i := range results {
		token := []string{one, other}[i%2]
		wg.Go(func() {
			_, results[i] = h.Setup(ctx, token, NewAccount{Name: fmt.Sprintf("op%d", i), Password: secretWord, Role: Reader})
		})
	}
	wg.Wait()
	made := 0
	for _, err := range results {
		if err == nil {
			made++
		} else {
			is(t, "a late one", err, errs.NotFound)
		}
	}
	if n, err := h.operators(ctx); made != 1 || n != 1 || err != nil {
		t.Errorf("%d were set up, %d operators, %v", made, n, err)
	}
	is(t, "a link after that", h.CheckSetup(ctx, one), errs.NotFound)
	if _, needed, err := h.SetupToken(ctx); needed || err != nil {
		t.Errorf("needed %t, %v", needed, err)
	}
}

func TestSetupLinkExpires(t *testing.T) {
	h := open(t, Options{})
	token, _, err := h.SetupToken(t.Context())
	is(t, "a link", err, nil)
	h.pass(24*time.Hour + time.Second)
	is(t, "tomorrow", h.CheckSetup(t.Context(), token), errs.NotFound)
}

func TestNewRefuses(t *testing.T) {
	for _, o := range []Options{
		{Password: PasswordCost{Memory: 1, Time: 1, Threads: 1}},
		{Secret: []byte("short"), OIDC: &OIDC{Issuer: "nowhere"}},
		{OIDC: &OIDC{Issuer: "https://a.example", RedirectURL: "https://b.example"}},
		{OIDC: &OIDC{Issuer: "https://a.example", RedirectURL: "https://b.example", ClientID: "c", Roles: map[string]Role{"x": Everyone}}},
	} {
		if _, err := New(nil, &o); err == nil {
			t.Errorf("%+v was taken", o)
		}
	}
}

// The language that an account's owner chose comes with the account, in every
// browser.
func TestLanguage(t *testing.T) {
	h := open(t, Options{})
	made, err := h.Add(t.Context(), NewAccount{Name: "mika", Password: secretWord, Role: Reader})
	if err != nil {
		t.Fatal(err)
	}
	if err := h.SetLanguage(t.Context(), made.ID, "ja"); err != nil {
		t.Fatal(err)
	}
	if got, err := h.Account(t.Context(), made.ID); err != nil || got.Language != "ja" {
		t.Errorf("account %+v, %v", got, err)
	}
	if err := h.SetLanguage(t.Context(), made.ID, strings.Repeat("a", 36)); !errors.Is(err, errs.Invalid) {
		t.Errorf("a long tag: %v", err)
	}
}

// So does the theme.
func TestTheme(t *testing.T) {
	h := open(t, Options{})
	made, err := h.Add(t.Context(), NewAccount{Name: "mika", Password: secretWord, Role: Reader})
	if err != nil {
		t.Fatal(err)
	}
	for _, theme := range []string{"dark", "auto", ""} {
		if err := h.SetTheme(t.Context(), made.ID, theme); err != nil {
			t.Fatal(err)
		}
		if got, err := h.Account(t.Context(), made.ID); err != nil || got.Theme != theme {
			t.Errorf("account %+v, %v, not %q", got, err, theme)
		}
	}
	if err := h.SetTheme(t.Context(), made.ID, "pink"); !errors.Is(err, errs.Invalid) {
		t.Errorf("no theme: %v", err)
	}
}
