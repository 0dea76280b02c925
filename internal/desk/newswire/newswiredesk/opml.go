package newswiredesk

import (
	"fmt"
	"os"

	"pressroom/internal/desk"
	"pressroom/internal/desk/newswire"
	"pressroom/internal/errs"
)

// imports brings sites from a reader of feeds.
var imports = desk.Command{Name: "import", Help: "Bring posts, sites and terms from other systems.", Commands: []desk.Command{
	{Name: "opml", Help: "Add the sites of a list of feeds (OPML).", Run: func() desk.Runner { return new(importOPMLCmd) }},
}}

type importOPMLCmd struct {
	File    string `arg:"" help:"The file."`
	Preview bool   `setting:"-" help:"Say what would happen, and write nothing."`
	JSON    bool   `setting:"-" name:"json" help:"Print JSON."`
}

// Run imports the list, and prints what became of each site.
func (c *importOPMLCmd) Run(t *desk.Terminal) error {
	f, err := os.Open(c.File)
	if err != nil {
		return errs.Wrap(err, errs.Usage, "cannot read the file: %v", err)
	}
	defer func() { _ = f.Close() }() // it was only read
	return with(t, func(d *newswire.Desk) error {
		report, err := d.ImportOPML(t.Context, f, c.Preview)
		if err != nil {
			return err
		}
		if c.JSON {
			return t.JSON(report)
		}
		if c.Preview {
			fmt.Fprintln(t.Out, "Preview: nothing was written.")
		}
		fmt.Fprintf(t.Out, "sites: %d made, %d changed, %d the same, %d left out\n", report.Made, report.Changed, report.Same, report.LeftOut)
		for _, e := range report.Entries {
			fmt.Fprintf(t.Out, "%-8s %s %s %s\n", e.What, e.SiteID, e.Name, e.Why)
		}
		if report.Made > 0 && !c.Preview {
			fmt.Fprintln(t.Out, "New sites are crawled by hand until they have a window: see \"pressroom site edit\".")
		}
		return nil
	})
}
