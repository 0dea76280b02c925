package erase

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"

	"pressroom/internal/story"
	"pressroom/model"
)

// walk is one search through everything that is stored, for all entries at once.
type walk struct {
	e     *Erasures
	marks *Marks
	named []string          // ids of the entries of the marks
	keys  map[string]string // desk and key of a story that goes, to the entry's id

	mu      sync.Mutex
	looked  int
	changed map[string]int
	touched map[*Traces]bool
	tell    func(items, changed int)
}

func newWalk(e *Erasures, entries []Entry, tell func(int, int)) *walk {
	w := &walk{e: e, keys: map[string]string{}, changed: map[string]int{}, touched: map[*Traces]bool{}, tell: tell}
	var marks []Mark
	for i := range entries {
		one := &entries[i]
		if one.Mark != nil {
			mark := *one.Mark
			mark.address = one.Kind != Person
			marks = append(marks, mark)
			w.named = append(w.named, one.ID)
		}
		if d, id := e.story(one.Story); one.Kind == Story && d != nil {
			if key := d.key(id); key != "" {
				w.keys[d.Desk+"/"+key] = one.ID
			}
		}
	}
	w.marks = Look(marks...)
	return w
}

func (d *Traces) key(id string) string {
	if d.Key == nil {
		return id
	}
	return d.Key(id)
}

