// Package transfer brings posts from other systems into the blog, and the blog's posts
// to others: Ghost's JSON, WordPress' WXR, folders of Markdown.
//
// It promises that a file is read as it comes, however long it is, and that nothing in
// it can do harm: HTML becomes blocks, pictures pass through the library, addresses
// inside the network are refused, and files have bounds. It promises that doing an
// import again doubles nothing, that it goes on where it was cut off, that what somebody
// changed here since is not overwritten unasked, and that each loss is named.
//
// Start with [Importer.Run]; file.go opens what is given; wordpress.go, ghost.go and
// markdown.go read the formats; html.go makes blocks. export.go is the other direction.
package transfer

import (
	"context"
	"fmt"
	"iter"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"pressroom/internal/desk/blog"
	"pressroom/internal/desk/blog/prose"
)

// Formats are the systems that files come from.
var Formats = []string{"ghost", "wordpress", "markdown"}

// The kinds of things in a file.
const (
	Post  = "post"
	Page  = "page" // becomes a post with the tag "page"
	Media = "media"
)

// Item is a thing of a file, as far as the format tells.
type Item struct {
	Key    string // what the source calls it, for ever
	Kind   string
	Name   string // what people call it, if it has no title
	Given  blog.Given
	Old    []string // addresses or paths at which it was read
	Losses []string
	Skip   string // why it is left out, if it is

	// Of media.
	Address string
	Alt     string
}

func (i *Item) lose(format string, args ...any) {
	what := fmt.Sprintf(format, args...)
	if !slices.Contains(i.Losses, what) {
		i.Losses = append(i.Losses, what)
	}
}

// take puts what a text was made of into the item.
func (i *Item) take(b *builder) {
	i.Given.Blocks = b.done()
	for _, l := range b.losses {
		i.lose("%s", l)
	}
}

// by puts the authors into the item, the first first.
func (i *Item) by(names []string) {
	var others []string
	for n, name := range names {
		name = cleanLine(name)
		if n == 0 {
			i.Given.Author = name
			continue
		}
		name = cleanLine(strings.Map(func(r rune) rune {
			if strings.ContainsRune(blog.NameDividers, r) {
				return ' ' // a name ends there
			}
			return r
		}, name))
		if name == "" || name == i.Given.Author || slices.Contains(others, name) {
			continue
		}
		i.cut("author", &name, blog.MaxAuthorName)
		if len(others) == blog.MaxCoAuthors {
			i.lose("the author %s is beyond the %d that a post has beside its first", name, blog.MaxCoAuthors)
			continue
		}
		others = append(others, name)
	}
	i.Given.CoAuthors = strings.Join(others, ", ")
}

// ours is what Pressroom adds to its exports, so that they come back whole.
type ours struct {
	ID     string      `json:"id" yaml:"id"`
	Status blog.Status `json:"status,omitempty" yaml:"status,omitempty"`
	Blocks string      `json:"blocks,omitempty" yaml:"blocks,omitempty"` // the word in the marks of blocks
	// Facts are all that the blog keeps of a post, as they were written, but for the
	// picture, which the export has elsewhere.
	Facts map[string]string `json:"facts,omitempty" yaml:"facts,omitempty"`
}

func oursOf(p blog.Post, word string) ours {
	o := ours{ID: p.ID, Status: p.Status, Blocks: word, Facts: map[string]string{}}
	for fact, text := range p.Facts.All {
		if fact.Kind != "picture" && *text != "" {
			o.Facts[fact.Name] = *text
		}
	}
	return o
}

// restore makes the item the post that Pressroom exported.
func (i *Item) restore(o *ours) {
	i.Key, i.Given.ID, i.Given.Status = "pressroom/"+o.ID, o.ID, o.Status
	i.Kind, i.Old = Post, nil
	for fact, text := range i.Given.Facts.All {
		if fact.Kind != "picture" && o.Facts != nil {
			*text = o.Facts[fact.Name]
		}
	}
}

// source is a file of a format.
type source interface {
	// items yields the things of the file, in its order, one at a time in memory.
	items(ctx context.Context) iter.Seq2[*Item, error]
	// base is the address at which the site was, nil if nobody says.
	base() *url.URL
}

// untitled is what a post without a title is called, if it has no words either.
const untitled = "Untitled"

