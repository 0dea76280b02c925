package channel

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"mime"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptest"
	"net/mail"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-msgauth/dkim"
	"github.com/emersion/go-smtp"

	"pressroom/internal/deliver"
	"pressroom/internal/deliver/bounce"
	letter "pressroom/internal/mail"
	"pressroom/internal/outbound"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// office is an SMTP server that others wrote. It refuses as the local part of an address
// says: "r550 5.1.1 no" is written r550_5.1.1_no@example.org.
type office struct {
	addr     string
	mu       sync.Mutex
	letters  []string
	senders  []string // of envelopes
	sessions []*smtp.Conn
}

func newOffice(t testing.TB) *office {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	o := &office{addr: l.Addr().String()}
	s := smtp.NewServer(smtp.BackendFunc(func(c *smtp.Conn) (smtp.Session, error) {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.sessions = append(o.sessions, c)
		return &visit{o}, nil
	}))
	s.Domain, s.ErrorLog = "here", log.New(io.Discard, "", 0)
	go func() { _ = s.Serve(l) }()
	t.Cleanup(func() { _ = s.Close() })
	return o
}

type visit struct{ *office }

func (v *visit) Reset()        {}
func (v *visit) Logout() error { return nil }

func (v *visit) Mail(from string, _ *smtp.MailOptions) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.senders = append(v.senders, from)
	if strings.HasPrefix(from, "unwelcome") {
		return &smtp.SMTPError{Code: 550, EnhancedCode: smtp.NoEnhancedCode, Message: "no"}
	}
	return nil
}

func (v *visit) Rcpt(to string, _ *smtp.RcptOptions) error {
	var e smtp.SMTPError
	local, _, _ := strings.Cut(to, "@")
	n, _ := fmt.Sscanf(local, "r%d_%d.%d.%d", &e.Code, &e.EnhancedCode[0], &e.EnhancedCode[1], &e.EnhancedCode[2])
	switch {
	case n == 1:
		e.EnhancedCode = smtp.NoEnhancedCode
	case n != 4:
		return nil
	}
	e.Message = "no"
	return &e
}

func (v *visit) Data(r io.Reader) error {
	body, err := io.ReadAll(r)
	v.mu.Lock()
	defer v.mu.Unlock()
	v.letters = append(v.letters, string(body))
	return err
}

func newMail(o *office) *Mail {
	return &Mail{
		Line: &letter.Line{Server: &letter.Server{Addr: o.addr}}, From: mail.Address{Name: "編集部", Address: "news@example.org"}, ListName: "alerts",
		Now: func() time.Time { return time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC) },
	}
}

func TestMail(t *testing.T) {
	o := newOffice(t)
	c := newMail(o)
	defer c.Line.Close()
	public, key, err := ed25519.GenerateKey(nil)
	must(t, err)
	c.Line.Signer = &letter.Signer{Domain: "example.org", Selector: "k1", Key: key}
	m := &deliver.Message{
		ID: "0123abcd", To: "ann@example.org", Subject: "予算委員会\r\nBcc: all@example.org", Text: "本文\n.\nend", HTML: "<p>本文</p>",
		Leave: "https://news.example/leave?t=a-b_c.d", LeavePage: "https://news.example/follows?t=x",
	}
	must(t, c.Send(t.Context(), m))
	raw := o.letters[0]
	got, err := mail.ReadMessage(strings.NewReader(raw))
	must(t, err)
	subject, err := new(mime.WordDecoder).DecodeHeader(got.Header.Get("Subject"))
	must(t, err)
	for name, want := range map[string]string{
		"To": "<ann@example.org>", "Message-Id": "<0123abcd@example.org>", "List-Id": "<alerts.example.org>", "Bcc": "",
		"List-Unsubscribe": "<" + m.Leave + ">", "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
	} {
		if is := got.Header.Get(name); is != want {
			t.Errorf("%s is %q", name, is)
		}
	}
	if subject != "予算委員会 Bcc: all@example.org" {
		t.Errorf("subject %q", subject)
	}
	_, params, err := mime.ParseMediaType(got.Header.Get("Content-Type"))
	must(t, err)
	parts := multipart.NewReader(got.Body, params["boundary"])
	for _, want := range []string{"本文\n.\nend\n\n-- \n" + m.LeavePage, "<p>本文</p>"} {
		p, err := parts.NextPart() // which decodes quoted-printable
		must(t, err)
		body, err := io.ReadAll(p)
		must(t, err)
		if is := strings.ReplaceAll(string(body), "\r\n", "\n"); strings.TrimSpace(is) != want {
			t.Errorf("a part is %q", is)
		}
	}
	check := func(raw string) error {
		all, err := dkim.VerifyWithOptions(strings.NewReader(raw), &dkim.VerifyOptions{LookupTXT: func(name string) ([]string, error) {
			if name != "k1._domainkey.example.org" {
				t.Errorf("the key is looked for at %s", name)
			}
			return []string{"v=DKIM1; k=ed25519; p=" + base64.StdEncoding.EncodeToString(public)}, nil
		}})
		if err != nil || len(all) != 1 {
			return fmt.Errorf("%d signatures: %w", len(all), err)
		}
		return all[0].Err
	}
	if err := check(raw); err != nil {
		t.Errorf("the signature: %v", err)
	}
	if check(strings.Replace(raw, "/leave?", "/other?", 1)) == nil || check("Reply-To: <x@example.com>\r\n"+raw) == nil {
		t.Error("a changed letter has a good signature")
	}
}

