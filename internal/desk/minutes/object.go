package minutes

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"pressroom/internal/errs"
	"pressroom/model"
)

// store reads and writes the desk's objects as JSON.
type store struct {
	client  *s3.Client
	prompts *model.Bucket
	assets  *model.Bucket
}

// maxObject bounds what is read of one object. Minutes of a whole day have a few
// megabytes.
const maxObject = 256 << 20

// errNoObject is an object that is not there.
var errNoObject = fmt.Errorf("no such object: %w", errs.NotFound)

// url names an object as tasks do.
func url(bucket, key string) string { return "s3://" + bucket + "/" + key }

// place is the URL of an object of the bucket, by the kind's key.
func place(b *model.Bucket, kind string, v model.Values) (string, error) {
	o, ok := b.Object(kind)
	if !ok {
		return "", fmt.Errorf("bucket %s has no %s", b.Name, kind)
	}
	key, err := o.Key.Render(v)
	return url(b.Name, key), err
}

// split is the inverse of url. Only the desk's own buckets are reached, whatever a
// task says.
func (s *store) split(at string) (bucket, key string, err error) {
	rest, ok := strings.CutPrefix(at, "s3://")
	bucket, key, found := strings.Cut(rest, "/")
	if !ok || !found || key == "" {
		return "", "", fmt.Errorf("%q is no s3:// URL", at)
	}
	if bucket != s.prompts.Name && bucket != s.assets.Name {
		return "", "", fmt.Errorf("%q is in none of the desk's buckets", at)
	}
	return bucket, key, nil
}

// get reads a JSON object into v, or answers errNoObject.
func (s *store) get(ctx context.Context, at string, v any) error {
	data, err := s.read(ctx, at)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("read %s: %w", at, err)
	}
	return nil
}

func (s *store) read(ctx context.Context, at string) ([]byte, error) {
	bucket, key, err := s.split(at)
	if err != nil {
		return nil, err
	}
	out, err := s.client.GetObject(ctx, &s3.GetObjectInput{Bucket: &bucket, Key: &key})
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", at, absent(err))
	}
	defer out.Body.Close()
	data, err := io.ReadAll(io.LimitReader(out.Body, maxObject+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", at, err)
	}
	if len(data) > maxObject {
		return nil, fmt.Errorf("read %s: more than %d bytes", at, maxObject)
	}
	return data, nil
}

// absent turns the ways of S3 to say that there is nothing into errNoObject.
func absent(err error) error {
	var api smithy.APIError
	if errors.As(err, &api) && (api.ErrorCode() == "NoSuchKey" || api.ErrorCode() == "NotFound") {
		return errNoObject
	}
	return err
}

// put writes v as JSON over what is there.
func (s *store) put(ctx context.Context, at string, v any) error {
	data, err := encode(v)
	if err != nil {
		return fmt.Errorf("write %s: %w", at, err)
	}
	return s.write(ctx, at, data, false)
}

// putNew writes v as JSON if nothing is there or something else is; what is there
// already and the same is left alone.
func (s *store) putNew(ctx context.Context, at string, v any) error {
	data, err := encode(v)
	if err != nil {
		return fmt.Errorf("write %s: %w", at, err)
	}
	return s.writeNew(ctx, at, data)
}

func (s *store) writeNew(ctx context.Context, at string, data []byte) error {
	err := s.write(ctx, at, data, true)
	if !preconditionFailed(err) {
		return err
	}
	old, err := s.read(ctx, at)
	if err == nil && bytes.Equal(old, data) {
		return nil
	}
	return s.write(ctx, at, data, false)
}

func (s *store) write(ctx context.Context, at string, data []byte, ifAbsent bool) error {
	bucket, key, err := s.split(at)
	if err != nil {
		return err
	}
	in := &s3.PutObjectInput{Bucket: &bucket, Key: &key, Body: bytes.NewReader(data), ContentType: aws.String("application/json")}
	if ifAbsent {
		in.IfNoneMatch = aws.String("*")
	}
	if _, err := s.client.PutObject(ctx, in); err != nil {
		return fmt.Errorf("write %s: %w", at, err)
	}
	return nil
}

func (s *store) delete(ctx context.Context, at string) error {
	bucket, key, err := s.split(at)
	if err != nil {
		return err
	}
	if _, err := s.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &bucket, Key: &key}); err != nil {
		return fmt.Errorf("delete %s: %w", at, err)
	}
	return nil
}

func preconditionFailed(err error) bool {
	var resp *smithyhttp.ResponseError
	return errors.As(err, &resp) && (resp.HTTPStatusCode() == http.StatusPreconditionFailed || resp.HTTPStatusCode() == http.StatusConflict)
}

// encode writes JSON for people and programs: no escapes of HTML, and the same
// bytes for the same value.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
