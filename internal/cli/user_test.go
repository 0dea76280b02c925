package cli

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

func passwordFile(t *testing.T, text string) string {
	t.Helper()
	const name = "password.txt"
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return "--password-file=" + name
}

func listUsers(t *testing.T) map[string]shownUser {
	t.Helper()
	got := runIn(t, nil, "user", "list", "--json")
	var users []shownUser
	if err := json.Unmarshal([]byte(got.Stdout), &users); err != nil || got.Code != 0 {
		t.Fatalf("%v: %+v", err, got)
	}
	byName := map[string]shownUser{}
	for _, u := range users {
		byName[u.Name] = u
	}
	return byName
}

func TestUser(t *testing.T) {
	t.Chdir(t.TempDir())
	secret := passwordFile(t, "correct horse battery\r\nnot this line\n")
	if len(listUsers(t)) != 0 {
		t.Fatal("there are accounts before the first")
	}
	steps := []struct {
		args []string
		code int
		says string // in what is printed for people
	}{
		{[]string{"add", "Boss", "--role=operator", "--email=boss@example.org", secret}, 0, ""},
		{[]string{"add", "boss", secret}, 1, "there is an account boss already"},
		{[]string{"add", "mika", secret}, 0, ""},
		{[]string{"add", "a b", "--email=x", secret}, 2, "name may have letters, digits and . - _ @, and no spaces; email is no e-mail address"},
		{[]string{"add", "eve", "--role=everyone", secret}, 2, `"everyone" is not reader, author, moderator or operator`},
		{[]string{"add", "eve", passwordFile(t, "")}, 2, "the first line of password.txt is empty"},
		{[]string{"add", "eve", "--password-file=missing"}, 2, "cannot read the password"},
		{[]string{"role", "mika", "author"}, 0, ""},
		{[]string{"role", "nobody", "author"}, 1, `there is no account nobody; see "pressroom user list"`},
		{[]string{"role", "boss", "reader"}, 1, "This is the last operator. Make another one first."},
		{[]string{"disable", "boss"}, 1, "This is the last operator."},
		{[]string{"disable", "mika"}, 0, ""},
	}
	for _, s := range steps {
		if strings.Contains(strings.Join(s.args, " "), "password.txt") && !strings.Contains(s.says, "empty") {
			passwordFile(t, "correct horse battery\r\nnot this line\n")
		} else {
			passwordFile(t, "")
		}
		got := runIn(t, nil, append([]string{"user"}, s.args...)...)
		if got.Code != s.code || !strings.Contains(got.Stderr, s.says) {
			t.Errorf("%v: %+v", s.args, got)
		}
	}
	users := listUsers(t)
	if boss, mika := users["boss"], users["mika"]; len(users) != 2 || boss.Role.String() != "operator" || boss.Email != "boss@example.org" || boss.Disabled ||
		mika.Role.String() != "author" || !mika.Disabled {
		t.Errorf("%+v", users)
	}
	if got := runIn(t, nil, "user", "enable", "mika"); got.Code != 0 || listUsers(t)["mika"].Disabled {
		t.Errorf("%+v", got)
	}
	if got := runIn(t, nil, "user", "list"); got.Code != 0 || !strings.Contains(got.Stdout, "boss  operator  active  never      boss@example.org") {
		t.Errorf("%+v", got)
	}
}

// TestUserPasswordFromStandardInput: what is piped in is taken on request, and
// nothing is asked for without a terminal.
func TestUserPasswordFromStandardInput(t *testing.T) {
	t.Chdir(t.TempDir())
	stdin := os.Stdin
	t.Cleanup(func() { os.Stdin = stdin })
	pipe := func(text string) {
		t.Helper()
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.WriteString(text); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = r.Close() })
		os.Stdin = r
	}
	pipe("correct horse battery\n")
	if got := runIn(t, nil, "user", "add", "mika"); got.Code != 2 || !strings.Contains(got.Stderr, "--password-file=-") {
		t.Errorf("%+v", got)
	}
	if got := runIn(t, nil, "user", "add", "mika", "--password-file=-"); got.Code != 0 || len(strings.TrimSpace(got.Stdout)) != 26 {
		t.Errorf("%+v", got)
	}
	pipe("short\n")
	if got := runIn(t, nil, "user", "passwd", "mika", "--password-file=-"); got.Code != 2 || !strings.Contains(got.Stderr, "password must have at least 10 characters") {
		t.Errorf("%+v", got)
	}
	pipe("another long password") // without an end of line
	if got := runIn(t, nil, "user", "passwd", "mika", "--password-file=-"); got.Code != 0 {
		t.Errorf("%+v", got)
	}
}
