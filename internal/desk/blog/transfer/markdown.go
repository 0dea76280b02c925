package transfer

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"
	"go.yaml.in/yaml/v3"

	"pressroom/internal/desk/blog"
)

// folder is a folder of Markdown with front matter, as Hugo and Jekyll have it, or as
// Pressroom exports it.
type folder struct {
	tree  *tree
	site  *url.URL
	name  string // of the site, in keys
	hugo  bool
	links string // Jekyll's pattern of addresses
}

// maxMatter bounds front matter and configuration.
const maxMatter = 256 << 10

func openMarkdown(t *tree, name string, base *url.URL) (*folder, error) {
	f := &folder{tree: t, site: base, name: name, links: "date"}
	var config map[string]any
	for _, file := range []string{"hugo.toml", "hugo.yaml", "hugo.yml", "hugo.json", "config.toml", "config.yaml", "config.yml", "config.json", "_config.yml", "_config.yaml", "_config.toml"} {
		text, err := t.read(file, maxMatter)
		if errors.Is(err, fs.ErrNotExist) || t.only != "" {
			continue
		}
		if err == nil {
			config, err = decodeMatter(strings.TrimPrefix(path.Ext(file), "."), text)
		}
		if err != nil {
			return nil, unusable(err, "%s cannot be read: %v.", file, err)
		}
		f.hugo = !strings.HasPrefix(file, "_")
		break
	}
	if _, err := fs.Stat(t.FS, "content"); err == nil && t.only == "" {
		f.hugo = true
	}
	m := matter(config)
	if address := m.text("baseurl", "baseURL"); base == nil {
		if site := m.text("url"); site != "" && !f.hugo {
			address = site + address
		}
		if u, err := url.Parse(address); err == nil && u.Host != "" {
			f.site = u
		}
	}
	if f.site != nil {
		f.name = f.site.Host
	}
	if p := m.text("permalink"); p != "" {
		f.links = p
	}
	return f, nil
}

func (f *folder) base() *url.URL { return f.site }

func (f *folder) items(ctx context.Context) iter.Seq2[*Item, error] {
	return func(yield func(*Item, error) bool) {
		seen := false
		err := f.tree.walk(func(name string) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			ext := strings.ToLower(path.Ext(name))
			if ext != ".md" && ext != ".markdown" && ext != ".mdown" && ext != ".html" && ext != ".htm" {
				return nil
			}
			if f.hugo && f.tree.only == "" && !strings.HasPrefix(name, "content/") {
				return nil
			}
			if strings.HasPrefix(name, "_layouts/") || strings.HasPrefix(name, "_includes/") || strings.HasPrefix(name, "layouts/") {
				return nil
			}
			i := f.item(name, ext)
			if i == nil {
				return nil
			}
			seen = true
			if !yield(i, nil) {
				return errStopped
			}
			return nil
		})
		if err == nil && !seen {
			err = unusable(nil, "There is no Markdown with front matter in the folder or archive.")
		}
		if err != nil && !errors.Is(err, errStopped) {
			yield(nil, err)
		}
	}
}

// item reads a file. HTML without front matter is none of the site's content: nil.
func (f *folder) item(name, ext string) *Item {
	if f.tree.only != "" {
		name = f.tree.only
	}
	i := &Item{Key: "markdown/" + f.name + "/" + name, Kind: Post, Name: name}
	text, err := f.tree.read(name, maxText)
	if err != nil {
		i.Skip = err.Error()
		return i
	}
	kind, head, body := splitMatter(text)
	if kind == "" && (ext == ".html" || ext == ".htm") {
		return nil
	}
	if kind == "" {
		i.Skip = "it has no front matter"
		return i
	}
	m, err := decodeMatter(kind, head)
	if err != nil {
		i.Skip = "its front matter cannot be read: " + cutName(err.Error())
		return i
	}
	stem := strings.TrimSuffix(path.Base(name), path.Ext(name))
	if f.hugo && stem == "_index" {
		i.Skip = "it is the page of a section"
		return i
	}
	f.facts(i, matter(m), name)
	b := &builder{base: nil}
	if o := matter(m).ours(); o != nil {
		i.restore(o)
		if !unmark(b, string(body), o.Blocks) {
			i.Skip = "its blocks cannot be read"
		}
	} else if ext == ".html" || ext == ".htm" {
		b.html(liquid(b, string(body)))
	} else {
		b.markdown(f.shortcodes(b, liquid(b, string(body))))
	}
	i.take(b)
	f.local(i, path.Dir(name))
	return i
}

