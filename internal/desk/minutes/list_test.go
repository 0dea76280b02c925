package minutes

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pressroom/internal/errs"
)

// shelf fills the desk with n random articles and returns them, the newest first.
func shelf(t testing.TB, d *Desk, n int, seed uint64) []Article {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, seed))
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	var all []Article
	for i := range n {
		date := fmt.Sprintf("2026-%02d-%02d", 1+r.IntN(12), 1+r.IntN(28))
		a := Article{
			Type: "ARTICLE", AssetURL: "s3://politopics-articles/x", ID: fmt.Sprintf("id%04d", i), Title: fmt.Sprint("題", i), Date: date, Month: date[:7],
			ImageKind: pick("会議録", "附録"), Session: 217 + r.IntN(3), House: pick("衆議院", "参議院"), Meeting: pick("本会議", "予算委員会", "外交委員会"),
			Categories: []string{pick("財政", "外交", "環境")}, Keywords: []string{pick("ＡＩ", "税", "道路"), pick("Tax", "年金")}, Terms: []Term{},
			Issues: []string{pick("甲法案", "乙法案", "丙法案")},
		}
		for range 1 + r.IntN(3) {
			a.Participants = append(a.Participants, Participant{Name: pick("鈴木 一郎", "田中花子", "佐藤次郎", "高橋三郎", "伊藤四郎")})
		}
		noErr(t, d.save(t.Context(), &a, saving{}))
		all = append(all, a)
	}
	slices.SortFunc(all, func(a, b Article) int {
		switch {
		case a.Date+a.ID > b.Date+b.ID:
			return -1
		case a.Date+a.ID < b.Date+b.ID:
			return 1
		}
		return 0
	})
	return all
}

// passes is the filter in plain words.
func (f Filter) passes(a *Article) bool {
	has := func(want string, normal func(string) string, values ...string) bool {
		return want == "" || slices.ContainsFunc(values, func(v string) bool { return normal(v) == normal(want) })
	}
	var people []string
	for _, p := range a.Participants {
		people = append(people, p.Name)
	}
	return has(f.Category, keyText, a.Categories...) && has(f.Person, keyText, people...) && has(f.Keyword, keywordText, a.Keywords...) &&
		has(f.ImageKind, keyText, a.ImageKind) && has(f.Session, keyText, strconv.Itoa(a.Session)) && has(f.House, keyText, a.House) &&
		has(f.Meeting, keyText, a.Meeting) && has(f.Issue, keyText, append(a.Issues, a.ID)...) &&
		(f.Month == "" || a.Month == f.Month) && (f.From == "" || a.Date >= f.From) && (f.Until == "" || a.Date <= f.Until)
}

func TestFilters(t *testing.T) {
	t.Parallel()
	d := newDesk(t, nil, Options{})
	all := shelf(t, d, 250, 1)
	dates := map[string]string{}
	for i := range all {
		dates[all[i].ID] = all[i].Date
	}
	filters := []Filter{
		{}, {Month: "2026-05"}, {From: "2026-03-10", Until: "2026-06-01"}, {Category: "財政"}, {Person: "鈴木　一郎"}, {Keyword: "AI"}, {Keyword: "ｔａｘ"},
		{ImageKind: "附録"}, {Session: "218"}, {House: "参議院"}, {Meeting: "本会議"}, {Issue: "乙法案"}, {Issue: "id0007"}, {Person: "誰も知らない人"},
		{Person: "田中花子", House: "衆議院"}, {Person: "田中花子", House: "衆議院", Category: "外交", Month: "2026-07"},
		{Issue: "甲法案", Keyword: "年金", Session: "217", ImageKind: "会議録", From: "2026-02-01"}, {Category: "環境", Until: "2026-04-30", Month: "2026-04"},
		{Category: "環境", From: "2026-04-10", Month: "2026-04"}, {Meeting: "外交委員会", Category: "財政", Person: "伊藤四郎", Keyword: "税", House: "参議院"},
	}
	for _, f := range filters {
		for _, limit := range []int{3, 0, 100} {
			var want, got []string
			for i := range all {
				if f.passes(&all[i]) {
					want = append(want, all[i].ID)
				}
			}
			for cursor := ""; ; {
				page, err := d.Articles(t.Context(), f, PageOptions{Limit: limit, Cursor: cursor})
				noErr(t, err)
				for _, l := range page.Items {
					got = append(got, l.ID)
				}
				if cursor = page.Next; cursor == "" {
					break
				}
				if limit > 0 && len(page.Items) != limit {
					t.Fatalf("%+v: a page of %d", f, len(page.Items))
				}
			}
			if !slices.IsSortedFunc(got, func(a, b string) int { return strings.Compare(dates[b], dates[a]) }) {
				t.Fatalf("%+v, %d a page: not the newest first: %v", f, limit, got)
			}
			// Articles of one day have no order: the index is by date alone.
			slices.Sort(want)
			slices.Sort(got)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("%+v, %d a page (-want +got):\n%s", f, limit, diff)
			}
		}
	}
}

