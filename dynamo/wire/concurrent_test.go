package wire_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

// TestConcurrent writes and reads from many clients at once. Each knows what
// it must get: memory that is used again must not leak from one request into
// another.
func TestConcurrent(t *testing.T) {
	e := serve(t, nil)
	e.must("CreateTable", simpleTable, nil)
	var wg sync.WaitGroup
	for worker := range 16 {
		wg.Go(func() {
			for i := range 25 {
				text := strings.Repeat(fmt.Sprintf("%d-%d;", worker, i), 1+i*i)
				item := fmt.Sprintf(`{"pk":{"S":"%d"},"text":{"S":"%s"}}`, worker, text)
				if got := e.call("PutItem", `{"TableName":"posts","Item":`+item+`}`); got.body != "{}" {
					t.Errorf("put: %s", got.body)
				}
				got := e.call("GetItem", fmt.Sprintf(`{"TableName":"posts","Key":{"pk":{"S":"%d"}}}`, worker))
				if got.body != `{"Item":`+item+`}` {
					t.Errorf("get: %s, want %s", got.body, item)
				}
				if got := e.call("GetItem", fmt.Sprintf(`{"TableName":"no-%d-%d"}`, worker, i)); !strings.Contains(got.body, "ValidationException") {
					t.Errorf("invalid get: %s", got.body)
				}
			}
		})
	}
	wg.Wait()
}
