// Package atrest keeps files encrypted on disk. [Open] wraps a Pebble file
// system ([vfs.FS]) in one that encrypts whatever is written through it with
// AES-256 in counter mode. Pebble runs on it unchanged, and so does any other
// code that stores files: they are streamed and read at random offsets,
// never held in memory whole.
//
// It promises that without the key a stolen disk shows nothing of a file but
// its name, its length and when it changed; that no two files share a key
// stream; that a directory is never opened without the keys that it still
// needs, and never becomes half plain; and that a crash leaves it as usable as it
// would have left a plain one. Two things it does not do. It does not detect
// tampering: Pebble's checksums, or the caller's, detect accidents. And a
// file that is overwritten in place reveals, to one who has the disk from
// before and from after, where the two differ and by what; neither Pebble
// nor code that writes new files and renames them does that.
//
// Start reading at [Open]. keys.go reads key files, marker.go the file that
// says which keys a directory needs, header.go the first bytes of every
// file; fs.go and file.go are the file system itself; usage.go reports which
// keys are in use, and reencrypt.go ends the use of old ones.
//
// To rotate, put a new key first in the key file, above the old one, and
// restart. New files use the new key, Pebble rewrites many of its old ones as
// it compacts, and [Reencrypt] rewrites those that are left. When [KeyUsage]
// no longer lists the old key, remove its line.
package atrest

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Why a directory or a file cannot be opened. The errors that wrap these name
// the directory or file, the keys, and what to do.
var (
	// ErrEncrypted: the directory is encrypted and no keys were given.
	ErrEncrypted = errors.New("data is encrypted")
	// ErrPlain: keys were given, but the directory holds plain data.
	ErrPlain = errors.New("data is not encrypted")
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
// A directory without a marker whose files are all encrypted, such as a
// checkpoint that Pebble made through the file system, counts as encrypted
// and gets its marker when it is opened.
//
// One process may have dir open at a time, which Pebble's own lock sees to.
// Every file written through the result is encrypted, outside of dir too.
// The marker is not visible in it.
func Open(fs vfs.FS, dir string, keys *Keys) (vfs.FS, error) {
	m, err := readMarker(fs, dir)
	if err != nil {
		return nil, err
	}
	if keys == nil {
		return openPlain(fs, dir, m)
	}
	needed, err := neededKeys(fs, dir, m, keys)
	if err != nil {
		return nil, err
	}
	if m == nil || !slices.Equal(m.keys, needed) {
		if err := writeMarker(fs, dir, &marker{keys: needed}); err != nil {
			return nil, err
		}
	}
	return newFS(fs, dir, keys), nil
}

func openPlain(fs vfs.FS, dir string, m *marker) (vfs.FS, error) {
	encrypted := m != nil
	if !encrypted {
		// The marker may have been lost, or never made: see Open on checkpoints.
		// The first file with anything in it tells; a plain directory is not
		// walked whole.
		err := walk(fs, dir, func(f found) error {
			if f.state == stateEmpty {
				return nil
			}
			encrypted = f.state != stateForeign
			return errStopWalk
		})
		if err != nil {
			return nil, err
		}
	}
	if encrypted {
		return nil, fmt.Errorf("%w: directory %s can only be opened with its key file", ErrEncrypted, quoteDir(dir))
	}
	return fs, nil
}

// neededKeys returns what dir's marker must say before a file is created: the
// current key, then the others that files may still need, all of which are
// in keys.
func neededKeys(fs vfs.FS, dir string, m *marker, keys *Keys) ([]KeyID, error) {
	var marked []KeyID
	if m != nil {
		marked = m.keys
	}
	if m == nil || !keys.holdsAll(marked) {
		// Only the files can tell now. A key that the marker names and no
		// file uses has been rotated out, and may be gone.
		s, err := surveyDir(fs, dir)
		if err != nil {
			return nil, err
		}
		if err := s.check(dir, keys, m == nil); err != nil {
			return nil, err
		}
		marked = s.keyIDs()
	}
	needed := []KeyID{keys.Current()}
	for _, id := range marked {
		if id != keys.Current() {
			needed = append(needed, id)
		}
	}
	return needed, nil
}

// check reports why the directory cannot be opened with keys, if it cannot.
func (s *survey) check(dir string, keys *Keys, unmarked bool) error {
	if unmarked && s.foreign != "" {
		return fmt.Errorf("%w: %s in directory %s is plain, and data is never encrypted in place: "+
			"back the directory up, and restore the backup into a new, empty directory with the key file; "+
			"or open it without one", ErrPlain, s.foreign, quoteDir(dir))
	}
	var missing []string
	for id, u := range s.uses {
		if !keys.holdsAll([]KeyID{id}) {
			missing = append(missing, fmt.Sprintf("%s (%d files)", id, u.Files))
		}
	}
	if len(missing) > 0 {
		slices.Sort(missing)
		return fmt.Errorf("%w: directory %s still needs key %s; the key file has only %s: "+
			"put the missing key back on a line of its own, below the current one",
			ErrKeyMissing, quoteDir(dir), strings.Join(missing, ", "), keys)
	}
	return nil
}

// quoteDir names a directory in a message; Pebble's in-memory file systems
// are often opened at "".
func quoteDir(dir string) string {
	if dir == "" {
		return `"."`
	}
	return fmt.Sprintf("%q", dir)
}
