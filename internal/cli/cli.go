// Package cli is the pressroom command: its subcommands, its configuration, and
// all the wiring between the parts of the program. No other package but local, the stand-in
// alone, constructs what it uses.
//
// It promises that data go to stdout and logs to stderr; that the exit status is
// 0 for done, 1 for failed and 2 for a command line or configuration that makes
// no sense; that a failure is one sentence which says what to do next; and that
// an interrupted command ends within ten seconds with nothing acknowledged lost.
//
// Start with [Run] and the grammar below it, then the file of a subcommand
// (demo.go, serve.go, local.go, schema.go, …). desks.go has the list of desks and
// hands their parts out. settings.go declares what can be configured and package setting
// finds it; store.go opens and closes the data directory, with package local; server.go
// is the HTTP server's life.
package cli

import (
	"context"
	"log/slog"
	"reflect"

	"github.com/alecthomas/kong"

	"pressroom/internal/setting"
)

// Process is what a run of the command gets from the outside.
type Process = setting.Process

// grammar is the command line. A subcommand is a field here and a file of its
// own; it exists when it does something.
type grammar struct {
	Help helpFlag `short:"h" setting:"-" help:"Show help, for the command if one is named."`

	Demo         demoCmd       `cmd:"" set:"data=./pressroom-demo" help:"Run everything on a directory of its own, to look around. No keys, no network."`
	Serve        serveCmd      `cmd:"" set:"data=./pressroom-data" help:"Run everything."`
	Local        localCmd      `cmd:"" set:"data=./pressroom-data" help:"Serve DynamoDB and S3 alone: a stand-in for AWS."`
	kong.Plugins               // the commands of the desks
	Proof        proofCmd      `cmd:"" help:"Check texts against the record that they are about."`
	MCP          mcpCmd        `cmd:"" name:"mcp" help:"Let an agent on this machine use a running newsroom, over standard input and output."`
	Deliveries   deliveriesCmd `cmd:"" set:"data=./pressroom-data" help:"What could not be sent to readers: list it, send it again; addresses that get nothing."`
	Mail         mailCmd       `cmd:"" set:"data=./pressroom-data" help:"What comes back of letters."`
	User         userCmd       `cmd:"" set:"data=./pressroom-data" help:"Make, change and list accounts."`
	Search       searchCmd     `cmd:"" set:"data=./pressroom-data" help:"Make the search index again."`
	Schema       schemaCmd     `cmd:"" set:"data=./pressroom-data" help:"Print, check and apply the design of tables and buckets."`
	Bench        benchCmd      `cmd:"" help:"Measure the stores, or other servers of their kind, and compare."`
	Backup       backupCmd     `cmd:"" set:"data=./pressroom-data" help:"Back up the data, also while they are being served, and verify backups."`
	Restore      restoreCmd    `cmd:"" set:"data=./pressroom-data" help:"Bring a backup into an empty data directory, as it is or as of a second."`
	Erase        eraseCmd      `cmd:"" set:"data=./pressroom-data" help:"Forget a story, a page, a site or a person."`
	Export       exportCmd     `cmd:"" set:"data=./pressroom-data" help:"Write posts for other systems, or all that is held about a person, a site, a page or a story."`
	Check        checkCmd      `cmd:"" set:"data=./pressroom-data" help:"Verify the stores and what the desks promise of their data."`
	Health       healthCmd     `cmd:"" help:"Ask a running newsroom whether it is ready."`
	Config       configCmd     `cmd:"" set:"data=./pressroom-data" help:"Print every setting, its value and where it comes from."`
	Version      versionCmd    `cmd:"" help:"Print the version."`
}

// run is one run of a subcommand; kong hands it to the command's Run method.
type run struct {
	Process
	ctx     context.Context // ends with the first interrupt
	parsed  *kong.Context
	sources *sources
}

// Main runs the command with the process's own arguments, environment, streams
// and signals, and returns the exit status.
func Main() int { return setting.Main(Run) }

// Run executes one command line and returns the exit status. When ctx ends, the
// command winds down as if interrupted.
func Run(ctx context.Context, p Process) int {
	return report(p, execute(ctx, p))
}

func execute(ctx context.Context, p Process) error {
	src := newSources(p.Environ)
	parser, err := newParser(&grammar{}, p, src)
	if err != nil {
		return err
	}
	parsed, err := parser.Parse(p.Args)
	if err != nil {
		return err
	}
	return parsed.Run(&run{Process: p, ctx: ctx, parsed: parsed, sources: src})
}

// newParser builds the parser that fills g.
func newParser(g *grammar, p Process, src *sources) (*kong.Kong, error) {
	fillSettings(reflect.ValueOf(g).Elem())
	g.Plugins, g.Export.Plugins = deskCommands()
	return kong.New(g,
		kong.Name("pressroom"),
		kong.Description("A newsroom in one binary: collects, summarises, publishes, explains."),
		kong.Writers(p.Stdout, p.Stderr),
		kong.NoDefaultHelp(),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, FlagsLast: true, WrapUpperBound: 100}),
		kong.ValueFormatter(helpText),
		kong.PostBuild(showEndpoint),
		kong.WithBeforeResolve(src.load),
		kong.Resolvers(src),
	)
}

// logger returns the run's logger, after telling it what the settings' sources
// hold that nobody reads.
func (r *run) logger(c commonSettings) *slog.Logger {
	log := c.Logger(r.Stderr)
	for _, warning := range r.sources.Unknown(allSettings(r.parsed.Model)) {
		log.Warn(warning)
	}
	return log
}
