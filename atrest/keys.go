package atrest

import (
	"bytes"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// KeySize is the length of a key in bytes.
const KeySize = 32

// maxKeyFile bounds what is read as a key file, in case a path names
// something else.
const maxKeyFile = 1 << 20

// KeyID names a key without telling anything of it.
type KeyID [8]byte

// String returns the id as 16 hex digits.
func (id KeyID) String() string { return hex.EncodeToString(id[:]) }

// Keys is a set of keys, one of them current. It is immutable, and prints as
// ids only.
type Keys struct {
	list []*key // the current one first
	byID map[KeyID]*key
}

// key is a master key. Files are never encrypted with it directly.
type key struct {
	id     KeyID
	master [KeySize]byte
	mac    []byte // authenticates file headers
}

// The labels under which one master key serves several ends.
const (
	labelKeyID   = "pressroom atrest 1: key id\x00"
	labelMAC     = "pressroom atrest 1: header authentication"
	labelContent = "pressroom atrest 1: file content"
)

const howToMakeKey = "make one with: openssl rand -base64 32"

// GenerateKey returns a new random key as a line for a key file, without
// the line's end.
func GenerateKey() string {
	var b [KeySize]byte
	rand.Read(b[:])
	return base64.StdEncoding.EncodeToString(b[:])
}

// NewKeys returns a set of 32-byte keys, the current one first. It keeps no
// reference to the slices. No key, a key given twice and a key of one
// repeated byte are errors.
func NewKeys(keys ...[]byte) (*Keys, error) {
	if len(keys) == 0 {
		return nil, errors.New("no encryption key given")
	}
	ks := &Keys{byID: make(map[KeyID]*key, len(keys))}
	for i, b := range keys {
		if err := ks.add(b); err != nil {
			return nil, fmt.Errorf("encryption key %d: %w", i+1, err)
		}
	}
	return ks, nil
}

// LoadKeys reads a key file: text, one key per line in base64 or hex, the
// current one first; blank lines and what follows a # do not count. Its
// errors name the line, and never quote it.
func LoadKeys(path string) (*Keys, error) {
	f, err := os.Open(path)
	if err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("encryption key file: %w; %s > %s", err, howToMakeKey, path)
		}
		return nil, fmt.Errorf("encryption key file: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxKeyFile+1))
	if err != nil {
		return nil, fmt.Errorf("encryption key file: %w", err)
	}
	if len(text) > maxKeyFile {
		return nil, fmt.Errorf("encryption key file %s: larger than %d bytes: is it the right file?", path, maxKeyFile)
	}
	ks, err := parseKeys(string(text))
	if err != nil {
		return nil, fmt.Errorf("encryption key file %s: %w", path, err)
	}
	return ks, nil
}

func parseKeys(text string) (*Keys, error) {
	ks := &Keys{byID: make(map[KeyID]*key)}
	text = strings.TrimPrefix(text, "\ufeff")
	n := 0
	for line := range strings.Lines(text) {
		n++
		line, _, _ = strings.Cut(line, "#")
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		b, err := decodeKey(line)
		if err == nil {
			err = ks.add(b)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
	if len(ks.list) == 0 {
		return nil, errors.New("it holds no key; " + howToMakeKey)
	}
	return ks, nil
}

// decodeKey reads hex or base64, either alphabet, padded or not. The length
// tells which: 32 bytes are 64 digits of one and 43 of the other.
func decodeKey(line string) ([]byte, error) {
	if len(line) == hex.EncodedLen(KeySize) {
		b, err := hex.DecodeString(line)
		if err != nil {
			return nil, errors.New("64 characters long, but not hex; " + howToMakeKey)
		}
		return b, nil
	}
	enc := base64.RawStdEncoding
	if strings.ContainsAny(line, "-_") {
		enc = base64.RawURLEncoding
	}
	b, err := enc.Strict().DecodeString(strings.TrimRight(line, "="))
	if err != nil {
		return nil, errors.New("neither base64 nor hex; " + howToMakeKey)
	}
	return b, nil
}

func (ks *Keys) add(b []byte) error {
	if len(b) != KeySize {
		return fmt.Errorf("a key has %d bytes, this one has %d; %s", KeySize, len(b), howToMakeKey)
	}
	if bytes.Count(b, b[:1]) == KeySize {
		return errors.New("one byte repeated is a placeholder, not a key; " + howToMakeKey)
	}
	k := &key{master: [KeySize]byte(b)}
	sum := sha256.Sum256(append([]byte(labelKeyID), b...))
	copy(k.id[:], sum[:])
	if ks.byID[k.id] != nil {
		return fmt.Errorf("key %s is there twice; remove one", k.id)
	}
	k.mac = k.derive(nil, labelMAC)
	ks.list = append(ks.list, k)
	ks.byID[k.id] = k
	return nil
}

// derive returns 32 bytes for one end, by HKDF-SHA256 (RFC 5869).
func (k *key) derive(salt []byte, label string) []byte {
	b, err := hkdf.Key(sha256.New, k.master[:], salt, label, KeySize)
	if err != nil {
		panic("atrest: hkdf: " + err.Error()) // only for lengths out of range
	}
	return b
}

// Current returns the id of the key that new files use.
func (ks *Keys) Current() KeyID { return ks.list[0].id }

// IDs returns the ids of all keys, the current one first.
func (ks *Keys) IDs() []KeyID {
	ids := make([]KeyID, len(ks.list))
	for i, k := range ks.list {
		ids[i] = k.id
	}
	return ids
}

func (ks *Keys) holdsAll(ids []KeyID) bool {
	for _, id := range ids {
		if ks.byID[id] == nil {
			return false
		}
	}
	return true
}

// String returns the ids of the keys, never the keys.
func (ks *Keys) String() string {
	var b strings.Builder
	for i, k := range ks.list {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(k.id.String())
	}
	return b.String()
}

// GoString returns what String does, so that %#v shows no key either.
func (ks *Keys) GoString() string { return "atrest.Keys(" + ks.String() + ")" }
