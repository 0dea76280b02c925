package auth

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/mail"
	"net/netip"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"pressroom/internal/errs"
	"pressroom/model"
)

// Purpose is what a letter about an account is for.
type Purpose string

// The letters. Those with a link do something once; the others only tell. Whoever asks
// cannot see which of two letters goes out: that depends on who has the address.
const (
	ToJoin   Purpose = "join"     // a link: make an account with this address
	Known    Purpose = "known"    // somebody asked to join, or to move, with the address of an account
	ToReset  Purpose = "reset"    // a link: set a new password
	Unknown  Purpose = "unknown"  // somebody asked to reset the password of an account that is not there
	ToMove   Purpose = "move"     // a link: give the account this address
	Moving   Purpose = "moving"   // to the present address: a move was asked for
	Moved    Purpose = "moved"    // to the former address: it is no longer the account's
	Approved Purpose = "approved" // an operator has let the account in
	ToEnter  Purpose = "enter"    // a link that no letter carries: make an account of a role
)

var purposes = []string{string(ToJoin), string(Known), string(ToReset), string(Unknown), string(ToMove), string(Moving), string(Moved), string(Approved), string(ToEnter)}

// life is how long a link works, and how long a letter is worth sending.
func (p Purpose) life() time.Duration {
	switch p {
	case ToReset:
		return time.Hour
	case ToEnter:
		return 7 * 24 * time.Hour
	}
	return 48 * time.Hour
}

// Letter is what is to be written to an address. Whoever sends letters keeps the ID
// until it is sent, and asks with [Auth.Letter] for the rest: the secret of the link is
// stored nowhere.
type Letter struct {
	ID       string
	Purpose  Purpose
	Address  string // whom it goes to
	Other    string // of a move, the address that is the account's next
	Account  string // the id; "" if there is none yet
	Language string
	Role     Role   // of the account that an invitation is to
	Token    string // of the link; "" for a letter that only tells
}

// Recipient names the address to those who count letters, and tells nothing about it.
func (l *Letter) Recipient() string { return "address:" + hashOf(l.Address) }

// errSpent is a link that was used, or an address that was taken, meanwhile.
var errSpent = errors.New("the link was used, or the address is taken")

// normalAddress is the one form of an address that is confirmed: nobody has two
// mailboxes that differ by case.
func normalAddress(address string) (string, error) {
	address = strings.TrimSpace(address)
	a, err := mail.ParseAddress(address)
	if err != nil || a.Address != address || len(address) > 254 || strings.ContainsAny(address, " \t\r\n\"<>,;()") {
		return "", errs.Validation(errs.Field{Name: "email", Message: "is no e-mail address"})
	}
	return strings.ToLower(address), nil
}

// token makes the secret of a link of the id that the letter has. It can be made again
// when the letter is sent again, by who has the key, and only its hash is stored.
func (a *Auth) token(id string) string {
	h := hmac.New(sha256.New, a.linkKey)
	h.Write([]byte(id))
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}

// letter writes down what a letter will say, and what its link does.
func (a *Auth) letter(ctx context.Context, l Letter) (*Letter, error) {
	l.ID = rand.Text()
	now := a.o.Now()
	end := now.Add(l.Purpose.life())
	item := &linkItem{
		Hash: hashOf(a.token(l.ID)), Purpose: l.Purpose, Address: l.Address, Other: l.Other, UserID: l.Account, Language: l.Language,
		CreatedAt: model.FormatTime(now), ExpiresAt: model.FormatTime(end), TTL: end.Unix(),
	}
	if l.Purpose == ToEnter {
		item.Role = l.Role.String()
	}
	return &l, storeError("write a letter", a.links.Create(ctx, item))
}

// Letter returns the letter of an id, with the secret of its link. One that is used or
// too old is NotFound, and need not be sent any more.
func (a *Auth) Letter(ctx context.Context, id string) (*Letter, error) {
	token := a.token(id)
	item, err := a.link(ctx, token)
	if err != nil {
		return nil, err
	}
	l := item.letter()
	l.ID = id
	switch l.Purpose {
	case ToJoin, ToReset, ToMove:
		l.Token = token
	}
	return l, nil
}

func (i *linkItem) letter() *Letter {
	role, _ := ParseRole(i.Role) // of an invitation
	return &Letter{Purpose: i.Purpose, Address: i.Address, Other: i.Other, Account: i.UserID, Language: i.Language, Role: role}
}

// link returns what a token's link does; NotFound if it does nothing any more.
func (a *Auth) link(ctx context.Context, token string) (linkItem, error) {
	none := fmt.Errorf("open a link: %w", errs.NotFound)
	if len(token) != secretLen {
		return linkItem{}, none
	}
	item, err := a.links.Get(ctx, model.Values{"token_hash": hashOf(token)})
	if err != nil {
		return item, storeError("open a link", err)
	}
	if item.ExpiresAt <= a.now() {
		return item, none
	}
	return item, nil
}

