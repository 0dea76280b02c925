package mail

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"math/big"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
	"github.com/google/go-cmp/cmp"
	gomail "github.com/wneessen/go-mail"
)

// server is an SMTP server for one test, which notes what happens.
type server struct {
	addr string
	cert tls.Certificate
	opt  serverOptions

	mu       sync.Mutex
	events   []string
	messages []string
}

type serverOptions struct {
	starttls bool   // offer STARTTLS
	implicit bool   // TLS from the first byte
	refuse   string // what is refused
	breakOff bool   // hang up as soon as the letter is taken
}

func serve(t *testing.T, o serverOptions) *server {
	t.Helper()
	l := listen(t)
	s := &server{addr: l.Addr().String(), cert: certificate(t), opt: o}
	if o.breakOff {
		l = rude{l, s}
	}
	config := &tls.Config{Certificates: []tls.Certificate{s.cert}, MinVersion: tls.VersionTLS12}
	if o.implicit {
		l = tls.NewListener(l, config)
	}
	foreign := smtp.NewServer(smtp.BackendFunc(func(c *smtp.Conn) (smtp.Session, error) { return &session{s, c}, nil }))
	foreign.Domain, foreign.AllowInsecureAuth, foreign.ErrorLog = "here", true, log.New(io.Discard, "", 0)
	if o.starttls {
		foreign.TLSConfig = config
	}
	var wg sync.WaitGroup
	wg.Go(func() { _ = foreign.Serve(l) })
	t.Cleanup(func() {
		_ = foreign.Close()
		wg.Wait()
	})
	return s
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// rude hangs up after the answer to a letter.
type rude struct {
	net.Listener
	s *server
}

func (r rude) Accept() (net.Conn, error) {
	c, err := r.Listener.Accept()
	return rudeConn{c, r.s}, err
}

type rudeConn struct {
	net.Conn
	s *server
}

func (c rudeConn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	if _, messages := c.s.said(); len(messages) > 0 {
		_ = c.Close()
	}
	return n, err
}

// session is one conversation.
type session struct {
	s *server
	c *smtp.Conn
}

func (s *session) note(event, refusable string) error {
	s.s.mu.Lock()
	defer s.s.mu.Unlock()
	if _, encrypted := s.c.TLSConnectionState(); encrypted {
		event = "tls " + event
	}
	s.s.events = append(s.s.events, event)
	if s.s.opt.refuse == refusable {
		return &smtp.SMTPError{Code: 550, Message: "no"}
	}
	return nil
}

func (s *session) Reset()                                      {}
func (s *session) Logout() error                               { return nil }
func (s *session) AuthMechanisms() []string                    { return []string{sasl.Plain} }
func (s *session) Mail(from string, _ *smtp.MailOptions) error { return s.note("from "+from, "MAIL") }
func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error   { return s.note("to "+to, "RCPT") }
func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, username, password string) error { return s.note("login "+username+" "+password, "AUTH") }), nil
}

func (s *session) Data(r io.Reader) error {
	text, err := io.ReadAll(r)
	if err == nil {
		err = s.note("letter", "DATA")
	}
	if err == nil {
		s.s.mu.Lock()
		defer s.s.mu.Unlock()
		s.s.messages = append(s.s.messages, string(text))
	}
	return err
}

func certificate(t *testing.T) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}
}

// trust is a configuration that trusts the server.
func (s *server) trust() *tls.Config {
	pool := x509.NewCertPool()
	pool.AddCert(s.cert.Leaf)
	return &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
}

func (s *server) said() ([]string, []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.events...), append([]string(nil), s.messages...)
}

func letter() *Message {
	return &Message{
		From: mail.Address{Name: "Blog", Address: "blog@example.org"}, To: mail.Address{Address: "ann@example.org"},
		ReplyTo: mail.Address{Name: "読者", Address: "reader@example.net"}, Subject: "こんにちは", Body: "一行目\n.\nline = end\n",
		Date: time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC),
	}
}