// all walks all tables and buckets. Stories whose items were changed are told anew at
// the end of their table or bucket.
func (w *walk) all(ctx context.Context) error {
	for _, schema := range w.e.o.Schemas {
		for i := range schema.Tables {
			if err := w.table(ctx, &schema.Tables[i]); err != nil {
				return fmt.Errorf("scrub table %s: %w", schema.Tables[i].Name, err)
			}
		}
		for i := range schema.Buckets {
			if err := w.bucket(ctx, schema.Buckets[i].Name); err != nil {
				return fmt.Errorf("scrub bucket %s: %w", schema.Buckets[i].Name, err)
			}
		}
	}
	for d := range w.touched {
		if d.After != nil {
			if err := d.After(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// workers is how many work on a table or a bucket at once: enough to share syncs.
const workers = 8

func (w *walk) table(ctx context.Context, t *model.Table) error {
	desk := w.deskOf(func(d *Traces) []string { return d.Tables }, t.Name)
	return side(ctx, workers, func(ctx context.Context, n int) error {
		in := &dynamodb.ScanInput{TableName: &t.Name, ConsistentRead: aws.Bool(true), Segment: aws.Int32(int32(n)), TotalSegments: aws.Int32(workers)}
		for {
			out, err := w.e.db.Scan(ctx, in)
			var missing *types.ResourceNotFoundException
			if errors.As(err, &missing) {
				return nil
			}
			if err != nil {
				return err
			}
			for _, item := range out.Items {
				if err := w.item(ctx, t, desk, item); err != nil {
					return fmt.Errorf("%s: %w", w.marks.Redact(t.Where(item)), err)
				}
			}
			w.note(len(out.Items))
			if in.ExclusiveStartKey = out.LastEvaluatedKey; in.ExclusiveStartKey == nil {
				return nil
			}
		}
	})
}

func (w *walk) deskOf(of func(*Traces) []string, name string) *Traces {
	for _, d := range w.e.o.Desks {
		if slices.Contains(of(d), name) {
			return d
		}
	}
	return nil
}

func (w *walk) note(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.looked += n
	if w.tell != nil {
		changed := 0
		for _, c := range w.changed {
			changed += c
		}
		w.tell(w.looked, changed)
	}
}

// found counts a change for the entries that it is of.
func (w *walk) found(d *Traces, ids ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, id := range ids {
		w.changed[id]++
	}
	if d != nil {
		w.touched[d] = true
	}
}

// item does with an item what it must: nothing, redact it, or let it go.
func (w *walk) item(ctx context.Context, t *model.Table, d *Traces, item model.Raw) error {
	if w.e.o.Leave != nil && w.e.o.Leave(t.Name, item) || t.Name == w.e.o.Table {
		return nil
	}
	if id := w.storyOf(d, t, item); id != "" {
		w.found(d, id)
		return w.remove(ctx, t, item)
	}
	if w.marks.Empty() || !w.marks.inItem(item) {
		return nil
	}
	owner := ""
	if d != nil && d.Owner != nil {
		owner = d.Owner(t.Name, item)
	}
	w.found(d, w.named...)
	if head, ok := w.headOf(t, item); ok {
		return w.card(ctx, t, head, item)
	}
	if err := w.scrub(ctx, t, d, item); err != nil {
		return err
	}
	return w.renew(ctx, d, owner)
}

// headOf returns the story whose card an item is.
func (w *walk) headOf(t *model.Table, item model.Raw) (story.Ref, bool) {
	found, ok := t.Identify(item)
	if !ok || found.Entity.Name != "Head" || t.Env != story.Schema.Tables[0].Env {
		return story.Ref{}, false
	}
	return story.Ref{Desk: found.Values["desk"], ID: found.Values["id"]}, true
}

// card has a story's desk write its card anew. What the desk has was scrubbed before.
// A card of which that is not true is redacted as it stands, and goes if its key tells.
func (w *walk) card(ctx context.Context, t *model.Table, ref story.Ref, item model.Raw) error {
	if w.marks.In(ref.ID) {
		return w.remove(ctx, t, item)
	}
	for _, d := range w.e.o.Desks {
		if d.Desk == ref.Desk && d.Shelf != nil && w.e.o.Stories != nil {
			if err := w.retell(ctx, d, ref.ID); err != nil {
				return err
			}
		}
	}
	out, err := w.e.db.GetItem(ctx, &dynamodb.GetItemInput{TableName: &t.Name, Key: keyOf(t, item), ConsistentRead: aws.Bool(true)})
	if err != nil || out.Item == nil || !w.marks.inItem(out.Item) {
		return err
	}
	return w.redact(ctx, t, out.Item)
}

func (w *walk) scrub(ctx context.Context, t *model.Table, d *Traces, item model.Raw) error {
	if d != nil && d.Scrub != nil {
		if done, err := d.Scrub(ctx, t.Name, item, w.marks); (done || err != nil) && !unreadable(err) {
			return err
		}
	}
	for _, name := range t.KeyNames() {
		if key, ok := item[name].(*types.AttributeValueMemberS); ok && w.marks.In(key.Value) {
			return w.remove(ctx, t, item)
		}
	}
	return w.redact(ctx, t, item)
}

// storyOf returns the entry that an item of a story belongs to: one whose key has the
// story's key as a part, or that has it as a value.
func (w *walk) storyOf(d *Traces, t *model.Table, item model.Raw) string {
	if d == nil || len(w.keys) == 0 {
		return ""
	}
	for name, value := range item {
		text, ok := value.(*types.AttributeValueMemberS)
		if !ok {
			continue
		}
		if id := w.keys[d.Desk+"/"+text.Value]; id != "" {
			return id
		}
		if slices.Contains(t.KeyNames(), name) {
			for part := range strings.SplitSeq(text.Value, "#") {
				if id := w.keys[d.Desk+"/"+part]; id != "" {
					return id
				}
			}
		}
	}
	return ""
}

func (w *walk) remove(ctx context.Context, t *model.Table, item model.Raw) error {
	_, err := w.e.db.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: &t.Name, Key: keyOf(t, item)})
	return err
}

func keyOf(t *model.Table, item model.Raw) model.Raw {
	key := model.Raw{}
	for _, name := range t.KeyNames() {
		key[name] = item[name]
	}
	return key
}

// redact writes the attributes that have marks in them, if they are as they were read.
// If they are not, the next pass meets the item again.
func (w *walk) redact(ctx context.Context, t *model.Table, item model.Raw) error {
	var update expression.UpdateBuilder
	same := expression.AttributeExists(expression.Name(t.PK.Name))
	changes := 0
	for name, value := range item {
		next, changed := w.marks.value(value)
		clear := w.marks.Redact(name) // of a program that has names for names
		if !changed && clear == name {
			continue
		}
		changes++
		same = same.And(expression.NameNoDotSplit(name).Equal(expression.Value(value)))
		if next == nil || clear != name {
			update = update.Remove(expression.NameNoDotSplit(name))
		} else {
			update = update.Set(expression.NameNoDotSplit(name), expression.Value(next))
		}
	}
	if changes == 0 {
		return nil
	}
	if found, ok := t.Identify(item); ok && found.Entity.Name != "Head" && found.Entity.Version != "" && item[found.Entity.Version] != nil {
		update = update.Add(expression.Name(found.Entity.Version), expression.Value(1)) // whoever has it open must read it again
	}
	expr, err := expression.NewBuilder().WithUpdate(update).WithCondition(same).Build()
	if err != nil {
		return err
	}
	_, err = w.e.db.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &t.Name, Key: keyOf(t, item), UpdateExpression: expr.Update(), ConditionExpression: expr.Condition(),
		ExpressionAttributeNames: expr.Names(), ExpressionAttributeValues: expr.Values(),
	})
	var other *types.ConditionalCheckFailedException
	if errors.As(err, &other) {
		return nil
	}
	return err
}