// CheckLink returns the letter whose link has the token, if it does what is asked; else
// NotFound.
func (a *Auth) CheckLink(ctx context.Context, token string, purpose Purpose) (*Letter, error) {
	item, err := a.checkLink(ctx, token, purpose)
	if err != nil {
		return nil, err
	}
	return item.letter(), nil
}

func (a *Auth) checkLink(ctx context.Context, token string, purpose Purpose) (linkItem, error) {
	item, err := a.link(ctx, token)
	if err != nil {
		return item, err
	}
	none := fmt.Errorf("open a link: %w", errs.NotFound)
	if item.Purpose != purpose {
		return item, none
	}
	if item.UserID == "" {
		return item, nil
	}
	// A new password, and signing out everywhere, end what was asked for before.
	account, err := a.item(ctx, item.UserID)
	if err == nil && item.CreatedAt <= account.SessionsFrom {
		err = none
	}
	return item, err
}

// spent is the piece of a transaction that uses a link up.
func (a *Auth) spent(token string) model.Piece {
	return a.links.DeletePiece(model.Values{"token_hash": hashOf(token)}, expression.AttributeExists(expression.Name("expires_at"))).Means(errSpent)
}

// owner returns the id of the account that has confirmed the address; "" if none has.
func (a *Auth) owner(ctx context.Context, address string) (string, error) {
	item, err := a.addresses.Get(ctx, model.Values{"address": address})
	if errors.Is(err, model.ErrNotFound) {
		return "", nil
	}
	return item.UserID, storeError("find an address", err)
}

// payLetter counts a letter, by where it goes to and by who asks for it.
func (a *Auth) payLetter(ctx context.Context, address string, from netip.Addr) error {
	if _, err := a.charge(ctx, "letter-from:"+network(from), lettersFrom); err != nil {
		return err
	}
	_, err := a.charge(ctx, "letter:"+hashOf(address), lettersTo)
	return err
}

// AskJoin returns the letter to somebody who wants an account with an address: a link,
// or that there is one. What is no address is Invalid; too many letters are RateLimited.
// Neither tells whether there is an account.
func (a *Auth) AskJoin(ctx context.Context, from netip.Addr, address, language string) (*Letter, error) {
	return a.ask(ctx, from, address, language, ToJoin, Known)
}

// AskReset returns the letter to somebody who has forgotten a password: a link, or that
// there is no account. Otherwise it is like AskJoin.
func (a *Auth) AskReset(ctx context.Context, from netip.Addr, address, language string) (*Letter, error) {
	return a.ask(ctx, from, address, language, Unknown, ToReset)
}

// ask does the same for an address that is known and for one that is not, but for what
// the letter says.
func (a *Auth) ask(ctx context.Context, from netip.Addr, address, language string, unknown, known Purpose) (*Letter, error) {
	address, err := normalAddress(address)
	if err != nil {
		return nil, err
	}
	if err := a.payLetter(ctx, address, from); err != nil {
		return nil, err
	}
	owner, err := a.owner(ctx, address)
	if err != nil {
		return nil, err
	}
	l := Letter{Purpose: unknown, Address: address, Language: language}
	if owner != "" {
		l.Purpose, l.Account = known, owner
	}
	return a.letter(ctx, l)
}

// Join makes the account that a link of AskJoin is for, a reader with a confirmed
// address, and uses the link up. If it waits, it is disabled until an operator lets it
// in. A link that does nothing any more is NotFound; a name that is taken is Invalid.
func (a *Auth) Join(ctx context.Context, from netip.Addr, token string, n NewAccount, waits bool) (*Account, error) {
	link, err := a.checkLink(ctx, token, ToJoin)
	if err != nil {
		return nil, err
	}
	n.Email, n.Role = link.Address, Reader
	item, err := a.entrant(ctx, n)
	if err != nil {
		return nil, err
	}
	item.Confirmed, item.Waiting, item.Disabled, item.Language = true, waits, waits, link.Language
	return a.enter(ctx, from, item, a.spent(token), a.addresses.CreatePiece(&addressItem{Address: link.Address, UserID: item.UserID}).Means(errSpent))
}

// entrant prepares the account of somebody who comes by a link.
func (a *Auth) entrant(ctx context.Context, n NewAccount) (*accountItem, error) {
	if n.Password == "" {
		return nil, errs.Validation(errs.Field{Name: "password", Message: "is missing"})
	}
	if strings.Contains(n.Name, "@") { // it would look like somebody's address
		return nil, errs.Validation(errs.Field{Name: "name", Message: "must not be an address"})
	}
	return a.prepare(ctx, n)
}

// enter writes the account of somebody who comes by a link, and uses the link up.
func (a *Auth) enter(ctx context.Context, from netip.Addr, item *accountItem, more ...model.Piece) (*Account, error) {
	account, err := a.add(ctx, item, anyRoster, more...)
	switch {
	case errors.Is(err, errs.Duplicate):
		if _, err := a.charge(ctx, "names:"+network(from), namesFrom); err != nil {
			return nil, err
		}
		return nil, errs.Validation(errs.Field{Name: "name", Message: "is taken"})
	case errors.Is(err, errSpent):
		return nil, fmt.Errorf("join: %w", errs.NotFound)
	}
	return account, err
}

