package demo

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"

	"pressroom/internal/desk/newswire"
)

// newsSite is a news site of the world outside, as its file site.json has it.
type newsSite struct {
	ID       string            `json:"-"`
	Name     string            `json:"name"`
	Tagline  string            `json:"tagline"`
	Category string            `json:"category"`
	Language string            `json:"language"`
	Timezone string            `json:"timezone"`
	Encoding string            `json:"encoding"` // "" for UTF-8
	Feed     string            `json:"feed"`     // rss, atom, json, or "" for none
	Sitemap  bool              `json:"sitemap"`
	Down     bool              `json:"down"`    // it answers nothing but 503
	Licence  string            `json:"licence"` // of texts and pictures; "" for none
	Windows  []newswire.Window `json:"windows"`

	stories []report
	mark    *Mark
}

// report is one of a site's articles.
type report struct {
	file
	at    time.Time
	after int // minutes after which it is there; 0 for always
}

func (s *report) path() string { return "/news/" + s.name }

// Title and the others are for the templates.
func (s *report) Title() string        { return s.get("title") }
func (s *report) Author() string       { return s.get("author") }
func (s *report) Path() string         { return s.path() }
func (s *report) Published() string    { return s.at.Format(time.RFC3339) }
func (s *report) Paragraphs() []string { return split(s.text, "\n\n") }
func (s *report) Picture() string      { return s.get("picture") }
func (s *report) Shows() string        { return s.get("shows") }

func readSites(mark *Mark) ([]*newsSite, error) {
	found, err := fs.Glob(embedded, "content/sites/*/site.json")
	if err != nil {
		return nil, err
	}
	var all []*newsSite
	for _, name := range found {
		s := &newsSite{ID: path.Base(path.Dir(name)), mark: mark}
		data, err := embedded.ReadFile(name)
		if err == nil {
			err = json.Unmarshal(data, s)
		}
		if err == nil {
			err = s.readStories()
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, s)
	}
	return all, nil
}

func (s *newsSite) readStories() error {
	files, err := readAll("sites/" + s.ID)
	if err != nil {
		return err
	}
	zone, err := time.LoadLocation(s.Timezone)
	if err != nil {
		return err
	}
	for _, f := range files {
		n, err := f.numbers("days", "hours", "after")
		if err != nil {
			return err
		}
		at := s.mark.ago(n["days"], n["hours"]).Add(time.Duration(n["after"]) * time.Minute)
		s.stories = append(s.stories, report{file: f, at: at.In(zone), after: n["after"]})
	}
	slices.SortFunc(s.stories, func(a, b report) int { return b.at.Compare(a.at) })
	return nil
}

