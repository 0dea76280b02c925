package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// kept is how many posts, terms, objects and items there are at a time: what is older
// is deleted, so that the content stays the same while everything is in motion.
const kept = 150

// spread is how far the memory of the second half may lie apart, of its mean.
const spread = 0.05

// steady puts an even load of all kinds on the program and watches its memory. The
// second half is cut into ten parts; their means must lie within five hundredths.
func steady(ctx context.Context, p *program, lasting time.Duration, rate int) error {
	p.world.most = 300
	l, err := prepare(ctx, p)
	if err != nil {
		return err
	}
	if err := p.start(ctx); err != nil {
		return err
	}
	defer p.kill()
	ctx, stop := context.WithTimeout(ctx, lasting)
	defer stop()
	m := &mix{l: l, failed: make(chan error, 1)}
	var samples []sample
	begun, reported := time.Now(), time.Time{}
	var working sync.WaitGroup
	working.Go(func() { m.work(ctx, rate) })
	for tick := time.Tick(2 * time.Second); ctx.Err() == nil; {
		select {
		case <-ctx.Done():
		case err := <-m.failed:
			return err
		case <-tick:
			s, err := look(p.cmd.Process.Pid)
			if err != nil {
				return err
			}
			s.at = time.Since(begun)
			samples = append(samples, s)
			if time.Since(reported) >= time.Minute {
				reported = time.Now()
				log.Printf("%s: %s; %d requests", s.at.Round(time.Second), s, m.asked.Load())
			}
		}
	}
	working.Wait()
	return judge(samples, lasting)
}

// judge tells whether the memory of the second half was even.
func judge(samples []sample, lasting time.Duration) error {
	const parts = 10
	var sums, counts [parts]float64
	for _, s := range samples {
		if s.at >= lasting/2 && s.at < lasting {
			i := int((s.at - lasting/2) * parts / (lasting - lasting/2))
			sums[i] += float64(s.rss)
			counts[i]++
		}
	}
	var means []float64
	for i := range parts {
		if counts[i] == 0 {
			return errors.New("too short a time to judge")
		}
		means = append(means, sums[i]/counts[i]/1024)
	}
	var mean float64
	for _, m := range means {
		mean += m / parts
	}
	least, most := slices.Min(means), slices.Max(means)
	apart := (most - least) / mean
	var text []string
	for _, m := range means {
		text = append(text, fmt.Sprintf("%.1f", m))
	}
	log.Printf("resident memory in the ten parts of the second half: %s MB; apart by %.1f %%", strings.Join(text, " "), 100*apart)
	if apart > spread {
		return fmt.Errorf("memory is not even: %.1f to %.1f MB, more than %.0f %% apart", least, most, 100*spread)
	}
	log.Printf("memory is even: within %.0f %%", 100*spread)
	return nil
}

// sample is the memory of a process at a moment, in KiB.
type sample struct {
	at              time.Duration
	rss, anon, file int
}

func (s sample) String() string {
	return fmt.Sprintf("resident %d MB, of that anonymous %d, files %d", s.rss>>10, s.anon>>10, s.file>>10)
}

// look reads the memory of a process from /proc.
func look(pid int) (s sample, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return s, err
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		for name, to := range map[string]*int{"VmRSS:": &s.rss, "RssAnon:": &s.anon, "RssFile:": &s.file} {
			if len(fields) > 1 && fields[0] == name {
				*to, err = strconv.Atoi(fields[1])
			}
		}
	}
	return s, err
}

// mix is the load: every request in its turn.
type mix struct {
	l      *load
	n      int
	asked  atomic.Int64
	failed chan error

	posts, terms, objects, items []string
	site                         string
}

func (m *mix) work(ctx context.Context, rate int) {
	for tick := time.Tick(time.Second / time.Duration(rate)); ; m.n++ {
		select {
		case <-ctx.Done():
			return
		case <-tick:
		}
		m.asked.Add(1)
		if err := m.turns()[m.n%len(m.turns())](ctx); err != nil && ctx.Err() == nil {
			m.failed <- err
			return
		}
	}
}

