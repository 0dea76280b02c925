package newswiredesk

import (
	"pressroom/internal/desk/newswire/excerpt"
	"pressroom/internal/desk/newswire/score"
	"pressroom/internal/gold"
)

const evalHelp = `Makes an excerpt of each NAME.json of the folder by rules, and compares it with what the
file says that an excerpt must keep and may not do. It prints for each measure what was right,
wrong and missed. A bar is the least that a measure must reach, by the name in the table:
--bar references=1 --bar headline.recall=0.95 --bar keywords.precision=0.9. The exit status is
1 if one does not.`

// evaluate scores the excerpts.
func evaluate(dir string) (*gold.Table, error) {
	cases, err := score.Load(dir)
	if err != nil {
		return nil, err
	}
	table := score.NewTable()
	for _, c := range cases {
		table.Add(c, excerpt.Make(c.Title, c.Text))
	}
	table.Finish()
	return table.Table, nil
}
