package disk

import (
	"bytes"
	"context"
	"crypto/md5"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/cockroachdb/pebble/v2"

	"pressroom/blob/fault"
	"pressroom/guard"
)

// A Problem is something that Verify found wrong.
type Problem struct {
	Bucket  string // empty if it belongs to none
	Key     string
	Version string
	What    string
	Fix     string // what to do about it, if that is known
}

func (p Problem) String() string {
	where := p.Bucket
	if p.Key != "" {
		where += "/" + p.Key
	}
	if p.Version != "" && p.Version != nullVersion {
		where += " version " + p.Version
	}
	if where == "" {
		return p.What
	}
	return where + ": " + p.What
}

// Verify reads every version of every object, and reports records that cannot
// be decoded, bodies that are missing or have another length or content than
// their record says, and bodies that belong to no object. What changes
// meanwhile is passed over.
func (s *Store) Verify(ctx context.Context, report func(Problem)) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	found := report
	report = func(p Problem) {
		p.Fix = "put it again, or restore it from a backup"
		if p.Key == "" {
			p.Fix = ""
		}
		found(p)
	}
	v := &verifier{s: s, ctx: ctx, report: report, names: map[uint64]*Bucket{}, bodies: map[uint64]struct{}{}}
	for _, b := range s.Buckets() {
		v.names[b.ID] = b
	}
	// Bodies without an owner are looked for as of one moment, before
	// anything is read, so that what comes meanwhile is not taken for one.
	snap := s.db.NewSnapshot()
	defer snap.Close()
	err := s.meta.Verify(ctx, func(d guard.Damage) {
		found(Problem{
			What: fmt.Sprintf("the file %s of the metadata is damaged: %s", d.File, d.What),
			Fix:  "keep a copy of the data directory, then restore the last backup that verifies; objects that are not named here can be read before",
		})
	})
	if err != nil {
		return fmt.Errorf("verify objects: %w", err)
	}
	for _, step := range []func(*pebble.Snapshot) error{v.objects, v.uploads, v.orphans} {
		if err := step(snap); err != nil {
			return fmt.Errorf("verify objects: %w", err)
		}
	}
	return nil
}

type verifier struct {
	s      *Store
	ctx    context.Context
	report func(Problem)
	names  map[uint64]*Bucket
	bodies map[uint64]struct{} // numbers of files and inline bodies that have an owner
}

// each calls f for every row of a space.
func (v *verifier) each(snap *pebble.Snapshot, space byte, f func(row, value []byte) error) error {
	prefix := []byte{space}
	it, err := snap.NewIter(&pebble.IterOptions{LowerBound: prefix, UpperBound: successor(prefix)})
	if err != nil {
		return err
	}
	defer it.Close()
	for it.First(); it.Valid(); it.Next() {
		if err := errors.Join(v.ctx.Err(), v.s.meta.GoOn()); err != nil {
			return err
		}
		value, err := it.ValueAndErr()
		if err == nil {
			err = f(it.Key(), value)
		}
		if err != nil {
			return err
		}
	}
	return it.Error()
}

func (v *verifier) objects(snap *pebble.Snapshot) error {
	return v.each(snap, spaceObject, func(row, value []byte) error {
		key, rest := splitRow(row)
		p := Problem{Key: key}
		b := v.names[binary.BigEndian.Uint64(row[1:])]
		if b == nil {
			p.What = "it belongs to a bucket that does not exist"
			v.report(p)
			return nil
		}
		p.Bucket = b.Name
		o, err := decodeObject(value)
		if err != nil || len(rest) != 8 {
			p.What = "its record cannot be decoded"
			v.report(p)
			return nil
		}
		o.Key, o.Seq = key, ^binary.BigEndian.Uint64(rest)
		p.Version = o.VersionID()
		if err := v.own(o.body); err != nil {
			return err
		}
		if err := v.own(o.hot); err != nil {
			return err
		}
		return v.content(b, o, p)
	})
}

// own notes that a body has an owner, and the files of its segments.
func (v *verifier) own(b Body) error {
	switch b.Kind {
	case bodyInline, bodyFile:
		v.bodies[b.ID] = struct{}{}
	case bodySegments:
		return v.s.rows(segmentRows(b.ID), func(_, value []byte) error {
			part, err := decodeObject(value)
			if err == nil && part.body.Kind == bodyFile {
				v.bodies[part.body.ID] = struct{}{}
			}
			return nil //nolint:nilerr // content reports what cannot be read
		})
	}
	return nil
}

// content reads the object's bytes to their end.
func (v *verifier) content(b *Bucket, o *Object, p Problem) error {
	for _, body := range []Body{o.body, o.hot} {
		if body.Kind == bodyEmpty {
			continue
		}
		h, err := v.s.openBody(b, o, body)
		if h == nil || err != nil {
			if err := v.missing(b, o, p, err); err != nil {
				return err
			}
			continue
		}
		p.What, err = v.bytes(h)
		h.unpin()
		if err != nil {
			return err
		}
		if p.What != "" {
			v.report(p)
		}
	}
	return nil
}

