package auth

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/coreos/go-oidc/v3/oidc"

	"pressroom/internal/errs"
	"pressroom/model"
)

// stranger reads from an identity's claims what an account needs.
func (p *provider) stranger(id *oidc.IDToken, claims map[string]any) *stranger {
	text := func(name string) string { s, _ := claims[name].(string); return s }
	who := &stranger{issuer: id.Issuer, subject: id.Subject, role: p.roleOf(claims[p.RolesClaim])}
	// An address that the provider did not check may be anyone's.
	verified, said := claims["email_verified"]
	if email := text("email"); checkEmail(email) == nil && (!said || verified == true || verified == "true") {
		who.email = email
	}
	mailbox, _, _ := strings.Cut(who.email, "@")
	for _, name := range []string{text("preferred_username"), text("cognito:username"), text("nickname"), mailbox, id.Subject} {
		if normal, err := normalName(name); err == nil {
			who.names = append(who.names, normal)
		}
	}
	who.names = append(who.names, "member")
	return who
}

// roleOf returns the highest role of the groups in a claim: a list, or text with
// spaces or commas between them.
func (p *provider) roleOf(claim any) Role {
	var groups []string
	switch c := claim.(type) {
	case string:
		groups = strings.FieldsFunc(c, func(r rune) bool { return r == ',' || r == ' ' })
	case []any:
		for _, group := range c {
			if name, ok := group.(string); ok {
				groups = append(groups, name)
			}
		}
	}
	role := p.Default
	for _, group := range groups {
		found, ok := p.Roles[group]
		if p.Roles == nil {
			named, err := ParseRole(group)
			found, ok = named, err == nil
		}
		if ok && found > role {
			role = found
		}
	}
	return role
}

// known returns the account of an identity, with the role that the provider
// gives it, and makes it if there is none.
func (a *Auth) known(ctx context.Context, who *stranger) (accountItem, error) {
	identity, err := a.identities.Get(ctx, model.Values{"issuer": who.issuer, "subject": who.subject})
	if errors.Is(err, model.ErrNotFound) {
		return a.welcome(ctx, who)
	}
	if err != nil {
		return accountItem{}, storeError("sign in through a provider", err)
	}
	// The provider decides, also about the last operator: there is a set-up link
	// again at the next start.
	if err := a.setRole(ctx, identity.UserID, who.role, true); err != nil {
		return accountItem{}, err
	}
	return a.item(ctx, identity.UserID)
}

// welcome makes the account of a new identity under the first name that is free.
// It never takes over an account that is there: that two have one name or one
// address does not make them one person.
func (a *Auth) welcome(ctx context.Context, who *stranger) (accountItem, error) {
	for try := range renameTries {
		name := who.names[min(try, len(who.names)-1)]
		if extra := try - len(who.names) + 2; extra > 1 {
			name = fmt.Sprintf("%s-%d", who.names[0], extra)
		}
		item := &accountItem{
			UserID: a.ids.New(), Name: name, Email: who.email, Role: who.role.String(),
			Issuer: who.issuer, Subject: who.subject, CreatedAt: a.now(),
		}
		_, err := a.add(ctx, item, anyRoster)
		if !errors.Is(err, errs.Duplicate) {
			return *item, err
		}
		// The same identity may have come twice at once.
		if _, err := a.identities.Get(ctx, model.Values{"issuer": who.issuer, "subject": who.subject}); err == nil {
			return a.known(ctx, who)
		}
	}
	return accountItem{}, errs.New(errs.Duplicate, "No name is free for this account. Ask the operator.")
}
