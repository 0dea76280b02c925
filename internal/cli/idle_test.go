package cli

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// Memory is given back when work ends, and not again while there is none.
func TestGiveBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var times atomic.Int64
		go giveBack(ctx, func() { times.Add(1) })
		look := func(after time.Duration, want int64) {
			t.Helper()
			time.Sleep(after)
			synctest.Wait()
			if got := times.Load(); got != want {
				t.Errorf("given back %d times, want %d", got, want)
			}
		}
		look(5*restEvery+time.Second, 1)
		work := make([]byte, 2*restingBelow*int(restEvery/time.Second))
		runtime.KeepAlive(work)
		look(restEvery, 1)
		look(3*restEvery, 2)
	})
}
