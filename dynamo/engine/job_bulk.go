package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"pressroom/dynamo/attr"
)

// The Go SDK does not have the bulk operations yet; these are their shapes in the
// service's model.

// BulkInput is the InputS3Configuration of a bulk operation.
type BulkInput struct {
	S3BucketOwner, S3Bucket, S3KeyPrefix *string
	InputFormat                          types.InputFormat
	InputCompressionType                 types.InputCompressionType
}

// BulkOutput is the OutputS3Configuration of a bulk operation.
type BulkOutput struct {
	S3BucketOwner, S3Bucket, S3KeyPrefix *string
	S3SseAlgorithm                       types.S3SseAlgorithm
	S3SseKmsKeyId                        *string
	OutputType                           []string
}

// StartBulkPutItemsInput asks for a bulk put.
type StartBulkPutItemsInput struct {
	ClientToken           *string
	InputS3Configuration  *BulkInput
	OutputS3Configuration *BulkOutput
	TableName             *string
	MaxWriteRequestUnits  *int64
	PerformanceTier       BulkTier
}

// BulkTier is a performance tier.
type BulkTier string

// BulkTable names a table of a bulk operation.
type BulkTable struct{ TableName, TableId *string }

// BulkBytes is what was written to a table.
type BulkBytes struct{ BulkPutBytes *int64 }

// BulkUsage is what a bulk operation has used.
type BulkUsage struct {
	TableName    *string
	BulkPutBytes *int64
	Table        *BulkBytes
}

// BulkOperation describes a bulk operation.
type BulkOperation struct {
	BulkOperationArn      *string
	BulkOperationStatus   string
	TableDetails          []BulkTable
	ClientToken           *string
	InputS3Configuration  *BulkInput
	OutputS3Configuration *BulkOutput
	StartTime, EndTime    *time.Time
	ProcessedItemCount    *int64
	ProcessedInputBytes   *int64
	BulkOperationUsage    []BulkUsage
	FailedItemCount       *int64
	FailureCode           *string
	FailureMessage        *string
	MaxWriteRequestUnits  *int64
	PerformanceTier       BulkTier
}

// The states of a bulk operation.
const (
	bulkInProgress = "IN_PROGRESS"
	bulkCompleted  = "COMPLETED"
	bulkWithErrors = "COMPLETED_WITH_ERRORS"
	bulkCancelling = "CANCELLING"
	bulkCancelled  = "CANCELLED"
	bulkFailed     = "FAILED"
)

type (
	// BulkOperationOutput answers StartBulkPutItems and DescribeBulkOperation.
	BulkOperationOutput struct{ BulkOperationDescription *BulkOperation }
	// BulkOperationInput names a bulk operation.
	BulkOperationInput struct{ BulkOperationArn *string }
	// CancelBulkOperationOutput answers CancelBulkOperation.
	CancelBulkOperationOutput struct {
		BulkOperationArn    *string
		BulkOperationStatus string
	}
	// ListBulkOperationsInput asks for a page.
	ListBulkOperationsInput struct {
		MaxResults *int32
		NextToken  *string
	}
	// BulkSummary is a bulk operation in a list.
	BulkSummary struct {
		BulkOperationArn    *string
		BulkOperationStatus string
		StartTime, EndTime  *time.Time
	}
	// ListBulkOperationsOutput is a page.
	ListBulkOperationsOutput struct {
		BulkOperationsSummaryList []BulkSummary
		NextToken                 *string
	}
)

// StartBulkPutItems puts the items in objects into a table that exists.
func (e *Engine) StartBulkPutItems(ctx context.Context, in *StartBulkPutItemsInput) (*BulkOperationOutput, error) {
	if err := e.enter(ctx); err != nil {
		return nil, err
	}
	defer e.store.Leave()
	if err := validateBulk(in); err != nil {
		return nil, err
	}
	t, err := e.describedTable(*in.TableName)
	if err != nil {
		return nil, err
	}
	request := requestText(in)
	def, other := e.byToken(bulkJob, in.ClientToken, request)
	switch {
	case other:
		return nil, errTokenMismatch
	case def != nil:
		return &BulkOperationOutput{told(e, &def.Bulk)}, nil
	}
	d := t.shape.Load().def.Desc
	id := e.newJobID()
	def = &jobDef{ID: id, Request: request, Bulk: &BulkOperation{
		BulkOperationArn: aws.String(aws.ToString(d.TableArn) + "/bulk-operation/" + id), BulkOperationStatus: bulkInProgress,
		TableDetails: []BulkTable{{d.TableArn, d.TableId}}, ClientToken: in.ClientToken,
		InputS3Configuration: in.InputS3Configuration, OutputS3Configuration: in.OutputS3Configuration,
		StartTime: aws.Time(e.moment()), MaxWriteRequestUnits: in.MaxWriteRequestUnits, PerformanceTier: in.PerformanceTier,
	}}
	if def.Bulk.PerformanceTier == "" {
		def.Bulk.PerformanceTier = "STANDARD"
	}
	if err := e.keepJob(def, nil); err != nil {
		return nil, err
	}
	out := &BulkOperationOutput{told(e, &def.Bulk)}
	return out, e.begin(def, func(r *RefusedError) error { return e.endBulk(def, new(importCounts), r) })
}

