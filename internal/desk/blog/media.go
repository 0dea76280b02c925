package blog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"

	"pressroom/internal/errs"
	"pressroom/internal/picture"
	"pressroom/model"
)

// mediaScheme begins a reference to an image of the library, where a web address
// could stand as well.
const mediaScheme = "media:"

var (
	mediaRefs = regexp.MustCompile(mediaScheme + `([0-9A-HJKMNP-TV-Z]{26})|https?://[^\s"'<>()]+/([0-9A-HJKMNP-TV-Z]{26})/full\b`)
	// mediaAddress is the address of an image of the library, wherever it is fetched.
	mediaAddress = regexp.MustCompile(`^https?://[^\s"'<>]+/([0-9A-HJKMNP-TV-Z]{26})/full$`)
	mediaID      = regexp.MustCompile(`^[0-9A-HJKMNP-TV-Z]{26}$`)
)

// mediaRef returns the id in a reference that is nothing else: "media:" and the id, or
// the address of the image, under whatever base it was written.
func mediaRef(s string) (id string, ok bool) {
	if m := mediaAddress.FindStringSubmatch(s); m != nil {
		return m[1], true
	}
	id, ok = strings.CutPrefix(s, mediaScheme)
	return id, ok && mediaID.MatchString(id)
}

// Media is an image in the library.
type Media struct {
	ID          string    `json:"id"`
	Ref         string    `json:"ref"`  // what a block has as content: "media:" and the id
	URL         string    `json:"url"`  // of the full size
	Name        string    `json:"name"` // of the file, as it was uploaded
	Alt         string    `json:"alt,omitempty"`
	Uploader    string    `json:"uploader,omitempty"`
	ContentType string    `json:"content_type"`
	Bytes       int64     `json:"bytes"` // of all sizes together
	Width       int       `json:"width"`
	Height      int       `json:"height"`
	Sizes       []Size    `json:"sizes"`
	CreatedAt   time.Time `json:"created_at"`
}

// Size is an image in one width.
type Size struct {
	Name   string `json:"name" dynamodbav:"name"`
	Width  int    `json:"width" dynamodbav:"width"`
	Height int    `json:"height" dynamodbav:"height"`
	URL    string `json:"url" dynamodbav:"-"`
}

// The states of an image.
const (
	mediaPending  = "pending"  // an upload may come
	mediaReady    = "ready"    // it can be shown
	mediaDeleting = "deleting" // it is on its way out
)

type mediaItem struct {
	MediaID     string `dynamodbav:"mediaId"`
	CreatedAt   string `dynamodbav:"createdAt"`
	State       string `dynamodbav:"state"`
	Name        string `dynamodbav:"name"`
	Alt         string `dynamodbav:"alt"`
	Uploader    string `dynamodbav:"uploader"`
	ContentType string `dynamodbav:"contentType"`
	Bytes       int64  `dynamodbav:"bytes"`
	Width       int    `dynamodbav:"width"`
	Height      int    `dynamodbav:"height"`
	Sizes       []Size `dynamodbav:"sizes"`
	TTL         *int64 `dynamodbav:"ttl"` // while it is pending
}

func mediaKey(id string) model.Values { return model.Values{"mediaId": id} }

func (d *Desk) toMedia(m mediaItem) (Media, error) {
	times, err := parseTimes(m.CreatedAt)
	if err != nil {
		return Media{}, fmt.Errorf("image %s: %w", m.MediaID, err)
	}
	sizes := slices.Clone(m.Sizes)
	for i := range sizes {
		sizes[i].URL = d.mediaURL(m.MediaID, sizes[i].Name)
	}
	return Media{
		ID: m.MediaID, Ref: mediaScheme + m.MediaID, URL: d.mediaURL(m.MediaID, picture.Full),
		Name: m.Name, Alt: m.Alt, Uploader: m.Uploader, ContentType: m.ContentType, Bytes: m.Bytes,
		Width: m.Width, Height: m.Height, Sizes: sizes, CreatedAt: times[0],
	}, nil
}

func (d *Desk) mediaURL(id, size string) string { return d.opt.MediaURL + id + "/" + size }

// addressed returns content in which images of the library have addresses that other
// programs can fetch.
func (d *Desk) addressed(c Content) Content {
	c.Thumbnail = d.address(c.Thumbnail)
	c.Blocks = slices.Clone(c.Blocks)
	for i := range c.Blocks {
		if c.Blocks[i].Type == Image {
			c.Blocks[i].Content = d.address(c.Blocks[i].Content)
		}
	}
	return c
}

func (d *Desk) address(ref string) string {
	id, ok := mediaRef(ref)
	if !ok || d.opt.PublicMedia == "" {
		return ref
	}
	return d.opt.PublicMedia + id + "/" + picture.Full
}

// Readdress sets the addresses of images in posts right, if they are fetched elsewhere
// than when the posts were saved. Readers of our own pages see no difference.
func (d *Desk) Readdress(ctx context.Context) error {
	if d.opt.PublicMedia == "" {
		return nil
	}
	for card, err := range d.views.all.All(ctx, nil, model.Window{}) {
		if err != nil {
			return fmt.Errorf("set addresses of images: %w", err)
		}
		err = d.readdress(ctx, card.ID)
		if err != nil && !errors.Is(err, errs.NotFound) && !errors.Is(err, errs.Stale) && !errors.Is(err, errs.Invalid) {
			return fmt.Errorf("set addresses of images of post %s: %w", card.ID, err)
		}
	}
	return nil
}

