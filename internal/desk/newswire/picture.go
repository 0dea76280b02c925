package newswire

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"

	"pressroom/internal/errs"
	"pressroom/internal/picture"
	"pressroom/internal/rights"
	"pressroom/model"
)

// Picture is the picture that an article's page shows of itself, and our own copies of
// it. There are copies only where the source lets us show them; they go with that.
type Picture struct {
	URL    string        `dynamodbav:"url" json:"url"`
	Text   string        `dynamodbav:"text,omitempty" json:"text,omitempty"` // what it shows, as the page says
	Copies []PictureCopy `dynamodbav:"copies,omitempty" json:"copies,omitempty"`
}

// PictureCopy is a copy in one size. The first is the largest.
type PictureCopy struct {
	Key    string `dynamodbav:"key" json:"-"`
	Type   string `dynamodbav:"type" json:"type"`
	Width  int    `dynamodbav:"width" json:"width"`
	Height int    `dynamodbav:"height" json:"height"`
}

// pictureSide is the longest side of the copies.
const pictureSide = 960

// source is the address of a picture, "" of none.
func (p *Picture) source() string {
	if p == nil {
		return ""
	}
	return p.URL
}

// keys are the objects of the copies.
func (p *Picture) keys() []string {
	if p == nil {
		return nil
	}
	var all []string
	for _, c := range p.Copies {
		all = append(all, c.Key)
	}
	return all
}

// Path is where the newsroom shows the copy of a width, below the site.
func (c PictureCopy) Path(article string) string {
	return "/newswire/articles/" + url.PathEscape(article) + "/pictures/" + strconv.Itoa(c.Width)
}

// Least is the narrowest copy that fills a width, or the widest.
func (p *Picture) Least(width int) PictureCopy {
	best := p.Copies[0]
	for _, c := range p.Copies {
		if c.Width >= width && c.Width < best.Width {
			best = c
		}
	}
	return best
}

// PictureOf returns the copy of an article's picture in a width, for those who may see
// it: an errs.NotFound for all others.
func (d *Desk) PictureOf(ctx context.Context, article string, width int, to rights.Audience) (PictureCopy, []byte, error) {
	missing := fmt.Errorf("picture of %s: %w", article, errs.NotFound)
	shown, err := d.ReadArticle(ctx, article, to)
	if err != nil {
		return PictureCopy{}, nil, err
	}
	if shown.Picture == nil {
		return PictureCopy{}, nil, missing
	}
	at := slices.IndexFunc(shown.Picture.Copies, func(c PictureCopy) bool { return c.Width == width })
	if at < 0 {
		return PictureCopy{}, nil, missing
	}
	found := shown.Picture.Copies[at]
	data, err := d.get(ctx, found.Key)
	if isMissing(err) {
		err = missing
	}
	return found, data, err
}

// copyPicture makes the copies of an article's picture, if its source lets us show
// them. One that cannot be had is noted, and not asked for again before it changes.
func (c *crawl) copyPicture(ctx context.Context, a *Article) error {
	if a.Picture == nil || len(a.Picture.Copies) > 0 {
		return nil
	}
	if !rights.Decide(c.site.Basis, a.Said, c.desk.now()).May(rights.Picture) {
		a.Picture = nil
		return nil
	}
	made, err := c.fetchPicture(ctx, a)
	switch {
	case stopping(ctx, err):
		a.Picture = nil // it is asked for at the next visit
		return ctx.Err()
	case err != nil:
		c.log.info("no picture", LogLine{URL: a.Picture.URL, Detail: cause(err)})
		return nil
	}
	p := &Picture{URL: a.Picture.URL, Text: a.Picture.Text}
	for _, size := range made.Sizes {
		key, err := c.desk.put(ctx, object{
			kind: "Picture", vars: model.Values{"articleId": a.ArticleID, "name": sum(string(size.Data))[:16]},
			body: size.Data, mime: made.Type, source: p.URL,
		})
		if err != nil {
			return err
		}
		p.Copies = append(p.Copies, PictureCopy{Key: key, Type: made.Type, Width: size.Width, Height: size.Height})
	}
	a.Picture = p
	return nil
}

// fetchPicture asks for a picture by the rules of its host, which may be another than
// the site's, and makes it fit to be shown.
func (c *crawl) fetchPicture(ctx context.Context, a *Article) (*picture.Picture, error) {
	file, err := c.desk.fetchFile(ctx, c.robots, &url.URL{}, a.Picture.URL, c.site.interval())
	if err != nil {
		return nil, err
	}
	if file == nil {
		return nil, errors.New("it is not there, or robots.txt forbids to ask for it")
	}
	// The picture may say something about its use that the page does not.
	if decision := rights.Decide(c.site.Basis, append(slices.Clip(a.Said), file.said...), c.desk.now()); !decision.May(rights.Picture) {
		return nil, errors.New(decision.Why(rights.Picture).String())
	}
	// Pixels take much room: one picture is made at a time.
	select {
	case c.desk.drawing <- struct{}{}:
		defer func() { <-c.desk.drawing }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return picture.Still(file.body, pictureSide)
}

// removeCopies removes the copies that an article had and has no more. What is left by
// one who dies here, the article's own removal takes away.
func (d *Desk) removeCopies(ctx context.Context, before, now *Picture) error {
	var all error
	kept := now.keys()
	for _, key := range before.keys() {
		if !slices.Contains(kept, key) {
			all = errors.Join(all, d.removeObject(ctx, key))
		}
	}
	return all
}
