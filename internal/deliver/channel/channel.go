// Package channel has the ways by which what is in the ledger of deliveries reaches its
// recipients: [Mail], [Hook] and [Push].
//
// It promises that an answer of the other side is told apart: a mailbox that does not
// exist is dead, a server that is busy is asked again, an address inside the house is
// refused for good. What is sent again has the same id, so that whoever gets it twice can
// tell. Start with the type of the channel.
package channel

import (
	"context"
	"errors"
	"net/mail"
	"time"

	"pressroom/internal/deliver"
	"pressroom/internal/deliver/bounce"
	letter "pressroom/internal/mail"
)

// Mail sends letters.
type Mail struct {
	Line *letter.Line
	From mail.Address
	// ListName names the letters to mail programs; see [letter.Message].
	ListName string
	// Stamps marks letters, so that their bounces are known; nil marks none. Bounces is
	// the address to which they go; From if empty.
	Stamps  bounce.Key
	Bounces string
	Now     func() time.Time // default time.Now
}

// Send implements [deliver.Sender].
func (c *Mail) Send(ctx context.Context, m *deliver.Message) error {
	now := time.Now
	if c.Now != nil {
		now = c.Now
	}
	body := m.Text
	if m.LeavePage != "" {
		body += "\n\n-- \n" + m.LeavePage + "\n"
	}
	l := &letter.Message{
		From: c.From, To: mail.Address{Address: m.To}, Subject: m.Subject, Body: body, HTML: m.HTML,
		Date: now(), ID: m.ID, Leave: m.Leave, ListName: c.ListName,
	}
	if len(c.Stamps) > 0 {
		l.ID += c.Stamps.Stamp(m.To)
		if c.Bounces != "" {
			l.Return = c.Stamps.Return(c.Bounces, m.To)
		}
	}
	return answer(c.Line.Send(ctx, l))
}

// answer says what a server's reply means for the delivery. What is said before the
// recipient was named is about us, and counts against nobody.
func answer(err error) error {
	var r *letter.Reply
	if !errors.As(err, &r) || r.Code < 500 {
		return err // it passes
	}
	refusal := &deliver.Refusal{Reason: r.Error(), Final: true}
	if !r.Sender {
		gone := bounce.Judge(r.Code, r.Enhanced, r.Text) == bounce.Gone
		refusal.Dead, refusal.Strike = gone, !gone
	}
	return refusal
}
