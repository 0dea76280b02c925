package local

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

const shop = `
Parameters:
  Stage: {Type: String, Default: dev}
Resources:
  Orders:
    Type: AWS::DynamoDB::Table
    Properties:
      TableName: !Sub "${Stage}-orders"
      BillingMode: PAY_PER_REQUEST
      AttributeDefinitions:
        - {AttributeName: pk, AttributeType: S}
        - {AttributeName: sk, AttributeType: N}
      KeySchema:
        - {AttributeName: pk, KeyType: HASH}
      GlobalSecondaryIndexes:
        - IndexName: by-sk
          KeySchema: [{AttributeName: sk, KeyType: HASH}]
          Projection: {ProjectionType: ALL}
          ContributorInsightsSpecification: {Enabled: true}
      StreamSpecification: {StreamViewType: NEW_IMAGE}
      SSESpecification: {SSEEnabled: true}
      TimeToLiveSpecification: {AttributeName: expires, Enabled: true}
      PointInTimeRecoverySpecification: {PointInTimeRecoveryEnabled: "true"}
      Tags: [{Key: cost, Value: 5}]
  Old:
    Type: AWS::DynamoDB::Table
    Properties:
      ProvisionedThroughput: {ReadCapacityUnits: "3", WriteCapacityUnits: 4}
      AttributeDefinitions: [{AttributeName: pk, AttributeType: S}]
      KeySchema: [{AttributeName: pk, KeyType: HASH}]
  Simple:
    Type: AWS::Serverless::SimpleTable
    Properties: {PrimaryKey: {Name: n, Type: Number}}
  Media:
    Type: AWS::S3::Bucket
    Properties:
      BucketName: media
      VersioningConfiguration: {Status: Enabled}
      Tags: [{Key: a, Value: b}]
      BucketEncryption: {ServerSideEncryptionConfiguration: [{ServerSideEncryptionByDefault: {SSEAlgorithm: AES256}}]}
      PublicAccessBlockConfiguration: {BlockPublicAcls: true, BlockPublicPolicy: false, IgnorePublicAcls: true, RestrictPublicBuckets: false}
      CorsConfiguration: {CorsRules: [{AllowedMethods: [GET], AllowedOrigins: ["*"], ExposedHeaders: [ETag], MaxAge: 60}]}
      LifecycleConfiguration:
        Rules:
          - {Id: r, Status: Enabled, Prefix: raw/, ExpirationInDays: 30, Transitions: [{StorageClass: GLACIER, TransitionInDays: 7}]}
          - {Id: s, Status: Enabled, TagFilters: [{Key: a, Value: b}], NoncurrentVersionExpirationInDays: 3}
      AccelerateConfiguration: {AccelerationStatus: Enabled}
  Open:
    Type: AWS::S3::BucketPolicy
    Properties:
      Bucket: !Ref Media
      PolicyDocument:
        Version: 2012-10-17
        Statement: [{Effect: Allow, Principal: "*", Action: s3:GetObject, Resource: !Sub "${Media.Arn}/*"}]
  Worker:
    Type: AWS::Lambda::Function
`

