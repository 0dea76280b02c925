package atrest

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// testKey returns a key that is fixed, and different for each n.
func testKey(n byte) []byte {
	k := make([]byte, KeySize)
	for i := range k {
		k[i] = n + byte(i)*7
	}
	return k
}

func testKeys(t testing.TB, ns ...byte) *Keys {
	t.Helper()
	var list [][]byte
	for _, n := range ns {
		list = append(list, testKey(n))
	}
	ks, err := NewKeys(list...)
	if err != nil {
		t.Fatal(err)
	}
	return ks
}

func TestParseKeys(t *testing.T) {
	std := base64.StdEncoding.EncodeToString
	one, two := testKey(1), testKey(200)
	both := testKeys(t, 1, 200).IDs()
	tests := []struct {
		name string
		text string
		want []KeyID
		err  string
	}{
		{"base64", std(one), both[:1], ""},
		{"base64 without padding", base64.RawStdEncoding.EncodeToString(one) + "\n", both[:1], ""},
		{"base64 for URLs", base64.URLEncoding.EncodeToString(two) + "\n", both[1:], ""},
		{"hex", hex.EncodeToString(one), both[:1], ""},
		{"upper-case hex", strings.ToUpper(hex.EncodeToString(two)), both[1:], ""},
		{"order is kept", std(one) + "\n" + hex.EncodeToString(two) + "\n", both, ""},
		{"comments, blanks, CRLF, BOM", "\ufeff# current\r\n  " + std(one) + "  # since May\r\n\r\n#\r\n" + std(two) + "\r\n", both, ""},
		{"nothing", "", nil, "holds no key; make one with"},
		{"only comments", "# soon\n\n", nil, "holds no key"},
		{"neither", "\nhunter2!\n", nil, "line 2: neither base64 nor hex"},
		{"64 characters but no hex", strings.Repeat("z", 64), nil, "line 1: 64 characters long, but not hex"},
		{"too short", std(one[:16]), nil, "line 1: a key has 32 bytes, this one has 16"},
		{"too long", std(append(one, 0)), nil, "this one has 33"},
		{"two on a line", std(one) + " " + std(two), nil, "line 1: neither"},
		{"twice", std(one) + "\n# x\n" + hex.EncodeToString(one), nil, "line 3: key " + both[0].String() + " is there twice"},
		{"placeholder", strings.Repeat("00", 32), nil, "placeholder"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ks, err := parseKeys(tt.text)
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Fatalf("error = %v, want it to say %q", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, ks.IDs()); d != "" {
				t.Error(d)
			}
			if ks.Current() != tt.want[0] {
				t.Errorf("current = %s, want %s", ks.Current(), tt.want[0])
			}
		})
	}
}

func TestLoadKeys(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys")
	_, err := LoadKeys(path)
	if err == nil || !strings.Contains(err.Error(), "openssl rand -base64 32 > "+path) {
		t.Errorf("missing file: error = %v, want it to say how to make one", err)
	}
	lines := GenerateKey() + "\n" + GenerateKey() + "\n"
	if err := os.WriteFile(path, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	ks, err := LoadKeys(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(ks.IDs()) != 2 {
		t.Errorf("got %d keys, want 2", len(ks.IDs()))
	}
	if err := os.WriteFile(path, make([]byte, maxKeyFile+1), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadKeys(path); err == nil || !strings.Contains(err.Error(), "is it the right file?") {
		t.Errorf("huge file: error = %v", err)
	}
}

func TestNewKeys(t *testing.T) {
	if _, err := NewKeys(); err == nil {
		t.Error("no key was accepted")
	}
	if _, err := NewKeys(testKey(1), testKey(2)[:31]); err == nil || !strings.Contains(err.Error(), "key 2") {
		t.Errorf("short key: error = %v, want it to name key 2", err)
	}
	k := testKey(1)
	ks, err := NewKeys(k)
	if err != nil {
		t.Fatal(err)
	}
	clear(k)
	if ks.list[0].master != [KeySize]byte(testKey(1)) {
		t.Error("the key changed with the caller's slice")
	}
}

func TestKeysDoNotPrint(t *testing.T) {
	ks := testKeys(t, 1, 2)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
		got := fmt.Sprintf(verb, ks)
		want := ks.list[0].id.String() + ", " + ks.list[1].id.String()
		if got != want && got != "atrest.Keys("+want+")" {
			t.Errorf("%s prints %s", verb, got)
		}
	}
}

// The ids are on disk: they must never change.
func TestKeyIDIsStable(t *testing.T) {
	if got, want := testKeys(t, 1).Current().String(), "d06048fe31723287"; got != want {
		t.Errorf("id = %s, want %s", got, want)
	}
}

func FuzzParseKeys(f *testing.F) {
	f.Add(GenerateKey())
	f.Add("# a\n" + hex.EncodeToString(testKey(3)) + "\r\n" + GenerateKey())
	f.Add(strings.Repeat("=", 44))
	f.Fuzz(func(t *testing.T, text string) {
		ks, err := parseKeys(text)
		if err != nil {
			for line := range strings.Lines(text) {
				if line = strings.TrimSpace(line); len(line) > 30 && strings.Contains(err.Error(), line) {
					t.Errorf("the error shows a key: %v", err)
				}
			}
			return
		}
		if len(ks.IDs()) == 0 || len(ks.byID) != len(ks.list) {
			t.Errorf("accepted %d keys, %d of them different", len(ks.list), len(ks.byID))
		}
	})
}
