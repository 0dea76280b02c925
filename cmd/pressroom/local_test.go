//go:build unix

package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// clients returns the SDK's clients as any program has them, with nothing set
// but endpoint, region and keys.
func clients(t *testing.T, endpoint, key, secret string) (*dynamodb.Client, *s3.Client) {
	t.Helper()
	cfg, err := config.LoadDefaultConfig(t.Context(),
		config.WithBaseEndpoint(endpoint), config.WithRegion("us-east-1"),
		config.WithCredentialsProvider(credentials.NewStaticCredentialsProvider(key, secret, "")))
	if err != nil {
		t.Fatal(err)
	}
	return dynamodb.NewFromConfig(cfg), s3.NewFromConfig(cfg, func(o *s3.Options) { o.UsePathStyle = true })
}

func startLocal(t *testing.T, dir string, args ...string) *process {
	t.Helper()
	return start(t, command(t, append([]string{"local", "--aws-addr=127.0.0.1:0", "--data=" + dir}, args...)...))
}

// TestLocal writes a table and an object through the SDK, kills the process,
// and reads them from the next.
func TestLocal(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	p := startLocal(t, dir)
	if code, body := status(t, p.url+"/_localstack/health"); code != 200 || !strings.Contains(body, `"s3":"running"`) {
		t.Errorf("health answers %d %s", code, body)
	}
	tables, objects := clients(t, p.url, "any", "thing")
	ctx := t.Context()
	if _, err := tables.CreateTable(ctx, &dynamodb.CreateTableInput{
		TableName: aws.String("posts"), BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("pk"), AttributeType: types.ScalarAttributeTypeS}},
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("pk"), KeyType: types.KeyTypeHash}},
	}); err != nil {
		t.Fatal(err)
	}
	item := map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: "POST#1"}, "title": &types.AttributeValueMemberS{Value: "見出し"}}
	if _, err := tables.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String("posts"), Item: item}); err != nil {
		t.Fatal(err)
	}
	if _, err := objects.CreateBucket(ctx, &s3.CreateBucketInput{Bucket: aws.String("media")}); err != nil {
		t.Fatal(err)
	}
	if _, err := objects.PutObject(ctx, &s3.PutObjectInput{Bucket: aws.String("media"), Key: aws.String("a//b"), Body: strings.NewReader("本文")}); err != nil {
		t.Fatal(err)
	}
	p.signal(t, os.Kill)
	_ = p.wait(t)

	p = startLocal(t, dir)
	tables, objects = clients(t, p.url, "any", "thing")
	got, err := tables.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String("posts"), Key: map[string]types.AttributeValue{"pk": item["pk"]}})
	if err != nil {
		t.Fatal(err)
	}
	if title, ok := got.Item["title"].(*types.AttributeValueMemberS); !ok || title.Value != "見出し" {
		t.Errorf("item after the kill: %v", got.Item)
	}
	object, err := objects.GetObject(ctx, &s3.GetObjectInput{Bucket: aws.String("media"), Key: aws.String("a//b")})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = object.Body.Close() }()
	if body, err := io.ReadAll(object.Body); err != nil || string(body) != "本文" {
		t.Errorf("object after the kill: %q %v", body, err)
	}
}

// TestLocalCredentials serves only those who sign with the configured keys.
func TestLocalCredentials(t *testing.T) {
	cmd := command(t, "local", "--aws-addr=127.0.0.1:0")
	cmd.Env = append(cmd.Env, "PRESSROOM_AWS_ACCESS_KEY_ID=desk", "PRESSROOM_AWS_SECRET_ACCESS_KEY=correct horse")
	p := start(t, cmd)
	for secret, want := range map[string]bool{"correct horse": true, "wrong": false} {
		tables, objects := clients(t, p.url, "desk", secret)
		if _, err := tables.ListTables(t.Context(), &dynamodb.ListTablesInput{}); (err == nil) != want {
			t.Errorf("ListTables with secret %q: %v", secret, err)
		}
		if _, err := objects.ListBuckets(t.Context(), &s3.ListBucketsInput{}); (err == nil) != want {
			t.Errorf("ListBuckets with secret %q: %v", secret, err)
		}
	}
}

func TestLocalStaysAtHome(t *testing.T) {
	stdout, stderr, code := finish(t, command(t, "local", "--aws-addr=0.0.0.0:0"))
	if code != 2 || stdout != "" || !strings.Contains(stderr, "without credentials") {
		t.Errorf("exit status %d, stdout %q, stderr %q", code, stdout, stderr)
	}
	stdout, stderr, code = finish(t, command(t, "local", "--aws-addr=127.0.0.1:0", "--aws-access-key-id=half"))
	if code != 2 || stdout != "" || !strings.Contains(stderr, "secret") {
		t.Errorf("exit status %d, stdout %q, stderr %q", code, stdout, stderr)
	}
}

// TestLocalEncrypted shows that the key file is used, needed and checked.
func TestLocalEncrypted(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	keyFile := filepath.Join(t.TempDir(), "keys")
	if err := os.WriteFile(keyFile, []byte("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := startLocal(t, dir, "--key-file="+keyFile)
	_, objects := clients(t, p.url, "any", "thing")
	if _, err := objects.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: aws.String("needle-in-a-bucket")}); err != nil {
		t.Fatal(err)
	}
	p.signal(t, os.Interrupt)
	_ = p.wait(t)
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		if strings.Contains(string(raw), "needle-in-a-bucket") {
			t.Errorf("%s is readable", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, stderr, code := finish(t, command(t, "local", "--aws-addr=127.0.0.1:0", "--data="+dir)); code != 1 || !strings.Contains(stderr, "key") {
		t.Errorf("without its key: exit status %d, %s", code, stderr)
	}
}
