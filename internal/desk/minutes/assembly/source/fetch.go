package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/html"

	"pressroom/internal/errs"
	"pressroom/internal/rights/robots"
)

// Shelf keeps the files of a source, and what is known of them.
type Shelf interface {
	// Put keeps a file in the place of what is there.
	Put(ctx context.Context, name string, file *os.File) error
	// State and Keep read and write what is known of the files.
	State(ctx context.Context) (State, error)
	Keep(ctx context.Context, s State) error
}

// State is what is known of a source's files, by their names.
type State map[string]Known

// Known is what is known of a file: how the server marked it, since when it is here,
// and when the server was last asked for it.
type Known struct {
	ETag     string    `json:"etag,omitempty"`
	Modified string    `json:"modified,omitempty"`
	Since    time.Time `json:"since"`
	Asked    time.Time `json:"asked"`
}

// Agent is how a fetcher calls itself.
const Agent = "Pressroom"

const (
	// fresh is how long after its appearance a record is asked for at every collection:
	// parliaments revise them for weeks. Later it is asked for once in stale.
	fresh = 45 * 24 * time.Hour
	stale = 30 * 24 * time.Hour
	// maxListing bounds the page that lists the files.
	maxListing = 16 << 20
	// maxFiles bounds the files of a source.
	maxFiles = 100_000
	// keepEvery is after how many files the state is kept.
	keepEvery = 20
	// tries is how often a broken transfer is taken up again.
	tries = 4
)

// Fetcher fetches the files of one source.
type Fetcher struct {
	HTTP *http.Client
	// Address is a file's, or with a slash at its end that of a page that links to files
	// in the same folder.
	Address string
	// Takes tells which of the linked files are wanted.
	Takes func(name string) bool
	Pause time.Duration    // between two requests
	Most  int              // files of one fetch; 0 for all
	Now   func() time.Time // nil means time.Now
	// Wait waits; nil means by the system's timers.
	Wait func(ctx context.Context, d time.Duration) error

	rules *robots.Group
	asked bool
}

// Fetched says what a fetch did.
type Fetched struct {
	Listed, New, Changed, Same int
	Cut                        bool // there are more than Most
	Problems                   []string
}

// Fetch brings a shelf up to date. A file that the server has no longer stays, and one
// that it refuses is a problem; an error means that the rest was not asked for.
func (f *Fetcher) Fetch(ctx context.Context, shelf Shelf) (done Fetched, err error) {
	state, err := shelf.State(ctx)
	if err != nil {
		return done, err
	}
	if state == nil {
		state = State{}
	}
	files, err := f.list(ctx)
	if err != nil {
		return done, err
	}
	done.Listed = len(files)
	defer func() { err = errors.Join(err, shelf.Keep(context.WithoutCancel(ctx), state)) }()
	for i, at := range files {
		if f.Most > 0 && i == f.Most {
			done.Cut = true
			return done, nil
		}
		name := fileName(at)
		known, here := state[name]
		if here && !f.due(known) {
			done.Same++
			continue
		}
		now, err := f.one(ctx, at, known, shelf)
		var refused *answer
		switch {
		case errors.As(err, &refused) && refused.file():
			done.Problems = append(done.Problems, err.Error())
			continue
		case err != nil:
			return done, err
		case here && now.ETag == known.ETag && now.Modified == known.Modified && (now.ETag != "" || now.Modified != ""):
			done.Same++
		case here:
			done.Changed++
		default:
			done.New++
		}
		state[name] = now
		if (done.New+done.Changed)%keepEvery == keepEvery-1 {
			if err := shelf.Keep(ctx, state); err != nil {
				return done, err
			}
		}
	}
	return done, nil
}

func (f *Fetcher) now() time.Time {
	if f.Now == nil {
		return time.Now()
	}
	return f.Now()
}

// due tells whether a file that is here is to be asked for again.
func (f *Fetcher) due(k Known) bool {
	return f.now().Sub(k.Since) < fresh || f.now().Sub(k.Asked) > stale
}

// fileName is the name under which an address's file is kept.
func fileName(u *url.URL) string {
	name := path.Base(u.Path)
	if name == "/" || name == "." || strings.HasPrefix(name, ".") {
		name = "record"
	}
	if u.RawQuery != "" { // one script, many records
		name = strings.TrimSuffix(name, path.Ext(name)) + "-" + strings.Map(func(r rune) rune {
			if r < '0' || r > '9' && r < 'A' || r > 'z' {
				return '-'
			}
			return r
		}, u.RawQuery) + path.Ext(name)
	}
	return name
}

// list returns the addresses of the files.
func (f *Fetcher) list(ctx context.Context) ([]*url.URL, error) {
	base, err := url.Parse(f.Address)
	if err != nil {
		return nil, err
	}
	if !strings.HasSuffix(base.Path, "/") {
		return []*url.URL{base}, nil
	}
	res, err := f.get(ctx, base, nil)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxListing))
	if err != nil {
		return nil, err
	}
	byName := map[string]*url.URL{}
	for href := range links(body) {
		at, err := base.Parse(href)
		if err != nil || at.Host != base.Host || path.Dir(at.Path)+"/" != path.Clean(base.Path)+"/" && at.RawQuery == "" {
			continue
		}
		at.Fragment = ""
		if name := fileName(at); f.Takes(name) && len(byName) < maxFiles {
			byName[name] = at
		}
	}
	if len(byName) == 0 {
		return nil, errs.New(errs.Unavailable, "%s links to no file that the source takes.", base)
	}
	names := make([]string, 0, len(byName))
	for name := range byName {
		names = append(names, name)
	}
	slices.Sort(names)
	slices.Reverse(names) // the newest first, as names of records go
	all := make([]*url.URL, len(names))
	for i, name := range names {
		all[i] = byName[name]
	}
	return all, nil
}

