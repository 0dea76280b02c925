package cli

import (
	"encoding/json"
	"fmt"

	"pressroom/internal/setting"
)

// versionCmd prints what this binary is.
type versionCmd struct {
	JSON bool `name:"json" setting:"-" help:"Print JSON."`
}

// Run prints one line, or JSON.
func (c *versionCmd) Run(r *run) error {
	b := setting.ThisBuild()
	if c.JSON {
		enc := json.NewEncoder(r.Stdout)
		enc.SetIndent("", "  ")
		return enc.Encode(b)
	}
	_, err := fmt.Fprintln(r.Stdout, b)
	return err
}
