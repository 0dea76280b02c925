package web

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"time"

	"pressroom/internal/errs"
	"pressroom/internal/story"
)

// Sizes of the front page.
const (
	homeStories = 24 // of a page of the stream
	homeWords   = 8  // that are used most
	feedStories = 40
)

// home is what the front page shows.
type home struct {
	Lead  *Story
	Rest  []Story // beside the lead
	Under []Story // below it
	Days  []day   // the stream
	Next  string
	// Desks and Languages are the filters.
	Desks, Languages []Tab
	Filtered, Later  bool // it is not all stories, not the first page
	Feed             FeedLink
	Feeds            []FeedLink // of each desk
	Words            []Word
	WordsPath        string
}

// day is the stories of one day.
type day struct {
	Date    time.Time
	Name    string // today and yesterday have one
	Stories []Story
}

// filterOf reads what the address asks for. A desk or language that there is not
// is errs.NotFound.
func (s *Site) filterOf(r *http.Request) (streamFilter, error) {
	query := r.URL.Query()
	f := streamFilter{Desk: query.Get("desk"), Language: query.Get("language")}
	if _, ok := s.section(f.Desk); f.Desk != "" && !ok {
		return f, errs.New(errs.NotFound, "There is no such desk.")
	}
	if f.Language != "" && !slices.Contains(Languages, f.Language) {
		return f, errs.New(errs.NotFound, "There are no stories in this language.")
	}
	return f, nil
}

// query is the filter as the query of an address.
func (f streamFilter) query() string {
	query := url.Values{}
	if f.Desk != "" {
		query.Set("desk", f.Desk)
	}
	if f.Language != "" {
		query.Set("language", f.Language)
	}
	return query.Encode()
}

func (f streamFilter) path() string {
	if query := f.query(); query != "" {
		return "/?" + query
	}
	return "/"
}

// titleOf names the stream by its filter; "" without one.
func (s *Site) titleOf(r *http.Request, f streamFilter) string {
	lang := s.Lang(r)
	name := s.nameOf(lang, f.Desk)
	switch {
	case f.Language == "":
		return name
	case name == "":
		return s.text(lang, "home.in", s.text(lang, "home.language."+f.Language))
	}
	return s.text(lang, "home.desk.in", name, s.text(lang, "home.language."+f.Language))
}

func (s *Site) showHome(w http.ResponseWriter, r *http.Request) error {
	return s.homeAt(w, r, s.o.Now())
}

// homeAt is the front page with what editors pinned for a time.
func (s *Site) homeAt(w http.ResponseWriter, r *http.Request, at time.Time) error {
	f, err := s.filterOf(r)
	if err != nil {
		return err
	}
	cursor := r.URL.Query().Get("cursor")
	var words []Word
	ask := make(chan struct{})
	go func() {
		defer close(ask)
		words = s.mostUsed(r.Context(), s.Lang(r))
	}()
	fold := threads.others
	if f.Desk != "" { // a desk's list has all that the desk published
		fold = threads.printings
	}
	var top pinned
	if f == (streamFilter{}) {
		if top, err = s.pinned(r.Context(), s.Lang(r), at); err != nil {
			<-ask
			return err
		}
	}
	limit := homeStories
	if cursor == "" {
		limit -= len(top.stories)
	}
	stories, around, err := s.foldedStream(r.Context(), f, cursor, limit, fold, top.has)
	<-ask
	if err != nil {
		return err
	}
	title := s.titleOf(r, f)
	data := s.compose(r, f, top, stories, around, cursor == "" && f == (streamFilter{}))
	data.Later, data.Words = cursor != "", words
	data.Feed = FeedLink{Path: "/feed", Query: f.query(), Title: s.Name()}
	if title != "" {
		data.Feed.Title += " · " + title
	}
	page := Page{
		Title: title, Description: s.description(s.Lang(r)), Canonical: f.path(),
		Feeds: []FeedLink{data.Feed}, Data: data, NoIndex: cursor != "" || len(stories.Items) == 0 && data.Filtered,
	}
	if data.Lead != nil {
		page.Image = data.Lead.Image
	}
	if page.Image == "" {
		page.Image = firstPicture(stories.Items)
	}
	return s.Render(w, r, s.shell, "home", page)
}

func firstPicture(stories []story.Story) string {
	for i := range stories {
		if path := stories[i].Picture.Path; path != "" {
			return path
		}
	}
	return ""
}

// FirstImage is what stands for a list where others show a link to it: the first
// picture in it; "" if it has none.
func FirstImage(stories []Story) string {
	for i := range stories {
		if stories[i].Image != "" {
			return stories[i].Image
		}
	}
	return ""
}

// wordsTimeout is how long the page waits for them.
const wordsTimeout = 3 * time.Second

// mostUsed are the terms that are used most. Without them the page goes out all the
// same.
func (s *Site) mostUsed(ctx context.Context, lang string) []Word {
	if s.trending == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, wordsTimeout)
	defer cancel()
	words, err := s.trending.Load(ctx, lang, homeWords)
	if err != nil {
		s.o.Log.ErrorContext(ctx, "trending terms are missing on the front page", "error", err)
		return nil
	}
	return words
}

