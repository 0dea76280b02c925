package cli

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"pressroom/internal/desk/blog"
)

// demoRun is a demo, or another server, that goes on in this process.
type demoRun struct {
	stdout, stderr output
	url            string
	stop           func() int
}

// demoTime is how long a demo may take for anything; only a broken one needs it.
const demoTime = 10 * time.Minute

func startDemo(t testing.TB, dir string) *demoRun {
	t.Helper()
	d := startRun(t, "demo", "--addr=127.0.0.1:0", "--aws-addr=127.0.0.1:0", "--data="+dir, "--config="+os.DevNull)
	d.await(t, "it says where to look", func() bool { return strings.Contains(d.stdout.String(), "Ctrl-C") })
	d.url = regexp.MustCompile(`http://[0-9.:]+`).FindString(d.stdout.String())
	return d
}

// startRun runs a command in this process until stop.
func startRun(t testing.TB, args ...string) *demoRun {
	t.Helper()
	d := &demoRun{}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan int, 1)
	go func() { ended <- Run(ctx, Process{Args: args, Stdout: &d.stdout, Stderr: &d.stderr}) }()
	d.stop = sync.OnceValue(func() int { cancel(); return <-ended })
	t.Cleanup(func() { d.stop() })
	return d
}

func (d *demoRun) await(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(demoTime); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("it never came to be that %s:\n%s%s", what, d.stdout.String(), d.stderr.String())
		}
	}
}

func (d *demoRun) complete(t testing.TB) {
	t.Helper()
	d.await(t, "the content is complete", func() bool { return strings.Contains(d.stderr.String(), "content is complete") })
}

// page returns a page as the client sees it, which must answer 200.
func (d *demoRun) page(t testing.TB, client *http.Client, path string) string {
	t.Helper()
	resp, err := client.Get(d.url + path)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Errorf("%s: status %d, %v", path, resp.StatusCode, err)
	}
	return string(body)
}

// signIn signs in with what the demo printed.
func (d *demoRun) signIn(t *testing.T, name string) *http.Client {
	t.Helper()
	line := regexp.MustCompile(`(?m)^  ` + name + ` +(\S+) `).FindStringSubmatch(d.stdout.String())
	if line == nil {
		t.Fatalf("the demo does not say how to sign in as %s:\n%s", name, d.stdout.String())
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Jar: jar}
	resp, err := client.PostForm(d.url+"/sign-in", url.Values{"name": {name}, "password": {line[1]}})
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Errorf("signing in as %s: status %d", name, resp.StatusCode)
	}
	return client
}

// checkAddresses asks for every address in what was printed, and for the short one
// of the API. Each must lead to an answer.
func checkAddresses(t testing.TB, printed string) (n int) {
	t.Helper()
	all := regexp.MustCompile(`http://[^\s")]+`).FindAllString(printed, -1)
	for _, address := range all {
		resp, err := http.Get(address) //nolint:gosec,noctx // it is the demo's own
		if err != nil {
			t.Errorf("%s: %v", address, err)
			continue
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			t.Errorf("%s leads to %s, which answers %d", address, resp.Request.URL, resp.StatusCode)
		}
	}
	return len(all)
}

// Every address that serve prints leads somewhere, with the link for the first
// operator among them.
func TestServePrintsAddresses(t *testing.T) {
	d := &demoRun{}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan int, 1)
	go func() {
		ended <- Run(ctx, Process{
			Args:   []string{"serve", "--addr=127.0.0.1:0", "--aws-addr=127.0.0.1:0", "--data=" + filepath.Join(t.TempDir(), "data"), "--config=" + os.DevNull},
			Stdout: &d.stdout, Stderr: &d.stderr,
		})
	}()
	defer func() { cancel(); <-ended }()
	d.await(t, "it prints the link", func() bool { return strings.Contains(d.stderr.String(), "/setup?token=") })
	printed := d.stderr.String()
	site := regexp.MustCompile(`http://[0-9.:]+/setup`).FindString(printed)
	if n := checkAddresses(t, printed+" "+strings.TrimSuffix(site, "/setup")+"/api"); n < 3 {
		t.Errorf("serve printed %d addresses:\n%s", n, printed)
	}
	if strings.Count(d.stderr.String(), "token=") != 1 {
		t.Errorf("the link for the first operator is in the log:\n%s", d.stderr.String())
	}
}