func TestTemplate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "shop.yaml")
	write(t, path, shop)
	data := filepath.Join(t.TempDir(), "data")
	r := start(t, "--data="+data, "--template="+path, "--parameter=Stage=test")
	tables, objects := clients(r.url)
	ctx := t.Context()
	d, err := tables.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: aws.String("test-orders")})
	if err != nil {
		t.Fatal(err)
	}
	if o := d.Table; len(o.GlobalSecondaryIndexes) != 1 || o.StreamSpecification == nil || o.StreamSpecification.StreamViewType != types.StreamViewTypeNewImage || o.SSEDescription == nil {
		t.Errorf("the table: %+v", o)
	}
	if ttl, err := tables.DescribeTimeToLive(ctx, &dynamodb.DescribeTimeToLiveInput{TableName: aws.String("test-orders")}); err != nil || aws.ToString(ttl.TimeToLiveDescription.AttributeName) != "expires" {
		t.Errorf("expiry: %+v, %v", ttl, err)
	}
	if b, err := tables.DescribeContinuousBackups(ctx, &dynamodb.DescribeContinuousBackupsInput{TableName: aws.String("test-orders")}); err != nil || b.ContinuousBackupsDescription.PointInTimeRecoveryDescription.PointInTimeRecoveryStatus != types.PointInTimeRecoveryStatusEnabled {
		t.Errorf("recovery: %+v, %v", b, err)
	}
	if tags, err := tables.ListTagsOfResource(ctx, &dynamodb.ListTagsOfResourceInput{ResourceArn: d.Table.TableArn}); err != nil || len(tags.Tags) != 1 || *tags.Tags[0].Value != "5" {
		t.Errorf("tags: %+v, %v", tags, err)
	}
	old, err := tables.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: aws.String("shop-Old")})
	if err != nil || *old.Table.ProvisionedThroughput.ReadCapacityUnits != 3 {
		t.Errorf("a table without a name: %+v, %v", old, err)
	}
	if simple, err := tables.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: aws.String("shop-Simple")}); err != nil || simple.Table.AttributeDefinitions[0].AttributeType != "N" {
		t.Errorf("a simple table: %+v, %v", simple, err)
	}
	bucket := aws.String("media")
	if v, err := objects.GetBucketVersioning(ctx, &s3.GetBucketVersioningInput{Bucket: bucket}); err != nil || v.Status != "Enabled" {
		t.Errorf("versioning: %v, %v", v, err)
	}
	if l, err := objects.GetBucketLifecycleConfiguration(ctx, &s3.GetBucketLifecycleConfigurationInput{Bucket: bucket}); err != nil || len(l.Rules) != 2 || *l.Rules[0].Expiration.Days != 30 || *l.Rules[0].Transitions[0].Days != 7 || *l.Rules[1].Filter.Tag.Key != "a" {
		t.Errorf("lifecycle: %+v, %v", l, err)
	}
	if c, err := objects.GetBucketCors(ctx, &s3.GetBucketCorsInput{Bucket: bucket}); err != nil || *c.CORSRules[0].MaxAgeSeconds != 60 || c.CORSRules[0].ExposeHeaders[0] != "ETag" {
		t.Errorf("CORS: %+v, %v", c, err)
	}
	if p, err := objects.GetBucketPolicy(ctx, &s3.GetBucketPolicyInput{Bucket: bucket}); err != nil || !strings.Contains(*p.Policy, "arn:aws:s3:::media/*") {
		t.Errorf("policy: %v, %v", p, err)
	}
	for _, left := range []string{"AccelerateConfiguration", "AWS::Lambda::Function"} {
		if !strings.Contains(r.stderr.String(), left) {
			t.Errorf("it does not say that %s is left out:\n%s", left, r.stderr.String())
		}
	}
	putItem(t, tables, "test-orders", "1")
	r.end()

	// Again on the same directory: everything is as it was left.
	r = start(t, "--data="+data, "--template="+path, "--parameter=Stage=test")
	tables, _ = clients(r.url)
	if n := count(t, tables, "test-orders"); n != 1 {
		t.Errorf("%d items the second time", n)
	}
}

func TestTemplateRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "bad.yaml", "Resources: {T: {Type: 'AWS::DynamoDB::Table', Properties: {BillingMode: PAY_PER_REQUEST, KeySchema: [{AttributeName: pk, KeyType: HASH}], AttributeDefinitions: []}}}")
	write(t, "odd.yaml", "Resources: {T: {Type: 'AWS::DynamoDB::Table', Properties: {KeySchema: [{AttributeNam: pk}]}}}")
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"--template=none.yaml"}, "cannot read the template: open none.yaml"},
		{[]string{"--template=bad.yaml"}, "template bad.yaml, resource T: ValidationException: "},
		{[]string{"--template=odd.yaml"}, `unknown field "AttributeNam"`},
		{[]string{"--template=bad.yaml", "--parameter=x"}, "--parameter is NAME=VALUE"},
		{[]string{"--template=bad.yaml", "--parameter=x=y"}, "there is no parameter x"},
		{[]string{"--seed=none"}, "seed none: "},
	} {
		if _, stderr, code := finishLive(t, append(tt.args, "--memory", "--aws-addr=127.0.0.1:0")...); code != 2 || !strings.Contains(stderr, tt.want) {
			t.Errorf("%v: exit status %d, %s", tt.args, code, stderr)
		}
	}
}

