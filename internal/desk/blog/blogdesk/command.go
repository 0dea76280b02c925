package blogdesk

import (
	"fmt"

	"pressroom/internal/desk"
	"pressroom/internal/desk/blog"
	"pressroom/internal/desk/blog/transfer"
	"pressroom/internal/errs"
	"pressroom/internal/outbound"
)

// commands bring posts from other systems, and to them.
var commands = []desk.Command{
	{Name: "import", Help: "Bring posts, sites and terms from other systems.", Detail: importHelp, Commands: []desk.Command{
		{Name: "ghost", Help: "Import an export of Ghost: JSON, or a zip archive or folder with JSON and content/images.", Run: func() desk.Runner { return &importCmd{format: "ghost"} }},
		{Name: "wordpress", Help: "Import an export of WordPress: WXR, or a zip archive or folder with it and wp-content/uploads.", Run: func() desk.Runner { return &importCmd{format: "wordpress"} }},
		{Name: "markdown", Help: "Import a folder or zip archive of Markdown with front matter: Hugo, Jekyll.", Run: func() desk.Runner { return &importCmd{format: "markdown"} }},
	}},
	{Name: "export", Help: "Write posts for other systems.", Commands: []desk.Command{
		{Name: "posts", Help: "Write all posts as Markdown or as Ghost's JSON.", Run: func() desk.Runner { return new(exportCmd) }},
	}},
}

const importHelp = `Begin with --preview: it says what would be made, changed and left out, and what would be
lost, and writes nothing. The same file again changes nothing; what was cut off goes on where it
was. What somebody changed here since the last import is kept. See docs/import.md.

The embedded store belongs to one process. While the newsroom is running, import on its page
/office/import, or work through its endpoint: with AWS_ENDPOINT_URL set to it, say --store=aws.`

// importCmd imports posts.
type importCmd struct {
	File      string `arg:"" help:"The file, folder or archive."`
	Preview   bool   `setting:"-" help:"Say what would happen, and write nothing."`
	Overwrite bool   `setting:"-" help:"Take the file's word also where somebody changed a post here since the last import."`
	Base      string `setting:"-" placeholder:"URL" help:"The address at which the site was, if the file does not say so."`
	Fetch     bool   `setting:"-" default:"true" negatable:"" help:"Fetch pictures that are not in the file from their addresses."`
	JSON      bool   `setting:"-" name:"json" help:"Print JSON."`

	format string
}

// Run imports, and prints the report.
func (c *importCmd) Run(t *desk.Terminal) error {
	return with(t, func(d *blog.Desk) error {
		im := &transfer.Importer{Desk: d}
		if c.Fetch {
			var err error
			if im.Client, err = newClient(); err != nil {
				return err
			}
		}
		show := t.Progress()
		report, err := im.Run(t.Context, transfer.Options{
			Format: c.format, File: c.File, Base: c.Base, Preview: c.Preview, Overwrite: c.Overwrite,
			Progress: func(done int) {
				if done%50 == 0 {
					show(fmt.Sprintf("%d read", done))
				}
			},
		})
		show("")
		if c.JSON {
			if wrong := t.JSON(report); err == nil {
				err = wrong
			}
		} else if wrong := report.Print(t.Out); err == nil {
			err = wrong
		}
		if err == nil && report.Counts.Failed > 0 {
			err = errs.New(errs.Invalid, "%d posts could not be imported.", report.Counts.Failed)
		}
		return err
	})
}

// newClient fetches pictures.
func newClient() (*outbound.Client, error) {
	return outbound.New(&outbound.Options{MaxBody: blog.MaxUpload + 1})
}

// exportCmd exports posts.
type exportCmd struct {
	To   string `arg:"" name:"to" help:"A new folder for Markdown; a new file for Ghost, whose name ends in .zip to take pictures along, or in .json."`
	As   string `setting:"-" required:"" enum:"markdown,ghost" help:"markdown or ghost."`
	JSON bool   `setting:"-" name:"json" help:"Print JSON."`
}

// Run exports.
func (c *exportCmd) Run(t *desk.Terminal) error {
	return with(t, func(d *blog.Desk) error {
		done, err := transfer.Export(t.Context, d, c.As, c.To)
		if err != nil {
			return err
		}
		if c.JSON {
			return t.JSON(done)
		}
		fmt.Fprintf(t.Out, "%d posts and %d pictures written.\n", done.Posts, done.Media)
		for _, l := range done.Losses {
			fmt.Fprintf(t.Out, "lost: %s\n", l)
		}
		return nil
	})
}

// with opens the blog and hands it to fn.
func with(t *desk.Terminal, fn func(*blog.Desk) error) error {
	room, err := t.Open()
	if err != nil {
		return err
	}
	d, err := build(room)
	if err != nil {
		return err
	}
	return fn(d)
}
