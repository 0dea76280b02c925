package disk

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"pressroom/blob/fault"
)

func itoa(n int) string { return strconv.Itoa(n) }

// Head returns a version's attributes: the current one if version is "", the
// null one if it is "null". It answers NoSuchKey, NoSuchVersion, and, where
// the version is a delete marker, MethodNotAllowed or NoSuchKey as S3 does.
func (s *Store) Head(bucketName, key, version string) (*Object, error) {
	rec, err := s.enterRecord(bucketName)
	if err != nil {
		return nil, err
	}
	defer s.leave()
	return s.lookup(rec, key, version)
}

// lookup is Head within a bucket.
func (s *Store) lookup(rec *Bucket, key, version string) (*Object, error) {
	if err := validKey(key); err != nil {
		return nil, err
	}
	o, err := s.version(rec, key, version)
	if err != nil {
		return nil, err
	}
	if !o.Marker {
		return o, nil
	}
	e := fault.NoSuchKey.With("Key", key)
	if version != "" {
		e = fault.MethodNotAllowed.With("Method", "GET").With("ResourceType", "DeleteMarker").
			WithHeader("Allow", "DELETE").
			WithHeader("Last-Modified", o.Modified.Format("Mon, 02 Jan 2006 15:04:05 GMT"))
	}
	return nil, e.WithHeader("x-amz-delete-marker", "true").WithHeader("x-amz-version-id", o.VersionID())
}

// version is lookup that returns delete markers too.
func (s *Store) version(rec *Bucket, key, version string) (*Object, error) {
	cur, err := s.latest(rec.ID, key)
	if err != nil {
		return nil, err
	}
	if version == "" {
		if cur == nil {
			return nil, fault.NoSuchKey.With("Key", key)
		}
		return cur, nil
	}
	seq, ok := parseVersion(version)
	if !ok && version != nullVersion {
		return nil, fault.Argument("versionId", version, "Invalid version id specified")
	}
	var o *Object
	switch {
	case version != nullVersion:
		o, err = s.bySeq(rec.ID, key, seq)
	case rec.Versioning == Unversioned:
		o = cur
	default:
		o, err = s.nullVersion(rec.ID, key)
	}
	if err != nil {
		return nil, err
	}
	if o == nil || o.VersionID() != version {
		return nil, fault.NoSuchVersion.With("Key", key).With("VersionId", version)
	}
	o.Latest = cur != nil && cur.Seq == o.Seq
	return o, nil
}

// latest returns the newest version of a key, delete marker or not, or nil.
func (s *Store) latest(bucket uint64, key string) (*Object, error) {
	return s.edge(bucket, key, func(it *pebble.Iterator) bool {
		return it.SeekPrefixGE(keyRows(spaceObject, bucket, key))
	})
}

// edge returns the version at one end of a key's rows, or nil.
func (s *Store) edge(bucket uint64, key string, move func(*pebble.Iterator) bool) (*Object, error) {
	it, err := s.db.NewIter(&pebble.IterOptions{
		LowerBound: keyRows(spaceObject, bucket, key),
		UpperBound: pastKey(spaceObject, bucket, key),
	})
	if err != nil {
		return nil, fmt.Errorf("read metadata: %w", err)
	}
	defer it.Close()
	if !move(it) {
		return nil, it.Error()
	}
	v, err := it.ValueAndErr()
	if err != nil {
		return nil, s.unread(err)
	}
	o, err := decodeObject(v)
	if err != nil {
		return nil, err
	}
	_, rest := splitRow(it.Key())
	o.Key, o.Seq, o.Latest = key, ^binary.BigEndian.Uint64(rest), true
	return o, nil
}

func (s *Store) bySeq(bucket uint64, key string, seq uint64) (*Object, error) {
	v, ok, err := s.get(objectRow(bucket, key, seq))
	if err != nil || !ok {
		return nil, err
	}
	o, err := decodeObject(v)
	if err != nil {
		return nil, err
	}
	o.Key, o.Seq = key, seq
	return o, nil
}