// facts reads what the front matter says of a post.
func (f *folder) facts(i *Item, m matter, name string) {
	c := &i.Given
	c.Title = m.text("title")
	c.Summary = m.text("summary", "description", "excerpt", "subtitle")
	i.by(m.list(",", "author", "authors"))
	if parts := m.list("", "series"); len(parts) > 0 {
		c.Series = parts[0]
		for _, other := range parts[1:] {
			i.lose("it is in the series %s, too; a post is in one", cutName(other))
		}
	}
	space := ","
	if !f.hugo {
		space = ", " // Jekyll takes words
	}
	c.Tags = slices.Concat(m.list(space, "tags", "tag"), m.list(space, "categories", "category"))
	c.Thumbnail = m.text("image", "images", "cover", "thumbnail", "featured_image", "feature_image", "featuredImage")
	if c.Thumbnail == "" {
		c.Thumbnail = m.below("cover").text("image") + m.below("image").text("path") + m.below("header").text("image", "overlay_image", "teaser")
	}
	if c.Thumbnail != "" {
		c.ThumbnailAlt = cmp.Or(m.text("image_alt", "cover_alt", "thumbnail_alt", "featured_image_alt"), m.below("cover").text("alt"), m.below("image").text("alt"), m.below("header").text("image_description"))
	}
	c.CreatedAt, c.UpdatedAt = m.time("date", "publishDate", "created"), m.time("lastmod", "last_modified_at", "updated", "modified")
	stem := strings.TrimSuffix(path.Base(name), path.Ext(name))
	if d := jekyllName.FindStringSubmatch(stem); d != nil {
		if c.CreatedAt.IsZero() {
			c.CreatedAt, _ = time.Parse(time.DateOnly, d[1])
		}
		stem = d[2]
	}
	if created := m.time("createdAt"); !created.IsZero() { // Pressroom's own
		c.PublishedAt, c.CreatedAt = c.CreatedAt, created
	}
	c.Status = blog.Published
	if m.truth("draft") || m["published"] == false || strings.HasPrefix(name, "_drafts/") || strings.Contains(name, "/_drafts/") {
		c.Status = blog.Draft
	} else if c.PublishedAt.IsZero() {
		c.PublishedAt = c.CreatedAt
	}
	if until := m.time("expiryDate"); !until.IsZero() {
		i.lose("it was to go on %s", until.Format(time.DateOnly))
	}
	layout := m.text("layout", "type")
	inPosts := strings.Contains("/"+name, "/_posts/") || strings.Contains("/"+name, "/_drafts/")
	switch {
	case layout == Page, f.hugo && path.Dir(name) == "content", !f.hugo && !inPosts && layout != Post && c.CreatedAt.IsZero():
		i.Kind = Page
	}
	i.Old = slices.Concat(m.list(",", "aliases", "alias", "redirect_from"), f.paths(i, m, name, stem))
}

var jekyllName = regexp.MustCompile(`^(\d{4}-\d{2}-\d{2})-(.+)$`)

