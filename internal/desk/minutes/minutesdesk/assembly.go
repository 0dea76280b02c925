package minutesdesk

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"pressroom/internal/desk"
	"pressroom/internal/desk/minutes"
	"pressroom/internal/desk/minutes/assembly"
	"pressroom/internal/errs"
	"pressroom/internal/ops"
)

const assemblyHelp = `Parliaments and councils other than the Diet. Each is a declaration, a file of TOML of some
thirty lines: docs/assembly.md says how to write one. Declarations come with the program, are
in the folder --assemblies, or are added to the tables.`

const previewHelp = `Reads the records of an assembly and prints what would come: meetings, speeches, speakers,
votes, warnings, and files that cannot be read. Nothing is kept. The assembly is given by its code, or by
a file with its declaration. Of a server few files are asked for.`

const addHelp = `Keeps a declaration in the tables, new or in place of the one with its code. A server
then collects the assembly by its schedule; "pressroom assembly collect" does so at once.`

const assemblyCollectHelp = `Reads all records of an assembly, archives them and makes a task of each meeting for
"pressroom work". What is known already is left alone, what was revised is made again. Interrupted,
even killed, the same command goes on: no meeting is lost, and none is there twice.`

var assemblyCommand = desk.Command{Name: "assembly", Help: "Parliaments and councils beside the Diet.", Detail: assemblyHelp, Commands: []desk.Command{
	{Name: "list", Help: "List the assemblies that are declared.", Run: func() desk.Runner { return new(assemblyListCmd) }},
	{Name: "preview", Help: "Show what an assembly would bring.", Detail: previewHelp, Run: func() desk.Runner { return new(assemblyPreviewCmd) }},
	{Name: "add", Help: "Keep the declaration of an assembly.", Detail: addHelp, Run: func() desk.Runner { return new(assemblyAddCmd) }},
	{Name: "collect", Help: "Read the records of an assembly and make tasks of them.", Detail: assemblyCollectHelp, Models: true, Run: func() desk.Runner { return new(assemblyCollectCmd) }},
}}

// openDesk opens the desk of a command.
func openDesk(t *desk.Terminal) (*minutes.Desk, error) {
	room, err := t.Open()
	if err != nil {
		return nil, err
	}
	return build(t.Context, room, 0)
}

// assemblyListCmd lists assemblies.
type assemblyListCmd struct {
	JSON bool `setting:"-" name:"json" help:"Print JSON."`
}

// listedAssembly is an assembly in a list.
type listedAssembly struct {
	Code      string                  `json:"code"`
	Name      assembly.Words          `json:"name"`
	Place     string                  `json:"place,omitempty"`
	From      string                  `json:"from"`
	Formats   []string                `json:"formats"`
	Licence   string                  `json:"licence"`
	Collected string                  `json:"collectedAt,omitempty"`
	Report    *minutes.AssemblyReport `json:"report,omitempty"`
}

// Run lists.
func (c *assemblyListCmd) Run(t *desk.Terminal) error {
	d, err := openDesk(t)
	if err != nil {
		return err
	}
	all, err := d.Assemblies(t.Context)
	if err != nil {
		return err
	}
	list := []listedAssembly{}
	for _, one := range all {
		l := listedAssembly{Code: one.Code, Name: one.Name, Place: one.Place, From: one.From, Licence: one.Licence.Name}
		for _, s := range one.Sources {
			if !slices.Contains(l.Formats, s.Format) {
				l.Formats = append(l.Formats, s.Format)
			}
		}
		if one.Kept != nil {
			l.Collected, l.Report = one.Kept.CollectedAt, one.Kept.Report
		}
		list = append(list, l)
	}
	if c.JSON {
		return t.JSON(list)
	}
	w := tabwriter.NewWriter(t.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "code\tname\tfrom\tformat\tlicence\tcollected")
	for _, l := range list {
		collected := l.Collected
		if collected == "" {
			collected = "never"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", l.Code, l.Name.In("en"), l.From, strings.Join(l.Formats, ", "), l.Licence, collected)
	}
	return w.Flush()
}

// declared returns the assembly that an argument names: a file, or a code.
func declared(ctx context.Context, d *minutes.Desk, name string) (minutes.Declared, error) {
	if !strings.HasSuffix(name, ".toml") {
		return d.GetAssembly(ctx, name)
	}
	return declaredIn(name)
}

func declaredIn(file string) (minutes.Declared, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return minutes.Declared{}, errs.Wrap(err, errs.NotFound, "%v", err)
	}
	base, err := filepath.Abs(filepath.Dir(file))
	if err != nil {
		return minutes.Declared{}, err
	}
	return minutes.Declare(file, text, base)
}

// assemblyPreviewCmd previews an assembly.
type assemblyPreviewCmd struct {
	Assembly string `arg:"" setting:"-" help:"The code of an assembly, or a file with its declaration, which ends in .toml."`
	Meetings int    `setting:"-" default:"100" placeholder:"N" help:"The most meetings to read; 0 for all."`
	JSON     bool   `setting:"-" name:"json" help:"Print JSON."`
}

// Run previews.
func (c *assemblyPreviewCmd) Run(t *desk.Terminal) error {
	d, err := openDesk(t)
	if err != nil {
		return err
	}
	one, err := declared(t.Context, d, c.Assembly)
	if err != nil {
		return err
	}
	p, err := d.PreviewAssembly(t.Context, one, c.Meetings, minutes.PreviewFiles)
	if err != nil {
		return err
	}
	if c.JSON {
		return t.JSON(p)
	}
	printPreview(t.Out, one, p)
	return nil
}

