package cli

import "fmt"

// demoCmd runs the newsroom on a directory of its own.
type demoCmd struct {
	serverSettings
}

// Help is the text under the command's usage line.
func (demoCmd) Help() string {
	return `It is the same program as serve, with its own data directory. Ctrl-C ends it; the
directory stays and can be deleted.`
}

// Run serves until the run is interrupted, after telling where to look.
func (c *demoCmd) Run(r *run) error {
	announce := func(a addresses) {
		fmt.Fprintf(r.Stdout, `Pressroom is running.

  pages   %[1]s/
  styles  %[1]s/styleguide
  JSON    %[1]s/api
  health  %[1]s/healthz
  ready   %[1]s/readyz
  AWS     %[3]s (DynamoDB and S3, any credentials)
  data    %[2]s
`, a.pages, c.Data, a.aws)
		if a.setup != "" {
			fmt.Fprintf(r.Stdout, "  set-up  %s (once, to make the first account)\n", a.setup)
		}
		fmt.Fprint(r.Stdout, "\nNothing is published yet. Ctrl-C stops it.\n")
	}
	return newsroom{settings: c.serverSettings, demo: true, announce: announce}.run(r)
}
