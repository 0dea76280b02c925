// Package mail sends a letter through an SMTP server, Amazon SES among them.
//
// It promises that nothing in a letter becomes a header or a command of its own,
// that passwords cross the network encrypted or not at all, and that a server
// which does not answer is given up in time. Start with [Server.Send].
package mail

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"net/smtp"
	"strings"
	"time"
)

// Security is how a connection is encrypted.
type Security string

// The ways to encrypt. Without a choice it is STARTTLS, but for a server on the
// same machine.
const (
	Auto     Security = ""
	STARTTLS Security = "starttls" // must be offered
	TLS      Security = "tls"      // from the first byte on, as on port 465
	Plain    Security = "plain"    // none
)

// DefaultTimeout is how long sending may take altogether.
const DefaultTimeout = 20 * time.Second

// Server is an SMTP server.
type Server struct {
	Addr     string // "smtp.example.org:587"
	Username string // "" for no authentication
	Password string
	Security Security
	Timeout  time.Duration // 0 means DefaultTimeout
	// TLS adjusts encryption; nil trusts what the system trusts.
	TLS *tls.Config
}

// Letter is what is sent. All of it may come from strangers, but for From and To.
type Letter struct {
	From, To mail.Address
	ReplyTo  mail.Address // zero for none
	Subject  string
	Body     string // plain text
	Date     time.Time
}

// Send hands the letter to the server. When it returns nil, the server has taken
// it.
func (s *Server) Send(ctx context.Context, l *Letter) error {
	text, err := l.Bytes()
	if err != nil {
		return err
	}
	timeout := s.Timeout
	if timeout <= 0 {
		timeout = DefaultTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	c, err := s.dial(ctx)
	if err != nil {
		return fmt.Errorf("mail server %s: %w", s.Addr, err)
	}
	defer func() { _ = c.Close() }()
	if err := s.deliver(c, l, text); err != nil {
		return fmt.Errorf("mail server %s: %w", s.Addr, err)
	}
	return nil
}

func (s *Server) dial(ctx context.Context) (*smtp.Client, error) {
	host, _, err := net.SplitHostPort(s.Addr)
	if err != nil {
		return nil, err
	}
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", s.Addr)
	if err != nil {
		return nil, err
	}
	// The conversation ends with the context: its deadline, or its caller's
	// going away.
	if deadline, ok := ctx.Deadline(); ok {
		_ = conn.SetDeadline(deadline)
	}
	context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	if s.Security == TLS {
		conn = tls.Client(conn, s.tls(host))
	}
	c, err := smtp.NewClient(conn, host)
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	if err := s.secure(c, host, conn.RemoteAddr()); err != nil {
		_ = c.Close()
		return nil, err
	}
	return c, nil
}

var errNoTLS = errors.New("it does not offer STARTTLS")

// secure encrypts and signs in.
func (s *Server) secure(c *smtp.Client, host string, peer net.Addr) error {
	offered, _ := c.Extension("STARTTLS")
	local := isLoopback(peer)
	switch {
	case s.Security == TLS, s.Security == Plain, s.Security == Auto && local && !offered:
	case !offered:
		return errNoTLS
	default:
		if err := c.StartTLS(s.tls(host)); err != nil {
			return err
		}
	}
	if s.Username == "" {
		return nil
	}
	if _, encrypted := c.TLSConnectionState(); !encrypted && !local {
		return errors.New("a password would be sent unencrypted")
	}
	return c.Auth(auth{s.Username, s.Password})
}

func (s *Server) tls(host string) *tls.Config {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if s.TLS != nil {
		config = s.TLS.Clone()
	}
	if config.ServerName == "" {
		config.ServerName = host
	}
	return config
}

func isLoopback(addr net.Addr) bool {
	tcp, ok := addr.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// auth is AUTH PLAIN. Whether the connection may carry a password was decided
// before.
type auth struct{ username, password string }

func (a auth) Start(*smtp.ServerInfo) (string, []byte, error) {
	return "PLAIN", []byte("\x00" + a.username + "\x00" + a.password), nil
}

func (auth) Next(_ []byte, more bool) ([]byte, error) {
	if more {
		return nil, errors.New("the server asks for more than name and password")
	}
	return nil, nil
}

func (s *Server) deliver(c *smtp.Client, l *Letter, text []byte) error {
	if err := c.Mail(l.From.Address); err != nil {
		return err
	}
	if err := c.Rcpt(l.To.Address); err != nil {
		return err
	}
	w, err := c.Data()
	if err != nil {
		return err
	}
	if _, err := w.Write(text); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	_ = c.Quit() // the letter is with the server, whatever it says to this
	return nil
}

// Bytes writes the letter as a message with headers. A header takes no line ends:
// names and subjects are encoded, and addresses that are none are refused.
func (l *Letter) Bytes() ([]byte, error) {
	for _, a := range []mail.Address{l.From, l.To, l.ReplyTo} {
		if a.Address == "" && a == l.ReplyTo {
			continue
		}
		if parsed, err := mail.ParseAddress(a.Address); err != nil || parsed.Address != a.Address {
			return nil, fmt.Errorf("%q is no mail address", a.Address)
		}
	}
	var b bytes.Buffer
	header(&b, "From", l.From.String())
	header(&b, "To", l.To.String())
	if l.ReplyTo.Address != "" {
		header(&b, "Reply-To", l.ReplyTo.String())
	}
	header(&b, "Subject", mime.BEncoding.Encode("utf-8", oneLine(l.Subject)))
	header(&b, "Date", l.Date.Format(time.RFC1123Z))
	header(&b, "Message-ID", messageID(l.From.Address))
	header(&b, "MIME-Version", "1.0")
	header(&b, "Content-Type", "text/plain; charset=utf-8")
	header(&b, "Content-Transfer-Encoding", "quoted-printable")
	header(&b, "Auto-Submitted", "auto-generated")
	b.WriteString("\r\n")
	w := quotedprintable.NewWriter(&b)
	if _, err := io.WriteString(w, strings.ReplaceAll(l.Body, "\n", "\r\n")); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// header writes one header. The last lock: a line end in a value is a space.
func header(b *bytes.Buffer, name, value string) {
	b.WriteString(name + ": " + oneLine(value) + "\r\n")
}

// oneLine takes out line ends and other control characters, but for the folds
// that an encoder made.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == '\u0085' || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, s)
}

func messageID(from string) string {
	var b [12]byte
	_, _ = rand.Read(b[:]) // never fails, see crypto/rand
	_, domain, _ := strings.Cut(from, "@")
	return "<" + hex.EncodeToString(b[:]) + "@" + domain + ">"
}