func printPreview(w io.Writer, one minutes.Declared, p assembly.Preview) {
	fmt.Fprintf(w, "%s (%s), %s\n", one.Name.In("en"), one.Code, one.Licence.Name)
	days := ""
	if p.First != "" {
		days = fmt.Sprintf(", %s to %s", p.First, p.Last)
	}
	fmt.Fprintf(w, "  %d meetings%s\n", p.Meetings, days)
	fmt.Fprintf(w, "  %d speeches by %d speakers: %d with a name, %d with a party, %d with a role\n", p.Speeches, p.Speakers, p.Named, p.Partied, p.Roled)
	fmt.Fprintf(w, "  %d items of the agenda, %d notes\n", p.Items, p.Notes)
	fmt.Fprintf(w, "  %d votes with %d positions of members\n", p.Votes, p.Positions)
	fmt.Fprintf(w, "  %d people in the register\n", p.People)
	for _, tag := range slices.Sorted(maps.Keys(p.Languages)) {
		fmt.Fprintf(w, "  language %s: %d speeches\n", tag, p.Languages[tag])
	}
	if p.Cut {
		fmt.Fprintln(w, "  there is more; the preview ended here")
	}
	for _, text := range p.Warnings {
		fmt.Fprintf(w, "  warning: %s\n", text)
	}
	for _, text := range p.Errors {
		fmt.Fprintf(w, "  cannot be read: %s\n", text)
	}
}

// assemblyAddCmd keeps declarations.
type assemblyAddCmd struct {
	Assembly string `arg:"" setting:"-" help:"A file with a declaration, which ends in .toml, or the code of an assembly that comes with the program."`
}

// Run adds.
func (c *assemblyAddCmd) Run(t *desk.Terminal) error {
	d, err := openDesk(t)
	if err != nil {
		return err
	}
	one, err := declared(t.Context, d, c.Assembly)
	if err != nil {
		return err
	}
	if _, err := d.AddAssembly(t.Context, one); err != nil {
		return err
	}
	fmt.Fprintf(t.Out, "%s (%s) is added. To collect it now: pressroom assembly collect %s\n", one.Name.In("en"), one.Code, one.Code)
	return nil
}

// assemblyCollectCmd collects assemblies.
type assemblyCollectCmd struct {
	Codes []string `arg:"" optional:"" setting:"-" help:"The codes; default all that were added or are in the folder."`
	JSON  bool     `setting:"-" name:"json" help:"Print JSON."`
}

// Run collects and reports.
func (c *assemblyCollectCmd) Run(t *desk.Terminal) error {
	d, err := openDesk(t)
	if err != nil {
		return err
	}
	codes := c.Codes
	if len(codes) == 0 {
		all, err := d.Assemblies(t.Context)
		if err != nil {
			return err
		}
		for _, one := range all {
			if one.Kept != nil || one.From == minutes.FromFolder {
				codes = append(codes, one.Code)
			}
		}
	}
	if len(codes) == 0 {
		return errs.New(errs.Usage, "no assembly is added; name one of \"pressroom assembly list\"")
	}
	reports := map[string]minutes.AssemblyReport{}
	for _, code := range codes {
		r, err := collectOne(t, d, code)
		reports[code] = r
		if !c.JSON {
			printAssembly(t.Out, code, r)
		}
		switch {
		case err == nil:
		case t.Context.Err() != nil:
			return errs.Wrap(err, errs.Canceled, "interrupted after %d meetings; the same command goes on from there", r.Meetings)
		default:
			return fmt.Errorf("%s: %w", code, err)
		}
	}
	if c.JSON {
		return t.JSON(reports)
	}
	return nil
}

func collectOne(t *desk.Terminal, d *minutes.Desk, code string) (minutes.AssemblyReport, error) {
	show := t.Progress()
	defer show("")
	return d.CollectAssembly(t.Context, code, func(r minutes.AssemblyReport) {
		show(fmt.Sprintf("%s: %d meetings, %d new, %d changed", code, r.Meetings, r.New, r.Changed))
	})
}

func printAssembly(w io.Writer, code string, r minutes.AssemblyReport) {
	fmt.Fprintf(w, "%s: %d meetings, %d new, %d changed, %d unchanged, %d unusable, %d files fetched\n", code, r.Meetings, r.New, r.Changed, r.Unchanged, r.Unusable, r.Fetched)
	for _, problem := range r.Problems {
		fmt.Fprintf(w, "  %s\n", problem)
	}
}

// collectAssemblies is the job that collects what is due.
func collectAssemblies(ctx context.Context, d *minutes.Desk, p *ops.Progress) error {
	codes, err := d.DueAssemblies(ctx)
	if err != nil {
		return err
	}
	var failed []string
	for _, code := range codes {
		last := minutes.AssemblyReport{}
		r, err := d.CollectAssembly(ctx, code, func(r minutes.AssemblyReport) {
			p.Add(r.Meetings - last.Meetings)
			last = r
		})
		p.Count("new", r.New)
		p.Count("changed", r.Changed)
		p.Count("unusable", r.Unusable)
		p.Note("%s: %d meetings, %d new, %d changed", code, r.Meetings, r.New, r.Changed)
		if ctx.Err() != nil {
			return err
		}
		if err != nil { // the others are collected all the same
			failed = append(failed, fmt.Sprintf("%s: %v", code, err))
		}
	}
	if len(failed) > 0 {
		return errs.New(errs.Unavailable, "%s", strings.Join(failed, "; "))
	}
	return nil
}
