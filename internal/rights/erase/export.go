package erase

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net/http"
	"path"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"pressroom/model"
)

// Export writes all that is held about something into a tar archive: items.jsonl has a
// line for each item, with its table, and objects/ each object under its bucket and key.
// Accounts are not in it: who has one sees it.
func (e *Erasures) Export(ctx context.Context, s Subject, to io.Writer) error {
	entry, err := e.entry(ctx, s)
	if err != nil {
		return err
	}
	x := &export{walk: newWalk(e, []Entry{entry}, nil), owners: map[string]bool{}, archive: tar.NewWriter(to)}
	if entry.Kind == Site {
		m, err := NewMark(entry.Site)
		if err != nil {
			return err
		}
		x.marks = Look(m)
	}
	if err := x.own(ctx, &entry); err != nil {
		return err
	}
	for _, schema := range e.o.Schemas {
		for i := range schema.Tables {
			if err := x.table(ctx, &schema.Tables[i]); err != nil {
				return fmt.Errorf("export table %s: %w", schema.Tables[i].Name, err)
			}
		}
		for i := range schema.Buckets {
			if err := x.bucket(ctx, schema.Buckets[i].Name); err != nil {
				return fmt.Errorf("export bucket %s: %w", schema.Buckets[i].Name, err)
			}
		}
	}
	if err := x.file("items.jsonl", x.items.Bytes()); err != nil {
		return err
	}
	return x.archive.Close()
}

type export struct {
	*walk
	owners  map[string]bool // desk/key of stories
	items   bytes.Buffer
	mu      sync.Mutex // of what is written
	archive *tar.Writer
}

// own finds the stories that an entry is about.
func (x *export) own(ctx context.Context, entry *Entry) error {
	for _, d := range x.e.o.Desks {
		var ids iter.Seq2[string, error]
		switch {
		case entry.Kind == Page && d.Page != nil:
			ids = d.Page(ctx, entry.Page)
		case entry.Kind == Site && d.Site != nil:
			ids = d.Site(ctx, entry.Site)
		case entry.Kind == Story && strings.HasPrefix(entry.Story, d.Desk+"/"):
			ids = func(yield func(string, error) bool) { yield(strings.TrimPrefix(entry.Story, d.Desk+"/"), nil) }
		default:
			continue
		}
		for id, err := range ids {
			if err != nil {
				return err
			}
			owner := id
			if d.OwnerOf != nil {
				owner = d.OwnerOf(id)
			}
			x.owners[d.Desk+"/"+owner] = true
		}
	}
	return nil
}

func (x *export) table(ctx context.Context, t *model.Table) error {
	desk := x.deskOf(func(d *Traces) []string { return d.Tables }, t.Name)
	return t.Walk(ctx, x.e.db, func(item model.Item) error {
		if x.e.o.Leave != nil && x.e.o.Leave(t.Name, item.Raw) {
			return nil
		}
		about := x.storyOf(desk, t, item.Raw) != "" || x.marks.inItem(item.Raw)
		if desk != nil && desk.Owner != nil {
			about = about || x.owners[desk.Desk+"/"+desk.Owner(t.Name, item.Raw)]
		}
		if !about {
			return nil
		}
		var plain map[string]any
		if err := attributevalue.UnmarshalMap(item.Raw, &plain); err != nil {
			return err
		}
		return json.NewEncoder(&x.items).Encode(map[string]any{"table": t.Name, "item": plain})
	})
}

func (x *export) bucket(ctx context.Context, bucket string) error {
	desk := x.deskOf(func(d *Traces) []string { return d.Buckets }, bucket)
	objects := make(chan string)
	return side(ctx, workers+1, func(ctx context.Context, n int) error {
		if n == 0 {
			defer close(objects)
			return x.keysOf(ctx, bucket, objects)
		}
		for key := range objects {
			if err := x.object(ctx, desk, bucket, key); err != nil {
				return err
			}
		}
		return nil
	})
}

func (x *export) object(ctx context.Context, d *Traces, bucket, key string) error {
	out, err := x.e.o.Objects.GetObject(ctx, &s3.GetObjectInput{Bucket: &bucket, Key: &key})
	if code := status(err); code == http.StatusNotFound || code == http.StatusForbidden && invalidState(err) {
		return nil
	}
	if err != nil {
		return err
	}
	defer out.Body.Close()
	body, err := io.ReadAll(out.Body)
	if err != nil {
		return err
	}
	about := x.marks.In(key)
	if d != nil && d.Object != nil {
		owner, _ := d.Object(bucket, key)
		about = about || owner != "" && x.owners[d.Desk+"/"+owner]
	}
	if !about {
		_, about = x.marks.body(body)
	}
	if !about {
		return nil
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.file(path.Join("objects", bucket, path.Clean("/"+key)), body)
}

func (x *export) file(name string, body []byte) error {
	if err := x.archive.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(body)), ModTime: x.e.o.Now(), Format: tar.FormatPAX}); err != nil {
		return err
	}
	_, err := x.archive.Write(body)
	return err
}
