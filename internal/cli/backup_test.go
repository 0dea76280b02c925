package cli

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/google/go-cmp/cmp"

	"pressroom/blob"
	"pressroom/dynamo"
)

// newsdesk is an open store with a table and a bucket: whoever writes puts the
// object first and then the item that names it, and deletes the other way round.
type newsdesk struct {
	*store
	t       testing.TB
	data    string
	objects *s3.Client
}

func openDesk(t testing.TB, data, keyFile string) *newsdesk {
	t.Helper()
	st, err := openStore(storeSettings{Data: data, KeyFile: keyFile}, endpointSettings{}, quiet)
	if err != nil {
		t.Fatal(err)
	}
	d := &newsdesk{store: st, t: t, data: data, objects: blob.Client(st.objects)}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

func (d *newsdesk) set() {
	d.t.Helper()
	_, err := d.tables.CreateTable(context.Background(), &dynamodb.CreateTableInput{
		TableName: aws.String("items"), BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("pk"), AttributeType: "S"}, {AttributeName: aws.String("by"), AttributeType: "S"}},
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("pk"), KeyType: "HASH"}},
		GlobalSecondaryIndexes: []types.GlobalSecondaryIndex{{
			IndexName: aws.String("ByLetter"), KeySchema: []types.KeySchemaElement{{AttributeName: aws.String("by"), KeyType: "HASH"}},
			Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll},
		}},
	})
	d.must(err)
	_, err = d.tables.UpdateContinuousBackups(context.Background(), &dynamodb.UpdateContinuousBackupsInput{
		TableName:                        aws.String("items"),
		PointInTimeRecoverySpecification: &types.PointInTimeRecoverySpecification{PointInTimeRecoveryEnabled: aws.Bool(true)},
	})
	d.must(err)
	_, err = d.objects.CreateBucket(context.Background(), &s3.CreateBucketInput{Bucket: aws.String("bodies")})
	d.must(err)
	_, err = d.objects.PutBucketVersioning(context.Background(), &s3.PutBucketVersioningInput{
		Bucket: aws.String("bodies"), VersioningConfiguration: &s3types.VersioningConfiguration{Status: s3types.BucketVersioningStatusEnabled},
	})
	d.must(err)
}

func (d *newsdesk) must(err error) {
	d.t.Helper()
	if err != nil {
		d.t.Error(err)
	}
}

// put writes an object and the item that names it. Every third is large enough
// to be a file of its own.
func (d *newsdesk) put(id, text string, n int) {
	d.t.Helper()
	size := 200
	if n%3 == 0 {
		size = 100 << 10
	}
	body := bytes.Repeat([]byte(text+" "), size/(len(text)+1)+1)
	_, err := d.objects.PutObject(context.Background(), &s3.PutObjectInput{Bucket: aws.String("bodies"), Key: &id, Body: bytes.NewReader(body)})
	d.must(err)
	_, err = d.tables.PutItem(context.Background(), &dynamodb.PutItemInput{TableName: aws.String("items"), Item: map[string]types.AttributeValue{
		"pk": &types.AttributeValueMemberS{Value: id}, "by": &types.AttributeValueMemberS{Value: text[:1]}, "body": &types.AttributeValueMemberS{Value: id},
		"text": &types.AttributeValueMemberS{Value: text},
	}})
	d.must(err)
}

func (d *newsdesk) remove(id string) {
	d.t.Helper()
	_, err := d.tables.DeleteItem(context.Background(), &dynamodb.DeleteItemInput{
		TableName: aws.String("items"), Key: map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: id}},
	})
	d.must(err)
	_, err = d.objects.DeleteObject(context.Background(), &s3.DeleteObjectInput{Bucket: aws.String("bodies"), Key: &id})
	d.must(err)
}

