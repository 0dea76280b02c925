package blog_test

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"pressroom/internal/desk/blog"
	"pressroom/model/modeltest"
)

// killedPlace tells the process that is killed where the stores are.
const killedPlace = "PRESSROOM_TEST_KILLED_PLACE"

func TestMain(m *testing.M) {
	if text := os.Getenv(killedPlace); text != "" {
		var at modeltest.Place
		err := json.Unmarshal([]byte(text), &at)
		if err == nil {
			err = saveUntilKilled(at)
		}
		fmt.Println("error", err)
		os.Exit(1)
	}
	if text := os.Getenv(planRole); text != "" {
		var at modeltest.Place
		err := json.Unmarshal([]byte(text), &at)
		if err == nil {
			err = followUntilKilled(at)
		}
		fmt.Fprintln(os.Stderr, "error", err)
		os.Exit(1)
	}
	// Each check opens stores of its own; -rapid.checks on the command line wins.
	_ = flag.Set("rapid.checks", "15")
	os.Exit(m.Run())
}

// openAt opens the stores of a place with a desk on them.
func openAt(p modeltest.Place) (*blog.Desk, func() error, error) {
	stores, schema, closeAll, err := p.Open(blog.Schema)
	if err != nil {
		return nil, nil, err
	}
	d, err := blog.New(stores.Tables, stores.Objects, &blog.Options{Schema: &schema})
	return d, closeAll, err
}

// saveUntilKilled saves ever other versions of a long post, and says before each
// which one.
func saveUntilKilled(at modeltest.Place) error {
	d, _, err := openAt(at)
	if err != nil {
		return err
	}
	page, err := d.List(contextBackground, blog.PageOptions{})
	if err != nil || len(page.Items) != 1 {
		return fmt.Errorf("%d posts: %w", len(page.Items), err)
	}
	id := page.Items[0].ID
	p, err := d.Get(contextBackground, id)
	for n := p.Version; err == nil; n++ {
		fmt.Println("saving", n)
		p, err = d.Save(contextBackground, id, p.Version, longPost(n))
	}
	return err
}

// longPost is the content of a version: no block is the same in two of them.
func longPost(version int) blog.Content {
	return content(fmt.Sprint("V", version), 2000-version%3*100, fmt.Sprint("v", version))
}

// A process that is killed in the middle of a save leaves the old post or the new
// one, whole.
func TestKill(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	at := modeltest.NewPlace(t)
	d, closeAll, err := openAt(at)
	check(t, err, nil)
	p, err := d.Create(t.Context(), longPost(0))
	check(t, err, nil)
	p, err = d.Publish(t.Context(), p.ID, p.Version)
	check(t, err, nil)
	p, err = d.Save(t.Context(), p.ID, p.Version, longPost(p.Version))
	check(t, err, nil)
	check(t, closeAll(), nil)
	for round := range 4 {
		last := killWhileSaving(t, at, time.Duration(rand.IntN(300))*time.Millisecond)
		d, closeAll, err := openAt(at)
		check(t, err, nil)
		got, err := d.Get(t.Context(), p.ID)
		check(t, err, nil)
		var n int
		if _, err := fmt.Sscanf(got.Title, "V%d", &n); err != nil {
			t.Fatal(err)
		}
		if n != last && n != last-1 {
			t.Errorf("round %d: killed while saving %d, found %d", round, last, n)
		}
		whole(t, got, longPost(n), longPost(n))
		page, err := d.Public().ByTag(t.Context(), fmt.Sprint("v", n), blog.PageOptions{})
		check(t, err, nil)
		if titles(page.Items) != got.Title {
			t.Errorf("round %d: the list by tag has %q, not %q", round, titles(page.Items), got.Title)
		}
		check(t, closeAll(), nil)
	}
}

// killWhileSaving starts a process that saves, kills it some time into a save,
// and returns the version that it was about to write.
func killWhileSaving(t *testing.T, at modeltest.Place, into time.Duration) (version int) {
	t.Helper()
	text, err := json.Marshal(at)
	check(t, err, nil)
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), killedPlace+"="+string(text))
	out, err := cmd.StdoutPipe()
	check(t, err, nil)
	check(t, cmd.Start(), nil)
	lines := bufio.NewScanner(out)
	var timer *time.Timer
	for lines.Scan() {
		text := lines.Text()
		if rest, ok := strings.CutPrefix(text, "error"); ok {
			t.Error(rest)
		}
		if _, err := fmt.Sscanf(text, "saving %d", &version); err != nil {
			t.Error(text)
		}
		if timer == nil {
			timer = time.AfterFunc(into, func() { _ = cmd.Process.Kill() })
		}
	}
	_ = cmd.Wait()
	if timer == nil {
		t.Fatal("the process saved nothing")
	}
	return version
}
