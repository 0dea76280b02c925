package blog

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	netmail "net/mail"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"pressroom/internal/errs"
	"pressroom/internal/mail"
	"pressroom/model"
)

// Contact says where readers' messages go, and how many are taken.
type Contact struct {
	// Server takes the messages; nil keeps them in the operators' inbox.
	Server *mail.Server
	// From and To are the addresses on a message; both are wanted with a
	// server. The reader's own address is where answers go.
	From, To string
	// PerVisitor is how many messages one visitor may send in an hour; 0
	// means 5. PerHour is how many are taken from all together; 0 means 60.
	PerVisitor, PerHour int
}

func (c *Contact) defaults() error {
	if c.PerVisitor <= 0 {
		c.PerVisitor = 5
	}
	if c.PerHour <= 0 {
		c.PerHour = 60
	}
	if c.Server == nil {
		return nil
	}
	for name, address := range map[string]string{"from": c.From, "to": c.To} {
		if _, err := netmail.ParseAddress(address); err != nil {
			return errs.Wrap(err, errs.Usage, "The contact's %s is no mail address.", name)
		}
	}
	return nil
}

// NewMessage is what a reader writes in the contact form.
type NewMessage struct {
	Name    string `json:"name"`    // 1 to 100 characters
	Email   string `json:"email"`   // where the answer goes
	Subject string `json:"subject"` // 1 to 150 characters
	Body    string `json:"body"`    // 1 to 5,000 characters
	// Website is a field that people do not see and so leave empty.
	Website string `json:"website,omitempty"`
}

// Limits on a letter, in characters.
const (
	MaxLetterName    = 100
	MaxLetterSubject = 150
	MaxLetterBody    = 5000
)

// Message is a letter in the operators' inbox.
type Message struct {
	ID        string    `json:"id"`
	CreatedAt time.Time `json:"created_at"`
	NewMessage
	Reason string `json:"reason,omitempty"` // why no mail server took it; "" if there is none
}

type messageItem struct {
	MessageID string `dynamodbav:"messageId"`
	CreatedAt string `dynamodbav:"createdAt"`
	Name      string `dynamodbav:"name"`
	Email     string `dynamodbav:"email"`
	Subject   string `dynamodbav:"subject"`
	Body      string `dynamodbav:"body"`
	Reason    string `dynamodbav:"reason"`
}

func isMailAddress(s string) bool {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "mailto" {
		return false
	}
	_, err = netmail.ParseAddress(u.Opaque)
	return err == nil
}

func (l NewMessage) normal() NewMessage {
	l.Name, l.Email = strings.TrimSpace(normalText(l.Name)), strings.TrimSpace(l.Email)
	l.Subject, l.Body = strings.TrimSpace(normalText(l.Subject)), strings.TrimSpace(normalText(l.Body))
	return l
}

func (l NewMessage) check() error {
	var p problems
	p.line("name", l.Name, 1, MaxLetterName)
	address, err := netmail.ParseAddress(l.Email)
	switch {
	case l.Email == "":
		p.add("email", "is missing")
	case err != nil || address.Address != l.Email || len(l.Email) > 254 || strings.ContainsFunc(l.Email, forbidden):
		p.add("email", "is no mail address")
	}
	p.line("subject", l.Subject, 1, MaxLetterSubject)
	p.text("body", l.Body, 1, MaxLetterBody)
	return p.err()
}

// Send takes a reader's letter: to the mail server, and into the operators' inbox
// if there is none or it does not take it. visitor is whatever tells visitors
// apart, such as their network address; it is not kept. What is wrong with the
// letter is an errs.Validation; too many letters are errs.RateLimited with the
// time to wait. A letter that a machine filled in is thrown away as if it had
// been sent.
func (p *Public) Send(ctx context.Context, visitor string, l NewMessage) error {
	d := p.d
	l = l.normal()
	if err := l.check(); err != nil {
		return err
	}
	if err := d.admit(ctx, visitor); err != nil {
		return err
	}
	if l.Website != "" {
		return nil
	}
	item := &messageItem{MessageID: d.ids.New(), CreatedAt: d.stamp(), Name: l.Name, Email: l.Email, Subject: l.Subject, Body: l.Body}
	if d.opt.Contact.Server != nil {
		err := d.post(ctx, l)
		if err == nil {
			return nil
		}
		item.Reason = shortReason(err)
	}
	// The reader may have gone; the letter is here.
	if err := d.messages.Create(context.WithoutCancel(ctx), item); err != nil {
		return errs.Wrap(err, errs.Unavailable, "The message could not be taken. Try again shortly.")
	}
	return nil
}

