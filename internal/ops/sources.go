package ops

import (
	"context"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"pressroom/blob"
	"pressroom/model"
)

// TableSizes tells what the schemas' tables and their indexes hold, as the store
// counts them. Tables that are not there are left out.
func TableSizes(db model.DB, schemas ...model.Schema) Source {
	return SourceFunc(func(ctx context.Context) (Readings, error) {
		var r Readings
		for _, s := range schemas {
			for _, t := range s.Tables {
				out, err := db.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &t.Name})
				var missing *types.ResourceNotFoundException
				if errors.As(err, &missing) {
					continue
				}
				if err != nil {
					return r, err
				}
				d := out.Table
				r.Tables = append(r.Tables, TableSize{Table: t.Name, Items: aws.ToInt64(d.ItemCount), Bytes: aws.ToInt64(d.TableSizeBytes)})
				for _, x := range d.GlobalSecondaryIndexes {
					r.Tables = append(r.Tables, TableSize{Table: t.Name, Index: aws.ToString(x.IndexName), Items: aws.ToInt64(x.ItemCount), Bytes: aws.ToInt64(x.IndexSizeBytes)})
				}
			}
		}
		return r, nil
	})
}

// Objects is what the embedded store of objects tells of itself; *blob.Store
// does.
type Objects interface {
	Usage(ctx context.Context) ([]blob.Usage, error)
	Free() (int64, bool)
	Damages() int64
}

// Tables are the embedded tables.
type Tables interface {
	DiskUsage() int64
	Damages() int64
}

// BucketSizes tells what the buckets of the embedded store hold. It reads every
// record, so that it should be asked seldom.
func BucketSizes(store Objects) Source {
	return SourceFunc(func(ctx context.Context) (Readings, error) {
		var r Readings
		all, err := store.Usage(ctx)
		for _, u := range all {
			r.Buckets = append(r.Buckets, BucketSize{Bucket: u.Bucket, Objects: u.Objects, Bytes: u.Bytes})
		}
		return r, err
	})
}

// DiskUse tells how much the embedded tables take, how much room is left where the
// objects are, and how often either met damage.
func DiskUse(tables Tables, store Objects) Source {
	return SourceFunc(func(context.Context) (Readings, error) {
		free, known := store.Free()
		if !known {
			free = -1
		}
		return Readings{Disks: []Disk{{Name: "tables", Used: tables.DiskUsage(), Free: free, Damages: tables.Damages()}, {Name: "objects", Used: -1, Free: free, Damages: store.Damages()}}}, nil
	})
}

// Source tells of the scheduler's jobs, and of those that failed as failures.
func (s *Scheduler) Source() Source {
	return SourceFunc(func(ctx context.Context) (Readings, error) {
		jobs, err := s.Jobs(ctx)
		r := Readings{Jobs: jobs}
		for _, j := range jobs {
			if j.Failures == 0 || j.Last == nil {
				continue
			}
			at, _ := model.ParseTime(j.Last.Ended)
			r.Failures = append(r.Failures, Failure{Queue: "jobs", Reason: j.Name, Count: j.Failures, Last: at, Example: j.Last.Error})
		}
		return r, err
	})
}

// age returns how long ago a time was, 0 for none and for the future.
func age(t, now time.Time) time.Duration {
	if t.IsZero() || t.After(now) {
		return 0
	}
	return now.Sub(t)
}
