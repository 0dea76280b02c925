package web

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"pressroom/internal/auth"
	"pressroom/internal/errs"
	"pressroom/internal/kept"
	"pressroom/internal/story"
)

// pinned is what editors put at the top of the front page.
type pinned struct {
	stories []story.Story
	around  threads
	met     map[story.Ref]bool // they, and what is told with them
}

// has tells whether a story stands at the top, or is told with one that does.
func (p pinned) has(ref story.Ref) bool { return p.met[ref] }

// pinned returns the stories that have a place at a time, in a language, as they are now:
// the place of one that is not to be seen is the next one's.
func (s *Site) pinned(ctx context.Context, lang string, at time.Time) (pinned, error) {
	p := pinned{met: map[story.Ref]bool{}}
	if s.o.Stories == nil {
		return p, nil
	}
	f, err := s.o.Stories.Front(ctx, lang)
	if err != nil {
		return p, err
	}
	var refs []story.Ref
	for i := range f.Places {
		place := &f.Places[i]
		if place.Holds(at) != place.Holds(at.Add(keptFor)) {
			kept.Unsure(ctx) // a page that is kept must not outlive it
		}
		if _, ok := s.section(place.Desk); ok && place.Holds(at) {
			refs = append(refs, place.Ref)
		}
	}
	if refs == nil {
		return p, nil
	}
	if p.stories, err = s.o.Stories.Get(ctx, refs...); err != nil {
		return p, err
	}
	p.stories = p.stories[:min(len(p.stories), headlineCount)]
	if p.around, err = s.around(ctx, p.stories); err != nil {
		return p, err
	}
	for i := range p.stories {
		ref := p.stories[i].Ref
		p.met[ref] = true
		for _, other := range p.around.others(ref) {
			p.met[other.Ref] = true
		}
	}
	return p, nil
}

// topCards are the pinned stories as the page shows them.
func (s *Site) topCards(lang string, p pinned) []Story {
	cards := make([]Story, len(p.stories))
	for i := range p.stories {
		st := &p.stories[i]
		cards[i] = s.card(lang, st)
		p.around.on(s, lang, st.Ref, &cards[i])
		cards[i].Desk = s.nameOf(lang, st.Desk)
	}
	return cards
}

// Finder finds stories that everyone may see by words.
type Finder func(ctx context.Context, text string, most int) ([]story.Story, error)

// Finds lets editors look for stories by words.
func (s *Site) Finds(find Finder) { s.find = find }

const frontPath = "/office/front"

func (s *Site) frontRoutes() {
	s.Get(frontPath, auth.Moderator, s.showFront)
	s.Post(frontPath, auth.Moderator, s.changeFront)
	s.Get(frontPath+"/preview", auth.Moderator, s.previewFront)
}

// frontForm is what the page of the front page shows.
type frontForm struct {
	Language  string
	Languages []Tab
	Version   int
	Places    []placeView
	Found     []foundStory
	Words     string // that were looked for
	Zone      string
	Full      bool
}

// placeView is a place as the editors see it.
type placeView struct {
	story.Ref
	Title, Lang string // the id if the story is not to be seen
	Path        string
	State       string // shown, waits, over, gone, below
	Place       int    // at the top, from 1; 0 if it is not there now
	From, Until string // as forms have them
	Moved       string // up or down, if it was just moved
	First, Last bool
}

// foundStory is one that can be pinned.
type foundStory struct {
	story.Ref
	Story
}

// localTime is how forms write a time.
const localTime = "2006-01-02T15:04"

// foundMost is how many stories are offered.
const foundMost = 12

// frontLanguage is the language whose front page is meant.
func (s *Site) frontLanguage(r *http.Request) string {
	if lang := known(r.FormValue("language")); lang != "" {
		return lang
	}
	return s.Lang(r)
}

func (s *Site) showFront(w http.ResponseWriter, r *http.Request) error {
	return s.frontPage(w, r, nil)
}

func (s *Site) frontPage(w http.ResponseWriter, r *http.Request, problem error) error {
	lang := s.frontLanguage(r)
	f, err := s.o.Stories.Front(r.Context(), lang)
	if err != nil {
		return err
	}
	form := frontForm{Language: lang, Version: f.Version, Zone: s.Location().String(), Words: r.FormValue("q"), Full: len(f.Places) >= story.MaxPlaces}
	for _, one := range s.Shown() {
		form.Languages = append(form.Languages, Tab{s.T(r, "home.language."+one), frontPath + "?language=" + one, one == lang})
	}
	if form.Places, err = s.placeViews(r, f); err != nil {
		return err
	}
	if form.Found, err = s.offered(r, lang, f); err != nil {
		return err
	}
	page := Page{Title: s.T(r, "front.title"), NoIndex: true, Private: true, Problem: problem, Data: form}
	if problem != nil {
		page.Status = StatusOf(problem)
	}
	return s.Render(w, r, s.shell, "frontpage", page)
}

