package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"text/tabwriter"

	"pressroom/internal/deliver"
	"pressroom/internal/deliver/bounce"
	"pressroom/internal/errs"
)

// deliveriesCmd is everything about what is sent to readers.
type deliveriesCmd struct {
	List       deliveriesListCmd       `cmd:"" help:"List what was given up, the last first, with the reasons."`
	Replay     deliveriesReplayCmd     `cmd:"" help:"Let what was given up be sent again: all of it, or some by their ids."`
	Suppressed deliveriesSuppressedCmd `cmd:"" help:"List the addresses that get nothing, the last first, with the reasons."`
	Suppress   deliveriesSuppressCmd   `cmd:"" help:"Keep everything from an address."`
	Unsuppress deliveriesUnsuppressCmd `cmd:"" help:"Let an address be written to again."`
}

// Help is the text under the command's usage line.
func (deliveriesCmd) Help() string {
	return `The embedded store belongs to one process. While the newsroom is running, work through
its endpoint: with AWS_ENDPOINT_URL set to it, say --store=aws.`
}

// deliverySettings say where the deliveries are.
type deliverySettings struct {
	targetSettings
	nameSettings
	commonSettings
}

// open opens the ledger and hands it to fn.
func (s deliverySettings) open(r *run, fn func(*deliver.Ledger) error) (err error) {
	st, err := s.targetSettings.open(r.ctx, endpointSettings{}, r.logger(s.commonSettings))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	if !st.remote() {
		if err := st.prepare(r.ctx, deliver.Schema.Named(s.names().of)); err != nil {
			return err
		}
	}
	ledger, err := deliver.New(st.db, &deliver.Options{Table: s.names().table(deliver.Schema)})
	if err != nil {
		return err
	}
	return fn(ledger)
}

type deliveriesListCmd struct {
	deliverySettings
	Most int  `setting:"-" default:"100" help:"How many."`
	JSON bool `setting:"-" name:"json" help:"Print JSON, one delivery a line."`
}

// Run lists what was given up.
func (c *deliveriesListCmd) Run(r *run) error {
	return c.open(r, func(l *deliver.Ledger) error {
		all, err := l.GivenUp(r.ctx, c.Most)
		if err != nil {
			return err
		}
		if c.JSON {
			out := json.NewEncoder(r.Stdout)
			for _, d := range all {
				if err := out.Encode(map[string]any{"id": d.ID(), "story": d.Ref.String(), "revision": d.Revision, "what": d.What, "recipient": d.Recipient, "channel": d.Channel, "attempts": d.Attempts, "doubtful": d.Doubtful, "at": d.Due, "reason": d.Reason}); err != nil {
					return err
				}
			}
			return nil
		}
		w := tabwriter.NewWriter(r.Stdout, 0, 8, 2, ' ', 0)
		for _, d := range all {
			if _, err := fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", d.ID(), d.Due, d.Channel, d.Ref, d.Reason); err != nil {
				return err
			}
		}
		return w.Flush()
	})
}

type deliveriesReplayCmd struct {
	deliverySettings
	All bool     `setting:"-" help:"All that were given up."`
	IDs []string `arg:"" optional:"" name:"id" help:"Their ids, as list prints them."`
}

// Run lets deliveries be sent again.
func (c *deliveriesReplayCmd) Run(r *run) error {
	if c.All == (len(c.IDs) > 0) {
		return errs.New(errs.Usage, "say --all, or which ones")
	}
	return c.open(r, func(l *deliver.Ledger) error {
		n, err := l.ReplayAll(r.ctx, c.IDs...)
		if err == nil && n < len(c.IDs) {
			err = errs.New(errs.NotFound, "%d of %d are not among what was given up", len(c.IDs)-n, len(c.IDs))
		}
		_, printed := fmt.Fprintf(r.Stdout, "%d will be sent again\n", n)
		return errors.Join(err, printed)
	})
}

type deliveriesSuppressedCmd struct {
	deliverySettings
	Channel string `arg:"" optional:"" default:"mail" help:"The channel: mail, webhook, chat or push."`
}

// Run lists the addresses of a channel that get nothing.
func (c *deliveriesSuppressedCmd) Run(r *run) error {
	return c.open(r, func(l *deliver.Ledger) error {
		w := tabwriter.NewWriter(r.Stdout, 0, 8, 2, ' ', 0)
		for s, err := range l.Suppressions(r.ctx, c.Channel) {
			if err == nil {
				_, err = fmt.Fprintf(w, "%s\t%s\t%s\n", s.At, s.Target, s.Reason)
			}
			if err != nil {
				return err
			}
		}
		return w.Flush()
	})
}

// mailCmd is everything about what comes back of letters.
type mailCmd struct {
	Bounce mailBounceCmd `cmd:"" help:"Take in a mail that came back: a bounce or a complaint, on standard input."`
}

// Help is the text under the command's usage line.
func (mailCmd) Help() string { return deliveriesCmd{}.Help() }

type mailBounceCmd struct {
	deliverySettings
	secretSettings
}

// Run takes in a mail and prints what was made of it, as JSON.
func (c *mailBounceCmd) Run(r *run) error {
	raw, err := io.ReadAll(io.LimitReader(os.Stdin, bounceMost))
	if err != nil {
		return err
	}
	return c.open(r, func(l *deliver.Ledger) error {
		key, err := c.keyIn(c.Data, bounceKey)
		if err != nil {
			return err
		}
		out, err := (&bounce.Intake{Ledger: l, Key: key}).Mail(r.ctx, raw)
		if err != nil {
			return err
		}
		return json.NewEncoder(r.Stdout).Encode(out)
	})
}

const (
	bounceKey  = "bounces"      // the part whose key stamps letters
	bounceMost = 5 << 20        // bytes of a mail that are read
	bounceDoor = "bounces door" // the part whose key lets mails in
)

type deliveriesSuppressCmd struct {
	deliverySettings
	Channel string `arg:"" help:"The channel: mail, webhook or chat."`
	Address string `arg:"" help:"The address."`
	Reason  string `setting:"-" default:"by an operator" help:"Why."`
}

// Run suppresses an address.
func (c *deliveriesSuppressCmd) Run(r *run) error {
	return c.open(r, func(l *deliver.Ledger) error { return l.Suppress(r.ctx, c.Channel, c.Address, c.Reason) })
}

type deliveriesUnsuppressCmd struct {
	deliverySettings
	Channel string `arg:"" help:"The channel: mail, webhook or chat."`
	Address string `arg:"" help:"The address."`
}

// Run lets an address be written to again.
func (c *deliveriesUnsuppressCmd) Run(r *run) error {
	return c.open(r, func(l *deliver.Ledger) error { return l.Unsuppress(r.ctx, c.Channel, c.Address) })
}
