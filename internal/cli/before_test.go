package cli

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	streamtypes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/go-cmp/cmp"

	"pressroom/blob"
	"pressroom/dynamo"
	"pressroom/internal/local"
)

var remake = flag.String("before", "", "make testdata/before anew with this pressroom, the version before")

// before is what testdata/before/NAME.json says of the data directory NAME.tar.gz, which
// the version before wrote.
type before struct {
	Taken    time.Time
	Keys     string            `json:",omitempty"` // the key file
	Accounts map[string]string // names and passwords
	Token    string            // of the account olga
	Asks     []asked
	Held     map[string]string // what the stores have, see held
}

// asked is a path, and what the answer to an account, or to everybody, contains.
type asked struct{ As, Path, Has string }

// A data directory of the version before, closed or killed, plain or encrypted, opens
// and has lost nothing: the stores have every item, index entry, change record and
// object that they had, everybody signs in, search finds, and a check finds nothing.
func TestVersionBefore(t *testing.T) {
	if *remake != "" {
		makeBefore(t, *remake)
	}
	for _, name := range []string{"plain", "plain-killed", "encrypted-killed"} {
		t.Run(name, func(t *testing.T) {
			var want before
			text, err := os.ReadFile(filepath.Join("testdata", "before", name+".json"))
			if err == nil {
				err = json.Unmarshal(text, &want)
			}
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			var keyFile string
			if want.Keys != "" {
				keyFile = filepath.Join(dir, "keys")
				write(t, keyFile, want.Keys)
			}
			archive := filepath.Join("testdata", "before", name+".tar.gz")
			unpack(t, archive, filepath.Join(dir, "stores"))
			if diff := cmp.Diff(want.Held, heldBy(t, filepath.Join(dir, "stores"), keyFile, want.Taken)); diff != "" {
				t.Errorf("what the stores have (-before +now):\n%s", diff)
			}
			unpack(t, archive, filepath.Join(dir, "served"))
			want.serve(t, filepath.Join(dir, "served"), keyFile)
		})
	}
}