// inItem reports whether an item has a mark in it.
func (m *Marks) inItem(item model.Raw) bool {
	for name, value := range item {
		if m.In(name) {
			return true
		}
		if _, changed := m.value(value); changed {
			return true
		}
	}
	return false
}

// value redacts a value; nil for one of which nothing is left. In a list, what is
// nothing but the mark goes.
func (m *Marks) value(value types.AttributeValue) (next types.AttributeValue, changed bool) {
	switch v := value.(type) {
	case *types.AttributeValueMemberS:
		text := m.Redact(v.Value)
		return &types.AttributeValueMemberS{Value: text}, text != v.Value
	case *types.AttributeValueMemberB:
		return nil, m.In(string(v.Value)) || m.In(string(unzipped(v.Value)))
	case *types.AttributeValueMemberSS:
		list := m.list(v.Value)
		if len(list) == 0 {
			return nil, len(v.Value) > 0
		}
		return &types.AttributeValueMemberSS{Value: slices.Compact(slices.Sorted(slices.Values(list)))}, !slices.Equal(list, v.Value)
	case *types.AttributeValueMemberL:
		list := &types.AttributeValueMemberL{Value: []types.AttributeValue{}}
		for _, member := range v.Value {
			redacted, other := m.value(member)
			changed = changed || other
			if text, ok := redacted.(*types.AttributeValueMemberS); redacted != nil && (!ok || !other || !bare(text.Value)) {
				list.Value = append(list.Value, redacted)
			}
		}
		return list, changed
	case *types.AttributeValueMemberM:
		all := &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{}}
		for name, member := range v.Value {
			redacted, other := m.value(member)
			clear := m.Redact(name)
			changed = changed || other || clear != name
			if redacted != nil {
				all.Value[clear] = redacted
			}
		}
		return all, changed
	}
	return value, false
}

// list redacts texts and leaves out those that were nothing but a mark.
func (m *Marks) list(texts []string) []string {
	var out []string
	for _, text := range texts {
		if clear := m.Redact(text); clear == text || !bare(clear) {
			out = append(out, clear)
		}
	}
	return out
}

func bare(text string) bool {
	return strings.Trim(strings.NewReplacer(Sign, "", SignJapanese, "").Replace(text), " \u3000") == ""
}

// renew tells a story anew to whoever follows stories: its text is another one.
func (w *walk) renew(ctx context.Context, d *Traces, owner string) error {
	if d == nil || d.Shelf == nil || owner == "" || w.e.o.Stories == nil {
		return nil
	}
	id := owner
	if d.ID != nil {
		var err error
		if id, err = d.ID(ctx, owner); err != nil || id == "" {
			if unreadable(err) {
				return nil
			}
			return err
		}
	}
	return w.retell(ctx, d, id)
}

func (w *walk) retell(ctx context.Context, d *Traces, id string) error {
	if err := w.e.o.Stories.Renew(ctx, d.Shelf, id); !unreadable(err) {
		return err
	}
	return nil // nobody reads it
}

// unreadable reports whether an item is not as its desk writes it: another program made
// it. It is redacted all the same, and keeps nothing else from being erased.
func unreadable(err error) bool {
	var other *attributevalue.UnmarshalTypeError
	return errors.As(err, &other)
}

