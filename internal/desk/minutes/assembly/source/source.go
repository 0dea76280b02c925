// Package source is where the records of assemblies come from: files in a bucket, and
// files that a server of other people has, fetched politely and kept.
//
// It promises that memory does not grow with the files: a file is streamed from the
// bucket, and fetched by way of a temporary file. A server is asked for a file again
// only if it may have changed, and then on condition that it did; between two requests
// is a pause; its robots.txt is obeyed. A file is kept whole or not at all, so that a
// fetch that was interrupted goes on with the file that it was at.
//
// Start with [Bucket], which reads, and [Fetcher], which fetches.
package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"
)

// Bucket is the objects of a bucket under a prefix, as a folder. It has no more of a
// file in memory than is being read.
type Bucket struct {
	Context context.Context
	Client  *s3.Client
	Name    string
	Prefix  string // "" or ends with a slash
}

var _ fs.ReadDirFS = (*Bucket)(nil)
var _ fs.StatFS = (*Bucket)(nil)

func (b *Bucket) key(name string) string {
	if name == "." {
		return b.Prefix
	}
	return b.Prefix + name
}

// Open opens a file. Folders are read with ReadDir alone.
func (b *Bucket) Open(name string) (fs.File, error) {
	info, err := b.Stat(name)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("is a folder")}
	}
	return &object{bucket: b, key: b.key(name), info: info.(entry)}, nil
}

// Stat tells what a file is. Everything that is no object is taken for a folder.
func (b *Bucket) Stat(name string) (fs.FileInfo, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrInvalid}
	}
	if name == "." {
		return entry{name: ".", dir: true}, nil
	}
	out, err := b.Client.HeadObject(b.Context, &s3.HeadObjectInput{Bucket: &b.Name, Key: aws.String(b.key(name))})
	if missing(err) {
		return entry{name: path.Base(name), dir: true}, nil
	}
	if err != nil {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: err}
	}
	return entry{name: path.Base(name), size: aws.ToInt64(out.ContentLength), at: aws.ToTime(out.LastModified)}, nil
}

func missing(err error) bool {
	var api smithy.APIError
	return errors.As(err, &api) && (api.ErrorCode() == "NoSuchKey" || api.ErrorCode() == "NotFound")
}

// ReadDir lists a folder in the order of the names.
func (b *Bucket) ReadDir(name string) ([]fs.DirEntry, error) {
	prefix := b.key(name)
	if name != "." {
		prefix += "/"
	}
	pages := s3.NewListObjectsV2Paginator(b.Client, &s3.ListObjectsV2Input{Bucket: &b.Name, Prefix: &prefix, Delimiter: aws.String("/")})
	var all []fs.DirEntry
	for pages.HasMorePages() {
		page, err := pages.NextPage(b.Context)
		if err != nil {
			return nil, &fs.PathError{Op: "list", Path: name, Err: err}
		}
		for _, folder := range page.CommonPrefixes {
			all = append(all, entry{name: strings.TrimSuffix(strings.TrimPrefix(aws.ToString(folder.Prefix), prefix), "/"), dir: true})
		}
		for _, o := range page.Contents {
			if file := strings.TrimPrefix(aws.ToString(o.Key), prefix); file != "" {
				all = append(all, entry{name: file, size: aws.ToInt64(o.Size), at: aws.ToTime(o.LastModified)})
			}
		}
	}
	return sorted(all), nil
}

// entry is a file or a folder.
type entry struct {
	name string
	size int64
	at   time.Time
	dir  bool
}

func (e entry) Name() string               { return e.name }
func (e entry) Size() int64                { return e.size }
func (e entry) ModTime() time.Time         { return e.at }
func (e entry) IsDir() bool                { return e.dir }
func (e entry) Sys() any                   { return nil }
func (e entry) Type() fs.FileMode          { return e.Mode().Type() }
func (e entry) Info() (fs.FileInfo, error) { return e, nil }

func (e entry) Mode() fs.FileMode {
	if e.dir {
		return fs.ModeDir | 0o555
	}
	return 0o444
}

// object is an open file: read from its beginning, or anywhere in blocks.
type object struct {
	bucket *Bucket
	key    string
	info   entry
	body   io.ReadCloser

	block []byte // the one that was read last
	from  int64
}

func (o *object) Stat() (fs.FileInfo, error) { return o.info, nil }

func (o *object) Read(p []byte) (int, error) {
	if o.body == nil {
		out, err := o.bucket.Client.GetObject(o.bucket.Context, &s3.GetObjectInput{Bucket: &o.bucket.Name, Key: &o.key})
		if err != nil {
			return 0, err
		}
		o.body = out.Body
	}
	return o.body.Read(p)
}

func (o *object) Close() error {
	if o.body == nil {
		return nil
	}
	return o.body.Close()
}

// blockSize is how much of an archive is read at once.
const blockSize = 1 << 20

// ReadAt reads anywhere: the list of a zip archive is at its end.
func (o *object) ReadAt(p []byte, at int64) (int, error) {
	n := 0
	for n < len(p) {
		if at >= o.info.size {
			return n, io.EOF
		}
		if o.block == nil || at < o.from || at >= o.from+int64(len(o.block)) {
			if err := o.load(at - at%blockSize); err != nil {
				return n, err
			}
		}
		moved := copy(p[n:], o.block[at-o.from:])
		n, at = n+moved, at+int64(moved)
	}
	return n, nil
}

func (o *object) load(from int64) error {
	until := min(from+blockSize, o.info.size) - 1
	out, err := o.bucket.Client.GetObject(o.bucket.Context, &s3.GetObjectInput{
		Bucket: &o.bucket.Name, Key: &o.key, Range: aws.String(fmt.Sprintf("bytes=%d-%d", from, until)),
	})
	if err != nil {
		return err
	}
	defer out.Body.Close()
	var b bytes.Buffer
	if _, err := b.ReadFrom(io.LimitReader(out.Body, blockSize)); err != nil {
		return err
	}
	if int64(b.Len()) != until-from+1 {
		return io.ErrUnexpectedEOF
	}
	o.block, o.from = b.Bytes(), from
	return nil
}
