package atrest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// The marker is a small text file in the top directory. It is in plain, and
// holds nothing secret:
//
//	pressroom encrypted directory, format 1
//	key 52fdfc072182654f
//	key 9566c74d10037c4d
//	sha256 …
//
// The first key is the current one as of the last opening. The last line
// is over all before it.
const (
	markerName = "ATREST"
	markerTemp = "ATREST.tmp"

	markerTitle = "pressroom encrypted directory, format 1\n"
	maxMarker   = 1 << 20
)

// marker lists the keys that files in its directory may be under.
type marker struct {
	keys []KeyID
}

func (m *marker) encode() []byte {
	var b bytes.Buffer
	b.WriteString(markerTitle)
	for _, id := range m.keys {
		fmt.Fprintf(&b, "key %s\n", id)
	}
	fmt.Fprintf(&b, "sha256 %x\n", sha256.Sum256(b.Bytes()))
	return b.Bytes()
}

// parseMarker accepts exactly what encode writes.
func parseMarker(text []byte) (*marker, error) {
	m := new(marker)
	for line := range strings.Lines(string(text)) {
		digits, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "key ")
		if !ok {
			continue
		}
		id, err := hex.DecodeString(digits)
		if err != nil || len(id) != len(KeyID{}) {
			break
		}
		m.keys = append(m.keys, KeyID(id))
	}
	if len(m.keys) == 0 || !bytes.Equal(m.encode(), text) {
		return nil, fmt.Errorf("%w: marker %s: restore it from a backup, or remove it: "+
			"it is made again when the directory is opened with all of its keys", ErrDamaged, markerName)
	}
	return m, nil
}

// readMarker returns nil if dir has no marker, or does not exist.
func readMarker(fs vfs.FS, dir string) (*marker, error) {
	f, err := fs.Open(fs.PathJoin(dir, markerName))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("encryption marker: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxMarker))
	if err != nil {
		return nil, fmt.Errorf("encryption marker: %w", err)
	}
	m, err := parseMarker(text)
	if err != nil {
		return nil, fmt.Errorf("directory %s: %w", quoteDir(dir), err)
	}
	return m, nil
}

// writeMarker makes dir, if need be, and puts m into it. When it returns, m
// is there to stay; if it fails or the machine does, what was there is.
func writeMarker(fs vfs.FS, dir string, m *marker) error {
	if err := makeDir(fs, dir); err != nil {
		return fmt.Errorf("encryption marker: %w", err)
	}
	temp := fs.PathJoin(dir, markerTemp)
	err := writeSynced(fs, temp, m.encode())
	if err == nil {
		err = fs.Rename(temp, fs.PathJoin(dir, markerName))
	}
	if err == nil {
		err = syncDir(fs, dir)
	}
	if err != nil {
		return fmt.Errorf("encryption marker: %w", err)
	}
	return nil
}

func writeSynced(fs vfs.FS, name string, text []byte) error {
	f, err := fs.Create(name, vfs.WriteCategoryUnspecified)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// makeDir makes dir and its parents and syncs the directories that hold them.
// Pebble does so only for those that it makes itself.
func makeDir(fs vfs.FS, dir string) error {
	var parents []string
	for d := dir; ; d = fs.PathDir(d) {
		_, err := fs.Stat(d)
		if err == nil {
			break
		}
		if !errors.Is(err, os.ErrNotExist) {
			return err
		}
		parents = append(parents, fs.PathDir(d))
		if fs.PathDir(d) == d {
			break
		}
	}
	if err := fs.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, d := range parents {
		if err := syncDir(fs, d); err != nil {
			return err
		}
	}
	return nil
}

func syncDir(fs vfs.FS, dir string) error {
	d, err := fs.OpenDir(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