// paths are the addresses at which a post was read, by the rules of its system.
func (f *folder) paths(i *Item, m matter, name, stem string) []string {
	if i.Given.Status != blog.Published {
		return nil
	}
	if address := m.text("url", "permalink"); address != "" && !strings.Contains(address, ":") {
		return []string{address}
	}
	slug := m.text("slug")
	if f.hugo {
		dir := strings.TrimPrefix(path.Dir(name), "content")
		if stem == "index" { // a bundle: the folder is the post
			dir, stem = path.Dir(dir), path.Base(dir)
		}
		if slug != "" {
			stem = slug
		}
		return []string{path.Join("/", dir, strings.ToLower(strings.ReplaceAll(stem, " ", "-")))}
	}
	if slug != "" {
		stem = slug
	}
	if i.Kind == Page {
		return []string{path.Join("/", path.Dir(name), stem), path.Join("/", path.Dir(name), stem+".html")}
	}
	pattern, ok := map[string]string{
		"date": "/:categories/:year/:month/:day/:title.html", "pretty": "/:categories/:year/:month/:day/:title/",
		"ordinal": "/:categories/:year/:y_day/:title.html", "none": "/:categories/:title.html",
	}[f.links]
	if own := m.text("permalink"); own != "" {
		pattern, ok = own, true
	}
	if !ok {
		pattern = f.links
	}
	at := i.Given.CreatedAt
	address := strings.NewReplacer(
		":categories", strings.ToLower(strings.Join(m.list(", ", "categories", "category"), "/")), ":year", at.Format("2006"), ":month", at.Format("01"), ":i_month", at.Format("1"),
		":day", at.Format("02"), ":i_day", at.Format("2"), ":y_day", at.Format("002"), ":short_year", at.Format("06"), ":title", stem, ":slug", stem, ":output_ext", ".html",
	).Replace(pattern)
	return []string{path.Clean("/" + address)}
}

// local makes the addresses of pictures those of files in the folder, where they are.
func (f *folder) local(i *Item, dir string) {
	at := func(ref string) string {
		u, err := url.Parse(ref)
		if err != nil || u.Scheme != "" || u.Host != "" || ref == "" {
			return ref
		}
		places := []string{path.Join(dir, u.Path)}
		if strings.HasPrefix(u.Path, "/") {
			places = nil
		}
		rooted := strings.TrimLeft(path.Clean("/"+u.Path), "/")
		for _, place := range append(places, path.Join("static", rooted), path.Join("assets", rooted), rooted, path.Join("public", rooted)) {
			if !fs.ValidPath(place) {
				continue
			}
			if info, err := fs.Stat(f.tree.FS, place); err == nil && info.Mode().IsRegular() && f.tree.only == "" {
				return localScheme + place
			}
		}
		if f.site != nil {
			return f.site.ResolveReference(u).String()
		}
		return ref
	}
	i.Given.Thumbnail = at(i.Given.Thumbnail)
	eachPicture(i.Given.Blocks, at)
}

// localScheme begins the name of a file in the folder, where an address could stand.
const localScheme = "file:"

// fences are the lines around front matter.
var fences = []struct {
	kind        string
	open, close *regexp.Regexp
}{
	{"yaml", regexp.MustCompile(`^---[ \t]*\n`), regexp.MustCompile(`(?m)^(?:---|\.\.\.)[ \t]*(?:\n|\z)`)},
	{"toml", regexp.MustCompile(`^\+\+\+[ \t]*\n`), regexp.MustCompile(`(?m)^\+\+\+[ \t]*(?:\n|\z)`)},
}

// splitMatter splits front matter from the text after it. kind is yaml, toml or json,
// and "" if there is none.
func splitMatter(text []byte) (kind string, head, body []byte) {
	text = bytes.ReplaceAll(bytes.TrimPrefix(text, []byte("\ufeff")), []byte("\r\n"), []byte("\n"))
	for _, f := range fences {
		open := f.open.FindIndex(text)
		if open == nil {
			continue
		}
		rest := text[open[1]:]
		end := f.close.FindIndex(rest)
		if end == nil || end[0] > maxMatter {
			return "", nil, text
		}
		return f.kind, rest[:end[0]], rest[end[1]:]
	}
	if bytes.HasPrefix(text, []byte("{\n")) || bytes.HasPrefix(text, []byte(`{"`)) {
		d := json.NewDecoder(bytes.NewReader(text))
		var head json.RawMessage
		if d.Decode(&head) == nil && len(head) <= maxMatter {
			return "json", head, bytes.TrimPrefix(text[d.InputOffset():], []byte("\n"))
		}
	}
	return "", nil, text
}

