package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"
)

// begin makes the workers of all desks. Where something must be there first, it
// is made while nobody kills.
func begin(ctx context.Context, w *world, by map[string]*account) (*load, error) {
	l := &load{accounts: by, world: w}
	words := &glossary{moderator: by["mona"]}
	for range 6 {
		if err := words.add(ctx, l); err != nil {
			return nil, err
		}
	}
	for _, name := range []string{"rita", "vera", "paul"} {
		if _, err := l.send(ctx, by[name], http.MethodGet, "/api/v1/lexicon/users/me", nil, nil, 200); err != nil {
			return nil, err
		}
		path := "/api/v1/lexicon/users/" + by[name].id
		user, err := l.send(ctx, by["olga"], http.MethodGet, path, nil, nil, 200)
		if err != nil {
			return nil, err
		}
		if _, err := l.send(ctx, by["olga"], http.MethodPatch, path, map[string]any{"tier": "premium"}, map[string]string{"If-Match": user.etag}, 200); err != nil {
			return nil, err
		}
	}
	l.desks = []desk{
		&editor{author: by["anna"]}, &editor{author: by["mona"]}, words,
		&proposer{by: by["rita"], voters: []*account{by["vera"], by["paul"]}},
		&player{by: by["vera"]}, &translator{by: by["paul"]},
		&newsagent{operator: by["olga"], world: w}, &clerk{operator: by["olga"]},
	}
	return l, nil
}

// field asks for something and compares a field of it.
func field(c *account, path, name string, allowed ...any) func(context.Context) error {
	return func(ctx context.Context) error {
		a, err := c.ask(ctx, http.MethodGet, path, nil, nil)
		if err != nil || a.status != http.StatusOK {
			return fmt.Errorf("GET %s: %w, %+v", path, err, a)
		}
		for _, want := range allowed {
			if a.body[name] == want {
				return nil
			}
		}
		return fmt.Errorf("%s of %s is %v, not one of %v", name, path, a.body[name], allowed)
	}
}

// atLeast asks for something and compares a number of it, which only grows.
func atLeast(c *account, path, name string, least float64) func(context.Context) error {
	return func(ctx context.Context) error {
		a, err := c.ask(ctx, http.MethodGet, path, nil, nil)
		if err != nil || a.status != http.StatusOK {
			return fmt.Errorf("GET %s: %w, %+v", path, err, a)
		}
		if a.number(name) < least {
			return fmt.Errorf("%s of %s is %v, less than %v", name, path, a.body[name], least)
		}
		return nil
	}
}

// editor writes posts, changes them with If-Match and publishes them.
type editor struct {
	author  *account
	n       int
	pending pendingPost
}

func post(title string, blocks int) map[string]any {
	var all []any
	for i := range blocks {
		all = append(all, map[string]any{"type": "text", "content": fmt.Sprintf("%s, paragraph %d.", title, i)})
	}
	return map[string]any{"title": title, "summary": "About " + title, "tags": []string{"tea", "rain"}, "blocks": all}
}

func (e *editor) work(ctx context.Context, l *load) error {
	for ; ctx.Err() == nil; e.n++ {
		blocks := 3
		if e.n%5 == 4 {
			blocks = 150 // more than one transaction takes
		}
		made, err := l.once(ctx, e.author, "/api/v1/blog/posts", post(fmt.Sprintf("%s %d", e.author.name, e.n), blocks), &e.pending, 201)
		if made == nil {
			return err
		}
		if err := e.edit(ctx, l, made, blocks); err != nil {
			return err
		}
	}
	return nil
}

// edit changes a post and publishes it. The last change may be cut off: then the
// post is as it was acknowledged before, or as it was asked to be.
func (e *editor) edit(ctx context.Context, l *load, made *answer, blocks int) error {
	id, title := made.text("id"), made.text("title")
	path := "/api/v1/blog/sources/" + id
	known := l.note("post "+id, field(e.author, path, "title", title))
	changed := title + ", changed"
	known.allow(field(e.author, path, "title", title, changed))
	saved, err := l.send(ctx, e.author, http.MethodPut, "/api/v1/blog/posts/"+id, post(changed, blocks+1), map[string]string{"If-Match": made.etag}, 200)
	if saved == nil {
		return err
	}
	known.allow(field(e.author, path, "title", changed))
	if stale, err := l.send(ctx, e.author, http.MethodPut, "/api/v1/blog/posts/"+id, post("never", 1), map[string]string{"If-Match": made.etag}, 412); stale == nil {
		return err
	}
	state := l.note("state of post "+id, field(e.author, path, "status", "draft", "published"))
	shown, err := l.send(ctx, e.author, http.MethodPut, "/api/v1/blog/posts/"+id+"/status", map[string]any{"status": "published"}, map[string]string{"If-Match": saved.etag}, 200)
	if shown == nil {
		return err
	}
	state.allow(field(e.author, path, "status", "published"))
	return nil
}