// compose lays a page of the stream out. With headlines, the newest stories of the
// desks stand at its top.
func (s *Site) compose(r *http.Request, f streamFilter, top pinned, page story.Page, around threads, headlines bool) home {
	lang := s.Lang(r)
	h := home{Next: page.Next, Filtered: f != (streamFilter{})}
	h.Desks = append(h.Desks, Tab{s.text(lang, "home.all"), streamFilter{Language: f.Language}.path(), f.Desk == ""})
	for _, section := range s.front {
		name := s.text(lang, section.Key)
		h.Desks = append(h.Desks, Tab{name, streamFilter{section.Desk, f.Language}.path(), f.Desk == section.Desk})
		h.Feeds = append(h.Feeds, FeedLink{Path: "/feed", Query: streamFilter{Desk: section.Desk}.query(), Title: name})
	}
	h.Languages = append(h.Languages, Tab{s.text(lang, "home.language.any"), streamFilter{Desk: f.Desk}.path(), f.Language == ""})
	for _, language := range Languages {
		h.Languages = append(h.Languages, Tab{s.text(lang, "home.language."+language), streamFilter{f.Desk, language}.path(), f.Language == language})
	}
	if s.trending != nil {
		h.WordsPath = s.trending.Path
	}
	stories, desks := make([]Story, len(page.Items)), make([]string, len(page.Items))
	for i := range page.Items {
		stories[i], desks[i] = s.card(lang, &page.Items[i]), page.Items[i].Desk
		around.on(s, lang, page.Items[i].Ref, &stories[i])
		if f.Desk == "" {
			stories[i].Desk = s.nameOf(lang, desks[i])
		}
	}
	if headlines {
		stories = s.headlines(&h, lang, s.topCards(lang, top), stories, desks)
	}
	h.Days = s.byDay(lang, stories)
	return h
}

// Headlines of the front page: one leads, and so many stand beside and below it.
const (
	besideLead = 3
	belowLead  = 2

	headlineCount = 1 + besideLead + belowLead
)

// headlines takes the stories for the top of the page out of the stream: in turns
// the newest of each desk, so that none has the page for itself. One with a picture
// leads, if it is among the first of its desk. Stories in the language of the page come
// before all others. What editors pinned comes before all of them, as they ordered it. It
// returns the rest.
func (s *Site) headlines(h *home, lang string, pinned, stories []Story, desks []string) []Story {
	type kind struct {
		desk    string
		foreign int // 1 for another language than the page's
	}
	kinds := make([]kind, len(stories))
	rank := make([]int, len(stories)) // how many of its kind are newer
	met := map[kind]int{}
	var order []int // of the stories, by turns
	for i, desk := range desks {
		kinds[i].desk = desk
		if stories[i].Lang != "" && stories[i].Lang != lang {
			kinds[i].foreign = 1
		}
		rank[i] = met[kinds[i]]
		met[kinds[i]]++
		if section, ok := s.section(desk); ok && section.Minor {
			continue
		}
		if rank[i] < 3 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(kinds[a].foreign-kinds[b].foreign, rank[a]-rank[b])
	})
	order = order[:min(len(order), headlineCount-len(pinned))]
	if len(order)+len(pinned) == 0 {
		return stories
	}
	if first := slices.IndexFunc(order, func(i int) bool {
		return stories[i].Image != "" && rank[i] == 0 && kinds[i].foreign == kinds[order[0]].foreign
	}); first > 0 && len(pinned) == 0 {
		lead := order[first]
		order = slices.Insert(slices.Delete(order, first, first+1), 0, lead)
	}
	top := slices.Clone(pinned)
	for _, i := range order {
		top = append(top, stories[i])
	}
	lead := top[0]
	lead.Level = 2
	h.Lead = &lead
	for n, story := range top[1:] {
		if n < besideLead {
			story.Image = "" // one picture leads
			h.Rest = append(h.Rest, story)
		} else {
			h.Under = append(h.Under, story)
		}
	}
	var others []Story
	for i, story := range stories {
		if !slices.Contains(order, i) {
			others = append(others, story)
		}
	}
	return others
}

// byDay puts stories of one day together, in the paper's time zone.
func (s *Site) byDay(lang string, stories []Story) []day {
	var days []day
	today := s.o.Now().In(s.Location())
	for _, story := range stories {
		date := story.Date.In(s.Location())
		if n := len(days); n == 0 || !sameDay(days[n-1].Date, date) {
			d := day{Date: date}
			switch {
			case sameDay(date, today):
				d.Name = s.text(lang, "home.today")
			case sameDay(date, today.AddDate(0, 0, -1)):
				d.Name = s.text(lang, "home.yesterday")
			}
			days = append(days, d)
		}
		days[len(days)-1].Stories = append(days[len(days)-1].Stories, story)
	}
	return days
}

func sameDay(a, b time.Time) bool { return a.Format(time.DateOnly) == b.Format(time.DateOnly) }

// serveFeed answers with the newest stories of all desks, or of those that the
// filter lets through.
func (s *Site) serveFeed(w http.ResponseWriter, r *http.Request) error {
	f, err := s.filterOf(r)
	if err != nil {
		return err
	}
	lang := s.Lang(r)
	page, _, err := s.foldedStream(r.Context(), f, r.URL.Query().Get("cursor"), feedStories, threads.printings, nil)
	if err != nil {
		return err
	}
	out := StoryFeed{
		Title: s.Name(), Description: s.description(lang), Home: f.path(), Query: mustQuery(f.query()), Next: page.Next, Stories: page.Items,
	}
	if title := s.titleOf(r, f); title != "" {
		out.Title += " · " + title
	}
	return s.ServeFeed(w, r, out)
}

// mustQuery reads a query that was made here.
func mustQuery(text string) url.Values {
	query, err := url.ParseQuery(text)
	if err != nil {
		return url.Values{}
	}
	return query
}
