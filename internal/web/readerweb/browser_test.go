package readerweb

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pressroom/internal/auth"
	"pressroom/internal/story"
	"pressroom/internal/web/webtest"
	"pressroom/model"
)

// told lets everything happen that is due, and returns the letters that came.
func (p *place) told() []string {
	p.t.Helper()
	must(p.t, p.Stories.RelayOnce(p.t.Context()))
	must(p.t, p.Stories.CatchUp(p.t.Context(), p.matcher.Consumer()))
	came, _ := p.post()
	slices.Sort(came)
	return came
}

// A reader from the first letter to the last, in a real browser: sign up, confirm, follow
// three things, get the alert, the correction, and leave.
func TestBrowserReader(t *testing.T) {
	p := open(t, Open, true)
	b := webtest.OpenBrowser(t, p.Site)
	desk := p.desk
	boat := story.Text{Body: "A boat of paper.", Story: story.Story{
		Ref: story.Ref{ID: "1"}, Title: "A paper boat", Language: "en", People: []string{"Yamada Taro"}, Topics: []string{"Boats"}, Path: "/styleguide",
		Published: model.FormatTime(time.Now().Add(-time.Hour)),
	}}

	b.Phone()
	for _, page := range []string{"/register", "/reset", "/sign-in", "/sign-in/passkey"} {
		for _, lang := range []string{"en", "ja"} {
			b.Go(page + "?lang=" + lang)
			b.Axe(page + " " + lang)
		}
	}
	b.Go("/register?lang=en")
	b.Type("#email", "ann@example.org")
	b.Follow("main button[type=submit]")
	if !strings.Contains(b.Text(".notice"), "ann@example.org") {
		t.Fatalf("after registering: %s", b.Text("main"))
	}
	_, token := p.post()
	b.Go("/register/confirm?lang=en&token=" + token)
	b.Axe("choose a name")
	b.Type("#name", "ann")
	b.Type("#password", password)
	b.Type("#again", password)
	b.Follow("main button[type=submit]")
	if b.Path() != "/account" {
		t.Fatalf("joining leads to %s: %s", b.Path(), b.Text("main"))
	}
	b.Axe("account")
	for _, what := range []string{"kind=topic&name=Boats", "kind=person&name=Yamada+Taro", "q=lighthouse"} {
		b.Go("/follow?" + what)
		b.Axe("follow " + what)
		b.Follow("main button[type=submit]")
		if b.Path() != "/follows" {
			t.Fatalf("following %s leads to %s: %s", what, b.Path(), b.Text("main"))
		}
	}
	b.Click("input[name=pace][value=once]")
	b.Follow("form[action='/follows'] button[type=submit]")
	b.Axe("follows")
	for _, want := range []string{"Boats", "Yamada Taro", "lighthouse"} {
		if !strings.Contains(b.Text("main"), want) {
			t.Errorf("%s is not followed: %s", want, b.Text("main"))
		}
	}

	desk.Put(t, boat)
	if came := p.told(); !slices.Equal(came, []string{"ann@example.org: New: A paper boat"}) {
		t.Fatalf("the alert: %q", came)
	}
	boat.Title = "A tin boat"
	desk.Correct(t, boat, story.Word{By: "an editor", Reason: "it was tin"})
	if came := p.told(); !slices.Equal(came, []string{"ann@example.org: Correction: A tin boat"}) {
		t.Fatalf("the correction: %q", came)
	}
	for _, page := range []string{"/account/address", "/account/passkeys", "/account/delete"} {
		for _, lang := range []string{"en", "ja"} {
			b.Go(page + "?lang=" + lang)
			b.Axe(page + " " + lang)
		}
	}
	b.Go("/follows?lang=en")
	b.Follow("form[action='/follows/leave'] button[type=submit]")
	boat.Title = "A boat of steel"
	desk.Correct(t, boat, story.Word{By: "an editor", Reason: "it was steel"})
	if came := p.told(); len(came) != 0 {
		t.Errorf("letters after leaving: %q", came)
	}
	b.Go("/account/delete?lang=en")
	b.Type("#old", password)
	b.Follow("main button[type=submit]")
	if b.Path() != "/" || !strings.Contains(b.Text(".flash"), "deleted") {
		t.Errorf("deleting leads to %s: %s", b.Path(), b.Text("main"))
	}
}

