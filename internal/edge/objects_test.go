package edge

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/klauspost/compress/zstd"

	"pressroom/blob"
	"pressroom/dynamo"
	"pressroom/dynamo/wire"
)

// both are the two stores, beside each other.
type both struct {
	testing.TB
	db    *dynamo.DB
	s3    *s3.Client
	ahead atomic.Int64 // of the tables' clock
}

// openBoth opens the stores in dir, or in memory. wrap, if not nil, stands between
// them.
func openBoth(t testing.TB, dir string, wrap func(dynamo.Objects) dynamo.Objects) *both {
	t.Helper()
	b := &both{TB: t}
	quiet := slog.New(slog.DiscardHandler)
	db, err := dynamo.Open(filepath.Join(dir, "tables"), &dynamo.Options{
		Memory: dir == "", Logger: quiet, SweepEvery: -1, Now: func() time.Time { return time.Now().Add(time.Duration(b.ahead.Load())) },
	})
	if err != nil {
		t.Fatal(err)
	}
	where := blob.Options{Log: quiet}
	if dir == "" {
		where.FS = vfs.NewMem()
	}
	store, err := blob.Open(filepath.Join(dir, "objects"), &where)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = store.Close() // the objects go first, as in the binary
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	b.db, b.s3 = db, blob.Client(store)
	objects := Objects(b.s3)
	if wrap != nil {
		objects = wrap(objects)
	}
	if err := db.UseObjects(objects); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *both) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// table makes a table with an index, and recovery.
func (b *both) table(name string) *types.TableDescription {
	b.Helper()
	out, err := b.db.CreateTable(context.Background(), creation(name))
	b.must(err)
	_, err = b.db.UpdateContinuousBackups(context.Background(), &dynamodb.UpdateContinuousBackupsInput{
		TableName: &name, PointInTimeRecoverySpecification: &types.PointInTimeRecoverySpecification{PointInTimeRecoveryEnabled: aws.Bool(true)},
	})
	b.must(err)
	return out.TableDescription
}

func creation(name string) *dynamodb.CreateTableInput {
	return &dynamodb.CreateTableInput{
		TableName: &name, BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{
			{AttributeName: aws.String("id"), AttributeType: types.ScalarAttributeTypeS},
			{AttributeName: aws.String("n"), AttributeType: types.ScalarAttributeTypeN},
		},
		KeySchema: []types.KeySchemaElement{{AttributeName: aws.String("id"), KeyType: types.KeyTypeHash}},
		GlobalSecondaryIndexes: []types.GlobalSecondaryIndex{{
			IndexName: aws.String("byN"), Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll},
			KeySchema: []types.KeySchemaElement{{AttributeName: aws.String("n"), KeyType: types.KeyTypeHash}},
		}},
	}
}

func item(i int) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{
		"id":   &types.AttributeValueMemberS{Value: fmt.Sprintf("item %04d", i)},
		"n":    &types.AttributeValueMemberN{Value: fmt.Sprint(i % 7)},
		"text": &types.AttributeValueMemberS{Value: "zeile\n\"" + strings.Repeat("ü", i%50)},
		"raw":  &types.AttributeValueMemberB{Value: []byte{byte(i), 0, 255}},
		"set":  &types.AttributeValueMemberSS{Value: []string{"a", "b"}},
		"list": &types.AttributeValueMemberL{Value: []types.AttributeValue{&types.AttributeValueMemberBOOL{Value: true}, &types.AttributeValueMemberNULL{Value: true}}},
	}
}

func (b *both) put(table string, from, to int) {
	b.Helper()
	for i := from; i < to; i++ {
		_, err := b.db.PutItem(context.Background(), &dynamodb.PutItemInput{TableName: &table, Item: item(i)})
		b.must(err)
	}
}

// all returns the items of a table or index by id.
func (b *both) all(table string, index *string) map[string]map[string]types.AttributeValue {
	b.Helper()
	found := map[string]map[string]types.AttributeValue{}
	pages := dynamodb.NewScanPaginator(b.db, &dynamodb.ScanInput{TableName: &table, IndexName: index})
	for pages.HasMorePages() {
		page, err := pages.NextPage(context.Background())
		b.must(err)
		for _, it := range page.Items {
			found[it["id"].(*types.AttributeValueMemberS).Value] = it
		}
	}
	return found
}

