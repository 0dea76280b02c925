package transfer

import (
	"archive/zip"
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"pressroom/internal/desk/blog"
	"pressroom/internal/desk/blog/prose"
	"pressroom/internal/errs"
)

// Exported is what was written.
type Exported struct {
	Posts  int      `json:"posts"`
	Media  int      `json:"media"`
	Losses []string `json:"losses"`
}

// Export writes the posts of all states. As "markdown" it makes a folder that Hugo
// reads, as "ghost" a zip archive with Ghost's JSON and the pictures, or the JSON alone
// if the name ends so. What it writes comes back whole by [Importer.Run].
func Export(ctx context.Context, d *blog.Desk, as, to string) (Exported, error) {
	var e Exported
	var err error
	switch as {
	case "markdown":
		err = exportFolder(ctx, d, to, &e)
	case "ghost":
		err = exportGhost(ctx, d, to, &e)
	default:
		err = errs.New(errs.Usage, "posts are exported as markdown or ghost")
	}
	if e.Losses == nil {
		e.Losses = []string{}
	}
	return e, err
}

// eachPost visits the posts, the last changed first.
func eachPost(ctx context.Context, d *blog.Desk, fn func(blog.Post) error) error {
	for cursor := ""; ; {
		page, err := d.List(ctx, blog.PageOptions{Limit: blog.MaxLimit, Cursor: cursor})
		if err != nil {
			return err
		}
		for _, c := range page.Items {
			post, err := d.Get(ctx, c.ID)
			if errors.Is(err, errs.NotFound) {
				continue // deleted meanwhile
			}
			if err == nil {
				err = fn(post)
			}
			if err != nil {
				return fmt.Errorf("export post %s: %w", c.ID, err)
			}
		}
		if cursor = page.Next; cursor == "" {
			return nil
		}
	}
}

// pictures writes the pictures of the library that posts show, each once.
type pictures struct {
	desk   *blog.Desk
	create func(name string) (io.WriteCloser, error)
	folder string // in names
	root   string // in addresses
	seen   map[string]string
	e      *Exported
}

var libraryRef = regexp.MustCompile(`^(?:media:|https?://[^\s"'<>]+/)([0-9A-HJKMNP-TV-Z]{26})(?:/full)?$`)

// put writes a picture, and returns the address at which the export has it: of one that
// is elsewhere, what it is.
func (p *pictures) put(ctx context.Context, ref string) (address string, err error) {
	m := libraryRef.FindStringSubmatch(ref)
	if m == nil || !strings.HasPrefix(ref, "media:") && !strings.HasSuffix(ref, "/full") {
		return ref, nil
	}
	if address, ok := p.seen[m[1]]; ok {
		return address, nil
	}
	o, err := p.desk.OpenMedia(ctx, m[1], "full")
	if errors.Is(err, errs.NotFound) {
		p.e.Losses = append(p.e.Losses, fmt.Sprintf("the picture %s is not in the library", ref))
		p.seen[m[1]] = ref
		return ref, nil
	}
	if err != nil {
		return "", err
	}
	defer func() { _ = o.Body.Close() }()
	name := m[1] + extension(o.ContentType)
	w, err := p.create(path.Join(p.folder, name))
	if err != nil {
		return "", err
	}
	_, err = io.Copy(w, o.Body)
	p.seen[m[1]] = p.root + name
	p.e.Media++
	return p.seen[m[1]], errors.Join(err, w.Close())
}

func extension(kind string) string {
	switch kind {
	case "image/jpeg":
		return ".jpg"
	case "image/png":
		return ".png"
	case "image/gif":
		return ".gif"
	}
	if all, _ := mime.ExtensionsByType(kind); len(all) > 0 {
		return all[0]
	}
	return ".img"
}

// inText puts the addresses of an export into text.
func (p *pictures) inText(ctx context.Context, blocks []blog.Block) (err error) {
	eachPicture(blocks, func(ref string) string {
		address, wrong := p.put(ctx, ref)
		if wrong != nil {
			err = wrong
			return ref
		}
		return address
	})
	return err
}

// newFolder makes a folder, or takes one that is empty.
func newFolder(name string) (*os.Root, error) {
	if err := os.MkdirAll(name, 0o777); err != nil {
		return nil, errs.Wrap(err, errs.Usage, "cannot make %s: %v", name, err)
	}
	if there, err := os.ReadDir(name); err != nil || len(there) > 0 {
		return nil, errs.New(errs.Usage, "%s is not empty. Name a new folder.", name)
	}
	return os.OpenRoot(name)
}

