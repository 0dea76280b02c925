package blob_test

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/cockroachdb/pebble/v2/vfs"

	"pressroom/blob"
)

// The embedded store and Amazon's are one code path: the SDK's own client.
func Example() {
	ctx := context.Background()
	store, err := blob.Open("blobs", &blob.Options{FS: vfs.NewMem()}) // nil keeps it on disk
	if err != nil {
		panic(err)
	}
	defer store.Close()
	client := blob.Client(store)

	client.CreateBucket(ctx, &s3.CreateBucketInput{Bucket: aws.String("prompts")})
	client.PutObject(ctx, &s3.PutObjectInput{
		Bucket: aws.String("prompts"), Key: aws.String("a/b"), Body: strings.NewReader("hello"),
	})
	out, err := client.GetObject(ctx, &s3.GetObjectInput{Bucket: aws.String("prompts"), Key: aws.String("a/b")})
	if err != nil {
		panic(err)
	}
	defer out.Body.Close()
	b, _ := io.ReadAll(out.Body)
	fmt.Println(string(b), aws.ToString(out.ETag))
	// Output: hello "5d41402abc4b2a76b9719d911017c592"
}
