package channel

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"pressroom/internal/deliver"
	"pressroom/internal/outbound"
)

// Hook posts the payload of messages to other people's servers, signed as Standard
// Webhooks has it: in webhook-id the id, which repetitions share, in webhook-timestamp
// the seconds, in webhook-signature "v1," and the HMAC-SHA256, in base64, of id, time and
// body with full stops between them, under the recipient's secret.
type Hook struct {
	// Client refuses addresses inside the house. It must not follow redirects.
	Client *outbound.Client
	// Chat sends the form that Slack and Mattermost take, which is not signed.
	Chat bool
	Now  func() time.Time // default time.Now
}

// Send implements [deliver.Sender].
func (h *Hook) Send(ctx context.Context, m *deliver.Message) error {
	body := m.Payload
	if h.Chat {
		var err error
		if body, err = chat(m); err != nil {
			return err
		}
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, m.To, bytes.NewReader(body))
	if err != nil {
		return &deliver.Refusal{Reason: "the address is none", Final: true}
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Webhook-Id", m.ID)
	if len(m.Secret) > 0 {
		now := time.Now
		if h.Now != nil {
			now = h.Now
		}
		at := strconv.FormatInt(now().Unix(), 10)
		r.Header.Set("Webhook-Timestamp", at)
		r.Header.Set("Webhook-Signature", "v1,"+Signature(m.Secret, m.ID, at, body))
	}
	return ask(h.Client, r, taken)
}

// ask makes a request, and judges the head of the answer.
func ask(client *outbound.Client, r *http.Request, judge func(*http.Response) error) error {
	resp, err := client.Do(r)
	var inside *outbound.Refused
	if errors.As(err, &inside) {
		return &deliver.Refusal{Reason: inside.Error(), Final: true}
	}
	if err != nil {
		return err
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10)) // so that the connection can be used again
	_ = resp.Body.Close()
	return judge(resp)
}

// Signature is what a webhook is signed with; recipients compare it.
func Signature(secret []byte, id, at string, body []byte) string {
	mac := hmac.New(sha256.New, secret)
	_, _ = fmt.Fprintf(mac, "%s.%s.", id, at) // a hash does not fail
	_, _ = mac.Write(body)
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// taken says what the status of an answer means for the delivery.
func taken(resp *http.Response) error {
	switch {
	case resp.StatusCode/100 == 2:
		return nil
	case resp.StatusCode == http.StatusGone:
		return &deliver.Refusal{Reason: resp.Status, Final: true, Dead: true}
	}
	r := &deliver.Refusal{Reason: "the server answered " + resp.Status}
	if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && seconds > 0 {
		r.After = time.Duration(min(seconds, 86400)) * time.Second
	}
	return r
}

// chat is a message as Slack and Mattermost take it. Neither may read the text as
// markup or as a call to somebody.
func chat(m *deliver.Message) ([]byte, error) {
	text := escapeChat(m.Subject)
	if m.Link != "" {
		text = "<" + m.Link + "|" + text + ">"
	}
	return json.Marshal(map[string]any{"text": text + "\n" + escapeChat(m.Text)})
}

// escapeChat writes text so that neither Slack nor Mattermost reads anything into it:
// <!channel>, @here, links.
func escapeChat(s string) string {
	var b bytes.Buffer
	for _, r := range s {
		switch r {
		case '&':
			b.WriteString("&amp;")
		case '<':
			b.WriteString("&lt;")
		case '>':
			b.WriteString("&gt;")
		case '@':
			b.WriteString("@\u200b") // Mattermost calls people without brackets
		case '|':
			b.WriteString("¦")
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