// nullVersion returns the null version of a key in a bucket that is or was
// versioned, or nil. It has a row that points to it, unless it was written
// before versioning began: then it is the oldest of its key.
func (s *Store) nullVersion(bucket uint64, key string) (*Object, error) {
	v, ok, err := s.get(nullRow(bucket, key))
	if err != nil {
		return nil, err
	}
	if ok {
		return s.bySeq(bucket, key, binary.BigEndian.Uint64(v))
	}
	o, err := s.edge(bucket, key, (*pebble.Iterator).Last)
	if err != nil || o == nil || !o.Null {
		return nil, err
	}
	return o, nil
}

// A Handle is a version opened for reading. Whatever happens to the version,
// its bytes stay readable until Close.
type Handle struct {
	*Object
	s        *Store
	pinned   uint64
	source   Body // the one of Object's two that is read
	inline   []byte
	segments []segment
}

// segment is a run of an object's bytes in one file.
type segment struct {
	start, size int64 // within the object
	part        int
	etag        string // the MD5 of the bytes, if they were put at once
	body        Body
}

// Open opens a version for reading; see Head for version and errors. An
// archived object that is not restored can be opened, but not read.
func (s *Store) Open(bucketName, key, version string) (*Handle, error) {
	rec, err := s.enterRecord(bucketName)
	if err != nil {
		return nil, err
	}
	defer s.leave()
	for {
		o, err := s.lookup(rec, key, version)
		if err != nil {
			return nil, err
		}
		h, err := s.open(rec, o)
		if h != nil || err != nil {
			return h, err
		}
		// Replaced between the two steps: look again.
	}
}

// open pins o's bytes and finds them. It returns nil, nil if o is gone.
func (s *Store) open(rec *Bucket, o *Object) (*Handle, error) {
	if o.hot.Kind != bodyEmpty {
		return s.openBody(rec, o, o.hot)
	}
	return s.openBody(rec, o, o.body)
}

// openBody is open for one of o's two bodies.
func (s *Store) openBody(rec *Bucket, o *Object, body Body) (*Handle, error) {
	h := &Handle{Object: o, s: s, source: body}
	switch body.Kind {
	case bodyEmpty:
		return h, nil
	case bodyInline:
		data, ok, err := s.get(dataRow(body.ID))
		if err != nil || !ok {
			return nil, err
		}
		h.inline = data
		return h, nil
	}
	h.pinned = body.ID
	s.pins.add(body.ID)
	if err := h.findSegments(body); err != nil {
		h.unpin()
		return nil, err
	}
	now, err := s.bySeq(rec.ID, o.Key, o.Seq)
	if err != nil || now == nil || now.body.ID != o.body.ID || now.hot.ID != o.hot.ID {
		h.unpin()
		return nil, err
	}
	return h, nil
}

func (h *Handle) findSegments(body Body) error {
	if body.Kind == bodyFile {
		h.segments = []segment{{size: h.Size, part: 1, etag: h.ETag, body: body}}
		return nil
	}
	var start int64
	return h.s.rows(segmentRows(body.ID), func(_, value []byte) error {
		part, err := decodeObject(value)
		if err != nil {
			return err
		}
		h.segments = append(h.segments, segment{start, part.Size, part.Parts, part.ETag, part.body})
		start += part.Size
		return nil
	})
}

// Close lets the bytes go.
func (h *Handle) Close() error {
	if h.s.enter() != nil {
		if h.pinned != 0 {
			h.s.pins.release(h.pinned)
		}
		h.pinned = 0
		return nil // the next Open of the store removes what we held
	}
	defer h.s.leave()
	h.unpin()
	return nil
}

// unpin is Close within an operation.
func (h *Handle) unpin() {
	if h.pinned == 0 {
		return
	}
	for _, sc := range h.s.pins.release(h.pinned) {
		h.s.unlink(sc.files)
	}
	h.pinned = 0
}

// PartRange returns where part n of a multipart object begins and how long it
// is, and false if there is no such part. An object put whole is its part 1.
func (h *Handle) PartRange(n int) (off, size int64, ok bool) {
	if h.Parts == 0 {
		return 0, h.Size, n == 1
	}
	for _, seg := range h.segments {
		if seg.part == n {
			return seg.start, seg.size, true
		}
	}
	return 0, 0, false
}

