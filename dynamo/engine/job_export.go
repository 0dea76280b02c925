package engine

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"pressroom/dynamo/attr"
)

// The exceptions of exports.
const (
	ExportNotFound    = "ExportNotFoundException"
	ExportConflict    = "ExportConflictException"
	InvalidExportTime = "InvalidExportTimeException"
)

// ExportTableToPointInTime writes a table as it was at a moment, or what changed
// between two, to objects in the service's own format.
//
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/S3DataExport.Output.html
func (e *Engine) ExportTableToPointInTime(ctx context.Context, in *dynamodb.ExportTableToPointInTimeInput) (*dynamodb.ExportTableToPointInTimeOutput, error) {
	if err := e.enter(ctx); err != nil {
		return nil, err
	}
	defer e.store.Leave()
	if err := validateExport(in); err != nil {
		return nil, err
	}
	t, err := e.recoverable(*in.TableArn)
	if err != nil {
		return nil, err
	}
	request := requestText(in)
	def, other := e.byToken(exportJob, in.ClientToken, request)
	switch {
	case other:
		return nil, newError(ExportConflict, "There is already an export with this client token and other parameters: %s", aws.ToString(def.Export.ExportArn))
	case def != nil:
		return &dynamodb.ExportTableToPointInTimeOutput{ExportDescription: told(e, &def.Export)}, nil
	}
	if def, err = e.newExport(t, in); err != nil {
		return nil, err
	}
	def.Request = request
	if err := e.keepJob(def, nil); err != nil {
		return nil, err
	}
	out := &dynamodb.ExportTableToPointInTimeOutput{ExportDescription: told(e, &def.Export)}
	return out, e.begin(def, func(r *RefusedError) error { return e.endExport(def, 0, 0, r) })
}

func validateExport(in *dynamodb.ExportTableToPointInTimeInput) error {
	var c checks
	c.present("tableArn", in.TableArn != nil)
	c.present("s3Bucket", in.S3Bucket != nil)
	c.enum("s3SseAlgorithm", string(in.S3SseAlgorithm), "AES256", "KMS")
	c.enum("exportFormat", string(in.ExportFormat), "DYNAMODB_JSON", "ION")
	c.enum("exportType", string(in.ExportType), "FULL_EXPORT", "INCREMENTAL_EXPORT")
	if s := in.IncrementalExportSpecification; s != nil {
		c.enum("incrementalExportSpecification.exportViewType", string(s.ExportViewType), "NEW_IMAGE", "NEW_AND_OLD_IMAGES")
	}
	if err := c.err(); err != nil {
		return err
	}
	incremental := in.ExportType == types.ExportTypeIncrementalExport
	switch {
	case in.ExportFormat == types.ExportFormatIon:
		return invalidParameter("Exports in Amazon Ion are not supported by this store")
	case in.FilterSpecification != nil:
		return invalidParameter("Filtered exports are not supported by this store")
	case !incremental && in.IncrementalExportSpecification != nil:
		return invalid("IncrementalExportSpecification can only be specified when ExportType is INCREMENTAL_EXPORT")
	case incremental && (in.IncrementalExportSpecification == nil || in.IncrementalExportSpecification.ExportFromTime == nil):
		return invalid("ExportFromTime is required when ExportType is INCREMENTAL_EXPORT")
	case incremental && in.ExportTime != nil:
		return invalid("ExportTime cannot be specified when ExportType is INCREMENTAL_EXPORT")
	}
	return nil
}

