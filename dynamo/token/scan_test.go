package token

import (
	"bytes"
	"testing"
)

// TestPlainLen puts every byte at every place of texts of every small length.
func TestPlainLen(t *testing.T) {
	for length := range 20 {
		for at := range length {
			for c := range 256 {
				b := bytes.Repeat([]byte("é"), length)[:length]
				if c%2 == 0 {
					b = bytes.Repeat([]byte("a"), length)
				}
				b[at] = byte(c)
				want := length
				if c < 0x20 || c == '"' || c == '\\' {
					want = at
				}
				n, wide := plainLen(b)
				if n != want {
					t.Fatalf("%q: %d, want %d", b, n, want)
				}
				if ascii := bytes.IndexFunc(b[:n], func(r rune) bool { return r >= 0x80 }) < 0; !ascii && !wide {
					t.Fatalf("%q: taken for ASCII", b)
				}
			}
		}
	}
}