// WriteRange writes n bytes from off on to w. It answers InvalidObjectState if
// the object is archived.
func (h *Handle) WriteRange(w io.Writer, off, n int64) error {
	r, err := h.Reader(off, n)
	if err != nil {
		return err
	}
	defer r.Close()
	buf := buffers.Get().(*[]byte)
	defer buffers.Put(buf)
	// Hidden, so that the buffer is used whatever w and r could do.
	_, err = io.CopyBuffer(struct{ io.Writer }{w}, struct{ io.Reader }{r}, *buf)
	return err
}

// Reader returns the n bytes from off on. It must be closed before h.
func (h *Handle) Reader(off, n int64) (io.ReadCloser, error) {
	if h.Archived() {
		return nil, fault.InvalidObjectState.With("StorageClass", h.StorageClass())
	}
	return h.reader(off, n), nil
}

func (h *Handle) reader(off, n int64) io.ReadCloser { return &rangeReader{h: h, off: off, left: n} }

// rangeReader reads across segments, one open file at a time.
type rangeReader struct {
	h    *Handle
	off  int64 // of the next byte
	left int64
	next int   // segment to open
	end  int64 // of the open segment
	cur  io.Reader
	file io.Closer
}

func (r *rangeReader) Read(p []byte) (int, error) {
	if r.left <= 0 {
		return 0, io.EOF
	}
	if int64(len(p)) > r.left {
		p = p[:r.left]
	}
	if r.cur == nil {
		if err := r.openNext(); err != nil {
			return 0, err
		}
	}
	n, err := r.cur.Read(p)
	r.off += int64(n)
	r.left -= int64(n)
	if errors.Is(err, io.EOF) {
		if err = r.closeFile(); err == nil && r.off < r.end {
			err = io.ErrUnexpectedEOF // the file is shorter than its record says
		}
	}
	return n, err
}

// openNext opens the segment that holds off.
func (r *rangeReader) openNext() error {
	if r.h.inline != nil {
		seg := &segment{size: r.h.Size, body: r.h.source}
		return r.use(seg, nopCloser{}, func(skip int64) (io.Reader, error) { return bytes.NewReader(r.h.inline[skip:]), nil })
	}
	segs := r.h.segments
	for r.next < len(segs) && segs[r.next].start+segs[r.next].size <= r.off {
		r.next++
	}
	if r.next == len(segs) {
		return io.ErrUnexpectedEOF
	}
	seg := &segs[r.next]
	r.next++
	f, err := r.h.s.fs.Open(r.h.s.filePath(seg.body.File), vfs.SequentialReadsOption)
	if notExist(err) {
		return r.h.s.damaged(seg, err)
	}
	if err != nil {
		return fmt.Errorf("open object: %w", err)
	}
	return r.use(seg, f, func(skip int64) (io.Reader, error) { return r.h.s.checked(f, seg, skip) })
}

// use reads on from a segment's stored bytes, which from returns, at off.
// Compressed bytes can only be read from their beginning.
func (r *rangeReader) use(seg *segment, closer io.Closer, from func(skip int64) (io.Reader, error)) error {
	skip := r.off - seg.start
	r.end = min(seg.start+seg.size, r.off+r.left)
	r.file = closer
	if !seg.body.Cold {
		src, err := from(skip)
		if err != nil {
			return errors.Join(err, r.closeFile())
		}
		r.cur = src
		return nil
	}
	src, err := from(0)
	if err != nil {
		return errors.Join(err, r.closeFile())
	}
	dec, err := decompressor(src)
	if err != nil {
		return errors.Join(err, r.closeFile())
	}
	r.file = closers{dec, closer}
	if _, err := io.CopyN(io.Discard, dec, skip); err != nil {
		return errors.Join(err, r.closeFile())
	}
	r.cur = dec
	return nil
}

func (r *rangeReader) closeFile() error {
	r.cur = nil
	if r.file == nil {
		return nil
	}
	f := r.file
	r.file = nil
	return f.Close()
}

// Close closes the file that is open.
func (r *rangeReader) Close() error { return r.closeFile() }

type closers []io.Closer

func (cs closers) Close() error {
	var errs []error
	for _, c := range cs {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}

type nopCloser struct{}

func (nopCloser) Close() error { return nil }
