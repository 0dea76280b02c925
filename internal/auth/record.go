package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"time"

	"pressroom/model"
)

// The items as they are stored; schema.go says what the fields mean. Times are
// text of fixed width, so that they compare as text.

type accountItem struct {
	UserID        string `dynamodbav:"user_id"`
	Name          string `dynamodbav:"name"`
	Email         string `dynamodbav:"email"`
	Language      string `dynamodbav:"language"`
	Theme         string `dynamodbav:"theme"`
	Role          string `dynamodbav:"role"`
	Password      string `dynamodbav:"password"`
	Issuer        string `dynamodbav:"issuer"`
	Subject       string `dynamodbav:"subject"`
	Confirmed     bool   `dynamodbav:"confirmed"`
	Waiting       bool   `dynamodbav:"waiting"`
	Disabled      bool   `dynamodbav:"disabled"`
	CreatedAt     string `dynamodbav:"created_at"`
	SignedInAt    string `dynamodbav:"signed_in_at"`
	RoleChangedAt string `dynamodbav:"role_changed_at"`
	SessionsFrom  string `dynamodbav:"sessions_from"`
	TokensFrom    string `dynamodbav:"tokens_from"`
	Version       int    `dynamodbav:"version"`
}

type loginItem struct {
	Name   string `dynamodbav:"name"`
	UserID string `dynamodbav:"user_id"`
}

type identityItem struct {
	Issuer  string `dynamodbav:"issuer"`
	Subject string `dynamodbav:"subject"`
	UserID  string `dynamodbav:"user_id"`
}

type sessionItem struct {
	UserID    string `dynamodbav:"user_id"`
	Hash      string `dynamodbav:"session_hash"`
	CreatedAt string `dynamodbav:"created_at"`
	RotatedAt string `dynamodbav:"rotated_at"`
	UsedAt    string `dynamodbav:"used_at"`
	ExpiresAt string `dynamodbav:"expires_at"`
	Replaced  bool   `dynamodbav:"replaced"`
	Agent     string `dynamodbav:"agent"`
	Addr      string `dynamodbav:"addr"`
	TTL       int64  `dynamodbav:"ttl"`
}

type tokenItem struct {
	UserID    string  `dynamodbav:"user_id"`
	Hash      string  `dynamodbav:"token_hash"`
	Label     string  `dynamodbav:"label"`
	Scopes    []Scope `dynamodbav:"scopes"`
	CreatedAt string  `dynamodbav:"created_at"`
	UsedAt    string  `dynamodbav:"used_at"`
	ExpiresAt string  `dynamodbav:"expires_at"`
	TTL       int64   `dynamodbav:"ttl,omitempty"`
}

type attemptsItem struct {
	Target       string `dynamodbav:"target"`
	Failures     int    `dynamodbav:"failures"`
	LastAt       string `dynamodbav:"last_at"`
	BlockedUntil string `dynamodbav:"blocked_until"`
	TTL          int64  `dynamodbav:"ttl"`
	Version      int    `dynamodbav:"version"`
}

type rosterItem struct {
	Operators int `dynamodbav:"operators"`
}

type addressItem struct {
	Address string `dynamodbav:"address"`
	UserID  string `dynamodbav:"user_id"`
}

type linkItem struct {
	Hash      string  `dynamodbav:"token_hash"`
	Purpose   Purpose `dynamodbav:"purpose"`
	Address   string  `dynamodbav:"address"`
	Other     string  `dynamodbav:"other"`
	UserID    string  `dynamodbav:"user_id"`
	Role      string  `dynamodbav:"role,omitempty"`
	Language  string  `dynamodbav:"language"`
	CreatedAt string  `dynamodbav:"created_at"`
	ExpiresAt string  `dynamodbav:"expires_at"`
	TTL       int64   `dynamodbav:"ttl"`
}

type passkeyItem struct {
	UserID    string `dynamodbav:"user_id"`
	Hash      string `dynamodbav:"credential"`
	Label     string `dynamodbav:"label"`
	Data      []byte `dynamodbav:"data"`
	CreatedAt string `dynamodbav:"created_at"`
	UsedAt    string `dynamodbav:"used_at"`
}

type ceremonyItem struct {
	Hash      string `dynamodbav:"state_hash"`
	Data      []byte `dynamodbav:"data"`
	ExpiresAt string `dynamodbav:"expires_at"`
	TTL       int64  `dynamodbav:"ttl"`
}

type setupItem struct {
	Hash      string `dynamodbav:"token_hash"`
	ExpiresAt string `dynamodbav:"expires_at"`
	TTL       int64  `dynamodbav:"ttl"`
}

type flowItem struct {
	Hash      string `dynamodbav:"state_hash"`
	Browser   string `dynamodbav:"browser_hash"`
	ReturnTo  string `dynamodbav:"return_to"`
	ExpiresAt string `dynamodbav:"expires_at"`
	TTL       int64  `dynamodbav:"ttl"`
}

// account is what others see of the item.
func (i *accountItem) account() (*Account, error) {
	role, err := ParseRole(i.Role)
	if err != nil {
		return nil, err
	}
	a := &Account{ID: i.UserID, Name: i.Name, Email: i.Email, Language: i.Language, Theme: i.Theme, Role: role,
		Confirmed: i.Confirmed, Waiting: i.Waiting, Disabled: i.Disabled, Local: i.Password != ""}
	a.Created, err = model.ParseTime(i.CreatedAt)
	if err != nil {
		return nil, err
	}
	a.SignedIn, err = timeOrZero(i.SignedInAt)
	return a, err
}

// operates reports whether the account is an operator who can sign in.
func (i *accountItem) operates() bool { return i.Role == Operator.String() && !i.Disabled }

func timeOrZero(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	return model.ParseTime(text)
}

func formatOrEmpty(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return model.FormatTime(t)
}

// secretLen is the length of a secret as text: 256 bits.
const secretLen = 43

// newSecret returns 256 random bits as text.
func newSecret() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails, see crypto/rand
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// hashOf is the form in which a secret is stored. A secret has 256 random bits,
// so that a plain hash cannot be searched backwards; and it is found by its hash, so
// that no comparison of ours can tell how much of a guess was right.
func hashOf(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// idLen is the length of an account's id, a ULID.
const idLen = 26

// split takes the account's id and the secret out of what a caller showed.
func split(text string) (id, secret string, ok bool) {
	if len(text) != idLen+secretLen {
		return "", "", false
	}
	for i := range len(text) {
		c := text[i]
		digit := c >= '0' && c <= '9' || c >= 'A' && c <= 'Z'
		if !digit && (i < idLen || c != '-' && c != '_' && (c < 'a' || c > 'z')) {
			return "", "", false
		}
	}
	return text[:idLen], text[idLen:], true
}
