package blog_test

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pressroom/internal/desk/blog"
	"pressroom/internal/errs"
	"pressroom/internal/mail"
)

func aLetter() blog.NewMessage {
	return blog.NewMessage{Name: "読者", Email: "reader@example.net", Subject: "Hello", Body: "A question.\n\nThanks."}
}

func TestInbox(t *testing.T) {
	r := openRoom(t)
	ctx := t.Context()
	check(t, r.Public().Send(ctx, "1.2.3.4", aLetter()), nil)
	page := must(r.Inbox(ctx, blog.PageOptions{}))(t)
	if len(page.Items) != 1 || !cmp.Equal(page.Items[0].NewMessage, aLetter()) || page.Items[0].Reason != "" {
		t.Fatalf("inbox: %+v", page.Items)
	}
	check(t, r.DeleteMessage(ctx, page.Items[0].ID), nil)
	check(t, r.DeleteMessage(ctx, page.Items[0].ID), nil)
	check(t, r.DeleteMessage(ctx, "x"), errs.NotFound)
	if page := must(r.Inbox(ctx, blog.PageOptions{}))(t); len(page.Items) != 0 {
		t.Errorf("left: %+v", page.Items)
	}
}

func TestLetterIsChecked(t *testing.T) {
	r := openRoom(t)
	tests := []struct {
		change func(*blog.NewMessage)
		want   string
	}{
		{func(l *blog.NewMessage) { *l = blog.NewMessage{} }, "name email subject body"},
		{func(l *blog.NewMessage) { l.Name = "a\nBcc: x@y" }, "name"},
		{func(l *blog.NewMessage) { l.Email = "nobody" }, "email"},
		{func(l *blog.NewMessage) { l.Email = "a@b\r\nBcc: c@d" }, "email"},
		{func(l *blog.NewMessage) { l.Email = "Ann <a@example.org>" }, "email"},
		{func(l *blog.NewMessage) { l.Subject = "a\r\nBcc: x@y" }, "subject"},
		{func(l *blog.NewMessage) { l.Subject = strings.Repeat("x", 151) }, "subject"},
		{func(l *blog.NewMessage) { l.Body = strings.Repeat("あ", 5001) }, "body"},
		{func(l *blog.NewMessage) { l.Body = strings.Repeat("あ", 5000) }, ""},
	}
	for _, tt := range tests {
		l := aLetter()
		tt.change(&l)
		err := r.Public().Send(t.Context(), "v", l)
		if fields(err) != tt.want {
			t.Errorf("%+.80v: fields %q, want %q (%v)", l, fields(err), tt.want, err)
		}
	}
}

func TestHoneypot(t *testing.T) {
	r := openRoom(t)
	l := aLetter()
	l.Website = "https://spam.example"
	check(t, r.Public().Send(t.Context(), "v", l), nil)
	if page := must(r.Inbox(t.Context(), blog.PageOptions{}))(t); len(page.Items) != 0 {
		t.Errorf("a machine's letter is kept: %+v", page.Items)
	}
}

func TestContactIsLimited(t *testing.T) {
	r := openRoom(t, func(o *blog.Options) { o.Contact.PerVisitor, o.Contact.PerHour = 3, 8 })
	ctx := t.Context()
	var sent atomic.Int64
	var wg sync.WaitGroup
	for range 20 { // all at once: the count is the store's
		wg.Go(func() {
			err := r.Public().Send(ctx, "one", aLetter())
			after, limited := errs.RetryAfter(err)
			switch {
			case err == nil:
				sent.Add(1)
			case !limited || after <= 0 || after > time.Hour:
				t.Errorf("error %v, wait %v", err, after)
			}
		})
	}
	wg.Wait()
	if sent.Load() != 3 {
		t.Errorf("%d letters of one visitor, want 3", sent.Load())
	}
	for i := range 10 {
		err := r.Public().Send(ctx, fmt.Sprint("other", i), aLetter())
		if want := error(errs.RateLimited); i < 5 {
			check(t, err, nil)
		} else {
			check(t, err, want)
		}
	}
	r.clock.Advance(time.Hour)
	check(t, r.Public().Send(ctx, "one", aLetter()), nil)
}

// A letter that the mail server does not take is not lost.
func TestMailServerIsDown(t *testing.T) {
	r := openRoom(t, func(o *blog.Options) {
		o.Contact = blog.Contact{Server: &mail.Server{Addr: "127.0.0.1:1", Timeout: time.Second}, From: "Blog <blog@example.org>", To: "ann@example.org"}
	})
	check(t, r.Public().Send(t.Context(), "v", aLetter()), nil)
	page := must(r.Inbox(t.Context(), blog.PageOptions{}))(t)
	if len(page.Items) != 1 || !strings.Contains(page.Items[0].Reason, "127.0.0.1:1") {
		t.Errorf("inbox: %+v", page.Items)
	}
}

func TestBadOptions(t *testing.T) {
	r := openRoom(t)
	for name, o := range map[string]*blog.Options{
		"short secret": {Secret: []byte("short")},
		"no address":   {Contact: blog.Contact{Server: &mail.Server{Addr: "x:1"}, From: "nobody", To: "a@example.org"}},
		"script link":  {Profile: blog.Profile{Links: []blog.Link{{Label: "x", URL: "javascript:alert(1)"}}}},
		"script image": {Profile: blog.Profile{Avatar: "javascript:alert(1)"}},
	} {
		if _, err := blog.New(r.db, r.objects, o); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	if _, err := blog.New(nil, nil, nil); err == nil {
		t.Error("no stores are accepted")
	}
	if _, err := blog.New(r.db, r.objects, nil); err != nil {
		t.Error(err)
	}
}
