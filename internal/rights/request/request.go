// Package request takes what people and sites ask of the newsroom about themselves:
// takedown, correction, right of reply, access and erasure.
//
// It promises that nobody silences another by a forged request: a request counts when
// whoever asks has opened a link that was sent to their address, or has put a code at
// the domain that it is about, or an operator judged it and said why. A link works
// once. Each kind has the time in which the law wants an answer, from when it was
// proven; operators see the most urgent first. What is granted is done by one action,
// and the letter says until when recovery and backups hold it.
//
// Start with [Requests]; prove.go has the proofs, letter.go the letters.
package request

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/mail"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"pressroom/internal/errs"
	"pressroom/internal/rights/erase"
	"pressroom/model"
)

// Kind is what somebody asks for.
type Kind string

// What can be asked for.
const (
	Takedown   Kind = "takedown"
	Correction Kind = "correction"
	Reply      Kind = "reply"
	Access     Kind = "access"
	Erasure    Kind = "erasure"
)

// Kinds lists them.
var Kinds = []Kind{Takedown, Correction, Reply, Access, Erasure}

// days is the time for an answer. A takedown has a week, as the Japanese law on
// information platforms wants it; access and erasure a month, as the GDPR does.
var days = map[Kind]int{Takedown: 7, Correction: 14, Reply: 14, Access: 30, Erasure: 30}

// The states of a request.
const (
	Unproven = "unproven" // nobody knows who asks
	Open     = "open"
	Decided  = "decided"
)

// How it was proven who asks.
const (
	ByMail     = "mail"
	ByFile     = "file"
	ByDNS      = "dns"
	ByOperator = "operator"
)

// How long requests are kept.
const (
	unprovenFor = 3 * 24 * time.Hour
	decidedFor  = 3 * 365 * 24 * time.Hour
)

// Limits in characters; of addresses in bytes.
const (
	maxName  = 100
	maxEmail = 254
	maxAbout = 1000
	maxText  = 5000
)

// New is what somebody writes in the form.
type New struct {
	Kind     Kind
	Name     string
	Email    string
	About    string // an address of a page or a site, or a person's name
	Text     string
	Language string // ja or en, for letters
	Website  string // a field that people do not see
}

// Request is what somebody asked for.
type Request struct {
	ID        string `dynamodbav:"request" json:"id"`
	Kind      Kind   `dynamodbav:"kind" json:"kind"`
	State     string `dynamodbav:"state" json:"state"`
	Name      string `dynamodbav:"name" json:"name"`
	Email     string `dynamodbav:"email" json:"email"`
	About     string `dynamodbav:"about" json:"about"`
	Text      string `dynamodbav:"text" json:"text"`
	Language  string `dynamodbav:"language" json:"language"`
	Created   string `dynamodbav:"created" json:"created"`
	Due       string `dynamodbav:"due" json:"due"`
	Token     string `dynamodbav:"token,omitempty" json:"-"`
	Proof     string `dynamodbav:"proof,omitempty" json:"proof,omitempty"`
	Proven    string `dynamodbav:"proven,omitempty" json:"proven,omitempty"`
	Granted   bool   `dynamodbav:"granted,omitempty" json:"granted,omitempty"`
	Reasons   string `dynamodbav:"reasons,omitempty" json:"reasons,omitempty"`
	DecidedBy string `dynamodbav:"decidedBy,omitempty" json:"decided_by,omitempty"`
	DecidedAt string `dynamodbav:"decidedAt,omitempty" json:"decided_at,omitempty"`
	Erasure   string `dynamodbav:"erasure,omitempty" json:"erasure,omitempty"`
	TTL       int64  `dynamodbav:"ttl,omitempty" json:"-"`
	Version   int    `dynamodbav:"version" json:"version"`
}

// Options are what requests are taken with.
type Options struct {
	Table    string // default Rights
	Key      []byte // of the codes for domains, and of the counts; at least 16 bytes
	Erasures *erase.Erasures
	// Mail sends a letter; nil if there is no mail server.
	Mail func(ctx context.Context, to mail.Address, subject, body string) error
	// Address is where readers reach the newsroom, for links in letters.
	Address string
	// Fetch reads a file of a site, and Lookup the TXT records of a name; nil for none.
	Fetch  func(ctx context.Context, address string) (string, error)
	Lookup func(ctx context.Context, name string) ([]string, error)
	// PerVisitor and PerHour are how many are taken in an hour; default 5 and 60.
	PerVisitor, PerHour int
	Log                 *slog.Logger
	Now                 func() time.Time
}

// Requests are all requests. They may be used from many goroutines.
type Requests struct {
	o     Options
	ids   model.IDs
	repo  *model.Repo[Request]
	rates *model.Repo[rate]
}

type rate struct {
	Who    string `dynamodbav:"who"`
	Window string `dynamodbav:"window"`
	Count  int    `dynamodbav:"count"`
	TTL    int64  `dynamodbav:"ttl"`
}

