package wire

import (
	"context"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"pressroom/dynamo/engine"
)

// The prefixes of X-Amz-Target.
const (
	apiPrefix     = "DynamoDB_20120810."
	streamsPrefix = "DynamoDBStreams_20120810."
)

// operation reads a call's input, performs it and writes its answer.
type operation func(*call) error

// operations are all that are served, by X-Amz-Target.
var operations = map[string]operation{
	apiPrefix + "GetItem":            getItem,
	apiPrefix + "PutItem":            putItem,
	apiPrefix + "UpdateItem":         updateItem,
	apiPrefix + "DeleteItem":         deleteItem,
	apiPrefix + "Query":              query,
	apiPrefix + "Scan":               scan,
	apiPrefix + "BatchGetItem":       batchGetItem,
	apiPrefix + "BatchWriteItem":     batchWriteItem,
	apiPrefix + "TransactGetItems":   transactGetItems,
	apiPrefix + "TransactWriteItems": transactWriteItems,

	apiPrefix + "ExecuteStatement":      executeStatement,
	apiPrefix + "BatchExecuteStatement": batchExecuteStatement,
	apiPrefix + "ExecuteTransaction":    executeTransaction,

	apiPrefix + "CreateTable":        control((*engine.Engine).CreateTable),
	apiPrefix + "DescribeTable":      control((*engine.Engine).DescribeTable),
	apiPrefix + "UpdateTable":        control((*engine.Engine).UpdateTable),
	apiPrefix + "DeleteTable":        control((*engine.Engine).DeleteTable),
	apiPrefix + "ListTables":         control((*engine.Engine).ListTables),
	apiPrefix + "UpdateTimeToLive":   control((*engine.Engine).UpdateTimeToLive),
	apiPrefix + "DescribeTimeToLive": control((*engine.Engine).DescribeTimeToLive),
	apiPrefix + "TagResource":        silent((*engine.Engine).TagResource),
	apiPrefix + "UntagResource":      silent((*engine.Engine).UntagResource),
	apiPrefix + "ListTagsOfResource": control((*engine.Engine).ListTagsOfResource),
	apiPrefix + "DescribeLimits":     control((*engine.Engine).DescribeLimits),
	apiPrefix + "DescribeEndpoints":  describeEndpoints,

	apiPrefix + "CreateBackup":              control((*engine.Engine).CreateBackup),
	apiPrefix + "DescribeBackup":            control((*engine.Engine).DescribeBackup),
	apiPrefix + "ListBackups":               control((*engine.Engine).ListBackups),
	apiPrefix + "DeleteBackup":              control((*engine.Engine).DeleteBackup),
	apiPrefix + "RestoreTableFromBackup":    control((*engine.Engine).RestoreTableFromBackup),
	apiPrefix + "UpdateContinuousBackups":   control((*engine.Engine).UpdateContinuousBackups),
	apiPrefix + "DescribeContinuousBackups": control((*engine.Engine).DescribeContinuousBackups),
	apiPrefix + "RestoreTableToPointInTime": control((*engine.Engine).RestoreTableToPointInTime),

	apiPrefix + "CreateGlobalTable":                   control((*engine.Engine).CreateGlobalTable),
	apiPrefix + "DescribeGlobalTable":                 control((*engine.Engine).DescribeGlobalTable),
	apiPrefix + "DescribeGlobalTableSettings":         control((*engine.Engine).DescribeGlobalTableSettings),
	apiPrefix + "ListGlobalTables":                    control((*engine.Engine).ListGlobalTables),
	apiPrefix + "UpdateGlobalTable":                   control((*engine.Engine).UpdateGlobalTable),
	apiPrefix + "UpdateGlobalTableSettings":           control((*engine.Engine).UpdateGlobalTableSettings),
	apiPrefix + "DescribeTableReplicaAutoScaling":     control((*engine.Engine).DescribeTableReplicaAutoScaling),
	apiPrefix + "UpdateTableReplicaAutoScaling":       control((*engine.Engine).UpdateTableReplicaAutoScaling),
	apiPrefix + "DescribeKinesisStreamingDestination": control((*engine.Engine).DescribeKinesisStreamingDestination),
	apiPrefix + "DisableKinesisStreamingDestination":  control((*engine.Engine).DisableKinesisStreamingDestination),
	apiPrefix + "EnableKinesisStreamingDestination":   control((*engine.Engine).EnableKinesisStreamingDestination),
	apiPrefix + "UpdateKinesisStreamingDestination":   control((*engine.Engine).UpdateKinesisStreamingDestination),
	apiPrefix + "DescribeContributorInsights":         control((*engine.Engine).DescribeContributorInsights),
	apiPrefix + "ListContributorInsights":             control((*engine.Engine).ListContributorInsights),
	apiPrefix + "UpdateContributorInsights":           control((*engine.Engine).UpdateContributorInsights),
	apiPrefix + "DeleteResourcePolicy":                control((*engine.Engine).DeleteResourcePolicy),
	apiPrefix + "GetResourcePolicy":                   control((*engine.Engine).GetResourcePolicy),
	apiPrefix + "PutResourcePolicy":                   control((*engine.Engine).PutResourcePolicy),
	apiPrefix + "SearchVectors":                       control((*engine.Engine).SearchVectors),

	apiPrefix + "ExportTableToPointInTime": control((*engine.Engine).ExportTableToPointInTime),
	apiPrefix + "DescribeExport":           control((*engine.Engine).DescribeExport),
	apiPrefix + "ListExports":              control((*engine.Engine).ListExports),
	apiPrefix + "ImportTable":              control((*engine.Engine).ImportTable),
	apiPrefix + "DescribeImport":           control((*engine.Engine).DescribeImport),
	apiPrefix + "ListImports":              control((*engine.Engine).ListImports),
	apiPrefix + "StartBulkPutItems":        control((*engine.Engine).StartBulkPutItems),
	apiPrefix + "DescribeBulkOperation":    control((*engine.Engine).DescribeBulkOperation),
	apiPrefix + "ListBulkOperations":       control((*engine.Engine).ListBulkOperations),
	apiPrefix + "CancelBulkOperation":      control((*engine.Engine).CancelBulkOperation),

	streamsPrefix + "ListStreams":      control((*engine.Engine).ListStreams),
	streamsPrefix + "DescribeStream":   control((*engine.Engine).DescribeStream),
	streamsPrefix + "GetShardIterator": control((*engine.Engine).GetShardIterator),
	streamsPrefix + "GetRecords":       getRecords,
}