// A data directory that a newer version wrote is refused by whatever opens it, with the
// name of that version, and nothing in it is touched but the lock.
func TestVersionAfter(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	unpack(t, filepath.Join("testdata", "before", "plain-killed.tar.gz"), data)
	write(t, filepath.Join(data, "FORMAT"), `{"format": 99, "program": "pressroom v9"}`)
	files := func() map[string]string {
		all := map[string]string{}
		err := filepath.WalkDir(data, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || entry.Name() == local.LockName {
				return err
			}
			text, err := os.ReadFile(path)
			all[path] = digest(text)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	was := files()
	for _, command := range []string{"serve --addr=127.0.0.1:0 --aws-addr=127.0.0.1:0", "local --aws-addr=127.0.0.1:0", "check", "lexicon export", "user list", "search rebuild"} {
		r := runIn(t, nil, append(strings.Fields(command), "--data="+data, "--config="+os.DevNull)...)
		if r.Code == 0 || !strings.Contains(r.Stderr, "written by a newer Pressroom (pressroom v9, data format 99; this one knows up to 1); use that version or a later one") {
			t.Errorf("%s: status %d, %s", command, r.Code, r.Stderr)
		}
		if diff := cmp.Diff(was, files()); diff != "" {
			t.Errorf("%s changed files:\n%s", command, diff)
		}
	}
}

// serve serves the directory and asks what there is to ask.
func (b before) serve(t *testing.T, data, keyFile string) {
	t.Helper()
	stores := []string{"--data=" + data, "--config=" + os.DevNull}
	if keyFile != "" {
		stores = append(stores, "--key-file="+keyFile)
	}
	// Only the web's duties: the others would expire and repeat what is old by now.
	d := startServe(t, append([]string{"--run=web", "--rate-limit=0", "--addr=127.0.0.1:0", "--aws-addr=127.0.0.1:0"}, stores...)...)
	clients := map[string]*http.Client{"": http.DefaultClient}
	for name, password := range b.Accounts {
		jar, err := cookiejar.New(nil)
		if err != nil {
			t.Fatal(err)
		}
		clients[name] = &http.Client{Jar: jar}
		resp, err := clients[name].PostForm(d.url+"/sign-in", url.Values{"name": {name}, "password": {password}})
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if me := d.page(t, clients[name], "/api/v1/me"); !strings.Contains(me, `"`+name+`"`) {
			t.Errorf("%s does not sign in: %s", name, me)
		}
	}
	for _, a := range b.Asks {
		// The index is made at the start where it is encrypted or of another version, and
		// says until then that it is not ready.
		d.await(t, fmt.Sprintf("%s has %q for %q", a.Path, a.Has, a.As), func() bool {
			resp, err := clients[a.As].Get(d.url + a.Path)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			body, err := io.ReadAll(resp.Body)
			return err == nil && strings.Contains(string(body), a.Has)
		})
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, d.url+"/api/v1/me", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+b.Token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Errorf("the token answers %d", resp.StatusCode)
	}
	if out := runIn(t, nil, append([]string{"check"}, stores...)...); out.Stdout != "no findings\n" {
		t.Errorf("check: %s%s", out.Stdout, out.Stderr)
	}
	if code := d.stop(); code != 0 {
		t.Errorf("serve ended with %d: %s", code, d.stderr.String())
	}
}

// heldBy opens the stores of a data directory at a moment and tells what they have.
func heldBy(t *testing.T, data, keyFile string, at time.Time) map[string]string {
	t.Helper()
	keys, err := local.LoadKeys(keyFile)
	if err != nil {
		t.Fatal(err)
	}
	now := func() time.Time { return at } // nothing expires
	tables, err := dynamo.Open(filepath.Join(data, "tables"), &dynamo.Options{Keys: keys, Logger: quiet, Now: now, SweepEvery: -1})
	if err != nil {
		t.Fatal(err)
	}
	objects, err := blob.Open(filepath.Join(data, "objects"), &blob.Options{Keys: keys, Log: quiet, Now: now, SweepEvery: -1})
	if err != nil {
		t.Fatal(err)
	}
	all, err := held(t.Context(), tables, tables.Streams(), blob.Client(objects))
	if err = errors.Join(err, objects.Close(), tables.Close()); err != nil {
		t.Fatal(err)
	}
	return all
}

// held tells all that two stores have: for the items of each table and index, the change
// records of each stream, the object versions and the uploads of each bucket, how many
// there are and a digest of them all.
func held(ctx context.Context, db dynamo.API, streams dynamo.StreamsAPI, objects *s3.Client) (map[string]string, error) {
	each, err := heldEach(ctx, db, streams, objects)
	if err != nil {
		return nil, err
	}
	groups := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(each)) {
		kind, rest, _ := strings.Cut(name, " ")
		place, _, _ := strings.Cut(rest, " ")
		groups[kind+" "+place] = append(groups[kind+" "+place], name+" "+each[name])
	}
	all := map[string]string{}
	for name, lines := range groups {
		all[name] = fmt.Sprintf("%d %s", len(lines), digest(lines))
	}
	return all, nil
}

// heldEach has a line for every single one, which begins with its kind and place.
func heldEach(ctx context.Context, db dynamo.API, streams dynamo.StreamsAPI, objects *s3.Client) (map[string]string, error) {
	all := map[string]string{}
	names, err := db.ListTables(ctx, &dynamodb.ListTablesInput{})
	if err != nil {
		return nil, err
	}
	for _, name := range names.TableNames {
		about, err := db.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &name})
		if err != nil {
			return nil, err
		}
		t := about.Table
		all["table "+name] = digest(t.KeySchema, t.AttributeDefinitions, t.StreamSpecification, t.LatestStreamArn, t.TableId, t.CreationDateTime.UTC())
		if err := heldItems(ctx, db, all, t, nil); err != nil {
			return nil, err
		}
		for _, index := range t.GlobalSecondaryIndexes {
			if err := heldItems(ctx, db, all, t, index.IndexName); err != nil {
				return nil, err
			}
		}
		if t.LatestStreamArn != nil {
			if err := heldRecords(ctx, streams, all, name, t.LatestStreamArn); err != nil {
				return nil, err
			}
		}
	}
	buckets, err := objects.ListBuckets(ctx, &s3.ListBucketsInput{})
	if err != nil {
		return nil, err
	}
	for _, b := range buckets.Buckets {
		if err := heldObjects(ctx, objects, all, *b.Name); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func heldItems(ctx context.Context, db dynamo.API, all map[string]string, table *types.TableDescription, index *string) error {
	pages := dynamodb.NewScanPaginator(db, &dynamodb.ScanInput{TableName: table.TableName, IndexName: index})
	for pages.HasMorePages() {
		out, err := pages.NextPage(ctx)
		if err != nil {
			return err
		}
		for _, item := range out.Items {
			key := *table.TableName + "/" + aws.ToString(index)
			for _, part := range table.KeySchema {
				key += " " + digest(plain(item[*part.AttributeName]))
			}
			all["item "+key] = digest(plain(&types.AttributeValueMemberM{Value: item}))
		}
	}
	return nil
}

// plain is a value as JSON can tell it, with its types.
func plain(v types.AttributeValue) any {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return v.Value
	case *types.AttributeValueMemberM:
		m := map[string]any{}
		for name, value := range v.Value {
			m[name] = plain(value)
		}
		return m
	case *types.AttributeValueMemberL:
		list := []any{}
		for _, value := range v.Value {
			list = append(list, plain(value))
		}
		return list
	}
	return []any{fmt.Sprintf("%T", v), v}
}