// placeViews says of each place what readers see of it now.
func (s *Site) placeViews(r *http.Request, f story.Front) ([]placeView, error) {
	var refs []story.Ref
	for _, p := range f.Places {
		refs = append(refs, p.Ref)
	}
	if refs == nil {
		return nil, nil
	}
	stories, err := s.o.Stories.Get(r.Context(), refs...)
	if err != nil {
		return nil, err
	}
	cards := map[story.Ref]*story.Story{}
	for i := range stories {
		cards[stories[i].Ref] = &stories[i]
	}
	now, zone, shown := s.o.Now(), s.Location(), 0
	local := func(text string) string {
		if text == "" {
			return ""
		}
		return story.Time(text).In(zone).Format(localTime)
	}
	views := make([]placeView, len(f.Places))
	for i, p := range f.Places {
		v := placeView{Ref: p.Ref, Title: p.ID, From: local(p.From), Until: local(p.Until), First: i == 0, Last: i == len(f.Places)-1}
		if r.FormValue("moved") == p.Ref.String() {
			v.Moved = r.FormValue("way")
		}
		if card := cards[p.Ref]; card != nil {
			v.Title, v.Path, v.Lang = card.Title, card.Path, card.Language
		}
		switch {
		case v.Path == "":
			v.State = "gone"
		case p.Over(now):
			v.State = "over"
		case !p.Holds(now):
			v.State = "waits"
		case shown == headlineCount:
			v.State = "below"
		default:
			shown++
			v.State, v.Place = "shown", shown
		}
		views[i] = v
	}
	return views, nil
}

// offered are stories without a place: those that fit the words, or the newest.
func (s *Site) offered(r *http.Request, lang string, f story.Front) ([]foundStory, error) {
	var stories []story.Story
	var err error
	if words := strings.TrimSpace(r.FormValue("q")); words != "" && s.find != nil {
		stories, err = s.find(r.Context(), words, foundMost)
	} else {
		var page story.Page
		page, err = s.stream(r.Context(), streamFilter{Language: lang}, "", foundMost)
		stories = page.Items
	}
	if err != nil {
		return nil, err
	}
	var out []foundStory
	for i := range stories {
		ref := stories[i].Ref
		if !slices.ContainsFunc(f.Places, func(p story.Place) bool { return p.Ref == ref }) {
			out = append(out, foundStory{ref, s.Found(s.Lang(r), &stories[i])})
		}
	}
	return out, nil
}

// changeFront does one thing to the places: pin, remove, up, down, or set the times.
func (s *Site) changeFront(w http.ResponseWriter, r *http.Request) error {
	lang := s.frontLanguage(r)
	f, err := s.o.Stories.Front(r.Context(), lang)
	if err != nil {
		return err
	}
	ref := story.Ref{Desk: r.PostFormValue("desk"), ID: r.PostFormValue("id")}
	action := r.PostFormValue("action")
	if strconv.Itoa(f.Version) != r.PostFormValue("version") {
		err = errs.Stale
	} else {
		err = s.moveOnFront(r, &f, ref, action)
	}
	if err == nil {
		err = s.o.Stories.SetFront(r.Context(), &f)
	}
	if err != nil {
		if kind := errs.KindOf(err); kind == errs.Stale || kind == errs.Invalid {
			return s.frontPage(w, r, err)
		}
		return err
	}
	back := url.Values{"language": {lang}}
	if words := r.PostFormValue("q"); words != "" {
		back.Set("q", words)
	}
	if action == "up" || action == "down" { // the focus stays on the button
		back.Set("moved", ref.String())
		back.Set("way", action)
	}
	return s.Redirect(w, r, frontPath+"?"+back.Encode())
}

// moveOnFront changes the places as somebody asks.
func (s *Site) moveOnFront(r *http.Request, f *story.Front, ref story.Ref, action string) error {
	at := slices.IndexFunc(f.Places, func(p story.Place) bool { return p.Ref == ref })
	if at < 0 && action != "pin" {
		return errs.Stale
	}
	switch action {
	case "pin":
		cards, err := s.o.Stories.Get(r.Context(), ref)
		if err != nil {
			return err
		}
		if _, ok := s.section(ref.Desk); !ok || len(cards) == 0 {
			return errs.New(errs.Invalid, "This story is no longer to be seen.")
		}
		f.Places = append(f.Places, story.Place{Ref: ref})
	case "remove":
		f.Places = slices.Delete(f.Places, at, at+1)
	case "up":
		if at > 0 {
			f.Places[at-1], f.Places[at] = f.Places[at], f.Places[at-1]
		}
	case "down":
		if at < len(f.Places)-1 {
			f.Places[at+1], f.Places[at] = f.Places[at], f.Places[at+1]
		}
	case "times":
		return s.readTimes(r, &f.Places[at])
	default:
		return errs.Malformed
	}
	return nil
}

// readTimes reads from and until, in the paper's time zone.
func (s *Site) readTimes(r *http.Request, p *story.Place) error {
	var wrong []errs.Field
	read := func(name string) (t time.Time) {
		var err error
		if text := r.PostFormValue(name); text != "" {
			if t, err = time.ParseInLocation(localTime, text, s.Location()); err != nil {
				wrong = append(wrong, errs.Field{Name: name, Message: "is not a date and a time"})
			}
		}
		return t
	}
	from, until := read("from"), read("until")
	if wrong == nil && !until.IsZero() && !until.After(from) {
		wrong = append(wrong, errs.Field{Name: "until", Message: "must be later than the beginning"})
	}
	if wrong != nil {
		return errs.Validation(wrong...)
	}
	p.Set(from, until)
	return nil
}

// previewFront is the front page as it will be at a time.
func (s *Site) previewFront(w http.ResponseWriter, r *http.Request) error {
	at := s.o.Now()
	if text := r.URL.Query().Get("at"); text != "" {
		t, err := time.ParseInLocation(localTime, text, s.Location())
		if err != nil {
			return errs.Wrap(errors.New(text), errs.Malformed, "")
		}
		at = t
	}
	return s.homeAt(w, r, at)
}
