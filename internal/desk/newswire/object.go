package newswire

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"net/url"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/klauspost/compress/gzip"

	"pressroom/model"
)

// object is something for the bucket.
type object struct {
	kind   string // its name in the schema
	vars   model.Values
	body   []byte
	mime   string
	source string // the address that it comes from
}

// key renders the object's key.
func (d *Desk) objectKey(kind string, vars model.Values) (string, error) {
	o, ok := d.bucket.Object(kind)
	if !ok {
		return "", fmt.Errorf("bucket %s has no objects %s", d.bucket.Name, kind)
	}
	return o.Key.Render(vars)
}

// put writes an object with the tags and the metadata that every object has, and
// returns its key.
func (d *Desk) put(ctx context.Context, o object) (string, error) {
	key, err := d.objectKey(o.kind, o.vars)
	if err != nil {
		return "", err
	}
	digest := sha256.Sum256(o.body)
	_, err = d.objects.PutObject(ctx, &s3.PutObjectInput{
		Bucket: &d.bucket.Name, Key: &key, Body: bytes.NewReader(o.body), ContentType: aws.String(o.mime),
		Tagging:  &d.tagging,
		Metadata: map[string]string{"source-url": header(o.source), "sha256": hex.EncodeToString(digest[:])},
		// The store checks the body against the digest that is there anyway, rather
		// than against another one in a trailer.
		ChecksumSHA256: aws.String(base64.StdEncoding.EncodeToString(digest[:])),
	})
	if err != nil {
		return "", fmt.Errorf("put %s: %w", key, err)
	}
	return key, nil
}

// tagging writes tags as the header of that name wants them.
func tagging(tags map[string]string) string {
	v := url.Values{}
	for name, value := range tags {
		v.Set(name, value)
	}
	return v.Encode()
}

// header makes an address fit for a header: ASCII, and not longer than metadata
// may be.
func header(address string) string {
	if u, err := url.Parse(address); err == nil {
		address = u.String()
	}
	address = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return -1
		}
		return r
	}, address)
	return address[:min(len(address), 1500)]
}

// get reads an object whole.
func (d *Desk) get(ctx context.Context, key string) ([]byte, error) {
	out, err := d.objects.GetObject(ctx, &s3.GetObjectInput{Bucket: &d.bucket.Name, Key: &key})
	if err != nil {
		return nil, fmt.Errorf("get %s: %w", key, err)
	}
	defer func() { _ = out.Body.Close() }()
	body, err := io.ReadAll(out.Body)
	if err != nil {
		return nil, fmt.Errorf("get %s: %w", key, err)
	}
	return body, nil
}

var zippers = sync.Pool{New: func() any {
	w, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // a valid level
	return w
}}

func zip(body []byte) ([]byte, error) {
	var b bytes.Buffer
	b.Grow(len(body)/4 + 64)
	w := zippers.Get().(*gzip.Writer)
	defer zippers.Put(w)
	w.Reset(&b)
	if _, err := w.Write(body); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// maxUnzipped bounds what is read back; nothing larger was written.
const maxUnzipped = 64 << 20

func unzip(body []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(r, maxUnzipped))
}