// links yields the addresses that a page links to.
func links(page []byte) func(func(string) bool) {
	return func(yield func(string) bool) {
		z := html.NewTokenizer(bytes.NewReader(page))
		for {
			switch z.Next() {
			case html.ErrorToken:
				return
			case html.StartTagToken, html.SelfClosingTagToken:
				t := z.Token()
				for _, a := range t.Attr {
					if t.Data == "a" && a.Key == "href" && !yield(strings.TrimSpace(a.Val)) {
						return
					}
				}
			}
		}
	}
}

// answer is a server's answer that is not the file.
type answer struct {
	at         *url.URL
	status     int
	retryAfter string
}

func (a *answer) Error() string {
	text := fmt.Sprintf("%s answers %d %s", a.at, a.status, http.StatusText(a.status))
	if a.retryAfter != "" {
		text += ", and asks to wait " + a.retryAfter
	}
	return text
}

func (a *answer) Unwrap() error { return errs.Unavailable }

// file tells whether the answer is about this file alone.
func (a *answer) file() bool {
	return a.status == http.StatusNotFound || a.status == http.StatusGone || a.status == http.StatusForbidden
}

// one fetches a file if it changed, and keeps it.
func (f *Fetcher) one(ctx context.Context, at *url.URL, known Known, shelf Shelf) (Known, error) {
	header := http.Header{}
	if known.ETag != "" {
		header.Set("If-None-Match", known.ETag)
	}
	if known.Modified != "" {
		header.Set("If-Modified-Since", known.Modified)
	}
	res, err := f.get(ctx, at, header)
	if err != nil {
		return known, err
	}
	defer func() { res.Body.Close() }()
	known.Asked = f.now()
	if res.StatusCode == http.StatusNotModified {
		return known, nil
	}
	spool, err := os.CreateTemp("", "pressroom-source-*")
	if err != nil {
		return known, err
	}
	defer os.Remove(spool.Name())
	defer spool.Close()
	now := Known{ETag: res.Header.Get("ETag"), Modified: res.Header.Get("Last-Modified"), Since: known.Since, Asked: known.Asked}
	if now.Since.IsZero() {
		now.Since = now.Asked
	}
	size, err := io.Copy(spool, res.Body)
	for try := 1; err != nil && ctx.Err() == nil && try < tries && now.ETag != ""; try++ {
		// The transfer broke. It goes on where it was, if the file is still the same.
		var more *http.Response
		more, err2 := f.get(ctx, at, http.Header{"Range": {"bytes=" + strconv.FormatInt(size, 10) + "-"}, "If-Range": {now.ETag}})
		if err2 != nil {
			continue
		}
		if more.StatusCode != http.StatusPartialContent {
			if _, err = spool.Seek(0, io.SeekStart); err == nil {
				err = spool.Truncate(0)
			}
			if err != nil {
				more.Body.Close()
				return known, err
			}
			size = 0
		}
		var n int64
		n, err = io.Copy(spool, more.Body)
		size += n
		more.Body.Close()
	}
	if err != nil {
		return known, fmt.Errorf("fetch %s: %w", at, err)
	}
	if _, err := spool.Seek(0, io.SeekStart); err != nil {
		return known, err
	}
	return now, shelf.Put(ctx, fileName(at), spool)
}

// get asks for something, after the pause, if robots.txt allows it.
func (f *Fetcher) get(ctx context.Context, at *url.URL, header http.Header) (*http.Response, error) {
	if f.rules == nil {
		rules, err := f.robots(ctx, at)
		if err != nil {
			return nil, err
		}
		group := rules.For(Agent)
		f.rules = &group
	}
	if ok, because := f.rules.Allowed(at.RequestURI()); !ok {
		return nil, errs.New(errs.Forbidden, "%s may not be fetched: its robots.txt says %q.", at, because)
	}
	res, err := f.send(ctx, at, header)
	if err != nil {
		return nil, err
	}
	switch res.StatusCode {
	case http.StatusOK, http.StatusPartialContent, http.StatusNotModified:
		return res, nil
	}
	res.Body.Close()
	return nil, &answer{at, res.StatusCode, res.Header.Get("Retry-After")}
}

func (f *Fetcher) send(ctx context.Context, at *url.URL, header http.Header) (*http.Response, error) {
	if f.asked {
		pause := f.Pause
		if f.rules != nil {
			pause = max(pause, f.rules.Delay)
		}
		if err := f.wait(ctx, pause); err != nil {
			return nil, err
		}
	}
	f.asked = true
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return nil, err
	}
	for name, values := range header {
		req.Header[name] = values
	}
	return f.HTTP.Do(req)
}

func (f *Fetcher) wait(ctx context.Context, d time.Duration) error {
	if f.Wait != nil {
		return f.Wait(ctx, d)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (f *Fetcher) robots(ctx context.Context, at *url.URL) (*robots.Rules, error) {
	res, err := f.send(ctx, &url.URL{Scheme: at.Scheme, Host: at.Host, Path: "/robots.txt"}, nil)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, robots.MaxBytes))
	if err != nil {
		return nil, err
	}
	return robots.Answered(res.StatusCode, body)
}

func sorted(all []fs.DirEntry) []fs.DirEntry {
	slices.SortFunc(all, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return all
}
