package follow

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/mail"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"pressroom/internal/errs"
	"pressroom/model"
)

// addressed keeps an address to one reader.
type addressed struct {
	Address string `dynamodbav:"address"`
	Reader  string `dynamodbav:"reader"`
}

// request is a follow that waits for the owner of an address.
type request struct {
	Subject
	TokenHash string  `dynamodbav:"token_hash"`
	Address   string  `dynamodbav:"address"`
	Label     string  `dynamodbav:"label"`
	Search    *Search `dynamodbav:"search,omitempty"`
	Language  string  `dynamodbav:"language"`
	Zone      string  `dynamodbav:"zone"`
	ExpiresAt string  `dynamodbav:"expires_at"`
	TTL       int64   `dynamodbav:"ttl"`
}

// Ask is somebody who wants to follow by an address that may be another's.
type Ask struct {
	Address        string
	From           string // the network address of who asks
	Language, Zone string
	Subject        Subject
	Label          string
	Search         *Search
}

// What may be asked for, at most. A flood of letters to a stranger is worse than a reader
// who must wait.
const (
	perAddress = 4              // letters to one address in an hour
	perCaller  = 20             // letters that somebody at one network address asks for in an hour
	patience   = 48 * time.Hour // how long a link confirms
)

// Request notes what somebody asks for and returns the token that confirms it, which goes
// to the address and nowhere else. It says nothing about whether the address is known.
func (f *Follows) Request(ctx context.Context, a Ask) (token string, err error) {
	address, err := Address(a.Address)
	if err != nil {
		return "", err
	}
	if a.Search != nil {
		a.Subject = Subject{Kind: Saved, Name: a.Search.ID()}
	}
	if a.Subject = normal(a.Subject); a.Subject.Kind == "" || a.Subject.Name == "" || len(a.Subject.Name) > nameMax || len(a.Label) > nameMax {
		return "", errs.Validation(errs.Field{Name: "subject", Message: "cannot be followed"})
	}
	for target, most := range map[string]int{"to " + address: perAddress, "from " + a.From: perCaller} {
		if err := f.throttle(ctx, target, most); err != nil {
			return "", err
		}
	}
	token = rand.Text()
	until := f.now().Add(patience)
	return token, f.asked.Create(ctx, &request{
		TokenHash: hashOf(token), Address: address, Subject: a.Subject, Label: a.Label, Search: a.Search, Language: a.Language, Zone: a.Zone,
		ExpiresAt: model.FormatTime(until), TTL: until.Unix(),
	})
}

// throttled counts letters.
type throttled struct {
	Target string `dynamodbav:"target"`
	Hour   string `dynamodbav:"hour"`
	Count  int    `dynamodbav:"count"`
	TTL    int64  `dynamodbav:"ttl"`
}

func (f *Follows) throttle(ctx context.Context, target string, most int) error {
	now := f.now().UTC()
	count := expression.Name("count")
	_, err := f.throttles.Upsert(ctx, model.Values{"target": target, "hour": now.Format("2006-01-02T15")},
		expression.Add(count, expression.Value(1)).Set(expression.Name("ttl"), expression.Value(now.Add(24*time.Hour).Unix())),
		count.AttributeNotExists().Or(count.LessThan(expression.Value(most))))
	if errors.Is(err, model.ErrCondition) {
		return errs.RateLimit(now.Truncate(time.Hour).Add(time.Hour).Sub(now))
	}
	return err
}

// Address returns a mail address in the form in which it is kept, or an errs.Invalid: one
// address, with a domain, without a name.
func Address(s string) (string, error) {
	s = strings.TrimSpace(s)
	parsed, err := mail.ParseAddress(s)
	if err != nil || parsed.Address != s || len(s) > 254 || strings.ContainsAny(s, " \t\r\n\"<>,;()") || !strings.Contains(s, "@") {
		return "", errs.Validation(errs.Field{Name: "address", Message: "is not a mail address"})
	}
	return strings.ToLower(s), nil
}