// From returns the requests of a store.
func From(db model.DB, o Options) (*Requests, error) {
	if len(o.Key) < 16 {
		return nil, errors.New("requests need a key of 16 bytes")
	}
	if o.Table == "" {
		o.Table = table.Name
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.PerVisitor == 0 {
		o.PerVisitor = 5
	}
	if o.PerHour == 0 {
		o.PerHour = 60
	}
	t := table
	t.Name = o.Table
	r := &Requests{o: o, ids: model.IDs{Now: o.Now}}
	var err error
	if r.repo, err = model.NewRepo[Request](db, &t, "Request", &model.Options{CursorKey: o.Key}); err != nil {
		return nil, err
	}
	r.rates, err = model.NewRepo[rate](db, &t, "Rate", nil)
	return r, err
}

func (n *New) normal() {
	for _, field := range []*string{&n.Name, &n.Email, &n.About, &n.Text} {
		*field = strings.TrimSpace(strings.ToValidUTF8(*field, ""))
	}
	if n.Language != "ja" {
		n.Language = "en"
	}
}

func (n *New) check() error {
	var fields []errs.Field
	wrong := func(name, message string) { fields = append(fields, errs.Field{Name: name, Message: message}) }
	text := func(name, value string, most int, lines bool) {
		switch {
		case value == "":
			wrong(name, "is missing")
		case utf8.RuneCountInString(value) > most:
			wrong(name, fmt.Sprintf("has more than %d characters", most))
		case strings.ContainsFunc(value, func(r rune) bool { return unicode.IsControl(r) && (!lines || r != '\n' && r != '\r' && r != '\t') }):
			wrong(name, "has characters that are no text")
		}
	}
	if !slices.Contains(Kinds, n.Kind) {
		wrong("kind", "is not one of those that can be asked for")
	}
	text("name", n.Name, maxName, false)
	if a, err := mail.ParseAddress(n.Email); err != nil || a.Address != n.Email || len(n.Email) > maxEmail || strings.ContainsFunc(n.Email, unicode.IsControl) {
		wrong("email", "is no mail address")
	}
	text("about", n.About, maxAbout, false)
	text("text", n.Text, maxText, true)
	if fields == nil {
		return nil
	}
	return errs.Validation(fields...)
}

// Ask takes a request. visitor is whatever tells visitors apart; it is not kept. What is
// wrong with it is an errs.Validation, too many are errs.RateLimited. It waits until it
// is proven, and is forgotten if that takes longer than three days. What a machine
// filled in is thrown away as if it had been taken.
func (r *Requests) Ask(ctx context.Context, visitor string, n New) (Request, error) {
	n.normal()
	if err := n.check(); err != nil {
		return Request{}, err
	}
	if err := r.admit(ctx, visitor); err != nil {
		return Request{}, err
	}
	now := r.o.Now()
	token := rand.Text()
	one := Request{
		ID: r.ids.New(), Kind: n.Kind, State: Unproven, Name: n.Name, Email: n.Email, About: n.About, Text: n.Text, Language: n.Language,
		Created: model.FormatTime(now), Due: model.FormatTime(now.Add(unprovenFor)), Token: digest(token), TTL: now.Add(unprovenFor).Unix(),
	}
	if n.Website != "" {
		return one, nil
	}
	if err := r.repo.Create(ctx, &one); err != nil {
		return one, errs.Wrap(err, errs.Unavailable, "The request could not be taken. Try again shortly.")
	}
	if err := r.letter(ctx, &one, "confirm", r.o.Address+"/rights/confirm?link="+one.ID+"."+token); err != nil {
		r.o.Log.ErrorContext(ctx, "a request could not be confirmed by mail", "request", one.ID, "error", err)
	}
	return one, nil
}

func digest(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// admit counts a request, or refuses it. A store that does not answer refuses.
func (r *Requests) admit(ctx context.Context, visitor string) error {
	if err := r.count(ctx, r.keyed("visitor "+visitor), r.o.PerVisitor); err != nil {
		return err
	}
	return r.count(ctx, "all", r.o.PerHour)
}

func (r *Requests) keyed(text string) string {
	h := hmac.New(sha256.New, r.o.Key)
	_, _ = h.Write([]byte(text)) // a hash does not fail
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}

func (r *Requests) count(ctx context.Context, who string, limit int) error {
	now := r.o.Now()
	begin := now.UTC().Truncate(time.Hour)
	end := begin.Add(time.Hour)
	count := expression.Name("count")
	_, err := r.rates.Upsert(ctx, model.Values{"who": who, "window": model.FormatTime(begin)},
		expression.Add(count, expression.Value(1)).Set(expression.Name("ttl"), expression.Value(end.Add(time.Hour).Unix())),
		expression.AttributeNotExists(count).Or(count.LessThan(expression.Value(limit))))
	if errors.Is(err, model.ErrCondition) {
		return errs.RateLimit(end.Sub(now))
	}
	return err
}

// Get returns a request, or errs.NotFound.
func (r *Requests) Get(ctx context.Context, id string) (Request, error) {
	one, err := r.repo.Get(ctx, model.Values{"request": id})
	if errors.Is(err, model.ErrNotFound) || id == "" {
		return one, errs.New(errs.NotFound, "There is no such request.")
	}
	return one, err
}

// List returns requests in a state, the most urgent first.
func (r *Requests) List(ctx context.Context, state string, o model.PageOptions) (model.Page[Request], error) {
	return r.repo.Page(ctx, "RequestsByState", model.Values{"state": state}, o)
}

// change changes a request that is in a state; errs.Conflict if it is in another.
func (r *Requests) change(ctx context.Context, id, from string, change func(*Request) error) (Request, error) {
	if id == "" {
		return Request{}, errs.New(errs.NotFound, "There is no such request.")
	}
	one, err := r.repo.Modify(ctx, model.Values{"request": id}, func(one *Request) error {
		if one.State != from {
			return errs.New(errs.Conflict, "The request is not %s any more.", from)
		}
		return change(one)
	})
	if errors.Is(err, model.ErrNotFound) {
		err = errs.New(errs.NotFound, "There is no such request.")
	}
	return one, err
}

// proven lets the time for an answer begin.
func (r *Requests) proven(ctx context.Context, id, how, reasons string, may func(*Request) error) (Request, error) {
	one, err := r.change(ctx, id, Unproven, func(one *Request) error {
		if err := may(one); err != nil {
			return err
		}
		now := r.o.Now()
		one.State, one.Proof, one.Proven, one.Token, one.TTL = Open, how, model.FormatTime(now), "", 0
		one.Due, one.Reasons = model.FormatTime(now.AddDate(0, 0, days[one.Kind])), reasons
		return nil
	})
	if err != nil {
		return one, err
	}
	if err := r.letter(ctx, &one, "received", one.Due[:10]); err != nil {
		r.o.Log.ErrorContext(ctx, "no letter was sent", "request", id, "error", err)
	}
	return one, nil
}

var errLink = errs.New(errs.NotFound, "This link is not valid, or was used before.")

// Confirm proves a request by the link that was sent. A link that is wrong, or was used
// before, is errs.NotFound.
func (r *Requests) Confirm(ctx context.Context, link string) (Request, error) {
	id, token, _ := strings.Cut(link, ".")
	if len(id) != 26 || token == "" {
		return Request{}, errLink
	}
	one, err := r.proven(ctx, id, ByMail, "", func(one *Request) error {
		if one.Token == "" || subtle.ConstantTimeCompare([]byte(one.Token), []byte(digest(token))) != 1 {
			return errLink
		}
		return nil
	})
	if errors.Is(err, errs.Conflict) || errors.Is(err, errs.NotFound) {
		return Request{}, errLink
	}
	return one, err
}

// Decision is what an operator decides.
type Decision struct {
	Granted bool
	Reasons string
	// Erase is what granting erases; the zero value erases nothing.
	Erase erase.Subject
}

// Decide ends a request, and makes it so: what is to be erased is hidden when it
// returns. If the process dies in between, the request is still open, and deciding it
// again does no harm.
func (r *Requests) Decide(ctx context.Context, id, who string, d Decision) (Request, error) {
	if d.Reasons = strings.TrimSpace(d.Reasons); d.Reasons == "" || utf8.RuneCountInString(d.Reasons) > maxText {
		return Request{}, errs.Validation(errs.Field{Name: "reasons", Message: "are needed: they go into the letter"})
	}
	one, err := r.Get(ctx, id)
	if err != nil {
		return one, err
	}
	if one.State != Open {
		return one, errs.New(errs.Conflict, "The request is not open.")
	}
	erasure := ""
	if d.Granted && d.Erase.Kind != "" {
		done, err := r.o.Erasures.Begin(ctx, d.Erase, who, "request "+id)
		if err != nil {
			return one, err
		}
		erasure = done.ID
	}
	one, err = r.change(ctx, id, Open, func(one *Request) error {
		now := r.o.Now()
		one.State, one.Granted, one.Reasons, one.DecidedBy, one.DecidedAt, one.Erasure = Decided, d.Granted, d.Reasons, who, model.FormatTime(now), erasure
		one.TTL = now.Add(decidedFor).Unix()
		return nil
	})
	if err != nil {
		return one, err
	}
	text, err := r.Answer(ctx, &one)
	if err == nil {
		err = r.send(ctx, &one, text)
	}
	if err != nil {
		r.o.Log.ErrorContext(ctx, "no letter was sent", "request", id, "error", err)
	}
	return one, nil
}