// decodeMatter reads front matter.
func decodeMatter(kind string, text []byte) (map[string]any, error) {
	if len(text) > maxMatter {
		return nil, fmt.Errorf("it has %d bytes; at most %d are read", len(text), maxMatter)
	}
	m := map[string]any{}
	var err error
	switch kind {
	case "toml":
		err = toml.Unmarshal(text, &m)
	case "json":
		err = json.Unmarshal(text, &m)
	default:
		err = yaml.Unmarshal(text, &m) // which counts aliases, and refuses bombs of them
	}
	return m, err
}

// matter is front matter, as it was written.
type matter map[string]any

// text returns the first text under some names, of a list its first.
func (m matter) text(names ...string) string {
	for _, name := range names {
		switch v := m[name].(type) {
		case string:
			if v = strings.TrimSpace(v); v != "" {
				return v
			}
		case []any:
			if len(v) > 0 {
				if s, ok := v[0].(string); ok && s != "" {
					return strings.TrimSpace(s)
				}
			}
		case int, int64, float64:
			return fmt.Sprint(v)
		}
	}
	return ""
}

// list returns the texts under some names; a text is split at some characters.
func (m matter) list(at string, names ...string) []string {
	var found []string
	for _, name := range names {
		switch v := m[name].(type) {
		case string:
			found = append(found, strings.FieldsFunc(v, func(r rune) bool { return strings.ContainsRune(at, r) })...)
		case []any:
			for _, e := range v {
				if inner, ok := e.(map[string]any); ok {
					e = matter(inner).text("name", "title")
				}
				found = append(found, fmt.Sprint(e))
			}
		case map[string]any:
			found = append(found, matter(v).text("name"))
		}
	}
	for i := range found {
		found[i] = strings.TrimSpace(found[i])
	}
	return slices.DeleteFunc(found, func(s string) bool { return s == "" })
}

func (m matter) below(name string) matter {
	inner, _ := m[name].(map[string]any)
	return inner
}

func (m matter) truth(name string) bool { return m[name] == true || m[name] == "true" }

// time returns the first date under some names.
func (m matter) time(names ...string) time.Time {
	for _, name := range names {
		switch v := m[name].(type) {
		case time.Time:
			return v.UTC()
		case toml.LocalDate:
			return v.AsTime(time.UTC)
		case toml.LocalDateTime:
			return v.AsTime(time.UTC)
		case string:
			for _, layout := range []string{time.RFC3339Nano, "2006-01-02 15:04:05 -0700", "2006-01-02 15:04:05 -07:00", "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02 15:04", time.DateOnly, "January 2, 2006", "2006/01/02"} {
				if t, err := time.Parse(layout, strings.TrimSpace(v)); err == nil {
					return t.UTC()
				}
			}
		}
	}
	return time.Time{}
}

// ours returns what Pressroom wrote, or nil.
func (m matter) ours() *ours {
	own := m.below("pressroom")
	if own == nil {
		return nil
	}
	o := &ours{ID: own.text("id"), Status: blog.Status(own.text("status")), Blocks: own.text("blocks")}
	if facts := own.below("facts"); facts != nil {
		o.Facts = map[string]string{}
		for name, text := range facts {
			o.Facts[name], _ = text.(string)
		}
	}
	return o
}

