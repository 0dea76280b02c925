package blob_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"pressroom/blob"
)

func benchStore(b *testing.B) *s3.Client {
	b.Helper()
	s, err := blob.Open(b.TempDir(), nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	client := blob.Client(s)
	if _, err := client.CreateBucket(context.Background(), &s3.CreateBucketInput{Bucket: aws.String("bench")}); err != nil {
		b.Fatal(err)
	}
	return client
}

// clients runs f in n goroutines until b.N operations are done.
func clients(b *testing.B, n int, f func(i int64) error) {
	b.SetParallelism(max(1, n/2)) // times GOMAXPROCS
	var i atomic.Int64
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if err := f(i.Add(1)); err != nil {
				b.Error(err)
				return
			}
		}
	})
}

// BenchmarkPut measures durable puts of 20 KB; -cpu 2 gives the named number
// of clients.
func BenchmarkPut(b *testing.B) {
	body := bytes.Repeat([]byte("0123456789abcdef"), 20_000/16)
	for _, n := range []int{1, 64} {
		b.Run(fmt.Sprintf("clients=%d", n), func(b *testing.B) {
			client := benchStore(b)
			b.SetBytes(int64(len(body)))
			put := func(i int64) error {
				_, err := client.PutObject(context.Background(), &s3.PutObjectInput{
					Bucket: aws.String("bench"), Key: aws.String(fmt.Sprint(i)), Body: bytes.NewReader(body),
				})
				return err
			}
			if n == 1 {
				for i := range b.N {
					if err := put(int64(i)); err != nil {
						b.Fatal(err)
					}
				}
				return
			}
			clients(b, n, put)
		})
	}
}

func BenchmarkGet(b *testing.B) {
	client := benchStore(b)
	body := bytes.Repeat([]byte("0123456789abcdef"), 20_000/16)
	for i := range 100 {
		if _, err := client.PutObject(context.Background(), &s3.PutObjectInput{
			Bucket: aws.String("bench"), Key: aws.String(fmt.Sprint(i)), Body: bytes.NewReader(body),
		}); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(int64(len(body)))
	clients(b, 16, func(i int64) error {
		out, err := client.GetObject(context.Background(), &s3.GetObjectInput{Bucket: aws.String("bench"), Key: aws.String(fmt.Sprint(i % 100))})
		if err != nil {
			return err
		}
		defer out.Body.Close()
		_, err = io.Copy(io.Discard, out.Body)
		return err
	})
}

// BenchmarkList lists 10,000 keys in ten pages.
func BenchmarkList(b *testing.B) {
	client := benchStore(b)
	var next atomic.Int64
	done := make(chan error)
	for range 64 {
		go func() {
			for {
				i := next.Add(1)
				if i > 10_000 {
					done <- nil
					return
				}
				if _, err := client.PutObject(context.Background(), &s3.PutObjectInput{Bucket: aws.String("bench"), Key: aws.String(fmt.Sprintf("%06d", i))}); err != nil {
					done <- err
					return
				}
			}
		}()
	}
	for range 64 {
		if err := <-done; err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		pages := s3.NewListObjectsV2Paginator(client, &s3.ListObjectsV2Input{Bucket: aws.String("bench")})
		n := 0
		for pages.HasMorePages() {
			page, err := pages.NextPage(context.Background())
			if err != nil {
				b.Fatal(err)
			}
			n += len(page.Contents)
		}
		if n != 10_000 {
			b.Fatalf("%d keys", n)
		}
	}
}
