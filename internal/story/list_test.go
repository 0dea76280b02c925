package story

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"pressroom/model"
)

// fill publishes stories of several desks, many of them of the same moment, and
// returns their titles in the order of a list.
func fill(t *testing.T, p *process, each int, desks ...string) (want []Story) {
	t.Helper()
	for _, desk := range desks {
		for n := range each {
			st := card(Ref{desk, fmt.Sprintf("id %d#%d", n%7, n)}, fmt.Sprint(desk, n))
			st.Listed = model.FormatTime(time.Date(2026, 11, 1+n/9, 0, 0, 0, 0, time.UTC))
			must(t, p.show(t.Context(), st, p.Publish))
			st.Revision = 1
			want = append(want, st)
		}
	}
	slices.SortFunc(want, func(a, b Story) int {
		return cmp.Or(strings.Compare(b.Listed, a.Listed), strings.Compare(b.ID, a.ID), strings.Compare(a.Desk, b.Desk))
	})
	return want
}

// pages reads a whole list.
func pages(t *testing.T, p *process, desks []string, limit int, between func(shown []Story)) (all []Story) {
	t.Helper()
	for after := ""; ; {
		page, err := p.List(t.Context(), Listing{Desks: desks, After: after, Limit: limit})
		must(t, err)
		if all = append(all, page.Items...); page.Next == "" {
			return all
		}
		if len(page.Items) != limit {
			t.Fatalf("a page of %d, and more follow", len(page.Items))
		}
		after = page.Next
		between(all)
	}
}

func TestList(t *testing.T) {
	p, _ := open(t)
	desks := []string{"a", "b", "c"}
	want := fill(t, p, 40, desks...)
	for _, limit := range []int{1, 7, 40, 119, 120, 121} {
		if diff := gocmp.Diff(want, pages(t, p, append(desks, "a", "none"), limit, func([]Story) {})); diff != "" {
			t.Errorf("pages of %d: %s", limit, diff)
		}
	}
	one := slices.DeleteFunc(slices.Clone(want), func(st Story) bool { return st.Desk != "b" })
	if diff := gocmp.Diff(one, pages(t, p, []string{"b"}, 7, func([]Story) {})); diff != "" {
		t.Error(diff)
	}
	if page, err := p.List(t.Context(), Listing{Desks: desks, After: "", Limit: 0}); err != nil || len(page.Items) != DefaultLimit {
		t.Errorf("%d stories, %v", len(page.Items), err)
	}
	if page, err := p.List(t.Context(), Listing{Desks: nil, After: "", Limit: 10}); err != nil || len(page.Items) != 0 || page.Next != "" {
		t.Errorf("of no desk %d stories, %v", len(page.Items), err)
	}
	for _, bad := range []string{"!", "YQ", "YSM"} {
		if _, err := p.List(t.Context(), Listing{Desks: desks, After: bad, Limit: 5}); !errors.Is(err, model.ErrCursor) {
			t.Errorf("cursor %q: %v", bad, err)
		}
	}

	// What comes and goes between two pages does not disturb the rest, not even if the
	// last story of a page goes.
	kept := slices.Clone(want)
	got := pages(t, p, desks, 10, func(shown []Story) {
		must(t, p.hide(t.Context(), shown[len(shown)-1].Ref))
		must(t, p.hide(t.Context(), kept[len(shown)+3].Ref))
		kept = slices.Delete(kept, len(shown)+3, len(shown)+4)
		st := card(Ref{"a", fmt.Sprint("new ", len(shown))}, "New")
		st.Listed = "2026-12-24T00:00:00Z"
		must(t, p.show(t.Context(), st, p.Publish))
	})
	if diff := gocmp.Diff(kept, got); diff != "" || len(got) > 110 {
		t.Errorf("%d stories: %s", len(got), diff)
	}
}

// However far an index is behind, a list shows nothing that was withdrawn, no story
// twice, and none at a place that it no longer has.
func TestListLate(t *testing.T) {
	p, c := open(t)
	ctx := t.Context()
	want := fill(t, p, 60, "a", "b")
	behind := newLate(p.db, 7)
	reading := newProcess(t, behind, Options{Now: c.Now})
	cards := map[Ref]Story{}
	for _, st := range want {
		cards[st.Ref] = st
	}
	for n := range 40 {
		st := want[n*3]
		switch n % 3 {
		case 0:
			must(t, p.hide(ctx, st.Ref))
			delete(cards, st.Ref)
		case 1:
			st.Listed, st.Revision = "2026-11-03T12:00:00.000Z", 2
			must(t, p.show(ctx, st, p.Publish))
			cards[st.Ref] = st
		}
		seen := map[Ref]bool{}
		last := listed{}
		for after := ""; ; {
			page, err := reading.List(ctx, Listing{Desks: []string{"a", "b"}, After: after, Limit: 9})
			must(t, err)
			for _, st := range page.Items {
				here := listed{st.Ref, st.order()}
				if now, there := cards[st.Ref]; !there || now.Listed != st.Listed || now.Revision != st.Revision {
					t.Fatalf("%s is shown as of %s, and is %+v", st.Ref, st.Listed, now)
				}
				if seen[st.Ref] || last.Order != "" && last.compare(here) >= 0 {
					t.Fatalf("%s is out of order, or shown twice", st.Ref)
				}
				seen[st.Ref], last = true, here
			}
			if after = page.Next; after == "" {
				break
			}
		}
	}
	if behind.lied < 100 {
		t.Errorf("the index was behind only %d times", behind.lied)
	}
}