// Invite makes a link by which somebody makes an account of the role, once and within a
// week. It does nothing any more once the operator who made it, by id, is none, or signs
// out everywhere.
func (a *Auth) Invite(ctx context.Context, by string, role Role) (token string, err error) {
	if role == Everyone || !Operator.Allows(role) {
		return "", errs.Validation(errs.Field{Name: "role", Message: "must be reader, author, moderator or operator"})
	}
	l, err := a.letter(ctx, Letter{Purpose: ToEnter, Account: by, Role: role})
	if err != nil {
		return "", err
	}
	return a.token(l.ID), nil
}

// Invited returns what an invitation is to; NotFound if it does nothing any more.
func (a *Auth) Invited(ctx context.Context, token string) (Role, error) {
	link, err := a.checkLink(ctx, token, ToEnter)
	if err != nil {
		return Everyone, err
	}
	host, err := a.item(ctx, link.UserID)
	if err == nil && !host.operates() {
		err = fmt.Errorf("open an invitation: %w", errs.NotFound)
	}
	return link.letter().Role, err
}

// Accept makes the account that an invitation is to, and uses the invitation up. One that
// does nothing any more is NotFound; a name that is taken is Invalid.
func (a *Auth) Accept(ctx context.Context, from netip.Addr, token string, n NewAccount) (*Account, error) {
	role, err := a.Invited(ctx, token)
	if err != nil {
		return nil, err
	}
	n.Role = role
	item, err := a.entrant(ctx, n)
	if err != nil {
		return nil, err
	}
	return a.enter(ctx, from, item, a.spent(token))
}

// Reset gives the account of a link of AskReset a new password, as SetPassword does, and
// uses the link up. Passkeys go too: whoever took the account may have made one. A link
// that does nothing any more is NotFound.
func (a *Auth) Reset(ctx context.Context, token, password string) (*Account, error) {
	link, err := a.checkLink(ctx, token, ToReset)
	if err != nil {
		return nil, err
	}
	item, err := a.setPassword(ctx, link.UserID, password, a.spent(token))
	if err != nil {
		return nil, err
	}
	if err := a.dropPasskeys(ctx, link.UserID); err != nil {
		return nil, err
	}
	return item.account()
}

// AskMove returns the letters to be written because the owner of an account wants to
// have another address: to that one a link, or that it is taken, and to the present one
// that somebody asked.
func (a *Auth) AskMove(ctx context.Context, from netip.Addr, id, address, language string) ([]*Letter, error) {
	address, err := normalAddress(address)
	if err != nil {
		return nil, err
	}
	item, err := a.item(ctx, id)
	if err != nil {
		return nil, err
	}
	if err := a.payLetter(ctx, address, from); err != nil {
		return nil, err
	}
	owner, err := a.owner(ctx, address)
	if err != nil {
		return nil, err
	}
	to := Letter{Purpose: ToMove, Address: address, Account: id, Language: language}
	if owner != "" {
		to.Purpose, to.Account = Known, owner
	}
	first, err := a.letter(ctx, to)
	if err != nil || !item.Confirmed || item.Email == address {
		return []*Letter{first}, err
	}
	second, err := a.letter(ctx, Letter{Purpose: Moving, Address: item.Email, Other: address, Account: id, Language: language})
	return []*Letter{first, second}, err
}

// Move gives an account the address of a link of AskMove, and uses the link up. It must
// be asked by the account itself: whoever is sent a link by a stranger must not give
// their address to the stranger's account. It returns the former address if that was
// confirmed, and a letter to it.
func (a *Auth) Move(ctx context.Context, id, token string) (old string, told *Letter, err error) {
	link, err := a.checkLink(ctx, token, ToMove)
	if err == nil && link.UserID != id {
		err = fmt.Errorf("move: %w", errs.NotFound)
	}
	if err != nil {
		return "", nil, err
	}
	err = a.change(ctx, id, false, func(i *accountItem) error {
		if old = ""; i.Confirmed {
			old = i.Email
		}
		i.Email, i.Confirmed = link.Address, true
		return nil
	}, a.spent(token), a.addresses.CreatePiece(&addressItem{Address: link.Address, UserID: id}).Means(errSpent))
	if err != nil || old == "" {
		return "", nil, err
	}
	told, err = a.letter(ctx, Letter{Purpose: Moved, Address: old, Other: link.Address, Account: id, Language: link.Language})
	return old, told, err
}

// Tell returns a letter to an account that only tells; nil if its address is not
// confirmed.
func (a *Auth) Tell(ctx context.Context, account *Account, purpose Purpose) (*Letter, error) {
	if !account.Confirmed {
		return nil, nil
	}
	return a.letter(ctx, Letter{Purpose: purpose, Address: account.Email, Account: account.ID, Language: account.Language})
}
