package cli

import (
	"context"
	"crypto"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	netmail "net/mail"
	"strings"
	"time"

	"pressroom/internal/api/deliverapi"
	"pressroom/internal/api/letterapi"
	"pressroom/internal/auth"
	"pressroom/internal/deliver"
	"pressroom/internal/deliver/bounce"
	"pressroom/internal/deliver/channel"
	"pressroom/internal/errs"
	"pressroom/internal/follow"
	"pressroom/internal/mail"
	"pressroom/internal/ops"
	"pressroom/internal/outbound"
	"pressroom/internal/story"
	"pressroom/internal/web/followweb"
	"pressroom/internal/web/readerweb"
)

// mailSettings say how letters go out.
type mailSettings struct {
	SMTPAddr     string `name:"smtp-addr" hidden:"" placeholder:"HOST:PORT" help:"The mail server."`
	SMTPUsername string `name:"smtp-username" hidden:"" help:"Our name at the mail server, if it wants one."`
	SMTPPassword Secret `name:"smtp-password" hidden:"" help:"Our password there."`
	SMTPSecurity string `name:"smtp-security" hidden:"" enum:"auto,starttls,tls,plain" default:"auto" help:"How the connection is encrypted: auto, starttls, tls or plain."`

	LettersFrom      string  `name:"letters-from" hidden:"" placeholder:"ADDRESS" help:"The sender of letters to readers; needs --smtp-addr. Without it nobody can follow, register or reset a password."`
	Registration     string  `name:"registration" hidden:"" enum:"open,approve,closed" default:"open" help:"Who may make an account: open (everybody who confirms an address), approve (whom an operator then lets in) or closed."`
	LettersPerSecond float64 `name:"letters-per-second" hidden:"" default:"0" help:"How many letters all processes together send each second; 0 is no limit."`
	BouncesTo        string  `name:"bounces-to" hidden:"" placeholder:"ADDRESS" help:"The address to which mail servers return letters, whose mails come to /bounces; it must take mails to name+anything@domain. By default they go to the sender."`
	SESTopic         string  `name:"ses-topic" hidden:"" placeholder:"ARN" help:"The topic of Amazon SNS in which Amazon SES tells of bounces and complaints, which /bounces then takes in."`
	DKIMSelector     string  `name:"dkim-selector" hidden:"" help:"The selector under which the key of --dkim-key is published in the sender's domain."`
	DKIMKey          Secret  `name:"dkim-key" hidden:"" help:"Signs letters with DKIM: a private key in PEM (PKCS 8), RSA or Ed25519."`
}

// mailServer returns the mail server; nil if there is none.
func (s *mailSettings) mailServer() *mail.Server {
	if s.SMTPAddr == "" {
		return nil
	}
	security := mail.Security(s.SMTPSecurity)
	if s.SMTPSecurity == "auto" {
		security = mail.Auto
	}
	return &mail.Server{Addr: s.SMTPAddr, Username: s.SMTPUsername, Password: s.SMTPPassword.Reveal(), Security: security}
}

// letters returns the channel of letters; nil if none are sent.
func (s *mailSettings) letters() (*channel.Mail, error) {
	if s.LettersFrom == "" {
		return nil, nil
	}
	from, err := netmail.ParseAddress(s.LettersFrom)
	if err != nil || s.SMTPAddr == "" {
		return nil, errs.New(errs.Usage, "--letters-from needs a mail address, and --smtp-addr")
	}
	signer, err := s.signer(from.Address)
	return &channel.Mail{Line: &mail.Line{Server: s.mailServer(), Signer: signer}, From: *from, ListName: "follow"}, err
}

// write sends one letter of the newsroom's own; nil if none are sent.
func (s *mailSettings) write() (func(ctx context.Context, to netmail.Address, subject, body string) error, error) {
	letters, err := s.letters()
	if letters == nil || err != nil {
		return nil, err
	}
	return func(ctx context.Context, to netmail.Address, subject, body string) error {
		return letters.Line.Send(ctx, &mail.Message{From: letters.From, To: to, Date: time.Now(), Subject: subject, Body: body})
	}, nil
}

