package atrest

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// reencryptTemp ends the names of copies in the making.
const reencryptTemp = ".atrest-tmp"

// Reencrypt writes the files in dir and below that are under older keys anew,
// under the current one, and reports how many and how much that was. Afterwards
// only the current key is needed. It is for the files that would otherwise
// keep an old key in use for good: Pebble rewrites a table only when newer
// data overlaps it, and an object store rewrites nothing.
//
// fs is what [Open] returned, or a file system around it. No one else may
// have dir open meanwhile. If it is interrupted, all files are whole, some
// under the old key; call it again. It needs space for one more copy of the
// largest file, and hard links from elsewhere keep the old file.
func Reencrypt(fs vfs.FS, dir string) (Use, error) {
	s := sealedUnder(fs)
	if s == nil {
		return Use{}, fmt.Errorf("re-encrypt directory %s: %w", quoteDir(dir), ErrPlain)
	}
	done := Use{Key: s.keys.Current(), Current: true}
	var old []found
	err := walk(s.fs, dir, func(f found) error {
		if strings.HasSuffix(f.name, reencryptTemp) {
			return s.fs.Remove(f.name)
		}
		if f.state == stateSealed && f.key != done.Key {
			old = append(old, f)
		}
		return nil
	})
	for _, f := range old {
		if err == nil {
			err = s.reencrypt(f.name)
		}
		if err != nil {
			break
		}
		done.Files++
		done.Bytes += f.size - headerSize
	}
	if err != nil {
		return done, fmt.Errorf("re-encrypt directory %s: %w", quoteDir(dir), err)
	}
	return done, nil
}

// sealedUnder returns the encrypted file system that fs is, or is around; nil
// if there is none.
func sealedUnder(fs vfs.FS) *sealedFS {
	for ; fs != nil; fs = fs.Unwrap() {
		if s, ok := fs.(*sealedFS); ok {
			return s
		}
	}
	return nil
}

// reencrypt puts a copy under the current key in the place of a file.
func (s *sealedFS) reencrypt(name string) error {
	temp := name + reencryptTemp
	if err := s.copySynced(name, temp); err != nil {
		return err
	}
	if err := s.fs.Rename(temp, name); err != nil {
		return err
	}
	return syncDir(s.fs, s.fs.PathDir(name))
}

func (s *sealedFS) copySynced(from, to string) error {
	in, err := s.Open(from, vfs.SequentialReadsOption)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := s.Create(to, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	_, err = io.CopyBuffer(struct{ io.Writer }{out}, struct{ io.Reader }{in}, make([]byte, 1<<20))
	if err == nil {
		err = out.Sync()
	}
	return errors.Join(err, out.Close())
}