// seeds writes a directory of seeds for three tables.
func seeds(t *testing.T) (template, dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "seeds")
	if err := os.MkdirAll(filepath.Join(dir, "media", "deep"), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "media", "deep", "a b.txt"), "object")
	var lines strings.Builder
	for i := range 60 {
		lines.WriteString(`{"Item": {"pk": {"S": "` + strings.Repeat("x", i+1) + `"}, "n": {"N": "1"}}}` + "\n")
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = io.WriteString(z, lines.String())
	_ = z.Close()
	write(t, filepath.Join(dir, "tab-a.json.gz"), packed.String())
	write(t, filepath.Join(dir, "tab-b.json"), `{"Items": [{"pk": {"S": "1"}}, {"pk": {"S": "2"}}], "Count": 2, "ScannedCount": 2}`)
	write(t, filepath.Join(dir, "requests.json"), `{"tab-c": [{"PutRequest": {"Item": {"pk": {"S": "1"}}}}]}`)
	write(t, filepath.Join(dir, ".hidden"), "not ours")
	var resources strings.Builder
	for _, name := range []string{"tab-a", "tab-b", "tab-c"} {
		resources.WriteString("  " + name[4:] + ": {Type: 'AWS::DynamoDB::Table', Properties: {TableName: " + name + ", BillingMode: PAY_PER_REQUEST, KeySchema: [{AttributeName: pk, KeyType: HASH}], AttributeDefinitions: [{AttributeName: pk, AttributeType: S}]}}\n")
	}
	template = filepath.Join(t.TempDir(), "t.yaml")
	write(t, template, "Resources:\n"+resources.String())
	return template, dir
}

func TestSeeds(t *testing.T) {
	template, dir := seeds(t)
	data := filepath.Join(t.TempDir(), "data")
	r := start(t, "--data="+data, "--template="+template, "--seed="+dir)
	tables, objects := clients(r.url)
	for table, want := range map[string]int{"tab-a": 60, "tab-b": 2, "tab-c": 1} {
		if n := count(t, tables, table); n != want {
			t.Errorf("table %s has %d items, want %d", table, n, want)
		}
	}
	if got := object(t, objects, "media", "deep/a b.txt"); got != "object" {
		t.Errorf("the object holds %q", got)
	}
	// What was changed since stays.
	if _, err := tables.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: aws.String("tab-b"), Key: map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: "2"}}}); err != nil {
		t.Fatal(err)
	}
	putObject(t, objects, "media", "deep/a b.txt", "changed")
	r.end()
	r = start(t, "--data="+data, "--template="+template, "--seed="+dir)
	tables, objects = clients(r.url)
	if n := count(t, tables, "tab-b"); n != 1 {
		t.Errorf("table b has %d items after a change", n)
	}
	if got := object(t, objects, "media", "deep/a b.txt"); got != "changed" {
		t.Errorf("the object holds %q after a change", got)
	}
}

func TestSeedsRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	template, _ := seeds(t)
	for text, want := range map[string]string{
		`{"Item": {"pk": {"S": "1"}}}`:                              "there is no table x; --template makes tables",
		`{"tab-a": [{"DeleteRequest": {}}]}`:                        "is not a PutRequest",
		`{"tab-a": 1}`:                                              "is not a list of requests",
		`{"tab-a": [{"PutRequest": {"Item": {"pk": {"Q": "1"}}}}]}`: "an item of tab-a: ",
		`{"tab-a": [{"PutRequest": {"Item": {"pk": {"N": "1"}}}}]}`: "ValidationException",
		`{`: "unexpected EOF",
	} {
		write(t, "x.json", text)
		if _, stderr, code := finishLive(t, "--memory", "--aws-addr=127.0.0.1:0", "--template="+template, "--seed=x.json"); code != 2 || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit status %d, %s", text, code, stderr)
		}
	}
}

