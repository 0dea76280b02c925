package auth

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"runtime"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"
	"golang.org/x/text/secure/precis"

	"pressroom/internal/errs"
)

// PasswordCost is what argon2id takes to hash a password. It is stored with each
// hash, so that it can change.
type PasswordCost struct {
	Memory  uint32 // KiB
	Time    uint32 // passes over the memory
	Threads uint8
}

// DefaultPassword takes about a tenth of a second on one processor.
var DefaultPassword = PasswordCost{Memory: 64 << 10, Time: 2, Threads: 1}

// maxMemory keeps a hash from outside from taking all memory: 1 GiB.
const maxMemory = 1 << 20

func (c PasswordCost) check() error {
	if c.Memory < 8*uint32(c.Threads) || c.Memory > maxMemory || c.Time < 1 || c.Time > 64 || c.Threads < 1 {
		return fmt.Errorf("no password can be hashed with %d KiB, %d passes and %d threads", c.Memory, c.Time, c.Threads)
	}
	return nil
}

// Limits on passwords, in characters. There is no rule on which characters.
const (
	minPassword = 10
	maxPassword = 256
)

// checkPassword normalises a password (RFC 8265), or says what is wrong with it.
func checkPassword(password, name string) (string, error) {
	wrong := func(message string) (string, error) {
		return "", errs.Validation(errs.Field{Name: "password", Message: message})
	}
	n := utf8.RuneCountInString(password)
	switch {
	case n < minPassword:
		return wrong(fmt.Sprintf("must have at least %d characters", minPassword))
	case n > maxPassword:
		return wrong(fmt.Sprintf("must have at most %d characters", maxPassword))
	}
	plain, err := normalPassword(password)
	if err != nil {
		return wrong("has characters that cannot be typed everywhere")
	}
	first, _ := utf8.DecodeRuneInString(plain)
	if strings.Trim(plain, string(first)) == "" || strings.EqualFold(plain, name) {
		return wrong("is too easy to guess")
	}
	return plain, nil
}

func normalPassword(password string) (string, error) {
	if len(password) > 4*maxPassword || !utf8.ValidString(password) {
		return "", fmt.Errorf("the password is too long, or no text")
	}
	return precis.OpaqueString.String(password)
}

// hasher hashes few passwords at a time: each takes much memory on purpose, and
// a crowd at the door must not take all of it.
type hasher struct {
	cost      PasswordCost
	slots     chan struct{}
	strangers chan struct{} // those who wait for a slot
	known     chan struct{} // the same for known devices and whoever is signed in
	decoy     string        // what the password of an unknown name is compared with
}

const (
	waitersPerSlot = 16
	saltLen        = 16
	keyLen         = 32
)

func newHasher(cost PasswordCost, slots int) *hasher {
	if slots <= 0 {
		slots = max(1, runtime.GOMAXPROCS(0)/2)
	}
	h := &hasher{cost: cost, slots: make(chan struct{}, slots)}
	h.strangers, h.known = make(chan struct{}, slots*waitersPerSlot), make(chan struct{}, slots*waitersPerSlot)
	h.decoy = encode(cost, make([]byte, saltLen), make([]byte, keyLen))
	return h
}

// enter waits for a slot in one of the two rooms, so that a crowd of strangers
// leaves room for others. When too many wait there already, it says so at once.
func (h *hasher) enter(ctx context.Context, room chan struct{}) (leave func(), err error) {
	select {
	case room <- struct{}{}:
	default:
		e := errs.New(errs.Unavailable, "Too many people are signing in. Try again in a moment.")
		e.RetryAfter = time.Second
		return nil, e
	}
	defer func() { <-room }()
	select {
	case h.slots <- struct{}{}:
		return func() { <-h.slots }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// hash returns what is stored of a password.
func (h *hasher) hash(ctx context.Context, password string) (string, error) {
	leave, err := h.enter(ctx, h.known)
	if err != nil {
		return "", err
	}
	defer leave()
	salt := make([]byte, saltLen)
	_, _ = rand.Read(salt) // never fails, see crypto/rand
	c := h.cost
	return encode(c, salt, argon2.IDKey([]byte(password), salt, c.Time, c.Memory, c.Threads, keyLen)), nil
}

// matches compares a password with a stored hash, in a time that depends on the
// stored cost alone. stale tells that the hash has another cost than new ones.
func (h *hasher) matches(ctx context.Context, stored, password string, known bool) (ok, stale bool, err error) {
	cost, salt, key, err := decode(stored)
	if err != nil {
		return false, false, err
	}
	room := h.strangers
	if known {
		room = h.known
	}
	leave, err := h.enter(ctx, room)
	if err != nil {
		return false, false, err
	}
	defer leave()
	got := argon2.IDKey([]byte(password), salt, cost.Time, cost.Memory, cost.Threads, uint32(len(key)))
	return subtle.ConstantTimeCompare(got, key) == 1, cost != h.cost, nil
}

var b64 = base64.RawStdEncoding.Strict()

// encode writes a hash in the form that the reference implementation has:
// $argon2id$v=19$m=65536,t=2,p=1$salt$key.
func encode(c PasswordCost, salt, key []byte) string {
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, c.Memory, c.Time, c.Threads, b64.EncodeToString(salt), b64.EncodeToString(key))
}

func decode(stored string) (c PasswordCost, salt, key []byte, err error) {
	bad := func() (PasswordCost, []byte, []byte, error) {
		return PasswordCost{}, nil, nil, fmt.Errorf("a stored password is not in a form that is known")
	}
	parts := strings.Split(stored, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" || parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return bad()
	}
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &c.Memory, &c.Time, &c.Threads); err != nil || c.check() != nil {
		return bad()
	}
	salt, err1 := b64.DecodeString(parts[4])
	key, err2 := b64.DecodeString(parts[5])
	if err1 != nil || err2 != nil || len(salt) < 8 || len(key) < 16 || len(key) > 64 || encode(c, salt, key) != stored {
		return bad()
	}
	return c, salt, key, nil
}
