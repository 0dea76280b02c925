package source

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// Dir keeps files in a folder, for a preview: it knows nothing of the last time.
type Dir string

// Put keeps a file.
func (d Dir) Put(_ context.Context, name string, file *os.File) error {
	to, err := os.Create(filepath.Join(string(d), filepath.Base(name)))
	if err != nil {
		return err
	}
	defer to.Close()
	if _, err := io.Copy(to, file); err != nil {
		return err
	}
	return to.Close()
}

// State is empty.
func (d Dir) State(context.Context) (State, error) { return State{}, nil }

// Keep keeps nothing.
func (d Dir) Keep(context.Context, State) error { return nil }

// Kept keeps files in a bucket, under a prefix, and what is known of them beside it.
type Kept struct {
	Client *s3.Client
	Bucket string
	Prefix string // ends with a slash
	At     string // the key of what is known
}

// Put keeps a file.
func (k Kept) Put(ctx context.Context, name string, file *os.File) error {
	if _, err := k.Client.PutObject(ctx, &s3.PutObjectInput{Bucket: &k.Bucket, Key: aws.String(k.Prefix + name), Body: file}); err != nil {
		return fmt.Errorf("keep %s: %w", name, err)
	}
	return nil
}

// State reads what is known.
func (k Kept) State(ctx context.Context) (State, error) {
	out, err := k.Client.GetObject(ctx, &s3.GetObjectInput{Bucket: &k.Bucket, Key: &k.At})
	if missing(err) {
		return State{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", k.At, err)
	}
	defer out.Body.Close()
	var s State
	if err := json.NewDecoder(out.Body).Decode(&s); err != nil {
		return nil, fmt.Errorf("read %s: %w", k.At, err)
	}
	return s, nil
}

// Keep writes what is known.
func (k Kept) Keep(ctx context.Context, s State) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if _, err := k.Client.PutObject(ctx, &s3.PutObjectInput{Bucket: &k.Bucket, Key: &k.At, Body: bytes.NewReader(data), ContentType: aws.String("application/json")}); err != nil {
		return fmt.Errorf("write %s: %w", k.At, err)
	}
	return nil
}
