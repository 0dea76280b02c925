//go:build unix

package local

import (
	"errors"
	"os"
	"syscall"
)

// lockFile opens path, creating it if needed, and locks it for as long as the
// file stays open. It returns ErrHeld at once if somebody else has the lock.
func lockFile(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = ErrHeld
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// syncDir makes the names in a directory durable.
func syncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// makePrivate has this process make files and directories for its user alone.
// The stores' engine would let everyone read them.
func makePrivate() { syscall.Umask(0o077) }

func isPrivate(info os.FileInfo) bool { return info.Mode().Perm()&0o077 == 0 }
