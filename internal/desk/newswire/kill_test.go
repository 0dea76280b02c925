package newswire

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"testing"
	"time"

	"pressroom/internal/errs"
	"pressroom/internal/outbound"
	"pressroom/model"
	"pressroom/model/modeltest"
)

// killPlace is set in a process that is to be killed: where its stores are.
const killPlace = "NEWSWIRE_KILL_PLACE"

func TestMain(m *testing.M) {
	if text := os.Getenv(killPlace); text != "" {
		var at modeltest.Place
		interval, err := strconv.Atoi(os.Getenv("NEWSWIRE_KILL_INTERVAL"))
		if err == nil {
			err = json.Unmarshal([]byte(text), &at)
		}
		if err == nil {
			err = crawlUntilKilled(at, os.Getenv("NEWSWIRE_KILL_URL"), interval)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// openAt opens the stores of a place with the desk on them.
func openAt(p modeltest.Place) (d *Desk, closeAll func() error, err error) {
	stores, _, closeStores, err := p.Open(Schema)
	if err != nil {
		return nil, nil, err
	}
	d, err = New(stores.Tables, stores.Objects, &Options{
		Table: p.Name, Bucket: p.Name,
		Outbound: &outbound.Options{Allow: []string{"127.0.0.1"}}, Lease: 200 * time.Millisecond, Workers: 4, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return nil, nil, errors.Join(err, closeStores())
	}
	return d, func() error { d.Close(); return closeStores() }, nil
}

// crawlUntilKilled is the life of a process that crawls.
func crawlUntilKilled(at modeltest.Place, url string, interval int) error {
	d, closeAll, err := openAt(at)
	if err != nil {
		return err
	}
	ctx := context.Background()
	err = d.CreateSite(ctx, &Site{SiteID: "site", Name: "Site", Category: "news", BaseURL: url, RequestIntervalMs: interval})
	if err != nil && !errors.Is(err, errs.Duplicate) {
		return err
	}
	fmt.Println("crawling")
	for {
		// One that was killed after its end has nothing left to do.
		if runs, err := d.RunsOfSite(ctx, "site", model.PageOptions{}); err != nil || len(runs.Items) > 0 && runs.Items[0].Status != Running {
			return errors.Join(err, closeAll())
		}
		_, err = d.Crawl(ctx, "site", CrawlOptions{})
		if !errors.Is(err, errs.Conflict) && !errors.Is(err, model.ErrLost) {
			return errors.Join(err, closeAll())
		}
		time.Sleep(20 * time.Millisecond) // the killed one's lease ends by itself, and so may ours on a slow machine
	}
}

// killing is a crawl that is killed again and again.
type killing struct {
	articles int
	interval time.Duration // between requests
	least    int           // kills
	after    int           // how many answers a process gets before it is killed, at most
}

// TestKill kills a crawl again and again, at any moment, until one comes to its
// end.
func TestKill(t *testing.T) {
	t.Parallel()
	testKill(t, killing{articles: 120, least: 3, after: 30})
}

// TestKillPolite does it to a crawl that is polite: who takes over waits for the
// turn of the dead one, not for long, and the host is never asked too soon.
func TestKillPolite(t *testing.T) {
	t.Parallel()
	const interval = 20 * time.Millisecond
	testKill(t, killing{articles: 70, interval: interval, least: 2, after: 25})
}

func testKill(t *testing.T, k killing) {
	pages := map[string]any{}
	var links []string
	for i := range k.articles {
		path := fmt.Sprintf("/news/%03d", i)
		pages[path] = newsPage(fmt.Sprintf("Article %d", i), "2026-11-10T09:00:00Z")
		links = append(links, path)
	}
	pages["/"] = list(append([]string{"/more"}, links[:k.articles/2]...)...)
	pages["/more"] = list(links[k.articles/3:]...)
	serve := site(pages)
	var mu sync.Mutex
	var hits []time.Time
	var answers modeltest.Ration
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		hits = append(hits, time.Now())
		mu.Unlock()
		if answers.Take(func() bool { return r.Context().Err() != nil }) {
			serve.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(server.Close)
	t.Cleanup(func() { answers.Add(1 << 30) }) // nobody waits for those of the dead
	at := modeltest.NewPlace(t)
	kills := 0
	for !k.runUntilKilled(t, at, server.URL, &answers, kills) {
		kills++
	}
	if kills < k.least {
		t.Errorf("only %d kills", kills)
	}
	for i := 1; i < len(hits); i++ {
		if gap := hits[i].Sub(hits[i-1]); gap < k.interval {
			t.Errorf("two requests within %v", gap)
		}
	}
	d, closeAll, err := openAt(at)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := closeAll(); err != nil {
			t.Error(err)
		}
	}()
	if got := articlesOf(t, d, "site"); len(got) != k.articles {
		t.Errorf("%d articles, want %d", len(got), k.articles)
	}
	runs, err := d.RunsOfSite(t.Context(), "site", model.PageOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(runs.Items) != 1 || runs.Items[0].Status != Success || runs.Items[0].NewArticles != k.articles || runs.Items[0].ProcessedCount != k.articles {
		t.Errorf("after %d kills: %+v", kills, runs.Items)
	}
	left, err := (&crawl{desk: d, site: Site{SiteID: "site"}, handled: map[pageID]struct{}{}}).next(t.Context(), true)
	if err != nil || len(left) != 0 {
		t.Errorf("%d pages are still queued, %v", len(left), err)
	}
	t.Logf("%d kills", kills)
}

// runUntilKilled lets a process crawl until it has got some answers, and kills it a
// moment later; true if it was done before. The tenth gets all it needs.
func (k killing) runUntilKilled(t *testing.T, at modeltest.Place, url string, answers *modeltest.Ration, nth int) bool {
	t.Helper()
	text, err := json.Marshal(at)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), killPlace+"="+string(text), "NEWSWIRE_KILL_URL="+url+"/", "NEWSWIRE_KILL_INTERVAL="+strconv.FormatInt(k.interval.Milliseconds(), 10))
	var problems bytes.Buffer
	begun := make(chan struct{})
	cmd.Stdout = &signalling{begun: begun}
	cmd.Stderr = &problems
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	select {
	case <-begun:
	case err := <-done:
		if err != nil {
			t.Fatalf("%v: %s", err, problems.String())
		}
		return true
	}
	n := 1 + rand.IntN(k.after)
	if nth == 9 {
		n = 1 << 30
	}
	select {
	case err := <-done:
		if err != nil {
			t.Fatalf("%v: %s", err, problems.String())
		}
		return true
	case <-answers.Add(n):
	}
	time.Sleep(rand.N(20 * time.Millisecond)) // before, during or after what it does with the answer
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-done
	return false
}

// signalling tells when the first output comes.
type signalling struct {
	begun chan struct{}
	told  bool
}

func (s *signalling) Write(p []byte) (int, error) {
	if !s.told {
		s.told = true
		close(s.begun)
	}
	return len(p), nil
}