func TestSend(t *testing.T) {
	const taken = "from blog@example.org, to ann@example.org, letter"
	const safe = "tls login me pass, tls from blog@example.org, tls to ann@example.org, tls letter"
	tests := []struct {
		name     string
		opt      serverOptions
		security Security
		login    bool
		want     string // what the server met
		fails    string // a part of the error
	}{
		{"plain on this machine", serverOptions{}, Auto, false, taken, ""},
		{"password on this machine", serverOptions{}, Auto, true, "login me pass, " + taken, ""},
		{"plain if offered more", serverOptions{starttls: true}, Plain, false, taken, ""},
		{"starttls if offered", serverOptions{starttls: true}, Auto, true, safe, ""},
		{"starttls", serverOptions{starttls: true}, STARTTLS, true, safe, ""},
		{"starttls taken out", serverOptions{}, STARTTLS, true, "", "does not support STARTTLS"},
		{"tls", serverOptions{implicit: true}, TLS, true, safe, ""},
		{"a server that hangs up", serverOptions{breakOff: true}, Auto, false, taken, ""},
		{"refused password", serverOptions{starttls: true, refuse: "AUTH"}, Auto, true, "tls login me pass", "550"},
		{"refused sender", serverOptions{refuse: "MAIL"}, Auto, false, "from blog@example.org", "550"},
		{"refused reader", serverOptions{refuse: "RCPT"}, Auto, false, "from blog@example.org, to ann@example.org", "550"},
		{"refused letter", serverOptions{refuse: "DATA"}, Auto, false, taken, "550"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, tt.opt)
			client := &Server{Addr: s.addr, Security: tt.security, TLS: s.trust(), Timeout: 5 * time.Minute}
			if tt.login {
				client.Username, client.Password = "me", "pass"
			}
			err := client.Send(t.Context(), letter())
			events, messages := s.said()
			if diff := cmp.Diff(tt.want, strings.Join(events, ", ")); diff != "" {
				t.Error(diff)
			}
			if tt.fails != "" {
				if err == nil || !strings.Contains(err.Error(), tt.fails) || strings.Contains(err.Error(), "pass") || len(messages) > 0 {
					t.Errorf("error %v, want %s; %d messages", err, tt.fails, len(messages))
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if len(messages) != 1 {
				t.Fatalf("%d messages", len(messages))
			}
			sameLetter(t, messages[0])
		})
	}
}

// What a server elsewhere is trusted with.
func TestRules(t *testing.T) {
	for _, tt := range []struct {
		security Security
		local    bool
		policy   gomail.TLSPolicy
		auth     gomail.SMTPAuthType // "" is a refusal
	}{
		{Auto, true, gomail.TLSOpportunistic, gomail.SMTPAuthPlainNoEnc},
		{Auto, false, gomail.TLSMandatory, gomail.SMTPAuthPlain},
		{STARTTLS, true, gomail.TLSMandatory, gomail.SMTPAuthPlainNoEnc},
		{STARTTLS, false, gomail.TLSMandatory, gomail.SMTPAuthPlain},
		{TLS, false, gomail.NoTLS, gomail.SMTPAuthPlain},
		{Plain, true, gomail.NoTLS, gomail.SMTPAuthPlainNoEnc},
		{Plain, false, gomail.NoTLS, ""},
	} {
		policy, auth, err := (&Server{Username: "me", Security: tt.security}).rules(tt.local)
		if policy != tt.policy || auth != tt.auth || (err != nil) != (tt.auth == "") {
			t.Errorf("%q, on this machine %t: %v, %s, %v", tt.security, tt.local, policy, auth, err)
		}
		if _, auth, err := (&Server{Security: tt.security}).rules(tt.local); auth != gomail.SMTPAuthNoAuth || err != nil {
			t.Errorf("%q without a name: %s, %v", tt.security, auth, err)
		}
	}
}

