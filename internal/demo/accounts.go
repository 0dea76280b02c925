package demo

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"pressroom/internal/auth"
	"pressroom/internal/errs"
)

// Account is someone to sign in as.
type Account struct {
	Name     string
	Role     auth.Role
	Password string
	// Path is where the account's work is; For says what it is.
	Path, For string
}

// cast are the demo's accounts.
var cast = []Account{
	{Name: "reader", Role: auth.Reader, Path: "/lexicon/quiz", For: "propose terms, vote, go on with a quiz"},
	{Name: "editor", Role: auth.Author, Path: "/office/blog", For: "write and publish posts"},
	{Name: "moderator", Role: auth.Moderator, Path: "/lexicon/moderation", For: "decide on proposed terms"},
	{Name: "operator", Role: auth.Operator, Path: "/office/operations", For: "queues, runs, failures, budgets, data"},
}

// Accounts returns who can sign in, with passwords that are drawn the first time.
func (m *Mark) Accounts() ([]Account, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := slices.Clone(cast)
	drawn := false
	for i := range all {
		password := m.data.Passwords[all[i].Name]
		if password == "" {
			password, drawn = newPassword(), true
			m.data.Passwords[all[i].Name] = password
		}
		all[i].Password = password
	}
	if !drawn {
		return all, nil
	}
	return all, m.write()
}

// words make passwords that can be read from a terminal and typed.
var words = []string{
	"amber", "anchor", "apricot", "autumn", "bamboo", "basalt", "beacon", "birch", "bridge", "canvas", "cedar", "cinder", "clover", "cobalt",
	"copper", "coral", "crane", "delta", "ember", "fable", "falcon", "fern", "flint", "garnet", "ginkgo", "harbor", "hazel", "heron", "indigo",
	"island", "ivory", "jasper", "juniper", "kettle", "lantern", "larch", "linen", "lotus", "maple", "marble", "meadow", "mosaic", "nectar",
	"oasis", "ochre", "opal", "orbit", "orchid", "paper", "pebble", "pepper", "plum", "quartz", "quill", "raven", "ripple", "saffron", "sable",
	"sparrow", "tidal", "timber", "velvet", "walnut", "willow",
}

// newPassword draws four words: 24 bits, behind sign-ins that slow down.
func newPassword() string {
	password := ""
	for i := range 4 {
		n, err := rand.Int(rand.Reader, big.NewInt(int64(len(words))))
		if err != nil {
			panic(err) // never happens, see crypto/rand
		}
		if i > 0 {
			password += "-"
		}
		password += words[n.Int64()]
	}
	return password
}

func (d *Demo) loadAccounts(ctx context.Context) error {
	all, err := d.mark.Accounts()
	if err != nil {
		return err
	}
	// The operator first: until there is one, anybody with the link may become it.
	for i := len(all) - 1; i >= 0; i-- {
		if err := ctx.Err(); err != nil {
			return err // a password takes a while
		}
		a := all[i]
		_, err := d.stage.Auth.Add(ctx, auth.NewAccount{Name: a.Name, Email: a.Name + "@pressroom.example", Password: a.Password, Role: a.Role})
		if err != nil && !errors.Is(err, errs.Duplicate) {
			return fmt.Errorf("account %s: %w", a.Name, err)
		}
	}
	return nil
}

// accountID returns the id of one of the accounts.
func (d *Demo) accountID(ctx context.Context, name string) (string, error) {
	a, err := d.stage.Auth.Named(ctx, name)
	if err != nil {
		return "", fmt.Errorf("account %s: %w", name, err)
	}
	return a.ID, nil
}
