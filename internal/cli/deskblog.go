package cli

import (
	"context"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"pressroom/internal/cli/catalogue"
	"pressroom/internal/desk/blog"
	"pressroom/internal/desk/blog/blogapi"
	"pressroom/internal/desk/blog/blogweb"
	"pressroom/internal/desk/blog/mail"
	"pressroom/internal/errs"
	"pressroom/internal/ops"
)

// blogSettings say who writes the blog, and where readers' messages go.
type blogSettings struct {
	BlogProfileName   string   `name:"blog-profile-name" hidden:"" help:"Who writes the blog, for its About page."`
	BlogProfileRole   string   `name:"blog-profile-role" hidden:"" help:"What they do, in a few words."`
	BlogProfileBio    string   `name:"blog-profile-bio" hidden:"" help:"About them, in Markdown."`
	BlogProfileAvatar string   `name:"blog-profile-avatar" hidden:"" placeholder:"URL" help:"Their picture: a web address, or media: and the id of an image in the library."`
	BlogProfileLinks  []string `name:"blog-profile-links" hidden:"" placeholder:"NAME=URL" help:"Where else they are, such as Code=https://code.example."`
	BlogTimeZone      string   `name:"blog-time-zone" hidden:"" default:"UTC" help:"The time zone in which months of the archive begin, such as Asia/Tokyo."`

	ContactTo    string `name:"contact-to" hidden:"" placeholder:"ADDRESS" help:"Where readers' messages are mailed; without a mail server they stay in the operators' inbox."`
	ContactFrom  string `name:"contact-from" hidden:"" placeholder:"ADDRESS" help:"The sender of these mails."`
	SMTPAddr     string `name:"smtp-addr" hidden:"" placeholder:"HOST:PORT" help:"The mail server."`
	SMTPUsername string `name:"smtp-username" hidden:"" help:"Our name at the mail server, if it wants one."`
	SMTPPassword Secret `name:"smtp-password" hidden:"" help:"Our password there."`
	SMTPSecurity string `name:"smtp-security" hidden:"" enum:"auto,starttls,tls,plain" default:"auto" help:"How the connection is encrypted: auto, starttls, tls or plain."`
}

// profile returns who writes the blog.
func (s *blogSettings) profile() (blog.Profile, error) {
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
func (s *blogSettings) contact() (blog.Contact, error) {
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

// zone returns where months begin.
func (s *blogSettings) zone() (*time.Location, error) {
	zone, err := time.LoadLocation(s.BlogTimeZone)
	if err != nil {
		return nil, errs.Wrap(err, errs.Usage, "--blog-time-zone: there is no time zone %q", s.BlogTimeZone)
	}
	return zone, nil
}

// mountBlog builds the blog with its pages, its JSON and its job.
func mountBlog(_ context.Context, w *wiring) error {
	o := &blog.Options{
		Schema: w.schema(blog.Schema), Presign: w.presigner(), Log: w.log,
	}
	var err error
	if o.Profile, err = w.set.profile(); err != nil {
		return err
	}
	if o.Contact, err = w.set.contact(); err != nil {
		return err
	}
	if o.Zone, err = w.set.zone(); err != nil {
		return err
	}
	if o.Secret, err = w.secret("blog"); err != nil {
		return err
	}
	desk, err := blog.New(w.tables, w.objects, o)
	if err != nil {
		return err
	}
	found := w.finding.add(catalogue.Blog(desk, w.set.BlogTable))
	if err := blogweb.Register(w.pages, desk, &blogweb.Options{Search: blogweb.Indexed(found, desk)}); err != nil {
		return err
	}
	blogapi.Register(w.api, desk)
	w.ops.watch("blog", blogSource(desk), nil)
	return w.ops.scheduler.Add(sweepJob(desk))
}

// sweepAge is how old a save is that nobody is working on any more.
const sweepAge = 15 * time.Minute

// sweepJob finishes saves that a crash cut short.
func sweepJob(desk *blog.Desk) ops.Job {
	return ops.Job{
		Name: "blog-sweep", Doc: "Finishes saves and deletions of posts that a crash cut short.", Every: 15 * time.Minute,
		Run: func(ctx context.Context, _ *ops.Progress) error {
			_, err := desk.SweepSaves(ctx, sweepAge)
			return err
		},
	}
}

// presigner makes addresses for uploads on the endpoint that others reach, as far
// as it is known before it listens; otherwise nil.
func (w *wiring) presigner() *s3.Client {
	if w.store.remote() {
		return nil // the client's own endpoint is one that others reach
	}
	host, port, err := net.SplitHostPort(string(w.set.AWSAddr))
	if err != nil || port == "0" {
		return nil
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	endpoint := fmt.Sprintf("http://%s", net.JoinHostPort(host, port))
	id, key := w.set.AWSAccessKeyID, w.set.AWSSecretAccessKey.Reveal()
	if id == "" {
		id, key = "pressroom", "pressroom" // any will do
	}
	return s3.New(s3.Options{
		BaseEndpoint: &endpoint, Region: "us-east-1", UsePathStyle: true,
		Credentials: credentials.NewStaticCredentialsProvider(id, key, ""),
	})
}
