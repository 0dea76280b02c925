package score

import (
	"os"
	"path/filepath"
	"testing"

	"pressroom/internal/desk/minutes/proceedings"
)

const record = `{"issueID":"1","nameOfHouse":"参議院","nameOfMeeting":"本会議","date":"2026-05-01","speechRecord":[
{"speechOrder":1,"speaker":"高瀬進","speech":"○議長（高瀬進君）　これより会議を開きます。図書館連携法案を議題といたします。本案に賛成の諸君の起立を求めます。"},
{"speechOrder":2,"speaker":"高瀬進","speech":"○議長（高瀬進君）　過半数と認めます。よって、本案は可決されました。本日はこれにて散会いたします。　午前十時散会"}]}`

const answer = `{"opening":{"order":1,"time":""},"closing":{"order":2,"time":"午前十時","kind":"散会"},
"items":[{"name":"図書館 連携法案","kind":"bill","stages":["taken_up","voted"],"outcome":"passed","vote":{"method":"standing","result":"majority"}},
{"name":"会期の件","kind":"other","optional":true}],
"procedural":[1],"headline":{"must":["図書館連携|図書館法","可決"]},"keywords":["図書館連携法案"],"people":[{"name":"高瀬進","office":"議長"}]}`

func cases(t *testing.T, gold string) []Case {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"a.record.json": record, "a.gold.json": gold} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func scored(c Case) *Table {
	m := proceedings.Meeting{House: c.Record.House, Name: c.Record.Name, Date: c.Record.Date}
	for _, s := range c.Record.Speeches {
		m.Speeches = append(m.Speeches, proceedings.Speech{Order: s.Order, Speaker: s.Speaker, Text: s.Text})
	}
	p := proceedings.Read(m, nil)
	t := NewTable()
	t.Add(c, p, p.Tell())
	t.Finish()
	return t
}

func TestScore(t *testing.T) {
	table := scored(cases(t, answer)[0])
	if len(table.Faults) > 0 {
		t.Errorf("faults: %+v", table.Faults)
	}
	for _, name := range []string{"events", "votes", "headline.recall", "keywords.precision", "headline-kind"} {
		if got, ok := table.Value(name); !ok || got != 1 {
			t.Errorf("%s is %v, %v", name, got, ok)
		}
	}
	if _, ok := table.Value("nothing"); ok {
		t.Error("there is a measure called nothing")
	}
}

func TestScoreFindsFaults(t *testing.T) {
	c := cases(t, answer)[0]
	c.Gold.Items[0].Outcome = proceedings.Rejected
	c.Gold.Items[0].Vote.Result = "minority"
	c.Gold.Keywords = nil
	c.Gold.Headline.Must = []string{"否決"}
	table := scored(c)
	for name, want := range map[string]float64{"outcomes": 0, "votes": 0, "keywords.precision": 0, "headline.recall": 0, "items": 1} {
		if got, _ := table.Value(name); got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
}

func TestLoad(t *testing.T) {
	if _, err := Load(t.TempDir()); err == nil {
		t.Error("an empty folder is no gold set")
	}
}