// newExport makes the job of a request, which sees what was acknowledged before
// it.
func (e *Engine) newExport(t *table, in *dynamodb.ExportTableToPointInTimeInput) (*jobDef, error) {
	def := t.shape.Load().def
	if !def.Recovery.Enabled {
		return nil, newError(RecoveryUnavailable, "Point in time recovery is not enabled for table '%s'", t.name)
	}
	now := e.moment()
	issued := t.seq.issued()
	id := e.newJobID()
	d := &types.ExportDescription{
		ExportArn: aws.String(aws.ToString(def.Desc.TableArn) + "/export/" + id), ExportStatus: types.ExportStatusInProgress,
		StartTime: aws.Time(now), TableArn: def.Desc.TableArn, TableId: def.Desc.TableId, ClientToken: in.ClientToken,
		S3Bucket: in.S3Bucket, S3BucketOwner: in.S3BucketOwner, S3Prefix: in.S3Prefix, S3SseAlgorithm: in.S3SseAlgorithm, S3SseKmsKeyId: in.S3SseKmsKeyId,
		ExportFormat: types.ExportFormatDynamodbJson, ExportType: types.ExportTypeFullExport,
	}
	job := &jobDef{ID: id, Export: d, Until: max(uint64(now.UnixMicro()), issued)}
	at := now
	if s := in.IncrementalExportSpecification; s != nil {
		spec := *s
		if spec.ExportToTime == nil {
			spec.ExportToTime = aws.Time(now)
		}
		if spec.ExportViewType == "" {
			spec.ExportViewType = types.ExportViewTypeNewAndOldImages
		}
		d.ExportType, d.IncrementalExportSpecification = types.ExportTypeIncrementalExport, &spec
		job.From, at = uint64(spec.ExportFromTime.UnixMicro()), *spec.ExportToTime
		switch window := at.Sub(*spec.ExportFromTime); {
		case window <= 0:
			return nil, invalid("The specified ExportFromTime must be less than ExportToTime")
		case window > 24*time.Hour:
			return nil, invalid("The difference between ExportFromTime and ExportToTime must be less than or equal to 24 hours")
		}
		if err := e.checkExportTime(def, *spec.ExportFromTime); err != nil {
			return nil, err
		}
	} else if in.ExportTime != nil {
		at = *in.ExportTime
	}
	if !at.Equal(now) {
		job.Until = uint64(at.UnixMicro())
	}
	if d.ExportType == types.ExportTypeFullExport {
		d.ExportTime = aws.Time(at)
	}
	return job, e.checkExportTime(def, at)
}

func (e *Engine) checkExportTime(def *tableDef, at time.Time) error {
	if at.Before(def.Recovery.earliest(e.now())) || at.After(e.now()) {
		return newError(InvalidExportTime, "The specified export time is outside of the point in time recovery window")
	}
	return nil
}

// DescribeExport describes an export.
func (e *Engine) DescribeExport(ctx context.Context, in *dynamodb.DescribeExportInput) (*dynamodb.DescribeExportOutput, error) {
	if err := e.enter(ctx); err != nil {
		return nil, err
	}
	defer e.store.Leave()
	def, err := e.findJob(exportJob, "exportArn", in.ExportArn)
	if err != nil {
		return nil, err
	}
	if def == nil {
		return nil, newError(ExportNotFound, "Export not found: %s", *in.ExportArn)
	}
	return &dynamodb.DescribeExportOutput{ExportDescription: told(e, &def.Export)}, nil
}

// ListExports lists the exports of a table, or all, the newest first.
func (e *Engine) ListExports(ctx context.Context, in *dynamodb.ListExportsInput) (*dynamodb.ListExportsOutput, error) {
	if err := e.enter(ctx); err != nil {
		return nil, err
	}
	defer e.store.Leave()
	page, next, err := e.listJobs(exportJob, "maxResults", in.MaxResults, in.NextToken, func(d *jobDef) bool {
		return (in.TableArn == nil || aws.ToString(d.Export.TableArn) == *in.TableArn)
	})
	if err != nil {
		return nil, err
	}
	out := &dynamodb.ListExportsOutput{ExportSummaries: []types.ExportSummary{}, NextToken: next}
	for _, def := range page {
		d := told(e, &def.Export)
		out.ExportSummaries = append(out.ExportSummaries, types.ExportSummary{ExportArn: d.ExportArn, ExportStatus: d.ExportStatus, ExportType: d.ExportType})
	}
	return out, nil
}

