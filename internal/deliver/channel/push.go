package channel

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"
	"unicode/utf8"

	"pressroom/internal/deliver"
	"pressroom/internal/outbound"
)

// Push sends messages to browsers through the push services of their makers (RFC 8030),
// encrypted for the browser (RFC 8291) and signed as this newsroom's (VAPID, RFC 8292).
// A message's address is that of the browser's subscription, and its secret the
// subscription's keys, as [PushKeys] has them.
type Push struct {
	// Client refuses addresses inside the house. It must not follow redirects.
	Client *outbound.Client
	Key    *ecdsa.PrivateKey // P-256; another key ends all subscriptions
	// Contact is whom the service may write to: a mailto: or https: address.
	Contact string
	Now     func() time.Time // default time.Now
}

const (
	pointLen   = 65 // an uncompressed point of P-256
	authLen    = 16
	saltLen    = 16
	recordSize = 4096 // of RFC 8188; services take no more (RFC 8030, section 7.2)
	headerLen  = saltLen + 4 + 1 + pointLen
	maxPush    = recordSize - headerLen - 1 - 16 // what is left for the text
	pushLife   = 24 * time.Hour                  // how long a service keeps it for a browser that is away
)

var b64 = base64.RawURLEncoding

// PushKey returns the key with which a newsroom signs, of 32 bytes that nobody knows.
func PushKey(secret []byte) (*ecdsa.PrivateKey, error) {
	return ecdsa.ParseRawPrivateKey(elliptic.P256(), secret)
}

// PublicKey is what browsers subscribe with.
func (p *Push) PublicKey() (string, error) {
	raw, err := p.Key.PublicKey.Bytes()
	return b64.EncodeToString(raw), err
}

// PushKeys joins the two keys of a subscription, p256dh and auth as browsers write them.
func PushKeys(p256dh, auth string) ([]byte, error) {
	point, err := b64.DecodeString(p256dh)
	secret, err2 := b64.DecodeString(auth)
	if err != nil || err2 != nil || len(secret) != authLen {
		return nil, errors.New("the keys of the subscription are none")
	}
	if _, err := ecdh.P256().NewPublicKey(point); err != nil || len(point) != pointLen {
		return nil, errors.New("the keys of the subscription are none")
	}
	return append(point, secret...), nil
}

// Send implements [deliver.Sender].
func (p *Push) Send(ctx context.Context, m *deliver.Message) error {
	if len(m.Secret) != pointLen+authLen {
		return &deliver.Refusal{Reason: "the subscription has no keys", Final: true, Dead: true}
	}
	text, err := pushText(m)
	if err != nil {
		return err
	}
	sender, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		return err
	}
	salt := make([]byte, saltLen)
	_, _ = rand.Read(salt) // never fails, see crypto/rand
	body, err := seal(text, m.Secret[:pointLen], m.Secret[pointLen:], salt, sender)
	if err != nil {
		return &deliver.Refusal{Reason: err.Error(), Final: true, Dead: true}
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, m.To, bytes.NewReader(body))
	if err != nil {
		return &deliver.Refusal{Reason: "the address is none", Final: true}
	}
	token, err := p.vapid(r.URL)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", token)
	r.Header.Set("Content-Type", "application/octet-stream")
	r.Header.Set("Content-Encoding", "aes128gcm")
	r.Header.Set("TTL", fmt.Sprint(int(pushLife.Seconds())))
	r.Header.Set("Topic", m.ID[:min(len(m.ID), 32)]) // a repetition replaces what waits
	return ask(p.Client, r, pushed)
}

// pushed is what the answer of a push service means.
func pushed(resp *http.Response) error {
	switch resp.StatusCode {
	case http.StatusNotFound: // the subscription has ended, as with Gone
		return &deliver.Refusal{Reason: resp.Status, Final: true, Dead: true}
	case http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusRequestEntityTooLarge:
		return &deliver.Refusal{Reason: "the service answered " + resp.Status, Final: true}
	}
	return taken(resp)
}

// pushText is what the browser shows, as JSON that fits into one record.
func pushText(m *deliver.Message) ([]byte, error) {
	say := map[string]string{"id": m.ID, "title": short(m.Subject, 300), "body": short(m.Text, 1200), "url": m.Link, "lang": m.Language}
	text, err := json.Marshal(say)
	if err == nil && len(text) > maxPush {
		say["body"] = ""
		text, err = json.Marshal(say)
	}
	if err == nil && len(text) > maxPush {
		err = &deliver.Refusal{Reason: "it does not fit into a push message", Final: true}
	}
	return text, err
}

// short cuts a text to so many bytes, at a character.
func short(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most] + "…"
}

// seal encrypts a text for a browser (RFC 8291) as one record of RFC 8188.
func seal(text, point, auth, salt []byte, sender *ecdh.PrivateKey) ([]byte, error) {
	browser, err := ecdh.P256().NewPublicKey(point)
	if err != nil {
		return nil, err
	}
	shared, err := sender.ECDH(browser)
	if err != nil {
		return nil, err
	}
	own := sender.PublicKey().Bytes()
	input, err1 := hkdf.Key(sha256.New, shared, auth, "WebPush: info\x00"+string(point)+string(own), 32)
	key, err2 := hkdf.Key(sha256.New, input, salt, "Content-Encoding: aes128gcm\x00", 16)
	nonce, err3 := hkdf.Key(sha256.New, input, salt, "Content-Encoding: nonce\x00", 12)
	block, err4 := aes.NewCipher(key)
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return nil, err
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	out := append([]byte{}, salt...)
	out = binary.BigEndian.AppendUint32(out, recordSize)
	out = append(append(out, pointLen), own...)
	return gcm.Seal(out, nonce, append(append([]byte{}, text...), 2), nil), nil // 2 ends the last record
}

// vapid signs a request to a push service (RFC 8292).
func (p *Push) vapid(to *url.URL) (string, error) {
	now := time.Now
	if p.Now != nil {
		now = p.Now
	}
	claims, err := json.Marshal(map[string]any{"aud": to.Scheme + "://" + to.Host, "exp": now().Add(12 * time.Hour).Unix(), "sub": p.Contact})
	if err != nil {
		return "", err
	}
	signed := b64.EncodeToString([]byte(`{"typ":"JWT","alg":"ES256"}`)) + "." + b64.EncodeToString(claims)
	sum := sha256.Sum256([]byte(signed))
	r, s, err := ecdsa.Sign(rand.Reader, p.Key, sum[:])
	if err != nil {
		return "", err
	}
	signature := make([]byte, 64)
	r.FillBytes(signature[:32])
	s.FillBytes(signature[32:])
	key, err := p.PublicKey()
	return "vapid t=" + signed + "." + b64.EncodeToString(signature) + ", k=" + key, err
}
