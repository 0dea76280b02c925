package auth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"pressroom/internal/errs"
	"pressroom/model"
)

// changeTries is how often a change that met another is tried again.
const changeTries = 10

// maxLanguage is the length of the longest language tag that protocols must take
// (RFC 5646, section 4.4.1).
const maxLanguage = 35

// change lets fn change an account and writes it, with the roster if it made or
// unmade an operator, and with more pieces, all or nothing. The last operator stays
// one, unless force is set.
func (a *Auth) change(ctx context.Context, id string, force bool, fn func(*accountItem) error, more ...model.Piece) error {
	for try := 1; ; try++ {
		item, err := a.item(ctx, id)
		if err != nil {
			return err
		}
		before := item
		if err := fn(&item); err != nil {
			return err
		}
		if item == before {
			return nil
		}
		err = a.write(ctx, &before, &item, force, more)
		if !errors.Is(err, model.ErrStale) && !errors.Is(err, model.ErrConflict) || try == changeTries {
			return err
		}
	}
}

func (a *Auth) write(ctx context.Context, before, item *accountItem, force bool, more []model.Piece) error {
	pieces := append([]model.Piece{a.accounts.PutPiece(item)}, more...)
	if before.Confirmed && before.Email != item.Email {
		pieces = append(pieces, a.addresses.DeletePiece(model.Values{"address": before.Email}))
	}
	if piece, changed := a.recount(before.operates(), item.operates(), force); changed {
		if err := a.ensureRoster(ctx); err != nil {
			return err
		}
		pieces = append(pieces, piece)
	}
	return a.changed(model.Transact(ctx, a.db, pieces...))
}

// recount is what becomes of the number of operators.
func (a *Auth) recount(was, is, force bool) (model.Piece, bool) {
	operators := expression.Name("operators")
	switch {
	case !was && is:
		return a.count(1, anyRoster), true
	case was && !is && force:
		return a.count(-1, operators.GreaterThan(expression.Value(0))), true
	case was && !is:
		return a.count(-1, operators.GreaterThan(expression.Value(1))), true
	}
	return model.Piece{}, false
}

// changed explains how a change of an account ended.
func (a *Auth) changed(err error) error {
	switch {
	case err == nil, errors.Is(err, model.ErrStale), errors.Is(err, model.ErrConflict):
		return err
	case errors.Is(err, errSpent):
		return fmt.Errorf("change account: %w", errors.Join(errs.NotFound, err))
	case errors.Is(err, model.ErrCondition):
		return errs.Wrap(err, errs.Conflict, "This is the last operator. Make another one first.")
	}
	return storeError("change account", err)
}

// SetRole changes an account's role. It holds from the next request on, for
// which sessions get new cookies. The last operator stays one: Conflict.
func (a *Auth) SetRole(ctx context.Context, id string, role Role) error {
	return a.setRole(ctx, id, role, false)
}

func (a *Auth) setRole(ctx context.Context, id string, role Role, force bool) error {
	if role == Everyone || !Operator.Allows(role) {
		return errs.Validation(errs.Field{Name: "role", Message: "must be reader, author, moderator or operator"})
	}
	return a.change(ctx, id, force, func(i *accountItem) error {
		if i.Role != role.String() {
			i.Role, i.RoleChangedAt = role.String(), a.now()
		}
		return nil
	})
}

// SetEmail changes an account's e-mail address; "" removes it. It is then not
// confirmed.
func (a *Auth) SetEmail(ctx context.Context, id, email string) error {
	if err := checkEmail(email); err != nil {
		return err
	}
	return a.change(ctx, id, false, func(i *accountItem) error {
		if i.Email != email {
			i.Email, i.Confirmed = email, false
		}
		return nil
	})
}

// SetLanguage keeps the language that the account's owner reads pages in; ""
// leaves it to the browser.
func (a *Auth) SetLanguage(ctx context.Context, id, language string) error {
	if len(language) > maxLanguage {
		return errs.Validation(errs.Field{Name: "language", Message: "is not a language tag"})
	}
	return a.change(ctx, id, false, func(i *accountItem) error {
		i.Language = language
		return nil
	})
}