// export runs an export to its end.
func (e *Engine) export(ctx context.Context, def *jobDef) error {
	w := &exporter{e: e, ctx: ctx, def: def, to: e.jobs.objects}
	err := w.run()
	var refused *RefusedError
	if err != nil && !errors.As(err, &refused) {
		return err
	}
	return e.endExport(def, w.items, w.bytes, refused)
}

func (e *Engine) endExport(def *jobDef, items, size int64, refused *RefusedError) error {
	return e.keepJob(def, func() {
		d := *def.Export
		d.EndTime = aws.Time(e.moment())
		if refused != nil {
			d.ExportStatus, d.FailureCode, d.FailureMessage = types.ExportStatusFailed, aws.String(refused.Code), aws.String(refused.Message)
		} else {
			d.ExportStatus, d.ExportManifest = types.ExportStatusCompleted, aws.String(def.exportKey("manifest-summary.json"))
			d.ItemCount, d.BilledSizeBytes = aws.Int64(items), aws.Int64(size)
		}
		def.Export = &d
	})
}

// exportKey is the key of an object beside the manifests.
func (d *jobDef) exportKey(name string) string {
	return d.exportPlace() + d.ID + "/" + name
}

func (d *jobDef) exportPlace() string {
	prefix := strings.TrimSuffix(aws.ToString(d.Export.S3Prefix), "/")
	if prefix != "" {
		prefix += "/"
	}
	return prefix + "AWSDynamoDB/"
}

// dataKey is the key of the nth file of data; those of incremental exports share
// a folder.
func (d *jobDef) dataKey(n int) string {
	sum := sha256.Sum256([]byte(d.ID + "/" + strconv.Itoa(n)))
	name := strings.ToLower(base32.StdEncoding.EncodeToString(sum[:])[:26]) + ".json.gz"
	if d.Export.ExportType == types.ExportTypeIncrementalExport {
		return d.exportPlace() + "data/" + name
	}
	return d.exportKey("data/" + name)
}

// exportFile is how much of the data a file holds, before it is packed.
const exportFile = 64 << 20

// exporter writes the objects of an export.
type exporter struct {
	e   *Engine
	ctx context.Context
	def *jobDef
	to  Objects

	line     []byte
	packed   bytes.Buffer
	zip      *gzip.Writer
	plain    int // bytes in the file that has begun
	inFile   int64
	files    int
	manifest bytes.Buffer

	items, bytes int64
}

func (w *exporter) put(key string, body []byte) (etag string, err error) {
	err = w.e.persist(w.ctx, func() (err error) {
		etag, err = w.to.Put(w.ctx, *w.def.Export.S3Bucket, key, body)
		return err
	})
	return strings.Trim(etag, `"`), err
}

func (w *exporter) run() error {
	if _, err := w.put(w.def.exportKey("_started"), nil); err != nil {
		return err
	}
	w.zip = gzip.NewWriter(&w.packed)
	if err := w.data(); err != nil {
		return err
	}
	if w.plain > 0 || w.files == 0 { // an empty table has an empty file
		if err := w.endFile(); err != nil {
			return err
		}
	}
	summary, err := w.summary()
	if err != nil {
		return err
	}
	for _, f := range []struct {
		name string
		body []byte
	}{{"manifest-files", w.manifest.Bytes()}, {"manifest-summary", summary}} {
		sum := md5.Sum(f.body)
		if _, err := w.put(w.def.exportKey(f.name+".json"), f.body); err != nil {
			return err
		}
		if _, err := w.put(w.def.exportKey(f.name+".checksum"), []byte(base64.StdEncoding.EncodeToString(sum[:]))); err != nil {
			return err
		}
	}
	return nil
}

