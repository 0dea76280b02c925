package engine

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// A job is what goes on between tables and a store of objects long after its
// request was answered: an export, an import, a bulk put. It is kept before it is
// answered, and begun again when the store is opened, so that it ends whatever
// happens in between. What it writes twice, it writes the same.

// Objects is the store of objects that jobs read and write.
type Objects interface {
	// Put stores an object and returns its entity tag.
	Put(ctx context.Context, bucket, key string, body []byte) (etag string, err error)
	// Get opens an object, which the caller closes.
	Get(ctx context.Context, bucket, key string) (io.ReadCloser, error)
	// List lists the objects whose keys have the prefix, in order.
	List(ctx context.Context, bucket, prefix string) iter.Seq2[Object, error]
}

// Object is an object in a list.
type Object struct {
	Key  string
	Size int64
}

// RefusedError is the error of an [Objects] that will be the same the next time:
// the bucket or object is not there, or not for us. Others are tried again.
type RefusedError struct{ Code, Message string }

func (e *RefusedError) Error() string { return e.Code + ": " + e.Message }

// jobDef is what is kept of a job; one of the three is not nil.
type jobDef struct {
	ID     string
	Export *types.ExportDescription      `json:",omitempty"`
	Import *types.ImportTableDescription `json:",omitempty"`
	Bulk   *BulkOperation                `json:",omitempty"`
	// From and Until bound the changes that an export sees.
	From, Until uint64 `json:",omitzero"`
	// Request is the request that the job's token is good for.
	Request string `json:",omitempty"`
}

// jobs holds all jobs, the ended ones included.
type jobs struct {
	mu      sync.Mutex
	all     map[string]*jobDef
	running map[string]context.CancelFunc
	objects Objects
}

// jobLife is how long a job that has ended is told of.
const jobLife = 90 * 24 * time.Hour

func jobKey(id string) []byte { return append([]byte{spaceJob}, id...) }

func (e *Engine) loadJobs() error {
	e.jobs.mu.Lock()
	defer e.jobs.mu.Unlock()
	e.jobs.all, e.jobs.running = map[string]*jobDef{}, map[string]context.CancelFunc{}
	return e.eachStored(context.Background(), e.db, []byte{spaceJob}, func(key, value []byte) error {
		def := new(jobDef)
		if err := json.Unmarshal(value, def); err != nil {
			return fmt.Errorf("read job %s: %w", key, err)
		}
		e.jobs.all[def.ID] = def
		return nil
	})
}

// UseObjects gives the engine the store of objects for exports, imports and bulk
// operations, and goes on with those that were under way.
func (e *Engine) UseObjects(o Objects) error {
	if err := e.enter(context.Background()); err != nil {
		return err
	}
	defer e.store.Leave()
	e.jobs.mu.Lock()
	e.jobs.objects = o
	e.jobs.mu.Unlock()
	e.resumeJobs()
	return nil
}

// resumeJobs begins again with what was under way.
func (e *Engine) resumeJobs() {
	e.jobs.mu.Lock()
	list := slices.Collect(maps.Values(e.jobs.all))
	ready := e.jobs.objects != nil
	e.jobs.mu.Unlock()
	if !ready {
		return
	}
	for _, def := range list {
		e.startJob(def)
	}
}

// startJob runs a job that has not ended.
func (e *Engine) startJob(def *jobDef) {
	switch {
	case def.Export != nil && def.Export.ExportStatus == types.ExportStatusInProgress:
		e.runJob(def, e.export)
	case def.Import != nil && def.Import.ImportStatus == types.ImportStatusInProgress:
		e.runJob(def, e.importTable)
	case def.Bulk != nil && (def.Bulk.BulkOperationStatus == bulkInProgress || def.Bulk.BulkOperationStatus == bulkCancelling):
		e.runJob(def, e.bulkPut)
	}
}

// runJob runs a job that reads the store until the store is closed or opened
// again.
func (e *Engine) runJob(def *jobDef, run func(context.Context, *jobDef) error) {
	ctx, started := e.jobs.begin(def.ID)
	if !started {
		return
	}
	e.background(func() {
		defer e.jobs.end(def.ID)
		err := run(ctx, def)
		if err != nil && e.goOn(context.Background()) == nil {
			e.opts.Logger.Error("a job between tables and objects", "job", def.ID, "err", err)
		}
	})
}

// begin notes that a job runs, unless it does.
func (j *jobs) begin(id string) (context.Context, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.running[id] != nil {
		return nil, false
	}
	ctx, cancel := context.WithCancel(context.Background())
	j.running[id] = cancel
	return ctx, true
}

func (j *jobs) end(id string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if cancel := j.running[id]; cancel != nil {
		cancel()
	}
	delete(j.running, id)
}

