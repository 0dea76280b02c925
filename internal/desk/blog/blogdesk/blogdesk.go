// Package blogdesk declares the blog as a desk of the newsroom: its settings, pages,
// JSON, job, inbox and documents, put together.
//
// Start with [Desk].
package blogdesk

import (
	"context"
	"strings"
	"time"

	"pressroom/internal/api"
	"pressroom/internal/desk"
	"pressroom/internal/desk/blog"
	"pressroom/internal/desk/blog/blogapi"
	"pressroom/internal/desk/blog/blogweb"
	"pressroom/internal/desk/blog/mail"
	"pressroom/internal/errs"
	"pressroom/internal/ops"
	"pressroom/internal/search"
	"pressroom/internal/web"
)

// Desk is the blog.
var Desk = desk.Desk{
	Schema:   blog.Schema,
	Settings: func() any { return new(Settings) },
	Open:     open,
}

// Settings say who writes the blog, and where readers' messages go.
type Settings struct {
	BlogProfileName   string   `name:"blog-profile-name" hidden:"" help:"Who writes the blog, for its About page."`
	BlogProfileRole   string   `name:"blog-profile-role" hidden:"" help:"What they do, in a few words."`
	BlogProfileBio    string   `name:"blog-profile-bio" hidden:"" help:"About them, in Markdown."`
	BlogProfileAvatar string   `name:"blog-profile-avatar" hidden:"" placeholder:"URL" help:"Their picture: a web address, or media: and the id of an image in the library."`
	BlogProfileLinks  []string `name:"blog-profile-links" hidden:"" placeholder:"NAME=URL" help:"Where else they are, such as Code=https://code.example."`
	BlogTimeZone      string   `name:"blog-time-zone" hidden:"" default:"UTC" help:"The time zone in which months of the archive begin, such as Asia/Tokyo."`

	ContactTo    string      `name:"contact-to" hidden:"" placeholder:"ADDRESS" help:"Where readers' messages are mailed; without a mail server they stay in the operators' inbox."`
	ContactFrom  string      `name:"contact-from" hidden:"" placeholder:"ADDRESS" help:"The sender of these mails."`
	SMTPAddr     string      `name:"smtp-addr" hidden:"" placeholder:"HOST:PORT" help:"The mail server."`
	SMTPUsername string      `name:"smtp-username" hidden:"" help:"Our name at the mail server, if it wants one."`
	SMTPPassword desk.Secret `name:"smtp-password" hidden:"" help:"Our password there."`
	SMTPSecurity string      `name:"smtp-security" hidden:"" enum:"auto,starttls,tls,plain" default:"auto" help:"How the connection is encrypted: auto, starttls, tls or plain."`
}

// profile returns who writes the blog.
func (s *Settings) profile() (blog.Profile, error) {
	p := blog.Profile{Name: s.BlogProfileName, Role: s.BlogProfileRole, Bio: s.BlogProfileBio, Avatar: s.BlogProfileAvatar}
	for _, link := range s.BlogProfileLinks {
		label, url, found := strings.Cut(link, "=")
		if !found {
			return p, errs.New(errs.Usage, "--blog-profile-links: %q is not a name and an address, as Code=https://code.example", link)
		}
		p.Links = append(p.Links, blog.Link{Label: label, URL: url})
	}
	return p, nil
}

// contact returns where readers' messages go.
func (s *Settings) contact() (blog.Contact, error) {
	c := blog.Contact{From: s.ContactFrom, To: s.ContactTo}
	if s.SMTPAddr == "" {
		return c, nil
	}
	if s.ContactTo == "" || s.ContactFrom == "" {
		return c, errs.New(errs.Usage, "with --smtp-addr, --contact-to and --contact-from say between whom mail is sent")
	}
	security := mail.Security(s.SMTPSecurity)
	if s.SMTPSecurity == "auto" {
		security = mail.Auto
	}
	c.Server = &mail.Server{Addr: s.SMTPAddr, Username: s.SMTPUsername, Password: s.SMTPPassword.Reveal(), Security: security}
	return c, nil
}

// open builds the blog.
func open(_ context.Context, room *desk.Room) (*desk.Parts, error) {
	set := room.Settings.(*Settings)
	o := &blog.Options{Schema: room.Schema, Presign: room.Presign, Secret: room.Key, Stories: room.Stories, Log: room.Log}
	var err error
	if o.Profile, err = set.profile(); err != nil {
		return nil, err
	}
	if o.Contact, err = set.contact(); err != nil {
		return nil, err
	}
	if o.Zone, err = desk.Zone("--blog-time-zone", set.BlogTimeZone); err != nil {
		return nil, err
	}
	d, err := blog.New(room.Tables, room.Objects, o)
	if err != nil {
		return nil, err
	}
	return &desk.Parts{
		Pages: func(site *web.Site, own *search.Service) error {
			return blogweb.Register(site, d, &blogweb.Options{Search: blogweb.Indexed(own)})
		},
		JSON:  func(a *api.API) { blogapi.Register(a, d) },
		Shelf: d.Shelf(),
		Jobs:  []ops.Job{sweepJob(d)},
		Watch: inbox(d),
		Check: d.Check,
	}, nil
}

// sweepAge is how old a save is that nobody is working on any more.
const sweepAge = 15 * time.Minute

// sweepJob finishes saves that a crash cut short.
func sweepJob(d *blog.Desk) ops.Job {
	return ops.Job{
		Name: "blog-sweep", Doc: "Finishes saves and deletions of posts that a crash cut short.", Every: 15 * time.Minute,
		Run: func(ctx context.Context, _ *ops.Progress) error {
			_, err := d.SweepSaves(ctx, sweepAge)
			return err
		},
	}
}

// inbox tells of readers' messages, and of those that no mail server took.
func inbox(d *blog.Desk) ops.Source {
	return ops.SourceFunc(func(ctx context.Context) (ops.Readings, error) {
		page, err := d.Inbox(ctx, blog.PageOptions{Limit: desk.LookedAt})
		q := ops.Queue{Name: "blog inbox", Most: desk.LookedAt, Patience: 7 * 24 * time.Hour, Path: "/office/blog/inbox", Items: map[string]int{}}
		why := desk.Failures{Queue: q.Name, Path: q.Path}
		for _, m := range page.Items { // the newest first
			q.Items["waiting"]++
			q.Oldest = m.CreatedAt
			if m.Reason != "" {
				why.Add("mail", m.Reason, m.CreatedAt)
			}
		}
		return ops.Readings{Queues: []ops.Queue{q}, Failures: why.Found}, err
	})
}
