package disk

import (
	"context"
	"errors"
	"time"

	"pressroom/blob/fault"
	"pressroom/blob/lifecycle"
)

// LifecycleDoc is the name under which a bucket keeps its lifecycle rules, and
// AnySizeDoc marks that they apply to small objects too.
const (
	LifecycleDoc = "lifecycle"
	AnySizeDoc   = "lifecycle-any-size"
)

// Lifecycle returns a bucket's rules, nil if it has none.
func (b *Bucket) Lifecycle() (*lifecycle.Config, error) {
	return Memo(b, LifecycleDoc, func(doc []byte) (*lifecycle.Config, error) {
		c, err := lifecycle.Parse(doc)
		if err != nil {
			return nil, err
		}
		_, c.AnySize = b.Docs[AnySizeDoc]
		return c, c.Validate()
	})
}

// Swept counts what a sweep did.
type Swept struct {
	Expired     int // objects, versions and delete markers that went, or got a delete marker
	Transitions int
	Aborted     int // uploads
	Unrestored  int // restored copies whose days were over
}

// Sweep carries out the lifecycle rules of all buckets as of now, and ends
// restored copies whose time is over. What fails is returned together; the
// rest is done all the same.
func (s *Store) Sweep(ctx context.Context) (Swept, error) {
	var (
		n    Swept
		errs []error
	)
	for _, rec := range s.Buckets() {
		rules, err := rec.Lifecycle()
		if err != nil {
			errs = append(errs, err)
			continue
		}
		ended, err := s.endRestores(rec, s.now())
		n.Unrestored += ended
		errs = append(errs, err)
		if rules == nil {
			continue
		}
		w := &sweeper{s: s, ctx: ctx, rec: rec, rules: rules, now: s.now(), n: &n}
		errs = append(errs, w.objects(), w.uploads())
	}
	return n, errors.Join(errs...)
}

// sweeper sweeps one bucket, page by page, so that it holds nothing open.
type sweeper struct {
	s     *Store
	ctx   context.Context
	rec   *Bucket
	rules *lifecycle.Config
	now   time.Time
	n     *Swept
	errs  []error

	// The key at hand.
	key       string
	successor *Object // the version after the one at hand
	newer     int     // noncurrent versions after it
}

const sweepPage = 1000

func (w *sweeper) objects() error {
	q := Query{Max: sweepPage}
	var held *Object // the last of a page: whether it is alone shows on the next
	for {
		page, err := w.s.ListVersions(w.rec.Name, q)
		if err != nil {
			return errors.Join(append(w.errs, err)...)
		}
		for _, o := range page.Objects {
			if held != nil {
				w.version(held, held.Key != o.Key)
			}
			held = o
			if err := w.ctx.Err(); err != nil {
				return errors.Join(append(w.errs, err)...)
			}
		}
		if !page.Truncated {
			break
		}
		q.After, q.AfterID = page.Next, page.NextID
	}
	if held != nil {
		w.version(held, true)
	}
	return errors.Join(w.errs...)
}

// version decides on one version; oldest says that none of its key is older.
func (w *sweeper) version(o *Object, oldest bool) {
	if o.Latest || o.Key != w.key {
		w.key, w.successor, w.newer = o.Key, nil, 0
	}
	successor := w.successor
	w.successor = o
	look := &lifecycle.Object{Key: o.Key, Size: o.Size, Class: o.Class, Modified: o.Modified, Tags: tagLookup(o.Tags)}
	switch {
	case o.Latest && o.Marker:
		if oldest && w.rules.LoneMarker(look, w.now) {
			w.expire(o, w.id(o))
		}
	case o.Latest:
		w.act(o, w.rules.Current(look, w.now), "")
	case successor != nil:
		newer := w.newer
		w.newer++
		w.act(o, w.rules.Noncurrent(look, successor.Modified, newer, w.now), w.id(o))
	}
}

// id is the version id by which the store finds o, even if unversioned.
func (w *sweeper) id(o *Object) string {
	if w.rec.Versioning == Unversioned {
		return ""
	}
	return o.VersionID()
}

func (w *sweeper) act(o *Object, act lifecycle.Action, version string) {
	switch {
	case act.Expire:
		w.expire(o, version)
	case act.Class != "":
		w.did(&w.n.Transitions, w.s.Transition(w.ctx, w.rec.Name, o.Key, w.id(o), act.Class))
	}
}

// expire deletes o, unless it was replaced since it was listed.
func (w *sweeper) expire(o *Object, version string) {
	same := func(cur *Object) error {
		if cur == nil || cur.Seq != o.Seq {
			return errStop
		}
		return nil
	}
	done, err := w.s.DeleteObjects(w.ctx, w.rec.Name, []Deletion{{Key: o.Key, Version: version, Check: same}})
	if err == nil {
		err = done[0].Err
	}
	if errors.Is(err, errStop) {
		return
	}
	w.did(&w.n.Expired, err)
}

func (w *sweeper) did(n *int, err error) {
	switch {
	case err == nil:
		*n++
	case errors.Is(err, fault.ObjectLocked): // until its retention ends
	case !isNoSuch(err):
		w.errs = append(w.errs, err)
	}
}

func (w *sweeper) uploads() error {
	q := Query{Max: sweepPage}
	var errs []error
	for {
		page, err := w.s.ListUploads(w.rec.Name, q)
		if err != nil {
			return errors.Join(append(errs, err)...)
		}
		for _, u := range page.Objects {
			if w.rules.AbortUpload(u.Key, u.Modified, w.now) {
				err := w.s.AbortUpload(w.rec.Name, u.Key, u.Upload.String(), nil)
				if err == nil {
					w.n.Aborted++
				}
				errs = append(errs, err)
			}
		}
		if !page.Truncated {
			return errors.Join(errs...)
		}
		q.After, q.AfterID = page.Next, page.NextID
	}
}

func tagLookup(tags Pairs) func(string) (string, bool) {
	return func(name string) (string, bool) {
		for _, t := range tags {
			if t.Name == name {
				return t.Value, true
			}
		}
		return "", false
	}
}