// state is the hash of every item and of every object.
func state(t testing.TB, tables *dynamo.DB, objects *s3.Client) map[string]string {
	t.Helper()
	ctx := context.Background()
	all := map[string]string{}
	pages := dynamodb.NewScanPaginator(tables, &dynamodb.ScanInput{TableName: aws.String("items")})
	for pages.HasMorePages() {
		out, err := pages.NextPage(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range out.Items {
			var values map[string]string
			if err := attributevalue.UnmarshalMap(item, &values); err != nil {
				t.Fatal(err)
			}
			text, _ := json.Marshal(values) // maps of strings always marshal, sorted
			all["item "+values["pk"]] = fmt.Sprintf("%x", sha256.Sum256(text))
		}
	}
	list := s3.NewListObjectsV2Paginator(objects, &s3.ListObjectsV2Input{Bucket: aws.String("bodies")})
	for list.HasMorePages() {
		out, err := list.NextPage(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range out.Contents {
			got, err := objects.GetObject(ctx, &s3.GetObjectInput{Bucket: aws.String("bodies"), Key: o.Key})
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(got.Body)
			if err != nil {
				t.Fatal(err)
			}
			all["object "+*o.Key] = fmt.Sprintf("%x", sha256.Sum256(body))
		}
	}
	return all
}

func (d *newsdesk) state() map[string]string { return state(d.t, d.tables, d.objects) }

// ok runs a command that must succeed.
func ok(t testing.TB, args ...string) string {
	t.Helper()
	r := runIn(t.(*testing.T), nil, args...)
	if r.Code != 0 {
		t.Fatalf("%v: status %d, %s%s", args, r.Code, r.Stdout, r.Stderr)
	}
	return r.Stdout
}

// fails runs a command that must fail with these words.
func fails(t *testing.T, words string, args ...string) {
	t.Helper()
	r := runIn(t, nil, args...)
	if r.Code == 0 || !strings.Contains(r.Stderr, words) {
		t.Errorf("%v: status %d, %s%s\nwant %q", args, r.Code, r.Stdout, r.Stderr, words)
	}
}

// Served or not, as a directory or as a file, encrypted or not: what comes back
// has the hash of every item and object.
func TestBackupAndRestore(t *testing.T) {
	dir := t.TempDir()
	keys := filepath.Join(dir, "keys")
	write(t, keys, "CzFRc4/dzT9zCRnbV0XV116m7KR6qtBFydNjEQhk8lY=\n")
	for _, tt := range []struct {
		name, place, keyFile, restoreKey string
		served                           bool
	}{
		{name: "served to a directory", place: "backup", served: true},
		{name: "served to a file", place: "backup.tar", served: true},
		{name: "not served to a directory", place: "backup"},
		{name: "encrypted", place: "backup", keyFile: keys, restoreKey: keys, served: true},
		{name: "encrypted not served to a file", place: "backup.tar", keyFile: keys, restoreKey: keys},
		{name: "plain becomes encrypted", place: "backup", restoreKey: keys},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			data, place, back := filepath.Join(dir, "data"), filepath.Join(dir, tt.place), filepath.Join(dir, "back")
			d := openDesk(t, data, tt.keyFile)
			d.set()
			for i := range 20 {
				d.put(fmt.Sprint("id", i), fmt.Sprint("words ", i), i)
			}
			want := d.state()
			if !tt.served {
				if err := d.Close(); err != nil {
					t.Fatal(err)
				}
			}
			var made backedUp
			if err := json.Unmarshal([]byte(ok(t, "backup", place, "--data", data, "--json")), &made); err != nil {
				t.Fatal(err)
			}
			if made.Served != tt.served || made.Encrypted != (tt.keyFile != "") || made.Bytes == 0 {
				t.Errorf("it says %+v", made)
			}
			if left, err := filepath.Glob(filepath.Join(data, "checkpoints", "*")); err != nil || len(left) > 0 && !tt.served {
				t.Errorf("checkpoints are left: %v, %v", left, err)
			}
			verify := []string{"backup", "verify", place}
			if tt.keyFile != "" {
				if out := ok(t, verify...); !strings.Contains(out, "They are encrypted") {
					t.Errorf("verify without the key says %s", out)
				}
				verify = append(verify, "--key-file", tt.keyFile)
			}
			if out := ok(t, verify...); !strings.Contains(out, "every item and object is sound") {
				t.Errorf("verify says %s", out)
			}
			restore := []string{"restore", place, "--data", back}
			if tt.restoreKey != "" {
				restore = append(restore, "--key-file", tt.restoreKey)
			}
			ok(t, restore...)
			if diff := cmp.Diff(want, openDesk(t, back, tt.restoreKey).state()); diff != "" {
				t.Errorf("restored (-then +now):\n%s", diff)
			}
			fails(t, "is not empty", restore...)
			if _, err := filepath.Glob(place + ".partial"); err != nil {
				t.Error(err)
			}
		})
	}
}

