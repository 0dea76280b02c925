package checksum

import (
	"bytes"
	"encoding/base64"
	"testing"
)

// The check values of the published algorithm catalogues, over "123456789".
func TestCheckValues(t *testing.T) {
	tests := map[Algorithm]string{
		CRC32:     "\xcb\xf4\x39\x26",
		CRC32C:    "\xe3\x06\x92\x83",
		CRC64NVME: "\xae\x8b\x14\x86\x0a\x79\x98\x88",
		MD5:       "\x25\xf9\xe7\x94\x32\x3b\x45\x38\x85\xf5\x18\x1f\x1b\x62\x4d\x0b",
		XXHash64:  "\x8c\xb8\x41\xdb\x40\xe6\xae\x83",
	}
	for a, want := range tests {
		h := a.New()
		h.Write([]byte("123456789"))
		if got := string(h.Sum(nil)); got != want {
			t.Errorf("%s: got %x, want %x", a, got, want)
		}
	}
}

func TestEveryAlgorithmHasItsHeader(t *testing.T) {
	for _, a := range All {
		if got, ok := FromHeader("X-Amz-" + a.Header()[len("x-amz-"):]); !ok || got != a {
			t.Errorf("FromHeader(%s) = %q, %v", a.Header(), got, ok)
		}
		if !a.Allows(a.DefaultType()) {
			t.Errorf("%s does not allow its own default type", a)
		}
		sum := base64.StdEncoding.EncodeToString(a.New().Sum(nil))
		if !a.Valid(sum) || a.Valid(sum[4:]) || a.Valid("!") {
			t.Errorf("%s: Valid is wrong around %q", a, sum)
		}
	}
}

func FuzzFullOf(f *testing.F) {
	f.Add([]byte("123456789"), uint16(4), uint16(0))
	f.Add(bytes.Repeat([]byte{0}, 100), uint16(99), uint16(1))
	f.Add([]byte{}, uint16(0), uint16(0))
	f.Fuzz(func(t *testing.T, data []byte, i, j uint16) {
		a := min(int(i), len(data))
		b := min(a+int(j), len(data))
		for _, algo := range []Algorithm{CRC32, CRC32C, CRC64NVME} {
			var parts []Part
			for _, p := range [][]byte{data[:a], data[a:b], data[b:]} {
				h := algo.New()
				h.Write(p)
				parts = append(parts, Part{h.Sum(nil), int64(len(p))})
			}
			whole := algo.New()
			whole.Write(data)
			if got, want := algo.FullOf(parts), whole.Sum(nil); !bytes.Equal(got, want) {
				t.Errorf("%s of %q cut at %d, %d: got %x, want %x", algo, data, a, b, got, want)
			}
		}
	})
}
