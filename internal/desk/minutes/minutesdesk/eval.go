package minutesdesk

import (
	"pressroom/internal/desk/minutes"
	"pressroom/internal/desk/minutes/hansard"
	"pressroom/internal/desk/minutes/score"
	"pressroom/internal/gold"
)

const evalHelp = `Reads each NAME.record.json of the folder, tells it by rules, and compares the events and
texts with NAME.gold.json. It prints for each measure what was right, wrong and missed. A bar
is the least that a measure must reach, by the name in the table, with - for spaces:
--bar votes=1 --bar questions=0.9 --bar keywords.precision=0.9. The exit status is 1 if one
does not.`

// evaluate scores the minutes.
func evaluate(dir string) (*gold.Table, error) {
	cases, err := score.Load(dir)
	if err != nil {
		return nil, err
	}
	table := score.NewTable()
	for _, one := range cases {
		if one.English != nil {
			s := hansard.Read(one.English)
			table.Add(one, &s.Proceedings, s.Tell())
			continue
		}
		m := one.Record
		p := minutes.Proceedings(minutes.Meeting{House: m.House, Name: m.Name, Date: m.Date}, m.Speeches)
		table.Add(one, p, p.Tell())
	}
	table.Finish()
	return table.Table, nil
}
