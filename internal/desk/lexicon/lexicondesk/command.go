package lexicondesk

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"pressroom/internal/desk"
	"pressroom/internal/desk/lexicon"
	"pressroom/internal/errs"
)

// commands are what operators do with the terms.
var commands = []desk.Command{{
	Name: "lexicon", Help: "Load, import and export the terms of the lexicon.",
	Detail: `A file is JSON: {"version", "generated_at", "count", "items": [{"term", "gloss", "examples",
"tags", "categories", "confidence", "momentum", …}]}. Fields that nobody here knows are kept, and
export gives back what was imported, with what has changed since. Items that look the same are
merged.

The embedded store belongs to one process. While the newsroom is running, work through its
endpoint: with AWS_ENDPOINT_URL set to it, say --store=aws.`,
	Commands: []desk.Command{
		{Name: "init", Help: "Load the starter lexicon and its quizzes, if there is no term yet.", Run: func() desk.Runner { return new(initCmd) }},
		{Name: "import", Help: "Write the terms of a file, all or none.", Run: func() desk.Runner { return new(importCmd) }},
		{Name: "export", Help: "Write the terms to a file or to standard output.", Run: func() desk.Runner { return new(exportCmd) }},
	},
}, {Name: "import", Help: "Bring posts, sites and terms from other systems.", Commands: []desk.Command{
	{Name: "csv", Help: "Import terms from a table (CSV).", Detail: csvHelp, Run: func() desk.Runner { return &importCmd{csv: true} }},
}}}

const csvHelp = `The first row names the columns: term and gloss must be there; variants, examples, tags,
categories, regions and sources hold several values, separated by semicolons; gloss:ja is the
gloss in Japanese; language, first_attested, confidence and momentum are as in the JSON of
"pressroom lexicon import".`

// with opens the lexicon and hands it to fn.
func with(t *desk.Terminal, fn func(*lexicon.Desk) error) error {
	room, err := t.Open()
	if err != nil {
		return err
	}
	d, err := build(t.Context, room)
	if err != nil {
		return err
	}
	return fn(d)
}

type initCmd struct {
	JSON bool `setting:"-" name:"json" help:"Print JSON."`
}

// Run loads what comes with the program.
func (c *initCmd) Run(t *desk.Terminal) error {
	return with(t, func(d *lexicon.Desk) error {
		report, done, err := d.Init(t.Context, lexicon.ImportOptions{Progress: importProgress(t.Err)})
		if err != nil {
			return err
		}
		if c.JSON {
			return t.JSON(report)
		}
		if !done {
			fmt.Fprintln(t.Out, "the lexicon has terms already; nothing was done")
			return nil
		}
		return printImport(t.Out, report)
	})
}

type importCmd struct {
	File    string `arg:"" help:"The file to read."`
	Partial bool   `setting:"-" help:"Write the good items of a file that has bad ones."`
	Preview bool   `setting:"-" help:"Say what would happen, and write nothing."`
	JSON    bool   `setting:"-" name:"json" help:"Print JSON."`

	csv bool
}

// Run imports the file. What is wrong with it is printed line by line, as
// compilers do.
func (c *importCmd) Run(t *desk.Terminal) error {
	f, err := os.Open(c.File)
	if err != nil {
		return errs.Wrap(err, errs.Usage, "cannot read the file: %v", err)
	}
	defer f.Close()
	return with(t, func(d *lexicon.Desk) error {
		report, err := d.Import(t.Context, f, lexicon.ImportOptions{Partial: c.Partial, CSV: c.csv, Preview: c.Preview, Progress: importProgress(t.Err)})
		for _, e := range report.Errors {
			fmt.Fprintf(t.Err, "%s:%d: %s %s\n", c.File, e.Line, e.Field, e.Message)
		}
		for _, e := range report.Merged {
			fmt.Fprintf(t.Err, "%s:%d: %s %s\n", c.File, e.Line, e.Field, e.Message)
		}
		if c.JSON && report.Items+len(report.Errors) > 0 {
			err = errors.Join(err, t.JSON(report))
		}
		if err != nil || c.JSON {
			return err
		}
		if c.Preview {
			fmt.Fprintln(t.Out, "Preview: nothing was written.")
		}
		return printImport(t.Out, report)
	})
}

// importProgress shows how far an import is, now and then.
func importProgress(w io.Writer) func(done, total int) {
	return func(done, total int) {
		if done%1000 == 0 {
			fmt.Fprintf(w, "%d of %d terms\n", done, total)
		}
	}
}

func printImport(w io.Writer, report lexicon.ImportReport) error {
	_, err := fmt.Fprintf(w, "%d terms written, %d were there already, %d items merged into others, %d quiz pools, %d errors\n", report.Written, report.Same, len(report.Merged), report.Pools, len(report.Errors))
	return err
}

type exportCmd struct {
	Source string `setting:"-" enum:"all,lexicon,submission" default:"all" help:"Only terms that were imported (lexicon), or that the community proposed (submission)."`
	Output string `setting:"-" short:"o" placeholder:"FILE" help:"Write to this file instead of standard output; it is replaced when all is written."`
}

// Run exports the terms.
func (c *exportCmd) Run(t *desk.Terminal) error {
	source := c.Source
	if source == "all" {
		source = ""
	}
	return with(t, func(d *lexicon.Desk) error {
		if c.Output == "" {
			_, err := d.Export(t.Context, t.Out, source)
			return err
		}
		return c.toFile(t, d, source)
	})
}

// toFile writes beside the file and then replaces it, so that there is never half
// an export.
func (c *exportCmd) toFile(t *desk.Terminal, d *lexicon.Desk, source string) (err error) {
	f, err := os.CreateTemp(filepath.Dir(c.Output), ".export-*")
	if err != nil {
		return errs.Wrap(err, errs.Usage, "cannot write the file: %v", err)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name()) // the error that counts is the first
		}
	}()
	n, err := d.Export(t.Context, f, source)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), c.Output); err != nil {
		return errs.Wrap(err, errs.Unavailable, "cannot write the file: %v", err)
	}
	fmt.Fprintf(t.Err, "%d terms written to %s\n", n, c.Output)
	return nil
}