func exportFolder(ctx context.Context, d *blog.Desk, to string, e *Exported) (err error) {
	root, err := newFolder(to)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	create := func(name string) (io.WriteCloser, error) {
		if err := root.MkdirAll(filepath.FromSlash(path.Dir(name)), 0o777); err != nil {
			return nil, err
		}
		return root.OpenFile(filepath.FromSlash(name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	}
	if err := errors.Join(root.MkdirAll("content/posts", 0o777), root.MkdirAll("static/media", 0o777)); err != nil {
		return err
	}
	p := &pictures{desk: d, create: create, folder: "static/media", root: "/media/", seen: map[string]string{}, e: e}
	return eachPost(ctx, d, func(post blog.Post) error {
		text, err := markdownOf(ctx, p, post)
		if err != nil {
			return err
		}
		w, err := create("content/posts/" + slugOf(post) + ".md")
		if err != nil {
			return err
		}
		e.Posts++
		_, err = io.WriteString(w, text)
		return errors.Join(err, w.Close())
	})
}

// frontMatter is what Hugo reads of a post.
type frontMatter struct {
	Title     string    `yaml:"title"`
	Date      time.Time `yaml:"date,omitempty"`
	Lastmod   time.Time `yaml:"lastmod"`
	CreatedAt time.Time `yaml:"createdAt"`
	Draft     bool      `yaml:"draft"`
	Summary   string    `yaml:"summary"`
	Author    string    `yaml:"author,omitempty"`
	Authors   []string  `yaml:"authors,omitempty"`
	Series    []string  `yaml:"series,omitempty"`
	Tags      []string  `yaml:"tags,omitempty"`
	Image     string    `yaml:"image,omitempty"`
	ImageAlt  string    `yaml:"image_alt,omitempty"`
	URL       string    `yaml:"url"`
	Pressroom ours      `yaml:"pressroom"`
}

func markdownOf(ctx context.Context, p *pictures, post blog.Post) (string, error) {
	word := markWord(post.Blocks)
	if err := p.inText(ctx, post.Blocks); err != nil {
		return "", err
	}
	thumbnail, err := p.put(ctx, post.Thumbnail)
	if err != nil {
		return "", err
	}
	if len(post.Blocks) == 0 {
		word = ""
	}
	var series []string
	if post.Series != "" {
		series = []string{post.Series} // Hugo has lists of them
	}
	head, err := yaml.Marshal(frontMatter{
		Title: post.Title, Date: post.PublishedAt, Lastmod: post.UpdatedAt, CreatedAt: post.CreatedAt, Draft: post.Status != blog.Published, Summary: post.Summary,
		Author: post.Author, Authors: post.Authors(), Series: series, Tags: post.Tags, Image: thumbnail, ImageAlt: post.ThumbnailAlt,
		URL: "/blog/posts/" + post.ID + "/", Pressroom: oursOf(post, word),
	})
	return "---\n" + string(head) + "---\n" + mark(post.Blocks, word, func(ref string) string { return ref }), err
}

var notSlug = regexp.MustCompile(`[^\p{L}\p{N}]+`)

// slugOf is a name for a post's file that no other has.
func slugOf(p blog.Post) string {
	words := strings.Trim(notSlug.ReplaceAllString(strings.ToLower(p.Title), "-"), "-")
	if r := []rune(words); len(r) > 40 {
		words = strings.TrimRight(string(r[:40]), "-")
	}
	return strings.Trim(words+"-"+strings.ToLower(p.ID), "-")
}

func exportGhost(ctx context.Context, d *blog.Desk, to string, e *Exported) (err error) {
	f, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return errs.Wrap(err, errs.Usage, "cannot make %s: %v", to, err)
	}
	defer func() {
		if err = errors.Join(err, f.Close()); err != nil {
			err = errors.Join(err, os.Remove(to))
		}
	}()
	if strings.EqualFold(filepath.Ext(to), ".json") {
		e.Losses = append(e.Losses, "pictures are not in a file of JSON alone; a name that ends in .zip takes them along")
		w := bufio.NewWriter(f)
		return errors.Join(writeGhost(ctx, d, w, nil, e), w.Flush())
	}
	z := zip.NewWriter(f)
	// A zip archive is written one file after another: the pictures first.
	p := &pictures{
		desk: d, folder: "content/images/media", root: ghostURL + "/content/images/media/", seen: map[string]string{}, e: e,
		create: func(name string) (io.WriteCloser, error) {
			w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
			return nopCloser{w}, err
		},
	}
	err = eachPost(ctx, d, func(post blog.Post) error {
		_, err := p.put(ctx, post.Thumbnail)
		return errors.Join(err, p.inText(ctx, post.Blocks))
	})
	if err != nil {
		return err
	}
	p.create = func(name string) (io.WriteCloser, error) {
		return nil, errs.New(errs.Stale, "A picture was added to a post meanwhile. Export again.")
	}
	w, err := z.Create("ghost.json")
	if err != nil {
		return err
	}
	return errors.Join(writeGhost(ctx, d, w, p, e), z.Close())
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// writeGhost writes Ghost's JSON. Its lists of tags and people follow the posts, as
// nothing says that they must not.
func writeGhost(ctx context.Context, d *blog.Desk, w io.Writer, p *pictures, e *Exported) error {
	type object = map[string]any
	enc := json.NewEncoder(w)
	write := func(s string) error { _, err := io.WriteString(w, s); return err }
	tags, people := map[string]bool{}, map[string]bool{}
	tagged, written, described := []object{}, []object{}, []object{}
	if err := write(`{"db":[{"meta":{"exported_on":` + fmt.Sprint(time.Now().UnixMilli()) + `,"version":"5.0.0"},"data":{"posts":[`); err != nil {
		return err
	}
	err := eachPost(ctx, d, func(post blog.Post) error {
		thumbnail := post.Thumbnail
		if p != nil {
			var err error
			if thumbnail, err = p.put(ctx, post.Thumbnail); err != nil {
				return err
			}
			if err := p.inText(ctx, post.Blocks); err != nil {
				return err
			}
		}
		if e.Posts++; e.Posts > 1 {
			if err := write(","); err != nil {
				return err
			}
		}
		for n, t := range post.Tags {
			tags[t] = true
			tagged = append(tagged, object{"post_id": post.ID, "tag_id": objectID("tag", t), "sort_order": n})
		}
		for n, name := range post.Authors() {
			people[name] = true
			written = append(written, object{"post_id": post.ID, "author_id": objectID("user", name), "sort_order": n})
		}
		if post.ThumbnailAlt != "" {
			described = append(described, object{"id": objectID("meta", post.ID), "post_id": post.ID, "feature_image_alt": post.ThumbnailAlt})
		}
		status := "draft"
		if post.Status == blog.Published {
			status = "published"
		}
		lexical, err := json.Marshal(object{"root": object{"children": lexicalOf(post.Blocks), "direction": nil, "format": "", "indent": 0, "type": "root", "version": 1}})
		if err != nil {
			return err
		}
		var at any
		if !post.PublishedAt.IsZero() {
			at = post.PublishedAt
		}
		return enc.Encode(object{
			"id": post.ID, "title": post.Title, "slug": slugOf(post), "lexical": string(lexical), "feature_image": orNull(thumbnail), "featured": 0, "type": "post",
			"status": status, "visibility": "public", "custom_excerpt": prose.Shorten(post.Summary, 500), "created_at": post.CreatedAt, "updated_at": post.UpdatedAt,
			"published_at": at, "pressroom": oursOf(post, ""),
		})
	})
	if err != nil {
		return err
	}
	rest := object{"posts_tags": tagged, "posts_authors": written, "posts_meta": described, "tags": named("tag", tags), "users": named("user", people)}
	text, err := json.Marshal(rest)
	if err != nil {
		return err
	}
	return write("]," + string(text[1:]) + "}]}\n")
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func objectID(kind, name string) string { return hash(kind, name)[:24] }

func named(kind string, names map[string]bool) []map[string]any {
	list := []map[string]any{}
	for name := range names {
		o := map[string]any{"id": objectID(kind, name), "name": name, "slug": strings.Trim(notSlug.ReplaceAllString(strings.ToLower(name), "-"), "-")}
		if kind == "user" {
			o["email"] = objectID(kind, name) + "@example.invalid"
		}
		list = append(list, o)
	}
	return list
}

// lexicalOf writes blocks as cards that Ghost knows, each with the block that it was.
func lexicalOf(blocks []blog.Block) []map[string]any {
	cards := []map[string]any{}
	for _, b := range blocks {
		c := map[string]any{"version": 1, "pressroom": b}
		switch b.Type {
		case blog.Image:
			c["type"], c["src"], c["alt"], c["caption"] = "image", b.Content, b.Alt, b.Caption
		case blog.Code:
			c["type"], c["code"], c["language"], c["caption"] = "codeblock", b.Content, b.Language, b.Caption
		case blog.Video:
			c["type"], c["url"], c["caption"] = "bookmark", b.Content, b.Caption
			c["metadata"] = map[string]any{"url": b.Content, "title": b.Caption}
		case blog.Quote:
			text := "> " + strings.ReplaceAll(b.Content, "\n", "\n> ")
			if b.Caption != "" {
				text += "\n>\n> — " + escape(b.Caption)
			}
			c["type"], c["markdown"] = "markdown", text
		default:
			c["type"], c["markdown"] = "markdown", b.Content
		}
		cards = append(cards, c)
	}
	return cards
}
