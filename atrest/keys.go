package atrest

import (
	"encoding/hex"
	"errors"
)

// KeySize is the length of a key in bytes.
const KeySize = 32

// KeyID names a key without telling anything of it.
type KeyID [8]byte

// String returns the id as 16 hex digits.
func (id KeyID) String() string { return hex.EncodeToString(id[:]) }

// Keys is a set of keys, one of them current. It is immutable, and prints as
// ids only.
type Keys struct{}

// GenerateKey returns a new random key as a line for a key file.
func GenerateKey() string { return "" }

// NewKeys returns a set of 32-byte keys, the current one first. It keeps no
// reference to the slices.
func NewKeys(key ...[]byte) (*Keys, error) { return nil, errors.New("atrest: not built yet") }

// LoadKeys reads a key file: text, one key per line in base64 or hex, the
// current one first; blank lines and what follows a # do not count.
func LoadKeys(path string) (*Keys, error) { return nil, errors.New("atrest: not built yet") }

// Current returns the id of the key that new files use.
func (k *Keys) Current() KeyID { return KeyID{} }

// IDs returns the ids of all keys, the current one first.
func (k *Keys) IDs() []KeyID { return nil }

// String returns the ids of the keys, never the keys.
func (k *Keys) String() string { return "" }