// post hands a letter to the mail server.
func (d *Desk) post(ctx context.Context, l NewMessage) error {
	from, err := netmail.ParseAddress(d.opt.Contact.From)
	if err != nil {
		return err
	}
	to, err := netmail.ParseAddress(d.opt.Contact.To)
	if err != nil {
		return err
	}
	return d.opt.Contact.Server.Send(ctx, &mail.Message{
		From: *from, To: *to, ReplyTo: netmail.Address{Name: l.Name, Address: l.Email}, Date: d.now(),
		Subject: l.Subject, Body: l.Body + "\n\n-- \n" + l.Name + " <" + l.Email + ">\n",
	})
}

func shortReason(err error) string {
	s := strings.ToValidUTF8(err.Error(), "")
	for len(s) > 400 {
		_, size := utf8.DecodeLastRuneInString(s)
		s = s[:len(s)-size]
	}
	return s
}

// rateItem counts messages in a window of time.
type rateItem struct {
	Who    string `dynamodbav:"who"`
	Window string `dynamodbav:"window"`
	Count  int    `dynamodbav:"count"`
	TTL    int64  `dynamodbav:"ttl"`
}

// admit counts a message, or refuses it. A store that does not answer refuses.
func (d *Desk) admit(ctx context.Context, visitor string) error {
	h := hmac.New(sha256.New, d.keys.visitors)
	h.Write([]byte(visitor))
	who := base64.RawURLEncoding.EncodeToString(h.Sum(nil))
	if err := d.take(ctx, who, d.opt.Contact.PerVisitor); err != nil {
		return err
	}
	return d.take(ctx, "all", d.opt.Contact.PerHour)
}

func (d *Desk) take(ctx context.Context, who string, limit int) error {
	now := d.now()
	begin := now.UTC().Truncate(time.Hour)
	end := begin.Add(time.Hour)
	count := expression.Name("count")
	_, err := d.rates.Upsert(ctx, model.Values{"who": who, "window": model.FormatTime(begin)},
		expression.Add(count, expression.Value(1)).Set(expression.Name("ttl"), expression.Value(end.Add(time.Hour).Unix())),
		expression.AttributeNotExists(count).Or(count.LessThan(expression.Value(limit))))
	switch {
	case errors.Is(err, model.ErrCondition):
		return errs.RateLimit(end.Sub(now))
	case err != nil:
		return fmt.Errorf("count messages: %w", err)
	}
	return nil
}

// Inbox lists readers' messages that no mail server took, the newest first.
func (d *Desk) Inbox(ctx context.Context, o PageOptions) (Page[Message], error) {
	found := Page[Message]{Items: []Message{}}
	page, err := d.views.inbox.Page(ctx, nil, o.page())
	if err != nil {
		return found, listError(err)
	}
	found.Next = page.Next
	for _, m := range page.Items {
		times, err := parseTimes(m.CreatedAt)
		if err != nil {
			return found, fmt.Errorf("message %s: %w", m.MessageID, err)
		}
		found.Items = append(found.Items, Message{
			ID: m.MessageID, CreatedAt: times[0], Reason: m.Reason,
			NewMessage: NewMessage{Name: m.Name, Email: m.Email, Subject: m.Subject, Body: m.Body},
		})
	}
	return found, nil
}

// DeleteMessage removes a message from the inbox. That it is gone already is no
// error.
func (d *Desk) DeleteMessage(ctx context.Context, id string) error {
	if !mediaID.MatchString(id) { // a ULID as well
		return fmt.Errorf("message %.64q: %w", id, errs.NotFound)
	}
	return d.messages.Delete(ctx, model.Values{"messageId": id})
}
