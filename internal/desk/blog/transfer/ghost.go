package transfer

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"pressroom/internal/desk/blog"
)

// ghost is Ghost's JSON export. It is read twice: posts name tags and people that may
// stand behind them.
type ghost struct {
	tree    *tree
	file    string
	site    *url.URL
	tags    map[string]string   // names by id
	people  map[string]string   // names by id
	tagged  map[string][]string // ids of tags by post, in order
	authors map[string][]string // ids of people by post, in order
	meta    map[string]ghostMeta
}

// id is an id of Ghost's: a string, and in old exports a number.
type id string

func (i *id) UnmarshalJSON(b []byte) error {
	*i = id(strings.Trim(string(b), `"`))
	if *i == "null" {
		*i = ""
	}
	return nil
}

// truth is a truth of Ghost's: true or 1.
type truth bool

func (t *truth) UnmarshalJSON(b []byte) error {
	*t = string(b) == "true" || string(b) == "1"
	return nil
}

// moment is a date of Ghost's: a text, and in old exports milliseconds.
type moment struct{ time.Time }

func (m *moment) UnmarshalJSON(b []byte) error {
	text := strings.Trim(string(b), `"`)
	for _, layout := range []string{time.RFC3339Nano, time.DateTime, "2006-01-02T15:04:05"} {
		if t, err := time.Parse(layout, text); err == nil {
			m.Time = t.UTC()
			return nil
		}
	}
	var ms int64
	if json.Unmarshal(b, &ms) == nil && ms > 0 {
		m.Time = time.UnixMilli(ms).UTC()
	}
	return nil
}

type ghostPost struct {
	ID         id     `json:"id"`
	UUID       string `json:"uuid"`
	Title      string `json:"title"`
	Slug       string `json:"slug"`
	Lexical    string `json:"lexical"`
	Mobiledoc  string `json:"mobiledoc"`
	HTML       string `json:"html"`
	Markdown   string `json:"markdown"` // before mobiledoc
	Image      string `json:"feature_image"`
	OldImage   string `json:"image"`
	Featured   truth  `json:"featured"`
	Page       truth  `json:"page"`
	Type       string `json:"type"`
	Status     string `json:"status"`
	Visibility string `json:"visibility"`
	Author     id     `json:"author_id"`
	Excerpt    string `json:"custom_excerpt"`
	Created    moment `json:"created_at"`
	Updated    moment `json:"updated_at"`
	Published  moment `json:"published_at"`
	Head       string `json:"codeinjection_head"`
	Foot       string `json:"codeinjection_foot"`
	Canonical  string `json:"canonical_url"`
	Pressroom  *ours  `json:"pressroom"`
}

type ghostMeta struct {
	Post        id     `json:"post_id"`
	Alt         string `json:"feature_image_alt"`
	Description string `json:"meta_description"`
}

func openGhost(t *tree, base *url.URL) (*ghost, error) {
	file, err := t.find(2, func(name string) bool {
		return strings.EqualFold(path.Ext(name), ".json") && !strings.Contains(name, "redirects")
	})
	if err != nil {
		return nil, err
	}
	g := &ghost{tree: t, file: file, site: base, tags: map[string]string{}, people: map[string]string{}, tagged: map[string][]string{}, authors: map[string][]string{}, meta: map[string]ghostMeta{}}
	found := false
	err = g.each(func(list string, d *json.Decoder) error {
		switch list {
		case "tags", "users":
			var n struct {
				ID         id     `json:"id"`
				Name       string `json:"name"`
				Visibility string `json:"visibility"`
			}
			if err := d.Decode(&n); err != nil {
				return err
			}
			if list == "users" {
				g.people[string(n.ID)] = n.Name
			} else if n.Visibility != "internal" && !strings.HasPrefix(n.Name, "#") {
				g.tags[string(n.ID)] = n.Name
			}
		case "posts_tags", "posts_authors":
			var n struct {
				Post   id `json:"post_id"`
				Tag    id `json:"tag_id"`
				Author id `json:"author_id"`
			}
			if err := d.Decode(&n); err != nil {
				return err
			}
			if list == "posts_tags" {
				g.tagged[string(n.Post)] = append(g.tagged[string(n.Post)], string(n.Tag))
			} else {
				g.authors[string(n.Post)] = append(g.authors[string(n.Post)], string(n.Author))
			}
		case "posts_meta":
			var m ghostMeta
			if err := d.Decode(&m); err != nil {
				return err
			}
			g.meta[string(m.Post)] = m
		default:
			found = found || list == "posts"
			return skipValue(d)
		}
		return nil
	})
	if err == nil && !found && len(g.tags)+len(g.people) == 0 {
		err = unusable(nil, "The file is not an export of Ghost: it has no posts.")
	}
	return g, err
}