// data writes the items, or the changes.
func (w *exporter) data() error {
	t := w.e.catalog.get(tableOf(aws.ToString(w.def.Export.TableArn)))
	if t == nil || aws.ToString(t.shape.Load().def.Desc.TableId) != aws.ToString(w.def.Export.TableId) {
		return &RefusedError{"TableNotFound", "The table has been deleted"}
	}
	src, err := w.e.sourceNow(t)
	if err != nil {
		return &RefusedError{"TableNotFound", "The table has been deleted"}
	}
	defer src.close()
	if w.def.Export.ExportType == types.ExportTypeIncrementalExport {
		return w.changes(t, src)
	}
	return w.rows(src)
}

func tableOf(arn string) string {
	a, _ := parseARN(arn)
	return a.table
}

// past is what an item was before and after the changes of a time.
type past struct {
	old, new attr.Item
	last     uint64
}

// window gathers the changes after from up to until, by key.
func (w *exporter) window(src *restoreSource, from, until uint64) (map[string]*past, []string, error) {
	it, err := src.log.NewIter(changeBounds(src.table, from+1, until))
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = it.Close() }()
	found, order := map[string]*past{}, []string{}
	for ok := it.First(); ok; ok = it.Next() {
		if err := w.e.goOn(w.ctx); err != nil {
			return nil, nil, err
		}
		c, err := parseChangeRecord(sequenceOf(it.Key()), it.Value())
		if err != nil {
			return nil, nil, err
		}
		p := found[string(c.Key)]
		if p == nil {
			p = &past{old: c.Old.Clone()}
			if c.Old == nil {
				p.old = nil
			}
			found[string(c.Key)] = p
			order = append(order, string(c.Key))
		}
		p.new, p.last = nil, c.Seq
		if c.New != nil {
			p.new = c.New.Clone()
		}
	}
	return found, order, it.Error()
}