// What a server says decides what becomes of a delivery; connections outlive refusals.
func TestReplies(t *testing.T) {
	o := newOffice(t)
	c := newMail(o)
	defer c.Line.Close()
	for local, want := range map[string]string{
		"r450_4.2.1": "again", "r452_4.2.2": "again", "r421_4.7.0": "again", "r451": "again",
		"r550_5.1.1": "dead", "r550": "dead", "r553": "dead", "r550_5.1.10": "dead", "r550_5.2.1": "dead", "r551_5.1.6": "dead",
		"r552_5.2.2": "final", "r554_5.7.1": "final", "r550_5.7.1": "final", "r550_5.1.8": "final", "r554": "final",
		"fine": "taken",
	} {
		err := c.Send(t.Context(), &deliver.Message{ID: "1", To: local + "@example.org", Text: "x"})
		is := "taken"
		var r *deliver.Refusal
		switch {
		case errors.As(err, &r) && r.Dead:
			is = "dead"
		case errors.As(err, &r) && r.Final:
			is = "final"
		case err != nil:
			is = "again"
		}
		if is != want {
			t.Errorf("%s: %s, want %s (%v)", local, is, want, err)
		}
	}
	if len(o.sessions) > 3 {
		t.Errorf("%d connections", len(o.sessions))
	}
	// A server that hung up in between is called again, and gets the letter once.
	for _, c := range o.sessions {
		_ = c.Close() // some are closed
	}
	must(t, c.Send(t.Context(), &deliver.Message{ID: "2", To: "fine@example.org", Text: "x"}))
	if len(o.letters) != 2 {
		t.Errorf("%d letters", len(o.letters))
	}
}

// A letter can be told by what comes back of it, and an answer that is about us counts
// against nobody.
func TestStamps(t *testing.T) {
	o := newOffice(t)
	c := newMail(o)
	defer c.Line.Close()
	c.Stamps, c.Bounces = bounce.Key("k"), "bounces@example.org"
	must(t, c.Send(t.Context(), &deliver.Message{ID: "0123abcd", To: "ann@reader.example", Text: "x"}))
	if want := c.Stamps.Return("bounces@example.org", "ann@reader.example"); o.senders[0] != want {
		t.Errorf("the envelope is from %q, want %q", o.senders[0], want)
	}
	if want := "<0123abcd" + c.Stamps.Stamp("ann@reader.example") + "@example.org>"; !strings.Contains(o.letters[0], want) {
		t.Errorf("no %q in %s", want, o.letters[0])
	}
	var r *deliver.Refusal
	full := c.Send(t.Context(), &deliver.Message{ID: "1", To: "r552_5.2.2@example.org", Text: "x"})
	if !errors.As(full, &r) || !r.Strike || r.Dead {
		t.Errorf("a full mailbox: %+v", full)
	}
	c.Bounces = "unwelcome@example.org"
	us := c.Send(t.Context(), &deliver.Message{ID: "1", To: "ann@reader.example", Text: "x"})
	if !errors.As(us, &r) || !r.Final || r.Dead || r.Strike {
		t.Errorf("an answer about us: %+v", us)
	}
}

// Nothing that strangers choose becomes a header, a command or another recipient.
func TestInjection(t *testing.T) {
	o := newOffice(t)
	c := newMail(o)
	defer c.Line.Close()
	for _, to := range []string{"a@example.org\r\nRCPT TO:<b@example.org>", "a@example.org, b@example.org", "<a@example.org>", "", "a@example.org\x00"} {
		if err := c.Send(t.Context(), &deliver.Message{ID: "1", To: to}); err == nil {
			t.Errorf("sent to %q", to)
		}
	}
	for _, leave := range []string{"https://x.example/\r\nBcc: b@example.org", "https://x.example/>,<mailto:b@example.org", "javascript:1", "x"} {
		if err := c.Send(t.Context(), &deliver.Message{ID: "1", To: "a@example.org", Leave: leave}); err == nil {
			t.Errorf("sent with %q", leave)
		}
	}
	if err := c.Send(t.Context(), &deliver.Message{ID: "1@x>\r\nBcc: b", To: "a@example.org"}); err == nil {
		t.Error("an id became a header")
	}
	if len(o.letters) != 0 {
		t.Errorf("%d letters", len(o.letters))
	}
}

