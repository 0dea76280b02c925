package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pressroom/internal/deliver/bounce"
)

// A mail that came back is taken in on standard input, with the secret of the newsroom
// whose letters it is of.
func TestMailBounce(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	stdin := os.Stdin
	t.Cleanup(func() { os.Stdin = stdin })
	settings := secretSettings{Secret: "a secret of the newsroom"}
	key, err := settings.keyIn("", bounceKey)
	if err != nil {
		t.Fatal(err)
	}
	take := func(key bounce.Key) string {
		t.Helper()
		path := filepath.Join(dir, "mail")
		mail := "From: MAILER-DAEMON@mx.example\nTo: <" + key.Return("bounces@news.example", "ann@reader.example") + ">\n\n550 5.1.1 User unknown\n"
		if err := os.WriteFile(path, []byte(mail), 0o600); err != nil {
			t.Fatal(err)
		}
		if os.Stdin, err = os.Open(path); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = os.Stdin.Close() }()
		got := runIn(t, []string{"PRESSROOM_SECRET=a secret of the newsroom"}, "mail", "bounce")
		if got.Code != 0 || !strings.Contains(got.Stdout, `"verdict":"gone"`) {
			t.Fatalf("%+v", got)
		}
		return runIn(t, nil, "deliveries", "suppressed").Stdout
	}
	if got := take(bounce.Key("somebody else's")); got != "" {
		t.Errorf("a forged bounce counts: %s", got)
	}
	if got := take(key); !strings.Contains(got, "ann@reader.example") || !strings.Contains(got, "User unknown") {
		t.Errorf("suppressed: %q", got)
	}
}
