package newswireweb

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode"

	"pressroom/internal/auth"
	"pressroom/internal/desk/newswire"
	"pressroom/internal/errs"
	"pressroom/internal/web"
)

// source is a list of articles and what is said about it.
type source struct {
	Kind  string // latest, site, category or topic
	Name  string // of the site, category or topic, as shown
	Path  string // of its page
	Title string
	Home  string // of the site itself
	Site  string // its id
	// Follow is the name under which a category or topic is followed.
	Follow string
	find   func(context.Context, newswire.PageOptions) (newswire.Page[newswire.Article], error)
}

// list registers a list's page and its two feeds.
func (p *pages) list(path string, of func(*http.Request) (source, error)) {
	show := func(w http.ResponseWriter, r *http.Request) error {
		from, err := of(r)
		if err != nil {
			return err
		}
		return p.showList(w, r, from)
	}
	follow := func(w http.ResponseWriter, r *http.Request) error {
		from, err := of(r)
		if err != nil {
			return err
		}
		return p.serveFeed(w, r, from)
	}
	p.site.Get(path, auth.Everyone, p.site.Kept(show))
	p.site.Get(path+"/feed.atom", auth.Everyone, follow)
	p.site.Get(path+"/feed.json", auth.Everyone, follow)
}

func (p *pages) latest(r *http.Request) (source, error) {
	return source{Kind: "latest", Path: "/newswire", Title: p.site.T(r, "newswire.title"), find: p.desk.Feed}, nil
}

// ofSite lists a site's articles, also of one that is gone and left some.
func (p *pages) ofSite(r *http.Request) (source, error) {
	id := r.PathValue("site")
	from := source{Kind: "site", Name: id, Path: sitePath(id), Site: id}
	from.find = func(ctx context.Context, o newswire.PageOptions) (newswire.Page[newswire.Article], error) {
		return p.desk.Latest(ctx, id, o)
	}
	s, err := p.desk.GetSite(r.Context(), id)
	switch {
	case err == nil:
		from.Name, from.Home = s.Name, s.BaseURL
	case errs.KindOf(err) != errs.NotFound:
		return from, err
	default:
		left, err := p.desk.Latest(r.Context(), id, newswire.PageOptions{Limit: 1})
		if err != nil {
			return from, err
		}
		if len(left.Items) == 0 {
			return from, fmt.Errorf("site %s: %w", id, errs.NotFound)
		}
	}
	from.Title = p.site.T(r, "newswire.site.title", from.Name)
	return from, nil
}

func (p *pages) ofCategory(r *http.Request) (source, error) {
	category := r.PathValue("category")
	if !slices.Contains(newswire.Categories(), category) {
		return source{}, fmt.Errorf("category %q: %w", category, errs.NotFound)
	}
	name := p.site.T(r, "newswire.category."+category)
	from := source{Kind: "category", Name: name, Path: categoryPath(category), Title: name, Follow: category}
	from.find = func(ctx context.Context, o newswire.PageOptions) (newswire.Page[newswire.Article], error) {
		return p.desk.ByCategory(ctx, category, o)
	}
	return from, nil
}

func (p *pages) ofTopic(r *http.Request) (source, error) {
	topic := r.PathValue("topic")
	from := source{Kind: "topic", Name: topic, Follow: topic, Path: topicPath(topic), Title: p.site.T(r, "newswire.topic.title", topic)}
	from.find = func(ctx context.Context, o newswire.PageOptions) (newswire.Page[newswire.Article], error) {
		return p.desk.ByTopic(ctx, topic, o)
	}
	return from, nil
}

// listPage is a list of articles and the ways to others.
type listPage struct {
	source
	Stories []web.Story
	Next    string
	Tabs    []web.Tab
	Sites   []link // to the sites' own lists
	Topics  []link // of the articles on the page
}

type link struct{ Name, Path string }