func (w *walk) bucket(ctx context.Context, bucket string) error {
	desk := w.deskOf(func(d *Traces) []string { return d.Buckets }, bucket)
	objects := make(chan string)
	return side(ctx, workers+1, func(ctx context.Context, n int) error {
		if n == 0 {
			defer close(objects)
			return w.keysOf(ctx, bucket, objects)
		}
		for key := range objects {
			if err := w.object(ctx, desk, bucket, key); err != nil {
				return fmt.Errorf("%s: %w", w.marks.Redact(key), err)
			}
		}
		return nil
	})
}

func (w *walk) keysOf(ctx context.Context, bucket string, to chan<- string) error {
	pages := s3.NewListObjectsV2Paginator(w.e.o.Objects, &s3.ListObjectsV2Input{Bucket: &bucket})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if status(err) == http.StatusNotFound {
			return nil
		}
		if err != nil {
			return err
		}
		for _, o := range page.Contents {
			select {
			case to <- aws.ToString(o.Key):
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		w.note(len(page.Contents))
	}
	return nil
}

// object does with an object what it must.
func (w *walk) object(ctx context.Context, d *Traces, bucket, key string) error {
	owner, whole := "", false
	if d != nil && d.Object != nil {
		owner, whole = d.Object(bucket, key)
		if id := w.keys[d.Desk+"/"+owner]; owner != "" && id != "" {
			w.found(d, id)
			return w.drop(ctx, bucket, key)
		}
	}
	if w.marks.Empty() {
		return nil
	}
	if w.marks.In(key) {
		w.found(d, w.named...)
		return errors.Join(w.drop(ctx, bucket, key), w.renew(ctx, d, owner))
	}
	in := &s3.GetObjectInput{Bucket: &bucket, Key: &key}
	out, err := w.e.o.Objects.GetObject(ctx, in)
	switch code := status(err); {
	case code == http.StatusNotFound:
		return nil // it is gone meanwhile
	case code == http.StatusForbidden && invalidState(err):
		// It is in a class that cannot be read at once. Nobody can say what is in it, so
		// it goes if its story was scrubbed: see Traces.Scrub.
		return nil
	case err != nil:
		return err
	}
	defer out.Body.Close()
	body, err := io.ReadAll(out.Body)
	if err != nil {
		return err
	}
	next, changed := w.marks.body(body)
	meta := map[string]string{}
	for name, value := range out.Metadata {
		meta[name] = w.marks.Redact(value)
		changed = changed || meta[name] != value
	}
	if !changed {
		return nil
	}
	w.found(d, w.named...)
	if whole || next == nil {
		if d != nil && d.Dropped != nil {
			if err := d.Dropped(ctx, bucket, key); err != nil && !unreadable(err) {
				return err
			}
		}
		err = w.drop(ctx, bucket, key)
	} else {
		if _, ok := meta["sha256"]; ok {
			sum := sha256.Sum256(next)
			meta["sha256"] = hex.EncodeToString(sum[:])
		}
		err = w.put(ctx, bucket, key, next, meta, out)
	}
	if err != nil {
		return err
	}
	return w.renew(ctx, d, owner)
}

func (w *walk) drop(ctx context.Context, bucket, key string) error {
	_, err := w.e.o.Objects.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &bucket, Key: &key})
	return err
}

// put writes an object over the one that was read.
func (w *walk) put(ctx context.Context, bucket, key string, body []byte, meta map[string]string, was *s3.GetObjectOutput) error {
	tags, err := w.e.o.Objects.GetObjectTagging(ctx, &s3.GetObjectTaggingInput{Bucket: &bucket, Key: &key})
	if err != nil {
		return err
	}
	var tagging []string
	for _, tag := range tags.TagSet {
		tagging = append(tagging, url.QueryEscape(aws.ToString(tag.Key))+"="+url.QueryEscape(aws.ToString(tag.Value)))
	}
	in := &s3.PutObjectInput{
		Bucket: &bucket, Key: &key, Body: bytes.NewReader(body), Metadata: meta, IfMatch: was.ETag, StorageClass: was.StorageClass,
		ContentType: was.ContentType, ContentEncoding: was.ContentEncoding, CacheControl: was.CacheControl, ContentDisposition: was.ContentDisposition, ContentLanguage: was.ContentLanguage,
	}
	if tagging != nil {
		in.Tagging = aws.String(strings.Join(tagging, "&"))
	}
	_, err = w.e.o.Objects.PutObject(ctx, in)
	if code := status(err); code == http.StatusPreconditionFailed || code == http.StatusNotFound || code == http.StatusConflict {
		return nil // the next pass meets what is there now
	}
	return err
}

