package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"
)

// load is all that is asked of the program, and what it acknowledged.
type load struct {
	dying    atomic.Bool // the program is being killed: no answer is no failure
	desks    []desk
	accounts map[string]*account // by name
	world    *world
	mu       sync.Mutex
	facts    []*fact
	fresh    int // facts from here on were not asked for after a kill yet
	unsure   int
	repeats  int
}

// desk puts load on one desk until ctx ends. Its error is a wrong answer.
type desk interface {
	work(ctx context.Context, l *load) error
}

// fact is something that was acknowledged, and how to see that it is still so.
type fact struct {
	what  string
	holds func(ctx context.Context) error
}

// note remembers a fact.
func (l *load) note(what string, holds func(ctx context.Context) error) *fact {
	f := &fact{what, holds}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.facts = append(l.facts, f)
	return f
}

func (l *load) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return fmt.Sprintf("%d facts acknowledged, %d answers cut off, %d requests repeated", len(l.facts), l.unsure, l.repeats)
}

// verify asks for what was acknowledged since the last time and some of what was
// before, or for all of it.
func (l *load) verify(ctx context.Context, all bool) error {
	l.mu.Lock()
	facts, fresh := l.facts, l.fresh
	l.fresh = len(facts)
	l.mu.Unlock()
	step := 1
	if !all {
		step = max(1, fresh/100)
	}
	for i := 0; i < len(facts); i++ {
		if i < fresh && i%step != 0 {
			continue
		}
		if err := facts[i].holds(ctx); err != nil {
			return fmt.Errorf("%s was acknowledged: %w", facts[i].what, err)
		}
	}
	return nil
}

// account is someone who asks.
type account struct{ name, id, token string }

const password = "correct horse battery staple"

// errCut is a request that was cut off by the kill.
var errCut = errors.New("cut off")

// answer is what the program answered.
type answer struct {
	status int
	etag   string
	body   map[string]any
}

func (a *answer) text(name string) string { s, _ := a.body[name].(string); return s }
func (a *answer) number(name string) float64 {
	n, _ := a.body[name].(float64)
	return n
}

var client = &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 32}}

// get returns the status of a page, 0 if there is no answer.
func get(path, token string) int {
	a, err := (&account{token: token}).ask(context.Background(), http.MethodGet, path, nil, nil)
	if err != nil {
		return 0
	}
	return a.status
}

func (c *account) ask(ctx context.Context, method, path string, body any, headers map[string]string) (*answer, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	var reader io.Reader
	if body != nil {
		reader = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://"+addr+path, reader)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	for name, value := range headers {
		req.Header.Set(name, value)
	}
	res, err := client.Do(req)
	if err != nil {
		return nil, errors.Join(errCut, err)
	}
	defer res.Body.Close()
	a := &answer{status: res.StatusCode, etag: res.Header.Get("ETag"), body: map[string]any{}}
	data, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, errors.Join(errCut, err)
	}
	if len(data) > 0 && json.Unmarshal(data, &a.body) != nil {
		a.body["text"] = string(data)
	}
	return a, nil
}

// send asks for a change. It is nil, nil if the answer was cut off by the kill. Any
// status but those wanted is an error.
func (l *load) send(ctx context.Context, c *account, method, path string, body any, headers map[string]string, want ...int) (*answer, error) {
	a, err := c.ask(ctx, method, path, body, headers)
	if errors.Is(err, errCut) && l.dying.Load() {
		l.mu.Lock()
		l.unsure++
		l.mu.Unlock()
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", method, path, err)
	}
	for _, w := range want {
		if a.status == w {
			return a, nil
		}
	}
	if l.dying.Load() && a.status >= 500 {
		return nil, nil
	}
	return nil, fmt.Errorf("%s %s: status %d, %v", method, path, a.status, a.body)
}

// once asks for something with a key, again after each kill until it is answered,
// and remembers the answer: asked for once more, it is the same.
func (l *load) once(ctx context.Context, c *account, path string, body any, pending *pendingPost, want ...int) (*answer, error) {
	if pending.key == "" {
		*pending = pendingPost{key: rand.Text(), path: path, body: body}
	} else {
		l.mu.Lock()
		l.repeats++
		l.mu.Unlock()
	}
	for {
		a, err := l.send(ctx, c, http.MethodPost, pending.path, pending.body, map[string]string{"Idempotency-Key": pending.key}, append(want, http.StatusConflict)...)
		switch {
		case a == nil && err == nil, ctx.Err() != nil:
			return nil, nil // cut off: asked for again after the next start
		case err == nil && a.status == http.StatusConflict: // the process that was killed still has it
			pause(ctx, 200*time.Millisecond)
			continue
		}
		pending.key = ""
		return a, err
	}
}

// pendingPost is a request that may have been cut off.
type pendingPost struct {
	key, path string
	body      any
}

// prepare makes accounts, tokens and what the desks begin with.
func prepare(ctx context.Context, p *program) (*load, error) {
	if err := os.MkdirAll(filepath.Dir(p.dir), 0o700); err != nil {
		return nil, err
	}
	roles := map[string]string{"olga": "operator", "anna": "author", "mona": "moderator", "rita": "reader", "vera": "reader", "paul": "reader"}
	accounts := map[string]*account{}
	for name, role := range roles {
		if _, err := p.command(ctx, password+"\n", "user", "add", name, "--role="+role, "--password-file=-"); err != nil {
			return nil, err
		}
		accounts[name] = &account{name: name}
	}
	if _, err := p.command(ctx, "", "collect", "--minutes-url="+p.world.url, "--minutes-pause=1ms", "--prompt-tokens=4000", "--from=2026-11-01", "--until=2026-11-05"); err != nil {
		return nil, err
	}
	if err := p.start(ctx); err != nil {
		return nil, err
	}
	defer p.kill()
	for _, a := range accounts {
		if err := a.signIn(ctx); err != nil {
			return nil, err
		}
	}
	return begin(ctx, p.world, accounts)
}

// signIn signs in as a browser does and makes a token.
func (c *account) signIn(ctx context.Context) error {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return err
	}
	browser := &http.Client{Jar: jar, Timeout: time.Minute}
	res, err := browser.PostForm("http://"+addr+"/sign-in", url.Values{"name": {c.name}, "password": {password}})
	if err != nil {
		return err
	}
	res.Body.Close()
	body, err := json.Marshal(map[string]any{"name": "killserve", "scopes": []string{"read", "write", "admin"}})
	if err != nil {
		return err
	}
	res, err = browser.Post("http://"+addr+"/api/v1/tokens", "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer res.Body.Close()
	var made struct{ Secret string }
	text, err := io.ReadAll(res.Body)
	if err == nil {
		err = json.Unmarshal(text, &made)
	}
	if err != nil || made.Secret == "" {
		return fmt.Errorf("token of %s: status %d, %s, %w", c.name, res.StatusCode, text, err)
	}
	c.token = made.Secret
	me, err := c.ask(ctx, http.MethodGet, "/api/v1/me", nil, nil)
	if err != nil {
		return err
	}
	c.id = me.text("id")
	return nil
}