// post sends a request without a body, signed if there is a secret.
func post(t *testing.T, url, secret string, header ...string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	if secret != "" {
		const empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
		r.Header.Set("X-Amz-Content-Sha256", empty)
		if err := v4.NewSigner().SignHTTP(t.Context(), aws.Credentials{AccessKeyID: "desk", SecretAccessKey: secret}, r, empty, "s3", "us-east-1", time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, string(body)
}

// TestReset: a test begins with what the first one began with.
func TestReset(t *testing.T) {
	template, dir := seeds(t)
	r := start(t, "--memory", "--template="+template, "--seed="+dir)
	tables, objects := clients(r.url)
	reset := func(path string) {
		t.Helper()
		if status, body := post(t, r.url+path, ""); status != 200 || !json.Valid([]byte(body)) {
			t.Fatalf("%s answers %d %s", path, status, body)
		}
	}
	for _, path := range []string{"/_pressroom/reset", "/_localstack/state/reset"} {
		putItem(t, tables, "tab-b", "3")
		makeTable(t, tables, "new")
		putObject(t, objects, "media", "deep/a b.txt", "changed")
		putObject(t, objects, "media", "large", strings.Repeat("x", 200_000))
		reset(path)
		if n, m := count(t, tables, "tab-b"), count(t, tables, "new"); n != 2 || m != -1 {
			t.Errorf("%s: table b has %d items, the new table %d", path, n, m)
		}
		if a, b := object(t, objects, "media", "deep/a b.txt"), object(t, objects, "media", "large"); a != "object" || b != "" {
			t.Errorf("%s: the objects hold %q and %d bytes", path, a, len(b))
		}
	}
	putItem(t, tables, "tab-b", "3")
	large := strings.Repeat("y", 200_000)
	putObject(t, objects, "media", "large", large)
	reset("/_pressroom/snapshot")
	putItem(t, tables, "tab-b", "4")
	putObject(t, objects, "media", "large", "small")
	for range 2 {
		reset("/_pressroom/reset")
		if n := count(t, tables, "tab-b"); n != 3 {
			t.Errorf("table b has %d items after a snapshot", n)
		}
		if object(t, objects, "media", "large") != large {
			t.Error("the large object is another after a snapshot")
		}
	}
}

func TestResetOfNothing(t *testing.T) {
	r := start(t, "--memory")
	tables, _ := clients(r.url)
	makeTable(t, tables, "tab-a")
	if status, body := post(t, r.url+"/_pressroom/reset", ""); status != 200 {
		t.Fatalf("%d %s", status, body)
	}
	if n := count(t, tables, "tab-a"); n != -1 {
		t.Errorf("the table has %d items", n)
	}
}

// TestResetIsGuarded: neither a page nor a stranger can take anything back, and what is
// on disk stays.
func TestResetIsGuarded(t *testing.T) {
	open := start(t, "--memory")
	tables, _ := clients(open.url)
	makeTable(t, tables, "tab-a")
	for _, path := range []string{"/_pressroom/reset", "/_pressroom/snapshot", "/_localstack/state/reset"} {
		for _, header := range [][]string{{"Origin", "https://example.org"}, {"Origin", "null"}, {"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "none"}} {
			if status, body := post(t, open.url+path, "", header...); status != http.StatusForbidden {
				t.Errorf("%s with %v answers %d %s", path, header, status, body)
			}
		}
	}
	if n := count(t, tables, "tab-a"); n != 0 {
		t.Errorf("a page has taken the table: %d", n)
	}
	signed := start(t, "--memory", "--aws-access-key-id=desk", "--aws-secret-access-key=horse")
	for secret, want := range map[string]int{"": 403, "wrong": 403, "horse": 200} {
		if status, body := post(t, signed.url+"/_pressroom/reset", secret); status != want {
			t.Errorf("with secret %q it answers %d %s", secret, status, body)
		}
	}
	disk := start(t, "--data="+filepath.Join(t.TempDir(), "data"))
	tables, _ = clients(disk.url)
	makeTable(t, tables, "tab-a")
	if status, body := post(t, disk.url+"/_pressroom/reset", ""); status != http.StatusConflict || !strings.Contains(body, "--memory") {
		t.Errorf("a directory answers %d %s", status, body)
	}
	if n := count(t, tables, "tab-a"); n != 0 {
		t.Errorf("the directory lost its table: %d", n)
	}
}

// TestReady: what set-ups for LocalStack wait for.
func TestReady(t *testing.T) {
	r := start(t, "--memory")
	if !strings.HasSuffix(r.stdout.String(), "\nReady.\n") {
		t.Errorf("it says %q", r.stdout.String())
	}
	for path, want := range map[string]string{
		"/_localstack/health": `"dynamodb":"running"`, "/_localstack/init": `"READY":true`, "/_localstack/init/ready": `"completed":true`,
	} {
		resp, err := http.Get(r.url + path)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if resp.StatusCode != 200 || !strings.Contains(string(body), want) {
			t.Errorf("%s answers %d %s", path, resp.StatusCode, body)
		}
	}
}