func (s *mailSettings) signer(from string) (*mail.Signer, error) {
	key := s.DKIMKey.Reveal()
	if key == "" {
		return nil, nil
	}
	wrong := errs.New(errs.Usage, "--dkim-key is not a private key in PEM (PKCS 8), RSA or Ed25519, with --dkim-selector")
	block, _ := pem.Decode([]byte(key))
	if block == nil || s.DKIMSelector == "" {
		return nil, wrong
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	signer, ok := parsed.(crypto.Signer)
	if err != nil || !ok {
		return nil, wrong
	}
	_, domain, _ := strings.Cut(from, "@")
	return &mail.Signer{Domain: domain, Selector: s.DKIMSelector, Key: signer}, nil
}

// mountFollows lets readers follow, and tells them, if letters can be sent; and lets them
// keep accounts.
func mountFollows(_ context.Context, w *wiring) error {
	letters, err := w.set.letters()
	if err != nil {
		return err
	}
	follows, err := follow.New(w.tables, &follow.Options{Table: w.set.names().table(follow.Schema)})
	if err != nil {
		return err
	}
	w.auth.BeforeDelete(func(ctx context.Context, a *auth.Account) error { return forgetFollows(ctx, follows, a) })
	if letters == nil {
		_, err := w.mountReaders(follows, nil)
		return err
	}
	hooks, err := outbound.New(&outbound.Options{MaxRedirects: -1})
	if err != nil {
		return err
	}
	bounces, token, err := w.bounces(letters, hooks)
	if err != nil {
		return err
	}
	push, pushKey, err := w.push(hooks, letters.From.Address)
	if err != nil {
		return err
	}
	var ledger *deliver.Ledger
	var readers *readerweb.Pages
	composer := &follow.Composer{Follows: follows, Stories: w.stories, Ledger: func() *deliver.Ledger { return ledger }, Name: "Pressroom", Base: w.set.address()}
	ledger, err = deliver.New(w.tables, &deliver.Options{
		Table: w.set.names().table(deliver.Schema), Log: w.log, Ended: follows.Ended,
		Compose: func(ctx context.Context, d *deliver.Delivery) (*deliver.Message, error) {
			if d.Desk == deliver.Account {
				return readers.Compose(ctx, d)
			}
			return composer.Compose(ctx, d)
		},
		Channels: map[string]deliver.Channel{
			"mail":    {Sender: letters, PerSecond: w.set.LettersPerSecond},
			"webhook": {Sender: &channel.Hook{Client: hooks}},
			"chat":    {Sender: &channel.Hook{Client: hooks, Chat: true}},
			"push":    {Sender: push},
		},
	})
	if err != nil {
		return err
	}
	if readers, err = w.mountReaders(follows, ledger); err != nil {
		return err
	}
	bounces.Ledger = ledger
	deliverapi.Register(w.api, ledger)
	letterapi.Register(w.api, letterapi.Options{Follows: follows, Sample: composer.Sample, Zone: w.pages.Location})
	matcher := &follow.Matcher{Follows: follows, Ledger: ledger, Stories: w.stories, Load: w.finding.load, Desks: deskNames(every)}
	w.matcher = matcher
	if w.set.Run.has(workerDuty) {
		w.background("follows", func(ctx context.Context) {
			again(ctx, w.log, "matching stories with follows", func(ctx context.Context) error { return w.stories.Follow(ctx, matcher.Consumer()) })
		})
		w.background("newsletters", func(ctx context.Context) {
			again(ctx, w.log, "mailing newsletters", func(ctx context.Context) error { return follows.RunLetters(ctx, ledger, w.stories) })
		})
		w.background("deliveries", func(ctx context.Context) { again(ctx, w.log, "sending what is due", ledger.Run) })
	}
	w.store.add("letters", func() error { letters.Line.Close(); return nil })
	w.ops.dashboard.Add(ops.NamedSource{Name: "deliveries", Source: deliverySource(ledger), Fresh: 5 * time.Second})
	return followweb.Register(w.pages, followweb.Options{Follows: follows, Matcher: matcher, Ledger: ledger, Mail: letters, PushKey: pushKey, PushKeys: channel.PushKeys, Label: w.threadLabel, Bounces: bounces, BounceToken: token, Sample: composer.Sample})
}

// bounces lets letters be told by what comes back of them, and returns what takes that in,
// without its ledger, and the token that lets it in.
func (w *wiring) bounces(letters *channel.Mail, client *outbound.Client) (*bounce.Intake, string, error) {
	key, err := w.set.key(bounceKey)
	if err != nil {
		return nil, "", err
	}
	door, err := w.set.key(bounceDoor)
	if err != nil {
		return nil, "", err
	}
	letters.Stamps = key
	if to := w.set.BouncesTo; to != "" {
		parsed, err := netmail.ParseAddress(to)
		if err != nil || parsed.Address != to {
			return nil, "", errs.New(errs.Usage, "--bounces-to needs a mail address")
		}
		letters.Bounces = to
	}
	in := &bounce.Intake{Key: key}
	if w.set.SESTopic != "" {
		in.SNS = &bounce.SNS{Topic: w.set.SESTopic, Client: client}
	}
	return in, hex.EncodeToString(door[:16]), nil
}

// push returns the channel to browsers, and what they subscribe with. Its key is made of
// the newsroom's secret: with another secret, readers subscribe again.
func (w *wiring) push(client *outbound.Client, from string) (*channel.Push, string, error) {
	secret, err := w.set.key("push")
	if err != nil {
		return nil, "", err
	}
	key, err := channel.PushKey(secret)
	if err != nil {
		return nil, "", err
	}
	p := &channel.Push{Client: client, Key: key, Contact: "mailto:" + from}
	public, err := p.PublicKey()
	return p, public, err
}

// mountReaders puts the pages of readers' own accounts on the site; without a ledger they
// say that no letters can be sent.
func (w *wiring) mountReaders(follows *follow.Follows, ledger *deliver.Ledger) (*readerweb.Pages, error) {
	kept := w.kept
	kept["follows"] = func(ctx context.Context, a *auth.Account) (any, error) { return keptFollows(ctx, follows, ledger, a) }
	return readerweb.Register(w.pages, readerweb.Options{
		Auth: w.auth, Joining: w.set.Registration, Ledger: ledger, Base: w.set.address(), Moved: follows.Move, Kept: kept,
	})
}

// forgetFollows ends what the owner of an account follows.
func forgetFollows(ctx context.Context, follows *follow.Follows, a *auth.Account) error {
	if !a.Confirmed {
		return nil
	}
	r, err := follows.Addressed(ctx, a.Email)
	if errors.Is(err, errs.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return follows.Leave(ctx, r.ID)
}

// deliveriesExported is how many deliveries are in the export of an account: all that
// are kept, for anybody who follows what a person can read.
const deliveriesExported = 100_000

// keptFollows is what is kept about what the owner of an account follows and was sent.
func keptFollows(ctx context.Context, follows *follow.Follows, ledger *deliver.Ledger, a *auth.Account) (any, error) {
	if !a.Confirmed {
		return nil, nil
	}
	r, err := follows.Addressed(ctx, a.Email)
	if errors.Is(err, errs.NotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	r.Secret = nil
	all := []follow.Follow{}
	for one, err := range follows.Following(ctx, r.ID) {
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	var sent []deliver.Delivery
	if ledger != nil {
		if sent, err = ledger.Recent(ctx, r.ID, deliveriesExported); err != nil {
			return nil, err
		}
	}
	return map[string]any{"reader": r, "follows": all, "deliveries": sent}, nil
}

// load returns the text of a story from its desk.
func (f *finding) load(ctx context.Context, ref story.Ref) (story.Text, error) {
	for _, shelf := range f.shelves {
		if shelf.Desk == ref.Desk {
			return shelf.Load(ctx, ref.ID)
		}
	}
	return story.Text{}, errs.NotFound
}

// deliveriesCounted is how many deliveries are counted.
const deliveriesCounted = 1000

// deliverySource tells how many deliveries wait and were given up.
func deliverySource(ledger *deliver.Ledger) ops.Source {
	return ops.SourceFunc(func(ctx context.Context) (ops.Readings, error) {
		waiting, failed, oldest, err := ledger.Backlog(ctx, deliveriesCounted)
		q := ops.Queue{Name: "deliveries", Items: map[string]int{"waiting": waiting, "failed": failed}, Oldest: oldest, Most: deliveriesCounted}
		return ops.Readings{Queues: []ops.Queue{q}}, err
	})
}