// body redacts an object: JSON value by value, lines of JSON line by line, text as it
// is; zipped or not. What is none of these is nil if it has a mark in it.
func (m *Marks) body(body []byte) (next []byte, changed bool) {
	if clear := unzipped(body); clear != nil {
		if next, changed = m.body(clear); changed && next != nil {
			next = zipped(next)
		}
		return next, changed
	}
	if !utf8.Valid(body) {
		return nil, m.In(string(body))
	}
	if out, changed, ok := m.json(body); ok {
		return out, changed
	}
	lines := bytes.SplitAfter(body, []byte("\n"))
	for i, line := range lines {
		if out, other, ok := m.json(bytes.TrimRight(line, "\n")); ok && len(bytes.TrimSpace(line)) > 0 {
			if other && m.addresses.In(string(line)) {
				lines[i], changed = nil, true // a log's line about a page
			} else if other {
				lines[i], changed = append(out, '\n'), true
			}
		} else if text := m.Redact(string(line)); text != string(line) {
			lines[i], changed = []byte(text), true
		}
	}
	next = bytes.Join(lines, nil)
	if text := m.Redact(string(next)); text != string(next) { // over the end of a line
		next, changed = []byte(text), true
	}
	return next, changed
}

// json redacts a value of JSON; ok is false for what is none.
func (m *Marks) json(body []byte) (next []byte, changed, ok bool) {
	if trimmed := bytes.TrimLeft(body, " \t\r\n"); len(trimmed) == 0 || !strings.ContainsRune(`{["`, rune(trimmed[0])) {
		return nil, false, false
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil || dec.More() {
		return nil, false, false
	}
	v, changed = m.any(v)
	if !changed {
		return body, false, true
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return nil, true, true
	}
	return bytes.TrimRight(out.Bytes(), "\n"), true, true
}

func (m *Marks) any(v any) (next any, changed bool) {
	switch v := v.(type) {
	case string:
		text := m.Redact(v)
		return text, text != v
	case []any:
		list := []any{}
		for _, member := range v {
			redacted, other := m.any(member)
			changed = changed || other
			if text, ok := redacted.(string); !ok || !other || !bare(text) {
				list = append(list, redacted)
			}
		}
		return list, changed
	case map[string]any:
		all := map[string]any{}
		for name, member := range v {
			redacted, other := m.any(member)
			clear := m.Redact(name)
			changed = changed || other || clear != name
			all[clear] = redacted
		}
		return all, changed
	}
	return v, false
}

// unzipped returns what is zipped, nil for what is not. Nothing that desks write is
// longer than a page or a record.
func unzipped(body []byte) []byte {
	if len(body) < 2 || body[0] != 0x1f || body[1] != 0x8b {
		return nil
	}
	z, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil
	}
	clear, err := io.ReadAll(io.LimitReader(z, maxObject))
	if err != nil {
		return nil
	}
	return clear
}

const maxObject = 512 << 20

// zips are writers to be used again: each is most of a megabyte.
var zips = sync.Pool{New: func() any { return gzip.NewWriter(io.Discard) }}

func zipped(body []byte) []byte {
	var b bytes.Buffer
	z := zips.Get().(*gzip.Writer)
	defer zips.Put(z)
	z.Reset(&b)
	_, _ = z.Write(body) // into memory
	_ = z.Close()
	return b.Bytes()
}

// status is the HTTP status of a failure, 0 if there is none.
func status(err error) int {
	var response interface{ HTTPStatusCode() int }
	if errors.As(err, &response) {
		return response.HTTPStatusCode()
	}
	return 0
}

func invalidState(err error) bool {
	var failure smithy.APIError
	return errors.As(err, &failure) && failure.ErrorCode() == "InvalidObjectState"
}

// side runs work n times at once; the first failure ends all.
func side(ctx context.Context, n int, work func(ctx context.Context, n int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			if err := work(ctx, i); err != nil {
				cancel(err)
			}
		})
	}
	all.Wait()
	return context.Cause(ctx)
}
