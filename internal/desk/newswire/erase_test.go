package newswire

import (
	"errors"
	"strings"
	"testing"
	"time"

	"pressroom/internal/errs"
	"pressroom/internal/rights/erase"
	"pressroom/internal/story"
	"pressroom/model"
	"pressroom/model/deploy"
	"pressroom/model/modeltest"
)

// What was erased does not come back with the next crawl: not the page, not the name in
// an older article that its source changed, not the site. News of the same name do.
func TestErasedStaysErased(t *testing.T) {
	bubble(t, func(t *testing.T) {
		ctx, s, w := t.Context(), newStores(t), newWorld(t)
		if err := deploy.Apply(ctx, deploy.Store{Tables: s.Tables}, nil, erase.Schema); err != nil {
			t.Fatal(err)
		}
		stories, err := story.New(s.Tables, &story.Options{Now: s.clock.now})
		if err != nil {
			t.Fatal(err)
		}
		erasures, err := erase.New(s.Tables, erase.Options{Objects: s.Objects, Stories: stories, Schemas: []model.Schema{Schema, story.Schema}, Now: s.clock.now})
		if err != nil {
			t.Fatal(err)
		}
		d := s.desk(t, w, func(o *Options) { o.Erased, o.Stories = erasures, stories })
		erasures.Add(d.Traces())
		pages := map[string]any{
			"/": list("/a", "/b"), "/a": newsPage("The bridge", "2026-11-15T01:00:00Z"), "/b": newsPage("Zelda Quixote wins", "2026-11-15T02:00:00Z"),
		}
		w.host("paper.example", pages)
		addSite(t, d, "paper", "paper.example", nil)
		crawlNow(t, d, "paper")
		if all := articlesOf(t, d, "paper"); len(all) != 2 || all["/b"].Title != "Zelda Quixote wins" {
			t.Fatalf("%+v", all)
		}
		begin := func(kind erase.Kind, text string) {
			t.Helper()
			_, err := erasures.Begin(ctx, erase.Subject{Kind: kind, Text: text}, "ann", "asked")
			if err == nil {
				err = erasures.Run(ctx, nil)
			}
			if err != nil {
				t.Fatal(err)
			}
			modeltest.WantSound(t, d.Check)
		}
		begin(erase.Page, "http://paper.example/a")
		begin(erase.Page, "http://paper.example/never-seen")
		begin(erase.Person, "Zelda Quixote")
		if all := articlesOf(t, d, "paper"); len(all) != 1 || all["/b"].Title != "[erased] wins" || strings.Contains(all["/b"].BodyPlain, "Zelda") {
			t.Errorf("after the erasures: %+v", all)
		}
		s.clock.forward(2 * time.Hour)
		w.host("paper.example", map[string]any{
			"/": list("/a", "/b", "/c", "/never-seen"), "/a": newsPage("The bridge is new", "2026-11-15T01:00:00Z"), "/b": newsPage("Zelda Quixote wins again", "2026-11-15T02:00:00Z"),
			"/c": newsPage("Zelda Quixote is elected", "2026-11-15T04:30:00Z"), "/never-seen": newsPage("The tunnel", "2026-11-15T04:00:00Z"),
		})
		crawlNow(t, d, "paper")
		all := articlesOf(t, d, "paper")
		if len(all) != 2 || all["/b"].Title != "[erased] wins again" || strings.Contains(all["/b"].BodyPlain, "Zelda") || all["/b"].S3SnapshotKey != "" || all["/c"].Title != "Zelda Quixote is elected" {
			t.Errorf("after the next crawl: %+v", all)
		}
		modeltest.WantSound(t, d.Check)
		begin(erase.Site, "paper.example")
		if all := articlesOf(t, d, "paper"); len(all) != 0 {
			t.Errorf("of the site there is still %+v", all)
		}
		again := Site{SiteID: "again", Name: "Again", Category: "news", BaseURL: "http://paper.example/", Timezone: "Asia/Tokyo"}
		if err := d.CreateSite(ctx, &again); !errors.Is(err, errs.Conflict) {
			t.Errorf("the site is crawled again: %v", err)
		}
	})
}