// SetTheme keeps how the account's owner wants pages to look, light or dark; ""
// leaves it to the browser.
func (a *Auth) SetTheme(ctx context.Context, id, theme string) error {
	if theme != "" && !slices.Contains(themes, theme) {
		return errs.Validation(errs.Field{Name: "theme", Message: "is not light, dark or auto"})
	}
	return a.change(ctx, id, false, func(i *accountItem) error {
		i.Theme = theme
		return nil
	})
}

// SetPassword gives an account a new password, ends all its sessions and tokens,
// makes its devices unknown, and forgets failed sign-ins.
func (a *Auth) SetPassword(ctx context.Context, id, password string) error {
	_, err := a.setPassword(ctx, id, password)
	return err
}

func (a *Auth) setPassword(ctx context.Context, id, password string, more ...model.Piece) (accountItem, error) {
	item, err := a.item(ctx, id)
	if err != nil {
		return item, err
	}
	plain, err := checkPassword(password, item.Name)
	if err != nil {
		return item, err
	}
	hash, err := a.hasher.hash(ctx, plain)
	if err != nil {
		return item, err
	}
	err = a.change(ctx, id, false, func(i *accountItem) error {
		now := a.now()
		i.Password, i.SessionsFrom, i.TokensFrom = hash, now, now
		item = *i
		return nil
	}, more...)
	if err != nil {
		return item, err
	}
	return item, errors.Join(a.dropSessions(ctx, id, ""), a.dropTokens(ctx, id), a.forgive(ctx, nameTarget(item.Name)))
}

// ChangePassword is SetPassword for someone who is signed in and knows the old
// one: a wrong one is Invalid, and too many are RateLimited. The browser stays a
// known device, the only one.
func (a *Auth) ChangePassword(w http.ResponseWriter, r *http.Request, id, old, password string) error {
	ctx := r.Context()
	item, err := a.item(ctx, id)
	if err != nil {
		return err
	}
	if item.Password == "" {
		return errs.New(errs.Conflict, "This account has no password here; it signs in through a provider.")
	}
	forgive, err := a.confirm(ctx, &item, old)
	if err != nil {
		return err
	}
	if item, err = a.setPassword(ctx, id, password); err != nil {
		return err
	}
	a.remember(w, r, &item)
	return forgive()
}

// CheckPassword asks for the password of someone who is signed in, before something
// is done that a stranger at their screen must not do. A wrong one is Invalid, in the
// field "old"; too many are RateLimited. An account without one has nothing to show.
func (a *Auth) CheckPassword(ctx context.Context, id, password string) error {
	item, err := a.item(ctx, id)
	if err != nil || item.Password == "" {
		return err
	}
	forgive, err := a.confirm(ctx, &item, password)
	if err != nil {
		return err
	}
	return forgive()
}

// confirm compares a password with the account's. It counts as a failure until forgive
// is called.
func (a *Auth) confirm(ctx context.Context, item *accountItem, password string) (forgive func() error, err error) {
	// Whoever guesses at the door must not keep the owner from changing it.
	target := "change:" + item.UserID
	if who := From(ctx); who != nil && who.Via.Session != "" {
		target = "session:" + who.Via.Session
	}
	if _, err := a.charge(ctx, target, perDevice); err != nil {
		return nil, err
	}
	plain, err := normalPassword(password)
	ok := false
	if err == nil {
		if ok, _, err = a.hasher.matches(ctx, item.Password, plain, true); err != nil {
			return nil, err
		}
	}
	if !ok {
		return nil, errs.Validation(errs.Field{Name: "old", Message: "is not the present password"})
	}
	return func() error { return a.forgive(ctx, target) }, nil
}

