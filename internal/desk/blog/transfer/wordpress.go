package transfer

import (
	"cmp"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/url"
	"path"
	"strings"
	"time"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"pressroom/internal/desk/blog"
)

// wordpress is a WXR file: what WordPress exports. It is read twice: posts name authors
// and pictures that stand behind them.
type wordpress struct {
	tree    *tree
	file    string
	site    *url.URL
	name    string                // of the site, in keys
	authors map[string]string     // names to show, by login
	media   map[string]wxrPicture // attachments, by id
}

type wxrPicture struct{ address, alt string }

// wxrItem is an item of the file. Names are matched whatever version of the namespace
// the file has.
type wxrItem struct {
	Title    string       `xml:"title"`
	Link     string       `xml:"link"`
	PubDate  string       `xml:"pubDate"`
	Creator  string       `xml:"creator"`
	Encoded  []wxrText    `xml:"encoded"` // content and excerpt
	ID       string       `xml:"post_id"`
	Date     string       `xml:"post_date"`
	DateGMT  string       `xml:"post_date_gmt"`
	Modified string       `xml:"post_modified_gmt"`
	Name     string       `xml:"post_name"`
	Status   string       `xml:"status"`
	Type     string       `xml:"post_type"`
	Password string       `xml:"post_password"`
	Sticky   string       `xml:"is_sticky"`
	Address  string       `xml:"attachment_url"`
	Terms    []wxrTerm    `xml:"category"`
	Meta     []wxrMeta    `xml:"postmeta"`
	Comments []wxrComment `xml:"comment"`
}

type wxrText struct {
	XMLName xml.Name
	Text    string `xml:",chardata"`
}

type wxrTerm struct {
	Domain string `xml:"domain,attr"`
	Slug   string `xml:"nicename,attr"`
	Name   string `xml:",chardata"`
}

type wxrMeta struct {
	Key   string `xml:"meta_key"`
	Value string `xml:"meta_value"`
}

type wxrComment struct {
	ID string `xml:"comment_id"`
}

type wxrAuthor struct {
	Login   string `xml:"author_login"`
	Display string `xml:"author_display_name"`
	First   string `xml:"author_first_name"`
	Last    string `xml:"author_last_name"`
}

func openWordPress(t *tree, base *url.URL) (*wordpress, error) {
	file, err := t.find(1, func(name string) bool { return strings.EqualFold(path.Ext(name), ".xml") })
	if err != nil {
		return nil, err
	}
	w := &wordpress{tree: t, file: file, site: base, authors: map[string]string{}, media: map[string]wxrPicture{}}
	found := false
	err = w.each(func(d *xml.Decoder, e xml.StartElement, parent string) error {
		found = found || e.Name.Local == "channel" || e.Name.Local == "rss"
		switch {
		case parent == "channel" && (e.Name.Local == "base_blog_url" || e.Name.Local == "link" && w.name == ""):
			text, err := textIn(d)
			if u, wrong := url.Parse(strings.TrimSpace(text)); wrong == nil && u.Host != "" {
				w.name = u.Host + strings.TrimRight(u.Path, "/")
				if base == nil {
					w.site = u
				}
			}
			return err
		case parent == "channel" && e.Name.Local == "author":
			var a wxrAuthor
			if err := d.DecodeElement(&a, &e); err != nil {
				return err
			}
			w.authors[strings.TrimSpace(a.Login)] = authorName(a)
			return nil
		case e.Name.Local == "item":
			var i struct {
				ID      string    `xml:"post_id"`
				Address string    `xml:"attachment_url"`
				Meta    []wxrMeta `xml:"postmeta"`
			}
			if err := d.DecodeElement(&i, &e); err != nil {
				return err
			}
			if i.Address != "" && len(w.media) < 4_000_000 {
				w.media[strings.TrimSpace(i.ID)] = wxrPicture{strings.TrimSpace(i.Address), altOf(i.Meta)}
			}
			return nil
		}
		return errDescend
	})
	if err == nil && !found {
		err = unusable(nil, "The file is not an export of WordPress (WXR).")
	}
	return w, err
}

func authorName(a wxrAuthor) string {
	for _, name := range []string{a.Display, strings.TrimSpace(a.First + " " + a.Last), a.Login} {
		if name = strings.TrimSpace(name); name != "" {
			return name
		}
	}
	return ""
}

func (w *wordpress) base() *url.URL { return w.site }

// errDescend says that the elements below one are wanted.
var errDescend = errors.New("descend")