// handler serves the site; base gives its own address.
func (s *newsSite) handler(base func() string, now func() time.Time) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /robots.txt", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, "User-agent: *\nDisallow: /members/\n")
		if s.Sitemap {
			fmt.Fprintf(w, "Sitemap: %ssitemap.xml\n", base())
		}
	})
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { s.page(w, homePage, s.view(now)) })
	mux.HandleFunc("GET /members/{$}", func(w http.ResponseWriter, _ *http.Request) { s.page(w, membersPage, s.view(now)) })
	mux.HandleFunc("GET /news/{name}", func(w http.ResponseWriter, r *http.Request) { s.serveStory(w, r, now) })
	mux.HandleFunc("GET /pictures/{name}", func(w http.ResponseWriter, r *http.Request) {
		drawn, err := draw(r.PathValue("name"))
		if err != nil {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "image/png")
		_, _ = w.Write(drawn)
	})
	mux.HandleFunc("GET /feed", func(w http.ResponseWriter, r *http.Request) { s.serveFeed(w, r, strings.TrimSuffix(base(), "/"), now) })
	mux.HandleFunc("GET /sitemap.xml", func(w http.ResponseWriter, r *http.Request) {
		s.serveSitemap(w, r, strings.TrimSuffix(base(), "/"), now)
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.Down && r.URL.Path != "/robots.txt" {
			http.Error(w, "maintenance", http.StatusServiceUnavailable)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// view is what the templates show.
type view struct {
	*newsSite
	Stories []report
	Story   *report
}

func (s *newsSite) view(now func() time.Time) view {
	v := view{newsSite: s}
	for _, one := range s.stories {
		if visible(s.mark, now, one.after) {
			v.Stories = append(v.Stories, one)
		}
	}
	return v
}

func (s *newsSite) serveStory(w http.ResponseWriter, r *http.Request, now func() time.Time) {
	v := s.view(now)
	i := slices.IndexFunc(v.Stories, func(one report) bool { return one.name == r.PathValue("name") })
	switch {
	case i < 0:
		http.NotFound(w, r)
	case v.Stories[i].get("broken") != "":
		http.Error(w, "the page cannot be made", http.StatusInternalServerError)
	default:
		v.Story = &v.Stories[i]
		s.page(w, storyPage, v)
	}
}

const pageHead = `<!doctype html><html lang="{{.Language}}"><head><meta charset="{{or .Encoding "utf-8"}}">
<style>body{font:1rem/1.7 sans-serif;max-width:44rem;margin:2rem auto;padding:0 1rem;color:#222}a{color:#064f8c}footer{color:#666;font-size:.85rem}</style>
{{if .Feed}}<link rel="alternate" type="application/{{if eq .Feed "json"}}feed+json{{else}}{{.Feed}}+xml{{end}}" href="/feed">{{end}}`

const pageFoot = `<footer><p>{{.Name}} — {{.Tagline}}</p><p>Fictional; part of the Pressroom demo. 実演用の架空のサイトです。</p></footer></body></html>`

var (
	homePage = template.Must(template.New("home").Parse(pageHead + `<title>{{.Name}}</title><meta property="og:type" content="website"></head>
<body><h1>{{.Name}}</h1><p>{{.Tagline}}</p><ul>{{range .Stories}}<li><a href="{{.Path}}">{{.Title}}</a></li>
{{end}}</ul><p><a href="/members/">Members</a></p>` + pageFoot))
	membersPage = template.Must(template.New("members").Parse(pageHead + `<title>{{.Name}}</title></head><body><p>For members.</p>` + pageFoot))
	storyPage   = template.Must(template.New("story").Parse(pageHead + `<title>{{.Story.Title}} | {{.Name}}</title>
<meta property="og:type" content="article"><meta property="og:title" content="{{.Story.Title}}"><meta property="og:site_name" content="{{.Name}}">
<meta property="article:published_time" content="{{.Story.Published}}"><meta name="author" content="{{.Story.Author}}">{{with .Story.Picture}}<meta property="og:image" content="/pictures/{{.}}"><meta property="og:image:alt" content="{{$.Story.Shows}}">{{end}}</head>
<body><header><nav><a href="/">{{.Name}}</a></nav><h1>{{.Story.Title}}</h1></header><article>{{range .Story.Paragraphs}}<p>{{.}}</p>
{{end}}</article>` + pageFoot))
)

// page writes a page in the site's encoding.
func (s *newsSite) page(w http.ResponseWriter, t *template.Template, v view) {
	var b strings.Builder
	if err := t.Execute(&b, v); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	text := b.String()
	if s.Encoding == "Shift_JIS" {
		encoded, err := encoding.HTMLEscapeUnsupported(japanese.ShiftJIS.NewEncoder()).String(text)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		text = encoded
	}
	w.Header().Set("Content-Type", "text/html")
	fmt.Fprint(w, text)
}

type rssFeed struct {
	XMLName xml.Name  `xml:"rss"`
	Version string    `xml:"version,attr"`
	Title   string    `xml:"channel>title"`
	Link    string    `xml:"channel>link"`
	Items   []rssItem `xml:"channel>item"`
}

type rssItem struct {
	Title   string `xml:"title"`
	Link    string `xml:"link"`
	PubDate string `xml:"pubDate"`
}

type atomFeed struct {
	XMLName xml.Name    `xml:"http://www.w3.org/2005/Atom feed"`
	Title   string      `xml:"title"`
	ID      string      `xml:"id"`
	Entries []atomEntry `xml:"entry"`
}

type atomEntry struct {
	Title     string   `xml:"title"`
	ID        string   `xml:"id"`
	Published string   `xml:"published"`
	Updated   string   `xml:"updated"`
	Link      atomLink `xml:"link"`
}

type atomLink struct {
	Href string `xml:"href,attr"`
}

type jsonItem struct {
	ID        string `json:"id"`
	URL       string `json:"url"`
	Title     string `json:"title"`
	Published string `json:"date_published"`
}

func (s *newsSite) serveFeed(w http.ResponseWriter, r *http.Request, base string, now func() time.Time) {
	rss := rssFeed{Version: "2.0", Title: s.Name, Link: base}
	atom := atomFeed{Title: s.Name, ID: base}
	items := []jsonItem{}
	for _, one := range s.view(now).Stories {
		link := base + one.path()
		rss.Items = append(rss.Items, rssItem{one.Title(), link, one.at.Format(time.RFC1123Z)})
		atom.Entries = append(atom.Entries, atomEntry{one.Title(), link, one.Published(), one.Published(), atomLink{link}})
		items = append(items, jsonItem{link, link, one.Title(), one.Published()})
	}
	switch s.Feed {
	case "rss":
		writeXML(w, "application/rss+xml", rss)
	case "atom":
		writeXML(w, "application/atom+xml", atom)
	case "json":
		w.Header().Set("Content-Type", "application/feed+json")
		feed := map[string]any{"version": "https://jsonfeed.org/version/1.1", "title": s.Name, "home_page_url": base, "items": items}
		_ = json.NewEncoder(w).Encode(feed) // the caller has gone
	default:
		http.NotFound(w, r)
	}
}

func writeXML(w http.ResponseWriter, kind string, v any) {
	w.Header().Set("Content-Type", kind)
	fmt.Fprint(w, xml.Header)
	_ = xml.NewEncoder(w).Encode(v) // the caller has gone
}

type sitemap struct {
	XMLName xml.Name     `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 urlset"`
	URLs    []sitemapURL `xml:"url"`
}

type sitemapURL struct {
	Loc     string `xml:"loc"`
	LastMod string `xml:"lastmod"`
}

func (s *newsSite) serveSitemap(w http.ResponseWriter, r *http.Request, base string, now func() time.Time) {
	if !s.Sitemap {
		http.NotFound(w, r)
		return
	}
	var all sitemap
	for _, one := range s.view(now).Stories {
		all.URLs = append(all.URLs, sitemapURL{base + one.path(), one.Published()})
	}
	writeXML(w, "application/xml", all)
}