// A passkey is made and signs in; one whose device did not ask who it is, and one that was
// removed, do not.
func TestBrowserPasskey(t *testing.T) {
	p := open(t, Open, false)
	b := webtest.OpenBrowser(t, p.Site)
	ann, err := p.Auth.Add(t.Context(), auth.NewAccount{Name: "ann", Password: password, Role: auth.Reader})
	must(t, err)
	b.Call("WebAuthn.enable", nil, nil)
	var device struct {
		ID string `json:"authenticatorId"`
	}
	b.Call("WebAuthn.addVirtualAuthenticator", map[string]any{"options": map[string]any{
		"protocol": "ctap2", "transport": "internal", "hasResidentKey": true, "hasUserVerification": true, "isUserVerified": true, "automaticPresenceSimulation": true,
	}}, &device)

	b.Go("/sign-in?return=/account/passkeys")
	b.Type("#name", "ann")
	b.Type("#password", password)
	b.Follow("main button[type=submit]")
	b.Type("#label", "Laptop")
	b.Type("#old", "not the password")
	b.Click("form[data-passkey] button")
	b.Wait("document.querySelector('#passkey-status').textContent !== ''")
	if keys, err := p.Auth.Passkeys(t.Context(), ann.ID, auth.List{}); err != nil || len(keys.Items) != 0 {
		t.Fatalf("a passkey was made without the password: %v %v", keys, err)
	}
	b.Go("/account/passkeys")
	b.Type("#label", "Laptop")
	b.Type("#old", password)
	b.Follow("form[data-passkey] button")
	if !strings.Contains(b.Text("main"), "Laptop") {
		t.Fatalf("the passkey is not listed: %s", b.Text("main"))
	}
	b.Axe("passkeys")

	signIn := func() {
		b.Call("Network.clearBrowserCookies", nil, nil)
		b.Go("/sign-in/passkey?return=/account")
		b.Click("form[data-passkey] button")
		b.Wait("location.pathname === '/account' || document.querySelector('#passkey-status').textContent !== ''")
	}
	signIn()
	if b.Path() != "/account" || !strings.Contains(b.Text("main"), "ann") {
		t.Fatalf("signing in leads to %s: %s", b.Path(), b.Text("main"))
	}
	for _, bad := range []string{"isBogusSignature", "isBadUV", "isBadUP"} {
		b.Call("WebAuthn.setResponseOverrideBits", map[string]any{"authenticatorId": device.ID, bad: true}, nil)
		if signIn(); b.Path() == "/account" {
			t.Errorf("%s signs in", bad)
		}
		b.Call("WebAuthn.setResponseOverrideBits", map[string]any{"authenticatorId": device.ID, bad: false}, nil)
	}
	keys, err := p.Auth.Passkeys(t.Context(), ann.ID, auth.List{})
	must(t, err)
	if len(keys.Items) != 1 || keys.Items[0].Used.IsZero() {
		t.Fatalf("passkeys: %+v", keys.Items)
	}
	must(t, p.Auth.SetDisabled(t.Context(), ann.ID, true))
	if signIn(); b.Path() == "/account" {
		t.Error("a disabled account signs in")
	}
	must(t, p.Auth.SetDisabled(t.Context(), ann.ID, false))
	if signIn(); b.Path() != "/account" {
		t.Error("an account that was let in again does not sign in")
	}
	must(t, p.Auth.RemovePasskey(t.Context(), ann.ID, keys.Items[0].ID))
	if signIn(); b.Path() == "/account" {
		t.Error("a removed passkey signs in")
	}
}
