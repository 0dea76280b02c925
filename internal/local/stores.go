package local

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/cockroachdb/pebble/v2/vfs"

	"pressroom/atrest"
	"pressroom/blob"
	"pressroom/dynamo"
	"pressroom/internal/edge"
	"pressroom/internal/errs"
	"pressroom/internal/ops/backup"
	"pressroom/internal/setting"
)

// StoreSettings belong to the commands that open the embedded stores.
type StoreSettings struct {
	Data    string `default:"${data}" help:"Keep all data in this directory; it is made if it is not there."`
	KeyFile string `placeholder:"FILE" help:"Encrypt the data with the keys in this file, the newest first. A directory is encrypted from its beginning or not at all."`
}

// FileSettings belong to the commands that work on the files of a data directory.
type FileSettings struct {
	Store FilesOnly `default:"embedded" hidden:"" help:"Only embedded: this command works on the files of a data directory."`
	StoreSettings
}

// FilesOnly is --store where there is no choice, so that a process that was told
// to use other services is not surprised by an empty directory.
type FilesOnly string

// UnmarshalText accepts embedded alone.
func (f *FilesOnly) UnmarshalText(text []byte) error {
	if string(text) != "embedded" {
		return fmt.Errorf("the store is %q, and this works on the files of a data directory alone; what does the same elsewhere is in docs/aws.md", text)
	}
	*f = FilesOnly(text)
	return nil
}

// Stores are the tables and the objects of one data directory, or of memory, open.
type Stores struct {
	Tables  *dynamo.DB
	Objects *blob.Store
	Client  *s3.Client // of the objects, without a socket
	Dir     *Dir       // nil in memory

	log *slog.Logger
}

// Open takes a data directory for this process and opens the stores in it. Callers
// of the objects sign with the credentials, if there are any. On an error nothing
// stays open.
func Open(set StoreSettings, credentials map[string]string, log *slog.Logger) (*Stores, error) {
	keys, err := LoadKeys(set.KeyFile)
	if err != nil {
		return nil, err
	}
	dir, err := OpenDir(set.Data)
	if err != nil {
		return nil, err
	}
	s := &Stores{Dir: dir, log: log}
	if err := backup.Ready(context.Background(), set.Data, &backup.Readying{Program: Program(), Tell: func(what string) { log.Info(what) }}); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, s.open(set.Data, vfs.Default, keys, credentials)
}

// OpenMemory opens stores in a file system in memory, which may be empty.
func OpenMemory(fs vfs.FS, credentials map[string]string, log *slog.Logger) (*Stores, error) {
	s := &Stores{log: log}
	return s, s.open("", fs, nil, credentials)
}

// open opens both stores beside each other, since each waits for the disk.
func (s *Stores) open(data string, fs vfs.FS, keys *atrest.Keys, credentials map[string]string) error {
	var tables, objects error
	var both sync.WaitGroup
	both.Go(func() {
		if s.Tables, tables = dynamo.Open(filepath.Join(data, backup.Tables), &dynamo.Options{FS: fs, Keys: keys, Logger: s.log}); tables != nil {
			tables = errs.Wrap(tables, errs.Unavailable, "cannot open the tables: %v", tables)
		}
	})
	both.Go(func() {
		if s.Objects, objects = blob.Open(filepath.Join(data, backup.Objects), &blob.Options{FS: fs, Keys: keys, Log: s.log, Credentials: credentials}); objects != nil {
			objects = errs.Wrap(objects, errs.Unavailable, "cannot open the objects: %v", objects)
		}
	})
	both.Wait()
	if tables != nil || objects != nil {
		return errors.Join(tables, objects, s.Close())
	}
	s.Client = blob.Client(s.Objects)
	if err := s.Tables.UseObjects(edge.Objects(s.Client)); err != nil {
		return errors.Join(errs.Wrap(err, errs.Unavailable, "cannot go on with exports and imports: %v", err), s.Close())
	}
	return nil
}

// Close closes the stores and gives the directory up, whatever happens to the others,
// and returns all errors.
func (s *Stores) Close() error {
	var all []error
	end := func(name string, close func() error) {
		if err := close(); err != nil {
			all = append(all, fmt.Errorf("close %s: %w", name, err))
			return
		}
		s.log.Debug("closed", "part", name)
	}
	if s.Objects != nil {
		end(backup.Objects, s.Objects.Close)
	}
	if s.Tables != nil {
		end(backup.Tables, s.Tables.Close)
	}
	if s.Dir != nil {
		end("data directory", s.Dir.Close)
	}
	return errors.Join(all...)
}

// LoadKeys reads the encryption keys; none without a file.
func LoadKeys(path string) (*atrest.Keys, error) {
	if path == "" {
		return nil, nil
	}
	keys, err := atrest.LoadKeys(path)
	if err != nil {
		return nil, errs.Wrap(err, errs.Unavailable, "cannot read the encryption keys: %v", err)
	}
	return keys, nil
}

// Program names this program in what it writes.
func Program() string { return "pressroom " + setting.ThisBuild().Version }