func hookTo(t *testing.T, allow ...string) *Hook {
	t.Helper()
	client, err := outbound.New(&outbound.Options{Allow: allow, MaxRedirects: -1})
	must(t, err)
	return &Hook{Client: client}
}

func TestHook(t *testing.T) {
	var got http.Header
	var body []byte
	answer := func(w http.ResponseWriter) {}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r.Header
		body, _ = io.ReadAll(r.Body)
		answer(w)
	}))
	defer server.Close()
	h := hookTo(t, server.Listener.Addr().String())
	m := &deliver.Message{ID: "abc", To: server.URL + "/in", Payload: []byte(`{"type":"story.published"}`), Secret: []byte("secret"), Subject: "<!channel> A & B", Text: "@here |", Link: "https://news.example/1"}
	must(t, h.Send(t.Context(), m))
	if want := "v1," + Signature(m.Secret, "abc", got.Get("Webhook-Timestamp"), body); got.Get("Webhook-Signature") != want || got.Get("Webhook-Id") != "abc" || !bytes.Equal(body, m.Payload) {
		t.Errorf("%v %s", got, body)
	}
	refusal := func() *deliver.Refusal {
		t.Helper()
		var r *deliver.Refusal
		if err := h.Send(t.Context(), m); !errors.As(err, &r) {
			t.Fatalf("answered %v", err)
		}
		return r
	}
	answer = func(w http.ResponseWriter) { w.WriteHeader(http.StatusGone) }
	if r := refusal(); !r.Dead {
		t.Errorf("gone: %+v", r)
	}
	answer = func(w http.ResponseWriter) {
		w.Header().Set("Retry-After", "120")
		w.WriteHeader(http.StatusTooManyRequests)
	}
	if r := refusal(); r.Final || r.After != 2*time.Minute {
		t.Errorf("busy: %+v", r)
	}
	answer = func(w http.ResponseWriter) {
		w.Header().Set("Location", "http://169.254.169.254/")
		w.WriteHeader(http.StatusTemporaryRedirect)
	}
	if r := refusal(); r.Final || !strings.Contains(r.Reason, "307") {
		t.Errorf("redirected: %+v", r)
	}
	answer = func(w http.ResponseWriter) {}
	h.Chat = true
	must(t, h.Send(t.Context(), m))
	var chat struct{ Text string }
	must(t, json.Unmarshal(body, &chat))
	if chat.Text != "<https://news.example/1|&lt;!channel&gt; A &amp; B>\n@\u200bhere ¦" {
		t.Errorf("chat: %q", chat.Text)
	}
}

// Addresses inside the house are refused for good.
func TestHookInside(t *testing.T) {
	for _, to := range []string{"http://127.0.0.1:8080/", "http://169.254.169.254/latest/meta-data", "http://[::1]/", "http://10.0.0.1/", "http://[::ffff:192.168.0.1]/", "file:///etc/passwd", "http://example.org:25/", "http://u:p@example.org/", ":"} {
		var r *deliver.Refusal
		if err := hookTo(t).Send(t.Context(), &deliver.Message{ID: "1", To: to}); !errors.As(err, &r) || !r.Final {
			t.Errorf("%s: %v", to, err)
		}
	}
}

// BenchmarkMail sends letters with 16 connections; -benchtime 100000x is the size that is
// reported.
func BenchmarkMail(b *testing.B) {
	_, key, err := ed25519.GenerateKey(nil)
	must(b, err)
	for name, signer := range map[string]*letter.Signer{"unsigned": nil, "dkim": {Domain: "example.org", Selector: "k1", Key: key}} {
		b.Run(name, func(b *testing.B) {
			c := newMail(newOffice(b))
			c.Line.Signer = signer
			defer c.Line.Close()
			text := strings.Repeat("A line of a digest, with the title of a story and its address.\n", 30)
			b.SetParallelism(8)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if err := c.Send(context.Background(), &deliver.Message{ID: "1", To: "ann@example.org", Subject: "Digest", Text: text, HTML: "<p>" + text + "</p>", Leave: "https://news.example/leave"}); err != nil {
						b.Error(err)
					}
				}
			})
		})
	}
}