// allow replaces what is expected.
func (f *fact) allow(holds func(context.Context) error) { f.holds = holds }

// glossary adds terms.
type glossary struct {
	moderator *account
	n         int
	pending   pendingPost
}

func (g *glossary) work(ctx context.Context, l *load) error {
	for ctx.Err() == nil {
		if err := g.add(ctx, l); err != nil {
			return err
		}
		pause(ctx, 50*time.Millisecond)
	}
	return nil
}

func (g *glossary) add(ctx context.Context, l *load) error {
	term := letters(g.n)
	made, err := l.once(ctx, g.moderator, "/api/v1/lexicon/terms", map[string]any{
		"term": term, "gloss": "what " + term + " means", "confidence": 0.95, "momentum": 0.95, "is_quiz_eligible": true, "tags": []string{"net"}, "variants": []string{term + "z"},
	}, &g.pending, 201)
	if made == nil {
		return err
	}
	g.n++
	slug := made.text("slug")
	l.note("term "+slug, field(g.moderator, "/api/v1/lexicon/terms/"+slug, "gloss", made.text("gloss")))
	return nil
}

// letters is a word for a number, which looks like no other.
func letters(n int) string {
	word := "w"
	for range 5 {
		word += string(rune('a' + n%8))
		n /= 8
	}
	return word
}

// proposer proposes terms, of which so many a day are allowed, and others vote.
type proposer struct {
	by      *account
	voters  []*account
	n       int
	full    bool
	open    []*proposal
	pending pendingPost
}

type proposal struct {
	id    string
	votes map[string]bool
	fact  *fact
}

func (p *proposer) work(ctx context.Context, l *load) error {
	for ctx.Err() == nil {
		if !p.full {
			term := "prop" + letters(p.n)
			made, err := l.once(ctx, p.by, "/api/v1/lexicon/submissions", map[string]any{
				"slang_term": term, "meaning": "what it means", "example_usage": "so " + term, "context": "chat",
			}, &p.pending, 201, 429)
			if made == nil {
				return err
			}
			p.full = made.status == 429
			if !p.full {
				p.n++
				p.open = append(p.open, &proposal{id: made.text("submission_id"), votes: map[string]bool{}, fact: l.note("submission "+term, func(context.Context) error { return nil })})
			}
		}
		if err := p.vote(ctx, l); err != nil {
			return err
		}
		pause(ctx, 30*time.Millisecond)
	}
	return nil
}

// vote casts votes and takes them back: the count is that of the votes that were
// acknowledged, give or take one that was cut off.
func (p *proposer) vote(ctx context.Context, l *load) error {
	for _, s := range p.open {
		path := "/api/v1/lexicon/submissions/" + s.id
		for _, v := range p.voters {
			now := float64(len(s.votes))
			method, next := http.MethodPut, now+1
			if s.votes[v.name] {
				method, next = http.MethodDelete, now-1
			}
			s.fact.allow(field(p.by, path, "upvotes", now, next))
			a, err := l.send(ctx, v, method, path+"/vote", nil, nil, 200, 204, 404)
			if a == nil {
				p.forget(s)
				return err
			}
			if a.status == http.StatusNotFound { // it waits to be judged, and nobody else sees it yet
				s.fact.allow(field(p.by, path, "upvotes", now))
				break
			}
			if method == http.MethodPut {
				s.votes[v.name] = true
			} else {
				delete(s.votes, v.name)
			}
			s.fact.allow(field(p.by, path, "upvotes", float64(len(s.votes))))
		}
	}
	return nil
}

// forget votes no more for a proposal of whose votes one was cut off.
func (p *proposer) forget(s *proposal) {
	p.open = slices.DeleteFunc(p.open, func(o *proposal) bool { return o == s })
}

// player answers quizzes.
type player struct {
	by      *account
	pending pendingPost
}

func (p *player) work(ctx context.Context, l *load) error {
	for ctx.Err() == nil {
		quiz, err := l.once(ctx, p.by, "/api/v1/lexicon/quizzes", map[string]any{"questions": 5}, &p.pending, 201)
		if quiz == nil {
			return err
		}
		path := "/api/v1/lexicon/quizzes/" + quiz.text("session_id")
		known := l.note("quiz "+path, atLeast(p.by, path, "answered", 0))
		for n := 1; n <= int(quiz.number("questions")); n++ {
			if asked, err := l.send(ctx, p.by, http.MethodPost, path+"/questions", nil, nil, 200, 201); asked == nil {
				return err
			}
			if answered, err := l.send(ctx, p.by, http.MethodPost, path+"/answers", map[string]any{"number": n, "choice": n % 4}, nil, 200, 201); answered == nil {
				return err
			}
			known.allow(atLeast(p.by, path, "answered", float64(n)))
		}
	}
	return nil
}