// same compares two tables and their indexes.
func (b *both) same(x, y string) {
	b.Helper()
	for _, index := range []*string{nil, aws.String("byN")} {
		if diff := cmp.Diff(b.all(x, index), b.all(y, index), cmpopts.IgnoreUnexported(
			types.AttributeValueMemberS{}, types.AttributeValueMemberN{}, types.AttributeValueMemberB{}, types.AttributeValueMemberSS{},
			types.AttributeValueMemberL{}, types.AttributeValueMemberBOOL{}, types.AttributeValueMemberNULL{})); diff != "" {
			b.Errorf("%s and %s differ in %s:\n%.2000s", x, y, aws.ToString(index), diff)
		}
	}
}

func (b *both) bucket(name string) {
	b.Helper()
	_, err := b.s3.CreateBucket(context.Background(), &s3.CreateBucketInput{Bucket: &name})
	b.must(err)
}

// object reads an object.
func (b *both) object(bucket, key string) []byte {
	b.Helper()
	out, err := b.s3.GetObject(context.Background(), &s3.GetObjectInput{Bucket: &bucket, Key: &key})
	b.must(err)
	defer func() { _ = out.Body.Close() }()
	body, err := io.ReadAll(out.Body)
	b.must(err)
	return body
}

// export runs an export to its end.
func (b *both) export(in *dynamodb.ExportTableToPointInTimeInput) *types.ExportDescription {
	b.Helper()
	out, err := b.db.ExportTableToPointInTime(context.Background(), in)
	b.must(err)
	return b.exported(*out.ExportDescription.ExportArn)
}

func (b *both) exported(arn string) *types.ExportDescription {
	b.Helper()
	for {
		d, err := b.db.DescribeExport(context.Background(), &dynamodb.DescribeExportInput{ExportArn: &arn})
		b.must(err)
		if d.ExportDescription.ExportStatus != types.ExportStatusInProgress {
			return d.ExportDescription
		}
		time.Sleep(time.Millisecond)
	}
}

func (b *both) imported(arn string) *types.ImportTableDescription {
	b.Helper()
	for {
		d, err := b.db.DescribeImport(context.Background(), &dynamodb.DescribeImportInput{ImportArn: &arn})
		b.must(err)
		if d.ImportTableDescription.ImportStatus != types.ImportStatusInProgress {
			return d.ImportTableDescription
		}
		time.Sleep(time.Millisecond)
	}
}

// load runs an import to its end.
func (b *both) load(table, bucket, prefix string, change func(*dynamodb.ImportTableInput)) *types.ImportTableDescription {
	b.Helper()
	c := creation(table)
	in := &dynamodb.ImportTableInput{
		S3BucketSource: &types.S3BucketSource{S3Bucket: &bucket, S3KeyPrefix: &prefix},
		InputFormat:    types.InputFormatDynamodbJson, InputCompressionType: types.InputCompressionTypeGzip,
		TableCreationParameters: &types.TableCreationParameters{
			TableName: c.TableName, AttributeDefinitions: c.AttributeDefinitions, KeySchema: c.KeySchema, BillingMode: c.BillingMode, GlobalSecondaryIndexes: c.GlobalSecondaryIndexes,
		},
	}
	if change != nil {
		change(in)
	}
	out, err := b.db.ImportTable(context.Background(), in)
	b.must(err)
	return b.imported(*out.ImportTableDescription.ImportArn)
}