// SetDisabled locks an account out at once, with its sessions and tokens, or
// lets it in again. The last operator cannot be locked out: Conflict.
func (a *Auth) SetDisabled(ctx context.Context, id string, disabled bool) error {
	var was, item accountItem
	err := a.change(ctx, id, false, func(i *accountItem) error {
		was = *i
		if disabled && !i.Disabled {
			i.SessionsFrom = a.now()
		}
		i.Disabled = disabled
		i.Waiting = i.Waiting && disabled
		item = *i
		return nil
	})
	if err != nil {
		return err
	}
	if disabled {
		return a.dropSessions(ctx, id, "")
	}
	if !was.Waiting {
		return nil
	}
	return a.each(ctx, a.approved, &item)
}

// OnApprove has tell called for each account that an operator lets in after it had to
// wait. It is called before requests are served.
func (a *Auth) OnApprove(tell func(ctx context.Context, a *Account) error) {
	a.approved = append(a.approved, tell)
}

func (a *Auth) each(ctx context.Context, all []func(context.Context, *Account) error, item *accountItem) error {
	account, err := item.account()
	for _, do := range all {
		if err == nil {
			err = do(ctx, account)
		}
	}
	return err
}

// BeforeDelete has leave called with each account that is about to be deleted, to
// remove what others keep under its address. It must be repeatable; it is called
// before requests are served.
func (a *Auth) BeforeDelete(leave func(ctx context.Context, a *Account) error) {
	a.before = append(a.before, leave)
}

// OnDelete has leave called for each account that is deleted, to remove what
// others keep of it. It must be repeatable; it is called before requests are
// served.
func (a *Auth) OnDelete(leave func(ctx context.Context, id string) error) {
	a.leaving = append(a.leaving, leave)
}

// Delete removes an account and all that is kept of it, here and by those who
// asked with OnDelete. That there is none is NotFound, after what a deletion that
// was interrupted may have left is gone; the last operator stays: Conflict.
func (a *Auth) Delete(ctx context.Context, id string) error {
	for try := 1; ; try++ {
		item, err := a.item(ctx, id)
		if id != "" && errors.Is(err, errs.NotFound) {
			return errors.Join(a.clear(ctx, id), err)
		}
		if err != nil {
			return err
		}
		if err = a.each(ctx, a.before, &item); err != nil {
			return fmt.Errorf("delete account: %w", err)
		}
		err = a.remove(ctx, &item)
		if err == nil {
			break
		}
		if !errors.Is(err, model.ErrStale) && !errors.Is(err, model.ErrConflict) || try == changeTries {
			return err
		}
	}
	return a.clear(ctx, id)
}

// clear removes what belongs to an account that is gone. Without its account none
// of this opens anything.
func (a *Auth) clear(ctx context.Context, id string) error {
	for _, leave := range a.leaving {
		if err := leave(ctx, id); err != nil {
			return fmt.Errorf("delete account: %w", err)
		}
	}
	return errors.Join(a.dropSessions(ctx, id, ""), a.dropTokens(ctx, id), a.dropPasskeys(ctx, id))
}

func (a *Auth) remove(ctx context.Context, item *accountItem) error {
	pieces := []model.Piece{
		a.logins.DeletePiece(model.Values{"name": item.Name}),
		a.accounts.DeletePiece(model.Values{"user_id": item.UserID}, expression.Name("version").Equal(expression.Value(item.Version))),
	}
	if item.Subject != "" {
		pieces = append(pieces, a.identities.DeletePiece(model.Values{"issuer": item.Issuer, "subject": item.Subject}))
	}
	if item.Confirmed {
		pieces = append(pieces, a.addresses.DeletePiece(model.Values{"address": item.Email}))
	}
	if piece, changed := a.recount(item.operates(), false, false); changed {
		pieces = append(pieces, piece)
	}
	err := model.Transact(ctx, a.db, pieces...)
	var refused *model.TransactionError
	if errors.As(err, &refused) && refused.Pieces[0] == 1 {
		return fmt.Errorf("delete account: %w", model.ErrStale)
	}
	return a.changed(err)
}
