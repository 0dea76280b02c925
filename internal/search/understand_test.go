package search_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"pressroom/internal/search"
	"pressroom/internal/search/text"
	"pressroom/internal/story"
	"pressroom/internal/story/storytest"
	"pressroom/model"
)

// asked is a small newsroom that can be asked.
type asked struct {
	*search.Service
	desk *storytest.Desk
	feed *search.Feed
}

func openAsked(t *testing.T, texts ...story.Text) *asked {
	t.Helper()
	if err := text.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	all := storytest.Open(t)
	a := &asked{desk: all.Desk("minutes", texts...)}
	index := openIndex(t, "")
	a.feed = search.NewFeed(index, all.Stories, []*story.Shelf{&a.desk.Shelf}, nil)
	if _, err := a.feed.BuildNow(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	a.Service = search.NewService(index, all.Stories, "minutes")
	a.Follow(func(context.Context) bool { return true })
	a.Clock(func() time.Time { return time.Date(2026, 11, 16, 9, 0, 0, 0, time.FixedZone("JST", 9*3600)) })
	return a
}

func (a *asked) ask(t *testing.T, q search.Query) *search.Results {
	t.Helper()
	res, err := a.Search(t.Context(), q)
	if err != nil {
		t.Fatalf("%s: %v", q.Text, err)
	}
	return res
}

func said(id, title, body string, names ...story.Name) story.Text {
	return story.Text{Body: body, Names: names, Story: story.Story{Ref: story.Ref{ID: id}, Language: "ja", Title: title}}
}

func hitIDs(res *search.Results) []string {
	var out []string
	for _, h := range res.Hits {
		out = append(out, h.ID)
	}
	slices.Sort(out)
	return out
}

// A hit says how it fits where it does not have the word itself.
func TestWhy(t *testing.T) {
	term := story.Name{Kind: story.Term, Name: "反則金", Aliases: []string{"青切符"}, Path: "/t"}
	a := openAsked(t, said("kanji", "夜も開く図書館", "市は開館時間を延ばす。"), said("kana", "としょかんへ行こう", "子どもの日。"), said("body", "予算案", "隣町の図書館から本を借りる。"),
		said("fine", "自転車の反則金", "来春から。"), said("term", "反則金", "軽い違反で納める。", term))
	why := map[string][]search.Why{}
	res := a.ask(t, search.Query{Text: "としょかん"})
	for _, h := range res.Hits {
		why[h.ID] = h.Why
	}
	if len(why) != 3 || why["kana"] != nil || !slices.Equal(why["body"], []search.Why{{Kind: text.Reading, Asked: "としょかん", Found: "図書館"}}) || len(why["kanji"]) != 1 {
		t.Errorf("found for these reasons: %v", why)
	}
	res = a.ask(t, search.Query{Text: "青切符"})
	if len(res.Leads) != 1 || res.Leads[0].Path != "/t" || res.Leads[0].Why != text.Synonym || !slices.Equal(hitIDs(res), []string{"fine", "term"}) {
		t.Fatalf("leads %+v and %v", res.Leads, hitIDs(res))
	}
	if w := res.Hits[0].Why; !slices.Equal(w, []search.Why{{Kind: text.Synonym, Asked: "青切符", Found: "反則金"}}) {
		t.Errorf("why is %v", w)
	}
}

// A name leads to its page as long as a story can be seen that has it, and no longer:
// neither by itself, nor as a correction, nor as a synonym.
func TestLeadsOnlyToWhatIsSeen(t *testing.T) {
	kuonji := story.Name{Kind: story.Person, Name: "久遠寺剛", Reading: "くおんじつよし", Path: "/people/kuonji", Offices: []string{"文部科学大臣"}}
	a := openAsked(t, said("only", "委員会", "質疑", kuonji), said("other", "本会議", "採決"))
	queries := map[string]string{"久遠寺剛": "", "くおんじつよし": text.Reading, "tsuyoshi kuonji": text.Reading, "久遠寺": "", "久遠時剛": search.Correction, "文部科学大臣": search.Office, "久遠寺大臣": ""}
	for q, why := range queries {
		res := a.ask(t, search.Query{Text: q})
		if len(res.Leads) != 1 || res.Leads[0].Path != kuonji.Path || res.Leads[0].Why != why {
			t.Errorf("%s leads to %+v", q, res.Leads)
		}
		if (res.Corrected != "") != (why == search.Correction) {
			t.Errorf("%s is corrected to %q", q, res.Corrected)
		}
	}
	a.desk.TakeBack(t, "only") // the index does not know yet
	for q := range queries {
		if res := a.ask(t, search.Query{Text: q}); len(res.Leads) != 0 || res.Corrected != "" {
			t.Errorf("%s still leads to %+v, corrected to %q", q, res.Leads, res.Corrected)
		}
	}
}

// Namesakes stay apart: each has a page, and an office tells which is meant.
func TestNamesakes(t *testing.T) {
	one := story.Name{Kind: story.Person, Name: "佐伯健一", Path: "/a/people/saeki", Offices: []string{"汐見市議会議員"}}
	other := story.Name{Kind: story.Person, Name: "佐伯健一", Path: "/b/people/saeki", Note: "陶芸家"}
	a := openAsked(t, said("1", "市議会", "質疑", one), said("2", "青磁の窯", "土", other))
	if res := a.ask(t, search.Query{Text: "佐伯健一"}); len(res.Leads) != 2 {
		t.Errorf("leads to %+v", res.Leads)
	}
	for q, want := range map[string]string{"佐伯健一 市議": one.Path, "佐伯健一 陶芸家": other.Path} {
		if res := a.ask(t, search.Query{Text: q}); len(res.Leads) != 1 || res.Leads[0].Path != want {
			t.Errorf("%s leads to %+v, want %s", q, res.Leads, want)
		}
	}
}

// Words that mean a time or a source are filters: in quotation marks they are words.
func TestLimits(t *testing.T) {
	at := func(s story.Text, day, source string) story.Text {
		when, err := time.Parse(time.RFC3339, day)
		if err != nil {
			t.Fatal(err)
		}
		s.Published, s.Source.Name = model.FormatTime(when), source
		return s
	}
	a := openAsked(t, at(said("early", "脱線", "電車"), "2026-11-09T00:30:00+09:00", "みなと新報"), at(said("late", "脱線の調べ", "電車"), "2026-11-15T23:30:00+09:00", "灯台通信"),
		at(said("before", "脱線", "電車"), "2026-11-08T23:30:00+09:00", "みなと新報"), at(said("word", "先週の脱線", "電車"), "2026-11-01T09:00:00+09:00", "灯台通信"))
	for _, tc := range []struct {
		query string
		want  []string
		kinds int
	}{
		{"先週 脱線", []string{"early", "late"}, 1}, {"脱線 last week", []string{"early", "late"}, 1}, {`"先週" 脱線`, []string{"word"}, 0},
		{"みなと新報 脱線", []string{"before", "early"}, 1}, {"みなと新報 先週 脱線", []string{"early"}, 2},
	} {
		res := a.ask(t, search.Query{Text: tc.query})
		if got := hitIDs(res); !slices.Equal(got, tc.want) || len(res.Limits) != tc.kinds {
			t.Errorf("%s finds %v with %+v, want %v", tc.query, got, res.Limits, tc.want)
		}
	}
	day := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	if res := a.ask(t, search.Query{Text: "先週 脱線", From: day, To: day}); len(res.Limits) != 0 {
		t.Errorf("a filter is replaced by words: %+v", res.Limits)
	}
}

// What is corrected is said, and its pages follow one another.
func TestCorrectedPages(t *testing.T) {
	var texts []story.Text
	for _, id := range []string{"a", "b", "c"} {
		texts = append(texts, said(id, "Harrowmere "+id, "flood"))
	}
	a := openAsked(t, texts...)
	seen := map[string]bool{}
	for q, pages := (search.Query{Text: "harowmere", Limit: 1}), 0; ; pages++ {
		res := a.ask(t, q)
		if res.Corrected != "harrowmere" || pages > 3 {
			t.Fatalf("page %d is corrected to %q", pages, res.Corrected)
		}
		for _, h := range res.Hits {
			seen[h.ID] = true
		}
		if q.Cursor = res.Next; q.Cursor == "" {
			break
		}
	}
	if len(seen) != 3 {
		t.Errorf("the pages have %v", seen)
	}
	a.ask(t, search.Query{Text: "A wa"}) // too short to have a slip
	if res := a.ask(t, search.Query{Text: `"harowmere"`}); res.Corrected != "" || len(res.Hits) != 0 {
		t.Errorf("quoted words are corrected to %q", res.Corrected)
	}
}
