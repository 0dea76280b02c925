package blogweb

import (
	"cmp"
	"html/template"
	"net/http"
	"strings"
	"time"

	"pressroom/internal/desk/blog"
	"pressroom/internal/story"
	"pressroom/internal/web"
)

// postPage is a post as readers see it.
type postPage struct {
	*blog.Article
	Body         template.HTML
	TagLinks     []tagLink
	Byline       string // who wrote it
	Part         *blog.Part
	Translations []web.Alternate // others, with their paths
	Older, Newer *web.Story
	Changed      bool // well after it was published
	Expires      time.Time
}

// Focus has the classes by which the cover is cut.
func (p postPage) Focus() string { return web.FocusClass(p.Cover.Focus) }

// fewHeadings is how many headings a post has before it gets a table of contents.
const fewHeadings = 3

// HasContents reports whether the post is worth a table of contents.
func (p postPage) HasContents() bool { return len(p.Contents) >= fewHeadings }

func (p *pages) showPost(w http.ResponseWriter, r *http.Request) error {
	address := r.PathValue("id")
	article, err := p.public.At(r.Context(), address)
	if err != nil {
		return err
	}
	id, canonical := article.ID, postPath(article.ID)
	if article.Slug != "" {
		canonical = postPath(article.Slug)
	}
	if address != id && address != article.Slug {
		// Browsers must not keep it: a post may get an address back that it had before.
		w.Header().Set("Cache-Control", "no-cache")
		http.Redirect(w, r, canonical, http.StatusMovedPermanently)
		return nil
	}
	data := newPostPage(article, p.site.Lang(r))
	if data.Part, err = p.public.Part(r.Context(), id); err != nil {
		return err
	}
	translations, err := p.public.Translations(r.Context(), id)
	if err != nil {
		return err
	}
	alternates := alternatesOf(id, translations)
	for _, a := range alternates {
		if a.URL != canonical {
			data.Translations = append(data.Translations, a)
		}
	}
	older, newer, err := p.public.Neighbours(r.Context(), id)
	if err != nil {
		return err
	}
	data.Older, data.Newer = neighbour(older), neighbour(newer)
	standing, err := p.site.Standing(r, story.Ref{Desk: blog.Schema.Name, ID: id})
	if err != nil {
		return err
	}
	allowPictures(w)
	own := ""
	if strings.HasPrefix(article.Image, mediaPath) {
		own = article.Image
	}
	return p.site.Render(w, r, p.views, "post", web.Page{
		Standing: standing, Title: article.Title, Description: article.Summary, Kind: "article", Image: own, Canonical: canonical, Translations: alternates,
		Feeds: []web.FeedLink{{Path: "/blog/feed", Title: p.site.T(r, "blog.title")}}, Data: data,
	})
}

// SeriesPath is where all parts of the post's series are.
func (p postPage) SeriesPath() string { return seriesPath(p.Part.Series) }

// Before is the part of the series before the post, and After the one after it.
func (p postPage) Before() *web.Story { return neighbour(p.Part.Previous) }

// After is like Before.
func (p postPage) After() *web.Story { return neighbour(p.Part.Next) }

func newPostPage(a *blog.Article, lang string) postPage {
	data := postPage{Article: a, Body: body(a), Byline: web.JoinNames(lang, a.Authors)}
	data.Changed = a.UpdatedAt.Sub(a.PublishedAt) > 24*time.Hour
	for _, tag := range a.Tags {
		data.TagLinks = append(data.TagLinks, tagLink{Name: tag, Path: tagPath(tag)})
	}
	return data
}

// alternatesOf are the pages of a post and its translations, one for each language. A
// translation into the post's own language, or one that nobody knows, is none.
func alternatesOf(id string, all []blog.Translation) []web.Alternate {
	var found []web.Alternate
	seen := map[string]bool{"": true}
	add := func(t blog.Translation) {
		if !seen[t.Language] {
			seen[t.Language] = true
			found = append(found, web.Alternate{Lang: t.Language, URL: postPath(cmp.Or(t.Slug, t.ID))})
		}
	}
	for _, own := range []bool{true, false} {
		for _, t := range all {
			if (t.ID == id) == own {
				add(t)
			}
		}
	}
	if len(found) < 2 {
		return nil
	}
	return found
}

