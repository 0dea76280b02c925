package demo

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"strings"

	"pressroom/internal/desk/blog"
)

// Profile is who writes the demo's blog. The avatar is an image of the library,
// and so only there once posts are loaded.
func Profile() blog.Profile {
	return blog.Profile{
		Name: "Mio Arisawa　有沢みお", Role: "Editor of a newsroom that does not exist　架空の編集室の編集者",
		Bio: "I write about how public decisions are made, how to read a record, and how software can help without getting in the way.\n\n" +
			"議事録の読み方、報道の道具、編集の現場のことを書いています。登場する人物・団体・法案はすべて架空のものです。",
		Links: []blog.Link{{Label: "Contact", URL: "mailto:editor@pressroom.example"}},
	}
}

// loadPosts writes all posts, and leaves a reader's letter in the inbox. What an
// interrupted loading wrote is found by its name.
func (d *Demo) loadPosts(ctx context.Context) error {
	files, err := readAll("blog")
	if err != nil {
		return err
	}
	there, err := d.blogThere(ctx)
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := d.loadPost(ctx, f, there); err != nil {
			return fmt.Errorf("post %s: %w", f.name, err)
		}
	}
	if there.letters > 0 {
		return nil
	}
	return d.blog.Public().Send(ctx, "demo", blog.NewMessage{
		Name: "桐野さと", Email: "satono@reader.example", Subject: "図書館の記事について / About the library article",
		Body: "図書館ネットワークの記事を読みました。引用から会議録の該当箇所に飛べるのがとても便利でした。\n\nOne wish: could the timeline of a bill say at the top where it stands today?",
	})
}

// blogThere is what the blog has already.
type blogThere struct {
	posts   map[string]string // ids, by title
	images  map[string]string // references, by file name
	letters int
}

func (d *Demo) blogThere(ctx context.Context) (*blogThere, error) {
	most := blog.PageOptions{Limit: 100}
	posts, err := d.blog.List(ctx, most)
	if err != nil {
		return nil, err
	}
	images, err := d.blog.Library(ctx, most)
	if err != nil {
		return nil, err
	}
	letters, err := d.blog.Inbox(ctx, most)
	if err != nil {
		return nil, err
	}
	there := &blogThere{posts: map[string]string{}, images: map[string]string{}, letters: len(letters.Items)}
	for _, p := range posts.Items {
		there.posts[p.Title] = p.ID
	}
	for _, m := range images.Items {
		there.images[m.Name] = m.Ref
	}
	return there, nil
}

func (d *Demo) loadPost(ctx context.Context, f file, there *blogThere) error {
	content, err := d.content(ctx, f, there)
	if err != nil {
		return err
	}
	var post blog.Post
	if id := there.posts[content.Title]; id != "" {
		post, err = d.blog.Get(ctx, id)
	} else {
		post, err = d.blog.Create(ctx, content)
	}
	if err != nil {
		return err
	}
	if err := d.mark.change(func(m *markData) { m.Posts[f.name] = post.ID }); err != nil {
		return err
	}
	return d.bring(ctx, post, blog.Status(f.get("state")))
}

// bring gives a post its state; "" is published. An archived one was published.
func (d *Demo) bring(ctx context.Context, post blog.Post, state blog.Status) (err error) {
	switch {
	case state == blog.Draft || post.Status == state:
		return nil
	case post.Status == blog.Draft:
		if post, err = d.blog.Publish(ctx, post.ID, post.Version); err != nil {
			return err
		}
	}
	if state == blog.Archived {
		_, err = d.blog.Archive(ctx, post.ID, post.Version)
	}
	return err
}

// content is what a file says, with its pictures in the library.
func (d *Demo) content(ctx context.Context, f file, there *blogThere) (blog.Content, error) {
	n, err := f.numbers("days", "hours")
	if err != nil {
		return blog.Content{}, err
	}
	content := blog.Content{
		Facts: blog.Facts{Title: f.get("title"), Summary: f.get("summary"), Author: f.get("author"), Series: f.get("series")}, Tags: f.list("tags"), PublishedAt: d.ago(n["days"], n["hours"]),
	}
	picture := func(name, alt string) (string, error) { return d.image(ctx, there.images, name, alt) }
	if content.Blocks, err = parseBlocks(f.text, picture, d.postPath); err != nil {
		return content, err
	}
	if name := f.get("thumbnail"); name != "" {
		content.Thumbnail, err = picture(name, "")
	}
	return content, err
}

// postPath is the page of a post that was loaded before.
func (d *Demo) postPath(file string) (string, bool) {
	id := d.mark.post(file)
	return "/blog/posts/" + id, id != ""
}

// image draws a picture into the library, each once.
func (d *Demo) image(ctx context.Context, images map[string]string, name, alt string) (string, error) {
	if ref := images[name+".png"]; ref != "" {
		return ref, nil
	}
	data, err := draw(name)
	if err != nil {
		return "", err
	}
	media, err := d.blog.AddMedia(ctx, blog.NewMedia{Name: name + ".png", Alt: alt, Uploader: "editor"}, bytes.NewReader(data))
	if err != nil {
		return "", fmt.Errorf("image %s: %w", name, err)
	}
	images[media.Name] = media.Ref
	return media.Ref, nil
}

// postLink is a link to another post, by its file.
var postLink = regexp.MustCompile(`\]\(post:([a-z0-9-]+)\)`)

// parseBlocks reads the body of a post. A line that begins with ::: begins a block:
//
//	::: text half_left
//	::: image half_right harbour | what it shows | caption
//	::: code go | caption
//	::: quote | whose words
//
// What stands before the first such line is a text over the full width.
func parseBlocks(text string, picture func(name, alt string) (string, error), post func(file string) (string, bool)) ([]blog.Block, error) {
	var broken error
	text = postLink.ReplaceAllStringFunc(text, func(link string) string {
		name := postLink.FindStringSubmatch(link)[1]
		path, ok := post(name)
		if !ok {
			broken = fmt.Errorf("there is no post %q before this one", name)
		}
		return "](" + path + ")"
	})
	if broken != nil {
		return nil, broken
	}
	var blocks []blog.Block
	for i, part := range strings.Split("\n"+text, "\n:::") {
		head, body := "text", part
		if i > 0 {
			head, body, _ = strings.Cut(part, "\n")
		}
		if i == 0 && strings.TrimSpace(body) == "" {
			continue
		}
		b, err := parseBlock(head, strings.TrimSpace(body), picture)
		if err != nil {
			return nil, err
		}
		blocks = append(blocks, b)
	}
	return blocks, nil
}

func parseBlock(head, body string, picture func(name, alt string) (string, error)) (blog.Block, error) {
	parts := strings.Split(head, "|")
	words := strings.Fields(parts[0])
	b := blog.Block{Type: blog.Kind(words[0]), Layout: blog.Full, Content: body}
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	for _, w := range words[1:] {
		switch layout := blog.Layout(w); {
		case layout == blog.Full || layout == blog.HalfLeft || layout == blog.HalfRight:
			b.Layout = layout
		case b.Type == blog.Code:
			b.Language = w
		case b.Type == blog.Image:
			b.Content = w
		default:
			return b, fmt.Errorf("%q in %q is not understood", w, head)
		}
	}
	if b.Type == blog.Image {
		b.Alt, b.Caption = part(parts, 1), part(parts, 2)
		ref, err := picture(b.Content, b.Alt)
		b.Content = ref
		return b, err
	}
	b.Caption = part(parts, 1)
	return b, nil
}
