package minutesapi_test

import (
	"os"
	"path/filepath"
	"testing"

	"pressroom/internal/api"
	"pressroom/internal/api/apitest"
	"pressroom/internal/desk/minutes"
	"pressroom/internal/desk/minutes/minutesapi"
	"pressroom/internal/desk/minutes/minutestest"
)

const declaration = `code = "xi"
name = { en = "Island Parliament" }
zone = "Europe/London"
languages = ["en"]
licence = { name = "Public domain", attribution = "Clerk of the Island" }
[[source]]
format = "parlparse"
folder = "."
`

const record = `<publicwhip>
<major-heading id="i/debate/2026-03-02.1">Lighthouse Repair Bill</major-heading>
<speech id="i/debate/2026-03-02.2" speakerid="m/1" speakername="Ada Reef"><p>I beg to move.</p></speech>
<division id="i/division/2026-03-02.4" divdate="2026-03-02" divnumber="1" time="16:00:00">
<divisioncount ayes="1" noes="1" tellerayes="0" tellernoes="0"/>
<mplist vote="aye"><mpname id="m/1" vote="aye">Ada Reef</mpname></mplist>
<mplist vote="no"><mpname id="m/2" vote="no">Cy Spit</mpname></mplist>
</division>
</publicwhip>`

// What programs read of another assembly, and that it is no part of the Diet.
func TestAssemblies(t *testing.T) {
	h := open(t, &minutestest.Writer{}, sittings(2)...)
	h.Ask(404, "GET", "/assemblies/xi", "")
	dir := t.TempDir()
	apitest.Check(t, os.WriteFile(filepath.Join(dir, "debates2026-03-02.xml"), []byte(record), 0o600))
	one, err := minutes.Declare("xi.toml", []byte(declaration), dir)
	apitest.Check(t, err)
	_, err = h.desk.AddAssembly(t.Context(), one)
	apitest.Check(t, err)
	_, err = h.desk.CollectAssembly(t.Context(), "xi", nil)
	apitest.Check(t, err)
	_, err = h.desk.Work(t.Context(), minutes.WorkOptions{Once: true})
	apitest.Check(t, err)

	if got := apitest.Read[minutesapi.Assemblies](t, h.Ask(200, "GET", "/assemblies", "")); len(got.Items) != 1 || got.Items[0].Attribution != "Clerk of the Island" || got.Items[0].CollectedAt == "" {
		t.Errorf("%+v", got)
	}
	if got := apitest.Read[minutesapi.Assembly](t, h.Ask(200, "GET", "/assemblies/xi", "")); got.Name["en"] != "Island Parliament" {
		t.Errorf("%+v", got)
	}
	for query, want := range map[string]int{"": 2, "?assembly=xi": 1, "?assembly=xi&person=Ada+Reef": 1, "?person=Ada+Reef": 0, "?assembly=xa": 0} {
		if got := apitest.Read[api.List[minutes.Light]](t, h.Ask(200, "GET", "/articles"+query, "")); len(got.Items) != want {
			t.Errorf("articles%s: %+v", query, got.Items)
		}
	}
	if got := apitest.Read[minutesapi.Article](t, h.Ask(200, "GET", "/articles/@xi:debates2026-03-02", "")); len(got.Asset.Votes) != 1 || got.Assembly != "xi" || got.Language != "en" {
		t.Errorf("%+v", got)
	}
	if got := apitest.Read[minutesapi.Members](t, h.Ask(200, "GET", "/assemblies/xi/members", "")); got.Meetings != 1 || len(got.Items) != 1 {
		t.Errorf("%+v", got)
	}
	votes := apitest.Read[api.List[minutes.Voted]](t, h.Ask(200, "GET", "/assemblies/xi/votes", ""))
	mine := apitest.Read[api.List[minutes.Voted]](t, h.Ask(200, "GET", "/assemblies/xi/votes?member=Cy+Spit", ""))
	if len(votes.Items) != 1 || len(votes.Items[0].Votes[0].Positions) != 2 || len(mine.Items[0].Votes[0].Positions) != 1 {
		t.Errorf("%+v, of one member %+v", votes.Items, mine.Items)
	}
	h.Ask(404, "GET", "/assemblies/none/votes", "")
	h.Ask(200, "GET", "/persons/Ada%20Reef?assembly=xi", "")
	h.Ask(404, "GET", "/persons/Ada%20Reef", "")
	h.Ask(200, "GET", "/issues/Lighthouse%20Repair%20Bill?assembly=xi", "")
	h.Ask(200, "GET", "/facets?assembly=xi", "")
}
