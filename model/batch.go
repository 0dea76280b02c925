package model

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"pressroom/dynamo"
)

// Limits of DynamoDB on the items of a batch.
const (
	batchGets = 100
	batchPuts = 25
)

// batchTries is how often unprocessed items are sent again.
const batchTries = 12

func jitter(limit time.Duration) time.Duration { return limit/2 + rand.N(limit/2+1) }

// BatchGet returns the items with these keys as of now, in the order of the
// keys. Keys without an item are left out, and so are repeated ones.
func (r *Repo[T]) BatchGet(ctx context.Context, keys []Values) ([]T, error) {
	items, err := r.batchGet(ctx, keys)
	if err != nil {
		return nil, err
	}
	found := make([]T, len(items))
	for i, item := range items {
		if err := r.table.decode(r.entity, item, true, &found[i]); err != nil {
			return nil, err
		}
	}
	return found, nil
}

func (r *core) batchGet(ctx context.Context, keys []Values) ([]Raw, error) {
	raws := make([]Raw, len(keys))
	for i, key := range keys {
		k, err := r.table.Key(r.entity, key)
		if err != nil {
			return nil, r.wrap("batch get", key, err)
		}
		raws[i] = k
	}
	items, err := r.table.batchGet(ctx, r.db, raws, true)
	if err == nil {
		items, err = r.table.settle(ctx, r.db, items)
	}
	if err != nil {
		return nil, fmt.Errorf("batch get %s: %w", r.entity.Name, err)
	}
	return items, nil
}

// batchGet reads the items with these keys, in their order, each once.
func (t *Table) batchGet(ctx context.Context, db dynamo.API, keys []Raw, strong bool) ([]Raw, error) {
	byKey := map[string]Raw{}
	var order []string
	var wanted []Raw
	for _, k := range keys {
		id := t.keyID(k)
		if _, twice := byKey[id]; !twice {
			byKey[id] = nil
			order = append(order, id)
			wanted = append(wanted, k)
		}
	}
	for chunk := range slices.Chunk(wanted, batchGets) {
		request := types.KeysAndAttributes{Keys: chunk, ConsistentRead: aws.Bool(strong)}
		for try := 1; len(request.Keys) > 0; try++ {
			out, err := db.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{t.Name: request}})
			if err != nil {
				return nil, err
			}
			for _, item := range out.Responses[t.Name] {
				byKey[t.keyID(item)] = item
			}
			request = out.UnprocessedKeys[t.Name]
			if err := again(ctx, try, len(request.Keys)); err != nil {
				return nil, err
			}
		}
	}
	var items []Raw
	for _, id := range order {
		if item := byKey[id]; item != nil {
			items = append(items, item)
		}
	}
	return items, nil
}

// keyID is a text that differs for different keys.
func (t *Table) keyID(item Raw) string {
	pk, _ := textOf(item[t.PK.Name])
	sk, _ := textOf(item[t.SK.Name])
	return fmt.Sprintf("%d:%s%s", len(pk), pk, sk)
}

// again waits if something is left to be sent again.
func again(ctx context.Context, try, left int) error {
	if left == 0 {
		return nil
	}
	if try == batchTries {
		return fmt.Errorf("%d items of a batch stay unprocessed", left)
	}
	return pause(ctx, try)
}

// BatchPut writes values over what is there, faster than one by one and not
// together: after an error, some are written. Versioned entities are refused,
// because a batch cannot look at versions.
func (r *Repo[T]) BatchPut(ctx context.Context, values []T) error {
	if r.entity.Version != "" {
		return fmt.Errorf("batch put %s: it has a version, and a batch cannot look at it", r.entity.Name)
	}
	requests := make([]types.WriteRequest, len(values))
	for i := range values {
		item, err := r.table.encode(r.entity, &values[i])
		if err != nil {
			return fmt.Errorf("batch put: %w", err)
		}
		requests[i] = types.WriteRequest{PutRequest: &types.PutRequest{Item: item}}
	}
	return r.batchWrite(ctx, "batch put", requests)
}

// BatchDelete removes the items with these keys; after an error, some are gone.
func (r *core) BatchDelete(ctx context.Context, keys []Values) error {
	requests := make([]types.WriteRequest, len(keys))
	for i, key := range keys {
		k, err := r.table.Key(r.entity, key)
		if err != nil {
			return r.wrap("batch delete", key, err)
		}
		requests[i] = types.WriteRequest{DeleteRequest: &types.DeleteRequest{Key: k}}
	}
	return r.batchWrite(ctx, "batch delete", requests)
}

func (r *core) batchWrite(ctx context.Context, op string, requests []types.WriteRequest) error {
	for chunk := range slices.Chunk(requests, batchPuts) {
		for try := 1; len(chunk) > 0; try++ {
			out, err := r.db.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{r.table.Name: chunk}})
			if err != nil {
				return fmt.Errorf("%s %s: %w", op, r.entity.Name, err)
			}
			chunk = out.UnprocessedItems[r.table.Name]
			if err := again(ctx, try, len(chunk)); err != nil {
				return fmt.Errorf("%s %s: %w", op, r.entity.Name, err)
			}
		}
	}
	return nil
}