func validateBulk(in *StartBulkPutItemsInput) error {
	var c checks
	c.nameOrARN("tableName", in.TableName)
	c.present("inputS3Configuration", in.InputS3Configuration != nil)
	if s := in.InputS3Configuration; s != nil {
		c.present("inputS3Configuration.s3Bucket", s.S3Bucket != nil)
		c.present("inputS3Configuration.inputFormat", s.InputFormat != "")
		c.enum("inputS3Configuration.inputFormat", string(s.InputFormat), "DYNAMODB_JSON", "ION")
		c.enum("inputS3Configuration.inputCompressionType", string(s.InputCompressionType), "GZIP", "ZSTD", "NONE")
	}
	c.present("outputS3Configuration", in.OutputS3Configuration != nil)
	if s := in.OutputS3Configuration; s != nil {
		c.present("outputS3Configuration.outputType", s.OutputType != nil)
		for i, kind := range s.OutputType {
			c.enum(fmt.Sprintf("outputS3Configuration.outputType.%d.member", i+1), kind, "ERROR", "CONDITION_CHECK_FAILURE")
		}
		c.enum("outputS3Configuration.s3SseAlgorithm", string(s.S3SseAlgorithm), "AES256", "KMS")
	}
	c.enum("performanceTier", string(in.PerformanceTier), "STANDARD", "ACCELERATED")
	if n := in.MaxWriteRequestUnits; n != nil && *n < 1024 {
		c.add(quote(fmt.Sprint(*n)), "maxWriteRequestUnits", "Member must have value greater than or equal to 1024")
	}
	if err := c.err(); err != nil {
		return err
	}
	switch {
	case in.InputS3Configuration.InputFormat == types.InputFormatIon:
		return invalidParameter("Amazon Ion is not supported by this store")
	case in.OutputS3Configuration.S3Bucket == nil:
		return invalid("OutputS3Configuration must have a S3Bucket")
	}
	return nil
}

func (e *Engine) findBulk(arn *string) (*jobDef, error) {
	def, err := e.findJob(bulkJob, "bulkOperationArn", arn)
	if err != nil {
		return nil, err
	}
	if def == nil {
		return nil, newError(NotFound, "Requested resource not found: Bulk operation: %s not found", *arn)
	}
	return def, nil
}

// DescribeBulkOperation describes a bulk operation.
func (e *Engine) DescribeBulkOperation(ctx context.Context, in *BulkOperationInput) (*BulkOperationOutput, error) {
	if err := e.enter(ctx); err != nil {
		return nil, err
	}
	defer e.store.Leave()
	def, err := e.findBulk(in.BulkOperationArn)
	if err != nil {
		return nil, err
	}
	return &BulkOperationOutput{told(e, &def.Bulk)}, nil
}

// CancelBulkOperation ends a bulk operation early. What it has written stays.
func (e *Engine) CancelBulkOperation(ctx context.Context, in *BulkOperationInput) (*CancelBulkOperationOutput, error) {
	if err := e.enter(ctx); err != nil {
		return nil, err
	}
	defer e.store.Leave()
	def, err := e.findBulk(in.BulkOperationArn)
	if err != nil {
		return nil, err
	}
	err = e.keepJob(def, func() {
		if def.Bulk.BulkOperationStatus == bulkInProgress {
			d := *def.Bulk
			d.BulkOperationStatus = bulkCancelling
			def.Bulk = &d
		}
	})
	if err != nil {
		return nil, err
	}
	e.jobs.mu.Lock()
	defer e.jobs.mu.Unlock()
	if cancel := e.jobs.running[def.ID]; cancel != nil && def.Bulk.BulkOperationStatus == bulkCancelling {
		cancel()
	}
	return &CancelBulkOperationOutput{def.Bulk.BulkOperationArn, def.Bulk.BulkOperationStatus}, nil
}

// ListBulkOperations lists the bulk operations of the last 90 days, the newest
// first.
func (e *Engine) ListBulkOperations(ctx context.Context, in *ListBulkOperationsInput) (*ListBulkOperationsOutput, error) {
	if err := e.enter(ctx); err != nil {
		return nil, err
	}
	defer e.store.Leave()
	page, next, err := e.listJobs(bulkJob, "maxResults", in.MaxResults, in.NextToken, func(d *jobDef) bool {
		return e.now().Before(aws.ToTime(d.Bulk.StartTime).Add(jobLife))
	})
	if err != nil {
		return nil, err
	}
	out := &ListBulkOperationsOutput{BulkOperationsSummaryList: []BulkSummary{}, NextToken: next}
	for _, def := range page {
		d := told(e, &def.Bulk)
		out.BulkOperationsSummaryList = append(out.BulkOperationsSummaryList, BulkSummary{d.BulkOperationArn, d.BulkOperationStatus, d.StartTime, d.EndTime})
	}
	return out, nil
}

