package newswire

import (
	"testing"
	"time"

	"pressroom/internal/errs"
)

func TestWindows(t *testing.T) {
	for _, row := range []struct {
		name, zone string
		window     Window
		now        string // UTC
		from, to   string // UTC; "" if no window is open
	}{
		{"inside", "Asia/Tokyo", Window{"06:30", "07:15"}, "2026-11-14T21:45:00Z", "2026-11-14T21:30:00Z", "2026-11-14T22:15:00Z"},
		{"at its start", "Asia/Tokyo", Window{"06:30", "07:15"}, "2026-11-14T21:30:00Z", "2026-11-14T21:30:00Z", "2026-11-14T22:15:00Z"},
		{"at its end", "Asia/Tokyo", Window{"06:30", "07:15"}, "2026-11-14T22:15:00Z", "", ""},
		{"before midnight", "Asia/Tokyo", Window{"23:30", "00:30"}, "2026-11-14T14:45:00Z", "2026-11-14T14:30:00Z", "2026-11-14T15:30:00Z"},
		{"after midnight", "Asia/Tokyo", Window{"23:30", "00:30"}, "2026-11-14T15:15:00Z", "2026-11-14T14:30:00Z", "2026-11-14T15:30:00Z"},
		{"after it", "Asia/Tokyo", Window{"23:30", "00:30"}, "2026-11-14T15:30:00Z", "", ""},
		{"until midnight", "UTC", Window{"22:00", "24:00"}, "2026-11-14T23:59:00Z", "2026-11-14T22:00:00Z", "2026-11-15T00:00:00Z"},
		{"whole day", "UTC", Window{"06:00", "06:00"}, "2026-11-14T05:00:00Z", "2026-11-13T06:00:00Z", "2026-11-14T06:00:00Z"},
		// Berlin's clocks go from 02:00 to 03:00 on 29 March 2026, at 01:00 UTC.
		{"begins in the gap", "Europe/Berlin", Window{"02:30", "04:00"}, "2026-03-29T01:10:00Z", "2026-03-29T01:00:00Z", "2026-03-29T02:00:00Z"},
		{"ends in the gap", "Europe/Berlin", Window{"01:30", "02:30"}, "2026-03-29T00:45:00Z", "2026-03-29T00:30:00Z", "2026-03-29T01:00:00Z"},
		{"is in the gap", "Europe/Berlin", Window{"02:10", "02:50"}, "2026-03-29T01:39:00Z", "2026-03-29T01:00:00Z", "2026-03-29T01:40:00Z"},
		{"is over after the gap", "Europe/Berlin", Window{"02:10", "02:50"}, "2026-03-29T01:40:00Z", "", ""},
		// They go from 03:00 back to 02:00 on 25 October 2026, at 01:00 UTC.
		{"first time", "Europe/Berlin", Window{"02:15", "02:45"}, "2026-10-25T00:30:00Z", "2026-10-25T00:15:00Z", "2026-10-25T00:45:00Z"},
		{"not a second time", "Europe/Berlin", Window{"02:15", "02:45"}, "2026-10-25T01:30:00Z", "", ""},
		{"over the change", "Europe/Berlin", Window{"01:30", "03:30"}, "2026-10-25T01:30:00Z", "2026-10-24T23:30:00Z", "2026-10-25T02:30:00Z"},
		{"New York, gap", "America/New_York", Window{"02:30", "03:30"}, "2026-03-08T07:10:00Z", "2026-03-08T07:00:00Z", "2026-03-08T07:30:00Z"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := Site{Timezone: row.zone, CrawlWindows: []Window{row.window}}
			now, err := time.Parse(time.RFC3339, row.now)
			if err != nil {
				t.Fatal(err)
			}
			from, to, open := s.OpenWindow(now)
			text := func(at time.Time) string {
				if at.IsZero() {
					return ""
				}
				return at.UTC().Format(time.RFC3339)
			}
			if text(from) != row.from || text(to) != row.to || open != (row.from != "") {
				t.Errorf("%s to %s, %v; want %s to %s", text(from), text(to), open, row.from, row.to)
			}
			next, ok := s.NextWindow(now)
			if !ok || !next.After(now) {
				t.Errorf("the next is at %v", next)
			}
			if _, _, open := s.OpenWindow(next); !open {
				t.Errorf("the next, at %v, is not open then", next)
			}
		})
	}
}

func TestDue(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w := newWorld(t)
		w.host("site.example", map[string]any{"/": list()})
		s := newStores(t)
		d := s.desk(t, w, nil)
		now := s.clock.now().UTC()
		open := Window{now.Add(-time.Minute).Format("15:04"), now.Add(time.Hour).Format("15:04")}
		shut := Window{now.Add(2 * time.Hour).Format("15:04"), now.Add(3 * time.Hour).Format("15:04")}
		for id, window := range map[string][]Window{"open": {open}, "shut": {shut}, "none": nil} {
			addSite(t, d, id, "site.example", func(s *Site) { s.CrawlWindows, s.Timezone = window, "UTC" })
		}
		expect := func(want ...string) {
			t.Helper()
			due, err := d.Due(t.Context(), s.clock.now())
			if err != nil {
				t.Fatal(err)
			}
			if len(due) != len(want) || len(want) == 1 && due[0].Site.SiteID != want[0] {
				t.Errorf("due are %v, want %v", due, want)
			}
		}
		expect("open")
		if _, err := d.PauseSite(t.Context(), "open", true); err != nil {
			t.Fatal(err)
		}
		expect()
		if _, err := d.PauseSite(t.Context(), "open", false); err != nil {
			t.Fatal(err)
		}
		report, err := d.RunOnce(t.Context())
		if err != nil || len(report.Runs) != 1 || report.Runs[0].TriggerType != Scheduled || len(report.Exported) != 2 {
			t.Errorf("%+v, %v", report, err)
		}
		expect() // it had its run in this window
		s.clock.forward(24 * time.Hour)
		expect("open")

		// A process begins a run and is gone.
		site, err := d.GetSite(t.Context(), "none")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := d.newRun(t.Context(), &site, Manual, s.clock.now().Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		_, release, err := d.claimSite(t.Context(), "none")
		if err != nil {
			t.Fatal(err)
		}
		expect("open")
		if _, err := d.Crawl(t.Context(), "none", CrawlOptions{}); errs.KindOf(err) != errs.Conflict {
			t.Errorf("a second crawl of one site: %v", err)
		}
		release()
		expect("none", "open")
		if run := crawlNow(t, d, "none"); run.Status != Success {
			t.Errorf("%+v", run)
		}
		expect("open")
	})
}
