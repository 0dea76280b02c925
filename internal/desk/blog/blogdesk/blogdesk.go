// Package blogdesk declares the blog as a desk of the newsroom: its settings, pages,
// JSON, job, inbox and documents, put together.
//
// Start with [Desk].
package blogdesk

import (
	"context"
	"errors"
	"strings"
	"time"

	"pressroom/internal/api"
	"pressroom/internal/auth"
	"pressroom/internal/desk"
	"pressroom/internal/desk/blog"
	"pressroom/internal/desk/blog/blogapi"
	"pressroom/internal/desk/blog/blogweb"
	"pressroom/internal/desk/blog/transfer"
	"pressroom/internal/errs"
	"pressroom/internal/mail"
	"pressroom/internal/ops"
	"pressroom/internal/review"
	"pressroom/internal/search"
	"pressroom/internal/web"
)

// Desk is the blog.
var Desk = desk.Desk{
	Schema:   blog.Schema,
	Settings: func() any { return new(Settings) },
	Open:     open,
	Commands: commands,
}

// Settings say who writes the blog, and where readers' messages go.
type Settings struct {
	BlogProfileName   string   `name:"blog-profile-name" hidden:"" help:"Who writes the blog, for its About page."`
	BlogProfileRole   string   `name:"blog-profile-role" hidden:"" help:"What they do, in a few words."`
	BlogProfileBio    string   `name:"blog-profile-bio" hidden:"" help:"About them, in Markdown."`
	BlogProfileAvatar string   `name:"blog-profile-avatar" hidden:"" placeholder:"URL" help:"Their picture: a web address, or media: and the id of an image in the library."`
	BlogProfileLinks  []string `name:"blog-profile-links" hidden:"" placeholder:"NAME=URL" help:"Where else they are, such as Code=https://code.example."`
	BlogMediaURL      string   `name:"blog-media-url" hidden:"" placeholder:"URL" help:"Where other programs fetch the images of posts; by default the newsroom's own address and /blog/media/. If it changes, posts follow."`
	BlogTimeZone      string   `name:"blog-time-zone" hidden:"" default:"UTC" help:"The time zone in which months of the archive begin, such as Asia/Tokyo; also that of all pages, until one is set at /office/paper."`

	BlogApproval bool `name:"blog-approval" hidden:"" help:"Authors ask for a review, and moderators publish posts."`

	ContactTo   string `name:"contact-to" hidden:"" placeholder:"ADDRESS" help:"Where readers' messages are mailed; without a mail server they stay in the operators' inbox."`
	ContactFrom string `name:"contact-from" hidden:"" placeholder:"ADDRESS" help:"The sender of these mails."`
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

// contact returns where readers' messages go: by the mail server, if it is said between
// whom.
func (s *Settings) contact(server *mail.Server) (blog.Contact, error) {
	c := blog.Contact{From: s.ContactFrom, To: s.ContactTo}
	if server != nil && (s.ContactTo == "") != (s.ContactFrom == "") {
		return c, errs.New(errs.Usage, "--contact-to and --contact-from together say between whom mail is sent")
	}
	if s.ContactTo != "" {
		c.Server = server
	}
	return c, nil
}

// who is the name of whoever asks, for the history of posts.
func who(ctx context.Context) string {
	if account := auth.From(ctx); account != nil {
		return account.Name
	}
	return ""
}

// build opens the desk on its tables.
func build(room *desk.Room) (*blog.Desk, error) {
	set := room.Settings.(*Settings)
	o := &blog.Options{Schema: room.Schema, Presign: room.Presign, Secret: room.Key, Stories: room.Stories, Erased: room.Erased, Log: room.Log, Who: who}
	var err error
	if o.Profile, err = set.profile(); err != nil {
		return nil, err
	}
	if o.Contact, err = set.contact(room.Mail); err != nil {
		return nil, err
	}
	if o.Zone, err = desk.Zone("--blog-time-zone", set.BlogTimeZone); err != nil {
		return nil, err
	}
	if o.PublicMedia = set.BlogMediaURL; o.PublicMedia == "" && room.Address != "" {
		o.PublicMedia = room.Address + "/blog/media/"
	}
	return blog.New(room.Tables, room.Objects, o)
}

// open builds the blog with its pages, its JSON and its jobs.
func open(_ context.Context, room *desk.Room) (*desk.Parts, error) {
	d, err := build(room)
	if err != nil {
		return nil, err
	}
	client, err := newClient()
	if err != nil {
		return nil, err
	}
	set := room.Settings.(*Settings)
	parts := &desk.Parts{
		Pages: func(site *web.Site, own *search.Service) error {
			return blogweb.Register(site, d, &blogweb.Options{Search: blogweb.Indexed(own), Approval: set.BlogApproval})
		},
		JSON:  func(a *api.API) { blogapi.Register(a, d, &blogapi.Options{Approval: set.BlogApproval}) },
		Shelf: d.Shelf(), Traces: d.Traces(),
		Jobs:   []ops.Job{sweepJob(d), importJob(&transfer.Importer{Desk: d, Client: client})},
		Watch:  inbox(d),
		Check:  d.Check,
		Review: []review.Queue{proposed(d)}, Background: d.FollowPlans,
	}
	return parts, nil
}

// sweepAge is how old a save is that nobody is working on any more.
const sweepAge = 15 * time.Minute

// sweepJob finishes saves that a crash cut short.
func sweepJob(d *blog.Desk) ops.Job {
	return ops.Job{
		Name: "blog-sweep", Doc: "Finishes saves and deletions of posts that a crash cut short, and sets the addresses of images right.", Every: 15 * time.Minute,
		Run: func(ctx context.Context, _ *ops.Progress) error {
			_, err := d.SweepSaves(ctx, sweepAge)
			return errors.Join(err, d.Readdress(ctx))
		},
	}
}

// importJob previews and imports what operators upload.
func importJob(im *transfer.Importer) ops.Job {
	return ops.Job{
		Name: "blog-import", Doc: "Previews and imports posts of other systems that were uploaded.", Every: 5 * time.Second,
		Run: func(ctx context.Context, p *ops.Progress) error { return im.Work(ctx, p.Add) },
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