// turns are what is asked for one after the other: reading ten times as often as writing.
func (m *mix) turns() []func(context.Context) error {
	read := func(paths ...string) func(context.Context) error {
		return func(ctx context.Context) error { return m.read(ctx, paths[m.n/30%len(paths)]) }
	}
	words := []string{"council", "harbour", "paragraph", "自転車道", "整備", letters(m.n % 64)}
	return []func(context.Context) error{
		read("/", "/?lang=ja", "/?page=2"), read("/blog", "/blog/archive", "/blog/about"), read("/api/v1/blog/posts", "/api/v1/blog/tags"), m.post,
		read("/minutes", "/minutes/articles/"+issue(m.n%meetings)), read("/api/v1/minutes/articles", "/api/v1/minutes/articles/"+issue(m.n%meetings)),
		m.putObject, m.getObject, read("/newswire", "/newswire/feed.atom"), read("/api/v1/newswire/articles?limit=50"), m.term,
		read("/search?q=" + words[m.n/30%len(words)]), read("/api/v1/search?q=" + words[m.n/30%len(words)]), read("/lexicon", "/lexicon/trending"), m.putItem, m.getItem,
		read("/api/v1/search/suggestions?q=" + words[m.n/30%len(words)][:1]), read("/api/v1/lexicon/terms"), read("/feed.atom", "/feed.json"), m.visit,
		read("/sitemap.xml", "/assets/none"), read("/metrics", "/readyz"), read("/api/openapi.json", "/api/docs"), m.getObject,
		m.getItem, read("/blog/feed.atom", "/blog/feed.json"), m.visit, read("/sign-in", "/no/such/page"), m.operate, m.crawl,
	}
}

// visit reads a post or a term that there is.
func (m *mix) visit(ctx context.Context) error {
	if m.n%2 == 0 && len(m.posts) > 0 {
		return m.read(ctx, "/blog/posts/"+m.posts[m.n%len(m.posts)])
	}
	if len(m.terms) > 0 {
		return m.read(ctx, "/lexicon/terms/"+m.terms[m.n%len(m.terms)])
	}
	return nil
}

// read asks for something as a reader.
func (m *mix) read(ctx context.Context, path string) error {
	a, err := (&account{}).ask(ctx, http.MethodGet, path, nil, nil)
	if err == nil && a.status >= 500 {
		err = fmt.Errorf("GET %s: status %d", path, a.status)
	}
	return err
}

// post writes a post, changes and publishes it, and deletes the oldest.
func (m *mix) post(ctx context.Context) error {
	anna := m.l.accounts["anna"]
	made, err := m.l.send(ctx, anna, http.MethodPost, "/api/v1/blog/posts", post(fmt.Sprint("Post ", m.n), 6), nil, 201)
	if err != nil {
		return err
	}
	path := "/api/v1/blog/posts/" + made.text("id")
	if _, err := m.l.send(ctx, anna, http.MethodPut, path+"/status", map[string]any{"status": "published"}, map[string]string{"If-Match": made.etag}, 200); err != nil {
		return err
	}
	m.posts = append(m.posts, made.text("id"))
	return m.drop(&m.posts, func(id string) error {
		known, err := m.l.send(ctx, anna, http.MethodGet, "/api/v1/blog/sources/"+id, nil, nil, 200)
		if err != nil {
			return err
		}
		_, err = m.l.send(ctx, anna, http.MethodDelete, "/api/v1/blog/posts/"+id, nil, map[string]string{"If-Match": known.etag}, 200, 204)
		return err
	})
}

// drop lets go of the oldest, once there are enough.
func (m *mix) drop(all *[]string, remove func(string) error) error {
	if len(*all) <= kept {
		return nil
	}
	oldest := (*all)[0]
	*all = slices.Delete(*all, 0, 1)
	return remove(oldest)
}

func (m *mix) term(ctx context.Context) error {
	mona, word := m.l.accounts["mona"], "s"+letters(m.n/30)
	made, err := m.l.send(ctx, mona, http.MethodPost, "/api/v1/lexicon/terms", map[string]any{
		"term": word, "gloss": "what " + word + " means", "confidence": 0.95, "momentum": 0.95, "tags": []string{"net"},
	}, nil, 201)
	if err != nil {
		return err
	}
	m.terms = append(m.terms, made.text("slug"))
	return m.drop(&m.terms, func(slug string) error {
		known, err := m.l.send(ctx, mona, http.MethodGet, "/api/v1/lexicon/terms/"+slug, nil, nil, 200)
		if err != nil {
			return err
		}
		_, err = m.l.send(ctx, mona, http.MethodDelete, "/api/v1/lexicon/terms/"+slug, nil, map[string]string{"If-Match": known.etag}, 200, 204)
		return err
	})
}

