package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/alecthomas/kong"
)

// configCmd prints the settings as serve would see them.
type configCmd struct {
	serverSettings
	JSON bool `name:"json" setting:"-" help:"Print JSON."`
}

// Help is the text under the command's usage line.
func (configCmd) Help() string {
	return `Every setting can be given as a flag, as an environment variable, or as a key
of the settings file, which is TOML with one line per setting (addr = "127.0.0.1:9000").
A flag wins over the environment, the environment over the file, the file over the
default. The variable of --log-level is PRESSROOM_LOG_LEVEL; names of tables and buckets
also have the variables of the documents that define them (BLOG_TABLE). The variable of
a secret has a variant that ends in _FILE and names a file to read the secret from.

Secrets are shown masked.`
}

// effective is one setting as printed.
type effective struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	Secret bool   `json:"secret,omitempty"`
	Source string `json:"source"`
	Place  string `json:"place,omitempty"`
}

// Run prints the table, or JSON.
func (c *configCmd) Run(r *run) error {
	r.logger(c.commonSettings)
	var rows []effective
	for _, flag := range r.parsed.Selected().Flags {
		if isSetting(flag) {
			rows = append(rows, effectiveSetting(flag, r.sources))
		}
	}
	if c.JSON {
		enc := json.NewEncoder(r.Stdout)
		enc.SetIndent("", "  ")
		return enc.Encode(rows)
	}
	return printSettings(r.Stdout, rows)
}

func effectiveSetting(flag *kong.Flag, src *sources) effective {
	from := src.originOf(flag)
	row := effective{
		Name:   flag.Name,
		Value:  fmt.Sprint(flag.Target.Interface()),
		Secret: isSecret(flag),
		Source: from.Source,
		Place:  from.Place,
	}
	if flag.Name == "config" && row.Value == "" {
		row.Value = src.File()
	}
	return row
}

func printSettings(w io.Writer, rows []effective) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "SETTING\tVALUE\tFROM")
	for _, row := range rows {
		value := row.Value
		if value == "" {
			value = "-"
		}
		from := row.Source
		if row.Place != "" {
			from += " " + row.Place
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\n", row.Name, value, from)
	}
	return tw.Flush()
}
