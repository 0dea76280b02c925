// Package backup writes the files of a data directory to another place and
// brings them back: a directory, or one file in tar form, with a manifest that
// names every file, its size and its SHA-256.
//
// It promises that a backup which was cut off is never taken for a whole one;
// that a damaged one is found, with the names of what is damaged; that a restore
// goes into an empty directory only, compares every byte with the manifest, and
// leaves a mark until it is whole; and that encrypted data stay as they are,
// without their keys being needed.
//
// The package knows files and no stores. Whoever calls [Write] gives it a
// directory in which nothing changes: a data directory that nobody has open, or a
// checkpoint of one.
//
// Start with [Write] in write.go; read.go and restore.go go the other way, and
// ready.go looks at a data directory before it is opened.
package backup

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pressroom/internal/errs"
)

// Format is the form of backups that this program writes, and the newest that it
// reads.
const Format = 1

// The parts of a data directory that a backup holds. Everything else there can
// be made again.
const (
	Tables  = "tables"
	Objects = "objects"
)

// Parts lists them.
var Parts = []string{Tables, Objects}

const manifestName = "MANIFEST.json"

// Manifest is what a backup says of itself. It is written last.
type Manifest struct {
	Format    int       `json:"format"` // of the backup
	Data      int       `json:"data"`   // of the data directory, see DataFormat
	Program   string    `json:"program"`
	Taken     time.Time `json:"taken"` // the moment whose state it holds
	Encrypted bool      `json:"encrypted"`
	Bytes     int64     `json:"bytes"`
	Files     []File    `json:"files"` // by name
	Sum       string    `json:"sum"`   // SHA-256 of all the above
}

// File is one file of a backup.
type File struct {
	Name   string `json:"name"` // with slashes: "tables/000004.log"
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// Progress is how far the work came. Total is 0 if it is not known.
type Progress struct {
	Doing       string
	Files       int
	Bytes       int64
	TotalBytes  int64
	CurrentFile string
}

// sum returns the hash of everything in the manifest but the hash.
func (m Manifest) sum() (string, error) {
	m.Sum = ""
	text, err := json.Marshal(m)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

func (m *Manifest) encode() ([]byte, error) {
	sum, err := m.sum()
	if err != nil {
		return nil, err
	}
	m.Sum = sum
	return json.MarshalIndent(m, "", "  ")
}

// maxManifest bounds what is read of a manifest: some million files.
const maxManifest = 512 << 20

// parseManifest reads a manifest and refuses one that is damaged, that a newer
// program wrote, or that names a file outside of the data directory's parts.
func parseManifest(text []byte) (*Manifest, error) {
	m := new(Manifest)
	if err := json.Unmarshal(text, m); err != nil {
		return nil, damaged("its manifest cannot be read: %v", err)
	}
	if m.Format > Format {
		return nil, errs.New(errs.Invalid,
			"this backup was written by a newer program (%s, form %d; this one reads up to %d); use that program", m.Program, m.Format, Format)
	}
	sum, err := m.sum()
	if err != nil {
		return nil, err
	}
	if sum != m.Sum || m.Format < 1 {
		return nil, damaged("its manifest was changed after it was written")
	}
	for _, f := range m.Files {
		if !validName(f.Name) {
			return nil, damaged("its manifest names the file %q", f.Name)
		}
	}
	return m, nil
}

// validName accepts clean relative names inside of a part.
func validName(name string) bool {
	part, rest, ok := strings.Cut(name, "/")
	return ok && rest != "" && slices.Contains(Parts, part) && path.Clean(name) == name && filepath.IsLocal(filepath.FromSlash(name))
}

// ErrDamaged is in the chain of the error for a backup that is not as it was
// written.
var ErrDamaged = fmt.Errorf("the backup is damaged: %w", errs.Invalid)

func damaged(format string, args ...any) error {
	what := fmt.Sprintf(format, args...)
	return errs.Wrap(ErrDamaged, errs.Invalid, "the backup is damaged: %s; use another one", what)
}