func neighbour(c *blog.Card) *web.Story {
	if c == nil {
		return nil
	}
	story := storyOf(*c)
	return &story
}

// reachable lets the keyboard scroll what is wider than a screen. In safe HTML a
// bare < begins an element.
var reachable = strings.NewReplacer(
	"<pre", `<pre tabindex="0"`,
	"<table>", `<div class="scroll" tabindex="0"><table>`, "</table>", "</table></div>",
)

// A browser takes long to lay out an article of many rows. From longRows on they
// stand in parts of about partHeight, of which it lays out those near the window; the
// style sheet knows the height as well.
const (
	longRows   = 60
	partHeight = 60 // rem
)

// body joins the rows of an article. It is made of safe parts and of nothing that
// an author chose.
func body(a *blog.Article) template.HTML {
	var b strings.Builder
	long := len(a.Rows) >= longRows
	for i, filled := 0, 0.0; i < len(a.Rows); i++ {
		row := a.Rows[i]
		switch {
		case !long:
		case i == 0:
			b.WriteString(`<div class="art-part">`)
		case filled >= partHeight:
			b.WriteString("</div>\n" + `<div class="art-part">`)
			filled = 0
		}
		filled += rowHeight(row)
		b.WriteString(`<div class="art-row ` + rowClass(row.Layout) + `">`)
		for _, cell := range row.Cells {
			b.WriteString(`<div class="cell ` + cellClass(cell.Type) + `">` + string(cell.HTML) + `</div>`)
		}
		b.WriteString("</div>\n")
	}
	if long {
		b.WriteString("</div>\n")
	}
	return template.HTML(reachable.Replace(b.String())) //nolint:gosec // cells are safe, see blog.Cell
}

// rowHeight is about how high a row is, in rem.
func rowHeight(row blog.Row) float64 {
	const line, gap, picture, perLine = 1.7, 1.25, 24, 80
	highest := 0.0
	for _, cell := range row.Cells {
		lines := 1 + len(cell.HTML)*len(row.Cells)/perLine
		height := line * float64(lines)
		switch cell.Type {
		case blog.Image, blog.Video:
			height = picture
		case blog.Code:
			height = line * float64(2+strings.Count(string(cell.HTML), "\n"))
		}
		highest = max(highest, height)
	}
	return highest + gap
}

func rowClass(l blog.RowLayout) string {
	switch l {
	case blog.RowPair:
		return "pair"
	case blog.RowLeft:
		return "left"
	case blog.RowRight:
		return "right"
	}
	return "full"
}

func cellClass(k blog.Kind) string {
	switch k {
	case blog.Image, blog.Code, blog.Quote, blog.Video:
		return string(k)
	}
	return string(blog.Text)
}

func (p *pages) showPreview(w http.ResponseWriter, r *http.Request) error {
	article, expires, err := p.desk.Preview(r.Context(), r.PathValue("token"))
	// Neither the address nor the answer is for others.
	w.Header().Set("Referrer-Policy", "no-referrer")
	if err != nil {
		return err
	}
	data := newPostPage(article, p.site.Lang(r))
	token := r.PathValue("token")
	data.Expires, data.Body = expires, template.HTML(previewing(string(data.Body), token)) //nolint:gosec // it was safe, and what is added is escaped
	if article.Cover != nil {
		shared, cover := *article, *article.Cover
		cover.Src, cover.SrcSet = previewing(cover.Src, token), previewing(cover.SrcSet, token)
		shared.Cover, data.Article = &cover, &shared
	}
	allowPictures(w)
	return p.site.Render(w, r, p.views, "preview", web.Page{Title: article.Title, NoIndex: true, Private: true, Data: data})
}
