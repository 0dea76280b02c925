package mail

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"io"
	"math/big"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// server is an SMTP server for one test.
type server struct {
	addr string
	cert tls.Certificate
	opt  serverOptions

	mu       sync.Mutex
	commands []string
	messages []string
}

type serverOptions struct {
	starttls bool            // offer STARTTLS
	implicit bool            // TLS from the first byte
	refuse   string          // the command that is refused
	silent   bool            // never say a word
	met      chan<- struct{} // closed when somebody calls
}

func serve(t *testing.T, o serverOptions) *server {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &server{addr: l.Addr().String(), cert: certificate(t), opt: o}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() { s.talk(conn) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		wg.Wait()
	})
	return s
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

func (s *server) talk(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(5 * time.Minute))
	if s.opt.met != nil {
		close(s.opt.met)
	}
	if s.opt.silent {
		_, _ = io.Copy(io.Discard, conn)
		return
	}
	config := &tls.Config{Certificates: []tls.Certificate{s.cert}, MinVersion: tls.VersionTLS12}
	encrypted := s.opt.implicit
	if encrypted {
		conn = tls.Server(conn, config)
	}
	r := bufio.NewReader(conn)
	say := func(line string) { _, _ = io.WriteString(conn, line+"\r\n") }
	say("220 here")
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return
		}
		line = strings.TrimRight(line, "\r\n")
		s.mu.Lock()
		s.commands = append(s.commands, line)
		s.mu.Unlock()
		verb, _, _ := strings.Cut(line, " ")
		switch {
		case verb == s.opt.refuse:
			say("550 no")
		case verb == "EHLO" && s.opt.starttls && !encrypted:
			say("250-here")
			say("250-AUTH PLAIN")
			say("250 STARTTLS")
		case verb == "EHLO":
			say("250-here")
			say("250 AUTH PLAIN")
		case verb == "STARTTLS":
			say("220 go")
			conn = tls.Server(conn, config)
			r, encrypted = bufio.NewReader(conn), true
		case verb == "AUTH":
			say("235 welcome")
		case verb == "DATA":
			say("354 go on")
			s.message(r)
			say("250 taken")
		case verb == "QUIT":
			say("221 bye")
			return
		default:
			say("250 fine")
		}
	}
}

func (s *server) message(r *bufio.Reader) {
	var b strings.Builder
	for {
		line, err := r.ReadString('\n')
		if err != nil || line == ".\r\n" {
			break
		}
		b.WriteString(strings.TrimPrefix(line, "."))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.messages = append(s.messages, b.String())
}

func (s *server) said() ([]string, []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.commands...), append([]string(nil), s.messages...)
}

func letter() *Letter {
	return &Letter{
		From: mail.Address{Name: "Blog", Address: "blog@example.org"}, To: mail.Address{Address: "ann@example.org"},
		ReplyTo: mail.Address{Name: "読者", Address: "reader@example.net"}, Subject: "こんにちは", Body: "一行目\n.\nline = end\n",
		Date: time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC),
	}
}

func TestSend(t *testing.T) {
	login := "AUTH PLAIN " + base64.StdEncoding.EncodeToString([]byte("\x00me\x00pass"))
	tests := []struct {
		name     string
		opt      serverOptions
		security Security
		login    bool
		want     string // the commands
		fails    string // a part of the error
	}{
		{"plain on this machine", serverOptions{}, Auto, false, "EHLO MAIL RCPT DATA QUIT", ""},
		{"starttls if offered", serverOptions{starttls: true}, Auto, true, "EHLO STARTTLS EHLO " + login + " MAIL RCPT DATA QUIT", ""},
		{"starttls", serverOptions{starttls: true}, STARTTLS, true, "EHLO STARTTLS EHLO " + login + " MAIL RCPT DATA QUIT", ""},
		{"starttls taken out", serverOptions{}, STARTTLS, true, "", "does not offer STARTTLS"},
		{"tls", serverOptions{implicit: true}, TLS, true, "EHLO " + login + " MAIL RCPT DATA QUIT", ""},
		{"refused sender", serverOptions{refuse: "MAIL"}, Auto, false, "", "550"},
		{"refused reader", serverOptions{refuse: "RCPT"}, Auto, false, "", "550"},
		{"refused letter", serverOptions{refuse: "DATA"}, Auto, false, "", "550"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, tt.opt)
			client := &Server{Addr: s.addr, Security: tt.security, TLS: s.trust(), Timeout: 5 * time.Minute}
			if tt.login {
				client.Username, client.Password = "me", "pass"
			}
			err := client.Send(t.Context(), letter())
			if tt.fails != "" {
				if err == nil || !strings.Contains(err.Error(), tt.fails) {
					t.Errorf("error %v, want %s", err, tt.fails)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			commands, messages := s.said()
			var verbs []string
			for _, c := range commands {
				if !strings.HasPrefix(c, "AUTH") {
					c, _, _ = strings.Cut(c, " ")
				}
				verbs = append(verbs, c)
			}
			if diff := cmp.Diff(tt.want, strings.Join(verbs, " ")); diff != "" {
				t.Error(diff)
			}
			if len(messages) != 1 {
				t.Fatalf("%d messages", len(messages))
			}
			sameLetter(t, messages[0])
		})
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
	commands, _ := s.said()
	if strings.Contains(strings.Join(commands, "\n"), "AUTH") {
		t.Error("the password was sent")
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
	s := serve(t, serverOptions{silent: true})
	given("the time is up", (&Server{Addr: s.addr, Timeout: 100 * time.Millisecond}).Send(t.Context(), letter()))

	met := make(chan struct{})
	s = serve(t, serverOptions{silent: true, met: met})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-met; cancel() }()
	given("the caller goes", (&Server{Addr: s.addr, Timeout: time.Hour}).Send(ctx, letter()))
}

func TestNoHeaderInjection(t *testing.T) {
	evil := []string{"x\r\nBcc: victim@example.com", "x\nBcc: victim@example.com", "x\rBcc: a@b", "x\r\n\r\nbody", "x\u2028Bcc: a", "x\x00y", strings.Repeat("長", 300)}
	for _, e := range evil {
		l := letter()
		l.Subject, l.ReplyTo.Name, l.From.Name, l.Body = e, e, e, e
		text, err := l.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		m, err := mail.ReadMessage(strings.NewReader(string(text)))
		if err != nil {
			t.Fatal(err)
		}
		if m.Header.Get("Bcc") != "" || len(m.Header) != 10 {
			t.Errorf("%q makes headers %v", e, m.Header)
		}
	}
	for _, address := range []string{"", "a@b\r\nBcc: c@d", "a b@c", "<a@b>", "a@b>\r\nRCPT TO:<c@d", "Ann <a@b>", "a@b, c@d"} {
		l := letter()
		l.To.Address = address
		if text, err := l.Bytes(); err == nil {
			t.Errorf("%q is taken for an address: %s", address, text)
		}
		l = letter()
		if l.ReplyTo.Address = address; address == "" {
			continue
		}
		if text, err := l.Bytes(); err == nil {
			t.Errorf("%q is taken for an address: %s", address, text)
		}
	}
}