func hashOf(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// Confirm does what a token confirms, once: the owner of the address follows. A token that
// is unknown, used or too old is [errs.NotFound].
func (f *Follows) Confirm(ctx context.Context, token string) (Reader, error) {
	key := model.Values{"token_hash": hashOf(token)}
	q, err := f.asked.Get(ctx, key)
	if errors.Is(err, model.ErrNotFound) || err == nil && q.ExpiresAt <= model.FormatTime(f.now()) {
		return Reader{}, fmt.Errorf("confirm a follow: %w", errs.NotFound)
	}
	if err != nil {
		return Reader{}, err
	}
	r, err := f.Owner(ctx, q.Address, q.Language, q.Zone)
	if err != nil {
		return Reader{}, err
	}
	if err := f.Follow(ctx, r.ID, q.Subject, q.Label, q.Search); err != nil {
		return Reader{}, err
	}
	// Last, so that a process which dies before it leaves a link that works.
	return r, f.asked.Delete(ctx, key)
}

// Addressed returns the reader of an address, or [errs.NotFound].
func (f *Follows) Addressed(ctx context.Context, address string) (Reader, error) {
	a, err := f.addresses.Get(ctx, model.Values{"address": strings.ToLower(address)})
	if errors.Is(err, model.ErrNotFound) {
		return Reader{}, fmt.Errorf("the reader of an address: %w", errs.NotFound)
	}
	if err != nil {
		return Reader{}, err
	}
	return f.Reader(ctx, a.Reader)
}

// Owner returns the reader of an address that its owner has confirmed, a new one if
// nobody has it. Who has confirmed an address, here or for an account, has all that was
// ever followed by it.
func (f *Follows) Owner(ctx context.Context, address, language, zone string) (Reader, error) {
	for {
		r, err := f.Addressed(ctx, address)
		if !errors.Is(err, errs.NotFound) {
			return r, err
		}
		r = f.newReader(f.ids.New(), language, zone)
		r.Address = strings.ToLower(address)
		err = model.Transact(ctx, f.db, f.readers.PutPiece(&r), f.addresses.CreatePiece(&addressed{r.Address, r.ID}))
		if !errors.Is(err, model.ErrExists) {
			return r, err
		}
	}
}

// Move gives what is followed by one address to another, whose owner has confirmed it.
// If that one follows something too, it follows both. Doing so twice is no harm.
func (f *Follows) Move(ctx context.Context, from, to string) error {
	r, err := f.Addressed(ctx, from)
	if errors.Is(err, errs.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	moved, old := r, r.Address
	moved.Address = strings.ToLower(to)
	err = model.Transact(ctx, f.db, f.readers.PutPiece(&moved), f.addresses.DeletePiece(model.Values{"address": old}), f.addresses.CreatePiece(&addressed{moved.Address, r.ID}))
	if !errors.Is(err, model.ErrExists) {
		return err
	}
	into, err := f.Addressed(ctx, to)
	if err != nil {
		return err
	}
	for one, err := range f.Following(ctx, r.ID) {
		if err != nil {
			return err
		}
		if err := f.Follow(ctx, into.ID, one.Subject, one.Label, one.Search); err != nil {
			return err
		}
	}
	return f.Leave(ctx, r.ID)
}

func (f *Follows) newReader(id, language, zone string) Reader {
	if _, err := time.LoadLocation(zone); err != nil {
		zone = ""
	}
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // it never fails
	return Reader{ID: id, Language: language, Zone: zone, Pace: Daily, Ways: []string{"mail"}, Secret: secret, Created: model.FormatTime(f.now())}
}

// What a link in a letter is for. Neither does for the other.
const (
	ForLeaving  = "leave"  // ends everything, with one click
	ForManaging = "manage" // shows what is followed, and changes it
)

// Link returns a text for a link to be put into a letter to the reader. It does not run
// out: a letter may be read after years.
func (r *Reader) Link(purpose string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(r.ID)) + "." + base64.RawURLEncoding.EncodeToString(r.sign(purpose))
}

func (r *Reader) sign(purpose string) []byte {
	mac := hmac.New(sha256.New, r.Secret)
	_, _ = fmt.Fprintf(mac, "%s %s", purpose, r.ID) // a hash does not fail
	return mac.Sum(nil)
}

// Linked returns the reader that a link belongs to, or [errs.NotFound].
func (f *Follows) Linked(ctx context.Context, link, purpose string) (Reader, error) {
	none := fmt.Errorf("a link to %s: %w", purpose, errs.NotFound)
	id, ok := linkedTo(link)
	_, signature, _ := strings.Cut(link, ".")
	rawSignature, err := base64.RawURLEncoding.DecodeString(signature)
	if err != nil || !ok {
		return Reader{}, none
	}
	r, err := f.Reader(ctx, id)
	if err != nil {
		return Reader{}, err
	}
	if !hmac.Equal(rawSignature, r.sign(purpose)) {
		return Reader{}, none
	}
	return r, nil
}

// linkedTo is whose link it says it is.
func linkedTo(link string) (id string, ok bool) {
	text, _, _ := strings.Cut(link, ".")
	raw, err := base64.RawURLEncoding.DecodeString(text)
	return string(raw), err == nil && len(raw) > 0 && len(raw) <= idMax
}
