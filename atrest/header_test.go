package atrest

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"testing"

	"pgregory.net/rapid"
)

func TestHeaderRoundTrip(t *testing.T) {
	ks := testKeys(t, 1, 2)
	h, c := newHeader(ks.list[1])
	got, err := ks.parseHeader(h)
	if err != nil {
		t.Fatal(err)
	}
	text := []byte("the quick brown fox jumps over the lazy dog")
	sealed := bytes.Clone(text)
	c.stream(5).XORKeyStream(sealed, sealed)
	if bytes.Equal(sealed, text) {
		t.Fatal("nothing was encrypted")
	}
	got.stream(5).XORKeyStream(sealed, sealed)
	if !bytes.Equal(sealed, text) {
		t.Errorf("decrypted %q", sealed)
	}
}

func TestHeadersDiffer(t *testing.T) {
	ks := testKeys(t, 1)
	a, ca := newHeader(ks.list[0])
	b, cb := newHeader(ks.list[0])
	if bytes.Equal(a[offSalt:offMAC], b[offSalt:offMAC]) {
		t.Error("two files have one salt")
	}
	var sa, sb [32]byte
	ca.stream(0).XORKeyStream(sa[:], sa[:])
	cb.stream(0).XORKeyStream(sb[:], sb[:])
	if sa == sb {
		t.Error("two files have one key stream")
	}
}

func TestDamagedHeader(t *testing.T) {
	ks := testKeys(t, 1)
	h, _ := newHeader(ks.list[0])
	for bit := range headerSize * 8 {
		bad := bytes.Clone(h)
		bad[bit/8] ^= 1 << (bit % 8)
		if c, err := ks.parseHeader(bad); !errors.Is(err, ErrDamaged) || c != nil {
			t.Errorf("bit %d flipped: content %v, error %v", bit, c, err)
		}
	}
}

// A header that a program without the key made up has a good checksum.
func TestForgedHeader(t *testing.T) {
	ks := testKeys(t, 1)
	h, _ := newHeader(ks.list[0])
	h[offSalt] ^= 1
	binary.LittleEndian.PutUint32(h[offCRC:], headerCRC(h))
	if _, err := ks.parseHeader(h); !errors.Is(err, ErrDamaged) {
		t.Errorf("error = %v, want ErrDamaged", err)
	}
}

func TestHeaderOfAnotherKeyOrFormat(t *testing.T) {
	ks := testKeys(t, 1)
	h, _ := newHeader(testKeys(t, 2).list[0])
	if _, err := ks.parseHeader(h); !errors.Is(err, ErrKeyMissing) {
		t.Errorf("other key: error = %v, want ErrKeyMissing", err)
	}
	h, _ = newHeader(ks.list[0])
	h[offVersion] = 2
	binary.LittleEndian.PutUint32(h[offCRC:], headerCRC(h))
	if _, err := ks.parseHeader(h); !errors.Is(err, ErrDamaged) {
		t.Errorf("other format: error = %v, want ErrDamaged", err)
	}
}

func TestTornHeaderIsEmpty(t *testing.T) {
	ks := testKeys(t, 1)
	h, _ := newHeader(ks.list[0])
	check := func(what string, b []byte) {
		t.Helper()
		if c, err := ks.parseHeader(b); c != nil || err != nil {
			t.Errorf("%s: content %v, error %v, want an empty file", what, c, err)
		}
	}
	for n := range headerSize {
		check("cut short", h[:n])
	}
	for n := range offMAC + 1 {
		torn := make([]byte, headerSize)
		copy(torn, h[:n])
		check("zeros after the first bytes", torn)
	}
}

func TestPlainFileIsNotEmpty(t *testing.T) {
	ks := testKeys(t, 1)
	for _, text := range []string{"x", "plain text", string(bytes.Repeat([]byte("plain "), 20))} {
		b := []byte(text)
		if c, err := ks.parseHeader(b[:min(len(b), headerSize)]); c != nil || !errors.Is(err, ErrDamaged) {
			t.Errorf("%.10q: content %v, error %v, want ErrDamaged", text, c, err)
		}
	}
}

// What the first release wrote with testKey(1).
const (
	goldenHeader  = "8e5052726573740a010000000339131dd06048fe31723287def0e2d8cff7ff5db3c4a6c7bdc38764e9afb1b21048953ecfc3fc44a0e12467683a9ce79faca859"
	goldenContent = "218eb77ab8dfa7918a5a7588463caa3583437696aa0e95d30d4039"
)

// The format is on disk: a file written by this release must always be
// readable.
func TestFormatIsStable(t *testing.T) {
	h, err := hex.DecodeString(goldenHeader)
	if err != nil {
		t.Fatal(err)
	}
	c, err := testKeys(t, 1).parseHeader(h)
	if err != nil {
		t.Fatal(err)
	}
	b, err := hex.DecodeString(goldenContent)
	if err != nil {
		t.Fatal(err)
	}
	c.stream(0).XORKeyStream(b, b)
	if got, want := string(b), "front page, evening edition"; got != want {
		t.Errorf("content = %q, want %q", got, want)
	}
}

// A stream opened anywhere is the tail of the stream opened at 0.
func TestStreamAt(t *testing.T) {
	_, c := newHeader(testKeys(t, 1).list[0])
	whole := make([]byte, 1000)
	c.stream(0).XORKeyStream(whole, whole)
	rapid.Check(t, func(t *rapid.T) {
		off := rapid.IntRange(0, len(whole)-1).Draw(t, "off")
		tail := make([]byte, len(whole)-off)
		c.stream(int64(off)).XORKeyStream(tail, tail)
		if !bytes.Equal(tail, whole[off:]) {
			t.Fatalf("stream at %d is not the tail", off)
		}
	})
	far := make([]byte, 32)
	c.stream(1<<62+3).XORKeyStream(far, far)
	if bytes.Equal(far, whole[3:35]) {
		t.Error("the stream repeats")
	}
}

func FuzzHeader(f *testing.F) {
	ks := testKeys(f, 1, 2)
	h, _ := newHeader(ks.list[0])
	f.Add(h)
	f.Add(h[:30])
	f.Add(make([]byte, headerSize))
	f.Add([]byte("plain"))
	f.Fuzz(func(t *testing.T, b []byte) {
		b = b[:min(len(b), headerSize)]
		c, err := ks.parseHeader(b)
		if c == nil {
			return
		}
		if err != nil || len(b) != headerSize {
			t.Fatalf("content from %d bytes, error %v", len(b), err)
		}
		k := ks.byID[KeyID(b[offKeyID:offSalt])]
		if k == nil || !bytes.Equal(k.sign(b), b[offMAC:]) {
			t.Fatal("content from a header that no key signed")
		}
	})
}

func FuzzMarker(f *testing.F) {
	m := &marker{keys: testKeys(f, 1, 2).IDs()}
	f.Add(m.encode())
	f.Add([]byte(markerTitle))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := parseMarker(b)
		if err != nil {
			if !errors.Is(err, ErrDamaged) {
				t.Fatal(err)
			}
			return
		}
		if !bytes.Equal(m.encode(), b) {
			t.Fatalf("accepted what encode does not write: %q", b)
		}
	})
}