// each reads the file once. fn is called for the elements down to those of the channel;
// it reads what it wants of them, or answers errDescend.
func (w *wordpress) each(fn func(d *xml.Decoder, e xml.StartElement, parent string) error) (err error) {
	f, err := w.tree.open(w.file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	s := &stretch{r: f}
	d := xml.NewDecoder(transform.NewReader(s, transform.Chain(unicode.UTF8BOM.NewDecoder(), printable{})))
	// What is between tags in the wild is not always XML. Entities of the file's own are
	// not known to the decoder, and stay as they are written.
	d.Strict, d.Entity = false, xml.HTMLEntity
	d.CharsetReader = func(label string, r io.Reader) (io.Reader, error) {
		if strings.EqualFold(label, "utf-8") {
			return r, nil
		}
		return charset.NewReaderLabel(label, r)
	}
	s.at = d.InputOffset
	var open []string
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return broken(err, d)
		}
		switch e := token.(type) {
		case xml.StartElement:
			parent := ""
			if len(open) > 0 {
				parent = open[len(open)-1]
			}
			err := errDescend
			if len(open) <= 2 {
				err = fn(d, e, parent)
			}
			switch {
			case errors.Is(err, errDescend) && len(open) < 2:
				open = append(open, e.Name.Local)
			case errors.Is(err, errDescend):
				if err := d.Skip(); err != nil {
					return broken(err, d)
				}
			case err != nil:
				return broken(err, d)
			}
		case xml.EndElement:
			if len(open) > 0 {
				open = open[:len(open)-1]
			}
		}
	}
}

func broken(err error, d *xml.Decoder) error {
	if _, ok := errors.AsType[*xml.SyntaxError](err); !ok && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	line, _ := d.InputPos()
	return unusable(err, "The file is not well-formed at line %d: %v.", line, err)
}

// printable replaces the control characters that XML does not allow and exports have.
type printable struct{ transform.NopResetter }

func (printable) Transform(dst, src []byte, _ bool) (int, int, error) {
	n := copy(dst, src)
	for i, c := range dst[:n] {
		if c < 0x20 && c != '\n' && c != '\t' && c != '\r' {
			dst[i] = ' '
		}
	}
	if n < len(src) {
		return n, n, transform.ErrShortDst
	}
	return n, n, nil
}

// textIn reads the text up to the end of the element.
func textIn(d *xml.Decoder) (string, error) {
	var b strings.Builder
	for depth := 1; depth > 0; {
		token, err := d.Token()
		if err != nil {
			return "", err
		}
		switch e := token.(type) {
		case xml.CharData:
			b.Write(e)
		case xml.StartElement:
			depth++
		case xml.EndElement:
			depth--
		}
	}
	return b.String(), nil
}

var errStopped = errors.New("stopped")