func TestAll(t *testing.T) {
	p, _ := open(t)
	want := fill(t, p, 60, "a", "b")
	must(t, p.hide(t.Context(), want[5].Ref))
	for _, desk := range []string{"a", "b"} {
		var got, all []string
		for st, err := range p.All(t.Context(), desk) {
			must(t, err)
			got = append(got, st.Title)
		}
		for i, st := range want {
			if i != 5 && st.Desk == desk {
				all = append(all, st.Title)
			}
		}
		slices.Sort(got)
		slices.Sort(all)
		if diff := gocmp.Diff(all, got); diff != "" {
			t.Error(diff)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	failed := false
	for _, err := range newProcess(t, newMortal(p.db, 3, false), Options{}).All(ended, "a") {
		failed = failed || err != nil
	}
	if !failed {
		t.Error("a list that cannot be read ends as if it were whole")
	}
}

func TestGet(t *testing.T) {
	p, _ := open(t)
	want := fill(t, p, 130, "a")
	refs := []Ref{{"a", "none"}, {"none", "x"}}
	for _, st := range want {
		refs = append(refs, st.Ref)
	}
	got, err := p.Get(t.Context(), refs...)
	must(t, err)
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got, err := p.Get(t.Context()); err != nil || len(got) != 0 {
		t.Errorf("%v, %v", got, err)
	}
}

// Of a desk that publishes by the hundred a day has a few, the newest, and none twice
// or later in another page.
func TestListOfDay(t *testing.T) {
	p, _ := open(t)
	all := fill(t, p, 40, "many", "few")
	var want []string
	met := map[string]int{}
	for _, st := range all {
		if met[st.Desk+dayOf(st.Listed)]++; st.Desk == "few" || met[st.Desk+dayOf(st.Listed)] <= 2 {
			want = append(want, st.Title)
		}
	}
	for _, limit := range []int{1, 3, 7, 100} {
		var got []string
		for l := (Listing{Desks: []string{"many", "few"}, OfDay: map[string]int{"many": 2}, Limit: limit}); ; {
			page, err := p.List(t.Context(), l)
			must(t, err)
			for _, st := range page.Items {
				got = append(got, st.Title)
			}
			if l.After = page.Next; l.After == "" {
				break
			}
		}
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("pages of %d: %s", limit, diff)
		}
	}
}

// A list in a language has the others left out, and a rare language short pages that
// say how to read on.
func TestListLanguage(t *testing.T) {
	p, _ := open(t)
	for n := range 60 {
		st := card(Ref{"a", fmt.Sprint(n)}, fmt.Sprint("a", n))
		st.Published = model.FormatTime(time.Date(2026, 11, 1, 0, 60-n, 0, 0, time.UTC))
		if n%29 == 28 {
			st.Language = "ja"
		}
		must(t, p.show(t.Context(), st, p.Publish))
	}
	var got []string
	pages := 0
	for l := (Listing{Desks: []string{"a"}, Language: "ja", Limit: 2}); ; pages++ {
		page, err := p.List(t.Context(), l)
		must(t, err)
		for _, st := range page.Items {
			got = append(got, st.Title)
		}
		if l.After = page.Next; l.After == "" {
			break
		}
	}
	if diff := gocmp.Diff([]string{"a28", "a57"}, got); diff != "" || pages < 2 {
		t.Errorf("in %d pages: %s", pages, diff)
	}
}

func TestMonths(t *testing.T) {
	p, _ := open(t)
	for n, at := range []string{"2025-12-31T23:59:59.999Z", "2026-01-01T00:00:00.000Z", "2026-01-31T00:00:00.000Z", "2026-11-01T00:00:00.000Z"} {
		st := card(Ref{"a", fmt.Sprint(n)}, fmt.Sprint("a", n))
		st.Listed = at
		must(t, p.show(t.Context(), st, p.Publish))
	}
	must(t, p.show(t.Context(), card(Ref{"b", "1"}, "b"), p.Publish))
	var got []string
	for month, err := range p.Months(t.Context(), "a") {
		must(t, err)
		got = append(got, month)
		for st, err := range p.OfMonth(t.Context(), "a", month) {
			must(t, err)
			got = append(got, st.Title)
		}
	}
	if diff := gocmp.Diff([]string{"2026-11", "a3", "2026-01", "a2", "a1", "2025-12", "a0"}, got); diff != "" {
		t.Error(diff)
	}
}
