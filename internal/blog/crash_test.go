package blog_test

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"pressroom/blob"
	"pressroom/dynamo"
	"pressroom/internal/blog"
	"pressroom/model/deploy"
	"pressroom/model/modeltest"
)

// killedDir names the directory of the tables to the process that is killed.
const killedDir = "PRESSROOM_TEST_KILLED_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(killedDir); dir != "" {
		if err := saveUntilKilled(dir); err != nil {
			fmt.Println("error", err)
		}
		os.Exit(1)
	}
	// Each check opens stores of its own; -rapid.checks on the command line wins.
	_ = flag.Set("rapid.checks", "15")
	os.Exit(m.Run())
}

// onDisk opens a desk on a directory.
func onDisk(dir string) (*blog.Desk, func() error, error) {
	db, err := dynamo.Open(dir, nil)
	if err != nil {
		return nil, nil, err
	}
	store, err := blob.Open("blobs", &blob.Options{FS: vfs.NewMem(), SweepEvery: -1})
	if err != nil {
		return nil, nil, errors.Join(err, db.Close())
	}
	objects := blob.Client(store)
	closeAll := func() error { return errors.Join(store.Close(), db.Close()) }
	if err := deploy.Apply(contextBackground, deploy.Store{Tables: db, Objects: objects}, nil, blog.Schema); err != nil {
		return nil, nil, errors.Join(err, closeAll())
	}
	d, err := blog.New(db, objects, nil)
	return d, closeAll, err
}

// saveUntilKilled saves ever other versions of a long post, and says before each
// which one.
func saveUntilKilled(dir string) error {
	d, _, err := onDisk(dir)
	if err != nil {
		return err
	}
	page, err := d.List(contextBackground, blog.ListOptions{})
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
	if modeltest.Foreign() {
		t.Skip("only on the embedded stores: they are in the process that is killed")
	}
	dir := t.TempDir()
	d, closeAll, err := onDisk(dir)
	check(t, err, nil)
	p, err := d.Create(t.Context(), longPost(0))
	check(t, err, nil)
	p, err = d.Publish(t.Context(), p.ID, p.Version)
	check(t, err, nil)
	p, err = d.Save(t.Context(), p.ID, p.Version, longPost(p.Version))
	check(t, err, nil)
	check(t, closeAll(), nil)
	for round := range 4 {
		last := killWhileSaving(t, dir, time.Duration(rand.IntN(300))*time.Millisecond)
		d, closeAll, err := onDisk(dir)
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
		page, err := d.Public().ByTag(t.Context(), fmt.Sprint("v", n), blog.ListOptions{})
		check(t, err, nil)
		if titles(page.Items) != got.Title {
			t.Errorf("round %d: the list by tag has %q, not %q", round, titles(page.Items), got.Title)
		}
		check(t, closeAll(), nil)
	}
}

// killWhileSaving starts a process that saves, kills it some time into a save,
// and returns the version that it was about to write.
func killWhileSaving(t *testing.T, dir string, into time.Duration) (version int) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), killedDir+"="+dir)
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