// rows writes the items as they were at the moment: those that changed since are
// taken from the log.
func (w *exporter) rows(src *restoreSource) error {
	since, order, err := w.window(src, w.def.Until, src.issued)
	if err != nil {
		return err
	}
	err = w.e.eachStored(w.ctx, src.rows, src.prefix, func(key, value []byte) error {
		if since[string(key[hashLen:])] != nil {
			return nil
		}
		size, item, ok := splitRow(value)
		if !ok {
			return w.e.damagedRow()
		}
		return w.item(item, size)
	})
	if err != nil {
		return err
	}
	for _, key := range order {
		if old := since[key].old; old != nil {
			if err := w.item(old, old.Size()); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *exporter) item(it attr.Item, size int) error {
	w.line = append(w.line[:0], `{"Item":`...)
	w.line = attr.AppendItemJSON(w.line, it)
	w.line = append(w.line, "}\n"...)
	return w.write(size)
}

// changes writes what became of each item that changed in the window.
func (w *exporter) changes(t *table, src *restoreSource) error {
	found, order, err := w.window(src, w.def.From, min(w.def.Until, src.issued))
	if err != nil {
		return err
	}
	s := t.shape.Load()
	both := w.def.Export.IncrementalExportSpecification.ExportViewType == types.ExportViewTypeNewAndOldImages
	for _, key := range order {
		p := found[key]
		known := p.new
		if known == nil {
			known = p.old
		}
		if known == nil {
			continue // it came and went
		}
		w.line = append(w.line[:0], `{"Metadata":{"WriteTimestampMicros":{"N":"`...)
		w.line = strconv.AppendUint(w.line, p.last, 10)
		w.line = append(w.line, `"}},"Keys":`...)
		w.line = attr.AppendItemJSON(w.line, s.keyOf(known, nil))
		if both && p.old != nil {
			w.line = append(w.line, `,"OldImage":`...)
			w.line = attr.AppendItemJSON(w.line, p.old)
		}
		if p.new != nil {
			w.line = append(w.line, `,"NewImage":`...)
			w.line = attr.AppendItemJSON(w.line, p.new)
		}
		w.line = append(w.line, "}\n"...)
		if err := w.write(known.Size()); err != nil {
			return err
		}
	}
	return nil
}

// write adds the line to the file, and ends that if it is full.
func (w *exporter) write(size int) error {
	if _, err := w.zip.Write(w.line); err != nil {
		return err
	}
	w.plain += len(w.line)
	w.inFile++
	w.items++
	w.bytes += int64(size)
	if w.plain < exportFile {
		return nil
	}
	return w.endFile()
}

func (w *exporter) endFile() error {
	if err := w.zip.Close(); err != nil {
		return err
	}
	key := w.def.dataKey(w.files)
	sum := md5.Sum(w.packed.Bytes())
	etag, err := w.put(key, w.packed.Bytes())
	if err != nil {
		return err
	}
	err = json.NewEncoder(&w.manifest).Encode(struct {
		ItemCount     int64  `json:"itemCount"`
		MD5Checksum   string `json:"md5Checksum"`
		Etag          string `json:"etag"`
		DataFileS3Key string `json:"dataFileS3Key"`
	}{w.inFile, base64.StdEncoding.EncodeToString(sum[:]), etag, key})
	w.packed.Reset()
	w.zip.Reset(&w.packed)
	w.files, w.plain, w.inFile = w.files+1, 0, 0
	return err
}

// summary is manifest-summary.json.
func (w *exporter) summary() ([]byte, error) {
	d := w.def.Export
	stamp := func(t *time.Time) *string {
		if t == nil {
			return nil
		}
		return aws.String(t.UTC().Format("2006-01-02T15:04:05.000Z"))
	}
	m := struct {
		Version          string  `json:"version"`
		ExportArn        *string `json:"exportArn"`
		StartTime        *string `json:"startTime"`
		EndTime          *string `json:"endTime"`
		TableArn         *string `json:"tableArn"`
		TableID          *string `json:"tableId"`
		ExportTime       *string `json:"exportTime,omitempty"`
		ExportFromTime   *string `json:"exportFromTime,omitempty"`
		ExportToTime     *string `json:"exportToTime,omitempty"`
		S3Bucket         *string `json:"s3Bucket"`
		S3Prefix         *string `json:"s3Prefix"`
		S3SseAlgorithm   string  `json:"s3SseAlgorithm"`
		S3SseKmsKeyID    *string `json:"s3SseKmsKeyId"`
		ManifestFilesKey string  `json:"manifestFilesS3Key"`
		BilledSizeBytes  int64   `json:"billedSizeBytes"`
		ItemCount        int64   `json:"itemCount"`
		OutputFormat     string  `json:"outputFormat"`
		OutputView       string  `json:"outputView,omitempty"`
		ExportType       string  `json:"exportType"`
	}{
		Version: "2023-08-01", ExportArn: d.ExportArn, StartTime: stamp(d.StartTime), EndTime: stamp(aws.Time(w.e.moment())),
		TableArn: d.TableArn, TableID: d.TableId, ExportTime: stamp(d.ExportTime), S3Bucket: d.S3Bucket, S3Prefix: d.S3Prefix,
		S3SseAlgorithm: string(d.S3SseAlgorithm), S3SseKmsKeyID: d.S3SseKmsKeyId, ManifestFilesKey: w.def.exportKey("manifest-files.json"),
		BilledSizeBytes: w.bytes, ItemCount: w.items, OutputFormat: "DYNAMODB_JSON", ExportType: string(d.ExportType),
	}
	if m.S3SseAlgorithm == "" {
		m.S3SseAlgorithm = "AES256"
	}
	if s := d.IncrementalExportSpecification; s != nil {
		m.ExportFromTime, m.ExportToTime, m.OutputView = stamp(s.ExportFromTime), stamp(s.ExportToTime), string(s.ExportViewType)
	}
	return json.Marshal(m)
}