// lines are the records in an export's files, in the order of its manifest.
func (b *both) lines(bucket string, d *types.ExportDescription) []string {
	b.Helper()
	var summary struct {
		ManifestFilesS3Key string
		ItemCount          int
		OutputFormat       string
	}
	b.must(json.Unmarshal(b.object(bucket, *d.ExportManifest), &summary))
	var lines []string
	files := bufio.NewScanner(bytes.NewReader(b.object(bucket, summary.ManifestFilesS3Key)))
	for files.Scan() {
		var file struct {
			ItemCount     int
			DataFileS3Key string
		}
		b.must(json.Unmarshal(files.Bytes(), &file))
		z, err := gzip.NewReader(bytes.NewReader(b.object(bucket, file.DataFileS3Key)))
		b.must(err)
		text, err := io.ReadAll(z)
		b.must(err)
		if n := bytes.Count(text, []byte("\n")); n != file.ItemCount {
			b.Errorf("%s has %d lines, the manifest says %d", file.DataFileS3Key, n, file.ItemCount)
		}
		lines = append(lines, strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")...)
	}
	lines = slices.DeleteFunc(lines, func(s string) bool { return s == "" })
	if len(lines) != summary.ItemCount || summary.OutputFormat != "DYNAMODB_JSON" {
		b.Errorf("the summary says %+v, there are %d lines", summary, len(lines))
	}
	return lines
}

// What is exported and imported again is the same.
func TestExportImport(t *testing.T) {
	b := openBoth(t, "", nil)
	b.bucket("bucket")
	d := b.table("table")
	b.put("table", 0, 500)
	e := b.export(&dynamodb.ExportTableToPointInTimeInput{TableArn: d.TableArn, S3Bucket: aws.String("bucket"), S3Prefix: aws.String("pre")})
	if e.ExportStatus != types.ExportStatusCompleted || aws.ToInt64(e.ItemCount) != 500 {
		t.Fatalf("the export is %+v", e)
	}
	_, id, _ := strings.Cut(*e.ExportArn, "/export/")
	place := "pre/AWSDynamoDB/" + id + "/"
	if *e.ExportManifest != place+"manifest-summary.json" {
		t.Errorf("the manifest is %s", *e.ExportManifest)
	}
	list, err := b.s3.ListObjectsV2(context.Background(), &s3.ListObjectsV2Input{Bucket: aws.String("bucket")})
	b.must(err)
	var names []string
	for _, o := range list.Contents {
		name := strings.TrimPrefix(*o.Key, place)
		if data, ok := strings.CutPrefix(name, "data/"); ok && len(data) == len("sgad6417s6vss4p7owp0471bcq.json.gz") {
			name = "data/*"
		}
		names = append(names, name)
	}
	want := []string{"_started", "data/*", "manifest-files.checksum", "manifest-files.json", "manifest-summary.checksum", "manifest-summary.json"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("the objects of an export:\n%s", diff)
	}
	if n := len(b.lines("bucket", e)); n != 500 {
		t.Errorf("%d items are in the files", n)
	}
	i := b.load("copy", "bucket", place+"data/", nil)
	if i.ImportStatus != types.ImportStatusCompleted || i.ImportedItemCount != 500 || i.ErrorCount != 0 {
		t.Fatalf("the import is %+v", i)
	}
	b.same("table", "copy")
	b.put("copy", 500, 501) // an ordinary table
	exports, err := b.db.ListExports(context.Background(), &dynamodb.ListExportsInput{TableArn: d.TableArn})
	b.must(err)
	imports, err := b.db.ListImports(context.Background(), &dynamodb.ListImportsInput{})
	b.must(err)
	if len(exports.ExportSummaries) != 1 || len(imports.ImportSummaryList) != 1 {
		t.Errorf("%d exports and %d imports are listed", len(exports.ExportSummaries), len(imports.ImportSummaryList))
	}
}

// An export is of a moment; an incremental one, of what changed between two.
func TestExportOfMoments(t *testing.T) {
	b := openBoth(t, "", nil)
	b.bucket("bucket")
	d := b.table("table")
	b.put("table", 0, 10)
	b.ahead.Add(int64(time.Minute))
	from := time.Now().Add(time.Duration(b.ahead.Load()))
	b.ahead.Add(int64(time.Minute))
	b.put("table", 5, 6) // nothing changes
	b.put("table", 10, 12)
	for _, id := range []string{"item 0000", "item 0010"} {
		_, err := b.db.DeleteItem(context.Background(), &dynamodb.DeleteItemInput{TableName: aws.String("table"), Key: map[string]types.AttributeValue{"id": &types.AttributeValueMemberS{Value: id}}})
		b.must(err)
	}
	_, err := b.db.UpdateItem(context.Background(), &dynamodb.UpdateItemInput{
		TableName: aws.String("table"), Key: map[string]types.AttributeValue{"id": &types.AttributeValueMemberS{Value: "item 0001"}},
		UpdateExpression: aws.String("SET n = :n"), ExpressionAttributeValues: map[string]types.AttributeValue{":n": &types.AttributeValueMemberN{Value: "99"}},
	})
	b.must(err)
	b.ahead.Add(int64(time.Minute))

	before := b.export(&dynamodb.ExportTableToPointInTimeInput{TableArn: d.TableArn, S3Bucket: aws.String("bucket"), ExportTime: &from})
	lines := strings.Join(b.lines("bucket", before), "\n")
	if n := strings.Count(lines, "\n") + 1; n != 10 || !strings.Contains(lines, "item 0000") || strings.Contains(lines, "item 0011") || strings.Contains(lines, `"99"`) {
		t.Errorf("the export of the earlier moment has %d items:\n%s", n, lines)
	}

	changed := b.export(&dynamodb.ExportTableToPointInTimeInput{
		TableArn: d.TableArn, S3Bucket: aws.String("bucket"), ExportType: types.ExportTypeIncrementalExport,
		IncrementalExportSpecification: &types.IncrementalExportSpecification{ExportFromTime: &from},
	})
	if changed.ExportStatus != types.ExportStatusCompleted {
		t.Fatalf("%+v", changed)
	}
	got := map[string]string{}
	for _, line := range b.lines("bucket", changed) {
		var r struct {
			Metadata           struct{ WriteTimestampMicros struct{ N string } }
			Keys               map[string]struct{ S string }
			OldImage, NewImage map[string]any
		}
		b.must(json.Unmarshal([]byte(line), &r))
		if len(r.Metadata.WriteTimestampMicros.N) != 16 {
			t.Errorf("written at %q", r.Metadata.WriteTimestampMicros.N)
		}
		got[r.Keys["id"].S] = fmt.Sprint(r.OldImage != nil, r.NewImage != nil)
	}
	want := map[string]string{"item 0000": "true false", "item 0001": "true true", "item 0011": "false true"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what changed (old, new):\n%s", diff)
	}
}

// Imports read CSV and what is packed in other ways, and count what is wrong.
func TestImportFormats(t *testing.T) {
	b := openBoth(t, "", nil)
	b.bucket("bucket")
	put := func(key, body string) {
		_, err := b.s3.PutObject(context.Background(), &s3.PutObjectInput{Bucket: aws.String("bucket"), Key: &key, Body: strings.NewReader(body)})
		b.must(err)
	}
	put("csv/a", "id,n,text\nx,5,\"a, \"\"b\"\"\"\ny,no number,t\nz,7\nw,8,\n")
	csv := b.load("csv", "bucket", "csv/", func(in *dynamodb.ImportTableInput) {
		in.InputFormat, in.InputCompressionType = types.InputFormatCsv, ""
	})
	if csv.ImportStatus != types.ImportStatusCompleted || csv.ProcessedItemCount != 4 || csv.ImportedItemCount != 2 || csv.ErrorCount != 2 {
		t.Errorf("CSV: %+v", csv)
	}
	x := b.all("csv", nil)["x"]
	if x["n"].(*types.AttributeValueMemberN).Value != "5" || x["text"].(*types.AttributeValueMemberS).Value != `a, "b"` {
		t.Errorf("CSV: %v", x)
	}
	put("semi/a", "x;5\n")
	b.load("semi", "bucket", "semi/", func(in *dynamodb.ImportTableInput) {
		in.InputFormat, in.InputCompressionType = types.InputFormatCsv, types.InputCompressionTypeNone
		in.InputFormatOptions = &types.InputFormatOptions{Csv: &types.CsvOptions{Delimiter: aws.String(";"), HeaderList: []string{"id", "n"}}}
	})
	if n := len(b.all("semi", aws.String("byN"))); n != 1 {
		t.Errorf("CSV with a header of its own: %d items", n)
	}
	z, err := zstd.NewWriter(nil)
	b.must(err)
	put("zstd/a", string(z.EncodeAll([]byte(`{"Item":{"id":{"S":"x"}}}`+"\n"+`{"Item":{"n":{"N":"1"}}}`+"\nnonsense\n"), nil)))
	packed := b.load("zstd", "bucket", "zstd/", func(in *dynamodb.ImportTableInput) { in.InputCompressionType = types.InputCompressionTypeZstd })
	if packed.ImportedItemCount != 1 || packed.ErrorCount != 2 {
		t.Errorf("zstd: %+v", packed)
	}
	none := b.load("none", "nowhere", "", nil)
	if none.ImportStatus != types.ImportStatusFailed || aws.ToString(none.FailureCode) != "S3NoSuchBucket" {
		t.Errorf("no bucket: %+v", none)
	}
	if _, err := b.db.DescribeTable(context.Background(), &dynamodb.DescribeTableInput{TableName: aws.String("none")}); err == nil {
		t.Error("a failed import has left its table")
	}
	broken := b.export(&dynamodb.ExportTableToPointInTimeInput{TableArn: b.table("some").TableArn, S3Bucket: aws.String("nowhere")})
	if broken.ExportStatus != types.ExportStatusFailed || aws.ToString(broken.FailureCode) != "S3NoSuchBucket" {
		t.Errorf("an export to no bucket: %+v", broken)
	}
}

// A bulk put writes into a table that is there. The Go SDK does not know it yet.
func TestBulkPut(t *testing.T) {
	b := openBoth(t, "", nil)
	b.bucket("bucket")
	b.table("table")
	b.put("table", 0, 3)
	var body strings.Builder
	for i := range 260 {
		fmt.Fprintf(&body, `{"Item":{"id":{"S":"item %04d"},"n":{"N":"1"}}}`+"\n", i)
	}
	body.WriteString(`{"Item":{"n":{"N":"1"}}}` + "\n")
	_, err := b.s3.PutObject(context.Background(), &s3.PutObjectInput{Bucket: aws.String("bucket"), Key: aws.String("in/a"), Body: strings.NewReader(body.String())})
	b.must(err)
	h := wire.New(b.db, nil)
	call := func(operation, body string) map[string]any {
		r := httptest.NewRequest("POST", "/", strings.NewReader(body))
		r.Host, r.RemoteAddr = "127.0.0.1", "127.0.0.1:1"
		r.Header = http.Header{"Content-Type": {"application/x-amz-json-1.0"}, "X-Amz-Target": {"DynamoDB_20120810." + operation},
			"Authorization": {"AWS4-HMAC-SHA256 Credential=a/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0"}, "X-Amz-Date": {"20260101T000000Z"}}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		var out map[string]any
		if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil || w.Code != 200 {
			t.Fatalf("%s: %d %s", operation, w.Code, w.Body)
		}
		return out
	}
	start := `{"ClientToken":"t","TableName":"table","InputS3Configuration":{"S3Bucket":"bucket","S3KeyPrefix":"in/","InputFormat":"DYNAMODB_JSON"},"OutputS3Configuration":{"S3Bucket":"bucket","S3KeyPrefix":"out","OutputType":["ERROR"]}}`
	arn := call("StartBulkPutItems", start)["BulkOperationDescription"].(map[string]any)["BulkOperationArn"].(string)
	if again := call("StartBulkPutItems", start)["BulkOperationDescription"].(map[string]any)["BulkOperationArn"]; again != arn {
		t.Errorf("the same token began %v, not %s", again, arn)
	}
	var d map[string]any
	for d == nil || d["BulkOperationStatus"] == "IN_PROGRESS" {
		d = call("DescribeBulkOperation", `{"BulkOperationArn":"`+arn+`"}`)["BulkOperationDescription"].(map[string]any)
	}
	if d["BulkOperationStatus"] != "COMPLETED_WITH_ERRORS" || d["ProcessedItemCount"] != 261.0 || d["FailedItemCount"] != 1.0 {
		t.Errorf("%v", d)
	}
	if n, in := len(b.all("table", nil)), len(b.all("table", aws.String("byN"))); n != 260 || in != 260 {
		t.Errorf("there are %d items, and %d in the index", n, in)
	}
	_, id, _ := strings.Cut(arn, "/bulk-operation/")
	if errs := string(b.object("bucket", "out/AWSDynamoDB/"+id+"/error/000000.json")); !strings.Contains(errs, `"RecordNumber":261`) {
		t.Errorf("errors: %s", errs)
	}
	if list := call("ListBulkOperations", `{}`)["BulkOperationsSummaryList"].([]any); len(list) != 1 {
		t.Errorf("%v", list)
	}
	if got := call("CancelBulkOperation", `{"BulkOperationArn":"`+arn+`"}`); got["BulkOperationStatus"] != "COMPLETED_WITH_ERRORS" {
		t.Errorf("cancelled when it had ended: %v", got)
	}
}

// mortal ends the process at the nth object on its way.
type mortal struct {
	dynamo.Objects
	left *atomic.Int64
}

func (m mortal) count() {
	if m.left.Add(-1) == 0 {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
}

func (m mortal) Put(ctx context.Context, bucket, key string, body []byte) (string, error) {
	m.count()
	return m.Objects.Put(ctx, bucket, key, body)
}

func (m mortal) Get(ctx context.Context, bucket, key string) (io.ReadCloser, error) {
	m.count()
	return m.Objects.Get(ctx, bucket, key)
}

// TestKill ends a process by SIGKILL at each object of an export and of an import:
// opened again, both go on to their end.
func TestKill(t *testing.T) {
	if dir := os.Getenv("EDGE_KILL_DIR"); dir != "" {
		var n int64
		_, _ = fmt.Sscan(os.Getenv("EDGE_KILL_AT"), &n)
		left := new(atomic.Int64)
		b := openBoth(t, dir, func(o dynamo.Objects) dynamo.Objects { return mortal{o, left} })
		left.Store(n)
		if os.Getenv("EDGE_KILL_WHAT") == "export" {
			b.export(&dynamodb.ExportTableToPointInTimeInput{TableArn: aws.String("arn:aws:dynamodb:us-east-1:000000000001:table/table"), S3Bucket: aws.String("bucket")})
		} else {
			b.load("copy", "bucket", "in/", nil)
		}
		t.Fatal("it was not killed")
	}
	for _, what := range []string{"export", "import"} {
		for at := 1; at <= 3; at++ {
			t.Run(fmt.Sprintf("%s %d", what, at), func(t *testing.T) {
				t.Parallel()
				killed(t, what, at)
			})
		}
	}
}

func killed(t *testing.T, what string, at int) {
	dir := t.TempDir()
	t.Run("before", func(t *testing.T) {
		b := openBoth(t, dir, nil)
		b.bucket("bucket")
		b.table("table")
		b.put("table", 0, 60)
		for part := range 3 {
			var packed bytes.Buffer
			z := gzip.NewWriter(&packed)
			for i := part * 20; i < part*20+20; i++ {
				fmt.Fprintf(z, `{"Item":{"id":{"S":"item %04d"},"n":{"N":"%d"},"raw":{"B":"%s"}}}`+"\n", i, i%7, base64.StdEncoding.EncodeToString([]byte{byte(i)}))
			}
			b.must(z.Close())
			_, err := b.s3.PutObject(t.Context(), &s3.PutObjectInput{Bucket: aws.String("bucket"), Key: aws.String(fmt.Sprint("in/", part)), Body: bytes.NewReader(packed.Bytes())})
			b.must(err)
		}
	})
	child := exec.Command(os.Args[0], "-test.run", "^TestKill$")
	child.Env = append(os.Environ(), "EDGE_KILL_DIR="+dir, "EDGE_KILL_WHAT="+what, fmt.Sprint("EDGE_KILL_AT=", at))
	if out, err := child.CombinedOutput(); child.ProcessState == nil || child.ProcessState.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Fatalf("the process ended by itself: %v %s", err, out)
	}
	b := openBoth(t, dir, nil)
	if what == "export" {
		list, err := b.db.ListExports(t.Context(), &dynamodb.ListExportsInput{})
		b.must(err)
		d := b.exported(*list.ExportSummaries[0].ExportArn)
		if n := len(b.lines("bucket", d)); d.ExportStatus != types.ExportStatusCompleted || n != 60 {
			t.Errorf("the export is %s with %d items", d.ExportStatus, n)
		}
		return
	}
	list, err := b.db.ListImports(t.Context(), &dynamodb.ListImportsInput{})
	b.must(err)
	d := b.imported(*list.ImportSummaryList[0].ImportArn)
	if n, in := len(b.all("copy", nil)), len(b.all("copy", aws.String("byN"))); d.ImportStatus != types.ImportStatusCompleted || n != 60 || in != 60 || d.ImportedItemCount != 60 {
		t.Errorf("the import is %s with %d items, %d in the index: %+v", d.ImportStatus, n, in, d)
	}
}
