package doc

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"pressroom/model"
)

// The markers between which a design page holds the schema.
const (
	begin = "<!-- schema: rendered from the declarations; do not edit -->\n"
	end   = "<!-- end of schema -->\n"
)

var header = []string{
	"| what | name | keys | says | notes |",
	"|---|---|---|---|---|",
}

// Markdown returns the schema as the lines of one table.
func Markdown(s model.Schema) []string {
	lines := append([]string(nil), header...)
	for _, r := range Rows(s) {
		lines = append(lines, "| "+strings.Join([]string{r.Kind, r.Name, cell(r.Keys), cell(r.Says), cell(r.Note)}, " | ")+" |")
	}
	return lines
}

// cell keeps bars of templates from ending a cell.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

// Difference is a row of a page that is not what the schema says.
type Difference struct {
	Line      int // in the page, from 1; 0 if the row is missing
	Page, Now string
}

func (d Difference) String() string {
	switch {
	case d.Page == "":
		return "missing: " + d.Now
	case d.Now == "":
		return fmt.Sprintf("line %d is not in the schema: %s", d.Line, d.Page)
	}
	return fmt.Sprintf("line %d\n   is %s\n  not %s", d.Line, d.Now, d.Page)
}

var errNoMarkers = errors.New("the page has no markers for the schema")

// Compare returns every row of the page that differs from the schema.
func Compare(page string, s model.Schema) ([]Difference, error) {
	before, table, _, err := cut(page)
	if err != nil {
		return nil, err
	}
	first := strings.Count(before+begin, "\n") + 1
	has := strings.Split(strings.TrimSuffix(table, "\n"), "\n")
	want := Markdown(s)
	var all []Difference
	for i := range max(len(has), len(want)) {
		var d Difference
		if i < len(has) {
			d.Line, d.Page = first+i, has[i]
		}
		if i < len(want) {
			d.Now = want[i]
		}
		if d.Page != d.Now {
			all = append(all, d)
		}
	}
	return all, nil
}

// Rewrite returns the page with the schema's rows between its markers.
func Rewrite(page string, s model.Schema) (string, error) {
	before, _, after, err := cut(page)
	if err != nil {
		return "", err
	}
	return before + begin + strings.Join(Markdown(s), "\n") + "\n" + end + after, nil
}

func cut(page string) (before, table, after string, err error) {
	before, rest, ok := strings.Cut(page, begin)
	table, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		return "", "", "", errNoMarkers
	}
	return before, table, after, nil
}

// Print writes the schema aligned, for a terminal.
func Print(w io.Writer, s model.Schema) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(tw, "# %s\n", s.Name)
	for _, r := range Rows(s) {
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\n", r.Kind, plain(r.Name), plain(r.Keys), plain(join([]string{r.Says, r.Note})))
	}
	return tw.Flush()
}

func plain(text string) string { return strings.ReplaceAll(text, "`", "") }
