package blog

import (
	"context"
	"fmt"
	"html/template"
	"slices"
	"strings"
	"time"

	"pressroom/internal/desk/blog/prose"
	"pressroom/internal/picture"
	"pressroom/model"
)

// Article is a post as a page shows it. Articles are shared: whoever has one does
// not change it.
type Article struct {
	ID          string          `json:"id"`
	Slug        string          `json:"slug,omitempty" doc:"its readable address, below /blog/posts/"`
	Title       string          `json:"title"`
	Summary     string          `json:"summary"`
	Author      string          `json:"author,omitempty"`
	Authors     []string        `json:"authors,omitempty" doc:"all who wrote it, the first first"`
	Series      string          `json:"series,omitempty"`
	Tags        []string        `json:"tags"`
	Thumbnail   string          `json:"thumbnail,omitempty"` // an address
	Cover       *Cover          `json:"cover,omitempty"`     // the thumbnail, large
	Image       string          `json:"image,omitempty"`     // an address, large, for OpenGraph: the thumbnail or the first image
	Status      Status          `json:"status"`
	PublishedAt time.Time       `json:"published_at,omitzero"`
	UpdatedAt   time.Time       `json:"updated_at"`
	Version     int             `json:"version"`
	Rows        []Row           `json:"rows"`
	Contents    []prose.Heading `json:"contents"` // the table of contents
	Minutes     int             `json:"minutes"`  // how long it takes to read
	Text        string          `json:"-"`        // the words alone: see [Content.Text]

	shows map[string]mediaItem // the images of the library, by id
}

// Row is one row of an article.
type Row struct {
	Layout RowLayout `json:"layout"`
	Cells  []Cell    `json:"cells"` // two in a pair, otherwise one
}

// Cell is a block as a page shows it.
type Cell struct {
	Type Kind          `json:"type"`
	HTML template.HTML `json:"html"` // safe to put into a page
}

// Text returns the words of the body, without signs of Markdown, addresses and
// code: for search, feeds and reading time. Blocks are on lines of their own.
func (c Content) Text() string {
	parts := make([]string, len(c.Blocks))
	for i := range c.Blocks {
		parts[i] = c.Blocks[i].text()
	}
	return lines(parts...)
}

// text returns the words of a block, as [Content.Text] does.
func (b *Block) text() string {
	switch b.Type {
	case Text:
		return prose.Plain(b.Content)
	case Quote:
		return lines(prose.Plain(b.Content), b.Caption)
	case Image:
		return lines(b.Alt, b.Caption)
	case Code, Video:
		return b.Caption
	}
	return ""
}

// lines puts parts on lines of their own, less those that are empty.
func lines(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "\n")
}

// Summarise proposes a summary: how the body begins.
func (c Content) Summarise() string { return prose.Shorten(c.Text(), 250) }

// EmbedHosts are the origins from which pages may show videos in frames, for
// their Content-Security-Policy.
func EmbedHosts() []string { return prose.EmbedHosts }

// RenderingsAtOnce is how many renderings of unsaved content one caller should be
// given at a time.
const RenderingsAtOnce = 2

// Render shows content that may not be saved, for the editor's preview. It is
// not judged: what could not be saved is shown as far as it goes.
func (d *Desk) Render(ctx context.Context, c Content) (*Article, error) {
	c = c.normal()
	return d.render(ctx, &Post{Content: c, Status: Draft, CreatedAt: d.now(), UpdatedAt: d.now()})
}

