package cli

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"

	"pressroom/internal/desk/lexicon"
	"pressroom/internal/errs"
	"pressroom/model"
	"pressroom/model/deploy"
)

// lexiconCmd is what operators do with the terms of the lexicon.
type lexiconCmd struct {
	Init   lexiconInitCmd   `cmd:"" help:"Load the starter lexicon and its quizzes, if there is no term yet."`
	Import lexiconImportCmd `cmd:"" help:"Write the terms of a file, all or none."`
	Export lexiconExportCmd `cmd:"" help:"Write the terms to a file or to standard output."`
}

// Help is the text under the command's usage line.
func (lexiconCmd) Help() string {
	return `A file is JSON: {"version", "generated_at", "count", "items": [{"term", "gloss", "examples",
"tags", "categories", "confidence", "momentum", …}]}; export shows every field.

The embedded store belongs to one process. While the newsroom is running, work through its
endpoint: with AWS_ENDPOINT_URL set to it, say --store=aws.`
}

// lexiconSettings say where the lexicon is.
type lexiconSettings struct {
	targetSettings
	nameSettings
	commonSettings
}

// open opens the desk and hands it to fn. The embedded store gets its tables if it
// has none yet; elsewhere that is for "schema apply" to do.
func (s lexiconSettings) open(r *run, fn func(*lexicon.Desk) error) (err error) {
	log := r.logger(s.commonSettings)
	st, err := s.targetSettings.open(r.ctx, endpointSettings{}, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	schema := lexicon.Schema.Named(s.nameOf)
	if !st.remote() {
		if err := s.makeTables(r, st, schema); err != nil {
			return err
		}
	}
	desk, err := lexicon.New(st.db, nil, &lexicon.Options{Schema: &schema, Log: log})
	if err != nil {
		return err
	}
	return explainLexicon(fn(desk), log)
}

// makeTables makes the desk's tables as all who use them declare them.
func (s lexiconSettings) makeTables(r *run, st *store, own model.Schema) error {
	schemas, err := deskSettings{nameSettings: s.nameSettings}.schemas()
	if err != nil {
		return err
	}
	var tables []model.Table
	for _, schema := range schemas {
		for _, t := range schema.Tables {
			if _, ours := own.Table(t.Name); ours {
				tables = append(tables, t)
			}
		}
	}
	if err := deploy.Apply(r.ctx, st.deploys(), nil, model.Schema{Name: own.Name, Tables: tables}); err != nil {
		return errs.Wrap(err, errs.Unavailable, "cannot prepare the lexicon's tables: %v", err)
	}
	return nil
}

// explainLexicon says what to do about a store that does not answer.
func explainLexicon(err error, log *slog.Logger) error {
	if errors.Is(err, errs.Unavailable) {
		log.Debug("store", "error", err)
		return errs.Wrap(err, errs.Unavailable, "cannot reach the lexicon: %v; has \"pressroom schema apply\" been run there?", err)
	}
	return err
}

type lexiconInitCmd struct {
	lexiconSettings
	JSON bool `setting:"-" name:"json" help:"Print JSON."`
}

// Run loads what comes with the program.
func (c *lexiconInitCmd) Run(r *run) error {
	return c.open(r, func(d *lexicon.Desk) error {
		report, done, err := d.Init(r.ctx, lexicon.ImportOptions{Progress: importProgress(r.Stderr)})
		if err != nil {
			return err
		}
		if c.JSON {
			return indented(r.Stdout, report)
		}
		if !done {
			fmt.Fprintln(r.Stdout, "the lexicon has terms already; nothing was done")
			return nil
		}
		return printImport(r.Stdout, report)
	})
}

type lexiconImportCmd struct {
	lexiconSettings
	File    string `arg:"" help:"The file to read."`
	Partial bool   `setting:"-" help:"Write the good items of a file that has bad ones."`
	JSON    bool   `setting:"-" name:"json" help:"Print JSON."`
}

// Run imports the file. What is wrong with it is printed line by line, as
// compilers do.
func (c *lexiconImportCmd) Run(r *run) error {
	f, err := os.Open(c.File)
	if err != nil {
		return errs.Wrap(err, errs.Usage, "cannot read the file: %v", err)
	}
	defer f.Close()
	return c.open(r, func(d *lexicon.Desk) error {
		report, err := d.Import(r.ctx, f, lexicon.ImportOptions{Partial: c.Partial, Progress: importProgress(r.Stderr)})
		for _, e := range report.Errors {
			fmt.Fprintf(r.Stderr, "%s:%d: %s %s\n", c.File, e.Line, e.Field, e.Message)
		}
		if c.JSON && report.Items+len(report.Errors) > 0 {
			err = errors.Join(err, indented(r.Stdout, report))
		}
		if err != nil || c.JSON {
			return err
		}
		return printImport(r.Stdout, report)
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
	_, err := fmt.Fprintf(w, "%d terms written, %d were there already, %d quiz pools, %d errors\n", report.Written, report.Same, report.Pools, len(report.Errors))
	return err
}

type lexiconExportCmd struct {
	lexiconSettings
	Source string `setting:"-" enum:"all,lexicon,submission" default:"all" help:"Only terms that were imported (lexicon), or that the community proposed (submission)."`
	Output string `setting:"-" short:"o" placeholder:"FILE" help:"Write to this file instead of standard output; it is replaced when all is written."`
}

// Run exports the terms.
func (c *lexiconExportCmd) Run(r *run) error {
	source := c.Source
	if source == "all" {
		source = ""
	}
	return c.open(r, func(d *lexicon.Desk) error {
		if c.Output == "" {
			_, err := d.Export(r.ctx, r.Stdout, source)
			return err
		}
		return c.toFile(r, d, source)
	})
}

// toFile writes beside the file and then replaces it, so that there is never half
// an export.
func (c *lexiconExportCmd) toFile(r *run, d *lexicon.Desk, source string) (err error) {
	f, err := os.CreateTemp(filepath.Dir(c.Output), ".export-*")
	if err != nil {
		return errs.Wrap(err, errs.Usage, "cannot write the file: %v", err)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name()) // the error that counts is the first
		}
	}()
	n, err := d.Export(r.ctx, f, source)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), c.Output); err != nil {
		return errs.Wrap(err, errs.Unavailable, "cannot write the file: %v", err)
	}
	fmt.Fprintf(r.Stderr, "%d terms written to %s\n", n, c.Output)
	return nil
}
