package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"golang.org/x/term"

	"pressroom/internal/auth"
	"pressroom/internal/errs"
	"pressroom/model"
	"pressroom/model/deploy"
)

// userCmd is everything about accounts.
type userCmd struct {
	Add     userAddCmd     `cmd:"" help:"Make an account."`
	Passwd  userPasswdCmd  `cmd:"" help:"Give an account a new password; its sessions end."`
	Role    userRoleCmd    `cmd:"" help:"Change what an account may do."`
	Disable userDisableCmd `cmd:"" help:"Lock an account out, with its sessions and tokens."`
	Enable  userEnableCmd  `cmd:"" help:"Let a disabled account in again."`
	List    userListCmd    `cmd:"" help:"List all accounts by name."`
}

// Help is the text under the command's usage line.
func (userCmd) Help() string {
	return `The embedded store belongs to one process. While the newsroom is running, change
accounts on its pages, or through its endpoint: with AWS_ENDPOINT_URL set to it, say
--store=aws.`
}

// accountSettings say where the accounts are.
type accountSettings struct {
	targetSettings
	nameSettings
	commonSettings
}

// open opens the accounts and hands them to fn. The embedded store gets its
// table if it has none yet; elsewhere that is for "schema apply" to do.
func (s accountSettings) open(r *run, fn func(*auth.Auth) error) (err error) {
	log := r.logger(s.commonSettings)
	st, err := s.targetSettings.open(r.ctx, endpointSettings{}, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	if !st.remote() {
		if err := s.makeTable(r, st); err != nil {
			return err
		}
	}
	a, err := auth.New(st.db, &auth.Options{Table: s.names().table(auth.Schema), Log: log})
	if err != nil {
		return err
	}
	return explainAccount(fn(a), log)
}

// makeTable makes the table of users as all who use it declare it.
func (s accountSettings) makeTable(r *run, st *store) error {
	schemas, err := s.names().schemas()
	if err != nil {
		return err
	}
	for _, schema := range schemas {
		if table, ok := schema.Table(s.names().table(auth.Schema)); ok {
			err := deploy.Apply(r.ctx, st.deploys(), nil, model.Schema{Name: schema.Name, Tables: []model.Table{*table}})
			if err != nil {
				return errs.Wrap(err, errs.Unavailable, "cannot prepare the table of users: %v", err)
			}
		}
	}
	return nil
}

// explainAccount turns what is wrong with the input into one sentence.
func explainAccount(err error, log *slog.Logger) error {
	if err == nil {
		return nil
	}
	if fields := errs.Fields(err); len(fields) > 0 {
		var wrong []string
		for _, f := range fields {
			wrong = append(wrong, f.Name+" "+f.Message)
		}
		return errs.Wrap(err, errs.Usage, "%s", strings.Join(wrong, "; "))
	}
	if errors.Is(err, errs.Unavailable) {
		log.Debug("store", "error", err)
		return errs.Wrap(err, errs.Unavailable, "cannot reach the accounts: %v; has \"pressroom schema apply\" been run there?", err)
	}
	return err
}

// named runs fn with the id of the account of that name.
func (s accountSettings) named(r *run, name string, fn func(a *auth.Auth, id string) error) error {
	return s.open(r, func(a *auth.Auth) error {
		account, err := a.Named(r.ctx, name)
		if errors.Is(err, errs.NotFound) {
			return errs.Wrap(err, errs.NotFound, "there is no account %s; see \"pressroom user list\"", name)
		}
		if err != nil {
			return err
		}
		return fn(a, account.ID)
	})
}

// passwordSettings say where a password comes from. None is ever on a command
// line, where others could read it.
type passwordSettings struct {
	PasswordFile string `setting:"-" placeholder:"FILE" help:"Read the password from the first line of this file, - for standard input; it is asked for in a terminal otherwise."`
}

// password reads a new password, from a terminal twice.
func (s passwordSettings) password(r *run) (string, error) {
	switch {
	case s.PasswordFile == "-":
		return firstLine(os.Stdin, "standard input")
	case s.PasswordFile != "":
		f, err := os.Open(s.PasswordFile)
		if err != nil {
			return "", errs.Wrap(err, errs.Usage, "cannot read the password: %v", err)
		}
		defer func() { _ = f.Close() }() // it was only read
		return firstLine(f, s.PasswordFile)
	}
	fd := int(os.Stdin.Fd())
	if !term.IsTerminal(fd) {
		return "", errs.New(errs.Usage, "there is no terminal to ask for the password; say --password-file=- to read it from standard input")
	}
	first, err := ask(r.Stderr, fd, "Password: ")
	if err != nil {
		return "", err
	}
	second, err := ask(r.Stderr, fd, "Again: ")
	if err != nil {
		return "", err
	}
	if first != second {
		return "", errs.New(errs.Usage, "the two passwords differ; nothing was changed")
	}
	return first, nil
}

// ask reads a line from the terminal without showing it.
func ask(w io.Writer, fd int, prompt string) (string, error) {
	fmt.Fprint(w, prompt)
	text, err := term.ReadPassword(fd)
	fmt.Fprintln(w)
	if err != nil {
		return "", errs.Wrap(err, errs.Usage, "cannot read the password: %v", err)
	}
	return string(text), nil
}

// maxPasswordLine is more than any password has.
const maxPasswordLine = 4096

func firstLine(f io.Reader, where string) (string, error) {
	line, err := bufio.NewReader(io.LimitReader(f, maxPasswordLine)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", errs.Wrap(err, errs.Usage, "cannot read the password from %s: %v", where, err)
	}
	line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
	if line == "" {
		return "", errs.New(errs.Usage, "the first line of %s is empty; it should be the password", where)
	}
	return line, nil
}

type userAddCmd struct {
	Name  string    `arg:"" help:"What its owner signs in with."`
	Role  auth.Role `setting:"-" default:"reader" placeholder:"ROLE" help:"What it may do: reader, author, moderator or operator."`
	Email string    `setting:"-" placeholder:"ADDRESS" help:"Where to reach its owner."`
	passwordSettings
	accountSettings
}

// Run makes the account and prints its id.
func (c *userAddCmd) Run(r *run) error {
	password, err := c.password(r)
	if err != nil {
		return err
	}
	return c.open(r, func(a *auth.Auth) error {
		account, err := a.Add(r.ctx, auth.NewAccount{Name: c.Name, Email: c.Email, Password: password, Role: c.Role})
		if errors.Is(err, errs.Duplicate) {
			return errs.Wrap(err, errs.Duplicate, "there is an account %s already", c.Name)
		}
		if err != nil {
			return err
		}
		fmt.Fprintln(r.Stdout, account.ID)
		return nil
	})
}

type userPasswdCmd struct {
	Name string `arg:"" help:"The account's name."`
	passwordSettings
	accountSettings
}

// Run sets the password.
func (c *userPasswdCmd) Run(r *run) error {
	password, err := c.password(r)
	if err != nil {
		return err
	}
	return c.named(r, c.Name, func(a *auth.Auth, id string) error { return a.SetPassword(r.ctx, id, password) })
}

type userRoleCmd struct {
	Name string    `arg:"" help:"The account's name."`
	Role auth.Role `arg:"" help:"What it may do: reader, author, moderator or operator."`
	accountSettings
}

// Run changes the role.
func (c *userRoleCmd) Run(r *run) error {
	return c.named(r, c.Name, func(a *auth.Auth, id string) error { return a.SetRole(r.ctx, id, c.Role) })
}

type userDisableCmd struct {
	Name string `arg:"" help:"The account's name."`
	accountSettings
}

// Run locks the account out.
func (c *userDisableCmd) Run(r *run) error {
	return c.named(r, c.Name, func(a *auth.Auth, id string) error { return a.SetDisabled(r.ctx, id, true) })
}

type userEnableCmd struct {
	Name string `arg:"" help:"The account's name."`
	accountSettings
}

// Run lets the account in again.
func (c *userEnableCmd) Run(r *run) error {
	return c.named(r, c.Name, func(a *auth.Auth, id string) error { return a.SetDisabled(r.ctx, id, false) })
}

type userListCmd struct {
	JSON bool `setting:"-" name:"json" help:"Print JSON."`
	accountSettings
}

// shownUser is an account as printed.
type shownUser struct {
	ID       string    `json:"id"`
	Name     string    `json:"name"`
	Email    string    `json:"email,omitempty"`
	Role     auth.Role `json:"role"`
	Disabled bool      `json:"disabled"`
	Created  time.Time `json:"created"`
	SignedIn time.Time `json:"signed_in,omitzero"`
}

// Run prints the accounts, page by page as they come.
func (c *userListCmd) Run(r *run) error {
	users := []shownUser{}
	err := c.open(r, func(a *auth.Auth) error {
		l := auth.List{Limit: 100}
		for {
			page, err := a.Accounts(r.ctx, l)
			if err != nil {
				return err
			}
			for _, u := range page.Items {
				users = append(users, shownUser{u.ID, u.Name, u.Email, u.Role, u.Disabled, u.Created, u.SignedIn})
			}
			if l.Cursor = page.Next; l.Cursor == "" {
				return nil
			}
		}
	})
	switch {
	case err != nil:
		return err
	case c.JSON:
		return indented(r.Stdout, users)
	}
	return printUsers(r.Stdout, users)
}

func printUsers(w io.Writer, users []shownUser) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "NAME\tROLE\tSTATE\tSIGNED IN\tE-MAIL\tID")
	for _, u := range users {
		state, signedIn, email := "active", "never", "-"
		if u.Disabled {
			state = "disabled"
		}
		if !u.SignedIn.IsZero() {
			signedIn = u.SignedIn.Format(time.RFC3339)
		}
		if u.Email != "" {
			email = u.Email
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\t%s\n", u.Name, u.Role, state, signedIn, email, u.ID)
	}
	return tw.Flush()
}