// fit makes an item one that the blog accepts, and notes what that costs.
func (i *Item) fit(now time.Time) {
	g := &i.Given
	if i.Kind == Page {
		g.Tags = append([]string{"page"}, g.Tags...)
	}
	words := firstWords(g.Blocks)
	if g.Title = cleanLine(g.Title); g.Title == "" {
		if g.Title = prose.Shorten(words, 60); g.Title == "" {
			g.Title = untitled
		}
		i.lose("it had no title")
	}
	i.cut("title", &g.Title, 200)
	if g.Summary = clean(strings.TrimSpace(g.Summary)); g.Summary == "" {
		g.Summary = prose.Shorten(words, 200)
	}
	if g.Summary == "" {
		g.Summary = g.Title
	}
	i.cut("summary", &g.Summary, 500)
	g.Author = cleanLine(g.Author)
	i.cut("author", &g.Author, blog.MaxAuthorName)
	g.Series, g.ThumbnailAlt = cleanLine(g.Series), cleanLine(g.ThumbnailAlt)
	i.cut("name of the series", &g.Series, blog.MaxSeries)
	i.cut("description of the picture", &g.ThumbnailAlt, blog.MaxAlt)
	i.fitTags()
	i.fitDates(now)
	for n := range g.Blocks {
		b := &g.Blocks[n]
		b.Content = clean(b.Content)
		b.Alt, b.Caption = clean(b.Alt), clean(b.Caption)
		i.cut("alternative text", &b.Alt, blog.MaxAlt)
		i.cut("caption", &b.Caption, blog.MaxCaption)
		if b.Layout == "" {
			b.Layout = blog.Full
		}
	}
	if len(g.Blocks) > blog.MaxBlocks {
		i.lose("of %d blocks the first %d are taken", len(g.Blocks), blog.MaxBlocks)
		g.Blocks = g.Blocks[:blog.MaxBlocks]
	}
	if g.Status == blog.Published && len(g.Blocks) == 0 {
		g.Status = blog.Draft
		i.lose("it has no text and stays a draft")
	}
}

func (i *Item) cut(what string, s *string, most int) {
	if utf8.RuneCountInString(*s) > most {
		*s = prose.Shorten(*s, most)
		i.lose("the %s was longer than %d characters", what, most)
	}
}

func (i *Item) fitTags() {
	var tags []string
	seen := map[string]bool{}
	for _, tag := range i.Given.Tags {
		tag = cleanLine(norm.NFC.String(tag))
		if utf8.RuneCountInString(tag) > blog.MaxTag {
			i.lose("the tag %q is longer than %d characters", tag, blog.MaxTag)
			continue
		}
		folded := strings.ToLower(norm.NFKC.String(tag))
		if tag == "" || seen[folded] {
			continue
		}
		if len(tags) == blog.MaxTags {
			i.lose("the tag %q is beyond the %d that a post has", tag, blog.MaxTags)
			continue
		}
		seen[folded] = true
		tags = append(tags, tag)
	}
	i.Given.Tags = tags
}

func (i *Item) fitDates(now time.Time) {
	g := &i.Given
	if g.CreatedAt.IsZero() {
		g.CreatedAt = g.PublishedAt
	}
	if g.CreatedAt.IsZero() || g.CreatedAt.Year() < 1970 || g.CreatedAt.After(now) {
		if g.PublishedAt.IsZero() && g.CreatedAt.IsZero() {
			i.lose("it had no date")
		}
		g.CreatedAt = now
	}
	if !g.PublishedAt.IsZero() && g.PublishedAt.Year() < 1970 {
		i.lose("its date %s is not kept", g.PublishedAt.Format(time.DateOnly))
		g.PublishedAt = time.Time{}
	}
	if g.PublishedAt.After(now) {
		i.lose("it was to appear on %s and stays a draft", g.PublishedAt.UTC().Format(time.DateTime))
		g.Status, g.PublishedAt = blog.Draft, time.Time{}
	}
	if g.UpdatedAt.Before(g.CreatedAt) || g.UpdatedAt.After(now) {
		g.UpdatedAt = g.CreatedAt
	}
}

// firstWords are the words of the first text of a post.
func firstWords(blocks []blog.Block) string {
	for _, b := range blocks {
		if b.Type == blog.Text || b.Type == blog.Quote {
			if words := prose.Plain(b.Content); words != "" {
				return words
			}
		}
	}
	return ""
}

// clean takes out what no text may hold.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(strings.ReplaceAll(s, "\r\n", "\n"), "\ufffd"))
}

func cleanLine(s string) string {
	s = strings.Map(func(r rune) rune {
		if r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069' {
			return -1
		}
		return r
	}, clean(s))
	return strings.Join(strings.Fields(s), " ")
}

// oldPath is the path of an address at the old site, "" if it is at another.
func oldPath(base *url.URL, address string) string {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Host != "" && base != nil && !sameHost(u.Host, base.Host) {
		return ""
	}
	return blog.OldPath(u.Path)
}

func sameHost(a, b string) bool {
	return strings.TrimPrefix(strings.ToLower(a), "www.") == strings.TrimPrefix(strings.ToLower(b), "www.")
}

// fileName is the last part of an address.
func fileName(address string) string {
	if u, err := url.Parse(address); err == nil {
		address = u.Path
	}
	return path.Base(address)
}
