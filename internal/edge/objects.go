package edge

import (
	"bytes"
	"context"
	"errors"
	"io"
	"iter"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"

	"pressroom/dynamo"
	"pressroom/dynamo/engine"
)

// Objects is the S3 beside the tables, for their exports and imports.
func Objects(client *s3.Client) dynamo.Objects { return objects{client} }

type objects struct{ client *s3.Client }

func (o objects) Put(ctx context.Context, bucket, key string, body []byte) (string, error) {
	out, err := o.client.PutObject(ctx, &s3.PutObjectInput{Bucket: &bucket, Key: &key, Body: bytes.NewReader(body)})
	if err != nil {
		return "", refused(err)
	}
	return aws.ToString(out.ETag), nil
}

func (o objects) Get(ctx context.Context, bucket, key string) (io.ReadCloser, error) {
	out, err := o.client.GetObject(ctx, &s3.GetObjectInput{Bucket: &bucket, Key: &key})
	if err != nil {
		return nil, refused(err)
	}
	return out.Body, nil
}

func (o objects) List(ctx context.Context, bucket, prefix string) iter.Seq2[engine.Object, error] {
	return func(yield func(engine.Object, error) bool) {
		pages := s3.NewListObjectsV2Paginator(o.client, &s3.ListObjectsV2Input{Bucket: &bucket, Prefix: &prefix})
		for pages.HasMorePages() {
			page, err := pages.NextPage(ctx)
			if err != nil {
				yield(engine.Object{}, refused(err))
				return
			}
			for _, c := range page.Contents {
				if !yield(engine.Object{Key: aws.ToString(c.Key), Size: aws.ToInt64(c.Size)}, nil) {
					return
				}
			}
		}
	}
}

// refused tells what will be the same the next time from what may not.
func refused(err error) error {
	var e smithy.APIError
	if !errors.As(err, &e) {
		return err
	}
	switch e.ErrorCode() {
	case "NoSuchBucket", "NoSuchKey", "AccessDenied", "InvalidBucketName", "KeyTooLongError", "InvalidObjectState", "InsufficientStorage":
		return &engine.RefusedError{Code: "S3" + e.ErrorCode(), Message: e.ErrorMessage()}
	}
	return err
}
