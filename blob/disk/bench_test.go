package disk

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"sync/atomic"
	"testing"
)

// BenchmarkPut measures durable puts of 20 KB in the engine alone, without
// SDK and HTTP: what many writers gain by sharing syncs.
func BenchmarkPut(b *testing.B) {
	body := bytes.Repeat([]byte("0123456789abcdef"), 20_000/16)
	for _, clients := range []int{1, 64} {
		b.Run(fmt.Sprintf("clients=%d", clients), func(b *testing.B) {
			s, err := Open(b.TempDir(), Options{})
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			if _, err := s.CreateBucket(Bucket{Name: "bucket"}); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(body)))
			var left atomic.Int64
			left.Store(int64(b.N))
			done := make(chan error, clients)
			for range clients {
				go func() {
					for i := left.Add(-1); i >= 0; i = left.Add(-1) {
						if err := putBody(s, fmt.Sprint(i), body); err != nil {
							done <- err
							return
						}
					}
					done <- nil
				}()
			}
			for range clients {
				if err := <-done; err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func putBody(s *Store, key string, body []byte) error {
	ctx := context.Background()
	st, err := s.Stage(ctx, bytes.NewReader(body), StageOptions{Size: int64(len(body))})
	if err != nil {
		return err
	}
	_, err = s.PutObject(ctx, "bucket", &Object{Key: key, ETag: hex.EncodeToString(st.MD5[:])}, st, nil)
	return err
}

// BenchmarkGet measures reads of 1 MiB from the page cache, checksums included.
func BenchmarkGet(b *testing.B) {
	s, err := Open(b.TempDir(), Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	if _, err := s.CreateBucket(Bucket{Name: "bucket"}); err != nil {
		b.Fatal(err)
	}
	body := bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
	if err := putBody(s, "k", body); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		h, err := s.Open("bucket", "k", "")
		if err != nil {
			b.Fatal(err)
		}
		if err := h.WriteRange(io.Discard, 0, h.Size); err != nil {
			b.Fatal(err)
		}
		h.Close()
	}
}
