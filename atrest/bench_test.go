package atrest

import (
	"fmt"
	"io"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// Run with: go test -bench . ./atrest

func benchBoth(b *testing.B, f func(b *testing.B, fs vfs.FS)) {
	b.Run("plain", func(b *testing.B) { f(b, vfs.NewMem()) })
	b.Run("encrypted", func(b *testing.B) { f(b, mustOpen(b, vfs.NewMem(), "", testKeys(b, 1))) })
}

// BenchmarkWrite overwrites one file, so that growing it in memory does not
// hide what encryption costs.
func BenchmarkWrite(b *testing.B) {
	for _, size := range []int{1 << 10, 32 << 10, 1 << 20} {
		b.Run(fmt.Sprintf("%dK", size>>10), func(b *testing.B) {
			benchBoth(b, func(b *testing.B, fs vfs.FS) {
				const file = 16 << 20
				buf := make([]byte, size)
				writeFile(b, fs, "a", string(make([]byte, file)))
				b.SetBytes(int64(size))
				b.ReportAllocs()
				var f vfs.File
				for i := 0; b.Loop(); i++ {
					if i%(file/size) == 0 {
						if f != nil {
							f.Close()
						}
						var err error
						if f, err = fs.OpenReadWrite("a", ""); err != nil {
							b.Fatal(err)
						}
					}
					if _, err := f.Write(buf); err != nil {
						b.Fatal(err)
					}
				}
			})
		})
	}
}

func BenchmarkReadAt(b *testing.B) {
	for _, size := range []int{1 << 10, 4 << 10, 32 << 10, 1 << 20} {
		b.Run(fmt.Sprintf("%dK", size>>10), func(b *testing.B) {
			benchBoth(b, func(b *testing.B, fs vfs.FS) {
				writeFile(b, fs, "a", string(make([]byte, 16<<20)))
				f, err := fs.Open("a")
				if err != nil {
					b.Fatal(err)
				}
				defer f.Close()
				buf := make([]byte, size)
				b.SetBytes(int64(size))
				b.ReportAllocs()
				off := int64(5)
				for b.Loop() {
					if _, err := f.ReadAt(buf, off); err != nil {
						b.Fatal(err)
					}
					if off += int64(size) * 3; off > 8<<20 {
						off = 5
					}
				}
			})
		})
	}
}

// BenchmarkStream reads a whole file in order, as an object is sent.
func BenchmarkStream(b *testing.B) {
	benchBoth(b, func(b *testing.B, fs vfs.FS) {
		const file = 16 << 20
		writeFile(b, fs, "a", string(make([]byte, file)))
		b.SetBytes(file)
		buf := make([]byte, 256<<10)
		for b.Loop() {
			f, err := fs.Open("a")
			if err != nil {
				b.Fatal(err)
			}
			if _, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, f, buf); err != nil {
				b.Fatal(err)
			}
			f.Close()
		}
	})
}

// BenchmarkCreate is what a small object costs.
func BenchmarkCreate(b *testing.B) {
	benchBoth(b, func(b *testing.B, fs vfs.FS) {
		text := make([]byte, 100)
		b.ReportAllocs()
		for b.Loop() {
			f, err := fs.Create("a", "")
			if err != nil {
				b.Fatal(err)
			}
			if _, err := f.Write(text); err != nil {
				b.Fatal(err)
			}
			f.Close()
		}
	})
}

func BenchmarkPebbleSet(b *testing.B) {
	benchBoth(b, func(b *testing.B, fs vfs.FS) {
		db, err := pebble.Open("db", &pebble.Options{FS: fs, Logger: quiet{}})
		if err != nil {
			b.Fatal(err)
		}
		defer db.Close()
		value := make([]byte, 1024)
		b.SetBytes(int64(len(value)))
		for i := 0; b.Loop(); i++ {
			if err := db.Set(fmt.Appendf(nil, "%012d", i*7919%1_000_000), value, pebble.Sync); err != nil {
				b.Fatal(err)
			}
		}
	})
}
