package blogweb

import (
	"html/template"
	"net/http"
	"strings"
	"time"

	"pressroom/internal/desk/blog"
	"pressroom/internal/web"
)

// postPage is a post as readers see it.
type postPage struct {
	*blog.Article
	Body         template.HTML
	TagLinks     []tagLink
	Older, Newer *web.Story
	Changed      bool // well after it was published
	Expires      time.Time
}

// fewHeadings is how many headings a post has before it gets a table of contents.
const fewHeadings = 3

// HasContents reports whether the post is worth a table of contents.
func (p postPage) HasContents() bool { return len(p.Contents) >= fewHeadings }

func (p *pages) showPost(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("id")
	article, err := p.public.Post(r.Context(), id)
	if err != nil {
		return err
	}
	data := newPostPage(article)
	older, newer, err := p.public.Neighbours(r.Context(), id)
	if err != nil {
		return err
	}
	data.Older, data.Newer = neighbour(older), neighbour(newer)
	allowPictures(w)
	return p.site.Render(w, r, p.views, "post", web.Page{
		Title: article.Title, Description: article.Summary, Kind: "article", Image: postPath(id) + "/image",
		Feeds: []web.FeedLink{{Path: "/blog/feed", Title: p.site.T(r, "blog.title")}}, Data: data,
	})
}

func newPostPage(a *blog.Article) postPage {
	data := postPage{Article: a, Body: body(a)}
	data.Changed = a.UpdatedAt.Sub(a.PublishedAt) > 24*time.Hour
	for _, tag := range a.Tags {
		data.TagLinks = append(data.TagLinks, tagLink{Name: tag, Path: tagPath(tag)})
	}
	return data
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
	data := newPostPage(article)
	data.Expires = expires
	allowPictures(w)
	return p.site.Render(w, r, p.views, "preview", web.Page{Title: article.Title, NoIndex: true, Private: true, Data: data})
}