// Under load every item of a backup finds its object, and each object's text is
// the item's own: the two are of one moment.
func TestBackupUnderLoad(t *testing.T) {
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	d := openDesk(t, data, "")
	d.set()
	var stop atomic.Bool
	var all sync.WaitGroup
	for w := range 3 {
		all.Go(func() {
			for i := 0; !stop.Load(); i++ {
				id := fmt.Sprintf("%d-%d", w, i%5)
				if i%4 == 3 {
					d.remove(id)
					continue
				}
				d.put(id, fmt.Sprint("round ", i), i)
			}
		})
	}
	defer func() { stop.Store(true); all.Wait() }()
	for n := range 3 {
		place, back := filepath.Join(dir, fmt.Sprint("backup", n)), filepath.Join(dir, fmt.Sprint("back", n))
		ok(t, "backup", place, "--data", data)
		ok(t, "restore", place, "--data", back)
		r := openDesk(t, back, "")
		out, err := r.tables.Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String("items")})
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range out.Items {
			id := item["pk"].(*types.AttributeValueMemberS).Value
			got, err := r.objects.GetObject(t.Context(), &s3.GetObjectInput{Bucket: aws.String("bodies"), Key: &id})
			if err != nil {
				t.Errorf("backup %d: %s names an object that is missing: %v", n, id, err)
				continue
			}
			if _, err := io.Copy(io.Discard, got.Body); err != nil {
				t.Error(err)
			}
		}
		if out := ok(t, "backup", "verify", place); !strings.Contains(out, "sound") {
			t.Errorf("verify says %s", out)
		}
	}
	stop.Store(true)
	all.Wait()
	if out := ok(t, "check", "--data", data); out != "no findings\n" {
		t.Errorf("after the backups: %s", out)
	}
}

// Every second of the past can be had again: items, index and objects.
func TestRestoreAt(t *testing.T) {
	dir := t.TempDir()
	data, place := filepath.Join(dir, "data"), filepath.Join(dir, "backup")
	d := openDesk(t, data, "")
	d.set()
	states := map[time.Time]map[string]string{}
	var seconds []time.Time
	for s := range 3 {
		for i := range 8 {
			id := fmt.Sprint("id", (i+s)%10)
			if i == s {
				d.remove(id)
				continue
			}
			d.put(id, fmt.Sprintf("second %d", s), i+s)
		}
		at := time.Now().UTC().Truncate(time.Second)
		states[at], seconds = d.state(), append(seconds, at)
		time.Sleep(time.Until(at.Add(1020 * time.Millisecond)))
	}
	ok(t, "backup", place, "--data", data)
	for i, at := range seconds {
		back := filepath.Join(dir, fmt.Sprint("back", i))
		ok(t, "restore", place, "--data", back, "--at", at.Format(time.RFC3339))
		r := openDesk(t, back, "")
		if diff := cmp.Diff(states[at], r.state()); diff != "" {
			t.Errorf("second %d (-then +now):\n%s", i, diff)
		}
		if err := r.tables.Verify(t.Context(), func(p dynamo.Problem) { t.Error(p) }); err != nil {
			t.Error(err)
		}
	}
	early := seconds[0].Add(-time.Hour).Format(time.RFC3339)
	r := runIn(t, nil, "restore", place, "--data", filepath.Join(dir, "early"), "--at", early, "--json")
	if r.Code != 0 || !strings.Contains(r.Stdout, `"Dropped": true`) {
		t.Errorf("before everything: %d %s%s", r.Code, r.Stdout, r.Stderr)
	}
	fails(t, "nothing later", "restore", place, "--data", filepath.Join(dir, "late"), "--at", "2999-01-01T00:00:00Z")
	if left, err := os.ReadDir(filepath.Join(dir, "late")); err != nil || len(left) > 0 {
		t.Errorf("the refused restore left %v, %v", left, err)
	}
}

func TestBackupRefusals(t *testing.T) {
	dir := t.TempDir()
	data, place := filepath.Join(dir, "data"), filepath.Join(dir, "backup")
	fails(t, "there is no data directory", "backup", place, "--data", data)
	d := openDesk(t, data, "")
	d.set()
	d.put("id", "text", 0)
	ok(t, "backup", place, "--data", data)
	fails(t, "exists already", "backup", place, "--data", data)
	fails(t, "there is no backup", "restore", filepath.Join(dir, "nowhere"), "--data", filepath.Join(dir, "back"))

	// A restore that was cut off is not opened.
	half := filepath.Join(dir, "half")
	ok(t, "restore", place, "--data", half)
	write(t, filepath.Join(half, "RESTORING"), "")
	fails(t, "was not finished", "check", "--data", half)
	// Data of a newer program are not opened.
	newer := filepath.Join(dir, "newer")
	ok(t, "restore", place, "--data", newer)
	write(t, filepath.Join(newer, "FORMAT"), `{"format": 99, "program": "pressroom v9"}`)
	fails(t, "written by a newer Pressroom (pressroom v9, data format 99", "check", "--data", newer)
	// A backup of which something is damaged is found and not restored.
	files, err := filepath.Glob(filepath.Join(place, "objects", "data", "*", "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no object files: %v", err)
	}
	body, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	body[len(body)/2] ^= 1
	if err := os.WriteFile(files[0], body, 0o600); err != nil {
		t.Fatal(err)
	}
	fails(t, "the backup is damaged", "backup", "verify", place)
	fails(t, "its content is not what was backed up", "restore", place, "--data", filepath.Join(dir, "damaged"))
}