func (g *ghost) base() *url.URL { return g.site }

// each reads the file once: fn is called for every element of every list below "data",
// with the decoder before it.
func (g *ghost) each(fn func(list string, d *json.Decoder) error) (err error) {
	f, err := g.tree.open(g.file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	s := &stretch{r: f}
	d := json.NewDecoder(s)
	s.at = d.InputOffset
	err = g.descend(d, "", 0, fn)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return unusable(err, "The file is no JSON at byte %d: %v.", syntax.Offset, err)
	}
	if mismatch, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return unusable(err, "The file is not an export of Ghost: %s is a %s at byte %d.", mismatch.Field, mismatch.Value, mismatch.Offset)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return unusable(err, "The file ends early.")
	}
	return err
}

// descend goes through objects and through the list "db", to the lists of the data.
func (g *ghost) descend(d *json.Decoder, name string, depth int, fn func(string, *json.Decoder) error) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	delim, ok := token.(json.Delim)
	if !ok {
		return nil
	}
	for d.More() {
		inner := name
		if delim == '{' {
			key, err := d.Token()
			if err != nil {
				return err
			}
			inner, _ = key.(string)
		}
		switch {
		case delim == '[' && name != "db":
			err = fn(name, d)
		case depth > 4:
			err = skipValue(d)
		default:
			err = g.descend(d, inner, depth+1, fn)
		}
		if err != nil {
			return err
		}
	}
	_, err = d.Token()
	return err
}

// skipValue reads past a value without keeping it.
func skipValue(d *json.Decoder) error {
	depth := 0
	for {
		token, err := d.Token()
		if err != nil {
			return err
		}
		if delim, ok := token.(json.Delim); ok {
			if delim == '{' || delim == '[' {
				depth++
			} else {
				depth--
			}
		}
		if depth <= 0 {
			return nil
		}
	}
}

