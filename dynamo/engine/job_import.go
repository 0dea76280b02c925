package engine

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"pressroom/dynamo/attr"
)

// The exceptions of imports.
const (
	ImportNotFound = "ImportNotFoundException"
	ImportConflict = "ImportConflictException"
)

// ImportTable makes a table of the items in objects: JSON as exports write it, or
// CSV.
//
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/S3DataImport.Format.html
func (e *Engine) ImportTable(ctx context.Context, in *dynamodb.ImportTableInput) (*dynamodb.ImportTableOutput, error) {
	if err := e.enter(ctx); err != nil {
		return nil, err
	}
	defer e.store.Leave()
	if err := validateImport(in); err != nil {
		return nil, err
	}
	request := requestText(in)
	def, other := e.byToken(importJob, in.ClientToken, request)
	switch {
	case other:
		return nil, newError(ImportConflict, "There is already an import with this client token and other parameters: %s", aws.ToString(def.Import.ImportArn))
	case def != nil:
		return &dynamodb.ImportTableOutput{ImportTableDescription: told(e, &def.Import)}, nil
	}
	p := in.TableCreationParameters
	create := &dynamodb.CreateTableInput{
		TableName: p.TableName, AttributeDefinitions: p.AttributeDefinitions, KeySchema: p.KeySchema, BillingMode: p.BillingMode,
		ProvisionedThroughput: p.ProvisionedThroughput, OnDemandThroughput: p.OnDemandThroughput, SSESpecification: p.SSESpecification,
		GlobalSecondaryIndexes: p.GlobalSecondaryIndexes, VectorIndexes: p.VectorIndexes,
	}
	if err := validateCreate(create); err != nil {
		return nil, err
	}
	def, err := e.newImport(create, in, request)
	if err != nil {
		return nil, err
	}
	out := &dynamodb.ImportTableOutput{ImportTableDescription: told(e, &def.Import)}
	return out, e.begin(def, func(r *RefusedError) error { return e.endImport(def, nil, r) })
}

func validateImport(in *dynamodb.ImportTableInput) error {
	var c checks
	c.present("s3BucketSource", in.S3BucketSource != nil)
	if in.S3BucketSource != nil {
		c.present("s3BucketSource.s3Bucket", in.S3BucketSource.S3Bucket != nil)
	}
	c.present("inputFormat", in.InputFormat != "")
	c.enum("inputFormat", string(in.InputFormat), "DYNAMODB_JSON", "ION", "CSV")
	c.enum("inputCompressionType", string(in.InputCompressionType), "GZIP", "ZSTD", "NONE")
	c.present("tableCreationParameters", in.TableCreationParameters != nil)
	if o := in.InputFormatOptions; o != nil && o.Csv != nil && o.Csv.Delimiter != nil {
		c.enum("inputFormatOptions.csv.delimiter", *o.Csv.Delimiter, ",", ";", ":", "|", "\t", " ")
	}
	if err := c.err(); err != nil {
		return err
	}
	switch {
	case in.InputFormat == types.InputFormatIon:
		return invalidParameter("Imports of Amazon Ion are not supported by this store")
	case in.InputFormatOptions != nil && in.InputFormatOptions.Csv != nil && in.InputFormat != types.InputFormatCsv:
		return invalid("InputFormatOptions.Csv can only be specified when InputFormat is CSV")
	}
	return nil
}

