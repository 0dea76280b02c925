package mail

import (
	"bytes"
	"cmp"
	"context"
	"crypto"
	"errors"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/emersion/go-msgauth/dkim"
	gomail "github.com/wneessen/go-mail"
	"github.com/wneessen/go-mail/smtp"
)

// Signer signs letters with DKIM (RFC 6376), so that whoever gets one can see that the
// domain of its sender sent it.
type Signer struct {
	Domain   string
	Selector string
	Key      crypto.Signer // RSA or Ed25519
}

// signed are the headers that a signature covers. Each is named once more than it is there,
// so that nobody can add one: a second way to leave, before ours, would be somebody else's.
var signed = slices.Repeat([]string{
	"From", "To", "Reply-To", "Subject", "Date", "Message-ID", "MIME-Version", "Content-Type",
	"List-ID", "List-Unsubscribe", "List-Unsubscribe-Post",
}, 2)

// Reply is what a server said instead of taking a letter.
type Reply struct {
	Code     int    // of SMTP: 4xx passes, 5xx does not
	Enhanced string // of RFC 3463: "5.1.1"; "" if the server has none
	Text     string
	Sender   bool // it was said about us, before the recipient was named
}

// ofSender is an error before the recipient was named.
type ofSender struct{ error }

func (e *ofSender) Unwrap() error { return e.error }

func (r *Reply) Error() string { return fmt.Sprintf("%d %s", r.Code, r.Text) }

// Line sends many letters to a server, over connections that it keeps for a while. It
// may be used from many goroutines; each has a connection for itself while it sends.
type Line struct {
	Server *Server
	Signer *Signer // nil signs nothing

	mu   sync.Mutex
	idle []*link
}

// link is a connection to the server.
type link struct {
	conn net.Conn
	smtp *smtp.Client
	used time.Time
}

// Idle is how long a connection is kept that nobody uses.
const Idle = 20 * time.Second

// Send hands a letter to the server. When it returns nil, the server has taken it. What
// the server said instead is a [*Reply].
func (l *Line) Send(ctx context.Context, m *Message) error {
	raw, err := l.bytes(m)
	if err != nil {
		return err
	}
	timeout := l.Server.Timeout
	if timeout <= 0 {
		timeout = DefaultTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	err = l.send(ctx, m, raw)
	if ctx.Err() != nil && err != nil {
		err = ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("mail server %s: %w", l.Server.Addr, err)
	}
	return nil
}

// bytes is the letter as it is sent.
func (l *Line) bytes(m *Message) ([]byte, error) {
	msg, err := m.message()
	if err != nil {
		return nil, err
	}
	var plain bytes.Buffer
	if _, err := msg.WriteTo(&plain); err != nil || l.Signer == nil {
		return plain.Bytes(), err
	}
	var out bytes.Buffer
	err = dkim.Sign(&out, &plain, &dkim.SignOptions{
		Domain: l.Signer.Domain, Selector: l.Signer.Selector, Signer: l.Signer.Key, HeaderKeys: signed,
		HeaderCanonicalization: dkim.CanonicalizationRelaxed, BodyCanonicalization: dkim.CanonicalizationRelaxed,
	})
	return out.Bytes(), err
}

func (l *Line) send(ctx context.Context, m *Message, raw []byte) error {
	for {
		c, kept, err := l.link(ctx)
		if err != nil {
			return reply(&ofSender{err})
		}
		stop := context.AfterFunc(ctx, func() { _ = c.conn.Close() })
		begun, err := c.transfer(m, raw)
		stop()
		if err == nil {
			l.keep(c)
			return nil
		}
		said := reply(err)
		var r *Reply
		if errors.As(said, &r) && r.Code != 421 && c.smtp.Reset() == nil {
			l.keep(c) // it refused this letter alone
			return said
		}
		_ = c.conn.Close()
		// A connection that was kept may be over by now. As long as no letter was
		// begun, a new one can take its place.
		if !kept || begun || ctx.Err() != nil {
			return said
		}
	}
}

// transfer sends one letter. It reports whether the server may have taken it, error or
// not.
func (c *link) transfer(m *Message, raw []byte) (begun bool, err error) {
	if err := c.smtp.Mail(cmp.Or(m.Return, m.From.Address)); err != nil {
		return false, &ofSender{err}
	}
	if err := c.smtp.Rcpt(m.To.Address); err != nil {
		return false, err
	}
	w, err := c.smtp.Data()
	if err != nil {
		return false, err
	}
	if _, err := io.Copy(w, bytes.NewReader(raw)); err != nil {
		return true, err
	}
	return true, w.Close()
}

// link returns a connection, a kept one if there is one.
func (l *Line) link(ctx context.Context) (c *link, kept bool, err error) {
	l.mu.Lock()
	var old []*link
	for len(l.idle) > 0 && c == nil {
		last := l.idle[len(l.idle)-1]
		l.idle = l.idle[:len(l.idle)-1]
		if time.Since(last.used) < Idle {
			c = last
		} else {
			old = append(old, last)
		}
	}
	l.mu.Unlock()
	for _, o := range old {
		_ = o.conn.Close()
	}
	if c != nil {
		return c, true, nil
	}
	c, err = l.open(ctx)
	return c, false, err
}

func (l *Line) open(ctx context.Context) (*link, error) {
	host, _, err := net.SplitHostPort(l.Server.Addr)
	if err != nil {
		return nil, err
	}
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", l.Server.Addr)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	client, err := l.Server.client(host, conn)
	if err == nil {
		var session *smtp.Client
		if session, err = client.DialToSMTPClientWithContext(ctx); err == nil {
			return &link{conn: conn, smtp: session}, nil
		}
	}
	return nil, errors.Join(err, conn.Close())
}

func (l *Line) keep(c *link) {
	c.used = time.Now()
	l.mu.Lock()
	l.idle = append(l.idle, c)
	l.mu.Unlock()
}

// Close ends the connections that nobody uses.
func (l *Line) Close() {
	l.mu.Lock()
	idle := l.idle
	l.idle = nil
	l.mu.Unlock()
	for _, c := range idle {
		_ = c.smtp.Quit() // politeness; the server hangs up either way
		_ = c.conn.Close()
	}
}

var enhanced = regexp.MustCompile(`^([245]\.\d{1,3}\.\d{1,3})\b`)

// reply finds what the server said in an error.
func reply(err error) error {
	var said *textproto.Error
	var sender *ofSender
	early := errors.As(err, &sender)
	if errors.As(err, &said) {
		r := &Reply{Code: said.Code, Text: strings.Join(strings.Fields(said.Msg), " "), Sender: early}
		if m := enhanced.FindStringSubmatch(r.Text); m != nil {
			r.Enhanced = m[1]
		}
		return r
	}
	var send *gomail.SendError
	if errors.As(err, &send) && send.ErrorCode() >= 400 {
		return &Reply{Code: send.ErrorCode(), Enhanced: send.EnhancedStatusCode(), Text: send.Error(), Sender: early}
	}
	return err
}