func heldRecords(ctx context.Context, streams dynamo.StreamsAPI, all map[string]string, table string, stream *string) error {
	about, err := streams.DescribeStream(ctx, &dynamodbstreams.DescribeStreamInput{StreamArn: stream})
	if err != nil {
		return err
	}
	for _, shard := range about.StreamDescription.Shards {
		at, err := streams.GetShardIterator(ctx, &dynamodbstreams.GetShardIteratorInput{
			StreamArn: stream, ShardId: shard.ShardId, ShardIteratorType: streamtypes.ShardIteratorTypeTrimHorizon,
		})
		if err != nil {
			return err
		}
		for next, more := at.ShardIterator, true; more && next != nil; {
			out, err := streams.GetRecords(ctx, &dynamodbstreams.GetRecordsInput{ShardIterator: next})
			if err != nil {
				return err
			}
			for _, r := range out.Records {
				all["record "+table+" "+*r.Dynamodb.SequenceNumber] = digest(r.EventID, r.EventName, r.Dynamodb.Keys, r.Dynamodb.OldImage, r.Dynamodb.NewImage)
			}
			next, more = out.NextShardIterator, len(out.Records) > 0
		}
	}
	return nil
}

func heldObjects(ctx context.Context, objects *s3.Client, all map[string]string, bucket string) error {
	versions := s3.NewListObjectVersionsPaginator(objects, &s3.ListObjectVersionsInput{Bucket: &bucket})
	for versions.HasMorePages() {
		out, err := versions.NextPage(ctx)
		if err != nil {
			return err
		}
		for _, m := range out.DeleteMarkers {
			all["marker "+bucket+" "+*m.Key+" "+*m.VersionId] = digest(m.IsLatest, m.LastModified.UTC())
		}
		for _, v := range out.Versions {
			got, err := objects.GetObject(ctx, &s3.GetObjectInput{Bucket: &bucket, Key: v.Key, VersionId: v.VersionId})
			if err != nil {
				return err
			}
			body, err := io.ReadAll(got.Body)
			if err != nil {
				return err
			}
			tags, err := objects.GetObjectTagging(ctx, &s3.GetObjectTaggingInput{Bucket: &bucket, Key: v.Key, VersionId: v.VersionId})
			if err != nil {
				return err
			}
			all["object "+bucket+" "+*v.Key+" "+*v.VersionId] = digest(body, got.ContentType, got.CacheControl, got.ETag, got.Metadata, got.LastModified.UTC(), tags.TagSet, v.IsLatest)
		}
	}
	uploads, err := objects.ListMultipartUploads(ctx, &s3.ListMultipartUploadsInput{Bucket: &bucket})
	if err != nil {
		return err
	}
	for _, u := range uploads.Uploads {
		parts, err := objects.ListParts(ctx, &s3.ListPartsInput{Bucket: &bucket, Key: u.Key, UploadId: u.UploadId})
		if err != nil {
			return err
		}
		for _, p := range parts.Parts {
			all[fmt.Sprintf("part %s %s %s %d", bucket, *u.Key, *u.UploadId, *p.PartNumber)] = digest(p.ETag, p.Size)
		}
	}
	return nil
}

// digest is a short hash of values as JSON.
func digest(values ...any) string {
	text, err := json.Marshal(values)
	if err != nil {
		panic(err) // what the SDK returns can be marshalled
	}
	return fmt.Sprintf("%.6x", sha256.Sum256(text))
}

// startServe runs "serve" in this process until stop.
func startServe(t testing.TB, args ...string) *demoRun {
	t.Helper()
	d := startRun(t, append([]string{"serve"}, args...)...)
	d.await(t, "it serves", func() bool {
		d.url = strings.TrimPrefix(regexp.MustCompile(`msg=serving url=http://[0-9.:]+`).FindString(d.stderr.String()), "msg=serving url=")
		return d.url != ""
	})
	return d
}

// unpack puts the files of an archive into a new directory.
func unpack(t testing.TB, archive, dir string) {
	t.Helper()
	file, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	zipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	for in := tar.NewReader(zipped); ; {
		head, err := in.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, filepath.FromSlash(head.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(in)
		if err == nil {
			err = os.WriteFile(path, body, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