// render makes the article of a post.
func (d *Desk) render(ctx context.Context, p *Post) (*Article, error) {
	pictures, err := d.picturesOf(ctx, p)
	if err != nil {
		return nil, fmt.Errorf("render post %s: %w", p.ID, err)
	}
	select { // rendering takes a processor, and leaves some to others
	case d.renders <- struct{}{}:
		defer func() { <-d.renders }()
	case <-ctx.Done():
		return nil, fmt.Errorf("render post %s: %w", p.ID, ctx.Err())
	}
	w := prose.NewWriter(ctx, pictures.find)
	a := &Article{
		ID: p.ID, Slug: p.Slug, Title: p.Title, Summary: p.Summary, Author: p.Author, Authors: p.Authors(), Series: p.Series, Tags: p.Tags, Status: p.Status,
		PublishedAt: p.PublishedAt, UpdatedAt: p.UpdatedAt, Version: p.Version,
		Thumbnail: d.ImageURL(p.Thumbnail, thumbnailWidth), shows: pictures.media,
	}
	images := 0
	cells := make([]Cell, len(p.Blocks))
	for i := range p.Blocks {
		cells[i] = Cell{Type: p.Blocks[i].Type, HTML: cellHTML(w, &p.Blocks[i])}
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("render post %s: %w", p.ID, err)
		}
		if p.Blocks[i].Type == Image {
			images++
		}
	}
	for _, s := range Spans(p.Blocks) {
		a.Rows = append(a.Rows, Row{Layout: s.Layout, Cells: cells[s.First : s.First+s.N]})
	}
	a.Contents, a.Text = w.Headings(), w.Words()
	a.Minutes = prose.Minutes(a.Text, images)
	a.Image, a.Cover = pictures.large(p), pictures.cover(p)
	return a, nil
}

func cellHTML(w *prose.Writer, b *Block) template.HTML {
	// What the writer returns is safe: see the package comment of prose.
	switch b.Type {
	case Text:
		return template.HTML(w.Text(b.Content)) //nolint:gosec // sanitised
	case Quote:
		return template.HTML(w.Quote(b.Content, b.Caption)) //nolint:gosec // sanitised
	case Code:
		return template.HTML(w.Code(b.Content, b.Language, b.Caption)) //nolint:gosec // escaped
	case Image:
		return template.HTML(w.Image(b.Content, b.Alt, b.Caption)) //nolint:gosec // escaped
	case Video:
		return template.HTML(w.Video(b.Content, b.Caption)) //nolint:gosec // escaped
	}
	return ""
}

// pictures are the images of the library that a post shows.
type pictures struct {
	desk  *Desk
	media map[string]mediaItem
}

func (d *Desk) picturesOf(ctx context.Context, p *Post) (pictures, error) {
	found := pictures{d, map[string]mediaItem{}}
	s := stored{item: postItem{Facts: p.Facts}, blocks: p.Blocks}
	var keys []model.Values
	for id := range s.refs() {
		keys = append(keys, mediaKey(id))
	}
	if len(keys) == 0 {
		return found, nil
	}
	items, err := d.media.BatchGet(ctx, keys)
	for _, m := range items {
		if m.State != mediaPending {
			found.media[m.MediaID] = m
		}
	}
	return found, err
}

// find returns the picture behind a reference or a web address.
func (p pictures) find(ref string) (prose.Picture, bool) {
	id, ok := mediaRef(ref)
	if !ok {
		return prose.Picture{Src: ref}, isWebAddress(ref)
	}
	m, ok := p.media[id]
	if !ok {
		return prose.Picture{}, false
	}
	found := prose.Picture{Src: p.desk.mediaURL(id, picture.Full), Width: m.Width, Height: m.Height}
	if len(m.Sizes) > 1 {
		set := make([]string, len(m.Sizes))
		for i, s := range m.Sizes {
			set[i] = fmt.Sprintf("%s %dw", p.desk.mediaURL(id, s.Name), s.Width)
		}
		found.SrcSet = strings.Join(set, ", ")
	}
	return found, true
}

// ogWidth is how wide the image is that other sites show of a post.
const ogWidth = 1440

// large returns the address of the image that stands for the post.
func (p pictures) large(post *Post) string {
	if url := p.desk.ImageURL(post.Thumbnail, ogWidth); url != "" {
		return url
	}
	for i := range post.Blocks {
		if post.Blocks[i].Type == Image {
			return p.desk.ImageURL(post.Blocks[i].Content, ogWidth)
		}
	}
	return ""
}
