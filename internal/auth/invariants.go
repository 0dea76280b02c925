package auth

import (
	"context"
	"errors"
	"fmt"

	"pressroom/model"
)

// Check looks at every account and reports what is not as it must be: one whose
// name or identity is not kept to it alone, names and identities of no account,
// and a number of operators that is not theirs. Sessions and tokens that an
// interrupted deletion left open nothing, and are no finding. It changes nothing,
// and may run while accounts are used.
func (a *Auth) Check(ctx context.Context, report func(where, what string)) error {
	table := users
	table.Name = a.o.Table
	return table.Audit(ctx, a.db, map[string]model.Promise{
		"Account":  model.PromiseOf(a.checkAccount),
		"Login":    model.PromiseOf(a.checkLogin),
		"Identity": model.PromiseOf(a.checkIdentity),
		"Address":  model.PromiseOf(a.checkAddress),
		"Roster":   model.PromiseOf(a.checkRoster),
	}, report)
}

// faults is what is wrong with one item.
type faults []string

func (f *faults) add(format string, args ...any) { *f = append(*f, fmt.Sprintf(format, args...)) }

// missing notes that something is not there, and lets other errors through.
func (f *faults) missing(err error, format string, args ...any) error {
	if errors.Is(err, model.ErrNotFound) {
		f.add(format, args...)
		return nil
	}
	return err
}

func (a *Auth) checkAccount(ctx context.Context, i *accountItem) ([]string, error) {
	var f faults
	login, err := a.logins.Get(ctx, model.Values{"name": i.Name})
	if err == nil && login.UserID != i.UserID {
		f.add("its name %s is kept for account %s", i.Name, login.UserID)
	}
	if err := f.missing(err, "its name %s is not kept for it: it cannot sign in, and the name could be given away", i.Name); err != nil {
		return nil, err
	}
	if i.Subject != "" {
		identity, err := a.identities.Get(ctx, model.Values{"issuer": i.Issuer, "subject": i.Subject})
		if err == nil && identity.UserID != i.UserID {
			f.add("its identity at %s is that of account %s", i.Issuer, identity.UserID)
		}
		if err := f.missing(err, "its identity at %s is not kept for it", i.Issuer); err != nil {
			return nil, err
		}
	}
	if i.Confirmed {
		address, err := a.addresses.Get(ctx, model.Values{"address": i.Email})
		if err == nil && address.UserID != i.UserID {
			f.add("its confirmed address is kept for account %s", address.UserID)
		}
		if err := f.missing(err, "its confirmed address is not kept for it"); err != nil {
			return nil, err
		}
	}
	if i.operates() {
		_, err := a.roster.Get(ctx, nil)
		if err := f.missing(err, "it is an operator, and operators are not counted: the last one could be removed"); err != nil {
			return nil, err
		}
	}
	return f, nil
}

func (a *Auth) checkLogin(ctx context.Context, l *loginItem) ([]string, error) {
	var f faults
	i, err := a.accounts.Get(ctx, model.Values{"user_id": l.UserID})
	if err == nil && i.Name != l.Name {
		f.add("account %s is called %s", l.UserID, i.Name)
	}
	err = f.missing(err, "there is no account %s", l.UserID)
	return f, err
}

func (a *Auth) checkIdentity(ctx context.Context, l *identityItem) ([]string, error) {
	var f faults
	i, err := a.accounts.Get(ctx, model.Values{"user_id": l.UserID})
	if err == nil && (i.Issuer != l.Issuer || i.Subject != l.Subject) {
		f.add("account %s has another identity", l.UserID)
	}
	err = f.missing(err, "there is no account %s", l.UserID)
	return f, err
}

func (a *Auth) checkAddress(ctx context.Context, l *addressItem) ([]string, error) {
	var f faults
	i, err := a.accounts.Get(ctx, model.Values{"user_id": l.UserID})
	if err == nil && (!i.Confirmed || i.Email != l.Address) {
		f.add("account %s has another address", l.UserID)
	}
	err = f.missing(err, "there is no account %s", l.UserID)
	return f, err
}

func (a *Auth) checkRoster(ctx context.Context, r *rosterItem) ([]string, error) {
	operators := 0
	for i, err := range a.accounts.All(ctx, "AccountsByName", nil) {
		if err != nil {
			return nil, err
		}
		if i.operates() {
			operators++
		}
	}
	var f faults
	if operators != r.Operators {
		f.add("%d operators are counted, and there are %d", r.Operators, operators)
	}
	return f, nil
}