// keepJob stores a job as it is now. change is made under the lock.
func (e *Engine) keepJob(def *jobDef, change func()) error {
	e.jobs.mu.Lock()
	defer e.jobs.mu.Unlock()
	if change != nil {
		change()
	}
	raw, err := json.Marshal(def)
	if err != nil {
		return fmt.Errorf("encode job %s: %w", def.ID, err)
	}
	b := e.db.NewBatch()
	defer func() { _ = b.Close() }()
	if err := b.Set(jobKey(def.ID), raw, nil); err != nil {
		return err
	}
	if err := e.commit(b); err != nil {
		return err
	}
	e.jobs.all[def.ID] = def
	return nil
}

// newJobID is a moment and something random, as in the service's ARNs.
func (e *Engine) newJobID() string {
	var r [4]byte
	_, _ = rand.Read(r[:]) // never fails
	return fmt.Sprintf("%014d-%x", e.now().UnixMilli(), r)
}

// The kinds of jobs, as ARNs have them.
const (
	exportJob = "export"
	importJob = "import"
	bulkJob   = "bulk-operation"
)

// begun is the job's kind, the token of the request that it began with, and when.
func (d *jobDef) begun() (kind string, token *string, at time.Time) {
	switch {
	case d.Export != nil:
		return exportJob, d.Export.ClientToken, aws.ToTime(d.Export.StartTime)
	case d.Import != nil:
		return importJob, d.Import.ClientToken, aws.ToTime(d.Import.StartTime)
	}
	return bulkJob, d.Bulk.ClientToken, aws.ToTime(d.Bulk.StartTime)
}

// byToken finds the job that a request was answered with before; other tells that it
// was another request.
func (e *Engine) byToken(kind string, token *string, request string) (def *jobDef, other bool) {
	if token == nil {
		return nil, false
	}
	e.jobs.mu.Lock()
	defer e.jobs.mu.Unlock()
	for _, def := range e.jobs.all {
		k, t, at := def.begun()
		if k == kind && t != nil && *t == *token && e.now().Before(at.Add(8*time.Hour)) {
			return def, def.Request != request
		}
	}
	return nil, false
}

// begin starts a new job. Without a store of objects it has ended, refused.
func (e *Engine) begin(def *jobDef, end func(*RefusedError) error) error {
	e.jobs.mu.Lock()
	ready := e.jobs.objects != nil
	e.jobs.mu.Unlock()
	if !ready {
		return end(&RefusedError{"S3NoSuchBucket", "The specified bucket does not exist"})
	}
	e.startJob(def)
	return nil
}

// findJob finds the job of a kind that a request names by its ARN, at a member; nil if
// there is none.
func (e *Engine) findJob(kind, at string, name *string) (*jobDef, error) {
	var c checks
	c.streamARN(at, name)
	if err := c.err(); err != nil {
		return nil, err
	}
	a, ok := parseARN(*name)
	if !ok || a.kind != kind || !e.owns(a) || a.region != e.opts.Region {
		return nil, nil
	}
	e.jobs.mu.Lock()
	defer e.jobs.mu.Unlock()
	def := e.jobs.all[a.id]
	if def == nil {
		return nil, nil
	}
	if k, _, _ := def.begun(); k != kind {
		return nil, nil
	}
	return def, nil
}

// told is a copy of a job's description, which is never changed but replaced.
func told[T any](e *Engine, d **T) *T {
	e.jobs.mu.Lock()
	defer e.jobs.mu.Unlock()
	v := **d
	return &v
}

// listJobs returns a page of the jobs of a kind that pick chooses, the newest first; at
// is the member with the limit.
func (e *Engine) listJobs(kind, at string, limit *int32, token *string, pick func(*jobDef) bool) (page []*jobDef, next *string, err error) {
	var c checks
	c.atLeast(at, limit, 1)
	c.atMost(at, limit, 25)
	if err := c.err(); err != nil {
		return nil, nil, err
	}
	e.jobs.mu.Lock()
	defer e.jobs.mu.Unlock()
	var list []*jobDef
	for _, def := range e.jobs.all {
		if k, _, _ := def.begun(); k == kind && pick(def) && (token == nil || def.ID < *token) {
			list = append(list, def)
		}
	}
	slices.SortFunc(list, func(a, b *jobDef) int { return strings.Compare(b.ID, a.ID) })
	n := int32(25)
	if limit != nil {
		n = *limit
	}
	page, next = cut(list, &n, func(def *jobDef) *string { return aws.String(def.ID) })
	return page, next, nil
}

// persist tries again what fails, until it is refused or the store closes.
func (e *Engine) persist(ctx context.Context, do func() error) error {
	for wait := 50 * time.Millisecond; ; wait = min(2*wait, 5*time.Second) {
		err := do()
		var refused *RefusedError
		if err == nil || errors.As(err, &refused) {
			return err
		}
		if stop := e.goOn(ctx); stop != nil {
			return stop
		}
		e.opts.Logger.Warn("a store of objects does not answer; trying again", "err", err)
		select {
		case <-e.stop:
			return errStopped
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
	}
}

// requestText is a request as a token remembers it.
func requestText(in any) string {
	raw, _ := json.Marshal(in) // plain structs
	return string(raw)
}
