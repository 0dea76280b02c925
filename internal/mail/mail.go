// Package mail sends letters through an SMTP server, Amazon SES among them.
//
// It promises that nothing in a letter becomes a header or a command of its own,
// that passwords cross the network encrypted or not at all, and that a server
// which does not answer is given up in time. Start with [Server.Send], which sends one
// letter; [Line] in line.go sends many over connections that it keeps.
package mail

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/mail"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	gomail "github.com/wneessen/go-mail"
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

// Message is what is sent. All of it may come from strangers, but for From and To.
type Message struct {
	From, To mail.Address
	ReplyTo  mail.Address // zero for none
	Subject  string
	Body     string // plain text
	HTML     string // the same with markup; "" for none
	Date     time.Time
	// ID is the part of the Message-ID before the @, of letters and digits; drawn if
	// empty. A letter that is sent again has the same.
	ID string
	// Return is the envelope sender, to which bounces go; From if empty.
	Return string
	// Leave is an address to which one POST ends what the letter comes from (RFC 8058);
	// "" for none.
	Leave string
	// ListName names what the letter comes from (RFC 2919); "" if it is no list.
	ListName string
}

// Send hands the letter to the server. When it returns nil, the server has taken
// it.
func (s *Server) Send(ctx context.Context, l *Message) error {
	m, err := l.message()
	if err != nil {
		return err
	}
	timeout := s.Timeout
	if timeout <= 0 {
		timeout = DefaultTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if err := s.deliver(ctx, m); err != nil {
		if ctx.Err() != nil {
			err = ctx.Err() // not that the connection was closed for it
		}
		return fmt.Errorf("mail server %s: %w", s.Addr, err)
	}
	return nil
}

// deliver sends the message over a connection that ends with the context.
func (s *Server) deliver(ctx context.Context, m *gomail.Msg) error {
	host, _, err := net.SplitHostPort(s.Addr)
	if err != nil {
		return err
	}
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", s.Addr)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	client, err := s.client(host, conn)
	if err != nil {
		return err
	}
	session, err := client.DialToSMTPClientWithContext(ctx)
	if err != nil {
		return err
	}
	if err := client.SendWithSMTPClient(session, m); err != nil {
		return err
	}
	_ = client.CloseWithSMTPClient(session) // the letter is with the server, whatever it says to this
	return nil
}

// client is the library's client for one connection.
func (s *Server) client(host string, conn net.Conn) (*gomail.Client, error) {
	policy, auth, err := s.rules(isLoopback(conn.RemoteAddr()))
	if err != nil {
		return nil, err
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if s.TLS != nil {
		config = s.TLS.Clone()
	}
	if config.ServerName == "" {
		config.ServerName = host
	}
	if s.Security == TLS {
		conn = tls.Client(conn, config)
	}
	return gomail.NewClient(host,
		gomail.WithDialContextFunc(func(context.Context, string, string) (net.Conn, error) { return conn, nil }),
		gomail.WithTimeout(time.Hour), // the context is what ends it
		gomail.WithTLSPolicy(policy), gomail.WithTLSConfig(config),
		gomail.WithSMTPAuth(auth), gomail.WithUsername(s.Username), gomail.WithPassword(s.Password),
		gomail.WithHELO("localhost"), // as most clients say: the machine's name is nobody's business
		gomail.WithoutNoop(), gomail.WithoutRset())
}

// rules says how to encrypt and to sign in, on this machine or elsewhere.
func (s *Server) rules(local bool) (gomail.TLSPolicy, gomail.SMTPAuthType, error) {
	policy := gomail.TLSMandatory
	switch {
	case s.Security == TLS, s.Security == Plain:
		policy = gomail.NoTLS // there is TLS already, or none is wanted
	case s.Security == Auto && local:
		policy = gomail.TLSOpportunistic
	}
	switch {
	case s.Username == "":
		return policy, gomail.SMTPAuthNoAuth, nil
	case local:
		return policy, gomail.SMTPAuthPlainNoEnc, nil
	case s.Security == Plain:
		return policy, "", errors.New("a password would be sent unencrypted")
	}
	return policy, gomail.SMTPAuthPlain, nil
}

func isLoopback(addr net.Addr) bool {
	tcp, ok := addr.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// message is the letter with its headers. A header takes no line ends: names and
// subjects are made one line, and addresses that are none are refused.
func (l *Message) message() (*gomail.Msg, error) {
	m := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	for header, a := range map[gomail.AddrHeader]mail.Address{gomail.HeaderFrom: l.From, gomail.HeaderTo: l.To, gomail.HeaderReplyTo: l.ReplyTo} {
		if header == gomail.HeaderReplyTo && a.Address == "" {
			continue
		}
		if parsed, err := mail.ParseAddress(a.Address); err != nil || parsed.Address != a.Address {
			return nil, fmt.Errorf("%q is not a mail address", a.Address)
		}
		m.SetAddrHeaderFromMailAddress(header, &mail.Address{Name: oneLine(a.Name), Address: a.Address})
	}
	_, domain, _ := strings.Cut(l.From.Address, "@")
	id := l.ID
	if id == "" {
		id = rand.Text()
	}
	if strings.ContainsFunc(id+l.ListName, func(r rune) bool {
		return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-'
	}) {
		return nil, fmt.Errorf("%q or %q does not fit into a header", id, l.ListName)
	}
	m.SetMessageIDWithValue(id + "@" + domain)
	m.SetDateWithValue(l.Date)
	m.SetGenHeaderPreformatted(gomail.HeaderSubject, subject(oneLine(l.Subject)))
	m.SetGenHeader("Auto-Submitted", "auto-generated")
	m.SetBodyString(gomail.TypeTextPlain, l.Body)
	if l.HTML != "" {
		m.AddAlternativeString(gomail.TypeTextHTML, l.HTML)
	}
	if l.ListName != "" {
		m.SetGenHeader("List-ID", "<"+l.ListName+"."+domain+">")
	}
	if l.Leave != "" {
		u, err := url.Parse(l.Leave)
		if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.String() != l.Leave || strings.ContainsAny(l.Leave, "<>,") {
			return nil, fmt.Errorf("%q is not an address to leave by", l.Leave)
		}
		m.SetGenHeaderPreformatted("List-Unsubscribe", "<"+l.Leave+">")
		m.SetGenHeader("List-Unsubscribe-Post", "List-Unsubscribe=One-Click")
	}
	return m, nil
}

// Limits of encoded words, so that the first of them stands beside the header's name: some
// programs show a subject that begins on the next line with a space before it.
const (
	wordBytes   = 39 // of a word; in base64, with its frame and the name before it, a line of 76 (RFC 2047)
	plainLine   = 66
	lineBetween = "\r\n "
)

// subject is the text of a header of that name, folded.
func subject(s string) string {
	words := strings.Split(s, " ")
	plain := !strings.Contains(s, "=?") && !slices.ContainsFunc(words, func(w string) bool { return len(w) > plainLine }) &&
		!strings.ContainsFunc(s, func(r rune) bool { return r > unicode.MaxASCII })
	var lines []string
	if plain {
		for _, w := range words {
			if last := len(lines) - 1; last >= 0 && len(lines[last])+1+len(w) <= plainLine {
				lines[last] += " " + w
			} else {
				lines = append(lines, w)
			}
		}
		return strings.Join(lines, lineBetween)
	}
	for s = strings.ToValidUTF8(s, "\ufffd"); s != ""; {
		end := min(wordBytes, len(s))
		for end < len(s) && !utf8.RuneStart(s[end]) {
			end--
		}
		lines, s = append(lines, "=?UTF-8?b?"+base64.StdEncoding.EncodeToString([]byte(s[:end]))+"?="), s[end:]
	}
	return strings.Join(lines, lineBetween)
}

// oneLine makes one space of line ends, other control characters and spaces. Runs
// of spaces would be folded into lines that look empty, and an empty line ends the
// headers.
func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || r == '\u2028' || r == '\u2029'
	}), " ")
}
