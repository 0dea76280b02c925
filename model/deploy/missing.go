package deploy

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"pressroom/model"
)

// Missing names the tables, indexes and buckets of the schemas that the store
// does not have. It needs no more rights than to describe tables and to look at
// buckets, which every process of an application can be given.
func Missing(ctx context.Context, st Store, schemas ...model.Schema) ([]string, error) {
	var missing []string
	for _, s := range schemas {
		for i := range s.Tables {
			names, err := missingOf(ctx, st.Tables, &s.Tables[i])
			if err != nil {
				return nil, fmt.Errorf("table %s: %w", s.Tables[i].Name, err)
			}
			missing = append(missing, names...)
		}
		for i := range s.Buckets {
			there, err := hasBucket(ctx, st.Objects, s.Buckets[i].Name)
			if err != nil {
				return nil, fmt.Errorf("bucket %s: %w", s.Buckets[i].Name, err)
			}
			if !there {
				missing = append(missing, "bucket "+s.Buckets[i].Name)
			}
		}
	}
	return missing, nil
}

func missingOf(ctx context.Context, db model.DB, t *model.Table) (names []string, err error) {
	out, err := db.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &t.Name})
	var none *types.ResourceNotFoundException
	switch {
	case errors.As(err, &none):
		return []string{"table " + t.Name}, nil
	case err != nil:
		return nil, err
	}
	for _, x := range t.Indexes {
		if !slices.ContainsFunc(out.Table.GlobalSecondaryIndexes, func(g types.GlobalSecondaryIndexDescription) bool {
			return aws.ToString(g.IndexName) == x.Name
		}) {
			names = append(names, "index "+x.Name+" of "+t.Name)
		}
	}
	return names, nil
}

func hasBucket(ctx context.Context, client *s3.Client, name string) (bool, error) {
	if client == nil {
		return false, errNoObjects
	}
	_, err := client.HeadBucket(ctx, &s3.HeadBucketInput{Bucket: &name})
	if isCode(err, "NotFound", "NoSuchBucket") {
		return false, nil
	}
	return err == nil, err
}