// A combination of filters reads about what it shows, not everything.
func TestFiltersReadLittle(t *testing.T) {
	t.Parallel()
	d := newDesk(t, nil, Options{})
	shelf(t, d, 400, 2)
	rare := Article{
		Type: "ARTICLE", ID: "rare", Title: "稀", Date: "2026-01-01", Month: "2026-01", ImageKind: "会議録", Session: 1, House: "衆議院", Meeting: "本会議",
		Categories: []string{"財政"}, Participants: []Participant{{Name: "稀な人"}}, AssetURL: "s3://politopics-articles/x",
	}
	noErr(t, d.save(t.Context(), &rare, saving{}))
	counting := &counted{DB: d.db}
	d2, err := New(counting, nil, nil, nil)
	noErr(t, err)
	page, err := d2.Articles(t.Context(), Filter{Person: "稀な人", House: "衆議院", ImageKind: "会議録", Category: "財政"}, PageOptions{})
	noErr(t, err)
	if len(page.Items) != 1 || page.Items[0].ID != "rare" {
		t.Fatalf("%+v", page)
	}
	if counting.items > 200 {
		t.Errorf("one article was found by reading %d items", counting.items)
	}
}

func TestFilterMistakes(t *testing.T) {
	t.Parallel()
	d := newDesk(t, nil, Options{})
	shelf(t, d, 30, 3)
	page, err := d.Articles(t.Context(), Filter{House: "衆議院"}, PageOptions{Limit: 2})
	noErr(t, err)
	latest, err := d.Articles(t.Context(), Filter{}, PageOptions{Limit: 2})
	noErr(t, err)
	tests := []struct {
		f     Filter
		o     PageOptions
		kind  errs.Kind
		field string
	}{
		{Filter{From: "yesterday"}, PageOptions{}, errs.Invalid, "from"},
		{Filter{Until: "2026-02-30"}, PageOptions{}, errs.Invalid, "until"},
		{Filter{From: "2026-02-02", Until: "2026-02-01"}, PageOptions{}, errs.Invalid, "until"},
		{Filter{Month: "2026-13"}, PageOptions{}, errs.Invalid, "month"},
		{Filter{Session: "last"}, PageOptions{}, errs.Invalid, "session"},
		{Filter{}, PageOptions{Limit: 101}, errs.Invalid, "limit"},
		{Filter{}, PageOptions{Cursor: "x"}, errs.Malformed, "cursor"},
		{Filter{House: "参議院"}, PageOptions{Cursor: page.Next}, errs.Malformed, "cursor"},
		{Filter{House: "衆議院"}, PageOptions{Cursor: latest.Next}, errs.Malformed, "cursor"},
		{Filter{House: "衆議院"}, PageOptions{Cursor: "!!"}, errs.Malformed, "cursor"},
	}
	for _, tt := range tests {
		_, err := d.Articles(t.Context(), tt.f, tt.o)
		if !errors.Is(err, tt.kind) || len(errs.Fields(err)) != 1 || errs.Fields(err)[0].Name != tt.field {
			t.Errorf("%+v %+v: %v", tt.f, tt.o, err)
		}
	}
}

func TestTimelineAndFacets(t *testing.T) {
	t.Parallel()
	d := newDesk(t, nil, Options{})
	all := shelf(t, d, 60, 4)
	slices.Reverse(all)
	var want, got []string
	for _, a := range all {
		if a.Issues[0] == "乙法案" {
			want = append(want, a.ID)
		}
	}
	for cursor := ""; ; {
		page, err := d.Timeline(t.Context(), "乙法案", PageOptions{Limit: 7, Cursor: cursor})
		noErr(t, err)
		for _, l := range page.Items {
			got = append(got, l.ID)
			if l.Label != "乙法案" {
				t.Errorf("label %q", l.Label)
			}
		}
		if cursor = page.Next; cursor == "" {
			break
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	facets, err := d.Facets(t.Context())
	noErr(t, err)
	total := 0
	for _, f := range facets[ByHouse] {
		total += f.Count
	}
	if total != 60 || len(facets[ByIssue]) != 3 || facets[ByHouse][0].Count < facets[ByHouse][1].Count {
		t.Errorf("facets: %+v", facets)
	}
}
