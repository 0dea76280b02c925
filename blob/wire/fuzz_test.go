package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"pressroom/blob/fault"
)

// FuzzChunks feeds the aws-chunked decoder anything. It ends with io.EOF or
// with one of S3's errors, and the same whatever pieces the body comes in.
func FuzzChunks(f *testing.F) {
	for _, seed := range []string{
		"5\r\nhello\r\n0\r\n\r\n",
		"5\r\nhello\r\n0\r\nx-amz-checksum-crc32:NhCmhg==\r\n\r\n",
		"0\r\n\r\n", "", "5\r\nhel", "fffffffffffffffff\r\n", "-1\r\n\r\n", "5;chunk-signature=x\r\nhello\r\n0\r\n\r\n",
		strings.Repeat("1\r\na\r\n", 3) + "0\r\n\r\n",
	} {
		f.Add([]byte(seed), true)
		f.Add([]byte(seed), false)
	}
	f.Fuzz(func(t *testing.T, body []byte, trailing bool) {
		announced := ""
		if trailing {
			announced = "x-amz-checksum-crc32"
		}
		read := func(r io.Reader) (string, string) {
			c := newChunkReader(r, nil, false, true, announced)
			b, err := io.ReadAll(c)
			var e *fault.Error
			if err != nil && !errors.As(err, &e) {
				t.Fatalf("an error of no code: %v", err)
			}
			return string(b), fmt.Sprint(err)
		}
		b1, e1 := read(bytes.NewReader(body))
		b2, e2 := read(iotest.OneByteReader(bytes.NewReader(body)))
		if e1 != e2 || e1 == "<nil>" && b1 != b2 {
			t.Errorf("%q, %s in one piece; %q, %s byte by byte", b1, e1, b2, e2)
		}
		if len(b1) > len(body) {
			t.Errorf("%d bytes of %d", len(b1), len(body))
		}
	})
}

func FuzzRange(f *testing.F) {
	for _, seed := range []string{"bytes=0-0", "bytes=-5", "bytes=5-", "bytes=18446744073709551615-", "bytes=5-2", "bytes= 1-2"} {
		f.Add(seed, int64(10))
		f.Add(seed, int64(0))
	}
	f.Fuzz(func(t *testing.T, header string, size int64) {
		if size < 0 {
			return
		}
		off, n, ok, err := parseRange(header, size)
		if ok && (off < 0 || n < 1 || off+n > size || err != nil) {
			t.Errorf("%q of %d: %d, %d, %v", header, size, off, n, err)
		}
		if off, n, err := copyRange(header, size); err == nil && (off < 0 || n < 0 || off+n > size) {
			t.Errorf("copy %q of %d: %d, %d", header, size, off, n)
		}
	})
}

// FuzzXMLText checks that what is written as text is read as the same text,
// where XML can hold it at all.
func FuzzXMLText(f *testing.F) {
	for _, seed := range []string{"a&b<c>\"d'", "\x00\x1f", "日本", "\ufffe", "]]>", "\xff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		out := newDoc("R").text("K", s).bytes()
		if bytes.Count(out, []byte("<K>")) != 1 || bytes.Count(out, []byte("</K>")) != 1 {
			t.Errorf("%q breaks out of its element: %s", s, out)
		}
	})
}

func FuzzPostPolicy(f *testing.F) {
	f.Add([]byte(`{"expiration":"2030-01-01T00:00:00Z","conditions":[{"bucket":"b"},["eq","$key","k"],["content-length-range",1,2]]}`))
	f.Add([]byte(`{"conditions":true}`))
	f.Fuzz(func(t *testing.T, doc []byte) {
		p, err := parsePostPolicy(encodeBase64(doc))
		var e *fault.Error
		if err != nil && !errors.As(err, &e) {
			t.Fatalf("an error of no code: %v", err)
		}
		if err == nil && p.check(map[string]string{"key": "k", "evil": "x", "bucket": "b"}, []string{"key", "evil"}, p.expires.Add(-1)) == nil {
			// Only a policy that names the field may let it through.
			if !bytes.Contains(bytes.ToLower(doc), []byte("evil")) && !bytes.Contains(doc, []byte(`\`)) {
				t.Errorf("%s lets a field through that it does not name", doc)
			}
		}
	})
}
