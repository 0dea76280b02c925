package dynamobench

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/cockroachdb/pebble/v2"
)

// Bare is the yardstick: the standard library's HTTP server and JSON, and
// Pebble. It reads each request, makes the same durable write or the same
// read, and answers. It checks nothing and keeps no index beyond a second
// row for GSI1.
type Bare struct{ db *pebble.DB }

// OpenBare opens a Bare server's store in dir.
func OpenBare(dir string) (*Bare, error) {
	db, err := pebble.Open(dir, &pebble.Options{MemTableSize: 32 << 20})
	if err != nil {
		return nil, fmt.Errorf("open bare store: %w", err)
	}
	return &Bare{db}, nil
}

// Close closes the store.
func (b *Bare) Close() error { return b.db.Close() }

type bareValue struct {
	S    *string              `json:"S,omitempty"`
	N    *string              `json:"N,omitempty"`
	BOOL *bool                `json:"BOOL,omitempty"`
	SS   []string             `json:"SS,omitempty"`
	M    map[string]bareValue `json:"M,omitempty"`
}

type bareItem map[string]bareValue

func (it bareItem) text(name string) string {
	if s := it[name].S; s != nil {
		return *s
	}
	return ""
}

type bareRequest struct {
	TableName                 string
	Item, Key                 bareItem
	Limit                     int
	ExpressionAttributeValues bareItem
	RequestItems              map[string][]struct{ PutRequest struct{ Item bareItem } }
	TransactItems             []struct{ Put struct{ Item bareItem } }
}

// ServeHTTP answers the operations of the workloads.
func (b *Bare) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var q bareRequest
	if err := json.Unmarshal(body, &q); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	_, op, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	answer, err := b.do(op, &q)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	raw, err := json.Marshal(answer)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/x-amz-json-1.0")
	_, _ = w.Write(raw)
}

func (b *Bare) do(op string, q *bareRequest) (any, error) {
	switch op {
	case "PutItem":
		return struct{}{}, b.put(q.Item)
	case "GetItem":
		it, err := b.get(rowName(q.Key))
		return map[string]any{"Item": it}, err
	case "Query":
		items, err := b.query("i"+q.ExpressionAttributeValues.text(":g")+"\x00", q.Limit)
		return map[string]any{"Items": items, "Count": len(items), "ScannedCount": len(items)}, err
	case "UpdateItem":
		it, err := b.get(rowName(q.Key))
		if err != nil {
			return nil, err
		}
		return struct{}{}, b.put(it)
	case "BatchWriteItem":
		var items []bareItem
		for _, list := range q.RequestItems {
			for _, p := range list {
				items = append(items, p.PutRequest.Item)
			}
		}
		return map[string]any{"UnprocessedItems": struct{}{}}, b.put(items...)
	case "TransactWriteItems":
		var items []bareItem
		for _, p := range q.TransactItems {
			items = append(items, p.Put.Item)
		}
		return struct{}{}, b.put(items...)
	}
	return struct{}{}, nil
}

func rowName(it bareItem) string { return "r" + it.text("pk") + "\x00" + it.text("sk") }

// put reads what is there, as a database must that keeps an index, and
// writes the item and its index row in one synced batch.
func (b *Bare) put(items ...bareItem) error {
	batch := b.db.NewBatch()
	defer func() { _ = batch.Close() }()
	for _, it := range items {
		raw, err := json.Marshal(it)
		if err != nil {
			return err
		}
		row := rowName(it)
		if _, closer, err := b.db.Get([]byte(row)); err == nil {
			_ = closer.Close()
		}
		if err := batch.Set([]byte(row), raw, nil); err != nil {
			return err
		}
		if err := batch.Set([]byte("i"+it.text("gsi1pk")+"\x00"+it.text("gsi1sk")+row), raw, nil); err != nil {
			return err
		}
	}
	return batch.Commit(pebble.Sync)
}

func (b *Bare) get(row string) (bareItem, error) {
	raw, closer, err := b.db.Get([]byte(row))
	if err != nil {
		return nil, err
	}
	defer func() { _ = closer.Close() }()
	var it bareItem
	err = json.Unmarshal(raw, &it)
	return it, err
}

func (b *Bare) query(prefix string, limit int) ([]bareItem, error) {
	it, err := b.db.NewIter(&pebble.IterOptions{LowerBound: []byte(prefix), UpperBound: []byte(prefix + "\xff")})
	if err != nil {
		return nil, err
	}
	defer func() { _ = it.Close() }()
	var items []bareItem
	for ok := it.First(); ok && len(items) < limit; ok = it.Next() {
		var item bareItem
		if err := json.Unmarshal(it.Value(), &item); err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	return items, it.Error()
}