// bulkItems is how many items are written together.
const bulkItems = 100

// bulkPut runs a bulk put to its end. Begun again, it puts again what it has put
// before.
func (e *Engine) bulkPut(ctx context.Context, def *jobDef) error {
	n := new(importCounts)
	errs := new(bytes.Buffer)
	err := stopped(e.putFromObjects(ctx, def, n, errs))
	cancelled := told(e, &def.Bulk).BulkOperationStatus == bulkCancelling
	var refused *RefusedError
	switch {
	case cancelled && e.goOn(context.Background()) == nil:
		return e.endBulk(def, n, &RefusedError{"UserCancelled", "The bulk operation was cancelled"})
	case err != nil && !errors.As(err, &refused):
		return err
	}
	if out := def.Bulk.OutputS3Configuration; errs.Len() > 0 && refused == nil {
		prefix := strings.TrimSuffix(aws.ToString(out.S3KeyPrefix), "/")
		if prefix != "" {
			prefix += "/"
		}
		err := e.persist(ctx, func() error {
			_, err := e.jobs.objects.Put(ctx, *out.S3Bucket, prefix+"AWSDynamoDB/"+def.ID+"/error/000000.json", errs.Bytes())
			return err
		})
		if err != nil && !errors.As(err, &refused) {
			return err
		}
	}
	return e.endBulk(def, n, refused)
}

func (e *Engine) putFromObjects(ctx context.Context, def *jobDef, n *importCounts, errs *bytes.Buffer) error {
	t := e.catalog.get(tableOf(aws.ToString(def.Bulk.TableDetails[0].TableName)))
	if t == nil || aws.ToString(t.shape.Load().def.Desc.TableId) != aws.ToString(def.Bulk.TableDetails[0].TableId) {
		return &RefusedError{"TableNotFound", "The table has been deleted"}
	}
	conf := def.Bulk.InputS3Configuration
	in := &input{bucket: *conf.S3Bucket, prefix: aws.ToString(conf.S3KeyPrefix), format: conf.InputFormat, compression: conf.InputCompressionType}
	var open []*action
	seen := map[string]bool{}
	flush := func() error {
		if len(open) == 0 {
			return nil
		}
		if err := e.await(); err != nil {
			return err
		}
		if err := e.mutateAll(open, nil, nil); err != nil {
			return firstRefusal(open, err)
		}
		open, seen = open[:0], map[string]bool{}
		return nil
	}
	err := in.each(ctx, e, e.jobs.objects, func(size int64) { n.bytes += size }, func(key string, line int, it attr.Item, err error) error {
		n.processed++
		var a *action
		if err == nil {
			err = t.checkStored(t.shape.Load(), it)
		}
		if err == nil {
			a, err = (&BatchWriteItem{Item: it}).action(t, "")
		}
		if err != nil {
			n.errors++
			return noteError(errs, key, line, err)
		}
		if seen[string(a.key)] || len(open) == bulkItems {
			if err := flush(); err != nil {
				return err
			}
		}
		open, seen[string(a.key)] = append(open, a), true
		n.imported += int64(it.Size())
		return nil
	})
	if err != nil {
		return err
	}
	return flush()
}

// maxErrorOutput bounds what is told of items that were not put.
const maxErrorOutput = 16 << 20

func noteError(errs *bytes.Buffer, key string, line int, err error) error {
	if errs.Len() > maxErrorOutput {
		return nil
	}
	message := err.Error()
	if own, ok := AsError(err); ok {
		message = own.Message
	}
	return json.NewEncoder(errs).Encode(map[string]any{"ObjectKey": key, "RecordNumber": line, "ErrorMessage": message})
}

func (e *Engine) endBulk(def *jobDef, n *importCounts, refused *RefusedError) error {
	return e.keepJob(def, func() {
		d := *def.Bulk
		d.EndTime, d.BulkOperationStatus = aws.Time(e.moment()), bulkCompleted
		d.ProcessedItemCount, d.ProcessedInputBytes, d.FailedItemCount = &n.processed, &n.bytes, &n.errors
		d.BulkOperationUsage = []BulkUsage{{TableName: d.TableDetails[0].TableName, BulkPutBytes: &n.imported, Table: &BulkBytes{&n.imported}}}
		switch {
		case refused != nil && refused.Code == "UserCancelled":
			d.BulkOperationStatus, d.FailureCode, d.FailureMessage = bulkCancelled, &refused.Code, &refused.Message
		case refused != nil:
			d.BulkOperationStatus, d.FailureCode, d.FailureMessage = bulkFailed, &refused.Code, &refused.Message
		case n.errors > 0:
			d.BulkOperationStatus = bulkWithErrors
		}
		def.Bulk = &d
	})
}