func (p *pages) showList(w http.ResponseWriter, r *http.Request, from source) error {
	found, err := from.find(r.Context(), pageOf(r))
	if err != nil {
		return err
	}
	if found.Items, err = p.desk.Visible(r.Context(), found.Items); err != nil {
		return err
	}
	data := listPage{source: from, Next: found.Next, Topics: topicsOf(found.Items)}
	if data.Stories, err = p.site.Cards(r, newswire.Schema.Name, idsOf(found.Items)); err != nil {
		return err
	}
	if data.Sites, err = p.sources(r.Context()); err != nil {
		return err
	}
	data.Tabs = p.tabs(r, from.Path)
	return p.site.Render(w, r, p.views, "list", web.Page{
		Title: from.Title, Description: p.site.T(r, "newswire.description"), Canonical: from.Path,
		Feeds:   []web.FeedLink{{Path: from.Path + "/feed", Title: from.Title}},
		NoIndex: len(data.Stories) == 0 && from.Kind != "latest", Image: web.FirstImage(data.Stories), Data: data,
	})
}

// tabs lead to all articles and to those of each category.
func (p *pages) tabs(r *http.Request, current string) []web.Tab {
	tabs := []web.Tab{{Title: p.site.T(r, "newswire.all"), Path: "/newswire", Current: current == "/newswire"}}
	for _, c := range newswire.Categories() {
		path := categoryPath(c)
		tabs = append(tabs, web.Tab{Title: p.site.T(r, "newswire.category."+c), Path: path, Current: current == path})
	}
	return tabs
}

// asideSites is how many sites stand beside a list.
const asideSites = 40

func (p *pages) sources(ctx context.Context) ([]link, error) {
	found, err := p.desk.ListSites(ctx, "", newswire.PageOptions{Limit: asideSites})
	if err != nil {
		return nil, err
	}
	var all []link
	for _, s := range found.Items {
		all = append(all, link{s.Name, sitePath(s.SiteID)})
	}
	slices.SortFunc(all, func(a, b link) int { return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)) })
	return all, nil
}

// topicsOf are the topics of some articles, the most frequent first.
func topicsOf(articles []newswire.Article) []link {
	count := map[string]int{}
	var names []string
	for _, a := range articles {
		for _, t := range a.Topics {
			if count[t]++; count[t] == 1 {
				names = append(names, t)
			}
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return count[b] - count[a] })
	var all []link
	for _, t := range names[:min(len(names), 20)] {
		all = append(all, link{t, topicPath(t)})
	}
	return all
}

// idsOf are the stories of articles.
func idsOf(articles []newswire.Article) []string {
	ids := make([]string, len(articles))
	for i := range articles {
		ids[i] = articles[i].StoryID()
	}
	return ids
}

// orElse is the name of a site, or its id if the site is gone.
func orElse(name, id string) string {
	if name != "" {
		return name
	}
	return id
}

// nameOr is the name of a site, or its id if the site is gone.
func nameOr(names map[string]string, id string) string {
	return orElse(names[id], id)
}

// shorten cuts a text to about so many characters, counting wide ones twice, and
// prefers the end of a sentence or a word.
func shorten(text string, most int) string {
	text = strings.Join(strings.Fields(text), " ")
	width, sentence, word := 0, 0, 0
	for i, r := range text {
		if width += 1; r > 0x2e80 {
			width++
		}
		if width > most {
			switch {
			case sentence > i/2:
				return text[:sentence]
			case word > i/2:
				return text[:word] + "…"
			}
			return text[:i] + "…"
		}
		switch {
		case r == '。' || r == '！' || r == '？':
			sentence = i + len(string(r))
		case r == ' ' && i > 0 && strings.ContainsRune(".!?", rune(text[i-1])):
			sentence, word = i, i
		case r == ' ':
			word = i
		}
	}
	return text
}

// languageOf is "ja" for a text with kana, and "" for what may be any language.
func languageOf(text string) string {
	if strings.ContainsFunc(text, func(r rune) bool { return unicode.In(r, unicode.Hiragana, unicode.Katakana) }) {
		return "ja"
	}
	return ""
}

// lists are the pages of the categories.
func (p *pages) lists(_ context.Context, yield func(string) bool) error {
	for _, c := range newswire.Categories() {
		if !yield(categoryPath(c)) {
			return nil
		}
	}
	return nil
}