func (g *ghost) items(ctx context.Context) iter.Seq2[*Item, error] {
	return func(yield func(*Item, error) bool) {
		err := g.each(func(list string, d *json.Decoder) error {
			if list != "posts" {
				return skipValue(d)
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			var p ghostPost
			if err := d.Decode(&p); err != nil {
				return err
			}
			if !yield(g.item(&p), nil) {
				return errStopped
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStopped) {
			yield(nil, err)
		}
	}
}

func (g *ghost) item(p *ghostPost) *Item {
	key := string(p.ID)
	if len(key) < 24 && p.UUID != "" { // a number, which other sites have as well
		key = p.UUID
	}
	i := &Item{Key: "ghost/" + key, Kind: Post, Name: p.Slug}
	if bool(p.Page) || p.Type == Page {
		i.Kind = Page
	}
	c := &i.Given
	c.Title, c.Summary = p.Title, p.Excerpt
	i.by(g.names(p))
	c.CreatedAt, c.UpdatedAt = p.Created.Time, p.Updated.Time
	c.Thumbnail = g.address(p.Image + p.OldImage)
	meta := g.meta[string(p.ID)]
	if c.Summary == "" {
		c.Summary = meta.Description
	}
	for _, t := range g.tagged[string(p.ID)] {
		if name, ok := g.tags[t]; ok {
			c.Tags = append(c.Tags, name)
		}
	}
	if c.Thumbnail != "" {
		c.ThumbnailAlt = meta.Alt
	}
	g.state(i, p)
	b := &builder{base: g.site}
	g.body(b, p)
	i.take(b)
	if p.Pressroom != nil {
		i.restore(p.Pressroom)
		if c.Status != blog.Published {
			c.PublishedAt = p.Published.Time
		}
	}
	if strings.TrimSpace(p.Head+p.Foot) != "" {
		i.lose("injected code is left out")
	}
	if bool(p.Featured) {
		i.lose("it was featured")
	}
	if p.Canonical != "" {
		i.lose("its canonical address %s is left out", cutName(p.Canonical))
	}
	return i
}

func (g *ghost) names(p *ghostPost) []string {
	ids := g.authors[string(p.ID)]
	if len(ids) == 0 && p.Author != "" {
		ids = []string{string(p.Author)}
	}
	var names []string
	for _, id := range ids {
		if name := g.people[id]; name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

func (g *ghost) state(i *Item, p *ghostPost) {
	i.Given.Status = blog.Draft
	switch {
	case p.Status == "published" && p.Visibility != "" && p.Visibility != "public":
		i.lose("only %s could read it; it stays a draft", cutName(p.Visibility))
	case p.Status == "published" && p.Pressroom == nil:
		i.Given.Status, i.Given.PublishedAt = blog.Published, p.Published.Time
		if i.Given.PublishedAt.IsZero() {
			i.Given.PublishedAt = p.Created.Time
		}
		i.Old = append(i.Old, "/"+p.Slug+"/")
	case p.Status == "published":
		i.Given.PublishedAt = p.Published.Time
	case p.Status == "scheduled":
		i.lose("it was to appear on %s and stays a draft", p.Published.Format(time.DateTime))
	case p.Status == "sent":
		i.lose("it was sent by mail alone; it stays a draft")
	}
}

// ghostURL stands in exports for the address of the site.
const ghostURL = "__GHOST_URL__"

func (g *ghost) address(s string) string {
	if rest, ok := strings.CutPrefix(s, ghostURL); ok {
		s = "/" + strings.TrimLeft(rest, "/")
	}
	if s == "" {
		return ""
	}
	return (&builder{base: g.site}).address(s)
}

// body adds the content of a post: in the form that its editor keeps it in, or as HTML.
func (g *ghost) body(b *builder, p *ghostPost) {
	local := strings.NewReplacer(ghostURL, "")
	switch {
	case p.Lexical != "" && p.Lexical != "null":
		if err := b.lexical(local.Replace(p.Lexical)); err == nil {
			return
		}
		b.lose("its text in Ghost's form cannot be read")
	case p.Mobiledoc != "" && p.Mobiledoc != "null":
		if err := b.mobiledoc(local.Replace(p.Mobiledoc)); err == nil {
			return
		}
		b.lose("its text in Ghost's form cannot be read")
	case p.Markdown != "":
		b.markdown(local.Replace(p.Markdown))
		return
	}
	b.html(local.Replace(p.HTML))
}

// card is a part of a post that is no text: of Lexical a node, of mobiledoc a payload.
type card struct {
	Src      string  `json:"src"`
	URL      string  `json:"url"`
	Alt      string  `json:"alt"`
	Caption  string  `json:"caption"`
	HTML     string  `json:"html"`
	Markdown string  `json:"markdown"`
	Code     string  `json:"code"`
	Language string  `json:"language"`
	Title    string  `json:"title"`
	Heading  string  `json:"heading"`
	Content  string  `json:"content"`
	Text     string  `json:"calloutText"`
	Emoji    string  `json:"calloutEmoji"`
	Button   string  `json:"buttonText"`
	ButtonTo string  `json:"buttonUrl"`
	File     string  `json:"fileName"`
	Images   []image `json:"images"`
	Metadata struct {
		Title string `json:"title"`
		URL   string `json:"url"`
	} `json:"metadata"`
	ProductTitle string `json:"productTitle"`
	ProductText  string `json:"productDescription"`
}

type image struct {
	Src     string `json:"src"`
	Alt     string `json:"alt"`
	Caption string `json:"caption"`
}

// card adds a card by its name, which differs by a little between versions.
func (b *builder) card(name string, c *card) {
	switch name {
	case "markdown", "card-markdown":
		b.markdown(c.Markdown)
	case "html":
		b.html(c.HTML)
	case "image":
		b.picture(c.Src, c.Alt, plainTitle(c.Caption))
	case "gallery":
		for n, i := range c.Images {
			words := plainTitle(i.Caption)
			if n == len(c.Images)-1 && words == "" {
				words = plainTitle(c.Caption)
			}
			b.picture(i.Src, i.Alt, words)
		}
	case "code", "codeblock":
		if strings.TrimSpace(c.Code) != "" {
			b.add(blog.Block{Type: blog.Code, Content: clean(c.Code), Language: codeLanguage(c.Language), Caption: plainTitle(c.Caption)})
		}
	case "embed":
		b.embedAddress(c.URL, plainTitle(c.Caption))
	case "video", "audio", "file":
		b.lose("the %s of a card is a link to the old site now", name)
		b.linkLine(c.Src, c.Title+c.File, plainTitle(c.Caption))
	case "bookmark":
		address := c.URL
		if address == "" {
			address = c.Metadata.URL
		}
		b.linkLine(address, c.Metadata.Title, plainTitle(c.Caption))
	case "callout":
		b.html("<blockquote>" + c.Emoji + " " + c.Text + "</blockquote>")
	case "toggle":
		b.html("<h4>" + c.Heading + "</h4>" + c.Content)
	case "button":
		b.linkLine(c.ButtonTo, c.Button, "")
	case "product":
		b.html("<h4>" + c.ProductTitle + "</h4>" + c.ProductText)
	case "header":
		b.html("<h2>" + c.Heading + "</h2>")
	case "hr", "horizontalrule":
		b.para("***")
	case "paywall", "readmore":
		b.lose("the %s mark is left out", name)
	default: // what mails, signs up or sells has no place here
		b.lose("the card %s is left out", cutName(name))
		if c.HTML != "" {
			b.html(c.HTML)
		}
	}
}
