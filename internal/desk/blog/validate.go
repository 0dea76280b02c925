package blog

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"pressroom/internal/errs"
)

// Limits on what an editor writes, in characters where not said otherwise.
const (
	maxName     = 200 // of the profile
	maxUploader = 50
	MaxTags     = 10
	MaxTag      = 50
	MaxBlocks   = blocksMax
	MaxContent  = blockMax // bytes of a block's content
	MaxCaption  = 500
	MaxAlt      = 500
	MaxLanguage = 32
	MaxBody     = 32 << 20 // bytes of all blocks together
)

// clockSkew is how far ahead an editor's clock may be.
const clockSkew = time.Minute

// problems collects what is wrong with the input.
type problems []errs.Field

func (p *problems) add(name, format string, args ...any) {
	*p = append(*p, errs.Field{Name: name, Message: fmt.Sprintf(format, args...)})
}

func (p problems) err() error {
	if len(p) == 0 {
		return nil
	}
	return errs.Validation(p...)
}

// normal returns the content in the form that is stored: text in NFC with plain
// line ends, names without space around them, layouts filled in.
func (c Content) normal() Content {
	c.Facts.normal()
	c.Tags = slices.Clone(c.Tags)
	for i, tag := range c.Tags {
		c.Tags[i] = strings.TrimSpace(normalText(tag))
	}
	c.Blocks = slices.Clone(c.Blocks)
	for i := range c.Blocks {
		c.Blocks[i] = c.Blocks[i].normal()
	}
	return c
}

func (b Block) normal() Block {
	b.Content = normalText(b.Content)
	if b.Type == Image || b.Type == Video {
		b.Content = strings.TrimSpace(b.Content)
	}
	if b.Layout == "" {
		b.Layout = Full
	}
	b.Alt, b.Caption = strings.TrimSpace(normalText(b.Alt)), strings.TrimSpace(normalText(b.Caption))
	b.Language = strings.ToLower(strings.TrimSpace(b.Language))
	return b
}

var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

func normalText(s string) string { return norm.NFC.String(lineEnds.Replace(s)) }

// Validate reports everything that keeps the content from being saved, as an
// errs.Validation that names the fields: "title", "tags[2]", "blocks[3].content".
// What publishing wants besides is asked when a post is published.
func (c Content) Validate() error { return c.normal().check(time.Time{}) }

// check judges content in normal form; now is zero if dates do not matter.
func (c Content) check(now time.Time) error {
	var p problems
	c.Facts.check(&p)
	p.tags(c.Tags)
	p.blocks(c.Blocks)
	if !now.IsZero() && c.PublishedAt.After(now.Add(clockSkew)) {
		p.add("published_at", "must not lie in the future")
	}
	return p.err()
}

func (p *problems) text(name, s string, least, most int) {
	n := utf8.RuneCountInString(s)
	switch {
	case n < least && n == 0:
		p.add(name, "is missing")
	case n > most:
		p.add(name, "has %d characters; at most %d are allowed", n, most)
	case !utf8.ValidString(s):
		p.add(name, "is not valid UTF-8")
	case strings.ContainsFunc(s, forbidden):
		p.add(name, "holds control characters")
	}
}

func (p *problems) line(name, s string, least, most int) {
	if strings.ContainsAny(s, "\n\t") {
		p.add(name, "must be one line")
		return
	}
	if strings.ContainsFunc(s, turns) {
		p.add(name, "holds characters that turn the direction of writing")
		return
	}
	p.text(name, s, least, most)
}

// forbidden are characters that no text may hold: controls other than the end of
// a line and the tabulator.
func forbidden(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }

// turns are the characters that turn the direction of what stands after them, in
// the same line of a page.
func turns(r rune) bool { return r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069' }

func (p *problems) tags(tags []string) {
	if len(tags) > MaxTags {
		p.add("tags", "are %d; at most %d are allowed", len(tags), MaxTags)
	}
	seen := map[string]int{}
	for i, tag := range tags {
		name := fmt.Sprintf("tags[%d]", i)
		p.line(name, tag, 1, MaxTag)
		folded := strings.ToLower(norm.NFKC.String(tag))
		if first, twice := seen[folded]; twice && tag != "" {
			p.add(name, "repeats tags[%d]", first)
			continue
		}
		seen[folded] = i
	}
}

func (p *problems) blocks(blocks []Block) {
	if len(blocks) > MaxBlocks {
		p.add("blocks", "are %d; at most %d are allowed", len(blocks), MaxBlocks)
		return
	}
	total := 0
	for i := range blocks {
		total += len(blocks[i].Content)
		p.block(fmt.Sprintf("blocks[%d].", i), &blocks[i])
	}
	if total > MaxBody {
		p.add("blocks", "have %d bytes together; at most %d are allowed", total, MaxBody)
	}
}

var languageName = regexp.MustCompile(`^[a-z0-9][a-z0-9+#._ -]*$`)

func (p *problems) block(at string, b *Block) {
	if !slices.Contains(layouts, string(b.Layout)) {
		p.add(at+"layout", "must be one of %s", strings.Join(layouts, ", "))
	}
	if len(b.Content) > MaxContent {
		p.add(at+"content", "has %d bytes; at most %d are allowed", len(b.Content), MaxContent)
		return
	}
	switch b.Type {
	case Image:
		p.image(at+"content", b.Content)
	case Video:
		p.address(at+"content", b.Content)
	case Text, Code, Quote:
		p.text(at+"content", b.Content, 1, MaxContent)
	default:
		p.add(at+"type", "must be one of %s", strings.Join(kinds, ", "))
	}
	p.text(at+"alt", b.Alt, 0, MaxAlt)
	p.text(at+"caption", b.Caption, 0, MaxCaption)
	if b.Language != "" && (len(b.Language) > MaxLanguage || !languageName.MatchString(b.Language)) {
		p.add(at+"language", "is no name of a language")
	}
}

func (p *problems) image(name, s string) {
	if _, ok := mediaRef(s); ok {
		return
	}
	if strings.HasPrefix(s, mediaScheme) {
		p.add(name, "names no image of the library")
		return
	}
	p.address(name, s)
}

// address wants an absolute web address, and nothing that could be code.
func (p *problems) address(name, s string) {
	switch {
	case s == "":
		p.add(name, "is missing")
	case len(s) > urlMax:
		p.add(name, "has %d bytes; at most %d are allowed", len(s), urlMax)
	case !isWebAddress(s):
		p.add(name, "must be a web address that begins with https:// or http://")
	}
}

func isWebAddress(s string) bool {
	if strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || r == '<' || r == '>' || r == '"'
	}) {
		return false
	}
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && u.User == nil
}