func (d *Desk) readdress(ctx context.Context, id string) error {
	old, err := d.settled(ctx, id)
	if err != nil {
		return err
	}
	post, err := old.item.post(old.blocks)
	if err != nil {
		return nil //nolint:nilerr // nobody here can read it; it is left alone
	}
	now := d.addressed(post.Content)
	if now.Thumbnail == post.Thumbnail && slices.Equal(now.Blocks, post.Blocks) {
		return nil
	}
	next := &stored{item: old.item}
	next.take(now)
	return d.replace(ctx, &old, next)
}

// ImageURL returns the address of an image for a page: of a reference into the
// library the size that is about so wide, of anything else what it is, if that is
// a web address, and "" otherwise.
func (d *Desk) ImageURL(ref string, width int) string {
	id, ok := mediaRef(ref)
	switch {
	case ok:
		return d.mediaURL(id, fmt.Sprint("w", width))
	case isWebAddress(ref):
		return ref
	}
	return ""
}

// GetMedia returns an image of the library, or errs.NotFound.
func (d *Desk) GetMedia(ctx context.Context, id string) (Media, error) {
	m, err := d.readyMedia(ctx, id)
	if err != nil {
		return Media{}, err
	}
	return d.toMedia(m)
}

func (d *Desk) readyMedia(ctx context.Context, id string) (mediaItem, error) {
	m, err := d.anyMedia(ctx, id)
	if err == nil && m.State != mediaReady {
		err = noMedia(id)
	}
	return m, err
}

func (d *Desk) anyMedia(ctx context.Context, id string) (mediaItem, error) {
	if !mediaID.MatchString(id) {
		return mediaItem{}, noMedia(id)
	}
	m, err := d.media.Get(ctx, mediaKey(id))
	if errors.Is(err, model.ErrNotFound) {
		err = noMedia(id)
	}
	return m, err
}

func noMedia(id string) error { return fmt.Errorf("image %.64q: %w", id, errs.NotFound) }

// Library lists the images, the newest first. A page may hold fewer than asked
// for and still have a next one, where uploads were begun and not finished.
func (d *Desk) Library(ctx context.Context, o PageOptions) (Page[Media], error) {
	page, err := d.views.library.Page(ctx, nil, o.page())
	if err != nil {
		return Page[Media]{}, listError(err)
	}
	found := Page[Media]{Items: []Media{}, Next: page.Next}
	for _, item := range page.Items {
		if item.State != mediaReady {
			continue // an upload that never came, or one that goes
		}
		m, err := d.toMedia(item)
		if err != nil {
			return found, err
		}
		found.Items = append(found.Items, m)
	}
	return found, nil
}

// SetAlt changes what is said of an image to those who do not see it.
func (d *Desk) SetAlt(ctx context.Context, id, alt string) (Media, error) {
	alt = strings.TrimSpace(normalText(alt))
	var p problems
	p.text("alt", alt, 0, MaxAlt)
	if err := p.err(); err != nil {
		return Media{}, err
	}
	if _, err := d.readyMedia(ctx, id); err != nil {
		return Media{}, err
	}
	change := expression.Set(expression.Name("alt"), expression.Value(alt))
	if alt == "" {
		change = expression.Remove(expression.Name("alt"))
	}
	m, err := d.media.Update(ctx, mediaKey(id), change)
	if errors.Is(err, model.ErrNotFound) {
		return Media{}, noMedia(id)
	}
	if err != nil {
		return Media{}, err
	}
	return d.toMedia(m)
}

// Object is an open image. The caller closes Body.
type Object struct {
	Body        io.ReadCloser
	ContentType string
	Size        int64
	ETag        string // quoted, as in HTTP
	ModTime     time.Time
}

var sizeName = regexp.MustCompile(`^(full|w[0-9]{2,4})$`)

// OpenMedia opens an image in a size by name, for the page under
// Options.MediaURL. A width that the image is too small for is answered with the
// full size. What it answers for an id and a name never changes, so that it may
// be cached for ever. It is for staff: readers are served what published posts
// show, by [Public.OpenMedia].
func (d *Desk) OpenMedia(ctx context.Context, id, name string) (*Object, error) {
	if !mediaID.MatchString(id) || !sizeName.MatchString(name) {
		return nil, noMedia(id)
	}
	object, err := d.openObject(ctx, id, name)
	if errors.Is(err, errs.NotFound) && name != picture.Full {
		object, err = d.openObject(ctx, id, picture.Full)
	}
	return object, err
}

func (d *Desk) openObject(ctx context.Context, id, name string) (*Object, error) {
	key, err := d.imageKey(id, name)
	if err != nil {
		return nil, err
	}
	out, err := d.objects.GetObject(ctx, &s3.GetObjectInput{Bucket: &d.bucket.Name, Key: &key})
	if isMissing(err) {
		return nil, noMedia(id)
	}
	if err != nil {
		return nil, fmt.Errorf("open image %s: %w", id, err)
	}
	return &Object{
		Body: out.Body, ContentType: aws.ToString(out.ContentType), Size: aws.ToInt64(out.ContentLength),
		ETag: aws.ToString(out.ETag), ModTime: aws.ToTime(out.LastModified),
	}, nil
}

func isMissing(err error) bool {
	var noKey *s3types.NoSuchKey
	var noSuch *s3types.NotFound
	return errors.As(err, &noKey) || errors.As(err, &noSuch)
}

func (d *Desk) objectKey(object string, v model.Values) (string, error) {
	o, ok := d.bucket.Object(object)
	if !ok {
		return "", fmt.Errorf("the schema has no object %s", object)
	}
	return o.Key.Render(v)
}

func (d *Desk) imageKey(id, name string) (string, error) {
	return d.objectKey("Image", model.Values{"id": id, "name": name})
}