// aws asks the port for AWS programs.
func (m *mix) aws(ctx context.Context, method, path, target string, body []byte) error {
	req, err := http.NewRequestWithContext(ctx, method, "http://"+awsAddr+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	if target != "" {
		req.Header.Set("X-Amz-Target", "DynamoDB_20120810."+target)
		req.Header.Set("Content-Type", "application/x-amz-json-1.0")
		req.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential=any/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=any")
	}
	res, err := client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode >= 300 {
		err = fmt.Errorf("%s %s %s: status %d, %s", method, path, target, res.StatusCode, text)
	}
	return err
}

func (m *mix) putObject(ctx context.Context) error {
	if len(m.objects) == 0 {
		if err := m.aws(ctx, http.MethodPut, "/steady", "", nil); err != nil {
			return err
		}
	}
	size := []int{300, 20 << 10, 200 << 10}[m.n/30%3]
	key := fmt.Sprint("/steady/object-", m.n)
	if err := m.aws(ctx, http.MethodPut, key, "", bytes.Repeat([]byte(key), size/len(key)+1)); err != nil {
		return err
	}
	m.objects = append(m.objects, key)
	return m.drop(&m.objects, func(key string) error { return m.aws(ctx, http.MethodDelete, key, "", nil) })
}

func (m *mix) getObject(ctx context.Context) error {
	return m.aws(ctx, http.MethodGet, m.objects[m.n%len(m.objects)], "", nil)
}

// item is the body of a request for an item.
func (m *mix) item(member, key string, more map[string]any) []byte {
	body := map[string]any{"TableName": "steady", member: map[string]any{"pk": map[string]any{"S": key}}}
	if member == "Item" {
		body[member].(map[string]any)["text"] = map[string]any{"S": strings.Repeat(key, 60)}
	}
	for name, value := range more {
		body[name] = value
	}
	text, err := json.Marshal(body)
	if err != nil {
		panic(err) // maps of strings
	}
	return text
}

func (m *mix) putItem(ctx context.Context) error {
	if len(m.items) == 0 {
		err := m.aws(ctx, http.MethodPost, "/", "CreateTable", []byte(`{"TableName": "steady", "BillingMode": "PAY_PER_REQUEST",
			"AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}], "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}]}`))
		if err != nil {
			return err
		}
	}
	key := fmt.Sprint("item-", m.n)
	if err := m.aws(ctx, http.MethodPost, "/", "PutItem", m.item("Item", key, nil)); err != nil {
		return err
	}
	m.items = append(m.items, key)
	return m.drop(&m.items, func(key string) error { return m.aws(ctx, http.MethodPost, "/", "DeleteItem", m.item("Key", key, nil)) })
}

func (m *mix) getItem(ctx context.Context) error {
	return m.aws(ctx, http.MethodPost, "/", "GetItem", m.item("Key", m.items[m.n%len(m.items)], nil))
}

// operate looks at what operators look at.
func (m *mix) operate(ctx context.Context) error {
	path := []string{"/office/operations", "/api/v1/jobs", "/api/v1/users", "/api/v1/newswire/runs", "/api/v1/llm/spending"}[m.n/30%5]
	_, err := m.l.send(ctx, m.l.accounts["olga"], http.MethodGet, path, nil, nil, 200, 303)
	return err
}

// crawl has a site crawled, which has some news at first.
func (m *mix) crawl(ctx context.Context) error {
	olga := m.l.accounts["olga"]
	if m.site == "" {
		m.site = "steady"
		base := m.l.world.url + "/site/steady/"
		_, err := m.l.send(ctx, olga, http.MethodPost, "/api/v1/newswire/sites", map[string]any{
			"siteId": m.site, "name": "Steady", "category": "news", "baseUrl": base, "requestIntervalMs": 1, "allowedPaths": []string{"/site/steady/"},
		}, nil, 201)
		return err
	}
	if m.n/30%10 != 0 {
		return nil
	}
	_, err := m.l.send(ctx, olga, http.MethodPost, "/api/v1/crawls", map[string]any{"siteId": m.site}, nil, 202, 409)
	return err
}