// Operations are the names of all that are served.
func Operations() []string {
	var names []string
	for target := range operations {
		_, name, _ := strings.Cut(target, ".")
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// control serves an operation that has no attribute values: JSON to and from
// the SDK's own structs.
func control[I, O any](run func(*engine.Engine, context.Context, *I) (*O, error)) operation {
	return func(c *call) error {
		in := new(I)
		if err := c.decode(in); err != nil {
			return err
		}
		out, err := run(c.h.db.Load(), c.ctx, in)
		if err != nil {
			return err
		}
		c.out = appendJSON(c.out, out)
		return nil
	}
}

// needsHost is the operation that the server answers alone: the lane does not
// keep the host.
const needsHost = apiPrefix + "DescribeEndpoints"

// describeEndpoints answers the address under which the caller has come, so that
// one who follows it stays.
func describeEndpoints(c *call) error {
	return control(func(db *engine.Engine, ctx context.Context, in *dynamodb.DescribeEndpointsInput) (*dynamodb.DescribeEndpointsOutput, error) {
		out, err := db.DescribeEndpoints(ctx, in)
		if err == nil {
			out.Endpoints[0].Address = &c.host
		}
		return out, err
	})(c)
}

// silent is control for operations whose answer has no body at all.
func silent[I, O any](run func(*engine.Engine, context.Context, *I) (*O, error)) operation {
	return func(c *call) error {
		in := new(I)
		if err := c.decode(in); err != nil {
			return err
		}
		_, err := run(c.h.db.Load(), c.ctx, in)
		return err
	}
}
