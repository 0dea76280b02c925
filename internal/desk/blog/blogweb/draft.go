package blogweb

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"pressroom/internal/desk/blog"
	"pressroom/internal/errs"
)

// draft is a post as the editor sends it: as a form, or as JSON from the script.
type draft struct {
	Do      string `json:"do"`
	Version int    `json:"version"` // that the editor began with; 0 for a new post
	blog.Facts
	Tags      string       `json:"tags"`         // divided by commas
	Published string       `json:"published_at"` // as an input of a date and time has it, in the paper's zone
	Blocks    []blog.Block `json:"blocks"`

	From int `json:"from"` // number of the first block if only a stretch is to be shown

	script bool // it came from the script
	whole  bool // it came from a form with the fields of all blocks
}

// localTime is how browsers write a date and time.
const localTime = "2006-01-02T15:04"

// readDraft reads what the editor sent. It is not judged.
func readDraft(r *http.Request) (draft, error) {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if kind == "application/json" {
		d := draft{script: true}
		if err := json.NewDecoder(r.Body).Decode(&d); err != nil {
			return d, unread(err)
		}
		d.matchVersion(r)
		return d, nil
	}
	f, err := readForm(r)
	if err != nil {
		return draft{}, unread(err)
	}
	d := draft{Do: f.Get("do"), Tags: f.Get("tags"), Published: f.Get("published_at")}
	for fact, text := range d.All {
		*text = f.Get(fact.Name)
	}
	d.Version, _ = strconv.Atoi(f.Get("version"))
	for i, kind := range f["b.type"] {
		d.Blocks = append(d.Blocks, blog.Block{
			Type: blog.Kind(kind), Layout: blog.Layout(nth(f["b.layout"], i)), Content: nth(f["b.content"], i),
			Alt: nth(f["b.alt"], i), Caption: nth(f["b.caption"], i), Language: nth(f["b.language"], i),
		})
	}
	rest := f.Get("rest")
	d.whole = rest == ""
	if d.whole {
		return d, nil
	}
	var more []blog.Block
	if err := json.Unmarshal([]byte(rest), &more); err != nil {
		return d, unread(err)
	}
	d.Blocks = append(d.Blocks, more...)
	return d, nil
}

// maxInputs is more than the fields of a form with as many blocks as a post may have.
const maxInputs = 8 * blog.MaxBlocks

// readForm reads a form of any number of blocks; net/url stops at 10,000 fields,
// which are those of some 1,600.
func readForm(r *http.Request) (url.Values, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	f, n := url.Values{}, 0
	for pair := range strings.SplitSeq(string(body), "&") {
		if n++; n > maxInputs {
			return nil, fmt.Errorf("more than %d fields", maxInputs)
		}
		name, value, _ := strings.Cut(pair, "=")
		if name, err = url.QueryUnescape(name); err != nil {
			return nil, err
		}
		if value, err = url.QueryUnescape(value); err != nil {
			return nil, err
		}
		f.Add(name, value)
	}
	return f, nil
}

// matchVersion lets If-Match name the version, as everywhere in the API.
func (d *draft) matchVersion(r *http.Request) {
	if n, err := strconv.Atoi(strings.Trim(r.Header.Get("If-Match"), `"`)); err == nil {
		d.Version = n
	}
}

func nth(all []string, i int) string {
	if i < len(all) {
		return all[i]
	}
	return ""
}

func unread(err error) error {
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return errs.Wrap(err, errs.TooLarge, "The post is too large to be saved.")
	}
	return errs.Wrap(err, errs.Malformed, "The form could not be read.")
}

// content is what the desk is given. A date that is none is an error of its own,
// which the desk cannot see.
func (d *draft) content(zone *time.Location) (blog.Content, error) {
	c := blog.Content{Facts: d.Facts, Tags: splitTags(d.Tags), Blocks: slices.Clone(d.Blocks)}
	// The last block is often the one that nobody wrote into.
	for n := len(c.Blocks); n > 0 && c.Blocks[n-1].Type == blog.Text && strings.TrimSpace(c.Blocks[n-1].Content) == ""; n-- {
		c.Blocks = c.Blocks[:n-1]
	}
	for i := range c.Blocks {
		b := &c.Blocks[i]
		if b.Layout == "" {
			b.Layout = blog.Full
		}
		// What a block of this kind does not have stays out of it.
		if b.Type != blog.Image {
			b.Alt = ""
		}
		if b.Type != blog.Code {
			b.Language = ""
		}
		if b.Type == blog.Text {
			b.Caption = ""
		}
	}
	if d.Published == "" {
		return c, nil
	}
	t, err := time.ParseInLocation(localTime, d.Published, zone)
	if err != nil {
		return c, errs.Validation(errs.Field{Name: "published_at", Message: "is not a date and a time"})
	}
	c.PublishedAt = t
	return c, nil
}

// keepSeconds keeps the exact time of publication if the editor, which shows
// minutes, did not change it.
func keepSeconds(c *blog.Content, before time.Time) {
	if c.PublishedAt.Equal(before.UTC().Truncate(time.Minute)) {
		c.PublishedAt = before
	}
}

// draftOf is a post in the editor.
func draftOf(p blog.Post, zone *time.Location) draft {
	d := draft{Version: p.Version, Facts: p.Facts, Tags: joinTags(p.Tags), Blocks: p.Blocks}
	if !p.PublishedAt.IsZero() {
		d.Published = p.PublishedAt.In(zone).Format(localTime)
	}
	return d
}

// splitTags reads tags that are divided by commas; one in quotation marks may hold
// some.
func splitTags(text string) []string {
	tags := []string{}
	var b strings.Builder
	quoted := false
	end := func() {
		if tag := strings.TrimSpace(b.String()); tag != "" {
			tags = append(tags, tag)
		}
		b.Reset()
	}
	for _, r := range text {
		switch {
		case r == '"' && (quoted || strings.TrimSpace(b.String()) == ""):
			quoted = !quoted
		case !quoted && strings.ContainsRune(",、，\n", r):
			end()
		default:
			b.WriteRune(r)
		}
	}
	end()
	return tags
}

func joinTags(tags []string) string {
	shown := make([]string, len(tags))
	for i, tag := range tags {
		shown[i] = tag
		if strings.ContainsAny(tag, ",、，") {
			shown[i] = `"` + tag + `"`
		}
	}
	return strings.Join(shown, ", ")
}

// arrange does what a button of the form says to the blocks: "add:text", "up:2",
// "down:2", "copy:2", "drop:2"; or "all", which shows the fields of all. It reports
// whether the button was one of these.
func (d *draft) arrange() bool {
	what, which, _ := strings.Cut(d.Do, ":")
	if d.Do == "all" {
		return true
	}
	if what == "add" {
		d.Blocks = append(d.Blocks, blog.Block{Type: blog.Kind(which), Layout: blog.Full})
		return true
	}
	i, err := strconv.Atoi(which)
	if err != nil || i < 0 || i >= len(d.Blocks) {
		return false
	}
	b := d.Blocks
	switch what {
	case "up":
		if i > 0 {
			b[i-1], b[i] = b[i], b[i-1]
		}
	case "down":
		if i+1 < len(b) {
			b[i+1], b[i] = b[i], b[i+1]
		}
	case "copy":
		d.Blocks = slices.Insert(b, i+1, b[i])
	case "drop":
		d.Blocks = slices.Delete(b, i, i+1)
	default:
		return false
	}
	return true
}
