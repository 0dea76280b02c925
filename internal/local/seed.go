package local

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"

	"pressroom/dynamo/attr"
	"pressroom/dynamo/token"
	"pressroom/internal/errs"
)

// seed puts what a file or directory holds into the stores. A file holds items, see
// items; a directory holds such files, and directories named as buckets with objects in
// them. A table that has items and a bucket that has objects stay as they are.
func (s *Stores) seed(ctx context.Context, path string) error {
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() {
		err = s.seedItems(ctx, path)
	} else if err == nil {
		err = s.seedDir(ctx, path)
	}
	if err != nil {
		return errs.Wrap(err, errs.Usage, "seed %s: %v", path, message(err))
	}
	return nil
}

func (s *Stores) seedDir(ctx context.Context, dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case strings.HasPrefix(e.Name(), "."):
			continue
		case e.IsDir():
			err = s.seedBucket(ctx, e.Name(), path)
		default:
			err = s.seedItems(ctx, path)
		}
		if err != nil {
			return fmt.Errorf("%s: %s", e.Name(), message(err))
		}
	}
	return nil
}

// seedBucket puts the files below a directory into the bucket, each under its path.
func (s *Stores) seedBucket(ctx context.Context, bucket, dir string) error {
	_, err := s.Client.CreateBucket(ctx, &s3.CreateBucketInput{Bucket: &bucket})
	if there := new(s3types.BucketAlreadyOwnedByYou); err != nil && !errors.As(err, &there) {
		return err
	}
	list, err := s.Client.ListObjectsV2(ctx, &s3.ListObjectsV2Input{Bucket: &bucket, MaxKeys: aws.Int32(1)})
	if err != nil || len(list.Contents) > 0 {
		return err
	}
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		key := filepath.ToSlash(name)
		_, err = s.Client.PutObject(ctx, &s3.PutObjectInput{Bucket: &bucket, Key: &key, Body: file})
		return errors.Join(err, file.Close())
	})
}

// maxItem bounds one line of a file of items; an item has at most 400 KB.
const maxItem = 4 << 20

// seedItems puts the items of a file, which may be compressed with gzip, into tables:
//
//   - {"Table": [{"PutRequest": {"Item": …}}, …]}, what batch-write-item takes, of any length;
//   - {"Items": […]}, what scan and query answer, and lines of {"Item": …}, which exports
//     have, for the table that the file is named after.
func (s *Stores) seedItems(ctx context.Context, path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	name, in := filepath.Base(path), io.Reader(file)
	if bare, ok := strings.CutSuffix(name, ".gz"); ok {
		name = bare
		if in, err = gzip.NewReader(file); err != nil {
			return err
		}
	}
	b := &seeding{stores: s, table: strings.TrimSuffix(name, filepath.Ext(name))}
	d := json.NewDecoder(bufio.NewReader(in))
	for {
		var one map[string]json.RawMessage
		err := d.Decode(&one)
		if errors.Is(err, io.EOF) {
			return b.flush(ctx)
		}
		if err == nil {
			err = b.add(ctx, one)
		}
		if err != nil {
			return err
		}
	}
}

// seeding gathers items for one table at a time.
type seeding struct {
	stores *Stores
	table  string // of lines and answers
	full   map[string]bool
	to     string
	batch  []types.WriteRequest
}

func (b *seeding) add(ctx context.Context, one map[string]json.RawMessage) error {
	if item, ok := one["Item"]; ok && !bytes.HasPrefix(bytes.TrimSpace(item), []byte("[")) {
		return b.item(ctx, b.table, item)
	}
	if items, ok := one["Items"]; ok {
		var all []json.RawMessage
		if err := json.Unmarshal(items, &all); err != nil {
			return err
		}
		for _, item := range all {
			if err := b.item(ctx, b.table, item); err != nil {
				return err
			}
		}
		return nil
	}
	for table, requests := range one {
		var all []struct {
			PutRequest struct{ Item json.RawMessage }
		}
		if err := json.Unmarshal(requests, &all); err != nil {
			return fmt.Errorf("%s is not a list of requests: %w", table, err)
		}
		for _, r := range all {
			if r.PutRequest.Item == nil {
				return fmt.Errorf("a request for %s is not a PutRequest with an Item", table)
			}
			if err := b.item(ctx, table, r.PutRequest.Item); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *seeding) item(ctx context.Context, table string, text []byte) error {
	if table != b.to {
		if err := b.flush(ctx); err != nil {
			return err
		}
		b.to = table
		if err := b.look(ctx); err != nil {
			return err
		}
	}
	if b.full[table] {
		return nil
	}
	if len(text) > maxItem {
		return fmt.Errorf("an item of %s is too large", table)
	}
	item, err := attr.ParseItemJSON(token.NewReader(text))
	if err != nil {
		return fmt.Errorf("an item of %s: %w", table, err)
	}
	b.batch = append(b.batch, types.WriteRequest{PutRequest: &types.PutRequest{Item: attr.ItemToSDK(item)}})
	if len(b.batch) == 25 {
		return b.flush(ctx)
	}
	return nil
}

// look remembers whether the table had items before its first.
func (b *seeding) look(ctx context.Context) error {
	if b.full == nil {
		b.full = map[string]bool{}
	}
	if _, known := b.full[b.to]; known {
		return nil
	}
	out, err := b.stores.Tables.Scan(ctx, &dynamodb.ScanInput{TableName: &b.to, Limit: aws.Int32(1)})
	if there := new(types.ResourceNotFoundException); errors.As(err, &there) {
		return fmt.Errorf("there is no table %s; --template makes tables", b.to)
	}
	if err != nil {
		return err
	}
	b.full[b.to] = len(out.Items) > 0
	return nil
}

func (b *seeding) flush(ctx context.Context) error {
	if len(b.batch) == 0 {
		return nil
	}
	_, err := b.stores.Tables.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{b.to: b.batch}})
	b.batch = nil
	return err
}
