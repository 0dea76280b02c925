package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"pressroom/blob"
	"pressroom/dynamo"
	"pressroom/internal/errs"
	"pressroom/internal/kept"
	"pressroom/internal/local"
	"pressroom/internal/ops/backup"
	"pressroom/model"
	"pressroom/model/deploy"
)

// store is where all data are: in the data directory, open, with each part that
// keeps files in it, or in services elsewhere. Whoever opens a part adds its Close;
// what was opened last is closed first, and the directory's lock is given up after
// all others.
type store struct {
	// What the newsroom works with, wherever the data are.
	db      model.DB
	streams model.Streams
	client  *s3.Client

	// The engines below them in the data directory, for what only they can do: copy
	// and verify themselves, be served to others. Nil if the data are elsewhere.
	tables  *dynamo.DB
	objects *blob.Store

	log    *slog.Logger
	checks []check
	closes []closing
	halts  []func() // tell what runs in the background that it is over
	// rebuild makes the search index again, once there is one.
	rebuild atomic.Pointer[func(ctx context.Context, tell func(documents int)) (int, error)]
	// backedUp is told of a copy that was handed over, once somebody writes that down.
	backedUp atomic.Pointer[func()]
	// verifyIndex reads the search index that is open, once there is one with files;
	// searchDir is where they are, "" if there are none.
	verifyIndex atomic.Pointer[func(ctx context.Context, report func(error)) error]
	searchDir   string
}

// closing is how one part is closed.
type closing struct {
	name  string
	close func() error
}

// open opens the store that is configured.
func (s targetSettings) open(ctx context.Context, endpoint endpointSettings, log *slog.Logger) (*store, error) {
	if s.remote() {
		return s.remoteSettings.open(ctx, log)
	}
	return openStore(s.storeSettings, endpoint, log)
}

// remote reports whether the data are in services elsewhere.
func (s targetSettings) remote() bool { return s.Store == "aws" }

// remote reports whether the data are in services elsewhere.
func (s *store) remote() bool { return s.tables == nil }

// track tells what was read of the tables, and whether it is still so; nil if the
// data are elsewhere, where others write what this process does not hear of. Nothing
// is kept then that could show what was taken back.
func (s *store) track() kept.Track {
	if s.remote() {
		return nil
	}
	return s.tables.Track
}

// deploys returns the store as schemas are brought to it.
func (s *store) deploys() deploy.Store { return deploy.Store{Tables: s.db, Objects: s.client} }

// prepare makes the tables and buckets of the schemas that are missing in the
// data directory. Elsewhere that is for whoever may do it, with "schema apply" or
// CloudFormation: there, it only looks whether they are made.
func (s *store) prepare(ctx context.Context, schemas ...model.Schema) error {
	if !s.remote() {
		to := s.deploys()
		to.ReplaceIndexes = true // nobody else has it open
		if err := deploy.Apply(ctx, to, nil, schemas...); err != nil {
			return errs.Wrap(err, errs.Unavailable, "cannot prepare the tables and buckets: %v", err)
		}
		return nil
	}
	missing, err := deploy.Missing(ctx, s.deploys(), schemas...)
	if err != nil {
		return errs.Wrap(err, errs.Unavailable, "cannot look for the tables and buckets: %v", err)
	}
	if len(missing) > 0 {
		return errs.New(errs.Unavailable, "missing in the store: %s; make them with \"pressroom schema apply --store aws\"", someOf(missing))
	}
	return nil
}

// someOf lists names, all of them if they are few.
func someOf(names []string) string {
	const shown = 4
	if n := len(names); n > shown {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:shown], ", "), n-shown)
	}
	return strings.Join(names, ", ")
}

// openStore opens the data directory and what is in it. On an error nothing
// stays open.
func openStore(set storeSettings, endpoint endpointSettings, log *slog.Logger) (*store, error) {
	s := &store{log: log}
	if err := s.open(set, endpoint); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *store) open(set storeSettings, endpoint endpointSettings) error {
	stores, err := local.Open(set, endpoint.Credentials(), s.log)
	if err != nil {
		return err
	}
	s.use(stores)
	s.add("stores", stores.Close)
	s.searchDir = searchDirOf(set)
	s.startControl(set.Data)
	return nil
}

// use works on stores that are open.
func (s *store) use(stores *local.Stores) {
	s.tables, s.objects, s.client = stores.Tables, stores.Objects, stores.Client
	s.db, s.streams = s.tables, s.tables.Streams()
	s.checks = append(s.checks,
		check{name: "data", run: stores.Dir.Check},
		check{name: "tables", run: func(context.Context) error { return s.tables.Healthy() }},
		check{name: "objects", run: func(context.Context) error { return s.objects.Healthy() }})
}

// openTables and openObjects open one store alone, for those who mend or bring back
// the files below it.
func (s *store) openTables(data string, o *dynamo.Options) (err error) {
	s.tables, err = dynamo.Open(filepath.Join(data, backup.Tables), o)
	if err != nil {
		return errs.Wrap(err, errs.Unavailable, "cannot open the tables: %v", err)
	}
	s.db, s.streams = s.tables, s.tables.Streams()
	s.add(backup.Tables, s.tables.Close)
	return nil
}

func (s *store) openObjects(data string, o *blob.Options) (err error) {
	s.objects, err = blob.Open(filepath.Join(data, backup.Objects), o)
	if err != nil {
		return errs.Wrap(err, errs.Unavailable, "cannot open the objects: %v", err)
	}
	s.client = blob.Client(s.objects)
	s.add(backup.Objects, s.objects.Close)
	return nil
}

// searchDirOf is where the index of the directory is kept; "" for in memory. What
// is encrypted must not stand beside itself in plain text.
func searchDirOf(s storeSettings) string {
	if s.KeyFile != "" {
		return ""
	}
	return filepath.Join(s.Data, "search")
}

// add registers the Close of a part that was just opened.
func (s *store) add(name string, closePart func() error) {
	s.closes = append(s.closes, closing{name, closePart})
}

// Close tells everything in the background to stop, then closes every part, the last
// opened first, whatever happens to the others, and returns all errors.
func (s *store) Close() error {
	for _, halt := range s.halts {
		halt()
	}
	var all []error
	for _, part := range slices.Backward(s.closes) {
		if err := part.close(); err != nil {
			all = append(all, fmt.Errorf("close %s: %w", part.name, err))
			continue
		}
		s.log.Debug("closed", "part", part.name)
	}
	s.closes = nil
	return errors.Join(all...)
}