// bytes says what is wrong with an object's bytes, if anything is. They are
// compared with their own checksums as they are read, and with what the ETag
// says; an ETag of parts says nothing that could be compared.
func (v *verifier) bytes(h *Handle) (what string, err error) {
	r := h.reader(0, h.Size)
	defer r.Close()
	sum := md5.New()
	n, err := io.Copy(sum, contextReader{v.ctx, r})
	var damage *fault.Error
	switch {
	case v.ctx.Err() != nil:
		return "", v.ctx.Err()
	case errors.As(err, &damage) && damage.Cause != nil:
		return fmt.Sprintf("its bytes after the first %d are damaged: %v", n, damage.Cause), nil
	case err != nil:
		return fmt.Sprintf("its bytes cannot be read after the first %d: %v", n, err), nil
	case n != h.Size:
		return fmt.Sprintf("it has %d bytes, its record says %d", n, h.Size), nil
	case len(h.ETag) == hex.EncodedLen(md5.Size) && !strings.EqualFold(h.ETag, hex.EncodeToString(sum.Sum(nil))):
		return "its bytes are not those that were written", nil
	}
	return "", nil
}

// missing tells a body that is gone from an object that is.
func (v *verifier) missing(b *Bucket, o *Object, p Problem, err error) error {
	now, readErr := v.s.bySeq(b.ID, o.Key, o.Seq)
	if readErr != nil {
		return readErr
	}
	if now == nil || now.body.ID != o.body.ID || now.hot.ID != o.hot.ID {
		return nil // it went, or was moved, while we looked
	}
	p.What = "its bytes are missing"
	if err != nil {
		p.What = fmt.Sprintf("its bytes cannot be found: %v", err)
	}
	v.report(p)
	return nil
}

// uploads reads the parts of uploads under way, and notes what they own.
func (v *verifier) uploads(snap *pebble.Snapshot) error {
	return v.each(snap, spacePart, func(row, value []byte) error {
		part, err := decodeObject(value)
		if err != nil {
			v.report(Problem{What: "the record of a part of an upload cannot be decoded"})
			return nil
		}
		if err := v.own(part.body); err != nil {
			return err
		}
		h := &Handle{Object: part, s: v.s, source: part.body}
		if err := h.findSegments(part.body); err != nil {
			return err
		}
		what, err := v.bytes(h)
		if err != nil || what == "" {
			return err
		}
		// The part may have been replaced while it was read.
		if now, _, err := v.s.get(row); err != nil || !bytes.Equal(now, value) {
			return err
		}
		v.report(Problem{What: fmt.Sprintf("part %d of an upload under way: %s", part.Parts, what)})
		return nil
	})
}

// orphans looks for bodies that nobody owns, which only take room.
func (v *verifier) orphans(snap *pebble.Snapshot) error {
	lost := 0
	count := func(id uint64) {
		if _, owned := v.bodies[id]; !owned {
			lost++
		}
	}
	err := v.each(snap, spaceLive, func(row, _ []byte) error { count(parseFileRow(row).id); return nil })
	if err == nil {
		err = v.each(snap, spaceData, func(row, _ []byte) error { count(binary.BigEndian.Uint64(row[1:])); return nil })
	}
	if err == nil && lost > 0 {
		v.report(Problem{What: fmt.Sprintf("%d stored bodies belong to no object", lost)})
	}
	return err
}

// contextReader ends with its context.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := c.r.Read(p)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = fmt.Errorf("they end too early: %w", err)
	}
	return n, err
}

// Usage is what a bucket holds.
type Usage struct {
	Bucket   string
	Objects  int64 // current ones
	Versions int64 // of which there may be more than objects
	Bytes    int64 // of all versions, as clients count them
}

// Usage counts what every bucket holds, by reading all records.
func (s *Store) Usage(ctx context.Context) ([]Usage, error) {
	var all []Usage
	for _, b := range s.Buckets() {
		u := Usage{Bucket: b.Name}
		q := Query{Max: sweepPage}
		for {
			page, err := s.ListVersions(b.Name, q)
			if isNoSuch(err) {
				break // deleted while we looked
			}
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				return nil, err
			}
			for _, o := range page.Objects {
				u.Versions++
				u.Bytes += o.Size
				if o.Latest && !o.Marker {
					u.Objects++
				}
			}
			if !page.Truncated {
				break
			}
			q.After, q.AfterID = page.Next, page.NextID
		}
		all = append(all, u)
	}
	return all, nil
}

// Healthy returns nil, or why the store takes no writes at present.
func (s *Store) Healthy() error { return refused(s.meta.Err()) }

// Free returns how many bytes of the disk are free beyond the reserve, and
// false if the file system cannot tell.
func (s *Store) Free() (int64, bool) {
	u, err := s.fs.GetDiskUsage(s.dir)
	if err != nil {
		return 0, false
	}
	return int64(u.AvailBytes) - max(s.opt.Reserve, 0), true
}