// newImport enters the table and its job.
func (e *Engine) newImport(create *dynamodb.CreateTableInput, in *dynamodb.ImportTableInput, request string) (*jobDef, error) {
	e.catalog.mu.Lock()
	defer e.catalog.mu.Unlock()
	name := *create.TableName
	if err := e.nameIsFree(name); err != nil {
		return nil, err
	}
	table := e.define(create, name)
	id := e.newJobID()
	job := &jobDef{ID: id, Request: request, Import: &types.ImportTableDescription{
		ImportArn: aws.String(e.tableARN(name) + "/import/" + id), ImportStatus: types.ImportStatusInProgress,
		TableArn: table.Desc.TableArn, TableId: table.Desc.TableId, ClientToken: in.ClientToken, S3BucketSource: in.S3BucketSource,
		InputFormat: in.InputFormat, InputFormatOptions: in.InputFormatOptions, InputCompressionType: in.InputCompressionType,
		TableCreationParameters: in.TableCreationParameters, StartTime: aws.Time(e.moment()),
	}}
	if job.Import.InputCompressionType == "" {
		job.Import.InputCompressionType = types.InputCompressionTypeNone
	}
	if err := e.keepJob(job, nil); err != nil {
		return nil, err
	}
	table.Restore = &restoreDef{Import: id}
	table.Desc.TableStatus = types.TableStatusCreating
	for i := range table.Desc.GlobalSecondaryIndexes {
		table.Desc.GlobalSecondaryIndexes[i].IndexStatus = types.IndexStatusCreating
	}
	t, err := e.addTable(table)
	if err != nil {
		return nil, err
	}
	e.catalog.restoring[name] = t
	return job, nil
}

// importTable runs an import to its end.
func (e *Engine) importTable(ctx context.Context, def *jobDef) error {
	e.catalog.mu.Lock()
	t := e.catalog.restoring[tableOf(aws.ToString(def.Import.TableArn))]
	e.catalog.mu.Unlock()
	switch {
	case t == nil || t.shape.Load().def.Restore.Import != def.ID:
		// It ended between the table's opening and its own end, or never began.
		if e.catalog.get(tableOf(aws.ToString(def.Import.TableArn))) == nil {
			return e.endImport(def, nil, &RefusedError{"InternalError", "The import was broken off before it began"})
		}
		return e.endImport(def, nil, nil)
	}
	n := new(importCounts)
	err := stopped(e.fillFromObjects(ctx, t, def, n))
	var refused *RefusedError
	if err != nil && !errors.As(err, &refused) {
		return err
	}
	if refused != nil {
		e.dropRestore(t)
		return e.endImport(def, n, refused)
	}
	// The counts are kept before the table opens: it must not be open while
	// they are not known.
	if err := e.keepJob(def, func() { n.enter(def) }); err != nil {
		return err
	}
	if err := e.openRestored(t, new(restoreSource)); err != nil {
		return err
	}
	return e.endImport(def, n, nil)
}

// importCounts are the figures of an import.
type importCounts struct{ bytes, processed, imported, errors int64 }

func (n *importCounts) enter(def *jobDef) {
	d := *def.Import
	d.ProcessedSizeBytes, d.ProcessedItemCount, d.ImportedItemCount, d.ErrorCount = aws.Int64(n.bytes), n.processed, n.imported, n.errors
	def.Import = &d
}

// maxImportErrors is how many items may be wrong before an import is given up.
const maxImportErrors = 10_000

// fillFromObjects writes the items of an import. It begins by removing what an
// earlier attempt has left.
func (e *Engine) fillFromObjects(ctx context.Context, t *table, def *jobDef, n *importCounts) error {
	w := e.newBulk()
	w.patient = true
	defer w.close()
	all := appendTable(nil, spaceRow, t.id)
	if err := w.b.DeleteRange(all, prefixEnd(all), nil); err != nil {
		return err
	}
	s, d := t.shape.Load(), def.Import
	in := &input{
		bucket: *d.S3BucketSource.S3Bucket, prefix: aws.ToString(d.S3BucketSource.S3KeyPrefix),
		format: d.InputFormat, compression: d.InputCompressionType, kinds: s.keyKinds(),
	}
	if d.InputFormatOptions != nil {
		in.csv = d.InputFormatOptions.Csv
	}
	var row []byte
	err := in.each(ctx, e, e.jobs.objects, func(size int64) { n.bytes += size }, func(key string, line int, it attr.Item, err error) error {
		n.processed++
		if err == nil {
			err = t.checkStored(s, it)
		}
		if err != nil {
			if n.errors++; n.errors <= 10 {
				e.opts.Logger.Warn("an item is not imported", "table", t.name, "object", key, "line", line, "err", err)
			}
			if n.errors > maxImportErrors {
				return &RefusedError{"ItemValidationError", "Some of the items failed validation checks"}
			}
			return nil
		}
		n.imported++
		row = appendRow(row[:0], it.Size(), it)
		return w.set(t.rowKey(nil, s, it), row)
	})
	if err != nil {
		return err
	}
	if err := w.flush(); err != nil {
		return err
	}
	return e.enterRows(w, t)
}