// translator translates, as often as a day allows.
type translator struct {
	by      *account
	full    bool
	pending pendingPost
}

func (t *translator) work(ctx context.Context, l *load) error {
	for !t.full && ctx.Err() == nil {
		made, err := l.once(ctx, t.by, "/api/v1/lexicon/translations", map[string]any{"text": letters(0)}, &t.pending, 200, 201, 429)
		if made == nil {
			return err
		}
		if t.full = made.status == 429; !t.full && made.text("translation_id") != "" {
			l.note("translation", field(t.by, "/api/v1/lexicon/translations/"+made.text("translation_id"), "original_text", letters(0)))
		}
		pause(ctx, 100*time.Millisecond)
	}
	return nil
}

// newsagent adds sites and has them crawled.
type newsagent struct {
	operator *account
	world    *world
	sites    []string
	n        int
	pending  pendingPost
	seen     map[string]bool
}

func (a *newsagent) work(ctx context.Context, l *load) error {
	if a.seen == nil {
		a.seen = map[string]bool{}
	}
	for ctx.Err() == nil {
		if len(a.sites) < 6 {
			id := fmt.Sprintf("site%d", a.n)
			base := a.world.url + "/site/" + id + "/"
			made, err := l.once(ctx, a.operator, "/api/v1/newswire/sites", map[string]any{
				"siteId": id, "name": "Site " + id, "category": "news", "baseUrl": base, "requestIntervalMs": 1, "allowedPaths": []string{"/site/" + id + "/"},
			}, &a.pending, 201)
			if made == nil {
				return err
			}
			a.n++
			a.sites = append(a.sites, id)
			l.note("site "+id, field(a.operator, "/api/v1/newswire/sites/"+id, "baseUrl", base))
		}
		for _, id := range a.sites {
			if run, err := l.send(ctx, a.operator, http.MethodPost, "/api/v1/crawls", map[string]any{"siteId": id}, nil, 202, 409); run == nil {
				return err
			}
		}
		if err := a.look(ctx, l); err != nil {
			return err
		}
		pause(ctx, 100*time.Millisecond)
	}
	return nil
}

// look remembers the articles that a reader has seen: they stay.
func (a *newsagent) look(ctx context.Context, l *load) error {
	list, err := l.send(ctx, a.operator, http.MethodGet, "/api/v1/newswire/articles?limit=100", nil, nil, 200)
	if list == nil {
		return err
	}
	items, _ := list.body["items"].([]any)
	for _, i := range items {
		item, _ := i.(map[string]any)
		id, _ := item["articleId"].(string)
		if id == "" || a.seen[id] {
			continue
		}
		a.seen[id] = true
		l.note("article "+id, field(a.operator, "/api/v1/newswire/articles/"+id, "title", item["title"]))
	}
	return nil
}

// clerk has meetings summarised again and again, and reads what came of them.
type clerk struct {
	operator *account
	n        int
	seen     map[string]bool
}

func (c *clerk) work(ctx context.Context, l *load) error {
	if c.seen == nil {
		c.seen = map[string]bool{}
	}
	for ; ctx.Err() == nil; c.n++ {
		id := issue(c.n % meetings)
		article, err := l.send(ctx, c.operator, http.MethodGet, "/api/v1/minutes/articles/"+id, nil, nil, 200, 404)
		if article == nil {
			return err
		}
		if article.status == 200 && !c.seen[id] {
			c.seen[id] = true
			l.note("minutes "+id, field(c.operator, "/api/v1/minutes/articles/"+id, "id", id))
		}
		task, err := l.send(ctx, c.operator, http.MethodGet, "/api/v1/minutes/tasks/"+id, nil, nil, 200)
		if task == nil {
			return err
		}
		if task.text("status") == "completed" {
			again, err := l.send(ctx, c.operator, http.MethodPost, "/api/v1/minutes/tasks/"+id+"/decisions", map[string]any{"decision": "rebuild"}, map[string]string{"If-Match": task.etag}, 202, 409, 412)
			if again == nil {
				return err
			}
		}
		pause(ctx, 50*time.Millisecond)
	}
	return nil
}

// settle waits until no meeting is left to be summarised: the task of a consumer
// that was killed is taken up by another.
func (l *load) settle(ctx context.Context) error {
	var operator *account
	for _, d := range l.desks {
		if c, ok := d.(*clerk); ok {
			operator = c.operator
		}
	}
	return until(ctx, 10*time.Minute, "every meeting is summarised", func() bool {
		a, err := operator.ask(ctx, http.MethodGet, "/api/v1/minutes/queue", nil, nil)
		return err == nil && a.status == 200 && a.number("pending") == 0 && a.number("completed") == meetings
	})
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