func (w *wordpress) items(ctx context.Context) iter.Seq2[*Item, error] {
	return func(yield func(*Item, error) bool) {
		err := w.each(func(d *xml.Decoder, e xml.StartElement, _ string) error {
			if e.Name.Local != "item" {
				return errDescend
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			var i wxrItem
			if err := d.DecodeElement(&i, &e); err != nil {
				return err
			}
			if !yield(w.item(&i), nil) {
				return errStopped
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStopped) {
			yield(nil, err)
		}
	}
}

func (w *wordpress) item(x *wxrItem) *Item {
	kind, id := strings.TrimSpace(x.Type), strings.TrimSpace(x.ID)
	if kind == "" {
		kind = Post
	}
	i := &Item{Key: "wordpress/" + w.name + "/" + id, Kind: kind, Name: kind + " " + id}
	if id == "" {
		i.Key = "wordpress/" + w.name + "/" + x.Link
	}
	i.Given.Title = plainTitle(x.Title)
	switch kind {
	case "attachment":
		return w.attachment(i, x)
	case Post, Page:
	default:
		i.Skip = fmt.Sprintf("there are no things of the type %s here", cutName(kind))
		return i
	}
	w.state(i, x)
	w.dates(i, x)
	authors := []string{w.author(x.Creator)}
	for _, t := range x.Terms {
		if t.Domain == "author" { // of a plug-in that many have, for several authors
			authors = append(authors, cmp.Or(w.authors[strings.TrimPrefix(t.Slug, "cap-")], w.authors[strings.TrimSpace(t.Name)], plainTitle(t.Name)))
		}
		if name := strings.TrimSpace(t.Name); (t.Domain == "category" || t.Domain == "post_tag" || t.Domain == "tag") && name != "Uncategorized" {
			i.Given.Tags = append(i.Given.Tags, plainTitle(name))
		}
	}
	i.by(authors)
	b := &builder{base: w.site}
	w.meta(i, x, b)
	content, excerpt := "", ""
	for _, e := range x.Encoded {
		if strings.Contains(e.XMLName.Space, "excerpt") {
			excerpt = e.Text
		} else {
			content = e.Text
		}
	}
	i.Given.Summary = plainTitle(excerpt)
	if i.Skip == "" {
		w.body(b, content)
		i.take(b)
	}
	if n := len(x.Comments); n > 0 {
		i.lose("%d comments are left out", n)
	}
	if strings.TrimSpace(x.Sticky) == "1" {
		i.lose("it was pinned to the top")
	}
	return i
}

// plainTitle is a title without its HTML.
func plainTitle(s string) string {
	b := &builder{}
	if !strings.ContainsAny(s, "<&") {
		return cleanLine(s)
	}
	b.words(s)
	return cleanLine(unescape(strings.Join(b.pieces, " ")))
}

// altOf is what is said that a picture shows.
func altOf(all []wxrMeta) string {
	for _, m := range all {
		if m.Key == "_wp_attachment_image_alt" {
			return cleanLine(m.Value)
		}
	}
	return ""
}

func (w *wordpress) attachment(i *Item, x *wxrItem) *Item {
	i.Kind, i.Address = Media, strings.TrimSpace(x.Address)
	if i.Address == "" {
		i.Address = strings.TrimSpace(x.Link)
	}
	i.Name = fileName(i.Address)
	i.Alt = altOf(x.Meta)
	if !picturePath(i.Address) {
		i.Skip = "only pictures are kept: JPEG, PNG, GIF, WebP"
	}
	return i
}

func picturePath(address string) bool {
	switch strings.ToLower(path.Ext(fileName(address))) {
	case ".jpg", ".jpeg", ".png", ".gif", ".webp", ".jpe":
		return true
	}
	return false
}

func (w *wordpress) state(i *Item, x *wxrItem) {
	status := strings.TrimSpace(x.Status)
	i.Given.Status = blog.Draft
	switch {
	case status == "trash", status == "auto-draft", status == "inherit":
		i.Skip = "its state is " + status
	case status == "publish" && strings.TrimSpace(x.Password) != "":
		i.lose("it had a password and stays a draft")
	case status == "publish":
		i.Given.Status = blog.Published
		i.Old = append(i.Old, x.Link)
	case status == "private":
		i.lose("it was private and stays a draft")
	case status == "future":
		i.lose("it was to appear on %s and stays a draft", strings.TrimSpace(x.Date))
	case status != "draft" && status != "":
		i.lose("its state was %s; it stays a draft", cutName(status))
	}
}

func (w *wordpress) dates(i *Item, x *wxrItem) {
	at := wxrTime(x.DateGMT)
	if at.IsZero() {
		at, _ = time.Parse(time.RFC1123Z, strings.TrimSpace(x.PubDate))
		if at.Year() < 1970 {
			at = time.Time{}
		}
	}
	if at.IsZero() {
		at = wxrTime(x.Date)
	}
	i.Given.CreatedAt, i.Given.UpdatedAt = at, wxrTime(x.Modified)
	if i.Given.Status == blog.Published {
		i.Given.PublishedAt = at
	}
}

// wxrTime reads a date; "0000-00-00 00:00:00" is none.
func wxrTime(s string) time.Time {
	t, err := time.Parse(time.DateTime, strings.TrimSpace(s))
	if err != nil || t.Year() < 1970 {
		return time.Time{}
	}
	return t
}

func (w *wordpress) author(login string) string {
	login = strings.TrimSpace(login)
	if name := w.authors[login]; name != "" {
		return name
	}
	return login
}

// meta reads what WordPress and its plugins say of a post besides.
func (w *wordpress) meta(i *Item, x *wxrItem, b *builder) {
	other := 0
	for _, m := range x.Meta {
		value := strings.TrimSpace(m.Value)
		switch {
		case m.Key == "_thumbnail_id":
			if p := w.media[value]; p.address != "" {
				i.Given.Thumbnail, i.Given.ThumbnailAlt = b.address(p.address), p.alt
			}
		case m.Key == "_wp_old_slug" && value != "":
			if u, err := url.Parse(strings.TrimSpace(x.Link)); err == nil && i.Given.Status == blog.Published && u.Path != "" {
				dir := path.Dir(strings.TrimRight(u.Path, "/"))
				i.Old = append(i.Old, path.Join(dir, value))
			}
		case !strings.HasPrefix(m.Key, "_") && m.Key != "":
			other++
		}
	}
	if other > 0 {
		i.lose("%d custom fields are left out", other)
	}
}