// checkStored refuses an item that the table cannot hold.
func (t *table) checkStored(s *shape, it attr.Item) error {
	if err := t.checkItem(s, it); err != nil {
		return err
	}
	if it.Size() > MaxItemSize {
		return invalid("Item size has exceeded the maximum allowed size")
	}
	return attr.CheckNesting(it)
}

// keyKinds are the types of all attributes that are keys of the table or of an
// index.
func (s *shape) keyKinds() map[string]attr.Kind {
	kinds := map[string]attr.Kind{}
	for _, a := range keyAttrs(s.key) {
		kinds[a.Name] = a.Kind
	}
	for _, ix := range s.indexes {
		for _, a := range keyAttrs(ix.key) {
			kinds[a.Name] = a.Kind
		}
	}
	return kinds
}

func (e *Engine) endImport(def *jobDef, n *importCounts, refused *RefusedError) error {
	return e.keepJob(def, func() {
		if n != nil {
			n.enter(def)
		}
		d := *def.Import
		d.EndTime, d.ImportStatus = aws.Time(e.moment()), types.ImportStatusCompleted
		if refused != nil {
			d.ImportStatus, d.FailureCode, d.FailureMessage = types.ImportStatusFailed, aws.String(refused.Code), aws.String(refused.Message)
		}
		def.Import = &d
	})
}

// DescribeImport describes an import.
func (e *Engine) DescribeImport(ctx context.Context, in *dynamodb.DescribeImportInput) (*dynamodb.DescribeImportOutput, error) {
	if err := e.enter(ctx); err != nil {
		return nil, err
	}
	defer e.store.Leave()
	def, err := e.findJob(importJob, "importArn", in.ImportArn)
	if err != nil {
		return nil, err
	}
	if def == nil {
		return nil, newError(ImportNotFound, "Import not found: %s", *in.ImportArn)
	}
	return &dynamodb.DescribeImportOutput{ImportTableDescription: told(e, &def.Import)}, nil
}

// ListImports lists the imports into a table, or all, the newest first.
func (e *Engine) ListImports(ctx context.Context, in *dynamodb.ListImportsInput) (*dynamodb.ListImportsOutput, error) {
	if err := e.enter(ctx); err != nil {
		return nil, err
	}
	defer e.store.Leave()
	page, next, err := e.listJobs(importJob, "pageSize", in.PageSize, in.NextToken, func(d *jobDef) bool {
		return (in.TableArn == nil || aws.ToString(d.Import.TableArn) == *in.TableArn)
	})
	if err != nil {
		return nil, err
	}
	out := &dynamodb.ListImportsOutput{ImportSummaryList: []types.ImportSummary{}, NextToken: next}
	for _, def := range page {
		d := told(e, &def.Import)
		out.ImportSummaryList = append(out.ImportSummaryList, types.ImportSummary{
			ImportArn: d.ImportArn, ImportStatus: d.ImportStatus, TableArn: d.TableArn, S3BucketSource: d.S3BucketSource,
			InputFormat: d.InputFormat, StartTime: d.StartTime, EndTime: d.EndTime,
		})
	}
	return out, nil
}