var (
	hugoShort   = regexp.MustCompile(`(?s)\{\{[<%]\s*/?\s*([A-Za-z0-9_/-]+)(.*?)/?\s*[>%]\}\}`)
	hugoCode    = regexp.MustCompile(`(?s)\{\{[<%]\s*highlight\s+([A-Za-z0-9_+-]+).*?[>%]\}\}\n?(.*?)\{\{[<%]\s*/\s*highlight\s*[>%]\}\}`)
	hugoWord    = regexp.MustCompile(`^\s*"?([^"\s]+)"?`)
	liquidCode  = regexp.MustCompile(`(?s)\{%-?\s*highlight\s+([A-Za-z0-9_+-]+).*?-?%\}\n?(.*?)\{%-?\s*endhighlight\s*-?%\}`)
	liquidRaw   = regexp.MustCompile(`\{%-?\s*(?:end)?raw\s*-?%\}`)
	liquidTag   = regexp.MustCompile(`(?s)\{%-?\s*(\w+).*?-?%\}`)
	liquidBase  = regexp.MustCompile(`\{\{-?\s*site\.(?:baseurl|url)\s*-?\}\}`)
	liquidValue = regexp.MustCompile(`\{\{[^<%].*?\}\}`)
	liquidLink  = regexp.MustCompile(`\{\{-?\s*["']([^"']+)["']\s*\|\s*(?:relative_url|absolute_url)\s*-?\}\}`)
	includeFig  = regexp.MustCompile(`\{%-?\s*include\s+(?:figure|image)\S*\s+(.*?)-?%\}`)
)

// fencedCode writes code as Markdown has it.
func fencedCode(language, code string) string {
	fence := fenceFor(code)
	return "\n\n" + fence + language + "\n" + strings.TrimRight(code, "\n") + "\n" + fence + "\n\n"
}

// liquid turns what Jekyll's templates do in texts into Markdown, as far as that goes.
func liquid(b *builder, text string) string {
	if !strings.Contains(text, "{%") && !strings.Contains(text, "{{") {
		return text
	}
	text = liquidCode.ReplaceAllStringFunc(text, func(s string) string {
		m := liquidCode.FindStringSubmatch(s)
		return fencedCode(m[1], m[2])
	})
	text = liquidBase.ReplaceAllString(liquidRaw.ReplaceAllString(text, ""), "")
	text = liquidLink.ReplaceAllString(text, "$1")
	text = includeFig.ReplaceAllStringFunc(text, func(s string) string {
		a := shortAttrs(includeFig.FindStringSubmatch(s)[1])
		if src := a["src"] + a["image_path"] + a["url"]; src != "" {
			return "\n\n![" + escape(a["alt"]) + "](" + destination(src) + ")\n\n"
		}
		return s
	})
	for _, m := range liquidTag.FindAllStringSubmatch(text, -1) {
		b.lose("the tag {%% %s %%} is kept as text", m[1])
	}
	if m := liquidValue.FindString(text); m != "" {
		b.lose("the value %s is kept as text", cutName(m))
	}
	return text
}

// shortcodes turns Hugo's shortcodes into Markdown.
func (f *folder) shortcodes(b *builder, text string) string {
	if !strings.Contains(text, "{{<") && !strings.Contains(text, "{{%") {
		return text
	}
	text = hugoCode.ReplaceAllStringFunc(text, func(s string) string {
		m := hugoCode.FindStringSubmatch(s)
		return fencedCode(m[1], m[2])
	})
	return hugoShort.ReplaceAllStringFunc(text, func(s string) string {
		m := hugoShort.FindStringSubmatch(s)
		a, word := shortAttrs(m[2]), ""
		if w := hugoWord.FindStringSubmatch(m[2]); w != nil {
			word = w[1]
		}
		switch m[1] {
		case "figure", "image", "img":
			if a["src"] != "" {
				words := a["caption"]
				if words == "" {
					words = a["title"]
				}
				return "\n\n![" + escape(a["alt"]) + "](" + destination(a["src"]) + " \"" + strings.ReplaceAll(words, `"`, "'") + "\")\n\n"
			}
		case "youtube":
			if id := a["id"] + word; a["id"] == "" || word != "" && strings.HasPrefix(word, "id=") {
				if a["id"] != "" {
					id = a["id"]
				}
				return "\n\n<iframe src=\"https://www.youtube.com/embed/" + url.PathEscape(id) + "\"></iframe>\n\n"
			}
		case "vimeo":
			return "\n\n<iframe src=\"https://player.vimeo.com/video/" + url.PathEscape(word) + "\"></iframe>\n\n"
		case "ref", "relref":
			return word
		}
		b.lose("the shortcode %s is kept as text", cutName(m[1]))
		return s
	})
}