func sameLetter(t *testing.T, text string) {
	t.Helper()
	m, err := mail.ReadMessage(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	subject, err := new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
	if err != nil || subject != "こんにちは" {
		t.Errorf("subject %q: %v", subject, err)
	}
	reply, err := mail.ParseAddress(m.Header.Get("Reply-To"))
	if err != nil || *reply != letter().ReplyTo {
		t.Errorf("reply to %v: %v", reply, err)
	}
	body, err := io.ReadAll(quotedprintable.NewReader(m.Body))
	if err != nil || strings.ReplaceAll(string(body), "\r\n", "\n") != letter().Body {
		t.Errorf("body %q: %v", body, err)
	}
}

// A certificate that nobody trusts ends the conversation before the password.
func TestUntrustedServer(t *testing.T) {
	s := serve(t, serverOptions{starttls: true})
	client := &Server{Addr: s.addr, Username: "me", Password: "pass", Timeout: 5 * time.Minute}
	if err := client.Send(t.Context(), letter()); err == nil {
		t.Error("an unknown certificate is trusted")
	}
	if events, _ := s.said(); len(events) > 0 {
		t.Errorf("the server met %v", events)
	}
}

// A server that never says a word is given up when the time is up, and when the
// caller goes.
func TestSilentServer(t *testing.T) {
	given := func(what string, err error) {
		t.Helper()
		if late := net.Error(nil); (!errors.As(err, &late) || !late.Timeout()) && !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", what, err)
		}
	}
	given("the time is up", (&Server{Addr: listen(t).Addr().String(), Timeout: 100 * time.Millisecond}).Send(t.Context(), letter()))

	l := listen(t)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		if c, err := l.Accept(); err == nil {
			defer func() { _ = c.Close() }()
			cancel()
			_, _ = io.Copy(io.Discard, c)
		}
	}()
	given("the caller goes", (&Server{Addr: l.Addr().String(), Timeout: time.Hour}).Send(ctx, letter()))
}

// text is the letter as a server gets it.
func text(l *Message) (string, error) {
	m, err := l.message()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	_, err = m.WriteTo(&b)
	return b.String(), err
}

func TestNoHeaderInjection(t *testing.T) {
	evil := []string{"x\r\nBcc: victim@example.com", "x\nBcc: victim@example.com", "x\rBcc: a@b", "x\r\n\r\nbody", "x\u2028Bcc: a", "x\x00y", strings.Repeat("長", 300),
		"x" + strings.Repeat(" ", 70) + strings.Repeat("y", 72), strings.Repeat(" \u3000", 200)}
	for _, e := range evil {
		l := letter()
		l.Subject, l.ReplyTo.Name, l.From.Name, l.Body = e, e, e, e
		text, err := text(l)
		if err != nil {
			t.Fatal(err)
		}
		m, err := mail.ReadMessage(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if m.Header.Get("Bcc") != "" || len(m.Header) != 10 {
			t.Errorf("%q makes headers %v", e, m.Header)
		}
		head, _, _ := strings.Cut(text, "\r\n\r\n")
		for line := range strings.SplitSeq(head, "\r\n") {
			if strings.TrimSpace(line) == "" || len(line) > 998 {
				t.Errorf("%q makes a line %q", e, line)
			}
		}
	}
	for _, address := range []string{"", "a@b\r\nBcc: c@d", "a b@c", "<a@b>", "a@b>\r\nRCPT TO:<c@d", "Ann <a@b>", "a@b, c@d"} {
		l := letter()
		l.To.Address = address
		if text, err := text(l); err == nil {
			t.Errorf("%q is taken for an address: %s", address, text)
		}
		l = letter()
		if l.ReplyTo.Address = address; address == "" {
			continue
		}
		if text, err := text(l); err == nil {
			t.Errorf("%q is taken for an address: %s", address, text)
		}
	}
}