func TestDemoShowsEveryDesk(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "demo")
	d := startDemo(t, dir)
	d.page(t, http.DefaultClient, "/") // while the content comes in
	d.complete(t)
	if n := checkAddresses(t, d.stdout.String()); n < 9 {
		t.Errorf("the demo printed %d addresses", n)
	}
	for path, want := range map[string]string{
		"/minutes": "地域図書館連携推進法案を修正議決", "/minutes/articles/922105124X00420260004": "三枝木透", "/minutes/issues/地域図書館連携推進法案": "趣旨説明を聴取",
		"/newswire": "Footbridge to the island", "/newswire/sites/kawasemi-press": "街路樹の地図", "/blog": "A crawler with manners",
		"/blog/about": "Arisawa", "/lexicon": "タイパ", "/lexicon/trending": "タイパ",
		"/search?q=footbridge": "to the island", "/search?q=図書館の費用": "/minutes/articles/", "/search?q=crawler+manners": "/blog/posts/",
		"/search?q=エモい": "<mark>エモい</mark>", "/api/v1/search?q=タイパ": "/lexicon/terms/", "/?desk=newswire&language=en": "Footbridge to the island",
		"/": "タイパ",
	} {
		// The lexicon's desk sees what another brought in after some seconds.
		d.await(t, path+" shows "+want, func() bool {
			if strings.Contains(path, "/search") {
				time.Sleep(300 * time.Millisecond) // more often is refused
			}
			return strings.Contains(d.page(t, http.DefaultClient, path), want)
		})
	}
	for name, pages := range map[string]map[string]string{
		"reader": {"/lexicon/proposals/mine": "風呂キャンセル"}, "editor": {"/office/blog": "the ferryman, one year on"},
		"moderator": {"/lexicon/moderation": "風呂キャンセル"},
		"operator":  {"/office/minutes": "朝比奈次郎", "/office/newswire/retries": "broken-archive", "/office/blog/inbox": "桐野さと"},
	} {
		client := d.signIn(t, name)
		for path, want := range pages {
			if page := d.page(t, client, path); !strings.Contains(page, want) {
				t.Errorf("%s does not show %s to the %s", path, want, name)
			}
		}
	}
	d.walkAsReader(t)
	if code := d.stop(); code != 0 {
		t.Errorf("it ended with %d: %s", code, d.stderr.String())
	}

	again := startDemo(t, dir)
	again.complete(t)
	if log := again.stderr.String(); strings.Contains(log, "content loaded") {
		t.Errorf("content was loaded again: %s", log)
	}
	if r := runIn(t, nil, "demo", "--reset", "--data", dir); r.Code != 1 || !strings.Contains(r.Stderr, "in use") {
		t.Errorf("a reset under a running demo: %+v", r)
	}
	if code := again.stop(); code != 0 {
		t.Errorf("it ended with %d: %s", code, again.stderr.String())
	}
	if out := ok(t, "check", "--data", dir); out != "no findings\n" {
		t.Errorf("the check finds %s", out)
	}
	if out := d.keepOwnPost(t, dir); out != dir+" is removed\n" {
		t.Errorf("the reset says %s", out)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the directory: %v", err)
	}
}

// keepOwnPost writes a post into the directory of a demo that has ended. A reset
// leaves it until it is said to be meant; it returns what that says.
func (d *demoRun) keepOwnPost(t *testing.T, dir string) string {
	t.Helper()
	c := demoCmd{serverSettings: testSettings(t)}
	c.Data = dir
	if own, err := c.ownPosts(t.Context(), quiet); err != nil || len(own) != 0 {
		t.Errorf("a demo in which nobody wrote has %v, %v", own, err)
	}
	st, err := openStore(storeSettings{Data: dir}, endpointSettings{}, quiet)
	if err != nil {
		t.Fatal(err)
	}
	posts, err := blog.New(st.db, st.client, &blog.Options{Log: quiet})
	if err == nil {
		_, err = posts.Create(t.Context(), blog.Content{Facts: blog.Facts{Title: "My own", Summary: "It is mine.", Author: "me"}})
	}
	if err := errors.Join(err, st.Close()); err != nil {
		t.Fatal(err)
	}
	fails(t, `these posts in the demo are not its own, and would be lost: "My own"`, "demo", "--reset", "--data", dir)
	if _, err := os.Stat(filepath.Join(dir, "tables")); err != nil {
		t.Errorf("after a reset that was refused: %v", err)
	}
	return ok(t, "demo", "--reset", "--yes", "--data", dir)
}

func TestDemoLeavesOthersDataAlone(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "tables")
	if err := os.WriteFile(file, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"demo", "--data", dir}, {"demo", "--reset", "--data", dir}} {
		if r := runIn(t, nil, args...); r.Code != 1 || !strings.Contains(r.Stderr, "demo") {
			t.Errorf("%v: %+v", args, r)
		}
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "precious" {
		t.Errorf("the file: %q, %v", text, err)
	}
	missing := filepath.Join(dir, "missing")
	if out := ok(t, "demo", "--reset", "--data", missing); !strings.Contains(out, "nothing was removed") {
		t.Errorf("no directory: %s", out)
	}
}

// BenchmarkDemoStart is the time from nothing to the first page.
func BenchmarkDemoStart(b *testing.B) {
	for b.Loop() {
		d := startDemo(b, filepath.Join(b.TempDir(), "demo"))
		d.page(b, http.DefaultClient, "/")
		b.StopTimer()
		d.stop()
		b.StartTimer()
	}
}
