// Package atrest keeps files encrypted on disk. [Open] wraps a Pebble file
// system ([vfs.FS]) in one that encrypts whatever is written through it with
// AES-256 in counter mode; Pebble runs on it unchanged, and so does any other
// code that stores files, with random access and without buffering them.
//
// It promises that without the key a stolen disk or backup shows nothing of
// a file but its name, its length and when it changed; that no two files share a key
// stream; that a directory is never opened without the keys that it needs,
// and never half plain; and that a crash leaves it as usable as it would
// have left a plain one. It does not detect tampering: Pebble's checksums, or the
// caller's, detect accidents.
//
// Start reading at [Open]. keys.go reads key files, marker.go holds the file
// that says which keys a directory needs, header.go the first bytes of every
// file, fs.go and file.go the file system itself, usage.go the report that
// says when an old key may go.
//
// To rotate, put a new key first in the key file, before the old one, and
// restart. New files use the new key; Pebble rewrites its old ones as it
// compacts. When [KeyUsage] no longer lists the old key, remove its line.
package atrest

import (
	"errors"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Why a directory or a file cannot be opened. The errors that wrap them name
// the directory, file and keys, and what to do.
var (
	// ErrEncrypted: the directory is encrypted and no keys were given.
	ErrEncrypted = errors.New("directory is encrypted")
	// ErrPlain: keys were given, but the directory holds plain data.
	ErrPlain = errors.New("directory holds data that is not encrypted")
	// ErrKeyMissing: the keys do not include one that is still needed.
	ErrKeyMissing = errors.New("encryption key is missing")
	// ErrDamaged: a file's header, or the directory's marker, is damaged.
	ErrDamaged = errors.New("encryption header is damaged")
)

// Open returns a file system for dir and all below it. It decides by keys and
// by the marker file in dir:
//
//   - keys nil, dir plain or new: fs itself, nothing is encrypted;
//   - keys nil, dir encrypted: refused with [ErrEncrypted];
//   - keys given, dir new or empty: it is made and marked, durably;
//   - keys given, dir plain: refused with [ErrPlain];
//   - keys given, dir encrypted: if the keys include all that are still
//     needed, the current one is marked, durably, before it is first used;
//     else refused with [ErrKeyMissing], and nothing is changed.
//
// One process may have dir open at a time, which Pebble's own lock sees to.
// Every file written through the result is encrypted, outside of dir too
// (a checkpoint elsewhere, say).
func Open(fs vfs.FS, dir string, keys *Keys) (vfs.FS, error) {
	if keys == nil {
		return fs, nil
	}
	return nil, errors.New("atrest: not built yet")
}

// Use is what one key still has to decrypt.
type Use struct {
	Key     KeyID
	Current bool // new files use it
	Files   int
	Bytes   int64 // of content, without headers
}

// KeyUsage reports which keys the files in dir and below are under, the
// current one first, if any, and then by id. A key that is not listed is no
// longer needed. fs may be what [Open] returned, or the file system below it;
// in the second case, which needs no keys, no key is current.
func KeyUsage(fs vfs.FS, dir string) ([]Use, error) {
	return nil, errors.New("atrest: not built yet")
}
