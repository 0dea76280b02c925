package blog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"pressroom/internal/errs"
	"pressroom/internal/picture"
	"pressroom/model"
)

// picturesAtOnce bounds the memory that decoded images take.
const picturesAtOnce = 2

// uploadAge is how long a presigned address takes an upload.
const uploadAge = 15 * time.Minute

// uploadKept is how long an upload may wait to be finished.
const uploadKept = 24 * time.Hour

// MaxUpload is how many bytes an image may have.
const MaxUpload = picture.MaxBytes

// NewMedia is what an editor says of an image.
type NewMedia struct {
	Name     string `json:"name"` // of the file
	Alt      string `json:"alt,omitempty"`
	Uploader string `json:"uploader,omitempty"`
}

// normal returns the description in the form that is stored, or what is wrong
// with it.
func (n NewMedia) normal() (NewMedia, error) {
	name := strings.TrimSpace(normalText(path.Base(strings.ReplaceAll(n.Name, `\`, "/"))))
	for len(name) > 200 {
		_, size := utf8.DecodeRuneInString(name)
		name = name[size:]
	}
	if name == "" || name == "." || name == "/" {
		name = "image"
	}
	n.Name, n.Alt = name, strings.TrimSpace(normalText(n.Alt))
	var p problems
	p.line("name", n.Name, 1, 200)
	p.text("alt", n.Alt, 0, MaxAlt)
	p.line("uploader", n.Uploader, 0, maxUploader)
	return n, p.err()
}

// AddMedia takes an image into the library: the file is read to its end, at most
// [MaxUpload] bytes of it, encoded anew without metadata, and kept in all sizes.
// A file that is no image is an errs.Validation of the field "file"; one that is
// too large is errs.TooLarge.
func (d *Desk) AddMedia(ctx context.Context, n NewMedia, file io.Reader) (Media, error) {
	n, err := n.normal()
	if err != nil {
		return Media{}, err
	}
	data, err := io.ReadAll(io.LimitReader(file, MaxUpload+1))
	if err != nil {
		return Media{}, errs.Wrap(err, errs.Malformed, "The file did not arrive whole. Send it again.")
	}
	item := mediaItem{MediaID: d.ids.New(), CreatedAt: d.stamp(), Name: n.Name, Alt: n.Alt, Uploader: n.Uploader}
	return d.keepMedia(ctx, item, data)
}

// keepMedia encodes a file and keeps it: the objects first, so that an image in
// the library is always there.
func (d *Desk) keepMedia(ctx context.Context, item mediaItem, data []byte) (Media, error) {
	p, err := d.makePicture(ctx, data)
	if err != nil {
		return Media{}, err
	}
	item.State, item.ContentType, item.TTL = mediaReady, p.Type, nil
	item.Width, item.Height, item.Bytes, item.Sizes = p.Width, p.Height, 0, []Size{}
	for _, s := range p.Sizes {
		if err := d.putImage(ctx, item.MediaID, p.Type, s); err != nil {
			return Media{}, fmt.Errorf("keep image %s: %w", item.MediaID, err)
		}
		item.Bytes += int64(len(s.Data))
		item.Sizes = append(item.Sizes, Size{Name: s.Name, Width: s.Width, Height: s.Height})
	}
	if err := d.media.Put(ctx, &item); err != nil {
		return Media{}, err
	}
	return d.toMedia(item)
}

func (d *Desk) makePicture(ctx context.Context, data []byte) (*picture.Picture, error) {
	select {
	case d.pictures <- struct{}{}:
		defer func() { <-d.pictures }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	p, err := picture.Make(data)
	switch {
	case errors.Is(err, picture.ErrTooLarge):
		return nil, errs.Wrap(err, errs.TooLarge, "The image is too large: at most 10 MB and 40 million pixels are allowed.")
	case err != nil:
		e := errs.Wrap(err, errs.Invalid, "The file is no image that can be shown.")
		e.Fields = []errs.Field{{Name: "file", Message: "must be a JPEG, PNG, GIF or WebP image that is not damaged"}}
		return nil, e
	}
	return p, nil
}

func (d *Desk) putImage(ctx context.Context, id, contentType string, s picture.Size) error {
	key, err := d.imageKey(id, s.Name)
	if err != nil {
		return err
	}
	_, err = d.objects.PutObject(ctx, &s3.PutObjectInput{
		Bucket: &d.bucket.Name, Key: &key, Body: bytes.NewReader(s.Data), ContentLength: aws.Int64(int64(len(s.Data))),
		ContentType: &contentType, CacheControl: aws.String("public, max-age=31536000, immutable"),
	})
	return err
}

// Upload is where a browser sends an image: one request with this method, these
// headers and the file as body, before Expires. Then [Desk.FinishUpload].
type Upload struct {
	ID      string            `json:"id"`
	Method  string            `json:"method"`
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers"`
	Expires time.Time         `json:"expires"`
}

// BeginUpload prepares an upload of so many bytes that does not pass through
// this process. What was not finished within a day is forgotten.
func (d *Desk) BeginUpload(ctx context.Context, n NewMedia, size int64) (Upload, error) {
	n, err := n.normal()
	if err != nil {
		return Upload{}, err
	}
	if size < 1 || size > MaxUpload {
		return Upload{}, errs.Validation(errs.Field{Name: "size", Message: fmt.Sprintf("must be 1 to %d bytes", MaxUpload)})
	}
	id := d.ids.New()
	key, err := d.objectKey("Upload", model.Values{"id": id})
	if err != nil {
		return Upload{}, err
	}
	signed, err := d.presign.PresignPutObject(ctx, &s3.PutObjectInput{
		Bucket: &d.bucket.Name, Key: &key, ContentLength: &size,
	}, s3.WithPresignExpires(uploadAge))
	if err != nil {
		return Upload{}, fmt.Errorf("presign upload: %w", err)
	}
	forgotten := d.now().Add(uploadKept).Unix()
	item := mediaItem{MediaID: id, CreatedAt: d.stamp(), State: mediaPending, TTL: &forgotten, Name: n.Name, Alt: n.Alt, Uploader: n.Uploader, Bytes: size, Sizes: []Size{}}
	if err := d.media.Create(ctx, &item); err != nil {
		return Upload{}, err
	}
	return Upload{ID: id, Method: signed.Method, URL: signed.URL, Headers: browserHeaders(signed.SignedHeader), Expires: d.now().Add(uploadAge)}, nil
}

// browserHeaders are the signed headers that a browser does not set by itself.
func browserHeaders(signed http.Header) map[string]string {
	headers := map[string]string{}
	for name, values := range signed {
		if name != "Host" && name != "Content-Length" && len(values) > 0 {
			headers[name] = values[0]
		}
	}
	return headers
}

// FinishUpload takes what a browser sent into the library, as [Desk.AddMedia]
// does. Before the upload has arrived it answers errs.Conflict; for an upload
// that was finished already, the image.
func (d *Desk) FinishUpload(ctx context.Context, id string) (Media, error) {
	item, err := d.anyMedia(ctx, id)
	switch {
	case err != nil:
		return Media{}, err
	case item.State == mediaReady:
		return d.toMedia(item)
	case item.State != mediaPending:
		return Media{}, noMedia(id)
	}
	key, err := d.objectKey("Upload", model.Values{"id": id})
	if err != nil {
		return Media{}, err
	}
	data, err := d.readUpload(ctx, key)
	if err != nil {
		return Media{}, err
	}
	m, err := d.keepMedia(ctx, item, data)
	if err != nil && !errors.Is(err, errs.Invalid) && !errors.Is(err, errs.TooLarge) {
		return m, err
	}
	if err != nil { // it will not become an image
		if e := d.media.Delete(ctx, mediaKey(id)); e != nil {
			return m, errors.Join(err, e)
		}
	}
	if _, e := d.objects.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &d.bucket.Name, Key: &key}); e != nil {
		d.opt.Log.Warn("blog: an upload is left to expire", "image", id, "err", e)
	}
	return m, err
}

func (d *Desk) readUpload(ctx context.Context, key string) ([]byte, error) {
	out, err := d.objects.GetObject(ctx, &s3.GetObjectInput{Bucket: &d.bucket.Name, Key: &key})
	if isMissing(err) {
		return nil, errs.New(errs.Conflict, "The image has not arrived. Send it to its address first.")
	}
	if err != nil {
		return nil, fmt.Errorf("read upload: %w", err)
	}
	defer func() { _ = out.Body.Close() }()
	data, err := io.ReadAll(io.LimitReader(out.Body, MaxUpload+1))
	if err != nil {
		return nil, fmt.Errorf("read upload: %w", err)
	}
	return data, nil
}
